"""The folder that commands are run in."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.verifiers.commands.command_runs import CLAIMS, MYLIB, forget_modules


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder whose modules are forgotten afterwards."""
    (tmp_path / "mylib.py").write_text(MYLIB)
    (tmp_path / "claims_mine.py").write_text(CLAIMS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    forget_modules()
