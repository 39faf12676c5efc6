"""A part has one law, whether laws are remembered or not: over mechanisms that carry values in every place."""

import functools
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from tests.adversary.checking import subjects
from tests.adversary.random_programs.functions import function_of
from tests.adversary.random_programs.generated import FINITE, LUMPED
from tests.adversary.tally import Tally, programs

from dpverify.mechanisms import Distribution, InputError, bernoulli, distribution, run
from dpverify.mechanisms.drawing.enumerator import Enumeration

Part = Callable[..., Any]


def _flip(draw: Any, k: int) -> bool:
    return bool(draw(bernoulli(Fraction(k, 10))))


def in_its_closure(k: int) -> Part:
    def coin(draw: Any) -> bool:
        return _flip(draw, k)

    return coin


def in_a_mutable_default(k: int) -> Part:
    def coin(draw: Any, k: list[int] = [k]) -> bool:  # noqa: B006
        return _flip(draw, k[0])

    return coin


@dataclass(frozen=True)
class Named:
    name: Any

    @property
    def chance(self) -> int:
        return int(self.name)

    def __call__(self, draw: Any) -> bool:
        return _flip(draw, self.chance)


@dataclass(frozen=True)
class NotCompared:
    name: str
    k: int = field(compare=False)

    def __call__(self, draw: Any) -> bool:
        return _flip(draw, self.k)


class Plain:
    def __init__(self, k: int) -> None:
        self.k = k

    def __call__(self, draw: Any) -> bool:
        return _flip(draw, self.k)

    def flipped(self, draw: Any) -> bool:
        return _flip(draw, self.k)


class Equal(Plain):
    """All of them are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal)

    def __hash__(self) -> int:
        return 0


class Member(Enum):
    ONE = 1
    NINE = 9


def _by_order(draw: Any, table: Mapping[str, int]) -> bool:
    return _flip(draw, next(iter(table.values())))


def _by_kind(draw: Any, value: Any) -> bool:
    return _flip(draw, 1 if type(value) is bool else 9)


def _by_parameter(draw: Any, *, k: int) -> bool:
    return _flip(draw, k)


_changed = {"k": 1}


PARTS: dict[str, Callable[[int], Part]] = {
    **{make.__name__: make for make in (in_its_closure, in_a_mutable_default, Plain, Equal)},
    "a field that is not compared": lambda k: NotCompared("coin", k),
    "a bound method": lambda k: Plain(k).flipped,
}
"""How a part may be made that is True with probability k/10."""

ARGUMENTS: dict[str, tuple[Part, Callable[[int], Any]]] = {
    "a dict in its order": (_by_order, lambda k: {"a": 1, "b": 9} if k == 1 else {"b": 9, "a": 1}),
    "a member of an Enum": (lambda draw, value: _flip(draw, value.value), Member),
    "True and 1": (_by_kind, lambda k: True if k == 1 else 1),
    "a dataclass of True and 1": (
        lambda draw, value: _by_kind(draw, value.name),
        lambda k: Named(True if k == 1 else 1),
    ),
}


def unremembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Enumeration, "law_of_part", lambda self, part, args, parameters: self.law(part, args, parameters)
    )


def law_or_refusal(mechanism: Part, database: Hashable) -> Distribution[Any] | None:
    try:
        return distribution(mechanism, database)
    except InputError:
        return None


CASES: dict[str, Part] = {
    **{name: functools.partial(lambda make, draw, k: draw(make(k)), make) for name, make in PARTS.items()},
    **{
        f"given {name}": functools.partial(lambda part, make, draw, k: draw(part, make(k)), part, make)
        for name, (part, make) in ARGUMENTS.items()
    },
    "given by keyword": lambda draw, k: draw(_by_parameter, k=k),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", CASES)
def test_memo_on_is_memo_off(name: str, monkeypatch: pytest.MonkeyPatch, tally: Tally) -> None:
    """A law that is refused is not a wrong one; a law that is given is that of the second part, and not of the first."""
    draw_of = CASES[name]

    def mechanism(draw: Any, rows: tuple[int, ...]) -> Any:
        draw_of(draw, 1)
        return draw_of(draw, 1 + 8 * rows[0])

    for rows in ((0,), (1,)):
        remembered = law_or_refusal(mechanism, rows)
        with monkeypatch.context() as patch:
            unremembered(patch)
            anew = law_or_refusal(mechanism, rows)
        tally.counts["memo on = memo off"] += 1
        assert remembered is None or remembered == anew, (rows, remembered, anew)
        if anew is not None:
            assert anew.probability(True) == Fraction(1 + 8 * rows[0], 10)
        if rows == (1,):
            runs = [run(mechanism, rows, seed=i) for i in range(60)]
            # fewer than 30 of 60 at 9/10 happen with a probability below 1e-12
            assert remembered is None or sum(runs) >= 30


def test_most_parts_are_compared_and_not_refused(tally: Tally) -> None:
    """What a part carries may be refused; that most are says that the test above compares something."""
    compared = 0
    for draw_of in CASES.values():
        law = law_or_refusal(lambda draw, rows, of=draw_of: of(draw, 1 + 8 * rows[0]), (1,))
        compared += law is not None and law.probability(True) == Fraction(9, 10)
    tally.counts["parts that carry state, and have a law"] += compared
    tally.demand({"parts that carry state, and have a law": len(CASES) / 2})


def test_random_programs_have_one_law_with_the_memo_and_without(monkeypatch: pytest.MonkeyPatch, tally: Tally) -> None:
    for style in (FINITE, LUMPED):
        for _, subject, _ in subjects("memo", style, programs(3), tally):
            mechanism = partial(function_of(subject.program), epsilon=Fraction(1))
            rows = subject.domain[-1]
            remembered = law_or_refusal(mechanism, rows)
            with monkeypatch.context() as patch:
                unremembered(patch)
                assert remembered == law_or_refusal(mechanism, rows)
            tally.counts["memo on = memo off"] += remembered is not None
    tally.demand({"memo on = memo off": 1.8 * programs(3)})
