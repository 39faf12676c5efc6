"""A program as a plain Python function of dpverify, from source that is written out and compiled."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from tests.adversary.oracles.paths import compiled
from tests.adversary.oracles.programs import (
    ROWS,
    Called,
    Clamped,
    Coin,
    Draw,
    Each,
    If,
    Linear,
    Literal,
    Many,
    Next,
    Noise,
    Outcome,
    Pick,
    Program,
    Return,
    ReturnLaw,
    Seen,
    Source,
    Statement,
    Stop,
    Text,
    Uniform,
    sources,
)

from dpverify.mechanisms import (
    Distribution,
    bernoulli,
    clamp,
    discrete_laplace,
    exp,
    laplace,
    truncated_laplace,
    uniform,
)
from dpverify.mechanisms.noise import truncated_discrete_laplace

_NAMES: Final[dict[str, Any]] = {
    "F": Fraction,
    "Decimal": Decimal,
    "Fraction": Fraction,
    **{
        f.__name__: f
        for f in (
            *(Distribution, bernoulli, clamp, discrete_laplace, exp, laplace, truncated_discrete_laplace),
            *(truncated_laplace, uniform),
        )
    },
}


def function_of(program: Program, *, inlined: bool = False) -> Callable[..., Any]:
    """The program as a Python function mechanism(draw, rows, *, epsilon); where `inlined` without sub-mechanisms."""
    return compiled(source_of(program, inlined=inlined), _NAMES, program.name)


def source_of(program: Program, *, inlined: bool = False) -> str:
    """The program as Python source, the mechanisms that it draws from first."""
    parts = {sub.name: _definition(sub, inlined) for sub in _called(program.body)}
    return "\n\n".join([*parts.values(), _definition(program, inlined)])


def _called(statement: Statement) -> Iterator[Program]:
    for source in sources(statement):
        if isinstance(source, Called):
            yield from _called(source.program.body)
            yield source.program


def _definition(program: Program, inlined: bool) -> str:
    taken = ", ".join(program.parameters) or "rows"
    lines = [f"def {program.name}(draw, {taken}, *, epsilon):"]
    if not program.parameters:
        lines.append(f"    {ROWS[0]}, {ROWS[1]} = rows[0], rows[-1]")
    lines += (f"    {line}" for line in _lines(program.body, inlined))
    return "\n".join(lines) + "\n"


def _lines(statement: Statement, inlined: bool, found: str = "") -> list[str]:
    match statement:
        case Draw(name, source, then):
            return [f"{name} = {_source(source, inlined)}", *_lines(then, inlined, found)]
        case If(left, relation, right, yes, no):
            return [
                f"if {number(left)} {relation} {number(right)}:",
                *(f"    {line}" for line in _lines(yes, inlined, found)),
                "else:",
                *(f"    {line}" for line in _lines(no, inlined, found)),
            ]
        case Each(row, set_by, body, then):
            return [
                f"{set_by} = 0",
                f"for {row} in rows:",
                *(f"    {line}" for line in _lines(body, inlined, set_by)),
                *_lines(then, inlined),
            ]
        case Next(value):
            return [f"{found} = {number(value)}", "continue"]
        case Stop(value):
            return [f"{found} = {number(value)}", "break"]
        case Return(outcome):
            return [f"return {_outcome(outcome)}"]
        case ReturnLaw(law):
            # a law that is returned is drawn from only by what calls the mechanism through `draw`
            return [f"return draw({_law(law)})" if inlined else f"return {_law(law)}"]


def _source(source: Source, inlined: bool) -> str:
    match source:
        case Coin(p):
            return f"int(draw(bernoulli({number(p)})))"
        case Pick():
            return f"draw({_law(source)})"
        case Uniform(size):
            return f"draw(uniform(range({size})))"
        case Noise(powers, bound, continuous):
            return " + ".join(f"draw({_noise(power, bound, continuous)})" for power in powers)
        case Clamped(noise, low, high):
            return f"clamp({number(noise)}, {low}, {high})"
        case Called(program, arguments):
            given = ", ".join(map(number, arguments))
            return (
                f"{program.name}(draw, {given}, epsilon=epsilon)"
                if inlined
                else (f"draw({program.name}, {given}, epsilon=epsilon)")
            )


def _noise(power: int, bound: int | None, continuous: bool) -> str:
    name = "laplace" if continuous else "discrete_laplace"
    scale = f"1 / ({power} * epsilon)"
    return f"{name}({scale})" if bound is None else f"truncated_{name}({scale}, {bound})"


def _law(law: Pick) -> str:
    weights = [f"exp(epsilon * {number(w)})" if law.exponential else number(w) for w in law.weights]
    return (
        "Distribution({" + ", ".join(f"{_outcome(o)}: {w}" for o, w in zip(law.outcomes, weights, strict=True)) + "})"
    )


def number(linear: Linear) -> str:
    """An expression for a number, or a noise."""
    terms = [name if c == 1 else f"{_exactly(Fraction(c))} * {name}" for name, c in linear.parts]
    if linear.shift or not terms:
        terms.append(_exactly(linear.shift))
    return f"({' + '.join(terms)})" if len(terms) > 1 else terms[0]


def _exactly(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"F({value.numerator}, {value.denominator})"


def _outcome(outcome: Outcome) -> str:
    match outcome:
        case Linear():
            return number(outcome)
        case Text(of):
            return f'f"seen {{{number(of)}}}"'
        case Many(kind, parts):
            inside = "".join(f"{_outcome(part)}, " for part in parts)
            return f"({inside})" if kind is tuple else f"frozenset(({inside}))"
        case Literal(value):
            return repr(value)
        case Seen(variable):
            return f'f"{{type({variable}).__name__}} {{{variable}!r}}"'
