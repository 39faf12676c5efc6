"""Gaussian noise in comparisons that share noise, against closed forms, sums, and what Laplace noise has exactly."""

import pickle
from fractions import Fraction
from itertools import pairwise
from math import factorial, pi
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from flint import acb, arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adversary.tally import deep
from tests.examples import in_one

from dpverify.mechanisms import (
    InputError,
    MechanismError,
    bounds,
    discrete_gaussian,
    distribution,
    exact,
    gaussian,
    laplace,
    log,
    sqrt,
    uniform_noise,
)
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, negative
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Intervals
from dpverify.mechanisms.path_conditions import certified_trees
from dpverify.mechanisms.path_conditions.certified_densities import density_model
from dpverify.mechanisms.path_conditions.certified_integrals import _Integration, mass_of_reals
from dpverify.mechanisms.path_conditions.certified_nodes import CertifiedNode, Noises, TiedBranch
from dpverify.mechanisms.path_conditions.certified_sums import _Chances, _Listed, _sum
from dpverify.mechanisms.path_conditions.implied_conditions import Form
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable
from dpverify.mechanisms.path_conditions.shared_noise import joint_probability
from dpverify.reports.record import Status
from dpverify.verifiers import Tuples, check_privacy, replace_one

MINUS = negative(ONE)
PathConditions = dict[Form, Intervals]


def noises(*laws: NoiseLaw) -> list[NoiseVariable]:
    return [NoiseVariable(law, i + 1) for i, law in enumerate(laws)]


def above(a: NoiseVariable, b: NoiseVariable, least: Any = 0) -> PathConditions:
    """a − b ≥ least."""
    if a.number < b.number:
        return {((a, ONE), (b, MINUS)): ((least if a.law.discrete else exact(least), None),)}
    most = 1 - least if a.law.discrete else exact(-least)
    return {((b, ONE), (a, MINUS)): ((None, most),)}


def ball(number: Exact, precision: int = 128) -> arb:
    return enclosure(number, precision)


def contains(found: arb, value: fmpq) -> bool:
    with ctx.workprec(256):
        return bool(found.contains(arb(value)))


def is_about(number: Exact, expected: float, within: float = 1e-11) -> bool:
    return abs(float(ball(number)) - expected) < within


@pytest.mark.one_in(3)
@pytest.mark.parametrize("law", [gaussian(1), gaussian("7/3"), laplace(2)])
@pytest.mark.parametrize("count", [3, 4, 5, 6])
def test_every_order_of_alike_noises_is_as_likely(law: NoiseLaw, count: int) -> None:
    """A chain a ≥ b ≥ c ≥ …, which is as deep as a tree of so many noises is, has probability 1/n!."""
    members = noises(*[law] * count)
    facts: PathConditions = {}
    for a, b in pairwise(members):
        facts |= above(a, b)
    assert contains(ball(joint_probability(facts)), fmpq(1, factorial(count)))
    found = mass_of_reals(certified_trees.tree_named(certified_trees.graph_of(facts)).root, 128)
    assert contains(found, fmpq(1, factorial(count)))
    assert found.rad() < 1e-25


@pytest.mark.deep
@given(st.lists(st.integers(1, 9), min_size=3, max_size=3))
@settings(max_examples=10)
def test_two_comparisons_with_one_noise_by_the_angle_between_them(scales: list[int]) -> None:
    """Pr[X ≥ 0, Y ≥ 0] = 1/4 + arcsin(ρ)/(2π) for normal X, Y of correlation ρ (Sheppard 1899)."""
    a, b, c = noises(*map(gaussian, scales))
    probability = joint_probability({**above(a, b), **above(a, c)})
    s, t, u = (arb(scale) ** 2 for scale in scales)
    with ctx.workprec(192):
        correlation = s / ((s + t) * (s + u)).sqrt()
        expected = arb(1) / 4 + correlation.asin() / (2 * arb.pi())
        assert expected.overlaps(ball(probability, 192))
    assert ball(probability).rad() < 1e-25
    assert ball(probability, 256).rad() < 1e-50
    assert ball(probability).overlaps(ball(probability, 256))


