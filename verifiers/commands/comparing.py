"""The command `dpverify compare`: the difference of two audits."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from dpverify.mechanisms.exact.errors import InputError
from dpverify.reports.comparison import Audit, difference, in_lines, read_audit
from dpverify.verifiers.commands.options import FILE


@click.command("compare", short_help="Print what two JSON reports say differently.")
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
def compare_command(old: Path, new: Path) -> None:
    """Print what the report NEW says otherwise than OLD: verdicts, bounds, witnesses, claims that one of them lacks.

    Both are JSON reports, of this or an earlier version of their form; what one version does not have is not compared.
    The exit status is 0 where they say the same, 1 where they differ, and 2 where one cannot be read.
    """
    before, after = _read(old), _read(new)
    found = difference(before, after)
    click.echo("\n".join(in_lines(found, before, after)))
    sys.exit(0 if found.is_none else 1)


def _read(path: Path) -> Audit:
    try:
        return read_audit(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
