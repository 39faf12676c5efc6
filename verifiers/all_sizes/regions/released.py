"""Released noise around unknown whole numbers: where its densities have their largest ratio, and when one pair is all.

Two densities that are made of pieces c·e^(λx) have a ratio that is monotone on each interval between their breaks, so
that p − e^ε·q is positive somewhere where it is so at an end, or far out. The ends are sums of scores, and what is
found there are functions of them. At δ > 0 that is not enough; but where two laws differ by a shift that is a number,
every such pair of laws is one pair, moved.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cmp_to_key
from itertools import combinations, pairwise
from itertools import product as tuples
from typing import Any, Final, NamedTuple, TypeAlias

from dpverify.mechanisms.numbers import decision, polynomial_form
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, UnknownWhole, exact, product
from dpverify.mechanisms.numbers.integers.unknown_outcomes import has_unknown
from dpverify.mechanisms.numbers.roots.exponential_polynomials import ExpPoly, Piecewise, value
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Endpoint
from dpverify.mechanisms.numbers.roots.periodic_tails import AnyDensity, folded_together, sum_of_densities
from dpverify.mechanisms.outputs.normal_releases import NormalRelease
from dpverify.mechanisms.outputs.released import DensityRelease, Release, Releases, TiedRelease
from dpverify.mechanisms.outputs.released_reals import RealRelease
from dpverify.verifiers.divergence.output_tables.independent_parts import may_meet

Components: TypeAlias = Mapping[Releases, Exact]
"""The ways in which a template comes about, with their weights."""


class DistributionOnRegion(NamedTuple):
    """Outcome → probability, and template → the releases in it, all as functions of unknown whole numbers."""

    finite: Mapping[Any, Exact]
    released: Mapping[Hashable, Components]


class ReleasedRatio(NamedTuple):
    """Numbers ≥ 0 of which one stands above the other: probabilities, or densities at one point."""

    above: Exact
    below: Exact


def ratios(p: DistributionOnRegion, q: DistributionOnRegion) -> Iterator[ReleasedRatio]:
    """Ratios that decide: where none of these is more than e^ε, no density of p is more than e^ε times that of q.

    Raises `Cut` where breaks have no order, and `Undecided` where densities are of another form.
    """
    for template, components in p.released.items():
        others = q.released.get(template)
        if others is None:
            yield from (ReleasedRatio(weight, ZERO) for weight in components.values())
            continue
        mine, theirs = _coordinates(components), _coordinates(others)
        folded = map(folded_together, mine.densities, theirs.densities)
        for chosen in tuples(*(_ratios_of(f, g) for f, g, _ in folded)):
            yield ReleasedRatio(
                product((mine.weight, *(ratio.above for ratio in chosen))),
                product((theirs.weight, *(ratio.below for ratio in chosen))),
            )


class _Coordinates(NamedTuple):
    """The densities of released numbers that are independent, and what they are all multiplied by."""

    weight: Exact
    densities: list[AnyDensity]


def _coordinates(components: Components) -> _Coordinates:
    results = [(weight, [_density(release) for release in releases]) for releases, weight in components.items()]
    if len(results) == 1:
        return _Coordinates(*results[0])
    if any(len(densities) > 1 for _, densities in results):
        raise Undecided(
            not_known.SEVERAL_SIZES_WAYS,
            "several released numbers come about in several ways",
            "what tells the ways apart",
        )
    return _Coordinates(ONE, [sum_of_densities(densities[0].scaled(weight) for weight, densities in results)])


def _density(release: Any) -> AnyDensity:
    if isinstance(release, NormalRelease) or (isinstance(release, Release) and release.law.is_certified):
        raise Undecided(
            not_known.SEVERAL_SIZES_WAYS,
            "Gaussian noise is released, which has no bound on its ratios",
            "it with a claim δ > 0, shifted by known numbers",
        )
    if not isinstance(release, Release | TiedRelease | DensityRelease | RealRelease):
        raise Undecided(
            not_known.SEVERAL_SIZES_WAYS, "continuous numbers that one threshold ties are released", "one of them"
        )
    return release.density


def _ratios_of(f: Piecewise, g: Piecewise) -> list[ReleasedRatio]:
    """The densities at the ends of each interval on which f is not 0 and neither changes, on both sides of an end."""
    breaks = sorted((*f.breaks, *g.breaks), key=cmp_to_key(_order))
    ends: list[Endpoint | None] = [None]
    for end in breaks:
        if ends[-1] is None or end != ends[-1]:
            ends.append(end)
    released_ratios = []
    for low, high in pairwise([*ends, None]):
        released_ratios += _on_interval(_piece(f, low), _piece(g, low), low, high, f.discrete)
    return released_ratios


def _order(a: Endpoint, b: Endpoint) -> int:
    return -1 if a < b else int(a > b)


def _piece(f: Piecewise, low: Endpoint | None) -> ExpPoly:
    """The piece on the interval that begins at `low`."""
    return f.pieces[0 if low is None else sum(1 for end in f.breaks if end <= low)]


_FEW: Final = 64
"""Whole numbers of an interval that are looked at one by one, as between the halves of a rounded peak."""


def _is_at_most(length: object, most: int) -> bool:
    """True for the length of an interval that is known, and small."""
    return isinstance(length, int) and length <= most


def _on_interval(
    p: ExpPoly, q: ExpPoly, low: Endpoint | None, high: Endpoint | None, discrete: bool
) -> list[ReleasedRatio]:
    if not p:
        return []
    if len(p) > 1 or len(q) > 1 or any(k for _, k in (*p, *q)):
        if low is None or high is None or not discrete or not _is_at_most(high - low, _FEW):
            raise Undecided(
                not_known.SEVERAL_SIZES_WAYS, "densities are sums of several exponentials", "noise of one scale"
            )
        points = (exact(low + i) for i in range(high - low))
        return [ReleasedRatio(value(p, x), value(q, x)) for x in points]
    last = high - 1 if discrete and high is not None else high
    released_ratios = [ReleasedRatio(value(p, exact(x)), value(q, exact(x))) for x in (low, last) if x is not None]
    if low is None or high is None:
        ((rate, _), c) = next(iter(p.items()))
        ((other, _), d) = next(iter(q.items())) if q else ((rate, 0), ZERO)
        way = decision.sign(rate - other) * (-1 if low is None else 1)
        if way > 0 or (low is None and high is None and decision.sign(rate - other)):
            released_ratios.append(ReleasedRatio(ONE, ZERO))  # far out the ratio has no bound
        elif way == 0:
            released_ratios.append(ReleasedRatio(c, d))
    return released_ratios


def differ_by_a_shift(p: DistributionOnRegion, q: DistributionOnRegion) -> bool:
    """True where p and q are one law but for centres of released noise, which are numbers apart.

    Then all such pairs of laws are one pair, moved: so that what is decided of one is of all. But not where an outcome
    may come about in two ways, as a plain one and with noise, say, which are moved towards each other.
    """
    if any(not _is_known((law.finite, tuple(law.released))) for law in (p, q)):
        return False
    if any(map(has_unknown, (*p.finite, *q.finite, *p.released, *q.released))) and not all(map(_is_one_way, (p, q))):
        return False
    if any(_is_moved(law) and _meets_itself(law) for law in (p, q)):
        return False
    if p.finite.keys() != q.finite.keys() or p.released.keys() != q.released.keys():
        return False
    return all(_shifted(components, q.released[template]) for template, components in p.released.items())


def _is_one_way(law: DistributionOnRegion) -> bool:
    """True where all outcomes have one form, so that an unknown number in it is another name for each."""
    return not law.finite and len(law.released) == 1


def _is_moved(law: DistributionOnRegion) -> bool:
    """True where a centre of its noise is unknown; of kinds of releases that have one."""
    releases = [release for components in law.released.values() for result in components for release in result]
    return not all(_is_known(exact(r.centre)) for r in releases if isinstance(r, _WITH_CENTRE))


def _meets_itself(law: DistributionOnRegion) -> bool:
    """True where an outcome may be that of two templates, or of one and a plain one."""
    return any(may_meet(left, right) for left, right in combinations((*law.released, *law.finite), 2))


def _shifted(mine: Components, theirs: Components) -> bool:
    if len(mine) != 1 or len(theirs) != 1:
        return False
    ((releases, weight),), ((others, other_weight),) = mine.items(), theirs.items()
    return _is_known((weight, other_weight)) and all(map(_is_one_but_for_centre, releases, others))


_WITH_CENTRE: Final = (Release, RealRelease, NormalRelease)


def _is_one_but_for_centre(release: Any, other: Any) -> bool:
    if isinstance(release, Release) and isinstance(other, Release):
        same = (release.law, release.values) == (other.law, other.values) and _is_known((release.law, release.values))
    elif isinstance(release, RealRelease) and isinstance(other, RealRelease):
        same = release.base is other.base and release.slope is other.slope and _is_known((release.base, release.slope))
    elif isinstance(release, NormalRelease) and isinstance(other, NormalRelease):
        same = release.values == other.values == EVERYTHING and release.sigma == other.sigma
    else:
        return False
    return same and _is_known(exact(release.centre) - exact(other.centre))


def _is_known(value: Any) -> bool:
    """True where no unknown whole number is in numbers, and in what holds them: laws of noise, densities, templates."""
    if isinstance(value, Exact):
        return (value.symbol is None or not value.symbol.is_whole) and not polynomial_form.has_balls_of_unknown(value)
    if isinstance(value, UnknownWhole):
        return False
    if isinstance(value, Mapping):
        return all(_is_known(pair) for pair in value.items())
    if isinstance(value, tuple):
        return all(map(_is_known, value))
    if is_dataclass(value) and not isinstance(value, type):
        return all(_is_known(getattr(value, field.name)) for field in fields(value))
    return True
