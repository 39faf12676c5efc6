"""Functions of utility claims that remember, that change what they are given, or that draw: none is PROVED."""

from __future__ import annotations

import operator
import random
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial
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
SEEN: list[int] = []
COUNTS: dict[int, int] = {}
NUMBERS = count()
STATE = random.Random(3)


def coin(draw: Draw, rows: Any, **given: Any) -> Any:
    return draw(bernoulli("1/2"))


def listing(draw: Draw, rows: Any) -> Any:
    return [draw(bernoulli("1/2")), 0]


def noisy(draw: Draw, rows: Any) -> Any:
    return draw(laplace(1))


def claim(mechanism: Callable[..., Any] = coin, **fields: Any) -> UtilityClaim:
    """Holds where all outcomes succeed, and where β is 1; a function with a memory says so at its first two calls."""
    given: dict[str, Any] = {"succeeds": lambda case, outcome: True, "beta": lambda case: 0, "cases": [Case([0], {})]}
    return UtilityClaim(id="own.trap", mechanism=mechanism, mutant=mechanism, **given | fields)


def in_a_default(case: Case, outcome: Any, kept: Any = []) -> bool:  # noqa: B006  # the point
    kept.append(outcome)
    return len(kept) <= 2


def in_a_default_by_name(case: Case, outcome: Any, *, kept: Any = {}) -> bool:  # noqa: B006  # the point
    kept[0] = kept.get(0, 0) + 1
    return bool(kept[0] <= 2)


def in_a_global(case: Case, outcome: Any) -> bool:
    seen = SEEN if case.database else []
    seen.append(1)
    return len(SEEN) <= 2


def in_a_global_that_another_function_changes(case: Case, outcome: Any) -> bool:
    return _counted(COUNTS) <= 2


def _counted(counts: dict[int, int]) -> int:
    counts[0] = counts.get(0, 0) + 1
    return counts[0]


def by_global(case: Case, outcome: Any) -> bool:
    global STEPS  # noqa: PLW0603  # the point
    STEPS += 1
    return STEPS <= 2


STEPS = 0


def by_nonlocal() -> Callable[..., bool]:
    steps = 0

    def succeeds(case: Case, outcome: Any) -> bool:
        nonlocal steps
        steps += 1
        return steps <= 2

    return succeeds


def in_its_own_attribute(case: Case, outcome: Any) -> bool:
    itself: Any = in_its_own_attribute
    itself.steps = getattr(itself, "steps", 0) + 1
    return bool(itself.steps <= 2)


def in_an_iterator(case: Case, outcome: Any) -> bool:
    return next(NUMBERS) < 2


@dataclass
class Remembers:
    steps: int = 0

    def __call__(self, case: Case, outcome: Any) -> bool:
        self.steps += 1
        return self.steps <= 2

    def succeeds(self, case: Case, outcome: Any) -> bool:
        self.steps += 1
        return self.steps <= 2


@dataclass(frozen=True)
class RemembersInAList:
    kept: list[Any] = field(default_factory=list)

    def __call__(self, case: Case, outcome: Any) -> bool:
        self.kept.append(outcome)
        return len(self.kept) <= 2


class RemembersInItsClass:
    steps = 0

    def __call__(self, case: Case, outcome: Any) -> bool:
        type(self).steps += 1
        return self.steps <= 2


class HasAnItem:
    def __init__(self) -> None:
        self.items = [0]

    def __len__(self) -> int:
        self.items.append(0)
        return len(self.items)


HAS_AN_ITEM = HasAnItem()


def by_a_method_that_python_calls(case: Case, outcome: Any) -> bool:
    return len(HAS_AN_ITEM) <= 3


@cache
def _memory(outcome: Any) -> list[Any]:
    return []


def in_what_a_cache_keeps(case: Case, outcome: Any) -> bool:
    _memory(0).append(outcome)
    return len(_memory(0)) <= 2


def in_a_comprehension(case: Case, outcome: Any, kept: Any = set()) -> bool:  # noqa: B006  # the point
    return [kept.add(len(kept)) for _ in range(1)] == [None] and len(kept) <= 2


def as_a_key_that_sorts(case: Case, outcome: Any, kept: Any = []) -> bool:  # noqa: B006  # the point
    sorted([1, 2], key=kept.append)
    return len(kept) <= 4


def generator_that_goes_on() -> Callable[..., bool]:
    def answers() -> Iterator[bool]:
        yield from (True, True)
        while True:
            yield False

    going = answers()
    return lambda case, outcome: next(going)


def in_the_database(case: Case, outcome: Any) -> bool:
    case.database.append(0)
    return len(case.database) <= 3


def in_the_facts(case: Case, outcome: Any) -> bool:
    facts: Any = case.facts
    facts["asked"] = facts.get("asked", 0) + 1
    return bool(facts["asked"] <= 2)


def in_a_list_of_the_facts(case: Case, outcome: Any) -> bool:
    kept = case.facts["kept"]
    kept.append(0)
    return len(kept) <= 2


WITH_MEMORY = [
    in_a_default,
    in_a_default_by_name,
    in_a_global,
    in_a_global_that_another_function_changes,
    by_global,
    by_nonlocal(),
    in_its_own_attribute,
    in_an_iterator,
    Remembers(),
    Remembers().succeeds,
    RemembersInAList(),
    RemembersInItsClass(),
    partial(Remembers()),
    partial(in_a_default, kept=[]),
    by_a_method_that_python_calls,
    in_what_a_cache_keeps,
    in_a_comprehension,
    as_a_key_that_sorts,
    generator_that_goes_on(),
    in_the_database,
    in_the_facts,
    in_a_list_of_the_facts,
]


