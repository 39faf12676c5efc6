"""The probability of each line of a mechanism to run: the law of which lines a run passes, found as any other law.

Which lines ran is an outcome: a mechanism that runs another one and returns that, and nothing of what the other one
returns, has an exact law, and the probability of a line is that of all outcomes that hold it.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Final

from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import MadeOf, Mechanism
from dpverify.mechanisms.functions.places import code_of
from dpverify.mechanisms.functions.watching import watched_by
from dpverify.mechanisms.numbers.enclosure import decimal, enclosure
from dpverify.mechanisms.numbers.errors import InputError, LimitMet, Overtime, Undecided
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, total
from dpverify.reports.line_runs import LineRun
from dpverify.verifiers.locations import inner_function
from dpverify.verifiers.processes.stopwatch import stopwatch

MOST_LOOKED_AT: Final = 16
"""Databases of a claim on which lines are looked at."""

MOST_PATHS: Final = 2_000
"""Runs that all of them together may take: where one would take more, it is left out, and those behind it."""


MOST_SECONDS: Final = 10
"""Seconds that one database may take."""


def databases_looked_at(first: Sequence[Hashable], domain: Sequence[Hashable]) -> list[Hashable]:
    """At most `MOST_LOOKED_AT`: the `first` ones, and others at equal distances in the domain, from end to end."""
    left = min(MOST_LOOKED_AT - len(first), len(domain))
    places = [i * (len(domain) - 1) // max(1, left - 1) for i in range(left)]
    return list(dict.fromkeys([*first, *(domain[place] for place in places)]))


def line_runs(
    mechanism: Mechanism, databases: Iterable[Hashable], arguments: Mapping[str, Any], limits: Limits
) -> tuple[int, list[LineRun]]:
    """The number of databases on which lines were looked at, and each line that may run, by rising line.

    None of them where the source is not known, or no law of lines is found within `MOST_PATHS` runs, and
    `MOST_SECONDS` for a database.
    """
    source = _source_of(mechanism)
    if source is None:
        return 0, []
    databases = list(databases)
    for whole in (True, False):  # what it defines for `draw` to run is a part of it, or else left out
        results = list(_chances(_LinesPassed(mechanism, source, whole), databases, arguments, limits))
        if results:
            return len(results), _by_line(results)
    return 0, []


def _by_line(found: Sequence[Mapping[int, Exact]]) -> list[LineRun]:
    lines = sorted({line for chances in found for line in chances})
    return [LineRun(line, *_how_often([one[line] for one in found if line in one])) for line in lines]


def _how_often(chances: Sequence[Exact]) -> tuple[int, str]:
    most = max(chances, key=lambda chance: float(enclosure(chance)))
    return len(chances), "1" if most is ONE else _BELOW_1 if (text := decimal(most, 3)) == "1" else text


_BELOW_1: Final = "0.999…"
"""A probability that decimals do not tell from 1."""


@dataclass(frozen=True)
class _Source:
    """The text of a function, or of the class of what is called like one: where it is, and what begins on its lines."""

    file: str
    first: int
    last: int
    statements: Mapping[int, int]
    """By each line the line on which the statement begins that is there; without those within inner functions."""
    within: Mapping[int, int]
    """The same of statements within inner functions."""

    def holds(self, code: CodeType | None) -> bool:
        """True where code is written in it."""
        return code is not None and code.co_filename == self.file and self.first <= code.co_firstlineno <= self.last


def _source_of(mechanism: Mechanism) -> _Source | None:
    """The source that reports show of a mechanism; None where it cannot be read."""
    inner = inner_function(mechanism)
    named = inspect.unwrap(inner if inspect.isroutine(inner) or inspect.isclass(inner) else type(inner))
    try:
        lines, first = inspect.getsourcelines(named)
        file = inspect.getsourcefile(named)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError, ValueError):  # typed in, compiled, or a lambda within a call
        return None
    code = getattr(named, "__code__", None)
    here, within = dict[int, int](), dict[int, int]()
    for node in tree.body:
        functions = node.body if isinstance(node, ast.ClassDef) else [node]
        for function in functions:
            if isinstance(function, _FUNCTIONS):
                _note(function.body, here, within)
    name = code.co_filename if code is not None else file
    return None if name in (None, "<string>") else _Source(name, first, first + len(lines) - 1, here, within)


_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def _note(body: Iterable[ast.AST], here: dict[int, int], within: dict[int, int]) -> None:
    """Note of each line of statements which of them it is of: of one with a body the lines before that."""
    for node in body:
        inner = [part for name in _BODIES for part in getattr(node, name, [])]
        if isinstance(node, ast.stmt) and not isinstance(node, ast.Try):
            end = min([getattr(part, "lineno", 0) - 1 for part in inner], default=node.end_lineno or node.lineno)
            for line in range(node.lineno, max(node.lineno, end) + 1):
                here.setdefault(line, node.lineno)
        is_function = isinstance(node, _FUNCTIONS)
        _note(inner, within if is_function else here, within)


_BODIES: Final = ("body", "orelse", "finalbody", "handlers", "cases")


class _Distributions:
    """The number of laws that are being found, one within another: a line counts in runs of the outermost alone."""

    def __init__(self) -> None:
        self.open = 0

    def begin(self, known: bool) -> None:
        """See `Watcher`."""
        self.open += 1

    def end(self) -> None:
        """See `Watcher`."""
        self.open -= 1


class _LinesPassed(MadeOf):
    """A mechanism that runs another one, and returns on which lines of its source it was."""

    def __init__(self, mechanism: Mechanism, source: _Source, whole: bool) -> None:
        self._mechanism = mechanism
        self._source = source
        self._statements = {**source.within, **source.statements} if whole else source.statements
        self.laws = _Distributions()
        self.is_part = self._is_part if whole else _is_no_part

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return (self._mechanism,)

    def _is_part(self, mechanism: Mechanism) -> bool:
        """True where it is defined within the source, so that runs of it are part of the run around it."""
        return self._source.holds(code_of(inner_function(mechanism)))

    def __call__(self, draw: Any, *args: Any, **parameters: Any) -> tuple[int, ...]:
        source, statements, laws = self._source, self._statements, self.laws
        passed = set[int]()

        def local(frame: FrameType, event: str, _: Any) -> Any:
            if event == "line":
                passed.add(frame.f_lineno)
            return local

        def called(frame: FrameType, event: str, _: Any) -> Any:
            return local if laws.open == 1 and source.holds(frame.f_code) else None

        before = sys.gettrace()
        sys.settrace(called)
        try:
            self._mechanism(draw, *args, **parameters)
        finally:
            sys.settrace(before)
        lines = (line - source.first + 1 for line in passed)
        return tuple(sorted({statements[line] for line in lines if line in statements}))


def _is_no_part(_: Mechanism) -> bool:
    return False


def _chances(
    passed: _LinesPassed, databases: Iterable[Hashable], arguments: Mapping[str, Any], limits: Limits
) -> Iterator[Mapping[int, Exact]]:
    """Of each database the probability of each line that may run, until too many runs were made, or time is up."""
    enumeration = Enumeration(limits, inlined=passed.is_part, most=MOST_PATHS)
    with watched_by(passed.laws):
        for database in databases:
            try:
                with stopwatch(passed, min(limits.seconds, MOST_SECONDS)) as restart:
                    restart(database)
                    with enumeration.looking_out(passed.functions[0], arguments):  # in the form of what is looked at
                        law = enumeration.law(passed, (database,), arguments)
                yield _chances_of_lines(law.leaves)
            except (LimitMet, Overtime):
                return
            except (InputError, Undecided):  # it is decided in another way than run by run, or not at all
                continue


def _chances_of_lines(leaves: Sequence[tuple[tuple[int, ...], Exact]]) -> Mapping[int, Exact]:
    lines = {line for passed, _ in leaves for line in passed}
    results = {line: [chance for passed, chance in leaves if line in passed] for line in lines}
    chances = {line: ONE if len(parts) == len(leaves) else total(parts) for line, parts in results.items()}
    return {line: chance for line, chance in chances.items() if chance is not ZERO}
