"""Laws that several processes find: what comes of it is what one process finds, whatever becomes of the others."""

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.verifiers.divergence.parallel.sharing_cases import checked, is_decided, said, soon
from tests.verifiers.problems.questions.sharing_mechanisms import (
    FEWER,
    MECHANISMS,
    REFUSED,
    ROWS,
    Mechanism,
    cached_result,
    composed,
    late_end,
    most_common,
)

from dpverify.mechanisms import Draw, Limits, discrete_laplace, exponential, symmetric
from dpverify.mechanisms.drawing import relabellings
from dpverify.verifiers import Multisets, Status
from dpverify.verifiers.divergence.output_tables import tabulation
from dpverify.verifiers.divergence.parallel import sharing
from dpverify.verifiers.divergence.parallel.sharing import DistributionsOfBlocks, ForkedHelpers
from dpverify.verifiers.problems.preparation import repetition
from dpverify.verifiers.problems.preparation.repetition import budget
from dpverify.verifiers.problems.questions import outside
from dpverify.verifiers.problems.questions.domains import Domain
from dpverify.verifiers.processes.workers import IdleProcesses
from dpverify.verifiers.processes.workplace import Answers, Helpers, Work, Workplace
from dpverify.verifiers.profiles.noise_multipliers import with_each_multiplier

__all__ = ["soon"]


def as_arrived(work: Work) -> Work:
    """Laws anew for each block, as where nothing is remembered."""
    if not isinstance(work, DistributionsOfBlocks):
        return work
    make, given = work.__reduce__()
    return make(*given)


class InThisProcess:
    """Helpers that are none: blocks are found here, the last first."""

    processes = most = 3

    def worked(self, work: Work, parts: Sequence[Any]) -> Answers:
        found = [as_arrived(work).done(part) for part in reversed(parts)]
        yield from (one or None for one in reversed(found))


class Nobody(InThisProcess):
    """Helpers that lose every other block."""

    def worked(self, work: Work, parts: Sequence[Any]) -> Answers:
        for i, part in enumerate(parts):
            yield (as_arrived(work).done(part) or None) if i % 2 else None


def forked() -> Helpers:
    idle = IdleProcesses()
    idle.share = 3
    return ForkedHelpers(idle, 3)


