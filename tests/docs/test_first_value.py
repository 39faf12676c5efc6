"""What a newcomer waits for: the script does what the pages say, and the page has what the script does."""

from pathlib import Path

import pytest
from docs.pages.first_value import (
    BREAK,
    CHECK,
    INSTALL,
    MEND,
    STEPS,
    Command,
    Measured,
    file_of_the_readme,
    measured,
    page,
)

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "first-value.md").read_text(encoding="utf-8")


def test_the_page_has_each_command_of_the_script_with_its_seconds() -> None:
    found = [(step, Measured(command, 1.25, 0.5)) for step, commands in STEPS.items() for command in commands]
    shown = [[cell.strip() for cell in line.split("|")[1:3]] for line in page(found).splitlines() if "|" in line]
    committed = [[cell.strip() for cell in line.split("|")[1:3]] for line in PAGE.splitlines() if "|" in line]
    assert committed == shown
    assert f"| **{INSTALL}** | | **5.0** | **2.0** |" in page(found)


def test_the_commands_are_those_of_the_pages() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in (CHECK, BREAK, MEND):
        assert f"$ {command}\n" in readme
    installing = (ROOT / "docs" / "installing.md").read_text(encoding="utf-8")
    for written in ("python3 -m venv venv\n", "pip install ./dpverify\n", "dpverify --version\n"):
        assert written in installing
    assert "def most_common(" in file_of_the_readme("mylib.py")
    assert "Claim(" in file_of_the_readme("claims_mylib.py")


def test_a_command_that_does_something_else_stops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STEPS, INSTALL, (Command("echo ready", prints="ready"), Command("echo no", prints="yes")))
    steps = measured(tmp_path)
    assert next(steps)[1].command.line == "echo ready"
    with pytest.raises(AssertionError, match="echo no"):
        next(steps)
