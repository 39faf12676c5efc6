"""The objects of the catalogue's refutations: short names for the kinds, and sentences that claims share."""

from functools import partial
from typing import Any, Final

from dpverify.reports.record import OF_THE_STATEMENT as OF_THE_STATEMENT  # noqa: PLC0414  # part of what this offers
from dpverify.reports.record import Boundary as Boundary  # noqa: PLC0414
from dpverify.reports.record import Refutation as Refutation  # noqa: PLC0414
from dpverify.reports.record import RefutationKind, Status

of_the_statement: Final = partial(Refutation, RefutationKind.STATEMENT)
"""A refutation of what is stated, at parameters in use: why, which says where, or what was meant."""
degenerate: Final = partial(Refutation, RefutationKind.DEGENERATE)
"""The letter alone is refuted: why, and between which ε the boundary lies, or why there is none."""
proof_step: Final = partial(Refutation, RefutationKind.PROOF_STEP)
"""A step of a proof is refuted, or one way to what is stated; that stands."""
reconstruction: Final = partial(Refutation, RefutationKind.RECONSTRUCTION)
"""A refutation of what was filled in: the paper does not print it so."""
our_constants: Final = partial(Refutation, RefutationKind.OUR_CONSTANTS)
"""The paper states an order, and constants of our own for it are refuted."""
variant: Final = partial(Refutation, RefutationKind.VARIANT)
"""A refutation of more than anybody claims."""

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
