"""The lines, and the arms of expressions, that never ran in functions that were called.

What is looked at are the statements of a function, and those parts of expressions that need not be evaluated: the arms
of `a if c else b`, what stands behind `or` and `and`, the body of a lambda, what a comprehension makes of its members.
Each ran if one of its instructions did, by the positions that Python keeps of them. What has no instruction has not to
run: a docstring, `pass`, `else:`, and what the compiler leaves out.
"""

from __future__ import annotations

import ast
import dis
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import CodeType
from typing import Final, NamedTuple, TypeAlias

from dpverify.verifiers.line_coverage.executed import CodeKey, RanFunction, code_key
from dpverify.verifiers.line_coverage.sources import SourceFile, source_at

_Point: TypeAlias = tuple[int, int]
"""A line and a column."""

_Span: TypeAlias = tuple[_Point, _Point]
"""Beginning and end of a place."""


class Unreached(NamedTuple):
    """Lines that never ran, or a part of one."""

    file: str
    first: int
    last: int
    part: str = ""
    """The part of the line as it is written; empty where it is all of the lines."""
    raises: bool = False
    """True where all that they do is to end in an error, which nothing catches."""


class _Spans:
    """The places of instructions, in order, to be asked which lie in a part of the text."""

    def __init__(self, spans: Iterable[_Span]) -> None:
        self._spans = sorted(set(spans))
        self._starts = [start for start, _ in self._spans]

    def has_within(self, start: _Point, end: _Point) -> bool:
        """True where one lies in it."""
        for place in range(bisect_left(self._starts, start), len(self._spans)):
            begin, stop = self._spans[place]
            if begin > end:
                return False
            if stop <= end:
                return True
        return False


def unreached(functions: Mapping[CodeKey, RanFunction], paths: Mapping[str, str]) -> list[Unreached]:
    """The code that never ran in functions that were called, by file and line; `paths` are those of the files.

    On unknown numbers alone it counts where nothing was called on a database.
    """
    on_databases = any(one.known for one in functions.values())
    found_so = {key: one.known if on_databases else one.unknown for key, one in functions.items()}
    ran = {key: offsets for key, offsets in found_so.items() if offsets}
    results: list[Unreached] = []
    for file in dict.fromkeys(key.file for key in ran):
        of_file = {key: offsets for key, offsets in ran.items() if key.file == file}
        codes = [functions[key].code for key in of_file]
        positions = _Positions(codes, of_file, file)
        if positions.all_ran:  # as of most: its text need not be read
            continue
        source = source_at(paths.get(file, codes[0].co_filename), file)
        within = {id(inner) for code in codes for inner in _all([code]) if inner is not code}
        nodes = [] if source is None else [source.node_of(code) for code in codes if id(code) not in within]
        if source is None or not positions.are_known or None in nodes:  # no text, or another one by now
            results += _by_lines(codes, of_file, file)
        else:
            results += _InFile(source, positions, file).found(nodes)
    caught = any(one.raises for one in results) and _catches(functions, ran, paths)
    return sorted(one._replace(raises=False) if caught else one for one in results)


def _all(codes: Iterable[CodeType]) -> list[CodeType]:
    """The codes, and those within them, each once."""
    results: dict[int, CodeType] = {}
    waiting = list(codes)
    while waiting:
        code = waiting.pop()
        results[id(code)] = code
        waiting += [one for one in code.co_consts if isinstance(one, CodeType) and id(one) not in results]
    return list(results.values())


