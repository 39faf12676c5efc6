"""Noise shared between comparisons: closed forms against brute-force sums, quadrature, and each other."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.examples import few

from dpverify.mechanisms import (
    Draw,
    InputError,
    bounds,
    clamp,
    discrete_laplace,
    distribution,
    exact,
    exp,
    laplace,
    log,
    run,
    symbolic,
    truncated_laplace,
)
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.noise.derived import Derived
from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers.decision import sign
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, negative
from dpverify.mechanisms.numbers.roots.epsilon_symbol import DependsOnEpsilon
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise, convolution
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Intervals, intersection
from dpverify.mechanisms.path_conditions.implied_conditions import Form, can_be, without_implied
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable
from dpverify.mechanisms.path_conditions.shared_noise import has_positive_probability, joint_probability

MINUS = negative(ONE)
QUARTER = 1 / log(4)
"""The scale at which discrete Laplace noise has z = 1/4."""

RADIUS = 14
"""Pr[|N| > 14] < 4^-14 at that scale."""


def as_float(number: Exact) -> float:
    lower, upper = bounds(number)
    return float(lower + upper) / 2


def noises(*laws: NoiseLaw) -> list[NoiseVariable]:
    return [NoiseVariable(law, i + 1) for i, law in enumerate(laws)]


def form(*parts: tuple[NoiseVariable, int]) -> Form:
    return tuple((variable, exact(c)) for variable, c in sorted(parts, key=lambda part: part[0].number))


def brute_force(facts: dict[Form, Intervals], variables: Sequence[NoiseVariable]) -> float:
    """The sum over the box of RADIUS around 0; what lies outside is less than len(variables)·4^-14."""
    axis = np.arange(-RADIUS, RADIUS + 1)
    weights = 0.6 * 0.25 ** np.abs(axis)
    along = [axis.reshape([-1 if j == i else 1 for j in range(len(variables))]) for i in range(len(variables))]
    holds = np.ones((len(axis),) * len(variables), dtype=bool)
    for sum_of, values in facts.items():
        total = sum((int(bounds(c)[0]) * along[variables.index(v)] for v, c in sum_of), np.zeros((), dtype=int))
        inside = np.zeros(total.shape, dtype=bool)
        for low, high in values:
            least, most = (-1000 if low is None else low), (1000 if high is None else high)
            inside |= (total >= least) & (total < most)
        holds &= inside
    mass: NDArray[np.float64] = holds.astype(np.float64)
    for _ in variables:
        mass = mass @ weights
    return float(mass)


WHOLE = st.integers(-4, 4)


@st.composite
def values(draw: st.DrawFn) -> Intervals:
    low, width = draw(WHOLE), draw(st.integers(1, 3))
    return draw(
        st.sampled_from([((low, None),), ((None, low),), ((low, low + width),), ((None, low), (low + width, None))])
    )


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[NoiseVariable], dict[Form, Intervals]]:
    """Up to four noises, each tied to an earlier one, or two to one at once; some bounded on their own."""
    variables = noises(*[discrete_laplace(QUARTER)] * draw(st.integers(2, 4)))
    facts: dict[Form, Intervals] = {}
    i = 1
    while i < len(variables):
        tied = [variables[draw(st.integers(0, i - 1))], variables[i]]
        if i + 1 < len(variables) and draw(st.booleans()):
            tied.append(variables[i + 1])
            i += 1
        facts[form(*((v, 1 if n == 0 else draw(st.sampled_from((-1, 1)))) for n, v in enumerate(tied)))] = draw(
            values()
        )
        i += 1
    for variable in variables:
        if draw(st.integers(0, 3)) == 0:
            facts[form((variable, 1))] = draw(values())
    return variables, facts


@given(trees())
def test_discrete_noise_is_summed_in_closed_form(case: tuple[list[NoiseVariable], dict[Form, Intervals]]) -> None:
    variables, facts = case
    assert abs(as_float(joint_probability(facts)) - brute_force(facts, variables)) < 1e-7


@given(trees())
def test_the_answers_to_a_comparison_add_up(case: tuple[list[NoiseVariable], dict[Form, Intervals]]) -> None:
    """Exactly: what a fact holds and what it excludes are all that the other facts leave."""
    _, facts = case
    last = list(facts)[-1]
    others = {sum_of: v for sum_of, v in facts.items() if sum_of != last}
    low = next(end for interval in facts[last] for end in interval if end is not None)
    parts = [joint_probability({**others, last: v}) for v in (((None, low),), ((low, None),))]
    assert parts[0] + parts[1] == joint_probability({**others, last: EVERYTHING})


def noise_balls(scale: int, x: acb, side: int) -> acb:
    """The density of Lap(scale) at x, whose real part has the given side."""
    return (-side * x / scale).exp() / (2 * scale)


def upper_tail(scale: int, x: acb, side: int) -> acb:
    half = (-side * x / scale).exp() / 2
    return half if side > 0 else 1 - half


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(-3, 3), st.booleans()), min_size=1, max_size=4), st.integers(1, 4)
)
def test_continuous_noise_against_rigorous_quadrature(stars: list[tuple[int, int, bool]], scale: int) -> None:
    """Pr[Nᵢ - N ≥ tᵢ, or < tᵢ, for all i] = ∫ f(x)·∏ Pr[Nᵢ ≥ x + tᵢ] dx, stretch by stretch between the kinks."""
    variables = noises(laplace(scale), *(laplace(s) for s, _, _ in stars))
    facts: dict[Form, Intervals] = {}
    for variable, (_, t, above) in zip(variables[1:], stars, strict=True):
        # N - Nᵢ ≤ -t is Nᵢ - N ≥ t
        facts[form((variables[0], 1), (variable, -1))] = ((None, exact(-t)),) if above else ((exact(-t), None),)

    with ctx.workprec(100):
        kinks = sorted({0, *(-t for _, t, _ in stars)})
        ends = [-200, *kinks, 200]
        total = acb(0)
        for low, high in pairwise(ends):
            middle = arb(low + high) / 2

            def integrand(x: acb, analytic: bool, middle: arb = middle) -> acb:
                found = noise_balls(scale, x, 1 if middle > 0 else -1)
                for s, t, above in stars:
                    tail = upper_tail(s, x + t, 1 if middle + t > 0 else -1)
                    found *= tail if above else 1 - tail
                return found

            total += acb.integral(integrand, low, high)
        # beyond ±200 the density of Lap(4) has less than e^-50 to give
        assert abs(total.real - arb(as_float(joint_probability(facts)))) < 1e-12


def test_a_sum_that_occurs_only_as_that_sum_is_one_noise() -> None:
    """X - Y against two thresholds, and against Z; by hand for equal scales, where a power of t remains."""
    x, y, z = noises(laplace(1), laplace(1), laplace(1))
    difference = form((x, 1), (y, -1))
    # Pr[X - Y ≥ t] = e^(-t)·(2 + t)/4 for t ≥ 0
    for t in (0, 1, 5):
        assert joint_probability({difference: ((exact(t), None),)}) == exp(-t) * (2 + exact(t)) / 4
    # Pr[1 ≤ X - Y < 2]
    assert joint_probability({difference: ((exact(1), exact(2)),)}) == exp(-1) * 3 / 4 - exp(-2)
    # Pr[X - Y ≥ Z] = 1/2 by symmetry; and with X - Y ≥ 0 at once, Pr[Z ≤ S, S ≥ 0] = Pr[S ≥ 0] - Pr[Z > S ≥ 0]
    both = {form((x, 1), (y, -1), (z, -1)): ((exact(0), None),)}
    assert joint_probability(both) == Fraction(1, 2)
    # ∫₀^∞ (1+s)e^(-s)/4·(1 - e^(-s)/2) ds = 1/2 - (1/8)(1/2 + 1/4) = 13/32
    assert joint_probability({**both, difference: ((exact(0), None),)}) == Fraction(13, 32)


def test_three_continuous_noises_by_hand() -> None:
    """Of three noises of one law each is the largest with probability 1/3, and in each order with 1/6."""
    for law in (laplace(1), laplace(log(2)), laplace(Fraction(7, 3))):
        a, b, c = noises(law, law, law)
        largest = {form((a, 1), (b, -1)): ((exact(0), None),), form((a, 1), (c, -1)): ((exact(0), None),)}
        assert joint_probability(largest) == Fraction(1, 3)
        ordered = {form((a, 1), (b, -1)): ((exact(0), None),), form((b, 1), (c, -1)): ((exact(0), None),)}
        assert joint_probability(ordered) == Fraction(1, 6)


def test_multiples_of_continuous_noise() -> None:
    """2·Lap(1) is Lap(2)."""
    a, b, c = noises(laplace(1), laplace(1), laplace(2))
    doubled: dict[Form, Intervals] = {((a, ONE), (b, exact(Fraction(-1, 2)))): ((exact(1), None),)}  # 2a - b ≥ 2
    plain = {form((b, 1), (c, 1)): ((exact(2), None),)}
    assert joint_probability(doubled) == joint_probability(plain)


@pytest.mark.parametrize(
    "law", [laplace(2), discrete_laplace(2), truncated_laplace(1, 3), truncated_discrete_laplace(1, 3)]
)
def test_densities_and_convolutions_have_mass_1(law: NoiseLaw) -> None:
    density = law.density
    assert density.mass == 1
    twice = convolution(density, density)
    assert twice.mass == 1
    assert convolution(twice, density).mass == 1
    if density.discrete:
        assert twice.at(exact(3)) == _by_definition(law, 3)


def _by_definition(law: NoiseLaw, t: int) -> Exact:
    """Σ p(x)·p(3-x): of the untruncated law by hand, of the truncated one term by term."""
    if law == discrete_laplace(2):
        # for t ≥ 0: Σ z^(|x| + |t-x|) = (t+1)·z^t + 2·z^(t+2)/(1-z²)
        z, p = exp(Fraction(-1, 2)), probability(law, ((0, 1),))
        return p * p * ((t + 1) * z**t + 2 * z ** (t + 2) / (1 - z**2))
    found = [probability(law, ((x, x + 1),)) * probability(law, ((t - x, t - x + 1),)) for x in range(-3, 4)]
    return sum(found[1:], start=found[0])


def test_convolution_commutes() -> None:
    for kind in (laplace, discrete_laplace):
        f, g = kind(1).density.within(((exact(-2) if kind is laplace else -2, None),)), kind(3).density
        left, right = convolution(f, g), convolution(g, f)
        for t in range(-5, 6):
            assert left.at(exact(t)) == right.at(exact(t))


def test_piecewise_functions_are_equal_to_themselves_moved_back() -> None:
    density = discrete_laplace(1).density.within(((-2, 3),))
    for slope in (ONE, MINUS):
        moved = density.composed(slope, 4)
        assert isinstance(moved, Piecewise)
        for x in range(-8, 9):
            assert moved.at(exact(x)) == density.at(slope * x + 4)


# --- through the enumerator
def above_threshold(draw: Draw, queries: Sequence[int], *, noise: Any = laplace) -> Any:
    threshold = draw(noise(2))
    for i, query in enumerate(queries):
        if query + draw(noise(4)) >= threshold:
            return i
    return None


def test_the_enumerator_and_the_sampler_agree() -> None:
    for noise in (laplace, discrete_laplace):
        law = distribution(above_threshold, (0, 1, -1), noise=noise)
        assert law.probability(0, 1, 2, None) == 1
        drawn = [run(above_threshold, (0, 1, -1), seed=seed, noise=noise) for seed in range(1000)]
        for outcome in (0, 1, 2, None):
            expected = as_float(law.probability(outcome))
            deviation = (expected * (1 - expected) / len(drawn)) ** 0.5
            assert abs(drawn.count(outcome) / len(drawn) - expected) < 5 * deviation


def test_an_answer_that_others_imply_is_not_explored() -> None:
    """Otherwise the mechanism would run on paths that cannot occur, and might not end there."""

    def sorts(draw: Draw, database: int) -> Any:
        a, b = draw(laplace(1)), draw(laplace(1))
        if a > b:
            assert not b > a
            assert a + 1 > b
            assert 2 * a - 2 * b > 0
        return bool(a >= b)

    assert distribution(sorts, 0).probability(True) == Fraction(1, 2)


def test_ties_of_discrete_noise_have_a_branch_of_their_own() -> None:
    def compare(draw: Draw, database: int) -> str:
        a, b = draw(discrete_laplace(QUARTER)), draw(discrete_laplace(QUARTER))
        return "tie" if a == b else "less" if a < b else "more"

    law = distribution(compare, 0)
    # (1-z)²/(1+z)²·(1 + 2z²/(1-z²)) at z = 1/4
    assert law.probability("tie") == Fraction(9, 25) * (1 + Fraction(2, 15))
    assert law.probability("less") == law.probability("more")


def test_shared_noise_can_be_clamped() -> None:
    def clamps(draw: Draw, database: int) -> Any:
        a, b = draw(discrete_laplace(QUARTER)), draw(discrete_laplace(QUARTER))
        return a >= b, clamp(a, -1, 1)

    law = distribution(clamps, 0)
    a, b = noises(discrete_laplace(QUARTER), discrete_laplace(QUARTER))
    for number, cell in ((-1, (None, 0)), (0, (0, 1)), (1, (1, None))):
        facts = {form((a, 1), (b, -1)): ((0, None),), form((a, 1)): (cell,)}
        assert law.probability((True, number)) == joint_probability(facts)
    assert sum((law.probability(outcome) for outcome in law), start=exact(0)) == 1


def in_a_circle(draw: Draw, database: int) -> Any:
    a, b, c = draw(laplace(1)), draw(laplace(1)), draw(laplace(1))
    return a >= 2 * b, b + 1 >= c, c + 1 >= a  # differences are decided: test_circles_of_facts.py


def of_two_kinds(draw: Draw, database: int) -> Any:
    return draw(laplace(1)) >= draw(discrete_laplace(1))


def with_a_multiple(draw: Draw, database: int) -> Any:
    return 2 * draw(discrete_laplace(1)) >= draw(discrete_laplace(1)) + 1


def returned(draw: Draw, database: int) -> Any:
    noise, other = draw(discrete_laplace(1)), draw(discrete_laplace(1))
    return noise >= other, noise, other


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (in_a_circle, "tie the noises in a circle: .*noise 1"),
        (of_two_kinds, r"1 ~ Lap\(1\)\) \+ -1·\(noise 2 ~ discrete Lap\(1\)\)"),
        (with_a_multiple, "a multiple of another one"),
        (returned, "beside noise that it was compared with"),
    ],
)
def test_what_is_refused(mechanism: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        distribution(mechanism, 0)


def test_all_paths_of_a_noisy_sort_have_their_probability() -> None:
    """Insertion sort compares in a chain: the orders of three equal noises have probability 1/6 each."""

    def order(draw: Draw, scores: tuple[int, ...]) -> Any:
        found: list[tuple[Any, int]] = []
        for i, score in enumerate(scores):
            noisy = score + draw(laplace(1))
            place = next((k for k, (other, _) in enumerate(found) if noisy > other), len(found))
            found.insert(place, (noisy, i))
        return tuple(i for _, i in found)

    law = distribution(order, (0, 0, 0))
    assert all(law.probability(outcome) == Fraction(1, 6) for outcome in permutations(range(3)))
    assert distribution(order, (0, 0, 0, 0)).probability((3, 1, 0, 2)) == Fraction(1, 24)


@given(trees(), st.data())
def test_what_is_implied_can_be_dropped(
    case: tuple[list[NoiseVariable], dict[Form, Intervals]], data: st.DataObject
) -> None:
    """A further comparison of the same noises that what is known implies, or nearly: a circle, or the same set."""
    variables, facts = case
    left, right = data.draw(st.permutations(variables))[:2]
    extra = form((left, 1), (right, -1))
    if extra[0][0] is not left:
        left, right = right, left
        extra = ((left, ONE), (right, MINUS))
    low = data.draw(st.integers(-8, 0))
    together: dict[Form, Intervals] = {extra: ((low, None),), **facts}
    fewer = without_implied(together)
    assert set(fewer) <= set(together)
    assert abs(brute_force(fewer, variables) - brute_force(together, variables)) < 1e-12


def test_questions_that_other_answers_have_settled() -> None:
    """What is implied through other noises has one answer; Python's own sort asks such questions."""

    def implied(draw: Draw, database: Any) -> Any:
        a, b, c = (draw(database(1)) for _ in range(3))
        if a >= b and b >= c:
            return bool(a >= c), bool(a >= c - 1), bool(c > a)
        return None

    for law in (laplace, discrete_laplace):
        found = distribution(implied, law)
        assert set(found) == {(True, True, False), None}
    assert distribution(implied, laplace).probability((True, True, False)) == Fraction(1, 6)

    def in_order(draw: Draw, database: tuple[int, ...]) -> Any:
        noisy = [score + draw(laplace(1)) for score in database]
        return tuple(sorted(range(len(noisy)), key=lambda i: noisy[i]))

    orders = distribution(in_order, (0,) * 5).probabilities
    assert len(orders) == 120
    assert set(orders.values()) == {exact(Fraction(1, 120))}


