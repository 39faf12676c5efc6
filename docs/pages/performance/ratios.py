"""`make performance`: how long each row takes beside a reference, held against what is committed.

    python -m docs.pages.performance.ratios docs                     compare all rows
    python -m docs.pages.performance.ratios docs --rows 'A_dist*'    some of them
    python -m docs.pages.performance.ratios docs --update            write the committed ratios anew

A row is a check, or an import. Its reference is the same work in float64 numpy, a loop in plain Python, or `import
numpy`: row and reference are measured in turn, so that both see the same machine, and their ratio is what counts. Three
rounds of all rows follow one another, so that a minute in which the machine does something else is in one of them.

A row is slower where two rounds are at least 1.25 times what is committed. What takes less than 20 ms is not compared,
as its ratio is noise. A row that is missing on one side fails, and so does a comparison of no rows at all.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import click
from docs.pages.performance import measures, programs
from docs.pages.performance.performance import seconds, table, times

from dpverify.verifiers.problems.neighbours.neighbours import neighbouring_pairs

FILE: Final = "performance-ratios.json"

SLOWER: Final = 1.25
"""Times the committed ratio."""

ROUNDS: Final = 3
ENOUGH_ROUNDS: Final = 2
"""Rounds in which a row has to be slower to fail: one is slower now and then of itself."""

SHORTEST: Final = 0.02
"""Seconds: what takes less is not compared."""

# --- What is compared


class Measured(NamedTuple):
    """CPU seconds of a row, and its ratio to the seconds of its reference, measured in turn."""

    seconds: float
    ratio: float


class Compared(NamedTuple):
    """A row, what is committed of it, what was measured in each round, and what that says."""

    name: str
    committed: Measured | None
    rounds: Sequence[Measured]
    says: str

    @property
    def fails(self) -> bool:
        """True where the row is slower, or missing."""
        return self.says in (IS_SLOWER, NOT_COMMITTED, NOT_MEASURED)


IS_SLOWER: Final = "SLOWER"
NOT_COMMITTED: Final = "NOT COMMITTED"
NOT_MEASURED: Final = "NOT MEASURED"
IS_SHORT: Final = "short"
IS_FASTER: Final = "faster"
IS_SAME: Final = "as before"


def compared(committed: Mapping[str, Measured], rounds: Sequence[Mapping[str, Measured]]) -> list[Compared]:
    """Each row that is committed or measured, with what the rounds say of it."""
    names = dict.fromkeys([*committed, *(name for found in rounds for name in found)])
    results = []
    for name in names:
        known, found = committed.get(name), [each[name] for each in rounds if name in each]
        results.append(Compared(name, known, found, _says(known, found, len(rounds))))
    return results


def _says(committed: Measured | None, found: Sequence[Measured], rounds: int) -> str:
    if committed is None:
        return NOT_COMMITTED
    if len(found) < rounds or not found:
        return NOT_MEASURED
    if max(committed.seconds, median(each.seconds for each in found)) < SHORTEST:
        return IS_SHORT
    slower = [each for each in found if each.ratio >= SLOWER * committed.ratio]
    faster = [each for each in found if each.ratio * SLOWER <= committed.ratio]
    if len(slower) >= ENOUGH_ROUNDS:
        return IS_SLOWER
    return IS_FASTER if len(faster) >= ENOUGH_ROUNDS else IS_SAME


def failure(rows: Sequence[Compared]) -> str | None:
    """The error that ends a comparison, which names the rows; None where all is as before."""
    failing = [f"{row.name}: {row.says}" for row in rows if row.fails]
    if failing:
        return "\n".join(failing)
    if all(row.says == IS_SHORT for row in rows):
        return f"nothing was compared: no row takes {SHORTEST:g} s"
    return None


def of_compared(rows: Sequence[Compared]) -> str:
    """A table of the rows, the committed ratio, that of each round, and what they say."""
    cells = [
        (
            row.name,
            "–" if row.committed is None else times(row.committed.ratio),
            *(times(each.ratio) for each in row.rounds),
            *("–" for _ in range(ROUNDS - len(row.rounds))),
            seconds(median(each.seconds for each in row.rounds)) if row.rounds else "–",
            row.says,
        )
        for row in rows
    ]
    return table(("row", "committed", *(f"round {i + 1}" for i in range(ROUNDS)), "seconds", ""), cells)


def read(text: str) -> dict[str, Measured]:
    """The rows of the committed file."""
    return {name: Measured(row["seconds"], row["ratio"]) for name, row in json.loads(text).items()}


def written(rows: Mapping[str, Measured]) -> str:
    """The committed file: three digits of each number."""
    digits = {name: {key: float(f"{x:.3g}") for key, x in row._asdict().items()} for name, row in rows.items()}
    return json.dumps(digits, indent=2, ensure_ascii=False) + "\n"


def to_commit(rounds: Sequence[Mapping[str, Measured]]) -> dict[str, Measured]:
    """Of each row the medians of the rounds."""
    return {name: Measured(*map(median, zip(*(found[name] for found in rounds), strict=True))) for name in rounds[0]}


# --- How it is measured


def loop() -> object:
    """A reference that does what exact checks do most: calls, tuples as keys of a dict, fractions; about 20 ms."""
    found: dict[tuple[int, int], Fraction] = {}
    for i in range(10_000):
        key = (i % 89, i % 3)
        found[key] = found.get(key, Fraction(0)) + Fraction(i, key[0] + 1)
    return found


def beside(row: Callable[[], float], reference: Callable[[], object]) -> Measured:
    """Seconds of a row and of its reference, in turn: medians of a few, and one of what takes seconds.

    A reference that takes less than 10 ms is repeated, as the clock is coarse.
    """
    repeated = max(1, round(_LEAST / max(measures.cpu_seconds(reference), _LEAST / 1000)))
    ours: list[float] = []
    theirs: list[float] = []
    while len(ours) < _MOST and sum(ours) < _ENOUGH:
        theirs.append(measures.cpu_seconds(lambda: [reference() for _ in range(repeated)]) / repeated)
        ours.append(row())
    return Measured(median(ours), median(ours) / median(theirs))


_LEAST: Final = 0.01
_MOST: Final = 5
_ENOUGH: Final = 1.0


def cost(name: str) -> Measured:
    """A whole check beside the same in float64 numpy, see `measures.price`."""
    priced = measures.PRICED[name]()
    pairs = neighbouring_pairs(list(priced.domain), priced.domain, priced.relation)
    numbers = priced.table()
    return beside(
        partial(measures.cpu_seconds, partial(measures.checked, priced)),
        lambda: measures.float_delta(priced.float_laws(numbers), pairs.left, pairs.right),
    )


def imported(statement: str) -> Measured:
    """An import beside that of numpy."""
    ours, theirs = measures.imported((statement, next(iter(measures.IMPORTED))))
    return Measured(ours.seconds, ours.seconds / theirs.seconds)


def rows_of_today() -> dict[str, Callable[[], Measured]]:
    """The rows of the page whose ratio says something of this library, by their names there, each with its measure."""
    rows: dict[str, Callable[[], Measured]] = {name: partial(cost, name) for name in measures.PRICED}
    own: dict[str, Callable[[], float]] = {
        f"{name}, {count:,} rows": partial(draw, count)
        for name, draw in measures.LONG.items()
        for count in measures.ROWS
    }
    own |= {
        f"sparse vector, queries: {n}": partial(_seconds_of, measures.beside_exact_tools, n)
        for n in measures.SPARSE_VECTOR
    }
    own |= {name: partial(_seconds_of, measures.beside_peer, name) for name in measures.PEERS}
    own |= {name: partial(programs.seconds, name) for name in programs.PROGRAMS}
    rows |= {name: partial(beside, measure, loop) for name, measure in own.items()}
    rows |= {name: partial(beside, *pair) for name, pair in measures.IN_TURN.items()}
    return rows | {statement: partial(imported, statement) for statement in [*measures.IMPORTED][1:]}


def _seconds_of(measure: Callable[[Any], Any], case: Any) -> float:
    return float(measure(case).seconds)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--rows", "pattern", default="*", help="The rows, by their names, with * for any text.")
@click.option("--update", is_flag=True, help="Write the ratios to FOLDER in place of comparing them.")
def main(folder: Path, pattern: str, update: bool) -> None:
    """Compare each row with its committed ratio in FOLDER; fail where one is slower, and name it."""
    file = folder / FILE
    today = rows_of_today()
    known = read(file.read_text(encoding="utf-8")) if file.is_file() else {}
    chosen = {name: row for name, row in today.items() if fnmatchcase(name, pattern)}
    if not chosen:
        raise click.UsageError(f"--rows {pattern!r}: no such row; there are\n  " + "\n  ".join(today))
    rounds: list[dict[str, Measured]] = []
    for i in range(ROUNDS):
        rounds.append({})
        for name, measure in chosen.items():
            click.echo(f"round {i + 1} of {ROUNDS}: {name}", err=True)
            rounds[-1][name] = measure()
    before = {name: row for name, row in known.items() if fnmatchcase(name, pattern)}
    found = compared(to_commit(rounds) if update else before, rounds)
    click.echo(of_compared(found))
    if update:
        kept = {name: row for name, row in known.items() if name in today} | to_commit(rounds)
        file.write_text(written({name: kept[name] for name in today if name in kept}), encoding="utf-8")
        click.echo(f"wrote {file}")
        return
    error = failure(found)
    if error is not None:
        click.echo(f"{error}\n\nIf that is meant: make performance UPDATE=1", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
