"""The record and its renderings: they carry what was found, read back, and are written whole or not at all."""

import json
import os
import re
from base64 import b64encode
from collections.abc import Sequence
from fractions import Fraction
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from tests.reports.published import published

from dpverify.mechanisms import Draw, InputError, bernoulli, exponential, sqrt
from dpverify.reports.audits.json_form import json_schema, read_audit, to_json
from dpverify.reports.audits.summary import groups, headline, variant
from dpverify.reports.audits.table import to_table
from dpverify.reports.formats.rendering import render
from dpverify.reports.kinds.privacy import claimed, found
from dpverify.reports.markdown_text import code, fenced, plain_text
from dpverify.reports.numbers import equal_to, no_less_than
from dpverify.reports.privacy_pictures import claim_bar
from dpverify.reports.privacy_record import REFUTED_ON_TWO, PrivacyResult
from dpverify.reports.record import AuditRecord, NotDecided, Quantity, Scope, Status, storable_audit
from dpverify.reports.writing import STANDARD_OUTPUT, check_targets, write_reports
from dpverify.verifiers import Claim, Multisets, Tuples, audit
from dpverify.verifiers.privacy.result import privacy_result

pytestmark = pytest.mark.usefixtures("decided_here")


def most_common(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return exponential([rows.count(0), rows.count(1)], epsilon)


def without_half(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    """Mutant: <b>forgets</b> the half."""
    return most_common(draw, rows, epsilon=2 * epsilon)


def row(draw: Draw, rows: Sequence[int]) -> Any:
    return rows[0]


def hidden(draw: Draw, database: int) -> Any:
    return bernoulli((sqrt(7 + 4 * sqrt(3)) if database else 2 + sqrt(3)) / 8)


DOMAIN = Multisets((0, 1), size=4)
CLAIMS = [
    Claim(id="a.1.privacy.proved", mechanism=most_common, domain=DOMAIN, epsilon=1, mutant=without_half),
    Claim(
        id="a.1.privacy.refuted",
        mechanism=without_half,
        domain=DOMAIN,
        epsilon=1,
        delta="0.01",
        expected=Status.REFUTED,
        statement="5 < 6 & 'so'",
        source="a | b",
    ),
    Claim(id="b.2.privacy.surprise", mechanism=row, domain=Tuples((0, 1), size=2), epsilon="0.999999999999"),
    Claim(id="plain", mechanism=hidden, domain=[0, 1], neighbours=lambda d: [1 - d], epsilon=0),
]


@pytest.fixture(scope="module")
def record() -> AuditRecord:
    return audit(CLAIMS)


def private(record: AuditRecord) -> list[PrivacyResult]:
    return [claim for claim in record.claims if isinstance(claim, PrivacyResult)]


def of(record: AuditRecord, claim_id: str) -> PrivacyResult:
    return next(claim for claim in private(record) if claim.id == claim_id)


def test_the_json_form_reads_back_and_follows_the_published_schema(record: AuditRecord) -> None:
    text = to_json(record)
    assert read_audit(text) == record
    assert read_audit(text.encode()) == record
    jsonschema.Draft202012Validator.check_schema(published().schema)
    published().validate(json.loads(text))
    assert published().schema == json_schema(), "run `make schema` and commit reports/audit.schema.json"


def test_a_changed_record_violates_the_schema(record: AuditRecord) -> None:
    data = json.loads(to_json(record))
    data["claims"][0]["verdict"] = "PERHAPS"
    with pytest.raises(jsonschema.ValidationError):
        published().validate(data)
    with pytest.raises(InputError, match=r"claims\[0\]: .*\$\.verdict"):
        read_audit(json.dumps(data))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not an audit"),
        ("{}", "missing required field"),
        (
            '{"schema": "0", "dpverify": "", "claims": []}',
            "an audit of version '0', by an earlier dpverify, cannot be read, where this one reads version 6",
        ),
    ],
)
def test_other_json_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_audit(text)


def test_the_json_form_is_stable_and_readable(record: AuditRecord) -> None:
    text = to_json(record)
    assert to_json(audit(CLAIMS, jobs=4)) == text
    claim = json.loads(text)["claims"][1]
    assert claim["id"] == "a.1.privacy.refuted"
    assert (claim["kind"], claim["expected"], claim["verdict"]) == ("privacy", "REFUTED", "REFUTED")
    assert claim["delta"] == {"exact": "1/100", "decimal": "0.01", "lower": "1/100", "upper": "1/100"}
    assert list(claim) == sorted(claim)


def test_bounds_in_a_record_are_rationals_around_the_number(record: AuditRecord) -> None:
    quantity = of(record, "a.1.privacy.proved").tight_epsilon
    assert quantity is not None
    lower, upper = Fraction(quantity.lower), Fraction(quantity.upper)
    assert 0 < upper - lower < Fraction(1, 10**15)
    assert abs(Fraction(quantity.decimal) - lower) < Fraction(1, 10**11)


