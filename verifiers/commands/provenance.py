"""The provenance of the reports of a run: date, commit of git, and command line without paths of the machine."""

import os
import platform
import re
import shlex
import subprocess
import time
import tomllib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import one_line, shown
from dpverify.reports.provenance import Provenance
from dpverify.verifiers.commands.errors import COMMAND

EPOCH: Final = "SOURCE_DATE_EPOCH"


def provenance_of(
    command: Sequence[str], outputs: Iterable[Path], title: str | None = None, folder: Path | None = None
) -> Provenance:
    """The provenance of reports that `command` writes to `outputs`, of the project in `folder`, or around it.

    Without a `title` it is the project's name, or the folder's. Reports that differ from the commit
    make no tree unclean. Raises `InputError` for a SOURCE_DATE_EPOCH that is no time.
    """
    root = Path.cwd() if folder is None else folder
    date = _date()
    commit, clean = _commit(root, outputs)
    said = one_line(title) if title else _project_name(root)
    return Provenance(said, date, commit, clean, platform.python_version(), _in_one_line(command, root))


def command_line() -> list[str]:
    """The command line that is being run, as far as that is known."""
    context = click.get_current_context(silent=True)
    return [] if context is None else list(context.meta.get(COMMAND, [context.command_path]))


def _date() -> str:
    told = os.environ.get(EPOCH)
    try:
        seconds = time.time() if told is None else int(told)
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        raise InputError(
            bad_input.WRONG, f"{EPOCH}={shown(told)}", "a time", "write whole seconds since 1970, or unset it"
        ) from None


def _commit(folder: Path, outputs: Iterable[Path]) -> tuple[str, bool | None]:
    """The commit, and whether all tracked files are as in it and no Python file is new; ("", None) if none is known."""
    lines = _git(folder, "rev-parse", "--show-toplevel", "HEAD").splitlines()
    if len(lines) != 2:
        return "", None
    root, commit = Path(lines[0]), lines[1]
    files = [Path(os.path.realpath(path)) for path in outputs]
    written = [file.relative_to(root).as_posix() for file in files if file.is_relative_to(root)]
    besides = [f":(top,exclude,literal){name}" for name in written]
    status = _git(folder, "status", "--porcelain", "-z", "--untracked-files=all", "--", ":/", *besides)
    changes = [entry for entry in status.split("\0") if entry]
    return commit, not any(not entry.startswith("?? ") or entry.endswith(".py") for entry in changes)


def _git(folder: Path, *arguments: str) -> str:
    """Output of git, which writes nothing and runs none of the repository's programs; empty where it fails."""
    command = ("git", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments)
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    except OSError:
        return ""
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else ""


def _project_name(folder: Path) -> str:
    """`[project] name` of the nearest pyproject.toml, in the folder or above it; otherwise the name of the folder."""
    absolute = Path(os.path.abspath(folder))  # noqa: PTH100  # links stay
    for above in (absolute, *absolute.parents):
        try:
            project = tomllib.loads((above / "pyproject.toml").read_text(encoding="utf-8")).get("project")
        except (OSError, ValueError):
            continue
        name = project.get("name") if isinstance(project, dict) else None
        if isinstance(name, str) and name:
            return one_line(name)
    return one_line(absolute.name) or "dpverify audit"


_ADDRESS: Final = re.compile(r"^\w[\w+.-]*://.*")


def _in_one_line(command: Sequence[str], folder: Path) -> str:
    return one_line(
        shlex.join("=".join(_without_machine(part, folder) for part in word.split("=")) for word in command)
    )


def _without_machine(text: str, folder: Path) -> str:
    """A part of a command line: of a path outside of the folder, and of an address, no more than that it is one."""
    if _ADDRESS.match(text):
        return "..."
    if not text.startswith(("/", "~", "..")):
        return text
    path = Path(os.path.normpath(folder / text))
    inside = path.is_relative_to(folder) and not text.startswith("~")
    return path.relative_to(folder).as_posix() if inside else f".../{path.name}"
