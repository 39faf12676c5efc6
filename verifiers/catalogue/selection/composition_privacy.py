"""Privacy of compositions: what Beimel, Nissim & Stemmer and Bun, Nissim & Stemmer use of them.

Composition is decided on the dominating pair of (ε,δ)-privacy, of which every (ε,δ)-private mechanism on two neighbours
is a post-processing: what holds of it holds of k adaptively chosen mechanisms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.counting.binomial_weights import binomial_weights
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact, power, product, total
from dpverify.mechanisms.selection.composition import (
    advanced_composition_epsilon,
    composition,
    hardest_composition,
    leaky_randomized_response,
)
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.verifiers.catalogue.families import at_every_epsilon
from dpverify.verifiers.catalogue.finite import DOMINATING_PAIR
from dpverify.verifiers.catalogue.refuted import ONE_LESS, as_expected
from dpverify.verifiers.privacy.claim import Claim

TENTH: Final = Fraction(1, 10)
_BNS: Final = "Beimel, Nissim & Stemmer, journal version"

BITS: Final = (0, 1)


def other_bit(bit: int) -> Iterator[int]:
    """The one neighbour of a bit."""
    yield 1 - bit


def used_once_more(draw: Draw, bit: int, *, times: int, **given: Any) -> Distribution[Any]:
    """Mutant: one use more than is claimed."""
    return hardest_composition(draw, bit, times=times + 1, **given)


def used_twelve_times_as_often(draw: Draw, bit: int, *, times: int, **given: Any) -> Distribution[Any]:
    """Mutant: twelve times as many uses as are claimed."""
    return hardest_composition(draw, bit, times=12 * times, **given)


def used_three_times_as_often(draw: Draw, bit: int, *, times: int, **given: Any) -> Distribution[Any]:
    """Mutant: three times as many uses as are claimed."""
    return hardest_composition(draw, bit, times=3 * times, **given)


def far_from_half(draw: Draw, bit: int, *, times: int, epsilon: Exact, most: int) -> Distribution[Any]:
    """Of `hardest_composition` at δ = 0, whether the bit was told more than `most` times, or the other one was.

    An outcome with i truths has the ratio e^((2i − times)·ε). The δ that is needed at an ε′ with
    2·most − times ≤ ε′/ε < 2·most + 2 − times is that of all outcomes with more than `most` truths together: it is the
    one that is needed here, and the law has three numbers instead of ten thousand.
    """
    e = exp(exact(epsilon, "epsilon"))
    ways = [product((exact(each), power(e, i))) for i, each in enumerate(binomial_weights(times, 1, 1))]
    told, between, denied = ways[most + 1 :], ways[times - most : most + 1], ways[: times - most]
    return Distribution({bit: total(told), None: total(between), 1 - bit: total(denied)})


def far_from_half_with_twice_the_epsilon(
    draw: Draw, bit: int, *, times: int, epsilon: Exact, most: int
) -> Distribution[Any]:
    """Mutant: each use takes twice the ε, so that half as many truths beyond half of them say as much."""
    return far_from_half(draw, bit, times=times, epsilon=2 * epsilon, most=(times + 2 * most) // 4)


def first_part_twice(draw: Draw, bit: int, *, parts: Sequence[Any]) -> tuple[Any, ...]:
    """Mutant: the first mechanism is used a second time."""
    return composition(draw, bit, parts=(parts[0], *parts))


two_parts = Claim(
    id="BNS-J-2.3.privacy.two-mechanisms",
    source="Beimel, Nissim & Stemmer, journal version, Theorem 2.3",
    statement="an (ε₁,δ₁)- and an (ε₂,δ₂)-private mechanism are together (ε₁+ε₂, δ₁+δ₂)-private; "
    "(1, 1/100) and (1/2, 1/10)",
    mechanism=composition,
    domain=BITS,
    neighbours=other_bit,
    epsilon=Fraction(3, 2),
    delta=Fraction(11, 100),
    parameters={
        "parts": (
            (leaky_randomized_response, {"epsilon": 1, "delta": Fraction(1, 100)}),
            (leaky_randomized_response, {"epsilon": Fraction(1, 2), "delta": TENTH}),
        )
    },
    finite_because=DOMINATING_PAIR,
    mutant=first_part_twice,
)
basic = tuple(
    Claim(
        id=f"BNS-J-2.4.privacy.{times}-times{suffix}",
        source="Beimel, Nissim & Stemmer, journal version, Theorem 2.4; BuNS, Theorem 2.16",
        statement=f"k = {times} (ε₀,δ₀)-private mechanisms are together (k·ε₀, k·δ₀)-private; "
        f"ε₀ = {epsilon}, δ₀ = {delta}",
        mechanism=hardest_composition,
        domain=BITS,
        neighbours=other_bit,
        epsilon=times * epsilon,
        delta=times * delta,
        parameters={"times": times, "epsilon": epsilon, "delta": delta},
        finite_because=DOMINATING_PAIR,
        mutant=used_once_more,
    )
    for times, epsilon, delta, suffix in (
        (2, Fraction(1), Fraction(0), "-pure"),
        (10, Fraction(1, 2), Fraction(1, 1000), ""),
        (100, TENTH, Fraction(1, 10**6), ""),
    )
)
advanced = tuple(
    Claim(
        id=f"{row}.privacy.{times}-times{suffix}",
        source=source,
        statement=f"{times} (ε₀,δ₀)-private mechanisms are together (sqrt(2k·ln(1/δ′))·ε₀ + 2kε₀², kδ₀ + δ′)-private; "
        f"ε₀ = {epsilon}, δ₀ = {delta}, δ′ = {failure}",
        mechanism=hardest_composition,
        domain=BITS,
        neighbours=other_bit,
        epsilon=advanced_composition_epsilon(times=times, epsilon=epsilon, failure=failure),
        delta=times * delta + failure,
        parameters={"times": times, "epsilon": epsilon, "delta": delta},
        finite_because=DOMINATING_PAIR,
        mutant=used_twelve_times_as_often,
    )
    for row, source, times, epsilon, delta, failure, suffix in (
        ("BNS-J-2.5", "journal version, Theorem 2.5", 10, TENTH, Fraction(0), Fraction(1, 100), "-pure"),
        ("BNS-J-2.5", "journal version, Theorem 2.5", 25, TENTH, Fraction(1, 10**6), Fraction(1, 10**6), ""),
        ("BuNS-2.16", "BuNS, Theorem 2.16, formulas as reconstructed", 30, TENTH, Fraction(0), Fraction(1, 10**6), ""),
    )
)

# So many that the constants of the theorem show: without the 2 below the root ε′ needs 25 times the δ′.
ten_thousand_times = Claim(
    id="BNS-J-2.5.privacy.10000-times",
    source=f"{_BNS}, Theorem 2.5",
    statement="10,000 (ε₀,0)-private mechanisms are together (sqrt(2k·ln(1/δ′))·ε₀ + 2kε₀², δ′)-private; ε₀ = 1/1000, "
    "δ′ = 10⁻⁹; of whether one bit was told more than 5331 times, which needs as much δ as all of it",
    mechanism=far_from_half,
    domain=BITS,
    neighbours=other_bit,
    epsilon=advanced_composition_epsilon(times=10_000, epsilon=Fraction(1, 1000), failure=Fraction(1, 10**9)),
    delta=Fraction(1, 10**9),
    parameters={"times": 10_000, "epsilon": Fraction(1, 1000), "most": 5331},
    finite_because=DOMINATING_PAIR,
    mutant=far_from_half_with_twice_the_epsilon,
    weak_because="δ′ bounds how likely the privacy loss is beyond ε′; the δ that is needed counts by how much it is",
    depth="report",
)


# Theorem 2.16 where it says less than adding up, beside the exact optimum: the least ε, in steps of 1/1000.

_HUNDRED: Final = {"times": 100, "epsilon": Fraction(1, 100), "delta": Fraction(1, 10**8)}
_HUNDRED_TIMES: Final = "100 (1/100, 10⁻⁸)-private mechanisms are together"
beside_the_optimum = tuple(
    Claim(
        id=f"BuNS-2.16.privacy.100-times{suffix}",
        source="BuNS, Theorem 2.16, formulas as reconstructed" + ("" if not suffix else ", beside the exact optimum"),
        statement=f"{_HUNDRED_TIMES} ({what}, 100·10⁻⁸ + 10⁻⁶)-private",
        mechanism=hardest_composition,
        domain=BITS,
        neighbours=other_bit,
        epsilon=epsilon,
        delta=100 * Fraction(1, 10**8) + Fraction(1, 10**6),
        parameters=_HUNDRED,
        **as_expected(refuted),
        finite_because="" if refuted else DOMINATING_PAIR,
        mutant=used_three_times_as_often,
    )
    for suffix, what, epsilon, refuted in (
        (
            "",
            "sqrt(200·ln(10⁶))/100 + 200/10⁴ = 0.5457, where they add up to 1",
            advanced_composition_epsilon(times=100, epsilon=Fraction(1, 100), failure=Fraction(1, 10**6)),
            None,
        ),
        ("-optimum", "393/1000", Fraction(393, 1000), None),
        ("-below", "392/1000", Fraction(392, 1000), ONE_LESS),
    )
)


def _leaky(epsilon: Exact, delta: Fraction) -> tuple[Any, dict[str, Any]]:
    return leaky_randomized_response, {"epsilon": epsilon, "delta": delta}


two_parts_at_every_epsilon = at_every_epsilon(
    "BNS-J-2.3",
    variant="two-mechanisms-",
    source=f"{_BNS}, Theorem 2.3",
    statement="an (ε,1/100)- and an (ε/2,1/10)-private mechanism are together (3ε/2, 11/100)-private, for every ε",
    mechanism=composition,
    domain=BITS,
    neighbours=other_bit,
    epsilon=symbolic * Fraction(3, 2),
    delta=Fraction(11, 100),
    parameters={"parts": (_leaky(symbolic, Fraction(1, 100)), _leaky(symbolic / 2, TENTH))},
    finite_because=DOMINATING_PAIR,
    mutant=first_part_twice,
)
ten_times_at_every_epsilon = at_every_epsilon(
    "BNS-J-2.4",
    variant="10-times-",
    source=f"{_BNS}, Theorem 2.4; BuNS, Theorem 2.16",
    statement="10 (ε,1/1000)-private mechanisms are together (10ε, 1/100)-private, for every ε",
    mechanism=hardest_composition,
    domain=BITS,
    neighbours=other_bit,
    epsilon=10 * symbolic,
    delta=Fraction(1, 100),
    parameters={"times": 10, "epsilon": symbolic, "delta": Fraction(1, 1000)},
    finite_because=DOMINATING_PAIR,
    mutant=used_once_more,
)
