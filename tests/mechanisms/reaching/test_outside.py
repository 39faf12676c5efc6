"""Files and other ways out of the process: nothing passes from a run to what is applied, or to the next row, by them.

Each `then` here gives what the mechanism wrote, and was PROVED at ε = 0 while that was the sum of the rows.
"""

# ruff: noqa: PTH102, PTH104, PTH123, SIM115, UP020
# for these are ways to read and to write, as people write them

from __future__ import annotations

import csv
import io
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from io import open as opened
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, laplace
from dpverify.mechanisms.release.threshold_oracle import rows_that_satisfy
from dpverify.mechanisms.selection import noisy_number
from dpverify.verifiers import Status, Tuples, check_privacy, replace_one
from dpverify.verifiers.all_sizes.compositions import EveryDatabase

ONE_BIT = Tuples((0, 1), size=1)
FILE = "kept.txt"
PATH = Path(FILE)
READER = partial(opened, FILE)


@pytest.fixture(autouse=True)
def at_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    PATH.write_text("1", encoding="utf-8")
    yield


def check(mechanism: Any, domain: Any = ONE_BIT) -> Any:
    return check_privacy(mechanism, domain, replace_one, epsilon=1, recheck=False)


def by_default(_: Any, open: Callable[[str], Any] = open) -> Any:  # the name that hides the other one
    return open(FILE).read()


def by_an_import(_: Any) -> Any:
    import shelve

    return shelve.open(FILE)


def by_a_module_within(_: Any) -> Any:
    from numpy.lib import npyio

    return npyio.DataSource().open(FILE)


READ: list[Callable[[Any], Any]] = [
    lambda _: open(FILE).read(),  # the way out
    lambda _: json.load(open(FILE)),
    lambda _: list(csv.reader(open(FILE))),
    lambda _: io.open(FILE).read(),
    lambda _: io.FileIO(FILE).read(),
    lambda _: opened(FILE).read(),
    lambda _: READER().read(),
    lambda _: [*map(open, [FILE])],
    lambda _: PATH.exists(),
    lambda _: pathlib.Path(FILE).read_text(),
    lambda _: float(np.loadtxt(FILE)),
    lambda _: float(np.genfromtxt(FILE)),
    lambda _: len(np.fromfile(FILE)),
    lambda _: np.memmap(FILE)[0],
    lambda _: np.lib.format.open_memmap(FILE),
    lambda _: input(),
    by_default,
    by_an_import,
    by_a_module_within,
]


@pytest.mark.usefixtures("decided_here")
@in_one("then", READ)
def test_what_is_applied_names_nothing_that_reads(then: Callable[[Any], Any]) -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        return draw.release(sum(rows) + draw(laplace(1)), then=then)

    verdict = check(mechanism)
    assert verdict.status is Status.UNDECIDED, verdict.reason
    assert "names" in verdict.reason


@pytest.mark.usefixtures("decided_here")
@in_one("then", [lambda x: max(x, 0), lambda x: np.sqrt(abs(float(x))), lambda _: PurePath(FILE).name])
def test_what_reads_nothing_may_be_applied(then: Callable[[Any], Any]) -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        return draw.release(sum(rows) + draw(laplace(1)), then=then)

    assert check(mechanism).status is Status.PROVED


WRITE: list[tuple[str, Callable[[int], Any]]] = [
    ("open 'kept.txt'", lambda x: open(FILE, "w").write(str(x))),
    ("open 'kept.txt'", lambda x: open(FILE, "a").write(str(x))),
    ("open", lambda x: PATH.write_text(str(x))),
    ("open", lambda x: np.array([x]).tofile(FILE)),
    ("open", lambda _: os.open(FILE, os.O_WRONLY)),
    ("os.mkdir", lambda x: os.mkdir(str(x))),
    ("os.utime", lambda x: os.utime(FILE, (1, 1 + x))),
    ("os.rename", lambda x: os.rename(FILE, str(x))),
    ("os.system", lambda x: os.system(f"echo {x} > {FILE}")),
    ("subprocess.Popen", lambda x: subprocess.run([sys.executable, "-c", f"{x}"], check=False)),
    ("sqlite3.connect", lambda _: sqlite3.connect(FILE)),
]


@pytest.mark.usefixtures("decided_here")
@in_one("how, write", WRITE)
def test_a_mechanism_writes_nothing(how: str, write: Callable[[int], Any]) -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        write(rows[0])
        return draw(laplace(1))

    with pytest.raises(InputError, match=rf"writes outside by {how}.*test_outside\.py, line \d+"):
        check(mechanism)
    assert PATH.read_text(encoding="utf-8") == "1"  # it was not done


def test_a_write_is_refused_also_where_the_mechanism_catches_that() -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        with suppress(InputError):
            open(FILE, "w").write(str(rows))
        return draw(laplace(1))

    with pytest.raises(InputError, match="writes outside by open"):
        check(mechanism)


def test_a_mechanism_may_read_what_it_does_not_write() -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        return sum(rows) + draw(laplace(int(PATH.read_text())))

    assert check(mechanism).status is Status.PROVED


def test_a_part_reads_nothing() -> None:
    def part(draw: Draw, row: int) -> str:
        return open(FILE).read()

    with pytest.raises(InputError, match=r"reaches open: .*test_outside\.py, line \d+"):
        check(lambda draw, rows: draw(part, rows[0]))


def seen_before(row: int) -> bool:
    before = open(FILE).read()
    open(FILE, "w").write(before + str(row))
    return "1" in before


def after_a_one(draw: Draw, rows: Any) -> Any:
    """Its number is 0 for (0, 0, 0, 0, 0), and 4 for (1, 0, 0, 0, 0), if the file is empty before."""
    open(FILE, "w").close()
    return draw(noisy_number, rows, number=partial(rows_that_satisfy, query=seen_before), noise=laplace(1))


def reads_afterwards(draw: Draw, rows: Any) -> Any:
    ones = draw(noisy_number, rows, number=partial(rows_that_satisfy, query=bool), noise=laplace(1))
    return draw.release(ones, then=lambda _: open(FILE).read())


@in_one("mechanism", [after_a_one, reads_afterwards])
def test_neither_do_predicates_nor_what_is_applied_on_databases_of_all_sizes(mechanism: Any) -> None:
    verdict = check(mechanism, EveryDatabase(range(2)))
    assert verdict.status is Status.UNDECIDED
    assert "names open, which reads or writes outside" in verdict.reason
