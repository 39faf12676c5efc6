"""What docs/performance.md has figures of: cases, and how each is measured, in CPU seconds of this machine.

Two things whose ratio is printed are measured in turn, in one run, so that both see the same machine.
The sections of the page follow one another here as they do there.
"""

from __future__ import annotations

import multiprocessing
import random
import re
import resource
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from statistics import median
from subprocess import DEVNULL
from subprocess import run as run_process
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Final, NamedTuple

import numpy as np
from docs.pages.performance.programs import PROGRAMS
from docs.pages.performance.programs import seconds as seconds_of_program
from numpy.typing import NDArray
from tests.outside.test_outside import ROWS as PUBLISHED
from tests.outside.test_outside import decided

from dpverify.mechanisms import Draw, exponential, laplace, run, symmetric
from dpverify.mechanisms.counting import of_counts
from dpverify.mechanisms.counting.qualities import Counts
from dpverify.mechanisms.drawing import relabellings
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.learners import learn_thresholds
from dpverify.mechanisms.learners.thresholds_learner import threshold_quality
from dpverify.mechanisms.path_conditions.noise_tree import forget_eliminated
from dpverify.mechanisms.recursion import maximise_quasi_concave
from dpverify.mechanisms.sanitizers import sanitize_thresholds
from dpverify.mechanisms.selection import Selection, choose_by_stability_journal, first_below
from dpverify.verifiers import Multisets, ScoreSpace, Verdict, check_privacy, replace_one, scores_linf
from dpverify.verifiers.auditing.auditing import audit
from dpverify.verifiers.auditing.selection import selected
from dpverify.verifiers.problems.neighbours.neighbours import neighbouring_pairs

Floats = NDArray[np.float64]
Table = NDArray[np.int64]

# --- What is checked, exactly and in float64


class Priced(NamedTuple):
    """A mechanism on a domain, and its laws by their formula in float64, from the databases as a table of numbers."""

    mechanism: Callable[..., Any]
    domain: Any
    relation: Callable[..., Any]
    table: Callable[[], Table]
    float_laws: Callable[[Table], Floats]
    delta: Fraction | int = 0


def most_frequent(draw: Draw, rows: Sequence[int], *, epsilon: Fraction, kinds: int) -> Any:
    """One of the kinds, by how often it occurs."""
    return exponential([rows.count(x) for x in range(kinds)], epsilon)


def most_frequent_drawn(draw: Draw, rows: Sequence[int], *, epsilon: Fraction, kinds: int) -> int:
    """The same as the README has it: it is drawn, and returned."""
    return draw(exponential({x: rows.count(x) for x in range(kinds)}, epsilon))  # type: ignore[no-any-return]


def best_score(draw: Draw, scores: Sequence[int], *, epsilon: Fraction) -> Any:
    """One of the scores' places."""
    return exponential(scores, epsilon)


def float_exponential(scores: Table) -> Floats:
    """The exponential mechanism at ε = 1."""
    weights = np.exp((scores - scores.max(axis=1, keepdims=True)) / 2)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def float_a_dist(scores: Table) -> Floats:
    """A_dist as the journal version prints it, at ε = 1 and δ = 1/1000."""
    best = scores.argmax(axis=1)
    ordered = np.sort(scores, axis=1)
    gap = ordered[:, -1] - ordered[:, -2]
    released = np.where(gap <= np.log(1000), np.exp(gap) / 2000, 1 - 500 * np.exp(-gap))
    laws = np.zeros((len(scores), scores.shape[1] + 1))
    laws[np.arange(len(scores)), best] = released
    laws[:, -1] = 1 - released
    return laws


def float_delta(laws: Floats, left: Table, right: Table) -> float:
    """The largest δ over the pairs at ε = 1."""
    return float(np.maximum(0.0, laws[left] - np.e * laws[right]).sum(axis=1).max())


def drawn(kinds: int) -> Mechanism:
    """The exponential mechanism as a function that draws."""
    return partial(most_frequent, kinds=kinds)


def drawn_last(kinds: int) -> Mechanism:
    """The same as one that returns what it draws."""
    return partial(most_frequent_drawn, kinds=kinds)


def how_often(rows: Sequence[int], x: int) -> int:
    """A quality function."""
    return rows.count(x)


def declared(kinds: int) -> Mechanism:
    """The same, as a mechanism that says what it scores."""
    return Selection(how_often, range(kinds))


def counted(kinds: int) -> Mechanism:
    """The same, as one that scores by how often rows occur, in all databases at once."""
    return Selection(of_counts(how_often_counted), range(kinds))


