"""The sources of mechanisms as they are written, for reports to show beside what is found of them."""

import functools
import inspect
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.mechanisms.functions.places import is_kept_nowhere
from dpverify.reports.record import ClaimResult, MechanismSource, storable
from dpverify.verifiers.claims import AnyClaim

MOST_LINES: Final = 120
"""Of a source that is shown."""


def sources_of(claims: Iterable[AnyClaim], results: Sequence[ClaimResult]) -> list[MechanismSource]:
    """The sources of the mechanisms, each once, in the order of `results`; those that cannot be read are left out."""
    mechanisms = {claim.id: next(iter(claim.about), None) for claim in claims}
    return joined_sources(MechanismSource(source_of(mechanisms.get(one.id)), [one.id]) for one in results)


def joined_sources(sources: Iterable[MechanismSource]) -> list[MechanismSource]:
    """The sources, each once with the claims of all, in order; those that are empty are left out."""
    results: dict[str, list[str]] = {}
    for source in map(storable, sources):
        if source.text:
            results.setdefault(source.text, []).extend(source.claims)
    return [MechanismSource(text, claims) for text, claims in results.items()]


def source_of(mechanism: Any) -> str:
    """The source of a function, or of the class of what is called like one; empty where it cannot be read."""
    while isinstance(mechanism, functools.partial | MadeOf):
        mechanism = mechanism.func if isinstance(mechanism, functools.partial) else mechanism.functions[0]
    named = mechanism if inspect.isroutine(mechanism) or inspect.isclass(mechanism) else type(mechanism)
    if is_kept_nowhere(getattr(inspect.unwrap(named), "__code__", None)):
        return ""
    try:
        lines = textwrap.dedent(inspect.getsource(named)).rstrip().splitlines()
    except (OSError, TypeError):  # typed in, made by a program, or compiled
        return ""
    left = len(lines) - MOST_LINES
    return "\n".join([*lines[:MOST_LINES], *([f"# … {left} more lines"] if left > 0 else [])])
