"""The laws of many databases at once, of mechanisms that say what they score.

Such a mechanism (`Selection`, and the rules of selection themselves on score vectors) goes by the differences of scores
alone. The law of its rule is computed once for every pattern of differences that occurs, by the rule itself, and its
probabilities are put where the scores of a database say.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Generic, NamedTuple, TypeVar

import numpy as np

from dpverify.mechanisms.counting.tallies import CountScore
from dpverify.mechanisms.drawing.distribution_so_far import ScoredDistribution
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.functions.watching import Running
from dpverify.mechanisms.numbers.errors import Interruption
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.integers.whole_numbers import WHOLE
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.scored import Chooser, RationalScore
from dpverify.verifiers.divergence.output_tables.counted_rows import row_counts
from dpverify.verifiers.divergence.output_tables.distribution_table import (
    DistributionArray,
    MadeItems,
    codes_of,
    is_zero,
)
from dpverify.verifiers.divergence.output_tables.scorings import Scoring, scoring_of
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids
from dpverify.verifiers.problems.preparation.answers import AnyDistribution
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.preparation.repetition import Restart

LARGEST_SCORE: Final = 2**60


_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Together(Generic[_Found]):
    """The laws of the databases, computed together with those of others."""

    laws: Sequence[_Found]
    differing: Callable[[Sequence[int]], Sequence[int]]
    """The others that have another law than the databases at these positions, one for each of them."""
    paths: int
    """Number of runs that would have computed the laws of the databases one by one."""
    has_scaled: bool = False
    """True where noise of a scale was drawn."""


def distributions_together(
    experiment: Experiment, enumeration: Enumeration, restart: Restart, others: Sequence[Hashable]
) -> Together[AnyDistribution] | None:
    """The laws on the databases of an experiment, and on others; None where its mechanism does not say what it scores.

    Nor where a score is no plain whole number, or some outcome is impossible: laws are then found one by one. Raises
    as the mechanism does where its quality function does.
    """
    question = experiment.question
    if scoring_of(question.mechanism, question.arguments) is None:
        return None
    with enumeration.looking_out(question.mechanism, question.arguments):
        scoring = scoring_of(enumeration.in_its_form(question.mechanism), question.arguments)
        return None if scoring is None else _together(scoring, experiment, enumeration, restart, others)


def _together(
    scoring: Scoring, experiment: Experiment, enumeration: Enumeration, restart: Restart, others: Sequence[Hashable]
) -> Together[AnyDistribution] | None:
    question, databases = experiment.question, [*experiment.run_on, *others]
    numbers = _scores(scoring, databases, question.mechanism, enumeration, restart)
    if numbers is None or len(numbers.solutions) > enumeration.limits.outcomes:
        return None
    numbers = numbers._replace(solutions=[*map(enumeration.users, numbers.solutions)])

    def law_of(scores: Any, place: int) -> AnyDistribution:
        restart(databases[place])
        return enumeration.law(scoring.rule, (scores,), question.arguments)

    laws = _distributions(numbers, law_of, in_any_order=scoring.in_any_order)
    if laws is None:
        return None
    count = len(experiment.run_on)
    places = laws.places

    def differing(positions: Sequence[int]) -> Sequence[int]:
        of_databases = places[np.array(positions, dtype=np.int64)]
        numbers: list[int] = np.flatnonzero((of_databases != places[count:]).any(axis=1)).tolist()
        return numbers

    return Together(DistributionArray(laws.outcomes, laws.numbers, places[:count]), differing, paths=count)


class _Scored(NamedTuple):
    """The solutions, and the score of each on each database."""

    solutions: Sequence[Hashable]
    scores: Ids


def _scores(
    scoring: Scoring, databases: Sequence[Any], mechanism: Mechanism, enumeration: Enumeration, restart: Restart
) -> _Scored | None:
    rows: Sequence[Any]
    if scoring.selection is None:
        rows = databases
        if set(map(type, rows)) != {tuple} or len(set(map(len, rows))) != 1 or not rows[0]:
            return None
        solutions: Sequence[Hashable] = range(len(rows[0]))
    else:
        solutions, rows = scoring.selection.solutions, []
        at_once = _scores_of_counts(scoring, solutions, databases, mechanism, enumeration, restart)
        if at_once is not None:
            return _Scored(solutions, at_once)
        for database in databases:
            restart(database)
            rows.append(enumeration.without_draw(mechanism, scoring.scores, database))
    return _scored(solutions, rows)


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
    chooser, scored = laws.chooser, _scored(laws.chooser.solutions, laws.scores)
    if scored is None:
        return list(map(_in_full, laws))
    by_number = chooser.among(range(len(chooser.solutions)))

    def law_of(scores: Any, _: int) -> AnyDistribution:
        if isinstance(scores, dict):
            return ScoredDistribution(chooser.among(tuple(scores)), tuple(scores.values()))
        return ScoredDistribution(by_number, scores)

    array = _distributions(scored, law_of, in_any_order=chooser.in_any_order)
    return array if array is not None and _are_those_of(laws, array) else list(map(_in_full, laws))


def _are_those_of(laws: ScoredDistributions, array: DistributionArray) -> bool:
    """True where an array has the laws of the chooser itself, on the last database of each pattern, or of very many.

    A guard against a chooser that goes by more than differences of scores, as a mutant of one may.
    """
    _, places = np.unique(codes_of(np.sort(array.places, axis=1), len(array.numbers))[::-1], return_index=True)
    most = size_of_sample("choices found together")
    step = -(-len(places) // max(1, most))
    chosen = (len(laws) - 1 - places[::step][:most]).tolist()
    return all(laws[i].probabilities == array[i].probabilities for i in chosen)


def _scores_of_counts(
    scoring: Scoring,
    solutions: Sequence[Hashable],
    databases: Sequence[Any],
    mechanism: Mechanism,
    enumeration: Enumeration,
    restart: Restart,
) -> Ids | None:
    """The scores by how often rows occur, of all databases of a block at once.

    None where they are not known so, for whatever reason: whoever takes the databases one by one will tell it.
    """
    quality = scoring.of_counts
    blocks = None if quality is None else row_counts(databases)
    if quality is None or blocks is None:
        return None
    scores = np.empty((len(databases), len(solutions)), dtype=np.int64)
    start = 0
    for rows in blocks:
        end = start + rows.databases
        for j, solution in enumerate(solutions):
            restart(databases[start])
            try:
                with Running():
                    result = quality.on(rows, solution)
            except (KeyboardInterrupt, Interruption):
                raise
            except BaseException:  # on some database, which need not be the first; a quality may raise anything
                return None
            if isinstance(result, CountScore):
                scores[start:end, j] = result.numbers
            elif type(result) in WHOLE and abs(result) <= LARGEST_SCORE:
                scores[start:end, j] = result
            else:
                return None
            if rows.failed or enumeration.calls.refused is not None:
                return None
        start = end
    return scores


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
