"""check_privacy: what it must prove, what it must refute, and what it must refuse."""

from __future__ import annotations

import random
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import combinations, count
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify import verifiers
from dpverify.mechanisms import (
    AtLeast,
    AtMost,
    Distribution,
    Draw,
    InputError,
    Limits,
    MechanismError,
    bernoulli,
    clamp,
    discrete_laplace,
    discrete_laplace_mechanism,
    distribution,
    exp,
    exponential,
    laplace,
    log,
    sqrt,
    truncated_discrete_laplace,
)
from dpverify.mechanisms.exact.exact_numbers import exact, total
from dpverify.verifiers import (
    Multisets,
    ScoreSpace,
    Status,
    Tuples,
    Verdict,
    add_or_remove_one,
    replace_one,
    scores_linf,
)
from dpverify.verifiers.readable import shown_parameter

# What is computed a second time has tests of its own, in test_repetition.py.
check_privacy = partial(verifiers.check_privacy, recheck=False)

BITS = Tuples((0, 1), size=3)
A_BIT = Fraction(1, 10**12)


# Mechanisms that the checker must refute.


def true_answer(draw: Draw, rows: Sequence[int]) -> int:
    return sum(rows)


def half_the_noise(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return sum(rows) + draw(discrete_laplace(1 / (2 * epsilon)))


def without_the_half(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return exponential([rows.count(0), rows.count(1)], 2 * epsilon)


def releases_a_row_sometimes(draw: Draw, rows: Sequence[int], *, delta: Fraction) -> Any:
    return rows[0] if draw(bernoulli(2 * delta)) else "nothing"


def threshold_without_noise(draw: Draw, rows: Sequence[int]) -> bool:
    return sum(rows) >= 2


def branches_on_the_data_before_noise(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return "empty" if sum(rows) == 0 else clamp(sum(rows) + draw(discrete_laplace(1 / epsilon)), 0, 3)


def two_counts_for_the_price_of_one(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return discrete_laplace_mechanism(draw, [sum(rows), sum(rows)], epsilon=epsilon)


def off_by_one_threshold(draw: Draw, scores: Sequence[int], *, epsilon: Fraction, delta: Fraction) -> Any:
    gap = abs(scores[0] - scores[1])
    if gap + draw(laplace(2 / epsilon)) < 2 / epsilon * log(1 / (2 * delta)) + 1:
        return None
    return scores[0] < scores[1]


SMALL_DELTA = Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("mechanism", "delta"),
    [
        (true_answer, 0),
        (true_answer, SMALL_DELTA),
        (half_the_noise, 0),
        (half_the_noise, SMALL_DELTA),
        (without_the_half, 0),
        (without_the_half, SMALL_DELTA),
        (releases_a_row_sometimes, SMALL_DELTA),
        (threshold_without_noise, 0),
        (threshold_without_noise, SMALL_DELTA),
        (branches_on_the_data_before_noise, 0),
        (branches_on_the_data_before_noise, SMALL_DELTA),
        (two_counts_for_the_price_of_one, 0),
        (two_counts_for_the_price_of_one, SMALL_DELTA),
    ],
)
@pytest.mark.parametrize("epsilon", [1, log(2), Fraction(1, 3)])
def test_broken_mechanisms_are_refuted(mechanism: Any, epsilon: Any, delta: Any) -> None:
    verdict = check_privacy(mechanism, BITS, epsilon=epsilon, delta=delta)
    assert verdict.status is Status.REFUTED
    recompute_witness(mechanism, verdict)


def test_a_threshold_that_is_one_too_low_is_refuted() -> None:
    verdict = check_privacy(
        off_by_one_threshold, ScoreSpace(range(6), solutions=2), scores_linf, epsilon=2, delta="0.01"
    )
    assert verdict.status is Status.REFUTED
    recompute_witness(off_by_one_threshold, verdict)


def recompute_witness(mechanism: Any, verdict: Verdict) -> None:
    """The witness from the laws alone: neighbours, p > e^ε·q + δ, and no smaller event of the pair violates."""
    witness = verdict.witness
    assert witness is not None
    names = mechanism.__kwdefaults__ or mechanism.__annotations__
    given_: dict[str, Any] = {n: v for n, v in (("epsilon", witness.epsilon), ("delta", witness.delta)) if n in names}
    left, right = (distribution(mechanism, database, **given_) for database in (witness.left, witness.right))
    assert left.probability(*witness.event) == witness.p
    assert right.probability(*witness.event) == witness.q
    assert witness.p > exp(witness.epsilon) * witness.q + witness.delta
    if left.is_finite and len(left) < 8:
        for size in range(len(witness.event)):
            for event in combinations(left, size):
                assert left.probability(*event) <= exp(witness.epsilon) * right.probability(*event) + witness.delta


# Mechanisms that meet their bound with equality.


def geometric(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return sum(rows) + draw(discrete_laplace(1 / epsilon))


def clamped(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return clamp(geometric(draw, rows, epsilon=epsilon), 0, len(rows))


def randomized_response(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    lie = bernoulli(1 / (1 + exp(epsilon)))
    return tuple(bit ^ draw(lie) for bit in rows)


def continuous_threshold(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> bool:
    return bool(sum(rows) + draw(laplace(1 / epsilon)) >= 2)


EQUAL = [geometric, clamped, randomized_response, continuous_threshold]


@pytest.mark.parametrize("mechanism", EQUAL)
@pytest.mark.parametrize("epsilon", [1, 3, Fraction(3, 10), log(2), log(3) / 2, "0.001", 1 + log(2)])
def test_mechanisms_at_their_exact_epsilon(mechanism: Any, epsilon: Any) -> None:
    at = check_privacy(mechanism, BITS, epsilon=epsilon)
    assert at.status is Status.PROVED
    assert at.delta is not None
    assert at.epsilon is not None
    assert at.delta.exact == 0
    assert at.epsilon.exact == (Fraction(epsilon) if isinstance(epsilon, str) else epsilon)
    number = at.epsilon.exact
    assert number is not None
    below = check_privacy(mechanism, BITS, epsilon=number - number * A_BIT, parameters={"epsilon": epsilon})
    assert below.status is Status.REFUTED
    above = check_privacy(mechanism, BITS, epsilon=number + number * A_BIT, parameters={"epsilon": epsilon})
    assert above.status is Status.PROVED


@pytest.mark.parametrize("epsilon", [1, log(2)])
def test_mechanisms_at_their_exact_delta(epsilon: Any) -> None:
    def lucky(draw: Draw, rows: Sequence[int], *, epsilon: Fraction, delta: Fraction) -> Any:
        return rows[0] if draw(bernoulli(delta)) else randomized_response(draw, rows[:1], epsilon=epsilon)

    at = check_privacy(lucky, BITS, epsilon=epsilon, delta="0.001")
    assert at.status is Status.PROVED
    assert at.delta is not None
    assert at.delta.exact == Fraction(1, 1000)
    assert at.epsilon is None
    below = check_privacy(lucky, BITS, epsilon=epsilon, delta=Fraction(1, 1000) - A_BIT, parameters={"delta": "0.001"})
    assert below.status is Status.REFUTED
    assert below.witness is not None
    assert len(below.witness.event) == 1


# Against brute force over all events.


@given(
    st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any), min_size=3, max_size=4),
    st.sampled_from([Fraction(1), Fraction(2), Fraction(5, 2)]),
    st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3)]),
)
def test_every_event_of_every_pair(tables: list[list[int]], factor: Fraction, delta: Fraction) -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        return Distribution(dict(enumerate(tables[database])))

    def next_one(database: int) -> list[int]:
        return [database - 1, database + 1]

    n = len(tables)
    verdict = check_privacy(mechanism, range(n), next_one, epsilon=log(factor), delta=delta)

    def probability(database: int, event: tuple[int, ...]) -> Fraction:
        return Fraction(sum(tables[database][o] for o in event), sum(tables[database]))

    events = [event for size in range(4) for event in combinations(range(3), size)]
    pairs = [(i, j) for i in range(n) for j in range(n) if abs(i - j) == 1]
    excess = {(i, j): max(probability(i, event) - factor * probability(j, event) for event in events) for i, j in pairs}
    assert verdict.delta is not None
    assert verdict.delta.exact == max(excess.values())
    worst = None if verdict.worst is None else excess[verdict.worst]  # type: ignore[index]  # None would fail as well
    assert (worst or 0) == max(excess.values())
    assert verdict.pairs.covered == len(pairs)
    violating = [pair for pair in pairs if excess[pair] > delta]
    assert (verdict.status is Status.REFUTED) == bool(violating)
    if violating:
        witness = verdict.witness
        assert witness is not None
        assert (witness.left, witness.right) == min(violating, key=lambda pair: (max(pair), min(pair), pair[0]))
        assert (witness.p, witness.q) == tuple(probability(d, witness.event) for d in (witness.left, witness.right))  # type: ignore[arg-type]  # None would fail as well


def test_released_noise_against_many_single_outcomes() -> None:
    """The lumped law gives the same δ as summing 400 outcomes and bounding the rest."""
    epsilon, claimed = log(4), log(2)

    def noisy(draw: Draw, rows: Sequence[int]) -> Any:
        return sum(rows) + draw(discrete_laplace(1 / epsilon))

    verdict = check_privacy(noisy, Tuples((0, 1), size=2), epsilon=claimed, delta=1)
    assert verdict.delta is not None
    z = Fraction(1, 4)

    def pmf(k: int) -> Fraction:
        return (1 - z) / (1 + z) * z ** abs(k)

    def divergence(a: int, b: int) -> Fraction:
        return sum((max(Fraction(0), pmf(k - a) - 2 * pmf(k - b)) for k in range(-200, 200)), Fraction(0))

    worst = max(divergence(a, b) for a in range(3) for b in range(3) if abs(a - b) == 1)
    assert abs(verdict.delta.exact - worst) < Fraction(1, 10**60)  # type: ignore[operator]  # None would fail as well
    # in closed form: all mass on the one side, (1 − 2z)·Pr[N ≤ 0]
    assert verdict.delta.exact == (1 - 2 * z) / (1 + z)


def test_released_vectors_and_their_tails() -> None:
    def histogram(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
        return discrete_laplace_mechanism(draw, [rows.count(0), rows.count(1)], epsilon=epsilon, sensitivity=2)

    verdict = check_privacy(histogram, BITS, epsilon=1)
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None
    assert verdict.epsilon.exact == 1
    halved = check_privacy(histogram, BITS, epsilon="0.5", parameters={"epsilon": 1})
    assert halved.status is Status.REFUTED
    recompute_lumped(histogram, halved)


def recompute_lumped(mechanism: Any, verdict: Verdict) -> None:
    witness = verdict.witness
    assert witness is not None
    assert any(isinstance(part, AtLeast | AtMost | int) for outcome in witness.event for part in outcome)
    left, right = (distribution(mechanism, database, epsilon=1) for database in (witness.left, witness.right))
    assert left.probability(*witness.event) > exp(witness.epsilon) * right.probability(*witness.event)


def test_a_cut_off_histogram_mixes_plain_outcomes_and_released_noise() -> None:
    """Releases noisy counts above a cut-off and 0 below it: post-processing, so as private as the noise."""

    def cell(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
        noisy = sum(rows) + draw(discrete_laplace(1 / epsilon))
        return 0 if noisy <= 2 else noisy

    verdict = check_privacy(cell, BITS, epsilon=1)
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None
    assert verdict.epsilon.exact == 1

    def cell_unless_empty(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
        return 0 if not any(rows) else cell(draw, rows, epsilon=epsilon)

    leaky = check_privacy(cell_unless_empty, BITS, epsilon=1)
    assert leaky.status is Status.REFUTED
    assert leaky.epsilon is None
    assert leaky.delta is not None
    assert leaky.delta.exact == exp(-2) / (1 + exp(-1))


def test_half_units_are_another_lattice() -> None:
    def mean(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
        return (sum(rows) + draw(discrete_laplace(1 / epsilon))) * Fraction(1, 3)

    assert check_privacy(mean, BITS, epsilon=1).status is Status.PROVED

    def uneven(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
        return Fraction(sum(rows), 2) + draw(discrete_laplace(1 / epsilon))

    verdict = check_privacy(uneven, BITS, epsilon=1)
    assert verdict.status is Status.REFUTED  # the fraction gives the parity away
    assert verdict.delta is not None
    assert verdict.delta.exact == 1


# Details of a verdict.


def test_the_parts_of_a_verdict() -> None:
    def most_common(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
        return draw(exponential({x: rows.count(x) for x in range(3)}, epsilon))

    domain = Multisets(range(3), size=6)
    verdict = check_privacy(most_common, domain, replace_one, epsilon=1, delta=0)
    assert verdict.status is Status.PROVED
    assert verdict.witness is None
    assert verdict.databases == 28
    assert verdict.pairs.covered == 126
    assert verdict.pairs.outside == 0
    assert verdict.epsilon is not None
    assert verdict.epsilon.lower < Fraction("0.8981891") < verdict.epsilon.upper + Fraction(1, 10**6)
    assert "126 ordered pairs" in verdict.scope
    assert "Multisets(range(0, 3), size=6)" in verdict.scope
    assert "every order of the rows run for" in verdict.scope


def test_distinct_pairs_are_counted_once() -> None:
    verdict = check_privacy(clamped, Tuples((0, 1), size=6), epsilon=1)
    assert verdict.pairs.covered == 6 * 2**6
    assert verdict.pairs.distinct == 12  # laws of 7 counts, each with its neighbours


def test_a_constant_mechanism() -> None:
    verdict = check_privacy(lambda draw, rows: "same", BITS, epsilon=0)
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None
    assert verdict.epsilon.exact == 0
    assert verdict.pairs.distinct == 0


def test_the_mechanism_gets_the_claim_unless_parameters_say_otherwise() -> None:
    def records(draw: Draw, rows: Sequence[int], *, epsilon: Any, delta: Any = None, scale: int = 1) -> Any:
        return epsilon, delta, scale

    def seen(**kwargs: Any) -> Any:
        law = check_privacy(records, BITS, epsilon=1, delta="0.5", **kwargs)
        assert law.status is Status.PROVED
        return law.scope

    assert "epsilon=1, delta=1/2" in seen()
    assert "epsilon=3, delta=1/2, scale=7" in seen(parameters={"epsilon": 3, "scale": 7})


def test_witnesses_in_score_space_are_lifted() -> None:
    def best(draw: Draw, scores: Sequence[int]) -> int:
        return scores.index(max(scores))

    witness = check_privacy(best, ScoreSpace(range(3), solutions=2), scores_linf, epsilon=1).witness
    assert witness is not None
    assert (witness.left, witness.right) == ((0, 0), (0, 1))
    assert witness.lifted is not None
    assert "q((a,), h) = (0, 0)[h]" in witness.lifted


def test_a_sign_without_a_complete_test_makes_a_claim_undecided() -> None:
    hidden, plain = sqrt(7 + 4 * sqrt(3)) / 8, (2 + sqrt(3)) / 8

    def mechanism(draw: Draw, database: int) -> Any:
        return bernoulli(hidden if database else plain)

    verdict = check_privacy(mechanism, [0, 1], lambda d: [1 - d], epsilon=0)
    assert verdict.status is Status.UNDECIDED
    assert "no complete zero test is known for sqrt" in verdict.reason
    assert verdict.delta is not None
    assert verdict.delta.upper < Fraction(1, 10**200)
    assert check_privacy(mechanism, [0, 1], lambda d: [1 - d], epsilon=0, delta="1e-9").status is Status.PROVED


def test_an_undecided_pair_does_not_hide_a_violation() -> None:
    hidden, plain = sqrt(7 + 4 * sqrt(3)) / 8, (2 + sqrt(3)) / 8

    def mechanism(draw: Draw, database: int) -> Any:
        return bernoulli((plain, hidden, exact("0.1"))[database])

    verdict = check_privacy(mechanism, [0, 1, 2], lambda d: {0, 1, 2} - {d}, epsilon=0)
    assert verdict.status is Status.REFUTED


def test_an_undecided_comparison_inside_a_mechanism() -> None:
    def mechanism(draw: Draw, rows: Sequence[int]) -> bool:
        return bool(draw(discrete_laplace(1)) + sqrt(7 + 4 * sqrt(3)) >= 2 + sqrt(3))

    verdict = check_privacy(mechanism, BITS, epsilon=1)
    assert verdict.status is Status.UNDECIDED
    assert verdict.delta is None
    assert "sqrt" in verdict.reason


# Bad input.


def fine(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return exponential([rows.count(0), rows.count(1)], epsilon)


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"epsilon": 0.1}, r'epsilon=0\.1 is a float.*write "0\.1"'),
        ({"epsilon": float("nan")}, "epsilon=nan is a float"),
        ({"epsilon": -1}, "epsilon=-1 is negative"),
        ({"epsilon": "nan"}, "epsilon='nan' is not a finite number"),
        ({"epsilon": 1, "delta": -1}, "delta=-1 is not between 0 and 1"),
        ({"epsilon": 1, "delta": "1.01"}, "delta=101/100 is not between 0 and 1"),
        ({"epsilon": 1, "delta": 1e-6}, "delta=1e-06 is a float"),
        ({"epsilon": None}, "epsilon=None"),
        ({"epsilon": 0}, "fine on .*: epsilon=0 must be greater than 0"),
        ({"epsilon": 1, "parameters": {"scale": 2}}, "fine has no parameter scale: it has epsilon"),
        ({"epsilon": 1, "parameters": {"epsilon": 0.5}}, "epsilon=0.5 is a float"),
    ],
)
def test_bad_claims(claim: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_privacy(fine, BITS, **claim)


def test_a_claim_of_epsilon_0_is_fine() -> None:
    assert check_privacy(fine, BITS, epsilon=0, parameters={"epsilon": 1}).status is Status.REFUTED
    assert check_privacy(lambda draw, rows: 1, BITS, epsilon=0, delta=0).status is Status.PROVED
    assert check_privacy(true_answer, BITS, epsilon=0, delta=1).status is Status.PROVED


def test_missing_parameters() -> None:
    def needs(draw: Draw, rows: Sequence[int], *, threshold: int) -> int:
        return threshold

    with pytest.raises(InputError, match=r"needs needs threshold: give parameters=|needs threshold: give parameters="):
        check_privacy(needs, BITS, epsilon=1)


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        ([], "empty"),
        ([(0,)], "no pair of neighbours"),
        ([[0], [1]], "cannot be hashed"),
        (Tuples((0, 1), size=21), "more than"),
    ],
)
def test_bad_domains(domain: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_privacy(fine, domain, epsilon=1)


calls = count()


def remembers(draw: Draw, rows: Sequence[int]) -> Any:
    return bernoulli(Fraction(1, 2 + next(calls)))


def own_coin(draw: Draw, rows: Sequence[int]) -> Any:
    return random.random() < 0.5


def depends_on_order(draw: Draw, rows: Sequence[int]) -> Any:
    return rows[0]


def does_not_end(draw: Draw, rows: Sequence[int]) -> Any:
    while True:
        pass


@pytest.mark.parametrize(
    ("mechanism", "domain", "message"),
    [
        (remembers, BITS, "not deterministic: its law was another one when computed a second time"),
        (own_coin, Tuples((0, 1), size=6), r"chance came from random.random: let all chance come from `draw`"),
        (depends_on_order, Multisets((0, 1), size=3), r"depends on the order of the rows: .* use Tuples"),
    ],
)
def test_bad_mechanisms(mechanism: Any, domain: Any, message: str) -> None:
    with pytest.raises(MechanismError, match=message):
        verifiers.check_privacy(mechanism, domain, epsilon=1)


def test_a_mechanism_that_does_not_return_is_stopped() -> None:
    with pytest.raises(MechanismError, match="was not known after 1 s; it may have many paths, or not end"):
        check_privacy(does_not_end, BITS, epsilon=1, limits=Limits(seconds=1))


def test_noise_whose_scale_tells_of_the_data_is_not_private() -> None:
    def local_sensitivity(draw: Draw, rows: Sequence[int]) -> Any:
        return sum(rows) + draw(discrete_laplace(1 + sum(rows)))

    verdict = check_privacy(local_sensitivity, BITS, epsilon=1)
    assert verdict.status is Status.REFUTED
    assert verdict.epsilon is None


def test_templates_that_could_be_confused_are_refused() -> None:
    def confusing(draw: Draw, rows: Sequence[int]) -> Any:
        noise = draw(discrete_laplace(1))
        return noise if rows[0] else 2 * noise

    with pytest.raises(InputError, match="two kinds of outcome"):
        check_privacy(confusing, BITS, epsilon=1)


def test_too_many_cells_are_refused() -> None:
    def vector(draw: Draw, rows: Sequence[int]) -> Any:
        return tuple(row + draw(discrete_laplace(1)) for row in rows)

    verdict = check_privacy(vector, Tuples((0, 1), size=4), epsilon=1, limits=Limits(outcomes=100))
    assert verdict.status is Status.UNDECIDED
    assert "1,296 cells" in verdict.reason
    assert "limits=Limits(outcomes=…)" in verdict.reason


def test_the_cells_of_a_tail_are_limited() -> None:
    """Scales that differ by a thousandth have ratios that cross far out."""

    def nearly_of_one_scale(draw: Draw, rows: Sequence[int]) -> Any:
        return draw(discrete_laplace(10 + Fraction(rows[0], 1000)))

    verdict = check_privacy(nearly_of_one_scale, Tuples((0, 1), size=1), epsilon=1, limits=Limits(cells=500))
    assert verdict.status is Status.UNDECIDED
    assert "limits=Limits(cells=…)" in verdict.reason


def test_probabilities_of_the_table_sum_to_one_on_cells() -> None:
    from dpverify.verifiers.privacy.lumping import lumped

    laws = [distribution(geometric, rows, epsilon=1) for rows in BITS]
    for law in lumped(laws, Limits(outcomes=100, cells=100), 1):
        assert total(law.probabilities.values()) == 1


def test_add_or_remove_changes_the_exact_epsilon() -> None:
    domain = Multisets(range(2), sizes=range(4))

    def histogram(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
        return discrete_laplace_mechanism(draw, [rows.count(0), rows.count(1)], epsilon=epsilon)

    one = check_privacy(histogram, domain, add_or_remove_one, epsilon=1)
    swap = check_privacy(histogram, domain, replace_one, epsilon=1)
    assert one.status is Status.PROVED
    assert swap.status is Status.REFUTED
    assert swap.epsilon is not None
    assert swap.epsilon.exact == 2


@pytest.mark.parametrize("four", [4, Fraction(4)], ids=lambda four: type(four).__name__)
def test_a_plain_number_beside_released_ones_is_one_of_them(four: Any) -> None:
    """½·[4] + ½·(discrete noise with z = ½) against the noise: at 4 the ratio is (½ + 1/96)/(1/48) = 49/2."""

    def mechanism(draw: Draw, database: tuple[int, ...]) -> Any:
        noise = draw(discrete_laplace(1 / log(2)))
        return four if database[0] == 0 and draw(bernoulli("0.5")) else noise

    for outcome in (4, four):
        assert distribution(mechanism, (0,)).probability(outcome) == Fraction(49, 96)
    domain = Tuples(range(2), size=1)
    verdict = check_privacy(mechanism, domain, epsilon=log(Fraction(49, 2)))
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None
    assert verdict.epsilon.exact == log(Fraction(49, 2))
    assert check_privacy(mechanism, domain, epsilon=0).delta.exact == Fraction(47, 96)  # type: ignore[union-attr]  # None would fail as well


@pytest.mark.parametrize("four", [exact(4), Decimal(4), np.int64(4)], ids=lambda four: type(four).__name__)
def test_what_equals_a_released_number_and_is_of_another_type_is_refused(four: Any) -> None:
    def mechanism(draw: Draw, database: tuple[int, ...]) -> Any:
        noise = draw(discrete_laplace(1 / log(2)))
        return four if database[0] == 0 and draw(bernoulli("0.5")) else noise

    assert distribution(mechanism, (0,)).probability(4) == Fraction(49, 96)
    with pytest.raises(InputError, match="they are equal, and so one outcome of a law, but not the same"):
        check_privacy(mechanism, Tuples(range(2), size=1), epsilon=1)


def test_a_float_beside_released_numbers_is_refused() -> None:
    for number in (4.0, np.float32(4), 4 + 0j):

        def mechanism(draw: Draw, database: tuple[int, ...], number: Any = number) -> Any:
            return number if database[0] else draw(discrete_laplace(1))

        with pytest.raises(InputError, match="stands beside released numbers"):
            check_privacy(mechanism, Tuples(range(2), size=1), epsilon=1, parameters={})


def test_noise_released_in_part_has_cells_of_its_own_at_the_cut() -> None:
    """Above the cut another outcome is released: numbers beyond it occur on one side only, so ε is infinite."""

    def cut(draw: Draw, rows: tuple[int, ...]) -> Any:
        noise = draw(discrete_laplace(1))
        return ("high",) if noise > 5 else sum(rows) + noise

    verdict = check_privacy(cut, Tuples((0, 1), size=1), epsilon=1)
    assert verdict.status is Status.REFUTED
    assert verdict.epsilon is None
    assert verdict.witness is not None
    assert verdict.witness.event == (6,)

    def truncated(draw: Draw, rows: tuple[int, ...]) -> Any:
        return sum(rows) + draw(truncated_discrete_laplace(1, 3))

    verdict = check_privacy(truncated, Tuples((0, 1), size=1), epsilon=1)
    assert verdict.epsilon is None
    assert verdict.delta is not None
    assert verdict.delta.exact == distribution(truncated, (0,)).probability(-3)


# Numbers that are 0 in disguise, or hard to name.


def test_a_claim_or_a_probability_that_is_0_in_disguise() -> None:
    nothing = (exp(1) + 1) * (exp(1) - 1) - exp(2) + 1

    def mechanism(draw: Draw, database: int) -> Any:
        return Distribution({"a": 1, "b": nothing, database: 1})

    verdict = check_privacy(mechanism, [0, 1], lambda x: [1 - x], epsilon=nothing, delta=nothing)
    assert verdict.status is Status.REFUTED
    assert verdict.delta is not None
    assert verdict.delta.exact == Fraction(1, 2)
    assert verdict.epsilon is None
    assert check_privacy(mechanism, [0, 1], lambda x: [1 - x], epsilon=0, delta="0.5").status is Status.PROVED


def test_a_claim_whose_sign_is_unknown_is_bad_input() -> None:
    hidden = exp(sqrt(2)) * exp(-sqrt(2)) - 1
    for claim in ({"epsilon": hidden}, {"epsilon": 1, "delta": hidden}):
        with pytest.raises(InputError, match="may be 0 or not"):
            check_privacy(true_answer, BITS, **claim)


def test_an_exact_epsilon_that_cannot_be_factored_is_given_all_the_same() -> None:
    p, q = (Fraction(2**607 - 1 - k, 10**190) * (2**20 - 3) for k in (0, 58))

    def mechanism(draw: Draw, database: int) -> Any:
        return bernoulli((p, q)[database])

    verdict = check_privacy(mechanism, [0, 1], lambda x: [1 - x], epsilon=1)
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None
    assert 0 < verdict.epsilon.upper < Fraction(1, 10**170)


def test_numbers_with_very_many_digits_are_reported() -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        return bernoulli(Fraction(rows[0] + 1, 10**5000))

    verdict = check_privacy(mechanism, Tuples(range(2), size=1), epsilon="1e-9")
    assert verdict.status is Status.REFUTED
    assert "Pr[event | left]" in str(verdict.witness)
    with pytest.raises(InputError, match=r"epsilon=e\^10000000 is beyond"):
        check_privacy(mechanism, Tuples(range(2), size=1), epsilon=exp(10**7))


def test_a_parameter_called_limits() -> None:
    def between(draw: Draw, rows: tuple[int, ...], *, limits: tuple[int, int]) -> int:
        return min(max(sum(rows), limits[0]), limits[1])

    verdict = check_privacy(between, BITS, epsilon=1, parameters={"limits": (0, 2)})
    assert verdict.status is Status.REFUTED


# Mutants of the checker that nothing else caught.


def test_a_claim_that_is_met_up_to_an_undecided_number_is_undecided() -> None:
    hidden, plain = sqrt(7 + 4 * sqrt(3)) / 8, (2 + sqrt(3)) / 8

    def mechanism(draw: Draw, database: int) -> Any:
        return bernoulli(hidden if database else Fraction(1, 4))

    verdict = check_privacy(mechanism, [0, 1], lambda x: [1 - x], epsilon=0, delta=plain - Fraction(1, 4))
    assert verdict.status is Status.UNDECIDED
    assert verdict.epsilon is None


def test_an_undecided_delta_is_bounds_without_an_exact_form() -> None:
    hidden, plain = sqrt(7 + 4 * sqrt(3)) / 8, (2 + sqrt(3)) / 8

    def mechanism(draw: Draw, database: int) -> Any:
        return bernoulli(hidden if database else plain)

    delta = check_privacy(mechanism, [0, 1], lambda x: [1 - x], epsilon=0).delta
    assert delta is not None
    assert delta.exact is None
    assert delta.upper > 0


def test_the_witness_is_the_pair_whose_later_database_comes_first() -> None:
    def mechanism(draw: Draw, database: int) -> int:
        return database

    pairs = {0: [3], 3: [0], 1: [2], 2: [1]}
    witness = check_privacy(mechanism, [0, 1, 2, 3], lambda x: pairs[x], epsilon=1).witness
    assert witness is not None
    assert {witness.left, witness.right} == {1, 2}


def test_released_noise_that_depends_on_the_order_of_rows() -> None:
    def first_row(draw: Draw, rows: tuple[int, ...]) -> Any:
        return rows[0] + draw(discrete_laplace(1))

    with pytest.raises(InputError, match="depends on the order of the rows"):
        check_privacy(first_row, Multisets((0, 1), size=2), epsilon=1)


def test_the_witness_is_computed_again_before_it_is_shown() -> None:
    """A mechanism that is found out by nothing but that: it changes after as many calls as the check makes."""
    calls = 0
    last = 10**9

    def changes(draw: Draw, database: int) -> int:
        nonlocal calls
        calls += 1
        return database if calls <= last else 0

    check_privacy(changes, [0, 1], lambda x: [1 - x], epsilon=1)
    last, calls = calls - 2, 0
    with pytest.raises(InputError, match="the witness's probability was another one when computed again"):
        check_privacy(changes, [0, 1], lambda x: [1 - x], epsilon=1)


def test_own_randomness_is_found_out_on_small_domains() -> None:
    generator = random.Random(0)

    def own_bit(draw: Draw, database: int) -> int:
        return generator.getrandbits(1)

    for _ in range(3):
        with pytest.raises(InputError, match=r"chance came from random\.Random\.getrandbits"):
            check_privacy(own_bit, [0, 1], lambda x: [1 - x], epsilon=1)


def test_limits_hold_before_lists_are_made() -> None:
    def far_apart(draw: Draw, database: int) -> Any:
        return database * 10**12 + draw(discrete_laplace(1))

    verdict = check_privacy(far_apart, [0, 1], lambda x: [1 - x], epsilon=1)
    assert verdict.status is Status.UNDECIDED
    assert "probabilities of cells to compare" in verdict.reason


def test_parameters_read_well_in_a_scope() -> None:
    nested = ((fine, {"epsilon": Fraction(1, 2)}), [log(2), "x"])
    assert shown_parameter(nested) == "((fine, {'epsilon': 1/2}), [ln 2, 'x'])"
    assert shown_parameter((1,)) == "(1,)"
