"""Domains of score vectors: what a mechanism sees of a database through a quality function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import comb
from typing import NamedTuple, Never

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.integers.parameters import whole
from dpverify.mechanisms.numbers.integers.whole_numbers import whole_number
from dpverify.mechanisms.numbers.shown import shown
from dpverify.verifiers.problems.questions.in_words import candidates_in_words, every_size_in_words, scores_in_words
from dpverify.verifiers.problems.questions.sizes import (
    LARGEST_UNIVERSE,
    choices_up_to,
    power_up_to,
    refuse_beyond_len,
    refuse_by_place,
    refuse_longer,
    within_limit,
)


class OrMore(NamedTuple):
    """Every whole number from `least` on: of rows, where a domain has no end."""

    least: int

    def __repr__(self) -> str:
        return f"OrMore({self.least})"


class ScoreSpace:
    """All vectors of `solutions` whole scores: what a quality function of sensitivity 1 may make of a database.

    Under `scores_linf`, every score moves by at most 1, its pairs are those of *all* databases and *all* sensitivity-1
    quality functions with these scores: the vectors s, s′ belong to one-row databases with q(·,h) = s[h] and s′[h].
    Vectors come by rising largest score, then by sum.

    >>> list(ScoreSpace(range(2), solutions=2))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    def __init__(self, scores: Iterable[int], *misplaced: Never, solutions: int) -> None:
        refuse_by_place(misplaced, "solutions")
        if not isinstance(scores, Iterable):
            raise InputError(bad_input.NO_ITERABLE, "scores", shown(scores))
        self._given = within_limit(scores, LARGEST_UNIVERSE, "scores", "scores")
        found = set()
        for score in self._given:
            number = whole_number(score)
            if number is None:
                raise InputError(bad_input.NOT_WHOLE, f"the score {shown(score)}", "")
            found.add(number)
        self.scores = tuple(sorted(found))
        solutions = whole(solutions, "solutions", 1)
        refuse_longer(solutions, "solutions")
        if not self.scores:
            raise InputError(bad_input.IS_EMPTY, "scores", "score")
        self.solutions = solutions

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        vectors = product(self.scores, repeat=self.solutions)
        return iter(sorted(sorted(vectors, key=sum), key=max))  # by both, without a tuple for each

    def __len__(self) -> int:
        refuse_beyond_len(self)
        return int(len(self.scores) ** self.solutions)

    def has_more_than(self, limit: int) -> bool:
        """True where it has more vectors than that, found without counting further."""
        return power_up_to(len(self.scores), self.solutions, limit) > limit

    @property
    def in_words(self) -> str:
        """The words that follow "PROVED for"."""
        return f"{scores_in_words(self.scores)}, {candidates_in_words(self.solutions)}"

    def __repr__(self) -> str:
        return f"ScoreSpace({self._given!r}, solutions={self.solutions})"


class ScoreGaps:
    """All vectors of `solutions` whole scores of which the best is 0 and none is below −`largest`, in all orders.

    Under `gaps_linf` they stand for all score vectors with such gaps, at any height: for mechanisms in which only
    differences of scores matter. Vectors come by rising largest gap, then by the sum of the gaps. Without `largest`
    they have no end, and `check_privacy` decides on all of them.
    """

    def __init__(self, largest: int | None = None, *, solutions: int) -> None:
        whole(solutions, "solutions", 2)
        if largest is not None:
            whole(largest, "largest", 1)
        refuse_longer(solutions, "solutions")
        self.largest, self.solutions = largest, solutions

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        largest = self._end
        below, all_gaps = range(-largest, 0), range(-largest, 1)
        with_best_0 = (  # by the place of the first 0
            (*before, 0, *after)
            for place in range(self.solutions)
            for before in product(below, repeat=place)
            for after in product(all_gaps, repeat=self.solutions - place - 1)
        )
        return iter(sorted(with_best_0, key=lambda scores: (-min(scores), -sum(scores), scores)))

    def __len__(self) -> int:
        refuse_beyond_len(self)
        return int((self._end + 1) ** self.solutions - self._end**self.solutions)

    def has_more_than(self, limit: int) -> bool:
        """True where it has more vectors than that, found without counting further."""
        at_most, below = 1, 1  # vectors without a positive score, and those of them without a 0
        for _ in range(self.solutions):
            at_most, below = at_most * (self._end + 1), below * self._end
            if at_most - below > limit:  # it grows with every further solution
                return True
        return False

    @property
    def _end(self) -> int:
        if self.largest is None:
            raise InputError(bad_input.NO_END, shown(self), "ScoreGaps(largest, solutions=…)")
        return self.largest

    @property
    def in_words(self) -> str:
        """The words that follow "PROVED for"."""
        gaps = "all gaps" if self.largest is None else f"gaps of at most {self.largest:,}"
        return f"{gaps} between scores, {candidates_in_words(self.solutions)}"

    def __repr__(self) -> str:
        largest = "" if self.largest is None else f"{self.largest}, "
        return f"ScoreGaps({largest}solutions={self.solutions})"


