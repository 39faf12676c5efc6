"""What the commands that decide claims share: which are meant, and the exit status."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Literal, Protocol, TypeVar

from dpverify.mechanisms.errors import InputError
from dpverify.reports.summary import Decided


class Named(Protocol):
    """What has an id."""

    @property
    def id(self) -> str:
        """The id."""


Thing = TypeVar("Thing", bound=Named)


def by_id(known: Sequence[Thing], names: Sequence[str], what: str, command: str) -> tuple[Thing, ...]:
    """Those of these ids, or patterns of ids, in their order; all for no names.

    Raises `InputError` for a name that stands for none: it calls them `what`, and names the `command` that shows all.
    """
    for name in names:
        if not any(fnmatchcase(thing.id, name) for thing in known):
            raise InputError(f"no {what} is called {name}: {command} shows all")
    return tuple(thing for thing in known if not names or any(fnmatchcase(thing.id, name) for name in names))


def exit_status(results: Iterable[Decided]) -> Literal[0, 1, 3]:
    """0: every result as expected; 1: some is not; 3: those that are not are merely left open."""
    unexpected = [result for result in results if not result.as_expected]
    if not unexpected:
        return 0
    return 3 if all(result.left_open for result in unexpected) else 1
