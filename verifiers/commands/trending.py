"""The command `dpverify trend`: what became of claims in several JSON reports."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.reports.gates.comparison import Audit
from dpverify.reports.gates.trend import in_lines, trend_of_audits
from dpverify.reports.writing import STANDARD_OUTPUT, check_targets, write_reports
from dpverify.verifiers.commands.comparing import read_report
from dpverify.verifiers.commands.options import FILE
from dpverify.verifiers.commands.terminal import say_written


@click.command("trend", short_help="Say what became of claims in several JSON reports, oldest first.")
@click.argument("records", metavar="REPORT REPORT...", type=FILE, nargs=-1, required=True)
@click.option(
    "--html", type=FILE, metavar="OUT", help="Write one HTML page that opens offline to OUT (-: standard output)."
)
def trend_command(records: tuple[Path, ...], html: Path | None) -> None:
    """Print how many claims were as expected in each of several JSON reports, oldest first, and which claims changed.

    Reports are called by their files. What an audit did not measure is taken as it was before. The exit status is 0,
    whatever they say, and 2 where one cannot be read: `dpverify compare` is what fails.
    """
    if len(records) < 2:
        raise InputError(bad_input.IS_EMPTY, "the list of further reports", "second report, oldest first")
    audits: dict[str, Audit] = {}
    for path in records:
        if str(path) in audits:
            raise InputError(bad_input.TWICE, "the command", path, "give it once")
        audits[str(path)] = read_report(path)
    if html is not None:
        check_targets([html])
        for path in records:
            check_targets([html], read=path)
    result = trend_of_audits(audits)
    if html is not None:
        from dpverify.reports.formats.html import trend_page

        write_reports({html: trend_page(result)})
    stream = sys.stderr if html == STANDARD_OUTPUT else sys.stdout
    click.echo("\n".join(in_lines(result)), file=stream)
    say_written([] if html is None else [html], stream)
