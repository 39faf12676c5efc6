"""A mutant on the pairs where its claim comes nearest to failing: few of them refute most mutants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.reports.record import Status
from dpverify.verifiers.deciding.deciding import status_on
from dpverify.verifiers.densities import curve
from dpverify.verifiers.experiments.experiment import Experiment
from dpverify.verifiers.finite.ratios import largest_ratios
from dpverify.verifiers.questions.question import Question
from dpverify.verifiers.verdicts.compared_laws import Laws
from dpverify.verifiers.verdicts.verdict import Verdict

_SPREAD: Final = 4
"""How many pairs are tried, spread over the domain, where nothing is known of any."""


def refuted_nearby(question: Question, verdict: Verdict) -> bool:
    """True where a few pairs of a domain refute a claim for another mechanism, `verdict` being that on the claim's own.

    They refute it on the whole domain then. False says nothing of it, also where the mechanism raises on them.
    """
    if verdict.basis.experiment is None:
        return False
    try:
        few = on_few_pairs(verdict.basis.experiment, verdict)
        experiment = replace(few, question=question.of_others(few.question.domain, few.question.neighbours))
        return status_on(experiment) is Status.REFUTED
    except (InputError, Undecided):  # which the whole domain words with the database that comes first
        return False


def on_few_pairs(experiment: Experiment, verdict: Verdict) -> Experiment:
    """The experiment on the pairs alone where it comes nearest to failing, each in both directions."""
    return experiment.of_pairs(nearest_pairs(experiment, verdict))


def nearest_pairs(experiment: Experiment, verdict: Verdict) -> tuple[int, ...]:
    """The positions of the pairs to try among those of the domain: the worst one, and one with the largest ratio."""
    return tuple(_positions(experiment, verdict))


def _positions(experiment: Experiment, verdict: Verdict) -> Iterator[int]:
    laws, pairs = verdict.basis.laws, experiment.pairs
    if laws is None or not laws.distinct_pairs:
        yield from range(0, pairs.count, max(1, pairs.count // _SPREAD))
        return
    if verdict.basis.worst is not None:
        place = {database: i for i, database in enumerate(experiment.databases)}
        left, right = (place[database] for database in verdict.basis.worst)
        yield pairs.place(left, right)
    yield pairs.place(*laws.compared.first(np.array([_of_largest_ratio(laws)])))


def _of_largest_ratio(laws: Laws) -> int:
    """What a pair of laws with the largest ratio is known by, as far as floats tell."""
    if laws.densities is not None:
        return int(np.argmax(curve.largest_density_ratios(laws.densities)))
    largest, found = -1.0, 0
    for names, left, right in laws.compared.blocks():
        ratios = largest_ratios(laws.table, left, right)
        if len(ratios) and ratios.max() > largest:
            largest, found = float(ratios.max()), int(names[np.argmax(ratios)])
    return found
