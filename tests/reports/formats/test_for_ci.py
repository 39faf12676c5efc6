"""SARIF, JUnit XML, annotations and summaries: held against a schema or a consumer, and within their limits."""

import json
import re
from email.message import Message
from functools import cache
from pathlib import Path
from typing import Any

import junitparser
import msgspec
import pytest
from jsonschema import Draft4Validator
from tests.catalogue.committed import committed_audit

from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.formats import sarif as sarif_module
from dpverify.reports.formats.github import MOST_ANNOTATIONS, summary, workflow_commands
from dpverify.reports.formats.rendering import render
from dpverify.reports.gates.baseline import baseline_line
from dpverify.reports.gates.gate import Gate, answers, gate
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.reports.record import (
    SCHEMA_VERSION,
    AuditRecord,
    ClaimResult,
    Location,
    NotDecided,
    QuestionRecord,
    Status,
)

SCHEMA = Path(__file__).parent / "schemas" / "sarif-2.1.0.json"

PROVED: ClaimResult = next(
    claim
    for claim in committed_audit().claims
    if isinstance(claim, PrivacyResult) and claim.verdict is Status.PROVED and not claim.all_sizes_demanded
)
REFUTED: ClaimResult = msgspec.structs.replace(
    next(
        claim
        for claim in committed_audit().claims
        if isinstance(claim, PrivacyResult) and claim.verdict is Status.REFUTED and not claim.all_sizes_demanded
    ),
    location=None,
    mechanism_location=None,
)
"""Of which nobody knows where it is written."""
HERE = Location("my lib/mylib.py", 12, "mylib", "noisy")
CLAIMED = Location("claims_mylib.py", 3, "claims_mylib", "new")
NEW = msgspec.structs.replace(
    REFUTED, id="new", expected=Status.PROVED, refutation=None, mechanism_location=HERE, location=CLAIMED
)
OPEN = msgspec.structs.replace(
    PROVED, id="open", verdict=Status.UNDECIDED, reason="a limit was met", location=CLAIMED, mutant=None
)
ROW = NotDecided("row", "privacy", "", Status.PROVED, "KeyError: {0}", CLAIMED)
NOWHERE = NotDecided("claims_broken.py", "file", "", None, "no such file")
AUDIT = AuditRecord(SCHEMA_VERSION, "0.1.0", [PROVED, REFUTED, NEW, OPEN], [ROW, NOWHERE])


@cache
def validator() -> Any:
    return Draft4Validator(json.loads(SCHEMA.read_bytes()))


def held(before: AuditRecord, after: AuditRecord) -> Gate:
    """What a gate says of an audit whose baseline is another one."""
    return gate({claim.id: baseline_line(claim) for claim in before.claims}, answers(after), {})


def sarif(audit: AuditRecord) -> Any:
    log = json.loads(render(audit, ".sarif"))
    validator().validate(log)
    (run,) = log["runs"]
    return run


def junit(audit: AuditRecord) -> junitparser.JUnitXml:
    return junitparser.JUnitXml.fromstring(render(audit, ".xml").encode())


