"""The places of a claim that are outside the language: where its mechanism has some, it is CHECKED at best.

What else a claim is made of, such as a predicate or a neighbour relation, asks the question and does not answer it: of
that the places are named in the scope of the verdict.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from msgspec import structs

from dpverify.mechanisms.language.compiled import outside_of
from dpverify.mechanisms.language.reader import read
from dpverify.mechanisms.language.readings import OutsidePlace
from dpverify.mechanisms.numbers.shown import cut
from dpverify.reports.record import Scope
from dpverify.verifiers.locations import one_of_each_kind

_LONGEST: Final = 80
"""Characters of a construct in words."""

_OWN: Final = "dpverify."


def outside_places(
    mechanism: Callable[..., Any],
    parameters: Mapping[str, Any] = MappingProxyType({}),
    databases: Iterable[Any] = (),
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


def _in_words(place: OutsidePlace) -> str:
    instead = f" ({place.instead})" if place.instead else ""
    where = f" at line {place.line} of {Path(place.file).name}" if place.file else instead  # a row has no place
    return f"{cut(place.construct, _LONGEST)}{where}"
