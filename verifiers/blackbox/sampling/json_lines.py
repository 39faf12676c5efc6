"""A sampler in a process of its own, of any language and with any libraries, that is asked by lines of JSON.

It reads a line {"hello": true} and answers {"sampler": NAME, "versions": {…}}; then lines
{"rows": …, "size": n, "seed": s}, and answers each by {"outcomes": [n of them]} or {"error": TEXT}. Lists in outcomes
are tuples here. What it writes to standard error is its own.
"""

import atexit
import json
import os
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import cut, one_line, shown
from dpverify.verifiers.blackbox.sampling.samplers import MissingLibrary


@dataclass(frozen=True)
class JsonLines:
    """The command that starts the process, whether it heeds seeds, and how many seconds an answer may take."""

    command: tuple[str, ...]
    seeded: bool
    folder: str = "."
    patience: float = 300.0

    @property
    def name(self) -> str:
        """Name that the process gives itself. Raises `InputError` where it does not run, or gives no such answer."""
        return str(self._hello.get("sampler", self.command[0]))

    @property
    def versions(self) -> Mapping[str, str]:
        """Those of its libraries, as it says. Raises `InputError` where it does not run."""
        return {str(name): str(version) for name, version in dict(self._hello.get("versions", {})).items()}

    @property
    def _hello(self) -> Mapping[str, Any]:
        known = _process(self)
        if known.hello is None:
            known.hello = known.asked({"hello": True})
        return known.hello

    def draw(self, rows: Any, size: int, seed: int) -> Any:
        """See `Sampler`. Raises `InputError` where the process fails, ends, or does not answer in time."""
        result = _process(self).asked({"rows": _plain(rows), "size": size, "seed": seed}).get("outcomes")
        if not isinstance(result, list):
            raise InputError(
                bad_input.GAVE, self.command[0], f'{shown(result)} for "outcomes"', "no list", "write a JSON list"
            )
        return [_hashable(each) for each in result] if any(isinstance(each, list) for each in result) else result


def _plain(rows: Any) -> Any:
    try:
        json.dumps(rows)
    except (TypeError, ValueError):
        raise InputError(
            bad_input.WRONG, shown(rows), "possible in JSON", "give numbers, texts, tuples and dicts"
        ) from None
    return rows


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


class _Process:
    """A process that answers, started when it is first asked."""

    def __init__(self, lines: JsonLines) -> None:
        self.hello: Mapping[str, Any] | None = None
        self._lines = lines
        try:
            self._process = subprocess.Popen(
                lines.command,
                cwd=lines.folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
        except FileNotFoundError as error:
            raise MissingLibrary(f"{lines.command[0]} does not start: no such file {error.filename}") from None
        except (OSError, ValueError) as error:
            raise InputError(
                bad_input.PROCESS, shown(lines.command), f"does not start: {one_line(str(error))}"
            ) from None

    def asked(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answer to a line. Raises `InputError` where there is none, or it says that there was an error."""
        assert self._process.stdin is not None and self._process.stdout is not None
        over = threading.Timer(self._lines.patience, self._process.kill)
        over.start()
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = ""
        finally:
            was_in_time = over.is_alive()
            over.cancel()
        if not line:
            self.end()
            why = "ended" if was_in_time else f"gave no answer within {self._lines.patience:g} s"
            asked_for = _asked_for(question)
            raise InputError(bad_input.PROCESS, shown(self._lines.command), f"{why} when it was asked for {asked_for}")
        try:
            return self._read(line)
        except InputError:
            self.end()  # what else it would answer is not to be relied on
            raise

    def _read(self, line: str) -> Mapping[str, Any]:
        try:
            content = json.loads(line)
        except ValueError:
            content = None
        if not isinstance(content, dict):
            said = cut(one_line(line), 80)
            raise InputError(
                bad_input.PROCESS, shown(self._lines.command), f"wrote a line that is no JSON object: {said}"
            )
        if "error" in content:
            raise InputError(bad_input.PROCESS, shown(self._lines.command), f"says: {one_line(str(content['error']))}")
        return content

    def end(self) -> None:
        """Let it go: it is asked for nothing more."""
        _processes.pop((os.getpid(), self._lines), None)
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        with suppress(OSError):
            self._process.kill()
        self._process.wait()


def _asked_for(question: Mapping[str, Any]) -> str:
    return f"{question['size']:,} draws of {shown(question['rows'])}" if "size" in question else "its name"


_processes: Final[dict[tuple[int, JsonLines], _Process]] = {}
"""Those of this process: one that is forked starts its own."""


def _process(lines: JsonLines) -> _Process:
    key = (os.getpid(), lines)
    if key not in _processes:
        _processes[key] = _Process(lines)
    return _processes[key]


@atexit.register
def end_processes() -> None:
    """End all processes of samplers that this process has started: what is asked later starts anew."""
    for (owner, _), process in list(_processes.items()):
        if owner == os.getpid():
            process.end()
