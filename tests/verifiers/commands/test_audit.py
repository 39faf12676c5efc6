"""dpverify audit and list: claims of files and of the catalogue, reports and rows."""

from pathlib import Path

import pytest
from tests.verifiers.commands.command_runs import CLAIMS, SIX, dpverify

from dpverify.reports.audits.json_form import read_audit
from dpverify.reports.record import Status


def test_a_claims_file_that_exits_is_an_error(folder: Path) -> None:
    (folder / "claims_exit.py").write_text("import sys\nsys.exit()")
    done = dpverify("audit", "claims_exit.py")
    assert done.exit_code == 2
    assert (
        done.stderr == "Error: claims_exit.py, line 2: it raised SystemExit: mend that file or module [file-raised]\n"
    )


def test_a_report_on_standard_output_is_alone_there() -> None:
    done = dpverify("audit", "claims_mine.py", "--json", "-")
    assert done.exit_code == 0
    assert len(read_audit(done.stdout).claims) == 2
    assert "all as expected" in done.stderr


@pytest.mark.usefixtures("decided_here")
def test_verbose_and_quiet() -> None:
    assert dpverify("audit", "claims_mine.py", "--quiet").stdout == "2 claims: 1 PROVED, 1 REFUTED; all as expected\n"
    whole = dpverify("audit", "claims_mine.py", "-v").stdout
    assert "Scope: all 126 ordered pairs" in whole
    assert "a known leak" in whole
    assert dpverify("audit", "-q", "-v").exit_code == 2


@pytest.mark.usefixtures("decided_here")
def test_what_is_not_decided_is_a_row_of_every_report(folder: Path) -> None:
    (folder / "claims_mine.py").write_text(
        CLAIMS + "bad = Claim(id='mine.<bad>', mechanism=most_common, domain=[], epsilon=1, source='a | b')"
    )
    done = dpverify("audit", "claims_mine.py", "--json", "a.json", "--markdown", "a.md", "--html", "a.html")
    assert done.exit_code == 2
    why = "domain=[] is empty: give at least two databases that are neighbours [domain-empty]"
    assert done.stderr == f"Error: 1 of 3 not decided: mine.<bad>: {why}\n"
    headline = "2 claims: 1 PROVED, 1 REFUTED; all as expected; not decided: 1 row; this report is partial"
    assert done.stdout.endswith(f"NOT DECIDED  mine.<bad>\n    {why}\n\n{headline}\nwrote a.json, a.md, a.html\n")
    record = read_audit((folder / "a.json").read_text())
    (row,) = record.not_decided
    assert (row.id, row.kind, row.source, row.expected) == ("mine.<bad>", "privacy", "a | b", Status.PROVED)
    assert record.partial
    assert not record.as_expected
    sentence = "1 of 3 claims hold; 1 refuted as expected; 1 not decided"
    assert f"**{sentence}.**" in (folder / "a.md").read_text()
    assert (
        "| `mine.<bad>` | domain=\\[\\] is empty: give at least two databases that are neighbours "
        in (folder / "a.md").read_text()
    )
    page = (folder / "a.html").read_text()
    assert ">1 of 3 claims hold<" in page and ">1 not decided<" in page
    assert "NOT DECIDED" in page
    assert "mine.&lt;bad&gt;" in page
    assert "<bad>" not in page


@pytest.mark.usefixtures("decided_here")
def test_a_file_that_cannot_be_read_does_not_hide_the_others(folder: Path) -> None:
    (folder / "claims_broken.py").write_text("import nowhere")
    done = dpverify("audit", "claims_broken.py", "claims_mine.py", "--json", "a.json")
    assert done.exit_code == 2
    assert "2 claims: 1 PROVED, 1 REFUTED; all as expected; not decided: 1 row" in done.stdout
    assert done.stderr.startswith(
        "Error: 1 of 3 not decided: claims_broken.py: line 1: there is no module nowhere: write "
    )
    (row,) = read_audit((folder / "a.json").read_text()).not_decided
    assert (row.id, row.kind, row.expected) == ("claims_broken.py", "file", None)
    both = dpverify("audit", "claims_broken.py", "claims_missing.py", "--json", "a.json")
    assert both.exit_code == 2
    assert [row.id for row in read_audit((folder / "a.json").read_text()).not_decided] == [
        "claims_broken.py",
        "claims_missing.py",
    ]
    assert dpverify("audit", "no.such.id", "claims_mine.py").stdout == "", "what is mistyped is no claim"


@pytest.mark.usefixtures("decided_here")
def test_a_single_claim_that_is_not_decided_has_a_report_too(folder: Path) -> None:
    done = dpverify("check", "mylib:most_common", *SIX, "--epsilon", "0", "--json", "a.json")
    assert done.exit_code == 2
    assert done.stdout == "wrote a.json\n"
    assert len(done.stderr.splitlines()) == 1
    record = read_audit((folder / "a.json").read_text())
    assert not record.claims
    assert f"Error: mylib:most_common: {record.not_decided[0].reason}\n" == done.stderr


def test_audit_a_file(folder: Path) -> None:
    done = dpverify("audit", "claims_mine.py", "--json", "a.json")
    assert done.exit_code == 0, done.output
    assert "2 claims: 1 PROVED, 1 REFUTED; all as expected" in done.stdout
    assert [claim.id for claim in read_audit((folder / "a.json").read_text()).claims] == ["mine.one", "mine.two"]
    assert "3 claims" in dpverify("audit", "claims_mine.py", "--depth", "full", "--jobs", "2").stdout
    assert "1 claim:" in dpverify("audit", "claims_mine.py::mine.late").stdout
    unexpected = CLAIMS.replace("expected=Status.REFUTED, ", "")
    (folder / "claims_mine.py").write_text(unexpected)
    assert dpverify("audit", "claims_mine.py").exit_code == 1


