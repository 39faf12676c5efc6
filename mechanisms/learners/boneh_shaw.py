"""The fingerprinting code of Boneh & Shaw, whom it accuses, and the exact probabilities of that.

Users are 1, …, n; a column of type t has 1 for the first t of them. A codebook is a random permutation of the same
number of columns of each type, so that of a word only the weights on the types matter: how many of the columns of
type t it has 1 in. What this module calls a left and a right weight are those on the types s − 1 and s: whoever does
not hold the word of user s cannot tell these columns apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise, product, repeat
from math import ceil, comb, floor
from operator import mul
from typing import TYPE_CHECKING

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.enclosure import bounds
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, rational_parameter, whole
from dpverify.mechanisms.outputs.distributions import Distribution

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dpverify.mechanisms.learners.pirates import Bits

    Types = NDArray[np.int64]


@dataclass(frozen=True)
class BonehShaw:
    """The code for so many `users`, with so many `copies` of each type of columns, and ξ = `security` in its tests.

    The types are 1, …, n − 1; with `ends` 0 and n, too, columns of 0s and of 1s. User s is accused where the left
    weight is less than w/2 − sqrt((w/2)·ln(2n/ξ)), w the sum of both; without `ends` user 1 is where w_1 > 0, and user
    n where w_(n−1) < d. `slack` multiplies the root; 1 is as printed. Source: Bun, Nissim & Stemmer, Section 4;
    Boneh & Shaw (1998), Algorithm 1. Raises `InputError` for less than one user, a code without columns, or a
    parameter out of range.
    """

    users: int
    copies: int
    security: Fraction
    ends: bool = False
    slack: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        whole(self.copies, "copies", 1)
        open_unit(self.security, "security")
        positive(self.slack, "slack")
        if whole(self.users, "users", 1) == 1 and not self.ends:
            raise InputError(bad_input.NEEDS, "the code of one user", "a column", "give users=2, or ends=True")

    @property
    def types(self) -> range:
        """The types of its columns, each of which occurs `copies` times."""
        return range(self.users + 1) if self.ends else range(1, self.users)

    @property
    def length(self) -> int:
        """The number of columns."""
        return self.copies * len(self.types)

    def column(self, kind: int) -> tuple[int, ...]:
        """The bits of the users 1, …, n in a column of that type."""
        return tuple(int(user <= kind) for user in range(1, self.users + 1))

    @cached_property
    def _most_left(self) -> tuple[int, ...]:
        """By the right weight b: the largest left weight with which the user between is accused, −1 where none is.

        That is a < b with (b − a)² > 2·(a + b)·slack²·ln(2n/ξ), where both sides may be rounded down.
        """
        factor: Exact = 2 * exact(self.slack) ** 2 * log(exact(2 * self.users) / exact(self.security))
        low, high = bounds(factor)
        near = [
            (w * low.numerator // low.denominator, w * high.numerator // high.denominator)
            for w in range(2 * self.copies + 1)
        ]
        bound = [least if least == most else floor(w * factor) for w, (least, most) in enumerate(near)]
        found, a = [], -1
        for b in range(self.copies + 1):
            while a + 1 < b and (b - a - 1) ** 2 > bound[a + 1 + b]:
                a += 1
            found.append(a)
        return tuple(found)

    def suspects(self, user: int, left: int, right: int) -> bool:
        """True where the user is accused for these weights on the types user − 1 and user."""
        return left <= self.most_left(user, right)

    def most_left(self, user: int, right: int) -> int:
        """The largest left weight for which the user is accused, −1 where there is none."""
        if not self.ends and user == 1:
            return self.copies if right else -1
        if not self.ends and user == self.users:
            return self.copies - 1
        return self._most_left[right]

    def accused(self, weights: Mapping[int, int]) -> tuple[int, ...]:
        """All users who are accused for these weights, in rising order."""
        of = {0: 0, self.users: self.copies, **weights}
        return tuple(s for s in range(1, self.users + 1) if self.suspects(s, of[s - 1], of[s]))

    def accuse(self, weights: Mapping[int, int]) -> int | None:
        """Acc: the first user who is accused, or None. The paper leaves open which; it makes no difference to it."""
        return next(iter(self.accused(weights)), None)

    def codebook(self, source: np.random.Generator) -> tuple[Types, Bits]:
        """Gen: the secret types of the columns in their order, and the matrix with a row for each user."""
        import numpy as np

        types = source.permutation(np.repeat(np.array(self.types, dtype=np.int64), self.copies))
        users = np.arange(1, self.users + 1)[:, None]
        return types, (users <= types[None, :]).astype(np.uint8)

    def weights(self, types: Types, word: Bits) -> dict[int, int]:
        """The number of columns of each type in which a word has 1."""
        import numpy as np

        counts = np.bincount(types[np.asarray(word, dtype=bool)], minlength=self.users + 1)
        return {t: int(counts[t]) for t in self.types}

    def groups(self, coalition: Sequence[int]) -> tuple[range, ...]:
        """The types by what a coalition sees of them: those in one range it cannot tell apart."""
        starts = [self.types[0], *(u for u in sorted(coalition) if u in self.types[1:])]
        return tuple(range(a, b) for a, b in pairwise([*starts, self.types[-1] + 1]))

    def marked(self, coalition: Sequence[int], group: range) -> int | None:
        """The bit that all of the coalition have in the columns of a group; None where they differ."""
        seen = {self.column(group[0])[u - 1] for u in coalition}
        return seen.pop() if len(seen) == 1 else None

    def feasible_ones(self, coalition: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The number of 1s that a word of the coalition may have in each of its groups, by the marking assumption."""
        yield from self._all_ones(coalition, by_marking=True)

    def all_ones(self, coalition: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The number of 1s that any word may have in each of the groups of a coalition."""
        yield from self._all_ones(coalition, by_marking=False)

    def _all_ones(self, coalition: Sequence[int], *, by_marking: bool) -> Iterator[tuple[int, ...]]:
        def choices(group: range) -> Sequence[int]:
            most = len(group) * self.copies
            bit = self.marked(coalition, group) if by_marking else None
            return range(most + 1) if bit is None else (bit * most,)

        yield from product(*map(choices, self.groups(coalition)))


@sized(BonehShaw, name="copies as printed")
def copies_as_printed(users: int, security: ExactLike) -> int:
    """The number d = ⌈2n²·ln(2n/ξ)⌉ of columns of each type with which Boneh & Shaw prove their code ξ-secure.

    Source: Bun, Nissim & Stemmer, Lemma 4.5 and before; Boneh & Shaw (1998), Section IV. Raises `InputError` unless
    n ≥ 1 and 0 < ξ < 1.
    """
    n = whole(users, "users", 1)
    return ceil(2 * n * n * log(2 * n / open_unit(security, "security")))


@sized(BonehShaw, name="copies")
def copies_needed(users: int, security: ExactLike, *, ends: bool) -> int:
    """A d with which somebody is accused of any feasible word: the least whole d > s·(s + 1)·ln(2n/ξ).

    Whole weights may allow a few less. Where nobody is, and w_t are the weights, (w_t − w_(t−1))² is at most
    2·(w_t + w_(t−1))·ln(2n/ξ), so that w_t ≤ t·(t + 1)·ln(2n/ξ) when w_0 = 0, by induction: the differences of
    t·(t + 1)/2 are t, and the sums t². With columns of the types 0 and n (`ends`) s is n; without them w_1 = 0 to begin
    with and s is n − 2. Raises as `copies_as_printed`.
    """
    n = whole(users, "users", 1)
    steps = n if ends else max(0, n - 2)
    return floor(steps * (steps + 1) * log(2 * n / open_unit(security, "security"))) + 1


def accusation_of_pirates(code: BonehShaw, coalition: Sequence[int], ones: Sequence[int]) -> Distribution[int | None]:
    """Distribution of whom Acc accuses of a word with so many 1s in each of the coalition's groups, exactly.

    The permutation is secret: the 1s of a group are in random columns of it, whatever the coalition does. So the law
    for any adversary is a mixture of these. Raises `InputError` for an empty coalition, or ones that do not fit.
    """
    groups = code.groups(_checked_coalition(code, coalition))
    if len(ones) != len(groups) or any(not 0 <= w <= len(g) * code.copies for w, g in zip(ones, groups, strict=False)):
        raise InputError(
            bad_input.WRONG,
            f"ones={tuple(ones)}",
            f"a number of 1s for each of the groups {groups} of {code.copies} copies",
            "give one for each group",
        )
    last_of = {g[-1] for g in groups}
    first_of = {g[0]: w for g, w in zip(groups, ones, strict=True)}
    # (who is accused, left weight, 1s left over for the group) → in how many ways
    states: dict[tuple[int | None, int, int], int] = {(None, 0, 0): 1}
    for user in range(0 if code.ends else 1, code.users + 1):
        following: dict[tuple[int | None, int, int], int] = defaultdict(int)
        for (accused, left, rest), ways in states.items():
            over = first_of.get(user, rest)
            for right in _weights_of_type(code, user, over, is_last=user in last_of):
                found = user if accused is None and user and code.suspects(user, left, right) else accused
                split = comb(code.copies, right) if user in code.types else 1
                following[found, right, over - right if user in code.types else 0] += ways * split
        states = following
    law: dict[int | None, int] = defaultdict(int)
    for (accused, _, _), ways in states.items():
        law[accused] += ways
    return Distribution(law)


def _weights_of_type(code: BonehShaw, kind: int, over: int, *, is_last: bool) -> Sequence[int]:
    """The weights that a type may have, where so many 1s are left for it and the others of its group."""
    if kind not in code.types:
        return (code.copies,)  # that of type n, where there are no such columns
    return (over,) * (over <= code.copies) if is_last else range(min(over, code.copies) + 1)


def _checked_coalition(code: BonehShaw, coalition: Sequence[int]) -> Sequence[int]:
    if not coalition or not set(coalition) <= set(range(1, code.users + 1)):
        raise InputError(bad_input.RANGE, f"coalition={tuple(coalition)}", f"among the users 1 to {code.users}")
    return coalition


def suspicion_of_innocent(code: BonehShaw, ones: int) -> Distribution[bool]:
    """True where a user whose word nobody held is accused by the test of two weights, which add up to `ones`.

    The left weight is then hypergeometric: so many of 2d columns are drawn, of which d are of the left type. Raises
    `InputError` unless 0 ≤ ones ≤ 2d.
    """
    d = code.copies
    if not 0 <= ones <= 2 * d:
        raise InputError(bad_input.RANGE, f"ones={ones}", f"from 0 to {2 * d}, the columns of two types")
    lefts = range(max(0, ones - d), min(d, ones) + 1)
    yes = sum(comb(d, a) * comb(d, ones - a) for a in lefts if a <= code._most_left[ones - a])
    return Distribution({True: yes, False: comb(2 * d, ones) - yes})


def word_that_accuses_nobody(code: BonehShaw) -> tuple[int, ...] | None:
    """Weights on the types with which nobody is accused, or None where there are none: then completeness is certain.

    The larger a left weight, the larger may the right one be: so the largest of each type in turn decides.
    """
    left, found = 0, []
    for user in range(1, code.users + 1):
        right = max((b for b in _right_weights(code, user) if not code.suspects(user, left, b)), default=None)
        if right is None:
            return None
        found.append(right)
        left = right
    return (0, *found) if code.ends else tuple(found[:-1])


def _right_weights(code: BonehShaw, user: int) -> Sequence[int]:
    return range(code.copies + 1) if user < code.users else (code.copies,)


def accusation_of_columns(code: BonehShaw, ones: Mapping[int, ExactLike]) -> Distribution[int | None]:
    """Distribution of whom Acc accuses of a word that is 1 with probability `ones[t]` in each column of type t.

    That is a word of a learner that treats each column alone. Its weights are binomial; the sums over the left weights
    are sums of the first of them, so that it takes d steps for each type. Raises `InputError` where a probability is
    not a rational number from 0 to 1.
    """
    d = code.copies
    laws = {t: _binomial(d, ones[t]) for t in code.types}
    certain = tuple(int(b == d) for b in range(d + 1))
    left = laws[0] if code.ends else (1, *(0 for _ in range(d)))
    law: dict[int | None, int] = {}  # whole numbers over the sums of all laws so far
    for user in range(1, code.users + 1):
        sums = (0, *accumulate(left))
        right = laws.get(user, certain)
        caught = [sums[code.most_left(user, b) + 1] for b in range(d + 1)]
        scale = sum(right)
        law = {who: ways * scale for who, ways in law.items()}
        law[user] = sum(map(mul, right, caught))
        left = tuple(p * (sums[-1] - c) for p, c in zip(right, caught, strict=True))
    return Distribution({**law, None: sum(left)})


def _binomial(number: int, share: ExactLike) -> tuple[int, ...]:
    """The probabilities of 0, …, number successes, times a whole number."""
    p = rational_parameter(share, "the probability of a 1")
    if not 0 <= p <= 1:
        raise InputError(bad_input.RANGE, f"the probability {p} of a 1", "from 0 to 1")
    yes, no = p.numerator, p.denominator - p.numerator
    powers = list(accumulate(repeat(yes, number), mul, initial=1)), list(accumulate(repeat(no, number), mul, initial=1))
    ways = accumulate(range(number), lambda c, i: c * (number - i) // (i + 1), initial=1)
    return tuple(map(mul, map(mul, ways, powers[0]), reversed(powers[1])))
