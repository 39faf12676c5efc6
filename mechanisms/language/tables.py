"""The allow-list of the language: which functions, classes, methods and syntax of Python a mechanism may use, and why.

The entries are objects, by identity, and methods of exact types: what a name is bound to decides, not its spelling.
An entry is sound if its result is a function of the content of its operands (never of identity, address, hash, its
order, files, time or earlier calls), or if it changes one operand and nothing else, which `changes` says.
"""

from __future__ import annotations

import ast
import bisect
import builtins
import collections
import collections.abc
import copy
import dataclasses
import enum
import functools
import heapq
import itertools
import math
import operator
import statistics
import typing
from abc import ABC, ABCMeta
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import FunctionType, GeneratorType, MappingProxyType
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.language import numpy_names
from dpverify.mechanisms.language.library import ANY_ATTRIBUTE


@dataclass(frozen=True)
class Entry:
    """A function, a class or a method of an exact type: why it is in the language, and what it does."""

    because: str
    changes: int | None = None
    """The operand that it changes, counted from 0, which is the receiver of a method; None where it changes nothing."""


def _of(module: Any, names: str) -> list[Any]:
    return [getattr(module, name) for name in names.split()]


# --- functions and classes
CONTENT: Final = "a function of the content of its operands"
ITERATES: Final = "an iterator that it makes goes through its operands, whose order is content, since sets are ordered"
NEW: Final = "makes a new object from the content of its operands"
_CHANGES: Final = "changes one operand by content alone"
SHAPE: Final = "depends on the type of a value, which is content"
REAL: Final = "the exact function, where source gives numbers their exact reading; never a float"
_EXACT: Final = "exact for ints and Fractions"

EXCEPTIONS: Final = frozenset(
    _of(builtins, "Exception ArithmeticError RuntimeError ValueError TypeError LookupError KeyError IndexError")
    + _of(builtins, "ZeroDivisionError OverflowError AssertionError AttributeError StopIteration NotImplementedError")
)
"""Exceptions that may be raised, and derived from: their content is their arguments."""


def _functions() -> Iterator[tuple[Any, Entry]]:
    def row(because: str, objects: Iterable[Any], changes: int | None = None) -> None:
        rows.extend((each, Entry(because, changes)) for each in objects)

    rows: list[tuple[Any, Entry]] = []
    row(CONTENT, _of(builtins, "abs divmod pow round sum min max complex bytes float slice format int len ord"))
    row(CONTENT, _of(builtins, "bool all any bin oct hex chr"))
    row("the text of scalars and of tuples of them, which holds no address", _of(builtins, "str repr ascii"))
    row(SHAPE, _of(builtins, "isinstance issubclass type hasattr getattr callable super object"))
    row(ITERATES, _of(builtins, "zip map filter enumerate reversed iter"))
    row(_CHANGES, [next], changes=0)
    row(NEW, (list, tuple, dict, set, frozenset, range, sorted, Fraction, MappingProxyType))
    row(NEW, _of(collections, "Counter deque OrderedDict defaultdict") + _of(copy, "copy deepcopy"))
    row(CONTENT, _of(math, "ceil floor trunc comb factorial gcd isqrt lcm perm"))
    row(_EXACT, _of(math, "isnan isinf isfinite prod"))
    row(REAL, _of(math, "log exp sqrt"))
    row(ITERATES, _of(itertools, "accumulate chain combinations combinations_with_replacement compress count cycle"))
    row(ITERATES, _of(itertools, "dropwhile filterfalse groupby islice pairwise permutations product repeat starmap"))
    row(ITERATES, [*_of(itertools, "takewhile tee zip_longest"), heapq.merge])
    row("calls what it is given, which is read", _of(functools, "reduce cmp_to_key wraps update_wrapper partial"))
    row("lives for one run, and what it returns cannot tell that it is cached", _of(functools, "cache lru_cache"))
    row(CONTENT, _of(operator, "add sub mul truediv floordiv mod pow neg pos abs invert and_ or_ xor lshift rshift"))
    row(CONTENT, _of(operator, "eq ne lt le gt ge not_ truth contains countOf indexOf index concat getitem itemgetter"))
    row(CONTENT, _of(bisect, "bisect_left bisect_right"))
    row(_CHANGES, _of(bisect, "insort_left insort_right"), changes=0)
    row(_CHANGES, _of(heapq, "heappush heappop heapify heappushpop heapreplace"), changes=0)
    row(NEW, _of(heapq, "nlargest nsmallest") + _of(dataclasses, "replace astuple asdict"))
    row(_EXACT, _of(statistics, "mean median median_low median_high mode multimode pvariance variance quantiles"))
    row("the second operand", [typing.cast])
    row(SHAPE, _of(enum, "Enum IntEnum StrEnum Flag IntFlag") + _of(collections.abc, " ".join(collections.abc.__all__)))
    row("an exception, whose content is its arguments", EXCEPTIONS)
    yield from rows


