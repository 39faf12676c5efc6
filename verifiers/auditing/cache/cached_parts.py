"""Parts of claims that take long, written down as soon as they are done: an audit that goes on takes them from there.

They are known by all that they depend on, the distributions themselves among it: these are found anew, so that a
mechanism that has changed meanwhile is another one. What cannot be read, or is not whole, is as if it were not there.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from dpverify.verifiers.processes.workplace import Work

_OFTEN: Final = 1.0
"""Seconds between two looks at whether something has changed since the audit began."""


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    start: int
    stop: int
    digest: str
    """A hash that tells whether the line is whole."""
    content: bytes


class CachedParts:
    """The parts of one claim, in a file: however many claims an audit has, no other one is read for it.

    `surroundings` stands for dpverify and what it runs on, and `changed` says whether that is another one by now.
    """

    def __init__(self, file: Path, surroundings: str, changed: Callable[[], bool]) -> None:
        self._file, self._surroundings, self._changed = file, surroundings, changed
        self._waiting: list[bytes] = []
        self._looked = 0.0
        self.has_given = False
        """True where some parts were taken from here."""

    def earlier(self, work: Work, parts: Sequence[range]) -> dict[range, bytes]:
        """The results of those that were done before."""
        key, asked = self._key(work), frozenset(parts)
        results = ((range(line.start, line.stop), line.content) for line in self._lines() if line.key == key)
        known = {part: content for part, content in results if part in asked}
        self.has_given = self.has_given or bool(known)
        return known

    def note(self, work: Work, part: range, content: bytes) -> None:
        """Write down what came of a part, unless something has changed since the audit began."""
        key = self._key(work)
        line = _Line(key, part.start, part.stop, _digest(key, part, content), content)
        self._waiting.append(b"\n" + msgspec.json.encode(line))  # one that was half written before costs itself alone
        if time.monotonic() < self._looked + _OFTEN:
            return
        waiting, self._waiting = self._waiting, []
        self._looked = time.monotonic()
        if not self._changed():
            with suppress(OSError):
                self._file.parent.mkdir(exist_ok=True)
                with self._file.open("ab", buffering=0) as written:
                    for one in waiting:
                        written.write(one)  # at once, so that lines of several processes do not mix

    def _key(self, work: Work) -> str:
        return sha256(f"{self._surroundings}\n{work.name}".encode()).hexdigest()

    def _lines(self) -> Iterator[_Line]:
        with suppress(OSError), self._file.open("rb") as opened:
            for text in opened:
                with suppress(ValueError, RecursionError):
                    line = msgspec.json.decode(text, type=_Line)
                    if line.digest == _digest(line.key, range(line.start, line.stop), line.content):
                        yield line


def forget(file: Path) -> None:
    """Remove the parts of a claim: it is decided, and its verdict written down."""
    with suppress(OSError):
        file.unlink(missing_ok=True)


def forget_all(folder: Path) -> None:
    """Remove the parts of whichever claims, and their folder, if nothing else is in it."""
    with suppress(OSError):
        for file in folder.iterdir():
            if _OF_A_CLAIM.fullmatch(file.name):
                forget(file)
        folder.rmdir()


_OF_A_CLAIM: Final = re.compile("[0-9a-f]{64}")
"""Name of a file: the key of its claim."""


def _digest(key: str, part: range, content: bytes) -> str:
    return sha256(f"{key} {part.start} {part.stop}\n".encode() + content).hexdigest()
