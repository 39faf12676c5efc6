"""Trees of noises that have no density in closed form, as they are named and as their balls are computed."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.exact_numbers import Exact, product
from dpverify.mechanisms.numbers.exact_text import evaluable
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Intervals


@dataclass(frozen=True, eq=False)
class Noises:
    """A sum of Gaussian noise of scale sigma, if that is given, and of others, with their factors."""

    sigma: Exact | None
    others: tuple[tuple[NoiseLaw, Exact], ...]

    def times(self, factor: Exact) -> Noises:
        """The sum multiplied by a number."""
        sigma = None if self.sigma is None else product((self.sigma, abs(factor)))
        return Noises(sigma, tuple((law, turned(law, product((c, factor)))) for law, c in self.others))

    @cached_property
    def name(self) -> str:
        """Its name."""
        parts = [] if self.sigma is None else [f"N({evaluable(self.sigma)})"]
        return "+".join([*parts, *sorted(f"[{evaluable(c)}]*{_text(law)}" for law, c in self.others)])


@dataclass(frozen=True, eq=False)
class TiedBranch:
    """Σ children − parent ∈ values: all but one of the noises that a fact ties, as seen from that one."""

    values: Intervals
    children: tuple[CertifiedNode, ...]

    @cached_property
    def name(self) -> str:
        """Its name."""
        return f"({_of_intervals(self.values)}:{'&'.join(sorted(child.name for child in self.children))})"


@dataclass(frozen=True, eq=False)
class CertifiedNode:
    """Noises that count as one, the values that they are known to take, and the facts that hang from them."""

    noises: Noises
    values: Intervals
    branches: tuple[TiedBranch, ...]

    @cached_property
    def name(self) -> str:
        """Its name."""
        known = "" if self.values == EVERYTHING else f" in {_of_intervals(self.values)}"
        hanging = "".join(sorted(branch.name for branch in self.branches))
        return f"{self.noises.name}{known}{hanging}"

    @cached_property
    def depth(self) -> int:
        """The depth of the tree below it."""
        return max((1 + child.depth for branch in self.branches for child in branch.children), default=0)


def is_symmetric(noises: Noises) -> bool:
    """True where a sum is its own mirror image, as each of its noises is."""
    return all(law.mirror_image() == law for law, _ in noises.others)


def turned(law: NoiseLaw, factor: Exact) -> Exact:
    """The factor of a law, which is positive where the law is its own mirror image."""
    return abs(factor) if law.mirror_image() == law else factor


def _of_intervals(values: Intervals) -> str:
    return "|".join(f"{_end(low)}..{_end(high)}" for low, high in values)


def _end(end: Any) -> str:
    return "" if end is None else evaluable(end) if isinstance(end, Exact) else str(end)


def _text(value: Any) -> str:
    """A text of a law, so that two of one text are one law."""
    if isinstance(value, Exact):
        return evaluable(value)
    if is_dataclass(value) and not isinstance(value, type):
        parts = ",".join(_text(getattr(value, field.name)) for field in fields(value))
        return f"{type(value).__module__}.{type(value).__qualname__}({parts})"
    if isinstance(value, tuple):
        return f"<{','.join(map(_text, value))}>"
    return repr(value)
