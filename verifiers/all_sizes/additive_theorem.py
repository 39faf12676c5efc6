"""Noise that is added to every score, by Theorem 4 of docs/theorems.md: one pair of neighbours stands for all."""

from collections.abc import Iterator
from dataclasses import replace
from math import floor
from typing import Any

from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.exact_numbers import exact
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.mechanisms.selection.laplace_mechanism import laplace_mechanism
from dpverify.verifiers.all_sizes.regions.pairs import fails_on
from dpverify.verifiers.all_sizes.regions.question import OfScores, Pair


def is_meant(question: OfScores) -> bool:
    """True where the theorem speaks of the noise, and of the domain: noise is added to scores, and not to gaps."""
    return not question.scores.gaps and any(_noise(question) is noise for noise in (laplace, discrete_laplace))


def _noise(question: OfScores) -> Any:
    by_default = laplace if question.mechanism is laplace_mechanism else discrete_laplace
    return question.arguments.get("noise", by_default)


def holds(question: OfScores) -> bool:
    """True where the claim holds on the neighbours that are as far apart as any, before noisy values are clamped."""
    if question.claim.delta >= 1:
        return True
    if question.scores.every and not question.scores.one_moves:
        return False
    given = {name: value for name, value in question.arguments.items() if name in ("epsilon", "sensitivity")}
    given["noise"] = _noise(question)
    worst = _apart(question, question.scores.solutions)
    return not fails_on(replace(question.question, mechanism=laplace_mechanism, parameters=given), worst)


def suspects(question: OfScores) -> Iterator[Pair]:
    """Neighbours as far apart as any, of more and more scores where their number has no end."""
    scores = question.scores
    yield _apart(question, scores.solutions)
    if scores.every and not scores.one_moves:
        scale = positive(question.arguments.get("sensitivity", 1), "sensitivity") / exact(question.arguments["epsilon"])
        enough = floor(question.claim.epsilon * scale) + 1  # for δ = 0
        yield from (_apart(question, n) for n in (enough, 2 * enough, 4 * enough) if scores.solutions < n <= 64)


def _apart(question: OfScores, count: int) -> Pair:
    """Scores of 0, and as many of 1; or the first of them alone."""
    moved = 1 if question.scores.one_moves else count
    return (0,) * count, (1,) * moved + (0,) * (count - moved)
