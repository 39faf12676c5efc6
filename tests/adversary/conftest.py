"""Gathers the counts of all tests here, those of other processes too, and prints them at the end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.adversary.checking import PROPERTY, Tally, deep


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Iterator[Tally]:
    made = Tally()
    try:
        yield made
    finally:
        request.node.user_properties.append((PROPERTY, json.dumps(made.counts)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: Counter[str] = Counter()
    wrong = 0
    for reports in terminalreporter.stats.values():
        for report in reports:
            # the counts are there from the teardown on
            own = [value for name, value in getattr(report, "user_properties", ()) if name == PROPERTY]
            if own and getattr(report, "when", "") == "teardown":
                counts.update(json.loads(str(own[0])))
            wrong += "adversary" in getattr(report, "nodeid", "") and getattr(report, "outcome", "") == "failed"
    if counts:
        terminalreporter.section("adversary" + (", deep" if deep() else ""))
        for name, count in sorted(counts.items()):
            terminalreporter.write_line(f"{count:>9,}  {name}")
        terminalreporter.write_line(f"{wrong:>9,}  wrong")
