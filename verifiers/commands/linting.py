"""The command `dpverify lint`: what of mechanisms is outside the language, read and not run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import quote

import click
import msgspec

from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.language.reader import read
from dpverify.mechanisms.language.readings import OutsidePlace
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.reports.formats.github import shown_by_github, workflow_command
from dpverify.reports.formats.sarif import ROOT, literal
from dpverify.reports.numbers import counted
from dpverify.reports.record import Location, OutsideConstruct
from dpverify.verifiers.auditing.auditing import installed_version
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.commands.naming import meant_by, names_argument, say_unread
from dpverify.verifiers.commands.options import word_option
from dpverify.verifiers.locations import (
    in_record,
    inner_function,
    outside_of_claim,
    project_of_claim,
    project_of_function,
    seen_from_here,
    seen_from_project,
)

_FORMATS: Final = ("text", "json", "sarif", "github")


@click.command("lint")
@partial(names_argument, metavar="[ID | FILE | FOLDER | MODULE:FUNCTION]...")
@word_option("format", "form", _FORMATS, "Write lines of text, JSON, SARIF, or annotations of GitHub.")
def lint_command(names: tuple[str, ...], of_catalogue: bool, form: str) -> None:
    """List what of mechanisms, and of all that they call, is outside the language: a line each, with its place.

    Without a name: the mechanisms of the claims in the claims_*.py below this folder. MODULE:FUNCTION, or
    FILE.py:FUNCTION, is one mechanism. Files are imported; no mechanism is run.

    \b
    Exit status: 0  all of it is inside the language
                 1  some is outside: it is CHECKED at best, and never PROVED
                 2  bad usage or input
    """
    from dpverify.verifiers.auditing.selection import selected

    functions = [name for name in names if ":" in name and "::" not in name and not name.endswith(".py")]
    others = [name for name in names if name not in functions]
    if of_catalogue and functions:
        raise InputError(bad_input.EXCLUDE, "--catalogue, which takes ids of the catalogue,", functions[0])
    found = [_named(name) for name in functions]
    unread: dict[str, str] = {}
    if others or not functions:
        asked = meant_by(others, of_catalogue)
        unread |= asked.unread
        found += selected(asked.read) if asked.read or not asked.names else []
    mechanisms = _read(found)
    if not mechanisms and not unread:
        none = "a claim of a mechanism whose code is read, and none of these is"
        raise InputError(bad_input.NEEDS, "dpverify lint", none, "name one that is")
    click.echo("\n".join(_WRITTEN[form](mechanisms, unread)))
    say_unread(unread)
    sys.exit(2 if unread else 1 if any(one.places for one in mechanisms) else 0)


class _Mechanism(NamedTuple):
    """A mechanism that was read."""

    mechanism: Callable[..., Any]
    claims: tuple[str, ...]
    """The ids of the claims of it; none where it was named itself."""
    places: tuple[OutsidePlace, ...]
    """In order; none where it is inside."""
    project: Path | None


def _named(reference: str) -> Any:
    """The claim or the mechanism that MODULE:NAME names. Raises `InputError` where there is none."""
    from dpverify.verifiers.auditing.claim_files import load_object

    found = load_object(reference)
    if not callable(found) and not isinstance(found, AnyClaim):
        raise InputError(bad_input.NO_FUNCTION, reference)
    return found


def _read(found: Sequence[Any]) -> list[_Mechanism]:
    """The mechanisms of claims, and those that were named, each once, with all that is outside under some claim."""
    read_of: dict[int, _Mechanism] = {}
    for one in found:
        is_claim = isinstance(one, AnyClaim)
        places = outside_of_claim(one) if is_claim else read(one).outside
        if places is None:
            continue
        mechanism = one.about[0] if is_claim else one
        project = project_of_claim(one) if is_claim else project_of_function(one)
        before = read_of.get(id(mechanism), _Mechanism(mechanism, (), (), project))
        every = (*sorted({*before.places, *places}),)
        claims = (*before.claims, one.id) if is_claim else before.claims
        read_of[id(mechanism)] = before._replace(claims=claims, places=every)
    return [*read_of.values()]


def _places(mechanisms: Sequence[_Mechanism]) -> dict[OutsidePlace, Path | None]:
    """The places of all mechanisms, in order and each once, with the project of the first that leads there."""
    found = {place: one.project for one in reversed(mechanisms) for place in one.places}
    return {place: found[place] for place in sorted(found)}


def _said(place: OutsidePlace) -> str:
    return f"{place.construct}; {place.instead}" if place.instead else place.construct


def _closing(mechanisms: Sequence[_Mechanism], places: int) -> str:
    """The line that says how many mechanisms were read, and how many are inside."""
    outside = sum(bool(one.places) for one in mechanisms)
    inside = f"{len(mechanisms) - outside} inside the language"
    end = f", {outside} outside ({counted(places, 'place')})" if outside else ""
    return f"{counted(len(mechanisms), 'mechanism')} read: {inside}{end}"


def _in_text(mechanisms: Sequence[_Mechanism], _: dict[str, str]) -> list[str]:
    places = _places(mechanisms)
    lines = [f"{_where(place)}: outside the language: {_said(place)}" for place in places]
    return [*lines, _closing(mechanisms, len(places))]


def _where(place: OutsidePlace) -> str:
    """File, line and column; the function alone where no file has it."""
    return f"{seen_from_here(place.file)}:{place.line}:{place.column}" if place.file else place.function


def _for_github(mechanisms: Sequence[_Mechanism], _: dict[str, str]) -> list[str]:
    places = _places(mechanisms)
    commands = [
        workflow_command("warning", _location(place, project), "outside the language", [_said(place)], place.column)
        for place, project in places.items()
    ]
    return [*shown_by_github(commands, "warning"), _closing(mechanisms, len(places))]


def _location(place: OutsidePlace, project: Path | None) -> Location:
    return Location(seen_from_project(place.file, project), place.line, "", place.function)


class _MechanismInJson(msgspec.Struct):
    mechanism: str
    claims: tuple[str, ...]
    language: Literal["inside"] | list[OutsideConstruct]


def _in_json(mechanisms: Sequence[_Mechanism], unread: dict[str, str]) -> list[str]:
    rows = [
        _MechanismInJson(
            name_of(inner_function(one.mechanism)), one.claims, in_record(one.places, one.project) or "inside"
        )
        for one in mechanisms
    ]
    return [_formatted({"dpverify": installed_version(), "mechanisms": rows, "not_read": unread})]


def _in_sarif(mechanisms: Sequence[_Mechanism], unread: dict[str, str]) -> list[str]:
    rule = {"id": "outside-the-language", "shortDescription": {"text": "Code outside the language of mechanisms."}}
    results = [
        {
            "ruleId": rule["id"],
            "level": "warning",
            "message": {"text": literal(f"outside the language: {_said(place)}")},
            **({"locations": [_in_region(place, file)]} if (file := _location(place, project).file) else {}),
        }
        for place, project in _places(mechanisms).items()
    ]
    errors = [{"level": "error", "message": {"text": literal(reason)}} for reason in unread.values()]
    run = {
        "tool": {"driver": {"name": "dpverify", "version": installed_version(), "rules": [rule]}},
        "invocations": [{"executionSuccessful": not unread, "toolExecutionNotifications": errors}],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return [_formatted({"$schema": schema, "version": "2.1.0", "runs": [run]})]


def _in_region(place: OutsidePlace, file: str) -> dict[str, Any]:
    region = {"startLine": place.line, "startColumn": place.column}
    return {"physicalLocation": {"artifactLocation": {"uri": quote(file), "uriBaseId": ROOT}, "region": region}}


def _formatted(content: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode()


_WRITTEN: Final = {"text": _in_text, "json": _in_json, "sarif": _in_sarif, "github": _for_github}
