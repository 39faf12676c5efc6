"""The sources of mechanisms as they are written, for reports to show beside what refutes them."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Final

from dpverify.reports.record import ClaimResult, MechanismSource, Status, storable
from dpverify.verifiers.claims import AnyClaim

MOST_LINES: Final = 120
"""Of a source that is shown."""


def sources_of(claims: Iterable[AnyClaim], results: Sequence[ClaimResult]) -> list[MechanismSource]:
    """The sources of mechanisms of which a claim is refuted, or not as expected, each once, in the order of `results`.

    Mechanisms whose source cannot be read are left out.
    """
    mechanisms = {claim.id: getattr(claim, "mechanism", None) for claim in claims}
    found: dict[str, list[str]] = {}
    for result in results:
        if result.verdict is Status.REFUTED or not result.as_expected:
            text = source_of(mechanisms.get(result.id))
            if text:
                found.setdefault(text, []).append(result.id)
    return [storable(MechanismSource(text, ids)) for text, ids in found.items()]


def source_of(mechanism: Any) -> str:
    """The source of a function, or of the class of what is called like one; empty where it cannot be read."""
    while isinstance(mechanism, functools.partial):
        mechanism = mechanism.func
    named = mechanism if inspect.isroutine(mechanism) or inspect.isclass(mechanism) else type(mechanism)
    try:
        lines = textwrap.dedent(inspect.getsource(named)).rstrip().splitlines()
    except (OSError, TypeError):  # typed in, made by a program, or compiled
        return ""
    left = len(lines) - MOST_LINES
    return "\n".join([*lines[:MOST_LINES], *([f"# … {left} more lines"] if left > 0 else [])])
