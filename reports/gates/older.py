"""Baselines of earlier formats: their text in the form of today, and what two lines can be held to each other by.

Format 2 differs in names of fields alone. Format 1 kept digests of code that reached no further than the file of
claims, and names of files below the root of git. What they would be today is not known from the text: a line that comes
from there says so, and is compared by the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dpverify.reports.former_fields import OF_A_BASELINE, by_names_now
from dpverify.reports.record import CALLS, WRITTEN_BY, DescribedPart, QuestionRecord

FORMAT_1: Final = 1
FORMAT_2: Final = 2


def as_written_now(line: Mapping[str, Any], former: int, folder: str) -> dict[str, Any]:
    """A line of a former format, without its check, by the names of its fields now.

    One of format 1 is marked, and its file is below `folder`: that of the baseline, below the root of its project.
    """
    plain = by_names_now(line, OF_A_BASELINE)
    of_1 = {"file": plain.get("file", "").removeprefix(f"{folder}/"), "format": FORMAT_1}
    return {**plain, **of_1} if former == FORMAT_1 else plain


TAKEN_OVER: Final = (
    "accepted in format 1 of baselines, which knew neither the code of other files, nor data, nor how far a violation "
    "goes: that is taken as it is now, and kept by --update-baseline"
)
"""Message on lines that come from an earlier format."""


def known_to_format_1(asks: QuestionRecord) -> QuestionRecord:
    """A question with what format 1 knew of it alone, in its words: without digests of code, folders and data."""
    further = {
        _OF_A_FILE.sub(r"\1: ", name): _bare(text)
        for name, text in asks.further.items()
        if name != CALLS and not name.startswith(WRITTEN_BY)
    }
    return msgspec.structs.replace(
        asks,
        mechanism=_bare(asks.mechanism),
        mechanism_file="",
        mutants=[DescribedPart(one.text, one.text) for one in asks.mutants],
        wrapper="",
        parameters={name: _bare(text) for name, text in asks.parameters.items()},
        more={name: _bare(text) for name, text in asks.more.items()},
        further=further,
        **{name: _text_of(getattr(asks, name)) for name in ("domain", "neighbour_relation") if not _is_of_data(asks)},
    )


def _is_of_data(asks: QuestionRecord) -> bool:
    """True where the domain is one of dpverify's, whose digest is of its values and not of code."""
    return asks.domain is not None and re.match(r"[A-Z]\w+\(.*\)$", asks.domain.text) is not None


def _text_of(part: DescribedPart | None) -> DescribedPart | None:
    return None if part is None else DescribedPart(part.text, "")


_OF_A_FILE: Final = re.compile(r"^(unreached|outside|exact) in [^:]*: ")
_DIGEST: Final = re.compile(r"( |\b)[0-9a-f]{12}\b")
_MODULES: Final = re.compile(r"\b([a-z_]\w*)\.(?:[a-z_]\w*\.)+(?=\w)")
_READS: Final = re.compile(r" \(reads .*\)$")


def _bare(text: str) -> str:
    """A text without digests, without modules within a package, and without what data were read."""
    return _MODULES.sub(r"\1.", _DIGEST.sub("", _READS.sub("", text)))
