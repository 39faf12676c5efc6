"""Answers of commands that are given again without loading a claim, and all that has to be the same for that."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

import pytest
from tests.verifiers.commands.command_runs import forget_modules

from dpverify.verifiers.auditing import answers
from dpverify.verifiers.auditing.answers import StoredAnswer, answer_of_command
from dpverify.verifiers.auditing.cache import cache_keys
from dpverify.verifiers.auditing.claim_files import load_claims
from dpverify.verifiers.locations import project_of

CLAIMS = """
import math
from fractions import Fraction

import numpy as np
from mylib import noise

from dpverify.mechanisms import bernoulli
from dpverify.verifiers import Claim

HALF = Fraction(1, 2)


def coin(draw, rows):
    return draw(bernoulli(noise.at_one(HALF)))


claim = Claim(id="a.coin", mechanism=coin, domain=[(0,), (1,)], epsilon=max(1, math.comb(2, 2)), neighbours_agree=True)
"""
NOISE = "from .more import ONE\n\n\ndef at_one(half):\n    return half * ONE\n"


FILES = {
    "claims_a.py": CLAIMS,
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["first", "src"]\n',
    "src/mylib/__init__.py": "",
    "src/mylib/noise.py": NOISE,
    "src/mylib/more.py": "ONE = 1\n",
    "data.txt": "1",
    "site/other-1.0.dist-info/RECORD": "other.py,sha256=abc,10\n",
    "package/verifiers/a.py": "x = 1\n",
}


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of claims on a library, which is the working directory; dpverify is a package of one file."""
    loaded = cache_keys.files_of_the_library
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    for name, text in FILES.items():
        write(name, text)
        os.utime(name, (0, 0))
    monkeypatch.setattr(  # and not the modules of tests
        cache_keys, "files_of_the_library", lambda: [file for file in loaded() if file.startswith(str(tmp_path))]
    )
    monkeypatch.setattr(cache_keys, "BEGAN", 2**80)
    monkeypatch.setattr(answers, "PACKAGE", Path("package").absolute())
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path("site").absolute())])
    monkeypatch.setattr(sys, "argv", ["/bin/dpverify"])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("CI", "")
    yield Path.cwd()
    forget_modules()


def new(*names: str, asked: object = ("list",)) -> StoredAnswer:
    project_of.cache_clear()  # as a new process has them
    invalidate_caches()
    made = answer_of_command(names, asked, of_catalogue=False)
    assert made is not None
    return made


def stored(*names: str, files: Any = ("claims_a.py",), meanwhile: Any = None) -> str | None:
    """The answer of a command that is run again, in a new process, after one that has loaded the files."""
    path, command = [*sys.path], new(*names)
    for file in files:
        load_claims(Path(file))
    if meanwhile is not None:
        write(*meanwhile)
        invalidate_caches()
    command.store("the answer\n")
    sys.path[:] = path
    forget_modules()
    return new(*names).earlier()


def test_what_did_not_change_is_answered_again(project: Path) -> None:
    assert new().earlier() is None
    assert stored() == "the answer\n"
    assert (project / "../cache/dpverify/answers").stat().st_mode & 0o777 == 0o700
    assert new(asked=("list", "privacy")).earlier() is new("claims_a.py").earlier() is None
    os.utime("src/mylib/more.py", (1, 1))
    assert new().earlier() == "the answer\n", "the same text"


