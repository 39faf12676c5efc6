"""Theorem 5 of docs/theorems.md against finite domains, mechanisms that jump, and wrong claims; its algebra by points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.verifiers.every_epsilon.every_epsilon import failing

from dpverify.mechanisms import symbolic
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.atoms import atom
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, exact, from_factor, total
from dpverify.mechanisms.numbers.exact_numbers import product as times
from dpverify.mechanisms.numbers.symbols import whole_symbol
from dpverify.mechanisms.orthants.orthants import coordinate
from dpverify.mechanisms.selection.sparse_vector import first_below, svt1, svt2, svt4, svt6
from dpverify.mechanisms.signs.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.signs.symbolic_epsilon import number_of
from dpverify.verifiers import Scores, ScoreSpace, Status, check_privacy, scores_l1, scores_linf
from dpverify.verifiers.all_sizes import homogeneous_theorem
from dpverify.verifiers.all_sizes.homogeneous import RealSum, homogeneous
from dpverify.verifiers.charts.domains import Endless, Histograms
from dpverify.verifiers.charts.laws import LawsOnCharts
from dpverify.verifiers.questions.question import Question, privacy_guarantee

ONE_MORE = Fraction(1, 1000)


def noisy_best(draw: Draw, scores: Sequence[Any], *, epsilon: Exact) -> int:
    """Written out, so that Theorem 2 does not speak of it."""
    noisy = [score + draw(laplace(2 / epsilon)) for score in scores]
    return noisy.index(max(noisy))


def best_is_above(draw: Draw, scores: Sequence[Any], *, epsilon: Exact) -> bool:
    """Compares the largest score, with noise, with 0."""
    return bool(max(scores) + draw(laplace(1 / epsilon)) > 0)


def first_is_greater(draw: Draw, scores: Sequence[Any], *, epsilon: Exact) -> bool:
    """A difference moves by 2 where every score may move."""
    return bool(scores[0] - scores[1] + draw(laplace(1 / epsilon)) > 0)


def jumps(draw: Draw, scores: Sequence[Any], *, epsilon: Exact) -> bool:
    """Tells which of two scores is the greater one."""
    return bool(scores[0] > scores[1]) or bool(draw(laplace(1 / epsilon)) > scores[1])


def jumps_on_a_line(draw: Draw, scores: Sequence[Any], *, epsilon: Exact) -> bool:
    """Tells that two scores are the same; elsewhere it is as private as can be."""
    return bool(scores[0] == scores[1]) or bool(draw(laplace(1 / epsilon)) > 0)


def has_a_threshold(draw: Draw, scores: Sequence[Any], *, epsilon: Exact) -> bool:
    """Private for every ε, and no function of ε·s."""
    return bool(scores[0] + draw(laplace(1 / epsilon)) > 3)


def has_another_epsilon(draw: Draw, scores: Sequence[Any], *, epsilon: Exact) -> bool:
    """The symbol that everybody can write is another one than what a mechanism is given."""
    return bool(scores[0] + draw(laplace(1 / symbolic)) > 0)


def is_discrete(draw: Draw, scores: Sequence[Any], *, epsilon: Exact) -> bool:
    """Whole noise is no function of ε·s."""
    return bool(scores[0] + draw(discrete_laplace(1 / epsilon)) > 0)


def _cones(
    mechanism: Any, domain: Endless, relation: Any = scores_linf, *, share: Any = 1, delta: Any = 0, **given: Any
) -> int | None:
    epsilon = number_of(EpsilonSymbol(handed_out=True))
    claim = privacy_guarantee(epsilon * share, delta)
    question = Question(mechanism, domain, relation, claim, {"epsilon": epsilon, **given}, Limits())
    return homogeneous_theorem.holds(LawsOnCharts(question, domain), question, domain)


HELD: list[tuple[Any, int, Any, Any, dict[str, Any]]] = [
    (noisy_best, 1, scores_linf, 1, {}),
    (noisy_best, 2, scores_linf, 1, {}),
    (best_is_above, 2, scores_linf, 1, {}),
    (first_is_greater, 2, scores_linf, 2, {}),
    (first_is_greater, 2, scores_l1, 1, {}),
    (svt1, 2, scores_linf, 1, {}),
    (svt2, 2, scores_linf, 1, {"count": 2}),
    (svt4, 2, scores_linf, Fraction(7, 4), {}),
    (svt6, 2, scores_linf, 1, {}),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("mechanism", "solutions", "relation", "share", "given"), HELD)
def test_what_holds_is_seen_and_holds_on_finite_domains(
    mechanism: Any, solutions: int, relation: Any, share: Any, given: dict[str, Any]
) -> None:
    assert _cones(mechanism, Scores(solutions=solutions), relation, share=share, **given)
    for epsilon in (Fraction(1, 3), 2):
        verdict = check_privacy(
            mechanism,
            ScoreSpace(range(-2, 3), solutions=solutions),
            relation,
            epsilon=share * epsilon,
            parameters={"epsilon": epsilon, **given},
            recheck=False,
        )
        assert verdict.status is Status.PROVED


NOT_HELD: list[tuple[Any, int, Any, Any, dict[str, Any]]] = [
    (noisy_best, 2, scores_linf, 1 - ONE_MORE, {}),
    (best_is_above, 2, scores_linf, 1 - ONE_MORE, {}),
    (first_is_greater, 2, scores_linf, 2 - ONE_MORE, {}),
    (first_is_greater, 2, scores_l1, 1 - ONE_MORE, {}),
    (jumps, 2, scores_linf, 5, {}),
    (jumps_on_a_line, 2, scores_linf, 5, {}),
    (svt4, 2, scores_linf, 1, {}),
    (has_a_threshold, 1, scores_linf, 1, {}),
    (is_discrete, 1, scores_linf, 1, {}),
    (has_another_epsilon, 1, scores_linf, 1, {}),
]


@pytest.mark.parametrize(("mechanism", "solutions", "relation", "share", "given"), NOT_HELD)
def test_what_does_not_hold_or_is_something_else_is_left_alone(
    mechanism: Any, solutions: int, relation: Any, share: Any, given: dict[str, Any]
) -> None:
    assert _cones(mechanism, Scores(solutions=solutions), relation, share=share, **given) is None


@pytest.mark.deep
def test_no_more_cones_are_looked_at_than_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(homogeneous_theorem, "MOST_CONES", 6)
    assert _cones(noisy_best, Scores(solutions=2)) == 6
    monkeypatch.setattr(homogeneous_theorem, "MOST_CONES", 5)
    assert _cones(noisy_best, Scores(solutions=2)) is None


def test_other_domains_relations_and_claims_are_left_alone() -> None:
    assert _cones(noisy_best, Scores(solutions=2), delta=Fraction(1, 10)) is None
    assert _cones(noisy_best, Scores(solutions=2), share=symbolic) is None
    assert _cones(noisy_best, Histograms("ab")) is None
    assert _cones(noisy_best, Scores(solutions=2), lambda scores, domain: []) is None


@pytest.mark.deep
@pytest.mark.parametrize(("mechanism", "given"), [(noisy_best, {}), (svt1, {}), (first_below, {})])
def test_three_scores(mechanism: Any, given: dict[str, Any]) -> None:
    assert _cones(mechanism, Scores(solutions=3), **given) == 24
    assert _cones(mechanism, Scores(solutions=3), share=Fraction(1, 2), **given) is None
    assert _cones(svt6, Scores(solutions=3)) is None


def test_the_verdict_names_the_theorem() -> None:
    verdict = check_privacy(noisy_best, Scores(solutions=2), scores_linf, epsilon=symbolic)
    assert verdict.status is Status.PROVED and failing(verdict) == ()
    assert verdict.basis.for_all_sizes
    assert "Theorem 5 of docs/theorems.md" in verdict.scope and "6 cones" in verdict.reason


def test_outcomes_of_two_cones_that_are_equal_and_not_the_same_are_refused() -> None:
    def tells(draw: Draw, scores: Sequence[Any], *, epsilon: Exact) -> Any:
        return noisy_best(draw, scores, epsilon=epsilon), True if scores[0] > scores[1] else 1

    with pytest.raises(InputError, match="not the same"):
        check_privacy(tells, Scores(solutions=2), scores_linf, epsilon=symbolic)


def test_what_it_leaves_alone_is_decided_by_regions() -> None:
    refuted = check_privacy(
        noisy_best,
        Scores(solutions=2),
        scores_linf,
        epsilon=symbolic * (1 - Fraction(1, 10)),
        parameters={"epsilon": symbolic},
    )
    assert refuted.status is Status.REFUTED
    assert check_privacy(has_a_threshold, Scores(solutions=1), scores_linf, epsilon=1).status is Status.PROVED


_SUMS = st.dictionaries(
    st.tuples(
        st.tuples(st.integers(0, 2), st.integers(0, 2)),
        st.tuples(st.fractions(0, 2, max_denominator=3), st.fractions(0, 2, max_denominator=3)),
    ),
    st.integers(-3, 3).filter(bool).map(exact),
    max_size=4,
).map(lambda terms: RealSum(2, {(tuple(powers), tuple(rates)): c for (powers, rates), c in terms.items()}))
_POINTS = st.tuples(*[st.fractions(0, 3, max_denominator=3)] * 2)


def _at(f: RealSum, point: Sequence[Fraction]) -> Exact:
    parts = []
    for (powers, rates), c in f.terms.items():
        factors = [exact(y**k) for y, k in zip(point, powers, strict=True)]
        exponent = -sum((r * y for r, y in zip(rates, point, strict=True)), Fraction(0))
        parts.append(times((c, exp(exponent), *factors)))
    return total(parts)


@few(7, deep=150)
@given(_SUMS, _SUMS, _POINTS)
def test_sums_products_and_substitutions_are_those_of_functions(f: RealSum, g: RealSum, point: Any) -> None:
    assert _at(f.plus(g), point) == _at(f, point) + _at(g, point)
    assert _at(f.times(exact(Fraction(2, 3))), point) == _at(f, point) * Fraction(2, 3)
    images = [[1, 2, 0], [0, 1, 1]]
    z = [Fraction(1, 2), Fraction(1, 3), Fraction(2)]
    y = [sum((n * w for n, w in zip(row, z, strict=True)), Fraction(0)) for row in images]
    assert _at(f.along(images, 3), z) == _at(f, y)
    assert f.is_same(f) and (f.is_same(g) == (not f.plus(g.times(exact(-1))).terms))


@few(7, deep=150)
@given(_SUMS, st.integers(0, 1), _POINTS)
def test_derivatives_are_those_by_differences(f: RealSum, i: int, point: Any) -> None:
    step = Fraction(1, 10**6)
    ahead = [y + step if j == i else y for j, y in enumerate(point)]
    slope = (_at(f, ahead) - _at(f, point)) / step
    difference = slope - _at(f.derivatives[i], point)
    assert -ONE_MORE < difference < ONE_MORE


@few(10)
@given(_SUMS, st.fractions(Fraction(1, 4), 3, max_denominator=4))
def test_functions_of_products_are_recognised(f: RealSum, epsilon: Fraction) -> None:
    """Built from ε and whole h, and evaluated where both are numbers."""
    symbol = number_of(kept := EpsilonSymbol(handed_out=True))
    parts = []
    for (powers, rates), c in f.terms.items():
        factors: list[Exact] = [c]
        for i, (k, r) in enumerate(zip(powers, rates, strict=True)):
            factors += [symbol * (coordinate(i) + 1)] * k
            factors.append(exp(-symbol * (coordinate(i) + 1) * r))
        parts.append(times(factors))
    number = total(parts)
    found = homogeneous(number, 2, kept)
    assert found is not None and found.is_same(f)
    of_another = homogeneous(number, 2, EpsilonSymbol(handed_out=True))
    assert of_another is None or not any(any(powers) or any(rates) for powers, rates in f.terms)
    if f.terms and any(any(powers) or any(rates) for powers, rates in f.terms):
        assert homogeneous(number * symbol, 2, kept) is None
        assert homogeneous(times((number, coordinate(0))), 2, kept) is None
        assert homogeneous(times((number, from_factor(atom("log", whole_symbol(0).base), -1))), 2, kept) is None
    assert _at(found, (epsilon, 2 * epsilon)) == _at(f, (epsilon, 2 * epsilon))


def test_zero_is_a_function_of_products() -> None:
    found = homogeneous(ZERO, 2, EpsilonSymbol(handed_out=True))
    assert found is not None and not found.terms


@pytest.mark.parametrize("steps", [homogeneous_theorem._steps])
def test_directions(steps: Callable[[int, bool], Any]) -> None:
    assert set(steps(2, False)) == set(product((1, -1), repeat=2))
    assert set(steps(2, True)) == {(1, 0), (-1, 0), (0, 1), (0, -1)}
