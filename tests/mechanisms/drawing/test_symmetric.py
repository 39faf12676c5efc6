"""Mechanisms that are symmetric by construction: their laws against the mean over all ways to come back."""

import copy
import os
import pickle
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, permutations, product
from types import FrameType
from typing import Any

import pytest

from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    MechanismError,
    discrete_laplace,
    distribution,
    exponential,
    laplace,
    run,
    symmetric,
    uniform,
)
from dpverify.mechanisms.drawing import permutations as permutations_of_candidates
from dpverify.mechanisms.drawing import relabellings, shifts
from dpverify.mechanisms.drawing.symmetric import Relabellings
from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.functions.places import code_of
from dpverify.mechanisms.selection import choose_by_stability
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution

UNIVERSE = ("a", "b", "c", "d")
ROWS = [rows for n in range(4) for rows in combinations_with_replacement(UNIVERSE, n)]
SCORES = list(product(range(4), repeat=3))


def most_common(draw: Draw, rows: Sequence[str]) -> Any:
    """Symmetric as it is."""
    return draw(exponential({x: rows.count(x) for x in UNIVERSE}, 1))


def first_most_common(draw: Draw, rows: Sequence[str]) -> Any:
    """A tie-break by index."""
    return max(UNIVERSE, key=rows.count)


def two_of_them(draw: Draw, rows: Sequence[str]) -> Any:
    """Outcomes that hold several rows, tied or not, and other things."""
    first = draw(Distribution({x: rows.count(x) + i for i, x in enumerate(UNIVERSE)}))
    second = draw(Distribution({UNIVERSE[0]: 1, UNIVERSE[-1]: 2}))
    return draw(Distribution({(first, (second, len(rows))): 1, frozenset((first, second)): 1, None: 1}))


def all_of_them(draw: Draw, rows: Sequence[str]) -> Any:
    return UNIVERSE, draw(Distribution({"a": 1, "x": 2}))


def as_means(
    law_of: Callable[[Any], Mapping[Any, Any]], canonical: Any, ways: Sequence[Mapping[Any, Any]]
) -> Mapping[Any, Any]:
    """The mean over all ways to come back from a canonical form: the definition."""
    found: dict[Any, Any] = {}
    law = law_of(canonical)
    for way in ways:
        for outcome, p in law.items():
            image = renamed(outcome, way)
            found[image] = found.get(image, 0) + p / len(ways)
    return found


def renamed(outcome: Any, names: Mapping[Any, Any]) -> Any:
    if isinstance(outcome, tuple | frozenset):
        return type(outcome)(renamed(part, names) for part in outcome)
    return names.get(outcome, outcome)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mechanism", [most_common, first_most_common, two_of_them, all_of_them])
def test_a_law_is_the_mean_over_all_relabellings_that_give_the_database(mechanism: Any) -> None:
    wrapped = symmetric(mechanism, under=relabellings(UNIVERSE))
    relabelled_all = list(permutations(UNIVERSE))
    for rows in ROWS:
        falling = sorted((rows.count(x) for x in UNIVERSE), reverse=True)
        canonical = tuple(x for x, count in zip(UNIVERSE, falling, strict=True) for _ in range(count))
        ways = [dict(zip(UNIVERSE, names, strict=True)) for names in relabelled_all]
        ways = [way for way in ways if sorted(way[x] for x in canonical) == sorted(rows)]
        mean = as_means(lambda c: distribution(mechanism, c).probabilities, canonical, ways)
        law = distribution(wrapped, tuple(reversed(rows))).probabilities
        assert wrapped.mean(distribution(mechanism, canonical), wrapped.under.form(rows)) == distribution(wrapped, rows)
        assert law.keys() == mean.keys()
        assert all(law[outcome] == mean[outcome] for outcome in law)


