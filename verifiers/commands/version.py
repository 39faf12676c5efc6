"""`dpverify --version`: the version, the commit where dpverify runs from a checkout, and Python's version."""

import os
import platform
from pathlib import Path
from typing import Any

import click

import dpverify
from dpverify.verifiers.processes.versions import PACKAGE


def version_line(package: Path = PACKAGE) -> str:
    """The line that `--version` prints of the dpverify whose folder this is."""
    return f"dpverify {dpverify.__version__}, commit {commit(package)}, Python {platform.python_version()}"


def commit(folder: Path) -> str:
    """The commit of a checkout, with `-dirty` where tracked files differ from it; `unknown` of any other folder."""
    if not (folder / ".git").exists():  # git would answer for a repository around an environment with dpverify in it
        return "unknown"
    import subprocess

    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # a hook's own
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    except OSError:  # there is no git
        return "unknown"
    return done.stdout.strip() or "unknown"


def show_version(context: click.Context, _parameter: click.Parameter, value: Any) -> None:
    """Print the line and end, if the option is given."""
    if value and not context.resilient_parsing:
        click.echo(version_line())
        context.exit()
