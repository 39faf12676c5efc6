"""Outcomes that are drawn, against the law."""

from collections import Counter
from typing import Any

from dpverify.mechanisms import distribution, run
from dpverify.mechanisms.numbers.enclosure import enclosure


def assert_drawn_from_the_law(mechanism: Any, database: Any, runs: int, **parameters: Any) -> None:
    """Outcomes are drawn as often as their probabilities say, within five standard deviations each, and few are not."""
    law = distribution(mechanism, database, **parameters)
    counts = Counter(run(mechanism, database, seed=seed, **parameters) for seed in range(runs))
    probabilities = {outcome: float(enclosure(law.probability(outcome))) for outcome in counts}
    for outcome, p in probabilities.items():
        assert abs(counts[outcome] - runs * p) <= 5 * (runs * p * (1 - p)) ** 0.5 + 1, outcome
    assert sum(probabilities.values()) > 0.98
