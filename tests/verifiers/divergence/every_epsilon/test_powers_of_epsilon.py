"""Every ε at once where probabilities hold powers of ε: against verdicts at single ε, and what is broken."""

import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.verifiers.divergence.every_epsilon.every_epsilon import compare, failing

from dpverify.mechanisms import Distribution, Draw, InputError, exact, exp, laplace, log, sqrt, symbolic
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, total
from dpverify.mechanisms.numbers.roots.mixed_roots import mixed_roots
from dpverify.mechanisms.selection import (
    exponential_mechanism,
    max_of_laplaces,
    max_of_laplaces_drawn,
    numerical_svt,
    svt1,
    svt2,
    svt3,
    svt4,
    svt5,
    svt6,
)
from dpverify.reports.record import Status
from dpverify.verifiers import ScoreSpace, Tuples, Verdict, scores_linf
from dpverify.verifiers import check_privacy as check
from dpverify.verifiers.divergence.every_epsilon import epsilon_lines

AT: list[ExactLike] = [Fraction(1, 50), Fraction(1, 4), Fraction(2, 3), log(2), 1, sqrt(2), 2, Fraction(7, 2), 6, 15]
"""Of which none is where a claim below begins to fail."""

TWICE = Tuples((0, 1), size=1)


def check_privacy(*args: Any, **claim: Any) -> Verdict:
    return check(*args, **claim, recheck=False)


def scores(solutions: int) -> ScoreSpace:
    return ScoreSpace(range(-1, 2), solutions=solutions)


def at_share(share: ExactLike, **claim: Any) -> dict[str, Any]:
    """Less, or more, than the ε that a mechanism is given."""
    return {
        "epsilon": symbolic * exact(share),
        **claim,
        "parameters": {"epsilon": symbolic, **claim.get("parameters", {})},
    }


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("mechanism", "solutions", "claim"),
    [
        (max_of_laplaces, 2, {}),
        (max_of_laplaces, 3, {}),
        (max_of_laplaces_drawn, 2, {}),
        (svt1, 1, {}),
        (svt1, 2, {}),
        (svt1, 3, {}),
        (svt1, 2, {"parameters": {"count": 2}}),
        (svt2, 2, {"parameters": {"count": 2}}),
        (svt4, 2, at_share(Fraction(7, 4))),
        (max_of_laplaces, 2, at_share(Fraction(1, 2), delta=1 - exp(-symbolic / 4))),
    ],
)
def test_proved_for_every_epsilon(mechanism: Any, solutions: int, claim: dict[str, Any]) -> None:
    verdict = check_privacy(mechanism, scores(solutions), scores_linf, **{"epsilon": symbolic, **claim})
    assert verdict.status is Status.PROVED
    assert failing(verdict) == ()


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("mechanism", "solutions", "claim", "fails_at"),
    [
        (max_of_laplaces, 2, at_share(Fraction(1, 2)), "(0, ∞)"),
        (svt4, 2, {}, "(0, ∞)"),
        (svt5, 2, at_share(20), "(0, ∞)"),
        (svt6, 3, {}, "(0, ∞)"),
        (
            max_of_laplaces,
            2,
            at_share(Fraction(999, 1000)),
            "(ε with e^(-1/1000·ε)·ε + 2·e^(-1/1000·ε) - 2 = 0 = 8335.35399803, ∞)",
        ),
        (
            max_of_laplaces,
            2,
            at_share(Fraction(1, 2), delta=Fraction(1, 10)),
            "(ε with 5·e^(-1/2·ε)·ε + 10·e^(-1/2·ε) - 8 = 0 = 1.64877661807, ∞)",
        ),
        (
            max_of_laplaces,
            2,
            at_share(1 - Fraction(1, 10**12)),
            "(ε with e^(-1/1000000000000·ε)·ε + 2·e^(-1/1000000000000·ε) - 2 = 0 = 3.0350693296e+13, ∞)",
        ),
        (
            exponential_mechanism,
            2,
            at_share(1 - Fraction(1, 10**12)),
            "(ε with e^(-3/2·ε) + e^(-ε) - 2·e^(-500000000001/1000000000000·ε) + e^(-1/2·ε) - 2·e^(-1/1000000000000·ε) "
            "+ 1 = 0 = 6.9314718056e+11, ∞)",
        ),
    ],
)
def test_refuted_where_it_fails(mechanism: Any, solutions: int, claim: dict[str, Any], fails_at: str) -> None:
    verdict = check_privacy(mechanism, scores(solutions), scores_linf, **{"epsilon": symbolic, **claim})
    assert verdict.status is Status.REFUTED
    assert [str(interval) for interval in failing(verdict)] == [fails_at]
    assert verdict.witness is not None


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("mechanism", "solutions", "claim"),
    [
        (max_of_laplaces, 2, at_share(Fraction(9, 10))),
        (max_of_laplaces, 2, at_share(Fraction(1, 3), delta=1 / (8 + symbolic))),
        (svt1, 2, at_share(Fraction(2, 3))),
        (svt1, 1, at_share(Fraction(1, 2), delta=symbolic * exp(-symbolic) / 9)),
        (svt4, 1, at_share(Fraction(5, 4), delta=Fraction(1, 60))),
    ],
)
def test_every_epsilon_says_of_each_what_a_check_of_it_says(
    mechanism: Any, solutions: int, claim: dict[str, Any]
) -> None:
    verdict = check_privacy(mechanism, scores(solutions), scores_linf, **claim)
    compare(verdict, AT, mechanism, scores(solutions), scores_linf, **claim)


