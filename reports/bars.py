"""A bar that shows which part of what is claimed is used."""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple

BAR_WIDTH: Final = 160
"""Pixels of a bar; what is claimed ends in its middle."""


class Bar(NamedTuple):
    """A bar, whether it reaches beyond the claim, and its caption."""

    length: float
    over: bool
    caption: str


def bar_of(share: float | None, what: str) -> Bar | None:
    """The bar of a share of what is claimed, `what` in words, such as "of the claimed ε"; None where none is known."""
    if share is None:
        return None
    if share == inf:
        return Bar(BAR_WIDTH, True, "not bounded by the claim at all")
    return Bar(round(min(share / 2, 1.0) * BAR_WIDTH, 1), share > 1, f"{share:.3g} {what}")
