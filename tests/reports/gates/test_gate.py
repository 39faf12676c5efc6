"""What a gate takes for worse, for another question and for stronger: each part of a line, one at a time."""

from typing import Any

import msgspec
from tests.catalogue.committed import committed
from tests.examples import in_one

from dpverify.reports.gates.baseline import BaselineLine, baseline_line, from_text, to_text
from dpverify.reports.gates.changes import NOTHING_SHOWN, Shown
from dpverify.reports.gates.comparison import Audit
from dpverify.reports.gates.gate import (
    Answered,
    AuditRequest,
    Gate,
    GatedClaim,
    answers,
    answers_of_any,
    compared,
    gate,
    gate_in_lines,
)
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.reports.record import (
    SCHEMA_VERSION,
    AuditRecord,
    ClaimResult,
    DescribedPart,
    Location,
    Quantity,
    QuestionRecord,
    Refutation,
    RefutationKind,
    Scope,
    Status,
)

QUESTION = QuestionRecord(
    depth="quick",
    claimed={"epsilon": "1", "delta": "1/10"},
    mechanism="mylib.noisy",
    mechanism_file="mylib.py",
    parameters={"epsilon": "1"},
    domain=DescribedPart("Tuples((0, 1), size=2)", "d0"),
    neighbour_relation=DescribedPart("replace_one", ""),
    mutants=[DescribedPart("loud", "m0")],
    wrapper="w0",
    further={"weak_because": "few rows"},
)
PRIVATE: ClaimResult = msgspec.structs.replace(
    next(
        claim
        for claim in committed().values()
        if isinstance(claim, PrivacyResult) and claim.verdict is Status.PROVED and not claim.all_sizes_demanded
    ),
    id="p",
    scope=Scope("finite", "", "another interpreter", ""),
    question=QUESTION,
    source="here",
    refutation=None,
    location=Location("claims_mylib.py", 7, "claims_mylib", "p"),
    mechanism_location=Location("mylib.py", 3, "mylib", "noisy"),
)
REFUTED = msgspec.structs.replace(
    PRIVATE, verdict=Status.REFUTED, expected=Status.REFUTED, refutation=Refutation(RefutationKind.VARIANT, "so it is")
)


def between(old: ClaimResult, new: ClaimResult, shown: Shown = NOTHING_SHOWN) -> GatedClaim | None:
    return compared(baseline_line(old), Answered(baseline_line(new), new), shown)


def marked(old: ClaimResult, new: ClaimResult, shown: Shown = NOTHING_SHOWN) -> str:
    row = between(old, new, shown)
    return "the same" if row is None else row.mark


def asking(**changed: Any) -> ClaimResult:
    return msgspec.structs.replace(PRIVATE, question=msgspec.structs.replace(QUESTION, **changed))


def gate_of(old: list[ClaimResult], new: list[ClaimResult], asked: AuditRequest | None = None) -> Gate:
    lines = {claim.id: baseline_line(claim) for claim in old}
    return gate(lines, answers(AuditRecord(SCHEMA_VERSION, "0", new, [])), {}, asked or AuditRequest())


def test_nothing_is_worse_than_itself() -> None:
    assert between(PRIVATE, PRIVATE) is None
    assert marked(REFUTED, REFUTED) == "KNOWN"
    for claim in committed().values():
        assert marked(claim, claim) in ("the same", "KNOWN")


def test_a_domain_that_lost_databases_is_told_how_to_claim_both() -> None:
    """The sizes are those of the two domains, and where there are none, no size is named."""
    for one, other, said in [
        ("Tuples((0, 1), size=10)", "Tuples((0, 1), size=9)", "holds the old one, such as one with sizes=(9, 10)"),
        ("Multisets((0, 1), size=2)", "Tuples((0, 1), size=2)", "holds the old one"),
        ("my_own", "Tuples((0, 1), size=2)", "holds the old one"),
    ]:
        row = between(asking(domain=DescribedPart(one, "d1")), asking(domain=DescribedPart(other, "d2")))
        assert row is not None
        assert [text.endswith(said) for text in row.said] == [False, True]


