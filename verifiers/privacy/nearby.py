"""A mutant on the pairs where its claim comes nearest to failing: few of them refute most mutants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from dpverify.mechanisms.exact.errors import InputError, Undecided
from dpverify.mechanisms.exact.exact_numbers import ExactLike
from dpverify.mechanisms.laws.mechanism import Mechanism
from dpverify.reports.record import Status
from dpverify.verifiers.privacy.case import Case, Laws, never_repeated, parameters_for, privacy_guarantee
from dpverify.verifiers.privacy.checker import decided_case
from dpverify.verifiers.privacy.densities import curve
from dpverify.verifiers.privacy.domains import Listed
from dpverify.verifiers.privacy.pairs import NeighbouringPairs
from dpverify.verifiers.privacy.ratios import largest_ratios
from dpverify.verifiers.privacy.verdict import Verdict

_SPREAD: Final = 4
"""How many pairs are tried, spread over the domain, where nothing is known of any."""


def refuted_nearby(
    mechanism: Mechanism,
    verdict: Verdict,
    *,
    epsilon: ExactLike,
    delta: ExactLike,
    parameters: Mapping[str, Any],
) -> bool:
    """Whether a few pairs of a claim's domain refute it for another mechanism, `verdict` being that on the claim's own.

    They refute it on the whole domain then. False says nothing of it, also where the mechanism raises on them.
    """
    case = verdict.basis.case
    if case is None:
        return False
    claim = privacy_guarantee(epsilon, delta)
    try:
        given = parameters_for(mechanism, claim._asdict(), parameters)
        nearby = replace(on_few_pairs(case, verdict), mechanism=mechanism, parameters=given)
        return decided_case(nearby, claim).status is Status.REFUTED
    except (InputError, Undecided):  # which the whole domain words with the database that comes first
        return False


def on_few_pairs(case: Case, verdict: Verdict) -> Case:
    """The case with the pairs alone where it comes nearest to failing, each in both directions; nothing is repeated."""
    return on_pairs(case, nearest_pairs(case, verdict))


def on_pairs(case: Case, chosen: Sequence[int]) -> Case:
    """The case with the pairs at these positions alone, each in both directions; nothing is repeated."""
    sides = [case.pairs.at(i) for i in chosen]
    places = sorted({place for side in sides for place in side})
    databases = [case.databases[place] for place in places]
    left, right = np.searchsorted(places, np.array(sides).T)
    codes = np.concatenate([left * len(places) + right, right * len(places) + left])
    pairs = NeighbouringPairs.listed(codes, len(places))
    return replace(
        case, databases=databases, domain=Listed(databases, databases), pairs=pairs, repeating=never_repeated
    )


def nearest_pairs(case: Case, verdict: Verdict) -> tuple[int, ...]:
    """Where the pairs to try are among those of the domain: the worst one, and one with the largest ratio."""
    return tuple(_positions(case, verdict))


def _positions(case: Case, verdict: Verdict) -> Iterator[int]:
    basis, laws, pairs = verdict.basis, verdict.basis.laws, case.pairs
    if laws is None or not laws.distinct_pairs:
        yield from range(0, pairs.count, max(1, pairs.count // _SPREAD))
        return
    if basis.worst is not None:
        place = {database: i for i, database in enumerate(case.databases)}
        left, right = (place[database] for database in basis.worst)
        yield pairs.place(left, right)
    yield pairs.place(*laws.compared.first(np.array([_of_largest_ratio(laws)])))


def _of_largest_ratio(laws: Laws) -> int:
    """What a pair of laws with the largest ratio is known by, as far as floats tell."""
    if laws.densities is not None:
        return int(np.argmax(curve.largest_ratios(laws.densities)))
    largest, found = -1.0, 0
    for names, left, right in laws.compared.blocks():
        ratios = largest_ratios(laws.table, left, right)
        if len(ratios) and ratios.max() > largest:
            largest, found = float(ratios.max()), int(names[np.argmax(ratios)])
    return found
