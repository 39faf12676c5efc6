"""A baseline: the record of an audit that is kept beside the code, and that a later one may not fall behind."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

import msgspec

from dpverify.mechanisms.exact.errors import InputError
from dpverify.reports.comparison import Audit, read_audit
from dpverify.reports.json_form import from_json, to_json
from dpverify.reports.kinds import kind_of
from dpverify.reports.numbers import counted
from dpverify.reports.record import SCHEMA_VERSION, AuditRecord, ClaimResult, Location

BASELINE: Final = Path("dpverify-baseline.json")
"""What a baseline is called unless somebody says otherwise."""


def read_baseline(path: Path) -> Audit:
    """The audit that a file holds. Raises `InputError` where there is none, or one that is partial."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there is no baseline {path}: write one by --update-baseline") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    try:
        found = read_audit(text)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return refuse_partial(found, path)


def refuse_partial(found: Audit, path: Path) -> Audit:
    """The audit. Raises `InputError` where something in it is not decided: what is missing could not get worse."""
    if found.not_decided:
        first = next(iter(found.not_decided))
        raise InputError(
            f"{path} is partial, and no baseline: {counted(len(found.not_decided), 'row')} not decided, first {first}"
        )
    return found


def baseline_of(record: AuditRecord, earlier: AuditRecord | None = None, kept: Collection[str] = ()) -> str:
    """A baseline as JSON, in the order of the one before: without curves, and without lines, which move.

    Claims of the earlier one that are to be `kept`, as nobody asked for them, stay as they were. Raises `InputError`
    where the record is partial.
    """
    if record.partial:
        first = record.not_decided[0].id
        raise InputError(
            f"a partial audit is no baseline: {counted(len(record.not_decided), 'row')} not decided, first {first}"
        )
    found = {claim.id: _lean(claim) for claim in record.claims}
    before = {} if earlier is None else {claim.id: claim for claim in earlier.claims}
    claims = {name: found.get(name, claim) for name, claim in before.items() if name in found or name in kept}
    return to_json(AuditRecord(SCHEMA_VERSION, record.dpverify, list((claims | found).values()), []))


def earlier_record(path: Path) -> AuditRecord | None:
    """The baseline that is to be replaced; None where there is none. Raises `InputError` for what cannot be read."""
    if not path.exists():
        return None
    try:
        return from_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _lean(claim: ClaimResult) -> ClaimResult:
    found: ClaimResult = kind_of(claim).lean(claim)
    return msgspec.structs.replace(
        found,
        cached=False,
        never_run=None,
        location=_without_line(claim.location),
        mechanism_location=_without_line(claim.mechanism_location),
    )


def _without_line(place: Location | None) -> Location | None:
    return None if place is None else msgspec.structs.replace(place, line=0)