@pytest.mark.one_in(4)
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    "helpers", [InThisProcess, *(pytest.param(each, marks=pytest.mark.deep) for each in (Nobody, forked))]
)
@pytest.mark.parametrize(("mechanism", "domain"), MECHANISMS, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_said_is_what_one_process_says(
    mechanism: Mechanism, domain: Domain, helpers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        repetition, "can_fork", lambda: False
    )  # to compute laws again, which is nothing that is shared out
    limits = Limits(paths=500)
    alone = said(mechanism, domain, None, limits=limits)
    assert said(mechanism, domain, helpers(), limits=limits) == alone
    assert is_decided(alone) is (mechanism.__name__ not in REFUSED)


def of_scale_0_at_last(draw: Draw, rows: Any) -> Any:
    """The last of the databases has three rows of 2."""
    return sum(rows) + draw(discrete_laplace(0 if set(rows) == {2} else 1))


@pytest.mark.usefixtures("soon", "decided_here")
def test_noise_of_scale_0_that_another_process_met_has_its_line() -> None:
    text, *_ = said(of_scale_0_at_last, Multisets(range(3), size=3), InThisProcess(), recheck=False)
    line = of_scale_0_at_last.__code__.co_firstlineno + 2
    assert (
        f"discrete_laplace noise of scale 0 (tests/verifiers/divergence/parallel/test_sharing.py, line {line}): a point mass"
        in (" ".join(text.split()))
    )


@pytest.mark.deep
@pytest.mark.usefixtures("soon", "hurried")
def test_a_database_that_takes_too_long_is_named() -> None:
    limits = Limits(seconds=1)
    text, *_ = said(late_end, ROWS, forked(), limits=limits, recheck=False)
    assert text.startswith("UNDECIDED late_end")
    assert "late_end on (0, 2, 2, 2) was not known after 1 s of a processor" in " ".join(text.split())
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


@pytest.mark.usefixtures("soon", "decided_here")
@pytest.mark.parametrize("mechanism", [composed, cached_result])
def test_paths_are_counted_as_by_one_process(mechanism: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    """On them depends how much is spent on computing laws a second time."""
    counted: list[int] = []

    def noted(paths: int) -> int:
        counted.append(paths)
        return budget(paths)

    monkeypatch.setattr(tabulation, "budget", noted)
    for helpers in (None, InThisProcess(), Nobody()):
        said(mechanism, FEWER, helpers)
    alone, *helped = counted
    assert helped == [alone, alone]
    assert alone > 15


def dies_once(folder: Path, draw: Draw, rows: Sequence[int]) -> Any:
    """Killed from outside, as it were, when a helper first comes to some databases."""
    marker = folder / "".join(map(str, rows))
    if os.getppid() == int((folder / "caller").read_text()) and rows.count(2) == 2 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return draw(exponential({x: rows.count(x) for x in range(3)}, 1))


@pytest.mark.usefixtures("soon", "may_write")
def test_a_helper_that_is_killed_costs_its_block_alone(  # its code is outside, and decided as if it were not
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(outside, "outside_of", lambda *_: ())
    (tmp_path / "caller").write_text("0")
    alone = said(partial(dies_once, tmp_path), ROWS, None, recheck=False)
    (tmp_path / "caller").write_text(str(os.getpid()))
    assert said(partial(dies_once, tmp_path), ROWS, forked(), recheck=False) == alone
    assert len(list(tmp_path.glob("*2*"))) >= 2


def told_to_end(folder: Path, draw: Draw, rows: Sequence[int]) -> Any:
    """The process that is helped is told to end, by the helper that first comes to some databases."""
    caller = int((folder / "caller").read_text())
    if os.getppid() == caller and rows.count(2) == 2:
        with suppress(FileExistsError):
            (folder / "told").mkdir()
            os.kill(caller, signal.SIGTERM)
    return draw(exponential({x: rows.count(x) for x in range(3)}, 1))


class ToldToEnd(BaseException):
    """In the place of the end of this process."""


@pytest.mark.usefixtures("soon", "may_write")
def test_who_is_told_to_end_while_others_help_ends_afterwards(  # its code is outside, and decided as if it were not
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(outside, "outside_of", lambda *_: ())

    def end(*_: Any) -> None:
        raise ToldToEnd

    (tmp_path / "caller").write_text(str(os.getpid()))
    before = signal.signal(signal.SIGTERM, end)
    try:
        with pytest.raises(ToldToEnd):
            said(partial(told_to_end, tmp_path), ROWS, forked(), recheck=False)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (tmp_path / "told").exists()


def counts(draw: Draw, rows: Sequence[int]) -> Any:
    return rows.count(0) + draw(discrete_laplace(2))


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("helpers", [InThisProcess, pytest.param(forked, marks=pytest.mark.deep)])
def test_other_shares_of_the_noise_are_shared_out_alike(helpers: Callable[[], Helpers]) -> None:
    """Laws that others find are those with as much of the noise as is asked for."""
    alone, helped = (checked(counts, ROWS, Workplace(who), recheck=False) for who in (None, helpers()))
    found = with_each_multiplier(alone)
    assert [one.verdict for one in found[:4]] == [Status.PROVED, Status.PROVED, Status.PROVED, Status.PROVED]
    assert found[4].verdict is Status.REFUTED and with_each_multiplier(helped) == found


@pytest.mark.usefixtures("soon")
def test_of_orbits_nobody_is_asked_for_laws() -> None:
    """They have few databases, and a law of one is that of another one, moved."""
    wrapped = symmetric(most_common, under=relabellings(range(3)))
    refusing = Workplace(Refusing())
    found = checked(wrapped, Multisets(range(3), size=6), refusing, recheck=False)
    assert found.status is Status.PROVED and "one pair decided for all" in found.scope


class Refusing(InThisProcess):
    """Nobody is to ask them."""

    def worked(self, *_: Any) -> Answers:
        raise AssertionError("nobody is to be asked")
        yield


def test_what_is_short_is_not_shared_out() -> None:
    assert said(most_common, ROWS, Refusing()) == said(most_common, ROWS, None)


@pytest.mark.parametrize(("each", "processes"), [(0.001, 2), (0.001, 16), (0.3, 2), (3.0, 4), (100.0, 4), (0.0, 2)])
def test_blocks_hold_every_position_once(each: float, processes: int) -> None:
    positions = range(7, 10_007) if each < 1 else range(7, 107)
    blocks = sharing._cut(positions, each, processes)
    assert [i for block in blocks for i in block] == list(positions)
    if each:
        assert all(len(block) * each <= 60 or len(block) == 1 for block in blocks)
        assert all(len(block) * each >= 0.7 or block is blocks[-1] for block in blocks)
