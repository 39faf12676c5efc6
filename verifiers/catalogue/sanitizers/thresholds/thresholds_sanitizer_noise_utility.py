"""Utility of the sanitizer for thresholds: the events of its noise in the proof, B1 and E3."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Final, TypeAlias

from dpverify.mechanisms import Draw, Exact, discrete_laplace, exact, laplace, log
from dpverify.mechanisms.counting.logarithms import log2, log_star
from dpverify.mechanisms.noise.law import Noise
from dpverify.verifiers.catalogue.corners import claimed_beta, ends_of, is_so, whether
from dpverify.verifiers.catalogue.families import BNS
from dpverify.verifiers.catalogue.refuted import Boundary
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import DELTAS, is_off
from dpverify.verifiers.utility.family import Case, ExactLike, Family, RandomCases, at_part, chosen, least_of


# Claim 4.10: B1, the noise of SanThresholds.
def rows_of_claim(case: Case) -> Exact:
    """8^(log* d)·(60c/(αε))·log* d·log(12·log* d/(βεδ)), which Claims 4.10, 4.11 and Lemma 4.12 ask for."""
    n, eps = log_star(case.facts["d"]), case.parameters["epsilon"]
    bound = log2(exact(12 * n / (case.facts["beta"] * eps * case.facts["delta"])))
    return exact(8) ** n * exact(60 * case.facts["calls"] / (case.facts["alpha"] * eps)) * n * bound


def rows_of_b1(case: Case) -> Exact:
    """(16c/(αε))·ln(2/β), of which the proof makes use."""
    each = case.facts["alpha"] * case.parameters["epsilon"]
    return exact(16 * case.facts["calls"] / each) * log(2 / case.facts["beta"])


def noise_of_a_call(draw: Draw, distance: Fraction, *, epsilon: ExactLike, noise: Noise = laplace) -> bool:
    """True where the two draws of Lap(1/ε) of a call are within a distance."""
    law = noise(1 / exact(epsilon))
    return not (is_off(draw(law), distance) or is_off(draw(law), distance))


def discrete_noise_of_a_call(draw: Draw, distance: Fraction, *, epsilon: ExactLike) -> bool:
    """The same with discrete noise, which `sanitize_thresholds` adds."""
    return noise_of_a_call(draw, distance, epsilon=epsilon, noise=discrete_laplace)


def first_noise(draw: Draw, distance: Fraction, *, epsilon: ExactLike) -> bool:
    """True where the draw of step 2, which every execution makes, is within a distance."""
    return not is_off(draw(laplace(1 / exact(epsilon))), distance)


_CALLS: Final = {Fraction(1, 100): 7700, Fraction(1, 2): 154, Fraction(99, 100): 78}
"""α → the least whole c ≥ 77/α."""
_BETAS: Final = (Fraction(1, 10**12), Fraction(1, 38_500), Fraction(1, 500))
_LARGE_EPSILONS: Final = (Fraction(1, 100), Fraction(1), Fraction(200), Fraction(467_000), Fraction(10**14))
Rows: TypeAlias = Callable[[Case], Exact]
"""The m that is asked for in a case."""
Distance: TypeAlias = Callable[[Fraction, int, int], Fraction]
"""The distance that noise must keep, by α, c and m."""


def noise_case(
    alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction, more: int, rows: Rows, distance: Distance
) -> Case:
    """The distance that noise must keep, of the least whole m ≥ `rows`, or some more, but at least of one."""
    facts = {"alpha": alpha, "beta": beta, "delta": delta, "d": 2, "calls": _CALLS[alpha]}
    m = max(1, ceil(rows(Case(0, {"epsilon": epsilon}, facts)))) + more
    return Case(distance(alpha, _CALLS[alpha], m), {"epsilon": epsilon}, {**facts, "rows": m, "more": more})


def noises(rows: Rows, distance: Distance) -> Callable[[], RandomCases]:
    """A strategy of such cases."""
    return chosen(
        partial(noise_case, rows=rows, distance=distance), sorted(_CALLS), _BETAS, _LARGE_EPSILONS, DELTAS, (0, 0, 1)
    )


def within_b1(alpha: Fraction, calls: int, m: int) -> Fraction:
    """αm/(16c), of B1."""
    return alpha * m / (16 * calls)


def within_e3(alpha: Fraction, calls: int, m: int) -> Fraction:
    """(αm/4)·(α/77), of E3."""
    return alpha * m / 4 * alpha / 77


_NOISE_CORNERS: Final[dict[str, Callable[[Case], bool]]] = {
    **ends_of(epsilon=_LARGE_EPSILONS),
    "the least β": lambda case: case.facts["beta"] == _BETAS[0],
    "rows at the bound": lambda case: case.facts["more"] == 0,
    "one row": lambda case: case.facts["rows"] == 1,
    "the least α": lambda case: case.facts["alpha"] == Fraction(1, 100),
}


def _at_large_epsilon(distance: Distance) -> Case:
    """The m that is asked for is not positive, since 12 < βεδ; β is such that 3cβ = 3/5.

    It fails for one row; three are what Lemma 4.8, on privacy, asks for, so that nothing hangs on that.
    """
    return noise_case(Fraction(1, 100), _BETAS[1], _LARGE_EPSILONS[3], DELTAS[2], 2, rows_of_claim, distance)


_FEW_ROWS: Final = (
    "For so large an ε, and δ = 99/100, the claim asks for a few rows, or none: the logarithm in it vanishes where "
    "βεδ = 12·log* d."
)
_AT: Final = "α = 1/2, β = 1/500, ε = 1"


def three_times(case: Case) -> Fraction:
    """3cβ."""
    return Fraction(3 * case.facts["calls"] * case.facts["beta"])


noise_as_printed = Family(
    first_noise,
    is_so,
    three_times,
    at_part("first_noise_at_half_epsilon", first_noise, 2),
    lambda case: case.facts["rows"] >= rows_of_claim(case),
)(
    "BNS-J-4.10.utility.b1",
    f"{BNS}, Claim 4.10",
    "the draw of Lap(1/ε) on step 2 is beyond αm/(16c), so that B1 ∧ B2 ∧ B3 does not happen, with "
    "probability ≤ 3cβ at the m of Claim 4.10",
    strategy=noises(rows_of_claim, within_b1),
    corners=_NOISE_CORNERS,
    degenerate=_FEW_ROWS,
    boundary=Boundary("461446", "461447"),
    examples=(_at_large_epsilon(within_b1),),
)
corrected = whether(noise_of_a_call, "noise_at_half_epsilon", 2, lambda case: case.facts["rows"] >= rows_of_b1(case))(
    "BNS-J-4.10.utility.b1-corrected",
    f"{BNS}, Claim 4.10, with m ≥ (16c/(αε))·ln(2/β), of which its proof makes use",
    "the two draws of Lap(1/ε) of a call are within αm/(16c) with probability ≥ 1 − β",
    strategy=noises(rows_of_b1, within_b1),
    corners=_NOISE_CORNERS,
    sharpness=least_of(
        f"rows, two draws, c = 154, {_AT}",
        ceil(16 * 154 * 2 * log(1000)),
        lambda m: [Case(within_b1(Fraction(1, 2), 154, m), {"epsilon": Fraction(1)}, {"beta": Fraction(1, 500)})],
        ours=True,
    ),
)
noise_discrete = whether(discrete_noise_of_a_call, "discrete_noise_at_half_epsilon", 2)(
    "BNS-J-4.10.utility.b1-discrete",
    f"{BNS}, Claim 4.10, with discrete noise, of which one more than αm/(16c) is lost by rounding",
    "the two draws of discrete Lap(1/ε) of a call are within αm/(16c) with probability ≥ 1 − β where "
    "m ≥ (16c/(αε))·ln(2/β) + 16c/α",
    strategy=noises(lambda case: rows_of_b1(case) + 16 * case.facts["calls"] / case.facts["alpha"], within_b1),
    corners={name: hit for name, hit in _NOISE_CORNERS.items() if name != "one row"},
)


# Claim 4.11: E3, the estimates of SanThresholds.
def estimate_of_the_first_call(draw: Draw, m: int, *, alpha: Fraction, epsilon: Exact, noise: Noise = laplace) -> bool:
    """E3 of the first call on m rows: whether its #̂[a, b] is within (αm/4)·(α/77) of #[a, b].

    The draw is that of step 2 where the call ends on step 3, and else that of step 11.
    """
    law, distance = noise(1 / exact(epsilon)), within_e3(alpha, 1, m)
    first = draw(law)
    return not is_off(first if m + first < alpha * m / 8 else draw(law), distance)


def estimate_case(case: Case) -> Case:
    """The number of rows in place of the distance."""
    alpha = case.facts["alpha"]
    return Case(case.facts["rows"], {"alpha": alpha, **case.parameters}, case.facts)


first_estimate = Family(
    estimate_of_the_first_call,
    is_so,
    claimed_beta,
    # what E3 allows is at least four times what B1 does
    at_part("estimate_at_an_eighth_of_epsilon", estimate_of_the_first_call, 8),
    lambda case: case.database >= rows_of_b1(case),
)
first_estimate_as_printed = replace(
    first_estimate, beta=three_times, holds_for=lambda case: case.database >= rows_of_claim(case)
)(
    "BNS-J-4.11.utility.e3",
    f"{BNS}, Claim 4.11",
    "#̂[a, b] of the first call is off by more than (αm/4)·(α/77), so that E1 ∧ E2 ∧ E3 does not happen, with "
    "probability ≤ 3cβ at the m of Claim 4.11",
    strategy=lambda: noises(rows_of_claim, within_e3)().map(estimate_case),
    corners=_NOISE_CORNERS,
    degenerate=_FEW_ROWS,
    boundary=Boundary("465446", "465447"),
    examples=(estimate_case(_at_large_epsilon(within_e3)),),
)
first_estimate_corrected = first_estimate(
    "BNS-J-4.11.utility.e3-corrected",
    f"{BNS}, Claim 4.11, with m ≥ (16c/(αε))·ln(2/β), of which the proof of Claim 4.10 makes use",
    "#̂[a, b] of the first call is off by more than (αm/4)·(α/77) with probability ≤ β",
    strategy=lambda: noises(rows_of_b1, within_e3)().map(estimate_case),
    corners=_NOISE_CORNERS,
    sharpness=least_of(
        f"rows, the first call of c = 154, {_AT}",
        ceil(16 * 154 * 2 * log(1000)),
        lambda m: [Case(m, {"alpha": Fraction(1, 2), "epsilon": Fraction(1)}, {"beta": Fraction(1, 500)})],
        ours=True,
    ),
)
