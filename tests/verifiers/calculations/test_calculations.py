"""The kind of claims for calculations: verdicts beside brute force, mutants, bad input, every report."""

import operator
import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import InputError, Undecided, exp, log
from dpverify.reports.audits.json_form import result_from_json, result_to_json
from dpverify.reports.kinds import kind_of
from dpverify.reports.record import BrokenVariant
from dpverify.verifiers import Status, audit
from dpverify.verifiers.calculations import Calculation
from dpverify.verifiers.calculations.claim import changed
from dpverify.verifiers.catalogue.sanitizers.any_sanitizer import failure_at_least, lost_at_least
from dpverify.verifiers.claims import How
from dpverify.verifiers.command_line import main
from dpverify.verifiers.lower_bounds import Broken
from dpverify.verifiers.utility import Sharpness

FALSE = (Broken("never", {"computed": lambda: 10**9, "at_most": None, "at_least": None, "equals": 0}),)


def calculation(computed: Callable[..., Any], *cases: Mapping[str, Any], **given: Any) -> Calculation:
    return Calculation(**{"id": "toy.value", "computed": computed, "cases": cases or ({},), "mutants": FALSE, **given})


@settings(max_examples=60)
@given(st.lists(st.tuples(st.fractions(), st.fractions()), min_size=1, max_size=4, unique=True), st.sampled_from("≤≥="))
def test_the_verdict_is_that_of_the_comparisons_one_by_one(pairs: list[tuple[Fraction, Fraction]], sign: str) -> None:
    relations = {"≤": ("at_most", operator.le), "≥": ("at_least", operator.ge), "=": ("equals", operator.eq)}
    name, holds = relations[sign]
    claim = calculation(lambda a: a, *({"a": a, "b": b} for a, b in pairs), **{name: lambda b: b})
    failing = [i for i, pair in enumerate(pairs, 1) if not holds(*pair)]
    result = claim.decide()
    assert result.verdict is (Status.REFUTED if failing else Status.PROVED)
    assert result.cases == (failing[0] if failing else len(pairs))
    assert (result.counterexample is not None) == bool(failing)
    assert (claim.relation, result.relation) == (sign, sign)


@in_one(
    "computed, given, verdict",
    [
        (lambda: exp(-1) * exp(1), {"equals": 1}, Status.PROVED),
        (lambda: log(2), {"at_most": "0.6931471806"}, Status.PROVED),
        (lambda: log(2), {"at_most": "0.6931471805"}, Status.REFUTED),
        (lambda: log(2), {"equals": "0.6931471805"}, Status.REFUTED),
        (lambda: (1, 2), {"at_most": (1, 2)}, Status.PROVED),
        (lambda: (1, 2), {"at_most": (2, 1)}, Status.REFUTED),
        (lambda: 1 - exp(-40), {"at_least": 1}, Status.REFUTED),
    ],
)
def test_numbers_are_compared_exactly(computed: Callable[[], Any], given: dict[str, Any], verdict: Status) -> None:
    assert calculation(computed, **given).decide().verdict is verdict


def test_a_refutation_has_both_values_and_a_proof_the_case_that_comes_nearest() -> None:
    claim = calculation(lambda n: n * n, *({"n": n} for n in range(1, 6)), at_most=lambda n: 4 * n)
    result = claim.decide()
    assert result.verdict is Status.REFUTED
    assert kind_of(result).witness(result) == ["n = 5", "computed  25", "claimed ≤ 20"]
    proved = replace(claim, cases=[{"n": n} for n in range(1, 4)]).decide()
    assert proved.nearest is not None
    assert (proved.verdict, proved.nearest.case, proved.ratio) == (Status.PROVED, "n = 3", 0.75)
    least_that_holds = replace(claim, computed=lambda n: 4 * n, at_least=lambda n: n * n, at_most=None)
    least = least_that_holds.decide()
    assert least.counterexample is not None
    most_used = replace(least_that_holds, cases=[{"n": n} for n in (1, 2, 3)]).decide()
    assert most_used.nearest is not None
    assert (most_used.nearest.case, most_used.ratio) == ("n = 3", 0.75)
    assert least.counterexample.case == "n = 5"


