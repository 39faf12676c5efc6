"""Cells of a model's distribution: of finitely many outcomes, merged in their order, or the commonest first."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import Any, Final

from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, total
from dpverify.mechanisms.numbers.shown import cut, shown
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.verifiers.blackbox.sampling.cells import EXPECTED, IMPOSSIBLE, MOST_CELLS, DistributionCells, about
from dpverify.verifiers.blackbox.sampling.lattices import is_dyadic, nearest_rounded
from dpverify.verifiers.blackbox.sampling.number_cells import cells_of_numbers
from dpverify.verifiers.blackbox.sampling.outcomes import Outcomes, objects


def cells_of(law: Distribution[Any], draws: int) -> DistributionCells:
    """The cells of a law for so many draws. Raises `InputError` where it releases more than one number with noise."""
    if isinstance(law, ReleasedDistribution):
        return cells_of_numbers(law, draws)
    return _cells_of_outcomes(law.probabilities, draws)


def _cells_of_outcomes(probabilities: Mapping[Any, Exact], draws: int) -> DistributionCells:
    ordered = all(isinstance(outcome, int | Fraction) for outcome in probabilities)
    possible = {outcome: p for outcome, p in probabilities.items() if p != 0}
    rising = sorted(possible) if ordered else sorted(possible, key=lambda one: (-about(possible[one]), repr(one)))
    cells = _merged([((outcome,), possible[outcome]) for outcome in rising], draws)
    place = {outcome: i for i, (outcomes, _) in enumerate(cells) for outcome in outcomes}
    in_halves = not ordered or all(map(is_dyadic, map(Fraction, rising)))

    def counts(outcomes: Outcomes) -> list[int]:
        results = [0] * (len(cells) + 1)
        for outcome, times in Counter(objects(outcomes)).items():
            meant = outcome if in_halves or outcome in place else nearest_rounded(outcome, rising)
            results[place.get(meant, len(cells))] += times
        return results

    names = [cut(" or ".join(map(shown, outcomes)), _LONGEST) for outcomes, _ in cells]
    return DistributionCells([*names, IMPOSSIBLE], [*(p for _, p in cells), ZERO], counts, ordered)


_LONGEST: Final = 120


_Cell = tuple[tuple[Hashable, ...], Exact]


def _merged(outcomes: Sequence[_Cell], draws: int) -> list[_Cell]:
    """Rare neighbours together, until there are few cells: none with one that is not rare, which would hide it."""
    least = EXPECTED / draws
    while len(cells := _merged_from(outcomes, least)) > MOST_CELLS:
        least *= 5 / 4
    return cells


def _merged_from(outcomes: Sequence[_Cell], least: float) -> list[_Cell]:
    cells: list[_Cell] = []
    size = inf
    for names, p in outcomes:
        share = about(p)
        if size < least and (share < least or least > _COARSE):
            cells[-1] = (*cells[-1][0], *names), total([cells[-1][1], p])
            size += share
        else:
            cells.append((names, p))
            size = share
    return cells


_COARSE: Final = 1 / 100
"""Cells that large may hold what is rare beside what is not: so many outcomes cannot all stand alone."""
