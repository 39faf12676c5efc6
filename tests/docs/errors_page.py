"""The page of errors by message: each mistake is made, and what is said of it is written down: `python -m tests.docs.errors_page`."""

from __future__ import annotations

import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Final, NamedTuple

from click.testing import CliRunner

from dpverify.mechanisms import InputError, MechanismError
from dpverify.verifiers.command_line import main

PAGE: Final = Path(__file__).parents[2] / "docs" / "errors.md"

HEAD: Final = """# Errors

What dpverify says when something is not as it has to be, and what to write instead. Search this page for a few words of
the message. A message of a mechanism begins with its name and the database, and ends with file and line, as in

> mylib.py:f: f on (0, 0): … (mylib.py, line 5)

Here that is left out. The page is written by `python -m tests.docs.errors_page`, which makes each of these mistakes.
An error is no verdict: nothing was decided, and the exit status is 2. If you meet an "internal error", it is a bug of
dpverify: `DPVERIFY_DEBUG=1` shows where.
"""

START: Final = """from fractions import Fraction
from functools import wraps
from math import sqrt

import numpy as np

from dpverify.mechanisms import bernoulli, discrete_laplace, exp, exponential, laplace, run, symbolic, uniform
from dpverify.verifiers import Claim, Tuples, check_privacy, replace_one

"""
"""What stands above each mistake."""

CHECK: Final = """

check_privacy(f, Tuples((0, 1), size=2), replace_one, epsilon=1)
"""
"""What stands below a mistake that defines f."""

PRIVATE: Final = "def f(draw, rows):\n    return 0\n"
"""What `mylib.py` holds where a command is given."""


class Mistake(NamedTuple):
    """Something that is written, a function f or other statements, or a command of dpverify; and what to do about it."""

    written: str
    instead: str


def in_f(body: str, instead: str) -> Mistake:
    """A mechanism f with that last line."""
    *before, last = body.split("\n")
    lines = [*before, last if re.match(r"(return|while|if) ", last) else f"return {last}"]
    return Mistake("\n    ".join(["def f(draw, rows):", *lines]), instead)


NOISY: Final = "noisy = sum(rows) + draw(discrete_laplace(1))\n"

