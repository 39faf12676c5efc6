"""Faults while a report is written, and objects that cannot be shown: no half file, none left over, the old one kept."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.adversary.tally import Tally

from dpverify.mechanisms import InputError, bernoulli, distribution, run
from dpverify.reports.writing import STANDARD_OUTPUT, write_reports
from dpverify.verifiers import check_privacy

OLD, NEW = "old text\n", "new text\n" * 10_000


def full_disk(*_: object, **__: object) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupted(*_: object, **__: object) -> Any:
    raise KeyboardInterrupt


def killed_softly(*_: object, **__: object) -> Any:
    raise SystemExit(143)


def out_of_memory(*_: object, **__: object) -> Any:
    raise MemoryError


class _Stream:
    """A stream that fails once it is written to, after a part of the text."""

    def __init__(self, stream: Any, fault: Callable[..., Any]) -> None:
        self._stream = stream
        self._fault = fault

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def write(self, text: str | bytes) -> int:
        self._stream.write(text[: len(text) // 2])
        self._stream.flush()
        self._fault()
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


FAULTS: tuple[Callable[..., Any], ...] = (full_disk, interrupted, killed_softly, out_of_memory)
STEPS = ("write", "fsync", "chmod", "replace", "mkstemp")


def _broken(patch: pytest.MonkeyPatch, step: str, fault: Callable[..., Any], after: int) -> None:
    """Let a step of writing fail, after it has succeeded some times."""
    left = [after]

    def once(real: Callable[..., Any]) -> Callable[..., Any]:
        def step_of(*args: Any, **kwargs: Any) -> Any:
            left[0] -= 1
            return fault() if left[0] < 0 else real(*args, **kwargs)

        return step_of

    if step == "write":
        real = os.fdopen

        def opened(*args: Any, **kwargs: Any) -> Any:
            left[0] -= 1
            stream = real(*args, **kwargs)
            return _Stream(stream, fault) if left[0] < 0 else stream

        patch.setattr(os, "fdopen", opened)
    elif step == "mkstemp":
        patch.setattr("tempfile.mkstemp", once(__import__("tempfile").mkstemp))
    elif step == "chmod":
        patch.setattr(Path, "chmod", once(Path.chmod))
    elif step == "replace":
        patch.setattr(Path, "replace", once(Path.replace))
        patch.setattr(os, "replace", once(os.replace))
    else:
        patch.setattr(os, "fsync", once(os.fsync))


@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
@pytest.mark.parametrize("step", STEPS)
def test_a_fault_leaves_whole_files_and_no_other(
    step: str, fault: Callable[..., Any], after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tally: Tally
) -> None:
    targets = [tmp_path / "a.json", tmp_path / "b.html"]
    for path in targets:
        path.write_text(OLD)
    with monkeypatch.context() as patch:
        _broken(patch, step, fault, after)
        try:
            write_reports(dict.fromkeys(targets, NEW))
            failed = False
        except BaseException as error:
            failed = True
            assert isinstance(error, InputError if fault is full_disk else type(error))
    tally.counts["faults in writing"] += 1
    assert sorted(tmp_path.iterdir()) == targets, "files are left over"
    texts = [path.read_text() for path in targets]
    assert set(texts) <= {OLD, NEW}, "half a file"
    # a fault before the first file is replaced leaves all as they were
    if failed and step != "replace":
        assert texts == [OLD, OLD]


@pytest.mark.parametrize("text", ["a\ud800b", "\udcff", "x" * 10_000 + "\udfff"])
def test_a_lone_surrogate_leaves_whole_files_and_no_other(text: str, tmp_path: Path, tally: Tally) -> None:
    targets = [tmp_path / "a.json", tmp_path / "b.html"]
    for path in targets:
        path.write_text(OLD)
    tally.counts["faults in writing"] += 1
    try:
        write_reports({targets[0]: NEW, targets[1]: text})
    except InputError:
        assert [path.read_text() for path in targets] == [OLD, OLD]
    assert sorted(tmp_path.iterdir()) == targets, "files are left over"


def test_a_lone_surrogate_on_standard_output_is_no_traceback(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, tally: Tally
) -> None:
    tally.counts["faults in writing"] += 1
    try:
        write_reports({STANDARD_OUTPUT: "a\ud800b\n", tmp_path / "a.json": NEW})
    except InputError:
        return
    capsys.readouterr().out.encode()


@pytest.mark.parametrize("size", [0, 1, 4096, 50_000])
def test_a_file_system_that_is_full_leaves_the_old_file(size: int, tmp_path: Path, tally: Tally) -> None:
    """Of the operating system's own making: no file may grow beyond `size`."""
    path = tmp_path / "a.json"
    path.write_text(OLD)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        with pytest.raises(InputError, match="cannot write"):
            write_reports({path: NEW})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    tally.counts["faults in writing"] += 1
    assert path.read_text() == OLD
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_a_signal_while_files_are_replaced_over_and_over(number: signal.Signals, tmp_path: Path, tally: Tally) -> None:
    """The file is the old or a new one whenever the signal comes."""
    path = tmp_path / "a.json"
    script = f"""
        import signal
        from pathlib import Path
        from dpverify.reports.writing import write_reports
        signal.signal(signal.SIGINT, signal.default_int_handler)  # which may be ignored, as in a job in the background
        for i in range(10_000_000):
            write_reports({{Path({str(path)!r}): f"{{i % 10}}" * 200_000}})
            if i == 3:
                print("ready", flush=True)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(number)
        child.wait()
    tally.counts["faults in writing"] += 1
    text = path.read_text()
    assert len(text) == 200_000
    assert len(set(text)) == 1


class Silent:
    """Cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    __str__ = __repr__


