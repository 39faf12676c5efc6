"""Tasks that another interpreter does, and has parts of done elsewhere: as many of these as it waits for."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from dpverify.verifiers.processes import interpreters
from dpverify.verifiers.processes.interpreters import AskOthers, Interpreter, Prepared, done_in_a_process
from dpverify.verifiers.processes.workers import Lost

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are clusters where there is a fork")

HERE = "tests.verifiers.processes.test_interpreters"


class Elsewhere:
    """Whoever has parts done: how many were made, and how many times nobody wanted more."""

    def __init__(self) -> None:
        self.made = self.closed = 0

    def __call__(self, contents: Sequence[bytes], common: bytes) -> Generator[bytes, None, None]:
        try:
            for content in contents:
                self.made += 1
                yield content + common
        finally:
            self.closed += 1


def takes_one_of_many(argument: bytes) -> Prepared:
    """As where there are too many pairs, or a mechanism raises."""
    return lambda ask: next(iter(ask([argument] * 5)))


def asks_twice(_: bytes) -> Prepared:
    def run(ask: AskOthers) -> bytes:
        first = ask([b"a", b"b", b"c"])
        return next(first) + b"".join(ask([b"d", b"e"], b"!"))

    return run


def dies_once(folder: bytes) -> Prepared:
    def run(ask: AskOthers) -> bytes:
        answers, marker = ask([b"a", b"b", b"c"]), Path(folder.decode()) / "died"
        first = next(answers)
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return first + b"".join(answers)

    return run


def waits(_: bytes) -> Prepared:
    """And says which process does."""
    return lambda ask: b"".join(ask([str(os.getpid()).encode()]))


def test_a_task_that_wants_no_more_parts_ends_with_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the interpreter goes on with the next one."""
    started: list[Interpreter] = []
    monkeypatch.setattr(interpreters, "_free", started)
    elsewhere, first = Elsewhere(), None
    for i in range(3):
        content = bytes([i]) * (1 << 20)
        assert done_in_a_process(f"{HERE}:{takes_one_of_many.__name__}", content, elsewhere) == content
        first = first or started[0]
        assert started == [first]
    assert (elsewhere.made, elsewhere.closed) == (3, 3)
    started.pop().end()


def test_parts_of_one_question_are_no_answers_to_another() -> None:
    elsewhere = Elsewhere()
    assert done_in_a_process(f"{HERE}:{asks_twice.__name__}", b"", elsewhere) == b"ad!e!"
    assert (elsewhere.made, elsewhere.closed) == (3, 2)


def test_a_task_that_is_killed_asks_anew(tmp_path: Path) -> None:
    elsewhere = Elsewhere()
    assert done_in_a_process(f"{HERE}:{dies_once.__name__}", os.fsencode(tmp_path), elsewhere) == b"abc"
    assert (elsewhere.made, elsewhere.closed) == (4, 2)


def test_a_part_that_nobody_has_taken_is_none_of_the_next_process() -> None:
    killed: list[int] = []

    def killing(contents: Sequence[bytes], _: bytes) -> Generator[bytes, None, None]:
        if not killed:
            killed.append(int(contents[0]))
            os.kill(killed[0], signal.SIGKILL)
            yield b"too late"
        yield b"in time"

    assert done_in_a_process(f"{HERE}:{waits.__name__}", b"", killing) == b"in time"


@pytest.mark.deep
def test_a_part_that_nobody_takes_is_no_task(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Interpreter] = []
    monkeypatch.setattr(interpreters, "_free", started)

    def killing(contents: Sequence[bytes], _: bytes) -> Generator[bytes, None, None]:
        os.kill(int(contents[0]), signal.SIGKILL)
        yield b"too late"

    outcome = done_in_a_process(f"{HERE}:{waits.__name__}", b"", killing)
    assert outcome == Lost("the process that decided it ended by signal 9, twice")
    (same,) = started
    assert done_in_a_process(f"{HERE}:{takes_one_of_many.__name__}", b"x", Elsewhere()) == b"x"
    assert started == [same]
    started.pop().end()


@pytest.mark.deep
def test_none_is_left_running_when_the_process_ends() -> None:
    """Else Python would say so, as it ends, where it is asked to warn."""
    code = f"""
from dpverify.verifiers.processes import interpreters
assert interpreters.done_in_a_process("{HERE}:takes_one_of_many", b"a", lambda contents, _: (c for c in contents)) == b"a"
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
        assert one.done(f"{HERE}:takes_one_of_many", b"a", lambda contents, _: (c for c in contents)) == b"a"
    finally:
        one.end()
