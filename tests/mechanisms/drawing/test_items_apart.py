"""Items that are kept apart: which are, that they have the law of the program as it is, and which are not.

The oracle runs each program as it is written, path by path.
"""

import random
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.adversary.tally import deep
from tests.mechanisms.language.random_programs import loaded, plain_law, with_types
from tests.mechanisms.program_states.test_steps import mutated

from dpverify.mechanisms import (
    Draw,
    InputError,
    Limits,
    MechanismError,
    bernoulli,
    discrete_laplace,
    distribution,
    exp,
    laplace,
    uniform,
)
from dpverify.mechanisms.drawing import enumerator
from dpverify.mechanisms.drawing.caching import expanded
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.language import compiled
from dpverify.mechanisms.outputs import Anything
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.mechanisms.program_states import evaluation_order, program_points, states
from dpverify.verifiers import Status, Tuples, check_privacy, replace_one
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution

Rows = tuple[int, ...]
P = Fraction(1, 3)


def read(mechanism: Any, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, bool]:
    """The law by steps from the first path on, and whether items were kept apart."""
    monkeypatch.setattr(enumerator, "_UNTIL_READ", 0)
    enumeration = Enumeration(Limits(), reads=True)
    return enumeration.law(mechanism, (rows,), {}), enumeration.has_read


def as_it_is(mechanism: Any, rows: Rows) -> Any:
    """The law path by path."""
    return Enumeration(Limits()).law(mechanism, (rows,), {})


# --- What is read
def told(draw: Draw, bit: int, p: Any = P) -> int:
    """The bit, or with probability p the other one."""
    return 1 - bit if draw(bernoulli(p)) else bit


def of_a_function(draw: Draw, rows: Rows) -> Any:
    return tuple(told(draw, row) for row in rows)


def of_a_sub_mechanism(draw: Draw, rows: Rows) -> Any:
    return tuple([draw(told, row, p=P / 2) for row in rows])


def with_names(draw: Draw, rows: Rows) -> Any:
    share = draw(bernoulli("0.5"))
    scale = 1 + share
    return share, (
        "all",
        tuple(max(0, row * i + draw(discrete_laplace(scale))) for i, row in enumerate(rows)),
        len(rows),
    )


def of_real_numbers(draw: Draw, rows: Rows) -> Any:
    if rows[0]:
        return tuple(row + draw(laplace(1)) if draw(bernoulli("0.5")) else None for row in rows)
    return tuple(sum(1 for other in rows if other == row) + draw(laplace(1)) for row in rows)


def in_a_row(draw: Draw, rows: Rows) -> Any:
    return sparse(draw, rows), max(0, rows[0] + draw(discrete_laplace(2))), told(draw, rows[-1]), len(rows)


def sparse(draw: Draw, rows: Rows) -> Any:
    threshold = draw(laplace(1))
    noisy = [row + draw(laplace(2)) for row in rows]
    return tuple(x if x >= threshold else None for x in noisy)


def bound_in_a_row(draw: Draw, rows: Rows) -> Any:
    """One number is bound where it is returned: the other one is read for each of its values."""
    return (bit := told(draw, rows[0])), told(draw, rows[-1]) ^ bit


def of_some(draw: Draw, rows: Rows) -> Any:
    least = len(rows) - 2
    return tuple([told(draw, row) for i, row in enumerate(rows) if i >= least if row is not None])


def by_a_loop_of_some(draw: Draw, rows: Rows) -> Any:
    results = []
    for row in rows:
        if row > 0:
            noisy = row + draw(discrete_laplace(1))
            results.append(max(0, noisy))
    return tuple(results)


