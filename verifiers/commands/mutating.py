"""The command `dpverify mutate`: mechanisms broken in the ways people break them, and whether their claims notice."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import cast

import click

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.reports.writing import STANDARD_OUTPUT, check_targets, write_reports
from dpverify.verifiers.auditing.exit_status import INTERRUPTED_STATUS
from dpverify.verifiers.commands.auditing import NAMES
from dpverify.verifiers.commands.errors import BadInput, say_what_is_not_decided
from dpverify.verifiers.commands.options import FILE, depth_option, jobs_option, processors, seconds, whole_option
from dpverify.verifiers.commands.terminal import Progress
from dpverify.verifiers.mutation.record import ClaimMutants, MutationRecord, mutation_json
from dpverify.verifiers.mutation.table import mutant_lines, mutation_summary_lines
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.processes.platforms import collect_seldom


@click.command("mutate", short_help="Break mechanisms, and see whether their claims notice.")
@NAMES
@click.option(
    "--seed",
    type=str,
    callback=whole_option(),
    default=1,
    show_default=True,
    metavar="N",
    help="Which mutants are tried.",
)
@click.option(
    "--limit",
    type=str,
    callback=whole_option(1),
    default=30,
    show_default=True,
    metavar="N",
    help="Try N mutants of a claim at most.",
)
@click.option(
    "--stronger",
    multiple=True,
    metavar="DOMAIN",
    help="Try survivors on DOMAIN too, on which the claims must be PROVED; 'DOMAIN @ ε' or 'DOMAIN @ ε, δ' for other "
    "numbers; as often as needed.",
)
@depth_option
@jobs_option
@click.option(
    "--timeout",
    type=str,
    callback=seconds,
    default=20,
    show_default=True,
    metavar="S",
    help="Give a mutant up after S seconds of a processor, or ten times as long as its claim takes.",
)
@click.option("--json", "target", type=FILE, metavar="OUT", help="Write all of it to OUT (-: standard output).")
@click.option("-v", "--verbose", is_flag=True, help="List the mutants that are killed or harmless, too.")
def mutate_command(
    names: tuple[str, ...],
    seed: int,
    limit: int,
    stronger: tuple[str, ...],
    depth: str,
    jobs: int | None,
    timeout: float,
    target: Path | None,
    verbose: bool,
) -> None:
    """Break the mechanisms of privacy claims in the ways people break them, and decide the claims again.

    \b
    killed          the claim is REFUTED of the mutant
    missed          it is on a stronger domain alone: the claim is too weak to see it
    survived        it is PROVED wherever it was tried, with a larger ε, or δ, than the mechanism has
    no less private it is, with none larger, on any domain tried
    same law        the mutant does what the mechanism does
    invalid         it raises, does not end or is undecided

    Mutated are the functions that run while laws are enumerated, of the claims' files and what these import, or of the
    catalogue. No file is changed; those that are named are run, and so are the broken mechanisms.
    Claims that are expected to be refuted are left out.

    \b
    Exit status: 0  every claim kills a mutant, and misses none
                 1  some claim misses one, or kills none of them
                 2  bad usage or input
    """
    from dpverify.verifiers.auditing.selection import selected
    from dpverify.verifiers.mutation.mutating import MutantPlan, MutatingStopped, mutate

    if target is not None:
        check_targets([target])
    claims = [cast("Claim", claim) for claim in selected(names, depth, ("privacy",))]
    more = tuple(map(_ground, stronger))
    claims = [replace(claim, stronger=(*claim.stronger, *more)) for claim in claims] if more else claims
    collect_seldom()
    progress = Progress(2, "mutants")
    interrupted = False
    try:
        record = mutate(claims, MutantPlan(seed, limit, timeout, jobs or processors()), progress.at)
    except MutatingStopped as interruption:
        record, interrupted = interruption.record, True
    finally:
        progress.clear()
    if not record.claims and not record.not_decided and not interrupted:
        raise InputError("none of these claims is expected to be PROVED: of others mutants say nothing")
    _say(record, verbose, to_errors=target == STANDARD_OUTPUT)
    if target is not None:
        write_reports({target: mutation_json(record)})
    _end(record, len(claims), interrupted)


def _ground(text: str) -> tuple[object, *tuple[Exact, ...]]:
    """A domain, with the ε and the δ that stand behind an @, if there is one. Raises `InputError`."""
    from dpverify.verifiers.commands import expressions

    domain, _, numbers = text.partition(" @ ")
    given = [number.strip() for number in numbers.split(",")] if numbers else []
    if len(given) > 2:
        raise InputError(f"--stronger {text}: write DOMAIN, 'DOMAIN @ ε' or 'DOMAIN @ ε, δ'")
    exact = map(expressions.exact_number, given, ("epsilon", "delta"))
    return (expressions.domain(domain), *exact)


def _say(record: MutationRecord, verbose: bool, *, to_errors: bool) -> None:
    lines = [line for claim in record.claims for line in _about(claim, verbose)]
    click.echo("\n".join([*lines, *mutation_summary_lines(record)]), err=to_errors)


def _about(claim: ClaimMutants, verbose: bool) -> list[str]:
    """All that is said of a claim."""
    return [*mutant_lines(claim, verbose=verbose), ""]


def _end(record: MutationRecord, asked: int, interrupted: bool) -> None:
    """End with the exit status: 2 where a claim could not be mutated, 1 where one does not bite."""
    if interrupted:
        BadInput(f"interrupted: {sum(len(claim.mutants) for claim in record.claims)} mutants decided").show()
        sys.exit(INTERRUPTED_STATUS)
    say_what_is_not_decided(record.not_decided, asked, interrupted)
    sys.exit(2 if record.not_decided else 0 if all(claim.bites for claim in record.claims) else 1)
