"""The places of a claim that are outside the language: where its mechanism has some, it is CHECKED at best.

What else a claim is made of, such as a predicate or a neighbour relation, asks the question and does not answer it: of
that the places are named in the scope of the verdict.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Final

from msgspec import structs

from dpverify.mechanisms.finer_releases.seen_by_value import Unchanged
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.trusted import is_in_its_module, is_trusted
from dpverify.mechanisms.language.compiled import outside_of
from dpverify.mechanisms.language.compiled_code import names_in_code
from dpverify.mechanisms.language.reader import read
from dpverify.mechanisms.language.readings import OutsidePlace
from dpverify.mechanisms.language.values_from_outside import is_of_library
from dpverify.mechanisms.numbers.shown import cut
from dpverify.reports.record import Scope
from dpverify.verifiers.locations import one_of_each_kind

_LONGEST: Final = 80
"""Characters of a construct in words."""

_OWN: Final = "dpverify."


def outside_places(
    mechanism: Callable[..., Any], parameters: Mapping[str, Any] = MappingProxyType({}), databases: Iterable[Any] = ()
) -> tuple[OutsidePlace, ...]:
    """The places outside the language of all that a mechanism leads to, in order.

    The classes of rows in the `databases` are among it, and functions there.
    """
    return outside_of(mechanism, parameters, tuple(one_of_each_kind(databases)))


def outside_in_words(places: Sequence[OutsidePlace]) -> str:
    """The first of these places, and the number of others: "outside the language: numpy at line 12 of lib.py"."""
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"outside the language: {_in_words(places[0])}{more}"


def checked_in_words(places: Sequence[OutsidePlace], recheck: str) -> str:
    """The reason of CHECKED; `recheck` is the process that ran it the second time, as a scope has it."""
    seed = "" if recheck == "another interpreter" else "; hash seed not varied"
    return f"no counterexample in these runs; {outside_in_words(places)}{seed}"


def with_outside(scope: Scope, places: Sequence[OutsidePlace], asked: Mapping[str, Any], given: type = object) -> Scope:
    """A scope with these places of a mechanism, and those of what is asked, by name, of objects of a class."""
    said = f"; {outside_in_words(places)}" if places else ""
    return structs.replace(scope, text=f"{scope.text}{said}{asked_outside(asked, given)}")


def asked_outside(parts: Mapping[str, Any], given: type = object) -> str:
    """The parts of a question, by name, that are outside the language, as the end of a scope; empty where none is.

    They are functions of objects of the class `given`.
    """
    of_class, results = set(read(given).outside), []
    for name, part in parts.items():
        if callable(part) and not (getattr(part, "__module__", None) or "").startswith(_OWN):
            places = [place for place in read(part, values=(given,)).outside if place not in of_class]
            results += [f"{name}, {_in_words(places[0])}"] if places else []
    return f"; outside the language as well: {'; '.join(results)}" if results else ""


def kept_by(function: Callable[..., Any]) -> Unchanged:
    """The values that a function of a question names from outside, which have to stay what they are.

    Raises `InputError` for one of which that cannot be told.
    """
    named: list[tuple[str, Any]] = [("what it holds", function)]
    for each in (each for each in read(function).each if not is_of_library(each.function)):
        modules = (value for value in each.names.values() if isinstance(value, ModuleType))
        held = [vars(module) for module in modules if not is_trusted(module.__name__)]
        parts = (
            (name, names[name]) for name in names_in_code(each.function.__code__) for names in held if name in names
        )
        named += [*each.names.items(), *parts]
    return Unchanged((name, value) for name, value in named if not _is_fixed(value))


def _is_fixed(value: Any) -> bool:
    """True of plain values, and of functions and classes that nobody changes."""
    return is_plain(value) or (is_in_its_module(value) and is_trusted(value.__module__))


def _in_words(place: OutsidePlace) -> str:
    instead = f" ({place.instead})" if place.instead else ""
    where = f" at line {place.line} of {Path(place.file).name}" if place.file else instead  # a row has no place
    return f"{cut(place.construct, _LONGEST)}{where}"
