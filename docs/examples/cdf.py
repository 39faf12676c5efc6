"""Release the distribution function of a column of numbers of a CSV file, privately.

python docs/examples/cdf.py people.csv --value age --svg age.svg

The sanitizer is SanThresholds with the corrected A_dist and, as its defaults are here, fewer calls than the paper's, so
that tables of 10^5 rows can be looked at; `dpverify explain BNS-J-4.8.privacy.printed` judges it with the printed ones.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil, isfinite
from pathlib import Path

import click
from columns import (
    ALTHOUGH_OPTION,
    BETA,
    BITS,
    COUNT,
    epsilon_up_to_1000,
    place_in,
    privacy_of,
    read,
    refuse_where_not_shown,
    shown,
    too_few,
    value_at,
)

from dpverify.mechanisms import InputError, exact, run, sample_size
from dpverify.mechanisms.counting.logarithms import log_star
from dpverify.mechanisms.sanitizers import sanitize_thresholds
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import Sanitized
from dpverify.mechanisms.selection import choosing_mechanism
from dpverify.reports.curves import plot_svg
from dpverify.reports.writing import check_targets, write_reports


@click.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--value", required=True, help="The column of numbers.")
@click.option("--epsilon", default="1", show_default=True)
@click.option("--delta", default="1e-6", show_default=True)
@click.option("--alpha", default="0.5", show_default=True, help="The error of the shares that is accepted.")
@click.option(
    "--calls",
    type=COUNT,
    default=40,
    show_default=True,
    help="The number of recursive calls; the paper takes 77/alpha.",
)
@click.option(
    "--depth", type=COUNT, default=1, show_default=True, help="The number of calls of RecConcave, N; the paper's is 4."
)
@click.option("--svg", type=click.Path(path_type=Path), help="Write the released distribution function as a plot.")
@click.option("--compare", type=click.Path(path_type=Path), help="The same with the true one, which is not private.")
@click.option("--seed", type=int, help="For tests: the answer is repeatable, and not private.")
@ALTHOUGH_OPTION
def main(
    path: Path,
    value: str,
    epsilon: str,
    delta: str,
    alpha: str,
    calls: int,
    depth: int,
    svg: Path | None,
    compare: Path | None,
    seed: int | None,
    although: bool,
) -> None:
    """Print the distribution function of the column VALUE of a CSV file, privately."""
    try:
        check_targets((target for target in (svg, compare) if target is not None), read=path)
        rows = tuple(sorted(place_in(where, value, text) for where, (text,) in read(path, value)))
        epsilon = epsilon_up_to_1000(epsilon)
        part, part_delta = sample_size(sanitize_thresholds, "part", calls=calls, epsilon=epsilon, delta=delta)
        given = {"beta": BETA, "epsilon": part, "delta": part_delta}
        private = max(
            sample_size(sanitize_thresholds, "rows for privacy", alpha=alpha, **given),
            sample_size(
                choosing_mechanism, "rows of the extended abstract", growth=2, alpha=exact(alpha, "alpha") / 64, **given
            ),
        )
        refuse_where_not_shown(too_few(len(rows), private, "Lemma 4.8", epsilon, delta), seed, although)
        printed_calls, accurate = _printed(alpha, epsilon, delta)
        found = run(
            sanitize_thresholds,
            rows,
            seed=seed,
            d=BITS,
            alpha=alpha,
            epsilon=part,
            delta=part_delta,
            calls=calls,
            depth=depth,
        )
        plots = {} if svg is None else {svg: _plot(found, {}, value)}
        if compare is not None:
            plots[compare] = _plot(found, {"true": rows}, value)
        write_reports(plots)
    except InputError as error:
        raise click.ClickException(str(error)) from None
    click.echo(privacy_of(len(rows), private, "Lemma 4.8", epsilon, delta, seed))
    if len(rows) < accurate or calls < printed_calls or depth < log_star(BITS):
        click.echo(
            f"For an error of at most {alpha} with probability 0.9 Lemma 4.12 asks for {accurate:,} rows, "
            f"{printed_calls} calls and depth {log_star(BITS)}; with fewer the shares may be far off.",
            err=True,
        )
    if not found:
        click.echo("No number stood out.")
        return
    click.echo(f"     up to  {value}")
    for place, share in _distribution_function(found):
        click.echo(f"   {share:7.2%}  {shown(place)}")


def _printed(alpha: str, epsilon: str, delta: str) -> tuple[int, int]:
    """The calls of the paper, and the rows that Lemma 4.12 then asks for to fail with probability 1/10 at most."""
    calls = ceil(77 / exact(alpha, "alpha"))
    part, part_delta = sample_size(sanitize_thresholds, "part", calls=calls, epsilon=epsilon, delta=delta)
    beta = BETA / (3 * calls)
    return calls, sample_size(sanitize_thresholds, d=BITS, alpha=alpha, beta=beta, epsilon=part, delta=part_delta)


def _distribution_function(found: Sanitized) -> list[tuple[int, float]]:
    """Point → the share of the copies up to it, by rising point."""
    sums = list(accumulate(copies for _, copies in found))
    return [(place, float(Fraction(s, sums[-1]))) for (place, _), s in zip(found, sums, strict=True)]


def _plot(found: Sanitized, beside: dict[str, tuple[int, ...]], value: str) -> str:
    """The released distribution function as steps, over its range, and the true one of sorted rows where given."""
    steps = _distribution_function(found)
    finite = [Fraction(value_at(x)) for x, _ in steps if isfinite(value_at(x))]
    known = [Fraction(value_at(rows[i])) for rows in beside.values() for i in (0, -1)] or finite
    low, high = min(known, default=Fraction(0)), max(known, default=Fraction(1))
    width = high - low or Fraction(1)

    def at(place: int) -> float:
        if not isfinite(value_at(place)):
            return float(place > 1 << (BITS - 1))
        return float(min(Fraction(1), max(Fraction(0), (Fraction(value_at(place)) - low) / width)))

    heights = [0.0, *(share for _, share in steps)]
    corners = [(at(x), y) for (x, _), pair in zip(steps, pairwise(heights), strict=True) for y in pair]
    curves = {"released": [(0.0, 0.0), *corners, (1.0, heights[-1])]}
    for name, rows in beside.items():
        every = max(1, len(rows) // 400)
        curves[name] = [*((at(x), (i + 1) / len(rows)) for i, x in enumerate(rows) if i % every == 0), (1.0, 1.0)]
    title = f"Distribution of {value}" + (": not private" if beside else "")
    ticks = [(q / 4, f"{float(low + q * width / 4):.4g}") for q in range(5)]
    return plot_svg(title, curves, ticks, value, "share of rows")


if __name__ == "__main__":
    main()
