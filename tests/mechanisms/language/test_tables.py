"""Each entry of the tables does what it says: it changes what it names and nothing else, and has the type it names."""

import bisect
import collections
import copy
import functools
import heapq
import itertools
import operator
import types
from typing import Any

import pytest

from dpverify.mechanisms.language import tables
from dpverify.mechanisms.language.library import _ATTRIBUTES, _PRIMITIVES, is_of_kernel, is_primitive
from dpverify.mechanisms.language.reader import read

Counter, deque = collections.Counter, collections.deque


def entry_of(value: Any) -> tables.Entry:
    found = tables.entry_of(value)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["hash", "id", "print", "open", "vars", "globals", "eval", "exec", "setattr", "input"])
def test_builtins_that_are_outside(name: str) -> None:
    import builtins

    assert tables.entry_of(getattr(builtins, name)) is None


def test_entries_go_by_identity() -> None:
    class len_:
        __name__ = "len"

    assert tables.entry_of(len) is not None
    assert tables.entry_of(len_()) is None
    assert all(entry_of(each).because for each, _ in tables.FUNCTIONS.values())


# operands of each method that changes its receiver, by type: those that are not here take none
RECEIVERS: dict[type, Any] = {
    list: [3, 1, 2],
    set: {1, 2, 3},
    dict: {1: "a", 2: "b"},
    collections.defaultdict: collections.defaultdict(int, {1: 1}),
    collections.OrderedDict: collections.OrderedDict({1: 1, 2: 2}),
    Counter: Counter("aab"),
    deque: deque([3, 1, 2]),
}
OPERANDS: dict[str, list[Any]] = {name: [7] for name in ("append", "appendleft", "add")} | {
    **{name: [(7,)] for name in ("extend", "extendleft")},
    **{name: [1] for name in ("remove", "discard", "move_to_end", "rotate")},
    **{f"{name}_update": [{1}] for name in ("difference", "intersection", "symmetric_difference")},
    **{"insert": [0, 7], "setdefault": [9, 1], "update": [{9: 1}], "subtract": [{"a": 1}]},  # noqa: PIE800
}
CHANGING = [
    (kind, name)
    for kind, methods in tables.METHODS.items()
    for name, entry in methods.items()
    if entry.changes is not None
]


@pytest.mark.parametrize(("kind", "name"), CHANGING)
def test_methods_that_change_their_receiver(kind: Any, name: str) -> None:
    receiver = copy.copy(RECEIVERS[kind])
    key = next(iter(receiver))
    default = [key] if name == "pop" and isinstance(receiver, dict) else []
    getattr(receiver, name)(*OPERANDS.get(name, default))
    assert [*receiver] != [*RECEIVERS[kind]] or receiver != RECEIVERS[kind]


@pytest.mark.parametrize("kind", RECEIVERS)
def test_every_method_of_a_changeable_type_is_judged(kind: Any) -> None:
    """A method that is not in the table is outside: here are those, so that one that is new is seen."""
    public = {name for name in dir(kind) if not name.startswith("_")}
    left_out = public - tables.METHODS[kind].keys()
    assert left_out == {collections.defaultdict: {"default_factory"}}.get(kind, set())


PURE = [
    (kind, name)
    for kind, methods in tables.METHODS.items()
    for name, entry in methods.items()
    if entry.changes is None and kind in RECEIVERS and name not in ("maxlen", "fromkeys")
]
ARGUMENTS: dict[str, list[Any]] = {name: [1] for name in ("index", "count", "get", "__getitem__", "__contains__")} | {
    name: [{1}]
    for name in ("union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint")
}


@pytest.mark.parametrize(("kind", "name"), PURE)
def test_methods_that_change_nothing(kind: Any, name: str) -> None:
    receiver = copy.copy(RECEIVERS[kind])
    getattr(receiver, name)(*ARGUMENTS.get(name, []))
    assert receiver == RECEIVERS[kind]
    assert [*receiver] == [*RECEIVERS[kind]]


@pytest.mark.parametrize(
    ("function", "operands"),
    [
        *((each, [[1, 3, 2], 2]) for each in (heapq.heappush, heapq.heappushpop, heapq.heapreplace)),
        *((each, [[3, 1, 2]]) for each in (heapq.heappop, heapq.heapify)),
        (next, [iter([1, 2])]),
        *((each, [[1, 3], 2]) for each in (bisect.insort_left, bisect.insort_right)),
    ],
)
def test_functions_that_change_their_first_operand(function: Any, operands: Any) -> None:
    before = copy.copy(operands[0]) if isinstance(operands[0], list) else [1, 2]
    function(*operands)
    assert entry_of(function).changes == 0
    assert [*operands[0]] != before


@pytest.mark.parametrize(
    "value",
    [
        *(operator.iadd, operator.setitem, operator.delitem, operator.attrgetter, operator.methodcaller),
        *(functools.singledispatch, functools.partialmethod, itertools.chain("a"), object.__setattr__, str.format),
        *(dict.__setitem__, type.__call__, types.SimpleNamespace, types.FunctionType, bytearray, memoryview),
    ],
)
def test_what_the_standard_library_has_besides(value: Any) -> None:
    assert tables.entry_of(value) is None
    assert tables.entry_of_method(value) is None


@pytest.mark.parametrize("place", [*_PRIMITIVES])
def test_primitives_are_there(place: str) -> None:
    import importlib

    module = importlib.import_module(f"dpverify.mechanisms.{place}")
    for name in _PRIMITIVES[place].split():
        assert is_primitive(getattr(module, name)), name


@pytest.mark.parametrize("place", [*_ATTRIBUTES])
def test_attributes_of_the_kernel_are_there(place: str) -> None:
    import importlib

    module, _, name = place.rpartition(".")
    cls = getattr(importlib.import_module(f"dpverify.mechanisms.{module}"), name)
    missing = {each for each in _ATTRIBUTES[place].split() if not hasattr(cls, each)}
    assert missing <= {each for base in cls.__mro__ for each in getattr(base, "__annotations__", ())}


def test_names_of_the_kernel_on_others() -> None:
    names: dict[str, Any] = {"__name__": "dpverify.mechanisms.noise.laplace"}
    exec("def laplace(scale): return kept.append(scale)\nclass Laplace:\n    def scale(self): return id(self)", names)
    named = type("Distribution", (), {"__module__": "dpverify.mechanisms.outputs.distributions"})
    assert not is_primitive(names["laplace"])
    assert not is_primitive(named)
    assert not is_of_kernel(named)
    assert read(lambda draw, rows: names["laplace"](1)).outside
    it = names["Laplace"]()
    assert read(lambda draw, rows: it.scale()).outside


def test_what_runs_a_mechanism_is_no_primitive() -> None:
    from dpverify.mechanisms import run
    from dpverify.mechanisms.drawing import debugging

    assert not is_primitive(run)
    assert not is_primitive(debugging)
