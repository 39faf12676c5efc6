"""Claims of whatever kind: what is none costs itself alone, and a changed copy is another claim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner, Result
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, bernoulli, exp
from dpverify.reports.audits.json_form import read_audit
from dpverify.verifiers import Case, Claim, PacClaim, Status, UtilityClaim, audit
from dpverify.verifiers.auditing import auditing
from dpverify.verifiers.claims import AS_USUAL, AnyClaim, Explanation, How, claims_in
from dpverify.verifiers.command_line import main
from dpverify.verifiers.utility.pac import labelled

pytestmark = pytest.mark.usefixtures("decided_here")


def coin(draw: Draw, bit: int, *, epsilon: Any = 1) -> Any:
    return draw(bernoulli(exp(epsilon) / (1 + exp(epsilon)))) == bit


def other(bit: int) -> list[int]:
    return [1 - bit]


PRIVATE = Claim(id="private", mechanism=coin, domain=(0, 1), neighbours=other, epsilon=1)


@dataclass(frozen=True, kw_only=True)
class Nothing(Claim):
    def decide(self, how: How = AS_USUAL) -> Any:
        """Nothing."""


@dataclass(frozen=True, kw_only=True)
class NeedsMore(Claim):
    modules: ClassVar[tuple[str, ...]] = ("nosuchmodule",)


@dataclass(frozen=True, kw_only=True)
class OfAnotherClaim(Claim):
    def decide(self, how: How = AS_USUAL) -> Any:
        return replace(PRIVATE, id="another").decide(how)


def test_what_decides_wrongly_is_a_row_and_costs_no_other() -> None:
    given: dict[str, Any] = {"mechanism": coin, "domain": (0, 1), "neighbours": other, "epsilon": 1}
    claims = [
        Nothing(id="nothing", **given),
        PRIVATE,
        OfAnotherClaim(id="swapped", **given),
        NeedsMore(id="needs", **given),
    ]
    record = audit(claims, recheck=False)
    assert [claim.id for claim in record.claims] == ["private", "needs"]
    assert [row.id for row in record.not_decided] == ["nothing", "swapped"]
    assert all("which is no result of this claim" in row.reason for row in record.not_decided)


def test_a_kind_that_nobody_knows_is_refused_when_it_is_made() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Third(AnyClaim):
        kind: ClassVar[str] = "third"

        @property
        def claimed(self) -> str:
            return ""

        def decide(self, how: How = AS_USUAL) -> Any:
            raise NotImplementedError  # it is refused before anybody decides it

        def explain(self, how: How = AS_USUAL) -> Explanation:
            raise NotImplementedError  # it is refused before anybody decides it

    with pytest.raises(InputError, match="one: the kind third of claims does not exist"):
        Third(id="one")


def test_ids_that_no_terminal_shows_are_refused() -> None:
    with pytest.raises(InputError, match="a character that no report or terminal can show"):
        replace(PRIVATE, id="a\x1b[31m")


def test_an_audit_of_two_claims_of_one_id_is_refused() -> None:
    with pytest.raises(InputError, match="two claims have the id private"):
        audit([PRIVATE, replace(PRIVATE, epsilon=2)])


def test_claims_are_found_within_lists_and_dicts_too() -> None:
    copies = [replace(PRIVATE, id=name) for name in "abcd"]
    a, b, c, d = copies
    assert claims_in({"one": a, "more": [b, (c, [b])], "named": {"d": d}, "again": a}) == [a, b, c, d]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("tiny", [exp(-1000), Fraction(1, 10**400)])
@pytest.mark.parametrize("of", ["epsilon", "delta"])
def test_a_tiny_budget_has_a_page(tmp_path: Path, tiny: Any, of: str) -> None:
    budget = {"epsilon": Fraction(1, 2), of: tiny}
    claim = replace(PRIVATE, parameters={"epsilon": 1}, expected=Status.REFUTED, **budget)
    record = audit([claim], recheck=False)
    assert record.as_expected
    from dpverify.reports.formats.rendering import SUFFIXES, render

    for suffix in SUFFIXES:
        assert render(record, suffix)


BASE = """
from fractions import Fraction
from dpverify.mechanisms import bernoulli, exp
from dpverify.verifiers import Claim

def coin(draw, bit, *, epsilon):
    return draw(bernoulli(exp(epsilon) / (1 + exp(epsilon)))) == bit

base = Claim(id="base", mechanism=coin, domain=(0, 1), neighbours=lambda bit: [1 - bit], epsilon=1, parameters={"epsilon": 1})
"""
COPY = """
from dataclasses import replace
from fractions import Fraction
from claims_base import base as original

