"""Values that hold nothing, which a mechanism is handed in the place of its rows, and of numbers that are released.

Nothing can be asked of sealed rows, so that what a mechanism does with them is the same whatever they are. Any number
may stand in the place of a released one: each comparison of it goes both ways. See docs/composites.md.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from types import BuiltinFunctionType, EllipsisType, FunctionType, MethodType, ModuleType, NoneType
from typing import Any, ClassVar, Final, NoReturn, Protocol

from dpverify.mechanisms.functions.places import place_in_brackets, place_now
from dpverify.mechanisms.functions.post_processing import MUST_NOT_RUN_ON_IT
from dpverify.mechanisms.functions.trusted import is_in_its_module
from dpverify.mechanisms.language.library import values_held_by
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact, Sum, Term
from dpverify.mechanisms.numbers.integers.sealed import AnyParameter, Sealed
from dpverify.mechanisms.numbers.integers.unknown_numbers import is_asked_from_within
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.numbers.shown import is_showing
from dpverify.mechanisms.numbers.symbols import notes


class HolderOfRows(Protocol):
    """The run that a sealed value belongs to."""

    def take_note(self, error: Exception) -> None:
        """Remember that something was refused: the run is not to be accepted."""

    def either(self) -> bool:
        """True on one path, and False on another one."""


REFUSED_OPERATORS: Final = tuple(
    f"__{name}__"
    for name in (
        *("len", "bool", "iter", "next", "getitem", "setitem", "delitem", "contains", "reversed", "hash"),
        *("eq", "ne", "lt", "le", "gt", "ge", "repr", "str", "format", "bytes", "dir", "enter", "exit", "await"),
        *("int", "index", "float", "complex", "round", "floor", "ceil", "trunc", "neg", "pos", "abs", "invert"),
        *("copy", "deepcopy", "reduce", "reduce_ex", "getstate", "sizeof", "length_hint", "fspath", "missing"),
        *(
            side + name
            for name in ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow", "lshift")
            for side in ("", "r", "i")
        ),
        *(side + name for name in ("rshift", "and", "xor", "or") for side in ("", "r", "i")),
    )
)


class _KindOfSealed(type):
    """The type of sealed classes: which methods they have, and so of which kind their objects are, is not told.

    `isinstance(rows, typing.Iterator)` asks the class alone: it has all methods, to refuse them.
    """

    @property
    def __mro__(cls) -> NoReturn:
        place = place_now(sys._getframe(1))
        error = Undecided(
            not_known.ROWS_SEEN,
            f"rows, or what a sub-mechanism has released, were asked for their type{place_in_brackets(place)}",
        )
        notes.refused = notes.refused or error
        raise error


class _Unasked(Sealed, metaclass=_KindOfSealed):
    """A value of which nothing can be asked, but what its kind adds: each use is refused, and noted."""

    __slots__ = ("holder",)

    words: ClassVar[str]
    """Its name in messages."""

    def __init__(self, holder: HolderOfRows) -> None:
        object.__setattr__(self, "holder", holder)

    @staticmethod
    def refusal(asked: str) -> Undecided:
        """The refusal of a use, named with its line."""
        raise NotImplementedError

    def __getattribute__(self, name: str) -> Any:  # isinstance asks for __class__
        _refuse(self, f".{name}")

    def __setattr__(self, name: str, value: object) -> None:
        _refuse(self, f".{name}")

    def __delattr__(self, name: str) -> None:
        _refuse(self, f".{name}")


def _refuse(value: _Unasked, asked: str) -> NoReturn:
    error = type(value).refusal(f"{asked}{place_in_brackets(place_now(sys._getframe(2)))}")
    object.__getattribute__(value, "holder").take_note(error)
    raise error


def _refused(name: str) -> Any:
    def method(self: _Unasked, *_: object, **__: object) -> NoReturn:
        _refuse(self, name)

    return method


def _shown(self: _Unasked) -> str:
    if not is_showing():
        _refuse(self, "__repr__")
    return type(self).words


for _name in REFUSED_OPERATORS:
    setattr(_Unasked, _name, _refused(_name))
_Unasked.__repr__ = _shown  # type: ignore[method-assign, assignment]


class SealedRows(_Unasked):
    """Rows of which nothing can be asked: they can only be handed to a part."""

    __slots__ = ()

    words = "the rows"

    @staticmethod
    def refusal(asked: str) -> Undecided:
        return Undecided(reasons.ROWS_ASKED.text(asked=asked))


class AnyOutcome(_Unasked):
    """An outcome of a part, which may be anything: it can be returned, and nothing else."""

    __slots__ = ()

    words = "what a part of yours has released"

    @staticmethod
    def refusal(asked: str) -> Undecided:
        return Undecided(not_known.ROWS_SEEN, f"what a sub-mechanism of yours has released was asked for {asked}")


class OutcomeToReturn(AnyOutcome):
    """The outcome that `draw.each` or `draw.release` gives: as in other runs it has a call, which is refused."""

    __slots__ = ()

    __call__ = _refused("__call__")


for _kind in (SealedRows, AnyOutcome):
    Sequence.register(_kind)  # so that patterns of `match` ask for a length, as of a tuple


_ARITHMETIC: Final = ("dpverify.mechanisms.numbers.", "fractions")
"""Modules that may ask for the class of a number: other numbers do of all that they are added to, or compared with."""


class AnyReleased(_Unasked):
    """A number that may be any: sums, products and the like may be any, too, and comparisons go both ways."""

    __slots__ = ()

    words = "what a part has released"

    what_follows: ClassVar[str] = MUST_NOT_RUN_ON_IT
    """The words of a refusal where it is given as a scale, an ε or another parameter."""

    @staticmethod
    def refusal(asked: str) -> Undecided:
        return Undecided(
            not_known.ROWS_SEEN,
            f"a released number was asked for {asked}, and can be compared, returned, and computed with by + − · /",
        )

    def __getattribute__(self, name: str) -> Any:
        if name != "__class__" or not is_asked_from_within(_ARITHMETIC):
            _refuse(self, f".{name}")
        return AnyReleased


def _computed(self: AnyReleased, other: object = 0) -> Any:
    if type(other) not in _ANY and not isinstance(other, int | Fraction | Exact):
        _refuse(self, f"a sum with a {type(other).__name__}, or the like")
    return AnyReleased(object.__getattribute__(self, "holder"))


def _compared(self: AnyReleased, other: object) -> bool:
    return bool(object.__getattribute__(self, "holder").either())


for _name in ("add", "sub", "mul", "truediv", "radd", "rsub", "rmul", "rtruediv", "rlshift", "neg", "pos", "abs"):
    setattr(AnyReleased, f"__{_name}__", _computed)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(AnyReleased, f"__{_name}__", _compared)


class AnyValue(AnyReleased, AnyParameter):
    """A parameter of which all values are meant."""

    __slots__ = ()

    words = "a parameter that may have any value"


class AnyDepth(_Unasked, AnyParameter):
    """The depth N − `below` of a recursion, for every N from which on that is at least `least`."""

    __slots__ = ("below", "least")

    words = "the depth of a recursion"

    def __init__(self, holder: HolderOfRows, least: int, below: int = 0) -> None:
        super().__init__(holder)
        object.__setattr__(self, "least", least)
        object.__setattr__(self, "below", below)

    @staticmethod
    def refusal(asked: str) -> Undecided:
        return Undecided(
            not_known.ROWS_SEEN, f"a depth was asked for {asked}, and can be compared with whole numbers and lessened"
        )

    def __sub__(self, number: object) -> "AnyDepth":
        if type(number) is not int or number < 0:
            _refuse(self, "__sub__")
        holder, least, below = (object.__getattribute__(self, name) for name in ("holder", "least", "below"))
        return AnyDepth(holder, least - number, below + number)


def _depth_compared(answer: bool, from_here: bool) -> Any:
    """A comparison with a whole number: its answer for all depths above it, or from it on, is known; else both are."""

    def compared(self: AnyDepth, number: object) -> bool:
        if type(number) is not int:
            _refuse(self, "a comparison with what is no whole number")
        _, least = depth_of(self)
        known = least >= number if from_here else least > number
        return answer if known else bool(object.__getattribute__(self, "holder").either())

    return compared


for _name, _answer, _from_here in (
    *(("eq", False, False), ("ne", True, False), ("lt", False, True)),
    *(("le", False, False), ("gt", True, False), ("ge", True, True)),
):
    setattr(AnyDepth, f"__{_name}__", _depth_compared(_answer, _from_here))
_ANY: Final = (AnyReleased, AnyValue)


def depth_of(value: AnyDepth) -> tuple[int, int]:
    """Its `below` and `least`."""
    return object.__getattribute__(value, "below"), object.__getattribute__(value, "least")


class HoldsRows(Exception):
    """A value holds sealed rows, or may hold them."""


_PLAIN: Final = frozenset(
    {
        *(int, bool, WholeNumber, str, bytes, float, Fraction, Term, Sum, NoneType, EllipsisType, range, ModuleType),
        *(AnyReleased, AnyValue, AnyDepth, AnyOutcome, OutcomeToReturn),
    }
)


def refuse_rows_in(value: Any, depth: int = 12) -> None:
    """Raises `HoldsRows` where a value holds sealed rows at some depth, or is of a kind that is not looked into."""
    if type(value) is SealedRows:
        raise HoldsRows("the rows themselves")
    parts = _parts_held(value)
    if parts and depth == 0:
        raise HoldsRows("what is too deep to be looked into")
    for part in parts:
        refuse_rows_in(part, depth - 1)


def _parts_held(value: Any) -> Iterable[Any]:
    """All that a value holds. Raises `HoldsRows` where it may hold anything."""
    kind = type(value)
    is_class = issubclass(kind, type)
    if kind in _PLAIN or (issubclass(kind, type | Enum) and is_in_its_module(value if is_class else kind)):
        return ()
    if kind is dict:
        return (*value.keys(), *value.values())
    if kind in (tuple, list, set, frozenset):
        return tuple(value)
    if kind in (FunctionType, MethodType, BuiltinFunctionType, partial):
        return (*values_held_by(value), getattr(value, "__dict__", {}))
    if is_dataclass(kind) and is_in_its_module(kind):
        return (*(getattr(value, field.name) for field in fields(value)), getattr(value, "__dict__", {}))
    raise HoldsRows(f"a {kind.__qualname__}, which is not looked into")
