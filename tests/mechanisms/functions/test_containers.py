"""Lists, dicts and dataclasses as outcomes: what they hold is decided as a tuple's items are, and their types with it."""

import subprocess
import sys
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import asdict, astuple, dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import (
    Distribution,
    InputError,
    MechanismError,
    bernoulli,
    discrete_laplace,
    distribution,
    exp,
    exponential,
    laplace,
    run,
    symbolic,
    symmetric,
    uniform,
)
from dpverify.mechanisms.drawing import debugging, in_sorted_order, relabellings
from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.numbers.containers import as_returned
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs import AtLeast, OneOf
from dpverify.verifiers import Case, Histograms, Status, Tuples, UtilityClaim, check_privacy, replace_one
from dpverify.verifiers.utility.judging import failure_probability

TWO_ROWS = Tuples((0, 1), size=2)
BIT = Tuples((0, 1), size=1)


@dataclass
class Open:
    count: Any
    more: Any = field(default=None, compare=False)


@dataclass(frozen=True)
class Frozen:
    count: Any
    more: Any = None


@dataclass(frozen=True, slots=True)
class Slotted:
    count: Any


@dataclass(frozen=True)
class Uncompared:
    count: Any
    more: Any = field(default=None, compare=False)


@dataclass(frozen=True)
class OwnHash:
    count: Any

    def __hash__(self) -> int:
        return 7


@dataclass(frozen=True)
class OwnEquality:
    count: Any

    def __eq__(self, other: object) -> bool:
        return type(other) is OwnEquality

    def __hash__(self) -> int:
        return hash(self.count)


class Pair(NamedTuple):
    left: Any
    right: Any


class Own(list[Any]):
    pass


class OwnDict(dict[str, Any]):
    pass


def decided(mechanism: Any, domain: Any = TWO_ROWS, epsilon: Any = 1) -> Any:
    return check_privacy(mechanism, domain, replace_one, epsilon=epsilon, recheck=False)


FORMS: dict[str, Callable[[Any, Any], Any]] = {
    "list": lambda a, b: [a, b],
    "dict": lambda a, b: {"a": a, "b": b},
    "nested": lambda a, b: ([a], {"x": (0, [b])}),
    "dataclass": lambda a, b: Open(a, [b]),
    "frozen": lambda a, b: [Frozen([a], {1: b})],
    "frozen, noise in its fields": Frozen,
    "frozen, with slots": lambda a, b: (Slotted(a), Frozen(b)),
    "named tuple": lambda a, b: Pair([a], b),
    "named tuple, noise in its fields": Pair,
    "OrderedDict": lambda a, b: OrderedDict(a=a, b=b),
    "defaultdict": lambda a, b: defaultdict(list, a=a, b=[b]),
    "Counter": lambda a, b: Counter({"a": a, "b": b}),
}


class OwnOrder(Pair):
    def __iter__(self) -> Any:
        return iter(([],))


@dataclass
class Tagged(str):
    tags: Any


@dataclass(frozen=True)
class TaggedFrozen(str):
    tags: Any = None


class AllEqual(type):
    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return 7


@dataclass
class OneOfEqual(metaclass=AllEqual):
    count: Any


@dataclass
class OtherOfEqual(metaclass=AllEqual):
    count: Any


def of_factory(factory: Any) -> Any:
    return defaultdict(factory, a=1)


def noisy_counts(form: Callable[[Any, Any], Any], scale: int, noise: Any) -> Any:
    def mechanism(draw: Any, rows: Any, epsilon: Any) -> Any:
        return form(*[rows.count(v) + draw(noise(scale / epsilon)) for v in range(2)])

    return mechanism


def as_tuple(a: Any, b: Any) -> Any:
    return a, b


