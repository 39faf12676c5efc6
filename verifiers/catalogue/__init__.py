"""The catalogue: what the papers claim of the mechanisms here, one module a paper."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from dpverify.verifiers.privacy.claim import Claim

PAPERS: Final = (
    "bns_j",
    "bns_x",
    "bns_choosing",
    "composition",
    "buns",
    "buns_learners",
    "chs",
    "chs_applications",
    "hrs",
    "lsl",
    "recursion",
    "learners",
    "sanitizers",
    "reductions",
    "every_epsilon",
    "defaults",
)
"""The modules, in the order of the catalogue."""


def catalogue() -> list[Claim]:
    """All claims, in the order of the papers. Raises `InputError` where two have one id."""
    from dpverify.verifiers.privacy.claim import claims_in

    modules = [import_module(f"{__name__}.{paper}") for paper in PAPERS]
    claims = claims_in({f"{module.__name__}": claims_in(vars(module)) for module in modules})
    for claim in claims:
        claim.found_in("")
    return claims
