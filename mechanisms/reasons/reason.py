"""The form of a reason why something is refused or UNDECIDED, with an id, one sentence and what to write instead."""

import re
from dataclasses import dataclass
from typing import Final

MOST_WORDS: Final = 30
"""Words of a sentence."""

_ID: Final = re.compile(r" \[([a-z]+(?:-[a-z]+)+)\]")


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason: `sentence` and `instead` are templates, whose values are given where it is raised, by place or name.

    A message is `sentence: instead [id]`. `example` is code that meets it: a mechanism f, statements, or a command of
    dpverify.
    """

    id: str
    sentence: str
    instead: str
    example: str = ""

    def text(self, *values: object, instead: str | None = None, **named: object) -> str:
        """The message with these values; `instead` where the place itself says what to write.

        Raises `IndexError` or `KeyError` where a value is not given.
        """
        said = self.sentence.format(*values, **named)
        return f"{said}: {self.instead.format(*values, **named) if instead is None else instead} [{self.id}]"


def id_in(message: str) -> str:
    """The id of the first reason that a message has; empty where it has none."""
    result = _ID.search(message)
    return "" if result is None else result[1]


def or_raise(limit: str) -> str:
    """The words of a message that a limit may be raised."""
    return f"raise the limit with limits=Limits({limit}=…), or --limit {limit}=… on the command line"