@pytest.mark.parametrize("noise", [laplace, discrete_laplace])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_noise_in_a_container_is_decided_as_in_a_tuple(form: Callable[[Any, Any], Any], noise: Any) -> None:
    for scale, status in ((2, Status.PROVED), (1, Status.REFUTED)):
        found, tuples = (decided(noisy_counts(one, scale, noise)) for one in (form, as_tuple))
        assert found.status is tuples.status is status
        assert found.epsilon == tuples.epsilon
    assert found.witness is not None and tuples.witness is not None
    assert (found.witness.left, found.witness.right) == (tuples.witness.left, tuples.witness.right)
    assert (found.witness.p, found.witness.q) == (tuples.witness.p, tuples.witness.q)
    ((event,),) = (tuples.witness.event,)
    assert found.witness.event == (as_held(form(*event)),)


@pytest.mark.parametrize("form", [one for name, one in FORMS.items() if name != "Counter"])
def test_noise_in_a_container_is_decided_for_all_sizes(form: Callable[[Any, Any], Any]) -> None:
    assert decided(noisy_counts(form, 2, laplace), Histograms((0, 1))).status is Status.PROVED
    assert decided(noisy_counts(form, 1, laplace), Histograms((0, 1))).status is Status.REFUTED


@pytest.mark.parametrize(
    "form", [lambda a, b: astuple(Frozen(a, b)), lambda a, b: asdict(Frozen(a, b)), lambda a, b: deepcopy((a, copy(b)))]
)
def test_noise_is_copied_as_a_number_is(form: Callable[[Any, Any], Any]) -> None:
    assert decided(noisy_counts(form, 2, laplace)).epsilon == decided(noisy_counts(as_tuple, 2, laplace)).epsilon
    computed = decided(noisy_counts(lambda a, b: form(a * b, 0), 2, laplace))
    assert computed.epsilon == decided(noisy_counts(lambda a, b: (a * b, 0), 2, laplace)).epsilon


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_run_returns_the_type_that_the_code_returns(form: Callable[[Any, Any], Any]) -> None:
    outcome = run(noisy_counts(form, 2, discrete_laplace), (0, 1), seed=1, epsilon=1)
    numbers = run(noisy_counts(as_tuple, 2, discrete_laplace), (0, 1), seed=1, epsilon=1)
    expected = form(*numbers)
    assert type(outcome) is type(expected) and repr(outcome) == repr(expected)


TOLD_APART: list[tuple[Callable[[], Any], Callable[[], Any]]] = [
    (lambda: [1], lambda: (1,)),
    (lambda: ([1],), lambda: [[1]]),
    (lambda: [[1]], lambda: [(1,)]),
    (lambda: [[], 1], lambda: [1]),
    (lambda: {"a": 1}, lambda: (("a", 1),)),
    (lambda: {"a": 1}, lambda: [("a", 1)]),
    (lambda: {"a": 1, "b": 2}, lambda: {"b": 2, "a": 1}),
    (lambda: {"a": 1}, lambda: Counter(a=1)),
    (lambda: {"a": 1}, lambda: OrderedDict(a=1)),
    (lambda: {"a": 1}, lambda: defaultdict(int, a=1)),
    (lambda: defaultdict(list, a=1), lambda: defaultdict(int, a=1)),
    (lambda: Open(1), lambda: Open(1, 2)),
    (lambda: Open([1]), lambda: Open((1,))),
    (lambda: Frozen([1]), lambda: Frozen((1,))),
    (lambda: Frozen([1]), lambda: Open([1])),
    (lambda: Pair([1], 2), lambda: ([1], 2)),
    (lambda: Pair(1, 2), lambda: (1, 2)),
    (lambda: [1], lambda: {1}.__class__),
]


@pytest.mark.parametrize(("left", "right"), TOLD_APART)
def test_the_type_at_every_depth_is_part_of_the_outcome(left: Callable[[], Any], right: Callable[[], Any]) -> None:

    def beside_noise(draw: Any, rows: Any) -> Any:
        return draw(laplace(1)), left() if rows[0] else right()

    for mechanism in (lambda draw, rows: left() if rows[0] else right(), beside_noise):
        verdict = decided(mechanism, BIT)
        assert verdict.status is Status.REFUTED and verdict.delta.exact == 1
        assert decided(lambda draw, rows: left(), BIT).status is Status.PROVED


