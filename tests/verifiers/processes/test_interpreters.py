"""Tasks that another interpreter does, each in a process of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dpverify.verifiers.processes import interpreters
from dpverify.verifiers.processes.interpreters import Interpreter, Prepared, done_in_a_process

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are clusters where there is a fork")

HERE = "tests.verifiers.processes.test_interpreters"


def answers(argument: bytes) -> Prepared:
    return lambda: argument


def dies_once(folder: bytes) -> Prepared:
    def run() -> bytes:
        marker = Path(folder.decode()) / "died"
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return b"again"

    return run


def test_an_interpreter_goes_on_with_the_next_task(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Interpreter] = []
    monkeypatch.setattr(interpreters, "_free", started)
    first = None
    for i in range(3):
        content = bytes([i]) * (1 << 20)
        assert done_in_a_process(f"{HERE}:{answers.__name__}", content) == content
        first = first or started[0]
        assert started == [first]
    started.pop().end()


def test_a_task_that_is_killed_is_done_anew(tmp_path: Path) -> None:
    assert done_in_a_process(f"{HERE}:{dies_once.__name__}", os.fsencode(tmp_path)) == b"again"


@pytest.mark.deep
def test_none_is_left_running_when_the_process_ends() -> None:
    """Else Python would say so, as it ends, where it is asked to warn."""
    code = f"""
from dpverify.verifiers.processes import interpreters
assert interpreters.done_in_a_process("{HERE}:answers", b"a") == b"a"
(left,) = interpreters._free
print(left._process.pid)
"""
    ended = subprocess.run([sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(ended.stdout), 0)


def test_a_forked_process_ends_none_of_the_one_it_was_forked_from() -> None:
    one = Interpreter()
    try:
        child = os.fork()
        if not child:
            one.end()
            os._exit(0)
        os.waitpid(child, 0)
        assert one.done(f"{HERE}:answers", b"a") == b"a"
    finally:
        one.end()
