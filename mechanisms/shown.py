"""How values and errors stand in messages: on one line, cut where they are long, and whatever their repr does."""

from __future__ import annotations

from contextvars import ContextVar
from fractions import Fraction
from typing import Any, Final

LONGEST: Final = 160
"""Characters of a value in a message."""

LONGEST_MESSAGE: Final = 2_000
"""Characters of a message."""

MOST_DIGITS: Final = 4_000
"""Of a whole number that is written out: Python itself refuses 4,300."""

_showing: ContextVar[bool] = ContextVar("showing", default=False)


def cut(text: str, most: int = LONGEST) -> str:
    """`text`, cut where it has more than so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def shown(value: Any, most: int = LONGEST) -> str:
    """repr(value) for a message: on one line and cut; where it raises, what it is and that it does."""
    token = _showing.set(True)
    try:
        if isinstance(value, int | Fraction) and is_long(value):
            return f"<{type(value).__name__} of more than {MOST_DIGITS:,} digits>"
        return cut(_on_one_line(repr(_beginning(value, most))), most)
    except (Exception, SystemExit, GeneratorExit) as error:
        return f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    finally:
        _showing.reset(token)


def told(error: BaseException, most: int = LONGEST_MESSAGE // 2) -> str:
    """The text of an error for a message: on one line and cut; where it raises, that it does."""
    try:
        return cut(_on_one_line(str(error)), most)
    except (Exception, SystemExit, GeneratorExit) as another:
        return f"<its text raises {type(another).__name__}>"


def is_showing() -> bool:
    """Whether a repr is asked for by a message, and not by a mechanism."""
    return _showing.get()


def _on_one_line(text: str) -> str:
    return text if text.isprintable() else " ".join(text.split())


def is_long(value: int | Fraction) -> bool:
    """Whether a number has more digits than are written out."""
    bits = int(3.322 * MOST_DIGITS)
    return value.numerator.bit_length() > bits or value.denominator.bit_length() > bits


def _beginning(value: Any, most: int) -> Any:
    """The part of a long value that is enough for so many characters."""
    return value[: most + 1] if type(value) in (tuple, list, str, bytes) and len(value) > most else value
