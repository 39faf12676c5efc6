"""The examples of docs/ that run each learner, sanitizer and selection rule of the papers on files."""

from pathlib import Path

import pytest
from tests.test_examples import example

ROWS = 4000
PARTS = "parts.csv"


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("examples") / PARTS
    assert example("parts.py", path, "--rows", ROWS).stdout == f"wrote {ROWS:,} rows to {path}\n"
    return path


STATION = ("--value", "station", "--low", 0, "--high", 64)
TEMPERATURE = ("--value", "temperature", "--label", "warm", "--low", 0, "--high", 128)
LESS = ("--bits", 4)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("by", "given", "words"),
    [
        ("points", (*STATION, "--label", "cracked"), "cracked is 1 where station is from 17 up to 18"),
        ("points-or-none", (*STATION, "--label", "cracked"), "cracked is 1 where station is from 17 up to 18"),
        ("thresholds-by-rec", TEMPERATURE, "warm is 1 "),  # 4,000 rows are few for it
        ("search", TEMPERATURE, "warm is 1 where temperature is below"),
        ("search-powers", TEMPERATURE, "warm is 1 where temperature is below"),
        ("generic", TEMPERATURE, "warm is 1 where temperature is below 60\n"),
        ("large-margin", TEMPERATURE, "warm is 1 where temperature is below"),
        ("label-private", TEMPERATURE, "warm is 1 where temperature is below 60\n"),
        ("semi-private", TEMPERATURE, "warm is 1 where temperature is below 60\n"),
        ("sanitized", (*TEMPERATURE, *LESS, "--epsilon", 6), "warm is 1 where temperature is below"),
        (
            "rectangle",
            ("--value", "length", "--value", "width", "--label", "fits", "--low", 0, "--high", 128),
            "fits is 1",
        ),
    ],
)
def test_each_learner_learns_from_a_file(
    parts: Path, tmp_path: Path, by: str, given: tuple[object, ...], words: str
) -> None:
    plot = tmp_path / "plot.svg"
    done = example("learning.py", parts, "--by", by, *given, "--epsilon", 4, "--seed", 1, "--compare", plot)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{ROWS:,} rows; not private: the seed")
    assert words in done.stdout
    assert "rows" in done.stderr
    assert ": not private</text>" in plot.read_text(encoding="utf-8")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("by", "given", "words"),
    [
        (
            "points",
            ("--value", "station", "--label", "cracked", "--label", "bent"),
            "bent is 1 where station is from 5 up to 6",
        ),
        (
            "direct-sum",
            ("--value", "temperature", "--label", "warm", "--high", 128),
            "warm is 1 where temperature is below 60",
        ),
        (
            "sample",
            ("--value", "temperature", "--label", "warm", "--high", 128),
            "warm is 1 where temperature is below",
        ),
        ("generic", ("--value", "temperature", "--label", "warm", "--high", 128, "--bits", 3), "warm is 1 where"),
    ],
)
def test_each_learner_of_many_concepts_learns_from_a_file(
    parts: Path, by: str, given: tuple[object, ...], words: str
) -> None:
    done = example("many.py", parts, "--by", by, *given, "--epsilon", 4, "--seed", 1)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout
    assert "asks for" in done.stderr


def test_multiplicative_weights_follow_the_temperature(parts: Path, tmp_path: Path) -> None:
    given = ("--value", "temperature", "--low", 0, "--high", 128, "--bits", 2, "--epsilon", 8, "--although-not-shown")
    done = example("sanitizing.py", parts, "--by", "weights", *given, "--compare", tmp_path / "plot.svg")
    assert done.returncode == 0, done.stderr
    shares = [float(line.split("%")[0]) for line in done.stdout.splitlines()[1:]]
    assert len(shares) == 4
    assert abs(shares[-1] - 100) < 10
    assert "Theorem 2.19, with our constants, asks for" in done.stderr


def test_parities_of_columns_are_found(tmp_path: Path) -> None:
    path = tmp_path / "bits.csv"
    lines = [
        f"{x & 1},{x >> 1 & 1},{x >> 2 & 1},{(x ^ x >> 2) & 1},{x >> 1 & 1}" for x in (i * 5 % 8 for i in range(3000))
    ]
    path.write_text("\n".join(["a,b,c,y,z", *lines, ""]), encoding="utf-8")
    given = [part for name in "abc" for part in ("--value", name)]
    done = example("many.py", path, "--by", "parities", *given, "--label", "y", "--label", "z", "--seed", 1)
    assert done.returncode == 0, done.stderr
    assert "y is 1 where an odd number of a, c is 1 (not private: right on 100.0% of the rows)" in done.stdout
    assert "z is 1 where an odd number of b is 1" in done.stdout


@pytest.mark.parametrize("by", ["stability", "cut-offs", "k-points"])
def test_each_sanitizer_of_points_finds_the_stations(parts: Path, tmp_path: Path, by: str) -> None:
    plot = tmp_path / "plot.svg"
    done = example("sanitizing.py", parts, "--by", by, *STATION, "--epsilon", 8, "--seed", 1, "--compare", plot)
    assert done.returncode == 0, done.stderr
    shares = {line.split()[-1]: float(line.split("%")[0]) for line in done.stdout.splitlines()[1:]}
    assert abs(shares["17"] - 16) < 3
    assert abs(shares["5"] - 11) < 3
    assert "released" in plot.read_text(encoding="utf-8")