def test_as_expected(record: AuditRecord) -> None:
    assert [claim.as_expected for claim in record.claims] == [True, True, False, False]
    assert not record.as_expected
    assert of(record, "b.2.privacy.surprise").surprise == "expected PROVED"
    surviving = privacy_result(Claim(id="x", mechanism=most_common, domain=DOMAIN, epsilon=1, mutant=most_common))
    assert not surviving.as_expected
    assert "the check cannot fail" in surviving.surprise


def test_short_forms(record: AuditRecord) -> None:
    proved, refuted, surprising, undecided = private(record)
    assert claimed(proved) == "ε = 1"
    assert claimed(refuted) == "ε = 1, δ = 1/100"
    assert found(proved).startswith("ε ≈ 0.")
    assert found(refuted).startswith("δ ≈ 0.")
    assert claimed(surprising) == "ε = 0.999999999999"
    assert found(surprising) == "ε = ∞"
    assert headline(record) == "4 claims: 1 PROVED, 2 REFUTED, 1 UNDECIDED; 2 not as expected"
    assert [group.name for group in groups(record)] == ["a.1", "b.2", "tests/reports/test_reports.py"]
    assert variant(proved, groups(record)[0]) == "privacy.proved"
    assert variant(undecided, groups(record)[2]) == "plain"
    assert proved.epsilon is not None
    assert equal_to(msgspec.structs.replace(proved.epsilon, exact=None)) == "= 1"
    assert refuted.smallest_delta is not None
    of_two = msgspec.structs.replace(refuted.scope, text=f"ALL pairs; {REFUTED_ON_TWO}")
    assert found(msgspec.structs.replace(refuted, scope=of_two)) == f"δ {no_less_than(refuted.smallest_delta)}"


@pytest.mark.parametrize(
    "value, form, said",
    [
        ("916333710725/1000000000000", None, "≥ 0.916333"),  # ≈ 0.916334, which is more
        ("123456789/1000", None, "≥ 123456"),
        ("1/30000000", None, "≥ 0.0000000333333"),
        ("7/10", None, "≥ 0.7"),
        ("7/10", "ln 2", "≥ ln 2"),
    ],
)
def test_a_number_that_another_one_is_not_below_is_rounded_down(value: str, form: str | None, said: str) -> None:
    assert no_less_than(Quantity(form, "", value, value)) == said


def test_the_part_of_the_budget_that_is_used(record: AuditRecord) -> None:
    proved, refuted, surprising, _ = private(record)
    assert 0.8 < (proved.used or 0) < 1
    assert (refuted.used or 0) > 1
    assert surprising.used == float("inf")
    drawn = claim_bar(refuted)
    assert drawn is not None
    assert drawn.over
    unknown = msgspec.structs.replace(proved, smallest_delta=None, tight_epsilon=None)
    assert unknown.used is None
    assert claim_bar(unknown) is None
    assert found(unknown) == "nothing"
    # of a pure claim the exact ε says it, where no δ is found; of another one what its witness violates it by
    assert found(msgspec.structs.replace(proved, smallest_delta=None)) == found(proved)
    assert found(msgspec.structs.replace(refuted, smallest_delta=None)) == "δ ≈ 0.0703113343193 or more"


def test_the_table_shows_the_witness_under_each_refuted_claim(record: AuditRecord) -> None:
    lines = to_table(record).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("REFUTED") and "a.1.privacy.refuted" in line)
    assert lines[at + 1].startswith("    left   ")
    assert any(line.startswith("    python -c '") for line in lines[at : at + 9])
    assert lines[-1] == headline(record)
    assert "    expected PROVED" in lines
    reason = next(line for line in lines if "no complete zero test" in line)
    assert reason.startswith("    ")
    painted = to_table(record, lambda text, status: f"<{status}>{text}")
    assert "<PROVED>PROVED" in painted


def test_markdown(record: AuditRecord) -> None:
    text = render(record, ".md")
    assert text.startswith(
        "# dpverify audit\n\n**1 of 4 claims hold; 1 counterexample; 1 undecided; 1 refuted as expected.**\n"
    )
    assert "| `a.1.privacy.refuted` | **REFUTED** (expected) | ε = 1, δ = 1/100 |" in text
    assert "(expected PROVED)" in text
    assert "5 &lt; 6 & 'so' (a \\| b)" in text
    assert "Scope: all " in text
    assert "- `b.2.privacy.surprise`: Mechanism: row." in text
    assert (
        text.count("<details>") == text.count("</details>") == 4
    )  # one for what failed and one for a group, and 2 witnesses