@pytest.mark.parametrize("kind", [Uncompared, OwnHash, OwnEquality])
def test_noise_in_a_dataclass_that_is_equal_in_a_way_of_its_own_is_refused(kind: Any) -> None:
    """By its fields it would be another outcome than by its equality."""
    with pytest.raises(
        InputError,
        match=r"noise cannot be hashed, as a key or in a frozen dataclass|noise, of one mechanism was used in another one",
    ):
        decided(lambda draw, rows: kind(sum(rows) + draw(laplace(1))))
    assert as_held(kind(1)) == kind(1)


def test_noise_in_a_frozen_dataclass_and_a_number_there_are_outcomes_of_one_form() -> None:
    """The number is one that the noise may give: on ⅓ of the runs it is released without noise."""

    def now_and_then(draw: Any, rows: Any) -> Any:
        return Frozen(sum(rows) + draw(discrete_laplace(1)) if draw(bernoulli("2/3")) else 5, "more")

    law = distribution(now_and_then, (1, 1))
    in_tuples = distribution(lambda draw, rows: (*vars(now_and_then(draw, rows)).values(),), (1, 1))
    for number in (4, 5):
        assert law.probability(Frozen(number, "more")) == in_tuples.probability((number, "more"))
    assert law.probability(Frozen(5, "more")) > Fraction(1, 3)
    assert (
        decided(now_and_then).epsilon == decided(lambda draw, rows: as_tuple(now_and_then(draw, rows).count, 0)).epsilon
    )
    assert type(run(now_and_then, (1, 1), seed=1)) is Frozen


def test_distributions_of_frozen_dataclasses_are_asked_for_as_they_are_written() -> None:
    of_two = uniform([Frozen(1), Frozen(2)])
    weighted = Distribution({Frozen(1): 1, Frozen(2): 1})
    drawn = distribution(lambda draw, rows: draw(of_two), ())
    assert drawn == of_two == weighted
    assert [law.probability(Frozen(2)) for law in (drawn, of_two, weighted)] == [Fraction(1, 2)] * 3
    seen = distribution(lambda draw, rows: draw(of_two).count, ())
    assert seen == uniform([1, 2])


TYPES_COUNT = "; the exact types of lists, dicts and dataclasses are part of the outcome; output distributions "


@in_one(
    "form, is_said",
    [
        (lambda a: a, False),
        (lambda a: (a, "a"), False),
        (lambda a: [a], True),
        (lambda a: (1, (a, {"a": 2})), True),
        (lambda a: Frozen(a), True),  # noqa: PLW0108  # as a person writes it
        (lambda a: (a, Open(1)), True),
        (lambda a: (a, Pair(1, 2)), True),
    ],
)
def test_a_scope_says_that_types_count_where_there_are_containers(form: Callable[[Any], Any], is_said: bool) -> None:
    for source in (lambda rows: bernoulli("1/3" if rows[0] else "1/2"), lambda rows: laplace(1)):
        for epsilon in (1, symbolic):
            verdict = decided(lambda draw, rows, s=source: form(draw(s(rows))), BIT, epsilon)
            assert (TYPES_COUNT in verdict.scope) is is_said


