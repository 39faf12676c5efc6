"""Claims that take long, on fewer inputs than an audit tries: they hold on these, and their mutants do not."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, count
from math import gcd, isqrt
from typing import TypeAlias

import pytest
from tests.catalogue.committed import committed
from tests.catalogue.slow import ON_FEWER_INPUTS, left_to_deep_runs
from tests.examples import in_one

from dpverify.mechanisms.functions import samples
from dpverify.reports.kinds.lower_bound import LowerBoundResult
from dpverify.reports.record import Status
from dpverify.verifiers import Case, LowerBound, UtilityClaim, check_utility
from dpverify.verifiers.calculations.claim import Calculation
from dpverify.verifiers.catalogue import calculations, catalogue, lower_bounds, utility_claims
from dpverify.verifiers.catalogue.depths import TAKES_LONG
from dpverify.verifiers.claims import AnyClaim

Number: TypeAlias = int | Fraction

CLAIMS = [claim for claim in utility_claims() if claim.id in ON_FEWER_INPUTS and isinstance(claim, UtilityClaim)]
CALCULATIONS = [claim for claim in calculations() if claim.id in ON_FEWER_INPUTS]
BOUNDS = [claim for claim in lower_bounds() if claim.id in ON_FEWER_INPUTS]

EVERY = 4
"""One of so many cases is tried where they are listed, or of more where there are many more than `ENOUGH`."""

ENOUGH = 30
"""So many of the listed cases are tried, and a few more or fewer: they go through all that a claim lists one by one."""

ALSO_ON = {
    "BNS-J-2.18.utility.proper": 31,
    "BNS-X-Thm4.utility.sanitizer": -1,
    "CHS-Cor2.utility.shells": 3,
    "HRS-4.8.utility.smooth-six": -1,
    "HRS-4.8.utility.smooth-three-quarters": -1,
}
"""Claims whose mutants fail on a few cases alone, and one of those, which is tried too."""

FEW_VALUES = 10
"""A number that has so many values in the cases, or fewer, tells kinds of cases: one with each value is tried."""

SMALLER = {"CHS-Cor2.utility.shells": {"size": 20}}
"""What is smaller in cases that take long each: of 20 rows, in place of 60, the mutant fails by as much on case 3."""

EXAMPLES = 20
"""So many are where they are searched, in place of 90."""

MORE_EXAMPLES = {"HRS-4.3.utility.agreement": 60}
"""Of mutants that fewer might not meet: which are tried depends on the text of the code."""


def on_fewer_inputs(claim: UtilityClaim) -> UtilityClaim:
    """The claim without what says how many inputs are tried, and how sharp it is."""
    fewer = replace(claim, sharpness=None, floor=EXAMPLES // 2)
    if claim.cases is None:
        return replace(fewer, corners={"any": lambda case: True})
    cases = tuple(claim.cases)
    tried = list(cases[:: step_through(len(cases))])
    if claim.id in ALSO_ON or len(tried) == 1:
        tried.append(cases[ALSO_ON.get(claim.id, -1)])
    tried += of_other_kinds(tried, cases)
    smaller = SMALLER.get(claim.id, {})
    return replace(fewer, cases=[replace(case, parameters={**case.parameters, **smaller}) for case in tried])


def on_fewer_cases(claim: Calculation) -> Calculation:
    """The calculation of some of its cases, without how sharp it is."""
    cases = tuple(claim.cases)
    tried, also = cases[:: step_through(len(cases))], cases[ALSO_ON.get(claim.id, -1)]
    return replace(claim, sharpness=None, cases=[*(case for case in tried if case is not also), also])


def step_through(listed: int) -> int:
    """How far one case that is tried is from the next.

    It has no divisor in common with how many there are, and is a prime where it is not `EVERY`: of cases that are all
    combinations of some values it does not always meet the same of one that comes round every so often, among all of
    them or among those of one size.
    """
    steps = count(max(EVERY, listed // ENOUGH))
    return next(step for step in steps if gcd(step, listed) == 1 and (step == EVERY or is_prime(step)))


def is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))


def of_other_kinds(tried: Sequence[Case], cases: Sequence[Case]) -> list[Case]:
    """The first case with each value that none of those tried has: of numbers that are one of `FEW_VALUES` at most."""
    values: dict[str, set[Number]] = defaultdict(set)
    for name, number in chain.from_iterable(map(numbers_of, cases)):
        values[name].add(number)
    seen = set(chain.from_iterable(map(numbers_of, tried)))
    found = []
    for case in cases:
        if any(len(values[name]) <= FEW_VALUES and (name, number) not in seen for name, number in numbers_of(case)):
            found.append(case)
            seen.update(numbers_of(case))
    return found


def numbers_of(case: Case) -> Iterator[tuple[str, Number]]:
    given = (*case.parameters.items(), *case.facts.items())
    return ((name, value) for name, value in given if isinstance(value, int | Fraction))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_it_holds_and_its_mutant_does_not(claim: UtilityClaim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(samples._SIZES, "examples of a utility claim", MORE_EXAMPLES.get(claim.id, EXAMPLES))
    found = check_utility(on_fewer_inputs(claim))
    assert found.verdict is claim.verdict_expected is not Status.REFUTED
    assert found.mutant.status is Status.REFUTED
    assert found.inputs >= (EXAMPLES // 2 if claim.cases is None else 2)


@in_one("claim", CALCULATIONS)
def test_a_calculation_holds_and_its_mutants_do_not(claim: Calculation) -> None:
    found = on_fewer_cases(claim).decide()
    assert found.as_expected, found.surprise
    assert found.cases >= 2


@pytest.mark.one_in(3)
@pytest.mark.parametrize("claim", BOUNDS, ids=lambda claim: claim.id)
def test_its_first_rows_are_those_of_the_committed_audit(claim: LowerBound) -> None:
    found, known = replace(claim, cases=claim.cases[:2]).decide(), committed()[claim.id]
    assert isinstance(known, LowerBoundResult)
    assert (found.verdict, found.surprise) == (Status.PROVED, "")
    assert found.rows == known.rows[: len(found.rows)] != []


def test_all_that_an_audit_decides_is_decided_somewhere() -> None:
    assert {claim.id for claim in (*CLAIMS, *CALCULATIONS, *BOUNDS)} == ON_FEWER_INPUTS
    assert ON_FEWER_INPUTS.isdisjoint(TAKES_LONG)


def test_of_each_theorem_or_mechanism_a_claim_of_each_verdict_is_decided_each_time() -> None:
    left = left_to_deep_runs(catalogue())
    quick = {claim.id: claim for claim in catalogue() if claim.depth == "quick"}
    assert left <= quick.keys()
    decided = [claim for name, claim in quick.items() if name not in left | ON_FEWER_INPUTS]
    theorems = {(theorem_of(claim), claim.verdict_expected) for claim in decided}
    mechanisms = {(mechanism_of(claim), claim.verdict_expected) for claim in decided}
    for claim in map(quick.__getitem__, left):
        alike = (theorem_of(claim), claim.verdict_expected), (mechanism_of(claim), claim.verdict_expected)
        assert alike[0] in theorems or alike[1] in mechanisms, claim.id
    assert {"BNS-J-2.26.privacy.printed-ln2", "BNS-J-2.26.privacy.printed-3"} <= left
    assert not {"BNS-J-2.26.privacy.printed", "BNS-J-2.26.privacy.printed-every-delta"} & left


def theorem_of(claim: AnyClaim) -> str:
    """With the kind of the claim."""
    return claim.id.rpartition(".")[0]


def mechanism_of(claim: AnyClaim) -> object:
    """Or the claim itself, where it has none."""
    return getattr(claim, "computed", None) or getattr(claim, "mechanism", None) or claim.id
