"""Boxes with rational ends on which p > e^ε·q: what is left of a set that has no simple shape."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from itertools import product as combinations
from typing import Any, Final, NamedTuple, TypeAlias

from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, as_parameter, exact, negative, product, total
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import simplest_between
from dpverify.mechanisms.outputs.released_parts import OneOf, outcomes_named
from dpverify.mechanisms.outputs.released_reals import AnyReal, Between, OpenInterval
from dpverify.mechanisms.outputs.templates import AtLeast, AtMost
from dpverify.verifiers.divergence.densities.cells import Stretch, common_stretches
from dpverify.verifiers.divergence.densities.cells import mass as mass_of
from dpverify.verifiers.divergence.densities.finite import FiniteAtom, FiniteFactor
from dpverify.verifiers.divergence.densities.mixture_components import ComponentFactor, ComponentWeights, DensityFactor
from dpverify.verifiers.divergence.densities.normal import NormalFactor
from dpverify.verifiers.divergence.densities.normal_mixtures import MixtureFactor

AnyFactor: TypeAlias = DensityFactor | FiniteFactor | NormalFactor | MixtureFactor | ComponentFactor

Box: TypeAlias = Mapping[int, OpenInterval]
"""Coordinate → the interval that it lies in."""

PartBox: TypeAlias = Mapping[int, Hashable]
"""Number of a part → how what it may be reads."""


def simpler(low: Exact | None, high: Exact | None, room: int) -> OpenInterval:
    """An interval inside another one, with rational ends; those that are infinite or rational stay."""
    width = exact(1) if low is None or high is None else (high - low) / room
    if low is not None and not _is_rational(low):
        low = _simplest(low, low + width)
    if high is not None and not _is_rational(high):
        high = _simplest(high - width, high)
    return low, high


_SIMPLE: Final = 10**6


def _is_rational(x: Exact) -> bool:
    """True where an end may stay as it is: not one that lies beside a gap."""
    value = as_parameter(x)
    return isinstance(value, Fraction) and value.denominator < _SIMPLE


def _simplest(low: Exact, high: Exact) -> Exact:
    """The simplest rational number strictly between."""
    if low < 0 < high:
        return ZERO
    return simplest_between(low, high) if low >= 0 else negative(simplest_between(negative(high), negative(low)))


class Choice(NamedTuple):
    """Some of what one factor may be: how it reads, and its masses."""

    box: Box
    parts: PartBox
    p: Exact
    q: Exact


def positive_boxes(
    weights: ComponentWeights,
    factors: Sequence[DensityFactor | FiniteFactor],
    factor: Exact,
    fineness: int,
) -> list[tuple[tuple[Choice, ...], Exact, Exact]]:
    """The values of independent factors so that p > factor·q, with both masses; those that exceed it most first."""
    choices = [_best(_cut(part, fineness), len(factors)) for part in factors]
    found = []
    for chosen in combinations(*choices):
        p = product((weights.p, *(choice.p for choice in chosen)))
        q = product((weights.q, *(choice.q for choice in chosen)))
        if float_excess(p, q, factor) > 0 and p > factor * q:
            found.append((chosen, p, q))
    return sorted(found, key=lambda box: -float_excess(box[1], box[2], factor))


def choices_of_part(part: FiniteFactor) -> list[Choice]:
    """The values of a finite factor, by falling ratio; of one part the outcomes of one ratio together."""
    together: dict[Hashable, list[FiniteAtom]] = {}
    for atom, ratio in zip(part.atoms, part.ratio_of_each, strict=True):
        if atom.p is not ZERO:
            of_ratio = None if ratio is None else ratio.serial
            together.setdefault(of_ratio if len(part.parts) == 1 else atom.outcomes, []).append(atom)
    found = []
    for atoms in together.values():
        named = [atom.outcomes for atom in atoms]
        read = (
            named[0]
            if len(named) == 1
            else (OneOf(tuple(one for (outcome,) in named for one in outcomes_named(outcome))),)
        )
        p, q = total(atom.p for atom in atoms), total(atom.q for atom in atoms)
        found.append(Choice({}, dict(zip(part.parts, read, strict=True)), p, q))
    return sorted(found, key=_falling_ratio)


def _falling_ratio(choice: Choice) -> float:
    return -float(enclosure(choice.p)) / max(float(enclosure(choice.q)), 1e-300)


def float_excess(p: Exact, q: Exact, factor: Exact) -> float:
    """About p − factor·q, for choosing what to look at."""
    return float(enclosure(p)) - float(enclosure(factor)) * float(enclosure(q))


def _best(choices: Sequence[Choice], factors: int) -> list[Choice]:
    """As many as may be combined, those with the largest ratios."""
    most = max(1, int(4096 ** (1 / factors)))
    return sorted(choices, key=_falling_ratio)[:most]


def _cut(part: DensityFactor | FiniteFactor, fineness: int) -> list[Choice]:
    """The stretches of a factor, cut into so many pieces, with rational ends; infinite ones as they are."""
    if isinstance(part, FiniteFactor):
        return choices_of_part(part)
    found = []
    for stretch, share in _with_shares(part):
        found += [
            Choice(
                {part.coordinate: (low, high)},
                {},
                *(product((share, mass_of(density, low, high))) for density in (stretch.p, stretch.q)),
            )
            for low, high in _pieces(stretch, fineness)
        ]
    return found


def _with_shares(part: DensityFactor) -> Iterator[tuple[Stretch, Exact]]:
    """The stretches on which p > 0, and the part of their masses that is on them: what tails repeat is elsewhere."""
    stretches = (stretch for stretch in common_stretches(part.p, part.q) if stretch.p)
    if part.tails is None:
        yield from ((stretch, ONE) for stretch in stretches)
        return
    first = total((ONE, negative(part.tails.fall)))
    for stretch in stretches:
        ends = [end for end in (part.tails.low, part.tails.high) if _is_inside(stretch, end)]
        for low, high in pairwise([stretch.low, *ends, stretch.high]):
            assert low is not None, "what is folded is bounded"
            is_near = part.tails.low <= low < part.tails.high
            yield stretch._replace(low=low, high=high), ONE if is_near else first


def _is_inside(stretch: Stretch, end: Exact) -> bool:
    assert stretch.low is not None, "what is folded is bounded"
    assert stretch.high is not None, "what is folded is bounded"
    return bool(stretch.low < end < stretch.high)


def named(low: Exact | None, high: Exact | None) -> Any:
    """The text, in an outcome, of the real numbers of an interval."""
    if low is None and high is None:
        return AnyReal()
    if low is None:
        return AtMost(readable_end(high))
    return AtLeast(readable_end(low)) if high is None else Between(readable_end(low), readable_end(high))


def readable_end(end: Exact | None) -> Any:
    """An end that is not infinite, as a plain number where it is one."""
    assert end is not None, "an end that is not infinite"
    value = as_parameter(end)
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


def _pieces(stretch: Stretch, fineness: int) -> Iterator[OpenInterval]:
    low, high = simpler(stretch.low, stretch.high, 64)
    if low is None or high is None:
        yield low, high
        return
    ends = [low + (high - low) * Fraction(i, fineness) for i in range(fineness + 1)]
    yield from pairwise(ends)
