"""The examples of docs/ as a person would run them.

One test or two for each script, in the order of the pages, so that a script and what it says are found in one place.
"""

import csv
import random
import re
import runpy
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from functools import cache
from io import StringIO
from math import log
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import decimal, distribution
from dpverify.mechanisms.selection import exponential_mechanism, large_margin_mechanism, max_of_laplaces

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"
Done = subprocess.CompletedProcess[str]
COLUMNS: dict[str, Any] = runpy.run_path(str(EXAMPLES / "columns.py"))


def in_a_child(name: str, *arguments: object) -> Done:
    """As a shell runs it: half a second, most of it to start."""
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def example(name: str, *arguments: object) -> Done:
    """The same in this process."""
    path = str(EXAMPLES / name)
    output, errors = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(errors):
        patch.setattr(sys, "argv", [path, *map(str, arguments)])
        try:
            runpy.run_path(path, run_name="__main__")
            status = 0
        except SystemExit as ending:
            status = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    return subprocess.CompletedProcess(sys.argv, status, output.getvalue(), errors.getvalue())


FEW = {
    "people": ("--rows", 3),
    "survey": ("--rows", 3),
    "baskets": ("--rows", 3),
    "markers": ("--rows", 3),
    "threshold": ("--value", "a", "--label", "b", "--seed", 1),
    "frequent": ("--value", "b", "--epsilon", 20, "--seed", 1),
    "cdf": ("--value", "a", "--seed", 1, "--calls", 2),
    "marginals": ("--ways", 2, "--samples", 20, "--seed", 1, "--csv"),
    "itemsets": ("--seed", 1),
    "membership": ("--seed", 1, "--members", 5, "--falsely", "0.2"),
}
"""Each script, with options that have little done: the file of data goes before them, a file to write after --csv."""


QUICK = ("people", "frequent")
"""One that writes data and one that releases what it finds there."""


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(n, marks=pytest.mark.deep) for n in FEW if n not in QUICK)])
def test_a_shell_runs_it_alike(tmp_path: Path, name: str) -> None:
    """What the other tests see is what a person sees, who starts each script on its own."""
    path = tmp_path / "data"
    made_up = "1 2\n" if name == "itemsets" else "a,b,c\n" + "1,0,1\n0,1,1\n" * 20
    path.write_text(made_up, encoding="utf-8")
    arguments = (path, *FEW[name], *([tmp_path / "out.csv"] if "--csv" in FEW[name] else []))
    here, there = example(f"{name}.py", *arguments), in_a_child(f"{name}.py", *arguments)
    assert there.returncode == 0, there.stderr
    assert (here.stdout, here.stderr, here.returncode) == (there.stdout, there.stderr, 0)
    assert (there.stdout + there.stderr).strip()


def test_a_shell_sees_errors_alike(tmp_path: Path) -> None:
    here, there = (run("people.py", tmp_path / "none" / "x", "--rows", 3) for run in (example, in_a_child))
    assert (there.returncode, there.stdout) == (1, "")
    assert (here.stdout, here.stderr, here.returncode) == (there.stdout, there.stderr, there.returncode)


def threshold(*arguments: object) -> Done:
    return example("threshold.py", *arguments)


@cache
def of_people() -> str:
    """Twenty thousand people: those below 40.5 have bought, but for one in five hundred."""
    source = random.Random(7)
    ages = [round(source.uniform(18, 80), 2) for _ in range(20_000)]
    lines = [f"{age},{int((age < 40.5) != (i % 500 == 0))},x" for i, age in enumerate(ages)]
    return "\n".join(["age,bought,name", *lines, ""])


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(of_people(), encoding="utf-8")
    return path


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_places_are_in_the_order_of_the_numbers(x: float, y: float) -> None:
    place_of, value_at = COLUMNS["place_of"], COLUMNS["value_at"]
    assert (place_of(x) < place_of(y)) == (x < y)
    assert value_at(place_of(x)) == x
    assert 0 <= place_of(x) < 2**64


def test_a_threshold_is_found_in_a_csv_file(people: Path) -> None:
    done = threshold(people, "--value", "age", "--label", "bought", "--epsilon", "2", "--seed", "1")
    assert done.returncode == 0, done.stderr
    first, found, check = done.stdout.splitlines()
    assert first == "20,000 rows; not private: the seed repeats the release."
    assert abs(float(found.removeprefix("bought is 1 below: age < ")) - 40.5) < 4
    assert check.startswith("(not private: it labels 9")
    assert "Theorem 3.18 asks for" in done.stderr


