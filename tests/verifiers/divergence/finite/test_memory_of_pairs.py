"""How much memory 10⁸ pairs take, in a process of its own, of which the system says how much it held at most."""

import subprocess
import sys

import pytest

OF_MANY_PAIRS = """
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


@pytest.mark.parametrize("laws", ["few", "many"])
@pytest.mark.deep
def test_a_hundred_million_pairs_take_less_than_a_gigabyte(laws: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OF_MANY_PAIRS, laws], capture_output=True, text=True, check=True, timeout=1_000
    )
    pairs, distinct, kibibytes = map(int, done.stdout.split())
    assert pairs == 101_032_200
    assert (distinct == pairs) == (laws == "many")
    assert kibibytes < 1 << 20
