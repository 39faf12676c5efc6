"""Output distributions by steps: stretches of a mechanism between its program points, from states that are merged.

A state is a program point with the live values there, in canonical form. Each state is left once, by the paths of the
stretch that begins with it, also where many paths of the mechanism lead to it: the weights of these are added. That is
right as what follows is a function of the state, and the distribution is linear in the weights. A stretch is run as
whole mechanisms are, and goes on through points at which something is alive that has no canonical form, such as two
noises that are tied. Of other live noise the state holds the weight as a function of it, a tree of the noises that are
dead; what dies is integrated. A stretch is run with the weights left open, and they are put into what it makes of them;
what it does not name it hands on. So it is run once for all states that differ in these alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from dpverify.mechanisms.comparing.comparisons import with_open_weight
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, product, total
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import Releases
from dpverify.mechanisms.path_conditions.noise_tree import NoiseTree, WeightAskedFor, with_weights
from dpverify.mechanisms.patterns.leads import Lead
from dpverify.mechanisms.program_states.any_order import ItemCounts, Rounds
from dpverify.mechanisms.program_states.program_points import END, IN_NO_ORDER, ITEM, KEPT, ProgramPoint
from dpverify.mechanisms.program_states.states import REST, NoCanonicalForm, NoisyRun, States
from dpverify.mechanisms.program_states.weights import CERTAIN, AfterRows, Edges, NotBySteps, StateWeights


class Path(Protocol):
    """One run of a mechanism, or of a stretch of one, which has returned."""

    is_bounded: bool
    """True where conditions on what it releases were left out of its probability, which they bound from above."""

    @property
    def lead(self) -> Lead | None:
        """The best of several numbers, where that is all that it has chosen and learnt."""

    def finish(self) -> None:
        """Check that the run asked everything that the run before it had asked."""

    def probability(self) -> Exact:
        """The probability of the path, apart from released noise."""

    def returned(self, law: Distribution[Any]) -> Distribution[Any]:
        """The law that it returned, as it is drawn from."""

    def released(self, outcome: Any) -> tuple[Hashable, Releases]:
        """The template of an outcome, and the releases in its slots."""


class PathOfStretch(Path, Protocol):
    """A run of a stretch."""

    def dead_noise(self) -> Sequence[NoiseTree]:
        """See `MechanismRun`."""


State: TypeAlias = tuple[int, tuple[int, ...]]
"""A point, and the numbers of the values that are live there."""


Picking: TypeAlias = Callable[[tuple[int, ...]], tuple[int, ...]]


class _Edge(NamedTuple):
    """The way from a state to another one, or, where the point is `END`, to the outcome of the number."""

    point: int
    numbers: tuple[int, ...]
    chance: int
    dead: Sequence[NoiseTree] = ()
    """The noises that die on the way, where the weights here are put in; their probabilities are put to the chance."""
    picked: Picking = tuple
    """The numbers there, of those here followed by these."""


class ProgramStretch:
    """One stretch, as a mechanism that the paths of are found; it collects what they lead to."""

    size, goes_on = 0, False

    @property
    def keeps_apart(self) -> bool:
        """See `StateGraph`."""
        return self._steps.keeps_apart

    @property
    def line(self) -> int:
        """The line at which it begins."""
        return self._steps.points[self._point].line

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
                if self.keeps_apart:  # a list may be another one, to which no more than this stretch appends
                    raise NotBySteps("what is alive has no canonical form", here.line) from None
                cells |= here.seen
                there = self._steps.points[point]
                if there.code is None and not there.loop:
                    self.named |= {*there.live}
                    result, (point, *kept) = values
                    values, there = (result, *kept), self._steps.points[point]
                if point in been or there.loop or cells & there.bound:
                    raise NotBySteps("what is alive has no canonical form", there.line) from None
            been.add(point)
            args, kwargs, self.goes_on = values, {}, True

    def add(self, outcome: Any, run: PathOfStretch) -> None:
        """Add a path that has come to its end."""
        run.finish()
        steps, ends = self._steps, list[tuple[int, tuple[int, ...], Exact]]()
        if self._reached is not None:
            ends.append((*self._reached, ONE))
        elif isinstance(outcome, Distribution):
            ends += [(END, (steps.outcome(leaf, ()),), chance) for leaf, chance in run.returned(outcome).leaves]
        else:
            ends.append((END, (steps.outcome(*run.released(outcome)),), ONE))
        dead, weight = run.dead_noise(), run.probability()
        for point, numbers, chance in ends:
            self.edges.append(_Edge(point, numbers, steps.chance(product((weight, chance))), dead))


class ItemStretch:
    """The value of a number, as a stretch that returns it."""

    size = line = 0

    def __init__(self, states: States, number: int) -> None:
        self._states, self._number = states, number
        self.found: tuple[Any, Releases, Exact] | None = None

    def __call__(self, draw: Any) -> Any:
        """Return it."""
        return self._states.values((self._number,), draw.call)[0]

    def add(self, outcome: Any, run: PathOfStretch) -> None:
        """See `ProgramStretch`."""
        run.finish()
        self.found = *run.released(outcome), run.probability()


AllPaths: TypeAlias = Callable[[ProgramStretch | ItemStretch, tuple[Any, ...], Mapping[str, Any]], None]
"""Runs all paths of a stretch."""

ItemDistribution: TypeAlias = Callable[[Iterable[tuple[Any, Releases, Exact]]], Any]
"""The content of an independent part that has these outcomes, with their probabilities."""


class _Head(NamedTuple):
    """The head of a loop: the place of what is left, and the points of its body and behind it, with the numbers there.

    They are picked from those at the head; in a round the numbers of item and rest are behind these.
    """

    left: int
    body: int
    of_body: Picking
    behind: int
    of_behind: Picking

    def next(self, numbers: tuple[int, ...], states: States) -> State | None:
        """The state with which a round begins, or the one behind the loop; None where what is left has no order."""
        step = states.following(numbers[self.left])
        if step is None:
            return None
        return (self.body, self.of_body(numbers + step)) if step else (self.behind, self.of_behind(numbers))


def _head(points: Sequence[ProgramPoint], point: ProgramPoint, states: States) -> _Head | None:
    loop = point.loop
    if loop is None:
        return None
    places = {name: i for i, name in enumerate(point.live)}
    in_round = {**places, ITEM: len(places), loop.left: len(places) + 1}
    of_body = _picking([in_round[name] for name in points[loop.body].live])
    of_behind = _picking([places[name] for name in points[loop.behind].live])

    def whole(picked: Picking) -> Picking:
        return lambda numbers: states.whole(picked(numbers), numbers)

    return _Head(places[loop.left], loop.body, whole(of_body), loop.behind, whole(of_behind))


class _Rows(NamedTuple):
    """A loop that takes rows in no order: where it begins, without them, and how often each of them is there."""

    head: _Head
    rounds: Rounds
    start: int
    counts: ItemCounts


class _HasOrder(Exception):
    """Rounds of a loop, by its head, that do not commute, or in too many states to see it."""


class StateGraph:
    """The states of one mechanism, over all databases on which it is run."""

    def __init__(
        self,
        points: Sequence[ProgramPoint],
        outside: Callable[[Any], bool],
        paths: AllPaths,
        most: int,
        item: ItemDistribution | None = None,
    ) -> None:
        """Items of lists that are drawn independently are kept apart where their distributions are found by `item`."""
        self.points, self._paths, self._most, self._item = points, paths, most, item
        self._items: dict[Hashable, int] = {}
        """By the numbers of what an item may be, with the chances, that of the independent part."""
        self._states = States(outside)
        self._heads = [_head(points, point, self._states) for point in points]
        self._states.opens_weights = item is None  # where items are apart, each stretch is to know all that is tied
        self._places: dict[State, int] = {}
        self._all: list[State] = []
        self._left: list[Edges | None] = []
        """By place of a state its successors, states by their places and outcomes by −1 − theirs, and the chances."""
        self._named = [_named(point, point.named) for point in points]
        self._hidden = [
            [i for i, name in enumerate(each.live) if name not in each.named or name in each.appended]
            for each in points
        ]
        """The places of what stretches do not look at, if it is a list."""
        self._edges: dict[Hashable, list[_Edge]] = {}
        self._stretches = 0
        """The number of stretches that were run."""
        self._visited = self._merged = 0
        """The number of states that were left, on all databases, and how often one was reached, or left, as others."""
        self._outcomes: list[tuple[Any, Releases]] = []
        self._numbers: dict[tuple[int, ...] | None, int] = {}
        self._chances: dict[int, Exact] = {CERTAIN: ONE}
        """By their serial numbers."""
        self.has_rounds = any(point.has_rounds for point in points)
        heads = (i for i, head in enumerate(self._heads) if head is not None and not self.has_rounds)
        self._rounds = self._in_any_order(heads)
        """By their heads the loops whose items are taken in no order, as far as that is not known to be wrong."""
        self._weights = StateWeights(self._chances, ())
        self.known: dict[Hashable, Any] = {}
        """Distributions by the states in which a mechanism begins, for whoever finds them."""

    def numbers(self, point: int, values: Sequence[Any], run: NoisyRun) -> tuple[int, ...]:
        """The numbers of the values that are live at a point. Raises `NoCanonicalForm`."""
        head = self._heads[point]
        left = None if head is None else head.left
        return self._states.numbers(values, run, left, has_order=point not in self._rounds)

    @property
    def takes_rows(self) -> bool:
        """True where rows that are watched were taken in no order."""
        return self._states.takes_rows or any(name.endswith(IN_NO_ORDER) for each in self.points for name in each.named)

    @property
    def keeps_apart(self) -> bool:
        """True where items are kept apart."""
        return self._item is not None

    @property
    def has_apart(self) -> bool:
        """True where some were."""
        return bool(self._items)

    @property
    def is_full(self) -> bool:
        """True where so many states are kept that further ones are to be kept by another one."""
        return len(self._all) > _MOST_STATES

    def values(self, numbers: tuple[int, ...], run: NoisyRun) -> tuple[Any, ...]:
        """The values of a state for a run."""
        return self._states.values(numbers, run)

    def outcome(self, template: Any, releases: Releases) -> int:
        """The number of an outcome: one for each that nobody can tell from others."""
        try:
            key = None if releases else self._states.numbers((template,))
        except NoCanonicalForm:
            key = None
        known = self._numbers.get(key, len(self._outcomes))
        if known == len(self._outcomes):
            self._outcomes.append((template, releases))
            if key is not None:
                self._numbers[key] = known
        return known

    def chance(self, chance: Exact) -> int:
        """The number of a chance."""
        return self._chances.setdefault(chance.serial, chance).serial

    def begun(self, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> Edges:
        """The states in which a mechanism begins. Raises `NotBySteps`."""
        first = ProgramStretch(self, 0)
        self._paths(first, args, parameters)
        edges = self._with_items_apart(first.edges, ())
        return tuple([self._successor(self._handing_on(edge, {}, 0, {}), ()) for edge in edges])

    def reached(self, begun: Edges) -> Iterator[tuple[Any, Releases, Exact]] | None:
        """The outcomes of a mechanism with their probabilities; one may come several times. Raises `NotBySteps`.

        None where a loop has an order that was thought to have none, or a weight is asked for that was left open: then
        it begins in another state.
        """
        try:
            found = self._spread(begun)
        except (_HasOrder, WeightAskedFor) as error:
            self._states.opens_weights &= isinstance(error, _HasOrder)
            self._rounds = self._in_any_order(self._rounds.keys() - {*error.args})
            self._edges.clear()
            self._left = [None] * len(self._left)
            return None
        return ((*self._outcomes[-1 - place], chance) for place, chance in found)

    def _spread(self, begun: Edges, around: int | None = None) -> list[tuple[int, Exact]]:
        """The outcomes with their probabilities: of a round of the loop `around` those with which it ends."""
        entering, chances, at_rows = self._all_from(begun, around)
        weights = self._weights_of(chances, is_merged=_is_merged(begun, entering, at_rows))
        after = {place: self._after_rows(rows, weights) for place, rows in at_rows.items()}
        try:
            return list(weights.spread(begun, entering, self._left, after))
        except NotBySteps as why:
            raise type(why)(why.why, self.line_of(why.line), why.states) from None

    def line_of(self, place: int) -> int:
        """The line of the point of a state."""
        return self.points[self._all[place][0]].line

    def _weights_of(self, chances: set[int], *, is_merged: bool = True) -> StateWeights:
        """The weights that are made of chances: those that were asked for last, where these are among theirs."""
        if not is_merged:
            return StateWeights(self._chances, chances, is_merged=False)
        if not self._weights.whole.keys() >= chances:
            self._weights = StateWeights(self._chances, chances)
        return self._weights

    # --- Rows in any order

    def _in_any_order(self, heads: Iterable[int]) -> dict[int, Rounds]:
        return {head: Rounds(partial(self._leads_to, head), self._chances.__getitem__) for head in heads}

    def _leads_to(self, head: int, place: int, item: int) -> Edges:
        """The edges of a round from a state at the head of a loop, with an item."""
        loop, (_, numbers) = self._heads[head], self._all[place]
        assert loop is not None, "it is the head of a loop"
        begun = self._placed(loop.body, loop.of_body((*numbers, item, REST)))
        edges, dead = self._left[begun], self._with_dead(CERTAIN, numbers, begun)
        if edges is None or dead != CERTAIN or not all(self._is_left(to, head) for to, _ in edges):
            found = self._spread(((begun, dead),), head)
            edges = tuple([(to, self.chance(chance)) for to, chance in found])
        here = {to for to, _ in edges if to >= 0 and self._all[to][0] == head}
        ends = {to for to in here if self._all[to][1][loop.left] == REST}
        self._rounds[head].at_head.update(ends)
        self._rounds[head].chances.update(self._behind(loop, to)[1] for to in ends)
        return edges

    def _behind(self, loop: _Head, place: int) -> tuple[int, int]:
        """The place behind a loop of a state at its head, with the chance of what is known of noises that die there."""
        numbers = self._all[place][1]
        behind = self._placed(loop.behind, loop.of_behind(numbers))
        return behind, self._with_dead(CERTAIN, numbers, behind)

    def _is_left(self, place: int, around: int) -> bool:
        """True for what a round of a loop ends with: an outcome, or a state at its head or behind it."""
        if place < 0:
            return True
        (at, numbers), loop = self._all[place], self.points[around].loop
        point, first = self.points[at], self.points[at]
        while loop is not None and loop.left not in point.live:  # of the functions around the one that runs
            kept = [number for number, name in zip(numbers, point.live, strict=True) if name.endswith(KEPT)]
            if not kept:
                return True
            at, numbers = self._states.returned(REST, kept[0])
            point = self.points[at]
        return first.loop is loop

    def _rows_at(self, place: int) -> _Rows | None:
        """The loop that begins in a state with rows in no order; None where another stretch does."""
        point, numbers = self._all[place]
        head = self._heads[point]
        if head is None:
            return None
        start = self._placed(point, (*numbers[: head.left], REST, *numbers[head.left + 1 :]))
        return _Rows(head, self._rounds[point], start, self._states.counts[numbers[head.left]])

    def _commuting(self, rows: _Rows) -> bool:
        try:
            return rows.rounds.commute(rows.start, rows.counts, self._most)
        except (NotBySteps, InputError, Undecided):  # in states that need not be reached in this order
            return False

    def _after_rows(self, rows: _Rows, weights: StateWeights) -> AfterRows:
        """The edges of a loop with its rows."""
        found: dict[int, Any] = {}
        after = rows.rounds.after(weights, rows.start, rows.counts)
        ends = {to: self._behind(rows.head, to) if to in rows.rounds.at_head else (to, CERTAIN) for to in after}
        some_die = any(dead != CERTAIN for _, dead in ends.values())
        for before, weight in after.items():
            to, dead = ends[before]
            share = weight * weights.whole[dead] if some_die else weight
            found[to] = found[to] + share if to in found else share
        return AfterRows(found, sum(count for _, count in rows.counts) + some_die)

    def round(self, args: tuple[Any, ...], parameters: Mapping[str, Any], again: Any) -> tuple[Mechanism, Exact] | None:
        """One round of a mechanism that begins in one state, to which its rounds lead again; the chance that none does.

        As part of another run, whose noise its own becomes; it returns `again` where another round follows. None for a
        mechanism that has other rounds.
        """
        begun = self.begun(args, parameters)
        entering, chances, _ = self._all_from(begun)
        first = begun[0][0]
        if len(begun) > 1 or first < 0 or not entering[first]:
            return None
        point, numbers = self._all[first]
        if self._states.weights(numbers):
            return None
        again_there = -1 - len(self._outcomes)
        left = {
            place: [(again_there if to == first else to, chance) for to, chance in self._left[place] or ()]
            for place in entering
        }
        entering[first] = 0
        weights = self._weights_of(chances, is_merged=_is_merged(begun, entering, {}))
        ends = weights.spread(begun, entering, left, {})
        going_on = [chance for to, chance in ends if to == again_there]
        if any(entering.values()) or sum(self._all[place][0] == point for place in entering) > 1:
            return None

        def one(draw: Any) -> Any:
            at, values = point, self._states.values(numbers, draw.call)
            while (code := self.points[at].code) is not None:
                at, values = code(draw, *values)
                if at in (END, point):
                    return values if at == END else again
                if self.points[at].code is None and self._heads[at] is None:
                    values, (at, *kept) = values
                    values = values, *kept
            raise NotBySteps("a round ends elsewhere", self.points[at].line)

        return one, ONE - total(going_on)

    def _all_from(self, begun: Edges, around: int | None = None) -> tuple[dict[int, int], set[int], dict[int, _Rows]]:
        """All states that are reached, with the number of edges that enter them, and the chances of these edges.

        And those among them at which rows are taken in no order. Of a round of the loop `around` up to its end.
        """
        entering, chances = {place: 0 for place, _ in begun if place >= 0}, {chance for to, chance in begun if to >= 0}
        waiting, at_rows = [*entering], dict[int, _Rows]()
        for order, place in enumerate(waiting, 1):  # first come first served: in other orders states merge later
            successors, before = self._left[place], self._stretches
            if successors is None:
                rows = self._rows_at(place)
                if rows is not None:
                    if not self._commuting(rows):
                        raise _HasOrder(self._all[place][0])
                    at_rows[place] = rows
                    chances |= rows.rounds.chances
                    after = self._after_rows(rows, self._weights_of(rows.rounds.chances)).weights
                    self._merged += len(after)  # each of many ways
                    successors = [(to, CERTAIN) for to in after]
                else:
                    successors = self._left[place] = self._leaving(place)
            for to, chance in successors:
                if to < 0:
                    continue
                chances.add(chance)
                if to in entering:
                    entering[to] += 1
                    self._merged += 1
                elif around is None or not self._is_left(to, around):
                    entering[to] = 1
                    waiting.append(to)
            self._visited += around is None
            self._merged += self._stretches == before
            is_much = max(order // _STATES_A_RUN, self._stretches) > self._most
            soon = self.keeps_apart and not self._items
            are_many = around is None and self._visited % (_UNMERGED // 4 if soon else _UNMERGED) == 0
            if is_much or (are_many and self._merged < self._visited // _SELDOM):
                why = "it has too many states" if is_much else "few of its states merge"
                raise NotBySteps(why, self.line_of(place), len(entering))
        return entering, chances, at_rows

    def _leaving(self, place: int) -> Edges:
        """The edges from a state."""
        point, numbers = self._all[place]
        # a whole run would make all conditions of live noise again
        tied = max((len(tree.facts) for tree in self._states.weights(numbers).values()), default=0)
        if tied > _MOST_TIED:
            raise NotBySteps("a noise is compared with many others", self.points[point].line)
        before = self._stretches
        edges = self._edges_from(point, numbers)
        self._merged += bool(tied) and self._stretches > before
        return tuple([self._successor(edge, numbers) for edge in edges])

    def _successor(self, edge: _Edge, numbers: tuple[int, ...]) -> tuple[int, int]:
        """The place of what an edge leads to, behind the heads of loops, and its chance."""
        point, made, chance, _, picked = edge
        if point == END:
            return -1 - made[0], chance
        to = self._placed(point, picked(numbers + made))
        return to, self._with_dead(chance, made, to)

    def _with_weights(self, edge: _Edge, weights: Mapping[int, NoiseTree]) -> _Edge:
        """An edge from a state with open weights, where they are put in. Raises `WeightAskedFor`."""
        point, made, chance, dead, picked = edge
        trees = () if point == END else self._states.weights(made).values()
        if sorted(place for tree in (*trees, *dead) for place in tree.places) != sorted(weights):
            raise WeightAskedFor  # as where noise is released
        if dead:
            masses = [with_weights(tree, weights).mass for tree in dead]
            chance = self.chance(product((self._chances[chance], *masses)))
        if trees:
            made = self._states.with_trees(made, lambda _, tree: with_weights(tree, weights))
        return _Edge(point, made, chance, (), picked)

    def _with_dead(self, chance: int, numbers: tuple[int, ...], to: int) -> int:
        """A chance with the probability of all that is known of the noises that are held here, and no longer there."""
        dead = self._states.mass_of_dead(numbers, self._all[to][1])
        return chance if dead is ONE else self.chance(product((self._chances[chance], dead)))

    def _placed(self, point: int, numbers: tuple[int, ...]) -> int:
        """The place of a state, behind the heads of loops whose items have an order."""
        state = point, numbers
        while self.points[state[0]].code is None:  # also of a loop around the one that is left
            head = self._heads[state[0]]
            after = self._states.returned(*state[1]) if head is None else head.next(state[1], self._states)
            if after is None:
                break
            state = after
        known = self._places.get(state)
        if known is None:
            known = self._places[state] = len(self._all)
            self._all.append(state)
            self._left.append(None)
        return known

    def _empty_lists(self, point: int, numbers: tuple[int, ...]) -> dict[int, int]:
        """The places of lists of which a stretch sees no item, to which it may append, with the empty ones."""
        if not self._hidden[point] or self._states.has_again(numbers):
            return {}
        empty = ((i, self._states.without_items(numbers[i])) for i in self._hidden[point])
        return {i: number for i, number in empty if number is not None}

    def _key(self, point: int, numbers: tuple[int, ...]) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        """The key of the edges from a state, of which they are a function."""
        numbers = _with(numbers, self._empty_lists(point, numbers))
        return point, self._states.changing(numbers), tuple([numbers[i] for i in self._named[point][1]])

    def _edges_from(self, point: int, numbers: tuple[int, ...]) -> list[_Edge]:
        key = self._key(point, numbers)
        known = self._edges.get(key)
        if known is None:
            weights = self._states.weights(key[1])
            if weights:
                opened = self._states.with_trees(numbers, lambda place, tree: with_open_weight(tree, place))
                known = [self._with_weights(edge, weights) for edge in self._edges_from(point, opened)]
            else:
                known = self._edges_of_paths(point, numbers)
            self._edges[self._key(point, numbers)] = known  # of which more may be seen now
        return known

    def _edges_of_paths(self, point: int, numbers: tuple[int, ...]) -> list[_Edge]:
        while True:
            named, empty, stretch = (
                self._named[point][0],
                self._empty_lists(point, numbers),
                ProgramStretch(self, point),
            )
            seen = _with(numbers, empty)
            self._paths(stretch, seen, {})
            if stretch.goes_on and empty:  # to a point that may look at items
                self._hidden[point] = []
            elif stretch.named <= named:
                break
            self._named[point] = _named(self.points[point], named | stretch.named)
        self._stretches += 1
        here, changing = self.points[point].live, self._states.changing(seen)
        live = {name: i for i, name in enumerate(here) if name not in named and not (changing and changing[i])}
        edges = self._with_items_apart(stretch.edges, seen)
        lists = {here[i]: i for i in empty}
        return [self._handing_on(edge, live, len(here), lists) for edge in edges]

    def _with_items_apart(self, edges: list[_Edge], numbers: tuple[int, ...]) -> list[_Edge]:
        """One edge in the place of all that lead to states which differ in one item of a list alone.

        That one is an independent part from there on: the state behind it is the same whatever it is. No later stretch
        can tell what it is: where one looks at it, it is not accepted, and nor is what was kept apart.
        """
        first = edges[0] if edges else None
        if self._item is None or first is None or len(edges) == 1 or any(each.point != first.point for each in edges):
            return edges
        found = None if first.point == END else self._states.item_that_differs([each.numbers for each in edges])
        if found is None:
            return edges
        way, items = found
        key = tuple(sorted((item, edge.chance) for item, edge in zip(items, edges, strict=True)))
        if key not in self._items:
            self._items[key] = self._states.part(self._item(map(self._of_item, key)))
        there = self._states.with_item(first.numbers, way, self._items[key])
        if self._states.mass_of_dead(numbers, ()) is not self._states.mass_of_dead(there, ()):
            return edges  # the chances are not of all that may be
        self._merged += len(edges)
        return [_Edge(first.point, there, CERTAIN)]

    def _of_item(self, item: tuple[int, int]) -> tuple[Any, Releases, Exact]:
        number, chance = item[0], self._chances[item[1]]
        if not self._states.can_change((number,)):
            return self._states.value(number), (), chance
        one = ItemStretch(self._states, number)
        self._paths(one, (), {})
        assert one.found is not None, "it has one path"
        template, releases, share = one.found
        return template, releases, product((chance, share))

    def _handing_on(self, edge: _Edge, live: Mapping[str, int], size: int, lists: Mapping[str, int]) -> _Edge:
        """An edge that hands on what is live and was not named, by their places among so many numbers.

        And the items of `lists` that the stretch was not given.
        """
        if edge.point == END:
            return edge
        there = self.points[edge.point].live
        picked = _picking([live.get(name, size + i) for i, name in enumerate(there)])
        moves = [(lists[name], i) for i, name in enumerate(there) if name in lists]
        return edge._replace(picked=self._appending(picked, moves) if moves else picked)

    def _appending(self, picked: Picking, moves: Sequence[tuple[int, int]]) -> Picking:
        """Numbers as they are picked, with the items of lists from where they are in front of those that are new."""

        def all_picked(numbers: tuple[int, ...]) -> tuple[int, ...]:
            found = [*picked(numbers)]
            for before, after in moves:
                found[after] = self._states.appended(numbers[before], found[after])
            return tuple(found)

        return all_picked


def _is_merged(begun: Edges, entering: Mapping[int, int], at_rows: Mapping[int, _Rows]) -> bool:
    return bool(at_rows) or sum(entering.values()) + len(begun) > len(entering)


def _with(numbers: tuple[int, ...], others: Mapping[int, int]) -> tuple[int, ...]:
    return tuple([others.get(i, number) for i, number in enumerate(numbers)]) if others else numbers


def _picking(places: Sequence[int]) -> Picking:
    return itemgetter(*places) if len(places) > 1 else lambda numbers: tuple([numbers[i] for i in places])


def _named(point: ProgramPoint, names: frozenset[str]) -> tuple[frozenset[str], tuple[int, ...]]:
    """Names, and the places of those that are live at a point."""
    return names, tuple([i for i, name in enumerate(point.live) if name in names])


_MOST_STATES: Final = 1 << 20

_STATES_A_RUN: Final = 5
"""States that may be reached for each stretch that may be run: they take a small part of its time."""

_MOST_TIED: Final = 64
"""Conditions of one live noise: a loop that has it compared more and more often may not end, as whole runs find out."""

_UNMERGED: Final = 256
_SELDOM: Final = 8
"""Steps are given up where, of so many states, fewer than one of `_SELDOM` was reached, or left, as others were."""
