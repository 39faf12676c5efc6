"""The probabilities of lines beside all runs of a mechanism in plain Fractions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from types import FrameType
from typing import Any

import pytest
from msgspec import UNSET

from dpverify.mechanisms import Distribution, Draw, Limits, bernoulli, exponential, laplace
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.reports.line_runs import LineRun, LineRuns
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.verifiers import Claim, Histograms
from dpverify.verifiers.claims import How
from dpverify.verifiers.line_coverage import line_runs as looking_at_lines
from dpverify.verifiers.line_coverage.line_runs import MOST_LOOKED_AT, databases_looked_at, line_runs


def walk(draw: Draw, rows: tuple[int, ...]) -> Any:
    place = 0
    for row in rows:
        if draw(bernoulli(Fraction(1 + row, 4))):
            place += 1
            if place == 2:
                return "far"
        else:
            place -= 1
    if place < 0:
        return (
            "behind",
            place,
        )
    return draw(bernoulli("0.5"))


class Scripted:
    """Coins that come up as they are told, and the lines of `walk` that are passed meanwhile."""

    def __init__(self, coins: Sequence[bool]) -> None:
        self.left = list(coins)
        self.chance = Fraction(1)
        self.passed: set[int] = set()

    def __call__(self, law: Distribution[bool]) -> bool:
        side = self.left.pop(0)
        self.chance *= Fraction(str(law.probability(side)))
        return side

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "line" and frame.f_code is walk.__code__:
            self.passed.add(frame.f_lineno - walk.__code__.co_firstlineno + 1)
        return self.trace


def runs(rows: tuple[int, ...]) -> Iterator[tuple[Fraction, set[int]]]:
    """All runs of `walk`: their probabilities, and the lines that they pass."""
    waiting: list[list[bool]] = [[]]
    while waiting:
        coins = waiting.pop()
        draw, before = Scripted(coins), sys.gettrace()
        sys.settrace(draw.trace)
        try:
            walk(draw, rows)  # type: ignore[arg-type]
        except IndexError:  # it tosses once more
            waiting += [[*coins, True], [*coins, False]]
            continue
        finally:
            sys.settrace(before)
        yield draw.chance, draw.passed


def test_each_line_has_the_probability_of_the_runs_that_pass_it() -> None:
    databases = [(0, 0), (0, 1), (1, 0), (1, 1)]
    looked_at, found = line_runs(walk, databases, {}, Limits())
    assert looked_at == 4
    expected = {}
    runs_of = [list(runs(rows)) for rows in databases]
    for line in (2, 3, 4, 5, 6, 7, 9, 10, 11, 15):
        chances = [sum(chance for chance, passed in of_one if line in passed) for of_one in runs_of]
        expected[line] = sum(chance > 0 for chance in chances), max(chances)
    assert [one.line for one in found] == list(expected)
    for one in found:
        databases_of_line, most = expected[one.line]
        assert one.databases == databases_of_line
        assert abs(Fraction(one.most) - most) < Fraction(1, 1000) and (one.most == "1") == (most == 1)


def above(draw: Draw, count: int, *, epsilon: Any) -> Any:
    noisy = count + draw(laplace(1 / epsilon))
    if noisy >= 3:
        return noisy
    return exponential({0: count, 1: 0}, epsilon)


def test_noise_that_is_compared_and_released() -> None:
    _, found = line_runs(above, [0, 1], {"epsilon": Fraction(1)}, Limits())
    # at 1 it is e^-2/2 and at 0 what is left is 1 - e^-3/2
    assert found == [LineRun(2, 2, "1"), LineRun(3, 2, "1"), LineRun(4, 2, "0.0677"), LineRun(5, 2, "0.975")]


def sure(draw: Draw, count: int) -> Any:
    if count < draw(laplace(1)) + 100:
        return 0
    return 1


def test_what_is_almost_sure_is_not_said_to_be_sure() -> None:
    _, found = line_runs(sure, [0], {}, Limits())
    assert found[1] == LineRun(3, 1, "0.999…") and found[2].most.endswith("e-44")


def flip(draw: Draw, row: int) -> int:
    return 1 - row if draw(bernoulli("1/4")) else row


def by_parts(draw: Draw, rows: tuple[int, ...]) -> Any:
    def part(draw: Draw, row: int) -> int:
        if draw(bernoulli("1/4")):
            return 1 - row
        return row

    return draw(flip, rows[0]), draw.each(part, rows)


def test_what_is_defined_within_is_a_part_of_the_run_or_left_out() -> None:
    _, found = line_runs(by_parts, [(0, 1)], {}, Limits())
    # of two rows one at least is flipped with 7/16, and one at least is kept with 15/16
    assert found == [
        LineRun(2, 1, "1"),
        LineRun(3, 1, "1"),
        LineRun(4, 1, "0.438"),
        LineRun(5, 1, "0.938"),
        LineRun(7, 1, "1"),
    ]
    _, found = line_runs(by_parts, [(0,) * 14], {}, Limits())
    assert found == [LineRun(2, 1, "1"), LineRun(7, 1, "1")]


class Holder:
    def __call__(self, draw: Draw, row: int) -> int:
        return self.flipped(draw, row)

    def flipped(self, draw: Draw, row: int) -> int:
        return flip(draw, row)


def endless(draw: Draw, row: int) -> Any:
    while draw(bernoulli("0.5")):
        pass
    return row


def test_objects_that_are_called_and_what_has_no_law_of_lines() -> None:
    assert line_runs(Holder(), [0], {}, Limits()) == (1, [LineRun(3, 1, "1"), LineRun(6, 1, "1")])
    assert line_runs(endless, [0], {}, Limits(paths=50, draws=60)) == (0, [])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(looking_at_lines, "MOST_SECONDS", 0.02)
        assert line_runs(lambda draw, row: sum(1 for _ in range(10**9)), [0], {}, Limits()) == (0, [])
    made: dict[str, Mechanism] = {}
    exec("def made(draw, row): return row", made)
    assert line_runs(made["made"], [0], {}, Limits()) == (0, [])


def test_some_databases_stand_for_a_large_domain() -> None:
    domain = list(range(1000))
    found = databases_looked_at([500, 501], domain)
    assert len(found) == MOST_LOOKED_AT and found[:2] == [500, 501] and {0, 999} <= set(found)
    assert databases_looked_at([], domain[:3]) == [0, 1, 2] and databases_looked_at([4, 5], []) == [4, 5]


@pytest.mark.parametrize("epsilon", ["1", "2"])
def test_a_record_has_them_where_lines_are_asked_for(epsilon: str) -> None:
    claim = Claim(id="lib.flip", mechanism=flip, domain=[0, 1], neighbours=lambda row: [1 - row], epsilon=epsilon)
    found = claim.decide(How(recheck=False, lines=True)).line_runs
    assert found == LineRuns(2, True, "", [LineRun(2, 2, "1")])
    assert claim.decide(How(recheck=False)).line_runs is UNSET


def test_of_a_domain_without_end_they_are_of_the_witness_alone() -> None:
    def counted(draw: Draw, rows: Any) -> Any:
        return rows.count(0) > 3

    claim = Claim(id="lib.counted", mechanism=counted, domain=Histograms((0, 1)), epsilon=1)
    result = claim.decide(How(recheck=False, lines=True))
    assert isinstance(result, PrivacyResult) and result.witness is not None
    assert result.line_runs is not UNSET and result.line_runs.databases == 2 and not result.line_runs.are_all
