"""Whether a library draws what a model says: exact sizes, the trap of chi-square, and cells by the model's law."""

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import accumulate
from math import exp, factorial, lgamma, log
from typing import Any

import numpy as np
import pytest

from dpverify.mechanisms import Distribution, Draw, InputError, clamp, discrete_laplace, distribution, exact, laplace
from dpverify.verifiers.blackbox.agreement import (
    CellCounts,
    DatabaseCells,
    _as_a_whole,
    _deviations,
    agreement,
    error_of_each,
    is_too_many,
    log_evidence,
)
from dpverify.verifiers.blackbox.sampling.cells import IMPOSSIBLE, MOST_CELLS, DistributionCells
from dpverify.verifiers.blackbox.sampling.distribution_cells import cells_of
from dpverify.verifiers.blackbox.sampling.outcomes import as_outcomes

SKEWED = (F(900, 1000), F(199, 2000), F(1, 2000))
"""Of 1,000 draws 900, 99.5 and ½ are expected: chi-square at level .001 refutes what is true with probability .0054."""


def law_of(*probabilities: F) -> DistributionCells:
    names = [f"cell {i}" for i in range(len(probabilities))]
    return DistributionCells([*names, IMPOSSIBLE], [*map(exact, probabilities), exact(0)], lambda _: [], ordered=True)


def likely_counts(n: int) -> Iterator[tuple[tuple[int, int, int], float]]:
    """Counts of the skewed law with their probabilities: all that come up but once in 10⁹ times."""
    for rare in range(9):
        for middle in range(40, 171):
            seen = (n - middle - rare, middle, rare)
            logs = sum(k * log(p) - lgamma(k + 1) for k, p in zip(seen, SKEWED, strict=True))
            yield seen, np.exp(lgamma(n + 1) + logs)


def test_exact_tails_keep_the_level_that_chi_square_does_not_keep() -> None:
    n, error, law = 1_000, F(1, 1000), law_of(*SKEWED)
    at_16, ours, chi_square, sure = 13.8155, 0.0, 0.0, 0.0
    for seen, p in likely_counts(n):
        sure += p
        far = sum((k - n * float(q)) ** 2 / (n * float(q)) for k, q in zip(seen, SKEWED, strict=True))
        chi_square += p * (far > at_16)
        if p > 1e-12 and (far > 4):  # nearer to what is expected nothing is refuted by either
            each = error / (2 * 4)
            tails = [
                is_too_many(k, n, q, each) or is_too_many(n - k, n, 1 - q, each)
                for k, q in zip(seen, SKEWED, strict=True)
            ]
            ours += p * any(tails)
    assert sure == pytest.approx(1, abs=1e-6)
    assert chi_square == pytest.approx(0.0054, abs=2e-4)
    assert 0 < ours <= error
    assert not any(
        agreement(CellCounts([DatabaseCells("x", [90, 10, 0, 0], [900, 99, 1, 0])], 100, n), [law], n, error).as_a_whole
    )


def test_all_sides_of_all_events_together_have_half_of_the_error_whatever_the_law() -> None:
    """Cells, what cannot occur, and numbers of first cells; both sides; all databases."""
    law, error = law_of(*[F(1, MOST_CELLS)] * MOST_CELLS), F(1, 1000)
    cells = DatabaseCells("x", [1] * (MOST_CELLS + 1), [100] * MOST_CELLS + [0])
    for databases in (1, 3, 8):
        events = len(_deviations(cells, law, 100 * MOST_CELLS, None, error_of_each(error, databases)))
        assert events > MOST_CELLS
        assert 2 * events * databases * error_of_each(error, databases) <= error / 2


@pytest.mark.parametrize("pilot", [[0, 0, 0, 0], [1, 1, 8, 0]])
def test_the_likelihood_of_all_cells_is_1_on_average(pilot: list[int]) -> None:
    """Over all counts of 6 draws of three cells, by the law itself; with a pilot that saw something else."""
    law, n, mean, sizes = law_of(F(1, 2), F(1, 3), F(1, 6)), 6, 0.0, {F(1, 3): F(0), F(1, 10): F(0)}
    for a in range(n + 1):
        for b in range(n + 1 - a):
            seen = [a, b, n - a - b, 0]
            ways = factorial(n) // (factorial(a) * factorial(b) * factorial(n - a - b))
            p = ways * F(1, 2) ** a * F(1, 3) ** b * F(1, 6) ** seen[2]
            mean += float(p) * exp(float(log_evidence(pilot, seen, law).mid()))
            for error in sizes:
                sizes[error] += p * _as_a_whole(pilot, seen, law, error)
    assert mean == pytest.approx(1)
    assert all(size <= error for error, size in sizes.items())
    assert _as_a_whole(pilot, [0, 0, 0, 1], law, F(1, 10**9))  # what cannot occur


