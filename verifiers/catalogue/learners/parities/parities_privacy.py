"""Privacy of the learner of many parities: Algorithm 4 of Bun, Nissim & Stemmer."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.learners.multi_learners import Row
from dpverify.mechanisms.learners.parities import learn_parities
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.selection.stability import choose_by_stability, choose_by_stability_journal
from dpverify.verifiers.catalogue.families import BY_DEFAULT, on_all
from dpverify.verifiers.catalogue.finite import CHOSEN
from dpverify.verifiers.catalogue.learners.multi_learners_privacy import rows_of
from dpverify.verifiers.catalogue.refuted import A_DIST_OF_BUNS, as_expected
from dpverify.verifiers.catalogue.selection.stability.stability_privacy import as_printed, best_whatever_the_gap
from dpverify.verifiers.composites.domains import EveryDatabase
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.domains import Tuples

TENTH: Final = Fraction(1, 10)
_BUNS: Final = "Bun, Nissim & Stemmer"


def parity_index(draw: Draw, rows: Sequence[Row], *, selection: Mechanism, epsilon: Exact, delta: Exact) -> Any:
    """The k-learner of parities on one bit, from one row each: which parity, or None for ⊥."""
    found = learn_parities(draw, rows, d=1, k=1, size=1, epsilon=epsilon, delta=delta, selection=selection)
    return found[0].y if isinstance(found, tuple) else None


def parity_without_a_dist(
    draw: Draw, rows: Sequence[Row], *, selection: Mechanism, epsilon: Exact, delta: Exact
) -> Any:
    """Mutant: takes the most frequent vector without the test of A_dist."""
    return parity_index(draw, rows, selection=best_whatever_the_gap, epsilon=epsilon, delta=delta)


SUBSAMPLES: Final = [*Tuples(rows_of(1), size=4), *(((1, 0),) * few + ((1, 1),) * (10 - few) for few in range(5))]
"""All of four subsamples of one row, and such of ten in which A_dist begins to tell one parity, at a gap of 5."""

parities = tuple(
    Claim(
        id=f"BuNS-3.12.privacy.{variant}",
        source="Bun, Nissim & Stemmer, Algorithm 4 and Theorem 3.12",
        statement=f"the learner of parities with {what} is (1,1/10)-private, on four and on ten subsamples of one row",
        mechanism=parity_index,
        domain=SUBSAMPLES,
        epsilon=1,
        delta=TENTH,
        parameters={"selection": selection},
        **as_expected(refuted),
        **({"finite_because": CHOSEN} if refuted else on_all(EveryDatabase(rows_of(1)))),
        mutant=parity_without_a_dist,
    )
    for variant, what, selection, refuted in (
        ("printed", "A_dist as printed", choose_by_stability_journal, A_DIST_OF_BUNS),
        ("corrected", "the corrected A_dist", choose_by_stability, None),
    )
)

parities_by_default = Claim(
    id="BuNS-3.12.privacy.default",
    source=f"{_BUNS}, Algorithm 4 and Theorem 3.12",
    statement=f"the learner of parities {BY_DEFAULT} is (1,1/10)-private, on four and on ten subsamples of one row",
    mechanism=learn_parities,
    domain=SUBSAMPLES,
    epsilon=1,
    delta=TENTH,
    parameters={"d": 1, "k": 1, "size": 1},
    **on_all(EveryDatabase(rows_of(1))),
    mutant=as_printed(learn_parities),
)
