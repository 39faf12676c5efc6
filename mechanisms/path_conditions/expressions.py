"""Expressions in noise that is not only added and scaled: quotients, products, roots.

Of such a value no law in closed form is known. It is carried as what was done with which noises: the enumerator decides
the noises themselves (see `finer`), the sampler computes the number from them.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import wraps
from math import ceil, floor
from typing import Any, ClassVar, Final, Literal, NoReturn, Protocol, Self, TypeAlias, TypeVar

from dpverify.mechanisms.functions.places import place_now
from dpverify.mechanisms.functions.post_processing import MUST_NOT_RUN_ON_IT
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, Place, Undecided, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_number, as_parameter
from dpverify.mechanisms.numbers.plain_numbers import NotKnownYet, number_in_text
from dpverify.mechanisms.numbers.shown import is_showing, shown
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable

Comparator: TypeAlias = Literal[">=", ">", "<", "<=", "==", "!="]
Better: TypeAlias = Callable[[int, int], Comparator]
"""See `Observer.best_of`."""
PlainNumber: TypeAlias = int | Fraction

FLIPPED: Final[Mapping[Comparator, Comparator]] = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "==": "==", "!=": "!="}
"""The relation in which y stands to x, by that of x to y."""
NEGATED: Final[Mapping[Comparator, Comparator]] = {">=": "<", "<=": ">", ">": "<=", "<": ">=", "==": "!=", "!=": "=="}
"""The relation that holds where another one does not."""

_Operator: TypeAlias = Literal["+", "-", "*", "/", "**", "negative", "abs", "floor", "round", "sqrt", "exp", "log"]

DIVISION_BY_NOISE: Final = "division by noise that is 0"


# --- What an expression is made of


@dataclass(frozen=True, slots=True)
class Linear:
    """Σ coefficient·noise + shift."""

    parts: tuple[tuple[NoiseVariable, Exact], ...]
    shift: Exact


@dataclass(frozen=True, slots=True)
class Plain:
    """A number that code has put beside noise, with the type that it had."""

    kind: type
    number: Exact


@dataclass(frozen=True)
class Applied:
    """An operator, and what it was applied to."""

    operator: _Operator
    operands: tuple[Node, ...]


Node: TypeAlias = Linear | Plain | Applied


def linear_in(node: Node) -> Iterator[Linear]:
    """The sums of noises that an expression is made of, from the left."""
    if isinstance(node, Linear):
        yield node
    elif isinstance(node, Applied):
        for operand in node.operands:
            yield from linear_in(operand)


def with_noises(node: Node, own: Callable[[NoiseVariable], NoiseVariable]) -> Node:
    """The expression with other noises in the place of its own."""
    if isinstance(node, Linear):
        return Linear(tuple((own(variable), c) for variable, c in node.parts), node.shift)
    if isinstance(node, Applied):
        return Applied(node.operator, tuple(with_noises(operand, own) for operand in node.operands))
    return node


# --- Values


class ExpressionObserver(Protocol):
    """The one who answers for what is computed from noise."""

    def holds_of(self, node: Node, relation: Comparator) -> bool:
        """True where what the expression gives `relation` 0."""

    def take_note(self, error: Exception) -> None:
        """Remember that a use of the noise was refused: the run is not to be accepted."""


_Method = TypeVar("_Method", bound=Callable[..., Any])


class ArrayMet(Exception):
    """Raised where noise met an array, which applies an operator to each of its numbers."""


def note_refusal(method: _Method) -> _Method:
    """Lets the observer know of what `method` refuses, and arrays answer themselves."""

    @wraps(method)
    def noting(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except (InputError, Undecided) as error:
            self.observer.take_note(error)
            raise
        except ArrayMet:
            return NotImplemented

    return noting  # type: ignore[return-value]  # the same signature


def refused(what: str) -> Any:
    """A method that refuses what was done with noise, and says which."""

    def refusing(self: Noisy, *_: object) -> NoReturn:
        raise InputError(reasons.NOISE_AS_NUMBER.text(use=what))

    return note_refusal(refusing)


class Noisy(NotKnownYet):
    """A number that depends on noise: a sum of noises, or what is computed from such.

    `observer` answers for it, `node` is what it is of the noises, and `parts` are the noises that it depends on, with
    what they are multiplied by in the sums that it is made of.
    """

    what_follows: ClassVar[str] = MUST_NOT_RUN_ON_IT
    """The words of a refusal where it is given as a scale, an ε or another parameter."""

    observer: Any
    node: Node
    parts: tuple[tuple[NoiseVariable, Exact], ...]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self

    def described(self) -> str:
        """The value in words, for messages."""
        return expression_in_words(self.node)

    def sqrt(self) -> DerivedNumber:
        """Its square root, as numpy asks for it of each number of an array of objects."""
        return computed("sqrt", self)

    def exp(self) -> DerivedNumber:
        """The number e to this power; as `sqrt`."""
        return computed("exp", self)

    def log(self) -> DerivedNumber:
        """Its natural logarithm; as `sqrt`."""
        return computed("log", self)

    @note_refusal
    def __rtruediv__(self, other: object) -> DerivedNumber:
        return noisy_quotient(other, self)

    @note_refusal
    def __pow__(self, other: object) -> DerivedNumber:
        return computed("**", self, other)

    @note_refusal
    def __rpow__(self, other: object) -> DerivedNumber:
        return computed("**", other, self)

    def conjugate(self) -> Self:
        """Itself, which numpy asks for where it computes a variance."""
        return self

    def __pos__(self) -> Self:
        return self

    def __ceil__(self) -> Any:
        return -floor(-self)

    def __trunc__(self) -> Any:
        return floor(self) if self >= 0 else ceil(self)

    def __floordiv__(self, other: object) -> Any:
        return floor(self / other)

    def rint(self) -> Any:
        """The nearest whole number, as `round` gives it: what numpy asks for, of each number of an array of objects."""
        return round(self)

    def __ge__(self, other: object) -> bool:
        return self._compared(other, ">=")

    def __gt__(self, other: object) -> bool:
        return self._compared(other, ">")

    def __le__(self, other: object) -> bool:
        return self._compared(other, "<=")

    def __lt__(self, other: object) -> bool:
        return self._compared(other, "<")

    def __eq__(self, other: object) -> bool:
        return self._compared(other, "==")

    def __ne__(self, other: object) -> bool:
        return self._compared(other, "!=")

    __hash__ = refused("hashed, or used as a key")
    __int__ = refused("turned into an int")
    __index__ = refused("used as an index, a length or a range")
    __iter__ = refused("looped over")
    __mod__ = __rmod__ = __rfloordiv__ = __divmod__ = __rdivmod__ = refused("divided by % or divmod, or divided into")
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = refused("used by its bits, as by & or ~")
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = refused("moved by bits, as by <<")

    @abstractmethod
    def __floor__(self) -> Any:
        """The number, rounded down."""

    @abstractmethod
    def __round__(self, digits: int | None = None) -> Any:
        """The number, rounded to so many digits."""

    @abstractmethod
    def __neg__(self) -> Any:
        """Its negative."""

    @abstractmethod
    def __truediv__(self, other: object) -> Any:
        """The number, divided by another one."""

    @abstractmethod
    def _compared(self, other: object, relation: Comparator) -> bool:
        """True where the number stands in the relation to another one."""


def computed(operator: _Operator, *operands: Any) -> DerivedNumber:
    """The number that an operator gives of numbers one of which, at least, depends on noise.

    Raises `InputError` for what is no number, and for noise of different runs.
    """
    observer = next(operand.observer for operand in operands if isinstance(operand, Noisy))
    if any(isinstance(operand, Noisy) and operand.observer is not observer for operand in operands):
        raise InputError(bad_mechanism.OF_ANOTHER_CALL)
    return DerivedNumber(observer, Applied(operator, tuple(map(node_of, operands))), place_now(sys._getframe(1)))


def node_of(value: object) -> Node:
    """A value as a part of an expression. Raises `InputError` for what is no number, `ArrayMet` for an array."""
    if isinstance(value, Noisy):
        for variable, coefficient in value.parts:
            if variable.formed is None and isinstance(value.node, Linear) and len(value.parts) == 1:
                variable.formed = (coefficient, value.node.shift)
        return value.node
    if hasattr(type(value), "__array_ufunc__") and getattr(value, "ndim", 0) > 0:
        raise ArrayMet
    number = as_number(number_in_text(value) if isinstance(value, str | Decimal) else value)
    if number is None:
        raise InputError(bad_mechanism.COMPUTED_WITH, shown(value), "", "computed with")
    return Plain(_kind_of(value), number)


def _kind_of(value: object) -> type:
    return int if isinstance(value, int) and not isinstance(value, bool) else type(value)


def noisy_quotient(above: Any, below: Any) -> DerivedNumber:
    """above/below. Raises `ZeroDivisionError` where discrete noise makes `below` 0."""
    if isinstance(below, Noisy) and all(variable.law.discrete for variable, _ in below.parts):
        if bool(below.__eq__(0)):
            raise ZeroDivisionError(f"{DIVISION_BY_NOISE}: cut it first, as in max(noise, 1), or compare it with 0")
    elif not isinstance(below, Noisy) and not isinstance(below, str | Decimal) and as_number(below) == 0:
        raise ZeroDivisionError("division by zero")
    return computed("/", above, below)


def as_one_number(kind: type[_Noisy]) -> type[_Noisy]:
    """The class, no dataclass for `dataclasses.astuple` and `asdict`: they copy its values, and take none apart."""
    del kind.__dataclass_fields__  # type: ignore[attr-defined]  # mypy knows no dataclass here
    return kind


_Noisy = TypeVar("_Noisy", bound=Noisy)


@as_one_number
@dataclass(frozen=True, eq=False, repr=False)
class DerivedNumber(Noisy):
    """A number that was computed from noise, and of which no law in closed form is known."""

    observer: Any
    of: Node
    place: Place | None = None
    """The line of somebody's own code that computed it."""

    @property
    def node(self) -> Node:  # type: ignore[override]  # which nobody sets
        """See `Noisy`."""
        return self.of

    @property
    def parts(self) -> tuple[tuple[NoiseVariable, Exact], ...]:  # type: ignore[override]
        """See `Noisy`."""
        return tuple(part for linear in linear_in(self.of) for part in linear.parts)

    @note_refusal
    def __add__(self, other: object) -> DerivedNumber:
        return computed("+", self, other)

    @note_refusal
    def __radd__(self, other: object) -> DerivedNumber:
        return computed("+", other, self)

    @note_refusal
    def __sub__(self, other: object) -> DerivedNumber:
        return computed("-", self, other)

    @note_refusal
    def __rsub__(self, other: object) -> DerivedNumber:
        return computed("-", other, self)

    @note_refusal
    def __mul__(self, other: object) -> DerivedNumber:
        return computed("*", self, other)

    @note_refusal
    def __rmul__(self, other: object) -> DerivedNumber:
        return computed("*", other, self)

    @note_refusal
    def __truediv__(self, other: object) -> DerivedNumber:
        return noisy_quotient(self, other)

    def __neg__(self) -> DerivedNumber:
        return computed("negative", self)

    def __abs__(self) -> DerivedNumber:
        return computed("abs", self)

    def __floor__(self) -> DerivedNumber:
        return computed("floor", self)

    @note_refusal
    def __round__(self, digits: int | None = None) -> DerivedNumber:
        if digits is not None and (isinstance(digits, bool) or not isinstance(digits, int)):
            raise InputError(bad_mechanism.ROUNDED_DIGITS, shown(digits))
        return computed("round", self, digits or 0)

    def round(self, decimals: int = 0, out: None = None) -> DerivedNumber:
        """As `round` gives it: what numpy's `round` asks for."""
        return round(self, decimals)

    @note_refusal
    def _compared(self, other: object, relation: Comparator) -> bool:
        plain = not isinstance(other, Noisy) and as_number(other) == 0
        node = self.of if plain else computed("-", self, other).of
        return bool(self.observer.holds_of(node, relation))

    def clamped(self, low: PlainNumber, high: PlainNumber) -> PlainNumber | DerivedNumber:
        """See `clamp`."""
        if self <= low:
            return low
        return high if self >= high else self

    folded = refused("folded, which is for one whole noise")
    __bool__ = refused("asked for its truth value")
    __float__ = __complex__ = refused("turned into a float, as by float() or math.sqrt")

    def __repr__(self) -> str:
        if not is_showing():
            self.observer.take_note(InputError(reasons.NOISE_AS_NUMBER.text(use="turned into text")))
        return self.described()


_SIGNS: Final = frozenset({"+", "-", "*", "/", "**"})


def expression_in_words(node: Node, named: Callable[[Linear], str] | None = None) -> str:
    """An expression for messages; `named` says how a sum of noises reads."""
    if isinstance(node, Plain):
        return str(as_parameter(node.number))
    if isinstance(node, Linear):
        if named is not None:
            return named(node)
        return f"({' + '.join([str(node.shift), *(f'{c}·({variable})' for variable, c in node.parts)])})"
    inner = [expression_in_words(operand, named) for operand in node.operands]
    if node.operator in _SIGNS:
        return f"({f' {node.operator} '.join(inner)})"
    return f"{node.operator}({', '.join(inner)})"
