"""Learn a private threshold for a column of numbers of a CSV file.

python docs/examples/threshold.py people.csv --value age --label bought

The label is 0 or 1, and is 1 below the threshold, or above it with --above. Every number that a double can hold is a
point of the domain, in order, so that no bounds have to be known: 2^64 points. The learner is RecConcave with the
corrected A_dist, as `dpverify explain BNS-J-3.18.privacy.corrected` judges it.
"""

from __future__ import annotations

import csv
import struct
from fractions import Fraction
from math import isfinite
from pathlib import Path

import click

from dpverify.mechanisms import InputError, Threshold, a_dist, learn_thresholds, rows_for_thresholds, run
from dpverify.mechanisms.concepts import correct_labels

BITS = 64
BETA = Fraction(1, 10)


def place_of(value: float) -> int:
    """A whole number from 0 to 2^64 − 1, in the order of the numbers."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", value + 0.0))  # −0.0 becomes 0.0
    return int(bits ^ ((1 << BITS) - 1) if bits >> (BITS - 1) else bits | 1 << (BITS - 1))


def value_at(place: int) -> float:
    """The reverse of `place_of`."""
    bits = place ^ (1 << (BITS - 1)) if place >> (BITS - 1) else place ^ ((1 << BITS) - 1)
    (value,) = struct.unpack(">d", struct.pack(">Q", bits))
    return float(value)


def read(path: Path, value: str, label: str, above: bool) -> list[tuple[int, int]]:
    """The examples of a file. Raises `InputError`, naming the line, where it is not what it is said to be."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file, strict=True)
        columns = reader.fieldnames or []
        for name in (value, label):
            if name not in columns:
                raise InputError(f"{path} has no column {name}: it has {', '.join(columns) or 'none'}")
        return [_example(path, reader.line_num, row, value, label, above) for row in reader]


def _example(path: Path, line: int, row: dict[str, str], value: str, label: str, above: bool) -> tuple[int, int]:
    if None in row or None in row.values():
        raise InputError(f"{path}, line {line}: not as many fields as the header has")
    try:
        number = float(row[value])
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise InputError(f"{path}, line {line}: {value} is {row[value]!r}, which is no number")
    if row[label].strip() not in ("0", "1"):
        raise InputError(f"{path}, line {line}: {label} is {row[label]!r}, neither 0 nor 1")
    return place_of(number), int(row[label]) ^ above


@click.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--value", required=True, help="The column of numbers.")
@click.option("--label", required=True, help="The column of labels, 0 or 1.")
@click.option("--above", is_flag=True, help="The label is 1 above the threshold.")
@click.option("--epsilon", default="1", show_default=True)
@click.option("--delta", default="1e-6", show_default=True)
@click.option("--alpha", default="0.1", show_default=True, help="The share of wrong labels that is accepted.")
@click.option("--depth", default=2, show_default=True, help="The number of calls of RecConcave, N.")
@click.option("--seed", type=int, help="For tests: the answer is repeatable, and not private.")
def main(
    path: Path, value: str, label: str, above: bool, epsilon: str, delta: str, alpha: str, depth: int, seed: int | None
) -> None:
    """Learn a threshold of the column VALUE of a CSV file, privately."""
    try:
        sample = read(path, value, label, above)
        needed = rows_for_thresholds(d=BITS, depth=depth, alpha=alpha, beta=BETA, epsilon=epsilon, delta=delta)
        found = run(
            learn_thresholds,
            tuple(sample),
            seed=seed,
            d=BITS,
            alpha=alpha,
            epsilon=epsilon,
            delta=delta,
            depth=depth,
            selection=a_dist,
        )
    except (InputError, OSError, UnicodeDecodeError, csv.Error) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{len(sample):,} rows; ({epsilon}, {delta})-private when one of them is replaced.")
    if len(sample) < needed:
        click.echo(
            f"Theorem 3.18 asks for {needed:,} rows to be wrong on at most {alpha} with probability 0.9; with fewer it "
            "may be, or find none.",
            err=True,
        )
    if not isinstance(found, Threshold):
        click.echo("No threshold stood out (⊥).")
        return
    side = "from here on" if above else "below"
    click.echo(f"{label} is 1 {side}: {value} {'≥' if above else '<'} {_shown(found.j)}")
    if seed is not None:
        click.echo(f"(not private: it labels {correct_labels(found, sample) / len(sample):.1%} of the rows as given)")


def _shown(place: int) -> str:
    return "∞" if place == 1 << BITS else f"{value_at(place):g}"


if __name__ == "__main__":
    main()
