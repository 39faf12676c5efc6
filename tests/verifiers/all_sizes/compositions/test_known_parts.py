"""What is known of parts, tried on all small databases: scores move by at most 1, outcomes are listed, δ is enough."""

import inspect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from operator import add
from typing import Any

import pytest

from dpverify.mechanisms import Undecided, discrete_laplace, distribution, exact, laplace
from dpverify.mechanisms.counting.step_functions import StepFunction
from dpverify.mechanisms.learners import generic_learner, label_private_learner, learn_by_large_margin
from dpverify.mechanisms.learners.improper_points_learner import on_hashed_points
from dpverify.mechanisms.learners.multi_learners import on_column, on_points, rows_with_vectors
from dpverify.mechanisms.learners.parities import subsamples_with_vector
from dpverify.mechanisms.learners.points_learner import point_quality
from dpverify.mechanisms.learners.rectangles_learner import number_of_axes, on_axis, positives_within
from dpverify.mechanisms.learners.threshold_search import blocks_of_both_labels, most_of_both_labels, one_of_thresholds
from dpverify.mechanisms.learners.thresholds_learner import threshold_quality
from dpverify.mechanisms.recursion.quasi_concave import (
    extended_to_power,
    largest_in_blocks,
    last_point,
    on_scales,
    one_of_blocks,
    one_of_points,
    scale_quality,
)
from dpverify.mechanisms.release.itemsets import frequent_itemset
from dpverify.mechanisms.release.threshold_oracle import rows_that_satisfy
from dpverify.mechanisms.sanitizers import points, sanitize_in_parts, small_database, stable_histogram, thresholds
from dpverify.mechanisms.sanitizers.label_sanitizer import on_label, rows_with_label
from dpverify.mechanisms.sanitizers.multiplicative_weights import first_far_off, rows_in
from dpverify.mechanisms.sanitizers.points_sanitizer import counts_but_for, rows_at
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import counts_within, rows_between, scale_quality_within
from dpverify.mechanisms.sanitizers.two_parts import left_concepts, on_left_points, on_right_points
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.mechanisms.selection.of_rows import (
    noisy_number,
    number_of_rows,
    on_each_row,
    on_quality,
    on_some_rows,
    select_by_growth,
    select_by_quality,
)
from dpverify.mechanisms.selection.stability import Bottom, best_and_gap, choose_by_stability
from dpverify.reports.record import Status
from dpverify.verifiers import Tuples, change_one_label, check_privacy, replace_one
from dpverify.verifiers.all_sizes.compositions.known import ROW_RULES, known_rule
from dpverify.verifiers.all_sizes.compositions.parts import (
    NUMBER,
    OUTCOME,
    HandedOn,
    KnownPart,
    SealedDatabase,
    SealedScores,
)
from dpverify.verifiers.all_sizes.compositions.qualities import (
    KNOWN_GROWTHS,
    KNOWN_NUMBERS,
    KNOWN_QUALITIES,
    known_growth,
    known_quality,
    refuse_other_number,
)
from dpverify.verifiers.all_sizes.compositions.scores import SCORE_RULES

HALF = Fraction(1, 2)
EXAMPLES = tuple(product(range(2), range(2)))
OF_TWO = tuple(product(range(2), range(4)))


def is_odd(row: int) -> int:
    return row % 2


QUALITY_CASES: dict[Callable[..., Any], list[tuple[Sequence[Any], int, Mapping[str, Any]]]] = {
    point_quality: [(EXAMPLES, 3, {"d": 1})],
    threshold_quality: [(EXAMPLES, 3, {"d": 1}), (tuple(product(range(4), range(2))), 2, {"d": 2})],
    blocks_of_both_labels: [(EXAMPLES, 4, {"d": 1, "length": 1, "offset": offset}) for offset in (0, 1)],
    subsamples_with_vector: [(EXAMPLES, 3, {"d": 1, "k": 1, "size": 1}), (OF_TWO[:5], 4, {"d": 1, "k": 2, "size": 2})],
    scale_quality_within: [
        (range(4), 3, {"within": (0, 3), "alpha": 1}),
        (range(4), 3, {"within": (1, 2), "alpha": 1}),
    ],
    rows_with_vectors: [(EXAMPLES, 3, {"heavy": heavy, "k": 1}) for heavy in ((), (0,), (0, 1))],
}
"""By quality: a universe, how many rows, and what it is given besides."""


