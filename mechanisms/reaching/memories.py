"""Memories: a function of `functools.cache`, which may remember more where nothing can be told from it.

That is so if what it remembers is what its function gives, whenever it is asked, and cannot be changed; if it has
forgotten nothing; and if nobody asks what it remembers, or has it forget. Who asks for 1 must not be told what was
found for True: while a mechanism is enumerated the two are remembered apart, and refused where their results differ.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import Any, Final
from weakref import ReferenceType, WeakKeyDictionary, ref

from dpverify.mechanisms.functions.trusted import is_trusted_function
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.reaching.held import Holder, alike, is_fixed
from dpverify.mechanisms.reaching.hidden_chance import is_looking_out, take_note

_ASKED_OF_IT: Final = frozenset({"cache_info", "cache_clear", "cache_parameters", "get_referents"})


class Memory(Holder):
    """A function of `functools.lru_cache`, and how much it remembered; `named` is what code around it mentions."""

    __slots__ = ("_known", "_named", "is_librarys")

    def __init__(self, name: str, of: Any, named: Collection[str]) -> None:
        self._named = named
        self.is_librarys = _is_of_a_library(of)
        """True where it is one of a trusted module, of which it is only looked at whether somebody asks."""
        if not self.is_librarys:
            _keep_apart(of)
            _note_result(of)
        self._known = len(_remembered_by(of)) if _has_no_bound(of) else {id(key) for key, _ in _entries(of)}
        super().__init__(name, of)

    def results(self) -> Iterator[Any]:
        """The results that it remembers: those that can be changed are held as any other."""
        return (result for _, result in _entries(self.of))

    def now(self) -> tuple[Any, ...]:
        """See `Holder`: how often it was asked for what it did not know, which only rises where it forgets nothing."""
        return (self.of.cache_info().misses,)

    def changed(self) -> str | None:
        """See `Holder`; None where it remembers more, and nothing can be told from that, nor by code around it."""
        asked = sorted(_ASKED_OF_IT.intersection(self._named))
        if not asked and not self.is_librarys and "__wrapped__" in self._named:
            asked = ["__wrapped__"]
        if asked:
            self.advice = f"a memory passes on what was asked of it where code names {asked[0]}"
            return self.name
        now = self.now()
        if self.is_librarys or now == self.held:
            return None
        self.advice = self._wrong(now[0])
        if self.advice:
            return self.name
        self.held = now
        _keep_apart(self.of)
        return None

    def _wrong(self, misses: int) -> str:
        """The fault with what it remembers now; empty where nothing is."""
        most = self.of.cache_parameters()["maxsize"]
        count = len(_remembered_by(self.of))
        if misses < self.held[0] or count < (self._known if isinstance(self._known, int) else len(self._known)):
            return "a memory passes on what was asked of it where it is cleared"
        if most is not None and count >= most:
            return "a memory that is full forgets by what was asked of it: write functools.cache, which has no bound"
        new = tuple(self._new())
        if not all(_is_unchangeable(part) for key, result in new for part in (_arguments(self.of, key), result)):
            return "a memory holds arguments or results that can be changed: let it take and give tuples and numbers"
        if not all(self._gives(key, value) for key, value in new):
            return "a memory holds what its function does not give when it is asked again"
        outcome = _found.setdefault(self.of, {})
        if not all(alike(outcome.setdefault(key, result), result) for key, result in new):
            return "a memory takes equal arguments such as 1 and True for one another: give it one of them"
        if isinstance(self._known, int):
            self._known += len(new)
        else:
            self._known.update(id(key) for key, _ in new)
        return ""

    def _new(self) -> Iterable[tuple[Any, Any]]:
        known = self._known
        if isinstance(known, int):
            return islice(_entries(self.of), known, None)
        return ((key, result) for key, result in _entries(self.of) if id(key) not in known)

    def _gives(self, key: Any, value: Any) -> bool:
        args, named = _arguments(self.of, key)
        function: Callable[..., Any] = self.of.__wrapped__
        try:
            return alike(function(*args, **dict(named)), value)
        except Exception:  # a function of the user's may raise anything
            return False


_found: Final[WeakKeyDictionary[Any, dict[Any, Any]]] = WeakKeyDictionary()
"""Of each memory what was first found for each key, and for those that equal it."""


class _Apart:
    """A key that, while a mechanism is enumerated, no other one equals, although its parts do.

    A memory with a bound has a list of its keys beside, and takes the one that it forgets out by what it equals: there
    two that are equal must not be. What is asked for is taken for the key that it equals, if both have one result.
    """

    __slots__ = ("key", "memory")

    def __init__(self, key: tuple[Any, ...], memory: ReferenceType[Any] | None) -> None:
        self.key = key
        self.memory = memory
        """The bound of the cache of which it is a key, if that has one."""

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        key = other.key if isinstance(other, _Apart) else other
        if self.key is key:
            return True
        if not is_looking_out():
            return bool(self.key == key)
        if alike(self.key, key):
            return True
        memory = None if self.memory is None else self.memory()
        return memory is not None and bool(self.key == key) and self._has_result_of(key, memory)

    def _has_result_of(self, key: Any, memory: Any) -> bool:
        """True where what is remembered is what the function gives for an equal key. Raises `InputError` where not."""
        args, named = _arguments(memory, key)
        outcome = memory.__wrapped__(*args, **dict(named))
        if all(alike(result, outcome) for known, result in _entries(memory) if known is self.key):
            return True
        error = InputError(bad_mechanism.EQUAL_ARGUMENTS, memory.__wrapped__.__qualname__)
        take_note(error)
        raise error


def _keep_apart(memory: Any) -> None:
    """Have it remember apart what is asked of it from now on; a number or a text alone it has apart already."""
    remembered, within = _remembered_by(memory), None if _has_no_bound(memory) else ref(memory)
    for key in [key for key in remembered if type(key) is tuple]:
        remembered[_Apart(key, within)] = remembered.pop(key)


def _note_result(memory: Any) -> None:
    """Note what it remembered before it was looked at; anew where that was forgotten, as for a mutant."""
    if memory not in _found or not _remembered_by(memory):
        _found[memory] = dict(_entries(memory))


def _plain(key: Any) -> Any:
    return key.key if type(key) is _Apart else key


def _is_unchangeable(value: Any) -> bool:
    return all(map(is_fixed, value)) if isinstance(value, Distribution) and value.is_finite else is_fixed(value)


def _is_of_a_library(memory: Any) -> bool:
    """True where a trusted module has made it, and not somebody of one of its functions."""
    inner = memory.__wrapped__
    if not is_trusted_function(inner) or not hasattr(inner, "__qualname__"):
        return False
    if "<locals>" in inner.__qualname__:
        return True
    result: Any = sys.modules.get(inner.__module__)
    for part in inner.__qualname__.split("."):
        result = getattr(result, part, None)
    return result is memory


def _has_no_bound(memory: Any) -> bool:
    return memory.cache_parameters()["maxsize"] is None


def _remembered_by(memory: Any) -> dict[Any, Any]:
    """The results that it remembers by keys, or where it has a bound places in a list of them."""
    dicts = [part for part in gc.get_referents(memory) if type(part) is dict and part is not memory.__dict__]
    return dicts[-1] if dicts else {}


def _entries(memory: Any) -> Iterator[tuple[Any, Any]]:
    """The keys and results that it remembers: of one with a bound they stand one after another, each with its type."""
    if _has_no_bound(memory):
        yield from ((_plain(key), result) for key, result in _remembered_by(memory).items())
        return
    held, keys = gc.get_referents(memory), {id(_plain(key)) for key in _remembered_by(memory)}
    for key, result, kind in zip(held, held[1:], held[2:], strict=False):
        if id(key) in keys and isinstance(kind, type) and kind.__name__ == "_lru_list_elem":
            yield key, result


def _arguments(memory: Any, key: Any) -> tuple[tuple[Any, ...], tuple[tuple[str, Any], ...]]:
    """The arguments that a key stands for: in C it is one of them alone, or a tuple, with a mark before named ones."""
    if type(key) is not tuple:
        return (key,), ()
    marks = [place for place, part in enumerate(key) if type(part) is object]
    first = marks[0] if marks else len(key)
    if not memory.cache_parameters()["typed"]:
        return key[:first], tuple(zip(key[first + 1 :: 2], key[first + 2 :: 2], strict=False))
    if not marks:
        return key[: len(key) // 2], ()
    named = (len(key) - first - 1 - first) // 3  # two for each named one, and a type for each argument
    rest = key[first + 1 : first + 1 + 2 * named]
    return key[:first], tuple(zip(rest[::2], rest[1::2], strict=False))
