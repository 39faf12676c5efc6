"""The choosing mechanism, by Theorem 13 of docs/theorems.md: all qualities of bounded growth, at every ε and δ.

What holds follows from the theorem. What fails is shown on two neighbours, which the ordinary checker decides.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.decision import near_integer
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter, exact
from dpverify.mechanisms.numbers.integers.parameters import positive, share, whole
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import number_of
from dpverify.mechanisms.selection.choosing import (
    choosing_mechanism,
    choosing_with_enough_rows,
    rows_needed,
    rows_needed_journal,
)
from dpverify.verifiers.all_sizes.claimed_shares import ClaimedShares, PartOfDelta
from dpverify.verifiers.all_sizes.regions.domains import AnyGrowth, Endless
from dpverify.verifiers.all_sizes.regions.question import Pair
from dpverify.verifiers.divergence.every_epsilon.few_rows_sets import FewRowsSet
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.problems.questions.score_domains import OrMore

THEOREM_13: Final = (
    "Theorem 13 of docs/theorems.md, on the choosing mechanism: every quality of bounded growth, and every number of "
    "solutions"
)

NEEDED_WITH_ENOUGH_ROWS: Final = ((laplace, 1), (discrete_laplace, 2))
"""The multiple of its δ that the mechanism with enough rows needs at most, by its noise."""


class Chooses(NamedTuple):
    """The choosing mechanism on all qualities of so much growth: what decides on its δ."""

    noise: Noise
    epsilon: Exact
    threshold: Exact
    """T = αm/2."""
    growth: int

    def passes(self, best: int) -> Exact:
        """p(B): the probability that the test of step 1 is passed, of so large a best quality."""
        law = self.noise(4 / self.epsilon)
        return law.mass(ceil(self.threshold) - best if law.discrete else self.threshold - best, None)

    @property
    def bound(self) -> Exact:
        """k·p(1): no more is needed of δ, by (a) of the theorem."""
        return self.growth * self.passes(1)

    def new_ones(self, best: int, raised: int) -> Exact:
        """The probability that one of so many new solutions, of quality 1, is chosen beside one that has the best."""
        ratio = exp(self.epsilon / 4)
        return self.passes(best) * raised * ratio / (raised * ratio + ratio**best)

    def worst_best(self) -> int:
        """A whole B ≥ 1 for which `new_ones`, of as many as a row raises, is largest. Raises `InputError` of a symbol.

        It rises with B and then falls.
        """
        best = max(1, near_integer(self.threshold + 2 / self.epsilon * log(1 + self.growth)))
        found = self.new_ones(best, self.growth)
        for step in (1, -1):
            while best + step >= 1 and (other := self.new_ones(best + step, self.growth)) > found:
                best, found = best + step, other
        return best

    @property
    def supremum(self) -> Exact:
        """By (b) of the theorem: no more is needed of δ, for any number of solutions."""
        return max(self.passes(1), self.new_ones(self.worst_best(), self.growth))


def fewest_rows(question: Question, domain: AnyGrowth) -> Mapping[str, Any]:
    """The arguments of the choosing mechanism on the fewest rows of a domain, which need most.

    Raises `InputError` as the mechanism does.
    """
    given, rows = question.arguments, question.arguments["rows"]
    m = rows.least if isinstance(rows, OrMore) else whole(rows, "rows", 1)
    return {**given, "rows": m, "growth": domain.domain.growth}


class RowsOfTheJournal(NamedTuple):
    """Theorem 13 on the rows of the journal's lemma, growth 1: where they are too few for (ε, δ)."""

    failing: FewRowsSet
    theorem: str = THEOREM_13

    def holds(self, _: ClaimedShares) -> bool:
        """Not known of any claim."""
        return False

    def fails_in(self, claimed: ClaimedShares) -> FewRowsSet | None:
        """The set, of the claim for all ε and δ."""
        symbol = claimed.epsilon.symbol
        if not claimed.is_plain or symbol is None or claimed.epsilon is not number_of(symbol):
            return None
        return self.failing


