"""The repetition: laws of some databases, computed a second time by somebody who shares nothing with the first.

A mechanism whose law depends on what it keeps between calls, on what passes out of a sub-mechanism unseen, on the order
of a set or on its own chance has one law in the process that decides, and others elsewhere. So the laws of a sample are
computed again: in a process that has not run the mechanism before, if it can be another interpreter, with another hash
seed; from the last database to the first; and with sub-mechanisms inlined.
"""

from __future__ import annotations

import gc
import os
import random
import signal
import sys
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Final, Literal, NamedTuple, NoReturn, Protocol, TypeAlias

from dpverify.mechanisms.drawing.caching import expanded, outcomes_in
from dpverify.mechanisms.drawing.comprehensions import as_each
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.functions.watching import watched_by
from dpverify.mechanisms.numbers.errors import InputError, LimitMet, NotDeterministic, Undecided, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.mechanisms.outputs.released_parts import FEW_OUTCOMES
from dpverify.mechanisms.reaching.hidden_chance import sources_replaced
from dpverify.verifiers.problems.preparation.answers import (
    AnyDistribution,
    Failure,
    LawsAnswered,
    NothingInlined,
    answer_bytes,
    answer_from_bytes,
)
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.processes.deadline import TIMES_BY_THE_CLOCK
from dpverify.verifiers.processes.workers import death_signal

Mode: TypeAlias = Literal["another interpreter", "a forked process", "one process", "none"]
"""Process that computes laws a second time; the first alone has another hash seed, and the first two no cache."""


class Repeated(NamedTuple):
    """The one who computed laws a second time, and of how many databases."""

    mode: Mode
    databases: int
    not_inlined: int = 0
    """Number of them of which no sub-mechanism was inlined, as that would have taken too many paths."""

    def __str__(self) -> str:
        if self.mode == "none":
            return "not repeated"
        fixed = "" if self.mode == "another interpreter" else ", the hash seed not varied"
        some = (
            f", on some paths at most with sub-mechanisms inlined for {self.not_inlined:,}" if self.not_inlined else ""
        )
        return f"repeated in {self.mode} for {self.databases:,} of them{some}{fixed}"


NOT_REPEATED: Final = Repeated("none", 0)


class DistributionRequest(NamedTuple):
    """Law that is asked for: the position of its database, and the number to put for a symbolic ε."""

    position: int
    epsilon: Exact | None


class Budget(NamedTuple):
    """The number of paths that may be spent on inlining: of one database, and of all together."""

    of_each: int
    of_all: int


Restart = Callable[[Hashable], None]
"""Callback with a database before it is run in this process: its time begins."""


class Repetition(Protocol):
    """Somebody who computes laws a second time."""

    @property
    def mode(self) -> Mode:
        """The one who does it, known for certain when the answers are there."""

    def answers(self, asked: Sequence[DistributionRequest], budget: Budget, restart: Restart) -> Iterator[LawsAnswered]:
        """An answer for each that is asked, in order."""


Repeating: TypeAlias = Callable[[Question, Sequence[Hashable]], AbstractContextManager[Repetition | None]]
"""Makes ready whoever computes laws on these databases a second time, before they are computed first."""


def repeated(
    question: Question,
    databases: Sequence[Hashable],
    asked: Sequence[DistributionRequest],
    budget: Budget,
    restart: Restart = lambda _: None,
) -> Iterator[LawsAnswered]:
    """The answers, computed here. It is for the caller to ask in another order than the first time."""
    left = budget.of_all
    for one in asked:
        database = databases[one.position]
        restart(database)
        arguments = (database,), question.arguments_at(one.epsilon)
        inlining = _Inlining(question, arguments, min(budget.of_each, left))
        try:
            yield inlining.laws()
        except (InputError, Undecided) as error:
            yield Failure(str(error))
        left = max(0, left - inlining.spent)


