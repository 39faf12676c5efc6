"""Structural lemmas: statements about qualities, partitions and rules, which SMT solvers prove or refute.

A lemma is data: its goals in SMT-LIB 2, an example that its hypotheses admit, and mutants, false variants that must be
refuted. Examples and counterexamples are replayed on the functions that run, `dpverify.mechanisms`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.kinds.structure import GoalResult, LemmaResult, ReplayResult
from dpverify.reports.record import NOT_RECHECKED, Scope, Status
from dpverify.verifiers.claims import AS_USUAL, AnyClaim, Explanation, How, explained
from dpverify.verifiers.structure.smt import SOLVERS, SolverAnswer, TermValue, proof, script

Values: TypeAlias = Mapping[str, TermValue]
"""The values that a model gives to the terms that were asked for."""

Replay: TypeAlias = Callable[[Values], tuple[bool, str]]
"""True if the lemma holds for the real functions at these values, and their values, in words."""

ALL_SIZES: Final = "all sizes"


@dataclass(frozen=True, kw_only=True)
class Goal:
    """`given` implies `then`, for all values of what is declared: proved where `given` and not `then` is unsatisfiable.

    Formulas are SMT-LIB 2 in the theory `logic`; `declare` is name → sort, "Int" or "(Int) Real" for a function.
    """

    name: str
    logic: str
    declare: Mapping[str, str]
    given: Sequence[str] = ()
    then: str

    @property
    def question(self) -> str:
        """The goal as SMT-LIB 2, which a solver answers with unsat where it holds."""
        return self.counterexample(())

    def counterexample(self, terms: Sequence[str]) -> str:
        """`question`, and the values of the terms."""
        assertions = {**self._hypotheses, "not the conclusion": f"(not {self.then})"}
        return script(self.logic, self._declarations, assertions, terms)

    def admits(self, where: Sequence[str], terms: Sequence[str]) -> str:
        """True where the hypotheses, together with `where`, have a model, and its values of the terms."""
        further = {f"not degenerate, {i}": formula for i, formula in enumerate(where, 1)}
        return script(self.logic, self._declarations, {**self._hypotheses, **further}, terms)

    @property
    def _declarations(self) -> list[str]:
        return [
            f"(declare-fun {name} {sort})" if sort.startswith("(") else f"(declare-const {name} {sort})"
            for name, sort in self.declare.items()
        ]

    @property
    def _hypotheses(self) -> dict[str, str]:
        return {f"hypothesis {i}": formula for i, formula in enumerate(self.given, 1)}


@dataclass(frozen=True, kw_only=True)
class Instance:
    """A small case of a lemma in which all is finite: its hypotheses, and what it says.

    `where` keeps an example from being degenerate, and `terms` are the values that `replay` takes, by the terms' text.
    """

    goal: Goal
    terms: Sequence[str]
    where: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A false variant of a lemma: what was changed, in words, and a finite case in which it fails."""

    change: str
    instance: Instance
    replay: Replay


