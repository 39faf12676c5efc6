"""Independent parts kept apart give what the law in full gives: at δ = 0 and δ > 0, with infinite losses, mixtures too.

The oracle is the same law with its parts put in full, where the checker knows nothing of parts.
"""

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import permutations, product
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms import (
    Distribution,
    Draw,
    Exact,
    InputError,
    Limits,
    bernoulli,
    decimal,
    discrete_laplace,
    distribution,
    exact,
    exp,
    laplace,
    log,
    symbolic,
)
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.mechanisms.outputs.released_parts import PART_SLOT, PartRelease
from dpverify.verifiers import (
    Proved,
    Status,
    Tuples,
    Verdict,
    check_privacy,
    privacy_profile,
    replace_one,
)
from dpverify.verifiers.divergence.densities.comparison import Densities
from dpverify.verifiers.divergence.densities.finite import finite_factor
from dpverify.verifiers.divergence.densities.mixture_components import (
    ComponentFactor,
    ComponentWeights,
    DistributionPair,
    OutcomeMass,
    pair_of,
)
from dpverify.verifiers.divergence.output_tables import independent_parts as apart
from dpverify.verifiers.problems.neighbours.pairs import Sides

pytestmark = pytest.mark.usefixtures("decided_here")

Database = int
Ways = tuple[tuple[Hashable, int, tuple[Mapping[Any, int], ...]], ...]
"""What is returned beside the parts, its weight, and the laws of the parts, as weights."""


def by_table(draw: Draw, database: Database, *, table: Mapping[Database, Ways]) -> Any:
    """One of the ways by its weight, with its parts drawn apart."""
    ways = table[database]
    i = draw(Distribution({i: weight for i, (_, weight, _) in enumerate(ways)}))
    said, _, parts = ways[i]
    return said, draw.each(one_of, tuple(tuple(part.items()) for part in parts))


def one_of(draw: Draw, weights: tuple[tuple[Any, int], ...]) -> Any:
    """An outcome by its weight."""
    return draw(Distribution(dict(weights)))


def the_other(database: Database) -> Iterator[Database]:
    """0 and 1 are neighbours."""
    yield 1 - database


def decided(table: Any, monkeypatch: pytest.MonkeyPatch, few: int, **claim: Any) -> Verdict:
    """The verdict on `by_table`, laws of more than `few` outcomes being kept apart."""
    with monkeypatch.context() as patched:
        patched.setattr(apart, "FEW_OUTCOMES", few)
        return check_privacy(by_table, [0, 1], the_other, parameters={"table": table}, recheck=False, **claim)


laws = st.dictionaries(st.integers(0, 2), st.integers(1, 4), min_size=1, max_size=3)


@st.composite
def tables(draw: st.DrawFn) -> Mapping[Database, Ways]:
    """Laws of one to three parts in one to three ways, which may be told apart by what is said, by a part, or not."""
    size = draw(st.integers(1, 3))
    parts = st.tuples(*[laws] * size)
    way = st.tuples(st.sampled_from("ab"), st.integers(1, 3), parts)
    return {database: tuple(draw(st.lists(way, min_size=1, max_size=3))) for database in (0, 1)}


def agree(verdict: Verdict) -> bool:
    return isinstance(verdict, Proved) and verdict.neighbours_agree


@few(10, deep=400)
@given(tables(), st.sampled_from([0, Fraction(1, 2), 1, 2]), st.sampled_from([Fraction(0), Fraction(1, 10)]))
def test_apart_they_are_as_in_full(table: Any, factor: Any, delta: Fraction) -> None:
    with pytest.MonkeyPatch.context() as patched:
        claim = {"epsilon": log(1 + Fraction(factor)), "delta": delta}
        kept, full = (decided(table, patched, few, **claim) for few in (0, 4096))
    assert (kept.status, kept.delta, agree(kept)) == (full.status, full.delta, agree(full))
    assert kept.epsilon == full.epsilon
    assert kept.status in (Status.PROVED, Status.REFUTED)
    if kept.witness is not None:
        found = kept.witness
        p, q = (
            distribution(by_table, database, table=table).probability(*found.event)
            for database in (found.left, found.right)
        )
        assert (p, q) == (found.p, found.q)
        assert found.difference > found.delta


