"""Ends of the commands: errors on one line of standard error with status 2, and 130 for an interruption.

And 141 or 74 where there is nobody, or nothing, to write to: a status of 0 would say that all claims are as expected.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.shown import one_line, shown
from dpverify.verifiers.auditing.exit_status import (
    DEBUG,
    INTERRUPTED_STATUS,
    OUTPUT_CLOSED_STATUS,
    READER_GONE_STATUS,
    reason_of,
)
from dpverify.verifiers.processes.platforms import collect_seldom

if TYPE_CHECKING:
    from dpverify.reports.record import NotDecided

COMMAND: Final = "dpverify.command"
"""Key of the context of a command for its command line."""

_MEANT: Final = {
    "verify": "audit, of claims, or check, of a function",
    "prove": "audit, of claims, or check, of a function",
    "decide": "audit, of claims, or check, of a function",
    "run": "audit, of claims, or check, of a function",
    "test": "audit",
    "claims": "list",
    "ls": "list",
    "show": "explain",
    "info": "explain",
    "diff": "compare",
    "gate": "audit --baseline FILE",
    "baseline": "audit --update-baseline",
    "init": "new",
    "create": "new",
    "mutants": "mutate",
    "version": "--version",
    "help": "--help",
}
"""Commands here that do what other tools have under these names."""


class BadInput(click.ClickException):
    """Bad input: one line on standard error, and those that say what to do next."""

    exit_code = 2

    def __init__(self, message: str, *next_steps: str) -> None:
        super().__init__("\n".join([one_line(message), *next_steps]))


class OutputClosed(BadInput):
    """There is no standard output to write to."""

    exit_code = OUTPUT_CLOSED_STATUS


class ListedCommand(click.Command):
    """Stands for a command in the list of all: its name, its module, which is loaded when it runs, and what it does."""

    def __init__(self, name: str, module: str, said: str) -> None:
        super().__init__(name, short_help=said)
        self.module = module


def load_command(listed: click.Command) -> click.Command:
    """The command that another one stands for."""
    assert isinstance(listed, ListedCommand)
    collect_seldom()  # what is loaded stays
    command: click.Command = getattr(import_module(f"{__package__}.{listed.module}"), f"{listed.name}_command")
    return command


class Commands(click.Group):
    """The commands, with errors on one line of standard error and exit status 2; 130 where they are interrupted.

    74 where standard output is closed, and 141 where who reads it is gone.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        if sys.stderr is None:
            sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115  # as long as the process
        if sys.stdout is None:
            _end_with(OutputClosed("standard output is closed: write to a file, or > /dev/null"))
        try:
            try:
                return super().main(*args, **kwargs)
            finally:  # what a buffer holds is not written until the process ends, which tells nobody
                sys.stdout.flush()
        except BrokenPipeError:
            _write_no_more()
            sys.exit(READER_GONE_STATUS)
        except OSError as error:
            _write_no_more(sys.stdout)
            _end_with(_not_written(error))

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **kwargs: Any) -> click.Context:
        command = ["dpverify", *args]  # which parsing takes apart
        _write_what_a_stream_cannot_as_escapes()
        try:
            context = super().make_context(info_name, args, *rest, **kwargs)
            context.meta[COMMAND] = command
            return context
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            raise BadInput(_misused(error)) from None
        except BrokenPipeError:
            raise _ReaderGone from None
        except OSError as error:
            raise _not_written(error) from None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """See `click.Group`; it loads the command, and of a word for what one does it says which one does it."""
        meant = _MEANT.get(args[0].lower()) if args else None
        if meant is not None and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"No such command {shown(args[0])}: did you mean {meant}?")
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and load_command(listed), rest

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _termination_interrupts():
                return super().invoke(ctx)
        except click.UsageError as error:
            if isinstance(error, click.exceptions.NoArgsIsHelpError):
                raise
            command = error.ctx.command_path if error.ctx else ctx.command_path
            raise BadInput(f"{_misused(error)} (see {command} --help)") from None
        except InputError as error:
            raise BadInput(reason_of(error)) from None
        except (KeyboardInterrupt, click.Abort):
            BadInput("interrupted").show()
            ctx.exit(INTERRUPTED_STATUS)
        except BrokenPipeError:
            raise _ReaderGone from None
        except (click.ClickException, click.exceptions.Exit, SystemExit):
            raise
        except OSError as error:
            raise _not_written(error) from None
        except BaseException as error:
            if os.environ.get(DEBUG):
                raise
            raise BadInput(reason_of(error)) from None


def _misused(error: click.UsageError) -> str:
    """The message of an error; of an option that there is none of with the two at most that are nearest.

    Those that click finds are alike in their hyphens.
    """
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return one_line(error.format_message())
    from difflib import get_close_matches

    options = {name.lstrip("-"): name for one in error.ctx.command.get_params(error.ctx) for name in one.opts}
    near = [options[name] for name in get_close_matches(error.option_name.lstrip("-"), options, n=2)]
    return f"no such option {error.option_name}" + (f": did you mean {' or '.join(near)}?" if near else "")


class _ReaderGone(click.exceptions.Exit):
    """Ends a command whose reader is gone; `click` would end it with 1, as a refuted claim does."""

    def __init__(self) -> None:
        _write_no_more()
        super().__init__(READER_GONE_STATUS)


def _write_no_more(*streams: Any) -> None:
    """Let what these streams, or both of them, hold go nowhere, so that nothing is said of it at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams or (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # of a test, which has no file behind it
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _not_written(error: OSError) -> BadInput:
    where = "" if error.filename is None else f": {error.filename}"
    said = f"{error.strerror or error}{where}"
    if error.errno == errno.EBADF:
        return OutputClosed(f"standard output cannot be written to: {said}")
    return BadInput(said)


def _end_with(error: BadInput) -> NoReturn:
    error.show()
    sys.exit(error.exit_code)


def say_what_is_not_decided(rows: Sequence[NotDecided], asked: int, interrupted: bool) -> None:
    """One line on standard error, if anything was left; after an interruption also what samples had said by then."""
    if interrupted:
        BadInput(f"interrupted: {asked - len(rows)} of {asked} decided").show()
        for row in rows:
            if learnt := row.reason.partition("; ")[2]:
                click.echo(f"{row.id}: {learnt}", err=True)
    elif rows:
        what = "not decided" if asked == 1 else f"{len(rows)} of {asked} not decided" + (", first" * (len(rows) > 1))
        first = f"{rows[0].id}: {rows[0].reason}"
        BadInput(first if asked == 1 else f"{what}: {first}").show()


def _write_what_a_stream_cannot_as_escapes() -> None:
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


@contextmanager
def _termination_interrupts() -> Iterator[None]:
    """Let SIGTERM interrupt as Ctrl-C does, so that nothing is left half done."""

    def interrupt(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    if ours:
        signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
