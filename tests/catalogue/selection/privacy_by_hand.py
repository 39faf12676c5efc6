"""Refuted claims about noise and about choosing among solutions, by Fractions alone."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import comb
from typing import Any

from tests.catalogue.by_hand import (
    MILLIONTH,
    NONE,
    ONE,
    TENTH,
    THREE,
    Bounds,
    Epsilon,
    Refutation,
    best_and_gap,
    e_to,
    exp_epsilon,
    geometric_tail,
    laplace_tail,
    logarithm,
    outward,
    power,
    root,
    short,
    times,
)


def noisy_count(scale_inverse: Fraction, rows: tuple[int, ...], outcome: tuple[int]) -> Bounds:
    low, high = e_to(-scale_inverse)
    distance = abs(outcome[0] - sum(rows))
    return (1 - high) / (1 + high) * low**distance, (1 - low) / (1 + low) * high**distance


def real_count_at_most(scale_inverse: Fraction, rows: tuple[int, ...], outcome: tuple[Any]) -> Bounds:
    """Pr[count + Lap(1/ε) ≤ v] = ½·e^(ε(v − count)), where v is no more than the count."""
    distance = sum(rows) - outcome[0].value
    assert distance >= 0
    low, high = e_to(-scale_inverse * distance)
    return low / 2, high / 2


def journal(delta: Fraction, epsilon: Epsilon, scores: tuple[int, ...], outcome: int) -> Bounds:
    best, gap = best_and_gap(scores)
    return laplace_tail(delta, epsilon, gap) if best == outcome else (Fraction(0), Fraction(0))


def journal_discrete(delta: Fraction, epsilon: Epsilon, scores: tuple[int, ...], outcome: int) -> Bounds:
    best, gap = best_and_gap(scores)
    if best != outcome:
        return Fraction(0), Fraction(0)
    threshold = 0  # the smallest whole t with e^(εt) ≥ 1/δ
    while exp_epsilon(epsilon, threshold)[1] < 1 / delta:
        threshold += 1
    assert exp_epsilon(epsilon, threshold)[0] >= 1 / delta
    return geometric_tail(exp_epsilon(epsilon, -1), threshold - gap)


def family(
    delta: Fraction, epsilon: Fraction, scale: Fraction, shift: Fraction, scores: tuple[int, ...], outcome: int
) -> Bounds:
    """Pr[gap + Lap(scale/ε) ≥ (2/ε)·ln(1/(2δ)) + shift] = ½·(2δ)^(2/scale)·e^((gap − shift)·ε/scale), if below ½."""
    best, gap = best_and_gap(scores)
    if best != outcome:
        return Fraction(0), Fraction(0)
    exponent = 2 / scale
    roots = root((2 * delta) ** exponent.numerator, exponent.denominator)
    powers = e_to((gap - shift) * epsilon / scale)
    low, high = (r * p / 2 for r, p in zip(roots, powers, strict=True))
    assert high < Fraction(1, 2)
    return low, high


def family_with(
    delta: Fraction, scale: Fraction, constant: Fraction, shift: Fraction, scores: tuple[int, ...], outcome: int
) -> Bounds:
    """Pr[gap + Lap(scale) ≥ scale·ln(constant/δ) + shift] = (δ/(2·constant))·e^((gap − shift)/scale), if below ½; ε = 1."""
    best, gap = best_and_gap(scores)
    if best != outcome:
        return Fraction(0), Fraction(0)
    low, high = (delta / (2 * constant) * bound for bound in e_to((gap - shift) / scale))
    assert high < Fraction(1, 2)
    return low, high


def discrete_below(delta: Fraction, scores: tuple[int, ...], outcome: int) -> Bounds:
    """Scale 2 (ε = 1), threshold 1 + min{k : Pr[N ≥ k] ≤ δ}."""
    best, gap = best_and_gap(scores)
    if best != outcome:
        return Fraction(0), Fraction(0)
    z = e_to(Fraction(-1, 2))
    smallest = 0
    while geometric_tail(z, smallest)[0] > delta:
        smallest += 1
    assert geometric_tail(z, smallest)[1] <= delta
    return geometric_tail(z, 1 + smallest - gap)


def whole_threshold(epsilon: Fraction, scores: tuple[int, ...], outcome: int) -> Bounds:
    """Discrete noise of scale 1/ε, threshold 6."""
    best, gap = best_and_gap(scores)
    return geometric_tail(e_to(-epsilon), 6 - gap) if best == outcome else (Fraction(0), Fraction(0))


def choosing(rows: int, epsilon: Fraction, scores: tuple[int, ...], outcome: int) -> Bounds:
    """α = 1: Pr[max + Lap(4/ε) ≥ rows/2]·e^(ε·q(outcome)/4)/Σ e^(ε·q/4) over the solutions with q ≥ 1."""
    if not scores[outcome]:
        return Fraction(0), Fraction(0)
    distance = (Fraction(rows, 2) - max(scores)) * epsilon / 4
    low, high = e_to(-abs(distance))
    tail = (low / 2, high / 2) if distance >= 0 else (1 - high / 2, 1 - low / 2)
    weights = [e_to(epsilon * q / 4) for q in scores if q]
    mine = e_to(epsilon * scores[outcome] / 4)
    return tail[0] * mine[0] / sum(high for _, high in weights), tail[1] * mine[1] / sum(low for low, _ in weights)


def margin_seen(slack: Fraction, gap: int) -> Bounds:
    """α = 1, δ = 1/10: the first test of the large margin mechanism, gap + Z − G − Z₁ > slack·T, scales 3, 6, 12.

    For u > 0, Pr[Z − G − Z₁ > u] = Σ ½·b⁴·e^(−u/b)/∏(b² − c²), over b among the scales and c among the others: the
    characteristic functions 1/(1 + b²t²) in partial fractions. T = 3·ln 15 + 6·ln 30 + 12·ln 60 + 6 + 6·ln 30.
    """
    stops = [Fraction(0), Fraction(0)]
    for b in (3, 6, 12):
        others = [c for c in (3, 6, 12) if c != b]
        weight = Fraction(b**4, 2 * (b * b - others[0] ** 2) * (b * b - others[1] ** 2))
        # e^(-slack·T/b): the logarithms give powers of 15, 30 and 60
        factors = [power(Fraction(n), slack * k / b) for n, k in ((15, 3), (30, 12), (60, 12))]
        low, high = e_to((gap - 6 * slack) / b)
        for factor in factors:
            low, high = low / factor[1], high / factor[0]
        ends = sorted((weight * low, weight * high))
        stops[0] += ends[0]
        stops[1] += ends[1]
    return stops[0], stops[1]


def large_margin(slack: Fraction, scores: tuple[int, int], outcome: int) -> Bounds:
    """Two items, α = 1, δ = 1/10: the best one where the margin is seen, else one of two by the exponential mechanism."""
    gap = max(scores) - min(scores)
    best = scores.index(max(scores))
    stops = margin_seen(slack, gap)
    share_best = tuple(1 / (1 + bound) for bound in reversed(e_to(Fraction(-gap, 3))))
    share = share_best if outcome == best else tuple(1 - bound for bound in reversed(share_best))
    if outcome == best:
        return stops[0] + (1 - stops[0]) * share[0], stops[1] + (1 - stops[1]) * share[1]
    return (1 - stops[1]) * share[0], (1 - stops[0]) * share[1]


Powers = dict[int, Fraction]
"""Σ c·x^k, as {k: c}."""


def multiplied(one: Powers, other: Powers) -> Powers:
    product: Powers = {}
    for k, c in one.items():
        for m, d in other.items():
            product[k + m] = product.get(k + m, NONE) + c * d
    return product


def area(terms: Powers, low: Fraction, high: Fraction | None) -> Fraction:
    """No less than ∫ Σ c·x^k dx/x from `low` to `high`, or to infinity."""
    total = NONE
    for k, c in terms.items():
        if k:
            total += c / k * ((NONE if high is None else high**k) - (low**k if low else NONE))
        elif c:
            assert high is not None
            total += c * logarithm(high / low)[c > 0]
    return total


def no_test_passes(tests: list[Fraction]) -> Fraction:
    """No less than Pr[no Z_r < u − T_r], u = Z − G with scales 3 and 6, Z_r of scale 12; `tests` are e^(T_r/12) > 1.

    With x = e^(u/12), Z − G has the density (6·x^∓2 − 3·x^∓4)/54 in u, du = 12·dx/x, and Z_r is not below u − T_r with
    probability 1 − x/(2·e^(T_r/12)) while that is at least ½, then e^(T_r/12)/(2x).
    """
    kinks = sorted({ONE, *tests})
    total = NONE
    for low, high in zip([NONE, *kinks], [*kinks, None], strict=True):
        sign = 1 if high == ONE else -1
        terms = {2 * sign: Fraction(6 * 12, 54), 4 * sign: Fraction(-3 * 12, 54)}
        for test in tests:
            terms = multiplied(terms, {-1: test / 2} if low >= test else {0: ONE, 1: -1 / (2 * test)})
        total += area(terms, low, high)
    return total


def test_of_margin(slack: Fraction, r: int) -> Fraction:
    """No less than e^(slack·T^(r)/12), with few digits, for α = 1 and δ = 1/10."""
    bases = ((15, Fraction(3, 12)), (30, Fraction(6, 12)), (30 * r * (r + 1), ONE), (30 * r, Fraction(6, 12)))
    factors = (power(Fraction(base), slack * share) for base, share in bases)
    return outward(times(e_to(slack / 2), *factors), 9)[1]


def large_margin_of_many(slack: Fraction, growing: bool, scores: tuple[int, ...], outcome: int) -> Bounds:
    """The first of K tied items, or of items of which it alone is worse by 2: at least, or at most.

    Tied, it is chosen among ℓ with 1/ℓ, which is 1 − Σ Pr[r tests do not pass]·(1/r − 1/(r + 1)); worse, among K alone.
    """
    assert outcome == 0
    items, worse = len(scores), -min(scores)
    tests = [test_of_margin(slack, r if growing else 1) for r in range(1, items)]
    if not worse:
        going_on = ((r, no_test_passes(tests[:r])) for r in range(1, items))
        return ONE - sum((more / (r * (r + 1)) for r, more in going_on), start=NONE), ONE
    tests[-1] = outward((tests[-1], tests[-1] * e_to(Fraction(-worse, 12))[1]), 9)[1]  # of the gap to the last item
    share = e_to(Fraction(-worse, 6))[1]
    return NONE, no_test_passes(tests) * share / (items - 1 + share)


def frequencies(rows: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(rows.count(value) for value in range(3))


Exponentials = list[tuple[Fraction, Fraction]]
"""Σ c·e^(r·x), as pairs (c, r)."""


def laplace_density(scale: Fraction, right_of_0: bool) -> Exponentials:
    return [(1 / (2 * scale), -1 / scale if right_of_0 else 1 / scale)]


def answer(scale: Fraction | None, query: int, above: bool, x: Fraction) -> Exponentials:
    """Pr[query + Lap(scale) ≥ ρ], or < ρ, as a function of ρ, on the stretch between kinks that holds x."""
    if scale is None:
        return [(Fraction(int((query >= x) == above)), Fraction(0))]
    # Pr[N ≥ ρ - query] is ½e^(-(ρ-query)/scale) to the right of the query, 1 - ½e^((ρ-query)/scale) to the left
    right = x > query
    tail = (Fraction(1, 2), -1 / scale if right else 1 / scale)
    plain = above == right
    # e^(±query/scale) is kept apart as a shift of the exponent: see `times_e`
    return [tail] if plain else [(Fraction(1), Fraction(0)), (-tail[0], tail[1])]


def sparse_vector(rho: Fraction, nu: Fraction | None, queries: tuple[int, ...], answers: tuple[bool, ...]) -> Bounds:
    """∫ f(ρ)·∏ Pr[answer to each query | ρ] dρ, stretch by stretch; terms are c·e^(r·x + s)."""
    kinks = sorted({Fraction(0), *map(Fraction, queries)})
    total = [Fraction(0), Fraction(0)]
    for low, high in zip([None, *kinks], [*kinks, None], strict=True):
        x = kinks[0] - 1 if low is None else kinks[-1] + 1 if high is None else (low + high) / 2
        terms = [(c, r, Fraction(0)) for c, r in laplace_density(rho, x > 0)]
        for query, above in zip(queries, answers, strict=False):
            terms = [(c * d, r + u, s - u * query) for c, r, s in terms for d, u in answer(nu, query, above, x)]
        for c, r, s in terms:
            if r == 0 and c:
                assert low is not None
                assert high is not None
                pieces = [(c * (high - low), s)]
            else:
                pieces = [(sign * c / r, r * end + s) for sign, end in ((1, high), (-1, low)) if end is not None and c]
            for coefficient, exponent in pieces:
                bounds = [coefficient * bound for bound in e_to(exponent)]
                total[0] += min(bounds)
                total[1] += max(bounds)
    return total[0], total[1]


def discrete_sparse_vector(rho: Fraction, nu: Fraction, queries: tuple[int, ...], answers: tuple[bool, ...]) -> Bounds:
    """Σ Pr[ρ = k]·∏ Pr[answer to each query | k] over |k| ≤ 60, and what is left out at most."""
    z, w = short(e_to(-1 / rho)), short(e_to(-1 / nu))
    total = [Fraction(0), Fraction(0)]
    for k in range(-60, 61):
        bounds = short(((1 - z[1]) / (1 + z[1]) * z[0] ** abs(k), (1 - z[0]) / (1 + z[0]) * z[1] ** abs(k)))
        for query, above in zip(queries, answers, strict=False):
            tail = short(geometric_tail(w, k - query))
            ends = tail if above else (1 - tail[1], 1 - tail[0])
            bounds = short((bounds[0] * ends[0], bounds[1] * ends[1]))
        total[0] += bounds[0]
        total[1] += bounds[1]
    return total[0], total[1] + 2 * geometric_tail(z, 61)[1]


def released_by_svt3(queries: tuple[int, ...], at: int, value: int) -> Bounds:
    """Scales 2 and 2: Σ Pr[ρ = k]·∏ Pr[query before < k] over k ≤ value, times Pr[query at + ν = value]."""
    z = short(e_to(Fraction(-1, 2)))
    total = [Fraction(0), Fraction(0)]
    for k in range(-60, value + 1):
        bounds = short(((1 - z[1]) / (1 + z[1]) * z[0] ** abs(k), (1 - z[0]) / (1 + z[0]) * z[1] ** abs(k)))
        for query in queries[:at]:
            tail = short(geometric_tail(z, k - query))
            bounds = short((bounds[0] * (1 - tail[1]), bounds[1] * (1 - tail[0])))
        total[0] += bounds[0]
        total[1] += bounds[1]
    point = noisy_count(Fraction(1, 2), (queries[at],), (value,))
    return total[0] * point[0], (total[1] + geometric_tail(z, 61)[1]) * point[1]


def real_number_released_by_svt3(nu: Fraction, queries: tuple[int, ...], outcome: tuple[Any, ...]) -> Bounds:
    """ρ ~ Lap(2), νᵢ ~ Lap(ν): one noisy query y is ρ or more, and ≤ v, and those of the n − 1 others are below ρ.

    For v no more than 0 and the queries q, that is ∫ (1/2ν)·e^((y − q)/ν)·G(y) dy over y ≤ v, where
    G(y) = ∫ ¼·e^(ρ/2)·∏ ½·e^((ρ − q)/ν) dρ over ρ ≤ y.
    """
    n, (v,) = len(queries), [number.value for number in outcome if number is not None]
    assert len(outcome) == n
    assert v <= min(0, *queries)
    inner = Fraction(1, 2) + (n - 1) / nu
    outer = inner + 1 / nu
    factor = 1 / (2 * nu) * Fraction(1, 4) / 2 ** (n - 1) / inner / outer
    low, high = e_to(outer * v - sum(queries) / nu)
    return factor * low, factor * high


def on_one_of_sixteen(inner: str, epsilon: Fraction, ones: int) -> Bounds:
    """Pr[1] of a mechanism that sees one row of 16, `ones` of which are 1."""
    found = [Fraction(0), Fraction(0)]
    for bit, share in ((1, Fraction(ones, 16)), (0, Fraction(16 - ones, 16))):
        if inner == "exponential":  # e^(ε·[bit = 1]/2)/(e^(ε/2) + 1)
            other = e_to(epsilon / 2)
            p = (
                (other[0] / (other[0] + 1), other[1] / (other[1] + 1))
                if bit
                else (1 / (1 + other[1]), 1 / (1 + other[0]))
            )
        else:
            p = noisy_count(epsilon, (bit,), (1,))
        found[0] += share * p[0]
        found[1] += share * p[1]
    return found[0], found[1]


def on_frequencies(law: Callable[..., Bounds]) -> Callable[..., Bounds]:
    """The law of the frequencies of the rows."""
    return lambda *given: law(*given[:-2], frequencies(given[-2]), given[-1])


def at_each(claim: str, law: Callable[..., Bounds], delta: Fraction, *suffixes: str) -> dict[str, Refutation]:
    """The claim at ε = 1, ln 2 and 3, as the suffixes of ids say."""
    epsilons: dict[str, Epsilon] = {"": ONE, "-ln2": "ln 2", "-3": THREE}
    return {claim + it: Refutation(partial(law, delta, epsilons[it]), epsilons[it], delta) for it in suffixes}


def released(database: Any, outcome: tuple[Any, ...]) -> Bounds:
    return released_by_svt3(database, len(outcome) - 1, outcome[-1])


def one_on_a_sample(inner: str, epsilon: Fraction, rows: tuple[int, ...], outcome: int) -> Bounds:
    """Pr[1], of a mechanism on one of the rows."""
    assert outcome == 1
    return on_one_of_sixteen(inner, epsilon, sum(rows))


ALL = ("", "-ln2", "-3")
A_BIT = Fraction(1, 10**12)
A_DIST = "BNS-J-2.26.privacy"
OF_BUNS = "BuNS-3.11.privacy"
CHOOSING = {  # ε and m
    "below": (ONE, 14),
    "below-growth-2": (Fraction(2), 8),
    "below-growth-3": (Fraction(8), 4),
    "printed-large-epsilon": (Fraction(40), 1),
    "below-large-epsilon": (Fraction(40), 2),
    "eight-rows-every-epsilon": (ONE, 8),
}


def told_a_hundred_times(bit: int, outcome: int | tuple[str, int]) -> Bounds:
    """A bit leaks with probability 10⁻⁸, and else is told truly with odds e^(1/100), a hundred times: how many 1s."""
    kept = (1 - Fraction(1, 10**8)) ** 100
    if isinstance(outcome, tuple):
        leaked = (1 - kept) * (outcome[1] == bit)
        return leaked, leaked
    low, high = short(e_to(Fraction(1, 100)))
    truths = outcome if bit else 100 - outcome
    scale = kept * comb(100, outcome)
    return scale * low**truths / (1 + high) ** 100, scale * high**truths / (1 + low) ** 100


SAMPLED = {"exponential": Fraction(23), "noisy-sum": Fraction(5)}
"""ε."""

BY_HAND: dict[str, Refutation] = {
    "BuNS-2.16.privacy.100-times-below": Refutation(
        told_a_hundred_times, Fraction(392, 1000), 100 * Fraction(1, 10**8) + Fraction(1, 10**6)
    ),
    "BNS-J-2.24.privacy.printed-below": Refutation(partial(real_count_at_most, ONE), 1 - A_BIT),
    "BNS-J-2.24.privacy.discrete-below": Refutation(partial(noisy_count, ONE), 1 - A_BIT),
    **at_each(f"{A_DIST}.printed", journal, TENTH, *ALL),
    **at_each(f"{A_DIST}.printed-counts", on_frequencies(journal), TENTH, *ALL),
    **at_each(f"{A_DIST}.printed-add-remove", on_frequencies(journal), TENTH, "", "-3"),
    **at_each(f"{A_DIST}.discrete", journal_discrete, TENTH, *ALL),
    **at_each(f"{A_DIST}.printed-every-epsilon", journal, TENTH, ""),
    **at_each(f"{A_DIST}.printed-every-delta", journal, TENTH, ""),
    **at_each(f"{A_DIST}.printed-one-score-every-delta", journal, TENTH, ""),
    **at_each(f"{OF_BUNS}.printed-every-delta", journal, TENTH, ""),
    **{
        f"{A_DIST}.corrected-{name}-below-every-delta": Refutation(partial(family_with, delta, *constants), ONE, delta)
        for name, delta, constants in (
            ("scale", TENTH**2, (Fraction(7, 4), Fraction(1, 2), Fraction(2))),
            ("shift", TENTH, (Fraction(2), Fraction(1, 2), Fraction(7, 4))),
            ("constant", TENTH, (Fraction(2), Fraction(2, 5), Fraction(2))),
        )
    },
    f"{A_DIST}.printed-small-epsilon": Refutation(partial(journal, TENTH**2, TENTH), TENTH, TENTH**2),
    f"{A_DIST}.printed-small-delta": Refutation(partial(journal, MILLIONTH, THREE), THREE, MILLIONTH),
    f"{A_DIST}.corrected-scale-below": Refutation(
        partial(family, MILLIONTH, THREE, Fraction(7, 4), Fraction(2)), THREE, MILLIONTH
    ),
    f"{A_DIST}.corrected-shift-below": Refutation(
        partial(family, MILLIONTH, THREE, Fraction(2), Fraction(7, 4)), THREE, MILLIONTH
    ),
    f"{A_DIST}.corrected-discrete-below": Refutation(partial(discrete_below, TENTH), ONE, TENTH),
    f"{A_DIST}.whole-threshold-scale-1-every-epsilon": Refutation(
        partial(whole_threshold, ONE), ONE, e_to(Fraction(-2))[1]
    ),
    **at_each(f"{OF_BUNS}.printed", journal, TENTH**2, *ALL),
    **at_each(f"{OF_BUNS}.printed-counts", on_frequencies(journal), TENTH**2, *ALL),
    **at_each(f"{OF_BUNS}.discrete", journal_discrete, TENTH**2, *ALL),
    **{
        f"BNS-J-4.4.privacy.{variant}": Refutation(partial(choosing, rows, epsilon), epsilon, TENTH)
        for variant, (epsilon, rows) in CHOOSING.items()
    },
    # 15 rows are the fewest with m ≥ 8·(1/4 + ln 5), and 2 the fewest with m ≥ ½·ln 10, at ε = 1 and 32, δ = 1/10
    "BNS-J-4.4.privacy.enough-rows-below-every-delta": Refutation(partial(choosing, 15, ONE), ONE, 9 * TENTH**2),
    "BNS-J-4.4.privacy.printed-every-delta": Refutation(partial(choosing, 2, Fraction(32)), Fraction(32), TENTH),
    "CHS-Alg1.privacy.least-slack-below": Refutation(partial(large_margin, Fraction(3, 100)), ONE, TENTH),
    "CHS-Alg1.privacy.quarter-of-the-first-test-nine-items": Refutation(
        partial(large_margin_of_many, Fraction(1, 4), False), ONE, TENTH
    ),
    "CHS-Alg1.privacy.sixth-of-the-tests-five-items": Refutation(
        partial(large_margin_of_many, Fraction(1, 6), True), ONE, TENTH
    ),
    "LSL-Alg3.privacy.claimed": Refutation(partial(real_number_released_by_svt3, Fraction(2))),
    "LSL-Alg3.privacy.claimed-twice": Refutation(partial(real_number_released_by_svt3, Fraction(4))),
    "LSL-Alg3.privacy.discrete": Refutation(released),
    "LSL-Alg4.privacy.claimed": Refutation(partial(sparse_vector, Fraction(4), Fraction(4, 3))),
    "LSL-Alg5.privacy.claimed": Refutation(partial(sparse_vector, Fraction(2), None)),
    "LSL-Alg6.privacy.claimed": Refutation(partial(sparse_vector, Fraction(2), Fraction(2))),
    "LSL-Alg4.privacy.claimed-every-epsilon": Refutation(partial(sparse_vector, Fraction(4), Fraction(4, 3))),
    "LSL-Alg6.privacy.claimed-every-epsilon": Refutation(partial(sparse_vector, Fraction(2), Fraction(2))),
    "LSL-Alg4.privacy.discrete-every-epsilon": Refutation(partial(discrete_sparse_vector, Fraction(4), Fraction(4, 3))),
    "LSL-Alg6.privacy.discrete-every-epsilon": Refutation(partial(discrete_sparse_vector, Fraction(2), Fraction(2))),
    **{
        f"BuNS-2.25.privacy.{inner}-every-epsilon": Refutation(
            partial(one_on_a_sample, inner, epsilon), epsilon * Fraction(3, 8)
        )
        for inner, epsilon in SAMPLED.items()
    },
}
