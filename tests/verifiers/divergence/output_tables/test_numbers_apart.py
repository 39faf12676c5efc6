"""Released whole numbers kept apart, and cut ones, give what plain enumeration gives: dependence is never overlooked.

The oracles are the same laws put in full, and the same programs with noise of few values that is drawn from a
distribution: then every number is plain, and every joint outcome is a path of its own.
"""

import math
import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product as combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.adversary.tally import deep
from tests.examples import few

from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    Limits,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
    exp,
    laplace,
    log,
)
from dpverify.mechanisms.noise import discrete_uniform
from dpverify.mechanisms.numbers.exact_numbers import ONE, exact, product
from dpverify.mechanisms.outputs import AnyNumber, Anything, AtLeast, OneOf
from dpverify.verifiers import Status, Verdict, check_privacy, privacy_profile
from dpverify.verifiers.divergence.output_tables import independent_parts as apart
from dpverify.verifiers.divergence.output_tables import lumping
from dpverify.verifiers.divergence.output_tables.enclosed import Enclosed
from dpverify.verifiers.divergence.output_tables.numbers_apart import separated_releases

Spec = Mapping[str, Any]


def the_other(database: int) -> Iterator[int]:
    """0 and 1 are neighbours."""
    yield 1 - database


# --- Random programs
def program(draw: Draw, database: int, *, spec: Spec, is_plain: bool) -> Any:
    """Three numbers with noise, some of which depend on a coin, on a number before them, or on whether that was drawn."""

    def noise(width: int) -> Any:
        if is_plain:
            return draw(Distribution(dict.fromkeys(range(-width, width + 1), 1)))
        return draw(discrete_uniform(-width, width))

    coins = [draw(bernoulli("0.5")) for _ in range(spec["coins"])]
    if spec["xor"] and len(coins) == 3:  # which from (0, 0, 0) looks like the first one alone
        coins = [coins[0] ^ (coins[1] & coins[2])]
    found: list[Any] = []
    for base, width, cut, way in spec["numbers"]:
        centre = base[database]
        if way == "coin" and coins:
            centre += 2 * coins[0]
        wider = coins[-1] if way == "scale" and coins else 0
        if way == "whether" and found and found[-1] is not None and found[-1] > 0:
            found.append(database)
            continue
        if way == "value" and found:
            centre += 1 if found[-1] is None or found[-1] >= 1 else 0
        found.append(CUTS[cut](centre + noise(width + wider)))
    return tuple(found) if spec["shape"] == "tuple" else ("told", tuple(found), len(found) > 1)


CUTS: Mapping[str, Any] = {
    "none": lambda x: x,
    "below, strictly": lambda x: max(0, x),
    "below": lambda x: max(x, 0),
    "above": lambda x: min(x, 1),
    "both": lambda x: max(0, min(x, 2)),
    "off the lattice": lambda x: max(Fraction(1, 2), x),
    "clamped": lambda x: clamp(x, -1, 1),
    "abs": abs,
    "label": lambda x: x if x > 0 else None,
}


def specs(seed: int, *, dependent: bool) -> Spec:
    """A random program."""
    chance = random.Random(seed)
    ways = ("alone", "alone", "coin", "scale", "whether", "value") if dependent else ("alone",)
    return {
        "coins": chance.choice((0, 1, 3)) if dependent else 0,
        "xor": chance.random() < 0.5,
        "shape": chance.choice(("tuple", "tuple", "told")),
        "numbers": tuple(
            (
                (chance.randint(-1, 1), chance.randint(-1, 1)),
                chance.choice((1, 1, 2)),
                chance.choice(tuple(CUTS)),
                chance.choice(ways),
            )
            for _ in range(chance.choice((1, 2, 2, 3)))
        ),
    }


def in_full(patched: pytest.MonkeyPatch) -> None:
    """No number is kept apart."""
    patched.setattr(lumping, "MOST_IN_FULL", 1 << 60)
    patched.setattr(lumping, "FEW_OUTCOMES", 1 << 60)
    patched.setattr(apart, "FEW_OUTCOMES", 1 << 60)


def split_parts(patched: pytest.MonkeyPatch) -> None:
    """Numbers are kept apart wherever they can be, few or many."""
    patched.setattr(lumping, "MOST_IN_FULL", 0)
    patched.setattr(lumping, "FEW_OUTCOMES", 0)
    patched.setattr(apart, "FEW_OUTCOMES", 0)


