"""Keys of what a function sees, and of what a sub-mechanism reaches, by value: code, and the content around it.

Two functions with equal keys do the same with what they are given. A function that sees a row has another key on
another database; one that sees what has no content which could be compared is refused. Names of its module are not
looked at: what lies outside a run is the same on all databases. A sub-mechanism is looked at before and after each of
its runs: what was created by the run around it, such as a list, it may read, and not change.
"""

from __future__ import annotations

from abc import ABC
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Final, Generic, NamedTuple

import numpy as np

from dpverify.mechanisms.comparing.call import Drawing
from dpverify.mechanisms.functions.fixed_values import Changeable, Same, fixed, is_frozen
from dpverify.mechanisms.functions.lookalikes import state
from dpverify.mechanisms.functions.mechanism import MadeOf, name_of
from dpverify.mechanisms.functions.outcomes import holds_a_symbol, is_plain
from dpverify.mechanisms.functions.parts import IndependentPart
from dpverify.mechanisms.functions.places import place_of_definition
from dpverify.mechanisms.functions.post_processing import PostProcessed
from dpverify.mechanisms.functions.trusted import is_in_its_module, is_trusted, module_of
from dpverify.mechanisms.numbers.errors import InputError, SeesTooMuch, bad_mechanism
from dpverify.mechanisms.path_conditions.expressions import Noisy

_DRAWN: Final = (Noisy, PostProcessed, IndependentPart, Drawing)
_OF_C: Final = (WrapperDescriptorType, MethodDescriptorType)
_OWN, _OF_ARRAYS = "dpverify.", "dpverify.mechanisms.language.array"
_SHOWN_BY_TEXT: Final = (float, complex, Decimal, datetime, date, time, timedelta)
_MEMORY: Final = type(lru_cache(lambda: None))
_PLAIN: Final = frozenset({type(None), bool, int, str, bytes, Fraction})
_SCALARS: Final[tuple[Any, ...]] = (int, str, bytes, float, Fraction)
_CONTAINERS: Final = (list, tuple, set, frozenset, deque, bytearray)
_OF_NUMPY: Final = (np.ufunc, np.generic, np.dtype)


class Seen(NamedTuple):
    """A function's name, and what it sees: by the name under which it is seen, a key of what stands there."""

    function: str
    contents: tuple[tuple[str, Hashable], ...]


def seen_by_value(function: Callable[..., Any]) -> Seen:
    """All that a function sees, as it is now. Raises `SeesTooMuch`, naming it, for what cannot be compared by value."""
    name = getattr(function, "__name__", type(function).__name__)
    contents = tuple(_Looking(name).contents(name, function))
    for part, content in contents:
        if holds_a_symbol(content):
            raise SeesTooMuch(bad_mechanism.SEES, name, f"sees {part or 'a number'}, which differs between databases")
    return Seen(name, contents)


class Reached:
    """All that a sub-mechanism reaches with what it is given, as it was when this was made.

    Of compiled code, which stores nothing on classes and functions, it is what calls are remembered by, where they are:
    to look at all of it took more than half of the time of learners of several concepts. `frames` are those of
    generators, of which each variable from around them is reached, and may be bound anew. Raises `InputError` for what
    has no content that can be compared, such as an iterator.
    """

    def __init__(
        self,
        mechanism: Callable[..., Any],
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
        frames: Sequence[FrameType] = (),
        *,
        is_compiled: bool = False,
    ) -> None:
        self._call, self._frames = (mechanism, args, parameters), frames
        self._is_compiled = is_compiled
        self._before = self._contents() if frames or _may_change(mechanism, args, parameters) else None

    def _contents(self) -> tuple[tuple[str, Hashable], ...]:
        mechanism, args, parameters = self._call
        code = getattr(mechanism, "__code__", None)
        names = () if code is None or not args else code.co_varnames[: code.co_argcount][-len(args) :]
        of_args = zip(names if len(names) == len(args) else ["an argument"] * len(args), args, strict=True)
        parts = [(name_of(mechanism), mechanism), *of_args, *parameters.items()]
        for frame in self._frames:
            held = frame.f_locals
            parts += [(name, held.get(name, _Unbound)) for name in frame.f_code.co_freevars]
        if self._is_compiled:
            with suppress(Changeable, RecursionError):
                met: dict[int, int] = {}
                return tuple([(name, fixed(value, met)) for name, value in [*_held_by(mechanism), *parts[1:]]])
        looking = _LookingAtPart(name_of(mechanism))
        return tuple([each for name, value in parts for each in looking.contents(name, value)])

    @property
    def sees_the_same(self) -> bool:
        """True where all of it is what it was."""
        return self._before is None or self._contents() == self._before

    def refuse_changes(self) -> None:
        """Raises `InputError`, with the name, where something is not what it was."""
        if self._before is None:
            return
        after = self._contents()
        if after != self._before:
            changed = [one[0] for one, other in zip(self._before, after, strict=False) if one != other]
            error = InputError(bad_mechanism.CHANGES, changed[0] if changed else name_of(self._call[0]), _OF_A_PART)
            error.place = place_of_definition(self._call[0])
            raise error


