"""Verdicts on mechanisms that release real numbers: bounds met with equality, atoms, lines, and what is refused."""

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from tests.verifiers.divergence.every_epsilon.every_epsilon import failing

from dpverify.mechanisms import (
    Draw,
    InputError,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
    exp,
    laplace,
    log,
    run,
    symbolic,
)
from dpverify.mechanisms.outputs import AnyReal, AtLeast, AtMost, Between, Where
from dpverify.mechanisms.outputs.released_reals import outcome_in_words
from dpverify.verifiers import (
    Status,
    Tuples,
    Verdict,
    calibrate,
    check_privacy,
    privacy_profile,
    replace_one,
)
from dpverify.verifiers.profiles import neighbour_matrix

pytestmark = pytest.mark.usefixtures("decided_here")

BITS = Tuples((0, 1), size=2)


def count(draw: Draw, rows: tuple[int, ...], *, scale: Any = 1) -> Any:
    """The sum with Laplace noise."""
    return sum(rows) + draw(laplace(scale))


def prefix_sums(draw: Draw, rows: tuple[int, ...]) -> Any:
    """Sums of the first rows, the noise being summed as well."""
    sums, noisy = [], 0
    for row in rows:
        noisy = noisy + row + draw(laplace(1))
        sums.append(noisy)
    return tuple(sums)


def cut_at_zero(draw: Draw, rows: tuple[int, ...]) -> Any:
    """The noisy sum, and 0 in place of negative ones."""
    noisy = sum(rows) + draw(laplace(1))
    return 0 if noisy < 0 else noisy


def on_a_line(draw: Draw, rows: tuple[int, ...]) -> Any:
    """Noise, and the same noise with data."""
    noise = draw(laplace(1))
    return noise, noise + sum(rows)


def scaled_by_data(draw: Draw, rows: tuple[int, ...]) -> Any:
    """A scale that tells the data."""
    return draw(laplace(1 + sum(rows)))


def beside_a_whole_number(draw: Draw, rows: tuple[int, ...]) -> Any:
    """Discrete and continuous noise side by side."""
    return sum(rows) + draw(discrete_laplace(2)), sum(rows) + draw(laplace(2))


def of_a_part(draw: Draw, rows: tuple[int, ...]) -> Any:
    """Noise of a sub-mechanism, compared and released."""
    noisy = draw(count, rows)
    return (noisy > 1, noisy)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("mechanism", "epsilon"),
    [
        (count, 1),
        (prefix_sums, 1),
        (cut_at_zero, 1),
        (scaled_by_data, None),
        (on_a_line, None),
        (beside_a_whole_number, 1),
        (of_a_part, 1),
    ],
)
def test_the_exact_epsilon_and_a_hair_less(mechanism: Any, epsilon: int | None) -> None:
    verdict = check_privacy(mechanism, BITS, epsilon=1)
    if epsilon is None:
        assert verdict.status is Status.REFUTED
        assert verdict.epsilon is None
        return
    assert verdict.status is Status.PROVED, verdict.reason
    assert verdict.epsilon is not None
    assert verdict.epsilon.exact == epsilon
    less = check_privacy(mechanism, BITS, epsilon=Fraction(epsilon) - Fraction(1, 1000))
    assert less.status is Status.REFUTED
    assert less.witness is not None
    assert less.witness.p > exp(less.witness.epsilon) * less.witness.q


def test_a_witness_is_computed_anew_by_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    for mechanism in (count, prefix_sums, on_a_line, cut_at_zero):
        witness = check_privacy(mechanism, BITS, epsilon="1/2").witness
        assert witness is not None
        assert witness.reproduce is not None
        exec(witness.reproduce, {})
        assert capsys.readouterr().out.strip().endswith("True")


def test_delta_in_closed_form() -> None:
    def decided(delta: Any) -> Verdict:
        return check_privacy(count, [(0,), (1,)], epsilon="1/2", delta=delta)

    proved = decided(1 - exp("-1/4"))
    assert proved.status is Status.PROVED
    assert proved.delta is not None
    assert proved.delta.exact == 1 - exp("-1/4")
    refuted = decided(1 - exp("-1/4") - Fraction(1, 10**30))
    assert refuted.status is Status.REFUTED
    assert refuted.witness is not None
    assert refuted.witness.difference > refuted.witness.delta


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(1, 2), Fraction(2, 5), 1 / log(7)])
def test_the_curve_of_laplace_noise_is_its_closed_form(scale: Any) -> None:
    """δ(ε) = 1 − e^((ε − Δ/b)/2) up to ε = Δ/b, and 0 beyond, as exact numbers; Δ = 1."""
    for epsilon in (0, Fraction(1, 3), 1, log(2), Fraction(19, 10), 2, Fraction(5, 2), 3):
        found = check_privacy(
            count, BITS, replace_one, epsilon=epsilon, delta=1, parameters={"scale": scale}, recheck=False
        )
        assert found.delta is not None
        assert found.delta.exact == (1 - exp((epsilon - 1 / scale) / 2) if epsilon < 1 / scale else 0)


