"""The kind of claims for lower bounds: verdicts, contradictions, bad input, and how a result is told."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Distribution, InputError, exact, exp, log
from dpverify.mechanisms.selection.packing_bound import group_privacy
from dpverify.reports.audits.json_form import result_from_json, result_to_json
from dpverify.reports.kinds import kind_of
from dpverify.reports.kinds.lower_bound import table
from dpverify.verifiers import LowerBound, Status
from dpverify.verifiers.command_line import main
from dpverify.verifiers.lower_bounds import Broken, HardInstance, checker
from dpverify.verifiers.lower_bounds.instance import excess, rows_apart, rows_replaced
from dpverify.verifiers.lower_bounds.statement import IN_ANY_ORDER, NEAR_AS_ROWS, a_tenth_less

LN_2 = log(2)
LISTED: Any = [0]


def clique(case: Any) -> HardInstance:
    """To tell which of n one-row databases it is."""
    n = case["n"]
    return HardInstance(databases=[(i,) for i in range(n)], outcomes=range(n), succeeds=lambda rows, o: rows[0] == o)


def forced(case: Any) -> Any:
    return 1 / (1 + (case["n"] - 1) * exp(-exact(case["epsilon"])))


def response(case: Any) -> Callable[[Any], Distribution[Any]]:
    """Randomized response with half the ε."""
    half = exp(exact(case["epsilon"]) / 2)
    return lambda rows: Distribution({i: half if i == rows[0] else 1 for i in range(case["n"])})


def truth(case: Any) -> Callable[[Any], Distribution[Any]]:
    return lambda rows: Distribution({rows[0]: 1})


MUTANTS = (Broken("a tenth less", {"forced": a_tenth_less(forced)}),)


def bound(**given: Any) -> LowerBound:
    return LowerBound(
        **{
            "id": "toy.bound",
            "cases": [{"n": 2, "epsilon": LN_2}, {"n": 4, "epsilon": 1}],
            "instance": clique,
            "forced": forced,
            "mechanisms": {"response": response},
            "mutants": MUTANTS,
            **given,
        }
    )


def test_achieved_is_below_optimal_and_that_is_what_is_forced() -> None:
    result = bound().decide()
    assert result.verdict is Status.PROVED
    assert result.as_expected
    assert all(row.at_least == row.at_most for row in result.rows)
    assert [row.at_least.decimal for row in result.rows if row.at_least] == [row.implied.decimal for row in result.rows]
    assert result.rows[0].implied.exact == "2/3"
    assert [mutant.status for mutant in result.mutants] == [Status.REFUTED]
    assert kind_of(result).claimed(result) == "success ≤ 2/3"
    assert kind_of(result).found(result) == "best 2/3, response 0.586"
    assert table(result)[0] == ("case", "mechanism", "achieved", "optimal", "implied")
    assert result_from_json(result_to_json(result)) == result


def test_too_small_a_number_is_refuted_by_the_law_of_the_best() -> None:
    result = bound(
        forced=lambda case: Fraction(3, 5), expected=Status.REFUTED, cases=[{"n": 2, "epsilon": LN_2}]
    ).decide()
    assert result.verdict is Status.REFUTED
    assert result.witness == [
        "the best mechanism has success 2/3 = 0.666666666667 > 3/5 = 0.6",
        "n = 2, ε = ln 2",
        "on (0,): 0 with 2/3 = 0.666666666667, 1 with 1/3 = 0.333333333333",
        "on (1,): 1 with 2/3 = 0.666666666667, 0 with 1/3 = 0.333333333333",
    ]


@pytest.mark.parametrize(("strict", "verdict"), [(False, Status.PROVED), (True, Status.REFUTED)])
def test_as_much_is_too_much_where_less_is_claimed(strict: bool, verdict: Status) -> None:
    assert bound(strict=strict).decide().verdict is verdict


def test_a_property_that_fails_refutes() -> None:
    result = bound(properties={"n is 2": lambda case: None if case["n"] == 2 else f"n is {case['n']}"}).decide()
    assert result.verdict is Status.REFUTED
    assert result.witness == ["n is 2: n is 4", "n = 4, ε = 1"]
    assert {one.name: one.wrong for one in result.properties} == {
        "n is 2": "n = 4, ε = 1: n is 4",
        NEAR_AS_ROWS: "",
        IN_ANY_ORDER: "",
    }


def test_a_mechanism_that_is_not_private_is_a_contradiction_whatever_the_verdict() -> None:
    result = bound(mechanisms={"truth": truth}).decide()
    assert result.verdict is Status.UNDECIDED
    assert result.contradictions[0].startswith(
        "truth is not private at n = 2, ε = ln 2: the distributions on (0,) and (1,), 1 apart"
    )
    assert result.surprise.startswith("contradiction: truth")
    refuted = bound(mechanisms={"truth": truth}, forced=lambda case: 0, expected=Status.REFUTED).decide()
    assert refuted.verdict is Status.REFUTED
    assert not refuted.as_expected


def test_a_mechanism_better_than_the_best_is_a_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    found = checker._best

    def worse(*args: Any) -> Any:
        best = found(*args)
        return best._replace(at_least=exact(Fraction(1, 10)), at_most=exact(Fraction(1, 10)))

    monkeypatch.setattr(checker, "_best", worse)
    assert "response achieves more than the best" in bound().decide().surprise


def test_a_proof_that_does_not_hold_is_a_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    found = checker._best
    monkeypatch.setattr(checker, "_best", lambda *args: found(*args)._replace(is_certain=False))
    assert "the proof that no mechanism is better does not hold" in bound().decide().surprise


def test_a_best_that_is_not_as_good_as_is_said_is_a_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    found = checker._best

    def said_to_be_better(*args: Any) -> Any:
        best = found(*args)
        return best._replace(at_least=best.at_least + Fraction(1, 10**9))

    monkeypatch.setattr(checker, "_best", said_to_be_better)
    result = bound(forced=lambda case: 1).decide()
    assert "the best mechanism is not as good as is said" in result.surprise


def test_bounds_on_the_optimum_that_do_not_tell_are_inconclusive() -> None:
    third = LN_2 / 3  # e^ε is neither rational nor transcendental: two bounds are known
    result = bound(cases=[{"n": 3, "epsilon": third}], mechanisms={}).decide()
    assert result.verdict is Status.INCONCLUSIVE
    assert not result.contradictions
    assert (
        bound(cases=[{"n": 3, "epsilon": third}], forced=lambda case: 1, mutants=MUTANTS).decide().verdict
        is Status.PROVED
    )


def test_distances_left_out_give_success_1_and_too_small_ones_are_found() -> None:
    free = bound(instance=lambda case: clique(case).unrelated, mechanisms={}).decide()
    assert free.verdict is Status.REFUTED
    assert "success 1 >" in free.witness[0]
    instance = HardInstance(
        databases=[(0, 0), (1, 1)], outcomes=(0, 1), succeeds=lambda rows, o: rows[0] == o, distance=lambda a, b: 1
    )
    wrong = bound(instance=lambda case: instance, mechanisms={}).decide()
    assert wrong.verdict is Status.REFUTED
    assert "(0, 0) and (1, 1) take 2 rows to be replaced, and the distance says 1" in wrong.witness[0]


def test_a_case_of_arithmetic_has_no_optimum() -> None:
    result = bound(
        instance=lambda case: None, mechanisms={}, mutants=[Broken("no", {"properties": {"no": lambda _: "no"}})]
    )
    decided = result.decide()
    assert decided.verdict is Status.PROVED
    assert kind_of(decided).found(decided) == "all steps hold"
    assert decided.rows[0].at_least is None


def test_a_mutant_that_is_not_refuted_is_a_surprise() -> None:
    result = bound(mutants=[Broken("nothing", {})]).decide()
    assert result.surprise == "its mutant, nothing, is PROVED: the check cannot fail"
    assert not result.left_open


def test_weighted_success() -> None:
    instance = HardInstance(
        databases=[(0,), (1,)], outcomes=(0, 1), succeeds=lambda rows, o: rows[0] == o, weights={(0,): 3, (1,): 1}
    )
    result = bound(
        instance=lambda case: instance, forced=lambda case: Fraction(3, 4), cases=[{"n": 2, "epsilon": LN_2}]
    )
    assert result.decide().rows[0].at_most is not None
    assert result.decide().verdict is Status.PROVED  # to say 0 always


def test_distances() -> None:
    assert (rows_apart((0, 1), (1, 0)), rows_replaced((0, 1), (1, 0))) == (2, 0)
    assert rows_apart((0,), (0, 1)) is rows_replaced((0,), (0, 1)) is None
    assert [*group_privacy(LN_2, exact(Fraction(1, 100)), 3)] == [8, Fraction(7, 100)]
    assert [*group_privacy(exact(0), exact(Fraction(1, 100)), 3)] == [1, Fraction(3, 100)]


@pytest.mark.parametrize(("delta", "private"), [(Fraction(1, 3), True), (Fraction(33, 100), False)])
def test_privacy_on_an_instance_is_exact(delta: Fraction, private: bool) -> None:
    instance = clique({"n": 2})
    laws = {(0,): Distribution({0: 1}), (1,): Distribution({0: Fraction(1, 3), 1: Fraction(2, 3)})}
    # 1 − 2/3 and 2/3 − 0 are left over: the larger counts
    assert (excess(instance, laws.__getitem__, LN_2, exact(2 * delta)) is None) is private


@given(
    st.lists(st.dictionaries(st.integers(0, 4), st.integers(1, 3), min_size=1, max_size=5), min_size=2, max_size=4),
    st.fractions(0, 1, max_denominator=20),
)
def test_privacy_on_an_instance_is_its_definition(weights: list[dict[int, int]], delta: Fraction) -> None:
    """Over all pairs and outcomes, of which many have the same masses: Σ max(0, p − 2^d·q) ≤ δ·(2^d − 1)."""
    databases = [(i, i // 2) for i in range(len(weights))]
    instance = HardInstance(databases=databases, outcomes=range(5), succeeds=lambda rows, o: False)
    laws = {rows: Distribution(given) for rows, given in zip(databases, weights, strict=True)}
    masses = [{o: Fraction(w, sum(given.values())) for o, w in given.items()} for given in weights]
    is_private = True
    for a, p in zip(databases, masses, strict=True):
        for b, q in zip(databases, masses, strict=True):
            ratio = 2 ** (rows_apart(a, b) or 0)
            is_private &= sum(max(0, p[o] - ratio * q.get(o, 0)) for o in p) <= delta * (ratio - 1)
    assert (excess(instance, laws.__getitem__, LN_2, exact(delta)) is None) is is_private


@in_one(
    "given, message",
    [
        ({"cases": []}, "give at least one case"),
        ({"cases": 3}, r"toy\.bound: cases=3 is not a list of mappings"),
        ({"mutants": ()}, "that holds needs mutants, which must be refuted"),
        ({"mutants": [Broken("x", {"force": 1})]}, r"the field 'force' of the mutant 'x' is none of cases,"),
        ({"forced": 1}, "forced=1 is not a function"),
        ({"properties": {"a": 1}}, r"1\} is not a mapping of functions: write \{name"),
    ],
)
def test_bad_input_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        bound(**given)


def test_bad_instances_are_refused() -> None:
    with pytest.raises(InputError, match="a database twice"):
        HardInstance(databases=[1, 1], outcomes=[1], succeeds=lambda a, b: True).refuse_repeats()
    with pytest.raises(InputError, match="a list of a hard instance is empty"):
        HardInstance(databases=[1], outcomes=[], succeeds=lambda a, b: True)
    with pytest.raises(InputError, match=r"toy.bound: n = 2, ε = ln 2: forced=0.5"):
        bound(forced=lambda case: 0.5).decide()


FILE = """
from dpverify.mechanisms import Distribution, exp, log
from dpverify.verifiers import LowerBound
from dpverify.verifiers.lower_bounds import Broken, HardInstance

