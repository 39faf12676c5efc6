"""Independent parts as a mechanism sees them: what `draw.each` gives, to be returned and for nothing else.

A mechanism that looks at none of its parts does the same whatever they are: so its outcomes are as many independent
draws, and are kept apart. Under the enumerator a part stands for a law, under the sampler for an outcome that was
drawn. Under either the same uses are refused, and noted: a mechanism that catches the error is refused as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.post_processing import HoldingCall, OnlyReturned, PostProcessed
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.shown import shown


class IndependentPart(OnlyReturned):
    """One of the parts that `draw.each` gives: nothing can be done with it but to return it."""

    __slots__ = ("number",)

    def __init__(self, holder: HoldingCall, number: int) -> None:
        super().__init__(holder)
        self.number = number

    def refused(self, use: str) -> InputError:
        """See `OnlyReturned`."""
        return InputError(bad_mechanism.PART_USED, f"an independent part was {use}")

    def shown(self) -> str:
        """See `OnlyReturned`."""
        return f"part {self.number} of draw.each"


def refuse_parts(values: Iterable[object]) -> None:
    """Raises `InputError` where a part is handed to a sub-mechanism."""
    if IndependentPart in map(type, values):
        raise InputError(bad_mechanism.PART_USED, "an independent part was handed to a sub-mechanism")


def with_parts_replaced(outcome: Any, holder: HoldingCall, replaced: Callable[[int], Any]) -> Any:
    """An outcome with each part of a holder in it replaced by what `replaced` gives of its number; itself without any.

    Raises `InputError` for a part of another holder, and for one that stands there twice.
    """
    return outcome if is_plain(outcome) else _replaced(outcome, holder, replaced, set())


# no function in the one above: it would hold itself, and all of a path with it, until the collector comes
def _replaced(value: Any, holder: HoldingCall, replaced: Callable[[int], Any], seen: set[int]) -> Any:
    if is_plain(value):
        return value
    if isinstance(value, IndependentPart):
        if value.holder is not holder:
            raise InputError(bad_mechanism.PART_USED, "returned a part that was drawn in another call")
        if value.number in seen:
            raise InputError(bad_mechanism.PART_USED, "returned one independent part twice")
        seen.add(value.number)
        return replaced(value.number)
    if isinstance(value, tuple):
        parts = [_replaced(part, holder, replaced, seen) for part in value]
        return tuple(parts) if any(map(_differ, parts, value)) else value
    if isinstance(value, PostProcessed):
        return value.mapped(_replaced(value.value, holder, replaced, seen))
    return value


def _differ(left: object, right: object) -> bool:
    return left is not right


def items_of(mechanism: Any, items: Any) -> tuple[Any, ...]:
    """The items of `draw.each(mechanism, items)`. Raises `InputError` for what is no mechanism, or no items."""
    if not callable(mechanism):
        raise InputError(
            bad_input.ARGUMENT, f"draw.each({shown(mechanism)}, …)", "def mechanism(draw, item, …), and the items"
        )
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        raise InputError(bad_input.WRONG, f"draw.each: {shown(items)}", "a list of items", "give a tuple or a list")
    return tuple(items)