class Unchanged:
    """Values that code names from outside, which have to be the same after each run; memories are emptied."""

    def __init__(self, named: Iterable[tuple[str, Any]]) -> None:
        self._named = [*named]
        self._before = self._contents()

    def _contents(self) -> list[tuple[str, Hashable]]:
        looking = _LookingAtPart("")
        return [each for name, value in self._named for each in looking.contents(name, value)]

    def refuse_changes(self) -> None:
        """Raises `InputError`, with the name, where something outside is not what it was."""
        after = self._contents()
        if after != self._before:
            changed = [one[0] for one, other in zip(self._before, after, strict=False) if one != other]
            raise InputError(bad_mechanism.CHANGES, (changed or ["something"])[0], _OF_A_WHOLE)


_OF_A_WHOLE: Final = "a mechanism keeps nothing from one run to the next: make what it changes within it"


def reached_by_generator(generator: GeneratorType[Any, Any, Any]) -> Reached:
    """All that a generator reaches that has not begun. Raises as `Reached` does."""
    frames: list[FrameType] = []
    source: Any = generator
    while isinstance(source, GeneratorType) and source.gi_frame is not None:
        frames.append(source.gi_frame)
        source = source.gi_frame.f_locals.get(".0")  # the iterator that a generator expression was given
    return Reached(_nothing, (), {}, frames)


def _held_by(mechanism: Any) -> list[tuple[str, Any]]:
    """By name what compiled code may bind anew of what a function holds, and the rest of it that is not code."""
    if type(mechanism) is not FunctionType:
        return [(name_of(mechanism), mechanism)]
    rest = mechanism.__defaults__, mechanism.__kwdefaults__, vars(mechanism) or None
    cells = map(_content, mechanism.__closure__ or ())
    return [*zip(mechanism.__code__.co_freevars, cells, strict=True), (name_of(mechanism), rest)]


def _nothing() -> None:
    """In the place of a function."""


_OF_A_PART: Final = (
    "nothing passes out of a sub-mechanism, or of a part of draw.each, but by return: let it return what it has found, "
    "or make what it changes within it"
)


