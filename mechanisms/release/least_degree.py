"""The least degree of a polynomial that is 1 at k and small at 0, …, k − 1, exactly, with what proves it.

Source: Hardt, Rothblum & Servedio, Claim 5.4, which says that the degree O(√(k·log(1/ε))) is enough, and cites Buhrman,
Cleve, de Wolf & Zalka for it: the polynomial that is printed, (14), has a larger one. The least error of a degree is
found by Remez's exchange on the points 0, …, k − 1, in whole numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import cos, lcm, pi, prod

from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import positive, rational_parameter, whole


@dataclass(frozen=True)
class LeastDrop:
    """The polynomial s of some degree r with s(k) = 1 whose error, max |s(j)| over j = 0, …, k − 1, is least.

    s(x) = Σ parts[i]·∏ (x − b)/scale, each product over the nodes but nodes[i]. For r < k its r + 1 nodes are where |s|
    is the error, with signs that alternate, and `weights` tell why no polynomial of this degree has less. For r = k it
    is the binomial coefficient C(x, k), of error 0.
    """

    k: int
    nodes: tuple[int, ...]
    parts: tuple[int, ...]
    scale: int

    @property
    def degree(self) -> int:
        """r."""
        return len(self.nodes) - 1

    @cached_property
    def values(self) -> tuple[int, ...]:
        """s(0), …, s(k), times `scale`: whole numbers, of which the last is the scale."""
        return (*map(self._scaled, range(self.k)), self.scale)

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Whole numbers w with Σ w_i·p(nodes[i]) = (Σ w_i)·p(k) for every polynomial p of at most this degree.

        Where p(k) = 1, |p| is therefore at least |Σ w_i|/Σ |w_i| at one of the nodes.
        """
        common = lcm(*_slopes(self.nodes))
        return tuple(
            common // slope * _product(self.k, self.nodes, but=a)
            for a, slope in zip(self.nodes, _slopes(self.nodes), strict=True)
        )

    @property
    def error(self) -> Fraction:
        """The greatest |s(j)| over j = 0, …, k − 1."""
        return Fraction(max(map(abs, self.values[:-1])), self.scale)

    def __call__(self, j: int) -> Fraction:
        """s(j)."""
        return Fraction(self._scaled(j), self.scale)

    def _scaled(self, x: int) -> int:
        if x in self.nodes:
            return self.parts[self.nodes.index(x)] * _product(x, self.nodes, but=x)
        of_all = prod(x - b for b in self.nodes)
        return sum(part * (of_all // (x - a)) for part, a in zip(self.parts, self.nodes, strict=True))


def least_drop(k: int, degree: int) -> LeastDrop:
    """The polynomial of this degree, or of degree k if that is less, that has the least error.

    Raises `InputError` unless k ≥ 1 and degree ≥ 0.
    """
    if whole(degree, "degree", 0) >= whole(k, "k", 1):
        return LeastDrop(k, tuple(range(k + 1)), (*[0] * k, 1), prod(range(1, k + 1)))
    found = _alternating(k, _first_nodes(k, degree))
    while (nodes := _exchanged(found)) != found.nodes:
        better = _alternating(k, nodes)
        if _height(better) * found.scale <= _height(found) * better.scale:
            raise RuntimeError(f"an exchange at k={k} and degree {degree} did not raise the least error of its nodes")
        found = better
    return found


def least_dropping_polynomial(k: int, eps: ExactLike) -> LeastDrop:
    """The polynomial s of least degree with s(k) = 1, and |s(j)| ≤ ε for whole j from 0 to k − 1.

    As Claim 5.4 of Hardt, Rothblum & Servedio has it: at most (9/8)·√(k·log₂(1/ε)) for ε ≤ 1/3 and k ≤ 64. Raises
    `InputError` unless k ≥ 1 and ε > 0 is rational.
    """
    share = rational_parameter(positive(eps, "eps"), "eps")
    low, high = 0, whole(k, "k", 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if least_drop(k, middle).error <= share else (middle + 1, high)
    return least_drop(k, low)


def _first_nodes(k: int, degree: int) -> tuple[int, ...]:
    """degree + 1 of 0, …, k − 1, near the extrema of Chebyshev's polynomial. Any others would do, after more steps."""
    if not degree:
        return (0,)
    near = {round((k - 1) / 2 * (1 - cos(pi * i / degree))) for i in range(degree + 1)}
    others = [j for j in range(k) if j not in near]
    return tuple(sorted([*near, *others[: degree + 1 - len(near)]]))


def _alternating(k: int, nodes: tuple[int, ...]) -> LeastDrop:
    """The polynomial that is 1 at k, and ± one number at the nodes, by turns. All nodes are below k."""
    slopes = _slopes(nodes)
    common = lcm(*slopes)
    parts = tuple(common // abs(slope) for slope in slopes)  # the signs of the slopes alternate
    at_k = sum(part * _product(k, nodes, but=a) for a, part in zip(nodes, parts, strict=True))
    return LeastDrop(k, nodes, parts, at_k)


def _slopes(nodes: Sequence[int]) -> list[int]:
    """The value of ∏ (x − b) over the other nodes at each."""
    return [_product(a, nodes, but=a) for a in nodes]


def _product(x: int, nodes: Sequence[int], *, but: int) -> int:
    return prod(x - b for b in nodes if b != but)


def _height(found: LeastDrop) -> int:
    """The value of |s| at each node, times the scale."""
    return abs(found.parts[0] * _product(found.nodes[0], found.nodes, but=found.nodes[0]))


def _exchanged(found: LeastDrop) -> tuple[int, ...]:
    """As many nodes, where |s| is largest between its changes of sign; the same ones where it is largest at these."""
    values = found.values[:-1]
    if max(map(abs, values)) <= _height(found):
        return found.nodes
    largest: list[int] = []
    for j, value in enumerate(values):
        if not value:
            continue
        if not largest or (values[largest[-1]] > 0) != (value > 0):
            largest.append(j)
        elif abs(value) > abs(values[largest[-1]]):
            largest[-1] = j
    while len(largest) > len(found.nodes):
        largest.pop(0 if abs(values[largest[0]]) < abs(values[largest[-1]]) else -1)
    return tuple(largest)
