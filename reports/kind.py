"""The parts that a kind of claims hands to the renderers: how a result reads in a line, below it, and on a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from dpverify.reports.record import ClaimResult, ResultWithMutants

_Result = TypeVar("_Result", bound=ClaimResult)

Detail = Literal["", "fold", "scope", "all"]
"""Amount that is said below each claim: nothing, the scope of its verdict in a line or in full, or everything."""


def _nothing(_: Any) -> list[Any]:
    return []


def origin(result: ClaimResult) -> list[str]:
    """Statement of a claim, and its source, as the first sentence on it; none where nothing is known."""
    said = " ".join(filter(None, (result.statement, result.source and f"({result.source})")))
    return [said] if said else []


def scope_and_reason(result: ClaimResult, detail: Detail) -> list[str]:
    """Sentences below the line of most claims: the scope, where that is asked for, and why there is no verdict."""
    said = [result.scope.text] if detail == "scope" else []
    return [*said, *([result.reason] if result.reason else [])]


def why_found(result: ClaimResult) -> list[str]:
    """The reason of a verdict, as a sentence; none where there is none."""
    return [f"Found: {result.reason}."] if result.reason else []


def what_is_expected(result: ClaimResult) -> list[str]:
    """The verdict that a claim is expected to have, where it has it."""
    return [f"Expected: {result.expected}."] if result.as_expected else []


def broken_forms(result: ResultWithMutants) -> list[str]:
    """Sentences on each mutant, and on the verdict that is expected: the last ones on a claim."""
    broken = [f"Broken, {mutant.change}: {mutant.status}, {mutant.shown}." for mutant in result.mutants]
    return [*broken, *what_is_expected(result)]


class Table(NamedTuple):
    """A table of all claims of a kind: its title, what it says, its columns, and rows, first of which is an id."""

    title: str
    says: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[_Result]):
    """A kind of claims. Its module in `kinds` makes one under the name KIND, and a page `templates/<name>.html`.

    Kinds are shown by rising `rank`. `claimed`, `found` and `extent` are a few words each: what is claimed, what is
    found in its place, and of how much (such as "66 pairs"), or for what ("for n = 4, rows from {0, 1}"). `prose` are
    sentences below the line, and `witness` lines that a person can check by hand. `background` is all that is said
    where everything is asked for. `tables` and `appendix`, lines of Markdown, tell of all claims of the kind, and
    `together` what a terminal says of them below all. Its page takes what it needs from `page`.
    """

    name: str
    rank: int
    result: type[_Result]
    claimed: Callable[[_Result], str]
    found: Callable[[_Result], str]
    extent: Callable[[_Result], str]
    size: Callable[[_Result], str] | None = None
    """As `extent`, where that depends on the verdict: of how much, for a comparison of two verdicts."""
    prose: Callable[[_Result, Detail], list[str]]
    background: Callable[[_Result], list[str]]
    witness: Callable[[_Result], list[str]] = _nothing
    appendix: Callable[[Sequence[_Result]], list[str]] = _nothing
    tables: Callable[[Sequence[_Result]], list[Table]] = _nothing
    together: Callable[[Sequence[_Result]], list[str]] = _nothing
    page: Mapping[str, Any] = field(default_factory=dict)

    @property
    def file_name(self) -> str:
        """The name as files have it: of its module in `kinds`, its page, and modules of the catalogue."""
        return self.name.replace("-", "_")


NAME_OF_KIND: Final = "KIND"
"""The name under which the module of a kind has it."""
