"""Libraries on numpy that are gated as they are: docs/examples/libraries."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from dpverify.verifiers.command_line import main

pytestmark = pytest.mark.usefixtures("decided_here")

LIBRARIES = Path(__file__).parents[2] / "docs" / "examples" / "libraries"
NAMES = ("histograms", "elections", "surveys")
ENDS = {
    "histograms": "4 claims: 3 PROVED, 1 REFUTED; all as expected",
    "elections": "3 claims: 1 PROVED, 2 REFUTED; all as expected",
    "surveys": "3 claims: 2 PROVED, 1 REFUTED; all as expected",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the libraries, from which modules are imported and forgotten again."""
    for path in LIBRARIES.glob("*.py"):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        monkeypatch.delitem(sys.modules, path.stem, raising=False)  # which the page of these libraries loads
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


def audited(name: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["audit", "--no-cache", f"claims_{name}.py"])
    return done.exit_code, done.output


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_a_library_passes_its_gate(folder: Path, name: str) -> None:
    status, output = audited(name)
    assert status == 0, output
    assert output.rstrip().endswith(ENDS[name])


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "was", "broken", "found"),
    [
        ("histograms", "scale=2 / epsilon", "scale=1 / epsilon", "REFUTED      histograms.noisy_histogram "),
        ("histograms", "np.clip(values, 0, largest).sum()", "values.sum()", "REFUTED      histograms.noisy_sum "),
        ("elections", "counts.max()) / 2)", "counts.max()))", "REFUTED      elections.winner "),
        ("surveys", "rng.random(len(answers))", "rng.random()", "REFUTED      surveys.randomized "),
        (
            "surveys",
            "rng.random(len(answers))",
            "np.random.random(len(answers))",
            "chance came from numpy.random.random",
        ),
    ],
)
def test_a_commit_that_breaks_it_does_not(folder: Path, name: str, was: str, broken: str, found: str) -> None:
    path = folder / f"{name}.py"
    text = path.read_text(encoding="utf-8")
    assert was in text
    path.write_text(text.replace(was, broken), encoding="utf-8")
    status, output = audited(name)
    assert status != 0
    assert found in output


def test_the_libraries_run_on_numpys_own_generator(folder: Path) -> None:
    elections, histograms, surveys = map(import_module, ("elections", "histograms", "surveys"))  # of this folder

    rng = np.random.default_rng(1)
    values, votes = np.array([0, 1, 1, 1]), np.array(["ann", "bob", "bob"])
    assert histograms.noisy_histogram(values, 2, epsilon=0.5, rng=rng).shape == (2,)
    assert set(histograms.common_values(values, 2, 1, epsilon=0.5, rng=rng)) <= {0, 1}
    assert isinstance(histograms.noisy_sum(values, 2, epsilon=0.5, rng=rng), np.integer)
    assert elections.winner(votes, ("ann", "bob", "cy"), epsilon=0.5, rng=rng) in ("ann", "bob", "cy")
    assert len(elections.ballots_to_audit(votes, 2, rng=rng)) == 2
    assert surveys.randomized(values, epsilon=0.5, rng=rng).shape == (4,)
    assert isinstance(surveys.estimated_total(values, epsilon=0.5, rng=rng), float)