@in_one(
    "changed, mark, line",
    [
        ({"depth": "full"}, "WORSE", "depth: quick → full"),
        ({"claimed": {"epsilon": "2", "delta": "1/10"}}, "WORSE", "claimed ε: 1 → 2"),
        ({"claimed": {"epsilon": "1", "delta": "1/5"}}, "WORSE", "claimed δ: 1/10 → 1/5"),
        ({"claimed": {"epsilon": "ln 2", "delta": "1/10"}}, "CHANGED", "claimed ε: 1 → ln 2"),
        ({"claimed": {"epsilon": "1/2", "delta": "1/10"}}, "STRONGER", "claimed ε: 1 → 1/2"),
        ({"claimed": {"epsilon": "1", "delta": "0"}}, "STRONGER", "claimed δ: 1/10 → 0"),
        ({"mechanism": "mylib.other"}, "CHANGED", "mechanism: mylib.noisy → mylib.other"),
        ({"mechanism_file": "other/mylib.py"}, "RENAMED", "file of the mechanism: mylib.py → other/mylib.py"),
        ({"parameters": {}}, "CHANGED", "parameter epsilon: 1 → nothing"),
        (
            {"domain": DescribedPart("Tuples((0, 1), size=2)", "d1")},
            "CHANGED",
            "domain: Tuples((0, 1), size=2) (4, d0) → ",
        ),
        (
            {"neighbour_relation": DescribedPart("my_own", "r1")},
            "CHANGED",
            "neighbours: replace_one (8) → my_own (8, r1)",
        ),
        ({"mutants": []}, "CHANGED", "mutant: loud (m0) → none"),
        ({"mutants": [DescribedPart("loud", "m1")]}, "CHANGED", "mutant: loud (m0) → loud (m1)"),
        (
            {"mutants": [DescribedPart("loud", "m0"), DescribedPart("more", "m1")]},
            "STRONGER",
            "mutant: loud (m0) → loud (m0), more (m1)",
        ),
        ({"mutants": [DescribedPart("renamed", "m0")]}, "the same", ""),
        ({"wrapper": "w1"}, "CHANGED", "wrapper, a digest of its code: w0 → w1"),
        ({"setup": "s"}, "CHANGED", "what the file of claims does when it is loaded, a digest: nothing → s"),
        (
            {"more": {"all_sizes": "Histograms(range(0, 2))"}},
            "STRONGER",
            "all_sizes: nothing → Histograms(range(0, 2))",
        ),
        ({"further": {"weak_because": "fine"}}, "CHANGED", "weak_because: few rows → fine"),
        ({"further": {}}, "CHANGED", "weak_because: few rows → nothing"),
    ],
)
def test_each_part_of_a_question(changed: dict[str, Any], mark: str, line: str) -> None:
    with_counts = {"databases": 4, "pairs": 8}
    old, new = (msgspec.structs.replace(claim, **with_counts) for claim in (PRIVATE, asking(**changed)))
    row = between(old, new)
    assert (row.mark if row is not None else "the same") == mark
    assert row is None or any(change.in_words.startswith(line) for change in row.changes)
    if mark == "STRONGER":
        back = between(new, old)
        assert back is not None
        assert back.fails, "whatever is stronger is weaker the other way round"


def test_a_utility_claim_that_becomes_a_calculation_is_renamed_and_nothing_else_passes_so() -> None:
    line = BaselineLine(
        id="u", kind="utility", verdict="PROVED", expected="PROVED", question=QuestionRecord(depth="quick")
    )
    asked = QuestionRecord(depth="quick", domain=DescribedPart("3 cases", "c"), further={"computed": "f"})
    moved = msgspec.structs.replace(line, kind="calculation", question=asked)

    def told(before: BaselineLine, after: BaselineLine) -> tuple[str, list[str]]:
        row = compared(before, Answered(after, None))
        assert row is not None
        return row.mark, row.in_lines

    assert told(line, moved) == ("RENAMED", ["kind: utility → calculation"])
    other: list[dict[str, Any]] = [{"source": "there"}, {"kind": "structure"}]
    other += [{"verdict": "REFUTED", "expected": "REFUTED"}]
    other += [{"surprise": "its mutant is PROVED"}, {"question": QuestionRecord(depth="full")}]
    for change in other:
        assert told(line, msgspec.structs.replace(moved, **change))[0] in ("WORSE", "CHANGED"), change
    assert told(moved, line)[0] == "CHANGED"


