"""Pages for readers are short, each page says of which kind it is, and texts use the words of the field.

A text that a person reads is the README, a page for readers, `--help` of a command, or a message. Messages are read where
they are listed: on the pages of errors and of reasons of UNDECIDED, which are generated from the code.
"""

import ast
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.examples import in_one

from dpverify.verifiers.command_line import main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

FOR_READERS = (
    "README.md",
    *(
        f"docs/{name}.md"
        for name in [
            "README",
            "installing",
            "tutorial",
            "writing-mechanisms",
            "choosing-a-domain",
            "real-data",
            "ci",
            "command-line",
            "gallery",
            "relations",
            "adapting-existing-code",
            "auditing-libraries",
            "all-sizes",
            "composites",
            "how-it-decides",
            "optimal",
            "lower-bounds",
            "large-audits",
            "reviewing",
            "api",
            "gaussian",
            "words",
            "comparison",
            "gallery/choosing",
            "gallery/counts",
            "gallery/one-person",
            "gallery/programs",
            "examples/README",
        ]
    ),
)
"""Pages for readers, of which those that are not written yet are passed over."""
WORDS_OF_PAGES_FOR_READERS = 25_000
"""At most so many words, without blocks of code and output. It may only fall."""
GENERATED = {
    "algorithms": "python -m docs.pages.rooms_page",
    "all-sizes-catalogue": "python -m docs.pages.papers.scope_table",
    "benchmark": "python -m docs.pages.benchmark_page",
    "coverage": "python -m docs.pages.papers.coverage_table",
    "differences-from-python": "python -m docs.pages.language_page",
    "degrees": "python -m docs.pages.papers.degrees_table",
    "errors": "python -m docs.pages.errors_page",
    "first-value": "python -m docs.pages.first_value docs",
    "gaussian-published": "make performance UPDATE=1",
    "large-margin": "make figures",
    "lower-bounds-catalogue": "python -m docs.pages.papers.lower_bounds_table",
    "misprints": "python -m docs.pages.papers.misprints.table",
    "multi-learning": "python -m docs.pages.papers.multi_learning_table",
    "not-as-printed": "python -m docs.pages.papers.coverage_table",
    "outside-the-language": "python -m docs.pages.language_page",
    "papers": "python -m docs.pages.papers.items_table",
    "performance": "make performance UPDATE=1",
    "published-bugs": "python -m docs.pages.published_bugs_page",
    "ends": "python -m docs.pages.papers.ends.ends_table",
    "proof-lines": "python -m docs.pages.papers.proofs.lines_table",
    "proof-steps": "python -m docs.pages.papers.proof_steps_table",
    "range-dependence": "make figures",
    "range-lower-bound": "make figures",
    "sampled-bench": "make sampled",
    "samples": "python -m docs.pages.samples_page",
    "sparse-vector": "make figures",
    "undecided": "python -m docs.pages.undecided_page",
    "what-a-mechanism-may-contain": "python -m docs.pages.language_page",
}
"""Pages that a command writes: line 3 of each names it."""
REFERENCE = {
    "architecture": "Reference: the code. Written by hand.",
    "checker": "Reference: the checker. Written by hand.",
    "findings": "Reference: the papers. Written by hand.",
    "logarithms": "Reference: the papers. Written by hand.",
    "theorems": "Reference: the proofs. Written by hand.",
    "tracing": "Reference: the papers. Written by hand.",
}
"""Pages of reference that a person wrote, and how line 3 of each begins."""

TO_AVOID = (
    (r"laws?(?! of (?:a|the|that|one) noise)", "output distribution"),
    (r"found (?:ε|δ)", "tight ε on this domain, smallest δ"),
    (r"rows? comes? (?:and|or) goe?s?", "rows are added or removed"),
    (r"whole noises?", "discrete noise"),
    (r"real noises?", "continuous noise"),
    (r"cut noise|noise that is cut", "thresholded or truncated noise"),
    (r"folded", "reflected"),
    (r"again until it fits|until one fits", "rejection sampling"),
    (r"what comes after the noise", "post-processing"),
    (r"made of (?:parts|others)", "a composition"),
    (r"every size", "any number of rows"),
    (r"charts?", "symbolic domain"),
    (r"slack", "headroom"),
    (r"weak", "loose"),
    (r"bites?", "is sensitive to the noise"),
    (r"tightness", "tight ε over claimed ε"),
    (r"witness(?:es)?", "counterexample"),
    (r"kept state", "side effect"),
    (r"recheck(?:ed|s)?", "independent recomputation"),
    (r"hubs?", "centre"),
    (r"arms?", "leaf"),
    (r"strata|boxes", "cells, mixture components"),
    (r"bands?", "envelopes"),
    (r"forests?", "tree of path conditions"),
    (r"stars?(?! graph)", "star graph"),
    (r"told that", "given that, conditioned on"),
    (r"reach of", "coverage"),
    (r"shares? of (?:the|its) (?:noise|constant)", "noise multiplier"),
    (r"orthants?", "positivity on ℕⁿ"),
    (r"forced", "upper bound implied by the theorem"),
    (r"lifted", "realised by databases"),
    (r"rooms?", "package"),
    (r"floors?", "layer"),
    (r"roofs?|doors?|houses?", "architecture, entry point"),
    (r"as it lies", "unmodified"),
    (
        r"(?<!anything )(?<!something )(?<!nothing )(?<!everything )(?<!one )(?<!body )(?<!What )(?<!what )else",
        "otherwise",
    ),
    (r"anew", "again"),
    (r"of which", "name the noun"),
)
"""What stands in no text, as a pattern between boundaries of words, and what to write in its place."""


