"""What the commands that decide claims share: the exit status."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from dpverify.reports.summary import Decided


def exit_status(results: Iterable[Decided]) -> Literal[0, 1, 3]:
    """0: every result as expected; 1: some is not; 3: those that are not are merely left open."""
    unexpected = [result for result in results if not result.as_expected]
    if not unexpected:
        return 0
    return 3 if all(result.left_open for result in unexpected) else 1
