"""The field `language` of a record: what is outside is said in a line of each report, and nothing of what is inside."""

import json
from fractions import Fraction
from typing import Any

import jsonschema
import msgspec
import pytest
from tests.reports.test_reports import DOMAIN, most_common

from dpverify.mechanisms import Draw, exponential
from dpverify.reports.audits.json_form import json_schema, read_audit, to_json
from dpverify.reports.audits.table import to_table
from dpverify.reports.formats.rendering import render
from dpverify.reports.gates.comparison import difference, read_loosely
from dpverify.reports.record import AuditRecord
from dpverify.verifiers import Claim, SampledClaim, Scores, Status, Tuples, audit
from dpverify.verifiers.calculations import Calculation
from dpverify.verifiers.locations import outside_of_claim, with_language

pytestmark = pytest.mark.usefixtures("decided_here")

SEEN = [0]


def same(draw: Draw, rows: Any, *, epsilon: Fraction) -> Any:
    if rows is SEEN or rows is draw:
        return callable(rows is not SEEN and hash)
    return exponential([rows.count(0), rows.count(1)], epsilon)


def sampler(rows: Any, rng: Any, size: int) -> Any:
    return [hash(rows)] * size


OUTSIDE = Claim(id="outside", mechanism=same, domain=DOMAIN, epsilon=1)
INSIDE = Claim(id="inside", mechanism=most_common, domain=DOMAIN, epsilon=1)
NONE = Calculation(
    id="none", statement="one", computed=lambda n: n, cases=[{"n": 1}], equals=1, expected=Status.REFUTED
)


@pytest.fixture(scope="module")
def record() -> AuditRecord:
    return audit([OUTSIDE, INSIDE])


def test_the_record_says_what_is_outside_and_where(record: AuditRecord) -> None:
    outside, inside = record.claims
    assert inside.language == "inside"
    first = same.__code__.co_firstlineno
    assert [(one.file, one.line - first, one.column) for one in outside.outside] == [
        ("tests/reports/test_language.py", 1, 8),
        ("tests/reports/test_language.py", 1, 24),
        ("tests/reports/test_language.py", 2, 25),
        ("tests/reports/test_language.py", 2, 46),
    ]
    assert outside.outside[3] == msgspec.structs.replace(
        outside.outside[2], column=46, construct="hash", instead="compare the values"
    )


def test_the_record_is_read_back_and_without_the_field_does_not_differ(record: AuditRecord) -> None:
    data = json.loads(text := to_json(record))
    jsonschema.validate(data, json_schema())
    assert read_audit(text).claims == record.claims
    before = json.dumps(data | {"claims": [{**claim, "language": None} for claim in data["claims"]]})
    before = before.replace(', "language": null', "")
    assert [claim.language for claim in read_audit(before).claims] == [msgspec.UNSET] * 2
    assert difference(read_loosely(before), read_loosely(text)).is_none


@pytest.mark.parametrize("form", [".txt", ".md", ".html"])
def test_a_report_names_the_first_places_in_one_line_and_nothing_of_what_is_inside(
    record: AuditRecord, form: str
) -> None:
    alone = msgspec.structs.replace(record, claims=[msgspec.structs.replace(c, reason="") for c in record.claims])
    page = to_table(alone) if form == ".txt" else render(alone, form)
    words = " ".join(page.replace("\\", "").split())
    assert words.count("Outside the language: ") == 1
    line = same.__code__.co_firstlineno + 1
    said = words.partition("Outside the language: ")[2]
    assert said.startswith(f"tests/reports/test_language.py:{line}:8 (is between two values), tests/reports/")
    assert " and 2 more." in said[:200]
    (inside,) = record.claims[1:]
    without = msgspec.structs.replace(record, claims=[inside], sources=[])
    assert "Outside the language" not in (to_table(without) if form == ".txt" else render(without, form))
    page = to_table(record) if form == ".txt" else render(record, form)
    assert "outside the language: is between two values" in " ".join(page.split())
    assert "Outside the language" not in page


def test_only_mechanisms_of_which_the_code_is_read() -> None:
    samples = SampledClaim(id="samples", sampler=sampler, domain=Tuples((0, 1), size=1), epsilon=1, draws=1000)
    assert outside_of_claim(NONE) is None
    assert outside_of_claim(samples) is None
    assert with_language(NONE, audit([NONE]).claims[0]).language is msgspec.UNSET
    assert outside_of_claim(INSIDE) == ()
    for domain in (Scores(solutions=2), Tuples(range(1000), size=50)):  # whose rows are not gone through, or not all
        assert outside_of_claim(Claim(id="large", mechanism=most_common, domain=domain, epsilon=1)) == ()
