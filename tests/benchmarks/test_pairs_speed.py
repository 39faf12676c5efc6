"""What a check of many pairs costs: beside float64 numpy, by its parts, and how much memory 10⁸ pairs take.

`make bench` prints the ratio and the shares. In the test suite a smaller check runs once, and the float64 result has to
agree with the exact one; memory is measured in a process of its own, in deep runs.
"""

import subprocess
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import Draw, Limits, exponential
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.verifiers import Multisets, check_privacy, replace_one
from dpverify.verifiers.divergence.finite.scanning import scan
from dpverify.verifiers.problems.neighbours.neighbours import neighbouring_pairs
from dpverify.verifiers.problems.preparation.experiment import prepared_in_full
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.problems.questions.question import Question, privacy_guarantee
from dpverify.verifiers.verdicts.compared_distributions import tabulated

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


def most_frequent(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return exponential([rows.count(x) for x in range(8)], epsilon)


def by_floats(counts: Floats, left: Ids, right: Ids) -> tuple[float, float]:
    """The worst δ at ε = 1, and the exact ε as far as floats tell, of the same laws and pairs; nothing is certain."""
    weights = np.exp((counts - counts.max(axis=1, keepdims=True)) / 2)
    laws = weights / weights.sum(axis=1, keepdims=True)
    p, q = laws[left], laws[right]
    return float(np.maximum(0.0, p - np.e * q).sum(axis=1).max()), float(np.log((p / q).max()))


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What comes of it, and its seconds of CPU."""
    began = process_time()
    found = work()
    return found, process_time() - began


def shares(domain: Multisets) -> dict[str, float]:
    """Seconds of CPU by what a check does one after the other."""
    claim = privacy_guarantee(1, 0)
    question = Question(most_frequent, domain, replace_one, claim, {}, Limits())
    experiment, of_pairs = timed(lambda: prepared_in_full(question, never_repeated))
    laws, of_laws = timed(lambda: tabulated(experiment))
    _, of_deciding = timed(lambda: scan(laws.table, laws.compared, claim))
    return {"pairs": of_pairs, "laws": of_laws, "deciding": of_deciding}


def test_a_whole_check_of_192_192_pairs(benchmark: BenchmarkFixture) -> None:
    domain = Multisets(range(8), size=8 if benchmark.enabled else 4)
    databases = list(domain)
    pairs = neighbouring_pairs(databases, domain, replace_one)
    counts = np.array([[rows.count(x) for x in range(8)] for rows in databases], dtype=np.float64)
    left, right = pairs.left, pairs.right

    def ours() -> Any:
        return check_privacy(most_frequent, domain, replace_one, epsilon=1, recheck=False)

    def baseline() -> tuple[float, float]:
        return by_floats(counts, left, right)

    verdict = ours()
    worst, epsilon = baseline()
    assert verdict.pairs.covered == len(left) == (192_192 if benchmark.enabled else 6_720)
    assert verdict.delta.exact == 0 == worst
    assert abs(float(enclosure(verdict.epsilon.exact)) - epsilon) < 1e-12
    # where nothing is timed it has run once already, and what it found was looked at
    benchmark.pedantic(ours if benchmark.enabled else lambda: None, rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    if benchmark.enabled:
        seconds = [(timed(ours)[1], timed(baseline)[1]) for _ in range(5)]
        exact_seconds, float_seconds = (median(each) for each in zip(*seconds, strict=True))
        parts = shares(domain)
        benchmark.extra_info |= {"ratio to float64 numpy": round(exact_seconds / float_seconds, 1), **parts}
        print(
            f"\n192,192 pairs, whole check: {exact_seconds * 1e3:.0f} ms exact, {float_seconds * 1e3:.0f} ms float64 "
            f"without laws run or pairs made; ratio {exact_seconds / float_seconds:.1f}; "
            + ", ".join(f"{name} {seconds / float_seconds:.1f}" for name, seconds in parts.items())
        )


@pytest.mark.parametrize("laws", ["few", "many"])
@pytest.mark.deep
def test_a_hundred_million_pairs_take_less_than_a_gigabyte(laws: str) -> None:
    """In a process of its own, of which the system says how much it held at most."""
    done = subprocess.run(
        [sys.executable, "-c", _OF_MANY_PAIRS, laws], capture_output=True, text=True, check=True, timeout=1_000
    )
    pairs, distinct, kibibytes = map(int, done.stdout.split())
    assert pairs == 101_032_200
    assert (distinct == pairs) == (laws == "many")
    print(f"\n{pairs:,} pairs, {distinct:,} of different laws: {kibibytes / 1024:.0f} MiB at most")
    assert kibibytes < 1 << 20


_OF_MANY_PAIRS = """
import resource, sys
from dpverify.mechanisms import Distribution
from dpverify.verifiers import Tuples, check_privacy

def few(draw, rows):
    return Distribution({0: 1 + rows[0] % 7, 1: 3 + rows[1] % 11})

def many(draw, rows):
    return Distribution({0: 1000 + rows[0], 1: 1000 + rows[1], 2: 1500})

verdict = check_privacy(globals()[sys.argv[1]], Tuples(range(370), size=2), epsilon=1, recheck=False)
print(verdict.pairs.covered, verdict.pairs.distinct, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