half = replace(original, id="half", parameters={"epsilon": Fraction(1, 2)})
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import sys

    (tmp_path / "claims_base.py").write_text(BASE)
    (tmp_path / "claims_copy.py").write_text(COPY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(auditing, "_FEW", 0)  # so that another interpreter is asked
    for name in ("claims_base", "claims_copy"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def dpverify(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("files", [("claims_base.py", "claims_copy.py"), ("claims_copy.py", "claims_base.py")])
def test_a_changed_copy_is_recomputed_as_itself(folder: Path, files: tuple[str, ...]) -> None:
    """And not by the mechanism and the parameters of the claim that it was made from."""
    done = dpverify("audit", *files, "--json", "a.json")
    assert done.exit_code == 0, done.output
    claims = read_audit((folder / "a.json").read_text()).claims
    assert {claim.id: claim.scope.recomputation for claim in claims} == dict.fromkeys(
        ("base", "half"), "another interpreter"
    )


def test_limits_leave_a_claim_where_it_stands(folder: Path) -> None:
    assert dpverify("audit", "claims_base.py", "--limit", "paths=99", "--json", "a.json").exit_code == 0
    (claim,) = read_audit((folder / "a.json").read_text()).claims
    assert claim.scope.recomputation == "another interpreter"


def test_filters_go_over_all_names_together(folder: Path) -> None:
    (folder / "claims_useful.py").write_text(
        "from dpverify.mechanisms import bernoulli\nfrom dpverify.verifiers import Case, UtilityClaim\n"
        "def truth(draw, x):\n    return x\ndef lie(draw, x):\n    'Lies.'\n    return 1 - x\n"
        "use = UtilityClaim(id='use', mechanism=truth, cases=[Case(1)], succeeds=lambda case, x: x == 1,"
        " beta=lambda case: 0, mutant=lie)\n"
    )
    both = dpverify("audit", "claims_base.py", "claims_useful.py", "--kind", "utility")
    assert both.exit_code == 0, both.output
    assert "1 claim: 1 PROVED; all as expected" in both.stdout
    assert dpverify("utility", "claims_base.py", "claims_useful.py").stdout == both.stdout
    none = dpverify("audit", "claims_base.py", "claims_useful.py", "--kind", "structure")
    assert none.exit_code == 2
    assert "these 2 names stand for no claim of kind structure, but of kind privacy, utility" in none.stderr
    named = dpverify("audit", "claims_base.py::base", "claims_useful.py", "--kind", "utility")
    assert named.exit_code == 2
    assert "claims_base.py::base stands for no claim of kind utility, but of kind privacy" in named.stderr


def useful(**changed: Any) -> UtilityClaim:
    given: dict[str, Any] = {
        "mechanism": coin,
        "cases": [Case(1, {"epsilon": 1})],
        "succeeds": lambda case, told: told,
        "beta": lambda case: "1/2",
        "mutant": coin,
    }
    return UtilityClaim(id="use", **{**given, **changed})


def learnt(**changed: Any) -> PacClaim:
    given: dict[str, Any] = {
        "learner": coin,
        "succeeds": lambda case, told: told,
        "size": lambda case: 3,
        "beta": lambda case: "1/2",
        "mutant": coin,
        "cases": [Case(labelled([(0, Fraction(1))], lambda x: 1))],
    }
    return PacClaim(id="pac", **{**given, **changed})


@in_one(
    "make, changed, message",
    [
        (useful, {"mutant": None}, "use: mutant=None is not a function"),
        (useful, {"mechanism": 5}, "use: mechanism=5 is not a function"),
        (useful, {"cases": [1]}, "use: 1 is not a case"),
        (useful, {"cases": 5}, "use: cases=5 is not an iterable of cases"),
        (useful, {"floor": "x"}, "use: floor='x' is not a whole number"),
        (useful, {"corners": 3}, r"use: corners=3 is not a mapping: write \{'name'"),
        (useful, {"examples": [2]}, "use: 2 is not a case"),
        (learnt, {"mutant": None}, "pac: mutant=None is not a function"),
        (learnt, {"size": 3}, "pac: size=3 is not a function"),
        (learnt, {"cases": iter(())}, "pac: .* is not a list of cases"),
        (learnt, {"confidence": 2}, "confidence=2"),
    ],
)
def test_parts_of_claims_that_are_none_are_refused(
    make: Callable[..., AnyClaim], changed: dict[str, Any], message: str
) -> None:
    assert make().id in ("use", "pac")
    with pytest.raises(InputError, match=message):
        make(**changed)
