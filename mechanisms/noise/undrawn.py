"""Laws before something is drawn from them: neither true nor false, and no numbers."""

from typing import NoReturn

from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism


class Undrawn:
    """A law that `draw` takes. Without a `draw` around it, `if bernoulli("0.5"):` would be true each time."""

    __slots__ = ()

    @property
    def made_by(self) -> str:
        """The function that it is commonly made by, for a message."""
        return type(self).__name__

    def __bool__(self) -> NoReturn:
        raise InputError(reasons.CONDITION_NOT_DRAWN.text(call=self._instead))

    def refuse_what_is_no_law(self, other: object) -> None:
        """Raises `InputError` where it is compared with what is no law: `bernoulli("0.5") == 1` would be false always.

        Not for None, since a law is not None.
        """
        if other is not None and not isinstance(other, Undrawn):
            raise InputError(bad_mechanism.EQUALS_NOTHING, self._instead)

    def _is_no_number(self, *_: object) -> NoReturn:
        raise InputError(reasons.NUMBER_NOT_DRAWN.text(call=self._instead))

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _is_no_number
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _is_no_number
    __lt__ = __le__ = __gt__ = __ge__ = _is_no_number
    __neg__ = __abs__ = __int__ = __float__ = __index__ = __round__ = __floor__ = __ceil__ = _is_no_number

    @property
    def _instead(self) -> str:
        return f"write draw({self.made_by}(…)) in place of {self.made_by}(…)"
