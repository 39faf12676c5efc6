"""The mechanisms that are enumerated by whole runs, counted in the record with reason and line; no gate compares them."""

from typing import Any

from tests.mechanisms.drawing.test_items_apart import Rows

from dpverify.mechanisms import Draw, bernoulli
from dpverify.reports import compare
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.verifiers import Claim, Tuples, audit, replace_one

COIN = bernoulli("1/2")


def in_a_row(draw: Draw, rows: Rows) -> Any:
    a, b, c, d, e = draw(COIN), draw(COIN), draw(COIN), draw(COIN), draw(COIN)
    return a + b + c + d + e


def by_steps(draw: Draw, rows: Rows) -> Any:
    return sum(draw(COIN) for _ in range(5))


def test_whole_runs_are_in_the_record_and_compared_by_no_gate() -> None:
    domain = Tuples((0, 1), size=1)
    claims = [
        Claim(id="lib.bits", mechanism=mechanism, domain=domain, neighbours=replace_one, epsilon=0)
        for mechanism in (in_a_row, by_steps)
    ]
    whole, steps = (audit([claim], recheck=False) for claim in claims)
    first, second = whole.claims[0], steps.claims[0]
    assert isinstance(first, PrivacyResult) and isinstance(second, PrivacyResult)
    assert first.whole_runs and not second.whole_runs
    (one,) = first.whole_runs
    assert (one.mechanism, one.line) == ("in_a_row", in_a_row.__code__.co_firstlineno)
    assert one.in_words == f"in_a_row, line {one.line}: no loop of it draws"
    assert not any("whole_runs" in line for lines in compare(whole, steps).changed.values() for line in lines)