def test_a_domain_that_holds_the_old_one_is_stronger() -> None:
    larger = asking(domain=DescribedPart("Tuples((0, 1), size=3)", "d3"))
    assert marked(PRIVATE, larger, NOTHING_SHOWN._replace(holds=lambda before, after: "all and more")) == "STRONGER"
    assert marked(PRIVATE, larger) == "CHANGED"


@in_one(
    "old, new, mark",
    [
        ("PROVED", "REFUTED", "WORSE"),
        ("PROVED", "UNDECIDED", "WORSE"),
        ("PROVED", "VACUOUS", "WORSE"),
        ("PROVED", "FUZZED", "WORSE"),
        ("FUZZED", "INCONCLUSIVE", "WORSE"),
        ("PROVED", "CHECKED", "WORSE"),
        ("CHECKED", "FUZZED", "WORSE"),
        ("CHECKED", "UNDECIDED", "WORSE"),
        ("CHECKED", "INCONCLUSIVE", "WORSE"),
        ("CHECKED", "VACUOUS", "WORSE"),
        ("CHECKED", "REFUTED", "WORSE"),
        ("CHECKED", "PROVED", "STRONGER"),
        ("FUZZED", "CHECKED", "STRONGER"),
        ("UNDECIDED", "CHECKED", "STRONGER"),
        ("INCONCLUSIVE", "CHECKED", "STRONGER"),
        ("VACUOUS", "CHECKED", "STRONGER"),
        ("REFUTED", "CHECKED", "STRONGER"),
        ("UNDECIDED", "REFUTED", "WORSE"),
        ("UNDECIDED", "VACUOUS", "WORSE"),
        ("REFUTED", "UNDECIDED", "WORSE"),
        ("REFUTED", "PROVED", "STRONGER"),
        ("UNDECIDED", "PROVED", "STRONGER"),
        ("FUZZED", "PROVED", "STRONGER"),
    ],
)
def test_verdicts(old: str, new: str, mark: str) -> None:
    before, after = (Audit({"a": {"id": "a", "verdict": verdict, "expected": verdict}}, {}) for verdict in (old, new))
    lines = {name: one.line for name, one in answers_of_any(before).items()}
    (row,) = gate(lines, answers_of_any(after), {}).rows
    assert (row.mark, row.changes[0].in_words) == (mark, f"verdict: {old} → {new}")


def test_better_is_never_said_of_a_refutation() -> None:
    """Neither where it is new, nor where it is expected from now on, or refuted for another reason."""
    for old in (PRIVATE, msgspec.structs.replace(PRIVATE, verdict=Status.UNDECIDED)):
        assert marked(old, REFUTED) == "WORSE"
    other = msgspec.structs.replace(REFUTED, refutation=Refutation(RefutationKind.DEGENERATE, "it is far off"))
    row = between(REFUTED, other)
    assert row is not None
    assert (row.mark, row.said[0]) == ("CHANGED", "refuted before")
    found = gate_of([], [REFUTED])
    assert [row.mark for row in found.failing] == ["NEW"]
    assert "refuted and new" in gate_in_lines(found)[2]
    assert not found.asks_for_update


def violated(epsilon: str | None, delta: str) -> ClaimResult:
    """A known violation that needs this ε, None for infinite, and this δ at the claimed ε."""
    held = None if epsilon is None else Quantity(epsilon, epsilon, epsilon, epsilon)
    result = msgspec.structs.replace(REFUTED, tight_epsilon=held, smallest_delta=Quantity(delta, delta, delta, delta))
    return msgspec.structs.replace(result, delta=Quantity("0", "0", "0", "0"), for_all_epsilon=None)