def neighbours(universe: Any, size: int) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    return [
        (rows, (*rows[:i], row, *rows[i + 1 :]))
        for rows in product(universe, repeat=size)
        for i in range(size)
        for row in universe
        if row != rows[i]
    ]


def scores_of(quality: Any, solutions: Sequence[Any]) -> dict[Any, Any]:
    """The scores of all solutions, 0 for those that are not listed: nothing has less."""
    if isinstance(quality, StepFunction):
        return {solution: quality(solution) for solution in solutions}
    return {solution: quality.get(solution, 0) for solution in solutions}


def test_each_quality_and_number_is_tried() -> None:
    assert QUALITY_CASES.keys() == KNOWN_QUALITIES.keys()
    assert NUMBER_CASES.keys() == KNOWN_NUMBERS.keys()


NUMBER_CASES: dict[Callable[..., Any], tuple[Sequence[Any], int, Mapping[str, Any]]] = {
    rows_that_satisfy: (range(3), 3, {"query": is_odd}),
    rows_in: (range(3), 3, {"concept": is_odd}),
    rows_at: (range(4), 3, {"d": 2, "point": 1}),
    rows_between: (range(4), 3, {"d": 2, "within": (1, 2)}),
    positives_within: (tuple(product(product(range(2), repeat=2), range(2))), 2, {"axis": 1, "within": (1, 1)}),
    rows_with_label: (EXAMPLES, 3, {"label": 1}),
    most_of_both_labels: (tuple(product(range(4), range(2))), 3, {"d": 2, "length": 1}),
}


@pytest.mark.parametrize("number", NUMBER_CASES)
def test_one_row_moves_a_number_by_at_most_1(number: Callable[..., Any]) -> None:
    universe, size, given = NUMBER_CASES[number]
    found: dict[Any, int] = {rows: number(rows, **given) for rows in product(universe, repeat=size)}
    for rows, others in neighbours(universe, size):
        assert found[rows] - found[others] in (-1, 0, 1)
    refuse_other_number(partial(number, **given), SealedDatabase(tuple(universe), size))


@pytest.mark.parametrize("quality", QUALITY_CASES)
def test_one_row_moves_a_score_by_at_most_1(quality: Callable[..., Any]) -> None:
    for universe, size, given in QUALITY_CASES[quality]:
        known = known_quality(partial(quality, **given), SealedDatabase(tuple(universe), size))
        scores = {rows: quality(rows, **given) for rows in product(universe, repeat=size)}
        for rows, others in neighbours(universe, size):
            if known.two_best_alone:
                # best and gap are those of a quality of all solutions that moves by at most 1: see Theorem 3
                best, gap = best_and_gap(scores[rows])
                other, other_gap = best_and_gap(scores[others])
                assert {best, other} <= set(known.solutions)
                if gap is not None and other_gap is not None:
                    moved: Any = abs(gap - other_gap) if best == other else gap + other_gap
                    assert moved <= 2
            else:
                left, right = (scores_of(scores[side], known.solutions) for side in (rows, others))
                assert all(-1 <= left[solution] - right[solution] <= 1 for solution in known.solutions)


def all_vectors(rows: Sequence[tuple[int, int]], heavy: Sequence[int], k: int) -> dict[tuple[int, ...], int]:
    choices = product(range(1 << k), repeat=len(heavy))
    return {
        vectors: min([rows.count((x, v)) for x, v in zip(heavy, vectors, strict=True)], default=len(rows))
        for vectors in choices
    }


