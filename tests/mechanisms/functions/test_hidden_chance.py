"""Chance that does not come from `draw`: every common source is refused, and everything is put back."""

import functools
import importlib
import os
import random
import secrets
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable
from fractions import Fraction
from os import urandom
from pathlib import Path
from random import SystemRandom
from random import random as a_number
from secrets import randbelow
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.random import random as a_number_of_numpy
from tests.examples import in_one

from dpverify.mechanisms import Draw, MechanismError, bernoulli, distribution, run
from dpverify.mechanisms.functions.hidden_chance import no_hidden_chance, sources_replaced
from dpverify.verifiers import check_privacy

MADE_BEFORE = random.Random(1)
MADE_BY_NUMPY = np.random.default_rng(1)
LEGACY = np.random.RandomState(1)
BITS = np.random.PCG64(1)
SYSTEM = SystemRandom()
IN_A_LIST = [random.Random(2)]
drawn_at = MADE_BEFORE.gauss


class Holder:
    def __init__(self) -> None:
        self.generator = np.random.default_rng(3)

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


def through_a_part(draw: Draw, database: Any) -> Any:
    return draw(lambda draw: rarely(a_number(), database))


def caught(draw: Draw, database: Any) -> Any:
    try:
        return rarely(random.random(), database)
    except Exception:
        return None


SOURCES: dict[str, Callable[..., Any]] = {
    "random.random": lambda draw, d: rarely(random.random(), d),
    "random.choice": lambda draw, d: rarely(random.choice(range(1, 10**12)), d),
    "random.shuffle": lambda draw, d: rarely(random.shuffle([1, 2]) or 1, d),
    "random.gauss": lambda draw, d: rarely(abs(random.gauss()), d),
    "random.Random()": lambda draw, d: rarely(random.Random().random(), d),
    "SystemRandom": lambda draw, d: rarely(SYSTEM.random(), d),
    "SystemRandom()": lambda draw, d: rarely(SystemRandom().randrange(10**12), d),
    "randbelow, by name": lambda draw, d: rarely(randbelow(10**12), d),
    "os.urandom": lambda draw, d: rarely(int.from_bytes(os.urandom(8)), d),
    "urandom, by name": lambda draw, d: rarely(int.from_bytes(urandom(8)), d),
    "uuid.uuid4": lambda draw, d: rarely(uuid.uuid4().int, d),
    "uuid.uuid1": lambda draw, d: rarely(uuid.uuid1().int, d),
    "random, by name": lambda draw, d: rarely(a_number(), d),
    "a method, by name": lambda draw, d: rarely(abs(drawn_at()), d),
    "numpy.random.random": lambda draw, d: rarely(np.random.random(), d),
    "numpy.random.laplace": lambda draw, d: rarely(abs(np.random.laplace()), d),
    "numpy's, by name": lambda draw, d: rarely(a_number_of_numpy(), d),
    "default_rng()": lambda draw, d: rarely(np.random.default_rng().random(), d),
    "made before": lambda draw, d: rarely(MADE_BEFORE.random(), d),
    "made before by numpy": lambda draw, d: rarely(MADE_BY_NUMPY.random(), d),
    "RandomState": lambda draw, d: rarely(LEGACY.random_sample(), d),
    "a bit generator": lambda draw, d: rarely(int(BITS.random_raw()), d),
    "a helper": lambda draw, d: rarely(helper(), d),
    "a default": with_default,
    "self": Holder().mechanism,
    "a callable": Holder(),
    "a part": through_a_part,
    "caught": caught,
}


DRAWN = (
    *("random.random", "random.shuffle", "random.gauss", "random.Random()", "SystemRandom()", "randbelow, by name"),
    *("random, by name", "numpy.random.random", "numpy.random.laplace", "numpy's, by name", "default_rng()", "a part"),
)
"""Sources that the language has as draws, where a mechanism is inside of it: then the rare outcome is in the law."""
REFUSED = tuple(name for name in SOURCES if name not in DRAWN)


@pytest.mark.parametrize("name", DRAWN)
def test_what_the_language_has_is_drawn(name: str) -> None:
    rare = distribution(SOURCES[name], 1).probability(1)
    assert rare == 0 if name == "random.shuffle" else 0 < rare < Fraction(1, 10**8)


@in_one("name", REFUSED)
def test_every_common_source_is_refused(name: str) -> None:
    wanted = r"noise was used as an index" if name == "random.choice" else r"let all chance come from `draw`"
    with pytest.raises(MechanismError, match=wanted):
        distribution(SOURCES[name], "secret")
    with pytest.raises(MechanismError, match=wanted):
        check_privacy(SOURCES[name], ["a", "b"], lambda _: ["a", "b"], epsilon=0)


def test_the_message_names_what_was_called() -> None:
    for name in ("uuid.uuid4",):
        with pytest.raises(MechanismError, match=f"chance came from {name}:"):
            distribution(SOURCES[name], 0)
    with pytest.raises(MechanismError, match="chance came from MADE_BY_NUMPY, whose state has changed"):
        distribution(SOURCES["made before by numpy"], 0)


