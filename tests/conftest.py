"""Hypothesis profiles: the gate runs the same examples every time, `--hypothesis-profile=deep` looks for new ones.

No test takes a verdict from a cache, or leaves one there, unless it makes its own.
"""

import gc
import os
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from hypothesis import settings

os.environ["CI"] = "1"
for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):  # of a run of the tests there
    os.environ.pop(name, None)

settings.register_profile("gate", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("deep", deadline=None, max_examples=2_000)
settings.load_profile("gate")

# as for an audit: laws are many small objects, which the collector would go through again and again
gc.set_threshold(200_000, 20, 50)


TESTS = Path(__file__).parent
MANY_PROCESSES = (
    "mutants",
    "test_architecture.py",
    "test_examples.py",
    "test_readme.py",
    "verifiers/audit",
    "verifiers/commands",
    "verifiers/mutation",
    "verifiers/processes",
    "verifiers/test_pytest_plugin.py",
)
"""Where tests fork processes again and again."""


@pytest.hookimpl(specname="pytest_collection_modifyitems", tryfirst=True)  # before those marked deep are left out
def pytest_leave_cases_to_deep_runs(items: list[pytest.Item]) -> None:
    """Mark as deep all cases but one in so many, where a test is marked `one_in`: the same ones whatever is selected."""
    for item in items:
        marker = item.get_closest_marker("one_in")
        if marker is not None and _number(item) % marker.args[0]:
            item.add_marker("deep")


def _number(item: pytest.Item) -> int:
    """The number of a case; of tests with several lists of cases the sum, so that something of each list is run."""
    assert isinstance(item, pytest.Function)
    names = [marker.args[0] for marker in item.iter_markers("parametrize")]
    firsts = [(name.split(",") if isinstance(name, str) else name)[0].strip() for name in names]
    return sum(item.callspec.indices[first] for first in firsts)


@pytest.hookimpl(trylast=True)  # after their order was made random
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests that fork processes come first, in whatever order they are, while there is little to copy.

    What is remembered grows as tests go on, and a child whose parent holds a gigabyte takes several times as long.
    """
    files = {item.path for item in items}
    first = {file for file in files if any(file.is_relative_to(TESTS / name) for name in MANY_PROCESSES)}
    items.sort(key=lambda item: item.path not in first)


def pytest_collection_finish() -> None:
    """What has been loaded by now stays: the garbage collector need not go through it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def everything_loaded() -> None:
    """All of dpverify is loaded, and what numpy loads late."""
    import_module("numpy.random")
    for name in ("mechanisms", "reports", "verifiers"):
        package = import_module(f"dpverify.{name}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)


@pytest.fixture
def pytester(everything_loaded: None, pytester: pytest.Pytester) -> pytest.Pytester:
    """As it is, after all of dpverify was loaded: it forgets modules that were not loaded before it.

    They would be loaded a second time then, and have two of what there is one of.
    """
    return pytester
