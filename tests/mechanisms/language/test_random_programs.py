"""Random programs have the output distribution that plain Python gives them, whatever the hash seed and the order."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.mechanisms.language import random_programs
from tests.mechanisms.language.random_programs import DATABASES, Missed, end, loaded, plain_law, program, with_types

from dpverify.mechanisms import run
from dpverify.mechanisms.language.compiled import outside_of

PROGRAMS = 6
"""Programs that are compared at once, and so many again whose sets are gone through."""


def compared(file: Path, seed: int, seen: Counter[str]) -> None:
    mechanism = loaded(file)
    if outside_of(mechanism):
        return
    seen["inside"] += 1
    for rows in DATABASES:
        ours = end(mechanism, rows)
        if isinstance(ours, str):  # it raises, or changes a value from outside
            continue
        try:
            plain = plain_law(mechanism, rows)
        except Missed:
            continue
        seen["compared"] += 1
        assert ours == plain, file.read_text()
        assert with_types(run(mechanism, rows, seed=seed)) in plain, file.read_text()


@few(1, deep=60)
@given(st.integers(0, 10**9))
def test_random_programs_are_what_plain_python_makes_of_them(seed: int) -> None:
    seen: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        files = [Path(folder) / f"p{seed}_{i}.py" for i in range(2 * PROGRAMS)]
        for i, file in enumerate(files):
            file.write_text(program(seed + i, goes_through_sets=i >= PROGRAMS))
            if i < PROGRAMS:
                compared(file, seed + i, seen)
        ends = [ended(files, *each) for each in (("1", "1"), ("2", "-1"), ("3", "1"))]
    assert seen["inside"] >= PROGRAMS // 2, seen
    assert seen["compared"] >= PROGRAMS, seen
    assert sum(end.startswith("{") for of_file in ends[0] for end in of_file) >= 2 * PROGRAMS
    assert ends[0] == ends[1] == ends[2]


def ended(files: list[Path], hash_seed: str, order: str) -> list[list[str]]:
    """How each program ends on each database, in another process, where they come in that order."""
    command = [sys.executable, random_programs.__file__, order, *map(str, files)]
    given = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=True)
    return [each[:: int(order)] for each in json.loads(done.stdout)]