def first_best(draw: Draw, scores: Sequence[int]) -> Any:
    """A tie-break by index, and a second best."""
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return draw(Distribution({order[0]: 3, order[1]: 1 + scores[order[0]], ("least", order[-1], min(scores) + 9): 1}))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("permuted", [False, True])
def test_the_same_of_scores(permuted: bool, shifted: bool) -> None:
    if not (permuted or shifted):
        return
    under = permutations_of_candidates if permuted else shifts
    wrapped = symmetric(first_best, under=under | shifts if shifted else under)
    for scores in SCORES:
        moved = [score - min(scores) for score in scores] if shifted else list(scores)
        orders = list(permutations(range(3))) if permuted else [(0, 1, 2)]
        canonical = tuple(sorted(moved, reverse=True)) if permuted else tuple(moved)
        ways = [dict(enumerate(order)) for order in orders if tuple(moved[i] for i in order) == canonical]
        mean = as_means(lambda c: distribution(first_best, c).probabilities, canonical, ways)
        law = distribution(wrapped, scores).probabilities
        assert wrapped.mean(distribution(first_best, canonical), wrapped.under.form(scores)) == distribution(
            wrapped, scores
        )
        assert law.keys() == mean.keys()
        assert all(law[outcome] == mean[outcome] for outcome in law)


def test_what_is_symmetric_as_it_is_stays_so() -> None:
    wrapped = symmetric(most_common, under=relabellings(UNIVERSE))
    assert all(distribution(wrapped, rows) == distribution(most_common, rows) for rows in ROWS)


def test_a_tie_break_by_index_becomes_one_by_chance() -> None:
    wrapped = symmetric(choose_by_stability, under=permutations_of_candidates | shifts)
    tied, plain = (distribution(f, (5, 4, 5), epsilon=1, delta="1/10") for f in (wrapped, choose_by_stability))
    assert tied.probability(0) == tied.probability(2) == plain.probability(0) / 2
    assert plain.probability(2) == 0


def test_many_ways_back_are_drawn_one_by_one() -> None:
    """Of five tied labels there are more orders than are listed."""
    universe = tuple("abcde")
    wrapped = symmetric(lambda draw, rows: universe, under=relabellings(universe))
    law = distribution(wrapped, ())
    assert law == uniform(permutations(universe))
    assert wrapped.mean(distribution(wrapped.mechanism, ()), wrapped.under.form(())) is None
    many = symmetric(lambda draw, rows: tuple(range(20)), under=relabellings(range(20)))
    assert sorted(run(many, (), seed=1)) == list(range(20))  # of 2·10^18 orders, none of which is listed


def test_a_mean_is_left_to_the_enumerator_where_that_refuses_it() -> None:
    """Outcomes of two labels that are equal, and not the same, when one label is called by the other's name."""

    def lookalikes(draw: Draw, rows: Sequence[str]) -> Any:
        return draw(Distribution({("a", True): 1, ("b", 1): 1}))

    wrapped = symmetric(lookalikes, under=relabellings(("a", "b")))
    assert wrapped.mean(distribution(lookalikes, ()), wrapped.under.form(())) is None
    with pytest.raises(MechanismError, match="which are equal and not the same, and so one outcome"):
        distribution(wrapped, ())
    assert distribution(wrapped, ("b",)).probabilities == {("b", True): Fraction(1, 2), ("a", 1): Fraction(1, 2)}


def test_runs_draw_what_is_tied() -> None:
    wrapped = symmetric(first_most_common, under=relabellings(UNIVERSE))
    assert {run(wrapped, ("b", "d"), seed=seed) for seed in range(40)} == {"b", "d"}
    pairs = symmetric(all_of_them, under=relabellings(UNIVERSE))
    for seed in range(10):
        everything, other = run(pairs, ("c",), seed=seed)
        assert everything[0] == "c"
        assert sorted(everything) == sorted(UNIVERSE)
        assert other in ("c", "x")


def test_places_and_outcomes_without_rows() -> None:
    def place(draw: Draw, rows: Sequence[str]) -> int:
        return max(range(4), key=lambda i: rows.count(UNIVERSE[i]))

    wrapped = symmetric(place, under=relabellings(UNIVERSE, outcomes="places"))
    assert distribution(wrapped, ("c", "c", "a")).probabilities == {2: 1}
    numbers = symmetric(lambda draw, rows: rows.count(0), under=relabellings(range(3), outcomes="nothing"))
    assert distribution(numbers, (1, 1, 2)).probabilities == {2: 1}