@pytest.mark.deep
@pytest.mark.usefixtures("decided_here")
def test_audit_parts_of_the_catalogue() -> None:
    done = dpverify("audit", "BNS-J-2.25.privacy.scores*", "BNS-J-2.25.privacy.scores", "claims_mine.py::mine.two")
    assert done.exit_code == 0
    assert "5 claims: 4 PROVED, 1 REFUTED" in done.stdout


def test_list() -> None:
    whole = dpverify("list", "--catalogue")
    assert whole.exit_code == 0
    assert len(whole.stdout.splitlines()) > 70
    assert dpverify("list", "claims_mine.py").stdout.splitlines() == [
        "claims_mine.py",
        "  mine.one   privacy  PROVED   ε = 1",
        "  mine.two   privacy  REFUTED  ε = 1  a known leak",
        "  mine.late  privacy  PROVED   ε = 1",
    ]


@pytest.mark.usefixtures("decided_here")
def test_explain() -> None:
    done = dpverify("explain", "BNS-J-2.26.privacy.printed")
    assert done.exit_code == 0
    for part in (
        "Proposition 2.26(i)",
        "def choose_by_stability_journal(",
        "worst δ: 1 - 1/20·e^2 - 5·e^(-3) = 0.381611853214",
        "worst pair: (0, 0, 3) and (0, 1, 2)",
        "exact ε: ∞",
        "best_whatever_the_gap is REFUTED",
        "left   (0, 0, 1)",
    ):
        assert part in done.stdout
    assert "Rényi: ∞ of order 2, ∞ of order 4, ∞ of order 8; ρ-zCDP for no ρ" in done.stdout
    mine = dpverify("explain", "claims_mine.py::mine.one")
    assert mine.exit_code == 0
    assert "Rényi: 0." in mine.stdout
    assert "not ρ-zCDP for any ρ < 0." in mine.stdout
    assert "δ(ε) = 0 for" in mine.stdout
    assert dpverify("explain", "claims_mine.py::mine.two").exit_code == 0


NOT_ALL_DECIDED = """
from fractions import Fraction
from dpverify.mechanisms import exponential, laplace
from dpverify.verifiers import Case, Claim, Histograms, Tuples, UtilityClaim, replace_one
from dpverify.verifiers.all_sizes.compositions import EveryDatabase

BITS = Tuples((0, 1), size=1)
def noisy(draw, rows): return sum(rows) + draw(laplace(1))
def raises(draw, rows): return rows[2]
def of_text(draw, rows): return "a" + draw(laplace(1))
def by_place(draw, rows): return [row for row in rows].index(0)
def negative(draw, rows): return rows.count(0) + draw(laplace(-1))
def pick(draw, rows, *, epsilon): return draw(exponential({x: 2 * rows.count(x) for x in (0, 1)}, epsilon))
def whole(draw, rows): return draw(pick, rows, epsilon=1)
def never(case): return 1 / 0
def moves(rows): raise LookupError("moves")

claims = [
    Claim(id="a.first", mechanism=noisy, domain=BITS, epsilon=1),
    Claim(id="b.raises", mechanism=raises, domain=BITS, epsilon=1),
    Claim(id="c.text", mechanism=of_text, domain=BITS, epsilon=1),
    Claim(id="d.negative", mechanism=negative, domain=Histograms((0, 1)), neighbours=replace_one, epsilon=1),
    Claim(id="e.relation", mechanism=noisy, domain=BITS, neighbours=moves, epsilon=1),
    Claim(id="f.composed", mechanism=whole, domain=EveryDatabase((0, 1), parts=(pick,)), neighbours=replace_one, epsilon=1),
    UtilityClaim(id="g.utility", mechanism=noisy, mutant=noisy, cases=[Case((0,))], succeeds=lambda c, o: True, beta=never),
    Claim(id="h.last", mechanism=noisy, domain=BITS, epsilon=1),
]
"""


@pytest.mark.forks
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_one_claim_that_cannot_be_decided_stops_no_other(folder: Path, jobs: str) -> None:
    (folder / "claims_some.py").write_text(NOT_ALL_DECIDED)
    done = dpverify("audit", "claims_some.py", "--jobs", jobs, "--no-cache", "--json", "some.json")
    audit = read_audit((folder / "some.json").read_text())
    assert {result.id: str(result.verdict) for result in audit.claims} == {
        "a.first": "PROVED",
        "f.composed": "UNDECIDED",
        "h.last": "PROVED",
    }
    words = {
        "b.raises": "raised IndexError",
        "c.text": "noise was added to 'a', which is not a number",
        "d.negative": "scale=-1 must be at least 0",
        "e.relation": "the relation moves on (0,) raised LookupError",
        "g.utility": "raised ZeroDivisionError",
    }
    reasons = {row.id: row.reason for row in audit.not_decided}
    assert reasons.keys() == words.keys()
    assert all(words[name] in reason for name, reason in reasons.items()), reasons
    assert "sub-mechanism pick is REFUTED on Histograms((0, 1), sizes=OrMore(1)), at ε = 1, δ = 0" in done.stdout
    assert done.exit_code == 2