def prose(text: str) -> str:
    """A page without its blocks of code and output."""
    return re.sub(r"^```.*?^```\n", "", text, flags=re.DOTALL | re.MULTILINE)


def without_code(text: str) -> str:
    """What is read as words: no code, and no addresses of links."""
    return re.sub(r"`[^`]*`", "`…`", re.sub(r"\]\([^)]*\)", "]", prose(text)))


def to_avoid(text: str) -> list[str]:
    """The words to avoid in a text, each with what to write; `floor=…` is the name of an argument, and none of them."""
    return [
        f"{found[0]}: write {instead}"
        for pattern, instead in TO_AVOID
        for found in re.finditer(rf"(?<![\w.-])(?:{pattern})(?![\w=-])", text, flags=re.IGNORECASE)
    ]


def texts() -> dict[str, str]:
    there = [
        name for name in FOR_READERS if (ROOT / name).exists() and name != "docs/words.md"
    ]  # it has the papers' words
    pages = {name: without_code((ROOT / name).read_text("utf-8")) for name in there}
    messages = {f"docs/{name}.md": without_code((DOCS / f"{name}.md").read_text("utf-8")) for name in MESSAGES}
    return pages | messages | {f"dpverify {name} --help-all": help_of(name) for name in main.commands}


MESSAGES = ("errors", "undecided")


def raised(source: str) -> str:
    """The texts of what a module raises."""
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Raise) and node.exc is not None)
    texts = (
        " ".join(
            part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
        )
        for node in found
    )
    return "\n".join(texts)


def help_of(command: str) -> str:
    shown = CliRunner().invoke(main, [command, "--help-all"])
    if shown.exit_code:
        shown = CliRunner().invoke(main, [command, "--help"])
    assert shown.exit_code == 0, shown.output
    return re.sub(r"(?<![\w-])--?[a-z][\w-]*", "…", " ".join(shown.output.split()))  # options are names, not words


def test_pages_for_readers_have_few_words() -> None:
    words = {
        name: len(prose((ROOT / name).read_text("utf-8")).split()) for name in FOR_READERS if (ROOT / name).exists()
    }
    assert sum(words.values()) <= WORDS_OF_PAGES_FOR_READERS, words


def test_every_page_is_of_one_kind() -> None:
    readers = [name.removeprefix("docs/").removesuffix(".md") for name in FOR_READERS if name.startswith("docs/")]
    kinds = [*readers, *GENERATED, *REFERENCE]
    assert len(kinds) == len(set(kinds))
    there = {page.relative_to(DOCS).with_suffix("").as_posix() for page in DOCS.rglob("*.md")}
    assert there - set(kinds) == set()
    assert {*GENERATED, *REFERENCE} - there <= {"published-bugs"}


@in_one("name", [name for name in GENERATED if (DOCS / f"{name}.md").exists()])
def test_a_generated_page_names_its_command(name: str) -> None:
    line = (DOCS / f"{name}.md").read_text("utf-8").splitlines()[2]
    assert line == f"*Generated by `{GENERATED[name]}`.*"


@pytest.mark.parametrize("name", REFERENCE)
def test_a_page_of_reference_says_so(name: str) -> None:
    assert (DOCS / f"{name}.md").read_text("utf-8").splitlines()[2] == f"*{REFERENCE[name]}*"


def test_errors_that_are_raised_use_the_words_of_the_field() -> None:
    found: dict[str, list[str]] = {}
    for path in (path for face in ("mechanisms", "verifiers", "reports") for path in (ROOT / face).rglob("*.py")):
        source = path.read_text("utf-8")
        if "raise " in source and "catalogue" not in path.parts:
            found[path.relative_to(ROOT).as_posix()] = to_avoid(without_code(raised(source)))
    assert {name: words for name, words in found.items() if words} == {}


def test_the_glossary_has_each_term_once_in_alphabetical_order() -> None:
    text = (DOCS / "words.md").read_text("utf-8")
    table = text.partition("| --- | --- |\n")[2].partition("\n\n")[0]
    terms = [row.split("|")[1].partition("(")[0].strip().casefold().replace("-", "") for row in table.splitlines()]
    assert len(terms) > 30
    assert terms == sorted(set(terms))
    assert len([word for word in text.split() if word != "|"]) <= 900


def test_texts_use_the_words_of_the_field() -> None:
    found = {name: to_avoid(text) for name, text in texts().items()}
    assert {name: words for name, words in found.items() if words} == {}


def test_a_word_to_avoid_is_seen() -> None:
    assert to_avoid("The law is computed anew, else it fails.") == [
        "law: write output distribution",
        "else: write otherwise",
        "anew: write again",
    ]
    assert to_avoid(
        "Witnesses; weak; a star graph; the law of a noise; nothing else; leave-one-out; flawed; floor=1"
    ) == ["weak: write loose", "Witnesses: write counterexample"]
    assert to_avoid(without_code("`weak_because` and [words](anew.md)\n```\nlaw\n```\n")) == []
    assert prose("a\n```\nb\n```\nc\n") == "a\nc\n"