class _Positions:
    """The places of the instructions of functions of one file, and which of them ran; jumps are apart."""

    def __init__(self, codes: Iterable[CodeType], ran: Mapping[CodeKey, set[int]], file: str) -> None:
        held, executed, jumped_from, jumped = (set[_Span]() for _ in range(4))
        for code in _all(codes):
            offsets = ran.get(code_key(code, file), set())
            operations = code.co_code[::2]
            for place, (line, end_line, column, end_column) in enumerate(code.co_positions()):
                if line is None or end_line is None or column is None or end_column is None:
                    continue
                if operations[place] in _NOWHERE:
                    continue
                span = (line, column), (end_line, end_column)
                is_jump = operations[place] in _JUMPS
                (jumped_from if is_jump else held).add(span)
                if 2 * place in offsets:
                    (jumped if is_jump else executed).add(span)
        self.are_known = bool(held)
        """Not with `python -X no_debug_ranges`."""
        self.all_ran = self.are_known and held <= executed and jumped_from <= executed | jumped
        self.held, self.executed = _Spans(held), _Spans(executed)
        self.jumped_from, self.jumped = _Spans(jumped_from), _Spans(jumped)


class _InFile:
    """The functions of one file, which were called, and its tree."""

    def __init__(self, source: SourceFile, positions: _Positions, file: str) -> None:
        self._source, self._positions, self._file = source, positions, file
        self._found: dict[tuple[int, int, str], Unreached] = {}

    def found(self, nodes: Iterable[ast.AST | None]) -> list[Unreached]:
        """The code that never ran of functions."""
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._suite(node.body)
            elif node is not None:
                self._arms(node.body if isinstance(node, ast.Lambda) else node)
        return list(self._found.values())

    def _suite(self, suite: Sequence[ast.stmt]) -> None:
        missed: list[ast.stmt] = []
        for statement in [*suite, None]:
            if statement is not None and not self._has_code(statement):
                continue
            if statement is not None and not self._ran_in(statement):
                missed.append(statement)
                continue
            if missed:
                self._add(missed[0], missed[-1], "", only_raises(missed))
                missed = []
            if statement is not None:
                self._within(statement)

    def _within(self, statement: ast.stmt) -> None:
        """Add the code that never ran of a statement of which something did."""
        for name, value in ast.iter_fields(statement):
            if name == "msg":  # of an assert that holds
                continue
            parts = value if isinstance(value, list) else [value]
            if parts and isinstance(parts[0], ast.stmt):
                self._suite(parts)
                continue
            for part in parts:
                if isinstance(part, ast.ExceptHandler):
                    self._suite(part.body)
                elif isinstance(part, ast.match_case):
                    if part.guard is not None:
                        self._arm(part.guard)
                    self._suite(part.body)
                elif isinstance(part, ast.AST):
                    self._arms(part)

    def _arms(self, node: ast.AST) -> None:
        """The parts of an expression that need not be evaluated."""
        optional = list(_optional(node))
        for part in ast.iter_child_nodes(node):
            if not any(part is one for one in optional):
                self._arms(part)
        for part in optional:
            self._arm(part)

    def _arm(self, part: ast.expr) -> None:
        if not self._has_code(part):
            return
        if self._ran_in(part):
            self._arms(part)
        else:
            self._add(part, part, ast.get_source_segment(self._source.text, part) or ast.unparse(part), False)

    def _add(self, first: ast.stmt | ast.expr, last: ast.stmt | ast.expr, part: str, raises: bool) -> None:
        lines = _first_line(first), last.end_lineno or last.lineno
        self._found[(*lines, part)] = Unreached(self._file, *lines, part, raises)

    def _has_code(self, node: ast.stmt | ast.expr) -> bool:
        if isinstance(node, ast.Continue | ast.Break) and self._positions.jumped_from.has_within(*_span(node)):
            return True
        return not isinstance(node, ast.Pass) and self._positions.held.has_within(*_span(node))

    def _ran_in(self, node: ast.stmt | ast.expr) -> bool:
        if isinstance(node, ast.Continue | ast.Break) and self._positions.jumped.has_within(*_span(node)):
            return True
        return self._positions.executed.has_within(*_span(node))


_NOWHERE: Final = frozenset(
    number
    for name, number in dis.opmap.items()
    if name.startswith(("POP_JUMP", "JUMP_IF")) or name in ("FOR_ITER", "NOP", "RESUME")
)
"""Instructions that may stand, by their positions, where they lead to, or for nothing at all."""

