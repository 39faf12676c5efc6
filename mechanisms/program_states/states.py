"""The canonical form of states: two values have one number only if no code can tell them apart, now or later.

What cannot change is numbered by exact type and canonical bits, and given back as the object that was met first. What
can change is numbered by what it holds, in order and with its type, and which of it is one object; it is made again
for each stretch that begins with it, so that nothing that another one has changed is left in it.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Final, Protocol, TypeAlias

from dpverify.mechanisms.comparing.comparisons import Knowledge, LiveNoise
from dpverify.mechanisms.functions.fixed_values import is_compared_by_fields, is_frozen
from dpverify.mechanisms.functions.lookalikes import state
from dpverify.mechanisms.functions.parts import IndependentPart
from dpverify.mechanisms.functions.watched_rows import WatchedRows, in_no_order
from dpverify.mechanisms.language.sets import OrderedFrozenSet, OrderedSet
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, Sum, Term, product
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.numbers.plain_numbers import Real
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.path_conditions.noise_tree import NoiseTree
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue, Observer
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable


class NoCanonicalForm(Exception):
    """A value that is not merged with others, such as noises that are tied to each other, or an iterator."""


@dataclass(frozen=True)
class Left:
    """The items that a loop has left, by the number of what they are.

    And the lists that it goes through which others hold, with the numbers of the items that they are to have.
    """

    number: int
    held: tuple[tuple[list[Any], tuple[int, ...]], ...] = ()


NONE_LEFT: Final = 0
"""The number of no items."""

REST: Final = 1
"""The number of items of which nothing is known: what a round of a loop has left that leads to all others."""

_SCALARS: Final = frozenset({type(None), bool, int, WholeNumber, str, bytes})
_NUMBERS: Final = frozenset({Fraction, Real})
_ITSELF: Final = (type, ModuleType, BuiltinFunctionType, Enum, NoiseLaw, Distribution)
"""Types of objects that nothing changes, and that are told apart by identity."""
_OF_NONE: Final = (type(None), type, ModuleType)
"""Types of what built-in functions belong to that read and change nothing of their own, as methods of a list do."""
_SEQUENCES: Final = frozenset({list, deque, OrderedSet})
_MAPPINGS: Final = frozenset({dict, OrderedDict, Counter, defaultdict})
_FIXED: Final = frozenset({tuple, range, str, bytes, int, OrderedFrozenSet})
_SOME: Final[tuple[Iterable[Any], ...]] = (), [], "", b"", range(0)
_ITERATORS: Final = frozenset({enumerate, zip, reversed, type(reversed([])), *(type(iter(each)) for each in _SOME)})
_VIEWS: Final = frozenset({type({}.keys()), type({}.values()), type({}.items())})
_IN_A_ROW: Final = (list, deque, tuple)
_PART: Final = "part"
_AGAIN: Final = "again"
_HELD: Final = "left of what is held"
_HOLDING: Final = frozenset({tuple, _HELD, *_SEQUENCES, *_MAPPINGS})
"""Kinds of values that have the numbers of others at the end of their keys."""
_MET: Final = 3
"""The length of the keys of those that can be held again."""
_ALONE: Final = (NoiseValue, _PART)
"""Values that can change, and hold nothing that can."""
_MOST_ITEMS: Final = 1 << 20


KnownOfNoise: TypeAlias = LiveNoise | NoiseTree
"""A live noise, or its tree, of which no stretch knows more than the values that the noise may take."""


class NoisyRun(Observer, Protocol):
    """A run, as far as it knows its noise."""

    knowledge: Knowledge

    def live_noise(self, variable: NoiseVariable) -> LiveNoise | None:
        """See `Answering`."""

    def noise_again(self, noise: LiveNoise) -> NoiseVariable:
        """See `MechanismRun`."""

    def content_of(self, part: IndependentPart) -> object:
        """See `MechanismRun`."""

    def part_again(self, content: Any) -> IndependentPart:
        """See `MechanismRun`."""


class States:
    """Values by number; `outside` says of an object that it was there before the run, and is not changed."""

    def __init__(self, outside: Any) -> None:
        self._outside = outside
        self._numbers: dict[Hashable, int] = {}
        self._keys: list[Any] = []
        self._values: list[Any] = []
        self._changing: set[int] = set()
        self._again = set[int]()
        """The numbers of what holds an object that is held elsewhere, too."""
        self._empty: dict[int, int | None] = {}
        """See `without_items`."""
        self._held: dict[int, dict[int, KnownOfNoise]] = {}
        """By the numbers of what holds noises what is known of these, by the order in which they were met."""
        self.opens_weights = True
        """False where a stretch is to know the trees of all noises that it begins with."""
        self._of_objects: dict[int, int] = {}
        """Identity → number of what cannot change, and is kept with its number."""
        self._kept: list[Any] = []
        self._met: dict[int, int] = {}
        self._elsewhere: dict[int, int] = {}
        """By the order in which they were met the numbers of what is held again, of the values that are made."""
        self._noises: dict[NoiseVariable, tuple[int, KnownOfNoise, LiveNoise]] = {}
        self._tied: set[NoiseVariable] = set()
        self._parts: set[int] = set()
        """The identities of the independent parts that were met."""
        self._run: NoisyRun | None = None
        self._next: dict[int, tuple[int, ...]] = {NONE_LEFT: ()}
        """By the number of what is left the numbers of the first item, and of the rest."""
        self.counts: dict[int, tuple[tuple[int, int], ...]] = {}
        """By the number of what is left in no order the numbers of its items, with how often each one is there."""
        self.takes_rows = False
        """True where rows that are watched are what is left."""
        self._numbered("no items left", Left(NONE_LEFT))
        self._numbered("items left", Left(REST))

    def numbers(
        self, values: Sequence[Any], run: NoisyRun | None = None, left: int | None = None, *, has_order: bool = True
    ) -> tuple[int, ...]:
        """The numbers of the values of one state that a run has led to, which forgets its noise.

        What is known of them, and of dead noises that are tied to one of them, is part of the state. `left` is the
        place of what a loop goes through, in its order if that has one. Raises `NoCanonicalForm`, as where two live
        noises are tied to each other, and for rows of which no order may be read.
        """
        self._met, self._noises, self._tied, self._parts, self._run = {}, {}, set(), set(), run
        gone_through = values[left] if left is not None and type(values[left]) is list else ()
        for value in (*values, *gone_through):  # before those in lists, whose items may not all be noise
            if type(value) is NoiseValue:
                self._noise(value)
        found = [*map(self._number, (None if i == left else value for i, value in enumerate(values)))]
        if left is not None:  # at last: what else holds what it goes through is known then
            found[left] = self._left(values[left], has_order=has_order)
        if run is not None:
            for *_, noise in self._noises.values():
                run.knowledge.forget_all(noise.conditions)
        return tuple(found)

    def can_change(self, numbers: Iterable[int]) -> bool:
        """True where some of the values can."""
        return not self._changing.isdisjoint(numbers)

    def changing(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """The numbers of the values that can, each in its place, and 0 for others; () where none can."""
        return tuple([each * (each in self._changing) for each in numbers]) if self.can_change(numbers) else ()

    def weights(self, numbers: Iterable[int]) -> dict[int, NoiseTree]:
        """The trees, by their places, of the noises that a state holds and whose weights no stretch knows."""
        if not self._held:  # most often
            return {}
        held = [self._held[number] for number in numbers if number in self._held]
        return {met: known for each in held for met, known in each.items() if isinstance(known, NoiseTree)}

    def with_trees(self, numbers: Iterable[int], put: Callable[[int, NoiseTree], KnownOfNoise]) -> tuple[int, ...]:
        """The numbers of a state in which put(place, tree) is in the place of each tree."""
        return tuple([self._with_trees(each, put) if each in self._held else each for each in numbers])

    def _with_trees(self, number: int, put: Callable[[int, NoiseTree], KnownOfNoise]) -> int:
        key = self._keys[number]
        if key[0] is NoiseValue:
            parts = [(met, put(met, of) if isinstance(of, NoiseTree) else of, c) for met, of, c in key[1]]
            return self._of_noises(tuple(parts), key[2])
        if key[0] == "left":
            return self._rest(self.with_trees(self._items_left(number), put))
        if key[0] == _HELD:
            (rest,) = self.with_trees((key[1],), put)
            return self._of_held(rest, key[2], self.with_trees(key[3], put))
        inner = self.with_trees(key[-1], put)
        return self._numbered((*key[:-1], inner), None, inner, changes=True)

    def mass_of_dead(self, numbers: Sequence[int], live: Sequence[int]) -> Exact:
        """The probability of all that is known of the noises that a state holds, and a later one does not."""
        held = self._held
        if not held or all(number in live for number in numbers if number in held):
            return ONE
        alive = {met for number in live for met in held.get(number, ())}
        dead = {each: noise for number in numbers for each, noise in held.get(number, {}).items() if each not in alive}
        return product([noise.mass for noise in dead.values()])

    def values(self, numbers: Sequence[int], run: NoisyRun) -> tuple[Any, ...]:
        """The values of one state for a run, of which noise and what can change are new."""
        made: dict[int, Any] = {}
        self._run, self._elsewhere = run, self._definitions(numbers) if self.has_again(numbers) else {}
        return tuple([self._made(each, made) for each in numbers])

    def value(self, number: int) -> Any:
        """The value of a number that cannot change."""
        return self._values[number]

    def part(self, content: object) -> int:
        """The number of an independent part."""
        return self._numbered((_PART, id(content)), content, changes=True)

    def has_again(self, numbers: Iterable[int]) -> bool:
        """True where one object is held in two places."""
        return not self._again.isdisjoint(numbers)

    def following(self, left: int) -> tuple[int, ...] | None:
        """The numbers of the first item of what is left, and of the rest; () of nothing, None where it has no order."""
        key = self._keys[left]
        if key[0] != _HELD:
            return self._next.get(left)
        first, *rest = self._next[key[1]] or (NONE_LEFT,)
        return (first, self._of_held(rest[0], *key[2:])) if rest else ()

    def returned(self, result: int, kept: int) -> tuple[int, tuple[int, ...]]:
        """The point behind a call and the numbers there, by those of its result and of what was kept for it."""
        point, *numbers = self._keys[kept][-1]
        return self._values[point], (result, *numbers)

    def whole(self, numbers: tuple[int, ...], of: tuple[int, ...]) -> tuple[int, ...]:
        """The numbers of a part of a state, in which nothing is held again that only the rest holds."""
        if not self.has_again(numbers):
            return numbers
        new, defined = dict[int, int](), self._definitions(of)
        return tuple([self._renumbered(each, defined, new) for each in numbers])

    def _definitions(self, numbers: Iterable[int]) -> dict[int, int]:
        """The numbers of what may be held again, by the order in which it was met."""
        found, waiting = dict[int, int](), [*numbers]
        for number in waiting:
            key = self._keys[number]
            if number in self._changing and key[0] in _HOLDING:
                waiting += key[-1]
                if len(key) == _MET:
                    found[key[1]] = number
        return found

    def _renumbered(self, number: int, defined: Mapping[int, int], new: dict[int, int]) -> int:
        key = self._keys[number]
        if number not in self._changing or key[0] not in (_AGAIN, *_HOLDING):
            return number
        if key[0] == _AGAIN or len(key) == _MET:
            if key[1] in new:
                return self._held_again(new[key[1]])
            key = self._keys[defined[key[1]]]
            new[key[1]] = len(new)
            key = (key[0], new[key[1]], key[2])
        parts = tuple([self._renumbered(each, defined, new) for each in key[-1]])
        return self._numbered((*key[:-1], parts), None, parts, changes=True)

    def without_items(self, number: int) -> int | None:
        """The number of the empty list for one whose items hold nothing that can change; None of all else."""
        if number not in self._empty:
            key = self._keys[number]
            is_list = key[0] is list and all(self._keys[each][0] == _PART for each in key[2] if each in self._changing)
            self._empty[number] = self._numbered((list, key[1], key[2][:1]), None, changes=True) if is_list else None
        return self._empty[number]

    def appended(self, before: int, number: int) -> int:
        """The number of a list with the items of one before in front of its own."""
        _, met, items = self._keys[number]
        parts = (*self._keys[before][2], *items[1:])
        return self._numbered((list, met, parts), None, parts, changes=True)

    def item_that_differs(self, states: Sequence[tuple[int, ...]]) -> tuple[list[int], list[int]] | None:
        """The way to the one item of lists and tuples in which states differ, and its numbers; None for other states.

        The item can be told from all else: nothing else holds it, or a noise in it.
        """
        way, beside, shape = list[int](), set[int](), None
        while True:
            columns = [*zip(*states, strict=True)]
            places = [i for i, column in enumerate(columns) if len({*column}) > 1]
            if len(places) != 1:
                break
            way.append(places[0])
            beside.update(column[0] for i, column in enumerate(columns) if i not in places)
            found = columns[places[0]]
            keys = [self._keys[number] for number in found]
            shape = keys[0][:-1]
            if shape[0] not in _IN_A_ROW or any(key[:-1] != shape or len(key[-1]) != len(keys[0][-1]) for key in keys):
                break
            states = [key[-1] for key in keys]
        held = {met for number in beside for met in self._held.get(number, ())}
        changing = [number for number in (found if way else ()) if number in self._changing]
        is_alone = all(self._keys[each][0] is NoiseValue and held.isdisjoint(self._held[each]) for each in changing)
        return (way, [*found]) if len(way) > 1 and is_alone else None

    def with_item(self, numbers: tuple[int, ...], way: Sequence[int], item: int) -> tuple[int, ...]:
        """The numbers of a state with another item at the end of a way."""
        place, *further = way
        if further:
            key = self._keys[numbers[place]]
            parts = self.with_item(key[-1], further, item)
            item = self._numbered((*key[:-1], parts), None, parts, changes=True)
        return (*numbers[:place], item, *numbers[place + 1 :])

    def _left(self, items: Any, *, has_order: bool) -> int:
        """The number of the items that a loop goes through, none of which can be changed until it ends."""
        if isinstance(items, Left):
            return self._further(items)
        is_watched = type(items) is WatchedRows
        held = [] if is_watched else self._met_in(items)
        if is_watched:
            if has_order:
                raise NoCanonicalForm
            items, self.takes_rows = in_no_order(items), True
        elif type(items) is range and len(items) > _MOST_ITEMS:
            raise NoCanonicalForm
        numbers = [*map(self._number, tuple(items))]
        is_fixed = not self.can_change(numbers)
        parts = [tuple(map(self._number, each)) for each in held]
        if not all(type(each) is list for each in held) or any(map(self.can_change, parts)):
            raise NoCanonicalForm
        if not all(self._keys[each][0] in _ALONE for each in numbers if each in self._changing):
            raise NoCanonicalForm
        is_counted = not has_order and 2 * len(set(numbers)) <= len(numbers)
        if is_fixed and numbers and not held and (is_watched or is_counted):
            counts = tuple(sorted(Counter(numbers).items()))
            number = self._numbered(("in no order", counts), Left(len(self._keys)))
            self.counts[number] = counts
            return number
        rest = self._rest(numbers)
        return self._further(Left(rest, tuple(zip(held, parts, strict=True)))) if numbers else rest

    def _rest(self, numbers: Sequence[int]) -> int:
        rest = NONE_LEFT
        for number in reversed(numbers):
            changes, both = self.can_change((number, rest)), (number, rest)
            rest = self._numbered(("left", *both), Left(len(self._keys)), both, changes=changes)
            self._next[rest] = self._keys[rest][1:]
        return rest

    def _further(self, left: Left) -> int:
        """The number of what a loop has left. Lists that others hold are as they were: else that is not known."""
        if any(tuple(map(self._number, each)) != parts for each, parts in left.held):
            raise NoCanonicalForm
        parts = tuple([parts for _, parts in left.held])
        return self._of_held(left.number, parts, tuple([self._number(each) for each, _ in left.held]))

    def _of_held(self, rest: int, parts: tuple[tuple[int, ...], ...], lists: tuple[int, ...]) -> int:
        return self._numbered((_HELD, rest, parts, lists), None, (rest, *lists), changes=True) if lists else rest

    def _items_left(self, number: int) -> list[int]:
        items = []
        while number != NONE_LEFT:
            first, number = self._next[number]
            items.append(first)
        return items

    def _met_in(self, items: Any) -> list[Any]:
        """The parts of what a loop goes through that something live holds, so that the code may change them."""
        kind = type(items)
        if kind in _ITERATORS:
            return [each for part in items.__reduce__()[1] for each in self._met_in(part)]
        if kind in _SEQUENCES or kind in _MAPPINGS:
            return [items] if id(items) in self._met else []
        if kind not in _FIXED and (self._met or kind not in _VIEWS):
            raise NoCanonicalForm
        return []

    def _numbered(self, key: Hashable, value: Any, parts: Iterable[int] = (), *, changes: bool = False) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._keys)
            self._keys.append(key)
            self._values.append(value)
            if changes:
                self._changing.add(number)
            if not self._again.isdisjoint(parts):
                self._again.add(number)
            held = {met: noise for part in parts if part in self._held for met, noise in self._held[part].items()}
            if held:
                self._held[number] = held
        return number

    def _number(self, value: Any) -> int:
        kind = type(value)
        if kind in _SCALARS:
            return self._numbered((kind, value), value)
        known = self._of_objects.get(id(value))
        if known is not None:
            return known
        if kind in _NUMBERS:
            return self._numbered((kind, value.numerator, value.denominator), value)
        if kind is Term or kind is Sum:
            return self._numbered((kind, value.serial), value)
        if kind is Left:
            return self._further(value)
        if kind is NoiseValue:
            return self._noise(value)
        if kind is range:
            return self._numbered((kind, value.start, value.stop, value.step), value)
        return self._part(value) if kind is IndependentPart else self._object(value, kind)

    def _part(self, value: IndependentPart) -> int:
        content = None if self._run is None or id(value) in self._parts else self._run.content_of(value)
        if content is None:  # as where it is in two places, of which one follows from the other
            raise NoCanonicalForm
        self._parts.add(id(value))
        return self.part(content)

    def _noise(self, value: NoiseValue) -> int:
        parts = tuple([(*self._live(variable), coefficient) for variable, coefficient in value.parts])
        return self._of_noises(parts, value.known.shift)

    def _of_noises(self, parts: tuple[tuple[int, KnownOfNoise, Exact], ...], shift: Exact) -> int:
        number = self._numbered((NoiseValue, parts, shift), None, changes=True)
        self._held[number] = {met: known for met, known, _ in parts}
        return number

    def _live(self, variable: NoiseVariable) -> tuple[int, KnownOfNoise]:
        found = self._noises.get(variable)
        if found is None:
            assert self._run is not None, "a run has led here"
            noise = self._run.live_noise(variable)
            if noise is None or not self._tied.isdisjoint(noise.tied):
                raise NoCanonicalForm
            self._tied.update(noise.tied)
            known = noise.tree if self.opens_weights and noise.has_open_weight else noise
            found = self._noises[variable] = len(self._noises), known, noise
        return found[:2]

    def _object(self, value: Any, kind: Any) -> int:
        if kind in _SEQUENCES or kind in _MAPPINGS:
            if self._outside(value):
                return self._itself(value)
            met = self._met.get(id(value))
            if met is not None:
                return self._held_again(met)
            met = self._met[id(value)] = len(self._met)
            more = value.maxlen if kind is deque else value.default_factory if kind is defaultdict else None
            parts = tuple(map(self._number, (more, *value)))
            if kind in _MAPPINGS:
                parts += tuple(map(self._number, value.values()))
            return self._numbered((kind, met, parts), None, parts, changes=True)
        if kind is WatchedRows:
            return self._itself(value)
        if isinstance(value, _ITSELF) and isinstance(getattr(value, "__self__", None), _OF_NONE):
            return self._itself(value)
        if kind is FunctionType and value.__closure__ is None:
            held = *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()
            if not self.can_change([*map(self._number, held)]):
                return self._itself(value)
        if (
            kind is tuple
            or kind is OrderedFrozenSet
            or (isinstance(value, tuple) and hasattr(kind, "_fields") and not hasattr(value, "__dict__"))
        ):
            parts = tuple(map(self._number, value))
        elif is_frozen(kind) and is_compared_by_fields(kind):
            parts = tuple(self._number(part) for pair in state(value) for part in pair)
        else:
            raise NoCanonicalForm
        changes = self.can_change(parts)
        if changes and kind is not tuple:
            raise NoCanonicalForm
        number = self._numbered((kind, parts), value, parts, changes=changes)
        return number if changes else self._keep(value, number)

    def _held_again(self, met: int) -> int:
        self._again.add(number := self._numbered((_AGAIN, met), None, changes=True))
        return number

    def _itself(self, value: Any) -> int:
        return self._keep(value, self._numbered(("itself", id(value)), value))

    def _keep(self, value: Any, number: int) -> int:
        self._of_objects[id(value)] = number
        self._kept.append(value)
        return number

    def _made(self, number: int, made: dict[int, Any]) -> Any:
        if number not in self._changing:
            return self._values[number]
        kind, *rest = self._keys[number]
        if kind == _AGAIN:
            return made[rest[0]] if rest[0] in made else self._made(self._elsewhere[rest[0]], made)
        if kind == _HELD:
            return Left(rest[0], tuple(zip([self._made(each, made) for each in rest[2]], rest[1], strict=True)))
        if kind == _PART:
            assert self._run is not None, "it is for a run"
            return self._run.part_again(self._values[number])
        if kind == "left":
            return [self._made(each, made) for each in self._items_left(number)]
        if kind is tuple:
            return tuple([self._made(part, made) for part in rest[0]])
        if kind is NoiseValue:
            parts = tuple([(self._noise_made(made, *part), coefficient) for *part, coefficient in rest[0]])
            assert self._run is not None, "it is for a run"
            return NoiseValue(self._run, parts, rest[1])
        return made[rest[0]] if rest[0] in made else self._made_of_parts(kind, rest[0], rest[1], made)

    def _made_of_parts(self, kind: Any, met: int, numbers: Sequence[int], made: dict[int, Any]) -> Any:
        first, *parts = numbers
        more = self._values[first]
        new: Any = deque(maxlen=more) if kind is deque else defaultdict(more) if kind is defaultdict else kind()
        made[met] = new
        if kind in _MAPPINGS:
            half = len(parts) // 2
            for key, part in zip(parts[:half], parts[half:], strict=True):
                new[self._made(key, made)] = self._made(part, made)
        else:
            for part in parts:
                (new.add if kind is OrderedSet else new.append)(self._made(part, made))
        return new

    def _noise_made(self, made: dict[int, Any], met: int, noise: LiveNoise) -> NoiseVariable:
        assert self._run is not None, "it is for a run"
        if -1 - met not in made:
            made[-1 - met] = self._run.noise_again(noise)
        found: NoiseVariable = made[-1 - met]
        return found
