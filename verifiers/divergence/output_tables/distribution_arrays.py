"""The laws of many databases at once, of mechanisms that return choices by scores.

Such a choice goes by the differences of scores alone. Its law is computed once for every pattern of differences that
occurs, by the rule itself, and its probabilities are put where the scores of a database say.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from dpverify.mechanisms.drawing.distribution_so_far import ScoredDistribution
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.numbers.exact_numbers import Exact, total
from dpverify.mechanisms.numbers.integers.whole_numbers import WHOLE
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.scored import Chooser, RationalScore
from dpverify.verifiers.divergence.output_tables.distribution_table import (
    DistributionArray,
    MadeItems,
    codes_of,
    is_zero,
)
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids
from dpverify.verifiers.problems.preparation.answers import AnyDistribution

LARGEST_SCORE: Final = 2**60


_Found = TypeVar("_Found")


class _Scored(NamedTuple):
    """The solutions, and the score of each on each database."""

    solutions: Sequence[Hashable]
    scores: Ids


def _scored(solutions: Sequence[Hashable], rows: Sequence[Sequence[Any]] | Ids) -> _Scored | None:
    """The scores of all databases; None where one is no plain whole number."""
    if isinstance(rows, np.ndarray):
        return _Scored(solutions, rows)
    if not WHOLE.issuperset(map(type, chain.from_iterable(rows))):
        return None
    try:
        scores = np.array(rows, dtype=np.int64)
    except OverflowError:
        return None
    return _Scored(solutions, scores) if np.abs(scores).max() <= LARGEST_SCORE else None


class ScoredDistributions(MadeItems[AnyDistribution]):
    """Laws that are choices of one chooser: of each no more is held than its scores, as numbers or in an array."""

    def __init__(self, chooser: Chooser, scores: Sequence[Sequence[RationalScore]] | Ids) -> None:
        self.chooser = chooser
        self.scores = scores

    def __len__(self) -> int:
        return len(self.scores)

    def _one(self, index: int) -> AnyDistribution:
        scores = self.scores[index]
        return ScoredDistribution(self.chooser, tuple(scores.tolist()) if isinstance(scores, np.ndarray) else scores)


def held_distributions(laws: Iterable[AnyDistribution]) -> Sequence[AnyDistribution]:
    """The laws as they are found; where all are choices of one chooser, as `ScoredDistributions`."""
    if isinstance(laws, MadeItems):
        return laws
    chooser: Chooser | None = None
    scores: list[Sequence[RationalScore]] = []
    rest = iter(laws)
    for law in rest:
        chooser = law.chooser if chooser is None and type(law) is ScoredDistribution else chooser
        if type(law) is not ScoredDistribution or law.chooser is not chooser:
            before = () if chooser is None else ScoredDistributions(chooser, scores)
            return list(map(_in_full, chain(before, (law,), rest)))
        scores.append(law.scores)
    return [] if chooser is None else ScoredDistributions(chooser, scores)


def _in_full(law: AnyDistribution) -> AnyDistribution:
    """A law with its probabilities, which holds nothing else."""
    return Distribution.of_probabilities(law.probabilities) if type(law) is ScoredDistribution else law


def as_distribution_array(laws: Sequence[AnyDistribution]) -> Sequence[AnyDistribution]:
    """The laws as an array, where they are `ScoredDistributions` by whole scores; otherwise as they are."""
    if not isinstance(laws, ScoredDistributions):
        return laws
    solutions = laws.chooser.solutions
    if len(set(solutions)) < len(solutions):
        by_place = as_distribution_array(ScoredDistributions(laws.chooser.among(range(len(solutions))), laws.scores))
        merged = _merged(by_place, solutions) if isinstance(by_place, DistributionArray) else None
        return merged if merged is not None and _are_those_of(laws, merged) else [*map(_in_full, laws)]
    chooser, scored = laws.chooser, _scored(solutions, laws.scores)
    if scored is None:
        return list(map(_in_full, laws))
    by_number = chooser.among(range(len(chooser.solutions)))

    def law_of(scores: Any, _: int) -> AnyDistribution:
        if isinstance(scores, dict):
            return ScoredDistribution(chooser.among(tuple(scores)), tuple(scores.values()))
        return ScoredDistribution(by_number, scores)

    array = _distributions(scored, law_of, in_any_order=chooser.in_any_order)
    return array if array is not None and _are_those_of(laws, array) else list(map(_in_full, laws))


def _merged(by_place: DistributionArray, solutions: Sequence[Hashable]) -> DistributionArray:
    """The laws of the solutions at the places that are the outcomes, of which several may be equal."""
    columns: dict[Hashable, list[int]] = {}
    for column, place in enumerate(by_place.outcomes):
        columns.setdefault(solutions[place], []).append(column)  # type: ignore[call-overload]  # outcomes of `by_place` are places
    numbers, place_of = [*by_place.numbers], {number.serial: i for i, number in enumerate(by_place.numbers)}
    merged = []
    for among in columns.values():
        distinct, which = np.unique(by_place.places[:, among], axis=0, return_inverse=True)
        sums = [
            total([by_place.numbers[i] for i in row]) if len(row) > 1 else by_place.numbers[row[0]]
            for row in distinct.tolist()
        ]
        for number in sums:
            if place_of.setdefault(number.serial, len(numbers)) == len(numbers):
                numbers.append(number)
        merged.append(np.array([place_of[number.serial] for number in sums], dtype=np.int64)[which.ravel()])
    used, places = np.unique(np.stack(merged, axis=1), return_inverse=True)
    return DistributionArray(
        [*columns], [numbers[i] for i in used.tolist()], places.reshape(len(by_place), len(columns))
    )


def _are_those_of(laws: ScoredDistributions, array: DistributionArray) -> bool:
    """True where an array has the laws of the chooser itself, on the last database of each pattern, or of very many.

    A guard against a chooser that goes by more than differences of scores, as a mutant of one may.
    """
    _, places = np.unique(codes_of(np.sort(array.places, axis=1), len(array.numbers))[::-1], return_index=True)
    most = size_of_sample("choices found together")
    step = -(-len(places) // max(1, most))
    chosen = (len(laws) - 1 - places[::step][:most]).tolist()
    return all(laws[i].probabilities == array[i].probabilities for i in chosen)


def _distributions(
    scored: _Scored, law_of: Callable[[Any, int], AnyDistribution], *, in_any_order: bool
) -> DistributionArray | None:
    """The laws, by the pattern of the differences of a database's scores to the best one, `in_any_order` if it is so.

    `law_of` gives the law of the rule on scores, which are those of the database at a place.
    """
    solutions, scores = scored
    differences = scores - scores.max(axis=1, keepdims=True)
    order = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
    if in_any_order:
        order = np.argsort(-differences, axis=1, kind="stable")
    sorted_ = np.take_along_axis(differences, order, axis=1)
    least = int(sorted_.min())
    _, first, pattern = np.unique(codes_of(sorted_ - least, 1 - least), return_index=True, return_inverse=True)
    numbers: list[Exact] = []
    place_of: dict[int, int] = {}
    of_patterns = np.empty((len(first), scores.shape[1]), dtype=np.int64)
    for i, row in enumerate(sorted_[first].tolist()):
        law = law_of(tuple(row), first[i])
        if not law.is_finite or len(law.probabilities) < len(row):
            return None
        for j in range(len(row)):
            probability = law.probabilities[j]
            place = place_of.get(probability.serial)
            if place is None:
                if is_zero(probability):
                    return None
                place = place_of[probability.serial] = len(numbers)
                numbers.append(probability)
            of_patterns[i, j] = place
    places = np.empty_like(of_patterns, shape=scores.shape)
    np.put_along_axis(places, order, of_patterns[pattern], axis=1)
    quality = dict(zip(solutions, scores[0].tolist(), strict=True))
    listed = law_of(quality, 0).probabilities
    place_of_solution = {solution: j for j, solution in enumerate(solutions)}
    columns = [place_of_solution[outcome] for outcome in listed]
    if [numbers[place] for place in places[0, columns].tolist()] != list(listed.values()):
        return None  # the rule is not what it was taken for
    return DistributionArray([solutions[column] for column in columns], numbers, places[:, columns])