def test_noise_in_a_list_is_not_noise_in_a_tuple() -> None:
    def mechanism(draw: Any, rows: Any) -> Any:
        noisy = draw(laplace(1))
        return [noisy] if rows[0] else (noisy,)

    assert decided(mechanism, BIT).delta.exact == 1
    assert decided(mechanism, Histograms((0, 1))).status is not Status.PROVED


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: Own([1]), r"returned a Own, which may hold more than its items: return list\(…\) of it"),
        (lambda: [OwnDict(a=1)], r"returned a OwnDict, which may .*: return dict\(…\) of it"),
        (lambda: defaultdict(lambda: 0, a=1), r"returned a defaultdict, which may hold more"),
        (lambda: OwnOrder(1, 2), r"returned a OwnOrder, which may .*: return tuple\(…\) of it"),
        (
            lambda: [Tagged.__new__(Tagged, "a")],
            r"returned a Tagged, .*: return a dataclass that extends none of Python",
        ),
        (lambda: TaggedFrozen.__new__(TaggedFrozen, "a"), "returned a TaggedFrozen, which may hold more"),
        (lambda: [{1}], "frozensets in place of sets"),
        (lambda: [bytearray(b"a")], "returned a list which cannot be hashed"),
        (lambda: [float("nan")], "does not equal itself"),
    ],
)
def test_what_no_law_can_hold_in_a_container_is_refused(made: Callable[[], Any], words: str) -> None:
    for answer in (distribution, run):
        with debugging(), pytest.raises(MechanismError, match=words):
            answer(lambda draw, rows: made(), (0,))


def test_what_holds_itself_is_refused() -> None:
    def mechanism(draw: Any, rows: Any) -> Any:
        found: list[Any] = []
        found.append(found)
        return found

    with pytest.raises(MechanismError, match="returned a list that holds itself"):
        distribution(mechanism, (0,))


def test_equal_items_of_two_types_are_refused_in_a_list_too() -> None:
    with pytest.raises(InputError, match="not the same"):
        decided(lambda draw, rows: [1] if rows[0] else [True], BIT)
    with pytest.raises(InputError, match="not the same"):
        decided(lambda draw, rows: {1: "a"} if rows[0] else {True: "a"}, BIT)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (lambda: OneOfEqual(1), lambda: OtherOfEqual(1)),
        (lambda: of_factory(OneOfEqual), lambda: of_factory(OtherOfEqual)),
    ],
)
def test_classes_that_a_metaclass_calls_equal_are_two_types(left: Callable[[], Any], right: Callable[[], Any]) -> None:
    with pytest.raises(InputError, match="not the same"):
        decided(lambda draw, rows: left() if rows[0] else right(), BIT)


ZEROS = float("0"), float("-0")  # which no source gives as literals


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (lambda: True, lambda: 1),
        (lambda: (ZEROS[0],), lambda: (ZEROS[1],)),
        (lambda: [1], lambda: [True]),
        (lambda: {1: "a"}, lambda: {True: "a"}),
    ],
)
def test_equal_outcomes_that_are_not_the_same_are_refused_for_all_sizes(
    left: Callable[[], Any], right: Callable[[], Any]
) -> None:

    def beside_noise(draw: Any, rows: Any) -> Any:
        return [draw(laplace(1)), left() if rows.count(1) else right()]

    def beside_the_size(draw: Any, rows: Any) -> Any:
        return len(rows), left() if rows.count(1) else right()

    for mechanism in (lambda draw, rows: left() if rows.count(1) else right(), beside_noise, beside_the_size):
        with pytest.raises(InputError, match="not the same"):
            decided(mechanism, Histograms((0, 1)), 0)
        assert decided(lambda draw, rows: left(), Histograms((0, 1)), 0).status is Status.PROVED


# --- Nobody shares a list with a law
def listing(draw: Any, rows: Any) -> Any:
    return [draw(bernoulli("1/2")), {"rows": [rows.count(0)]}]


def changes_it(draw: Any, rows: Any) -> Any:
    first = draw(listing, rows)
    first[1]["rows"].append("changed")
    first.clear()
    second = draw(listing, rows)
    first.append(second[1]["rows"])
    return first


def test_a_list_that_is_handed_on_is_a_new_one_each_time() -> None:
    assert distribution(changes_it, (0, 1)).probability([[1]]) == 1
    assert run(changes_it, (0, 1)) == [[1]]
    assert distribution(listing, (0, 1)).probability([True, {"rows": [1]}]) == Fraction(1, 2)


