"""How fast best mechanisms are found, as ratios to what floating point takes for the same program in the same run.

`make bench` prints seconds, the size, the bar and how much of the time is not that of HiGHS.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import log
from dpverify.verifiers.optimal import best as module
from dpverify.verifiers.optimal import best_mechanism
from dpverify.verifiers.optimal.highs import guessed


class Case(NamedTuple):
    """Bits of a database, answers, e^ε or ε, δ, whether weights count, and a bar in seconds."""

    bits: int
    answers: int
    epsilon: Any
    delta: Fraction
    weighted: bool
    bar: float
    in_suite: bool = False


CASES = {
    "64 databases": Case(6, 3, log(2), Fraction(0), False, 1, True),
    "1,024 databases, 10,240 pairs": Case(10, 3, log(2), Fraction(0), False, 60),
    "1,024 databases, 10,240 pairs, weighted": Case(10, 3, log(2), Fraction(0), True, 60),
    "1,024 databases, 10,240 pairs, with a δ": Case(10, 3, log(2), Fraction(1, 50), True, 60),
    "64 databases, over Q(e)": Case(6, 3, 1, Fraction(0), True, 10),
}


@contextmanager
def timed_floats(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    seconds: list[float] = []

    def timed(*program: Any) -> Any:
        start = perf_counter()
        found = guessed(*program)
        seconds.append(perf_counter() - start)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(module, "guessed", timed)
        yield seconds


@pytest.mark.parametrize("name", CASES)
def test_best_mechanisms(benchmark: BenchmarkFixture, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    case = CASES[name]
    if not benchmark.enabled and not case.in_suite:
        pytest.skip("timed by make bench")
    random = Random(1)
    count = 1 << case.bits
    table = [[Fraction(random.randrange(101), 100) for _ in range(case.answers)] for _ in range(count)]
    weights = {database: 1 + database % 7 for database in range(count)} if case.weighted else None

    def found() -> Any:
        return best_mechanism(
            range(count),
            lambda database: [database ^ (1 << bit) for bit in range(case.bits)],
            lambda database, answer: table[database][answer],
            epsilon=case.epsilon,
            delta=case.delta,
            outcomes=range(case.answers),
            weights=weights,
        )

    with timed_floats(monkeypatch) as floats:
        best = benchmark.pedantic(found, rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    assert best.is_exact
    assert best.certificate.checks()
    if benchmark.enabled:
        assert benchmark.stats is not None
        seconds = benchmark.stats.stats.min
        print(f"\n{name}: {seconds:.2f} s (bar {case.bar} s), {seconds / floats[0]:.2f} × the time of HiGHS alone")
