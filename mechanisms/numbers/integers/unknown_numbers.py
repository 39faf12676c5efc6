"""Unknown whole numbers as a mechanism is given them: what Python's own numbers do there, and nothing else.

A verdict for databases of every size rests on this: whatever a mechanism computes from an unknown number is what it
computes from each whole number in its place. So what may be done is a closed list, of an operation and the exact type
of the other operand: an int, a bool, a `WholeNumber`, a `Fraction`, an exact number, or another unknown one.

| operation | result |
| --- | --- |
| + − and × with one of these, unary + −, abs | an int where both are ints, else a Fraction, or an exact number |
| ÷ where Python's quotient is exact | a Fraction, or an exact number; int / int is a float in Python, and refused |
| // % divmod by a known whole number > 0, floor, ceil | the whole part, on the parts of a cut by the rest |
| to a known whole power ≥ 0 | a product |
| < ≤ > ≥ == != and truth | what holds of all; where it differs, the numbers are cut |

So sum, min, max and sorted do what they do. Every other special method refuses: a float that Python rounds, 64 bits
that overflow, or a type that is asked for, tell an unknown number from a known one. A mechanism may catch the error, so
`notes` are taken of it, and the run is not accepted. What no class can intercept is not in the language (`is` between
numbers, `id`), or has a guard in the compiled form (`type`; see `language/guards.py`).
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from fractions import Fraction
from types import EllipsisType, FrameType, FunctionType, NoneType, NotImplementedType
from typing import Any, Final, NoReturn, TypeAlias

from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import (
    ZERO,
    Exact,
    Sum,
    Term,
    Unknown,
    as_parameter,
    exact,
    inverse,
    is_unknown,
    negative,
    ordering,
    power,
    product,
    total,
    whole_part,
)
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.numbers.refused_uses import KNOWING
from dpverify.mechanisms.numbers.shown import is_showing, shown
from dpverify.mechanisms.numbers.symbols import notes

_Kind: TypeAlias = type[int] | type[WholeNumber] | type[Fraction]
"""A type of Python that stands in the place of an unknown number."""

MOST_RESTS: Final = 1_000
"""The greatest divisor of // and %: a region is cut into as many as there are rests."""


