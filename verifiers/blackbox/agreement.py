"""Agreement of a library with a model: exact tests of how often each cell was seen.

Half of the error goes to one test of all cells of a database together: the likelihood of their counts averaged over
distributions near that of a pilot (Dirichlet's), over that of the model's distribution, which reaches 1/a with
probability at most a. Half goes to each cell, and to each number of first cells, alone: by the exact tail of the
binomial distribution. That of chi-square is none of these: it is asymptotic, and refutes what is true of rare cells too
often.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Final, NamedTuple

import msgspec
from flint import arb, ctx, fmpq

from dpverify.mechanisms.numbers.enclosure import bounds, decimal_of_fraction, enclosure
from dpverify.mechanisms.numbers.exact_numbers import Exact, total
from dpverify.mechanisms.numbers.shown import shown
from dpverify.verifiers.blackbox.sampling.cells import MOST_CELLS, DistributionCells
from dpverify.verifiers.blackbox.sampling.outcomes import Outcomes
from dpverify.verifiers.blackbox.sampling.pilot import pilot_draws
from dpverify.verifiers.blackbox.sampling.samplers import DrawBlocks
from dpverify.verifiers.processes.stopwatch import tell_draws
from dpverify.verifiers.utility.binomial_interval import lower_end
from dpverify.verifiers.utility.binomial_tails import is_at_most

MOST_DATABASES: Final = 8
"""Databases of a model's domain that are drawn from where nobody says which."""

_MOST_EVENTS: Final = 2 * MOST_CELLS
"""Cells, numbers of first cells, and values that came up again, of one database."""

_PRECISION: Final = 128
_LARGEST_BLOCK: Final = 500_000


def error_of_each(error: Fraction, databases: int) -> Fraction:
    """The error that each side of each event of each database may have."""
    return error / (4 * databases * _MOST_EVENTS)


