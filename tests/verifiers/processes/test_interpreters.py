"""Tasks that another interpreter does, each in a process of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from dpverify.verifiers.processes.interpreters import LOADED, Interpreter, Prepared, answer_in_a_fork
from dpverify.verifiers.processes.workers import Lost

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are clusters where there is a fork")

HERE = "tests.verifiers.processes.test_interpreters"


@contextmanager
def loads(message: bytes) -> Iterator[Prepared]:
    """A text is its own answer; a folder is one in which the first process dies; nothing cannot be loaded."""
    if not message:
        raise ValueError("nothing")

    def work() -> bytes:
        marker = Path(os.fsdecode(message)) / "died"
        if message.startswith(b"/") and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if message == b"dies":
            os._exit(3)
        return message

    yield partial(answer_in_a_fork, work)


@pytest.fixture
def one() -> Iterator[Interpreter]:
    made = Interpreter(f"{HERE}:loads")
    yield made
    made.end()


def answered(one: Interpreter, message: bytes) -> bytes | Lost | str:
    with one.asked(message) as connection:
        said = connection.recv_bytes()
        answer: bytes | Lost = connection.recv() if said == LOADED else b""
        return answer if said == LOADED else said.decode()


def test_an_interpreter_goes_on_whatever_becomes_of_a_task(one: Interpreter, tmp_path: Path) -> None:
    for i in range(1, 3):
        content = bytes([i]) * (1 << 20)
        assert answered(one, content) == content
        assert answered(one, b"") == "ValueError: nothing"
        assert answered(one, b"dies") == Lost(
            "the process that decided it ended with status 3: does the mechanism end it?"
        )
    folder = os.fsencode(tmp_path)
    assert answered(one, folder) == folder, "what is killed is done anew"
    assert (tmp_path / "died").exists()


def test_several_are_asked_at_once(one: Interpreter) -> None:
    connections = [one.asked(message) for message in (b"a", b"b", b"c")]
    assert [(each.recv_bytes(), each.recv()) for each in reversed(connections)] == [
        (LOADED, message) for message in (b"c", b"b", b"a")
    ]


def test_a_forked_process_asks_it_and_does_not_end_it(one: Interpreter) -> None:
    child = os.fork()
    if not child:
        asked = answered(one, b"a") == b"a"
        one.end()
        os._exit(0 if asked else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert answered(one, b"a") == b"a"


@pytest.mark.deep
def test_none_is_left_running_when_the_process_ends() -> None:
    """Else Python would say so, as it ends, where it is asked to warn."""
    code = f"""
from dpverify.verifiers.processes.interpreters import Interpreter
one = Interpreter("{HERE}:loads")
with one.asked(b"a") as connection:
    assert connection.recv_bytes() and connection.recv() == b"a"
print(one.process.pid)
"""
    ended = subprocess.run([sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(ended.stdout), 0)
