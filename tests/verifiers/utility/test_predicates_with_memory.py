# ruff: noqa: B006  # what is kept in a default is the point
"""Functions of utility claims that remember, that change what they are given, or that draw: none is PROVED.

They are read as mechanisms are: `tests/mechanisms/language/attacks.py` has more ways.
"""

from __future__ import annotations

import operator
import random
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, bernoulli, laplace
from dpverify.reports.record import Status
from dpverify.verifiers import Case, Tuples, UtilityClaim, check_privacy, check_utility

itself: Any = sys.modules[__name__]
SEEN: Any = []
COUNTS: dict[int, int] = {}
NUMBERS = count()
STATE = random.Random(3)


def coin(draw: Draw, rows: Any, **given: Any) -> Any:
    return draw(bernoulli("1/2"))


def claim(mechanism: Callable[..., Any] = coin, **fields: Any) -> UtilityClaim:
    """Holds where all outcomes succeed, and where β is 1; a function with a memory says so at its first two calls."""
    given: dict[str, Any] = {"succeeds": lambda case, outcome: True, "beta": lambda case: 0, "cases": [Case([0], {})]}
    return UtilityClaim(id="own.trap", mechanism=mechanism, mutant=mechanism, **given | fields)


def in_a_default(case: Case, outcome: Any, kept: Any = []) -> bool:
    kept.append(outcome)
    return len(kept) <= 2


def counted(counts: Any) -> int:
    counts[0] = counts.get(0, 0) + 1
    return int(counts[0])


@dataclass
class Remembers:
    steps: int = 0

    def __call__(self, case: Case, outcome: Any) -> bool:
        self.steps += 1
        return self.steps <= 2

    def succeeds(self, case: Case, outcome: Any) -> bool:
        return self(case, outcome)


class HasAnItem:
    def __init__(self) -> None:
        self.items = [0]

    def __len__(self) -> int:
        self.items.append(0)
        return len(self.items)


HAS_AN_ITEM = HasAnItem()
WITH_MEMORY: list[Any] = [
    in_a_default,
    lambda case, outcome: counted(COUNTS) <= 2,
    lambda case, outcome: next(NUMBERS) < 2,
    Remembers(),
    Remembers().succeeds,
    lambda case, outcome: len(HAS_AN_ITEM) <= 3,
    lambda case, outcome: case.database.append(0) or len(case.database) <= 3,
    lambda case, outcome: case.facts["kept"].append(0) or len(case.facts["kept"]) <= 2,
]


def by_what_it_imports(case: Case, outcome: Any) -> bool:
    from random import random

    return random() < 1


def beside_a_file(case: Case, outcome: Any) -> bool:
    with Path(__file__).open() as text:  # which the language does not have
        return random.random() < 1 and bool(text)


BY_CHANCE: list[Any] = [
    lambda case, outcome: random.random() < 1,
    by_what_it_imports,
    lambda case, outcome: bool(np.random.laplace() < 10**9),
    lambda case, outcome: bool(np.random.default_rng().random() < 1),
    lambda case, outcome: STATE.random() < 1,
    beside_a_file,
    lambda case, outcome: bool(case.facts["rng"].random() < 1),
]

CASE = Case([0], {}, {"kept": [], "rng": random.Random(1)})
WAYS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "succeeds": lambda trap: {"succeeds": trap},
    "beta": lambda trap: {"beta": AsBeta(trap)},
    "holds_for": lambda trap: {"holds_for": AsPrecondition(trap)},
}


@dataclass(frozen=True)
class AsPrecondition:
    trap: Any

    def __call__(self, case: Case) -> Any:
        return bool(self.trap(case, 0))


class AsBeta(AsPrecondition):
    def __call__(self, case: Case) -> Any:
        return Fraction(bool(self.trap(case, 0)), 2)


def ended(trap: Any, way: str, **fields: Any) -> str:
    """The status, or the error in words."""
    random.seed(1)
    case = replace(CASE, database=[0], facts={**CASE.facts, "kept": []})
    case = case if trap is BY_CHANCE[-1] else replace(case, facts={"kept": []})
    try:
        return str(check_utility(claim(cases=[case], **WAYS[way](trap), **fields)).verdict)
    except InputError as error:
        return str(error)


@in_one("trap", WITH_MEMORY)
def test_what_remembers_or_changes_what_it_is_given_is_refused_or_checked(trap: Any) -> None:
    for way in WAYS:
        end = ended(trap, way)
        assert end in ("CHECKED", "VACUOUS") or "changed" in end, (way, end)