def test_epsilon_as_a_logarithm() -> None:
    halves = check_privacy(count, BITS, epsilon=log(2), parameters={"scale": 1 / log(2)})
    assert halves.status is Status.PROVED
    assert halves.epsilon is not None
    assert halves.epsilon.exact == log(2)


def test_many_independent_numbers() -> None:
    def cells(draw: Draw, rows: tuple[int, ...]) -> Any:
        return tuple(count + draw(laplace(1)) for count in (Counter(rows)[i] for i in range(100)))

    verdict = check_privacy(cells, [(0, 1), (0, 2), (5, 5)], lambda rows: [(0, 2)] if rows == (0, 1) else [], epsilon=2)
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None
    assert verdict.epsilon.exact == 2


def test_losses_of_twenty_numbers_add_up() -> None:
    def answers(draw: Draw, rows: tuple[int, ...]) -> Any:
        return tuple(row + draw(laplace(10)) for row in rows)

    def all_change(rows: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [tuple(1 - row for row in rows)]

    domain = [(0,) * 20, (1,) * 20]
    assert check_privacy(answers, domain, all_change, epsilon=2).status is Status.PROVED
    less = check_privacy(answers, domain, all_change, epsilon="1.99")
    assert less.status is Status.REFUTED
    assert less.witness is not None
    assert less.witness.difference > 0


def test_probabilities_of_intervals() -> None:
    law = distribution(count, (1, 0))
    assert law.probability(AtLeast(1)) == Fraction(1, 2)
    assert law.probability(AtMost(1)) == Fraction(1, 2)
    assert law.probability(Between(1, 2)) == Fraction(1, 2) * (1 - exp(-1))
    assert law.probability(AnyReal()) == 1
    assert law.probability(1) == 0
    sums = distribution(prefix_sums, (1, 0))
    assert sums.probability((AtLeast(1), AnyReal())) == Fraction(1, 2)
    assert sums.probability(Where((AnyReal(), AnyReal()), (((1, 0), 1, None), ((-1, 1), 0, None)))) == Fraction(1, 4)
    with pytest.raises(InputError, match=r"bound one of y1, y1 - y2"):
        sums.probability((AnyReal(), AtLeast(0)))
    with pytest.raises(InputError, match=r"Between has an empty range \(2, 1\)"):
        Between(2, 1)
    assert outcome_in_words((1, Between(0, 2), AnyReal())) == "(1, in (0, 2), any)"
    line = distribution(on_a_line, (1, 1))
    assert line.probability((AtLeast(0), AtLeast(2))) == Fraction(1, 2)
    assert line.probability((AtMost(0), AtLeast(2))) == 0


def test_clamped_ends_are_atoms() -> None:
    def clamped(draw: Draw, rows: tuple[int, ...]) -> Any:
        return clamp(sum(rows) + draw(laplace(1)), 0, 2)

    law = distribution(clamped, (1,))
    assert law.probability(0) == law.probability(2) == Fraction(1, 2) * exp(-1)
    assert law.probability(Between(0, 2)) == 1 - exp(-1)
    assert check_privacy(clamped, BITS, epsilon=1).status is Status.PROVED
    assert check_privacy(clamped, BITS, epsilon="0.99").status is Status.REFUTED


def test_several_ways_to_several_numbers_are_not_decided() -> None:
    def hidden(draw: Draw, rows: tuple[int, ...]) -> Any:
        scale = 1 if draw(bernoulli("1/2")) else 2
        return tuple(row + draw(laplace(scale)) for row in rows)

    verdict = check_privacy(hidden, BITS, epsilon=1)
    assert verdict.status is Status.UNDECIDED
    assert "in several ways that the outcome does not distinguish" in verdict.reason
    assert "draw.release(noise, then=function) [" in verdict.reason and "test_released_reals.py, line" in verdict.reason


def test_runs_round_once() -> None:
    def doubled(draw: Draw, rows: tuple[int, ...]) -> Any:
        noise = draw(laplace(1))
        return noise, noise + 10**9

    small, large = run(doubled, (), seed=1)
    assert isinstance(small, float)
    assert large == float(Fraction(small) + 10**9)
    assert run(count, (1,), seed=1, grid="1/4") * 4 % 1 == 0
    with pytest.raises(InputError, match="grid=0"):
        run(count, (1,), grid=0)

    assert run(lambda draw, rows, *, grid: grid, (1,), grid=7) == 7


def largest(draw: Draw, scores: tuple[int, ...], *, epsilon: Any, factor: Any = 1) -> Any:
    """Which noisy score is the largest, and that score."""
    noisy = [score + draw(laplace(2 * factor / epsilon)) for score in scores]
    best = max(range(len(noisy)), key=lambda i: [noisy[i] >= other for other in noisy].count(True))
    return best, noisy[best]


def sum_at(draw: Draw, rows: tuple[int, ...], *, epsilon: Any, factor: Any = 1) -> Any:
    """The sum with Lap(factor/ε)."""
    return sum(rows) + draw(laplace(factor / epsilon))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("mechanism", "factor", "status"),
    [
        (sum_at, 1, Status.PROVED),
        (sum_at, Fraction(1, 2), Status.REFUTED),
        (largest, 1, Status.PROVED),
        (largest, Fraction(1, 3), Status.REFUTED),
    ],
)
def test_every_epsilon_at_once(mechanism: Any, factor: Any, status: Status) -> None:
    verdict = check_privacy(mechanism, BITS, epsilon=symbolic, parameters={"factor": factor})
    assert verdict.status is status, verdict.reason
    if status is Status.REFUTED:
        assert [str(interval) for interval in failing(verdict)] == ["(0, ∞)"]
        assert verdict.witness is not None


