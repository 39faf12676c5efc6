"""Lines that people have accepted, and why: what the comments say in all that a mechanism reaches by name.

It does not depend on what ran, so that it is the same in every version of Python, and whoever holds claims to what was
reviewed can hold these comments to it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.line_coverage.own_files import OwnFiles, own_files
from dpverify.verifiers.line_coverage.sources import Accepted, source_at
from dpverify.verifiers.locations import below_imports


def accepted_lines(claim: AnyClaim) -> list[Accepted]:
    """The comments `# dp: …` in the mechanism of a claim, and in what it reaches by name in its project, in order.

    Each has its file, below where that is imported from, and lines, what it accepts, the reason, and the statements
    that it is about without layout. Raises `InputError`, with file and line, for a comment that gives no reason.
    """
    results: set[Accepted] = set()
    for function in claim.about:
        own = own_files(function, claim.reference)
        given = getattr(claim, "parameters", {}).values()
        for one in _reached([function, *given], own):
            path = one.__code__.co_filename
            source = source_at(path, below_imports(path, one.__module__ or ""))
            lines = {line for _, __, line in _lines(one.__code__) if line}
            if source is not None and lines:
                low, high = min(lines), max(lines)
                results.update(each for each in source.accepted if low <= each.last and each.first <= high)
    return sorted(results)


def _lines(code: CodeType) -> Iterator[tuple[int, int, int | None]]:
    yield from code.co_lines()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _lines(constant)


def _reached(roots: Iterable[Any], own: OwnFiles) -> list[FunctionType]:
    """The functions of own files that others reach by name, by closures and by defaults."""
    waiting, seen = list(roots), dict[int, Any]()
    functions: list[FunctionType] = []
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, FunctionType):
            waiting += [vars(value).get("__wrapped__"), *(value.__defaults__ or ()), *_cells(value)]
            waiting += (value.__kwdefaults__ or {}).values()
            if value.__code__.co_filename in own:
                functions.append(value)
                waiting += _named(value.__code__, value.__globals__)
        else:
            waiting += _parts(value, own)
    return functions


def _parts(value: Any, own: OwnFiles) -> list[Any]:
    """The parts of an object that may be called."""
    if isinstance(value, partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, MethodType):
        return [value.__self__, value.__func__]
    if isinstance(value, MadeOf):
        return list(value.functions)
    if isinstance(value, type):
        functions = [getattr(one, "__func__", getattr(one, "fget", one)) for one in vars(value).values()]
        kept = [one for one in functions if isinstance(one, FunctionType) and one.__code__.co_filename in own]
        return [*kept, *value.__bases__] if kept else []
    if isinstance(value, ModuleType | str | bytes | int | float) or value is None:
        return []
    return [type(value), *_held(value)]


def _held(value: Any) -> Iterable[Any]:
    held = value if isinstance(value, tuple | list) else getattr(value, "__dict__", {}).values()
    return list(islice(value.values() if isinstance(value, dict) else held, _MOST_HELD))


_MOST_HELD: Final = 100
"""Parts of a container that are looked at: one that holds more holds data."""


def _cells(function: Callable[..., Any]) -> Iterator[Any]:
    for cell in getattr(function, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:  # nothing is in it
            continue


def _named(code: CodeType, around: dict[str, Any]) -> Iterator[Any]:
    """The objects that code names of its globals, and of modules among them."""
    for name in code.co_names:
        value = around.get(name)
        if isinstance(value, ModuleType):
            yield from (vars(value).get(each) for each in code.co_names)
        else:
            yield value
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _named(constant, around)