def test_a_mutant_that_is_not_refuted_is_an_error() -> None:
    kept = Broken("as it is", {"computed": lambda n: n})
    claim = calculation(lambda n: n, {"n": 3}, equals=3, mutants=[kept, Broken("one more", {"equals": 4})])
    result = audit([claim]).claims[0]
    assert result.verdict is Status.PROVED
    assert result.surprise == "its mutant, as it is, is PROVED: the check cannot fail"
    assert not result.left_open
    fine = replace(claim, mutants=claim.mutants[1:]).decide()
    assert fine.as_expected
    assert fine.mutants == [BrokenVariant("one more", Status.REFUTED, "n = 3: 3, claimed = 4")]


def test_a_comparison_that_cannot_be_decided_leaves_it_open_and_another_verdict_is_a_surprise() -> None:
    def open_at_two(n: int) -> int:
        if n == 2:
            raise Undecided("nobody knows")
        return n

    claim = calculation(open_at_two, *({"n": n} for n in (1, 2, 3)), at_most=3)
    result = claim.decide()
    assert (result.verdict, result.reason, result.left_open) == (Status.UNDECIDED, "n = 2: nobody knows", True)
    refuted = replace(claim, at_most=2).decide()
    assert (refuted.verdict, refuted.surprise, refuted.left_open) == (Status.REFUTED, "expected PROVED", False)


def test_the_least_size_and_whether_a_claim_is_loose() -> None:
    sharpness = Sharpness(what="rows", paper=50, family=lambda n: [{"rows": n, "epsilon": Fraction(1)}])
    claim = calculation(
        lambda rows, epsilon: exp(-epsilon * rows),
        {"rows": 50, "epsilon": Fraction(1)},
        at_most=Fraction(1, 1000),
        sharpness=sharpness,
    )
    result = claim.decide(How(slack=True))
    assert result.sharpness is not None
    assert (result.sharpness.smallest, result.sharpness.half_epsilon, result.loose) == (7, Status.REFUTED, False)
    assert result.sharpness.is_least
    assert replace(claim, sharpness=None).decide(How(slack=True)).loose
    assert claim.decide().loose is None
    assert replace(claim, sharpness=replace(sharpness, paper=6)).decide().sharpness.smallest is None  # type: ignore[union-attr]


