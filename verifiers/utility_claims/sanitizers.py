"""Utility of the sanitizers for points, sets of k points and thresholds, of small databases, and of random samples."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from math import ceil, comb, floor
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from dpverify.mechanisms.choosing import choosing_mechanism
from dpverify.mechanisms.distributions import Distribution
from dpverify.mechanisms.elementary import log
from dpverify.mechanisms.exact_numbers import Exact, ExactLike, exact, total
from dpverify.mechanisms.mechanism import Draw
from dpverify.mechanisms.noise import DiscreteLaplace, Noise, discrete_laplace, laplace
from dpverify.mechanisms.points_sanitizer import (
    epsilon_of_a_part,
    rows_for_san_k_points,
    rows_for_san_points,
    san_k_points,
    san_points,
)
from dpverify.mechanisms.quasi_concave import rec_concave
from dpverify.mechanisms.small_databases import size_for_closeness, small_database
from dpverify.mechanisms.thresholds_learner import log2, log_star
from dpverify.mechanisms.thresholds_sanitizer import (
    dense_interval,
    interval_counts,
    rows_for_private_san_thresholds,
    san_thresholds,
    scale_quality,
)
from dpverify.reports.record import Status
from dpverify.verifiers.utility import Case, Sharpness, UtilityClaim

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"

Counts: TypeAlias = tuple[tuple[int, int], ...]
"""(point, how many rows are that point), by rising point."""

# A database has some 10⁵ rows at the least of each.
EPSILONS: Final = (Fraction(1), Fraction(5), Fraction(200), Fraction(10**4))
BETAS: Final = (Fraction(1, 10**6), Fraction(1, 20), Fraction(99, 100))
DELTAS: Final = (Fraction(1, 10**6), Fraction(1, 10), Fraction(99, 100))

_ENDS: Final[dict[str, Callable[[Case], bool]]] = {
    "the least ε": lambda case: case.parameters["epsilon"] == EPSILONS[0],
    "the largest ε": lambda case: case.parameters["epsilon"] == EPSILONS[-1],
    "the least β": lambda case: case.facts["beta"] == BETAS[0],
    "β near 1": lambda case: case.facts["beta"] == BETAS[-1],
}


@lru_cache(maxsize=4)  # a mechanism is run once for each path
def rows_of(counts: Counts) -> tuple[int, ...]:
    """The rows, by rising point."""
    return tuple(x for x, count in counts for _ in range(count))


def is_off(value: Any, distance: ExactLike) -> bool:
    """Whether a number, which may hold noise, is more than a distance from 0."""
    return bool(value > distance) or bool(value < -exact(distance))


# Theorem 4.6: SanPoints.


def events_of_points(draw: Draw, counts: Counts, *, sanitizer: Any = san_points, **given: Any) -> tuple[bool, bool]:
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
        return tuple(pair for pair in san_points(draw, rows, **given) if pair[0] != most)

    return events_of_points(draw, counts, sanitizer=without_it, **given)


def at_a_hundredth_of_epsilon(draw: Draw, counts: Counts, **given: Any) -> tuple[bool, bool]:
    """The noise of the estimates is a hundred times as wide: at half the ε̃ the claim still holds."""

    def widened(law: Any, *args: Any, **named: Any) -> Any:
        if isinstance(law, DiscreteLaplace):
            return draw(discrete_laplace(100 * law.scale))
        return draw(law, *args, **named)

    return events_of_points(widened, counts, **given)


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


def rounded_down(alpha: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    """ε̃ to thousandths, at least one: of sums of noise at ε̃ itself too little is decided."""
    return Fraction(max(1, floor(1000 * epsilon_of_a_part(alpha=alpha, epsilon=epsilon, delta=delta))), 1000)


def databases(alphas: Sequence[Fraction], rows: Callable[..., int], **fixed: int) -> SearchStrategy[Case]:
    """Databases of as many rows as the theorem asks for, or some more."""
    from hypothesis import strategies as st

    def case(alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction, more: int, shape: str) -> Case:
        m = rows(alpha=alpha, beta=beta, epsilon=epsilon, delta=delta, **fixed) + more
        given = {"d": 2, "alpha": alpha, "epsilon": epsilon, "delta": delta, **fixed}
        if fixed:
            given["epsilon_of_part"] = rounded_down(alpha / fixed["k"], epsilon, delta)
        return Case(shapes_of(m, alpha, shape), given, {"beta": beta, "shape": shape, "more": more})

    return st.builds(
        case,
        st.sampled_from(alphas),
        st.sampled_from(BETAS),
        st.sampled_from((Fraction(20), *EPSILONS[2:]) if fixed else EPSILONS),
        st.sampled_from(DELTAS),
        st.sampled_from((0, 0, 1)),
        st.sampled_from(_SHAPES[:2] if fixed else _SHAPES),
    )


_POINT_CORNERS: Final = {
    **_ENDS,
    "rows at the bound": lambda case: case.facts["more"] == 0,
    "all rows on one point": lambda case: len(case.database) == 1,
    "points at the edges": lambda case: case.facts["shape"] == "halves at the edges",
    "just above α": lambda case: case.facts["shape"] == "just above α",
    "one row": lambda case: sum(count for _, count in case.database) == 1,
}

_AT: Final[dict[str, Any]] = {"alpha": Fraction(9, 10), "epsilon": Fraction(1), "delta": Fraction(1, 10)}
_BETA: Final = Fraction(1, 20)


def points_of(shapes: Sequence[str]) -> Callable[[int], Iterator[Case]]:
    """As many rows as are asked for, in some shapes."""

    def family(m: int) -> Iterator[Case]:
        for shape in shapes:
            yield Case(shapes_of(m, _AT["alpha"], shape), {"d": 2, **_AT}, {"beta": _BETA})

    return family


def _of_points(**given: Any) -> UtilityClaim:
    return UtilityClaim(
        source=f"{_BNS}, Theorem 4.6 and its proof; Figure 9, with discrete noise on the counts",
        mechanism=events_of_points,
        strategy=lambda: databases((Fraction(2, 3), Fraction(9, 10)), rows_for_san_points),
        corners=_POINT_CORNERS,
        **given,
    )


estimates_of_points = _of_points(
    id="BNS-J-4.6.utility.estimates",
    statement="every estimate of SanPoints is within α with probability ≥ 1 − β at the m of the proof",
    succeeds=lambda case, fine: all(fine),
    beta=lambda case: case.facts["beta"],
    mutant=a_point_dropped,
    sharpness=Sharpness(
        what="rows, α = 9/10, β = 1/20, ε = 1, δ = 1/10",
        paper=rows_for_san_points(**_AT, beta=_BETA),
        family=points_of(("one point", "just above α")),
    ),
)

points_found_well = _of_points(
    id="BNS-J-4.6.utility.e1",
    statement="an estimate of a point that SanPoints chooses is off by more than α with probability ≤ β/2",
    succeeds=lambda case, fine: fine[0],
    beta=lambda case: case.facts["beta"] / 2,
    mutant=at_a_hundredth_of_epsilon,
)

points_missed = _of_points(
    id="BNS-J-4.6.utility.e2",
    statement="SanPoints misses a point of a share above α with probability ≤ β/2",
    succeeds=lambda case, fine: fine[1],
    beta=lambda case: case.facts["beta"] / 2,
    mutant=a_point_dropped,
)


# Theorem 4.7: sets of k points.


def k_points_are_close(draw: Draw, counts: Counts, *, sanitizer: Any = san_k_points, **given: Any) -> bool:
    """Whether Σ Est(i) is within α of the share of I for each set I of k of the four points."""
    rows = rows_of(counts)
    estimates = dict(sanitizer(draw, rows, **given))
    # points that no row has are estimated by 0: sets that differ in them alone are one
    error = {x: estimates[x] - Fraction(n, len(rows)) if x in estimates else -Fraction(n, len(rows)) for x, n in counts}
    free = (1 << given["d"]) - len(counts)
    return not any(
        is_off(sum((error[x] for x in chosen), exact(0)), given["alpha"])
        for size in range(max(1, given["k"] - free), given["k"] + 1)
        for chosen in combinations(error, size)
    )


def k_points_with_one_dropped(draw: Draw, counts: Counts, **given: Any) -> bool:
    """The point of the most rows is dropped from the estimates."""
    most = max(counts, key=lambda pair: pair[1])[0]

    def without_it(draw: Draw, rows: Sequence[int], **given: Any) -> Any:
        return tuple(pair for pair in san_k_points(draw, rows, **given) if pair[0] != most)

    return k_points_are_close(draw, counts, sanitizer=without_it, **given)


k_points = UtilityClaim(
    id="BNS-J-4.7.utility.estimates",
    source=f"{_BNS}, Theorem 4.7, by Theorem 4.6 at α/k; Figure 10, with discrete noise on the counts",
    statement="e(I) is within α for every set I of k = 2 points with probability ≥ 1 − β at the m of Theorem 4.6 at "
    "α/k and ε ≥ 20, with ε̃ rounded down to thousandths",
    mechanism=k_points_are_close,
    succeeds=lambda case, close: close,
    beta=lambda case: case.facts["beta"],
    strategy=lambda: databases((Fraction(9, 10),), rows_for_san_k_points, k=2),
    corners={name: hit for name, hit in _POINT_CORNERS.items() if name not in ("just above α", "the least ε")},
    mutant=k_points_with_one_dropped,
)


# Claim 4.10: B1, the noise of SanThresholds.


def rows_of_claim(case: Case) -> Exact:
    """8^(log* d)·(60c/(αε))·log* d·log(12·log* d/(βεδ)), which Claims 4.10, 4.11 and Lemma 4.12 ask for."""
    a, c, eps = case.facts["alpha"], case.facts["calls"], case.parameters["epsilon"]
    n = log_star(case.facts["d"])
    bound = log2(exact(12 * n / (case.facts["beta"] * eps * case.facts["delta"])))
    return exact(8) ** n * exact(60 * c / (a * eps)) * n * bound


def rows_of_b1(case: Case) -> Exact:
    """(16c/(αε))·ln(2/β), of which the proof makes use."""
    a, c, eps = case.facts["alpha"], case.facts["calls"], case.parameters["epsilon"]
    return exact(16 * c / (a * eps)) * log(2 / case.facts["beta"])


def noise_of_a_call(draw: Draw, distance: Fraction, *, epsilon: ExactLike, noise: Noise = laplace) -> bool:
    """Whether the two draws of Lap(1/ε) of a call are within a distance."""
    law = noise(1 / exact(epsilon))
    return not (is_off(draw(law), distance) or is_off(draw(law), distance))


def discrete_noise_of_a_call(draw: Draw, distance: Fraction, *, epsilon: ExactLike) -> bool:
    """The same with discrete noise, which `san_thresholds` adds."""
    return noise_of_a_call(draw, distance, epsilon=epsilon, noise=discrete_laplace)


def first_noise(draw: Draw, distance: Fraction, *, epsilon: ExactLike) -> bool:
    """Whether the draw of step 2, which every execution makes, is within a distance."""
    return not is_off(draw(laplace(1 / exact(epsilon))), distance)


def first_noise_at_half_epsilon(draw: Draw, distance: Fraction, *, epsilon: ExactLike) -> bool:
    """Lap(2/ε) in its place."""
    return first_noise(draw, distance, epsilon=exact(epsilon) / 2)


def noise_at_half_epsilon(draw: Draw, distance: Fraction, *, epsilon: ExactLike) -> bool:
    """Lap(2/ε) in its place."""
    return noise_of_a_call(draw, distance, epsilon=exact(epsilon) / 2)


def discrete_noise_at_half_epsilon(draw: Draw, distance: Fraction, *, epsilon: ExactLike) -> bool:
    """Half the ε."""
    return discrete_noise_of_a_call(draw, distance, epsilon=exact(epsilon) / 2)


_CALLS: Final = {Fraction(1, 100): 7700, Fraction(1, 2): 154, Fraction(99, 100): 78}
"""α → the least whole c ≥ 77/α."""

_TINY_BETAS: Final = (Fraction(1, 10**12), Fraction(1, 38_500), Fraction(1, 500))
_LARGE_EPSILONS: Final = (Fraction(1, 100), Fraction(1), Fraction(200), Fraction(467_000), Fraction(10**14))


def noise_case(
    alpha: Fraction,
    beta: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    more: int,
    rows: Callable[[Case], Exact],
    distance: Callable[[Fraction, int, int], Fraction],
) -> Case:
    """The distance that noise must keep, of the least whole m ≥ `rows`, or some more, but at least of one."""
    facts = {"alpha": alpha, "beta": beta, "delta": delta, "d": 2, "calls": _CALLS[alpha]}
    asked = rows(Case(0, {"epsilon": epsilon}, facts))
    m = max(1, ceil(asked)) + more
    facts |= {"rows": m, "more": more}
    return Case(distance(alpha, _CALLS[alpha], m), {"epsilon": epsilon}, facts)


def noises(rows: Callable[[Case], Exact], distance: Callable[[Fraction, int, int], Fraction]) -> Any:
    """A strategy of such cases."""

    def strategy() -> SearchStrategy[Case]:
        from hypothesis import strategies as st

        return st.builds(
            noise_case,
            st.sampled_from(sorted(_CALLS)),
            st.sampled_from(_TINY_BETAS),
            st.sampled_from(_LARGE_EPSILONS),
            st.sampled_from(DELTAS),
            st.sampled_from((0, 0, 1)),
            st.just(rows),
            st.just(distance),
        )

    return strategy


def within_b1(alpha: Fraction, calls: int, m: int) -> Fraction:
    """αm/(16c), of B1."""
    return alpha * m / (16 * calls)


def within_e3(alpha: Fraction, calls: int, m: int) -> Fraction:
    """(αm/4)·(α/77), of E3."""
    return alpha * m / 4 * alpha / 77


_NOISE_CORNERS: Final[dict[str, Callable[[Case], bool]]] = {
    "the least ε": lambda case: case.parameters["epsilon"] == _LARGE_EPSILONS[0],
    "the largest ε": lambda case: case.parameters["epsilon"] == _LARGE_EPSILONS[-1],
    "the least β": lambda case: case.facts["beta"] == _TINY_BETAS[0],
    "rows at the bound": lambda case: case.facts["more"] == 0,
    "one row": lambda case: case.facts["rows"] == 1,
    "the least α": lambda case: case.facts["alpha"] == Fraction(1, 100),
}


def _at_large_epsilon(distance: Callable[[Fraction, int, int], Fraction]) -> Case:
    """The m that is asked for is not positive, since 12 < βεδ; β is such that 3cβ = 3/5.

    It fails for one row; three are what Lemma 4.8, on privacy, asks for, so that nothing hangs on that.
    """
    return noise_case(Fraction(1, 100), _TINY_BETAS[1], _LARGE_EPSILONS[3], DELTAS[2], 2, rows_of_claim, distance)


noise_as_printed = UtilityClaim(
    id="BNS-J-4.10.utility.b1",
    source=f"{_BNS}, Claim 4.10",
    statement="the draw of Lap(1/ε) on step 2 is beyond αm/(16c), so that B1 ∧ B2 ∧ B3 does not happen, with "
    "probability ≤ 3cβ at the m of Claim 4.10",
    mechanism=first_noise,
    succeeds=lambda case, within: within,
    beta=lambda case: 3 * case.facts["calls"] * case.facts["beta"],
    holds_for=lambda case: case.facts["rows"] >= rows_of_claim(case),
    strategy=noises(rows_of_claim, within_b1),
    corners=_NOISE_CORNERS,
    mutant=first_noise_at_half_epsilon,
    expected=Status.REFUTED,
    examples=(_at_large_epsilon(within_b1),),
)

noise_corrected = UtilityClaim(
    id="BNS-J-4.10.utility.b1-corrected",
    source=f"{_BNS}, Claim 4.10, with m ≥ (16c/(αε))·ln(2/β), of which its proof makes use",
    statement="the two draws of Lap(1/ε) of a call are within αm/(16c) with probability ≥ 1 − β",
    mechanism=noise_of_a_call,
    succeeds=lambda case, within: within,
    beta=lambda case: case.facts["beta"],
    holds_for=lambda case: case.facts["rows"] >= rows_of_b1(case),
    strategy=noises(rows_of_b1, within_b1),
    corners=_NOISE_CORNERS,
    mutant=noise_at_half_epsilon,
    sharpness=Sharpness(
        ours=True,
        what="rows, two draws, c = 154, α = 1/2, β = 1/500, ε = 1",
        paper=ceil(16 * 154 * 2 * log(1000)),
        family=lambda m: (
            Case(within_b1(Fraction(1, 2), 154, m), {"epsilon": Fraction(1)}, {"beta": Fraction(1, 500)}),
        ),
    ),
)

noise_discrete = UtilityClaim(
    id="BNS-J-4.10.utility.b1-discrete",
    source=f"{_BNS}, Claim 4.10, with discrete noise, of which one more than αm/(16c) is lost by rounding",
    statement="the two draws of discrete Lap(1/ε) of a call are within αm/(16c) with probability ≥ 1 − β where "
    "m ≥ (16c/(αε))·ln(2/β) + 16c/α",
    mechanism=discrete_noise_of_a_call,
    succeeds=lambda case, within: within,
    beta=lambda case: case.facts["beta"],
    strategy=noises(lambda case: rows_of_b1(case) + 16 * case.facts["calls"] / case.facts["alpha"], within_b1),
    corners={name: hit for name, hit in _NOISE_CORNERS.items() if name != "one row"},
    mutant=discrete_noise_at_half_epsilon,
)


# Claim 4.11: E3, the estimates of SanThresholds.


def estimate_of_the_first_call(
    draw: Draw, m: int, *, alpha: Fraction, epsilon: ExactLike, noise: Noise = laplace
) -> bool:
    """E3 of the first call on m rows: whether its #̂[a, b] is within (αm/4)·(α/77) of #[a, b].

    The draw is that of step 2 where the call ends on step 3, and else that of step 11.
    """
    law, distance = noise(1 / exact(epsilon)), within_e3(alpha, 1, m)
    first = draw(law)
    return not is_off(first if m + first < alpha * m / 8 else draw(law), distance)


def estimate_at_an_eighth_of_epsilon(draw: Draw, m: int, *, alpha: Fraction, epsilon: ExactLike) -> bool:
    """An eighth of the ε: what E3 allows is at least four times what B1 does."""
    return estimate_of_the_first_call(draw, m, alpha=alpha, epsilon=exact(epsilon) / 8)


def estimate_case(case: Case) -> Case:
    """The number of rows in place of the distance."""
    alpha = case.facts["alpha"]
    return Case(case.facts["rows"], {"alpha": alpha, **case.parameters}, case.facts)


_OF_E3: Final[dict[str, Any]] = {
    "mechanism": estimate_of_the_first_call,
    "succeeds": lambda case, within: within,
    "corners": _NOISE_CORNERS,
    "mutant": estimate_at_an_eighth_of_epsilon,
}

first_estimate_as_printed = UtilityClaim(
    id="BNS-J-4.11.utility.e3",
    source=f"{_BNS}, Claim 4.11",
    statement="#̂[a, b] of the first call is off by more than (αm/4)·(α/77), so that E1 ∧ E2 ∧ E3 does not happen, with "
    "probability ≤ 3cβ at the m of Claim 4.11",
    beta=lambda case: 3 * case.facts["calls"] * case.facts["beta"],
    holds_for=lambda case: case.database >= rows_of_claim(case),
    strategy=lambda: noises(rows_of_claim, within_e3)().map(estimate_case),
    expected=Status.REFUTED,
    examples=(estimate_case(_at_large_epsilon(within_e3)),),
    **_OF_E3,
)

first_estimate_corrected = UtilityClaim(
    id="BNS-J-4.11.utility.e3-corrected",
    source=f"{_BNS}, Claim 4.11, with m ≥ (16c/(αε))·ln(2/β), of which the proof of Claim 4.10 makes use",
    statement="#̂[a, b] of the first call is off by more than (αm/4)·(α/77) with probability ≤ β",
    beta=lambda case: case.facts["beta"],
    holds_for=lambda case: case.database >= rows_of_b1(case),
    strategy=lambda: noises(rows_of_b1, within_e3)().map(estimate_case),
    **_OF_E3,
)


# Claim 4.10: B2, one interaction with RecConcave, and B3, one with the choosing mechanism.


def recursion_succeeds(
    draw: Draw, points: Counts, *, d: int, rows: int, alpha: Fraction, epsilon: ExactLike, delta: ExactLike
) -> bool:
    """B2 of one call on [0, 2^d): whether step 8 returns a z with Q(S, z) ≥ 3αm/128, m = `rows`."""
    unit, n = alpha * rows / 32, log_star(d)
    quality = scale_quality(rows_of(points), d, unit)
    z = draw(
        rec_concave,
        quality,
        promise=unit,
        alpha=Fraction(1, 4),
        epsilon=exact(epsilon) / (3 * n),
        delta=exact(delta) / (3 * n),
        depth=n,
    )
    return isinstance(z, int) and bool(quality(z) >= 3 * unit / 4)


def recursion_at_a_thousandth(draw: Draw, points: Counts, *, epsilon: ExactLike, **given: Any) -> bool:
    """A thousandth of the ε."""
    return recursion_succeeds(draw, points, epsilon=exact(epsilon) / 1000, **given)


def rows_of_b2(*, d: int, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> Exact:
    """8^(log* d)·(4608/(αε))·log* d·log(12·log* d/(βδ)), by the proof."""
    n = log_star(d)
    return exact(8) ** n * 4608 / (alpha * epsilon) * n * log2(exact(12 * n / (beta * delta)))


def recursion_case(
    d: int, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction, more: int, spread: int
) -> Case:
    """αm/16 rows, rounded up, on 2^spread points of [0, 2^d) that are as far apart as can be; m is the least."""
    m = max(1, ceil(rows_of_b2(d=d, alpha=alpha, beta=beta, epsilon=epsilon, delta=delta))) + more
    inside, where = ceil(alpha * m / 16), 1 << min(spread, d)
    step = (1 << d) // where
    counts = {i * step + (step - 1) * (i % 2): inside // where + (i < inside % where) for i in range(where)}
    given = {"d": d, "rows": m, "alpha": alpha, "epsilon": epsilon, "delta": delta}
    points = tuple((x, count) for x, count in sorted(counts.items()) if count)
    return Case(points, given, {"beta": beta, "more": more})


def recursions() -> SearchStrategy[Case]:
    """Just as many rows in the range as B1 promises."""
    from hypothesis import strategies as st

    return st.builds(
        recursion_case,
        st.sampled_from((1, 2, 2, 4)),
        st.just(Fraction(9, 10)),
        st.sampled_from(BETAS),
        st.sampled_from(EPSILONS),
        st.sampled_from(DELTAS),
        st.sampled_from((0, 0, 1)),
        st.integers(0, 4),
    )


_CALL_CORNERS: Final = {
    "the least ε": lambda case: case.parameters["epsilon"] == EPSILONS[0],
    "the largest ε": lambda case: case.parameters["epsilon"] == EPSILONS[-1],
    "the least β": lambda case: case.facts["beta"] == BETAS[0],
    "β near 1": lambda case: case.facts["beta"] == BETAS[-1],
    "rows at the bound": lambda case: case.facts["more"] == 0,
    "one point": lambda case: len(case.database) == 1,
}

_CALL: Final = (2, Fraction(9, 10), Fraction(1, 20), Fraction(1), Fraction(1, 10))


def one_recursion(m: int) -> Iterator[Case]:
    """αm/16 rows, all on one point or spread over four, where 4 is the range."""
    d, alpha, beta, epsilon, delta = _CALL
    inside = ceil(alpha * m / 16)
    given = {"d": d, "rows": m, "alpha": alpha, "epsilon": epsilon, "delta": delta}
    yield Case(((0, inside),), given, {"beta": beta})
    spread = tuple((x, inside // 4 + (x < inside % 4)) for x in range(4))
    yield Case(tuple(pair for pair in spread if pair[1]), given, {"beta": beta})


recursion = UtilityClaim(
    id="BNS-J-4.10.utility.b2",
    source=f"{_BNS}, proof of Claim 4.10, Pr[B2|B1], one call on [0, 2^d), d ≤ 4",
    statement="given #[k, ℓ] ≥ αm/16, RecConcave returns a z with Q(S, z) ≥ 3αm/128 with probability ≥ 1 − β where "
    "m ≥ 8^(log* d)·(4608/(αε))·log* d·log(12·log* d/(βδ))",
    mechanism=recursion_succeeds,
    succeeds=lambda case, fine: fine,
    beta=lambda case: case.facts["beta"],
    holds_for=lambda case: (
        16 * sum(count for _, count in case.database) >= case.parameters["alpha"] * case.parameters["rows"]
    ),
    strategy=recursions,
    corners=_CALL_CORNERS,
    mutant=recursion_at_a_thousandth,
    sharpness=Sharpness(
        what="rows, one call, d = 2, α = 9/10, β = 1/20, ε = 1, δ = 1/10",
        paper=ceil(
            rows_of_b2(d=2, alpha=Fraction(9, 10), beta=Fraction(1, 20), epsilon=Fraction(1), delta=Fraction(1, 10))
        ),
        family=one_recursion,
    ),
)


def interval_is_dense(
    draw: Draw,
    points: Counts,
    *,
    d: int,
    z: int,
    rows: int,
    alpha: Fraction,
    epsilon: ExactLike,
    at: Fraction | int = 1,
) -> bool:
    """B3 of one call on [0, 2^d): whether steps 9 and 10 choose an interval with ≥ 5αm/128 rows, m = `rows`."""
    inside = rows_of(points)
    counts = interval_counts(inside, (0, (1 << d) - 1), z)
    chosen = draw(choosing_mechanism, counts, rows=rows, alpha=at * alpha / 64, epsilon=epsilon)
    return isinstance(chosen, tuple) and 128 * counts.get(chosen, 0) >= 5 * alpha * rows


def interval_at_eight_times_the_threshold(draw: Draw, points: Counts, **given: Any) -> bool:
    """The threshold of the choosing mechanism is eight times as high, above all counts."""
    return interval_is_dense(draw, points, **given, at=8)


def interval_case(
    z: int, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction, more: int, shape: str
) -> Case:
    """An interval of length 2^z with 7αm/128 rows, rounded up, at its ends, in [0, 16), and others with too few."""
    given = {"alpha": alpha, "beta": beta, "epsilon": epsilon, "delta": delta}
    m = rows_for_private_san_thresholds(**given) + more
    many, few = ceil(7 * alpha * m / 128), ceil(5 * alpha * m / 128) - 1
    start, length = {"first": 0, "odd": 1, "last": 16 - (1 << z)}[shape], 1 << z
    counts = dict.fromkeys(range(16), 0)
    counts[start] += many if z == 0 else many - many // 2
    counts[start + length - 1] += 0 if z == 0 else many // 2
    # what is far from it: next to it is as long as two of them
    for x in range(0, 16, max(1, 4 * length)):
        if min(abs(x - start), abs(x - start - length + 1)) > 4 * length:
            counts[x] += few
    points = tuple((x, count) for x, count in counts.items() if count)
    return Case(points, {"d": 4, "z": z, "rows": m, "alpha": alpha, "epsilon": epsilon}, {"beta": beta, "more": more})


def promised(case: Case) -> bool:
    """Whether Q(S, z) ≥ 3αm/128, as B2 says."""
    unit = case.parameters["alpha"] * case.parameters["rows"] / 32
    return bool(scale_quality(rows_of(case.database), 4, unit)(case.parameters["z"]) >= 3 * unit / 4)


def intervals() -> SearchStrategy[Case]:
    """Just the promised quality."""
    from hypothesis import strategies as st

    return st.builds(
        interval_case,
        st.sampled_from((0, 1, 2)),
        st.sampled_from((Fraction(1, 2), Fraction(99, 100))),
        st.sampled_from(BETAS),
        st.sampled_from(EPSILONS),
        st.sampled_from(DELTAS),
        st.sampled_from((0, 0, 1)),
        st.sampled_from(("first", "odd", "last")),
    )


def one_interval(m: int) -> Iterator[Case]:
    """7αm/128 rows on one point, and 5αm/128 − 1 on each of 8 others."""
    alpha, epsilon = Fraction(1, 2), Fraction(1)
    few = ceil(5 * alpha * m / 128) - 1
    points = ((0, ceil(7 * alpha * m / 128)), *((x, few) for x in range(2, 10) if few > 0))
    yield Case(points, {"d": 4, "z": 0, "rows": m, "alpha": alpha, "epsilon": epsilon}, {"beta": Fraction(1, 20)})


interval = UtilityClaim(
    id="BNS-J-4.10.utility.b3",
    source=f"{_BNS}, proof of Claim 4.10, Pr[B3|B1 ∧ B2], by Lemma 4.5, one call on [0, 16)",
    statement="given Q(S, z) ≥ 3αm/128, the interval that is chosen has ≥ 5αm/128 rows with probability ≥ 1 − β where "
    "m ≥ (1024/(αε))·ln(2048/(αβεδ))",
    mechanism=interval_is_dense,
    succeeds=lambda case, dense: dense,
    beta=lambda case: case.facts["beta"],
    holds_for=promised,
    strategy=intervals,
    corners=_CALL_CORNERS,
    mutant=interval_at_eight_times_the_threshold,
    sharpness=Sharpness(
        what="rows, one call, α = 1/2, β = 1/20, ε = 1, δ = 1/10",
        paper=rows_for_private_san_thresholds(
            alpha=Fraction(1, 2), beta=Fraction(1, 20), epsilon=Fraction(1), delta=Fraction(1, 10)
        ),
        family=one_interval,
    ),
)


# Claim 4.11 and Lemma 4.12: what B1 ∧ B2 ∧ B3 imply.


class _Excused(Exception):
    """One of B1, B2 and B3 does not happen."""


def implied(
    draw: Draw,
    rows: tuple[int, ...],
    *,
    d: int,
    alpha: Fraction,
    calls: int,
    epsilon: ExactLike,
    delta: Fraction,
    bottom_fails: bool = True,
) -> tuple[bool, bool, bool]:
    """Whether E1 and E2 happen and Ŝ is α-close, in an execution of SanThresholds; all where B1–B3 do not.

    On so few rows that B1, |noise| ≤ αm/(16c) < 1, says that the discrete noise is 0: 0 stands for it, and E3 holds.
    The choosing mechanism fails where it returns ⊥, for which `dense_interval` takes the whole range, unless
    `bottom_fails` is False.
    """
    m = len(rows)
    assert alpha * m < 16 * calls
    points = tuple(sorted(rows))
    started: list[int] = []
    found: list[tuple[int, int]] = []

    def count(low: int, high: int) -> int:
        return bisect_right(points, high) - bisect_left(points, low)

    def watched(law: Any, *args: Any, **given: Any) -> Any:
        if law is dense_interval:
            chosen = dense_interval(watched, *args, **given)
            if 128 * count(*chosen) < 5 * alpha * m:  # B3
                raise _Excused
            found.append(chosen)
            return chosen
        value = draw(law, *args, **given)
        if isinstance(law, DiscreteLaplace):
            if is_off(value, 0):  # B1
                raise _Excused
            started.append(0)
            return 0
        if law is choosing_mechanism and bottom_fails and not isinstance(value, tuple):  # B3
            raise _Excused
        if law is rec_concave and (not isinstance(value, int) or 128 * args[0](value) < 3 * alpha * m):  # B2
            raise _Excused
        return value

    try:
        made = san_thresholds(watched, rows, d=d, alpha=alpha, epsilon=epsilon, delta=delta, calls=calls)
    except _Excused:
        return True, True, True
    # a complete call has drawn twice, and one that ends on step 3 once; y1 ≤ 2·y2 where there is more than one
    e1 = len(started) - len(found) <= 77 / alpha
    e2 = all(2 * count(a, b - 1) <= alpha * m for a, b in found)
    whole = sum(n for _, n in made)
    apart = (m * sum(n for x, n in made if x < j) - whole * count(0, j - 1) for j in range((1 << d) + 1))
    return e1, e2, all(abs(difference) <= alpha * m * whole for difference in apart)


def implied_although_bottom(draw: Draw, rows: tuple[int, ...], **given: Any) -> tuple[bool, bool, bool]:
    """⊥ of the choosing mechanism is taken for a choice of the whole range, which has rows enough for B3."""
    return implied(draw, rows, **given, bottom_fails=False)


def small_executions() -> Iterator[Case]:
    """All databases of up to 3 rows of 2 or 4 points."""
    for d in (1, 2):
        for m in (1, 2, 3):
            for rows in combinations_with_replacement(range(1 << d), m):
                given = {"d": d, "alpha": Fraction(99, 100), "calls": 78, "epsilon": Fraction(1)}
                yield Case(rows, {**given, "delta": Fraction(1, 10)})


_IMPLIED: Final[dict[str, Any]] = {
    "mechanism": implied,
    "beta": lambda case: 0,
    "cases": tuple(small_executions()),
    "mutant": implied_although_bottom,
}

events_implied = UtilityClaim(
    id="BNS-J-4.11.utility.implied",
    source=f"{_BNS}, proof of Claim 4.11; up to 3 rows of up to 4 points, α = 99/100",
    statement="given B1 ∧ B2 ∧ B3, E1 and E2 happen, surely",
    succeeds=lambda case, found: found[0] and found[1],
    **_IMPLIED,
)

closeness_implied = UtilityClaim(
    id="BNS-J-4.12.utility.implied",
    source=f"{_BNS}, proof of Lemma 4.12; up to 3 rows of up to 4 points, α = 99/100",
    statement="given B1 ∧ B2 ∧ B3, the shares of S and Ŝ below each j differ by at most α, surely",
    succeeds=lambda case, found: found[2],
    **_IMPLIED,
)


# Theorem 2.19: small databases.


def small_database_is_close(
    draw: Draw, counts: Counts, *, alpha: Fraction, epsilon: ExactLike, size: int
) -> Distribution[bool]:
    """Whether the share of point 0 in the small database is within α of that in the rows."""
    rows = rows_of(counts)
    law = small_database(
        draw, rows, universe=(0, 1), concepts=(lambda x: int(x == 0),), size=size, epsilon=epsilon
    ).probabilities
    share = Fraction(rows.count(0), len(rows))
    close = [p for made, p in law.items() if abs(Fraction(made.count(0), size) - share) <= alpha]
    off = [p for made, p in law.items() if abs(Fraction(made.count(0), size) - share) > alpha]
    return Distribution({True: total(close), False: total(off)})


def small_database_at_a_hundredth(draw: Draw, counts: Counts, *, epsilon: ExactLike, **given: Any) -> Any:
    """A hundredth of the ε: there are n + 1 small databases on two points, far fewer than |X|^n."""
    return small_database_is_close(draw, counts, epsilon=exact(epsilon) / 100, **given)


def rows_of_small_database(alpha: Fraction, beta: Fraction, epsilon: Fraction, size: int) -> int:
    """(4/(αε))·(n·ln|X| + ln(1/β)), where the exponential mechanism is within α/2 of the best of |X|^n, |X| = 2."""
    return ceil(4 / exact(alpha * epsilon) * (size * log(2) + log(1 / exact(beta))))


def small_database_case(alpha: Fraction, beta: Fraction, epsilon: Fraction, part: Fraction, more: int) -> Case:
    """A part of the rows is 0; n rows are enough to be within α/2, by Theorem 2.14."""
    size = size_for_closeness(vc=1, alpha=alpha / 2, beta=Fraction(99, 100))
    m = rows_of_small_database(alpha, beta, epsilon, size) + more
    counts = ((0, int(part * m)), (1, m - int(part * m)))
    given = {"alpha": alpha, "epsilon": epsilon, "size": size}
    return Case(tuple(pair for pair in counts if pair[1]), given, {"beta": beta, "more": more})


def small_databases() -> SearchStrategy[Case]:
    """At the bound, with points at the edges."""
    from hypothesis import strategies as st

    return st.builds(
        small_database_case,
        st.sampled_from((Fraction(9, 10), Fraction(99, 100))),
        st.sampled_from(BETAS),
        st.sampled_from(EPSILONS),
        st.sampled_from((Fraction(0), Fraction(1, 2), Fraction(91, 100), Fraction(1))),
        st.sampled_from((0, 0, 1)),
    )


def smaller_databases(m: int) -> Iterator[Case]:
    """All rows on one point."""
    size = size_for_closeness(vc=1, alpha=Fraction(9, 20), beta=Fraction(99, 100))
    yield Case(((0, m),), {"alpha": Fraction(9, 10), "epsilon": Fraction(1), "size": size}, {"beta": _BETA})


_BLR_SIZE: Final = size_for_closeness(vc=1, alpha=Fraction(9, 20), beta=Fraction(99, 100))

blr = UtilityClaim(
    id="BNS-J-2.19.utility.close",
    source=f"{_BNS}, Theorem 2.19, whose Γ is open; VC = 1, |X| = 2, with the n of Theorem 2.14 at α/2",
    statement="the small database is α-close with probability ≥ 1 − β where m ≥ (4/(αε))·(n·ln|X| + ln(1/β))",
    mechanism=small_database_is_close,
    succeeds=lambda case, close: close,
    beta=lambda case: case.facts["beta"],
    strategy=small_databases,
    corners={
        **_ENDS,
        "rows at the bound": lambda case: case.facts["more"] == 0,
        "all rows on one point": lambda case: len(case.database) == 1,
    },
    mutant=small_database_at_a_hundredth,
    sharpness=Sharpness(
        ours=True,
        what="rows, |X| = 2, α = 9/10, β = 1/20, ε = 1",
        paper=rows_of_small_database(Fraction(9, 10), _BETA, Fraction(1), _BLR_SIZE),
        family=smaller_databases,
    ),
)


# Theorems 2.13 and 2.14: random samples.


def points_seen(draw: Draw, weights: tuple[int, ...], *, m: int) -> Distribution[frozenset[int]]:
    """Which points m random rows have, where point i has weight i of the whole: by inclusion and exclusion."""
    seen = {}
    for k in range(1, len(weights) + 1):
        for points in combinations(range(len(weights)), k):
            parts = (part for j in range(1, k + 1) for part in combinations(points, j))
            seen[frozenset(points)] = sum(
                (-1) ** (k - len(part)) * sum(weights[i] for i in part) ** m for part in parts
            )
    return Distribution(seen)


def points_seen_in_one_row(draw: Draw, weights: tuple[int, ...], *, m: int) -> Distribution[frozenset[int]]:
    """One random row."""
    return points_seen(draw, weights, m=1)


_CLASSES: Final = {
    "points": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "thresholds": ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)),
}
"""Concepts on three points, as the labels of each; the VC dimension is 1."""


def generalizes(case: Case, seen: frozenset[int]) -> bool:
    """Whether no hypothesis is wrong by more than α, and right on all points that were seen."""
    weights, target = case.database, case.facts["target"]
    for h in _CLASSES[case.facts["class"]]:
        wrong = [i for i in range(3) if h[i] != target[i]]
        if sum(weights[i] for i in wrong) > case.facts["alpha"] * sum(weights) and not seen.intersection(wrong):
            return False
    return True


def sample_bound(alpha: Fraction, beta: Fraction) -> int:
    """(8/α)·(VC·ln(16/α) + ln(2/β)) for VC = 1."""
    return ceil(8 / exact(alpha) * (log(16 / exact(alpha)) + log(2 / exact(beta))))


_JUST_ABOVE: Final = ((89, 11, 0), (49, 51, 0), (9, 91, 0), (78, 11, 11))
"""What is just above one of the α."""


def samples() -> SearchStrategy[Case]:
    """Any weights of the points, and such as are just above α."""
    from hypothesis import strategies as st

    def case(name: str, target: int, alpha: Fraction, beta: Fraction, weights: tuple[int, int, int]) -> Case:
        concepts = _CLASSES[name]
        facts = {"class": name, "target": concepts[target % len(concepts)], "alpha": alpha, "beta": beta}
        return Case(weights, {"m": sample_bound(alpha, beta)}, facts)

    some = st.tuples(st.integers(1, 30), st.integers(0, 30), st.integers(0, 30))
    return st.builds(
        case,
        st.sampled_from(sorted(_CLASSES)),
        st.integers(0, 3),
        st.sampled_from((Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))),
        st.sampled_from(BETAS),
        st.one_of(some, st.sampled_from(_JUST_ABOVE)),
    )


realizable = UtilityClaim(
    id="BNS-J-2.13.utility.samples",
    source=f"{_BNS}, Theorem 2.13, on three points, VC(C) = 1",
    statement="some h of C is wrong by more than α and agrees with m ≥ (8/α)·(VC(C)·ln(16/α) + ln(2/β)) random "
    "rows with probability ≤ β",
    mechanism=points_seen,
    succeeds=generalizes,
    beta=lambda case: case.facts["beta"],
    strategy=samples,
    corners={
        "the least β": _ENDS["the least β"],
        "β near 1": _ENDS["β near 1"],
        "just above α": lambda case: case.database in _JUST_ABOVE,
        "all on one point": lambda case: case.database[1:] == (0, 0),
        "points": lambda case: case.facts["class"] == "points",
        "thresholds": lambda case: case.facts["class"] == "thresholds",
    },
    mutant=points_seen_in_one_row,
    sharpness=Sharpness(
        what="random rows, α = 1/10, β = 1/20, VC = 1",
        paper=sample_bound(Fraction(1, 10), _BETA),
        family=lambda m: (
            Case(
                weights,
                {"m": m},
                {"class": name, "target": target, "alpha": Fraction(1, 10), "beta": _BETA},
            )
            for weights in ((89, 11, 0), (78, 11, 11), (899, 101, 0))
            for name, concepts in _CLASSES.items()
            for target in concepts
        ),
    ),
)


def share_is_close(draw: Draw, weights: tuple[int, int], *, m: int, alpha: Fraction) -> Distribution[bool]:
    """Whether the share of point 1 among m random rows is within α of its probability: exact binomials."""
    p = Fraction(weights[1], sum(weights))
    ways = {True: 0, False: 0}
    for k in range(m + 1):
        ways[abs(Fraction(k, m) - p) <= alpha] += comb(m, k) * weights[1] ** k * weights[0] ** (m - k)
    return Distribution(ways)


def share_in_one_row(draw: Draw, weights: tuple[int, int], *, m: int, alpha: Fraction) -> Distribution[bool]:
    """One random row."""
    return share_is_close(draw, weights, m=1, alpha=alpha)


def agnostic_bound(vc: int, alpha: Fraction, beta: Fraction) -> int:
    """(50·VC(H)/α²)·ln(1/(αβ)), at least 1."""
    return max(1, ceil(50 * vc / exact(alpha) ** 2 * log(1 / exact(alpha * beta))))


def agnostic_case(vc: int, alpha: Fraction, beta: Fraction, weights: tuple[int, int]) -> Case:
    """Two points, of which a hypothesis and f differ on 1."""
    return Case(weights, {"m": agnostic_bound(vc, alpha, beta), "alpha": alpha}, {"vc": vc, "beta": beta})


def agnostic_samples(least: int) -> SearchStrategy[Case]:
    """Weights of the two points; a class of VC dimension 0 is a single hypothesis."""
    from hypothesis import strategies as st

    return st.builds(
        agnostic_case,
        st.integers(least, 1),
        st.sampled_from((Fraction(1, 2), Fraction(9, 10), Fraction(99, 100))),
        st.sampled_from(BETAS),
        st.tuples(st.integers(1, 20), st.integers(0, 20)),
    )


_AGNOSTIC: Final[dict[str, Any]] = {
    "mechanism": share_is_close,
    "succeeds": lambda case, close: close,
    "beta": lambda case: case.facts["beta"],
    "corners": {
        "the least β": _ENDS["the least β"],
        "β near 1": _ENDS["β near 1"],
        "α near 1": lambda case: case.parameters["alpha"] == Fraction(99, 100),
        "all on one point": lambda case: case.database[1] == 0,
    },
    "mutant": share_in_one_row,
}

agnostic_as_printed = UtilityClaim(
    id="BNS-J-2.14.utility.samples",
    source=f"{_BNS}, Theorem 2.14, on two points",
    statement="with probability ≥ 1 − β the error of every h of H on m ≥ (50·VC(H)/α²)·ln(1/(αβ)) random rows is "
    "within α",
    strategy=lambda: agnostic_samples(0),
    expected=Status.REFUTED,
    examples=(agnostic_case(0, Fraction(1, 4), Fraction(99, 100), (1, 1)),),
    **_AGNOSTIC,
)

agnostic_corrected = UtilityClaim(
    id="BNS-J-2.14.utility.samples-of-two-points",
    source=f"{_BNS}, Theorem 2.14, for VC(H) ≥ 1, on two points alone",
    statement="with probability ≥ 1 − β the error of every h of H on m ≥ (50·VC(H)/α²)·ln(1/(αβ)) random rows is "
    "within α, VC(H) ≥ 1",
    strategy=lambda: agnostic_samples(1),
    sharpness=Sharpness(
        what="random rows, α = 1/4, β = 1/20, VC = 1",
        paper=agnostic_bound(1, Fraction(1, 4), _BETA),
        family=lambda m: (
            Case(weights, {"m": m, "alpha": Fraction(1, 4)}, {"beta": _BETA}) for weights in ((1, 1), (2, 1), (9, 1))
        ),
    ),
    **_AGNOSTIC,
)

CLAIMS: Final = (
    realizable,
    agnostic_as_printed,
    agnostic_corrected,
    blr,
    estimates_of_points,
    points_found_well,
    points_missed,
    k_points,
    noise_as_printed,
    noise_corrected,
    noise_discrete,
    recursion,
    interval,
    first_estimate_as_printed,
    first_estimate_corrected,
    events_implied,
    closeness_implied,
)
