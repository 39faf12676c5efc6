"""Hypothesis profiles: the gate runs the same examples every time, `--hypothesis-profile=deep` looks for new ones.

No test takes a verdict from a cache, or leaves one there, unless it makes its own.
"""

import atexit
import gc
import os
import sys
from collections import Counter
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from hypothesis import settings

os.environ["CI"] = "1"
for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):  # of a run of the tests there
    os.environ.pop(name, None)

settings.register_profile("gate", deadline=None, derandomize=True, max_examples=8)
settings.register_profile("deep", deadline=None, max_examples=2_000)
settings.load_profile("gate")

# as for an audit: laws are many small objects, which the collector would go through again and again
gc.set_threshold(200_000, 100, 50)


TESTS = Path(__file__).parent
MANY_PROCESSES = (
    "adversary/test_faults.py",
    "mechanisms/noise",
    "mechanisms/functions/test_hidden_chance.py",
    "mutants",
    "test_architecture.py",
    "test_examples.py",
    "test_face.py",
    "test_packaging.py",
    "verifiers/auditing",
    "verifiers/commands",
    "verifiers/all_sizes/compositions/test_sealed_rows.py",
    "verifiers/deciding/test_before_post_processing.py",
    "verifiers/problems/preparation/test_repetition.py",
    "verifiers/divergence/finite/test_pairs_shared_out.py",
    "verifiers/auditing/mutation",
    "verifiers/processes",
    "verifiers/line_coverage",
    "verifiers/test_pytest_gate.py",
    "verifiers/divergence/parallel/test_executors.py",
    "verifiers/divergence/parallel/test_sharing.py",
)
"""Where tests fork processes again and again, or go through all objects there are.

Not tests/test_readme.py, which leaves 90 MB, and verifiers/test_pytest_plugin.py, which leaves 60: they fork less than
that would cost others.
"""


_cases: Counter[str] = Counter()
"""How many cases have been collected of each test that is marked `one_in`."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark as deep all cases but one in n of a test that is marked `one_in(n)`; one that is named alone is run.

    Where they are all pairs from two lists, it is not always with the same one of a list that the others are run.
    """
    marker = item.get_closest_marker("one_in")
    if marker is not None:
        (n,), name = marker.args, item.nodeid.partition("[")[0]
        row, column = divmod(_cases[name], n)
        _cases[name] += 1
        if (row + column) % n:
            item.add_marker("deep")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Have few laws computed again, and in this process, but in deep runs and where it matters who does it."""
    with pytest.MonkeyPatch.context() as patch:
        if not _forks(item):
            import_module("tests.deciding").compute_again_here(patch)
        return (yield)


def _forks(item: pytest.Item) -> bool:
    return _is_deep() or item.get_closest_marker("forks") is not None


def _is_deep() -> bool:
    return settings.default is not None and settings.default.max_examples > 1_000


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let every other worker begin at the end of a folder: what one has compiled by then, another need not compile."""
    report = yield
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    if isinstance(collector, pytest.Dir) and int(worker.removeprefix("gw")) % 2:
        report.result.reverse()
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """Let the tests that fork processes come first, in whatever order they are, while there is little to copy.

    What is remembered grows as tests go on, and a child whose parent holds a gigabyte takes several times as long.
    Before their order is made random it is the same for all workers, at whichever end they began.
    """
    items.sort(key=lambda item: str(item.path))
    yield
    first = tuple(str(TESTS / name) for name in MANY_PROCESSES)
    items.sort(key=lambda item: not str(item.path).startswith(first))


def pytest_collection_finish() -> None:
    """What has been loaded by now stays: the garbage collector need not go through it again and again.

    What tests write and load is not compiled for later: Python takes a compiled file for a source of the same size and
    second, and with it what a test has just written over.
    """
    sys.dont_write_bytecode = True
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_unconfigure(config: pytest.Config) -> Generator[None]:
    """Look for garbage once, and let a worker, which has said all, end without taking a gigabyte apart.

    pytest, which tells what is found, goes five times through all that is not frozen.
    """
    gc.collect()
    gc.freeze()
    yield
    if hasattr(config, "workerinput"):
        atexit._run_exitfuncs()  # by which others end that were started
        os._exit(0)


@pytest.fixture
def nothing_is_watched() -> None:
    """Nothing to be done: to be deleted with the last use of it."""


@pytest.fixture(scope="session")
def everything_loaded() -> None:
    """All of dpverify is loaded, and what numpy loads late."""
    import_module("numpy.random")
    for name in ("mechanisms", "reports", "verifiers"):
        package = import_module(f"dpverify.{name}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)


@pytest.fixture
def decided_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claims are decided in this process: see `tests.deciding`, which loads what not every run of tests needs."""
    import_module("tests.deciding").decide_here(monkeypatch)


@pytest.fixture
def may_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mechanisms may write outside of the process: here, and in what is forked, where a test has them leave marks."""
    monkeypatch.setattr(import_module("dpverify.mechanisms.functions.hidden_chance"), "_WRITES", frozenset())


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mechanism that does not return is interrupted after 0.15 s, whatever is said: here, and in what is forked."""
    monkeypatch.setattr(import_module("dpverify.verifiers.processes.stopwatch"), "_LONGEST", 0.15)


@pytest.fixture
def hurried_by_the_clock(hurried: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `hurried`, also of one that waits."""
    monkeypatch.setattr(import_module("dpverify.verifiers.processes.deadline"), "TIMES_BY_THE_CLOCK", 1)


@pytest.fixture
def pytester(everything_loaded: None, pytester: pytest.Pytester) -> pytest.Pytester:
    """As it is, after all of dpverify was loaded: it forgets modules that were not loaded before it.

    They would be loaded a second time then, and have two of what there is one of.
    """
    return pytester
