"""Parts of a mechanism that no database of a claim runs, as plain data."""

from collections.abc import Sequence
from typing import Final

import msgspec

_FEW: Final = 6
"""Lines that are named one by one in a sentence."""

_LONGEST_PART: Final = 60
"""Characters of a part of a line in a sentence."""


class LinesNotRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Lines of a mechanism, or of what it calls in the same project, or a part of one, that no database runs."""

    file: str
    """Relative to the root of its project."""
    first: int
    last: int
    part: str
    """The part of the line, as it is written; empty where it is all of the lines."""
    raises: bool
    """True where all that they do is to end in an error, which nothing catches: then --strict lets them through."""
    because: str
    """Reason for accepting them, as a comment `# dp: unreached, because …` says; empty where they are not."""

    @property
    def in_words(self) -> str:
        """File and lines, and the part."""
        lines = f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"
        part = " ".join(self.part.split())
        part = part if len(part) <= _LONGEST_PART else part[: _LONGEST_PART - 1] + "…"
        return f"{self.file}:{lines}" + (f" (`{part}`)" if part else "")

    @property
    def is_open(self) -> bool:
        """True where nobody accepts them."""
        return not self.raises and not self.because


class NeverRun(msgspec.Struct, frozen=True):  # earlier records have `reads` besides
    """The code of a mechanism that its claim does not speak of."""

    databases: int
    """Number of databases it was run on."""
    lines: list[LinesNotRun]
    """By file and line."""

    @property
    def open_lines(self) -> list[LinesNotRun]:
        """The lines that do more than to raise, and that nobody accepts."""
        return [one for one in self.lines if one.is_open]

    @property
    def surprise(self) -> str:
        """Reason why it is not as expected where all is to be run: empty where all is, or is accepted."""
        return "; ".join([*self.in_short, _ACCEPT_LINES]) if self.in_short else ""

    @property
    def in_short(self) -> list[str]:
        """The lines that nobody accepts, in a sentence."""
        lines = self.open_lines
        return [f"{_several(lines)} never run by any of the {self.databases:,} databases"] if lines else []

    @property
    def in_words(self) -> list[str]:
        """All that there is to say of it, in sentences."""
        raising = [one for one in self.lines if one.raises and not one.because]
        return [
            *(f"{text}." for text in self.in_short),
            *([f"Only to raise, and never run: {_several(raising)}."] if raising else []),
            *(f"{one.in_words}: accepted, because {one.because.rstrip('.')}." for one in self.lines if one.because),
        ]


_ACCEPT_LINES: Final = (
    "--strict asks for a domain on which all of it runs, or for `# dp: unreached, because …` there, with the reason"
)


def _several(found: Sequence[LinesNotRun]) -> str:
    named = ", ".join(one.in_words for one in found[:_FEW])
    return named if len(found) <= _FEW else f"{named} and {len(found) - _FEW:,} more"
