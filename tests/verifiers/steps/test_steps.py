"""The kind of claims for steps of proofs: verdicts against an oracle on grids, ranges without end, bad input, reports."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.examples import in_one

from dpverify.mechanisms import InputError
from dpverify.reports.audits.json_form import result_from_json, result_to_json
from dpverify.reports.kinds import kind_of
from dpverify.reports.kinds.step import StepResult
from dpverify.verifiers import Status, Step
from dpverify.verifiers.command_line import main
from dpverify.verifiers.steps import BrokenStep
from dpverify.verifiers.steps.ranges import Range, above, above_zero, at_least, between, from_to, whole_from
from dpverify.verifiers.steps.terms import Relation, ceil, exp, log, log2, maximum, parameter, sqrt, term

HALF = Fraction(1, 2)
A_FLOAT: Any = 0.5
THREE: Any = lambda: 3  # noqa: E731
FALSE = (BrokenStep("a falsehood", says=lambda: term(1) <= 0),)


def step(says: Callable[..., Relation], **given: Any) -> Step:
    ranges = {name: value for name, value in given.items() if isinstance(value, Range)}
    rest = {name: value for name, value in given.items() if name not in ranges}
    return Step(**{"id": "toy.step", "parameters": ranges, "says": says, "mutants": FALSE, **rest})


def verdict(says: Callable[..., Relation], **given: Any) -> Status:
    return step(says, **given).decide().verdict


HOLDS: dict[str, Step] = {
    "equal at 0, inside": step(lambda x: 1 + x <= exp(x), x=Range()),
    "equal at 0, to the second order": step(lambda x: 1 + x + x**2 / 2 <= exp(x), x=at_least(0)),
    "equal at 1, from 0 to infinity": step(lambda x: log(x) <= x - 1, x=above_zero()),
    "identical": step(lambda b, d: log(1 / b) + log(1 / d) <= log(1 / (b * d)), b=between(0, 1), d=between(0, 1)),
    "to 0 and to infinity": step(lambda x: x * exp(-x) <= HALF, x=above_zero()),
    "Bernoulli": step(lambda x, n: 1 + n * x <= (1 + x) ** n, x=at_least(0), n=whole_from(1, 9)),
    "strict": step(lambda x: x < x + exp(-x), x=from_to(-5, 5)),
    "a hypothesis": step(lambda x, y: x * y >= 4, x=above_zero(10), y=above_zero(10), given=[lambda x, y: x + y >= 12]),
    "an end that depends": step(
        lambda b, e, m: exp(-e * m) <= b, b=between(0, 1), e=above_zero(), m=at_least(lambda b, e: log(1 / b) / e)
    ),
    "whole numbers, not all real ones": step(lambda n: (n - 1) * (n - 2) >= 0, n=whole_from(1)),
    "a ceiling": step(lambda x: x <= ceil(x), x=from_to(1, 1)),
    "a maximum": step(lambda x: maximum(x, 1 - x) >= HALF, x=from_to(0, HALF)),
    "roots": step(lambda x: sqrt(x) <= (1 + x) / 2, x=above_zero()),
    "the base 2": step(lambda n: log2(n) <= n - 1, n=whole_from(1)),
    "strict inside of the ends": step(lambda x: x - 1 < log(x) * x, x=between(1, 2)),
    "below zero": step(lambda x: x**3 <= -1, x=from_to(None, -1)),
}

FAILS: dict[str, Step] = {
    "just too much": step(lambda x: log(x) <= x / Fraction(272, 100), x=above_zero()),
    "an end that belongs to it": step(lambda x: x < 1, x=from_to(0, 1)),
    "a hypothesis": step(
        lambda x, y: x * y >= 25, x=above_zero(10), y=above_zero(10), given=[lambda x, y: x + y >= 12]
    ),
    "an end that depends": step(
        lambda b, e, m: exp(-2 * e * m) <= b * b * HALF,
        b=between(0, 1),
        e=above_zero(),
        m=at_least(lambda b, e: log(1 / b) / e),
    ),
    "far away": step(lambda n: n**3 <= 2**n + 100, n=whole_from(1)),
    "strict beside an end": step(lambda x: x < 1, x=above_zero(1)),
    "an end that is 0": step(lambda x, y: exp(-2 * y) < 1, x=between(1, 2), y=Range(0, lambda x: log(x) / 2)),
    "near zero": step(lambda x: log(1 / x) <= 50, x=above_zero(1)),
}


@in_one("name", HOLDS)
def test_what_holds_is_proved(name: str) -> None:
    result = HOLDS[name].decide()
    assert result.verdict is Status.PROVED, result.reason
    assert result.as_expected
    assert result.nearest is not None


@pytest.mark.parametrize("name", FAILS)
def test_what_fails_has_a_point_that_refutes_it(name: str) -> None:
    claim = FAILS[name]
    result = claim.decide()
    assert result.verdict is Status.REFUTED, result.reason
    assert result.counterexample is not None
    values = {
        name: Fraction(text)
        for (name, _), text in zip(
            claim.parameters.items(),
            [part.partition(" = ")[2] for part in result.counterexample.parameters.split(", ")],
            strict=True,
        )
    }
    assert claim.question.admits(values)
    assert evaluated(claim.question.says, values) is False
    assert all(evaluated(one, values) for one in claim.question.given)


def evaluated(relation: Relation, values: dict[str, Fraction]) -> bool:
    """With floats, of the tree: far from what the checker does."""
    left, right = (number(side, values) for side in (relation.left, relation.right))
    return left < right if relation.strict else left <= right * (1 + 1e-12) + 1e-12


def number(one: Any, values: dict[str, Fraction]) -> float:
    if one.operation == "number":
        return float(one.value)
    if one.operation == "parameter":
        return float(values[one.name])
    of: dict[str, Callable[..., float]] = {
        "+": lambda x, y: x + y,
        "-": lambda x, y: x - y,
        "*": lambda x, y: x * y,
        "/": lambda x, y: x / y,
        "^": lambda x, y: x**y,
        "exp": math.exp,
        "log": math.log,
        "sqrt": math.sqrt,
        "ceil": math.ceil,
        "max": max,
    }
    return of[one.operation](*(number(part, values) for part in one.parts))


GRID = [Fraction(n, 4) for n in range(1, 9)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("constant", [Fraction(n, 8) for n in range(1, 17)])
def test_a_grid_agrees(constant: Fraction) -> None:
    """x·ln(1 + y) ≤ c·(x + y)² on (0, 2]²: what a grid refutes is refuted, and what is proved no grid refutes."""
    claim = step(
        lambda x, y: x * log(1 + y) <= constant * (x + y) ** 2,
        x=from_to(Fraction(1, 4), 2),
        y=from_to(Fraction(1, 4), 2),
    )
    found = claim.decide().verdict
    on_grid = all(evaluated(claim.question.says, {"x": x, "y": y}) for x, y in product(GRID, repeat=2))
    assert found is Status.REFUTED if not on_grid else found in (Status.PROVED, Status.REFUTED)


def test_a_mutant_that_holds_is_a_surprise() -> None:
    result = step(lambda x: x <= 1, x=from_to(0, 1), mutants=[BrokenStep("more", says=lambda x: x <= 2)]).decide()
    assert "is PROVED: the check cannot fail" in result.surprise


def test_equality_inside_at_no_short_number_stays_open() -> None:
    result = step(lambda x: 2 * sqrt(2) * x <= x**2 + 2, x=from_to(1, 2), boxes=60).decide()
    assert result.verdict is Status.UNDECIDED
    assert result.open_box.startswith("x from ")
    assert result.left_open


def test_hypotheses_that_nothing_meets_are_refused() -> None:
    with pytest.raises(InputError, match=r"toy\.step needs parameters that meet the hypotheses"):
        verdict(lambda x: x <= 1, x=from_to(0, 1), given=[lambda x: x >= 2])


@in_one(
    "says, given, wrong",
    [
        (lambda y: y <= 1, {"x": above_zero()}, r"toy\.step: 'y' in says is none of the parameters \(x\)"),
        (lambda x: x, {"x": above_zero()}, "no relation"),
        (lambda x: x <= 0.5, {"x": above_zero()}, r"0\.5 is not an exact number"),
        (lambda x: (x >= 0) and (x <= 1), {"x": above_zero()}, "0 ≤ x is not true or false"),
        (lambda: term(0) <= 1, {}, "parameters="),
        (lambda x: x <= 1, {"x": above_zero(), "mutants": ()}, "step that holds needs mutants, which must be refuted"),
        (lambda x: x <= 1, {"x": above_zero(), "tries": [{"y": 1}]}, r"toy\.step: tries=\{'y': 1\} is not a point"),
        (lambda x: x <= 1, {"x": above_zero(), "given": [3]}, "is not a function"),
        (lambda x: x <= 1, {"x": above_zero(), "mutants": [3]}, r"toy\.step: 3 is not a mutant"),
        (lambda x: x <= 1, {"x": at_least(THREE)}, "no expression"),
    ],
)
def test_bad_input_is_said(says: Any, given: Any, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        step(says, **given)


@pytest.mark.parametrize(
    ("made", "wrong"),
    [
        (lambda: between(1, 1), "is empty"),
        (lambda: from_to(A_FLOAT, 1), r"0\.5 is not the end of a range"),
        (lambda: from_to(lambda: term(1), lambda: term(2)), "one end of a range"),
        (lambda: from_to(1, lambda: term(2)), "begins with 0"),
    ],
)
def test_bad_ranges_are_said(made: Any, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        made()


def test_expressions_read_as_in_the_paper() -> None:
    alpha, n = parameter("alpha"), parameter("n")
    assert str(16 / (alpha * n) * log(2 / (1 - alpha)) <= n**2 - (1 - n)) == "16/(α·n)·ln(2/(1 − α)) ≤ n^2 − (1 − n)"
    assert str(-alpha < Fraction(1, 2) * n) == "−α < (1/2)·n" or str(-alpha < Fraction(1, 2) * n) == "−α < 1/2·n"


def test_ranges_read_as_in_the_paper() -> None:
    claim = step(lambda a, n, m: a * n <= a * n * m, a=between(0, 1), n=whole_from(2), m=at_least(lambda n: 2 * n))
    assert claim.claimed == "for all 0 < a < 1, 2 ≤ n whole, 2·n ≤ m"
    assert step(lambda a, p: p <= a, a=between(0, 1), p=Range(0, lambda a: a / 2)).claimed == (
        "for all 0 < a < 1, 0 ≤ p ≤ a/2"
    )
    assert step(lambda x: x <= x, x=above(3)).claimed == "for all 3 < x"


FILE = """
from dpverify.verifiers import Step
from dpverify.verifiers.steps import BrokenStep
from dpverify.verifiers.steps.ranges import between, whole_from
from dpverify.verifiers.steps.terms import log

