"""Write a made-up table of parts from a factory: measurements, and what is wrong with each part.

python docs/examples/parts.py parts.csv

A part cracked if it is from station 17, is bent if it is from station 5, is warm if it was made below 60 degrees, and
fits if its length and width are within bounds; but for one in five hundred.
"""

from __future__ import annotations

import random
from pathlib import Path

import click
from columns import COUNT, write_made_up


def parts(rows: int) -> str:
    """The table as CSV, the same at each call."""
    source = random.Random(11)
    lines = ["station,temperature,length,width,cracked,bent,warm,fits"]
    for i in range(rows):
        station = source.choices((5, 17, source.randrange(64)), (10, 15, 75))[0]
        temperature = round(source.gauss(55, 20), 1)
        length, width = round(source.gauss(100, 8), 2), round(source.gauss(40, 6), 2)
        labels = (station == 17, station == 5, temperature < 60, 92 <= length < 108 and 34 <= width < 46)
        wrong = int(i % 500 == 0)
        lines.append(
            ",".join(map(str, (station, temperature, length, width, *(int(label) ^ wrong for label in labels))))
        )
    return "\n".join([*lines, ""])


@click.command()
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--rows", type=COUNT, default=50_000, show_default=True)
def main(path: Path, rows: int) -> None:
    """Write a table of made-up parts to PATH."""
    write_made_up(path, parts(rows), f"{rows:,} rows")


if __name__ == "__main__":
    main()