def _may_change(mechanism: Any, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> bool:
    """True unless a function sees nothing around it, and is given plain values."""
    if type(mechanism) is not FunctionType or mechanism.__closure__ or mechanism.__kwdefaults__ or vars(mechanism):
        return True
    return not (is_plain(args) and is_plain(mechanism.__defaults__ or ()) and is_plain(tuple(parameters.values())))


class _Looking:
    """Looks at what one function sees; what is seen twice has a number."""

    def __init__(self, function: str) -> None:
        self._function = function
        self._met: dict[int, int] = {}

    def contents(self, name: str, value: Any) -> Iterator[tuple[str, Hashable]]:
        """All that is seen under a name, each variable of a function under its own."""
        if isinstance(value, MethodType):
            yield from self.contents(name, value.__func__)
            yield name, self.key(name, value.__self__)
        elif isinstance(value, partial):
            yield from self.contents(name, value.func)
            yield from ((f"argument {i} of {name}", self.key(name, each)) for i, each in enumerate(value.args, 1))
            yield from ((f"{key}= of {name}", self.key(key, each)) for key, each in value.keywords.items())
            yield from ((f"{name}.{key}", self.key(key, each)) for key, each in vars(value).items())
        elif type(value) is FunctionType and id(value) not in self._met:
            self._met[id(value)] = len(self._met)
            yield f"{value.__name__}{_CODE}", _key_of_code(value.__code__)
            code, defaults = value.__code__, value.__defaults__ or ()
            names = [*code.co_varnames[max(0, code.co_argcount - len(defaults)) : code.co_argcount]]
            names += [f"default {i}" for i in range(len(defaults) - len(names))]
            for variable, cell in zip(code.co_freevars, value.__closure__ or (), strict=True):
                yield variable, self._met.setdefault(id(cell), len(self._met))  # what one binds anew another one sees
                yield from self.contents(variable, _content(cell))
            yield from self._each((f"{value.__name__}.{each}" for each in names), defaults)
            for held in (value.__kwdefaults__ or {}, vars(value)):
                yield from self._each((f"{value.__name__}.{each}" for each in held), held.values())
        else:
            for each in value.functions if isinstance(value, MadeOf) else ():
                yield from self.contents(name_of(each), each)
            yield name, self.key(name, value)

    def _each(self, names: Any, values: Any) -> Iterator[tuple[str, Hashable]]:
        for name, value in zip(names, values, strict=True):
            yield from self.contents(name, value)

    def key(self, seen: str, value: Any) -> Hashable:  # noqa: PLR0912  # a case a kind
        """The common key of two values that cannot be told apart. Raises `SeesTooMuch` where that is not known."""
        kind = type(value)
        if kind in _PLAIN:  # most often
            return fixed(value)
        if isinstance(value, _DRAWN):
            return self._drawn(seen, value)
        if kind in _SHOWN_BY_TEXT:
            if value != value:  # noqa: PLR0124  # nan
                raise self._refused(seen, value, "not equal to itself")
            return kind.__name__, repr(value)
        if isinstance(value, FunctionType | MethodType | partial):
            number = self._met.get(id(value))
            return ("met", number) if number is not None else tuple(self.contents(seen, value))
        if kind is ModuleType:
            return "module", value.__name__
        if kind is BuiltinFunctionType:
            bound = value.__self__
            is_plain = bound is None or isinstance(bound, ModuleType | type)
            return "builtin", getattr(bound, "__name__", "") if is_plain else self.key(seen, bound), value.__name__
        if isinstance(value, _OF_NUMPY):
            return Same(value)
        if kind in _OF_C:
            return "of C", value.__objclass__.__qualname__, value.__name__
        if isinstance(value, type):
            return self._class(seen, value)
        if kind is np.ndarray and not value.dtype.hasobject:
            return kind, value.dtype.str, value.shape, value.tobytes()
        if not (is_frozen(kind) or issubclass(kind, (*_CONTAINERS, dict))):
            try:
                return fixed(value)  # of an unknown number what it depends on
            except (Changeable, RecursionError):
                if _is_own(value):
                    return Same(value)  # which nobody changes
        return self._content_of_object(seen, value)

    def _content_of_object(self, seen: str, value: Any) -> Hashable:
        kind: Any = type(value)
        number = self._met.get(id(value))
        if number is not None:
            return "met", number
        if not issubclass(kind, tuple):
            self._met[id(value)] = len(self._met)
        held: tuple[Any, ...] = ()
        if issubclass(kind, dict | MappingProxyType):
            held = (*value, *value.values())
        elif issubclass(kind, _CONTAINERS):
            held = tuple(value)  # of a set in the order in which it is gone through
        elif base := next((each for each in _SCALARS if isinstance(value, each)), None):
            held = (base.__repr__(value),)
        elif not all(map(_holds_all_by_name, kind.__mro__)):
            raise self._refused(seen, value, "whose content cannot be compared")
        attributes = tuple((key, self.key(seen, part)) for key, part in state(value))
        return self.key(seen, kind), tuple(self.key(seen, part) for part in held), attributes

    def _class(self, seen: str, kind: type) -> Hashable:
        return ("class", kind.__module__, kind.__qualname__) if is_in_its_module(kind) else Same(kind)

    def _drawn(self, seen: str, value: Any) -> Hashable:
        raise self._refused(seen, value, "which is not known yet: hand it to draw.release")

    def _refused(self, seen: str, value: Any, why: str) -> InputError:
        what = f"{seen}, " if seen and seen != self._function else ""
        return SeesTooMuch(bad_mechanism.SEES, self._function, f"sees {what}a {type(value).__name__}, {why}")


def _is_own(value: Any) -> bool:
    """True of an object of this library, and of a memory of a function of it; arrays are what they hold."""
    module = type(value).__module__
    if type(value) is _MEMORY:
        module = value.__module__
    return module.startswith(_OWN) and module != _OF_ARRAYS


def _holds_all_by_name(base: type) -> bool:
    """True of a class whose objects hold what they hold in attributes: one of somebody's own, or of this library."""
    name = module_of(base)
    return base in (object, ABC, Generic) or name.startswith((_OWN, "collections.abc")) or not is_trusted(name)


class _LookingAtPart(_Looking):
    def _class(self, seen: str, kind: type) -> Hashable:
        """The class of an object, and what of it can be stored to."""
        if is_trusted(module_of(kind)) or id(kind) in self._met:
            return Same(kind)
        self._met[id(kind)] = len(self._met)
        held = [(name, part) for name, part in vars(kind).items() if not name.startswith("__")]
        compared = (*_CONTAINERS, dict)
        parts = [(name, self.key(seen, part) if isinstance(part, compared) else Same(part)) for name, part in held]
        return Same(kind), tuple(parts)

    def _drawn(self, seen: str, value: Any) -> Hashable:
        return Same(value)

    def key(self, seen: str, value: Any) -> Hashable:
        """See `_Looking`; a memory is emptied."""
        if type(value) is not _MEMORY or _is_own(value):
            return super().key(seen, value)
        value.cache_clear()
        return self.key(seen, value.__wrapped__)

    def _refused(self, seen: str, value: Any, why: str) -> InputError:
        what = f"{seen}, a {type(value).__name__}, {why}"
        return InputError(bad_mechanism.REACHES, what, "hand over a tuple of what it needs")


class _Unbound:
    """In the place of a variable that is not assigned yet."""


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _Unbound


def _key_of_code(code: CodeType) -> Hashable:
    """The key that equal code has in common in every process that runs the same files."""
    constants = tuple(
        _key_of_code(part) if isinstance(part, CodeType) else _key_of_constant(part) for part in code.co_consts
    )
    return (
        *(code.co_filename, code.co_qualname, code.co_code, constants, code.co_names, code.co_varnames),
        *(code.co_freevars, code.co_cellvars, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount),
        *(code.co_flags, code.co_exceptiontable),
    )


def _key_of_constant(constant: Any) -> Hashable:
    kind = type(constant)
    if kind in (tuple, frozenset):
        return kind.__name__, tuple(map(_key_of_constant, constant))
    return kind.__name__, repr(constant) if kind in (float, complex) or constant is Ellipsis else constant


def difference_of(one: Seen, other: Seen) -> str:
    """The difference in what two functions of one name see that are not alike, for people."""
    mine, theirs = _by_name(one), _by_name(other)
    names = {name for name in {**mine, **theirs} if mine.get(name) != theirs.get(name)}
    if f"{one.function}{_CODE}" in names:
        return f"{one.function} is another function on other databases"
    seen = sorted({_BOUND if name == one.function else name.removesuffix(_CODE) for name in names}) or [_BOUND]
    return f"{one.function} sees {', '.join(seen)}"


_BOUND: Final = "the object that it is bound to"
_CODE: Final = ".__code__"


def _by_name(seen: Seen) -> dict[str, list[Hashable]]:
    results: dict[str, list[Hashable]] = {}
    for name, key in seen.contents:
        results.setdefault(name, []).append(key)
    return results
