"""Privacy of A_dist, as Beimel, Nissim & Stemmer print it in both versions, and Bun, Nissim & Stemmer.

Every claim names a mutant, its mechanism broken on purpose, which is refuted on the claim's own domain. Domains reach
both sides of every threshold: gaps in {0, …, 12}³ go up to 12, and those of up to 13 rows up to 13.

The extraction of the paper of Bun, Nissim & Stemmer lost its formulas; as reconstructed, its Algorithm 3 is that of the
journal version of the other paper, and `choose_by_stability_journal` is the one implementation of both.

All versions stand in one file, to be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.drawing.symmetric import permutations, shifts, symmetric
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.selection.exponential_mechanism import Quality
from dpverify.mechanisms.selection.stability import (
    best_and_gap,
    choose_by_stability,
    choose_by_stability_discrete,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
    smallest_with_tail,
    stable_choice,
)
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.families import at_each_epsilon, at_every_epsilon, on_all, one_for_each
from dpverify.verifiers.catalogue.refuted import (
    A_DIST_OF_BUNS,
    DISCRETE,
    OF_THE_STATEMENT,
    ONE_LESS,
    as_expected,
    variant,
)
from dpverify.verifiers.catalogue.selection.counting import frequencies, most_frequent
from dpverify.verifiers.charts.domains import Histograms, Scores
from dpverify.verifiers.pairs.neighbours import add_or_remove_one, scores_linf
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.questions.domains import Multisets
from dpverify.verifiers.questions.score_domains import OrMore, ScoreSpace

TENTH: Final = Fraction(1, 10)
REFUTED: Final = Status.REFUTED

SCORES: Final = ScoreSpace(range(13), solutions=3)
COUNTS: Final = Multisets(range(3), sizes=range(1, 14))
ALL_SCORES: Final = Scores(solutions=OrMore(3))
ALL_COUNTS: Final = Histograms(range(3))
HALF: Final = Fraction(1, 2)
TWO_SCORES: Final = ScoreSpace(range(13), solutions=2)

# At ε = 1 nobody sees that something is multiplied by ε and not divided. At 1/2 thresholds, and these gaps, are larger.
AT_HALF: Final = (TWO_SCORES, HALF, TENTH)
COUNTS_AT_HALF: Final = (Multisets((0, 1), size=14), HALF, TENTH)
FAR_AT_HALF: Final = (ScoreSpace(range(22), solutions=2), HALF, TENTH)


# The journal version, Proposition 2.26.


def best_whatever_the_gap(
    draw: Draw, quality: Quality, *, epsilon: Fraction | Exact, delta: Fraction, **ignored: Any
) -> Any:
    """Mutant: releases the best solution without the test."""
    return best_and_gap(quality)[0]


def most_frequent_whatever_the_gap(
    draw: Draw, rows: Sequence[int], *, selection: Mechanism, values: int, epsilon: Fraction | Exact, delta: Fraction
) -> Any:
    """Mutant: releases the most frequent value without the test."""
    return best_and_gap(frequencies(rows, values))[0]


def as_printed(mechanism: Mechanism) -> Mechanism:
    """A mutant: the mechanism with the A_dist of the journal version, which the paper prints."""

    def printed(draw: Draw, database: Any, *, epsilon: ExactLike, delta: ExactLike, **given: Any) -> Any:
        return mechanism(draw, database, epsilon=epsilon, delta=delta, selection=choose_by_stability_journal, **given)

    printed.__qualname__ = f"{mechanism.__qualname__}_as_printed"
    printed.__doc__ = "Mutant: with the A_dist that the paper prints."
    return printed


def a_dist_with(
    draw: Draw, quality: Quality, *, scale: Fraction, shift: Fraction, epsilon: Fraction | Exact, delta: Fraction
) -> Any:
    """The family of `choose_by_stability`, whose scale = shift = 2: Lap(scale/ε), threshold (2/ε)·ln(1/2δ) + shift."""
    threshold = 2 / epsilon * log(1 / (2 * delta)) + shift
    return stable_choice(draw, quality, laplace(scale / epsilon), threshold)


def a_dist_discrete_with_lower_threshold(
    draw: Draw, quality: Quality, *, epsilon: Fraction | Exact, delta: Fraction
) -> Any:
    """`choose_by_stability_discrete` with a threshold that is lower by 1."""
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
    mechanism=choose_by_stability_journal,
    domain=SCORES,
    neighbours=scores_linf,
    delta=TENTH,
    expected=REFUTED,
    refutation=OF_THE_STATEMENT,
    mutant=best_whatever_the_gap,
)
a_dist_printed_small_epsilon = Claim(
    id="BNS-J-2.26.privacy.printed-small-epsilon",
    source=_A_DIST,
    statement=_PRINTED,
    mechanism=choose_by_stability_journal,
    domain=ScoreSpace(range(61), solutions=2),
    neighbours=scores_linf,
    epsilon=TENTH,
    delta=TENTH**2,
    expected=REFUTED,
    refutation=OF_THE_STATEMENT,
    mutant=best_whatever_the_gap,
)
a_dist_printed_small_delta = Claim(
    id="BNS-J-2.26.privacy.printed-small-delta",
    source=_A_DIST,
    statement=_PRINTED,
    mechanism=choose_by_stability_journal,
    domain=SCORES,
    neighbours=scores_linf,
    epsilon=3,
    delta=TENTH**6,
    expected=REFUTED,
    refutation=OF_THE_STATEMENT,
    mutant=best_whatever_the_gap,
)
a_dist_printed_counts = at_each_epsilon(
    "BNS-J-2.26.privacy.printed-counts",
    source=_A_DIST,
    statement=_PRINTED + _ON_FREQUENCIES,
    mechanism=most_frequent,
    domain=COUNTS,
    delta=TENTH,
    parameters={"selection": choose_by_stability_journal, "values": 3},
    expected=REFUTED,
    refutation=OF_THE_STATEMENT,
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
    parameters={"selection": choose_by_stability_journal, "values": 3},
    differing=lambda epsilon: as_expected(
        None if epsilon == log(2) else variant("The paper's neighbours replace a row; here a row comes or goes.")
    ),
    **on_all(ALL_COUNTS),
    mutant=most_frequent_whatever_the_gap,
)
a_dist_printed_discrete = at_each_epsilon(
    "BNS-J-2.26.privacy.discrete",
    source=_A_DIST,
    statement="A_dist with discrete Laplace noise of scale 1/ε and threshold (1/ε)·ln(1/δ) is (ε,δ)-private",
    mechanism=choose_by_stability_journal,
    domain=SCORES,
    neighbours=scores_linf,
    delta=TENTH,
    parameters={"noise": discrete_laplace},
    expected=REFUTED,
    refutation=DISCRETE,
    mutant=best_whatever_the_gap,
)
a_dist_printed_at_twice_epsilon = at_each_epsilon(
    "BNS-J-2.26.privacy.printed-at-2epsilon",
    source=_A_DIST,
    statement="what holds of the print: A_dist with Lap(1/ε), threshold (1/ε)·ln(1/δ) is (2ε, ½e^(2ε)·δ)-private",
    mechanism=choose_by_stability_journal,
    domain=SCORES,
    neighbours=scores_linf,
    differing=lambda epsilon: {
        "epsilon": 2 * epsilon,
        "delta": exp(2 * epsilon) * TENTH**3 / 2,
        "parameters": {"epsilon": epsilon, "delta": TENTH**3},
    },
    **on_all(ALL_SCORES),
    mutant=best_whatever_the_gap,
)
a_dist_corrected = at_each_epsilon(
    "BNS-J-2.26.privacy.corrected",
    source=_A_DIST,
    statement=_CORRECTED,
    mechanism=choose_by_stability,
    domain=SCORES,
    neighbours=scores_linf,
    delta=TENTH,
    **on_all(ALL_SCORES),
    mutant=best_whatever_the_gap,
    stronger=[AT_HALF],
)
a_dist_corrected_ties_at_random = Claim(
    id="BNS-J-2.26.privacy.corrected-ties-at-random",
    source=_A_DIST,
    statement=_CORRECTED + "; with ties broken by chance, of three solutions, it is (ε,2δ/3)-private",
    mechanism=symmetric(choose_by_stability, under=permutations | shifts),
    domain=SCORES,
    neighbours=scores_linf,
    epsilon=1,
    delta=2 * TENTH / 3,
    parameters={"delta": TENTH},
    **on_all(Scores(solutions=3), "full"),
    mutant=symmetric(best_whatever_the_gap, under=permutations | shifts),
)
a_dist_corrected_counts = at_each_epsilon(
    "BNS-J-2.26.privacy.corrected-counts",
    source=_A_DIST,
    statement=_CORRECTED + _ON_FREQUENCIES,
    mechanism=most_frequent,
    domain=COUNTS,
    delta=TENTH,
    parameters={"selection": choose_by_stability, "values": 3},
    **on_all(ALL_COUNTS),
    mutant=most_frequent_whatever_the_gap,
    stronger=[COUNTS_AT_HALF],
)
a_dist_corrected_small_delta = Claim(
    id="BNS-J-2.26.privacy.corrected-small-delta",
    source=_A_DIST,
    statement=_CORRECTED,
    mechanism=choose_by_stability,
    domain=SCORES,
    neighbours=scores_linf,
    epsilon=3,
    delta=TENTH**6,
    **on_all(ALL_SCORES),
    mutant=best_whatever_the_gap,
    stronger=[AT_HALF],
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
        refutation=ONE_LESS,
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
    mechanism=choose_by_stability_discrete,
    domain=SCORES,
    neighbours=scores_linf,
    delta=TENTH,
    **on_all(ALL_SCORES),
    mutant=best_whatever_the_gap,
    stronger=[AT_HALF],
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
    refutation=ONE_LESS,
    mutant=best_whatever_the_gap,
)


# The extended abstract, Proposition 2.


def a_dist_with_an_eighth_of_the_noise(
    draw: Draw, quality: Quality, *, epsilon: Fraction | Exact, delta: Fraction, **ignored: Any
) -> Any:
    """Mutant: Lap(1/(2ε)), below the printed threshold."""
    return stable_choice(draw, quality, laplace(1 / (2 * epsilon)), 4 / epsilon * log(1 / delta) + 2)


_ABSTRACT: Final = "Beimel, Nissim & Stemmer, extended abstract, Section 2.4 and Proposition 2(i)"
_IN_ABSTRACT: Final = "A_dist with Lap(4/ε), threshold (4/ε)·ln(1/δ) + 2, ⊥₁ and ⊥₂ is (ε,δ)-private"
_QUARTER: Final = Fraction(1, 4)  # at ε = ln 2 the threshold is then 10, exactly
_WIDE: Final = one_for_each(
    "least",
    (
        None,
        LeastShare(
            share=_QUARTER, below="15/64", because="Lap(4/ε) is twice the noise that a gap which moves by 2 needs"
        ),
        None,
    ),
)

abstract_printed = at_each_epsilon(
    "BNS-X-Prop2.privacy.printed",
    source=_ABSTRACT,
    statement=_IN_ABSTRACT,
    mechanism=choose_by_stability_extended_abstract,
    domain=SCORES,
    neighbours=scores_linf,
    differing=lambda epsilon: one_for_each("delta", (TENTH, _QUARTER, TENTH**3))(epsilon) | _WIDE(epsilon),
    **on_all(ALL_SCORES),
    mutant=a_dist_with_an_eighth_of_the_noise,
    stronger=[FAR_AT_HALF],
)
abstract_printed_counts = at_each_epsilon(
    "BNS-X-Prop2.privacy.printed-counts",
    source=_ABSTRACT,
    statement=f"{_IN_ABSTRACT}, on the frequencies of three values",
    mechanism=most_frequent,
    domain=COUNTS,
    differing=lambda epsilon: one_for_each("delta", (TENTH, _QUARTER, TENTH))(epsilon) | _WIDE(epsilon),
    parameters={"selection": choose_by_stability_extended_abstract, "values": 3},
    **on_all(ALL_COUNTS),
    mutant=most_frequent_whatever_the_gap,
)
abstract_discrete = at_each_epsilon(
    "BNS-X-Prop2.privacy.discrete",
    source=_ABSTRACT,
    statement="A_dist as printed, but with discrete Laplace noise of scale 4/ε, is (ε,δ)-private",
    mechanism=choose_by_stability_extended_abstract,
    domain=SCORES,
    neighbours=scores_linf,
    differing=one_for_each("delta", (TENTH, _QUARTER, TENTH**3)),
    parameters={"noise": discrete_laplace},
    **on_all(ALL_SCORES),
    mutant=a_dist_with_an_eighth_of_the_noise,
    stronger=[FAR_AT_HALF],
)


# Bun, Nissim & Stemmer, Proposition 3.11.

_BUNS_A_DIST: Final = "Bun, Nissim & Stemmer, Algorithm 3 and Proposition 3.11(1), formulas reconstructed"

buns_printed = at_each_epsilon(
    "BuNS-3.11.privacy.printed",
    source=_BUNS_A_DIST,
    statement=_PRINTED,
    mechanism=choose_by_stability_journal,
    domain=SCORES,
    neighbours=scores_linf,
    delta=TENTH**2,
    expected=REFUTED,
    refutation=A_DIST_OF_BUNS,
    mutant=best_whatever_the_gap,
)
buns_printed_counts = at_each_epsilon(
    "BuNS-3.11.privacy.printed-counts",
    source=_BUNS_A_DIST,
    statement=f"{_PRINTED}, on the frequencies of three values",
    mechanism=most_frequent,
    domain=COUNTS,
    delta=TENTH**2,
    parameters={"selection": choose_by_stability_journal, "values": 3},
    expected=REFUTED,
    refutation=A_DIST_OF_BUNS,
    mutant=most_frequent_whatever_the_gap,
)
buns_discrete = at_each_epsilon(
    "BuNS-3.11.privacy.discrete",
    source=_BUNS_A_DIST,
    statement="A_dist with discrete Laplace noise of scale 1/ε and threshold (1/ε)·ln(1/δ) is (ε,δ)-private",
    mechanism=choose_by_stability_journal,
    domain=SCORES,
    neighbours=scores_linf,
    delta=TENTH**2,
    parameters={"noise": discrete_laplace},
    expected=REFUTED,
    refutation=A_DIST_OF_BUNS,
    mutant=best_whatever_the_gap,
)


# A_dist: its own thresholds cut ε > 0 where δ·e^(ε·gap) = 1; a whole threshold does not.


def whole_threshold(draw: Draw, quality: Quality, *, scale: int, threshold: int, epsilon: Exact, delta: Exact) -> Any:
    """A_dist with discrete Laplace noise of the given scale/ε and a threshold that does not depend on ε."""
    return stable_choice(draw, quality, discrete_laplace(scale / epsilon), threshold)


a_dist_at_every_epsilon = tuple(
    at_every_epsilon(
        row,
        variant=f"{name}-",
        source=source,
        statement=f"A_dist with {constants} is (ε,1/10)-private, for every ε",
        mechanism=mechanism,
        domain=TWO_SCORES,
        neighbours=scores_linf,
        delta=TENTH,
        **as_expected(refuted),
        **({} if refuted else on_all(Scores(solutions=OrMore(2)))),
        mutant=mutant,
    )
    for row, name, source, constants, mechanism, refuted, mutant in (
        (
            "BNS-J-2.26",
            "printed",
            _A_DIST,
            "Lap(1/ε) and threshold (1/ε)·ln(1/δ)",
            choose_by_stability_journal,
            OF_THE_STATEMENT,
            best_whatever_the_gap,
        ),
        (
            "BNS-J-2.26",
            "corrected",
            _A_DIST,
            "Lap(2/ε) and threshold (2/ε)·ln(1/(2δ)) + 2",
            choose_by_stability,
            None,
            best_whatever_the_gap,
        ),
        (
            "BNS-X-Prop2",
            "printed",
            "Beimel, Nissim & Stemmer, extended abstract, Section 2.4 and Proposition 2(i)",
            "Lap(4/ε), threshold (4/ε)·ln(1/δ) + 2, ⊥₁ and ⊥₂",
            choose_by_stability_extended_abstract,
            None,
            a_dist_with_an_eighth_of_the_noise,
        ),
    )
)
whole_thresholds_at_every_epsilon = tuple(
    at_every_epsilon(
        "BNS-J-2.26",
        variant=f"{name}-",
        source=_A_DIST,
        statement=f"A_dist with discrete Laplace noise of scale {scale}/ε and threshold 6 is (ε, e^(-2ε))-private, for "
        "every ε",
        mechanism=whole_threshold,
        domain=TWO_SCORES,
        neighbours=scores_linf,
        delta=exp(-2 * symbolic),
        parameters={"scale": scale, "threshold": 6},
        **on_all(Scores(solutions=2)),
        **as_expected(refuted),
        mutant=best_whatever_the_gap,
    )
    for name, scale, refuted in (
        ("whole-threshold-scale-1", 1, variant("The threshold is one of ours, which does not depend on ε or δ.")),
        ("whole-threshold", 2, None),
    )
)
