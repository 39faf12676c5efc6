"""The catalogue: what the papers claim of the mechanisms here, one module a paper."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from dpverify.verifiers.claims import AnyClaim, claims_in

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


def catalogue() -> list[AnyClaim]:
    """All claims, in the order of the papers. Raises `InputError` where two have one id."""
    from dpverify.verifiers.lemmas import lemmas
    from dpverify.verifiers.utility_claims import utility_claims

    modules = [import_module(f"{__name__}.{paper}") for paper in PAPERS]
    claims = claims_in(
        {
            **{module.__name__: claims_in(vars(module)) for module in modules},
            "utility": utility_claims(),
            "lemmas": lemmas(),
        }
    )
    for claim in claims:
        claim.found_in("")
    return claims
