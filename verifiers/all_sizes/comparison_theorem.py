"""Mechanisms that compare noisy numbers and ask nothing else of their data, by Theorem 15 of docs/theorems.md.

    for i, score in enumerate(scores):
        if score + draw(laplace(8)) >= threshold:       # where it is above the number, and was above none before: i
            return i

One run is made on unknown numbers for each order that comparisons can tell. On neighbours the values of the numbers
move by known steps; each noise is moved so that an order stays, and that costs e^(|move|/scale). The cheapest moves are
known where one number is part of all comparisons: the largest, or a threshold. What returns the place of the largest
score is moreover a mechanism of the library, of which theorems say when a claim fails.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import fields, replace
from math import floor
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

from dpverify.mechanisms.comparing.call import Calls
from dpverify.mechanisms.comparing.comparisons import EQUALITIES
from dpverify.mechanisms.comparing.trail import Trail
from dpverify.mechanisms.drawing.plain_path import PlainCall, PlainPath
from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.watching import on_unknown_numbers
from dpverify.mechanisms.language.compiled import form_of
from dpverify.mechanisms.language.numpy_names import drawn_by
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.noise.point_mass import PointMass
from dpverify.mechanisms.numbers.errors import Interruption
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, as_parameter, exact, negative, total
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion, linear_form
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.mechanisms.outputs.templates import refuse_lookalikes
from dpverify.mechanisms.path_conditions.expressions import Comparator
from dpverify.mechanisms.path_conditions.noise_value import HOLDS, NoiseValue
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces
from dpverify.verifiers.all_sizes.caught_errors import not_followed
from dpverify.verifiers.all_sizes.noisy_max_theorem import KNOWN
from dpverify.verifiers.all_sizes.regions.domains import Endless, Histograms, numbers_on
from dpverify.verifiers.all_sizes.regions.question import AllScores, all_scores
from dpverify.verifiers.problems.questions.moves import steps_of_all, steps_of_one
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.problems.questions.unknown_counters import key_order
from dpverify.verifiers.problems.questions.unknown_rows import counted_rows
from dpverify.verifiers.processes.stopwatch import stopwatch

OrderOfNoise: TypeAlias = Mapping[tuple[int, int], bool]
"""Pairs of numbers of which the first is above the second: True where it is strictly. Closed under transitivity."""


class Shifted(NamedTuple):
    """A noisy number factor·N + value, less the value of the first that it is compared with."""

    law: NoiseLaw | None
    """None for what is no noise: 0."""
    factor: Exact
    value: Exact


class ComparedRuns(NamedTuple):
    """All paths, each with its outcome, and the numbers by their place among those drawn, of which 0 is no noise."""

    numbers: Mapping[int, Shifted]
    paths: list[tuple[OrderOfNoise, Hashable]]


class _OtherUse(Interruption):
    """Ends a run that asks for more."""


def compared_on(question: Question, domain: Endless, region: AffineRegion) -> ComparedRuns | None:
    """The paths of a mechanism on unknown numbers; None where it asks for anything but comparisons of noise.

    Each comparison is between two noisy numbers that have one difference of values on all paths.
    """
    form = form_of(question.mechanism, question.arguments)
    if form is None:
        return None
    calls, paths, symbol, limits = Calls(), list[_Path](), question.symbol, question.limits
    mechanism, trail, told = form.value(question.mechanism), Trail(limits.draws), _Told()
    calls.handed = form.handed
    notes.refused = None
    counting = counted_rows() if isinstance(domain, Histograms) else nullcontext()
    try:
        with on_unknown_numbers(), counting, drawn_by(calls.draw_now), stopwatch(mechanism, limits.seconds) as start:
            key_order.begin()
            start(domain)
            numbers = numbers_on(region)
            given = form.arguments((domain.database(numbers),), domain.parameters(question.arguments, numbers))
            while len(paths) < _MOST_PATHS:
                path = _OrderPath(calls, trail, limits, told)
                calls.running.append(path.whole)
                outcome = as_held(form.users(mechanism(path.whole.draw, *given[0], **given[1])))
                calls.running.pop()
                asks_more = calls.refused or notes.refused or key_order.is_asked or (symbol and symbol.refused)
                if asks_more or not is_plain(outcome):
                    return None
                path.finish()
                paths.append((path.order, outcome))
                if not trail.advance():
                    refuse_lookalikes((outcome for _, outcome in paths), {})
                    return ComparedRuns(known, paths) if (known := told.numbers()) else None
    except (_OtherUse, Exception):  # which is told where the mechanism is decided otherwise
        return None
    finally:
        notes.refused = None
    return None


_MOST_PATHS: Final = 2_500  # of 6 numbers that are sorted there are 720, and of 12 of which the best is kept 2,048
_MOST_NOISES: Final = 64  # a mechanism that never ends is not run for long


class _Told:
    """The numbers, as all paths together tell of them."""

    def __init__(self) -> None:
        self._noises: dict[int, tuple[NoiseLaw | None, Exact]] = {0: (None, ZERO)}
        self._differences: dict[tuple[int, int], Exact] = {}

    def compared(self, value: NoiseValue) -> tuple[int, int]:
        """The two numbers whose difference a value is; 0 stands for no noise."""
        sides = [0, 0]
        for noise, factor in value.parts:
            if _is_open(factor) or any(_is_open(getattr(noise.law, each.name)) for each in fields(noise.law)):  # type: ignore[arg-type]  # a dataclass
                raise _OtherUse
            side, known = int(factor < 0), (noise.law, abs(factor))
            if sides[side] or self._noises.setdefault(noise.number, known) != known:
                raise _OtherUse
            sides[side] = noise.number
        upper, lower = sides
        if not are_same(self._differences.setdefault((upper, lower), value.shift), value.shift):
            raise _OtherUse
        return upper, lower

    def numbers(self) -> Mapping[int, Shifted] | None:
        """The numbers; None where no values have all these differences."""
        values: dict[int, Exact] = {}
        for start in sorted(self._noises):
            values.setdefault(start, ZERO)
            for _ in self._noises:
                for (a, b), value in self._differences.items():
                    if b in values:
                        values.setdefault(a, values[b] + value)
                    elif a in values:
                        values[b] = values[a] - value
        if not all(are_same(values[a] - values[b], value) for (a, b), value in self._differences.items()):
            return None
        return {place: Shifted(*noise, values[place]) for place, noise in self._noises.items()}


def are_same(one: Exact, other: Exact) -> bool:
    """True where two sums of unknown numbers are seen to be one."""
    return total((one, negative(other))) is ZERO


def _is_open(number: object) -> bool:
    return isinstance(number, Exact) and number.symbol is not None and number.symbol.is_whole


class _OrderPath(PlainPath):
    """A path whose conditions say which of two numbers is above the other."""

    def __init__(self, calls: Calls, trail: Trail, limits: Limits, told: _Told) -> None:
        super().__init__(calls, trail, limits, self._other_use)
        self.order: dict[tuple[int, int], bool] = {}
        self._told = told

    def noise(self, caller: PlainCall, law: NoiseLaw) -> NoiseValue:
        value = super().noise(caller, law)
        if isinstance(law, PointMass) or value.parts[0][0].number > _MOST_NOISES:
            raise _OtherUse
        return value

    def answer(self, value: NoiseValue, relation: Comparator) -> bool:
        discrete = {noise.law.discrete for noise, _ in value.parts}
        if len(discrete) > 1:
            raise _OtherUse
        a, b = self._told.compared(value)
        above, below = self.order.get((a, b)), self.order.get((b, a))
        least = 1 if above else 0 if above is False else -1
        most = -1 if below else 0 if below is False else 1
        signs = [sign for sign in (1, 0, -1) if least <= sign <= most and (sign or discrete == {True})]
        answers = [[sign for sign in signs if HOLDS[relation](sign) is holds] for holds in (True, False)]
        if min(map(len, answers)) and 0 in signs and relation in EQUALITIES:
            answers = [[sign] for sign in signs]
        signs, _ = self._trail.taken((a, b, relation), lambda: [(each, None) for each in answers if each])
        if min(signs) >= 0:
            self._learn(a, b, strict=0 not in signs)
        if max(signs) <= 0:
            self._learn(b, a, strict=0 not in signs)
        return HOLDS[relation](signs[0])

    def _learn(self, a: int, b: int, *, strict: bool) -> None:
        over = [(a, False), *((x, is_strict) for (x, y), is_strict in self.order.items() if y == a)]
        under = [(b, False), *((y, is_strict) for (x, y), is_strict in self.order.items() if x == b)]
        for x, first in over:
            for y, last in under:
                if x != y:
                    self.order[x, y] = self.order.get((x, y), False) or first or strict or last

    def _other_use(self, *_: Any) -> NoReturn:
        raise _OtherUse

    chosen = accepted_with = clamped = rounded_down = folded = _other_use  # type: ignore[assignment]  # which takes all


THEOREM_15: Final = "Theorem 15 of docs/theorems.md, on noise that is only compared"

_Pair: TypeAlias = tuple[int, int]
_Path: TypeAlias = tuple[OrderOfNoise, Hashable]


def compared_in(question: Question, domain: Endless) -> ComparedRuns | None:
    """The paths of a mechanism on all databases, at every ε; None where it asks for more than comparisons of noise."""
    scores, symbol = all_scores(domain, question.neighbours), question.symbol
    universe = domain.universe if isinstance(domain, Histograms) else ()
    is_open = scores.every if scores else not universe
    if is_open or not_followed(question.mechanism, question.arguments) is not None:
        return None
    region = _numbers(scores.solutions, (1, -1)) if scores else _numbers(len(universe), (1,))
    found = compared_on(question, domain, region)
    if found is None or symbol is None:
        return found
    put = DistributionSubstitution(symbol, exact("5/2"))
    there = compared_on(question.at(put), domain, region)  # a mechanism may tell a symbol from a number
    known = {place: Shifted(*put(tuple(number))) for place, number in found.numbers.items()}
    if there is None or not all(_are_one(there.numbers.get(place), number) for place, number in known.items()):
        return None
    return found if there.paths == found.paths else None


def _numbers(count: int, signs: Sequence[int]) -> AffineRegion:
    """So many numbers of any size: each is a coordinate, less another one where it may be negative."""
    rows = (tuple(sign * (i == j) for sign in signs for i in range(count)) for j in range(count))
    return AffineRegion((0,) * count, tuple(rows))


# --- The place of the largest score


def as_the_librarys(question: Question, scores: AllScores, compared: ComparedRuns) -> Question | None:
    """The same question of a mechanism of the library that returns the place of the largest score; None for any other.

    Each place has an outcome of its own, so that all claims need the same.
    """
    places, first = range(1, scores.solutions + 1), compared.numbers.get(1)
    law = None if first is None else first.law
    if law is None or len(places) == 1:
        return None
    known = [exact(number) for number in _numbers(len(places), (1, -1)).numbers()]
    for sign in (1, -1):  # of score + noise, and of score - noise
        of_law = [Shifted(law, ONE, sign * (score - known[0])) for score in known]
        if not all(map(_are_one, map(compared.numbers.get, places), of_law)) or (
            sign < 0 and law.mirror_image() != law
        ):
            continue
        largest = [_largest(order, places, sign) for order, _ in compared.paths]
        both = {(place, outcome) for place, (_, outcome) in zip(largest, compared.paths, strict=True)}
        if None not in largest and len(both) == len({outcome for _, outcome in both}) == len(places):
            return _of_the_library(question, law)
    return None


def _are_one(number: Shifted | None, other: Shifted) -> bool:
    return number is not None and number[:2] == other[:2] and are_same(number.value, other.value)


def _largest(order: OrderOfNoise, places: range, sign: int) -> int | None:
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
    known = [{"epsilon": epsilon, "noise": noise} for noise in KNOWN if noise(scale) == law]
    return replace(question, mechanism=max_of_laplaces, parameters=known[0]) if known else None


# --- Moves of the noises


def needed_by_moves(question: Question, domain: Endless, compared: ComparedRuns) -> Exact | None:
    """The ε at which moves of the noises prove (ε, 0)-privacy on all neighbours; None where none are known."""
    forms = [(place, linear_form(number.value)) for place, number in compared.numbers.items()]
    if any(form is None for _, form in forms):
        return None
    known: dict[Hashable, Exact | None] = {}
    orders = [*map(_reduced, _orders(compared.paths))]
    worst: Exact = ZERO
    whole = any(number.law is not None and number.law.discrete for number in compared.numbers.values())
    for step in _steps(question, domain, whole=whole):
        # of a score that is a coordinate less another one the first coordinate moves
        moved = {at: total([n * step[i] for i, n in form[1].items() if i < len(step)]) for at, form in forms if form}
        for pairs in orders:
            needed = {(a, b): moved[b] - moved[a] for a, b in pairs}
            key = tuple(needed.items())
            cost = known[key] = known[key] if key in known else _cheapest(needed, compared.numbers)
            if cost is None:
                return None
            worst = max(worst, cost)
    return worst


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


def _orders(paths: Sequence[_Path], *, by_top: bool = False, among: Sequence[_Path] = ()) -> Iterator[OrderOfNoise]:
    """The orders that all paths to an outcome have in common, where no other path, `among` all, has it.

    Else those of paths in which one number is on top, which the outcome is computed from; else that of each path.
    """
    groups: dict[Hashable, list[_Path]] = {}
    for order, outcome in paths:
        top = frozenset(a for a, _ in order) - {b for _, b in order} if by_top else None
        groups.setdefault((outcome, top), []).append((order, outcome))
    for part in groups.values():
        if _are_all(part, among or paths):
            yield _common(part)
        else:
            yield from (order for order, _ in part) if by_top else _orders(part, by_top=True, among=paths)


def _common(part: Sequence[_Path]) -> OrderOfNoise:
    pairs = set(part[0][0]).intersection(*(order for order, _ in part))
    return {pair: all(order[pair] for order, _ in part) for pair in pairs}


def _are_all(part: Sequence[_Path], paths: Sequence[_Path]) -> bool:
    """True where no other path may have what these have in common."""
    common, own = _common(part), {id(order) for order, _ in part}
    return all(id(order) in own or _exclude(common, order) for order, _ in paths)


def _exclude(one: OrderOfNoise, other: OrderOfNoise) -> bool:
    return any((b, a) in other and (strict or other[b, a]) for (a, b), strict in one.items())


def _reduced(order: OrderOfNoise) -> tuple[_Pair, ...]:
    """The pairs of an order that do not follow from others."""
    if any((b, a) in order for a, b in order):
        return tuple(order)
    places = {a for a, _ in order}
    return tuple((a, c) for a, c in order if not any((a, b) in order and (b, c) in order for b in places))


def _cheapest(needed: Mapping[_Pair, Exact], numbers: Mapping[int, Shifted]) -> Exact | None:
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
        known = [each for by in breaks if (each := _cost_of_star(centre, by, star, numbers)) is not None]
        if not known:
            return None
        cost += min(known)
    return cost


def _cost_of_star(
    centre: int, move: Exact, star: Mapping[_Pair, Exact], numbers: Mapping[int, Shifted]
) -> Exact | None:
    """The least cost where the centre is moved so far; None where others cannot be moved as is needed then."""
    others = ((b, min(ZERO, move - r)) if a == centre else (a, max(ZERO, move + r)) for (a, b), r in star.items())
    costs = [_cost(numbers[place], by) for place, by in ((centre, move), *others)]
    known = [cost for cost in costs if cost is not None]
    return total(known) if len(known) == len(costs) else None


def _cost(number: Shifted, move: Exact) -> Exact | None:
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