PARTS: Final = {
    "Numbers": (
        in_f(
            "sum(rows) + draw(laplace(0.5))", 'A float is not the number that one means. Write `"0.5"`, or a parameter.'
        ),
        in_f(
            "sum(rows) / len(rows) + draw(laplace(1))",
            "`Fraction(sum(rows), len(rows))`. Quotients of parameters, as `1 / epsilon`, are exact as they are.",
        ),
        Mistake(
            "def f(draw, rows, *, epsilon):\n    return sum(rows) + draw(laplace(1 / epsilon))\n\n"
            "run(f, (1, 2), epsilon=0.5)",
            '`epsilon="0.5"`. A column of floats: [real data](real-data.md).',
        ),
        Mistake(
            "def f(draw, rows, *, epsilon):\n    return sum(rows) + draw(laplace(1 / epsilon))\n\n"
            'check_privacy(f, Tuples((0, 1), size=2), replace_one, epsilon="symbolic")',
            "`from dpverify.mechanisms import symbolic`, and `epsilon=symbolic`.",
        ),
        Mistake(
            "def f(draw, rows, *, epsilon):\n    return sum(rows) + draw(laplace(1 / epsilon))\n\n"
            "check_privacy(f, Tuples((0, 1), size=2), replace_one, epsilon=0)",
            "Claim an ε > 0.",
        ),
    ),
    "Parameters": (
        Mistake(
            "def f(draw, rows, *, epsilon=2):\n    return sum(rows) + draw(laplace(1 / epsilon))",
            "A default is kept, and is what Python has: write `epsilon=Fraction(2)`, or no default, for the claim's ε.",
        ),
        Mistake(
            "def f(draw, rows, *, epsilon=2):\n    return sum(rows) + draw(laplace(Fraction(1, epsilon)))\n\n\n"
            "check_privacy(f, Tuples((0, 1), size=2), replace_one, epsilon=symbolic)",
            "Leave the default out, or give `parameters={'epsilon': symbolic}`.",
        ),
        Mistake(
            "def g(draw, rows, *, epsilon):\n    return sum(rows) + draw(laplace(1 / epsilon))\n\n\n"
            '@wraps(g)\ndef f(draw, rows, **more):\n    more.pop("log", None)\n    return g(draw, rows, **more)',
            "`parameters={'epsilon': 1}`, or a wrapper that names ε. "
            "See [parameters that have a value](writing-mechanisms.md#parameters-that-have-a-value).",
        ),
    ),
    "Draws": (
        in_f("sum(rows) + laplace(1)", "A law is not drawn by itself: `draw(laplace(1))`."),
        in_f('rows if bernoulli("0.5") else ()', '`draw(bernoulli("0.5"))`.'),
        in_f(
            "sum(rows) + np.random.laplace(0, 1)",
            "All chance comes from `draw`. Code that takes a generator: [`Rng(draw)`](adapting-existing-code.md#code-that-takes-an-rng-as-it-is).",
        ),
        Mistake(
            "def f(rows, draw):\n    return sum(rows) + draw(laplace(1))",
            "`draw` comes first, then the database.",
        ),
        Mistake(
            "class Counts:\n    def f(self, draw, rows):\n        return sum(rows) + draw(laplace(1))\n\n"
            "check_privacy(Counts.f, Tuples((0, 1), size=2), replace_one, epsilon=1)",
            "`Counts().f`.",
        ),
        Mistake(
            "calls = []\n\n\ndef f(draw, rows):\n    calls.append(rows)\n    return sum(rows) + draw(laplace(1))",
            "A mechanism remembers nothing from one run to the next.",
        ),
    ),
    "Noise": (
        in_f(NOISY + "int(noisy)", "`round(noisy)`, `math.floor(noisy)` or `math.trunc(noisy)`."),
        in_f(NOISY + "noisy % 2", "Return the noisy number. Who reads it can divide it."),
        in_f(
            NOISY + "rows[noisy]",
            "`clamp(noisy, low, high)` is a plain number. Or `draw.release(noisy, then=function)`.",
        ),
        in_f(NOISY + "sqrt(max(noisy, 0))", "`sqrt` of `dpverify.mechanisms`, not that of `math`."),
        in_f(NOISY + "1 / noisy", "`1 / max(noisy, 1)`."),
        in_f(
            NOISY + "noisy if rows[0] else 2 * noisy",
            "Return numbers of one kind. Or tell the kinds apart in what is returned.",
        ),
        in_f(NOISY + 'f"about {noisy}"', "Return the number. Make the text of it from what `run` gives."),
    ),
    "Outcomes and databases": (
        in_f("{draw(uniform(range(2))) for _ in rows}", "A frozenset, or a sorted list."),
        in_f("np.array([draw(uniform(range(2)))])", "`tuple(array.tolist())`, or `as_outcome(array)`."),
        Mistake(
            "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\n"
            "check_privacy(f, Tuples([[0], [1]], size=2), replace_one, epsilon=1)",
            "A row is a value that can be hashed, as a tuple is.",
        ),
        Mistake(
            "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\n"
            "check_privacy(f, Tuples((0, 1), size=2), replace_one((0, 1)), epsilon=1)",
            "`neighbours=replace_one`.",
        ),
        in_f(
            "sum(rows) // len(set(rows) - {0, 1}) + draw(laplace(1))",
            "The mechanism itself failed. The line says where.",
        ),
        Mistake(
            "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\nrun(f, (0.5, 1.5))",
            "On real data the text is kept back. See [real data](real-data.md#what-run-promises).",
        ),
    ),
    "Names and commands": (
        Mistake("from dpverify.mechanisms import check_privacy", "The message has the line."),
        Mistake("from dpverify.verifiers import laplace", "The message has the line."),
        Mistake('Claim(id="a b", mechanism=len, domain=(0, 1), epsilon=1)', "Letters, digits, dots, hyphens."),
        Mistake("dpverify verify mylib.py", "`dpverify audit` decides claims, `dpverify check` one function."),
        Mistake("dpverify audit --basline kept.txt mylib.py", "`--baseline`."),
        Mistake("dpverify check mylib.py", "`mylib.py:name`."),
        Mistake(
            "dpverify check mylib.py:g --domain '[(0,), (1,)]' --epsilon 1", "The name of a function of that file."
        ),
        Mistake(
            "dpverify check nowhere.py:f --domain '[(0,), (1,)]' --epsilon 1", "A path from the folder that you are in."
        ),
        Mistake(
            "dpverify check mylib.py:f --domain 'Tuple((0, 1), size=2)' --epsilon 1", "A name of `dpverify.verifiers`."
        ),
        Mistake(
            "dpverify check mylib.py:f --domain 'Tuples((0, 1), size=2)'", "`--epsilon 1`, or `--epsilon symbolic`."
        ),
        Mistake("dpverify audit mylib.py", "A file of claims has a `Claim` in it: [continuous integration](ci.md)."),
    ),
}


