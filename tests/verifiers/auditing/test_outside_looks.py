"""Looks outside are noted when people's own code takes them, itself or through a library, and no others are."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

LOOKS = {
    "open": "open(__name__)",
    "through a library": "import numpy; numpy.loadtxt('rows.csv')",
    "pathlib": "import pathlib; pathlib.Path('rows.csv').read_text()",
    "os.open": "import os; os.close(os.open('rows.csv', 0))",
    "a folder": "import os; os.listdir('.')",
    "another folder": "import os; next(os.scandir('.'))",
    "a socket": "import socket; socket.socket().connect(('127.0.0.1', 9))",
    "a program": "import subprocess; subprocess.run(['true'])",
    "a command": "import os; os.system('true')",
    "a C function": "import ctypes; ctypes.CDLL(None)",
    "a database": "import sqlite3; sqlite3.connect(':memory:')",
    "a variable": "import os; os.environ['PATH']",
    "a variable that may be there": "import os; os.environ.get('NOWHERE')",
    "whether a variable is there": "import os; 'NOWHERE' in os.environ",
    "getenv": "import os; os.getenv('NOWHERE')",
    "all variables": "import os; dict(os.environ)",
    "their names": "import os; list(os.environ)",
    "their number": "import os; len(os.environ)",
    "the environment through a library": "import os; os.path.expanduser('~')",
    "a thread": "import threading; t = threading.Thread(target=lambda: open('rows.csv')); t.start(); t.join()",
    "an error on the way": "open('nothing.csv')",
    "while a module of its own is imported": "import reads_a_file",
}
NO_LOOKS = {
    "arithmetic": "sum(map(int, '123'))",
    "an import": "import colorsys",
    "an import of its own": "import only_a_value",
    "an import of many files": "import xml.dom.minidom, wave, numpy.polynomial",
    "a check": (
        "from dpverify.verifiers import check_privacy, replace_one; from dpverify.mechanisms import bernoulli; "
        "check_privacy(lambda draw, rows: draw(bernoulli('0.5')), [(0,), (1,)], replace_one, epsilon=1)"
    ),
}

PROGRAM = """
import json, sys, linecache
from dpverify.verifiers.auditing.cache import outside_looks
from dpverify.verifiers.auditing.cache.outside_looks import noted_looks, looked_so_far, watch
sys.path.insert(0, ".")
if WATCHED:
    watch(), watch()
found = {}
for name in NAMES:
    module = {"__name__": "rows.csv"}
    code = compile(open(name).read(), name, "exec")
    exec(code, module)
    before = len(looked_so_far())
    with noted_looks() as looks:
        try:
            module["look"]()
        except OSError:
            pass
    found[name] = looks
    assert looked_so_far()[before:] == looks
    exec(code, module), module["look"].__code__
    try:
        module["look"]()
    except OSError:
        pass
    assert len(looked_so_far()) == before + len(looks), "nothing is noted afterwards"
print(json.dumps(found))
"""


def looks(folder: Path, cases: Mapping[str, str], watched: bool = True) -> dict[str, list[str]]:
    """What is noted of each case, in a process of its own, whose hooks end with it."""
    (folder / "rows.csv").write_text("1\n")
    (folder / "reads_a_file.py").write_text("import numpy\nnumpy.loadtxt('rows.csv')\n")
    (folder / "only_a_value.py").write_text("value = 1\n")
    files = {str(folder / f"case_{i}.py"): name for i, name in enumerate(cases)}
    for file, name in files.items():
        Path(file).write_text(f"def look():\n    {cases[name]}\n")
    program = PROGRAM.replace("NAMES", repr(list(files))).replace("WATCHED", str(watched))
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {files[file]: noted for file, noted in json.loads(done.stdout).items()}


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return looks(tmp_path_factory.mktemp("looks"), {**LOOKS, **NO_LOOKS})


@pytest.mark.parametrize("name", LOOKS)
def test_a_look_is_noted(noted: dict[str, list[str]], name: str) -> None:
    assert noted[name]


@pytest.mark.parametrize("name", NO_LOOKS)
def test_what_is_no_look_is_not(noted: dict[str, list[str]], name: str) -> None:
    assert noted[name] == []


def test_nothing_is_noted_where_nobody_asked_for_it(tmp_path: Path) -> None:
    assert not any(looks(tmp_path, LOOKS, watched=False).values())
