"""The steps of proofs of the catalogue: as expected, refuted by hand too, and the page that tells of them.

Each is decided, and compared with the committed audit, in `claims_catalogue.py`.
"""

import re
from collections.abc import Callable
from fractions import Fraction
from math import e, exp, log, log2

from docs.pages.papers import proof_steps_table
from docs.pages.papers.proof_steps_table import PAGE
from tests.catalogue.committed import committed
from tests.catalogue.release import steps_by_hand
from tests.examples import in_one

from dpverify.reports.kinds.step import StepResult
from dpverify.verifiers import Status
from dpverify.verifiers.catalogue import steps

BY_ID = {claim.id: claim for claim in steps()}
TEXT = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
E_LOW, E_HIGH = Fraction(271828, 100000), Fraction(271829, 100000)
HALF = Fraction(1, 2)


def decided(name: str) -> StepResult:
    result = committed()[name]
    assert isinstance(result, StepResult)
    return result


@in_one("name", BY_ID)
def test_it_is_as_expected(name: str) -> None:
    result = decided(name)
    assert result.surprise == "", result.reason
    assert re.fullmatch(r"(BNS-[JX]|BuNS|HRS|CHS)-[A-Za-z0-9.]+\.step\.[a-z0-9-]+", name)
    assert result.source
    assert result.statement


def test_the_page_is_current() -> None:
    assert proof_steps_table.page([decided(name) for name in BY_ID]) == TEXT


def test_what_fails_says_what_mends_it() -> None:
    for name, claim in BY_ID.items():
        assert bool(claim.mends) == (claim.verdict_expected is Status.REFUTED), name


def case_a() -> bool:
    """M = 1 is enough for the lemma, and e^(−εαm/16)/2 > δ = 1/18, as e^2.166 < 9."""
    alpha, epsilon = Fraction(99, 100), 35
    rows = 16 / (alpha * epsilon) * Fraction(log(Fraction(16) / (alpha * alpha * epsilon * Fraction(1, 18))))
    return rows < 1 and alpha * epsilon / 16 < Fraction(2166, 1000) and exp(2.166) < 9


def fact_1() -> bool:
    """ε = 64, α = 1/2, m = 3: e^16/e^6 = e^10 > δ/k; and (16/32)·ln 100 < 3."""
    return Fraction(1, 2) * Fraction(log(100)) < 3 and Fraction(1, 100) < E_LOW ** (16 - 6)


def fact_1_of_the_abstract() -> bool:
    """ε = 1, α = 1/2, k = 2, δ = 10⁻⁶ and m = 451: e^(1/4 − 451/32) > δ/2."""
    delta = Fraction(1, 10**6)
    enough = 32 * (0.25 + log(10**6)) < 451 and 32 * log(16 * 2 / 0.25) < 451
    # e^(451/32 − 1/4) = e^(443/32) < 2·10⁶
    return enough and (2 / delta) ** 32 > E_HIGH**443


def base() -> bool:
    """T = 1, α = β = 1/2, ε = 1, r = 33/8 > 4·log 2: two solutions, 2·e^(−33/32) > 1/2 as e^33 < 4^32."""
    return Fraction(33, 8) > 4 * log2(2) and E_HIGH**33 < 4**32


def noise_of_b1() -> bool:
    """12/(βεδ) = 1/2, whose logarithm is negative: m = 1 is allowed, and e^(−48/2464) ≥ 1 − 48/2464 > β/2."""
    return Fraction(12) / (HALF * 96 * HALF) < 1 and 1 - Fraction(48, 16 * 154) > Fraction(1, 4)


def one_iteration() -> bool:
    """The first iteration halts on step 3: y1 = 1, y2 = 0."""
    y1, y2 = 1, 0
    return y1 <= y2 + 1 and y1 > 2 * y2


def rounded() -> bool:
    """β = 1/2, ε = 1, M = 3 ≥ 2·ln 4: e^(−1)/2 + e^(−2)/2 > 1/4."""
    return 2 * log(4) < 3 and Fraction(1, 4) < 1 / E_HIGH / 2 + 1 / E_HIGH**2 / 2


