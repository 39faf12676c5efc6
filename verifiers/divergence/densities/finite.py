"""Finite factors of a product: independent parts, of which the losses ln(p/q) have exact distributions that convolve.

For independent parts the ratios p/q multiply. So the distribution of the ratio under P and Q is kept, an atom for each
ratio, equal ones as one: n bits with one distribution have n + 1 atoms. Outcomes with q = 0 are the mass of infinite
loss; of parts with such masses m₁, …, mₙ it is 1 − ∏(1 − mᵢ). δ(ε) = P(ratio > e^ε) − e^ε·Q(ratio > e^ε). (Pairs (ε, δ)
do not compose so: it is the whole distribution of the loss that does.)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

from dpverify.mechanisms.functions.lookalikes import refuse_lookalike
from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.cached_results import remembered
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    Term,
    negative,
    ordering,
    product,
    reciprocal_of_nonzero,
    total,
)
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.mechanisms.outputs.ratio_masses import RatioMass, Ratios, merged
from dpverify.mechanisms.outputs.released_parts import Merging, PartRelease, combined, count_of

_TWO: Final = 2

_MOST_TOGETHER: Final = 1 << 14
"""Outcomes of parts that the ways of a distribution differ in, up to which they are made one."""


class FiniteAtom(NamedTuple):
    """The parts of a factor together, with its probabilities under both distributions."""

    outcomes: tuple[Hashable, ...]
    p: Exact
    q: Exact


@dataclass(frozen=True)
class FiniteFactor:
    """Independent parts of an outcome, mostly one, that have one distribution each, or together, under P and Q."""

    parts: tuple[int, ...]
    """Parts of the template, counted from 0."""
    atoms: tuple[FiniteAtom, ...]
    key: Hashable
    """Equal for factors that compare alike."""
    are_laws: bool = False
    """True where both are distributions, whose masses add up to 1."""

    @property
    def masses(self) -> tuple[Exact, Exact]:
        """Its masses in all, under both distributions: 1, unless it stands for all of the ways."""
        return (ONE, ONE) if self.are_laws else self._added_up

    @property
    def where_both(self) -> Exact:
        """The mass of P where Q has some, too."""
        return total((self.masses[0], *(negative(atom.p) for atom in self.atoms if atom.q is ZERO)))

    @property
    def _added_up(self) -> tuple[Exact, Exact]:
        return total(atom.p for atom in self.atoms), total(atom.q for atom in self.atoms)

    @cached_property
    def ratio_of_each(self) -> tuple[Exact | None, ...]:
        """p/q of each atom, equal ones most often in one form; None where q is 0."""
        return tuple(None if q is ZERO else _ratio_of(p, q) for _, p, q in self.atoms)

    @cached_property
    def deciding_values(self) -> frozenset[int] | None:
        """The serial numbers of two ratios that decide on all masses; None where these are not decided so."""
        values = frozenset(ratio.serial for ratio in self.ratio_of_each if ratio is not None)
        return values if self.are_laws and len(values) == _TWO and self._has_no_zero else None

    @property
    def _has_no_zero(self) -> bool:
        return all(p is not ZERO and q is not ZERO for _, p, q in self.atoms)

    @cached_property
    def ratios(self) -> Ratios:
        """The distribution of p/q."""
        return ratios_of(self)

    @property
    def largest_power(self) -> Exact | None:
        """The largest ratio, where it is a multiple of a power of e by its form; None where it is none, or ∞."""
        ratios = {ratio.serial: ratio for ratio in self.ratio_of_each if ratio is not None}
        if not ratios or any(atom.q is ZERO for atom in self.atoms):
            return None
        best: Exact = ZERO
        for ratio in ratios.values():
            if best is ZERO or ordering(ratio, best) > 0:
                best = ratio
        return best if isinstance(best, Term) and not best.factors else None

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
    parts: tuple[int, ...], left: Mapping[Hashable, Exact], right: Mapping[Hashable, Exact], *, are_laws: bool = False
) -> FiniteFactor:
    """The factor of two distributions of one part, or of several together, outcomes then being tuples."""
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
    return FiniteFactor(parts, tuple(atoms), ("finite", key), are_laws)


def _is_zero(number: Exact) -> bool:
    return number is ZERO or decision.sign(number) == 0


_Ways: TypeAlias = Mapping[Any, Exact]
"""The ways in which outcomes of a template come about, each a tuple of releases, with their weights."""


def finite_ways(left: _Ways, right: _Ways, together: Sequence[int], first_part: int) -> FiniteFactor:
    """The parts in which the ways of a distribution differ as one factor. Raises `Undecided` for many outcomes."""
    laws = []
    for ways in (left, right):
        found = Merging()
        for releases, weight in ways.items():
            parts = [release for release in (releases[c] for c in together) if isinstance(release, PartRelease)]
            count = count_of(parts) * len(ways)
            if count > _MOST_TOGETHER:
                raise Undecided(not_known.PARTS_TOGETHER, len(parts), len(ways), count, _MOST_TOGETHER)
            for outcomes, ps in combined(parts):
                found.add(outcomes[0] if len(parts) == 1 else outcomes, product((weight, *ps)))
        laws.append(found.probabilities)
    return finite_factor(tuple(c - first_part for c in together), *laws)


# --- Losses


def ratios_of(factor: FiniteFactor) -> Ratios:
    """The distribution of p/q of one factor."""
    finite = [
        RatioMass(ratio, p, q)
        for (_, p, q), ratio in zip(factor.atoms, factor.ratio_of_each, strict=True)
        if p is not ZERO and ratio is not None
    ]
    infinite = total(p for _, p, q in factor.atoms if q is ZERO)
    is_of_laws = factor.are_laws and len(finite) == len(factor.atoms)
    return Ratios(merged(finite), infinite, factor.masses[0], is_of_laws)


_SMALL: Final = 1 << 10
"""The denominator up to which a power of e is looked for."""


def _ratio_of(p: Exact, q: Exact) -> Exact:
    """As `_ratio`, which is asked for both ways round."""
    if p.serial > q.serial and p is not ZERO:
        mirrored = remembered(_ratio, q, p)
        if isinstance(mirrored, Term) and not mirrored.factors:
            return reciprocal_of_nonzero(mirrored)
    return remembered(_ratio, p, q)


def _ratio(p: Exact, q: Exact) -> Exact:
    """p/q for q > 0, as a power of e where it is one, so that equal products of such are seen to be equal."""
    ratio = _of_like_terms(p, q) or product((p, reciprocal_of_nonzero(q)))
    if isinstance(ratio, Term) and not ratio.factors:  # as simple as it can be; c·e^r is no power of e but for c = 1
        return ratio
    return _as_power(simplified(ratio))


def _of_like_terms(p: Exact, q: Exact) -> Exact | None:
    """p/q where each term of p is the same multiple of the one of q in its place; None where that is not so."""
    if len(p.terms) != len(q.terms) or len(p.terms) == 1:
        return None
    first, *others = (
        product((one, reciprocal_of_nonzero(another))) for one, another in zip(p.terms, q.terms, strict=True)
    )
    return first if all(ratio is first for ratio in others) else None


def _as_power(ratio: Exact) -> Exact:
    near = 0.0 if ratio.symbol is not None else float(enclosure(ratio))
    if not 0 < near < math.inf:
        return ratio
    power = exp(Fraction(math.log(near)).limit_denominator(_SMALL))
    try:
        return power if ordering(power, ratio) == 0 else ratio
    except Undecided:  # not known to be one
        return ratio
