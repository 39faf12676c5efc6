"""A report is the same bytes with any number of processes, and after some of them are killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.adversary.tally import deep
from tests.verifiers.divergence.parallel.sharing_cases import soon
from tests.verifiers.problems.questions.sharing_mechanisms import MECHANISMS, ROWS, most_common

from dpverify.mechanisms import Draw, Limits
from dpverify.reports.formats.rendering import render
from dpverify.verifiers import Claim, audit
from dpverify.verifiers.auditing import auditing
from dpverify.verifiers.auditing.attempts import Schedule
from dpverify.verifiers.claims import Depth

__all__ = ["soon"]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is shared out where nothing is forked")


def killed(folder: Path, draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    """Each process that first comes to some databases is killed, as by somebody else, once a database."""
    marker = folder / "".join(map(str, sorted(rows)))
    if (folder / "armed").exists() and rows.count(2) == 2 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return draw(most_common, rows, epsilon=epsilon)


def in_all_formats(claims: Sequence[Claim], jobs: int) -> list[str]:
    record = audit(claims, jobs=jobs, recheck=False)
    return [render(record, suffix) for suffix in (".json", ".md", ".html")]


@pytest.mark.usefixtures("soon")
def test_any_number_of_processes() -> None:
    limits = Limits(paths=500)
    claims = [
        Claim(id=f"a.{mechanism.__name__}", mechanism=mechanism, domain=domain, epsilon=1, limits=limits)
        for mechanism, domain in MECHANISMS[:: 4 if deep() else 8]
    ]
    alone = in_all_formats(claims, 1)
    for jobs in (2, 16) if deep() else (2,):
        assert in_all_formats(claims, jobs) == alone


@pytest.mark.deep
@pytest.mark.usefixtures("soon", "may_write")
def test_after_kills(tmp_path: Path) -> None:
    """Of the process that decides the only claim none is killed: what it has others find is what it comes to late."""
    claims = [Claim(id="a", mechanism=partial(killed, tmp_path), domain=ROWS, epsilon=1)]
    alone = in_all_formats(claims, 1)
    (tmp_path / "armed").touch()
    assert in_all_formats(claims, 3) == alone
    assert len(list(tmp_path.iterdir())) > 2


def test_claims_of_a_later_depth_are_begun_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are many workers; with fewer, rows come in order as early as can be."""
    orders: list[Sequence[int] | None] = []

    def noted(*given: Any) -> Schedule:
        orders.append(given[3])
        return Schedule(*given)

    monkeypatch.setattr(auditing, "Schedule", noted)
    depths: tuple[Depth, ...] = ("quick", "full", "report", "quick")
    claims = [
        Claim(id=f"a.{i}", mechanism=most_common, domain=[(0, 1)], epsilon=1, depth=depth)
        for i, depth in enumerate(depths)
    ]
    for jobs in (3, 4):
        audit(claims, jobs=jobs, recheck=False)
    assert orders == [None, [1, 2, 0, 3]]
