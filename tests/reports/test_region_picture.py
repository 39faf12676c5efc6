"""The picture of a set of (ε, δ): what is drawn is what the record says, to scale, and a record holds all of it."""

from fractions import Fraction
from math import exp

import pytest

from dpverify.mechanisms import symbolic
from dpverify.mechanisms.numbers.roots import symbolic_delta
from dpverify.mechanisms.selection import choose_by_stability, choose_by_stability_journal
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.formats.html import row_of, to_html
from dpverify.reports.kinds.privacy import claimed, found
from dpverify.reports.privacy_pictures import REGION_SIZE, epsilon_line, profile_plot, region_picture
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.reports.record import AuditRecord, Status
from dpverify.verifiers import Claim, Scores, audit, scores_linf
from dpverify.verifiers.problems.questions.score_domains import OrMore

pytestmark = pytest.mark.usefixtures("decided_here")

DOMAIN = Scores(solutions=OrMore(2))
CLAIMS = [
    Claim(
        id=f"lib.{name}",
        mechanism=mechanism,
        domain=DOMAIN,
        neighbours=scores_linf,
        epsilon=epsilon,
        delta=symbolic_delta,
        expected=expected,
    )
    for name, mechanism, epsilon, expected in (
        ("print", choose_by_stability_journal, symbolic, Status.REFUTED),
        ("one", choose_by_stability_journal, Fraction(1), Status.REFUTED),
        ("holds", choose_by_stability, symbolic, Status.PROVED),
    )
]


@pytest.fixture(scope="module")
def record() -> AuditRecord:
    return audit(CLAIMS, recheck=False)


def result(record: AuditRecord, place: int) -> PrivacyResult:
    claim = record.claims[place]
    assert isinstance(claim, PrivacyResult)
    return claim


def test_it_is_told_and_read_back(record: AuditRecord) -> None:
    assert read_audit(to_json(record)) == record
    every, one, holds = (result(record, place) for place in range(3))
    assert [claimed(claim) for claim in (every, one, holds)] == [
        "every ε, every δ",
        "ε = 1, every δ",
        "every ε, every δ",
    ]
    assert found(every) == "fails: δ < 1/2·(1 + √(1 - 1/m)) with m = 1/2·e^(2·ε) > 1; …"
    assert found(holds) == "holds for all"
    for claim in (every, one):
        assert (claim.tight_epsilon, claim.smallest_delta, claim.worst_pair, claim.profile) == (None,) * 4
        assert claim.witness is not None and claim.surprise == ""


def test_rectangles_are_the_columns_to_scale(record: AuditRecord) -> None:
    claim = result(record, 0)
    drawn = region_picture(claim)
    assert drawn is not None and claim.for_all_epsilon is not None and claim.for_all_epsilon.fails_in is not None
    region = claim.for_all_epsilon.fails_in
    width, height = REGION_SIZE["width"], REGION_SIZE["height"]
    assert len(drawn.failing) == sum(len(column.deltas) for column in region.columns)
    for (x, y, across, down), column in zip(drawn.failing, region.columns, strict=True):
        ((low, high),) = column.deltas
        assert x <= (1 - exp(-float(column.epsilon))) * width <= x + across
        assert abs(y - (1 - float(high)) * height) <= 0.1
        assert abs(y + down - (1 - float(low)) * height) <= 0.5
    assert drawn.failing[0][0] == 0
    assert abs(sum(drawn.failing[-1][::2]) - width) <= 0.2
    assert [text for _, text in drawn.ticks] == ["0.1", "0.5", "1", "2", "4"]
    assert drawn.formulas == region.formulas and all(formula in drawn.caption for formula in region.formulas)


def test_one_epsilon_is_a_stripe(record: AuditRecord) -> None:
    drawn = region_picture(result(record, 1))
    assert drawn is not None
    ((x, _, across, _),) = drawn.failing
    assert across == 6
    assert abs(x + 3 - (1 - exp(-1)) * REGION_SIZE["width"]) < 0.1


def test_what_is_proved_has_a_green_line_alone(record: AuditRecord) -> None:
    holds = result(record, 2)
    assert region_picture(holds) is None
    line = epsilon_line(holds)
    assert line is not None and line.failing == []
    assert epsilon_line(result(record, 0)) is None
    assert all(profile_plot(result(record, place)) is None for place in range(3))


def test_a_page_holds_the_picture_and_the_formula(record: AuditRecord) -> None:
    page = to_html(record)
    assert page.count('aria-label="fails where δ &lt; 1/2·(1 + √(1 - 1/m))') == 2
    assert "It fails where" in row_of(result(record, 0))
    assert "It fails where" not in row_of(result(record, 2))
