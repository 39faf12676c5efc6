"""What was found of structural lemmas: plain data, JSON, lines for a terminal, and a page."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from dpverify.reports.markdown import cell, code, rows_not_decided
from dpverify.reports.record import OPEN_VERDICTS, NotDecided, Status, json_of, no_truth_value
from dpverify.reports.summary import headline_of


class GoalResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What both solvers say of a goal's negation: unsat where the goal holds, sat, or unknown with the reason.

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


class LemmaResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lemma's verdict, the answers it rests on, and its example, counterexample and mutants."""

    id: str
    source: str
    statement: str
    scope: str
    expected: Status
    verdict: Status
    reason: str
    goals: list[GoalResult]
    counterexample: ReplayResult | None
    example: ReplayResult
    mutants: list[ReplayResult]
    note: str = ""

    def __bool__(self) -> bool:
        return no_truth_value("the result of a lemma", "result.verdict is Status.PROVED, or result.as_expected")

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one, and example, counterexample and mutants are confirmed."""
        shown = [self.example, *self.mutants, *([] if self.counterexample is None else [self.counterexample])]
        refuted = self.verdict is not Status.REFUTED or self.counterexample is not None
        return self.verdict is self.expected and refuted and all(replay.confirmed for replay in shown)

    @property
    def left_open(self) -> bool:
        """Whether it is no worse than open."""
        return self.verdict in OPEN_VERDICTS and all(replay.confirmed for replay in (self.example, *self.mutants))


def lemmas_json(results: Sequence[LemmaResult], not_decided: Sequence[NotDecided] = ()) -> str:
    """The results as JSON, and what is not decided, if anything is not."""
    return json_of("lemmas", results, not_decided)


def lemma_lines(result: LemmaResult, width: int = 0, *, verbose: bool = False) -> list[str]:
    """A lemma in a line, its id padded to `width`, and below it what refutes it, and with `verbose` all the rest."""
    steps, trusted = sum(goal.steps for goal in result.goals), sum(goal.trusted for goal in result.goals)
    proof = f"proof of {steps:,} steps, {trusted} trusted" if steps else "no proof"
    expected = "  (expected)" if result.expected is not Status.PROVED and result.as_expected else ""
    lines = [
        f"{result.verdict.value:<10} {result.id:<{width}}  {result.scope:<10} {len(result.goals):>2} "
        f"goal{'s' if len(result.goals) > 1 else ' '}  Z3 {_answers([goal.z3 for goal in result.goals]):<6} "
        f"cvc5 {_answers([goal.cvc5 for goal in result.goals]):<6} {proof}{expected}"
    ]
    below = [result.reason] if result.reason else []
    if result.counterexample is not None:
        below.append(f"counterexample: {_replayed(result.counterexample)}")
    if verbose:
        below += [result.statement, result.source, f"an example: {_replayed(result.example)}"]
        below += [f"false variant, {mutant.what}: {_replayed(mutant)}" for mutant in result.mutants]
        below += [result.note] if result.note else []
    elif not result.as_expected:
        shown = [result.example, *result.mutants]
        below += [f"{replay.what}: {_replayed(replay)}" for replay in shown if not replay.confirmed]
    if not result.as_expected:
        below.append(f"not as expected: {result.expected.value}, with example and false variants confirmed, is")
    return [*lines, *(f"    {text}" for text in below)]


def lemmas_markdown(results: Sequence[LemmaResult], not_decided: Sequence[NotDecided] = ()) -> str:
    """The table of lemmas, and what is bounded only, in Markdown."""
    lines = [
        "# Structural lemmas",
        "",
        "Each lemma is proved by its goals, for all values of what they declare: each goal's negation, the same",
        "SMT-LIB 2 text, is unsatisfiable for Z3 and for cvc5. A model of the hypotheses, and a counterexample to each",
        "false variant, are asked of both and replayed on the functions that run. `dpverify lemmas --smt2 FOLDER`",
        "writes all questions, for a third solver, and `--proofs FOLDER` cvc5's proofs, in its format CPC; a trusted",
        "step would be one that no checker can check.",
        "",
        headline_of(results, "lemma", len(not_decided)) + ".",
        "",
        "| lemma | verdict | holds for | goals | Z3 | cvc5 | steps of the proof, trusted | false variants, refuted |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for result in results:
        mutants = "; ".join(f"{mutant.what}: {mutant.shown}" for mutant in result.mutants)
        refuted = "" if result.counterexample is None else f" Counterexample: {result.counterexample.shown}."
        verdict = result.verdict.value if result.verdict is Status.PROVED else f"**{result.verdict.value}**"
        steps, trusted = sum(goal.steps for goal in result.goals), sum(goal.trusted for goal in result.goals)
        proof = f"{steps:,}, {trusted}" if steps else ""
        cells = [
            f"{code(result.id)}: {result.statement}. {result.source}.{refuted}",
            verdict,
            result.scope,
            str(len(result.goals)),
            _answers([goal.z3 for goal in result.goals]),
            _answers([goal.cvc5 for goal in result.goals]),
            proof,
            mutants,
        ]
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    bounded = [f"- {code(result.id)}: {result.scope}" for result in results if result.scope != "all sizes"]
    lines += ["", "## Bounded only", "", *(bounded or ["None: what is proved above is proved for all sizes."])]
    lines += [
        "",
        "## What joins the goals",
        "",
        "An induction is its base and its step; that they give the statement for all sizes, that a maximum is",
        "attained and an upper bound, and that a definition means what it says, is read off the goals by a person, and",
        "not by a solver. Sets, shares and counts in replays are Python's where none of the mechanisms has them.",
        "No independent checker has read the proofs here.",
    ]
    lines += ["", "## What they add to the papers", ""]
    lines += [f"- {code(result.id)}: {result.note}." for result in results if result.note]
    return "\n".join([*lines, "", *rows_not_decided(not_decided)])


def _replayed(replay: ReplayResult) -> str:
    return replay.shown if replay.confirmed else f"{replay.shown} (NOT CONFIRMED; Z3 {replay.z3}, cvc5 {replay.cvc5})"


def _answers(answers: Sequence[str]) -> str:
    return ", ".join(sorted(set(answers)))