class DatabaseCells(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The number of times that each cell of a database was seen, in the pilot and in the draws that decide."""

    database: str
    pilot: list[int]
    seen: list[int]
    again: list[float] = []
    """Values that came up more than once in the pilot, of a distribution without any."""
    near: int = 0
    """The number of the draws that decide that are near these."""


class CellCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The counts of all databases, as plain data: with the distributions, what is decided is a function of these."""

    databases: list[DatabaseCells]
    pilot: int
    draws: int
    interrupted: bool = False


@dataclass(frozen=True)
class Deviation:
    """An event of a database, how often it was seen, its exact probability, and whether that is refuted."""

    database: str
    event: str
    seen: int
    probability: Exact
    off: Fraction
    """No share in the interval around what was seen is further off."""
    low: Fraction
    high: Fraction
    refutes: bool


@dataclass(frozen=True)
class Agreement:
    """The findings on a model: each event that was tested, the worst first, and the databases refuted as a whole."""

    deviations: Sequence[Deviation]
    as_a_whole: Sequence[str]

    @property
    def refuted(self) -> bool:
        """True where the library has another distribution, but with the error that was asked for."""
        return bool(self.as_a_whole) or any(one.refutes for one in self.deviations)


def drawn_counts(
    source: DrawBlocks,
    databases: Sequence[Hashable],
    laws: Sequence[DistributionCells],
    draws: int,
    error: Fraction,
    outcomes: Callable[[Outcomes], Outcomes],
) -> CellCounts:
    """The counts of so many draws of each database, or of fewer where all cells of one together refute the model.

    Ctrl-C stops it, and what was counted by then is returned. Raises `InputError` where the sampler fails.
    """
    size, began = pilot_draws(draws), time.monotonic()
    first = list(map(outcomes, source.pilot(dict(enumerate(databases)), size).values()))
    pilots = [law.counts(pilot) for pilot, law in zip(first, laws, strict=True)]
    again = [[] if law.repeats is None else law.repeats.of(pilot) for pilot, law in zip(first, laws, strict=True)]
    near = [0] * len(laws)
    seen = [[0] * len(pilot) for pilot in pilots]
    done, number, interrupted = 0, 0, False
    while done < draws:
        block = min(size, draws - done, _LARGEST_BLOCK)
        try:
            blocks = [outcomes(source.block(1, i, number, rows, block)) for i, rows in enumerate(databases)]
        except KeyboardInterrupt:
            interrupted = True
            break
        fresh = [law.counts(block) for block, law in zip(blocks, laws, strict=True)]
        seen = [[a + b for a, b in zip(before, now, strict=True)] for before, now in zip(seen, fresh, strict=True)]
        near = [
            before + _near(law, values, outcome)
            for before, law, values, outcome in zip(near, laws, again, blocks, strict=True)
        ]
        done, number, size = done + block, number + 1, 2 * size
        tell_draws(done, draws, began)
        if any(
            _as_a_whole(pilot, now, law, error / (2 * len(databases)))
            for pilot, now, law in zip(pilots, seen, laws, strict=True)
        ):
            break
    cells = [
        DatabaseCells(shown(rows), pilot, now, values, times)
        for rows, pilot, now, values, times in zip(databases, pilots, seen, again, near, strict=True)
    ]
    return CellCounts(cells, pilot_draws(draws), done, interrupted)


def share_in_the_middle(law: DistributionCells) -> Fraction:
    """The probability of the event that is tested next to ½, or of its opposite, at most ½; rounded down."""
    sums = accumulate(law.probabilities) if law.ordered else law.probabilities
    return max(min(bounds(p)[0], 1 - bounds(p)[1]) for p in (*sums, *law.probabilities))


def _near(law: DistributionCells, values: Sequence[float], outcomes: Outcomes) -> int:
    return law.repeats.near(values)[1](outcomes) if law.repeats is not None and values else 0


def agreement(counts: CellCounts, laws: Sequence[DistributionCells], draws: int, error: Fraction) -> Agreement:
    """The answer of counts on a model. It refutes what is true with probability at most the error.

    Cells are tested one by one only where all was drawn: how many draws there are has to be fixed before.
    """
    share = error / (2 * len(laws))
    whole = [
        one.database
        for one, law in zip(counts.databases, laws, strict=True)
        if _as_a_whole(one.pilot, one.seen, law, share)
    ]
    each = error_of_each(error, len(laws)) if counts.draws >= draws else None
    results = [
        deviation
        for one, law in zip(counts.databases, laws, strict=True)
        for deviation in _deviations(one, law, counts.draws, each, error_of_each(error, len(laws)))
    ]
    return Agreement(sorted(results, key=lambda one: (not one.refutes, -one.off)), whole)


class _Event(NamedTuple):
    """An event, how often it was seen, and its exact probability."""

    name: str
    seen: int
    probability: Exact


def _deviations(
    cells: DatabaseCells, law: DistributionCells, draws: int, each: Fraction | None, shown_at: Fraction
) -> list[Deviation]:
    if not draws:
        return []
    names = [f"outcome {name}" for name in law.names]
    events = [_Event(*one) for one in zip(names, cells.seen, law.probabilities, strict=True)]
    if law.ordered:
        sums = list(accumulate(cells.seen[:-1]))
        for i in range(1, len(sums) - 1):
            first = f"the first {i + 1} cells, up to {names[i]}"
            events.append(_Event(first, sums[i], total(law.probabilities[: i + 1])))
    if law.repeats is not None and cells.again:
        several = f"{cells.again[0]!r}" + (f", or one of {len(cells.again) - 1} more" if len(cells.again) > 1 else "")
        name = f"outcome near {several}, which came up more than once in the pilot"
        events.append(_Event(name, cells.near, law.repeats.near(cells.again)[0]))
    return [_deviation(cells.database, event, draws, each, shown_at) for event in events]


def _deviation(database: str, event: _Event, draws: int, each: Fraction | None, shown_at: Fraction) -> Deviation:
    seen = event.seen
    below, above = bounds(event.probability)
    low, high = lower_end(seen, draws, shown_at), 1 - lower_end(draws - seen, draws, shown_at)
    off = max(high - below, above - low, Fraction(0))
    refuted = each is not None and (
        is_too_many(seen, draws, above, each) or is_too_many(draws - seen, draws, 1 - below, each)
    )
    return Deviation(database, event.name, seen, event.probability, off, low, high, refuted)


def is_too_many(seen: int, draws: int, p: Fraction, error: Fraction) -> bool:
    """True where so many or more are seen with at most that probability, of an event of probability p or less."""
    return bool(seen) and is_at_most(error, seen, draws, p)


def _as_a_whole(pilot: Sequence[int], seen: Sequence[int], law: DistributionCells, error: Fraction) -> bool:
    """True where all cells of a database together refute the model's distribution, wherever one stops."""
    if any(times and p == 0 for times, p in zip(seen, law.probabilities, strict=True)):
        return True
    with ctx.workprec(_PRECISION):
        return bool(log_evidence(pilot, seen, law) > -arb(fmpq(error.numerator, error.denominator)).log())


def log_evidence(pilot: Sequence[int], seen: Sequence[int], law: DistributionCells) -> arb:
    """The log-likelihood of counts, averaged over distributions near that of a pilot, less that of the model."""
    result, before, now = arb(0), arb(0), 0
    for first, times, p in zip(pilot, seen, law.probabilities, strict=True):
        if p == 0:
            continue
        prior = arb(first) + arb(fmpq(1, 2))
        result += (prior + times).lgamma() - prior.lgamma()
        if times:
            result -= times * enclosure(p, _PRECISION).log()
        before, now = before + prior, now + times
    return result + before.lgamma() - (before + now).lgamma()


def share_in_words(share: Fraction) -> str:
    """A share rounded up to four digits behind the point, or more where it is small."""
    digits = 4 if share > Fraction(1, 1000) else 8
    return decimal_of_fraction(Fraction(-(-share * 10**digits // 1), 10**digits))
