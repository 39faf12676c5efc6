"""Privacy of A_dist, as Beimel, Nissim & Stemmer print it in both versions, and Bun, Nissim & Stemmer.

Every claim names a mutant, its mechanism broken on purpose, which is refuted on the claim's own domain. Domains reach
both sides of every threshold: gaps in {0, …, 12}³ go up to 12, and those of up to 13 rows up to 13.

The extraction of the paper of Bun, Nissim & Stemmer lost its formulas; as reconstructed, its Algorithm 3 is that of the
journal version of the other paper, and `choose_by_stability_journal` is the one implementation of both.

All versions stand in one file, to be compared.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, discrete_laplace, exact, exp, laplace, log, symbolic, symmetric
from dpverify.mechanisms.drawing import permutations, shifts
from dpverify.mechanisms.numbers.roots import symbolic_delta
from dpverify.mechanisms.selection import (
    choose_by_stability,
    choose_by_stability_discrete,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
    choose_by_stability_with,
)
from dpverify.mechanisms.selection.exponential_mechanism import Quality
from dpverify.mechanisms.selection.stability import best_and_gap, smallest_with_tail, stable_choice
from dpverify.verifiers import Histograms, Multisets, Scores, ScoreSpace, add_or_remove_one, replace_one, scores_l1
from dpverify.verifiers.catalogue.families import AT_EACH, HALF, TENTH, at_each_epsilon
from dpverify.verifiers.catalogue.mutants import best_whatever_the_gap
from dpverify.verifiers.catalogue.refuted import A_DIST_OF_BUNS, DISCRETE, ONE_LESS
from dpverify.verifiers.catalogue.selection.counting import frequencies, most_frequent
from dpverify.verifiers.claims import OF_THE_STATEMENT
from dpverify.verifiers.privacy.family import Mechanism, OrMore, Row, family, rows_of
from dpverify.verifiers.problems.neighbours.neighbours import scores_linf

SCORES: Final = ScoreSpace(range(13), solutions=3)
TWO_SCORES: Final = ScoreSpace(range(13), solutions=2)
COUNTS: Final = Multisets(range(3), sizes=range(1, 14))
ALL_SCORES: Final = Scores(solutions=OrMore(3))
ALL_COUNTS: Final = Histograms(range(3))

# At ε = 1 nobody sees that something is multiplied by ε and not divided. At 1/2 thresholds, and these gaps, are larger.
AT_HALF: Final = [(TWO_SCORES, HALF, TENTH)]
FAR_AT_HALF: Final = [(ScoreSpace(range(22), solutions=2), HALF, TENTH)]


def most_frequent_whatever_the_gap(draw: Draw, rows: Sequence[int], *, values: int, **_: Any) -> Any:
    """Mutant: releases the most frequent value without the test."""
    return best_and_gap(frequencies(rows, values))[0]


def a_dist_with(
    draw: Draw, quality: Quality, *, scale: Fraction, shift: Fraction, epsilon: Exact, delta: Fraction
) -> Any:
    """The family of `choose_by_stability`, whose scale = shift = 2: Lap(scale/ε), threshold (2/ε)·ln(1/2δ) + shift."""
    threshold = 2 / epsilon * log(1 / (2 * delta)) + shift
    return stable_choice(draw, quality, laplace(scale / epsilon), threshold)


def a_dist_discrete_with_lower_threshold(draw: Draw, quality: Quality, *, epsilon: Exact, delta: Fraction) -> Any:
    """`choose_by_stability_discrete` with a threshold that is lower by 1."""
    noise = discrete_laplace(2 / epsilon)
    return stable_choice(draw, quality, noise, 1 + smallest_with_tail(noise, exact(delta)))


def a_dist_with_an_eighth_of_the_noise(draw: Draw, quality: Quality, *, epsilon: Exact, delta: Exact, **_: Any) -> Any:
    """Mutant: Lap(1/(2ε)), below the printed threshold."""
    return stable_choice(draw, quality, laplace(1 / (2 * epsilon)), 4 / epsilon * log(1 / delta) + 2)


def whole_threshold(draw: Draw, quality: Quality, *, scale: int, threshold: int, epsilon: Exact, delta: Exact) -> Any:
    """A_dist with discrete Laplace noise of the given scale/ε and a threshold that does not depend on ε."""
    return stable_choice(draw, quality, discrete_laplace(scale / epsilon), threshold)


_PRINTED: Final = "A_dist with Lap(1/ε) and threshold (1/ε)·ln(1/δ) is (ε,δ)-private"
_DISCRETE: Final = "A_dist with discrete Laplace noise of scale 1/ε and threshold (1/ε)·ln(1/δ) is (ε,δ)-private"
_CORRECTED: Final = "A_dist with Lap(2/ε) and threshold (2/ε)·ln(1/(2δ)) + 2 is (ε,δ)-private"
_ON_FREQUENCIES: Final = ", on the frequencies of three values"


def _on_counts(selection: Mechanism) -> Row:
    """The family of the claims about the most frequent of three values."""
    return (
        Row()
        .having(mechanism=most_frequent, domain=COUNTS, neighbours=replace_one, mutant=most_frequent_whatever_the_gap)
        .run_with(selection=selection, values=3)
    )


JOURNAL: Final = (
    Row("BNS-J-2.26.privacy.")
    .having(source="Beimel, Nissim & Stemmer, journal version, Section 2.5.3 and Proposition 2.26(i)", domain=SCORES)
    .having(neighbours=scores_linf, delta=TENTH, mutant=best_whatever_the_gap)
)
_AS_PRINTED: Final = Row("printed", _PRINTED).having(mechanism=choose_by_stability_journal)
journal = family(
    JOURNAL,
    *rows_of(
        Row().having(refuted=OF_THE_STATEMENT).of(_AS_PRINTED),
        Row().having(epsilon=AT_EACH),
        Row("-small-epsilon").having(domain=ScoreSpace(range(61), solutions=2), epsilon=TENTH, delta=TENTH**2),
        Row("-small-delta").having(epsilon=3, delta=TENTH**6),
        Row("-counts", _ON_FREQUENCIES).having(epsilon=AT_EACH).of(_on_counts(choose_by_stability_journal)),
    ),
    # When rows come and go the gap moves by at most 1, and the best is released at gap 1 with probability ½·δ·e^ε: at
    # most δ exactly where e^ε ≤ 2.
    *at_each_epsilon(
        Row("printed-add-remove", f"{_PRINTED}{_ON_FREQUENCIES} when rows are added or removed")
        .having(domain=Multisets(range(3), sizes=range(9)), neighbours=add_or_remove_one, all_sizes=ALL_COUNTS)
        .of(_on_counts(choose_by_stability_journal)),
        differing=lambda epsilon: (
            Row()
            if epsilon == log(2)
            else Row().having(variant="The paper's neighbours replace a row; here a row comes or goes.")
        ),
    ),
    Row("discrete", _DISCRETE)
    .having(epsilon=AT_EACH, mechanism=choose_by_stability_journal, refuted=DISCRETE)
    .run_with(noise=discrete_laplace),
    *at_each_epsilon(
        Row("printed-at-2epsilon")
        .says("what holds of the print: A_dist with Lap(1/ε), threshold (1/ε)·ln(1/δ) is (2ε, ½e^(2ε)·δ)-private")
        .having(mechanism=choose_by_stability_journal, all_sizes=ALL_SCORES),
        differing=lambda epsilon: (
            Row()
            .having(epsilon=2 * epsilon, delta=exp(2 * epsilon) * TENTH**3 / 2)
            .run_with(epsilon=epsilon, delta=TENTH**3)
        ),
    ),
    *rows_of(
        Row("corrected", _CORRECTED).having(mechanism=choose_by_stability, all_sizes=ALL_SCORES),
        Row().having(epsilon=AT_EACH, stronger=AT_HALF),
        Row("-ties-at-random", "; with ties broken by chance, of three solutions, it is (ε,2δ/3)-private")
        .having(mechanism=symmetric(choose_by_stability, under=permutations | shifts), epsilon=1, delta=2 * TENTH / 3)
        .having(all_sizes=Scores(solutions=3), all_sizes_depth="full")
        .having(mutant=symmetric(best_whatever_the_gap, under=permutations | shifts))
        .run_with(delta=TENTH),
        Row("-counts", _ON_FREQUENCIES)
        .having(epsilon=AT_EACH, all_sizes=ALL_COUNTS, stronger=[(Multisets((0, 1), size=14), HALF, TENTH)])
        .of(_on_counts(choose_by_stability)),
        Row("-small-delta").having(epsilon=3, delta=TENTH**6, stronger=AT_HALF),
    ),
    *rows_of(
        Row("corrected-")
        .says("A_dist with Lap({} is (ε,δ)-private: a constant next below the corrected ones, in steps of 1/4")
        .having(mechanism=a_dist_with, epsilon=3, delta=TENTH**6, refuted=ONE_LESS),
        Row("scale-below", "7/(4ε)) and threshold (2/ε)·ln(1/(2δ)) + 2").run_with(scale=Fraction(7, 4), shift=2),
        Row("shift-below", "2/ε) and threshold (2/ε)·ln(1/(2δ)) + 7/4").run_with(scale=2, shift=Fraction(7, 4)),
    ),
    Row("corrected-discrete")
    .having(epsilon=AT_EACH)
    .says(
        "A_dist with discrete Laplace noise of scale 2/ε and threshold 2 + min{k : Pr[noise ≥ k] ≤ δ} is (ε,δ)-private"
    )
    .having(mechanism=choose_by_stability_discrete, all_sizes=ALL_SCORES, stronger=AT_HALF),
    Row("corrected-discrete-below")
    .says("A_dist with discrete Laplace noise of scale 2/ε and that threshold less 1 is (ε,δ)-private")
    .having(mechanism=a_dist_discrete_with_lower_threshold, epsilon=1, refuted=ONE_LESS),
)

# The extended abstract, Proposition 2.
_QUARTER: Final = Fraction(1, 4)  # at ε = ln 2 the threshold is then 10, exactly
_AT_LN_2: Final = (
    Row()
    .having(delta=_QUARTER)
    .holds_with(_QUARTER, "15/64", "Lap(4/ε) is twice the noise that a gap which moves by 2 needs")
)
ABSTRACT: Final = (
    Row("BNS-X-Prop2.privacy.")
    .having(source="Beimel, Nissim & Stemmer, extended abstract, Section 2.4 and Proposition 2(i)", domain=SCORES)
    .having(mechanism=choose_by_stability_extended_abstract, neighbours=scores_linf)
    .having(mutant=a_dist_with_an_eighth_of_the_noise)
)
_IN_EXTENDED: Final = "A_dist with Lap(4/ε), threshold (4/ε)·ln(1/δ) + 2, ⊥₁ and ⊥₂ is (ε,δ)-private"
extended_abstract = family(
    Row().having(all_sizes=ALL_SCORES).of(ABSTRACT),
    *at_each_epsilon(
        Row("printed", _IN_EXTENDED).having(stronger=FAR_AT_HALF),
        differing=lambda e: _AT_LN_2 if e == log(2) else Row().having(delta=TENTH if e == 1 else TENTH**3),
    ),
    *at_each_epsilon(
        Row("printed-counts", f"{_IN_EXTENDED}, on the frequencies of three values")
        .having(all_sizes=ALL_COUNTS)
        .of(_on_counts(choose_by_stability_extended_abstract)),
        differing=lambda epsilon: _AT_LN_2 if epsilon == log(2) else Row().having(delta=TENTH),
    ),
    *at_each_epsilon(
        Row("discrete", "A_dist as printed, but with discrete Laplace noise of scale 4/ε, is (ε,δ)-private")
        .having(stronger=FAR_AT_HALF)
        .run_with(noise=discrete_laplace),
        differing=lambda e: Row().having(delta=_QUARTER if e == log(2) else TENTH if e == 1 else TENTH**3),
    ),
)

# Bun, Nissim & Stemmer, Proposition 3.11.
BUNS: Final = (
    Row("BuNS-3.11.privacy.")
    .having(source="Bun, Nissim & Stemmer, Algorithm 3 and Proposition 3.11(1), formulas reconstructed", domain=SCORES)
    .having(mechanism=choose_by_stability_journal, neighbours=scores_linf, delta=TENTH**2, refuted=A_DIST_OF_BUNS)
    .having(mutant=best_whatever_the_gap)
)
bun_nissim_and_stemmer = family(
    BUNS,
    Row("printed", _PRINTED).having(epsilon=AT_EACH),
    Row("printed-counts", f"{_PRINTED}{_ON_FREQUENCIES}")
    .having(epsilon=AT_EACH)
    .of(_on_counts(choose_by_stability_journal)),
    Row("discrete", _DISCRETE).having(epsilon=AT_EACH).run_with(noise=discrete_laplace),
)

# A_dist at every ε: its own thresholds cut ε > 0 where δ·e^(ε·gap) = 1; a whole threshold does not.
_EVERY: Final = Row("{}-every-epsilon", "A_dist with {}, for every ε").having(
    domain=TWO_SCORES, epsilon=symbolic, delta=TENTH
)
_TENTH_PRIVATE: Final = Row("", "{} is (ε,1/10)-private").having(all_sizes=Scores(solutions=OrMore(2)))
a_dist_at_every_epsilon = (
    *family(
        _EVERY.of(JOURNAL),
        Row("printed", "Lap(1/ε) and threshold (1/ε)·ln(1/δ) is (ε,1/10)-private").having(
            mechanism=choose_by_stability_journal, refuted=OF_THE_STATEMENT
        ),
        Row("corrected", "Lap(2/ε) and threshold (2/ε)·ln(1/(2δ)) + 2")
        .having(mechanism=choose_by_stability)
        .of(_TENTH_PRIVATE),
    ),
    *family(_EVERY.of(ABSTRACT), Row("printed", "Lap(4/ε), threshold (4/ε)·ln(1/δ) + 2, ⊥₁ and ⊥₂").of(_TENTH_PRIVATE)),
    *family(
        Row("whole-threshold{}", "discrete Laplace noise of scale {}/ε and threshold 6 is (ε, e^(-2ε))-private")
        .having(mechanism=whole_threshold, delta=exp(-2 * symbolic), all_sizes=Scores(solutions=2))
        .of(_EVERY.of(JOURNAL)),
        Row("-scale-1", "1")
        .having(variant="The threshold is one of ours, which does not depend on ε or δ.")
        .run_with(scale=1, threshold=6),
        Row("", "2").run_with(scale=2, threshold=6),
    ),
)


# For every δ, every ε and all score vectors.
def with_half_of_delta(draw: Draw, quality: Quality, *, epsilon: Exact, delta: Exact) -> Any:
    """Mutant: tests the gap for twice the δ, up to 1."""
    return choose_by_stability(draw, quality, epsilon=epsilon, delta=2 * delta if 2 * delta < 1 else delta)


def discrete_without_the_shift(draw: Draw, quality: Quality, *, epsilon: Exact, delta: Exact, **ignored: Any) -> Any:
    """Mutant: discrete noise of scale 4/ε, below (4/ε)·ln(1/δ) less 4."""
    return stable_choice(draw, quality, discrete_laplace(4 / epsilon), 4 / epsilon * log(1 / delta) - 4)


_FOR_EVERY_DELTA: Final = "for every ε > 0, every 0 < δ < 1 and every number of solutions"
_ALL: Final = Row().having(domain=Scores(solutions=OrMore(1)), epsilon=symbolic, delta=symbolic_delta)
_AS_PRINTED_FOR_ALL: Final = Row("", f"{_PRINTED}, {_FOR_EVERY_DELTA}")
journal_for_every_delta = family(
    _ALL.of(JOURNAL),
    *rows_of(
        Row("corrected{}-every-delta", f"A_dist with {{}} is (ε,δ)-private, {_FOR_EVERY_DELTA}").having(
            mutant=with_half_of_delta
        ),
        Row("", "Lap(2/ε) and threshold (2/ε)·ln(1/(2δ)) + 2").having(mechanism=choose_by_stability),
        Row("-discrete", "discrete Laplace noise of scale 2/ε and threshold 2 + min{k : Pr[noise ≥ k] ≤ δ}").having(
            mechanism=choose_by_stability_discrete
        ),
    ),
    *rows_of(
        Row("printed").having(mechanism=choose_by_stability_journal),
        Row("-every-delta")
        .having(
            of_the_statement="It fails for every ε > 0: where ε > ln(2)/2 at all δ < (1 + √(1 - 2·e^(-2ε)))/2, and "
            "otherwise at all δ < (1 - e^(-ε))/2 and at none from 1 - e^(-ε/2) on. It holds for the others."
        )
        .of(_AS_PRINTED_FOR_ALL),
        Row("-one-score-every-delta", ", where one score moves at a time")
        .having(neighbours=scores_l1)
        .having(
            variant="The paper's neighbours may move all scores. Where one moves alone it fails for ε > ln 2, at all δ "
            "< (1 + √(1 - 2·e^(-ε)))/2, and holds otherwise."
        )
        .of(_AS_PRINTED_FOR_ALL),
        Row("-every-delta-at-2epsilon")
        .says(
            "what holds of the print: A_dist with Lap(1/ε), threshold (1/ε)·ln(1/δ) is (2ε, ½e^(2ε)·δ)-private, "
            f"{_FOR_EVERY_DELTA}"
        )
        .having(epsilon=2 * symbolic, delta=exp(2 * symbolic) * symbolic_delta / 2)
        .run_with(epsilon=symbolic, delta=symbolic_delta),
    ),
    *(
        Row(f"corrected-{name}-below-every-delta")
        .says(
            f"A_dist with Lap({scale}/ε) and threshold ({scale}/ε)·ln({constant}/δ) + {shift} is (ε,δ)-private, "
            f"{_FOR_EVERY_DELTA}: a constant next below the corrected ones"
        )
        .having(mechanism=choose_by_stability_with, refuted=ONE_LESS)
        .run_with(scale=scale, constant=constant, shift=shift)
        for name, scale, constant, shift in (
            ("scale", Fraction(7, 4), Fraction(1, 2), 2),
            ("shift", 2, Fraction(1, 2), Fraction(7, 4)),
            ("constant", 2, Fraction(2, 5), 2),
        )
    ),
)
extended_abstract_for_every_delta = family(
    Row("{}-every-delta", f"A_dist {{}} is (ε,δ)-private, {_FOR_EVERY_DELTA}").of(_ALL.of(ABSTRACT)),
    Row("printed", "with Lap(4/ε), threshold (4/ε)·ln(1/δ) + 2, ⊥₁ and ⊥₂"),
    Row("discrete", "as printed, but with discrete Laplace noise of scale 4/ε,")
    .having(mutant=discrete_without_the_shift)
    .run_with(noise=discrete_laplace),
)
bun_nissim_and_stemmer_for_every_delta = family(_ALL.of(BUNS), Row("printed-every-delta").of(_AS_PRINTED_FOR_ALL))
