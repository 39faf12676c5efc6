"""What the examples share: reading columns of a CSV file, and numbers as points of an ordered domain."""

from __future__ import annotations

import csv
import struct
from collections.abc import Iterator
from fractions import Fraction
from math import isfinite
from pathlib import Path

from dpverify.mechanisms import InputError

BITS = 64
"""Every number that a double can hold is one of the 2^64 points, in order, so that no bounds have to be known."""

BETA = Fraction(1, 10)
"""The probability of failure for which the examples say how many rows a theorem asks for."""


def read(path: Path, *names: str) -> Iterator[tuple[str, list[str]]]:
    """Where a row stands, and its fields in the columns `names`. Raises `InputError`, naming the line, for bad rows."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            columns = reader.fieldnames or []
            for name in names:
                if name not in columns:
                    raise InputError(f"{path} has no column {name}: it has {', '.join(columns) or 'none'}")
            for row in reader:
                where = f"{path}, line {reader.line_num}"
                if None in row or None in row.values():
                    raise InputError(f"{where}: not as many fields as the header has")
                yield where, [row[name] for name in names]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None


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
    """The number at a place, and ∞ or −∞ where there is none so large, or so small."""
    number = value_at(min(place, (1 << BITS) - 1))
    if isfinite(number):
        return f"{number:g}"
    return "∞" if place >> (BITS - 1) else "−∞"