weights = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3)).map(lambda term: term), min_size=1, max_size=3
).filter(lambda terms: any(c for c, _, _ in terms))
laws = st.lists(weights, min_size=2, max_size=3)
deltas = st.sampled_from([exact(0), exact(Fraction(1, 10)), symbolic * exp(-symbolic) / 5, 1 / (4 + symbolic**2)])


@few(5, deep=120)
@given(laws, laws, deltas, st.sampled_from([symbolic, symbolic / 2, symbolic * 2]))
def test_random_mechanisms(left: Any, right: Any, delta: Exact, epsilon: Exact) -> None:
    def mechanism(draw: Draw, rows: Any, *, base: Exact) -> Any:
        terms = left if rows == (0,) else right
        return Distribution(
            {n: total(c * base**i * exp(-base * j / 2) for c, i, j in of_outcome) for n, of_outcome in enumerate(terms)}
        )

    claim: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "parameters": {"base": symbolic}}
    compare(check_privacy(mechanism, TWICE, **claim), AT, mechanism, TWICE, **claim)


in_z = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=4).filter(any), min_size=2, max_size=3)


@few(6, deep=200)
@given(in_z, in_z, st.sampled_from([exact(0), exact(Fraction(1, 10)), exp(-symbolic) / 5]))
def test_what_is_seen_at_once_says_the_same(left: Any, right: Any, delta: Exact) -> None:
    """Where no powers of ε stand beside: by Descartes' rule in z, and by the roots alone."""

    def mechanism(draw: Draw, rows: Any, *, base: Exact) -> Any:
        terms = left if rows == (0,) else right
        return Distribution({n: total(c * exp(-base * j / 2) for j, c in enumerate(p)) for n, p in enumerate(terms)})

    claim: dict[str, Any] = {"epsilon": symbolic, "delta": delta, "parameters": {"base": symbolic}}
    by_descartes = check_privacy(mechanism, TWICE, **claim)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(epsilon_lines, "LARGEST_DEGREE_IN_Z", -1)
        patch.setattr(sys.modules[mixed_roots.__module__], "LARGEST_DEGREE_IN_Z", -1)
        by_balls = check_privacy(mechanism, TWICE, **claim)
    assert by_balls.status is by_descartes.status
    assert by_balls.status in (Status.PROVED, Status.REFUTED)
    assert len(failing(by_balls)) == len(failing(by_descartes))
    for mine, other in zip(failing(by_balls), failing(by_descartes), strict=True):
        assert mine.low.quantity.decimal == other.low.quantity.decimal
        assert (mine.high and mine.high.quantity.decimal) == (other.high and other.high.quantity.decimal)