def needed_with_enough_rows(question: Question, domain: Endless) -> PartOfDelta | RowsOfTheJournal | None:
    """The answer of (c) on the mechanism with enough rows; None where it has none. Raises as that does."""
    assert isinstance(domain, AnyGrowth)
    given, bound, growth = question.arguments, question.arguments.get("needed"), domain.domain.growth
    part = next((each for known, each in NEEDED_WITH_ENOUGH_ROWS if given.get("noise", laplace) is known), None)
    if part is None or whole(given["growth"], "growth", 1) < growth:
        return None
    alpha = as_parameter(share(given["alpha"], "alpha"))
    if bound is None or bound is rows_needed:
        return PartOfDelta(THEOREM_13, Fraction(part))
    if not isinstance(bound, partial) or bound.func is not rows_needed_journal or bound.args or len(bound.keywords) > 1:
        return None
    beta = as_parameter(exact(bound.keywords["beta"]))
    if not isinstance(alpha, int | Fraction) or not isinstance(beta, int | Fraction):
        return None
    if given.get("noise", laplace) is not laplace or given["growth"] != 1 or domain.domain.fewest_rows > 1:
        return None
    return (
        RowsOfTheJournal(FewRowsSet(Fraction(alpha), Fraction(beta)))
        if isinstance(domain.domain.given_rows, OrMore)
        else None
    )


def some_growing_pairs(domain: AnyGrowth, rows: int, bests: Sequence[int]) -> Iterator[Pair]:
    """Neighbours on so many rows of which the first has new solutions of quality 1, beside one of these qualities."""
    growth = domain.domain.growth
    for solutions in numbers_of_solutions(domain):
        nothing = (0,) * solutions
        yield (1, *nothing[1:]), nothing
        raised = min(growth, solutions - 1)
        for best in dict.fromkeys(min(max(best, 1), rows - 1) for best in bests):
            if raised and best >= 1:
                rest = nothing[raised + 1 :]
                yield (best, *(1,) * raised, *rest), (best, *nothing[1:])


def numbers_of_solutions(domain: AnyGrowth) -> tuple[int, ...]:
    """The numbers of solutions that stand for all: that of the domain, and as many as a row raises and one."""
    fewest = domain.domain.fewest_solutions
    if not isinstance(domain.domain.given_solutions, OrMore):
        return (fewest,)
    return tuple(dict.fromkeys((fewest, max(fewest, domain.domain.growth + 1))))


def rows_tried(question: Question, domain: AnyGrowth) -> tuple[int, ...]:
    """Numbers of rows at which a claim with numbers is tried: as many as the mechanism asks for, or the fewest."""
    given, fewest = question.arguments, domain.domain.fewest_rows
    if not isinstance(domain.domain.given_rows, OrMore):
        return (fewest,)
    if question.mechanism is choosing_with_enough_rows:
        bound = given.get("needed") or rows_needed
        names = ("growth", "alpha", "epsilon", "delta")
        return (max(fewest, bound(**{name: given[name] for name in names})),)
    return (fewest,) if question.mechanism is choosing_mechanism else (fewest, fewest + 3, fewest + 20)


def suspects_on_growth(question: Question, domain: AnyGrowth) -> Iterator[Question]:
    """A claim with numbers on two neighbours, by turns, on which it may fail. Raises as the mechanism does."""
    for rows in rows_tried(question, domain):
        given: dict[str, Any] = dict(question.arguments)
        if "rows" in given:
            given["rows"] = rows
        bests: Sequence[int] = (1, 2, 3, 5, 8)
        if question.mechanism in (choosing_mechanism, choosing_with_enough_rows):
            epsilon, growth = positive(given["epsilon"], "epsilon"), domain.domain.growth
            best = Chooses(laplace, epsilon, share(given["alpha"], "alpha") * rows / 2, growth).worst_best()
            bests = (1, 2, best - 1, best, best + 1)
        for pair in some_growing_pairs(domain, rows, bests):
            yield question.of_two(pair, given)


_NUMBERS: Final = ("1", "1/4", "3", "8", "32", "128", "1/32")
SOME_EPSILON_OF_GROWTH: Final = tuple(exact(text) for text in _NUMBERS)
"""Values of ε at which a claim for every ε is tried to be refuted: where ε is large few rows are asked for."""

SOME_DELTA_OF_GROWTH: Final = tuple(exact(Fraction(1, n)) for n in (10, 2, 1000))
