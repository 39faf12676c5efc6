"""The command `dpverify new`: a first mechanism, its claims and its tests, as files to change."""

import importlib.util
import keyword
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Final

import click

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.verifiers.commands.options import FILE

_MECHANISM: Final = Template('''\
"""True where a value is frequent, told by a noisy count: a mechanism to begin with, that you make your own."""

from dpverify.mechanisms import discrete_laplace

FREQUENT = 5


def $name(draw, rows, *, epsilon):
    """True where about 5 rows or more are 1.

    Replacing a row moves the number of ones by 1 at most, so that two-sided geometric noise of scale 1/ε makes it
    (ε, 0)-private. All chance comes from `draw`. On real data: dpverify.mechanisms.run($name, rows, epsilon=1).
    """
    return sum(rows) + draw(discrete_laplace(1 / epsilon)) >= FREQUENT
''')

_CLAIMS: Final = Template('''\
"""What is claimed of $name: `dpverify audit claims_$name.py` decides it, and in pytest each claim is a test."""

from dpverify.verifiers import Case, Claim, Multisets, UtilityClaim, replace_one

from $name import $name


def half_the_noise(draw, rows, *, epsilon):
    """A mistake on purpose: twice the ε. A claim that does not notice it says little, and fails."""
    return $name(draw, rows, epsilon=2 * epsilon)


private = Claim(
    id="$name.privacy",
    source="where it is promised: a page, a paper, a docstring",
    statement="the answer is ε-private when a row is replaced",
    mechanism=$name,
    # all databases of up to eight rows, which reach both sides of the threshold: a verdict speaks of these
    domain=Multisets((0, 1), sizes=range(1, 9)),
    neighbours=replace_one,
    epsilon=1,
    delta=0,
    mutant=half_the_noise,
)


def twice_the_noise(draw, rows, *, epsilon):
    """A mistake on purpose: half the ε, which is too much noise to be as useful as is claimed."""
    return $name(draw, rows, epsilon=epsilon / 2)


useful = UtilityClaim(
    id="$name.utility",
    source="where it is promised",
    statement="at ε = 1, two ones or fewer are told from seven or more but with probability 1/25",
    mechanism=$name,
    cases=[Case((1,) * ones + (0,) * (9 - ones), {"epsilon": 1}) for ones in (0, 1, 2, 7, 8, 9)],
    succeeds=lambda case, told: told == (sum(case.database) >= 7),
    beta=lambda case: "1/25",
    mutant=twice_the_noise,
)
''')

_TESTS: Final = Template('''\
"""Tests of $name, by pytest: the plugin of dpverify brings `assert_private`."""

from dpverify.mechanisms import distribution
from dpverify.verifiers import Multisets, Status, check_privacy

from claims_$name import half_the_noise
from $name import $name

DATABASES = Multisets((0, 1), sizes=range(1, 9))


def test_it_is_private(assert_private):
    assert_private($name, DATABASES, epsilon=1)


def test_a_mistake_is_refuted():
    verdict = check_privacy(half_the_noise, DATABASES, epsilon=1)
    assert verdict.status is Status.REFUTED
    assert verdict.witness is not None  # two neighbours and an event: print(verdict) shows them


def test_more_ones_are_told_more_often():
    few, many = (distribution($name, (1,) * ones, epsilon=1).probability(True) for ones in (3, 7))
    assert few < many
''')


def files_for(name: str) -> Mapping[str, str]:
    """Files that `dpverify new NAME` writes, by their names. Raises `InputError` for a name that cannot be one."""
    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        raise InputError(bad_input.BAD_NAME, one_line(name), "is no name of a Python function")
    if name in {"draw", "rows", "epsilon", "half_the_noise", "twice_the_noise", "private", "useful", "dpverify"}:
        raise InputError(bad_input.BAD_NAME, name, "is a name that the files use")
    if name.startswith(("claims_", "test_")):
        raise InputError(bad_input.BAD_NAME, name, "begins as files of claims or tests do")
    return {
        f"{name}.py": _MECHANISM.substitute(name=name),
        f"claims_{name}.py": _CLAIMS.substitute(name=name),
        f"test_{name}.py": _TESTS.substitute(name=name),
    }


@click.command("new")
@click.argument("name", metavar="NAME")
@click.option("--folder", type=FILE, default=Path(), metavar="FOLDER", help="Where to write it (default: here).")
def new_command(name: str, folder: Path) -> None:
    """Write NAME.py, claims_NAME.py and test_NAME.py: a mechanism, claims with mutants, and tests, which all pass.

    They are a beginning, to be changed. No file is overwritten, and nothing is run; `dpverify audit claims_NAME.py`
    and pytest run them.
    """
    files = files_for(name)
    there = [file for file in files if (folder / file).exists() or (folder / file).is_symlink()]
    if there:
        where = f"{', '.join(there)} in {folder.resolve()}"
        raise InputError(bad_input.CANNOT_WRITE, where, "it is there already, and nothing was written")
    if importlib.util.find_spec(name) is not None:
        raise InputError(bad_input.BAD_NAME, name, f"is an installed module, which {name}.py would hide")
    if not folder.is_dir():
        raise InputError(bad_input.CANNOT_WRITE, f"into {folder}", "it is no folder")
    for file, text in files.items():
        with (folder / file).open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    inside = "" if folder == Path() else f"cd {folder} && "
    click.echo(f"wrote {', '.join(files)}")
    click.echo(f"next: {inside}dpverify audit claims_{name}.py    decides the claims, and their mutants")
    click.echo(f"      {inside}pytest claims_{name}.py test_{name}.py    the same as tests, beside tests of your own")
