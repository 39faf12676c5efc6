"""The figures of an earlier run over the same claims, which those of a later one are held against."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.verifiers.claims import Depth
from dpverify.verifiers.mutation.record import Figures, MutationRecord
from dpverify.verifiers.mutation.table import rate_told
from dpverify.verifiers.mutation.written import read_written

if TYPE_CHECKING:
    from dpverify.verifiers.mutation.mutating import MutantPlan


FIGURES_SCHEMA_VERSION: Final = "2"
"""It changes whenever the meaning of what is kept does."""


class KeptFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The data that is kept of a run: how mutants were chosen and tried, and how many have each fate."""

    schema: str
    seed: int
    limit: int
    depth: Depth
    beyond: Depth | None
    claims: int
    figures: Figures


_AS_RUN: Final = ("seed", "limit", "depth", "beyond")
"""Settings that two runs have to share for their figures to be compared."""


def figures_to_json(record: MutationRecord) -> str:
    """The text that is kept of a record, indented, with a newline at its end."""
    kept = KeptFigures(
        schema=FIGURES_SCHEMA_VERSION,
        seed=record.seed,
        limit=record.limit,
        depth=record.depth,
        beyond=record.beyond,
        claims=len(record.claims),
        figures=record.figures,
    )
    return msgspec.json.format(msgspec.json.encode(kept), indent=2).decode() + "\n"


def read_figures(path: Path) -> KeptFigures:
    """The figures in a file. Raises `InputError` where it is none of them, or cannot be read."""
    named, again = "figures of mutants", "write it with --update-baseline"
    return read_written(path, KeptFigures, FIGURES_SCHEMA_VERSION, named=named, again=again)


def refuse_another_run(before: KeptFigures, plan: MutantPlan) -> None:
    """Raises `InputError` where a run is not as that of the figures, so that they could not be compared."""
    for name in _AS_RUN:
        one, other = getattr(before, name), getattr(plan, name)
        if one != other:
            one, other = one or "none", other or "none"
            raise InputError(f"the baseline was made with --{name} {one}, and this run with {other}: give the same")


def worse_than(before: KeptFigures, record: MutationRecord) -> list[str]:
    """Decline of figures: fewer are refuted, or the rate is lower and no more are. Empty where there is none."""
    old, new = before.figures, record.figures
    if new.refuted_anywhere < old.refuted_anywhere:
        return [f"WORSE: fewer mutants are refuted: {rate_told(new)}; before, {rate_told(old)}"]
    lower = old.rate is not None and new.rate is not None and new.rate < old.rate
    if lower and new.refuted_anywhere == old.refuted_anywhere:
        return [f"WORSE: {rate_told(new)}; before, {rate_told(old)}"]
    return []
