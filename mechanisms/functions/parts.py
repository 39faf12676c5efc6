"""Independent parts as a mechanism sees them: what `draw.each` gives, to be returned and for nothing else.

A mechanism that looks at none of its parts does the same whatever they are: so its outcomes are as many independent
draws, and are kept apart. Under the enumerator a part stands for a law, under the sampler for an outcome that was
drawn. Under either the same uses are refused, and noted: a mechanism that catches the error is refused as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn, Protocol

from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.post_processing import PostProcessed
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.shown import is_showing, shown


class PartHolder(Protocol):
    """The one who knows what a part stands for: the call that it was drawn in."""

    def take_note(self, error: Exception) -> None:
        """Remember that a use of the part was refused: the run is not to be accepted."""


def _refused(use: str) -> Any:
    def method(self: IndependentPart, *_: object, **__: object) -> NoReturn:
        error = InputError(bad_mechanism.PART_USED, use)
        self.holder.take_note(error)
        raise error

    return method


class IndependentPart:
    """One of the parts that `draw.each` gives: nothing can be done with it but to return it."""

    __slots__ = ("holder", "number")

    def __init__(self, holder: PartHolder, number: int) -> None:
        self.holder = holder
        self.number = number

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refused("an independent part was compared")
    __bool__ = _refused("the truth value of an independent part was asked for")
    __hash__ = _refused("an independent part was hashed, in a set, as a key or by a cache")
    __iter__ = __len__ = __getitem__ = __contains__ = __reversed__ = __next__ = _refused(
        "an independent part was taken apart"
    )
    __call__ = _refused("an independent part was called")
    __reduce_ex__ = __copy__ = __deepcopy__ = _refused("an independent part was copied")
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __rmatmul__ = _refused(
        "an independent part was used in arithmetic"
    )
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __add__
    __pow__ = __rpow__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __neg__ = __pos__ = __abs__ = __add__
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = __add__
    __int__ = __index__ = __float__ = __complex__ = __round__ = __floor__ = __ceil__ = __trunc__ = __add__

    def __repr__(self) -> str:
        # as for noise: a debugger can show it, and a run that made a text of it is not accepted
        if not is_showing():
            self.holder.take_note(InputError(bad_mechanism.PART_USED, "an independent part was turned into text"))
        return f"part {self.number} of draw.each"

    def __format__(self, _: str) -> str:
        return repr(self)


def refuse_parts(values: Iterable[object]) -> None:
    """Raises `InputError` where a part is handed to a sub-mechanism."""
    if IndependentPart in map(type, values):
        raise InputError(bad_mechanism.PART_USED, "an independent part was handed to a sub-mechanism")


def with_parts_replaced(outcome: Any, holder: PartHolder, replaced: Callable[[int], Any]) -> Any:
    """An outcome with each part of a holder in it replaced by what `replaced` gives of its number; itself without any.

    Raises `InputError` for a part of another holder, and for one that stands there twice.
    """
    return outcome if is_plain(outcome) else _replaced(outcome, holder, replaced, set())


# no function in the one above: it would hold itself, and all of a path with it, until the collector comes
def _replaced(value: Any, holder: PartHolder, replaced: Callable[[int], Any], seen: set[int]) -> Any:
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
