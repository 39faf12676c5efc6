"""Majorities of parities, and the boosting that makes them of parities that are right a little more often than not.

A query is a whole number below 2^d; χ_y(q) = (−1)^⟨y, q⟩, and the sign of a label is 1 for the label 1, else −1.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from operator import mul
from typing import TypeAlias

from dpverify.mechanisms.learners.parities import walsh_hadamard
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.integers.parameters import whole
from dpverify.mechanisms.sanitizers.concepts import Example

Vote: TypeAlias = tuple[int, int]
"""(y, v): the function v·χ_y, v a whole number."""

WeakLearner: TypeAlias = Callable[[Sequence[int], Sequence[int]], Vote | None]
"""From sign·L·M of each point, for the measure M, and the y voted for so far: the next vote, or None for no more."""


def character(y: int, q: int) -> int:
    """χ_y(q), 1 or −1."""
    return 1 - 2 * ((y & q).bit_count() % 2)


@dataclass(frozen=True)
class MajorityOfParities:
    """1 where Σ v·χ_y(q) ≥ 0 over the votes (y, v), else 0. The votes are sorted, each y once, and no v is 0."""

    votes: tuple[Vote, ...]

    def __call__(self, q: int) -> int:
        """The label of q."""
        return int(sum(v * character(y, q) for y, v in self.votes) >= 0)


@dataclass(frozen=True)
class Boosting:
    """The constants of a boosting to an error below γ, for an advantage a that some ±χ_y has under each measure.

    With means that are known to aγ/8: while the measure seems to be 3γ/4 or more it is γ/2 or more, the best parity has
    a·E[M] of it, which seems to be 3aγ/8 or more, and what seems to be as good has aγ/4. When it ends, E[M] < γ.
    """

    edge: Fraction
    gamma: Fraction

    @property
    def levels(self) -> int:
        """L = ⌈4/(aγ)⌉."""
        return ceil(4 / (self.edge * self.gamma))

    @property
    def rounds(self) -> int:
        """L(L+1), which there cannot be more of while each vote has E[M·f±·±χ_y] ≥ aγ/4."""
        return self.levels * (self.levels + 1)

    @property
    def end(self) -> Fraction:
        """3γ/4, the E[M] to end at."""
        return 3 * self.gamma / 4

    @property
    def enough(self) -> Fraction:
        """3aγ/8, the E[M·f±·±χ_y] to vote for."""
        return 3 * self.edge * self.gamma / 8


def boosting_for(edge: Fraction, gamma: Fraction) -> Boosting:
    """The constants for a = `edge` and γ = `gamma`. Raises `InputError` unless 0 < a ≤ 1."""
    if not 0 < edge <= 1:
        raise InputError(bad_input.RANGE, f"edge={edge}", "greater than 0 and at most 1")
    return Boosting(edge, gamma)


def boost(
    points: Sequence[Example], weights: Sequence[int], weak: WeakLearner, how: Boosting, most: int | None = None
) -> MajorityOfParities:
    """The majority of what the weak learner finds for one measure after another, of `most` rounds or `how.rounds`.

    Source: Impagliazzo's construction of hard cores, which Klivans & Servedio (Boosting and Hard-Core Set Construction)
    show to be a boosting, and put into Jackson's Harmonic Sieve in place of boosting by majority. `weights` are those
    of the distribution G of the points, up to a factor; a point of weight 0 is carried along for the weak learner.

    With N = sign·(sum of the votes so far) at a point, M is 1 for N ≤ 0, 1 − N/L up to L, and 0 from there on.
    (1) M is at most 1, and boosting ends once E_G[M] < κ, so that M·G/E_G[M] is a 1/κ-smooth distribution with respect
    to G: where G is 0 it is 0, and if G is μ-smooth it is μ/κ-smooth, which is what the sieve needs of a boosting.
    (2) Where the majority errs N ≤ 0 and M = 1, so that in the end it errs with less than κ.
    (3) It ends: at each point, a step of N from v to v + 1 and one back cancel in Σ M·sign·±χ up to 1/L, and steps up
    that are not taken back add at most 1 + (1 − 1/L) + … = (L+1)/2. So, for T rounds that have e ≥ 1/L each,
    eT ≤ T/(2L) + (L+1)/2, and T ≤ (L+1)/e.
    """
    signs = [2 * label - 1 for _, label in points]
    sums = [0] * len(points)
    votes: Counter[int] = Counter()
    levels, rounds = how.levels, how.rounds
    end = how.end * levels * sum(weights)
    for _ in range(rounds if most is None else min(most, rounds)):
        measure = [measure_at_margin(sign * total, levels) for sign, total in zip(signs, sums, strict=True)]
        if sum(map(mul, measure, weights)) < end:
            break
        found = weak(list(map(mul, signs, measure)), tuple(votes))
        if found is None:
            break
        y, vote = found
        votes[y] += vote
        sums = [total + vote * character(y, q) for total, (q, _) in zip(sums, points, strict=True)]
    return MajorityOfParities(tuple(sorted((y, v) for y, v in votes.items() if v)))


def best_of(
    candidates: Iterable[Callable[[], Sequence[int]]], values: Mapping[int, int], enough: Fraction, d: int
) -> Vote | None:
    """The best vote of the first group of parities that has one with at least `enough`; None where none has.

    A group is called for only where those before it will not do.
    """
    votes = (best_vote(values, group(), d) for group in candidates)
    return next((vote for vote, size in votes if vote is not None and size >= enough), None)


def measure_at_margin(margin: int, levels: int) -> int:
    """L·M at a point of this margin N: L up to 0, L − N up to L, and 0 from there on."""
    return min(levels, max(0, levels - margin))


def fourier_sums(values: Mapping[int, int], parities: Sequence[int], d: int) -> list[int]:
    """Σ_q values[q]·χ_y(q) for each y of `parities`, exactly, in whichever of two ways is shorter."""
    if d << d <= len(values) * len(parities):
        every = walsh_hadamard([values.get(q, 0) for q in range(1 << d)])
        return [every[y] for y in parities]
    return [sum(value * character(y, q) for q, value in values.items()) for y in parities]


def best_vote(values: Mapping[int, int], parities: Sequence[int], d: int) -> tuple[Vote | None, int]:
    """The first (y, ±1) of `parities` with the greatest ±Σ_q values[q]·χ_y(q), and that; None where all are 0."""
    sums = fourier_sums(values, parities, d)
    best = max(range(len(sums)), key=lambda i: abs(sums[i]), default=None)
    if best is None or not sums[best]:
        return None, 0
    return (parities[best], 1 if sums[best] > 0 else -1), abs(sums[best])


def sum_of_values(entries: Iterable[tuple[int, int]]) -> Mapping[int, int]:
    """q → the sum of its values, without those that are 0."""
    total: Counter[int] = Counter()
    for q, value in entries:
        total[q] += value
    return {q: value for q, value in total.items() if value}


def edge_of_parity_thresholds(n: int, least: int) -> Fraction:
    """1/(n + |n + 1 − 2c|), which some parity has as E[f±·±χ] under each distribution, for n parities and c = ⌈tn⌉.

    f^D_t = 1 where at least c of ⟨q, u⟩ mod 2 = (1 − χ_u(q))/2 are 1: where n + 1 − 2c − Σ_u χ_u(q) > 0, a sum that is
    at least 1 in size, as all of it is odd or even together with n; so one of its terms has that correlation. It is at
    least 1/(2n + 1), for any t.
    """
    return Fraction(1, whole(n, "n", 1) + abs(n + 1 - 2 * least))
