"""Messages of an audit to GitHub: annotations on standard output, and the summary of the job in the file for it."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

import click

from dpverify.reports.gates.gate import Gate
from dpverify.reports.record import AuditRecord, Location


def tell_github(
    record: AuditRecord,
    gated: Gate | None,
    uncovered: Sequence[Location],
    asked: bool | None,
    stream: TextIO,
    environment: Mapping[str, str] = os.environ,
) -> None:
    """Annotate what fails, and add to the summary of the job, if that is asked for, or it runs there and may.

    A summary is written where GITHUB_STEP_SUMMARY names a file; that it cannot be is said, and costs nothing else.
    """
    on_actions = environment.get("GITHUB_ACTIONS", "").lower() == "true"
    file = environment.get("GITHUB_STEP_SUMMARY", "")
    if asked is False or not (asked or on_actions or file):
        return
    from dpverify.reports.formats.github import summary, workflow_commands

    if asked or on_actions:
        for line in workflow_commands(record, gated, uncovered):
            click.echo(line, file=stream)
    if file:
        try:
            with Path(file).open("a", encoding="utf-8", errors="backslashreplace") as opened:
                opened.write(summary(record, gated, uncovered))
        except OSError as error:
            click.echo(f"cannot write the summary of the job {file}: {error.strerror}", err=True)