class UnknownNumber(Unknown):
    """A number that depends on unknown whole numbers, in the place of a Python number of that kind.

    It computes and compares as such a number does; see the head of this file. Raises `InputError`, naming what to
    write instead, for all else, and `Cut` where an answer is not the same for all that the numbers may be.
    """

    __slots__ = ("kind",)

    def __init__(self, number: Exact, kind: _Kind) -> None:
        super().__init__(number)
        self.kind: Final = kind

    # --- What is computed

    def __add__(self, other: object) -> Any:
        return self._combined(other, "+", operator.add)

    def __radd__(self, other: object) -> Any:
        return self._combined(other, "+", operator.add)

    def __sub__(self, other: object) -> Any:
        return self._combined(other, "-", operator.sub)

    def __rsub__(self, other: object) -> Any:
        return self._combined(other, "-", lambda mine, its: its - mine)

    def __mul__(self, other: object) -> Any:
        return self._combined(other, "*", operator.mul)

    def __rmul__(self, other: object) -> Any:
        return self._combined(other, "*", operator.mul)

    def __truediv__(self, other: object) -> Any:
        return self._divided(other, operator.truediv)

    def __rtruediv__(self, other: object) -> Any:
        return self._divided(other, lambda mine, its: its / mine)

    def __floordiv__(self, other: object) -> Any:
        return self._divided_with_rest(other, "//")[0]

    def __mod__(self, other: object) -> Any:
        return self._divided_with_rest(other, "%")[1]

    def __divmod__(self, other: object) -> Any:
        return self._divided_with_rest(other, "divmod")

    def __pow__(self, exponent: object, modulus: object = None) -> Any:
        times = _known_whole(exponent)
        if modulus is not None or times is None or times < 0:
            raise _refusal(f"was raised to the power {shown(exponent)}", "write a known whole power ≥ 0")
        kind = _common(_kind_of(self), WholeNumber) if type(exponent) is WholeNumber else _kind_of(self)
        return of_kind(power(_number_of(self), times), kind)

    def __neg__(self) -> Any:
        return of_kind(negative(_number_of(self)), _kind_of(self))

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __floor__(self) -> Any:
        return of_kind(exact(whole_part(_number_of(self))), int if _kind_of(self) is Fraction else _kind_of(self))

    def __ceil__(self) -> Any:
        return -(-self).__floor__()

    def _combined(self, other: object, sign: str, computed: Callable[[Exact, Exact], Exact]) -> Any:
        operand = _operand(other, f"met {{}} in `{sign}`")
        if operand is None:
            return NotImplemented
        number, kind = operand
        if kind is Exact:
            return computed(_as_exact(self), number)
        return of_kind(computed(_number_of(self), number), _common(_kind_of(self), kind))

    def _divided(self, other: object, computed: Callable[[Exact, Exact], Exact]) -> Any:
        operand = _operand(other, "met {} in `/`")
        if operand is None:
            return NotImplemented
        number, kind = operand
        if _kind_of(self) is int and kind is int:
            by = 3 if type(other) is UnknownNumber else shown(other, 40)
            raise _refusal(
                "was divided, or divided by, a whole number with `/`, which gives a float in Python",
                f"write n * Fraction(1, {by}) in place of n / {by}, and a * n > b in place of a > b / n",
            )
        if kind is Exact:
            return computed(_as_exact(self), number)
        return of_kind(computed(_number_of(self), number), Fraction)

    def _divided_with_rest(self, other: object, sign: str) -> tuple[Any, Any]:
        kind, by = type(other), _known_whole(other)
        if by is None or kind is bool or not 0 < by <= MOST_RESTS:
            raise _refusal(
                f"was divided by {shown(other)} with `{sign}`",
                f"write a known whole number from 1 to {MOST_RESTS:,} there, or compare n with its multiples",
            )
        divisor = exact(by)
        whole = exact(whole_part(product((_number_of(self), inverse(divisor)))))
        rest = total((_number_of(self), negative(product((divisor, whole)))))
        of_both = _common(_kind_of(self), kind)
        return of_kind(whole, int if of_both is Fraction else of_both), of_kind(rest, of_both)

    # --- What is compared

    def __eq__(self, other: object) -> bool:
        if _equals_no_number(other):
            return False
        operand = _operand(other, "was compared with {}")
        return NotImplemented if operand is None else _holds(operator.eq, _number_of(self), operand[0])

    def __lt__(self, other: object) -> bool:
        operand = _operand(other, "was compared with {}")
        return NotImplemented if operand is None else _holds(operator.lt, _number_of(self), operand[0])

    def __le__(self, other: object) -> bool:
        operand = _operand(other, "was compared with {}")
        return NotImplemented if operand is None else _holds(operator.le, _number_of(self), operand[0])

    def __gt__(self, other: object) -> bool:
        operand = _operand(other, "was compared with {}")
        return NotImplemented if operand is None else _holds(operator.gt, _number_of(self), operand[0])

    def __ge__(self, other: object) -> bool:
        operand = _operand(other, "was compared with {}")
        return NotImplemented if operand is None else _holds(operator.ge, _number_of(self), operand[0])

    def __bool__(self) -> bool:
        return _holds(operator.ne, _number_of(self), ZERO)

    # --- What is refused: see the head of this file

    def __hash__(self) -> int:
        if notes.answers is not None or not is_asked_from_within():  # a cache has what was found by other answers
            raise _refusal("was hashed, in a set, as a key or by a cache", "compare it instead")
        return hash(_number_of(self))

    def __repr__(self) -> str:
        if not is_showing() and not is_asked_from_within():  # a debugger can show it, but the run is not accepted
            _refusal("was turned into text", "compare it instead")
        return str(_number_of(self))

    def __format__(self, specification: str, /) -> str:
        if not is_showing() and not is_asked_from_within():
            _refusal("was turned into text", "compare it instead")
        return str(_number_of(self))

    def __copy__(self) -> UnknownNumber:
        return self

    def __deepcopy__(self, _: object) -> UnknownNumber:
        return self

    @property  # type: ignore[misc]  # isinstance asks it of whatever is none of a class, as unknown numbers are no numbers
    def __class__(self) -> type:
        asking = _asking(2)
        if _module(asking) != "fractions":
            if not is_asked_from_within():
                raise _refusal("was asked for its type", "let nothing depend on the type of a number")
        elif asking is not None and asking.f_code.co_qualname == "Fraction.__new__":
            raise _refusal("was made a Fraction", "write n * Fraction(1, 3) in place of Fraction(n, 3)")
        return UnknownNumber  # also to operators of Fractions, which then leave the answer to it

    def __reduce_ex__(self, protocol: Any, /) -> Any:
        if not is_asked_from_within():
            raise _refusal("was pickled", "compute with it instead")
        return UnknownNumber, (_number_of(self), _kind_of(self))

    def __getattribute__(self, name: str) -> Any:
        result = object.__getattribute__
        if name in _OF_EVERY_INT or _is_from_within(sys._getframe(1)):
            return result(self, name)
        if name in ("__copy__", "__deepcopy__") and _module(sys._getframe(1)) == "copy":
            return result(self, name)
        if name.startswith("__array"):
            _in_an_array()
        if hasattr(_OF_KINDS[_kind_of(self)], name) or hasattr(UnknownNumber, name):
            raise _refusal(f"was asked for `.{name}`", "let the mechanism add, subtract, compare and scale it")
        raise AttributeError(f"'{_kind_of(self).__name__}' object has no attribute '{name}'")

    def __index__(self) -> int:
        if notes.answers is None or _kind_of(self) is Fraction:
            self._as_plain_number()
        return int(notes.answers.value(_number_of(self)))

    def _as_plain_number(self, *_: object) -> NoReturn:
        raise _refusal(
            "was used where Python needs a plain number, as in int(n), float(n), round(n), range(n)",
            "add, subtract, compare and scale it, and take parts of it by //, % and math.floor",
        )

    __int__ = __index__
    __float__ = __complex__ = __round__ = __trunc__ = _as_plain_number
    __rfloordiv__ = __rmod__ = __rdivmod__ = __rpow__ = _as_plain_number
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __invert__ = _as_plain_number
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _as_plain_number
    __bytes__ = __sizeof__ = __dir__ = _as_plain_number

    def _in_an_array(self, *_: object, **__: object) -> NoReturn:
        _in_an_array()

    __array__ = __array_ufunc__ = __array_function__ = _in_an_array


