"""Sets of (ε, δ): where an A_dist violates a claim that is made for every δ. See Theorem 9 of docs/theorems.md.

That a pair of numbers is in a set is decided by exact numbers. What is drawn of a set is found by floats.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import exp as float_exp
from math import inf
from math import log as float_log
from typing import Final, NamedTuple

from dpverify.mechanisms.numbers.decision import near_integer
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.enclosure import decimal
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, ExactLike, exact
from dpverify.reports.privacy_record import DeltaColumn, EpsilonDeltaRegion

_HALF: Final = Fraction(1, 2)


@dataclass(frozen=True)
class StableChoices:
    """An A_dist: a best solution of gap g is released with probability R(u), u = factor·δ·e^(ε·(g − shift)/scale)."""

    factor: Fraction
    scale: Fraction
    shift: Fraction

    def argument(self, gap: int, epsilon: Exact, delta: Exact) -> Exact:
        """u."""
        return self.factor * delta * exp(epsilon * ((gap - self.shift) / self.scale))


def chance_of_release(u: Exact) -> Exact:
    """R(u): the probability that Laplace noise exceeds a threshold, where u is ½·e^(−threshold/scale)."""
    return u if u <= _HALF else ONE - 1 / (4 * u)


class GapsOfNeighbours(NamedTuple):
    """The gaps of two neighbours, of which the second has no smaller one."""

    left: int
    right: int
    same_best: bool


@dataclass(frozen=True, repr=False)
class EpsilonDeltaSet:
    """The (ε, δ), 0 < δ < 1, for which an A_dist at ε and δ is not (ε,δ)-private on whole scores; `in` decides it.

    `spread` is how much the gap of neighbours may differ. With an `epsilon` those with this ε alone are in the set.
    """

    choices: StableChoices
    spread: int
    epsilon: Exact | None = None

    def __contains__(self, at: tuple[ExactLike, ExactLike]) -> bool:
        epsilon, delta = exact(at[0], "epsilon"), exact(at[1], "delta")
        if not (epsilon > 0 and 0 < delta < 1) or (self.epsilon is not None and epsilon != self.epsilon):
            return False
        return self.violated_at(epsilon, delta) is not None

    def violated_at(self, epsilon: Exact, delta: Exact) -> GapsOfNeighbours | None:
        """Gaps of neighbours that violate the claim at one ε and δ; None where none do."""
        chances = self.choices.argument
        if chance_of_release(chances(self.spread, epsilon, delta)) > delta:
            return GapsOfNeighbours(0, self.spread, same_best=False)
        if self.spread <= self.choices.scale:
            return None
        growth = exp(epsilon)
        for gap in self._suspected(epsilon, delta):
            less, more = (chance_of_release(chances(g, epsilon, delta)) for g in (gap, gap + self.spread))
            if more - growth * less > delta or (1 - less) - growth * (1 - more) > delta:
                return GapsOfNeighbours(gap, gap + self.spread, same_best=True)
        return None

    def _suspected(self, epsilon: Exact, delta: Exact) -> Iterator[int]:
        """Gaps of which some need most δ, where the best stays: both excesses rise with the gap, and then fall."""
        scale, shift, ratio = self.choices.scale, self.choices.shift, self.spread / self.choices.scale
        start = log(2 * self.choices.factor * delta)
        seen: set[int] = set()
        for times in (-(ratio + 1) / 2, (1 - ratio) / 2):
            near = near_integer(shift + scale * (epsilon * times - start) / epsilon)
            for gap in range(near - 3, near + 4):
                if max(gap, 0) not in seen:
                    seen.add(max(gap, 0))
                    yield max(gap, 0)

    @property
    def growth(self) -> Fraction:
        """The k of m = factor·e^(k·ε): up to m·δ is what neighbours with another best solution release of it."""
        return (self.spread - self.choices.shift) / self.choices.scale

    @property
    def is_empty(self) -> bool:
        """True where nothing is in the set."""
        return self.spread <= self.choices.scale and self._never_of_another_best

    @property
    def _never_of_another_best(self) -> bool:
        """True where m ≤ 1."""
        if self.epsilon is not None:
            return bool(self.choices.factor * exp(self.epsilon * self.growth) <= 1)
        return self.choices.factor <= 1 and self.growth <= 0

    @property
    def formulas(self) -> tuple[str, ...]:
        """One of these holds of what is in the set, and of nothing else."""
        c, scale, shift = self.choices.factor, self.choices.scale, self.choices.shift
        another = f"δ < 1/2·(1 + √(1 - 1/m)) with m = {_product(c, self.growth)} > 1"
        first = () if self._never_of_another_best else (another,)
        if self.spread <= scale:
            return first
        gap = "g" if shift == 0 else f"(g - {shift})" if shift > 0 else f"(g + {-shift})"
        rate = f"ε·{gap}" if scale == 1 else f"ε·{gap}/{scale}" if scale.denominator == 1 else f"ε·{gap}/({scale})"
        return (
            *first,
            "for a whole g ≥ 0, R(v) - e^ε·R(u) > δ or 1 - R(u) - e^ε·(1 - R(v)) > δ, with "
            f"u = {_times(c)}δ·e^({rate}), v = u·{_power(self.spread / scale)}, "
            "and R(x) = x up to x = 1/2 and 1 - 1/(4x) from there on",
        )

    def __str__(self) -> str:
        return "; or, ".join(self.formulas)

    __repr__ = __str__

    @property
    def record(self) -> EpsilonDeltaRegion:
        """The same, for a record, with what is drawn of it."""
        epsilons = DRAWN if self.epsilon is None else [float(decimal(self.epsilon))]
        columns = [DeltaColumn(f"{epsilon:.6g}", drawn_intervals(self._needs(epsilon))) for epsilon in epsilons]
        return EpsilonDeltaRegion(list(self.formulas), columns)

    def _needs(self, epsilon: float) -> Callable[[float], bool]:
        """A test whether δ is in the set at one ε, by floats."""
        scale, shift, d = float(self.choices.scale), float(self.choices.shift), self.spread
        factor = float_log(self.choices.factor)
        is_plain = factor + epsilon * float(self.growth) <= _TIE

        def missing(gap: float, delta: float) -> float:
            """1 − R(u)."""
            u = factor + float_log(delta) + epsilon * (gap - shift) / scale
            return 1 - float_exp(u) if u < -float_log(2) else float_exp(-u) / 4

        def needed(gap: int, delta: float) -> float:
            less, more = missing(gap, delta), missing(gap + d, delta)
            growth = float_exp(epsilon) if epsilon < _FAR else inf
            down = less - growth * more if more else less
            return max((1 - more) - growth * (1 - less) if less < 1 else 1 - more, down)

        def is_in(delta: float) -> bool:
            if not is_plain and 1 - missing(d, delta) > delta:
                return True
            if d <= scale:
                return False
            start = -float_log(2) - factor - float_log(delta)
            at = [shift + scale * (start + epsilon * t) / epsilon for t in (-(d / scale + 1) / 2, (1 - d / scale) / 2)]
            return any(needed(max(0, int(gap) + i), delta) > delta for gap in at for i in (-1, 0, 1))

        return is_in


_TIE: Final = 1e-12
"""A ln m up to which m counts as no more than 1."""

_FAR: Final = 700.0
"""An ε whose e^ε is about as large as a float is."""

_COLUMNS: Final = 64
DRAWN: Final = [-float_log(1 - (i + 0.5) / _COLUMNS) for i in range(_COLUMNS)]
"""Those ε at which a set of all ε is drawn: evenly spread in 1 − e^(−ε)."""

_ROWS: Final = 200
"""Numbers δ between 0 and 1 that are looked at for a picture."""


def drawn_intervals(is_in: Callable[[float], bool]) -> list[tuple[str, str]]:
    """Intervals of δ that are in a set, as far as a picture shows them."""
    places = [(i + 0.5) / _ROWS for i in range(_ROWS)]
    inside = [*map(is_in, places), False]
    result, low = [], 0.0 if inside[0] else None
    for i, place in enumerate(places):
        if low is None and inside[i]:
            low = _end(is_in, places[i - 1], place)
        if low is not None and not inside[i + 1]:
            high = 1.0 if i + 1 == _ROWS else _end(lambda delta: not is_in(delta), place, places[i + 1])
            result.append((f"{low:.5g}", f"{high:.5g}"))
            low = None
    return result


def _end(is_in: Callable[[float], bool], outside: float, inside: float) -> float:
    """A number near to where a set begins, between two numbers."""
    for _ in range(16):
        middle = (outside + inside) / 2
        outside, inside = (outside, middle) if is_in(middle) else (middle, inside)
    return inside


def _times(factor: Fraction) -> str:
    return "" if factor == 1 else f"{factor}·"


def _product(factor: Fraction, rate: Fraction) -> str:
    return str(factor) if rate == 0 else f"{_times(factor)}{_power(rate)}"


def _power(rate: Fraction) -> str:
    return "e^ε" if rate == 1 else "e^(-ε)" if rate == -1 else f"e^({rate}·ε)"
