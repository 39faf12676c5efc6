"""The whole numbers where one law of discrete noise exceeds another, found by signs at whole numbers alone.

Of two scales ln p/q is a quadratic, of which the whole numbers next to its vertex are the extreme ones: from there on
it rises, or falls, on both sides. So what is found does not rest on roots, which need not be computed.

Needed by docs/gaussian.md: the noise that two servers add.
"""

from collections.abc import Callable
from math import floor
from typing import Final

from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact, ordering, product, total
from dpverify.mechanisms.numbers.roots.intervals import Intervals
from dpverify.mechanisms.outputs.released import Release

_FARTHEST: Final = 1 << 30
"""Number from which a change is looked for."""


def first_where(holds: Callable[[int], bool], near: int, step: int) -> int:
    """The first m, going in the direction of `step`, where something holds that holds from there on: ±1 further each.

    It is looked for at 1, 2, 4, … from `near`, and then between two of these. Raises `Undecided` where that is far out.
    """
    by = step if not holds(near) else -step
    wanted, reached, distance = by == step, near, 1
    while holds(near + by * distance) != wanted:
        reached, distance = near + by * distance, 2 * distance
        if distance > _FARTHEST:
            raise Undecided(not_known.TAILS_BY_TURNS, "two discrete noises")
    before, at = (reached, near + by * distance) if wanted else (near + by * distance, reached)
    while abs(at - before) > 1:  # it holds at one of them
        middle = (at + before) // 2
        if holds(middle):
            at = middle
        else:
            before = middle
    return at


def masses_at(p: Release, q: Release, m: int) -> tuple[Exact, Exact]:
    """The probabilities of a whole number, of the distributions where nothing else is known."""
    return p.law.mass(m - p.centre, m - p.centre + 1), q.law.mass(m - q.centre, m - q.centre + 1)


def exceeds_at(p: Release, q: Release, least: Exact, m: int) -> bool:
    """True where p > least·q at a whole number."""
    mine, others = masses_at(p, q, m)
    return ordering(mine, product((least, others))) > 0


def are_of_two_scales(p: Release, q: Release) -> bool:
    """True where both are discrete Gaussian noise, of different scales."""
    rates = p.law.gaussian_rate, q.law.gaussian_rate
    return rates[0] is not None and rates[1] is not None and p.law != q.law


def is_wider(p: Release, q: Release) -> bool:
    """True where p has the larger scale of two."""
    return ordering(_rate(p), _rate(q)) < 0


def places_of_extreme(p: Release, q: Release) -> tuple[int, int]:
    """The two whole numbers next to where p/q is largest, or smallest where p is the wider one."""
    mine, others = _rate(p), _rate(q)
    vertex = total((product((mine, exact(p.centre))), -product((others, exact(q.centre))))) / (mine - others)
    return floor(vertex), floor(vertex) + 1


def positive_of_two_scales(p: Release, q: Release, least: Exact) -> Intervals:
    """The set where p > least·q: between two whole numbers, or outside of them where p is the wider one."""
    places = places_of_extreme(p, q)
    inside = not is_wider(p, q)
    among = [m for m in places if exceeds_at(p, q, least, m) is inside]
    if not among:
        # at the largest p/q of all, or at the smallest
        return () if inside else ((None, None),)

    def changed(m: int) -> bool:
        return exceeds_at(p, q, least, m) is not inside

    high = first_where(changed, max(among) + 1, 1)
    low = first_where(changed, min(among) - 1, -1)
    return ((low + 1, high),) if inside else ((None, low + 1), (high, None))


def _rate(release: Release) -> Exact:
    rate = release.law.gaussian_rate
    assert rate is not None, "it is discrete Gaussian noise"
    return rate
