"""The density of a real number that is reflected at the ends of an interval until it lies inside.

Such a number y has the images y + jT and 2·low − y + jT, for whole j and T = 2·(high − low). The density at y is the
sum over all of them: on the tails, which are sums of terms c·x^k·e^(λx), a sum over j that has a closed form.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import ceil, comb, floor

from flint import fmpq

from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, exact, negative, power, product, rational
from dpverify.mechanisms.numbers.roots.exponential_polynomials import (
    NOTHING,
    DecayingPower,
    ExpPoly,
    Piecewise,
    collected_terms,
)
from dpverify.mechanisms.numbers.roots.intervals import half_open
from dpverify.mechanisms.numbers.simplification import simplified


def folded_density(density: Piecewise, low: Exact, high: Exact) -> Piecewise:
    """y ↦ the density at y of what a number with this `density` is folded to, and 0 outside of [low, high)."""
    period = product((exact(2), high - low))
    once = _added_up(density, low, period)
    mirrored = once.composed(negative(ONE), product((exact(2), low)) + period)
    result = once.plus(mirrored).within(half_open(low, high))
    pieces = (collected_terms((monomial, simplified(c)) for monomial, c in piece.items()) for piece in result.pieces)
    return Piecewise(False, result.breaks, tuple(pieces))


def _added_up(density: Piecewise, low: Exact, period: Exact) -> Piecewise:
    """y ↦ Σ density(y + j·period) over whole j, on one period from `low` on, and 0 elsewhere."""
    ends = list(map(exact, density.breaks))
    high = low + period
    inside = [end - product((exact(floor((end - low) / period)), period)) for end in ends]
    cells = _rising([low, *inside, high])
    pieces = [
        collected_terms(
            term
            for i, piece in enumerate(density.pieces)
            for term in _images(
                piece,
                _first(ends[i - 1], start, end, period) if i else None,
                _first(ends[i], start, end, period) if i < len(ends) else None,
                period,
            )
        )
        for start, end in pairwise(cells)
    ]
    return Piecewise(False, tuple(cells), (NOTHING, *pieces, NOTHING))


def _rising(numbers: list[Exact]) -> list[Exact]:
    """The numbers in rising order, each once."""
    results: list[Exact] = []
    for number in sorted(numbers):
        if not results or number != results[-1]:
            results.append(number)
    return results


def _first(end: Exact, low: Exact, high: Exact, period: Exact) -> int:
    """The first j for which y + j·period lies at or beyond an end, the same for all y of a cell."""
    middle = product((rational(fmpq(1, 2)), low + high))
    return ceil((end - middle) / period)


def _images(
    piece: ExpPoly, first: int | None, beyond: int | None, period: Exact
) -> Iterator[tuple[DecayingPower, Exact]]:
    """The terms of Σ piece(y + j·period) over first ≤ j < beyond, as a function of y; None is no end."""
    if first is not None and beyond is not None and first >= beyond:
        return
    for (rate, k), c in piece.items():
        step = product((rate, period))
        for i in range(k + 1):  # (y + jT)^k has the terms binomial·y^i·(jT)^(k - i)
            of_j = {(step, k - i): power(period, k - i)}
            binomial = rational(fmpq(comb(k, i)))
            yield (rate, i), product((c, binomial, _sum(of_j, first, beyond)))


def _sum(function: ExpPoly, first: int | None, beyond: int | None) -> Exact:
    """Σ function(j) over first ≤ j < beyond."""
    if first is not None and beyond == first + 1:
        ((rate, k), c) = next(iter(function.items()))
        return product((c, power(exact(first), k), exp(product((rate, exact(first))))))
    breaks = tuple(end for end in (first, beyond) if end is not None)
    pieces = (*([] if first is None else [NOTHING]), function, *([] if beyond is None else [NOTHING]))
    return Piecewise(True, breaks, pieces).mass
