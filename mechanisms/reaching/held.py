"""Objects that can be changed, held as they were: each kind knows what it holds, and whether that is the same.

Parts are compared by identity, and those that are another object by what they hold. All parts that can be changed
themselves are held beside it.
"""

from __future__ import annotations

import ctypes
import sys
from abc import ABC, ABCMeta, _get_dump, abstractmethod  # type: ignore[attr-defined]  # CPython's
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from gc import get_referents
from itertools import repeat
from operator import attrgetter, is_
from types import (
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final, NamedTuple

import numpy as np

from dpverify.mechanisms.functions.fixed_values import Changeable, fixed, is_frozen
from dpverify.mechanisms.functions.lookalikes import slot_names
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.trusted import is_trusted_function
from dpverify.mechanisms.outputs.distributions import Distribution


class Absent:
    """In the place of what is not there."""


class Holder(ABC):
    """An object that can be changed, as it was when it was looked at."""

    __slots__ = ("advice", "held", "name", "of")

    def __init__(self, name: str, of: Any) -> None:
        self.name = name
        """Its name in messages."""
        self.of = of
        self.advice = ""
        """Way out that a message names, where that is another one than of what is changed."""
        self.held = self.now()

    @abstractmethod
    def now(self) -> tuple[Any, ...]:
        """All that it holds now."""

    def changed(self) -> str | None:
        """The name of something in it that is another one than it was; None where all is the same."""
        now, held = self.now(), self.held
        if len(now) == len(held) and (all(map(is_, now, held)) or all(map(alike, now, held))):
            return None
        return self.difference(now)

    def difference(self, now: tuple[Any, ...]) -> str | None:
        """The name of what differs, as messages say it."""
        return self.name


class Items(Holder):
    """A list, a deque, or the objects of an array."""

    __slots__ = ()

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        return tuple(self.of)


class Members(Holder):
    """A dict."""

    __slots__ = ()

    def now(self) -> tuple[Any, ...]:
        """See `Holder`: the keys, what stands under them, and what a defaultdict puts there."""
        of = self.of
        if isinstance(of, OrderedDict):  # whose order is another one than that of the dict beneath it
            return *OrderedDict.keys(of), *OrderedDict.values(of), *dict.keys(of)
        if isinstance(of, defaultdict):
            return _FACTORY.__get__(of), *dict.keys(of), *dict.values(of)
        if isinstance(of, dict):  # whatever its own class says of it
            return *dict.keys(of), *dict.values(of)
        return *self.of, *self.of.values()


_FACTORY: Final[Any] = vars(defaultdict)["default_factory"]


class Unordered(Holder):
    """A set: what is in it, in the order in which it is gone through, and what it has room for."""

    __slots__ = ()

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        return *self.of, _places_in(self.of)


def _places_in(elements: Any) -> bytes:
    """The table of a set: a place that was emptied changes the order of what is put there later, and shows nowhere."""
    if sys.implementation.name != "cpython" or object.__basicsize__ != _HEADER:
        return b""
    _, _, mask, table, _, finger = (ctypes.c_ssize_t * 6).from_address(id(elements) + _HEADER)
    return ctypes.string_at(table, 2 * _WORD * (mask + 1)) + bytes(ctypes.c_ssize_t(finger))


_WORD: Final = ctypes.sizeof(ctypes.c_void_p)
_HEADER: Final = 2 * _WORD


class Bytes(Holder):
    """Numbers side by side: an array of numpy, a bytearray."""

    __slots__ = ()

    def now(self) -> tuple[Any, ...]:
        """See `Holder`: the numbers, and how they lie there."""
        of: Any = self.of
        if not isinstance(of, np.ndarray):
            return (bytes(of),)
        return of.shape, of.strides, str(of.dtype), str(of.flags), bytes(of.view(np.ndarray).tobytes())


class SaidInC(Holder):
    """The attributes by which an object of a kind in C says what it is, and can be made to say otherwise."""

    __slots__ = ("_names",)

    def __init__(self, name: str, of: Any, names: Iterable[str]) -> None:
        self._names = tuple(names)
        super().__init__(name, of)

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        return tuple(getattr(self.of, name, Absent) for name in self._names)


class TypeOfNumbers(Holder):
    """A dtype of numpy: the names of its fields can be changed."""

    __slots__ = ()

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        return self.of.names, tuple((self.of.fields or {}).keys()), repr(self.of)


class OfPath(Holder):
    """A path of Python's: what it says of itself, which it finds when it is asked, and keeps."""

    __slots__ = ()

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        of = self.of
        return type(of), str(of), of.parts, of.drive, of.root, hash(of), *(getattr(of, raw, Absent) for raw in _RAW)


_RAW: Final = ("_raw_paths", "_drv", "_root", "_parts") if sys.version_info < (3, 12) else ("_raw_paths",)


class WrittenText(Holder):
    """A text in memory that is written to like a file."""

    __slots__ = ()

    def now(self) -> tuple[Any, ...]:
        """See `Holder`: the text, and where it goes on."""
        return (self.of.getvalue(), self.of.tell()) if not self.of.closed else (Absent,)


class Lock(Holder):
    """A lock."""

    __slots__ = ()

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        return (repr(self.of).partition(" object")[0],)


class ClosureCells(Holder):
    """The variables around a function."""

    __slots__ = ()

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        return tuple(_contents(self.of))

    def difference(self, now: tuple[Any, ...]) -> str:
        """See `Holder`."""
        return _name_of_variable(self.of, now, self.held, self.name)


class HeldFunction(Holder):
    """A function: its code, the variables around it, its defaults and attributes."""

    __slots__ = ("_plain",)

    def __init__(self, name: str, of: Any) -> None:
        super().__init__(name, of)
        self._plain = _Plain.of(of)

    def changed(self) -> str | None:
        """See `Holder`."""
        if self._plain is not None and self._plain.is_so(self.of):
            return None
        return super().changed()

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        function = self.of
        keywords, attributes, annotations = (
            function.__kwdefaults__ or _NOTHING,
            function.__dict__,
            _annotations(function),
        )
        # how many there are of each, as what is moved from one to another is changed; and no tuple that is made anew
        said: tuple[Any, ...] = (
            *_SAID_OF_FUNCTION(function),
            len(annotations),
            *annotations,
            *annotations.values(),
            len(keywords),
            *keywords,
            *keywords.values(),
            *attributes,
            *attributes.values(),
        )
        return said if function.__closure__ is None else (*_contents(function), *said)

    def difference(self, now: tuple[Any, ...]) -> str:
        """See `Holder`."""
        function, held = self.of, {id(part) for part in self.held}
        variable = _name_of_variable(function, now, self.held, "")
        if variable:
            return variable
        new = [name for name, part in function.__dict__.items() if id(part) not in held]
        return f"{function.__name__}.{new[0]}" if new else function.__name__


class _Plain(NamedTuple):
    """The parts of a function that has no attributes, no variables around it, no defaults by keyword: most have none.

    It takes less time to look at, which is done after every run: the collector says all parts at once.
    """

    parts: Sequence[Any]
    names: tuple[Any, ...]
    annotations: tuple[Any, ...]

    @classmethod
    def of(cls, function: FunctionType) -> _Plain | None:
        """The parts of a function; None where it may hold more, or where one part could be taken for another."""
        if function.__closure__ is not None or function.__kwdefaults__ is not None or function.__dict__:
            return None
        if type(function.__module__) is not str:
            return None
        annotations = _annotations(function)  # which makes them, if they were not asked for before
        return cls(get_referents(function), tuple(annotations), tuple(annotations.values()))

    def is_so(self, function: FunctionType) -> bool:
        """True where the function holds the same objects, and no others."""
        parts, annotations = get_referents(function), _annotations(function)
        return (
            len(parts) == len(self.parts)
            and all(map(is_, self.parts, parts))
            and not function.__dict__
            and len(annotations) == len(self.names)
            and all(map(is_, self.names, annotations))
            and all(map(is_, self.annotations, annotations.values()))
        )


_NOTHING: Final[dict[str, Any]] = {}

_SAID_OF_FUNCTION: Final = attrgetter(
    *("__code__", "__defaults__", "__doc__", "__name__", "__qualname__", "__module__"),
    *(("__type_params__",) if sys.version_info >= (3, 12) else ()),
)


def _annotations(function: FunctionType) -> Mapping[str, Any]:
    """Those of a function; not of a Python that finds them when it is asked, which may fail."""
    return function.__annotations__ if sys.version_info < (3, 14) else _NOTHING


class Partial(Holder):
    """A `functools.partial`."""

    __slots__ = ()

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        function, args, keywords, named = _SAID_OF_PARTIAL(self.of)
        if named:
            return function, args, *keywords, *keywords.values(), *named, *named.values()
        return function, args, *keywords, *keywords.values()


_SAID_OF_PARTIAL: Final = attrgetter("func", "args", "keywords", "__dict__")


class HeldInstance(Holder):
    """An object with attributes: its class, those of its `__dict__` and its slots, and what an exception holds.

    What a `cached_property` of this library, Python and numpy has computed is passed by. Of others that is a change,
    but where one `computes_late`: there it is none if it is what the property gives when it is asked again.
    """

    __slots__ = ("_computes_late",)

    def __init__(self, name: str, of: Any, *, computes_late: bool = False) -> None:
        self._computes_late = computes_late
        super().__init__(name, of)

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        named = dict(self._attributes())
        return *named, *named.values()

    def _attributes(self) -> Iterator[tuple[str, Any]]:
        kind: Any = type(self.of)
        yield "__class__", kind
        for name, value in tuple(getattr(self.of, "__dict__", {}).items()):
            computed = getattr(kind, name, None)
            if not (isinstance(computed, cached_property) and is_trusted_function(computed.func)):
                yield name, value
        for name in slot_names(kind):
            yield name, getattr(self.of, name, Absent)
        if isinstance(self.of, BaseException):
            for name in _held_in_c(kind):
                yield name, getattr(self.of, name, Absent)

    def by_name(self) -> dict[str, Any]:
        """The attributes, by name, that it held when it was looked at."""
        return _by_name(self.held)

    def changed(self) -> str | None:
        """See `Holder`."""
        name = super().changed()
        if name is None or not (self._computes_late or self._is_unchangeable()):
            if name is not None and self._new_ones():
                self.advice = "ask for what is computed once before it is drawn, or write a plain property"
            return name
        new = self._new_ones()
        was = _by_name(self.held)
        now = {name: part for name, part in self._attributes() if name not in new}
        if now.keys() != was.keys() or not all(alike(now[name], was[name]) for name in was):
            return name
        if not all(self._is_given_again(name, value) for name, value in new.items()):
            self.advice = "it holds what a cached property does not give when it is asked again"
            return name
        self.held = self.now()
        return None

    def _new_ones(self) -> dict[str, Any]:
        """The values that properties have computed and that were not there."""
        was, kind = _by_name(self.held), type(self.of)
        return {
            name: value
            for name, value in self._attributes()
            if name not in was and isinstance(getattr(kind, name, None), cached_property)
        }

    def _is_unchangeable(self) -> bool:
        """True where all that a property can be computed from stays as it is."""
        return is_frozen(type(self.of)) and all(is_fixed(part) for part in _by_name(self.held).values())

    def _is_given_again(self, name: str, value: Any) -> bool:
        try:
            return alike(getattr(type(self.of), name).func(self.of), value)
        except Exception:  # a function of the user's may raise anything
            return False

    def difference(self, now: tuple[Any, ...]) -> str | None:
        """See `Holder`."""
        return _dotted(self.name, _first_named(now, self.held))


class HeldRandom(HeldInstance):
    """A generator of chance: what was put beside its state."""

    __slots__ = ()

    def _attributes(self) -> Iterator[tuple[str, Any]]:
        return ((name, part) for name, part in super()._attributes() if name != "gauss_next")


class Attributes(Holder):
    """Attributes that may be put on something which is not looked into: all of them, or those of some names."""

    __slots__ = ("_names",)

    def __init__(self, name: str, of: Any, names: Iterable[str] | None = None) -> None:
        self._names = None if names is None else tuple(names)
        super().__init__(name, of)

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        named = getattr(self.of, "__dict__", {})
        if self._names is None:
            return *named, *named.values()
        return *self._names, *(
            getattr(self.of, name, Absent) if name in _SAID_OF_CODE else named.get(name, Absent) for name in self._names
        )

    def difference(self, now: tuple[Any, ...]) -> str | None:
        """See `Holder`."""
        return _dotted(self.name, _first_named(now, self.held))


_SAID_OF_CODE: Final = frozenset(
    {
        *("__doc__", "__name__", "__qualname__", "__module__", "__code__", "__defaults__", "__kwdefaults__"),
        *("__annotations__", "__type_params__", "__isabstractmethod__"),
    }
)
"""Attributes that a function or a property has beside those in its `__dict__`, and that can be set."""


def _held_in_c(kind: type) -> Iterator[str]:
    """The attributes that a class written in C has room for, such as the arguments of an exception."""
    for base in kind.__mro__:
        for name, part in vars(base).items():
            if isinstance(part, GetSetDescriptorType | MemberDescriptorType) and name not in (
                "__dict__",
                "__weakref__",
            ):
                yield name


def defaults_by_name(function: FunctionType) -> dict[str, Any]:
    """The defaults of a function that stand in their place, by the names of the arguments."""
    arguments, defaults = function.__code__.co_varnames[: function.__code__.co_argcount], function.__defaults__ or ()
    first = len(arguments) - len(defaults)
    names = [arguments[i] if i >= 0 else f"default {i - first + 1}" for i in range(first, len(arguments))]
    return dict(zip(names, defaults, strict=True))


def _by_name(held: tuple[Any, ...]) -> dict[str, Any]:
    """All that is held of names and parts, one half each."""
    return dict(zip(held[: len(held) // 2], held[len(held) // 2 :], strict=True))


class OfClass(Holder):
    """A class: what its body has defined, its bases, and what was put beside it; not what Python notes in it."""

    __slots__ = ()

    def parts(self) -> dict[str, Any]:
        """Its parts, by name."""
        return {name: part for name, part in vars(self.of).items() if name not in _NOTED}

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        of: Any = self.of
        own = vars(of)
        parts = {name: part for name, part in own.items() if name in _SAID}
        parts |= {"__class__": type(of), "__bases__": of.__bases__, "__name__": of.__name__, **self.parts()}
        if "__qualname__" not in parts:
            parts["__qualname__"] = of.__qualname__
        if isinstance(of, ABCMeta):
            parts["register"] = tuple(sorted(id(registered()) for registered in _get_dump(of)[0]))
        annotations = own.get("__annotations__")
        parts["__annotations__"] = tuple(annotations.items()) if isinstance(annotations, dict) else ()
        return *parts, *parts.values()

    def difference(self, now: tuple[Any, ...]) -> str | None:
        """See `Holder`."""
        return _dotted(self.name, _first_named(now, self.held))


_SAID: Final = ("__doc__", "__dataclass_fields__", "__dataclass_params__", "__abstractmethods__")
"""Attributes that Python notes in a class when it makes it, and never again."""


class Registered(Holder):
    """An abstract class of Python's: which others are registered with it; some may be there no more."""

    __slots__ = ()

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        return tuple(id(kind) for kind in (registered() for registered in _get_dump(self.of)[0]) if kind is not None)

    def changed(self) -> str | None:
        """See `Holder`."""
        return None if set(self.held).issuperset(self.now()) else f"{self.name}.register"


class OfEnum(OfClass):
    """An Enum: what was put beside its members, and not what Python notes of these, which it adds to."""

    __slots__ = ()

    def parts(self) -> dict[str, Any]:
        """See `OfClass`."""
        return {name: part for name, part in super().parts().items() if not (name[:1] == "_" == name[-1:])}


_NOTED: Final = frozenset(
    f"__{name}__"
    for name in (
        *("annotations", "annotate", "annotate_func", "annotations_cache", "abstractmethods", "dict", "weakref"),
        *("dataclass_fields", "dataclass_params", "doc", "slotnames"),
    )
) | {"_abc_impl"}


_ABSENT: Final = repeat(Absent)


class Names(Holder):
    """The globals of a module that code names."""

    __slots__ = ("_fills_itself", "_named")

    def __init__(self, name: str, of: dict[str, Any], *, fills_itself: bool) -> None:
        self._named: list[str] = []
        self._fills_itself = fills_itself
        """True if it may come to hold functions that were not there, which is nobody's doing: numpy loads some late."""
        super().__init__(name, of)

    def add(self, names: Iterable[str]) -> None:
        """Names that code mentions, and that were not among them."""
        self._named += names
        self.held = self.now()

    def now(self) -> tuple[Any, ...]:
        """See `Holder`."""
        return tuple(map(self.of.get, self._named, _ABSENT))

    def by_name(self) -> dict[str, Any]:
        """The globals that are there, by the names that code says of them."""
        return {f"{self.name}{name}": self.of[name] for name in self._named if name in self.of}

    def difference(self, now: tuple[Any, ...]) -> str | None:
        """See `Holder`; None where only modules, and functions of one that fills itself, were not there."""
        for name, part, was in zip(self._named, now, self.held, strict=True):
            late = (ModuleType, type, FunctionType) if self._fills_itself else ModuleType
            appeared = was is Absent and isinstance(part, late)
            if not appeared and not alike(part, was):
                return f"{self.name}{name}"
        return None


# --- Equal contents


def is_fixed(value: Any) -> bool:
    """True where a value cannot be changed, nor can anything in it; for all that a dict says of itself."""
    if is_plain(value):  # as most databases are: at the price of a look at the types of their rows
        return True
    try:
        fixed(value)
    except (Changeable, RecursionError):
        return False
    return not _holds_dict(value)


def _holds_dict(value: Any) -> bool:
    return isinstance(value, dict) or (issubclass(type(value), tuple) and any(map(_holds_dict, value)))


def alike(one: Any, other: Any) -> bool:
    """True where two values are one object, or hold the same and cannot be told apart but by identity."""
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind in (tuple, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if kind is dict:
        return all(map(alike, one, other)) and len(one) == len(other) and all(map(alike, one.values(), other.values()))
    if kind is MethodType:
        return one.__self__ is other.__self__ and one.__func__ is other.__func__
    if kind in (float, complex):
        return repr(one) == repr(other)
    if isinstance(one, Distribution):
        return bool(one == other)
    if kind in (FunctionType, CodeType, ModuleType) or isinstance(one, type):
        return False
    try:
        return bool(fixed(one) == fixed(other))
    except (Changeable, RecursionError):
        return False


# --- Names for messages


def _contents(function: FunctionType) -> Iterable[Any]:
    try:
        return [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # one is not assigned yet
        return map(_content, function.__closure__ or ())


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return Absent


def _name_of_variable(function: FunctionType, now: tuple[Any, ...], held: tuple[Any, ...], otherwise: str) -> str:
    for name, part, was in zip(function.__code__.co_freevars, now, held, strict=False):
        if not alike(part, was):
            return name
    return otherwise


def _dotted(name: str, part: str) -> str:
    return f"{name}.{part}" if part else name


def _first_named(now: tuple[Any, ...], held: tuple[Any, ...]) -> str:
    """The first name of which something else is held, from names and parts, one half each."""
    was, is_ = _by_name(held), _by_name(now)
    return next((str(n) for n in (*is_, *was) if not alike(is_.get(n, Absent), was.get(n, Absent))), "")
