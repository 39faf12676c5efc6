"""Unknown numbers against Python's: every operation, with every type of other operand, agrees or is refused."""

import builtins
import contextlib
import copy
import inspect
import math
import operator
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from itertools import product
from numbers import Integral, Rational
from typing import Any, Final

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms import Exact, InputError, exact, exp, log
from dpverify.mechanisms.numbers.errors import Cut
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber, of_kind
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion
from dpverify.mechanisms.numbers.roots.substitution import PointSubstitution
from dpverify.mechanisms.numbers.symbols import notes


class Row(Enum):
    A = 1


class Level(IntEnum):
    TWO = 2


class Own(int):
    pass


class OwnFraction(Fraction):
    pass


class Reflected:
    """Answers for whatever meets it, by the type of what it met."""

    def __radd__(self, other: object) -> bool:
        return type(other) is int

    __add__ = __rsub__ = __rmul__ = __rtruediv__ = __mul__ = __sub__ = __radd__
    __lt__ = __gt__ = __radd__


class Equal:
    def __eq__(self, other: object) -> bool:
        return type(other) is int

    __hash__ = None  # type: ignore[assignment]


OPERANDS: Final[dict[str, Any]] = {
    "int": 3,
    "negative int": -2,
    "zero": 0,
    "bool": True,
    "whole parameter": WholeNumber(3),
    "Fraction": Fraction(3, 2),
    "whole Fraction": Fraction(2),
    "exact": exact("0.5"),
    "exp": exp(1),
    "Decimal": Decimal(3),
    "float": 2.0,
    "complex": 3 + 0j,
    "numpy int": np.int64(3),
    "numpy bool": np.bool_(True),
    "numpy float": np.float64(3),
    "array": np.array([1, 3]),
    "array of objects": np.array([1, 3], dtype=object),
    "int subclass": Own(3),
    "Fraction subclass": OwnFraction(3),
    "IntEnum": Level.TWO,
    "Enum": Row.A,
    "None": None,
    "text": "3",
    "bytes": b"3",
    "tuple": (3,),
    "list": [3],
    "set": {3},
    "range": range(4),
    "class": int,
    "reflected": Reflected(),
    "equal": Equal(),
}

BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    name: getattr(operator, name)
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift", "and_", "or_", "xor"),
        *("eq", "ne", "lt", "le", "gt", "ge", "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow"),
        *("concat", "contains", "countOf", "indexOf", "getitem", "is_", "is_not"),
    )
    if name not in ("is_", "is_not")  # which no class intercepts: see kinds_asked_for.py
} | {
    "divmod": divmod,
    "max": max,
    "min": min,
    "in a tuple": lambda a, b: a in (b, "x"),
    "sorted": lambda a, b: sorted([a, b]),
    "sum": lambda a, b: sum([a, 1], b),
    "isinstance": isinstance,
    "pow modulo": lambda a, b: pow(a, b, 7),
    "Fraction": Fraction,
    "round": round,
    "hypot": math.hypot,
    "gcd": math.gcd,
    "prod": lambda a, b: math.prod([a, b]),
    "isclose": math.isclose,
    "format": lambda a, b: format(a, "5d" if b is None else ""),
    "getattr": lambda a, b: getattr(a, b) if isinstance(b, str) else None,
    "maximum": np.maximum,
    "where": lambda a, b: np.where(True, a, b),
    "array": lambda a, b: np.array([a, b], dtype=object)[0],
    "counter": lambda a, b: (Counter(x=a) + Counter(x=b))["x"],
}

UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    **{name: getattr(operator, name) for name in ("neg", "pos", "abs", "invert", "not_", "truth", "index")},
    **{name: getattr(math, name) for name in ("floor", "ceil", "trunc", "sqrt", "exp", "isqrt", "factorial", "isnan")},
    **{
        name: getattr(builtins, name)
        for name in ("int", "float", "complex", "bool", "str", "repr", "ascii", "bytes", "hash", "round", "range")
        if name
    }
    | {
        name: getattr(builtins, name)
        for name in (
            "chr",
            "bin",
            "hex",
            "oct",
            "len",
            "iter",
            "next",
            "callable",
            "list",
            "dir",
            "vars",
            "abs",
            "format",
        )
    },
    "Fraction": Fraction,
    "Decimal": Decimal,
    "f-string": lambda n: f"{n}",
    "percent": lambda n: operator.mod("%d", n),
    "copied": lambda n: copy.copy([n])[0],
    "deeply copied": lambda n: copy.deepcopy([n])[0],
    "pickled": lambda n: pickle.loads(pickle.dumps(n)),
    "size": lambda n: n.__sizeof__(),
    "key": lambda n: {n: 1}[n],
    "class": lambda n: n.__class__,
    "Integral": lambda n: isinstance(n, Integral),
    "Rational": lambda n: isinstance(n, Rational),
    "object": lambda n: isinstance(n, object),
    "array": lambda n: np.array([n])[0],
    "scalar": np.int64,
    "exponential": np.exp,
    "numerator": lambda n: n.numerator,
    "bits": lambda n: n.bit_length(),
    "called": lambda n: n(),
    "indexed": lambda n: n[0],
    "index of a list": lambda n: [5] * 99 + [n] and [5][n],
    "weekday": lambda n: ("mon", "tue")[n % 2 == 0],
    "digits": lambda n: [n // 10, n % 10],
    "cancelled": lambda n: [n - n, (n - n) + 3, n + 1 - n],
    "rest of a half": lambda n: (n * Fraction(1, 2)) % 1,
    "half of it": lambda n: math.floor(n * Fraction(1, 2)),
    "half of a fraction": lambda n: n * Fraction(1, 3) / 2,
    "square": lambda n: n**2,
    "to the power −1": lambda n: n**-1,
    "power of two": lambda n: 2**n,
}

_POINTS: Final = (0, 1, 2, 5)
_CHARTS: Final = (AffineRegion((0, 1), ((1, 0), (0, 1))), AffineRegion((4, -1), ((2, 0), (0, -1))))
"""Two unknown numbers, from 0 and 1 on; and even ones from 4 on, and negative ones."""


def parts(chart: AffineRegion, ask: Callable[[Any, Any], Any], most: int = 400) -> Iterator[tuple[AffineRegion, Any]]:
    """What is answered on the parts into which a chart has to be cut for that, or the error that is raised there."""
    waiting = [chart]
    for _ in range(most):
        if not waiting:
            return
        part = waiting.pop()
        notes.refused = None
        try:
            numbers = [of_kind(n, int) if isinstance(n, Exact) else n for n in part.numbers()]
            answer = ask(*numbers)
        except Cut as cut:
            waiting += part.sides(cut)
            continue
        except Exception as error:
            answer = error
        refused, notes.refused = notes.refused, None
        yield part, refused or answer
    raise AssertionError("it is cut without end")


def known(value: Any, point: tuple[int, ...]) -> Any:
    """A value at a point, with unknown numbers as Python has them there."""
    if type(value) is UnknownNumber:
        return of_kind(PointSubstitution(dict(enumerate(point)))(_held_by(value, "number")), _held_by(value, "kind"))
    if issubclass(type(value), Exact):
        return PointSubstitution(dict(enumerate(point)))(value)
    if type(value) in (tuple, list):
        return type(value)(known(part, point) for part in value)
    return value


def same(left: Any, right: Any) -> bool:
    if type(left) in (tuple, list) and type(left) is type(right):
        return len(left) == len(right) and all(map(same, left, right))
    kinds = {type(left), type(right)}
    return (len(kinds) == 1 or all(issubclass(kind, Exact) for kind in kinds)) and bool(np.all(left == right))


