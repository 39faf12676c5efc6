"""The provenance of reports: what they say of their making, that it is reproducible, and that nothing compares it."""

import getpass
import json
import platform
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.reports.published import published
from tests.verifiers.commands.command_runs import ONE, dpverify

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.gates.comparison import compare
from dpverify.reports.provenance import Provenance
from dpverify.reports.record import SCHEMA_VERSION, AuditRecord
from dpverify.verifiers.commands.provenance import provenance_of

LAW = """
from dpverify.mechanisms import bernoulli

def response(draw, rows):
    return rows[0] if draw(bernoulli("3/4")) else 1 - rows[0]
"""

CLAIM = """
from dpverify.verifiers import Claim, Tuples
from mylib import response

CLAIMS = [Claim(id="lib.response", mechanism=response, domain=Tuples((0, 1), size=1), epsilon=2)]
"""

pytestmark = pytest.mark.usefixtures("decided_here")


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    done = subprocess.run(("git", *who, *arguments), cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project with a name and a claim, of one commit."""
    (folder / "claims_mine.py").write_text(CLAIM)
    (folder / "mylib.py").write_text(LAW)
    (folder / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1789000000")
    yield folder


def of(folder: Path, *arguments: str) -> Provenance:
    assert dpverify("audit", "--json", "a.json", *arguments).exit_code == 0
    found = read_audit((folder / "a.json").read_bytes()).provenance
    assert found is not None
    return found


def test_reports_say_where_they_come_from(project: Path) -> None:
    assert dpverify("audit", "--json", "a.json", "--html", "a.html", "--markdown", "a.md").exit_code == 0
    commit = git(project, "rev-parse", "HEAD")
    text = (project / "a.json").read_text()
    published().validate(json.loads(text))
    command = "dpverify audit --json a.json --html a.html --markdown a.md"
    assert json.loads(text)["provenance"] == {
        "title": "shop",
        "date": "2026-09-10T00:26:40Z",
        "commit": commit,
        "clean": True,
        "python": platform.python_version(),
        "command": command,
    }
    page, markdown = (project / "a.html").read_text(), (project / "a.md").read_text()
    assert "<title>shop: dpverify audit</title>" in page and "<h1>shop</h1>" in page
    assert markdown.startswith("# shop\n\n**1 of 1 claims hold.**\n")
    for report in (page, markdown):
        for said in (
            "2026-09-10 00:26:40 UTC",
            f"commit {commit[:12]} ·",
            f"Python {platform.python_version()}",
            command,
        ):
            assert said in report
        assert re.search(r"dpverify \d+\.\d+", report)


def test_two_runs_give_the_same_bytes_and_no_path_of_the_machine(project: Path) -> None:
    names = ("a.json", "a.html", "a.md")
    outputs = ("--json", "a.json", "--html", str(project / "a.html"), f"--markdown={project}/a.md")
    seen = []
    for _ in range(2):
        assert dpverify("audit", *outputs).exit_code == 0
        seen.append([(project / name).read_bytes() for name in names])
    assert seen[0] == seen[1]
    record = read_audit(seen[0][0]).provenance
    assert record is not None and record.command == "dpverify audit --json a.json --html a.html --markdown=a.md"
    for report in seen[0]:
        for word in (str(project), str(Path.home()), socket.gethostname(), f"/{getpass.getuser()}/"):
            assert word.encode() not in report


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("claims_mine.py", "claims_mine.py"),
        ("--epsilon=1/2", "--epsilon=1/2"),
        ("/srv/home/somebody/claims.py", ".../claims.py"),
        ("--html=/srv/home/somebody/a.html", "--html=.../a.html"),
        ("../../somebody/claims.py", ".../claims.py"),
        ("~/claims.py", ".../claims.py"),
        ("tcp://machine.example:8786", "..."),
        ("--scheduler=tcp://machine.example:8786", "--scheduler=..."),
        ("--domain=Tuples((0, 1), size=1)", "'--domain=Tuples((0, 1), size=1)'"),
        ("two\nlines", "'two lines'"),
    ],
)
def test_a_command_line_names_no_folder_or_host_of_the_machine(tmp_path: Path, word: str, shown: str) -> None:
    assert provenance_of(["dpverify", word], [], folder=tmp_path).command == f"dpverify {shown}"


def test_a_tree_is_clean_but_for_the_reports_themselves(project: Path) -> None:
    assert of(project).clean is True
    git(project, "add", "a.json")
    git(project, "commit", "-qm", "the report")
    assert of(project, "--title", "another").clean is True
    assert git(project, "status", "--porcelain", "--untracked-files=no") == "M a.json"
    assert of(project).clean is True, "a tracked report that was written again"
    (project / "notes.txt").write_text("no code")
    assert of(project).clean is True
    (project / "new.py").write_text("")
    assert of(project).clean is False, "code that is not committed"
    (project / "new.py").unlink()
    (project / "mylib.py").write_text(LAW + "\n# changed\n")
    found = of(project)
    assert found.clean is False and found.in_words[1].endswith(" with uncommitted changes")
    assert found.commit == git(project, "rev-parse", "HEAD")


def test_without_git_a_report_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    found = provenance_of(["dpverify"], [], folder=folder)
    assert (found.commit, found.clean, found.title) == ("", None, folder.name)
    assert found.in_words[1] == "no git commit is known"
    git(folder, "init", "-q")
    assert provenance_of(["dpverify"], [], folder=folder).commit == "", "nothing is committed yet"
    monkeypatch.setenv("PATH", "")
    assert provenance_of(["dpverify"], [], folder=folder).commit == ""


def test_a_title_is_given_or_that_of_the_project(project: Path) -> None:
    assert of(project, "--title", "Release 3").title == "Release 3"
    below = project / "below"
    below.mkdir()
    assert provenance_of([], [], folder=below).title == "shop"
    (below / "pyproject.toml").write_text("[tool.x]\n")
    assert provenance_of([], [], folder=below).title == "shop"
    (below / "pyproject.toml").write_text("no toml")
    assert provenance_of([], [], folder=below).title == "shop"
    assert provenance_of([], [], "two\nlines", folder=below).title == "two lines"


@pytest.mark.parametrize("told", ["", "yesterday", "1.5", "1" * 30])
def test_a_date_that_is_none_is_refused_before_anything_is_decided(
    project: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", told)
    done = dpverify("audit", "--json", "a.json")
    assert done.exit_code == 2 and "PROVED" not in done.output and not (project / "a.json").exists()
    assert done.stderr.startswith("Error: SOURCE_DATE_EPOCH=") and "seconds since 1970" in done.stderr
    with pytest.raises(InputError, match="SOURCE_DATE_EPOCH='"):
        provenance_of([], [])
    assert dpverify("audit").exit_code == 0, "no report, no date"


def test_comparisons_and_gates_do_not_look_at_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do journals, which hold verdicts alone: see `tests/verifiers/auditing/test_journal.py`."""
    assert dpverify("audit", "--json", "old.json", "--update-baseline").exit_code == 0
    accepted = (project / "dpverify-baseline.txt").read_bytes()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    given = ("--baseline", "dpverify-baseline.txt", "--title", "another")
    assert "Gate passed: 1 unchanged" in dpverify("audit", "--json", "new.json", *given).stdout
    old, new = (read_audit((project / name).read_bytes()) for name in ("old.json", "new.json"))
    assert old.provenance != new.provenance and new.provenance is not None and new.provenance.title == "another"
    compared = dpverify("compare", "old.json", "new.json", "--all")
    assert compared.exit_code == 0
    assert (
        compared.stdout
        == "claims: 1 the same, 0 changed, 0 only in the first, 0 only in the second\n\nGate passed: 1 unchanged\n"
    )
    assert compare(old, new).is_none
    assert dpverify("audit", "--update-baseline", "--title", "a third").exit_code == 0
    assert (project / "dpverify-baseline.txt").read_bytes() == accepted


def test_check_says_it_too(project: Path) -> None:
    assert dpverify("check", "mylib.py:response", *ONE[:2], "--epsilon", "2", "--json", "a.json").exit_code == 0
    found = read_audit((project / "a.json").read_bytes()).provenance
    assert found is not None
    assert (
        found.command == "dpverify check mylib.py:response --domain 'Tuples((0, 1), size=1)' --epsilon 2 --json a.json"
    )


def test_a_record_without_it_has_none() -> None:
    record = AuditRecord(SCHEMA_VERSION, "0", [], [])
    assert '"provenance"' not in to_json(record) and read_audit(to_json(record)) == record
