"""Lemmas: all verdicts, and what becomes of false ones, vacuous ones and solvers that give up."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.examples import in_one

from dpverify.mechanisms import InputError
from dpverify.reports.audits.json_form import read_audit
from dpverify.reports.kinds.structure import LemmaResult, appendix
from dpverify.reports.record import Status
from dpverify.verifiers.auditing import selection
from dpverify.verifiers.catalogue import lemmas
from dpverify.verifiers.command_line import main
from dpverify.verifiers.structure import lemma as lemma_module
from dpverify.verifiers.structure import smt
from dpverify.verifiers.structure.lemma import Goal, Instance, Lemma, Mutant, Values, check_lemma
from dpverify.verifiers.structure.smt import SOLVERS, ask_cvc5, ask_z3, proof, script

pytestmark = pytest.mark.usefixtures("decided_here")

LEMMAS = lemmas()
AUDIT = Path(__file__).parents[3] / "reports" / "results" / "audit.json"


def test_both_solvers_agree_on_all_goals_with_proofs_without_trusted_steps() -> None:
    """Of the committed audit; each lemma is decided, and compared with it, in claims_catalogue.py."""
    results = {result.id: result for result in read_audit(AUDIT.read_bytes()).claims if isinstance(result, LemmaResult)}
    assert {name: result.statement for name, result in results.items()} == {
        lemma.id: lemma.statement for lemma in LEMMAS
    }, "make report"
    for lemma in LEMMAS:
        result = results[lemma.id]
        assert result.as_expected, result
        wanted = "unsat" if lemma.expected is Status.PROVED else "sat"
        assert all(goal.z3 == goal.cvc5 == wanted for goal in result.goals)
        if lemma.expected is Status.PROVED:
            assert all(goal.steps and not goal.trusted for goal in result.goals)
        assert all(mutant.confirmed for mutant in result.mutants)


def test_ids_are_distinct_and_so_are_the_files() -> None:
    assert len({lemma.id for lemma in LEMMAS}) == len(LEMMAS)
    files = [name for lemma in LEMMAS for name in lemma.questions]
    assert len(set(files)) == len(files)


@pytest.mark.one_in(3)
@in_one("lemma", LEMMAS)
def test_no_goal_is_vacuous(lemma: Lemma) -> None:
    """The hypotheses of each goal can be met: but for `then="false"`, where what they rule out is the point."""
    for goal in lemma.goals:
        if goal.then != "false":
            assert ask_z3(goal.admits((), ())).verdict == "sat", goal.name


# A lemma made for these tests: x ≥ 1 gives x² ≥ x, on whole numbers.
GROWS = Goal(
    name="grows", logic="QF_NIA", declare={"x": "Int"}, given=("(>= x 1)", "(<= x 9)"), then="(>= (* x x) (* 1 x))"
)
TOO_MUCH = replace(GROWS, name="too-much", then="(>= (* x x) (* 2 x))")


def is_square_at_least(factor: int, values: Values) -> tuple[bool, str]:
    x = Fraction(values["x"])
    return x * x >= factor * x, f"x = {x}"


TRUE = Lemma(
    id="Test-1.structure.square",
    source="by hand",
    statement="x² ≥ x for x ≥ 1",
    goals=(GROWS,),
    example=Instance(goal=GROWS, terms=("x",), where=("(> x 1)",)),
    replay=partial(is_square_at_least, 1),
    mutants=(
        Mutant(change="x² ≥ 2x", instance=Instance(goal=TOO_MUCH, terms=("x",)), replay=partial(is_square_at_least, 2)),
    ),
)


def test_a_true_lemma_is_proved() -> None:
    assert check_lemma(TRUE).as_expected


def test_a_false_lemma_is_refuted_and_not_as_expected() -> None:
    false = replace(TRUE, goals=(TOO_MUCH,), terms=("x",), replay=partial(is_square_at_least, 2))
    result = check_lemma(false)
    assert result.verdict is Status.REFUTED
    assert not result.as_expected
    assert result.counterexample is not None
    assert result.counterexample.shown == "x = 1"
    assert check_lemma(replace(false, expected=Status.REFUTED)).as_expected


def test_a_false_lemma_without_terms_is_never_as_expected() -> None:
    assert not check_lemma(replace(TRUE, goals=(TOO_MUCH,))).as_expected


def test_hypotheses_that_nothing_meets_are_noticed() -> None:
    nothing = replace(GROWS, given=("(> x x)",))
    result = check_lemma(replace(TRUE, goals=(nothing,), example=Instance(goal=nothing, terms=("x",))))
    assert result.verdict is Status.PROVED
    assert not result.example.confirmed
    assert not result.as_expected


def test_a_mutant_that_holds_is_noticed() -> None:
    (mutant,) = TRUE.mutants
    result = check_lemma(replace(TRUE, mutants=(replace(mutant, instance=Instance(goal=GROWS, terms=("x",))),)))
    assert not result.as_expected


def test_a_counterexample_that_the_functions_do_not_confirm_is_noticed() -> None:
    """The proof speaks of something else than what runs."""
    (mutant,) = TRUE.mutants
    elsewhere = replace(TRUE, mutants=(replace(mutant, replay=partial(is_square_at_least, 0)),))
    assert not check_lemma(elsewhere).as_expected
    assert not check_lemma(replace(TRUE, replay=partial(is_square_at_least, 99))).as_expected


@pytest.mark.parametrize("told", [(True, True), (True, False), (False, True)])
def test_the_models_of_both_solvers_are_replayed(told: tuple[bool, bool]) -> None:
    answers = iter(told)

    result = check_lemma(replace(TRUE, replay=lambda values: (next(answers), "")))
    assert result.verdict is Status.PROVED
    assert result.example.confirmed == all(told)


SUM_OF_CUBES = Goal(
    name="cubes",
    logic="QF_NIA",
    declare=dict.fromkeys("xyz", "Int"),
    then="(not (= (+ (* x x x) (* y y y) (* z z z)) 42))",
)


def test_solvers_that_give_up_leave_a_lemma_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    limited: Mapping[str, Any] = {"z3": partial(ask_z3, rlimit=20_000), "cvc5": partial(ask_cvc5, rlimit=2_000)}
    monkeypatch.setattr(lemma_module, "SOLVERS", limited)
    result = check_lemma(replace(TRUE, goals=(SUM_OF_CUBES,)))
    assert result.verdict is Status.UNDECIDED
    assert "z3: " in result.reason
    assert "cvc5: resourceout" in result.reason
    assert not result.as_expected


def test_solvers_that_disagree_leave_a_lemma_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    liar = {"z3": ask_z3, "cvc5": lambda text: ask_cvc5(text.replace("(assert (not", "(assert (and"))}
    monkeypatch.setattr(lemma_module, "SOLVERS", liar)
    result = check_lemma(TRUE)
    assert result.verdict is Status.UNDECIDED
    assert "grows: Z3 says unsat and cvc5 sat" in result.reason


@pytest.mark.parametrize("name", SOLVERS)
def test_answers(name: str) -> None:
    ask = SOLVERS[name]
    declared = ["(declare-fun f (Int) Real)", "(declare-const b Bool)", "(declare-const n Int)"]
    told = ask(
        script(
            "QF_UFLIRA",
            declared,
            {"one": "(= (f 0) (/ (- 4.0) 3.0))", "two": "b", "three": "(= n (- 7))"},
            ["(f 0)", "b", "n"],
        )
    )
    assert told.verdict == "sat"
    assert told.values == (Fraction(-4, 3), True, Fraction(-7))
    assert ask(script("QF_UFLIRA", declared, {"none": "(and b (not b))"}, ["b"])).verdict == "unsat"
    with pytest.raises(ValueError, match="does not accept"):
        ask(script("QF_LIA", [], {"bad": "(> undeclared 1)"}))


def test_proofs_say_whether_steps_are_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    found = proof(GROWS.question)
    assert found.steps > 10
    assert found.trusted == 0
    assert "(declare-const x Int)" in found.text
    with pytest.raises(ValueError, match="does not refute"):
        proof(TOO_MUCH.question)
    monkeypatch.setattr(smt, "_PROVING", {"produce-proofs": "true", "proof-granularity": "macro"})
    coarser = proof.__wrapped__(GROWS.question)
    assert 0 < coarser.trusted < coarser.steps


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"id": "no-lemma"}, r"is not of the form .*-.*\.structure\..*"),
        ({"goals": ()}, "lemma needs goals, and mutants that must be refuted"),
        ({"mutants": ()}, "mutants that must be refuted"),
        ({"expected": Status.REFUTED}, "terms of its counterexample"),
    ],
)
def test_lemmas_that_are_none(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        replace(TRUE, **changed)


def test_a_bounded_lemma_is_listed_as_such() -> None:
    page = "\n".join(appendix([check_lemma(replace(TRUE, scope="x up to 9, as nobody asked for more"))]))
    assert "## Lemmas: bounded only\n\n- `Test-1.structure.square`: x up to 9, as nobody asked for more" in page
    assert "None: what is proved above" in "\n".join(appendix([check_lemma(TRUE)]))


@pytest.mark.deep
def test_the_command(tmp_path: Path) -> None:
    smt2, proofs, page = tmp_path / "smt2", tmp_path / "proofs", tmp_path / "lemmas.md"
    given = ["lemmas", "BNS-J-3.14.*", "HRS-Fig2*", "--verbose"]
    done = CliRunner().invoke(main, [*given, "--smt2", str(smt2), "--proofs", str(proofs), "--markdown", str(page)])
    assert done.exit_code == 0, done.output
    assert "4 claims: 3 PROVED, 1 REFUTED; all as expected" in done.output
    assert "counterexample: f = " in done.output
    assert "False variant, 4K + 2 points: K = " in done.output
    chosen = [lemma for lemma in LEMMAS if lemma.id.startswith(("BNS-J-3.14.", "HRS-Fig2"))]
    assert {path.name for path in smt2.iterdir()} == {name for lemma in chosen for name in lemma.questions}
    question = (smt2 / "BNS-J-3.14.structure.covering.covered.smt2").read_text(encoding="utf-8")
    assert ask_cvc5(question).verdict == "unsat"
    assert len(list(proofs.iterdir())) == sum(len(lemma.goals) for lemma in chosen if lemma.expected is Status.PROVED)
    assert page.read_text(encoding="utf-8").startswith("# dpverify audit")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "the catalogue have no claim nothing: see `dpverify list`"),
        (["--markdown", "/no/where.md"], "there is no folder"),
        (["BNS-J-2.26*", "--smt2", __file__], "it is no folder"),
        (["BNS-J-2.26*", "--smt2", "/proc/none"], "none: No such file or directory"),
    ],
)
def test_bad_usage(arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(main, ["lemmas", *arguments])
    assert done.exit_code == 2
    assert words in done.output


def test_the_command_says_what_is_not_as_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    false = replace(TRUE, goals=(TOO_MUCH,), terms=("x",), replay=partial(is_square_at_least, 2))
    monkeypatch.setattr(selection, "catalogue", lambda: (false,))
    done = CliRunner().invoke(main, ["lemmas", "--catalogue"])
    assert done.exit_code == 1
    assert "1 claim: 1 REFUTED; 1 not as expected" in done.output
    monkeypatch.setattr(selection, "catalogue", lambda: (replace(TRUE, goals=(SUM_OF_CUBES,)),))
    monkeypatch.setattr(
        lemma_module, "SOLVERS", {"z3": partial(ask_z3, rlimit=2_000), "cvc5": partial(ask_cvc5, rlimit=2_000)}
    )
    assert CliRunner().invoke(main, ["lemmas", "--catalogue"]).exit_code == 3


def test_a_step_that_fails_refutes_nothing() -> None:
    result = check_lemma(replace(TRUE, goals=(GROWS, TOO_MUCH)))
    assert result.verdict is Status.UNDECIDED
    assert result.reason == "too-much does not hold, which does not refute what the goals are to prove"


def test_an_answer_stands_without_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(text: str) -> None:
        raise ValueError("cvc5 does not refute: unknown")

    monkeypatch.setattr(lemma_module, "proof", none)
    result = check_lemma(TRUE)
    assert result.verdict is Status.PROVED
    assert [goal.steps for goal in result.goals] == [0]
