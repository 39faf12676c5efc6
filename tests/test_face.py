"""What `dpverify.reports` gives: an audit read, rendered in every format, and compared with another."""

from functools import cache
from typing import Any

import pytest

from dpverify.mechanisms import InputError, discrete_laplace
from dpverify.reports import compare, read_audit, render
from dpverify.reports.formats.rendering import SUFFIXES
from dpverify.reports.record import AuditRecord
from dpverify.verifiers import Claim, Tuples, audit, replace_one


def noisy_count(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return sum(rows) + draw(discrete_laplace(1 / epsilon))


@cache
def record(claimed: Any) -> AuditRecord:
    claim = Claim(
        id="count",
        mechanism=noisy_count,
        domain=Tuples((0, 1), size=1),
        neighbours=replace_one,
        epsilon=claimed,
        parameters={"epsilon": 1},
    )
    return audit([claim], recheck=False)


def test_what_is_rendered_as_json_is_read_again() -> None:
    made = record(1)
    assert read_audit(render(made, ".json")) == made
    assert compare(read_audit(render(made, ".json")), made).is_none


def test_two_records_are_compared_field_by_field() -> None:
    found = compare(record(1), record("1/2"))
    assert not found.is_none
    assert any(line.startswith("verdict: PROVED → REFUTED") for line in found.changed["count"])
    assert (found.same, found.vanished, found.appeared) == (0, [], [])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_record_is_rendered_in_every_format(suffix: str) -> None:
    assert render(record(1), suffix).strip()


def test_a_format_that_there_is_not_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"\.md, \.html, \.sarif, \.xml"):
        render(record(1), ".pdf")


def test_what_is_no_audit_is_refused() -> None:
    with pytest.raises(InputError, match="not an audit of dpverify"):
        read_audit("[]")
