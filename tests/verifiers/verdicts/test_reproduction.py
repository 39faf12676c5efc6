"""The line that computes a witness anew: it runs in a fresh interpreter, or there is none."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dpverify.mechanisms import Draw, bernoulli, discrete_laplace
from dpverify.mechanisms.selection import svt4
from dpverify.verifiers import ScoreSpace, Status, Verdict, check_privacy, scores_linf
from dpverify.verifiers.auditing.claim_files import load_file

SOURCE = """
from dataclasses import dataclass
from enum import Enum
from functools import partial

from dpverify.mechanisms import bernoulli


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Row:
    value: int


class Plain:
    pass


class Leak:
    def __call__(self, draw, database):
        return database

    @staticmethod
    def static(draw, database):
        return database

    def method(self, draw, database):
        return database


def leak(draw, database, tag=None, unused=None):
    return (database, tag)


def outer():
    def inner(draw, database):
        return database
    return inner


leaking_object = Leak()
partly = partial(leak, tag=Colour.RED)
anonymous = lambda draw, database: database
inner = outer()
odd = (Plain(), Plain())
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    file = folder / f"leaks_{abs(hash(str(tmp_path))):x}.py"
    file.write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return load_file(file)


def both_ways(database: Any, domain: Any) -> Any:
    return (other for other in domain if other != database)


def checked(mechanism: Any, databases: Any, **parameters: Any) -> Verdict:
    verdict = check_privacy(mechanism, databases, both_ways, epsilon=1, parameters=parameters)
    assert verdict.status is Status.REFUTED
    assert verdict.witness is not None
    return verdict


def cases(library: Any) -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    numbers = [(0,), (1,)]
    return {
        "function": (library.leak, numbers, {"unused": (None, True, frozenset({"x"}), {"k": [1, 0.5]}, set())}),
        "partial": (library.partly, numbers, {}),
        "static method": (library.Leak.static, numbers, {}),
        "object with a name": (library.leaking_object, numbers, {}),
        "enum": (library.leak, [library.Colour.RED, (library.Colour.BLUE,)], {}),
        "dataclass": (library.leak, [(library.Row(1),), (library.Row(2),)], {}),
        "class": (library.leak, numbers, {"tag": library.Row}),
        "quotes": (library.leak, ["it's", 'say "no"'], {}),
    }


NAMES = ("function", "partial", "static method", "object with a name", "enum", "dataclass", "class", "quotes")


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", NAMES)
def test_the_line_runs_in_a_fresh_interpreter(name: str, library: Any) -> None:
    mechanism, databases, parameters = cases(library)[name]
    witness = checked(mechanism, databases, **parameters).witness
    assert witness is not None
    command = str(witness).splitlines()[-1]
    ran = subprocess.run(
        ["/bin/sh", "-c", command.replace("python", sys.executable, 1)], check=False, capture_output=True, text=True
    )
    assert (ran.stdout, ran.stderr) == ("1 0 True\n", "")


@pytest.mark.parametrize("name", ["anonymous", "inner", "bound", "odd"])
def test_no_line_where_none_would_run(name: str, library: Any) -> None:
    mechanism = {"bound": library.Leak().method, "odd": library.leak}.get(name) or getattr(library, name)
    witness = checked(mechanism, library.odd if name == "odd" else [(0,), (1,)]).witness
    assert witness is not None
    assert witness.reproduce is None
    assert "no line reproduces this" in str(witness)
    assert witness.record.reproduce is None


def test_a_session_has_its_own_names_in_scope(monkeypatch: pytest.MonkeyPatch) -> None:
    def leak(draw: Draw, database: Any) -> Any:
        return database if draw(bernoulli("0.5")) else None

    leak.__module__, leak.__qualname__ = "__main__", "leak"
    monkeypatch.setattr(sys.modules["__main__"], "leak", leak, raising=False)
    witness = checked(leak, [(0,), (1,)]).witness
    assert witness is not None
    assert witness.reproduce is not None
    assert witness.reproduce.startswith(
        "from dpverify.mechanisms import distribution, exp; p, q = (distribution(leak, x)"
    )


def test_an_algorithm_is_imported_from_the_package_that_exports_it() -> None:
    """And not from the module that it happens to stand in."""
    given = {"epsilon": 1, "noise": discrete_laplace}
    verdict = check_privacy(svt4, ScoreSpace((-1, 0, 1), solutions=2), scores_linf, epsilon=1, parameters=given)
    assert verdict.witness is not None
    common, special = "from dpverify.mechanisms import ", "from dpverify.mechanisms.selection import "
    assert str(verdict.witness.reproduce).startswith(
        f"{common}discrete_laplace, distribution, exp; {special}svt4; p, q = "
    )


def test_numbers_of_source_with_floats_are_written_as_fractions(monkeypatch: pytest.MonkeyPatch) -> None:
    def halves(draw: Draw, database: Any) -> Any:
        return (database[0] + 0.5, 1) if draw(bernoulli("0.5")) else None

    halves.__module__, halves.__qualname__ = "__main__", "halves"
    monkeypatch.setattr(sys.modules["__main__"], "halves", halves, raising=False)
    witness = checked(halves, [(0,), (1,)]).witness
    assert witness is not None
    assert re.search(r"\(Fraction\([13], 2\), 1\)", str(witness.reproduce))
