"""The repetition: laws of some databases, computed a second time by somebody who shares nothing with the first.

A mechanism whose law depends on what it keeps between calls, on what passes out of a sub-mechanism unseen, on the order
of a set or on its own chance has one law in the process that decides, and others elsewhere. So the laws of a sample are
computed again: in a process that has not run the mechanism before, if it can be another interpreter, with another hash
seed; from the last database to the first; and with sub-mechanisms inlined.
"""

from __future__ import annotations

import gc
import os
import pickle
import random
import signal
import sys
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cmp_to_key
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from types import FunctionType, NoneType
from typing import Any, Final, Literal, NamedTuple, NoReturn, Protocol, TypeAlias

from dpverify.mechanisms.exact.errors import InputError, LimitMet, NotDeterministic, Undecided
from dpverify.mechanisms.exact.exact_numbers import Exact, Sum, Term, compare
from dpverify.mechanisms.exact.symbolic_epsilon import symbol_in
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.enumerator import Enumeration
from dpverify.mechanisms.laws.hidden_chance import sources_replaced
from dpverify.mechanisms.laws.limits import Limits
from dpverify.mechanisms.laws.mechanism import Mechanism, exact_parameters
from dpverify.mechanisms.laws.released import ReleasedDistribution
from dpverify.mechanisms.laws.substitution import Substitution
from dpverify.mechanisms.laws.watching import watched_by
from dpverify.mechanisms.noise.law import ALL_NOISE
from dpverify.verifiers.processes.deadline import TIMES_BY_THE_CLOCK
from dpverify.verifiers.processes.workers import death_signal

Law: TypeAlias = Distribution[Any]

Mode: TypeAlias = Literal["another interpreter", "a forked process", "one process", "none"]
"""Who computes laws a second time; the first alone has another hash seed, and the first two nothing that was kept."""


class Asked(NamedTuple):
    """Of which database the law is asked for, by its position, and the number to put for a symbolic ε."""

    position: int
    epsilon: Exact | None


class Probabilities(NamedTuple):
    """What is left of a law whose outcomes do not travel: its probabilities in rising order."""

    rising: tuple[Exact, ...]


class Failure(NamedTuple):
    """The second time ended in an error."""

    message: str


Answer: TypeAlias = Sequence[Law | Probabilities] | Failure
"""The laws that were found of one database, one for each way of inlining."""


@dataclass(frozen=True)
class Subject:
    """What is repeated: a mechanism with its parameters, on databases."""

    mechanism: Mechanism
    parameters: Mapping[str, Any]
    databases: Sequence[Hashable]
    limits: Limits
    share: Fraction = ALL_NOISE

    def enumeration(self) -> Enumeration:
        """What finds its laws the first time."""
        return Enumeration(self.limits, share=self.share, reads=True)

    def parameters_at(self, epsilon: Exact | None) -> Mapping[str, Any]:
        """The parameters, with a number in place of a symbolic ε."""
        symbol = symbol_in(dict(self.parameters))
        if epsilon is None or symbol is None:
            return self.parameters
        return exact_parameters(Substitution(symbol, epsilon)(self.parameters))


class Budget(NamedTuple):
    """How many paths may be spent on inlining: of one database, and of all together."""

    of_each: int
    of_all: int


Restart = Callable[[Hashable], None]
"""What is called with a database before it is run in this process: its time begins."""


class Repetition(Protocol):
    """Somebody who computes laws a second time."""

    @property
    def mode(self) -> Mode:
        """Who that is, known for certain when the answers are there."""

    def answers(self, asked: Sequence[Asked], budget: Budget, restart: Restart) -> Iterator[Answer]:
        """An answer for each that is asked, in order."""


def repeated(
    subject: Subject, asked: Sequence[Asked], budget: Budget, restart: Restart = lambda _: None
) -> Iterator[Answer]:
    """The answers, computed here. It is for the caller to ask in another order than the first time."""
    left = budget.of_all
    for one in asked:
        restart(subject.databases[one.position])
        arguments = (subject.databases[one.position],), subject.parameters_at(one.epsilon)
        inlining = _Inlining(subject, arguments, min(budget.of_each, left))
        try:
            yield inlining.laws()
        except (InputError, Undecided) as error:
            yield Failure(str(error))
        left = max(0, left - inlining.spent)


