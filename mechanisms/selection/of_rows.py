"""Parts of a mechanism that are all that sees its rows: what is around them computes with what they release alone.

A mechanism that hands its rows to such parts, and to nothing else, is as private as they are together: see
docs/composites.md. Each is a mechanism like any other, which `draw` runs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.functions.thin import thin
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise, NoiseLaw
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.sealed import Sealed
from dpverify.mechanisms.selection.choosing import choosing_mechanism
from dpverify.mechanisms.selection.exponential_mechanism import Quality


def to_return(draw: Draw, mechanism: Mechanism, rows: Any, **parameters: Any) -> Any:
    """The outcome of a mechanism on rows, to be returned as it is: its law where it returns one, not drawn from.

    That is draw(mechanism, rows, …), and takes a path for all outcomes in place of one for each.
    """
    if issubclass(type(draw), Sealed):
        return draw(mechanism, rows, **parameters)
    return mechanism(draw, rows, **parameters)


@thin
def select_by_quality(
    draw: Draw, rows: Any, *, quality: Callable[[Any], Quality], selection: Mechanism, **parameters: Any
) -> Any:
    """The choice of `selection` by quality(rows), the qualities of all solutions; it has the other parameters."""
    return draw(selection, quality(rows), **parameters)


@thin
def select_by_growth(
    draw: Draw,
    rows: Sequence[Any],
    *,
    quality: Callable[[Any], Quality],
    alpha: ExactLike,
    epsilon: ExactLike,
    size: int | None = None,
    noise: Noise = laplace,
) -> Any:
    """The choice of the choosing mechanism by quality(rows), to which each row adds 1 for few solutions.

    `size` is the number of rows of the database, where these are not all of them. Raises `InputError` without rows.
    """
    m = draw(number_of_rows, rows) if size is None else size
    return draw(choosing_mechanism, quality(rows), rows=m, alpha=alpha, epsilon=epsilon, noise=noise)


@thin
def on_quality(
    draw: Draw, rows: Any, *, quality: Callable[[Any], Quality], mechanism: Mechanism, **parameters: Any
) -> Any:
    """The outcome of a mechanism whose database is quality(rows); it has the other parameters."""
    return draw(mechanism, quality(rows), **parameters)


@thin
def noisy_number(draw: Draw, rows: Any, *, number: Callable[[Any], int], noise: NoiseLaw) -> Any:
    """number(rows) with noise, such as how many rows there are of a kind."""
    return number(rows) + draw(noise)


@thin
def number_of_rows(draw: Draw, rows: Sequence[Any] | Mapping[Any, int]) -> int:
    """The number of rows, also of a mapping of rows to numbers: the same of neighbours where one row is replaced.

    Raises `InputError` without rows.
    """
    if not rows:
        raise InputError(bad_input.IS_EMPTY, "the database", "row")
    return sum(rows.values()) if isinstance(rows, Mapping) else len(rows)


@thin
def on_some_rows(draw: Draw, rows: Sequence[Any], *, mechanism: Mechanism, **parameters: Any) -> Any:
    """The outcome of a mechanism on rows of which there is at least one; it has the other parameters.

    Raises `InputError` without rows.
    """
    if not rows:
        raise InputError(bad_input.IS_EMPTY, "the database", "row")
    return draw(mechanism, rows, **parameters)


@thin
def on_each_row(
    draw: Draw, rows: Sequence[Any], *, row: Callable[[Any], Any], mechanism: Mechanism, **parameters: Any
) -> Any:
    """The outcome of a mechanism on the rows when row(x) is put in the place of each x; it has the other parameters.

    Neighbours are neighbours then, or one and the same.
    """
    return draw(mechanism, tuple(map(row, rows)), **parameters)
