"""Privacy of compositions: what Beimel, Nissim & Stemmer and Bun, Nissim & Stemmer use of them.

Composition is decided on the dominating pair of (ε,δ)-privacy, of which every (ε,δ)-private mechanism on two neighbours
is a post-processing: what holds of it holds of k adaptively chosen mechanisms.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Distribution, Draw, Exact, exact, exp, symbolic
from dpverify.mechanisms.counting.binomial_weights import binomial_weights
from dpverify.mechanisms.numbers.exact_numbers import power, product, total
from dpverify.mechanisms.selection import advanced_composition_epsilon, composition, hardest_composition
from dpverify.mechanisms.selection.composition import leaky_randomized_response
from dpverify.verifiers.catalogue.families import BNS, HUNDREDTH, MILLIONTH, TENTH
from dpverify.verifiers.catalogue.finite import DOMINATING_PAIR
from dpverify.verifiers.catalogue.refuted import ONE_LESS
from dpverify.verifiers.privacy.family import Row, family, rows_of


def other_bit(bit: int) -> Iterator[int]:
    """The one neighbour of a bit."""
    yield 1 - bit


def used_once_more(draw: Draw, bit: int, *, times: int, **given: Any) -> Distribution[Any]:
    """Mutant: one use more than is claimed."""
    return hardest_composition(draw, bit, times=times + 1, **given)


def used_more(in_words: str, factor: int) -> Callable[..., Any]:
    """A mutant: so many times as many uses as are claimed."""

    def used(draw: Draw, bit: int, *, times: int, **given: Any) -> Any:
        return hardest_composition(draw, bit, times=factor * times, **given)

    used.__qualname__ = f"used_{in_words}_times_as_often"
    used.__doc__ = f"Mutant: {in_words} times as many uses as are claimed."
    return used


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


def far_from_half_with_twice_the_epsilon(draw: Draw, bit: int, *, times: int, epsilon: Exact, most: int) -> Any:
    """Mutant: each use takes twice the ε, so that half as many truths beyond half of them say as much."""
    return far_from_half(draw, bit, times=times, epsilon=2 * epsilon, most=(times + 2 * most) // 4)


def first_part_twice(draw: Draw, bit: int, *, parts: Sequence[Any]) -> tuple[Any, ...]:
    """Mutant: the first mechanism is used a second time."""
    return composition(draw, bit, parts=(parts[0], *parts))


def leaky(epsilon: Exact | Fraction | int, delta: Fraction) -> tuple[Any, dict[str, Any]]:
    """Randomized response that leaks as much as (ε,δ)-privacy allows, as a part of a composition."""
    return leaky_randomized_response, {"epsilon": epsilon, "delta": delta}


def _times(times: int, epsilon: Exact | Fraction, delta: Fraction) -> dict[str, Any]:
    return {"times": times, "epsilon": epsilon, "delta": delta}


_PAIR: Final = Row().having(
    mechanism=hardest_composition, domain=(0, 1), neighbours=other_bit, finite_because=DOMINATING_PAIR
)
two_parts = family(
    Row("BNS-J-2.3.privacy.two-mechanisms")
    .having(mechanism=composition, source=f"{BNS}, Theorem 2.3", mutant=first_part_twice)
    .of(_PAIR),
    Row()
    .says(
        "an (ε₁,δ₁)- and an (ε₂,δ₂)-private mechanism are together (ε₁+ε₂, δ₁+δ₂)-private; (1, 1/100) and (1/2, 1/10)"
    )
    .having(epsilon=Fraction(3, 2), delta=Fraction(11, 100))
    .run_with(parts=(leaky(1, HUNDREDTH), leaky(Fraction(1, 2), TENTH))),
    Row("-every-epsilon")
    .says("an (ε,1/100)- and an (ε/2,1/10)-private mechanism are together (3ε/2, 11/100)-private, for every ε")
    .having(epsilon=symbolic * Fraction(3, 2), delta=Fraction(11, 100))
    .run_with(parts=(leaky(symbolic, HUNDREDTH), leaky(symbolic / 2, TENTH))),
)
basic = family(
    Row("BNS-J-2.4.privacy.").having(source=f"{BNS}, Theorem 2.4; BuNS, Theorem 2.16", mutant=used_once_more).of(_PAIR),
    *(
        Row(f"{times}-times{suffix}")
        .says(f"k = {times} (ε₀,δ₀)-private mechanisms are together (k·ε₀, k·δ₀)-private; ε₀ = {epsilon}, δ₀ = {delta}")
        .having(epsilon=times * epsilon, delta=times * delta, parameters=_times(times, epsilon, delta))
        for times, epsilon, delta, suffix in (
            (2, Fraction(1), Fraction(0), "-pure"),
            (10, Fraction(1, 2), Fraction(1, 1000), ""),
            (100, TENTH, MILLIONTH, ""),
        )
    ),
    Row(
        "10-times-every-epsilon", "10 (ε,1/1000)-private mechanisms are together (10ε, 1/100)-private, for every ε"
    ).having(epsilon=10 * symbolic, delta=HUNDREDTH, parameters=_times(10, symbolic, Fraction(1, 1000))),
)
advanced = family(
    Row().having(mutant=used_more("twelve", 12)).of(_PAIR),
    *(
        Row(f"{row}.privacy.{times}-times{suffix}")
        .says(
            f"{times} (ε₀,δ₀)-private mechanisms are together (sqrt(2k·ln(1/δ′))·ε₀ + 2kε₀², kδ₀ + δ′)-private; "
            f"ε₀ = {TENTH}, δ₀ = {delta}, δ′ = {failure}"
        )
        .having(epsilon=advanced_composition_epsilon(times=times, epsilon=TENTH, failure=failure), source=source)
        .having(delta=times * delta + failure, parameters=_times(times, TENTH, delta))
        for row, source, times, delta, failure, suffix in (
            ("BNS-J-2.5", "journal version, Theorem 2.5", 10, Fraction(0), HUNDREDTH, "-pure"),
            ("BNS-J-2.5", "journal version, Theorem 2.5", 25, MILLIONTH, MILLIONTH, ""),
            ("BuNS-2.16", "BuNS, Theorem 2.16, formulas as reconstructed", 30, Fraction(0), MILLIONTH, ""),
        )
    ),
    # So many that the constants of the theorem show: without the 2 below the root ε′ needs 25 times the δ′.
    Row("BNS-J-2.5.privacy.10000-times")
    .says(
        "10,000 (ε₀,0)-private mechanisms are together (sqrt(2k·ln(1/δ′))·ε₀ + 2kε₀², δ′)-private; ε₀ = 1/1000, "
        "δ′ = 10⁻⁹; of whether one bit was told more than 5331 times, which needs as much δ as all of it"
    )
    .having(mechanism=far_from_half, delta=Fraction(1, 10**9), source=f"{BNS}, Theorem 2.5", depth="report")
    .having(epsilon=advanced_composition_epsilon(times=10_000, epsilon=Fraction(1, 1000), failure=Fraction(1, 10**9)))
    .having(mutant=far_from_half_with_twice_the_epsilon)
    .having(
        weak_because="δ′ bounds how likely the privacy loss is beyond ε′; the δ that is needed counts by how much it is"
    )
    .run_with(times=10_000, epsilon=Fraction(1, 1000), most=5331),
)

# Theorem 2.16 where it says less than adding up, beside the exact optimum: the least ε, in steps of 1/1000.
_BUNS: Final = "BuNS, Theorem 2.16, formulas as reconstructed"
beside_the_optimum = family(
    Row("BuNS-2.16.privacy.100-times")
    .says("100 (1/100, 10⁻⁸)-private mechanisms are together ({}, 100·10⁻⁸ + 10⁻⁶)-private")
    .having(delta=100 * Fraction(1, 10**8) + MILLIONTH, parameters=_times(100, HUNDREDTH, Fraction(1, 10**8)))
    .having(mutant=used_more("three", 3))
    .of(_PAIR),
    Row("", "sqrt(200·ln(10⁶))/100 + 200/10⁴ = 0.5457, where they add up to 1").having(
        epsilon=advanced_composition_epsilon(times=100, epsilon=HUNDREDTH, failure=MILLIONTH), source=_BUNS
    ),
    *rows_of(
        Row().having(source=f"{_BUNS}, beside the exact optimum"),
        Row("-optimum", "393/1000").having(epsilon=Fraction(393, 1000)),
        Row("-below", "392/1000").having(epsilon=Fraction(392, 1000), finite_because="", refuted=ONE_LESS),
    ),
)
