"""The place where work is done: by this process, or by others that help it, with the same result.

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


@dataclass(frozen=True)
class Workplace:
    """The helpers; nobody, where nothing is said.

    It does not travel: work that is sent elsewhere is done by whoever gets it.
    """

    helpers: Helpers | None = None

    def __reduce__(self) -> tuple[Callable[[], Workplace], tuple[()]]:
        return Workplace, ()

    def done(self, work: Work, parts: Sequence[range]) -> Iterator[bytes]:
        """The result of each part of the work, in order."""
        for i, part in enumerate(parts):
            work.prepare()
            if self.helpers is not None and len(parts) - i > 1 and self.helpers.processes > 1:
                with closing(self.helpers.worked(work, parts[i:])) as answers:
                    for one, answer in zip(parts[i:], answers, strict=True):
                        yield work.done(one) if answer is None else answer
                return
            yield work.done(part)


HERE: Final = Workplace()
"""This process."""
