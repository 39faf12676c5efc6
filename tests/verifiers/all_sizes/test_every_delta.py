"""Theorem 9 of docs/theorems.md: claims of A_dist for every δ, against the checker at numbers, and wrong claims."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few, in_one
from tests.verifiers.divergence.every_epsilon.test_epsilon_delta_sets import PRINTED

from dpverify.mechanisms import Draw, InputError, discrete_laplace, distribution, exact, exp, laplace, log, symbolic
from dpverify.mechanisms.numbers.roots import symbolic_delta
from dpverify.mechanisms.selection import (
    Bottom,
    choose_by_stability,
    choose_by_stability_discrete,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
    choose_by_stability_with,
)
from dpverify.mechanisms.selection.stability import stable_choice
from dpverify.verifiers import (
    Claim,
    Histograms,
    Proved,
    Refuted,
    Scores,
    ScoreSpace,
    Status,
    Step,
    Verdict,
    calibrate,
    check_privacy,
    replace_one,
    scores_l1,
    scores_linf,
)
from dpverify.verifiers.all_sizes import every_delta_theorem
from dpverify.verifiers.all_sizes.claimed_shares import claimed_shares
from dpverify.verifiers.all_sizes.theorems import known_for_every_delta
from dpverify.verifiers.all_sizes.verdicts import decided_for_all_sizes
from dpverify.verifiers.catalogue.selection.counting import most_frequent
from dpverify.verifiers.divergence.every_epsilon.epsilon_delta_sets import (
    EpsilonDeltaSet,
    StableChoices,
    chance_of_release,
)
from dpverify.verifiers.problems.neighbours import gaps_linf
from dpverify.verifiers.problems.questions import OrMore, ScoreGaps
from dpverify.verifiers.steps.checker import check_step
from dpverify.verifiers.steps.ranges import above_zero, at_least
from dpverify.verifiers.steps.statement import BrokenStep

pytestmark = pytest.mark.usefixtures("decided_here")

EVERYWHERE = Scores(solutions=OrMore(1))
HALF = Fraction(1, 2)
TENTH = Fraction(1, 10)
TINY = Fraction(1, 10**9)
LIBRARY: list[tuple[Any, dict[str, Any]]] = [
    (choose_by_stability, {}),
    (choose_by_stability_discrete, {}),
    (choose_by_stability_extended_abstract, {}),
    (choose_by_stability_extended_abstract, {"noise": discrete_laplace}),
    (choose_by_stability_with, {"scale": 2, "constant": HALF, "shift": 2}),
    (choose_by_stability_with, {"scale": 3, "constant": 1, "shift": Fraction(5, 2)}),
]


def for_every_delta(
    mechanism: Any, domain: Any = EVERYWHERE, relation: Any = scores_linf, *, epsilon: Any = symbolic, **more: Any
) -> Verdict:
    delta = more.pop("delta", symbolic_delta)
    return check_privacy(mechanism, domain, relation, epsilon=epsilon, delta=delta, parameters=more)


def by_theorem_9(found: Verdict) -> Status:
    assert "Theorem 9" in found.scope, found
    return found.status


# The three inequalities of (a)

ABOVE_ZERO, FROM_HALF = above_zero(), at_least(HALF)
INEQUALITIES = [
    Step(
        id="lib.step.below",
        source="",
        statement="R(u) ≤ u",
        parameters={"u": ABOVE_ZERO},
        says=lambda u: 1 - 1 / (4 * u) <= u,
        mutants=[BrokenStep("less", says=lambda u: 1 - 1 / (5 * u) <= u)],
    ),
    Step(
        id="lib.step.above",
        source="",
        statement="1 − R(u) ≤ 1/(4u)",
        parameters={"u": above_zero(HALF)},
        says=lambda u: 1 - u <= 1 / (4 * u),
        mutants=[BrokenStep("less", says=lambda u: 1 - u <= 1 / (5 * u))],
    ),
    Step(
        id="lib.step.beyond",
        source="",
        statement="R(a·u) ≤ a·R(u) beyond ½",
        parameters={"u": FROM_HALF, "a": at_least(1)},
        says=lambda u, a: 1 - 1 / (4 * a * u) <= a * (1 - 1 / (4 * u)),
        mutants=[BrokenStep("less", says=lambda u, a: 1 - 1 / (4 * a * u) <= a * (1 - 1 / (4 * u)) * Fraction(9, 10))],
    ),
]


@pytest.mark.parametrize("step", INEQUALITIES, ids=lambda step: step.id)
def test_the_inequalities_are_proved_and_cannot_be_sharper(step: Step) -> None:
    found = check_step(step)
    assert found.verdict is Status.PROVED
    assert {mutant.status for mutant in found.mutants} == {Status.REFUTED}


@given(st.fractions(Fraction(1, 100), 20), st.fractions(1, 9))
@few(7, deep=400)
def test_growing_by_a_factor_changes_both_chances_by_at_most_that(u: Fraction, a: Fraction) -> None:
    low, high = chance_of_release(exact(u)), chance_of_release(exact(a * u))
    assert low <= high <= a * low
    assert 1 - low <= a * (1 - high)


@pytest.mark.parametrize(
    ("mechanism", "given", "choices"),
    [
        (choose_by_stability, {}, every_delta_theorem.CORRECTED),
        (choose_by_stability_journal, {}, every_delta_theorem.PRINTED),
        (choose_by_stability_extended_abstract, {}, every_delta_theorem.EXTENDED_ABSTRACT),
        (
            choose_by_stability_with,
            {"scale": 3, "constant": Fraction(2, 3), "shift": Fraction(-1, 2)},
            StableChoices(Fraction(3, 4), Fraction(3), -HALF),
        ),
    ],
)
def test_laws_are_those_of_the_theorem(mechanism: Any, given: dict[str, Any], choices: StableChoices) -> None:
    for epsilon, delta in ((exact(1), exact(TENTH)), (log(2), exact(HALF)), (exact(3), exact(Fraction(9, 10)))):
        for gap in (1, 2, 3, 8):
            law = distribution(mechanism, (0, gap), epsilon=epsilon, delta=delta, **given)
            assert law.probability(1) == chance_of_release(choices.argument(gap, epsilon, delta))
            assert law.probability(0) == 0


# What holds
@pytest.mark.one_in(6)
@pytest.mark.parametrize("relation", [scores_linf, scores_l1])
@pytest.mark.parametrize(("mechanism", "given"), LIBRARY)
def test_private_for_every_epsilon_and_delta(mechanism: Any, given: dict[str, Any], relation: Any) -> None:
    found = for_every_delta(mechanism, EVERYWHERE, relation, **given)
    assert isinstance(found, Proved) and by_theorem_9(found) is Status.PROVED
    assert (found.delta, found.epsilon, found.basis.for_all_sizes) == (None, None, True)
    for domain in (Scores(solutions=2), Scores(solutions=OrMore(7))):
        assert by_theorem_9(for_every_delta(mechanism, domain, relation, epsilon=TENTH, **given)) is Status.PROVED
    small = ScoreSpace(range(7), solutions=2)
    for epsilon in (exact(1), log(2), exact(Fraction(1, 3))):
        for delta in (TENTH, HALF, Fraction(9, 10), TENTH**3):
            at = check_privacy(
                mechanism, small, relation, epsilon=epsilon, delta=delta, parameters=given, recheck=False
            )
            assert at.status is Status.PROVED


def test_on_gaps_too() -> None:
    assert by_theorem_9(for_every_delta(choose_by_stability, ScoreGaps(solutions=3), gaps_linf)) is Status.PROVED
    refuted = for_every_delta(choose_by_stability_journal, ScoreGaps(solutions=3), gaps_linf)
    assert by_theorem_9(refuted) is Status.REFUTED
    assert refuted.witness is not None and (refuted.witness.left, refuted.witness.right) == ((-2, 0, -2), (0, 0, 0))


def test_what_holds_of_the_print() -> None:
    given = {"epsilon": symbolic, "delta": symbolic_delta}
    holds = check_privacy(
        choose_by_stability_journal,
        EVERYWHERE,
        scores_linf,
        epsilon=2 * symbolic,
        delta=exp(2 * symbolic) * symbolic_delta / 2,
        parameters=given,
    )
    assert by_theorem_9(holds) is Status.PROVED
    for epsilon, delta in (
        (2, exp(2 * symbolic) / 3),
        (2, exp(symbolic) / 2),
        (Fraction(19, 10), exp(2 * symbolic) / 2),
    ):
        less = check_privacy(
            choose_by_stability_journal,
            EVERYWHERE,
            scores_linf,
            epsilon=epsilon * symbolic,
            delta=delta * symbolic_delta,
            parameters=given,
        )
        assert less.status in (Status.REFUTED, Status.UNDECIDED)


def test_a_symbolic_epsilon_at_one_delta_is_settled_too() -> None:
    for mechanism, constants in LIBRARY:
        for delta in (TENTH, Fraction(9, 10), exp(-symbolic)):
            assert by_theorem_9(for_every_delta(mechanism, delta=delta, **constants)) is Status.PROVED
    less = check_privacy(
        choose_by_stability, EVERYWHERE, scores_linf, epsilon=symbolic, delta=TENTH - TINY, parameters={"delta": TENTH}
    )
    assert less.status is not Status.PROVED


@pytest.mark.parametrize("delta", [1, 2, 0])
def test_a_delta_that_the_mechanism_refuses_is_refused(delta: int) -> None:
    with pytest.raises(InputError):
        for_every_delta(choose_by_stability, delta=delta)


# What fails, and where
BELOW = [
    {"scale": 2, "constant": HALF, "shift": 2 - TINY},
    {"scale": 2, "constant": HALF - TINY, "shift": 2},
    {"scale": Fraction(7, 4), "constant": HALF, "shift": 2},
    {"scale": 1, "constant": 1, "shift": 0},
    {"scale": 1, "constant": 1, "shift": 7},
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("constants", BELOW, ids=str)
def test_smaller_constants_are_refuted_with_the_set_where_they_fail(constants: dict[str, Any]) -> None:
    found = for_every_delta(choose_by_stability_with, **constants)
    assert isinstance(found, Refuted) and by_theorem_9(found) is Status.REFUTED
    assert found.fails_in is not None and found.fails_at is None
    assert (found.witness.epsilon, found.witness.delta) in found.fails_in
    assert found.witness.difference > found.witness.delta
    assert str(found.fails_in) in found.reason
    for epsilon in (HALF, Fraction(2)):
        one = for_every_delta(choose_by_stability_with, epsilon=epsilon, **constants)
        assert isinstance(one, Refuted) and one.fails_in is not None
        assert one.witness.epsilon == epsilon and (epsilon, one.witness.delta) in one.fails_in


POINTS = [
    ("1/10", "1/100"),
    ("1/10", "4/100"),
    ("1/10", "48/1000"),
    ("1/10", "49/1000"),
    ("1/4", "11/100"),
    ("1/4", "12/100"),
    ("1/3", "1/2"),
    ("2/5", "1/2"),
    ("1/2", "7/10"),
    ("1/2", "3/4"),
    ("1/2", "4/5"),
    ("1", "9/10"),
    ("1", "93/100"),
    ("3", "99/100"),
    ("3", "999/1000"),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("epsilon", "delta"), POINTS)
def test_the_print_fails_at_numbers_where_the_set_says(epsilon: str, delta: str) -> None:
    """By Theorem 3 and regions at numbers, which know nothing of Theorem 9."""
    at = check_privacy(
        choose_by_stability_journal, Scores(solutions=OrMore(2)), scores_linf, epsilon=epsilon, delta=delta
    )
    assert "Theorem 3" in at.scope
    fails = (Fraction(epsilon), Fraction(delta)) in EpsilonDeltaSet(PRINTED, 2)
    assert (at.status is Status.REFUTED) is fails


def test_both_answers_are_among_these_points() -> None:
    every = EpsilonDeltaSet(PRINTED, 2)
    assert {(Fraction(epsilon), Fraction(delta)) in every for epsilon, delta in POINTS} == {True, False}


@in_one("solutions", [2, 4, OrMore(1), OrMore(6)])
@in_one("relation", [scores_linf, scores_l1])
def test_witnesses_have_as_many_solutions_as_the_domain(solutions: Any, relation: Any) -> None:
    found = for_every_delta(choose_by_stability_journal, Scores(solutions=solutions), relation)
    assert isinstance(found, Refuted)
    least = solutions if isinstance(solutions, int) else max(2, solutions.least)
    assert isinstance(found.witness.left, tuple) and len(found.witness.left) == least
    assert "refuted on two of them" in found.scope


def test_the_corrected_one_needs_its_delta() -> None:
    part = (1 - TINY) * symbolic_delta
    assert by_theorem_9(for_every_delta(choose_by_stability, delta=part)) is Status.PROVED, "it is given that part"
    less = check_privacy(
        choose_by_stability, EVERYWHERE, scores_linf, epsilon=symbolic, delta=part, parameters={"delta": symbolic_delta}
    )
    assert isinstance(less, Refuted) and less.fails_in is None
    assert less.reason.startswith("at ε = 1 and δ = ")


# What no theorem speaks of
def copy_of_a_dist(draw: Draw, quality: Any, *, epsilon: Any, delta: Any) -> Any:
    """Another function, of the same law."""
    return stable_choice(draw, quality, laplace(2 / epsilon), 2 / epsilon * log(1 / (2 * delta)) + 2)


def never_tests(draw: Draw, quality: Any, *, epsilon: Any, delta: Any) -> Any:
    return max(range(len(quality)), key=quality.__getitem__)


@pytest.mark.parametrize(
    ("mechanism", "domain", "relation"),
    [
        (copy_of_a_dist, EVERYWHERE, scores_linf),
        (lambda draw, quality, *, epsilon, delta: Bottom.BOTTOM, EVERYWHERE, scores_linf),
        (choose_by_stability, Scores(solutions=1), scores_linf),
        (choose_by_stability, ScoreSpace(range(3), solutions=2), scores_linf),
        (copy_of_a_dist, [(0, 1), (1, 1)], replace_one),
    ],
)
def test_what_no_theorem_settles_is_undecided_with_the_way_out(mechanism: Any, domain: Any, relation: Any) -> None:
    if isinstance(domain, list):
        relation = lambda one: [other for other in domain if other != one]  # noqa: E731
    found = for_every_delta(mechanism, domain, relation, epsilon=1)
    assert found.status is Status.UNDECIDED
    assert "give δ a value" in found.reason


def test_a_function_that_was_changed_in_place_is_known_by_nobody() -> None:
    claim = Claim(
        id="lib.changed",
        mechanism=choose_by_stability,
        domain=EVERYWHERE,
        neighbours=scores_linf,
        epsilon=symbolic,
        delta=symbolic_delta,
    )
    for as_named, status in ((True, Status.PROVED), (False, Status.UNDECIDED)):
        found = decided_for_all_sizes(claim.question, EVERYWHERE, as_named=as_named)
        assert found.status is status


@pytest.mark.parametrize(
    ("mechanism", "domain", "relation", "given"),
    [
        (never_tests, EVERYWHERE, scores_linf, {}),
        (never_tests, EVERYWHERE, scores_l1, {}),
        (never_tests, ScoreSpace(range(3), solutions=2), scores_linf, {}),
        (choose_by_stability_journal, EVERYWHERE, scores_linf, {"noise": discrete_laplace}),
        (most_frequent, Histograms(range(3)), replace_one, {"selection": choose_by_stability_journal, "values": 3}),
    ],
)
def test_what_fails_at_some_numbers_is_refuted_there(mechanism: Any, domain: Any, relation: Any, given: Any) -> None:
    found = for_every_delta(mechanism, domain, relation, **given)
    assert isinstance(found, Refuted) and found.fails_in is None
    assert "Theorem 9" not in found.scope
    assert found.reason.startswith("at ε = ")
    assert (found.delta, found.epsilon) == (None, None)


def test_parameters_that_hold_delta_otherwise_are_left_alone() -> None:
    for wrong in ({"delta": 2 * symbolic_delta}, {"delta": 1 - symbolic_delta}, {"epsilon": symbolic_delta}):
        asked: dict[str, Any] = {"epsilon": 1, "delta": symbolic_delta, "parameters": wrong}
        question = Claim(
            id="lib.wrong", mechanism=choose_by_stability, domain=EVERYWHERE, neighbours=scores_linf, **asked
        ).question
        assert known_for_every_delta(question, EVERYWHERE) is not None
        assert claimed_shares(question) is None
    constants = {"scale": 2, "constant": symbolic_delta, "shift": 2}
    assert for_every_delta(choose_by_stability_with, epsilon=1, **constants).status is Status.REFUTED


def test_a_relation_of_other_databases_is_refused_as_ever() -> None:
    with pytest.raises(InputError, match="scores_linf or scores_l1"):
        for_every_delta(choose_by_stability, Scores(solutions=2), replace_one)


def test_a_shift_is_calibrated_for_every_delta() -> None:
    found = calibrate(
        choose_by_stability_with,
        EVERYWHERE,
        scores_linf,
        parameter="shift",
        grid=[Fraction(n, 4) for n in range(4, 12)],
        epsilon=symbolic,
        delta=symbolic_delta,
        parameters={"scale": 2, "constant": HALF},
    )
    assert found.smallest == 2


def test_a_claim_for_every_delta_has_no_sweep() -> None:
    given: dict[str, Any] = {"mechanism": choose_by_stability, "domain": EVERYWHERE, "neighbours": scores_linf}
    for more in ({"sweep": {1: EVERYWHERE}}, {"stronger": [EVERYWHERE]}):
        with pytest.raises(InputError, match="every δ"):
            Claim(id="lib.swept", epsilon=1, delta=symbolic_delta, **given, **more)
    assert Claim(id="lib.one", epsilon=1, delta=symbolic_delta, **given).claimed == "ε = 1, every δ"
    both = Claim(id="lib.both", epsilon=2 * symbolic, delta=3 * symbolic_delta, **given)
    assert both.claimed == "2·ε, every ε, every δ, δ′ = 3·δ"