def test_boxes_of_two_templates_violate_the_claim_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each template the best box has 16/64 of 22/64, and 35/64 is claimed."""
    table: Any = {i: tuple((said, 1, ({i: 3, 1 - i: 1},) * 3) for said in "ab") for i in (0, 1)}
    found = decided(table, monkeypatch, 0, epsilon=0, delta=Fraction(35, 64)).witness
    assert found is not None and found.difference > found.delta
    law = distribution(by_table, found.left, table=table)
    assert law.probability(*found.event) == found.p


@given(tables())
@settings(max_examples=15)
def test_profiles_and_renyi_divergences_are_as_in_full(table: Any) -> None:
    found = []
    for most in (0, 4096):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(apart, "FEW_OUTCOMES", most)
            found.append(privacy_profile(by_table, [0, 1], the_other, parameters={"table": table}, recheck=False))
    kept, full = found
    for factor in (1, Fraction(3, 2), 4):
        assert kept.delta(log(factor)) == full.delta(log(factor))
    assert kept.epsilon(0) == full.epsilon(0)
    assert kept.renyi_divergence(2) == full.renyi_divergence(2)
    assert (kept.epsilon("0.3") is None) == (full.epsilon("0.3") is None)


# --- Pairs (ε, δ) do not convolve: two parts with δ(ln 2) = 1/4 each, and two answers at ln 4
def two_parts(draw: Draw, database: Database, *, parts: Any) -> Any:
    """Two parts with the same law, which the database chooses."""
    return draw.each(one_of, (parts[database], parts[database]))


RARE = {0: (("a", 1), ("b", 3)), 1: (("b", 1),)}  # 1/4 of it is impossible on the other side, the rest has ratio 3/4
OFTEN = {0: (("a", 3), ("b", 1)), 1: (("a", 1), ("b", 3))}  # 3/4 − 2·1/4 = 1/4


@pytest.mark.parametrize(("parts", "together"), [(RARE, Fraction(7, 16)), (OFTEN, Fraction(5, 16))])
def test_deltas_of_parts_do_not_say_what_they_have_together(
    parts: Any, together: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "FEW_OUTCOMES", 0)
    alone = privacy_profile(one_database, [0, 1], the_other, parameters={"parts": parts}, recheck=False)
    both = privacy_profile(two_parts, [0, 1], the_other, parameters={"parts": parts}, recheck=False)
    assert alone.delta(log(2)) == Fraction(1, 4)
    assert both.delta(log(4)) == together
    assert not both.pieces  # kept apart


def one_database(draw: Draw, database: Database, *, parts: Any) -> Any:
    """One of the parts of `two_parts`."""
    return draw.each(one_of, (parts[database],))


# --- Many parts
def randomized(draw: Draw, bit: int, *, epsilon: Any) -> int:
    """Randomized response: the bit, but with probability 1/(1 + e^ε) the other one."""
    return bit if draw(bernoulli(exp(epsilon) / (1 + exp(epsilon)))) else 1 - bit


def bits(draw: Draw, rows: tuple[int, ...], *, epsilon: Any) -> tuple[int, ...]:
    """Randomized response on every row."""
    return draw.each(randomized, rows, epsilon=epsilon)


def all_flipped(rows: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All rows change at once: the parts move together."""
    yield tuple(1 - bit for bit in rows)


TWENTY = [(0,) * 20, (1,) * 20]


def test_twenty_bits_that_all_change() -> None:
    each = {"epsilon": Fraction(1, 10)}
    verdict = check_privacy(bits, TWENTY, all_flipped, epsilon=2, parameters=each)
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None and verdict.epsilon.exact == 2
    assert "20 independent parts of an outcome kept apart" in verdict.scope
    at_one = check_privacy(bits, TWENTY, all_flipped, epsilon=1, delta="0.02", parameters=each, recheck=False)
    assert at_one.delta is not None and at_one.delta.exact == _by_the_binomial(20, Fraction(1, 10), 1)


def _by_the_binomial(n: int, each: Fraction, epsilon: int) -> Exact:
    """δ of n bits by how many of them agree: k of n have the loss (2k − n)·ε."""
    p, q = exp(each) / (1 + exp(each)), 1 / (1 + exp(each))
    found: Any = 0
    for k in range(n + 1):
        if (2 * k - n) * each > epsilon:
            found = found + comb(n, k) * (p**k * q ** (n - k) - exp(epsilon) * p ** (n - k) * q**k)
    return found  # type: ignore[no-any-return]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("delta", [0, "0.01", "0.06"])
