"""Theorems of docs/theorems.md against charts, finite enumeration and random neighbours; wrong claims are refuted.

One theorem after another, as on the page.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.verifiers.all_sizes.regions.laws_on import laws_on
from tests.verifiers.divergence.every_epsilon.every_epsilon import failing

from dpverify.mechanisms import discrete_laplace, laplace, symbolic, truncated_laplace
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.functions.signatures import parameters_for
from dpverify.mechanisms.noise.exponential import exponential_noise
from dpverify.mechanisms.noise.geometric import geometric
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact, total
from dpverify.mechanisms.selection.exponential_mechanism import exponential, exponential_mechanism
from dpverify.mechanisms.selection.laplace_mechanism import (
    clamped_laplace_mechanism,
    discrete_laplace_mechanism,
    laplace_mechanism,
)
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces, max_of_laplaces_drawn, noisy_max
from dpverify.mechanisms.selection.stability import (
    best_and_gap,
    choose_by_stability,
    choose_by_stability_discrete,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
)
from dpverify.verifiers import ScoreSpace, Status, check_privacy, scores_l1, scores_linf
from dpverify.verifiers.all_sizes import noisy_max_theorem
from dpverify.verifiers.all_sizes.decision import ProvedOnRegions, decided_on_regions
from dpverify.verifiers.all_sizes.regions.domains import Scores
from dpverify.verifiers.all_sizes.regions.question import AllScores, OfScores, all_scores
from dpverify.verifiers.all_sizes.stability_theorem import representatives
from dpverify.verifiers.problems.neighbours import gaps_linf
from dpverify.verifiers.problems.questions import ScoreGaps
from dpverify.verifiers.problems.questions.question import Question, no_neighbours, privacy_guarantee
from dpverify.verifiers.problems.questions.score_domains import OrMore
from dpverify.verifiers.verdicts.verdict import Verdict

pytestmark = pytest.mark.usefixtures("decided_here")

Vector: TypeAlias = tuple[int, ...]

DELTA_TINY = Fraction(1, 10**7)
EPSILON_TINY = Fraction(1, 10**12)
HALF = Fraction(1, 2)
TENTH = Fraction(1, 10)
NOISES = [laplace, discrete_laplace, exponential_noise, geometric]


def verdict(
    mechanism: Any, solutions: Any, relation: Any = scores_linf, *, epsilon: Any = 1, delta: Any = 0, **given: Any
) -> Verdict:
    """The verdict on all score vectors, with the mechanism at ε = 1 unless told otherwise."""
    domain = ScoreGaps(solutions=solutions) if relation is gaps_linf else Scores(solutions=solutions)
    parameters = {"epsilon": 1, **given}
    return check_privacy(mechanism, domain, relation, epsilon=epsilon, delta=delta, parameters=parameters)


def by_theorem(found: Verdict) -> Status:
    assert "docs/theorems.md" in found.scope, found
    return found.status


def by_charts(
    mechanism: Any, solutions: int, relation: Any = scores_linf, *, epsilon: Any = 1, delta: Any = 0, **given: Any
) -> Status:
    """What is decided without theorems."""
    domain = Scores(solutions=solutions)
    claim = privacy_guarantee(epsilon, delta)
    laws = laws_on(domain, mechanism, parameters_for(mechanism, claim._asdict(), {"epsilon": 1, **given}))
    return (
        Status.PROVED
        if isinstance(decided_on_regions(domain.regions(relation), laws, claim), ProvedOnRegions)
        else Status.REFUTED
    )


def delta_of(p: Any, q: Any, epsilon: Any) -> Exact:
    """The δ that two laws need, one way."""
    growth = exp(epsilon)
    excess = [chance - growth * q.get(outcome, 0) for outcome, chance in p.items()]
    return total(each for each in excess if each > 0)


def by_formula(c: Any, epsilon: Any) -> Exact:
    return (exp(c / exact(2)) - exp(epsilon / exact(2))) ** 2 / (exp(c) - 1)


@st.composite
def neighbours(draw: Any, most: int = 6) -> tuple[Vector, Vector, bool]:
    """Score vectors whose scores differ by at most 1, or where one differs alone."""
    size = draw(st.integers(2, most))
    left = draw(st.lists(st.integers(0, 6), min_size=size, max_size=size))
    one_moves = draw(st.booleans())
    if one_moves:
        place, step = draw(st.integers(0, size - 1)), draw(st.sampled_from((1, -1)))
        moves = [step * (i == place) for i in range(size)]
    else:
        moves = draw(st.lists(st.sampled_from((-1, 0, 1)), min_size=size, max_size=size))
    return tuple(left), tuple(score + move for score, move in zip(left, moves, strict=True)), one_moves


# Theorem 1, on the exponential mechanism
@given(pair=neighbours(), rate=st.sampled_from((HALF, Fraction(2))), part=st.fractions(0, 1, max_denominator=6))
@few(7, deep=400)
def test_no_neighbours_need_more_of_the_exponential_mechanism(
    pair: tuple[Vector, Vector, bool], rate: Fraction, part: Fraction
) -> None:
    left, right, one_moves = pair
    c = rate * (1 if one_moves else 2)
    p, q = (exponential(scores, 2 * rate).probabilities for scores in (left, right))
    assert delta_of(p, q, part * c) <= by_formula(c, part * c)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("relation", "c"), [(scores_linf, 1), (scores_l1, HALF)])
@pytest.mark.parametrize("part", [0, HALF, Fraction(9, 10)])
def test_with_every_number_of_solutions_the_formula_is_the_supremum(relation: Any, c: Any, part: Any) -> None:
    epsilon = part * c
    worst = by_formula(c, epsilon)
    found = verdict(exponential_mechanism, OrMore(2), relation, epsilon=epsilon, delta=worst)
    assert by_theorem(found) is Status.PROVED
    assert found.delta is not None
    assert found.delta.exact == worst
    assert found.epsilon is not None
    assert found.epsilon.exact == c
    for least in (1, 9):
        less = verdict(exponential_mechanism, OrMore(least), relation, epsilon=epsilon, delta=worst - DELTA_TINY)
        assert by_theorem(less) is Status.REFUTED
        assert less.witness is not None
        assert isinstance(less.witness.left, tuple)
        assert len(less.witness.left) >= least


@pytest.mark.one_in(2)
@pytest.mark.parametrize("relation", [scores_linf, scores_l1])
@pytest.mark.parametrize("epsilon", [0, Fraction(1, 5), Fraction(9, 20)])
def test_of_two_solutions_the_worst_gap_is_found(relation: Any, epsilon: Any) -> None:
    worst = max(
        delta_of(exponential((gap + other, 0), 1).probabilities, exponential((gap, 0), 1).probabilities, epsilon)
        for gap in range(-14, 15)
        for other in ((1,) if relation is scores_l1 else (1, 2))
    )
    for delta, status in ((worst, Status.PROVED), (worst - DELTA_TINY, Status.REFUTED)):
        assert verdict(exponential_mechanism, 2, relation, epsilon=epsilon, delta=delta).status is status


@pytest.mark.one_in(2)
@pytest.mark.one_in(3)
@pytest.mark.parametrize("solutions", [2, 3, 4, 5, OrMore(1), OrMore(7)])
@pytest.mark.parametrize("sensitivity", [1, Fraction(3)])
def test_an_epsilon_that_is_a_little_too_small_is_refuted(solutions: Any, sensitivity: Fraction) -> None:
    tight = 1 / Fraction(sensitivity)
    for relation, needed in ((scores_linf, tight), (scores_l1, tight / 2)):
        for epsilon, status in ((needed, Status.PROVED), (needed - EPSILON_TINY, Status.REFUTED)):
            found = verdict(exponential_mechanism, solutions, relation, epsilon=epsilon, sensitivity=sensitivity)
            assert by_theorem(found) is status


def test_three_solutions_need_more_than_two() -> None:
    claims = [Fraction(n, 100_000) for n in (7_676, 7_678, 7_735, 7_741)]
    for solutions, statuses in ((2, "RPPP"), (3, "RRRP")):
        found = [verdict(exponential_mechanism, solutions, epsilon=HALF, delta=delta) for delta in claims]
        assert "".join(each.status.name[0] for each in found) == statuses


def test_a_symbolic_epsilon_is_for_all_epsilon_and_all_numbers_of_solutions() -> None:
    for mechanism in (exponential_mechanism, max_of_laplaces, max_of_laplaces_drawn):
        holds = check_privacy(mechanism, Scores(solutions=OrMore(1)), scores_linf, epsilon=symbolic)
        assert by_theorem(holds) is Status.PROVED
        fails = check_privacy(
            mechanism,
            Scores(solutions=OrMore(1)),
            scores_linf,
            epsilon=symbolic * HALF,
            parameters={"epsilon": symbolic},
        )
        assert by_theorem(fails) is Status.REFUTED
        assert failing(fails)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "epsilon", [*(Fraction(10) ** n for n in (-400, -30, 400)), pytest.param(Fraction(10) ** 6, marks=pytest.mark.deep)]
)
def test_very_small_and_very_large_parameters(epsilon: Fraction) -> None:
    for mechanism in (exponential_mechanism, max_of_laplaces, laplace_mechanism):
        for claimed, solutions in ((0, 2), (1, 2), (0, 3)):
            found = check_privacy(
                mechanism,
                Scores(solutions=solutions),
                scores_linf,
                epsilon=claimed,
                delta=TENTH,
                parameters={"epsilon": epsilon},
            )
            assert by_theorem(found) is (Status.PROVED if epsilon < 1 else Status.REFUTED)


# Theorem 2, on report noisy max
@given(pair=neighbours(5), noise=st.sampled_from(NOISES), scale=st.sampled_from((Fraction(1), Fraction(4))))
@few(7, deep=400)
def test_no_neighbours_need_more_of_noisy_max(pair: tuple[Vector, Vector, bool], noise: Any, scale: Fraction) -> None:
    left, right, one_moves = pair
    growth = exp((1 if one_moves else 2) / scale)
    p, q = (noisy_max(scores, noise(scale)).probabilities for scores in (left, right))
    assert all(chance <= growth * q[outcome] for outcome, chance in p.items())


@pytest.mark.one_in(4)
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("solutions", [2, 3, OrMore(1)])
def test_noisy_max_needs_what_one_noise_says(noise: Any, solutions: Any) -> None:
    for relation, needed in ((scores_linf, 1), (scores_l1, HALF), (gaps_linf, 1)):
        if relation is gaps_linf and not isinstance(solutions, int):
            continue
        holds = verdict(max_of_laplaces, solutions, relation, epsilon=needed, noise=noise)
        assert by_theorem(holds) is Status.PROVED
        assert holds.epsilon is not None and holds.delta is not None
        assert holds.epsilon.exact == needed
        assert holds.delta.exact == 0
        # two solutions and whole noise need a gap of millions for less
        wrong_by = Fraction(1, 10**4) if solutions == 2 else EPSILON_TINY
        fails = verdict(max_of_laplaces, solutions, relation, epsilon=needed - wrong_by, noise=noise)
        assert by_theorem(fails) is Status.REFUTED


@pytest.mark.one_in(2)
@pytest.mark.parametrize("noise", [laplace, discrete_laplace])
def test_charts_say_the_same_of_noisy_max(noise: Any) -> None:
    for epsilon in (1, Fraction(4, 5)):
        charts = by_charts(max_of_laplaces_drawn, 2, epsilon=epsilon, noise=noise)
        assert by_theorem(verdict(max_of_laplaces_drawn, 2, epsilon=epsilon, noise=noise)) is charts


def test_noisy_max_with_a_delta() -> None:
    coins = (exp(1) - exp(HALF)) / (exp(1) + 1)
    proved = verdict(max_of_laplaces, OrMore(2), epsilon=HALF, delta=coins)
    assert by_theorem(proved) is Status.PROVED
    assert proved.delta is None, "how much is needed is not known"
    assert by_theorem(verdict(max_of_laplaces, OrMore(2), epsilon=HALF, delta=TENTH)) is Status.REFUTED
    between = verdict(max_of_laplaces, OrMore(2), epsilon=HALF, delta=coins - DELTA_TINY)
    assert between.status is Status.UNDECIDED
    assert "Scores(solutions=3)" in between.reason
    assert verdict(max_of_laplaces, 2, epsilon=HALF, delta=Fraction(1, 5)).status is Status.PROVED  # by charts


# Theorem 3, on A_dist
def triple(left: Vector, right: Vector) -> tuple[Any, Any, bool]:
    (best, gap), (other, other_gap) = best_and_gap(left), best_and_gap(right)
    return gap, other_gap, best == other


def steps(solutions: int, relation: Any) -> Iterator[Vector]:
    for step in product((-1, 0, 1), repeat=solutions):
        if relation is scores_linf or sum(map(abs, step)) == 1:
            yield step


@pytest.mark.one_in(2)
@pytest.mark.parametrize("relation", [scores_linf, scores_l1])
@pytest.mark.parametrize(("solutions", "scores"), [(2, 6), (3, 5), (4, 4), (5, 3)])
def test_gaps_of_neighbours_are_those_of_their_representatives(solutions: int, scores: int, relation: Any) -> None:
    asked = all_scores(Scores(solutions=solutions), relation)
    assert asked is not None
    known = set()
    for each in representatives(asked):
        for h in range(8) if each.chart.dimension else (None,):
            point = () if h is None else (h,)
            left, right = each.left.at(point), each.right.at(point)
            moved = tuple(b - a for a, b in zip(left, right, strict=True))
            assert len(left) == solutions
            assert moved in steps(solutions, relation)
            known |= {triple(left, right), triple(right, left)}
    found = {
        triple(left, tuple(score + by for score, by in zip(left, step, strict=True)))
        for left in product(range(scores), repeat=solutions)
        for step in steps(solutions, relation)
    }
    assert {each for each in found if each[:2] != (each[0],) * 2 or not each[2]} <= known
    small = {each for each in known if max(each[:2]) < scores - 1}
    assert small <= found


@pytest.mark.deep
@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("mechanism", "relation"),
    [
        (choose_by_stability_journal, scores_linf),
        (choose_by_stability, scores_l1),
        pytest.param(choose_by_stability, scores_linf, marks=pytest.mark.deep),
        pytest.param(choose_by_stability_discrete, scores_linf, marks=pytest.mark.deep),
        pytest.param(choose_by_stability_extended_abstract, scores_linf, marks=pytest.mark.deep),
        pytest.param(choose_by_stability_journal, scores_l1, marks=pytest.mark.deep),
    ],
)
def test_charts_say_the_same_of_a_dist(mechanism: Any, relation: Any) -> None:
    parameters = {"epsilon": 1, "delta": TENTH}
    domain = Scores(solutions=2)
    laws = laws_on(domain, mechanism, parameters)  # for all claims
    for epsilon, delta in ((1, TENTH), (1, TENTH - DELTA_TINY), (HALF, Fraction(1, 7))):
        statuses = []
        for solutions in (2, 3, OrMore(5)):
            found = check_privacy(
                mechanism, Scores(solutions=solutions), relation, epsilon=epsilon, delta=delta, parameters=parameters
            )
            statuses.append(by_theorem(found))
        claim = privacy_guarantee(epsilon, delta)
        charts = isinstance(decided_on_regions(domain.regions(relation), laws, claim), ProvedOnRegions)
        assert (statuses[0] is Status.PROVED) is charts
        finite = check_privacy(
            mechanism,
            ScoreSpace(range(6), solutions=3),
            relation,
            epsilon=epsilon,
            delta=delta,
            parameters=parameters,
            recheck=False,
        )
        assert set(statuses[1:]) == {finite.status}


@pytest.mark.parametrize(
    "solutions", [2, 3, OrMore(6), *(pytest.param(more, marks=pytest.mark.deep) for more in (4, OrMore(1)))]
)
def test_a_dist_needs_its_delta(solutions: Any) -> None:
    for relation in (scores_linf, gaps_linf):
        if relation is gaps_linf and not isinstance(solutions, int):
            continue
        domain: Any = ScoreGaps(solutions=solutions) if relation is gaps_linf else Scores(solutions=solutions)
        given = {"epsilon": 1, "delta": TENTH}
        for delta, status in ((TENTH, Status.PROVED), (TENTH - DELTA_TINY, Status.REFUTED)):
            found = check_privacy(choose_by_stability, domain, relation, epsilon=1, delta=delta, parameters=given)
            assert by_theorem(found) is status


# Theorem 4, on added noise
@pytest.mark.one_in(4)
@pytest.mark.parametrize("noise", [laplace, discrete_laplace])
@pytest.mark.parametrize("relation", [scores_linf, scores_l1])
@pytest.mark.parametrize("solutions", [1, 2])
def test_one_pair_stands_for_all(noise: Any, relation: Any, solutions: int) -> None:
    given = {"epsilon": 1, "noise": noise}
    origin = (0,) * solutions
    moves = [step for step in steps(solutions, relation) if step > origin]  # the way back is the opposite step
    needed = max(
        found.delta.upper
        for step in moves
        for found in [
            check_privacy(
                laplace_mechanism,
                [origin, step],
                lambda x, step=step: [step if x == origin else origin],
                epsilon=HALF,
                parameters=given,
                recheck=False,
            )
        ]
        if found.delta is not None
    )
    for delta, status in ((needed + DELTA_TINY, Status.PROVED), (needed - DELTA_TINY, Status.REFUTED)):
        assert by_theorem(verdict(laplace_mechanism, solutions, relation, epsilon=HALF, delta=delta, noise=noise)) is (
            status
        )
        if relation is scores_l1:
            more = verdict(laplace_mechanism, OrMore(solutions), relation, epsilon=HALF, delta=delta, noise=noise)
            assert by_theorem(more) is status


def test_added_noise_needs_epsilon_for_each_score() -> None:
    for mechanism in (laplace_mechanism, discrete_laplace_mechanism):
        assert by_theorem(verdict(mechanism, 2, epsilon=2)) is Status.PROVED
        assert by_theorem(verdict(mechanism, 2, epsilon=2 - EPSILON_TINY)) is Status.REFUTED
        assert by_theorem(verdict(mechanism, OrMore(2), scores_l1, epsilon=1)) is Status.PROVED
        assert by_theorem(verdict(mechanism, OrMore(4), scores_l1, epsilon=1 - EPSILON_TINY)) is Status.REFUTED
        assert by_theorem(verdict(mechanism, OrMore(1), epsilon=3)) is Status.REFUTED
        assert by_theorem(verdict(mechanism, OrMore(1), delta=1)) is Status.PROVED


@pytest.mark.parametrize("delta", [0, Fraction(1, 5), Fraction(1, 4)])
def test_clamped_noise_is_as_on_scores_around_its_range(delta: Fraction) -> None:
    parameters = {"epsilon": 1, "low": 0, "high": 5}
    for epsilon in (1, HALF):
        claim: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "parameters": parameters}
        around = ScoreSpace(range(-3, 9), solutions=1)
        finite = check_privacy(clamped_laplace_mechanism, around, scores_linf, **claim, recheck=False)
        found = check_privacy(clamped_laplace_mechanism, Scores(solutions=1), scores_linf, **claim)
        assert by_theorem(found) is finite.status


# What no theorem speaks of
def like_exponential_mechanism(draw: Draw, quality: Any, *, epsilon: Any) -> Any:
    """Another function, of the same law."""
    return exponential(quality, epsilon)


def test_a_function_that_is_not_the_librarys_is_left_to_charts() -> None:
    charts = verdict(like_exponential_mechanism, 2)
    assert charts.status is Status.PROVED
    assert "theorem" not in charts.scope
    like_exponential_mechanism.__name__ = like_exponential_mechanism.__qualname__ = exponential_mechanism.__name__
    for mechanism in (like_exponential_mechanism, lambda draw, quality, epsilon: exponential(quality, epsilon)):
        every = verdict(mechanism, OrMore(4))
        assert every.status is Status.UNDECIDED
        assert "Scores(solutions=4)" in every.reason


def test_noise_that_no_theorem_speaks_of_is_left_to_charts() -> None:
    def truncated(scale: Any) -> Any:
        return truncated_laplace(scale, 5)

    assert verdict(max_of_laplaces, OrMore(2), noise=truncated).status is Status.UNDECIDED
    assert verdict(laplace_mechanism, OrMore(2), scores_l1, noise=truncated).status is Status.UNDECIDED
    assert verdict(max_of_laplaces, OrMore(2), noise=partial(laplace)).status is Status.UNDECIDED


def test_noise_that_is_added_to_gaps_is_left_to_charts() -> None:
    found = verdict(laplace_mechanism, 2, gaps_linf, epsilon=2)
    assert found.status is Status.PROVED
    assert "theorem" not in found.scope


def test_one_solution_is_left_to_charts() -> None:
    for mechanism in (exponential_mechanism, max_of_laplaces):
        only = verdict(mechanism, 1, epsilon=0)
        assert only.status is Status.PROVED
        assert "theorem" not in only.scope


@pytest.mark.parametrize(
    ("mechanism", "given"),
    [
        (exponential_mechanism, {"epsilon": 0}),
        (exponential_mechanism, {"epsilon": 1, "sensitivity": -1}),
        (max_of_laplaces, {"epsilon": -1}),
        (choose_by_stability, {"epsilon": 1, "delta": 2}),
        (laplace_mechanism, {"epsilon": 1, "sensitivity": 0}),
    ],
)
def test_parameters_that_the_mechanism_refuses_are_refused(mechanism: Any, given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must be"):
        check_privacy(mechanism, Scores(solutions=OrMore(2)), scores_linf, epsilon=1, delta=TENTH, parameters=given)


def test_every_number_of_solutions_is_a_domain_without_end() -> None:
    domain = Scores(solutions=OrMore(3))
    assert repr(domain) == "Scores(solutions=OrMore(3))"
    assert "3 or more whole numbers" in verdict(exponential_mechanism, OrMore(3)).scope
    with pytest.raises(InputError, match=r"ScoreSpace\(range\(…\), solutions=3\)"):
        list(domain)
    with pytest.raises(InputError, match="gaps_linf"):
        check_privacy(exponential_mechanism, domain, gaps_linf, epsilon=1)
    for solutions in (0, OrMore(0), True):
        with pytest.raises(InputError, match="solutions"):
            Scores(solutions=solutions)


def test_an_irrational_epsilon() -> None:
    tight = log(2)
    for mechanism in (exponential_mechanism, max_of_laplaces):
        for solutions in (2, OrMore(3)):
            found = check_privacy(mechanism, Scores(solutions=solutions), scores_linf, epsilon=tight)
            assert by_theorem(found) is Status.PROVED
            less = check_privacy(
                mechanism,
                Scores(solutions=solutions),
                scores_linf,
                epsilon=tight - Fraction(1, 1000),
                parameters={"epsilon": tight},
            )
            assert by_theorem(less) is Status.REFUTED


@pytest.mark.parametrize("fewest", [1, 2, 5])
def test_what_is_suspected_has_as_many_solutions_as_the_domain(fewest: int) -> None:
    scores = AllScores(fewest, True, False, False)
    claim = privacy_guarantee(HALF, DELTA_TINY)
    asked = OfScores(Question(max_of_laplaces, (), no_neighbours, claim, {"epsilon": exact(1)}, Limits()), scores)
    numbers_of_solutions = {len(left) for pair in noisy_max_theorem.suspects(asked) for left in pair}
    assert numbers_of_solutions == set(range(max(3, fewest), max(3, fewest) + 4))
