"""The place where work is done: by this process, or by others that help it, with the same result; and where it is kept.

How work on numbers is cut into parts, where pairs of databases are counted and pairs of distributions compared, depends
on what there is to do and on nothing else, so that a part is the same whoever does it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

Answers: TypeAlias = Generator[bytes | None, None, None]
"""Answers of others, in order; None for those to be computed here."""


class Work(Protocol):
    """A task that can be done in parts, and pickled with each: ranges of numbers, or databases."""

    @property
    def name(self) -> str:
        """A hash of all that its parts depend on, the same in every process."""

    def prepare(self) -> None:
        """Make what all parts take, once in a process, and before others are forked from it."""

    def done(self, part: Any) -> bytes:
        """The result of a part; nothing, where it is to be found by whoever asks."""


class Helpers(Protocol):
    """Processes that do parts of work."""

    @property
    def processes(self) -> int:
        """The number that may work at present; below 2 nobody is asked."""

    @property
    def most(self) -> int:
        """The most that there may ever be: blocks are made for so many."""

    def worked(self, work: Work, parts: Sequence[Any]) -> Answers:
        """The result of each part, in order; None for one that is to be done here."""


class PartStore(Protocol):
    """The store of parts that were done before an interruption, where others are noted as soon as they are done."""

    def earlier(self, work: Work, parts: Sequence[range]) -> dict[range, bytes]:
        """The results of those that were done."""

    def note(self, work: Work, part: range, content: bytes) -> None:
        """Note the result of one."""


@dataclass(frozen=True)
class Workplace:
    """The helpers, and the store of parts that are done; nobody and nowhere, where nothing is said.

    It does not travel: work that is sent elsewhere is done by whoever gets it.
    """

    helpers: Helpers | None = None
    kept: PartStore | None = None

    def __reduce__(self) -> tuple[Callable[[], Workplace], tuple[()]]:
        return Workplace, ()

    def done(self, work: Work, parts: Sequence[range]) -> Iterator[bytes]:
        """The result of each part of the work, in order."""
        kept = self.kept if len(parts) > 1 else None
        known = {} if kept is None else kept.earlier(work, parts)
        left = iter(self._found(work, [part for part in parts if part not in known]))
        for part in parts:
            if part in known:
                yield known[part]
                continue
            result = next(left)
            if kept is not None:
                kept.note(work, part, result)
            yield result

    def _found(self, work: Work, parts: Sequence[range]) -> Iterator[bytes]:
        for i, part in enumerate(parts):
            work.prepare()
            if self.helpers is not None and len(parts) - i > 1 and self.helpers.processes > 1:
                with closing(self.helpers.worked(work, parts[i:])) as answers:
                    for one, answer in zip(parts[i:], answers, strict=True):
                        yield work.done(one) if answer is None else answer
                return
            yield work.done(part)


HERE: Final = Workplace()
"""This process, which keeps nothing."""
