"""dpverify audit --baseline and dpverify compare, as a maintainer has them: a red and a green gate, end to end."""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest
from tests.verifiers.commands.command_runs import dpverify
from tests.verifiers.commands.gates.five_mechanisms import CLAIMS, HALF_THE_NOISE, LIBRARY, MORE_NOISE

BASELINE = "dpverify-baseline.txt"
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
        "KNOWN        mylib.pair_at_half  (mylib.py:24 noisy_pair)  known violation\n"
        "Gate passed: 6 unchanged, 1 known violation\n"
    )
    assert dpverify(*GATE, "--json", "green.json").exit_code == 0
    change(gated / "mylib.py", *HALF_THE_NOISE)
    red = dpverify(*GATE, "--json", "red.json")
    assert red.exit_code == 1
    table, _, said = red.stdout.partition("1 not as expected\nwrote red.json\n\n")
    assert said.startswith(
        "WORSE        mylib.noisy_count  (mylib.py:16 noisy_count)\n"
        "    not as expected, which it was: expected PROVED\n"
        "    refuted and new\n"
        "    verdict: PROVED → REFUTED\n"
        "KNOWN "
    )
    assert table.count("Pr[event | left]  =") == 1
    assert "Pr[event | left]" not in said, "the witness stands above"
    assert "Gate failed: 1 worse, 5 unchanged, 1 known violation\n" in said
    compared = dpverify("compare", "green.json", "red.json", "--quiet")
    assert compared.exit_code == 1
    assert compared.stdout.count("Pr[event | left] =") == 1, "where there is no table, here"
    assert compared.stdout.startswith("".join(said.partition("KNOWN")[:1]))
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
    assert "GONE         mylib.above  (claims_mylib.py)\n    it was PROVED, and is no claim any more\n" in said
    assert "WORSE        mylib.noisy_pair  (claims_mylib.py:45)\n    claimed ε: 1 → 2\n" in said
    assert "CHANGED      mylib.most_common  (claims_mylib.py:38)\n" in said
    assert "    domain: Multisets(range(0, 3), size=4) (15, " in said
    assert "WORSE        mylib.pair_at_half" in said, "half the noise is a larger violation"
    assert "    tight ε: 1 → 2\n" in said
    assert "Gate failed: 2 worse, 1 gone, 1 changed, 3 unchanged\n" in said
    assert "accept what is meant by the same audit with --update-baseline" in said


def test_what_is_stronger_passes_and_asks_for_an_update(gated: Path) -> None:
    change(gated / "claims_mylib.py", "size=4", "sizes=range(1, 6)")
    done = dpverify(*GATE)
    assert done.exit_code == 0
    assert (
        "STRONGER     mylib.most_common  (claims_mylib.py:38)\n    domain: Multisets(range(0, 3), size=4)"
        in done.stdout
    )
    assert "\nGate passed: " in done.stdout
    assert done.stdout.endswith(
        "\naccept what is meant by the same audit with --update-baseline, and have the difference reviewed\n"
    )
    change(gated / "claims_mylib.py", "sizes=range(1, 6)", "size=4")
    change(gated / "mylib.py", *MORE_NOISE)
    lines = [line for line in (gated / "claims_mylib.py").read_text().splitlines() if "pair_at_half" not in line]
    (gated / "claims_mylib.py").write_text("\n".join(lines))
    forget(gated / "claims_mylib.py")
    more = dpverify(*GATE)
    assert "mylib.noisy_pair" not in more.stdout, "who makes it more private changes no question"


def test_an_update_is_a_difference_of_one_line(gated: Path) -> None:
    before = (gated / BASELINE).read_text().splitlines()
    change(gated / "claims_mylib.py", "size=4", "size=3")
    assert dpverify(*GATE).exit_code == 1
    assert dpverify(*GATE, "--update-baseline").exit_code == 0
    after = (gated / BASELINE).read_text().splitlines()
    assert len(before) == len(after)
    (pair,) = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    assert [f"size={size}" in line for size, line in zip((4, 3), pair, strict=True)] == [True, True]
    assert dpverify(*GATE).exit_code == 0


