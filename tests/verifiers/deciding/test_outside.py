"""Code outside the language is run twice and CHECKED at best, where that is asked for; with what the records say of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np
import pytest
from docs.pages.language_examples import TRAPS, Trap
from docs.pages.language_page import module_of
from tests.mechanisms.drawing.ways_out import STOPPED, WAYS, Way
from tests.verifiers.utility.made_for_tests import ENUMERATED

from dpverify.mechanisms import Distribution, InputError, bernoulli, discrete_laplace, laplace, log, symbolic
from dpverify.mechanisms.language.reader import read
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.formats import github, html, junit, markdown, sarif
from dpverify.reports.record import Status
from dpverify.verifiers import Claim, Histograms, LowerBound, Multisets, Tuples, audit, check_privacy, replace_one
from dpverify.verifiers.auditing.cache.verdict_cache import may_be_cached
from dpverify.verifiers.auditing.exit_status import exit_status
from dpverify.verifiers.claims import How
from dpverify.verifiers.lower_bounds import Broken, HardInstance
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.checker import check_utility
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.pac import PacClaim
from dpverify.verifiers.verdicts.verdict import Checked, Verdict

ONE_BIT = Tuples((0, 1), size=1)


def decided(mechanism: Any, domain: Any = ONE_BIT, **claimed: Any) -> Verdict:
    return check_privacy(mechanism, domain, **({"epsilon": "1/2"} | claimed))


def by_numpy(draw: Any, rows: Any) -> Any:
    return int(np.nanmedian(rows)) + draw(laplace(2))


def inside(draw: Any, rows: Any) -> Any:
    return sum(rows) + draw(laplace(2))


def quotient(draw: Any, rows: Any) -> Any:
    return int(np.nansum(rows)) / (2 + abs(draw(laplace(1))))


def test_code_outside_is_checked_and_its_place_is_named() -> None:
    verdict = decided(by_numpy)
    assert isinstance(verdict, Checked)
    assert verdict.epsilon is not None
    assert verdict.epsilon.exact == Fraction(1, 2)
    assert verdict.reason.startswith("no counterexample in these runs; outside the language: numpy")
    line = by_numpy.__code__.co_firstlineno + 1
    assert f" at line {line} of test_outside.py" in verdict.reason
    assert verdict.reason.endswith("; hash seed not varied")
    assert "output distributions recomputed in one process for 2 of them, the hash seed not varied" in verdict.scope
    assert "outside the language" in verdict.scope
    assert "numpy" in repr(verdict)


def test_code_inside_stays_proved() -> None:
    assert decided(inside).status is Status.PROVED
    assert "outside" not in decided(inside).scope


def test_a_refutation_is_one_and_names_the_place() -> None:
    verdict = decided(by_numpy, epsilon="1/3")
    assert verdict.status is Status.REFUTED
    assert verdict.witness is not None
    assert verdict.scope.rpartition("; ")[2].startswith("outside the language: numpy")


@pytest.mark.parametrize(
    "verdict",
    [
        lambda: decided(by_numpy, epsilon=symbolic),
        lambda: decided(lambda draw, counts: int(np.nansum(counts)) + draw(laplace(1)), Histograms((0, 1))),
    ],
    ids=["every ε", "every size"],
)
def test_numbers_that_are_not_known_leave_it_undecided_with_the_place(verdict: Any) -> None:
    found = verdict()
    assert found.status is Status.UNDECIDED
    assert "numpy" in found.reason
    assert found.reason_id == "outside-language"


def test_what_has_no_closed_form_is_undecided() -> None:
    found = decided(quotient, epsilon=1)
    assert (found.status, found.reason_id) == (Status.UNDECIDED, "no-closed-form")
    assert "numpy" in found.scope


RUNS: list[int] = []


def counted(draw: Any, rows: Any) -> Any:
    RUNS.append(1)
    return rows[0] if draw(bernoulli("1/2")) and len(RUNS) % 5 else len(RUNS)


def remembers_the_first(draw: Any, rows: Any) -> Any:
    if not RUNS:
        RUNS.append(rows[0])
    return (rows[0] == RUNS[0]) ^ draw(bernoulli("1/2"))


def tells_within_a_run(draw: Any, rows: Any) -> Any:
    RUNS.clear()
    draw(lambda inner: RUNS.append(int(inner(bernoulli(Fraction(1 + rows[0], 3))))))
    return RUNS.pop()


def test_what_keeps_something_is_refused() -> None:
    RUNS.clear()
    with pytest.raises(InputError, match="second time"):
        decided(counted, epsilon=9, delta=1)


def test_what_one_database_leaves_to_another_is_part_of_the_runs() -> None:
    """Whole runs say what they see, in this order: a counterexample, or another distribution the second time."""
    RUNS.clear()
    with pytest.raises(InputError, match="second time"):
        decided(counted, delta=1)
    RUNS.clear()
    assert decided(remembers_the_first, epsilon=0).status is not Status.PROVED
    assert decided(tells_within_a_run, epsilon="1/2").status is Status.REFUTED  # 2/3 against 1/3
    assert decided(tells_within_a_run, epsilon=1).status is Status.CHECKED


def telling(way: Way) -> Any:
    """A mechanism whose sub-mechanism tells its row by a way out, and which returns what it was told."""

    def part(inner: Any, row: int) -> int:
        way.tell(int(inner(bernoulli(Fraction(1 + 8 * row, 10)))))
        return 0

    def mechanism(draw: Any, rows: Any) -> Any:
        way.forget()
        draw(part, rows[0])
        answer = way.told() >= 1
        way.forget()
        return answer

    way.forget()
    return mechanism


def status_of(mechanism: Any, **claimed: Any) -> str:
    try:
        return decided(mechanism, **claimed).status.name
    except InputError:
        return "refused"


def test_no_way_out_is_proved() -> None:
    """By whole runs a way out is part of what a mechanism does, 9/10 against 1/10; inside the language it is stopped."""
    found = {make: status_of(telling(make()), epsilon=1) for make in WAYS}
    assert found == {make: "refused" if make in STOPPED else "REFUTED" for make in WAYS}


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_a_trap_of_the_page_is_checked_and_leaks(
    trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHOW_ROWS", raising=False)
    module = module_of(f"{IMPORTS}def f(draw, rows):\n{indent(trap.code, '    ')}\n", tmp_path)
    assert status_of(module.f, epsilon=0) == "CHECKED"
    assert read(module.f).outside
    before = np.geterr()
    try:
        exec(trap.leaking, vars(module))
        assert ("(1,)" in capfd.readouterr().out) if not trap.leaking else status_of(module.f, epsilon=0) == "REFUTED"
    finally:
        np.seterr(**before)
        os.environ.pop("SHOW_ROWS", None)


IMPORTS = (
    "import os\nimport random\nimport time\nimport numpy as np\nRUNS, CHANCES = [], iter(random.Random().random, 2)\n"
)


def test_other_orders_of_rows_are_run() -> None:
    def first(draw: Any, rows: Any) -> Any:
        return int(np.nansum(rows[0])) + draw(laplace(1))

    with pytest.raises(InputError, match="depends on the order of the rows"):
        decided(first, Multisets((0, 1), size=2), epsilon=9)
    assert decided(by_numpy, Multisets((0, 1), size=3), epsilon=9).status is Status.CHECKED


class Row:
    """A row whose class asks for more than its value."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and (self.name == other.name or id(self) == id(other))

    def __hash__(self) -> int:
        return hash(self.name)


