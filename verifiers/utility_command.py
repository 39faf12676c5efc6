"""The command `dpverify utility`: decide or fuzz utility claims, and say how sharp they are."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from dpverify.reports.summary import headline_of
from dpverify.reports.utility_record import (
    UtilityResult,
    sharpness_svg,
    utility_json,
    utility_lines,
    utility_markdown,
)
from dpverify.reports.writing import check_targets, write_reports
from dpverify.verifiers.deciding import exit_status
from dpverify.verifiers.selection import selected_utility

if TYPE_CHECKING:
    from dpverify.verifiers.pac import PacClaim
    from dpverify.verifiers.utility import Profile, UtilityClaim

_PATH = click.Path(path_type=Path)


@click.command("utility", short_help="Check utility claims with exact failure probabilities.")
@click.argument("names", metavar="[IDS | FILES]...", nargs=-1)
@click.option(
    "--profile",
    type=click.Choice(["derandomized", "deep"]),
    default="derandomized",
    show_default=True,
    help="The same inputs each time; or many new ones, with past failures kept.",
)
@click.option("-v", "--verbose", is_flag=True, help="Say of every claim what it states, and what was tried.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
@click.option("--json", type=_PATH, metavar="OUT", help="Write JSON to OUT (-: standard output).")
@click.option("--markdown", type=_PATH, metavar="OUT", help="Write Markdown to OUT (-: standard output).")
@click.option("--svg", type=_PATH, metavar="OUT", help="Draw how sharp the statements are.")
@click.pass_context
def utility_command(
    context: click.Context,
    names: tuple[str, ...],
    profile: Literal["derandomized", "deep"],
    verbose: bool,
    jobs: int,
    json: Path | None,
    markdown: Path | None,
    svg: Path | None,
) -> None:
    """Check utility claims: the failure probability is summed from the exact law on each input, and never sampled.

    All of them, or ids, patterns such as 'BNS-J-2.26*', and files that hold utility claims. PROVED where the inputs are
    enumerated, FUZZED where they are tried, REFUTED with the smallest failing input. A learner on a population with too
    many samples to sum over is audited by some of them, with the coins summed on each: REFUTED or INCONCLUSIVE, with a
    stated confidence.
    """
    chosen = [claim.id for claim in selected_utility(names)]
    targets = (json, markdown, svg)
    check_targets([path for path in targets if path is not None])
    width = max(map(len, chosen))
    to_stdout = Path("-") in targets
    results: list[UtilityResult] = []
    decide = partial(_check, names=names, profile=profile)
    with ExitStack() as opened:
        context_of_processes = multiprocessing.get_context("spawn")
        pool = None if jobs == 1 else opened.enter_context(ProcessPoolExecutor(jobs, context_of_processes))
        for result in map(decide, chosen) if pool is None else pool.map(decide, chosen):
            results.append(result)
            for line in utility_lines(result, width, verbose=verbose):
                click.echo(line, err=to_stdout)
    click.echo(f"\n{headline_of(results, 'utility claim')}", err=to_stdout)
    texts = {json: utility_json, markdown: utility_markdown, svg: sharpness_svg}
    write_reports({path: text(results) for path, text in texts.items() if path is not None})
    context.exit(exit_status(results))


def _check(claim_id: str, names: Sequence[str], profile: Profile) -> UtilityResult:
    (claim,) = (claim for claim in selected_utility(names) if claim.id == claim_id)
    return check(claim, profile)


def check(claim: UtilityClaim | PacClaim, profile: Profile = "derandomized") -> UtilityResult:
    """The verdict on a claim of either kind. Raises what `check_utility` and `check_pac` do."""
    from dpverify.verifiers.pac import PacClaim, check_pac
    from dpverify.verifiers.utility import check_utility

    return check_pac(claim, profile) if isinstance(claim, PacClaim) else check_utility(claim, profile)