def test_the_other_way_round(people: Path) -> None:
    text = people.read_text(encoding="utf-8").replace(",0,", ",t,").replace(",1,", ",0,").replace(",t,", ",1,")
    people.write_text(text, encoding="utf-8")
    done = threshold(people, "--value", "age", "--label", "bought", "--epsilon", "2", "--seed", "1", "--above")
    assert "bought is 1 from here on: age ≥ " in done.stdout


TABLE = "a,b,c\n1,0,1\n"


@pytest.mark.parametrize(
    ("name", "text", "arguments", "words"),
    [
        ("threshold", "age,bought\n1,0\nx,1\n", ("--value", "age", "--label", "bought"), "line 3: age is 'x', which"),
        ("threshold", "age,bought\n", ("--value", "age", "--label", "bought"), "the sample is empty"),
        ("frequent", "v\nLyon\n", ("--value", "v", "--bytes", "3"), "line 2: v is longer than 3 bytes"),
        ("frequent", "v,v\na,b\n", ("--value", "v"), "has more than one column v"),
        ("cdf", "v\n1\n", ("--value", "v", "--delta", "0"), "delta=0"),
        ("marginals", TABLE + "1,2,0\n", ("--csv", "unwritten"), "line 3: b is '2', and not 0 or 1"),
        ("marginals", "a,b,c\n1,0," + "7" * 99 + "\n", ("--csv", "unwritten"), "c is '" + "7" * 20 + "', and not"),
        ("marginals", TABLE, (), "nothing to write: give --csv FILE"),
        ("itemsets", "1 2\n3 x\n", (), "line 2: expected whole numbers with spaces between, got 'x'"),
        ("itemsets", "1 2\n3 10\n", ("--items", "10"), "line 2: expected items from 0 to 9, got 10"),
        ("itemsets", "1 2\n", ("--compare", "/no/where.svg"), "there is no folder"),
        ("membership", "a,b\n0,1\n", (), "has 1 rows: at least 30 are needed"),
    ],
)
def test_what_a_script_refuses(tmp_path: Path, name: str, text: str, arguments: tuple[str, ...], words: str) -> None:
    path = tmp_path / "data"
    path.write_text(text, encoding="utf-8")
    done = example(f"{name}.py", path, *arguments)
    assert done.returncode in (1, 2)
    assert words in done.stderr
    assert done.stdout == ""
    assert len(done.stderr) < 500  # and so without the data


@cache
def of_cities() -> str:
    """Twenty thousand people of three cities, and some that live alone."""
    source = random.Random(7)
    lines = [
        f"{source.choice(['Lyon', 'Lyon', 'Zürich', f'place {i}'])},{round(source.gauss(40, 10), 3)}"
        for i in range(20_000)
    ]
    return "\n".join(["city,age", *lines, ""])


@pytest.fixture
def cities(tmp_path: Path) -> Path:
    path = tmp_path / "cities.csv"
    path.write_text(of_cities(), encoding="utf-8")
    return path


def test_frequent_values_of_a_csv_file(cities: Path, tmp_path: Path) -> None:
    plot = tmp_path / "cities.svg"
    done = example("frequent.py", cities, "--value", "city", "--epsilon", "20", "--seed", "1", "--compare", plot)
    assert done.returncode == 0, done.stderr
    first, *found = done.stdout.splitlines()
    assert first.startswith("20,000 rows; not private: the seed")
    assert [line.split()[1] for line in found] == ["Lyon", "Zürich"]
    assert abs(float(found[0].split()[0].removesuffix("%")) - 50) < 2
    assert ">Zürich</text>" in plot.read_text(encoding="utf-8")
    assert "not private" in plot.read_text(encoding="utf-8")


