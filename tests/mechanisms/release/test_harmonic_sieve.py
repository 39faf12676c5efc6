"""Theorem 6.2 of Hardt, Rothblum & Servedio: thresholds of parity counts, learnt as majorities of parities."""

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, distribution, run
from dpverify.mechanisms.release import learn_majority_of_parities
from dpverify.mechanisms.release.harmonic_sieve import (
    draw_pairs,
    examples_of_sieve,
    heavy_parities,
    prefixes_of_sieve,
    queries_of_sieve,
    samples_of_sieve,
)
from dpverify.mechanisms.release.majority_of_parities import (
    MajorityOfParities,
    best_vote,
    boost,
    boosting_for,
    character,
    edge_of_parity_thresholds,
    fourier_sums,
    measure_at_margin,
)
from dpverify.mechanisms.selection import Bottom

TENTH, HALF = Fraction(1, 10), Fraction(1, 2)


def threshold(rows: tuple[int, ...], t: Fraction, d: int) -> dict[int, int]:
    """f^D_t on all queries, for P(q, u) = ⟨q, u⟩ mod 2."""
    return {q: int(Fraction(sum((q & u).bit_count() % 2 for u in rows), len(rows)) >= t) for q in range(1 << d)}


class Asked:
    """The evaluation oracle of Definition 3.6, which counts the calls; a label where G is 0 is none at all."""

    def __init__(self, labels: dict[int, int], shares: dict[int, Fraction], c: Fraction = Fraction(2)) -> None:
        self.labels, self.shares, self.c = labels, shares, c
        self.calls: Counter[int] = Counter()

    def __call__(self, q: int) -> tuple[Any, Any]:
        self.calls[q] += 1
        return (self.c * self.shares[q], self.labels[q]) if self.shares[q] else (0, Bottom.BOTTOM)

    def error(self, hypothesis: MajorityOfParities) -> Fraction:
        return sum((share for q, share in self.shares.items() if hypothesis(q) != self.labels[q]), Fraction(0))

    def examples(self, count: int, seed: int) -> tuple[tuple[int, int], ...]:
        drawn = random.Random(seed).choices(
            list(self.shares), [float(share) for share in self.shares.values()], k=count
        )
        return tuple((q, self.labels[q]) for q in drawn)


def problem(d: int, n: int, t: Fraction, *, seed: int, holes: bool) -> Asked:
    """Random rows; G uniform, or with holes and three different weights."""
    source = random.Random(seed)
    rows = tuple(source.getrandbits(d) for _ in range(n))
    weights = {q: source.choice([0, 1, 1, 2, 3]) if holes else 1 for q in range(1 << d)}
    return Asked(threshold(rows, t, d), {q: Fraction(w, sum(weights.values())) for q, w in weights.items()})


@pytest.mark.one_in(4)
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize(("d", "n", "t"), [(3, 1, Fraction(1)), (4, 2, HALF), (5, 3, Fraction(2, 3)), (6, 4, HALF)])
def test_it_learns_with_exact_expectations(d: int, n: int, t: Fraction, holes: bool) -> None:
    ask = problem(d, n, t, seed=d, holes=holes)
    found = learn_majority_of_parities(no_draw, (), ask, n=n, t=t, gamma=TENTH, beta=TENTH, d=d)
    assert ask.error(found) < TENTH
    assert set(ask.calls.values()) == {1}
    assert len(ask.calls) == 1 << d


def _no_draw(*_: Any, **__: Any) -> Any:
    raise AssertionError("nothing is to be drawn")


no_draw: Any = _no_draw


def test_it_learns_every_threshold_of_two_rows() -> None:
    for rows in combinations_with_replacement(range(8), 2):
        for t in (Fraction(0), HALF, Fraction(1)):
            ask = Asked(threshold(rows, t, 3), dict.fromkeys(range(8), Fraction(1, 8)))
            found = learn_majority_of_parities(no_draw, (), ask, n=2, t=t, gamma=TENTH, beta=TENTH, d=3)
            assert ask.error(found) == 0  # as less than a tenth of eight queries is none


@pytest.mark.parametrize("holes", [False, True])
def test_it_learns_from_samples(holes: bool) -> None:
    d, n, samples = 6, 3, 100
    ask = problem(d, n, Fraction(2, 3), seed=1, holes=holes)
    asked: dict[str, Any] = {"n": n, "t": Fraction(2, 3), "gamma": TENTH, "beta": TENTH, "d": d, "samples": samples}

    def learner(draw: Draw, examples: tuple[tuple[int, int], ...]) -> tuple[MajorityOfParities, tuple[int, ...]]:
        asking = Asked(ask.labels, ask.shares)
        found = learn_majority_of_parities(draw, examples, asking, beam=16, **asked)
        return found, tuple(asking.calls.values())

    found, calls = run(learner, ask.examples(400, seed=2), seed=3)
    assert ask.error(found) < TENTH
    assert set(calls) == {1}
    assert len(calls) <= (d + 1) * samples