def _in_an_array() -> NoReturn:
    raise _refusal(
        "met numpy, whose whole numbers have 64 bits and overflow where Python's do not",
        "use Python's own numbers, lists, sum, min, max and sorted; int(x) makes an int of a number of numpy's",
    )


_number_of: Final[Callable[[Any], Exact]] = Unknown.__dict__["number"].__get__
_kind_of: Final[Callable[[Any], _Kind]] = UnknownNumber.__dict__["kind"].__get__
"""Content, for those who compute with it: others are refused it, as an int has no such attributes."""

_OF_KINDS: Final[dict[Any, Any]] = {int: 0, WholeNumber: WholeNumber(0), Fraction: Fraction(0)}

_OF_EVERY_INT: Final = frozenset(
    name
    for name in set(dir(int)) & set(dir(Fraction))
    if name.startswith("__") and getattr(UnknownNumber, name) is not getattr(object, name, None)
) | {"__class__"}
"""The methods of operators, which ints and Fractions have, too."""


def _as_exact(number: Any) -> Exact:
    """An unknown number among exact ones; for one who answers for some databases, the number that it is there."""
    return exact(number)


def _holds(relation: Callable[[Any, Any], Any], left: Exact, right: Exact) -> bool:
    """True where one number is equal to another one, less, or the like. Raises `Cut` unless it is so on all databases.

    For one who runs a mechanism for the databases that give it the same answers, the answer of some of them.
    """
    if notes.answers is None or left is right:
        return bool(relation(ordering(left, right), 0))
    return notes.answers.holds(left - right, relation)


