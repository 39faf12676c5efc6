"""Examples of the public names of the three faces, as the reference shows them below their docstrings: each is run."""

from __future__ import annotations

import doctest
import re
import runpy
from importlib import import_module
from pathlib import Path

from dpverify.mechanisms.exported import FACES

SITE = Path(__file__).parents[2] / "docs" / "site"
EXAMPLES = (SITE / "examples.txt").read_text(encoding="utf-8")
IN_DOCS_OF_THEIR_OWN = {"Lemma", "PacClaim", "Step", "check_lemma", "check_pac"}
"""Names whose examples take more than a few lines: docs/tutorial.md, docs/architecture.md and docs/proof-steps.md have examples."""


def test_examples_come_out_as_they_are_written() -> None:
    test = doctest.DocTestParser().get_doctest(EXAMPLES, {}, "examples.txt", None, 0)
    said: list[str] = []
    found = doctest.DocTestRunner().run(test, out=said.append)
    assert found.attempted > 100 and found.failed == 0, "".join(said)


def test_every_name_has_an_example_that_uses_it() -> None:
    written = dict(re.findall(r"^(\w+)\n-+\n\n(.*?)(?=^\w+\n-+$|\Z)", EXAMPLES, flags=re.DOTALL | re.MULTILINE))
    names = {name for face in FACES for name in import_module(face).__all__}
    assert set(written) - {"setup"} == names - IN_DOCS_OF_THEIR_OWN
    assert [name for name in names - IN_DOCS_OF_THEIR_OWN if not re.search(rf"\b{name}\b", written[name])] == []


def test_the_reference_shows_them() -> None:
    pages: dict[str, str] = runpy.run_path(str(SITE / "reference.py"))["pages"]()
    text = "\n".join(pages.values())
    assert "   .. code-block:: pycon\n\n      >>> law = Distribution(" in text
    assert text.count(">>> law = Distribution(") == 1
