"""Advice on what to write in place of a value that cannot be hashed, as databases, rows and outcomes have to be."""

from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from typing import Any, Final

from dpverify.mechanisms.numbers.shown import cut

_INSTEAD: Final[Mapping[type, str]] = {
    list: "tuples in place of lists",
    dict: "tuple(sorted(d.items())) in place of a dict d",
    set: "frozensets in place of sets",
}


def hashable_in_place(values: Iterable[Any], verb: str = "use") -> str:
    """Advice on what to do about the first of `values` that cannot be hashed, or a part of which cannot."""
    result = next((value for value in values if not is_hashable(value)), None)
    while type(result) is tuple:  # which can be hashed if its parts can
        result = next((part for part in result if not is_hashable(part)), None)
    kind = type(result)
    if is_dataclass(kind):
        return f"write @dataclass(frozen=True) above class {cut(kind.__name__)}"
    if hasattr(kind, "tolist") and hasattr(kind, "ndim"):
        return f"{verb} tuple(a.tolist()) in place of an array a, with tuples of tuples where it has several axes"
    return f"{verb} {_INSTEAD.get(kind, 'tuples, or give its class a __hash__')}"


def is_hashable(value: object) -> bool:
    """True of a value that may be a database, a row or an outcome."""
    try:
        hash(value)
    except TypeError:
        return False
    return True
