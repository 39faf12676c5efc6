"""`dpverify lint`: each place outside the language once, with its line, in four forms, and nothing that is inside."""

import json
from pathlib import Path

import pytest
from tests.reports.formats.test_for_ci import validator
from tests.verifiers.commands.command_runs import dpverify, forget_modules

EX = """\
import numpy as np
from dpverify.mechanisms import discrete_laplace

def hist(draw, rows, *, epsilon):
    print("50 %", rows)
    return np.nansum(rows)

def fine(draw, rows, *, epsilon, of=sum):
    return of(rows) + draw(discrete_laplace(1 / epsilon))

def shown(rows):
    return print(rows)

class Row:
    def __init__(self, x):
        self.x = x
    def __del__(self):
        self.x = 0

NUMBER = 3
"""

CLAIMS = """\
from dpverify.verifiers import Case, Claim, Multisets, SampledClaim, UtilityClaim
from dpverify.verifiers.calculations import Calculation
from ex import NUMBER, Row, fine, hist, shown
SMALL = Multisets((0, 1), size=2)
"""

ONE = 'one = Claim(id="ex.one", mechanism=hist, domain=SMALL, epsilon=1)\n'
TWO = 'two = Claim(id="ex.two", mechanism=hist, domain=Multisets((0, 1), size=3), epsilon=1)\n'
FINE = 'three = Claim(id="ex.three", mechanism=fine, domain=SMALL, epsilon=1)\n'

OF_SHOWN = FINE.replace("epsilon=1", "epsilon=1, parameters={'of': shown}")

PLACES = [
    "ex.py:5:5: outside the language: print; return what is to be shown",
    "ex.py:6:12: outside the language: numpy.nansum",
]


@pytest.fixture(autouse=True)
def ex(folder: Path) -> Path:
    forget_modules("ex")
    (folder / "claims_mine.py").unlink()
    (folder / "ex.py").write_text(EX)
    return folder


def with_claims(folder: Path, *claims: str) -> None:
    (folder / "claims_ex.py").write_text(CLAIMS + "".join(claims))


def lines(*arguments: str, status: int) -> list[str]:
    forget_modules("ex")
    done = dpverify("lint", *arguments)
    assert done.exit_code == status, done.output
    return done.stdout.splitlines()


def test_each_place_is_named_once_and_each_mechanism_counted_once(ex: Path) -> None:
    with_claims(ex, ONE, TWO, FINE)
    assert lines(status=1) == [*PLACES, "2 mechanisms read: 1 inside the language, 1 outside (2 places)"]
    assert lines("ex.two", status=1) == [*PLACES, "1 mechanism read: 0 inside the language, 1 outside (2 places)"]
    assert lines("claims_ex.py::ex.three", status=0) == ["1 mechanism read: 1 inside the language"]


def test_a_function_is_read_without_a_claim() -> None:
    assert lines("ex.py:fine", status=0) == ["1 mechanism read: 1 inside the language"]
    assert lines("ex:hist", "ex.py:fine", status=1)[:2] == PLACES
    (first, _) = lines("json:loads", status=1)
    assert first.endswith(": outside the language: json.loads")


def test_a_mechanism_is_outside_if_one_of_its_claims_leads_outside(ex: Path) -> None:
    with_claims(ex, OF_SHOWN, FINE.replace("three", "four"), ONE)
    assert lines(status=1)[-1] == "2 mechanisms read: 0 inside the language, 2 outside (3 places)"
    found = json.loads("\n".join(lines("claims_ex.py", "ex.py:fine", "--format", "json", status=1)))
    fine, hist = found["mechanisms"]
    place = {"file": "ex.py", "line": 12, "column": 12, "construct": "print", "instead": "return what is to be shown"}
    assert fine == {"mechanism": "fine", "claims": ["ex.three", "ex.four"], "language": [place]}
    assert (hist["mechanism"], hist["claims"], len(hist["language"])) == ("hist", ["ex.one"], 2)


def test_what_parameters_cases_and_rows_lead_to_is_read(ex: Path) -> None:
    with_claims(ex, OF_SHOWN)
    assert lines(status=1)[0] == "ex.py:12:12: outside the language: print; return what is to be shown"
    case = "Case((0, 1), {'epsilon': 1, 'of': shown})"
    useful = f"cases=[{case}], succeeds=lambda case, told: True, beta=lambda case: 1, mutant=fine"
    with_claims(ex, f'useful = UtilityClaim(id="ex.useful", mechanism=fine, {useful})\n')
    assert lines(status=1)[0].startswith("ex.py:12:12: ")
    with_claims(ex, FINE.replace("SMALL", "[(Row(0),), (Row(1),)]"))
    assert "Row, which defines __del__" in lines(status=1)[0]


def test_claims_without_a_mechanism_that_is_read(ex: Path) -> None:
    samples = 'SampledClaim(id="ex.s", sampler=sampled, domain=SMALL, epsilon=1, draws=1000)'
    number = 'Calculation(id="ex.n", computed=lambda n: n, cases=[{"n": 1}], equals=1, expected="REFUTED")'
    sampled = "def sampled(rows, rng, size):\n    return [hash(rows)] * size\n"
    with_claims(ex, f"{sampled}samples = {samples}\nnumber = {number}\n")
    done = dpverify("lint")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "dpverify lint needs a claim of a mechanism" in done.stderr


def test_sarif_is_valid_and_has_each_place(ex: Path) -> None:
    with_claims(ex, ONE)
    log = json.loads("\n".join(lines("--format", "sarif", status=1)))
    validator().validate(log)
    (run,) = log["runs"]
    regions = [one["locations"][0]["physicalLocation"]["region"] for one in run["results"]]
    assert regions == [{"startLine": 5, "startColumn": 5}, {"startLine": 6, "startColumn": 12}]
    elsewhere = json.loads("\n".join(lines("json:loads", "--format", "sarif", status=1)))["runs"][0]["results"]
    assert "locations" not in elsewhere[0]


def test_annotations_of_github(ex: Path) -> None:
    (ex / "ex.py").write_text("def most(draw, rows):\n" + "    print(rows)\n" * 12 + "    return hash(rows)\n")
    said = lines("ex.py:most", "--format", "github", status=1)
    assert said[0] == (
        "::warning file=ex.py,line=2,col=5,title=outside the language::print; return what is to be shown"
    )
    assert len(said) == 11
    assert "and 4 more" in said[9]


def test_a_file_that_cannot_be_read_is_said_and_the_others_are_read(ex: Path) -> None:
    with_claims(ex, ONE)
    (ex / "claims_bad.py").write_text("1 / 0\n")
    forget_modules("ex")
    done = dpverify("lint", "--format", "json")
    assert done.exit_code == 2
    assert "ZeroDivisionError" in done.stderr
    found = json.loads(done.stdout)
    assert [*found["not_read"]] == ["claims_bad.py"]
    assert len(found["mechanisms"]) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ex.py:hits",), "ex.py has no hits (did you mean hist?)"),
        (("ex.py:NUMBER",), "ex.py:NUMBER is not a function"),
        (("ex.py",), "ex.py holds no claims"),
        (("exx.py:hist",), "exx.py is not a file (did you mean ex.py?)"),
        (("--format", "jsn", "ex.py:hist"), "jsn is none of text, json, sarif, github: did you mean json?"),
        (
            ("--catalogue", "ex.py:hist"),
            "--catalogue, which takes ids of the catalogue, and ex.py:hist exclude each other",
        ),
    ],
)
def test_what_is_mistyped(arguments: tuple[str, ...], said: str) -> None:
    done = dpverify("lint", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