def of_a_generator(draw: Draw, rows: Rows) -> Any:
    return tuple(told(draw, row) for row in (1 - row for row in rows))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "mechanism",
    [
        *(of_a_function, of_a_sub_mechanism, with_names, of_real_numbers, of_some, by_a_loop_of_some),
        *(of_a_generator, bound_in_a_row),
    ],
)
@pytest.mark.parametrize("rows", [(1, 0), (0, 1, 1)])
def test_what_is_read_has_the_law_of_the_program(mechanism: Any, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    law, was_read = read(mechanism, rows, monkeypatch)
    assert was_read
    assert isinstance(law, ReleasedDistribution)
    assert same_distribution(expanded(law), expanded(as_it_is(mechanism, rows)))


# --- What is not: its items may depend on each other, or be used
def the_one_before(draw: Draw, rows: Rows) -> Any:
    """The value of an item depends on the one before it."""
    seen: Any = []
    return tuple(seen.append(told(draw, row)) or sum(seen) for row in rows)


def counting(draw: Draw, rows: Rows) -> Any:
    """A closure counts."""
    count = 0

    def next_one() -> int:
        nonlocal count
        count += 1
        return count

    return tuple(told(draw, row) + next_one() for row in rows)


def walrus(draw: Draw, rows: Rows) -> Any:
    """The last value is bound around the comprehension."""
    last = 0
    return tuple([(last := told(draw, row) ^ last) for row in rows])


def shared(draw: Draw, rows: Rows) -> Any:
    """All items have one noise in common."""
    noise = draw(discrete_laplace(1))
    return tuple(1 if row + noise + draw(discrete_laplace(1)) > 0 else 0 for row in rows)


def summed(draw: Draw, rows: Rows) -> Any:
    """The items are added up."""
    return sum(tuple(told(draw, row) for row in rows))


def asked_for_its_type(draw: Draw, rows: Rows) -> Any:
    """What stands for an item has another type."""
    bits = tuple(told(draw, row) for row in rows)
    return tuple(0 if isinstance(bit, int) else 1 for bit in bits), bits


def xor(draw: Draw, rows: Rows) -> Any:
    """The first bit is flipped where both others are 1, which from (0, 0, 0) no single one shows."""
    bits = [told(draw, row) for row in rows]
    return (bits[0] ^ (bits[1] & bits[-1]), *bits[1:])


def filtered(draw: Draw, rows: Rows) -> Any:
    """Items are left out by chance."""
    return tuple(row for row in rows if draw(bernoulli(P)))


def shared_in_a_row(draw: Draw, rows: Rows) -> Any:
    """Two numbers have one noise in common."""
    threshold = draw(laplace(1))
    return draw(laplace(1)) > threshold, rows[0] + draw(laplace(1)) > threshold


def some_of_noise(draw: Draw, rows: Rows) -> Any:
    """The condition sees a noise, by which items are left out together."""
    noise = draw(discrete_laplace(1))
    return tuple(told(draw, row) for row in rows if row + noise > 0)


def some_until_it_raises(draw: Draw, rows: Rows) -> Any:
    """The condition raises for an item, after another one has raised on some paths."""
    try:
        return tuple(1 // told(draw, row) for row in rows if "ab"[rows[0] + 1 - row])
    except ZeroDivisionError:
        return "caught"
    except IndexError:
        return "none"


NOT_READ = [
    in_a_row,
    *(some_of_noise, some_until_it_raises, the_one_before, counting, walrus),
    *(shared, summed, asked_for_its_type, xor, filtered, shared_in_a_row),
]


@pytest.mark.parametrize("mechanism", NOT_READ)
def test_what_may_depend_on_another_item_is_run_as_it_is(mechanism: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    law, was_read = read(mechanism, (1, 0, 1), monkeypatch)
    assert not was_read or mechanism is some_of_noise  # of which each number of items is a state
    assert same_distribution(expanded(law), as_it_is(mechanism, (1, 0, 1)))


def a_law_for_an_item(draw: Draw, rows: Rows) -> Any:
    return tuple(uniform((5, 6)) if draw(bernoulli(P)) else row for row in rows)


def test_an_item_that_is_a_law_is_not_drawn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError):
        as_it_is(a_law_for_an_item, (1, 0))
    with pytest.raises(InputError):
        read(a_law_for_an_item, (1, 0), monkeypatch)


def test_a_sub_mechanism_is_run_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever draws from it may look at what it gives."""

    def outer(draw: Draw, rows: Rows) -> Any:
        return sum(draw(of_a_function, rows))

    law, was_read = read(outer, (1, 0), monkeypatch)
    assert not was_read and same_distribution(law, as_it_is(outer, (1, 0)))


# --- Random programs
BEFORE = (
    "",
    "    c = draw(bernoulli('0.5'))\n",
    "    seen = []\n",
    "    t = draw(discrete_laplace(1))\n",
    "    c = 2\n    seen = [1]\n",
)
ITEMS = (
    "row ^ draw(bernoulli(P))",
    "(1 if row + draw(discrete_laplace(1)) > 0 else 0)",
    "max(0, row + draw(discrete_laplace(1)))",
    "row + c + draw(bernoulli(P))",
    "(seen.append(draw(bernoulli(P))) or sum(seen))",
    "(row if draw(bernoulli(P)) or len(seen) else seen.append(1) or 7)",
    "(1 if row + t > 0 else draw(bernoulli(P)))",
    "flip(draw, row)",
    "kept(draw, row)",
    "min(max(row + draw(discrete_laplace(1)), 0), 1)",
)
AROUND = ("rows", "rows[1:]", "[*rows, rows[0]][:2]", "reversed(rows)")
RETURNS = (
    "({one}, {another}, 3)",
    "('x', ({one}, 0), {another})",
    "tuple({item} for row in {rows})",
    "('x', tuple([{item} for row in {rows}]))",
    "(tuple({item} for row in {rows}), tuple({other} for row in rows[:1]))",
    "sum({item} for row in {rows})",
    "tuple(sorted({item} for row in {rows}))",
)
RANDOM = """
from fractions import Fraction
from dpverify.mechanisms import bernoulli, discrete_laplace

P = Fraction(1, 3)
STATE = [0]

def flip(draw, row):
    return 1 - row if draw(bernoulli(P)) else row

def kept(draw, row):
    STATE[0] = (STATE[0] + 1) % 1
    return row ^ draw(bernoulli(P))

def mechanism(draw, rows):
{before}    return {returned}
"""


def first(item: str) -> str:
    """An item of the first row, by itself."""
    return item.replace("row", "rows[0]")


@pytest.mark.parametrize("batch", [0, *(pytest.param(batch, marks=pytest.mark.deep) for batch in range(1, 6))])
def test_random_programs_have_one_law_read_or_not(batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    were_read = compared = 0
    count = 100 if deep() else 40
    for seed in range(100 * batch, 100 * batch + count):
        chance = random.Random(seed)
        item, other, rows, returned, before = map(chance.choice, (ITEMS, ITEMS, AROUND, RETURNS, BEFORE))
        text = RANDOM.format(
            before=before,
            returned=returned.format(item=item, other=other, rows=rows, one=first(item), another=first(other)),
        )
        file = tmp_path / f"program_{seed}.py"
        file.write_text(text)
        mechanism = loaded(file)
        try:
            expected = as_it_is(mechanism, (1, 0))
        except MechanismError:  # a name that is not there, or a sum of noises
            with pytest.raises(InputError):
                read(mechanism, (1, 0), monkeypatch)
            continue
        law, was_read = read(mechanism, (1, 0), monkeypatch)
        assert same_distribution(expanded(law), expected), text
        assert not (was_read and "seen" in item and "({item})" in returned), text
        were_read += was_read
        compared += 1
    assert compared >= 0.4 * count and were_read >= 0.12 * count


# --- Each clause counts
COIN, THIRD = bernoulli("1/2"), bernoulli("1/3")


def in_two_places(draw: Draw, rows: Rows) -> Any:
    kept = [row ^ draw(THIRD) for row in rows]
    other = list(kept)
    more = [draw(COIN) for _ in rows]
    return tuple(kept), tuple(other), tuple(more)


def counted_beside(draw: Draw, rows: Rows) -> Any:
    kept, total = [], 0
    for row in rows:
        bit = row ^ draw(THIRD)
        kept.append(bit)
        total += bit
    return tuple(kept), total


def by_another_name(draw: Draw, rows: Rows) -> Any:
    kept = [draw(COIN) for _ in rows]
    other = kept
    for row in rows:
        kept.append(row ^ draw(THIRD))
        kept.append(len(other))
    return tuple(kept)


def its_length(draw: Draw, rows: Rows) -> Any:
    kept: list[int] = []
    for row in rows:
        kept.append(len(kept) + (row ^ draw(THIRD)))
    return tuple(kept)


def asked_for_kinds(draw: Draw, rows: Rows) -> Any:
    kept = [row ^ draw(THIRD) for row in rows]
    return tuple([isinstance(each, int) for each in kept])


def asked_for_none(draw: Draw, rows: Rows) -> Any:
    kept = [None if draw(COIN) else row for row in rows]
    return tuple([each is None for each in kept])


def bound_between(draw: Draw, rows: Rows) -> Any:
    last = 5
    return last, (last := len(rows)) + sum(row ^ draw(THIRD) for row in rows), (draw(COIN), last)


def of_one_threshold(draw: Draw, rows: Rows) -> Any:
    threshold = draw(discrete_laplace(1))
    kept = [threshold if draw(COIN) else 0 for _ in rows[:1]]
    return tuple(kept), threshold > 0


def named_as_a_function(draw: Draw, rows: Rows) -> Any:
    return sum(2 * sum + draw(COIN) for sum in rows)


def named_twice(draw: Draw, rows: Rows) -> Any:
    row = 5
    return sum(row + other + draw(THIRD) for other in (row for row in rows))


def asked_for_before(draw: Draw, rows: Rows) -> Any:
    seen: list[int] = []
    return max((len(seen) + draw(THIRD) for _ in rows), default=seen.append(1))  # type: ignore[func-returns-value]  # it gives None, after it has changed the list


CLAUSES = [
    *(in_two_places, counted_beside, by_another_name, its_length, asked_for_kinds, asked_for_none, bound_between),
    *(named_as_a_function, named_twice, asked_for_before),
]
MUTANTS = [
    (evaluation_order, 'f".{node.id}.{number}"', 'f".{node.id}{number}"'),
    (evaluation_order, "if len(_one_after_another(one)) > 1 and", "if False and"),
    (evaluation_order, "all(map(_is_at_any_time, others))", "True"),
    (states, "id(value) in self._parts", "False"),
    (states, "if len(places) != 1:", "if not places:"),
    (states, "return not self._again.isdisjoint(numbers)", "return False"),
    (program_points, "if times == named[name])", "if times)"),
    (evaluation_order, "part.id not in self._bound", "True"),
    (compiled, "return asks or", "return"),
    (enumerator, "self._form.looks_at_identity", "False"),
    (states, "and held.isdisjoint(self._held[each])", ""),
]


def with_fractions(law: Any) -> dict[Any, Fraction]:
    return {with_types(outcome): Fraction(str(p)) for outcome, p in expanded(law).probabilities.items()}


@pytest.mark.parametrize(("module", "old", "new"), [*MUTANTS, (states, "import annotations", "import annotations")])
def test_each_clause_counts(module: Any, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> list[Any]:
        laws = [read(mechanism, (1, 0, 1), monkeypatch)[0] for mechanism in CLAUSES]
        return [*map(with_fractions, laws), expanded(read(of_one_threshold, (1, 0), monkeypatch)[0])]

    *plain, noisy = (*(plain_law(mechanism, (1, 0, 1)) for mechanism in CLAUSES), as_it_is(of_one_threshold, (1, 0)))
    mutated(monkeypatch, module, old, new)
    monkeypatch.setattr(sys.modules[__name__], "Enumeration", enumerator.Enumeration)
    monkeypatch.setitem(enumerator.Enumeration.law.__globals__, "_UNTIL_READ", 0)
    try:
        *ours, of_noise = found()
        is_same = ours == plain and same_distribution(of_noise, noisy)
    except Exception:  # a mutant that raises anything is noticed by it
        is_same = False
    assert is_same is (old == new)


# --- What it is for
def many_bits(draw: Draw, rows: Rows, *, epsilon: Any) -> Any:
    return tuple(row ^ draw(bernoulli(1 / (1 + exp(epsilon)))) for row in rows)


def test_a_law_is_listed_as_it_was() -> None:
    found = distribution(many_bits, (0,) * 13, epsilon=1)
    assert len(found.probabilities) == 2**13
    assert found.probability((Anything(),) * 13) == 1
    assert distribution(many_bits, (0,) * 40, epsilon=1).probability((0,) * 40) == (exp(1) / (1 + exp(1))) ** 40


@pytest.mark.deep
def test_it_is_repeated_in_another_process_as_it_is() -> None:
    """Small enough for the repetition to run every path, and too large to be run as it is at first."""
    verdict = check_privacy(many_bits, Tuples((0, 1), size=7), replace_one, epsilon=1)
    assert verdict.status is Status.PROVED and verdict.basis.recheck != "none"
    assert verdict.epsilon is not None and verdict.epsilon.exact == 1


@pytest.mark.deep
@pytest.mark.parametrize("recheck", [False, pytest.param(True, marks=pytest.mark.deep)])
def test_ten_people_by_a_comprehension_of_their_own(recheck: bool) -> None:
    verdict = check_privacy(many_bits, Tuples((0, 1), size=10), replace_one, epsilon=1, recheck=recheck)
    assert verdict.status is Status.PROVED
    assert "10 independent parts" in verdict.scope


def test_a_die_for_each() -> None:
    def dice(draw: Draw, rows: Rows) -> Any:
        return tuple(draw(uniform(range(6))) for _ in rows)

    assert distribution(dice, (0,) * 30).probability((1,) * 30) == Fraction(1, 6**30)
