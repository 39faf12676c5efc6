"""Proof that no private mechanism succeeds more often: multipliers, which anybody can add up.

Take shares y[g] ≥ 0 of the goals, of sum 1, and any p[D, D′, o] ≥ 0. For a private mechanism with distributions x,

    worst success ≤ Σ_g y[g]·Σ_o success(g, o)·x[D_g, o]
                  ≤ Σ_D Σ_o x[D, o]·(Σ_{g on D} y[g]·success(g, o) − Σ_D′ p[D, D′, o] + Σ_D′ e^(dε)·p[D′, D, o])
                    + Σ_(D, D′) δ_d·max_o p[D, D′, o],

since Σ_o p[D, D′, o]·(x[D, o] − e^(dε)·x[D′, o]) ≤ max_o p[D, D′, o]·δ_d; and an average over o is at most the largest.
Source: weak duality of linear programs.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from dpverify.mechanisms.numbers.exact_numbers import power
from dpverify.verifiers.optimal.question import PairAtDistance
from dpverify.verifiers.optimal.rings import RingNumber, added


@dataclass(frozen=True)
class Certificate:
    """Multipliers that show that no private mechanism has a larger success than `at_most`.

    Pairs are positions in `databases`, with their distance. An outcome's multipliers are those of what it `stands_for`.
    All multipliers, those of goals too, are over `scale` > 0.
    """

    databases: Sequence[Hashable]
    pairs: Sequence[PairAtDistance]
    outcomes: Sequence[Hashable]
    stands_for: Sequence[int]
    goals: Sequence[int]
    success: Sequence[Sequence[Fraction]]
    weights: Sequence[Fraction] | None
    growth: RingNumber
    """An e^ε that is at least the claim's, and a δ."""
    delta: Fraction
    at_most: RingNumber
    shares: Sequence[RingNumber]
    """y, by goal: the weights themselves where there are weights."""
    multipliers: Mapping[tuple[int, int, int], RingNumber]
    """p, by both databases and what the outcome stands for; 0 where there is none."""
    scale: RingNumber

    def bound(self) -> RingNumber:
        """The bound that the multipliers show, times the scale."""
        earned: list[list[RingNumber]] = [[Fraction(0)] * len(self.outcomes) for _ in self.databases]
        for i, y, shares in zip(self.goals, self.shares, self.success, strict=True):
            earned[i] = [sum_so_far + y * share for sum_so_far, share in zip(earned[i], shares, strict=True)]
        budgets: list[RingNumber] = []
        for left, right, steps in self.pairs:
            paid = {
                o: self.multipliers[left, right, o]
                for o in set(self.stands_for)
                if (left, right, o) in self.multipliers
            }
            for o, stand in enumerate(self.stands_for):
                if stand in paid:
                    earned[left][o] = earned[left][o] - paid[stand]
                    earned[right][o] = earned[right][o] + paid[stand] * self._growth(steps)
            if paid and self.delta and steps:
                budgets.append(reduce(max, paid.values()) * self.delta * added(self._growth(i) for i in range(steps)))
        return added([*(reduce(max, row) for row in earned), *budgets])

    def checks(self) -> bool:
        """True where the multipliers are multipliers, and show the bound: computed anew, exactly."""
        if any(y < 0 for y in self.shares) or any(p < 0 for p in self.multipliers.values()) or not self.scale > 0:
            return False
        if self.weights is None:
            has_shares = added(self.shares) == self.scale
        else:
            has_shares = all(y == w * self.scale for y, w in zip(self.shares, self.weights, strict=True))
        return has_shares and self.bound() == self.at_most * self.scale

    def _growth(self, steps: int) -> RingNumber:
        return self.growth**steps if isinstance(self.growth, Fraction) else power(self.growth, steps)
