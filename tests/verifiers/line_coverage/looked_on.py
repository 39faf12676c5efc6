"""Mechanisms whose lines run in other processes, by their names in this module; marks as in `edited_library`."""

from typing import Any

from dpverify.mechanisms import Draw, discrete_laplace


def _later(draw: Draw, rows: tuple[int, ...]) -> Any:
    """Which is called on the last databases alone."""
    if rows[0] == 7:
        return 7  # never, on any
    return sum(rows) + draw(discrete_laplace(1))


def by_size(draw: Draw, rows: tuple[int, ...]) -> Any:
    if rows[0] == 2:
        return draw(_later, rows)
    if rows[0] == 1:
        shown = sum(rows)
        return shown + draw(discrete_laplace(1))
    return sum(rows) + draw(discrete_laplace(1))
