"""The form of functions and values: all that they are made of, as a text that is the same wherever it is written.

Of code that is followed it is the source that is read, in which names are replaced by what they stand for: values, and
functions in the same way, in whatever file; of other functions it is their public name. Cache and gate have it from
here: they differ in what is followed, and in that the cache refuses what the language does not hold.
"""

from __future__ import annotations

import builtins
import functools
import types
from collections import Counter, OrderedDict, deque, namedtuple
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from hashlib import sha256
from types import BuiltinFunctionType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.mechanisms.language import tables
from dpverify.mechanisms.language.library import is_full, is_generated, is_standard_module, member_functions
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.verifiers.auditing.digests.code_form import NamedValue, NamedValues, form_of_code, form_of_constant
from dpverify.verifiers.auditing.digests.names import (
    UNSEEN,
    all_names,
    attribute_of,
    imported_by,
    imported_within,
    is_of_people,
    module_name_of,
    public_name,
    tree_or_none,
    where_defined,
)
from dpverify.verifiers.claims import AnyClaim

Code: TypeAlias = FunctionType | type
"""A function or a class: each has a source."""

_SHORT: Final = 80
"""Characters of forms that stand in others as they are: of longer ones there is a hash."""


def digest(text: str) -> str:
    """A short hash of a text: 12 hexadecimal digits, which a person can compare by eye."""
    return _hash(text)[:12]


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Forms:
    """The forms of functions and values; `followed` says of which files the code is gone into."""

    def __init__(
        self,
        followed: Callable[[str], bool],
        besides: Collection[CodeType] = (),
        named: Collection[CodeType | None] = (),
    ) -> None:
        """`besides` is code that is gone into wherever it stands, and `named` such that is told by its name."""
        self._followed = followed
        self._besides = besides
        self._named = named
        self._digests: dict[int, tuple[Code, str]] = {}
        """By identity each function or class, which so lives on, with the hash of it and of all that it leads to."""
        self._numbers: dict[int, int] | None = None
        """Within such a hash functions and classes are told by the order in which they come, each written once."""
        self._waiting: list[Code] = []
        self._written: dict[int, tuple[Any, str]] = {}
        self.reached: set[str] = set()
        """Modules that what was written so far refers to, and that are not gone into."""
        self.named: set[str] = set()
        """The functions of people's own that are told by name, as MODULE:FUNCTION."""
        self.goes_into_code = False
        """True where code is part of what was written so far."""

    def digest(self, value: Any) -> str:
        """The digest of the form of a value."""
        return digest(self.of(value))

    def of_code(self, node: Any, around: Mapping[str, Any]) -> str:
        """The form of code that runs where names stand for these values."""
        return form_of_code(node, values=self._values(around))

    def of(self, value: Any) -> str:
        """The form of a value: equal for equal ones, in all processes."""
        kind = type(value)
        if kind in _BY_TYPE:  # most are, and rows of databases
            return _BY_TYPE[kind](value)
        if kind is tuple:
            if _BY_TYPE.keys() >= set(map(type, value)):
                return f"tuple({','.join([_BY_TYPE[type(part)](part) for part in value])})"
            known = {key: self.of(part) for key, part in {id(part): part for part in value}.items()}
            return f"tuple({','.join([known[id(part)] for part in value])})"  # of many rows most are one object
        if isinstance(value, FunctionType | type):
            return self._of_code(value)
        if id(value) not in self._written:
            is_first = not self._written and self._numbers is None
            self._written[id(value)] = value, f"again:{len(self._written)}"
            form = self._of_other(value)
            self._written[id(value)] = value, form
            if is_first:
                self._written.clear()
            return form
        return self._written[id(value)][1]

    def _of_other(self, value: Any) -> str:
        kind = type(value)
        if kind in _ORDERED:
            return f"{kind.__name__}({','.join(map(self.of, value))})"
        if kind in _MAPPINGS:
            return f"{kind.__name__}({','.join([f'{self.of(key)}:{self.of(part)}' for key, part in value.items()])})"
        if kind in (set, frozenset):
            return f"set({','.join(sorted(map(self._alone, value)))})"
        match value:
            case ModuleType():
                if not self._followed(getattr(value, "__file__", None) or ""):
                    self.reached.add(value.__name__)
                return f"module:{value.__name__}"
            case functools.partial():
                return f"partial({self.of(value.func)},{self.of(value.args)},{self._of_names(value.keywords)})"
            case MethodType():
                return f"method({self.of(value.__func__)},{self.of(value.__self__)})"
            case BuiltinFunctionType():
                owner = "" if isinstance(value.__self__, ModuleType | None) else self.of(value.__self__)
                return f"builtin:{value.__module__}.{value.__qualname__}({owner})"
            case Enum():
                return f"{self.of(kind)}.{value.name}"
            case Exact():
                return f"Exact:{value}"
            case AnyClaim():
                return self._of_claim(value)
        return self._of_object(value)

    def _of_claim(self, claim: AnyClaim) -> str:
        return f"claim:{claim.id}"

    def _of_names(self, values: Mapping[str, Any]) -> str:
        return f"map({','.join([f'str:{name!r}:{self.of(values[name])}' for name in sorted(values)])})"

    def _alone(self, value: Any) -> str:
        """The form of a value that does not depend on what was written before it: sets have no order."""
        before = self._numbers, self._waiting, self._written
        self._numbers, self._waiting, self._written = None, [], {}
        try:
            return self.of(value)
        finally:
            self._numbers, self._waiting, self._written = before

    # --- Functions and classes

    def _is_followed(self, value: Code) -> bool:
        """True of what is gone into."""
        if isinstance(value, type):
            return self._followed(where_defined(value))
        code = value.__code__
        return (self._followed(code.co_filename) and code not in self._named) or code in self._besides

    def _of_code(self, value: Code) -> str:
        if not self._is_followed(value):
            return self._by_name(value)
        if self._numbers is not None:
            if id(value) not in self._numbers:
                self._numbers[id(value)] = len(self._numbers)
                self._waiting.append(value)
            return f"code:{self._numbers[id(value)]}"
        if id(value) not in self._digests:
            self._digests[id(value)] = value, "code:again"  # for a set that leads to itself
            self._digests[id(value)] = value, f"code:{_hash(';'.join(self._all_from(value)))}"
        return self._digests[id(value)][1]

    def _all_from(self, value: Code) -> Iterator[str]:
        """The forms of a function or class and of all that it leads to, in the order in which they name each other."""
        self.goes_into_code = True
        before = self._written
        self._numbers, self._waiting, self._written = {id(value): 0}, [value], {}
        try:
            for one in self._waiting:
                yield self._of_class(one) if isinstance(one, type) else self._of_function(one)
        finally:
            self._numbers, self._waiting, self._written = None, [], before

    def _by_name(self, value: Code) -> str:
        if isinstance(value, type):
            self.reached.add(value.__module__)
            return f"class:{public_name(value)}"
        code = value.__code__
        self.reached.add(module_name_of(value))
        name = f"mechanism:{code.co_qualname}" if code in self._named else f"function:{self._name_of(value)}"
        if code not in self._named and is_of_people(code.co_filename):
            self.named.add(f"{module_name_of(value)}:{code.co_qualname}")
        held = [cell.cell_contents for cell in value.__closure__ or () if is_full(cell)]
        if "<locals>" in code.co_qualname:  # what made it: the same code may hold other numbers
            held += [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
        held += [value.__wrapped__] if hasattr(value, "__wrapped__") else []
        return f"{name}({','.join(map(self.of, held))})"

    def _name_of(self, function: FunctionType) -> str:
        return public_name(function)

    def _of_function(self, function: FunctionType) -> str:
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
        closure = {name: cell.cell_contents for name, cell in cells if is_full(cell)}
        given = f"{self.of(function.__defaults__)},{self.of(function.__kwdefaults__)},{self._of_names(vars(function))}"
        tree = tree_or_none(function)
        inbuilt = function.__globals__.get("__builtins__", builtins)
        around = {**(inbuilt if isinstance(inbuilt, dict) else vars(inbuilt)), **function.__globals__, **closure}
        if tree is None:
            names = sorted(set(all_names(function.__code__)) & around.keys())
            return f"{_of_bytecode(function.__code__)};{self._of_names({one: around[one] for one in names})};{given}"
        self.reached |= imported_by(tree)
        around |= imported_within(tree, function.__globals__)
        return f"{form_of_code(tree, named=False, values=self._values(around))};{given}"

    def _values(self, around: Mapping[str, Any]) -> NamedValues:
        """The values of names among the globals of code, with attributes that are taken of modules and classes."""

        def value_of(names: Sequence[str]) -> NamedValue | None:
            if names[0] not in around:
                return None
            value, used = around[names[0]], 1
            while used < len(names):
                if isinstance(value, ModuleType) and not self._followed(getattr(value, "__file__", None) or ""):
                    self.reached.add(value.__name__)
                part = attribute_of(value, names[used])
                if part is UNSEEN:
                    break
                value, used = part, used + 1
            form = self.of(value)
            is_constant = _is_constant(value)
            return NamedValue(form if is_constant or len(form) < _SHORT else _hash(form), used, value, is_constant)

        return value_of

    def _of_class(self, cls: type) -> str:
        members = {
            name: [one for one in member_functions(part) if not is_generated(one, cls)] for name, part in _of(cls)
        }
        functions = [
            f"{name}:{','.join(map(self.of, several))}" for name, several in sorted(members.items()) if several
        ]
        of_fields = [
            self.of(tuple(getattr(one, fact) for fact in _OF_A_FIELD if not _is_missing(getattr(one, fact))))
            for one in getattr(cls, "__dataclass_fields__", {}).values()
        ]
        given = getattr(cls, "__dataclass_params__", None)
        flags = [getattr(given, flag) for flag in _OF_A_DATACLASS] if given is not None else []
        bases = ",".join(self.of(base) for base in cls.__bases__ if base not in tables.BASES)
        return f"class({cls.__qualname__},{bases},{functions},{self._data(cls)},{of_fields},{flags})"

    def _data(self, cls: type) -> str:
        """The data that a class holds: of an Enum its members, in order."""
        if issubclass(cls, Enum):
            return ",".join(f"{name}={self.of(member.value)}" for name, member in cls.__members__.items())
        return self._of_names(
            {
                name: part
                for name, part in _of(cls)
                if (not name.startswith("__") or name in _FACTS)
                and not member_functions(part)
                and not isinstance(part, _FIELDS)
                and name != "_abc_impl"
            }
        )

    # --- Objects

    def _of_object(self, value: Any) -> str:
        """An object by its class and what it holds; of one that holds nothing that can be seen, how it is written."""
        kind = type(value)
        if is_standard_module(kind.__module__) and not is_dataclass(value) and not isinstance(value, Mapping):
            wrapped = getattr(value, "__wrapped__", None)
            said = "" if " at 0x" in repr(value) else repr(value)  # what else it holds is a matter of its version
            return f"object:{public_name(kind)}({said if wrapped is None else self.of(wrapped)})"
        if isinstance(value, MadeOf):
            self.reached.add(kind.__module__)
        if callable(getattr(value, "tolist", None)) and kind.__module__ == "numpy":
            held = {"values": value.tolist()}
        else:
            held = _held(value)
        items: list[Any] = []
        if isinstance(value, Mapping):
            items = [*value.items()]
        elif isinstance(value, tuple | list):
            items = [*value]
        elif isinstance(value, set | frozenset):
            items = sorted(map(self._alone, value))
        number = isinstance(value, int | str | bytes | float | complex | Fraction)
        said = _base(value) if number else "" if held or items or " at 0x" in repr(value) else repr(value)
        holds = f"{self._of_names(held)}{''.join(f',{self.of(one)}' for one in items)}"
        return f"object({self.of(kind)},{holds},{said})"


_ORDERED: Final = (list, deque)
_MAPPINGS: Final = (dict, MappingProxyType, Counter, OrderedDict)
_FACTS: Final = ("__slots__", "__match_args__")
"""Attributes of a class, of those that Python names, that say what its objects are."""

_OF_A_FIELD: Final = ("name", "init", "repr", "hash", "compare", "kw_only", "default", "default_factory")
_OF_A_DATACLASS: Final = ("init", "repr", "eq", "order", "unsafe_hash", "frozen")
_FIELDS: Final = (types.MemberDescriptorType, types.GetSetDescriptorType, type(namedtuple("_", "x").x))  # type: ignore[attr-defined]

_BY_TYPE: Final[Mapping[type, Callable[[Any], str]]] = {
    int: "int:{:x}".format,
    Fraction: form_of_constant,
    **{kind: f"{kind.__name__}:{{!r}}".format for kind in (bool, type(None), str, bytes, complex, float, range, slice)},
    **{type(one): f"{one!r}".format for one in (..., NotImplemented)},
}
"""The forms of what holds nothing else, by its exact type."""


def _of(cls: type) -> list[tuple[str, Any]]:
    return list(vars(cls).items())


def _is_missing(value: Any) -> bool:
    return type(value).__name__ == "_MISSING_TYPE"


def _base(value: Any) -> str:
    """A number or a text of somebody's own sort, as that which it is made of has it."""
    base: Any = next(kind for kind in type(value).__mro__ if kind.__module__ in ("builtins", "fractions"))
    return f"{base.__name__}:{base.__repr__(value)}"


def state_of(value: Any) -> dict[str, Any]:
    """All that an object holds but for what it has computed once and kept."""
    kinds = type(value).__mro__
    kept = {name for kind in kinds for name, one in _of(kind) if isinstance(one, functools.cached_property)}
    return {name: part for name, part in getattr(value, "__dict__", {}).items() if name not in kept}


def _held(value: Any) -> dict[str, Any]:
    """All that an object holds: of a dataclass its fields, and of others also what its slots hold."""
    if is_dataclass(value):
        return {one.name: getattr(value, one.name, None) for one in fields(value)} | (
            state_of(value) if is_of_people(where_defined(type(value))) else {}
        )
    slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
    return {name: getattr(value, name) for name in slots if hasattr(value, name)} | state_of(value)


def _slots(kind: type) -> Iterable[str]:
    names = vars(kind).get("__slots__", ())
    return (names,) if isinstance(names, str) else names


def _is_constant(value: Any) -> bool:
    """True of numbers, texts, and tuples of such: not of those of somebody's own sort."""
    if type(value) is tuple:
        return all(map(_is_constant, value))
    return value is None or type(value) in (bool, int, float, complex, str, bytes, Fraction)


def _of_bytecode(code: CodeType) -> str:
    """A text of a function without a source; it differs between versions of Python."""
    constants = [_of_bytecode(part) if isinstance(part, CodeType) else repr(part) for part in code.co_consts]
    return f"bytecode:{code.co_code.hex()};{code.co_names};{constants}"
