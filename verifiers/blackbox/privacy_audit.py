"""The audit of (ε,δ) by samples: a pilot proposes, fresh draws decide, and one may stop as soon as they do."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import msgspec

from dpverify.mechanisms.numbers.enclosure import decimal_of_fraction
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.verifiers.blackbox.sampling.evidence import (
    EventTally,
    Prior,
    refutes,
    refutes_anywhere,
    ruled_out,
    ruled_out_anywhere,
)
from dpverify.verifiers.blackbox.sampling.features import OwnFeature
from dpverify.verifiers.blackbox.sampling.pilot import MOST_TESTS, Test, piloted, plan_of
from dpverify.verifiers.blackbox.sampling.samplers import DrawBlocks
from dpverify.verifiers.processes.stopwatch import tell_draws
from dpverify.verifiers.processes.workers import in_a_worker

FRESH: Final = 1
"""The phase of the draws that decide."""

_LARGEST_BLOCK: Final = 500_000


class CountedTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A test in words, with its prior and its tally: all that a verdict needs."""

    left: str
    right: str
    event: str
    prior: Prior
    tally: EventTally


class Gathered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The counts of an audit, as plain data: what is decided is a function of these."""

    tests: list[CountedTest]
    pilot: int
    draws: int
    databases: int
    constant: str = ""
    """The one outcome of all draws of the pilot; empty where there are several."""
    interrupted: bool = False


@dataclass(frozen=True)
class AuditDesign:
    """The question to the counts: ε, δ, how many draws, what all tests may err with together, and of which bits."""

    epsilon: Exact
    delta: Exact
    draws: int
    error: Fraction
    low_bits: bool = True

    @property
    def each(self) -> Fraction:
        """The error of each test: half of it goes to the looks on the way, as much again to the one at the end.

        It is for as many tests as a pilot proposes at most, whatever it proposes.
        """
        return self.error / (2 * MOST_TESTS)


@dataclass(frozen=True)
class AuditFinding:
    """The test that refutes the claim, if one does, and the largest ε ruled out at δ, with the test that does."""

    refuted_by: int | None
    ruled_out: Fraction | None
    best: int | None


def found_in(gathered: Gathered, asked: AuditDesign) -> AuditFinding:
    """Verdict of counts. It errs on what is true, in either of its two answers, with probability at most the error."""
    refuted = _refuting(gathered.tests, asked, gathered.draws)
    bounds = [_ruled_out(one, asked, gathered.draws) for one in gathered.tests]
    best = max(range(len(bounds)), key=lambda i: bounds[i] or Fraction(0), default=None)
    return AuditFinding(refuted, None if best is None else bounds[best], refuted if refuted is not None else best)


def _refuting(tests: Sequence[CountedTest], asked: AuditDesign, draws: int) -> int | None:
    anywhere = _first(tests, lambda one: refutes_anywhere(one.tally, one.prior, asked.epsilon, asked.delta, asked.each))
    if anywhere is not None or draws < asked.draws:
        return anywhere
    return _first(tests, lambda one: refutes(one.tally, asked.epsilon, asked.delta, asked.each))


def _first(tests: Iterable[CountedTest], holds: Callable[[CountedTest], bool]) -> int | None:
    return next((i for i, one in enumerate(tests) if one.tally.draws and holds(one)), None)


def _ruled_out(one: CountedTest, asked: AuditDesign, draws: int) -> Fraction | None:
    """By the looks on the way, and where all was drawn also by the one at the end."""
    if not one.tally.draws:
        return None
    anywhere = ruled_out_anywhere(one.tally, one.prior, asked.delta, asked.each)
    at_end = ruled_out(one.tally, asked.delta, asked.each) if draws >= asked.draws else None
    return max((each for each in (anywhere, at_end) if each is not None), default=None)


def gathered(
    source: DrawBlocks,
    databases: Sequence[Hashable],
    pairs: Sequence[tuple[int, int]],
    asked: AuditDesign,
    own: Mapping[str, OwnFeature],
) -> Gathered:
    """The counts of fresh draws for the tests that a pilot proposes: as many as asked, or fewer where they refute.

    Ctrl-C stops it, and what was counted by then is returned. Raises `InputError` where the sampler fails.
    """
    proposed = piloted(source, databases, pairs, plan_of(asked.delta, asked.draws, asked.low_bits), own)
    tests = proposed.tests
    if proposed.constant is not None:
        return Gathered([], proposed.draws, 0, len(databases), shown(proposed.constant[0]))
    tallies = [EventTally(0, 0, 0)] * len(tests)
    number, done, interrupted = 0, 0, False
    size, began = proposed.draws, time.monotonic()
    while tests and done < asked.draws:
        block = min(size, asked.draws - done, _LARGEST_BLOCK)
        try:
            tallies = _counted(source, databases, tests, tallies, number, block)
        except KeyboardInterrupt:
            interrupted = True
            break
        done, number, size = done + block, number + 1, 2 * size
        words = _in_words(databases, tests, tallies)
        tell_draws(done, asked.draws, began, _learnt(words, asked, done) if in_a_worker() else "")
        if _refuting(words, asked, 0) is not None:
            break
    words = _in_words(databases, tests, tallies)
    return Gathered(words, proposed.draws, done, len(databases), interrupted=interrupted)


def _learnt(tests: Sequence[CountedTest], asked: AuditDesign, done: int) -> str:
    """The message that is left of it when somebody ends the process."""
    result = max((_ruled_out(one, asked, 0) or Fraction(0) for one in tests), default=Fraction(0))
    said = f"ε < {decimal_of_fraction(result)} is ruled out" if result else "no ε is ruled out"
    return f"after {done:,} of {asked.draws:,} draws {said}"


def _in_words(databases: Sequence[Hashable], tests: Sequence[Test], tallies: Sequence[EventTally]) -> list[CountedTest]:
    return [
        CountedTest(shown(databases[test.left]), shown(databases[test.right]), str(test.event), test.prior, tally)
        for test, tally in zip(tests, tallies, strict=True)
    ]


def _counted(
    source: DrawBlocks,
    databases: Sequence[Hashable],
    tests: Sequence[Test],
    before: Sequence[EventTally],
    number: int,
    size: int,
) -> list[EventTally]:
    """The counts with a further block of draws of each database that some test is of: all of it, or none."""
    left, right = [0] * len(tests), [0] * len(tests)
    for place in sorted({place for test in tests for place in (test.left, test.right)}):
        outcomes = source.block(FRESH, place, number, databases[place], size)
        for i, test in enumerate(tests):
            if place in (test.left, test.right):
                result = test.event.count(outcomes)
                left[i] += result * (place == test.left)
                right[i] += result * (place == test.right)
    return [
        EventTally(tally.left + one, tally.right + other, tally.draws + size)
        for tally, one, other in zip(before, left, right, strict=True)
    ]