def counting(draw: Draw, rows: int) -> Any:
    return rows + draw(discrete_laplace(F(3, 2)))


def clamped(draw: Draw, rows: int) -> object:
    return clamp(rows + draw(laplace(2)), 0, 10)


def told(draw: Draw, rows: int) -> Any:
    return draw(Distribution({"yes": 3, "no": 1, "maybe": F(1, 10**6), "never": 0}))


@pytest.mark.parametrize("mechanism", [counting, lambda draw, rows: rows + draw(laplace(2)), clamped, told])
def test_cells_share_out_the_law_and_few_are_rare(mechanism: object) -> None:
    cells = cells_of(distribution(mechanism, 3), 60_000)  # type: ignore[arg-type]
    assert sum(cells.probabilities, start=exact(0)) == 1
    assert len(cells.names) == len(cells.probabilities) <= MOST_CELLS + 5
    assert cells.names[-1] == IMPOSSIBLE and cells.probabilities[-1] == 0
    assert sum(bool(p * 60_000 < 9) for p in cells.probabilities[:-1]) <= 2


def test_outcomes_are_counted_in_the_cells_that_they_are_in() -> None:
    whole = cells_of(distribution(counting, 3), 10_000)
    assert "3" in whole.names
    found = whole.counts(np.array([3, 3, 10**6, -(10**6)]))
    assert found[whole.names.index("3")] == 2 and found[0] == found[-2] == 1 and sum(found) == 4
    assert whole.counts(np.array([3.5, np.nan, np.inf]))[-1] == 3
    assert whole.counts(as_outcomes([3, "failed", (3,)], 3, "it"))[-1] == 2
    for bad in (["failed"], [(3, 4)]):
        with pytest.raises(InputError, match="outcome="):
            whole.counts(as_outcomes(bad, 1, "it"))
    ends = cells_of(distribution(clamped, 3), 10_000)
    inside = ends.counts(np.array([0.0, 10.0, 0.5]))
    assert sum(inside[:-1]) == 3
    outside = ends.counts(np.array([-0.5, 10.5]))
    assert outside[-1] == 2
    answers = cells_of(distribution(told, 3), 1_000)
    assert answers.counts(np.array(["yes", "no", "never", "what"], dtype=object))[-1] == 2


def test_a_shift_that_is_everywhere_small_is_seen_by_the_first_cells_together() -> None:
    """Each cell is off by little, and the median by much."""
    law = law_of(*[F(1, 20)] * 20)
    n = 20_000
    seen = [int(n / 20 * (1 + (0.06 if i < 10 else -0.06))) for i in range(20)]
    seen[-1] += n - sum(seen)
    found = agreement(CellCounts([DatabaseCells("x", [100] * 20 + [0], [*seen, 0])], 2_000, n), [law], n, F(1, 1000))
    assert found.refuted
    assert "the first" in found.deviations[0].event
    assert list(accumulate(seen))[9] - n / 2 > 500


def test_cells_alone_are_asked_only_where_all_was_drawn() -> None:
    law = law_of(F(1, 2), F(1, 2))
    cells = DatabaseCells("x", [50, 50, 0], [560, 440, 0])
    assert agreement(CellCounts([cells], 100, 1_000), [law], 1_000, F(1, 20)).deviations[0].refutes
    assert not agreement(CellCounts([cells], 100, 1_000), [law], 2_000, F(1, 20)).deviations[0].refutes


def test_two_numbers_with_noise_are_refused_with_the_way_out() -> None:

    with pytest.raises(InputError, match="outcome="):
        cells_of(distribution(lambda draw, rows: (rows + draw(laplace(2)), rows + draw(laplace(2))), 1), 1_000)


def test_a_cell_that_is_missing_is_seen_although_no_other_is_seen_too_often() -> None:
    """A twentieth is lost, and shared out among the others."""
    law, n = law_of(*[F(1, 20)] * 20), 4_000
    seen = [0, *[211] * 18, n - 18 * 211]
    found = agreement(CellCounts([DatabaseCells("x", [0] * 21, [*seen, 0])], 400, n), [law], n, F(1, 1000))
    missing = next(one for one in found.deviations if one.event == "outcome cell 0")
    often = [one for one in found.deviations if one.event.startswith("outcome ") and one.event != "outcome cell 0"]
    assert missing.refutes and not any(one.refutes for one in often)
