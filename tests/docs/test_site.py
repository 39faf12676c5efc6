"""The site of the pages, which `make site` builds: nothing that a reader looks for is left out of it.

The build itself needs an environment of its own, which it fetches, and half a minute: no test may. What makes it fail is
here as far as it can be told without it: settings that name what is not there, headings that skip a level, and docstrings
that are no longer what they were written as. Links are followed by `tests/test_readme.py`.
"""

import inspect
import re
import runpy
from functools import cache
from importlib import import_module, metadata
from itertools import pairwise
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from tests.examples import in_one

from dpverify.mechanisms.exported import EXPORTING_PACKAGES, FACES

ROOT = Path(__file__).parents[2]
DOCS = sorted(page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md"))
INDEX = (ROOT / "docs" / "site" / "index.rst").read_text(encoding="utf-8")


@in_one("page", sorted((ROOT / "docs").rglob("*.md")))
def test_every_page_is_in_the_contents(page: Path) -> None:
    name = page.relative_to(ROOT).with_suffix("").as_posix()
    assert re.search(rf"^   (.* <)?/{re.escape(name)}>?$", INDEX, flags=re.MULTILINE)


def test_the_contents_name_nothing_else() -> None:
    for name in re.findall(r"^   (?:.* <)?/([\w/.-]+)>?$", INDEX, flags=re.MULTILINE):
        assert (ROOT / f"{name}.md").is_file()


@cache
def reference() -> dict[str, str]:
    """The pages of the reference that `make site` writes, by name."""
    pages: dict[str, str] = runpy.run_path(str(ROOT / "docs" / "site" / "reference.py"))["pages"]()
    return pages


def test_the_reference_is_of_all_that_is_exported_once() -> None:
    shown = [
        f"{page.partition('.. currentmodule:: ')[2].partition(chr(10))[0]}.{name}"
        for page in reference().values()
        for name in re.findall(r"^\.\. (?:auto\w+|py:data):: (\w+)$", page, flags=re.MULTILINE)
    ]
    of_faces = [f"{face}.{name}" for face in FACES for name in exported(face)]
    known = {name.rpartition(".")[2] for name in of_faces}  # what a package exports as well is shown once
    of_packages = [
        f"{package}.{name}" for package in EXPORTING_PACKAGES for name in exported(package) if name not in known
    ]
    assert sorted(shown) == sorted([*of_faces, *of_packages])


def test_every_page_of_the_reference_is_in_its_contents() -> None:
    index = reference()["index"]
    assert "   reference/index\n" in INDEX
    assert sorted(re.findall(r":doc:`(\S+)`", index)) == sorted(set(reference()) - {"index"})


def test_no_page_of_the_reference_has_more_names_than_can_be_looked_over() -> None:
    assert max(len(re.findall(r"^\.\. \S+:: ", page, flags=re.MULTILINE)) for page in reference().values()) <= 8


def exported(package: str) -> list[str]:
    names: list[str] = import_module(package).__all__
    return names


@cache
def settings() -> dict[str, Any]:
    """What Sphinx is told; the file imports nothing of it."""
    return runpy.run_path(str(ROOT / "docs" / "site" / "conf.py"))


def test_the_settings_name_what_is_there() -> None:
    told = settings()
    assert (ROOT / f"{told['root_doc']}.rst").is_file()
    for pattern in told["include_patterns"] + told["exclude_patterns"]:
        assert any(ROOT.glob(pattern)), pattern
    locked = set(re.findall(r"^([\w-]+)==", (ROOT / "requirements-site.lock").read_text("utf-8"), flags=re.MULTILINE))
    extensions = {name.partition(".")[0].replace("_", "-") for name in told["extensions"]}
    assert {*extensions, told["html_theme"]} <= locked
    assert told["version"] == told["release"] == metadata.version("dpverify")


@in_one("page", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", *(f"docs/{name}" for name in DOCS)])
def test_headings_begin_at_the_first_level_and_skip_none(page: str) -> None:
    """Of anything else the build warns, and fails."""
    tokens = MarkdownIt().parse((ROOT / page).read_text("utf-8"))
    levels = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert levels.count(1) == 1


@in_one("package", [import_module(name) for name in (*FACES, *EXPORTING_PACKAGES)])
def test_a_docstring_means_on_the_site_what_it_means_in_the_code(package: Any) -> None:
    """What is between backquotes is code, all else is text: neither emphasis nor references are made of it."""
    for name in package.__all__:
        lines = (inspect.getdoc(getattr(package, name)) or "").split("\n")
        written = "\n".join(lines)
        settings()["as_it_is_written"](None, "", name, None, {}, lines)
        shown = "\n".join(lines)
        examples = re.findall(r"(?:(?<=\n\n)|^)>>> (?:.|\n(?! *\n))+", written)
        for example in examples:
            assert example in shown
            written, shown = written.replace(example, ""), shown.replace(example, "")
        code = re.findall(r"``(.+?)``", shown, flags=re.DOTALL)
        assert [" ".join(one.split()) for one in re.findall(r"`([^`]+)`", written)] == code, name
        text = re.sub(r"\\ ``.+?``\\ ", "", shown, flags=re.DOTALL)
        assert re.sub(r"\\(.)", r"\1", text) == re.sub(r"`[^`]+`", "", written), name
        assert not re.search(r"(?<!\\)[*|_`]", text.replace("\\\\", "")), name


def test_a_page_in_few_bytes_says_the_same() -> None:
    settings = runpy.run_path(str(ROOT / "docs" / "site" / "conf.py"))
    body = (
        '<h2>A <code class="docutils literal notranslate"><span class="pre">b</span> <span class="pre">c</span></code>'
        '<a class="headerlink" href="#a" title="Link to this heading">¶</a></h2><table><tr class="row-odd"><td><p>one</p>'
        '</td><td><p>two</p><p>three</p></td></tr></table><pre><span class="n">x</span><span class="w"> </span>'
        '<span class="o">=</span><span class="p">(</span></pre><a href="b.html"><span class="std std-doc">d</span></a>'
    )
    context = {"body": body}
    settings["in_few_bytes"](None, "a", "page.html", context, None)
    assert re.sub("<[^>]*>", "", context["body"]) == re.sub("<[^>]*>", "", body)
    assert context["body"] == (
        '<h2>A <code class="literal">b c</code><a class="headerlink" href="#a">¶</a></h2><table><tr><td>one</td>'
        '<td><p>two</p><p>three</p></td></tr></table><pre>x <span class="o">=</span>(</pre><a href="b.html">d</a>'
    )
    empty: dict[str, Any] = {}
    settings["in_few_bytes"](None, "search", "search.html", empty, None)
    assert empty == {}


def test_the_committed_audit_is_divided_by_paper() -> None:
    site = runpy.run_path(str(ROOT / "docs" / "site" / "audit_pages.py"))
    text = (ROOT / "reports" / "results" / "audit.md").read_text(encoding="utf-8")
    first, papers = site["divided"](text)
    assert set(papers) == {"BNS-J", "BNS-X", "BuNS", "CHS", "HRS", "LICS20", "LSL"}
    assert sorted("".join([first, *papers.values()])) == sorted(text)
    for name, part in papers.items():
        assert set(re.findall(r"^(?:## |\| `)([A-Z]\w*(?:-[JX])?)-", part, flags=re.MULTILINE)) <= {name}
    source = [text]
    site["in_parts"](None, "reports/results/audit", source)
    assert source[0].startswith(first) and source[0].count(".markdown)") == len(papers)
