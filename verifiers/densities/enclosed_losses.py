"""δ of independent parts whose privacy losses have too many values together, between two numbers that are certain.

Loss i is a least one and what it has beyond, which is rounded down to whole steps of h, also where it has a density.
What is lost so is at most rᵢ:
the sum L of all lies in [L′, L′ + Σ rᵢ], where L′ has as many values as there are steps. Its masses under P are the
coefficients of a product of polynomials, computed in balls. δ = E[max(0, 1 − e^(t − L))] rises with L: so L′ and
L′ + Σ rᵢ enclose it, and likewise what Q gives to L > t. More steps come closer.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import ceil, floor
from typing import Final, NamedTuple

from flint import arb, arb_poly, ctx, fmpq

from dpverify.mechanisms.laws.ratio_masses import AlikeParts
from dpverify.mechanisms.numbers.certified import Certified
from dpverify.mechanisms.numbers.elementary import certified
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, exact, negative, power, product, total
from dpverify.mechanisms.signs.exponential_polynomials import ExpPoly, antiderivative
from dpverify.verifiers.densities.losses import Losses, are_bounded
from dpverify.verifiers.densities.rational_losses import Masses

_STEPS: Final = ((128, 1 << 15), (256, 1 << 17), (512, 1 << 19))
"""Up to so many bits: how many steps all losses together have."""

_WORKING_BITS: Final = 192

_SLACK: Final = arb(fmpq(1, 1 << 20))
"""Of a step: far more than what balls leave open of a threshold."""


@dataclass(frozen=True)
class AlikeLosses:
    """The losses of a part with real numbers, all of them between two numbers or ∞, and how many parts have them."""

    losses: Losses
    times: int


def enclosed_masses_above(parts: Sequence[AlikeParts | AlikeLosses], least: Exact) -> Masses:
    """The masses under P and Q of the outcomes with p > least·q, as numbers that are known by balls alone.

    That under P is what it exceeds least·q by, and least·q: so the excess is known closer than either mass.
    """
    spread = [_of_reals(part) if isinstance(part, AlikeLosses) else _of_ratios(part) for part in parts]
    finite = product(power(_finite(part.whole, part.infinite), part.times) for part in spread)
    infinite = total((product(power(part.whole, part.times) for part in spread), negative(finite)))
    if not all(part.values or part.stretches for part in spread):
        return Masses(infinite, ZERO)
    losses = _LossSum(tuple(spread), least)
    q = certified(_MassOfQ(losses))
    return Masses(total((infinite, certified(_Excess(losses)), product((least, q)))), q)


def _finite(whole: Exact, infinite: Exact) -> Exact:
    """The mass of P where Q has some, too."""
    return whole if infinite is ZERO else total((whole, negative(infinite)))


class _Value(NamedTuple):
    """A loss with a mass of its own: itself, or e^loss."""

    number: Exact
    is_power: bool
    mass: Exact

    @property
    def loss(self) -> arb:
        """The loss, at the bits that are worked with."""
        ball = enclosure(self.number)
        return ball.log() if self.is_power else ball


class _Stretch(NamedTuple):
    """Losses between two numbers, and the indefinite integral of their density: a sum of c·l^k·e^(rate·l)."""

    low: Exact
    high: Exact
    integral: ExpPoly


@dataclass(frozen=True)
class _Spread:
    """The losses of parts that are alike."""

    values: tuple[_Value, ...]
    stretches: tuple[_Stretch, ...]
    infinite: Exact
    whole: Exact
    times: int

    @property
    def ends(self) -> tuple[arb, arb]:
        """Two numbers between which the finite losses lie."""
        low = [value.loss for value in self.values] + [enclosure(stretch.low) for stretch in self.stretches]
        high = [value.loss for value in self.values] + [enclosure(stretch.high) for stretch in self.stretches]
        return (
            min(low, key=lambda loss: float(loss.lower())).lower(),
            max(high, key=lambda loss: float(loss.upper())).upper(),
        )

    @property
    def digits(self) -> Hashable:
        """A text that two share only if their numbers agree to forty digits."""
        values = sorted((_digits(value.number), value.is_power, _digits(value.mass)) for value in self.values)
        stretches = sorted(
            (
                _digits(low),
                _digits(high),
                sorted((_digits(rate), k, _digits(c)) for (rate, k), c in integral.items()),
            )
            for low, high, integral in self.stretches
        )
        return self.times, values, stretches

    def on_steps(self, low: arb, h: arb) -> tuple[arb_poly, arb]:
        """The masses of low, low + h, …, to which losses are rounded down, and by how many steps at most."""
        masses: dict[int, arb] = {}
        residue = arb(0)
        for value in self.values:
            place = (value.loss - low) / h
            step = _step(place)
            residue = residue.max((place - step).upper())
            masses[step] = masses.get(step, arb(0)) + enclosure(value.mass)
        for stretch in self.stretches:
            for step, mass in _masses_on_steps(stretch, low, h):
                masses[step] = masses.get(step, arb(0)) + mass
            residue = residue.max(1 + 2 * _SLACK)
        return arb_poly([masses.get(i, arb(0)) for i in range(max(masses) + 1)]), residue


def _step(place: arb) -> int:
    """The largest whole number ≥ 0 that is certain not to exceed a place."""
    step = floor(float(place.lower()))
    return max(0, step if arb(step) <= place else step - 1)


def _masses_on_steps(stretch: _Stretch, low: arb, h: arb) -> Iterator[tuple[int, arb]]:
    """The mass of a stretch between each two steps."""
    terms = [(enclosure(rate), k, enclosure(c)) for (rate, k), c in stretch.integral.items()]

    def integral(at: arb) -> arb:
        return sum((c * at**k * (rate * at).exp() for rate, k, c in terms), arb(0))

    start, end = enclosure(stretch.low), enclosure(stretch.high)
    first, last = _step((start - low) / h), _step((end - low) / h)
    so_far = integral(start)
    for step in range(first, last):
        beyond = integral(low + h * (step + 1))
        yield step, beyond - so_far
        so_far = beyond
    yield last, integral(end) - so_far


def _of_ratios(part: AlikeParts) -> _Spread:
    ratios, times = part
    values = tuple(_Value(ratio, True, p) for ratio, p, _ in ratios.atoms)
    return _Spread(values, (), ratios.infinite, ratios.whole, times)


def _of_reals(part: AlikeLosses) -> _Spread:
    losses = part.losses
    assert are_bounded(losses), "others are not cut into steps"
    ends, pieces = losses.density.breaks, losses.density.pieces[1:-1]
    stretches = tuple(
        _Stretch(exact(low), exact(high), antiderivative(piece, False))
        for (low, high), piece in zip(pairwise(ends), pieces, strict=True)
        if piece
    )
    values = tuple(_Value(loss, False, mass) for loss, mass in losses.atoms)
    return _Spread(values, stretches, losses.infinite, losses.whole, part.times)


class _Enclosed(NamedTuple):
    """Balls around an excess under P, and around a mass under Q."""

    excess: arb
    mass: arb


@dataclass(frozen=True)
class _LossSum:
    """The sum of independent losses that are finite, and e^t."""

    parts: tuple[_Spread, ...]
    least: Exact

    @cached_property
    def digest(self) -> str:
        """A text that two sums share only if their numbers agree to forty digits, for which the balls leave room."""
        parts = sorted(map(repr, (part.digits for part in self.parts)))
        return sha256(repr((_digits(self.least), parts)).encode()).hexdigest()

    def enclosed(self, bits: int) -> _Enclosed:
        """The excess and the mass, in the closer the more bits there are."""
        steps = next((steps for most, steps in _STEPS if bits <= most), _STEPS[-1][1])
        known: dict[int, _Enclosed] = self.__dict__.setdefault("_known", {})
        if steps not in known:
            with ctx.workprec(_WORKING_BITS):
                known[steps] = self._enclosed(steps)
        return known[steps]

    def _enclosed(self, steps: int) -> _Enclosed:
        ends = [part.ends for part in self.parts]
        h = arb(
            sum(float((high - low).upper()) * part.times for (low, high), part in zip(ends, self.parts, strict=True))
        )
        h = h / steps
        base, lost = arb(0), arb(0)
        masses: list[arb_poly] = []
        for (low, _), part in zip(ends, self.parts, strict=True):
            of_part, residue = part.on_steps(low, h)
            base, lost = base + low * part.times, lost + residue * h * part.times
            masses.append(of_part**part.times)
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
