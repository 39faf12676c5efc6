"""The oracle of what is read of a program: the user's own function, run whole by the plain enumerator."""

import linecache
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any, Final

import numpy as np

from dpverify.mechanisms import InputError, Limits, Undecided
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution


def made_of_text(text: str, known: Mapping[str, Any]) -> Any:
    """The function `mechanism` of a text, of which the source is found: else it would be outside the language."""
    file, names = f"<program {next(_NUMBERS)}>", dict(known)
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec", dont_inherit=True), names)
    return names["mechanism"]


_NUMBERS: Final = count()


def runs_and_law(mechanism: Any, database: tuple[Any, ...] = (0, 1, 1)) -> tuple[int, Any]:
    """The number of its runs, and its law; or what was refused of it."""
    enumeration = Enumeration(Limits())
    return _found(enumeration, lambda: enumeration.law(mechanism, (database,), {}))


def as_written(mechanism: Any, database: tuple[Any, ...] = (0, 1, 1)) -> tuple[int, Any]:
    """The same as it is compiled, with one run for each path of the code."""
    plain = PlainEnumerator(Limits())
    return _found(plain, lambda: plain.distribution_as_compiled(mechanism, (database,), {}))


def as_python_has_it(mechanism: Any, database: tuple[Any, ...] = (0, 1, 1)) -> tuple[int, Any]:
    """The same of the user's own function, which nothing was put into, with numpy's own functions."""
    plain = PlainEnumerator(Limits())
    return _found(plain, lambda: plain.distribution(lambda *args: _plain(mechanism(*args)), (database,), {}))


def _plain(outcome: Any) -> Any:
    if isinstance(outcome, np.integer | np.bool_):
        return outcome.item()
    return tuple(map(_plain, outcome)) if isinstance(outcome, tuple) else outcome


def _found(by: Enumeration | PlainEnumerator, law: Callable[[], Any]) -> tuple[int, Any]:
    try:
        found = law()
    except (InputError, Undecided) as error:
        found = type(error)
    return by.runs, found


def are_the_same(left: Any, right: Any) -> bool:
    """True where both have the same law, or both are refused."""
    if isinstance(left, type) or isinstance(right, type):
        return left is right
    try:
        return same_distribution(left, right)
    except Undecided:  # Gaussian noise, of which balls are all that is known: in other sums as in one
        return left.probabilities.keys() == right.probabilities.keys() and all(
            abs(enclosure(p - right.probabilities[outcome], 256)) < 1e-35 for outcome, p in left.probabilities.items()
        )


def differs_as_written(mechanism: Any, databases: Iterable[tuple[Any, ...]]) -> bool:
    """True where a program has another law on some database than as it is written."""
    for database in databases:
        _, found = runs_and_law(mechanism, database)
        _, expected = as_written(mechanism, database)
        if not are_the_same(found, expected):
            return True
    return False
