"""Privacy of the Laplace mechanism: Beimel, Nissim & Stemmer, journal version, Theorem 2.24."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.exact.exact_numbers import Exact
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.laws.noise import laplace
from dpverify.mechanisms.selection.laplace_mechanism import clamped_laplace_mechanism, discrete_laplace_mechanism
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.families import at_each_epsilon, at_every_epsilon
from dpverify.verifiers.catalogue.refuted import variant
from dpverify.verifiers.catalogue.selection.counting import frequencies
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.privacy.domains import Multisets, Tuples
from dpverify.verifiers.privacy.neighbours import add_or_remove_one

A_BIT: Final = Fraction(1, 10**12)
REFUTED: Final = Status.REFUTED
_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


def noisy_count(draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact) -> tuple[Any, ...]:
    """The number of ones, of sensitivity 1, with discrete Laplace noise."""
    return discrete_laplace_mechanism(draw, [sum(rows)], epsilon=epsilon)


def noisy_count_with_half_the_noise(draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact) -> tuple[Any, ...]:
    """Mutant: noise of half the scale."""
    return discrete_laplace_mechanism(draw, [sum(rows)], epsilon=2 * epsilon)


def clamped_count(draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact) -> tuple[Any, ...]:
    """The number of ones with discrete Laplace noise, clamped to what a count may be."""
    return clamped_laplace_mechanism(draw, [sum(rows)], 0, len(rows), epsilon=epsilon)


def clamped_count_with_half_the_noise(draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact) -> tuple[Any, ...]:
    """Mutant: noise of half the scale."""
    return clamped_laplace_mechanism(draw, [sum(rows)], 0, len(rows), epsilon=2 * epsilon)


def binned_count(draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact) -> int:
    """The number of ones with Lap(1/ε) as printed, of which only the bin is released: the first whole t above it."""
    noisy = sum(rows) + draw(laplace(1 / epsilon))
    for t in range(len(rows) + 1):
        if noisy < t:
            return t
    return len(rows) + 1


def binned_count_with_half_the_noise(draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact) -> int:
    """Mutant: noise of half the scale."""
    return binned_count(draw, rows, epsilon=2 * epsilon)


def noisy_histogram(
    draw: Draw, rows: Sequence[int], *, values: int, sensitivity: int, epsilon: Fraction | Exact
) -> Any:
    """The frequencies of all values, of the given sensitivity in ℓ1, with discrete Laplace noise on each."""
    counts = frequencies(rows, values).values()
    return discrete_laplace_mechanism(draw, counts, epsilon=epsilon, sensitivity=sensitivity)


def noisy_histogram_with_half_the_noise(
    draw: Draw, rows: Sequence[int], *, values: int, sensitivity: int, epsilon: Fraction | Exact
) -> Any:
    """Mutant: noise of half the scale."""
    return noisy_histogram(draw, rows, values=values, sensitivity=sensitivity, epsilon=2 * epsilon)


_LAPLACE: Final = "Beimel, Nissim & Stemmer, journal version, Theorem 2.24"
BITS: Final = Tuples((0, 1), size=6)

laplace_discrete = at_each_epsilon(
    "BNS-J-2.24.privacy.discrete",
    source=_LAPLACE,
    statement="a count with discrete Laplace noise of scale 1/ε is ε-private",
    mechanism=noisy_count,
    domain=BITS,
    mutant=noisy_count_with_half_the_noise,
)
laplace_discrete_below = Claim(
    id="BNS-J-2.24.privacy.discrete-below",
    source=_LAPLACE,
    statement="a count with discrete Laplace noise of scale 1 is (1 − 10⁻¹²)-private",
    mechanism=noisy_count,
    domain=BITS,
    epsilon=1 - A_BIT,
    parameters={"epsilon": 1},
    expected=REFUTED,
    refutation=variant("The ε is less than the one that the theorem claims, by 10⁻¹²: nothing less holds."),
    mutant=noisy_count_with_half_the_noise,
)
laplace_clamped = at_each_epsilon(
    "BNS-J-2.24.privacy.clamped",
    source=_LAPLACE,
    statement="a count with discrete Laplace noise of scale 1/ε, clamped to [0, m], is ε-private",
    mechanism=clamped_count,
    domain=BITS,
    mutant=clamped_count_with_half_the_noise,
)
laplace_binned = at_each_epsilon(
    "BNS-J-2.24.privacy.printed-binned",
    source=_LAPLACE,
    statement="a count with Lap(1/ε) is ε-private, as far as unit bins of the noisy count show",
    mechanism=binned_count,
    domain=BITS,
    mutant=binned_count_with_half_the_noise,
)
laplace_histogram = Claim(
    id="BNS-J-2.24.privacy.discrete-histogram",
    source=_LAPLACE,
    statement="a histogram, of ℓ1-sensitivity 2, with discrete Laplace noise of scale 2/ε is ε-private",
    mechanism=noisy_histogram,
    domain=Multisets(range(3), size=5),
    epsilon=1,
    parameters={"values": 3, "sensitivity": 2},
    mutant=noisy_histogram_with_half_the_noise,
)
laplace_histogram_add_remove = Claim(
    id="BNS-J-2.24.privacy.discrete-histogram-add-remove",
    source=_LAPLACE,
    statement="a histogram, of ℓ1-sensitivity 1 when rows are added or removed, with scale 1/ε is ε-private",
    mechanism=noisy_histogram,
    domain=Multisets(range(3), sizes=range(5)),
    neighbours=add_or_remove_one,
    epsilon=1,
    parameters={"values": 3, "sensitivity": 1},
    mutant=noisy_histogram_with_half_the_noise,
)

laplace_at_every_epsilon = tuple(
    at_every_epsilon(
        "BNS-J-2.24",
        variant=f"{variant}-",
        source=f"{_BNS}, Theorem 2.24",
        statement=f"{what} is ε-private, for every ε",
        mechanism=mechanism,
        domain=BITS,
        mutant=mutant,
    )
    for variant, what, mechanism, mutant in (
        (
            "discrete",
            "a count with discrete Laplace noise of scale 1/ε",
            noisy_count,
            noisy_count_with_half_the_noise,
        ),
        (
            "clamped",
            "a count with discrete Laplace noise of scale 1/ε, clamped to [0, m],",
            clamped_count,
            clamped_count_with_half_the_noise,
        ),
        (
            "printed-binned",
            "a count with Lap(1/ε), as far as unit bins of it show,",
            binned_count,
            binned_count_with_half_the_noise,
        ),
    )
)
histogram_at_every_epsilon = at_every_epsilon(
    "BNS-J-2.24",
    variant="discrete-histogram-",
    source=f"{_BNS}, Theorem 2.24",
    statement="a histogram, of ℓ1-sensitivity 2, with discrete Laplace noise of scale 2/ε is ε-private, for every ε",
    mechanism=noisy_histogram,
    domain=Multisets(range(3), size=4),
    parameters={"values": 3, "sensitivity": 2},
    mutant=noisy_histogram_with_half_the_noise,
)
