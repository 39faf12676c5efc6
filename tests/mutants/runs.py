"""Runs of pytest in copies of the tree, each in a process forked from one that has the libraries loaded already."""

import gc
import importlib
import os
import resource
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL
from typing import Final, Literal

import pytest

ROOT: Final = Path(__file__).parents[2]

_LIBRARIES: Final = (
    "click", "cvc5", "dp_accounting", "flint", "hypothesis.strategies", "jinja2", "jsonschema", "msgspec", "numpy",
    "numpy.testing", "pytest_randomly", "scipy.integrate", "scipy.optimize", "scipy.stats",
    "xdist.plugin", "z3", "_hypothesis_pytestplugin", "_pytest.assertion.rewrite",
)  # fmt: skip

_MEMORY: Final = 8 << 30
"""Bytes that a mutant may ask for."""

End = Literal["passed", "failed", "out of time"]


def load_libraries() -> None:
    """Load what tests import, and nothing of the tree: a run that is forked need not load it again."""
    for name in _LIBRARIES:
        importlib.import_module(name)


def copied(folder: Path) -> Path:
    """A copy of the tree in a folder, without what is made from it."""
    left_out = shutil.ignore_patterns(".git", ".venv", ".hypothesis", ".*_cache", "dist")
    return Path(shutil.copytree(ROOT, folder, symlinks=True, ignore=left_out))


class Selected:
    """Of what is collected, some tests, in their order: a plugin of pytest."""

    def __init__(self, names: Sequence[str]) -> None:
        self._place = {name: n for n, name in enumerate(names)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out the others."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self._place), key=lambda item: self._place[item.nodeid]
        )


def run(
    tree: Path,
    files: Collection[str],
    plugins: Callable[[], Sequence[object]],
    *,
    seconds: float | None = None,
    output: str = os.devnull,
    keep_bytecode: bool = False,
) -> End:
    """How the tests of some files end in a tree, up to the first that fails.

    The seconds are of the CPU, so that it does not matter what else the machine does; one that only waits has ten
    times as many. Raises `OSError` where no process can be made.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        status = 1
        try:
            if seconds is not None:
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
                resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            status = _in_child(tree, files, plugins, output, keep_bytecode)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    deadline = float("inf") if seconds is None else time.monotonic() + 10 * seconds
    try:
        while time.monotonic() < deadline:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                by_signal = (
                    os.WIFSIGNALED(status) and os.WTERMSIG(status) == SIGKILL
                )  # what the limit of CPU time sends
                return "out of time" if by_signal else "failed" if status else "passed"
            time.sleep(0.01)
        return "out of time"
    finally:
        with suppress(ProcessLookupError):  # with all that a mutant has left running
            os.killpg(child, SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(child, 0)


def _in_child(
    tree: Path, files: Collection[str], plugins: Callable[[], Sequence[object]], output: str, keep_bytecode: bool
) -> int:
    os.setsid()
    gc.freeze()  # what was there before stays: pytest collects garbage as it ends, and would go through all of it
    os.chdir(tree)
    into = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for stream in (1, 2):
        os.dup2(into, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    # in front of the editable install, which is of the tree that this is run in; no bytecode of a mutant is kept
    sys.path[:] = [str(tree / ".src"), *(entry for entry in sys.path if entry and Path(entry) != ROOT)]
    os.environ["PYTHONPATH"] = str(tree / ".src")
    sys.dont_write_bytecode = not keep_bytecode
    if not keep_bytecode:
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    chosen = plugins()
    for name in [name for name in sys.modules if name.split(".")[0] in ("dpverify", "tests")]:
        del sys.modules[name]  # they are of the other tree: from one package that is loaded all of it would be
    options = ["-q", "-x", "-p", "no:randomly", "-p", "no:cacheprovider"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of plugins that are loaded already
    return int(pytest.main([*options, *files], plugins=chosen))
