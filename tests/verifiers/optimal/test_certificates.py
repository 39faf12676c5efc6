"""Certificates hold for what they certify, and for nothing else."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from tests.examples import in_one
from tests.verifiers.optimal.questions import clique, hits, path

from dpverify.mechanisms import exp, log
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.verifiers.optimal import best_mechanism
from dpverify.verifiers.optimal.certificate import Certificate


def certified(epsilon: ExactLike, delta: ExactLike, weights: Any = None) -> Certificate:
    return best_mechanism(
        range(4), path(4), hits, epsilon=epsilon, delta=delta, outcomes=range(4), weights=weights
    ).certificate


@in_one("epsilon", [log(2), Fraction(1, 2)])
@in_one("delta", [0, Fraction(1, 30)])
@in_one("weights", [None, {0: 2, 1: 1, 2: 3, 3: 1}])
def test_with_one_number_changed_it_no_longer_checks(epsilon: ExactLike, delta: Fraction, weights: Any) -> None:
    certificate = certified(epsilon, delta, weights)
    assert certificate.checks()
    assert certificate.multipliers
    for place, p in certificate.multipliers.items():
        # of several optimal multipliers, as with these weights, a small change may make others
        changes = (2 * p, p / 2, p + Fraction(1, 10**30)) if weights is None else (p + 1000 * certificate.scale,)
        for changed in (-p, *changes):
            assert not replace(certificate, multipliers={**certificate.multipliers, place: changed}).checks()
    for g, y in enumerate(certificate.shares):
        others = list(certificate.shares)
        others[g] = y + 1
        assert not replace(certificate, shares=others).checks()
    assert not replace(certificate, at_most=certificate.at_most - Fraction(1, 10**30)).checks()
    assert not replace(certificate, scale=-certificate.scale).checks()
    assert not replace(certificate, delta=certificate.delta + Fraction(1, 1000)).checks() or not delta


def test_shares_of_another_sum_are_no_shares() -> None:
    certificate = certified(log(2), 0)
    none = replace(certificate, shares=[Fraction(0)] * 4, multipliers={}, at_most=Fraction(0))
    assert none.bound() == 0
    assert not none.checks()


def test_multipliers_below_zero_show_nothing() -> None:
    # they would "show" that nobody succeeds more than that
    certificate = certified(log(2), 0)
    place = next(iter(certificate.multipliers))
    wrong = replace(certificate, multipliers={**certificate.multipliers, place: Fraction(-1)})
    assert not replace(wrong, at_most=wrong.bound() / wrong.scale).checks()


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 7)], ids=str)
def test_the_bound_holds_for_private_laws(delta: Fraction) -> None:
    # independently: on all private laws of two databases with probabilities k/12, no sum exceeds the bound
    certificate = best_mechanism(range(2), clique(2), hits, epsilon=log(2), delta=delta, outcomes=range(2)).certificate
    grid = [Fraction(k, 12) for k in range(13)]
    private = [
        (p, q)
        for p, q in product(grid, grid)
        if all(a <= 2 * b + delta for a, b in ((p, q), (q, p), (1 - p, 1 - q), (1 - q, 1 - p)))
    ]
    assert len(private) > 20
    assert max(min(p, 1 - q) for p, q in private) <= certificate.at_most


def test_a_certificate_of_a_transcendental_growth_is_exact() -> None:
    certificate = certified(1, 0)
    assert certificate.growth == exp(1)
    assert not replace(certificate, growth=certificate.growth + Fraction(1, 10**40)).checks()
