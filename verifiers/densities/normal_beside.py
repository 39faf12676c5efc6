"""Gaussian noise beside other noise, or beside finite parts: where the privacy losses of all together exceed a number.

Losses of independent numbers add up. That of the Gaussian ones is known given what the others' is: for each loss that
the others have with positive probability their masses are asked for at what is left. Where the others' loss has a
density c·e^(λℓ), as that of Laplace noise has with λ = 1/2, it is an integral in closed form: with Q the normal tail,
and d the distance in standard deviations,

    ∫ e^(λℓ)·Q(a − ℓ/d) dℓ = (e^(λℓ)·Q(a − ℓ/d) + e^(λda + (λd)²/2)·Q(ℓ/d − a − λd))/λ.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.elementary import exp, log_in_lowest_terms, normal_tail, square
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, negative, product, total
from dpverify.mechanisms.signs.exponential_polynomials import NOTHING, Piecewise
from dpverify.verifiers.densities.cells import common_stretches
from dpverify.verifiers.densities.losses import Losses, together
from dpverify.verifiers.densities.normal import NormalFactor, distance, normal_masses_above, positive_normal_cells


def masses_beside(parts: Sequence[NormalFactor], others: Sequence[Losses], least: Exact) -> tuple[Exact, Exact]:
    """The masses under both laws of where the product of all p/q exceeds `least`. Raises `Undecided`."""
    losses = reduce(together, others)
    in_all = product(part.masses[0] for part in parts)
    of_p, of_q = [product((losses.infinite, in_all))], []
    for atom in losses.atoms:
        growth = exp(negative(atom.loss))
        p, q = _above(parts, product((least, growth)))
        of_p.append(product((atom.mass, p)))
        of_q.append(product((atom.mass, growth, q)))
    if losses.density.breaks:
        apart = distance(parts)
        if apart is None:
            raise Undecided(
                not_known.MIXED_KINDS,
                "a number with discrete or truncated Gaussian noise is released beside other noise",
            )
        threshold = log_in_lowest_terms(least)
        for result, by, slower in ((of_p, -1, 0), (of_q, 1, 1)):
            start = total((threshold / apart, by * apart / 2))
            result.append(_integral(losses.density, slower, start, apart))
    return total(of_p), total(of_q)


def _above(parts: Sequence[NormalFactor], least: Exact) -> tuple[Exact, Exact]:
    if len(parts) > 1:
        return normal_masses_above(parts, least)
    cells = positive_normal_cells(parts[0], least)
    return total(cell.p for cell in cells), total(cell.q for cell in cells)


def _integral(density: Piecewise, slower: int, start: Exact, apart: Exact) -> Exact:
    """∫ density(ℓ)·e^(−slower·ℓ)·Q(start − ℓ/apart) dℓ."""
    results = []
    for stretch in common_stretches(density, Piecewise(False, (), (NOTHING,))):
        for (rate, k), c in stretch.p.items():
            slope = rate - slower
            if k or decision.sign(slope) == 0:
                raise Undecided(
                    not_known.MIXED_KINDS,
                    "numbers with Gaussian noise are released beside several with other noise of several scales",
                )
            for end, sign in ((stretch.high, ONE), (stretch.low, negative(ONE))):
                results.append(product((sign, c, _primitive(slope, start, apart, end, above=sign is ONE))))
    return total(results)


def _primitive(slope: Exact, start: Exact, apart: Exact, end: Exact | None, *, above: bool) -> Exact:
    """∫ e^(slope·ℓ)·Q(start − ℓ/apart) dℓ up to an end, of which None is one that is infinite."""
    by = product((slope, apart))
    factor = exp(total((product((by, start)), square(by) / 2)))
    if end is None:
        # to the right slope < 0, so that e^(slope·ℓ) falls to 0, and so does the tail; to the left the tail is 1
        return ZERO if above else factor / slope
    first = product((exp(product((slope, end))), normal_tail(start - end / apart)))
    return total((first, product((factor, normal_tail(end / apart - start - by))))) / slope
