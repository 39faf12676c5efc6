"""The call of a mechanism: its `draw`, who may use it and when, and what was refused on the way.

The enumerator and the sampler agree on this, so that a mechanism cannot tell them apart.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from dpverify.mechanisms.exact.errors import InputError, Undecided
from dpverify.mechanisms.laws.places import place_now


class Calls:
    """The calls that are under way, the innermost last, and the first error that was refused in any of them."""

    def __init__(self) -> None:
        self.running: list[Call] = []
        self.refused: Exception | None = None

    def take_note(self, error: Exception) -> None:
        """Remember the first error that was refused: a mechanism may catch it."""
        self.refused = self.refused or error


class Call(ABC):
    """One call of a mechanism, or of a sub-mechanism."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def draw(self, source: Any, /, *args: Any, **kwargs: Any) -> Any:
        """See `Draw`."""
        try:
            self.refuse_unless_running()
            return self._drawn(source, args, kwargs)
        except (InputError, Undecided) as error:
            self.take_note(error)
            raise

    @abstractmethod
    def _drawn(self, source: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """What `draw` gives."""

    def take_note(self, error: Exception) -> None:
        """See `Observer`: a run that went on without the answer would have another law."""
        if error.__traceback__ is None and isinstance(error, InputError):  # it is noted, and not raised
            error.place = place_now(sys._getframe(1))
        self._calls.take_note(error)

    def refuse_unless_running(self) -> None:
        """Raises `InputError` where a draw, or noise, is used outside the call that it belongs to."""
        if not self._calls.running or self._calls.running[-1] is not self:
            raise InputError(
                "a draw, or noise, of one mechanism was used in another one, or after its call: give a sub-mechanism "
                "what it needs as arguments, let it draw with the draw that it is given, and return what it has drawn"
            )