def agreements(ask: Callable[[Any, Any], Any]) -> tuple[int, int]:
    """How many answers were compared with Python's, and how many parts were refused; all others fail."""
    compared = refused = 0
    for chart in _CHARTS:
        for part, answer in parts(chart, ask):
            if issubclass(type(answer), InputError):
                refused += 1
                continue
            for point in product(_POINTS, repeat=part.dimension):
                numbers = part.at(point)
                try:
                    plain = ask(*numbers)
                except Exception as error:
                    plain = error
                if type(answer) is TypeError and not isinstance(plain, Exception):
                    refused += 1  # which ends the run, and who catches errors is not accepted
                    continue
                if issubclass(type(answer), Exception):
                    assert isinstance(plain, Exception), (numbers, plain, answer)
                else:
                    assert same(known(answer, point), plain), (numbers, plain, answer)
                compared += 1
    return compared, refused


def _ask(operation: Callable[[Any, Any], Any], other: Any, *, turned: bool) -> Callable[[Any, Any], Any]:
    return (lambda n, m: operation(other, n)) if turned else (lambda n, m: operation(n, other))


_THEIR_OWN: Final = ("reflected", "equal")

_ALLOWED: Final = frozenset(
    (operation, operand)
    for operation in ("add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge", "max", "min", "sum", "prod", "sorted")
    for operand in (
        "int",
        "negative int",
        "zero",
        "bool",
        "whole parameter",
        "Fraction",
        "whole Fraction",
        "exact",
        "exp",
    )
)
"""What must be answered, and not refused."""


@in_one("operation", BINARY)
@pytest.mark.filterwarnings("ignore")  # as numpy warns of what it makes of ints
def test_with_another_operand_it_does_as_python_or_refuses(operation: str) -> None:
    for operand, turned in product(OPERANDS, (False, True)):
        does_as_python_or_refuses(operation, operand, turned=turned)


def does_as_python_or_refuses(operation: str, operand: str, *, turned: bool) -> None:
    if operand in _THEIR_OWN and (turned or operation in ("max", "min", "sorted", "sum", "in a tuple")):
        return  # its own method is asked first, whose code is looked at: see test_what_no_class_intercepts.py
    compared, refused = agreements(_ask(BINARY[operation], OPERANDS[operand], turned=turned))
    assert compared + refused > 0
    if (operation, operand) in _ALLOWED:
        assert not refused and compared >= 2 * len(_POINTS) ** 2


@in_one("operation", BINARY)
@pytest.mark.filterwarnings("ignore")
def test_two_unknown_numbers_do_as_pythons_or_refuse(operation: str) -> None:
    compared, refused = agreements(BINARY[operation])
    assert compared + refused > 0
    if operation in ("add", "sub", "mul", "eq", "lt", "max", "sorted"):
        assert not refused


@in_one("operation", UNARY)
@pytest.mark.filterwarnings("ignore")
def test_alone_it_does_as_python_or_refuses(operation: str) -> None:
    compared, refused = agreements(lambda n, _: UNARY[operation](n))
    assert compared + refused > 0
    if operation in ("neg", "pos", "abs", "not_", "truth", "floor", "ceil", "bool", "copied", "weekday", "cancelled"):
        assert not refused
    if operation in ("digits", "rest of a half", "half of it", "half of a fraction", "square", "deeply copied"):
        assert not refused
    if operation in ("int", "float", "hash", "str", "f-string", "pickled", "class", "array", "key", "power of two"):
        assert not compared