class Page(HTMLParser):
    """The tags of a page, balanced, and whatever it would load."""

    VOID = frozenset({"meta", "link", "img", "rect", "br", "input"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href", "action")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_one_page_that_needs_nothing_else(record: AuditRecord) -> None:
    page = Page()
    text = render(record, ".html")
    page.feed(text)
    assert page.open == []
    assert all(link.startswith("#") for link in page.loads)
    assert not {"link", "img", "iframe"} & set(page.tags)
    assert "http:" not in text and "https:" not in text
    assert "url(" not in text
    assert text.count('<tbody class="claim') == text.count('<div class="body" id="') == len(record.claims) == 4
    for expected in (
        "5 < 6 & 'so'",
        "<b>forgets</b> the half.",
        "Pr[event | left]",
        "expected PROVED",
        "1 of 4 claims hold",
    ):
        assert expected in page.text


def test_no_script_runs_but_the_page_s_own(record: AuditRecord) -> None:
    text = render(record, ".html")
    (script,) = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    (allowed,) = re.findall(r"default-src 'none'; .*script-src 'sha256-([^']*)'\"", text)
    assert b64encode(sha256(script.encode()).digest()).decode() == allowed
    assert not re.search(r"<[^>]* on\w+=", text)


def test_html_is_the_same_every_time(record: AuditRecord) -> None:
    assert render(record, ".html") == render(read_audit(to_json(record)), ".html")


def test_no_report_for_other_kinds(record: AuditRecord) -> None:
    with pytest.raises(InputError, match=r"\.md, \.html, \.sarif, \.xml"):
        render(record, ".txt")


def test_reports_are_replaced_together(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.md"
    first.write_text("old")
    write_reports({first: "one", second: "two"})
    assert (first.read_text(), second.read_text()) == ("one", "two")
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["a.json", "b.md"]


def test_a_report_that_cannot_be_written_leaves_all_as_they_were(tmp_path: Path) -> None:
    first, folder = tmp_path / "a.json", tmp_path / "folder"
    first.write_text("old")
    folder.mkdir()
    with pytest.raises(InputError, match=r"cannot write .*folder: it is a folder"):
        write_reports({first: "new", folder: "text"})
    with pytest.raises(InputError, match="there is no folder"):
        write_reports({first: "new", first / "below": "text"})
    with pytest.raises(InputError, match="cannot write"):
        write_reports({first: "new", tmp_path / "missing" / "b.md": "text"})
    assert first.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["a.json"]


def test_what_is_no_ordinary_file_is_never_replaced(tmp_path: Path) -> None:
    """Renaming onto /dev/stdout would replace the device by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="it is no ordinary file"):
        write_reports({pipe: "text"})
    assert pipe.is_fifo()


def test_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_reports({STANDARD_OUTPUT: "text", tmp_path / "a.md": "other"})
    assert capsys.readouterr().out == "text"
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_two_reports_need_two_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the list of reports holds a twice"):
        check_targets([Path("a"), tmp_path, Path("a")])


@pytest.mark.parametrize(
    ("claim_id", "group", "name"),
    [
        ("BNS-J-2.26.privacy.printed", "BNS-J-2.26", "privacy.printed"),
        ("mylib.most_common", "mylib", "most_common"),
        ("mylib.py:most_common", "mylib.py:most_common", "mylib.py:most_common"),
        ("tests/test_a.py::test_b[1.5]", "tests/test_a.py", "test_b[1.5]"),
        ("plain", "plain", "plain"),
    ],
)
def test_groups_have_names_that_mean_something(record: AuditRecord, claim_id: str, group: str, name: str) -> None:
    claim = msgspec.structs.replace(record.claims[0], id=claim_id, location=None)
    (found,) = groups(msgspec.structs.replace(record, claims=[claim]))
    assert (found.name, variant(claim, found)) == (group, name)


def test_a_group_is_one_group_wherever_its_claims_stand(record: AuditRecord) -> None:
    claims = [msgspec.structs.replace(record.claims[0], id=name, location=None) for name in ("a.x", "b.y", "a.z")]
    found = groups(msgspec.structs.replace(record, claims=claims))
    assert [(group.name, [claim.id for claim in group.claims]) for group in found] == [
        ("a", ["a.x", "a.z"]),
        ("b", ["b.y"]),
    ]


def test_the_table_says_more_or_less_on_request(record: AuditRecord) -> None:
    brief = to_table(record, surprises_only=True)
    assert "a.1.privacy.proved" not in brief
    assert "b.2.privacy.surprise" in brief
    assert brief.endswith(headline(record))
    assert "(expected)" in next(line for line in to_table(record).splitlines() if "a.1.privacy.refuted" in line)
    whole = to_table(record, detail="all")
    assert "5 < 6 & 'so' (a | b)" in whole
    assert whole.count("Scope: all ") == len(record.claims)


ROW = NotDecided("<script>x|`y</script>", "privacy", "§ <b>", None, "| <u>it</u> raised \x1b `x` & \ud800")


def test_rows_that_are_not_decided_are_in_every_form(record: AuditRecord) -> None:
    partial = msgspec.structs.replace(record, not_decided=[ROW])
    assert partial.partial
    assert not record.partial
    assert headline(partial) == f"{headline(record)}; not decided: 1 row; this report is partial"
    nothing = msgspec.structs.replace(partial, claims=[])
    assert headline(nothing) == "no claim was decided; not decided: 1 row; this report is partial"
    read = read_audit(to_json(partial))
    assert read == storable_audit(partial)
    assert read.not_decided[0].reason.endswith("\\ud800")
    assert read.claims == record.claims
    published().validate(json.loads(to_json(partial)))
    table = to_table(partial)
    assert f"NOT DECIDED  {ROW.id}\n    | <u>it</u> raised" in table
    assert "NOT DECIDED" in to_table(partial, surprises_only=True)
    assert to_table(nothing).startswith("NOT DECIDED")
    text = render(partial, ".md")
    assert "| `` <script>x\\|`y</script> `` | \\| &lt;u&gt;it&lt;/u&gt; raised" in text
    page = Page()
    page.feed(render(partial, ".html"))
    assert page.open == []
    assert "u" not in page.tags
    assert page.tags.count("script") == 1
    assert "1 not decided" in page.text
    assert ROW.id in page.text


def test_markdown_escapes_what_is_in_an_id(record: AuditRecord) -> None:
    evil = "<script>alert(1)</script>`|*a*.b"
    claims = [msgspec.structs.replace(claim, id=f"{evil}{i}") for i, claim in enumerate(record.claims)]
    text = render(msgspec.structs.replace(record, claims=claims), ".md")
    without_code = re.sub(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", "", text, flags=re.DOTALL)
    assert "<script" not in without_code
    assert "Counterexample of <code>&lt;script&gt;alert(1)&lt;/script&gt;&#96;|*a*.b1</code>" in text
    nowhere = [msgspec.structs.replace(claim, location=None) for claim in claims]
    text = render(msgspec.structs.replace(record, claims=nowhere), ".md")
    assert "## &lt;script&gt;alert(1)&lt;/script&gt;\\`\\|\\*a\\*" in text


@pytest.mark.parametrize(
    ("text", "written"),
    [("a_b", "`a_b`"), ("a|b", "`a\\|b`"), ("a`b", "`` a`b ``"), ("``", "``` `` ```"), ("a\nb", "`a b`")],
)
def test_code_in_markdown(text: str, written: str) -> None:
    assert code(text) == written


def test_plain_text_in_markdown() -> None:
    assert (
        plain_text("![x](http://y) <b> & a_b|`c`\n*d*") == "!\\[x\\](http://y) &lt;b&gt; &amp; a\\_b\\|\\`c\\` \\*d\\*"
    )


def test_a_witness_with_backticks_stays_in_its_block() -> None:
    assert fenced(["a", "````", "b"]) == ["`````", "a", "````", "b", "`````"]
    assert fenced(["a"]) == ["```", "a", "```"]


def test_surprises_name_what_is_not_as_claimed(record: AuditRecord) -> None:
    replace = msgspec.structs.replace
    proved = private(record)[0]
    assert proved.surprise == ""
    agreeing = replace(proved, neighbours_agree=True, distinct_pairs=0)
    assert "does not say neighbours_agree=True" in agreeing.surprise
    assert replace(agreeing, neighbours_agree_expected=True).surprise == ""
    assert (
        "some neighbours have different output distributions"
        in replace(proved, neighbours_agree_expected=True).surprise
    )
    assert "--strict" in replace(proved, strict=True, scope=Scope("finite", "", "none", "")).surprise
    assert replace(proved, strict=True, scope=Scope("finite", "", "another interpreter", "")).surprise == ""
    for claim in (
        agreeing,
        replace(proved, neighbours_agree_expected=True),
        replace(proved, strict=True, scope=Scope("finite", "", "none", "")),
    ):
        assert not claim.as_expected
        assert not claim.left_open


def test_what_no_file_can_hold_is_escaped(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    write_reports({tmp_path / "a": "x\ud800ε", STANDARD_OUTPUT: "y\ud800ε"})
    assert (tmp_path / "a").read_bytes() == "x\\ud800ε".encode()
    assert capsysbinary.readouterr().out == "y\\ud800ε".encode()


def test_a_name_that_is_too_long_is_bad_input(tmp_path: Path) -> None:
    for name in ("a" * 300, "a" * 10**5):
        with pytest.raises(InputError, match="File name too long"):
            write_reports({tmp_path / name: "text"})
    assert list(tmp_path.iterdir()) == []
