"""What claims reach: a change to any line of it gives another key, and a change to anything else the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.machinery import BYTECODE_SUFFIXES, EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

import pytest

from dpverify.verifiers.auditing.cache.cache_keys import NoKey, Surroundings
from dpverify.verifiers.auditing.cache.reached_files import PURE, ReachedFiles, is_a_command, is_own, reached_from
from dpverify.verifiers.processes.versions import PACKAGE

NEVER = 2**80
"""A start of the process that no file can have changed after."""

REACHED = {
    "claims_zq.py": """
        import math
        import zq_plain, zq_package.inner
        from zq_plain import one as uno
        from zq_names.place import two

        class Deep:
            def decide(self):
                if uno:
                    from zq_late import three
                    return lambda: __name__
        try:
            import zq_maybe
        except ImportError:
            zq_maybe = None
        """,
    "zq_plain.py": "import zq_data\none = zq_data.ONE\n",
    "zq_data.py": "ONE = (\n    1,\n    2,\n)\n",
    "zq_late.py": "from zq_stars import *\nthree = 3\n",
    "zq_stars/__init__.py": "__all__ = ['star']\n",
    "zq_stars/star.py": "value = 1\n",
    "zq_package/__init__.py": "'''A package.'''\nfrom .other import what\n",
    "zq_package/inner.py": "from . import sibling\nfrom .below import leaf\n",
    "zq_package/other.py": "what = 1\n",
    "zq_package/sibling.py": "x = 1\n",
    "zq_package/another.py": "y = 1\n",
    "zq_package/below/__init__.py": "z = 1\n",
    "zq_package/below/leaf.py": "from ..another import y\ndef f():\n    import zq_package.far.off\n",
    "zq_package/far/__init__.py": "# nothing\n",
    "zq_package/far/off.py": "import zq_plain\n",
    "zq_names/place.py": "two = 2\n",
    "zq_loaded.py": "patched = 1\n",
}
NOT_REACHED = {
    "zq_unused.py": "import os\n",
    "zq_package/unused.py": "x = 1\n",
    "zq_names/unused.py": "x = 1\n",
    "zq_package/data.txt": "1\n",
    "README": "text\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Files that are found on the path, and the package of dpverify replaced by a small one."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for name, text in {**REACHED, **NOT_REACHED, "dpverify/mechanisms/one.py": "1\n"}.items():
        write(tmp_path / name, text)
    yield tmp_path


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = text.strip("\n").split("\n")
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    file.write_text("\n".join(line[indent:] for line in lines) + "\n")


def loaded(project: Path, *names: str) -> dict[str, ModuleType]:
    """Modules as they are when they are loaded, without loading them."""
    modules = {}
    for name in names:
        module = modules[name] = ModuleType(name)
        module.__file__ = str(project / f"{name}.py")
        module.__package__ = ""
    return modules


def reached(project: Path) -> ReachedFiles:
    return reached_from(loaded(project, "claims_zq", "zq_loaded"))


def digest(project: Path) -> str:
    return Surroundings(reached(project), NEVER, project / "dpverify").digest


def test_all_that_is_imported_is_reached_and_nothing_else(project: Path) -> None:
    found = reached(project)
    assert {file.relative_to(project).as_posix() for file in found.files.values()} == set(REACHED)
    assert found.absent == {"zq_maybe"}
    assert found.obstacle == ""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", REACHED)
def test_a_change_to_any_line_that_is_reached_gives_another_key(project: Path, name: str) -> None:
    file, before = project / name, digest(project)
    text = file.read_text()
    lines = text.splitlines()
    seen = {before}
    for i, line in enumerate(lines):
        file.write_text("\n".join([*lines[:i], f"{line}  # changed", *lines[i + 1 :]]) + "\n")
        seen.add(digest(project))
    assert len(seen) == len(lines) + 1
    file.write_text(text)
    assert digest(project) == before


@pytest.mark.parametrize("name", NOT_REACHED)
def test_a_change_to_what_is_not_reached_leaves_the_key(project: Path, name: str) -> None:
    before = digest(project)
    (project / name).write_text("import sys\n")
    assert digest(project) == before


@pytest.mark.parametrize(
    ("new", "text"),
    [("zq_maybe.py", "1"), ("zq_maybe/__init__.py", "1"), ("zq_plain/__init__.py", "one = 2\nimport zq_data")],
    ids=["a module that was absent", "a package that was", "a package before a module"],
)
def test_a_file_that_appears_where_imports_look_gives_another_key(project: Path, new: str, text: str) -> None:
    before = digest(project)
    write(project / new, text)
    assert digest(project) != before


def test_a_file_that_disappears_leaves_no_key(project: Path) -> None:
    (project / "zq_data.py").unlink()
    with pytest.raises(NoKey, match="imports zq_data, which is not found"):
        digest(project)


def test_the_same_text_elsewhere_on_the_path_gives_another_key(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(project)
    write(project / "elsewhere" / "zq_data.py", REACHED["zq_data.py"])
    monkeypatch.setattr(sys, "path", [str(project / "elsewhere"), *sys.path])
    assert digest(project) != before


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "text",
    [
        "rows = open('a')",
        "import builtins",
        "import os",
        "import os.path",
        "from os import environ",
        "import sys",
        "import random",
        "import time",
        "import datetime",
        "import pathlib",
        "import socket",
        "import subprocess",
        "import ctypes",
        "import importlib",
        "from importlib import import_module",
        "import lazy_loader",
        "import pkgutil",
        "import pickle",
        "import numpy\ntable = numpy.loadtxt('a')",
        "import numpy\nnumpy.random.rand()",
        "def f(frame):\n    return frame.read_csv('a')",
        "def f():\n    def g():\n        import secrets",
        "def f():\n    return eval('1')",
        "def f():\n    exec('1')",
        "def f():\n    __import__('os')",
        "f = [x for x in globals()]",
        "def f(rows):\n    return hash(rows[0])",
        "__builtins__['open']",
        "from . import other",
        "from .. import other",
        "from .other import thing",
        "import zq_nowhere",
        "from zq_nowhere import thing",
        "import zq_plain.inner",
        "def f(:",
        "\0",
    ],
)
def test_what_may_look_outside_has_no_key(project: Path, text: str) -> None:
    for name in ("claims_zq.py", "zq_loaded.py", "zq_late.py", "zq_package/below/leaf.py"):
        before = (project / name).read_text()
        (project / name).write_text(text if name == "claims_zq.py" else f"{before}\n{text}\n")
        if not (text.startswith("from .") and name == "zq_package/below/leaf.py"):  # which has a package above it
            with pytest.raises(NoKey):
                digest(project)
        (project / name).write_text(before)
        digest(project)


MODULES_WITHIN_OTHERS = (
    "import dataclasses\nmany = 3 if dataclasses.sys.flags.dev_mode else 1",
    "import numpy\nmany = 3 if numpy.f2py.os.path.exists('a') else 1",
    "from dataclasses import sys as q",
    "from collections import _sys",
    "import dataclasses\nq = getattr(dataclasses, 's' + 'ys')",
    "import dataclasses, operator\nq = operator.attrgetter('sys.flags')(dataclasses)",
    "import dataclasses, operator\nq = operator.attrgetter('s' + 'ys')(dataclasses)",
    "import dataclasses\nq = '{0.sys.flags.dev_mode}'.format(dataclasses)",
    "import dataclasses\nmatch dataclasses:\n    case object(sys=q):\n        pass",
)
"""Such claims were taken from the cache after what they look at had changed."""


def test_a_module_that_another_one_holds_is_a_look_outside(project: Path) -> None:
    for text in MODULES_WITHIN_OTHERS:
        (project / "claims_zq.py").write_text(text)
        with pytest.raises(NoKey):
            digest(project)
    (project / "claims_zq.py").write_text("'What sys and os are not.'\nq = getattr(1, 'real')")
    digest(project)


@pytest.mark.parametrize(
    "text",
    [
        "import re\nPATTERN = re.compile('a')",
        "import numpy\nfrom numpy import linalg",
        "from dpverify.mechanisms import draw",
        "from dpverify.verifiers.privacy.claim import Claim",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from _typeshed import Incomplete",
        "from zq_names import *",
        "\n".join(f"import {name}" for name in sorted(PURE - {"__future__"})),
    ],
)
def test_what_is_pure_or_installed_has_one(project: Path, text: str) -> None:
    (project / "claims_zq.py").write_text(text)
    digest(project)


@pytest.mark.parametrize("suffix", [EXTENSION_SUFFIXES[0], BYTECODE_SUFFIXES[0]])
def test_a_module_that_cannot_be_read_as_python_has_no_key(project: Path, suffix: str) -> None:
    (project / "zq_data.py").rename(project / f"zq_data{suffix}")
    with pytest.raises(NoKey, match="cannot be read as Python"):
        digest(project)


def test_own_files_are_those_of_nobody_else(project: Path) -> None:
    import numpy

    assert is_own(str(project / "claims_zq.py"))
    assert not is_own(str(numpy.__file__))
    assert not is_own(str(pytest.__file__))
    assert not is_own(str(PACKAGE / "verifiers" / "claims.py"))
    assert not is_own(str(sys.modules["dpverify.verifiers.claims"].__file__))
    assert is_own(__file__)


def test_the_script_of_a_command_is_not_looked_into_and_another_is(project: Path) -> None:
    main = loaded(project, "zq_unused")["zq_unused"]
    assert reached_from({"__main__": main}).obstacle
    main.__file__ = str(Path(sys.prefix) / "bin" / "dpverify")
    assert is_a_command(main.__file__)
    assert reached_from({"__main__": main, "__mp_main__": main}) == ReachedFiles()
    assert reached_from({"another": main}).obstacle
