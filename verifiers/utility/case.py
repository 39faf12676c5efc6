"""A case of a utility claim: an input, on which the mechanism succeeds or fails."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown
from dpverify.verifiers.readable import rows_in_words, shown_parameter


@dataclass(frozen=True)
class CaseData:
    """The data of a case: what functions of a claim are given, in copies."""

    database: Any
    parameters: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case(CaseData):
    """An input: a database, the mechanism's parameters, and what else the claim speaks of, such as a target.

    >>> Case((0, 1), {"epsilon": 1}).parameters
    {'epsilon': 1}
    """

    def __str__(self) -> str:
        named = {**self.parameters, **self.facts}
        words = ", ".join(f"{name}={shown_parameter(value)}" for name, value in named.items())
        return rows_in_words(self.database) + (f" with {words}" if words else "")


_Case = TypeVar("_Case")


@dataclass(frozen=True, eq=False)
class MadeOnce(Iterable[_Case], Generic[_Case]):
    """Cases that are made when they are first gone through, and kept: for long lists in files that are often loaded."""

    make: Callable[[], Iterable[_Case]]

    def __iter__(self) -> Iterator[_Case]:
        return iter(self._cases)

    def __len__(self) -> int:
        return len(self._cases)

    @cached_property
    def _cases(self) -> tuple[_Case, ...]:
        return tuple(self.make())


def refuse_what_is_no_case(claim_id: str, cases: object) -> None:
    """Raises `InputError`, naming the claim, unless it is a list or a tuple of cases."""
    if not isinstance(cases, list | tuple):
        raise InputError(
            bad_input.WRONG, f"{claim_id}: {shown(cases)}", "a list of cases", "write [Case(database, parameters), …]"
        )
    for case in cases:
        if not isinstance(case, Case):
            raise InputError(
                bad_input.WRONG, f"{claim_id}: {shown(case)}", "a case", "write Case(database, parameters)"
            )