def test_a_claim_that_is_left_to_a_later_depth_is_accepted_at_that_depth_alone(gated: Path) -> None:
    change(
        gated / "claims_mylib.py",
        "domain=BITS, epsilon=1, mutant=exact_pair",
        'domain=BITS, epsilon=1, depth="full", mutant=exact_pair',
    )
    before = (gated / BASELINE).read_bytes()
    assert "it is no longer decided at depth quick" in dpverify(*GATE).stdout
    refused = dpverify(*GATE, "--update-baseline")
    assert refused.exit_code == 2
    assert "mylib.noisy_pair is left to depth full" in refused.stderr
    assert (gated / BASELINE).read_bytes() == before
    assert dpverify(*GATE, "--update-baseline", "--depth", "full").exit_code == 0
    done = dpverify(*GATE)
    assert done.exit_code == 0
    assert "1 of the baseline not asked for" in done.stdout


def test_a_narrower_question_leaves_the_others_as_they_are(gated: Path) -> None:
    done = dpverify("audit", TOLD, "--no-recheck", "--baseline", BASELINE)
    assert done.exit_code == 0
    assert "Gate passed: 1 unchanged; 6 of the baseline not asked for" in done.stdout
    before = (gated / BASELINE).read_bytes()
    assert dpverify("audit", TOLD, "--no-recheck", "--update-baseline").exit_code == 0
    assert (gated / BASELINE).read_bytes() == before
    (gated / "claims_other.py").write_text(CLAIMS.replace('id="mylib.', 'id="other.'))
    other = dpverify("audit", "claims_other.py::other.told", "--no-recheck", "--baseline", BASELINE)
    assert "Gate failed: 1 new, 0 unchanged; 7 of the baseline not asked for" in other.stdout
    (gated / "claims_mylib.py").unlink()
    forget(gated / "claims_mylib.py")
    other = dpverify("audit", "claims_other.py::other.told", "--no-recheck", "--baseline", BASELINE)
    assert other.exit_code == 1
    assert "Gate failed: 6 gone, 1 renamed, 0 unchanged" in other.stdout


def test_a_claim_that_became_one_of_another_kind_is_gone_where_that_is_not_asked_for(gated: Path) -> None:
    claims = gated / "claims_mylib.py"
    kept = [line for line in CLAIMS.splitlines() if 'id="mylib.told"' not in line]
    claims.write_text("\n".join(kept).replace('"mylib.told.truth"', '"mylib.told"'))
    forget(claims)
    done = dpverify(*GATE, "--kind", "privacy")
    assert done.exit_code == 1
    assert "GONE         mylib.told  (claims_mylib.py)" in done.stdout
    assert "GONE         mylib.told.truth" in done.stdout


def test_a_partial_audit_is_no_baseline(library: Path) -> None:
    change(library / "mylib.py", "    return bit if truly else 1 - bit", "    raise KeyError('a row')")
    done = dpverify(*GATE, "--update-baseline", "--json", "partial.json")
    assert done.exit_code == 2
    assert "a partial audit is no baseline: 2 rows not decided, first mylib.told" in done.stderr
    assert not (library / BASELINE).exists()
    refused = dpverify("compare", "partial.json", "partial.json")
    assert refused.exit_code == 2
    assert refused.stderr == (
        "Error: partial.json is no baseline: 2 rows not decided, first mylib.told: decide all claims [partial-audit]\n"
    )


def test_what_is_left_open_has_a_status_of_its_own(gated: Path) -> None:
    done = dpverify(
        "audit", "claims_mylib.py::mylib.noisy_*", "--no-recheck", "--baseline", BASELINE, "--limit", "outcomes=1"
    )
    assert done.exit_code == 3
    assert "    verdict: PROVED → UNDECIDED\n" in done.stdout
    assert "Gate failed: 2 worse, 0 unchanged; 5 of the baseline not asked for" in done.stdout


