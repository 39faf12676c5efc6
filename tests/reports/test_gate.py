"""What a gate takes for worse and for better: each number of each kind, one at a time."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.catalogue.committed import committed

from dpverify.reports.comparison import Audit, read_audit
from dpverify.reports.gate import Gate, Row, gate, in_lines
from dpverify.reports.json_form import to_json
from dpverify.reports.kinds import kinds
from dpverify.reports.record import SCHEMA_VERSION, AuditRecord, ClaimResult, Location, Quantity, Scope, Status


def audit(*claims: ClaimResult) -> Audit:
    return read_audit(to_json(AuditRecord(SCHEMA_VERSION, "0", list(claims), [])))


def between(old: ClaimResult, new: ClaimResult) -> Gate:
    return gate(audit(old), audit(new))


def of_kind(kind: str, **wanted: Any) -> ClaimResult:
    return next(
        claim
        for claim in committed().values()
        if claim.kind == kind and all(getattr(claim, name) == value for name, value in wanted.items())
    )


def number(value: str) -> Quantity:
    return Quantity(value, value, value, value)


PRIVATE = msgspec.structs.replace(
    of_kind("privacy", verdict=Status.PROVED, for_all_epsilon=None),
    id="p",
    epsilon=number("1"),
    delta=number("1/10"),
    exact_epsilon=number("1/2"),
    exact_delta=number("1/20"),
    scope=Scope("finite", "", "another interpreter", ""),
    slack="1/2",
    weak=False,
    neighbours_agree=False,
    pairs=10,
)
USEFUL = of_kind("utility", verdict=Status.FUZZED)
FORCED = of_kind("lower-bound", verdict=Status.PROVED)
SAMPLED = of_kind("pac")
ALL = Scope("all", "", "another interpreter", "")


@pytest.mark.parametrize(
    "claim", [PRIVATE, USEFUL, FORCED, SAMPLED, of_kind("structure")], ids=lambda claim: claim.kind
)
def test_nothing_is_worse_than_itself(claim: ClaimResult) -> None:
    assert between(claim, claim) == Gate((), 1)
    assert {claim.kind for claim in committed().values()} <= kinds().keys()


@pytest.mark.parametrize(
    ("worse", "line"),
    [
        ({"exact_epsilon": number("3/5")}, "ε: 1/2 → 3/5"),
        ({"exact_epsilon": None}, "ε: 1/2 → infinite, or not known"),
        ({"exact_delta": number("1/15")}, "δ: 1/20 → 1/15"),
        ({"exact_delta": Quantity(None, "0.06", "3/50", "4/50")}, "δ: 1/20 → 0.06"),
        ({"epsilon": number("2")}, "claimed ε: 1 → 2"),
        ({"delta": number("1/5")}, "claimed δ: 1/10 → 1/5"),
        ({"pairs": 9}, "pairs: 10 → 9"),
        ({"slack": "1/4"}, "holds with a share of its noise of: 1/2 → 1/4"),
        ({"weak": True}, "weak: earned by its noise → earned with far less noise, too"),
        ({"scope": Scope("finite", "", "none", "")}, "recheck: another interpreter → none"),
    ],
)
def test_each_number_of_privacy_may_only_fall(worse: dict[str, Any], line: str) -> None:
    other = msgspec.structs.replace(PRIVATE, **worse)
    (row,) = between(PRIVATE, other).rows
    assert (row.mark, [change.in_words for change in row.changes]) == ("WORSE", [line])
    (row,) = between(other, PRIVATE).rows
    assert row.mark == "BETTER"


def test_an_update_is_asked_for_where_something_is_better_and_nothing_is_worse() -> None:
    better, worse = Row("BETTER", "a"), Row("WORSE", "b")
    assert Gate([better]).asks_for_update
    assert not Gate([better, worse]).asks_for_update
    assert not Gate([Row("KNOWN", "a")]).asks_for_update


def test_what_can_only_get_worse() -> None:
    without = msgspec.structs.replace(PRIVATE, mutant=None)
    assert between(PRIVATE, without).failing
    assert not between(without, PRIVATE).rows
    assert between(PRIVATE, msgspec.structs.replace(PRIVATE, neighbours_agree=True)).failing


def test_all_sizes_are_more_than_any_number_of_pairs() -> None:
    everywhere = msgspec.structs.replace(PRIVATE, scope=ALL, pairs=3)
    (row,) = between(everywhere, msgspec.structs.replace(PRIVATE, pairs=1000)).rows
    assert [change.in_words for change in row.changes] == ["scope: all sizes → finite"]
    assert not between(PRIVATE, everywhere).failing


def test_enclosures_that_overlap_are_the_same_number() -> None:
    near = msgspec.structs.replace(PRIVATE, exact_delta=Quantity(None, "0.05", "49/1000", "51/1000"))
    assert between(PRIVATE, near) == Gate((), 1)
    assert between(near, PRIVATE) == Gate((), 1)


@pytest.mark.parametrize(
    ("old", "new", "mark"),
    [
        ("PROVED", "REFUTED", "WORSE"),
        ("PROVED", "UNDECIDED", "WORSE"),
        ("PROVED", "VACUOUS", "WORSE"),
        ("PROVED", "FUZZED", "WORSE"),
        ("FUZZED", "INCONCLUSIVE", "WORSE"),
        ("UNDECIDED", "REFUTED", "WORSE"),
        ("UNDECIDED", "VACUOUS", "WORSE"),
        ("REFUTED", "UNDECIDED", "WORSE"),
        ("REFUTED", "PROVED", "BETTER"),
        ("UNDECIDED", "PROVED", "BETTER"),
        ("FUZZED", "PROVED", "BETTER"),
    ],
)
def test_verdicts(old: str, new: str, mark: str) -> None:
    before, after = ({"id": "a", "verdict": verdict, "expected": "PROVED"} for verdict in (old, new))
    (row,) = gate(Audit({"a": before}, {}), Audit({"a": after}, {})).rows
    assert (row.mark, row.changes[0].in_words) == (mark, f"verdict: {old} → {new}")


def test_a_pinned_violation_that_is_none_any_more_fails() -> None:
    before, after = ({"id": "a", "verdict": verdict, "expected": "REFUTED"} for verdict in ("REFUTED", "PROVED"))
    (row,) = gate(Audit({"a": before}, {}), Audit({"a": after}, {})).rows
    assert row.mark == "WORSE"
    assert row.said == ["not as expected, which it was: expected REFUTED"]


def test_utility() -> None:
    assert USEFUL.ratio is not None  # type: ignore[attr-defined]
    nearer = msgspec.structs.replace(USEFUL, ratio=USEFUL.ratio * 2)  # type: ignore[attr-defined]
    assert [change.what for change in between(USEFUL, nearer).rows[0].changes] == ["failure/β"]
    assert between(USEFUL, nearer).failing
    assert not between(nearer, USEFUL).failing
    fewer = msgspec.structs.replace(USEFUL, inputs=1)
    assert [change.what for change in between(USEFUL, fewer).rows[0].changes] == ["inputs"]
    sharp = next(
        claim
        for claim in committed().values()
        if getattr(claim, "sharpness", None) is not None and claim.sharpness.smallest  # type: ignore[attr-defined]
    )
    more = msgspec.structs.replace(sharp.sharpness, smallest=10**9)  # type: ignore[attr-defined]
    assert between(sharp, msgspec.structs.replace(sharp, sharpness=more)).failing


def test_lower_bounds_and_samples() -> None:
    looser = [msgspec.structs.replace(row, forced=number("1000")) for row in FORCED.rows]  # type: ignore[attr-defined]
    assert between(FORCED, msgspec.structs.replace(FORCED, rows=looser)).failing
    likelier = msgspec.structs.replace(SAMPLED.sampled, high="1")  # type: ignore[attr-defined]
    assert between(SAMPLED, msgspec.structs.replace(SAMPLED, sampled=likelier)).failing


def test_a_mechanism_loses_its_claim_though_the_claim_stays() -> None:
    at = Location("mylib.py", 3, "mylib", "noisy")
    before = msgspec.structs.replace(PRIVATE, mechanism_location=at)
    after = msgspec.structs.replace(PRIVATE, mechanism_location=msgspec.structs.replace(at, name="other"))
    (row,) = between(before, after).rows
    assert (row.mark, row.name) == ("LOST", "mylib.noisy")
    assert row.said == ["no claim speaks of it any more; p did, and now of mylib.other"]
    moved = msgspec.structs.replace(before, mechanism_location=msgspec.structs.replace(at, line=90))
    assert not between(before, moved).rows


def test_what_people_wrote_forges_no_line() -> None:
    forged = msgspec.structs.replace(PRIVATE, id="p", verdict=Status.REFUTED, expected=Status.REFUTED)
    forged = msgspec.structs.replace(
        forged, mechanism_location=Location("a\x1b[31m.py\ngate: 9 the same: it passes", 1, "m", "f\r\n")
    )
    lines = in_lines(between(PRIVATE, forged))
    assert not any("\x1b" in line or "\n" in line or "\r" in line for line in lines)
    assert lines[-1].endswith("it does not pass")


def test_every_claim_of_the_catalogue_has_numbers_that_can_be_compared() -> None:
    audit = read_audit(to_json(AuditRecord(SCHEMA_VERSION, "0", list(committed().values()), [])))
    found = gate(audit, audit)
    assert not found.failing
    assert {row.mark for row in found.rows} == {"KNOWN"}
    assert len(found.rows) + found.same == len(committed())
