"""The published table of DiPApprox, of its programs with Gaussian noise: each row is decided as it says, or further.

Rows are at ε = 1/2, δ = 1/100, but for one program at ε = 8, on one pair of inputs each, or on all pairs of inputs of zeros and ones. `seconds` are as
published, None where their tool gave up after 600. The least ε on these inputs is found besides; of what takes one
integral it was found in floats, by quadrature, too.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import erfc
from math import exp as float_exp
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.examples import in_one
from tests.outside.dipapprox import Queries, between_extremes, first_above, in_range, noisy_extreme

from dpverify.mechanisms import laplace
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy

PRIVATE, NOT = Status.PROVED, Status.REFUTED

EPSILON, DELTA = Fraction(1, 2), Fraction(1, 100)


class Row(NamedTuple):
    """A program on some inputs, the published label and time, and the least ε as a text of its first digits."""

    name: str
    program: Callable[..., Any]
    inputs: Sequence[Queries]
    label: Status
    seconds: float | None
    epsilon: str | None
    """None for ∞."""
    parameters: Mapping[str, Any] = MappingProxyType({})
    claimed: Fraction = EPSILON


def pair(size: int, place: int) -> Sequence[Queries]:
    """Zeros, and a one at a place."""
    return (0,) * size, tuple(int(i == place) for i in range(size))


def everything(size: int) -> Sequence[Queries]:
    return tuple(product((0, 1), repeat=size))


MIXED = {"of_threshold": laplace}
WITHOUT_NOISY_QUERIES = {"of_queries": None, "by": (1, 4)}
WITHOUT_NOISY_THRESHOLD = {"of_threshold": None, "by": (2, 2)}
LEAST = {"least": True}
EIGHT = Fraction(8)

ROWS = (
    Row("BelowThreshold 2", first_above, pair(2, 1), PRIVATE, 1.5, "0.098068"),
    Row("BelowThreshold 2, all", first_above, everything(2), PRIVATE, 1.7, "0.204742"),
    Row("BelowThreshold 2 from below, all", first_above, everything(2), PRIVATE, 1.7, "0.204742", {"below": True}),
    Row("BelowThreshold 5", first_above, pair(5, 4), PRIVATE, 6.1, "0.125736"),
    Row("MixOneBelowThreshold 2", first_above, pair(2, 1), PRIVATE, 2.9, None, MIXED),
    Row("MixOneBelowThreshold 2, all", first_above, everything(2), PRIVATE, 4.3, None, MIXED),
    Row("NonPrivBelowThresholdOne 5", first_above, pair(5, 4), NOT, 1.4, None, WITHOUT_NOISY_THRESHOLD, EIGHT),
    Row("NonPrivBelowThresholdOne 5, all", first_above, everything(5), NOT, 1.9, None, WITHOUT_NOISY_THRESHOLD, EIGHT),
    Row("NonPrivBelowThresholdOne 6, all", first_above, everything(6), NOT, 1.7, None, WITHOUT_NOISY_THRESHOLD, EIGHT),
    Row("NonPrivBelowThresholdTwo 3", first_above, ((-1, 1, 0), (0, 0, 1)), NOT, 1.3, None, WITHOUT_NOISY_QUERIES),
    Row("NonPrivBelowThresholdTwo 3, all", first_above, everything(3), NOT, 1.3, None, WITHOUT_NOISY_QUERIES),
    Row("NonPrivBelowThresholdTwo 6, all", first_above, everything(6), NOT, 1.3, None, WITHOUT_NOISY_QUERIES),
    Row("NoisyMaxGauss 2, all", noisy_extreme, everything(2), PRIVATE, 1.5, "0.282496"),
    Row("NoisyMaxGauss 3", noisy_extreme, pair(3, 1), PRIVATE, 1.8, "0.198042"),
    Row("NoisyMaxGauss 3, all", noisy_extreme, everything(3), PRIVATE, 3.8, "0.423606"),
    Row("NoisyMinGauss 3, all", noisy_extreme, everything(3), PRIVATE, 3.4, "0.423606", LEAST),
    Row("NoisyMaxGauss 4", noisy_extreme, pair(4, 3), PRIVATE, 40.1, "0.241704"),
    Row("NoisyMaxGauss 5", noisy_extreme, pair(5, 4), PRIVATE, None, "0.273719"),
    Row("mRange 1, all", in_range, everything(1), PRIVATE, 1.8, "0"),
    Row("mRange 2", in_range, pair(2, 1), PRIVATE, 169.1, "0"),
    Row("mRange 2, all", in_range, everything(2), PRIVATE, 351.8, "0"),
    Row("kminmax 3, all", between_extremes, everything(3), PRIVATE, 5.8, "0.025731"),
    Row("kminmax 4, all", between_extremes, everything(4), PRIVATE, 318.1, "0.515162"),
)

DEEP = (
    Row("BelowThreshold 5, all", first_above, everything(5), PRIVATE, 75.8, "0.441929"),
    Row("BelowThreshold 6, all", first_above, everything(6), PRIVATE, 260.0, "0.498406"),
    Row("BelowThreshold 25", first_above, pair(25, 24), PRIVATE, 434.1, "0.197803"),
    Row("MixOneBelowThreshold 5, all", first_above, everything(5), PRIVATE, 259.2, "0.435531", MIXED),
    Row("MixOneBelowThreshold 17", first_above, pair(17, 16), PRIVATE, 348.4, "0.210664", MIXED),
    Row("NoisyMaxGauss 4, all", noisy_extreme, everything(4), PRIVATE, None, "0.515162"),
    Row("NoisyMinGauss 4, all", noisy_extreme, everything(4), PRIVATE, None, "0.515162", LEAST),
    Row("mRange 3, all", in_range, everything(3), PRIVATE, None, "0"),
)
"""What takes longer, of which a smaller one is among those that are decided each time."""


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "row", [*ROWS, *(pytest.param(row, marks=pytest.mark.deep) for row in DEEP)], ids=lambda row: row.name
)
def test_the_published_label_is_found(row: Row) -> None:
    def others(queries: Queries) -> list[Queries]:
        return [other for other in row.inputs if other != queries]

    verdict = check_privacy(
        row.program, row.inputs, others, epsilon=row.claimed, delta=DELTA, parameters=row.parameters, recheck=False
    )
    assert verdict.status is row.label
    if row.epsilon is None:
        assert row.label is NOT or row.parameters == MIXED
        return
    assert verdict.epsilon is not None
    off = Fraction(1, 10**6)
    assert abs(verdict.epsilon.lower - Fraction(row.epsilon)) < off
    assert verdict.epsilon.upper - verdict.epsilon.lower < Fraction(1, 10**15)


def one(size: int) -> Sequence[Queries]:
    """The inputs that the suite has of a size: zeros, and a one in the last place but for two sizes."""
    return pair(size, {3: 1, 6: 3}.get(size, size - 1))


# --- By quadrature
GRID = np.linspace(-60, 60, 48_001)
STEP = GRID[1] - GRID[0]


@cache
def noisy_below(query: int, scale: int) -> NDArray[np.float64]:
    """x ↦ Pr[query + noise < x] on the grid."""
    return np.array([erfc((query - x) / (scale * 2**0.5)) / 2 for x in GRID.tolist()])


def of_threshold(queries: Queries) -> list[float]:
    """The law of `first_above` with Gaussian noise of scales 4 and 8."""
    density = np.exp(-(GRID**2) / 32) / (4 * (2 * np.pi) ** 0.5) * STEP
    law, running = [], density
    for query in queries:
        above = 1 - noisy_below(query, 8)
        law.append(float((running * above).sum()))
        running = running * (1 - above)
    return [*law, float(running.sum())]


def of_extreme(queries: Queries) -> list[float]:
    """The law of the largest of noisy queries, of scale 4: the last one of them does not matter, as ties have none."""
    return [
        float(
            (
                np.exp(-((GRID - query) ** 2) / 32)
                / (4 * (2 * np.pi) ** 0.5)
                * np.prod([noisy_below(other, 4) for j, other in enumerate(queries) if j != i], axis=0)
            ).sum()
            * STEP
        )
        for i, query in enumerate(queries)
    ]


@in_one("row", [*ROWS, *DEEP])
def test_the_least_epsilon_is_that_of_quadrature(row: Row) -> None:
    laws = {first_above: of_threshold, noisy_extreme: of_extreme}
    if row.program not in laws or row.epsilon is None or row.parameters not in ({}, LEAST):
        return
    found = [laws[row.program](queries) for queries in row.inputs]  # the least of mirrored queries is as the largest
    largest = max(p / q for mine in found for other in found for p, q in zip(mine, other, strict=True))
    assert largest == pytest.approx(float_exp(float(row.epsilon)), abs=2e-6)
