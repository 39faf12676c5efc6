"""Claims of one kind, each decided in a worker: what is found of it, or why it is not decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

import msgspec

from dpverify.mechanisms.exact.errors import InputError
from dpverify.reports.record import NotDecided, storable
from dpverify.verifiers.audit.deciding import reason_of
from dpverify.verifiers.privacy.claim import Named
from dpverify.verifiers.processes.workers import Lost, Run, in_a_worker

Thing = TypeVar("Thing", bound=Named)
Result = TypeVar("Result", bound=msgspec.Struct)


class Attempts(Generic[Thing, Result]):
    """What becomes of claims, in their order: iterate once, and see then what there is of each sort.

    `decide` gives a claim's result, of the type `kind`, and `row` the row of one that is not decided, for a reason.
    """

    def __init__(
        self,
        things: Sequence[Thing],
        decide: Callable[[Thing], Result],
        kind: type[Result],
        row: Callable[[Thing, str], NotDecided],
        *,
        jobs: int = 1,
        timeout: float | None = None,
    ) -> None:
        if jobs < 1:
            raise InputError(f"jobs={jobs} is not a number of processes ≥ 1")
        if timeout is not None and not timeout > 0:
            raise InputError(f"timeout={timeout} is not a number of seconds > 0")
        self._things = things
        self._decide = decide
        self._row = row
        self._decoder = msgspec.json.Decoder(tuple[kind | None, str])  # type: ignore[valid-type]
        self._run = Run(len(things), self._attempted, jobs, timeout)
        self.results: list[Result] = []
        self.not_decided: list[NotDecided] = []

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C or SIGTERM came: what was not decided by then is a row."""
        return self._run.interrupted

    def __iter__(self) -> Iterator[Result | NotDecided]:
        for thing, found in zip(self._things, self._run.outcomes(), strict=True):
            result, reason = (None, found.reason) if isinstance(found, Lost) else self._decoder.decode(found)
            if result is None:
                self.not_decided.append(self._row(thing, reason))
                yield self.not_decided[-1]
            else:
                self.results.append(result)
                yield result

    def _attempted(self, i: int) -> bytes:
        thing = self._things[i]
        result, reason = None, ""
        try:
            result = storable(self._decide(thing))
        except KeyboardInterrupt as error:
            if not in_a_worker():
                raise
            reason = reason_of(error)  # no Ctrl-C: the mechanism has raised it
        except BaseException as error:
            reason = reason_of(error).removeprefix(f"{thing.id}: ")
        return msgspec.json.encode((result, reason))
