"""Laws before something is drawn from them: neither true nor false."""

from __future__ import annotations

from typing import NoReturn

from dpverify.mechanisms.exact.errors import InputError


class Undrawn:
    """A law that `draw` takes. Without a `draw` around it, `if bernoulli("0.5"):` would be true each time."""

    __slots__ = ()

    @property
    def made_by(self) -> str:
        """The function that it is commonly made by, for a message."""
        return type(self).__name__

    def __bool__(self) -> NoReturn:
        raise InputError(
            f"a law is neither true nor false before something is drawn from it: write draw({self.made_by}(…)) in "
            f"place of {self.made_by}(…)"
        )