def test_until_does_not_hand_on_what_the_test_has_changed_elsewhere() -> None:
    def mechanism(draw: Any, rows: Any) -> Any:
        return draw.until(listing, lambda outcome: outcome[0], rows), draw(listing, rows)[1]

    assert distribution(mechanism, (0,)).probability(([True, {"rows": [1]}], {"rows": [1]})) == 1
    assert run(mechanism, (0,)) == ([True, {"rows": [1]}], {"rows": [1]})


KEPT = [0]


def test_run_shares_nothing_and_no_part_is_there_twice() -> None:

    outcome = run(lambda draw, rows: [KEPT, KEPT, {"a": KEPT}, Open(KEPT)], (0,))
    parts = [outcome[0], outcome[1], outcome[2]["a"], outcome[3].count]
    assert parts == [[0]] * 4 and len({*map(id, parts), id(KEPT)}) == 5


def test_noise_that_a_sub_mechanism_returns_in_a_list_goes_on_as_noise() -> None:
    def inner(draw: Any, rows: Any, epsilon: Any) -> Any:
        return [rows.count(0) + draw(laplace(1 / epsilon)), {"n": rows.count(1) + draw(laplace(1 / epsilon))}]

    def outer(draw: Any, rows: Any, epsilon: Any) -> Any:
        found = draw(inner, rows, epsilon=epsilon / 2)
        found.append(found[0] > 1)
        found[1]["more"] = 0
        return found

    for domain in (TWO_ROWS, Histograms((0, 1))):
        assert decided(outer, domain).status is Status.PROVED
        assert decided(partial(outer, epsilon=Fraction(11, 10)), domain).status is Status.REFUTED


def test_parts_of_draw_each_may_stand_in_a_list() -> None:
    def one(draw: Any, row: Any) -> Any:
        return [row ^ draw(bernoulli("1/4"))]

    def each(draw: Any, rows: Any) -> Any:
        return list(draw.each(one, rows))

    assert decided(each).epsilon == decided(lambda draw, rows: [draw(one, row) for row in rows]).epsilon
    assert (
        decided(each, epsilon="1.09").status is Status.REFUTED and decided(each, epsilon="1.1").status is Status.PROVED
    )


# --- What people write and read
def test_events_with_lists_are_asked_for_as_they_are_written() -> None:

    law = distribution(lambda draw, rows: {"a": [draw(discrete_laplace(1))]}, (0,))
    assert law.probability({"a": [AtLeast(1)]}) == distribution(
        lambda draw, rows: (draw(discrete_laplace(1)),), 0
    ).probability((AtLeast(1),))
    assert law.probability({"a": (AtLeast(1),)}) == 0
    coin = distribution(lambda draw, rows: [draw(bernoulli("1/4"))], 0)
    assert coin.probability([True], [False]) == 1 and coin.probability((True,)) == 0
    assert str(OneOf(([1], (1,)))) == "one of [1], (1,)"


@pytest.mark.parametrize(
    ("form", "event"),
    [
        (FORMS["list"], "[≥ 2, ≤ 0]"),
        (FORMS["dict"], "{'a': ≥ 2, 'b': ≤ 0}"),
        (FORMS["nested"], "([≥ 2], {'x': (0, [≤ 0])})"),
        (FORMS["dataclass"], "Open(count=≥ 2, more=[≤ 0])"),
        (FORMS["defaultdict"], "defaultdict(list, {'a': ≥ 2, 'b': [≤ 0]})"),
    ],
)
def test_a_counterexample_shows_the_container_and_its_line_gives_its_probabilities(
    form: Callable[[Any, Any], Any], event: str
) -> None:
    verdict = decided(noisy_counts(form, 1, laplace))
    assert f"event  {{{event}}}" in str(verdict)
    law = distribution(noisy_counts(form, 1, laplace), verdict.witness.left, epsilon=1)
    assert law.probability(*verdict.witness.event) == law.probability(as_returned(verdict.witness.event[0]))


