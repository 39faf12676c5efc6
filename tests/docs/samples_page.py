"""The page of samples, docs/samples.md, from their registry: `python -m tests.docs.samples_page` writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from dpverify.mechanisms.functions.samples import SAMPLES, SampleRow

PAGE: Final = Path(__file__).parents[2] / "docs" / "samples.md"

HEAD: Final = """# Samples

What is PROVED rests on no sample. But beside a proof, and where there is none, dpverify looks at some of many things: at
some databases, orders of rows, paths, numbers. Here is each such sample: what it is for, how large it is, where it is
taken, and what it cannot detect. The page is written by `python -m tests.docs.samples_page` from the registry that the
checks themselves ask for the size, `mechanisms/functions/samples.py`. For each of them a test plants a program that
differs in one place: the sample finds it, and with size 0 does not (`tests/test_samples.py`).

Not here are searches after which all is decided anyway, such as pairs that may refute a mutant at once, and points of a
step that may refute it; draws of a sampled audit, whose verdict says its confidence; and mutants, of which `mutate` says
how many were tried.
"""


def page() -> str:
    """The page as it is to be."""
    return HEAD + "".join(map(_section, SAMPLES.values()))


def _section(sample: SampleRow) -> str:
    lines = (
        sample.purpose,
        "",
        f"- **Size**: {sample.size:,} {sample.counts}.",
        f"- **Where**: {sample.where}.",
        f"- **Cannot detect**: {sample.misses}.",
    )
    return f"\n## {sample.name[0].upper()}{sample.name[1:]}\n\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