def test_comparisons_with_one_noise_by_an_integral_of_another_kind() -> None:
    """∫ φ(x/4)/4·∏ Φ̄((x − qᵢ)/8) dx over several thresholds, as Arb integrates it."""
    root, *leaves = noises(gaussian(4), *[gaussian(8)] * 4)
    gaps = [exact(gap) for gap in (0, 1, -3, "5/2")]
    facts: PathConditions = {}
    for leaf, gap in zip(leaves, gaps, strict=True):
        facts |= {((root, ONE), (leaf, MINUS)): ((None, gap),)}  # root - leaf < gap

    def integrand(x: acb, _: bool) -> acb:
        found = (-(x * x) / 32).exp()
        for gap in gaps:
            found *= ((x - acb(ball(gap))) / (8 * acb(2).sqrt())).erfc() / 2
        return found

    with ctx.workprec(128):
        expected = acb.integral(integrand, -60, 60).real / (4 * (2 * arb.pi()).sqrt())
        off = arb(0, 2 * (arb(60) / (4 * arb(2).sqrt())).erfc().upper())  # beyond 60, which is 15σ
        found = ball(joint_probability(facts))
        assert found.overlaps(expected + off)
        assert found.rad() < 1e-25


@st.composite
def trees(draw: st.DrawFn, laws: st.SearchStrategy[NoiseLaw], ends: st.SearchStrategy[Any]) -> PathConditions:
    """Noises that differences tie in a tree, some with bounds of their own."""
    members = noises(*draw(st.lists(laws, min_size=3, max_size=5)))
    facts: PathConditions = {}
    for i, noise in enumerate(members[1:], start=1):
        other = members[draw(st.integers(0, i - 1))]
        low, high = sorted([draw(ends), draw(ends)])
        chosen = draw(st.sampled_from(["low", "high", "both"]))
        if chosen == "both" and low == high:
            chosen = "low"
        values = (low if chosen != "high" else None, high if chosen != "low" else None)
        facts[(other, ONE), (noise, MINUS)] = (values,)
    for noise in members[1:]:
        if draw(st.integers(0, 2)) == 0:
            facts[((noise, ONE),)] = ((draw(ends), None),)
    return facts


continuous_ends = st.integers(-6, 6).map(lambda k: exact(k) / 2)


@given(trees(st.sampled_from([laplace(1), laplace("3/2"), laplace(4)]), continuous_ends))
@settings(max_examples=50 if deep() else 4, deadline=None)
@pytest.mark.deep
def test_cells_enclose_what_laplace_noise_has_in_closed_form(facts: PathConditions) -> None:
    """The same integration, of the same trees with Laplace noise, of which the exact probability is known."""
    expected = joint_probability(facts)
    found = mass_of_reals(certified_trees.tree_named(certified_trees.graph_of(facts)).root, 128)
    assert found.overlaps(ball(expected))
    assert found.rad() < 1e-20


def density(law: NoiseLaw, x: Any) -> Any:
    scale = float(ball(law.scale))  # type: ignore[attr-defined]
    if law.normal_scale is not None:
        return np.exp(-((x / scale) ** 2) / 2) / (scale * (2 * pi) ** 0.5)
    return np.exp(-np.abs(x) / scale) / (2 * scale)


GRID = np.linspace(-60, 60, 24_001)  # a step of 1/200: on it the trapezoidal rule is good to 1e-5
STEP = GRID[1] - GRID[0]


