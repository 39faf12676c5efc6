"""Chance that does not come from `draw`: every common source is refused outside the language, and all is put back."""

import importlib
import os
import random
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from random import SystemRandom
from random import random as a_number
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, MechanismError, bernoulli, distribution
from dpverify.mechanisms.functions.hidden_chance import no_hidden_chance
from dpverify.verifiers import check_privacy

MADE_BEFORE = random.Random(1)
MADE_BY_NUMPY = default_rng(1)
LEGACY = np.random.RandomState(1)
BITS = np.random.PCG64(1)
SYSTEM = SystemRandom()
IN_A_LIST = [random.Random(2)]
MANY = [default_rng(seed) for seed in range(101)]
PACKAGE, INNER = ModuleType("package_of_mine"), ModuleType("package_of_mine.inner")
vars(PACKAGE)["inner"] = INNER
vars(INNER)["generator"] = default_rng(7)
drawn_at, drawn_by_numpy = MADE_BEFORE.gauss, MADE_BY_NUMPY.random


class Holder:
    of_class = default_rng(2)

    def __init__(self) -> None:
        self.generator = default_rng(3)

    def mechanism(self, draw: Draw, database: Any) -> Any:
        return rarely(self.generator.random(), database)

    def __call__(self, draw: Draw, database: Any) -> Any:
        return rarely(self.generator.random(), database)


def rarely(number: Any, database: Any) -> Any:
    """The database with probability far below what an enumeration meets."""
    return database if number < 1e-9 else None


def helper() -> float:
    return IN_A_LIST[0].random()


def with_default(draw: Draw, database: Any, generator: Any = MADE_BY_NUMPY) -> Any:
    return rarely(generator.random(), database)


def caught(source: Callable[[], Any]) -> Any:
    """The source in a mechanism that is outside the language and lets no error through."""

    def mechanism(draw: Draw, database: Any) -> Any:
        try:
            return rarely(source(), database)
        except Exception:  # as a mechanism that swallows what refuses it
            return None

    return mechanism


def endless() -> Iterator[float]:
    generator = default_rng(6)
    while True:
        yield generator.random()


NUMBERS = endless()
next(NUMBERS)
SOURCES: dict[str, Callable[..., Any]] = {
    "SystemRandom": lambda draw, d: rarely(SYSTEM.random(), d),
    "os.urandom": lambda draw, d: rarely(int.from_bytes(os.urandom(8)), d),
    "uuid.uuid4": lambda draw, d: rarely(uuid.uuid4().int, d),
    "a method, by name": lambda draw, d: rarely(abs(drawn_at()), d),
    "made before": lambda draw, d: rarely(MADE_BEFORE.random(), d),
    "a helper": lambda draw, d: rarely(helper(), d),
    "in a generator": lambda draw, d: rarely(next(NUMBERS), d),
    "a default": with_default,
    "self": Holder().mechanism,
    "a callable": Holder(),
    "random.random, caught": caught(a_number),
    "default_rng(), caught": caught(lambda: default_rng().random()),
}


@in_one("name", SOURCES)
def test_every_common_source_is_refused_and_all_is_put_back(name: str) -> None:
    owners: tuple[Any, ...] = (random, random.Random, random.SystemRandom, os, uuid, np.random)
    before = [dict(vars(owner)) for owner in owners]
    with pytest.raises(MechanismError, match="let all chance come from `draw`"):
        distribution(SOURCES[name], "secret")
    with pytest.raises(MechanismError, match="let all chance come from `draw`"):
        check_privacy(SOURCES[name], ["a", "b"], lambda _: ["a", "b"], epsilon=0)
    assert [dict(vars(owner)) for owner in owners] == before
    assert 0 <= random.random() < 1


def test_the_message_names_what_was_called() -> None:
    for name, said in (
        ("uuid.uuid4", "os.urandom:"),
        ("made before", "a Random that is held, whose state has changed"),
    ):
        with pytest.raises(MechanismError, match=f"chance came from {said}"):
            distribution(SOURCES[name], 0)


def test_another_thread_and_an_enumeration_within_use_chance_meanwhile() -> None:
    found: list[Any] = []

    def elsewhere() -> None:
        found.extend([SYSTEM.random(), random.Random(1).random(), len(os.urandom(1))])

    with no_hidden_chance(found.append, ()):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        with no_hidden_chance(found.append, ()):
            pass
        with pytest.raises(InputError, match=r"chance came from os\.urandom"):
            os.urandom(1)
    assert [type(each) for each in found] == [float, float, int, type(found[-1])]
    assert len(os.urandom(4)) == 4


def test_a_module_may_draw_bits_while_it_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "draws_at_import.py").write_text("import os, random\nKEY = os.urandom(4), random.Random(1).random()\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def imports_late(draw: Draw, database: int) -> int:
        return len(importlib.import_module("draws_at_import").KEY)

    try:
        assert distribution(imports_late, 0).probability(2) == 1
    finally:
        sys.modules.pop("draws_at_import", None)


def test_what_is_only_reachable_and_not_used_is_allowed() -> None:
    def holds_one(draw: Draw, database: int, generator: Any = MADE_BEFORE) -> Any:
        return (draw(bernoulli("0.5")), generator is None, LEGACY is None)

    assert distribution(holds_one, 0).size == 2


def test_what_writes_outside_is_refused_and_what_reads_is_not(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    file.write_text("1")
    writes: list[Callable[[], Any]] = [lambda: file.write_text("2"), file.unlink, lambda: os.system("true")]
    for write in writes:
        with pytest.raises(MechanismError, match="writes outside by"):
            distribution(lambda draw, _, write=write: write(), 0)
    assert distribution(lambda draw, _: int(file.read_text()), 0).probability(1) == 1


def test_numpy_that_is_first_loaded_by_a_mechanism() -> None:
    script = (
        "from dpverify.mechanisms import distribution\n"
        "import sys; assert 'numpy.random' not in sys.modules\n"
        "def m(draw, rows):\n    import numpy\n    return numpy.random.random() < 1e-12\n"
        "print(distribution(m, 0).probability(True))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "1/1000000000000\n"