def test_discrete_noises_that_are_equal_in_a_circle() -> None:
    """a ≥ b ≥ c ≥ a leaves them equal, which discrete noises can be."""

    def circle(draw: Draw, database: int) -> bool:
        a, b, c = (draw(discrete_laplace(QUARTER)) for _ in range(3))
        return bool(a == b) and bool(b == c) and bool(a == c)

    # Σ p(k)³ = (3/5)³·(1 + 2·(1/64)/(1 - 1/64))
    assert distribution(circle, 0).probability(True) == Fraction(27, 125) * (1 + Fraction(2, 63))


@given(trees(), st.data())
def test_what_can_be_is_what_has_positive_probability(
    case: tuple[list[NoiseVariable], dict[Form, Intervals]], data: st.DataObject
) -> None:
    variables, facts = case
    left, right = data.draw(st.permutations(variables))[:2]
    if left.number > right.number:
        left, right = right, left
    together = {((left, ONE), (right, MINUS)): data.draw(values()), **facts}
    possible = can_be(together)
    if possible is not None:
        # nothing but 0 is below 4^-50: the noises of the smallest solution are below RADIUS in sum
        assert possible == (brute_force(together, variables) > 0)


LAWS: dict[bool, Sequence[NoiseLaw]] = {
    True: (discrete_laplace(QUARTER), truncated_discrete_laplace(QUARTER, 2), truncated_discrete_laplace(QUARTER, 0)),
    False: (laplace(1), truncated_laplace(1, Fraction(3, 2)), truncated_laplace(2, 2)),
}


