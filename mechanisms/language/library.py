"""The kernel, of this library: by module, the primitives that a mechanism may use; and where all else comes from.

The kernel (numbers, noise, output distributions, drawing, counting) is not read: the language is made of it. What users
give to its objects, such as a quality or a sub-mechanism, is read. All else in this library is read like anyone's code.
"""

from __future__ import annotations

import builtins
import collections
import dataclasses
import enum
import functools
import reprlib
import sys
import sysconfig
import typing
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import cache, partial
from importlib import import_module
from os import sep
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GeneratorType,
    GenericAlias,
    MappingProxyType,
    MethodType,
    UnionType,
)
from typing import Any, Final

from dpverify.mechanisms.packages import COUNTING, MEANS

_TOP: Final = "dpverify.mechanisms."
_NOISE: Final = f"{_TOP}noise"
_PACKAGES: Final = frozenset((*MEANS, "language", COUNTING))
_CACHING: Final = frozenset(
    ("selection.by_quality", "selection.exponential_mechanism", "selection.noisy_max", "sanitizers.long_databases")
)
"""Modules of the papers' algorithms that belong to the kernel, since they cache by identity, or hold functions."""
_PRIMITIVES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "counting.binomial_bounds": "at_most",
        "counting.binomial_weights": "binomial_weights",
        "counting.logarithms": "log2 log_star",
        "counting.occupancies": "sequences_within",
        "counting.qualities": "of_counts all_at_once largest smallest",
        "counting.step_functions": "StepFunction accumulated counted_after union",
        "drawing.enumerator": "distribution",
        "language.generator": "Rng",
        "drawing.sorted_rows": "in_sorted_order",
        "functions.canonical": "sorted_by_value",
        "functions.mechanism": "name_of",
        "noise.derived": "mirrored",
        "noise.law": "NoiseLaw",
        "numbers.elementary": "exp log sqrt",
        "numbers.enclosure": "bounds decimal enclosure",
        "numbers.errors": "InputError MechanismError Undecided",
        "numbers.exact_numbers": "Exact exact as_parameter power product total negative inverse",
        "numbers.integers.parameters": "open_unit positive rational_parameter share whole",
        "numbers.integers.sealed": "Sealed",
        "numbers.integers.whole_numbers": "WholeNumber",
        "numbers.cached_results": "remembered",
        "numbers.roots.exponential_polynomials": "Piecewise",
        "outputs.arrays": "as_array as_frame as_outcome",
        "outputs.distributions": "Distribution bernoulli uniform",
        "outputs.folding": "folded",
        "outputs.long_sequences": "Beginning LongSequence length",
        "path_conditions.noise_value": "clamp",
        # of the papers' algorithms: what keeps caches by identity, searches in arrays, linear programs
        "sanitizers.sorted_points": "most_within counts_side_by_side",
        "release.polynomial_thresholds": "separating_weights",
        "selection.by_quality": "Selection",
        "selection.exponential_mechanism": "exponential exponential_mechanism levels_of of_levels solutions_of",
        "selection.noisy_max": "max_of_laplaces max_of_laplaces_drawn noisy_max",
        "sanitizers.long_databases": "numbers_of",
    }
)
"""Functions and classes: functions of the content of their operands, and distributions that `draw` draws from."""

_ATTRIBUTES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "comparing.call.Drawing": "each until release",
        "counting.step_functions.StepFunction": "best_and_gap best_minimum_by_length last extended block_maxima levels "
        "runs of of_pieces",
        "language.generator.Rng": "random uniform laplace normal standard_normal exponential gumbel geometric integers "
        "choice permutation shuffle",
        "noise.discrete_laplace.DiscreteLaplace": "tail",
        "numbers.exact_numbers.Exact": "exp log sqrt",
        "outputs.distributions.Distribution": "probability probabilities size",
        "reasons.reason.Reason": "text",
    }
)
"""By class of the kernel, with what derives from it: what a mechanism may ask an object for."""
ANY_ATTRIBUTE: Final = frozenset(name for names in _ATTRIBUTES.values() for name in names.split())


def is_kernel(module: object) -> bool:
    """True of the name of a module of the kernel, or of the numbers that its own are made of."""
    if not isinstance(module, str):
        return False
    name = module.removeprefix(_TOP)
    is_inside = name.partition(".")[0] in _PACKAGES or name in _CACHING
    return (name != module and is_inside) or module.partition(".")[0] == "flint"


def is_of_kernel(kind: type) -> bool:
    """True of a class of the kernel; anybody may give a class another module's name."""
    return is_kernel(kind.__module__) and _is_in_its_module(kind)