def decided(spec: Spec, *, is_plain: bool, how: Any, **claim: Any) -> Verdict:
    with pytest.MonkeyPatch.context() as patched:
        how(patched)
        given = {"spec": spec, "is_plain": is_plain}
        return check_privacy(program, [0, 1], the_other, parameters=given, recheck=False, **claim)


@pytest.mark.parametrize("dependent", [False, True])
@pytest.mark.parametrize("batch", [0, *(pytest.param(batch, marks=pytest.mark.deep) for batch in range(1, 10))])
def test_random_programs_are_decided_as_by_plain_enumeration(batch: int, dependent: bool) -> None:
    compared, count = 0, 60 if deep() else 10
    for seed in range(60 * batch, 60 * batch + count):
        spec = specs(seed, dependent=dependent)
        claim = {"epsilon": log(2) if seed % 2 else 0, "delta": Fraction(seed % 3, 10)}
        try:
            found = decided(spec, is_plain=False, how=split_parts, **claim)
        except InputError as error:
            assert "continuous" in str(error) or "beside noise" in str(error) or "noises at once" in str(error), error
            continue
        for is_plain, how in ((False, in_full), (True, in_full)):
            expected = decided(spec, is_plain=is_plain, how=how, **claim)
            assert (found.status, found.delta, found.epsilon) == (expected.status, expected.delta, expected.epsilon)
        if found.witness is not None:
            at = found.witness
            laws = [distribution(program, x, spec=spec, is_plain=False) for x in (at.left, at.right)]
            assert [law.probability(*at.event) for law in laws] == [at.p, at.q] or "LossAbove" in repr(at.event)
            assert at.p - exp(found.witness.epsilon) * at.q > found.witness.delta
        compared += 1
    assert compared >= count * 5 / 6


def one_of_three(draw: Draw, database: int) -> Any:
    """The first number looks at one coin alone, as long as the others are 0."""
    first, second, third = (draw(bernoulli("0.5")) for _ in range(3))
    told = first ^ (second & third)
    return told * 9 + draw(discrete_laplace(1)), second * 9 + database + draw(discrete_laplace(1)), third


def test_a_number_that_depends_on_another_ones_coin_by_two_is_not_independent() -> None:
    found = []
    for how in (split_parts, in_full):
        with pytest.MonkeyPatch.context() as patched:
            how(patched)
            found.append(check_privacy(one_of_three, [0, 1], the_other, epsilon="0.5", recheck=False))
    assert found[0].delta == found[1].delta
    assert found[0].epsilon == found[1].epsilon


# --- What independence is read off
@given(st.integers(0, 10**6))
@few(20, deep=2_000)
def test_what_is_separated_is_the_same_law(seed: int) -> None:
    chance = random.Random(seed)
    values = [[f"{c}{i}" for i in range(chance.choice((1, 2, 3)))] for c in "abc"]
    laws: list[dict[str, Fraction]] = [{v: Fraction(chance.randint(1, 4)) for v in some} for some in values]
    ways: dict[Any, Any] = {}
    for a, p in laws[0].items():
        for b, q in laws[1].items():
            for c, r in laws[2].items():
                ways[a, b, c] = p * q * r
    if chance.random() < 0.6:  # make some of them depend on each other
        for way in ways:
            if chance.random() < 0.3:
                ways[way] = Fraction(chance.randint(0, 3))
        ways = {way: weight for way, weight in ways.items() if weight}
    if not ways:
        return
    found: Any = separated_releases({way: exact(weight) for way, weight in ways.items()}, 3)
    again: dict[Any, Any] = {}
    for rest, weight in found.rest.items():
        numbers = iter(rest)
        options = [[(next(numbers), ONE)] if mixture is None else list(mixture.items()) for mixture in found.mixtures]
        for chosen in combinations(*options):
            again[tuple(value for value, _ in chosen)] = product((weight, *(p for _, p in chosen)))
    assert again == ways


# --- Cuts
def cut_counts(draw: Draw, rows: tuple[int, ...], *, is_strict: bool) -> Any:
    """Noisy counts, none of them below 0."""
    noisy = [row + draw(discrete_laplace(1)) for row in rows]
    return tuple(max(0, x) if is_strict else max(x, 0) for x in noisy)


