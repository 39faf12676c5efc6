"""Rows as the arrays and data frames that code works on, and what it returns as an outcome that a law can hold.

numpy is loaded where it is asked for, pandas too, which need not be there.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.integers.whole_numbers import as_given
from dpverify.mechanisms.numbers.shown import shown


def loaded_numpy() -> Any:
    """The module numpy. Raises `InputError` where it is not installed."""
    return _loaded("numpy", "arrays")


def as_array(rows: Sequence[Any], *, columns: int | None = None, dtype: Any = None) -> Any:
    """A database, a tuple of rows, as a numpy array: one number a row, or a row of numbers for each.

    With dtype=object, whole numbers are such that their quotients are exact. `columns` is how many numbers a row has,
    for a database without rows. Raises `InputError` for rows of different lengths.
    """
    numpy = loaded_numpy()
    if not rows:
        return numpy.empty((0,) if columns is None else (0, columns), dtype=dtype or numpy.int64)
    try:
        result = numpy.array(rows, dtype=dtype)
    except ValueError as error:
        raise InputError(f"as_array({shown(rows)}): {error}") from None
    if dtype is object:
        for place in numpy.ndindex(result.shape):
            result[place] = as_given(result[place])
    return result


def as_frame(rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> Any:
    """A database, a tuple of rows, as a pandas DataFrame with these columns. Raises `InputError` without pandas."""
    return _loaded("pandas", "data frames").DataFrame(list(rows), columns=list(columns))


def as_outcome(value: Any) -> Any:
    """The result of code as an outcome: arrays and lists as tuples, numpy's numbers as plain ones, sets as frozensets.

    A mapping is the tuple of its pairs, in its order, which is seen, too; a Series that of its pairs with the index, a
    DataFrame its columns and the tuple of its rows, with the index.
    """
    if type(value).__module__.partition(".")[0] == "pandas":
        return _of_pandas(value)
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return as_outcome(value.tolist())
    if isinstance(value, list | tuple):
        return tuple(map(as_outcome, value))
    if isinstance(value, Mapping):
        return tuple((as_outcome(key), as_outcome(part)) for key, part in value.items())
    return frozenset(map(as_outcome, value)) if isinstance(value, set | frozenset) else value


def _of_pandas(value: Any) -> Any:
    if hasattr(value, "itertuples"):
        columns = as_outcome(list(value.columns))
        return columns, as_outcome(list(value.itertuples(index=True, name=None)))
    if hasattr(value, "items"):
        return as_outcome(list(value.items()))
    return as_outcome(value.tolist()) if hasattr(value, "tolist") else value


def listed(given: Any, what: str) -> Sequence[Any]:
    """The members of a list, a tuple, a range, an array or a Series, as plain ones.

    Raises `InputError` where they are rows, and for anything else: of a set or a DataFrame numpy makes something else.
    """
    if isinstance(given, range):
        return given
    if not isinstance(given, list | tuple) and (not hasattr(given, "tolist") or given.ndim != 1):
        raise InputError(
            bad_input.WRONG, f"{what}: {shown(given)}", "a list or an array of one dimension", "give one of these"
        )
    results = list(given if isinstance(given, list | tuple) else given.tolist())
    if any(isinstance(each, list | tuple) for each in results):
        raise InputError(
            bad_input.WRONG, f"{what}: a member", "a single value", "choose among their places, and take the row there"
        )
    return results


def _loaded(name: str, what: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise InputError(bad_input.MISSING_PACKAGE, what, name, name) from None