class _Inlining:
    """The law of one database with its sub-mechanisms inlined: all of them, one kind at a time, or none."""

    def __init__(self, question: Question, arguments: tuple[tuple[Any, ...], Mapping[str, Any]], most: int) -> None:
        self._question = question
        self._arguments = arguments
        self._most = most
        self.spent = 0

    def laws(self) -> list[AnyDistribution | NothingInlined]:
        """The law in each of the ways that the budget allows: once for all parts, and for all kinds; at least one."""
        everything = None if self._is_too_long_as_read() else self._inlined(lambda _: True, self._most)
        if everything is not None:
            return [everything]
        nested = Enumeration(self._question.limits, reads=True)
        alone = nested.law(self._question.mechanism, *self._arguments)
        laws: list[AnyDistribution | NothingInlined] = [alone]
        kinds = list(dict.fromkeys(map(_kind, nested.parts))) if self._most else []
        for kind in kinds:
            law = self._inlined(
                lambda part, kind=kind: _kind(part) == kind,  # type: ignore[misc]
                nested.runs + self._most // len(kinds),
                reads=nested.has_read,
            )
            laws += [] if law is None else [law]
        if nested.parts and len(laws) == 1:
            paths = min(size_of_sample("paths with all inlined, of too many"), self._most)
            self._refuse_what_some_paths_tell(alone, paths)
            laws.append(NothingInlined(paths))
        return laws

    def _refuse_what_some_paths_tell(self, law: AnyDistribution, paths: int) -> None:
        """Raises `InputError` where a path with all inlined, of too many, returns what the law has not."""
        possible = _possible_outcomes(law)
        if possible is None:
            return
        enumeration = Enumeration(self._question.limits, lambda _: True)
        try:
            for outcome in enumeration.outcomes_of_some_paths(self._question.mechanism, *self._arguments, paths):
                if outcome not in possible:
                    raise InputError(
                        bad_mechanism.NOT_DETERMINISTIC,
                        "a path with sub-mechanisms inlined",
                        f"it returns {shown(outcome)}, which has probability 0 otherwise",
                    )
        except LimitMet:
            return
        except InputError as error:
            if isinstance(error.__cause__, InputError) and not isinstance(error.__cause__, NotDeterministic):
                return  # noise is tied as it would not be otherwise
            raise
        finally:
            self.spent += enumeration.runs

    def _is_too_long_as_read(self) -> bool:
        """True if a comprehension has more paths than there may be, of which as many are known without running them."""
        if as_each(self._question.mechanism) is None:
            return False
        enumeration = Enumeration(self._question.limits, lambda _: True, self._most, reads=True)
        try:
            enumeration.law(self._question.mechanism, *self._arguments)
        except LimitMet:
            return True
        except (InputError, Undecided):  # it is run as it is written
            return False
        finally:
            self.spent += enumeration.runs
        return False

    def _inlined(self, which: Callable[[Mechanism], bool], most: int, *, reads: bool = False) -> AnyDistribution | None:
        """The law; None where it has too many paths, or where noise is tied as it would not be otherwise."""
        enumeration = Enumeration(self._question.limits, which, most, reads=reads)
        try:
            return inlined_distribution(enumeration, self._question.mechanism, *self._arguments)
        finally:
            self.spent += enumeration.runs


def inlined_distribution(
    enumeration: Enumeration, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
) -> AnyDistribution | None:
    """The law by an enumeration that inlines sub-mechanisms; None where it has too many paths for it, or ties noise.

    Raises as `Enumeration.law` does.
    """
    try:
        return enumeration.law(mechanism, args, parameters)
    except LimitMet:
        return None
    except InputError as error:
        if isinstance(error.__cause__, InputError) and not isinstance(error.__cause__, NotDeterministic):
            return None  # noise is tied as it would not be otherwise
        raise


def _possible_outcomes(law: AnyDistribution) -> frozenset[Any] | None:
    """The outcomes of a law, and templates of released ones; None where its parts have too many together."""
    if isinstance(law, ReleasedDistribution) and law.has_parts:
        if law.has_noise or outcomes_in(law) > FEW_OUTCOMES:
            return None
        law = expanded(law)
    if isinstance(law, ReleasedDistribution):
        return frozenset((*law.finite, *law.released))
    return frozenset(law.probabilities)


def _kind(mechanism: Mechanism) -> Any:
    """A key that sub-mechanisms have in common which are made anew for each call."""
    return getattr(mechanism, "__code__", mechanism)


# --- Which databases are asked for, and how much may be spent

Pattern: TypeAlias = Hashable
"""Pattern of a database: the rows that are equal to each other, and how many there are."""


