"""The command `dpverify compare`: the difference of two audits."""

import sys
from pathlib import Path

import click

from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.reports.gates.comparison import Audit, difference, read_loosely
from dpverify.reports.gates.comparison import comparison_in_lines as difference_lines
from dpverify.reports.gates.gate import answers_of_any, gate
from dpverify.reports.gates.gate import gate_in_lines as gate_lines
from dpverify.reports.numbers import counted
from dpverify.verifiers.auditing.exit_status import gate_status
from dpverify.verifiers.commands.containing import shown_of
from dpverify.verifiers.commands.options import FILE


@click.command("compare")
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@click.option("--identical", is_flag=True, help="Fail where they say anything differently, better included.")
@click.option(
    "-q", "--quiet", is_flag=True, help="Show only what is worse, better, new or known, not every difference."
)
@click.option("--all", "whole", is_flag=True, help="Show every field of the records that differs.")
def compare_command(old: Path, new: Path, identical: bool, quiet: bool, whole: bool) -> None:
    """Print how the report NEW differs from OLD, and fail if it is worse.

    First the differences: verdicts, claimed and tight ε and δ, counterexamples, claims that only one report has;
    --all shows each field that differs. Then what a gate compares: a changed question, a worse verdict, a claim
    that is gone or new, with before, after, counterexample and place. Both are JSON reports, of this or an earlier
    schema version; what one version does not have is not compared. OLD must not be partial.

    The exit status is 0 if nothing is worse, 1 if something is, 2 if a report cannot be read, and 3 if nothing is
    worse than a claim that is left open.
    """
    if quiet and whole:
        raise InputError(bad_input.EXCLUDE, "--all", "--quiet")
    before, after = _whole(read_report(old), old), read_report(new)
    lines = {name: claim.line for name, claim in answers_of_any(before).items()}
    result = difference(before, after)
    gated = gate(lines, answers_of_any(after), after.not_decided, shown=shown_of(()))
    if not quiet:
        click.echo("\n".join([*difference_lines(result, before, after, whole=whole), ""]))
    click.echo("\n".join(gate_lines(gated)))
    sys.exit(gate_status(gated) or int(identical and not result.is_none))


def _whole(found: Audit, path: Path) -> Audit:
    """The audit. Raises `InputError` where something in it is not decided: what is missing could not get worse."""
    if found.not_decided:
        first = next(iter(found.not_decided))
        raise InputError(bad_input.PARTIAL_AUDIT, path, counted(len(found.not_decided), "row"), first)
    return found


def read_report(path: Path) -> Audit:
    """The audit of a JSON report, of this or an earlier version. Raises `InputError` where it cannot be read."""
    try:
        return read_loosely(path.read_bytes(), f"dpverify audit … --json {path}")
    except OSError as error:
        raise InputError(reasons.CANNOT_READ.text(file=path, why=error.strerror)) from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
