"""Output distributions by steps: stretches of a mechanism between its program points, from states that are merged.

A state is a program point with the live values there, in canonical form. Each state is left once, by the paths of the
stretch that begins with it, also where many paths of the mechanism lead to it: the weights of these are added. That is
right as what follows is a function of the state, and the distribution is linear in the weights. A stretch is run as
whole mechanisms are, and goes on through points at which something is alive that has no canonical form, such as noise.
What a stretch does not name it hands on, so that it is run once for all states that differ in that alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import lcm
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from flint import Ordering, fmpq, fmpq_mat, fmpz_mpoly_ctx

from dpverify.mechanisms.drawing.program_points import END, ITEM, Point
from dpverify.mechanisms.drawing.states import NONE_LEFT, Left, NoCanonicalForm, States
from dpverify.mechanisms.numbers.errors import Interruption
from dpverify.mechanisms.numbers.exact_numbers import Exact, power, product, rational, total, unit_of
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import Releases


class NotBySteps(Interruption):
    """Ends steps of a mechanism whose distribution is to be found by whole runs."""


class Run(Protocol):
    """A run of a stretch, which has come to an end."""

    def finish(self) -> None:
        """Check that the run asked everything that the run before it had asked."""

    def probability(self) -> Exact:
        """The probability of the path, apart from released noise."""

    def returned(self, law: Distribution[Any]) -> Distribution[Any]:
        """The distribution that the mechanism returned."""

    def released(self, outcome: Any) -> tuple[Any, Releases]:
        """The template of an outcome, and the releases in its slots."""


State: TypeAlias = tuple[int, tuple[int, ...]]
"""A point, and the numbers of the values that are live there."""


class _Edge(NamedTuple):
    """The way from a state to another one, or, where the point is `END`, to the outcome of the number."""

    point: int
    numbers: tuple[int, ...]
    chance: Exact
    moves: tuple[tuple[int, int], ...] = ()
    """Places of what is handed on: there and here."""


class Stretch:
    """One stretch, as a mechanism that the paths of are found; it collects what they lead to."""

    size = 0

    def __init__(self, steps: Steps, point: int) -> None:
        self._steps, self._point = steps, point
        self.edges: list[_Edge] = []
        self.named: set[str] = set()
        self._reached: State | None = None

    def __call__(self, draw: Any, *args: Any, **kwargs: Any) -> Any:
        """Run the stretch, and further ones until a state has a canonical form."""
        point, been = self._point, {self._point}
        self._reached = None
        while True:
            here = self._steps.points[point]
            assert here.code is not None, "loops are left by `Steps`"
            self.named |= here.named
            point, values = here.code(draw, *args, **kwargs)
            if point == END:
                return values
            try:
                self._reached = point, self._steps.numbers(point, values)
                return None
            except NoCanonicalForm:
                if point in been or self._steps.points[point].loop:
                    raise NotBySteps from None
            been.add(point)
            args, kwargs = values, {}

    def add(self, outcome: Any, run: Run) -> None:
        """Add a path that has come to its end."""
        run.finish()
        if self._reached is not None:
            self.edges.append(_Edge(*self._reached, run.probability()))
        elif isinstance(outcome, Distribution):
            weight = run.probability()
            for leaf, chance in run.returned(outcome).leaves:
                self._end(leaf, (), product((weight, chance)))
        else:
            self._end(*run.released(outcome), run.probability())

    def _end(self, template: Any, releases: Releases, chance: Exact) -> None:
        self.edges.append(_Edge(END, (self._steps.outcome(template, releases),), chance))


Paths: TypeAlias = Callable[[Stretch, tuple[Any, ...], Mapping[str, Any]], None]
"""Runs all paths of a stretch."""


class Steps:
    """The states of one mechanism, over all databases on which it is run."""

    def __init__(self, points: Sequence[Point], outside: Callable[[Any], bool], paths: Paths, most: int) -> None:
        self.points, self._paths, self._most = points, paths, most
        self._states = States(outside)
        self._known: dict[State, int] = {}
        """The places of states."""
        self._all: list[State] = []
        self._left: list[list[tuple[int, Exact]] | None] = []
        """By place of a state its successors, states by their places and outcomes by −1 − theirs."""
        self._named = [frozenset(point.named) for point in points]
        self._memo: dict[State, list[_Edge]] = {}
        self._outcomes: list[tuple[Any, Releases]] = []
        self._merged = 0

    def numbers(self, point: int, values: Sequence[Any]) -> tuple[int, ...]:
        """The numbers of the values that are live at a point. Raises `NoCanonicalForm`."""
        loop, live = self.points[point].loop, self.points[point].live
        if loop is not None:
            place = live.index(loop.left)
            values = [*values[:place], Left(self._states.left(values[place])), *values[place + 1 :]]
        return self._states.number(values)[0]

    def outcome(self, template: Any, releases: Releases) -> int:
        """The number of a new outcome."""
        self._outcomes.append((template, releases))
        return len(self._outcomes) - 1

    def reached(self, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> Iterator[tuple[Any, Releases, Exact]]:
        """The outcomes of a mechanism with their probabilities; one may come several times. Raises `NotBySteps`."""
        first = Stretch(self, 0)
        self._paths(first, args, parameters)
        begun = [self._successor(edge, ()) for edge in first.edges]
        for outcome, chance in self._solved(begun):
            yield *self._outcomes[outcome], chance

    def _successor(self, edge: _Edge, numbers: tuple[int, ...]) -> tuple[int, Exact]:
        """The place of what an edge leads to, with its probability."""
        if edge.point == END:
            return -1 - edge.numbers[0], edge.chance
        made = edge.numbers
        if edge.moves:
            listed = list(made)
            for there, here in edge.moves:
                listed[there] = numbers[here]
            made = tuple(listed)
        state = self._behind_heads((edge.point, made))
        place = self._known.get(state)
        if place is None:
            place = self._known[state] = len(self._all)
            self._all.append(state)
            self._left.append(None)
        else:
            self._merged += 1
        return place, edge.chance

    def _behind_heads(self, state: State) -> State:
        """The state with which the next stretch begins, where loops begin another round or are left."""
        point, numbers = state
        while (loop := self.points[point].loop) is not None:
            live = self.points[point].live
            known = dict(zip(live, numbers, strict=True))
            left = self._states.values((known[loop.left],))[0].number
            if left == NONE_LEFT:
                point = loop.behind
            else:
                known[ITEM], rest = self._states.next(left)
                known[loop.left] = self._states.number((Left(rest),))[0][0]
                point = loop.body
            numbers = tuple([known[name] for name in self.points[point].live])
        return point, numbers

    def _leave(self, place: int) -> list[tuple[int, Exact]]:
        point, numbers = self._all[place]
        edges = self._edges(point, numbers)
        return [self._successor(edge, numbers) for edge in edges]

    def _edges(self, point: int, numbers: tuple[int, ...]) -> list[_Edge]:
        here = self.points[point]
        changes = self._states.can_change(numbers)
        while True:
            named = self._named[point]
            key = (
                point,
                numbers
                if changes
                else tuple([number if name in named else -1 for name, number in zip(here.live, numbers, strict=True)]),
            )
            known = self._memo.get(key)
            if known is not None:
                return known
            stretch = Stretch(self, point)
            self._paths(stretch, self._states.values(numbers), {})
            if stretch.named <= named:
                break
            self._named[point] = named | stretch.named
        moves: dict[int, tuple[tuple[int, int], ...]] = {}
        for edge in stretch.edges if not changes else ():
            if edge.point != END:
                live = self.points[edge.point].live
                handed = [(live.index(name), i) for i, name in enumerate(here.live) if name in live]
                moves[edge.point] = tuple([(there, i) for there, i in handed if here.live[i] not in named])
        made = [edge._replace(moves=moves.get(edge.point, ())) for edge in stretch.edges]
        self._memo[key] = made
        return made

    # --- Weights

    def _solved(self, begun: list[tuple[int, Exact]]) -> Iterator[tuple[int, Exact]]:
        """The outcomes that are reached, with the weights that the paths there add up to."""
        before, waiting = self._merged, [place for place, _ in begun if place >= 0]
        entering: dict[int, int] = dict.fromkeys(waiting, 0)
        waiting = list(entering)
        order = 0
        while waiting:
            place = waiting.pop()
            successors = self._left[place]
            if successors is None:
                successors = self._left[place] = self._leave(place)
            for to, _ in successors:
                if to >= 0:
                    if to in entering:
                        entering[to] += 1
                    else:
                        entering[to] = 1
                        waiting.append(to)
            order += 1
            if order > self._most or (order == _UNMERGED and self._merged == before):
                raise NotBySteps
        weights = _Weights(
            chance for part in (begun, *map(self._left.__getitem__, entering)) for _, chance in part or ()
        )
        yield from weights.spread(begun, entering, self._left)


_UNMERGED: Final = 256
"""States after which steps are given up where none was reached twice: whole runs are faster there."""


class _Weights:
    """Weights of states as whole numbers, or polynomials in what is no rational number, over powers of one number.

    So that they are added and multiplied without a greatest common divisor, and with like terms collected.
    """

    def __init__(self, chances: Iterable[Exact]) -> None:
        self._chances = {chance.serial: chance for chance in chances}
        terms = [term for chance in self._chances.values() for term in chance.terms]
        self._below = lcm(*(int(term.coefficient.q) for term in terms))
        self._units = list({term.unit: unit_of(term) for term in terms if not term.is_rational}.values())
        if len(self._units) > _MOST_UNITS:
            raise NotBySteps
        names = tuple(f"x{i}" for i in range(len(self._units)))
        self._context = fmpz_mpoly_ctx.get(names, Ordering.lex) if names else None
        self._places = {unit.unit: i for i, unit in enumerate(self._units)}
        self._whole = {serial: self._as_whole(chance) for serial, chance in self._chances.items()}

    def _as_whole(self, chance: Exact) -> Any:
        """A chance, times the number below."""
        parts: dict[tuple[int, ...], int] = {}
        for term in chance.terms:
            place = self._places.get(term.unit, -1)
            exponents = tuple(int(i == place) for i in range(len(self._units)))
            parts[exponents] = int(term.coefficient * self._below)
        return parts[()] if self._context is None else self._context.from_dict(parts)

    def spread(
        self,
        begun: Sequence[tuple[int, Exact]],
        entering: dict[int, int],
        successors: Sequence[Sequence[tuple[int, Exact]] | None],
    ) -> Iterator[tuple[int, Exact]]:
        """The outcomes with their weights, where it begins with some of the states, which as many edges enter."""
        whole, found = self._whole, dict[int, tuple[Any, int]]()
        ready = [place for place, count in entering.items() if not count]
        for to, chance in begun:
            self._add(found, to, whole[chance.serial], 1)
        while ready:
            place = ready.pop()
            weight, power = found.pop(place)
            for to, chance in successors[place] or ():
                share = weight * whole[chance.serial]
                known = found.get(to)
                if known is None:
                    found[to] = share, power + 1
                elif known[1] == power + 1:
                    found[to] = known[0] + share, power + 1
                else:
                    self._add(found, to, share, power + 1)
                if to >= 0:
                    entering[to] -= 1
                    if not entering[to]:
                        ready.append(to)
        again = [place for place, count in entering.items() if count]
        if again:
            yield from self._recurring(again, found, successors)
        for to, (weight, power) in found.items():
            if to < 0:
                yield -1 - to, self._exact(weight, power)

    def _add(self, found: dict[int, tuple[Any, int]], to: int, share: Any, power: int) -> None:
        known, of_known = found.get(to, (0, power))
        most = max(power, of_known)
        found[to] = known * self._below ** (most - of_known) + share * self._below ** (most - power), most

    def _recurring(
        self,
        again: Sequence[int],
        found: dict[int, tuple[Any, int]],
        successors: Sequence[Sequence[tuple[int, Exact]] | None],
    ) -> Iterator[tuple[int, Exact]]:
        """The outcomes behind states that recur: their expected visits solve (I - T)x = b."""
        if self._context is not None or len(again) > _MOST_RECURRING:
            raise NotBySteps
        rows = {place: row for row, place in enumerate(again)}
        system, entered = fmpq_mat(len(again), len(again)), fmpq_mat(len(again), 1)
        for place, row in rows.items():
            system[row, row] += 1
            weight, power = found.pop(place, (0, 0))
            entered[row, 0] = fmpq(weight, self._below**power)
            for to, chance in successors[place] or ():
                if to >= 0:
                    system[rows[to], row] -= chance.terms[0].coefficient
        try:
            visits = system.solve(entered)
        except ZeroDivisionError:
            raise NotBySteps from None
        for place, row in rows.items():
            for to, chance in successors[place] or ():
                if to < 0:
                    yield -1 - to, rational(visits[row, 0] * chance.terms[0].coefficient)

    def _exact(self, weight: Any, power_of_below: int) -> Exact:
        below = self._below**power_of_below
        if self._context is None:
            return rational(fmpq(weight, below))
        return total(
            product((rational(fmpq(int(count), below)), *map(power, self._units, map(int, exponents))))
            for exponents, count in weight.to_dict().items()
        )


_MOST_UNITS: Final = 24
_MOST_RECURRING: Final = 300