def on_the_grid(root: NoiseVariable, facts: PathConditions, above_it: Form | None = None) -> Any:
    """The density of a noise times the probability of what hangs from it, by sums over a grid."""
    found = density(root.law, GRID)
    for form, (interval,) in facts.items():
        if form is above_it or root not in [noise for noise, _ in form]:
            continue
        low, high = ((end if end is None else float(ball(exact(end)))) for end in interval)
        if len(form) == 1:
            assert low is not None
            found = found * (low <= GRID)
            continue
        other = next(noise for noise, _ in form if noise is not root)
        below = np.cumsum(on_the_grid(other, facts, form)) * STEP
        if form[0][0] is root:  # root − other ∈ [low, high)
            low, high = None if high is None else -high, None if low is None else -low
        upper = below[-1] if high is None else np.interp(GRID + high, GRID, below)
        lower = 0.0 if low is None else np.interp(GRID + low, GRID, below)
        found = found * (upper - lower)
    return found


@given(trees(st.sampled_from([gaussian(1), gaussian(2), laplace(1), gaussian("1/2")]), continuous_ends))
@settings(max_examples=50 if deep() else 4, deadline=None)
def test_cells_agree_with_sums_over_a_grid(facts: PathConditions) -> None:
    expected = on_the_grid(next(iter(facts))[0][0], facts).sum() * STEP
    number = joint_probability(facts)
    assert abs(float(ball(number)) - expected) < 5e-3
    assert ball(number).rad() < 1e-20
    assert ball(number).overlaps(ball(number, 256))


AXIS = np.arange(-24, 25)


@given(trees(st.sampled_from([discrete_gaussian(1), discrete_gaussian("3/2")]), st.integers(-3, 3)))
@settings(max_examples=10, deadline=None)
def test_sums_of_whole_noise_are_those_over_all_values(facts: PathConditions) -> None:
    """Every noise takes every value in −24, …, 24 here: what lies beyond has a probability below 1e-50."""
    members = sorted({noise for form in facts for noise, _ in form}, key=lambda noise: noise.number)[:4]
    facts = {form: values for form, values in facts.items() if all(noise in members for noise, _ in form)}
    weights = np.ones((1,) * len(members))
    axes = {}
    for i, noise in enumerate(members):
        scale = float(ball(noise.law.scale))  # type: ignore[attr-defined]
        mass = np.exp(-(AXIS**2) / (2 * scale**2))
        shape = [1] * len(members)
        shape[i] = -1
        axes[noise] = AXIS.reshape(shape)
        weights = weights * (mass / mass.sum()).reshape(shape)
    holds = np.ones(weights.shape, dtype=bool)
    for form, ((low, high),) in facts.items():
        value = sum(axes[noise] * (1 if c > 0 else -1) for noise, c in form)
        least, most = float(-1000 if low is None else low), float(1000 if high is None else high)
        holds &= (value >= least) & (value < most)
    expected = float(weights[holds].sum())
    if expected == 0:
        return
    number = joint_probability(facts)
    assert is_about(number, expected)
    assert ball(number, 256).overlaps(ball(number))


def test_equal_comparisons_are_one_number() -> None:
    """Shifts, permutations, another unit and the mirror image, which turns ≥: the same atom, so that it cancels."""

    def probability(scale: Any, gaps: tuple[Any, ...], order: tuple[int, ...], sign: int) -> Exact:
        members = noises(*[gaussian(2 * scale)] * 3)
        root, left, right = (members[i] for i in order)
        facts: PathConditions = {}
        for leaf, gap in zip((left, right), gaps, strict=True):
            one, other = (root, leaf) if sign > 0 else (leaf, root)
            facts |= above(one, other, gap * scale)
        return joint_probability(facts)

    first = probability(exact(1), (exact(1), exact(3)), (0, 1, 2), 1)
    assert first == probability(exact(1), (exact(3), exact(1)), (0, 1, 2), 1)
    assert first == probability(exact(1), (exact(1), exact(3)), (2, 0, 1), 1)
    assert first == probability(exact(1), (exact(1), exact(3)), (1, 2, 0), -1)
    assert first == probability(log(3), (exact(1), exact(3)), (0, 1, 2), 1)
    assert first != probability(exact(1), (exact(1), exact(2)), (0, 1, 2), 1)


