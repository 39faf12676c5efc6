"""Beimel, Nissim & Stemmer, journal version: the building blocks of Section 2.5.

Every claim names a mutant, its mechanism broken on purpose, which is refuted on the claim's own domain. Domains reach
both sides of every threshold: gaps in {0, …, 12}³ go up to 12, and those of up to 13 rows up to 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.exact.elementary import exp, log
from dpverify.mechanisms.exact.exact_numbers import Exact, exact
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.mechanism import Draw, Mechanism
from dpverify.mechanisms.laws.noise import discrete_laplace, laplace
from dpverify.mechanisms.learners.generic_learner import Hypothesis, generic_learner
from dpverify.mechanisms.sanitizers.concepts import Example, points, thresholds
from dpverify.mechanisms.selection.exponential_mechanism import Quality, exponential, exponential_mechanism
from dpverify.mechanisms.selection.laplace_mechanism import clamped_laplace_mechanism, discrete_laplace_mechanism
from dpverify.mechanisms.selection.stability import (
    a_dist,
    a_dist_discrete,
    a_dist_journal,
    best_and_gap,
    smallest_with_tail,
    stable_choice,
)
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.counting import frequencies, most_frequent, most_frequent_exponential
from dpverify.verifiers.catalogue.families import at_each_epsilon, one_for_each
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.privacy.domains import LabelledSamples, Multisets, ScoreSpace, Tuples
from dpverify.verifiers.privacy.neighbours import add_or_remove_one, change_one_label, replace_one, scores_linf

Epsilon = Fraction | Exact

REFUTED: Final = Status.REFUTED
SCORES: Final = ScoreSpace(range(13), solutions=3)
COUNTS: Final = Multisets(range(3), sizes=range(1, 14))
TENTH: Final = Fraction(1, 10)
A_BIT: Final = Fraction(1, 10**12)


# Theorem 2.24, the Laplace mechanism.


def noisy_count(draw: Draw, rows: Sequence[int], *, epsilon: Epsilon) -> tuple[Any, ...]:
    """The number of ones, of sensitivity 1, with discrete Laplace noise."""
    return discrete_laplace_mechanism(draw, [sum(rows)], epsilon=epsilon)


def noisy_count_with_half_the_noise(draw: Draw, rows: Sequence[int], *, epsilon: Epsilon) -> tuple[Any, ...]:
    """Mutant: noise of half the scale."""
    return discrete_laplace_mechanism(draw, [sum(rows)], epsilon=2 * epsilon)


def clamped_count(draw: Draw, rows: Sequence[int], *, epsilon: Epsilon) -> tuple[Any, ...]:
    """The number of ones with discrete Laplace noise, clamped to what a count may be."""
    return clamped_laplace_mechanism(draw, [sum(rows)], 0, len(rows), epsilon=epsilon)


def clamped_count_with_half_the_noise(draw: Draw, rows: Sequence[int], *, epsilon: Epsilon) -> tuple[Any, ...]:
    """Mutant: noise of half the scale."""
    return clamped_laplace_mechanism(draw, [sum(rows)], 0, len(rows), epsilon=2 * epsilon)


def binned_count(draw: Draw, rows: Sequence[int], *, epsilon: Epsilon) -> int:
    """The number of ones with Lap(1/ε) as printed, of which only the bin is released: the first whole t above it."""
    noisy = sum(rows) + draw(laplace(1 / epsilon))
    for t in range(len(rows) + 1):
        if noisy < t:
            return t
    return len(rows) + 1


def binned_count_with_half_the_noise(draw: Draw, rows: Sequence[int], *, epsilon: Epsilon) -> int:
    """Mutant: noise of half the scale."""
    return binned_count(draw, rows, epsilon=2 * epsilon)


def noisy_histogram(draw: Draw, rows: Sequence[int], *, values: int, sensitivity: int, epsilon: Epsilon) -> Any:
    """The frequencies of all values, of the given sensitivity in ℓ1, with discrete Laplace noise on each."""
    counts = frequencies(rows, values).values()
    return discrete_laplace_mechanism(draw, counts, epsilon=epsilon, sensitivity=sensitivity)


def noisy_histogram_with_half_the_noise(
    draw: Draw, rows: Sequence[int], *, values: int, sensitivity: int, epsilon: Epsilon
) -> Any:
    """Mutant: noise of half the scale."""
    return noisy_histogram(draw, rows, values=values, sensitivity=sensitivity, epsilon=2 * epsilon)


_LAPLACE: Final = "Beimel, Nissim & Stemmer, journal version, Theorem 2.24"
_BITS: Final = Tuples((0, 1), size=6)

laplace_discrete = at_each_epsilon(
    "BNS-J-2.24.privacy.discrete",
    source=_LAPLACE,
    statement="a count with discrete Laplace noise of scale 1/ε is ε-private",
    mechanism=noisy_count,
    domain=_BITS,
    mutant=noisy_count_with_half_the_noise,
)
laplace_discrete_below = Claim(
    id="BNS-J-2.24.privacy.discrete-below",
    source=_LAPLACE,
    statement="a count with discrete Laplace noise of scale 1 is (1 − 10⁻¹²)-private",
    mechanism=noisy_count,
    domain=_BITS,
    epsilon=1 - A_BIT,
    parameters={"epsilon": 1},
    expected=REFUTED,
    mutant=noisy_count_with_half_the_noise,
)
laplace_clamped = at_each_epsilon(
    "BNS-J-2.24.privacy.clamped",
    source=_LAPLACE,
    statement="a count with discrete Laplace noise of scale 1/ε, clamped to [0, m], is ε-private",
    mechanism=clamped_count,
    domain=_BITS,
    mutant=clamped_count_with_half_the_noise,
)
laplace_binned = at_each_epsilon(
    "BNS-J-2.24.privacy.printed-binned",
    source=_LAPLACE,
    statement="a count with Lap(1/ε) is ε-private, as far as unit bins of the noisy count show",
    mechanism=binned_count,
    domain=_BITS,
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


# Proposition 2.25, the exponential mechanism.


def exponential_without_half(draw: Draw, quality: Quality, *, epsilon: Epsilon) -> Distribution[Any]:
    """Mutant: exp(ε·q) in place of exp(ε·q/2)."""
    return exponential(quality, 2 * epsilon)


def most_frequent_without_half(draw: Draw, rows: Sequence[int], *, values: int, epsilon: Epsilon) -> Distribution[int]:
    """Mutant: exp(ε·q) in place of exp(ε·q/2)."""
    return exponential(frequencies(rows, values), 2 * epsilon)


_EXPONENTIAL: Final = "Beimel, Nissim & Stemmer, journal version, Proposition 2.25(i)"

exponential_scores = at_each_epsilon(
    "BNS-J-2.25.privacy.scores",
    source=_EXPONENTIAL,
    statement="the exponential mechanism is ε-private for every quality function of sensitivity 1",
    mechanism=exponential_mechanism,
    domain=ScoreSpace(range(7), solutions=3),
    neighbours=scores_linf,
    mutant=exponential_without_half,
)
exponential_four_scores = Claim(
    id="BNS-J-2.25.privacy.four-scores",
    source=_EXPONENTIAL,
    statement="the exponential mechanism over four solutions is ε-private",
    mechanism=exponential_mechanism,
    domain=ScoreSpace(range(5), solutions=4),
    neighbours=scores_linf,
    epsilon=1,
    mutant=exponential_without_half,
)
exponential_counts = at_each_epsilon(
    "BNS-J-2.25.privacy.counts",
    source=_EXPONENTIAL,
    statement="the most frequent value by the exponential mechanism is ε-private",
    mechanism=most_frequent_exponential,
    domain=Multisets(range(4), size=8),
    parameters={"values": 4},
    mutant=most_frequent_without_half,
)


# Proposition 2.26, A_dist.


def best_whatever_the_gap(draw: Draw, quality: Quality, *, epsilon: Epsilon, delta: Fraction, **ignored: Any) -> Any:
    """Mutant: releases the best solution without the test."""
    return best_and_gap(quality)[0]


def most_frequent_whatever_the_gap(
    draw: Draw, rows: Sequence[int], *, selection: Mechanism, values: int, epsilon: Epsilon, delta: Fraction
) -> Any:
    """Mutant: releases the most frequent value without the test."""
    return best_and_gap(frequencies(rows, values))[0]


def a_dist_with(
    draw: Draw, quality: Quality, *, scale: Fraction, shift: Fraction, epsilon: Epsilon, delta: Fraction
) -> Any:
    """The family of `a_dist`, which has scale = shift = 2: Lap(scale/ε), threshold (2/ε)·ln(1/(2δ)) + shift."""
    threshold = 2 / epsilon * log(1 / (2 * delta)) + shift
    return stable_choice(draw, quality, laplace(scale / epsilon), threshold)


def a_dist_discrete_with_lower_threshold(draw: Draw, quality: Quality, *, epsilon: Epsilon, delta: Fraction) -> Any:
    """`a_dist_discrete` with a threshold that is lower by 1."""
    noise = discrete_laplace(2 / epsilon)
    return stable_choice(draw, quality, noise, 1 + smallest_with_tail(noise, exact(delta)))


_A_DIST: Final = "Beimel, Nissim & Stemmer, journal version, Section 2.5.3 and Proposition 2.26(i)"
_PRINTED: Final = "A_dist with Lap(1/ε) and threshold (1/ε)·ln(1/δ) is (ε,δ)-private"
_CORRECTED: Final = "A_dist with Lap(2/ε) and threshold (2/ε)·ln(1/(2δ)) + 2 is (ε,δ)-private"
_ON_FREQUENCIES: Final = ", on the frequencies of three values"

a_dist_printed = at_each_epsilon(
    "BNS-J-2.26.privacy.printed",
    source=_A_DIST,
    statement=_PRINTED,
    mechanism=a_dist_journal,
    domain=SCORES,
    neighbours=scores_linf,
    delta=TENTH,
    expected=REFUTED,
    mutant=best_whatever_the_gap,
)
a_dist_printed_small_epsilon = Claim(
    id="BNS-J-2.26.privacy.printed-small-epsilon",
    source=_A_DIST,
    statement=_PRINTED,
    mechanism=a_dist_journal,
    domain=ScoreSpace(range(61), solutions=2),
    neighbours=scores_linf,
    epsilon=TENTH,
    delta=TENTH**2,
    expected=REFUTED,
    mutant=best_whatever_the_gap,
)
a_dist_printed_small_delta = Claim(
    id="BNS-J-2.26.privacy.printed-small-delta",
    source=_A_DIST,
    statement=_PRINTED,
    mechanism=a_dist_journal,
    domain=SCORES,
    neighbours=scores_linf,
    epsilon=3,
    delta=TENTH**6,
    expected=REFUTED,
    mutant=best_whatever_the_gap,
)
a_dist_printed_counts = at_each_epsilon(
    "BNS-J-2.26.privacy.printed-counts",
    source=_A_DIST,
    statement=_PRINTED + _ON_FREQUENCIES,
    mechanism=most_frequent,
    domain=COUNTS,
    delta=TENTH,
    parameters={"selection": a_dist_journal, "values": 3},
    expected=REFUTED,
    mutant=most_frequent_whatever_the_gap,
)
# When rows come and go the gap moves by at most 1, and the best is released at gap 1 with probability ½·δ·e^ε: at most
# δ exactly where e^ε ≤ 2.
a_dist_printed_add_remove = at_each_epsilon(
    "BNS-J-2.26.privacy.printed-add-remove",
    source=_A_DIST,
    statement=f"{_PRINTED}{_ON_FREQUENCIES} when rows are added or removed",
    mechanism=most_frequent,
    domain=Multisets(range(3), sizes=range(9)),
    neighbours=add_or_remove_one,
    delta=TENTH,
    parameters={"selection": a_dist_journal, "values": 3},
    differing=one_for_each("expected", (REFUTED, Status.PROVED, REFUTED)),
    mutant=most_frequent_whatever_the_gap,
)
a_dist_printed_discrete = at_each_epsilon(
    "BNS-J-2.26.privacy.discrete",
    source=_A_DIST,
    statement="A_dist with discrete Laplace noise of scale 1/ε and threshold (1/ε)·ln(1/δ) is (ε,δ)-private",
    mechanism=a_dist_journal,
    domain=SCORES,
    neighbours=scores_linf,
    delta=TENTH,
    parameters={"noise": discrete_laplace},
    expected=REFUTED,
    mutant=best_whatever_the_gap,
)
a_dist_printed_at_twice_epsilon = at_each_epsilon(
    "BNS-J-2.26.privacy.printed-at-2epsilon",
    source=_A_DIST,
    statement="what holds of the print: A_dist with Lap(1/ε), threshold (1/ε)·ln(1/δ) is (2ε, ½e^(2ε)·δ)-private",
    mechanism=a_dist_journal,
    domain=SCORES,
    neighbours=scores_linf,
    differing=lambda epsilon: {
        "epsilon": 2 * epsilon,
        "delta": exp(2 * epsilon) * TENTH**3 / 2,
        "parameters": {"epsilon": epsilon, "delta": TENTH**3},
    },
    mutant=best_whatever_the_gap,
)
a_dist_corrected = at_each_epsilon(
    "BNS-J-2.26.privacy.corrected",
    source=_A_DIST,
    statement=_CORRECTED,
    mechanism=a_dist,
    domain=SCORES,
    neighbours=scores_linf,
    delta=TENTH,
    mutant=best_whatever_the_gap,
)
a_dist_corrected_counts = at_each_epsilon(
    "BNS-J-2.26.privacy.corrected-counts",
    source=_A_DIST,
    statement=_CORRECTED + _ON_FREQUENCIES,
    mechanism=most_frequent,
    domain=COUNTS,
    delta=TENTH,
    parameters={"selection": a_dist, "values": 3},
    mutant=most_frequent_whatever_the_gap,
)
a_dist_corrected_small_delta = Claim(
    id="BNS-J-2.26.privacy.corrected-small-delta",
    source=_A_DIST,
    statement=_CORRECTED,
    mechanism=a_dist,
    domain=SCORES,
    neighbours=scores_linf,
    epsilon=3,
    delta=TENTH**6,
    mutant=best_whatever_the_gap,
)
a_dist_next_smaller = tuple(
    Claim(
        id=f"BNS-J-2.26.privacy.corrected-{name}",
        source=_A_DIST,
        statement=f"A_dist with Lap({written}) and threshold (2/ε)·ln(1/(2δ)) + {shift} is (ε,δ)-private: a constant "
        "next below the corrected ones, in steps of 1/4",
        mechanism=a_dist_with,
        domain=SCORES,
        neighbours=scores_linf,
        epsilon=3,
        delta=TENTH**6,
        parameters={"scale": scale, "shift": shift},
        expected=REFUTED,
        mutant=best_whatever_the_gap,
    )
    for name, scale, written, shift in (
        ("scale-below", Fraction(7, 4), "7/(4ε)", 2),
        ("shift-below", 2, "2/ε", Fraction(7, 4)),
    )
)
a_dist_corrected_discrete = at_each_epsilon(
    "BNS-J-2.26.privacy.corrected-discrete",
    source=_A_DIST,
    statement="A_dist with discrete Laplace noise of scale 2/ε and threshold 2 + min{k : Pr[noise ≥ k] ≤ δ} is "
    "(ε,δ)-private",
    mechanism=a_dist_discrete,
    domain=SCORES,
    neighbours=scores_linf,
    delta=TENTH,
    mutant=best_whatever_the_gap,
)
a_dist_next_smaller_discrete = Claim(
    id="BNS-J-2.26.privacy.corrected-discrete-below",
    source=_A_DIST,
    statement="A_dist with discrete Laplace noise of scale 2/ε and that threshold less 1 is (ε,δ)-private",
    mechanism=a_dist_discrete_with_lower_threshold,
    domain=SCORES,
    neighbours=scores_linf,
    epsilon=1,
    delta=TENTH,
    expected=REFUTED,
    mutant=best_whatever_the_gap,
)


# Section 2.5.2, the generic private learner.


def generic_learner_without_half(
    draw: Draw, sample: Sequence[Example], *, hypotheses: Sequence[Hypothesis], epsilon: Epsilon
) -> Distribution[Hypothesis]:
    """Mutant: exp(ε·q) in place of exp(ε·q/2)."""
    return generic_learner(draw, sample, hypotheses=hypotheses, epsilon=2 * epsilon)


_LEARNER: Final = "Beimel, Nissim & Stemmer, journal version, Section 2.5.2, after Kasiviswanathan et al."

generic_learners = tuple(
    Claim(
        id=f"BNS-J-KLNRS.privacy.{name}",
        source=_LEARNER,
        statement=f"the generic private learner of {long_name} is ε-private",
        mechanism=generic_learner,
        domain=LabelledSamples(range(4), size=4),
        neighbours=neighbours,
        epsilon=epsilon,
        parameters={"hypotheses": hypotheses},
        mutant=generic_learner_without_half,
    )
    for name, long_name, hypotheses, neighbours, epsilon in (
        ("point", "POINT_2", points(2), replace_one, 1),
        ("point-ln2", "POINT_2", points(2), replace_one, log(2)),
        ("point-label", "POINT_2, where one label changes,", points(2), change_one_label, 1),
        ("thresh", "THRESH_2", thresholds(2), replace_one, 1),
        ("thresh-ln2", "THRESH_2", thresholds(2), replace_one, log(2)),
        ("thresh-label", "THRESH_2, where one label changes,", thresholds(2), change_one_label, 1),
    )
)
