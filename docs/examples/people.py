"""Write a table of made-up people for the other examples: python docs/examples/people.py people.csv.

Ages are uniform on [18, 80], and who is younger than 40.5 has bought, but for one in five hundred; three in ten live in
Lyon, four in Paris, 12 % in Nice, 8 % in Brest, 3 % in Metz, the others in places of their own; incomes are lognormal.
"""

from __future__ import annotations

import random
from pathlib import Path

import click
from columns import COUNT, write_made_up

CITIES = {"Paris": 40, "Lyon": 30, "Nice": 12, "Brest": 8, "": 7, "Metz": 3}


def people(rows: int) -> str:
    """The table as CSV, the same at each call."""
    source = random.Random(7)
    lines = ["age,bought,city,income"]
    for i in range(rows):
        age = round(source.uniform(18, 80), 2)
        city = source.choices(list(CITIES), list(CITIES.values()))[0] or f"hamlet {i}"
        income = round(source.lognormvariate(10, 0.6), 2)
        lines.append(f"{age},{int((age < 40.5) != (i % 500 == 0))},{city},{income}")
    return "\n".join([*lines, ""])


@click.command()
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--rows", type=COUNT, default=100_000, show_default=True)
def main(path: Path, rows: int) -> None:
    """Write a table of made-up people to PATH."""
    write_made_up(path, people(rows), f"{rows:,} rows")


if __name__ == "__main__":
    main()
