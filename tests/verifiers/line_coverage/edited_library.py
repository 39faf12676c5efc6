"""Mechanisms as somebody edits them who changes code alone: what no database runs is marked `never`.

A mark stands at the end of each line that is to be named, with `raises` where all that it does is to raise.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from dpverify.mechanisms import Draw, bernoulli, discrete_laplace
from dpverify.mechanisms.selection.by_quality import Selection

DEBUG = False
SETTINGS = {"debug": False}
SCALE = 1
WEIGHTS = MappingProxyType({0: 0, 1: 1})
LIMIT = (0, 1)


def noisy(draw: Draw, rows: tuple[int, ...]) -> Any:
    return sum(rows) + draw(discrete_laplace(1))


# The edits of code alone, and others like them


def longer_than_six(draw: Draw, rows: tuple[int, ...]) -> Any:
    if len(rows) > 6:
        return max(rows)  # never
    return noisy(draw, rows)


def values_above_one(draw: Draw, rows: tuple[int, ...]) -> Any:
    if max(rows) > 1:
        return sum(rows)  # never
    return noisy(draw, rows)


def environment(draw: Draw, rows: tuple[int, ...]) -> Any:
    if os.environ.get("PROD"):
        return rows  # never
    return noisy(draw, rows)


def constant(draw: Draw, rows: tuple[int, ...]) -> Any:
    if DEBUG:
        return rows  # never
    return noisy(draw, rows)


# Parts of a line


def one_line(draw: Draw, rows: tuple[int, ...]) -> Any:
    return rows if len(rows) > 6 else noisy(draw, rows)  # never


def constant_arm(draw: Draw, rows: tuple[int, ...]) -> Any:
    shown = noisy(draw, rows)
    return 0 if len(rows) > 6 else shown  # never


def by_and_or(draw: Draw, rows: tuple[int, ...]) -> Any:
    return (len(rows) > 6 and rows) or noisy(draw, rows)  # never


def by_a_lambda(draw: Draw, rows: tuple[int, ...]) -> Any:
    chosen: tuple[Callable[[], Any], ...] = (lambda: noisy(draw, rows), lambda: rows)  # never
    return chosen[len(rows) > 6]()


def by_a_case(draw: Draw, rows: tuple[int, ...]) -> Any:
    match len(rows):
        case 7:
            return rows  # never
        case _:
            return noisy(draw, rows)


def by_an_error(draw: Draw, rows: tuple[int, ...]) -> Any:
    try:
        rows[6]
    except IndexError:
        return noisy(draw, rows)
    else:
        return rows  # never


def skips(draw: Draw, rows: tuple[int, ...]) -> Any:
    total = 0
    for row in rows:
        if len(rows) > 6:
            continue  # never
        total += row
    return total + draw(discrete_laplace(1))


def after_a_raise(draw: Draw, rows: tuple[int, ...]) -> Any:
    shown: Any = rows
    try:
        if len(rows) > 6:
            raise ValueError("too long")  # never
        shown = noisy(draw, rows)
    except ValueError:
        return None  # never
    return shown


def falls_through(draw: Draw, rows: tuple[int, ...]) -> Any:
    if len(rows) > 6:
        rows = 100 * rows  # never
    return noisy(draw, rows)


def several(draw: Draw, rows: tuple[int, ...]) -> Any:
    """What never runs is named in as few places as can be."""
    if len(rows) > 6:
        first = rows[0]  # never
        second = rows[1]  # never
        if first > second:  # never
            return rows  # never
    return noisy(draw, rows)


# Where it runs


def _helper(rows: tuple[int, ...]) -> int:
    if len(rows) > 6:
        return 100 * sum(rows)  # never
    return sum(rows)


def in_a_helper(draw: Draw, rows: tuple[int, ...]) -> Any:
    return _helper(rows) + draw(discrete_laplace(1))


def _part(draw: Draw, row: int) -> Any:
    if row > 1:
        return row  # never
    return draw(bernoulli(Fraction(1 + row, 3)))


def in_a_part(draw: Draw, rows: tuple[int, ...]) -> Any:
    return tuple(draw(_part, row) for row in rows)


def in_independent_parts(draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw.each(_part, rows)


def _quality(rows: tuple[int, ...], solution: int) -> int:
    if len(rows) > 6:
        return 100 * rows.count(solution)  # never
    return rows.count(solution)


in_a_quality = Selection(_quality, (0, 1))


class Scaled:
    """A mechanism that is an object."""

    def __call__(self, draw: Draw, rows: tuple[int, ...]) -> Any:
        if len(rows) > 6:
            return rows  # never
        return noisy(draw, rows)


in_an_object = Scaled()


def _given(draw: Draw, rows: tuple[int, ...], *, most: int) -> Any:
    if len(rows) > most:
        return rows  # never
    return noisy(draw, rows)


def _each(rows: tuple[int, ...]) -> Iterator[int]:
    for row in rows:
        if row > 1:
            yield 100 * row  # never
        yield row


def in_a_generator(draw: Draw, rows: tuple[int, ...]) -> Any:
    return sum(_each(rows)) + draw(discrete_laplace(1))


# Harmless ones, of which nothing is said but of lines that only raise


def validates(draw: Draw, rows: tuple[int, ...]) -> Any:
    if not isinstance(rows, tuple):
        raise TypeError("rows are a tuple")  # never  # raises
    if len(rows) > 6:
        most = max(rows)  # never  # raises
        raise ValueError(f"too long: {most}")  # never  # raises
    assert len(rows) < 7, f"{len(rows)} rows"
    return noisy(draw, rows)


def documented(draw: Draw, rows: tuple[int, ...]) -> Any:
    """A text, which is no code."""
    # nor is a comment
    if rows:
        pass
    else:
        "nothing"
    return noisy(draw, rows)


def every_arm(draw: Draw, rows: tuple[int, ...]) -> Any:
    first = rows[0] if rows[0] else (rows[1] or 0)
    chosen = [row for row in rows if row or len(rows) > 1]
    while chosen and chosen[-1] == 0:
        chosen.pop()
    for row in chosen:
        if row and first:
            break
    else:
        first = 0
    return 0 * first + noisy(draw, rows)


def constants(draw: Draw, rows: tuple[int, ...]) -> Any:
    clipped = [min(max(row, LIMIT[0]), LIMIT[1]) for row in rows]
    return SCALE * sum(WEIGHTS[row] for row in clipped) + draw(discrete_laplace(1))


def chances(draw: Draw, rows: tuple[int, ...]) -> Any:
    if draw(bernoulli("1/4")):
        return noisy(draw, rows)
    if draw(discrete_laplace(1)) > 3:
        return 0
    return None


def sorts(draw: Draw, rows: tuple[int, ...]) -> Any:
    ordered = sorted(rows, key=lambda row: -row)
    return sum(ordered) + draw(discrete_laplace(1))


def compiled_out(draw: Draw, rows: tuple[int, ...]) -> Any:
    if False:
        return rows
    while True:
        return noisy(draw, rows)


def cleans_up(draw: Draw, rows: tuple[int, ...]) -> Any:
    try:
        return noisy(draw, rows)
    finally:
        del rows


OUTSIDE = (environment,)

EDITED = (
    longer_than_six,
    values_above_one,
    constant,
    one_line,
    constant_arm,
    by_and_or,
    by_a_lambda,
    by_a_case,
    by_an_error,
    skips,
    after_a_raise,
    falls_through,
    several,
    in_a_helper,
    in_a_part,
    in_independent_parts,
    in_a_quality,
    in_an_object,
    in_a_generator,
)

HARMLESS = (
    validates,
    documented,
    every_arm,
    constants,
    chances,
    sorts,
    compiled_out,
    cleans_up,
)
