"""The provenance of a report: its title, date, commit and command line; no path or name of a machine."""

from typing import Final

import msgspec

_SHOWN: Final = 12
"""Digits of a commit on a page."""


class Provenance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Origin of a report. Comparisons, gates and journals do not look at it."""

    title: str
    date: str
    """UTC, as 2026-03-14T15:09:26Z: of the beginning of the run, or of SOURCE_DATE_EPOCH."""
    commit: str
    """The commit of git at or after which it was made; empty where none is known."""
    clean: bool | None
    """True where no tracked file, and no new Python file, differed from it; null where no commit is known."""
    python: str
    """The version of Python."""
    command: str
    """The command line, in which paths are relative."""

    @property
    def in_words(self) -> list[str]:
        """Date, commit and version of Python, as a page has them."""
        day, _, time = self.date.rstrip("Z").partition("T")
        return [f"{day} {time} UTC", self._commit_in_words, f"Python {self.python}"]

    @property
    def _commit_in_words(self) -> str:
        if not self.commit:
            return "no git commit is known"
        return f"commit {self.commit[:_SHOWN]}{'' if self.clean else ' with uncommitted changes'}"
