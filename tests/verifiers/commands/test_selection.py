"""Ids beside files: which claims the commands take for meant, and what they say of an id that nothing has."""

from pathlib import Path

import pytest
from tests.verifiers.commands.command_runs import CLAIMS, dpverify

pytestmark = pytest.mark.usefixtures("decided_here")

OTHERS = CLAIMS.replace('id="mine.', 'id="other.').replace("other.two", "other.three")


@pytest.fixture
def two_files(folder: Path) -> Path:
    (folder / "claims_other.py").write_text(OTHERS)
    return folder


def listed(*names: str) -> list[str]:
    done = dpverify("list", *names)
    assert done.exit_code == 0, done.stderr
    return [line.split()[0] for line in done.stdout.splitlines() if not line.endswith(".py")]


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (("claims_mine.py", "mine.one"), ["mine.one"]),
        (("mine.one", "claims_mine.py"), ["mine.one"]),
        (("claims_mine.py", "mine.t*", "mine.late"), ["mine.two", "mine.late"]),
        (("claims_mine.py", "claims_other.py", "*.one"), ["mine.one", "other.one"]),
        (("claims_mine.py", "claims_other.py", "other.three"), ["other.three"]),
        (("claims_mine.py::mine.two", "claims_other.py", "other.one"), ["mine.two", "other.one"]),
        # nothing of the file is named: it means all it holds, as without the id
        (
            ("claims_mine.py", "BNS-J-2.26.structure.gap"),
            ["mine.one", "mine.two", "mine.late", "BNS-J-2.26.structure.gap"],
        ),
        # one of the file is: it is where ids are looked for
        (("claims_mine.py", "BNS-J-2.26.structure.gap", "mine.two"), ["BNS-J-2.26.structure.gap", "mine.two"]),
    ],
)
def test_an_id_beside_files_is_one_of_theirs(two_files: Path, names: tuple[str, ...], meant: list[str]) -> None:
    assert listed(*names) == meant


@pytest.mark.deep
def test_audit_explain_and_mutate_look_there_too(two_files: Path) -> None:
    audited = dpverify("audit", "claims_mine.py", "mine.two", "--no-recheck")
    assert audited.exit_code == 0
    assert [line.split()[1] for line in audited.stdout.splitlines() if line[:1].isupper()] == ["mine.two"]
    explained = dpverify("explain", "claims_mine.py", "mine.two", "--no-recheck")
    assert explained.exit_code == 0
    assert explained.stdout.startswith("mine.two\na known leak\n")
    assert dpverify("explain", "claims_mine.py").stderr.startswith("Error: claims_mine.py stands for 3 claims")
    mutated = dpverify("mutate", "claims_mine.py", "mine.two")
    assert "no claim among these is expected to be PROVED" in mutated.stderr
    late = dpverify("audit", "claims_mine.py", "mine.late", "--no-recheck", "--quiet")
    assert late.stdout == "1 claim: 1 PROVED; all as expected\n"  # who names a claim means it at any depth


@pytest.mark.parametrize("command", ["audit", "list", "explain", "mutate"])
def test_what_neither_has_is_said_with_what_is_near(two_files: Path, command: str) -> None:
    done = dpverify(command, "claims_mine.py", "claims_other.py", "other.thre")
    assert done.exit_code == 2
    said = "claims_mine.py, claims_other.py and the catalogue have no claim other.thre: other.three begins so"
    assert done.stderr == f"Error: {said} [no-such-claim]\n"
    done = dpverify(command, "claims_mine.py", "mime.two")
    assert (
        done.stderr
        == "Error: claims_mine.py and the catalogue have no claim mime.two: did you mean mine.two or mine.one? [no-such-claim]\n"
    )


def test_an_id_beside_a_file_that_cannot_be_read(two_files: Path) -> None:
    (two_files / "claims_other.py").write_text("1 / 0")
    done = dpverify("audit", "claims_other.py", "other.one")
    assert done.exit_code == 2
    assert "no claim other.one" in done.stderr and "claims_other.py, line 1: it raised ZeroDivisionError" in done.stderr
    # what is found elsewhere is decided, and the file is a row
    done = dpverify("audit", "claims_other.py", "claims_mine.py", "mine.one", "--no-recheck")
    assert done.exit_code == 2
    assert "PROVED       mine.one" in done.stdout and "NOT DECIDED  claims_other.py" in done.stdout


def test_a_narrowed_file_leaves_the_rest_of_a_baseline(two_files: Path) -> None:
    assert dpverify("audit", "claims_mine.py", "-q", "--no-recheck", "--update-baseline").exit_code == 0
    narrowed = ("audit", "claims_mine.py", "mine.one", "-q", "--no-recheck", "--baseline", "dpverify-baseline.txt")
    done = dpverify(*narrowed)
    assert done.exit_code == 0
    assert done.stdout.endswith("Gate passed: 1 unchanged; 1 of the baseline not asked for\n")
