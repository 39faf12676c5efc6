"""A family of claims of privacy as rows: what its claims share is written once, and of each claim what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.reports.record import Refutation, Status
from dpverify.verifiers.charts.domains import as_endless
from dpverify.verifiers.claims import Depth
from dpverify.verifiers.locations import lines_now
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.profiles.longer_inputs import LongerInputs
from dpverify.verifiers.questions.domains import Domain
from dpverify.verifiers.questions.moves import NeighbourRelation

_PLACE: Final = "{}"
_WRITTEN_APART: Final = ("name", "statement", "refuted")


@dataclass(frozen=True)
class Row:
    """One claim of a family, or what its claims share: a field that is left out is as the family has it.

    `name`, of which the id is made, and `statement` stand where those of the family have {}, or else after them;
    `parameters` are added to those of the family. A row that is `refuted` is expected to be REFUTED. Another one is
    expected to be PROVED, and for all databases where it has `all_sizes`, or a domain without end. All other fields
    are those of a `Claim`.
    """

    name: str = ""
    statement: str = ""
    mechanism: Mechanism | None = None
    domain: Domain | None = None
    epsilon: ExactLike | None = None
    delta: ExactLike | None = None
    _: KW_ONLY
    source: str | None = None
    neighbours: NeighbourRelation | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    mutant: Mechanism | None = None
    refuted: Refutation | None = None
    all_sizes: Domain | None = None
    all_sizes_depth: Depth | None = None
    finite_because: str | None = None
    least: LeastShare | None = None
    stronger: Sequence[Any] | None = None
    sweep: Mapping[int, Domain] | LongerInputs | None = None
    weak_because: str | None = None
    depth: Depth | None = None
    made_at: Sequence[tuple[str, int]] = field(default=(), init=False, compare=False, repr=False)
    """The lines that made it, which are those of its claim."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "made_at", lines_now())

    def of(self, family: Row) -> Row:
        """This row with what the family has, which may be a row of another family."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.init}
        given = {name: getattr(family, name) if value is None else value for name, value in own.items()}
        texts = {name: _within(getattr(family, name), own[name]) for name in ("name", "statement")}
        row = Row(**{**given, **texts, "parameters": {**family.parameters, **self.parameters}})
        object.__setattr__(row, "made_at", self.made_at)
        return row

    def claim(self) -> Claim:
        """The claim of a row. Raises as `Claim` does."""
        named = {one.name: getattr(self, one.name) for one in fields(self) if one.init}
        given = {name: value for name, value in named.items() if value is not None and name not in _WRITTEN_APART}
        holds_for_all = self.all_sizes is not None or (self.refuted is None and as_endless(self.domain) is not None)
        claim = Claim(
            id=self.name.replace(_PLACE, ""),
            statement=self.statement.replace(_PLACE, ""),
            expected=Status.PROVED if self.refuted is None else Status.REFUTED,
            refutation=self.refuted,
            scope="all" if holds_for_all else "",
            **given,
        )
        object.__setattr__(claim, "made_at", self.made_at)
        return claim


def _within(shared: str, own: str) -> str:
    return shared.replace(_PLACE, own) if own and _PLACE in shared else shared + own


def claims(*rows: Row) -> tuple[Claim, ...]:
    """The claims of rows. Raises as `Claim` does."""
    return tuple(row.claim() for row in rows)


def rows_of(shared: Row, *rows: Row) -> tuple[Row, ...]:
    """The rows of a family: each with what the first row has."""
    return tuple(row.of(shared) for row in rows)


def family(shared: Row, *rows: Row) -> tuple[Claim, ...]:
    """The claims of rows that share what the first row has. Raises as `Claim` does."""
    return claims(*rows_of(shared, *rows))
