"""The page of errors by message: each mistake is made, and what is said of it is written down: `python -m tests.docs.errors_page`."""

from __future__ import annotations

import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any, Final, NamedTuple

from click.testing import CliRunner

from dpverify.mechanisms import InputError, MechanismError
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.reasons import Reason
from dpverify.verifiers.command_line import main

PAGE: Final = Path(__file__).parents[2] / "docs" / "errors.md"

HEAD: Final = """# Errors

What dpverify says when something is not as it has to be, and what to write instead. Search this page for a few words of
the message. A message of a mechanism begins with its name and the database, and ends with file and line, as in

> mylib.py:f: f on (0, 0): … (mylib.py, line 5)

Here that is left out. An id in brackets, as `[float-used]`, is a row of the registry of reasons: search this page for it.
The page is written by `python -m tests.docs.errors_page`, which makes each of these mistakes.
An error is no verdict: nothing was decided, and the exit status is 2. If you meet an "internal error", it is a bug of
dpverify: `DPVERIFY_DEBUG=1` shows where.
"""

START: Final = """from fractions import Fraction
from functools import wraps
from math import sqrt

import numpy as np

from dpverify.mechanisms import bernoulli, discrete_laplace, exp, exponential, gaussian, geometric, laplace, run
from dpverify.mechanisms import symbolic, uniform
from dpverify.verifiers import Claim, Histograms, Tuples, check_privacy, replace_one

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

PARTS: Final[Mapping[str, tuple[Mistake | Reason, ...]]] = {
    "Numbers": (
        reasons.FLOAT_USED,
        reasons.FLOAT_ARGUMENT,
        reasons.TEXT_IS_NO_NUMBER,
        reasons.TRUTH_VALUE,
        reasons.TEXT_AMONG_NUMBERS,
        reasons.EPSILON_IS_ZERO,
    ),
    "Parameters": (
        Mistake(
            "def f(draw, rows, *, epsilon=2):\n    return sum(rows) + draw(laplace(1 / epsilon))",
            "A default is kept, and is what Python has: write `epsilon=Fraction(2)`, or no default, for the claim's ε.",
        ),
        reasons.PARAMETER_KEPT,
        reasons.PARAMETER_NOT_PASSED,
    ),
    "Draws": (
        reasons.NUMBER_NOT_DRAWN,
        reasons.CONDITION_NOT_DRAWN,
        reasons.OTHER_RANDOMNESS,
        reasons.DRAW_IS_FIRST,
        reasons.METHOD_OF_A_CLASS,
        Mistake(
            "calls = []\n\n\ndef f(draw, rows):\n    calls.append(rows)\n    return sum(rows) + draw(laplace(1))",
            "A mechanism remembers nothing from one run to the next.",
        ),
    ),
    "Noise": (
        reasons.NOISE_AS_NUMBER,
        in_f(NOISY + "noisy % 2", "Return the noisy number. Who reads it can divide it."),
        in_f(
            NOISY + "rows[noisy]",
            "`clamp(noisy, low, high)` is a plain number. Or `draw.release(noisy, then=function)`.",
        ),
        in_f(NOISY + "sqrt(max(noisy, 0))", "`sqrt` of `dpverify.mechanisms`, not that of `math`."),
        in_f(NOISY + "1 / noisy", "`1 / max(noisy, 1)`."),
        reasons.TWO_KINDS_OF_OUTCOME,
        reasons.NOISE_IN_TEXT,
    ),
    "Outcomes and databases": (
        in_f("[draw(uniform(range(2))) for _ in rows]", "A tuple."),
        in_f("{row: rows.count(row) for row in rows}", "A sorted tuple of pairs."),
        in_f("np.array([draw(uniform(range(2)))])", "`tuple(array.tolist())`, or `as_outcome(array)`."),
        reasons.UNIVERSE_NO_ITERABLE,
        reasons.UNIVERSE_EMPTY,
        reasons.UNIVERSE_NOT_HASHABLE,
        reasons.UNIVERSE_REPEATS,
        reasons.SIZE_AND_SIZES,
        reasons.SIZES_NO_ITERABLE,
        reasons.SIZES_EMPTY,
        reasons.DOMAIN_NO_ITERABLE,
        reasons.DOMAIN_ITERATOR,
        reasons.DOMAIN_EMPTY,
        reasons.DOMAIN_NOT_HASHABLE,
        reasons.EPSILON_NEGATIVE,
        reasons.EPSILON_TOO_LARGE,
        reasons.PARAMETERS_NO_MAPPING,
        reasons.MECHANISM_NO_FUNCTION,
        reasons.RELATION_CALLED,
        in_f(
            "sum(rows) // len(set(rows) - {0, 1}) + draw(laplace(1))",
            "The mechanism itself failed. The line says where.",
        ),
        reasons.ERROR_ON_REAL_DATA,
        reasons.RETURNED_NOTHING,
        reasons.NEIGHBOURS_AGREE,
    ),
    "Names and commands": (
        Mistake("from dpverify.mechanisms import check_privacy", "The message has the line."),
        Mistake("from dpverify.verifiers import laplace", "The message has the line."),
        reasons.CLAIM_ID,
        reasons.STATUS_UNKNOWN,
        reasons.NO_SUCH_ATTRIBUTE,
        Mistake("dpverify verify mylib.py", "`dpverify audit` decides claims, `dpverify check` one function."),
        Mistake("dpverify audit --basline kept.txt mylib.py", "`--baseline`."),
        reasons.NO_FUNCTION_NAMED,
        reasons.NO_SUCH_NAME,
        reasons.NO_SUCH_FILE,
        Mistake(
            "dpverify check mylib.py:f --domain 'Tuple((0, 1), size=2)' --epsilon 1", "A name of `dpverify.verifiers`."
        ),
        Mistake(
            "dpverify check mylib.py:f --domain 'Tuples((0, 1), size=2)'", "`--epsilon 1`, or `--epsilon symbolic`."
        ),
        reasons.NO_CLAIMS,
    ),
    "UNDECIDED": (
        reasons.LOOP_COUNTS_COINS,
        reasons.LOOP_NOT_READ,
        reasons.ROWS_ASKED,
        reasons.ROW_BY_ROW,
        reasons.RELEASED_IN_SEVERAL_WAYS,
    ),
}


def page() -> str:
    """The text of the page. Runs each mistake in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        return HEAD + "".join(_part(title, mistakes, Path(folder)) for title, mistakes in PARTS.items())