@pytest.mark.parametrize("noise", [gaussian, discrete_gaussian])
def test_what_is_equal_by_contraries_is_one_number(noise: Any) -> None:
    """Of all answers to comparisons with one noise the probabilities add up to 1 by their form, and so do parts."""

    def answers(draw: Any, shift: int) -> tuple[bool, ...]:
        middle = draw(noise(2))
        return tuple(bool(query + shift + draw(noise(3)) >= middle + shift) for query in (0, 1, -1))

    law = distribution(answers, 0).probabilities
    assert sum(law.values(), exact(0)) == 1
    assert law == distribution(answers, 5).probabilities
    first_two: dict[tuple[bool, ...], Exact] = {}
    for outcome, probability in law.items():
        first_two[outcome[:2]] = first_two.get(outcome[:2], exact(0)) + probability

    def fewer(draw: Any, _: Any) -> tuple[bool, ...]:
        middle = draw(noise(2))
        return tuple(bool(query + draw(noise(3)) >= middle) for query in (0, 1))

    assert first_two == distribution(fewer, ()).probabilities


def test_a_range_between_noisy_ends_on_mirrored_data_is_one_law() -> None:
    """Found between 0 and 1 with noise on both: of a query at 0 and of one at 1 exactly as often."""

    def in_range(draw: Any, query: int) -> int:
        high, low = 1 + draw(gaussian(4)), draw(gaussian(4))
        found = 0
        while found < 3 and low < (noisy := query + draw(gaussian(2))) and noisy < high:
            found += 1
        return found

    assert distribution(in_range, 0) == distribution(in_range, 1)


def test_sums_of_independent_gaussian_noises_are_one() -> None:
    def together(draw: Any, _: Any) -> bool:
        return bool(draw(gaussian(3)) + draw(gaussian(4)) > 2)

    def single(draw: Any, _: Any) -> bool:
        return bool(draw(gaussian(5)) > 2)

    assert distribution(together, ()).probabilities[True] == distribution(single, ()).probabilities[True]


def test_gaussian_noise_is_mixed_with_laplace_noise() -> None:
    """Pr[G + L ≥ 1] by the closed form of the convolution, in floats."""

    def both(draw: Any, _: Any) -> bool:
        return bool(draw(gaussian(2)) + draw(laplace(3)) >= 1)

    grid = np.linspace(-150, 150, 300_001)
    above = np.array([NormalDist(1, 2).cdf(x) for x in grid.tolist()])
    expected = (np.exp(-np.abs(grid) / 3) / 6 * above).sum() * (grid[1] - grid[0])
    assert is_about(distribution(both, ()).probabilities[True], expected, 1e-8)


def test_gaussian_noise_is_mixed_with_noise_between_two_ends() -> None:
    """Pr[G + U ≥ H] is the mean of Pr[H − G ≤ u] over u, by the middles of 4,000 parts."""

    def both(draw: Any, _: Any) -> bool:
        return bool(draw(gaussian(2)) + draw(uniform_noise(-1, 3)) >= draw(gaussian(1)))

    law = NormalDist(0, 5**0.5)
    expected = sum(law.cdf((k + 0.5) / 1_000 - 1) for k in range(4_000)) / 4_000
    assert is_about(distribution(both, ()).probabilities[True], expected, 1e-7)


def test_sums_of_both_kinds_that_share_noise() -> None:
    """G + L against two thresholds with noise: their sum over all outcomes is 1, and mirror images are equal."""

    def asked(draw: Any, _: Any) -> tuple[bool, bool]:
        middle = draw(gaussian(2)) + draw(laplace(3))
        return bool(middle >= draw(gaussian(1))), bool(middle < draw(laplace(1)))

    law = distribution(asked, ()).probabilities
    with ctx.workprec(128):
        assert sum(map(ball, law.values()), arb(0)).contains(1)
    assert abs(ball(law[True, True]) - ball(law[False, False])) < 1e-20


