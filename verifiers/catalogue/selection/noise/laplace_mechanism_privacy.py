"""Privacy of the Laplace mechanism: Beimel, Nissim & Stemmer, Theorem 2.24, and Theorem 1 of the extended abstract.

As printed, with continuous noise that is released as a real number; and with discrete noise in its place.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, discrete_laplace, laplace, symbolic
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.selection import clamped_laplace_mechanism, discrete_laplace_mechanism, laplace_mechanism
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces, max_of_laplaces_drawn
from dpverify.verifiers import Histograms, Multisets, Scores, ScoreSpace, Tuples, add_or_remove_one, scores_linf
from dpverify.verifiers.catalogue.families import AT_EACH
from dpverify.verifiers.catalogue.finite import CLAMPED, DIVIDES
from dpverify.verifiers.catalogue.mutants import broken, half_the_noise
from dpverify.verifiers.catalogue.selection.counting import frequencies
from dpverify.verifiers.privacy.family import Mechanism, OrMore, Row, claims, family


def noisy_count(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> tuple[Any, ...]:
    """The number of ones, of sensitivity 1, with discrete Laplace noise."""
    return discrete_laplace_mechanism(draw, [sum(rows)], epsilon=epsilon)


def clamped_count(draw: Draw, rows: Sequence[int], *, epsilon: Exact, noise: Noise = discrete_laplace) -> Any:
    """The number of ones with noise of scale 1/ε, clamped to what a count may be."""
    return clamped_laplace_mechanism(draw, [sum(rows)], 0, len(rows), epsilon=epsilon, noise=noise)


def real_count(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> tuple[Any, ...]:
    """The number of ones, of sensitivity 1, with Lap(1/ε)."""
    return laplace_mechanism(draw, [sum(rows)], epsilon=epsilon)


def real_sum(draw: Draw, rows: Sequence[Any], *, sensitivity: int | Fraction, epsilon: Exact) -> Any:
    """The sum of the rows, of the given sensitivity k, with Lap(k/ε)."""
    return laplace_mechanism(draw, [sum(rows)], epsilon=epsilon, sensitivity=sensitivity)


def real_mean(draw: Draw, rows: Sequence[Any], *, epsilon: Exact) -> tuple[Any, ...]:
    """The mean of m rows between 0 and 1, of sensitivity k = 1/m, with Lap(k/ε)."""
    m = len(rows)
    return laplace_mechanism(draw, [sum(rows) / Fraction(m)], epsilon=epsilon, sensitivity=Fraction(1, m))


def sum_and_support(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> tuple[Any, ...]:
    """The sum of rows from 0 to 3 and the number of them above 0: 4 in ℓ1, which a row moves by at most 3 and 1."""
    return laplace_mechanism(draw, [sum(rows), sum(x > 0 for x in rows)], epsilon=epsilon, sensitivity=4)


def each_by_its_own_sensitivity(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> tuple[Any, ...]:
    """Mutant: Lap(3/ε) on the sum and Lap(1/ε) on the number, as if each were alone."""
    return sum(rows) + draw(laplace(3 / epsilon)), sum(x > 0 for x in rows) + draw(laplace(1 / epsilon))


def real_histogram(draw: Draw, rows: Sequence[int], *, values: int, sensitivity: int, epsilon: Exact) -> Any:
    """The frequencies of all values, of the given sensitivity k in ℓ1, with Lap(k/ε) on each."""
    counts = tuple(frequencies(rows, values).values())
    return laplace_mechanism(draw, counts, epsilon=epsilon, sensitivity=sensitivity)


def one_noise_for_all_counts(draw: Draw, rows: Sequence[int], *, values: int, sensitivity: int, epsilon: Exact) -> Any:
    """Mutant: one noise Lap(k/ε), added to every count: their differences are told."""
    noise = draw(laplace(sensitivity / epsilon))
    return tuple(count + noise for count in frequencies(rows, values).values())


def noisy_histogram(draw: Draw, rows: Sequence[int], *, values: int, sensitivity: int, epsilon: Exact) -> Any:
    """The frequencies of all values, of the given sensitivity in ℓ1, with discrete Laplace noise on each."""
    counts = frequencies(rows, values).values()
    return discrete_laplace_mechanism(draw, counts, epsilon=epsilon, sensitivity=sensitivity)


BITS: Final = Tuples((0, 1), size=6)
UP_TO_3: Final = Tuples(range(4), size=3)
SHARES: Final = Tuples((0, Fraction(1, 3), Fraction(1, 2), 1), size=3)
UP_TO_4_ROWS: Final = Multisets(range(3), sizes=range(5))
_LAPLACE: Final = Row("BNS-J-2.24.privacy.").having(source="Beimel, Nissim & Stemmer, journal version, Theorem 2.24")
_A_BIT_LESS: Final = (
    Row("-below")
    .having(epsilon=1 - Fraction(1, 10**12))
    .having(variant="The ε is less than the one that the theorem claims, by 10⁻¹²: nothing less holds.")
    .run_with(epsilon=1)
)
_EVERY: Final = Row("-every-epsilon", ", for every ε").having(epsilon=symbolic)
_AT_1: Final = Row().having(epsilon=1)


def as_if_a_count(mechanism: Mechanism, what: str) -> Mechanism:
    """A mutant: noise for the sensitivity of one count, which is 1."""
    return broken(mechanism, f"{mechanism.__qualname__}_as_if_a_count", what, sensitivity=1)


_REAL: Final = Row("printed").having(mechanism=real_count, domain=BITS, mutant=half_the_noise(real_count))
_REAL_COUNT: Final = Row("", "a count with Lap(1/ε) is ε-private").having(all_sizes=Histograms((0, 1))).of(_REAL)
_DISCRETE: Final = Row("discrete").having(mechanism=noisy_count, domain=BITS, mutant=half_the_noise(noisy_count))
_DISCRETE_COUNT: Final = (
    Row("", "a count with discrete Laplace noise of scale 1/ε is ε-private")
    .having(all_sizes=Histograms((0, 1)))
    .of(_DISCRETE)
)
_CLAMPED: Final = Row().having(
    mechanism=clamped_count, domain=BITS, finite_because=CLAMPED, mutant=half_the_noise(clamped_count)
)
_CLAMPED_COUNT: Final = Row(
    "clamped", "a count with discrete Laplace noise of scale 1/ε, clamped to [0, m], is ε-private"
).of(_CLAMPED)
_SUM: Final = (
    Row("printed-sum")
    .having(mechanism=real_sum, domain=UP_TO_3, all_sizes=Histograms(range(4)))
    .having(mutant=as_if_a_count(real_sum, "Lap(1/ε), whatever the sensitivity is."))
    .run_with(sensitivity=3)
)
_SUM_3: Final = "a sum of rows from 0 to 3, of sensitivity 3, with Lap(3/ε) is ε-private"
_VECTOR: Final = (
    Row("printed-vector")
    .says(
        "a sum of rows from 0 to 3 and the number of rows above 0, of ℓ1-sensitivity 4, with Lap(4/ε) on each is "
        "ε-private"
    )
    .having(mechanism=sum_and_support, domain=UP_TO_3, all_sizes=Histograms(range(4)))
    .having(mutant=each_by_its_own_sensitivity)
)
_HISTOGRAM: Final = (
    Row("printed-histogram", "a histogram, of ℓ1-sensitivity 2, with Lap(2/ε) is ε-private")
    .having(mechanism=real_histogram, domain=Multisets(range(3), size=5), all_sizes=Histograms(range(3)))
    .having(
        mutant=as_if_a_count(
            real_histogram,
            "Lap(1/ε) on each, the sensitivity of one count, where a row that is replaced moves two of them.",
        )
    )
    .run_with(values=3, sensitivity=2)
)
_DISCRETE_HISTOGRAM: Final = (
    Row("discrete-histogram", "a histogram, of ℓ1-sensitivity 2, with discrete Laplace noise of scale 2/ε is ε-private")
    .having(mechanism=noisy_histogram, domain=Multisets(range(3), size=5), all_sizes=Histograms(range(3)))
    .having(mutant=half_the_noise(noisy_histogram))
    .run_with(values=3, sensitivity=2)
)
_MEAN: Final = (
    Row("BNS-X-Thm1.privacy.printed")
    .says("the mean of three rows in [0, 1], of sensitivity k = 1/3, with Lap(k/ε) is ε-private")
    .having(mechanism=real_mean, domain=SHARES, source="Beimel, Nissim & Stemmer, extended abstract, Theorem 1")
    .having(finite_because=DIVIDES, mutant=half_the_noise(real_mean))
)
printed = family(
    _LAPLACE,
    _REAL_COUNT.having(epsilon=AT_EACH),
    Row("", "a count with Lap(1) is (1 − 10⁻¹²)-private").of(_A_BIT_LESS.of(_REAL)),
    Row("", _SUM_3).having(epsilon=1).of(_SUM),
    Row("-add-remove")
    .says("a sum of rows from 0 to 3, of sensitivity 3 when rows are added or removed, with Lap(3/ε) is ε-private")
    .having(domain=Multisets(range(4), sizes=range(4)), epsilon=1, neighbours=add_or_remove_one)
    .of(_SUM),
    _AT_1.of(_VECTOR),
    _AT_1.of(_HISTOGRAM),
    Row("printed-histogram-add-remove")
    .says("a histogram, of ℓ1-sensitivity 1 when rows are added or removed, with Lap(1/ε) is ε-private")
    .having(mechanism=real_histogram, domain=UP_TO_4_ROWS, epsilon=1, neighbours=add_or_remove_one)
    .having(all_sizes=Histograms(range(3)), mutant=one_noise_for_all_counts)
    .run_with(values=3, sensitivity=1),
    Row("printed-clamped", "a count with Lap(1/ε), clamped to [0, m], is ε-private")
    .having(epsilon=1)
    .run_with(noise=laplace)
    .of(_CLAMPED),
)
mean = claims(_MEAN.having(epsilon=AT_EACH), _EVERY.of(_MEAN))
discrete = family(
    _LAPLACE,
    _DISCRETE_COUNT.having(epsilon=AT_EACH),
    _CLAMPED_COUNT.having(epsilon=AT_EACH),
    Row("", "a count with discrete Laplace noise of scale 1 is (1 − 10⁻¹²)-private").of(_A_BIT_LESS.of(_DISCRETE)),
    _AT_1.of(_DISCRETE_HISTOGRAM),
    Row("discrete-histogram-add-remove")
    .says("a histogram, of ℓ1-sensitivity 1 when rows are added or removed, with scale 1/ε is ε-private")
    .having(mechanism=noisy_histogram, domain=UP_TO_4_ROWS, epsilon=1, neighbours=add_or_remove_one)
    .having(all_sizes=Histograms(range(3)), mutant=half_the_noise(noisy_histogram))
    .run_with(values=3, sensitivity=1),
)
at_every_epsilon = family(
    _LAPLACE,
    _EVERY.of(_DISCRETE_COUNT),
    _EVERY.of(_CLAMPED_COUNT),
    _EVERY.of(_REAL_COUNT),
    Row().having(domain=Multisets(range(3), size=4)).of(_EVERY.of(_DISCRETE_HISTOGRAM)),
    _EVERY.of(Row("", _SUM_3).of(_SUM)),
    _EVERY.of(_VECTOR),
    Row().having(domain=Multisets(range(3), size=4)).of(_EVERY.of(_HISTOGRAM)),
)


# Max-of-Laplaces: Section 2.2 of Chaudhuri, Hsu & Song.
_SMALL_SCORES: Final = ScoreSpace(range(3), solutions=3)
_LARGEST: Final = "the solution with the largest quality after adding"
max_of_laplaces_claims = family(
    Row("CHS-2.2-MoL.privacy.")
    .having(mechanism=max_of_laplaces, domain=ScoreSpace(range(7), solutions=3), neighbours=scores_linf)
    .having(source="Chaudhuri, Hsu & Song, Section 2.2, the scale as reconstructed")
    .having(all_sizes=Scores(solutions=OrMore(1)), mutant=half_the_noise(max_of_laplaces)),
    Row("printed", f"{_LARGEST} Lap(2/ε) is ε-private").having(epsilon=AT_EACH),
    Row("drawn", "the same, written as comparisons of noisy qualities, is ε-private").having(
        mechanism=max_of_laplaces_drawn, epsilon=1
    ),
    Row("discrete", f"{_LARGEST} discrete noise of scale 2/ε, the first of equals, is ε-private")
    .having(epsilon=1)
    .run_with(noise=discrete_laplace),
    Row("printed-every-epsilon", f"{_LARGEST} Lap(2/ε) is ε-private, for every ε").having(
        domain=_SMALL_SCORES, epsilon=symbolic
    ),
    Row("discrete-every-epsilon", "max-of-Laplaces with discrete Laplace noise of scale 2/ε is ε-private, for every ε")
    .having(domain=_SMALL_SCORES, epsilon=symbolic, source="Chaudhuri, Hsu & Song, Section 2.2")
    .run_with(noise=discrete_laplace),
)
