"""The privacy profile of distributions with real numbers: δ(ε) at an ε, the least ε for a δ, Rényi divergences."""

from fractions import Fraction
from typing import Final

import numpy as np

from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, ordering, power, product, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import ExpPoly
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.verifiers.divergence.densities.boxes import AnyFactor
from dpverify.verifiers.divergence.densities.cells import common_stretches, mass
from dpverify.verifiers.divergence.densities.comparison import Densities
from dpverify.verifiers.divergence.densities.finite import FiniteFactor
from dpverify.verifiers.divergence.densities.mixture_components import ComponentFactor, DistributionPair
from dpverify.verifiers.divergence.densities.normal import NormalFactor, moment
from dpverify.verifiers.divergence.densities.normal_mixtures import MixtureFactor
from dpverify.verifiers.divergence.finite.hockey_stick import HockeyStick
from dpverify.verifiers.divergence.output_tables.distribution_table import Floats

_BITS: Final = 60
"""Bits of the least ε for a δ > 0, which has no closed form in general; it is rounded up."""

_LARGEST: Final = 1 << 64
"""The ε up to which one is looked for."""


def delta_at(densities: Densities, epsilon: Exact) -> Exact:
    """The largest divergence of all pairs at ε; where crossings have no closed form, less by 10^-300 at most."""
    result = densities.at(epsilon)
    return _known(HockeyStick(result.table, result.left, result.right, epsilon, result.missing)).worst()[0]


def _known(stick: HockeyStick) -> HockeyStick:
    if stick.is_partial:
        raise Undecided(
            not_known.NO_CURVE, "δ of several released numbers", "they are tied, or their densities are sums"
        )
    return stick


def epsilon_for(densities: Densities, delta: Exact) -> Exact | None:
    """The least ε ≥ 0 with δ(ε) ≤ δ; None where there is none. For δ > 0 it is rounded up, to 60 bits.

    Raises `Undecided` where it is not known, or where it is beyond 2^64.
    """
    if delta is ZERO:
        ratio = densities.ratio
        if ratio is None:
            return None
        if ratio.slack:
            raise Undecided(not_known.RATIO_NOT_CLOSED, "has no closed form")
        return log(simplified(ratio.above / ratio.below))
    if delta_at(densities, ZERO) <= delta:
        return ZERO
    if _delta_at_infinity(densities) > delta:
        return None
    low, high = Fraction(0), Fraction(1)
    while delta_at(densities, exact(high)) > delta:
        low, high = high, high * 2
        if high > _LARGEST:
            raise Undecided(not_known.LEAST_EPSILON, delta, _LARGEST)
    width = Fraction(1, 1 << _BITS)
    while high - low > width * (high if high > 1 else 1):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_at(densities, exact(middle)) > delta else (low, middle)
    return exact(high)


def _delta_at_infinity(densities: Densities) -> Exact:
    """The limit of δ(ε): the largest mass, over all pairs, of what has positive probability under P alone."""
    return max((pair.impossible for pair in densities.pairs), default=ZERO)


def largest_density_ratios(densities: Densities) -> Floats:
    """The largest ratio of each pair, as far as floats tell; ∞ where there is none, or it is not known."""
    results = []
    for pair in densities.pairs:
        try:
            ratio = densities.ratio_of(pair)
        except Undecided:
            ratio = None
        results.append(np.inf if ratio is None else float(enclosure(ratio.above) / enclosure(ratio.below)))
    return np.array(results)


def largest_moment(densities: Densities, order: int) -> Exact | None:
    """The largest Σ p^α·q^(1−α) over all pairs, the moments of independent numbers multiplied; None where infinite.

    Raises `Undecided` where a density is not one exponential between its breaks.
    """
    best: Exact = ONE
    for pair in densities.pairs:
        result = _moment(pair, order)
        if result is None:
            return None
        best = max(best, result)
    return best


def _moment(pair: DistributionPair, order: int) -> Exact | None:
    parts = []
    for atom in pair.atoms:
        if atom.p is not ZERO:
            if atom.q is ZERO:
                return None
            parts.append(_power(atom.p, atom.q, order))
    # atoms and strata in which the distributions agree are left out of a pair: their probability is their moment
    parts.append(pair.common)
    for stratum in pair.strata:
        weights, factors = stratum.factors
        if stratum.tied:
            raise Undecided(not_known.NO_CURVE, "the Rényi divergence", "several numbers are tied to each other")
        moments = [_moment_of(factor, order) for factor in factors]
        finite = [moment for moment in moments if moment is not None]
        if len(finite) < len(moments):
            return None
        parts.append(product((_power(weights.p, weights.q, order), *finite)))
    return total(parts)


def _power(p: Exact, q: Exact, order: int) -> Exact:
    return product((power(p, order), power(q, 1 - order)))


def _moment_of(factor: AnyFactor, order: int) -> Exact | None:
    """∫ p^α·q^(1−α), or Σ; None where it is infinite."""
    if isinstance(factor, NormalFactor):
        return moment(factor, order)
    if isinstance(factor, MixtureFactor):
        raise Undecided(not_known.NO_CURVE, "the Rényi divergence", "numbers with Gaussian noise come in several ways")
    parts = []
    if isinstance(factor, ComponentFactor):
        return _moment(factor.pair, order)
    if isinstance(factor, FiniteFactor):
        for _, p, q in factor.atoms:
            if p is not ZERO:
                if q is ZERO:
                    return None
                parts.append(_power(p, q, order))
        return total(parts)
    for stretch in common_stretches(factor.p, factor.q):
        if stretch.p:
            if not stretch.q:
                return None
            if not stretch.is_exponential:
                raise Undecided(
                    not_known.NO_CURVE, "the Rényi divergence", "densities are more than one exponential each"
                )
            ((rate, _), c), ((other, _), d) = next(iter(stretch.p.items())), next(iter(stretch.q.items()))
            together: ExpPoly = {(rate * order + other * (1 - order), 0): _power(c, d, order)}
            ((slope, _),) = together
            endless = (stretch.high is None and ordering(slope, ZERO) >= 0) or (
                stretch.low is None and ordering(slope, ZERO) <= 0
            )
            if endless:
                return None
            parts.append(mass(together, stretch.low, stretch.high))
    return total(parts)
