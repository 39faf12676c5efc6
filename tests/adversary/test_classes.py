"""Random programs, class by class, until enough of each are decided: all as the oracle says, and few refused."""

import random
import re
from collections.abc import Callable
from contextlib import nullcontext
from fractions import Fraction
from typing import Any

import pytest
from tests.adversary.classes import ALL_SIZES, BATCH, CLASSES
from tests.adversary.oracles.count_texts import LARGE_IN, source
from tests.adversary.random_programs.size_trials import UNIVERSES, few_regions
from tests.adversary.tally import Empty, Tally, deep, seed

from dpverify.mechanisms import bernoulli, log
from dpverify.reports.record import Status
from dpverify.verifiers import Histograms, check_privacy, replace_one

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
        decided += of.attempt(f"{name}/{seed()}/{batch}.{tried}", tally, name)
        tried += 1
    tally.counts[f"{name}: decided"] += decided
    # of two claims on a program each may be refused
    least = {what: share * wanted for what, share in of.least.items()}
    tally.demand({f"{name}: decided": wanted, **least}, of.refused, of=2 * tried)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("name", "batch"), BATCHES)
def test_programs_are_decided_as_the_oracle_says(name: str, batch: int, tally: Tally) -> None:
    decide(name, batch, BATCH if deep() else CLASSES[name].few, tally)


def over(constant: int) -> Callable[..., Any]:
    def mechanism(draw: Any, rows: Any) -> Any:
        return draw(bernoulli(Fraction(1 + (rows.count(0) > constant), 4)))

    return mechanism


@pytest.mark.parametrize(
    ("constant", "limited"),
    [(5_000, True), (10**15, True), pytest.param(100_000, False, marks=pytest.mark.deep), (10**18, False)],
)
def test_a_constant_that_takes_too_many_regions_is_undecided(constant: int, limited: bool) -> None:
    """Never PROVED by what was looked at so far; with the limit that it has, and with the smaller one of these tests."""
    with few_regions() if limited else nullcontext():
        verdict = check_privacy(over(constant), Histograms((0, 1)), replace_one, epsilon=log(2))
    assert verdict.status is Status.UNDECIDED
    assert re.search("regions to decide|not tried one by one", verdict.reason)


def test_few_programs_have_large_constants_and_some_do() -> None:
    """At most one of fifty: each constant is a region."""
    texts = [source(random.Random(i), universe) for i in range(300) for universe in UNIVERSES]
    large = sum(max(text.constants, default=0) > 1_000 for text in texts)
    assert 10 < large <= len(texts) / LARGE_IN


def test_a_deep_run_decides_a_thousand_programs_of_each_class() -> None:
    """And three thousand for all sizes."""
    assert all(each.batches * BATCH >= (3_000 if name == ALL_SIZES else 1_000) for name, each in CLASSES.items())
    assert len(CLASSES) >= 18
