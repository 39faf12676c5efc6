"""δ of independent parts whose privacy losses have too many values together, between two numbers that are certain.

Loss i is a least one and what it has beyond, which is rounded down to whole steps of h. What is lost so is at most rᵢ:
the sum L of all lies in [L′, L′ + Σ rᵢ], where L′ has as many values as there are steps. Its masses under P are the
coefficients of a product of polynomials, computed in balls. δ = E[max(0, 1 − e^(t − L))] rises with L: so L′ and
L′ + Σ rᵢ enclose it, and likewise what Q gives to L > t. More steps come closer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from heapq import heapify, heappop, heappush
from math import ceil, floor
from typing import Final, NamedTuple

from flint import arb, arb_poly, ctx, fmpq

from dpverify.mechanisms.numbers.certified import Certified
from dpverify.mechanisms.numbers.elementary import certified
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, negative, power, product, total
from dpverify.verifiers.densities.finite import AlikeParts, Ratios
from dpverify.verifiers.densities.rational_losses import Masses

_STEPS: Final = ((128, 1 << 15), (256, 1 << 17), (512, 1 << 19))
"""Up to so many bits: how many steps all losses together have."""

_WORKING_BITS: Final = 192

_SLACK: Final = arb(fmpq(1, 1 << 20))
"""Of a step: far more than what balls leave open of a threshold."""


def enclosed_masses_above(parts: Sequence[AlikeParts], least: Exact) -> Masses:
    """The masses under P and Q of the outcomes with p > least·q, as numbers that are known by balls alone.

    That under P is what it exceeds least·q by, and least·q: so the excess is known closer than either mass.
    """
    finite = product(power(_finite(part.ratios), part.times) for part in parts)
    infinite = total((product(power(part.ratios.whole, part.times) for part in parts), negative(finite)))
    if not all(part.ratios.atoms for part in parts):
        return Masses(infinite, ZERO)
    losses = _LossSum(tuple(parts), least)
    q = certified(_MassOfQ(losses))
    return Masses(total((infinite, certified(_Excess(losses)), product((least, q)))), q)


def _finite(ratios: Ratios) -> Exact:
    """The mass of P where Q has some, too."""
    return ratios.whole if ratios.infinite is ZERO else total((ratios.whole, negative(ratios.infinite)))


class _Enclosed(NamedTuple):
    """Balls around an excess under P, and around a mass under Q."""

    excess: arb
    mass: arb


@dataclass(frozen=True)
class _LossSum:
    """The sum of independent losses that are finite, and e^t."""

    parts: tuple[AlikeParts, ...]
    least: Exact

    @cached_property
    def digest(self) -> str:
        """A text that two sums share only if their numbers agree to forty digits, for which the balls leave room."""
        atoms = sorted(
            (count, sorted((_digits(atom.ratio), _digits(atom.p)) for atom in ratios.atoms))
            for ratios, count in self.parts
        )
        return sha256(repr((_digits(self.least), atoms)).encode()).hexdigest()

    def enclosed(self, bits: int) -> _Enclosed:
        """The excess and the mass, in the closer the more bits there are."""
        steps = next((steps for most, steps in _STEPS if bits <= most), _STEPS[-1][1])
        known: dict[int, _Enclosed] = self.__dict__.setdefault("_known", {})
        if steps not in known:
            with ctx.workprec(_WORKING_BITS):
                known[steps] = self._enclosed(steps)
        return known[steps]

    def _enclosed(self, steps: int) -> _Enclosed:
        losses = [[enclosure(atom.ratio).log() for atom in ratios.atoms] for ratios, _ in self.parts]
        least = [min(of_part, key=lambda loss: float(loss.lower())).lower() for of_part in losses]
        widths = [max(float((loss - low).upper()) for loss in own) for own, low in zip(losses, least, strict=True)]
        h = arb(sum(width * part.times for width, part in zip(widths, self.parts, strict=True)) / steps)
        base, lost = arb(0), arb(0)
        masses: list[arb_poly] = []
        for own, low, (ratios, count) in zip(losses, least, self.parts, strict=True):
            coefficients: dict[int, arb] = {}
            residue = arb(0)
            for loss, atom in zip(own, ratios.atoms, strict=True):
                place = (loss - low) / h
                step = floor(float(place.lower()))
                step = max(0, step if arb(step) <= place else step - 1)
                residue = residue.max((place - step).upper())
                coefficients[step] = coefficients.get(step, arb(0)) + enclosure(atom.p)
            base, lost = base + low * count, lost + residue * h * count
            masses.append(arb_poly([coefficients.get(i, arb(0)) for i in range(max(coefficients) + 1)]) ** count)
        return _above(_multiplied(masses), base, h, lost, enclosure(self.least).log())

    def __getstate__(self) -> dict[str, object]:
        return {"parts": self.parts, "least": self.least}


def _digits(number: Exact) -> str:
    """Forty digits of a number."""
    return enclosure(number, _WORKING_BITS).str(_DIGITS, radius=False)


_DIGITS: Final = 40

_ROOM: Final = arb(1, 1e-30)
"""A factor that is 1 as far as it counts: more than what numbers differ by that agree to so many digits."""


def _above(masses: arb_poly, base: arb, h: arb, lost: arb, threshold: arb) -> _Enclosed:
    """The excess and the mass above the threshold of base + h·k + r, the mass of k given, for 0 ≤ r ≤ lost."""
    coefficients = masses.coeffs()
    more = lost + 2 * h * _SLACK

    def at(r: arb) -> tuple[arb, arb]:
        """The excess, and the mass of P times e^(-base - h·k), for one r everywhere."""
        first = min(max(0, ceil(float(((threshold - base - r) / h + _SLACK).upper()))), len(coefficients))
        above = arb_poly(coefficients[first:])
        tilted = above((-h).exp()) * (-h * first - base).exp()
        return above(arb(1)) - tilted * (threshold - r).exp(), tilted

    (least, fewest), (most, all_of_q) = at(arb(0)), at(more)
    mass = (fewest * (-more).exp()).union(all_of_q)
    return _Enclosed((least.union(most) * _ROOM).max(arb(0)), (mass * _ROOM).max(arb(0)))


def _multiplied(factors: Sequence[arb_poly]) -> arb_poly:
    """The product, short ones first."""
    waiting = [(len(factor), i, factor) for i, factor in enumerate(factors)]
    heapify(waiting)
    while len(waiting) > 1:
        _, _, one = heappop(waiting)
        _, i, other = heappop(waiting)
        heappush(waiting, (len(one) + len(other) - 1, i, one * other))
    return waiting[0][2]


@dataclass(frozen=True, eq=False)
class _Excess(Certified):
    """E[max(0, 1 − e^(t − L))] under P, over finite losses L."""

    is_wide = True

    losses: _LossSum

    @property
    def name(self) -> str:
        """See `Certified`."""
        return f"excess of losses {self.losses.digest}"

    @property
    def readable(self) -> str:
        """See `Certified`."""
        return f"δ of {sum(part.times for part in self.losses.parts)} parts"

    def compute(self, bits: int) -> arb:
        """See `Certified`."""
        return self.losses.enclosed(bits).excess


@dataclass(frozen=True, eq=False)
class _MassOfQ(Certified):
    """Pr[L > t] under Q."""

    is_wide = True

    losses: _LossSum

    @property
    def name(self) -> str:
        """See `Certified`."""
        return f"mass of losses {self.losses.digest}"

    @property
    def readable(self) -> str:
        """See `Certified`."""
        return f"Pr[loss of {sum(part.times for part in self.losses.parts)} parts above the threshold]"

    def compute(self, bits: int) -> arb:
        """See `Certified`."""
        return self.losses.enclosed(bits).mass
