"""Memories of functools while a mechanism is enumerated, and after it: what they answer, and what they hold."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest

from dpverify.mechanisms import Draw, InputError, bernoulli, distribution
from dpverify.mechanisms.reaching.hidden_chance import no_hidden_chance
from dpverify.mechanisms.reaching.memories import Memory

Call = tuple[tuple[Any, ...], dict[str, int]]

EQUAL = (0, 1, True, False, 1.0, "x", (1, 2))


class Notebook:
    """What was refused."""

    def __init__(self) -> None:
        self.refused: list[Exception] = []

    def take_note(self, error: Exception) -> None:
        self.refused.append(error)


def arguments(*args: Any, **named: int) -> Any:
    return args, tuple(named.items())


def number_of_arguments(*args: Any, **named: int) -> int:
    return len(args) + len(named)


def calls(count: int, chance: random.Random) -> list[Call]:
    """Calls of which many have equal arguments, and not the same."""
    return [
        (tuple(chance.choices(EQUAL, k=chance.randrange(3))), {name: chance.randrange(3) for name in "pq"[:k]})
        for k in (chance.randrange(3) for _ in range(count))
    ]


@pytest.mark.parametrize("function", [arguments, number_of_arguments])
@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("bound", [None, 1, 4, 16, 128])
def test_a_memory_stays_whole_whatever_it_forgets_between_mechanisms(
    bound: int | None, typed: bool, function: Callable[..., Any]
) -> None:
    """One with a bound took out the wrong key, and Python ended with a segmentation fault, or gave what is of others."""
    chance = random.Random(1)
    rounds = [(calls(40, chance), calls(40, chance)) for _ in range(30)]
    memory: Any = lru_cache(maxsize=bound, typed=typed)(function)
    refused = 0
    for inside, outside in rounds:
        held, notebook = Memory("memory", memory, ()), Notebook()
        with no_hidden_chance(notebook, ()):
            for args, named in inside:
                try:
                    assert memory(*args, **named) == function(*args, **named)
                except InputError as error:
                    assert error in notebook.refused
                    refused += 1
            held.changed()
        for args, named in outside:
            assert memory(*args, **named) == function(*args, **named)
        assert bound is None or memory.cache_info().currsize <= bound
    if bound != 4:  # which is full at once, so that nothing is remembered apart
        assert bool(refused) == (function is arguments and bound in (16, 128) and not typed)


def shown(flag: Any, _: int) -> str:
    return repr(flag)


def counted(flag: Any, _: int) -> int:
    return int(flag)


@pytest.mark.parametrize("bound", [None, 8])
def test_what_is_equal_is_refused_where_its_results_differ(bound: int | None) -> None:
    told, number = lru_cache(maxsize=bound)(shown), lru_cache(maxsize=bound)(counted)

    def tells(draw: Draw, row: Any) -> str:
        return told(row if draw(bernoulli("0.5")) else 1, 0)

    def counts(draw: Draw, row: Any) -> int:
        return number(row if draw(bernoulli("0.5")) else 1, 0)

    with pytest.raises(InputError, match="equal arguments such as 1 and True"):
        for row in (1, True):
            distribution(tells, row)
    for row in (1, True):
        assert distribution(counts, row).probabilities == {1: 1}


def test_who_catches_it_is_refused_all_the_same() -> None:
    told = lru_cache(maxsize=8)(shown)
    told(1, 0)

    def tells(draw: Draw, row: Any) -> str:
        try:
            return told(row, 0)
        except InputError:
            return "caught"

    with pytest.raises(InputError, match="equal arguments such as 1 and True"):
        distribution(tells, True)
