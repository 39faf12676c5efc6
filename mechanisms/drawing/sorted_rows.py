"""Mechanisms that put their rows in order before anything else, so that the order in which rows come cannot matter."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dpverify.mechanisms.functions.canonical import sorted_by_value
from dpverify.mechanisms.functions.mechanism import Draw, MadeOf, Mechanism
from dpverify.mechanisms.functions.signatures import misfit, signature_handed_on
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown


@dataclass(frozen=True)
class InSortedOrder(MadeOf):
    """See `in_sorted_order`."""

    mechanism: Mechanism

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return (self.mechanism,)

    def called(self, name: str) -> str:
        return f"in_sorted_order({name})"

    @property
    def __wrapped__(self) -> Mechanism:
        """The mechanism, by whose docstring this one goes."""
        return self.mechanism

    @property
    def __signature__(self) -> inspect.Signature:
        """Signature of the mechanism, which is given all parameters."""
        return signature_handed_on(self.mechanism)

    def __call__(self, draw: Draw, rows: Any, /, **parameters: Any) -> Any:
        """The outcome of the mechanism on the rows in their order."""
        if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
            raise InputError(
                bad_input.WRONG, f"in_sorted_order: {shown(rows)}", "a tuple of rows", "take a domain of tuples"
            )
        return self.mechanism(draw, tuple(sorted_by_value(rows, "a database")), **parameters)


def in_sorted_order(mechanism: Mechanism) -> InSortedOrder:
    """The mechanism that puts the rows in order and runs `mechanism` on them, when it is run and when it is checked.

    So its output distribution is the same for every order of the rows, whatever `mechanism` does with them: of
    `Multisets` and `LabelledSamples` no other order needs to be run. Rows are numbers, texts, None, dates and the like,
    members of an Enum, and tuples and frozen dataclasses of these; by type first, then by value. Raises `InputError`
    for what is no mechanism; run, for a row that has no place in such an order.

    >>> from dpverify.mechanisms.drawing import in_sorted_order
    >>> first = in_sorted_order(lambda draw, rows: rows[0])
    >>> run(first, ("b", "a"))
    'a'
    """
    if not callable(mechanism):
        raise InputError(
            bad_input.ARGUMENT, f"in_sorted_order({shown(mechanism)})", "a mechanism, def mechanism(draw, rows, …)"
        )
    wrong = misfit(mechanism)
    if wrong is not None:
        raise InputError(wrong)
    return InSortedOrder(mechanism)
