"""Outcomes that are drawn, against the law."""

from typing import Any

from dpverify.mechanisms import distribution, run
from dpverify.mechanisms.numbers.enclosure import enclosure


def assert_drawn_from_the_law(mechanism: Any, database: Any, runs: int, **parameters: Any) -> None:
    """Each outcome is drawn as often as its probability says, to within five standard deviations."""
    law = distribution(mechanism, database, **parameters)
    drawn = [run(mechanism, database, seed=seed, **parameters) for seed in range(runs)]
    for outcome in law:
        p = float(enclosure(law.probability(outcome)))
        assert abs(drawn.count(outcome) - runs * p) <= 5 * (runs * p * (1 - p)) ** 0.5 + 1
