"""Many pairs of distributions, compared in parts, in any order and by any process: a part gives whole numbers.

Whoever asked knows the exact numbers from them, in his own table of distributions. Of equal numbers that of the first
pair stands for all, so that what comes of it does not depend on who looked at which part, nor on which was known first.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, Final

import msgspec
import numpy as np

from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact
from dpverify.verifiers.divergence.finite.excesses import Excesses
from dpverify.verifiers.divergence.finite.hockey_stick import HockeyStick
from dpverify.verifiers.divergence.finite.ratios import LargestRatio, order
from dpverify.verifiers.divergence.finite.scanned import Databases, First, looked_at
from dpverify.verifiers.divergence.output_tables.distribution_table import DistributionTable
from dpverify.verifiers.divergence.parallel.table_packets import packed_table, unpacked_table
from dpverify.verifiers.problems.neighbours.compared import Compared, PairBlock
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids, distinct
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee
from dpverify.verifiers.processes.stopwatch import tell_stage
from dpverify.verifiers.processes.workplace import Workplace

STEPS_AT_ONCE: Final = 150_000_000
"""Steps in a part, of which a pair takes one for each outcome and `_STEPS` more: a second or two."""

_PILES: Final = 32
"""Parts after which pairs of distributions that several of them had are held once."""

_SIGNS: Final = 1 << 16
"""Decided signs that are said of a part: others are decided again where they are asked for again."""

_STEPS: Final = 10
"""Cost of making a pair, in comparisons of the probabilities of one outcome."""


def parts_of(table: DistributionTable, compared: Compared) -> list[range]:
    """Parts in which they are looked at: it depends on them alone. One, for all that takes less than two seconds."""
    pairs = max(1, STEPS_AT_ONCE // (_STEPS + len(table.outcomes)))
    if compared.pairs_of_databases <= pairs or compared.at_most <= pairs:
        return [range(0)]
    return compared.parts(pairs)


class OfPart(msgspec.Struct, frozen=True):
    """The finding on a part. Pairs of distributions are names, as `Compared` has them, packed."""

    count: int
    split: bytes
    """Those of distributions that databases of other parts have, too, which may find the same pairs."""
    first_worst: int | None
    is_worst_in_doubt: bool
    attaining: bytes
    attaining_found: Databases | None
    violating: bytes
    violating_found: Databases | None
    is_undecided: bool
    ratios: Sequence[int]
    """p·count + q, for the numbers of the largest ratio, and of those that nobody can tell from it; none for 1."""
    is_infinite: bool
    signs: Sequence[tuple[int, int, int | None, str]]
    """Signs that were asked of exact numbers: the numbers, what they are, and why that is undecided."""
    doubts: Sequence[str]
    """Other reasons why something is undecided."""


_PARTS: Final = msgspec.msgpack.Decoder(OfPart)


class Scanning:
    """The pairs of distributions at one ε and δ, as work that is done in parts."""

    def __init__(self, table: DistributionTable, compared: Compared, claim: PrivacyGuarantee) -> None:
        self._given = table, compared, claim
        self._entries = compared.at_most * len(table.outcomes)
        self._excesses: Excesses | None = None
        self._least = 0.0

    def __getstate__(self) -> tuple[Any, ...]:
        table, *others = self._given
        return packed_table(table), others, self._entries

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        packet, others, self._entries = state
        self._given = unpacked_table(packet), *others
        self._excesses = None
        self._least = 0.0

    def prepare(self) -> None:
        """See `Work`."""
        _ = self.excesses

    @property
    def excesses(self) -> Excesses:
        """Those of the table, with what is known of them here."""
        if self._excesses is None:
            table, _, claim = self._given
            self._excesses = Excesses(table, claim.epsilon, self._entries, seeks_ratio=True)
        return self._excesses

    def done(self, part: range) -> bytes:
        """See `Work`."""
        _, compared, claim = self._given
        excesses = self.excesses
        known = len(excesses.signs)
        seen = _Seen(compared, part)
        result = looked_at(seen, compared, excesses, claim, least=self._least)
        self._least = result.least
        ratio = excesses.largest_ratio()
        signs = [
            (*key, sign, excesses.undecided.get(key, "")) for key, sign in islice(excesses.signs.items(), known, None)
        ]
        return msgspec.msgpack.encode(
            OfPart(
                seen.count,
                _packed(np.concatenate([np.zeros(0, dtype=np.int64), *seen.split])),
                result.first_worst,
                result.is_worst_in_doubt,
                _packed(result.attaining.held),
                result.attaining.found,
                _packed(result.violating.held),
                result.violating.found,
                result.is_undecided,
                ratio.codes,
                ratio.found is None,
                [sign for i, sign in enumerate(signs) if i < _SIGNS or sign[2] is None],
                sorted(set(excesses.doubts).difference(excesses.undecided.values())),
            )
        )


class _Seen:
    """The blocks of a part, with how many pairs they had, and those of distributions that other parts have, too."""

    def __init__(self, compared: Compared, part: range) -> None:
        self._compared, self._part = compared, part
        self.count = 0
        self.split: list[Ids] = []

    def __iter__(self) -> Iterator[PairBlock]:
        laws = self._compared.laws_split_by(self._part)
        for block in self._compared.blocks_of(self._part):
            self.count += len(block.names)
            self.split.append(block.names[np.isin(block.left, laws)])
            yield block


def _packed(names: Ids) -> bytes:
    """Names in rising order, of which small differences are held."""
    return zlib.compress(np.diff(names, prepend=0).tobytes(), 1)


def _unpacked(content: bytes) -> Ids:
    return np.cumsum(np.frombuffer(zlib.decompress(content), dtype=np.int64))


class Merged:
    """The finding on all parts, from those of each, which may come in any order."""

    def __init__(self, table: DistributionTable, compared: Compared, epsilon: Exact, excesses: Excesses) -> None:
        self._table, self._compared, self._epsilon, self._excesses = table, compared, epsilon, excesses
        self._ratio = LargestRatio(table)
        self._is_infinite = False
        self.worst: Exact = ZERO
        self._first_worst: int | None = None
        self.is_worst_in_doubt = False
        self.attaining, self.violating = First(compared), First(compared)
        self.is_undecided = False
        self._of_one_part = 0
        self._of_several: list[Ids] = []
        self._undecided: dict[tuple[int, int], str] = {}
        self._doubts: set[str] = set()

    def add(self, part: OfPart) -> None:
        """A part more."""
        split = _unpacked(part.split)
        self._of_one_part += part.count - len(split)
        self._of_several.append(split)
        if len(self._of_several) > _PILES:
            self._of_several = [self._in_several]
        self._add_worst(part)
        self.violating.add(_unpacked(part.violating))
        self.violating.add_found(part.violating_found)
        self.is_undecided = self.is_undecided or part.is_undecided
        self._is_infinite = self._is_infinite or part.is_infinite
        self._ratio.add_numbers(np.array(part.ratios, dtype=np.int64))
        self._undecided |= {(p, q): doubt for p, q, sign, doubt in part.signs if sign is None}
        self._doubts.update(part.doubts)

    def _add_worst(self, part: OfPart) -> None:
        if part.first_worst is None:
            return
        left, right = self._compared.laws_of(part.first_worst)
        largest = HockeyStick(self._table, left, right, self._epsilon, None, self._excesses).divergence(0)
        way = order(largest, self.worst)
        if way == -1:
            return
        if way == 1:
            self.worst, self._first_worst, self.is_worst_in_doubt = largest, part.first_worst, False
            self.attaining.clear()
        elif self._first_worst is None or part.first_worst < self._first_worst:
            self.worst, self._first_worst = largest, part.first_worst
        self.is_worst_in_doubt = self.is_worst_in_doubt or part.is_worst_in_doubt or way is None
        self.attaining.add(_unpacked(part.attaining))
        self.attaining.add_found(part.attaining_found)

    @property
    def _in_several(self) -> Ids:
        """The pairs of distributions that may be found in several parts, each once."""
        return distinct(np.concatenate([np.zeros(0, dtype=np.int64), *self._of_several]))

    @property
    def count(self) -> int:
        """The number of pairs of different distributions, where each part came once."""
        return self._of_one_part + len(self._in_several)

    @property
    def ratio(self) -> tuple[Exact, Exact] | None:
        """As of `LargestRatio.found`."""
        return None if self._is_infinite else self._ratio.found

    @property
    def ratio_slack(self) -> Fraction:
        """As of `LargestRatio.slack`."""
        return self._ratio.slack

    @property
    def doubts(self) -> list[str]:
        """The reasons why something is undecided: of signs by their numbers, then others.

        None is there once more that is one of a sign, too: whoever knew of that sign did not tell it of his part.
        """
        of_signs = [self._undecided[key] for key in sorted(self._undecided)]
        return of_signs + sorted(self._doubts.difference(of_signs))


def merged_parts(
    table: DistributionTable, compared: Compared, claim: PrivacyGuarantee, parts: Sequence[range], where: Workplace
) -> Merged:
    """The finding on all pairs of distributions, part by part; who waits sees how many there were."""
    work = Scanning(table, compared, claim)
    result = Merged(table, compared, claim.epsilon, work.excesses)
    done, began = 0, time.monotonic()
    for part, content in zip(parts, where.done(work, parts), strict=True):
        of_part = _PARTS.decode(content)
        for p, q, sign, doubt in of_part.signs:
            work.excesses.learn(p, q, sign, doubt)
        result.add(of_part)
        done += compared.pairs_in(part)
        tell_stage(done, compared.pairs_of_databases, began)
    compared.count = result.count
    return result
