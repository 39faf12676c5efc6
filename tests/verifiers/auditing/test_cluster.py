"""Audits on a cluster: the same bytes as on one machine, after kills too, and one error before anything is decided."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.verifiers.auditing.origins import but_for_origins, origins
from tests.verifiers.divergence.parallel.sharing_cases import said, soon
from tests.verifiers.problems.questions.sharing_mechanisms import ROWS, late_end, late_error, most_common

from dpverify.mechanisms import InputError, Limits
from dpverify.reports.audits.summary import headline
from dpverify.reports.formats.rendering import render
from dpverify.verifiers import Claim, Multisets, audit
from dpverify.verifiers.auditing import cluster
from dpverify.verifiers.auditing.claim_files import load_claims
from dpverify.verifiers.claims import AnyClaim, How, with_limits
from dpverify.verifiers.divergence.finite import scanned_in_parts
from dpverify.verifiers.divergence.parallel import work_elsewhere
from dpverify.verifiers.divergence.parallel.executors import ExecutorHelpers
from dpverify.verifiers.divergence.parallel.work_elsewhere import AnswerElsewhere, answer_of, worked
from dpverify.verifiers.locations import Reference
from dpverify.verifiers.processes.versions import differences, versions

__all__ = ["soon"]

CLAIMS = """
from dpverify.mechanisms import bernoulli, exponential
from dpverify.verifiers import Claim, Multisets

weigh = lambda rows, x: rows.count(x)  # what no pickle takes

def part(draw, n, *, epsilon):
    return draw(exponential({0: n, 1: 0}, epsilon))

def most(draw, rows, *, epsilon, weigh):
    return draw(part, rows.count(0), epsilon=epsilon / 2), draw(exponential({x: weigh(rows, x) for x in range(4)}, epsilon / 2))

def fails(draw, rows):
    raise RuntimeError(rows)

def claim(name, mechanism, size, **given):
    return Claim(id=name, mechanism=mechanism, domain=Multisets(range(5), size=size), epsilon=1, source="test", **given)

claims = [
    claim("cluster.long", most, LONG, parameters={"weigh": weigh}),
    claim("cluster.refuted", lambda draw, rows: rows.count(0) if draw(bernoulli("1/3")) else 0, 2),
    claim("cluster.not-decided", fails, 2),
    claim("cluster.short", most, 2, parameters={"weigh": weigh}, mutant=lambda draw, rows, *, epsilon, weigh: rows),
]
"""


@pytest.fixture
def claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[AnyClaim]]:
    monkeypatch.chdir(tmp_path)
    yield from of_a_file(tmp_path, 3)


def of_a_file(folder: Path, long: int) -> Iterator[list[AnyClaim]]:
    path = list(sys.path)
    (folder / "claims_of_a_cluster.py").write_text(CLAIMS.replace("LONG", str(long)))
    yield load_claims(folder / "claims_of_a_cluster.py")
    del sys.modules["claims_of_a_cluster"]
    sys.path[:] = path


def in_all_formats(claims: list[AnyClaim], **given: Any) -> list[str]:
    record = audit(claims, **given)
    assert set(origins(record)) == {"another worker" if "scheduler" in given else "decided"}
    record = but_for_origins(record)
    return [render(record, suffix) for suffix in (".json", ".md", ".html")]


# --- Without a cluster


class InThreads:
    """A cluster of threads of this process, as a client of one has it."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1)

    def submit(self, function: Any, *arguments: bytes, **_: Any) -> Any:
        return self._pool.submit(function, *arguments)

    def cancel(self, futures: list[Any]) -> None:
        self._pool.shutdown()


