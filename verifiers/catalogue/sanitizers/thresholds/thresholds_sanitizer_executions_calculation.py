"""The worst execution of the sanitizer for thresholds: Claim 4.11 and Lemma 4.12, over all that B1, B2 and B3 allow.

A database is given by how many rows each point of [0, 2^d) has.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.sanitizers.thresholds_sanitizer import interval_counts, threshold_scale_quality
from dpverify.verifiers.calculations.family import Broken, Calculation, component
from dpverify.verifiers.catalogue.families import BNS, HALF, QUARTER
from dpverify.verifiers.utility.repeated import written_out

Inside: TypeAlias = tuple[int, ...]
"""The numbers of rows of the points of a range."""
Worst: TypeAlias = tuple[int, int]
"""The most calls, and the most rows of an [a, b − 1]."""


def points_of(inside: Inside) -> tuple[int, ...]:
    """The rows, by rising point, where the range begins with 0."""
    return written_out(enumerate(inside))


# Claims 4.11 and 4.12: what B1 ∧ B2 ∧ B3 imply, whatever else is drawn.
def worst_execution(
    counts: Inside,
    alpha: Fraction,
    calls: int,
    promised: Fraction = Fraction(3, 128),
    dense: Fraction = Fraction(5, 128),
) -> Worst:
    """The worst over the executions of SanThresholds with B1, B2 and B3: all noise, z and [a, b] that they allow.

    B1 is |noise| ≤ αm/(16c), c = `calls`; B2 is Q(S, z) ≥ 3αm/128, and B3 #[a, b] ≥ 5αm/128. Two ranges with the same
    numbers of rows are one, so that each is gone through once. Nothing is drawn.
    """
    m, noise = sum(counts), alpha * sum(counts) / (16 * calls)

    @cache
    def worst(inside: Inside) -> Worst:
        count = sum(inside)
        # 3: it may end here, where noise lets it
        found: Worst = (1, count - inside[-1]) if count - noise < alpha * m / 8 else (0, 0)
        if count + noise < alpha * m / 8:
            return found
        points, last = points_of(inside), len(inside) - 1
        quality = threshold_scale_quality(points, last.bit_length(), alpha * m / 32)
        for z in range(quality.last + 1):
            if quality(z) < promised * alpha * m:
                continue
            for (a, b), rows in interval_counts(points, (0, last), z).items():
                if rows < dense * alpha * m:
                    continue
                most, largest = 1, rows - inside[b]
                for rest in (inside[:a], inside[b + 1 :]):
                    if rest:
                        further = worst(rest)
                        most, largest = most + further[0], max(largest, further[1])
                found = max(found[0], most), max(found[1], largest)
        return found

    return worst(counts)


WITHOUT_B2: Final[dict[str, Any]] = {"promised": Fraction(-100)}
"""Any z."""
WITHOUT_B3: Final[dict[str, Any]] = {"dense": Fraction(0)}
"""Any [a, b] that has a row."""
_SHAPES: Final[tuple[Inside, ...]] = (
    *((500, *(1,) * 330), (1000, *(0,) * 63), (500, *(0,) * 62, 500), (16,) * 64, (2,) * 256),
    *((18, 0, 17, 1) * 28, (1, 17, 0, 18) * 28, (32, *(0,) * 7) * 32, (31, 0, 0, 0) * 32),
    tuple(512 >> (i // 4) if i % 4 == 0 else 0 for i in range(40)),
)
"""About a thousand rows, so that B3 asks for ten at α = 1/4: spread, heaped, and at the thresholds of the steps."""
_CASES: Final[tuple[dict[str, Any], ...]] = (
    {"counts": (300, *(1,) * 156), "alpha": HALF, "calls": 154},
    *({"counts": counts, "alpha": QUARTER, "calls": 308} for counts in _SHAPES),
    {"counts": (1,) * 256, "alpha": Fraction(1, 8), "calls": 616},
)
most_calls: Final = component(worst_execution, 0)
largest_interval: Final = component(worst_execution, 1)


def distance_by_proof(counts: Inside, alpha: Fraction, calls: int, **given: Any) -> Fraction:
    """The rows of an [a, b − 1], and noise for each [a, b] twice.

    The second time is for |Ŝ|, which is in the place of m: it differs by all of the noise.
    """
    most, rows = worst_execution(counts, alpha, calls, **given)
    return rows + 2 * most * alpha * sum(counts) / (16 * calls)


def _without(computed: Callable[..., Any], given: dict[str, Fraction], change: str) -> Broken:
    return Broken(change, {"computed": lambda **case: computed(**case, **given)})


calls_of_any_execution = Calculation(
    id="BNS-J-4.11.utility.calls",
    source=f"{BNS}, Claim 4.11, E1: in its proof, B3 makes y2 ≤ 128/(5α), and 3·y2 ≤ 77/α",
    statement="given B1 ∧ B2 ∧ B3, there are at most 77/α calls, whatever noise, z and [a, b] these allow; about a "
    "thousand rows, of which B3 asks for ten in each [a, b]",
    computed=most_calls,
    at_most=lambda alpha: 77 / alpha,
    cases=_CASES,
    mutants=[_without(most_calls, WITHOUT_B3, "without B3: any [a, b] that has a row")],
)
rows_of_any_interval = Calculation(
    id="BNS-J-4.11.utility.intervals",
    source=f"{BNS}, Claim 4.11, E2",
    statement="given B1 ∧ B2 ∧ B3, every #[a, b − 1] is at most αm/2, whatever noise, z and [a, b] these allow",
    computed=largest_interval,
    at_most=lambda alpha, counts: alpha * sum(counts) / 2,
    cases=_CASES,
    mutants=[_without(largest_interval, WITHOUT_B2, "without B2: any z")],
)
closeness_of_any_execution = Calculation(
    id="BNS-J-4.12.utility.close",
    source=f"{BNS}, proof of Lemma 4.12",
    statement="given B1 ∧ B2 ∧ B3, the shares of S and Ŝ below each j differ by at most α, whatever noise, z and "
    "[a, b] these allow; about a thousand rows, of which B3 asks for ten in each [a, b]",
    computed=distance_by_proof,
    at_most=lambda alpha, counts: alpha * sum(counts),
    cases=_CASES,
    mutants=[_without(distance_by_proof, WITHOUT_B2, "without B2: any z")],
)
