"""The parts of a mechanism that ran: its functions that were called, and which of their instructions were executed."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import NamedTuple

import msgspec


class CodeKey(NamedTuple):
    """Key of code in another process: its file, name and line, and its table of positions."""

    file: str
    name: str
    line: int
    positions: bytes


def code_key(code: CodeType, file: str) -> CodeKey:
    """The key of code in a file."""
    return CodeKey(file, code.co_qualname, code.co_firstlineno, code.co_linetable)


@dataclass
class RanFunction:
    """A function, or other code, that was called: the offsets of its instructions that ran, on rows and otherwise."""

    code: CodeType
    known: set[int] = field(default_factory=set)
    """Offsets of what ran on databases."""
    unknown: set[int] = field(default_factory=set)
    """Offsets of what ran on unknown numbers."""


class SentFunction(msgspec.Struct, frozen=True):
    """A function that was called in another process, which runs the same version of Python."""

    file: str
    code: bytes
    known: list[int]
    unknown: list[int]


def run_to_send(functions: Mapping[CodeKey, RanFunction]) -> list[SentFunction]:
    """The functions that ran in this process, for another one."""
    return [
        SentFunction(key.file, marshal.dumps(one.code), sorted(one.known), sorted(one.unknown))
        for key, one in functions.items()
    ]


def run_received(functions: Iterable[SentFunction]) -> dict[CodeKey, RanFunction]:
    """The functions that ran in another process."""
    ran_functions = {}
    for one in functions:
        code: CodeType = marshal.loads(one.code)
        ran_functions[code_key(code, one.file)] = RanFunction(code, set(one.known), set(one.unknown))
    return ran_functions


def union_of_runs(parts: Iterable[Mapping[CodeKey, RanFunction]]) -> dict[CodeKey, RanFunction]:
    """The functions that ran in any of several processes, or at several times."""
    ran_functions: dict[CodeKey, RanFunction] = {}
    for functions in parts:
        for key, one in functions.items():
            here = ran_functions.setdefault(key, RanFunction(one.code))
            here.known |= one.known
            here.unknown |= one.unknown
    return ran_functions
