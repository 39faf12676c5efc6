"""Claims, each taken up in a worker: what comes of it, or why it is not decided."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import msgspec

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.record import NotDecided
from dpverify.verifiers.auditing.exit_status import reason_of
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.divergence.parallel.sharing import ForkedHelpers
from dpverify.verifiers.locations import claim_location
from dpverify.verifiers.problems.preparation.repetition import can_fork
from dpverify.verifiers.processes.stopwatch import Stage
from dpverify.verifiers.processes.workers import ClaimsRun, IdleProcesses, Lost, OnTasks, in_a_worker
from dpverify.verifiers.processes.workplace import HERE, Workplace

_Result = TypeVar("_Result")

OnWait = Callable[[Sequence[str], int], None]
"""Called again and again with the ids of what is being decided, and with how many are decided.

Behind an id, which has no spaces, may stand how far that is.
"""


class AnyRun(Protocol):
    """Tasks that are done somewhere: see `ClaimsRun`."""

    interrupted: bool

    def outcomes(self) -> Iterator[bytes | Lost]:
        """The result of each, in order."""


Elsewhere = Callable[[float | None, OnTasks], AnyRun]
"""Timeout, and whom to tell meanwhile → the same claims, attempted by others than processes of this machine."""


Attempt = Callable[[AnyClaim, Workplace], bytes]
"""Result of a claim, as bytes, and the place where the work for it is done."""


@dataclass(frozen=True)
class Schedule:
    """Order of work on claims: how many at a time, for how long, whom to tell meanwhile, and in which order."""

    jobs: int = 1
    timeout: float | None = None
    on_wait: OnWait = lambda in_hand, done: None
    order: Sequence[int] | None = None
    elsewhere: Elsewhere | None = None
    """Workers that attempt them in place of processes of this machine."""


class Attempts(Generic[_Result]):
    """The fates of claims, in their order: iterate once, and see then what there is of each sort.

    `work` finds something of a claim, in a worker, as bytes, and `read` turns them into what it is, here. Once there is
    no other claim left to begin, those that take long are shared out among `jobs` processes (see `sharing`).
    """

    def __init__(
        self, claims: Sequence[AnyClaim], work: Attempt, read: Callable[[bytes], _Result], schedule: Schedule
    ) -> None:
        jobs, timeout = schedule.jobs, schedule.timeout
        if jobs < 1:
            raise InputError(bad_input.NOT_WHOLE, f"jobs={jobs}", " ≥ 1")
        if timeout is not None and not timeout > 0:
            raise InputError(bad_input.RANGE, f"timeout={timeout}", "a number of seconds > 0")
        self._claims = claims
        self._read = read

        def waiting(tasks: Mapping[int, Stage | None], done: int) -> None:
            schedule.on_wait([_in_hand(claims[i], stage) for i, stage in tasks.items()], done)

        idle = IdleProcesses()
        where = Workplace(ForkedHelpers(idle, jobs)) if jobs > 1 and can_fork() else HERE
        self._run: AnyRun = (
            schedule.elsewhere(timeout, waiting)
            if schedule.elsewhere is not None
            else ClaimsRun(
                len(claims),
                lambda i: attempted(claims[i], work, where),
                jobs,
                timeout,
                on_wait=waiting,
                order=schedule.order,
                idle=idle,
            )
        )
        self.results: list[_Result] = []
        self.not_decided: list[NotDecided] = []

    @property
    def interrupted(self) -> bool:
        """True where Ctrl-C or SIGTERM came: what was not decided by then is a row."""
        return self._run.interrupted

    def __iter__(self) -> Iterator[_Result | NotDecided]:
        for claim, outcome in zip(self._claims, self._run.outcomes(), strict=True):
            result, reason = (None, outcome.reason) if isinstance(outcome, Lost) else _READER.decode(outcome)
            if result is None:
                self.not_decided.append(not_decided(claim, reason))
                yield self.not_decided[-1]
            else:
                self.results.append(self._read(result))
                yield self.results[-1]


def attempted(claim: AnyClaim, work: Attempt, where: Workplace) -> bytes:
    """The finding of work on a claim, or why nothing, as bytes."""
    result, reason = None, ""
    try:
        result = work(claim, where)
    except KeyboardInterrupt as error:
        if not in_a_worker():
            raise
        reason = reason_of(error)  # no Ctrl-C: the mechanism has raised it
    except BaseException as error:
        reason = reason_of(error).removeprefix(f"{claim.id}: ").removeprefix(f"{claim.id}, ")
    return msgspec.msgpack.encode((result, reason))


def _in_hand(claim: AnyClaim, stage: Stage | None) -> str:
    return claim.id if stage is None else f"{claim.id} ({stage.said(time.monotonic())})"


_READER = msgspec.msgpack.Decoder(tuple[bytes | None, str])


def not_decided(claim: AnyClaim, reason: str) -> NotDecided:
    """The row of a claim that is not decided."""
    return NotDecided(
        claim.id, claim.kind, claim.source, claim.verdict_expected, one_line(reason), claim_location(claim)
    )
