"""The objects of the catalogue's refutations: short names for the kinds, and sentences that claims share."""

from functools import partial
from typing import Final

from dpverify.reports.record import OF_THE_STATEMENT as OF_THE_STATEMENT  # noqa: PLC0414  # part of what this offers
from dpverify.reports.record import Boundary as Boundary  # noqa: PLC0414
from dpverify.reports.record import Refutation as Refutation  # noqa: PLC0414
from dpverify.reports.record import RefutationKind

degenerate: Final = partial(Refutation, RefutationKind.DEGENERATE)
"""The letter alone is refuted: why, and between which ε the boundary lies, or why there is none."""
reconstruction: Final = partial(Refutation, RefutationKind.RECONSTRUCTION)
"""A refutation of what was filled in: the paper does not print it so."""
variant: Final = partial(Refutation, RefutationKind.VARIANT)
"""A refutation of more than anybody claims."""
ONE_LESS: Final = variant("It is next below the least with which the claim holds: nothing less would do.")
DISCRETE: Final = variant("The noise is discrete, where the paper's is continuous.")
A_DIST_OF_BUNS: Final = reconstruction(
    "The text of this paper has lost its formulas. The constants are those of the journal version of Beimel, Nissim & "
    "Stemmer; the paper cites their extended abstract, whose constants are private (BNS-X-Prop2)."
)
"""Of the A_dist of Bun, Nissim & Stemmer, and of what runs it."""