def page() -> str:
    """The text of the page. Runs each mistake in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        return HEAD + "".join(_part(title, mistakes, Path(folder)) for title, mistakes in PARTS.items())


def _part(title: str, mistakes: tuple[Mistake, ...], folder: Path) -> str:
    return f"\n## {title}\n" + "".join("\n".join(_entry(mistake, folder)) for mistake in mistakes)


def _entry(mistake: Mistake, folder: Path) -> Iterator[str]:
    is_command = mistake.written.startswith("dpverify ")
    yield f"\n> {_quoted(said_of(mistake, folder))}\n"
    written = re.sub(
        r"(\n +[^\n]+)\n\n(?=\S)", r"\1\n\n\n", mistake.written
    )  # two lines behind a function, as in any file
    yield ("```sh\n" if is_command else "```py\n") + written + "\n```\n"
    yield mistake.instead + "\n"


def _quoted(message: str) -> str:
    """With what means something in Markdown escaped, but for code."""
    parts = message.split("`")
    return "`".join(part if i % 2 else re.sub(r"([*_<>|\[\]])", r"\\\1", part) for i, part in enumerate(parts))


def said_of(mistake: Mistake, folder: Path) -> str:
    """What is said of a mistake, without where it is. Raises `AssertionError` where nothing is."""
    path = folder / "mylib.py"
    if mistake.written.startswith("dpverify "):
        path.write_text(PRIVATE, encoding="utf-8")
        return _said_to_a_command(mistake.written, folder)
    is_used = re.search(r"^(run|check_privacy)\(", mistake.written, flags=re.MULTILINE)
    code = START + mistake.written + ("" if is_used or "def f(" not in mistake.written else CHECK)
    path.write_text(code, encoding="utf-8")
    try:
        exec(compile(code, str(path), "exec", dont_inherit=True), {"__name__": "mylib", "__file__": str(path)})
    except (InputError, MechanismError, ImportError) as error:
        return without_place(str(error))
    raise AssertionError(f"nothing is said of\n{mistake.written}")


def _said_to_a_command(command: str, folder: Path) -> str:
    with chdir(folder):
        done = CliRunner().invoke(main, shlex.split(command)[1:], prog_name="dpverify")
    sys.modules.pop("mylib", None)  # other pages have one of that name, too
    assert done.exit_code == 2, f"{command}: status {done.exit_code}\n{done.output}"
    return without_place(done.stderr.strip().removeprefix("Error: "))


def without_place(message: str) -> str:
    """A message without the mechanism, the database and the line that it names."""
    without_line = re.sub(r" \(\S*mylib\.py, lines? [\d, ]+\)", "", message)
    return re.sub(r"^f on \(.*?\): |^f: ", "", re.sub(r"[^\s(]*/mylib\.py", "mylib.py", without_line))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
