"""A_dist for every δ, by Theorem 9 of docs/theorems.md: with every ε, or at one, on all score vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter, exact
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import number_of, symbol_in
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.verifiers.all_sizes.claimed_shares import ClaimedShares, EveryDelta, claimed_shares, never_exceeds
from dpverify.verifiers.all_sizes.regions.domains import Endless
from dpverify.verifiers.all_sizes.regions.question import AllScores, OfScores, Pair, all_scores
from dpverify.verifiers.divergence.every_epsilon.epsilon_delta_sets import (
    EpsilonDeltaSet,
    GapsOfNeighbours,
    StableChoices,
)
from dpverify.verifiers.problems.questions.question import Question

THEOREM_9: Final = "Theorem 9 of docs/theorems.md, on A_dist: every δ, and every number of solutions"


@dataclass(frozen=True)
class SettledForEveryDelta:
    """A claim for every δ as the theorem settles it: it holds, or fails on a set, and here on two neighbours."""

    failing: EpsilonDeltaSet | None
    """None where the claim holds."""
    asked: Question | None = None
    """The claim at one ε and δ of the set, of two neighbours that violate it."""
    at: str = ""
    """The pair of ε and δ, in words."""


@dataclass(frozen=True)
class StableAtGaps:
    """Theorem 9 on an A_dist whose probability of releasing a best solution is known, on scores of such a spread."""

    choices: StableChoices
    """A bound on that probability."""
    is_exact: bool
    """True where with that probability, and otherwise with the same outcome whatever the gap."""
    spread: int
    theorem: str = THEOREM_9

    def holds(self, claimed: ClaimedShares) -> bool:
        """True where the claim holds by (b) of the theorem."""
        if self.spread > self.choices.scale * claimed.share_of_epsilon:
            return False
        rate = (self.spread - self.choices.shift) / self.choices.scale
        return never_exceeds(self.choices.factor * exp(claimed.epsilon * rate), claimed.share_of_delta)

    def fails_in(self, claimed: ClaimedShares) -> EpsilonDeltaSet | None:
        """The set of (d) of the theorem, where the probability is exact and (ε, δ) is claimed."""
        if not self.is_exact or not claimed.is_plain:
            return None
        symbol = symbol_in(claimed.epsilon)
        if symbol is not None and claimed.epsilon is not number_of(symbol):
            return None
        return EpsilonDeltaSet(self.choices, self.spread, claimed.epsilon if symbol is None else None)


CORRECTED: Final = StableChoices(Fraction(1), Fraction(2), Fraction(2))
PRINTED: Final = StableChoices(Fraction(1, 2), Fraction(1), Fraction(0))
EXTENDED_ABSTRACT: Final = StableChoices(Fraction(1, 2), Fraction(4), Fraction(2))
EXTENDED_ABSTRACT_DISCRETE: Final = StableChoices(Fraction(1), Fraction(4), Fraction(2))


def with_constants(given: Mapping[str, Any]) -> StableChoices | None:
    """The probability for a scale, constant and shift; None where these are no positive rational numbers."""
    scale, constant, shift = (_rational(given[name]) for name in ("scale", "constant", "shift"))
    if scale is None or constant is None or shift is None or min(scale, constant) <= 0:
        return None
    return StableChoices(1 / (2 * constant), scale, shift)


def with_noise(*known: tuple[Noise, StableChoices]) -> Callable[[Mapping[str, Any]], StableChoices | None]:
    """The probability by the noise that is given, Laplace where none is; None of any other noise."""
    return lambda given: next((choices for noise, choices in known if given.get("noise", laplace) is noise), None)


def at_gaps(
    choices: Callable[[Mapping[str, Any]], StableChoices | None], is_exact: bool, question: Question, domain: Endless
) -> StableAtGaps | None:
    """The theorem on an A_dist on scores; None of fewer than two solutions, and of other arguments."""
    known, scores = choices(question.arguments), all_scores(domain, question.neighbours)
    if known is None or scores is None or not (scores.solutions > 1 or scores.every):
        return None
    return StableAtGaps(known, is_exact, scores.spread)


def _rational(value: Any) -> Fraction | None:
    result = as_parameter(exact(value))
    return Fraction(result) if isinstance(result, int | Fraction) else None


def settled_for_every_delta(question: OfScores, known: EveryDelta) -> SettledForEveryDelta | None:
    """The verdict of a theorem on a question with the symbolic δ; None where it says nothing.

    Raises `InputError` as the mechanism does, and `Undecided` where no neighbours are found for what it says.
    """
    claimed = claimed_shares(question.question)
    if claimed is None:
        return None
    if known.holds(claimed):
        return SettledForEveryDelta(None)
    failing = known.fails_in(claimed)
    if not isinstance(failing, EpsilonDeltaSet):
        return None
    assert not failing.is_empty, "the theorem would say that the claim holds"
    for epsilon in _SOME_EPSILON if failing.epsilon is None else (failing.epsilon,):
        for delta in _SOME_DELTA:
            gaps = failing.violated_at(epsilon, delta)
            if gaps is not None:
                at = f"ε = {epsilon} and δ = {delta}"
                return SettledForEveryDelta(failing, _at(question, epsilon, delta, gaps), at)
    raise Undecided(
        not_known.THEOREM_OPEN,
        f"by Theorem 9 of docs/theorems.md it fails where {failing}, at no ε and δ that were tried",
        "give ε and δ values",
    )


_SOME_EPSILON: Final = tuple(exact(Fraction(2) ** n) for n in (0, 1, -1, 2, -2, 3, -3, 5, -5, 7, -7, -9, 9))
_SOME_DELTA: Final = tuple(exact(Fraction(text)) for text in ("1/10", "1/100", "1/2", "9/10", "1/10000", "1/1000000"))


def _at(question: OfScores, epsilon: Exact, delta: Exact, gaps: GapsOfNeighbours) -> Question:
    """The question at one ε and δ, of two neighbours with such gaps."""
    return at_numbers(question.question, epsilon, delta).of_two(neighbours_with(question.scores, gaps))


def at_numbers(question: Question, epsilon: Exact, delta: Exact) -> Question:
    """A question with numbers in the place of a symbolic δ, and of a symbolic ε where there is one."""
    result = question.at_delta(delta)
    symbol = result.symbol
    return result if symbol is None else result.at(DistributionSubstitution(symbol, epsilon))


def neighbours_with(scores: AllScores, gaps: GapsOfNeighbours) -> Pair:
    """Neighbours with such gaps, by the table of Theorem 3, of as many solutions as the domain has at least."""
    if gaps.same_best:
        right = -1 if scores.spread > 1 else 0
        pair = (gaps.left, 0, 0), (gaps.left + 1, right, right)
    else:
        pair = ((0, 0, -1), (0, 1, -1)) if scores.one_moves else ((0, 0, 0), (-1, 1, -1))
    solutions = max(scores.solutions, 2)
    left, right_side = (tuple(side[min(place, 2)] for place in range(solutions)) for side in pair)
    return scores.pair(left, right_side)


def some_neighbours(scores: AllScores) -> list[Pair]:
    """Neighbours on which a claim of another mechanism is tried."""
    another = neighbours_with(scores, GapsOfNeighbours(0, scores.spread, same_best=False))
    same = (GapsOfNeighbours(gap, gap + scores.spread, same_best=True) for gap in range(_GAPS))
    return [another, *(neighbours_with(scores, gaps) for gaps in same)]


_GAPS: Final = 6
