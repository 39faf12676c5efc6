"""The command `dpverify utility`: decide or fuzz utility claims, and say how sharp they are."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from dpverify.mechanisms.exact.shown import one_line
from dpverify.reports.record import NotDecided
from dpverify.reports.summary import headline_of
from dpverify.reports.table import row_lines
from dpverify.reports.utility_record import (
    UtilityResult,
    sharpness_svg,
    utility_json,
    utility_lines,
    utility_markdown,
)
from dpverify.reports.writing import check_targets, write_reports
from dpverify.verifiers.audit.attempts import Attempts
from dpverify.verifiers.audit.deciding import INTERRUPTED_STATUS, exit_status
from dpverify.verifiers.audit.selection import selected_utility
from dpverify.verifiers.command_errors import say_what_is_not_decided

if TYPE_CHECKING:
    from dpverify.verifiers.utility.checker import Profile, UtilityClaim
    from dpverify.verifiers.utility.pac import PacClaim

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
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="S",
    help="Stop after S seconds: what was decided is reported, the rest is not decided (exit status 2).",
)
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
    timeout: float | None,
    json: Path | None,
    markdown: Path | None,
    svg: Path | None,
) -> None:
    """Check utility claims: the failure probability is summed from the exact law on each input, and never sampled.

    All of them, or ids, patterns such as 'BNS-J-2.26*', and files that hold utility claims. PROVED where the inputs are
    enumerated, FUZZED where they are tried, REFUTED with the smallest failing input. A learner on a population with too
    many samples to sum over is audited by some of them, with the coins summed on each: REFUTED or INCONCLUSIVE, with a
    stated confidence. Each is decided in a child process; one that cannot be decided is a row of every report.
    """
    chosen = selected_utility(names)
    targets = (json, markdown, svg)
    check_targets([path for path in targets if path is not None])
    width = max(len(claim.id) for claim in chosen)
    to_stdout = Path("-") in targets
    import hypothesis.strategies  # noqa: F401  # once, and not in each worker anew

    found = Attempts(chosen, partial(check, profile=profile), UtilityResult, _row, jobs=jobs, timeout=timeout)
    for row in found:
        lines = row_lines(row) if isinstance(row, NotDecided) else utility_lines(row, width, verbose=verbose)
        click.echo("\n".join(lines), err=to_stdout)
    rows = found.not_decided
    click.echo(f"\n{headline_of(found.results, 'utility claim', len(rows))}", err=to_stdout)
    texts = {
        json: utility_json(found.results, rows),
        markdown: utility_markdown(found.results, rows),
        svg: sharpness_svg(found.results),
    }
    write_reports({path: text for path, text in texts.items() if path is not None})
    say_what_is_not_decided(rows, len(chosen), found.interrupted)
    context.exit(INTERRUPTED_STATUS if found.interrupted else exit_status(found.results, len(rows)))


def _row(claim: UtilityClaim | PacClaim, reason: str) -> NotDecided:
    return NotDecided(claim.id, "utility", claim.source, claim.verdict_expected, one_line(reason))


def check(claim: UtilityClaim | PacClaim, profile: Profile = "derandomized") -> UtilityResult:
    """The verdict on a claim of either kind. Raises what `check_utility` and `check_pac` do."""
    from dpverify.verifiers.utility.checker import check_utility
    from dpverify.verifiers.utility.pac import PacClaim, check_pac

    return check_pac(claim, profile) if isinstance(claim, PacClaim) else check_utility(claim, profile)
