"""What the lemmas say of L, q, u, partitions and rules, of the functions that run, on random input.

Each definition is written out once more, as the lemma has it, so that proof and implementation cannot drift apart.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import ceil

from hypothesis import assume, given
from hypothesis import strategies as st

from dpverify.mechanisms.counting.step_functions import StepFunction
from dpverify.mechanisms.learners import Parity
from dpverify.mechanisms.learners.thresholds_learner import threshold_quality
from dpverify.mechanisms.recursion import quasi_concave as recursion
from dpverify.mechanisms.release.chebyshev import dropping_polynomial, sparse_threshold_polynomial
from dpverify.mechanisms.release.private_release import Synopsis, thresholds_for
from dpverify.mechanisms.sanitizers import Threshold
from dpverify.mechanisms.sanitizers import thresholds_sanitizer as sanitizer
from dpverify.mechanisms.sanitizers.label_sanitizer import labelled_concept
from dpverify.mechanisms.sanitizers.sorted_points import most_within
from dpverify.mechanisms.selection.large_margin import margin_condition
from dpverify.mechanisms.selection.stability import best_and_gap
from dpverify.verifiers.catalogue.recursion.quasi_concave_structure import is_quasi_concave
from dpverify.verifiers.catalogue.release.private_release_structure import Says, consistent

QUALITIES = st.lists(st.integers(-5, 12), min_size=1, max_size=40)
SMALL = st.integers(0, 15)


def windows(values: list[int], length: int) -> list[list[int]]:
    return [values[i : i + length] for i in range(len(values) - length + 1)]


@given(QUALITIES)
def test_l_is_the_largest_minimum_and_does_not_rise(values: list[int]) -> None:
    found = StepFunction.of(values).best_minimum_by_length()
    assert found == [max(map(min, windows(values, 1 << j))) for j in range(len(values).bit_length())]
    assert sorted(found, reverse=True) == found


@given(st.integers(0, 4), st.data(), st.fractions(0, 12), st.fractions(0, 1))
def test_q_of_the_recursion_is_quasi_concave(scale: int, data: st.DataObject, r: Fraction, alpha: Fraction) -> None:
    length = (1 << scale) + 1
    values = data.draw(st.lists(st.integers(-5, 12), min_size=length, max_size=length))
    found = recursion.scale_quality(StepFunction.of(values), r, alpha)
    q = [found(j) for j in range(found.last + 1)]
    big_l = [max(map(min, windows(values, 1 << j))) for j in range(scale + 1)]
    big_l.append(min(0, big_l[-1]))
    assert q == [min(big_l[j] - (1 - alpha) * r, r - big_l[j + 1]) for j in range(len(big_l) - 1)]
    assert is_quasi_concave(q)


@given(st.lists(st.tuples(st.integers(-5, 9), st.integers(-1, 1)), min_size=1, max_size=30), st.integers(1, 9), SMALL)
def test_the_best_of_a_block_moves_by_at_most_1(pairs: list[tuple[int, int]], length: int, offset: int) -> None:
    on_s, on_t = [x for x, _ in pairs], [x + change for x, change in pairs]
    u, v = (StepFunction.of(values).block_maxima(length, offset) for values in (on_s, on_t))
    if u is None or v is None:
        assert u is v
        assert offset >= len(pairs)
        return
    assert [u(i) for i in range(u.last + 1)] == [max(block) for block in blocks(on_s, length, offset)]
    assert all(abs(Fraction(u(i)) - Fraction(v(i))) <= 1 for i in range(u.last + 1))


def blocks(values: list[int], length: int, offset: int) -> list[list[int]]:
    return [values[start : start + length] for start in range(offset, len(values), length)]


@given(st.integers(1, 6), st.integers(0, 200), st.data())
def test_an_interval_of_4k_plus_1_lies_in_one_block(k: int, p: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 4 * k + 1))
    inside = StepFunction.of([int(p <= x < p + n) for x in range(p + n + 20 * k)])
    met = []
    for offset in (0, 4 * k):
        found = inside.block_maxima(8 * k, offset)
        assert found is not None
        met.append(sum(found(i) for i in range(found.last + 1)) == 1 and p >= offset)
    assert any(met)


@given(st.lists(SMALL, max_size=20), st.integers(0, 16), st.lists(st.tuples(SMALL, st.integers(0, 1)), max_size=20))
def test_threshold_quality(points: list[int], t: int, others: list[tuple[int, int]]) -> None:
    sample = [(x, int(x < t)) for x in points]
    for examples, consistent_with_t in ((sample, True), (others, False)):
        if not examples:
            continue
        quality = threshold_quality(examples, 4)
        found = [quality(j) for j in range(17)]
        assert found == [sum((x < j) == bool(y) for x, y in examples) for j in range(17)]
        assert is_quasi_concave(found) or not consistent_with_t


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(-1, 1)), min_size=2, max_size=12), st.integers(1, 12), SMALL)
def test_order_statistics_gaps_and_margins(pairs: list[tuple[int, int]], rank: int, margin: int) -> None:
    f, g = [x for x, _ in pairs], [x + change for x, change in pairs]
    ranked = [sorted(scores, reverse=True) for scores in (f, g)]
    assert all(abs(x - y) <= 1 for x, y in zip(*ranked, strict=True))
    gaps = [best_and_gap(scores)[1] for scores in (f, g)]
    assert gaps == [scores[0] - scores[1] for scores in ranked]
    assert abs((ranked[0][0] - ranked[0][1]) - (ranked[1][0] - ranked[1][1])) <= 2
    if margin_condition(f, rank, margin):
        assert margin_condition(g, rank, margin - 2)


@given(st.lists(st.integers(0, 63), max_size=30), st.integers(0, 63), st.integers(0, 3))
def test_growth(points: list[int], x: int, z: int) -> None:
    counts, more = Counter(points), Counter([*points, x])
    assert {a: more[a] - counts[a] for a in more if more[a] != counts[a]} == {x: 1}
    before = sanitizer.interval_counts(sorted(points), (0, 63), z)
    after = sanitizer.interval_counts(sorted([*points, x]), (0, 63), z)
    risen = {run: after[run] - before.get(run, 0) for run in after if after[run] != before.get(run, 0)}
    assert all(growth == 1 for growth in risen.values())
    assert 1 <= len(risen) <= 2
    assert all(low <= x <= high for low, high in risen)


@given(st.lists(st.integers(0, 15), max_size=30), st.integers(0, 5))
def test_the_quality_of_the_sanitizer(points: list[int], unit: int) -> None:
    inside = sorted(points)
    most = [max(sum(a <= x < a + (1 << j) for x in inside) for a in range(16 - (1 << j) + 1)) for j in range(5)]
    assert most_within(inside, 4) == most
    assert sorted(most) == most
    quality = sanitizer.threshold_scale_quality(inside, 4, Fraction(unit))
    found = [quality(j) for j in range(5)]
    assert found == [min(most[j] - unit, 3 * unit - (most[j - 1] if j else 0)) for j in range(5)]
    assert is_quasi_concave(found)


@given(st.integers(0, 8), st.integers(0, 7), st.integers(0, 1))
def test_labelled_concepts(j: int, x: int, sigma: int) -> None:
    concept = Threshold(j)
    assert labelled_concept(concept)((x, sigma)) == sigma ^ concept(x)


@given(st.sets(st.sampled_from([tuple(int(bit) for bit in f"{i:03b}") for i in range(8)]), min_size=1))
def test_the_vc_dimension_of_labelled_concepts_is_that_of_the_class(tables: set[tuple[int, ...]]) -> None:
    """A class on three points: every set of it, by brute force."""
    concepts = [tuple_concept(table) for table in tables]
    assert vc([[concept(x) for concept in concepts] for x in range(3)]) == vc(
        [[labelled_concept(concept)((x, sigma)) for concept in concepts] for x in range(3) for sigma in (0, 1)]
    )


def tuple_concept(table: tuple[int, ...]) -> Callable[[int], int]:
    return table.__getitem__


def vc(labels: list[list[int]]) -> int:
    """The VC dimension, from the labels that each concept gives to each point."""
    points = range(len(labels))
    return max(
        size
        for size in range(len(labels) + 1)
        for chosen in combinations(points, size)
        if len(set(zip(*(labels[x] for x in chosen), strict=True)) if chosen else {()}) == 1 << size
    )


@given(st.integers(1, 6), st.data())
def test_distinct_parities_differ_on_half_of_the_cube(d: int, data: st.DataObject) -> None:
    y, z = data.draw(st.tuples(st.integers(0, (1 << d) - 1), st.integers(0, (1 << d) - 1)))
    assume(y != z)
    assert sum(Parity(y)(x) != Parity(z)(x) for x in range(1 << d)) == 1 << d - 1


@given(st.fractions(Fraction(1, 20), 1), st.fractions(0, 1))
def test_thresholds_near_a_value(alpha: Fraction, f: Fraction) -> None:
    k = thresholds_for(alpha)
    near = [i for i in range(1, k + 1) if abs(f - Fraction(i, k + 1)) < alpha / 7]
    assert len(near) <= (1 if alpha <= Fraction(1, 4) else 2)


@given(st.fractions(0, 1), st.integers(3, 20), st.data())
def test_synopses(f: Fraction, k: int, data: st.DataObject) -> None:
    """With right hypotheses within a step, and within two where both neighbours of f may say anything."""
    right = consistent(f, k)
    assert 0 <= f - Synopsis(right)(None) <= Fraction(1, k + 1)
    below = int(f * (k + 1))
    said = list(right)
    for i in (below, below + 1):
        if 1 <= i <= k:
            said[i - 1] = Says(data.draw(st.integers(0, 1)))
    assert abs(f - Synopsis(tuple(said))(None)) <= Fraction(2, k + 1)


@given(st.integers(1, 60), st.integers(1, 200))
def test_the_polynomial_drops(k: int, n: int) -> None:
    s = dropping_polynomial(k, Fraction(1, 3 * n))
    assert s(k) == 1
    assert all(abs(s(j)) <= Fraction(1, 3 * n) for j in range(k))


@given(st.lists(st.integers(0, 15), min_size=1, max_size=6), st.fractions(0, 1, max_denominator=6), st.integers(1, 4))
def test_the_sign_of_the_polynomial(rows: list[int], t: Fraction, k: int) -> None:
    sign = sparse_threshold_polynomial(rows, t=t, d=4, k=k)
    for q in range(16):
        if q.bit_count() <= k:
            meeting = sum(q & ~u == 0 for u in rows)
            assert sign(q) == int(meeting >= ceil(t * len(rows)))
