"""An ε that a mechanism keeps beside the claimed one, in each output of an audit; `--strict` refuses it."""

import json
from pathlib import Path

import pytest
from tests.verifiers.commands.command_runs import dpverify

pytestmark = pytest.mark.usefixtures("decided_here")

CLAIMS = """
from functools import partial
from dpverify.verifiers import Claim, Multisets
from mylib import most_common

ROWS = Multisets(range(3), size=3)
deployed = Claim(id="svc.deployed", mechanism=partial(most_common, epsilon=5), domain=ROWS, epsilon=1)
plain = Claim(id="svc.plain", mechanism=most_common, domain=ROWS, epsilon=1, mutant=partial(most_common, half=False))
"""
SAID = "ε = 1 (epsilon = 5 is kept; claimed: 1)"


def test_every_output_says_it(folder: Path) -> None:
    (folder / "claims_mine.py").write_text(CLAIMS)
    outputs = [word for name in ("json", "markdown", "html", "junit") for word in (f"--{name}", f"out.{name}")]
    done = dpverify("audit", "claims_mine.py", "--no-cache", *outputs)
    assert done.exit_code == 1
    assert SAID in done.stdout.splitlines()[0]
    rows = {row["id"]: row for row in json.loads((folder / "out.json").read_text())["claims"]}
    assert rows["svc.deployed"]["own_parameters"] == {"epsilon": "5"}
    assert "own_parameters" not in rows["svc.plain"]
    for name in ("markdown", "html", "junit"):
        assert SAID in (folder / f"out.{name}").read_text(), name
    listed = dpverify("list", "claims_mine.py").stdout.splitlines()
    assert [line.split()[0] for line in listed if SAID in line] == ["svc.deployed"]


def test_a_strict_audit_refuses_a_contradiction_and_decides_the_others(folder: Path) -> None:
    (folder / "claims_mine.py").write_text(CLAIMS)
    done = dpverify("audit", "claims_mine.py", "--no-cache", "--strict")
    assert done.exit_code == 2
    assert f"svc.deployed: most_common is claimed at {SAID}, which --strict refuses" in done.stderr
    assert "give parameters={'epsilon': …}" in done.stderr
    assert "\nNOT DECIDED  svc.deployed\n" in done.stdout
    assert done.stdout.startswith("PROVED       svc.plain ")
