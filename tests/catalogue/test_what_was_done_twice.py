"""Of each lemma and each step of the catalogue: what its record says was done a second time is what was done."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from flint import ctx
from tests.adversary.tally import deep

from dpverify.reports.kinds.step import StepResult
from dpverify.reports.kinds.structure import ReplayResult
from dpverify.reports.record import NOT_RECHECKED, Scope, Status
from dpverify.verifiers import Lemma, Step, check_lemma
from dpverify.verifiers.catalogue import lemmas, steps
from dpverify.verifiers.steps.question import point_in_words
from dpverify.verifiers.steps.terms import Relation
from dpverify.verifiers.structure import Goal, smt
from dpverify.verifiers.structure import lemma as lemma_module
from dpverify.verifiers.structure.smt import Proof, SolverAnswer

# --- Steps: which bits a conclusion was evaluated to, at which points


class Evaluated(NamedTuple):
    """A relation that was evaluated: at a point, to so many bits, and whether it holds there."""

    relation: str
    point: str
    bits: int
    holds: bool | None


def bits_that_refute(step: Step, result: StepResult, evaluations: Iterable[Evaluated]) -> set[int]:
    """To which bits the conclusion was found false at the point that the record shows."""
    assert result.counterexample is not None
    said, point = str(step.question.says), result.counterexample.parameters
    return {one.bits for one in evaluations if (one.relation, one.point, one.holds) == (said, point, False)}


@pytest.fixture
def evaluations(monkeypatch: pytest.MonkeyPatch) -> list[Evaluated]:
    noted: list[Evaluated] = []
    certainly = Relation.certainly

    def noting(relation: Relation, values: Mapping[str, Fraction]) -> bool | None:
        found = certainly(relation, values)
        noted.append(Evaluated(str(relation), point_in_words(values), ctx.prec, found))
        return found

    monkeypatch.setattr(Relation, "certainly", noting)
    return noted


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Which solver was asked what; it answers as the lemma of the question is expected to come out."""
    noted: list[tuple[str, str]] = []

    def answering(name: str) -> Callable[[str], SolverAnswer]:
        def ask(text: str) -> SolverAnswer:
            noted.append((name, text))
            return SolverAnswer("unsat" if EXPECTED.get(text) is Status.PROVED else "sat")

        return ask

    monkeypatch.setattr(lemma_module, "SOLVERS", {name: answering(name) for name in smt.SOLVERS})
    monkeypatch.setattr(lemma_module, "proof", no_proof)
    monkeypatch.setattr(lemma_module, "_replayed", lambda *given, **how: ReplayResult("", "sat", "sat", True, ""))
    return noted


def no_proof(text: str) -> Proof:
    raise ValueError("none is written here")


LEMMAS, STEPS = lemmas(), steps()
EXPECTED = {goal.question: lemma.verdict_expected for lemma in LEMMAS for goal in lemma.goals}


def test_steps(evaluations: list[Evaluated], asked: list[tuple[str, str]]) -> None:
    said: dict[Status, set[str]] = {}
    some = STEPS if deep() else STEPS[::6]
    for step in some:
        evaluations.clear()
        result = step.decide()
        said.setdefault(result.verdict, set()).add(result.scope.recomputation)
        if result.verdict is Status.REFUTED:
            bits = bits_that_refute(step, result, evaluations)
            assert bits == {128, 1024}, f"{step.id} was evaluated to {bits} bits"
            assert result.scope.text == "one rational point, evaluated to 128 and to 1024 bits"
        else:
            assert "bits" not in result.scope.text
    assert said == {Status.REFUTED: {"higher precision"}, Status.PROVED: {NOT_RECHECKED}}
    assert sum(step.verdict_expected is Status.REFUTED for step in STEPS) >= 22
    assert asked == [], "no solver decides a step"


def test_lemmas(asked: list[tuple[str, str]]) -> None:
    assert len(LEMMAS) >= 34
    for lemma in LEMMAS:
        asked.clear()
        result = check_lemma(lemma)
        assert result.verdict is lemma.verdict_expected
        for goal in lemma.goals:
            assert [name for name, text in asked if text == goal.question] == ["z3", "cvc5"], lemma.id
        assert result.scope.recomputation == "another solver"
        assert result.scope.text == f"{lemma.scope}, decided by Z3 and by cvc5"


@pytest.mark.parametrize(
    ("z3", "cvc5", "recheck", "text"),
    [
        ("unsat", "unsat", "another solver", "all sizes, decided by Z3 and by cvc5"),
        ("sat", "sat", "another solver", "all sizes, decided by Z3 and by cvc5"),
        ("unsat", "unknown", NOT_RECHECKED, "all sizes, asked of Z3 and of cvc5"),
        ("unknown", "sat", NOT_RECHECKED, "all sizes, asked of Z3 and of cvc5"),
        ("unknown", "unknown", NOT_RECHECKED, "all sizes, asked of Z3 and of cvc5"),
        ("unsat", "sat", "another solver", "all sizes, asked of Z3 and of cvc5"),
    ],
)
def test_a_lemma_of_which_a_solver_says_nothing_was_not_decided_twice(
    asked: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch, z3: Any, cvc5: Any, recheck: str, text: str
) -> None:
    solvers = {"z3": lambda _: SolverAnswer(z3), "cvc5": lambda _: SolverAnswer(cvc5)}
    monkeypatch.setattr(lemma_module, "SOLVERS", solvers)
    goal = Goal(name="any", logic="QF_LIA", declare={}, then="true")
    given = {name: getattr(LEMMAS[0], name) for name in ("example", "replay", "mutants")}
    result = check_lemma(Lemma(id="Test-1.structure.any", goals=[goal], **given))
    assert result.scope == Scope("all", "", recheck, text)
    assert (result.verdict is Status.UNDECIDED) == (z3 != cvc5 or z3 == "unknown")
