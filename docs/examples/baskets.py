"""Write made-up baskets for the example on itemsets: python docs/examples/baskets.py baskets.txt.

A basket is a line of items, which are numbers, with spaces between. It has one to nine items, item k with a weight of
1/(k + 20), and each of the planted sets with its chance.
"""

from __future__ import annotations

import random
from itertools import accumulate
from pathlib import Path

import click
from columns import COUNT, write_made_up

ITEMS = 10_000
PLANTED = {(12, 345): 0.02, (7, 2024): 0.019, (100, 200, 300): 0.015, (42, 4242, 9999): 0.012}


def baskets(rows: int) -> str:
    """The baskets, the same at each call."""
    source = random.Random(7)
    weights = list(accumulate(1 / (k + 20) for k in range(ITEMS)))
    lines = []
    for _ in range(rows):
        basket = set(source.choices(range(ITEMS), cum_weights=weights, k=source.randint(1, 9)))
        for planted, chance in PLANTED.items():
            if source.random() < chance:
                basket.update(planted)
        lines.append(" ".join(map(str, sorted(basket))))
    return "\n".join([*lines, ""])


@click.command()
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--rows", type=COUNT, default=100_000, show_default=True)
def main(path: Path, rows: int) -> None:
    """Write made-up baskets to PATH."""
    write_made_up(path, baskets(rows), f"{rows:,} baskets")


if __name__ == "__main__":
    main()
