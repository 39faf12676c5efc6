"""Former names: code that imports by them runs, and a baseline that was written with them says that nothing changed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from dpverify.mechanisms import renames
from dpverify.mechanisms.renames import FORMER_MODULES, FORMER_NAMES, first_module, first_name, module_now
from dpverify.verifiers.auditing.digests.function_form import Forms
from dpverify.verifiers.command_line import main

PACKAGES = Path(__file__).parents[1]
DEFINED = re.compile(r"\b(?:def|class) (\w+)")

# dp: written with former names; to be kept as it is
CLAIMS = '''
"""Claims that import modules of the library by the names that these had, and whose code holds such modules."""

import dpverify.mechanisms.signs as signs
from dpverify.mechanisms import Distribution, exp, laplace
from dpverify.mechanisms.laws import AnyReal
from dpverify.mechanisms.laws.distributions import bernoulli
import dpverify.mechanisms.forests.noise_tree as trees
from dpverify.verifiers import Claim, Tuples, replace_one
from dpverify.verifiers.composites import EveryDatabase
from dpverify.verifiers.questions import domains
from dpverify.verifiers.sampling.libraries import OpenDP


def told(draw, rows, *, epsilon):
    return draw(Distribution({rows[0]: exp(epsilon), 1 - rows[0]: 1}))


def loud(draw, rows, *, epsilon):
    assert signs is not None and trees is not None and domains is not None and AnyReal and OpenDP and EveryDatabase
    return told(draw, rows, epsilon=2 * epsilon)


def released(draw, rows):
    return sum(rows) + draw(laplace(1)) if draw(bernoulli("1/2")) or signs is None else 0


ONE = Tuples((0, 1), size=1)
answer = Claim(id="answer", mechanism=told, domain=ONE, neighbours=replace_one, epsilon=1, mutant=loud)
number = Claim(id="number", mechanism=released, domain=ONE, neighbours=replace_one, epsilon=1)
'''

BASELINE = """
# dpverify baseline, format 2: what was accepted of each claim, a line each, by id. Not to be edited: renew it by the same audit with --update-baseline, also after a merge that conflicts in it, and review the difference.
{"id": "answer", "kind": "privacy", "found": "PROVED", "expected": "PROVED", "file": "claims_before.py", "databases": 2, "pairs": 2, "asks": {"depth": "quick", "claimed": {"delta": "0", "epsilon": "1"}, "mechanism": "told", "parameters": {"epsilon": "1"}, "domain": ["Tuples((0, 1), size=1)", "b93860280233"], "relation": ["replace_one", ""], "mutants": [["loud", "ea9df6e82dea"]]}, "check": "d41e007c"}
{"id": "number", "kind": "privacy", "found": "PROVED", "expected": "PROVED", "file": "claims_before.py", "databases": 2, "pairs": 2, "asks": {"depth": "quick", "claimed": {"delta": "0", "epsilon": "1"}, "mechanism": "released", "domain": ["Tuples((0, 1), size=1)", "b93860280233"], "relation": ["replace_one", ""]}, "check": "063d5b18"}
"""


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two modules that are said to have had another name."""
    monkeypatch.setattr(renames, "FORMER_MODULES", {"verifiers.drawn": "verifiers.steps"})
    monkeypatch.setattr(renames, "_FIRST_MODULES", {"verifiers.steps": "verifiers.drawn"})
    monkeypatch.setattr(renames, "_FIRST_NAMES", {"Step": "Stage"})
    yield
    for name in [name for name in sys.modules if name.startswith("dpverify.verifiers.drawn")]:
        del sys.modules[name]


def test_a_former_name_is_that_of_the_same_module() -> None:
    """In another process: `reload` defines the classes of the module again, which others would not be instances of."""
    code = """if True:
        from importlib import import_module, reload
        from dpverify.mechanisms import renames
        renames.FORMER_MODULES = {"verifiers.drawn": "verifiers.steps"}
        former, now = import_module("dpverify.verifiers.drawn.claim"), import_module("dpverify.verifiers.steps.claim")
        assert former is now is reload(now)
        assert import_module("dpverify.verifiers.drawn") is import_module("dpverify.verifiers.steps")
        assert now.__name__ == now.__spec__.name == "dpverify.verifiers.steps.claim"
        import dpverify.verifiers.drawn.none
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'dpverify.verifiers.steps.none'"


@pytest.mark.usefixtures("moved")
def test_names_are_translated_whole() -> None:
    assert module_now("dpverify.verifiers.drawn.claim") == "dpverify.verifiers.steps.claim"
    assert first_module("dpverify.verifiers.steps") == "dpverify.verifiers.drawn"
    for other in ("dpverify.verifiers.drawn_too", "verifiers.drawn", "dpverify", "mine.verifiers.drawn"):
        assert module_now(other) == first_module(other) == other
    assert first_name("Step.decide") == "Stage.decide"
    assert first_name("Steps") == "Steps"


@pytest.mark.usefixtures("moved")
def test_a_question_knows_things_by_their_first_names() -> None:
    forms = Forms(lambda _: False)
    assert forms.of(import_module("dpverify.verifiers.steps")) == "module:dpverify.verifiers.drawn"
    assert forms.of(import_module("dpverify.verifiers.steps.claim").Step) == "class:dpverify.Stage"


def test_former_names_are_free_and_names_now_are_there() -> None:
    for former, now in FORMER_MODULES.items():
        path = PACKAGES.joinpath(*former.split("."))
        assert not path.with_suffix(".py").exists() and not (path / "__init__.py").exists(), former
        assert find_spec(f"dpverify.{now}") is not None, now
        assert module_now(f"dpverify.{now}") == f"dpverify.{now}", "a name now is a former name of something else"
    assert len(set(FORMER_MODULES.values())) == len(FORMER_MODULES)
    assert len(set(FORMER_NAMES.values())) == len(FORMER_NAMES)
    files = [path for name in ("mechanisms", "verifiers", "reports") for path in (PACKAGES / name).rglob("*.py")]
    defined = {name for path in files for name in DEFINED.findall(path.read_text(encoding="utf-8"))}
    assert set(FORMER_NAMES.values()) <= defined and not set(FORMER_NAMES) & defined


def test_a_baseline_with_former_names_says_unchanged(tmp_path: Path) -> None:
    (tmp_path / "claims_before.py").write_text(CLAIMS, encoding="utf-8")
    (tmp_path / "baseline.txt").write_text(BASELINE.lstrip(), encoding="utf-8")
    audit = ("audit", str(tmp_path / "claims_before.py"), "--jobs", "1", "--baseline", str(tmp_path / "baseline.txt"))
    said = CliRunner().invoke(main, [*audit, "--no-cache"])
    assert said.exit_code == 0, said.output
    assert said.stdout.endswith("Gate passed: 2 unchanged\n"), said.output
