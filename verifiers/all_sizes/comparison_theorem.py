"""Mechanisms that compare noisy numbers and ask nothing else of their data, by Theorem 15 of docs/theorems.md.

On neighbours the values of the numbers move by known steps. An outcome stands for orders of the numbers; each noise is
moved so that all of them stay, and that costs e^(|move|/scale). The cheapest moves are known where one number is part
of all comparisons: the largest of some, or a threshold. What returns the place of the largest of all scores is moreover
a mechanism of the library, of which theorems say when a claim fails.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import floor
from typing import Final, TypeAlias

from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, as_parameter, exact, total
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion, linear_form
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces
from dpverify.verifiers.all_sizes.caught_errors import not_followed
from dpverify.verifiers.all_sizes.comparison_paths import Compared, Number, Order, are_same, compared_on
from dpverify.verifiers.all_sizes.noisy_max_theorem import KNOWN
from dpverify.verifiers.all_sizes.regions.domains import Endless, Histograms
from dpverify.verifiers.all_sizes.regions.question import AllScores, all_scores
from dpverify.verifiers.problems.questions.moves import steps_of_all, steps_of_one
from dpverify.verifiers.problems.questions.question import Question

THEOREM_15: Final = "Theorem 15 of docs/theorems.md, on noise that is only compared"

_Pair: TypeAlias = tuple[int, int]
_Path: TypeAlias = tuple[Order, Hashable]


def compared_in(question: Question, domain: Endless) -> Compared | None:
    """The paths of a mechanism on all databases at once; None where it asks for anything but comparisons of noise."""
    scores = all_scores(domain, question.neighbours)
    if question.symbol is not None or not_followed(question.mechanism, question.arguments) is not None:
        return None
    if scores is None and isinstance(domain, Histograms):
        return compared_on(question, domain, _numbers(len(domain.universe), (1,)))
    if scores is None or scores.every:
        return None
    return compared_on(question, domain, _numbers(scores.solutions, (1, -1)))


def _numbers(count: int, signs: Sequence[int]) -> AffineRegion:
    """So many numbers of any size: each is a coordinate, less another one where it may be negative."""
    rows = (tuple(sign * (i == j) for sign in signs for i in range(count)) for j in range(count))
    return AffineRegion((0,) * count, tuple(rows))


# --- The place of the largest score


def as_the_librarys(question: Question, scores: AllScores, compared: Compared) -> Question | None:
    """The same question of a mechanism of the library that returns the place of the largest score; None for any other.

    Each place has an outcome of its own, so that all claims need the same.
    """
    places, first = range(1, scores.solutions + 1), compared.numbers.get(1)
    law = None if first is None else first.law
    if law is None or len(places) == 1:
        return None
    known = [exact(number) for number in _numbers(len(places), (1, -1)).numbers()]
    for sign in (1, -1):  # of score + noise, and of score - noise
        of_law = [Number(law, ONE, sign * (score - known[0])) for score in known]
        if not all(map(_are_one, map(compared.numbers.get, places), of_law)) or (
            sign < 0 and law.mirror_image() != law
        ):
            continue
        largest = [_largest(order, places, sign) for order, _ in compared.paths]
        both = {(place, outcome) for place, (_, outcome) in zip(largest, compared.paths, strict=True)}
        if None not in largest and len(both) == len({outcome for _, outcome in both}) == len(places):
            return _of_the_library(question, law)
    return None


def _are_one(number: Number | None, other: Number) -> bool:
    return number is not None and number[:2] == other[:2] and are_same(number.value, other.value)


def _largest(order: Order, places: range, sign: int) -> int | None:
    """The first of the largest numbers, or of the smallest; None where an order does not tell it."""
    above = {pair[::sign]: strict for pair, strict in order.items()}
    return next((a for a in places if all(above.get((a, b), -1) >= (b < a) for b in places if b != a)), None)


def _of_the_library(question: Question, law: NoiseLaw) -> Question | None:
    """The question of the mechanism with this noise; None where theorems speak of none."""
    of_gumbel = law.exponential_scale
    scale = law.tail_scale if of_gumbel is None else of_gumbel
    if scale is None:
        return None
    epsilon = as_parameter(2 / scale)
    if of_gumbel is not None:
        return replace(question, mechanism=exponential_mechanism, parameters={"epsilon": epsilon})
    noise = next((noise for noise in KNOWN if noise(scale) == law), None)
    given = {"epsilon": epsilon, "noise": noise}
    return None if noise is None else replace(question, mechanism=max_of_laplaces, parameters=given)


# --- Moves of the noises


def needed_by_moves(question: Question, domain: Endless, compared: Compared) -> Exact | None:
    """The ε at which moves of the noises prove (ε, 0)-privacy on all neighbours; None where none are known."""
    forms = {place: linear_form(number.value) for place, number in compared.numbers.items()}
    known: dict[Hashable, Exact | None] = {}
    orders, worst = [*map(_reduced, _orders(compared.paths))], ZERO
    whole = any(number.law is not None and number.law.discrete for number in compared.numbers.values())
    for step in _steps(question, domain, whole=whole):
        moved = {place: _moved(form, step) for place, form in forms.items()}
        for pairs in orders:
            needed = {(a, b): moved[b] - moved[a] for a, b in pairs}
            key = tuple(needed.items())
            cost = known[key] = known[key] if key in known else _cheapest(needed, compared.numbers)
            if cost is None:
                return None
            worst = max(worst, cost)
    return worst


def _moved(form: tuple[Exact, dict[int, Exact]] | None, step: Sequence[int]) -> Exact:
    """How far a number moves in a step of the first coordinates. Raises `Undecided` where it is no sum of these."""
    if form is None:
        raise Undecided(not_known.SHIFT_ONLY)
    return total([n * step[place] for place, n in form[1].items() if place < len(step)])


def _steps(question: Question, domain: Endless, *, whole: bool) -> set[tuple[int, ...]]:
    """The steps between neighbours; of a cube of them its corners, but for whole noise.

    What is needed is convex in the step where noises may move by any number.
    """
    scores = all_scores(domain, question.neighbours)
    if scores is not None:
        steps = steps_of_one if scores.one_moves else steps_of_all
        return {step for step in steps(scores.solutions) if scores.one_moves or whole or all(step)}
    both = [(each.left.base, each.right.base) for each in domain.regions(question.neighbours)]
    return {tuple(b - a for a, b in zip(*pair[::way], strict=True)) for pair in both for way in (1, -1)}


def _orders(paths: Sequence[_Path]) -> Iterator[Order]:
    """Orders that are whole outcomes, or parts of them.

    The order that all paths to an outcome have in common, where no other path has it; else that of those in which one
    number is on top, which the outcome is computed from; else that of each path.
    """
    for own in _grouped(paths, lambda path: path[1]):
        for part in [own] if _are_all(own, paths) else _grouped(own, lambda path: _top(path[0])):
            yield from [_common(part)] if _are_all(part, paths) else [order for order, _ in part]


def _grouped(paths: Sequence[_Path], key: Callable[[_Path], Hashable]) -> list[list[_Path]]:
    groups: dict[Hashable, list[_Path]] = {}
    for path in paths:
        groups.setdefault(key(path), []).append(path)
    return list(groups.values())


def _top(order: Order) -> frozenset[int]:
    return frozenset(a for a, _ in order) - {b for _, b in order}


def _common(part: Sequence[_Path]) -> Order:
    pairs = set(part[0][0]).intersection(*(order for order, _ in part))
    return {pair: all(order[pair] for order, _ in part) for pair in pairs}


def _are_all(part: Sequence[_Path], paths: Sequence[_Path]) -> bool:
    """True where no other path may have what these have in common."""
    common, own = _common(part), {id(path) for path in part}
    return all(id(path) in own or _exclude(common, path[0]) for path in paths)


def _exclude(one: Order, other: Order) -> bool:
    return any((b, a) in other and (strict or other[b, a]) for (a, b), strict in one.items())


def _reduced(order: Order) -> tuple[_Pair, ...]:
    """The pairs of an order that do not follow from others."""
    if any((b, a) in order for a, b in order):
        return tuple(order)
    places = {a for a, _ in order}
    return tuple((a, c) for a, c in order if not any((a, b) in order and (b, c) in order for b in places))


def _cheapest(needed: Mapping[_Pair, Exact], numbers: Mapping[int, Number]) -> Exact | None:
    """The least cost of moves of noise of which that of a is as much more than that of b as is needed for (a, b).

    None where that is not known, or no moves do.
    """
    cost: Exact = ZERO
    rest = dict(needed)
    while rest:
        tied = set(next(iter(rest)))
        while more := {place for pair in rest if tied.intersection(pair) for place in pair} - tied:
            tied |= more
        star = {pair: rest.pop(pair) for pair in list(rest) if tied.intersection(pair)}
        centre = next((place for place in sorted(tied) if all(place in pair for pair in star)), None)
        if centre is None:
            return None
        # of a convex function with breaks where the centre, or another one, is not moved
        breaks = {ZERO, *(r if pair[0] == centre else -r for pair, r in star.items())}
        costs = [_cost_of_star(centre, move, star, numbers) for move in breaks]
        known = [each for each in costs if each is not None]
        if not known:
            return None
        cost += min(known)
    return cost


def _cost_of_star(centre: int, move: Exact, star: Mapping[_Pair, Exact], numbers: Mapping[int, Number]) -> Exact | None:
    """The least cost where the centre is moved so far; None where others cannot be moved as is needed then."""
    others = ((b, min(ZERO, move - r)) if a == centre else (a, max(ZERO, move + r)) for (a, b), r in star.items())
    costs = [_cost(numbers[place], by) for place, by in ((centre, move), *others)]
    known = [cost for cost in costs if cost is not None]
    return total(known) if len(known) == len(costs) else None


def _cost(number: Number, move: Exact) -> Exact | None:
    """|move|/scale, as Pr[N = x] ≤ e^(|move|/scale)·Pr[N = x + move]; None where noise is not to be moved so."""
    if move == 0:
        return ZERO
    law = number.law
    scale = None if law is None else law.tail_scale
    if law is None or scale is None or not any(noise(scale) == law for noise in (KNOWN if move > 0 else _BOTH_SIDES)):
        return None
    of_noise = abs(move) / number.factor
    return None if law.discrete and floor(of_noise) != of_noise else of_noise / scale


_BOTH_SIDES: Final = (laplace, discrete_laplace)
"""Noise that is moved down, too: none of the others is below 0."""