mine = Step(
    id="mine.union", source="by hand", statement="n failures of β/n", parameters={"beta": between(0, 1), "n": whole_from(1)},
    says=lambda beta, n: log(1 / beta) <= log(n / beta),
    mutants=[BrokenStep("the other way round", says=lambda beta, n: log(n / beta) <= log(1 / beta))],
)
"""


def test_everything_generic_works_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims_mine.py").write_text(FILE, encoding="utf-8")

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, done.output
        return done.output

    reports = ("--json", "a.json", "--html", "a.html", "--markdown", "a.md")
    said = run("audit", "claims_mine.py", "--kind", "step", "--jobs", "1", "--no-cache", *reports)
    assert "PROVED       mine.union  for all 0 < β < 1, 1 ≤ n whole" in said
    assert "step" in run("list", "claims_mine.py")
    explained = run("explain", "claims_mine.py")
    assert "then ln(1/β) ≤ ln(n/β)" in explained
    assert "Broken, the other way round: REFUTED" in explained
    assert "1 the same, 0 changed" in run("compare", "a.json", "a.json")
    assert "| `mine.union` | ln(1/β) ≤ ln(n/β) | 0 &lt; β &lt; 1; 1 ≤ n whole | PROVED |" in Path("a.md").read_text(
        "utf-8"
    )
    assert "For all 0 &lt; β &lt; 1" in Path("a.html").read_text("utf-8")


def test_a_result_is_kept_by_its_json_form() -> None:
    for claim in (HOLDS["strict"], FAILS["near zero"]):
        result = claim.decide()
        again = result_from_json(result_to_json(result))
        assert again == result
        assert isinstance(again, StepResult)
        assert kind_of(result).background(again)