def test_noise_beside_texts_and_in_outcomes_without_rows() -> None:
    def noisy(draw: Draw, rows: Sequence[str]) -> Any:
        best = max(UNIVERSE, key=rows.count)
        return best, rows.count(best) + draw(discrete_laplace(2))

    wrapped = symmetric(noisy, under=relabellings(UNIVERSE))
    law = distribution(wrapped, ("d", "d", "c"))
    assert same_distribution(law, distribution(noisy, ("d", "d", "c")))
    assert distribution(wrapped, ("d", "c")).probability(("d", 3)) == law.probability(("d", 4)) / 2
    label, number = run(wrapped, ("d", "c"), seed=1)
    assert label in ("c", "d")
    assert isinstance(number, int)
    alone = symmetric(lambda draw, rows: len(rows) + draw(laplace(1)), under=relabellings((0, 1), outcomes="nothing"))
    assert distribution(alone, (0,)) is not None


class Flag:
    """An object in which nobody looks for labels."""

    def __init__(self, row: Any) -> None:
        self.row = row

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flag) and self.row == other.row

    def __hash__(self) -> int:
        return hash(self.row)


FLOAT: Any = float("1")  # which no source gives as a literal


def refused() -> Iterator[Any]:
    yield pytest.param(lambda draw, rows: True, "equals the label 1 and is not the same", id="lookalike")
    yield pytest.param(lambda draw, rows: (2, FLOAT), "equals the label 1 and is not the same", id="float")
    yield pytest.param(lambda draw, rows: Flag(1), "returned a Flag, in which labels are not looked for", id="object")
    yield pytest.param(lambda draw, rows: (1, 3 + draw(discrete_laplace(1))), "returned noise, which may", id="noise")
    yield pytest.param(
        lambda draw, rows: draw.each(lambda draw, row: draw(Distribution({row: 1, 0: 1})), rows),
        "returned an independent part",
        id="parts",
    )
    yield pytest.param(lambda draw, rows: rows[os.urandom(1)[0] % 2], "chance came from os.urandom", id="chance")


class Numbered(IntEnum):
    """Labels that equal numbers: a released one may be one of them."""

    FIRST = 0
    LAST = 100


@pytest.mark.parametrize("labels", [("a", 1), ("a", Fraction(1, 2)), Numbered, ("a", ("b", 1))])
def test_noise_beside_labels_some_of_which_are_numbers_is_refused(labels: Any) -> None:
    wrapped = symmetric(lambda draw, rows: ("x", draw(discrete_laplace(1))), under=relabellings(labels))
    with pytest.raises(MechanismError, match="returned noise, which may come out as one of the labels"):
        distribution(wrapped, (next(iter(labels)),))


@pytest.mark.parametrize(("mechanism", "message"), list(refused()))
def test_outcomes_that_cannot_be_relabelled_are_refused(mechanism: Any, message: str) -> None:
    wrapped = symmetric(mechanism, under=relabellings(range(3)))
    with pytest.raises(MechanismError, match=message):
        distribution(wrapped, (1, 1, 2))


def test_generators_within_are_found() -> None:
    generator = random.Random(1)

    with pytest.raises(MechanismError, match="chance came from"):
        distribution(symmetric(lambda draw, rows: generator.randrange(2), under=relabellings(range(3))), (1, 1, 2))


