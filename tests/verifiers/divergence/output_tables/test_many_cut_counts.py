"""Many cut counts, of which most are alike: what is done once for all of a kind gives what each by itself gives."""

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product as combinations
from typing import Any

import pytest
from tests.examples import few
from tests.verifiers.divergence.output_tables.test_numbers_apart import are_one

from dpverify.mechanisms import Draw, Limits, clamp, discrete_laplace, distribution, exact, exp
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, total
from dpverify.mechanisms.outputs import ratio_masses, released
from dpverify.mechanisms.outputs.ratio_masses import (
    AlikeParts,
    RatioMass,
    Ratios,
    convolved_ratios,
    counted_masses_above,
    parts_by_kind,
)
from dpverify.verifiers import Status, Verdict, check_privacy
from dpverify.verifiers.deciding import one_epsilon
from dpverify.verifiers.divergence.densities import comparison, events
from dpverify.verifiers.divergence.output_tables import independent_parts as apart
from dpverify.verifiers.divergence.output_tables import lumping

Rows = tuple[int, ...]


def in_a_loop(draw: Draw, rows: Rows) -> Any:
    found = []
    for row in rows:
        found.append(max(0, row + draw(discrete_laplace(1))))
    return tuple(found)


def by_each(draw: Draw, rows: Rows) -> Any:
    return draw.each(lambda draw, row: max(0, row + draw(discrete_laplace(1))), rows)


FORMS: Sequence[Callable[..., Any]] = (
    in_a_loop,
    lambda draw, rows: tuple(clamp(row + draw(discrete_laplace(2)), 0, 3) for row in rows),
    lambda draw, rows: ("counts", tuple(min(2, max(row + draw(discrete_laplace(1)), 0)) for row in rows)),
    by_each,
    lambda draw, rows: tuple(draw.release(max(0, row + draw(discrete_laplace(1)))) for row in rows),
)


def of_many(patched: pytest.MonkeyPatch) -> None:
    """All parts are kept apart, and looked at as many are."""
    for module in (lumping, apart):
        patched.setattr(module, "FEW_OUTCOMES", 0)
    patched.setattr(lumping, "MOST_IN_FULL", 0)
    for module in (ratio_masses, released, comparison, events):
        patched.setattr(module, "FEW_FACTORS", 0)
    patched.setattr(one_epsilon, "_MOST_PARTS", 0)


def decided(form: Callable[..., Any], pair: Sequence[Rows], **claim: Any) -> Verdict:
    return check_privacy(form, pair, lambda rows: [row for row in pair if row != rows], recheck=False, **claim)


@pytest.mark.parametrize("form", FORMS)
def test_few_that_are_looked_at_as_many_are_decided_as_in_full(form: Callable[..., Any]) -> None:
    chance = random.Random(form.__name__)
    for seed in range(few(2, deep=40).max_examples):
        left = tuple(chance.randint(-1, 3) for _ in range(chance.choice((2, 3))))
        right = tuple(row + chance.choice((0, 1, 1, -1)) for row in left)
        if left == right:
            continue
        claim = {"epsilon": Fraction(chance.randint(0, 4), 2), "delta": Fraction(seed % 3, 40)}
        results = []
        for how in (of_many, lambda patched: patched.setattr(lumping, "MOST_IN_FULL", 1 << 60)):
            with pytest.MonkeyPatch.context() as patched:
                how(patched)
                results.append(decided(form, (left, right), **claim))
        found, expected = results
        assert found.status is expected.status
        assert are_one(found.delta, expected.delta)
        assert are_one(found.epsilon, expected.epsilon)
        if found.witness is not None:
            at = found.witness
            assert [distribution(form, rows).probability(*at.event) for rows in (at.left, at.right)] == [at.p, at.q]
            assert at.p - exp(at.epsilon) * at.q > at.delta


