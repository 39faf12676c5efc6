"""The figures of an earlier run over the same claims, which those of a later one are held against."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.verifiers.auditing.mutation.record import MutationRecord, mutation_json, read_mutation
from dpverify.verifiers.auditing.mutation.table import rate_told

if TYPE_CHECKING:
    from dpverify.verifiers.auditing.mutation.mutating import MutantPlan

_AS_RUN: Final = ("seed", "limit", "depth", "beyond")
"""Settings that two runs have to share for their figures to be compared."""


def figures_to_json(record: MutationRecord) -> str:
    """The record without its claims, in its JSON form."""
    return mutation_json(msgspec.structs.replace(record, claims=[], not_decided=[], left_out=[]))


def read_figures(path: Path) -> MutationRecord:
    """The record of an earlier run, with its claims or without. Raises `InputError` where it cannot be read."""
    return read_mutation(path, named="figures of mutants", again="write it with --update-baseline")


def refuse_another_run(before: MutationRecord, plan: MutantPlan) -> None:
    """Raises `InputError` where a run is not as that of the figures, so that they could not be compared."""
    for name in _AS_RUN:
        one, other = getattr(before, name), getattr(plan, name)
        if one != other:
            one, other = one or "none", other or "none"
            raise InputError(bad_input.OTHER_RUN, name, one, other)


def worse_than(before: MutationRecord, record: MutationRecord) -> list[str]:
    """Decline of figures: fewer are refuted, or the rate is lower and no more are. Empty where there is none."""
    old, new = before.figures, record.figures
    if new.refuted_anywhere < old.refuted_anywhere:
        return [f"WORSE: fewer mutants are refuted: {rate_told(new)}; before, {rate_told(old)}"]
    lower = old.rate is not None and new.rate is not None and new.rate < old.rate
    if lower and new.refuted_anywhere == old.refuted_anywhere:
        return [f"WORSE: {rate_told(new)}; before, {rate_told(old)}"]
    return []