def sampled_positions(databases: int | Sequence[Hashable], paths: int) -> list[int]:
    """The positions that are asked for, the last first, of databases, or of so many, that took so many paths.

    All of a few; of many a quarter, or one in 64 beside the first 64. One database of each pattern, the rarest first,
    takes up to half of them: where most rows differ, what goes by the order of a set, or by rows met before, shows
    most. The others lie irregularly, since what a mechanism keeps may depend on the database by steps.
    """
    number = databases if isinstance(databases, int) else len(databases)
    size = size_of_sample("databases computed again")
    few = size // 4
    if number <= few or paths <= few * size:
        return list(reversed(range(number)))
    count = max(few, min(number // 4, size + size * number // 4096))
    rarest = [] if isinstance(databases, int) else _one_of_each_pattern(databases)[: count // 2]
    chosen = dict.fromkeys([0, *rarest][:count])
    chance = random.Random(number)  # a plan, and no chance of a mechanism
    while len(chosen) < count:
        chosen.setdefault(chance.randrange(number))
    return sorted(chosen, reverse=True)


def _one_of_each_pattern(databases: Sequence[Hashable]) -> list[int]:
    """The positions of the first database of each pattern, of the rarest pattern first."""
    found: dict[Pattern, list[int]] = {}
    step = 1 + len(databases) // _MOST_PATTERNS
    for i, database in zip(range(0, len(databases), step), databases[::step], strict=True):
        rows: Sequence[Hashable] = database if isinstance(database, tuple) else (database,)
        places: dict[Hashable, int] = {}
        found.setdefault(tuple(places.setdefault(row, len(places)) for row in rows), []).append(i)
    return [positions[0] for positions in sorted(found.values(), key=len)]


_MOST_PATTERNS: Final = 4_096
"""Databases whose patterns are looked at: of more, evenly among them."""


def budget(databases: int, paths: int) -> Budget:
    """Of one database fifty times its paths, and of all together a quarter of those of the first enumeration.

    However few there were, so many as `size_of_sample` says may be spent on each.
    """
    least = size_of_sample("paths spent on inlining")
    return Budget(max(least, least // 20 * paths // databases), max(4 * least, paths // 4 * bool(least)))


# --- In this process, or in one that is forked before the mechanism is first run


class InThisProcess:
    """Computes the laws again where they were computed before."""

    mode: Mode = "one process"

    def __init__(self, question: Question, databases: Sequence[Hashable]) -> None:
        self._question = question
        self._databases = databases

    def answers(self, asked: Sequence[DistributionRequest], budget: Budget, restart: Restart) -> Iterator[LawsAnswered]:
        """See `Repetition`."""
        return repeated(self._question, self._databases, asked, budget, restart)


class InForkedProcess:
    """Computes the laws in a copy of this process that is made before the mechanism is first run."""

    mode: Mode = "a forked process"

    def __init__(self, limits: Limits, connection: Connection) -> None:
        self._limits = limits
        self._connection = connection

    def answers(self, asked: Sequence[DistributionRequest], budget: Budget, restart: Restart) -> Iterator[LawsAnswered]:
        """See `Repetition`."""
        self._connection.send((list(asked), budget))
        return received(self._connection, len(asked), self._limits)


def can_fork() -> bool:
    """True where this process can be forked."""
    return hasattr(os, "fork") and sys.platform != "darwin"  # where system libraries do not survive it


@contextmanager
def forked(question: Question, databases: Sequence[Hashable]) -> Iterator[InForkedProcess]:
    """A copy of this process that waits to be asked, and ends when the block does."""
    ours, theirs = Pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, none of which the copy waits for
        process = os.fork()
    if process == 0:
        ours.close()
        answer_and_end(theirs, lambda: (question, databases, *theirs.recv()))
    theirs.close()
    try:
        yield InForkedProcess(question.limits, ours)
    finally:
        ours.close()
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def repeated_here(
    question: Question, databases: Sequence[Hashable]
) -> AbstractContextManager[InForkedProcess | InThisProcess]:
    """A forked process repeats laws, or where there is none, this one: that is so where nothing else is said."""
    return forked(question, databases) if can_fork() else nullcontext(InThisProcess(question, databases))


def never_repeated(_: Question, __: Sequence[Hashable]) -> AbstractContextManager[None]:
    """The context of laws that are taken as they were found, without a second time."""
    return nullcontext()


_Asked: TypeAlias = tuple[Question, Sequence[Hashable], Sequence[DistributionRequest], Budget]


def answer_and_end(connection: Connection, asked: Callable[[], _Asked]) -> NoReturn:
    """Answer what is asked through the connection, in a forked process, and end it."""
    try:
        death_signal()()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        gc.disable()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):  # what a mechanism prints has been printed by the first run
            os.dup2(nowhere, stream)
        question, databases, laws, budget = asked()
        with sources_replaced(), watched_by(None):  # once, and not for every law
            for answer in _looking_out(question, repeated(question, databases, laws, budget)):
                connection.send_bytes(answer_bytes(answer))
    finally:
        os._exit(0)  # nothing of the process that it was copied from is to be tidied up


def _looking_out(question: Question, answers: Iterator[LawsAnswered]) -> Iterator[LawsAnswered]:
    """The answers, with chance that has a state looked out for around all of them, which costs less than for each.

    The last one says so where there was such chance.
    """
    held: list[LawsAnswered] = []
    try:
        with question.enumeration().looking_out(question.mechanism, question.arguments):
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


def received(connection: Connection, count: int, limits: Limits) -> Iterator[LawsAnswered]:
    """The answers that come through a connection. Raises `NoAnswer` where one does not come."""
    patience = min(TIMES_BY_THE_CLOCK * limits.seconds, _LONGEST)
    for _ in range(count):
        try:
            if not connection.poll(patience):
                raise NoAnswer(f"did not answer within {patience} s")
            yield answer_from_bytes(connection.recv_bytes())
        except (EOFError, ConnectionError):
            raise NoAnswer("ended without an answer") from None
