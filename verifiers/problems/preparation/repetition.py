"""The recomputation: distributions of some databases, by a process that shares nothing with the first.

Of code inside the language that is a check of this library: a few databases are chosen, where patterns are rarest, and
the plain enumerator makes whole runs, as far as a tenth of the first paths goes. Of code outside it is all there is:
its distributions may depend on what it keeps between calls, or on the order of a set, and are all found again. Both are
done in a process that has not run the mechanism before, if it can be another interpreter, with another hash seed.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, NoReturn, Protocol, TypeAlias

from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.functions.watching import watched_by
from dpverify.mechanisms.language.compiled import form_of
from dpverify.mechanisms.numbers.errors import InputError, LimitMet, NotDeterministic, Undecided
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.verifiers.problems.preparation.answers import (
    AnyDistribution,
    Failure,
    LawsAnswered,
    answer_bytes,
    answer_from_bytes,
)
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.processes.deadline import TIMES_BY_THE_CLOCK
from dpverify.verifiers.processes.workers import death_signal

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Mode: TypeAlias = Literal["another interpreter", "a forked process", "one process", "none"]
"""Process that recomputes distributions; the first alone has another hash seed, and the first two no cache."""


class Repeated(NamedTuple):
    """The one who computed distributions a second time, and of how many databases."""

    mode: Mode
    databases: int

    def __str__(self) -> str:
        if self.mode == "none" or not self.databases:  # as of noises before post-processing, which plain runs have not
            return "not recomputed"
        fixed = "" if self.mode == "another interpreter" else ", the hash seed not varied"
        return f"recomputed in {self.mode} for {self.databases:,} of them{fixed}"


NOT_REPEATED: Final = Repeated("none", 0)


class DistributionRequest(NamedTuple):
    """Distribution that is asked for: the position of its database, and the number to put for a symbolic ε."""

    position: int
    epsilon: Exact | None


Budget: TypeAlias = int | None
"""The number of runs that may be made of all databases together; None for code outside, of which all are made."""


Restart = Callable[[Hashable], None]
"""Callback with a database before it is run in this process: its time begins."""


class Repetition(Protocol):
    """Somebody who computes distributions a second time."""

    @property
    def mode(self) -> Mode:
        """The one who does it, known for certain when the answers are there."""

    def answers(self, asked: Sequence[DistributionRequest], budget: Budget, restart: Restart) -> Iterator[LawsAnswered]:
        """An answer for each that is asked, in order."""


Repeating: TypeAlias = Callable[[Question, Sequence[Hashable]], AbstractContextManager[Repetition | None]]
"""Makes ready whoever computes distributions on these databases a second time, before they are computed first."""


def repeated(
    question: Question,
    databases: Sequence[Hashable],
    asked: Sequence[DistributionRequest],
    budget: Budget,
    restart: Restart = lambda _: None,
) -> Iterator[LawsAnswered]:
    """The answers, computed here. It is for the caller to ask in another order than the first time.

    Within a budget, a distribution that takes more runs, or that the plain enumerator cannot find, is left out.
    """
    left = budget
    for one in asked:
        database = databases[one.position]
        restart(database)
        if left == 0:
            yield []
            continue
        limits = question.limits if left is None else replace(question.limits, paths=min(question.limits.paths, left))
        enumerator, arguments = PlainEnumerator(limits), question.arguments_at(one.epsilon)
        found = enumerator.distribution if left is None else enumerator.distribution_as_compiled
        try:
            yield [found(question.mechanism, (database,), arguments)]
        except (InputError, Undecided) as error:
            yield Failure(str(error)) if left is None else []
        left = None if left is None else max(0, left - enumerator.runs)


def inlined_distribution(
    enumeration: Enumeration, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
) -> AnyDistribution | None:
    """The law by an enumeration that inlines sub-mechanisms; None where it has too many paths for it, or ties noise.

    Raises as `Enumeration.distribution` does.
    """
    try:
        return enumeration.law(mechanism, args, parameters)
    except LimitMet:
        return None
    except InputError as error:
        if isinstance(error.__cause__, InputError) and not isinstance(error.__cause__, NotDeterministic):
            return None  # noise is tied as it would not be otherwise
        raise


# --- Which databases are asked for, and how much may be spent


def rarest_positions(databases: Sequence[Hashable], alike: Sequence[int] = ()) -> list[int]:
    """A few positions: every so many of those that stand for others, one of each of the rarest patterns, the first."""
    most = size_of_sample("databases computed again")
    some = alike[:: -(-2 * len(alike) // most)] if alike and most else ()  # half of them
    return [*dict.fromkeys([*some, *_one_of_each_pattern(databases), *range(min(2 * most, len(databases)))])][:most]


def _one_of_each_pattern(databases: Sequence[Hashable]) -> list[int]:
    """The positions of the first database of each pattern of equal rows, of the rarest pattern first."""
    step = 1 + len(databases) // _MOST_PATTERNS
    some = [one if isinstance(one, tuple) else (one,) for one in databases[::step]]
    patterns = [tuple(map(rows.index, rows)) for rows in some]
    first = dict(zip(reversed(patterns), range(len(some) - 1, -1, -1), strict=True))
    counts = Counter(patterns)
    return [first[pattern] * step for pattern in sorted(counts, key=counts.__getitem__)]


_MOST_PATTERNS: Final = 512
"""Databases whose patterns are looked at: of more, evenly among them."""


def budget(paths: int) -> int:
    """A tenth of the paths of the first enumeration; however few these were, so many as `size_of_sample` says."""
    return max(size_of_sample("runs computed again"), paths // 10)


# --- In this process, or in one that is forked before the mechanism is first run


class InThisProcess:
    """Computes the distributions again where they were computed before."""

    mode: Mode = "one process"

    def __init__(self, question: Question, databases: Sequence[Hashable]) -> None:
        self._question = question
        self._databases = databases

    def answers(self, asked: Sequence[DistributionRequest], budget: Budget, restart: Restart) -> Iterator[LawsAnswered]:
        """See `Repetition`."""
        return repeated(self._question, self._databases, asked, budget, restart)


class InForkedProcess:
    """Computes the distributions in a copy of this process that is made before the mechanism is first run."""

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
    from multiprocessing import Pipe

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
    """This process recomputes distributions of code inside the language; those of other code a fork, if it can be."""
    is_to_fork = can_fork() and form_of(question.mechanism, question.arguments) is None
    return forked(question, databases) if is_to_fork else nullcontext(InThisProcess(question, databases))


def never_repeated(_: Question, __: Sequence[Hashable]) -> AbstractContextManager[None]:
    """The context of distributions that are taken as they were found, without a second time."""
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
        with watched_by(None):
            for answer in repeated(question, databases, laws, budget):
                connection.send_bytes(answer_bytes(answer))
    finally:
        os._exit(0)  # nothing of the process that it was copied from is to be tidied up


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
