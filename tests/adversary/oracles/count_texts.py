"""Random sources that do with unknown rows what real code does: tallies, caps, thresholds, ranks, loops, closures."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

LARGE_IN: Final = 50
"""Of how many programs one at most has constants above a thousand: each is a region, and of two rows it is their square."""


_SIZES: Final = {1: (6, 30, 100, 300), 2: (3, 6, 12, 20), 3: (2, 3, 5)}
"""Largest constants, by the rows that there may be: with three of them regions are as many as the cube of these."""


@dataclass
class Text:
    """A source that is written, with the constants that it compares with."""

    rng: random.Random
    universe: Sequence[Any]
    lines: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    constants: set[int] = field(default_factory=set)
    helpers: list[str] = field(default_factory=list)
    levels: list[str] = field(default_factory=list)
    """Names of small plain numbers, from 0 to 3."""
    rows: list[str] = field(default_factory=list)
    """Names that hold a row."""
    large: bool = False

    def constant(self) -> int:
        """A threshold, a cap, a margin: mostly small."""
        if self.large and max(self.constants, default=0) <= 1_000:
            value = self.rng.randint(1_001, 1_500)
        else:
            value = self.rng.randint(1, self.rng.choice(_SIZES[min(len(self.universe), 3)]))
        self.constants.add(value)
        return value

    def row(self) -> str:
        return repr(self.rng.choice(self.universe))

    def number(self) -> str:
        return self.rng.choice(self.numbers)

    def add(self, *lines: str) -> None:
        self.lines += lines


def _tallied(text: Text) -> None:
    """The counts, kept in one of the ways in which they are kept."""
    rng, universe = text.rng, repr(tuple(text.universe))
    kind = rng.randrange(5)
    if kind == 0:
        text.add(f"counts = {{v: rows.count(v) for v in {universe}}}")
    elif kind == 1:
        text.add("counts = Counter(rows)")
    elif kind == 2:
        text.helpers.append(
            f"def tallied(rows):\n    found = dict.fromkeys({universe}, 0)\n    for v in found:\n"
            "        found[v] += rows.count(v)\n    return found\n"
        )
        text.add("counts = tallied(rows)")
    elif kind == 3:
        text.add(f"counts = {{v: sum(1 for r in rows if r == v) for v in {universe}}}")
    else:
        text.add(f"counts = dict(zip({universe}, [rows.count(v) for v in {universe}]))")
    if rng.random() < 0.25:
        cap = text.constant()
        text.add(
            rng.choice(
                (
                    f"counts = {{v: min(counts[v], {cap}) for v in {universe}}}",
                    f"counts = {{v: max(counts[v] - {cap}, 0) for v in {universe}}}",
                )
            )
        )
    if rng.random() < 0.15:
        cap = text.constant()
        text.add(
            f"budget = {cap}",
            f"for v in {universe}:",
            "    taken = min(counts[v], budget)",
            "    counts[v] = taken",
            "    budget = budget - taken",
        )


def _statistic(text: Text) -> str:
    rng, universe = text.rng, repr(tuple(text.universe))
    options = [f"counts[{text.row()}]"] * 3 + [
        f"rows.count({text.row()})",
        "len(rows)",
        f"sum(counts[v] for v in {universe})",
        f"sum(r == {text.row()} for r in rows)",
        f"max(counts[v] for v in {universe})",
        rng.choice(("sum(Counter(rows).values())", "max(Counter(rows).values(), default=0)", "Counter(rows).total()")),
        f"min(counts[v] for v in {universe})",
        f"sorted([counts[v] for v in {universe}])[{rng.choice((0, -1))}]",
    ]
    if isinstance(text.universe[0], int):
        options += [
            "sum(rows)" if rng.random() < 0.5 else "sum(r for r in rows)",
            f"sum(1 for r in rows if r {rng.choice(('>', '<', '!='))} {text.row()})",
        ]
    else:
        options.append(f"sum(1 for r in rows if r != {text.row()})")
    if rng.random() < 0.2:
        weights = {v: rng.randint(-1, 3) for v in text.universe}
        text.add(f"weights = {weights!r}")
        options += ["sum(weights[r] for r in rows)"] * 4
    return rng.choice(options)


def _gone_through(text: Text) -> None:
    """A Counter of the rows, gone through in one of the ways in which that is done: in the order of the rows, often."""
    rng, place = text.rng, len(text.lines)
    level, best, seen = f"level{place}", f"best{place}", f"seen{place}"
    text.add(f"{seen} = Counter(rows)")
    kind = rng.randrange(9)
    if kind == 0:
        text.add(f"{level} = 0", f"for v, often in {seen}.items():", f"    if often >= {text.constant()}:")
        text.add(f"        {level} += 1")
        text.levels.append(level)
    elif kind == 1:  # of rows that are as frequent the first one is taken
        text.add(f"{best} = {seen}.most_common(1)[0][0] if rows else {text.row()}")
        text.rows.append(best)
    elif kind == 2:
        text.add(f"{best} = {text.row()}", f"for v in {seen}:", f"    if {seen}[v] > {seen}[{best}]:")
        text.add(f"        {best} = v")
        text.rows.append(best)
    elif kind == 3:
        text.add(f"{best} = max({seen}, key={seen}.get, default={text.row()})")
        text.rows.append(best)
    elif kind == 4:
        text.add(f"{level} = len([v for v in {seen} if {seen}[v] > {text.constant()}])")
        text.levels.append(level)
    elif kind == 5:
        text.add(f"{level} = {rng.choice(('len', 'len', 'sum'))}([n < {text.constant()} for n in {seen}.values()])")
        text.levels.append(level)
    elif kind == 6:
        text.add(f"{best} = sorted({seen}.items(), key=lambda each: -each[1])[0][0] if rows else {text.row()}")
        text.rows.append(best)
    elif kind == 7:
        text.add(f"{seen}.subtract({tuple(text.universe)!r})", f"{level} = sum(n > 0 for n in {seen}.values())")
        text.levels.append(level)
    elif rng.random() < 0.3:
        text.add(f"{level} = len(list({seen}.elements())) > {text.constant()}")
        text.levels.append(level)
    else:
        text.add(f"{best} = next(iter({seen}), {text.row()})")
        text.rows.append(best)


def _derived(text: Text) -> str:
    rng = text.rng
    a, b = text.number(), text.number()
    kind = rng.randrange(9)
    if kind == 0:
        return f"min({a}, {text.constant()})"
    if kind == 1:
        return f"max({a}, {text.constant()})"
    if kind == 2:
        return f"{rng.choice(('min', 'max'))}({a}, {b})"
    if kind == 3:
        return f"abs({a} - {b})"
    if kind == 4:
        return f"{a} + {b}"
    if kind == 5:
        return f"{a} - {b} + {text.constant()}"
    if kind == 6:
        return f"{rng.randint(2, 3)} * {a}"
    if kind == 7:
        return f"F({rng.randint(1, 3)}, 2) * {a}"
    return f"min(max({a} - {text.constant()}, 0), {text.constant()})"


def _condition(text: Text) -> str:
    rng, universe = text.rng, repr(tuple(text.universe))
    a, b = text.number(), text.number()
    kind = rng.randrange(11)
    if kind < 3:
        return f"{a} {rng.choice(('>=', '>', '<', '<=', '==', '!='))} {text.constant()}"
    if kind == 3:
        return f"{a} {rng.choice(('>=', '>', '<', '==', '!='))} {b}"
    if kind == 4:
        return f"{a} + {text.constant()} {rng.choice(('>=', '<'))} {b}"
    if kind == 5:
        low = text.constant()
        return f"{low} <= {a} < {low + text.constant()}"
    if kind == 6:
        return f"{text.row()} in rows"
    if kind == 7:
        return rng.choice(("not rows", f"{a} > F({2 * text.constant() + 1}, 2)", f"len(rows) == {text.constant()}"))
    if kind == 8:
        return f"{rng.choice(('any', 'all'))}(counts[v] > {text.constant()} for v in {universe})"
    if kind == 9:
        name = f"is_large{len(text.helpers)}"
        text.helpers.append(
            f"def made{name}(limit):\n    def {name}(n):\n        return n > limit\n    return {name}\n{name} = made{name}({text.constant()})\n"
        )
        return f"{name}({a})"
    return f"{a} >= {text.constant()} {rng.choice(('and', 'or'))} {b} < {text.constant()}"


def _loop(text: Text) -> None:
    rng, universe = text.rng, repr(tuple(text.universe))
    kind, place = rng.randrange(6), len(text.lines)
    level, best = f"level{place}", f"best{place}"
    if kind == 0:
        text.add(
            f"{best} = {text.row()}",
            f"for v in {universe}:",
            f"    if counts[v] > counts[{best}]:",
            f"        {best} = v",
        )
        text.rows.append(best)
    elif kind == 1:
        text.add(f"{best} = sorted({universe}, key=lambda v: {rng.choice('+-')}counts[v])[{rng.choice((0, -1))}]")
        text.rows.append(best)
    elif kind == 2:
        text.add(f"{best} = max({universe}, key=lambda v: counts[v])")
        text.rows.append(best)
    elif kind == 3:
        steps = sorted(text.constant() for _ in range(rng.randint(1, 3)))
        text.add(f"{level} = 0", f"for t in {(*steps,)}:", f"    if {text.number()} >= t:", f"        {level} += 1")
        text.levels.append(level)
    elif kind == 4:
        step = rng.randint(1, 9)
        text.constants |= {step * i for i in range(1, 4)}
        text.add(f"{level} = 0", f"while {level} < 3 and {text.number()} > {step} * {level}:", f"    {level} += 1")
        text.levels.append(level)
    else:
        text.add(f"{level} = len([v for v in {universe} if counts[v] >= {text.constant()}])")
        text.levels.append(level)


_NOISES: Final = (
    "laplace(1 / epsilon)",
    "discrete_laplace(1 / epsilon)",
    "laplace(1 / epsilon)",
    "discrete_laplace(1 / epsilon)",
    "geometric(1 / epsilon)",
    "exponential_noise(1 / epsilon)",
)


def _end(text: Text, kind: int) -> list[str]:
    rng, universe = text.rng, repr(tuple(text.universe))
    n = text.number()
    level = rng.choice(text.levels) if text.levels and rng.random() < 0.7 else str(rng.randint(0, 3))
    row = rng.choice(text.rows) if text.rows and rng.random() < 0.8 else text.row()
    if kind == 0:
        return [f"return draw(bernoulli(F({rng.randint(1, 4)} + {level}, {rng.choice((9, 11, 16))})))"]
    if kind == 1:
        cap = text.constant()
        return [f"return draw(exponential({{v: min(counts[v], {cap}) for v in {universe}}}, 2 * epsilon))"]
    if kind == 2:
        return [
            f"return draw(exponential([{n}, {text.number()}, {rng.randint(0, 3)}], {rng.choice(('epsilon * 2', 'epsilon * 4'))}))"
        ]
    if kind == 3:
        return [f"return {n} + draw({rng.choice(_NOISES)}) {rng.choice(('>=', '>', '<'))} {text.constant()}"]
    if kind == 4:
        return [f"return {row} if draw(bernoulli(F({rng.randint(1, 3)}, 5))) else {text.row()}"]
    if kind == 5:
        return [f"return draw(Distribution({{v: 1 + (v == {row}) * {rng.randint(1, 3)} for v in {universe}}}))"]
    if kind == 6:
        return [f"return draw(bernoulli(F(1 + min(max({n}, 0), {rng.randint(1, 3)}), 7)))"]
    if kind == 8:
        part = f"part{len(text.helpers)}"
        text.helpers.append(
            f"def {part}(draw, n, *, epsilon):\n"
            f"    if n + draw({rng.choice(_NOISES)}) >= {text.constant()}:\n"
            f"        return draw(bernoulli(F({rng.randint(1, 3)}, 5)))\n    return n < {text.constant()}\n"
        )
        return [f"return draw({part}, {n}, epsilon=epsilon)"]
    noise = rng.choice(_NOISES[:4])
    return [f"return {n} + draw({noise})"]


def source(rng: random.Random, universe: Sequence[Any]) -> Text:
    """A mechanism on rows of a universe, private or not."""
    text = Text(rng, universe, large=len(universe) < 2 and rng.randrange(LARGE_IN // 4) == 0)
    _tallied(text)
    for i in range(rng.randint(1, 3)):
        made = _statistic(text) if i == 0 or rng.random() < 0.4 else _derived(text)
        text.add(f"n{i} = {made}")
        text.numbers.append(f"n{i}")
    for _ in range(rng.choice((0, 1, 1))):
        _gone_through(text) if rng.random() < 0.3 else _loop(text)
    # ends of one kind, so that every outcome of one is one of the others, too
    kind = rng.choice((0, 0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 8))
    if rng.random() < 0.2:
        noise = rng.choice(_NOISES)
        text.add(f"if {text.number()} + draw({noise}) {rng.choice(('>=', '<'))} {text.constant()}:")
        text.add(*(f"    {line}" for line in _end(text, kind)))
    for _ in range(rng.choice((0, 1, 1, 2)) if text.levels or text.rows else rng.choice((1, 1, 2))):
        text.add(f"if {_condition(text)}:", *(f"    {line}" for line in _end(text, kind)))
    text.add(*_end(text, kind))
    return text


def written(text: Text) -> str:
    """The source of a text."""
    body = "".join(f"    {line}\n" for line in text.lines)
    return "\n".join([*text.helpers, f"def mechanism(draw, rows, *, epsilon):\n{body}"])
