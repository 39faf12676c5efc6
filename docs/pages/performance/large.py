"""Print what large checks take, and what 10^12 pairs would: python -m docs.pages.performance.large.

The tables of docs/large-audits.md are what this prints, and a row of docs/performance.md. Each check runs in a process
of its own, alone and with helpers, one after the other; its memory is what the system says that it held at most.
"""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from math import nan
from time import perf_counter, process_time
from typing import Any, Final, NamedTuple

import click
from docs.pages.performance.measures import Priced, best_score, drawn, float_exponential, on_multisets, on_scores, peak

from dpverify.mechanisms.functions.limits import Limits
from dpverify.verifiers import Verdict
from dpverify.verifiers.divergence.parallel.executors import ExecutorHelpers
from dpverify.verifiers.divergence.parallel.sharing import ForkedHelpers
from dpverify.verifiers.privacy.checker import decided_question
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.problems.questions.question import Question, privacy_guarantee
from dpverify.verifiers.processes.workers import IdleProcesses
from dpverify.verifiers.processes.workplace import HERE, Workplace

LARGE: Mapping[str, Callable[[], Priced]] = {
    "scores {0, …, 19}⁴": partial(on_scores, 19, 4, best_score, float_exponential),
    "14 rows of 8 kinds": partial(on_multisets, 8, 14, drawn),
    "scores {0, …, 3}⁸": partial(on_scores, 3, 8, best_score, float_exponential),
}
"""Few pairs a database, few databases a law, and a hundred million pairs."""

SHARED = "scores {0, …, 3}⁸"
"""Which of them is shared out in every way."""

PAIRS: Final = 10**12


class Large(NamedTuple):
    """What a check took: seconds by the clock, and of CPU here and in helpers; bytes; and how many parts were sent."""

    name: str
    workers: str
    databases: int
    pairs: int
    seconds: float
    here: float
    helpers: float
    memory: int
    of_helpers: int
    blocks: int
    sent: int

    @property
    def cpu(self) -> float:
        """Seconds of CPU of all processes."""
        return self.here + self.helpers


class _Counted(ForkedHelpers):
    """Processes of this machine, of which it is counted what they answer."""

    def __init__(self, processes: int) -> None:
        idle = IdleProcesses()
        idle.share = processes
        super().__init__(idle, processes)
        self.blocks = self.sent = 0

    def worked(self, *given: Any) -> Any:
        yield from self._each(super().worked(*given))

    def _each(self, answers: Any) -> Any:
        for answer in answers:
            self.blocks += 1
            self.sent += len(answer or b"")
            yield answer


def large(name: str, processes: int = 1) -> Large:
    """A check in a process of its own; with 2 processes or more they help it."""
    return _apart(_large, name, processes)


def _apart(measure: Callable[[str, int], Large], name: str, processes: int) -> Large:
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=fresh) as pool:
        return pool.submit(measure, name, processes).result()


def _large(name: str, processes: int) -> Large:
    helpers = _Counted(processes) if processes > 1 else None
    found = measured(name, f"{processes} of one machine" if helpers else "alone", LARGE[name](), Workplace(helpers))
    return found._replace(blocks=helpers.blocks, sent=helpers.sent) if helpers else found


def shared(most_jobs: int) -> list[Large]:
    """One claim alone, by more and more processes, by a pool, and by a cluster of this machine, one after the other."""
    found = [large(SHARED, 1 << i) for i in range(most_jobs.bit_length())]
    found.append(_apart(_by_pool, SHARED, most_jobs))
    with suppress(ModuleNotFoundError):
        found.append(_apart(_by_cluster, SHARED, most_jobs))
    return found


def _by_pool(name: str, processes: int) -> Large:
    before = _children()
    with ProcessPoolExecutor(processes) as pool:
        found = measured(name, f"a pool of {processes}", *helped(pool, LARGE[name]()))
    return found._replace(helpers=_children() - before)


def _by_cluster(name: str, processes: int) -> Large:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=processes, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        found = measured(name, f"a Dask cluster of {processes} here", *helped(client.get_executor(), LARGE[name]()))
    return found._replace(helpers=nan)  # they are no children of this process


def helped(executor: Executor, priced: Priced) -> tuple[Priced, Workplace]:
    """What is measured where the processes of an executor help."""
    return priced, Workplace(ExecutorHelpers(executor, priced.mechanism, {}))


def measured(name: str, workers: str, priced: Priced, where: Workplace = HERE) -> Large:
    """What a check takes in this process."""
    start, before, children = perf_counter(), process_time(), _children()
    question = Question(priced.mechanism, priced.domain, priced.relation, privacy_guarantee(1, 0), {}, Limits())
    verdict: Verdict = decided_question(question, never_repeated, where)
    assert verdict.delta is not None and verdict.delta.exact == 0, "of the exponential mechanism"
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Large(
        name,
        workers,
        len(list(priced.domain)),
        verdict.pairs.covered,
        perf_counter() - start,
        process_time() - before,
        _children() - children,
        peak(),
        others.ru_maxrss << 10,
        0,
        0,
    )


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def of_checks(found: Sequence[Large]) -> str:
    """The rows of what checks take, alone and with helpers in turn."""
    head = (
        "| check | databases | pairs | alone, s | MiB | in helpers, s | blocks | in the process that asks, s | "
        "MiB a helper | sent, MB |\n" + "| --- |" + " ---: |" * 9
    )
    lines = [head]
    for alone, shared in zip(found[::2], found[1::2], strict=True):
        lines.append(
            f"| {alone.name} | {alone.databases:,} | {alone.pairs:,} | {alone.cpu:.1f} | {_mib(alone.memory)} | "
            f"{shared.helpers:.1f} | {shared.blocks} | {shared.here:.1f} | {_mib(shared.of_helpers)} | "
            f"{shared.sent / 1e6:.1f} |"
        )
    return "\n".join(lines)


def of_sizing(found: Sequence[Large]) -> str:
    """What 10^12 pairs take, as many claims of the size that was measured."""
    lines = [
        "| 10¹² pairs as | claims | output distributions | CPU, hours | hours on 64 cores | GiB for 64 at a time |"
    ]
    lines.append("| --- |" + " ---: |" * 5)
    for one in found[::2]:
        claims = -(-PAIRS // one.pairs)
        hours = claims * one.cpu / 3600
        lines.append(
            f"| {one.name} | {claims:,} | {claims * one.databases:.1e} | {hours:,.0f} | {hours / 64:,.1f} | "
            f"{64 * one.memory / 2**30:.0f} |"
        )
    return "\n".join(lines)


def _mib(held: int) -> str:
    return f"{held / 2**20:,.0f}"


@click.command()
@click.option("--jobs", default=2, show_default=True, help="How many processes help.")
def main(jobs: int) -> None:
    """Print both tables, in Markdown."""
    found = []
    for name in LARGE:
        for processes in (1, jobs):
            click.echo(f"{name}, {processes} processes", err=True)
            found.append(large(name, processes))
    click.echo(of_checks(found))
    click.echo()
    click.echo(of_sizing(found))


if __name__ == "__main__":
    main()