def delta_of(counts: int, epsilon: int) -> Fraction:
    """δ of so many counts that differ by one, enclosed by fractions: each loses 1 with probability e/(1 + e), or −1."""
    e = Fraction(27182818284590452353602874713527, 10**31)
    up, losses = e / (1 + e), range(-counts, counts + 1, 2)
    ways = {loss: math.comb(counts, (counts + loss) // 2) for loss in losses}
    mass = {loss: n * up ** ((counts + loss) // 2) * (1 - up) ** ((counts - loss) // 2) for loss, n in ways.items()}
    return sum((p * (1 - e ** (epsilon - loss)) for loss, p in mass.items() if loss > epsilon), Fraction(0))


@pytest.mark.parametrize("form", [in_a_loop, by_each])
def test_twelve_counts_that_all_differ_need_what_binomial_losses_need(form: Callable[..., Any]) -> None:
    pair = tuple(range(12)), tuple(range(1, 13))
    for epsilon, delta, status in ((12, 0, "PROVED"), (11, 0, "REFUTED"), (4, Fraction(1, 10**6), "REFUTED")):
        verdict = decided(form, pair, epsilon=epsilon, delta=delta)
        assert verdict.status is Status[status]
        assert verdict.delta is not None and verdict.epsilon is not None
        assert abs(verdict.delta.upper - delta_of(12, epsilon)) < Fraction(1, 10**18)
        assert verdict.epsilon.exact == 12
        if verdict.witness is not None:
            at = verdict.witness
            assert at.p - exp(epsilon) * at.q > delta
            assert [distribution(form, rows).probability(*at.event) for rows in (at.left, at.right)] == [at.p, at.q]


def test_what_has_many_paths_is_read_after_the_first() -> None:
    enumeration = Enumeration(Limits(), reads=True)
    enumeration.law(in_a_loop, (tuple(range(20)),), {})
    assert enumeration.has_read
    assert enumeration.runs <= 2 + 4 * 20  # as it is written, its end, and each count with what it may be


# --- Ratios
def random_ratios(chance: random.Random) -> tuple[Ratios, Mapping[Fraction, tuple[Fraction, Fraction]]]:
    """The ratios of two laws, and what each gives to a ratio."""
    count = chance.choice((2, 2, 3))
    weights = [[chance.randint(1, 3) for _ in range(count)] for _ in range(2)]
    p, q = ([Fraction(w, sum(law)) for w in law] for law in weights)
    masses: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for a, b in zip(p, q, strict=True):
        known = masses.get(a / b, (Fraction(0), Fraction(0)))
        masses[a / b] = known[0] + a, known[1] + b
    atoms = tuple(RatioMass(exact(ratio), exact(a), exact(b)) for ratio, (a, b) in masses.items())
    return Ratios(atoms, ZERO, ONE, is_of_laws=True), masses


def test_ratios_together_are_those_of_all_outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(5)
    for is_many in (False, True):
        monkeypatch.setattr(ratio_masses, "FEW_FACTORS", 0 if is_many else 8)
        for _ in range(12):
            some = [random_ratios(chance) for _ in range(chance.choice((1, 2)))]
            chosen = [chance.choice(some) for _ in range(chance.choice((1, 2, 3)))]
            kinds = parts_by_kind(AlikeParts(ratios, 1) for ratios, _ in chosen)
            least = chance.choice((Fraction(1, 2), Fraction(1), Fraction(4, 3)))
            expected = Counter[int]()
            for outcome in combinations(*(masses.items() for _, masses in chosen)):
                if math.prod((ratio for ratio, _ in outcome), start=Fraction(1)) > least:
                    expected[0] += math.prod((p for _, (p, _) in outcome), start=Fraction(1))  # type: ignore[assignment]
                    expected[1] += math.prod((q for _, (_, q) in outcome), start=Fraction(1))  # type: ignore[assignment]
            at_once = counted_masses_above(kinds, exact(least))
            for found in [convolved_ratios(kinds).above(exact(least)), *([] if at_once is None else [at_once])]:
                assert list(found) == [expected[0], expected[1]]


def test_two_ratios_of_laws_have_one_pair_of_masses() -> None:
    e = exp(1)
    low, high = RatioMass(1 / e, 1 / (1 + e), e / (1 + e)), RatioMass(e, e / (1 + e), 1 / (1 + e))
    again = RatioMass(e, total((e / (2 * (1 + e)), e / (2 + 2 * e))), 1 / (1 + e))
    kinds = [AlikeParts(Ratios((one, low), ZERO, ONE, is_of_laws=True), 1) for one in (high, again)]
    other = AlikeParts(Ratios((high,), 1 / (1 + e), ONE, is_of_laws=False), 1)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ratio_masses, "FEW_FACTORS", 0)
        assert [kind.times for kind in parts_by_kind([*kinds, other])] == [2, 1]
