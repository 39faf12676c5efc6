"""Utility claims that show the best possible beside what their mechanism achieves."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.verifiers.utility.made_for_tests import FUZZED, audit_of

from dpverify.mechanisms import Distribution, Draw, InputError, exact, exp, log
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.audits.table import claim_lines
from dpverify.reports.formats.html import to_html
from dpverify.reports.formats.markdown import to_markdown
from dpverify.reports.kinds.utility import BestPossibleResult
from dpverify.reports.record import Status
from dpverify.verifiers import Case, UtilityClaim, check_utility
from dpverify.verifiers.command_line import main
from dpverify.verifiers.utility import BestPossible
from dpverify.verifiers.utility.best_possible import _quantity


def response(draw: Draw, bit: int, *, epsilon: Any) -> Any:
    return draw(Distribution({bit: exp(epsilon), 1 - bit: 1}))


def at_random(draw: Draw, bit: int, *, epsilon: Any) -> Any:
    return draw(Distribution({0: 1, 1: 1}))


def response_claim(claimed: Any, *run_at: Any) -> UtilityClaim:
    """Randomized response run at some ε, beside the best at another."""
    return UtilityClaim(
        id="Test-1.utility.truth",
        statement="the bit is told truly",
        mechanism=response,
        cases=[Case(bit, {"epsilon": epsilon}) for epsilon in run_at for bit in (0, 1)],
        succeeds=lambda case, told: told == case.database,
        beta=lambda case: 1 / (1 + exp(case.parameters["epsilon"])),
        mutant=at_random,
        optimal=BestPossible(epsilon=claimed, neighbours=lambda bit: [1 - bit]),
    )


def found(claim: UtilityClaim) -> list[BestPossibleResult]:
    return check_utility(claim).optimal


def test_randomized_response_is_as_good_as_any() -> None:
    result = check_utility(response_claim(lambda case: case.parameters["epsilon"], log(2), log(3)))
    assert result.verdict is Status.PROVED
    assert [(one.achieved.exact, one.optimal.exact, one.ratio) for one in result.optimal] == [
        ("2/3", "2/3", 1.0),
        ("3/4", "3/4", 1.0),
    ]
    assert [one.parameters for one in result.optimal] == ["epsilon=ln 2", "epsilon=ln 3"]
    assert not any(one.is_impossible for one in result.optimal)
    assert result.as_expected


def test_run_at_less_it_is_not() -> None:
    (one,) = found(response_claim(log(4), log(2)))
    assert (one.achieved.exact, one.optimal.exact, one.databases) == ("2/3", "4/5", 2)
    assert one.ratio == pytest.approx(5 / 6)


def test_more_than_any_private_mechanism_is_a_surprise() -> None:
    result = check_utility(response_claim(log(2), log(4)))
    assert result.verdict is Status.PROVED
    assert result.optimal[0].is_impossible
    assert result.surprise == "it achieves more than any private mechanism can"
    assert "MORE THAN POSSIBLE" in to_markdown(audit_of(result))


def test_every_format_shows_it() -> None:
    result = check_utility(response_claim(log(4), log(2)))
    said = "worst success achieved 2/3 / optimal 4/5 = 0.8333"
    audit = audit_of(result)
    assert said in to_markdown(audit)
    assert "| ε = 2·ln 2, δ = 0; epsilon=ln 2 | 2 | 2/3 | 4/5 | 0.8333 |" in to_markdown(audit)
    assert said in to_html(audit)
    assert said in " ".join("\n".join(claim_lines(result, detail="all")).split())
    assert read_audit(to_json(audit)) == audit
    nothing = audit_of(check_utility(replace(response_claim(log(4), log(2)), optimal=None)))
    assert "How far from optimal" not in to_markdown(nothing)


def test_cases_of_one_database_with_different_facts_are_one_question() -> None:
    # on each database two targets, of which the mechanism knows none: nobody tells both
    claim = replace(
        response_claim(log(2), log(2)),
        cases=[Case(bit, {"epsilon": log(2)}, {"target": target}) for bit in (0, 1) for target in (0, 1)],
        succeeds=lambda case, told: told == case.facts["target"],
        beta=lambda case: Fraction(9, 10),
    )
    (one,) = found(claim)
    assert (one.databases, one.achieved.exact, one.optimal.exact) == (2, "1/3", "1/2")


def test_cases_that_the_claim_does_not_speak_of_do_not_count() -> None:
    claim = replace(response_claim(log(2), log(2)), holds_for=lambda case: case.database == 0)
    (one,) = found(claim)
    assert (one.databases, one.outside, one.optimal.exact) == (1, 1, "1")


def test_what_asks_wrongly_is_refused() -> None:
    with pytest.raises(InputError, match="of BestPossible: neighbours and distance is needed"):
        BestPossible(epsilon=1)
    with pytest.raises(InputError, match="neighbours=3 is not a function"):
        BestPossible(epsilon=1, neighbours=3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cases are listed, and a strategy exclude each other"):
        replace(FUZZED, optimal=BestPossible(epsilon=1, neighbours=lambda size: []))
    with pytest.raises(InputError, match="optimal=1 is not a BestPossible"):
        replace(response_claim(1, 1), optimal=1)  # type: ignore[arg-type]


FILE = '''
from dpverify.mechanisms import Distribution, exp
from dpverify.verifiers import Case, UtilityClaim
from dpverify.verifiers.utility import BestPossible

def response(draw, bit, *, epsilon):
    return draw(Distribution({bit: exp(epsilon), 1 - bit: 1}))

def at_random(draw, bit, *, epsilon):
    """Whatever."""
    return draw(Distribution({0: 1, 1: 1}))

truth = UtilityClaim(
    id="mine.truth", mechanism=response, mutant=at_random,
    cases=[Case(bit, {"epsilon": 1}) for bit in (0, 1)],
    succeeds=lambda case, told: told == case.database, beta=lambda case: 1 / (1 + exp(1)),
    optimal=BestPossible(epsilon=1, neighbours=lambda bit: [1 - bit]),
)
'''


def test_explain_says_it(tmp_path: Path) -> None:
    file = tmp_path / "claims_mine.py"
    file.write_text(FILE, encoding="utf-8")
    told = CliRunner().invoke(main, ["explain", str(file)])
    assert told.exit_code == 0, told.output
    assert "Best possible: worst success achieved e/(1 + e) / optimal e/(1 + e) = 1, of" in told.output


def test_of_a_number_that_is_not_known_the_middle_of_its_bounds_is_shown() -> None:
    between = _quantity(exact(Fraction(1, 4)), exact(Fraction(3, 4)))
    assert (between.exact, between.decimal, between.lower, between.upper) == (None, "0.5", "1/4", "3/4")
