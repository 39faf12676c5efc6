"""Mechanisms broken in the ways that recur in the catalogue: with less noise, and with another A_dist, or none."""

import inspect
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact
from dpverify.mechanisms.selection.exponential_mechanism import Quality
from dpverify.mechanisms.selection.stability import best_and_gap, choose_by_stability_journal
from dpverify.verifiers.utility.family import ExactLike, Mechanism, as_named
from dpverify.verifiers.utility.family import Times as Times  # noqa: PLC0414  # part of what this offers
from dpverify.verifiers.utility.family import weakened as weakened  # noqa: PLC0414

_NUMBERS: Final = {3: "three", 4: "four", 6: "six", 8: "eight", 12: "twelve", 1000: "a thousand"}
_TIMES: Final = {2: "twice", **{number: f"{word} times" for number, word in _NUMBERS.items()}}


def broken(mechanism: Mechanism, name: str, what: str, *, epsilon_times: int = 1, **instead: Any) -> Mechanism:
    """A mutant: the mechanism run at a multiple of its ε, and with these arguments in place of those that are given.

    Reports call it `name`, and say `what` is broken. A claim gives it the ε and the δ that the mechanism names.
    """
    weaker = weakened(name, mechanism, f"Mutant: {what}", epsilon=Times(epsilon_times), **instead)
    return _taking_the_arguments_of(mechanism, weaker)


def _taking_the_arguments_of(mechanism: Mechanism, mutant: Any) -> Mechanism:
    mutant.__signature__ = inspect.signature(mechanism)
    return mutant  # type: ignore[no-any-return]


def at_times_epsilon(times: int, mechanism: Mechanism, name: str = "") -> Mechanism:
    """A mutant: the mechanism at so many times the ε."""
    named = name or f"{mechanism.__qualname__}_at_{_TIMES[times].replace(' ', '_')}_epsilon"
    return broken(mechanism, named, f"{_TIMES[times]} the ε.", epsilon_times=times)


def half_the_noise(mechanism: Mechanism) -> Mechanism:
    """A mutant: the mechanism with noise of half the scale."""
    named = f"{mechanism.__qualname__}_with_half_the_noise"
    return broken(mechanism, named, "noise of half the scale.", epsilon_times=2)


def without_half(mechanism: Mechanism, name: str = "") -> Mechanism:
    """A mutant: the exponential mechanism, or what runs it, without the half in its exponent."""
    named = name or f"{mechanism.__qualname__}_without_half"
    return broken(mechanism, named, "exp(ε·q) in place of exp(ε·q/2).", epsilon_times=2)


def for_one_query(mechanism: Mechanism, name: str = "", *, a_quarter: bool = False) -> Mechanism:
    """A mutant: the mechanism with noise for one query, or a quarter of it, where it has a `bound` on their number."""
    times, text = (4, "a quarter of the noise that one query takes") if a_quarter else (1, "noise for one query")

    def mutant(draw: Draw, rows: Any, *, epsilon: Exact, bound: int, **given: Any) -> Any:
        return mechanism(draw, rows, epsilon=times * bound * epsilon, bound=bound, **given)

    named = name or f"{mechanism.__qualname__}_without_the_bound"
    return _taking_the_arguments_of(mechanism, as_named(named, f"Mutant: {text}, whatever their number.", mutant))


def best_whatever_the_gap(draw: Draw, quality: Quality, *, epsilon: ExactLike, delta: Fraction, **ignored: Any) -> Any:
    """Mutant: releases the best solution without the test."""
    return best_and_gap(quality)[0]


def without_a_dist(what: str, mechanism: Mechanism, name: str = "", epsilon_times: int = 1) -> Mechanism:
    """A mutant: the mechanism that takes the best of `what` without the test of A_dist."""
    named = name or f"{mechanism.__qualname__}_without_a_dist"
    besides = f", and the exponential mechanism at {_TIMES[epsilon_times]} ε" if epsilon_times > 1 else ""
    text = f"takes the {what} without the test of A_dist{besides}."
    return broken(mechanism, named, text, epsilon_times=epsilon_times, selection=best_whatever_the_gap)


def as_printed(mechanism: Mechanism) -> Mechanism:
    """A mutant: the mechanism with the A_dist of the journal version, which the paper prints."""
    named = f"{mechanism.__qualname__}_as_printed"
    return broken(mechanism, named, "with the A_dist that the paper prints.", selection=choose_by_stability_journal)
