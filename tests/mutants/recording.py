"""Which tests run which lines of the modules that are mutated, and how long each takes."""

import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from coverage import Coverage
from tests.mutants.runs import run

_STARTS_A_PROCESS: Final = ("os.fork", "os.posix_spawn", "subprocess.Popen")


@dataclass(frozen=True)
class TimedTest:
    """A test and what it takes."""

    name: str
    """As pytest has it: the file, then what it is called there."""
    seconds: float
    """Of the CPU, with the recording."""

    @property
    def file(self) -> str:
        """Where the test is."""
        return self.name.partition("::")[0]


@dataclass(frozen=True)
class RecordedTest:
    """What a test ran, in the process that it was started in."""

    timed: TimedTest
    starts_processes: bool
    """Whether it ran more, which is not seen."""
    lines: Mapping[str, frozenset[int]]
    """By the file of the tree. What runs where a module is imported is run by each test that runs anything of it."""

    def runs(self, path: str, lines: Iterable[int]) -> bool:
        """Whether it runs one of some lines."""
        return not self.lines.get(path, frozenset()).isdisjoint(lines)


class Recorder:
    """A plugin of pytest that writes what each test runs into a file, as JSON."""

    def __init__(self, tree: Path, folders: Sequence[str], into: Path) -> None:
        self._tree, self._into = tree, into
        self._coverage = Coverage(
            data_file=None, config_file=False, include=[f"{tree}/{folder}/*" for folder in folders]
        )
        # as where all that tests do is to start processes
        self._coverage.set_option("run:disable_warnings", ["no-data-collected"])
        self._tests: dict[str, dict[str, Any]] = {}
        self._started = False
        sys.addaudithook(self._seen)
        self._coverage.start()

    def _seen(self, event: str, _: object) -> None:
        if event in _STARTS_A_PROCESS:
            self._started = True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Each test is a context of its own."""
        self._started = False
        self._coverage.switch_context(item.nodeid)
        began = time.process_time()
        try:
            return (yield)
        finally:
            seconds = round(time.process_time() - began, 4)
            self._coverage.switch_context("")
            self._tests[item.nodeid] = {"seconds": seconds, "starts_processes": self._started, "lines": {}}

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Write what was seen."""
        self._coverage.stop()
        data = self._coverage.get_data()
        for file in data.measured_files():
            path = str(Path(file).resolve().relative_to(self._tree.resolve()))
            ran: dict[str, list[int]] = {}
            for line, names in data.contexts_by_lineno(file).items():
                for name in names:
                    ran.setdefault(name, []).append(line)
            imported = ran.pop("", [])
            for name, lines in ran.items():
                self._tests[name]["lines"][path] = sorted({*lines, *imported})
        self._into.write_text(json.dumps(self._tests), encoding="utf-8")


def record(tree: Path, file: str, folders: Sequence[str], into: Path) -> bool:
    """Whether the tests of a file pass on a tree; what they run is then in a file."""
    output = str(_output(into))
    return run(tree, [file], lambda: [Recorder(tree, folders, into)], output=output, keep_bytecode=True) == "passed"


def said(into: Path) -> str:
    """What pytest said when it was recorded into a file."""
    return _output(into).read_text(encoding="utf-8", errors="replace")


def _output(into: Path) -> Path:
    return into.with_suffix(".txt")


def recorded(files: Iterable[Path]) -> list[RecordedTest]:
    """What was recorded in some files."""
    return [
        RecordedTest(
            TimedTest(name, test["seconds"]),
            test["starts_processes"],
            {path: frozenset(lines) for path, lines in test["lines"].items()},
        )
        for file in files
        for name, test in json.loads(file.read_text(encoding="utf-8")).items()
    ]