def test_a_variance_may_be_any_exact_number() -> None:
    epsilon, delta = exact("1/2"), exact("1/100")
    by_variance = gaussian(variance=2 * log(exact("5/4") / delta) / epsilon**2)
    by_sigma = gaussian(sqrt(2 * log(exact("5/4") / delta)) / epsilon)
    assert by_variance.scale == by_sigma.scale
    assert by_variance.tail(exact(1)) == by_sigma.tail(exact(1))


@in_one("noise", [gaussian, discrete_gaussian])
@in_one("bad", [-1, "-1/2"])
def test_no_scale_is_negative(noise: Any, bad: Any) -> None:
    with pytest.raises(InputError, match=r"sigma=.* must be at least 0"):
        noise(bad)
    with pytest.raises(InputError, match=r"variance=.* must be at least 0"):
        noise(variance=bad)


@pytest.mark.parametrize("noise", [gaussian, discrete_gaussian])
def test_a_scale_is_one_exact_number(noise: Any) -> None:
    with pytest.raises(InputError, match=r"0\.5 is a float"):
        noise(0.5)
    for both in ({}, {"sigma": 1, "variance": 1}):
        with pytest.raises(InputError, match="gaussian, and variance exclude each other"):
            noise(**both)


def test_what_is_not_listed_of_whole_noise_is_in_the_ball() -> None:
    """A noise of which a quarter is further out than what is listed: it may be below, above, or between."""
    listed = _Listed(0, [arb(0.25), arb(0.5)], arb(0.25))
    for values, least, most in ((((1, None),), 0.5, 0.75), (((None, 1),), 0.25, 0.5), (((5, None),), 0.0, 0.25)):
        found = _Chances(listed, values).at(0)
        assert found.contains(arb(least))
        assert found.contains(arb(most))
    both = _sum(listed, listed)
    assert both.beyond >= arb(0.4375)  # 1 - (3/4)²
    assert [float(mass) for mass in both.masses] == [0.0625, 0.25, 0.25]


DRAWS = 200_000
COEFFICIENTS = st.sampled_from([1, -1, 2, -3, "1/2"])


@st.composite
def combinations(draw: st.DrawFn) -> tuple[list[tuple[str, int]], list[tuple[dict[int, Any], int, Any]]]:
    """Noises, and comparisons of each further one, times a number, with one before it, times another, and a shift.

    Some noises are sums of two, which occur together.
    """
    kinds = st.tuples(st.sampled_from(["gaussian", "gaussian", "laplace"]), st.integers(1, 3))
    laws = draw(st.lists(kinds, min_size=3, max_size=4))
    comparisons = []
    for i in range(1, len(laws)):
        other = draw(st.integers(0, i - 1))
        parts = {i: draw(COEFFICIENTS), other: draw(COEFFICIENTS)}
        if draw(st.booleans()):
            laws.append(("gaussian", draw(st.integers(1, 2))))
            parts[len(laws) - 1] = draw(COEFFICIENTS)
        comparisons.append((parts, draw(st.integers(-4, 4)), draw(st.sampled_from([None, None, 3, 6]))))
    return laws, comparisons


