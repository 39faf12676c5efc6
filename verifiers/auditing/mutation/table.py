"""The findings on mutants, as text for a terminal."""

import textwrap
from collections.abc import Sequence
from typing import Final

from dpverify.reports.audits.table import TEXT_WIDTH, row_lines
from dpverify.reports.kinds.privacy import witness_lines
from dpverify.verifiers.auditing.mutation.record import FATES, ClaimMutants, Fate, MutantRecord, MutationRecord

_ALWAYS: Final[tuple[Fate, ...]] = ("missed", "survived", "out of time", "invalid")
"""Rows that are listed whether or not all of it is asked for."""


def mutant_lines(claim: ClaimMutants, *, verbose: bool) -> list[str]:
    """The number of mutants of a claim that have each fate, and those that are worth a look."""
    tried = f"{len(claim.mutants)} of {claim.mutants_in_all} mutants of {_number(len(claim.functions), 'function')}"
    lines = [f"{claim.id}  {claim.claimed}  {tried}", f"    {_counts([claim])}"]
    if not claim.killed:
        lines.append("    it kills none of them: nothing that was tried makes this claim fail")
    for fate in FATES if verbose else _ALWAYS:
        for mutant in claim.mutants:
            if mutant.outcome.fate == fate:
                lines += [f"    {line}" for line in _mutant_lines(mutant)]
    return lines


def mutation_summary_lines(record: MutationRecord) -> list[str]:
    """Claims that were left out, or of which nothing is known, and the sums."""
    lines = [line for row in record.not_decided for line in row_lines(row)]
    if record.left_out:
        names = ", ".join(record.left_out)
        lines += textwrap.wrap(
            f"left out, as they are not expected to be PROVED pair by pair: {names}", TEXT_WIDTH, break_on_hyphens=False
        )
    return [*lines, *([""] if lines else []), _headline(record)]


def _headline(record: MutationRecord) -> str:
    claims = _number(len(record.claims), "claim")
    mutants = _number(sum(len(claim.mutants) for claim in record.claims), "mutant")
    none = sum(not claim.killed for claim in record.claims)
    without = f"; {none} of the claims kill{'s' * (none == 1)} none" if none else ""
    return f"{claims}, {mutants} (seed {record.seed}): {_counts(record.claims)}{without}"


def _counts(claims: Sequence[ClaimMutants]) -> str:
    numbers = {fate: sum(claim.count(fate) for claim in claims) for fate in FATES}
    return ", ".join(f"{count:,} {fate}" for fate, count in numbers.items() if count) or "none"


def _mutant_lines(mutant: MutantRecord) -> list[str]:
    outcome = mutant.outcome
    domain = "" if outcome.domain is None else f" on {outcome.domain}"
    lines = [
        f"{outcome.fate.upper()}  {mutant.file}:{mutant.line} {mutant.function}: {mutant.operator}",
        f"    - {mutant.before}",
        f"    + {mutant.after}",
    ]
    if outcome.fate == "killed" and outcome.witness is not None:
        lines.append(f"    REFUTED{domain}: {outcome.witness.left} and {outcome.witness.right}")
    elif outcome.witness is not None:  # but for its last line, which would compute it of the mechanism as it is
        lines += [f"    REFUTED{domain}", *(f"    {line}" for line in witness_lines(outcome.witness)[:-1])]
    elif outcome.reason:
        lines += [f"    {line}" for line in textwrap.wrap(outcome.reason, TEXT_WIDTH)]
    return lines


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"
