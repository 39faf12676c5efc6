"""What is computed from noise, decided by the noises: what carries over, what does not, and against enumeration."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpverify.mechanisms import (
    Draw,
    InputError,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
    exp,
    folded,
    gaussian,
    laplace,
    run,
    truncated_laplace,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.finer_releases.before_post_processing import BeforePostProcessing
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.outputs import AtLeast, AtMost
from dpverify.reports.record import Status
from dpverify.verifiers import Multisets, Tuples, add_or_remove_one, check_privacy, replace_one
from dpverify.verifiers.divergence.densities.one_to_one import tells_leaves
from dpverify.verifiers.verdicts.verdict import Verdict, record_of, scope_on

Rows = tuple[int, ...]

TWO_BITS = Tuples((0, 1), size=2)
UP_TO_THREE = Multisets(range(4), sizes=range(4))


def lap(draw: Draw, epsilon: Any = 1) -> Any:
    return draw(laplace(1 / Fraction(epsilon)))


def whole(draw: Draw, epsilon: Any = 1) -> Any:
    return draw(discrete_laplace(1 / Fraction(epsilon)))


def counts(draw: Draw, rows: Rows, noise: Callable[..., Any] = lap) -> tuple[Any, ...]:
    """Noisy counts of 0 and 1, private at ε = 1 under replacement."""
    return tuple(rows.count(i) + noise(draw, Fraction(1, 2)) for i in (0, 1))


def both(draw: Draw, rows: Rows, noise: Callable[..., Any] = lap) -> tuple[Any, Any]:
    """Both bits, each with noise of its own."""
    return rows[0] + noise(draw), rows[1] + noise(draw)


def decided(mechanism: Any, domain: Any = TWO_BITS, neighbours: Any = replace_one, **given: Any) -> Verdict:
    return check_privacy(mechanism, domain, neighbours, **({"epsilon": 1, "recheck": False} | given))


# --- What is proved


def ratio(draw: Draw, rows: Rows) -> Any:
    return (sum(rows) + draw(laplace(6))) / (len(rows) + draw(laplace(2)))


def bounded_mean(draw: Draw, rows: Rows) -> Any:
    total, count = sum(rows) + draw(laplace(6)), len(rows) + draw(laplace(2))
    return clamp(total / max(count, 1), 0, 3)


def percent(draw: Draw, rows: Rows) -> Any:
    return 100 * (sum(rows) + draw(discrete_laplace(6))) / max(len(rows) + draw(discrete_laplace(2)), 1)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mechanism", [ratio, bounded_mean, percent])
def test_a_noisy_sum_over_a_noisy_count(mechanism: Any) -> None:
    verdict = decided(mechanism, UP_TO_THREE, add_or_remove_one)
    assert verdict.status is Status.PROVED
    assert verdict.basis.before_post_processing and verdict.basis.is_upper_bound
    assert verdict.epsilon is not None and verdict.epsilon.exact == 1
    assert "decided before post-processing" in verdict.scope
    assert decided(mechanism, UP_TO_THREE, add_or_remove_one, epsilon="0.99").status is Status.UNDECIDED


def variance(draw: Draw, rows: Rows) -> Any:
    squares, total = sum(r * r for r in rows) + lap(draw, Fraction(1, 2)), sum(rows) + lap(draw, Fraction(1, 2))
    return squares / 2 - (total / 2) ** 2


def shares(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, rows)
    return tuple(count / sum(noisy) for count in noisy)


def with_argmax(draw: Draw, rows: Rows) -> Any:
    noisy = counts(draw, rows)
    return noisy, noisy.index(max(noisy))


def in_order(draw: Draw, rows: Rows) -> Any:
    return tuple(sorted(counts(draw, rows)))


def sum_and_one(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows, whole)
    return first + second, first


def which_is_greater(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows)
    return first, second, first > second


def released_on_one_branch(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows)
    return (first * second,) if first > 0 else (second,)


def after_a_real_answer(draw: Draw, rows: Rows) -> Any:
    first = sum(rows) + lap(draw, Fraction(1, 2))
    return first, (sum(rows) if first > 1 else rows[0]) + lap(draw, Fraction(1, 2))


def by_then(draw: Draw, rows: Rows) -> Any:
    return draw.release([count + 1 for count in counts(draw, rows)], then=sorted)


def of_a_part(draw: Draw, rows: Rows) -> Any:
    first, second = draw(both, rows)
    return first / second


def from_a_part(draw: Draw, rows: Rows) -> Any:
    return draw(with_argmax, rows), draw(by_then, ())


def with_numpy(draw: Draw, rows: Rows) -> Any:
    noisy = np.array(counts(draw, rows))
    return tuple(np.sqrt(noisy * noisy / noisy.sum() + 1))


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "mechanism",
    [
        *(variance, shares, with_argmax, in_order, sum_and_one, which_is_greater, by_then, of_a_part),
        *(released_on_one_branch, after_a_real_answer, with_numpy),
    ],
)
def test_what_is_computed_from_private_numbers_is_private(mechanism: Any) -> None:
    verdict = decided(mechanism)
    assert verdict.status is Status.PROVED and verdict.basis.before_post_processing, verdict
    assert decided(mechanism, epsilon="0.9").status is not Status.PROVED
    with debugging():
        run(mechanism, (0, 1), seed=1)


@pytest.mark.forks
@pytest.mark.one_in(4)
@pytest.mark.parametrize("mechanism", [by_then, of_a_part, with_numpy, released_on_one_branch])
def test_repetition_by_plain_runs_changes_nothing_about_the_noises(mechanism: Any) -> None:
    """Plain runs have no noises in place of an outcome: nothing is repeated, and nothing said to be."""
    for epsilon in (1, "0.9"):
        verdict, alone = decided(mechanism, epsilon=epsilon, recheck=True), decided(mechanism, epsilon=epsilon)
        assert (verdict.status, verdict.reason) == (alone.status, alone.reason)
        assert "output distributions not recomputed" in verdict.scope
        assert "output distributions not recomputed" in alone.scope


def test_a_part_that_post_processes_is_inlined() -> None:
    assert decided(from_a_part, epsilon=1).status is Status.PROVED


def parts_beside_a_quotient(draw: Draw, rows: Rows) -> Any:
    return draw.each(lambda draw, row: draw(bernoulli(Fraction(1 + row, 3))), rows), lap(draw) / lap(draw)


def sum_of_parts(draw: Draw, rows: Rows) -> Any:
    return draw.release(draw.each(lambda draw, row: row + whole(draw), rows), then=sum)


def parts_that_are_quotients(draw: Draw, rows: Rows) -> Any:
    return draw.each(lambda draw, row: (row + lap(draw)) / lap(draw), rows)


def nothing_at_all(draw: Draw, rows: Rows) -> Any:
    return draw.release(rows[0] + lap(draw), then=lambda _: 0)


def square(draw: Draw, rows: Rows) -> Any:
    return (rows[0] + draw(gaussian(1))) ** 2


def numbers_and_the_larger(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows)
    return first, second, first > second


def test_a_bound_is_not_shown_as_exact() -> None:
    assert "found ε ≤ 1," in repr(decided(nothing_at_all, epsilon=2))
    assert "found δ ≤ 0.126" in repr(decided(square, delta="0.2"))
    assert "found ε = 1," in repr(decided(numbers_and_the_larger, epsilon=2))
    verdict = decided(square, delta="0.2")
    assert verdict.question is not None
    record = record_of(verdict, verdict.question, scope_on(verdict, ""), None)
    assert record.smallest_delta is not None and (record.smallest_delta.exact, record.smallest_delta.lower) == (
        None,
        "0",
    )
    assert verdict.delta is not None and Fraction(record.smallest_delta.upper) == verdict.delta.upper


PARTS = [parts_beside_a_quotient, sum_of_parts, parts_that_are_quotients]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mechanism", PARTS)
def test_parts_beside_what_is_computed_from_noise(mechanism: Any) -> None:
    assert decided(mechanism).status is Status.PROVED
    assert decided(mechanism, epsilon="1/2").status is not Status.PROVED
    with debugging():
        run(mechanism, (0, 1), seed=1)


def parts_that_tell_a_row(draw: Draw, rows: Rows) -> Any:
    return draw.each(lambda draw, row: draw.release(whole(draw), then=lambda number: number + row), rows)


def parts_beside_a_row(draw: Draw, rows: Rows) -> Any:
    return draw.each(lambda draw, row: (lap(draw) * lap(draw), row), rows)


@pytest.mark.parametrize("mechanism", [parts_that_tell_a_row, parts_beside_a_row])
def test_parts_that_see_a_row_are_not_proved(mechanism: Any) -> None:
    assert decided(mechanism, epsilon=2, delta="0.1").status is not Status.PROVED


def consistent_tree(draw: Draw, rows: Rows) -> Any:
    """Hay et al. (2010): counts of a binary tree of height 2, made consistent by least squares."""
    noisy = {(h, i): int(rows[0] >> (2 - h) == i) + draw(laplace(6)) for h in range(3) for i in range(2**h)}
    below = dict(noisy)
    for h, i in ((1, 0), (1, 1), (0, 0)):
        weight = Fraction(2 ** (2 - h + 1) - 2 ** (2 - h), 2 ** (2 - h + 1) - 1)
        below[h, i] = weight * noisy[h, i] + (1 - weight) * (below[h + 1, 2 * i] + below[h + 1, 2 * i + 1])
    found = {(0, 0): below[0, 0]}
    for h, i in ((1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (2, 3)):
        left = i // 2 * 2
        found[h, i] = below[h, i] + (found[h - 1, i // 2] - below[h, left] - below[h, left + 1]) / 2
    return tuple(found[2, i] for i in range(4))


def test_consistent_counts_of_a_tree() -> None:
    verdict = decided(consistent_tree, Tuples(range(4), size=1), epsilon=Fraction(2, 3))
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None and verdict.epsilon.exact == Fraction(2, 3)


# --- What is refuted, and what is not


@pytest.mark.parametrize("mechanism", [sum_and_one, which_is_greater])
def test_what_tells_its_noises_is_refuted_on_its_own_outcome(mechanism: Any) -> None:
    """One matrix of full column rank and one constant: the outcome and the noises are one thing."""
    verdict = decided(mechanism, epsilon=Fraction(1, 2))
    assert verdict.status is Status.REFUTED and not verdict.basis.is_upper_bound
    assert verdict.witness is not None and verdict.witness.p > verdict.witness.q
    proved = decided(mechanism)
    assert not proved.basis.is_upper_bound and "from which they can be told" in proved.scope


def test_the_event_of_a_refutation_is_as_likely_as_it_says() -> None:
    """(h₀ + h₁, h₀) at (0, 0): both noises are minus what they are added to."""
    witness = decided(sum_and_one, epsilon=Fraction(1, 2)).witness
    assert witness is not None
    z = 2.718281828459045**-1
    at_zero = (1 - z) / (1 + z)
    (event,) = witness.event
    assert isinstance(event, tuple) and repr(event[0]) == "<before (x1 + x2, x1)>"
    for rows, p in ((witness.left, witness.p), (witness.right, witness.q)):
        assert isinstance(rows, tuple)
        truth = at_zero**2 * z ** sum(abs(number - row) for number, row in zip(event[1:], rows, strict=True))
        assert float(enclosure(p)) == pytest.approx(truth, rel=1e-12)


def test_nothing_follows_from_a_refutation_before_post_processing() -> None:
    """Sorted noisy counts of (0, 1) and (1, 0) have one law, though the counts themselves need ε = 2."""

    def sorted_bits(draw: Draw, rows: Rows) -> Any:
        return tuple(sorted(both(draw, rows)))

    swapped = [(0, 1), (1, 0)]
    verdict = check_privacy(sorted_bits, swapped, lambda rows: [rows[::-1]], epsilon=1)
    assert verdict.status is Status.UNDECIDED and verdict.basis.refuted_before_post_processing
    assert "before post-processing it needs ε = 2, an upper bound" in verdict.reason
    assert verdict.witness is None and verdict.epsilon is None


def says_a_row_of_noise(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows)
    return first * second, rows[0] if first > 0 else 0


def of_rank_one(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows, whole)
    return first + second, 2 * (first + second)


def of_two_shapes(draw: Draw, rows: Rows) -> Any:
    """One branch's outcomes are also the other's: (x₁, x₂) and (x₂, x₁)."""
    first, second = both(draw, rows)
    return (first, second) if first > second else (second, first)


def with_a_plain_outcome(draw: Draw, rows: Rows) -> Any:
    """0 comes from either branch."""
    first, second = both(draw, rows, whole)
    return (first, second, first) if first > second else (0, 0, 0)


@pytest.mark.parametrize("mechanism", [of_rank_one, of_two_shapes, with_a_plain_outcome, in_order])
def test_what_does_not_tell_its_noises_is_never_refuted_by_them(mechanism: Any) -> None:
    """It may be by an event about the outcome itself."""
    verdict = decided(mechanism, epsilon=Fraction(1, 10))
    assert not (verdict.status is Status.REFUTED and verdict.basis.before_post_processing)
    if verdict.witness is not None:
        assert "before" not in repr(verdict.witness.event)


def unprotected_sum(draw: Draw, rows: Rows) -> Any:
    return sum(rows) / (len(rows) + draw(laplace(2)))


def too_little_noise(draw: Draw, rows: Rows) -> Any:
    return (sum(rows) + draw(laplace(Fraction(1, 4)))) / (len(rows) + draw(laplace(Fraction(1, 4))))


def shares_with_too_little(draw: Draw, rows: Rows) -> Any:
    noisy = tuple(rows.count(i) + draw(laplace(Fraction(1, 4))) for i in (0, 1))
    return tuple(count / sum(noisy) for count in noisy)


def argmax_of_the_truth(draw: Draw, rows: Rows) -> Any:
    """The numbers are noisy, and the place of the largest is that of the true ones."""
    true = [rows.count(i) for i in (0, 1)]
    return counts(draw, rows), true.index(max(true))


@pytest.mark.parametrize(
    "mechanism", [unprotected_sum, too_little_noise, shares_with_too_little, argmax_of_the_truth, says_a_row_of_noise]
)
def test_a_wrong_form_is_refuted_on_its_own_outcome(mechanism: Any) -> None:
    domain, relation = (Multisets((0, 1), sizes=range(3)), add_or_remove_one)
    if mechanism in (shares_with_too_little, argmax_of_the_truth, says_a_row_of_noise):
        domain, relation = TWO_BITS, replace_one  # type: ignore[assignment]
    verdict = decided(mechanism, domain, relation)
    assert verdict.status is Status.REFUTED and not verdict.basis.before_post_processing
    assert verdict.witness is not None and verdict.witness.difference > 0


def test_the_half_planes_of_a_ratio_have_the_probability_that_they_have() -> None:
    """Two noises of one scale: |x|/|y| ≥ 1/2 with probability 2/3, and their signs agree with probability 1/2."""
    witness = decided(too_little_noise, Multisets((0, 1), sizes=range(3)), add_or_remove_one).witness
    assert witness is not None and witness.left == ()
    assert witness.event == (AtLeast(Fraction(1, 2)),)
    assert witness.p == Fraction(1, 3)


def test_a_line_reproduces_what_is_refuted_by_a_part_of_the_outcome(capsys: pytest.CaptureFixture[str]) -> None:
    verdict = decided(too_little_noise, Multisets((0, 1), sizes=range(3)), add_or_remove_one)
    assert "found δ ≈" in repr(verdict).split("\n", maxsplit=1)[0]
    assert verdict.witness is not None and verdict.witness.reproduce is not None
    exec(verdict.witness.reproduce, {})
    assert capsys.readouterr().out == f"{verdict.witness.p} {verdict.witness.q} True\n"


# --- What sees the data beside the noises


def says_a_row(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows)
    return first * second, rows[0]


def of_another_type(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows)
    return first * second, 1 if rows[0] else True


def in_an_exponent(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows)
    return (first * second) ** (1 + rows[0])


def in_a_condition(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows)
    return first * second, first > second + 5 * rows[0]


def in_a_hidden_condition(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows)
    return first * first, (lap(draw) + 100 * rows[0] > 50) and second * second


def in_their_order(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows)
    return first / second if rows[0] else second / first


def in_their_number(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows)
    return first * second if rows[0] else first * first


def one_noise_twice(draw: Draw, rows: Rows) -> Any:
    noise = lap(draw)
    return (rows[0] + noise) * (rows[1] + noise)


def in_a_function(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows)
    return (first * second).exp() if rows[0] else (first * second).sqrt()


def in_a_draw(draw: Draw, rows: Rows) -> Any:
    first, second = both(draw, rows)
    return first * second, draw(bernoulli(Fraction(1 + 98 * rows[0], 100)))


def one_noise_for_both(draw: Draw, rows: Rows) -> Any:
    noise = lap(draw)
    return rows[0] + noise, rows[1] + noise, 1


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "mechanism",
    [
        *(says_a_row, says_a_row_of_noise, of_another_type, in_an_exponent, in_a_condition, in_a_hidden_condition),
        *(in_their_order, in_their_number, one_noise_twice, in_a_function, in_a_draw, one_noise_for_both),
    ],
)
@pytest.mark.parametrize("delta", [0, "0.1"])
@pytest.mark.one_in(2)
def test_what_sees_the_data_beside_the_noises_is_not_proved(mechanism: Any, delta: Any) -> None:
    assert decided(mechanism, epsilon=2, delta=delta).status is not Status.PROVED


def rounded_after_a_product_was_compared(draw: Draw, rows: Rows) -> Any:
    """Beside its rounding a noise is no leaf of its own: together they tell the row."""
    noise, second = lap(draw), rows[1] + lap(draw)
    large = (rows[0] + noise) * second > 1
    return large, second * second, round(noise)


def folded_after_a_product_was_compared(draw: Draw, rows: Rows) -> Any:
    noise, second = whole(draw), rows[1] + lap(draw)
    large = (rows[0] + noise) * second > 1
    return large, second * second, folded(noise, 0, 2)


def rounded_before_a_product(draw: Draw, rows: Rows) -> Any:
    noise, second = lap(draw), rows[1] + lap(draw)
    return (rows[0] + noise) * second, round(noise)


def test_a_noise_that_was_compared_in_a_product_is_rounded_as_a_leaf() -> None:
    """The leaf that is compared has the row in it, and what is rounded has not."""
    assert decided(rounded_after_a_product_was_compared, epsilon=4).status is Status.UNDECIDED


def test_a_noise_does_not_stand_beside_what_it_was_folded_to() -> None:
    with pytest.raises(InputError, match="was used after it was rounded or folded"):
        decided(folded_after_a_product_was_compared, epsilon=4)
    assert decided(rounded_before_a_product, epsilon=4).status is Status.UNDECIDED


def test_whole_noise_that_is_clamped_after_a_product_was_compared() -> None:
    """Of whole noise the clamped number tells the row beside what was compared."""

    def mechanism(draw: Draw, rows: Rows) -> Any:
        noise, second = whole(draw), rows[1] + lap(draw)
        large = (rows[0] + noise) * second > 1
        return large, second * second, clamp(noise, -2, 2)

    assert decided(mechanism, epsilon=4, delta="0.1").status is not Status.PROVED


def test_a_noise_with_ends_leaves_a_delta() -> None:
    """Of a truncated noise, what one database's numbers reach and the other's do not counts against δ."""

    def product_of_truncated(draw: Draw, rows: Rows) -> Any:
        first, second = (row + draw(truncated_laplace(1, 4)) for row in rows)
        return first * second, first > second

    beside = decided(lambda draw, rows: tuple(row + draw(truncated_laplace(1, 4)) for row in rows), delta="0.5")
    verdict = decided(product_of_truncated, delta="0.5")
    assert verdict.status is Status.PROVED and verdict.delta is not None and beside.delta is not None
    assert verdict.delta.exact == beside.delta.exact
    assert verdict.delta.lower > 0
    assert decided(product_of_truncated, delta=verdict.delta.lower / 2).status is Status.UNDECIDED


def test_whole_noise_that_is_0_divides_nothing() -> None:
    with pytest.raises(InputError, match="division by noise that is 0: cut it first") as error:
        decided(lambda draw, rows: 1 / (rows[0] + whole(draw)))
    assert "test_before_post_processing.py, line" in str(error.value)


def test_the_law_alone_says_what_is_checked() -> None:
    with pytest.raises(InputError, match="whose output distribution has no known closed form"):
        distribution(ratio, (1, 2))


def test_an_exact_law_decides_where_there_is_one() -> None:
    """The index of the largest of noisy scores alone has a law: it needs less than the numbers."""

    def largest(draw: Draw, rows: Rows) -> Any:
        noisy = counts(draw, rows)
        return noisy.index(max(noisy))

    verdict = decided(largest)
    assert not verdict.basis.before_post_processing
    assert verdict.epsilon is not None and verdict.epsilon.upper < 1


def test_regions_that_meet_are_not_counted_once() -> None:
    """Both outcomes of the coin lie over the same numbers: each has a half of their probability, and both count."""

    def with_a_coin(draw: Draw, rows: Rows) -> Any:
        first, second = (row + draw(truncated_laplace(1, 4)) for row in rows)
        return first * second, first > second, draw(bernoulli("0.5"))

    plain = decided(lambda draw, rows: tuple(row + draw(truncated_laplace(1, 4)) for row in rows), delta="0.5")
    verdict = decided(with_a_coin, delta="0.5")
    assert verdict.status is Status.PROVED and verdict.delta is not None and plain.delta is not None
    assert verdict.delta.upper >= plain.delta.lower > 0


def compared_for_nothing(draw: Draw, rows: Rows) -> Any:
    """Whether it is compared is a hidden coin, of which the outcome says nothing."""
    first, second = both(draw, rows, whole)
    if draw(bernoulli("0.5")) and first > 0:
        pass
    return first + second, first


def test_regions_that_the_outcome_does_not_tell_are_not_told() -> None:
    def tells(mechanism: Any) -> bool:
        return tells_leaves([distribution(BeforePostProcessing(mechanism), rows) for rows in ((0, 0), (0, 1))])

    assert tells(sum_and_one)
    assert not tells(compared_for_nothing)


# --- What is drawn has the law of what is computed


def test_what_is_drawn_is_computed_from_what_is_drawn() -> None:
    def mechanism(draw: Draw, rows: Rows) -> Any:
        first, second = both(draw, rows)
        third = rows[0] + whole(draw)
        ratio = first / second
        return (
            first,
            second,
            third,
            ratio,
            first * first,
            abs(first),
            round(ratio, 2),
            third**2,
            third > first,
            third / 4,
        )

    for seed in range(20):
        first, second, third, quotient, square, size, rounded, power, above, quarter = run(mechanism, (1, 0), seed=seed)
        assert quotient == pytest.approx(first / second, rel=1e-12)
        assert square == pytest.approx(first * first, rel=1e-12)
        assert size == abs(first)
        assert rounded == pytest.approx(round(quotient, 2), abs=1e-12)
        assert power == third**2 and type(power) is int
        assert above is (third > first)
        assert quarter == Fraction(third, 4)


def test_parts_that_cannot_lie_around_one_number_refute() -> None:
    """Both parts are 1 where the rows are alike, and nowhere else."""

    def cut_with_one_noise(draw: Draw, rows: Rows) -> Any:
        noise = draw(discrete_laplace(1))
        return tuple(max(0, row + noise) for row in rows)

    pair = [(0, 0), (0, 1)]
    verdict = decided(cut_with_one_noise, pair, lambda rows: [x for x in pair if x != rows], epsilon=3)
    assert verdict.witness is not None and verdict.witness.event == ((AtLeast(1), AtMost(1)),)
    assert verdict.witness.q == 0 and verdict.witness.p == (1 - exp(-1)) * exp(-1) / (1 + exp(-1))