def test_the_distribution_function_of_a_csv_file(cities: Path, tmp_path: Path) -> None:
    plot, beside = tmp_path / "age.svg", tmp_path / "both.svg"
    given = ("--value", "age", "--epsilon", "5", "--seed", "1", "--svg", plot, "--compare", beside)
    done = example("cdf.py", cities, *given)
    assert done.returncode == 0, done.stderr
    first, head, *steps = done.stdout.splitlines()
    assert first.startswith("20,000 rows; not private: the seed")
    assert "Lemma 4.12 asks for" in done.stderr
    assert head.split() == ["up", "to", "age"]
    shares = {float(value): float(share.removesuffix("%")) for share, value in map(str.split, steps[:-1])}
    assert abs(min(share for value, share in shares.items() if value >= 40) - 50) < 20
    assert "true" not in plot.read_text(encoding="utf-8")
    assert "true" in beside.read_text(encoding="utf-8")


def test_privacy_is_promised_only_from_as_many_rows_on_as_it_takes(cities: Path) -> None:
    few = example("frequent.py", cities, "--value", "city")
    why = "20,000 rows; not shown to be private: for (1, 1e-6) Theorem 4.6 asks for 758,535 rows"
    assert (few.returncode, few.stdout) == (1, "")
    assert few.stderr.startswith(f"Error: {why}") and "--although-not-shown" in few.stderr
    all_the_same = example("frequent.py", cities, "--value", "city", "--although-not-shown")
    assert all_the_same.returncode == 0 and all_the_same.stdout.startswith(why)
    enough = example("frequent.py", cities, "--value", "city", "--epsilon", "20", "--alpha", "0.5")
    assert enough.stdout.startswith("20,000 rows; (20, 1e-6)-private when one of them is replaced.")
    assert enough.stderr == ""


def test_what_a_terminal_or_a_plot_cannot_show_is_escaped(tmp_path: Path) -> None:
    path, plot = tmp_path / "odd.csv", tmp_path / "odd.svg"
    path.write_text('v\n"a\nb"\n"\x1b[31mred"\n""\n' + "x\n" * 9, encoding="utf-8-sig")
    done = example(
        "frequent.py", path, "--value", "v", "--epsilon", "30", "--alpha", "0.9", "--seed", 1, "--compare", plot
    )
    assert "\x1b" not in done.stdout
    assert ElementTree.parse(plot).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("frequent", ("--value", "city", "--epsilon", "10")),
        # what they print of a fifth of the rows: test_a_threshold_is_found_in_a_csv_file, test_the_distribution_function_…
        pytest.param("threshold", ("--value", "age", "--label", "bought"), marks=pytest.mark.deep),
        pytest.param("cdf", ("--value", "income"), marks=pytest.mark.deep),
    ],
)
def test_the_committed_plots(tmp_path: Path, name: str, arguments: tuple[str, ...]) -> None:
    path, plot = tmp_path / "people.csv", tmp_path / "plot.svg"
    assert example("people.py", path).stdout == f"wrote 100,000 rows to {path}\n"
    done = example(f"{name}.py", path, *arguments, "--seed", "1", "--compare", plot)
    assert done.returncode == 0, done.stderr
    assert plot.read_text(encoding="utf-8") == (EXAMPLES / f"{name}.svg").read_text(encoding="utf-8"), "make figures"


def points_of(svg: Path) -> list[list[tuple[float, float]]]:
    """The points of each curve of a plot."""
    curves = re.findall(r'<polyline points="([^"]*)"', svg.read_text(encoding="utf-8"))
    return [[(float(x), float(y)) for x, y in (pair.split(",") for pair in curve.split())] for curve in curves]


@pytest.mark.deep
def test_the_committed_plot_of_marginals(tmp_path: Path) -> None:
    """To a hair: solutions of a linear program may differ in the last place between machines.

    Of two thousand rows: `test_released_marginals_have_a_line_for_each_cell`.
    """
    path, plot = tmp_path / "survey.csv", tmp_path / "plot.svg"
    assert example("survey.py", path).stdout == f"wrote 100,000 rows to {path}\n"
    done = example("marginals.py", path, "--seed", "1", "--compare", plot)
    assert done.returncode == 0, done.stderr
    for found, committed in zip(points_of(plot), points_of(EXAMPLES / "marginals.svg"), strict=True):
        assert max(abs(y - z) for (_, y), (_, z) in zip(found, committed, strict=True)) <= 4
    first, warning, head, *lines = done.stdout.splitlines()
    assert first == "100,000 rows; not private: the seed repeats the release."
    assert warning.startswith("(not private")
    assert head.split() == ["error", "of", "a", "share", "median", "90", "%", "95", "%", "worst"]
    learnt, each_cell, each_marginal = ([float(number) for number in line.split()[-4:]] for line in lines)
    assert all(a < b < c for a, b, c in zip(learnt, each_marginal, each_cell, strict=True))


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.csv"
    assert example("survey.py", path, "--rows", 2000, "--questions", 5).returncode == 0
    return path


