"""The (ε, δ) at which the choosing mechanism fails on as many rows as the journal asks for: see Theorem 13.

That a pair of numbers is in a set is decided by exact numbers. What is drawn of a set is found by floats.

Needed by the claim BNS-J-4.4.privacy.printed-every-delta.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from math import exp as float_exp
from math import log as float_log
from typing import Final, TypeAlias

from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, exact
from dpverify.mechanisms.selection.choosing import rows_needed_journal
from dpverify.reports.privacy_record import DeltaColumn, EpsilonDeltaRegion
from dpverify.verifiers.divergence.every_epsilon.epsilon_delta_sets import (
    DRAWN,
    EpsilonDeltaSet,
    chance_of_release,
    drawn_intervals,
)

_SCALE: Final = 16
"""A set is drawn at 1 − e^(−ε/16): where ε is small it is empty."""


@dataclass(frozen=True, repr=False)
class FewRowsSet:
    """The (ε, δ), 0 < δ < 1, for which m rows, (16/(αε))·ln(16/(αβεδ)) of them or one, are too few at growth 1.

    By (b) of the theorem these are they with δ < p(1); `in` decides it.
    """

    alpha: Fraction
    beta: Fraction

    def __contains__(self, at: tuple[ExactLike, ExactLike]) -> bool:
        epsilon, delta = exact(at[0], "epsilon"), exact(at[1], "delta")
        if not (epsilon > 0 and 0 < delta < 1):
            return False
        rows = rows_needed_journal(growth=1, alpha=self.alpha, beta=self.beta, epsilon=epsilon, delta=delta)
        return bool(chance_of_release(exp(epsilon * (1 - self.alpha * rows / 2) / 4) / 2) > delta)

    @property
    def formulas(self) -> tuple[str, ...]:
        """This holds of what is in the set, and of nothing else."""
        factor = self.alpha * self.beta
        return (
            f"δ < R(u), with u = 1/2·e^(ε/4 - {self.alpha / 8}·ε·m), R(u) = u up to u = 1/2 and 1 - 1/(4u) from there "
            f"on, and the least whole m ≥ 1 with m ≥ {16 / self.alpha}/ε·ln({16 / factor}/(ε·δ))",
        )

    def __str__(self) -> str:
        return "; or, ".join(self.formulas)

    __repr__ = __str__

    @property
    def record(self) -> EpsilonDeltaRegion:
        """The same, for a record, with what is drawn of it."""
        epsilons = [_SCALE * epsilon for epsilon in DRAWN]
        columns = [
            DeltaColumn(f"{epsilon:.6g}", drawn_intervals(lambda delta, at=epsilon: self._is_in(at, delta)))  # type: ignore[misc]
            for epsilon in epsilons
        ]
        return EpsilonDeltaRegion(list(self.formulas), columns, _SCALE)

    def _is_in(self, epsilon: float, delta: float) -> bool:
        """The same by floats."""
        alpha, beta = float(self.alpha), float(self.beta)
        rows = max(1, ceil(16 / (alpha * epsilon) * float_log(16 / (alpha * beta * epsilon * delta))))
        exponent = epsilon / 4 * (1 - alpha * rows / 2) - float_log(2)
        needed = float_exp(exponent) if exponent <= -float_log(2) else 1 - float_exp(-exponent) / 4
        return needed > delta


FailingSet: TypeAlias = EpsilonDeltaSet | FewRowsSet
"""The set of (ε, δ) on which a claim for every δ fails."""
