"""The privacy profile: against the definition with Fractions, by hand, and where floats cannot tell."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    bernoulli,
    bounds,
    discrete_laplace,
    distribution,
    exp,
    log,
    symbolic,
)
from dpverify.mechanisms.numbers.exact_numbers import exact
from dpverify.mechanisms.selection import choose_by_stability_journal
from dpverify.reports.privacy_pictures import profile_plot
from dpverify.reports.privacy_record import ProfilePiece
from dpverify.verifiers import Claim, ScoreSpace, Status, Tuples, check_privacy, privacy_profile, scores_linf
from dpverify.verifiers.claims import How
from dpverify.verifiers.privacy import explanation
from dpverify.verifiers.privacy.result import privacy_result

pytestmark = pytest.mark.usefixtures("decided_here")

Weights = list[list[int]]


def mechanism_of(tables: Weights) -> Any:
    def mechanism(draw: Draw, database: int) -> Any:
        return Distribution(dict(enumerate(tables[database])))

    return mechanism


def laws_of(tables: Weights) -> list[list[Fraction]]:
    return [[Fraction(w, sum(weights)) for w in weights] for weights in tables]


def others(database: int, domain: Any) -> Any:
    return [other for other in domain if other != database]


def delta_by_definition(tables: Weights, factor: Fraction) -> Fraction:
    laws = laws_of(tables)
    return max(
        sum((max(Fraction(0), p - factor * q) for p, q in zip(a, b, strict=True)), start=Fraction(0))
        for i, a in enumerate(laws)
        for j, b in enumerate(laws)
        if i != j
    )


@st.composite
def weights(draw: st.DrawFn) -> Weights:
    outcomes, databases = draw(st.integers(1, 4)), draw(st.integers(2, 3))
    row = st.lists(st.integers(0, 4), min_size=outcomes, max_size=outcomes).filter(any)
    return draw(st.lists(row, min_size=databases, max_size=databases))


@given(weights(), st.lists(st.fractions(1, 20, max_denominator=50), min_size=1, max_size=5))
def test_delta_is_the_definition(tables: Weights, factors: list[Fraction]) -> None:
    profile = privacy_profile(mechanism_of(tables), range(len(tables)), others, recheck=False)
    for factor in [Fraction(1), *factors]:
        assert profile.delta(log(factor)) == delta_by_definition(tables, factor)


@given(weights(), st.fractions(0, 1, max_denominator=30))
def test_epsilon_is_the_least_with_that_delta(tables: Weights, delta: Fraction) -> None:
    profile = privacy_profile(mechanism_of(tables), range(len(tables)), others, recheck=False)
    epsilon = profile.epsilon(delta)
    if epsilon is None:
        assert delta_by_definition(tables, Fraction(10**12)) > delta
        return
    assert profile.delta(epsilon) <= delta
    if epsilon > 0:
        assert profile.delta(epsilon) == delta
        assert profile.delta(epsilon - epsilon / 10**6) > delta


@given(weights())
def test_the_pieces_fit_together_and_are_convex(tables: Weights) -> None:
    pieces = privacy_profile(mechanism_of(tables), range(len(tables)), others, recheck=False).pieces
    assert pieces[0].least == 1
    assert pieces[-1].most is None
    assert pieces[-1].q == 0
    for left, right in pairwise(pieces):
        assert left.most is not None
        assert left.most == right.least
        assert left.at(left.most) == right.at(right.least)
        assert left.q > right.q


@given(weights(), st.integers(2, 5))
def test_renyi_divergence_is_the_definition(tables: Weights, order: int) -> None:
    divergence = privacy_profile(mechanism_of(tables), range(len(tables)), others, recheck=False).renyi_divergence(
        order
    )
    laws = laws_of(tables)
    pairs = [(a, b) for i, a in enumerate(laws) for j, b in enumerate(laws) if i != j]
    if any(p and not q for a, b in pairs for p, q in zip(a, b, strict=True)):
        assert divergence is None
        return
    moments = [
        sum((p**order / q ** (order - 1) for p, q in zip(a, b, strict=True) if p), start=Fraction(0)) for a, b in pairs
    ]
    assert divergence == log(max(moments)) / (order - 1)


def test_randomized_response_by_hand() -> None:
    """δ(ε) = max(0, (e^ε₀ − e^ε)/(1 + e^ε₀))."""

    def response(draw: Draw, rows: tuple[int, ...], *, at: Any) -> Any:
        return draw(bernoulli(exp(at) / (1 + exp(at)))) == rows[0]

    profile = privacy_profile(response, Tuples((0, 1), size=1), parameters={"at": 1})
    assert [(piece.least, piece.most) for piece in profile.pieces] == [(1, exp(1)), (exp(1), None)]
    assert profile.delta(Fraction(1, 2)) == (exp(1) - exp(Fraction(1, 2))) / (1 + exp(1))
    assert profile.delta(2) == 0
    assert profile.epsilon() == 1
    assert profile.epsilon("0.5") == 0


def test_it_agrees_with_the_checker() -> None:
    domain = ScoreSpace(range(8), solutions=2)
    given_parameters = {"epsilon": 1, "delta": Fraction(1, 10)}
    profile = privacy_profile(
        choose_by_stability_journal, domain, scores_linf, parameters=given_parameters, recheck=False
    )
    for epsilon in (Fraction(1, 4), 1, 2, 5):
        verdict = check_privacy(
            choose_by_stability_journal,
            domain,
            scores_linf,
            epsilon=epsilon,
            parameters=given_parameters,
            recheck=False,
        )
        assert verdict.delta is not None
        assert profile.delta(epsilon) == verdict.delta.exact
    assert profile.epsilon() is None
    assert profile.epsilon("0.5") is not None


def test_released_noise() -> None:
    def noisy(draw: Draw, rows: tuple[int, ...]) -> Any:
        return sum(rows) + draw(discrete_laplace(1))

    profile = privacy_profile(noisy, Tuples((0, 1), size=2))
    assert profile.epsilon() == 1
    tail = distribution(noisy, (0, 0)).probability(0) / (1 - exp(-1))  # Pr[N ≥ 0]
    assert profile.delta(0) == 2 * tail - 1


def test_outcomes_whose_ratios_floats_cannot_tell_apart() -> None:
    """p/q is 2 + 10⁻²⁵ at one outcome and 2 at another: the corner between them is there."""
    bit = Fraction(1, 10**25)

    def mechanism(draw: Draw, database: int) -> Any:
        if database:
            return Distribution({0: Fraction(1, 4), 1: Fraction(1, 8), 2: Fraction(5, 8)})
        return Distribution({0: Fraction(1, 2), 1: Fraction(1, 4) + bit, 2: Fraction(1, 4) - bit})

    profile = privacy_profile(mechanism, [0, 1], others)
    assert profile.epsilon() == log(Fraction(5, 8) / (Fraction(1, 4) - bit))  # the other direction's
    one_way = [piece for piece in profile.pieces if piece.least > 1]
    assert one_way[-1].q == 0
    assert profile.delta(log(2)) == delta_at_2(bit)


@pytest.mark.parametrize("tables", [[[2, 10, 6, 2], [1, 15, 2, 2]], [[5, 2, 2, 3], [3, 1, 3, 5]]])
def test_outcomes_of_one_probability_under_one_law_have_corners_between_them(tables: Weights) -> None:
    """Under the other law they are not equal, and the later one is as probable as the first of all."""
    profile = privacy_profile(mechanism_of(tables), [0, 1], others, recheck=False)
    for factor in [Fraction(a, b) for a in range(2, 16) for b in range(1, a)]:
        assert profile.delta(log(factor)) == delta_by_definition(tables, factor)


def delta_at_2(bit: Fraction) -> Fraction:
    """max(Σ over the first direction, Σ over the second) at e^ε = 2."""
    return max(bit, Fraction(5, 8) - 2 * (Fraction(1, 4) - bit))


def test_zcdp_of_randomized_response() -> None:

    profile = privacy_profile(lambda draw, rows: draw(bernoulli(Fraction(2, 3))) == rows[0], Tuples((0, 1), size=1))
    # D_2 = ln(4/3 + 1/6) = ln(3/2)
    assert profile.renyi_divergence(2) == log(Fraction(3, 2))
    rho = profile.zcdp()
    assert rho is not None
    assert rho >= log(Fraction(3, 2)) / 2
    assert bounds(rho)[1] < bounds(log(2) ** 2 / 2)[1] + Fraction(1, 10)
    assert privacy_profile(lambda draw, rows: rows, Tuples((0, 1), size=1)).zcdp() is None


def test_what_is_refused() -> None:
    profile = privacy_profile(mechanism_of([[1, 2], [2, 1]]), [0, 1], others)
    calls: list[tuple[Any, str]] = [
        (lambda: profile.delta(-1), "epsilon=-1 must be at least 0"),
        (lambda: profile.epsilon(2), "delta=2 must be between 0 and 1"),
        (lambda: profile.renyi_divergence(1), "order=1 is not a whole number ≥ 2"),
    ]
    for call, message in calls:
        with pytest.raises(InputError, match=message):
            call()


def test_the_plot_shows_the_curve_and_the_claim() -> None:
    def response(draw: Draw, rows: tuple[int, ...]) -> Any:
        return draw(bernoulli(Fraction(3, 4))) == rows[0]

    claim = Claim(id="x.y", mechanism=response, domain=Tuples((0, 1), size=1), epsilon=2, delta=0)
    result = privacy_result(claim)
    assert result.profile == [
        ProfilePiece(low="0", high="1.09861228867", p="0.75", q="0.25"),
        ProfilePiece(low="1.09861228867", high=None, p="0", q="0"),
    ]
    plot = profile_plot(result)
    assert plot is not None and plot.claim is not None
    first, *_, last = (tuple(map(float, point.split(","))) for point in plot.points.split())
    assert first == (0.0, 0.0)
    assert last[1] == plot.claim[1] == 120.0
    assert np.isclose(plot.claim[0], 2 / 2.4 * 320, atol=0.1)
    constant = privacy_result(Claim(id="z", mechanism=lambda draw, rows: 0, domain=Tuples((0, 1), size=1), epsilon=1))
    assert profile_plot(constant) is None


def test_divergences_are_explained_where_there_is_a_profile() -> None:
    """Of order 2, ln((3/4)²·4 + (1/4)²·4/3) = ln(7/3); for every ε at once there is neither."""

    def response(draw: Draw, rows: tuple[int, ...], epsilon: Any) -> Any:
        return draw(bernoulli(1 / (1 + exp(-epsilon)))) == rows[0]

    def told(epsilon: Any) -> str:
        claim = Claim(id="x.y", mechanism=response, domain=Tuples((0, 1), size=1), epsilon=epsilon)
        return dict(explanation.explanation(claim, How(recheck=False)).parts)["Rényi"]

    order_2, *_ = told(log(3)).split(" of order 2")
    assert np.isclose(float(order_2), np.log(7 / 3))
    assert told(symbolic) == ""


def test_exact_numbers_in_a_profile_are_exact() -> None:
    profile = privacy_profile(mechanism_of([[1, 3], [3, 1]]), [0, 1], others)
    assert profile.epsilon() == log(3)
    assert exact(profile.pieces[0].p) == Fraction(3, 4)


def test_an_epsilon_that_was_found_can_be_asked_for() -> None:
    """Also where e^ε is a quotient of sums of powers of e."""

    def mechanism(draw: Draw, database: int) -> Any:
        laws: list[dict[int, Any]] = [{0: 3 * exp(1), 1: 2, 2: exp(1)}, {0: 1, 1: 3 * exp(1), 2: 5}]
        return Distribution(laws[database])

    profile = privacy_profile(mechanism, [0, 1], others)
    for delta in (Fraction(0), Fraction(1, 5)):
        epsilon = profile.epsilon(delta)
        assert epsilon is not None
        assert profile.delta(epsilon) == delta
        assert (
            check_privacy(mechanism, [0, 1], others, epsilon=epsilon, delta=delta, recheck=False).status
            is Status.PROVED
        )
    for piece in profile.pieces:
        assert profile.delta(piece.low) == piece.at(piece.least)


def test_outcomes_that_floats_do_not_tell_apart_have_corners_of_their_own() -> None:
    tiny = Fraction(1, 10**20)
    left = {"a": Fraction(1, 4) + tiny / 4, "b": Fraction(1, 4), "c": Fraction(1, 2) - tiny / 4}
    right = {"a": Fraction(1, 8), "b": Fraction(1, 8), "c": Fraction(3, 4)}

    def mechanism(draw: Draw, row: int) -> Distribution[str]:
        return Distribution(left if row else right)

    profile = privacy_profile(mechanism, [0, 1], lambda row: [1 - row], recheck=False)
    for factor in (2 - tiny, Fraction(2), 2 + tiny / 4, 2 + tiny, 2 + 2 * tiny):
        by_definition = max(
            sum((max(Fraction(0), p[o] - factor * q[o]) for o in p), Fraction(0))
            for p, q in ((left, right), (right, left))
        )
        assert profile.delta(log(factor)) == by_definition


def test_a_profile_of_many_pieces_is_cut() -> None:
    result = privacy_result(Claim(id="z", mechanism=lambda draw, rows: 0, domain=Tuples((0, 1), size=1), epsilon=1))
    piece = ProfilePiece(low="0", high="1", p="0.5", q="0.25")

    def lines(pieces: int) -> list[str]:
        return explanation._profile(replace(result, profile=[piece] * pieces)).split("\n    ")[1:]

    assert lines(12) == ["δ(ε) = 0.5 - 0.25·e^ε for 0 ≤ ε ≤ 1"] * 12
    assert lines(14)[11:] == ["δ(ε) = 0.5 - 0.25·e^ε for 0 ≤ ε ≤ 1", "… 2 more pieces"]