RELABELLED: Any = relabellings  # as somebody calls it who has no type checker
WRAPPED: Any = symmetric


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RELABELLED(8), "universe=8 is not an iterable of rows"),
        (lambda: RELABELLED(()), "universe is empty"),
        (lambda: RELABELLED((1, 1)), "a row twice"),
        (lambda: RELABELLED(([1],)), "cannot be hashed"),
        (lambda: RELABELLED((0, (0, 1))), r"returned \(0, 1\), which holds another label"),
        (lambda: RELABELLED((0, (1, (0, 1)))), r"returned \(1, \(0, 1\)\), which holds another label"),
        (lambda: RELABELLED((0, 1), outcomes="counts"), "outcomes='counts' is none of rows, places, nothing"),
        (lambda: WRAPPED(3, under=shifts), r"symmetric\(3, …\) has a wrong argument"),
        (lambda: WRAPPED(most_common, under=permutations), "under=.* is not a symmetry"),
        (lambda: WRAPPED(lambda rows, draw: 0, under=shifts), "takes rows before draw"),
    ],
)
def test_bad_input_is_named(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize(
    ("under", "database", "message"),
    [
        (relabellings(UNIVERSE), ("a", "x"), "the row 'x' is not in the universe"),
        (relabellings(UNIVERSE), 3, "3 is not a database of rows"),
        (shifts, (1, 0.5), "the score 0.5 is not an exact number"),
        (permutations_of_candidates, (), r"and shifts: \(\) is not a vector of scores"),
    ],
)
def test_databases_that_a_symmetry_does_not_act_on_are_refused(under: Any, database: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        distribution(symmetric(first_best, under=under), database)


def test_equal_scores_are_alike_in_whatever_form_they_come() -> None:
    def by_type(draw: Draw, scores: Sequence[Any]) -> Any:
        return next((i for i, score in enumerate(scores) if isinstance(score, Fraction)), None)

    wrapped = symmetric(by_type, under=permutations_of_candidates)
    assert distribution(wrapped, (Fraction(2), 2)).probabilities == {None: 1}


def test_it_is_called_and_takes_what_the_mechanism_does() -> None:
    wrapped = symmetric(choose_by_stability, under=permutations_of_candidates)
    assert name_of(wrapped) == "symmetric(choose_by_stability)"
    with pytest.raises(InputError, match=r"symmetric\(choose_by_stability\) needs delta"):
        run(wrapped, (1, 2), epsilon=1)


def test_its_code_is_that_of_the_mechanism() -> None:
    """By which messages say where the mechanism is defined."""
    wrapped = symmetric(first_most_common, under=relabellings(UNIVERSE))
    assert code_of(wrapped) is code_of(partial(wrapped)) is first_most_common.__code__


def test_the_form_of_rows_that_have_changed_is_theirs() -> None:
    """What is remembered is what cannot change; a list, and a long database, are looked at anew."""
    under = relabellings(range(2))
    rows = [0, 0, 1]
    assert under.form(rows).order == [0, 1]
    rows += [1, 1]
    assert under.form(rows).order == [1, 0]
    for size in (3, 1_000):
        for many, few in ((0, 1), (1, 0)):
            database = (many,) * size + (few,)
            assert [under.form(database).order for _ in range(2)] == [[many, few]] * 2


def test_what_is_remembered_of_a_database_is_not_stored_with_the_mechanism() -> None:
    stored = []
    for database in ((2, 2, 1), (0, 1, 1)):
        under = relabellings(range(3))
        form = under.form(database)
        stored.append(pickle.dumps(under))
        for copied in (pickle.loads(stored[-1]), copy.deepcopy(under), copy.copy(under)):
            assert copied == under
            assert copied.form(database) == form
    assert stored[0] == stored[1]


@pytest.mark.parametrize("step", range(1, 7))
def test_a_form_is_that_of_its_database_while_another_thread_asks_for_another(step: int) -> None:
    """Which does so between two lines of this one."""
    under = relabellings(range(3))
    mine, other = (2, 2, 1), (0, 1, 1)
    expected = under.form(mine)
    lines = 0

    def meanwhile(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if frame.f_code is not Relabellings.form.__code__:
            return None
        lines += event == "line"
        if event == "line" and lines == step:
            sys.settrace(None)
            under.form(other)
        return meanwhile

    before = sys.gettrace()
    sys.settrace(meanwhile)
    try:
        found = under.form(mine)
    finally:
        sys.settrace(before)
    assert found == expected
