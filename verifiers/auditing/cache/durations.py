"""Durations of claims, the last time that they were decided: with that the longest are begun first.

That decides nothing, and stands in no record: what comes of an audit, and in which order, is the same without it.
"""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from dpverify.reports.record import DEPTHS
from dpverify.verifiers.auditing.cache.private_files import cache_folder, is_private, read_own, write_whole
from dpverify.verifiers.claims import AnyClaim

_MOST: Final = 20_000
"""Claims that are remembered; those go first that were decided longest ago."""


class Durations:
    """Seconds of CPU by the ids of claims, in a file of the user's own; no call raises for what is wrong with it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._new: dict[str, float] = {}

    def known(self) -> dict[str, float]:
        """The seconds that are remembered; nothing where the file is not there, or not such a file."""
        if not is_private(self._file.parent):
            return {}
        try:
            content = msgspec.json.decode(read_own(self._file), type=dict[str, float])
        except (OSError, ValueError, RecursionError):
            return {}
        return {name: seconds for name, seconds in content.items() if seconds >= 0}

    def note(self, claim: AnyClaim, seconds: float) -> None:
        """The seconds that a claim took just now."""
        self._new[claim.id] = seconds

    def write(self) -> None:
        """Remember what was noted, beside what was remembered of other claims."""
        if not self._new:
            return
        kept = {name: seconds for name, seconds in self.known().items() if name not in self._new}
        rounded = {name: round(seconds, 3) for name, seconds in self._new.items()}
        latest = dict([*kept.items(), *rounded.items()][-_MOST:])
        with suppress(OSError):
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if is_private(self._file.parent):
                write_whole(self._file, msgspec.json.encode(latest))


def usual_durations(environment: Mapping[str, str] = os.environ) -> Durations | None:
    """Those of whoever runs this; None where the system has no folder for them."""
    folder = cache_folder(environment)
    return None if folder is None else Durations(folder / "dpverify" / "durations.json")


def cpu_seconds() -> float:
    """The seconds that this process has used so far, and those that it has forked and that have ended."""
    return time.process_time() + sum(os.times()[2:4])


def longest_first(claims: Sequence[AnyClaim], known: Mapping[str, float]) -> list[int]:
    """The positions of the claims in the order in which they are begun, those that take longest first.

    One of which nothing is known is taken to be as long as the longest known one that is left to the same depth, or to
    one at which more is decided; of equally long ones the deepest are first, in their order.
    """
    longest = dict.fromkeys(DEPTHS, 0.0)
    for claim in claims:
        for depth in DEPTHS[DEPTHS.index(claim.depth) :]:
            longest[depth] = max(longest[depth], known.get(claim.id, 0.0))

    def rank(i: int) -> tuple[float, int]:
        claim = claims[i]
        return -known.get(claim.id, longest[claim.depth]), -DEPTHS.index(claim.depth)

    return sorted(range(len(claims)), key=rank)