@pytest.mark.parametrize("heavy", [(0,), (1,), (0, 1)])
def test_two_choices_of_labels_have_best_and_gap_of_all(heavy: tuple[int, ...]) -> None:
    for rows in product(OF_TWO, repeat=2):
        _, gap = best_and_gap(rows_with_vectors(rows, heavy=heavy, k=2))
        ranked = sorted(all_vectors(rows, heavy, 2).values())
        assert gap == ranked[-1] - ranked[-2]


GROWTH_CASES: dict[Callable[..., Any], list[tuple[Sequence[Any], Mapping[str, Any], int]]] = {
    counts_but_for: [(range(4), {"d": 2, "without": without}, 1) for without in ((), (0, 2))],
    counts_within: [(range(4), {"within": (0, 3), "z": z}, 2 if z else 1) for z in (0, 1)],
}


def test_each_row_raises_few_solutions_by_1() -> None:
    assert GROWTH_CASES.keys() == KNOWN_GROWTHS
    for quality, cases in GROWTH_CASES.items():
        for universe, given, growth in cases:
            known = known_growth(partial(quality, **given), SealedDatabase(tuple(universe), 1))
            assert known.growth == growth
            for rows in product(universe, repeat=3):
                before, after = ({f: n for f, n in quality(some, **given).items() if n} for some in (rows[:2], rows))
                assert after.keys() <= set(known.solutions)
                gained = [after[f] - before.get(f, 0) for f in after]
                assert set(gained) <= {0, 1} and sum(gained) <= growth and before.keys() <= after.keys()


THIRD = Fraction(1, 3)


def of_two_parts(draw: Any, rows: Any) -> Any:
    return (draw(noisy_number, rows, number=partial(rows_that_satisfy, query=is_odd), noise=discrete_laplace(1)),)


PART_CASES: dict[Callable[..., Any], tuple[Sequence[Any], int, Mapping[str, Any]]] = {
    select_by_quality: (
        EXAMPLES,
        2,
        {"quality": partial(point_quality, d=1), "selection": choose_by_stability, "epsilon": 2, "delta": THIRD},
    ),
    noisy_number: (range(3), 2, {"number": partial(rows_that_satisfy, query=is_odd), "noise": laplace(THIRD)}),
    number_of_rows: (range(3), 2, {}),
    generic_learner: (EXAMPLES, 2, {"hypotheses": points(1), "epsilon": 1}),
    label_private_learner: (EXAMPLES, 3, {"concepts": thresholds(1), "split": 1, "epsilon": 1}),
    one_of_thresholds: (EXAMPLES, 2, {"d": 1, "thresholds": (0, 2), "epsilon": 1}),
    select_by_growth: (range(2), 3, {"quality": partial(counts_but_for, d=1, without=(0,)), "alpha": 1, "epsilon": 1}),
    number_of_axes: ((((0, 1), 0), ((1, 1), 1)), 2, {"d": 1}),
    learn_by_large_margin: (EXAMPLES, 2, {"concepts": thresholds(1), "epsilon": 1, "delta": THIRD}),
    frequent_itemset: (((0,), (0, 1), (1, 2)), 2, {"r": 1, "items": 3, "epsilon": 1, "delta": THIRD}),
    sanitize_in_parts: (range(2), 4, {"sanitizer": of_two_parts, "size": 2}),
    small_database: (range(2), 3, {"universe": (0, 1), "concepts": thresholds(1), "size": 2, "epsilon": 1}),
    first_far_off: (
        range(3),
        2,
        {
            "universe": range(3),
            "concepts": points(1),
            "estimates": (THIRD, Fraction(3, 2)),
            "threshold": 1,
            "epsilon": 1,
            "noise": discrete_laplace,
        },
    ),
    stable_histogram: (range(2), 3, {"d": 1, "epsilon": 4, "delta": THIRD, "noise": discrete_laplace}),
}
HANDED_ON = (
    *(on_axis, on_label, on_quality, on_each_row, on_some_rows, on_column, on_points, on_left_points),
    *(on_right_points, on_hashed_points),
)


