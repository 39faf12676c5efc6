"""Puts small mistakes into the modules that decide, and prints which of them the tests notice.

`make mutants` samples them with a fixed seed. First it records which test runs which lines. Each mutant is then put into
a copy of the tree, and the tests that run the statement that is changed are run there, the quickest first, up to the
first failure; not to end in time counts as noticed. The same seed finds the same mistakes as long as the code that they
are in stays the same, wherever that moves to. Some folders are mutated only where they are asked for, as in
`python -m tests.mutants --only verifiers/divergence/densities`.
"""

import argparse
import hashlib
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, repeat
from pathlib import Path
from typing import Final, Literal

from tests.mutants.mutations import Mutation, mutations
from tests.mutants.recording import RecordedTest, TimedTest, record, recorded, said
from tests.mutants.runs import ROOT, End, Selected, copied, load_libraries, run

from dpverify.mechanisms.packages import MEANS

PRIVACY: Final = (
    *(
        "problems/questions",
        "problems/neighbours",
        "problems/preparation",
        "divergence/output_tables",
        "divergence/parallel",
        "divergence/finite",
        "divergence/every_epsilon",
        "verdicts",
        "deciding",
    ),
    *("profiles", "privacy"),
)
"""The packages of verifiers that decide privacy on finite domains, of laws without densities."""

MUTATED: Final = (
    *(f"mechanisms/{package}" for package in MEANS),
    *(f"verifiers/{package}" for package in PRIVACY),
    "verifiers/utility",
)
"""The folders that are mutated."""

FURTHER: Final[Mapping[str, tuple[str, ...]]] = {
    "verifiers/calculations": ("tests/verifiers/calculations",),
    "verifiers/all_sizes/regions": ("tests/verifiers/all_sizes/regions",),
    "verifiers/all_sizes": ("tests/verifiers/all_sizes",),
    "verifiers/divergence/densities": ("tests/verifiers/divergence/densities",),
    "verifiers/lower_bounds": ("tests/verifiers/lower_bounds", "tests/catalogue/test_lower_bounds_by_hand.py"),
    "verifiers/optimal": ("tests/verifiers/optimal",),
    "verifiers/structure": ("tests/verifiers/structure",),
}
"""Folders that are mutated as well where they are asked for by name, and which tests are run besides."""

TESTS: Final = (
    "tests/mechanisms",
    "tests/adversary",
    "tests/verifiers/auditing",
    *(f"tests/verifiers/{package}" for package in PRIVACY),
    "tests/verifiers/utility",
    "tests/catalogue/test_refutations_by_hand.py",
    "tests/catalogue/test_utility_refutations_by_hand.py",
)
"""Where the tests are that are run on them."""

CATALOGUE: Final[Mapping[str, str]] = {
    "mechanisms": "tests/catalogue/claims_catalogue.py",
    "verifiers/utility": "tests/catalogue/test_utility_catalogue.py",
    "verifiers": "tests/catalogue/claims_catalogue.py",
}
"""What is run after that, with --catalogue: minutes for each that survives."""

_FIRST: Final = 40
"""So many tests find most mutants; the others wait until these have passed."""

Fate = Literal["killed", "killed: out of time", "SURVIVED", "SURVIVED: no test runs it"]


@dataclass(frozen=True)
class Mutant:
    """A mutation of a file, which is named from the root."""

    path: str
    mutation: Mutation

    @property
    def catalogue(self) -> str:
        """Which of `CATALOGUE` decides claims with it."""
        return next(tests for folder, tests in CATALOGUE.items() if self.path.startswith(folder + "/"))

    def __str__(self) -> str:
        return f"{self.path}:{self.mutation.line} {self.mutation.scope}: {self.mutation}"


@dataclass(frozen=True)
class Trial:
    """A mutant, and the tests that may notice it."""

    mutant: Mutant
    tests: Sequence[TimedTest]
    """In the order in which they are run."""
    is_run: bool
    """Whether one of all tests was seen to run the statement."""
    catalogue: bool
    """Whether the catalogue's claims are decided after them."""


def asked_for(only: Sequence[str]) -> tuple[str, ...]:
    """Those of `FURTHER`, the innermost one each, in which all paths that begin with one of some texts lie."""
    around = [[folder for folder in FURTHER if f"{text}/".startswith(f"{folder}/")] for text in only]
    innermost = {max(folders, key=len) for folders in around if folders}
    return tuple(folder for folder in FURTHER if folder in innermost)


def sampled(seed: int, count: int, only: Sequence[str] = ("",)) -> list[Mutant]:
    """So many of all mutants, by their rank, of files whose paths begin with one of some texts."""
    found = [
        Mutant(path, mutation)
        for path in sources(asked_for(only))
        if path.startswith(tuple(only))
        for mutation in mutations((ROOT / path).read_text(encoding="utf-8"))
    ]
    return sorted(found, key=lambda mutant: mutant.mutation.rank(seed))[:count]


