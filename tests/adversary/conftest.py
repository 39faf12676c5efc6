"""Gathers the counts of all tests here, those of other processes too, and prints them at the end."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping

import pytest
from tests.adversary.tally import PROPERTY, Tally, deep


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Iterator[Tally]:
    made = Tally()
    try:
        yield made
    finally:
        request.node.user_properties.append((PROPERTY, json.dumps(made.counts)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: Counter[str] = Counter()
    wrong = empty = 0
    for reports in terminalreporter.stats.values():
        for report in reports:
            # the counts are there from the teardown on
            own = [value for name, value in getattr(report, "user_properties", ()) if name == PROPERTY]
            if own and getattr(report, "when", "") == "teardown":
                counts.update(json.loads(str(own[0])))
            if "adversary" in getattr(report, "nodeid", "") and getattr(report, "outcome", "") == "failed":
                said = str(getattr(report, "longrepr", ""))
                wrong += "checking.Wrong" in said
                empty += "checking.Empty" in said
    if counts:
        terminalreporter.section("adversary" + (", deep" if deep() else ""))
        for line in _table(counts):
            terminalreporter.write_line(line)
        for name, count in sorted(counts.items()):
            if not _of_class(name):
                terminalreporter.write_line(f"{count:>9,}  {name}")
        terminalreporter.write_line(f"{empty:>9,}  tests with too little compared, or too much refused")
        terminalreporter.write_line(f"{wrong:>9,}  wrong")


def _of_class(name: str) -> str:
    """The class of a count, if it is one of decided or refused programs of a class."""
    of, is_decided, _ = name.partition(": decided")
    other, is_refused, _ = name.partition(": refused: ")
    return of if is_decided else other if is_refused else ""


def _table(counts: Mapping[str, int]) -> Iterator[str]:
    """A line a class: decided, and what was not, by reason; claims on one program may both be refused."""
    classes = sorted({_of_class(name) for name in counts} - {""})
    if classes:
        yield f"{'decided':>9}  {'class':<28}refused, or passed over"
    for of in classes:
        start = f"{of}: refused: "
        reasons = sorted((name.removeprefix(start), count) for name, count in counts.items() if name.startswith(start))
        yield f"{counts.get(f'{of}: decided', 0):>9,}  {of:<28}" + "; ".join(f"{n:,} {reason}" for reason, n in reasons)
