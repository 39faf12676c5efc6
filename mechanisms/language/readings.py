"""The result of reading a mechanism: its functions and classes with their trees, and what lies outside the language."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any


@dataclass(frozen=True, order=True)
class OutsidePlace:
    """A construct outside the language: where it stands, what it is, and what to write instead."""

    file: str
    """The file, as its code names it."""
    line: int
    column: int
    """Counted from 1, as editors do."""
    construct: str
    instead: str
    """Advice: what to write instead; empty where nothing in the language has the same meaning."""
    function: str
    """The qualified name of the function or class in which it stands."""


@dataclass(frozen=True)
class ReadFunction:
    """A function whose source was found, compared with its code, and read."""

    function: FunctionType
    tree: ast.FunctionDef | ast.Lambda
    """With the lines and columns of the file."""
    names: Mapping[str, Any]
    """The values of the names that its code takes from outside: closures, globals and builtins, in this order."""


@dataclass(frozen=True)
class Reading:
    """All that a mechanism leads to, read once each."""

    mechanism: Callable[..., Any]
    functions: Mapping[CodeType, ReadFunction]
    classes: frozenset[type]
    outside: tuple[OutsidePlace, ...]
    """In the order of files and lines; empty where the mechanism lies inside the language."""
    each: tuple[ReadFunction, ...] = ()
    """Each function object that was read: several of one code differ in what their closures hold."""

    chance: tuple[Any, ...] = ()
    """The generators, and functions that give entropy, that were met."""

    unsure: tuple[tuple[str, OutsidePlace], ...] = ()
    """Attributes that no class defines which was read, with their places, which are `outside`: rows may have them."""

    @property
    def is_inside(self) -> bool:
        """True where nothing lies outside the language."""
        return not self.outside
