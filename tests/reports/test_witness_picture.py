"""The picture of a witness: what is drawn is what the record says, to scale, also at the ends of what floats hold."""

import re
from fractions import Fraction
from itertools import pairwise
from math import log
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.catalogue.committed import committed_audit

from dpverify.mechanisms import Distribution, Draw, laplace
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.bars import ABOVE_WIDTH, bars_above
from dpverify.reports.formats.html import row_of, to_html
from dpverify.reports.gates.comparison import compare
from dpverify.reports.kinds.utility import UtilityResult
from dpverify.reports.privacy_pictures import _drawn, plot_of, profile_plot
from dpverify.reports.privacy_record import PrivacyResult, ProfilePiece, Share, WitnessDistributions, WitnessRecord
from dpverify.reports.record import AuditRecord, Quantity, Status
from dpverify.reports.witness_picture import WITNESS_SIZE, WitnessPicture, witness_picture
from dpverify.verifiers import Claim, Tuples, audit

pytestmark = pytest.mark.usefixtures("decided_here")


def told(draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw(Distribution({rows[0]: 3, "other": 1}))


def noisy(draw: Draw, rows: tuple[int, ...]) -> Any:
    return rows[0] + draw(laplace(1))


CLAIMS = [
    Claim(id="lib.told", mechanism=told, domain=Tuples((0, 1), size=1), epsilon=1, delta="1/4"),
    Claim(id="lib.noisy", mechanism=noisy, domain=Tuples((0, 1), size=1), epsilon="1/2"),
    Claim(id="lib.holds", mechanism=noisy, domain=Tuples((0, 1), size=1), epsilon=1),
]


@pytest.fixture(scope="module")
def record() -> AuditRecord:
    return audit(CLAIMS, recheck=False)


def result(record: AuditRecord, place: int) -> PrivacyResult:
    claim = record.claims[place]
    assert isinstance(claim, PrivacyResult)
    return claim


def picture(claim: PrivacyResult) -> WitnessPicture:
    found = witness_picture(claim)
    assert found is not None
    return found


def with_witness(claim: PrivacyResult, **changed: Any) -> PrivacyResult:
    assert claim.witness is not None
    return msgspec.structs.replace(claim, witness=msgspec.structs.replace(claim.witness, **changed))


def test_outcomes_are_bars_to_one_scale_and_the_event_is_marked(record: AuditRecord) -> None:
    found = picture(result(record, 0))
    by_label = {row.label: row for row in found.rows}
    assert by_label.keys() == {"0", "'other'", "1"} and found.line is None
    hit = [row for row in found.rows if row.in_event]
    assert [(row.left, row.right, row.p, row.q) for row in hit] == [(WITNESS_SIZE.bar, 0, "0.75", "0")]
    assert (by_label["'other'"].left, by_label["'other'"].right) == pytest.approx(
        (WITNESS_SIZE.bar / 3, WITNESS_SIZE.bar / 3), abs=0.1
    )
    assert [row.y for row in found.rows] == [
        0,
        WITNESS_SIZE.row,
        2 * WITNESS_SIZE.row,
    ] and found.height == 3 * WITNESS_SIZE.row
    # the event has probability 3/4 on the left, 0 on the right, and e^1·0 + 1/4 is allowed
    assert found.bound == (WITNESS_SIZE.bar, 0, round(WITNESS_SIZE.bar / 3, 1), "0.75", "0", "0.25", "0.5")


def test_numbers_are_curves_and_the_event_is_shaded(record: AuditRecord) -> None:
    claim = result(record, 1)
    assert claim.witness is not None and claim.witness.distributions is not None
    found, laws = picture(claim), claim.witness.distributions
    assert found.rows == [] and found.line is not None
    points = [tuple(map(float, point.split(","))) for point in found.line.left.split()]
    assert len(points) == 2 * len(laws.shares) and points[0][0] == 0 and points[-1][0] == WITNESS_SIZE.width
    assert all(0 <= y <= WITNESS_SIZE.line for _, y in points) and all(a[0] <= b[0] for a, b in pairwise(points))
    masses = [float(share.p) for share in laws.shares]
    assert min(points, key=lambda point: point[1])[1] == points[2 * masses.index(max(masses))][1]
    ((x, width),) = found.line.shaded
    inside = [i for i, share in enumerate(laws.shares) if share.in_event]
    assert width == pytest.approx(len(inside) / len(laws.shares) * WITNESS_SIZE.width, abs=0.2)
    assert x == pytest.approx(inside[0] / len(laws.shares) * WITNESS_SIZE.width, abs=0.2)


def test_an_event_in_pieces_has_a_shade_for_each(record: AuditRecord) -> None:
    shares = [Share("", "0.25", "0.1", hit) for hit in (True, False, True, True)]
    claim = with_witness(
        result(record, 1), distributions=WitnessDistributions(shares, ["0", "1", "2", "3", "4"], "x", 0)
    )
    line = picture(claim).line
    assert line is not None
    quarter = WITNESS_SIZE.width / 4
    assert line.shaded == [(0, quarter), (2 * quarter, 2 * quarter)]
    nothing = [Share("", "0", "0", False)]
    assert picture(with_witness(claim, distributions=WitnessDistributions(nothing, ["0", "1"], "x", 0))).line is None


@pytest.mark.parametrize(
    ("epsilon", "q", "said", "bound"),
    [("5000", "0.1", "∞", WITNESS_SIZE.bar), ("5000", "0", "0.25", round(WITNESS_SIZE.bar / 3, 1))],
)
def test_what_is_beyond_floats_is_drawn_at_the_end(
    record: AuditRecord, epsilon: str, q: str, said: str, bound: float
) -> None:
    def number(text: str) -> Quantity:
        return Quantity(text, text, text, text)

    claim = with_witness(result(record, 0), epsilon=number(epsilon), q=number(q))
    found = picture(claim)
    assert (found.bound.said, found.bound.bound) == (said, bound)
    assert found.bound.left <= WITNESS_SIZE.bar and found.bound.right <= WITNESS_SIZE.bar


def test_no_picture_without_a_witness_and_only_the_event_without_laws(record: AuditRecord) -> None:
    assert witness_picture(result(record, 2)) is None
    found = picture(with_witness(result(record, 0), distributions=None))
    assert (found.rows, found.line, found.height, found.left_out) == ([], None, 0, 0)
    assert "the event" in row_of(with_witness(result(record, 0), distributions=None))


def test_the_page_has_the_pictures_and_says_them_in_words(record: AuditRecord) -> None:
    text = to_html(record)
    assert text.count('<figure class="laws">') == 2
    assert 'aria-label="Probabilities of the event: 0.75 on the left database, 0 on the right one' in text
    assert text == to_html(read_audit(to_json(record)))
    long = "<x>" * 40
    laws = WitnessDistributions([Share(long, "1", "0", True)], [], "", 7)
    text = to_html(msgspec.structs.replace(record, claims=[with_witness(result(record, 0), distributions=laws)]))
    assert "<x>" not in text and "&lt;x&gt;&lt;x&gt;" in text and "7 less likely outcomes left out" in text


@pytest.mark.parametrize(
    ("found", "allowed", "bar", "line"),
    [(0.5, 0.25, ABOVE_WIDTH, ABOVE_WIDTH / 2), (0.25, 0.5, ABOVE_WIDTH / 2, ABOVE_WIDTH), (0.0, 0.0, 0, 0)],
)
def test_what_is_found_is_a_bar_and_what_is_allowed_a_line(
    found: float, allowed: float, bar: float, line: float
) -> None:
    assert bars_above(found, allowed, "words") == (bar, line, "words")


def test_other_witnesses_are_said_in_words_and_drawn() -> None:
    claims = {claim.id: claim for claim in committed_audit().claims if claim.verdict is Status.REFUTED}
    failing = [claim for claim in claims.values() if isinstance(claim, UtilityResult)]
    assert len(failing) == 24
    for claim in failing:
        assert claim.witness is not None
        shown = row_of(claim)
        said = f"It fails with probability {claim.witness.failure_decimal} (the bar), and β = {claim.witness.beta} is"
        assert shown.count(said) == 2, "in words, and as those of the picture"
    step = row_of(claims["BNS-J-2.6.step.above"])
    assert "It says p ≤ exp((−p)·δ^2/3). Where p = 1/100, δ = 98, the left side is 0.01 and the right side" in step


def test_values_of_the_curve_can_be_read(record: AuditRecord) -> None:
    claim = result(record, 0)
    plot = profile_plot(claim)
    assert plot is not None
    assert [epsilon for epsilon, _ in plot.readings] == ["0", "0.25", "0.5", "0.75", "1"]
    assert {delta for _, delta in plot.readings} == {"0.75"}  # an outcome that tells the row, at every ε
    drawn = profile_plot(result(record, 2))
    assert drawn is not None and len(drawn.readings) >= 4
    assert [float(delta) for _, delta in drawn.readings] == sorted((float(d) for _, d in drawn.readings), reverse=True)
    assert re.search(r'<th scope="row">δ\(ε\)</th><td>0.75</td>', to_html(record))


def test_what_is_read_of_a_curve_is_what_the_record_has() -> None:
    looked = 0
    for claim in committed_audit().claims:
        plot = profile_plot(claim) if isinstance(claim, PrivacyResult) else None
        if not isinstance(claim, PrivacyResult) or plot is None or not claim.profile:
            continue
        assert claim.epsilon is not None and claim.smallest_delta is not None
        at = [float(epsilon) for epsilon, _ in plot.readings]
        assert at[-1] <= float(plot.most_epsilon) * 1.001, f"{claim.id}: read beyond the end of the curve"
        there = dict(plot.readings)[f"{float(claim.epsilon.decimal):.4g}"]
        assert there == f"{float(claim.smallest_delta.decimal):.4g}", claim.id
        if claim.tight_epsilon is not None:
            beyond = [
                delta
                for epsilon, delta in plot.readings
                if float(epsilon) > 1.001 * float(Fraction(claim.tight_epsilon.upper))
            ]
            assert set(beyond) <= {"0"}, claim.id
        looked += 1
    assert looked > 200


def test_no_digit_is_read_that_rounding_has_changed() -> None:
    pieces = [ProfilePiece(low="0", high="0.69314718056", p="0.666666666667", q="0.333333333333"),
              ProfilePiece(low="0.69314718056", high=None, p="0", q="0")]  # fmt: skip
    plot = plot_of(pieces, [], (log(2) - 1e-9, 0.0))
    assert plot is not None
    assert [delta for _, delta in plot.readings] == ["0.3333", "0.2703", "0.1953", "0.1061", "6.7e-10"]
    exactly = plot_of(pieces, [], (log(2), 0.0), {Fraction(1): "0"})
    rounded = plot_of(pieces, [], (log(2), 0.0))
    assert exactly is not None and exactly.readings[-1] == ("0.6931", "0")
    assert rounded is not None and rounded.readings[-1][1].startswith("≤ ")


def test_an_earlier_record_has_no_laws_and_differs_in_nothing(record: AuditRecord) -> None:
    earlier = [
        with_witness(claim, distributions=None) if isinstance(claim, PrivacyResult) and claim.witness else claim
        for claim in record.claims
    ]
    before = msgspec.structs.replace(record, claims=earlier)
    assert compare(before, record).is_none and compare(record, before).is_none
    plain = msgspec.to_builtins(result(record, 0).witness)
    del plain["distributions"]
    assert msgspec.convert(plain, WitnessRecord).distributions is None


@given(st.lists(st.tuples(st.integers(0, 320), st.integers(0, 120)), min_size=2, max_size=30))
def test_a_line_passes_all_points_that_are_left_out(places: list[tuple[int, int]]) -> None:
    """As it is drawn: at each point that was left out it is a quarter of a pixel away at most."""
    points = sorted({float(x): float(y) for x, y in places}.items())
    drawn = _drawn(points)
    assert drawn[0] == points[0] and drawn[-1] == points[-1] and set(drawn) <= set(points)
    heights = np.interp([x for x, _ in points], [x for x, _ in drawn], [y for _, y in drawn])
    assert np.allclose(heights, [y for _, y in points], atol=0.2501, rtol=0)


def test_a_straight_line_is_its_ends() -> None:
    assert _drawn([(float(x), 2.0 * x) for x in range(30)]) == [(0.0, 0.0), (29.0, 58.0)]
    assert _drawn([(0.0, 0.0), (0.0, 5.0), (0.0, 7.0)]) == [(0.0, 0.0), (0.0, 5.0), (0.0, 7.0)]


def seldom(draw: Draw, rows: tuple[int, ...]) -> Any:
    """The event has a small probability, what is outside of it a large one."""
    return draw(Distribution({"other": 9 - rows[0], "told": 1 + rows[0]}))


def test_all_bars_share_one_axis() -> None:
    claim = Claim(id="lib.seldom", mechanism=seldom, domain=Tuples((0, 2), size=1), epsilon="1/100")
    found = picture(result(audit([claim], recheck=False), 0))
    lengths = [(bar, float(share)) for row in found.rows for bar, share in ((row.left, row.p), (row.right, row.q))]
    lengths += [(found.bound.left, float(found.bound.p)), (found.bound.right, float(found.bound.q))]
    lengths.append((found.bound.bound, float(found.bound.said)))
    assert max(share for _, share in lengths) == 0.9 and min(share for _, share in lengths) == 0.1
    for bar, share in lengths:
        assert bar == pytest.approx(share / 0.9 * WITNESS_SIZE.bar, abs=0.2)
