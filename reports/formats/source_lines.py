"""The source of a mechanism line by line, as a page shows it: its numbers, where it draws, how often each line runs."""

import ast
import warnings
from typing import Final, NamedTuple

from msgspec import UNSET, UnsetType

from dpverify.reports.line_runs import LineRuns
from dpverify.reports.never_run import NeverRun
from dpverify.reports.record import AuditRecord, ClaimResult, Location, Status


class SourceLine(NamedTuple):
    """A line of a source."""

    number: int | None
    """In its file; None where that is not known."""
    text: str
    draws: bool
    """True where it draws, or hands on what draws."""
    never_ran: bool
    """True where no database of the claim runs it, or a part of it, and nobody accepts that."""
    chance: str
    """The largest probability that it runs, and on how many databases unless on all; empty where all always run."""


def source_lines(
    text: str, place: Location | None, never_run: NeverRun | None = None, line_runs: LineRuns | UnsetType = UNSET
) -> list[SourceLine]:
    """The lines of a source that is written there, of a long docstring the first and the last alone.

    Which of them draw is left out where it cannot be parsed.
    """
    tree = _parsed(text)
    drawing, folded = _drawing(tree), _folded(tree)
    silent = _never_ran(place, never_run)
    first, chances = _first_line(place), _chances(line_runs)
    numbers = [None if first is None or _is_cut(line) else first + i for i, line in enumerate(text.splitlines())]
    return [
        SourceLine(number, f"{line} …" if i + 1 in folded else line, i in drawing, number in silent, chances.get(i, ""))
        for i, (number, line) in enumerate(zip(numbers, text.splitlines(), strict=True), 1)
        if i not in folded
    ]


def seldom_run(claim: ClaimResult) -> list[tuple[int | None, str]]:
    """The lines that do not run always, by their numbers in the file, and how likely each is to run at most."""
    first = _first_line(claim.mechanism_location)
    result = _chances(claim.line_runs).items()
    return [(None if first is None else first + line - 1, chance) for line, chance in result if chance != "1"]


def _first_line(place: Location | None) -> int | None:
    return None if place is None or not place.line else place.line


def _chances(runs: LineRuns | UnsetType) -> dict[int, str]:
    """The largest probabilities of lines, by their places in the source; none where all of them always run."""
    if runs is UNSET:
        return {}
    results = {
        one.line: one.most if one.databases == runs.databases else f"{one.most} on {one.databases}"
        for one in runs.lines
    }
    return results if any(chance != "1" for chance in results.values()) else {}


def sources_once(audit: AuditRecord) -> dict[str, str]:
    """Of each claim with a source the claim with which a page shows it, which is the first of all that look the same.

    What is not as expected shows its own before others, and then what is refuted.
    """
    texts = {claim_id: source.text for source in audit.sources for claim_id in source.claims}
    shown: dict[tuple[str, tuple[SourceLine, ...]], str] = {}
    results = {}
    for claim in sorted(audit.claims, key=lambda one: (one.as_expected, one.verdict is not Status.REFUTED)):
        if claim.id in texts:
            lines = tuple(source_lines(texts[claim.id], claim.mechanism_location, claim.never_run))
            results[claim.id] = shown.setdefault((claim.mechanism or "", lines), claim.id)
    return results


def _never_ran(place: Location | None, never_run: NeverRun | None) -> set[int]:
    """The numbers of lines of that file that never ran."""
    if place is None or not place.file or never_run is None:
        return set()
    there = (one for one in never_run.open_lines if one.file == place.file)
    return {number for one in there for number in range(one.first, one.last + 1)}


def _is_cut(line: str) -> bool:
    return line.startswith("# … ")


def _parsed(text: str) -> ast.Module:
    """The tree of a source; an empty one where it cannot be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of somebody's source, which is no news here
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a lambda within a call, say
        return ast.Module([], [])


def _folded(tree: ast.Module) -> set[int]:
    """The lines, from 1, of the docstrings of what is defined, but for the first and the last of each."""
    numbers = set[int]()
    for node in tree.body:
        first = node.body[0] if isinstance(node, (*_FUNCTIONS, ast.ClassDef)) else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            numbers.update(range(first.lineno + 1, first.end_lineno or first.lineno))
    return numbers


def _drawing(tree: ast.Module) -> set[int]:
    """The lines, from 1, on which a function, or what is called like one, uses its first parameter, which draws."""
    functions = [(node, 0) for node in tree.body if isinstance(node, _FUNCTIONS)]
    functions += [
        (node, 1)
        for owner in tree.body
        if isinstance(owner, ast.ClassDef)
        for node in owner.body
        if isinstance(node, _FUNCTIONS) and node.name == "__call__"
    ]
    return {line for node, place in functions for line in _uses(node, place)}


_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def _uses(function: ast.FunctionDef | ast.AsyncFunctionDef, place: int) -> set[int]:
    """The lines of its body on which a function uses the parameter of that place."""
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)][place : place + 1]
    within = (each for part in function.body for each in ast.walk(part))
    return {each.lineno for each in within if isinstance(each, ast.Name) and each.id in names}
