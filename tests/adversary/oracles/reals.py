"""Laws of released real numbers, cut, shifted, beside plain outcomes: this file imports nothing of dpverify.

All breaks are whole, and noise has scale 1/ε: so between two whole numbers a density is ln b·(A·b^x + B·b^(-x)), and the
ratio of two of them, (A·u + B)/(C·u + D) in u = b^(2x), is monotone there. The largest one is found at whole numbers.
"""

import random
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import log as float_log
from typing import Any, Final

from tests.adversary.oracles.noises import NotHere, OneSided, TwoSided, power
from tests.adversary.oracles.oracle import tagged
from tests.adversary.oracles.paths import EPSILON, Run, Value, runs

FAR: Final = 25
"""Beyond there is no break."""

ZERO: Final = Fraction(0)

Piece = tuple[Fraction, Fraction]


@dataclass
class Law:
    """Plain outcomes with probabilities, and kinds of released numbers with A and B on each [k, k + 1)."""

    base: Fraction
    plain: dict[Hashable, Fraction] = field(default_factory=dict)
    pieces: dict[Hashable, dict[int, Piece]] = field(default_factory=dict)

    def piece(self, kind: Hashable, k: int) -> Piece:
        return self.pieces.get(kind, {}).get(k, (ZERO, ZERO))

    def add(self, kind: Hashable, k: int, a: Fraction, b: Fraction) -> None:
        of = self.pieces.setdefault(kind, {})
        known = of.get(k, (ZERO, ZERO))
        of[k] = known[0] + a, known[1] + b


CELLS: Final = range(-FAR - 1, FAR + 1)
"""The first one is all from −∞ to −FAR, the last one all from FAR on."""


def law_of(mechanism: Callable[..., Any], database: Any, base: Fraction) -> Law:
    """Raises `NotHere` where a number with other noise is returned."""
    law = Law(base)
    for ended in runs(mechanism, database, base, epsilon=EPSILON):
        value, kind = _taken_apart(ended.outcome)
        if value is None:
            law.plain[kind] = law.plain.get(kind, ZERO) + ended.weight
        else:
            for k, a, b in _pieces(value, ended.run, ended.weight):
                law.add(kind, k, a, b)
    mass = sum(law.plain.values()) + sum(
        _mass(base, k, *piece) for of in law.pieces.values() for k, piece in of.items()
    )
    assert mass == 1, mass
    return law


def _taken_apart(outcome: Any) -> tuple[Value | None, Hashable]:
    if isinstance(outcome, Value):
        return outcome, "number"
    if isinstance(outcome, tuple):
        found = [part for part in outcome if isinstance(part, Value)]
        if len(found) > 1:
            raise NotHere("two numbers")
        kinds = tuple("number" if isinstance(part, Value) else tagged(part) for part in outcome)
        return (found[0], kinds) if found else (None, tagged(outcome))
    return None, tagged(outcome)


def _pieces(value: Value, run: Run, weight: Fraction) -> Iterator[tuple[int, Fraction, Fraction]]:
    """Where x = ±N + shift."""
    ((noise, sign),) = value.parts
    law, (low, high) = run.noises[noise], run.facts[noise]
    if law.scale != 1 or abs(sign) != 1 or value.shift.denominator != 1 or law.discrete:
        raise NotHere("a number that is no whole distance from noise of scale 1/ε")
    if isinstance(law, TwoSided):
        whole = 1 if law.ends[1] is None else 1 - power(law.base, -law.ends[1])
        right, left = (Fraction(1, 2) / whole,) * 2
    elif isinstance(law, OneSided):
        right, left = Fraction(1), ZERO
    else:
        raise NotHere("noise of which no density is known")
    mass = (1 if low is None else law.tail(low)) - (0 if high is None else law.tail(high))
    for k in CELLS:
        # n = sign·(x − shift), in the middle of the cell
        middle = Fraction(2 * k + 1, 2)
        n = sign * (middle - value.shift)
        if (low is not None and n < low) or (high is not None and n > high):
            continue
        height = (right if n > 0 else left) * weight / mass
        # b^(-|n|), which rises in x where n < 0 and sign > 0, or n > 0 and sign < 0
        if (n > 0) == (sign > 0):
            yield k, ZERO, height * power(law.base, value.shift)
        else:
            yield k, height * power(law.base, -value.shift), ZERO