def is_of_types(kind: type) -> bool:
    """True of a class of what stands for types, such as list[int], which calls list."""
    return kind in (GenericAlias, UnionType) or (kind.__module__ == "typing" and _is_in_its_module(kind))


def _is_in_its_module(value: Any) -> bool:
    return _found(value.__module__, value.__qualname__) is value


def _found(module: str, path: str) -> Any:
    found: Any = sys.modules.get(module)
    for name in path.split("."):
        found = getattr(found, name, None)
    return found


def module_and_name(value: Any) -> tuple[str, str]:
    """The module and the qualified name of a function or class; of a wrapper its own, not those of what it wraps."""
    if type(value) is FunctionType:
        return str(value.__globals__.get("__name__")), value.__code__.co_qualname
    return str(getattr(value, "__module__", "")), str(getattr(value, "__qualname__", ""))


def is_primitive(value: Any) -> bool:
    """True of a function or class of the kernel that a mechanism may use, or of one that such a function made."""
    module, path = module_and_name(value)
    if type(value) is FunctionType and value.__globals__ is not getattr(sys.modules.get(module), "__dict__", None):
        return False
    owner, _, name = path.rpartition(".")
    if owner.endswith("<locals>"):
        return type(value) is FunctionType and is_kernel(module)
    place = module.removeprefix(_TOP)
    if (owner or name) not in _PRIMITIVES.get(place, "").split() and not _is_public_noise(place, path):
        return False
    if owner:
        return name in _ATTRIBUTES.get(f"{place}.{owner}", "").split()
    return type(value) is FunctionType or _is_in_its_module(value)


def _is_public_noise(place: str, path: str) -> bool:
    """True of a noise that the faces name: a new one is a file and a line."""
    return place.startswith("noise.") and any(path in import_module(face).__all__ for face in (_TOP[:-1], _NOISE))


def has_attribute(kind: type, name: str) -> bool:
    """True where a mechanism may ask an object of this class of the kernel for an attribute."""
    places = (f"{base.__module__}.{base.__qualname__}".removeprefix(_TOP) for base in kind.__mro__)
    return any(name in _ATTRIBUTES.get(place, "").split() for place in places)


def values_held_by(value: Any) -> Iterator[Any]:
    """The values that an object holds: a closure in its cells, a partial in its arguments, others in attributes."""
    kind = type(value)  # an object may say that it is of another class
    if kind is FunctionType:
        yield from (cell.cell_contents for cell in value.__closure__ or () if is_full(cell))
        yield from (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())
    elif kind is MethodType:
        yield from (value.__self__, value.__func__)
    elif kind is BuiltinFunctionType:
        yield value.__self__
    elif kind is GeneratorType:
        yield from () if value.gi_frame is None else value.gi_frame.f_locals.values()
    elif issubclass(kind, partial):
        yield from (value.func, *value.args, *value.keywords.values())
    else:
        yield from getattr(value, "__dict__", {}).values()
        for base in kind.__mro__:
            names = vars(base).get("__slots__", ())
            for name in (names,) if isinstance(names, str) else names:
                if hasattr(value, name):
                    yield getattr(value, name)


def is_full(cell: CellType) -> bool:
    """True of a cell that holds a value."""
    try:
        return cell.cell_contents is cell.cell_contents
    except ValueError:
        return False


# --- Where functions and classes come from

_STANDARD: Final = tuple(sysconfig.get_paths()[name] + sep for name in ("stdlib", "platstdlib"))
_INSTALLED: Final = tuple(sysconfig.get_paths()[name] + sep for name in ("purelib", "platlib"))


@cache
def is_standard_module(module: str) -> bool:
    """True of the name of a module that comes with Python; somebody may call a file calendar.py."""
    if module.partition(".")[0] not in sys.stdlib_module_names or module == "__main__":
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is None or (file.startswith(_STANDARD) and not file.startswith(_INSTALLED))


def compiled_package(value: Any) -> str | None:
    """The installed package with compiled modules, such as numpy, that a function, class or module is of; or None."""
    module = getattr(value, "__module__", None) or getattr(value, "__name__", None)
    top = str(module).partition(".")[0]
    return top if top not in ("dpverify", "flint", "builtins", "__main__") and _has_compiled(top) else None


@cache
def _has_compiled(top: str) -> bool:
    loaded = [each for name, each in [*sys.modules.items()] if f"{name}.".startswith(f"{top}.")]
    files = [getattr(each, "__file__", None) or "" for each in loaded]
    return any(file.startswith(_INSTALLED) and file.endswith((".so", ".pyd")) for file in files)


