"""The source of a file as it was read: its tree, and the comments that accept what no database runs or draws.

`# dp: unreached, because …` accepts a line that no database runs, and `# dp: exact, because …` a function that returns
data without drawing. On a line that begins a block it is of the whole block, alone on its line it is of the next one.
"""

from __future__ import annotations

import ast
import io
import linecache
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import CodeType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import cut, one_line

What: TypeAlias = Literal["unreached", "exact"]
"""Lines that a comment accepts."""

_COMMENT: Final = re.compile(r"#\s*dp:(?P<said>.*)")
_SAID: Final = re.compile(r"\s*(?P<what>unreached|exact)\s*(?:,?\s*because\b\s*:?\s*(?P<why>.*))?")


_WHATS: Final[Mapping[str, What]] = {"unreached": "unreached", "exact": "exact"}

_Scopes: TypeAlias = dict[tuple[str, int], list[ast.AST]]


class Accepted(NamedTuple):
    """A comment that accepts the lines of a statement, or of a block: what of them, and why."""

    file: str
    first: int
    last: int
    what: What
    because: str
    text: str
    """The statements that it is about, as they are written, without comments and layout."""


@dataclass(frozen=True)
class SourceFile:
    """A file: its name, its tree, and what its comments accept."""

    file: str
    tree: ast.Module
    text: str
    accepted: Sequence[Accepted]

    def node_of(self, code: CodeType) -> ast.AST | None:
        """The function, class or comprehension that code is of; None where the file is another one by now."""
        scopes = self._expressions if code.co_name.startswith("<") else self._definitions
        result = scopes.get((code.co_name, code.co_firstlineno), [])
        if len(result) < 2:
            return result[0] if result else None
        places = [(line, column) for line, _, column, __ in code.co_positions() if line and column]
        within = (one for one in result if places and all(_start(one) <= place <= _end(one) for place in places))
        return next(within, result[0])

    @cached_property
    def _definitions(self) -> _Scopes:
        """Functions and classes, by name and first line."""
        scopes: _Scopes = {}
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                scopes.setdefault((node.name, _first(node)), []).append(node)
            for name in ("body", "handlers", "orelse", "finalbody", "cases"):
                held = getattr(node, name, None)
                waiting += held if isinstance(held, list) else []
        return scopes

    @cached_property
    def _expressions(self) -> _Scopes:
        """Lambdas and comprehensions, of which there may be several on one line."""
        scopes: _Scopes = {}
        for node in ast.walk(self.tree):
            if type(node) in _NAMES:
                scopes.setdefault((_NAMES[type(node)], _first(node)), []).append(node)
        return scopes

    def why(self, first: int, last: int, what: What) -> str:
        """Reasons for accepting lines, all of them; empty where one is not."""
        reasons: list[str] = []
        for line in range(first, last + 1):
            result = next((a.because for a in self.accepted if a.what == what and a.first <= line <= a.last), None)
            if result is None:
                if self._holds_code(line):
                    return ""
            elif result not in reasons:
                reasons.append(result)
        return "; ".join(reasons)

    def _holds_code(self, line: int) -> bool:
        return _is_code(self.text.splitlines()[line - 1])


def source_at(path: str, file: str) -> SourceFile | None:
    """The file at a path, under the name that reports have for it; None where it cannot be read or parsed.

    Raises `InputError`, with file and line, for a comment that says `dp:` and accepts nothing, or gives no reason.
    """
    linecache.checkcache(path)
    lines = linecache.getlines(path)
    return _source("".join(lines), file) if lines else None


@lru_cache(maxsize=1 << 8)
def _source(text: str, file: str) -> SourceFile | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    return SourceFile(file, tree, text, tuple(_accepted(text, tree, file)))


_NAMES: Final[Mapping[type[ast.AST], str]] = {
    ast.Lambda: "<lambda>",
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}


def _start(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: Any) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset


def _accepted(text: str, tree: ast.Module, file: str) -> Iterator[Accepted]:
    if "dp:" not in text:
        return
    lines = text.splitlines()
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):  # which the parser has let pass
        return
    for token in tokens:
        comment = _COMMENT.match(token.string) if token.type == tokenize.COMMENT else None
        if comment is None:
            continue
        line = token.start[0]
        said = _SAID.fullmatch(comment["said"].rstrip())
        if said is None:
            raise InputError(
                bad_input.COMMENT,
                f"{file}:{line}: {cut(one_line(token.string))}",
                "says nothing that is known here",
                "unreached, because …` or `# dp: exact, because …",
            )
        why = (said["why"] or "").strip(" .…")
        if not why:
            raise InputError(
                bad_input.COMMENT,
                f"{file}:{line}: {cut(one_line(token.string))}",
                "gives no reason",
                f"{said['what']}, because …",
            )
        if not lines[line - 1][: token.start[1]].strip():  # alone on its line
            line = next((i for i in range(line + 1, len(lines) + 1) if _is_code(lines[i - 1])), line)
        for statements in _meant(tree, line):
            first, last = statements[0].lineno, statements[-1].end_lineno or statements[-1].lineno
            of_header = min(first, line)
            words = "\n".join(map(ast.unparse, statements))
            yield Accepted(file, of_header, last, _WHATS[said["what"]], said["why"].strip(), words)


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _meant(tree: ast.Module, line: int) -> Iterator[list[ast.stmt]]:
    """The statements that a comment on a line is of: the block that the line begins, or the one that it is part of."""
    around: list[ast.stmt] = []
    for node in ast.walk(tree):
        for suite, header in _suites(node):
            inside = [one for one in suite if _first(one) <= line <= (one.end_lineno or one.lineno)]
            if inside and not any(_suites(inside[0])):
                yield inside[:1]
                return
            if inside and (not around or _first(inside[0]) >= _first(around[0])):
                around = inside[:1]
            if not inside and header <= line < _first(suite[0]):
                yield suite
                return
    if around:  # a line within the head of a block that takes several
        yield around


def _first(node: Any) -> int:
    """The first line of a statement or an expression, with those of its decorators."""
    line: int = node.lineno
    return min(line, *(int(one.lineno) for one in getattr(node, "decorator_list", [])), line)


def _suites(node: ast.AST) -> Iterator[tuple[list[ast.stmt], int]]:
    """The blocks of statements in a node, each with the first line of what stands above it."""
    pattern = getattr(node, "pattern", None)  # of a case, which itself has no line
    above: int | None = getattr(node, "lineno", getattr(pattern, "lineno", None))
    for name in ("body", "handlers", "orelse", "finalbody"):
        suite = getattr(node, name, None)
        if not isinstance(suite, list) or not suite:
            continue
        if isinstance(suite[0], ast.stmt):
            yield suite, _first(suite[0]) if above is None else above
        above = (suite[-1].end_lineno or suite[-1].lineno) + 1
