"""Noises that facts tie together, as a tree of shared immutable structure: what is alike is eliminated once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import count
from typing import Any, Final, NoReturn, TypeVar

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.errors import Interruption
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, negative, reciprocal_of_nonzero
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise, constant_function, convolution
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Interval, Intervals, intersection, multiplied, sums
from dpverify.mechanisms.numbers.roots.products_of_pieces import mass_of_product
from dpverify.mechanisms.path_conditions.sums_of_noise import Summands

_MOST_PIECES: Final = 64
"""Number of intervals a set of possible values may fall into before the probability itself is computed."""


class TooManyPieces(Exception):
    """A set of possible values falls into so many intervals that it is not worth while."""


def _few(values: Intervals) -> Intervals:
    if len(values) > _MOST_PIECES:
        raise TooManyPieces
    return values


class WeightAskedFor(Interruption):
    """Ends a stretch that depends on a weight which it does not know, as where noise is released."""


@dataclass(frozen=True, eq=False)
class UnknownWeight(NoiseLaw):
    """The weight of a state as a function of the noise in one place of it, which a stretch does not know.

    A noise of this law stands for it that is tied to that noise and to no other one: see `with_weights`.
    """

    place: int
    is_of_whole: bool

    @property
    def discrete(self) -> bool:
        return self.is_of_whole

    def _refused(self, *_: Any) -> NoReturn:
        raise WeightAskedFor

    density = property(_refused)
    mass = quantile = mirror_image = scaled = _refused  # type: ignore[assignment]  # whatever the arguments are


@dataclass(frozen=True, eq=False)
class PathCondition:
    """coefficient·parent + Σ coefficient·child ∈ values."""

    serial: int
    coefficient: Exact
    values: Intervals
    children: tuple[tuple[Exact, NoiseTree], ...]

    @cached_property
    def place(self) -> int | None:
        """The place of the noise where it stands for the weight of a state as a function of that; else None."""
        law = self.children[0][1].summands[0][0]
        return law.place if isinstance(law, UnknownWeight) else None

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The places of all noises the weight of which is not known, in it and in what hangs from it."""
        own = () if self.place is None else (self.place,)
        return own + tuple(place for _, child in self.children for place in child.places)

    @cached_property
    def density_of_children(self) -> Piecewise:
        """The density of Σ coefficient·child."""
        first, *others = (multiple(child.density, coefficient) for coefficient, child in self.children)
        for other in others:
            first = convolution(first, other)
        return first

    @cached_property
    def density_of_itself(self) -> Piecewise:
        """The density of Σ coefficient·child where it is one of the values."""
        density = self.density_of_children
        return density if self.values == EVERYTHING else density.within(self.values)

    @cached_property
    def possible(self) -> Intervals:
        """The parent's values for which some values of the children make the fact true, and all that hangs from them.

        As those of a tree, they are whole numbers, or make up an open set but for the ends of intervals.
        """
        left = self.values
        for coefficient, child in self.children:
            left = _few(sums(left, multiplied(child.possible, negative(coefficient))))
        return multiplied(left, reciprocal_of_nonzero(self.coefficient))

    @cached_property
    def function(self) -> Piecewise:
        """The parent's value ↦ the mass of the children for which the fact is true."""
        density = self.density_of_children
        below = density.cumulative
        slope = negative(self.coefficient)
        parts = [_between(density, below, interval, slope) for interval in self.values]
        return reduce(Piecewise.plus, parts)


