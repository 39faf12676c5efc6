"""What the examples share: columns of a CSV file, numbers as points of an ordered domain, and what is promised."""

from __future__ import annotations

import csv
import struct
from collections.abc import Iterator
from fractions import Fraction
from math import isfinite
from pathlib import Path

import click

from dpverify.mechanisms import InputError
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.reports.writing import write_reports

BITS = 64
"""Every number that a double can hold is one of the 2^64 points, in order, so that no bounds have to be known."""

BETA = Fraction(1, 10)
"""The probability of failure for which the examples say how many rows a theorem asks for."""

ALTHOUGH_OPTION = click.option(
    "--although-not-shown", "although", is_flag=True, help="Compute where privacy is not shown: of made-up data."
)
COUNT = click.IntRange(min=1)
"""The type of an option that counts."""


def read(path: Path, *names: str) -> Iterator[tuple[str, list[str]]]:
    """Where a row stands, and its fields in the columns `names`. Raises `InputError`, naming the line, for bad rows."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True)
            columns = next(reader, [])
            for name in names:
                if columns.count(name) != 1:
                    what = "more than one column" if name in columns else "no column"
                    raise InputError(f"{path} has {what} {name}: it has {', '.join(columns) or 'none'}")
            places = [columns.index(name) for name in names]
            for row in reader:
                where = f"{path}, line {reader.line_num}"
                if len(row) != len(columns):
                    raise InputError(f"{where}: {'it is empty' if not row else 'not as many fields as the header has'}")
                yield where, [row[place] for place in places]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None


def header(path: Path) -> list[str]:
    """The names of the columns. Raises `InputError` where there are none, or the file cannot be read."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            columns = next(csv.reader(file, strict=True), [])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None
    if not columns:
        raise InputError(f"{path}, line 1: no names of columns")
    return columns


def write_made_up(path: Path, text: str, what: str) -> None:
    """Write a made-up file, and say so; `what` is how many of what. Raises `ClickException` where it cannot."""
    try:
        write_reports({path: text})
    except InputError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"wrote {what} to {path}")


def epsilon_up_to_1000(text: str) -> str:
    """The text of an ε > 0. Raises `InputError` where it is beyond 1000, which protects nobody."""
    if positive(text, "epsilon") > 1000:
        raise InputError(f"epsilon={text} is beyond 1000, which protects nobody")
    return text


def privacy_of(rows: int, needed: int, source: str, epsilon: str, delta: str, seed: int | None) -> str:
    """What is promised, in one line: nothing for a release that a seed repeats, or on fewer rows than are `needed`."""
    if seed is not None:
        return f"{rows:,} rows; not private: the seed repeats the release."
    why = too_few(rows, needed, source, epsilon, delta)
    return why or f"{rows:,} rows; ({epsilon}, {delta})-private when one of them is replaced."


def refuse_where_not_shown(why: str, seed: int | None, although: bool) -> None:
    """Refuse to compute on data what is not shown to be private, before it is computed.

    `why` is the reason, and empty where privacy is shown. Raises `InputError`, but where a seed says that nothing is
    to be private, or it was said that it is to be computed all the same.
    """
    if why and seed is None and not although:
        raise InputError(f"{why} Give --although-not-shown to compute it all the same, of made-up data.")


def too_few(rows: int, needed: int, source: str, epsilon: str, delta: str) -> str:
    """That privacy is not shown on so many rows, in a sentence; empty where it is."""
    if rows >= needed:
        return ""
    return f"{rows:,} rows; not shown to be private: for ({epsilon}, {delta}) {source} asks for {needed:,} rows."


def place_in(where: str, name: str, text: str) -> int:
    """The point for a number in a file. Raises `InputError` where the text is none."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise InputError(f"{where}: {name} is {text!r}, which is no number")
    return place_of(number)


def place_of(value: float) -> int:
    """A whole number from 0 to 2^64 − 1, in the order of the numbers."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", value + 0.0))  # −0.0 becomes 0.0
    return int(bits ^ ((1 << BITS) - 1) if bits >> (BITS - 1) else bits | 1 << (BITS - 1))


def value_at(place: int) -> float:
    """The reverse of `place_of`."""
    bits = place ^ (1 << (BITS - 1)) if place >> (BITS - 1) else place ^ ((1 << BITS) - 1)
    (value,) = struct.unpack(">d", struct.pack(">Q", bits))
    return float(value)


def shown(place: int) -> str:
    """The number at a place, in full, and ∞ or −∞ where there is none so large, or so small."""
    number = value_at(min(place, (1 << BITS) - 1))
    if isfinite(number):
        return repr(number).removesuffix(".0")
    return "∞" if place >> (BITS - 1) else "−∞"