def closeness() -> bool:
    """α = β = 1/4, M/t = 1/96."""
    x = Fraction(1, 96)
    return 2 * (1 + 2 * x) + 2 * x > 2 + 4 * x


def rows_of_s2() -> bool:
    """The exponent of the display is that of m rows, and S2 has m − n of them."""
    m, n = 10000, 1000
    return -Fraction(1, 4) * (m - n) / 8 > -Fraction(1, 4) * m / 8


def rows_of_3_22() -> bool:
    """n = 1, α = δ = 1 − 10⁻⁷: ln(5/δ) > 1, and 10⁶·ln(1/(αδ)) ≤ 10⁶·(1/(αδ) − 1) < 1."""
    alpha = 1 - Fraction(1, 10**7)
    return 5 / alpha > 3 and 10**6 * (1 / alpha**2 - 1) < 1


def chernoff() -> bool:
    """One variable, p = 1/100, δ = 98: 1 > 99/100 with probability 1/100 > e^(−32) > e^(−9604/300)."""
    p, delta = Fraction(1, 100), 98
    return (1 + delta) * p < 1 and p > 1 / E_LOW**32 and p * delta**2 / 3 > 32


def sanitized_points() -> bool:
    """α = 1 − 10⁻⁷, β = 1/2, d = 10⁹: ln 2 > 69/100, ln 10⁷ < 17; ln(1/α) < 10⁻⁷/α and α³ > 1/2."""
    few = Fraction(1, 10**7)
    logs = (E_LOW**17 > 10**7, E_HIGH**69 < 2**100, E_LOW**7 > 2**10)
    left = 10**9 * Fraction(69, 100) - 1 - 17
    asked = 10**6 * (10**9 * Fraction(7, 10) * 2 * few / (1 - few) + 2 * Fraction(7, 10))
    return all(logs) and (1 - few) ** 3 > HALF and left > asked


def next_to_delta_one() -> bool:
    """δ = 1 − η, η = 10⁻²⁰, β = η/10: √ln(1/δ) < 2·10⁻¹⁰, ln(2·4/β) < 52; (1 + e)·β < η, so one row is too few."""
    eta = Fraction(1, 10**20)
    asked = [10**6 * root * 8 * Fraction(2, 10**10) * 52 for root in (1, 3)]  # k = 1 and 2, 2^1.5 < 3
    return max(asked) < 1 and 80 / eta < E_LOW**52 and (1 + E_HIGH) * eta / 10 < eta and eta < (1 - eta) / 2


def nothing_is_asked_for() -> bool:
    """ln(4/(256/64)) = 0 and ln(1/(64/64)) = 0; one of 2^65536 rows is told with 1/4 + e^256/2^65536 < 3/4."""
    return Fraction(4 * 64, 256) == 1 and Fraction(4 * 8 * 2, 64) == 1 and 2 * E_HIGH**256 < 2**65536


def a_sixth_of_a_row() -> bool:
    """10⁶·ln(64)·4/10⁸ < 1, as ln 64 < 5; e^(10⁸) < 2^(10⁹)/2, as e < 2²."""
    return E_LOW**5 > 64 and Fraction(10**6 * 5 * 4, 10**8) < 1 and E_HIGH < 4 and 2 * 10**8 < 10**9 - 1


def below_one_example(left: Fraction, one_less: Fraction) -> bool:
    """10⁶ times some multiple of ln(1/x) is below 1: ln(1/x) ≤ 1/x − 1."""
    return 10**6 * left * (1 / (1 - one_less) - 1) < 1