def asks(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    """Its answers change at roots of 5·ε·e^(-ε) − 1, which have no closed form."""
    return rows if epsilon * exp(-epsilon) >= Fraction(1, 5) else bool(rows[0] + draw(laplace(1 / epsilon)) >= 1)


def test_a_mechanism_whose_answers_change_where_there_is_no_closed_form_is_undecided() -> None:
    verdict = check_privacy(asks, TWICE, epsilon=symbolic)
    assert verdict.status is Status.UNDECIDED
    assert "changes at an ε without a closed form" in verdict.reason


@pytest.mark.one_in(2)
@pytest.mark.parametrize("ends", [(1,), (2, 3)])
def test_cells_do_not_change_where_a_claim_fails(ends: tuple[Any, ...]) -> None:
    def cut(draw: Draw, quality: Any, *, epsilon: Any) -> Any:
        for end in ends:
            if epsilon < end:
                return draw(max_of_laplaces, quality, epsilon=epsilon)
        return draw(max_of_laplaces, quality, epsilon=epsilon)

    for delta in (Fraction(1, 10), symbolic / 20):
        claim = at_share(Fraction(1, 2), delta=delta)
        expected = check_privacy(max_of_laplaces, scores(2), scores_linf, **claim)
        assert failing(expected)
        assert str(failing(check_privacy(cut, scores(2), scores_linf, **claim))) == str(failing(expected))


@pytest.mark.parametrize("power", [symbolic, exact(1)])
def test_a_common_denominator_may_be_negative(power: Exact) -> None:
    """δ is one number in both ways of writing it, beside probabilities with and without powers of ε."""
    mechanism = max_of_laplaces if power is symbolic else exponential_mechanism
    below = 12 - 4 * exp(-symbolic)
    fails_at = []
    for delta in (power / below, -power / (-1 * below)):
        claim = at_share(Fraction(1, 2), delta=delta)
        fails_at.append(str(failing(check_privacy(mechanism, scores(2), scores_linf, **claim))))
        compare(
            check_privacy(mechanism, scores(2), scores_linf, **claim),
            AT[1:8:3],
            mechanism,
            scores(2),
            scores_linf,
            **claim,
        )
    assert len(set(fails_at)) == 1


def test_a_mechanism_that_catches_what_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[mixed_roots.__module__], "LARGEST_PRECISION_WITHOUT_ZERO_TEST", 500)

    def careless(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        nearly = 5000 * epsilon * exp(-700 * epsilon)
        try:
            touches = nearly * nearly - 2 * nearly + 1 > 0  # (nearly − 1)², which is not seen
        except ArithmeticError:
            touches = rows == (0,)
        return touches

    assert check_privacy(careless, TWICE, epsilon=symbolic).status is Status.UNDECIDED


def largest(draw: Draw, queries: Any, *, epsilon: Any) -> Any:
    """The value of the largest of noisy scores."""
    best: Any = None
    for query in queries:
        noisy = query + draw(laplace(2 / epsilon))
        if best is None or noisy > best:
            best = noisy
    return best


def sum_of_two(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return rows[0] + draw(laplace(2 / epsilon)) + draw(laplace(2 / epsilon))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("mechanism", "domain", "share", "fails_at"),
    [
        (numerical_svt, scores(1), 1, []),
        (numerical_svt, scores(1), Fraction(1, 4), ["(0, ∞)"]),
        (sum_of_two, TWICE, Fraction(1, 2), []),
        (sum_of_two, TWICE, Fraction(49, 100), ["(0, ∞)"]),
        (largest, ScoreSpace(range(2), solutions=2), 1, []),
        (largest, ScoreSpace(range(2), solutions=2), Fraction(2, 3), ["(0, ∞)"]),
    ],
)
def test_released_real_numbers(mechanism: Any, domain: Any, share: Any, fails_at: list[str]) -> None:
    relation = {} if domain is TWICE else {"neighbours": scores_linf}
    claim = at_share(share)
    verdict = check_privacy(mechanism, domain, **relation, **claim)
    assert [str(interval) for interval in failing(verdict)] == fails_at
    compare(verdict, AT[1::3], mechanism, domain, **relation, **claim)


def test_an_order_of_densities_that_moves_with_epsilon_is_refused() -> None:
    with pytest.raises(InputError, match="form in ε, which is not decided for a symbolic ε"):
        check_privacy(svt3, ScoreSpace(range(2), solutions=2), scores_linf, epsilon=symbolic)


def test_a_claim_that_fails_between_two_roots() -> None:
    claim = at_share(Fraction(1, 2), delta=symbolic / 20)
    verdict = check_privacy(max_of_laplaces, scores(2), scores_linf, **claim)
    (interval,) = failing(verdict)
    assert interval.high is not None
    assert interval.low.enclosure()[1] < 2 < 9 < interval.high.enclosure()[0]
    compare(verdict, AT, max_of_laplaces, scores(2), scores_linf, **claim)
