"""The exact ε of a proved claim, size by size: where it still grows, a larger domain may need more."""

from itertools import pairwise
from typing import Final

import numpy as np

from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import Exact, ordering, product
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.reports.numbers import equal_to
from dpverify.verifiers.divergence.finite.ratios import LargestRatio
from dpverify.verifiers.divergence.output_tables.enclosed import enclosed
from dpverify.verifiers.divergence.output_tables.parts import pairs_in_parts
from dpverify.verifiers.problems.neighbours.compared import Compared
from dpverify.verifiers.problems.neighbours.pairs import NeighbouringPairs
from dpverify.verifiers.problems.questions.moves import Shifts, moves_of
from dpverify.verifiers.verdicts.compared_distributions import Laws
from dpverify.verifiers.verdicts.verdict import Proved, Verdict, VerdictBasis

_MOST_PAIRS: Final = 100_000
"""Pairs of databases of which the ratios are looked through a second time."""

_SHOWN: Final = 3
"""The last sizes that are named."""


def growth_by_size(verdict: Verdict) -> str:
    """The growth of ε with the size, as "ε = 1/2 at n = 2, 3/4 at n = 3", of a pure claim that is PROVED.

    The size of a pair is that of its larger database; of vectors of scores, their number. Empty where ε does not grow
    from each size to the next, where the databases have one size, and where it is not known.
    """
    basis = verdict.basis
    experiment, laws = basis.experiment, basis.laws
    if (
        not isinstance(verdict, Proved)
        or verdict.epsilon is None
        or experiment is None
        or experiment.orbits is not None
    ):
        return ""
    if laws is None or laws.densities is not None or experiment.pairs.count > _MOST_PAIRS:
        return ""
    if verdict.delta is None or verdict.delta.upper != 0 or not all(type(one) is tuple for one in experiment.databases):
        return ""
    sizes = np.array([len(database) for database in experiment.databases if isinstance(database, tuple)])
    if len({*sizes.tolist()}) <= 1:
        return ""
    try:
        ratios = _ratios(basis, laws, sizes)
        if len(ratios) < 2 or not all(_is_less(one, other) for one, other in pairwise(ratios.values())):
            return ""
        known = [(size, enclosed(log(simplified(p / q)))) for size, (p, q) in list(ratios.items())[-_SHOWN:]]
    except Undecided:
        return ""
    of_scores = isinstance(moves_of(experiment.question.neighbours), Shifts)
    told = [equal_to(found.quantity) for _, found in known]
    signed = [one if one[0] != before[0] else one[2:] for before, one in pairwise([" ", *told])]
    places = [f"{size} scores" if of_scores else f"n = {size}" for size, _ in known]
    return "ε " + ", ".join(f"{number} at {place}" for number, place in zip(signed, places, strict=True))


def _ratios(basis: VerdictBasis, laws: Laws, sizes: np.ndarray) -> dict[int, tuple[Exact, Exact]]:
    """Size → p and q with the largest ratio among pairs of that size."""
    assert basis.experiment is not None
    pairs, databases = basis.experiment.pairs, len(sizes)
    left, right = pairs.left.astype(np.int64), pairs.right.astype(np.int64)
    of_pair = np.maximum(sizes[left], sizes[right])
    results = {}
    for size in sorted({*of_pair.tolist()}):  # np.unique loads numpy.ma, which takes 20 ms
        chosen = of_pair == size
        of_size = NeighbouringPairs.listed(left[chosen] * databases + right[chosen], databases)
        largest = LargestRatio(laws.table)
        for _, one, other in Compared(laws.table.law_of, len(laws.table.rows), of_size).blocks():
            for part in pairs_in_parts(laws.table, one, other):
                largest.add_part(part, laws.table.blocks)
        if largest.found is None or largest.slack:
            return {}
        results[size] = largest.found
    return results


def _is_less(one: tuple[Exact, Exact], other: tuple[Exact, Exact]) -> bool:
    """p/q < p′/q′."""
    return ordering(product((one[0], other[1])), product((other[0], one[1]))) < 0
