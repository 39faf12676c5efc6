"""Optima that are known by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpverify.mechanisms import ExactLike, exact, exp, log
from dpverify.verifiers import Status, best_mechanism, check_privacy

TENTH = Fraction(1, 10)


@pytest.mark.parametrize("epsilon", [log(2), log(Fraction(3, 2)), 1, Fraction(1, 2), 0], ids=str)
@pytest.mark.parametrize("delta", [0, TENTH], ids=str)
@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_clique_told_its_own_index(epsilon: ExactLike, delta: Fraction, count: int) -> None:
    def others(database: int) -> list[int]:
        return [other for other in range(count) if other != database]

    best = best_mechanism(
        range(count), others, lambda database, answer: database == answer, epsilon, delta, outcomes=range(count)
    )
    growth = exp(epsilon)
    assert exact(best.success) == (growth + (count - 1) * delta) / (growth + count - 1)
    assert best.certificate.checks()
    verdict = check_privacy(best.mechanism, range(count), others, epsilon=epsilon, delta=delta)
    assert verdict.status is Status.PROVED
    assert min(best.law[database].probability(database) for database in range(count)) == best.success
