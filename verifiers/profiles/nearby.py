"""A mutant, or a share of the noise, on the pairs where the claim comes nearest to failing: few of them refute most."""

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.reports.record import Status
from dpverify.verifiers.deciding.deciding import status_on
from dpverify.verifiers.divergence.finite.ratios import largest_ratios
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.verdicts.compared_distributions import Laws
from dpverify.verifiers.verdicts.verdict import Refuted, Verdict

_SPREAD: Final = 4
"""Number of pairs tried, spread over the domain, where nothing is known of any."""


def refuted_nearby(question: Question, verdict: Verdict) -> bool:
    """True where a few pairs of a domain refute a claim for another mechanism, `verdict` being that on the claim's own.

    They refute it on the whole domain then. False says nothing of it, also where the mechanism raises on them.
    """
    experiment = verdict.basis.experiment
    if experiment is None:
        return False
    few = experiment.of_pairs(nearest_pairs(experiment, verdict))
    return _fails_on(replace(few, question=question.of_others(few.question.domain, few.question.neighbours)))


def refuted_on(experiment: Experiment, chosen: tuple[int, ...]) -> bool:
    """True where the pairs at these positions refute a claim; they refute it on the whole domain then.

    False says nothing of that. It is so, too, where they are all of its pairs, which would be decided twice.
    """
    return not are_all(experiment, chosen) and _fails_on(experiment.of_pairs(chosen))


def are_all(experiment: Experiment, chosen: tuple[int, ...]) -> bool:
    """True where the pairs at these positions, each in both directions, are all of a domain."""
    return 2 * len(set(chosen)) >= experiment.pairs.count


def _fails_on(few: Experiment) -> bool:
    try:
        return status_on(few) is Status.REFUTED
    except (InputError, Undecided):  # which the whole domain words with the database that comes first
        return False


def nearest_pairs(experiment: Experiment, verdict: Verdict) -> tuple[int, ...]:
    """The positions of the pairs to try among those of the domain: the worst one, and one with the largest ratio."""
    return tuple(_positions(experiment, verdict))


def violating_pair(experiment: Experiment, verdict: Refuted) -> int:
    """The position of the pair on which a claim was refuted by most, or for every ε of that which is its witness."""
    return _position(experiment, verdict.basis.worst or (verdict.witness.left, verdict.witness.right))


def _positions(experiment: Experiment, verdict: Verdict) -> Iterator[int]:
    laws, pairs = verdict.basis.laws, experiment.pairs
    if laws is None or not laws.distinct_pairs:
        yield from range(0, pairs.count, max(1, pairs.count // _SPREAD))
        return
    if verdict.basis.worst is not None:
        yield _position(experiment, verdict.basis.worst)
    yield pairs.place(*laws.compared.first(np.array([_of_largest_ratio(laws)])))


def _position(experiment: Experiment, pair: tuple[Hashable, Hashable]) -> int:
    place = {database: i for i, database in enumerate(experiment.databases)}
    left, right = (place[database] for database in pair)
    return experiment.pairs.place(left, right)


def _of_largest_ratio(laws: Laws) -> int:
    """The id of a pair of distributions with the largest ratio, as far as floats tell."""
    if laws.densities is not None:
        from dpverify.verifiers.divergence.densities import curve

        return int(np.argmax(curve.largest_density_ratios(laws.densities)))
    largest, number = -1.0, 0
    for names, left, right in laws.compared.blocks():
        ratios = largest_ratios(laws.table, left, right)
        if len(ratios) and ratios.max() > largest:
            largest, number = float(ratios.max()), int(names[np.argmax(ratios)])
    return number
