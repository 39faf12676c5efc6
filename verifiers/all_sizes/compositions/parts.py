"""Parts: how private they are on all databases, whatever else they are given, and what they release.

It is known of functions of this library, each by being that very one: Theorem 11 of docs/theorems.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from enum import Enum
from functools import partial
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee


@dataclass(frozen=True)
class SealedDatabase:
    """All databases of at least so many rows of a universe: neighbours have one size, and differ in one row.

    Where labels are all that may differ, the points x of the rows (x, y) are the same. In any order: neighbours differ
    in one row, and their rows may stand in another order.
    """

    universe: tuple[Any, ...]
    least: int
    labels_alone: bool = False
    in_any_order: bool = False


@dataclass(frozen=True)
class SealedScores:
    """All qualities of the points 0, …, last, whole or not: neighbours differ by at most 1 at each point.

    They have the same points, any number of them where `last` is None.
    """

    last: int | None


class _Released(Enum):
    """In the place of what a part releases."""

    NUMBER = "any number"
    OUTCOME = "any outcome"


NUMBER: Final = _Released.NUMBER
"""In outcomes, what may be any number."""

OUTCOME: Final = _Released.OUTCOME
"""In outcomes, what may be anything."""


class _Values(Enum):
    """In the place of a parameter of a claim."""

    EVERY = "every value"


EVERY_VALUE: Final = _Values.EVERY
"""As a parameter of a claim on `EveryDatabase` or `EveryQuality`: the claim is of every number that it may be."""


def refuse_every_value(mechanism: Mechanism, parameters: Mapping[str, Any], *, is_meant: bool) -> None:
    """Raises `InputError` where `EVERY_VALUE` is no parameter by itself, or none `is_meant`."""
    held: list[Any] = [mechanism, *(value for value in parameters.values() if not (is_meant and value is EVERY_VALUE))]
    while held:
        value = held.pop()
        if value is EVERY_VALUE:
            raise InputError(
                bad_input.WRONG,
                "EVERY_VALUE",
                "a parameter of a claim on EveryDatabase or EveryQuality",
                "give a number",
            )
        if isinstance(value, partial):
            held += [value.func, *value.args, *value.keywords.values()]
        elif isinstance(value, tuple | list | set | frozenset | dict):
            held += [*value, *(value.values() if isinstance(value, dict) else ())]
        elif is_dataclass(value) and not isinstance(value, type):
            held += vars(value).values() if hasattr(value, "__dict__") else ()


@dataclass(frozen=True)
class KnownPart:
    """A part on all databases, with what else it was given: its guarantee, and all outcomes that it may have."""

    name: str
    guarantee: PrivacyGuarantee
    outcomes: Sequence[Any]
    because: str


def part_told(part: KnownPart) -> str:
    """A part in words."""
    epsilon, delta = part.guarantee
    return f"{part.name} at ε = {epsilon}, δ = {delta} ({part.because})"


@dataclass(frozen=True)
class HandedOn:
    """A part that hands other rows on to a mechanism, of which neighbours are neighbours or the same."""

    mechanism: Mechanism
    database: SealedDatabase | SealedScores
    parameters: Mapping[str, Any]


PartRule: TypeAlias = Callable[[Any, Mapping[str, Any]], KnownPart | HandedOn]
"""(database, its other arguments) → what is known. Raises `Undecided` where that is nothing."""
