"""Write a made-up table of genetic markers for membership.py: python docs/examples/markers.py markers.csv.

A person has marker j, or has it not, with a share between 0.05 and 0.95 of its own, independently of all else.
"""

from __future__ import annotations

import random
from pathlib import Path

import click
from columns import COUNT, write_made_up


def markers(rows: int, columns: int) -> str:
    """The table as CSV, the same at each call."""
    source = random.Random(11)
    shares = [0.05 + 0.9 * source.random() for _ in range(columns)]
    lines = [",".join(f"m{j}" for j in range(columns))]
    for _ in range(rows):
        lines.append(",".join("1" if source.random() < share else "0" for share in shares))
    return "\n".join([*lines, ""])


@click.command()
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--rows", type=COUNT, default=6_000, show_default=True)
@click.option("--markers", "columns", type=click.IntRange(1, 5_000), default=500, show_default=True)
def main(path: Path, rows: int, columns: int) -> None:
    """Write a made-up table of markers to PATH."""
    write_made_up(path, markers(rows, columns), f"{rows:,} rows")


if __name__ == "__main__":
    main()