def test_a_witness_of_twenty_bits_is_computed_anew(delta: Any) -> None:
    verdict = check_privacy(bits, TWENTY, all_flipped, epsilon=1, delta=delta, parameters={"epsilon": Fraction(1, 5)})
    found = verdict.witness
    assert verdict.status is Status.REFUTED and found is not None
    p, q = (distribution(bits, rows, epsilon=Fraction(1, 5)).probability(*found.event) for rows in TWENTY)
    if found.left != TWENTY[0]:
        p, q = q, p
    assert (p, q) == (found.p, found.q)
    assert found.difference > found.delta
    assert found.reproduce is not None


def hundred(draw: Draw, rows: tuple[int, ...], *, epsilon: Any) -> Any:
    """A hundred bits beside a noisy count, and a real number."""
    count = sum(rows[:5]) + draw(discrete_laplace(1))
    return draw.each(randomized, rows, epsilon=epsilon), count, sum(rows[5:6]) + draw(laplace(1))


def test_beside_released_noise_losses_add_up_too() -> None:
    pair = [(0,) * 100, (1, *[0] * 4, 1, *[0] * 94)]
    each = {"epsilon": Fraction(1, 4)}
    verdict = check_privacy(hundred, pair, the_other_of(pair), epsilon="2.5", parameters=each, recheck=False)
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None and verdict.epsilon.exact == Fraction(5, 2)


def the_other_of(pair: Any) -> Any:
    """Two databases are neighbours of each other."""

    def other(database: Any) -> Iterator[Any]:
        yield pair[1 - pair.index(database)]

    return other


def bit_and_real(draw: Draw, rows: tuple[int, ...]) -> Any:
    """One bit and one real number."""
    return draw.each(randomized, rows, epsilon=1), sum(rows) + draw(laplace(1))


def test_a_bit_beside_a_real_number_is_as_drawn_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for most in (0, 4096):
        monkeypatch.setattr(apart, "FEW_OUTCOMES", most)
        profile = privacy_profile(bit_and_real, Tuples((0, 1), size=1), replace_one, recheck=False)
        found.append([decimal(profile.delta(epsilon), 30) for epsilon in (0, Fraction(1, 2), 1, Fraction(3, 2))])
        assert profile.epsilon(0) == 2
    assert found[0] == found[1]


# --- What is refused, or put in full
def hidden_coin(draw: Draw, rows: tuple[int, ...]) -> Any:
    """A coin that is not returned decides about all bits: they are not independent."""
    return draw.each(randomized, rows, epsilon=1 if draw(bernoulli("0.5")) else 2)


def test_a_hidden_coin_is_undecided_where_it_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = check_privacy(hidden_coin, TWENTY, all_flipped, epsilon=40, recheck=False)
    assert verdict.status is Status.UNDECIDED
    assert "20 independent parts come about in 2 ways that the outcome does not tell apart" in verdict.reason
    small = [(0, 0, 1), (1, 1, 0)]
    full = check_privacy(hidden_coin, small, all_flipped, epsilon=2, recheck=False)
    monkeypatch.setattr(apart, "FEW_OUTCOMES", 0)
    kept = check_privacy(hidden_coin, small, all_flipped, epsilon=2, recheck=False)
    assert (kept.delta, kept.epsilon) == (full.delta, full.epsilon)
    assert kept.delta is not None and kept.delta.lower > 0


def coin_that_is_told(draw: Draw, rows: tuple[int, ...]) -> Any:
    """The coin of `hidden_coin` is returned."""
    coin = draw(bernoulli("0.5"))
    return coin, draw.each(randomized, rows, epsilon=1 if coin else 2)


def test_a_coin_that_is_told_is_decided() -> None:
    verdict = check_privacy(coin_that_is_told, TWENTY, all_flipped, epsilon=40, recheck=False)
    assert verdict.epsilon is not None and verdict.epsilon.exact == 40


def one_part_tells(draw: Draw, rows: tuple[int, ...]) -> Any:
    """The coin is a part of its own, by which the ways are told apart."""
    coin = draw(bernoulli("0.5"))
    return draw.each(told, ((coin, 0, 1), *((coin, bit, 0) for bit in rows)))


def told(draw: Draw, item: tuple[bool, int, int]) -> Any:
    """The coin itself, or a bit that is randomized by it."""
    coin, bit, itself = item
    return coin if itself else draw(randomized, bit, epsilon=1 if coin else 2)


def test_a_part_may_tell_the_ways_apart() -> None:
    verdict = check_privacy(one_part_tells, TWENTY, all_flipped, epsilon=40, recheck=False)
    assert verdict.epsilon is not None and verdict.epsilon.exact == 40
    refuted = check_privacy(one_part_tells, TWENTY, all_flipped, epsilon=30, recheck=False)
    assert refuted.status is Status.REFUTED
    assert refuted.witness is not None and refuted.witness.event[0][0] == False  # noqa: E712


