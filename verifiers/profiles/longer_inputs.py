"""The cost of longer inputs, measured on the worst pairs that a beam search finds: steps, and no verdict.

That the exact ε is larger for three queries than for two is so of every sparse vector, right or wrong: of a right one
the steps shrink. What is found speaks of the lengths that were looked at, and of this family of pairs. Neither a bound
nor that there is none follows from finitely many lengths: steps can shrink and have no limit, and be constant up to a
cut.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dpverify.mechanisms.functions.limits import Limits, checked_limits
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ExactLike
from dpverify.mechanisms.numbers.shown import shown
from dpverify.verifiers.deciding.deciding import decided_on
from dpverify.verifiers.divergence.finite.hockey_stick import HockeyStick
from dpverify.verifiers.divergence.finite.ratios import largest_ratios
from dpverify.verifiers.divergence.output_tables.distribution_table import DistributionTable, Floats
from dpverify.verifiers.divergence.output_tables.enclosed import Enclosed
from dpverify.verifiers.divergence.output_tables.lumping import lumped
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids
from dpverify.verifiers.problems.neighbours.pairs import Sides
from dpverify.verifiers.problems.preparation.experiment import prepared, prepared_in_full
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee, Question, no_neighbours, privacy_guarantee
from dpverify.verifiers.processes.workplace import HERE, Workplace
from dpverify.verifiers.verdicts.compared_distributions import tabulated

if TYPE_CHECKING:
    from dpverify.verifiers.divergence.densities.comparison import Densities

Letter: TypeAlias = Any
Word: TypeAlias = tuple[Letter, ...]

Words: TypeAlias = tuple[Word, Word]
"""A pair of inputs of one length."""


def at_most_1_apart(a: Any, b: Any) -> bool:
    """True where two scores differ by at most 1, as those of neighbouring databases by queries of sensitivity 1."""
    return bool(abs(a - b) <= 1)


@dataclass(frozen=True)
class LongerInputs:
    """Pairs of sequences of one length, of which every two letters in one place are such as `may_differ` allows.

    The worst are looked for by a beam search: each of the worst `beam` pairs of a length is made longer by each pair of
    letters, before it and behind it. Raises `InputError` without letters or lengths, for a length below 1, and for a
    beam of less than 1.
    """

    letters: Sequence[Letter]
    lengths: Sequence[int]
    may_differ: Callable[[Letter, Letter], bool] = at_most_1_apart
    beam: int = 8

    def __post_init__(self) -> None:
        if not self.letters:
            raise InputError(bad_input.IS_EMPTY, "letters", "value that inputs are made of")
        if not self.lengths or not all(isinstance(n, int) and n >= 1 for n in self.lengths):
            raise InputError(bad_input.NOT_WHOLE, f"a member of lengths={shown(self.lengths)}", " ≥ 1")
        if not isinstance(self.beam, int) or self.beam < 1:
            raise InputError(bad_input.NOT_WHOLE, f"beam={shown(self.beam)}", " ≥ 1")

    @property
    def pairs_of_letters(self) -> list[tuple[Letter, Letter]]:
        """Those that may stand in one place."""
        return [(a, b) for a in self.letters for b in self.letters if self.may_differ(a, b)]


class WorstPair(NamedTuple):
    """The worst pair found of a length, and the exact ε that it needs, or its worst δ; None for an infinite ε."""

    length: int
    left: Word
    right: Word
    found: Enclosed | None


def worst_pairs(
    mechanism: Mechanism,
    domain: LongerInputs,
    *,
    epsilon: ExactLike,
    delta: ExactLike = 0,
    parameters: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
) -> list[WorstPair]:
    """The worst pair found of each length: by its exact ε where `delta` is 0, else by its worst δ at `epsilon`.

    Floats choose which pairs are made longer; what is said of a pair is exact. Raises `InputError` as `check_privacy`.
    """
    given = {} if parameters is None else parameters
    claimed = privacy_guarantee(epsilon, delta)
    return worst_pairs_of(Question(mechanism, (), no_neighbours, claimed, given, checked_limits(limits)), domain)


def worst_pairs_of(question: Question, inputs: LongerInputs, where: Workplace = HERE) -> list[WorstPair]:
    """As `worst_pairs`, of a question on whatever domain."""
    results: list[WorstPair] = []
    beam: list[Words] = [((), ())]
    for length in range(1, max(inputs.lengths) + 1):
        longer = _made_longer(beam, inputs.pairs_of_letters)
        beam = _worst(question, longer, inputs.beam, where)
        if length in inputs.lengths:
            results.append(WorstPair(length, *beam[0], _exactly(question, beam[0])))
    return results


def _made_longer(beam: Iterable[Words], letters: Iterable[tuple[Letter, Letter]]) -> list[Words]:
    """The pairs with each pair of letters before and behind them, of which one and its mirror image count once."""
    results: dict[Words, None] = {}
    for (left, right), (a, b) in product(beam, letters):
        for pair in (((*left, a), (*right, b)), ((a, *left), (b, *right))):
            if pair[::-1] not in results:
                results[pair] = None
    return list(results)


def _worst(question: Question, pairs: Sequence[Words], count: int, where: Workplace) -> list[Words]:
    """So many of the pairs, the worst first, as far as floats tell; of equal ones those that come first."""
    words: list[Hashable] = list(dict.fromkeys(word for pair in pairs for word in pair))
    # the distributions alone are asked for, and any neighbour will do
    on_words = question.of_others(words, lambda word: words[:1])
    laws = tabulated(prepared_in_full(on_words, never_repeated, where))
    claim = question.claim
    place = {word: i for i, word in enumerate(words)}
    left, right = (np.array([place[pair[side]] for pair in pairs]) for side in (0, 1))
    if laws.densities is None:
        left, right = laws.table.law_of[left], laws.table.law_of[right]
        badness = np.maximum(_badness(laws.table, left, right, claim), _badness(laws.table, right, left, claim))
    else:
        from dpverify.verifiers.divergence.densities.comparison import Densities

        compared = Sides(np.concatenate([left, right]), np.concatenate([right, left]))
        densities = Densities(lumped(laws.tabulation.laws, question.limits, 1), compared)
        both_ways = _badness_of_densities(densities, claim).reshape(2, -1)
        badness = both_ways.max(axis=0)
    return [pairs[i] for i in np.argsort(-badness, kind="stable")[:count]]


def _badness(table: DistributionTable, left: Ids, right: Ids, claim: PrivacyGuarantee) -> Floats:
    if claim.delta is ZERO:
        return largest_ratios(table, left, right)
    return HockeyStick(table, left, right, claim.epsilon).sums


def _badness_of_densities(densities: Densities, claim: PrivacyGuarantee) -> Floats:
    """The badness of each pair of databases."""
    if claim.delta is ZERO:
        from dpverify.verifiers.divergence.densities import curve

        of_class = curve.largest_density_ratios(densities)
    else:
        result = densities.at(claim.epsilon)
        of_class = HockeyStick(result.table, result.left, result.right, claim.epsilon, result.missing).sums
    return np.where(densities.of_pair < 0, 0.0, np.append(of_class, 0.0)[densities.of_pair])


def _exactly(question: Question, pair: Words) -> Enclosed | None:
    verdict = decided_on(prepared(question.of_two(pair), never_repeated))
    return verdict.epsilon if question.claim.delta is ZERO else verdict.delta


NeedTrend = Literal["", "none", "constant", "shrinking", "growing", "uneven", "infinite"]

_LAST: Final = 3
"""Number of the last steps that tell the trend."""

_ALIKE: Final = 0.1
"""Steps that differ by no more than this part of the largest count as constant."""


def trend(found: Sequence[Exact | None]) -> NeedTrend:
    """The trend of the last steps between numbers found at rising sizes; empty for fewer than two steps.

    It describes what was measured, and floats are enough for that.
    """
    if any(number is None for number in found):
        return "infinite"
    values = [float(enclosure(number)) for number in found if number is not None]
    steps = [after - before for before, after in pairwise(values)][-_LAST:]
    if len(steps) < 2:
        return ""
    largest = max(map(abs, steps))
    if largest == 0:
        return "none"
    if max(steps) - min(steps) <= _ALIKE * largest:
        return "constant"
    if all(after < before for before, after in pairwise(steps)):
        return "shrinking"
    return "growing" if all(after > before for before, after in pairwise(steps)) else "uneven"
