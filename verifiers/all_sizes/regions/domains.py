"""Domains without end, as regions of neighbours in unknown whole numbers.

They cannot be gone through; `check_privacy` decides on them by regions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, Final, Never, TypeAlias

from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.integers.parameters import whole
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber, of_kind
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion
from dpverify.mechanisms.numbers.shown import cut, shown
from dpverify.mechanisms.outputs.templates import AtLeast
from dpverify.verifiers.all_sizes.regions.regions import Region, region
from dpverify.verifiers.problems.questions.domains import Multisets
from dpverify.verifiers.problems.questions.in_words import candidates_in_words, every_size_in_words, values_in_words
from dpverify.verifiers.problems.questions.moves import (
    AddsOrRemoves,
    Grows,
    NeighbourRelation,
    Replaces,
    Shifts,
    half_of_steps,
    moves_of,
)
from dpverify.verifiers.problems.questions.score_domains import BoundedGrowth, OrMore, ScoreGaps
from dpverify.verifiers.problems.questions.sizes import refuse_by_place
from dpverify.verifiers.problems.questions.unknown_rows import MaybeUnknown, UnknownRows

_NO_THEOREM: Final = (
    "for every number of candidates at once only theorems of docs/theorems.md settle a claim, and none does this one"
)


def numbers_on(chart: AffineRegion) -> tuple[MaybeUnknown, ...]:
    """The numbers that a mechanism is given on a chart: ints, and unknown numbers in the place of ints."""
    return tuple(of_kind(number, int) if isinstance(number, Exact) else number for number in chart.numbers())


class Endless(ABC):
    """A domain that has no end: its neighbours are those of some regions."""

    @abstractmethod
    def regions(self, relation: NeighbourRelation) -> Iterator[Region]:
        """Regions of all unordered pairs of neighbours. Raises `InputError` for a relation that it does not know."""

    @abstractmethod
    def database(self, numbers: Sequence[MaybeUnknown]) -> Any:
        """The database that numbers of a chart stand for: what a mechanism is given."""

    def whole(self, numbers: Sequence[int]) -> Hashable:
        """The database of whole numbers that are known, as a finite domain has it."""
        return tuple(numbers)

    @property
    def given(self) -> Mapping[str, Any]:
        """Arguments from the domain, as ε and δ of a claim, where the mechanism has a parameter of that name."""
        return {}

    def parameters(self, given: Mapping[str, Any], numbers: Sequence[MaybeUnknown]) -> Mapping[str, Any]:
        """The parameters of a mechanism there, of those that are given."""
        return given

    @property
    @abstractmethod
    def everything(self) -> str:
        """All that it holds, in words that follow "ALL"."""

    @property
    @abstractmethod
    def in_words(self) -> str:
        """The words that follow "PROVED for"."""

    @property
    def by_theorems_alone(self) -> bool:
        """True where it has no regions, so that nothing but a theorem settles a claim."""
        return False

    def __iter__(self) -> Iterator[Never]:
        raise InputError(bad_input.NO_END, shown(self), self.instead)

    @property
    @abstractmethod
    def instead(self) -> str:
        """A domain that ends, for people who need one."""

    @property
    def fewer(self) -> str:
        """The words for a smaller domain of this kind."""
        return "fewer scores"

    @property
    def way_out(self) -> str:
        """The words for that which may be done where a claim takes too long."""
        return f"claim it on {self.fewer}, or on {self.instead}"

    def told(self, numbers: Sequence[int]) -> str:
        """The database of whole numbers in words, for a message."""
        return f"the scores {self.whole(numbers)!r}"


class Scores(Endless):
    """All vectors of `solutions` whole scores, however large: what sensitivity-1 qualities make of all databases.

    Under `scores_linf` its pairs are those of all databases of every size and all whole qualities of sensitivity 1.
    With solutions=OrMore(k) they are those of every number of solutions from k on, which only a theorem settles.
    Raises `InputError` unless solutions ≥ 1.

    >>> def largest(draw, scores):
    ...     return draw(exponential(scores, epsilon=1))
    >>> check_privacy(largest, Scores(solutions=2), scores_linf, epsilon=1).status
    <Status.PROVED: 'PROVED'>
    """

    def __init__(self, *misplaced: Never, solutions: int | OrMore = 0) -> None:
        refuse_by_place(misplaced, "solutions")
        every = isinstance(solutions, OrMore)
        if isinstance(solutions, AtLeast):
            raise InputError(
                bad_input.WRONG,
                f"solutions={shown(solutions)}, an event of released numbers,",
                "a number of candidates",
                f"write OrMore({solutions.value})",
            )
        self.fewest = whole(solutions.least if isinstance(solutions, OrMore) else solutions, "solutions", 1)
        self.solutions = OrMore(self.fewest) if every else self.fewest

    def __repr__(self) -> str:
        return f"Scores(solutions={self.solutions})"

    @property
    def in_words(self) -> str:
        return f"all scores, {candidates_in_words(self.solutions)}"

    @property
    def everything(self) -> str:
        if isinstance(self.solutions, OrMore):
            return f"score vectors of {self.fewest} or more whole numbers"
        return f"score vectors of {self.solutions} whole number{'s' if self.solutions > 1 else ''}"

    def regions(self, relation: NeighbourRelation) -> Iterator[Region]:
        moves = moves_of(relation)
        if not isinstance(moves, Shifts) or moves.best_is_0:
            raise _unknown(relation, self, "scores_linf or scores_l1")
        if isinstance(self.solutions, OrMore):
            raise Undecided(
                not_known.THEOREM_OPEN,
                _NO_THEOREM,
                f"decide it for one number, Scores(solutions={max(3, self.fewest)})",
            )
        for step in half_of_steps(moves.steps(self.solutions)):
            for chart in affine_regions_of(self.solutions):
                yield region(chart, chart.moved(step))

    @property
    def by_theorems_alone(self) -> bool:
        return isinstance(self.solutions, OrMore)

    def database(self, numbers: Sequence[MaybeUnknown]) -> tuple[MaybeUnknown, ...]:
        return tuple(numbers)

    @property
    def instead(self) -> str:
        return f"ScoreSpace(range(…), solutions={self.fewest})"


_ANY_SIZE: Final = OrMore(0)


class Histograms(Endless):
    """All multisets of rows of a universe, of every size: how often each row occurs is any whole number.

    For mechanisms that ask how often rows occur, and for no order of them: see `unknown_rows.py`. `sizes=OrMore(n)`
    leaves out those of fewer than n rows. Raises `InputError` for an empty universe, or one that holds a row twice.

    >>> def count(draw, rows):
    ...     return rows.count(1) + draw(discrete_laplace(1))
    >>> check_privacy(count, Histograms((0, 1)), add_or_remove_one, epsilon=1).status
    <Status.PROVED: 'PROVED'>
    """

    def __init__(self, universe: Iterable[Hashable], *misplaced: Never, sizes: OrMore = _ANY_SIZE) -> None:
        refuse_by_place(misplaced, "sizes")
        if not isinstance(sizes, OrMore):
            raise InputError(
                bad_input.WRONG,
                f"sizes={shown(sizes)} of a domain without end",
                "OrMore(n)",
                "use Multisets for others",
            )
        self.sizes = OrMore(whole(sizes.least, "sizes", 0))
        self._multisets = Multisets(universe, size=0)  # which says what is wrong with a universe

    @property
    def universe(self) -> tuple[Hashable, ...]:
        """The rows that a database may hold."""
        return self._multisets.universe

    def __repr__(self) -> str:
        least = f", sizes={self.sizes}" if self.sizes.least else ""
        return f"Histograms({self._multisets.given!r}{least})"

    @property
    def in_words(self) -> str:
        return f"{every_size_in_words(self.sizes.least)}, rows from {values_in_words(self.universe)}"

    @property
    def everything(self) -> str:
        least = f" of at least {self.sizes.least:,} rows" if self.sizes.least else ", of every size"
        return f"multisets of rows from {shown(self._multisets.given)}{least}"

    def regions(self, relation: NeighbourRelation) -> Iterator[Region]:
        moves = moves_of(relation)
        if not isinstance(moves, Replaces | AddsOrRemoves):
            raise _unknown(relation, self, "replace_one or add_or_remove_one or change_one_label")
        size = len(self.universe)
        unit = tuple(tuple(int(i == j) for i in range(size)) for j in range(size))
        rest = AffineRegion((0,) * size, unit)  # the rows that both databases hold
        if isinstance(moves, AddsOrRemoves):
            fewer = 0
            pairs = ((rest, rest.moved(row)) for row in unit)
        else:
            fewer = 1
            points = self._points() if moves.keeps_point else None
            pairs = (
                (rest.moved(unit[i]), rest.moved(unit[j]))
                for j in range(size)
                for i in range(j)
                if points is None or points[i] == points[j]
            )
        for left, right in pairs:
            yield region(left, right, (fewer - self.sizes.least, (1,) * size))

    def _points(self) -> list[Hashable]:
        """The x of each row (x, y). Raises `InputError` where a row is none."""
        for row in self.universe:
            if not isinstance(row, tuple) or len(row) != 2:
                raise InputError(
                    bad_input.WRONG, f"change_one_label: {shown(row)}", "a row (x, y)", "take Histograms of such rows"
                )
        return [row[0] for row in self.universe if isinstance(row, tuple)]

    def database(self, numbers: Sequence[MaybeUnknown]) -> Any:
        if all(isinstance(number, int) for number in numbers):
            return self.whole([int(number) for number in numbers])
        return self.counted(numbers, range(len(numbers)))

    def counted(self, numbers: Sequence[MaybeUnknown], order: Sequence[int]) -> UnknownRows:
        """Rows of which is known how often they occur, and that they first occur in this order of the universe."""
        return UnknownRows([self.universe[i] for i in order], [numbers[i] for i in order])

    def whole(self, numbers: Sequence[int]) -> Hashable:
        return tuple(row for row, times in zip(self.universe, numbers, strict=True) for _ in range(times))

    def told(self, numbers: Sequence[int]) -> str:
        size = sum(numbers)
        often = (f"{times:,} of {shown(row)}" for row, times in zip(self.universe, numbers, strict=True) if times)
        return f"{size:,} row{'' if size == 1 else 's'}{': ' if size else ''}{cut(', '.join(often))}"

    @property
    def instead(self) -> str:
        return f"Multisets({shown(self._multisets.given)}, sizes=range(…))"

    @property
    def fewer(self) -> str:
        return "fewer kinds of rows"


class AnyGaps(Endless):
    """`ScoreGaps` without a largest one: all vectors of whole scores of which the best is 0."""

    def __init__(self, domain: ScoreGaps) -> None:
        self._domain = domain
        self.solutions = domain.solutions

    def __repr__(self) -> str:
        return repr(self._domain)

    @property
    def in_words(self) -> str:
        return self._domain.in_words

    @property
    def everything(self) -> str:
        return f"gaps of {self._domain.solutions} whole scores"

    def regions(self, relation: NeighbourRelation) -> Iterator[Region]:
        moves = moves_of(relation)
        if not isinstance(moves, Shifts) or not moves.best_is_0:
            raise _unknown(relation, self, "gaps_linf")
        k = self._domain.solutions
        for best in range(k):
            rows = tuple(tuple(-int(i == j) for i in range(k) if i != best) for j in range(k))
            left = AffineRegion((0,) * k, rows)
            for step in half_of_steps(moves.steps(k)):
                for sign in (1, -1):
                    moved = left.moved([sign * d for d in step])
                    for highest in range(k):
                        right, needed = _below(moved, highest)
                        yield region(left, right, *needed)

    def database(self, numbers: Sequence[MaybeUnknown]) -> tuple[MaybeUnknown, ...]:
        return tuple(numbers)

    @property
    def instead(self) -> str:
        return f"ScoreGaps(largest, solutions={self._domain.solutions})"


_Form: TypeAlias = tuple[int, tuple[int, ...]]
"""A constant, and the coefficient of each coordinate."""


def _below(scores: AffineRegion, highest: int) -> tuple[AffineRegion, list[_Form]]:
    """The scores less the one in place `highest`, and what is not negative where that is the highest."""
    top, row = scores.base[highest], scores.rows[highest]
    below = AffineRegion(
        tuple(base - top for base in scores.base),
        tuple(tuple(n - m for n, m in zip(other, row, strict=True)) for other in scores.rows),
    )
    needed = [(-base, tuple(-n for n in other)) for base, other in zip(below.base, below.rows, strict=True)]
    return below, needed[:highest] + needed[highest + 1 :]


class AnyGrowth(Endless):
    """`BoundedGrowth` for every number of rows, or of solutions, from one on."""

    def __init__(self, domain: BoundedGrowth) -> None:
        self.domain = domain

    def __repr__(self) -> str:
        return repr(self.domain)

    @property
    def in_words(self) -> str:
        return self.domain.in_words

    @property
    def everything(self) -> str:
        solutions, rows = self.domain.given_solutions, self.domain.given_rows
        of_solutions = f"{solutions.least} or more" if isinstance(solutions, OrMore) else f"{solutions}"
        on_rows = f"{rows.least:,} or more" if isinstance(rows, OrMore) else f"{rows:,}"
        return f"qualities of growth {self.domain.growth} of {of_solutions} solutions, on {on_rows} rows"

    @property
    def by_theorems_alone(self) -> bool:
        return isinstance(self.domain.given_solutions, OrMore)

    def regions(self, relation: NeighbourRelation) -> Iterator[Region]:
        if not isinstance(moves_of(relation), Grows):
            raise _unknown(relation, self, "bounded_growth")
        if self.by_theorems_alone:
            raise Undecided(
                not_known.THEOREM_OPEN,
                _NO_THEOREM,
                f"decide it for one number, solutions={self.domain.fewest_solutions}",
            )
        k, growth, others = self.domain.solutions, self.domain.growth, self.domain.fewest_rows - 1
        # the rows that both databases hold raise the scores h_1, …, h_k, and are `others` and h_(k+1) more
        coordinates = tuple(tuple(int(i == j) for i in range(k + 1)) for j in range(k + 1))
        rest = AffineRegion((*(0,) * k, others + 1), coordinates)
        needed = [(others, (*(-int(i == j) for i in range(k)), 1)) for j in range(k)]
        needed.append((growth * others, (-1,) * k + (growth,)))
        raised = [step for step in product((0, 1), repeat=k) if sum(step) <= growth]
        for one, another in combinations(raised, 2):
            yield region(rest.moved((*one, 0)), rest.moved((*another, 0)), *needed)

    def database(self, numbers: Sequence[MaybeUnknown]) -> tuple[MaybeUnknown, ...]:
        """See `Endless`; the last number is that of the rows."""
        return tuple(numbers[:-1])

    def whole(self, numbers: Sequence[int]) -> Hashable:
        return tuple(numbers[:-1])

    @property
    def given(self) -> Mapping[str, Any]:
        """The number of rows, which is the last of the numbers."""
        return {"rows": self.domain.given_rows}

    def parameters(self, given: Mapping[str, Any], numbers: Sequence[MaybeUnknown]) -> Mapping[str, Any]:
        rows = numbers[-1]
        as_given = WholeNumber(rows) if isinstance(rows, int) else UnknownNumber(rows.number, WholeNumber)
        return {name: as_given if value is self.domain.given_rows else value for name, value in given.items()}

    def told(self, numbers: Sequence[int]) -> str:
        return f"{super().told(numbers)} of {numbers[-1]:,} rows"

    @property
    def instead(self) -> str:
        return f"BoundedGrowth(rows=n, solutions={self.domain.fewest_solutions}, growth={self.domain.growth})"


def as_endless(domain: object) -> Endless | None:
    """The domain as one that has no end; None for one that has."""
    if isinstance(domain, ScoreGaps) and domain.largest is None:
        return AnyGaps(domain)
    if isinstance(domain, BoundedGrowth) and domain.has_no_end:
        return AnyGrowth(domain)
    return domain if isinstance(domain, Endless) else None


def affine_regions_of(dimension: int) -> Iterator[AffineRegion]:
    """Charts of all vectors of whole numbers: each number from 0 on, or below 0."""
    for signs in product((1, -1), repeat=dimension):
        rows = tuple(tuple(sign if i == j else 0 for i in range(dimension)) for j, sign in enumerate(signs))
        yield AffineRegion(tuple(min(sign, 0) for sign in signs), rows)


def _unknown(relation: NeighbourRelation, domain: Endless, known: str) -> InputError:
    return InputError(bad_input.WRONG_RELATION, repr(domain), known, shown(name_of(relation)))
