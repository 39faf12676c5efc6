"""A mechanism: a plain function of `draw`, a database and parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final, Protocol, TypeAlias

from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber, as_given
from dpverify.mechanisms.numbers.shown import cut

Mechanism: TypeAlias = Callable[..., Any]
"""mechanism(draw, database, **parameters) → outcome, or a `Distribution` of outcomes."""


class Draw(Protocol):
    """The draw of a mechanism: the only source of chance that it may use.

    >>> def two_flips(draw: Draw, rows):
    ...     return draw(bernoulli("1/2")) + draw(bernoulli("1/2"))
    >>> distribution(two_flips, ()).probability(1)
    Fraction(1, 2)
    """

    def __call__(self, source: Any, /, *args: Any, **kwargs: Any) -> Any:
        """An outcome of a `Distribution`, a noise value of a law, or the result of the mechanism `source`.

        `draw(mechanism, *args, **kwargs)` runs mechanism(draw, *args, **kwargs).
        """

    def each(self, mechanism: Mechanism, items: Iterable[Any], /, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Independent parts, one for each item: what mechanism(draw, item, *args, **kwargs) gives, drawn apart.

        A part can only be returned, in tuples, and at most once; any other use of it is refused. In a law parts are
        kept apart, so that twenty bits are twenty laws of two outcomes.
        """

    def until(self, mechanism: Mechanism, accepted: Callable[[Any], bool], /, *args: Any, **kwargs: Any) -> Any:
        """The result of mechanism(draw, *args, **kwargs), drawn anew until `accepted` says True of it.

        Its law is that of one round, given that the round is accepted. Rounds are independent, what one finds does not
        pass to the next, and how many there were is not known to the mechanism (but to who measures its time).
        `accepted` draws nothing, and answers by True or False. Raises `InputError` where nothing is ever accepted; run,
        it would not end.
        """

    def release(self, value: Any, /, then: Callable[[Any], Any] | None = None) -> Any:
        """Noise, or tuples with noise, that is released, and then(numbers) that is returned in its place.

        `then` is given the plain numbers when the mechanism is run; what is checked is `value`, with all that `then`
        sees. It can only be returned.
        """


class MadeOf(ABC):
    """A mechanism that is an object made of functions: who looks into it, for chance or a source, looks there."""

    @property
    @abstractmethod
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """The functions that it is made of; it goes by the name of the first, whose source is shown as its own."""

    def called(self, name: str) -> str:
        """The name that it has in messages, from the name of the first function."""
        return name


def exact_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """`parameters` with epsilon and delta exact: a `Fraction` where rational. Raises `InputError` where one is not.

    None is left, as what a mechanism may have for a parameter that is not given. Another one that is an int is a
    `WholeNumber`, of which quotients are exact.
    """
    if not parameters:
        return {}
    values = tuple(parameters.values())
    place = (*parameters, *map(id, values))
    known = _EXACT.get(place)
    if known is None:
        from dpverify.mechanisms.numbers.exact_numbers import as_parameter, exact  # which loads python-flint
        from dpverify.mechanisms.numbers.plain_numbers import refuse_written_float

        for name in ("epsilon", "delta"):
            refuse_written_float(parameters.get(name), name)
        found = {
            name: as_parameter(exact(value, name))
            if name in ("epsilon", "delta") and value is not None
            else as_given(value)
            for name, value in parameters.items()
        }
        if not _UNCHANGEABLE.issuperset(map(type, values)):
            return found
        if len(_EXACT) >= _MOST_EXACT:
            _EXACT.clear()
        known = _EXACT[place] = values, found
    return dict(known[1])


_UNCHANGEABLE: Final = frozenset({int, bool, str, bytes, Fraction, WholeNumber, type(None), FunctionType})
"""Types of parameters that are the same, and given the same, as long as they are the same objects."""

_EXACT: Final[dict[tuple[Any, ...], tuple[tuple[Any, ...], dict[str, Any]]]] = {}
"""By their names and identities parameters, which it keeps, and what was made of them: draws have the same ones."""
_MOST_EXACT: Final = 1 << 10


def name_of(mechanism: Mechanism) -> str:
    """The name of a mechanism in messages: an object by its class, or what it is made of, never by its repr."""
    inner = mechanism.func if isinstance(mechanism, partial) else mechanism
    if isinstance(inner, MadeOf):
        return cut(inner.called(name_of(inner.functions[0])))
    if not isinstance(inner, FunctionType | BuiltinFunctionType | MethodType | type):
        inner = type(inner)
    return cut(inner.__qualname__)