EDITS = {
    "an edited constant": ("claims_a.py", CLAIMS.replace("Fraction(1, 2)", "Fraction(1, 3)")),
    "a helper module": ("src/mylib/noise.py", NOISE.replace("half * ONE", "half / 2")),
    "a module that a helper imports": ("src/mylib/more.py", "ONE = 2\n"),
    "another file of claims": ("deep/claims_b.py", CLAIMS.replace("a.coin", "b.coin")),
    "a module that is found before": ("first/mylib/__init__.py", ""),
    "a package that is found before its module": ("src/mylib/more/__init__.py", "ONE = 2\n"),
    "a module of the name of one of Python": ("first/fractions.py", "Fraction = max\n"),
    "folders to import from": ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["src", "first"]\n'),
    "paths of claims": ("pyproject.toml", '[tool.dpverify]\npaths = ["src"]\n'),
    "the root of a project": ("src/mylib/setup.cfg", ""),
    "an installed package, of the same version": ("site/other-1.0.dist-info/RECORD", "other.py,sha256=abd,10\n"),
    "another installed package": ("site/more-1.0.dist-info/RECORD", ""),
    "a file of dpverify": ("package/verifiers/a.py", "x = 2\n"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_where_anything_has_changed_claims_are_loaded_again(edit: tuple[str, str]) -> None:
    assert stored() is not None
    write(*edit)
    if edit[0] in FILES:
        os.utime(edit[0], (0, 0))  # as it was before
    assert new().earlier() is None


@pytest.mark.parametrize("name", ["version", "warnoptions", "path"])
def test_another_interpreter_has_its_own_answers(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert stored() is not None
    monkeypatch.setattr(sys, name, "3.99" if name == "version" else [*getattr(sys, name), "other"])
    assert new().earlier() is None


def test_a_link_to_another_file_of_claims_is_followed() -> None:
    for name, answer in (("first", "the answer\n"), ("second", None)):
        write(f"{name}_linked.py", CLAIMS.replace("a.coin", name))
        Path("claims_a.py").unlink()
        Path("claims_a.py").symlink_to(f"{name}_linked.py")
        assert (stored if answer else lambda file: new(file).earlier())("claims_a.py") == answer


READ = {
    "a variable of the environment": "import os\nONE = int(os.environ.get('ONE', 1))\n",
    "one, imported while a function runs": "def one():\n    from os import environ\n    return 1\nONE = one()\n",
    "a file": "with open('data.txt') as file:\n    ONE = int(file.read())\n",
    "a file, by its path": "from pathlib import Path\nONE = int(Path('data.txt').read_text())\n",
    "a file, by numpy": "import numpy as np\ndef one():\n    return int(np.loadtxt('data.txt'))\nONE = one()\n",
    "a file, by a name of numpy": "from numpy import loadtxt\nONE = int(loadtxt('data.txt'))\n",
    "whether there is a file": "import os.path\nONE = 1 if os.path.exists('data.txt') else 2\n",
    "a clock": "from time import time\nONE = int(time() > 0)\n",
    "an installed package": "import msgspec\nONE = 1\n",
    "what is made up": "ONE = eval('1')\n",
    "what is imported by a name that is made up": "ONE = __import__('math').comb(1, 1)\n",
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_claims_that_may_rest_on_more_than_files_are_loaded_each_time(text: str) -> None:
    write("src/mylib/more.py", text)
    assert stored() is None


def test_what_changed_while_the_command_ran_is_not_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_keys, "BEGAN", Path("claims_a.py").stat().st_ctime_ns)
    assert stored() is None
    monkeypatch.setattr(cache_keys, "BEGAN", 2**80)
    assert stored(meanwhile=("first/mylib/__init__.py", "")) is None, "another module is found"
    Path("first/mylib/__init__.py").unlink()
    write("claims_b.py", CLAIMS.replace("a.coin", "b.coin"))
    assert stored(files=("claims_a.py",)) is None, "it has come since claims were loaded"
    assert stored(files=("claims_a.py", "claims_b.py")) is not None


def test_a_file_that_is_not_as_it_was_written_is_passed_over(project: Path) -> None:
    assert stored() is not None
    (file,) = (project / "../cache/dpverify/answers").iterdir()
    text = file.read_bytes()
    for spoilt in (b"", b"{", b"[" * 100_000, text.replace(b"the answer", b"another")):
        file.write_bytes(spoilt)
        assert new().earlier() is None
    file.write_bytes(text)
    file.parent.chmod(0o777)
    assert new().earlier() is None, "others can write there"


def test_nothing_is_answered_in_ci_and_where_other_code_runs_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as other:
        other.setattr(sys, "argv", ["/bin/pytest"])
        assert answer_of_command((), (), of_catalogue=False) is None
    monkeypatch.setenv("CI", "true")
    assert answer_of_command((), (), of_catalogue=False) is None


# --- What is loaded

RUN = """
import atexit, sys
sys.argv[0] = "dpverify"
heavy = ("numpy", "scipy", "flint", "z3", "cvc5", "highspy", "mylib", "claims_a")
ours = tuple(f"dpverify.mechanisms.{name}" for name in ("noise", "language", "drawing", "selection"))
atexit.register(lambda: print("loaded", [name for name in sys.modules if name.startswith((*heavy, *ours))]))
from dpverify.verifiers.auditing.cache import cache_keys
from dpverify.verifiers.command_line import main
cache_keys.BEGAN = 2**80  # the claims were written just now
main()
"""


def test_help_an_unchanged_list_and_an_unchanged_audit_load_no_mechanism_and_no_solver() -> None:
    def said(*arguments: str) -> list[str]:
        ran = subprocess.run([sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, check=True)
        return ran.stdout.splitlines()

    write("claims_a.py", CLAIMS.replace("import numpy as np\n", ""))
    for arguments in (("--help",), ("list",), ("audit",)):
        first = said(*arguments) if arguments != ("--help",) else []
        *again, loaded = said(*arguments)
        assert loaded == "loaded []", arguments
        assert [line.partition("  (decided earlier)")[0] for line in again[:1]] == first[:1] or not first
    assert again[-1] == "1 claim: 1 PROVED; all as expected (1 decided earlier)"