@pytest.mark.parametrize("by", ["small-database", "in-parts"])
def test_small_databases_follow_the_temperature(parts: Path, tmp_path: Path, by: str) -> None:
    given = ("--value", "temperature", "--low", 0, "--high", 128, "--bits", 3, "--size", 3)
    done = example("sanitizing.py", parts, "--by", by, *given, "--seed", 1, "--compare", tmp_path / "plot.svg")
    assert done.returncode == 0, done.stderr
    shares = [float(line.split("%")[0]) for line in done.stdout.splitlines()[1:]]
    assert abs(sum(shares) - 100) < 1
    assert "within 0.1 of the nearest database of 3 rows" in done.stderr


@pytest.mark.parametrize(
    "by", ["a-dist", "a-dist-extended", "a-dist-printed", "choosing", "exponential", "max-of-laplaces", "large-margin"]
)
def test_each_rule_names_the_most_frequent_value(parts: Path, tmp_path: Path, by: str) -> None:
    among = ("--among", "5,17,18") if by in ("exponential", "max-of-laplaces", "large-margin") else ()
    plot = tmp_path / "plot.svg"
    given = ("--value", "station", "--by", by, *among, "--epsilon", 2)
    if by == "a-dist-printed":
        refused = example("selecting.py", parts, *given)
        assert (refused.returncode, refused.stdout) == (1, "") and "is refuted" in refused.stderr
    done = example("selecting.py", parts, *given, "--although-not-shown", "--compare", plot)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("station: 17\n")
    assert ("not shown to be private" in done.stdout) == (by == "a-dist-printed" or "Lemma 4.4 asks" in done.stdout)
    assert "chance to be named" in plot.read_text(encoding="utf-8")
    assert "(not private: the most" in example("selecting.py", parts, *given, "--seed", 1).stdout


@pytest.mark.parametrize("by", ["sieve", "low-weight"])
def test_shares_of_queries_are_learnt(tmp_path: Path, by: str) -> None:
    path = tmp_path / "survey.csv"
    path.write_text("a,b\n" + "1,1\n1,0\n1,1\n0,0\n" * 500, encoding="utf-8")
    given = ("--by", by, "--column", "a", "--column", "b", "--epsilon", 4, "--alpha", "0.5", "--seed", 1)
    done = example("queries.py", path, *given, "--compare", tmp_path / "plot.svg")
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines()[1:]:
        released, true = (float(part) for part in (line.split("%")[0], line.rsplit(" ", 1)[1].rstrip("%)")))
        assert abs(released - true) <= 50
    assert "Theorem" in done.stderr


@pytest.mark.parametrize(
    ("script", "arguments", "words"),
    [
        ("learning.py", (*STATION, "--label", "nothing"), "has no column nothing"),
        ("learning.py", (*STATION, "--label", "station"), "neither 0 nor 1"),
        ("learning.py", ("--value", "station", "--label", "cracked", "--low", 3, "--high", 3), "is not below --high 3"),
        ("learning.py", (*STATION, "--value", "length", "--label", "cracked"), "give --value once"),
        ("learning.py", (*STATION, "--label", "cracked", "--delta", 0), "delta=0"),
        ("learning.py", (*STATION, "--label", "cracked", "--epsilon", "1e9"), "is beyond 1000"),
        ("learning.py", (*STATION, "--label", "cracked", "--by", "sanitized"), "give at most --bits 4"),
        ("many.py", ("--value", "station", "--label", "station"), "neither 0 nor 1"),
        ("many.py", ("--value", "station", "--label", "bent", "--by", "generic"), "give at most --bits 4"),
        ("sanitizing.py", (*STATION, "--by", "small-database"), "give at most --bits 4"),
        ("sanitizing.py", (*STATION, "--epsilon", 0), "epsilon=0"),
        ("selecting.py", ("--value", "station", "--by", "exponential"), "give them with --among"),
        ("selecting.py", ("--value", "station", "--among", "1,2"), "a-dist needs none"),
        ("selecting.py", ("--value", "station", "--by", "exponential", "--among", "1,1"), "names a value twice"),
        ("queries.py", ("--column", "bent", "--column", "bent"), "each once"),
        ("queries.py", ("--column", "station"), "neither 0 nor 1"),
        ("queries.py", ("--column", "bent", "--alpha", "0.001"), "allow a larger error"),
    ],
)
def test_what_they_refuse(parts: Path, script: str, arguments: tuple[object, ...], words: str) -> None:
    done = example(script, parts, *arguments)
    assert done.returncode in (1, 2)
    assert words in done.stderr
    assert done.stdout == ""
    assert len(done.stderr) < 500


@pytest.mark.parametrize("script", ["learning.py", "many.py", "sanitizing.py", "selecting.py", "queries.py"])
def test_files_without_rows_are_refused(tmp_path: Path, script: str) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("v,w\n", encoding="utf-8")
    given = {
        "learning.py": ("--value", "v", "--label", "w", "--low", 0, "--high", 1),
        "many.py": ("--value", "v", "--label", "w"),
        "sanitizing.py": ("--value", "v", "--low", 0, "--high", 1),
        "selecting.py": ("--value", "v"),
        "queries.py": ("--column", "v"),
    }[script]
    done = example(script, path, *given)
    assert (done.returncode, done.stdout) == (1, "")
    assert "there are no rows below the header" in done.stderr
    assert "Usage" in example(script, "--help").stdout