@in_one("trap", BY_CHANCE)
def test_what_draws_is_refused_or_checked(trap: Any) -> None:
    for way in WAYS:
        end = ended(trap, way)
        assert end == "CHECKED" or "draws no noise" in end or "chance came from" in end, (way, end)


@in_one("trap", [*WITH_MEMORY, *BY_CHANCE])
def test_of_released_noise_it_is_refused_or_checked_as_well(trap: Any) -> None:
    assert ended(trap, "succeeds", mechanism=lambda draw, rows: draw(laplace(1))) not in ("PROVED", "FUZZED")


@dataclass(frozen=True)
class FrozenAnswer:
    bit: int

    def __hash__(self) -> int:  # so that a distribution holds the object itself
        return self.bit

    def is_good(self) -> bool:
        return counted(COUNTS) <= 2


def test_an_outcome_that_remembers_is_refused() -> None:
    def answering(draw: Draw, rows: Any) -> Any:
        return FrozenAnswer(draw(bernoulli("1/2")))

    COUNTS.clear()
    assert "changed a dict" in ended(lambda case, outcome: outcome.is_good(), "succeeds", mechanism=answering)
    assert ended(lambda case, outcome: outcome.bit in (0, 1), "succeeds", mechanism=answering) == "PROVED"


def test_a_refusal_says_the_line() -> None:
    for trap, words in ((in_a_default, "changed a list from outside"), (by_what_it_imports, "draws no noise")):
        end, line = ended(trap, "succeeds"), trap.__code__.co_firstlineno
        assert words in end
        assert any(f"line {line + k}" in end for k in range(1, 4)), end


def test_a_claim_asked_by_code_outside_the_language_says_so() -> None:
    result = check_utility(claim(succeeds=lambda case, outcome: hash(outcome) >= 0, beta=lambda case: 0))
    assert result.verdict is Status.CHECKED
    assert "outside the language: hash at line" in result.reason
    assert "outside the language as well: succeeds, hash at line" in result.scope.text


class Near:
    steps = 0

    def __call__(self, database: Any) -> Any:
        self.steps += 1
        return near(database) if self.steps <= 2 else ()


def near(database: Any) -> Any:
    return [(*database[:i], 1 - database[i], *database[i + 1 :]) for i in range(len(database))]


RELATIONS: list[Any] = [
    lambda database, kept={}: near(database) if counted(kept) <= 2 else (),
    Near(),
]


@in_one("relation", RELATIONS)
def test_a_neighbour_relation_that_remembers_is_refused(relation: Any) -> None:
    def leaks_later(draw: Draw, rows: Any) -> Any:
        return rows if sum(rows) > 1 else draw(bernoulli("1/2"))

    with pytest.raises(InputError, match="changed"):
        check_privacy(leaks_later, Tuples((0, 1), size=3), relation, epsilon=1)
    assert check_privacy(leaks_later, Tuples((0, 1), size=3), near, epsilon=1).status is Status.REFUTED


THE_TRUTH: Mapping[int, bool] = {0: True, 1: True}


def changes_its_own(case: Case, outcome: Any) -> bool:
    seen = [*case.database]
    seen.append(outcome)
    counts: dict[Any, int] = {}
    for each in seen:
        counts[each] = counts.get(each, 0) + 1
    return THE_TRUTH[outcome] and sum(counts.values()) == len(case.database) + 1


@dataclass(frozen=True)
class Within:
    most: int

    def __call__(self, case: Case, outcome: Any) -> bool:
        return bool(abs(outcome) <= self.most)


@pytest.mark.parametrize(
    ("succeeds", "mechanism"),
    [
        (changes_its_own, coin),
        (Within(1), coin),
        (lambda case, outcome: case.facts["is_good"](outcome), coin),
        (lambda case, outcome: case.parameters.get("most", 1) >= outcome and [*case.parameters] == [], coin),
        (lambda case, outcome: outcome < 1.5 and outcome / 3 <= 1 / 3, coin),
        (lambda case, outcome: bool(np.all(np.array([outcome]) <= 1)), coin),
        (
            lambda case, outcome: outcome.sort() or (outcome[0] == 0 and len(outcome) == 2),
            lambda draw, rows: [draw(bernoulli("1/2")), 0],
        ),
    ],
)
def test_predicates_without_memory_are_proved(succeeds: Any, mechanism: Any) -> None:
    facts = {"is_good": lambda outcome: outcome in (0, 1)}
    cases = [Case([0], {}, facts), Case([0, 1], {}, {"is_good": partial(operator.ge, 1)})]
    assert check_utility(claim(mechanism, succeeds=succeeds, cases=cases)).verdict is Status.PROVED
