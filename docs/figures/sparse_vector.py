"""Write docs/sparse-vector.md: python docs/figures/sparse_vector.py docs.

The sparse vector technique in all its published variants, each with its exact smallest ε.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from dpverify.mechanisms import Exact, discrete_laplace, laplace
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.selection import first_below, numerical_svt, svt1, svt2, svt3, svt4, svt5, svt6
from dpverify.reports.numbers import equal_to
from dpverify.reports.writing import write_reports
from dpverify.verifiers import ScoreSpace, check_privacy, scores_l1, scores_linf
from dpverify.verifiers.questions.moves import NeighbourRelation
from dpverify.verifiers.tables.enclosed import enclosed


class Variant(NamedTuple):
    """A variant: its name and parameters, and up to how many queries of {−1, 0, 1} and of {0, 1} it is looked at."""

    name: str
    mechanism: Mechanism
    parameters: Mapping[str, Any]
    most: tuple[int, int]


_CONTINUOUS: Final = {"noise": laplace}
_DISCRETE: Final = {"noise": discrete_laplace}

VARIANTS: Final = (
    Variant("1, Lap", svt1, _CONTINUOUS, (7, 7)),
    Variant("1, discrete", svt1, _DISCRETE, (6, 7)),
    Variant("2, c = 2, Lap", svt2, {**_CONTINUOUS, "count": 2}, (4, 6)),
    Variant("2, c = 2, discrete", svt2, {**_DISCRETE, "count": 2}, (4, 6)),
    Variant("3, Lap", svt3, _CONTINUOUS, (3, 4)),
    Variant("3, discrete", svt3, _DISCRETE, (3, 5)),
    Variant("4, Lap", svt4, _CONTINUOUS, (6, 7)),
    Variant("4, discrete", svt4, _DISCRETE, (5, 7)),
    Variant("5, Lap", svt5, _CONTINUOUS, (4, 7)),
    Variant("5, discrete", svt5, _DISCRETE, (4, 7)),
    Variant("6, Lap", svt6, _CONTINUOUS, (4, 6)),
    Variant("6, discrete", svt6, _DISCRETE, (4, 6)),
    Variant("numerical, Lap", numerical_svt, {**_CONTINUOUS, "released": laplace}, (3, 4)),
    Variant("numerical, discrete numbers", numerical_svt, {**_CONTINUOUS, "released": discrete_laplace}, (3, 4)),
    Variant("first below, Lap", first_below, _CONTINUOUS, (6, 7)),
)
QUERIES: Final = range(1, 8)
RELATIONS: Final = (scores_linf, scores_l1)
SCORES: Final = (range(-1, 2), range(2))


class Row(NamedTuple):
    """The exact ε of a variant at ε = 1 for 1, 2, … queries under a relation; None where it is infinite."""

    variant: Variant
    scores: range
    relation: NeighbourRelation
    epsilons: tuple[Exact | None, ...]


def row(variant: Variant, scores: range, relation: NeighbourRelation, most: int) -> Row:
    """One row, up to `most` queries. Each verdict covers all pairs of neighbours."""
    found = []
    for n in range(1, most + 1):
        verdict = check_privacy(
            variant.mechanism,
            ScoreSpace(scores, solutions=n),
            relation,
            epsilon=1,
            parameters=variant.parameters,
            recheck=False,
        )
        found.append(None if verdict.epsilon is None else verdict.epsilon.exact)
    return Row(variant, scores, relation, tuple(found))


def table() -> list[Row]:
    """All rows."""
    return [
        row(variant, scores, relation, variant.most[which])
        for which, scores in enumerate(SCORES)
        for relation in RELATIONS
        for variant in VARIANTS
    ]


def page(rows: Sequence[Row]) -> str:
    """The page, in Markdown."""
    lines = [
        "# Sparse vector: the exact ε of every variant",
        "",
        "Each variant claims ε = 1; the table says what it is, decided exactly on all pairs of neighbours: for queries",
        "in {−1, 0, 1} and in {0, 1} around the threshold 0, where a row moves every query by at most 1 (ℓ∞) or one",
        "query alone (ℓ1). The numbering is Lyu, Su & Li's, who give 1.75 as a bound for algorithm 4 with c = 1, and ∞",
        "for 3, 5 and 6 as the queries become more. A blank was not looked at. `make figures` writes this page.",
    ]
    for scores in SCORES:
        for relation in RELATIONS:
            chosen = [each for each in rows if (each.scores, each.relation) == (scores, relation)]
            symbol = "ℓ∞" if relation is scores_linf else "ℓ1"
            values = ", ".join(map(str, scores)).replace("-", "−")
            lines += [
                "",
                f"## Queries in {{{values}}}, {symbol}",
                "",
                "| algorithm | " + " | ".join(f"{n} {'query' if n == 1 else 'queries'}" for n in QUERIES) + " |",
                "| --- |" + " ---: |" * len(QUERIES),
            ]
            for each in chosen:
                cells = [*map(_shown, each.epsilons), *[""] * (len(QUERIES) - len(each.epsilons))]
                lines.append(f"| {each.variant.name} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def _shown(epsilon: Exact | None) -> str:
    return "∞" if epsilon is None else equal_to(enclosed(epsilon).quantity).removeprefix("= ").removeprefix("≈ ")


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(folder: Path) -> None:
    """Write the page to FOLDER."""
    write_reports({folder / "sparse-vector.md": page(table())})


if __name__ == "__main__":
    main()