@dataclass(frozen=True, kw_only=True)
class Lemma(AnyClaim):
    """A statement with the goals that prove it, each for all values of what it declares.

    `scope` is `ALL_SIZES`, or says up to which size and why no further. A lemma that is `expected` to be REFUTED has
    one goal, and `terms` of its counterexample. `example` is a model of the hypotheses, on which `replay` must hold.

    >>> from dpverify.verifiers.structure import Goal, Instance, Mutant
    >>> def replayed(factor, values):
    ...     x = Fraction(values["x"])
    ...     return x * x >= factor * x, f"x = {x}"
    >>> grows, doubles = (
    ...     Goal(name="grows", logic="QF_NIA", declare={"x": "Int"}, given=["(>= x 1)"], then=then)
    ...     for then in ("(>= (* x x) x)", "(>= (* x x) (* 2 x))")
    ... )
    >>> lemma = Lemma(
    ...     id="Lib-1.structure.square",
    ...     goals=[grows],
    ...     example=Instance(goal=grows, terms=["x"], where=["(> x 1)"]),
    ...     replay=lambda values: replayed(1, values),
    ...     mutants=[
    ...         Mutant(
    ...             change="x² ≥ 2x",
    ...             instance=Instance(goal=doubles, terms=["x"]),
    ...             replay=lambda values: replayed(2, values),
    ...         )
    ...     ],
    ... )
    >>> audit([lemma]).claims[0].verdict
    <Status.PROVED: 'PROVED'>
    """

    goals: Sequence[Goal]
    example: Instance
    replay: Replay
    mutants: Sequence[Mutant]
    scope: str = ALL_SIZES
    terms: Sequence[str] = ()
    note: str = ""

    kind: ClassVar[str] = "structure"
    modules: ClassVar[Sequence[str]] = ("z3", "cvc5")

    @property
    def claimed(self) -> str:
        """Sizes for which it is decided."""
        return f"for {self.scope}" if self.scope == ALL_SIZES else self.scope

    def decide(self, how: How = AS_USUAL) -> LemmaResult:
        """The record of its verdict, its example, its counterexample and its mutants."""
        return check_lemma(self)

    def explain(self, how: How = AS_USUAL) -> Explanation:
        goals = "".join(f"\n{goal.question}" for goal in self.goals)
        return explained(self, how, [("goals, each unsatisfiable where it holds", goals)])

    def __post_init__(self) -> None:
        super().__post_init__()
        if not re.fullmatch(r"[A-Za-z0-9]+-[A-Za-z0-9.-]+\.structure\.[a-z0-9-]+", self.id):
            raise InputError(bad_input.FORM, f"id={shown(self.id)}", "<paper>-<number>.structure.<variant>")
        if not self.goals or not self.mutants:
            raise InputError(
                bad_input.NEEDS, f"{self.id}: a lemma", "goals, and mutants that must be refuted", "give both"
            )
        if self.expected is Status.REFUTED and (len(self.goals) != 1 or not self.terms):
            raise InputError(
                bad_input.NEEDS, f"{self.id}: a refuted lemma", "one goal, and terms of its counterexample", "give both"
            )

    @property
    def questions(self) -> dict[str, str]:
        """File name → SMT-LIB 2, of the goals (unsat where they hold), the example and the mutants (sat)."""
        goals = {f"{self.id}.{goal.name}.smt2": goal.question for goal in self.goals}
        example = {f"{self.id}.example.smt2": self.example.goal.admits(self.example.where, self.example.terms)}
        mutants = {
            f"{self.id}.mutant-{i}.smt2": mutant.instance.goal.counterexample(mutant.instance.terms)
            for i, mutant in enumerate(self.mutants, 1)
        }
        return {**goals, **example, **mutants}

    @property
    def proofs(self) -> dict[str, str]:
        """File name → cvc5's proof in CPC, of the goals. Raises `ValueError` where there is none."""
        return {f"{self.id}.{goal.name}.cpc": proof(goal.question).text for goal in self.goals}


