"""Unknown numbers that a mechanism returns, such as the number of rows: outcomes that are functions of the database.

On two neighbours they are one outcome where they are equal for all that the coordinates may be. Where they are so for
some of them alone, the question cuts the region.
"""

from collections.abc import Callable
from typing import Any

from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber


class UnknownOutcome:
    """A number of coordinates as an outcome. It equals another one of them, or raises `Cut`; and nothing else.

    A known number may be equal to it at some coordinates. It counts as another outcome there, of which nothing but too
    large a bound comes: who is told apart from more than there is, is told more.
    """

    __slots__ = ("number",)

    def __init__(self, number: Exact) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnknownOutcome) and (self.number is other.number or self.number == other.number)

    def __hash__(self) -> int:
        return hash(UnknownOutcome)  # equal ones may have any form

    def __repr__(self) -> str:
        return str(self.number)


def open_outcome(value: Any) -> Any:
    """An outcome with each unknown number in it, on its own or in tuples, as an outcome."""
    if type(value) is UnknownNumber:
        return UnknownOutcome(object.__getattribute__(value, "number"))
    return tuple(map(open_outcome, value)) if type(value) is tuple else value


def outcome_at(value: Any, put: Callable[[Exact], Exact]) -> Any:
    """An outcome where put(number) stands in the place of each unknown number."""
    if isinstance(value, UnknownOutcome):
        number = put(value.number)
        return UnknownOutcome(number) if number.symbol is not None else as_parameter(number)
    return tuple(outcome_at(part, put) for part in value) if type(value) is tuple else value


def has_unknown(value: Any) -> bool:
    """True where an outcome has an unknown number in it."""
    return isinstance(value, UnknownOutcome) or (type(value) is tuple and any(map(has_unknown, value)))
