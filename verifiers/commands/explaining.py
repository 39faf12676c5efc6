"""The commands that tell of claims: `dpverify list` and `dpverify explain`."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial

import click
import msgspec

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.shown import writable
from dpverify.reports.audits.table import claim_lines
from dpverify.verifiers.auditing.exit_status import INTERRUPTED_STATUS, exit_status
from dpverify.verifiers.claims import AnyClaim, How
from dpverify.verifiers.commands.auditing import NAMES, complete_name, kind_option
from dpverify.verifiers.commands.errors import say_what_is_not_decided
from dpverify.verifiers.commands.options import limit_option, limited, recheck_option
from dpverify.verifiers.commands.terminal import Terminal
from dpverify.verifiers.processes.workplace import Workplace


@click.command("list", short_help="List claims: ids, expected verdicts, statements.")
@NAMES
@kind_option
def list_command(names: tuple[str, ...], kind: tuple[str, ...] | None) -> None:
    """List claims: their ids, kinds, expected verdicts, what they claim, and statements.

    The whole catalogue, or ids, patterns such as 'BNS-J-2.26*', and files of claims. Files that are named are run, as
    an import of them would.
    """
    from dpverify.verifiers.auditing.selection import selected

    claims = selected(names, kinds=kind)
    rows = [(claim.id, claim.kind, _expected(claim), claim.claimed, claim.statement) for claim in claims]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip())


def _expected(claim: AnyClaim) -> str:
    """The verdict that is expected, and what is refuted."""
    return str(claim.verdict_expected) + ("" if claim.refutation is None else f" ({claim.refutation.kind})")


@click.command("explain", short_help="Say all about one claim.")
@click.argument("names", metavar="ID | FILE [ID]", nargs=-1, required=True, shell_complete=complete_name)
@recheck_option
@limit_option
def explain_command(names: tuple[str, ...], recheck: bool, limits: tuple[str, ...]) -> None:
    """Say all about one claim, of whatever kind: its source, its mechanism, verdict and scope, witness and mutant.

    ID is an id of the catalogue, or of FILE, also as FILE::ID; a FILE that holds one claim needs none. FILE is run.
    """
    from dpverify.verifiers.auditing.attempts import Attempts, Schedule
    from dpverify.verifiers.auditing.auditing import make_ready
    from dpverify.verifiers.auditing.selection import selected

    claims = selected(names)
    if len(claims) > 1:
        first = f"{names[0].partition('::')[0]}::{claims[0].id}" if ".py" in names[0] else claims[0].id
        raise InputError(f"{' '.join(names)} stands for {len(claims)} claims: name one, for example {first}")
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
    result, parts = claim.explain(replace(how, where=where))
    lines = [
        "\n".join(filter(None, (claim.id, claim.statement))),
        "",
        *(f"{title}: {text}" for title, text in [("source", claim.source), *parts] if text),
        "",
        *claim_lines(result, paint=Terminal(sys.stdout).paint, columns=Terminal(sys.stdout).width),
    ]
    return msgspec.json.encode(_Explained(writable("\n".join(lines)), exit_status([result])))
