"""How the commands end: errors on one line of standard error with status 2, and 130 for an interruption."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import click

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.shown import one_line
from dpverify.reports.record import NotDecided
from dpverify.verifiers.audit.exit_status import DEBUG, INTERRUPTED_STATUS, reason_of


class BadInput(click.ClickException):
    """Bad input: one line on standard error."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class Commands(click.Group):
    """The commands, with errors on one line of standard error and exit status 2; 130 where they are interrupted."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """See `click.Group`."""
        _write_what_a_stream_cannot_as_escapes()
        try:
            return super().make_context(*args, **kwargs)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            raise BadInput(error.format_message()) from None

    def invoke(self, ctx: click.Context) -> Any:
        """See `click.Group`."""
        try:
            with _termination_interrupts():
                return super().invoke(ctx)
        except click.UsageError as error:
            if isinstance(error, click.exceptions.NoArgsIsHelpError):
                raise
            command = error.ctx.command_path if error.ctx else ctx.command_path
            raise BadInput(f"{one_line(error.format_message())} (see {command} --help)") from None
        except InputError as error:
            raise BadInput(reason_of(error)) from None
        except (KeyboardInterrupt, click.Abort):
            BadInput("interrupted").show()
            ctx.exit(INTERRUPTED_STATUS)
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError, SystemExit):
            raise
        except OSError as error:
            where = "" if error.filename is None else f": {error.filename}"
            raise BadInput(f"{error.strerror or error}{where}") from None
        except BaseException as error:
            if os.environ.get(DEBUG):
                raise
            raise BadInput(reason_of(error)) from None


def say_what_is_not_decided(rows: Sequence[NotDecided], asked: int, interrupted: bool) -> None:
    """One line on standard error, if anything was left."""
    if interrupted:
        BadInput(f"interrupted: {asked - len(rows)} of {asked} decided").show()
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
