"""Random programs whose outcomes are equal to others of another type, or print in another way."""

import random
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any, Final

from tests.adversary.oracles.oracle import Chance
from tests.adversary.oracles.programs import (
    Called,
    Coin,
    Draw,
    If,
    Linear,
    Literal,
    Many,
    Outcome,
    Pick,
    Program,
    Return,
    ReturnLaw,
    Seen,
    Statement,
)
from tests.adversary.random_programs.generated import Subject

FAMILIES: Final[tuple[tuple[Any, ...], ...]] = (
    (0, False, Decimal("0.0"), Decimal("0"), Decimal("-0")),
    (1, True, Decimal(1), Decimal("1.00")),
    (Fraction(1), True),
    (Fraction(0), False),
    (Fraction(1, 2), Decimal("0.5")),
    (frozenset({1}), frozenset({True})),
    ((1,), (True,)),
    ((0, "a"), (False, "a")),
    (((1,), frozenset({0})), ((True,), frozenset({0})), ((1,), frozenset({False}))),
    # equal to nothing else here
    ("1", b"1", None, (), frozenset(), 2),
)
"""Outcomes that are equal to one another, but for the last, of which no two are."""


def subject(seed: str) -> Subject:
    """A program that draws equal outcomes itself or from parts, and shows of them what it sees."""
    rng = random.Random(seed)
    domain = tuple(product(range(2), repeat=rng.randint(1, 2)))
    family = rng.choice(FAMILIES)
    palette = (*rng.choices(family, k=3), *rng.choices(FAMILIES[-1], k=1))
    if rng.random() < 0.3:
        program = Program("mechanism", _some(rng, palette, "x"))
    else:
        part = Program("part", _some(rng, palette, "k"), ("k",))
        if rng.random() < 0.3:  # two deep
            part = Program("outer", Draw("t", Called(part, (_plain("k"),)), Return(_shown(rng, "t"))), ("k",))
        argument = rng.choice((_plain("x"), _plain("x"), _plain("y"), Linear(shift=Fraction(1))))
        body: Statement = Draw("s", Called(part, (argument,)), Return(_shown(rng, "s")))
        if rng.random() < 0.3:
            other = Return(rng.choice((Literal(rng.choice(palette)), _shown(rng, "s"))))
            body = Draw(
                "s", Called(part, (argument,)), If(_plain("y"), "==", Linear(), Return(_shown(rng, "s")), other)
            )
        program = Program("mechanism", body)
    return Subject(program, domain, Chance(Fraction(2), 1, lumped=True), seed)


def _plain(name: str) -> Linear:
    return Linear(((name, 1),))


def _shown(rng: random.Random, name: str) -> Outcome:
    kind = rng.randrange(4)
    if kind == 0:
        return Seen(name)
    shown = _plain(name)
    return shown if kind == 1 else Many(tuple if kind == 2 else frozenset, (shown,))


def _some(rng: random.Random, palette: tuple[Any, ...], seen: str) -> Statement:
    """One of the palette, the first by a coin that sees a row, the others by it or by a law."""
    first, *others = palette
    coin = Coin(Linear(((seen, Fraction(6, 10)),), Fraction(2, 10)))
    weights = tuple(Linear(((seen, rng.randint(0, 1)),), Fraction(rng.randint(1, 2))) for _ in others)
    law = Pick(tuple(map(Literal, others)), weights)
    rest: Statement = Return(Literal(others[0])) if rng.random() < 0.5 else ReturnLaw(law)
    if rng.random() < 0.2:
        return If(_plain(seen), "==", Linear(), Return(Literal(first)), rest)
    return Draw("c", coin, If(_plain("c"), "==", Linear(), Return(Literal(first)), rest))
