"""Finite factors of a product: independent parts, of which the losses ln(p/q) have exact distributions that convolve.

For independent parts the ratios p/q multiply. So the distribution of the ratio under P and Q is kept, an atom for each
ratio, equal ones as one: n bits with one law have n + 1 atoms. Outcomes with q = 0 are the mass of infinite loss; of
parts with such masses m₁, …, mₙ it is 1 − ∏(1 − mᵢ). δ(ε) = P(ratio > e^ε) − e^ε·Q(ratio > e^ε). (Pairs (ε, δ) do not
compose so: it is the whole distribution of the loss that does.)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from flint import fmpq

from dpverify.mechanisms.functions.lookalikes import refuse_lookalike
from dpverify.mechanisms.laws.released_parts import Merging, PartRelease, combined, count_of
from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    Term,
    negative,
    ordering,
    power,
    product,
    rational,
    reciprocal_of_nonzero,
    total,
)
from dpverify.mechanisms.numbers.simplification import simplified

_MOST_TOGETHER: Final = 1 << 14
"""Outcomes of parts that the ways of a law differ in, up to which they are made one."""

_MOST_RATIOS: Final = 1 << 13
"""Different ratios of the parts of one outcome; n parts with one law of two outcomes have n + 1."""

_MOST_PRODUCTS: Final = 1 << 17
"""Products of ratios that are looked at in one step."""


class FiniteAtom(NamedTuple):
    """The parts of a factor together, with its probabilities under both laws."""

    outcomes: tuple[Hashable, ...]
    p: Exact
    q: Exact


@dataclass(frozen=True)
class FiniteFactor:
    """Independent parts of an outcome, most often one, that have one law each, or together, under P and under Q."""

    parts: tuple[int, ...]
    """Which of the parts of the template, counted from 0."""
    atoms: tuple[FiniteAtom, ...]
    key: Hashable
    """Equal for factors that compare alike."""

    @property
    def masses(self) -> tuple[Exact, Exact]:
        """Its masses in all, under both laws: 1, unless it stands for all of the ways."""
        return total(atom.p for atom in self.atoms), total(atom.q for atom in self.atoms)

    @property
    def largest(self) -> tuple[Exact, Exact] | None:
        """The probabilities (p, q) with the largest ratio; None where some q is 0 and p is not."""
        best: tuple[Exact, Exact] = (ZERO, ONE)
        for atom in self.atoms:
            if atom.p is not ZERO:
                if atom.q is ZERO:
                    return None
                if ordering(product((atom.p, best[1])), product((best[0], atom.q))) > 0:
                    best = (atom.p, atom.q)
        return best


def finite_factor(
    parts: tuple[int, ...], left: Mapping[Hashable, Exact], right: Mapping[Hashable, Exact]
) -> FiniteFactor:
    """The factor of two laws of one part, or of several together, outcomes then being tuples."""
    seen = {outcome: outcome for outcome in left}
    for outcome in right:
        if outcome in seen and seen[outcome] is not outcome:
            refuse_lookalike(seen[outcome], outcome, " on one database")
    atoms = []
    for outcome in {**left, **right}:
        p, q = (ZERO if _is_zero(law.get(outcome, ZERO)) else law[outcome] for law in (left, right))
        if p is not ZERO or q is not ZERO:
            atoms.append(FiniteAtom((outcome,) if len(parts) == 1 else outcome, p, q))  # type: ignore[arg-type]  # a tuple
    key = frozenset(Counter((atom.p.serial, atom.q.serial) for atom in atoms).items())
    return FiniteFactor(parts, tuple(atoms), ("finite", key))


def _is_zero(number: Exact) -> bool:
    return number is ZERO or decision.sign(number) == 0


_Ways: TypeAlias = Mapping[Any, Exact]
"""The ways in which outcomes of a template come about, each a tuple of releases, with their weights."""


def finite_ways(left: _Ways, right: _Ways, together: Sequence[int], first_part: int) -> FiniteFactor:
    """The parts that the ways of a law differ in as one factor. Raises `Undecided` where they have many outcomes."""
    laws = []
    for ways in (left, right):
        found = Merging()
        for releases, weight in ways.items():
            parts = [release for release in (releases[c] for c in together) if isinstance(release, PartRelease)]
            count = count_of(parts) * len(ways)
            if count > _MOST_TOGETHER:
                raise Undecided(
                    f"{len(parts)} independent parts come about in {len(ways)} ways that the outcome does not tell "
                    f"apart, as by a hidden coin, with {count:,} outcomes; so far that is decided for "
                    f"{_MOST_TOGETHER:,}: return what tells the ways apart"
                )
            for outcomes, ps in combined(parts):
                found.add(outcomes[0] if len(parts) == 1 else outcomes, product((weight, *ps)))
        laws.append(found.probabilities)
    return finite_factor(tuple(c - first_part for c in together), *laws)


# --- Losses


class RatioMass(NamedTuple):
    """A ratio p/q, and what P and Q give to the outcomes that have it."""

    ratio: Exact
    p: Exact
    q: Exact


@dataclass(frozen=True)
class Ratios:
    """The distribution of p/q: finite ratios > 0, the mass of P where q = 0, and all of its mass."""

    atoms: tuple[RatioMass, ...]
    infinite: Exact
    whole: Exact

    @property
    def simplified(self) -> Ratios:
        """The same, of which equal masses are seen to be equal."""
        atoms = tuple(RatioMass(ratio, simplified(p), simplified(q)) for ratio, p, q in self.atoms)
        return Ratios(atoms, simplified(self.infinite), simplified(self.whole))

    @property
    def key(self) -> Hashable:
        """Equal for ratios of one distribution, and not for different ones."""
        atoms = sorted((atom.ratio.serial, atom.p.serial, atom.q.serial) for atom in self.atoms)
        return tuple(atoms), self.infinite.serial, self.whole.serial

    def above(self, least: Exact) -> tuple[Exact, Exact]:
        """The masses under P and Q of the outcomes with p > least·q."""
        chosen = [atom for atom in self.atoms if ordering(atom.ratio, least) > 0]
        return total((self.infinite, *(atom.p for atom in chosen))), total(atom.q for atom in chosen)


NO_PARTS: Final = Ratios((RatioMass(ONE, ONE, ONE),), ZERO, ONE)


def ratios_of(factor: FiniteFactor) -> Ratios:
    """The distribution of p/q of one factor."""
    finite = (
        RatioMass(_as_power(simplified(product((p, reciprocal_of_nonzero(q))))), p, q)
        for _, p, q in factor.atoms
        if p is not ZERO and q is not ZERO
    )
    infinite = total(p for _, p, q in factor.atoms if q is ZERO)
    return Ratios(_merged(finite), infinite, total(p for _, p, _ in factor.atoms))


_SMALL: Final = 1 << 10
"""The denominator up to which a power of e is looked for."""


def power_of_e(p: Exact, q: Exact) -> Exact | None:
    """p/q where it is a power of e; None where it is not seen to be one."""
    ratio = simplified(product((p, reciprocal_of_nonzero(q))))
    in_short = _as_power(ratio)
    return in_short if isinstance(in_short, Term) and not in_short.factors else None


def _as_power(ratio: Exact) -> Exact:
    """The ratio as a power of e where it is one, so that equal products of such are seen to be equal."""
    near = 0.0 if ratio.symbol is not None else float(enclosure(ratio))
    if not 0 < near < math.inf:
        return ratio
    power = exp(Fraction(math.log(near)).limit_denominator(_SMALL))
    try:
        return power if ordering(power, ratio) == 0 else ratio
    except Undecided:  # not known to be one
        return ratio


class AlikeParts(NamedTuple):
    """The ratios of a part, and how many parts have them."""

    ratios: Ratios
    times: int


def convolved_ratios(parts: Sequence[AlikeParts]) -> Ratios:
    """The distribution of the ratio of independent parts together. Raises `TooManyLosses` for too many ratios."""
    if _fewest_ratios(parts) > _MOST_RATIOS:
        raise too_many()
    return reduce(_together, (_of_alike(part) for part in parts), NO_PARTS)


def _of_alike(part: AlikeParts) -> Ratios:
    """The distribution of the ratio of parts that are alike: of two atoms by powers, with binomial coefficients."""
    ratios, count = part
    if len(ratios.atoms) != _TWO or ratios.infinite is not ZERO:
        return reduce(_together, [ratios] * count, NO_PARTS)
    one, other = ratios.atoms
    atoms = _merged(
        RatioMass(
            product((power(one.ratio, k), power(other.ratio, count - k))),
            product((_binomial(count, k), power(one.p, k), power(other.p, count - k))),
            product((_binomial(count, k), power(one.q, k), power(other.q, count - k))),
        )
        for k in range(count + 1)
    )
    return Ratios(atoms, ZERO, power(ratios.whole, count))


_TWO: Final = 2


def _binomial(n: int, k: int) -> Exact:
    return rational(fmpq(math.comb(n, k)))


def _fewest_ratios(parts: Sequence[AlikeParts]) -> int:
    """Not more than the different ratios that parts have together, as far as floats tell them apart."""
    sums = np.zeros(1)
    for ratios, count in parts:
        if any(atom.ratio.symbol is not None for atom in ratios.atoms):
            return 0
        losses = np.array([float(enclosure(atom.ratio).log()) for atom in ratios.atoms] or [0.0])
        for _ in range(count):
            sums = np.sort(np.add.outer(sums, losses).ravel())
            sums = sums[np.diff(sums, prepend=-np.inf) > _APART]
            if len(sums) > _MOST_RATIOS:
                return len(sums)
    return len(sums)


_APART: Final = 1e-9
"""By how much losses differ that are told apart where a bound of their number is looked for."""


def _together(left: Ratios, right: Ratios) -> Ratios:
    if len(left.atoms) * len(right.atoms) > _MOST_PRODUCTS:
        raise too_many()
    atoms = _merged(
        RatioMass(*map(product, zip(one, other, strict=True))) for one in left.atoms for other in right.atoms
    )
    if len(atoms) > _MOST_RATIOS:
        raise too_many()
    whole = product((left.whole, right.whole))
    infinite: Exact = ZERO
    if left.infinite is not ZERO or right.infinite is not ZERO:
        finite = (total((part.whole, negative(part.infinite))) for part in (left, right))
        infinite = total((whole, negative(product(finite))))
    return Ratios(atoms, infinite, whole)


class TooManyLosses(Undecided):
    """Independent parts whose losses are not listed."""


def too_many() -> TooManyLosses:
    """The error of parts with too many losses."""
    return TooManyLosses(
        f"the independent parts of one outcome have more than {_MOST_RATIOS:,} different privacy losses together, so "
        "that δ is not computed: give parts that have one law on equal items, or fewer of them"
    )


def _merged(atoms: Iterable[RatioMass]) -> tuple[RatioMass, ...]:
    """Atoms of one ratio as one; ratios that do not show that they are equal stay apart, which changes no sum."""
    found: dict[int, list[RatioMass]] = {}
    for atom in atoms:
        found.setdefault(atom.ratio.serial, []).append(atom)
    return tuple(
        of_ratio[0]
        if len(of_ratio) == 1
        else RatioMass(of_ratio[0].ratio, total(atom.p for atom in of_ratio), total(atom.q for atom in of_ratio))
        for of_ratio in found.values()
    )