def by_random(case: Case, outcome: Any) -> bool:
    return random.random() < 1


def by_a_name_of_its_own(case: Case, outcome: Any) -> bool:
    import random as coins

    return coins.random() < 1


def by_what_it_imports(case: Case, outcome: Any) -> bool:
    from random import random

    return random() < 1


def by_numpy(case: Case, outcome: Any) -> bool:
    return bool(np.random.laplace() < 10**9)


def by_a_generator_of_numpys(case: Case, outcome: Any) -> bool:
    return bool(np.random.default_rng().random() < 1)


def by_secrets(case: Case, outcome: Any) -> bool:
    return secrets.randbelow(2) < 2


def by_a_held_generator(case: Case, outcome: Any) -> bool:
    return STATE.random() < 1


def by_a_default(case: Case, outcome: Any, flip: Callable[[], float] = random.random) -> bool:
    return flip() < 1


def beside_a_file(case: Case, outcome: Any) -> bool:
    with Path(__file__).open() as text:  # which the language does not have
        return random.random() < 1 and bool(text)


def by_a_generator_in_the_facts(case: Case, outcome: Any) -> bool:
    return bool(case.facts["rng"].random() < 1)


BY_CHANCE = [
    by_random,
    by_a_name_of_its_own,
    by_what_it_imports,
    by_numpy,
    by_a_generator_of_numpys,
    by_secrets,
    by_a_held_generator,
    by_a_default,
    beside_a_file,
    by_a_generator_in_the_facts,
]

CASE = Case([0], {}, {"kept": [], "rng": random.Random(1)})
WAYS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "succeeds": lambda trap: {"succeeds": trap},
    "beta": lambda trap: {"beta": AsBeta(trap)},
    "holds_for": lambda trap: {"holds_for": AsPrecondition(trap)},
}


@dataclass(frozen=True)
class AsBeta:
    trap: Any

    def __call__(self, case: Case) -> Fraction:
        return Fraction(bool(self.trap(case, 0)), 2)


@dataclass(frozen=True)
class AsPrecondition:
    trap: Any

    def __call__(self, case: Case) -> bool:
        return bool(self.trap(case, 0))


def ended(trap: Any, way: str, **fields: Any) -> str:
    """The status, or the error in words."""
    random.seed(1)
    case = replace(CASE, database=[0], facts={**CASE.facts, "kept": []})
    case = case if trap is by_a_generator_in_the_facts else replace(case, facts={"kept": []})
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
    assert ended(trap, "succeeds", mechanism=noisy) not in ("PROVED", "FUZZED")


@dataclass
class Answer:
    bit: int

    def is_good(self) -> bool:
        return _counted(COUNTS) <= 2


@dataclass(frozen=True)
class FrozenAnswer:
    bit: int

    def __hash__(self) -> int:  # so that a distribution holds the object itself
        return self.bit

    def is_good(self) -> bool:
        return _counted(COUNTS) <= 2


@in_one("kind", [Answer, FrozenAnswer])
def test_an_outcome_that_remembers_is_refused(kind: Any) -> None:
    def answering(draw: Draw, rows: Any) -> Any:
        return kind(draw(bernoulli("1/2")))

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


def remembers_in_a_default(database: Any, kept: Any = {}) -> Any:  # noqa: B006  # the point
    kept[0] = kept.get(0, 0) + 1
    return near(database) if kept[0] <= 2 else ()


def changes_and_changes_again(database: Any) -> Any:
    SEEN[:] = [] if SEEN else [1]  # an even number of times in all
    return near(database) if SEEN else ()


def remembers_in_its_module(database: Any) -> Any:
    itself.COUNTS[1] = itself.COUNTS.get(1, 0) + 1
    return near(database) if itself.COUNTS[1] <= 2 else ()


class Near:
    steps = 0

    def __call__(self, database: Any) -> Any:
        self.steps += 1
        return near(database) if self.steps <= 2 else ()


def near(database: Any) -> Any:
    return [(*database[:i], 1 - database[i], *database[i + 1 :]) for i in range(len(database))]


@in_one("relation", [remembers_in_a_default, changes_and_changes_again, remembers_in_its_module, Near()])
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

    def succeeds(self, case: Case, outcome: Any) -> bool:
        return self(case, outcome)


def changes_its_outcome(case: Case, outcome: Any) -> bool:
    outcome.sort()
    return bool(outcome[0] == 0 and len(outcome) == 2)


@pytest.mark.parametrize(
    ("succeeds", "mechanism"),
    [
        (changes_its_own, coin),
        (Within(1), coin),
        (Within(1).succeeds, coin),
        (partial(Within(1)), coin),
        (lambda case, outcome: case.facts["is_good"](outcome), coin),
        (lambda case, outcome: case.parameters.get("most", 1) >= outcome and [*case.parameters] == [], coin),
        (lambda case, outcome: outcome < 1.5 and outcome / 3 <= 1 / 3, coin),
        (lambda case, outcome: bool(np.all(np.array([outcome]) <= 1)), coin),
        (changes_its_outcome, listing),
    ],
)
def test_predicates_without_memory_are_proved(succeeds: Any, mechanism: Any) -> None:
    facts = {"is_good": lambda outcome: outcome in (0, 1)}
    cases = [Case([0], {}, facts), Case([0, 1], {}, {"is_good": partial(operator.ge, 1)})]
    assert check_utility(claim(mechanism, succeeds=succeeds, cases=cases)).verdict is Status.PROVED