def _part(title: str, mistakes: tuple[Mistake | Reason, ...], folder: Path) -> str:
    return f"\n## {title}\n" + "".join("\n".join(_entry(mistake, folder)) for mistake in mistakes)


def made_of(row: Mistake | Reason) -> Mistake:
    """The mistake of a row of the registry: its message has the way out already."""
    return row if isinstance(row, Mistake) else Mistake(row.example, "")


def _entry(row: Mistake | Reason, folder: Path) -> Iterator[str]:
    mistake = made_of(row)
    if isinstance(row, Reason):
        yield f"\n### {row.id}"
    is_command = mistake.written.startswith("dpverify ")
    yield f"\n> {_quoted(said_of(mistake, folder))}\n"
    written = re.sub(
        r"(\n +[^\n]+)\n\n(?=\S)", r"\1\n\n\n", mistake.written
    )  # two lines behind a function, as in any file
    yield ("```sh\n" if is_command else "```py\n") + written + "\n```\n"
    if mistake.instead:
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
    code = re.sub(r"^check_privacy\(", "verdict = check_privacy(", code, flags=re.MULTILINE)
    path.write_text(code, encoding="utf-8")
    names: dict[str, Any] = {"__name__": "mylib", "__file__": str(path)}
    try:
        exec(compile(code, str(path), "exec", dont_inherit=True), names)
    except (InputError, MechanismError, ImportError, AttributeError) as error:
        return without_place(str(error))
    if "verdict" in names and re.search(r" \[[a-z-]+\]", names["verdict"].reason):  # that of a row of the registry
        verdict = names["verdict"]
        return f"{verdict.status}: {without_place(verdict.reason.partition('; so far ')[0])}"
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