class BoundedGrowth:
    """All vectors of qualities that `rows` rows can give `solutions` solutions, each row raising at most `growth` by 1.

    These are the whole vectors with scores from 0 to `rows` whose sum is at most growth·rows, so that under
    `bounded_growth` they stand for all databases of that size and all qualities of that growth. Vectors come by rising
    largest score, then by sum. With rows=OrMore(m) they are those of every number of rows from m on, have no end, and
    `check_privacy` decides on all of them; with solutions=OrMore(n) they are those of every number of solutions from n
    on, which only a theorem settles. Source: Beimel, Nissim & Stemmer, journal version, Definition 4.2.
    """

    def __init__(self, *, rows: int | OrMore, solutions: int | OrMore, growth: int) -> None:
        fewest, few = (n.least if isinstance(n, OrMore) else n for n in (rows, solutions))
        for name, value, least in (("rows", fewest, 1), ("solutions", few, 1), ("growth", growth, 1)):
            whole(value, name, least)
        refuse_longer(few, "solutions")
        self.given_rows, self.given_solutions, self.growth = rows, solutions, growth
        self.fewest_rows, self.fewest_solutions = fewest, few

    @property
    def has_no_end(self) -> bool:
        """True where it holds vectors of every number of rows, or of solutions, from one on."""
        return isinstance(self.given_rows, OrMore) or isinstance(self.given_solutions, OrMore)

    @property
    def rows(self) -> int:
        """The number of rows. Raises `InputError` where it is not one."""
        if isinstance(self.given_rows, OrMore):
            raise InputError(bad_input.NO_END, shown(self), "BoundedGrowth(rows=n, …)")
        return self.given_rows

    @property
    def solutions(self) -> int:
        """The number of solutions. Raises `InputError` where it is not one."""
        if isinstance(self.given_solutions, OrMore):
            raise InputError(bad_input.NO_END, shown(self), "solutions=n")
        return self.given_solutions

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return iter(sorted(self._vectors(), key=lambda s: (max(s), sum(s), s)))

    def _vectors(self) -> Iterator[tuple[int, ...]]:
        scores, left = [0] * self.solutions, self.growth * self.rows
        while True:
            yield tuple(scores)
            place = self.solutions - 1
            while place >= 0 and (left == 0 or scores[place] == self.rows):
                left += scores[place]
                scores[place] = 0
                place -= 1
            if place < 0:
                return
            scores[place] += 1
            left -= 1

    def has_more_than(self, limit: int) -> bool:
        """True where it has more vectors than that, found without counting further."""
        most = min(self.growth, self.solutions) * self.rows  # the largest sum
        zeros_and_ones = 0
        for ones in range(min(self.solutions, most) + 1):
            zeros_and_ones += choices_up_to(self.solutions, ones, limit)
            if zeros_and_ones > limit:
                return True
        # Now solutions or the largest sum are small. Of all vectors with that sum at most, one more place taking what
        # is left of it, those are taken out and in again in which some scores are beyond `rows`.
        if self.rows >= limit:
            return True
        beyond = range(min(self.growth, self.solutions) + 1)
        count: int = sum(
            (1 - 2 * (j % 2))
            * comb(self.solutions, j)
            * comb(most - j * (self.rows + 1) + self.solutions, self.solutions)
            for j in beyond
            if most >= j * (self.rows + 1)
        )
        return count > limit

    def admits(self, scores: tuple[int, ...]) -> bool:
        """True where `rows` rows can give these scores."""
        return min(scores) >= 0 and max(scores) <= self.rows and sum(scores) <= self.growth * self.rows

    def one_row_less(self) -> BoundedGrowth | None:
        """The vectors of one row less; None where that is none."""
        if self.rows == 1:
            return None
        return BoundedGrowth(rows=self.rows - 1, solutions=self.solutions, growth=self.growth)

    @property
    def in_words(self) -> str:
        """The words that follow "PROVED for"."""
        rows = self.given_rows
        of_rows = every_size_in_words(rows.least, 1) if isinstance(rows, OrMore) else f"n = {rows:,}"
        return f"{of_rows}, growth {self.growth}, {candidates_in_words(self.given_solutions)}"

    def __repr__(self) -> str:
        return f"BoundedGrowth(rows={self.given_rows}, solutions={self.given_solutions}, growth={self.growth})"