def test_each_part_is_tried() -> None:
    assert {*PART_CASES, *HANDED_ON} == ROW_RULES.keys()


def fits(outcome: Any, known: Any) -> bool:
    """Whether an outcome, or the template of one, is one that is known."""
    if known is NUMBER:
        return True
    if isinstance(known, tuple):
        return isinstance(outcome, tuple) and len(outcome) == len(known) and all(map(fits, outcome, known))
    return bool(outcome == known)


@pytest.mark.parametrize("part", PART_CASES)
def test_parts_keep_what_is_known_of_them(part: Callable[..., Any]) -> None:
    universe, size, given = PART_CASES[part]
    labels_alone = part is label_private_learner
    rule = known_rule(part)
    assert rule is not None
    bound = inspect.signature(part).bind(None, None, **given)
    bound.apply_defaults()
    known = rule(SealedDatabase(tuple(universe), size, labels_alone=labels_alone), dict([*bound.arguments.items()][2:]))
    assert isinstance(known, KnownPart)
    verdict = check_privacy(
        part,
        Tuples(universe, size=size),
        change_one_label if labels_alone else replace_one,
        epsilon=known.guarantee.epsilon,
        delta=known.guarantee.delta,
        parameters=given,
        recheck=False,
    )
    assert verdict.status is Status.PROVED
    for rows in product(universe, repeat=size):
        law = distribution(part, rows, **given)
        is_any = known.outcomes in ((NUMBER,), (OUTCOME,)) or part is stable_histogram
        outcomes = () if is_any else law.probabilities
        assert all(any(fits(outcome, each) for each in known.outcomes) for outcome in outcomes)


def test_a_list_of_two_is_for_no_other_selection() -> None:
    rule = known_rule(select_by_quality)
    assert rule is not None
    quality = partial(rows_with_vectors, heavy=(0,), k=1)
    given = {"quality": quality, "selection": exponential_mechanism, "parameters": {"epsilon": 1}}
    with pytest.raises(Undecided, match="two best"):
        rule(SealedDatabase(EXAMPLES, 1), given)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_points_of_a_label_differ_in_one_but_for_their_order(size: int) -> None:
    def handed(rows: Any) -> Counter[Any]:
        found: list[Any] = []

        def draw(_: Any, points: Any) -> None:
            found.append(points)

        on_label(draw, rows, label=0, size=size, filler="-", mechanism=len)  # type: ignore[arg-type]
        return Counter(found[0])

    for rows, others in neighbours(EXAMPLES, 3):
        assert handed(rows).total() == size
        assert (handed(rows) - handed(others)).total() <= 1
    rule = known_rule(on_label)
    assert rule is not None
    given = {"label": 0, "size": size, "filler": 7, "mechanism": len, "parameters": {}}
    found = rule(SealedDatabase(EXAMPLES, 1), given)
    assert found == HandedOn(len, SealedDatabase((0, 1, 7), size, in_any_order=True), {})
    with pytest.raises(Undecided, match="order"):
        known_quality(partial(subsamples_with_vector, d=1, k=1, size=1), SealedDatabase(EXAMPLES, 1, in_any_order=True))


