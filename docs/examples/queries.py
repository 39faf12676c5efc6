"""Release the shares of all parities, or of all conjunctions, of a few columns of 0s and 1s of a CSV file.

python docs/examples/queries.py survey.csv --column q0 --column q1 --column q2 --column q3

PrivLearn learns for each threshold which queries reach it, from a private oracle: by the Harmonic Sieve, which asks for
every parity of the columns (`sieve`), or by boosting parities of few bits from labelled examples (`low-weight`), of
conjunctions. `dpverify explain HRS-6.2.privacy.every-epsilon` judges the first, and HRS-6.4 the second.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click
from cells import PATH_ARGUMENT, SEED_OPTION, asks_for, label_in
from columns import BETA, COUNT, epsilon_up_to_1000, privacy_of, read

from dpverify.mechanisms import InputError, exact, run, sample_size, uniform
from dpverify.mechanisms.learners import Parity
from dpverify.mechanisms.release import (
    Conjunction,
    learn_low_weight_parities,
    learn_majority_of_parities,
    release_by_learning,
)
from dpverify.reports.curves import plot_svg
from dpverify.reports.writing import check_targets, write_reports

GAMMA = "1/4"
"""The share of the queries that may have a larger error."""

EDGES, WEIGHT, SAMPLES = {"sieve": "1/16", "low-weight": "1/8"}, 2, 200
"""Larger edges than the analysis has, bits of a parity, and examples: the release is as private, and less accurate."""

MOST_COLUMNS, MOST_THRESHOLDS = 6, 60


@click.command()
@PATH_ARGUMENT
@click.option(
    "--by", type=click.Choice(("sieve", "low-weight")), default="sieve", show_default=True, help="The learner."
)
@click.option("--column", "columns", required=True, multiple=True, help="A column of 0s and 1s; give it several times.")
@click.option("--epsilon", default="1", show_default=True)
@click.option("--alpha", default="0.25", show_default=True, help="The error of the shares that is accepted.")
@click.option("--rows", "most", type=COUNT, help="Only the first rows.")
@SEED_OPTION
@click.option("--compare", type=click.Path(path_type=Path), help="An SVG of the data beside it, which is not private.")
def main(
    path: Path,
    by: str,
    columns: tuple[str, ...],
    epsilon: str,
    alpha: str,
    most: int | None,
    seed: int | None,
    compare: Path | None,
) -> None:
    """Release how large a share of the rows of a CSV file satisfies each query about its columns, privately."""
    try:
        check_targets([] if compare is None else [compare], read=path)
        epsilon_up_to_1000(epsilon)
        d = len(columns)
        if d > MOST_COLUMNS or len(set(columns)) < d:
            raise InputError(f"give at most {MOST_COLUMNS} columns, each once")
        if sample_size(release_by_learning, "thresholds", alpha=alpha) > MOST_THRESHOLDS:
            raise InputError(f"alpha={alpha} takes more than {MOST_THRESHOLDS} thresholds: allow a larger error")
        rows = tuple(_row(where, columns, fields) for where, fields in read(path, *columns))[:most]
        if not rows:
            raise InputError(f"{path}: there are no rows below the header")
        synopsis = run(release_by_learning, rows, seed=seed, **_release(by, d=d, alpha=alpha, epsilon=epsilon))
        needed = _needed(by, d=d, alpha=alpha, epsilon=epsilon)
        released = [float(synopsis(q)) for q in range(1 << d)]
        if compare is not None:
            write_reports({compare: _plot(by, rows, released, columns)})
    except InputError as error:
        raise click.ClickException(str(error)) from None
    click.echo(privacy_of(len(rows), 0, "", epsilon, "0", seed))
    what = f"for errors of at most {alpha} on 3 of 4 queries with probability 0.9"
    click.echo(asks_for("Theorem 3.9" if by == "sieve" else "Theorem 4.10", needed, len(rows), what), err=True)
    for q, share in enumerate(released[1:], 1):
        names = [name for i, name in enumerate(columns) if q >> i & 1]
        true = f"  (not private: {_share(by, rows, q):.1%})" if seed is not None else ""
        query = f"{' + '.join(names)} is odd" if by == "sieve" else " and ".join(names)
        click.echo(f"{share:6.1%}  {query}{true}")


def _row(where: str, columns: tuple[str, ...], fields: list[str]) -> int:
    return sum(label_in(where, name, text) << i for i, (name, text) in enumerate(zip(columns, fields, strict=True)))


def _parity(q: int, row: int) -> int:
    return Parity(q)(row)


def _conjunction(q: int, row: int) -> int:
    return Conjunction(q)(row)


def _release(by: str, *, d: int, alpha: str, epsilon: str) -> dict[str, Any]:
    """The arguments of PrivLearn: it asks about as many queries as there are, or about the examples alone."""
    same = {"queries": uniform(range(1 << d)), "alpha": alpha, "beta": BETA, "gamma": GAMMA, "epsilon": exact(epsilon)}
    if by == "sieve":
        learner = partial(_sieve, d=d)
        return {
            **same,
            "predicate": _parity,
            "learner": learner,
            "samples": 1,
            "bound": sample_size(release_by_learning, "thresholds", alpha=alpha) * ((1 << d) + 1),
        }
    learner = partial(_low_weight, d=d)
    given = {"predicate": _conjunction, "learner": learner, "samples": SAMPLES, "bound": SAMPLES, "evaluation": False}
    return {**same, **given}


def _sieve(draw: Any, examples: Any, ask: Any, /, *, d: int, **given: Any) -> Any:
    return learn_majority_of_parities(draw, examples, ask, d=d, edge=EDGES["sieve"], **given)


def _low_weight(draw: Any, examples: Any, ask: Any, /, *, d: int, **given: Any) -> Any:
    return learn_low_weight_parities(draw, examples, ask, d=d, weight=min(WEIGHT, d), edge=EDGES["low-weight"], **given)


def _needed(by: str, *, d: int, alpha: str, epsilon: str) -> int:
    def examples(n: int, gamma: Any, beta: Any) -> int:
        if by == "sieve":
            queries: int = sample_size(learn_majority_of_parities, "queries", n=n, gamma=gamma, beta=beta, d=d)
            return queries
        needed: int = sample_size(
            learn_low_weight_parities,
            "examples",
            gamma=gamma,
            beta=beta,
            d=d,
            weight=min(WEIGHT, d),
            edge=EDGES["low-weight"],
        )
        return needed

    accuracy = {"alpha": alpha, "beta": BETA, "gamma": GAMMA, "epsilon": exact(epsilon)}
    return sample_size(release_by_learning, queries=1 << d, examples=examples, evaluation=by == "sieve", **accuracy)


def _share(by: str, rows: tuple[int, ...], q: int) -> float:
    predicate = _parity if by == "sieve" else _conjunction
    return sum(predicate(q, row) for row in rows) / len(rows)


def _plot(by: str, rows: tuple[int, ...], released: list[float], columns: tuple[str, ...]) -> str:
    """The true share of each query, in rising order, and the released one."""
    order = sorted((_share(by, rows, q), share) for q, share in enumerate(released))
    at = [(i + 0.5) / len(order) for i in range(len(order))]
    curves = {
        "true": [(x, true) for x, (true, _) in zip(at, order, strict=True)],
        "released": [(x, share) for x, (_, share) in zip(at, order, strict=True)],
    }
    title = f"{'Parities' if by == 'sieve' else 'Conjunctions'} of {', '.join(columns)}: not private"
    return plot_svg(title, curves, [(0.0, "0 %"), (1.0, "100 %")], "queries, by their share", "share of rows")


if __name__ == "__main__":
    main()
