"""dpverify audit --baseline and dpverify compare, as a maintainer has them: a red and a green gate, end to end."""

from __future__ import annotations

import json
import sys
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest
from tests.verifiers.commands.command_runs import dpverify
from tests.verifiers.commands.five_mechanisms import CLAIMS, HALF_THE_NOISE, LIBRARY, MORE_NOISE

from dpverify.reports.json_form import from_json

BASELINE = "dpverify-baseline.json"
GATE = ("audit", "claims_mylib.py", "-q", "--no-recheck", "--jobs", "1", "--baseline", BASELINE)
TOLD = "claims_mylib.py::mylib.told"

pytestmark = pytest.mark.usefixtures("decided_here")


@pytest.fixture
def library(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CI", "1")
    (folder / ".git").mkdir()
    (folder / "mylib.py").write_text(LIBRARY)
    (folder / "claims_mylib.py").write_text(CLAIMS)
    return folder


@pytest.fixture
def gated(library: Path) -> Path:
    (library / BASELINE).write_text(baseline())
    return library


@cache
def baseline() -> str:
    """Of the library in the working directory; it is the same in any."""
    assert dpverify(*GATE, "--update-baseline").exit_code == 0
    return Path(BASELINE).read_text()


def change(file: Path, before: str, after: str) -> None:
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))
    forget(file)


def forget(file: Path) -> None:
    """Also as it was compiled, which a file of the same second and the same size is taken for."""
    sys.modules.pop(file.stem, None)
    Path(cache_from_source(str(file))).unlink(missing_ok=True)


def test_a_green_and_a_red_gate(gated: Path) -> None:
    green = dpverify(*GATE)
    assert green.exit_code == 0
    assert green.stdout.endswith(
        "KNOWN        mylib.pair_at_half  (mylib.py:24 noisy_pair)  refuted and known\n"
        "gate: 1 known, 6 the same: it passes\n"
    )
    change(gated / "mylib.py", *HALF_THE_NOISE)
    red = dpverify(*GATE, "--json", "red.json")
    assert red.exit_code == 1
    _, _, said = red.stdout.partition("1 not as expected\n\n")
    assert said.startswith(
        "WORSE        mylib.noisy_count  (mylib.py:16 noisy_count)\n"
        "    not as expected, which it was: expected PROVED\n"
        "    refuted and new\n"
        "    verdict: PROVED → REFUTED\n"
        "    ε: 1 → 2\n"
    )
    assert "        left (0, 0)\n        right (0, 1)\n        event {0}\n" in said
    assert said.endswith("gate: 1 worse, 1 known, 5 the same: it does not pass\n")
    compared = dpverify("compare", BASELINE, "red.json", "--quiet")
    assert compared.exit_code == 1
    assert compared.stdout == said
    # what was accepted once is known, and no worse
    assert dpverify(*GATE, "--update-baseline").exit_code == 0
    known = dpverify(*GATE)
    assert known.exit_code == 0
    assert "KNOWN        mylib.noisy_count" in known.stdout
    assert "not as expected, and known: expected PROVED" in known.stdout


def test_what_nobody_may_do_unseen(gated: Path) -> None:
    """A claim is deleted, another pins what its mechanism does now, and a domain shrinks."""
    claims = gated / "claims_mylib.py"
    change(gated / "mylib.py", "discrete_laplace(2 / epsilon)", "discrete_laplace(1 / epsilon)")
    lines = [line for line in claims.read_text().splitlines() if 'id="mylib.above"' not in line]
    text = "\n".join(lines).replace(
        "domain=BITS, epsilon=1, mutant=exact_pair",
        'domain=BITS, epsilon=2, parameters={"epsilon": 1}, mutant=exact_pair',
    )
    claims.write_text(text.replace("size=4", "size=3"))
    forget(claims)
    done = dpverify(*GATE)
    assert done.exit_code == 1
    _, _, said = done.stdout.partition("all as expected\n\n")  # an audit alone passes
    assert "GONE         mylib.above  (mylib.py above)\n    it was PROVED, and is no claim any more\n" in said
    assert "LOST         mylib.above  (mylib.py)\n    no claim speaks of it any more; mylib.above did\n" in said
    assert "WORSE        mylib.noisy_pair  (mylib.py:24 noisy_pair)\n    claimed ε: 1 → 2\n    ε: 1 → 2\n" in said
    assert "WORSE        mylib.pair_at_half  (mylib.py:24 noisy_pair)\n    refuted before\n    ε: 1 → 2\n" in said
    assert "WORSE        mylib.most_common  (mylib.py:6 most_common)\n    pairs: 60 → 36\n" in said
    assert "gate: 3 worse, 1 gone, 1 without a claim, 3 the same: it does not pass\n" in said