def test_everything_is_put_back() -> None:
    def places() -> dict[str, Any]:
        owners: list[Any] = [random, random.Random, random.SystemRandom, secrets, os, uuid, np.random]
        return {f"{owner.__name__}.{name}": value for owner in owners for name, value in vars(owner).items()}

    before = places()
    distribution(lambda draw, _: draw(bernoulli("0.5")), 0)
    for name in REFUSED:
        with pytest.raises(MechanismError):
            distribution(SOURCES[name], 0)
    assert places() == before
    assert 0 <= random.random() < 1
    assert len(os.urandom(4)) == 4


def test_others_use_chance_meanwhile() -> None:
    """Another thread, and who samples, are not looked at."""
    found: list[float] = []

    def elsewhere() -> None:
        found.extend([MADE_BEFORE.random(), SYSTEM.random(), random.Random(1).random(), len(os.urandom(1))])

    def patient(draw: Draw, database: int) -> int:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        return database

    generators_left_out = no_hidden_chance(_Forgetful(), ())
    nothing: Any = lambda *_: None  # noqa: E731  # in the place of draw
    with generators_left_out:
        patient(nothing, 0)
    assert len(found) == 4
    assert run(lambda draw, _: draw(bernoulli("0.5")), 0) in (True, False)


class _Forgetful:
    def take_note(self, error: Exception) -> None:
        raise AssertionError(error)


def test_around_many_enumerations_chance_is_refused_within_them_alone() -> None:
    numbers = random.Random(7).random(), np.random.RandomState(7).random()
    with sources_replaced():
        for name in ("os.urandom", "caught", "made before"):
            with pytest.raises(MechanismError):
                distribution(SOURCES[name], 0)
            assert (random.Random(7).random(), np.random.RandomState(7).random()) == numbers
            assert 0 <= random.random() < 1
            assert distribution(lambda draw, _: draw(bernoulli("0.5")), 0).size == 2
    assert "random" not in vars(random.Random)


def test_a_module_may_draw_bits_while_it_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "draws_at_import.py").write_text("import os, random\nKEY = os.urandom(4), random.Random(1).random()\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def imports_late(draw: Draw, database: int) -> int:
        return len(importlib.import_module("draws_at_import").KEY)

    try:
        assert distribution(imports_late, 0).probability(2) == 1
    finally:
        sys.modules.pop("draws_at_import", None)


class HasOne:
    generator = np.random.default_rng(2)


class InheritsOne(HasOne):
    def __call__(self, draw: Draw, database: Any) -> Any:
        return rarely(self.generator.random(), database)


@functools.cache
def remembered() -> np.random.Generator:
    return default_rng(5)


def endless() -> Any:
    generator = default_rng(6)
    while True:
        yield generator.random()


NUMBERS = endless()
MANY = [default_rng(seed) for seed in range(101)]
PACKAGE, INNER = ModuleType("package_of_mine"), ModuleType("package_of_mine.inner")
vars(PACKAGE)["inner"] = INNER
vars(INNER)["generator"] = default_rng(7)


@in_one(
    "mechanism",
    [
        InheritsOne(),
        lambda draw, database: rarely(remembered().random(), database),
        lambda draw, database: rarely(MANY[5].random(), database),
        lambda draw, database: rarely(PACKAGE.inner.generator.random(), database),
    ],
)
def test_generators_are_found_wherever_python_keeps_them(mechanism: Any) -> None:
    remembered()
    with pytest.raises(MechanismError, match=r"chance came from .*, whose state has changed|fixes a seed"):
        distribution(mechanism, 0)


def test_a_generator_that_draws_is_refused_as_one() -> None:
    next(NUMBERS)
    with pytest.raises(MechanismError, match="chance came from generator, whose state has changed"):
        distribution(lambda draw, database: rarely(next(NUMBERS), database), 0)


def test_what_is_only_reachable_and_not_used_is_allowed() -> None:
    def holds_one(draw: Draw, database: int, generator: Any = MADE_BEFORE) -> Any:
        return (draw(bernoulli("0.5")), generator is None, LEGACY is None)

    assert distribution(holds_one, 0).size == 2


def test_nested_enumerations_restore_once() -> None:
    def inner_law(draw: Draw, database: int) -> Any:
        return distribution(lambda draw, _: draw(bernoulli("0.5")), 0).size

    assert distribution(inner_law, 0).probability(2) == 1
    assert "random" not in vars(random.Random)


def test_numpy_that_is_first_loaded_by_a_mechanism() -> None:
    script = (
        "from dpverify.mechanisms import distribution\n"
        "import sys; assert 'numpy.random' not in sys.modules\n"
        "def m(draw, rows):\n    import numpy\n    return numpy.random.random() < 1e-12\n"
        "print(distribution(m, 0).probability(True))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "1/1000000000000\n"


def test_another_thread_that_uses_the_global_generator_is_no_chance_of_the_mechanism() -> None:
    def waits(draw: Draw, database: int) -> int:
        return database

    started, done = threading.Event(), threading.Event()

    def elsewhere() -> None:
        started.wait()
        random.random()
        done.set()

    def meanwhile(draw: Draw, database: int) -> int:
        started.set()
        done.wait()
        return database

    thread = threading.Thread(target=elsewhere)
    thread.start()
    assert distribution(meanwhile, 1).probability(1) == 1
    thread.join()
    assert distribution(waits, 1).probability(1) == 1
