"""The likelihood ratio of independent parts: its values, and what two laws, or one, give to each.

The ratios of independent parts multiply, and so do the masses: parts that are alike are powers. Outcomes of ratio ∞
are a mass by themselves: of parts with such masses m₁, …, mₙ it is 1 − ∏(1 − mᵢ).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, NamedTuple, Protocol

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    negative,
    ordering,
    power,
    product,
    rational,
    total,
)
from dpverify.mechanisms.numbers.simplification import simplified

_MOST_RATIOS: Final = 1 << 13
"""Different ratios of the parts of one outcome; n parts with one law of two outcomes have n + 1."""

_MOST_PRODUCTS: Final = 1 << 17
"""Products of ratios that are looked at in one step."""

FEW_FACTORS: Final = 8
"""Independent factors whose numbers are taken as they are: of more, masses that are equal are seen to be."""


class Simplified:
    """Numbers in their simple form, each looked at once: many parts have the same."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Exact, Exact]] = {}

    def __call__(self, number: Exact) -> Exact:
        """The number in its simple form."""
        known = self._known.get(number.serial)
        if known is None:  # which is kept, so that its serial number stays its own
            known = self._known[number.serial] = number, simplified(number)
        return known[1]


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
    is_of_laws: bool = False
    """True where both masses of all atoms add up to 1."""

    def simplified(self, seen: Simplified) -> Ratios:
        """The same, of which equal masses are seen to be equal."""
        atoms = tuple(RatioMass(ratio, seen(p), seen(q)) for ratio, p, q in self.atoms)
        return Ratios(atoms, seen(self.infinite), seen(self.whole), self.is_of_laws)

    @property
    def follows_from_values(self) -> bool:
        """True where the ratios r, s decide on all masses: p + p′ = 1 and p/r + p′/s = 1 have one solution."""
        return self.is_of_laws and len(self.atoms) == _TWO

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


class AlikeParts(NamedTuple):
    """The ratios of a part, and how many parts have them."""

    ratios: Ratios
    times: int


def parts_by_kind(kinds: Iterable[AlikeParts], *, are_many: bool = False) -> list[AlikeParts]:
    """The ratios of parts, those that are alike together: of these few come.

    Of many kinds the masses are simplified: then other masses may be the same ones together.
    """
    all_kinds, seen = list(kinds), Simplified()
    are_many = are_many or len(all_kinds) > FEW_FACTORS
    found: dict[Hashable, AlikeParts] = {}
    for ratios, times in all_kinds:
        key, kind = ratios.key, ratios
        if are_many and ratios.follows_from_values:
            key = frozenset(atom.ratio.serial for atom in ratios.atoms)
            kind = ratios if key in found else ratios.simplified(seen)
        elif are_many:
            kind = ratios.simplified(seen)
            key = kind.key
        known = found.get(key)
        found[key] = AlikeParts(kind, times) if known is None else AlikeParts(known.ratios, known.times + times)
    return list(found.values())


def convolved_ratios(parts: Sequence[AlikeParts]) -> Ratios:
    """The distribution of the ratio of independent parts together. Raises `TooManyLosses` for too many ratios."""
    if _fewest_ratios(parts) > _MOST_RATIOS:
        raise too_many()
    return reduce(_together, map(_of_alike, parts)) if parts else NO_PARTS


def counted_masses_above(parts: Sequence[AlikeParts], least: Exact) -> tuple[Exact, Exact] | None:
    """The masses under P and Q where p > least·q, of parts that all have the same two ratios; None elsewhere."""
    if len(parts) != 1 or not _is_binomial(parts[0].ratios) or parts[0].times >= _MOST_RATIOS:
        return None
    return _binomial_masses_above(parts[0], least)


def _binomial_masses_above(part: AlikeParts, least: Exact) -> tuple[Exact, Exact]:
    one, other = part.ratios.atoms
    rising = range(part.times + 1)[:: 1 if ordering(one.ratio, other.ratio) > 0 else -1]
    first = bisect_left(rising, True, key=lambda k: ordering(_ratio_taken(part, k), least) > 0)
    chosen = [_taken(part, k) for k in sorted(rising[first:])]
    return total(atom.p for atom in chosen), total(atom.q for atom in chosen)


def _of_alike(part: AlikeParts) -> Ratios:
    """The distribution of the ratio of parts that are alike: of two atoms by powers, with binomial coefficients."""
    ratios, count = part
    if not _is_binomial(ratios):
        return reduce(_together, [ratios] * count, NO_PARTS)
    atoms = merged(_taken(part, k) for k in range(count + 1))
    return Ratios(atoms, ZERO, power(ratios.whole, count))


def _is_binomial(ratios: Ratios) -> bool:
    return len(ratios.atoms) == _TWO and ratios.infinite is ZERO


def _ratio_taken(part: AlikeParts, k: int) -> Exact:
    """The ratio of the parts where k of them have the first ratio, and the others the second."""
    one, other = part.ratios.atoms
    return product((power(one.ratio, k), power(other.ratio, part.times - k)))


def _taken(part: AlikeParts, k: int) -> RatioMass:
    """The ratio of the parts where k of them have the first ratio, with its masses."""
    one, other = part.ratios.atoms
    rest = part.times - k
    return RatioMass(
        _ratio_taken(part, k),
        product((_binomial(part.times, k), power(one.p, k), power(other.p, rest))),
        product((_binomial(part.times, k), power(one.q, k), power(other.q, rest))),
    )


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
        if len(losses) == _TWO:  # all at once
            losses = count * losses[0] + (losses[1] - losses[0]) * np.arange(count + 1)
        for _ in range(1 if len(ratios.atoms) == _TWO else count):
            sums = separate_sums(sums, losses)
            if len(sums) > _MOST_RATIOS:
                return len(sums)
    return len(sums)


_APART: Final = 1e-9
"""Least difference of losses that are told apart where a bound of their number is looked for."""


def separate_sums(sums: NDArray[np.float64], others: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums of a number of each, rising, one of those that floats do not tell apart: none decides."""
    together = np.sort(np.add.outer(sums, others).ravel())
    return together[np.diff(together, prepend=-np.inf) > _APART]


def _together(left: Ratios, right: Ratios) -> Ratios:
    if len(left.atoms) * len(right.atoms) > _MOST_PRODUCTS:
        raise too_many()
    atoms = merged(
        RatioMass(*map(product, zip(one, other, strict=True))) for one in left.atoms for other in right.atoms
    )
    if len(atoms) > _MOST_RATIOS:
        raise too_many()
    return Ratios(atoms, *infinite_together(left, right))


class HasInfinite(Protocol):
    """Ratios, or losses: the mass of P where q = 0, and all of it."""

    @property
    def infinite(self) -> Exact:
        """The mass of P where q = 0."""

    @property
    def whole(self) -> Exact:
        """All mass of P."""


def infinite_together(left: HasInfinite, right: HasInfinite) -> tuple[Exact, Exact]:
    """The mass of P where q = 0, and all of it, of two independent parts together."""
    whole = product((left.whole, right.whole))
    if left.infinite is ZERO and right.infinite is ZERO:
        return ZERO, whole
    finite = product(total((part.whole, negative(part.infinite))) for part in (left, right))
    return total((whole, negative(finite))), whole


class TooManyLosses(Undecided):
    """Independent parts whose losses are not listed."""


def too_many() -> TooManyLosses:
    """The error of parts with too many losses."""
    return TooManyLosses(not_known.TOO_MANY_LOSSES, _MOST_RATIOS)


def merged(atoms: Iterable[RatioMass]) -> tuple[RatioMass, ...]:
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
