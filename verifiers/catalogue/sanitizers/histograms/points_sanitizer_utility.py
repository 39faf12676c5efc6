"""Utility of the sanitizer for points as it runs, with discrete noise on the counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.sanitizers.points_sanitizer import rows_for_sanitized_points, sanitize_points
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import (
    BETA,
    BETAS,
    DELTAS,
    ENDS,
    EPSILONS,
    Counts,
    is_off,
    rows_of,
)
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.statement import Sharpness

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"

# Theorem 4.6: SanPoints.


def events_of_points(
    draw: Draw, counts: Counts, *, sanitizer: Any = sanitize_points, **given: Any
) -> tuple[bool, bool]:
    """Whether SanPoints avoids E1, an estimate that is off by more than α, and E2, a missed point of a share above α.

    It fails where one of them happens: to be estimated by 0 is E2.
    """
    rows = rows_of(counts)
    m, a, share = len(rows), Fraction(given["alpha"]), dict(counts)
    estimates = dict(sanitizer(draw, rows, **given))
    missed = any(count > a * m for x, count in counts if x not in estimates)
    return not any(is_off(estimates[x] - Fraction(share[x], m), a) for x in estimates), not missed


def a_point_dropped(draw: Draw, counts: Counts, **given: Any) -> tuple[bool, bool]:
    """The point of the most rows is dropped from the estimates."""
    most = max(counts, key=lambda pair: pair[1])[0]

    def without_it(draw: Draw, rows: Sequence[int], **given: Any) -> Any:
        return tuple(pair for pair in sanitize_points(draw, rows, **given) if pair[0] != most)

    return events_of_points(draw, counts, sanitizer=without_it, **given)


def at_a_hundredth_of_epsilon(draw: Draw, counts: Counts, **given: Any) -> tuple[bool, bool]:
    """The noise of the estimates is a hundred times as wide: at half the ε̃ the claim still holds."""

    def widened(scale: Any) -> Any:
        return discrete_laplace(100 * scale)

    return events_of_points(draw, counts, sanitizer=partial(sanitize_points, released=widened), **given)


def shapes_of(m: int, alpha: Fraction, shape: str) -> Counts:
    """A database of m rows: all on one point, halves at the edges, just more than αm on one point, or spread."""
    above = min(m, int(alpha * m) + 1)
    counts = {
        "one point": {0: m},
        "halves at the edges": {0: m // 2, 3: m - m // 2},
        "just above α": {3: above, 1: m - above},
        "at α": {2: above - 1, 3: m - above + 1},
        "spread": {0: m // 3, 1: m // 3, 3: m - 2 * (m // 3)},
    }[shape]
    return tuple((x, count) for x, count in sorted(counts.items()) if count)


_SHAPES: Final = ("one point", "halves at the edges", "just above α", "at α", "spread")


def databases() -> SearchStrategy[Case]:
    """Databases of as many rows as the theorem asks for, or some more."""
    from hypothesis import strategies as st

    def case(alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction, more: int, shape: str) -> Case:
        m = rows_for_sanitized_points(alpha=alpha, beta=beta, epsilon=epsilon, delta=delta) + more
        given = {"d": 2, "alpha": alpha, "epsilon": epsilon, "delta": delta}
        return Case(shapes_of(m, alpha, shape), given, {"beta": beta, "shape": shape, "more": more})

    return st.builds(
        case,
        st.sampled_from((Fraction(2, 3), Fraction(9, 10))),
        st.sampled_from(BETAS),
        st.sampled_from(EPSILONS),
        st.sampled_from(DELTAS),
        st.sampled_from((0, 0, 1)),
        st.sampled_from(_SHAPES),
    )


_POINT_CORNERS: Final = {
    **ENDS,
    "rows at the bound": lambda case: case.facts["more"] == 0,
    "all rows on one point": lambda case: len(case.database) == 1,
    "points at the edges": lambda case: case.facts["shape"] == "halves at the edges",
    "just above α": lambda case: case.facts["shape"] == "just above α",
    "one row": lambda case: sum(count for _, count in case.database) == 1,
}

_AT: Final[dict[str, Any]] = {"alpha": Fraction(9, 10), "epsilon": Fraction(1), "delta": Fraction(1, 10)}


def points_of(shapes: Sequence[str]) -> Callable[[int], Iterator[Case]]:
    """As many rows as are asked for, in some shapes."""

    def family(m: int) -> Iterator[Case]:
        for shape in shapes:
            yield Case(shapes_of(m, _AT["alpha"], shape), {"d": 2, **_AT}, {"beta": BETA})

    return family


def _of_points(**given: Any) -> UtilityClaim:
    return UtilityClaim(
        source=f"{_BNS}, Theorem 4.6 and its proof; Figure 9, with discrete noise on the counts",
        mechanism=events_of_points,
        strategy=databases,
        corners=_POINT_CORNERS,
        **given,
    )


estimates_of_points = _of_points(
    id="BNS-J-4.6.utility.estimates",
    sharp_in="BNS-J-4.6.utility.fewer-rows",
    statement="every estimate of SanPoints is within α with probability ≥ 1 − β at the m of the proof",
    succeeds=lambda case, fine: all(fine),
    beta=lambda case: case.facts["beta"],
    mutant=a_point_dropped,
    sharpness=Sharpness(
        what="rows, α = 9/10, β = 1/20, ε = 1, δ = 1/10",
        paper=rows_for_sanitized_points(**_AT, beta=BETA),
        family=points_of(("one point", "just above α")),
    ),
)

points_found_well = _of_points(
    id="BNS-J-4.6.utility.e1",
    sharp_in="BNS-J-4.6.utility.fewer-rows",
    statement="an estimate of a point that SanPoints chooses is off by more than α with probability ≤ β/2",
    succeeds=lambda case, fine: fine[0],
    beta=lambda case: case.facts["beta"] / 2,
    mutant=at_a_hundredth_of_epsilon,
)

points_missed = _of_points(
    id="BNS-J-4.6.utility.e2",
    sharp_in="BNS-J-4.6.utility.fewer-rows",
    statement="SanPoints misses a point of a share above α with probability ≤ β/2",
    succeeds=lambda case, fine: fine[1],
    beta=lambda case: case.facts["beta"] / 2,
    mutant=a_point_dropped,
)
