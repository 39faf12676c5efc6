"""The building blocks for every ε > 0 at once, wherever the probabilities are quotients of polynomials in e^(-ε/L).

That leaves out continuous noise which is compared with other noise, and thresholds that are rounded up. A refuted claim
says at which ε it fails on its domain; many a lemma whose proof asks for ε ≤ 1 says so here by itself.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.exact.elementary import exp
from dpverify.mechanisms.exact.exact_numbers import Exact
from dpverify.mechanisms.exact.symbolic_epsilon import symbolic
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.laws.noise import discrete_laplace
from dpverify.mechanisms.learners.generic_learner import generic_learner
from dpverify.mechanisms.sanitizers.concepts import thresholds
from dpverify.mechanisms.selection.choosing import choosing_mechanism
from dpverify.mechanisms.selection.composition import composition, hardest_composition, leaky_randomized_response
from dpverify.mechanisms.selection.exponential_mechanism import Quality, exponential_mechanism
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces
from dpverify.mechanisms.selection.sparse_vector import first_below, numerical_svt, svt1, svt2, svt4, svt6
from dpverify.mechanisms.selection.stability import a_dist, a_dist_extended_abstract, a_dist_journal, stable_choice
from dpverify.mechanisms.selection.subsampling import on_a_sample
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue import bns_choosing, bns_j, bns_x, chs, lsl
from dpverify.verifiers.catalogue import composition as composing
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.privacy.domains import BoundedGrowth, LabelledSamples, Multisets, ScoreSpace, Tuples
from dpverify.verifiers.privacy.neighbours import bounded_growth, scores_linf

REFUTED: Final = Status.REFUTED
TENTH: Final = Fraction(1, 10)
TWO_SCORES: Final = ScoreSpace(range(13), solutions=2)
BITS: Final = Tuples((0, 1), size=6)
_J: Final = "Beimel, Nissim & Stemmer, journal version"
_DISCRETE: Final = {"noise": discrete_laplace}


def _claim(row: str, *, variant: str = "", epsilon: Exact = symbolic, **rest: Any) -> Claim:
    return Claim(id=f"{row}.privacy.{variant}every-epsilon", epsilon=epsilon, **rest)


# Section 2.5.

noisy_count = tuple(
    _claim(
        "BNS-J-2.24",
        variant=f"{variant}-",
        source=f"{_J}, Theorem 2.24",
        statement=f"{what} is ε-private, for every ε",
        mechanism=mechanism,
        domain=BITS,
        mutant=mutant,
    )
    for variant, what, mechanism, mutant in (
        (
            "discrete",
            "a count with discrete Laplace noise of scale 1/ε",
            bns_j.noisy_count,
            bns_j.noisy_count_with_half_the_noise,
        ),
        (
            "clamped",
            "a count with discrete Laplace noise of scale 1/ε, clamped to [0, m],",
            bns_j.clamped_count,
            bns_j.clamped_count_with_half_the_noise,
        ),
        (
            "printed-binned",
            "a count with Lap(1/ε), as far as unit bins of it show,",
            bns_j.binned_count,
            bns_j.binned_count_with_half_the_noise,
        ),
    )
)
histogram = _claim(
    "BNS-J-2.24",
    variant="discrete-histogram-",
    source=f"{_J}, Theorem 2.24",
    statement="a histogram, of ℓ1-sensitivity 2, with discrete Laplace noise of scale 2/ε is ε-private, for every ε",
    mechanism=bns_j.noisy_histogram,
    domain=Multisets(range(3), size=4),
    parameters={"values": 3, "sensitivity": 2},
    mutant=bns_j.noisy_histogram_with_half_the_noise,
)
exponential_scores = _claim(
    "BNS-J-2.25",
    variant="scores-",
    source=f"{_J}, Proposition 2.25(i)",
    statement="the exponential mechanism is ε-private for every quality function of sensitivity 1, for every ε",
    mechanism=exponential_mechanism,
    domain=ScoreSpace(range(7), solutions=3),
    neighbours=scores_linf,
    mutant=bns_j.exponential_without_half,
)
learner = _claim(
    "BNS-J-KLNRS",
    variant="thresh-",
    source=f"{_J}, Section 2.5.2, after Kasiviswanathan et al.",
    statement="the generic private learner of THRESH_2 is ε-private, for every ε",
    mechanism=generic_learner,
    domain=LabelledSamples(range(4), size=3),
    parameters={"hypotheses": thresholds(2)},
    mutant=bns_j.generic_learner_without_half,
)

# A_dist: its own thresholds cut ε > 0 where δ·e^(ε·gap) = 1; a whole threshold does not.


def whole_threshold(draw: Draw, quality: Quality, *, scale: int, threshold: int, epsilon: Exact, delta: Exact) -> Any:
    """A_dist with discrete Laplace noise of the given scale/ε and a threshold that does not depend on ε."""
    return stable_choice(draw, quality, discrete_laplace(scale / epsilon), threshold)


_A_DIST: Final = f"{_J}, Section 2.5.3 and Proposition 2.26(i)"

a_dist_versions = tuple(
    _claim(
        row,
        variant=f"{variant}-",
        source=source,
        statement=f"A_dist with {constants} is (ε,1/10)-private, for every ε",
        mechanism=mechanism,
        domain=TWO_SCORES,
        neighbours=scores_linf,
        delta=TENTH,
        expected=expected,
        mutant=mutant,
    )
    for row, variant, source, constants, mechanism, expected, mutant in (
        (
            "BNS-J-2.26",
            "printed",
            _A_DIST,
            "Lap(1/ε) and threshold (1/ε)·ln(1/δ)",
            a_dist_journal,
            REFUTED,
            bns_j.best_whatever_the_gap,
        ),
        (
            "BNS-J-2.26",
            "corrected",
            _A_DIST,
            "Lap(2/ε) and threshold (2/ε)·ln(1/(2δ)) + 2",
            a_dist,
            Status.PROVED,
            bns_j.best_whatever_the_gap,
        ),
        (
            "BNS-X-Prop2",
            "printed",
            "Beimel, Nissim & Stemmer, extended abstract, Section 2.4 and Proposition 2(i)",
            "Lap(4/ε), threshold (4/ε)·ln(1/δ) + 2, ⊥₁ and ⊥₂",
            a_dist_extended_abstract,
            Status.PROVED,
            bns_x.a_dist_with_an_eighth_of_the_noise,
        ),
    )
)
whole_thresholds = tuple(
    _claim(
        "BNS-J-2.26",
        variant=f"{variant}-",
        source=_A_DIST,
        statement=f"A_dist with discrete Laplace noise of scale {scale}/ε and threshold 6 is (ε, e^(-2ε))-private, for "
        "every ε",
        mechanism=whole_threshold,
        domain=TWO_SCORES,
        neighbours=scores_linf,
        delta=exp(-2 * symbolic),
        parameters={"scale": scale, "threshold": 6},
        expected=expected,
        mutant=bns_j.best_whatever_the_gap,
    )
    for variant, scale, expected in (("whole-threshold-scale-1", 1, REFUTED), ("whole-threshold", 2, Status.PROVED))
)

# Lemma 4.4: with m rows a solution of quality 1 appears with probability ½·exp(-(αm/2 − 1)·ε/4).

_M: Final = 8

choosing = tuple(
    _claim(
        "BNS-J-4.4",
        variant=f"{variant}-",
        source=f"{_J}, Figure 8 and Lemma 4.4",
        statement=f"the choosing mechanism with α = 1 is (ε, {written})-private at 1-bounded growth, {_M} rows, for "
        "every ε",
        mechanism=choosing_mechanism,
        domain=BoundedGrowth(rows=_M, solutions=2, growth=1),
        neighbours=bounded_growth,
        delta=delta,
        parameters={"rows": _M, "alpha": Fraction(1)},
        expected=expected,
        mutant=bns_choosing.chooses_without_a_test,
    )
    for variant, delta, written, expected in (
        ("eight-rows", TENTH, "1/10", REFUTED),
        ("eight-rows-exact-delta", exp(-symbolic * 3 / 4) / 2, "½·e^(-3ε/4)", Status.PROVED),
    )
)

# Selection and sparse vector, with discrete noise.

noisy_max = _claim(
    "CHS-2.2-MoL",
    variant="discrete-",
    source="Chaudhuri, Hsu & Song, Section 2.2",
    statement="max-of-Laplaces with discrete Laplace noise of scale 2/ε is ε-private, for every ε",
    mechanism=max_of_laplaces,
    domain=ScoreSpace(range(3), solutions=3),
    neighbours=scores_linf,
    parameters=_DISCRETE,
    mutant=chs.max_of_laplaces_with_half_the_noise,
)
sparse_vector = tuple(
    _claim(
        row,
        variant="discrete-",
        source=source,
        statement=f"{statement}, with discrete Laplace noise, for every ε",
        mechanism=mechanism,
        domain=domain,
        neighbours=scores_linf,
        epsilon=epsilon,
        parameters={**_DISCRETE, **more},
        expected=expected,
        mutant=lsl.svt_without_query_noise,
    )
    for row, source, statement, mechanism, domain, epsilon, more, expected in (
        (
            "LSL-Alg1",
            "Lyu, Su & Li 2017, Algorithm 1",
            "sparse vector with scales 2/ε and 4c/ε, c = 1, is ε-private",
            svt1,
            lsl.THREE,
            symbolic,
            {},
            Status.PROVED,
        ),
        (
            "LSL-Alg2",
            "Lyu, Su & Li 2017, Algorithm 2",
            "sparse vector with scales 2c/ε, anew after each above, and 4c/ε, c = 2, is ε-private",
            svt2,
            lsl.THREE,
            symbolic,
            {"count": 2},
            Status.PROVED,
        ),
        (
            "LSL-Alg4",
            "Lyu, Su & Li 2017, Algorithm 4, after Lee & Clifton 2014",
            "sparse vector with scales 4/ε and 4/(3ε), c = 1, is ε-private",
            svt4,
            lsl.THREE,
            symbolic,
            {},
            REFUTED,
        ),
        (
            "LSL-Alg6",
            "Lyu, Su & Li 2017, Algorithm 6, after Chen et al. 2015",
            "sparse vector with scales 2/ε and 2/ε, which never stops, is ε-private",
            svt6,
            lsl.THREE,
            symbolic,
            {},
            REFUTED,
        ),
        (
            "LSL-Num",
            "Ding et al. 2018, NumericalSVT",
            "sparse vector with scales 3/ε and 6c/ε, that releases a query above with scale 3c/ε, is ε-private",
            numerical_svt,
            lsl.TWO,
            symbolic,
            {"released": discrete_laplace},
            Status.PROVED,
        ),
        (
            "LICS20-SVT",
            "Barthe et al., LICS 2020, sparse vector",
            "the position of the first of 3 queries below, scales 2/ε and 4/ε, is ε-private",
            first_below,
            lsl.THREE,
            symbolic,
            {},
            Status.PROVED,
        ),
    )
)
six_queries = _claim(
    "LSL-Alg1",
    variant="discrete-six-queries-",
    source="Lyu, Su & Li 2017, Algorithm 1",
    statement="sparse vector with scales 2/ε and 4c/ε, c = 1, is ε-private, with discrete Laplace noise, for every ε",
    mechanism=svt1,
    domain=lsl.SIX,
    neighbours=scores_linf,
    parameters=_DISCRETE,
    mutant=lsl.svt_without_query_noise,
    depth="full",
)
fourth_corrected = _claim(
    "LSL-Alg4",
    variant="corrected-discrete-",
    source="Lyu, Su & Li 2017, Algorithm 4",
    statement="sparse vector with scales 4/ε and 4/(3ε), c = 1, is 7/4·ε-private, with discrete noise, for every ε",
    mechanism=svt4,
    domain=lsl.THREE,
    neighbours=scores_linf,
    epsilon=symbolic * Fraction(7, 4),
    parameters={**_DISCRETE, "epsilon": symbolic},
    mutant=lsl.svt_without_query_noise,
)

# Composition, and secrecy of the sample.


def _leaky(epsilon: Exact, delta: Fraction) -> tuple[Any, dict[str, Any]]:
    return leaky_randomized_response, {"epsilon": epsilon, "delta": delta}


two_parts = _claim(
    "BNS-J-2.3",
    variant="two-mechanisms-",
    source=f"{_J}, Theorem 2.3",
    statement="an (ε,1/100)- and an (ε/2,1/10)-private mechanism are together (3ε/2, 11/100)-private, for every ε",
    mechanism=composition,
    domain=composing.BITS,
    neighbours=composing.other_bit,
    epsilon=symbolic * Fraction(3, 2),
    delta=Fraction(11, 100),
    parameters={"parts": (_leaky(symbolic, Fraction(1, 100)), _leaky(symbolic / 2, TENTH))},
    mutant=composing.first_part_twice,
)
ten_times = _claim(
    "BNS-J-2.4",
    variant="10-times-",
    source=f"{_J}, Theorem 2.4; BuNS, Theorem 2.16",
    statement="10 (ε,1/1000)-private mechanisms are together (10ε, 1/100)-private, for every ε",
    mechanism=hardest_composition,
    domain=composing.BITS,
    neighbours=composing.other_bit,
    epsilon=10 * symbolic,
    delta=Fraction(1, 100),
    parameters={"times": 10, "epsilon": symbolic, "delta": Fraction(1, 1000)},
    mutant=composing.used_once_more,
)
samples = tuple(
    _claim(
        "BuNS-2.25",
        variant=f"{name}-",
        source="BuNS, Lemma 2.25, formulas as reconstructed",
        statement=f"{inner.__name__}, ε-private, on 1 of 16 rows is 3/8·ε-private, for every ε: the lemma without its "
        "ε ≤ 1",
        mechanism=on_a_sample,
        domain=Multisets(composing.BITS, size=16),
        epsilon=symbolic * Fraction(3, 8),
        parameters={"size": 1, "mechanism": inner, "parameters": {"epsilon": symbolic}},
        expected=REFUTED,
        mutant=composing.without_sampling,
    )
    for name, inner in (("exponential", composing.most_frequent_bit), ("noisy-sum", composing.noisy_sum))
)