@dataclass(frozen=True, eq=False)
class NoiseTree:
    """Noises that count as one, the values that it is known to take, and the facts that hang from it."""

    serial: int
    summands: Summands
    values: Intervals
    facts: tuple[PathCondition, ...]

    @cached_property
    def possible(self) -> Intervals:
        """The values with positive density, or probability; apart from ends of intervals."""
        if self.facts:
            rest = shared_noise(self.summands, self.values, self.facts[:-1]).possible
            return _few(intersection(rest, self.facts[-1].possible))
        result, *others = (multiplied(law.support, coefficient) for law, coefficient in self.summands)
        for other in others:
            result = sums(result, other)
        return _few(intersection(result, self.values))

    @cached_property
    def places(self) -> tuple[int, ...]:
        """See `PathCondition`."""
        return tuple(place for fact in self.facts for place in fact.places)

    @cached_property
    def mass(self) -> Exact:
        """The probability of all that is known of it and of what hangs from it."""
        if len(self.facts) > 1:
            base = shared_noise(self.summands, self.values, ())
            known = mass_of_product([base.density, *(fact.function for fact in self.facts)])
            if known is not None:
                return known
        return self.density.mass

    @cached_property
    def density(self) -> Piecewise:
        """x ↦ its density or probability at x, times the probability of all that hangs from it."""
        if self.facts:  # the same with one fact less is often wanted as well
            return shared_noise(self.summands, self.values, self.facts[:-1]).density.times(self.facts[-1].function)
        if self.values != EVERYTHING:
            return shared_noise(self.summands, EVERYTHING, ()).density.within(self.values)
        *others, (law, coefficient) = self.summands
        own = multiple(law.density, coefficient)
        return convolution(shared_noise(tuple(others), EVERYTHING, ()).density, own) if others else own


_Shared = TypeVar("_Shared", PathCondition, NoiseTree)
_known: dict[Hashable, PathCondition | NoiseTree] = {}
_MOST_KNOWN: Final = 1 << 16
_serials = count()


def forget_eliminated() -> None:
    """Forget what has been eliminated: numbers come out as before, only later."""
    _known.clear()


def _shared(kind: Callable[..., _Shared], *parts: Hashable) -> _Shared:
    return made_once((kind, parts), lambda: kind(next(_serials), *parts))


def made_once(key: Hashable, made: Callable[[], _Shared]) -> _Shared:
    """Result of making what a key stands for, which is done once."""
    result = _known.get(key)
    if result is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        result = _known[key] = made()
    return result  # type: ignore[return-value]  # the key says of which kind it is


def shared_condition(
    coefficient: Exact, values: Intervals, children: Iterable[tuple[Exact, NoiseTree]]
) -> PathCondition:
    """The fact coefficient·parent + Σ coefficient·child ∈ values, one object for equal ones."""
    return _shared(
        PathCondition,
        coefficient,
        values,
        tuple(sorted(children, key=lambda child: (child[1].serial, child[0].serial))),
    )


def shared_noise(summands: Summands, values: Intervals, facts: Iterable[PathCondition]) -> NoiseTree:
    """The tree of a sum of noises, of which the values and what hangs from it are known; one object for equal ones."""
    return _shared(NoiseTree, summands, values, tuple(sorted(facts, key=lambda fact: fact.serial)))


def with_weights(tree: NoiseTree, weights: Mapping[int, NoiseTree]) -> NoiseTree:
    """The tree with all that hangs from the noise of each place where its weight was not known."""
    if not tree.places:
        return tree
    facts: list[PathCondition] = []
    for fact in tree.facts:
        if fact.place is not None:
            facts += weights[fact.place].facts
        elif fact.places:
            children = [(coefficient, with_weights(child, weights)) for coefficient, child in fact.children]
            facts.append(shared_condition(fact.coefficient, fact.values, children))
        else:
            facts.append(fact)
    return shared_noise(tree.summands, tree.values, facts)


def multiple(density: Piecewise, coefficient: Exact) -> Piecewise:
    """The density of coefficient·N."""
    if coefficient is ONE:
        return density
    inverse = reciprocal_of_nonzero(coefficient)
    moved = density.composed(inverse, 0)
    return moved if density.discrete else moved.scaled(abs(inverse))


def _between(density: Piecewise, below: Piecewise, interval: Interval, slope: Exact) -> Piecewise:
    """y ↦ the mass at low + slope·y ≤ x < high + slope·y."""
    low, high = interval
    if high is None:
        upper = Piecewise(density.discrete, (), (constant_function(density.mass),))
    else:
        upper = below.composed(slope, high)
    return upper if low is None else upper.plus(below.composed(slope, low).scaled(negative(ONE)))
