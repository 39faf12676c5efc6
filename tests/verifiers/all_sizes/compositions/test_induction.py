"""WithSymbols over a recursion: what is proved for every depth, and what must not be."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from dpverify.mechanisms import Draw, InputError, exact, laplace, symbolic
from dpverify.mechanisms.learners import learn_many_points
from dpverify.mechanisms.numbers.roots import symbolic_delta, symbolic_depth
from dpverify.mechanisms.recursion import maximise_quasi_concave
from dpverify.mechanisms.recursion.quasi_concave import _intervals, last_point, on_scales, one_of_points
from dpverify.mechanisms.release.threshold_oracle import rows_that_satisfy
from dpverify.mechanisms.sanitizers import small_database
from dpverify.mechanisms.selection.of_rows import noisy_number, on_each_row
from dpverify.mechanisms.selection.stability import Bottom, choose_by_stability, choose_by_stability_journal
from dpverify.verifiers import Multisets, Status, Verdict, check_privacy, replace_one, scores_linf
from dpverify.verifiers.all_sizes.compositions import EVERY_VALUE, EveryDatabase, EveryQuality, WithSymbols
from dpverify.verifiers.catalogue import privacy_claims
from dpverify.verifiers.privacy.result import of_all_sizes
from dpverify.verifiers.problems.questions.score_domains import OrMore

N, E, D = symbolic_depth, symbolic, symbolic_delta
ANY_QUALITY = EveryQuality(solutions=OrMore(1))
EVERY = {"epsilon": E, "delta": D, "depth": N, **dict.fromkeys(("promise", "alpha", "base"), EVERY_VALUE)}


def decided(mechanism: Callable[..., Any], epsilon: Any = (3 * N - 2) * E, delta: Any = (2 * N - 2) * D) -> Verdict:
    return check_privacy(mechanism, ANY_QUALITY, scores_linf, epsilon=epsilon, delta=delta, parameters=EVERY)


def test_recconcave_for_every_depth() -> None:
    verdict = decided(maximise_quasi_concave)
    assert verdict.status is Status.PROVED
    assert "at N = 1 its parts need (ε, 0); at N ≥ 2 (3·ε, 2·δ) and itself at N − 1" in verdict.reason
    assert "ALL qualities of any number of points, and ALL depths N ≥ 1" in verdict.scope
    assert decided(maximise_quasi_concave, 3 * N * E, 3 * N * D).status is Status.PROVED


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        ((3 * N - 3) * E + E / 2, (2 * N - 2) * D),  # ½ε at N = 1
        ((3 * N - 2) * E, (2 * N - 2) * D - D * (N - 1) / 100),
        (exact("299/100") * N * E, 3 * N * D),
        (N * N * E + 3 * E, 3 * N * D),  # no a + b·N
        ((10 - N) * E, 3 * N * D),
    ],
)
def test_less_is_not_proved(epsilon: Any, delta: Any) -> None:
    assert decided(maximise_quasi_concave, epsilon, delta).status is Status.UNDECIDED


def recursion(
    draw: Draw,
    quality: Any,
    *,
    epsilon: Any,
    delta: Any,
    depth: int,
    promise: Any = 1,
    alpha: Any = 1,
    base: int = 32,
    selection: Any = choose_by_stability,
    change: str = "",
) -> Any:
    """RecConcave in short, with one change."""
    if draw(last_point, quality) <= base or depth == 1:
        return draw(one_of_points, quality, epsilon=epsilon)
    given: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "depth": depth - 1, "base": base}
    given |= {"promise": promise / 2, "alpha": alpha, "selection": selection, "change": change}
    if change == "a range read from the data":
        base = len(quality)
    if change == "twice ε":
        given["epsilon"] = 2 * epsilon
    if change == "another selection":
        given["selection"] = choose_by_stability_journal
    if change == "the same depth":
        given["depth"] = depth
    if change == "two levels at once":
        given["depth"] = depth - 2
    itself = one_of_points if change == "another function" else recursion
    if change == "not drawn":
        return recursion(draw, quality, **given)
    k = draw(on_scales, quality, zero=False, scaled_at=(promise, alpha), mechanism=itself, **given)
    if change == "called again":
        draw(on_scales, quality, zero=False, scaled_at=(promise, alpha), mechanism=itself, **given)
    if change == "one more draw":
        draw(one_of_points, quality, epsilon=epsilon)
    if k is Bottom.BOTTOM:
        return quality if change == "⊥ handled by data" else k
    in_a, in_b = _intervals(draw, quality, 1 << k, zero=False, selection=selection, epsilon=epsilon, delta=delta)
    found = [run for run in (in_a, in_b) if run is not None]
    if not found:
        return Bottom.BOTTOM
    return draw(one_of_points, quality, epsilon=epsilon, zero=False, points=tuple(found))


CHANGES = (
    *("a range read from the data", "twice ε", "another selection", "the same depth", "two levels at once"),
    *("another function", "not drawn", "called again", "one more draw", "⊥ handled by data"),
)


def test_the_recursion_without_a_change_is_proved() -> None:
    assert decided(recursion).status is Status.PROVED


@pytest.mark.parametrize("change", CHANGES)
def test_a_broken_recursion_is_not(change: str) -> None:
    verdict = decided(partial(recursion, change=change))
    assert verdict.status is Status.UNDECIDED, verdict.reason


def doubled(draw: Draw, quality: Any, *, mechanism: Any, **given: Any) -> Any:
    """A quality of sensitivity 2."""
    return draw(mechanism, tuple(2 * score for score in quality), **given)


def of_sensitivity_2(draw: Draw, quality: Any, *, epsilon: Any, delta: Any, depth: int, **given: Any) -> Any:
    if depth == 1:
        return draw(one_of_points, quality, epsilon=epsilon)
    return draw(doubled, quality, mechanism=of_sensitivity_2, epsilon=epsilon, delta=delta, depth=depth - 1, **given)


def test_a_quality_of_sensitivity_2_is_not_handed_on() -> None:
    assert decided(of_sensitivity_2, 100 * N * E, 100 * N * D).status is Status.UNDECIDED


# Recursions of rows, as users write them.


def is_odd(row: int) -> int:
    return row % 2


def rounds(draw: Draw, rows: Any, *, epsilon: Any, depth: int, times: int = 1, others: bool = False) -> Any:
    """A noisy count in each round; the sum of them."""
    count = draw(noisy_number, rows, number=partial(rows_that_satisfy, query=is_odd), noise=laplace(1 / epsilon))
    if depth == 1:
        return count
    given: dict[str, Any] = {"epsilon": epsilon, "depth": depth - 1, "times": times, "others": others}
    for _ in range(times):
        if others:
            count = count + draw(on_each_row, rows, row=is_odd, mechanism=rounds, **given)
        else:
            count = count + draw(rounds, rows, **given)
    return count


def on_rows(epsilon: Any, **given: Any) -> Verdict:
    parameters = {"epsilon": E, "depth": N, **given}
    return check_privacy(rounds, EveryDatabase((0, 1, 2)), replace_one, epsilon=epsilon, parameters=parameters)


def test_a_recursion_of_rows() -> None:
    assert on_rows(N * E).status is Status.PROVED
    assert on_rows(N * E - E / 2 + E / 2 * N).status is Status.PROVED
    for epsilon, given in (
        ((N - 1) * E + E / 2, {}),
        (N * E, {"times": 2}),  # of which there are 2^N − 1
        (100 * N * E, {"times": 2}),
        (N * E, {"others": True}),  # on other rows, of which nothing is claimed
    ):
        verdict = on_rows(epsilon, **given)
        assert verdict.status is Status.UNDECIDED and "no-induction" in verdict.reason


def leaked(draw: Draw, rows: Any, epsilon: Any) -> Any:
    return draw(noisy_number, rows, number=partial(rows_that_satisfy, query=is_odd), noise=laplace(1 / (50 * epsilon)))


def merged(draw: Draw, rows: Any, *, epsilon: Any, depth: int) -> Any:
    """At N = 1 it returns 1, at N = 2 True, and then it leaks."""
    if depth == 1:
        return 1
    return leaked(draw, rows, epsilon) if draw(merged, rows, epsilon=epsilon, depth=depth - 1) is True else True


def depths(draw: Draw, rows: Any, *, epsilon: Any, depth: int) -> Any:
    """It returns its depth."""
    if depth > 1 and draw(depths, rows, epsilon=epsilon, depth=depth - 1) == 3:
        return leaked(draw, rows, epsilon)
    return depth


def flagged(draw: Draw, rows: Any, *, epsilon: Any, depth: int, flag: Any = False) -> Any:
    """It calls itself with a truth value in the place of a number."""
    if flag is True:
        return leaked(draw, rows, epsilon)
    return 0 if depth == 1 else draw(flagged, rows, epsilon=epsilon, depth=depth - 1, flag=True)


def released(draw: Draw, rows: Any, *, epsilon: Any, depth: int) -> Any:
    """What it releases is None, where it is run."""
    if depth > 1 and draw(released, rows, epsilon=epsilon, depth=depth - 1) is None:
        return leaked(draw, rows, epsilon)
    return draw.release(None)


def few(draw: Draw, rows: Any, *, epsilon: Any, depth: int) -> Any:
    if depth == 1:
        return "few" if leaked(draw, rows, epsilon / 50) < 3 else "many"
    return draw(few, rows, epsilon=epsilon, depth=depth - 1)


@pytest.mark.parametrize(
    ("mechanism", "status"),
    [
        *((each, Status.UNDECIDED) for each in (merged, depths, flagged, released)),
        (few, Status.PROVED),
    ],
)
def test_what_it_returns_is_told_by_type_and_value(mechanism: Any, status: Status) -> None:
    given = {"epsilon": E, "depth": N, **({"flag": EVERY_VALUE} if mechanism is flagged else {})}
    assert check_privacy(mechanism, EveryDatabase((0, 1)), epsilon=N * E, parameters=given).status is status


def with_base(draw: Draw, rows: Any, *, epsilon: Any, base: Any = 1) -> Any:
    return leaked(draw, rows, epsilon if base == 5 else epsilon / 50)


def test_every_value_is_a_parameter_by_itself() -> None:
    samples, given = EveryDatabase((0, 1)), {"epsilon": E, "base": EVERY_VALUE}
    assert check_privacy(with_base, samples, epsilon=E, parameters=given).status is Status.UNDECIDED
    assert check_privacy(with_base, samples, epsilon=50 * E, parameters=given).status is Status.PROVED
    for mechanism, domain, parameters in (
        (partial(with_base, base=EVERY_VALUE), samples, {}),
        (with_base, samples, {"base": (EVERY_VALUE,)}),
        (with_base, Multisets((0, 1), size=1), {"base": EVERY_VALUE}),
    ):
        with pytest.raises(InputError, match="EVERY_VALUE is not a parameter"):
            check_privacy(mechanism, domain, epsilon=1, parameters=parameters)


def of_truth(row: Any) -> Any:
    return 10 * row if isinstance(row, bool) else row


def test_rows_that_equal_those_of_a_universe_may_be_of_another_type() -> None:
    given: dict[str, Any] = {"universe": (0, 1), "concepts": (of_truth,), "size": 1, "epsilon": 1}
    verdict = check_privacy(small_database, EveryDatabase((False, True)), epsilon=1, parameters=given)
    assert verdict.status is Status.UNDECIDED


def test_the_bound_is_met_at_each_depth() -> None:
    """By the finite checker, which knows of no induction: (3N − 2)ε is enough at N = 1 and 2 on small ranges."""
    for depth in (1, 2):
        given: dict[str, Any] = {"epsilon": 1, "delta": exact("1/100"), "depth": depth, "base": 3}
        verdict = check_privacy(
            partial(maximise_quasi_concave, promise=2, alpha=exact("1/2")),
            [(0,) * 5, (1, 0, 0, 0, 0), (1, 0, 0, 0, 1), (1, 1, 1, 1, 1), (0, 0, 1, 1, 1)],
            scores_linf,
            epsilon=3 * depth - 2,
            delta=(2 * depth - 2) * exact("1/100"),
            parameters=given,
            recheck=False,
        )
        assert verdict.status is Status.PROVED


def test_where_a_depth_means_nothing() -> None:
    verdict = check_privacy(rounds, "Histograms((0, 1))", replace_one, epsilon=N * E, parameters={"depth": N})
    assert verdict.status is Status.UNDECIDED
    verdict = check_privacy(rounds, Multisets((0, 1), size=2), replace_one, epsilon=N * E, parameters={"depth": N})
    assert verdict.status is Status.UNDECIDED
    verdict = check_privacy(
        rounds, EveryDatabase((0, 1)), replace_one, epsilon=N * E, parameters={"epsilon": E, "depth": 2}
    )
    assert verdict.status is Status.UNDECIDED and "0 parameters are symbolic_depth" in verdict.reason
    with pytest.raises(InputError, match="EveryDatabase or EveryQuality"):
        WithSymbols(Multisets((0, 1), size=2), epsilon=N * E, parameters={"depth": N})  # type: ignore[arg-type]


@pytest.mark.parametrize(("times", "status"), [(2, Status.PROVED), (exact("199/100"), Status.UNDECIDED)])
def test_a_composition_for_every_epsilon_and_delta(times: Any, status: Status) -> None:
    """The k-learner of points, whose parts are a histogram and an A_dist, each at (ε, δ)."""
    given = {"d": 1, "k": 1, "alpha": 1, "epsilon": E, "delta": D}
    samples = EveryDatabase((x, y) for x in range(2) for y in (0, 1))
    for epsilon, delta, expected in ((2 * E, times * D, Status.PROVED), (times * E, 2 * D, status)):
        verdict = check_privacy(learn_many_points, samples, epsilon=epsilon, delta=delta, parameters=given)
        assert verdict.status is expected


def test_the_claims_of_the_catalogue_are_asked_with_symbols() -> None:
    claims = [claim for claim in privacy_claims() if isinstance(claim.all_sizes, WithSymbols)]
    assert len(claims) >= 25
    for claim in claims:
        there = of_all_sizes(claim)
        assert there.domain is claim.all_sizes.domain and there.epsilon.symbol is not None  # type: ignore[union-attr]
        assert replace(claim, all_sizes=None).question.claim.delta.symbol is None
    assert [c.parameters["depth"] for c in claims if "every-depth" in c.id] == [2, 2]
