"""Workers: what one does to its process costs the task it is at, and nothing outlives the parent."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any
from weakref import WeakValueDictionary

import pytest

from dpverify.mechanisms.drawing.enumerator import distribution
from dpverify.mechanisms.functions.places import place_during
from dpverify.mechanisms.numbers.errors import Overtime, Undecided
from dpverify.verifiers.processes.deadline import Deadline
from dpverify.verifiers.processes.stopwatch import (
    SharedWatch,
    Stage,
    pause,
    refuse_overtime,
    stopwatch,
    tell_stage,
    time_of_all,
    watched_signs,
)
from dpverify.verifiers.processes.workers import INTERRUPTED, ClaimsRun, IdleProcesses, Lost, in_a_worker, interruptions


def named(i: int) -> bytes:
    return f"{i}".encode()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_results_come_in_the_order_of_the_tasks(jobs: int) -> None:
    assert list(ClaimsRun(7, named, jobs).outcomes()) == [named(i) for i in range(7)]
    assert list(ClaimsRun(0, named, jobs).outcomes()) == []


def test_long_results_arrive_whole() -> None:
    sizes = [0, 1, 2**16, 2**16 + 1, 3 * 2**20]
    assert list(ClaimsRun(len(sizes), lambda i: bytes([i]) * sizes[i], 2).outcomes()) == [
        bytes([i]) * size for i, size in enumerate(sizes)
    ]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("status", [0, 1, 3])
def test_a_worker_that_ends_itself_costs_its_task_alone(jobs: int, status: int) -> None:
    def work(i: int) -> bytes:
        if i == 1:
            os._exit(status)
        return named(i)

    lost = Lost(f"the process that decided it ended with status {status}: does the mechanism end it?")
    assert list(ClaimsRun(4, work, jobs).outcomes()) == [b"0", lost, b"2", b"3"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGUSR1])
def test_what_a_signal_ends_is_tried_once_more(tmp_path: Path, number: signal.Signals) -> None:
    def work(i: int) -> bytes:
        marker = tmp_path / str(i)
        if i == 2 or (i == 0 and not marker.exists()):
            marker.touch()
            os.kill(os.getpid(), number)
        return named(i)

    lost = Lost(f"the process that decided it ended by signal {number.value}, twice")
    assert list(ClaimsRun(4, work, 2).outcomes()) == [b"0", b"1", lost, b"3"]


def test_no_task_sees_what_another_left_behind() -> None:
    seen: list[int] = []

    def work(i: int) -> bytes:
        seen.append(i)
        return bytes(seen)

    assert list(ClaimsRun(3, work, 2).outcomes()) == [b"\x00", b"\x01", b"\x02"]
    assert seen == []


def test_a_child_of_a_worker_answers_nothing() -> None:
    def work(i: int) -> bytes:
        child = os.fork()
        if child:
            os.waitpid(child, 0)
        return f"{i} {bool(child)}".encode()

    assert list(ClaimsRun(2, work).outcomes()) == [b"0 True", b"1 True"]


def test_a_worker_knows_that_it_is_one() -> None:
    assert list(ClaimsRun(1, lambda i: b"yes" if in_a_worker() else b"no").outcomes()) == [b"yes"]
    assert not in_a_worker()


def test_an_exception_in_a_worker_is_a_lost_task() -> None:
    def work(i: int) -> bytes:
        raise RuntimeError(i)

    (lost,) = ClaimsRun(1, work).outcomes()
    assert isinstance(lost, Lost)
    assert "ended with status 1" in lost.reason


def test_time_for_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that stands still until the first is decided."""
    now = [100.0]
    monkeypatch.setattr("dpverify.verifiers.processes.workers.time", SimpleNamespace(monotonic=lambda: now[0]))

    def work(i: int) -> bytes:
        if i:
            signal.pause()
        return named(i)

    def look(in_hand: Mapping[int, Stage | None], done: int) -> None:
        now[0] += done

    run = ClaimsRun(4, work, jobs=2, timeout=2, on_wait=look)
    assert list(run.outcomes()) == [b"0", *[Lost("the time of 2 s (--timeout) was up")] * 3]
    assert not run.interrupted


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_the_rest(number: signal.Signals) -> None:
    """The signal comes to the parent, as from a terminal, while a worker is at its task."""
    parent = os.getpid()
    before = signal.signal(number, signal.SIG_DFL)  # a job in the background ignores SIGINT

    def work(i: int) -> bytes:
        if i == 1:
            os.kill(parent, number)
            signal.pause()
        return named(i)

    run = ClaimsRun(3, work)
    try:
        assert list(run.outcomes()) == [b"0", Lost(INTERRUPTED), Lost(INTERRUPTED)]
        assert run.interrupted
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)


