"""Random programs that compute with noise, and what they need by plain enumeration of their whole noises.

A program is run as it is by either: by a check, and with plain numbers in the place of its noises. It may be private or
not: it may look at the data again after its noises are drawn, in an expression, a comparison, a branch or a type.
"""

import math
import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from dpverify.mechanisms import discrete_laplace

FAR = 40
"""How far from 0 noise is enumerated; beyond it lies less than `TAIL` of each noise."""

SCALE = 2

Rows = tuple[int, int]

Program = Callable[[Any, Rows], Any]


def tail() -> float:
    """The probability that one of two noises is beyond `FAR`."""
    z = math.exp(-1 / SCALE)
    return 2 * 2 * z ** (FAR + 1) / (1 + z)


def expression(chance: random.Random, depth: int, leaky: float) -> str:
    """Code of a number that is computed from a, b and, with that probability, the rows."""
    if chance.random() < leaky:
        return chance.choice(["rows[0]", "rows[1]", "sum(rows)"])
    if depth == 0:
        return chance.choice(
            ["a", "b", "a", "b", "1", "2", "Fraction(1, 2)", "(a / (b + Fraction(1, 2)))", "(b / (a - Fraction(1, 2)))"]
        )
    left, right = (expression(chance, depth - 1, leaky) for _ in range(2))
    form = chance.choice(
        [
            *("({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} * {1})", "abs({0})", "({0} / ({1} * {1} + 1))"),
            *("max({0}, {1})", "min({0}, {1})", "({0} if {1} > 0 else 1)", "({0} if {0} > {1} else {1})"),
            *("(({0}) ** 2)", "({0} if {0} == {1} else 0)", "-{0}", "clamp({0}, 0, 2)", "({0} // 2)"),
        ]
    )
    return form.format(left, right)


def code_of_program(seed: int) -> str:
    """The code of a program's body: two noises, and what is returned of them."""
    chance = random.Random(seed)
    leaky = chance.choice([0, 0, 0, 0.05, 0.15])
    first = chance.choice(["rows[0] + n()", "n() + rows[0]", "sum(rows) + n()", "rows[0] - n()", "2 * n() + rows[0]"])
    second = chance.choice(["rows[1] + n()", "n()", "rows[0] + rows[1] + n()", "n() + 1 - rows[1]", "a + n()", "a"])
    count = chance.choice([1, 1, 2, 2, 3])
    parts = [expression(chance, chance.choice([0, 1, 2]), leaky) for _ in range(count)]
    if chance.random() < 0.5:
        parts.append(f"{expression(chance, 1, leaky)} > {expression(chance, 0, leaky)}")
    returned = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
    lines = ["def program(n, rows):", f"    a = {first}", f"    b = {second}"]
    if chance.random() < 0.3:
        lines += [f"    if {expression(chance, 1, leaky)} > {expression(chance, 0, leaky)}:"]
        lines += [f"        return {expression(chance, 1, leaky)}"]
    return "\n".join([*lines, f"    return {returned}"])


def clamped(value: Any, low: int, high: int) -> Any:
    """`clamp` of a plain number."""
    return min(max(value, low), high)


def compiled(code: str, clamp: Callable[..., Any]) -> Callable[[Callable[[], Any], Rows], Any]:
    """The program of that code."""
    names: dict[str, Any] = {"Fraction": Fraction, "clamp": clamp}
    exec(code, names)
    return names["program"]  # type: ignore[no-any-return]


def as_mechanism(program: Callable[..., Any]) -> Program:
    """The program with noise that is drawn."""

    def mechanism(draw: Any, rows: Rows) -> Any:
        return program(lambda: draw(discrete_laplace(SCALE)), rows)

    return mechanism


def plain_law(program: Callable[..., Any], rows: Rows) -> Mapping[Hashable, float]:
    """The law of what the program returns, without what is far out, by going through its noises one by one."""
    z = math.exp(-1 / SCALE)
    mass = {n: (1 - z) / (1 + z) * z ** abs(n) for n in range(-FAR, FAR + 1)}
    law: dict[Hashable, float] = defaultdict(float)
    for first, second in product(mass, repeat=2):
        noises = iter((Fraction(first), Fraction(second)))
        law[_typed(program(lambda noises=noises: next(noises), rows))] += mass[first] * mass[second]
    return law


def _typed(outcome: Any) -> Hashable:
    if isinstance(outcome, tuple):
        return tuple(map(_typed, outcome))
    return (isinstance(outcome, bool), Fraction(outcome))


def least_delta(left: Mapping[Hashable, float], right: Mapping[Hashable, float], epsilon: float) -> float:
    """A δ that the second law needs at least, whatever lies far out."""
    event = [(p, right.get(outcome, 0.0)) for outcome, p in left.items()]
    found = sum(p - math.exp(epsilon) * q for p, q in event if p > math.exp(epsilon) * q)
    return found - math.exp(epsilon) * tail() - 1e-9
