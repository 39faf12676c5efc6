"""Families of lower bounds as rows: what is forced on which instance is written once, and a row has its cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, Unpack

from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.verifiers.claims import Broken as Broken  # noqa: PLC0414  # what rows are made of
from dpverify.verifiers.claims import Why, proved_unless
from dpverify.verifiers.lower_bounds.claim import LowerBound
from dpverify.verifiers.lower_bounds.instance import HardInstance as HardInstance  # noqa: PLC0414
from dpverify.verifiers.lower_bounds.statement import BoundStatement, a_tenth_less
from dpverify.verifiers.lower_bounds.statement import Law as Law  # noqa: PLC0414
from dpverify.verifiers.lower_bounds.statement import Parameters as Parameters  # noqa: PLC0414


@dataclass(frozen=True)
class BoundFamily:
    """Fields that several rows share: hard instances, what the proof needs of them, and mechanisms.

    A row is a call: the id of a claim, its source, its statement in the paper's words, its cases, and its mutants,
    each of which may be made of the family.
    """

    forced: Callable[[Parameters], ExactLike]
    instance: Callable[[Parameters], HardInstance | None] = BoundStatement.instance
    properties: Mapping[str, Callable[[Parameters], str | None]] = field(default_factory=dict)
    mechanisms: Mapping[str, Callable[[Parameters], Law | None]] = field(default_factory=dict)
    strict: bool = False
    least: Callable[[Parameters], int | str] | None = None
    epsilon: Callable[[Parameters], ExactLike] = BoundStatement.epsilon

    def __call__(
        self,
        claim_id: str,
        source: str,
        statement: str,
        cases: Sequence[Parameters],
        /,
        *mutants: BoundMutant,
        **why: Unpack[Why],
    ) -> LowerBound:
        """The claim, which is expected to hold unless it says how it is `refuted`. Raises `InputError` as it does."""
        return LowerBound(
            id=claim_id,
            source=source,
            statement=statement,
            cases=cases,
            mutants=[one if isinstance(one, Broken) else one(self) for one in mutants],
            **proved_unless(**why),
            **vars(self),
        )


BoundMutant: TypeAlias = Broken | Callable[[BoundFamily], Broken]


def a_tenth_too_little(family: BoundFamily) -> Broken:
    """A mutant: nine tenths of what is forced."""
    return Broken("a tenth less is forced", {"forced": a_tenth_less(family.forced)})


def two_tenths_too_little(family: BoundFamily) -> Broken:
    """A mutant: nine tenths of nine tenths of what is forced."""
    return Broken("two tenths less are forced", {"forced": a_tenth_less(a_tenth_less(family.forced))})


def without_distances(family: BoundFamily) -> Broken:
    """A mutant: the instance with its databases unrelated."""

    def unrelated(case: Parameters) -> HardInstance | None:
        instance = family.instance(case)
        return None if instance is None else instance.unrelated

    return Broken("the distances are left out", {"instance": unrelated})


def on_cases(change: str, *cases: Parameters, **fields: Any) -> Broken:
    """A mutant: the claim on other cases, and with other fields."""
    return Broken(change, {"cases": cases, **fields})