class Worker:
    """Whether the process runs that is at the task; kept in a file, since that process writes it."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "worker"

    def pauses(self, i: int) -> bytes:
        self._file.write_text(str(os.getpid()))
        signal.pause()
        return named(i)

    @property
    def runs(self) -> bool:
        try:
            os.kill(int(self._file.read_text()), 0)
        except (FileNotFoundError, ValueError, ProcessLookupError):
            return False
        return True


@pytest.fixture
def worker(tmp_path: Path) -> Worker:
    return Worker(tmp_path)


@pytest.fixture
def heard(worker: Worker) -> Iterator[list[tuple[int, bool]]]:
    """The signals that come to this process, with whether the worker runs then; they do nothing else to it."""
    came: list[tuple[int, bool]] = []

    def hear(number: int, frame: FrameType | None) -> None:
        came.append((number, worker.runs))

    before = {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
    yield came
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("sent", "passed_on", "raises"),
    [
        ([signal.SIGTERM], signal.SIGTERM, False),
        ([signal.SIGTERM] * 3, signal.SIGTERM, False),
        ([signal.SIGINT], signal.SIGINT, False),
        ([signal.SIGINT, signal.SIGTERM], signal.SIGTERM, False),
        ([signal.SIGINT] * 2, signal.SIGINT, True),
        ([signal.SIGTERM, signal.SIGINT], signal.SIGTERM, True),
    ],
)
def test_a_signal_that_is_passed_on_comes_once_more_when_no_worker_is_left(
    worker: Worker, heard: list[tuple[int, bool]], sent: list[int], passed_on: int, raises: bool
) -> None:
    """A pool sends SIGTERM twice to those that it ends, and takes any exception for a result; Ctrl-C may raise."""

    def send(in_hand: Mapping[int, Stage | None], done: int) -> None:
        if worker.runs:
            for number in sent:
                os.kill(os.getpid(), number)

    found: list[bytes | Lost] | None = None
    with suppress(KeyboardInterrupt):
        found = list(ClaimsRun(1, worker.pauses, on_wait=send, pass_on=True).outcomes())
    assert found == (None if raises else [Lost(INTERRUPTED)])
    assert heard == [(passed_on, False)]


def test_a_signal_is_passed_on_where_nobody_asks_for_the_rest(worker: Worker, heard: list[tuple[int, bool]]) -> None:
    run = ClaimsRun(2, lambda i: worker.pauses(i) if i else b"0", 2, pass_on=True)
    with closing(run.outcomes()) as outcomes:
        assert next(outcomes) == b"0"
        os.kill(os.getpid(), signal.SIGTERM)
        assert heard == []
    assert heard == [(signal.SIGTERM, False)]


@pytest.mark.parametrize("pass_on", [False, True])
def test_a_signal_in_the_last_moment_leaves_nothing_caught(
    heard: list[tuple[int, bool]], monkeypatch: pytest.MonkeyPatch, pass_on: bool
) -> None:
    """One that comes while those are put back that are to hear it."""
    as_it_is = signal.signal

    def late(number: int, handler: Any) -> Any:
        os.kill(os.getpid(), signal.SIGTERM)
        return as_it_is(number, handler)

    before = signal.getsignal(signal.SIGTERM)
    with suppress(KeyboardInterrupt), interruptions(pass_on):
        os.kill(os.getpid(), signal.SIGTERM)
        monkeypatch.setattr(signal, "signal", late)
    monkeypatch.undo()
    assert signal.getsignal(signal.SIGTERM) is before
    assert heard == [(signal.SIGTERM, False)] * pass_on


def test_time_for_each_of_them() -> None:
    """What takes longer is ended, and costs its task alone."""

    def work(i: int) -> bytes:
        while i == 1:
            pass
        return named(i)

    lost = Lost("it took longer than it may", out_of_patience=True)
    patience = {0: 100.0, 1: 0.1, 2: 100.0}
    assert list(ClaimsRun(3, work, 2, patience=patience.__getitem__).outcomes()) == [b"0", lost, b"2"]


def test_a_thread_can_decide_as_well() -> None:
    found: list[bytes | Lost] = []
    thread = threading.Thread(target=lambda: found.extend(ClaimsRun(3, named, 2).outcomes()))
    thread.start()
    thread.join()
    assert found == [b"0", b"1", b"2"]


def test_without_fork_all_is_decided_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert list(ClaimsRun(3, lambda i: str(os.getpid()).encode(), 2).outcomes()) == [str(os.getpid()).encode()] * 3

    def interrupts(i: int) -> bytes:
        if i == 1:
            raise KeyboardInterrupt
        return named(i)

    run = ClaimsRun(3, interrupts)
    assert list(run.outcomes()) == [b"0", Lost(INTERRUPTED), Lost(INTERRUPTED)]
    assert run.interrupted
    assert list(ClaimsRun(2, named, timeout=1e-9).outcomes()) == [Lost("the time of 1e-09 s (--timeout) was up")] * 2


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a worker ends when it asks for its next task")
def test_no_worker_survives_its_parent(tmp_path: Path) -> None:
    script = (
        "import os, signal\nfrom pathlib import Path\nfrom dpverify.verifiers.processes.workers import ClaimsRun\n"
        "def work(i):\n    Path(f'pid-{os.getpid()}').touch()\n    signal.pause()\n"
        "list(ClaimsRun(2, work, 2).outcomes())\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path) as running:
        while len(list(tmp_path.glob("pid-*"))) < 2:
            with suppress(subprocess.TimeoutExpired):  # it takes a core to look again and again
                running.wait(0.02)
            assert running.poll() is None
        running.kill()
    for path in tmp_path.glob("pid-*"):
        state = Path("/proc") / path.name.removeprefix("pid-") / "stat"
        # the kernel takes a moment
        assert any(not _runs(state) for _ in range(100_000)), path.name


def _runs(state: Path) -> bool:
    try:
        return state.read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def test_a_watch_is_shared() -> None:
    watch = SharedWatch()
    assert (watch.until, watch.message) == (None, "")
    child = os.fork()
    if not child:
        watch.until = Deadline(2.5, 12.5)
        watch.message = "ε" * 5_000
        os._exit(0)
    os.waitpid(child, 0)
    assert watch.until == Deadline(2.5, 12.5)
    watch.until = None
    assert watch.until is None
    assert set(watch.message.rstrip("\ufffd")) == {"ε"}
    watch.message = ""
    assert watch.message == ""
    watch.close()


def test_whoever_waits_sees_how_far_a_worker_is() -> None:
    """The first task goes on once that was seen; the second says nothing, and nothing of the first is said of it."""
    goes_on, go_on = os.pipe()
    seen: list[dict[int, Stage | None]] = []

    def work(i: int) -> bytes:
        if i == 0:
            tell_stage(2, 5, 1.5)
            os.read(goes_on, 1)
            tell_stage(5, 5, 1.5)
        return named(i)

    def look(in_hand: Mapping[int, Stage | None], done: int) -> None:
        seen.append(dict(in_hand))
        if in_hand.get(0) is not None:
            os.write(go_on, b"!")

    assert list(ClaimsRun(2, work, on_wait=look).outcomes()) == [b"0", b"1"]
    stages = {(task, stage) for hands in seen for task, stage in hands.items()}
    assert (0, Stage(2, 5, 1.5)) in stages
    assert stages <= {(0, Stage(2, 5, 1.5)), (0, None), (1, None)}
    os.close(goes_on)
    os.close(go_on)
    tell_stage(1, 2, 0.0)  # nobody waits for this process


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        (Stage(0, 4_000, 10.0), "0 of 4,000 pairs"),
        (Stage(1_000, 4_000, 20.0), "1,000 of 4,000 pairs"),
        (Stage(1_000, 4_000, 10.0), "1,000 of 4,000 pairs, about 30 s left"),
        (Stage(3_000, 4_000, 8.0), "3,000 of 4,000 pairs, about 4 s left"),
    ],
)
def test_what_is_left_is_estimated_from_what_is_done(stage: Stage, said: str) -> None:
    assert stage.said(20.0) == said


def test_an_interruption_that_is_swallowed_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpverify.verifiers.processes.stopwatch._LONGEST", 0.01)
    monkeypatch.setattr("dpverify.verifiers.processes.deadline.TIMES_BY_THE_CLOCK", 1)
    monkeypatch.setattr("dpverify.verifiers.processes.stopwatch._AGAIN", 0.01)
    swallowed = 0

    def stubborn() -> None:
        nonlocal swallowed
        while swallowed < 3:
            try:
                signal.pause()
            except BaseException:
                swallowed += 1
        signal.pause()

    with (
        pytest.raises(Overtime, match=r"it wait, or is the machine busy\? .*; it may not end"),
        stopwatch(stubborn, 5) as restart,
    ):
        restart((1,))
        stubborn()
    assert swallowed == 3
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


class Times:
    """What the clock shows, and how long a processor has worked: the test says."""

    def __init__(self) -> None:
        self.clock = self.processor = 100.0

    def monotonic(self) -> float:
        return self.clock

    def process_time(self) -> float:
        return self.processor


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> Times:
    now = Times()
    for name in ("stopwatch", "deadline"):
        monkeypatch.setattr(f"dpverify.verifiers.processes.{name}.time", now)
    return now


def rung() -> tuple[float, float]:
    """The timer, after it has rung."""
    signal.raise_signal(signal.SIGALRM)
    return signal.getitimer(signal.ITIMER_REAL)


def test_every_database_has_the_whole_time_of_a_timer_that_is_set_once(times: Times) -> None:
    with (
        pytest.raises(Overtime, match=r"not known after 50 s of a processor .*; it may not end"),
        stopwatch(named, 50) as restart,
    ):
        restart((1,))
        times.processor = times.clock = 140.0
        restart((2,))
        times.processor = times.clock = 150.0  # when the time of the first one would be up
        left, again = rung()
        assert 30 < left <= 40
        assert again > 0
        pause()
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        restart((2,))
        assert 40 < signal.getitimer(signal.ITIMER_REAL)[0] <= 50
        times.processor = 199.9
        rung()
        times.processor = 200.0  # and not before
        rung()
        pytest.fail("it went on")
    assert times.processor == 200.0
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_databases_that_follow_at_once_have_the_whole_time_as_well(times: Times) -> None:
    """How long the process has worked is not asked for again so soon: it is taken to have worked since it was."""
    with pytest.raises(Overtime, match=r"named on \(2,\) was"), stopwatch(named, 50) as restart:
        restart((1,))
        times.clock = times.processor = 100.0005
        restart((2,))
        times.processor = 150.0004
        rung()
        times.processor = 150.0006
        rung()
        pytest.fail("it went on")


def test_what_others_do_on_the_machine_costs_a_mechanism_nothing(times: Times) -> None:
    """It has had a tenth of a processor, and is stopped when its own time is up; the timer looks at what is left."""
    with pytest.raises(Overtime, match="after 50 s of a processor"), stopwatch(named, 50) as restart:
        restart((1,))
        times.clock, times.processor = 590.0, 149.0
        assert 0 < rung()[0] <= 1
        times.clock, times.processor = 595.0, 150.0
        rung()
        pytest.fail("it went on")


def test_what_waits_has_ten_times_as_long_by_the_clock(times: Times) -> None:
    said = r"after 500 s by the clock, 10 times the limit, in which it computed for 0\.5 s: does it wait, .*\? \(.*\)"
    with pytest.raises(Overtime, match=said), stopwatch(named, 50) as restart:
        restart((1,))
        times.clock, times.processor = 590.0, 100.5
        assert 5 < rung()[0] <= 10
        times.clock = 600.0
        rung()
        pytest.fail("it went on")


class _RingsWhenForgotten:
    """A key of a weak dictionary, of which the hash is asked for when its value is gone."""

    def __init__(self) -> None:
        self.rung: list[float] = []
        self.is_kept = False

    def __hash__(self) -> int:
        if self.is_kept:
            self.rung.append(rung()[0])
        return 7


def test_an_interruption_in_a_callback_of_a_weak_reference_is_put_off(
    times: Times, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There Python would show it on stderr, and let nobody catch it."""
    shown: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", shown.append)
    key, kept = _RingsWhenForgotten(), WeakValueDictionary[Any, Any]()
    value = kept[key] = type("Value", (), {})()
    key.is_kept = True
    with pytest.raises(Overtime, match="after 50 s of a processor"), stopwatch(named, 50) as restart:
        restart((1,))
        times.processor = 150.0
        del value
        assert len(key.rung) == 1 and 0 < key.rung[0] <= 1e-3
        rung()
        pytest.fail("it went on")
    assert shown == []


