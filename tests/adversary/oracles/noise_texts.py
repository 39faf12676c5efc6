"""Random sources with one kind of noise each, compared with numbers, with one another, clamped or folded."""

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Final, NamedTuple


class Kind(NamedTuple):
    """A noise as it is written, with its scale, and where it may be compared: at multiples of `step`·scale."""

    law: Callable[[random.Random, Fraction], str]
    use: Callable[[random.Random, str, Fraction], list[str]]


def number(value: Fraction | int) -> str:
    """A number as source."""
    value = Fraction(value)
    return str(value.numerator) if value.denominator == 1 else f"F({value.numerator}, {value.denominator})"


def _scaled(name: str) -> Callable[[random.Random, Fraction], str]:
    return lambda rng, scale: f"{name}({number(scale)} / epsilon)"


def _truncated(name: str) -> Callable[[random.Random, Fraction], str]:
    def law(rng: random.Random, scale: Fraction) -> str:
        return f"{name}({number(scale)} / epsilon, {number(rng.randint(1, 4) * max(scale, Fraction(1)))})"

    return law


def _uniform(name: str) -> Callable[[random.Random, Fraction], str]:
    def law(rng: random.Random, scale: Fraction) -> str:
        low = rng.randint(-3, 1)
        return f"{name}({low}, {low + rng.randint(1, 6)})"

    return law


_RELATIONS: Final = (">=", ">", "<", "<=")


def _against_numbers(rng: random.Random, law: str, scale: Fraction) -> list[str]:
    """One or two noises, each against one to three thresholds, the later ones in the light of the first."""
    lines = []
    for name in ("a", "b")[: rng.choice((1, 1, 2))]:
        lines.append(f"{name} = draw({law}) + {number(scale)} * ({_statistic(rng)})")
        for _ in range(rng.randint(1, 3)):
            threshold = number(scale * rng.randint(-3, 4))
            sign = rng.choice(("", "", "-"))
            lines.append(f"found.append({sign}{name} {rng.choice(_RELATIONS)} {threshold})")
            if rng.random() < 0.3:
                lines += ["if found[-1]:", f"    return {_outcome(rng)}"]
    return [*lines, f"return {_outcome(rng)}"]


def _discrete(rng: random.Random, law: str, scale: Fraction) -> list[str]:
    """As above, or clamped, or folded, or rounded into cells."""
    kind = rng.randrange(3)
    noisy = f"draw({law}) + {_statistic(rng)}"
    low = rng.randint(-2, 1)
    if kind == 0:
        return _against_numbers(rng, law, Fraction(1))
    name = ("clamp", "folded")[kind - 1]
    shown = rng.choice(("v", 'f"seen {v}"', "(v, x)", "v >= 1"))
    return [f"v = {name}({noisy}, {low}, {low + rng.randint(1, 3)})", f"return {shown}"]


def _largest(rng: random.Random, law: str, scale: Fraction) -> list[str]:
    """Which of some noisy scores is the largest, or the order of the first two."""
    count = rng.choice((2, 3, 3))
    scores = ", ".join(f"{number(scale)} * ({_statistic(rng)})" for _ in range(count))
    lines = [f"noisy = [score + draw({law}) for score in ({scores},)]", "best = 0"]
    lines += [f"for i in range(1, {count}):", "    if noisy[i] > noisy[best]:", "        best = i"]
    return [*lines, rng.choice(("return best", 'return f"best {best}"', "return (best, x)"))]


def _larger(rng: random.Random, law: str, scale: Fraction) -> list[str]:
    """Which of two noisy numbers is the larger, perhaps by a margin; or against numbers."""
    if rng.random() < 0.5:
        return _against_numbers(rng, law, scale)
    left, right = (f"{number(scale)} * ({_statistic(rng)})" for _ in range(2))
    margin = number(scale * rng.randint(-2, 2))
    return [
        f"a = draw({law}) + {left}",
        f"b = draw({law}) + {right}",
        f"found.append(a {rng.choice(_RELATIONS)} b + {margin})",
        f"return {_outcome(rng)}",
    ]


def _statistic(rng: random.Random) -> str:
    return rng.choice(("x", "x", "y", "x - y", "-x", "x + y", "len(rows)", "max(rows)", "rows.count(1)"))


def _outcome(rng: random.Random) -> str:
    return rng.choice(("tuple(found)", "found[-1]", "sum(found)", 'f"{found[0]}{len(found)}"', "(x >= 9, *found)"))


def _any_discrete(rng: random.Random, scale: Fraction) -> str:
    name = rng.choice(("discrete_laplace", "geometric", "truncated_discrete_laplace", "discrete_uniform"))
    return {"truncated_discrete_laplace": _truncated, "discrete_uniform": _uniform}.get(name, _scaled)(name)(rng, scale)


def _folded(rng: random.Random, law: str, scale: Fraction) -> list[str]:
    """Into a range, from a place that need not lie in it, and what is seen of it."""
    low = rng.randint(-3, 2)
    lines = [f"v = folded({rng.choice(('', '-'))}draw({law}) + {_statistic(rng)}, {low}, {low + rng.randint(1, 5)})"]
    return [*lines, f"return {rng.choice(('v', 'v', '(v, x >= 9)', f'v > {low}', 'abs(v)'))}"]


KINDS: Final = {
    "laplace": Kind(_scaled("laplace"), _against_numbers),
    "discrete_laplace": Kind(_scaled("discrete_laplace"), _discrete),
    "truncated_laplace": Kind(_truncated("truncated_laplace"), _against_numbers),
    "truncated_discrete_laplace": Kind(_truncated("truncated_discrete_laplace"), _discrete),
    "exponential_noise": Kind(_scaled("exponential_noise"), _larger),
    "geometric": Kind(_scaled("geometric"), _discrete),
    "gumbel": Kind(_scaled("gumbel"), _largest),
    "staircase": Kind(lambda rng, scale: "staircase(epsilon, 1, F(1, 2))", _against_numbers),
    "uniform_noise": Kind(_uniform("uniform_noise"), _against_numbers),
    "discrete_uniform": Kind(_uniform("discrete_uniform"), _discrete),
    "folded": Kind(_any_discrete, _folded),
}


def source(rng: random.Random, kind: str) -> str:
    """A mechanism with noise of one kind."""
    law, use = KINDS[kind]
    scale = rng.choice((Fraction(1), Fraction(1), Fraction(2), Fraction(1, 2)))
    if kind in ("folded", "discrete_laplace", "truncated_discrete_laplace", "geometric"):
        scale = Fraction(1, rng.choice((1, 1, 2)))
    if kind == "staircase":
        scale = Fraction(1, rng.choice((1, 2, 3)))
    lines = ["x, y, found = rows[0], rows[-1], []"]
    if rng.random() < 0.2:
        lines += [
            f"if draw(bernoulli(F(1, {rng.randint(2, 9)}))):",
            f"    return {rng.choice(('None', 'x', '(x, y)'))}",
        ]
    lines += use(rng, law(rng, scale), scale)
    return "def mechanism(draw, rows, *, epsilon):\n" + "".join(f"    {line}\n" for line in lines)