@st.composite
def forests(draw: st.DrawFn) -> dict[Form, Intervals]:
    """Discrete or continuous noises, tied as in `trees`, with bounds that often leave nothing, or an end alone."""
    variables, facts = draw(trees())
    discrete = draw(st.booleans())
    # a truncated noise is known by its bounds as well
    laws = {noise: draw(st.sampled_from(LAWS[discrete])) for noise in variables}
    changed = {noise: NoiseVariable(law, noise.number) for noise, law in laws.items()}

    def end(value: int | Exact | None) -> int | Exact | None:
        return value if value is None or discrete else exact(value) / 2

    found: dict[Form, Intervals] = {}
    for sum_of, known in facts.items():
        parts = [
            (changed[noise], factor if discrete or i == 0 else factor * draw(st.integers(1, 2)))
            for i, (noise, factor) in enumerate(sum_of)
        ]
        left = tuple((end(low), end(high)) for low, high in known)
        support = parts[0][0].law.support if len(parts) == 1 else EVERYTHING
        found[tuple(parts)] = intersection(left, support) or support
    for noise in changed.values():
        if isinstance(noise.law, Derived):
            found.setdefault(form((noise, 1)), noise.law.support)
    return found


@few(30, deep=600)
@given(forests())
def test_values_tell_whether_a_probability_is_positive(facts: dict[Form, Intervals]) -> None:
    assert has_positive_probability(facts) == (sign(joint_probability(facts)) > 0)


def test_an_end_that_several_continuous_noises_would_have_to_take_is_no_chance() -> None:
    """X + Y ≥ 2 of noises within [-1, 1] has probability 0; with discrete noises it holds for 1 + 1."""
    for law, possible in ((truncated_laplace(1, 1), False), (truncated_discrete_laplace(1, 1), True)):
        x, y = noises(law, law)
        low = 2 if possible else exact(2)
        facts = {form((x, 1), (y, 1)): ((low, None),), form((x, 1)): law.support, form((y, 1)): law.support}
        assert has_positive_probability(facts) is possible


def test_where_values_depend_on_epsilon_the_probability_is_asked() -> None:
    """Which bound of x is met first changes where no probability does, which alone says at which ε to look again."""
    x, y = noises(truncated_laplace(1, symbolic), laplace(1))
    facts = {form((x, 1), (y, -1)): ((None, exact(2)),), form((y, 1)): ((None, exact(2)),)}
    with pytest.raises(DependsOnEpsilon) as expected:
        sign(joint_probability(facts))
    with pytest.raises(DependsOnEpsilon) as found:
        has_positive_probability(facts)
    assert found.value.at == expected.value.at