def test_sarif_says_what_fails_and_where() -> None:
    run = sarif(AUDIT)
    assert [(one["ruleId"], one["level"]) for one in run["results"]] == [
        ("refuted", "error"),
        ("not-decided", "error"),
        ("not-decided", "error"),
        ("left-open", "warning"),
    ]
    refuted = run["results"][0]
    assert refuted["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "my%20lib/mylib.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 12},
    }
    assert refuted["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "mylib.noisy"}]
    assert refuted["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 3
    assert refuted["message"]["text"].startswith("new is REFUTED: ")
    assert "Pr[event | left]" in refuted["message"]["text"]
    assert "KeyError: {{0}}" in run["results"][1]["message"]["text"]  # else it would be a placeholder
    assert not run["invocations"][0]["executionSuccessful"]
    # what has no place is no result that code scanning takes
    (known,) = run["invocations"][0]["toolExecutionNotifications"]
    assert known["associatedRule"] == {"id": "known-refutation"}
    for one in run["results"]:
        assert run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"]


def test_the_id_of_a_reason_is_a_field_in_each_form() -> None:
    limited = msgspec.structs.replace(OPEN, reason="has more than 3 outcomes: return less [too-many-outcomes] (a.py)")
    audit = msgspec.structs.replace(AUDIT, claims=[limited], not_decided=[])
    assert limited.reason_id == "too-many-outcomes"
    assert (OPEN.reason_id, ROW.reason_id) == (msgspec.UNSET, msgspec.UNSET)
    assert json.loads(to_json(audit))["claims"][0]["reason_id"] == "too-many-outcomes"
    assert "reason_id" not in to_json(AUDIT)
    assert read_audit(to_json(audit)) == audit
    assert sarif(audit)["results"][0]["properties"]["reason"] == "too-many-outcomes"
    assert '<property name="reason" value="too-many-outcomes"' in render(audit, ".xml")


def test_what_is_known_is_a_note_that_is_suppressed() -> None:
    known = msgspec.structs.replace(REFUTED, mechanism_location=HERE)
    (one,) = sarif(AuditRecord(SCHEMA_VERSION, "0", [known, PROVED], []))["results"]
    assert (one["ruleId"], one["level"], one["suppressions"][0]["kind"]) == ("known-refutation", "note", "inSource")


def test_fingerprints_stay_when_lines_move() -> None:
    moved = msgspec.structs.replace(NEW, mechanism_location=msgspec.structs.replace(HERE, line=90))
    one, other = (sarif(AuditRecord(SCHEMA_VERSION, "0", [claim], []))["results"][0] for claim in (NEW, moved))
    assert one["partialFingerprints"] == other["partialFingerprints"]
    assert one["partialFingerprints"] != sarif(AUDIT)["results"][1]["partialFingerprints"]


def test_sarif_keeps_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sarif_module.MOST_RESULTS == 5_000  # of which GitHub shows no more
    monkeypatch.setattr(sarif_module, "MOST_RESULTS", 50)
    small = msgspec.structs.replace(OPEN, reason="", profile=None, sweep=[], noise_multipliers=None)
    many = [msgspec.structs.replace(small, id=f"c{i}") for i in range(52)]
    log = json.loads(render(AuditRecord(SCHEMA_VERSION, "0", [*many, NEW], []), ".sarif"))["runs"][0]
    assert len(log["results"]) == 50
    assert log["results"][0]["ruleId"] == "refuted"  # the worst are kept
    assert "3 more findings" in log["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_the_catalogue_in_each_form() -> None:
    audit = committed_audit()
    refuted = sum(claim.verdict is Status.REFUTED for claim in audit.claims)
    run = sarif(audit)
    elsewhere = run["invocations"][0]["toolExecutionNotifications"]
    assert len(run["results"]) + len(elsewhere) >= refuted
    read = junit(audit)
    assert (read.tests, read.failures, read.errors) == (len(audit.claims), 0, 0)
    assert workflow_commands(audit) == []
    assert len(summary(audit).encode()) < 1 << 20


def test_junit_is_read_by_a_consumer() -> None:
    read = junit(AUDIT)
    assert (read.tests, read.failures, read.errors) == (6, 2, 2)
    cases = {case.name: case for suite in read for case in suite}
    assert list(cases) == [PROVED.id, REFUTED.id, "new", "open", "row", "claims_broken.py"]
    assert cases[PROVED.id].is_passed
    assert cases[REFUTED.id].is_passed
    (failure,) = cases["new"].result
    assert isinstance(failure, junitparser.Failure)
    assert (failure.message, failure.type) == ("REFUTED: expected PROVED", "REFUTED")
    assert "Pr[event | left]" in str(failure.text)
    assert cases["new"].classname == "claims_mylib"
    (error,) = cases["row"].result
    assert isinstance(error, junitparser.Error)
    assert error.message == "KeyError: {0}"
    for suite in read:
        told = (suite.tests, suite.failures, suite.errors)
        suite.update_statistics()  # type: ignore[no-untyped-call]
        assert (suite.tests, suite.failures, suite.errors) == told


@pytest.mark.parametrize(
    "nasty", ["\x1b[31m\x00\x0b", "\ud800", "]]><b>&amp;", "\uffff", "::error::x\n::stop-commands::y"]
)
def test_whatever_a_claim_says_the_files_are_well_formed(nasty: str) -> None:
    claim = msgspec.structs.replace(NEW, statement=nasty, mechanism_location=Location(f"a{nasty}.py", 1, "m", nasty))
    audit = AuditRecord(SCHEMA_VERSION, "0", [claim], [NotDecided("x", "privacy", "", None, nasty, HERE)])
    assert junit(audit).failures == 1
    assert len(sarif(audit)["results"]) == 2
    for line in workflow_commands(audit):
        line.encode("utf-8", "backslashreplace")
        assert "\n" not in line
        assert line.startswith("::error file=")
    assert summary(audit).encode("utf-8", "backslashreplace")


def unescaped(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as the runner of GitHub Actions reads it."""
    found = re.fullmatch(r"::(\w+) ?(.*?)::(.*)", line)
    assert found is not None
    given = dict(part.split("=", 1) for part in found[2].split(","))
    codes = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}

    def plain(text: str) -> str:
        return re.sub("|".join(codes), lambda code: codes[code[0]], text)

    return found[1], {name: plain(text) for name, text in given.items()}, plain(found[3])


def test_annotations_are_read_as_they_were_meant() -> None:
    claim = msgspec.structs.replace(NEW, id="a,b:c%0A", mechanism_location=Location("x,y:z.py", 7, "m", "f"))
    level, given, text = unescaped(workflow_commands(AuditRecord(SCHEMA_VERSION, "0", [claim], []))[0])
    assert level == "error"
    assert given == {"file": "x,y:z.py", "line": "7", "title": "a,b:c%0A: expected PROVED"}
    assert "\nPr[event | left]" in text
    levels = [unescaped(line)[0] for line in workflow_commands(AUDIT)]
    assert levels == ["error", "error", "error", "warning"]


def test_annotations_keep_to_the_limit() -> None:
    many = [msgspec.structs.replace(NEW, id=f"c{i}") for i in range(30)]
    lines = workflow_commands(AuditRecord(SCHEMA_VERSION, "0", many, []))
    assert len(lines) == MOST_ANNOTATIONS
    assert unescaped(lines[-1])[2] == "and 21 more: see the log, or the summary of the job"
    assert all(len(line.encode()) < 64_000 for line in lines)


def test_a_gate_is_annotated_by_what_does_not_pass() -> None:
    old = AuditRecord(SCHEMA_VERSION, "0", [msgspec.structs.replace(NEW, verdict=Status.PROVED, witness=None)], [])
    new = AuditRecord(SCHEMA_VERSION, "0", [NEW], [])
    red = held(old, new)
    level, given, text = unescaped(workflow_commands(new, red)[0])
    assert (level, given) == ("error", {"file": "my lib/mylib.py", "line": "12", "title": "new is worse"})
    assert "verdict: PROVED → REFUTED\n" in text
    told = summary(new, red)
    assert "### ❌ WORSE `new` (my lib/mylib.py:12 noisy)\n" in told
    assert told.count("Pr[event | left]") == summary(new).count("Pr[event | left]")  # once, and not twice
    known = held(new, new)
    assert workflow_commands(new, known) == []
    better = held(new, old)
    assert [unescaped(line)[0] for line in workflow_commands(old, better)] == ["notice"]


def test_a_summary_keeps_to_the_limit_and_says_what_fails_first() -> None:
    many: list[ClaimResult] = [msgspec.structs.replace(NEW, id=f"c{i}") for i in range(50)]
    audit = AuditRecord(SCHEMA_VERSION, "0", [*many, PROVED], [])
    assert summary(audit).index("### ❌ `c49`") < summary(audit).index("| claim | verdict |")
    cut = summary(audit, most=5_000)
    assert len(cut.encode()) <= 5_000
    assert cut.startswith("## dpverify\n\n**1 of 51 claims hold; 50 counterexamples.**\n")
    assert re.search(r"\n\d+ more parts do not fit in a summary", cut)


def test_equal_audits_are_equal_files() -> None:
    for suffix in (".sarif", ".xml"):
        assert render(AUDIT, suffix) == render(AUDIT, suffix)


QUESTION = QuestionRecord(depth="quick", claimed={"epsilon": "1"}, mechanism="mylib.noisy")
LESS = QuestionRecord(depth="quick", claimed={"epsilon": "9"}, mechanism="mylib.noisy")
BEFORE = AuditRecord(
    "5",
    "0",
    [
        msgspec.structs.replace(PROVED, id="worse", question=QUESTION, mechanism_location=HERE, location=CLAIMED),
        msgspec.structs.replace(REFUTED, id="grown", question=QUESTION, mechanism_location=HERE, location=CLAIMED),
        msgspec.structs.replace(NEW, id="known"),
        msgspec.structs.replace(REFUTED, id="mended", mechanism_location=HERE, location=CLAIMED),
        msgspec.structs.replace(
            REFUTED,
            id="gone",
            location=Location("claims_gone.py", 0, "claims_gone", "gone"),
            mechanism_location=Location("lost.py", 0, "lost", "alone"),
        ),
        msgspec.structs.replace(PROVED, id="same", mechanism_location=HERE, location=CLAIMED),
    ],
    [],
)
AFTER = AuditRecord(
    "5",
    "0",
    [
        msgspec.structs.replace(BEFORE.claims[0], question=LESS),
        msgspec.structs.replace(BEFORE.claims[1], question=LESS),
        BEFORE.claims[2],
        msgspec.structs.replace(BEFORE.claims[3], verdict=Status.PROVED, expected=Status.PROVED, refutation=None),
        BEFORE.claims[5],
        msgspec.structs.replace(NEW, id="appeared"),
    ],
    [],
)
UNCOVERED = Location("my lib/mylib.py", 40, "mylib", "bare")


def red() -> Gate:
    return held(BEFORE, AFTER)


def test_a_red_gate_in_sarif_has_what_got_worse_is_gone_or_new() -> None:
    log = json.loads(render(AFTER, ".sarif", red(), [UNCOVERED]))
    validator().validate(log)
    (run,) = log["runs"]
    found = [(one["ruleId"], one["level"], one.get("baselineState"), "suppressions" in one) for one in run["results"]]
    assert found == [
        ("refuted", "error", "unchanged", True),  # known, and no worse
        ("refuted", "error", "new", False),
        ("worse", "error", "new", False),  # and still PROVED
        ("worse", "error", "updated", False),  # a known refutation that grew
        ("gone", "error", "new", False),
        ("no-claim", "error", None, False),
        ("known-refutation", "none", "absent", True),  # which is PROVED now
        ("known-refutation", "none", "absent", True),  # whose claim is gone
    ]
    by_rule = {one["ruleId"]: one for one in run["results"]}
    said = {rule: one["message"]["text"] for rule, one in by_rule.items()}
    places = {rule: one["locations"][0]["physicalLocation"] for rule, one in by_rule.items()}
    assert "claimed ε: 1 → 9\n" in said["worse"]
    assert said["gone"] == "gone is gone\nit was REFUTED, and is no claim any more"
    assert places["gone"]["artifactLocation"]["uri"] == "claims_gone.py"
    assert places["no-claim"]["region"] == {"startLine": 40}
    assert run["invocations"][0]["toolExecutionNotifications"] == []
    assert len({one["partialFingerprints"]["claim/v1"] for one in run["results"]}) == len(run["results"])


def test_a_finding_of_another_sort_is_updated() -> None:
    """What is refuted as before, and no longer expected to be."""
    old = msgspec.structs.replace(REFUTED, id="lib.f", mechanism_location=Location("lib.py", 1, "lib", "f"))
    surprising = msgspec.structs.replace(old, expected=Status.PROVED, refutation=None)
    before, after = (AuditRecord(SCHEMA_VERSION, "0", [claim], []) for claim in (old, surprising))
    found = held(before, after)
    (one,) = json.loads(render(after, ".sarif", found))["runs"][0]["results"]
    assert (one["ruleId"], one["baselineState"]) == ("refuted", "updated")


def test_a_green_gate_leaves_nothing_open_in_sarif_or_junit() -> None:
    known = held(AFTER, AFTER)
    assert not known.failing
    (run,) = json.loads(render(AFTER, ".sarif", known))["runs"]
    assert {one["baselineState"] for one in run["results"]} == {"unchanged"}
    assert all(one["suppressions"] for one in run["results"])
    read = junitparser.JUnitXml.fromstring(render(AFTER, ".xml", known).encode())
    assert (read.tests, read.failures, read.errors) == (len(AFTER.claims), 0, 0)
    assert junit(AFTER).failures == 2  # without a baseline nothing is known


def test_a_red_gate_in_junit_fails_what_the_gate_does() -> None:
    read = junitparser.JUnitXml.fromstring(render(AFTER, ".xml", red(), [UNCOVERED]).encode())
    failed = {(suite.name, case.name): case.result[0].message for suite in read for case in suite if not case.is_passed}
    assert list(failed) == [
        ("dpverify.privacy", "worse"),
        ("dpverify.privacy", "grown"),
        ("dpverify.privacy", "appeared"),
        ("dpverify.privacy", "gone"),
        ("dpverify.coverage", "mylib.bare"),
    ]
    assert failed["dpverify.privacy", "worse"].startswith("PROVED, WORSE: ")
    assert failed["dpverify.coverage", "mylib.bare"] == "NO CLAIM: no claim reaches it"
    assert (read.tests, read.failures, read.errors) == (8, 5, 0)


def test_junit_has_the_time_of_each_claim_and_of_all() -> None:
    read = junitparser.JUnitXml.fromstring(render(AFTER, ".xml", seconds={"worse": 1.25, "same": 0.5}).encode())
    times = {case.name: case.time for suite in read for case in suite}
    assert (times["worse"], times["same"], times["known"]) == (1.25, 0.5, 0)
    assert read.time == 1.75


def test_a_red_gate_is_annotated_and_told_whole() -> None:
    lines = [unescaped(line) for line in workflow_commands(AFTER, red(), [UNCOVERED])]
    assert [(level, given["title"]) for level, given, _ in lines] == [
        ("error", "worse is worse"),
        ("error", "grown is worse"),
        ("error", "gone is gone"),
        ("error", "appeared is new"),
        ("error", "mylib.bare has no claim"),
    ]
    assert lines[2][1]["file"] == "claims_gone.py" and lines[4][1]["line"] == "40"
    told = summary(AFTER, red(), [UNCOVERED])
    heads = [line for line in told.splitlines() if line.startswith("### ")]
    assert [head.partition(" (")[0] for head in heads] == [
        *("### ❌ WORSE `worse`", "### ❌ WORSE `grown`", "### ❌ GONE `gone`", "### ❌ NEW `appeared`"),
        *("### ✅ STRONGER `mended`", "### ❌ NO CLAIM `mylib.bare`"),
    ]


class Installed:
    """A distribution with what it says of itself, and where it was installed from."""

    def __init__(self, said: str = "", origin: str = "") -> None:
        self.metadata = Message()
        if said:
            self.metadata["Project-URL"] = said
        self._origin = origin

    def read_text(self, name: str) -> str | None:
        return json.dumps({"url": self._origin}) if self._origin and name == "direct_url.json" else None


@pytest.mark.parametrize(
    ("installed", "address"),
    [
        (Installed("Documentation, https://example.org/pages"), "https://example.org/pages"),
        (Installed("Homepage, https://example.org/"), "https://example.org/"),
        (Installed(origin="https://example.org/dpverify.git"), "https://example.org/dpverify"),
        (Installed(origin="file:///home/somebody/dpverify"), "urn:dpverify:0.1.0"),
        (Installed(origin="https://name:secret@example.org/dpverify"), "urn:dpverify:0.1.0"),
        (Installed(), "urn:dpverify:0.1.0"),
    ],
)
def test_the_tool_says_where_to_read_about_it(
    installed: Installed, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpverify.reports.formats.sarif.distribution", lambda _: installed)
    assert sarif(AUDIT)["tool"]["driver"]["informationUri"] == address
