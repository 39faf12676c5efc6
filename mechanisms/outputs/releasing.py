"""Released outcomes of what a mechanism returns: the template of an outcome, and the law of the noise in it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Any

from dpverify.mechanisms.comparing.comparisons import (
    Knowledge,
    alone,
    noise_form,
    returned_although_tied,
    returned_twice,
    single_noise,
)
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.elementary import sqrt, square
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, negative, product, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise, collected_terms
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Intervals, multiplied
from dpverify.mechanisms.numbers.roots.periodic_tails import AnyDensity
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.mechanisms.outputs.normal_releases import NormalRelease
from dpverify.mechanisms.outputs.released import AnyRelease, DensityRelease, Lattice, Release, Releases, lattice_of
from dpverify.mechanisms.outputs.released_reals import Coordinate, Frame, RealRelease, RealSlot, frame_of, the_frame
from dpverify.mechanisms.outputs.templates import Slot
from dpverify.mechanisms.outputs.tied_reals import StarLeaf, TiedReal, TiedReals
from dpverify.mechanisms.outputs.uncorrelated import uncorrelated
from dpverify.mechanisms.path_conditions.added_noise import added_noise
from dpverify.mechanisms.path_conditions.implied_conditions import Form
from dpverify.mechanisms.path_conditions.mixed_sums import SummandOfMixed, mixed_density
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue, without_noise
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable


def released(outcome: Any, knowledge: Knowledge) -> tuple[Hashable, Releases]:
    """The template of an outcome, and the releases in its slots; both are taken out of what is known."""
    whole: list[AnyRelease] = []
    seen: set[NoiseVariable] = set()
    values: list[NoiseValue] = []

    def slot(value: NoiseValue) -> Slot | NoiseValue:
        if not all(noise.law.discrete for noise, _ in value.parts):
            values.append(value)
            return value
        if len(value.parts) > 1:
            lattice, release = _of_sum(value, seen, knowledge)
            whole.append(release)
            return lattice.slot
        variable, coefficient, shift = single_noise(value, "what is returned")
        lattice = lattice_of(variable.law, coefficient, shift, "what is returned")
        if variable in seen:
            raise returned_twice(variable)
        if knowledge.is_forgotten(variable):
            raise returned_although_tied(variable)
        seen.add(variable)
        if knowledge.is_shared(alone(variable)):
            whole.append(lattice.tied_release(knowledge.forget_tied(variable)))
        else:
            whole.append(lattice.release(variable.law, knowledge.forget(variable)))
        return lattice.slot

    template = without_noise(outcome, slot)
    if not values:
        return template, tuple(whole)
    for value in values:
        refuse_unreturned(value)
        if any(noise in seen for noise, _ in value.parts):
            raise mixed(value.described())
    frame, coordinates = _told_apart(*coordinates_of(values), knowledge)
    slots = iter(RealSlot(frame, place) for place in range(len(values)))
    template = without_noise(template, lambda _: next(slots))
    return template, (*whole, *_releases(coordinates, knowledge))


def _of_sum(
    value: NoiseValue, seen: set[NoiseVariable], knowledge: Knowledge
) -> tuple[Lattice, DensityRelease | Release]:
    """The release of a sum of discrete noises; they are among the `seen` from now on."""
    form, scale = form_of_sum(value)
    for variable, _ in form:
        if variable in seen or knowledge.is_forgotten(variable):
            raise returned_although_tied(variable)
        seen.add(variable)
    lattice = lattice_of(form[0][0].law, scale, value.shift, "what is returned")
    if any(variable.law.is_certified for variable, _ in form):
        law = added_noise(tuple(variable.law for variable, _ in form))  # symmetric ones, so that no sign counts
        known = None if law is None else knowledge.forget_sum(form)
        if law is None or known is None:
            raise released_beside_others(form[0][0])
        return lattice, lattice.release(law, known)
    return lattice, lattice.release_of_density(knowledge.forget_form(form))


def form_of_sum(value: NoiseValue) -> tuple[Form, Exact]:
    """A sum of discrete noises as a form ±N ± N …, and what it is multiplied by. Raises `InputError` for another."""
    if not all(variable.law.discrete for variable, _ in value.parts):
        raise mixed(value.described())
    form, scale = noise_form(value)
    if any(abs(c) != 1 for _, c in form):
        raise InputError(
            bad_mechanism.MULTIPLE_OF_DISCRETE, "returned beside a multiple of another one", value.described()
        )
    return form, scale


def refuse_unreturned(value: NoiseValue) -> None:
    """Raises `InputError` for noise of which no density is known."""
    for variable, _ in value.parts:
        variable.law.refuse_use("returned")


def mixed(described: str) -> InputError:
    """The error for a sum of discrete and continuous noise of which no density is known."""
    return InputError(bad_mechanism.MIXED_NOISE, "returned as a sum", described, "use one kind, or return both")


def coordinates_of(values: Sequence[NoiseValue]) -> tuple[Frame, list[Coordinate]]:
    """The frame of released real numbers, and what its coordinates are of the noises."""
    return frame_of([dict(value.parts) for value in values], [value.shift for value in values])


def _told_apart(
    frame: Frame, coordinates: Sequence[Coordinate], knowledge: Knowledge
) -> tuple[Frame, Sequence[Coordinate]]:
    """With coordinates that share Gaussian noise, of which nothing else is known, as independent ones."""
    results = list(coordinates)
    for places in _sharing([frozenset(coordinate.noises) for coordinate in coordinates]):
        if len(places) > 1 and _are_free_normal([coordinates[i] for i in places], knowledge):
            for i, coordinate in zip(places, uncorrelated([coordinates[i] for i in places]), strict=True):
                results[i] = coordinate
    if all(coordinate is before for coordinate, before in zip(results, coordinates, strict=True)):
        return frame, coordinates
    return the_frame(tuple(coordinate.row for coordinate in results), frame.ties), results


def _sharing(noises_of: Sequence[frozenset[NoiseVariable]]) -> list[list[int]]:
    """The places of sets of noises, those together that share some."""
    groups: list[tuple[frozenset[NoiseVariable], list[int]]] = []
    for i, own in enumerate(noises_of):
        noises, places = own, [i]
        apart = []
        for group in groups:
            if group[0].isdisjoint(noises):
                apart.append(group)
            else:
                noises, places = noises | group[0], sorted([*places, *group[1]])
        groups = [*apart, (noises, places)]
    return [places for _, places in groups]


def _are_free_normal(coordinates: Sequence[Coordinate], knowledge: Knowledge) -> bool:
    """True where their noises are Gaussian, and nothing is known of them."""
    noises = {noise for coordinate in coordinates for noise in coordinate.noises}
    return all(noise.law.normal_scale is not None for noise in noises) and not any(
        knowledge.is_shared(alone(noise)) or knowledge.values(alone(noise)) != EVERYTHING for noise in noises
    )


def _releases(coordinates: Sequence[Coordinate], knowledge: Knowledge) -> list[RealRelease | NormalRelease | TiedReal]:
    """The releases of all coordinates: those that are tied to each other together."""
    if len(coordinates) == 1:
        return [_release(coordinates[0], knowledge)]
    results: dict[int, RealRelease | NormalRelease | TiedReal] = {}
    for places in _sharing([knowledge.tied(coordinate.noises) for coordinate in coordinates]):
        if len(places) == 1:
            results[places[0]] = _release(coordinates[places[0]], knowledge)
        elif _are_free_normal([coordinates[i] for i in places], knowledge):  # and uncorrelated
            results |= {i: _normal(coordinates[i]) for i in places}
            knowledge.let_go([noise for i in places for noise in coordinates[i].noises])
        else:
            tied = _group([coordinates[i] for i in places], knowledge)
            results |= {i: TiedReal(tied, place, places[0]) for place, i in enumerate(places)}
    return [results[i] for i in range(len(coordinates))]


def _group(coordinates: Sequence[Coordinate], knowledge: Knowledge) -> TiedReals:
    """Coordinates that are tied to each other. Raises `InputError` unless one noise that is not returned ties them."""
    noises = [min(coordinate.noises, key=lambda noise: noise.number) for coordinate in coordinates]
    if any(noise.law.is_certified for coordinate in coordinates for noise in coordinate.noises):
        raise tied_to_each_other(noises[0])
    if any(len(coordinate.noises) > 1 or coordinate.slope is not ONE for coordinate in coordinates):
        raise tied_to_each_other(noises[0])
    star = knowledge.forget_star(noises)
    if star is None or any(arm.slope != 1 for arm in star[1]):
        raise tied_to_each_other(noises[0])
    arms = (
        _leaf(_in_short(arm.density), c.centre, arm.shift, arm.is_above_hub)
        for arm, c in zip(star[1], coordinates, strict=True)
    )
    return _the_group(_in_short(star[0]), tuple(arms))


# One object for what is alike, which many paths release: it is compared once.
_the_group = lru_cache(maxsize=1 << 12)(TiedReals)


@lru_cache(maxsize=1 << 12)
def _leaf(density: Piecewise, centre: Exact, shift: Exact, is_above_hub: bool) -> StarLeaf:
    moved = density if centre is ZERO else density.composed(ONE, negative(centre))
    return StarLeaf(moved, shift - centre, is_above_hub)


def _release(coordinate: Coordinate, knowledge: Knowledge) -> RealRelease | NormalRelease:
    """The release of a coordinate; what is known of its noises, and of what they are tied to, is forgotten."""
    parts = sorted(coordinate.noises.items(), key=lambda part: part[0].number)
    assert not any(knowledge.is_forgotten(noise) for noise, _ in parts), "what is tied is released together"
    if any(noise.law.is_certified for noise, _ in parts):
        return _normal_release(coordinate, parts, knowledge)
    if any(noise.law.discrete for noise, _ in parts):
        return RealRelease(_of_mixed(parts, knowledge), coordinate.slope, coordinate.centre)
    _, first = parts[0]
    slope = coordinate.slope if first is ONE else coordinate.slope * first
    if len(parts) == 1:
        ((noise, _),) = parts
        if not knowledge.is_shared(alone(noise)):
            values = knowledge.forget(noise)
            knowledge.let_go((noise,))
            return RealRelease(_density(noise.law, values), slope, coordinate.centre)
    form: Form = tuple((noise, c if first is ONE else c / first) for noise, c in parts)
    return RealRelease(_in_short(knowledge.forget_form(form)), slope, coordinate.centre)


def _of_mixed(parts: Sequence[tuple[NoiseVariable, Exact]], knowledge: Knowledge) -> AnyDensity:
    """The density of a sum of noises, some of them discrete. Raises `InputError` where none is known."""
    ordered = sorted(parts, key=lambda part: not part[0].law.discrete)
    if not any(knowledge.is_shared(alone(noise)) for noise, _ in parts):
        summands = [SummandOfMixed(noise.law, c, knowledge.forget(noise)) for noise, c in ordered]
        knowledge.let_go([noise for noise, _ in parts])
        if len(summands) == 2 and not summands[1].law.discrete:  # a discrete one, and another one
            density = mixed_density(*summands)
            if density is not None:
                return density
    raise mixed(" + ".join(f"{c}·({noise})" for noise, c in parts))


def _normal_release(
    coordinate: Coordinate, parts: Sequence[tuple[NoiseVariable, Exact]], knowledge: Knowledge
) -> NormalRelease:
    """The release of a coordinate of Gaussian noises. Raises `InputError` where they were compared with other noise."""
    scales = [noise.law.normal_scale for noise, _ in parts]
    if any(scale is None for scale in scales) or any(knowledge.is_shared(alone(noise)) for noise, _ in parts):
        raise released_beside_others(parts[0][0])
    values = [knowledge.forget(noise) for noise, _ in parts]
    knowledge.let_go([noise for noise, _ in parts])
    if len(parts) > 1 and any(known != EVERYTHING for known in values):
        raise released_beside_others(parts[0][0])
    factors = [product((coordinate.slope, c)) for _, c in parts]
    sigmas = [product((abs(c), scale)) for c, scale in zip(factors, scales, strict=True) if scale is not None]
    sigma = sigmas[0] if len(sigmas) == 1 else sqrt(total(map(square, sigmas)))
    known = tuple(
        tuple(None if end is None else end + coordinate.centre for end in interval)
        for interval in multiplied(values[0], factors[0])
    )
    return NormalRelease(sigma, coordinate.centre, known)  # type: ignore[arg-type]  # each interval has two ends


def _normal(coordinate: Coordinate) -> NormalRelease:
    """The release of a coordinate of Gaussian noises of which nothing is known."""
    scales = [(c, noise.law.normal_scale) for noise, c in coordinate.noises.items()]
    variances = [square(product((coordinate.slope, c, scale))) for c, scale in scales if scale is not None]
    return NormalRelease(sqrt(total(variances)), coordinate.centre)


def released_beside_others(variable: NoiseVariable) -> InputError:
    """The error for released Gaussian noise that was compared with other noise, or added to noise of another kind."""
    return InputError(bad_mechanism.RETURNED_BESIDE, variable)


@lru_cache(maxsize=1 << 12)
def _in_short(density: Piecewise) -> Piecewise:
    """The density with its numbers in their shortest form: they are looked at closely, and often."""
    pieces = (collected_terms((monomial, simplified(c)) for monomial, c in piece.items()) for piece in density.pieces)
    return Piecewise(density.discrete, density.breaks, tuple(pieces))


@lru_cache(maxsize=1 << 12)
def _density(law: NoiseLaw, values: Intervals) -> AnyDensity:
    density = law.periodic_density or law.density
    return density if values == EVERYTHING else density.within(values)


def tied_to_each_other(variable: NoiseVariable) -> InputError:
    """The error for several released numbers that share noise, or that comparisons tie to each other."""
    return InputError(bad_mechanism.RETURNED_TIED, variable)