def test_classes_of_rows_are_read() -> None:
    """In the mechanism itself nothing is outside but what `==` of its rows may ask."""

    def are_equal(draw: Any, rows: Any) -> Any:
        return draw(bernoulli("1/2")) if rows[0] == rows[1] else draw(bernoulli("1/3"))

    domain = [(Row("a"), Row("a")), (Row("a"), Row("b"))]
    verdict = decided(are_equal, domain, epsilon=9)
    assert verdict.status is Status.CHECKED
    assert decided(are_equal, Tuples((0, 1), size=2), epsilon=9).status is Status.PROVED


def test_what_a_neighbour_relation_has_outside_is_named() -> None:
    def relation(rows: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        yield tuple(1 - int(np.nansum(x)) for x in rows)

    verdict = decided(inside, neighbours=relation)
    assert verdict.status is Status.PROVED
    assert "outside the language as well: neighbours, numpy" in verdict.scope


def claim(**fields: Any) -> Claim:
    given: dict[str, Any] = {
        "id": "x",
        "mechanism": by_numpy,
        "domain": ONE_BIT,
        "epsilon": "1/2",
        "neighbours": replace_one,
    }
    return Claim(**(given | fields))


def test_the_record_says_checked_in_every_format() -> None:
    record = audit([claim()])
    (result,) = record.claims
    assert result.verdict is Status.CHECKED
    assert result.surprise == "expected PROVED"
    assert result.left_open
    assert exit_status(record.claims) == 3
    assert read_audit(to_json(record)) == record
    assert json.loads(to_json(record))["claims"][0]["verdict"] == "CHECKED"
    assert "CHECKED" in markdown.to_markdown(record)
    assert 'class="verdict CHECKED"' in html.to_html(record)
    assert "outside the language" in html.to_html(record)
    assert '"ruleId": "left-open"' in sarif.to_sarif(record)
    assert 'type="CHECKED"' in junit.to_junit(record)
    assert github.workflow_commands(record)[0].startswith("::warning")


def test_checked_can_be_expected() -> None:
    record = audit([claim(expected="CHECKED")])
    assert record.claims[0].as_expected
    assert exit_status(record.claims) == 0
    assert github.workflow_commands(record) == []
    assert "<failure" not in junit.to_junit(record)
    inside_now = audit([claim(mechanism=inside, expected="CHECKED")]).claims[0]
    assert (inside_now.verdict, inside_now.surprise) == (Status.PROVED, "expected CHECKED")


def test_neighbours_that_agree_are_a_surprise_of_what_is_checked_too() -> None:
    result = audit([claim(mechanism=lambda draw, rows: int(np.nansum(rows) > -1), expected="CHECKED")]).claims[0]
    assert result.verdict is Status.CHECKED
    assert "neighbours" in result.surprise


def test_a_mutant_must_be_refuted_of_what_is_checked_too() -> None:
    def silent(draw: Any, rows: Any) -> Any:
        return int(np.nansum(rows))

    assert audit([claim(expected="CHECKED", mutant=silent)]).claims[0].as_expected
    assert not audit([claim(expected="CHECKED", mutant=by_numpy)]).claims[0].as_expected


def rounded(draw: Any, rows: Any) -> Any:
    return int(np.nansum(rows)) + draw(bernoulli("1/4"))


def released(draw: Any, rows: Any) -> Any:
    return int(np.nansum(rows)) + draw(discrete_laplace(1))


@pytest.mark.parametrize("mechanism", [rounded, released])
def test_usefulness_of_code_outside_is_checked(mechanism: Any) -> None:
    useful = UtilityClaim(
        id="lib.sum",
        mechanism=mechanism,
        cases=[Case((0, 1), {}), Case((1, 1), {})],
        succeeds=lambda case, outcome: outcome <= sum(case.database) and outcome >= sum(case.database),
        beta=lambda case: Fraction(3, 4),
        mutant=lambda draw, rows: -1,
    )
    result = audit([useful]).claims[0]
    assert result.verdict is Status.CHECKED
    assert result.surprise == "expected PROVED"
    assert "numpy" in result.reason
    assert "numpy" in result.scope.text
    assert result.scope.recomputation == "one process"


def test_usefulness_that_differs_the_second_time_is_refused() -> None:
    RUNS.clear()
    useful = UtilityClaim(
        id="lib.counted",
        mechanism=counted,
        cases=[Case((0,), {})],
        succeeds=lambda case, outcome: True,
        beta=lambda case: Fraction(1, 4),
        mutant=lambda draw, rows: -1,
    )
    with pytest.raises(InputError, match="second time"):
        check_utility(useful)


def test_what_is_checked_is_not_cached() -> None:
    (result,) = audit([claim(expected="CHECKED")]).claims
    assert not may_be_cached(result, How(recheck=False))
    assert may_be_cached(audit([claim(mechanism=inside)]).claims[0], How(recheck=False))


def test_a_learner_with_code_outside_names_the_place() -> None:
    learns = PacClaim(
        id="lib.majority",
        learner=lambda draw, sample: int(np.nansum([1])) if draw(bernoulli("99/100")) else 0,
        cases=[Case((((0, 1), Fraction(1)),), {})],
        succeeds=lambda case, label: label == 1,
        size=lambda case: 2,
        beta=lambda case: Fraction(1, 2),
        mutant=lambda draw, sample: 0,
    )
    result = audit([learns]).claims[0]
    assert result.verdict is Status.INCONCLUSIVE
    assert "outside the language: numpy" in result.scope.text


def test_a_lower_bound_whose_mechanism_is_outside_is_checked() -> None:
    bit = HardInstance(databases=[(0,), (1,)], outcomes=(0, 1), succeeds=lambda rows, answer: rows[0] == answer)
    bound = LowerBound(
        id="lib.one-bit",
        cases=[{"rows": 1, "epsilon": log(2)}],
        instance=lambda case: bit,
        properties={"they are of one size": lambda case: None},
        forced=lambda case: Fraction(2, 3),
        mechanisms={"response": lambda case: lambda rows: Distribution({int(np.nansum(rows)): 2, 1 - rows[0]: 1})},
        mutants=[Broken("less", {"forced": lambda case: Fraction(1, 3)})],
    )
    result = audit([bound]).claims[0]
    assert (result.verdict, result.surprise) == (Status.CHECKED, "expected PROVED")
    assert "numpy" in result.reason
    assert audit([replace(bound, mechanisms={})]).claims[0].verdict is Status.PROVED


def test_usefulness_whose_predicate_is_outside_is_checked() -> None:
    assert audit([ENUMERATED]).claims[0].verdict is Status.PROVED
    named = replace(ENUMERATED, succeeds=lambda case, outcome: bool(np.nansum(outcome) != 0 or case.database))
    result = audit([named]).claims[0]
    assert result.verdict is Status.CHECKED
    assert "outside the language as well: succeeds, numpy" in result.scope.text


def test_numbers_of_numpy_in_rows_are_named_and_have_no_line() -> None:
    verdict = decided(inside, Tuples((np.int64(0), np.int64(1)), size=1))
    assert isinstance(verdict, Checked)
    assert verdict.reason.endswith("numpy.int64 (give Python's own, as by tolist()); hash seed not varied")