def how_often_counted(counts: Counts, x: int) -> int:
    """A quality function of counts."""
    return counts[x]


def made_symmetric(kinds: int) -> Mechanism:
    """The same, symmetric by construction."""
    return symmetric(drawn(kinds), under=relabellings(range(kinds)))


def on_multisets(kinds: int, size: int, mechanism: Callable[[int], Mechanism] = drawn) -> Priced:
    """The exponential mechanism on the multisets of so many rows."""
    domain = Multisets(range(kinds), size=size)

    def table() -> Table:
        return np.array([[rows.count(x) for x in range(kinds)] for rows in domain], dtype=np.int64)

    return Priced(mechanism(kinds), domain, replace_one, table, float_exponential)


def on_scores(
    largest: int, solutions: int, mechanism: Any, float_laws: Callable[[Table], Floats], delta: Fraction | int = 0
) -> Priced:
    """A mechanism on all scores from 0 to the largest."""
    domain = ScoreSpace(range(largest + 1), solutions=solutions)
    return Priced(mechanism, domain, scores_linf, lambda: np.array(list(domain), dtype=np.int64), float_laws, delta)


PRICED: Mapping[str, Callable[[], Priced]] = {
    "exponential, multisets of 8 rows of 4 kinds": partial(on_multisets, 4, 8),
    "exponential, multisets of 8 rows of 8 kinds": partial(on_multisets, 8, 8),
    "exponential, multisets of 10 rows of 8 kinds": partial(on_multisets, 8, 10),
    "the same by return draw(…), 8 rows of 8 kinds": partial(on_multisets, 8, 8, drawn_last),
    "the same by return draw(…), 10 rows of 8 kinds": partial(on_multisets, 8, 10, drawn_last),
    "the same as a Selection, 8 rows of 8 kinds": partial(on_multisets, 8, 8, declared),
    "the same as a Selection, 10 rows of 8 kinds": partial(on_multisets, 8, 10, declared),
    "the same of counts, 8 rows of 8 kinds": partial(on_multisets, 8, 8, counted),
    "the same of counts, 10 rows of 8 kinds": partial(on_multisets, 8, 10, counted),
    "the same made symmetric, 8 rows of 8 kinds": partial(on_multisets, 8, 8, made_symmetric),
    "the same made symmetric, 10 rows of 8 kinds": partial(on_multisets, 8, 10, made_symmetric),
    "exponential, {0..12}^3 scores": partial(on_scores, 12, 3, best_score, float_exponential),
    "exponential, {0..12}^4 scores": partial(on_scores, 12, 4, best_score, float_exponential),
    "A_dist, {0..12}^3 scores": partial(on_scores, 12, 3, choose_by_stability_journal, float_a_dist, Fraction(1, 1000)),
    "A_dist, {0..12}^4 scores": partial(on_scores, 12, 4, choose_by_stability_journal, float_a_dist, Fraction(1, 1000)),
}
"""What is compared with float64 numpy. A mechanism that is checked in another way has its line here."""

MEASURED_IN_MEMORY: Sequence[str] = tuple(name for name in PRICED if "kinds" in name or "^4" in name)
"""Of which of them the memory is measured, each in a process of its own."""


class Price(NamedTuple):
    """CPU seconds of a whole check, from the user's function to the verdict, and of the same in float64."""

    name: str
    pairs: int
    seconds: float
    float_seconds: float

    @property
    def ratio(self) -> float:
        """How many times as long the certified check takes."""
        return self.seconds / self.float_seconds


def checked(priced: Priced) -> Verdict:
    """The verdict at ε = 1, as a user asks for it."""
    given = {"delta": priced.delta} if priced.delta else {}
    return check_privacy(
        priced.mechanism,
        priced.domain,
        priced.relation,
        epsilon=1,
        delta=priced.delta,
        parameters=given,
    )


def price(name: str) -> Price:
    """What exactness costs. Numpy is given the table of numbers, and the pairs, which the check makes itself."""
    priced = PRICED[name]()
    pairs = neighbouring_pairs(list(priced.domain), priced.domain, priced.relation)
    table = priced.table()
    verdicts: list[Verdict] = []
    floats: list[float] = []
    ours, theirs = in_turn(
        lambda: verdicts.append(checked(priced)),
        lambda: floats.append(float_delta(priced.float_laws(table), pairs.left, pairs.right)),
    )
    worst = verdicts[0].delta
    assert worst is not None
    assert verdicts[0].pairs.covered == len(pairs.left)
    assert abs(float(worst.upper) - floats[0]) < 1e-9
    return Price(name, len(pairs.left), ours, theirs)


_ROUNDS: Final = 5
_ENOUGH: Final = 2.0


