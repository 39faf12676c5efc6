"""Texts of values and errors of other people's code, which may raise, be endless, or not be writable at all."""

from contextvars import ContextVar
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.numbers.containers import as_returned

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
        return cut(_on_one_line(repr(as_returned(_beginning(value, most)))), most)
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
    """True where a repr is asked for by a message, and not by a mechanism."""
    return _showing.get()


def _on_one_line(text: str) -> str:
    return text if text.isprintable() else " ".join(text.split())


def is_long(value: int | Fraction) -> bool:
    """True where a number has more digits than are written out."""
    bits = int(3.322 * MOST_DIGITS)
    return value.numerator.bit_length() > bits or value.denominator.bit_length() > bits


def _beginning(value: Any, most: int) -> Any:
    """The part of a long value that is enough for so many characters."""
    return value[: most + 1] if type(value) in (tuple, list, str, bytes) and len(value) > most else value


def repr_in_full(value: Any) -> str:
    """`repr(value)`, however long, or what took its place where that raises."""
    return _or_raised(value, repr)


def in_words(value: Any) -> str:
    """`str(value)`, or what took its place where that raises."""
    return _or_raised(value, str)


def message_of(error: BaseException) -> str:
    """An error's type and its text, on one line."""
    return one_line(f"{type(error).__name__}: {in_words(error)}").removesuffix(":")


def one_line(text: str) -> str:
    """`text` on one line that any stream can write, with escapes for what cannot be printed, cut where it is long."""
    # Cut first: a million characters are not worth looking at. What is wrong with them is said at the end.
    line = " ".join(_middle_cut(text, 4 * LONGEST_MESSAGE).split())
    return _middle_cut(
        "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in line), LONGEST_MESSAGE
    )


def _middle_cut(text: str, most: int) -> str:
    """The text, its middle left out where it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[len(text) + 1 - most // 2 :]}"


def decimal_of_fraction(value: Fraction, digits: int = 12) -> str:
    """A rational to `digits` significant decimal digits, for people to read."""
    from flint import arb, ctx, fmpq  # which takes long to load

    with ctx.workprec(64 + 4 * digits):
        return decimal_text(arb(fmpq(value.numerator, value.denominator)), digits)


def decimal_text(ball: Any, digits: int) -> str:
    """The middle of a ball, of python-flint, to so many digits."""
    text: str = ball.str(digits, radius=False)
    mantissa, e, exponent = text.partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa + e + exponent


def writable(text: str) -> str:
    """`text` with escapes in place of lone surrogates, which no encoding holds."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _or_raised(value: Any, written: Any) -> str:
    try:
        return writable(written(value))
    except RecursionError:
        return f"<{type(value).__name__}, nested too deeply to be shown>"
    except Exception as error:  # what shows an object is its own, and may raise anything
        return f"<{type(value).__name__}, which cannot be shown: {type(error).__name__}>"