@in_one(
    "old, new, mark, line",
    [
        (("2", "1/5"), ("20", "1/5"), "WORSE", "tight ε: 2 → 20"),
        (("2", "1/5"), (None, "1/5"), "WORSE", "tight ε: 2 → ∞"),
        (("2", "1/5"), ("2", "1/2"), "WORSE", "smallest δ: 0.2 → 0.5"),
        (("2", "1/5"), ("20000001/10000000", "1/5"), "KNOWN", ""),
        (("20", "1/5"), ("2", "1/5"), "STRONGER", "tight ε: 20 → 2"),
        ((None, "1/5"), ("2", "1/5"), "STRONGER", "tight ε: ∞ → 2"),
        ((None, "1/5"), (None, "1/5"), "KNOWN", ""),
    ],
)
def test_a_known_violation_may_not_get_worse(
    old: tuple[str | None, str], new: tuple[str | None, str], mark: str, line: str
) -> None:
    row = between(violated(*old), violated(*new))
    assert row is not None
    assert row.mark == mark
    assert not line or line in row.in_lines
    assert row.fails == (mark == "WORSE")


def test_a_violation_of_another_claim_is_not_compared() -> None:
    other = msgspec.structs.replace(
        violated("20", "1/5"), question=msgspec.structs.replace(QUESTION, claimed={"epsilon": "1/2", "delta": "1/10"})
    )
    assert marked(violated("2", "1/5"), other) == "STRONGER", "a smaller ε is claimed, and refuted"


def test_a_violation_that_is_mended_passes_where_the_claim_says_so() -> None:
    mended = msgspec.structs.replace(PRIVATE)
    assert marked(REFUTED, mended) == "STRONGER"
    still = msgspec.structs.replace(REFUTED, verdict=Status.PROVED)
    row = between(REFUTED, still)
    assert row is not None
    assert row.mark == "WORSE"
    assert row.said == ["not as expected, which it was: expected REFUTED"]


def test_what_is_not_as_expected_is_known_only_as_it_was_accepted() -> None:
    surprising = msgspec.structs.replace(REFUTED, expected=Status.PROVED, refutation=None)
    assert marked(surprising, surprising) == "KNOWN"
    assert marked(PRIVATE, surprising) == "WORSE"
    pinned = msgspec.structs.replace(surprising, expected=Status.REFUTED)
    row = between(surprising, pinned)
    assert row is not None
    assert (row.mark, [change.in_words for change in row.changes]) == ("CHANGED", ["expected: PROVED → REFUTED"])


def test_all_sizes_that_became_finite_are_worse() -> None:
    everywhere = msgspec.structs.replace(PRIVATE, scope=Scope("all", "", "another interpreter", ""))
    row = between(everywhere, PRIVATE)
    assert row is not None
    assert [change.in_words for change in row.changes] == ["scope: all sizes → finite"]
    assert marked(PRIVATE, everywhere) == "STRONGER"


def test_a_verdict_of_rows_in_sorted_order_alone_is_worse() -> None:
    of_sorted = msgspec.structs.replace(PRIVATE, scope=Scope("finite", "", "another interpreter", "", True))
    row = between(PRIVATE, of_sorted)
    assert row is not None and row.mark == "WORSE" and not row.left_open
    assert row.in_lines == ["verdict: PROVED → PROVED for rows in sorted order"]
    assert marked(of_sorted, PRIVATE) == "STRONGER"
    assert between(of_sorted, of_sorted) is None
    undecided = msgspec.structs.replace(PRIVATE, verdict=Status.UNDECIDED, expected=Status.UNDECIDED)
    assert marked(undecided, msgspec.structs.replace(of_sorted, expected=Status.UNDECIDED)) == "WORSE"
    line = baseline_line(of_sorted)
    assert from_text(to_text([line])) == {line.id: line} and "for rows in sorted order" in to_text([line])
    assert "sorted" not in to_text([baseline_line(PRIVATE)])


def test_numbers_that_are_found_are_no_part_of_it() -> None:
    """Neither slack nor the exact ε: who makes a mechanism more private, or less within what is claimed, passes."""
    other = msgspec.structs.replace(PRIVATE, headroom="1/4", tight_epsilon=None, reason="otherwise", distinct_pairs=1)
    assert between(PRIVATE, other) is None