_JUMPS: Final = frozenset(
    number for name, number in dis.opmap.items() if name.startswith("JUMP_") and number not in _NOWHERE
)
"""Those that may stand there as well, but are all that there is of `break` and `continue`."""

_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _first_line(node: ast.AST) -> int:
    line: int = getattr(node, "lineno", 0)
    return min(line, *(int(one.lineno) for one in getattr(node, "decorator_list", [])), line)


def _span(node: ast.stmt | ast.expr) -> _Span:
    begin = node.lineno, node.col_offset
    for decorator in getattr(node, "decorator_list", []):
        begin = min(begin, (decorator.lineno, decorator.col_offset))
    return begin, (node.end_lineno or node.lineno, node.end_col_offset or 0)


def _optional(node: ast.AST) -> Iterator[ast.expr]:
    """Those of the parts of an expression that are not evaluated each time that it is."""
    if isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.BoolOp):
        yield from node.values[1:]
    elif isinstance(node, ast.Compare):
        yield from node.comparators[1:]
    elif isinstance(node, ast.Lambda):
        yield node.body
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        yield node.elt
    elif isinstance(node, ast.DictComp):
        yield from (node.key, node.value)
    elif isinstance(node, ast.comprehension):
        yield from node.ifs
    if isinstance(node, _COMPREHENSIONS):
        yield from (further.iter for further in node.generators[1:])


def only_raises(statements: Sequence[ast.stmt]) -> bool:
    """True where all that statements do is to end in an error: nothing is returned, or gone on with."""
    leaves = (ast.Return, ast.Yield, ast.YieldFrom, ast.Break, ast.Continue, ast.Try, ast.TryStar, ast.With)
    if any(isinstance(node, leaves) for statement in statements for node in ast.walk(statement)):
        return False
    return bool(statements) and _ends_in_an_error(statements[-1])


def _ends_in_an_error(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.If):
        return all(map(only_raises, (statement.body, statement.orelse)))
    return isinstance(statement, ast.Raise)


_HANDLES: Final = dis.opmap["PUSH_EXC_INFO"]
"""First instructions of `except`, `finally` and `with` where an error arises."""


def _catches(functions: Mapping[CodeKey, RanFunction], ran: Iterable[CodeKey], paths: Mapping[str, str]) -> bool:
    """True where something in what was called goes on after an error: then a line that raises does more than that."""
    for key in ran:
        code = functions[key].code
        if not any(_HANDLES in inner.co_code[::2] for inner in _all([code])):
            continue
        source = source_at(paths.get(key.file, code.co_filename), key.file)
        node = None if source is None else source.node_of(code)
        if node is None or any(map(_goes_on, ast.walk(node))):
            return True
    return False


def _goes_on(node: ast.AST) -> bool:
    """True where a statement may go on where an error arises in it."""
    if isinstance(node, ast.ExceptHandler):
        return not only_raises(node.body)
    if isinstance(node, ast.With | ast.AsyncWith):
        return True
    return isinstance(node, ast.Try | ast.TryStar) and any(
        isinstance(one, ast.Return | ast.Break | ast.Continue) for last in node.finalbody for one in ast.walk(last)
    )


def _by_lines(codes: Sequence[CodeType], ran: Mapping[CodeKey, set[int]], file: str) -> list[Unreached]:
    """The code that never ran, line by line, where the source or the columns are not known."""
    held: set[int] = set()
    executed: set[int] = set()
    for code in _all(codes):
        offsets = ran.get(code_key(code, file), set())
        for start, end, line in code.co_lines():
            if line is not None and line > 0 and (code not in codes or line != code.co_firstlineno):
                held.add(line)
                if any(start <= offset < end for offset in offsets):
                    executed.add(line)
    missed = sorted(held - executed)
    groups: list[list[int]] = [missed[:1]] if missed else []
    for before, line in pairwise(missed):
        if line == before + 1:
            groups[-1].append(line)
        else:
            groups.append([line])
    return [Unreached(file, lines[0], lines[-1]) for lines in groups]
