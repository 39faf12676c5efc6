"""The screen of a terminal: how wide it is, whether in colour, and how far a command is. Rich knows terminals.

NO_COLOR and FORCE_COLOR are obeyed, TERM and COLUMNS too. What is no terminal gets lines as they are, and no progress.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

import click

from dpverify.mechanisms.numbers.shown import cut, one_line
from dpverify.reports.record import Status
from dpverify.reports.writing import STANDARD_OUTPUT

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_COLOURS: Final = {Status.PROVED: "green", Status.REFUTED: "red"}


class Terminal:
    """The stream that a command writes its results to."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._coloured = False
        self.width: int | None = None
        """Characters of a line; None where that is nobody's business, as in a file."""
        is_terminal = stream.isatty()
        if is_terminal or os.environ.get("FORCE_COLOR"):
            from rich.console import Console

            console = Console(file=stream)
            self._coloured = console.color_system is not None and not console.no_color
            self.width = console.width if is_terminal else None

    def paint(self, text: str, status: Status) -> str:
        """The text, coloured after a verdict where that is wanted."""
        return click.style(text, fg=_COLOURS.get(status, "yellow")) if self._coloured else text

    def say(self, lines: Sequence[str]) -> None:
        """Write lines, at once."""
        click.echo("\n".join(lines), file=self._stream, color=self._coloured)


def say_written(files: Iterable[Path], stream: TextIO) -> None:
    """Name the files that were written, in one line; standard output is none."""
    names = [str(file) for file in files if file != STANDARD_OUTPUT]
    if names:
        click.echo(f"wrote {', '.join(names)}", file=stream)


SILENCE: Final = 30.0
"""Seconds after which a log is told that something goes on."""


_MOMENT: Final = 1.0
"""Seconds after which a terminal is told anew how far something is."""


class Progress:
    """A line on standard error: how far a command is, since when, and with what in hand; in a log, after a silence.

    It is drawn when something happens, and by no thread: what decides is forked.
    """

    def __init__(
        self, claims: int, what: str = "", *, quiet: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._claims = claims
        self._what = f" {what}" if what else ""
        self._done = 0
        self._is_log = not quiet and not sys.stderr.isatty()
        self._is_silent = quiet or self._is_log
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        if claims > 1:  # one claim alone is named where it is said how far that is
            self._begin()
        self._clock = clock
        self._began = self._said = clock()

    def _begin(self) -> None:
        if self._bar is None and not self._is_silent and (bar := _bar()) is not None:
            self._bar, self._task = bar, bar.add_task("", total=self._claims, doing="")

    def waiting(self, in_hand: Sequence[str], done: int) -> None:
        """Nothing has happened but time: a log hears of it now and then, a terminal sees how far those in hand are."""
        now = self._clock()
        if any(" " in name for name in in_hand) and now - self._said >= _MOMENT:
            self._said = self._said if self._is_log else now
            self._begin()
            self.show(", ".join(map(one_line, in_hand)))
        if self._is_log and in_hand and now - self._said >= SILENCE:
            self._said = now
            names = cut(", ".join(map(one_line, in_hand)))
            click.echo(f"{now - self._began:.0f} s: {done}/{self._claims} decided, in hand: {names}", err=True)

    def show(self, doing: str = "") -> None:
        """Say how many are decided, and what is in hand, below what is decided."""
        if self._bar is not None and self._task is not None:
            said = f"{self._done}/{self._claims}{self._what} decided  {doing}".rstrip()
            self._bar.update(self._task, completed=self._done, total=self._claims, doing=said)
            if self._bar.live.is_started:
                self._bar.refresh()
            else:
                self._bar.start()

    def advance(self) -> None:
        """One more is decided, of which something is said: the line makes room for it."""
        self._done += 1
        self._said = self._clock()
        self.clear()

    def at(self, done: int, of: int) -> None:
        """So many are decided, of so many."""
        self._done, self._claims = done, of
        self.show()

    def clear(self) -> None:
        """Remove the line."""
        if self._bar is not None:
            self._bar.stop()


def _bar() -> Bar | None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Column

    console = Console(stderr=True)
    if console.is_dumb_terminal:
        return None
    return Progress(
        BarColumn(bar_width=16),
        TimeElapsedColumn(),
        TextColumn("{task.fields[doing]}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis")),
        console=console,
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    )
