"""Functions that the text of a mutant may call beside those of its file, under names that no file uses."""

import builtins
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from numbers import Rational
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter, exact
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import ReleasedDistribution

NOISELESS: Final = "__noiseless__"
CALL_HALF: Final = "__half__"
CALL_OPEN: Final = "__open__"
TENTHS: Final = "__tenths__"
CALL_LEAST: Final = "__least__"
CALL_NOTHING: Final = "__nothing__"


def noiseless(draw: Draw, source: Any) -> Any:
    """The value that a draw gives where its noise was forgotten: 0, or the likeliest outcome, the first of several.

    What a sub-mechanism draws is forgotten in the sub-mechanism itself, and not here.
    """
    if isinstance(source, NoiseLaw):
        return 0
    if isinstance(source, Distribution) and not isinstance(source, ReleasedDistribution):
        return reduce(lambda best, other: other if other[1] > best[1] else best, source.leaves)[0]
    return draw(source)


def half(number: Any) -> Any:
    """Half a number, exactly."""
    return as_parameter(exact(number) / 2) if not isinstance(number, int) else Fraction(number, 2)


def tenths(number: Any, count: int) -> Any:
    """So many tenths of a number, exactly; an `Exact` one as such."""
    share = exact(number) * count / 10
    return share if isinstance(number, Exact) else as_parameter(share)


def least(data: Any) -> Any:
    """The least of the numbers in data, of a mapping those that its keys have; 0 where there is none."""
    return min(_numbers(data), default=0)


def nothing(data: Any) -> bool:
    """True where data hold numbers, and none above 0: there is nothing to be found in them."""
    numbers = list(_numbers(data))
    return bool(numbers) and max(numbers) <= 0


def _numbers(data: Any) -> Iterator[Any]:
    if isinstance(data, Rational):
        yield data
    elif isinstance(data, Mapping):
        for value in data.values():
            yield from _numbers(value)
    elif isinstance(data, list | tuple | set | frozenset):
        for value in data:
            yield from _numbers(value)


def opened(value: Any) -> Any:
    """A value as it can be returned: lists, sets and dicts as what cannot change."""
    if isinstance(value, list | tuple):
        return tuple(map(opened, value))
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, Mapping):
        return tuple((key, opened(part)) for key, part in value.items())
    return value


_HELPERS: Final[Mapping[str, Callable[..., Any]]] = {
    NOISELESS: noiseless,
    CALL_HALF: half,
    CALL_OPEN: opened,
    TENTHS: tenths,
    CALL_LEAST: least,
    CALL_NOTHING: nothing,
}


def offer_calls() -> None:
    """Let all code of this process call them: it is a child that is forked for one mutant."""
    for name, helper in _HELPERS.items():
        setattr(builtins, name, helper)