def sources(further: Sequence[str] = ()) -> list[str]:
    """The files that are mutated, from the root, with those of some of `FURTHER`."""
    folders = (*MUTATED, *further)
    return [str(path.relative_to(ROOT)) for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def files_with_tests(further: Sequence[str] = ()) -> list[str]:
    """The files of `TESTS`, from the root, and of those that belong to some of `FURTHER`."""
    tests = (*TESTS, *(test for folder in further for test in FURTHER[folder]))
    found = [
        path for test in tests for path in ([ROOT / test] if test.endswith(".py") else (ROOT / test).rglob("test_*.py"))
    ]
    return sorted(str(path.relative_to(ROOT)) for path in found)


def trial_of(mutant: Mutant, tests: Sequence[RecordedTest], seconds: float, catalogue: bool) -> Trial:
    """The tests that run the statement that is changed, the quickest first, and not more than take so many seconds.

    At the end are those that start processes, which may run it there, if they run anything of its file.
    """

    def seen(test: RecordedTest) -> bool:
        return test.runs(mutant.path, mutant.mutation.statement)

    found = sorted(
        (test for test in tests if seen(test) or (test.starts_processes and mutant.path in test.lines)),
        key=lambda test: (not seen(test), test.timed.seconds, test.timed.name),
    )
    taken = accumulate(test.timed.seconds for test in found)
    chosen = [test.timed for test, until in zip(found, taken, strict=True) if until <= seconds]
    return Trial(mutant, chosen, any(map(seen, found)), catalogue)


def fate(trial: Trial, tree: Path) -> Fate:
    """What becomes of a mutant in a copy of the tree, which is as it was afterwards."""
    place = tree / trial.mutant.path
    source, was = place.read_text(encoding="utf-8"), place.stat()
    place.write_text(trial.mutant.mutation.of(source), encoding="utf-8")
    try:
        for tests in (trial.tests[:_FIRST], trial.tests[_FIRST:]):
            end = ended(tree, tests)
            if end != "passed":
                return "killed: out of time" if end == "out of time" else "killed"
        if trial.catalogue and run(tree, [trial.mutant.catalogue], list) != "passed":
            return "killed"
    finally:
        place.write_text(source, encoding="utf-8")
        os.utime(place, ns=(was.st_atime_ns, was.st_mtime_ns))  # for which there is bytecode
    return "SURVIVED" if trial.is_run else "SURVIVED: no test runs it"


def ended(tree: Path, tests: Sequence[TimedTest]) -> End:
    """How some tests end in a tree; none of them pass."""
    if not tests:
        return "passed"
    seconds = 10 + 4 * sum(test.seconds for test in tests)
    names = [test.name for test in tests]
    return run(tree, sorted({test.file for test in tests}), lambda: [Selected(names)], seconds=seconds)


class Workers:
    """Processes that have a copy of the tree each."""

    _tree: Path

    def __init__(self, jobs: int, scratch: Path, further: Sequence[str] = ()) -> None:
        self._further = further
        load_libraries()
        fork = multiprocessing.get_context("fork")
        self._pool = ProcessPoolExecutor(jobs, mp_context=fork, initializer=self._begin, initargs=(scratch,))

    @classmethod
    def _begin(cls, scratch: Path) -> None:
        cls._tree = copied(scratch / str(os.getpid()))

    def recorded(self, files: Sequence[str], into: Path) -> list[RecordedTest]:
        """What the tests of some files run, which is kept in a folder for the same files and the same sources.

        Raises `ValueError` where a test fails, with what pytest says.
        """
        into.mkdir(parents=True, exist_ok=True)
        same = hashlib.sha256(b"".join((ROOT / path).read_bytes() for path in sources(self._further))).hexdigest()
        places = [
            into / f"{hashlib.sha256((same + file).encode() + (ROOT / file).read_bytes()).hexdigest()[:32]}.json"
            for file in files
        ]
        folders = repeat((*MUTATED, *self._further))
        for place, passed in zip(places, self._pool.map(self._record, files, folders, places), strict=True):
            if not passed:
                raise ValueError(f"a test fails on the tree as it is\n{said(place)}")
        return recorded(places)

    @classmethod
    def _record(cls, file: str, folders: Sequence[str], into: Path) -> bool:
        return into.exists() or record(cls._tree, file, folders, into)

    def fates(self, trials: Sequence[Trial]) -> Iterator[tuple[Trial, Fate]]:
        """What becomes of each mutant, in the order given."""
        return zip(trials, self._pool.map(self._fate, trials), strict=True)

    @classmethod
    def _fate(cls, trial: Trial) -> Fate:
        return fate(trial, cls._tree)


def main() -> int:
    """Prints the fate of each mutant and how many died; 1 where the tests fail on the tree as it is."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="how many mutants (300)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--only", action="append", metavar="PATH", help="mutants of this file or folder alone")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (2)")
    parser.add_argument("--seconds", type=float, default=60, help="tests of how many seconds for each (60)")
    parser.add_argument("--recording", type=Path, help="a folder for what tests run, for other times")
    parser.add_argument("--catalogue", action="store_true", help="run the catalogue's claims on survivors as well")
    parser.add_argument("--list", action="store_true", help="only say which mutants they are")
    chosen = parser.parse_args()
    mutants = sampled(chosen.seed, chosen.count, chosen.only or [""])
    if chosen.list:
        print(*mutants, sep="\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        further = asked_for(chosen.only or [""])
        workers = Workers(chosen.jobs, Path(scratch), further)
        try:
            tests = workers.recorded(files_with_tests(further), chosen.recording or Path(scratch))
        except ValueError as error:
            print(error)
            return 1
        trials = [trial_of(mutant, tests, chosen.seconds, chosen.catalogue) for mutant in mutants]
        died = 0
        for trial, end in workers.fates(trials):
            died += end.startswith("killed")
            print(f"{end:25} {trial.mutant}", flush=True)
    print(f"{died} of {len(mutants)} killed, {len(mutants) - died} survived (seed {chosen.seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
