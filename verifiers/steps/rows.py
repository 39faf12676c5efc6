"""Rows of steps: what the steps of a proof share is written once, and a row has what one adds, as the paper has it.

A row is a heading, which is a call of a `ProofSteps`, and what the step says there: its statement in the paper's words,
the same as a relation, and its mutants. A formula with a constant is written once, `lambda c=90: …`: the row says it at
c = 90, and `broken("89", 89)` is its mutant with 89.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple

from dpverify.reports.record import Refutation
from dpverify.verifiers.claims import proved_unless
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, between
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Number, Relation

HALF: Final = Fraction(1, 2)
BELOW_1: Final = between(0, 1)
"""0 < x < 1."""

_Point = Mapping[str, int | Fraction]
_Said = Relation | Callable[..., Relation]


class BrokenRow(NamedTuple):
    """A mutant of a row: the change in words, and its own relation, constant, hypotheses, points or ranges."""

    change: str
    says: Relation | Number | None
    given: Sequence[Relation] | None
    tries: Sequence[_Point] | None
    ranges: Mapping[str, Range]


def broken(
    change: str,
    says: Relation | Number | None = None,
    /,
    given: Sequence[Relation] | None = None,
    tries: Sequence[_Point] | None = None,
    **ranges: Range,
) -> BrokenRow:
    """A mutant of a row, with the ranges of the parameters that range otherwise."""
    return BrokenRow(change, says, given, tries, ranges)


@dataclass(frozen=True)
class ProofSteps:
    """The steps of one proof or paper: how their ids and sources begin, and the ranges of parameters, by their names.

    Several names with spaces between them have one range.
    """

    ids: str
    source: str
    ranges: Mapping[str, Range] = field(default_factory=dict)

    def __call__(self, id: str, where: str = "") -> StepHeading:
        """The heading of a row: the rest of the id of a step, and of where it stands."""
        ranges = {name: range_ for names, range_ in self.ranges.items() for name in names.split()}
        return StepHeading(self.ids + id, (self.source + where).rstrip(", "), ranges)


@dataclass(frozen=True)
class StepHeading:
    """The heading of a step: its id, its source, and the ranges that its proof has."""

    id: str
    source: str
    ranges: Mapping[str, Range]

    def says(
        self,
        statement: str,
        says: _Said,
        /,
        *mutants: BrokenRow,
        given: Sequence[Relation] = (),
        tries: Sequence[_Point] = (),
        mends: str = "",
        refuted: Refutation | None = None,
        degenerate: str = "",
        proof_step: str = "",
        reconstruction: str = "",
        **ranges: Range,
    ) -> Step:
        """The step with this statement; `ranges` are of parameters that range otherwise than in all of the proof.

        It is expected to hold unless it says how or why it is refuted. Raises `InputError` as `Step` does.
        """
        return Step(
            id=self.id,
            source=self.source,
            statement=statement,
            parameters=self._parameters(ranges, (_at(says), *given)),
            says=_at(says),
            given=given,
            mutants=[self._mutant(one, ranges, says, given) for one in mutants],
            tries=tries,
            mends=mends,
            **proved_unless(
                refuted=refuted, degenerate=degenerate, proof_step=proof_step, reconstruction=reconstruction
            ),
        )

    def _mutant(
        self, one: BrokenRow, ranges: Mapping[str, Range], says: _Said, given: Sequence[Relation]
    ) -> BrokenStep:
        own = one.says if isinstance(one.says, Relation | None) else _at(says, one.says)
        relations = (_at(says) if own is None else own, *(given if one.given is None else one.given))
        changed = one.ranges and self._parameters({**ranges, **one.ranges}, relations)
        return BrokenStep(one.change, own, one.given, changed or None, one.tries)

    def _parameters(self, own: Mapping[str, Range], relations: Sequence[Relation]) -> dict[str, Range]:
        """The ranges of all parameters that occur: in the order of the proof, or of the row where it has them all."""
        known = {**self.ranges, **own}
        needed = {*own, *(name for relation in relations for name in relation.names)}
        while more := {name for one in needed & known.keys() for name in _names(known[one])} - needed:
            needed |= more
        order = own if needed <= own.keys() else known
        return {name: known[name] for name in order if name in needed}


def _names(range_: Range) -> frozenset[str]:
    end = range_.expression
    return end.names if isinstance(end, Expression) else frozenset()


def _at(says: _Said, *constant: Number) -> Relation:
    return says if isinstance(says, Relation) else says(*constant)
