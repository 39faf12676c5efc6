"""Deciding (ε,δ)-privacy on all neighbours of an endless domain, region by region.

On a region both laws are functions of the same unknown whole numbers, and the claim is that f = Σ (p − e^ε·q) − δ, over
the outcomes of an event, is positive nowhere. Where a question of the mechanism, or the sign of f, is not the same on a
whole region, this is cut, and each part decided by itself. See docs/checker.md.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, NamedTuple, TypeAlias

from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.errors import Cut, Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, negative, product, total
from dpverify.mechanisms.numbers.positivity.positivity import (
    Abandoned,
    Nowhere,
    PositivePoint,
    Split,
    decide_nowhere_positive,
)
from dpverify.mechanisms.numbers.shown import cut as cut_text
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.templates import refuse_lookalikes
from dpverify.verifiers.all_sizes.regions.distributions import DistributionsOnRegions
from dpverify.verifiers.all_sizes.regions.regions import Region
from dpverify.verifiers.all_sizes.regions.released import DistributionOnRegion, differ_by_a_shift, ratios
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee
from dpverify.verifiers.processes.stopwatch import refuse_overtime

MOST_CASES: Final = 50_000
"""Regions that are decided one by one, before a verdict is given up."""

MANY_CASES: Final = 100
"""Regions that are met before small databases are looked at: a claim that fails may cut them on and on."""

MOST_SPLITS: Final = 16
"""Number of times that a region is split for the sign of one f."""

_MOST_SOMETIMES: Final = 10
"""Outcomes that may be in an event or not, of which all sets are tried."""


@dataclass(frozen=True)
class ProvedOnRegions:
    """No neighbours need more: `cases` regions, on which the laws on `charts` charts were compared."""

    cases: int
    charts: int
    agree: bool
    """True where all neighbours have one law."""


@dataclass(frozen=True)
class ViolatingPoint:
    """Whole numbers of neighbours that violate the claim."""

    left: tuple[int, ...]
    right: tuple[int, ...]


_Point: TypeAlias = Mapping[int, int]
"""Place → coordinate; others are 0."""

Found: TypeAlias = ProvedOnRegions | ViolatingPoint


def decided_on_regions(
    regions: Iterator[Region],
    laws: DistributionsOnRegions,
    claim: PrivacyGuarantee,
    violated_on_small: Callable[[], ViolatingPoint | None] = lambda: None,
) -> Found:
    """The finding that is found on all regions: one violation, which the laws of two databases are, or none.

    Where there are many regions `violated_on_small` is asked once whether small databases violate the claim.
    Raises `Undecided`, naming a region and the reason; where that is the sign of an event, if no other region violates.
    """
    growth = exp(claim.epsilon)
    seen, cases, agree, doubt = 0, 0, True, ""
    for start in regions:
        waiting = [(start, 0)]
        while waiting:
            refuse_overtime()
            seen += 1
            if seen == MANY_CASES:
                small = violated_on_small()
                if small is not None:
                    return small
            region, splits = waiting.pop()
            if cases + len(waiting) > MOST_CASES:
                raise Undecided(not_known.TOO_MANY_REGIONS, MOST_CASES, _shown(region), laws.domain.way_out)
            try:
                if not _is_empty(region):
                    result = _compared(region, laws, claim, growth)
                    if isinstance(result, ViolatingPoint):
                        return result
                    agree = agree and result
                cases += 1
            except _OfEvent as error:  # elsewhere it may be violated
                cases += 1
                doubt = doubt or not_known.ONE_REGION.text(error, _shown(region))
            except Cut as cut:
                waiting += ((side, splits) for side in region.sides(cut))
            except _Split as split:
                if splits == MOST_SPLITS:
                    raise Undecided(not_known.ONE_REGION, split.reason, _shown(region)) from None
                waiting += ((side, splits + 1) for side in region.sides(split.cut))
    if doubt:
        raise Undecided(doubt)
    return ProvedOnRegions(cases, laws.count, agree)


class _OfEvent(Undecided):
    """The sign of the excess of an event is not found on a region."""


class _Split(Exception):
    """The sign of an f that is not known on a region: it is to be asked for on the sides of a cut."""

    def __init__(self, cut: Cut, reason: str) -> None:
        super().__init__(reason)
        self.cut, self.reason = cut, reason


def _is_empty(region: Region) -> bool:
    """True where something that is needed is negative on all of a region. Raises `Cut` where it is on some of it."""
    return any(number < 0 for number in region.needed.numbers())


def _compared(
    region: Region, laws: DistributionsOnRegions, claim: PrivacyGuarantee, growth: Exact
) -> bool | ViolatingPoint:
    """True where both laws of a region are one, where the claim holds there in both directions; else a violation."""
    left, right = laws(region.left), laws(region.right)
    refuse_lookalikes((*left.finite, *left.released, *right.finite, *right.released), {})  # with unknown numbers, too
    if (left.released or right.released) and claim.delta is not ZERO:
        if region.chart.dimension and not differ_by_a_shift(left, right):
            raise Undecided(not_known.SHIFT_ONLY)
        origin = (0,) * region.chart.dimension
        at_origin = ViolatingPoint(region.left.at(origin), region.right.at(origin))
        return at_origin if laws.fail(claim, at_origin.left, at_origin.right) else _are_one(left, right)
    for p, q in ((left, right), (right, left)):
        with laws.watched_signs():
            point = violated(p, q, growth, claim.delta)
        if point is not None:
            whole = [point.get(place, 0) for place in range(region.chart.dimension)]
            violation = ViolatingPoint(region.left.at(whole), region.right.at(whole))
            if laws.fail(claim, violation.left, violation.right):
                return violation
            if region.chart.dimension:
                raise Undecided(not_known.NOISY_OR_NOT, _shown(region))
    return _are_one(left, right)


def _are_one(left: DistributionOnRegion, right: DistributionOnRegion) -> bool:
    """True where two laws are one by their form, so that nothing has to be asked."""
    if left.finite.keys() != right.finite.keys() or left.released.keys() != right.released.keys():
        return False
    try:
        return all(p is right.finite[outcome] for outcome, p in left.finite.items()) and all(
            components == right.released[template] for template, components in left.released.items()
        )
    except Undecided:
        return False


def violated(p: DistributionOnRegion, q: DistributionOnRegion, growth: Exact, delta: Exact) -> _Point | None:
    """A point at which some event is more probable than the claim allows; None where there is none.

    Raises `Undecided`, and what splits a region, with the event of which that is not known.
    """
    excess = [
        _Event((outcome,), _excess(above, q.finite.get(outcome, ZERO), growth)) for outcome, above in p.finite.items()
    ]
    if delta is ZERO:
        excess += [_Event(None, _excess(ratio.above, ratio.below, growth)) for ratio in ratios(p, q)]
        return next((point for event in excess if (point := _positive_at(event)) is not None), None)
    # the worst event holds all outcomes of positive excess: those that always have it, and some that have it sometimes
    some = [event for event in excess if not isinstance(decide_nowhere_positive(event.f), Nowhere)]
    always = [event for event in some if isinstance(decide_nowhere_positive(negative(event.f)), Nowhere)]
    sometimes = [event for event in some if not any(event is other for other in always)]
    if len(sometimes) > _MOST_SOMETIMES:
        raise Undecided(
            not_known.BY_TURNS,
            f"the probabilities of {len(sometimes)} outcomes",
            "claim δ = 0, or take a finite domain",
        )
    for size in range(len(sometimes), -1, -1):
        for chosen in combinations(sometimes, size):
            together = (*always, *chosen)
            outcomes = tuple(outcome for event in together for outcome in event.outcomes or ())
            point = _positive_at(_Event(outcomes, total((*(event.f for event in together), negative(delta)))))
            if point is not None:
                return point
    return None


class _Event(NamedTuple):
    """The event that may be too probable, and by how much: positive where it is."""

    outcomes: tuple[Any, ...] | None
    """None for what is released with noise."""
    f: Exact

    def __str__(self) -> str:
        if self.outcomes is None:
            return "released noise"
        return f"the event {{{cut_text(', '.join(map(shown, self.outcomes)))}}}"


def _excess(p: Exact, q: Exact, growth: Exact) -> Exact:
    """p − e^ε·q."""
    return total((p, negative(product((growth, q)))))


def _positive_at(event: _Event) -> _Point | None:
    """A point at which the excess is positive; None where there is none. Raises `_Split` where that is not known."""
    result = decide_nowhere_positive(event.f)
    if isinstance(result, Split):
        raise _Split(result.cut, f"whether {event} is too probable is not known")
    if isinstance(result, Abandoned):
        raise _OfEvent(f"whether {event} is too probable is not known: {result.reason}")
    return result.point if isinstance(result, PositivePoint) else None


def _shown(region: Region) -> str:
    """A region for people: both databases, where a, b, c, … are any whole numbers ≥ 0."""
    left, right = (", ".join(map(str, chart.numbers())) for chart in (region.left, region.right))
    return f"({left}) and ({right})"
