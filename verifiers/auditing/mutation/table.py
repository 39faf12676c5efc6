"""The findings on mutants, as text for a terminal."""

from __future__ import annotations

import textwrap
from fractions import Fraction
from math import floor
from typing import Final

from dpverify.reports.audits.table import TEXT_WIDTH, row_lines
from dpverify.reports.kinds.privacy import witness_lines
from dpverify.reports.privacy_noise import strength_in_words
from dpverify.verifiers.auditing.mutation.record import FATES, ClaimMutants, Fate, Figures, MutantRecord, MutationRecord

_ALWAYS: Final[tuple[Fate, ...]] = ("missed", "survived", "out of time", "invalid")
"""Rows that are listed whether or not all of it is asked for."""


def mutant_lines(claim: ClaimMutants, *, verbose: bool) -> list[str]:
    """The number of mutants of a claim that have each fate, and those that are worth a look."""
    tried = f"{len(claim.mutants)} of {claim.mutants_in_all} mutants of {_number(len(claim.functions), 'function')}"
    lines = [f"{claim.id}  {claim.claimed}  {tried}", f"    {_counts(claim)}"]
    if not claim.killed:
        lines.append("    it kills none of them: nothing that was tried makes this claim fail")
    lines += [f"    {line}" for sentence in strength_in_words(claim) for line in textwrap.wrap(sentence, TEXT_WIDTH)]
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
    figures = record.figures
    claims = _number(len(record.claims), "claim")
    none = sum(not claim.killed for claim in record.claims)
    without = f"; {none} of the claims kill{'s' * (none == 1)} none" if none else ""
    others = {
        f"survived{_ways(figures.refuted_nowhere, figures.survived)}": figures.survived,
        "out of time": figures.out_of_time or 0,
        "harmless": figures.harmless,
        "unreached": figures.unreached,
        "invalid": figures.invalid,
    }
    mutants = _number(figures.refuted_anywhere + sum(others.values()), "mutant")
    counts = "".join(f", {count:,} {fate}" for fate, count in others.items() if count)
    every = f", {figures.killed_by_own:,} of {figures.killable:,} with what survived{_percent(figures.score)}"
    rates = f"{rate_told(figures)}{every if figures.open else ''}"
    return f"{claims}, {mutants} (seed {record.seed}): {rates}{counts}{without}"


def rate_told(figures: Figures) -> str:
    """The kill rate, in words."""
    killed, anywhere = figures.killed_by_own, figures.refuted_anywhere
    return f"own claims kill {killed:,} of {anywhere:,} that are refuted anywhere{_percent(figures.rate)}"


def _percent(rate: Fraction | None) -> str:
    return "" if rate is None else f" ({floor(100 * rate)} %)"


def _counts(claim: ClaimMutants) -> str:
    nowhere = sum(mutant.outcome.survives == "refuted nowhere" for mutant in claim.mutants)
    told = {"survived": _ways(nowhere, claim.count("survived"))}
    counts = ", ".join(f"{n} {fate}{told.get(fate, '')}" for fate in FATES if (n := claim.count(fate)))
    return counts or "none"


def _ways(nowhere: int, survived: int) -> str:
    """The numbers of those that survived and are refuted nowhere, and of those that are as private as the mechanism."""
    ways = {"as private": survived - nowhere, "refuted nowhere": nowhere}
    return f" ({', '.join(f'{count:,} {way}' for way, count in ways.items() if count)})" if survived else ""


def _mutant_lines(mutant: MutantRecord) -> list[str]:
    outcome = mutant.outcome
    domain = "" if outcome.domain is None else f" on {outcome.domain}"
    way = f", {outcome.survives}" if outcome.fate == "survived" else ""
    lines = [
        f"{outcome.fate.upper()}{way}  {mutant.file}:{mutant.line} {mutant.function}: {mutant.operator}",
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