def test_all_runs_together_have_one_time(times: Times) -> None:
    with time_of_all(500, 460.0, "whether it is private", "claim less"):
        refuse_overtime()
        with time_of_all(5_000, 0.0, "whether a part is", "claim less of it"), watched_signs(named):
            assert 30 < signal.getitimer(signal.ITIMER_REAL)[0] <= 40
        with (
            pytest.raises(Overtime, match=r"whether it is private was not known after 500 s of a processor.*: claim l"),
            stopwatch(named, 50) as restart,
        ):
            restart((1,))
            times.processor = 139.0
            assert 0 < rung()[0] <= 1
            times.processor = 140.0
            rung()
            pytest.fail("it went on")
        with pytest.raises(Undecided, match="whether it is private was not known after 500 s of a processor: claim l"):
            refuse_overtime()
    refuse_overtime()


def test_a_timer_that_rings_early_does_not_ring_at_once_again(times: Times) -> None:
    with stopwatch(named, 50) as restart:
        restart((1,))
        times.processor = 149.9999999
        assert rung()[0] > 1e-4
        times.processor = 100.0


def test_a_deadline_of_another_process_is_seen_from_outside() -> None:
    """By its own processor time where the system tells that, whatever the clock shows; and by the clock."""
    begun, begin = os.pipe()
    child = os.fork()
    if not child:
        while time.process_time() < 0.2:
            pass
        os.write(begin, b"!")
        signal.pause()
    os.read(begun, 1)
    now = time.monotonic()
    try:
        seen = sys.platform == "linux"
        assert Deadline(0.05, now + 1_000).is_past(child, 0.1) is seen
        assert not Deadline(0.15, now + 1_000).is_past(child, 100)
        assert not Deadline(1_000, now + 1_000).is_past(child, 0)
        assert Deadline(1_000, now - 2).is_past(child, 1)
        assert not Deadline(1_000, now - 2).is_past(child, 1_000)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(begun)
        os.close(begin)
    assert not Deadline(0.0, time.monotonic() + 1_000).is_past(child, 0)  # which is gone


