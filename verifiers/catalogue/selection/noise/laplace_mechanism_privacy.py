"""Privacy of the Laplace mechanism: Beimel, Nissim & Stemmer, Theorem 2.24, and Theorem 1 of the extended abstract.

As printed, with continuous noise that is released as a real number; and with discrete noise in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.selection.laplace_mechanism import (
    clamped_laplace_mechanism,
    discrete_laplace_mechanism,
    laplace_mechanism,
)
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.families import at_each_epsilon, at_every_epsilon, on_all
from dpverify.verifiers.catalogue.finite import CLAMPED, DIVIDES
from dpverify.verifiers.catalogue.refuted import variant
from dpverify.verifiers.catalogue.selection.counting import frequencies
from dpverify.verifiers.charts.domains import Histograms
from dpverify.verifiers.pairs.neighbours import add_or_remove_one, replace_one
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.domains import Multisets, Tuples

A_BIT: Final = Fraction(1, 10**12)
REFUTED: Final = Status.REFUTED
_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


def noisy_count(draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact) -> tuple[Any, ...]:
    """The number of ones, of sensitivity 1, with discrete Laplace noise."""
    return discrete_laplace_mechanism(draw, [sum(rows)], epsilon=epsilon)


def noisy_count_with_half_the_noise(draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact) -> tuple[Any, ...]:
    """Mutant: noise of half the scale."""
    return discrete_laplace_mechanism(draw, [sum(rows)], epsilon=2 * epsilon)


def clamped_count(
    draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact, noise: Noise = discrete_laplace
) -> tuple[Any, ...]:
    """The number of ones with noise of scale 1/ε, clamped to what a count may be."""
    return clamped_laplace_mechanism(draw, [sum(rows)], 0, len(rows), epsilon=epsilon, noise=noise)


def clamped_count_with_half_the_noise(
    draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact, noise: Noise = discrete_laplace
) -> tuple[Any, ...]:
    """Mutant: noise of half the scale."""
    return clamped_count(draw, rows, epsilon=2 * epsilon, noise=noise)


def real_count(draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact) -> tuple[Any, ...]:
    """The number of ones, of sensitivity 1, with Lap(1/ε)."""
    return laplace_mechanism(draw, [sum(rows)], epsilon=epsilon)


def real_count_with_half_the_noise(draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact) -> tuple[Any, ...]:
    """Mutant: noise of half the scale."""
    return laplace_mechanism(draw, [sum(rows)], epsilon=2 * epsilon)


def real_sum(
    draw: Draw, rows: Sequence[Any], *, sensitivity: int | Fraction, epsilon: Fraction | Exact
) -> tuple[Any, ...]:
    """The sum of the rows, of the given sensitivity k, with Lap(k/ε)."""
    return laplace_mechanism(draw, [sum(rows)], epsilon=epsilon, sensitivity=sensitivity)


def real_sum_as_if_a_count(draw: Draw, rows: Sequence[Any], *, epsilon: Fraction | Exact, **_: Any) -> tuple[Any, ...]:
    """Mutant: Lap(1/ε), whatever the sensitivity is."""
    return real_count(draw, rows, epsilon=epsilon)


def real_mean(draw: Draw, rows: Sequence[Any], *, epsilon: Fraction | Exact) -> tuple[Any, ...]:
    """The mean of m rows between 0 and 1, of sensitivity k = 1/m, with Lap(k/ε)."""
    m = len(rows)
    return laplace_mechanism(draw, [sum(rows) / Fraction(m)], epsilon=epsilon, sensitivity=Fraction(1, m))


def real_mean_with_half_the_noise(draw: Draw, rows: Sequence[Any], *, epsilon: Fraction | Exact) -> tuple[Any, ...]:
    """Mutant: noise of half the scale."""
    return real_mean(draw, rows, epsilon=2 * epsilon)


def sum_and_support(draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact) -> tuple[Any, ...]:
    """The sum of rows from 0 to 3 and the number of them above 0: 4 in ℓ1, which a row moves by at most 3 and 1."""
    return laplace_mechanism(draw, [sum(rows), sum(x > 0 for x in rows)], epsilon=epsilon, sensitivity=4)


def each_by_its_own_sensitivity(draw: Draw, rows: Sequence[int], *, epsilon: Fraction | Exact) -> tuple[Any, ...]:
    """Mutant: Lap(3/ε) on the sum and Lap(1/ε) on the number, as if each were alone."""
    return sum(rows) + draw(laplace(3 / epsilon)), sum(x > 0 for x in rows) + draw(laplace(1 / epsilon))


def real_histogram(
    draw: Draw, rows: Sequence[int], *, values: int, sensitivity: int, epsilon: Fraction | Exact
) -> tuple[Any, ...]:
    """The frequencies of all values, of the given sensitivity k in ℓ1, with Lap(k/ε) on each."""
    counts = tuple(frequencies(rows, values).values())
    return laplace_mechanism(draw, counts, epsilon=epsilon, sensitivity=sensitivity)


def real_histogram_as_if_a_count(
    draw: Draw, rows: Sequence[int], *, values: int, epsilon: Fraction | Exact, **_: Any
) -> tuple[Any, ...]:
    """Mutant: Lap(1/ε) on each, the sensitivity of one count, where a row that is replaced moves two of them."""
    return real_histogram(draw, rows, values=values, sensitivity=1, epsilon=epsilon)


def one_noise_for_all_counts(
    draw: Draw, rows: Sequence[int], *, values: int, sensitivity: int, epsilon: Fraction | Exact
) -> tuple[Any, ...]:
    """Mutant: one noise Lap(k/ε), added to every count: their differences are told."""
    noise = draw(laplace(sensitivity / epsilon))
    return tuple(count + noise for count in frequencies(rows, values).values())


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
_THEOREM_1: Final = "Beimel, Nissim & Stemmer, extended abstract, Theorem 1"
BITS: Final = Tuples((0, 1), size=6)
UP_TO_3: Final = Tuples(range(4), size=3)
SHARES: Final = Tuples((0, Fraction(1, 3), Fraction(1, 2), 1), size=3)

laplace_printed = at_each_epsilon(
    "BNS-J-2.24.privacy.printed",
    source=_LAPLACE,
    statement="a count with Lap(1/ε) is ε-private",
    mechanism=real_count,
    domain=BITS,
    **on_all(Histograms((0, 1))),
    mutant=real_count_with_half_the_noise,
)
laplace_printed_below = Claim(
    id="BNS-J-2.24.privacy.printed-below",
    source=_LAPLACE,
    statement="a count with Lap(1) is (1 − 10⁻¹²)-private",
    mechanism=real_count,
    domain=BITS,
    epsilon=1 - A_BIT,
    parameters={"epsilon": 1},
    expected=REFUTED,
    refutation=variant("The ε is less than the one that the theorem claims, by 10⁻¹²: nothing less holds."),
    mutant=real_count_with_half_the_noise,
)
laplace_printed_sums = tuple(
    Claim(
        id=f"BNS-J-2.24.privacy.printed-sum{suffix}",
        source=_LAPLACE,
        statement=f"a sum of rows from 0 to 3, of sensitivity 3{when}, with Lap(3/ε) is ε-private",
        mechanism=real_sum,
        domain=domain,
        neighbours=neighbours,
        epsilon=1,
        parameters={"sensitivity": 3},
        **on_all(Histograms(range(4))),
        mutant=real_sum_as_if_a_count,
    )
    for suffix, when, domain, neighbours in (
        ("", "", UP_TO_3, replace_one),
        ("-add-remove", " when rows are added or removed", Multisets(range(4), sizes=range(4)), add_or_remove_one),
    )
)
laplace_printed_vector = Claim(
    id="BNS-J-2.24.privacy.printed-vector",
    source=_LAPLACE,
    statement="a sum of rows from 0 to 3 and the number of rows above 0, of ℓ1-sensitivity 4, with Lap(4/ε) on each is "
    "ε-private",
    mechanism=sum_and_support,
    domain=UP_TO_3,
    epsilon=1,
    **on_all(Histograms(range(4))),
    mutant=each_by_its_own_sensitivity,
)
laplace_printed_histograms = (
    Claim(
        id="BNS-J-2.24.privacy.printed-histogram",
        source=_LAPLACE,
        statement="a histogram, of ℓ1-sensitivity 2, with Lap(2/ε) is ε-private",
        mechanism=real_histogram,
        domain=Multisets(range(3), size=5),
        epsilon=1,
        parameters={"values": 3, "sensitivity": 2},
        **on_all(Histograms(range(3))),
        mutant=real_histogram_as_if_a_count,
    ),
    Claim(
        id="BNS-J-2.24.privacy.printed-histogram-add-remove",
        source=_LAPLACE,
        statement="a histogram, of ℓ1-sensitivity 1 when rows are added or removed, with Lap(1/ε) is ε-private",
        mechanism=real_histogram,
        domain=Multisets(range(3), sizes=range(5)),
        neighbours=add_or_remove_one,
        epsilon=1,
        parameters={"values": 3, "sensitivity": 1},
        **on_all(Histograms(range(3))),
        mutant=one_noise_for_all_counts,
    ),
)
laplace_printed_clamped = Claim(
    id="BNS-J-2.24.privacy.printed-clamped",
    source=_LAPLACE,
    statement="a count with Lap(1/ε), clamped to [0, m], is ε-private",
    mechanism=clamped_count,
    domain=BITS,
    epsilon=1,
    parameters={"noise": laplace},
    finite_because=CLAMPED,
    mutant=clamped_count_with_half_the_noise,
)
laplace_of_theorem_1 = at_each_epsilon(
    "BNS-X-Thm1.privacy.printed",
    source=_THEOREM_1,
    statement="the mean of three rows in [0, 1], of sensitivity k = 1/3, with Lap(k/ε) is ε-private",
    mechanism=real_mean,
    domain=SHARES,
    finite_because=DIVIDES,
    mutant=real_mean_with_half_the_noise,
)

laplace_discrete = at_each_epsilon(
    "BNS-J-2.24.privacy.discrete",
    source=_LAPLACE,
    statement="a count with discrete Laplace noise of scale 1/ε is ε-private",
    mechanism=noisy_count,
    domain=BITS,
    **on_all(Histograms((0, 1))),
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
    finite_because=CLAMPED,
    mutant=clamped_count_with_half_the_noise,
)
laplace_histogram = Claim(
    id="BNS-J-2.24.privacy.discrete-histogram",
    source=_LAPLACE,
    statement="a histogram, of ℓ1-sensitivity 2, with discrete Laplace noise of scale 2/ε is ε-private",
    mechanism=noisy_histogram,
    domain=Multisets(range(3), size=5),
    epsilon=1,
    parameters={"values": 3, "sensitivity": 2},
    **on_all(Histograms(range(3))),
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
    **on_all(Histograms(range(3))),
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
        **of_counts,
        mutant=mutant,
    )
    for variant, what, mechanism, mutant, of_counts in (
        (
            "discrete",
            "a count with discrete Laplace noise of scale 1/ε",
            noisy_count,
            noisy_count_with_half_the_noise,
            on_all(Histograms((0, 1))),
        ),
        (
            "clamped",
            "a count with discrete Laplace noise of scale 1/ε, clamped to [0, m],",
            clamped_count,
            clamped_count_with_half_the_noise,
            {"finite_because": CLAMPED},
        ),
        (
            "printed",
            "a count with Lap(1/ε)",
            real_count,
            real_count_with_half_the_noise,
            on_all(Histograms((0, 1))),
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
    **on_all(Histograms(range(3))),
    mutant=noisy_histogram_with_half_the_noise,
)
printed_at_every_epsilon = (
    at_every_epsilon(
        "BNS-J-2.24",
        variant="printed-sum-",
        source=_LAPLACE,
        statement="a sum of rows from 0 to 3, of sensitivity 3, with Lap(3/ε) is ε-private, for every ε",
        mechanism=real_sum,
        domain=UP_TO_3,
        parameters={"sensitivity": 3},
        **on_all(Histograms(range(4))),
        mutant=real_sum_as_if_a_count,
    ),
    at_every_epsilon(
        "BNS-J-2.24",
        variant="printed-vector-",
        source=_LAPLACE,
        statement="a sum of rows from 0 to 3 and the number of rows above 0, of ℓ1-sensitivity 4, with Lap(4/ε) on "
        "each is ε-private, for every ε",
        mechanism=sum_and_support,
        domain=UP_TO_3,
        **on_all(Histograms(range(4))),
        mutant=each_by_its_own_sensitivity,
    ),
    at_every_epsilon(
        "BNS-J-2.24",
        variant="printed-histogram-",
        source=_LAPLACE,
        statement="a histogram, of ℓ1-sensitivity 2, with Lap(2/ε) is ε-private, for every ε",
        mechanism=real_histogram,
        domain=Multisets(range(3), size=4),
        parameters={"values": 3, "sensitivity": 2},
        **on_all(Histograms(range(3))),
        mutant=real_histogram_as_if_a_count,
    ),
    at_every_epsilon(
        "BNS-X-Thm1",
        variant="printed-",
        source=_THEOREM_1,
        statement="the mean of three rows in [0, 1], of sensitivity k = 1/3, with Lap(k/ε) is ε-private, for every ε",
        mechanism=real_mean,
        domain=SHARES,
        finite_because=DIVIDES,
        mutant=real_mean_with_half_the_noise,
    ),
)