def check_lemma(lemma: Lemma) -> LemmaResult:
    """Both solvers on all goals, the example and the mutants; PROVED or REFUTED where they agree, else UNDECIDED.

    >>> from dpverify.verifiers.structure import Goal, Instance, Mutant
    >>> wrong = Goal(name="wrong", logic="QF_LIA", declare={"x": "Int"}, given=["(>= x 1)"], then="(>= x 2)")
    >>> def replayed(values):
    ...     return Fraction(values["x"]) >= 2, f"x = {values['x']}"
    >>> lemma = Lemma(
    ...     id="Lib-1.structure.wrong",
    ...     goals=[wrong],
    ...     terms=["x"],
    ...     example=Instance(goal=wrong, terms=["x"], where=["(> x 1)"]),
    ...     replay=replayed,
    ...     mutants=[Mutant(change="none", instance=Instance(goal=wrong, terms=["x"]), replay=replayed)],
    ... )
    >>> check_lemma(lemma).counterexample.shown
    'x = 1'
    """
    goals = [_goal_result(goal) for goal in lemma.goals]
    status, reason = _status(goals)
    counterexample = None
    if status is Status.REFUTED and lemma.terms:
        counterexample = _replayed(
            lemma.goals[0].counterexample(lemma.terms), lemma.terms, lemma.replay, "as stated", holds=False
        )
    example = _replayed(
        lemma.example.goal.admits(lemma.example.where, lemma.example.terms),
        lemma.example.terms,
        lemma.replay,
        "the hypotheses",
        # an example of a refuted lemma shows that it is not refuted for want of a case in which it holds
        holds=True,
    )
    mutants = [
        _replayed(
            mutant.instance.goal.counterexample(mutant.instance.terms),
            mutant.instance.terms,
            mutant.replay,
            mutant.change,
            holds=False,
        )
        for mutant in lemma.mutants
    ]
    return LemmaResult(
        id=lemma.id,
        mechanism="",
        source=lemma.source,
        statement=lemma.statement,
        scope=_scope(lemma, goals),
        expected=lemma.verdict_expected,
        verdict=status,
        reason=reason,
        refutation=lemma.refuted_as(status),
        goals=goals,
        counterexample=counterexample,
        example=example,
        mutants=mutants,
        note=lemma.note,
    )


def _scope(lemma: Lemma, goals: Sequence[GoalResult]) -> Scope:
    both_answer = all("unknown" not in (goal.z3, goal.cvc5) for goal in goals)
    agree = both_answer and all(goal.z3 == goal.cvc5 for goal in goals)
    done = "decided by" if agree else "asked of"
    text = f"{lemma.scope}, {done} Z3 and {'by' if agree else 'of'} cvc5"
    recheck = "another solver" if both_answer else NOT_RECHECKED
    if lemma.scope == ALL_SIZES:
        return Scope("all", "", recheck, text)
    return Scope("finite", lemma.scope, recheck, text)


def _goal_result(goal: Goal) -> GoalResult:
    answers = {name: ask(goal.question) for name, ask in SOLVERS.items()}
    reasons = "; ".join(f"{name}: {answer.reason}" for name, answer in answers.items() if answer.verdict == "unknown")
    said = {name: answer.verdict for name, answer in answers.items()}
    if said["cvc5"] != "unsat":
        return GoalResult(goal.name, said["z3"], said["cvc5"], reasons)
    try:
        certificate = proof(goal.question)
    except ValueError:  # no proof within the limit: the answer stands without one
        return GoalResult(goal.name, said["z3"], said["cvc5"], reasons)
    return GoalResult(goal.name, said["z3"], said["cvc5"], reasons, certificate.steps, certificate.trusted)


def _status(goals: Sequence[GoalResult]) -> tuple[Status, str]:
    for goal in goals:
        if "unknown" in (goal.z3, goal.cvc5):
            return Status.UNDECIDED, f"{goal.name}: {goal.reason}"
        if goal.z3 != goal.cvc5:
            return Status.UNDECIDED, f"{goal.name}: Z3 says {goal.z3} and cvc5 {goal.cvc5}"
    failing = [goal.name for goal in goals if goal.z3 == "sat"]
    if failing and len(goals) > 1:  # a step that fails leaves the statement open
        return (
            Status.UNDECIDED,
            f"{', '.join(failing)} does not hold, which does not refute what the goals are to prove",
        )
    return (Status.REFUTED if failing else Status.PROVED), ""


def _replayed(text: str, terms: Sequence[str], replay: Replay, what: str, *, holds: bool) -> ReplayResult:
    """A model from each solver, of which Z3's and cvc5's are both replayed, and the first shown."""
    answers: list[SolverAnswer] = [ask(text) for ask in SOLVERS.values()]
    replays: list[tuple[bool, str]] = [
        replay(dict(zip(terms, answer.values, strict=True))) for answer in answers if answer.verdict == "sat"
    ]
    confirmed = len(replays) == len(answers) and all(result is holds for result, _ in replays)
    return ReplayResult(
        what, answers[0].verdict, answers[1].verdict, confirmed, replays[0][1] if replays else "no model"
    )
