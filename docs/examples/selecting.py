"""Name the most frequent value of a column of a CSV file, by each of the rules of the papers.

python docs/examples/selecting.py people.csv --value city --by a-dist

A_dist and the choosing mechanism need no list of values, and say ⊥ where none stands out. The exponential mechanism,
the noisy maximum and the large margin mechanism choose among the values of --among, which are known beforehand.
`dpverify explain` judges them: BNS-J-2.26.privacy.corrected, BNS-X-Prop2.privacy.printed, BNS-J-4.4.privacy.printed,
BNS-J-2.25.privacy.scores, CHS-2.2-MoL.privacy.printed, CHS-Alg1.privacy.printed.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import click
from cells import PATH_ARGUMENT, SEED_OPTION, asks_for
from columns import ALTHOUGH_OPTION, BETA, epsilon_up_to_1000, privacy_of, read, refuse_where_not_shown, too_few

from dpverify.mechanisms import InputError, bounds, decimal, distribution, exact, log, run, sample_size
from dpverify.mechanisms.selection import (
    Bottom,
    choose_by_stability,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
    choosing_mechanism,
    exponential_mechanism,
    large_margin_mechanism,
    max_of_laplaces,
)
from dpverify.reports.curves import plot_svg
from dpverify.reports.writing import check_targets, write_reports

ALPHA = "0.1"
"""The share of the rows that the choosing mechanism may lose."""

A_DISTS = {
    "a-dist": choose_by_stability,
    "a-dist-extended": choose_by_stability_extended_abstract,
    "a-dist-printed": choose_by_stability_journal,
}
RULES = (*A_DISTS, "choosing", "exponential", "max-of-laplaces", "large-margin")
REFUTED = "not shown to be private: A_dist as printed is refuted, see BNS-J-2.26.privacy.printed."
MOST_DRAWN = 12
"""Of how many values the plot shows the chances."""


@click.command()
@PATH_ARGUMENT
@click.option("--value", required=True, help="The column of values.")
@click.option("--by", type=click.Choice(RULES), default="a-dist", show_default=True, help="The rule.")
@click.option("--among", help="The values that there may be, separated by commas: not from the data.")
@click.option("--epsilon", default="1", show_default=True)
@click.option("--delta", default="1e-6", show_default=True)
@SEED_OPTION
@ALTHOUGH_OPTION
@click.option("--compare", type=click.Path(path_type=Path), help="An SVG of the chances beside the data: not private.")
def main(
    path: Path,
    value: str,
    by: str,
    among: str | None,
    epsilon: str,
    delta: str,
    seed: int | None,
    although: bool,
    compare: Path | None,
) -> None:
    """Name the most frequent value of the column VALUE of a CSV file, privately."""
    try:
        check_targets([] if compare is None else [compare], read=path)
        epsilon_up_to_1000(epsilon)
        counts = Counter(text for _, (text,) in read(path, value))
        rows = counts.total()
        if not rows:
            raise InputError(f"{path}: there are no rows below the header")
        promised = delta if by in A_DISTS or by in ("choosing", "large-margin") else "0"
        least = _least(by, epsilon, delta)
        not_shown = REFUTED if by == "a-dist-printed" else too_few(rows, least, "Lemma 4.4", epsilon, promised)
        refuse_where_not_shown(not_shown, seed, although)
        rule, quality = _rule(by, counts, rows, epsilon, delta), _quality(by, counts, among)
        found = run(rule, quality, seed=seed)
        if compare is not None:
            write_reports({compare: _plot(rule, quality, counts, by)})
    except InputError as error:
        raise click.ClickException(str(error)) from None
    if by == "a-dist-printed" and seed is None:
        click.echo(f"{rows:,} rows; {REFUTED}")
    else:
        click.echo(privacy_of(rows, least, "Lemma 4.4", epsilon, promised, seed))
    click.echo(_asks(by, rows, len(quality), epsilon, delta), err=True)
    click.echo(
        "No value stood out (⊥)."
        if isinstance(found, Bottom)
        else f"{value}: {found if found.isprintable() else repr(found)}"
    )
    if seed is not None:
        (_, best), (_, second) = (*counts.most_common(2), ("", 0), ("", 0))[:2]
        click.echo(f"(not private: the most frequent is in {best:,} rows, {best - second:,} more than the second)")


def _rule(by: str, counts: Counter[str], rows: int, epsilon: str, delta: str) -> Any:
    if by in A_DISTS:
        return partial(_with, mechanism=A_DISTS[by], epsilon=epsilon, delta=delta)
    if by == "choosing":
        return partial(_with, mechanism=choosing_mechanism, rows=rows, alpha=ALPHA, epsilon=epsilon)
    if by == "large-margin":
        return partial(_with, mechanism=large_margin_mechanism, epsilon=epsilon, delta=delta)
    mechanism = exponential_mechanism if by == "exponential" else max_of_laplaces
    return partial(_with, mechanism=mechanism, epsilon=epsilon)


def _with(draw: Any, quality: Any, *, mechanism: Any, **given: Any) -> Any:
    return draw(mechanism, dict(quality), **given)


def _quality(by: str, counts: Counter[str], among: str | None) -> tuple[tuple[str, int], ...]:
    """The values with their counts; of rules that need no list also one value that does not occur, as all others do."""
    if by in A_DISTS or by == "choosing":
        if among is not None:
            raise InputError(f"--among is for rules that need a list of values, and {by} needs none")
        nowhere = "".join(["no value", *("'" for _ in range(sum(text.startswith("no value") for text in counts)))])
        return (*sorted(counts.items()), *([(nowhere, 0)] if by in A_DISTS else []))
    if among is None:
        raise InputError(f"{by} chooses among values that are known beforehand: give them with --among a,b,c")
    values = [text.strip() for text in among.split(",")]
    if len(set(values)) < len(values):
        raise InputError("--among names a value twice")
    return tuple((text, counts[text]) for text in values)


def _least(by: str, epsilon: str, delta: str) -> int:
    if by != "choosing":
        return 0
    return sample_size(choosing_mechanism, growth=1, alpha=ALPHA, beta=BETA, epsilon=epsilon, delta=delta)


def _asks(by: str, rows: int, values: int, epsilon: str, delta: str) -> str:
    """What the theorem asks for, for the right value with probability 0.9."""
    if by in A_DISTS:
        gap = decimal(sample_size(A_DISTS[by], "gap", beta=BETA, epsilon=epsilon, delta=delta), 4)
        return f"With probability 0.9 it names a value that is in {gap} rows more than any other; {rows:,} are given."
    if by == "choosing":
        return asks_for(
            "Lemma 4.5", _least(by, epsilon, delta), rows, f"to lose at most {ALPHA} of them with probability 0.9"
        )
    if by == "large-margin":
        margin = decimal(21 / exact(epsilon) * log(30), 4)
        return (
            f"Theorem 3 asks for a margin of (21/ε)·ln 30 + T^(l), which is beyond {margin} rows; {rows:,} are given."
        )
    lost = 2 / exact(epsilon) * log(values / BETA)
    return (
        f"With probability 0.9 it loses at most {decimal(lost, 4)} rows, of {values} values; {rows:,} rows are given."
    )


def _plot(rule: Any, quality: tuple[tuple[str, int], ...], counts: Counter[str], by: str) -> str:
    """The shares of the most frequent values, and the chance with which each is named."""
    law = distribution(rule, quality)
    shown = [text for text, _ in sorted(quality, key=lambda each: -each[1])[:MOST_DRAWN]]
    places = [(i + 0.5) / len(shown) for i in range(len(shown))]
    chance = [float(sum(bounds(law.probability(text))) / 2) for text in shown]
    curves = {
        "share of the rows": [(at, counts[text] / counts.total()) for at, text in zip(places, shown, strict=True)],
        "chance to be named": list(zip(places, chance, strict=True)),
    }
    ticks = [(at, text[:10] if text.isprintable() else repr(text)[:10]) for at, text in zip(places, shown, strict=True)]
    return plot_svg(f"The most frequent value by {by}: not private", curves, ticks, "values", "share, and chance")


if __name__ == "__main__":
    main()
