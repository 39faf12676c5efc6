"""Rows of lemmas: goals as `goal(…).given(…, then=…)`, and what the lemmas of one paper share, written once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar, Unpack

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown
from dpverify.verifiers.claims import Why, proved_unless
from dpverify.verifiers.structure.lemma import ALL_SIZES, Instance, Lemma, Mutant, Replay
from dpverify.verifiers.structure.lemma import Goal as Goal  # noqa: PLC0414  # what rows are made of
from dpverify.verifiers.structure.lemma import Values as Values  # noqa: PLC0414  # as well

_Found = TypeVar("_Found")


@dataclass(frozen=True)
class GoalHeading:
    """The heading of a goal: its name, the theory it is of, and what it declares."""

    name: str
    logic: str
    declare: Mapping[str, str]

    def given(self, *hypotheses: str, then: str) -> Goal:
        """The goal with these hypotheses and this conclusion."""
        return Goal(name=self.name, logic=self.logic, declare=self.declare, given=hypotheses, then=then)


def goal(name: str, logic: str, declare: str | Mapping[str, str]) -> GoalHeading:
    """The heading of a goal; `declare` is as "x y: Real, L: (Int) Real"."""
    return GoalHeading(name, logic, declared(declare) if isinstance(declare, str) else declare)


def declared(text: str) -> dict[str, str]:
    """Name → sort, of groups of names with their sort, such as "x y: Real, L: (Int) Real".

    Raises `InputError` for a group without a sort.
    """
    results: dict[str, str] = {}
    for group in text.split(", "):
        names, colon, sort = group.partition(": ")
        if not colon:
            raise InputError(bad_input.FORM, shown(group), "'x y: Real'")
        results |= dict.fromkeys(names.split(), sort)
    return results


def instance(of: Goal, terms: Sequence[str], *where: str) -> Instance:
    """The finite case of a lemma, with what keeps it from being degenerate."""
    return Instance(goal=of, terms=terms, where=where)


def judged(found: Callable[[Values], tuple[_Found, str]], holds: Callable[[_Found], bool]) -> Replay:
    """The replay that is true where what is `found` of a model, with its words, is as it is to be."""

    def replay(values: Values) -> tuple[bool, str]:
        result, words = found(values)
        return holds(result), words

    return replay


class FalseVariant(NamedTuple):
    """A false variant of a lemma; its terms and its replay are those of the lemma's example unless they are given."""

    change: str
    of: Goal
    replay: Replay | None = None
    terms: Sequence[str] | None = None


@dataclass(frozen=True)
class PaperLemmas:
    """The lemmas of one paper: how their ids and their sources begin."""

    ids: str
    source: str

    def __call__(self, id: str, where: str) -> LemmaHeading:
        """The heading of a lemma: the rest of its id, and of where it stands."""
        return LemmaHeading(self.ids + id, self.source + where)


@dataclass(frozen=True)
class LemmaHeading:
    """The heading of a lemma: its id and its source."""

    id: str
    source: str

    def says(
        self,
        statement: str,
        /,
        *parts: Goal | FalseVariant,
        example: Instance,
        replay: Replay,
        terms: Sequence[str] = (),
        scope: str = ALL_SIZES,
        note: str = "",
        **why: Unpack[Why],
    ) -> Lemma:
        """The lemma with this statement, its goals and then its false variants.

        It is expected to hold unless it says how it is `refuted`. Raises `InputError` as `Lemma` does, and for what is
        neither a goal nor a false variant.
        """
        for one in parts:
            if not isinstance(one, Goal | FalseVariant):
                raise InputError(
                    bad_input.WRONG, f"{self.id}: {shown(one)}", "a goal or a false variant", "write goal(…).given(…)"
                )
        return Lemma(
            id=self.id,
            source=self.source,
            statement=statement,
            goals=tuple(one for one in parts if isinstance(one, Goal)),
            example=example,
            replay=replay,
            mutants=tuple(
                Mutant(
                    change=one.change,
                    instance=Instance(goal=one.of, terms=example.terms if one.terms is None else one.terms),
                    replay=one.replay or replay,
                )
                for one in parts
                if isinstance(one, FalseVariant)
            ),
            terms=terms,
            scope=scope,
            note=note,
            **proved_unless(**why),
        )
