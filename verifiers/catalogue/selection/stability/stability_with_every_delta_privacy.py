"""Privacy of A_dist for every δ, every ε and all score vectors: the corrected one, and each as it is printed.

`stability_privacy.py` has the same at single ε and δ, on domains that end as well.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, discrete_laplace, exp, log, symbolic
from dpverify.mechanisms.selection import (
    choose_by_stability,
    choose_by_stability_discrete,
    choose_by_stability_journal,
    choose_by_stability_with,
)
from dpverify.mechanisms.selection.exponential_mechanism import Quality
from dpverify.mechanisms.selection.stability import stable_choice
from dpverify.mechanisms.signs import symbolic_delta
from dpverify.verifiers import Scores, scores_l1
from dpverify.verifiers.catalogue.refuted import ONE_LESS, of_the_statement, variant
from dpverify.verifiers.catalogue.selection.stability.stability_privacy import ABSTRACT, BUNS, JOURNAL
from dpverify.verifiers.privacy.family import Row, family, rows_of
from dpverify.verifiers.questions import OrMore


def with_half_of_delta(draw: Draw, quality: Quality, *, epsilon: Exact, delta: Exact) -> Any:
    """Mutant: tests the gap for twice the δ, up to 1."""
    return choose_by_stability(draw, quality, epsilon=epsilon, delta=2 * delta if 2 * delta < 1 else delta)


def discrete_without_the_shift(draw: Draw, quality: Quality, *, epsilon: Exact, delta: Exact, **ignored: Any) -> Any:
    """Mutant: discrete noise of scale 4/ε, below (4/ε)·ln(1/δ) less 4."""
    return stable_choice(draw, quality, discrete_laplace(4 / epsilon), 4 / epsilon * log(1 / delta) - 4)


_EVERY: Final = "for every ε > 0, every 0 < δ < 1 and every number of solutions"
_ALL: Final = Row().having(domain=Scores(solutions=OrMore(1)), epsilon=symbolic, delta=symbolic_delta)
_PRINTED: Final = Row("", f"A_dist with Lap(1/ε) and threshold (1/ε)·ln(1/δ) is (ε,δ)-private, {_EVERY}")

journal = family(
    _ALL.of(JOURNAL),
    *rows_of(
        Row("corrected{}-every-delta", f"A_dist with {{}} is (ε,δ)-private, {_EVERY}").having(
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
            refuted=of_the_statement(
                "It fails for every ε > 0: where ε > ln(2)/2 at all δ < (1 + √(1 - 2·e^(-2ε)))/2, and otherwise at all "
                "δ < (1 - e^(-ε))/2 and at none from 1 - e^(-ε/2) on. It holds for the others."
            )
        )
        .of(_PRINTED),
        Row("-one-score-every-delta", ", where one score moves at a time")
        .having(neighbours=scores_l1)
        .having(
            refuted=variant(
                "The paper's neighbours may move all scores. Where one moves alone it fails for ε > ln 2, at all δ < "
                "(1 + √(1 - 2·e^(-ε)))/2, and holds otherwise."
            )
        )
        .of(_PRINTED),
        Row("-every-delta-at-2epsilon")
        .says(
            "what holds of the print: A_dist with Lap(1/ε), threshold (1/ε)·ln(1/δ) is (2ε, ½e^(2ε)·δ)-private, "
            f"{_EVERY}"
        )
        .having(epsilon=2 * symbolic, delta=exp(2 * symbolic) * symbolic_delta / 2)
        .run_with(epsilon=symbolic, delta=symbolic_delta),
    ),
    *(
        Row(f"corrected-{name}-below-every-delta")
        .says(
            f"A_dist with Lap({scale}/ε) and threshold ({scale}/ε)·ln({constant}/δ) + {shift} is (ε,δ)-private, "
            f"{_EVERY}: a constant next below the corrected ones"
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
extended_abstract = family(
    Row("{}-every-delta", f"A_dist {{}} is (ε,δ)-private, {_EVERY}").of(_ALL.of(ABSTRACT)),
    Row("printed", "with Lap(4/ε), threshold (4/ε)·ln(1/δ) + 2, ⊥₁ and ⊥₂"),
    Row("discrete", "as printed, but with discrete Laplace noise of scale 4/ε,")
    .having(mutant=discrete_without_the_shift)
    .run_with(noise=discrete_laplace),
)
bun_nissim_and_stemmer = family(_ALL.of(BUNS), Row("printed-every-delta").of(_PRINTED))