@pytest.mark.deep
def test_released_marginals_have_a_line_for_each_cell(survey: Path, tmp_path: Path) -> None:
    target = tmp_path / "marginals.csv"
    given = ("--ways", 2, "--epsilon", 30, "--samples", 60, "--degree", 2, "--csv", target)
    done = example("marginals.py", survey, *given)
    assert done.stdout == "2,000 rows; (30, 0)-private when one of them is replaced.\n"
    done = example("marginals.py", survey, *given, "--seed", 1)
    assert done.returncode == 0, done.stderr
    assert "40 cells from answers about 60" in done.stderr
    with target.open(encoding="utf-8", newline="") as file:
        head, *lines = csv.reader(file)
    assert head == ["q0", "q1", "q2", "q3", "q4", "share"]
    with survey.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    assert len({tuple(line[:5]) for line in lines}) == len(lines) == 40
    errors = []
    for line in lines:
        named = [(i, value) for i, value in enumerate(line[:5]) if value]
        assert len(named) == 2
        true = sum(all(row[i] == value for i, value in named) for row in rows) / len(rows)
        errors.append(abs(true - float(line[5])))
    assert sorted(errors)[35] <= 0.1


BASKETS: dict[str, Any] = runpy.run_path(str(EXAMPLES / "baskets.py"))
UTILITY: dict[str, Any] = runpy.run_path(str(EXAMPLES / "utility.py"))


@pytest.fixture
def baskets(tmp_path: Path) -> Path:
    """Three thousand baskets, among them sixty of one pair."""
    path = tmp_path / "baskets.txt"
    path.write_text(BASKETS["baskets"](3_000), encoding="utf-8")
    return path


@pytest.mark.deep
def test_the_most_frequent_itemset(baskets: Path, tmp_path: Path) -> None:
    plot = tmp_path / "pairs.svg"
    given = ("--epsilon", "20", "--seed", "1", "--table", "--compare", plot)
    done = example("itemsets.py", baskets, *given)
    assert done.returncode == 0, done.stderr
    first, found, warning, head, *rows = done.stdout.splitlines()
    assert first == "3,000 baskets; not private: the seed repeats the release."
    assert found in ("12 345", "7 2024")
    assert warning.startswith("(not private: ")
    assert head.split() == ["ε", "large", "margin", "exponential", "max", "of", "Laplaces"]
    assert [row.split()[0] for row in rows] == ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"]
    assert ElementTree.parse(plot).getroot().tag.endswith("svg")
    assert "not private" in plot.read_text(encoding="utf-8")
    private = example("itemsets.py", baskets, "--epsilon", "20", "--items", "10000", "--size", "3")
    assert private.stdout.splitlines()[0] == "3,000 baskets; (20, 1e-6)-private when one of them is replaced."
    assert len(private.stdout.splitlines()[1].split()) == 3


@pytest.mark.parametrize("alpha", [1, 4])
def test_the_utilities_are_those_of_the_laws(alpha: int) -> None:
    scores = (40, 40, 30, 0, 0, 0)
    levels = [(40, log(2)), (30, 0.0), (0, log(3))]
    small = Fraction(alpha, 40)
    for law, found in (
        (
            distribution(large_margin_mechanism, scores, epsilon=alpha, delta=Fraction(1, 10)),
            UTILITY["of_large_margin"](levels, alpha, 0.1),
        ),
        (distribution(exponential_mechanism, scores, epsilon=small), UTILITY["of_exponential"](levels, float(small))),
        (distribution(max_of_laplaces, scores, epsilon=small), UTILITY["of_laplaces"](levels, float(small))),
    ):
        chance = {item: float(decimal(p, 12)) for item, p in law.probabilities.items()}
        assert found.best == pytest.approx(chance[0] + chance[1], abs=1e-5)
        assert found.lost == pytest.approx(sum(p * (40 - scores[item]) for item, p in chance.items()), abs=1e-3)