def clique(case):
    return HardInstance(databases=[(0,), (1,)], outcomes=(0, 1), succeeds=lambda rows, o: rows[0] == o)

mine = LowerBound(
    id="mine.bit", statement="a bit", cases=[{"epsilon": log(2)}], instance=clique, forced=lambda case: "2/3",
    mechanisms={"coin": lambda case: lambda rows: Distribution({0: 1, 1: 1})},
    mutants=[Broken("1/2", {"forced": lambda case: "1/2"})],
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
    said = run("audit", "claims_mine.py", "--kind", "lower-bound", "--jobs", "1", "--no-cache", *reports)
    assert "PROVED       mine.bit  success ≤ 2/3" in said
    assert "found best 2/3, coin 1/2" in said
    assert "lower-bound" in run("list", "claims_mine.py")
    explained = run("explain", "claims_mine.py")
    for part in (
        "database (0,)",
        "outcome 1",
        "distances: 1",
        "ε = ln 2  coin       1/2       2/3      2/3",
        "Broken, 1/2",
    ):
        assert part in explained
    assert "1 the same, 0 changed" in run("compare", "a.json", "a.json")
    assert "| ε = ln 2 | coin | 1/2 | 2/3 | 2/3 |" in (tmp_path / "a.md").read_text("utf-8")
    page = (tmp_path / "a.html").read_text("utf-8")
    assert "<title>achieved 0.5, optimal 0.667, implied 0.667</title>" in page
    assert 'data-name="mechanism">coin</td>' in page
    refused = CliRunner().invoke(main, ("mutate", "claims_mine.py"))
    assert refused.exit_code == 2
    assert "lower-bound" in refused.output


def first_rows(**given: Any) -> HardInstance:
    """To tell the first row, on which the order of rows has to be kept."""
    return HardInstance(
        databases=[(0, 1, 1), (1, 0, 0)], outcomes=(0, 1), succeeds=lambda rows, o: rows[0] == o, **given
    )


def test_the_order_of_rows_counts_where_success_depends_on_it() -> None:
    """One row apart as multisets, three as tuples: a private mechanism on all tuples of three rows reaches 5/6 and more."""
    mutants = (Broken("nothing is forced", {"forced": lambda case: 0}),)
    given = {"cases": [{"epsilon": LN_2}], "forced": lambda case: Fraction(2, 3), "mechanisms": {}, "mutants": mutants}
    result = bound(**given, instance=lambda case: first_rows(distance=rows_replaced)).decide()
    assert result.verdict is Status.REFUTED
    assert result.witness[0].startswith(f"{IN_ANY_ORDER}: 0 is another success for (0, 1, 1) than for ")
    kept = bound(**given, instance=lambda case: first_rows()).decide()
    assert kept.verdict is Status.REFUTED and kept.rows[0].at_least is not None
    assert kept.rows[0].at_least.exact == "8/9"


@pytest.mark.parametrize("said", [True, False, "", 0])
def test_a_property_says_what_is_wrong_or_gives_none(said: object) -> None:
    with pytest.raises(InputError, match=r"toy\.bound: n = 2, ε = ln 2: the property 'p' gave"):
        bound(properties={"p": lambda case: said}).decide()


@pytest.mark.parametrize("name", [NEAR_AS_ROWS, IN_ANY_ORDER])
def test_what_is_looked_at_in_any_case_is_no_name_for_a_property(name: str) -> None:
    with pytest.raises(InputError, match=r"toy\.bound holds the property '"):
        bound(properties={name: lambda case: None})


@in_one(
    "given, said",
    [
        ({"instance": lambda case: 5}, "instance gave 5, which is no HardInstance"),
        (
            {"mechanisms": {"made up": lambda case: lambda rows: {0: 1}}},
            r"up on \(0,\) gave \{0: 1\}, which is no Distribution",
        ),
        ({"cases": [{"n": 2}], "forced": lambda case: 1}, r"toy\.bound: n = 2: the case needs an epsilon"),
        ({"mutants": (Broken("nothing", None),)}, r"toy\.bound: Broken\(change='"),  # type: ignore[arg-type]  # as somebody may write
        (
            {"instance": lambda case: HardInstance(databases=[LISTED], outcomes=[0], succeeds=lambda rows, o: True)},
            r"cannot be hashed \(unhashable type: 'list'\)",
        ),
        (
            {"instance": lambda case: HardInstance(databases=iter([0]), outcomes=[0], succeeds=lambda rows, o: True)},  # type: ignore[arg-type]
            "2: databases of a hard instance is not a sequence",
        ),
    ],
)
def test_bad_input_is_said(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        bound(**given).decide()
