"""A family of claims of privacy as rows: what its claims share is written once, and of each claim what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Unpack, cast

from dpverify.mechanisms.functions.mechanism import Mechanism as Mechanism  # noqa: PLC0414  # what rows are made of
from dpverify.mechanisms.numbers.exact_numbers import ExactLike as ExactLike  # noqa: PLC0414
from dpverify.verifiers.all_sizes.compositions.domains import EveryDatabase as EveryDatabase  # noqa: PLC0414
from dpverify.verifiers.all_sizes.regions.domains import as_endless
from dpverify.verifiers.claims import Depth as Depth  # noqa: PLC0414
from dpverify.verifiers.claims import Why, proved_unless, refutation_of
from dpverify.verifiers.locations import lines_now
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.problems.questions.domains import Domain
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.problems.questions.score_domains import OrMore as OrMore  # noqa: PLC0414
from dpverify.verifiers.profiles.least_share import LeastShare as LeastShare  # noqa: PLC0414
from dpverify.verifiers.profiles.longer_inputs import LongerInputs as LongerInputs  # noqa: PLC0414

_PLACE: Final = "{}"


class Fields(Why, total=False):
    """The fields of a row: those of a `Claim`, and of one that is not to hold why or how it is refuted."""

    source: str
    mechanism: Mechanism
    domain: Domain
    neighbours: NeighbourRelation
    epsilon: ExactLike | Mapping[str, ExactLike]
    delta: ExactLike
    parameters: Mapping[str, Any]
    mutant: Mechanism
    all_sizes: Domain
    all_sizes_depth: Depth
    finite_because: str
    least: LeastShare | None
    stronger: Sequence[Any]
    sweep: Mapping[int, Domain] | LongerInputs
    weak_because: str
    depth: Depth


@dataclass(frozen=True)
class Row:
    """One claim of a family, or what its claims share: `Row(name).says(statement).having(…)`.

    `name`, of which the id is made, and what it `says` stand where those of the family have {}, or else after them. A
    field that is left out is as the family has it; `parameters` are added to those of the family. A row that is
    `refuted` is expected to be REFUTED. Another one is expected to be PROVED, and for all databases where it has
    `all_sizes`, or a domain without end.
    """

    name: str = ""
    statement: str = ""
    fields: Fields = field(default_factory=Fields)
    made_at: Sequence[tuple[str, int]] = field(default_factory=lines_now, compare=False, repr=False)
    """The lines that made it, which are those of its claim."""

    def says(self, statement: str) -> Row:
        """The row with this statement."""
        return replace(self, statement=statement)

    def having(self, **fields: Unpack[Fields]) -> Row:
        """The row with these fields."""
        given: dict[str, Any] = {**fields}
        if why := {name: given.pop(name) for name in Why.__annotations__ if name in given}:
            given["refuted"] = refutation_of(**why)
        return replace(self, fields=_added(self.fields, cast("Fields", given)))

    def run_with(self, **parameters: Any) -> Row:
        """The row whose mechanism is run with these parameters."""
        return self.having(parameters=parameters)

    def holds_with(self, share: ExactLike, below: ExactLike, because: str) -> Row:
        """The row that holds with this share of its noise, and not with the share `below`; see `LeastShare`."""
        return self.having(least=LeastShare(share=share, below=below, because=because))

    def of(self, family: Row) -> Row:
        """The row with what a family has, which may be a row of another family."""
        return replace(
            self,
            name=_within(family.name, self.name),
            statement=_within(family.statement, self.statement),
            fields=_added(family.fields, self.fields),
        )

    def each(self) -> tuple[Row, ...]:
        """The rows of a row with several ε, by what their names end with; of another one the row itself."""
        epsilons = self.fields.get("epsilon")
        if not isinstance(epsilons, Mapping):
            return (self,)
        return tuple(
            replace(self, name=_within(self.name, suffix)).having(epsilon=epsilon)
            for suffix, epsilon in epsilons.items()
        )

    def claim(self) -> Claim:
        """The claim of a row with one ε. Raises as `Claim` does."""
        fields: dict[str, Any] = {**self.fields}
        refuted = fields.pop("refuted", None)
        holds_for_all = "all_sizes" in fields or (refuted is None and as_endless(fields.get("domain")) is not None)
        claim = Claim(
            id=self.name.replace(_PLACE, ""),
            statement=self.statement.replace(_PLACE, ""),
            **proved_unless(refuted=refuted),
            scope="all" if holds_for_all else "",
            **fields,
        )
        object.__setattr__(claim, "made_at", self.made_at)
        return claim


def _added(shared: Fields, own: Fields) -> Fields:
    return {**shared, **own, "parameters": {**shared.get("parameters", {}), **own.get("parameters", {})}}


def _within(shared: str, own: str) -> str:
    return shared.replace(_PLACE, own) if own and _PLACE in shared else shared + own


def claims(*rows: Row) -> tuple[Claim, ...]:
    """The claims of rows: of one with several ε several. Raises as `Claim` does."""
    return tuple(one.claim() for row in rows for one in row.each())


def rows_of(shared: Row, *rows: Row) -> tuple[Row, ...]:
    """The rows of a family: each with what the first row has."""
    return tuple(row.of(shared) for row in rows)


def family(shared: Row, *rows: Row) -> tuple[Claim, ...]:
    """The claims of rows that share what the first row has. Raises as `Claim` does."""
    return claims(*rows_of(shared, *rows))
