"""The utility claims of the catalogue, one module for each part of the papers."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from dpverify.verifiers.utility.checker import UtilityClaim
from dpverify.verifiers.utility.pac import PacClaim

PARTS: Final = (
    "building_blocks",
    "choosing",
    "large_margin",
    "recursion",
    "samples",
    "learners",
    "pac_learning",
    "sanitizers",
    "thresholds_sanitizer",
    "many_concepts",
    "release",
    "reductions",
)
"""The modules, in the order in which they are shown."""


def utility_claims() -> tuple[UtilityClaim | PacClaim, ...]:
    """All utility claims, the exact ones and those that are audited by samples."""
    return tuple(claim for part in PARTS for claim in import_module(f"{__name__}.{part}").CLAIMS)