def test_the_line_of_a_counterexample_runs(tmp_path: Any) -> None:
    (tmp_path / "own.py").write_text(
        "from dpverify.mechanisms import discrete_laplace\n"
        "def counts(draw, rows, epsilon):\n"
        "    return {v: [rows.count(v) + draw(discrete_laplace(1 / epsilon))] for v in range(2)}\n",
        encoding="utf-8",
    )
    said = subprocess.run(
        [sys.executable, "-c", CHECKED], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout
    line = next(line.strip() for line in said.splitlines() if "python -c" in line)
    assert "probability({0: [2], 1: [0]})" in line
    again = subprocess.run(
        line.replace("python", sys.executable, 1), shell=True, capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert again.stdout.strip().endswith("True")


CHECKED = (
    "from own import counts; from dpverify.verifiers import *; "
    "print(check_privacy(counts, Tuples((0, 1), size=2), replace_one, epsilon=1))"
)


def test_lists_survive_the_second_interpreter() -> None:
    assert check_privacy(listing, TWO_ROWS, replace_one, epsilon=1).status is Status.REFUTED
    assert (
        check_privacy(noisy_counts(FORMS["nested"], 2, laplace), TWO_ROWS, replace_one, epsilon=1).status
        is Status.PROVED
    )


def failure(mechanism: Any, succeeds: Any) -> Any:
    case = Case((0, 1))
    claim = UtilityClaim(
        id="own", mechanism=mechanism, mutant=mechanism, cases=[case], succeeds=succeeds, beta=lambda case: 1
    )
    return failure_probability(claim, case)


def test_succeeds_is_handed_the_list_itself() -> None:
    def succeeds(case: Case, outcome: Any) -> bool:
        return isinstance(outcome, list) and outcome.pop()["rows"] == [case.database.count(0)]

    assert failure(listing, succeeds) == 0
    assert failure(listing, lambda case, outcome: outcome[0]) == Fraction(1, 2)


def test_succeeds_may_ask_how_large_noise_in_a_list_is() -> None:

    def near(case: Case, outcome: Any) -> bool:
        return bool(abs(outcome[0] - case.database.count(0)) <= 2 * outcome[1]["a"])

    assert failure(lambda draw, rows: [rows.count(0) + draw(laplace(1)), {"a": 1}], near) == exp(-2)
    with pytest.raises(InputError, match="tuples, lists and dicts alone"):
        failure(lambda draw, rows: Open(draw(laplace(1))), lambda case, outcome: outcome.count <= 0)


def test_symmetry_and_sorted_rows_look_into_lists() -> None:
    def inner(draw: Any, rows: Any, epsilon: Any) -> Any:
        return [draw(exponential({x: rows.count(x) for x in "ab"}, epsilon)), {"of": ["a"]}]

    wrapped = symmetric(inner, under=relabellings(("a", "b")))
    law = distribution(wrapped, ("b", "b"), epsilon=1)
    assert law.probability(["b", {"of": ["b"]}]) == distribution(inner, ("a", "a"), epsilon=1).probability(
        ["a", {"of": ["a"]}]
    )
    assert run(wrapped, ("b", "b"), epsilon=1)[1] == {"of": ["b"]}
    assert run(in_sorted_order(inner), ("b", "a"), epsilon=1)[1] == {"of": ["a"]}


# --- The form itself
VALUES = st.recursive(
    st.integers(-2, 2) | st.sampled_from(["a", "b", None]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
        | st.dictionaries(st.sampled_from("ab"), inner, max_size=2).map(OrderedDict)
        | inner.map(Open)
        | inner.map(Frozen)
        | st.tuples(inner, inner).map(lambda parts: Pair(*parts))
    ),
    max_leaves=6,
)


@given(VALUES, VALUES)
def test_two_values_are_one_outcome_if_they_read_the_same(left: Any, right: Any) -> None:
    """Nothing in them is equal and reads otherwise; but for named tuples without a container, see `lookalikes`."""
    one_way = as_held(left)
    hash(one_way)
    assert repr(as_returned(one_way)) == repr(left)
    assert shown(one_way, 10_000) == repr(left)
    if "Pair" not in repr((left, right)):
        assert (one_way == as_held(right)) is (repr(left) == repr(right))