def in_turn(ours: Callable[[], object], baseline: Callable[[], object]) -> tuple[float, float]:
    """The median CPU seconds of each, of a few rounds, and of one where that takes seconds."""
    times: tuple[list[float], list[float]] = ([], [])
    while len(times[0]) < _ROUNDS and sum(times[0]) < _ENOUGH:
        for function, seconds in zip((ours, baseline), times, strict=True):
            seconds.append(cpu_seconds(function))
    return median(times[0]), median(times[1])


def cpu_seconds(function: Callable[[], object]) -> float:
    """The CPU seconds of one call."""
    start = process_time()
    function()
    return process_time() - start


# --- Memory


class Memory(NamedTuple):
    """What a check takes at its peak beyond what is loaded before it."""

    name: str
    pairs: int
    bytes: int


def memory(name: str) -> Memory:
    """Measured in a process of its own."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=fresh) as pool:
        return pool.submit(_memory, name).result()


def _memory(name: str) -> Memory:
    priced = PRICED[name]()
    before = peak()
    pairs = checked(priced).pairs.covered
    return Memory(name, pairs, peak() - before)


def peak() -> int:
    """The most bytes that this process has held, and not what its parent did before it, which getrusage counts."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) << 10


# --- Samples of long inputs


class Long(NamedTuple):
    """CPU seconds of one outcome on so many rows."""

    name: str
    rows: int
    seconds: float