@given(combinations())
@settings(max_examples=30 if deep() else 1, deadline=None)
def test_multiples_and_sums_agree_with_draws(case: Any) -> None:
    laws, comparisons = case

    def mechanism(draw: Any, _: Any) -> tuple[bool, ...]:
        values = [draw((gaussian if kind == "gaussian" else laplace)(scale)) for kind, scale in laws]
        found = []
        for parts, shift, width in comparisons:
            value = sum((values[i] * exact(c) for i, c in parts.items()), shift)
            found.append(bool(value >= 0) and (width is None or bool(value < width)))
        return tuple(found)

    try:
        law = distribution(mechanism, ()).probabilities
    except MechanismError as refused:
        assert "sums of three noises and more" in str(refused)  # most cases are not of that kind
        return
    with ctx.workprec(128):
        assert sum(map(ball, law.values()), arb(0)).contains(1)
    random = np.random.default_rng(7)
    samples = [
        random.normal(scale=scale, size=DRAWS) if kind == "gaussian" else random.laplace(scale=scale, size=DRAWS)
        for kind, scale in laws
    ]
    for outcome, probability in law.items():
        holds = np.ones(DRAWS, dtype=bool)
        for (parts, shift, width), answer in zip(comparisons, outcome, strict=True):
            value = shift + sum(float(Fraction(c)) * samples[i] for i, c in parts.items())
            inside = (value >= 0) & ((value < width) if width is not None else True)
            holds &= inside == answer
        assert abs(float(ball(probability)) - holds.mean()) < 6 * 0.5 / DRAWS**0.5
        assert ball(probability).rad() < 1e-15


def both_far(draw: Any, gap: Any) -> tuple[bool, bool]:
    threshold = draw(gaussian(1))
    first, second = draw(gaussian(1)), draw(gaussian(1))
    return bool(first - threshold >= gap), bool(second - threshold >= gap)


def test_a_claim_is_told_from_what_holds_as_far_as_the_balls_reach() -> None:
    """To 10^-50 it is decided; nearer than 512 bits tell it is UNDECIDED, and the reason says how near it is."""

    def decided(delta: Any) -> Any:
        def mechanism(draw: Any, rows: Any) -> Any:
            return both_far(draw, 2 - rows[0])

        return check_privacy(mechanism, Tuples((0, 1), size=1), replace_one, epsilon=1, delta=delta, recheck=False)

    low, high = bounds(decided(1).delta.exact, 150)
    assert high - low < Fraction(1, 10**100)
    middle = (low + high) / 2
    assert decided(middle + Fraction(1, 10**50)).status is Status.PROVED
    assert decided(middle - Fraction(1, 10**50)).status is Status.REFUTED
    met = decided(middle)
    assert met.status is Status.UNDECIDED
    assert "within 10^-1" in met.reason
    assert "512 bits" in met.reason


def test_a_sign_that_no_ball_tells_is_no_proof() -> None:
    """Two events of probability 10^-400 or so, of which one may be impossible for all that 512 bits say."""

    def mechanism(draw: Any, rows: Any) -> Any:
        return both_far(draw, 60 - rows[0])

    verdict = check_privacy(mechanism, Tuples((0, 1), size=1), replace_one, epsilon=1, recheck=False)
    assert verdict.status is Status.UNDECIDED


def test_numbers_known_by_balls_are_the_same_after_a_journey() -> None:
    for probability in distribution(both_far, 2).probabilities.values():
        assert pickle.loads(pickle.dumps(probability)) is probability


@pytest.mark.parametrize("shift", [10**12 + 1, 10**14 - 40, 10**15 - 1])
def test_cells_hold_all_that_counts_also_where_floats_are_coarse(shift: int) -> None:
    """At 10^14 the next float is 1/64 further, so that an end that is rounded leaves out a part of the tail."""
    noises = Noises(ONE, ())
    child = CertifiedNode(noises, EVERYTHING, ())
    integration = _Integration(CertifiedNode(noises, EVERYTHING, (TiedBranch(((None, exact(shift)),), (child,)),)), 60)
    reach = Fraction(density_model(noises, 60).reach)
    first, last = (as_fraction(end) for end in (integration._cells[0].low, integration._cells[-1].high))
    assert first < min(-reach, -reach - shift)
    assert last > max(reach, reach - shift)


def as_fraction(number: arb) -> Fraction:
    mantissa, exponent = number.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
