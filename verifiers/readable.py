"""Databases, outcomes and parameters for people."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from itertools import groupby
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final

from dpverify.mechanisms.exported import advice_in_brackets as advice_in_brackets  # noqa: PLC0414  # parts of this
from dpverify.mechanisms.exported import did_you_mean as did_you_mean  # noqa: PLC0414  # module, too
from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.numbers.containers import DICTS, as_returned
from dpverify.mechanisms.numbers.enclosure import decimal
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.exact_text import readable_within
from dpverify.mechanisms.numbers.shown import LONGEST_MESSAGE, in_words, is_long, repr_in_full, shown
from dpverify.mechanisms.outputs.loss_events import LossAbove
from dpverify.mechanisms.outputs.released_parts import Anything, FromTo, OneOf
from dpverify.mechanisms.outputs.released_reals import AnyReal, Between, Where
from dpverify.mechanisms.outputs.templates import AnyNumber, AtLeast, AtMost


def readable(value: Any) -> str:
    """A database or an outcome for people: ⊥ as ⊥, and otherwise as Python writes it."""
    value = as_returned(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(readable, value))}{',' if len(value) == 1 else ''})"
    if type(value) is list:
        return f"[{', '.join(map(readable, value))}]"
    if type(value) in DICTS:
        return _readable_dict(value)
    if is_dataclass(value) and type(value).__hash__ is None and "__dataclass_params__" in vars(type(value)):
        parts = (
            f"{one.name}={readable(getattr(value, one.name))}" for one in fields(value) if hasattr(value, one.name)
        )
        return f"{type(value).__name__}({', '.join(parts)})"
    return in_words(value) if isinstance(value, _IN_WORDS) else repr_in_full(value)


def _readable_dict(value: Any) -> str:
    items = f"{{{', '.join(f'{readable(key)}: {readable(part)}' for key, part in value.items())}}}"
    if type(value) is dict:
        return items
    factory = f"{getattr(value.default_factory, '__name__', None)}, " if isinstance(value, defaultdict) else ""
    return f"{type(value).__name__}({factory}{items})"


_EVENTS: Final = (AtLeast, AtMost, Between, FromTo, AnyReal, Where, Anything, AnyNumber, OneOf, LossAbove)
_IN_WORDS: Final = (Enum, *_EVENTS)


def shown_parameter(value: Any) -> str:
    """A parameter of a mechanism for people: exact numbers in mathematical notation, functions by their name.

    So that no record of it has an address: it is the same in each process.
    """
    if isinstance(value, Exact):
        return str(value)
    if isinstance(value, Fraction):
        return shown(value) if is_long(value) else str(value)
    if type(value) is tuple:
        return f"({', '.join(map(shown_parameter, value))}{',' if len(value) == 1 else ''})"
    if type(value) is list:
        return f"[{', '.join(map(shown_parameter, value))}]"
    if type(value) is dict:
        return f"{{{', '.join(f'{shown_parameter(key)}: {shown_parameter(part)}' for key, part in value.items())}}}"
    if type(value) is partial:
        given = (f"{name}={shown_parameter(part)}" for name, part in value.keywords.items())
        return f"partial({', '.join((*map(shown_parameter, (value.func, *value.args)), *given))})"
    return name_of(value) if isinstance(value, FunctionType | BuiltinFunctionType) else shown(value, LONGEST_MESSAGE)


def number_in_words(number: Exact) -> str:
    """The exact form of a number with its decimals, of a long form these alone."""
    text = readable_within(number, 40)
    return decimal(number) if text is None else text if text == decimal(number) else f"{text} = {decimal(number)}"


def shown_case(case: Mapping[str, Any]) -> str:
    """Parameters by their names for people; a long tuple by its runs of equal rows."""
    return ", ".join(f"{_GREEK.get(name, name)} = {_in_runs(value)}" for name, value in case.items())


def _in_runs(value: Any) -> str:
    return rows_in_words(value) if isinstance(value, tuple) and len(value) > _MOST_ROWS else shown_parameter(value)


_GREEK: Final = {"epsilon": "ε", "delta": "δ", "alpha": "α", "beta": "β"}


def rows_in_words(database: Any) -> str:
    """A database for people: runs of equal rows by their number, where it is long."""
    if not isinstance(database, tuple) or len(database) <= _MOST_ROWS:
        return readable(database)
    runs = [(len(list(rows)), readable(row)) for row, rows in groupby(database)]
    texts = [f"{count} of {row}" for count, row in runs[:_MOST_RUNS]]
    more = [f"… of {len(runs)} runs"] if len(runs) > len(texts) else []
    return f"{len(database)} rows: " + ", ".join(texts + more)


_MOST_ROWS: Final = 12
_MOST_RUNS: Final = 4
