"""A bare installation: what is imported only where it is used is hidden, and what needs it says so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dpverify.verifiers.auditing.extras import EXTRAS
from dpverify.verifiers.command_line import main

# Found by every interpreter that is started, those that compute laws a second time included.
HIDING = f"""
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {{*{sorted(EXTRAS)}, "rich"}}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""

MYLIB = """
from dpverify.mechanisms import exponential

def most_common(draw, rows, *, epsilon):
    return draw(exponential({x: rows.count(x) for x in range(3)}, epsilon))
"""

CLAIMS = """
from dpverify.mechanisms.selection import exponential_mechanism
from dpverify.verifiers import Case, Claim, Multisets, UtilityClaim
from mylib import most_common

private = Claim(id="mine.private", mechanism=most_common, domain=Multisets(range(3), size=3), epsilon=1)
useful = UtilityClaim(
    id="mine.useful", mechanism=exponential_mechanism, cases=[Case((10, 0), {"epsilon": 1})],
    succeeds=lambda case, chosen: chosen == 0, beta=lambda case: "1/100",
    mutant=lambda draw, quality, *, epsilon: exponential_mechanism(draw, quality, epsilon=epsilon / 2),
)
"""

LEMMA = "BNS-J-2.26.structure.gap"
HELD = "BNS-J-2.26.step.utility"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    for name, text in (("hidden/sitecustomize.py", HIDING), ("mylib.py", MYLIB), ("claims_mylib.py", CLAIMS)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "hidden"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


COMMAND = "from dpverify.verifiers.command_line import main; main()"


def dpverify(folder: Path, *arguments: str) -> tuple[int, str]:
    (folder / "command.py").write_text(COMMAND)
    return run(folder, "command", *arguments)


@pytest.mark.deep
def test_check_and_a_page_need_no_extra(bare: Path) -> None:
    status, said = dpverify(
        bare, "check", "mylib.py:most_common", "--domain", "Multisets(range(3), size=3)", "--epsilon", "1",
        "--html", "page.html",
    )  # fmt: skip
    assert (status, "PROVED" in said) == (0, True), said
    assert "mylib.py:most_common" in (bare / "page.html").read_text()


@pytest.mark.deep
def test_pytest_needs_no_extra(bare: Path) -> None:
    plugins = ("-p", "dpverify.verifiers.pytest_plugin") if os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD") else ()
    unused = ("-p", "no:hypothesispytest", "-p", "no:randomly", "-p", "no:benchmark", "-p", "no:cacheprovider")
    status, said = run(bare, "pytest", "-q", *plugins, *unused, "--rootdir", str(bare), "claims_mylib.py")
    assert (status, "2 passed" in said) == (0, True), said


@pytest.mark.deep
def test_ones_own_claims_are_decided_and_those_of_the_catalogue_that_need_an_extra_are_rows(bare: Path) -> None:
    names = (
        "claims_mylib.py",
        "BNS-J-2.26.structure.g*",
        "HRS-5.10.utility.p*",
        "BNS-J-2.26.utility.ga*",
        "CHS-Thm1.low*printed",
    )
    status, said = dpverify(bare, "audit", "--no-cache", "--no-recheck", "--jobs", "1", *names)
    assert status == 0, said
    assert "2 claims: 2 PROVED; all as expected; not decided: 4 rows" in said
    for extra in ("structure", "learners", "utility", "bounds"):
        assert f"    needs dpverify[{extra}]: " in said
        assert f"pip install 'dpverify[{extra}]'" in said


def without_solvers(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["audit", "--no-cache", *arguments])


@pytest.mark.parametrize(
    ("names", "status"),
    [
        ([HELD, LEMMA], 2),  # asked for by its id
        ([HELD, f"{LEMMA[:-1]}*"], 0),
        ([HELD, f"{LEMMA[:-1]}*", "--strict"], 2),
        ([f"{LEMMA[:-1]}*"], 2),  # nothing was decided
    ],
)
def test_a_missing_extra_costs_the_status_of_what_was_asked_for_by_name(
    names: list[str], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    said = without_solvers(*names)
    assert said.exit_code == status, said.output
    assert "needs dpverify[structure]: z3 is not installed" in said.output


def test_a_claim_of_ones_own_file_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "claims_of_mine.py").write_text(
        "from dpverify.verifiers import Claim\n"
        "def needy(draw, rows):\n    import z3\n"
        "def fair(draw, rows):\n    return 0\n"
        "mine = Claim(id='mine.needy', mechanism=needy, domain=[(0,), (1,)], epsilon=1)\n"
        "fine = Claim(id='mine.fair', mechanism=fair, domain=[(0,), (1,)], epsilon=1, neighbours_agree=True)\n"
    )
    monkeypatch.setitem(sys.modules, "z3", None)
    said = without_solvers(str(tmp_path / "claims_of_mine.py"))
    assert (said.exit_code, "needs dpverify[structure]" in said.output) == (2, True), said.output
