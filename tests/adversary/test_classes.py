"""Random programs, class by class, until enough of each are decided: all as the oracle says, and few refused."""

from __future__ import annotations

import pytest
from tests.adversary import checking
from tests.adversary.checking import Empty, Tally, deep
from tests.adversary.classes import ALL_SIZES, BATCH, CLASSES

BATCHES = [
    pytest.param(name, batch, marks=[pytest.mark.deep] * (batch > 0), id=f"{name.replace(' ', '-')}-{batch}")
    for name, each in CLASSES.items()
    for batch in range(each.batches)
]


def decide(name: str, batch: int, wanted: int, tally: Tally) -> None:
    """Programs of a class until so many are decided. Raises `Wrong`, and `Empty` where too many are not."""
    of = CLASSES[name]
    tried = decided = 0
    while decided < wanted:
        if tried > 3 * wanted + 20:
            raise Empty(f"{name}: of {tried} programs {decided} are decided: {tally.counts}")
        decided += of.attempt(f"{name}/{checking.seed()}/{batch}.{tried}", tally, name)
        tried += 1
    tally.counts[f"{name}: decided"] += decided
    # of two claims on a program each may be refused
    tally.demand({f"{name}: decided": wanted}, of.refused, of=2 * tried)


@pytest.mark.parametrize(("name", "batch"), BATCHES)
def test_programs_are_decided_as_the_oracle_says(name: str, batch: int, tally: Tally) -> None:
    decide(name, batch, BATCH if deep() else CLASSES[name].few, tally)


def test_a_deep_run_decides_a_thousand_programs_of_each_class() -> None:
    """And three thousand for all sizes."""
    assert all(each.batches * BATCH >= (3_000 if name == ALL_SIZES else 1_000) for name, each in CLASSES.items())
    assert len(CLASSES) >= 18