def _mass(base: Fraction, k: int, a: Fraction, b: Fraction) -> Fraction:
    """∫ of a·b^x + b·b^(-x) over a cell, times ln b."""
    low, high = power(base, k), power(base, k + 1)
    if k == CELLS[0]:
        if b:
            raise NotHere("a density that does not fall off")
        return a * high
    if k == CELLS[-1]:
        if a:
            raise NotHere("a density that does not fall off")
        return b / low
    return a * (high - low) + b * (1 / low - 1 / high)


def ratio(left: Law, right: Law) -> Fraction | None:
    """The largest p/q; None where some q is 0 and p is not."""
    largest = Fraction(1)
    for outcome, p in left.plain.items():
        q = right.plain.get(outcome, ZERO)
        if p and not q:
            return None
        largest = max(largest, p / q) if p else largest
    for kind, of in left.pieces.items():
        for k, (a, b) in of.items():
            c, d = right.piece(kind, k)
            if not (a or b):
                continue
            if not (c or d):
                return None
            ends = {CELLS[0]: (ZERO,), CELLS[-1]: (None,)}.get(
                k, (power(left.base, 2 * k), power(left.base, 2 * k + 2))
            )
            for u in ends:
                if u is None:
                    largest = max(largest, b / d)
                elif u == 0:
                    largest = max(largest, a / c)
                else:
                    largest = max(largest, (a * u + b) / (c * u + d))
    return largest


def divergence(left: Law, right: Law, factor: Fraction) -> float:
    """∫ max(0, p − factor·q), as a float: a density may cross the other's multiple anywhere."""
    found = sum(float(max(ZERO, p - factor * right.plain.get(o, ZERO))) for o, p in left.plain.items())
    for kind, of in left.pieces.items():
        for k, (a, b) in of.items():
            c, d = right.piece(kind, k)
            found += _positive(left.base, k, a - factor * c, b - factor * d)
    return found


def _positive(base: Fraction, k: int, a: Fraction, b: Fraction) -> float:
    """ln b·∫ max(0, a·b^x + b·b^(-x)) over a cell."""
    if a <= 0 and b <= 0:
        return 0.0
    if a >= 0 and b >= 0:
        return float(_mass(base, k, a, b))
    root = float_log(-b / a) / (2 * float_log(base))
    low, high = float(k), float(k + 1)
    low, high = (max(low, root), high) if a > 0 else (low, min(high, root))
    if low >= high:
        return 0.0
    z = float(base)
    return float(float(a) * (z**high - z**low) + float(b) * (z**-low - z**-high))


# --- Sources
def source(rng: random.Random) -> str:
    """A noisy number that is cut, shifted, put beside something else, or hidden by a coin."""
    noise = rng.choice(
        (
            "laplace(1 / epsilon)",
            "laplace(1 / epsilon)",
            "exponential_noise(1 / epsilon)",
            f"truncated_laplace(1 / epsilon, {rng.randint(1, 4)})",
        )
    )
    statistic = rng.choice(("x", "x", "2 * x", "x + y", "x - y", "-x", "3 * x"))
    lines = ["x, y = rows[0], rows[-1]"]
    if rng.random() < 0.35:
        lines += [
            f"if draw(bernoulli(F({rng.randint(1, 3)} + {rng.choice('xy0')}, {rng.randint(6, 9)}))):",
            f"    return {rng.choice(('None', repr('heads'), '(0,)'))}",
        ]
    lines.append(f"noisy = {statistic} + {rng.choice(('', '-'))}draw({noise})")
    if rng.random() < 0.3:
        lines.append(f"noisy = -noisy + {rng.randint(-1, 2)}")
    if rng.random() < 0.3:
        low = rng.randint(-2, 1)
        return _written([*lines, f"return clamp(noisy, {low}, {low + rng.randint(1, 4)})"])
    for word in ("low", "high")[: rng.randint(0, 2)]:
        lines.append(f"if noisy {rng.choice(('>', '<', '>=', '<='))} {rng.randint(-3, 4)}:")
        lines.append(
            f"    return {rng.choice((repr(word), repr(word), f'({word!r}, noisy)', '(' + repr(word) + ', x >= 9)'))}"
        )
    lines.append(f"return {rng.choice(('noisy', 'noisy', '(1, noisy)', '-noisy', 'noisy + 2', '(noisy, None)'))}")
    return _written(lines)


def _written(lines: list[str]) -> str:
    return "def mechanism(draw, rows, *, epsilon):\n" + "".join(f"    {line}\n" for line in lines)