def test_a_renamed_claim_is_told_as_one() -> None:
    renamed = msgspec.structs.replace(PRIVATE, id="q")
    found = gate_of([PRIVATE], [renamed])
    assert [(row.mark, row.name, row.in_lines) for row in found.rows] == [("RENAMED", "q", ["id: p → q"])]
    assert found.asks_for_update
    moved = msgspec.structs.replace(PRIVATE, location=Location("tests/claims_mylib.py", 1, "claims_mylib", "p"))
    (row,) = gate_of([PRIVATE], [moved]).rows
    assert (row.mark, row.in_lines) == ("RENAMED", ["file: claims_mylib.py → tests/claims_mylib.py"])
    copies = [msgspec.structs.replace(PRIVATE, id=name) for name in ("q", "r")]
    assert sorted(row.mark for row in gate_of([PRIVATE], copies).rows) == ["NEW", "RENAMED"], "one line is one claim"
    assert [row.mark for row in gate_of([PRIVATE], [PRIVATE, renamed]).rows] == ["NEW"], "a copy is no other name"
    weaker = msgspec.structs.replace(asking(wrapper="w1"), id="q")
    assert [row.mark for row in gate_of([PRIVATE], [weaker]).rows] == ["GONE", "NEW"]


def test_what_was_not_asked_for_is_left_out() -> None:
    assert gate_of([PRIVATE], [], AuditRequest(left_out={"p"})) == Gate((), 0, ("p",))
    later = AuditRequest(later={"p": ("full", PRIVATE.location)})
    (row,) = gate_of([PRIVATE], [], later).rows
    assert (row.mark, row.in_lines[-1]) == ("WORSE", "depth: quick → full")
    left = msgspec.structs.replace(asking(depth="full"))
    assert gate_of([left], [], later) == Gate((), 0, ("p",)), "it was accepted at that depth"
    (row,) = gate_of([PRIVATE], [], AuditRequest(unread={"claims_mylib.py"})).rows
    assert row.mark == "NOT DECIDED"


def test_what_people_wrote_forges_no_line() -> None:
    forged = msgspec.structs.replace(
        asking(mechanism="f\r\nGate passed: 9 unchanged"),
        mechanism_location=Location("a\x1b[31m.py\nGate passed: 9 unchanged", 1, "m", "f\r\n"),
    )
    lines = gate_in_lines(gate_of([PRIVATE], [forged]))
    assert not any("\x1b" in line or "\n" in line or "\r" in line for line in lines)
    assert lines[-1].startswith("Gate failed: ")


def test_lines_are_read_as_they_were_written() -> None:
    lines = [baseline_line(claim) for claim in (PRIVATE, REFUTED, *committed().values())]
    lines = list({line.id: line for line in lines}.values())
    text = to_text(reversed(lines))
    assert from_text(text) == {line.id: line for line in lines}
    assert text == to_text(lines), "the order is that of the ids"
    assert len(text.splitlines()) == len(lines) + 1


def test_one_claim_is_one_line_of_a_difference() -> None:
    before, after = (
        to_text(map(baseline_line, claims)) for claims in ([PRIVATE, OTHER], [asking(depth="full"), OTHER])
    )
    changed = [pair for pair in zip(before.splitlines(), after.splitlines(), strict=True) if pair[0] != pair[1]]
    assert len(changed) == 1
    assert '"depth": "quick"' in changed[0][0]
    assert '"depth": "full"' in changed[0][1]


OTHER = msgspec.structs.replace(PRIVATE, id="other", source="a \u2028 b \x85 c")
"""With characters at which some readers take a line to end."""


def test_a_line_without_a_question_is_compared_by_what_it_has() -> None:
    bare = BaselineLine(
        id="p", kind="privacy", verdict="PROVED", expected="PROVED", source="here", file="claims_mylib.py"
    )
    assert compared(bare, Answered(baseline_line(PRIVATE), PRIVATE)) is None


def test_a_line_is_written_alike_whoever_has_decided_its_claim() -> None:
    """What travels between processes may come back in another order of its names."""
    one, other = (
        BaselineLine(
            id="a",
            kind="privacy",
            verdict="PROVED",
            expected="PROVED",
            question=QuestionRecord(depth="quick", further=further),
        )
        for further in ({"b": "1", "a": "2"}, {"a": "2", "b": "1"})
    )
    assert to_text([one]) == to_text([other])
    assert from_text(to_text([one])) == {"a": one}
