"""Distributions of one experiment, found by several processes: blocks in any order, merged in that of the databases.

What comes of it is what one process finds, whoever finds which block: the distributions, the number of paths, and which
orders of rows were run. A block that nobody gives, since a mechanism raised there, or took too long, or since its
distributions could arrive as others, is found here, as if nobody had been asked: so there is one place where a
mechanism is refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec

from dpverify.mechanisms.drawing.enumerator import Enumeration, WholeRuns
from dpverify.mechanisms.functions.fixed_values import name_of_key
from dpverify.verifiers.divergence.output_tables.tabulation import LawsHere, ResultOfAll, same_distribution
from dpverify.verifiers.divergence.parallel.distribution_packets import packed_distributions, unpacked
from dpverify.verifiers.line_coverage.collecting import collector_now
from dpverify.verifiers.line_coverage.executed import SentFunction, run_received
from dpverify.verifiers.line_coverage.results import Watched, looking_on_for, watched_now
from dpverify.verifiers.problems.preparation.answers import AnyDistribution
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.questions.domains import Domain, Multisets
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.processes.stopwatch import pause, stopwatch
from dpverify.verifiers.processes.workers import ClaimsRun, IdleProcesses, Lost
from dpverify.verifiers.processes.workplace import Answers, Helpers, Work


class DatabaseBlock(NamedTuple):
    """Some databases, of which all are asked for their distributions, and some for every order of their rows."""

    databases: Sequence[Hashable]
    in_every_order: Sequence[int]
    """Positions in the block."""
    watched: Watched | None = None
    """Claim for which it is noted what runs; None for nobody."""


# --- Whoever shares out

_SOON: Final = 0.5
"""Seconds that an experiment takes alone before it is shared out."""

_LEAST: Final = 1.0
"""Seconds of work in a block at least, as far as the databases before tell."""

_LARGEST: Final = 60.0
"""Seconds of work in a block at most, which is what is lost with the process that is at it."""

_EACH: Final = 4
"""Blocks for each process, so that they end at about the same time."""


def shared_out(
    experiment: Experiment, small: Sequence[int], enumeration: Enumeration, here: LawsHere[AnyDistribution]
) -> ResultOfAll[AnyDistribution] | None:
    """The distributions on all databases, found by the helpers, if it takes long enough: see `Finder.on_all`."""
    helpers, databases = experiment.where.helpers, experiment.run_on
    count = len(databases)
    if helpers is None:
        return None
    begun = time.monotonic()
    found = here(_until(range(count), partial(_is_worth_it, helpers, begun, count)))
    if len(found) == count:
        return ResultOfAll(found)
    laws = list(found)
    pause()
    each = (time.monotonic() - begun) / len(laws)
    ranges = _cut(range(len(laws), count), each, helpers.most)
    rest = _Rest(enumeration)
    blocks = _blocks(databases, ranges, small)
    with closing(helpers.worked(DistributionsOfBlocks(experiment.question, enumeration), blocks)) as answers:
        for of_block, answer in zip(ranges, answers, strict=True):
            result = None if answer is None else _READER.decode(answer)
            try:
                laws += here(of_block) if result is None else rest.added(of_block, result)
            except BaseException:
                pause()  # the others are ended now, which no stopwatch is to interrupt
                raise
    return ResultOfAll(laws, rest.paths, frozenset(rest.in_every_order), rest.has_scaled)


def _until(positions: Iterable[int], enough: Callable[[int], bool]) -> Iterator[int]:
    """The positions until it is enough, which is asked before each with how many there were."""
    for done, i in enumerate(positions):
        if enough(done):
            return
        yield i


def _is_worth_it(helpers: Helpers, begun: float, count: int, done: int) -> bool:
    """True where what is left is to be shared out now, after so many databases of all."""
    taken = time.monotonic() - begun
    return taken >= _SOON and done > 0 and taken / done * (count - done) >= 2 * _LEAST and helpers.processes > 1


def _cut(positions: range, each: float, processes: int) -> list[range]:
    """The positions in blocks of about equal length, with `each` the seconds of a database."""
    seconds = min(max(_LEAST, each * len(positions) / (_EACH * processes)), _LARGEST)
    size = max(1, min(len(positions), int(seconds / max(each, 1e-9))))
    return [positions[start : start + size] for start in range(0, len(positions), size)]


def _blocks(databases: Sequence[Hashable], ranges: Sequence[range], small: Sequence[int]) -> list[DatabaseBlock]:
    chosen, watched = frozenset(small), watched_now()
    return [
        DatabaseBlock([databases[i] for i in of_block], [i - of_block.start for i in of_block if i in chosen], watched)
        for of_block in ranges
    ]


class _Rest:
    """The answers of others, as if they had been found here."""

    def __init__(self, enumeration: Enumeration) -> None:
        self._enumeration = enumeration
        self._parts: dict[bytes, int] = {}
        self._runs = 0
        self.in_every_order: list[int] = []
        self.has_scaled = False

    def added(self, of_block: range, found: BlockFinding) -> list[AnyDistribution]:
        """The distributions of a block."""
        self._parts |= found.runs_of_parts
        self._runs += found.runs
        self.in_every_order += [of_block.start + i for i in found.in_every_order]
        self.has_scaled = self.has_scaled or found.has_scaled
        self._enumeration.point_masses |= found.point_masses
        self._enumeration.whole_runs |= dict.fromkeys(found.whole_runs)
        if (collector := collector_now()) is not None:
            collector.add(run_received(found.reached))
        return unpacked(found.laws)

    @property
    def paths(self) -> int:
        """The paths of a single process besides those that were run here: each distribution of a part is found once."""
        known = set(map(name_of_key, self._enumeration.runs_of_parts)) if self._parts else set()
        return self._runs + sum(runs for name, runs in self._parts.items() if name not in known)


# --- Whoever is asked


class BlockFinding(msgspec.Struct, frozen=True):
    """The finding on a block."""

    laws: bytes
    runs: int
    """Paths but those of distributions of parts that are remembered."""
    runs_of_parts: Mapping[bytes, int]
    """Of each of these, by its name."""
    in_every_order: Sequence[int]
    """The positions in the block of which all orders of the rows have one distribution."""
    has_scaled: bool
    point_masses: frozenset[str] = frozenset()
    whole_runs: tuple[WholeRuns, ...] = ()
    reached: list[SentFunction] = []
    """Code that ran, where somebody looks on."""


_READER: Final = msgspec.msgpack.Decoder(BlockFinding)


class DistributionsOfBlocks:
    """The distributions of a mechanism as work in blocks. It holds a user's own code, unlike work on numbers."""

    def __init__(self, question: Question, enumeration: Enumeration) -> None:
        """A copy of the `enumeration` of whoever asks need not compute again the distributions that it remembers."""
        self.question = question
        self._enumeration = enumeration

    def __reduce__(self) -> tuple[Callable[..., DistributionsOfBlocks], tuple[Question, Fraction]]:
        return _distributions_elsewhere, (self.question.alone, self._enumeration.share)

    def prepare(self) -> None:
        """See `Work`: nothing is to be made."""

    def done(self, block: DatabaseBlock) -> bytes:
        """The finding on a block, in the main thread of a process; nothing where whoever asks has to see himself."""
        try:
            return msgspec.msgpack.encode(self._found(block))
        except BaseException:  # a mechanism may raise anything, and it is for whoever asks to say so
            return b""

    def _found(self, block: DatabaseBlock) -> BlockFinding:
        question, enumeration = self.question, self._enumeration
        mechanism, arguments = question.mechanism, question.arguments
        before, known = enumeration.runs, frozenset(enumeration.runs_of_parts)
        looking = looking_on_for(block.watched, mechanism)
        with looking as reached, stopwatch(mechanism, question.limits.seconds) as restart:

            def law_of(database: Hashable) -> AnyDistribution:
                restart(database)
                return enumeration.law(mechanism, (database,), arguments)

            with enumeration.looking_out(mechanism, arguments):
                laws = [law_of(database) for database in block.databases]
            runs = enumeration.runs - before
            parts = {key: spent for key, spent in enumeration.runs_of_parts.items() if key not in known}
            return BlockFinding(
                laws=packed_distributions(laws),
                runs=runs - sum(parts.values()),
                runs_of_parts={name_of_key(key): spent for key, spent in parts.items()},
                in_every_order=[
                    i for i in block.in_every_order if _alike(question.domain, block.databases[i], laws[i], law_of)
                ],
                has_scaled=enumeration.has_scaled,
                point_masses=enumeration.point_masses,
                whole_runs=(*enumeration.whole_runs,),
                reached=reached(),
            )


