"""The journal of an audit: what is decided is written down at once, and what was interrupted goes on from there.

A line for each claim, with the key that the verdict cache has for it: a verdict is taken only where neither the claim
nor any file that it reaches, nor dpverify, has changed. It stands in the record as it would have had there been no
interruption.
"""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Final

import msgspec

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.reports.audits.json_form import result_from_json, result_to_json
from dpverify.reports.record import ClaimResult, Origin
from dpverify.verifiers.auditing.cache.cache_keys import Surroundings, surroundings
from dpverify.verifiers.auditing.cache.private_files import NoKey
from dpverify.verifiers.auditing.cache.verdict_cache import ELSEWHERE, VerdictCache, digest_of, is_of, may_be_cached
from dpverify.verifiers.claims import AnyClaim, How

_OFTEN: Final = 1.0
"""Seconds between two looks at whether something has changed since the audit began."""


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    digest: str
    """A hash that tells whether the line is whole."""
    result: msgspec.Raw


class Journal(VerdictCache):
    """A verdict cache in one file, for one audit, to which every verdict is added as soon as it is known."""

    origin: ClassVar[Origin] = "journal"

    def __init__(self, file: Path, surrounded: Callable[[], Surroundings] = surroundings) -> None:
        super().__init__(file.parent, surrounded)
        self._path = file
        self._known: dict[str, bytes] = {}
        self._waiting: list[bytes] = []
        self._taken = 0
        self._looked = 0.0

    def begin(self) -> None:
        """Read what there is. Raises `InputError` where the file cannot be used, or verdicts cannot be known again."""
        self._keys = {}
        try:
            self._now = self._surrounded()
            _ = self._now.digest
        except NoKey as reason:
            raise InputError(
                bad_input.JOURNAL, self._path, f"what is decided could not be recognised: {reason}"
            ) from None
        try:
            content = self._path.read_bytes() if self._path.exists() else b""
            with self._path.open("ab") as written:
                if content and not content.endswith(b"\n"):  # it was interrupted while it wrote
                    written.write(b"\n")
        except OSError as error:
            raise InputError(bad_input.JOURNAL, self._path, error.strerror) from None
        self._known = dict(result for line in content.splitlines() if (result := _read(line)) is not None)
        if content and not self._known:
            raise InputError(bad_input.JOURNAL, self._path, "it is no journal of an audit")

    def _has_changed(self) -> bool:
        """True where a file that was loaded when the audit began is another one by now: whoever decides asks it."""
        try:
            return self._now is None or replace(self._now).digest != self._now.digest
        except NoKey:
            return True

    def earlier(self, claim: AnyClaim, how: How) -> ClaimResult | None:
        """The finding on the claim before the interruption; None where it is to be decided."""
        assert self._now is not None
        try:
            result = result_from_json(self._known[self._key(claim, how)])
        except (KeyError, msgspec.DecodeError):
            return None
        if not is_of(result, claim) or not may_be_cached(result, how):
            return None
        self._taken += 1
        return self._from_here(result)

    @property
    def said(self) -> str:
        """The words for how many verdicts are from which file, of which a record has the first; empty for none."""
        return f"{self._taken:,} of the verdicts were taken from {self._path}" if self._taken else ""

    def note(self, claim: AnyClaim, how: How, result: ClaimResult, against: str) -> None:
        """Write down what was found of a claim, unless there is something against it."""
        key = self._noted(claim, how, result)
        if not key or against not in ("", ELSEWHERE):
            return
        text = result_to_json(result).encode()
        self._waiting.append(msgspec.json.encode(_Line(key, digest_of(key, text), msgspec.Raw(text))) + b"\n")
        if time.monotonic() >= self._looked + _OFTEN:
            self.stop()

    def stop(self) -> None:
        """Write what waits, unless something has changed since the audit began: then it is decided anew next time."""
        waiting, self._waiting = self._waiting, []
        self._looked = time.monotonic()
        if waiting and not self._has_changed():
            with self._path.open("ab") as written:
                written.write(b"".join(waiting))
                written.flush()
                os.fsync(written.fileno())

    def end(self) -> None:
        """The audit is over: the file stays, and an audit of the same would take all from there."""
        self.stop()


def _read(line: bytes) -> tuple[str, bytes] | None:
    """A key with its result as text, which another version may have written; None for what is not whole."""
    try:
        content = msgspec.json.decode(line, type=_Line)
    except (ValueError, RecursionError):
        return None
    result = bytes(content.result)
    return (content.key, result) if content.digest == digest_of(content.key, result) else None


def journal_in(file: Path) -> Journal:
    """The journal in a file.

    Raises `InputError` for a folder, and for a file in a folder that is none.
    """
    if file.is_dir() or not file.absolute().parent.is_dir():
        raise InputError(bad_input.CANNOT_WRITE, f"--resume {file}", "it is no file in a folder that exists")
    return Journal(file)
