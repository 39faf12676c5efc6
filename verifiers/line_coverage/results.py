"""Parts of a mechanism that no database of its claim runs, from what ran while laws were found, here and elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from dpverify.reports.never_run import LinesNotRun, NeverRun
from dpverify.verifiers.line_coverage.collecting import collector_now, executed_code
from dpverify.verifiers.line_coverage.executed import CodeKey, RanFunction, SentFunction, run_to_send, union_of_runs
from dpverify.verifiers.line_coverage.own_files import OwnFiles, own_files
from dpverify.verifiers.line_coverage.sources import source_at
from dpverify.verifiers.line_coverage.unreached import unreached
from dpverify.verifiers.locations import Reference


@dataclass(frozen=True)
class RunRecord:
    """The code that ran of a mechanism while its laws were found, and on how many databases."""

    functions: Mapping[CodeKey, RanFunction]
    databases: int
    own: OwnFiles


class Looking:
    """Somebody who looks on; `ran` is there when it is over."""

    ran: RunRecord | None = None


class Watched(NamedTuple):
    """Note that somebody looks on, and for which claim: also told to processes that compute laws for him."""

    reference: Reference | None


@contextmanager
def looking_on(mechanism: Callable[..., Any], watched: Watched) -> Iterator[Looking]:
    """Look on while the laws of a mechanism are found."""
    looking = Looking()
    with executed_code(own_files(mechanism, watched.reference), watched) as collector:
        yield looking
    if collector is not None:
        looking.ran = RunRecord(collector.functions, collector.databases, collector.own)


def never_run(parts: Sequence[RunRecord | None], databases: int) -> NeverRun | None:
    """The code that no database runs; None where nobody looked on, or no code of the project was called.

    `databases` is how many there are, 0 where they have no end: then it is on how many of them the mechanism was run.
    Raises `InputError`, with file and line, for a comment that accepts something and gives no reason.
    """
    known = [part for part in parts if part is not None]
    functions = union_of_runs(part.functions for part in known)
    if not functions:
        return None
    own = known[0].own
    paths = {key.file: _path(own, key, one) for key, one in functions.items()}
    lines = []
    for one in unreached(functions, paths):
        source = source_at(paths[one.file], one.file)
        because = "" if source is None else source.why(one.first, one.last, "unreached")
        lines.append(LinesNotRun(one.file, one.first, one.last, one.part, one.raises, because))
    return NeverRun(databases or sum(part.databases for part in known), lines)


def _path(own: OwnFiles, key: CodeKey, function: RanFunction) -> str:
    """The place of a file: code that ran on another machine names its own."""
    file = function.code.co_filename
    if file.startswith("<") or Path(file).is_file():
        return file
    return next((str(root / key.file) for root in own.roots if (root / key.file).is_file()), file)


# --- In processes that find laws for others


@contextmanager
def looking_on_for(
    watched: Watched | None, mechanism: Callable[..., Any]
) -> Iterator[Callable[[], list[SentFunction]]]:
    """Look on in a process that finds laws for another one, if somebody there does; yields what gives what ran."""
    here = collector_now()
    if here is not None or watched is None:
        yield lambda: [] if here is None else run_to_send(here.functions)
        return
    with executed_code(own_files(mechanism, watched.reference), watched) as collector:
        yield lambda: [] if collector is None else run_to_send(collector.functions)


def watched_now() -> Watched | None:
    """Claim for which somebody looks on in this process; None for nobody."""
    collector = collector_now()
    return None if collector is None else collector.watched
