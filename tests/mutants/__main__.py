"""Puts small mistakes into the modules that decide, and prints which of them the tests notice.

`make mutants` samples them with a fixed seed. Each is put into a copy of the tree of its own, and what tests its module
is run there up to the first failure; not to end in time counts as noticed. The same seed finds the same mistakes as
long as the code that they are in stays the same, wherever that moves to.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from signal import SIGKILL
from typing import Final, Literal

from tests.mutants.mutations import Mutation, mutations

_ROOT: Final = Path(__file__).parents[2]

_PRIVACY: Final = (
    "tests/verifiers/privacy",
    "tests/adversary/test_laws.py",
    "tests/adversary/test_every_epsilon.py",
    "tests/adversary/test_impure.py",
    "tests/catalogue/test_refutations_by_hand.py",
)
_LAWS: Final = ("tests/mechanisms/laws", "tests/adversary", *_PRIVACY)

TESTS: Final[Mapping[str, Sequence[str]]] = {
    "mechanisms/exact": ("tests/mechanisms/exact", *_LAWS, "tests/mechanisms/release"),
    "mechanisms/laws": _LAWS,
    "verifiers/privacy": (*_PRIVACY, "tests/adversary", "tests/verifiers/audit"),
    "verifiers/utility": ("tests/verifiers/utility", "tests/catalogue/test_utility_refutations_by_hand.py"),
}
"""The folders that are mutated, and what is run on each, in this order, behind the tests named as the module is."""

CATALOGUE: Final[Mapping[str, str]] = {
    "mechanisms/exact": "tests/catalogue/claims_catalogue.py",
    "mechanisms/laws": "tests/catalogue/claims_catalogue.py",
    "verifiers/privacy": "tests/catalogue/claims_catalogue.py",
    "verifiers/utility": "tests/catalogue/test_utility_catalogue.py",
}
"""What is run after that, with --catalogue: minutes for each that survives."""

Fate = Literal["killed", "killed: out of time", "SURVIVED"]


@dataclass(frozen=True)
class Mutant:
    """A mutation of a file, which is named from the root."""

    path: str
    mutation: Mutation

    @property
    def folder(self) -> str:
        """Which of `TESTS` it is in."""
        return next(folder for folder in TESTS if self.path.startswith(folder + "/"))

    def __str__(self) -> str:
        return f"{self.path}:{self.mutation.line} {self.mutation.scope}: {self.mutation}"


def sampled(seed: int, count: int) -> list[Mutant]:
    """So many of all mutants, by their rank, of each folder in proportion to what there is."""
    found = [
        Mutant(str(path.relative_to(_ROOT)), mutation)
        for folder in TESTS
        for path in sorted((_ROOT / folder).glob("*.py"))
        for mutation in mutations(path.read_text(encoding="utf-8"))
    ]
    return sorted(found, key=lambda mutant: mutant.mutation.rank(seed))[:count]


def run_on(folder: str, module: str, catalogue: bool) -> list[str]:
    """The tests that are run on a mutant of a module: those that are named as it is first."""
    named = sorted(str(path.relative_to(_ROOT)) for path in (_ROOT / "tests").rglob(f"test_{module}.py"))
    return list(dict.fromkeys([*named, *TESTS[folder], *([CATALOGUE[folder]] if catalogue else [])]))


def passes(tree: Path, tests: Sequence[str], seconds: float) -> bool | None:
    """Whether the tests pass in a copy of the tree; None where they do not end in time."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:randomly", "-p", "no:cacheprovider", *tests]
    # in front of the editable install, which is of the tree that this is run in; and no bytecode of a mutant is kept
    scope = {**os.environ, "PYTHONPATH": str(tree / ".src"), "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        command, cwd=tree, env=scope, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError):  # with all that a mutant has left running
                os.killpg(process.pid, SIGKILL)


def copied(folder: Path) -> Path:
    """A copy of the tree in a folder, without what is made from it."""
    left_out = shutil.ignore_patterns(".git", ".venv", ".hypothesis", ".*_cache", "dist")
    return Path(shutil.copytree(_ROOT, folder, symlinks=True, ignore=left_out))


def fate(mutant: Mutant, tree: Path, catalogue: bool, seconds: float) -> Fate:
    """What becomes of a mutant in a copy of the tree, which is as it was afterwards."""
    place = tree / mutant.path
    source = place.read_text(encoding="utf-8")
    place.write_text(mutant.mutation.of(source), encoding="utf-8")
    try:
        passed = passes(tree, run_on(mutant.folder, place.stem, catalogue), seconds)
    finally:
        place.write_text(source, encoding="utf-8")
    return "SURVIVED" if passed else "killed" if passed is False else "killed: out of time"


def main() -> int:
    """Prints the fate of each mutant and how many died; 1 where the tests fail on the tree as it is."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=40, help="how many mutants (40)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (2)")
    parser.add_argument("--catalogue", action="store_true", help="run the catalogue's claims on survivors as well")
    parser.add_argument("--list", action="store_true", help="only say which mutants they are")
    chosen = parser.parse_args()
    mutants = sampled(chosen.seed, chosen.count)
    if chosen.list:
        print(*mutants, sep="\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        trees: SimpleQueue[Path] = SimpleQueue()
        for n in range(chosen.jobs):
            trees.put(copied(Path(scratch) / str(n)))
        tree = trees.get()
        started = time.monotonic()
        everything = [test for folder in TESTS for test in run_on(folder, "", chosen.catalogue)]
        if not passes(tree, list(dict.fromkeys(everything)), 3_600):
            print("the tests fail on the tree as it is")
            return 1
        trees.put(tree)
        seconds = 60 + 4 * chosen.jobs * (time.monotonic() - started)

        def tried(mutant: Mutant) -> tuple[Mutant, Fate]:
            tree = trees.get()
            try:
                return mutant, fate(mutant, tree, chosen.catalogue, seconds)
            finally:
                trees.put(tree)

        died = 0
        with ThreadPoolExecutor(chosen.jobs) as pool:
            for mutant, end in pool.map(tried, mutants):
                died += end != "SURVIVED"
                print(f"{end:19} {mutant}", flush=True)
    print(f"{died} of {len(mutants)} killed, {len(mutants) - died} survived (seed {chosen.seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
