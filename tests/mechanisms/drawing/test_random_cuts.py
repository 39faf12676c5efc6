"""Random programs that draw, cut, append and return: as they are read, against plain runs path by path."""

import importlib.util
import random
from pathlib import Path
from typing import Any

import pytest

from dpverify.mechanisms import InputError, Limits
from dpverify.mechanisms.drawing import enumerator
from dpverify.mechanisms.drawing.caching import expanded
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution

HEAD = "from dpverify.mechanisms import *\n"

NOISES = (
    "draw(discrete_laplace(1))",
    "draw(laplace(1))",
    "2 * draw(discrete_laplace(2))",
    "draw(geometric(1))",
    "round(draw(laplace(1)))",
    "draw(uniform_noise(0, 2))",
)

CUTS = ("max(0, {})", "min({}, 1)", "clamp({}, 0, 2)", "max({}, 0, 1)", "min(2, max(0, {}))", "max(low, {})", "{}")


def body(chance: random.Random) -> list[str]:
    """The lines of a program, some of whose numbers are used once more than they may be."""

    def cut(number: str) -> str:
        return chance.choice(CUTS).format(number)

    noise = chance.choice(NOISES)
    return chance.choice(
        [
            [
                "out = []",
                "for row in rows:",
                f"    y = row + {noise}",
                f"    if y > {chance.randrange(3)}:",
                f"        y = {chance.choice(['1', 'y + 1'])}",
                f"    out.append({cut('y')})",
                f"return tuple(out){chance.choice(['', ', len(out)', ', low'])}",
            ],
            [
                f"ns = [row + {noise} for row in rows]",
                f"return tuple({cut('x')} for x in ns){chance.choice(['', ', ns[0] > 0', ', ns[0]'])}",
            ],
            [
                f"a, b = rows[0] + {noise}, rows[1] + {chance.choice(NOISES)}",
                f"first = {chance.choice(['a > 1', '0'])}",
                f"return {cut('a')}, {cut(chance.choice('aab'))}, first",
            ],
            [
                "out, t = [], 0",
                "for row in rows:",
                f"    t = t + {chance.choice(['0', 'draw(bernoulli(1 / exact(2)))'])}",
                f"    out.append({cut(f't + row + {noise}')})",
                f"return tuple(out), {chance.choice(['0', 't'])}",
            ],
        ]
    )


def program(seed: int, folder: Path) -> Any:
    lines = ["def mechanism(draw, rows):", "    low = rows[0] if rows[0] > 1 else 0"]
    lines += [f"    {line}" for line in body(random.Random(f"cuts {seed}"))]
    path = folder / f"program_{seed}.py"
    path.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.mechanism


def law(mechanism: Any, rows: tuple[int, ...], *, reads: bool) -> tuple[Any, bool]:
    """The law, None where it is refused; and whether it was read."""
    enumeration = Enumeration(Limits(), reads=reads)
    try:
        return expanded(enumeration.law(mechanism, (rows,), {})), enumeration.has_read
    except InputError:
        return None, False


def compared(seed: int, folder: Path) -> bool:
    """True where the program is read; its laws are the same."""
    mechanism = program(seed, folder)
    was_read = False
    for rows in ((0, 1), (2, 0)):
        plain, _ = law(mechanism, rows, reads=False)
        found, is_read = law(mechanism, rows, reads=True)
        assert (plain is None) is (found is None), seed
        assert plain is None or same_distribution(found, plain), seed
        was_read = was_read or is_read
    return was_read


def test_random_programs_have_the_laws_of_plain_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumerator, "_UNTIL_READ", 0)
    read = [compared(seed, tmp_path) for seed in range(8)]
    assert 2 <= sum(read) < len(read)


@pytest.mark.deep
def test_many_random_programs_have_the_laws_of_plain_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumerator, "_UNTIL_READ", 0)
    read = [compared(seed, tmp_path) for seed in range(200)]
    assert 40 <= sum(read) < 180
