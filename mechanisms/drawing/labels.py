"""Labels in outcomes: names that a symmetry permutes, and what a law becomes when it has permuted them."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from functools import cached_property
from types import NoneType
from typing import Any, Final, NoReturn

from dpverify.mechanisms.functions.lookalikes import same
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.parts import IndependentPart
from dpverify.mechanisms.numbers.containers import Kind
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue

_LEAVES: Final = (NoneType, bool, int, float, str, bytes, Fraction, Exact, Enum, Kind)
"""Types whose values hold no label, where they are none."""

_EQUAL_NO_NUMBER: Final = (object.__eq__, str.__eq__, bytes.__eq__)
"""Types of labels that no released number is, which compare by themselves or as texts; an IntEnum is a number."""


class Labels:
    """The names that a symmetry permutes, each of which stands for its place among them.

    A name in an outcome is a value that equals it, alone or at any depth of tuples and frozensets. Permutations act on
    outcomes so: that σ∘τ does what σ does after τ needs that no name lies within another one. Raises `InputError` where
    one does.

    Released noise is left as it is, and so may be returned beside names that no number is: it is not known whether it
    is one of the others.
    """

    def __init__(self, names: tuple[Hashable, ...]) -> None:
        self.names = names
        for name in names:
            for part in _parts(name):
                if any(True for _ in self._within(part)):
                    raise InputError(bad_mechanism.LABEL, f"{shown(name)}, which holds another label")

    @cached_property
    def places(self) -> Mapping[Hashable, int]:
        """Name → its place."""
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def _has_containers(self) -> bool:
        return any(map(_is_container, self.names))

    def places_in(self, outcome: Any) -> list[int]:
        """The places of the names in an outcome, each once, rising.

        Raises `InputError` for a value that equals a name and is not the same, such as True for 1, and for an object in
        which names would not be found.
        """
        if not self.names:
            return []
        if not is_plain(outcome):
            self._refuse_what_is_open(outcome)
        return sorted(set(self._found(outcome)))

    def _refuse_what_is_open(self, value: Any) -> None:
        if isinstance(value, IndependentPart):
            raise InputError(bad_mechanism.LABEL, "an independent part of draw.each, in which labels cannot be seen")
        if isinstance(value, NoiseValue) and any(type(name).__eq__ not in _EQUAL_NO_NUMBER for name in self.names):
            raise InputError(bad_mechanism.LABEL, "noise, which may come out as one of the labels")
        for part in _parts(value):
            self._refuse_what_is_open(part)

    def _found(self, value: Any) -> Iterator[int]:
        place = self._place(value)
        if place is not None:
            yield place
        elif _is_container(value):
            for part in value:
                yield from self._found(part)
        elif not isinstance(value, (*_LEAVES, NoiseValue)):
            raise InputError(bad_mechanism.LABEL, f"a {type(value).__name__}, in which labels are not looked for")

    def _within(self, value: Any) -> Iterator[Any]:
        if self._place(value) is not None:
            yield value
        for part in _parts(value):
            yield from self._within(part)

    def _place(self, value: Any) -> int | None:
        if isinstance(value, NoiseValue) or (_is_container(value) and not self._has_containers):
            return None  # noise may not even be looked up, nor what holds it
        try:
            place = self.places.get(value)
        except TypeError:  # what cannot be hashed is no name, and is refused as an outcome
            return None
        if place is not None and not same(self.names[place], value):
            _refuse_lookalike(value, self.names[place])
        return place

    def moved(self, outcome: Any, images: Mapping[int, int]) -> Any:
        """The outcome with the name at place i, wherever it stands, replaced by that at `images[i]`."""
        if not self.names:
            return outcome
        place = self._place(outcome)
        if place is not None:
            return self.names[images[place]]
        if not _is_container(outcome):
            return outcome
        parts = [self.moved(part, images) for part in outcome]
        return type(outcome)(*parts) if hasattr(outcome, "_make") else type(outcome)(parts)


def _refuse_lookalike(value: Any, name: Any) -> NoReturn:
    raise InputError(bad_mechanism.LABEL, f"{shown(value)}, which equals the label {shown(name)} and is not the same")


def _is_container(value: Any) -> bool:
    return type(value) in (tuple, frozenset) or (isinstance(value, tuple) and hasattr(value, "_make"))


def _parts(value: Any) -> tuple[Any, ...]:
    return tuple(value) if _is_container(value) else ()


def relabelled(law: Distribution[Any], moved: Callable[[Any], Any]) -> Distribution[Any]:
    """The law of what `moved`, which maps no two outcomes to one, makes of an outcome of `law`."""
    if isinstance(law, ReleasedDistribution):
        return ReleasedDistribution(
            {moved(outcome): p for outcome, p in law.finite.items()},
            {moved(template): releases for template, releases in law.released.items()},
        )
    return Distribution.of_blocks(
        (((moved(outcome),), p) for outcome, p in law.probabilities.items()), total_weight=ONE
    )
