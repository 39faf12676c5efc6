"""Until when something may take: by the time of the process that does it, and by the clock where it waits.

A limit by the clock alone would be met early on a machine that is shared, and one by the processor never by what waits.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Final, NamedTuple

TIMES_BY_THE_CLOCK: Final = 10
"""Seconds that the clock may show for each second that a processor may."""

_SHORTEST: Final = 1e-3
"""Seconds: a timer that rings sooner, again and again, would keep the processor busy."""


def cpu_seconds() -> float:
    """The seconds that this process has used so far, and those that it has forked and that have ended."""
    return time.process_time() + sum(os.times()[2:4])


class Deadline(NamedTuple):
    """Time when it is up: by `time.process_time` of its process, and by `time.monotonic`, which a machine shares."""

    processor: float
    clock: float

    @classmethod
    def from_start(cls, processor: float, clock: float, seconds: float) -> Deadline:
        """Deadline of who began at these times, by the processor and by the clock, and may take so many seconds."""
        return cls(processor + seconds, clock + TIMES_BY_THE_CLOCK * seconds)

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """So many seconds of this process from now on."""
        return cls.from_start(time.process_time(), time.monotonic(), seconds)

    def or_sooner(self, other: Deadline) -> Deadline:
        """This one or the other, whichever is sooner, by the processor and by the clock."""
        return Deadline(min(self.processor, other.processor), min(self.clock, other.clock))

    def sooner(self, seconds: float) -> Deadline:
        """So many seconds of the process sooner, and at the same time by the clock."""
        return self._replace(processor=self.processor - seconds)

    def computed(self, seconds: float) -> float | None:
        """Those of its seconds that this process has used where it is over time by the clock; None where by them."""
        left = self.processor - time.process_time()
        return max(0.0, seconds - left) if left > 0 else None

    @property
    def left(self) -> float:
        """Seconds after which to look again, in this process; 0 where the time is up."""
        left = min(self.processor - time.process_time(), self.clock - time.monotonic())
        return max(left, _SHORTEST) if left > 0 else 0.0

    def is_past(self, process: int, grace: float) -> bool:
        """True where another process of this machine is over time by more than `grace` seconds."""
        used = _processor_time_of(process)
        return time.monotonic() > self.clock + grace or (used is not None and used > self.processor + grace)


def _processor_time_of(process: int) -> float | None:
    """Seconds that a processor has worked for a process; None where only the process itself can tell."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime(~process << 3 | 2)  # as clock_getcpuclockid(3) has it
    except OSError:
        return None
