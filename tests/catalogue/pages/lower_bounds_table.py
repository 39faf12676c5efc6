"""The page of lower bounds by case, docs/lower-bounds-catalogue.md, as it follows from deciding them.

`python -m tests.catalogue.pages.lower_bounds_table` writes it, in a minute.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dpverify.reports.kinds.lower_bound import LowerBoundResult, markdown_table
from dpverify.verifiers.catalogue import lower_bounds

PAGE: Final = Path(__file__).parents[3] / "docs" / "lower-bounds-catalogue.md"

_TEXT: Final = """\
# Lower bounds: achieved, optimal, forced

Of each lower bound of the catalogue: what implemented mechanisms achieve on its hard instances, by their exact laws, what
the best private mechanism does, by an exact linear program, and what the bound forces every one to stay below. Numbers
are to three digits; the verdicts rest on exact ones. See [lower bounds](lower-bounds.md).

{tables}
`python -m tests.catalogue.pages.lower_bounds_table` writes this page.
"""


def page(results: Sequence[LowerBoundResult]) -> str:
    """The page, as Markdown."""
    return _TEXT.format(tables="\n".join(map(section, results)))


def section(result: LowerBoundResult) -> str:
    """What the page says of one lower bound."""
    why = result.refutation.sentences if result.refutation is not None else ""
    lines = [
        f"## {result.id}",
        "",
        f"**{result.verdict}**: {result.statement}. {why}".rstrip(),
        "",
        *markdown_table(result),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page([claim.decide() for claim in lower_bounds()]), encoding="utf-8")
