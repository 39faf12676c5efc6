"""What a kind of claims tells the renderers: how a result reads in a line, below it, and on a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from dpverify.reports.record import ClaimResult, Quantity

Result = TypeVar("Result", bound=ClaimResult)

Detail = Literal["", "scope", "all"]
"""What is said below each claim: nothing, what its verdict covers, or all that is known of it."""


def _nothing(_: Any) -> list[Any]:
    return []


def origin(result: ClaimResult) -> list[str]:
    """What a claim states, and where, as the sentence that what is known of it begins with; none where nothing is."""
    said = " ".join(filter(None, (result.statement, result.source and f"({result.source})")))
    return [said] if said else []


class Table(NamedTuple):
    """A table of all claims of a kind: its title, what it says, its columns, and rows, first of which is an id."""

    title: str
    says: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Measured:
    """A number of a result that a gate watches: it lies between `low` and `high`, which may be infinite floats."""

    what: str
    low: Fraction | float
    high: Fraction | float
    shown: str
    less_is_better: bool = True


def measured(what: str, number: Quantity | None, missing: str, *, less_is_better: bool = True) -> Measured:
    """A number of the record, and where there is none, one that is worse than any, shown as what is `missing`."""
    if number is None:
        worst = inf if less_is_better else -inf
        return Measured(what, worst, worst, missing, less_is_better)
    shown = number.exact if number.exact is not None and len(number.exact) <= _SHORT else number.decimal
    return Measured(what, Fraction(number.lower), Fraction(number.upper), shown, less_is_better)


def counted_in(what: str, number: int) -> Measured:
    """A number of things, of which more are better."""
    return Measured(what, number, number, f"{number:,}", less_is_better=False)


_SHORT: Final = 24
"""Characters of an exact form that is shown in a gate."""


def _unchanged(result: Any) -> Any:
    return result


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[Result]):
    """A kind of claims. Its module in `kinds` makes one under the name KIND, and a page `templates/<name>.html`.

    Kinds are shown by rising `rank`, and `meaning` says on a page what its verdicts mean. `claimed`, `found` and
    `extent` are a few words each: what is claimed, what is found in its place, and of how much (such as "66 pairs").
    `prose` are sentences below the line, and `witness` lines that a person can check by hand. `background` is all that
    is said where everything is asked for. `appendix` are lines of Markdown that tell of all claims of the kind. Its
    page takes what it needs from `page`. `measures` are numbers that may not get worse, and `lean` leaves out of a
    result what a baseline has no use for.
    """

    name: str
    rank: int
    result: type[Result]
    meaning: str
    claimed: Callable[[Result], str]
    found: Callable[[Result], str]
    extent: Callable[[Result], str]
    prose: Callable[[Result, Detail], list[str]]
    background: Callable[[Result], list[str]]
    witness: Callable[[Result], list[str]] = _nothing
    appendix: Callable[[Sequence[Result]], list[str]] = _nothing
    tables: Callable[[Sequence[Result]], list[Table]] = _nothing
    page: Mapping[str, Any] = field(default_factory=dict)
    measures: Callable[[Result], list[Measured]] = _nothing
    lean: Callable[[Result], Result] = _unchanged

    @property
    def file_name(self) -> str:
        """The name as files have it: of its module in `kinds`, its page, and modules of the catalogue."""
        return self.name.replace("-", "_")


KIND: Final = "KIND"
"""The name under which the module of a kind has it."""
