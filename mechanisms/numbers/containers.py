"""Lists, dicts, dataclasses and named tuples in outcomes: a law holds each as a tuple that begins with its `Kind`.

So a list and a tuple of the same items are two outcomes, and all that is done with the items of a tuple (noise in them
is released, parts are kept apart, labels are permuted) is done with those of a list, too. People and mechanisms are
handed the list again, a new one each time: nobody can change what a law holds.
"""

from abc import ABC, abstractmethod
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any, Final

DICTS: Final = (dict, Counter, OrderedDict, defaultdict)
"""The types of dicts that an outcome may be: of other subclasses it is not known what they hold beside their items."""


@dataclass(frozen=True)
class Kind:
    """The type of a list, a dict or a dataclass, which is the first item of the tuple that a law holds for it."""

    type: type
    details: tuple[Any, ...] = ()
    """The names of a dataclass's attributes; what a defaultdict makes of a key that it does not have."""

    def __repr__(self) -> str:
        return self.type.__name__


class Held(ABC):
    """A container of this library's own: a law holds it by its items, and by details that are no outcomes."""

    __slots__ = ()

    @property
    @abstractmethod
    def details(self) -> tuple[Any, ...]:
        """The rest that it is made of beside its items."""

    @abstractmethod
    def items(self) -> Sequence[Any]:
        """The items, in order."""

    @classmethod
    @abstractmethod
    def made_of(cls, details: tuple[Any, ...], items: list[Any]) -> Any:
        """A new one of these."""


def holds_types(outcome: Any) -> bool:
    """True where an outcome that a law holds is a list, a dict, a dataclass or a named tuple, or has one in it."""
    return type(outcome) is tuple and any(type(part) is Kind or holds_types(part) for part in outcome)


def as_returned(outcome: Any) -> Any:
    """An outcome that a law holds, as the mechanism has returned it: each list, dict and dataclass is a new one."""
    if type(outcome) is not tuple:
        return outcome
    kind = outcome[0] if outcome else None
    if type(kind) is Kind:
        return _built(kind, list(map(as_returned, outcome[1:])))
    parts = tuple(map(as_returned, outcome))
    return outcome if all(map(is_, parts, outcome)) else parts


def _built(kind: Kind, parts: list[Any]) -> Any:
    made: Any = kind.type
    if made is list:
        return parts
    if issubclass(made, Held):
        return made.made_of(kind.details, parts)
    if made is defaultdict:
        return defaultdict(kind.details[0], parts)
    if issubclass(made, dict):
        return made(dict(parts))
    if issubclass(made, tuple):
        return tuple.__new__(made, parts)
    result = object.__new__(made)
    for name, part in zip(kind.details, parts, strict=True):
        object.__setattr__(result, name, part)
    return result
