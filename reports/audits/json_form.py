"""The JSON form of an audit: written, read, and described by a schema."""

import inspect
from typing import Any, Final

import msgspec

from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.former_fields import FORMER_VERSION, claim_now
from dpverify.reports.kinds import kinds
from dpverify.reports.provenance import Provenance
from dpverify.reports.record import (
    SCHEMA_VERSION,
    AuditRecord,
    ClaimResult,
    MechanismSource,
    NotDecided,
    storable,
    storable_audit,
)


class _Form(msgspec.Struct, forbid_unknown_fields=True):
    """An audit, with its claims as text: what they are, their kinds say."""

    schema: str
    dpverify: str
    claims: list[msgspec.Raw]
    not_decided: list[NotDecided]
    sources: list[MechanismSource] = msgspec.field(default_factory=list)
    provenance: Provenance | None = None


class _Versioned(msgspec.Struct):
    """Of an audit of any version, which one it is."""

    schema: str


def to_json(audit: AuditRecord) -> str:
    """The JSON form, with sorted keys and two spaces of indentation."""
    return msgspec.json.format(msgspec.json.encode(storable_audit(audit), order="sorted"), indent=2).decode() + "\n"


RENEW: Final = "dpverify audit … --json FILE"
"""Command that writes a record again."""


def read_audit(text: str | bytes, renew: str = RENEW) -> AuditRecord:
    """The audit of a JSON form.

    Raises `InputError`, with the place, where the text does not follow the schema; of another version it says by which
    command to `renew` it.

    >>> read_audit(render(audit([]), ".json")).claims
    []
    """
    try:
        version = msgspec.json.decode(text, type=_Versioned).schema
        refuse_other_versions(version, renew)
        form = msgspec.json.decode(text, type=_Form)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise InputError(conflict(text) or reasons.NO_JSON_REPORT.text(why=error, renew=renew)) from None
    is_former = version == FORMER_VERSION
    claims = [_read(claim, f"claims[{i}]", renew, is_former) for i, claim in enumerate(form.claims)]
    return AuditRecord(SCHEMA_VERSION, form.dpverify, claims, form.not_decided, form.sources, form.provenance)


def refuse_other_versions(version: object, renew: str) -> None:
    """Raises `InputError` for a record of a version that is not read, with the command to write it again."""
    if version in (SCHEMA_VERSION, FORMER_VERSION):
        return
    later = isinstance(version, str) and version.isdecimal() and int(version) > int(SCHEMA_VERSION)
    whose = "a later dpverify, which is to be installed" if later else "an earlier dpverify"
    raise InputError(
        bad_input.OTHER_VERSION, f"an audit of version {shown(version)}, by {whose},", SCHEMA_VERSION, renew
    )


def conflict(text: str | bytes) -> str:
    """Message that a merge has left its marks, and what to do; empty where it has not."""
    lines = (text.encode() if isinstance(text, str) else text).splitlines()
    marked = next((i for i, line in enumerate(lines, 1) if line.startswith((b"<<<<<<< ", b">>>>>>> "))), None)
    if marked is None:
        return ""
    return bad_input.MERGE_CONFLICT.text(marked)


def _read(text: msgspec.Raw, place: str, renew: str, is_former: bool) -> ClaimResult:
    try:
        now = msgspec.json.encode(claim_now(msgspec.json.decode(text, type=dict[str, Any]))) if is_former else text
        return result_from_json(now)
    except msgspec.ValidationError as error:
        raise InputError(reasons.NO_JSON_REPORT.text(why=f"{place}: {error}", renew=renew)) from None


def result_to_json(result: ClaimResult) -> str:
    """One claim's result on one line."""
    return msgspec.json.encode(storable(result), order="sorted").decode()


def result_from_json(text: str | bytes | msgspec.Raw) -> ClaimResult:
    """The reverse of `result_to_json`. Raises `msgspec.ValidationError` where the text is no result of a known kind."""
    result: ClaimResult = msgspec.json.decode(text, type=_results())
    return result


def _results() -> Any:
    """The union of the results of all kinds, told apart by their tags."""
    union: Any = None
    for kind in kinds().values():
        union = kind.result if union is None else union | kind.result
    return union


def json_schema() -> dict[str, Any]:
    """The JSON Schema of an audit."""
    results = [kind.result for kind in kinds().values()]
    (_, *references), definitions = msgspec.json.schema_components((_Form, *results))
    tags = {kind.name: reference["$ref"] for kind, reference in zip(kinds().values(), references, strict=True)}
    audit: dict[str, Any] = definitions.pop(_Form.__name__)
    audit["description"] = "An audit: its claims in order, and what is not decided."
    audit["properties"]["schema"] = {"const": SCHEMA_VERSION}
    audit["properties"]["claims"]["items"] = {
        "anyOf": references,
        "discriminator": {"propertyName": "kind", "mapping": tags},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:dpverify:audit:{SCHEMA_VERSION}",
        **audit,
        "title": "dpverify audit",
        "$defs": {name: _described_alike(definition) for name, definition in definitions.items()},
    }


def _described_alike(definition: dict[str, Any]) -> dict[str, Any]:
    """A definition with its docstring without indentation, which Python has taken out of docstrings since 3.13."""
    said = definition.get("description")
    return definition if said is None else {**definition, "description": inspect.cleandoc(said)}