def test_of_fractions_it_does_as_fractions_do() -> None:
    def computed(n: Any, m: Any) -> Any:
        third = n * Fraction(1, 3)
        return [third / 7, third - m / Fraction(2), third // 2, third % 2, third * 3, third == n, -third, third**2]

    compared, refused = agreements(computed)
    assert compared > 100
    assert not refused


@in_one("name", sorted({*dir(int), *dir(Fraction)}))
def test_every_special_method_and_attribute_of_numbers_is_its_own_or_refused(name: str) -> None:
    """What it would inherit from `object` must be what a number's is, and all else is refused when it is asked for."""
    number = of_kind(_CHARTS[0].numbers()[0], int)  # type: ignore[arg-type]  # it is an Exact
    notes.refused = None
    own = inspect.getattr_static(UnknownNumber, name, None)
    inherited = own is not None and name not in vars(UnknownNumber)
    if inherited:
        assert name in _AS_OBJECTS_ARE, name
    elif own is None and hasattr(int, name):
        with pytest.raises((InputError, AttributeError)):
            getattr(number, name)
        assert notes.refused is not None
    notes.refused = None


_AS_OBJECTS_ARE: Final = frozenset(
    (
        *("__class__", "__delattr__", "__setattr__", "__getattribute__", "__init__", "__init_subclass__", "__new__"),
        *("__subclasshook__", "__ne__", "__str__", "__doc__", "__getstate__", "__reduce__", "__slots__", "__module__"),
        *("__abstractmethods__", "_abc_impl"),
    )
)
"""`__ne__` and `__str__` ask `__eq__` and `__repr__`."""


@pytest.mark.parametrize("kind", [int, WholeNumber, Fraction])
def test_it_has_nothing_that_a_number_has_not(kind: Any) -> None:
    """What it is asked for it has as the number has it, or refuses; and what the number has not, it has not either."""
    number = of_kind(_CHARTS[0].numbers()[0], kind)  # type: ignore[arg-type]  # it is an Exact
    names = {*dir(type(number)), *dir(kind), *dir(()), *dir(1.5), "no_such_name", "__no_such__", "__index__", "shape"}
    for name in sorted(names - {"__class__"}):
        notes.refused = None
        try:
            has_it = hasattr(number, name)
        except InputError:
            assert notes.refused is not None
        else:
            assert has_it is hasattr(kind(3), name), name
    notes.refused = None


def _held_by(value: Any, name: str) -> Any:
    return getattr(type(value), name).__get__(value)


def test_what_is_refused_is_noted_though_it_is_caught() -> None:
    number = of_kind(_CHARTS[0].numbers()[0], int)  # type: ignore[arg-type]  # it is an Exact
    for use in (lambda: number / 3, lambda: hash(number), lambda: str(number), lambda: isinstance(number, int)):
        notes.refused = None
        with contextlib.suppress(InputError):
            use()
        assert isinstance(notes.refused, InputError)
    notes.refused = None


@in_one(
    "use, said",
    [
        (lambda n: n / 3, "write n * Fraction(1, 3) in place of n / 3"),
        (lambda n: n / 100, "write n * Fraction(1, 100)"),
        (lambda n: Fraction(n, 3), "write n * Fraction(1, 3) in place of Fraction(n, 3)"),
        (lambda n: n == Decimal(60), "the Decimal Decimal('60')"),
        (lambda n: n * 0.5, "the float 0.5"),
        (lambda n: n * np.int64(2), "int(x) makes an int"),
        (lambda n: np.array([n, 1]), "64 bits"),
        (lambda n: n // 0, "from 1 to 1,000"),
        (lambda n: n % n, "known whole number"),
        (range, "range(n)"),
        (lambda n: n.bit_length(), ".bit_length"),
    ],
)
def test_the_way_out_is_said(use: Callable[[Any], Any], said: str) -> None:
    number = of_kind(_CHARTS[0].numbers()[0], int)  # type: ignore[arg-type]  # it is an Exact
    with pytest.raises(InputError) as caught:
        use(number)
    assert said in str(caught.value)
    notes.refused = None


def test_quotients_of_parameters_stay_exact() -> None:
    for divisor in (WholeNumber(7), Fraction(7), exact(7), log(2)):
        compared, refused = agreements(lambda n, _, by=divisor: n / by)  # type: ignore[misc]
        assert compared and not refused
