"""The commands that tell of claims: `dpverify list` and `dpverify explain`."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Final

import click
import msgspec

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import cut, writable
from dpverify.verifiers.auditing.exit_status import INTERRUPTED_STATUS, exit_status
from dpverify.verifiers.commands.auditing import kind_option
from dpverify.verifiers.commands.errors import say_what_is_not_decided
from dpverify.verifiers.commands.naming import meant_by, names_argument, say_unread
from dpverify.verifiers.commands.options import limit_option, limited, recheck_option
from dpverify.verifiers.commands.terminal import Terminal
from dpverify.verifiers.locations import seen_from_here, with_language

if TYPE_CHECKING:
    from dpverify.verifiers.claims import AnyClaim, How
    from dpverify.verifiers.processes.workplace import Workplace


@click.command("list")
@names_argument
@kind_option
def list_command(names: tuple[str, ...], of_catalogue: bool, kind: tuple[str, ...] | None) -> None:
    """List claims, a line each: id, kind, expected verdict, what is claimed, and the statement.

    Without a name: those of the claims_*.py below this folder. Files of claims are run, as an import of them would,
    unless they were before and nothing has changed.
    """
    from dpverify.verifiers.auditing.answers import answer_of_command

    answer = answer_of_command(names, ("list", kind), of_catalogue=of_catalogue)
    if answer is not None and (lines := answer.earlier()) is not None:
        click.echo(lines, nl=False)
        return
    from dpverify.verifiers.auditing.selection import selected

    asked = meant_by(names, of_catalogue)
    claims = selected(asked.read, kinds=kind) if asked.read or not asked.names else []
    rows = [(claim.id, claim.kind, _expected(claim), claim.claimed, _short(claim)) for claim in claims]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    listed = []
    for place, of_file in groupby(zip(claims, rows, strict=True), key=lambda one: _place(one[0])):
        indent = "  " if place else ""
        if place:
            listed.append(f"{seen_from_here(place)}\n")
        for _, row in of_file:
            padded = "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True))
            listed.append(f"{indent}{padded}".rstrip() + "\n")
    click.echo("".join(listed), nl=False)
    if answer is not None and not asked.unread:
        answer.store("".join(listed))
    say_unread(asked.unread)
    sys.exit(2 if asked.unread else 0)


def _place(claim: AnyClaim) -> str:
    """The file that a claim was loaded from, empty for the catalogue."""
    return "" if claim.reference is None else claim.reference.place or ""


_SHORT: Final = 60
"""Characters of a statement in a list; `explain` says all of it."""


def _short(claim: AnyClaim) -> str:
    """The statement of a claim, as much as a list has of it; of the catalogue all."""
    return cut(claim.statement, _SHORT) if _place(claim) else claim.statement


def _expected(claim: AnyClaim) -> str:
    """The verdict that is expected, and what is refuted."""
    return str(claim.verdict_expected) + ("" if claim.refutation is None else f" ({claim.refutation.kind})")


@click.command("explain")
@names_argument
@recheck_option
@limit_option
def explain_command(names: tuple[str, ...], of_catalogue: bool, recheck: bool, limits: tuple[str, ...]) -> None:
    """Print everything about one claim of any kind: source, mechanism, verdict, scope, counterexample and mutant.

    ID is an id of a claim below this folder, of FILE, also as FILE::ID, or of the catalogue. None is needed where there
    is one claim. Files of claims are run.
    """
    from dpverify.verifiers.auditing.attempts import Attempts, Schedule
    from dpverify.verifiers.auditing.auditing import make_ready
    from dpverify.verifiers.auditing.selection import selected
    from dpverify.verifiers.claims import How

    asked = meant_by(names, of_catalogue)
    if asked.unread:
        raise InputError("; ".join(asked.unread.values()))
    claims = selected(asked.names)
    if len(claims) > 1:
        what = " ".join(names) or ("the catalogue" if of_catalogue else "this folder")
        file = next(iter(asked.names), "").partition("::")[0]
        first = f"{file}::{claims[0].id}" if file.endswith(".py") else claims[0].id
        raise InputError(bad_input.SEVERAL_CLAIMS, what, len(claims), first)
    how = How(recheck=recheck, depth="full")
    make_ready(claims, how)
    read = partial(msgspec.json.decode, type=_Explained)
    attempts = Attempts(limited(claims, limits), partial(_explained, how), read, Schedule())
    for row in attempts:
        if isinstance(row, _Explained):
            Terminal(sys.stdout).say([row.text])
            sys.exit(row.status)
    say_what_is_not_decided(attempts.not_decided, 1, attempts.interrupted)
    sys.exit(INTERRUPTED_STATUS if attempts.interrupted else 2)


class _Explained(msgspec.Struct):
    """The text on a claim, and the exit status."""

    text: str
    status: int


def _explained(how: How, claim: AnyClaim, where: Workplace) -> bytes:
    from dpverify.reports.audits.table import claim_lines

    result, parts = claim.explain(replace(how, where=where))
    lines = [
        "\n".join(filter(None, (claim.id, claim.statement))),
        "",
        *(f"{title}: {text}" for title, text in [("source", claim.source), *parts] if text),
        "",
        *claim_lines(
            with_language(claim, result), paint=Terminal(sys.stdout).paint, columns=Terminal(sys.stdout).width
        ),
    ]
    return msgspec.json.encode(_Explained(writable("\n".join(lines)), exit_status([result])))