CALLED_BY_NAME: Final = (getattr, hasattr, super, type)
"""Functions that are read where they are called, and are no values; `type` is one in `map`, `isinstance` and `is`."""

FUNCTIONS: Final[Mapping[int, tuple[Any, Entry]]] = MappingProxyType({id(each[0]): each for each in _functions()})
"""By identity; each entry holds its object."""

CAUGHT: Final = EXCEPTIONS - {Exception, ArithmeticError, RuntimeError, TypeError, AttributeError}
"""Exceptions that may be caught, as those of the mechanism's own may: they depend on content alone.

The others are bases of what this library raises where it cannot decide, and of the end of the stack; TypeError and
AttributeError tell a number that is not known from one that is.
"""

# --- classes that are read
BASES: Final = frozenset({object, tuple, typing.Generic, typing.Protocol, ABC}) | EXCEPTIONS
ENUM_BASES: Final = frozenset({int, str, *_of(enum, "Enum IntEnum StrEnum Flag IntFlag")})
METACLASSES: Final = frozenset({type, enum.EnumMeta, ABCMeta, type(typing.Protocol)})


def _special(names: str) -> frozenset[str]:
    return frozenset(f"__{name}__" for name in names.split())


CALLED_BY_C: Final = _special("eq ne lt le gt ge hash bool len iter contains str repr index format reversed")
"""Special methods that C calls by itself: they may only read, compute and return."""
SPECIAL_METHODS: Final = CALLED_BY_C | _special(
    "init post_init call getitem add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow neg "
    "pos abs and rand or ror xor rxor lshift rshift int round floor ceil trunc invert divmod rdivmod"
)
"""Special methods that the body of a class may define."""
CLASS_FACTS: Final = _special(
    "module doc qualname dict weakref slots annotations dataclass_fields dataclass_params match_args orig_bases "
    "parameters abstractmethods static_attributes firstlineno type_params annotate_func annotations_cache "
    "classdictcell protocol_attrs non_callable_proto_members final"
) | {"_abc_impl", "_is_protocol", "_is_runtime_protocol", "_fields", "_field_defaults"}
"""Members that Python itself puts into a class, where they are no functions."""

# --- values
SCALARS: Final = frozenset(
    {type(None), bool, int, float, complex, str, bytes, Fraction, range, slice, type(...), type(NotImplemented), object}
    | {operator.itemgetter}
)
CONTAINERS: Final = frozenset(
    {tuple, list, set, frozenset, dict, MappingProxyType, *_of(collections, "Counter OrderedDict deque defaultdict")}
)
INSTEAD: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("hash", "id"), "compare the values"),
        **dict.fromkeys(("open", "input"), "pass the content as a parameter"),
        **dict.fromkeys(("vars", "dir", "setattr", "delattr"), "name the attributes"),
        **dict.fromkeys(("eval", "exec", "compile", "__import__"), "write what they run in the source"),
        **dict.fromkeys(("globals", "locals"), "name the values"),
        **dict.fromkeys(("attrgetter", "methodcaller"), "write a lambda"),
        "print": "return what is to be shown",
        "statistics.fmean": "write statistics.mean",
        **{f"statistics.{p}stdev": f"write math.sqrt(statistics.{p}variance(…))" for p in ("", "p")},
    }
)
"""By name, the advice for functions that are outside."""

