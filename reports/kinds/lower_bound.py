"""Lower bounds: what is achieved, what is best and the bound implied by the theorem, on hard instances."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec

from dpverify.mechanisms.numbers.shown import decimal_of_fraction
from dpverify.reports.bars import Marks, marks_of
from dpverify.reports.kind import Detail, Kind, broken_forms, origin
from dpverify.reports.markdown_text import cell, code, rows_of_table
from dpverify.reports.numbers import counted
from dpverify.reports.record import Quantity, ResultWithMutants


class BoundRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of the table: a case in words, and of a mechanism, empty for none, what it achieves there.

    The best that any private mechanism has lies between `at_least` and `at_most`, which are equal where it is known;
    all are null where nothing is run. `least` is the number of rows from which on what is asked for is allowed, and
    empty where that was not computed.
    """

    case: str
    mechanism: str
    achieved: Quantity | None
    at_least: Quantity | None
    at_most: Quantity | None
    implied: Quantity
    least: str = ""


class Property(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Missing or wrong premise of the proof on the hard instances; empty where it was checked and holds."""

    name: str
    wrong: str


class LowerBoundResult(ResultWithMutants, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="lower-bound"):
    """The table that a verdict on a lower bound rests on, and what was checked of the hard instances.

    `quantity` is what no mechanism has more of, or as much, if `strict`. `contradictions` are where what is achieved,
    what is best and what is private do not go together, in words.
    """

    quantity: str
    strict: bool
    cases: int
    rows: list[BoundRow]
    properties: list[Property]
    contradictions: list[str]
    witness: list[str]

    @property
    def surprise(self) -> str:
        """Reason why it is not as expected; a contradiction, first of all."""
        return f"contradiction: {self.contradictions[0]}" if self.contradictions else super().surprise

    @property
    def left_open(self) -> bool:
        """True where it is no worse than open."""
        return super().left_open and not self.contradictions

    @property
    def nearest(self) -> BoundRow:
        """The line in which the best comes nearest to, or exceeds, the implied bound; of several the best achieved."""
        return max(self.rows, key=lambda row: (_share(row.at_least, row.implied), _share(row.achieved, row.implied)))


def short(number: Quantity) -> str:
    """A number to read at a glance: a short exact form, or three digits."""
    if number.exact is not None and len(number.exact) <= 5:
        return number.exact
    return decimal_of_fraction(Fraction(number.decimal), 3)


def claimed(result: LowerBoundResult) -> str:
    """The success that no mechanism exceeds, in the case that comes nearest to it."""
    return f"{result.quantity} {'<' if result.strict else '≤'} {short(result.nearest.implied)}"


def found(result: LowerBoundResult) -> str:
    """The success that the best mechanism has there, and what implemented ones have."""
    nearest = result.nearest
    if nearest.at_least is None:
        failing = sum(bool(one.wrong) for one in result.properties)
        return f"{counted(len(result.properties), 'step')} checked, {failing} wrong" if failing else "all steps hold"
    achieved = [
        f"{row.mechanism} {short(row.achieved)}"
        for row in result.rows
        if row.case == nearest.case and row.achieved is not None
    ]
    return ", ".join([f"best {optimal(nearest)}", *achieved])


def optimal(row: BoundRow) -> str:
    """The success of the best mechanism, or the numbers that it lies between; empty where nothing is run."""
    if row.at_least is None or row.at_most is None:
        return ""
    low, high = short(row.at_least), short(row.at_most)
    return low if row.at_least == row.at_most else f"{low} to {high}"


def extent(result: LowerBoundResult) -> str:
    """The number of cases, and what was checked of each."""
    cases = counted(result.cases, "case")
    many = len(result.properties)
    return f"{cases}, {many} {'property' if many == 1 else 'properties'}" if many else cases


def table(result: LowerBoundResult) -> list[tuple[str, ...]]:
    """The table, as text, its heading first; columns without a cell are left out."""
    heading = ("case", "least rows", "mechanism", "achieved", "optimal", "implied")
    lines = [
        (
            row.case,
            row.least,
            row.mechanism,
            "" if row.achieved is None else short(row.achieved),
            optimal(row),
            short(row.implied),
        )
        for row in result.rows
    ]
    kept = [i for i in range(len(heading)) if any(line[i] for line in lines)]
    return [tuple(line[i] for i in kept) for line in (heading, *lines)]


def table_in_lines(result: LowerBoundResult) -> list[str]:
    """The table, as lines for a terminal."""
    widths = [max(map(len, column)) for column in zip(*table(result), strict=True)]
    return [
        "  ".join(f"{text:<{width}}" for text, width in zip(line, widths, strict=True)).rstrip()
        for line in table(result)
    ]


def prose(result: LowerBoundResult, detail: Detail) -> list[str]:
    """Reason why there is no verdict, and the contradiction."""
    said = [result.scope.text] if detail == "scope" else []
    said += [result.reason] if result.reason and result.reason not in result.contradictions else []
    return [*said, *result.contradictions]


def background(result: LowerBoundResult) -> list[str]:
    """All that is known of a claim, in sentences."""
    return [
        *origin(result),
        f"Scope: {result.scope.text}.",
        *(f"Checked, {one.name}: {one.wrong or 'holds in every case'}." for one in result.properties),
        *(f"Contradiction: {text}." for text in result.contradictions),
        *broken_forms(result),
    ]


def marks(row: BoundRow) -> Marks:
    """The places of a line's numbers on a scale of which 1, or the implied bound if that is more, is the end."""
    numbers = {"achieved": row.achieved, "optimal": row.at_least, "implied": row.implied}
    return marks_of({name: float(Fraction(x.decimal)) for name, x in numbers.items() if x is not None})


def markdown_table(result: LowerBoundResult) -> list[str]:
    """The table in Markdown, and an empty line."""
    heading, *lines = table(result)
    return rows_of_table(heading, ([*map(cell, line)] for line in lines))


def _share(number: Quantity | None, implied: Quantity) -> Fraction:
    if number is None:
        return Fraction(-1)
    whole = Fraction(implied.decimal)
    return Fraction(number.decimal) / whole if whole > 0 else Fraction(1 << 64)


def appendix(results: Sequence[LowerBoundResult]) -> list[str]:
    """The tables of all lower bounds, in Markdown."""
    lines = [
        "## Lower bounds: achieved, optimal, implied",
        "",
        "On the hard instances of a bound: what implemented mechanisms achieve, what the best private mechanism does,",
        "by linear programming, and the bound that the theorem implies for all.",
        "",
    ]
    for result in results:
        lines += [f"{code(result.id)}: {result.statement}", "", *markdown_table(result)]
    return lines


KIND: Final = Kind(
    name="lower-bound",
    rank=5,
    result=LowerBoundResult,
    claimed=claimed,
    found=found,
    extent=extent,
    prose=prose,
    background=background,
    witness=lambda result: result.witness,
    appendix=appendix,
    page={"table": table, "marks": marks, "short": short, "optimal": optimal},
)
