"""Databases on which a claim is tried before it is PROVED for all sizes: some hundred, and pairs of them.

By regions, or by a theorem on real scores: the law on each of the databases beside that on its chart. By a theorem on a
number of solutions: the claim itself, on neighbours. Which they are depends on the claim alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from typing import Final, NamedTuple

from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.numbers.errors import InputError, MechanismError, Overtime, Undecided, bad_mechanism, not_known
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.reports.record import Status
from dpverify.verifiers.all_sizes.growth_theorem import suspects_on_growth
from dpverify.verifiers.all_sizes.regions.constants import constants_of
from dpverify.verifiers.all_sizes.regions.distributions import DistributionsOnRegions
from dpverify.verifiers.all_sizes.regions.domains import AnyGrowth, Endless, Histograms
from dpverify.verifiers.all_sizes.regions.located import At, DecidedRegions
from dpverify.verifiers.all_sizes.regions.points import (
    LARGEST_SIZE,
    Chances,
    evenly_in_log,
    points_around,
    points_at_cuts,
    split,
    spread_points,
)
from dpverify.verifiers.all_sizes.regions.question import AllScores, Pair
from dpverify.verifiers.all_sizes.regions.real_rows import ORDERS
from dpverify.verifiers.all_sizes.regions.spot_check import SOME_EPSILON, SOME_NUMBERS, RealDatabases, epsilon_at
from dpverify.verifiers.deciding.deciding import status_on
from dpverify.verifiers.problems.neighbours.neighbours import NeighboursFound
from dpverify.verifiers.problems.preparation.experiment import prepared_in_full
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.problems.questions.score_domains import OrMore
from dpverify.verifiers.processes.stopwatch import refuse_overtime

_OF_SPREAD: Final = 4, 5
"""So much of all databases at least has sizes that are spread evenly in log, whatever else a claim is tried on."""

_MOST_LEFT_OUT: Final = 400
"""Databases that meet a limit, before no more are tried."""

_MOST_CHOSEN: Final = 8_000
"""Points that are looked at for that: where most are too large, the others come again and again."""

_FEW_ROWS: Final = 3
"""Kinds of rows that a theorem is tried on."""

_MOST_ROWS: Final = 40
"""Number of them at most: with discrete noise each count up to the threshold is an outcome."""

_FEW_SOLUTIONS: Final = 3
_LARGE: Final = 8
_SMALL_SIZE: Final = 30
"""Of more solutions the laws of discrete noise take long where scores are large: one vector in eight has such."""

_MORE_SOLUTIONS: Final = (0, 0, 0, 1, 0, 0, 0, 2)
"""Number of solutions beyond the fewest that are tried, by turns, where every number of them is meant."""


def fewest_tried() -> int:
    """The number of databases that a claim is tried on at least."""
    return size_of_sample("databases of every size")


class Tried(NamedTuple):
    """The databases that a claim was tried on, without a difference."""

    databases: int
    pairs: int
    left_out: int

    def __str__(self) -> str:
        left_out = f" ({self.left_out:,} others met a limit)" if self.left_out else ""
        return f"tried on {self.databases:,} databases{left_out}, {self.pairs:,} pairs of them decided by themselves"


@dataclass(frozen=True)
class Trying:
    """A claim for all sizes that is about to be PROVED."""

    question: Question
    domain: Endless

    @cached_property
    def seed(self) -> int:
        """A number that another claim seldom has."""
        names = (*map(name_of, (self.question.mechanism, self.question.neighbours)), type(self.domain).__name__)
        text = repr((*names, *("ε" if n.symbol else str(n) for n in self.question.claim)))
        return int.from_bytes(blake2b(text.encode("utf-8", "backslashreplace"), digest_size=4).digest(), "big")

    def by_regions(self, laws: DistributionsOnRegions, decided: DecidedRegions) -> Tried:
        """Compare laws on databases, and decide pairs, of regions that were decided.

        Raises `MechanismError` where they differ, and `Undecided` where too few could be tried.
        """

        def compare(at: At, on_left: bool) -> None:
            leaf = decided.leaf(at)
            laws.compare(leaf.region.left if on_left else leaf.region.right, leaf.point)

        return self._by_points(laws, decided, compare)

    def by_theorem(self, scores: AllScores, also: Sequence[Pair] = ()) -> Tried:
        """Decide the claim on neighbours of a mechanism of which a theorem says that it holds. Raises alike.

        On those of `also` it is decided at each ε and δ that stands for all.
        """
        return self._by_pairs(_score_pairs(scores, Chances(self.seed)), also)

    def by_theorem_on_rows(self, domain: Histograms) -> Tried:
        """The same on databases of a few of a domain's rows."""
        few = Histograms(domain.universe[:_FEW_ROWS], sizes=domain.sizes)
        regions = list(few.regions(self.question.neighbours))
        points = islice(spread_points(regions, Chances(self.seed), _MOST_ROWS), _MOST_CHOSEN)
        sides = dict.fromkeys(tuple(sorted(at.sides)) for at in points)
        return self._by_pairs(((few.whole(left), few.whole(right)) for left, right in sides))

    def by_theorem_on_growth(self, domain: AnyGrowth, also: Sequence[Question] = ()) -> Tried:
        """The same on qualities of bounded growth; on neighbours that need most at each of the claims of `also`."""
        first = [
            self._at_epsilon(i, each, _told(*each.domain))
            for i, question in enumerate(also or (self._at_numbers,))
            for each in suspects_on_growth(question, domain)
        ]
        chosen = (
            (self.question.of_two(pair, {**self.question.arguments, "rows": rows}), pair)
            for pair, rows in _growth_pairs(domain, Chances(self.seed))
        )
        tried = (self._at_epsilon(i, question, _told(*pair)) for i, (question, pair) in enumerate(chosen))
        return self._in_turn(first, tried)

    @property
    def _at_numbers(self) -> Question:
        symbol = self.question.symbol
        return self.question if symbol is None else self.question.at(DistributionSubstitution(symbol, SOME_EPSILON[0]))

    def _by_pairs(
        self, chosen: Iterator[tuple[Hashable, Hashable]], also: Sequence[tuple[Hashable, Hashable]] = ()
    ) -> Tried:
        first = (
            self._at_epsilon(i, self.question.of_two(pair), _told(*pair))
            for pair in also
            for i in range(len(SOME_NUMBERS))
        )
        tried = (
            self._at_epsilon(i, self.question.of_two((left, right)), _told(left, right))
            for i, (left, right) in enumerate(chosen)
        )
        return self._in_turn(first, tried)

    def _in_turn(self, first: Iterable[_Pair], chosen: Iterator[_Pair]) -> Tried:
        """Decide the claim on all of the first pairs, and on so many others that enough databases were tried."""
        vectors: dict[Hashable, None] = {}
        found = self._decided(first)
        vectors |= dict.fromkeys(side for pair in found.decided for side in (pair.left, pair.right))
        decided, left_out = len(found.decided), found.left_out
        fewest = fewest_tried()
        while len(vectors) < fewest and left_out <= _MOST_LEFT_OUT:
            some = list(islice(chosen, (fewest - len(vectors) + 1) // 2))
            found = self._decided(some)
            decided, left_out = decided + len(found.decided), left_out + found.left_out
            vectors |= dict.fromkeys(side for pair in found.decided for side in (pair.left, pair.right))
            if not some:
                break
        self._refuse_few(len(vectors), left_out, "")
        return Tried(len(vectors), decided, left_out)

    def _by_points(
        self, laws: DistributionsOnRegions, decided: DecidedRegions, compare: Callable[[At, bool], None]
    ) -> Tried:
        chances, real = Chances(self.seed), laws.real
        constants = constants_of(self.question.mechanism, self.question.arguments)
        near = (*points_around(decided.starts, constants, chances), *points_at_cuts(decided.cuts.items(), chances))
        met: list[At] = []
        with real.looking_out():
            laws.compare_all_orders()
            for i, at in enumerate(near):
                if not real.is_too_large(at.sides[0]):
                    compare(at, i % 2 == 0)
            enough = max(fewest_tried(), len(real.tried) + fewest_tried() * _OF_SPREAD[0] // _OF_SPREAD[1])
            for i, at in enumerate(islice(spread_points(decided.starts, chances), _MOST_CHOSEN)):
                if len(real.tried) >= enough or len(real.left_out) > _MOST_LEFT_OUT:
                    break
                if not real.is_too_large(at.sides[0]):
                    compare(at, i % 2 == 0)
                    met.append(at)
        self._refuse_few(len(real.tried), len(real.left_out), next(iter(real.left_out.values()), ""))
        pairs = [self._pair(laws.real, i, at) for i, at in enumerate((*_some(met), *_some(near)))]
        found = self._decided(pair for pair in pairs if pair.left != pair.right)
        return Tried(len(real.tried), len(found.decided), len(real.left_out) + found.left_out)

    def _refuse_few(self, databases: int, left_out: int, reason: str) -> None:
        if databases < fewest_tried():
            because = f"{left_out:,} others met a limit{reason and f', such as: {reason}'}"
            raise Undecided(not_known.FEWER_TRIED, databases, fewest_tried(), because)

    def _pair(self, real: RealDatabases, i: int, at: At) -> _Pair:
        """Two neighbours as databases, with their rows in orders of which each comes with each."""
        left, right = at.sides
        orders = ORDERS[i % len(ORDERS)], ORDERS[i // len(ORDERS) % len(ORDERS)]
        rows = [real.rows(numbers, order) for numbers, order in zip(at.sides, orders, strict=True)]
        question = self.question.of_two(rows, self.domain.parameters(self.question.arguments, left))
        return self._at_epsilon(i, question, f"{self.domain.told(left)} and {self.domain.told(right)}")

    def _at_epsilon(self, i: int, question: Question, told: str) -> _Pair:
        """The claim on two neighbours, at one of some ε where it is symbolic, and at one of some δ."""
        left, right = question.domain
        if question.of_every_delta:
            _, delta = SOME_NUMBERS[i % len(SOME_NUMBERS)]
            question, told = question.at_delta(delta), f"{told}, at δ = {delta}"
        symbol = question.symbol
        if symbol is None:
            return _Pair(left, right, question, told)
        epsilon = epsilon_at(i)
        return _Pair(left, right, question.at(DistributionSubstitution(symbol, epsilon)), f"{told}, at ε = {epsilon}")

    def _decided(self, pairs: Iterable[_Pair]) -> _Decided:
        """Those of the pairs that were decided: the claim holds on them.

        Raises `MechanismError` where it does not, and where the mechanism fails.
        """
        together: dict[str, list[_Pair]] = {}
        for pair in pairs:
            key = repr((pair.question.claim, sorted(pair.question.parameters.items()), _size(pair.left) // _NEAR))
            together.setdefault(key, []).append(pair)
        found = _Decided([], 0)
        for some in together.values():
            if len(some) > 1 and self._status(some) is Status.PROVED:
                found.decided.extend(some)
                continue
            for pair in some:
                status = self._status([pair])
                if status is Status.REFUTED:
                    raise MechanismError(
                        bad_mechanism.OTHERWISE,
                        name_of(self.question.mechanism),
                        f"violates the claim on {pair.told}, and by what is known of unknown numbers it does not",
                        "let it add, subtract, compare and scale them alone",
                    )
                if status is Status.PROVED:
                    found.decided.append(pair)
                else:
                    found = found._replace(left_out=found.left_out + 1)
        return found

    def _status(self, pairs: Sequence[_Pair]) -> Status:
        """The answer of the finite checker on these pairs together."""
        refuse_overtime()
        partners: dict[Hashable, list[Hashable]] = {}
        for pair in pairs:
            partners.setdefault(pair.left, []).append(pair.right)
            partners.setdefault(pair.right, []).append(pair.left)
        question = pairs[0].question.of_others(list(partners), NeighboursFound(partners))
        try:
            return status_on(prepared_in_full(question, never_repeated))
        except MechanismError as error:
            if isinstance(error, Overtime):
                return Status.UNDECIDED
            raise
        except InputError:  # as of polynomials in e^ε of very many terms
            return Status.UNDECIDED


_NEAR: Final = 64
"""Databases as near as this are decided together: with discrete noise each number between two is an outcome."""


def _size(database: Hashable) -> int:
    """About how large the numbers of a database are: how many rows it has, or its largest score."""
    entries = database if isinstance(database, tuple) else ()
    return max((len(entries), *(abs(entry) for entry in entries if isinstance(entry, int))))


class _Pair(NamedTuple):
    """Two neighbours, and the question on them."""

    left: Hashable
    right: Hashable
    question: Question
    told: str


class _Decided(NamedTuple):
    """Pairs on which the claim holds, and how many others are not decided."""

    decided: list[_Pair]
    left_out: int


def _told(left: Hashable, right: Hashable) -> str:
    return f"{shown(left)} and {shown(right)}"


def _some(points: Sequence[At]) -> Sequence[At]:
    """Some of the points, at even distances, whose pairs are decided one by one; all of few."""
    number = size_of_sample("pairs of every size")
    step = max(1, len(points) // max(1, number))
    return points[::step][:number]


def _score_pairs(scores: AllScores, chances: Chances) -> Iterator[Pair]:
    """Neighbours among score vectors, of sizes evenly in log, each of them once."""
    seen: set[Pair] = set()
    for i in range(_MOST_CHOSEN):
        k = scores.solutions + (_MORE_SOLUTIONS[i % len(_MORE_SOLUTIONS)] if scores.every else 0)
        is_small = k > _FEW_SOLUTIONS and i % _LARGE
        sizes = split(evenly_in_log(i, _SMALL_SIZE if is_small else LARGEST_SIZE), k, i, chances)
        left = tuple(size * (1 - 2 * chances.below(2)) for size in sizes)
        if scores.one_moves:
            moved = chances.below(k)
            step = tuple(int(j == moved) for j in range(k))
        else:
            step = tuple(chances.below(3) - 1 for _ in range(k))
        right = tuple(a + b for a, b in zip(left, step, strict=True))
        pair = scores.pair(left, right)
        if pair[0] != pair[1] and pair not in seen:
            seen.add(pair)
            yield pair


def _growth_pairs(domain: AnyGrowth, chances: Chances) -> Iterator[tuple[Pair, int]]:
    """Neighbours among qualities of bounded growth, with how many rows they are on; each of them once."""
    given, growth, seen = domain.domain, domain.domain.growth, set[tuple[Pair, int]]()
    more_solutions = isinstance(given.given_solutions, OrMore)
    for i in range(_MOST_CHOSEN):
        rows = given.fewest_rows
        if isinstance(given.given_rows, OrMore):
            rows += evenly_in_log(i, _MOST_ROWS) - 1
        solutions = given.fewest_solutions + (i % _MORE_OF_GROWTH if more_solutions else 0)
        common = split(chances.below(growth * (rows - 1) + 1), solutions, i, chances)
        common = tuple(min(score, rows - 1) for score in common)
        sides = []
        for _ in range(2):
            raised = {chances.below(solutions) for _ in range(growth)}
            sides.append(tuple(score + (place in raised) for place, score in enumerate(common)))
        pair = sides[0], sides[1]
        if pair[0] != pair[1] and (pair, rows) not in seen:
            seen.add((pair, rows))
            yield pair, rows


_MORE_OF_GROWTH: Final = 20
"""The number of solutions beyond the fewest that are tried: of one row few qualities are different."""
