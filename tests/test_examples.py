"""The examples of docs/ as a person would run them."""

from __future__ import annotations

import random
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

THRESHOLD = Path(__file__).parents[1] / "docs" / "examples" / "threshold.py"
EXAMPLE: dict[str, Any] = runpy.run_path(str(THRESHOLD))


def threshold(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(THRESHOLD), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Twenty thousand people: those below 40.5 have bought, but for one in five hundred."""
    source = random.Random(7)
    ages = [round(source.uniform(18, 80), 2) for _ in range(20_000)]
    lines = [f"{age},{int((age < 40.5) != (i % 500 == 0))},x" for i, age in enumerate(ages)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["age,bought,name", *lines, ""]), encoding="utf-8")
    return path


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_places_are_in_the_order_of_the_numbers(x: float, y: float) -> None:
    place_of, value_at = EXAMPLE["place_of"], EXAMPLE["value_at"]
    assert (place_of(x) < place_of(y)) == (x < y)
    assert value_at(place_of(x)) == x
    assert 0 <= place_of(x) < 2**64


def test_a_threshold_is_found_in_a_csv_file(people: Path) -> None:
    done = threshold(people, "--value", "age", "--label", "bought", "--epsilon", "2", "--seed", "1")
    assert done.returncode == 0, done.stderr
    first, found, check = done.stdout.splitlines()
    assert first == "20,000 rows; (2, 1e-6)-private when one of them is replaced."
    assert abs(float(found.removeprefix("bought is 1 below: age < ")) - 40.5) < 4
    assert check.startswith("(not private: it labels 9")
    assert "Theorem 3.18 asks for" in done.stderr


def test_the_other_way_round(people: Path) -> None:
    text = people.read_text(encoding="utf-8").replace(",0,", ",t,").replace(",1,", ",0,").replace(",t,", ",1,")
    people.write_text(text, encoding="utf-8")
    done = threshold(people, "--value", "age", "--label", "bought", "--epsilon", "2", "--seed", "1", "--above")
    assert "bought is 1 from here on: age ≥ " in done.stdout


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("age,bought\n1,0\nx,1\n", "line 3: age is 'x', which is no number"),
        ("age,bought\n1,2\n", "line 2: bought is '2', neither 0 nor 1"),
        ("age,bought\n1\n", "line 2: not as many fields"),
        ("age,bought\n1,0,5\n", "line 2: not as many fields"),
        ("age,bought\nnan,0\n", "line 2: age is 'nan'"),
        ("years,bought\n1,0\n", "has no column age: it has years, bought"),
        ("age,bought\n", "the sample is empty"),
        ("", "has no column age"),
    ],
)
def test_files_that_are_not_what_they_say(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    done = threshold(path, "--value", "age", "--label", "bought")
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stdout == ""


def test_parameters_that_are_out_of_range(people: Path) -> None:
    done = threshold(people, "--value", "age", "--label", "bought", "--delta", "0")
    assert done.returncode == 1
    assert done.stderr == "Error: delta=0 must be greater than 0\n"
