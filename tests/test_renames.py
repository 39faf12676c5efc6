"""Former names of modules: code that imports by them runs."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from dpverify.mechanisms.renames import FORMER_MODULES, module_now

PACKAGES = Path(__file__).parents[1]


def test_a_former_name_is_that_of_the_same_module() -> None:
    """In another process: `reload` defines the classes of the module again, which others would not be instances of."""
    code = """if True:
        from importlib import import_module, reload
        import dpverify.mechanisms.signs as signs
        import dpverify.mechanisms.forests.noise_tree as trees
        from dpverify.mechanisms.laws.distributions import bernoulli
        from dpverify.verifiers.composites import EveryDatabase
        from dpverify.verifiers.sampling.libraries import OpenDP
        assert signs.__name__ == "dpverify.mechanisms.numbers.roots"
        former = import_module("dpverify.verifiers.charts.domains")
        now = import_module("dpverify.verifiers.all_sizes.regions.domains")
        assert former is now is reload(now)
        assert now.__name__ == now.__spec__.name == "dpverify.verifiers.all_sizes.regions.domains"
        import dpverify.verifiers.charts.none
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    said = "ModuleNotFoundError: No module named 'dpverify.verifiers.all_sizes.regions.none'"
    assert done.stderr.splitlines()[-1] == said


def test_names_are_translated_whole() -> None:
    assert module_now("dpverify.verifiers.charts.domains") == "dpverify.verifiers.all_sizes.regions.domains"
    for other in ("dpverify.verifiers.charts_too", "verifiers.charts", "dpverify", "mine.verifiers.charts"):
        assert module_now(other) == other


def test_former_names_are_free_and_names_now_are_there() -> None:
    assert len(FORMER_MODULES) == len(set(FORMER_MODULES.values())) > 40
    for former, now in FORMER_MODULES.items():
        path = PACKAGES.joinpath(*former.split("."))
        assert not path.with_suffix(".py").exists() and not (path / "__init__.py").exists(), former
        assert find_spec(f"dpverify.{now}") is not None, now
        assert module_now(f"dpverify.{now}") == f"dpverify.{now}", "a name now is a former name of something else"