def test_what_is_better_asks_for_an_update(library: Path) -> None:
    claims = library / "claims_mylib.py"
    claims.write_text("\n".join(line for line in CLAIMS.splitlines() if "pair_at_half" not in line))
    assert dpverify(*GATE, "--update-baseline").exit_code == 0
    change(library / "mylib.py", *MORE_NOISE)
    done = dpverify(*GATE)
    assert done.exit_code == 0
    assert "BETTER       mylib.noisy_pair  (mylib.py:24 noisy_pair)\n    ε: 1 → 1/2\n" in done.stdout
    assert done.stdout.endswith(
        "it passes\nbetter than dpverify-baseline.json: keep it by the same command with --update-baseline, and commit "
        "the file\n"
    )


def test_a_narrower_question_leaves_the_others_as_they_are(gated: Path) -> None:
    done = dpverify("audit", TOLD, "--no-recheck", "--baseline", BASELINE)
    assert done.exit_code == 0
    assert "gate: 1 the same; 6 of the baseline not asked for: it passes" in done.stdout
    before = (gated / BASELINE).read_bytes()
    assert dpverify("audit", TOLD, "--no-recheck", "--update-baseline").exit_code == 0
    assert (gated / BASELINE).read_bytes() == before
    (gated / "claims_other.py").write_text(CLAIMS.replace('id="mylib.', 'id="other.'))
    other = dpverify("audit", "claims_other.py::other.told", "--no-recheck", "--baseline", BASELINE)
    assert "7 of the baseline not asked for: it passes" in other.stdout
    (gated / "claims_mylib.py").unlink()
    forget(gated / "claims_mylib.py")
    other = dpverify("audit", "claims_other.py::other.told", "--no-recheck", "--baseline", BASELINE)
    assert other.exit_code == 1
    assert "7 gone" in other.stdout


def test_a_partial_audit_is_no_baseline(library: Path) -> None:
    change(library / "mylib.py", "    return bit if truly else 1 - bit", "    raise KeyError('a row')")
    done = dpverify(*GATE, "--update-baseline", "--json", "partial.json")
    assert done.exit_code == 2
    assert "Error: a partial audit is no baseline: 2 rows not decided, first mylib.told\n" in done.stderr
    assert not (library / BASELINE).exists()
    for refused in (
        dpverify("audit", TOLD, "--baseline", "partial.json"),
        dpverify("compare", "partial.json", "partial.json"),
    ):
        assert refused.exit_code == 2
        assert refused.stderr == (
            "Error: partial.json is partial, and no baseline: 2 rows not decided, first mylib.told\n"
        )


def test_what_is_left_open_has_a_status_of_its_own(gated: Path) -> None:
    done = dpverify(
        "audit", "claims_mylib.py::mylib.noisy_*", "--no-recheck", "--baseline", BASELINE, "--limit", "outcomes=1"
    )
    assert done.exit_code == 3
    assert "    verdict: PROVED → UNDECIDED\n" in done.stdout
    assert "gate: 2 worse, 0 the same; 5 of the baseline not asked for: it does not pass" in done.stdout


