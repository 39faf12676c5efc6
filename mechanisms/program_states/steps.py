"""Output distributions by steps: stretches of a mechanism between its program points, from states that are merged.

A state is a program point with the live values there, in canonical form. Each state is left once, by the paths of the
stretch that begins with it, also where many paths of the mechanism lead to it: the weights of these are added. That is
right as what follows is a function of the state, and the distribution is linear in the weights. A stretch is run as
whole mechanisms are, and goes on through points at which something is alive that has no canonical form, such as two
noises that are tied. Of other live noise the state holds the weight as a function of it; what dies is integrated.
What a stretch does not name it hands on, so that it is run once for all states that differ in that alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from math import lcm
from operator import itemgetter
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from flint import Ordering, fmpq, fmpz_mpoly_ctx, fmpz_poly

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.numbers.decision import sign
from dpverify.mechanisms.numbers.errors import Interruption
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    combination,
    exact,
    power,
    product,
    rational,
    total,
    unit_of,
)
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import Releases
from dpverify.mechanisms.program_states.program_points import END, ITEM, ProgramPoint
from dpverify.mechanisms.program_states.states import NONE_LEFT, NoCanonicalForm, NoisyRun, States


class NotBySteps(Interruption):
    """Ends steps of a mechanism whose distribution is to be found by whole runs."""


class Path(Protocol):
    """One run of a mechanism, or of a stretch of one, which has returned."""

    is_bounded: bool
    """True where conditions on what it releases were left out of its probability, which they bound from above."""

    def finish(self) -> None:
        """Check that the run asked everything that the run before it had asked."""

    def probability(self) -> Exact:
        """The probability of the path, apart from released noise."""

    def returned(self, law: Distribution[Any]) -> Distribution[Any]:
        """The law that it returned, as it is drawn from."""

    def released(self, outcome: Any) -> tuple[Hashable, Releases]:
        """The template of an outcome, and the releases in its slots."""


Successors: TypeAlias = Sequence[Sequence[tuple[int, int]] | None] | Mapping[int, Sequence[tuple[int, int]]]
"""By the place of a state what it leads to, with the chances."""

State: TypeAlias = tuple[int, tuple[int, ...]]
"""A point, and the numbers of the values that are live there."""


Picking: TypeAlias = Callable[[tuple[int, ...]], tuple[int, ...]]


class _Edge(NamedTuple):
    """The way from a state to another one, or, where the point is `END`, to the outcome of the number."""

    point: int
    numbers: tuple[int, ...]
    chance: int
    picked: Picking = tuple
    """The numbers there, of those here followed by these, and by item and rest where a loop begins a round."""
    left: int = -1
    """The place among these of what is left at the head of a loop; −1 where it leads to no head."""
    behind: tuple[int, Picking] = (END, tuple)
    """The point behind a loop that is left, and the numbers there."""


class ProgramStretch:
    """One stretch, as a mechanism that the paths of are found; it collects what they lead to."""

    size = 0

    def __init__(self, steps: StateGraph, point: int) -> None:
        self._steps, self._point = steps, point
        self.edges: list[_Edge] = []
        self.named: frozenset[str] = frozenset()
        self._reached: State | None = None

    def __call__(self, draw: Any, *args: Any, **kwargs: Any) -> Any:
        """Run the stretch, and further ones until a state has a canonical form."""
        point, been, cells = self._point, {self._point}, set[str]()
        if point:
            args = self._steps.values(args, draw.call)
        self._reached = None
        while True:
            here = self._steps.points[point]
            assert here.code is not None, "loops are left by `StateGraph`"
            self.named |= here.named
            point, values = here.code(draw, *args, **kwargs)
            if point == END:
                return values
            try:
                self._reached = point, self._steps.numbers(point, values, draw.call)
                return None
            except NoCanonicalForm:
                cells |= {*here.code.__code__.co_cellvars}  # of functions that see what it binds, not another one
                if point in been or self._steps.points[point].loop or cells & self._steps.points[point].bound:
                    raise NotBySteps from None
            been.add(point)
            args, kwargs = values, {}

    def add(self, outcome: Any, run: Path) -> None:
        """Add a path that has come to its end."""
        run.finish()
        if self._reached is not None:
            self.edges.append(_Edge(*self._reached, self._steps.chance(run.probability())))
        elif isinstance(outcome, Distribution):
            weight = run.probability()
            for leaf, chance in run.returned(outcome).leaves:
                self._end(leaf, (), product((weight, chance)))
        else:
            self._end(*run.released(outcome), run.probability())

    def _end(self, template: Any, releases: Releases, chance: Exact) -> None:
        self.edges.append(_Edge(END, (self._steps.outcome(template, releases),), self._steps.chance(chance)))


AllPaths: TypeAlias = Callable[[ProgramStretch, tuple[Any, ...], Mapping[str, Any]], None]
"""Runs all paths of a stretch."""


class _Head(NamedTuple):
    """The head of a loop: the place of what is left, and the points of its body and behind it, with the numbers there.

    They are picked from those at the head; in a round the numbers of item and rest are behind these.
    """

    left: int
    body: int
    of_body: tuple[int, ...]
    behind: int
    of_behind: tuple[int, ...]

    def next(self, numbers: tuple[int, ...], left: Mapping[int, tuple[int, int]]) -> State:
        """The state with which a round begins, or the one behind the loop."""
        if numbers[self.left] == NONE_LEFT:
            return self.behind, tuple([numbers[i] for i in self.of_behind])
        numbers += left[numbers[self.left]]
        return self.body, tuple([numbers[i] for i in self.of_body])


def _head(points: Sequence[ProgramPoint], point: ProgramPoint) -> _Head | None:
    loop = point.loop
    if loop is None:
        return None
    places = {name: i for i, name in enumerate(point.live)}
    in_round = {**places, ITEM: len(places), loop.left: len(places) + 1}
    of_body = tuple([in_round[name] for name in points[loop.body].live])
    of_behind = tuple([places[name] for name in points[loop.behind].live])
    return _Head(places[loop.left], loop.body, of_body, loop.behind, of_behind)


class StateGraph:
    """The states of one mechanism, over all databases on which it is run."""

    def __init__(
        self, points: Sequence[ProgramPoint], outside: Callable[[Any], bool], paths: AllPaths, most: int
    ) -> None:
        self.points, self._paths, self._most = points, paths, most
        self._heads = [_head(points, point) for point in points]
        self._states = States(outside)
        self._places: dict[State, int] = {}
        self._all: list[State] = []
        self._left: list[tuple[tuple[int, int], ...] | None] = []
        """By place of a state its successors, states by their places and outcomes by −1 − theirs, and the chances."""
        self._named = [_named(point, point.named) for point in points]
        self._edges: dict[Hashable, list[_Edge]] = {}
        self._visited = self._merged = 0
        """The number of states that were left, on all databases, and how often one was reached again."""
        self._outcomes: list[tuple[Any, Releases]] = []
        self._chances: dict[int, Exact] = {}
        """By their serial numbers."""
        self.has_rounds = any(point.has_rounds for point in points)

    def numbers(self, point: int, values: Sequence[Any], run: NoisyRun) -> tuple[int, ...]:
        """The numbers of the values that are live at a point. Raises `NoCanonicalForm`."""
        head = self._heads[point]
        return self._states.numbers(values, run, None if head is None else head.left)

    @property
    def is_full(self) -> bool:
        """True where so many states are kept that further ones are to be kept by another one."""
        return len(self._all) > _MOST_STATES

    def values(self, numbers: tuple[int, ...], run: NoisyRun) -> tuple[Any, ...]:
        """The values of a state for a run."""
        return self._states.values(numbers, run)

    def outcome(self, template: Any, releases: Releases) -> int:
        """The number of a new outcome."""
        self._outcomes.append((template, releases))
        return len(self._outcomes) - 1

    def chance(self, chance: Exact) -> int:
        """The number of a chance."""
        return self._chances.setdefault(chance.serial, chance).serial

    def reached(self, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> Iterator[tuple[Any, Releases, Exact]]:
        """The outcomes of a mechanism with their probabilities; one may come several times. Raises `NotBySteps`."""
        begun, entering, weights = self._begun(args, parameters)
        for outcome, chance in weights.spread(begun, entering, self._left):
            yield *self._outcomes[outcome], chance

    def _begun(
        self, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> tuple[list[tuple[int, int]], dict[int, int], _Weights]:
        """The states in which a mechanism begins, those that they lead to, as of `_all_from`, and the weights."""
        first = ProgramStretch(self, 0)
        self._paths(first, args, parameters)
        begun = [self._successor(self._handing_on(edge, {}, 0), ()) for edge in first.edges]
        entering, chances = self._all_from(begun)
        is_merged = sum(entering.values()) + len(begun) > len(entering)
        return begun, entering, _Weights(self._chances, chances, is_merged=is_merged)

    def round(self, args: tuple[Any, ...], parameters: Mapping[str, Any], again: Any) -> tuple[Mechanism, Exact] | None:
        """One round of a mechanism that begins in one state, to which its rounds lead again; the chance that none does.

        As part of another run, whose noise its own becomes; it returns `again` where another round follows. None for a
        mechanism that has other rounds.
        """
        begun, entering, weights = self._begun(args, parameters)
        first = begun[0][0]
        if len(begun) > 1 or first < 0 or not entering[first]:
            return None
        point, numbers = self._all[first]
        left = {
            place: [(-1 - len(self._outcomes) if to == first else to, chance) for to, chance in self._left[place] or ()]
            for place in entering
        }
        entering[first] = 0
        chances = [
            chance for outcome, chance in weights.spread(begun, entering, left) if outcome == len(self._outcomes)
        ]
        if any(entering.values()) or sum(self._all[place][0] == point for place in entering) > 1:
            return None

        def one(draw: Any) -> Any:
            at, values = point, self._states.values(numbers, draw.call)
            while (code := self.points[at].code) is not None:
                at, values = code(draw, *values)
                if at in (END, point):
                    return values if at == END else again
            raise NotBySteps

        return one, ONE - total(chances)

    def _all_from(self, begun: Sequence[tuple[int, int]]) -> tuple[dict[int, int], set[int]]:
        """All states that are reached, with the number of edges that enter them, and the chances of these edges."""
        entering, chances = {place: 0 for place, _ in begun if place >= 0}, {chance for to, chance in begun if to >= 0}
        waiting = [*entering]
        for order, place in enumerate(waiting, 1):  # first come first served: in other orders states merge later
            successors = self._left[place]
            if successors is None:
                numbers = self._all[place][1]
                edges = self._edges_from(*self._all[place])
                successors = self._left[place] = tuple([self._successor(edge, numbers) for edge in edges])
            for to, chance in successors:
                if to >= 0:
                    chances.add(chance)
                    if to in entering:
                        entering[to] += 1
                        self._merged += 1
                    else:
                        entering[to] = 1
                        waiting.append(to)
            self._visited += 1
            shared = self._merged + self._visited - len(self._edges)
            is_much = max(order // _STATES_A_RUN, len(self._edges)) > self._most
            if is_much or (self._visited % _UNMERGED == 0 and shared < self._visited // _SELDOM):
                raise NotBySteps
        return entering, chances

    def _successor(self, edge: _Edge, numbers: tuple[int, ...]) -> tuple[int, int]:
        """The place of what an edge leads to, behind the heads of loops, and its chance."""
        point, made, chance, picked, place, behind = edge
        if point == END:
            return -1 - made[0], chance
        numbers += made
        if place >= 0:
            left = numbers[place]
            if left == NONE_LEFT:
                point, picked = behind
            else:
                numbers += self._states.next[left]
        state = point, picked(numbers)
        while (head := self._heads[state[0]]) is not None:  # of a loop around the one that is left
            state = head.next(state[1], self._states.next)
        dead = self._states.mass_of_dead(made, state[1])
        if dead is not ONE:
            chance = self.chance(product((self._chances[chance], dead)))
        known = self._places.get(state)
        if known is None:
            known = self._places[state] = len(self._all)
            self._all.append(state)
            self._left.append(None)
        return known, chance

    def _edges_from(self, point: int, numbers: tuple[int, ...]) -> list[_Edge]:
        changing = self._states.changing(numbers)
        while True:
            named, places = self._named[point]
            key = (point, changing, tuple([numbers[i] for i in places]))
            known = self._edges.get(key)
            if known is not None:
                return known
            stretch = ProgramStretch(self, point)
            self._paths(stretch, numbers, {})
            if stretch.named <= named:
                break
            self._named[point] = _named(self.points[point], named | stretch.named)
        here = self.points[point].live
        live = {name: i for i, name in enumerate(here) if name not in named and not (changing and changing[i])}
        self._edges[key] = made = [self._handing_on(edge, live, len(here)) for edge in stretch.edges]
        return made

    def _handing_on(self, edge: _Edge, live: Mapping[str, int], size: int) -> _Edge:
        """An edge that hands on what is live and was not named, by their places among so many numbers."""
        if edge.point == END:
            return edge
        places = [live.get(name, size + i) for i, name in enumerate(self.points[edge.point].live)]
        head = self._heads[edge.point]
        if head is None:
            return edge._replace(picked=_picking(places))
        of_round = [*places, size + len(places), size + len(places) + 1]
        return edge._replace(
            point=head.body,
            picked=_picking([of_round[i] for i in head.of_body]),
            left=places[head.left],
            behind=(head.behind, _picking([places[i] for i in head.of_behind])),
        )


def _picking(places: Sequence[int]) -> Picking:
    return itemgetter(*places) if len(places) > 1 else lambda numbers: tuple([numbers[i] for i in places])


def _named(point: ProgramPoint, names: frozenset[str]) -> tuple[frozenset[str], tuple[int, ...]]:
    """Names, and the places of those that are live at a point."""
    return names, tuple([i for i, name in enumerate(point.live) if name in names])


_MOST_STATES: Final = 1 << 20

_STATES_A_RUN: Final = 5
"""States that may be reached for each stretch that may be run: they take a small part of its time."""

_UNMERGED: Final = 256
_SELDOM: Final = 8
"""Steps are given up where, of so many states, fewer than one of `_SELDOM` was reached, or left, as others were."""


class _Weights:
    """Weights of states as whole numbers, or polynomials in what is no rational number, over powers of one number.

    So that they are added and multiplied without a greatest common divisor, and with like terms collected. Chances of
    what is returned, as of noise that dies there, come last, and are multiplied as they are; so are all where no
    states were merged, or what is no rational number is too much for polynomials.
    """

    def __init__(self, chances: Mapping[int, Exact], inner: Iterable[int], *, is_merged: bool) -> None:
        self._chances = chances
        terms = [term for number in inner for term in chances[number].terms] if is_merged else ()
        self._units = list({term.unit: unit_of(term) for term in terms if not term.is_rational}.values())
        self._is_exact = not is_merged or len(self._units) > _MOST_UNITS
        if self._is_exact:
            self._below, self._one, self._whole = 1, ONE, {number: chances[number] for number in inner}
            return
        self._below = lcm(*(int(term.coefficient.q) for term in terms))
        self._places = {unit.unit: i for i, unit in enumerate(self._units)}
        self._products: dict[tuple[int, ...], Exact] = {}
        names = tuple(f"x{i}" for i in range(len(self._units)))
        context = fmpz_mpoly_ctx.get(names, Ordering.lex) if len(names) > 1 else None
        self._one = self._as_whole(ONE, context)
        self._whole = {number: self._as_whole(chances[number], context) for number in inner}

    def _as_whole(self, chance: Exact, context: Any) -> Any:
        """A chance, times the number below; of one variable in the form that is faster."""
        parts = {self._places.get(term.unit, -1): int(term.coefficient * self._below) for term in chance.terms}
        if context is None:
            return fmpz_poly([parts.get(-1, 0), parts.get(0, 0)]) if self._units else parts.get(-1, 0)
        several = range(len(self._units))
        return context.from_dict({tuple([int(i == place) for i in several]): each for place, each in parts.items()})

    def spread(
        self, begun: Sequence[tuple[int, int]], entering: dict[int, int], successors: Successors
    ) -> Iterator[tuple[int, Exact]]:
        """The outcomes with their weights, where it begins with some of the states, which as many edges enter."""
        whole, found = self._whole, dict[Hashable, tuple[Any, int]]()
        ready = [place for place, count in entering.items() if not count]
        for to, chance in begun:
            self._add(found, *((to, whole[chance], 1) if to >= 0 else ((to, chance), self._one, 1)))
        while ready:
            place = ready.pop()
            weight, power = found.pop(place)
            for to, chance in successors[place] or ():
                if to < 0:
                    self._add(found, (to, chance), weight, power)
                    continue
                share = weight * whole[chance]
                known = found.get(to)
                if known is None:
                    found[to] = share, power + 1
                elif known[1] == power + 1:
                    found[to] = known[0] + share, power + 1
                else:
                    self._add(found, to, share, power + 1)
                entering[to] -= 1
                if not entering[to]:
                    ready.append(to)
        again = [place for place, count in entering.items() if count]
        if again:
            yield from self._recurring(again, found, successors)
        for end, (weight, power) in found.items():
            if isinstance(end, tuple):
                yield -1 - end[0], product((self._exact(weight, power), self._chances[end[1]]))

    def _add(self, found: dict[Hashable, tuple[Any, int]], to: Hashable, share: Any, power: int) -> None:
        known, of_known = found.get(to, (0, power))
        most = max(power, of_known)
        found[to] = known * self._below ** (most - of_known) + share * self._below ** (most - power), most

    def _recurring(
        self, again: Sequence[int], found: dict[Hashable, tuple[Any, int]], successors: Successors
    ) -> Iterator[tuple[int, Exact]]:
        """The outcomes behind states that recur, which are put into what leads to them, one after another."""
        if len(again) > (_MOST_RECURRING_BESIDE if self._units else _MOST_RECURRING):
            raise NotBySteps
        rows: dict[int, dict[int, Exact]] = {place: {} for place in again}
        for place, row in rows.items():
            for to, chance in successors[place] or ():
                row[to] = row.get(to, ZERO) + self._chances[chance]
        first = {place: self._exact(*found.pop(place)) for place in again if place in found}
        for place in reversed(again):
            row = rows.pop(place)
            goes_on = ONE - row.pop(place, ZERO)
            if sign(goes_on) == 0:
                raise NotBySteps
            ended = {to: part / goes_on for to, part in row.items()}
            for other in (first, *rows.values()):
                share = other.pop(place, ZERO)
                for to, part in ended.items() if share is not ZERO else ():
                    other[to] = other.get(to, ZERO) + share * part
        yield from ((-1 - to, weight) for to, weight in first.items())

    def _exact(self, weight: Any, power_of_below: int) -> Exact:
        if self._is_exact:
            return exact(weight)
        below = self._below**power_of_below
        if not self._units:
            return rational(fmpq(weight, below))
        one = len(self._units) == 1
        counts = (((i,), each) for i, each in enumerate(weight.coeffs())) if one else weight.to_dict().items()
        return combination((fmpq(int(count), below), self._powers(tuple(map(int, each)))) for each, count in counts)

    def _powers(self, exponents: tuple[int, ...]) -> Exact:
        known = self._products.get(exponents)
        if known is None:
            known = self._products[exponents] = product(map(power, self._units, exponents))
        return known


_MOST_UNITS: Final = 24
_MOST_RECURRING: Final = 100
_MOST_RECURRING_BESIDE: Final = 32
"""States that recur where chances are rational, and where they are not: then their quotients grow."""
