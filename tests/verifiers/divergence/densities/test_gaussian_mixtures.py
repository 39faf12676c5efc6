"""Gaussian noise that comes about in several ways, as in a step of DP-SGD, against sums over a grid in floats."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import exp as float_exp
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dpverify.mechanisms import bernoulli, clamp, decimal, discrete_gaussian, exact, gaussian, laplace, log
from dpverify.mechanisms.outputs import AtLeast
from dpverify.reports.record import Status
from dpverify.verifiers import Tuples, calibrate, check_privacy, privacy_profile, replace_one

BITS = Tuples((0, 1), size=3)
QUARTER = Fraction(1, 4)
BESIDE = Fraction(1, 10**12)

Floats = NDArray[np.float64]


def step(draw: Any, rows: Any, *, sigma: Any = 2, rate: Any = QUARTER, noise: Any = gaussian) -> Any:
    """A step of DP-SGD: clipped gradients of a sample of the rows, and noise on their sum."""
    sampled = [clamp(row, -1, 1) for row in rows if draw(bernoulli(rate))]
    return sum(sampled) + draw(noise(sigma))


def delta_of(mechanism: Any, epsilon: Any, domain: Any = BITS, **parameters: Any) -> float:
    verdict = check_privacy(mechanism, domain, replace_one, epsilon=epsilon, delta=1, parameters=parameters)
    assert verdict.status is Status.PROVED
    assert verdict.delta is not None
    assert verdict.delta.upper - verdict.delta.lower < Fraction(1, 10**18)
    return float(verdict.delta.lower)


def worst(laws: Sequence[Floats], pairs: Sequence[tuple[int, int]], epsilon: float) -> float:
    """δ of laws as arrays of masses."""
    return max(float(np.maximum(laws[i] - float_exp(epsilon) * laws[j], 0).sum()) for i, j in pairs)


def pairs_of(domain: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    return [
        (i, j)
        for i, mine in enumerate(domain)
        for j, theirs in enumerate(domain)
        if sum(a != b for a, b in zip(mine, theirs, strict=True)) == 1
    ]


def samples(rows: tuple[int, ...], rate: float) -> list[tuple[float, float]]:
    """The sums of sampled rows, with their probabilities."""
    found: dict[float, float] = {}
    for kept in product((0, 1), repeat=len(rows)):
        chance = float(np.prod([rate if keep else 1 - rate for keep in kept]))
        mean = float(sum(row for row, keep in zip(rows, kept, strict=True) if keep))
        found[mean] = found.get(mean, 0) + chance
    return list(found.items())


GRID = np.arange(-40, 40, 1 / 512)
WHOLE = np.arange(-60, 61).astype(float)


def on_grid(rows: tuple[int, ...], sigma: float, rate: float, places: Floats) -> Floats:
    masses = sum(weight * np.exp(-((places - mean) ** 2) / (2 * sigma**2)) for mean, weight in samples(rows, rate))
    return np.asarray(masses / np.exp(-((places - places[len(places) // 2]) ** 2) / (2 * sigma**2)).sum())


@pytest.mark.one_in(5)
@pytest.mark.parametrize("epsilon", [0, Fraction(1, 10), Fraction(1, 2), 1])
@pytest.mark.parametrize(("sigma", "rate"), [(2, QUARTER), (Fraction(1, 2), Fraction(1, 2)), (1, Fraction(1, 100))])
@pytest.mark.parametrize(("noise", "places"), [(gaussian, GRID), (discrete_gaussian, WHOLE)])
def test_a_step_of_sampled_rows(epsilon: Any, sigma: Any, rate: Any, noise: Any, places: Floats) -> None:
    domain = list(product((0, 1), repeat=3))
    laws = [on_grid(rows, float(sigma), float(rate), places) for rows in domain]
    expected = worst(laws, pairs_of(domain), float(epsilon))
    assert delta_of(step, epsilon, sigma=sigma, rate=rate, noise=noise) == pytest.approx(expected, rel=2e-3, abs=1e-9)


def test_several_changes_of_sign() -> None:
    """Rows of both signs: p > e^ε·q on both sides, so that the set is two half-lines."""
    domain = list(product((-1, 0, 1), repeat=2))
    laws = [on_grid(rows, 1.0, 0.5, GRID) for rows in domain]
    for epsilon in (0.0, 0.2):
        found = delta_of(step, Fraction(epsilon), Tuples((-1, 0, 1), size=2), sigma=1, rate=Fraction(1, 2))
        assert found == pytest.approx(worst(laws, pairs_of(domain), epsilon), rel=2e-3)


def test_the_claim_decides_to_the_last_digit_and_the_witness_is_what_is_returned() -> None:
    found = check_privacy(step, BITS, replace_one, epsilon="1/2", delta=1).delta
    assert found is not None
    above, below = found.upper + Fraction(1, 10**18), found.lower - Fraction(1, 10**18)
    assert check_privacy(step, BITS, replace_one, epsilon="1/2", delta=above).status is Status.PROVED
    refuted = check_privacy(step, BITS, replace_one, epsilon="1/2", delta=below)
    assert refuted.status is Status.REFUTED and refuted.witness is not None
    (event,) = refuted.witness.event
    assert "any" not in str(event)


def test_without_delta_it_is_refuted_and_says_infinity() -> None:
    verdict = check_privacy(step, BITS, replace_one, epsilon=5, delta=0)
    assert verdict.status is Status.REFUTED and verdict.epsilon is None


def test_a_sample_that_is_refuted_by_half_lines_alone() -> None:
    """Noise on a sum whose rows are not clipped."""

    def unclipped(draw: Any, rows: Any) -> Any:
        return sum(row for row in rows if draw(bernoulli(QUARTER))) + draw(gaussian(2))

    verdict = check_privacy(unclipped, Tuples((0, 9), size=2), replace_one, epsilon=1, delta="1/100")
    assert verdict.status is Status.REFUTED and verdict.witness is not None
    assert all(isinstance(part, AtLeast) for part in verdict.witness.event)


def test_a_hidden_coin_about_what_was_compared() -> None:
    def mixed(draw: Any, rows: Any) -> Any:
        far = draw(gaussian(1)) > 1
        return sum(rows) + (5 if far else 0) + draw(gaussian(1))

    tail = 0.15865525393145707
    laws = [(1 - tail) * np.exp(-((GRID - n) ** 2) / 2) + tail * np.exp(-((GRID - n - 5) ** 2) / 2) for n in range(4)]
    laws = [law / 512 / (2 * np.pi) ** 0.5 for law in laws]
    steps = [(i, j) for i in range(4) for j in range(4) if abs(i - j) == 1]
    for epsilon in (0, 1):
        assert delta_of(mixed, epsilon) == pytest.approx(worst(laws, steps, epsilon), rel=2e-3)


@pytest.mark.deep
@pytest.mark.one_in(2)
@pytest.mark.parametrize(("noise", "places"), [(gaussian, GRID), (discrete_gaussian, WHOLE)])
def test_a_hidden_comparison_of_two_noises(noise: Any, places: Floats) -> None:
    """Its probability is known by balls of some hundred bits, and so are the places where the laws cross."""

    def mixed(draw: Any, rows: Any, *, noise: Any) -> Any:
        far = draw(gaussian(1)) + 1 > draw(laplace(1))
        return sum(rows) + (5 if far else 0) + draw(noise(1))

    x = np.arange(-12, 12, 1 / 1024)
    below = np.where(x < 0, np.exp(x) / 2, 1 - np.exp(-x) / 2)
    chance = float((np.exp(-((x - 1) ** 2) / 2) * below).sum() / 1024 / (2 * np.pi) ** 0.5)
    scale = np.exp(-(places**2) / 2).sum()
    laws = [
        sum(w * np.exp(-((places - c) ** 2) / 2) for c, w in ((n, 1 - chance), (n + 5, chance))) / scale
        for n in range(3)
    ]
    found = delta_of(mixed, Fraction(1, 2), Tuples((0, 1), size=2), noise=noise)
    steps = [(i, j) for i in range(3) for j in range(3) if abs(i - j) == 1]
    assert found == pytest.approx(worst(laws, steps, 0.5), rel=2e-3)


def test_the_largest_ratio_of_bounded_mixtures() -> None:
    """With the same outermost centres p/q has a limit on both sides; here it is largest in the middle, or there."""

    def middle(draw: Any, rows: Any, *, noise: Any) -> Any:
        (row,) = rows
        moved = draw(bernoulli(Fraction(1, 2)))
        centre = (-4 if draw(bernoulli(Fraction(1, 2))) else 4) if moved else row
        return centre + draw(noise(1))

    for noise, places in ((gaussian, np.arange(-12, 12, 1 / 4096)), (discrete_gaussian, np.arange(-12, 13.0))):
        verdict = check_privacy(
            middle, Tuples((0, 1), size=1), replace_one, epsilon=9, delta=0, parameters={"noise": noise}
        )
        law = [
            sum(w * np.exp(-((places - c) ** 2) / 2) for c, w in ((-4, 0.25), (4, 0.25), (row, 0.5))) for row in (0, 1)
        ]
        expected = max(float(np.max(law[0] / law[1])), float(np.max(law[1] / law[0])))
        assert verdict.epsilon is not None
        assert float_exp(float(verdict.epsilon.upper)) == pytest.approx(expected, rel=1e-6)


def test_a_limit_at_infinity_is_the_largest_ratio() -> None:
    def coin(draw: Any, rows: Any, *, noise: Any) -> Any:
        (row,) = rows
        return (1 if draw(bernoulli(Fraction(1 + row, 4))) else 0) + draw(noise(3))

    for noise in (gaussian, discrete_gaussian):
        verdict = check_privacy(
            coin, Tuples((0, 1), size=1), replace_one, epsilon=1, delta=0, parameters={"noise": noise}
        )
        assert verdict.status is Status.PROVED and verdict.epsilon is not None
        assert verdict.epsilon.exact == log(2)


def test_a_tie_that_is_an_identity_is_one_law() -> None:
    def two_ways(draw: Any, rows: Any) -> Any:
        (row,) = rows
        flip = 1 if draw(bernoulli(Fraction(1, 2))) else 0
        return (flip if row else 1 - flip) + draw(gaussian(1))

    verdict = check_privacy(two_ways, Tuples((0, 1), size=1), replace_one, epsilon=0, delta=0)
    assert verdict.status is Status.PROVED


def test_equality_everywhere_is_no_excess() -> None:
    """p is 2·q at all places, without the claim that it is more."""

    def rare(draw: Any, rows: Any) -> Any:
        (row,) = rows
        if draw(bernoulli(Fraction(1, 2) if row else Fraction(1, 4))):
            return (1 if draw(bernoulli(Fraction(1, 2))) else 0) + draw(gaussian(1))
        return "none"

    verdict = check_privacy(rare, Tuples((0, 1), size=1), replace_one, epsilon=log(2), delta=0)
    assert verdict.status is Status.PROVED
    verdict = check_privacy(rare, Tuples((0, 1), size=1), replace_one, epsilon=log(exact("1.999")), delta=0)
    assert verdict.status is Status.REFUTED


def non_negative(draw: Any, rows: Any, *, sigma: Any = 2) -> Any:
    return max(0, sum(rows) + draw(discrete_gaussian(sigma)))


def in_a_range(draw: Any, rows: Any, *, sigma: Any = 2) -> Any:
    noisy = sum(rows) + draw(discrete_gaussian(sigma))
    return 0 if noisy < 0 or draw(bernoulli(Fraction(1, 8))) else 7 if noisy > 5 else noisy


def seen_alike(rows: tuple[int, ...]) -> Floats:
    noise = np.exp(-((WHOLE - sum(rows)) ** 2) / 8)
    return np.asarray(noise / np.exp(-(WHOLE**2) / 8).sum())


def cut(rows: tuple[int, ...]) -> Floats:
    masses = seen_alike(rows)
    return np.append(masses[WHOLE > 0], masses[WHOLE <= 0].sum())


def ranged(rows: tuple[int, ...]) -> Floats:
    masses = seen_alike(rows)
    inside = masses[(WHOLE > 0) & (WHOLE <= 5)] * 7 / 8
    high = masses[WHOLE > 5].sum() * 7 / 8
    return np.append(inside, [high, 1 - inside.sum() - high])


@pytest.mark.parametrize(("mechanism", "law"), [(non_negative, cut), (in_a_range, ranged)])
@pytest.mark.parametrize("epsilon", [0, Fraction(1, 4), 1])
def test_whole_numbers_of_which_some_are_plain(
    mechanism: Any, law: Callable[[tuple[int, ...]], Floats], epsilon: Any
) -> None:
    domain = list(product((0, 1), repeat=3))
    expected = worst([law(rows) for rows in domain], pairs_of(domain), float(epsilon))
    assert delta_of(mechanism, epsilon) == pytest.approx(expected, rel=1e-9)
    below = Fraction(expected) * (1 - Fraction(1, 10**6))
    verdict = check_privacy(mechanism, BITS, replace_one, epsilon=epsilon, delta=below)
    assert verdict.status is Status.REFUTED


@pytest.mark.parametrize("plain", [0, -1, -6, -(10**9), 10**9])
@pytest.mark.parametrize("on_both", [False, True])
def test_a_witness_names_plain_numbers_beside_the_noise(plain: int, on_both: bool) -> None:
    """A plain number within a tail of released ones is none of that tail, and an outcome of its own."""

    def default(draw: Any, x: int) -> Any:
        if (on_both or x == 0) and draw(bernoulli(Fraction(1, 3))):
            return plain
        return 3 * x + draw(discrete_gaussian(1))

    verdict = check_privacy(default, [0, 1], lambda x: [1 - x], epsilon=1, delta=Fraction(1, 10))
    assert verdict.status is Status.REFUTED
    assert verdict.witness is not None
    assert verdict.witness.difference > Fraction(1, 10)
    assert len(verdict.witness.record.event) < 200


def test_a_number_that_is_plain_on_some_databases() -> None:
    """It has the least δ that the noise has not in common with the number; two plain ones have nothing."""

    def plain_below(draw: Any, x: int) -> Any:
        return x if x < 2 else 3 * x + draw(discrete_gaussian(1))

    at = float_exp(-18) / np.exp(-(WHOLE**2) / 2).sum()  # 6 + noise is 0
    least = Fraction(1 - at)
    for mechanism in (plain_below, lambda draw, x: (x // 9 + draw(discrete_gaussian(1)), plain_below(draw, x))):
        for delta, status in ((least + BESIDE, Status.PROVED), (least - BESIDE, Status.REFUTED)):
            verdict = check_privacy(mechanism, [0, 2], lambda x: [2 - x], epsilon=1, delta=delta)
            assert verdict.status is status
        assert (
            check_privacy(mechanism, [0, 1], lambda x: [1 - x], epsilon=1, delta=Fraction(9, 10)).status
            is Status.REFUTED
        )
        every = check_privacy(
            mechanism, [0, 1, 2], lambda x: [y for y in range(3) if y != x], epsilon=1, delta=Fraction(1, 2)
        )
        assert every.status is Status.REFUTED


def masses_of_rounded(n: int, sigma: float) -> Floats:
    """Of n + noise, rounded to whole numbers from -60 to 60."""
    from scipy.special import ndtr  # late: every process that is forked before copies what it takes

    ends = np.arange(-60.5, 61)
    return np.asarray(np.diff(ndtr((ends - n) / sigma)))


def raised(draw: Any, rows: Any) -> Any:
    return max(0, round(sum(rows) + draw(gaussian(2))))


def turned(draw: Any, rows: Any) -> Any:
    """Cut on the other side, of noise that was rounded up."""
    return min(4, -round(-sum(rows) - draw(gaussian(2))))


def cut_by_a_coin(draw: Any, rows: Any) -> Any:
    noisy = round(sum(rows) + draw(gaussian(2)))
    return max(0, noisy) if draw(bernoulli(QUARTER)) else noisy


def at_least(masses: Floats, end: int) -> Floats:
    return np.where(end == WHOLE, masses[end >= WHOLE].sum(), np.where(end < WHOLE, masses, 0))


@pytest.mark.parametrize(
    ("mechanism", "law"),
    [
        (raised, lambda masses: at_least(masses, 0)),
        (turned, lambda masses: at_least(masses[::-1], -4)[::-1]),
        (cut_by_a_coin, lambda masses: masses * 3 / 4 + at_least(masses, 0) / 4),
    ],
)
@pytest.mark.parametrize("epsilon", [0, Fraction(1, 4), 1])
def test_rounded_noise_of_which_some_is_plain(mechanism: Any, law: Any, epsilon: Any) -> None:
    laws = [law(masses_of_rounded(n, 2)) for n in range(4)]
    steps = [(i, j) for i in range(4) for j in range(4) if abs(i - j) == 1]
    assert delta_of(mechanism, epsilon) == pytest.approx(worst(laws, steps, float(epsilon)), rel=1e-9)


@pytest.mark.parametrize("epsilon", [0, Fraction(1, 4), 1])
def test_rounded_noise_that_is_given_out_the_more_often(epsilon: Any) -> None:
    def now_and_then(draw: Any, rows: Any) -> Any:
        noisy = max(0, round(sum(rows) + draw(gaussian(2))))
        return noisy if draw(bernoulli(Fraction(1 + sum(rows), 5))) else "none"

    laws = []
    for n in range(4):
        given = at_least(masses_of_rounded(n, 2), 0) * (1 + n) / 5
        laws.append(np.append(given, 1 - given.sum()))
    steps = [(i, j) for i in range(4) for j in range(4) if abs(i - j) == 1]
    assert delta_of(now_and_then, epsilon) == pytest.approx(worst(laws, steps, float(epsilon)), rel=1e-9)


def test_the_largest_ratio_of_rounded_noise_that_is_clamped_on_one_side() -> None:
    def inside(draw: Any, rows: Any) -> Any:
        noisy = round(sum(rows) + draw(gaussian(2)))
        return noisy if -3 <= noisy <= 5 else "out"

    masses = [masses_of_rounded(n, 2)[57:66] for n in range(4)]
    laws = [np.append(part, 1 - part.sum()) for part in masses]
    expected = max(float(np.max(laws[i] / laws[j])) for i in range(4) for j in range(4) if abs(i - j) == 1)
    verdict = check_privacy(inside, BITS, replace_one, epsilon=5, delta=0)
    assert verdict.status is Status.PROVED and verdict.epsilon is not None
    assert float_exp(float(verdict.epsilon.upper)) == pytest.approx(expected, rel=1e-9)
    assert check_privacy(raised, BITS, replace_one, epsilon=5, delta=0).epsilon is None


def test_the_profile_and_calibration() -> None:
    profile = privacy_profile(step, BITS, replace_one)
    for epsilon in (Fraction(1, 4), 1):
        assert float(decimal(profile.delta(epsilon), 17)) == pytest.approx(delta_of(step, epsilon), rel=1e-12)
    found = calibrate(
        step, BITS, parameter="sigma", grid=[Fraction(k, 4) for k in range(1, 20)], epsilon=1, delta="1/1000"
    )
    assert found.smallest is not None and found.below is not None
    at, below = (delta_of(step, 1, sigma=sigma) for sigma in (found.smallest, found.below))
    assert at <= 1e-3 < below


def gradients(draw: Any, rows: Any, *, sigma: Any = 2, rate: Any = QUARTER) -> Any:
    """Two numbers: gradients along one line."""
    kept = sum(row for row in rows if draw(bernoulli(rate)))
    return 3 * kept + draw(gaussian(5 * sigma)), 4 * kept + draw(gaussian(5 * sigma))


def test_gradients_along_a_line_are_one_number() -> None:
    domain = Tuples((0, 1), size=2)
    for epsilon in (0, Fraction(1, 4)):
        assert delta_of(gradients, epsilon, domain) == pytest.approx(delta_of(step, epsilon, domain), rel=1e-12)
    refuted = check_privacy(gradients, domain, replace_one, epsilon="1/4", delta="1/1000")
    assert refuted.status is Status.REFUTED


def test_two_scales_in_a_mixture_are_undecided_and_say_why() -> None:
    def either(draw: Any, rows: Any) -> Any:
        return sum(rows) + draw(gaussian(1 if draw(bernoulli(Fraction(1, 2))) else 2))

    def kinds(draw: Any, rows: Any) -> Any:
        return sum(rows) + draw(gaussian(1) if draw(bernoulli(Fraction(1, 2))) else laplace(2))

    for mechanism in (either, kinds):
        verdict = check_privacy(mechanism, BITS, replace_one, epsilon=1, delta="1/2")
        assert verdict.status is Status.UNDECIDED
        assert "several scales" in verdict.reason