# --- methods and attributes, by exact type
_Methods: TypeAlias = dict[str, Entry]


def _methods(because: str, names: str, changes: int | None = None) -> _Methods:
    return {name: Entry(because, changes) for name in names.split()}


_INSIDE: Final = _methods(CONTENT, "__contains__ __len__")
_ITEMS: Final = _INSIDE | _methods(CONTENT, "__getitem__")
_SEQUENCE: Final = _ITEMS | _methods(CONTENT, "index count")
_SET: Final = (
    _INSIDE
    | _methods("new, in the order of the receiver", "union intersection difference symmetric_difference copy")
    | _methods(CONTENT, "issubset issuperset isdisjoint")
)
_DICT: Final = (
    _ITEMS
    | _methods("a view of the receiver, in the order of filling", "keys values items")
    | _methods(CONTENT, "get")
    | _methods(NEW, "copy fromkeys")
    | _methods(_CHANGES, "pop popitem setdefault update clear", changes=0)
)
_NUMBER: Final = _methods(CONTENT, "numerator denominator real imag conjugate")
_INT: Final = _NUMBER | _methods(CONTENT, "bit_length bit_count") | _methods("True of an int", "is_integer")
METHODS: Final[Mapping[type, _Methods]] = MappingProxyType(
    {
        list: _SEQUENCE
        | _methods(_CHANGES, "append extend insert pop remove reverse sort clear", changes=0)
        | _methods(NEW, "copy"),
        tuple: _SEQUENCE,
        range: _SEQUENCE | _methods(CONTENT, "start stop step"),
        str: _SEQUENCE
        | _methods(CONTENT, "capitalize casefold center expandtabs join ljust lower lstrip removeprefix find rfind")
        | _methods(CONTENT, "removesuffix replace rjust rstrip strip swapcase title upper zfill translate rindex")
        | _methods(CONTENT, "startswith endswith isalnum isalpha isascii isdecimal isdigit isidentifier encode")
        | _methods(CONTENT, "islower isnumeric isspace istitle isupper")
        | _methods(NEW, "split rsplit splitlines partition rpartition"),
        bytes: _SEQUENCE | _methods(CONTENT, "hex decode startswith endswith"),
        frozenset: _SET,
        set: _SET
        | _methods(_CHANGES, "add discard remove pop clear update difference_update intersection_update", changes=0)
        | _methods(_CHANGES, "symmetric_difference_update", changes=0),
        dict: _DICT,
        collections.defaultdict: _DICT,
        collections.OrderedDict: _DICT | _methods(_CHANGES, "move_to_end", changes=0),
        MappingProxyType: _ITEMS | _methods(CONTENT, "get keys values items"),
        collections.Counter: _DICT
        | _methods("ties are broken by the order of filling", "most_common")
        | _methods(ITERATES, "elements")
        | _methods(CONTENT, "total")
        | _methods(_CHANGES, "subtract", changes=0),
        collections.deque: _SEQUENCE
        | _methods(_CHANGES, "append appendleft extend extendleft pop popleft rotate clear", changes=0)
        | _methods(_CHANGES, "insert remove reverse", changes=0)
        | _methods(CONTENT, "maxlen copy"),
        type({}.keys()): _methods(CONTENT, "isdisjoint"),
        type({}.items()): _methods(CONTENT, "isdisjoint"),
        type({}.values()): {},
        GeneratorType: {},
        int: _INT | _methods(CONTENT, "from_bytes"),
        bool: _INT,
        float: _methods(CONTENT, "real imag conjugate") | _methods("refused of an exact number", "is_integer"),
        complex: _methods(CONTENT, "real imag conjugate"),
        Fraction: _NUMBER | _methods(CONTENT, "limit_denominator as_integer_ratio"),
        slice: _methods(CONTENT, "start stop step"),
        itertools.chain: _methods(ITERATES, "from_iterable"),
        type: _methods("names that the source gives", "__name__ __qualname__ __members__"),
        FunctionType: _methods("names that the source gives", "__name__ __qualname__ __doc__"),
    }
)
"""For a type that is not here, and is neither read nor this library's, no method is in the language."""