def test_what_is_not_decided_any_more_is_said(gated: Path) -> None:
    change(gated / "mylib.py", "    return bit if truly else 1 - bit", "    raise KeyError('a row')")
    done = dpverify(*GATE, "--json", "new.json")
    assert done.exit_code == 2
    assert "NOT DECIDED  mylib.told  (claims_mylib.py)\n" in done.stdout
    assert "accept what is meant" not in done.stdout, "no baseline takes what is not decided"
    assert "Gate failed: 2 not decided, 4 unchanged, 1 known violation" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--baseline", "none.txt"), "the baseline none.txt does not exist"),
        (
            ("--baseline", "mylib.py"),
            "mylib.py is no baseline of dpverify: it does not begin with “# dpverify baseline",
        ),
        (("--baseline", "mylib.py", "--update-baseline"), "is no baseline of dpverify: it does not begin"),
        (("--baseline", "."), "cannot read . (Is a directory): write the path of a file"),
        (("--baseline", "-"), "a baseline needs a file"),
        (("--baseline", "nowhere/b.txt", "--update-baseline"), "there is no folder nowhere"),
    ],
)
def test_what_is_no_baseline(library: Path, arguments: tuple[str, ...], message: str) -> None:
    done = dpverify("audit", TOLD, *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def damaged(text: str) -> dict[str, tuple[str, str]]:
    """What may have become of a baseline, and what is said of it."""
    title, first, second, *rest = text.splitlines(keepends=True)
    others = "".join([second, *rest])
    return {
        "JSON": (
            '{"claims": []}',
            "b.txt is no baseline of dpverify: it is of an earlier version, in JSON, which holds no questions",
        ),
        "later": (text.replace("format 4", "format 3", 1), "it is of format 3, and this version of dpverify reads 4"),
        "conflict": (
            f"{title}<<<<<<< HEAD\n{first}=======\n>>>>>>> other\n{others}",
            "b.txt: a merge has left conflicts in it, ",
        ),
        "edited": (text.replace("PROVED", "REFUTED", 1), "b.txt, line 2: the line of mylib.above was edited by hand"),
        "a word more": (text.replace('"kind"', '"sort": 1, "kind"', 1), "b.txt, line 2: not readable ("),
        "no JSON": (title + "mylib.above PROVED\n" + others, "b.txt, line 2: not readable ("),
        "a list": (title + "[1]\n", "b.txt, line 2: no line of a baseline"),
        "cut off": (text[:-40], "not readable ("),
        "twice": (text + first, "b.txt, line 9: a second line of mylib.above"),
        "empty": ("", "is no baseline of dpverify: it does not begin"),
        "another encoding": (text.encode("utf-16").decode("latin-1"), "is no baseline of dpverify: it does not begin"),
    }


@pytest.mark.parametrize("how", list(damaged("1\n2\n3\n")))
@pytest.mark.parametrize("update", [(), ("--update-baseline",)], ids=["read", "written"])
def test_a_damaged_baseline_is_one_clear_error_and_stays(gated: Path, how: str, update: tuple[str, ...]) -> None:
    text, message = damaged((gated / BASELINE).read_text())[how]
    (gated / "b.txt").write_text(text)
    done = dpverify("audit", TOLD, "--baseline", "b.txt", *update)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == "", "nothing is decided"
    assert (gated / "b.txt").read_text() == text


def test_a_huge_file_is_no_baseline(gated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (gated / "b.txt").open("wb") as opened:
        opened.truncate(1 << 40)  # which takes no room
    done = dpverify("audit", TOLD, "--baseline", "b.txt")
    assert done.exit_code == 2
    assert (
        done.stderr
        == "Error: b.txt is no baseline of dpverify: it has more than 64 MB: name another file [not-a-baseline]\n"
    )


def test_the_baseline_has_no_lines_of_files(gated: Path) -> None:
    before = (gated / BASELINE).read_text()
    assert len(before.splitlines()) == 8
    assert all(len(line) < 600 for line in before.splitlines())
    claims = gated / "claims_mylib.py"
    claims.write_text("\n# a line more\n" + claims.read_text())
    forget(claims)
    assert dpverify(*GATE, "--update-baseline").exit_code == 0
    assert (gated / BASELINE).read_text() == before


def test_compare_passes_what_is_stronger_unless_it_has_to_be_identical(gated: Path) -> None:
    assert dpverify(*GATE, "--json", "new.json").exit_code == 0
    data: dict[str, Any] = json.loads((gated / "new.json").read_text())
    for claim in data["claims"]:
        if claim["id"] == "mylib.told":
            claim["question"]["depth"] = "full"
    (gated / "old.json").write_text(json.dumps(data))
    better = dpverify("compare", "old.json", "new.json")
    assert better.exit_code == 0
    assert "STRONGER     mylib.told" in better.stdout
    assert dpverify("compare", "old.json", "new.json", "--identical").exit_code == 1
    assert dpverify("compare", "new.json", "old.json").exit_code == 1
    assert dpverify("compare", "new.json", "new.json", "--identical").exit_code == 0


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
    """A claim is deleted, another asks less and holds, and a function has no claim."""
    claims = gated / "claims_mylib.py"
    lines = [line for line in CLAIMS.splitlines() if 'id="mylib.above"' not in line]
    claims.write_text("\n".join(lines).replace("size=4", "size=3"))
    forget(claims)
    files = ("a.sarif", "a.xml", "a.html", "a.md")
    reports = (*(f"--{name}={file}" for name, file in zip(("sarif", "junit", "html", "markdown"), files, strict=True)),)
    reports = (*reports, "--coverage", "mylib", "--github")
    done = dpverify(*GATE, *reports)
    assert done.exit_code == 1
    (run,) = json.loads((gated / "a.sarif").read_text())["runs"]
    found = {
        (one["ruleId"], one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) for one in run["results"]
    }
    assert found == {("changed", "claims_mylib.py"), ("gone", "claims_mylib.py"), ("known-refutation", "mylib.py")}
    assert 'name="mylib.above" time="0.000" file="claims_mylib.py"' in (gated / "a.xml").read_text()
    assert [line.partition("::")[2].partition("::")[0] for line in done.stdout.splitlines() if line[:2] == "::"] == [
        "error file=claims_mylib.py,title=mylib.above is gone",
        "error file=claims_mylib.py,line=38,title=mylib.most_common is changed",
    ]
    for name in ("a.html", "a.md"):
        page = (gated / name).read_text()
        first, failed, gone, changed, legend = (
            page.index(text) for text in ("claims hold", "Gate failed", "GONE", "CHANGED", "PROVED: holds exactly")
        )
        assert first < failed < gone < changed < legend
        assert "mylib.above" in page
    assert 'class="card gate bad"' in (gated / "a.html").read_text()
    assert 'class="card good"' not in (gated / "a.html").read_text()
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
        ("no-claim", "mylib.above draws, and no claim reaches it")
    ]
    assert 'name="mylib.above" time="0.000" file="mylib.py" line="20"' in (gated / "a.xml").read_text()
    assert "NO CLAIM `mylib.above`" in (gated / "a.md").read_text()


def test_a_green_gate_is_a_green_page_though_something_is_refuted(gated: Path) -> None:
    assert dpverify(*GATE, "--html", "a.html", "--markdown", "a.md", "--junit", "a.xml").exit_code == 0
    page = (gated / "a.html").read_text()
    assert 'class="card gate good"' in page
    assert "alarmed" not in page.partition("</style>")[2]
    assert "**✅ Gate passed: 6 unchanged, 1 known violation**" in (gated / "a.md").read_text()
    times = re.findall(r'<testcase [^>]*time="([0-9.]+)"', (gated / "a.xml").read_text())
    assert len(times) == 7
    assert all(float(time) > 0 for time in times)


def test_a_package_that_cannot_be_imported_costs_no_report(gated: Path) -> None:
    (gated / "broken.py").write_text("1 / 0")
    done = dpverify("audit", TOLD, "--no-recheck", "--coverage", "broken", "--sarif", "a.sarif")
    assert done.exit_code == 2
    assert done.stdout.startswith("PROVED       mylib.told ")
    assert json.loads((gated / "a.sarif").read_text())["runs"][0]["results"] == []
