"""dpverify new: what it writes is run, passes, and is not written over anything."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.examples import in_one
from tests.verifiers.commands.command_runs import dpverify, forget_modules

from dpverify.verifiers.command_line import main
from dpverify.verifiers.commands.starting import files_for

pytest_plugins = ["pytester"]


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def new(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["new", *arguments])
    return done.exit_code, done.output


@pytest.mark.usefixtures("decided_here")
def test_what_it_writes_passes(pytester: pytest.Pytester, empty: Path) -> None:
    status, said = new("noisy_beginning")
    assert status == 0
    for file in files_for("noisy_beginning"):
        assert (empty / file).is_file()
        assert file in said
    audited = dpverify("audit", "--no-cache", "--strict", "claims_noisy_beginning.py")
    assert audited.exit_code == 0, audited.output  # their mutants are refuted, and no claim is weak
    assert "2 claims: 2 PROVED; all as expected" in audited.output
    forget_modules("noisy_beginning")
    tested = pytester.runpytest_inprocess("-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist", ".")
    assert tested.ret == 0
    tested.stdout.fnmatch_lines("5 passed*")


def test_a_broken_mechanism_fails_the_gate_it_wrote(empty: Path) -> None:
    new("broken_beginning")
    file = empty / "broken_beginning.py"
    file.write_text(file.read_text().replace("discrete_laplace(1 / epsilon)", "discrete_laplace(1 / (3 * epsilon))"))
    audited = dpverify("audit", "--no-cache", "--kind", "privacy", "claims_broken_beginning.py")
    assert audited.exit_code == 1
    assert "REFUTED" in audited.output


@pytest.mark.parametrize("there", ["first.py", "claims_first.py", "test_first.py"])
def test_it_overwrites_nothing(there: str, empty: Path) -> None:
    (empty / there).write_text("mine")
    status, said = new("first", "--folder", str(empty))
    assert (status, f"{there} in " in said, "nothing was written" in said) == (2, True, True)
    assert [(path.name, path.read_text()) for path in empty.iterdir()] == [(there, "mine")]


def test_a_link_that_leads_nowhere_is_there(empty: Path) -> None:
    (empty / "first.py").symlink_to(empty / "nowhere.py")
    assert new("first", "--folder", str(empty))[0] == 2
    assert not (empty / "nowhere.py").exists()


@pytest.mark.parametrize("name", ["3a", "class", "a-b", "../a", "épsilon", "epsilon", "random", "numpy", "test_it", ""])
def test_a_name_that_cannot_be_one(name: str, empty: Path) -> None:
    status, said = new(name, "--folder", str(empty))
    assert status == 2
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert not list(empty.iterdir())


def test_a_folder_that_is_not_there(empty: Path) -> None:
    assert new("first", "--folder", str(empty / "none")) == (
        2,
        f"Error: cannot write into {empty / 'none'}: it is no folder: name another file, in a folder that exists "
        "[cannot-write]\n",
    )


@in_one("command", ["list", "audit", "check", "explain", "mutate", "new"])
def test_the_help_says_what_is_run(command: str) -> None:
    said = " ".join(CliRunner().invoke(main, [command, "--help"]).output.split())
    assert "run" in said.partition("Options:")[0]
