"""The code that runs, and code in its place: functions are found by where they stand in the text of their file."""

from __future__ import annotations

import ast
import gc
import linecache
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

from dpverify.mechanisms.functions.places import NO_FILE
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.packages import COUNTING, MEANS, TOPICS
from dpverify.verifiers.auditing.mutation.installed import is_installed
from dpverify.verifiers.auditing.mutation.mutation import SyntaxScope
from dpverify.verifiers.auditing.mutation.places import functions_by_path
from dpverify.verifiers.locations import is_of_the_environment
from dpverify.verifiers.processes.versions import PACKAGE, is_of_dpverify

_OURS: Final = (*(PACKAGE / "mechanisms" / room for room in (COUNTING, *TOPICS)), PACKAGE / "verifiers" / "catalogue")
_TRUSTED_MODULES: Final = tuple(f"dpverify.mechanisms.{room}." for room in MEANS)


def is_mutable(file: str, mechanism: str) -> bool:
    """True where functions of a file are mutated for a mechanism of another file, or of the same.

    For one of people's own, all of their own files are, and none that was installed; for one of dpverify, those of the
    mechanisms that it verifies.
    """
    if file == mechanism:
        return True
    if not is_of_dpverify(mechanism):
        return not (is_of_dpverify(file) or is_of_the_environment(file) or is_installed(file))
    path = Path(file).resolve()
    return any(map(path.is_relative_to, _OURS))


def text_of_file(file: str) -> str | None:
    """The text of a file, as it is remembered; None where there is none, as of what is typed at a prompt."""
    return None if file == NO_FILE else "".join(linecache.getlines(file)) or None


@lru_cache(maxsize=16)
def codes_by_place(source: str, file: str) -> dict[SyntaxScope, CodeType]:
    """The code of the functions of a source, by where they stand; not to be changed."""
    return dict(_codes_below(compile(source, file, "exec", dont_inherit=True), ()))


def _codes_below(code: CodeType, path: SyntaxScope) -> Iterator[tuple[SyntaxScope, CodeType]]:
    seen: dict[str, int] = {}
    for inner in _next(code):
        name = inner.co_name
        below = (*path, (name, seen.get(name, 0)))
        seen[name] = seen.get(name, 0) + 1
        yield below, inner
        yield from _codes_below(inner, below)


def _next(code: CodeType) -> Iterator[CodeType]:
    """The codes of the functions and classes within one; comprehensions, which may have codes, are looked through."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_name.startswith("<") and constant.co_name != "<lambda>":
                yield from _next(constant)
            else:
                yield constant


Alike = tuple[str, int, bytes, tuple[str, ...], str]


def _alike(code: CodeType) -> Alike:
    """The code that a function that runs shares with the code that its source compiles to."""
    constants = repr([each for each in code.co_consts if not isinstance(each, CodeType)])
    return code.co_qualname, code.co_firstlineno, code.co_code, code.co_names, constants


def paths_of(codes: Iterable[CodeType], source: str, file: str) -> frozenset[SyntaxScope]:
    """The places of functions in the text of their file: those that still stand there, with guards or without."""
    running = {(code.co_qualname, code.co_firstlineno) for code in codes}
    places = codes_by_place(source, file).items()
    return frozenset(path for path, code in places if (code.co_qualname, code.co_firstlineno) in running)


@dataclass(frozen=True)
class Loaded:
    """All in this process that mutants have to be put into, or that remembers what came before them."""

    functions: Mapping[str, Sequence[FunctionType]]
    """By their files, so that a mutant's process, which shares memory with this one, looks at those of one alone."""
    caches: tuple[Any, ...]
    """Functions that remember their results."""
    remembering: tuple[tuple[Any, tuple[str, ...]], ...]
    """Objects that remember some of their attributes."""

    @classmethod
    def now(cls) -> Loaded:
        """All that can be mutated, with what does not come with Python and is not of the trusted modules."""
        frozen = gc.get_freeze_count()
        gc.unfreeze()  # what is left out of collections is not listed either
        objects = gc.get_objects()
        if frozen:
            gc.freeze()
        kinds: set[type] = set(map(type, objects))
        remembered = {kind: names for kind in kinds if (names := _remembered_by(kind))}
        cached = type(lru_cache(int))
        wanted: set[type] = {FunctionType, cached, *remembered}
        of_type: dict[type, list[Any]] = {kind: [] for kind in wanted}
        for each in objects:  # a million of them, as in a notebook: most are none of these
            if type(each) in wanted:
                of_type[type(each)].append(each)
        functions: dict[str, list[FunctionType]] = {}
        trusted = {name: _is_trusted(name) for name in {str(each.__module__) for each in of_type[FunctionType]}}
        for each in of_type[FunctionType]:
            if not trusted[str(each.__module__)]:
                functions.setdefault(each.__code__.co_filename, []).append(each)
        return cls(
            functions,
            tuple(each for each in of_type[cached] if not _is_trusted(getattr(each, "__module__", None))),
            tuple((each, names) for kind, names in remembered.items() for each in of_type[kind]),
        )

    def forget(self) -> None:
        """Empty what functions and objects remember of what they computed: it may come from a function as it was."""
        for cache in self.caches:
            cache.cache_clear()
        for each, names in self.remembering:
            for name in names:
                each.__dict__.pop(name, None)

    def put(self, file: str, source: str, mutated: str) -> None:
        """Let the functions of a file, which is `source`, run as in `mutated`, for as long as this process lasts.

        Raises `InputError` where one cannot: it sees other variables of the function around it than when that was run.
        """
        scopes = {_alike(code): scope for scope, code in reversed(codes_by_place(source, file).items())}
        codes = codes_by_place(mutated, file)
        for function in self.functions.get(file, ()):
            if _alike(function.__code__) not in scopes:
                continue
            scope = scopes[_alike(function.__code__)]
            seen = function.__code__.co_freevars
            if scope in codes and codes[scope].co_freevars != seen:
                codes = {**codes, scope: codes_by_place(_still_seeing(mutated, scope, seen), file)[scope]}
            try:
                function.__code__ = codes[scope]
            except (KeyError, ValueError):
                raise InputError(
                    bad_mechanism.OTHERWISE,
                    function.__qualname__,
                    "would see other variables from around it",
                    "pass them",
                ) from None


def _still_seeing(source: str, path: SyntaxScope, names: Iterable[str]) -> str:
    """A source, one function of which names variables from around it as well, without using them."""
    tree = ast.parse(source)
    node = functions_by_path(tree)[path]
    values = ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())
    if isinstance(node, ast.Lambda):
        node.body = ast.IfExp(ast.Constant(True), node.body, values)
    else:
        node.body = [ast.If(ast.Constant(False), [ast.Expr(values)], []), *node.body]
    return ast.unparse(ast.fix_missing_locations(tree))


def _remembered_by(kind: type) -> tuple[str, ...]:
    """The attributes that objects of a type remember once they are asked for."""
    # of sealed classes and objects nothing is asked: they would refuse it
    bases = (base for base in type.mro(kind) if not _is_trusted(base.__module__))
    attributes = (pair for base in bases for pair in vars(base).items())
    return tuple(name for name, value in attributes if issubclass(type(value), cached_property))


def _is_trusted(module: Any) -> bool:
    """True where a module comes with Python, or is of the trusted ones, which remember nothing of a mechanism's."""
    name = str(module)
    return name.partition(".")[0] in sys.stdlib_module_names or name.startswith(_TRUSTED_MODULES)