def _distributions_elsewhere(question: Question, share: Fraction) -> DistributionsOfBlocks:
    return DistributionsOfBlocks(question, question.enumeration(share))


def _alike(domain: Domain, rows: Hashable, law: AnyDistribution, law_of: Callable[[Hashable], AnyDistribution]) -> bool:
    """True where the distribution is the same in every order of the rows."""
    assert isinstance(domain, Multisets) and isinstance(rows, tuple)
    return all(same_distribution(law, law_of(order)) for order in domain.other_orders(rows))


# --- Who helps: processes that are forked for each block


class ForkedHelpers:
    """Copies of this process, a worker, as many as its parent lets it have: they need to be sent nothing."""

    def __init__(self, idle: IdleProcesses, most: int) -> None:
        self._idle = idle
        self.most = most

    @property
    def processes(self) -> int:
        """See `Helpers`."""
        return self._idle.share

    def worked(self, work: Work, parts: Sequence[Any]) -> Answers:
        """See `Helpers`; what dies twice, or hangs, is found here, where it costs the claim of this process."""
        run = ClaimsRun(len(parts), lambda i: work.done(parts[i]), lambda: self.processes, pass_on=True)
        with closing(run.outcomes()) as outcomes:
            for outcome in outcomes:  # where a signal came, whoever handles it has had it, and goes on
                yield None if isinstance(outcome, Lost) else outcome or None
