"""Verdicts, worst δ and exact ε against brute force over all events."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.verifiers.privacy.mechanisms_to_check import BITS, check_privacy

from dpverify.mechanisms import Distribution, Draw, discrete_laplace, distribution, exp, log
from dpverify.mechanisms.outputs import AtLeast, AtMost
from dpverify.mechanisms.selection import discrete_laplace_mechanism
from dpverify.verifiers import Status, Tuples, Verdict


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
    worst = None if verdict.basis.worst is None else excess[verdict.basis.worst]  # type: ignore[index]  # None would fail as well
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
