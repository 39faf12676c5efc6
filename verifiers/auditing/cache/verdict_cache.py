"""Verdicts that are kept for later: a file each, in the user's cache folder, by the key of all that they depend on.

A verdict is taken from there only where its key is the same, which no change to a file, a package or the interpreter
leaves it. What cannot be read, is not whole or belongs to somebody else is as if it were not there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Final

import msgspec

from dpverify.reports.audits.json_form import result_from_json, result_to_json
from dpverify.reports.record import ClaimResult, Origin, Status
from dpverify.verifiers.auditing.cache.cache_keys import Surroundings, surroundings
from dpverify.verifiers.auditing.cache.private_files import NoKey, is_private, read_own, usual_folder, write_whole
from dpverify.verifiers.claims import AnyClaim, How

_MOST: Final = 5_000
"""Verdicts that are kept; the oldest go, some at a time."""

_KEPT: Final = 4_500


class _Kept(msgspec.Struct, forbid_unknown_fields=True):
    """Content of a file: a result, and a hash that tells whether it is whole, and of the key that names the file."""

    digest: str
    result: msgspec.Raw


ELSEWHERE: Final = "it was decided by a cluster"
"""Reason not to cache a verdict on this machine; it may be written down for the rest of its audit."""


class WorkerResult(msgspec.Struct, frozen=True):
    """The finding of a worker on a claim: its result as JSON, and why that is not to be kept; empty where it may be."""

    result: bytes
    against: str = ""
    seconds: float = 0.0
    """Of CPU, that it took."""


class VerdictCache:
    """The verdicts of claims in a folder, and which claims of a run may come from there.

    `surrounded` says, when a run begins, what all its claims depend on: what has changed when it ends is not kept. No
    call raises for what is wrong with the folder.
    """

    origin: ClassVar[Origin] = "cache"
    """Text of the record on where its verdicts come from."""

    def __init__(self, folder: Path, surrounded: Callable[[], Surroundings] = surroundings) -> None:
        self._folder = folder
        self._surrounded = surrounded
        self._now: Surroundings | None = None
        self._to_keep: list[tuple[str, ClaimResult]] = []
        self.held: set[str] = set()
        """The ids of the claims of a run whose verdicts are here, by now."""
        self._keys: dict[tuple[int, How], tuple[AnyClaim, str]] = {}
        """By identity each claim, which so lives on, and its key as the run began; empty where it has none."""

    def begin(self) -> None:
        """Begin a run: whatever is loaded is loaded now."""
        self._to_keep, self._keys = [], {}
        try:
            self._now = self._surrounded()
            _ = self._now.digest
        except NoKey:
            self._now = None

    @property
    def said(self) -> str:
        """The note on verdicts from here that a record does not tell."""
        return ""

    def _key(self, claim: AnyClaim, how: How) -> str:
        """The key of a claim as it was when it was first asked for; empty where it has none."""
        known = self._keys.get((id(claim), how))
        if known is None:
            self._keys[id(claim), how] = known = claim, self._key_now(claim, how)
        return known[1]

    def _key_now(self, claim: AnyClaim, how: How) -> str:
        try:
            return "" if self._now is None else self._now.key(claim, how)
        except NoKey:
            return ""

    def earlier(self, claim: AnyClaim, how: How) -> ClaimResult | None:
        """The earlier finding on the claim, marked as such; None where it is to be decided."""
        key = self._key(claim, how)
        if not key or not is_private(self._folder):
            return None
        try:
            content = read_own(self._file(key))
            kept = msgspec.json.decode(content, type=_Kept)
            result = result_from_json(bytes(kept.result))
        except (OSError, ValueError, RecursionError):  # not there, or no such file as is written here
            return None
        whole = kept.digest == digest_of(key, bytes(kept.result))
        if not whole or not is_of(result, claim) or not may_be_cached(result, how):
            return None
        self.held.add(claim.id)
        return self._from_here(result)

    def _from_here(self, result: ClaimResult) -> ClaimResult:
        """A result that was decided earlier, marked as such, whatever it says of itself."""
        return msgspec.structs.replace(result, cached=True, origin=self.origin)

    def note(self, claim: AnyClaim, how: How, result: ClaimResult, against: str) -> None:
        """Keep, when the run ends, what was found of a claim, unless there is something against it."""
        key = self._noted(claim, how, result)
        if key and not against:
            self._to_keep.append((key, result))

    def _noted(self, claim: AnyClaim, how: How, result: ClaimResult) -> str:
        """The key under which a result is written down; empty where it is not, as what a claim names has changed."""
        if not may_be_cached(result, how) or not is_of(result, claim):
            return ""
        key = self._key(claim, how)
        return key if key == self._key_now(claim, how) else ""

    def stop(self) -> None:
        """End a run that was interrupted: nothing is kept."""
        self._now, self._to_keep = None, []

    def end(self) -> None:
        """Write what is to be kept, unless something has changed since the run began."""
        before, to_keep = self._now, self._to_keep
        self._now, self._to_keep = None, []
        if before is None or not to_keep:
            return
        with suppress(NoKey, OSError):
            if replace(before).digest != before.digest:
                return
            for folder in (self._folder.parent, self._folder):  # parents that are made on the way have the usual mode
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not is_private(self._folder):
                return
            self.held |= {result.id for _, result in to_keep}
            for key, result in to_keep:
                text = result_to_json(result).encode()
                write_whole(self._file(key), msgspec.json.encode(_Kept(digest_of(key, text), msgspec.Raw(text))))
            forget_the_oldest(self._folder)

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.json"


def usual_cache(environment: Mapping[str, str] = os.environ) -> VerdictCache | None:
    """The cache of whoever runs this; None where there is no folder for it."""
    folder = usual_folder(environment)
    return None if folder is None else VerdictCache(folder / "verdicts")


def may_be_cached(result: ClaimResult, how: How) -> bool:
    """True where a result is decided for good.

    Not where a limit was met, nor what is left open for another reason, nor what rests on code that nobody reads. A
    verdict that is not the expected one is as good as any: it is the same until something is changed.
    """
    text = result_to_json(result)
    if result.verdict in (Status.CHECKED, Status.UNDECIDED) or '"UNDECIDED"' in text or "raise the limit" in text:
        return False
    not_varied = how.recheck and result.scope.recomputation in _FALLBACKS and bool(result.outside)
    return how.search == "derandomized" and not not_varied


_FALLBACKS: Final = ("a forked process", "one process")
"""Process that recomputes distributions where another interpreter, which is asked first, does not answer."""


def is_of(result: ClaimResult, claim: AnyClaim) -> bool:
    """True where a result may be that of the claim."""
    return (result.id, result.kind, result.expected) == (claim.id, claim.kind, claim.verdict_expected)


def digest_of(key: str, text: bytes) -> str:
    """A digest that tells whether a result that is kept is whole, and of its key."""
    return sha256(key.encode() + b"\n" + text).hexdigest()


def forget_the_oldest(folder: Path, most: int = _MOST, kept: int = _KEPT) -> None:
    """Leave no more than `most` files, and where there are more, the `kept` latest."""
    files = [(entry.stat().st_mtime_ns, entry.name) for entry in os.scandir(folder) if entry.is_file()]
    if len(files) > most:
        for _, name in sorted(files)[: len(files) - kept]:
            (folder / name).unlink(missing_ok=True)
