"""Privacy of A_dist for every δ, every ε and all score vectors: the corrected one, and each as it is printed.

`stability_privacy.py` has the same at single ε and δ, on domains that end as well.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.selection.exponential_mechanism import Quality
from dpverify.mechanisms.selection.stability import (
    choose_by_stability,
    choose_by_stability_discrete,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
    choose_by_stability_with,
    stable_choice,
)
from dpverify.mechanisms.signs.delta_symbol import symbolic_delta
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.verifiers.catalogue.refuted import A_DIST_OF_BUNS, ONE_LESS, as_expected, of_the_statement, variant
from dpverify.verifiers.catalogue.selection.stability.stability_privacy import (
    a_dist_with_an_eighth_of_the_noise,
    best_whatever_the_gap,
)
from dpverify.verifiers.charts.domains import Scores
from dpverify.verifiers.pairs.neighbours import scores_l1, scores_linf
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.score_domains import OrMore

ALL_SCORES: Final = Scores(solutions=OrMore(1))

_JOURNAL: Final = "Beimel, Nissim & Stemmer, journal version, Section 2.5.3 and Proposition 2.26(i)"
_ABSTRACT: Final = "Beimel, Nissim & Stemmer, extended abstract, Section 2.4 and Proposition 2(i)"
_BUNS: Final = "Bun, Nissim & Stemmer, Algorithm 3 and Proposition 3.11(1), formulas reconstructed"
_EVERY: Final = "for every ε > 0, every 0 < δ < 1 and every number of solutions"
_PRINTED: Final = f"A_dist with Lap(1/ε) and threshold (1/ε)·ln(1/δ) is (ε,δ)-private, {_EVERY}"


def with_half_of_delta(draw: Draw, quality: Quality, *, epsilon: Fraction | Exact, delta: Fraction | Exact) -> Any:
    """Mutant: tests the gap for twice the δ, up to 1."""
    return choose_by_stability(draw, quality, epsilon=epsilon, delta=2 * delta if 2 * delta < 1 else delta)


def discrete_without_the_shift(draw: Draw, quality: Quality, *, epsilon: Exact, delta: Exact, **ignored: Any) -> Any:
    """Mutant: discrete noise of scale 4/ε, below (4/ε)·ln(1/δ) less 4."""
    return stable_choice(draw, quality, discrete_laplace(4 / epsilon), 4 / epsilon * log(1 / delta) - 4)


_WHERE: Final = (
    "It fails for every ε > 0: where ε > ln(2)/2 at all δ < (1 + √(1 - 2·e^(-2ε)))/2, and otherwise at all "
    "δ < (1 - e^(-ε))/2 and at none from 1 - e^(-ε/2) on. It holds for the others."
)
_STATEMENT: Final = of_the_statement(_WHERE)


def _every_delta(claim_id: str, **rest: Any) -> Claim:
    """A claim on all score vectors, which is PROVED there, or refuted as `refutation` says."""
    scope = "" if "refutation" in rest else "all"
    return Claim(
        id=claim_id, **{"domain": ALL_SCORES, "epsilon": symbolic, "delta": symbolic_delta, "scope": scope, **rest}
    )


corrected = _every_delta(
    "BNS-J-2.26.privacy.corrected-every-delta",
    source=_JOURNAL,
    statement=f"A_dist with Lap(2/ε) and threshold (2/ε)·ln(1/(2δ)) + 2 is (ε,δ)-private, {_EVERY}",
    mechanism=choose_by_stability,
    neighbours=scores_linf,
    mutant=with_half_of_delta,
)
corrected_discrete = _every_delta(
    "BNS-J-2.26.privacy.corrected-discrete-every-delta",
    source=_JOURNAL,
    statement="A_dist with discrete Laplace noise of scale 2/ε and threshold 2 + min{k : Pr[noise ≥ k] ≤ δ} is "
    f"(ε,δ)-private, {_EVERY}",
    mechanism=choose_by_stability_discrete,
    neighbours=scores_linf,
    mutant=with_half_of_delta,
)
printed = _every_delta(
    "BNS-J-2.26.privacy.printed-every-delta",
    source=_JOURNAL,
    statement=_PRINTED,
    mechanism=choose_by_stability_journal,
    neighbours=scores_linf,
    **as_expected(_STATEMENT),
    mutant=best_whatever_the_gap,
)
printed_one_score = _every_delta(
    "BNS-J-2.26.privacy.printed-one-score-every-delta",
    source=_JOURNAL,
    statement=f"{_PRINTED}, where one score moves at a time",
    mechanism=choose_by_stability_journal,
    neighbours=scores_l1,
    **as_expected(
        variant(
            "The paper's neighbours may move all scores. Where one moves alone it fails for ε > ln 2, at all δ < (1 + "
            "√(1 - 2·e^(-ε)))/2, and holds otherwise."
        )
    ),
    mutant=best_whatever_the_gap,
)
printed_at_twice_epsilon = _every_delta(
    "BNS-J-2.26.privacy.printed-every-delta-at-2epsilon",
    source=_JOURNAL,
    statement="what holds of the print: A_dist with Lap(1/ε), threshold (1/ε)·ln(1/δ) is (2ε, ½e^(2ε)·δ)-private, "
    f"{_EVERY}",
    mechanism=choose_by_stability_journal,
    neighbours=scores_linf,
    epsilon=2 * symbolic,
    delta=exp(2 * symbolic) * symbolic_delta / 2,
    parameters={"epsilon": symbolic, "delta": symbolic_delta},
    mutant=best_whatever_the_gap,
)
next_smaller = tuple(
    _every_delta(
        f"BNS-J-2.26.privacy.corrected-{name}-every-delta",
        source=_JOURNAL,
        statement=f"A_dist with Lap({scale}/ε) and threshold ({scale}/ε)·ln({constant}/δ) + {shift} is (ε,δ)-private, "
        f"{_EVERY}: a constant next below the corrected ones",
        mechanism=choose_by_stability_with,
        neighbours=scores_linf,
        parameters={"scale": scale, "constant": constant, "shift": shift},
        **as_expected(ONE_LESS),
        mutant=best_whatever_the_gap,
    )
    for name, scale, constant, shift in (
        ("scale-below", Fraction(7, 4), Fraction(1, 2), 2),
        ("shift-below", 2, Fraction(1, 2), Fraction(7, 4)),
        ("constant-below", 2, Fraction(2, 5), 2),
    )
)
abstract_printed = _every_delta(
    "BNS-X-Prop2.privacy.printed-every-delta",
    source=_ABSTRACT,
    statement=f"A_dist with Lap(4/ε), threshold (4/ε)·ln(1/δ) + 2, ⊥₁ and ⊥₂ is (ε,δ)-private, {_EVERY}",
    mechanism=choose_by_stability_extended_abstract,
    neighbours=scores_linf,
    mutant=a_dist_with_an_eighth_of_the_noise,
)
abstract_discrete = _every_delta(
    "BNS-X-Prop2.privacy.discrete-every-delta",
    source=_ABSTRACT,
    statement=f"A_dist as printed, but with discrete Laplace noise of scale 4/ε, is (ε,δ)-private, {_EVERY}",
    mechanism=choose_by_stability_extended_abstract,
    neighbours=scores_linf,
    parameters={"noise": discrete_laplace},
    mutant=discrete_without_the_shift,
)
buns_printed = _every_delta(
    "BuNS-3.11.privacy.printed-every-delta",
    source=_BUNS,
    statement=_PRINTED,
    mechanism=choose_by_stability_journal,
    neighbours=scores_linf,
    **as_expected(A_DIST_OF_BUNS),
    mutant=best_whatever_the_gap,
)