BY_HAND: dict[str, Callable[[], bool]] = {
    "BNS-J-4.6.step.delta-near-one": next_to_delta_one,
    "BNS-J-4.13.step.large-epsilon": nothing_is_asked_for,
    "BNS-J-3.22.step.large-epsilon": nothing_is_asked_for,
    "BuNS-2.20.step.large-epsilon": a_sixth_of_a_row,
    "BNS-J-3.2.step.order-near-one": lambda: below_one_example(Fraction(2) * 2, HALF**30),
    "BNS-X-Thm2.step.delta-near-one": lambda: below_one_example(Fraction(16), Fraction(1, 10**9)),
    "BNS-J-2.21.step.one-row": lambda: below_one_example(Fraction(2), Fraction(1, 10**7)),
    "BNS-J-2.12.step.half": lambda: HALF + HALF * 0 <= HALF and 1 / (10**6 * HALF) > 0,
    "BNS-J-2.19.step.rows-printed": sanitized_points,
    # One row, ε = 10⁻⁶.
    "BNS-J-5.9.step.t-printed": lambda: 1 + 1 / Fraction(1, 10**6) > 10**6,
    # α = β = δ = 1/2, ε = 10⁸: 16·ln 4 > 16, and 10⁶·ln(4)/(10⁸/2) < 1.
    "BNS-J-3.2.step.order-any-epsilon": lambda: E_HIGH < 4 and Fraction(2 * 10**6, 10**8) * 2 < 1 and E_LOW**2 > 4,
    # n = 2^1 points: of no interval is b − a = 2.
    "BNS-J-3.5.step.longest-printed": lambda: all(b - a != 2 for a in range(2) for b in range(a, 2)),
    # α = 1/16 and log*(d) = 20.
    "BNS-X-Thm2.step.sixteen-printed": lambda: (2 / Fraction(1, 16)) ** 20 > 10**6 * 16**20,
    # T = 1, α = β = δ = 1/2, ε = 1, r = 156 ≥ 32·ln 128: the worse has 1/(1 + e^78) > 0.
    "BNS-X-Lem3.step.no-recursion-printed": lambda: E_LOW**39 > 128**8 and 1 / (1 + E_HIGH**78) > 0,
    # β = 1/2: of the ways on which all calls succeed, 1/2 and 1/4, the first has the bad choice.
    "BNS-J-4.10.step.given-success-printed": lambda: HALF / (HALF + HALF * HALF) > HALF,
    # Two samples of two rows, of which another one is no 0^d: they differ in two places.
    "BNS-J-5.7.step.distance-printed": lambda: sum(x != y for x, y in zip((1, 0), (0, 2), strict=True)) > 1,
    "BNS-J-2.6.step.above": chernoff,
    "BNS-J-4.4.step.case-a-any-epsilon": case_a,
    "BNS-J-4.4.step.fact-1-any-epsilon": fact_1,
    "BNS-X-Lem4.step.fact-1": fact_1_of_the_abstract,
    "BNS-J-3.14.step.base": base,
    "BNS-J-4.10.step.b1-any-epsilon": noise_of_b1,
    "BNS-J-4.11.step.y1-printed": one_iteration,
    "BNS-J-5.4.step.laplace-rounded": rounded,
    "BNS-J-5.4.step.closeness": closeness,
    # α = β = 1/4, VC = 1: (64/α)·(ln 512 + ln 32) = 256·14·ln 2 > (32/α)·(ln 256 + ln 32) = 128·13·ln 2.
    "BNS-J-6.2.step.n": lambda: 256 * (9 + 5) > 128 * (8 + 5),
    "BNS-J-6.2.step.e3": rows_of_s2,
    "BNS-J-3.22.step.logarithm-printed": rows_of_3_22,
    # ε = 200, α = β = 1/4, VC = 1: 128·13·ln 2 + 96·4·ln 2 > (768·16/200)·(8 + 10)·ln 2.
    "BNS-J-6.2.step.m-any-epsilon": lambda: Fraction(768 * 16, 200) * 18 < 128 * 13 + 96 * 4,
    **steps_by_hand.BY_HAND,
}


@in_one("name", BY_HAND)
def test_it_fails_by_hand(name: str) -> None:
    assert E_LOW < Fraction(e) < E_HIGH
    assert BY_HAND[name]()


def test_every_refuted_step_fails_by_hand() -> None:
    assert set(BY_HAND) == {name for name, claim in BY_ID.items() if claim.verdict_expected is Status.REFUTED}