ANY_TYPE: Final = frozenset(name for each in METHODS.values() for name in each) | ANY_ATTRIBUTE | numpy_names.ATTRIBUTES
"""Names that some type has: where the type is not inferred, the compiled form looks when it runs."""
CHANGING: Final = frozenset(
    name for each in METHODS.values() for name, entry in each.items() if entry.changes is not None
)
"""Names of methods that change their receiver, for some type."""

# --- syntax
SYNTAX: Final[tuple[type[ast.AST], ...]] = (
    *_of(ast, "expr_context boolop operator unaryop cmpop Expr Pass FunctionDef Lambda arguments arg keyword Return"),
    *_of(ast, "Delete Assign AugAssign AnnAssign For While If Break Continue Raise Assert Try ExceptHandler Nonlocal"),
    *_of(ast, "Import ImportFrom alias Match match_case MatchValue MatchSingleton MatchSequence MatchMapping"),
    *_of(ast, "MatchClass MatchStar MatchAs MatchOr BoolOp NamedExpr BinOp UnaryOp IfExp Dict Set ListComp SetComp"),
    *_of(ast, "DictComp GeneratorExp comprehension Compare Call FormattedValue JoinedStr Constant Attribute Subscript"),
    *_of(ast, "Starred Name List Tuple Slice Yield YieldFrom"),
    ast.withitem,  # a part of `with`, which is outside as a whole
)
OUTSIDE_SYNTAX: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "With": ("with", "call what it enters and leaves in plain statements"),
        "Global": ("global", "pass the value as a parameter, and return it"),
        "ClassDef": ("a class that is defined in a function", "define it in the module"),
        "TryStar": ("except*", "write except"),
        "MatMult": ("@", "write the sum of the products"),
        "AsyncFunctionDef": ("async def", "write a plain function"),
        "TypeAlias": ("a type that is defined in a function", "define it in the module"),
    }
)
"""Words for syntax that is outside, and what to write instead; what is not here goes by the name of its node."""


def entry_of(value: object) -> Entry | None:
    """The entry of a function or class, by identity; None where it is not in the tables."""
    found = FUNCTIONS.get(id(value))
    return found[1] if found is not None else None


def method_of(kind: type, name: str) -> Entry | None:
    """The entry of a method or attribute of an exact type; None where it is not in the tables."""
    return METHODS.get(kind, {}).get(name)


def is_special(name: str) -> bool:
    """True of a name such as `__eq__`."""
    return name.startswith("__") and name.endswith("__")


def entry_of_method(value: Any) -> Entry | None:
    """The entry of a built-in method as a value: of its type, as `str.lower`, or bound, as `"-".join`.

    A method of `dict` has none: it is past what a subclass makes of it, such as a Counter of rows of unknown number;
    nor have those that give views, which are others in the compiled form.
    """
    name, kind = getattr(value, "__name__", ""), getattr(value, "__objclass__", None)
    if kind is dict or name in ("keys", "items"):
        return None
    if kind is None:
        receiver = getattr(value, "__self__", None)
        kind = receiver if isinstance(receiver, type) else type(receiver)
        return method_of(kind, name)
    return method_of(kind, name) if vars(kind).get(name) is value else None