def test_where_a_claim_for_every_epsilon_begins_to_fail() -> None:
    def fixed(draw: Draw, rows: tuple[int, ...], *, epsilon: Any) -> Any:
        return sum(rows) + draw(laplace(2)), draw(laplace(1 / epsilon))

    verdict = check_privacy(fixed, BITS, epsilon=symbolic)
    assert [str(interval) for interval in failing(verdict)] == ["(0, 1/2 = 0.5)"]


def test_delta_for_every_epsilon_is_refused() -> None:
    with pytest.raises(InputError, match="are released, which is not decided for a symbolic ε"):
        check_privacy(sum_at, BITS, epsilon=symbolic, delta="1/100")


def test_the_least_epsilon_and_divergences() -> None:
    profile = privacy_profile(count, [(0,), (1,)])
    assert profile.delta(0) == 1 - exp("-1/2")
    assert profile.epsilon() == 1
    least = profile.epsilon("1/10")
    assert least is not None
    assert profile.delta(least) <= Fraction(1, 10) < profile.delta(least - Fraction(1, 10**12))
    # Mironov (2017), Table II: D_α of Lap(1) and a shift by 1
    second = profile.renyi_divergence(2)
    assert second == log(Fraction(2, 3) * exp(1) + Fraction(1, 3) * exp(-2))
    assert privacy_profile(scaled_by_data, BITS).renyi_divergence(2) is None
    matrix = neighbour_matrix(count, lambda size: Tuples((0, 1), size=size), [1, 2], [replace_one])
    assert matrix.found["replace_one", 2] == 1


def test_a_scale_is_calibrated() -> None:
    found = calibrate(count, BITS, parameter="scale", grid=[Fraction(i, 4) for i in range(1, 9)], epsilon=1)
    assert found.smallest == 1


def test_two_maxima_with_their_values() -> None:
    def largest_of_two(draw: Draw, scores: tuple[int, ...]) -> Any:
        left, right = (score + draw(laplace(2)) for score in scores)
        return left if left >= right else right

    def both(draw: Draw, scores: tuple[int, ...]) -> Any:
        return draw(largest_of_two, scores), draw(largest_of_two, scores)

    def decided(epsilon: Any, delta: Any = 0) -> Verdict:
        return check_privacy(both, [(0, 0), (1, 1)], lambda s: [(0, 0), (1, 1)], epsilon=epsilon, delta=delta)

    proved = decided(2)  # both scores of each fall off by e^(-1/2)
    assert proved.status is Status.PROVED
    assert proved.epsilon is not None
    assert proved.epsilon.exact == 2
    refuted = decided("3/2")
    assert refuted.status is Status.REFUTED
    assert refuted.delta is None
    assert refuted.witness is not None
    assert refuted.witness.difference > 0
    assert decided("3/2", "1/2").status is Status.UNDECIDED


def test_an_event_that_is_described() -> None:
    def cells(draw: Draw, counts: tuple[int, ...]) -> Any:
        return tuple(count + draw(laplace(2)) for count in counts)

    domain = [(0,) * 6, (1,) * 6]
    verdict = check_privacy(cells, domain, lambda _: domain, epsilon=1, delta="0.1709")  # of 0.17099…: no few boxes do
    witness = verdict.witness
    assert witness is not None
    assert "(any, any, any, any, any, any) of privacy loss above 1" in str(witness)
    assert witness.reproduce is None
    assert witness.difference > witness.delta
    with pytest.raises(InputError, match="privacy loss between two databases exceeds a number"):
        distribution(cells, domain[0]).probability(*witness.event)