def is_generated(function: FunctionType, cls: type | None = None) -> bool:
    """True of a method that dataclass, NamedTuple, Enum or total_ordering made, for a class; its name tells which.

    Text may be given to exec under any name of a file: so the code is compared with what is made for such a class.
    """
    code, names = function.__code__, function.__globals__
    held = [cell.cell_contents for cell in function.__closure__ or () if is_full(cell)]
    if names is _generating().get(id(code)):
        functions = [each for each in held if isinstance(each, FunctionType)]  # such as in the wrapper of a `__repr__`
        # others in functools, which have closures, call what they are given
        return not (names is vars(functools) and held) and all(is_generated(each, cls) for each in functions)
    if not code.co_filename.startswith("<string") or any(
        hasattr(builtins, each) for each in {*code.co_names} & {*names}
    ):
        return False
    if names.get("_tuple_new") == tuple.__new__:
        return _has_code(function, _of_tuple(code.co_varnames[1 : code.co_argcount]).__new__)
    owner = _found(function.__module__, function.__qualname__.rpartition(".")[0]) if cls is None else cls
    made = vars(_like(owner)).get(code.co_name) if isinstance(owner, type) and dataclasses.is_dataclass(owner) else None
    made = getattr(made, "__wrapped__", made)
    if made is None or not _has_code(function, made):
        return False
    pairs = zip(code.co_freevars, held, values_held_by(made), strict=False)
    return all(one is other or (name == "cls" and isinstance(one, type)) for name, one, other in pairs)


@cache
def _generating() -> Mapping[int, Mapping[str, Any]]:
    """By the identity of each code in the modules that make methods: the names of its module."""
    found: dict[int, Mapping[str, Any]] = {}
    for module in (collections, dataclasses, enum, functools, reprlib, typing):
        owners = [each for each in vars(module).values() if getattr(each, "__module__", "") == module.__name__]
        members = [each for owner in owners if isinstance(owner, type) for each in vars(owner).values()]
        made = [each for member in (*owners, *members) for each in member_functions(member)]
        codes = [(each.__code__, each.__globals__) for each in made]
        for code, names in codes:  # which grows
            codes += [(each, names) for each in code.co_consts if isinstance(each, CodeType)]
            found[id(code)] = names
    return found


@cache
def _of_tuple(names: tuple[str, ...]) -> Any:
    return collections.namedtuple("_", names, rename=True)  # of names that are known now


@cache
def _like(cls: Any) -> type:
    """A dataclass with the fields and options of another one, and methods made for it now."""
    fields = []
    for name, field in cls.__dataclass_fields__.items():
        kind = field._field_type.name
        if kind != "_FIELD_CLASSVAR":
            fields.append((name, dataclasses.InitVar(object) if kind == "_FIELD_INITVAR" else object, copy(field)))
    options = {name: getattr(cls.__dataclass_params__, name) for name in _OPTIONS}
    after = {name: None for name in ("__post_init__",) if hasattr(cls, name)}
    return dataclasses.make_dataclass("_", fields, namespace=after, **options)


_OPTIONS: Final = ("init", "repr", "eq", "order", "unsafe_hash", "frozen")
_OF_CODE: Final = ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_argcount", "co_kwonlyargcount")


def _has_code(function: FunctionType, made: Any) -> bool:
    one, other = function.__code__, made.__code__
    return all(getattr(one, name) == getattr(other, name) for name in _OF_CODE)


def member_functions(member: Any) -> list[FunctionType]:
    """The functions of a member of a class: a method, or what a property or a cached one calls."""
    match member:
        case property():
            inner: Iterable[Any] = (member.fget, member.fset)
        case staticmethod() | classmethod():
            inner = (member.__func__,)
        case functools.cached_property():
            inner = (member.func,)
        case _:
            inner = (member,)
    return [each for each in inner if isinstance(each, FunctionType)]


def names_of(function: FunctionType, names: Iterable[str]) -> dict[str, Any]:
    """The values of names in a function: of its closure, of its module, builtins; those that have one."""
    inbuilt = function.__globals__.get("__builtins__", builtins)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    outside = ChainMap(
        {name: cell.cell_contents for name, cell in cells if is_full(cell)},
        function.__globals__,
        inbuilt if isinstance(inbuilt, dict) else vars(inbuilt),
    )
    return {name: outside[name] for name in sorted(names) if name in outside}
