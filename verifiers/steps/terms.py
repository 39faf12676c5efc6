"""Elementary expressions in named parameters, as a claim writes them beside the paper, and relations between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

from flint import arb, fmpq

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown

Operation: TypeAlias = Literal["number", "parameter", "+", "-", "*", "/", "^", "exp", "log", "sqrt", "ceil", "max"]

Number: TypeAlias = "Expression | int | Fraction"

_GREEK: Final = {"epsilon": "ε", "delta": "δ", "alpha": "α", "beta": "β", "gamma": "γ", "eta": "η", "Delta": "Δ"}

_RANK: Final[Mapping[str, int]] = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}


@dataclass(frozen=True, eq=False)
class Expression:
    """An expression: an operation on parts, a rational number, or a parameter by its name.

    It is made by `parameter`, arithmetic with whole numbers and Fractions, and the functions below; it says nothing of
    values. A power whose exponent has a parameter is defined for positive bases. `<=`, `<`, `>=` and `>` make a
    `Relation`.
    """

    operation: Operation
    parts: tuple[Expression, ...] = ()
    value: Fraction = Fraction(0)
    name: str = ""

    def __add__(self, other: Number) -> Expression:
        return Expression("+", (self, term(other)))

    def __radd__(self, other: Number) -> Expression:
        return Expression("+", (term(other), self))

    def __sub__(self, other: Number) -> Expression:
        return Expression("-", (self, term(other)))

    def __rsub__(self, other: Number) -> Expression:
        return Expression("-", (term(other), self))

    def __mul__(self, other: Number) -> Expression:
        return Expression("*", (self, term(other)))

    def __rmul__(self, other: Number) -> Expression:
        return Expression("*", (term(other), self))

    def __truediv__(self, other: Number) -> Expression:
        return Expression("/", (self, term(other)))

    def __rtruediv__(self, other: Number) -> Expression:
        return Expression("/", (term(other), self))

    def __pow__(self, other: Number) -> Expression:
        return Expression("^", (self, term(other)))

    def __rpow__(self, other: Number) -> Expression:
        return Expression("^", (term(other), self))

    def __neg__(self) -> Expression:
        return Expression("-", (term(0), self))

    def __le__(self, other: Number) -> Relation:
        return Relation(self, term(other))

    def __lt__(self, other: Number) -> Relation:
        return Relation(self, term(other), strict=True)

    def __ge__(self, other: Number) -> Relation:
        return Relation(term(other), self)

    def __gt__(self, other: Number) -> Relation:
        return Relation(term(other), self, strict=True)

    def __str__(self) -> str:
        if self.operation == "number":
            return str(self.value)
        if self.operation == "parameter":
            return greek(self.name)
        if self.operation in ("+", "-", "*", "/", "^"):
            return self._infix()
        name = "ln" if self.operation == "log" else self.operation
        return f"{name}({', '.join(map(str, self.parts))})"

    def _infix(self) -> str:
        left, right = self.parts
        rank = _RANK[self.operation]
        if self.operation == "-" and left.operation == "number" and not left.value:
            return f"−{right._within(2)}"
        sign = {"+": " + ", "-": " − ", "*": "·", "/": "/", "^": "^"}[self.operation]
        return f"{left._within(rank + (rank == 4))}{sign}{right._within(rank + (self.operation in '-/^'))}"

    def _within(self, rank: int) -> str:
        own = 2 if self.operation == "number" and self.value.denominator > 1 else _RANK.get(self.operation, 9)
        own = 1 if self.operation == "number" and self.value < 0 else own
        return f"({self})" if own < rank else str(self)

    @property
    def names(self) -> frozenset[str]:
        """The parameters in it."""
        if self.operation == "parameter":
            return frozenset([self.name])
        return frozenset(name for part in self.parts for name in part.names)

    def at(self, values: Mapping[str, Fraction]) -> arb:
        """A ball around its value, to the precision of flint's context; NaN where it has none."""
        if self.operation == "number":
            return _ball(self.value)
        if self.operation == "parameter":
            return _ball(values[self.name])
        balls = [part.at(values) for part in self.parts]
        if self.operation == "^" and self.parts[1].names and not balls[0] > 0:
            return arb.nan()  # e to the product with a logarithm
        ball: arb = _APPLIED[self.operation](*balls)
        return ball


@dataclass(frozen=True, eq=False)
class Relation:
    """The statement that `left` ≤ `right`, or < where `strict`."""

    left: Expression
    right: Expression
    strict: bool = False

    def __str__(self) -> str:
        return f"{self.left} {'<' if self.strict else '≤'} {self.right}"

    def __bool__(self) -> bool:
        raise InputError(
            bad_input.WRONG, str(self), "true or false", "write a chain such as a <= b <= c as two relations"
        )

    @property
    def names(self) -> frozenset[str]:
        """The parameters in it."""
        return self.left.names | self.right.names

    def certainly(self, values: Mapping[str, Fraction]) -> bool | None:
        """True where it holds at a point; None where the precision of flint's context does not tell."""
        left, right = self.left.at(values), self.right.at(values)
        if not (left.is_finite() and right.is_finite()):
            return None
        if left < right:
            return True
        if left > right:
            return False
        if left.is_exact() and right.is_exact():  # and equal
            return not self.strict
        return None


def term(number: Number) -> Expression:
    """A number as an expression. Raises `InputError` for what is no whole number, Fraction or expression."""
    if isinstance(number, Expression):
        return number
    if isinstance(number, bool) or not isinstance(number, int | Fraction):
        raise InputError(bad_input.EXACT, shown(number))
    return Expression("number", value=Fraction(number))


def parameter(name: str) -> Expression:
    """A parameter, by its name."""
    return Expression("parameter", name=name)


def parameters(names: str) -> tuple[Expression, ...]:
    """Several parameters, by their names with spaces between them."""
    return tuple(map(parameter, names.split()))


def exp(x: Number) -> Expression:
    """e^x."""
    return Expression("exp", (term(x),))


def log(x: Number) -> Expression:
    """The natural logarithm."""
    return Expression("log", (term(x),))


def log2(x: Number) -> Expression:
    """The logarithm to base 2."""
    return log(x) / log(2)


def sqrt(x: Number) -> Expression:
    """The square root."""
    return Expression("sqrt", (term(x),))


def ceil(x: Number) -> Expression:
    """The least whole number that is not below x."""
    return Expression("ceil", (term(x),))


def maximum(x: Number, y: Number) -> Expression:
    """The greater of two."""
    return Expression("max", (term(x), term(y)))


def greek(name: str) -> str:
    """A parameter's name as papers write it."""
    first, mark, rest = name.partition("_")
    return f"{_GREEK.get(first, first)}{mark}{rest}"


def _ball(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def _power(x: arb, y: arb) -> arb:
    ball: arb = x**y if x.is_finite() else arb("nan")  # which has the power 0 there, as 1
    return ball


_APPLIED: Final[Mapping[str, Callable[..., Any]]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "^": _power,
    "exp": arb.exp,
    "log": arb.log,
    "sqrt": arb.sqrt,
    "ceil": arb.ceil,
    "max": arb.max,
}
