"""Baselines of earlier formats: their text in the form of today, and what two lines can be held to each other by.

Format 1 kept digests of code that reached no further than the file of claims, and names of files below the root of git.
What they would be today is not known from the text: a line that comes from there says so, and is compared by the rest.
"""

from __future__ import annotations

import json
import re
from typing import Final

import msgspec

from dpverify.reports.record import CALLS, WRITTEN_BY, QuestionRecord, Told

FORMAT_1: Final = 1


def as_format_2(line: str, folder: str) -> str:
    """A line of format 1, without its check, as format 2 has it: marked as such, and with its file below `folder`.

    That is the folder of the baseline, below the root of its project.
    """
    plain = json.loads(line)
    if plain.get("file"):
        plain["file"] = plain["file"].removeprefix(f"{folder}/")
    return json.dumps({**plain, "format": FORMAT_1}, ensure_ascii=False)


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
        mutants=[Told(one.text, one.text) for one in asks.mutants],
        wrapper="",
        parameters={name: _bare(text) for name, text in asks.parameters.items()},
        more={name: _bare(text) for name, text in asks.more.items()},
        further=further,
        **({} if _is_of_data(asks) else {"domain": _text_of(asks.domain), "relation": _text_of(asks.relation)}),
    )


def _is_of_data(asks: QuestionRecord) -> bool:
    """True where the domain is one of dpverify's, whose digest is of its values and not of code."""
    return asks.domain is not None and re.match(r"[A-Z]\w+\(.*\)$", asks.domain.text) is not None


def _text_of(part: Told | None) -> Told | None:
    return None if part is None else Told(part.text, "")


_OF_A_FILE: Final = re.compile(r"^(unreached|outside|exact) in [^:]*: ")
_DIGEST: Final = re.compile(r"( |\b)[0-9a-f]{12}\b")
_MODULES: Final = re.compile(r"\b([a-z_]\w*)\.(?:[a-z_]\w*\.)+(?=\w)")
_READS: Final = re.compile(r" \(reads .*\)$")


def _bare(text: str) -> str:
    """A text without digests, without modules within a package, and without what data were read."""
    return _MODULES.sub(r"\1.", _DIGEST.sub("", _READS.sub("", text)))