_Operand: TypeAlias = tuple[Exact, type[Any]]
"""A number, and what it is in Python."""


def of_kind(number: Exact, kind: _Kind) -> Any:
    """The number as Python has it: an int, a `WholeNumber` or a `Fraction`, or an unknown one in its place."""
    if number.symbol is not None:
        return UnknownNumber(number, kind)
    value = as_parameter(number)
    assert isinstance(value, Fraction), "whole numbers and fractions give such"
    return value if kind is Fraction else kind(int(value))


def without_noise_left(number: Exact) -> Any:
    """The number that noise leaves where it cancels: a Fraction if it is rational, known or not, else the number."""
    return UnknownNumber(number, Fraction) if is_unknown(number) else as_parameter(number)


def _common(kind: type[Any], other: type[Any]) -> _Kind:
    """The kind of a sum or a product of two kinds."""
    kinds = {kind, other}
    return Fraction if Fraction in kinds else WholeNumber if WholeNumber in kinds else int


def _known_whole(value: object) -> int | None:
    """The int that a whole number or a truth value is; None for all else, and for subclasses, which may be anything."""
    return int(value) if type(value) in (int, bool, WholeNumber) and isinstance(value, int) else None


def _operand(other: object, how: str) -> _Operand | None:
    """The other operand; None for what this library lets answer itself, such as noise. Raises `InputError`."""
    kind = type(other)
    whole = _known_whole(other)
    if whole is not None:
        return exact(whole), int if kind is bool else kind
    if kind is UnknownNumber and isinstance(other, UnknownNumber):
        return _number_of(other), _kind_of(other)
    if kind is Fraction and isinstance(other, Fraction):
        return exact(other), Fraction
    if kind in (Term, Sum) and isinstance(other, Exact):
        return other, Exact
    if kind.__module__.startswith("dpverify.") and not issubclass(kind, int | Fraction | float | complex):
        return None
    what = f"the {kind.__name__} {shown(other, 40)}"
    raise _refusal(how.format(what), "write an int or a Fraction; int(x) makes an int of a number of another type")


_NO_NUMBERS: Final = frozenset(
    (NoneType, str, bytes, bytearray, tuple, list, dict, set, frozenset, range, slice, type, FunctionType, EllipsisType)
) | {NotImplementedType}
"""Exact types of which nothing equals a number."""


def _equals_no_number(other: object) -> bool:
    """True if equality with any number is False, and asks nobody: of exact types, and of what equals itself alone."""
    kind = type(other)
    return kind in _NO_NUMBERS or (
        kind.__eq__ is object.__eq__ and kind.__ne__ is object.__ne__ and not issubclass(kind, Unknown)
    )


def _is_from_within(frame: FrameType) -> bool:
    """True if this library asks, from packages that know such numbers; nobody else is told what they are made of."""
    name = frame.f_globals.get("__name__")
    known = _WITHIN.get(name)
    if known is None:
        known = _WITHIN[name] = str(name).startswith((*KNOWING, "dpverify.mechanisms."))
    return known


_WITHIN: Final[dict[Any, bool]] = {}


def is_asked_from_within(modules: tuple[str, ...] = KNOWING) -> bool:
    """True where this library has called the method that asks this, and no mechanism, nor others on its behalf."""
    return _module(_asking(3)).startswith(modules)


def _asking(depth: int) -> FrameType | None:
    """The caller of a function so many frames above; not `abc`, which asks for those who want an abstract class."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and (_hands_on_attributes(frame) or _module(frame) == "abc"):
        frame = frame.f_back
    return frame


def _hands_on_attributes(frame: FrameType) -> bool:
    return frame.f_code.co_name == "__getattribute__" and _module(frame).startswith("dpverify.")


def _module(frame: FrameType | None) -> str:
    return "" if frame is None else str(frame.f_globals.get("__name__"))


def _refusal(how: str, instead: str) -> InputError:
    """The error to raise. It is remembered: the run is not to be accepted, even if the mechanism catches it."""
    error = InputError(bad_mechanism.UNKNOWN_NUMBER, how, instead)
    notes.refused = notes.refused or error
    return error
