"""Verdicts on domains without end: the ones that are known, the limits of what is decided, and finite ones beside.

The mechanisms at the top are met in several sections, which is why these are not files of their own.
"""

import functools
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import (
    Limits,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
    exp,
    exponential,
    laplace,
    symbolic,
)
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.selection import (
    choose_by_stability,
    choose_by_stability_journal,
    choosing_mechanism,
    exponential_mechanism,
    large_margin_mechanism,
)
from dpverify.verifiers import (
    Histograms,
    Proved,
    Scores,
    ScoreSpace,
    Status,
    Verdict,
    add_or_remove_one,
    check_privacy,
    replace_one,
    scores_linf,
)
from dpverify.verifiers.all_sizes.regions.distributions import TimeOfDistributions
from dpverify.verifiers.all_sizes.verdicts import decided_for_all_sizes
from dpverify.verifiers.problems.neighbours import bounded_growth, gaps_linf
from dpverify.verifiers.problems.questions import BoundedGrowth, OrMore, ScoreGaps
from dpverify.verifiers.problems.questions.question import Question, privacy_guarantee

pytestmark = pytest.mark.usefixtures("decided_here")

TENTH = Fraction(1, 10)


def most_common(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    counts = {x: rows.count(x) for x in range(3)}
    return draw(exponential(counts, epsilon))


def noisy_best(draw: Any, scores: Any, *, epsilon: Any, noise: Any = laplace) -> Any:
    noisy = [score + draw(noise(2 / epsilon)) for score in scores]
    return noisy.index(max(noisy))


def first_above(draw: Any, queries: Any, *, epsilon: Any, noise: Any = laplace) -> Any:
    threshold = draw(noise(2 / epsilon))
    for i, query in enumerate(queries):
        if query + draw(noise(4 / epsilon)) >= threshold:
            return i
    return None


def stops_never(draw: Any, queries: Any, *, epsilon: Any) -> Any:
    """Broken: it answers all queries without noise of their own."""
    threshold = draw(laplace(2 / epsilon))
    return tuple(query >= threshold for query in queries)


def count_of_positive(draw: Any, rows: Any, *, epsilon: Any, noise: Any = discrete_laplace) -> Any:
    return sum(1 for row in rows if row > 0) + draw(noise(1 / epsilon))


def clamped_count(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return clamp(sum(row > 0 for row in rows) + draw(discrete_laplace(1 / epsilon)), 0, 4)


def histogram(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return tuple(rows.count(x) + draw(laplace(2 / epsilon)) for x in range(3))


def value_of_first_above(draw: Any, queries: Any, *, epsilon: Any) -> Any:
    threshold = draw(laplace(3 / epsilon))
    for query in queries:
        if query + draw(laplace(6 / epsilon)) >= threshold:
            return query + draw(laplace(3 / epsilon))
    return None


def third_of(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    return Fraction(1, 3) * (scores[0] + 1) + draw(discrete_laplace(1 / epsilon)) >= 1


ONE, TWO = Scores(solutions=1), Scores(solutions=2)
ROWS = Histograms(range(3))

_PROVED: dict[str, Callable[[], Verdict]] = {
    "choose_by_stability": lambda: check_privacy(choose_by_stability, TWO, scores_linf, epsilon=1, delta=TENTH),
    "choose_by_stability by gaps": lambda: check_privacy(
        choose_by_stability, ScoreGaps(solutions=2), gaps_linf, epsilon=1, delta=TENTH
    ),
    "exponential": lambda: check_privacy(exponential_mechanism, TWO, scores_linf, epsilon=1),
    "exponential for every ε": lambda: check_privacy(exponential_mechanism, TWO, scores_linf, epsilon=symbolic),
    "noisy max": lambda: check_privacy(noisy_best, TWO, scores_linf, epsilon=1),
    "svt": lambda: check_privacy(first_above, ONE, scores_linf, epsilon=1),
    "svt of two": lambda: check_privacy(first_above, TWO, scores_linf, epsilon=1),
    "svt, discrete, for every ε": lambda: check_privacy(
        first_above, ONE, scores_linf, epsilon=symbolic, parameters={"noise": discrete_laplace}
    ),
    "large margin": lambda: check_privacy(
        large_margin_mechanism, ScoreGaps(solutions=2), gaps_linf, epsilon=3, delta=TENTH
    ),
    "most common": lambda: check_privacy(most_common, ROWS, epsilon=1),
    "most common for every ε": lambda: check_privacy(most_common, ROWS, epsilon=symbolic),
    "a count": lambda: check_privacy(count_of_positive, ROWS, epsilon=1),
    "a count for every ε": lambda: check_privacy(count_of_positive, ROWS, epsilon=symbolic),
    "a clamped count": lambda: check_privacy(clamped_count, ROWS, epsilon=1),
    "a histogram": lambda: check_privacy(histogram, ROWS, epsilon=1),
    "a value above": lambda: check_privacy(value_of_first_above, ONE, scores_linf, epsilon=1),
    "a third": lambda: check_privacy(third_of, ONE, scores_linf, epsilon=1),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", _PROVED)
def test_it_is_proved_for_all_sizes(name: str) -> None:
    verdict = _PROVED[name]()
    assert verdict.status is Status.PROVED, verdict.reason
    assert verdict.basis.for_all_sizes and verdict.scope.startswith("ALL pairs of neighbours")
    assert verdict.witness is None


_REFUTED: dict[str, tuple[Callable[[], Verdict], Any]] = {
    "choose_by_stability as printed": (
        lambda: check_privacy(choose_by_stability_journal, TWO, scores_linf, epsilon=1, delta=TENTH),
        None,
    ),
    "noisy max at 0.999": (
        lambda: check_privacy(noisy_best, TWO, scores_linf, epsilon="0.999", parameters={"epsilon": 1}),
        1996,
    ),
    "exponential at 0.999": (
        lambda: check_privacy(exponential_mechanism, TWO, scores_linf, epsilon="0.999", parameters={"epsilon": 1}),
        13,
    ),
    "svt that never stops": (lambda: check_privacy(stops_never, TWO, scores_linf, epsilon=1), None),
    "most common for every ε": (
        lambda: check_privacy(most_common, ROWS, epsilon=symbolic, parameters={"epsilon": symbolic * 2}),
        None,
    ),
    "a count with less": (
        lambda: check_privacy(count_of_positive, ROWS, epsilon=1 - Fraction(1, 10**12), parameters={"epsilon": 1}),
        None,
    ),
    "a real count at less δ": (
        lambda: check_privacy(
            count_of_positive,
            ROWS,
            epsilon=Fraction(1, 2),
            delta=1 - exp(Fraction(-1, 4)) - Fraction(1, 10**7),
            parameters={"epsilon": 1, "noise": laplace},
        ),
        None,
    ),
    "a value above, with less": (
        lambda: check_privacy(value_of_first_above, ONE, scores_linf, epsilon="0.499", parameters={"epsilon": 1}),
        None,
    ),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", _REFUTED)
def test_it_is_refuted_by_two_databases(name: str) -> None:
    check, gap = _REFUTED[name]
    verdict = check()
    assert verdict.status is Status.REFUTED, verdict.reason
    assert verdict.basis.for_all_sizes
    witness = verdict.witness
    assert witness is not None
    assert witness.difference > witness.delta, "the finite checker has found it again"
    if gap is not None:
        assert isinstance(witness.left, tuple)
        assert abs(witness.left[0] - witness.left[1]) >= gap - 2, "no smaller gap violates it"


def test_no_finite_domain_of_the_catalogue_sees_what_all_sizes_do() -> None:
    finite = check_privacy(
        noisy_best,
        ScoreSpace(range(12), solutions=2),
        scores_linf,
        epsilon="0.999",
        parameters={"epsilon": 1},
        recheck=False,
    )
    assert finite.status is Status.PROVED
    assert _REFUTED["noisy max at 0.999"][0]().status is Status.REFUTED


@pytest.mark.parametrize(
    ("rows", "epsilon", "status"),
    [
        (3, 40, Status.PROVED),
        (2, 40, Status.REFUTED),
        pytest.param(15, 1, Status.PROVED, marks=pytest.mark.deep),
        pytest.param(14, 1, Status.REFUTED, marks=pytest.mark.deep),
    ],
)
def test_choosing_is_private_from_some_number_of_rows_on(rows: int, epsilon: int, status: Status) -> None:
    domain = BoundedGrowth(rows=OrMore(rows), solutions=2, growth=1)
    verdict = check_privacy(
        choosing_mechanism, domain, bounded_growth, epsilon=epsilon, delta=TENTH, parameters={"alpha": Fraction(1)}
    )
    assert verdict.status is status
    if verdict.witness is not None:
        law = [
            distribution(choosing_mechanism, scores, rows=rows, alpha=Fraction(1), epsilon=epsilon)
            for scores in (verdict.witness.left, verdict.witness.right)
        ]
        p, q = (each.probability(*verdict.witness.event) for each in law)
        assert p > exp(epsilon) * q + TENTH


def leaks_of_two_rows(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    if len(rows) == 2:
        return rows.count(1) > 0
    return draw(laplace(1 / epsilon)) >= 0


@pytest.mark.parametrize(("least", "status"), [(2, Status.REFUTED), (3, Status.PROVED)])
@pytest.mark.parametrize("relation", [replace_one, add_or_remove_one])
def test_the_smallest_databases_count(least: int, status: Status, relation: Any) -> None:
    domain = Histograms(range(2), sizes=OrMore(least))
    verdict = check_privacy(leaks_of_two_rows, domain, relation, epsilon=1)
    assert verdict.status is status
    if verdict.witness is not None:
        assert 2 in {len(side) for side in (verdict.witness.left, verdict.witness.right) if isinstance(side, tuple)}


def released_where_many(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    return (scores[0] if scores[1] >= 5 else 0) + draw(laplace(1 / epsilon))


def test_a_shift_that_is_not_known_is_no_shift() -> None:
    verdict = check_privacy(released_where_many, TWO, scores_linf, epsilon=1, delta=TENTH)
    assert verdict.status is not Status.PROVED
    assert check_privacy(released_where_many, TWO, scores_linf, epsilon=1).status is Status.REFUTED


def wider_for_some(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return draw(laplace(1 if rows.count(1) > 0 else 2))


def test_tails_of_two_widths_have_no_bound() -> None:
    verdict = check_privacy(wider_for_some, Histograms(range(2)), epsilon=100)
    assert verdict.status is Status.REFUTED


def released_now_and_then(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    often = Fraction(1, 2) if rows.count(1) > 0 else Fraction(1, 3)
    return rows.count(0) + draw(laplace(1 / epsilon)) if draw(bernoulli(often)) else None


@pytest.mark.parametrize(("delta", "status"), [("0.7", Status.PROVED), ("0.01", Status.REFUTED)])
def test_shifted_laws_of_several_weights(delta: str, status: Status) -> None:
    domain = Histograms(range(2))
    verdict = check_privacy(released_now_and_then, domain, epsilon=1, delta=delta, parameters={"epsilon": 2})
    assert verdict.status is status


def multiplies(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    return scores[0] * scores[0] + draw(laplace(1 / epsilon)) >= 3


def loops(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    return sum(draw(laplace(1 / epsilon)) >= 0 for _ in range(scores[0]))


def catches(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    try:
        count = len(list(rows))
    except Exception:  # which is what is tested
        count = 0
    return count + draw(laplace(1 / epsilon)) >= 1


def catches_comparisons(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    try:
        best = max(scores)
    except Exception:  # which is what is tested
        best = 0
    return best - best + draw(laplace(1 / epsilon)) >= 1


def asks_for_types(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    if isinstance(scores[0], int):
        return scores[0] >= 3
    return draw(laplace(1 / epsilon)) >= 3


def matches_a_kind(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    match scores[0]:
        case int() if scores[0] > 100:
            return True
    return draw(laplace(1 / epsilon)) > 0


@functools.singledispatch
def _is_large(score: object) -> bool:
    return False


@_is_large.register
def _(score: int) -> bool:
    return score > 100


def dispatches(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    return _is_large(scores[0]) or draw(laplace(1 / epsilon)) > 0


def scales_one_noise(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    noise = draw(laplace(1 / epsilon))
    return noise, noise * (rows.count(0) + 2)


def adds_one_noise_to_both(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    noise = draw(laplace(1 / epsilon))
    return rows.count(0) + noise, rows.count(1) + noise


def counts_levels(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    return scores[0] == 3 or draw(laplace(1 / epsilon)) >= 3


@pytest.mark.parametrize(
    ("mechanism", "domain", "said"),
    [
        (loops, ONE, "needs a plain number"),
        (lambda draw, rows, *, epsilon: rows.count(1) / len(rows) + draw(laplace(1 / epsilon)) >= 1, ROWS, ""),
        (catches, ROWS, f"except Exception at line {catches.__code__.co_firstlineno + 3} of"),
        (asks_for_types, ONE, "was asked of what stands for"),
        (adds_one_noise_to_both, ROWS, "share noise"),
        (scales_one_noise, ROWS, "share noise"),
        (matches_a_kind, ONE, "asked for its type"),
        (dispatches, ONE, "outside the language: "),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_not_understood_is_undecided_or_refused(mechanism: Any, domain: Any, said: str) -> None:
    relation = replace_one if isinstance(domain, Histograms) else scores_linf
    try:
        verdict = check_privacy(mechanism, domain, relation, epsilon=1)
    except InputError as error:
        assert getattr(mechanism, "__name__", "") in str(error)
        assert said in str(error)
    else:
        assert verdict.status is Status.UNDECIDED
        assert said in verdict.reason


def test_what_has_an_event_of_unknown_sign_is_refuted_where_another_one_fails() -> None:
    """1² + noise and 2² + noise are three apart, which ε = 1 does not hide."""
    verdict = check_privacy(multiplies, ONE, scores_linf, epsilon=1)
    assert verdict.status is Status.REFUTED and verdict.witness is not None
    assert {verdict.witness.left, verdict.witness.right} == {(1,), (2,)}


def asks_for_the_type_of_epsilon(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    factor = 2 if type(epsilon) in (int, Fraction) else 4
    return scores[0] + draw(laplace(factor / epsilon)) >= 0


def catches_questions_about_epsilon(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    try:
        scale = 1 / epsilon if epsilon > 3 else 2 / epsilon
    except Exception:  # which is what is tested
        scale = 2 / epsilon
    return scores[0] + draw(laplace(scale)) >= 0


@pytest.mark.parametrize("mechanism", [asks_for_the_type_of_epsilon, catches_questions_about_epsilon])
def test_a_mechanism_that_tells_a_symbolic_epsilon_from_a_number_is_not_accepted(mechanism: Any) -> None:
    try:
        verdict = check_privacy(mechanism, ONE, scores_linf, epsilon=symbolic)
    except InputError as error:
        assert "type(…) was asked of what stands for" in str(error)
    else:
        assert verdict.status is Status.UNDECIDED


def never_returns(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    while scores:
        pass


@pytest.mark.usefixtures("hurried")
def test_a_mechanism_that_does_not_return_is_stopped() -> None:
    verdict = check_privacy(never_returns, ONE, scores_linf, epsilon=1, limits=Limits(seconds=1))
    assert verdict.status is Status.UNDECIDED
    line = never_returns.__code__.co_firstlineno
    assert re.search(
        rf"the output distribution of never_returns on .* was not known after 1 s of a processor \(.*, line ({line + 1}|{line + 2})\)",
        verdict.reason,
    )


def test_all_regions_have_one_limit_of_seconds() -> None:
    domain = Scores(solutions=2)
    question = Question(noisy_best, domain, scores_linf, privacy_guarantee(1, 0), {"epsilon": 1}, Limits(seconds=9))
    took = TimeOfDistributions()
    proved = decided_for_all_sizes(question, domain, as_named=False, time=took)
    assert proved.status is Status.PROVED
    assert took.seconds > 0.001
    found = decided_for_all_sizes(question, domain, as_named=False, time=TimeOfDistributions(90))
    assert found.status is Status.UNDECIDED
    assert found.reason.startswith("whether noisy_best is private on Scores(solutions=2) was not known after 90 s of")
    assert "limits=Limits(seconds=" in found.reason


def test_a_mechanism_that_catches_errors_is_not_decided() -> None:
    verdict = check_privacy(catches_comparisons, TWO, scores_linf, epsilon=1)
    assert verdict.status is Status.UNDECIDED and "outside the language: except Exception" in verdict.reason


def test_one_score_alone_among_all_is_found() -> None:
    verdict = check_privacy(counts_levels, ONE, scores_linf, epsilon=1)
    assert verdict.status is Status.REFUTED
    assert verdict.witness is not None and (3,) in (verdict.witness.left, verdict.witness.right)


def test_the_same_law_for_all_is_said() -> None:
    verdict = check_privacy(lambda draw, rows: draw(laplace(1)) >= 0, ROWS, epsilon=1)
    assert isinstance(verdict, Proved) and verdict.neighbours_agree
    assert "one and the same output distribution" in verdict.reason
