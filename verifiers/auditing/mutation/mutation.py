"""A mutation: a small change of the text of a file, which can be put into it, shown, and told from others."""

import ast
import hashlib
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from dpverify.verifiers.auditing.mutation.mutant_calls import (
    CALL_HALF,
    CALL_LEAST,
    CALL_NOTHING,
    CALL_OPEN,
    NOISELESS,
    TENTHS,
)

SyntaxScope = tuple[tuple[str, int], ...]
"""Place of a function in a module: the names on the way to it, each with how many of that name stand before it."""


@dataclass(frozen=True)
class Edit:
    """The text that is put in the place of a part of a text: from `start` to `end`, in bytes."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Mutation:
    """One mistake: what it is called, where it is, and what it changes."""

    operator: str
    file: str
    scope: SyntaxScope
    """The function that it is in."""
    line: int
    before: str
    after: str
    """The statement that it changes, on one line, as it is and as it will be."""
    edits: tuple[Edit, ...]
    occurrence: int
    """The how many-th of those of its function that look alike it is."""

    @property
    def function(self) -> str:
        """The qualified name of the function that it is in."""
        return ".".join(name for name, _ in self.scope)

    def of(self, source: str) -> str:
        """The source with the mistake."""
        return edited(source, self.edits)

    def rank(self, seed: int) -> bytes:
        """Key by which mutations are sampled: it stays the same when other code changes, or its function moves."""
        identity = (seed, self.function, self.operator, self.before, self.after, self.occurrence)
        return hashlib.sha256(repr(identity).encode()).digest()


def edited(source: str, edits: Sequence[Edit], offset: int = 0) -> str:
    """A text with edits, whose places count from `offset` bytes before it."""
    text = source.encode()
    for edit in sorted(edits, key=lambda each: (each.start, each.end), reverse=True):
        text = text[: edit.start - offset] + edit.new.encode() + text[edit.end - offset :]
    return text.decode()


LONGEST_SHOWN: Final = 120
"""Characters of a statement with the one that it is a condition of, on one line."""

_AROUND: Final = 60
"""Characters that are shown before and behind a change in a longer one."""

_SHOWN: Final = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (rf"{NOISELESS}\((\w+), ", "noiseless("),
        (rf"{CALL_HALF}\(([\w.]+)\)", r"\1 / 2"),
        (rf"{CALL_OPEN}\((\w+)\)", r"\1"),
        (rf"{TENTHS}\(([\w.]+), (\d+)\)", r"(\1 * \2/10)"),
        (rf"{CALL_LEAST}\((\w+)\)", r"least(\1)"),
        (rf"{CALL_NOTHING}\((\w+)\)", r"nothing(\1)"),
    )
)
"""Text of calls that no file has."""


def on_one_line(statement: str) -> str:
    """A statement on one line: its head, if it holds others, with the statement itself where that is one, and short."""
    try:
        (node,) = ast.parse(textwrap.dedent(statement)).body
    except (SyntaxError, ValueError):  # `elif …`, say
        return _readable(" ".join(statement.split()))
    head, *body = ast.unparse(node).splitlines()
    if isinstance(node, ast.If) and len(body) == 1 and len(head + body[0]) < LONGEST_SHOWN:
        head = f"{head} {body[0].strip()}"
    return _readable(head)


def _readable(text: str) -> str:
    for pattern, shown in _SHOWN:
        text = pattern.sub(shown, text)
    return text


def around_the_change(before: str, after: str) -> tuple[str, str]:
    """Two lines that differ; of long ones what is near to where they do."""
    if max(len(before), len(after)) <= LONGEST_SHOWN:
        return before, after
    shared = _alike(before, after)
    ends = _alike(before[shared:][::-1], after[shared:][::-1])
    start = max(0, shared - _AROUND)
    left, right = (text[start : min(len(text), len(text) - ends + _AROUND)] for text in (before, after))
    first, last = "…" if start else "", "…" if ends > _AROUND else ""
    return f"{first}{left}{last}", f"{first}{right}{last}"


def _alike(one: str, other: str) -> int:
    """The number of characters that two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