class _Inlining:
    """The law of one database with its sub-mechanisms inlined: all of them, one kind at a time, or none."""

    def __init__(self, subject: Subject, arguments: tuple[tuple[Any, ...], Mapping[str, Any]], most: int) -> None:
        self._subject = subject
        self._arguments = arguments
        self._most = most
        self.spent = 0

    def laws(self) -> list[Law]:
        """The law in each of the ways that the budget allows: once for all parts, and for all kinds; at least one."""
        everything = self._inlined(lambda _: True, self._most)
        if everything is not None:
            return [everything]
        nested = Enumeration(self._subject.limits, reads=True)
        found = [nested.law(self._subject.mechanism, *self._arguments)]
        kinds = list(dict.fromkeys(map(_kind, nested.parts))) if self._most else []
        for kind in kinds:
            law = self._inlined(lambda part, kind=kind: _kind(part) == kind, nested.runs + self._most // len(kinds))  # type: ignore[misc]
            found += [] if law is None else [law]
        return found

    def _inlined(self, which: Callable[[Mechanism], bool], most: int) -> Law | None:
        """The law; None where it has too many paths, or where noise is tied as it would not be otherwise."""
        enumeration = Enumeration(self._subject.limits, which, most)
        try:
            return enumeration.law(self._subject.mechanism, *self._arguments)
        except LimitMet:
            return None
        except InputError as error:
            if isinstance(error.__cause__, InputError) and not isinstance(error.__cause__, NotDeterministic):
                return None
            raise
        finally:
            self.spent += enumeration.runs


def _kind(mechanism: Mechanism) -> Any:
    """What sub-mechanisms that are made anew for each call have in common."""
    return getattr(mechanism, "__code__", mechanism)


# --- Which databases are asked for, and how much may be spent

_FEW_PATHS: Final = 1_000
"""Up to so many paths of the first enumeration, all databases are asked for: that costs next to nothing."""

_LEAST_INLINED: Final = Budget(of_each=1_000, of_all=4_000)
"""Paths that are spent on inlining however few there were."""

_FEW_DATABASES: Final = 16
"""Up to so many databases, all of them are asked for."""


def sample(databases: int, paths: int) -> list[int]:
    """The positions that are asked for, the last first, from how many there are and how many paths they took.

    All of a few; of many a quarter, or one in 64 beside the first 64; they lie irregularly, since what a mechanism
    keeps may depend on the database by steps.
    """
    if databases <= _FEW_DATABASES or paths <= _FEW_PATHS:
        return list(reversed(range(databases)))
    count = max(_FEW_DATABASES, min(databases // 4, 64 + databases // 64))
    chosen = random.Random(databases).sample(range(1, databases), count - 1)  # a plan, and no chance of a mechanism
    return sorted([0, *chosen], reverse=True)


def budget(databases: int, paths: int) -> Budget:
    """Of one database fifty times its paths, and of all together a quarter of those of the first enumeration."""
    least = _LEAST_INLINED
    return Budget(max(least.of_each, 50 * paths // databases), max(least.of_all, paths // 4))


# --- In this process, or in one that is forked before the mechanism is first run


class InThisProcess:
    """Computes the laws again where they were computed before."""

    mode: Mode = "one process"

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def answers(self, asked: Sequence[Asked], budget: Budget, restart: Restart) -> Iterator[Answer]:
        """See `Repetition`."""
        return repeated(self._subject, asked, budget, restart)


class InForkedProcess:
    """Computes the laws in a copy of this process that is made before the mechanism is first run."""

    mode: Mode = "a forked process"

    def __init__(self, subject: Subject, connection: Connection) -> None:
        self._subject = subject
        self._connection = connection

    def answers(self, asked: Sequence[Asked], budget: Budget, restart: Restart) -> Iterator[Answer]:
        """See `Repetition`."""
        self._connection.send((list(asked), budget))
        return received(self._connection, len(asked), self._subject.limits)


def can_fork() -> bool:
    """Whether this process can be forked."""
    return hasattr(os, "fork") and sys.platform != "darwin"  # where system libraries do not survive it


@contextmanager
def forked(subject: Subject) -> Iterator[InForkedProcess]:
    """A copy of this process that waits to be asked, and ends when the block does."""
    ours, theirs = Pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, none of which the copy waits for
        process = os.fork()
    if process == 0:
        ours.close()
        answer_and_end(theirs, lambda: (subject, *theirs.recv()))
    theirs.close()
    try:
        yield InForkedProcess(subject, ours)
    finally:
        ours.close()
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def answer_and_end(connection: Connection, asked: Callable[[], tuple[Subject, Sequence[Asked], Budget]]) -> NoReturn:
    """Answer what is asked through the connection, in a forked process, and end it."""
    try:
        death_signal()()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        gc.disable()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):  # what a mechanism prints has been printed by the first run
            os.dup2(nowhere, stream)
        subject, questions, budget = asked()
        with sources_replaced(), watched_by(None):  # once, and not for every law
            for answer in _looking_out(subject, repeated(subject, questions, budget)):
                connection.send_bytes(sent(answer))
    finally:
        os._exit(0)  # nothing of the process that it was copied from is to be tidied up


def _looking_out(subject: Subject, answers: Iterator[Answer]) -> Iterator[Answer]:
    """The answers, with chance that has a state looked out for around all of them, which costs less than for each.

    The last one says so where there was such chance.
    """
    held: list[Answer] = []
    try:
        with subject.enumeration().looking_out(subject.mechanism, subject.parameters):
            for answer in answers:
                yield from held
                held = [answer]
    except InputError as error:
        held = [Failure(str(error))]
    yield from held


_LONGEST: Final = 1_000_000
"""Seconds: what a system call can wait for."""


class NoAnswer(Exception):
    """Whoever was asked has ended, or takes too long."""


def received(connection: Connection, count: int, limits: Limits) -> Iterator[Answer]:
    """The answers that come through a connection. Raises `NoAnswer` where one does not come."""
    patience = min(TIMES_BY_THE_CLOCK * limits.seconds, _LONGEST)
    for _ in range(count):
        try:
            if not connection.poll(patience):
                raise NoAnswer(f"did not answer within {patience} s")
            yield arrived(connection.recv_bytes())
        except (EOFError, ConnectionError):
            raise NoAnswer("ended without an answer") from None


# --- Laws on their way


def sent(answer: Answer) -> bytes:
    """An answer as bytes; of a law whose outcomes do not travel, its probabilities."""
    if isinstance(answer, Failure):
        return pickle.dumps(answer)
    return pickle.dumps([_sent_law(law) for law in answer])


def arrived(message: bytes) -> Answer:
    """The answer that was sent."""
    found = pickle.loads(message)
    return found if isinstance(found, Failure) else [_arrived_law(law) for law in found]


class _Sent(NamedTuple):
    """A law on its way: as bytes, where it may be made again from them, and its probabilities, where it may not."""

    law: bytes | None
    probabilities: Probabilities | None


def _sent_law(law: Law | Probabilities) -> _Sent:
    if isinstance(law, Probabilities):
        return _Sent(None, law)
    outcomes: list[Any] = list(law) if law.is_finite else []
    if isinstance(law, ReleasedDistribution):
        outcomes += [*law.finite, *law.released, *_outcomes_of_parts(law)]
    certainly = all(map(_is_plain, outcomes))
    written = None
    if certainly or all(map(_travels, outcomes)):
        with suppress(Exception):  # an object of the user's may refuse in any way
            written = pickle.dumps(law)
    return _Sent(written, None if certainly and written is not None else probabilities_of(law))


def _outcomes_of_parts(law: ReleasedDistribution) -> Iterator[Any]:
    for part in law.parts:
        yield from part.probabilities
    for noisy in law.noisy_parts:
        yield from (*noisy.law.finite, *noisy.law.released, *_outcomes_of_parts(noisy.law))


def _arrived_law(sent: _Sent) -> Law | Probabilities:
    if sent.law is not None:
        try:
            law: Law = pickle.loads(sent.law)
            return law
        except Exception:  # a class that is not found here under its name, say
            if sent.probabilities is None:
                raise
    assert sent.probabilities is not None, "one of the two is there"
    return sent.probabilities


def _is_plain(outcome: Any) -> bool:
    """Whether an outcome is made of what Python and this library bring along."""
    kind = type(outcome)
    return kind in _PLAIN or (kind in (tuple, frozenset) and all(map(_is_plain, outcome)))


_PLAIN: Final = frozenset({NoneType, bool, int, float, complex, str, bytes, Fraction, Term, Sum})


def _travels(outcome: Any) -> bool:
    """Whether an outcome equals itself after a journey: objects that are equal to themselves alone do not."""
    kind: Any = type(outcome)
    if kind in _PLAIN or isinstance(outcome, Enum | type | FunctionType):
        return True
    if kind in (tuple, frozenset):
        return all(map(_travels, outcome))
    return kind.__eq__ is not object.__eq__


def probabilities_of(law: Law) -> Probabilities:
    """The probabilities of a law in rising order; of one with released noise, those of plain outcomes and of parts."""
    numbers = list(law.probabilities.values()) if law.is_finite else []
    if isinstance(law, ReleasedDistribution):
        numbers += [*law.finite.values(), *(p for part in law.parts for p in part.probabilities.values())]
    return Probabilities(tuple(sorted(numbers, key=cmp_to_key(compare))))