@pytest.mark.parametrize("is_strict", [True, False])
def test_cut_counts_have_the_probabilities_that_they_have(is_strict: bool) -> None:
    law = distribution(cut_counts, (0, 2), is_strict=is_strict)
    alone = distribution(lambda draw, n: n + draw(discrete_laplace(1)), 0)
    at_0, at_2 = (1 - alone.probability(AtLeast(1))), (1 - alone.probability(AtLeast(-1)))
    assert law.probability((0, 0)) == at_0 * at_2
    assert law.probability((0, 5)) == at_0 * alone.probability(3)
    assert law.probability((4, OneOf((0, 1)))) == alone.probability(4) * (at_2 + alone.probability(-1))
    assert law.probability((AnyNumber(), AnyNumber())) == 1
    with pytest.raises(InputError, match="not 1, the step of the numbers that are released here"):
        law.probability((AnyNumber(2), AnyNumber()))


@pytest.mark.parametrize("is_strict", [True, False])
@pytest.mark.parametrize("how", [in_full, split_parts])
def test_cut_counts_need_what_counts_need(how: Any, is_strict: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    how(monkeypatch)
    pair = [(0, 1, 2), (1, 0, 2)]
    verdict = check_privacy(
        cut_counts, pair, lambda x: [y for y in pair if y != x], epsilon=2, parameters={"is_strict": is_strict}
    )
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None and verdict.epsilon.exact == 2


def cut_alike(draw: Draw, rows: tuple[int, ...]) -> Any:
    """True where the count is cut: which equals 1, and is not."""
    noisy = rows[0] + draw(discrete_laplace(1))
    return True if noisy <= 1 else noisy


def test_what_equals_a_number_and_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="equal"):
        check_privacy(cut_alike, [(0,), (1,)], lambda x: [(1 - x[0],)], epsilon=1, recheck=False)


def one_or_true(draw: Draw, database: int, *, noise: Any) -> Any:
    """1 or True beside released noise, or a part: they are equal, and tell the data."""
    said = True if draw(bernoulli(Fraction(1, 3) if database else Fraction(2, 3))) else 1
    return said, noise(draw)


def true_of_one(draw: Draw, database: int, *, noise: Any) -> Any:
    """1 on one database, True on the other."""
    return database == 1 or 1, noise(draw)


@pytest.mark.parametrize("mechanism", [one_or_true, true_of_one])
@pytest.mark.parametrize(
    "noise",
    [
        lambda draw: draw(laplace(1)),
        lambda draw: draw(discrete_laplace(1)),
        lambda draw: draw.each(lambda draw, _: draw(bernoulli("0.5")), (0, 0)),
    ],
)
def test_lookalikes_beside_noise_are_refused(mechanism: Any, noise: Any) -> None:
    with pytest.raises(InputError, match="equal"):
        check_privacy(mechanism, [0, 1], the_other, epsilon=0, parameters={"noise": noise}, recheck=False)


def plain_true_of_one(draw: Draw, database: int) -> Any:
    """1 on one database, True on the other, and on another path a real number."""
    return (database == 1 or 1) if draw(bernoulli("0.5")) else ("real", draw(laplace(1)))


def test_plain_lookalikes_of_laws_with_noise_are_refused() -> None:
    with pytest.raises(InputError, match="equal"):
        check_privacy(plain_true_of_one, [0, 1], the_other, epsilon=0, recheck=False)


def divided(draw: Draw, rows: tuple[int, ...], *, epsilon: Any) -> Any:
    """Shares of cut counts: 0/0 where both are cut."""
    h = [max(0, row + draw(discrete_laplace(1 / epsilon))) for row in rows]
    if h[0] == 0 and h[1] == 0:
        return Fraction(h[0], sum(h))
    return None


def test_a_cut_number_is_a_plain_one_later() -> None:
    with pytest.raises(InputError, match=r"ZeroDivisionError.*test_numbers_apart\.py, line") as raised:
        check_privacy(divided, [(0, 0), (1, 0)], lambda x: [(1 - x[0], 0)], epsilon=1, recheck=False)
    assert "1/ε" not in str(raised.value)


# --- Many
def many(draw: Draw, rows: tuple[int, ...], *, scales: tuple[Any, ...]) -> Any:
    """Noisy counts, each with a scale of its own."""
    return "counts", tuple(row + draw(discrete_laplace(scale)) for row, scale in zip(rows, scales, strict=True))