def sometimes_silent(draw: Draw, rows: tuple[int, ...]) -> Any:
    """Zeros in place of the bits, half the time: an outcome that the bits may have, too."""
    return draw.each(randomized, rows, epsilon=1) if draw(bernoulli("0.5")) else (0,) * len(rows)


def test_an_outcome_of_two_kinds_is_put_in_full_or_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    small = [(0, 0, 1), (1, 1, 0)]
    full = check_privacy(sometimes_silent, small, all_flipped, epsilon=1, recheck=False)
    monkeypatch.setattr(apart, "FEW_OUTCOMES", 0)
    kept = check_privacy(sometimes_silent, small, all_flipped, epsilon=1, recheck=False)
    assert (kept.status, kept.delta, kept.epsilon) == (full.status, full.delta, full.epsilon)
    few = Limits(outcomes=7)
    verdict = check_privacy(sometimes_silent, small, all_flipped, epsilon=1, limits=few, recheck=False)
    assert verdict.status is Status.UNDECIDED
    assert 'tell them apart, for example by returning ("bits", parts)' in verdict.reason


def lookalikes(draw: Draw, rows: tuple[int, ...]) -> Any:
    """1 on one database, and True on the other."""
    return draw.each(one_of, (((1 if rows[0] else True, 1), (0, 1)),) * 20)


def test_outcomes_that_are_equal_and_not_the_same_are_refused() -> None:
    with pytest.raises(InputError, match="equal"):
        check_privacy(lookalikes, TWENTY, all_flipped, epsilon=1, recheck=False)


def different(draw: Draw, rows: tuple[int, ...]) -> Any:
    """Every bit with an ε of its own, so that all sums of them are different losses."""
    return tuple(
        part for i, bit in enumerate(rows) for part in draw.each(randomized, (bit,), epsilon=Fraction(1, 2**i))
    )


def test_too_many_losses_are_undecided() -> None:
    assert check_privacy(different, TWENTY, all_flipped, epsilon=2, recheck=False).status is Status.PROVED
    verdict = check_privacy(different, TWENTY, all_flipped, epsilon=1, delta="0.5", recheck=False)
    assert verdict.status is Status.UNDECIDED and "different privacy losses together" in verdict.reason


# --- All of the rest works on them


def test_a_second_process_finds_the_same() -> None:
    verdict = check_privacy(bits, TWENTY, all_flipped, epsilon=2, parameters={"epsilon": Fraction(1, 10)})
    assert verdict.basis.recheck != "none"


def test_a_claim_for_every_epsilon() -> None:
    every = {"epsilon": symbolic}
    verdict = check_privacy(bits, TWENTY, all_flipped, epsilon=20 * symbolic, parameters=every)
    assert isinstance(verdict, Proved) and verdict.tight
    verdict = check_privacy(bits, TWENTY, all_flipped, epsilon=19 * symbolic, parameters=every)
    assert verdict.status is Status.REFUTED


def test_a_part_counts_by_what_its_two_laws_have_in_common() -> None:
    """Beside other parts, also where masses bound: what remains of it is less likely under P, and its ratio 1."""
    quarter, half = exact(Fraction(1, 4)), exact(Fraction(1, 2))
    part = ComponentFactor(0, DistributionPair((OutcomeMass("told", quarter, half),), (), half), "a part")
    beside = finite_factor((1,), {0: half, 1: half}, {0: quarter, 1: 3 * quarter})
    densities = Densities([], Sides(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)))
    found = densities._of_product(ComponentWeights(exact(1), exact(1)), [part, beside])
    assert found is not None
    assert found.above == 2 * found.below


def test_pairs_of_products_are_those_that_are_compared_part_by_part() -> None:
    """By the same distributions against each other, in either order, wherever they stand; and no others."""
    parts = [PartRelease({0: exact(Fraction(1, k)), 1: exact(Fraction(k - 1, k))}) for k in (2, 3, 4)]
    laws = [ReleasedDistribution({}, {(PART_SLOT,) * 3: {each: exact(1)}}) for each in product(parts, repeat=3)]
    left, right = (np.array(side, dtype=np.int64) for side in zip(*permutations(range(len(laws)), 2), strict=True))
    densities = Densities(laws, Sides(left, right))
    keys = [pair_of(laws[i], laws[j]).key for i, j in zip(left, right, strict=True)]
    assert [densities.pairs[number].key for number in densities.of_pair] == keys
    assert len(densities.pairs) == len(set(keys))
