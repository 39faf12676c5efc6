"""The other interpreter, with another hash seed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.verifiers.privacy.repeated_mechanisms import Point

from dpverify.mechanisms import MechanismError, bernoulli, distribution
from dpverify.verifiers import Multisets, check_privacy
from dpverify.verifiers.problems.preparation.answers import answer_bytes, answer_from_bytes, probabilities_of

LIBRARY = """
from fractions import Fraction
from dpverify.mechanisms import bernoulli
from dpverify.verifiers import Claim, Tuples

UNIVERSE = tuple("abcdefgh")

def most(draw, rows):
    return max(set(rows), key=rows.count)

def hashed(draw, rows):
    return hash("x" + rows[0]) % 2

def fair(draw, rows):
    return draw(bernoulli(Fraction(1 + UNIVERSE.index(rows[0]) // 4, 5)))

most_common = Claim(id="most", mechanism=most, domain=Tuples(UNIVERSE, size=2), neighbours=lambda rows: [rows[::-1]], epsilon=1)
hash_of_text = Claim(id="hashed", mechanism=hashed, domain=Tuples(UNIVERSE, size=1), epsilon=1, delta=1)
fair_one = Claim(id="fair", mechanism=fair, domain=Tuples(UNIVERSE, size=1), epsilon=1)
"""


CHECK = """
import sys
from pathlib import Path
from dpverify.mechanisms import InputError
from dpverify.verifiers.problems.preparation import another_interpreter as other
from dpverify.verifiers.auditing.claim_files import load_claims
from dpverify.verifiers.privacy.checker import decided_question

other.start()
path = Path(sys.argv[1])
for claim in load_claims(path):
    try:
        verdict = decided_question(claim.question, other.repeated_elsewhere(other.Reference(str(path), claim.id)))
        print(claim.id, verdict.status, verdict.basis.recheck)
    except InputError as error:
        print(claim.id, "not deterministic" in str(error), "in another interpreter" in str(error))
"""


def run_check(folder: Path, seed: str | None, before: str = "") -> list[str]:
    (folder / "claims_of_text.py").write_text(LIBRARY)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONHASHSEED"}
    done = subprocess.run(
        [sys.executable, "-c", before + CHECK, str(folder / "claims_of_text.py")],
        env=environment if seed is None else {**environment, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("seed", ["0", "random", None])
def test_what_depends_on_the_hash_seed_is_found(tmp_path: Path, seed: str | None) -> None:
    assert run_check(tmp_path, seed) == [
        "most REFUTED another interpreter",
        "hashed True True",
        "fair PROVED another interpreter",
    ]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", ["1", "01", "4294967295"])
def test_the_other_seed_is_another_one_however_it_is_written(tmp_path: Path, seed: str) -> None:
    assert run_check(tmp_path, seed)[1:] == ["hashed True True", "fair PROVED another interpreter"]


def test_an_interpreter_with_the_same_hash_seed_is_not_called_another_one(tmp_path: Path) -> None:
    before = "import os; os.environ['PYTHONHASHSEED'] = '2'"  # of a process whose own is 3
    assert run_check(tmp_path, "3", before)[-1] == "fair PROVED one process"


def test_orders_of_rows_are_still_tried() -> None:

    with pytest.raises(MechanismError, match="depends on the order of the rows"):
        check_privacy(lambda draw, rows: rows[0], Multisets((0, 1), size=2), epsilon=1)


def test_a_class_that_is_not_found_where_it_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    law = distribution(lambda draw, rows: draw(bernoulli("0.25")) and Point(1), ())
    message = answer_bytes([law])
    monkeypatch.delattr(sys.modules[Point.__module__], "Point")
    assert answer_from_bytes(message) == [probabilities_of(law)]


OUTCOMES_OF_ITS_OWN = """
from dataclasses import dataclass
from fractions import Fraction
from dpverify.mechanisms import bernoulli
from dpverify.verifiers import Claim, Tuples

@dataclass(frozen=True)
class Found:
    value: int

def finds(draw, rows):
    return Found(draw(bernoulli(Fraction(1 + rows[0], 3))))

claim = Claim(id="NAME", mechanism=finds, domain=Tuples((0, 1), size=1), epsilon=1)
another = Claim(id="NAME.2", mechanism=finds, domain=Tuples((0, 1), size=1), epsilon=2)
"""


@pytest.mark.deep
def test_files_of_one_name_have_classes_of_their_own(tmp_path: Path) -> None:
    files = [tmp_path / name / "claims_same.py" for name in ("first", "second")]
    for file in files:
        file.parent.mkdir()
        file.write_text(OUTCOMES_OF_ITS_OWN.replace("NAME", file.parent.name), encoding="utf-8")
    code = "import sys; from dpverify.verifiers.command_line import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "audit", "--verbose", *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " ".join(done.stdout.split()).count("another interpreter") == 4


@pytest.mark.deep
def test_a_temporary_folder_with_too_long_a_name_costs_the_other_interpreter_alone(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 120)
    long.mkdir()
    file = tmp_path / "claims_alone.py"
    outside = OUTCOMES_OF_ITS_OWN.replace("Fraction(1 + rows[0], 3)", "Fraction(1 + rows[0] + 0 * hash(rows), 3)")
    file.write_text(outside.replace("size=1)", 'size=1), expected="CHECKED"'), encoding="utf-8")
    code = "import sys; from dpverify.verifiers.command_line import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "audit", "--verbose", str(file)],
        env={**os.environ, "TMPDIR": str(long)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "a forked process" in " ".join(done.stdout.split())
    assert not list(long.iterdir())