def spread_rows(rows: int, bits: int) -> tuple[int, ...]:
    """Rows around the middle of [0, 2^bits)."""
    source = random.Random(1)
    return tuple((source.getrandbits(bits) + source.getrandbits(bits)) // 2 for _ in range(rows))


def labelled(rows: int, bits: int) -> tuple[tuple[int, int], ...]:
    """Rows with labels that the threshold 2^bits/3 gives them."""
    return tuple((x, int(3 * x < 1 << bits)) for x in spread_rows(rows, bits))


def drawn_by_rec_concave(rows: int, bits: int) -> float:
    """One index, of a quality with as many breaks."""
    quality = threshold_quality(labelled(rows, bits), bits)
    given: dict[str, Any] = {"alpha": Fraction(1, 20), "epsilon": Fraction(1, 3), "delta": Fraction(1, 10**6)}
    return cpu_seconds(lambda: run(maximise_quasi_concave, quality, seed=1, promise=rows, depth=3, **given))


def drawn_by_learn_thresholds(rows: int, bits: int) -> float:
    """One threshold, from the sample."""
    sample = labelled(rows, bits)
    given: dict[str, Any] = {"alpha": Fraction(1, 10), "epsilon": 1, "delta": Fraction(1, 10**6)}
    return cpu_seconds(lambda: run(learn_thresholds, sample, seed=1, d=bits, depth=3, **given))


def drawn_by_san_thresholds(rows: int, bits: int) -> float:
    """One sanitized database."""
    database = spread_rows(rows, bits)
    given: dict[str, Any] = {"alpha": Fraction(1, 2), "epsilon": 1, "delta": Fraction(1, 10**8), "calls": 40}
    return cpu_seconds(lambda: run(sanitize_thresholds, database, seed=1, d=bits, depth=1, **given))


LONG: Mapping[str, Callable[[int], float]] = {
    "RecConcave, 2^64 points": partial(drawn_by_rec_concave, bits=64),
    "RecConcave, 2^1024 points": partial(drawn_by_rec_concave, bits=1024),
    "LearnThresholds, 2^64 points": partial(drawn_by_learn_thresholds, bits=64),
    "SanThresholds, 2^64 points": partial(drawn_by_san_thresholds, bits=64),
}
"""What is drawn once from long inputs: CPU seconds by the number of rows, which all but surely differ."""

ROWS: Sequence[int] = (10_000, 100_000, 1_000_000)


def long(name: str, rows: int) -> Long:
    """One outcome, the input made and nothing remembered of it."""
    return Long(name, rows, LONG[name](rows))


# --- Runs of the compiled form beside calls of the plain function


@dataclass(frozen=True)
class Person:
    """A row of two fields with a method."""

    age: int
    height: int

    def is_adult(self) -> bool:
        """True from 18 on."""
        return self.age >= 18


def heights(draw: Draw, rows: Sequence[Person]) -> Any:
    """The sum of some heights, with noise: two attributes a row."""
    total = 0
    for row in rows:
        if row.age >= 18:
            total += row.height
    return total + draw(laplace(1))


def adults(draw: Draw, rows: Sequence[Person]) -> Any:
    """The number of some rows, with noise: a method a row."""
    total = 0
    for row in rows:
        if row.is_adult():
            total += 1
    return total + draw(laplace(1))


def appended(draw: Draw, rows: Sequence[int]) -> Any:
    """The number of rows, with noise: a list comes to a function by parameter, a row a call."""
    kept: list[int] = []
    for row in rows:
        append_to(kept, row)
    return len(kept) + draw(laplace(1))


def append_to(kept: list[int], row: int) -> None:
    """Append the row."""
    kept.append(row)


def run_and_called(
    mechanism: Callable[..., Any], rows: tuple[Any, ...]
) -> tuple[Callable[[], float], Callable[[], Any]]:
    """CPU seconds of a run, and what the plain function gives on the same rows, with no noise."""
    return lambda: cpu_seconds(lambda: run(mechanism, rows, seed=1)), lambda: mechanism(lambda _: 0, rows)


_NUMBERS = (*range(100_000),)
_PEOPLE = tuple(Person(i % 90, 150 + i % 50) for i in _NUMBERS)

# --- Checks with laws found twice beside those found once


def checked_twice(*, recheck: bool) -> float:
    """CPU seconds of a check, with laws found a second time in this process, or not."""
    domain = Multisets(range(8), size=8)
    return cpu_seconds(lambda: check_privacy(drawn_last(8), domain, replace_one, epsilon=1, recheck=recheck))


IN_TURN: Mapping[str, tuple[Callable[[], float], Callable[[], object]]] = {
    "recomputed, 8 rows of 8 kinds": (partial(checked_twice, recheck=True), partial(checked_twice, recheck=False)),
    "run, attributes of 100,000 rows": run_and_called(heights, _PEOPLE),
    "run, a method of 100,000 rows": run_and_called(adults, _PEOPLE),
    "run, 100,000 appended by parameter": run_and_called(appended, _NUMBERS),
}
"""CPU seconds of what recomputing and the compiled form cost, each with those without."""


# --- Cores


CLAIMS: Sequence[str] = ("BuNS-3*", "BuNS-4*")


class Cores(NamedTuple):
    """Seconds by the clock, and of CPU, of an audit by so many workers."""

    jobs: int
    claims: int
    seconds: float
    cpu: float


def cores(jobs: int) -> Cores:
    """An audit of the quick claims of utility among `CLAIMS`."""
    claims = selected(CLAIMS, "quick", ("utility",))
    start, before = perf_counter(), _children() + process_time()
    record = audit(claims, jobs=jobs)
    assert not record.not_decided
    return Cores(jobs, len(claims), perf_counter() - start, _children() + process_time() - before)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# --- Import


IMPORTED: Mapping[str, Sequence[str]] = {
    **{
        statement: ("-c", statement)
        for statement in (
            "import numpy",
            "from dpverify.mechanisms import laplace",
            "from dpverify.verifiers import check_privacy",
        )
    },
    "dpverify --help": ("-m", "dpverify", "--help"),
    "dpverify list, README's claim": ("-m", "dpverify", "list"),
    "dpverify audit, unchanged": ("-m", "dpverify", "audit"),
    "dpverify check, README's example": (
        *("-m", "dpverify", "check", "mylib.py:most_common"),
        *("--domain", "Multisets(range(3), sizes=range(1, 7))", "--epsilon", "1"),
    ),
}
"""What Python is told to run, by what it is called, beside the first of them; commands run where README's files are."""


class Imported(NamedTuple):
    """CPU seconds of a new interpreter that runs a statement, less those of one that does nothing."""

    statement: str
    seconds: float


def imported(statements: Iterable[str]) -> list[Imported]:
    """Each of some statements of `IMPORTED`, in turn with an interpreter that does nothing."""
    found = []
    with TemporaryDirectory() as folder:
        for name, text in re.findall(
            r"```python\n# (\w+\.py)\n(.*?)```", _README.read_text(encoding="utf-8"), re.DOTALL
        ):
            Path(folder, name).write_text(text, encoding="utf-8")
        for statement in statements:
            times: tuple[list[float], list[float]] = ([], [])
            for _ in range(_ROUNDS):
                for told, seconds in zip((IMPORTED[statement], ("-c", "")), times, strict=True):
                    before = _children()
                    run_process([sys.executable, *told], cwd=folder, stdout=DEVNULL, stderr=DEVNULL, check=True)
                    seconds.append(_children() - before)
            found.append(Imported(statement, median(times[0]) - median(times[1])))
    return found


_README: Final = Path(__file__).parents[3] / "README.md"


# --- Beside what others published


class Peer(NamedTuple):
    """Seconds that were published for finding, by samples, how private a mechanism is; see `PEERS`."""

    stat_dp: float | None
    dp_sniper: float


PEERS: Mapping[str, Peer] = {
    "LaplaceMechanism": Peer(46, 20),
    "TruncatedGeometric": Peer(352, 18),
    "NoisyHist1": Peer(505, 35),
    "NoisyHist2": Peer(817, 38),
    "ReportNoisyMax1": Peer(60, 59),
    "ReportNoisyMax2": Peer(60, 56),
    "ReportNoisyMax3": Peer(130, 59),
    "ReportNoisyMax4": Peer(129, 60),
    "SparseVectorTechnique1": Peer(352, 118),
    "SparseVectorTechnique2": Peer(403, 148),
    "SparseVectorTechnique3": Peer(5821, 150),
    "SparseVectorTechnique4": Peer(556, 123),
    "SparseVectorTechnique5": Peer(351, 56),
    "SparseVectorTechnique6": Peer(755, 91),
    "NumericalSVT": Peer(None, 142),
    "PrefixSum": Peer(3367, 92),
    "OneTimeRappor": Peer(991, 80),
    "Rappor": Peer(1178, 131),
}
"""The table of DP-Sniper (Bichsel, Steffen, Bogunovic & Vechev 2021), on 128 cores, by the names of tests/outside."""


class BesidePeer(NamedTuple):
    """A mechanism of the suite, what was published, and CPU seconds to its verdict and exact ε here."""

    name: str
    peer: Peer
    verdict: str
    epsilon: str
    seconds: float


def beside_peer(name: str) -> BesidePeer:
    """At the published ε, on the published neighbours."""
    (row,) = (row for row in PUBLISHED if row.name == name)
    forget_eliminated()
    verdicts: list[Verdict] = []
    seconds = cpu_seconds(lambda: verdicts.append(decided(row)))
    found = verdicts[0].epsilon
    return BesidePeer(
        name, PEERS[name], str(verdicts[0].status), "∞" if found is None else f"{float(found.upper):.6g}", seconds
    )


class Queries(NamedTuple):
    """Seconds that two exact tools published for sparse vector over so many queries, and CPU seconds here."""

    queries: int
    pairs: int
    dipc: float
    dip_approx: float
    seconds: float


SPARSE_VECTOR: Mapping[int, tuple[float, float]] = {1: (25, 1), 2: (106, 32), 3: (578, 279), 4: (2850, 1638)}
"""Queries → seconds of DiPC (Barthe et al. 2020) and of DiPApprox (2025), the latter at ε = 1/2."""


def beside_exact_tools(queries: int) -> Queries:
    """Sparse vector with Laplace noise, on all neighbours among {−1, 0, 1}^queries, at ε = 1/2."""
    domain = ScoreSpace(range(-1, 2), solutions=queries)
    forget_eliminated()
    verdicts: list[Verdict] = []
    given: dict[str, Any] = {"epsilon": Fraction(1, 2), "parameters": {"noise": laplace}}
    seconds = cpu_seconds(lambda: verdicts.append(check_privacy(first_below, domain, scores_linf, **given)))
    return Queries(queries, verdicts[0].pairs.covered, *SPARSE_VECTOR[queries], seconds)


Progress = Callable[[str], None]


class Figures(NamedTuple):
    """All that the page has."""

    prices: Sequence[Price]
    memories: Sequence[Memory]
    longs: Sequence[Long]
    cores: Sequence[Cores]
    imports: Sequence[Imported]
    exact_tools: Sequence[Queries]
    peers: Sequence[BesidePeer]
    programs: Mapping[str, float]
    """CPU seconds by the names of `programs.PROGRAMS`."""


def figures(most_jobs: int, say: Progress = lambda _: None) -> Figures:
    """All of them, one after another, each said before it is measured."""

    def each(what: str, names: Sequence[Any], measure: Callable[[Any], Any]) -> list[Any]:
        found = []
        for name in names:
            say(f"{what}: {name}")
            found.append(measure(name))
        return found

    jobs = [1 << i for i in range(most_jobs.bit_length())]
    cases = [(name, rows) for name in LONG for rows in ROWS]
    return Figures(
        each("cost", list(PRICED), price),
        each("memory", list(MEASURED_IN_MEMORY), memory),
        each("long input", cases, lambda case: long(*case)),
        each("workers", jobs, cores),
        each("import", ["all"], lambda _: imported(IMPORTED))[0],
        each("sparse vector of queries", list(SPARSE_VECTOR), beside_exact_tools),
        each("published", list(PEERS), beside_peer),
        dict(each("program", list(PROGRAMS), lambda name: (name, seconds_of_program(name)))),
    )
