"""Verdicts for all ε at once, against verdicts at many single ones."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.verifiers.divergence.every_epsilon.every_epsilon import compare, failing

from dpverify import verifiers
from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    bernoulli,
    discrete_laplace,
    exact,
    exp,
    laplace,
    log,
    symbolic,
)
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike
from dpverify.mechanisms.numbers.roots import mixed_roots
from dpverify.mechanisms.selection import (
    choose_by_stability,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
    exponential_mechanism,
    svt1,
    svt4,
)
from dpverify.mechanisms.selection.laplace_mechanism import discrete_laplace_mechanism
from dpverify.mechanisms.selection.stability import stable_choice
from dpverify.reports.record import Status
from dpverify.verifiers import Multisets, ScoreSpace, Tuples, scores_linf
from dpverify.verifiers.deciding import all_epsilon

# What is computed a second time has tests of its own, in test_repetition.py.
check_privacy = partial(verifiers.check_privacy, recheck=False)

SCORES = ScoreSpace(range(6), solutions=2)
AT: list[ExactLike] = [Fraction(1, 20), Fraction(1, 3), Fraction(7, 10), 1, Fraction(3, 2), 2, 3, 5]


polynomials = st.lists(st.integers(0, 4), min_size=1, max_size=4).filter(any)
laws = st.lists(polynomials, min_size=2, max_size=3)
deltas = st.sampled_from([exact(0), exact(Fraction(1, 10)), exp(-symbolic) / 5, exp(-symbolic / 2) / 3])


@few(6, deep=150)
@given(laws, laws, deltas, st.sampled_from([symbolic, 2 * symbolic, symbolic / 2]))
def test_random_mechanisms(left: Any, right: Any, delta: Exact, epsilon: Exact) -> None:
    def mechanism(draw: Draw, rows: Any, *, base: Exact) -> Any:
        weights = left if rows == (0,) else right
        return Distribution(
            {i: sum((c * exp(-base * j / 2) for j, c in enumerate(p)), exact(0)) for i, p in enumerate(weights)}
        )

    claim: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "parameters": {"base": symbolic}}
    domain = Tuples((0, 1), size=1)
    compare(check_privacy(mechanism, domain, **claim), AT, mechanism, domain, **claim)


@few(8, deep=120)
@given(st.integers(0, 4), st.integers(0, 4), st.sampled_from([0, Fraction(1, 50), Fraction(1, 3)]))
def test_mechanisms_that_ask_for_epsilon(first: int, second: int, delta: Any) -> None:
    def mechanism(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        noise = discrete_laplace(1 / epsilon)
        if epsilon < Fraction(1, 3) and rows == (0,):
            return bool(draw(noise) >= first)
        if epsilon == 2:
            return sum(rows) > 0
        return bool(sum(rows) + draw(noise) >= (second if exp(epsilon) > 3 else 1))

    claim: dict[str, Any] = {"epsilon": symbolic, "delta": delta}
    domain = Tuples((0, 1), size=1)
    verdict = check_privacy(mechanism, domain, **claim)
    compare(verdict, [*AT, log(3)], mechanism, domain, **claim)
    assert any(2 in interval for interval in failing(verdict))


def test_noise_against_a_threshold_that_depends_on_epsilon() -> None:
    """The question is one of the noise, which takes note of what it refuses."""

    def above(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        noise = draw(laplace(1 / epsilon))
        return bool(noise >= 1) and bool(noise + 2 + rows[0] >= log(16) / epsilon)

    claim: dict[str, Any] = {"epsilon": symbolic}
    domain = Tuples((0, 1), size=1)
    verdict = check_privacy(above, domain, **claim)
    compare(verdict, [*AT, log(2), log(16) / 3, 2 * log(2), log(16)], above, domain, **claim)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "mechanism", [choose_by_stability, choose_by_stability_journal, choose_by_stability_extended_abstract]
)
@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 1000)])
def test_a_dist_with_its_own_threshold(mechanism: Any, delta: Fraction) -> None:
    claim: dict[str, Any] = {"epsilon": symbolic, "delta": delta}
    verdict = check_privacy(mechanism, SCORES, scores_linf, **claim)
    corners = [log(1 / delta) * c / g for g in (1, 2, 3, 5) for c in (1, 2)]
    compare(verdict, [*AT, *corners], mechanism, SCORES, scores_linf, **claim)
    assert (verdict.status is Status.REFUTED) == (mechanism is choose_by_stability_journal)


def test_discrete_noise_that_is_released() -> None:
    def noisy(draw: Draw, rows: Any, *, epsilon: Exact) -> Any:
        scale = 1 / epsilon if epsilon < 2 else 1 / (2 * epsilon)
        return ("sum", sum(rows) + draw(discrete_laplace(scale)))

    def plain(draw: Draw, rows: Any, *, epsilon: Exact) -> Any:
        return discrete_laplace_mechanism(draw, [sum(rows)], epsilon=epsilon)

    count = Tuples((0, 1), size=2)
    assert check_privacy(plain, count, epsilon=symbolic).status is Status.PROVED
    too_small = check_privacy(plain, count, epsilon=symbolic * Fraction(99, 100), parameters={"epsilon": symbolic})
    assert [str(interval) for interval in failing(too_small)] == ["(0, ∞)"]
    cut = check_privacy(noisy, count, epsilon=symbolic)
    compare(cut, AT, noisy, count, epsilon=symbolic)
    assert [str(interval) for interval in failing(cut)] == ["[2, ∞)"]


def test_the_witness_is_at_one_of_the_epsilons_and_reproduces() -> None:
    verdict = check_privacy(
        svt4,
        ScoreSpace(range(-1, 2), solutions=2),
        scores_linf,
        epsilon=symbolic / 2,
        parameters={"noise": discrete_laplace, "epsilon": symbolic},
    )
    assert verdict.status is Status.REFUTED
    witness = verdict.witness
    assert witness is not None
    assert witness.difference > witness.delta
    assert witness.reproduce is not None
    printed: list[Any] = []
    exec(witness.reproduce, {"print": lambda *values: printed.extend(values)})
    assert printed == [witness.p, witness.q, True]


def whole_threshold(draw: Draw, quality: Sequence[int], *, epsilon: Exact, scale: int, threshold: int) -> Any:
    """A_dist with a threshold that does not depend on ε."""
    return stable_choice(draw, quality, discrete_laplace(scale / epsilon), threshold)


def test_a_whole_threshold_fails_on_exact_intervals() -> None:
    at_threshold = {"threshold": 4, "scale": 1}
    claim: dict[str, Any] = {"epsilon": symbolic, "delta": exp(-symbolic), "parameters": at_threshold}
    verdict = check_privacy(whole_threshold, SCORES, scores_linf, **claim)
    compare(verdict, AT, whole_threshold, SCORES, scores_linf, **claim)
    (interval,) = failing(verdict)
    # by hand: gap 4 reaches the threshold with 1/(1 + z), gap 2 with z^2/(1 + z); 1/(1 + z) - z/(1 + z) > z
    assert interval.low.form == "-ln z with z^2 + 2·z - 1 = 0"
    assert interval.high is None
    right = check_privacy(whole_threshold, SCORES, scores_linf, **{**claim, "parameters": {**at_threshold, "scale": 2}})
    assert right.status is Status.PROVED


@pytest.mark.parametrize(
    ("answers", "queries"),
    [(range(-1, 1), 2), *(pytest.param(range(-1, 2), n, marks=pytest.mark.deep) for n in (2, 3))],
)
def test_sparse_vector_for_all_epsilon(answers: range, queries: int) -> None:
    space = ScoreSpace(answers, solutions=queries)
    claim: dict[str, Any] = {"epsilon": symbolic, "parameters": {"noise": discrete_laplace}}
    assert check_privacy(svt1, space, scores_linf, **claim).status is Status.PROVED
    broken = check_privacy(svt4, space, scores_linf, **claim)
    assert [str(interval) for interval in failing(broken)] == ["(0, ∞)"]
    compare(broken, AT[:3], svt4, space, scores_linf, **claim)


def test_a_fixed_mechanism_is_private_from_its_epsilon_on() -> None:
    def response(draw: Draw, rows: Any) -> Any:
        return draw(bernoulli(Fraction(3, 4) if rows == (1,) else Fraction(1, 4)))

    verdict = check_privacy(response, Tuples((0, 1), size=1), epsilon=symbolic)
    assert [str(interval) for interval in failing(verdict)] == ["(0, ln 3 = 1.09861228867)"]
    verdict = check_privacy(response, Tuples((0, 1), size=1), epsilon=symbolic, delta=Fraction(1, 2))
    assert verdict.status is Status.PROVED


def test_a_mechanism_that_catches_the_question_is_cut_all_the_same() -> None:
    def sly(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        try:
            small = epsilon < 1
        except ValueError:  # as a careless mechanism does
            small = True
        return small or rows == (0,)

    verdict = check_privacy(sly, Tuples((0, 1), size=1), epsilon=symbolic)
    assert [str(interval) for interval in failing(verdict)] == ["[1, ∞)"]


def test_a_single_epsilon_that_fails() -> None:
    def sly(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        return epsilon == log(2) and rows == (0,)

    verdict = check_privacy(sly, Tuples((0, 1), size=1), epsilon=symbolic)
    assert [str(interval) for interval in failing(verdict)] == ["{ln 2 = 0.69314718056}"]
    assert verdict.witness is not None
    assert verdict.witness.epsilon == log(2)


@pytest.mark.parametrize(
    ("mechanism", "claim", "words"),
    [
        (
            choose_by_stability_journal,
            {"delta": Fraction(1, 10), "parameters": {"noise": discrete_laplace}},
            "infinitely many steps",
        ),
        (choose_by_stability, {"delta": exp(-3)}, "not rational"),
        (svt1, {"delta": log(2) / 5}, "ln 2, which is not rational"),
        (exponential_mechanism, {"delta": -symbolic}, "delta=-ε must be at least 0 for all ε"),
    ],
)
def test_what_is_refused(mechanism: Any, claim: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_epsilon, "_MOST_CELLS", 16)
    with pytest.raises(InputError, match=words):
        check_privacy(mechanism, ScoreSpace(range(4), solutions=2), scores_linf, epsilon=symbolic, **claim)


def test_a_threshold_that_rises_without_end() -> None:
    def doubling(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        k = 1
        while k * epsilon < 1:
            k += 1
        return k

    with pytest.raises(InputError, match="answer is not the same for all ε: it changes at ε ="):
        check_privacy(doubling, Tuples((0, 1), size=1), epsilon=symbolic)


def test_continuous_noise_against_numbers() -> None:
    def above(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        return bool(sum(rows) + draw(laplace(1 / epsilon)) >= Fraction(3, 2))

    claim: dict[str, Any] = {"epsilon": symbolic * Fraction(9, 10), "parameters": {"epsilon": symbolic}}
    domain = Tuples((0, 1), size=3)
    compare(check_privacy(above, domain, **claim), AT, above, domain, **claim)
    assert check_privacy(above, domain, epsilon=symbolic).status is Status.PROVED


# Mechanisms that would do otherwise for a number than for a symbolic ε.
def in_a_set(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return len({exp(-epsilon), exact(Fraction(1, 2))}) == 1 and rows == (0,)


def as_a_float(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return float(epsilon) > 0 and rows == (0,)


def by_type_at_one_epsilon(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return isinstance(epsilon, Fraction) and epsilon == Fraction(37, 11) and rows == (0,)


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (in_a_set, "hashed"),
        (lambda draw, rows, *, epsilon: {Fraction(1): rows}.get(epsilon, "no"), "hashed"),
        (lambda draw, rows, *, epsilon: epsilon % 1 == 0 and rows == (0,), "no plain number"),
        (lambda draw, rows, *, epsilon: str(epsilon) == "1" and rows == (0,), "turned into text"),
        (lambda draw, rows, *, epsilon: isinstance(epsilon, Fraction) and rows == (0,), "was asked of what stands for"),
        (by_type_at_one_epsilon, "was asked of what stands for"),
        (lambda draw, rows, *, epsilon: ("ε", epsilon), "which depends on a symbolic ε"),
    ],
)
def test_mechanisms_that_look_at_their_epsilon_are_refused(mechanism: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_privacy(mechanism, Tuples((0, 1), size=1), epsilon=symbolic)


@pytest.mark.parametrize("tells", [lambda x: isinstance(x, int), lambda x: type(x) is int])
def test_the_type_of_a_noise_is_refused(tells: Callable[[Any], bool]) -> None:
    """Of a run it is an int, and of what stands for it it was none: PROVED at ε = 0, and it tells the row."""
    with pytest.raises(InputError, match="was asked of what stands for a noise"):
        check_privacy(
            lambda draw, rows: rows[0] if tells(draw(discrete_laplace(1))) else 0, Tuples((0, 1), size=1), epsilon=0
        )


def test_a_float_of_epsilon_is_that_real_number() -> None:
    verdict = check_privacy(as_a_float, Tuples((0, 1), size=1), epsilon=symbolic)
    assert [str(interval) for interval in failing(verdict)] == ["(0, ∞)"]


def test_releases_that_become_one_at_a_single_epsilon_keep_their_mass() -> None:
    def mechanism(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        if rows == (1,) and exp(epsilon) == 2:
            return Distribution({("n", 0): 2, ("n", 1): 11, ("n", -1): 11})
        scale = 1 / (epsilon + log(2)) if draw(bernoulli(Fraction(1, 2))) else 1 / (2 * epsilon)
        return ("n", draw(truncated_discrete_laplace(scale, 1)))

    claim: dict[str, Any] = {"epsilon": 2 * symbolic, "delta": Fraction(3, 10), "parameters": {"epsilon": symbolic}}
    domain = Tuples((0, 1), size=1)
    compare(check_privacy(mechanism, domain, **claim), [log(2), 1], mechanism, domain, **claim)


def test_questions_of_sub_mechanisms() -> None:
    def inner(draw: Draw, row: int, *, epsilon: Any) -> Any:
        return epsilon < 5 and row == 0

    def outer(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        return draw(inner, rows[0], epsilon=epsilon)

    verdict = check_privacy(outer, Tuples((0, 1), size=1), epsilon=symbolic)
    assert [str(interval) for interval in failing(verdict)] == ["(0, 5)"]


def asks(draw: Draw, rows: Any, *, e: Any) -> Any:
    return e < 1 and rows == (0,)


def test_a_symbolic_epsilon_that_is_hidden() -> None:
    with pytest.raises(InputError, match="a symbolic ε that it does not have as a parameter"):
        check_privacy(partial(asks, e=symbolic), Tuples((0, 1), size=1), epsilon=symbolic)


def test_more_roots_than_are_remembered() -> None:
    """As if every polynomial had been forgotten by the time it is asked for again."""

    def mechanism(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        i, z = rows[0], exp(-epsilon)
        y = (1 + i * z + i * z**2) / 1000
        return Distribution({"x": Fraction(i + 1, 200), "y": y, "o": 1 - Fraction(i + 1, 200) - y})

    claim: dict[str, Any] = {"epsilon": symbolic / 3, "parameters": {"epsilon": symbolic}}
    domain = Tuples(range(6), size=1)
    remembered = mixed_roots._roots_of
    mixed_roots._roots_of = lru_cache(maxsize=2)(remembered.__wrapped__)
    try:
        verdict = check_privacy(mechanism, domain, **claim)
    finally:
        mixed_roots._roots_of = remembered
    compare(verdict, AT, mechanism, domain, **claim)
    assert str(failing(check_privacy(mechanism, domain, **claim))) == str(failing(verdict))


def test_a_cell_far_out() -> None:
    def mechanism(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        return epsilon > 10_000 and rows == (0,)

    verdict = check_privacy(mechanism, Tuples((0, 1), size=1), epsilon=symbolic)
    assert [str(interval) for interval in failing(verdict)] == ["(10000, ∞)"]
    assert verdict.witness is not None
    assert verdict.witness.epsilon == 10_001


def test_an_interval_narrower_than_twenty_digits() -> None:
    z = exp(-symbolic)
    delta = z - (Fraction(2, 10**50) - (z - Fraction(1, 2)) ** 2) / 4

    def mechanism(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        return draw(bernoulli(exp(-epsilon))) if rows == (0,) else False

    verdict = check_privacy(mechanism, Tuples((0, 1), size=1), epsilon=symbolic, delta=delta)
    assert verdict.status is Status.REFUTED
    assert log(2) in failing(verdict)[0]


def test_the_same_answer_whatever_was_asked_before() -> None:
    def mechanism(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        return bool(rows[0] + draw(laplace(1 / epsilon)) >= 2 * epsilon)

    for _ in range(3):
        with pytest.raises(InputError, match="rational c, which is not decided for a symbolic ε"):
            check_privacy(mechanism, Tuples((0, 1), size=1), epsilon=symbolic)
    at_threshold: dict[str, Any] = {"delta": exp(-symbolic), "parameters": {"threshold": 4, "scale": 1}}
    records = []
    for _ in range(2):
        verdict = check_privacy(whole_threshold, SCORES, scores_linf, epsilon=symbolic, **at_threshold)
        (interval,) = failing(verdict)
        records.append(interval.record)
        assert Fraction(10**30, 1134592657106511 * 10**15) not in interval  # looks as closely as this needs
    assert records[0] == records[1]


def test_the_witness_says_which_epsilon_it_is_at() -> None:
    half: dict[str, Any] = {"epsilon": symbolic / 2, "parameters": {"epsilon": symbolic}}
    verdict = check_privacy(discrete_count, Tuples((0, 1), size=1), **half)
    assert verdict.reason == "fails for ε in (0, ∞); the witness is at ε = 1, which claims 1/2"


def discrete_count(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return bool(sum(rows) + draw(discrete_laplace(1 / epsilon)) >= 2)


def test_an_order_of_rows_that_matters_for_some_epsilon() -> None:
    def mechanism(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        return draw(bernoulli(exp(-epsilon) if rows[0] == 0 else Fraction(1, 2)))

    with pytest.raises(InputError, match="depends on the order"):
        check_privacy(mechanism, Multisets((0, 1), size=2), epsilon=symbolic)