def test_what_is_not_decided_any_more_is_said(gated: Path) -> None:
    change(gated / "mylib.py", "    return bit if truly else 1 - bit", "    raise KeyError('a row')")
    done = dpverify(*GATE, "--json", "new.json")
    assert done.exit_code == 2
    assert "NOT DECIDED  mylib.told  (mylib.py told)\n" in done.stdout
    assert "gate: 2 not decided, 1 known, 4 the same: it does not pass" in done.stdout
    assert dpverify("compare", BASELINE, "new.json").exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--baseline", "none.json"), "there is no baseline none.json: write one by --update-baseline"),
        (("--baseline", "mylib.py"), "mylib.py: not an audit of dpverify"),
        (("--baseline", "mylib.py", "--update-baseline"), "mylib.py: not an audit of dpverify"),
        (("--baseline", "."), "cannot read .: Is a directory"),
        (("--baseline", "-"), "a baseline is a file that is kept: name one"),
        (("--baseline", "nowhere/b.json", "--update-baseline"), "there is no folder nowhere"),
    ],
)
def test_what_is_no_baseline(library: Path, arguments: tuple[str, ...], message: str) -> None:
    done = dpverify("audit", TOLD, *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_baseline_is_the_record_without_lines_and_curves(gated: Path) -> None:
    before = (gated / BASELINE).read_text()
    assert len(before) < 20_000
    record = from_json(before)
    assert all(claim.location and claim.location.line == 0 and claim.location.file for claim in record.claims)
    claims = gated / "claims_mylib.py"
    claims.write_text("\n" + claims.read_text())
    forget(claims)
    assert dpverify(*GATE, "--update-baseline").exit_code == 0
    assert (gated / BASELINE).read_text() == before


def test_compare_passes_what_is_better_unless_it_has_to_be_identical(gated: Path) -> None:
    data: dict[str, Any] = json.loads((gated / BASELINE).read_text())
    for claim in data["claims"]:
        if claim["id"] == "mylib.told":
            claim["pairs"] = 1
    (gated / "old.json").write_text(json.dumps(data))
    better = dpverify("compare", "old.json", BASELINE)
    assert better.exit_code == 0
    assert "BETTER       mylib.told" in better.stdout
    assert dpverify("compare", "old.json", BASELINE, "--identical").exit_code == 1
    assert dpverify("compare", BASELINE, "old.json").exit_code == 1
    assert dpverify("compare", BASELINE, BASELINE, "--identical").exit_code == 0


def test_a_red_gate_on_github_with_its_sarif_read_back(gated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(gated / "mylib.py", *HALF_THE_NOISE)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(gated / "summary.md"))
    (gated / "summary.md").write_text("of a step before\n")
    done = dpverify(*GATE, "--sarif", "a.sarif", "--junit", "a.xml")
    assert done.exit_code == 1
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("::")]
    assert line.startswith("::error file=mylib.py,line=16,title=mylib.noisy_count is worse::")
    told = (gated / "summary.md").read_text()
    assert told.startswith("of a step before\n## dpverify\n")
    assert "### ❌ WORSE `mylib.noisy_count`" in told
    (run,) = json.loads((gated / "a.sarif").read_text())["runs"]
    refuted, known = run["results"]
    assert (refuted["ruleId"], known["ruleId"]) == ("refuted", "known-refutation")
    place = refuted["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("mylib.py", 16)
    lines = (gated / "mylib.py").read_text().splitlines()
    assert lines[place["region"]["startLine"] - 1] == "def noisy_count(draw, rows, *, epsilon):"
    assert '<testsuites name="dpverify" tests="7" failures="1"' in (gated / "a.xml").read_text()
    quiet = dpverify("audit", TOLD, "--no-recheck", "--no-github")
    assert "::" not in quiet.stdout
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(gated / "no" / "folder"))
    done = dpverify("audit", TOLD, "--no-recheck", "--json", "-")
    assert done.exit_code == 0
    assert "cannot write the summary of the job" in done.stderr
    assert json.loads(done.stdout)


def test_reports_of_a_red_gate_hold_what_is_not_there_any_more(gated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim is deleted, another gets worse and holds, and a function has no claim."""
    claims = gated / "claims_mylib.py"
    lines = [line for line in CLAIMS.splitlines() if 'id="mylib.above"' not in line]
    claims.write_text("\n".join(lines).replace("size=4", "size=3"))
    forget(claims)
    reports = ("--sarif", "a.sarif", "--junit", "a.xml", "--coverage", "mylib", "--github")
    done = dpverify(*GATE, *reports)
    assert done.exit_code == 1
    (run,) = json.loads((gated / "a.sarif").read_text())["runs"]
    found = {
        (one["ruleId"], one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) for one in run["results"]
    }
    assert found == {
        *(("worse", "mylib.py"), ("gone", "claims_mylib.py"), ("lost", "mylib.py"), ("known-refutation", "mylib.py"))
    }
    assert 'name="mylib.above" time="0" file="mylib.py"' in (gated / "a.xml").read_text()
    assert [line.partition("::")[2].partition("::")[0] for line in done.stdout.splitlines() if line[:2] == "::"] == [
        "error file=mylib.py,line=6,title=mylib.most_common is worse",
        "error file=claims_mylib.py,title=mylib.above is gone",
        "error file=mylib.py,title=mylib.above is lost",
    ]
    # accepted once it is no finding; --strict asks for a claim all the same
    accepted = dpverify(*GATE, "--update-baseline", "--sarif", "a.sarif")
    assert accepted.exit_code == 0
    (run,) = json.loads((gated / "a.sarif").read_text())["runs"]
    assert [one["ruleId"] for one in run["results"]] == ["known-refutation"]
    strict = dpverify("audit", TOLD, "--strict", "--no-cache", *reports)
    assert strict.exit_code == 1
    assert "--strict fails: 1 function without a claim\n" in strict.stdout
    assert "::error file=mylib.py,line=20,title=mylib.above has no claim::" in strict.stdout
    (run,) = json.loads((gated / "a.sarif").read_text())["runs"]
    assert [(one["ruleId"], one["message"]["text"]) for one in run["results"]] == [
        ("no-claim", "mylib.above draws, and no claim speaks of it")
    ]
    assert 'name="mylib.above" time="0" file="mylib.py" line="20"' in (gated / "a.xml").read_text()


def test_a_package_that_cannot_be_imported_costs_no_report(gated: Path) -> None:
    (gated / "broken.py").write_text("1 / 0")
    done = dpverify("audit", TOLD, "--no-recheck", "--coverage", "broken", "--sarif", "a.sarif")
    assert done.exit_code == 2
    assert done.stdout.startswith("PROVED       mylib.told ")
    assert json.loads((gated / "a.sarif").read_text())["runs"][0]["results"] == []
