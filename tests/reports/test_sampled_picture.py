"""The picture of a claim by samples: bars to scale, with intervals that hold them, and what is claimed."""

import re
from typing import Any

import numpy as np
import pytest

from dpverify.mechanisms import Draw, discrete_laplace
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.formats.html import to_html
from dpverify.reports.sampled_picture import shares_picture
from dpverify.reports.sampled_record import SampledResult
from dpverify.reports.witness_picture import WITNESS_SIZE
from dpverify.verifiers import Claim, SampledClaim, Tuples, audit

pytestmark = pytest.mark.usefixtures("decided_here")

Rng = np.random.Generator
BITS = Tuples((0, 1), size=1)


def told(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
    return (rng.random(size) < (0.75 if rows[0] else 0.25)).astype(int)


def counted(draw: Draw, rows: tuple[int, ...]) -> Any:
    return sum(rows) + draw(discrete_laplace(2))


def of_scale(scale: float) -> Any:
    def sampler(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
        p = 1 - np.exp(-1 / scale)
        return sum(rows) + rng.geometric(p, size) - rng.geometric(p, size)

    return sampler


MODEL = Claim(id="lib.model", mechanism=counted, domain=BITS, epsilon="1/2")


def sampled(**given: Any) -> SampledResult:
    found = SampledClaim(id="lib.it", draws=3_000, **given).decide()
    assert isinstance(found, SampledResult)
    return found


@pytest.mark.parametrize("epsilon", ["1/10", 1])
def test_the_event_is_drawn_on_both_databases_with_the_most_that_is_allowed(epsilon: Any) -> None:
    drawn = shares_picture(sampled(sampler=told, epsilon=epsilon, domain=BITS))
    assert drawn is not None and len(drawn.rows) == 2
    left, right = drawn.rows
    assert left.low < left.length < left.high <= WITNESS_SIZE.bar and right.low < right.length < right.high
    assert left.length / right.length == pytest.approx(3, rel=0.3)
    assert left.beside is not None and right.beside is None
    assert left.outside == (epsilon == "1/10") == (left.low > left.beside)


@pytest.mark.parametrize(("scale", "differs"), [(2.0, False), (1.0, True)])
def test_the_cells_of_a_model_are_drawn_beside_what_it_says(scale: float, differs: bool) -> None:
    result = sampled(sampler=of_scale(scale), model=MODEL)
    drawn = shares_picture(result)
    assert drawn is not None and len(drawn.rows) == len(result.shares) > 9
    assert any(row.outside for row in drawn.rows) == differs
    assert sum(float(one.share) for one in result.shares) == pytest.approx(1, abs=1e-4)
    assert sum(float(one.beside) for one in result.shares) == pytest.approx(1, abs=1e-4)
    assert all(float(one.low) <= float(one.share) <= float(one.high) for one in result.shares)


def test_a_page_has_each_picture_once_and_a_record_is_read_back() -> None:
    claims = [
        MODEL,
        SampledClaim(id="lib.right", sampler=of_scale(2.0), model=MODEL, draws=2_000),
        SampledClaim(id="lib.wrong", sampler=told, epsilon="1/10", domain=BITS, draws=2_000),
        SampledClaim(id="lib.same", sampler=lambda rows, rng: 7, epsilon=1, domain=BITS, draws=2_000),
    ]
    record = audit(claims, recheck=False)
    page = to_html(record)
    assert len(re.findall(r'aria-label="[^"]*shares with intervals', page)) == 2
    assert read_audit(to_json(record)) == record
