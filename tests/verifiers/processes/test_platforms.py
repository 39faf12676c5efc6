"""Where there is no fork and there are no timers claims are decided all the same, and what is not guarded is said."""

import gc
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from dpverify.verifiers.command_line import main
from dpverify.verifiers.processes.platforms import collect_seldom, shortfalls

ROOT = Path(__file__).parents[3]
CLAIM = "BNS-J-2.26.step.utility"


def test_here_nothing_is_missing() -> None:
    assert not shortfalls()
    assert "note:" not in CliRunner().invoke(main, ["audit", "--no-cache", CLAIM]).output


def test_what_is_missing_is_said_and_the_claim_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    monkeypatch.delattr(signal, "setitimer")
    done = CliRunner().invoke(main, ["audit", "--no-cache", CLAIM])
    assert done.exit_code == 0
    assert f"PROVED       {CLAIM}" in done.stdout
    assert [line[:19] for line in done.stderr.splitlines()] == ["note: without os.fo", "note: without timer"]


@pytest.mark.parametrize(
    ("before", "after"), [((700, 10, 10), (200_000, 20, 50)), ((10**6, 100, 10), (10**6, 100, 50))]
)
def test_garbage_is_collected_seldom(before: tuple[int, int, int], after: tuple[int, int, int]) -> None:
    here = gc.get_threshold()
    try:
        gc.set_threshold(*before)
        collect_seldom()
        assert gc.get_threshold() == after
    finally:
        gc.set_threshold(*here)


def test_check_without_fork_and_timers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "sums.py").write_text(
        "from dpverify.mechanisms import discrete_laplace\n"
        "def noisy(draw, rows, *, epsilon):\n    return sum(rows) + draw(discrete_laplace(1 / epsilon))\n"
    )
    monkeypatch.delattr(os, "fork")
    monkeypatch.delattr(signal, "setitimer")
    function = f"{tmp_path / 'sums.py'}:noisy"
    done = CliRunner().invoke(main, ["check", function, "--domain", "Tuples((0, 1), size=2)", "--epsilon", "1"])
    assert (done.exit_code, "PROVED" in done.stdout) == (0, True), done.output


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_a_clone_without_symbolic_links_says_what_is_wrong(tmp_path: Path) -> None:
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".src" / "dpverify").mkdir(parents=True)
    (tmp_path / ".src" / "dpverify" / "mechanisms").write_text("../../mechanisms")  # as git writes it then
    done = subprocess.run(["make", ".venv/.ready"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert ".src/dpverify/mechanisms is no symbolic link" in done.stdout
    assert "core.symlinks=true" in done.stdout
    assert not (tmp_path / ".venv").exists()
