"""How Sphinx makes a site of the pages of this repository, and a reference of the docstrings: `make site`."""

import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

project = "dpverify"
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
html_title = f"dpverify {version}"
html_theme = "furo"
html_copy_source = False
html_show_copyright = False
html_split_index = True

extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "docs/site/index"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**", "reports/results/*.md"]
exclude_patterns = ["docs/site/*.py"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown", ".markdown": "markdown"}
myst_heading_anchors = 4  # as pages link to one another's headings
pygments_style = "default"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}


def as_it_is_written(*given: Any) -> None:
    """Let a docstring mean what it says: `names` and examples are code, |x|, *, _ and backslashes are themselves."""
    lines = given[-1]
    parts = re.split(r"(\n *\n)", "\n".join(lines))
    said = [part if part.lstrip().startswith(">>> ") else re.sub(MARKS, _told, part) for part in parts]
    lines[:] = "".join(said).split("\n")


MARKS = r"`([^`]+)`|([*|_\\])"


def _told(found: re.Match[str]) -> str:
    return "\\" + found[2] if found[2] else f"\\ ``{' '.join(found[1].split())}``\\ "


def in_few_bytes(app: Any, page: str, template: str, context: dict[str, Any], document: Any) -> None:
    """Write a page without what no style asks for: marks of spaces, names and brackets in code, paragraphs in cells.

    They are a half of a long page.
    """
    if body := context.get("body"):
        short = re.sub(r'<span class="pre">([^<]*)</span>', r"\1", body)
        short = re.sub(
            r'<span class="(?:xref myst|xref download myst|std std-doc|std std-ref|doc|w|n|p)">([^<]*)</span>',
            r"\1",
            short,
        )
        short = re.sub(
            r"<(t[dh])([^>]*)><p>((?:(?!</?p>|</t[dh]>).)*)</p></\1>", r"<\1\2>\3</\1>", short, flags=re.DOTALL
        )
        short = short.replace(' title="Link to this heading"', "").replace(
            '<code class="docutils literal notranslate">', '<code class="literal">'
        )
        context["body"] = re.sub(r'<tr class="row-(?:odd|even)">', "<tr>", short)


def setup(app: Any) -> None:
    """See Sphinx. The pages of the reference, and those of the audit, are written before it looks for pages."""
    site = ROOT / "docs" / "site"
    runpy.run_path(str(site / "reference.py"))["write"](site / "reference")
    audit_pages = runpy.run_path(str(site / "audit_pages.py"))
    audit_pages["write"](site / "audit")
    app.connect("source-read", audit_pages["in_parts"])
    app.connect("autodoc-process-docstring", as_it_is_written)
    app.connect("html-page-context", in_few_bytes)
