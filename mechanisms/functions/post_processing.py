"""Post-processing by `draw.release`: released numbers with a function that is applied to them after all is drawn.

Under the enumerator the function is tried on two numbers: an outcome with it is decided as the numbers are that it is
given, if it sees nothing else (see `seen_by_value`). Under the sampler it is given the plain numbers. Under either the
same uses of what `draw.release` gives are refused, and noted: it can only be returned.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar, Final, NoReturn, Protocol
from weakref import WeakKeyDictionary

from dpverify.mechanisms.numbers.errors import InputError, Place, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.shown import is_showing, shown

MUST_NOT_RUN_ON_IT: Final = "released: what follows must not run on it"
"""Message where noise, or a result computed from it, is used to steer what is drawn or computed afterwards."""

OR_RELEASE: Final = "or hand the noisy numbers to draw.release(noise, then=function)"
"""The way out for what cannot be followed of what is computed from noise."""

STAND_INS: Final[WeakKeyDictionary[Callable[..., Any], Callable[..., Any]]] = WeakKeyDictionary()
"""Functions that stand in the place of Python's own while a mechanism runs → those: they give the same of numbers."""


class HoldingCall(Protocol):
    """The call in which something was released, or a part was drawn."""

    def take_note(self, error: Exception) -> None:
        """Remember that a use of it was refused: the run is not to be accepted."""


def _refused(use: str) -> Any:
    def method(self: OnlyReturned, *_: object, **__: object) -> NoReturn:
        error = self.refused(use)
        self.holder.take_note(error)
        raise error

    return method


class OnlyReturned:
    """Value that a mechanism can return, and do nothing else with."""

    __slots__ = ("holder",)

    def __init__(self, holder: HoldingCall) -> None:
        self.holder = holder

    def refused(self, use: str) -> InputError:
        """The error for such a use of it."""
        return InputError(bad_mechanism.RELEASE_USED, use)

    def shown(self) -> str:
        """Its text, in messages and for a debugger."""
        return "what draw.release gave"

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refused("compared")
    __bool__ = _refused("asked for its truth value")
    __hash__ = _refused("hashed, in a set, as a key or by a cache")
    __iter__ = __len__ = __getitem__ = __contains__ = __reversed__ = __next__ = _refused("taken apart")
    __call__ = _refused("called")
    __reduce_ex__ = __copy__ = __deepcopy__ = _refused("copied")
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __rmatmul__ = _refused(
        "used in arithmetic"
    )
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __add__
    __pow__ = __rpow__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __neg__ = __pos__ = __abs__ = __add__
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = __add__
    __int__ = __index__ = __float__ = __complex__ = __round__ = __floor__ = __ceil__ = __trunc__ = _refused(
        "used as a plain number, an index, a length or a range"
    )

    def __repr__(self) -> str:
        # as for noise: a debugger can show it, and a run that made a text of it is not accepted
        if not is_showing():
            self.holder.take_note(self.refused("turned into text"))
        return self.shown()

    def __format__(self, _: str) -> str:
        return repr(self)


class PostProcessed(OnlyReturned):
    """Released numbers, and the function `then` that is applied to them; None where they are returned as they are.

    `place` is where they were released.
    """

    __slots__ = ("place", "then", "value")

    what_follows: ClassVar[str] = MUST_NOT_RUN_ON_IT
    """The words of a refusal where it is given as a scale, an ε or another parameter."""

    def __init__(
        self, holder: HoldingCall, value: Any, then: Callable[[Any], Any] | None, place: Place | None = None
    ) -> None:
        super().__init__(holder)
        self.value = value
        self.then = then
        self.place = place

    def mapped(self, value: Any) -> PostProcessed:
        """The same function of another value."""
        return self if value is self.value else PostProcessed(self.holder, value, self.then, self.place)


def to_be_released(value: Any, then: Any) -> Any:
    """The value that `draw.release` is given, its lists as tuples. Raises `InputError` where `then` is no function."""
    if then is not None and not callable(then):
        raise InputError(
            bad_input.ARGUMENT, f"draw.release(…, then={shown(then)})", "a function of what is released, or no `then`"
        )
    return _in_tuples(value)


def applied_to_it(then: Any) -> Any:
    """The function itself that is applied, or that of Python in whose place it stands."""
    return STAND_INS.get(then, then) if type(then) is FunctionType else then


def _in_tuples(value: Any) -> Any:
    return tuple(map(_in_tuples, value)) if type(value) in (list, tuple) else value


def unwrapped(outcome: Any) -> Any:
    """An outcome with the released numbers in the place of what is post-processed."""
    return _replaced(outcome, lambda released: unwrapped(released.value))


def held_by(holder: HoldingCall, outcome: Any) -> Any:
    """The outcome that one call returns to another one, which holds what is post-processed in it."""
    return _replaced(outcome, lambda each: PostProcessed(holder, held_by(holder, each.value), each.then, each.place))


def applied(outcome: Any) -> Any:
    """An outcome of plain numbers with what the functions give in it."""

    def result(released: PostProcessed) -> Any:
        value = applied(released.value)
        return value if released.then is None else released.then(value)

    return _replaced(outcome, result)


def _replaced(outcome: Any, by: Callable[[PostProcessed], Any]) -> Any:
    """An outcome with something in the place of what is post-processed; itself where there is none."""
    if isinstance(outcome, PostProcessed):
        return by(outcome)
    if isinstance(outcome, tuple):
        parts = [_replaced(part, by) for part in outcome]
        return outcome if all(mine is part for mine, part in zip(parts, outcome, strict=True)) else tuple(parts)
    return outcome
