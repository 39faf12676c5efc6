"""Claims of usefulness at the least size that is enough: siblings of claims that all but cannot fail as printed.

A claim that is far from β at the paper's size would be kept by far worse mechanisms. At the least size of the family of
its sharpness it is sharp: at one less it fails.
"""

from __future__ import annotations

from dataclasses import replace

from dpverify.verifiers.utility.claim import UtilityClaim


def at_the_least(claim: UtilityClaim, size: int) -> UtilityClaim:
    """The claim on the family of its sharpness, at the size, which is the least that is enough, as its report says."""
    sharpness = claim.sharpness
    assert sharpness is not None, f"{claim.id} has a family"
    return replace(
        claim,
        id=f"{claim.id}-at-the-least",
        statement=f"as {claim.id}, at the least that is enough of {sharpness.what}: {size:,}, where "
        f"{sharpness.paper:,} are asked for",
        holds_for=lambda case: True,
        cases=tuple(sharpness.family(size)),
        strategy=None,
        corners={},
        examples=(),
        expected=None,
        refutation=None,
        sharpness=None,
        optimal=None,
        sharp_in="",
        weak_because="",
    )
