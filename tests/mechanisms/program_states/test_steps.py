"""Steps with merged states have the output distributions of whole runs, and each clause of their canonical form counts."""

import inspect
import random
from collections.abc import Callable
from fractions import Fraction
from math import e
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.mechanisms.language.random_programs import Missed, loaded, plain_law, program, with_types

from dpverify.mechanisms import Draw, Limits, bernoulli, clamp, decimal, discrete_laplace, distribution, exp, laplace
from dpverify.mechanisms.drawing import enumerator
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.language.compiled import outside_of
from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.program_states import any_order, evaluation_order, program_points, states, steps, weights

HALF, THIRD = bernoulli("1/2"), bernoulli("1/3")
Rows = tuple[int, ...]


@pytest.fixture(autouse=True)
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether steps have found the distributions, which they are asked for at once and however few states merge."""
    found: list[bool] = []
    by_steps = enumerator.Enumeration._law_by_steps

    def noted(self: Any, *args: Any, apart: bool = False) -> Any:
        law = by_steps(self, *args, apart=apart)
        if not apart or law is not None:
            found.append(law is not None)
        return law

    monkeypatch.setattr(enumerator.Enumeration, "_law_by_steps", noted)
    monkeypatch.setattr(enumerator, "_UNTIL_READ", 0)
    monkeypatch.setattr(steps, "_UNMERGED", 1 << 30)
    return found


def counted(draw: Draw, rows: Rows) -> Any:
    return sum(row ^ draw(HALF) for row in rows) + sum(draw(THIRD) for row in rows if row)


def found_some(draw: Draw, rows: Rows) -> Any:
    found = 0
    for _ in range(3):
        if any(draw(THIRD) for row in rows if row):
            found += 1
        elif not all(draw(HALF) for _ in rows):
            continue
        found *= 2
    return found


def of_types(draw: Draw, rows: Rows) -> Any:
    last: Any = 0
    for _ in rows:
        before = last
        last = True if draw(HALF) else 1
    return type(before).__name__, type(last).__name__


def of_one_list(draw: Draw, rows: Rows) -> Any:
    first = [0]
    both = (first, first) if rows[0] else (first, [0])
    for _ in rows:
        if draw(HALF):
            both = (both[0], both[0])
        both[1][0] += draw(THIRD)
    return both[0][0], both[1][0]


def of_ordered(draw: Draw, rows: Rows) -> Any:
    known: dict[int, int] = {}
    for row in (*rows, 5):
        known.pop(row, None)
        known[row + draw(HALF)] = 0
    return tuple(known)


def of_a_growing_list(draw: Draw, rows: Rows) -> Any:
    waiting, total = [1], 0
    for each in waiting:
        total += each
        if len(waiting) < 5 and draw(HALF):
            waiting.append(2)
    return total


def nested(draw: Draw, rows: Rows) -> Any:
    number, ends = 0, list[int]()
    for row in rows:
        for _ in range(row + 1):
            number = (number + draw(THIRD)) % 3
            if number == 2 and row:
                break
        else:
            number += 1
        ends.append(number)
    return tuple(ends)


def popped(draw: Draw, rows: Rows) -> Any:
    left, odd, weight = list(rows), 0, rows[0] + 1
    while left:
        for k in range(2):
            odd += 2 * k * weight
        odd = (odd + left.pop() * draw(THIRD)) % 2
        if odd:
            named = len(left)
    return odd, named if odd else None


def walks(draw: Draw, rows: Rows) -> Any:
    at, steps = 2, 0
    while 0 < at < 5:
        at, steps = (at + 1 if draw(THIRD) else at - 1), 1 - steps
    return at, steps


def counted_from(draw: Draw, rows: Rows, first: int = 1, *, most: int = 3) -> Any:
    return min(most, first + sum(row ^ draw(HALF) for row in rows))


def calls_at_last(draw: Draw, rows: Rows, more: int = 1) -> Any:
    if not sum(rows[1:]):
        return "few"
    first = draw(THIRD) + more
    return counted_from(draw, rows[1:], most=first * 2)


def calls_one_that_calls(draw: Draw, rows: Rows) -> Any:
    rest = rows[1:]
    return calls_at_last(draw, rest)


def goes_on(draw: Draw, rows: Rows) -> Any:
    if draw(HALF) or not rows:
        return len(rows)
    return goes_on(draw, rows[1:])


def counted_each(draw: Draw, own: list[int], same: list[int]) -> Any:
    total = 0
    for i, row in enumerate(own):
        total += same[-1 - i] + row * draw(THIRD)
    return total + len(same)


def of_held_lists(draw: Draw, rows: Rows) -> Any:
    own = [*rows[2:], 2]
    pair, total = (own, own), 0
    for row in pair[1]:
        total += row * draw(HALF) * own[0]
    for _ in rows[:2]:  # behind it one holds the list that another one has held first
        total += draw(THIRD)
        own.append(1)
    return total, counted_each(draw, pair[0], pair[1])


def bits_put(draw: Draw, rows: Rows, at: list[int]) -> Any:
    for row in rows:
        at.append(row ^ draw(THIRD))
        if at[-1] and len(at) > 1:
            return at
    return at if counted_from(draw, rows[:1]) else [1]


def calls_in_expressions(draw: Draw, rows: Rows) -> Any:
    own, at, first = [2], list[int](), 7
    for row in rows[:2]:
        if draw(HALF):
            return counted_from(draw, (row,))  # which has a `first` of its own
        at = bits_put(draw, (row,), own)
        if len(at) < 3 and counted_from(draw, rows[2:3], first=0):
            own = at[:1]
    own.append(9)
    return first, len(bits_put(draw, (counted_from(draw, (1,)),), at)) + sum(own)


DISCRETE = [
    *(counted, found_some, of_types, of_one_list, of_ordered, nested, popped, of_held_lists),
    *(calls_in_expressions, calls_at_last, calls_one_that_calls),
]


def searched(draw: Draw, rows: Rows) -> Any:
    low, high = 0, 16
    for _ in range(4):
        middle = (low + high) // 2
        if sum(row < middle for row in rows) + draw(laplace(2)) < 1:
            low = min(middle, 14)
        else:
            high = max(middle, 3)
    return low, high


def released_at_last(draw: Draw, rows: Rows) -> Any:
    total = 0
    for row in rows:
        total = min(2, total + row * draw(bernoulli(1 / (1 + exp(1)))))
    return total, clamp(total + draw(discrete_laplace(2)), 0, 2)


NOISY = [searched, released_at_last, *DISCRETE, of_a_growing_list]


def counted_above(draw: Draw, rows: Rows) -> Any:
    threshold, above = draw(discrete_laplace(2)), 0
    for row in rows:
        above += 1 if row + draw(discrete_laplace(3)) >= threshold else 0
    return above, threshold > 0


def redrawn_above(draw: Draw, rows: Rows) -> Any:
    thresholds, above = [draw(laplace(1))], 0
    for row in rows:
        if row + draw(laplace(2)) >= thresholds[0]:
            above += 1
            thresholds[0] = draw(laplace(1)) + (1 if draw(THIRD) else 0)
    return above


def of_tied_thresholds(draw: Draw, rows: Rows) -> Any:
    low, high, found = draw(laplace(1)), draw(laplace(1)), 0
    for row in rows:
        found += 1 if low + row > high else 0
        found += 2 if row + draw(laplace(2)) > high else 0
    return found, low > 0


THRESHOLDS = [counted_above, redrawn_above, of_tied_thresholds]
"""Noise that is alive while others are drawn, compared with it, and die."""


def of_methods(draw: Draw, rows: Rows) -> Any:
    kept: list[int] = []
    keep = kept.append
    for row in rows:
        if draw(HALF):
            keep(row)
    return tuple(kept)


def of_defaults(draw: Draw, rows: Rows) -> Any:
    kept: list[int] = []
    size: Any = lambda more, kept=kept: more + len(kept)  # noqa: E731  # a function with defaults is what is tried
    total = 0
    for row in rows:
        if draw(HALF):
            kept.append(row)
        total += size(row)
    return total


def of_a_closure(draw: Draw, rows: Rows) -> Any:
    total = 0
    for row in rows:
        number = row
        later: Any = lambda: number  # noqa: B023, E731  # one that sees the loop's variable is
        bit = draw(HALF)
        number += 10
        total += later() * bit
    return total


def of_a_generator_that_binds(draw: Draw, rows: Rows) -> Any:
    total = 0
    for row in rows:
        last = row
        later = (last := last + i for i in (1, 2))
        bit = draw(HALF)
        total += sum(later) + last * bit
    return total


def ends_late(draw: Draw, rows: Rows) -> Any:
    rounds = 0
    for _ in rows:
        try:
            if draw(HALF):
                continue
        finally:
            rounds += 1
    return rounds


def leaves_by_else(draw: Draw, rows: Rows) -> Any:
    total = 0
    for row in rows:
        total += draw(HALF)
        for _ in range(2):
            if row:
                break
        else:
            if total > 1:
                break
            continue
        total += 10
    return total


def added(numbers: list[int]) -> int:
    numbers[0] += 1
    return 1


def adds_to_what_was_there(draw: Draw, rows: Rows) -> Any:
    numbers = [0]
    numbers[0] += sum(added(numbers) + draw(HALF) for _ in rows)
    return numbers[0]


SEEN_ELSEWHERE = [
    *(of_methods, of_defaults, of_a_closure, of_a_generator_that_binds, ends_late, leaves_by_else),
    adds_to_what_was_there,
]
"""What changes is held by a function, or read in another order than loops would have it."""


def law_of(mechanism: Callable[..., Any], rows: Rows) -> dict[Any, Fraction]:
    law = distribution(mechanism, rows)
    return {with_types(outcome): Fraction(str(law.probability(outcome))) for outcome in law.probabilities}


@pytest.mark.parametrize("mechanism", DISCRETE)
@pytest.mark.parametrize("rows", [(0, 1, 1, 0), (1, 0, 1, 1)])
def test_states_that_are_merged_keep_the_distribution(mechanism: Any, rows: Rows, taken: list[bool]) -> None:
    assert law_of(mechanism, rows) == plain_law(mechanism, rows, 1 << 12)
    assert taken == [True]


def test_what_calls_itself_at_last_is_run_whole(taken: list[bool]) -> None:
    assert law_of(goes_on, (1, 0, 1)) == plain_law(goes_on, (1, 0, 1), 1 << 12)
    assert not any(taken)


@pytest.mark.parametrize("mechanism", SEEN_ELSEWHERE)
@pytest.mark.parametrize("rows", [(1, 0, 1, 1), (0, 0, 1)])
def test_what_is_seen_elsewhere_keeps_the_distribution(mechanism: Any, rows: Rows) -> None:
    assert law_of(mechanism, rows) == plain_law(mechanism, rows, 1 << 12)


@pytest.mark.parametrize("mechanism", [*NOISY, *THRESHOLDS])
def test_steps_have_the_distribution_of_whole_runs(mechanism: Any, taken: list[bool]) -> None:
    rows = (1, 0, 1)
    law = distribution(mechanism, rows)
    by_steps = mechanism not in (of_a_growing_list, of_tied_thresholds)
    assert taken[-1:] == [by_steps] or mechanism is released_at_last  # which is read
    whole = PlainEnumerator(Limits()).distribution_as_compiled(mechanism, (rows,), {})
    assert law.probabilities.keys() == whole.probabilities.keys()
    assert all(chance == whole.probability(outcome) for outcome, chance in law.probabilities.items())


def test_a_live_threshold_is_summed_over(taken: list[bool]) -> None:
    """Against sums of floats over all thresholds that matter: given the threshold, rows are above it independently."""

    def mass(x: int, scale: int) -> float:
        return float((1 - e ** (-1 / scale)) / (1 + e ** (-1 / scale)) * e ** (-abs(x) / scale))

    rows, expected = (0, 2, 1, 2, 0, 1), [[0.0, 0.0] for _ in range(7)]
    for threshold in range(-90, 91):
        chances = [1.0]
        for row in rows:
            above = sum(mass(x, 3) for x in range(threshold - row, 150))
            chances = [(1 - above) * a + above * b for a, b in zip([*chances, 0], [0, *chances], strict=True)]
        for of_count, chance in zip(expected, chances, strict=True):
            of_count[threshold > 0] += mass(threshold, 2) * chance
    law = distribution(counted_above, rows)
    assert taken == [True]
    assert all(
        abs(float(decimal(law.probability((i, j > 0)), 15)) - expected[i][j]) < 1e-12 for i in range(7) for j in (0, 1)
    )


def test_many_rows_are_counted_and_walks_end() -> None:
    total = distribution(counted, (0,) * 300)
    assert total.probability(0) == Fraction(1, 2**300)
    assert distribution(walks, ()).probability((5, 1)) == Fraction(3, 31)


def test_an_error_on_a_late_path_says_its_line() -> None:
    def fails(draw: Draw, rows: Rows) -> Any:
        total = 0
        for _ in rows:
            total += draw(HALF)
            assert total < 10, "too many"
        return total

    with pytest.raises(
        InputError, match=rf"AssertionError.*test_steps\.py, line {fails.__code__.co_firstlineno + 4}\)"
    ):
        distribution(fails, (0,) * 12)


STATEMENTS = (
    *("a = (a + draw(BIT)) % 3", "a = True if draw(BIT) else 1", "a = int(a) + len(c[0])", "b.append(draw(BIT))"),
    *("b = b[-2:]", "c = (b, b)", "c = (b, list(b))", "c = (c[1], c[0])", "c[0].append(9)", "c[1].clear()"),
    *("d[a] = draw(BIT)", "d = dict(reversed(d.items()))", "d.pop(a, None)", "e = sum(draw(BIT) for _ in rows)"),
    *("if draw(BIT) and a: break", "if e: continue", "if draw(BIT): a = 0", "f = a", "e = f", "a = e"),
)


def random_loop(seed: int) -> str:
    """The source of a program with loops, in which values of one content differ in type, order or identity."""
    chance = random.Random(seed)
    body = [f"        {line}" for line in chance.choices(STATEMENTS, k=chance.randrange(2, 6))]
    inner = [f"    {line}" for line in chance.choices(STATEMENTS, k=2)] if chance.random() < 0.4 else []
    loops = ["        for k in range(2):", *(f"        {line}" for line in inner)] if inner else []
    lines = ["    a, b, c, d, e, f = 0, [], ([], []), {}, 0, 1", "    for row in rows:", *body, *loops]
    end = "    return a, tuple(b), tuple(c[0]), tuple(c[1]), tuple(d.items()), e, f"
    head = ["from dpverify.mechanisms import bernoulli", "BIT = bernoulli('1/3')", "def mechanism(draw, rows):"]
    return "\n".join([*head, *lines, "    c[0].append(5)", end, ""])


def compared(file: Path, rows: Rows) -> bool:
    mechanism = loaded(file)
    if outside_of(mechanism):
        return False
    try:
        ours = law_of(mechanism, rows)
        plain = plain_law(mechanism, rows, 2_000)
    except (InputError, Undecided, Missed):
        return False
    assert ours == plain, file.read_text()
    return True


@few(4, deep=60)
@given(seed=st.integers(0, 10**9))
def test_random_programs_by_steps(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder, known = tmp_path_factory.mktemp("programs"), 0
    for i in range(12):
        file = folder / f"s{seed}_{i}.py"
        file.write_text(random_loop(seed + i) if i < 9 else program(seed + i))
        known += compared(file, (1, 0, 1))
    assert known > 4


MUTANTS = [
    (states, "self._numbered((kind, value), value)", "self._numbered(value, value)"),
    (states, "met = self._met.get(id(value))", "met = None"),
    (states, "map(self._number, (more, *value))", "map(self._number, (more, *sorted(value)))"),
    (states, "tuple([self._made(each, made) for each in numbers])", "tuple(self._values[x] for x in numbers)"),
    (states, '("left", *both), Left', '("left", number), Left'),
    (states, "return [items] if id(items) in self._met else []", "return []"),
    (states, "each)) != parts for each, parts in left.held", "each)) != parts for each, parts in ()"),
    (states, "= self._run.live_noise(variable)", "= _FIRST.setdefault(variable.law, self._run.live_noise(variable))"),
    (states, "run.knowledge.forget_all(noise.conditions)", "noise"),
    (states, "product([noise.mass for noise in dead.values()])", "ONE"),
    (steps, "product((self._chances[chance], *masses))", "self._chances[chance]"),
    (states, " or not self._tied.isdisjoint(noise.tied)", ""),
    (states, "if each not in alive}", "if alive}"),
    (weights, "self.number(*weight), self.chances[end[1]]", "self.number(*weight)"),
    (weights, "found[to] = known[0] + share, of_share", "found[to] = share, of_share"),
    (weights, "(to, weight * whole[chance], more)\n", "(to, whole[chance], more)\n"),
    (weights, "whole -= row.pop(place, whole - whole)", "whole -= 0 * row.pop(place, whole)"),
    (steps, "live.get(name, size + i)", "live.get(name, size + i) and size + i"),
    (steps, "return point, self._states.changing(numbers), tuple", "return point, (), tuple"),
    (program_points, "return (after - stored_there)", "return frozenset()"),
    (program_points, 'name if name == ITEM else f"{number}.{name}"', "name"),
    (program_points, "{_RESULT}) | mentioned([line.value])", "{_RESULT})"),
    (program_points, "left = head | (self.before(line.body, head) - bound)", "left = head"),
]
"""A clause that is changed: of the canonical form, of weights, of what is handed on, of what is live."""


def redrawn(draw: Draw, row: int) -> Any:
    noisy = row + draw(discrete_laplace(1))
    while noisy > 1 or noisy < 0:
        noisy = row + draw(discrete_laplace(1))
        if noisy == 0 and draw(HALF):
            noisy = noisy + draw(discrete_laplace(1))
    return noisy > 0


def mutated(monkeypatch: pytest.MonkeyPatch, module: ModuleType, old: str, new: str) -> None:
    source = inspect.getsource(module)
    assert source.count(old) == 1
    before = {**vars(module)}
    changed = {**before, "_FIRST": dict[Any, Any]()}
    exec(compile(source.replace(old, new), str(module.__file__), "exec"), changed)  # it is the mutant
    for user in (any_order, enumerator, evaluation_order, states, steps, program_points, weights):
        for name, value in changed.items():
            if not name.startswith("__") and name in vars(user) and vars(user)[name] is before.get(name):
                monkeypatch.setattr(user, name, value)


def noted_repetitions(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether states are gone through again, as where a weight was asked for that was left open."""
    found: list[bool] = []
    graphs = vars(enumerator)["StateGraph"]
    reached = graphs.reached

    def noted(self: Any, begun: Any) -> Any:
        found.append((result := reached(self, begun)) is None)
        return result

    monkeypatch.setattr(graphs, "reached", noted)
    return found