def test_no_label_is_used_where_g_is_0() -> None:
    """There the oracle says ⊥, of which nothing can be computed; and other labels there give the same hypothesis."""
    ask = problem(5, 3, HALF, seed=4, holes=True)
    asked: dict[str, Any] = {"n": 3, "t": HALF, "gamma": TENTH, "beta": TENTH, "d": 5}
    holes = [q for q, share in ask.shares.items() if not share]
    assert holes
    other = Asked({q: 1 - label if q in holes else label for q, label in ask.labels.items()}, ask.shares)
    found = learn_majority_of_parities(no_draw, (), ask, **asked)
    assert found == learn_majority_of_parities(no_draw, (), other, **asked)
    assert ask.error(found) < TENTH


@given(st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(3)]))
def test_the_constant_of_the_oracle_does_not_matter(c: Fraction) -> None:
    ask = problem(4, 3, HALF, seed=5, holes=True)
    asked: dict[str, Any] = {"n": 3, "t": HALF, "gamma": TENTH, "beta": TENTH, "d": 4}
    scaled = Asked(ask.labels, ask.shares, c)
    assert learn_majority_of_parities(no_draw, (), scaled, **asked) == learn_majority_of_parities(
        no_draw, (), ask, **asked
    )


def test_the_law_of_a_tiny_one() -> None:
    """One sample of one bit: the base, and its partner drawn anew. Both 0 and 1 are in the pool with probability 1/2."""
    asked: dict[str, Any] = {"n": 1, "t": 0, "gamma": TENTH, "beta": TENTH, "d": 1, "samples": 1}

    def learner(draw: Draw, examples: tuple[tuple[int, int], ...]) -> MajorityOfParities:
        ask = Asked({0: 1, 1: 0}, {0: HALF, 1: HALF})
        return learn_majority_of_parities(draw, examples, ask, edge=1, **asked)

    law = distribution(learner, ((0, 1), (1, 0)))
    right = [h for h in law.probabilities if (h(0), h(1)) == (1, 0)]
    assert law.probability(*right) == 1


def test_the_pairs_have_the_same_upper_bits() -> None:

    bases, partners = run(lambda draw, _: draw_pairs(draw, d=5, samples=20), (), seed=1)
    assert len(bases) == 20
    assert [len(level) for level in partners] == [20] * 5
    assert all(
        q >> k == other >> k for k, level in enumerate(partners, 1) for q, other in zip(bases, level, strict=True)
    )
    assert any(q != other for q, other in zip(bases, partners[0], strict=True))


@given(st.lists(st.integers(-9, 9), min_size=16, max_size=16), st.integers(1, 16))
def test_the_search_finds_the_heaviest(transform: list[int], beam: int) -> None:
    """With exact energies and a beam of Σ ĝ²/max ĝ², which no more prefixes than that can reach."""
    squares = [value**2 for value in transform]

    def energy(k: int, prefixes: Any) -> list[int]:
        return [sum(squares[y] for y in range(16) if y % (1 << k) == prefix) for prefix in prefixes]

    found = heavy_parities(energy, d=4, beam=beam)
    assert len(set(found)) == len(found) <= beam
    assert all(squares[y] for y in found)
    if any(squares) and beam >= sum(squares) // max(squares):
        assert max(squares[y] for y in found) == max(squares)


@given(st.dictionaries(st.integers(0, 15), st.integers(-5, 5)), st.lists(st.integers(0, 15), unique=True))
def test_fourier_sums(values: dict[int, int], parities: list[int]) -> None:
    sums = [sum(value * (-1) ** (y & q).bit_count() for q, value in values.items()) for y in parities]
    assert fourier_sums(values, parities, 4) == sums
    vote, size = best_vote(values, parities, 4)
    assert size == max(map(abs, sums), default=0)
    assert (vote is None) == (size == 0)
    if vote is not None:
        assert sum(value * vote[1] * character(vote[0], q) for q, value in values.items()) == size


@given(st.lists(st.integers(0, 7), min_size=1, max_size=4), st.data())
def test_some_parity_has_the_edge(rows: list[int], data: st.DataObject) -> None:
    """Under any distribution, and that for all thresholds."""
    n = len(rows)
    least = data.draw(st.integers(0, n))
    labels = threshold(tuple(rows), Fraction(least, n), 3)
    weights = data.draw(st.lists(st.integers(0, 9), min_size=8, max_size=8).filter(any))
    signed = {q: weights[q] * (2 * labels[q] - 1) for q in range(8)}
    _, size = best_vote(signed, range(8), 3)
    assert size >= edge_of_parity_thresholds(n, least) * sum(weights)
    assert edge_of_parity_thresholds(n, least) >= Fraction(1, 2 * n + 1)


