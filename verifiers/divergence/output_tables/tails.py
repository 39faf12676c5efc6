"""Tails of released numbers that fall off at several rates, as finitely many parts of fixed shape.

From some x₀ on, every law of such a number is f(x) = Σ c_j·m_j(x) with the same terms m_j(x) = x^k·e^(λx), λ < 0, the
slowest first. With m̂_j = m_j/m_j(x₀) and the partial sums S_j = Σ_(i≤j) c_i·m_i(x₀), summation by parts gives

    f(x) = Σ_j S_j·(m̂_j(x) - m̂_(j+1)(x)),

where no factor of S_j is negative, and none depends on the law. So the tail is as if one of its parts j were chosen
with probability S_j·Σ_x(…), and then x from a law that j alone decides. Where P - e^ε·Q has one sign on all parts, it
has that sign at every x, and the parts may stand for the tail. Far enough out the slowest term wins, and that is so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import pairwise
from math import ceil
from typing import Any

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, negative, ordering, power, product, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import (
    DecayingPower,
    ExpPoly,
    antiderivative,
    composed,
    value,
)
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.mechanisms.outputs.templates import AtLeast, AtMost


@dataclass(frozen=True)
class PartOfTail:
    """Stands in an outcome for one part of a tail, numbered from the slowest on."""

    tail: AtLeast | AtMost
    number: int


def without_parts(outcome: Any) -> Any:
    """An outcome with whole tails in place of their parts; the same object where there are none."""
    if isinstance(outcome, PartOfTail):
        return outcome.tail
    if isinstance(outcome, tuple):
        parts = tuple(map(without_parts, outcome))
        return outcome if all(a is b for a, b in zip(parts, outcome, strict=True)) else parts
    return outcome


def numbers_of_parts(outcome: Any) -> tuple[int, ...]:
    """The numbers of the parts in an outcome, in order."""
    if isinstance(outcome, PartOfTail):
        return (outcome.number,)
    return tuple(number for part in outcome for number in numbers_of_parts(part)) if isinstance(outcome, tuple) else ()


def parts_of_tail(functions: Sequence[ExpPoly], start: int) -> list[list[Exact]] | None:
    """For each function of whole x ≥ start the probabilities of the parts; None where some would be negative.

    Further out none is. The functions are not negative, and fall off.
    """
    # moving x gives the lower powers of x, too
    terms = _in_order({(rate, j) for function in functions for rate, k in function for j in range(k + 1)})
    first = exact(_least_first(terms))
    moved = [composed(function, ONE, exact(start) - first) for function in functions]  # x = start becomes x = first
    at_first = [product((power(first, k), exp(product((rate, first))))) for rate, k in terms]
    masses = [product((_mass(term, first), 1 / at)) for term, at in zip(terms, at_first, strict=True)]
    widths = [total((mass, negative(after))) for mass, after in pairwise([*masses, ZERO])]
    parts = []
    for function in moved:
        sums: list[Exact] = []
        for term, at in zip(terms, at_first, strict=True):
            sums.append(total((sums[-1] if sums else ZERO, product((function.get(term, ZERO), at)))))
        if any(decision.sign(partial) < 0 for partial in sums):
            return None
        parts.append([simplified(product(pair)) for pair in zip(sums, widths, strict=True)])
    return parts


def _mass(term: DecayingPower, first: Exact) -> Exact:
    """Σ x^k·e^(λx) over whole x ≥ first."""
    return negative(value(antiderivative({term: ONE}, discrete=True), first))


def _in_order(terms: set[DecayingPower]) -> list[DecayingPower]:
    """The slowest first."""
    return sorted(terms, key=cmp_to_key(_slower))


def _slower(a: DecayingPower, b: DecayingPower) -> int:
    return ordering(b[0], a[0]) or b[1] - a[1]


def _least_first(terms: Sequence[DecayingPower]) -> int:
    """The x ≥ 1 from which on every term falls, relatively to the one before it."""
    least = 1
    for (slow, k), (fast, j) in pairwise(terms):
        if j > k:
            least = max(least, ceil((j - k) / (slow - fast)))
    return least