@in_one(
    "change, said",
    [
        ({"equals": None}, "needs one of equals=, at_most= and at_least=: give"),
        ({"at_most": 1}, "equals= and at_most= exclude each other: leave out one of them"),
        ({"cases": []}, "at least one"),
        ({"cases": [3]}, "each case needs parameters"),
        ({"cases": iter([{}])}, "is not a list of mappings"),
        ({"computed": 3}, "computed=3 is not a function"),
        ({"mutants": ()}, "a claim that holds needs mutants"),
        ({"mutants": [3]}, "with a name of at_least, at_most, cases, computed"),
        ({"mutants": [Broken("x", {"computd": lambda n: n})]}, "the field 'computd' of the mutant 'x' is none of at"),
        ({"cases": [{"n": 2, "m": 1}, {"m": 1, "n": Fraction(2)}]}, "toy.value: cases holds m = 1, n = 2 twice"),
        ({"equals": None, "at_most": 0.5}, "toy.value: at_most=0.5 is a float"),
        ({"cases": [{"n": 0.5}]}, "toy.value, on n = 0.5: computed=0.5 is a float"),
        ({"computed": lambda m: m}, "computed needs m: add it to the case, which gives n"),
        ({"computed": lambda n: (n, n)}, "2 numbers of computed do not fit 1 of equals"),
        ({"computed": lambda n: n // 0}, "computed raised ZeroDivisionError"),
    ],
)
def test_bad_input_is_named(change: dict[str, Any], said: str) -> None:
    good = {"id": "toy.value", "computed": lambda n: n, "cases": [{"n": 2}], "equals": 2, "mutants": FALSE}
    with pytest.raises(InputError) as raised:
        Calculation(**{**good, **change}).decide()
    assert said in str(raised.value)


def keeps_a_count(n: int, seen: dict[int, int] = defaultdict(int)) -> int:  # noqa: B006
    seen[n] += 1
    return len(seen)


def keeps_a_list(n: int) -> int:
    _SEEN.append(n)
    return len(_SEEN)


def opens_nothing(n: int) -> int:
    with nullcontext():
        return n


def keeps_a_list_outside(n: int) -> int:
    with nullcontext():
        _SEEN.append(n)
        return n


_SEEN: list[int] = []


@in_one(
    "computed, said",
    [
        (keeps_a_count, "changed"),
        (keeps_a_list, "changed"),
        (keeps_a_list_outside, "changed"),
        (lambda n: n + (random.random() < 1e-9), "draws"),
        (lambda n: changed(keeps_a_list, "n", int)(n=n), "changed"),
    ],
)
def test_what_is_computed_keeps_nothing_and_draws_nothing(computed: Callable[..., Any], said: str) -> None:
    _SEEN.clear()
    for name in ("computed", "at_most"):
        fields: dict[str, Any] = {"computed": lambda n: 0, "at_most": 9, name: computed}
        with pytest.raises(InputError, match=said):
            calculation(fields.pop("computed"), {"n": 1}, {"n": 2}, **fields).decide()


@in_one(
    "computed, verdict, said",
    [
        (lambda n: n, Status.PROVED, ""),
        (opens_nothing, Status.CHECKED, "no counterexample in these runs; outside the language: with at line"),
        (lambda n, **own: 0 * n + lost_at_least(**own), Status.CHECKED, "no counterexample in these runs; outside"),
        (lost_at_least, Status.PROVED, ""),
    ],
)
def test_what_runs_as_it_is_written_is_checked_unless_it_is_this_librarys(
    computed: Callable[..., Any], verdict: Status, said: str
) -> None:
    parts = {"parts": 1, "rows_of_part": 2, "share": Fraction(1, 2), "fails": Fraction(1, 2)}
    case = parts if computed is lost_at_least else {"n": 1} if computed is opens_nothing else {"n": 1, **parts}
    result = calculation(computed, case, at_most=2).decide()
    assert result.verdict is verdict
    assert said in result.reason
    assert ("outside the language" in result.scope.text) is (computed is lost_at_least or verdict is Status.CHECKED)


def test_code_of_ones_own_that_a_case_gives_to_this_librarys_runs_as_it_is_written() -> None:
    given = {"size": None, "released": None, "allowed": 0, "population": (((0, 0), Fraction(1)),)}
    concepts = (lambda x: 0 * x, lambda x: x)
    result = calculation(failure_at_least, {"concepts": concepts, **given}, at_most=0).decide()
    assert result.verdict is Status.CHECKED


FILE = """
from fractions import Fraction
from dpverify.verifiers.calculations import Calculation
from dpverify.verifiers.lower_bounds import Broken

pairs = Calculation(id="lib.pairs", statement="pairs", computed=lambda n: n * (n - 1), at_most=lambda n: n * n,
    cases=[{"n": n} for n in (1, 2, 3)], mutants=[Broken("more", {"computed": lambda n: n * n + 1})])
false = Calculation(id="lib.false", computed=lambda n: n, equals=2, cases=[{"n": 3}], expected="REFUTED")
"""


def test_every_command_and_report_tells_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims_toy.py").write_text(FILE)
    reports = {"--html": "a.html", "--markdown": "a.md", "--sarif": "a.sarif", "--junit": "a.xml", "--json": "a.json"}
    options = [part for pair in reports.items() for part in pair]
    run = CliRunner().invoke(main, ["audit", "claims_toy.py", "--kind", "calculation", *options])
    assert run.exit_code == 0, run.output
    assert "lib.pairs" in run.output
    assert "≤ 9" in run.output
    assert "computed  3" in run.output
    for name in reports.values():
        assert "lib.pairs" in (tmp_path / name).read_text("utf-8") or name == "a.sarif"
    assert "n = 3: 6, claimed ≤ 9" in (tmp_path / "a.html").read_text("utf-8")
    explained = CliRunner().invoke(main, ["explain", "lib.pairs", "claims_toy.py"])
    assert "Broken, more: REFUTED, n = 1: 2, claimed ≤ 1" in explained.output
    assert "calculation" in CliRunner().invoke(main, ["list", "claims_toy.py"]).output


def test_its_record_is_read_back() -> None:
    result = calculation(lambda n: n, {"n": 2}, equals=2).decide()
    assert result_from_json(result_to_json(result)) == result
