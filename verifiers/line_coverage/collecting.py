"""Executed instructions of a mechanism: told by `sys.monitoring`, or by a trace function where there is none.

Instructions, and not lines: of `rows if len(rows) > 6 else 0` one arm may never run, and its line does. Of
`sys.monitoring` an instruction is heard of once, so that what runs again costs nothing.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.watching import watched_by, watcher_now
from dpverify.verifiers.line_coverage.executed import CodeKey, RanFunction, code_key, union_of_runs
from dpverify.verifiers.line_coverage.own_files import OwnFiles

IS_CHEAP: Final = sys.version_info >= (3, 12)
"""True where Python tells of what runs at next to no cost, so that it is asked without being told to."""

_MONITORING: Final[Any] = getattr(sys, "monitoring", None)

_TOOLS: Final = (4, 3)
"""Numbers of tools that nobody has reserved, as debuggers, coverage and profilers have others."""


class Collector:
    """The functions of somebody's own that are called while a law is being found, and what ran of each."""

    def __init__(self, own: OwnFiles, watched: Any) -> None:
        self.own = own
        self.watched = watched
        self._thread = threading.get_ident()
        self._laws = [0, 0]
        """Number of laws being computed now: on unknown numbers, and on databases."""
        self._found: dict[int, RanFunction] = {}
        self._elsewhere: list[Mapping[CodeKey, RanFunction]] = []
        self.databases = 0
        """Number of databases on which laws were computed."""

    def begin(self, known: bool) -> None:
        """See `Watcher`."""
        self._laws[known] += 1
        self.databases += known

    def end(self) -> None:
        """See `Watcher`: one law is found within another, so that the last to begin is that on unknown numbers."""
        self._laws[not self._laws[False]] -= 1

    @property
    def functions(self) -> dict[CodeKey, RanFunction]:
        """The functions that were called so far, here and elsewhere."""
        here = ({code_key(one.code, self.own.relative(one.code.co_filename)): one} for one in self._found.values())
        return union_of_runs([*here, *self._elsewhere])  # one text may have been compiled twice

    def add(self, functions: Mapping[CodeKey, RanFunction]) -> None:
        """Add what was called in another process, for this one."""
        self._elsewhere.append(functions)

    def function(self, code: CodeType) -> RanFunction:
        """All that is known of a function that runs."""
        ran_function = self._found.get(id(code))  # which is kept with it
        if ran_function is None:
            ran_function = self._found[id(code)] = RanFunction(code)
        return ran_function

    @property
    def counts(self) -> int | None:
        """1 where a law on a database is being found in this thread, 0 where one on unknown numbers is.

        None where neither is: what runs does not count.
        """
        if threading.get_ident() != self._thread:
            return None
        return 0 if self._laws[False] else 1 if self._laws[True] else None


class Monitor(Collector):
    """A collector that `sys.monitoring` tells of what runs, from Python 3.12 on."""

    def start(self) -> None:
        """Listen."""
        _ear.listen(self)

    def stop(self) -> None:
        """Listen no longer."""
        _ear.listen(None)


class _Ear:
    """A listener to all functions that start, once in a process: to be told no more makes all of them slow again."""

    def __init__(self) -> None:
        self._tool: int | None = None
        self._collector: Monitor | None = None
        self._asked: dict[int, CodeType] = {}
        """The functions of which each instruction is heard of."""
        self._no_more: Final[Any] = getattr(_MONITORING, "DISABLE", None)  # kept: where Python ends, modules are empty

    def is_free(self) -> bool:
        """True where it can listen: not where others have all numbers of tools."""
        for tool in _TOOLS if self._tool is None else ():
            if _MONITORING.get_tool(tool) is None:
                _MONITORING.use_tool_id(tool, "dpverify")
                self._tool = tool
                break
        return self._tool is not None and self._collector is None

    def listen(self, collector: Monitor | None) -> None:
        """Tell a collector, and nobody for None."""
        for code in self._asked.values():
            _MONITORING.set_local_events(self._tool, code, 0)
        self._asked.clear()
        self._collector = collector
        if collector is None:
            return
        events = _MONITORING.events
        if _MONITORING.get_events(self._tool):
            _MONITORING.restart_events()
        else:
            _MONITORING.register_callback(self._tool, events.PY_START, self._started)
            _MONITORING.register_callback(self._tool, events.INSTRUCTION, self._executed)
            _MONITORING.set_events(self._tool, events.PY_START)

    def _started(self, code: CodeType, _: int) -> Any:
        collector = self._collector
        if collector is None or code.co_filename not in collector.own:
            return self._no_more
        counts = collector.counts
        if counts is None:
            return None
        collector.function(code)
        if id(code) not in self._asked:
            self._asked[id(code)] = code
            _MONITORING.set_local_events(self._tool, code, _MONITORING.events.INSTRUCTION)
        return self._no_more

    def _executed(self, code: CodeType, offset: int) -> Any:
        collector = self._collector
        if collector is None:
            return self._no_more
        counts = collector.counts
        if counts is None:
            return None
        one = collector.function(code)
        if not counts:
            one.unknown.add(offset)
            return None
        one.known.add(offset)
        return self._no_more


_ear: Final = _Ear()

_Trace: TypeAlias = Any
"""Trace function for Python: it gives the one for the frame that it was called with."""


class Tracer(Collector):
    """A collector that traces what runs while laws are found; who traced before, such as coverage, goes on doing so."""

    def start(self) -> None:
        """Trace while laws are found: also what others have said of that they need not hear of it."""
        if _MONITORING is not None:  # by which Python traces from 3.12 on
            _MONITORING.restart_events()

    def stop(self) -> None:
        """Nothing."""

    def begin(self, known: bool) -> None:
        """See `Watcher`."""
        if not any(self._laws):
            self._other: _Trace = sys.gettrace()
            sys.settrace(self._called)
        super().begin(known)

    def end(self) -> None:
        """See `Watcher`."""
        super().end()
        if not any(self._laws):
            sys.settrace(self._other)

    def _called(self, frame: FrameType, event: str, argument: Any) -> _Trace:
        theirs = self._other and self._other(frame, event, argument)
        if self._other is not None and sys.gettrace() != self._called:  # coverage puts itself in its place
            sys.settrace(self._called)
        if frame.f_code.co_filename not in self.own or self.counts is None:
            return theirs
        frame.f_trace_opcodes = True
        one = self.function(frame.f_code)

        def local(frame: FrameType, event: str, argument: Any) -> _Trace:
            nonlocal theirs
            if event == "opcode":
                counts = self.counts
                if counts is not None:
                    (one.known if counts else one.unknown).add(frame.f_lasti)
            elif theirs is not None:
                theirs = theirs(frame, event, argument)
            return local

        return local


def _collector(own: OwnFiles, watched: Any) -> Monitor | Tracer:
    """The collector: where others have all numbers of tools, or one listens in another thread, somebody traces."""
    return Monitor(own, watched) if IS_CHEAP and _ear.is_free() else Tracer(own, watched)


@contextmanager
def executed_code(own: OwnFiles, watched: Any = None) -> Iterator[Collector | None]:
    """A collector of the code that is executed in those files while laws are found; None where another one looks on."""
    if watcher_now() is not None:
        yield None
        return
    collector = _collector(own, watched)
    collector.start()
    try:
        with watched_by(collector):
            yield collector
    finally:
        collector.stop()


def collector_now() -> Collector | None:
    """The one who collects in this process; None for nobody."""
    watcher = watcher_now()
    return watcher if isinstance(watcher, Collector) else None
