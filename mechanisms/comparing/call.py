"""The call of a mechanism: its `draw`, who may use it and when, and what was refused on the way.

The enumerator and the sampler agree on this, so that a mechanism cannot tell them apart.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from dpverify.mechanisms.functions.mechanism import Mechanism, exact_parameters
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.parts import IndependentPart, items_of, refuse_parts
from dpverify.mechanisms.functions.places import place_now
from dpverify.mechanisms.functions.post_processing import PostProcessed, applied_to_it, to_be_released, unwrapped
from dpverify.mechanisms.numbers.containers import as_returned
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.path_conditions.expressions import Better, Noisy
from dpverify.mechanisms.path_conditions.noise_value import NOT_KNOWN_YET, NoiseValue, refuse_noise, without_noise

Parts: TypeAlias = tuple[IndependentPart, ...]

Arguments: TypeAlias = Sequence[tuple[Any, ...]]
"""The positional arguments of several calls, after `draw`."""


Handed: TypeAlias = Callable[[Any, tuple[Any, ...], dict[str, Any]], tuple[Any, tuple[Any, ...], dict[str, Any]]]
"""The function from what a mechanism gives to `draw`, and arguments of that, to what stands for them."""


class Calls:
    """The calls that are under way, the innermost last, and the first error that was refused in any of them."""

    def __init__(self) -> None:
        self.running: list[Call] = []
        self.refused: Exception | None = None
        self.handed: Handed | None = None
        """Makes what `draw` is given what is compiled, where classes of the program have code of their own."""

    def draw_now(self) -> Drawing:
        """The `draw` of the innermost call. Raises `InputError` where none is under way."""
        if not self.running:
            raise InputError(bad_mechanism.OF_ANOTHER_CALL)
        return self.running[-1].draw

    def take_note(self, error: Exception) -> None:
        """Remember the first error that was refused: a mechanism may catch it."""
        self.refused = self.refused or error


class Call(ABC):
    """One call of a mechanism, or of a sub-mechanism."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self.handed = calls.handed
        """See `Calls`."""

    @property
    def draw(self) -> Drawing:
        """The `draw` that the mechanism is given."""
        return Drawing(self)

    @abstractmethod
    def drawn(self, source: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The value that `draw` gives."""

    @abstractmethod
    def drawn_each(self, mechanism: Mechanism, calls: Arguments, parameters: Mapping[str, Any]) -> Parts:
        """The parts that `draw.each` gives: one for each of the calls, by their positional arguments."""

    @abstractmethod
    def drawn_until(
        self,
        mechanism: Mechanism,
        accepted: Callable[[Any], bool],
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
    ) -> Any:
        """The value that `draw.until` gives."""

    def best_of(self, numbers: Sequence[NoiseValue], better: Better, count: int) -> Sequence[int]:
        """See `Observer`."""
        return ()

    def take_note(self, error: Exception) -> None:
        """See `Observer`: a run that went on without the answer would have another law."""
        if error.__traceback__ is None and isinstance(error, InputError):  # it is noted, and not raised
            error.place = place_now(sys._getframe(1))
        self._calls.take_note(error)

    def refuse_unless_running(self) -> None:
        """Raises `InputError` where a draw, or noise, is used outside the call that it belongs to."""
        if not self._calls.running or self._calls.running[-1] is not self:
            raise InputError(bad_mechanism.OF_ANOTHER_CALL)

    def refuse_noise_of_others(self, outcome: Any) -> None:
        """Raises `InputError` where an outcome holds noise that another call has drawn: it would be drawn anew."""
        if not is_plain(outcome):
            without_noise(unwrapped(outcome), self._own)

    def _own(self, value: Noisy) -> Noisy:
        if value.observer is not self:
            raise InputError(bad_mechanism.OF_ANOTHER_CALL)
        return value


class Drawing:
    """See `Draw`: what the mechanism of a call draws with."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    def __call__(self, source: Any, /, *args: Any, **kwargs: Any) -> Any:
        """See `Draw`."""
        call = self._call
        try:
            call.refuse_unless_running()
            if call.handed is not None:
                source, args, kwargs = call.handed(source, args, kwargs)
            if type(source) in NOT_KNOWN_YET:
                raise InputError(
                    bad_mechanism.RELEASED_ALREADY, f"draw({shown(source)})", "draw from a noise or a mechanism"
                )
            return as_returned(call.drawn(source, args, kwargs))
        except (InputError, Undecided) as error:
            call.take_note(error)
            raise

    def release(self, value: Any, /, then: Callable[[Any], Any] | None = None) -> PostProcessed:
        """See `Draw`."""
        call = self._call
        try:
            call.refuse_unless_running()
            place = None if then is None else place_now(sys._getframe(1))
            return PostProcessed(call, to_be_released(value, then), applied_to_it(then), place)
        except (InputError, Undecided) as error:
            call.take_note(error)
            raise

    @property
    def call(self) -> Call:
        """The call that it draws for."""
        return self._call

    def each(self, mechanism: Mechanism, items: Iterable[Any], /, *args: Any, **kwargs: Any) -> Parts:
        """See `Draw`."""
        call = self._call
        try:
            call.refuse_unless_running()
            result = items_of(mechanism, items)
            refuse_noise((*result, *args, *kwargs.values()))
            refuse_parts((*result, *args, *kwargs.values()))
            return call.drawn_each(mechanism, [(item, *args) for item in result], exact_parameters(kwargs))
        except (InputError, Undecided) as error:
            call.take_note(error)
            raise

    def until(self, mechanism: Mechanism, accepted: Callable[[Any], bool], /, *args: Any, **kwargs: Any) -> Any:
        """See `Draw`."""
        call = self._call
        try:
            call.refuse_unless_running()
            for function in (mechanism, accepted):
                if not callable(function):
                    raise InputError(
                        bad_input.ARGUMENT,
                        f"draw.until({shown(mechanism)}, {shown(accepted)})",
                        "a mechanism, which draws a round, and a function that gives True or False for its outcome",
                    )
            refuse_noise((*args, *kwargs.values()))
            refuse_parts((*args, *kwargs.values()))
            return as_returned(call.drawn_until(mechanism, accepted, args, exact_parameters(kwargs)))
        except (InputError, Undecided) as error:
            call.take_note(error)
            raise

    def take_note(self, error: Exception) -> None:
        """Have the run refused for an error of what is made of `draw`: a mechanism may catch it."""
        self._call.take_note(error)

    def is_of(self, call: Call) -> bool:
        """True where it is what the mechanism of this call draws with."""
        return self._call is call
