"""δ of independent parts with too many losses to list: enclosures, held against all outcomes one by one."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product as tuples
from typing import Any

import pytest
from flint import arb

from dpverify.mechanisms import (
    Distribution,
    Draw,
    discrete_laplace,
    distribution,
    exact,
    exp,
    exponential_noise,
    laplace,
    log,
)
from dpverify.mechanisms.laws import ratio_masses
from dpverify.mechanisms.laws.ratio_masses import AlikeParts, convolved_ratios
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy
from dpverify.verifiers.densities import enclosed_losses, finite, losses
from dpverify.verifiers.densities.enclosed_losses import AlikeLosses, enclosed_masses_above
from dpverify.verifiers.densities.finite import ratios_of
from dpverify.verifiers.densities.losses import Losses, LossMass, masses_above, mixed_losses
from dpverify.verifiers.densities.strata import DensityFactor, pair_of
from dpverify.verifiers.verdicts.verdict import Verdict


def random_law(chance: random.Random, values: int) -> dict[Any, Fraction]:
    weights = [chance.randrange(5) for _ in range(values - 1)] + [1 + chance.randrange(4)]
    return {value: Fraction(weight, sum(weights)) for value, weight in enumerate(weights)}


def masses_one_by_one(laws: list[tuple[dict[Any, Fraction], dict[Any, Fraction]]], least: Fraction) -> list[Fraction]:
    """The excess over least·q, and the mass of Q, of the outcomes with p > least·q."""
    excess, mass = Fraction(0), Fraction(0)
    for outcome in tuples(range(3), repeat=len(laws)):
        p, q = Fraction(1), Fraction(1)
        for value, (left, right) in zip(outcome, laws, strict=True):
            p, q = p * left[value], q * right[value]
        if p > least * q:
            excess, mass = excess + p - least * q, mass + q
    return [excess, mass]


@pytest.mark.parametrize("seed", range(6))
def test_enclosures_hold_the_sums_over_all_outcomes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosed_losses, "_STEPS", ((128, 1 << 8), (512, 1 << 11)))
    chance = random.Random(seed)
    laws = [(random_law(chance, 3), random_law(chance, 3)) for _ in range(3)]
    laws += [laws[0]] * 2
    least = Fraction(chance.randrange(1, 9), 4)
    parts = [_part(left, right) for left, right in laws[1:3]] + [AlikeParts(_part(*laws[0]).ratios, 3)]
    found = enclosed_masses_above(parts, exact(least))
    excess, mass = masses_one_by_one(laws, least)
    widths = []
    for bits in (128, 512):
        p, q = enclosure(found.p, bits), enclosure(found.q, bits)
        assert q.contains(_ball(mass))
        assert (p - q * _ball(least)).contains(_ball(excess))
        widths.append(float(q.rad()))
    assert widths[1] <= widths[0]


def _part(left: dict[Any, Fraction], right: dict[Any, Fraction]) -> AlikeParts:
    factor = finite.finite_factor((0,), *({k: exact(p) for k, p in law.items()} for law in (left, right)))
    return AlikeParts(ratios_of(factor), 1)


def _ball(number: Fraction) -> arb:
    return enclosure(exact(number))


# --- What is decided by them

WHOLE = [(0,) * 6, (1,) * 6]


def both(database: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [other for other in WHOLE if other != database]


def cut_counts(draw: Draw, rows: tuple[int, ...]) -> Any:
    return tuple(max(0, row + draw(discrete_laplace(2 + Fraction(i, 7)))) for i, row in enumerate(rows))


def decided(delta: Any) -> Verdict:
    return check_privacy(cut_counts, WHOLE, both, epsilon=1, delta=delta, recheck=False)


@pytest.mark.deep
def test_a_claim_is_decided_by_an_enclosure_where_that_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = decided("0.3").delta
    monkeypatch.setattr(ratio_masses, "_MOST_RATIOS", 1 << 4)
    monkeypatch.setattr(enclosed_losses, "_STEPS", ((512, 1 << 11),))
    proved = decided("0.3")
    assert proved.status is Status.PROVED
    assert listed is not None
    assert proved.delta is not None
    assert proved.delta.exact is None
    assert "found δ ≈ 0.13" in str(proved)
    assert proved.delta.lower <= listed.lower <= listed.upper <= proved.delta.upper
    assert proved.delta.upper - proved.delta.lower < Fraction(1, 500)
    refuted = decided(listed.lower * Fraction(9, 10))
    assert refuted.status is Status.REFUTED
    assert refuted.witness is not None
    assert "of privacy loss above 1" in str(refuted.witness.event[0])


@pytest.mark.deep
def test_a_claim_inside_an_enclosure_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = decided("0.3").delta
    monkeypatch.setattr(ratio_masses, "_MOST_RATIOS", 1 << 4)
    monkeypatch.setattr(enclosed_losses, "_STEPS", ((512, 1 << 11),))
    assert listed is not None
    assert decided(listed.lower).status is Status.UNDECIDED


def test_parts_that_are_alike_are_as_many_counted_one_by_one() -> None:
    laws: list[Distribution[Any]] = [Distribution({0: exact(1), 1: exp(1)}), Distribution({0: exp(1), 1: exact(1)})]
    left, right = (law.probabilities for law in laws)
    ratios = ratios_of(finite.finite_factor((0,), left, right))
    at_once = convolved_ratios([AlikeParts(ratios, 4)])
    one_by_one = convolved_ratios([AlikeParts(ratios, 1)] * 4)
    assert at_once.above(exp(1)) == one_by_one.above(exp(1))
    assert len(at_once.atoms) == len(one_by_one.atoms) == 5


# --- Real numbers


def real_losses(numbers: list[tuple[str, Fraction]]) -> list[Losses]:
    """The losses of noise moved by 1, some of it cut at 0."""

    def mechanism(draw: Draw, database: int, kind: str, scale: Fraction) -> Any:
        noise = database + draw((exponential_noise if kind == "one-sided" else laplace)(scale))
        return max(0, noise) if kind == "cut" else noise

    found = []
    for kind, scale in numbers:
        laws = [distribution(mechanism, database, kind=kind, scale=scale) for database in (1, 0)]
        pair = pair_of(*laws)
        plain = [(atom.p, atom.q) for atom in pair.atoms]
        lines = [
            (factor.p.scaled(stratum.factors[0].p), factor.q.scaled(stratum.factors[0].q))
            for stratum in pair.strata
            for factor in stratum.factors[1]
            if isinstance(factor, DensityFactor)
        ]
        losses = mixed_losses(plain, lines)
        assert losses is not None
        found.append(losses)
    return found


@pytest.mark.parametrize(
    ("kinds", "least"),
    [("plain cut cut", Fraction(1)), ("plain one-sided", Fraction(3, 2)), ("cut plain plain", Fraction(2, 3))],
)
def test_enclosures_of_real_numbers_hold_the_exact_masses(
    kinds: str, least: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enclosed_losses, "_STEPS", ((128, 1 << 8), (512, 1 << 10)))
    parts = real_losses([(kind, 1 + Fraction(i, 3)) for i, kind in enumerate(kinds.split())])
    bit = _part({0: Fraction(1, 3), 1: Fraction(2, 3)}, {0: Fraction(2, 3), 1: Fraction(1, 3)})
    finite_losses = Losses(
        tuple(LossMass(log(atom.ratio), atom.p) for atom in bit.ratios.atoms),
        parts[0].density.scaled(exact(0)),
        bit.ratios.infinite,
        bit.ratios.whole,
    )
    listed = masses_above([*parts, *parts[:1], finite_losses], exact(least))
    found = enclosed_masses_above(
        [bit, AlikeLosses(parts[0], 2), *(AlikeLosses(part, 1) for part in parts[1:])], exact(least)
    )
    widths = []
    for bits in (128, 512):
        p, q = enclosure(found.p, bits), enclosure(found.q, bits)
        assert q.overlaps(enclosure(listed.q, bits))
        assert (p - q * _ball(least)).overlaps(enclosure(listed.p - exact(least) * listed.q, bits))
        widths.append(float(q.rad()))
    assert widths[1] < widths[0] < 0.1


def test_numbers_with_too_many_losses_together_are_enclosed(monkeypatch: pytest.MonkeyPatch) -> None:
    def counts(draw: Draw, rows: tuple[int, ...]) -> Any:
        return tuple(max(0, row + draw(laplace(2 + Fraction(i, 7)))) for i, row in enumerate(rows[:3]))

    def of(delta: Any) -> Verdict:
        return check_privacy(counts, WHOLE, both, epsilon=Fraction(1, 2), delta=delta, recheck=False)

    listed = of("0.3").delta
    monkeypatch.setattr(losses, "_MOST_BREAKS", 4)
    monkeypatch.setattr(enclosed_losses, "_STEPS", ((512, 1 << 10),))
    proved = of("0.3")
    assert listed is not None
    assert proved.delta is not None
    assert proved.status is Status.PROVED
    assert proved.delta.lower <= listed.lower <= listed.upper <= proved.delta.upper
    refuted = of(listed.lower * Fraction(9, 10))
    assert refuted.status is Status.REFUTED
    assert refuted.witness is not None
    assert refuted.witness.p - exp(Fraction(1, 2)) * refuted.witness.q > listed.lower * Fraction(9, 10)
