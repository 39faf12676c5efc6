"""Learn a private threshold for a column of numbers of a CSV file.

python docs/examples/threshold.py people.csv --value age --label bought

The label is 0 or 1, and is 1 below the threshold, or above it with --above. The learner is RecConcave with the
corrected A_dist, as `dpverify explain BNS-J-3.18.privacy.corrected` judges it.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from pathlib import Path

import click
from columns import BETA, BITS, COUNT, epsilon_up_to_1000, place_in, privacy_of, read, shown, value_at

from dpverify.mechanisms import InputError, run, sample_size
from dpverify.mechanisms.learners import learn_thresholds
from dpverify.mechanisms.sanitizers import Threshold
from dpverify.mechanisms.sanitizers.concepts import Example, correct_labels
from dpverify.reports.curves import plot_svg
from dpverify.reports.writing import check_targets, write_reports


@click.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--value", required=True, help="The column of numbers.")
@click.option("--label", required=True, help="The column of labels, 0 or 1.")
@click.option("--above", is_flag=True, help="The label is 1 above the threshold.")
@click.option("--epsilon", default="1", show_default=True)
@click.option("--delta", default="1e-6", show_default=True)
@click.option("--alpha", default="0.1", show_default=True, help="The share of wrong labels that is accepted.")
@click.option("--depth", type=COUNT, default=2, show_default=True, help="The number of calls of RecConcave, N.")
@click.option("--seed", type=int, help="For tests: the answer is repeatable, and not private.")
@click.option("--compare", type=click.Path(path_type=Path), help="An SVG of the data beside it, which is not private.")
def main(
    path: Path,
    value: str,
    label: str,
    above: bool,
    epsilon: str,
    delta: str,
    alpha: str,
    depth: int,
    seed: int | None,
    compare: Path | None,
) -> None:
    """Learn a threshold of the column VALUE of a CSV file, privately."""
    try:
        check_targets([] if compare is None else [compare], read=path)
        epsilon = epsilon_up_to_1000(epsilon)
        sample = tuple(
            _example(where, place, bit, value, label, above) for where, (place, bit) in read(path, value, label)
        )
        if not sample:
            raise InputError(f"{path}: the sample is empty, as there are no rows below the header")
        needed = sample_size(
            learn_thresholds, d=BITS, depth=depth, alpha=alpha, beta=BETA, epsilon=epsilon, delta=delta
        )
        found = run(
            learn_thresholds,
            sample,
            seed=seed,
            d=BITS,
            alpha=alpha,
            epsilon=epsilon,
            delta=delta,
            depth=depth,
        )
        if compare is not None:
            write_reports({compare: _plot(sample, found, value)})
    except InputError as error:
        raise click.ClickException(str(error)) from None
    click.echo(privacy_of(len(sample), 0, "", epsilon, delta, seed))
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
    click.echo(f"{label} is 1 {side}: {value} {'≥' if above else '<'} {shown(found.j)}")
    if seed is not None:
        click.echo(f"(not private: it labels {correct_labels(found, sample) / len(sample):.1%} of the rows as given)")


def _example(where: str, number: str, label: str, value_name: str, label_name: str, above: bool) -> Example:
    if label.strip() not in ("0", "1"):
        raise InputError(f"{where}: {label_name} is {label!r}, neither 0 nor 1")
    return place_in(where, value_name, number), int(label) ^ above


def _plot(sample: tuple[Example, ...], found: object, value: str) -> str:
    """The share of rows that each threshold labels as given, over the rows in order, and the threshold found."""
    rows = sorted(sample)
    zeros = sum(1 - y for _, y in rows)
    correct = [zeros, *accumulate((2 * y - 1 for _, y in rows), initial=zeros)][1:]
    steps = range(0, len(rows) + 1, max(1, len(rows) // 400))
    curves = {"labels as given": [(i / len(rows), correct[i] / len(rows)) for i in steps]}
    if isinstance(found, Threshold):
        at = bisect_left(rows, (found.j, 0)) / len(rows)
        curves["private threshold"] = [(at, 0.0), (at, 1.0)]
    ticks = [(q, f"{value_at(rows[min(int(q * len(rows)), len(rows) - 1)][0]):g}") for q in (0, 0.25, 0.5, 0.75, 1)]
    return plot_svg(f"Thresholds of {value}: not private", curves, ticks, f"{value}, at its quantiles", "share of rows")


if __name__ == "__main__":
    main()
