"""The names that commands take: which claims they stand for, and what a shell offers to complete."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.verifiers.commands.errors import BadInput
from dpverify.verifiers.commands.options import Command

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from dpverify.reports.record import NotDecided
    from dpverify.verifiers.auditing.selection import Meant


def complete_name(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """The completions that a shell offers: ids that begin so, and files, of which it knows itself.

    Nothing that somebody wrote is run for it: ids of files are read from their text.
    """
    from click.shell_completion import CompletionItem

    from dpverify.verifiers.auditing.claim_folders import claim_files
    from dpverify.verifiers.catalogue import PAPERS, catalogue

    of_catalogue = context.params.get("of_catalogue") or any(paper.startswith(begun) for paper in PAPERS if begun)
    if "/" in begun or begun.endswith(".py"):
        ids = []
    elif of_catalogue or begun.startswith(PAPERS):
        ids = [claim.id for claim in catalogue()]
    else:
        try:
            ids = [found for file in claim_files(Path()) for found in _ID.findall(file.read_text(encoding="utf-8"))]
        except (InputError, OSError, ValueError):  # a shell has no place for what is wrong
            ids = []
    return [*(CompletionItem(name) for name in ids if name.startswith(begun)), CompletionItem(begun, type="file")]


_ID: Final = re.compile(r"""\bid=["']([^"'{}\s]+)["']""")
"""An id in the text of a file of claims."""

_catalogue: Final = click.option(
    "--catalogue", "of_catalogue", is_flag=True, help="Take the claims of the papers, all of them without an ID."
)


def names_argument(command: Command, metavar: str = "[ID | FILE | FOLDER]...") -> Command:
    """The names of claims, and whether they are of the catalogue."""
    return _catalogue(click.argument("names", metavar=metavar, nargs=-1, shell_complete=complete_name)(command))


def meant_by(names: Sequence[str], of_catalogue: bool) -> Meant:
    """The meaning of the names of a command. Raises `BadInput` where that is nothing, or the one file is not read."""
    from dpverify.verifiers.auditing.claim_folders import NoClaimFiles
    from dpverify.verifiers.auditing.selection import meant

    try:
        found = meant(names, of_catalogue=of_catalogue)
    except NoClaimFiles as error:
        raise BadInput(
            str(error),
            "  dpverify new NAME            write a first mechanism, its claims and its tests",
            "  dpverify audit --catalogue   decide the claims about the papers, which come with dpverify",
        ) from None
    if len(found.unread) == 1 and not found.read:
        raise InputError(next(iter(found.unread.values())))
    return found


def unread_rows(unread: Mapping[str, str]) -> list[NotDecided]:
    """A row of a report for each file that cannot be read."""
    from dpverify.reports.record import NotDecided

    rows = [(one_line(name), reason) for name, reason in unread.items()]
    return [NotDecided(name, "file", "", None, reason.removeprefix(f"{name}, ")) for name, reason in rows]


def say_unread(unread: Mapping[str, str]) -> None:
    """A line on standard error for each file that cannot be read."""
    for reason in unread.values():
        BadInput(reason).show()
