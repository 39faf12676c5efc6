"""Write a made-up survey of yes-or-no questions for marginals.py: python docs/examples/survey.py survey.csv.

Two in five people are of one kind, the others of another. Question i is answered with yes by a share of people between
0.1 and 0.9, which being of the first kind raises by 0.25 for odd i, and lowers by as much for even i; the second kind
has 0.17 the other way; all between 0.03 and 0.97. Given the kind, answers are independent.
"""

from __future__ import annotations

import random
from pathlib import Path

import click
from columns import COUNT, write_made_up


def survey(rows: int, questions: int) -> str:
    """The table as CSV, the same at each call."""
    source = random.Random(5)
    shares = [0.1 + 0.8 * source.random() for _ in range(questions)]
    shifted = {
        shift: [min(0.97, max(0.03, share + (shift if i % 2 else -shift))) for i, share in enumerate(shares)]
        for shift in (0.25, -0.17)
    }
    lines = [",".join(f"q{i}" for i in range(questions))]
    for _ in range(rows):
        yes = shifted[0.25 if source.random() < 0.4 else -0.17]
        lines.append(",".join("1" if source.random() < share else "0" for share in yes))
    return "\n".join([*lines, ""])


@click.command()
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--rows", type=COUNT, default=100_000, show_default=True)
@click.option("--questions", type=click.IntRange(1, 24), default=16, show_default=True)
def main(path: Path, rows: int, questions: int) -> None:
    """Write a made-up survey to PATH."""
    write_made_up(path, survey(rows, questions), f"{rows:,} rows")


if __name__ == "__main__":
    main()
