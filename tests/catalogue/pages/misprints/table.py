"""The page of misprints of the papers, docs/misprints.md.

`python -m tests.catalogue.pages.misprints.table` writes it, at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.catalogue.pages.misprints.extended_abstract import EXTENDED_ABSTRACT
from tests.catalogue.pages.misprints.journal import JOURNAL
from tests.catalogue.pages.misprints.large_margin import LARGE_MARGIN
from tests.catalogue.pages.misprints.many_concepts import MANY_CONCEPTS
from tests.catalogue.pages.misprints.misprint import Effect, Misprint
from tests.catalogue.pages.misprints.release import RELEASE
from tests.catalogue.pages.misprints.undefined import UNDEFINED

from dpverify.reports.markdown_text import cell, code

PAGE: Final = Path(__file__).parents[4] / "docs" / "misprints.md"

PAPERS: Final = {
    "Beimel, Nissim & Stemmer, the journal version": JOURNAL,
    "Its extended abstract": EXTENDED_ABSTRACT,
    "Hardt, Rothblum & Servedio": RELEASE,
    "Chaudhuri, Hsu & Song": LARGE_MARGIN,
    "Bun, Nissim & Stemmer": MANY_CONCEPTS,
}

_TEXT: Final = """\
# Misprints of the papers

What is printed in the papers and has to read otherwise: wrong indices and references, = where ≤ holds, a maximum over a
set that may be empty, and slips with a consequence. Beside each stands what it changes: *a statement* is refuted as
printed, or *a step* of a proof, and the claims that decide it are named; *nothing*, where whoever reads on sees what is
meant. [Steps of proofs](proof-steps.md) has the steps one by one, and [findings](findings.md) what is refuted.

The texts are extractions: what stands here was read there, and of the paper by Bun, Nissim & Stemmer, whose formulas are
lost, references alone could be. Spelling is left out. [Proofs, line by line](proof-lines.md) says of each line that was
read whether it is here.

{many} in all: {statement} change a statement, {step} a step, and {nothing} nothing.

{papers}
## Left undefined

What an algorithm does not say, and how it is read here.

{undefined}

`python -m tests.catalogue.pages.misprints.table` writes this page.
"""


def page() -> str:
    """The page, as Markdown."""
    effects = Counter(one.effect for several in PAPERS.values() for one in several)
    papers = "\n".join(f"## {name}\n\n{table(several)}\n" for name, several in PAPERS.items())
    return _TEXT.format(
        many=effects.total(),
        statement=effects[Effect.STATEMENT],
        step=effects[Effect.STEP],
        nothing=effects[Effect.NOTHING],
        papers=papers,
        undefined=table(UNDEFINED),
    )


def table(several: Sequence[Misprint]) -> str:
    """Some of them, a line each."""
    lines = ["| place | printed | should read | changes | why |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*lines, *map(line, several)])


def line(one: Misprint) -> str:
    """One of them."""
    ids = "".join(f", {code(name)}" for name in one.ids)
    return f"| {cell(one.place)} | {cell(one.printed)} | {cell(one.reads)} | {one.effect} | {cell(one.why)}{ids} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
