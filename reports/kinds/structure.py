"""Structure: what two SMT solvers find of a lemma, and how it is told."""

from collections.abc import Sequence
from typing import Final

import msgspec

from dpverify.reports.kind import Detail, Kind, origin, scope_and_reason, what_is_expected
from dpverify.reports.markdown_text import code
from dpverify.reports.numbers import counted
from dpverify.reports.record import OPEN_VERDICTS, ClaimResult, Status


class GoalResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answers of both solvers on a goal's negation: unsat where the goal holds, sat, or unknown with the reason.

    `steps` and `trusted` are of cvc5's proof, 0 without one; a trusted step is one that no checker can check.
    """

    name: str
    z3: str
    cvc5: str
    reason: str = ""
    steps: int = 0
    trusted: int = 0


class ReplayResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model that both solvers were asked for, and what the functions that run give for it.

    `confirmed`: both gave one, and the functions hold there, for an example, or fail, for a counterexample.
    """

    what: str
    z3: str
    cvc5: str
    confirmed: bool
    shown: str


class LemmaResult(ClaimResult, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="structure"):
    """The answers that a verdict on a lemma rests on, and its example, counterexample and mutants."""

    goals: list[GoalResult]
    counterexample: ReplayResult | None
    example: ReplayResult
    mutants: list[ReplayResult]
    note: str

    @property
    def surprise(self) -> str:
        """Reason why it is not as expected: another verdict, or what is shown is not confirmed."""
        if self.verdict is not self.expected:
            return f"expected {self.expected}"
        if self.verdict is Status.REFUTED and self.counterexample is None:
            return "it is refuted without a counterexample: name the terms of one"
        shown = [self.example, *self.mutants, *([] if self.counterexample is None else [self.counterexample])]
        doubtful = [replay.what for replay in shown if not replay.confirmed]
        return f"not confirmed: {', '.join(doubtful)}" if doubtful else ""

    @property
    def left_open(self) -> bool:
        """True where it is no worse than open."""
        return self.verdict in OPEN_VERDICTS and all(replay.confirmed for replay in (self.example, *self.mutants))


def found(result: LemmaResult) -> str:
    """The answers of the solvers, and the length of the proof."""
    return f"Z3 {_answers([goal.z3 for goal in result.goals])}, cvc5 {_answers([goal.cvc5 for goal in result.goals])}"


def extent(result: LemmaResult) -> str:
    """The number of goals, and how many steps cvc5's proof has."""
    goals = counted(len(result.goals), "goal")
    steps, trusted = sum(goal.steps for goal in result.goals), sum(goal.trusted for goal in result.goals)
    return f"{goals}, {steps:,} steps, {trusted} trusted" if steps else f"{goals}, no proof"


def prose(result: LemmaResult, detail: Detail) -> list[str]:
    """Reason why there is no verdict, and the part that is not confirmed."""
    said = scope_and_reason(result, detail)
    if result.as_expected:
        return said
    shown = [result.example, *result.mutants]
    return [*said, *(f"{replay.what}: {_replayed(replay)}" for replay in shown if not replay.confirmed)]


def background(result: LemmaResult) -> list[str]:
    """All that is known of a lemma, in sentences."""
    return [*origin(result), *details(result)]


def details(result: LemmaResult) -> list[str]:
    """The findings on a lemma, in sentences."""
    return [
        f"Scope: {result.scope.text}.",
        f"Found: {found(result)}, {extent(result)}" + (f"; {result.reason}." if result.reason else "."),
        f"An example: {_replayed(result.example)}.",
        *(f"False variant, {mutant.what}: {_replayed(mutant)}." for mutant in result.mutants),
        *([f"{result.note}."] if result.note else []),
        *what_is_expected(result),
    ]


def witness(result: LemmaResult) -> list[str]:
    """The counterexample, if there is one."""
    return [] if result.counterexample is None else [f"counterexample: {_replayed(result.counterexample)}"]


def appendix(results: Sequence[LemmaResult]) -> list[str]:
    """The assumptions that no solver has read, and what the lemmas add to the papers, in Markdown."""
    bounded = [f"- {code(result.id)}: {result.scope.why}" for result in results if result.scope.extent != "all"]
    notes = [f"- {code(result.id)}: {result.note}." for result in results if result.note]
    return [
        "## Lemmas: what joins the goals",
        "",
        "An induction is its base and its step; that they give the statement for all sizes, that a maximum is",
        "attained and an upper bound, and that a definition means what it says, is read off the goals by a person, and",
        "not by a solver. Sets, shares and counts in replays are Python's where none of the mechanisms has them.",
        "No independent checker has read the proofs here.",
        "",
        "## Lemmas: bounded only",
        "",
        *(bounded or ["None: what is proved above is proved for all sizes."]),
        "",
        *(["## Lemmas: what they add to the papers", "", *notes, ""] if notes else []),
    ]


def _replayed(replay: ReplayResult) -> str:
    return replay.shown if replay.confirmed else f"{replay.shown} (NOT CONFIRMED; Z3 {replay.z3}, cvc5 {replay.cvc5})"


def _answers(answers: Sequence[str]) -> str:
    return ", ".join(sorted(set(answers)))


KIND: Final = Kind(
    name="structure",
    rank=4,
    result=LemmaResult,
    claimed=lambda result: "for all sizes" if result.scope.extent == "all" else result.scope.why,
    found=found,
    extent=extent,
    prose=prose,
    background=background,
    witness=witness,
    appendix=appendix,
    page={"details": details},
)
