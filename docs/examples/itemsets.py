"""Find the most frequent itemset of baskets, privately, among all itemsets that there might be.

python docs/examples/itemsets.py baskets.txt --size 2

A line of the file is a basket: items, which are whole numbers, with spaces between. By default every number of 64 bits
is an item, so that no list of items has to be known; itemsets that no basket holds are counted and never listed. The
mechanism is LMM, as `dpverify explain CHS-4.1.privacy.printed` judges it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, log
from pathlib import Path

import click
from columns import BITS, COUNT, epsilon_up_to_1000
from utility import Levels, Utility, of_exponential, of_laplaces, of_large_margin

from dpverify.mechanisms import InputError, decimal, exact, run
from dpverify.mechanisms.numbers.integers.parameters import open_unit
from dpverify.mechanisms.outputs.long_sequences import length
from dpverify.mechanisms.release import frequent_itemset, itemset_levels
from dpverify.reports.curves import plot_svg
from dpverify.reports.writing import check_targets, write_reports

Basket = tuple[int, ...]
EPSILONS = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1")
PLOTTED = (0.3, 0.1)
POWERS = range(4, 101, 2)
"""The numbers of items in the plot, as powers of 10."""


def read(path: Path, items: int) -> tuple[Basket, ...]:
    """The baskets of a file. Raises `InputError`, naming the line, for what is no basket, and where there is none."""
    found = []
    try:
        with path.open(encoding="utf-8-sig") as file:
            for i, line in enumerate(file, start=1):
                found.append(_basket(f"{path}, line {i}", line, items))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from None
    if not found:
        raise InputError(f"{path} is empty: expected a basket a line, items with spaces between")
    return tuple(found)


def _basket(where: str, line: str, items: int) -> Basket:
    basket = []
    for text in line.split():
        if not (text.isascii() and text.isdigit() and len(text) <= 400):
            raise InputError(f"{where}: expected whole numbers with spaces between, got {text[:20]!r}")
        basket.append(int(text))
        if basket[-1] >= items:
            raise InputError(f"{where}: expected items from 0 to {items - 1}, got {text[:20]}")
    if not basket:
        raise InputError(f"{where}: expected at least one item, got an empty line")
    if len(set(basket)) < len(basket):
        raise InputError(f"{where}: expected each item once, got one that is repeated")
    return tuple(basket)


def sizes_of(levels: dict[int, int], r: int, items: int) -> Levels:
    """The levels of itemsets that occur, and with them those of all others of a universe of `items`."""
    others = comb(items, r) - sum(levels.values())
    return [*((count, log(many)) for count, many in levels.items()), *([(0, log(others))] if others else [])]


def mechanisms(epsilon: float, delta: float) -> dict[str, Callable[[Levels], Utility]]:
    """What is compared, by name."""
    return {
        "large margin": lambda levels: of_large_margin(levels, epsilon, delta),
        "exponential": lambda levels: of_exponential(levels, epsilon),
        "max of Laplaces": lambda levels: of_laplaces(levels, epsilon),
    }


def table(occurring: dict[int, int], r: int, items: int, delta: float) -> str:
    """For several ε: the chance of a best itemset, and the expected loss, of each mechanism."""
    lines = [f"{'ε':>6}" + "".join(f"{name:>26}" for name in mechanisms(1, delta))]
    for epsilon in EPSILONS:
        made = [of(sizes_of(occurring, r, items)) for of in mechanisms(float(epsilon), delta).values()]
        lines.append(f"{epsilon:>6}" + "".join(f"{u.best:>14.4f}, loss{u.lost:>7.0f}" for u in made))
    return "\n".join(lines)


def plot(occurring: dict[int, int], r: int, delta: str) -> str:
    """The chance of a best itemset against the number of items, of which only those in no basket grow."""
    place_of = {power: (power - POWERS[0]) / (POWERS[-1] - POWERS[0]) for power in POWERS}
    at = {power: sizes_of(occurring, r, 10**power) for power in POWERS}
    curves = {
        f"{name}, ε = {epsilon}": [(place, min(1.0, of(at[power]).best)) for power, place in place_of.items()]
        for epsilon in PLOTTED
        for name, of in mechanisms(epsilon, number(delta)).items()
        if name != "max of Laplaces"  # nearly as the exponential mechanism
    }
    ticks = [(place, f"10^{power}") for power, place in place_of.items() if power % 16 == 4]
    title = f"Pr[the most frequent set of {r}], δ = {delta}: not private"
    return plot_svg(title, curves, ticks, "items that there might be", "probability")


def number(text: str) -> float:
    """A number for tables and plots."""
    return float(decimal(exact(text), 12))


@click.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--size", type=click.IntRange(1, 5), default=2, show_default=True, help="Items of an itemset.")
@click.option("--items", type=COUNT, default=1 << BITS, show_default="2^64", help="Items that there might be.")
@click.option(
    "--longest",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Items of a basket that count, the smallest: else one basket would decide what time and memory it takes.",
)
@click.option("--epsilon", default="1", show_default=True)
@click.option("--delta", default="1e-6", show_default=True)
@click.option("--seed", type=int, help="For tests: the answer is repeatable, and not private.")
@click.option(
    "--table", "tabled", is_flag=True, help="A table of what other mechanisms would do, which is not private."
)
@click.option("--compare", type=click.Path(path_type=Path), help="A plot of that as SVG, which is not private.")
def main(
    path: Path,
    size: int,
    items: int,
    longest: int,
    epsilon: str,
    delta: str,
    seed: int | None,
    tabled: bool,
    compare: Path | None,
) -> None:
    """Print the most frequent set of SIZE items of the baskets in PATH, privately."""
    try:
        check_targets([] if compare is None else [compare], read=path)
        epsilon_up_to_1000(epsilon)
        open_unit(delta, "delta")
        if tabled and number(delta) < 1e-300:
            raise InputError(f"delta={delta} is too small for the table, which is in floating point")
        baskets = read(path, items)
        if size > items:
            raise InputError(f"r={size} is more than there are items, {items}")
        found = run(
            frequent_itemset, baskets, seed=seed, r=size, items=items, longest=longest, epsilon=epsilon, delta=delta
        )
        text = ""
        if tabled or compare is not None:
            levels = itemset_levels(baskets, r=size, items=items, longest=longest)
            occurring = {count: length(block) for count, block in levels.items() if count}
            text = table(occurring, size, items, number(delta)) if tabled else ""
            if compare is not None:
                write_reports({compare: plot(occurring, size, delta)})
    except InputError as error:
        raise click.ClickException(str(error)) from None
    promised = f"({epsilon}, {delta})-private when one of them is replaced."
    click.echo(
        f"{len(baskets):,} baskets; {promised if seed is None else 'not private: the seed repeats the release.'}"
    )
    click.echo(" ".join(map(str, found)))
    if text:
        click.echo(f"(not private: the chance of the most frequent, and the baskets lost, at δ = {delta})\n{text}")


if __name__ == "__main__":
    main()
