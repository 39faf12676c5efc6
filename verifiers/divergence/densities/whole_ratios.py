"""The whole numbers where one law of discrete noise exceeds another, found by signs at whole numbers alone.

Needed by docs/gaussian.md: the noise that two servers add.
"""

from collections.abc import Callable
from typing import Final

from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact, ordering, product
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
