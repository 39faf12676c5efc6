"""Texts of other people's values and errors: always a text, of one line, of bounded length, that can be written."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms.numbers.shown import LONGEST_MESSAGE as LONGEST
from dpverify.mechanisms.numbers.shown import in_words, message_of, one_line, repr_in_full, writable


class Bad:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __repr__(self) -> str:
        raise self.error


class BadError(Exception):
    def __str__(self) -> str:
        raise ValueError


def nested(depth: int) -> Any:
    value: Any = ()
    for _ in range(depth):
        value = (value,)
    return value


ANY = st.text(st.characters(codec=None)) | st.text(st.sampled_from("a \n\x1b\ud800\x00ε"))


@given(ANY)
def test_one_line_is_one_line_that_can_be_written(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert line.isprintable()
    line.encode("utf-8")
    assert one_line(line) == line
    if text.isprintable() and text == " ".join(text.split()):
        assert line == text


@pytest.mark.parametrize("length", [LONGEST, LONGEST + 1, 5 * LONGEST, 10**6])
def test_a_long_line_keeps_its_beginning_and_its_end(length: int) -> None:
    line = one_line("begin" + "\x1b" * (length - 8) + "end")
    assert len(line) <= LONGEST
    assert line.startswith("begin")
    assert line.endswith("end")
    assert "…" in line
    assert one_line("x" * LONGEST) == "x" * LONGEST


@given(ANY)
def test_what_is_writable_stays_as_it_is(text: str) -> None:
    writable(text).encode("utf-8")
    if "\ud800" not in text and not any(0xD800 <= ord(character) < 0xE000 for character in text):
        assert writable(text) == text


def test_values_that_cannot_be_shown() -> None:
    assert repr_in_full(Bad(RuntimeError("secret"))) == "<Bad, which cannot be shown: RuntimeError>"
    assert repr_in_full(nested(10**5)) == "<tuple, nested too deeply to be shown>"
    assert in_words(BadError()) == "<BadError, which cannot be shown: ValueError>"
    assert message_of(BadError()) == "BadError: <BadError, which cannot be shown: ValueError>"
    assert message_of(KeyboardInterrupt()) == "KeyboardInterrupt"
    assert message_of(ValueError("two\nlines")) == "ValueError: two lines"
    assert repr_in_full((1, "a")) == "(1, 'a')"
