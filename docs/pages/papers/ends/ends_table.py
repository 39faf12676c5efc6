"""The page of the ends of all ranges, docs/ends.md, from the answers of ends.toml.

`python -m docs.pages.papers.ends.ends_table` writes it, at once.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from docs.pages.papers.coverage_rows import Row
from docs.pages.papers.coverage_statements import SECTIONS
from docs.pages.papers.numbered_items import TITLES

from dpverify.reports.markdown_text import cell, code

PAGE: Final = Path(__file__).parents[4] / "docs" / "ends.md"
ANSWERS: Final = Path(__file__).with_name("ends.toml")
ENDS: Final[Mapping[str, str]] = {
    "e0": "ε next to 0",
    "e1": "ε large, beyond 1",
    "d0": "δ = 0, or next to 0",
    "d1": "δ next to 1",
    "b0": "β, or another probability of failure, next to 0",
    "b1": "the same next to 1",
    "a0": "α, or another accuracy, next to 0: finer than a row",
    "a1": "the same at its largest: 1/2, 1, or what is allowed",
    "n": "the fewest rows or examples: none, one",
    "x": "the least domain, range or dimension: one point or item, d = 0 or 1, T = 0 or 1",
    "c": "the class or family at its ends: one concept, query, solution or column, VC = 0, k = 1 or all",
    "r": "recursion and parts at their ends: one, or more than there are; each rounding and logarithm at its least",
}
"""The twelve ends, by their keys in ends.toml."""
_LETTERS: Final = {"e": "ε", "d": "δ", "b": "β", "a": "α", "n": "row", "x": "domain", "c": "class", "r": "round"}


class Kind(StrEnum):
    """An answer."""

    HOLDS = "holds"
    FAILS = "fails"
    EXCLUDED = "excluded"
    OPEN = "not decided"
    NO_MEANING = "no meaning"


_SHORT: Final = dict(zip(Kind, ("+", "**fails**", "excl.", "?", "–"), strict=True))
_ID: Final = re.compile(
    r"(?:BNS-[JX]|BuNS|HRS|CHS|LSL)-[\w.-]+\.(?:privacy|utility|structure|step|lower-bound)\.[\w-]*\w"
)


class Answer(NamedTuple):
    """An answer to some ends of a row: which, its kind, the claims that decide it, and its words."""

    ends: tuple[str, ...]
    kind: Kind
    ids: tuple[str, ...]
    words: str


def rows() -> list[Row]:
    """The rows of the coverage table."""
    return [row for several in SECTIONS.values() for row in several]


def answers() -> Mapping[str, Sequence[Answer]]:
    """First id of a row → its answers; what has no parameter has no meaning. Raises `KeyError` for what is no answer."""
    return {name: _of_row(given) for name, given in tomllib.loads(ANSWERS.read_text(encoding="utf-8")).items()}


def _of_row(given: Mapping[str, str]) -> list[Answer]:
    missing = [(end, _LETTERS[end[0]]) for end in ENDS if end[0] not in given["has"].split()]
    found = [_answer(key, text) for key, text in given.items() if key != "has"]
    if missing:
        names = ", ".join(dict.fromkeys(name for _, name in missing))
        found.append(Answer(tuple(end for end, _ in missing), Kind.NO_MEANING, (), f"there is no {names} in it"))
    return found


def _answer(key: str, text: str) -> Answer:
    kind = next((one for one in Kind if text.startswith(one)), None)
    if kind is None:
        raise KeyError(text)
    ids, _, words = text.removeprefix(kind).lstrip(": ").partition(": ")
    if kind not in (Kind.HOLDS, Kind.FAILS) or not _ID.match(ids):
        ids, words = "", f"{ids}: {words}" if words else ids
    return Answer(tuple(key.split()), kind, tuple(_ID.findall(ids)), words)


def page() -> str:
    """The page, as Markdown."""
    every = answers()
    counted = Counter(one.kind for several in every.values() for one in several for _ in one.ends)
    of = {title: [row for row in rows() if row.ids[0].startswith(paper)] for paper, title in TITLES.items()}
    of["Other papers"] = [row for row in rows() if not row.ids[0].startswith(tuple(TITLES))]
    return _TEXT.format(
        rows=len(every),
        all=len(every) * len(ENDS),
        counts="\n".join(f"| {kind} | {_SHORT[kind]} | {counted[kind]} |" for kind in Kind),
        ends="\n".join(f"| {key} | {what} |" for key, what in ENDS.items()),
        papers="\n".join(f"## {title}\n\n{_tables(several, every)}\n" for title, several in of.items() if several),
    )


def _tables(several: Sequence[Row], every: Mapping[str, Sequence[Answer]]) -> str:
    lines = [f"| row | {' | '.join(ENDS)} |", "| --- |" + " --- |" * len(ENDS)]
    why = ["| row | ends | answer | claims, or why |", "| --- | --- | --- | --- |"]
    for row in several:
        at = {end: _SHORT[one.kind] for one in every[row.ids[0]] for end in one.ends}
        lines.append(f"| **{', '.join(row.ids)}** {cell(row.what)} | {' | '.join(at[end] for end in ENDS)} |")
        names = [f"**{row.ids[0]}**"]
        for one in every[row.ids[0]]:
            said = "; ".join(filter(None, (", ".join(map(code, one.ids)), cell(one.words))))
            why.append(f"| {names.pop() if names else ''} | {', '.join(one.ends)} | {one.kind} | {said} |")
    return "\n".join([*lines, "", *why])


_TEXT: Final = """\
# The ends of all ranges

*Generated by `python -m docs.pages.papers.ends.ends_table`.*

A statement takes ranges for granted: that ε is at most 1, that α is no finer than a row, that a logarithm is above 0.
Here each of the {rows} rows of [what is covered](coverage.md) is asked at the same twelve ends: {all} answers. *Holds*:
by the claims that are named, or by the argument that is given; a row's proof may be by a corrected algorithm, which is
said. *Fails*: by a claim that is refuted, of the statement or of a step; [what does not hold as
printed](not-as-printed.md) says which, and what is degenerate. *Excluded*: by the statement's own range, as quoted. *Not
decided*: nothing that was run or argued says it. *No meaning*: the statement has no such parameter, its formula is
lost in the text, or what it says there is no number.

| answer | in the tables | answers |
| --- | --- | --- |
{counts}

The ends. In Chaudhuri, Hsu & Song ε is their α and β their η or δ₀; in fingerprinting codes β is ξ; γ of Hardt,
Rothblum & Servedio goes with α.

| end | what |
| --- | --- |
{ends}

{papers}
`python -m docs.pages.papers.ends.ends_table` writes this page.
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
