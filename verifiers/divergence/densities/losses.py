"""Privacy losses ln(p/q) of independent released numbers: they add up, so that their distributions convolve.

On a stretch with p = c·e^(λx) and q = d·e^(μx) the loss is ln(c/d) + (λ − μ)·x: one number of positive probability
where λ = μ, and else a loss whose own density is an exponential. So losses of Laplace noise are atoms and exponential
polynomials, convolutions of these are such again, and δ(ε) = ∫ max(0, 1 − e^(ε − l)) dP(l) is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key, reduce
from typing import Final, NamedTuple

import numpy as np

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, negative, ordering, product, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import NOTHING, Piecewise, convolution
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.mechanisms.outputs.ratio_masses import infinite_together, separate_sums, too_many
from dpverify.verifiers.divergence.densities.cells import Stretch, common_stretches, mass
from dpverify.verifiers.divergence.densities.rational_losses import (
    DensityPiece,
    Masses,
    RationalLosses,
    rational_losses,
)
from dpverify.verifiers.divergence.densities.rational_losses import convolved_losses as rational_losses_together


class LossMass(NamedTuple):
    """A loss of positive probability under P."""

    loss: Exact
    mass: Exact


@dataclass(frozen=True)
class Losses:
    """The distribution of ln(p/q) under P, in rising order of atoms.

    `whole` is the mass of P, and `infinite` that part of it where q = 0.
    """

    atoms: tuple[LossMass, ...]
    density: Piecewise
    infinite: Exact
    whole: Exact
    rational: RationalLosses | None = None
    """The same, where it is rational but for a constant."""

    def above(self, least: Exact) -> Masses:
        """The masses under P and Q of the losses above `least`."""
        atoms = [atom for atom in self.atoms if _exceeds(atom.loss, least)]
        of_q = [product((atom.mass, exp(negative(atom.loss)))) for atom in atoms]
        p, q = [self.infinite, *(atom.mass for atom in atoms)], of_q
        if self.density.breaks:
            for stretch in common_stretches(self.density, _nothing()):
                low = _later(stretch.low, least)
                if stretch.p and (stretch.high is None or _exceeds(stretch.high, low)):
                    p.append(mass(stretch.p, low, stretch.high))
                    q.append(mass({(rate - 1, k): c for (rate, k), c in stretch.p.items()}, low, stretch.high))
        return Masses(total(p), total(q))


def _later(low: Exact | None, least: Exact) -> Exact:
    return low if low is not None and _exceeds(low, least) else least


def _exceeds(left: Exact, right: Exact) -> bool:
    """True where left > right; where they agree to thousands of digits either answer gives the same masses to those."""
    try:
        return ordering(left, right) > 0
    except Undecided:
        return False


def _nothing() -> Piecewise:
    return Piecewise(False, (), (NOTHING,))


def losses_of(p: Piecewise, q: Piecewise) -> Losses | None:
    """The losses of two densities of one number; None where a loss is not linear in the number."""
    return mixed_losses((), ((p, q),))


def mixed_losses(plain: Sequence[tuple[Exact, Exact]], lines: Sequence[tuple[Piecewise, Piecewise]]) -> Losses | None:
    """The losses of what is one of some outcomes, with both probabilities, or a number on one of some lines.

    None where a loss is not linear in the number.
    """
    atoms = [LossMass(log(simplified(p / q)), p) for p, q in plain if p is not ZERO and q is not ZERO]
    densities: list[Piecewise] = []
    infinite = [p for p, q in plain if q is ZERO]
    pieces: list[DensityPiece] | None = []
    for stretch in (stretch for p, q in lines for stretch in common_stretches(p, q)):
        if not stretch.p:
            continue
        if not stretch.q:
            infinite.append(mass(stretch.p, stretch.low, stretch.high))
            continue
        if not stretch.is_exponential:
            return None
        ((rate, _), c), ((other, _), d) = next(iter(stretch.p.items())), next(iter(stretch.q.items()))
        start, slope = log(simplified(c / d)), rate - other
        if decision.sign(slope) == 0:
            atoms.append(LossMass(start, mass(stretch.p, stretch.low, stretch.high)))
        else:
            density = _density_of_loss(stretch, start, slope)
            densities.append(density)
            pieces = None if pieces is None else _with_half_rate(pieces, density)
    result, gone = _merged(atoms), total(infinite)
    whole = total((*(p for p, _ in plain), *(p.mass for p, _ in lines)))
    fast = rational_losses(result, pieces, gone, whole) if pieces is not None else None
    return Losses(result, reduce(Piecewise.plus, densities, _nothing()), gone, whole, fast)


def _density_of_loss(stretch: Stretch, start: Exact, slope: Exact) -> Piecewise:
    """The density of start + slope·x for x with the density of the stretch."""
    ends = [None if end is None else start + slope * end for end in (stretch.low, stretch.high)]
    if slope < 0:
        ends.reverse()
    whole = Piecewise(False, (), (stretch.p,)).composed(1 / slope, negative(start / slope)).scaled(abs(1 / slope))
    return whole.within(((ends[0], ends[1]),))


def _with_half_rate(pieces: list[DensityPiece], density: Piecewise) -> list[DensityPiece] | None:
    """With the pieces of a density whose rate is 1/2; None for another."""
    density_pieces = list(pieces)
    for stretch in common_stretches(density, _nothing()):
        if any(rate != Fraction(1, 2) for rate, _ in stretch.p):
            return None
        if stretch.p:
            density_pieces.append(DensityPiece(stretch.low, stretch.high, {k: c for (_, k), c in stretch.p.items()}))
    return density_pieces


def are_bounded(losses: Losses) -> bool:
    """True where all losses that are finite lie between two numbers."""
    return not losses.density.pieces[0] and not losses.density.pieces[-1]


_MOST_BREAKS: Final = 1 << 11
"""Places where the density of all losses together may change: of twice as many it takes four times as long."""


def _fewest_breaks(parts: Sequence[Losses]) -> int:
    """Not more than the places where the density of all losses together changes, as far as floats tell them apart."""
    sums = np.zeros(1)
    for part in parts:
        ends = {exact(end) for end in (*part.density.breaks, *(atom.loss for atom in part.atoms))}
        if any(end.symbol is not None for end in ends):
            return 0
        sums = separate_sums(sums, [float(enclosure(end)) for end in ends] or [0.0])
        if len(sums) > _MOST_BREAKS:
            break
    return len(sums)


def masses_above(parts: Sequence[Losses], factor: Exact) -> Masses:
    """The masses under P and Q of the outcomes of independent numbers with p > factor·q.

    Raises `TooManyLosses` where the losses are bounded, and so many together that they are not listed.
    """
    if factor.symbol is None and all(map(are_bounded, parts)) and _fewest_breaks(parts) > _MOST_BREAKS:
        raise too_many()
    least = log(simplified(factor))
    fast = [part.rational for part in parts if part.rational is not None]
    if len(fast) == len(parts):
        return rational_losses_together(fast).above(least)
    return reduce(together, parts).above(least)


def together(left: Losses, right: Losses) -> Losses:
    """The losses of two independent numbers, or groups of them, together."""
    atoms = [LossMass(a.loss + b.loss, product((a.mass, b.mass))) for a in left.atoms for b in right.atoms]
    densities = [
        *(_moved(right.density, atom) for atom in left.atoms if right.density.breaks),
        *(_moved(left.density, atom) for atom in right.atoms if left.density.breaks),
    ]
    if left.density.breaks and right.density.breaks:
        densities.append(convolution(left.density, right.density))
    return Losses(_merged(atoms), reduce(Piecewise.plus, densities, _nothing()), *infinite_together(left, right))


def _moved(density: Piecewise, atom: LossMass) -> Piecewise:
    return density.composed(ONE, negative(atom.loss)).scaled(atom.mass)


def _by_loss(left: LossMass, right: LossMass) -> int:
    return ordering(left.loss, right.loss)


def _merged(atoms: Sequence[LossMass]) -> tuple[LossMass, ...]:
    """In rising order, equal ones as one."""
    loss_mass: list[LossMass] = []
    for atom in sorted(atoms, key=cmp_to_key(_by_loss)):
        if loss_mass and loss_mass[-1].loss == atom.loss:
            loss_mass[-1] = LossMass(atom.loss, loss_mass[-1].mass + atom.mass)
        else:
            loss_mass.append(atom)
    return tuple(loss_mass)