SAME = ("from __future__ import annotations",) * 2
UNCHANGED = [(each, *SAME) for each in (states, steps, evaluation_order, program_points, weights)]


@pytest.mark.parametrize(("module", "old", "new"), [*MUTANTS, *UNCHANGED])
def test_each_clause_counts(
    module: ModuleType, old: str, new: str, taken: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = [plain_law(mechanism, (1, 0, 1, 1), 1 << 12) for mechanism in (*DISCRETE, of_a_growing_list)]
    others: list[tuple[Any, Any]] = [(redrawn, 0), (walks, ()), *((mechanism, (1, 0, 1)) for mechanism in THRESHOLDS)]
    repeated_before = noted_repetitions(monkeypatch)
    before = [distribution(mechanism, rows).probabilities for mechanism, rows in others]
    repeated_before = [*repeated_before]
    mutated(monkeypatch, module, old, new)
    repeated = noted_repetitions(monkeypatch)
    taken.clear()
    try:
        ours = [law_of(mechanism, (1, 0, 1, 1)) for mechanism in (*DISCRETE, of_a_growing_list)]
        is_same = ours == right and taken == [True] * len(DISCRETE) + [False]
        taken.clear()
        repeated.clear()
        is_same &= [distribution(mechanism, rows).probabilities for mechanism, rows in others] == before
        is_same &= taken.count(False) == 1 and repeated == repeated_before
    except Exception:  # a mutant that raises anything is noticed by it
        is_same = False
    assert is_same is (old == new)
