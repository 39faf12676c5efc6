"""The probability of facts about discrete noise, in a tree, as a ball: by sums over so many whole numbers as count.

Each noise is listed on −K, …, K, where K is so large that the probability τ of what lies beyond is next to nothing.
What hangs from a noise is a probability given its value, and so lies in [0, 1]. So a sum over what is listed of a child
is at most τ less than that over all of it, and that of the root as well.

Needed by docs/gaussian.md: the counts of a census, of several variances.
"""

from functools import lru_cache
from math import floor
from typing import Final, NamedTuple

from flint import arb, arb_poly, ctx

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Interval
from dpverify.mechanisms.numbers.roots.whole_forms import is_whole
from dpverify.mechanisms.path_conditions.certified_nodes import CertifiedNode, TiedBranch

_GUARD: Final = 32
"""Bits beyond those that are asked for."""

_MOST_LISTED: Final = 1 << 21


class _Listed(NamedTuple):
    """The probabilities of first, first + 1, …, and a bound of that of all other numbers together."""

    first: int
    masses: list[arb]
    beyond: arb


def mass_of_whole(root: CertifiedNode, bits: int) -> arb:
    """A ball around the probability of the facts of a tree of discrete noise."""
    with ctx.workprec(bits + _GUARD):
        listed = _below(root, bits)
        return sum(listed.masses, arb(0)) + arb(0).union(listed.beyond)


def _below(node: CertifiedNode, bits: int) -> _Listed:
    """The probabilities of the values of a noise and of all that hangs from it."""
    listed = _of_noises(node.noises.others, bits)
    masses = list(listed.masses)
    for i in range(len(masses)):
        if node.values != EVERYTHING and not any(_contains(interval, listed.first + i) for interval in node.values):
            masses[i] = arb(0)
    for branch in node.branches:
        chances = _of_children(branch, bits)
        masses = [mass if mass.is_zero() else mass * chances.at(listed.first + i) for i, mass in enumerate(masses)]
    return _Listed(listed.first, masses, listed.beyond)


@lru_cache(maxsize=64)
def _of_noises(noises: tuple[tuple[NoiseLaw, Exact], ...], bits: int) -> _Listed:
    """Of a sum of noises with their factors."""
    law, *others = noises
    listed = _of_law(*law, bits)
    for other in others:
        listed = _sum(listed, _of_law(*other, bits))
    return listed


class _Chances:
    """The parent's value k ↦ the probability that what hangs from it, less k, is one of some values."""

    def __init__(self, listed: _Listed, values: tuple[Interval, ...]) -> None:
        self._values = values
        self._first = listed.first
        self._below = [arb(0)]
        for mass in listed.masses:
            self._below.append(self._below[-1] + mass)
        self._off = arb(0).union(listed.beyond)

    def at(self, k: int) -> arb:
        """The term for k."""
        ball = arb(0)
        for low, high in self._values:
            assert high is None or is_whole(high)
            assert low is None or is_whole(low)
            above = self._below[-1] if high is None else self._up_to(high + k)
            ball += above if low is None else above - self._up_to(low + k)
        return ball + self._off  # the intervals are disjoint, so that they share what is not listed

    def _up_to(self, end: int) -> arb:
        return self._below[min(max(end - self._first, 0), len(self._below) - 1)]


def _of_children(branch: TiedBranch, bits: int) -> _Chances:
    first, *others = (_below(child, bits) for child in branch.children)
    for other in others:
        first = _sum(first, other)
    return _Chances(first, branch.values)


def _sum(left: _Listed, right: _Listed) -> _Listed:
    """Of the sum of two: it is not listed only where one of them is not, of which the chances add up."""
    masses = (arb_poly(left.masses) * arb_poly(right.masses)).coeffs()
    count = len(left.masses) + len(right.masses) - 1
    masses += [arb(0)] * (count - len(masses))  # zeros at the end are left out
    return _Listed(left.first + right.first, masses, left.beyond + right.beyond)


def _contains(interval: Interval, k: int) -> bool:
    low, high = interval
    return (low is None or low <= k) and (high is None or k < high)


@lru_cache(maxsize=256)
def _of_law(law: NoiseLaw, factor: Exact, bits: int) -> _Listed:
    """A noise, or its mirror image, or a whole multiple of it."""
    if factor < 0:
        listed = _of_law(law, -factor, bits)
        return _Listed(1 - listed.first - len(listed.masses), listed.masses[::-1], listed.beyond)
    if factor > 1:
        listed, by = _of_law(law, ONE, bits), floor(factor)
        if by * len(listed.masses) > _MOST_LISTED:
            raise _too_long(law)
        masses = [arb(0)] * (by * (len(listed.masses) - 1) + 1)
        masses[::by] = listed.masses
        return _Listed(by * listed.first, masses, listed.beyond)
    precision = bits + _GUARD
    with ctx.workprec(precision):
        least = arb(2) ** -(bits + 8)
        most = 1
        while True:
            beyond = enclosure(law.mass(None, -most), precision) + enclosure(law.mass(most + 1, None), precision)
            if beyond < least:
                break
            most = most + 1 if most < 8 else most * 5 // 4
            if most > _MOST_LISTED:
                raise _too_long(law)
        masses = [enclosure(law.mass(k, k + 1), precision) for k in range(-most, most + 1)]
        return _Listed(-most, masses, beyond.abs_upper())


def _too_long(law: NoiseLaw) -> InputError:
    return InputError(
        bad_mechanism.NOT_INTEGRATED,
        f"{law} is compared or released with other noise by a sum over more than {_MOST_LISTED:,} numbers",
    )
