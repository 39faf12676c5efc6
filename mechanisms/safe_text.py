"""Texts of values and errors of other people's code, which may raise, be endless, or not be writable at all."""

from __future__ import annotations

from typing import Any, Final

LONGEST: Final = 2_000
"""Characters of a message that is said on one line."""


def shown(value: Any) -> str:
    """`repr(value)`, or what took its place where that raises."""
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
    line = " ".join(_cut(text, 4 * LONGEST).split())
    return _cut("".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in line), LONGEST)


def _cut(text: str, most: int) -> str:
    """The text, its middle left out where it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[len(text) + 1 - most // 2 :]}"


def writable(text: str) -> str:
    """`text` with escapes in place of lone surrogates, which no encoding holds."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _or_raised(value: Any, written: Any) -> str:
    try:
        return writable(written(value))
    except RecursionError:
        return f"<{type(value).__name__}, nested too deeply to be shown>"
    except Exception as error:
        return f"<{type(value).__name__}, which cannot be shown: {type(error).__name__}>"
