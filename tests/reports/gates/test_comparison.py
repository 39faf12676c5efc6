"""The difference of two audits."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from tests.catalogue.committed import committed_audit
from tests.examples import in_one

from dpverify.mechanisms import InputError
from dpverify.reports.audits.json_form import json_schema, read_audit, to_json
from dpverify.reports.gates.baseline import read_baseline
from dpverify.reports.gates.comparison import Difference, claim_in_short, comparison_in_lines, difference, read_loosely
from dpverify.reports.kinds import kind_of, kinds
from dpverify.reports.record import SCHEMA_VERSION, AuditRecord, Status
from dpverify.verifiers.command_line import main

CLAIM: dict[str, Any] = {
    "id": "a",
    "kind": "privacy",
    "verdict": "PROVED",
    "expected": "PROVED",
    "scope": {"extent": "finite", "why": "", "recomputation": "another interpreter", "text": "all pairs"},
    "smallest_delta": {"decimal": "0.1", "exact": None},
    "witness": None,
    "worst_pair": ["(0,)", "(1,)"],
    "cached": False,
    "strict": False,
}


def audit(*claims: dict[str, Any], version: object = SCHEMA_VERSION, **others: Any) -> str:
    return json.dumps({"schema": version, "dpverify": "0", "claims": list(claims), "not_decided": [], **others})


def between(old: str, new: str) -> Difference:
    return difference(read_loosely(old), read_loosely(new))


def test_an_audit_is_no_different_from_itself_however_it_came_about() -> None:
    for same in (CLAIM, {**CLAIM, "cached": True, "strict": True}):
        found = between(audit(CLAIM), audit(same))
        assert (found.is_none, found.same) == (True, 1)


@in_one(
    "changed, line",
    [
        ({"verdict": "REFUTED"}, "verdict: PROVED → REFUTED"),
        ({"smallest_delta": {"decimal": "0.2", "exact": None}}, "smallest_delta.decimal: 0.1 → 0.2"),
        ({"smallest_delta": None}, 'smallest_delta: {"decimal":"0.1","exact":null} → nothing'),
        ({"witness": {"left": "(0,)"}}, 'witness: nothing → {"left":"(0,)"}'),
        ({"worst_pair": ["(0,)", "(2,)"]}, "worst_pair.2: (1,) → (2,)"),
        ({"worst_pair": ["(0,)"]}, 'worst_pair: ["(0,)","(1,)"] → ["(0,)"]'),
        ({"scope": {**CLAIM["scope"], "extent": "all"}}, "scope.extent: finite → all"),
        ({"expected": "REFUTED"}, "expected: PROVED → REFUTED"),
        ({"later": True}, "later: nothing → true"),
        ({"kind": "utility"}, "kind: privacy → utility"),
    ],
)
def test_whatever_changes_is_said(changed: dict[str, Any], line: str) -> None:
    found = between(audit(CLAIM), audit({**CLAIM, **changed}))
    assert found.changed == {"a": [line]}
    assert not found.is_none


def test_what_one_of_them_has_not_measured_is_no_difference() -> None:
    half = {
        **CLAIM,
        "noise_multipliers": [{"multiplier": "1/2", "verdict": "REFUTED"}],
        "headroom": None,
        "loose": None,
    }
    grid = {**half, "noise_multipliers": [{"multiplier": "1", "verdict": "PROVED"}], "headroom": "1", "loose": False}
    assert between(audit(half), audit(grid)).is_none and between(audit(grid), audit(half)).is_none
    worse = {**grid, "headroom": "1/4", "loose": True}
    assert between(audit(grid), audit(worse)).changed == {"a": ["headroom: 1 → 1/4", "loose: false → true"]}
    likely, seldom = ({**CLAIM, "line_runs": {"databases": most}} for most in (2, 1))
    assert between(audit(CLAIM), audit(likely)).is_none and between(audit(likely), audit(CLAIM)).is_none
    assert between(audit(likely), audit(seldom)).changed == {"a": ["line_runs.databases: 2 → 1"]}


def test_what_vanished_and_what_is_new() -> None:
    other = {**CLAIM, "id": "b"}
    found = between(audit(CLAIM), audit(other))
    assert (found.vanished, found.appeared, found.same) == (["a"], ["b"], 0)
    row = {"id": "a", "kind": "privacy", "source": "", "expected": None, "reason": "its time was up"}
    old, new = read_loosely(audit(CLAIM)), read_loosely(audit(other, not_decided=[row]))
    assert comparison_in_lines(difference(old, new), old, new) == [
        "a is only in the first: not decided in the second, its time was up",
        "b is only in the second: PROVED",
        "a is not decided in the second",
        "",
        "claims: 0 the same, 0 changed, 1 only in the first, 1 only in the second; partial: the second",
    ]


def test_rows_that_are_not_decided_are_differences() -> None:
    row = {"id": "broken.py", "kind": "file", "source": "", "expected": None, "reason": "no such file"}
    found = between(audit(CLAIM), audit(CLAIM, not_decided=[row]))
    assert found.rows == ["broken.py is not decided in the second"]
    assert not found.is_none
    assert between(audit(CLAIM, not_decided=[row]), audit(CLAIM)).rows == [
        "broken.py was not decided in the first alone"
    ]
    assert between(audit(CLAIM, not_decided=[row]), audit(CLAIM, not_decided=[row])).is_none


@pytest.mark.parametrize(("before", "after"), [(True, 1), (1, 1.0), (0, False)])
def test_values_of_other_types_are_others(before: object, after: object) -> None:
    assert not between(audit({**CLAIM, "grows": before}), audit({**CLAIM, "grows": after})).is_none


def test_long_values_are_cut_and_shown_where_they_differ() -> None:
    (line,) = between(audit(CLAIM), audit({**CLAIM, "verdict": "x" * 10_000})).changed["a"]
    assert len(line) < 200
    (line,) = between(
        audit({**CLAIM, "reason": "x" * 500 + "one"}), audit({**CLAIM, "reason": "x" * 500 + "two"})
    ).changed["a"]
    assert line == f"reason: …{'x' * 30}one → …{'x' * 30}two"


def test_what_people_wrote_forges_no_line() -> None:
    forged = {**CLAIM, "id": "a\x1b[31m\nclaims: 5 the same"}
    old, new = read_loosely(audit(forged)), read_loosely(audit())
    (line, _, _) = comparison_in_lines(difference(old, new), old, new)
    assert "\x1b" not in line
    assert line.startswith("a")


def test_a_mark_of_the_byte_order_is_none_of_the_text() -> None:
    assert read_loosely(b"\xef\xbb\xbf" + audit(CLAIM).encode()).claims.keys() == {"a"}


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("4", "an audit of version '4', by an earlier dpverify, cannot be read, where this one reads version 6"),
        ("1", "an audit of version '1', by an earlier dpverify, cannot be read, where this one reads version 6"),
        ("7", "an audit of version '7', by a later dpverify, which is to be installed, cannot be read"),
        ("10", "an audit of version '10', by a later dpverify"),
        ("x\n", r"an audit of version 'x\\n', by an earlier dpverify"),
    ],
)
def test_another_version_is_refused_with_the_command_that_renews_it(version: str, said: str, tmp_path: Path) -> None:
    """One reader of the earlier ones said of them what they did not say themselves."""
    text = audit(CLAIM, version=version)
    for read in (read_loosely, read_audit):
        with pytest.raises(InputError) as error:
            read(text, "RENEW")
        assert re.match(said, str(error.value))
    kept = tmp_path / "kept.json"
    kept.write_text(text)
    with pytest.raises(InputError, match="JSON, which holds no questions"):
        read_baseline(kept)
    assert kept.read_text() == text
    done = CliRunner().invoke(main, ["compare", str(kept), str(kept)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"dpverify audit … --json {kept}" in done.stderr


def test_the_schema_and_every_record_say_their_version() -> None:
    assert json_schema()["$id"] == f"urn:dpverify:audit:{SCHEMA_VERSION}"
    assert json_schema()["properties"]["schema"] == {"const": SCHEMA_VERSION}
    assert committed_audit().schema == SCHEMA_VERSION
    for version in (5, None, ["5"]):
        with pytest.raises(InputError, match=r"an audit of version .*, by an earlier dpverify"):
            read_loosely(audit(CLAIM, version=version))


def test_a_merge_that_left_conflicts_is_said() -> None:
    text = audit(CLAIM)
    conflicted = "{\n<<<<<<< HEAD\n" + text[1:] + "\n=======\n" + text[1:] + "\n>>>>>>> theirs\n"
    for read in (read_loosely, read_audit):
        with pytest.raises(
            InputError, match=r"^a merge has left conflicts in it, the first in line 2: take either side"
        ):
            read(conflicted)
    assert read_loosely(audit({**CLAIM, "statement": "<<<<<<< HEAD\n>>>>>>> theirs"})).claims


def test_in_short_a_difference_is_what_a_person_asks() -> None:
    """In the words of a table, with the number of all fields; of records that have none, the fields."""
    claims = [claim for claim in committed_audit().claims if claim.verdict is Status.PROVED]
    for kind in kinds():
        before = next((claim for claim in claims if claim.kind == kind), None)
        if before is not None:
            scope = msgspec.structs.replace(before.scope, recomputation="none", text="otherwise")
            after = msgspec.structs.replace(before, verdict=Status.UNDECIDED, reason="a limit", scope=scope, id="a")
            old, new = (
                read_loosely(to_json(AuditRecord(SCHEMA_VERSION, "0", [claim], [])))
                for claim in (msgspec.structs.replace(before, id="a"), after)
            )
            found = difference(old, new)
            first, verdict, *others, last, _, _ = comparison_in_lines(found, old, new, whole=False)
            assert (first, verdict) == ("a", "    verdict: PROVED → UNDECIDED")
            assert (
                f"    recomputation: {before.scope.recomputation} → none" in others
                or before.scope.recomputation == "none"
            )
            assert last == f"    {len(found.changed['a'])} fields of the record in all: --all shows them"
    assert claim_in_short(CLAIM, CLAIM) is None
    old, new = read_loosely(audit(CLAIM)), read_loosely(audit({**CLAIM, "verdict": "REFUTED"}))
    assert comparison_in_lines(difference(old, new), old, new, whole=False)[:2] == [
        "a",
        "    verdict: PROVED → REFUTED",
    ]


def test_a_witness_that_changed_is_shown_in_short() -> None:
    claim = next(
        claim for claim in committed_audit().claims if claim.kind == "privacy" and kind_of(claim).witness(claim)
    )
    without = msgspec.structs.replace(claim, witness=None)
    old, new = (
        read_loosely(to_json(AuditRecord(SCHEMA_VERSION, "0", [one], []))).claims[claim.id] for one in (without, claim)
    )
    (line,) = [line for line in claim_in_short(old, new) or [] if line.startswith("counterexample: ")]
    assert line.startswith("counterexample: nothing → left ") and "python -c" not in line
    assert claim_in_short(old, old) == []
    measured = {**old, "headroom": "1/2", "loose": False}
    assert (
        claim_in_short({**old, "headroom": None, "loose": None}, measured) == []
    )  # which one of them has not measured
    assert claim_in_short(measured, {**measured, "headroom": "1/4"}) == ["headroom: 1/2 → 1/4"]


@in_one(
    "text, message",
    [
        ("{", "not an audit of dpverify"),
        ("[]", "no object"),
        ("{}", r"it has no version, schema\)"),
        ('{"schema": "6"}', "claims is no list of claims"),
        ('{"schema": "6", "claims": {}}', "claims is no list of claims"),
        ('{"schema": "6", "claims": [{}]}', "claims is no list of claims"),
        ('{"schema": "6", "claims": [1]}', "claims is no list of claims"),
        ('{"schema": "6", "claims": [], "not_decided": [1]}', "not_decided is no list of rows"),
        ('{"schema": "6", "claims": [], "not_decided": null}', "not_decided is no list of rows"),
        ('{"schema": "6", "claims": [{"id": "a"}, {"id": "a"}]}', "two claims have one id"),
        ("[" * 100_000, "not an audit of dpverify"),
    ],
)
def test_what_is_no_audit_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_loosely(text)
