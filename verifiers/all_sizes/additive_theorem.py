"""Noise that is added to every score, by Theorem 4 of docs/theorems.md: one pair of neighbours stands for all."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil, floor
from typing import Any, Final

from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.mechanisms.selection.laplace_mechanism import (
    clamped_laplace_mechanism,
    discrete_laplace_mechanism,
    laplace_mechanism,
)
from dpverify.verifiers.all_sizes.regions.pairs import fails_on
from dpverify.verifiers.all_sizes.regions.question import OfScores, Pair

_NOISE: Final = {
    laplace_mechanism: laplace,
    discrete_laplace_mechanism: discrete_laplace,
    clamped_laplace_mechanism: discrete_laplace,
}
"""The mechanisms, and their noise where no other is given."""


def is_meant(question: OfScores) -> bool:
    """True where the theorem speaks of the noise, and of the domain: noise is added to scores, and not to gaps."""
    return not question.scores.gaps and any(_noise(question) is noise for noise in (laplace, discrete_laplace))


def _noise(question: OfScores) -> Any:
    return question.arguments.get("noise", _NOISE[question.mechanism])


def holds(question: OfScores) -> bool:
    """True where the claim holds on the neighbours that are as far apart as any, before noisy values are clamped."""
    if question.claim.delta >= 1:
        return True
    if question.scores.every and not question.scores.one_moves:
        return False
    named = ("epsilon", "sensitivity")
    given = {name: value for name, value in question.arguments.items() if name in named}
    worst = _apart(question, 0, question.scores.solutions)
    given = {**given, "noise": _noise(question)}
    return not fails_on(replace(question.question, mechanism=laplace_mechanism, parameters=given), worst)


def supremum(_: OfScores) -> Exact | None:
    """Not known: neighbours are compared at the claimed δ."""
    return None


def suspects(question: OfScores) -> Iterator[Pair]:
    """Neighbours as far apart as any: of more and more scores, or at both ends of the range of clamped values."""
    scores, given = question.scores, question.arguments
    if question.mechanism is clamped_laplace_mechanism:
        ends = floor(exact(given["low"])), ceil(exact(given["high"]))
        for at in dict.fromkeys(end + further for further in _AROUND for end in ends):
            yield _apart(question, at, scores.solutions)
        return
    counts = [scores.solutions]
    if scores.every and not scores.one_moves:
        scale = positive(given.get("sensitivity", 1), "sensitivity") / positive(given["epsilon"], "epsilon")
        enough = floor(question.claim.epsilon * scale) + 1  # for δ = 0
        counts += [n for n in (enough, 2 * enough, 4 * enough) if scores.solutions < n <= _MOST_SCORES]
    for count in counts:
        yield _apart(question, 0, count)


_AROUND: Final = (0, -1, 1, -2, 2, -3, 3)
_MOST_SCORES: Final = 64


def _apart(question: OfScores, at: int, count: int) -> Pair:
    """Equal scores, and as many that are 1 more; or the first of them alone."""
    if question.scores.one_moves:
        return (at,) * count, (at + 1, *(at,) * (count - 1))
    return (at,) * count, (at + 1,) * count
