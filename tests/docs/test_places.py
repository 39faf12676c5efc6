"""What pages say of places is so: headings that are linked to, modules, names in modules, and files."""

import re
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

from tests.examples import in_one

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOLDERS = ("mechanisms", "verifiers", "reports", "tests", "docs")
NEVER_THERE = {"mylib.py", "claims_mylib.py", "stability/privacy.py"}
"""Files of a reader's own, and one of a layout that was not taken."""

pages = in_one("page", PAGES)


@cache
def files_there() -> frozenset[str]:
    return frozenset(f"/{path.relative_to(ROOT)}" for folder in FOLDERS for path in (ROOT / folder).rglob("*.*"))


def without_blocks(text: str) -> str:
    return re.sub(r"^```.*?^```\n", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(text: str) -> set[str]:
    """Of the headings of a page, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.*)$", without_blocks(text), flags=re.MULTILINE)
    shown = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in shown}


def is_there(dotted: str) -> bool:
    """Whether it is a module, or a name in one."""
    room, _, name = dotted.rpartition(".")
    with suppress(ImportError):
        import_module(dotted)
        return True
    with suppress(ImportError):
        return hasattr(import_module(room), name)
    return False


@pages
def test_a_heading_that_is_linked_to_is_there(page: Path) -> None:
    for link, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)]+)\)", page.read_text("utf-8")):
        target = page.parent / link if link else page
        assert target.suffix != ".md" or anchor in anchors(target.read_text("utf-8")), f"{link}#{anchor}"


@pages
def test_a_module_that_is_named_is_there(page: Path) -> None:
    code = "\n".join(re.findall(r"`([^`]+)`", without_blocks(page.read_text("utf-8"))))
    for dotted in re.findall(r"(?<![\w/.])dpverify(?:\.\w+)+(?!\.\w)", code):
        assert is_there(dotted), dotted


@pages
def test_a_name_is_in_the_module_that_it_is_said_to_be_of(page: Path) -> None:
    prose = " ".join(without_blocks(page.read_text("utf-8")).split())
    for code, module in re.findall(r"`([^`]+)`,? (?:of|from) `(dpverify(?:\.\w+)+)`", prose):
        for name in re.findall(r"^(?:with )?([A-Za-z]\w+)(?=[^\w=]|$)", code):
            assert hasattr(import_module(module), name), f"{name} of {module}"


@pages
def test_a_file_that_is_named_is_there(page: Path) -> None:
    """With its folder, or by the end of its path."""
    if page.name == "CHANGELOG.md":  # of what was
        return
    there = files_there()
    for code in re.findall(r"`([\w./-]+\.(?:pyi?|html|css))`", without_blocks(page.read_text("utf-8"))):
        known = code in NEVER_THERE or code.startswith("site/") or (ROOT / code).exists()  # which `make site` makes
        assert known or any(path.endswith(f"/{code}") for path in there), code


def test_what_is_nowhere_is_found() -> None:
    assert anchors("# A `b`, c: d_e\n```\n# no\n```\n## F/g\n") == {"a-b-c-d_e", "fg"}
    assert is_there("dpverify.mechanisms.laplace")
    assert is_there("dpverify.mechanisms.noise")
    assert not is_there("dpverify.mechanisms.debugging")
    assert not is_there("dpverify.exact.decision")
