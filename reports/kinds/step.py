"""Steps of proofs: an inequality for all parameters in ranges, by certified subdivision, and how it is told."""

from collections.abc import Sequence
from typing import Final

import msgspec

from dpverify.reports.kind import Kind, broken_forms, origin, scope_and_reason
from dpverify.reports.markdown_text import cell, code, rows_of_table
from dpverify.reports.record import ResultWithMutants


class StepPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A point that meets the hypotheses: its parameters, as exact numbers in words, and both sides there."""

    parameters: str
    left: str
    right: str


class StepResult(ResultWithMutants, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="step"):
    """The inequality in words, what is supposed, what was certified, and a point that refutes it."""

    ranges: list[str]
    conditions: list[str]
    says: str
    certified: int
    """Boxes on which the inequality is certain."""
    excluded: int
    """Boxes on which a hypothesis is certainly false."""
    open_box: str
    """A box on which neither is; empty where there is none."""
    nearest: StepPoint | None
    """Of the points that were tried, the one at which left/right is greatest; null where none meets the hypotheses."""
    counterexample: StepPoint | None
    mends: str
    """Correction of a step that fails, in words; empty where nothing is to be corrected."""


def claimed(result: StepResult) -> str:
    """Parameters for which it is claimed."""
    return f"for all {', '.join(result.ranges)}"


def found(result: StepResult) -> str:
    """A point that refutes it, or where the sides come nearest to one another."""
    point = result.counterexample or result.nearest
    if point is None:
        return "no point that meets the hypotheses"
    return f"left {point.left}, right {point.right}"


def extent(result: StepResult) -> str:
    """The number of boxes that were certified, or that a point was found."""
    if result.counterexample is not None:
        return "a point"
    many = result.certified + result.excluded
    boxes = "1 box" if many == 1 else f"{many:,} boxes"
    return f"{boxes}, {result.excluded} outside" if result.excluded else boxes


def witness(result: StepResult) -> list[str]:
    """The point that refutes it, with both sides."""
    point = result.counterexample
    return [] if point is None else [point.parameters, f"left  = {point.left}", f"right = {point.right}"]


def details(result: StepResult) -> list[str]:
    """The statement, the suppositions and the finding, in sentences."""
    supposed = f" Supposed: {'; '.join(result.conditions)}." if result.conditions else ""
    lines = [f"For all {', '.join(result.ranges)}: {result.says}.{supposed}", f"Scope: {result.scope.text}."]
    if result.open_box:
        lines.append(f"Open: {result.open_box}.")
    if result.nearest is not None:
        point = result.nearest
        lines.append(f"Nearest of the points tried: {point.parameters}, left {point.left}, right {point.right}.")
    if result.mends:
        lines.append(f"What mends it: {result.mends}.")
    return lines


def background(result: StepResult) -> list[str]:
    """All that is known of a step, in sentences."""
    return [*origin(result), *details(result), *broken_forms(result)]


def appendix(results: Sequence[StepResult]) -> list[str]:
    """The table of all steps, in Markdown."""
    rows = [
        (code(one.id), cell(one.says), cell("; ".join([*one.ranges, *one.conditions])), str(one.verdict))
        for one in results
    ]
    return ["## Steps of proofs", "", *rows_of_table(("step", "says", "supposed", "verdict"), rows)]


KIND: Final = Kind(
    name="step",
    rank=6,
    result=StepResult,
    claimed=claimed,
    found=found,
    extent=extent,
    prose=scope_and_reason,
    background=background,
    witness=witness,
    appendix=appendix,
    page={"details": details},
)
