"""The question that a theorem is asked: a library mechanism on all score vectors, and a claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.exact_numbers import exact
from dpverify.mechanisms.numbers.roots.epsilon_symbol import DependsOnEpsilon
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import epsilon_lies_in, simplest_epsilon
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.verifiers.all_sizes.regions.domains import AnyGaps, Endless, Scores
from dpverify.verifiers.problems.questions.moves import NeighbourRelation, ScoreVector, Shifts, moves_of
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee, Question
from dpverify.verifiers.problems.questions.score_domains import OrMore

Pair: TypeAlias = tuple[ScoreVector, ScoreVector]
"""Two neighbours."""


class AllScores(NamedTuple):
    """All score vectors of `solutions` whole numbers, or of that many and of every greater number of them."""

    solutions: int
    every: bool
    one_moves: bool
    """True where neighbours differ in one score, by 1; else every score may differ by 1."""
    gaps: bool
    """True where vectors stand for all that differ from them by a constant: the best score is 0."""

    @property
    def spread(self) -> int:
        """The most that one score may rise more than another."""
        return 1 if self.one_moves else 2

    def pair(self, left: ScoreVector, right: ScoreVector) -> Pair:
        """Two neighbours as the domain has them."""
        if not self.gaps:
            return left, right
        return tuple(s - max(left) for s in left), tuple(s - max(right) for s in right)

    def against(self, lone: int, others: Sequence[int]) -> Pair:
        """Neighbours of which the first has these scores, and the second falls behind as far as it can in the first."""
        if self.one_moves:
            return self.pair((lone, *others), (lone - 1, *others))
        return self.pair((lone, *others), (lone - 1, *(score + 1 for score in others)))


@dataclass(frozen=True)
class OfScores:
    """True where a mechanism of the library keeps a claim on all score vectors."""

    question: Question
    scores: AllScores

    @property
    def mechanism(self) -> Mechanism:
        """Mechanism and domain of which it is asked."""
        return self.question.mechanism

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments that it is given."""
        return self.question.arguments

    @property
    def claim(self) -> PrivacyGuarantee:
        """The ε and δ."""
        return self.question.claim

    def at_some_epsilons(self, holds: Callable[[OfScores], bool]) -> Iterator[OfScores]:
        """The question with numbers for a symbolic ε, one where `holds` has one answer for all, and else some.

        The question itself where there is no symbol.
        """
        symbol = self.question.symbol
        if symbol is None:
            yield self
            return
        try:
            holds(self)
            samples = [simplest_epsilon(symbol)]
        except (DependsOnEpsilon, InputError):  # the answer changes, or may
            samples = [simplest_epsilon(symbol), *(number for number in _SOME if epsilon_lies_in(symbol, number))]
        for epsilon in samples:
            yield replace(self, question=self.question.at(DistributionSubstitution(symbol, epsilon)))


_SOME: Final = tuple(exact(Fraction(4) ** n) for n in (0, -1, 1, -2, 2, -3, 3))


def all_scores(domain: Endless, neighbours: NeighbourRelation) -> AllScores | None:
    """A domain of score vectors under one of the relations on these; None for any other."""
    moves = moves_of(neighbours)
    if not isinstance(moves, Shifts) or moves.one_moves is None:
        return None
    if type(domain) is Scores and not moves.best_is_0:
        return AllScores(domain.fewest, isinstance(domain.solutions, OrMore), moves.one_moves, False)
    if type(domain) is AnyGaps and moves.best_is_0:
        return AllScores(domain.solutions, False, moves.one_moves, True)
    return None
