"""The kinds of claims, one module each: what is found of a claim of that kind, and how it is told.

A module here that has a KIND is a kind: nothing else has to be told of it.

It imports the record. Begin with `privacy.py`. A change keeps the fields of the JSON schema, and what each
format tells of them: `tests/reports`, `make schema`.
"""

import pkgutil
from functools import cache
from importlib import import_module
from typing import Any

from dpverify.reports.kind import NAME_OF_KIND, Kind
from dpverify.reports.record import ClaimResult


@cache
def kinds() -> dict[str, Kind[Any]]:
    """All kinds by their names, in the order in which they are shown."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    results: list[Kind[Any]] = [getattr(import_module(f"{__name__}.{name}"), NAME_OF_KIND) for name in names]
    return {kind.name: kind for kind in sorted(results, key=lambda kind: (kind.rank, kind.name))}


def kind_of(result: ClaimResult) -> Kind[Any]:
    """The kind of a result."""
    return kinds()[result.kind]
