"""Find the frequent values of a column of a CSV file, privately, without a list of the values that there may be.

python docs/examples/frequent.py people.csv --value city

The domain is every text of at most --bytes bytes, and only the values that are found are ever looked at. The sanitizer
is SanPoints, as `dpverify explain BNS-J-4.6.privacy.printed` judges it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click
from columns import ALTHOUGH_OPTION, BETA, epsilon_up_to_1000, privacy_of, read, refuse_where_not_shown, too_few

from dpverify.mechanisms import InputError, exact, log, run, sample_size
from dpverify.mechanisms.sanitizers import sanitize_points, share_of
from dpverify.mechanisms.sanitizers.points_sanitizer import Estimates
from dpverify.reports.curves import plot_svg
from dpverify.reports.writing import check_targets, write_reports


def point_of(text: str) -> int:
    """A whole number that stands for a text, and for no other."""
    return int.from_bytes(b"\x01" + text.encode(), "big")


def text_of(point: int) -> str:
    """The reverse of `point_of`."""
    return point.to_bytes((point.bit_length() + 7) // 8, "big")[1:].decode()


def visible(text: str) -> str:
    """The text, or how Python writes it where it would not be seen, or do something else to a terminal."""
    return text if text.strip() and text.isprintable() else repr(text)


@click.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--value", required=True, help="The column of values.")
@click.option("--epsilon", default="1", show_default=True)
@click.option("--delta", default="1e-6", show_default=True)
@click.option("--alpha", default="0.1", show_default=True, help="The error of the shares that is accepted.")
@click.option(
    "--bytes",
    "length",
    type=click.IntRange(1, 1 << 16),
    default=64,
    show_default=True,
    help="The longest value, in UTF-8.",
)
@click.option("--seed", type=int, help="For tests: the answer is repeatable, and not private.")
@ALTHOUGH_OPTION
@click.option("--compare", type=click.Path(path_type=Path), help="An SVG of the data beside it, which is not private.")
def main(
    path: Path,
    value: str,
    epsilon: str,
    delta: str,
    alpha: str,
    length: int,
    seed: int | None,
    although: bool,
    compare: Path | None,
) -> None:
    """Print the frequent values of the column VALUE of a CSV file, with their shares, privately."""
    try:
        check_targets([] if compare is None else [compare], read=path)
        if exact(epsilon_up_to_1000(epsilon), "epsilon") > 2 * log(5 / exact(delta, "delta")):
            raise InputError(f"epsilon={epsilon} is beyond 2·ln(5/δ), where the proof of Theorem 4.6 ends")
        rows = tuple(_point(where, text, value, length) for where, (text,) in read(path, value))
        needed = sample_size(sanitize_points, alpha=alpha, beta=BETA, epsilon=epsilon, delta=delta)
        refuse_where_not_shown(too_few(len(rows), needed, "Theorem 4.6", epsilon, delta), seed, although)
        d = 8 * (length + 1)
        found = run(sanitize_points, rows, seed=seed, d=d, alpha=alpha, epsilon=epsilon, delta=delta)
        if compare is not None:
            write_reports({compare: _plot(rows, found, value)})
    except InputError as error:
        raise click.ClickException(str(error)) from None
    click.echo(privacy_of(len(rows), needed, "Theorem 4.6", epsilon, delta, seed))
    if len(rows) < needed:
        click.echo(
            f"Theorem 4.6 asks for {needed:,} rows for that and for an error of at most {alpha} with probability 0.9: "
            "allow a larger epsilon or alpha.",
            err=True,
        )
    if not found:
        click.echo("No value stood out.")
    for point in sorted((point for point, _ in found), key=lambda point: -share_of([point], found)):
        click.echo(f"{float(share_of([point], found)):7.2%}  {visible(text_of(point))}")


def _point(where: str, text: str, name: str, length: int) -> int:
    if len(text.encode()) > length:
        raise InputError(f"{where}: {name} is longer than {length} bytes: cut it, or allow more with --bytes")
    return point_of(text)


def _plot(rows: tuple[int, ...], found: Estimates, value: str) -> str:
    """The true shares of the values that occur most and of those found, by rank, and the released ones."""
    count = Counter(rows)
    shown = sorted({*dict(count.most_common(8)), *dict(found)}, key=lambda x: (-count[x], x))
    places = [(i + 0.5) / len(shown) for i in range(len(shown))]
    curves = {
        "true": [(place, count[x] / len(rows)) for place, x in zip(places, shown, strict=True)],
        "released": [(place, float(share_of([x], found))) for place, x in zip(places, shown, strict=True)],
    }
    ticks = [(place, visible(text_of(x))[:10]) for place, x in zip(places, shown, strict=True)]
    return plot_svg(f"Values of {value}: not private", curves, ticks, value, "share of rows")


if __name__ == "__main__":
    main()
