"""Random sources of nested parts, of parts drawn apart, of symmetric mechanisms, of selections by counts."""

import random
from fractions import Fraction
from typing import Final

from tests.adversary.oracles.noise_texts import number

_NOISES: Final = (
    ("discrete_laplace(1 / epsilon)", True),
    ("geometric(1 / epsilon)", True),
    ("laplace(1 / epsilon)", False),
    ("exponential_noise(1 / epsilon)", False),
    ("truncated_discrete_laplace(1 / epsilon, 2)", True),
    ("discrete_uniform(-2, 2)", True),
)


class _Writer:
    """Writes functions of draw and one plain number each, which call those that are written before them."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._parts: list[str] = []

    def part(self, name: str) -> str:
        rng = self._rng
        lines: list[str] = []
        seen = ["k"]
        for i in range(rng.randint(1, 2)):
            kind = rng.randrange(4 if self._parts else 3)
            new = f"v{i}"
            if kind == 0:
                lines.append(f"{new} = int(draw(bernoulli(F({rng.randint(1, 3)} + {self._any(seen)} % 3, 7))))")
            elif kind == 1:
                weights = ", ".join(
                    f"{j}: {rng.randint(1, 3)} + {rng.randint(0, 2)} * ({self._any(seen)} % 3)"
                    for j in range(rng.randint(2, 3))
                )
                lines.append(f"{new} = draw(Distribution({{{weights}}}))")
            elif kind == 2:
                noise, _ = rng.choice(_NOISES)
                lines.append(
                    f"{new} = int(draw({noise}) + {self._any(seen)} {rng.choice(('>=', '<'))} {rng.randint(-1, 2)})"
                )
            else:
                lines.append(f"{new} = draw({rng.choice(self._parts)}, {self._any(seen)} % 3, epsilon=epsilon)")
            seen.append(new)
        if rng.random() < 0.3:
            lines.append(f"if {seen[-1]} == 1:")
            lines.append(f"    return {rng.choice((seen[0], '0', seen[-1]))}")
        if rng.random() < 0.2:
            lines.append(f"return Distribution({{0: 1, 1: 1 + {seen[-1]}}})")
        else:
            lines.append(f"return {rng.choice((seen[-1], ' + '.join(seen), f'{seen[-1]} * 2'))}")
        self._parts.append(name)
        return f"def {name}(draw, k, *, epsilon):\n" + "".join(f"    {line}\n" for line in lines)

    def _any(self, seen: list[str]) -> str:
        return self._rng.choice((seen[-1], self._rng.choice(seen)))


def nested(rng: random.Random) -> str:
    """Parts that call parts, drawn one by one and in the light of one another."""
    writer = _Writer(rng)
    parts = [f"part{i}" for i in range(rng.randint(1, 3))]
    text = "\n".join(writer.part(part) for part in parts)
    lines = ["x, y = rows[0], rows[-1]", f"a = draw({parts[-1]}, x, epsilon=epsilon)"]
    if rng.random() < 0.5:
        lines += [f"if a == {rng.randint(0, 2)}:", f"    return {rng.choice(('a', 'x >= 9', 'None'))}"]
    lines.append(f"b = draw({rng.choice(parts)}, {rng.choice(('y', '(a + y) % 3', 'x'))}, epsilon=epsilon)")
    lines.append(f"return {rng.choice(('(a, b)', 'a + b', 'frozenset((a, b))', 'a == b', 'b'))}")
    return text + "\ndef mechanism(draw, rows, *, epsilon):\n" + "".join(f"    {line}\n" for line in lines)


def drawn_apart(rng: random.Random) -> str:
    """A part for each row, or for each of a few numbers, that are returned as they are, perhaps beside something else."""
    writer = _Writer(rng)
    parts = [f"part{i}" for i in range(rng.randint(1, 2))]
    text = "\n".join(writer.part(part) for part in parts)
    items = rng.choice(("rows", "rows", "(x, y)", "(0, x, 1)", "(x + y,)", "[r + 1 for r in rows]"))
    lines = ["x, y = rows[0], rows[-1]"]
    if rng.random() < 0.4:
        lines.append(f"coin = int(draw(bernoulli(F({rng.randint(1, 3)} + x, 9))))")
        if rng.random() < 0.5:
            lines += ["if coin:", f"    return {rng.choice(('x >= 9', 'None', 'coin'))}"]
        shown = rng.choice(("(coin, answers)", "answers"))
    else:
        shown = rng.choice(("answers", "(answers, 7)", "answers"))
    lines.append(f"answers = draw.each({parts[-1]}, {items}, epsilon=epsilon)")
    if rng.random() < 0.25:
        lines.append(f"more = draw.each({parts[0]}, (y,), epsilon=epsilon)")
        shown = f"({shown}, more)"
    lines.append(f"return {shown}")
    return text + "\ndef mechanism(draw, rows, *, epsilon):\n" + "".join(f"    {line}\n" for line in lines)


LETTERS: Final = ("a", "b", "c")


def on_rows(rng: random.Random) -> str:
    """What asks for rows of the universe `LETTERS` by name, and returns some of them."""
    who = rng.choice(("rows[0]", "rows[-1]", "max(rows)", repr(rng.choice(LETTERS))))
    lines = [f"n = rows.count({rng.choice(LETTERS)!r})", f"who = {who}"]
    p = f"F({rng.randint(1, 3)} + {rng.choice(('n', 'rows.count(who)'))}, 8)"
    other = rng.choice(LETTERS)
    shown = [
        rng.choice(("who", f"(who, {other!r})", f"frozenset((who, {other!r}))", "n", f"({other!r}, n)", repr(other)))
        for _ in range(2)
    ]
    if rng.random() < 0.4:
        weights = ", ".join(f"{letter!r}: 1 + {rng.randint(0, 2)} * rows.count({letter!r})" for letter in LETTERS)
        shown[1] = f"Distribution({{{weights}}})"
    if rng.random() < 0.3:
        noise, _ = rng.choice(_NOISES)
        lines.append(f"if draw({noise}) + n >= {rng.randint(0, 2)}:")
    else:
        lines.append(f"if draw(bernoulli({p})):")
    lines += [f"    return {shown[0]}", f"return {shown[1]}"]
    return "def inner(draw, rows, *, epsilon):\n" + "".join(f"    {line}\n" for line in lines)


def on_scores(rng: random.Random, solutions: int) -> str:
    """What scores candidates, and returns some of them by their places."""
    place = rng.randrange(solutions)
    by = rng.choice(("scores.index(max(scores))", str(place), f"int(scores[{place}] > scores[0])"))
    lines = [f"who = {by}"]
    shown = [
        rng.choice(("who", f"(who, {rng.randrange(solutions)})", "frozenset((who,))", "'none'", str(place)))
        for _ in range(2)
    ]
    gap = f"scores[{place}] - scores[{rng.randrange(solutions)}]"
    kind = rng.randrange(3)
    if kind == 0:
        lines.append(f"return Distribution({{i: 1 + i + abs({gap}) for i in range({solutions})}})")
    else:
        noise, _ = rng.choice(_NOISES)
        test = (
            f"draw({noise}) + {gap} >= {rng.randint(0, 1)}" if kind == 1 else f"draw(bernoulli(F(1, 2 + abs({gap}))))"
        )
        lines += [f"if {test}:", f"    return {shown[0]}", f"return {shown[1]}"]
    return "def inner(draw, scores, *, epsilon):\n" + "".join(f"    {line}\n" for line in lines)


def quality(rng: random.Random) -> str:
    """A quality of counts and a solution, whole and not large."""

    def tree(depth: int) -> str:
        if depth == 0 or rng.random() < 0.2:
            return rng.choice(
                ("counts[0]", "counts[1]", "counts[2]", "counts[h]", "counts.size", str(rng.randint(0, 3)))
            )
        kind = rng.randrange(8)
        left, right = tree(depth - 1), tree(depth - 1)
        if kind < 3:
            return f"({left} {'+-*'[kind]} {right})"
        if kind == 3:
            return f"({left} // {rng.randint(2, 3)})"
        if kind == 4:
            return f"({left} % {rng.randint(2, 4)})"
        if kind == 5:
            return f"{rng.choice(('smallest', 'largest'))}({left}, {right})"
        if kind == 6:
            return f"({left} {rng.choice(('==', '<', '<=', '>', '>=', '!='))} {right})"
        return f"abs({left} - {right})"

    body = f"counts[h] + 0 * {tree(1)}" if rng.random() < 0.1 else tree(rng.randint(1, 3))
    return f"def quality(counts, h):\n    return smallest(largest({body} + 0 * counts[0], -6), 6) + 0 * h\n"


def on_any_rows(rng: random.Random, rows: str) -> str:
    """What counts rows that may be none, with noise or coins."""
    row = rng.choice(rows.split())
    statistics = ("len(rows)", f"rows.count({row})", f"min(len(rows), {rng.randint(1, 3)})", f"int({row} in rows)")
    n, m = rng.choice(statistics), rng.choice(statistics)
    lines = [f"n, m = {n}, {m}"]
    for i in range(rng.randint(1, 2)):
        kind = rng.randrange(3)
        if kind == 0:
            test = f"draw(bernoulli(F({rng.randint(1, 3)} + {rng.choice('nm')}, {rng.randint(7, 9)})))"
        elif kind == 1:
            noise, _ = rng.choice(_NOISES)
            test = f"draw({noise}) + {rng.choice(('n', 'm', 'n - m', '2 * n'))} {rng.choice(('>=', '<'))} {rng.randint(-1, 3)}"
        else:
            test = f"{rng.choice('nm')} {rng.choice(('>=', '==', '<'))} {rng.randint(0, 2)}"
        lines += [
            f"if {test}:",
            f"    return {rng.choice((str(i), 'n * 2 + 100', f'draw(exponential((n, m, {i}), 2 * epsilon))', repr('no')))}",
        ]
    lines.append(
        f"return {rng.choice(('-1', 'draw(exponential((n, 0), 2 * epsilon))', 'int(draw(bernoulli(F(1, 2 + m))))'))}"
    )
    return "def mechanism(draw, rows, *, epsilon):\n" + "".join(f"    {line}\n" for line in lines)


BASES: Final = tuple(Fraction(each) for each in ("4", "9", "9/4", "16", "25/16"))
"""What e^ε may be where powers by halves occur."""

__all__ = ["BASES", "LETTERS", "drawn_apart", "nested", "number", "on_any_rows", "on_rows", "on_scores", "quality"]