def test_boosting_ends_and_errs_little() -> None:
    """A weak learner that takes the worst parity that will do: still no more than L(L+1) rounds, and an error below 3γ/4."""
    labels = threshold((0b0011, 0b0110, 0b1100), HALF, 4)
    points = tuple(labels.items())
    how = boosting_for(Fraction(1, 3), Fraction(1, 2))
    assert (how.levels, how.rounds, how.end, how.enough) == (24, 600, Fraction(3, 8), Fraction(1, 16))
    made = []

    def weak(values: Any, known: Any) -> tuple[int, int]:
        sums = fourier_sums({q: value for (q, _), value in zip(points, values, strict=True)}, range(16), 4)
        size, y = min((abs(s), y) for y, s in enumerate(sums) if abs(s) >= how.enough * how.levels * 16)
        assert size
        made.append(y)
        return y, 1 if sums[y] > 0 else -1

    found = boost(points, [1] * 16, weak, how)
    assert 0 < len(made) < how.rounds
    assert set(made) >= {y for y, _ in found.votes}
    assert sum(found(q) != label for q, label in points) < Fraction(3, 8) * 16


def test_the_measure() -> None:
    """L·M for L = 4: all of it up to a margin of 0, then less and less of it, and none from L on."""
    assert [measure_at_margin(margin, 4) for margin in range(-3, 7)] == [4, 4, 4, 4, 3, 2, 1, 0, 0, 0]


UNEVEN = {0: Fraction(1, 10), 1: Fraction(3, 10), 2: Fraction(3, 10), 3: Fraction(3, 10)}


@pytest.mark.parametrize(
    ("shares", "counts", "beam"),
    [
        (UNEVEN, (1, 3, 3, 3), 1),  # the search alone has to find it
        (dict.fromkeys(range(4), Fraction(1, 4)), (1, 3, 3, 3), 4),  # the examples alone have to tell it
    ],
)
def test_queries_count_by_their_probability(shares: dict[int, Fraction], counts: tuple[int, ...], beam: int) -> None:
    """f± = (1, −1, 1, 1) goes with all four parities alike under the uniform distribution, and here best with −χ_2."""
    ask = Asked({0: 1, 1: 0, 2: 1, 3: 1}, shares)
    examples = tuple((q, ask.labels[q]) for q, count in enumerate(counts) for _ in range(count))
    asked: dict[str, Any] = {"n": 1, "t": 1, "gamma": TENTH, "beta": TENTH, "d": 2, "edge": HALF, "rounds": 1}

    def learner(draw: Draw, rows: tuple[tuple[int, int], ...]) -> MajorityOfParities:
        return learn_majority_of_parities(draw, rows, Asked(ask.labels, ask.shares), samples=400, beam=beam, **asked)

    assert all(run(learner, examples, seed=seed).votes == ((2, -1),) for seed in range(6))
    if shares == UNEVEN:
        assert learn_majority_of_parities(no_draw, (), ask, beam=beam, **asked).votes == ((2, -1),)


def test_rounds_are_bounded() -> None:
    ask = problem(4, 3, HALF, seed=5, holes=False)
    found = learn_majority_of_parities(no_draw, (), ask, n=3, t=HALF, gamma=TENTH, beta=TENTH, d=4, rounds=2)
    assert sum(abs(votes) for _, votes in found.votes) <= 2
    assert MajorityOfParities(())(3) == 1


def test_the_samples_needed_by_hand() -> None:
    """n = 1 has a = 1/3, and γ = 1/2 then L = 24 and T = 600; d = 1, so 2·601·ln 2 + ln(4/β)."""
    assert prefixes_of_sieve(Fraction(1, 3), HALF) == 8 * 9 * 4
    logarithm = 2 * 601 * 0.6931471805599453 + 3.6888794541139363
    assert examples_of_sieve(1, HALF, TENTH, d=1) == ceil(128 * 9 * 4 * logarithm)
    assert samples_of_sieve(1, HALF, TENTH, d=1) == ceil(8192 * 81 * 256 * logarithm)
    assert queries_of_sieve(1, HALF, TENTH, d=1) == 2 * samples_of_sieve(1, HALF, TENTH, d=1)


@in_one(
    "changed, words",
    [
        ({"examples": ((4, 0),)}, "row 0: the point 4"),
        ({"samples": 3}, "the sample is empty"),
        ({"samples": 0, "examples": ((0, 1),)}, "samples=0"),
        ({"n": 0}, "n=0"),
        ({"t": 2}, "t=2"),
        ({"gamma": 1}, "gamma=1"),
        ({"beta": 0}, "beta=0"),
        ({"edge": 2}, "edge=2"),
        ({"beam": 0}, "beam=0"),
    ],
)
def test_bad_input_is_refused(changed: dict[str, Any], words: str) -> None:
    ask = problem(2, 1, HALF, seed=1, holes=False)
    asked: dict[str, Any] = {"n": 1, "t": HALF, "gamma": TENTH, "beta": TENTH, "d": 2} | changed
    with pytest.raises(InputError, match=words):
        learn_majority_of_parities(no_draw, asked.pop("examples", ()), ask, **asked)
