"""Points where a polynomial in coordinates may be positive: its ball does not say there that it is negative.

Needed by `exponential_choice_all_scores` of tests/outside/bugs.
"""

from collections.abc import Iterator, Mapping
from itertools import product as tuples
from typing import Final

from flint import arb, ctx, fmpq

from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.numbers.positivity.polynomials import OF_EPSILON, Polynomial

_FEW: Final[Mapping[int, tuple[int, ...]]] = {
    1: (0, 1, 2, 4, 16, 64, 2048),
    2: (0, 1, 2, 4, 64, 2048),
    3: (0, 1, 3, 2048),
}
"""Number of coordinates → the values of each, in pieces."""

MANY: Final[Mapping[int, tuple[int, ...]]] = {
    1: (*range(41), *(1 << k for k in range(6, 15))),
    2: (*range(9), 12, 16, 24, 32, 40, *(1 << k for k in range(6, 15))),
    3: (0, 1, 2, 3, 5, 16, 64, 2048),
}

FOR_MORE: Final = (0, 1, 2048)
"""Of more than three coordinates."""


def candidates(f: Polynomial, *, thoroughly: bool) -> Iterator[dict[int, int]]:
    """Points where f > 0, or where that is to be decided; for a function of ε, at ε = 1."""
    places = f.places
    values = (MANY if thoroughly else _FEW).get(len(places), FOR_MORE)
    balls = _Balls(f)
    for at in tuples(values, repeat=len(places)):
        point = dict(zip(places, at, strict=True))
        if not balls.is_negative_at(point):
            yield point


class _Balls:
    def __init__(self, f: Polynomial) -> None:
        self._f = f
        self._known: dict[tuple[int, int], arb] = {}
        with ctx.workprec(WORKING_PRECISION):
            self._rates = [_rate(f, j) for j in range(len(f.decays))]
            self._terms = [
                (
                    [(f.lengths[j], k) for j, k in enumerate(powers) if k],
                    [(j, e) for j, e in enumerate(exponents) if e],
                    enclosure(c),
                )
                for (powers, exponents), c in f.coefficients.items()
            ]

    def is_negative_at(self, point: Mapping[int, int]) -> bool:
        """True where it is, as far as is seen."""
        with ctx.workprec(WORKING_PRECISION):
            value = arb(0)
            for powers, exponents, c in self._terms:
                term = c
                for place, k in powers:
                    if place != OF_EPSILON:
                        term = term * point[place] ** k
                for j, e in exponents:
                    term = term * self._decay(j, point) ** e
                value += term
        return bool(value < 0)

    def _decay(self, j: int, point: Mapping[int, int]) -> arb:
        place = self._f.decays[j].place
        h = 1 if place == OF_EPSILON else point[place]
        key = (j, h)
        if key not in self._known:
            self._known[key] = (-self._rates[j] * h).exp()
        return self._known[key]


def _rate(f: Polynomial, j: int) -> arb:
    factor = f.decays[j].factor
    rate = arb(fmpq(1, f.grains[factor]))
    return rate * arb(factor).log() if factor > 0 else rate
