"""Utility of the sanitizer for thresholds: the events of its calls in the proof, B2 and B3."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Final

from dpverify.mechanisms import Draw, Exact, exact
from dpverify.mechanisms.counting.logarithms import log2, log_star
from dpverify.mechanisms.recursion import maximise_quasi_concave
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import (
    interval_counts,
    rows_for_private_sanitized_thresholds,
    threshold_scale_quality,
)
from dpverify.mechanisms.selection import choose_by_stability_journal, choosing_mechanism
from dpverify.verifiers.catalogue.corners import at_the_least, claimed_beta, is_so, whether
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import BETAS, DELTAS, ENDS, EPSILONS, Counts, rows_of
from dpverify.verifiers.utility.family import Case, ExactLike, Family, chosen, least_of, weakened

_BNS: Final = "Beimel, Nissim & Stemmer, journal version, proof of Claim 4.10"
_AT: Final = {"alpha": Fraction(1, 4), "beta": Fraction(1, 20), "epsilon": Fraction(1), "delta": Fraction(1, 10)}
_CALL_CORNERS: Final = {
    **ENDS,
    "rows at the bound": lambda case: case.facts["more"] == 0,
    "one point": lambda case: len(case.database) == 1,
}


# Claim 4.10: B2, one interaction with RecConcave, and B3, one with the choosing mechanism.
def recursion_succeeds(
    draw: Draw, points: Counts, *, d: int, rows: int, alpha: Fraction, epsilon: ExactLike, delta: ExactLike
) -> bool:
    """B2 of one call on [0, 2^d): whether step 8 returns a z with Q(S, z) ≥ 3αm/128, m = `rows`."""
    unit, n = alpha * rows / 32, log_star(d)
    quality = threshold_scale_quality(rows_of(points), d, unit)
    shares = {"epsilon": exact(epsilon) / (3 * n), "delta": exact(delta) / (3 * n), "depth": n}
    given = {"promise": unit, "alpha": Fraction(1, 4), "selection": choose_by_stability_journal, **shares}
    z = draw(maximise_quasi_concave, quality, **given)
    return isinstance(z, int) and bool(quality(z) >= 3 * unit / 4)


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


def one_recursion(m: int) -> Iterator[Case]:
    """αm/16 rows, all on one point or spread over four, where 4 is the range."""
    inside = ceil(_AT["alpha"] * m / 16)
    spread = tuple((x, inside // 4 + (x < inside % 4)) for x in range(4))
    given = {name: _AT[name] for name in ("alpha", "epsilon", "delta")}
    for points in (((0, inside),), tuple(pair for pair in spread if pair[1])):
        yield Case(points, {"d": 2, "rows": m, **given}, {"beta": _AT["beta"]})


recursion = whether(
    recursion_succeeds,
    "recursion_at_a_thousandth",
    1000,
    lambda case: 16 * sum(count for _, count in case.database) >= case.parameters["alpha"] * case.parameters["rows"],
)(
    "BNS-J-4.10.utility.b2",
    f"{_BNS}, Pr[B2|B1], one call on [0, 2^d), d ≤ 4",
    "given #[k, ℓ] ≥ αm/16, RecConcave returns a z with Q(S, z) ≥ 3αm/128 with probability ≥ 1 − β where "
    "m ≥ 8^(log* d)·(4608/(αε))·log* d·log(12·log* d/(βδ))",
    strategy=chosen(
        *(recursion_case, (1, 2, 2, 4), (Fraction(1, 8), Fraction(1, 4)), BETAS, EPSILONS, DELTAS, (0, 0, 1), range(5))
    ),
    corners=_CALL_CORNERS,
    sharpness=least_of(
        "rows, one call, d = 2, α = 1/4, β = 1/20, ε = 1, δ = 1/10", ceil(rows_of_b2(d=2, **_AT)), one_recursion
    ),
    sharp_in="BNS-J-4.10.utility.b2-at-the-least",
)


def interval_is_dense(
    draw: Draw, points: Counts, *, d: int, z: int, rows: int, alpha: Fraction, epsilon: ExactLike, at: int = 1
) -> bool:
    """B3 of one call on [0, 2^d): whether steps 9 and 10 choose an interval with ≥ 5αm/128 rows, m = `rows`."""
    counts = interval_counts(rows_of(points), (0, (1 << d) - 1), z)
    chosen = draw(choosing_mechanism, counts, rows=rows, alpha=at * alpha / 64, epsilon=epsilon)
    return isinstance(chosen, tuple) and 128 * counts.get(chosen, 0) >= 5 * alpha * rows


def interval_case(
    z: int, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction, more: int, shape: str
) -> Case:
    """An interval of length 2^z with 7αm/128 rows, rounded up, at its ends, in [0, 16), and others with too few."""
    given = {"alpha": alpha, "beta": beta, "epsilon": epsilon, "delta": delta}
    m = rows_for_private_sanitized_thresholds(**given) + more
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
    """True where Q(S, z) ≥ 3αm/128, as B2 says."""
    unit = case.parameters["alpha"] * case.parameters["rows"] / 32
    return bool(threshold_scale_quality(rows_of(case.database), 4, unit)(case.parameters["z"]) >= 3 * unit / 4)


def one_interval(m: int) -> list[Case]:
    """7αm/128 rows on one point, and 5αm/128 − 1 on each of 8 others."""
    alpha = _AT["alpha"]
    few = ceil(5 * alpha * m / 128) - 1
    points = ((0, ceil(7 * alpha * m / 128)), *((x, few) for x in range(2, 10) if few > 0))
    given = {"d": 4, "z": 0, "rows": m, "alpha": alpha, "epsilon": _AT["epsilon"]}
    return [Case(points, given, {"beta": _AT["beta"]})]


interval = Family(
    interval_is_dense,
    is_so,
    claimed_beta,
    # above all counts
    weakened("interval_at_eight_times_the_threshold", interval_is_dense, at=8),
    promised,
)(
    "BNS-J-4.10.utility.b3",
    f"{_BNS}, Pr[B3|B1 ∧ B2], by Lemma 4.5, one call on [0, 16)",
    "given Q(S, z) ≥ 3αm/128, the interval that is chosen has ≥ 5αm/128 rows with probability ≥ 1 − β where "
    "m ≥ (1024/(αε))·ln(2048/(αβεδ))",
    strategy=chosen(
        *(interval_case, (0, 1, 2), (Fraction(1, 8), Fraction(1, 4)), BETAS, EPSILONS, DELTAS, (0, 0, 1)),
        ("first", "odd", "last"),
    ),
    corners=_CALL_CORNERS,
    sharpness=least_of(
        "rows, one call, α = 1/4, β = 1/20, ε = 1, δ = 1/10", rows_for_private_sanitized_thresholds(**_AT), one_interval
    ),
    sharp_in="BNS-J-4.10.utility.b3-at-the-least",
)
recursion_at_the_least = at_the_least(recursion, 2_433)
interval_at_the_least = at_the_least(interval, 5_047)
