"""Uses that a number refuses: to become a plain one, and to tell a mechanism more of a symbolic ε than comparisons do.

A mechanism may catch the error, so the symbol takes note of it, and the run is not accepted.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, NoReturn

from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_text import at_a_glance
from dpverify.mechanisms.packages import COUNTING, MEANS

if TYPE_CHECKING:
    from dpverify.mechanisms.numbers.atoms import NumberForm


def refuse_float(number: NumberForm) -> NoReturn:
    """Raises `InputError`, since floats are not exact."""
    _refuse(
        number,
        f"{at_a_glance(number)} is exact and does not become a float: use exp, log and sqrt of "
        "dpverify.mechanisms instead of math's, and `decimal` to print it",
    )


def refuse_as_plain_number(number: NumberForm) -> NoReturn:
    """Raises `InputError`, since what only plain numbers can do is no operation here."""
    _refuse(number, bad_mechanism.NO_PLAIN_NUMBER.text(at_a_glance(number)))


def refuse_hash(number: NumberForm) -> NoReturn:
    """Raises `InputError`: equal hashes would answer whether two numbers are equal, for some ε or for all."""
    what = "an unknown score" if number.symbol is not None and number.symbol.is_whole else "a symbolic ε"
    _refuse(number, bad_mechanism.SYMBOL_USED.text(what, "hashed, in a set, as a key or by a cache"))


def _refuse(number: NumberForm, why: str) -> NoReturn:
    error = InputError(why)
    if number.symbol is not None:
        number.symbol.take_note(error)
    raise error


def is_asked_for_by_a_mechanism(number: NumberForm) -> bool:
    """True if code outside this library calls the method that asks this, of what depends on an ε that it is given."""
    if number.symbol is None or not number.symbol.handed_out:
        return False
    caller = str(sys._getframe(2).f_globals.get("__name__"))
    is_for_it = caller.startswith(_FOR_MECHANISMS)
    return is_for_it or not caller.startswith(KNOWING if number.symbol.is_whole else "dpverify.")


_FOR_MECHANISMS: Final = "dpverify.mechanisms.language."
"""The package of what stands for sets and memories in mechanisms."""

KNOWING: Final = (
    *(f"dpverify.mechanisms.{package}." for package in (*MEANS, COUNTING, "selection")),
    "dpverify.verifiers.",
)
"""Packages that use scores as keys of dicts, and know that two of them may be equal for some of what they may be."""


def note_text(number: NumberForm) -> None:
    """Remember that a text was made of it: a debugger can show it, but the run is not accepted."""
    assert number.symbol is not None
    what = "an unknown score" if number.symbol.is_whole else "a symbolic ε"
    number.symbol.take_note(InputError(bad_mechanism.SYMBOL_USED, what, "turned into text"))
