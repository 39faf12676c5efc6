"""Work on numbers and arrays that is done in parts: by this process, or by others that help it, with the same result.

What is asked for here does not run a mechanism: pairs of databases are counted, pairs of laws are compared. How it is
cut into parts depends on what there is to do and on nothing else, so that a part is the same whoever does it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeAlias

Answers: TypeAlias = Generator[bytes | None, None, None]
"""What others give, in order; None for what is to be found here."""


class Work(Protocol):
    """What can be done in parts. It holds nothing of a user's own, so that it can be pickled and sent anywhere."""

    @property
    def name(self) -> str:
        """A hash of all that its parts depend on, the same in every process."""

    def prepare(self) -> None:
        """Make what all parts take, once in a process, and before others are forked from it."""

    def done(self, part: range) -> bytes:
        """What comes of a part."""


class Workers(Protocol):
    """Processes that do parts of work."""

    @property
    def processes(self) -> int:
        """How many may work at present; below 2 nobody is asked."""

    def worked(self, work: Work, parts: Sequence[range]) -> Answers:
        """What comes of each part, in order; None for one that is to be done here."""


class Kept(Protocol):
    """Where parts are that were done before an interruption, and where others are noted as soon as they are done."""

    def earlier(self, work: Work, parts: Sequence[range]) -> dict[range, bytes]:
        """What came of those that were done."""

    def note(self, work: Work, part: range, content: bytes) -> None:
        """What came of one."""


_workers: ContextVar[Workers | None] = ContextVar("workers", default=None)
_kept: ContextVar[Kept | None] = ContextVar("kept", default=None)


@contextmanager
def worked_by(workers: Workers | None) -> Iterator[None]:
    """While it lasts, parts of work are given to these; None for nobody."""
    token = _workers.set(workers)
    try:
        yield
    finally:
        _workers.reset(token)


@contextmanager
def kept_in(kept: Kept | None) -> Iterator[None]:
    """While it lasts, parts that are done are noted there, and taken from there."""
    token = _kept.set(kept)
    try:
        yield
    finally:
        _kept.reset(token)


def done_in_parts(work: Work, parts: Sequence[range]) -> Iterator[bytes]:
    """What comes of each part of the work, in order."""
    kept = _kept.get() if len(parts) > 1 else None
    known = {} if kept is None else kept.earlier(work, parts)
    left = iter(_found(work, [part for part in parts if part not in known]))
    for part in parts:
        if part in known:
            yield known[part]
            continue
        found = next(left)
        if kept is not None:
            kept.note(work, part, found)
        yield found


def _found(work: Work, parts: Sequence[range]) -> Iterator[bytes]:
    for i, part in enumerate(parts):
        work.prepare()
        workers = _workers.get()
        if workers is not None and len(parts) - i > 1 and workers.processes > 1:
            with closing(workers.worked(work, parts[i:])) as answers:
                for one, answer in zip(parts[i:], answers, strict=True):
                    yield work.done(one) if answer is None else answer
            return
        yield work.done(part)
