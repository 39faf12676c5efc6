"""Composition and secrecy of the sample: what Beimel, Nissim & Stemmer and Bun, Nissim & Stemmer use of both.

Composition is decided on the dominating pair of (ε,δ)-privacy, of which every (ε,δ)-private mechanism on two neighbours
is a post-processing: what holds of it holds of k adaptively chosen mechanisms.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.exact.exact_numbers import ExactLike
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.mechanism import Draw, Mechanism
from dpverify.mechanisms.laws.noise import discrete_laplace
from dpverify.mechanisms.selection.composition import (
    advanced_composition_epsilon,
    composition,
    hardest_composition,
    leaky_randomized_response,
)
from dpverify.mechanisms.selection.exponential_mechanism import exponential
from dpverify.mechanisms.selection.subsampling import delta_of_sample, epsilon_of_sample, on_a_sample
from dpverify.verifiers.catalogue.counting import frequencies
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.privacy.domains import Multisets

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


def first_part_twice(draw: Draw, bit: int, *, parts: Sequence[Any]) -> tuple[Any, ...]:
    """Mutant: the first mechanism is used a second time."""
    return composition(draw, bit, parts=(parts[0], *parts))


_TENTH: Final = Fraction(1, 10)

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
            (leaky_randomized_response, {"epsilon": Fraction(1, 2), "delta": _TENTH}),
        )
    },
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
        mutant=used_once_more,
    )
    for times, epsilon, delta, suffix in (
        (2, Fraction(1), Fraction(0), "-pure"),
        (10, Fraction(1, 2), Fraction(1, 1000), ""),
        (100, _TENTH, Fraction(1, 10**6), ""),
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
        mutant=used_twelve_times_as_often,
    )
    for row, source, times, epsilon, delta, failure, suffix in (
        ("BNS-J-2.5", "journal version, Theorem 2.5", 10, _TENTH, Fraction(0), Fraction(1, 100), "-pure"),
        ("BNS-J-2.5", "journal version, Theorem 2.5", 25, _TENTH, Fraction(1, 10**6), Fraction(1, 10**6), ""),
        ("BuNS-2.16", "BuNS, Theorem 2.16, formulas as reconstructed", 30, _TENTH, Fraction(0), Fraction(1, 10**6), ""),
    )
)


# Secrecy of the sample: m of n rows with replacement.


def most_frequent_bit(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike) -> Distribution[int]:
    """The bit that occurs most often, by the exponential mechanism."""
    return exponential(frequencies(rows, 2), epsilon)


def noisy_sum(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    """The number of ones with discrete Laplace noise."""
    return sum(rows) + draw(discrete_laplace(1 / epsilon))


def leaky_or(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike, delta: ExactLike) -> Distribution[Any]:
    """Whether some row is 1, as leakily as (ε,δ)-privacy allows."""
    return leaky_randomized_response(draw, max(rows), epsilon=epsilon, delta=delta)


def without_sampling(
    draw: Draw, rows: Sequence[Hashable], *, mechanism: Mechanism, parameters: dict[str, Any], **ignored: Any
) -> Any:
    """Mutant: runs on all rows."""
    return draw(mechanism, tuple(rows), **parameters)


def _on_sample(name: str, mechanism: Mechanism, size: int, rows: int, epsilon: Fraction, delta: Fraction) -> Claim:
    given: dict[str, Any] = {"epsilon": epsilon} | ({"delta": delta} if delta else {})
    return Claim(
        id=f"BuNS-2.25.privacy.{name}",
        source="BuNS, Lemma 2.25, formulas as reconstructed",
        statement=f"{mechanism.__name__}, ({epsilon}, {delta})-private, on {size} of {rows} rows with replacement "
        "is (6εm/n, 4·exp(6εm/n)·(m/n)·δ)-private",
        mechanism=on_a_sample,
        domain=Multisets(BITS, size=rows),
        epsilon=epsilon_of_sample(size=size, rows=rows, epsilon=epsilon),
        delta=delta_of_sample(size=size, rows=rows, epsilon=epsilon, delta=delta),
        parameters={"size": size, "mechanism": mechanism, "parameters": given},
        mutant=without_sampling,
    )


samples = (
    _on_sample("exponential", most_frequent_bit, 2, 13, Fraction(1), Fraction(0)),
    _on_sample("exponential-small", most_frequent_bit, 1, 16, Fraction(1, 4), Fraction(0)),
    _on_sample("noisy-sum", noisy_sum, 2, 13, Fraction(1), Fraction(0)),
    _on_sample("leaky", leaky_or, 1, 16, Fraction(1), _TENTH),
)