def test_a_claim_is_decided_by_another_interpreter_as_it_is_here(
    claims: list[AnyClaim], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a thread of a worker does with a claim that it is sent."""
    monkeypatch.setattr(cluster, "connected", lambda address: nullcontext(InThreads()))
    record = audit(claims, scheduler="tcp://threads:1")
    assert [(claim.id, claim.origin) for claim in record.claims] == [
        (f"cluster.{name}", "another worker") for name in ("long", "refuted", "short")
    ]
    assert headline(record).endswith("(3 by another worker)")
    (row,) = record.not_decided
    assert "fails on (0, 0) raised RuntimeError: (0, 0)" in row.reason


def test_another_file_of_claims_is_named(claims: list[AnyClaim], tmp_path: Path) -> None:
    packet, (message, *_) = cluster.claims_sent(claims, How())
    (tmp_path / "claims_of_a_cluster.py").write_text("changed = 1")
    with ThreadPoolExecutor(1) as pool:
        answer = answer_of(pool.submit(worked, message, packet))
    _, reason = msgspec.msgpack.decode(answer.found or b"")
    assert "has not the same" in reason and "claims_of_a_cluster.py: have the files of claims" in reason


def test_other_versions_are_refused_there(claims: list[AnyClaim], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_elsewhere, "versions", lambda: {**versions(), "python-flint": "0.1"})
    packet, (message, *_) = cluster.claims_sent(claims, How())
    answer = msgspec.msgpack.decode(worked(message, packet), type=AnswerElsewhere)
    assert "runs python-flint 0.1 (here" in answer.refused


def test_versions_that_differ_are_all_named() -> None:
    assert differences(versions()) == []
    others = dict.fromkeys(versions(), "?")
    del others["numpy"]
    assert [text.split()[0] for text in differences(others)] == list(versions())
    assert f"numpy is missing (here {versions()['numpy']})" in differences(others)


def test_a_claim_that_stands_nowhere_is_named(claims: list[AnyClaim]) -> None:
    lost = Claim(id="nowhere", mechanism=lambda draw, rows: 0, domain=Multisets((0, 1), size=1), epsilon=1)
    with pytest.raises(InputError, match="nowhere cannot be sent to another process"):
        cluster.claims_sent([*claims, lost], How())


def test_a_mechanism_that_is_checked_is_sent_with_what_can_be_pickled() -> None:
    """Of `check MODULE:FUNCTION` the function is found by its name, and all else travels."""
    given = Claim(id="f", mechanism=lambda draw, rows: 0, domain=Multisets((0, 1), size=1), epsilon=1)
    given.stands_at(Reference(None, "m:f"))
    assert len(cluster.claims_sent([given], How())[1]) == 1
    copy = with_limits(Claim(id="f", mechanism=len, neighbours=lambda x: [], domain=[0], epsilon=1), None)
    copy.stands_at(Reference(None, "m:f"))
    with pytest.raises(InputError, match=r"f cannot be sent to another process \(Can't (pickle|get)"):
        cluster.claims_sent([copy], How())


def test_no_scheduler_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_CONNECTING", 0.2)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{closed.getsockname()[1]}"
        with (
            pytest.raises(InputError, match=f"--scheduler {address}: no scheduler answers there .* `dask scheduler`"),
            cluster.connected(address),
        ):
            pass
    with (
        pytest.raises(InputError, match="--scheduler nonsense://x: no scheduler answers there"),
        cluster.connected("nonsense://x"),
    ):
        pass


def test_the_extra_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(InputError, match="--scheduler: distributed is needed, and is not installed"),
        cluster.connected("tcp://127.0.0.1:1"),
    ):
        pass


# --- On a cluster of this machine


@pytest.fixture(scope="module")
def distributed() -> Any:
    """The package, which takes a while to load, where a cluster is made."""
    return pytest.importorskip("distributed", reason="the extra [distributed] is not installed")


@pytest.fixture(scope="module")
def local(distributed: Any) -> Iterator[Any]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None) as made:
        yield made


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore")  # of what Dask does to its own processes
def test_a_cluster_finds_the_same_bytes_after_a_kill_too(
    local: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for claims in of_a_file(tmp_path, 10):
        alone = in_all_formats(claims, jobs=1)
        assert in_all_formats(claims, scheduler=local.scheduler_address) == alone

        def kill() -> None:
            while not list(local.scheduler.tasks):
                time.sleep(0.01)
            time.sleep(1.5)
            os.kill(next(iter(local.workers.values())).pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        assert in_all_formats(claims, scheduler=local.scheduler_address) == alone
        killer.join()


@pytest.mark.deep
@pytest.mark.usefixtures("soon")
@pytest.mark.filterwarnings("ignore")
def test_the_executor_of_a_cluster_helps_a_check(distributed: Any, local: Any) -> None:
    with distributed.Client(local) as client:
        for mechanism in (most_common, late_error):
            helpers = ExecutorHelpers(client.get_executor(), mechanism, {})
            assert said(mechanism, ROWS, helpers) == said(mechanism, ROWS, None)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scanned_in_parts, "STEPS_AT_ONCE", 150)
            helpers = ExecutorHelpers(client.get_executor(), most_common, {})
            assert said(most_common, ROWS, helpers) == said(most_common, ROWS, None)
        text, *_ = said(late_end, ROWS, ExecutorHelpers(client.get_executor(), late_end, {}), limits=Limits(seconds=1))
    assert "late_end on (0, 2, 2, 2) was not known after 1 s of a processor" in " ".join(text.split())


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore")
def test_a_worker_without_the_package_is_named_before_anything_is_sent(
    distributed: Any, claims: list[AnyClaim]
) -> None:
    with distributed.LocalCluster(n_workers=0, processes=True, dashboard_address=None) as empty:
        with pytest.raises(InputError, match="it has no workers: start some with `dask worker tcp://"):
            audit(claims, scheduler=empty.scheduler_address)
        code = (
            "import sys; sys.modules['dpverify'] = None; from distributed.cli.dask_worker import main; "
            f"main(['{empty.scheduler_address}', '--no-nanny', '--no-dashboard', '--death-timeout', '60'])"
        )
        with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as worker:
            try:
                with distributed.Client(empty) as client:
                    client.wait_for_workers(1, timeout=60)
                with pytest.raises(InputError, match=r"it cannot load dpverify .*install the same"):
                    audit(claims, scheduler=empty.scheduler_address)
            finally:
                worker.kill()
