"""What no database runs, as it is told: on the terminal, in every report, by pytest, and from the cache."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.verifiers.commands.command_runs import dpverify, forget_modules

from dpverify.reports.audits.json_form import read_audit
from dpverify.verifiers.line_coverage.collecting import IS_CHEAP

pytest_plugins = ["pytester"]

LIBRARY = """PROD = False
from dpverify.mechanisms import discrete_laplace

def total(draw, rows, *, epsilon):
    if len(rows) > 6:
        return max(rows)
    if not rows:
        raise ValueError("no rows")
    return sum(rows) + draw(discrete_laplace(1 / epsilon))

def told(draw, rows, *, epsilon):
    if PROD:
        return rows  # dp: unreached, because nothing sets it
    return total(draw, rows, epsilon=epsilon)

def leak(draw, rows, *, epsilon):
    return sum(rows)

def clean(draw, rows, *, epsilon):
    return sum(rows) + draw(discrete_laplace(1 / epsilon))
"""

CLAIMS = """
from dpverify.verifiers import Claim, Tuples
import mylib

BITS = Tuples((0, 1), size=2)
GIVEN = {"domain": BITS, "epsilon": 1, "mutant": mylib.leak}
clean = Claim(id="clean", mechanism=mylib.clean, **GIVEN)
total = Claim(id="total", mechanism=mylib.total, **GIVEN)
told = Claim(id="told", mechanism=mylib.told, **GIVEN)
"""

LINES = "mylib.py:6 never run by any of the 4 databases"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "mylib.py").write_text(LIBRARY)
    (tmp_path / "claims_mine.py").write_text(CLAIMS)
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    forget_modules()


@pytest.mark.usefixtures("folder", "decided_here")
def test_a_terminal_names_the_lines_below_the_claim() -> None:
    done = dpverify("audit", "claims_mine.py", "--no-cache", "--reach")
    assert done.exit_code == 0, done.output
    assert done.stdout.count(f"    {LINES}\n") == 2
    without = dpverify("audit", "claims_mine.py", "--no-cache", "--no-reach")
    assert "never run" not in without.stdout
    by_default = dpverify("audit", "claims_mine.py", "--no-cache")
    assert (LINES in by_default.stdout) is IS_CHEAP


@pytest.mark.usefixtures("folder", "decided_here")
def test_strict_fails_and_says_what_to_write() -> None:
    done = dpverify("audit", "claims_mine.py", "--no-cache", "--strict", "--quiet")
    assert done.exit_code == 1
    assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("PROVED")] == ["total", "told"]
    assert f"    {LINES}; --strict asks for a domain on which all of it runs, or for `# dp: unreached, because …` " in (
        done.stdout
    )
    assert dpverify("audit", "claims_mine.py", "clean", "--no-cache", "--strict").exit_code == 0
    assert dpverify("audit", "claims_mine.py", "--no-cache", "--strict", "--no-reach").exit_code == 0
    assert dpverify(
        "check", "mylib.py:total", "--domain", "Tuples((0, 1), size=2)", "--epsilon", "1", "--strict"
    ).exit_code


def text_of_page(folder: Path) -> str:
    return (folder / "out.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("folder", "decided_here")
def test_every_report_names_them(folder: Path) -> None:
    outputs = [part for form in ("json", "html", "markdown", "sarif") for part in (f"--{form}", f"out.{form}")]
    done = dpverify("audit", "claims_mine.py", "--no-cache", "--reach", *outputs)
    assert done.exit_code == 0, done.output
    clean, total, told = read_audit((folder / "out.json").read_bytes()).claims
    assert clean.never_run is not None and total.never_run is not None and told.never_run is not None
    assert clean.never_run.lines == []
    assert [(line.file, line.first, line.raises, line.because) for line in told.never_run.lines] == [
        ("mylib.py", 6, False, ""),
        ("mylib.py", 8, True, ""),
        ("mylib.py", 13, False, "nothing sets it"),
    ]
    for name in ("html", "markdown"):
        text = (folder / f"out.{name}").read_text()
        assert LINES in text
        assert "Only to raise, and never run: mylib.py:8." in text
        assert "mylib.py:13: accepted, because nothing sets it." in text
    marked = re.findall(r'<code class="[^"]*never-ran"><i>(\d+)</i>([^<]*)', text_of_page(folder))
    assert marked == [("6", "        return max(rows)")], "in the source of total; that of told has it not"
    found = json.loads((folder / "out.sarif").read_text())["runs"][0]["results"]
    places = [
        (
            one["ruleId"],
            one["level"],
            one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            one["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for one in found
    ]
    assert places == [("never-run", "note", "mylib.py", 6)] * 2
    assert len({one["partialFingerprints"]["claim/v1"] for one in found}) == 2


@pytest.mark.usefixtures("folder")
def test_it_is_kept_with_the_verdict(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.delenv("CI", raising=False)
    before = dpverify("audit", "claims_mine.py", "clean", "total", "--reach")
    after = dpverify("audit", "claims_mine.py", "clean", "total", "--reach")
    assert LINES in before.stdout
    assert LINES in after.stdout
    assert "never run" not in dpverify("audit", "claims_mine.py", "clean", "total", "--no-reach").stdout


@pytest.mark.usefixtures("folder", "decided_here")
def test_a_baseline_holds_no_lines_which_move(folder: Path) -> None:
    asked = ("audit", "claims_mine.py", "--no-cache", "--reach")
    assert dpverify(*asked, "--update-baseline").exit_code == 0
    kept = (folder / "dpverify-baseline.txt").read_text()
    assert "never_run" not in kept
    assert not re.search(r"mylib\.py:\d", kept)
    (folder / "mylib.py").write_text("\n\n" + LIBRARY)
    assert dpverify(*asked, "--baseline", "dpverify-baseline.txt").exit_code == 0


@pytest.mark.usefixtures("folder", "decided_here")
def test_a_baseline_holds_what_comments_accept(folder: Path) -> None:
    asked = ("audit", "claims_mine.py", "total", "--no-cache", "--no-reach")
    assert dpverify(*asked, "--update-baseline").exit_code == 0
    first = "    if len(rows) > 6:"
    (folder / "mylib.py").write_text(LIBRARY.replace(first, f"{first}  # dp: unreached, because nobody has so many"))
    red = dpverify(*asked, "--baseline", "dpverify-baseline.txt")
    assert red.exit_code == 1
    assert "unreached in mylib.py" in red.stdout
    assert "nothing → nobody has so many" in red.stdout


@pytest.mark.usefixtures("folder", "decided_here")
def test_a_comment_without_a_reason_leaves_its_claims_undecided(folder: Path) -> None:
    (folder / "mylib.py").write_text(LIBRARY.replace("  # dp: unreached, because nothing sets it", "  # dp: unreached"))
    done = dpverify("audit", "claims_mine.py", "--no-cache", "--reach")
    assert done.exit_code == 2
    assert "mylib.py:13: # dp: unreached gives no reason: write `# dp: unreached, because …`" in done.output


@pytest.mark.usefixtures("folder", "decided_here")
def test_explain_tells_of_it() -> None:
    found = dpverify("explain", "claims_mine.py", "total").stdout
    assert ("never run by any of the 4 databases" in found) is IS_CHEAP


@pytest.mark.deep
def test_pytest_names_them(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(mylib=LIBRARY, claims_mine=CLAIMS)
    done = pytester.runpytest_subprocess("-p", "no:randomly", "--dp-reach", "--dp-no-recheck", "claims_mine.py")
    done.stdout.fnmatch_lines(["PROVED       total*", f"*{LINES}", "*3 claims: 3 PROVED; all as expected*"])
    assert done.ret == 0