def test_rows_that_are_handed_on() -> None:
    def handed(part: Callable[..., Any], universe: Sequence[Any], **given: Any) -> Any:
        rule = known_rule(part)
        assert rule is not None
        found = rule(SealedDatabase(tuple(universe), 2, labels_alone=True), {"mechanism": len, **given})
        assert isinstance(found, HandedOn)
        assert isinstance(found.database, SealedDatabase)
        assert found.mechanism is len
        return found.database.universe, found.database.labels_alone

    assert handed(on_each_row, range(4), row=is_odd) == ((0, 1), False)
    assert handed(on_some_rows, EXAMPLES) == (EXAMPLES, True)
    assert handed(on_column, OF_TWO, j=1, k=2) == (EXAMPLES, False)
    assert handed(on_axis, [((0, 1), 0), ((2, 1), 1)], axis=0) == ((0, 2), False)
    assert handed(on_points, OF_TWO, k=2) == ((0, 1), False)
    rule = known_rule(on_quality)
    assert rule is not None
    quality = {"quality": partial(threshold_quality, d=1), "mechanism": len, "parameters": {}}
    assert rule(SealedDatabase(EXAMPLES, 1), quality) == HandedOn(len, SealedScores(2), {})
    with pytest.raises(Undecided, match="rows_with_vectors is a utility of points 0, 1, …"):
        rule(SealedDatabase(EXAMPLES, 1), {**quality, "quality": partial(rows_with_vectors, heavy=(0,), k=1)})
    given: dict[str, Any] = {"d": 2, "left": 2, "parameters": {"concepts": left_concepts(2)}}
    assert handed(on_left_points, range(4), **given) == ((0, 1, 2), False)
    assert handed(on_right_points, range(4), **given) == ((0, 2, 3), False)
    assert handed(on_hashed_points, EXAMPLES, d=1, masks=(0,), parameters={}) == (((0, 0), (0, 1)), False)


BLOCKS: dict[str, Any] = {"zero": False, "length": 2, "offset": 1}


def shifted(scores: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [tuple(map(add, scores, step)) for step in product((-1, 0, 1), repeat=len(scores))]


@pytest.mark.parametrize("zero", [True, False])
def test_what_is_made_of_scores_moves_by_at_most_1(zero: bool) -> None:
    def made(scores: tuple[int, ...]) -> list[StepFunction]:
        extended = extended_to_power(scores, zero=zero)
        scales = [scale_quality(extended, Fraction(promise), HALF) for promise in (1, 3)]
        return [extended, *scales, largest_in_blocks(scores, **{**BLOCKS, "zero": zero})]

    for scores in product((-1, 0, 2), repeat=4):
        for others in shifted(scores)[::23]:
            for left, right in zip(made(scores), made(others), strict=True):
                assert left.last == right.last
                assert all(-1 <= Fraction(left(x) - right(x)) <= 1 for x in range(left.last + 1))


def test_parts_of_a_quality_keep_what_is_known_of_them() -> None:
    scores = SealedScores(3)
    known: dict[Callable[..., Any], Any] = {}
    cases: dict[Callable[..., Any], Mapping[str, Any]] = {
        last_point: {},
        one_of_points: {"epsilon": exact(1), "zero": True, "points": ((0, 1), (3, 3))},
        one_of_blocks: {**BLOCKS, "selection": choose_by_stability, "given": {"epsilon": 1, "delta": THIRD}},
        on_scales: {"zero": False, "scaled_at": (3, HALF), "mechanism": len, "parameters": {"depth": 1}},
    }
    for part, given in cases.items():
        rule = known_rule(part)
        assert rule is not None
        known[part] = rule(scores, given)
    assert known.keys() == SCORE_RULES.keys()
    for part, others in ((last_point, ()), (one_of_points, ()), (one_of_blocks, (Bottom.BOTTOM,))):
        of_any = SCORE_RULES[part](SealedScores(None), cases[part])
        assert isinstance(of_any, KnownPart) and of_any.outcomes == (NUMBER, *others)
        assert of_any.guarantee == known[part].guarantee
    assert known[last_point].outcomes == (3,)
    assert known[one_of_points].outcomes == (0, 1, 3)
    assert known[one_of_blocks].outcomes == (0, 1, Bottom.BOTTOM)
    assert known[on_scales] == HandedOn(len, SealedScores(2), {"depth": 1})
    assert scale_quality(extended_to_power((0,) * 4, zero=False), Fraction(3), HALF).last == 2