def test_many_counts_need_the_sum_of_what_those_need_that_differ() -> None:
    pair = [(0,) * 256, (1,) * 3 + (0,) * 253]
    given = {"scales": (1, 2, 4, *[1] * 253)}
    verdict = check_privacy(many, pair, lambda x: [y for y in pair if y != x], epsilon="1.75", parameters=given)
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None and verdict.epsilon.exact == Fraction(7, 4)
    refuted = check_privacy(
        many, pair, lambda x: [y for y in pair if y != x], epsilon="1.7", parameters=given, recheck=False
    )
    assert refuted.status is Status.REFUTED and refuted.witness is not None
    assert refuted.witness.reproduce is not None


@pytest.mark.one_in(2)
@pytest.mark.parametrize("delta", ["0.05", "0.3"])
def test_delta_of_six_counts_is_that_of_all_cells(delta: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = [(0,) * 5, (1, 1, 2, 0, 1)]
    given = {"scales": (1, 1, 2, 1, 3)}
    found = []
    for how in (split_parts, in_full):
        with monkeypatch.context() as patched:
            how(patched)
            found.append(
                check_privacy(
                    many,
                    pair,
                    lambda x: [y for y in pair if y != x],
                    epsilon="0.5",
                    delta=delta,
                    parameters=given,
                    recheck=False,
                )
            )
    assert found[0].status is found[1].status
    assert found[0].delta == found[1].delta
    profile = privacy_profile(many, pair, lambda x: [y for y in pair if y != x], parameters=given, recheck=False)
    assert found[0].delta is not None and profile.delta("0.5") == found[0].delta.exact


def with_a_hidden_coin(draw: Draw, rows: tuple[int, ...]) -> Any:
    """All counts are moved by a coin that nobody sees."""
    moved = 3 * draw(bernoulli("0.5"))
    return tuple(row + moved + draw(discrete_laplace(1)) for row in rows)


def test_counts_that_a_hidden_coin_moves_are_not_independent() -> None:
    pair = [(0, 0), (1, 1)]
    found = []
    for how in (split_parts, in_full):
        with pytest.MonkeyPatch.context() as patched:
            how(patched)
            found.append(
                check_privacy(with_a_hidden_coin, pair, lambda x: [y for y in pair if y != x], epsilon=1, recheck=False)
            )
    assert found[0].delta == found[1].delta and found[0].delta is not None and found[0].delta.lower > 0
    large = [(0,) * 12, (1,) * 12]
    verdict = check_privacy(
        with_a_hidden_coin, large, lambda x: [y for y in large if y != x], epsilon=12, recheck=False
    )
    assert verdict.status is Status.UNDECIDED


def beside_reals(draw: Draw, rows: tuple[int, ...]) -> Any:
    """Whole numbers beside a real one, and parts."""
    whole = tuple(row + draw(discrete_laplace(1)) for row in rows)
    return whole, rows[0] + draw(laplace(1)), draw.each(lambda draw, row: row ^ draw(bernoulli("0.25")), rows)


def test_numbers_apart_beside_real_ones_and_parts() -> None:
    pair = [(0,) * 9, (1, 1, *[0] * 7)]
    verdict = check_privacy(
        beside_reals, pair, lambda x: [y for y in pair if y != x], epsilon=3 + log(9), limits=Limits(outcomes=10**5)
    )
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None and verdict.epsilon.exact == 3 + log(9)
    law = distribution(beside_reals, pair[0])
    assert law.probability((((0,) * 9), AtLeast(0), (Anything(),) * 9)) == law.probability(
        (((0,) * 9), AtLeast(0), (OneOf((0, 1)),) * 9)
    )


# --- Real numbers that are cut, in parts
REAL_CUTS: Mapping[str, Any] = {
    "none": lambda x: x,
    "below": lambda x: max(0, x),
    "clamped": lambda x: clamp(x, -1, 1),
    "label": lambda x: x if x > 0 else None,
    "with a name": lambda x: ("above", x) if x > 1 else ("below", 0),
    "asked": lambda x: "yes" if x > 0 else "no",
}


def real_parts(draw: Draw, database: int, *, spec: Any) -> Any:
    """Numbers with Laplace noise, cut, in parts; sometimes one is a plain number by a coin, or two are."""
    return draw.each(one_real_part, tuple((base[database], *how) for base, *how in spec)), "end"


def one_real_part(draw: Draw, item: Any) -> Any:
    centre, scale, cut, has_coin = item
    if has_coin and draw(bernoulli("0.25")):
        return "nothing" if scale == 1 else centre
    return REAL_CUTS[cut](centre + draw(laplace(scale)))


@pytest.mark.parametrize("batch", [0, *(pytest.param(batch, marks=pytest.mark.deep) for batch in range(1, 6))])
def test_real_parts_are_decided_as_in_full(batch: int) -> None:
    for seed in range(25 * batch, 25 * batch + (25 if deep() else 12)):
        chance = random.Random(seed)
        spec = tuple(
            (
                (chance.randint(-1, 1), chance.randint(-1, 1)),
                chance.choice((1, 1, 2)),
                chance.choice(tuple(REAL_CUTS)),
                chance.random() < 0.3,
            )
            for _ in range(chance.choice((1, 2, 2, 3)))
        )
        claim: Any = {"epsilon": Fraction(seed % 4, 2), "delta": Fraction(seed % 3, 20), "parameters": {"spec": spec}}
        found = []
        for most in (0, 4096):
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(apart, "FEW_OUTCOMES", most)
                found.append(check_privacy(real_parts, [0, 1], the_other, recheck=False, **claim))
        kept, full = found
        if kept.status is Status.UNDECIDED:  # losses of odd weights that may be one, or may not be
            assert "no complete zero test" in kept.reason
            continue
        assert kept.status is full.status, spec
        assert are_one(kept.epsilon, full.epsilon) and are_one(kept.delta, full.delta), spec
        if kept.witness is not None and "LossAbove" not in repr(kept.witness.event):
            laws = [distribution(real_parts, x, spec=spec) for x in (kept.witness.left, kept.witness.right)]
            assert [law.probability(*kept.witness.event) for law in laws] == [kept.witness.p, kept.witness.q]


def are_one(left: Enclosed | None, right: Enclosed | None) -> bool:
    """Whether two numbers that were found are one, as far as their bounds tell: forms of losses have no zero test."""
    if left is None or right is None:
        return left is right
    return left.lower <= right.upper and right.lower <= left.upper and left.upper - left.lower < Fraction(1, 10**20)


def test_many_cut_real_numbers_need_what_they_need_uncut() -> None:
    pair = [(0,) * 64, (1,) * 5 + (0,) * 59]

    def cut(draw: Draw, rows: tuple[int, ...]) -> Any:
        return tuple(clamp(row + draw(laplace(2)), 0, 3) for row in rows)

    verdict = check_privacy(cut, pair, lambda x: [y for y in pair if y != x], epsilon="2.5", recheck=False)
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None and verdict.epsilon.exact == Fraction(5, 2)
    assert "64 independent parts" in verdict.scope


def by_a_coin(draw: Draw, rows: tuple[int, ...]) -> Any:
    """A hidden coin moves all parts."""
    moved = 3 * draw(bernoulli("0.5"))
    return draw.each(one_real_part, tuple((row + moved, 1, "below", False) for row in rows))


def test_real_parts_that_a_hidden_coin_moves_are_not_independent() -> None:
    pair = [(0,) * 8, (1,) * 8]
    verdict = check_privacy(by_a_coin, pair, lambda x: [y for y in pair if y != x], epsilon=9, recheck=False)
    assert verdict.status is Status.UNDECIDED and "hidden coin" in verdict.reason


def counts_of_three_scales(draw: Draw, rows: tuple[int, ...]) -> Any:
    return tuple(max(0, row + draw(discrete_laplace(1 + i % 3))) for i, row in enumerate(rows))


def test_many_cut_counts_of_several_scales_have_few_losses() -> None:
    """Each loses 1/b or gains it, with probability e^(1/b) to 1: the losses are multiples of 1/6, and not 11³ numbers."""
    pair = (0,) * 30, (1,) * 30
    verdict = check_privacy(
        counts_of_three_scales, pair, lambda rows: [row for row in pair if row != rows], epsilon=8, delta="0.5"
    )
    losses = {0: 1.0}
    for i in range(30):
        sixths, up = 6 // (1 + i % 3), 1 / (1 + math.exp(-1 / (1 + i % 3)))
        moved: dict[int, float] = {}
        for loss, p in losses.items():
            for by, share in ((sixths, up), (-sixths, 1 - up)):
                moved[loss + by] = moved.get(loss + by, 0) + p * share
        losses = moved
    delta = sum(p * (1 - math.exp(8 - loss / 6)) for loss, p in losses.items() if loss > 48)
    assert verdict.delta is not None
    assert float(verdict.delta.upper) == pytest.approx(delta, rel=1e-9)
    assert verdict.status is (Status.PROVED if delta <= 0.5 else Status.REFUTED)
