"""Text in Markdown: as code, in a cell, in a heading, and as nothing but text."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final


def fenced(lines: Sequence[str]) -> list[str]:
    """The lines as a block of code, in a fence longer than any run of backticks in them."""
    fence = "`" * max(3, 1 + _longest_run("\n".join(lines)))
    return [fence, *lines, fence]


def code(text: str) -> str:
    """The text as code in a cell or a line: it means nothing else there, whatever it holds."""
    plain = " ".join(text.split()).replace("|", "\\|")
    if "`" not in plain:
        return f"`{plain}`"
    ticks = "`" * (1 + _longest_run(plain))
    return f"{ticks} {plain} {ticks}"


def cell(text: str) -> str:
    """The text for a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def rows_of_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table, of cells that are Markdown already, and an empty line."""
    return [*(f"| {' | '.join(row)} |" for row in (columns, ["---"] * len(columns), *rows)), ""]


def without_links(text: str) -> str:
    """The text with nothing that a reader could follow, or that would be loaded."""
    return text.replace("[", "\\[").replace("]", "\\]")


def plain_text(text: str) -> str:
    """Other people's text as nothing but text: no HTML, no emphasis, code, link, image or cell."""
    return re.sub(r"([\\`*_\[\]~|])", r"\\\1", escape(" ".join(text.split()), quote=False))


def heading(name: str) -> str:
    """A name for a heading: as it is, unless that would be read as markup."""
    return plain_text(name) if _MARKED.search(name) else name


_MARKED: Final = re.compile(r"[<>&`*\[\]~|\\]|^_|_$")
"""Characters that would be read as markup in a heading; an underscore within a name is none."""


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