class SilentError(Exception):
    """Cannot be shown either."""

    def __str__(self) -> str:
        raise RuntimeError("no str")

    __repr__ = __str__


class Base(BaseException):
    """Is no Exception."""


def raises_what_cannot_be_shown(draw: Any, rows: Any) -> Any:
    raise SilentError


def returns_a_set_of_it(draw: Any, rows: Any) -> Any:
    return {Silent()}


def draws_from_it(draw: Any, rows: Any) -> Any:
    return draw(Silent())


def raises_a_surrogate(draw: Any, rows: Any) -> Any:
    raise ValueError("a\ud800b")


def raises_a_long_text(draw: Any, rows: Any) -> Any:
    raise ValueError("x" * 10**6)


def raises_a_generator_exit(draw: Any, rows: Any) -> Any:
    raise GeneratorExit


def raises_a_base_exception(draw: Any, rows: Any) -> Any:
    raise Base


FAILING: tuple[Callable[..., Any], ...] = (
    *(raises_what_cannot_be_shown, returns_a_set_of_it, draws_from_it, raises_a_surrogate, raises_a_long_text),
    *(raises_a_generator_exit, raises_a_base_exception),
)


def engines() -> dict[str, Callable[[Callable[..., Any], Any], Any]]:
    return {
        "distribution": distribution,
        "run": lambda mechanism, rows: run(mechanism, rows, seed=1),
        "check_privacy": lambda mechanism, rows: check_privacy(mechanism, [rows, (rows,)], _others, epsilon=1),
    }


def _others(database: Any, domain: Any) -> list[Any]:
    return list(domain)


@pytest.mark.parametrize("engine", engines())
@pytest.mark.parametrize("mechanism", FAILING)
def test_what_cannot_be_shown_is_an_input_error(mechanism: Callable[..., Any], engine: str, tally: Tally) -> None:
    tally.counts["faults in mechanisms"] += 1
    with pytest.raises(InputError) as caught:
        engines()[engine](mechanism, "a row")
    assert len(str(caught.value)) <= 5_000


@pytest.mark.parametrize("engine", ["distribution", "run", "check_privacy"])
def test_a_database_that_cannot_be_shown_is_an_input_error(engine: str, tally: Tally) -> None:
    tally.counts["faults in mechanisms"] += 1
    with pytest.raises(InputError):
        engines()[engine](lambda draw, rows: {rows}, Silent())


@pytest.mark.parametrize("engine", ["distribution", "run"])
def test_an_outcome_that_cannot_be_shown_is_an_outcome(engine: str, tally: Tally) -> None:
    """Or bad input; no error of another kind."""
    tally.counts["faults in mechanisms"] += 1
    try:
        engines()[engine](lambda draw, rows: Silent() if draw(bernoulli("0.5")) else 1, "a row")
    except InputError:
        return
