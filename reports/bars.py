"""A bar that shows which part of what is claimed is used."""

from collections.abc import Mapping
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


class Marks(NamedTuple):
    """Numbers on a scale from 0, in pixels by their names, and a caption."""

    at: dict[str, float]
    caption: str


def marks_of(numbers: Mapping[str, float]) -> Marks:
    """The places of numbers ≥ 0 on a scale to 1, or to the largest of them where that is more."""
    end = max(1.0, *numbers.values())
    at = {name: round(number / end * BAR_WIDTH, 1) for name, number in numbers.items()}
    return Marks(at, ", ".join(f"{name} {number:.3g}" for name, number in numbers.items()))


class Above(NamedTuple):
    """Bar of the result, in pixels, with the allowed value as a place on it, and both in words."""

    found: float
    allowed: float
    caption: str


ABOVE_WIDTH: Final = 300
"""Pixels of the longest of these bars."""


def bars_above(found: float, allowed: float, caption: str) -> Above:
    """Numbers ≥ 0, of which the one is more than the other, to the scale of the larger one."""
    most = max(found, allowed) or 1.0
    return Above(round(found / most * ABOVE_WIDTH, 1), round(allowed / most * ABOVE_WIDTH, 1), caption)
