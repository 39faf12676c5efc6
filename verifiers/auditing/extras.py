"""Extras of the package: which modules those are, and what is said where one is not installed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from dpverify.reports.record import AuditRecord, NotDecided
    from dpverify.verifiers.claims import AnyClaim

EXTRAS: Final[Mapping[str, str]] = {
    "z3": "structure",
    "cvc5": "structure",
    "hypothesis": "utility",
    "scipy": "learners",
    "highspy": "bounds",
    "distributed": "distributed",
}
"""The extra of each module that is imported only where it is used."""

_NEEDS: Final = "needs dpverify["


def needs(error: BaseException) -> str:
    """Extra that an error, or its cause, asks for; empty where none is missing."""
    for cause in _causes(error):
        module = (cause.name or "").partition(".")[0] if isinstance(cause, ModuleNotFoundError) else ""
        if module in EXTRAS:
            extra = EXTRAS[module]
            return f"{_NEEDS}{extra}]: {module} is not installed; pip install 'dpverify[{extra}]'"
    return ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def may_be_left(record: AuditRecord, claims: Collection[AnyClaim], names: Collection[str]) -> list[NotDecided]:
    """Rows that cost an audit nothing: claims of the catalogue that need an extra and were not asked for by their ids.

    Claims of people's own files are asked for wherever their file is, but for those by samples of a library that is not
    installed. Where nothing was decided nothing may be left.
    """
    if not record.claims:
        return []
    from dpverify.verifiers.blackbox.sampling.samplers import NEEDS_A_LIBRARY

    of_the_catalogue = {claim.id for claim in claims if claim.reference is not None and not claim.reference.place}
    return [
        row
        for row in record.not_decided
        if not any(name == row.id or name.endswith(f"::{row.id}") for name in names)
        and (
            (row.reason.startswith(_NEEDS) and row.id in of_the_catalogue)
            or (row.reason.startswith(NEEDS_A_LIBRARY) and row.kind == "sampled")
        )
    ]
