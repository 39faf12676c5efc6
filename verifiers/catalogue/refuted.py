"""The objects of the catalogue's refutations: short names for the kinds, and sentences that claims share."""

from __future__ import annotations

from typing import Any, Final

from dpverify.reports.record import OF_THE_STATEMENT as OF_THE_STATEMENT  # noqa: PLC0414  # part of what this offers
from dpverify.reports.record import Boundary, Refutation, RefutationKind, Status


def of_the_statement(why: str, boundary: Boundary | None = None) -> Refutation:
    """A refutation of what is stated, at parameters in use; `why` says where, or what was meant."""
    return Refutation(RefutationKind.STATEMENT, why, boundary)


def degenerate(why: str, boundary: Boundary | None = None) -> Refutation:
    """The letter alone is refuted; `boundary` says between which ε, or `why` that there is none."""
    return Refutation(RefutationKind.DEGENERATE, why, boundary)


def proof_step(why: str, boundary: Boundary | None = None) -> Refutation:
    """A step of a proof is refuted, or one way to what is stated; that stands."""
    return Refutation(RefutationKind.PROOF_STEP, why, boundary)


def reconstruction(why: str) -> Refutation:
    """A refutation of what was filled in: the paper does not print it so."""
    return Refutation(RefutationKind.RECONSTRUCTION, why)


def our_constants(why: str) -> Refutation:
    """The paper states an order, and constants of our own for it are refuted."""
    return Refutation(RefutationKind.OUR_CONSTANTS, why)


def variant(why: str) -> Refutation:
    """A refutation of more than anybody claims."""
    return Refutation(RefutationKind.VARIANT, why)


ONE_LESS: Final = variant("It is next below the least with which the claim holds: nothing less would do.")
DISCRETE: Final = variant("The noise is discrete, where the paper's is continuous.")
A_DIST_OF_BUNS: Final = reconstruction(
    "The text of this paper has lost its formulas. The constants are those of the journal version of Beimel, Nissim & "
    "Stemmer; the paper cites their extended abstract, whose constants are private (BNS-X-Prop2)."
)
"""Of the A_dist of Bun, Nissim & Stemmer, and of what runs it."""


def as_expected(refuted: Refutation | None) -> dict[str, Any]:
    """The fields of a claim that is proved, or refuted so."""
    return {"expected": Status.PROVED if refuted is None else Status.REFUTED, "refutation": refuted}