def calls_what_does_not_end(draw: Any, rows: Any) -> Any:
    return does_not_end()


def does_not_end() -> Any:
    while True:
        pass


def test_the_line_where_it_was_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The innermost one of the mechanism's; of one in this library none of whoever called it."""
    monkeypatch.setattr("dpverify.verifiers.processes.stopwatch._LONGEST", 1)  # to read this file takes longer than 0.1
    first = does_not_end.__code__.co_firstlineno
    with pytest.raises(Overtime, match="of a processor") as error, stopwatch(calls_what_does_not_end, 5) as restart:
        restart((1,))
        distribution(calls_what_does_not_end, (1,))
    assert (
        str(error.value)
        .partition("; ")[0]
        .endswith(
            (f"(tests/verifiers/processes/test_workers.py, line {first + 1})", f"test_workers.py, line {first + 2})")
        )
    )
    here = sys._getframe()
    assert place_during(here, len, __name__) is None
    found = place_during(here, len, "dpverify.verifiers.")
    assert found is not None and found.line == here.f_lineno - 1


@pytest.mark.parametrize("before", [0, 200])
def test_a_timer_that_a_mechanism_has_set_or_stopped_is_set_again(before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, and after many databases when they have taken a moment, which here is none."""
    with stopwatch(named, 50) as restart:
        for _ in range(before):
            restart((0,))
        if before:
            monkeypatch.setattr("dpverify.verifiers.processes.stopwatch._OFTEN", -1.0)
        for own in (0.0, 1000.0):
            restart((1,))
            signal.setitimer(signal.ITIMER_REAL, own)
            restart((2,))
            assert 40 < signal.getitimer(signal.ITIMER_REAL)[0] <= 50


@pytest.mark.parametrize("goes_on", [True, False])
def test_who_goes_on_after_an_interruption_is_over_time(goes_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it gave in place of what it would have given is not looked at."""
    monkeypatch.setattr("dpverify.verifiers.processes.stopwatch._LONGEST", 0.01)
    monkeypatch.setattr("dpverify.verifiers.processes.deadline.TIMES_BY_THE_CLOCK", 1)
    with (
        pytest.raises(Overtime, match=r"it wait, or is the machine busy\? .*; it may not end"),
        stopwatch(named, 5) as restart,
    ):
        restart((1,))
        with suppress(BaseException):
            signal.pause()
        if goes_on:
            restart((2,))
            pytest.fail("it was begun")


def test_tasks_are_begun_in_another_order_and_given_out_in_theirs(tmp_path: Path) -> None:
    def work(i: int) -> bytes:
        (tmp_path / str(i)).touch()
        return str(len(list(tmp_path.iterdir()))).encode()

    assert list(ClaimsRun(3, work, order=[2, 0, 1]).outcomes()) == [b"2", b"3", b"1"]


def test_how_many_work_may_change_meanwhile() -> None:
    asked: list[int] = []

    def jobs() -> int:
        asked.append(1)
        return 1 + len(asked) % 3

    assert list(ClaimsRun(9, named, jobs).outcomes()) == [named(i) for i in range(9)]
    assert len(asked) > 2


def test_the_last_workers_are_told_what_idles(tmp_path: Path) -> None:
    """Of five jobs the last of three tasks has all, once the others are done; before that they share them."""
    idle = IdleProcesses()

    def work(i: int) -> bytes:
        seen = [idle.share]
        while i == 2 and seen[-1] != 5:
            if idle.share != seen[-1]:
                seen.append(idle.share)
        return " ".join(map(str, seen)).encode()

    *_, last = ClaimsRun(3, work, jobs=5, idle=idle).outcomes()
    assert isinstance(last, bytes)
    shares = list(map(int, last.split()))
    assert (shares[-1], shares) == (5, sorted(shares))


def test_nobody_idles_while_something_is_left() -> None:
    idle = IdleProcesses()
    found = list(ClaimsRun(6, lambda i: str(idle.share).encode(), jobs=1, idle=idle).outcomes())
    assert found == [b"1"] * 6