@pytest.mark.deep
def test_the_committed_plot_of_itemsets(tmp_path: Path) -> None:
    """Of three thousand baskets: `test_the_most_frequent_itemset`."""
    path, plot = tmp_path / "baskets.txt", tmp_path / "plot.svg"
    assert example("baskets.py", path).stdout == f"wrote 100,000 baskets to {path}\n"
    done = example("itemsets.py", path, "--size", "2", "--seed", "1", "--compare", plot)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1] == "12 345"
    assert plot.read_text(encoding="utf-8") == (EXAMPLES / "itemsets.svg").read_text(encoding="utf-8"), "make figures"


def test_a_file_is_not_written_over(survey: Path, baskets: Path) -> None:
    for name, path, option in (("marginals.py", survey, "--csv"), ("itemsets.py", baskets, "--compare")):
        before = path.read_bytes()
        done = example(name, path, option, path)
        assert done.returncode == 1
        assert "the data are read from it" in done.stderr
        assert path.read_bytes() == before


MARKERS: dict[str, Any] = runpy.run_path(str(EXAMPLES / "markers.py"))
MEMBERSHIP: dict[str, Any] = runpy.run_path(str(EXAMPLES / "membership.py"))


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Six hundred people with two hundred markers."""
    path = tmp_path / "markers.csv"
    path.write_text(MARKERS["markers"](600, 200), encoding="utf-8")
    return path


@pytest.mark.deep
def test_members_are_told_from_exact_means_and_not_from_private_ones(study: Path, tmp_path: Path) -> None:
    plot = tmp_path / "membership.svg"
    given = ("--members", 20, "--falsely", "0.05", "--seed", 1)
    done = example("membership.py", study, *given, "--compare", plot)
    assert done.returncode == 0, done.stderr
    first, exactly, privately, _, head, *rows = done.stdout.splitlines()
    assert first == "600 rows, 200 columns; not private: what follows says who was in the study."
    shares = [int(re.search(r": (\d+)% of 20 members are accused", line)[1]) for line in (exactly, privately)]  # type: ignore[index]
    assert shares[0] > 80
    assert shares[1] < 25
    assert head.split() == ["members", "exact", "means", "error", "means", "at", "ε", "=", "1", "error"]
    assert [row.split()[0] for row in rows] == ["10", "20", "50", "100", "200"]
    assert "studies of 200 members" in done.stderr
    assert ElementTree.parse(plot).getroot().tag.endswith("svg")
    before = plot.read_bytes()
    again = example("membership.py", study, *given, "--compare", plot)
    assert (again.stdout, plot.read_bytes()) == (done.stdout, before)


def test_without_a_seed_members_are_others_each_time(tmp_path: Path) -> None:
    path = tmp_path / "markers.csv"
    path.write_text(MARKERS["markers"](120, 40), encoding="utf-8")
    given = ("--members", 20, "--delta", 0)
    first = example("membership.py", path, *given).stdout
    assert any(example("membership.py", path, *given).stdout != first for _ in range(3))


def test_as_few_outsiders_are_accused_as_is_asked_for() -> None:
    """Whatever the scores are: over all orders of the people, on the average."""
    import numpy as np

    trace, dealt = MEMBERSHIP["trace"], MEMBERSHIP["dealt"]
    accused = []
    for seed in range(200):
        source = random.Random(seed)
        rows = np.array([[int(source.random() < 0.3) for _ in range(12)] for _ in range(60)], dtype=np.uint8)
        people = dealt(rows, source)
        accused.append(trace(people, people.pool[:8], people.pool[:8].mean(axis=0), Fraction(1, 5)).falsely)
    assert 0.1 < sum(accused) / len(accused) < 0.2


@pytest.mark.deep
def test_the_committed_picture_of_members(tmp_path: Path) -> None:
    path, plot = tmp_path / "markers.csv", tmp_path / "plot.svg"
    assert example("markers.py", path).stdout == f"wrote 6,000 rows to {path}\n"
    done = example("membership.py", path, "--seed", "1", "--compare", plot)
    assert done.returncode == 0, done.stderr
    assert plot.read_text(encoding="utf-8") == (EXAMPLES / "membership.svg").read_text(encoding="utf-8"), "make figures"
    assert done.stdout in (EXAMPLES.parent / "tracing.md").read_text(encoding="utf-8")
