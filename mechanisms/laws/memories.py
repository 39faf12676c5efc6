"""Memories: a function of `functools.cache`, which may remember more where nothing can be told from it.

That is so if what it remembers is what its function gives, whenever it is asked, and cannot be changed; if it has
forgotten nothing; and if nobody asks what it remembers, or has it forget.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import Any, Final

from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.held import Holder, alike, is_fixed
from dpverify.mechanisms.laws.trusted import is_trusted_function

_ASKED_OF_IT: Final = frozenset({"cache_info", "cache_clear", "cache_parameters", "get_referents"})


class Memory(Holder):
    """A function of `functools.lru_cache`, and how much it remembered; `named` is what code around it mentions."""

    __slots__ = ("_known", "_named", "is_librarys")

    def __init__(self, name: str, of: Any, named: Collection[str]) -> None:
        self._named = named
        self.is_librarys = _is_of_a_library(of)
        """Whether it is one of a trusted module, of which it is only looked at whether somebody asks."""
        self._known = len(_remembered_by(of)) if _has_no_bound(of) else {key for key, _ in _entries(of)}
        super().__init__(name, of)

    def results(self) -> Iterator[Any]:
        """What it remembers: results that can be changed are held as any other."""
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
        return None

    def _wrong(self, misses: int) -> str:
        """What is wrong with what it remembers now; empty where nothing is."""
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
        if isinstance(self._known, int):
            self._known += len(new)
        else:
            self._known.update(key for key, _ in new)
        return ""

    def _new(self) -> Iterable[tuple[Any, Any]]:
        known = self._known
        if isinstance(known, int):
            return islice(_remembered_by(self.of).items(), known, None)
        return ((key, result) for key, result in _entries(self.of) if key not in known)

    def _gives(self, key: Any, value: Any) -> bool:
        args, named = _arguments(self.of, key)
        function: Callable[..., Any] = self.of.__wrapped__
        try:
            return alike(function(*args, **dict(named)), value)
        except Exception:  # a function of the user's may raise anything
            return False


def _is_unchangeable(value: Any) -> bool:
    return all(map(is_fixed, value)) if isinstance(value, Distribution) and value.is_finite else is_fixed(value)


def _is_of_a_library(memory: Any) -> bool:
    """Whether a trusted module has made it, and not somebody of one of its functions."""
    inner = memory.__wrapped__
    if not is_trusted_function(inner) or not hasattr(inner, "__qualname__"):
        return False
    if "<locals>" in inner.__qualname__:
        return True
    found: Any = sys.modules.get(inner.__module__)
    for part in inner.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is memory


def _has_no_bound(memory: Any) -> bool:
    return memory.cache_parameters()["maxsize"] is None


def _remembered_by(memory: Any) -> dict[Any, Any]:
    """What it remembers by keys: results, or where it has a bound places in a list of them."""
    dicts = [part for part in gc.get_referents(memory) if type(part) is dict and part is not memory.__dict__]
    return dicts[-1] if dicts else {}


def _entries(memory: Any) -> Iterator[tuple[Any, Any]]:
    """The keys and results that it remembers: of one with a bound they stand one after another, each with its type."""
    if _has_no_bound(memory):
        yield from _remembered_by(memory).items()
        return
    held, keys = gc.get_referents(memory), set(map(id, _remembered_by(memory)))
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
