"""What is found by symmetry, on blocks of rows, is what the sanitizers themselves do on few rows."""

from fractions import Fraction
from typing import Any, cast

import pytest

from dpverify.mechanisms import Draw, distribution, laplace
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, total
from dpverify.mechanisms.sanitizers import sanitize_points, sanitize_thresholds
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import dense_interval
from dpverify.mechanisms.selection.of_rows import noisy_number
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import is_off
from dpverify.verifiers.catalogue.sanitizers.histograms.points_sanitizer_utility import san_points_is_close
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_executions_calculation import (
    WITHOUT_B2,
    WITHOUT_B3,
    worst_execution,
)
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_utility import is_close
from dpverify.verifiers.utility.repeated import written_out

HALF = Fraction(1, 2)


def chance(mechanism: Any, database: Any, **given: Any) -> Exact:
    """That it returns False."""
    law = distribution(mechanism, database, **given).probabilities
    return total([ZERO, *(p for outcome, p in law.items() if not outcome)])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("counts", [(3,), (2, 1), (1, 1, 1), (3, 1), (2, 2)])
@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(5)])
def test_san_points(counts: tuple[int, ...], epsilon: Fraction) -> None:
    rows = written_out(enumerate(counts))

    def as_it_runs(draw: Draw, rows: tuple[int, ...]) -> bool:
        found = dict(
            sanitize_points(
                draw, rows, d=2, alpha=HALF, epsilon=1, delta=HALF, epsilon_of_part=2 * epsilon, released=laplace
            )
        )
        off = any(is_off(found[x] - Fraction(counts[x], len(rows)), HALF) for x in found)
        return not off and all(2 * count <= len(rows) for x, count in enumerate(counts) if x not in found)

    by_symmetry = chance(san_points_is_close, counts, block=Fraction(2), alpha=HALF, epsilon=epsilon)
    assert by_symmetry == chance(as_it_runs, rows)


class _Off(Exception):
    """The noise of a call is not within B1, or E2 does not happen."""


@pytest.mark.parametrize("counts", [(2, 1), (0, 3), (1, 0, 0, 1)])
def test_san_thresholds(counts: tuple[int, ...]) -> None:
    rows = written_out(enumerate(counts))
    epsilon, calls, alpha = Fraction(3), 4, Fraction(1)
    d, m = len(counts).bit_length() - 1, len(rows)

    def as_it_runs(draw: Draw, rows: tuple[int, ...]) -> bool:
        def watched(law: Any, *args: Any, **given: Any) -> Any:
            made = draw(law, *args, **given)
            if law is noisy_number and is_off(made - given["number"](rows), alpha * m / (16 * calls)):
                raise _Off
            if law is dense_interval:
                low, high = made
                if 2 * sum(low <= x < high for x in rows) > alpha * m:
                    raise _Off
            return made

        given: dict[str, Any] = {"d": d, "alpha": alpha, "epsilon": epsilon, "delta": HALF, "calls": calls}
        try:
            sanitize_thresholds(cast("Draw", watched), rows, released=laplace, **given)
        except _Off:
            return False
        return True

    given: dict[str, Any] = {"block": Fraction(1, 2), "alpha": alpha, "calls": calls, "delta": HALF}
    assert chance(is_close, counts, epsilon=2 * epsilon, **given) == chance(as_it_runs, rows)


def test_the_worst_execution_by_hand() -> None:
    # 16 rows, α = 1: a call goes on from 2 rows on, B2 asks for Q ≥ 3/8, and B3 for one row
    given: dict[str, Any] = {"alpha": Fraction(1), "calls": 77}
    # one point: z = 0, and the rest has no rows
    assert worst_execution((16, 0), **given) == (2, 0)
    # I(0) = 1 and Q(0) = min(1 − 1/2, 3/2) ≥ 3/8, and z = 1 has Q = min(2 − 1/2, 3/2 − 1) ≥ 3/8 as well: single
    # points, which are left by one row at the last, or one interval of four points, of which three lie below the last
    calls, largest = worst_execution((1,) * 16, **given)
    assert (calls, largest) == (16, 3)
    assert worst_execution((1,) * 16, **given, **WITHOUT_B3)[0] >= calls
    assert worst_execution((1,) * 16, **given, **WITHOUT_B2)[1] == 15
