"""Calculations: a number that is computed for each case, beside the one that is claimed, and how it is told."""

from collections.abc import Sequence
from typing import Final

import msgspec

from dpverify.reports.bars import bar_of
from dpverify.reports.kind import Detail, Kind, Table, broken_forms, origin, scope_and_reason, why_found
from dpverify.reports.kinds.utility import SharpnessResult, sharp, table_of_sharpness
from dpverify.reports.numbers import counted
from dpverify.reports.record import ResultWithMutants, Status


class CalculatedCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A case, and both numbers there, in words: exact forms with decimals, of long ones these alone."""

    case: str
    computed: str
    claimed: str


class CalculationResult(ResultWithMutants, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="calculation"):
    """Both numbers on the case that refutes a claim, or that comes nearest to what is claimed.

    `relation` is =, ≤ or ≥; `ratio` is the part of the bound that is used on that case, null of equalities and where it
    is infinite. `cases` are those up to one that fails.
    """

    relation: str
    cases: int
    nearest: CalculatedCase | None
    counterexample: CalculatedCase | None
    ratio: float | None
    sharpness: SharpnessResult | None
    loose_because: str = ""
    """Reason why a claim is kept whose number is nowhere near its bound; empty where nobody says so."""
    sharp_in: str = ""
    """The claim that is sharp; empty where none is named."""

    @property
    def surprise(self) -> str:
        """Reason why it is not as expected: as of any claim with mutants, or half the ε is enough at the least size."""
        half = None if self.sharpness is None else self.sharpness.half_epsilon
        return super().surprise or (f"with half the ε it is {half}" if half not in (None, Status.REFUTED) else "")


def found(result: CalculationResult) -> str:
    """The number that is computed, on the case that fails or comes nearest."""
    return "nothing" if result.nearest is None else result.nearest.computed


def claimed(result: CalculationResult) -> str:
    """The number that is claimed there."""
    return result.relation if result.nearest is None else f"{result.relation} {result.nearest.claimed}"


def witness(result: CalculationResult) -> list[str]:
    """The case that refutes it, with both numbers."""
    one = result.counterexample
    return [] if one is None else [one.case, f"computed  {one.computed}", f"claimed {result.relation} {one.claimed}"]


def prose(result: CalculationResult, detail: Detail) -> list[str]:
    """Reason why there is no verdict, and how sharp the claim is."""
    return scope_and_reason(result, detail) + ([] if result.sharpness is None else [sharp(result.sharpness)])


def details(result: CalculationResult) -> list[str]:
    """The scope, the nearest case and the strength, in sentences."""
    one = result.nearest
    where = result.sharp_in and f"; {result.sharp_in} is sharp"
    why = result.loose_because and f": {result.loose_because}"
    return [
        f"Scope: {result.scope.text}.",
        *([] if one is None else [f"Nearest: {one.case}: {one.computed}, claimed {result.relation} {one.claimed}."]),
        *([] if result.sharpness is None else [f"Sharp: {sharp(result.sharpness)}."]),
        *([f"Loose: what is computed is nowhere near its bound{where}{why}."] if result.loose else []),
    ]


def background(result: CalculationResult) -> list[str]:
    """All that is known of a claim, in sentences."""
    return [*origin(result), *why_found(result), *details(result), *broken_forms(result)]


def tables(results: Sequence[CalculationResult]) -> list[Table]:
    """The least sizes from which claims hold."""
    return [table for table in [table_of_sharpness("How sharp: calculations", results)] if table.rows]


KIND: Final = Kind(
    name="calculation",
    rank=3,
    result=CalculationResult,
    claimed=claimed,
    found=found,
    extent=lambda result: counted(result.cases, "case"),
    prose=prose,
    background=background,
    witness=witness,
    tables=tables,
    page={"bar": lambda result: bar_of(result.ratio, "of what is claimed"), "details": details},
)
