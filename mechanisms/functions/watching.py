"""Watchers of a mechanism: told when a law is being found, and whether that is on a database or on unknown numbers.

Nothing about a law depends on it. It is asked once for each law, and not for each run.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Protocol


class Watcher(Protocol):
    """Somebody who looks on while a mechanism runs."""

    def begin(self, known: bool) -> None:
        """A law is being found from now on: on a database, or else on unknown numbers, which no database holds."""

    def end(self) -> None:
        """It is found, or refused."""


_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
_known: ContextVar[bool] = ContextVar("known", default=True)


def watcher_now() -> Watcher | None:
    """The one who watches; None for nobody."""
    return _watcher.get()


@contextmanager
def watched_by(watcher: Watcher | None) -> Iterator[None]:
    """While it lasts, laws that this thread finds are watched by it; by nobody for None."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def on_unknown_numbers() -> Iterator[None]:
    """While it lasts, laws are found on unknown numbers."""
    token = _known.set(False)
    try:
        yield
    finally:
        _known.reset(token)


class Running:
    """While it lasts, a mechanism runs, or a part of it such as a quality function."""

    __slots__ = ("_watcher",)

    def __enter__(self) -> None:
        self._watcher = _watcher.get()
        if self._watcher is not None:
            self._watcher.begin(_known.get())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._watcher is not None:
            self._watcher.end()
