"""The site of the pages, which `make site` builds: nothing that a reader looks for is left out of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INDEX = (ROOT / "docs" / "site" / "index.rst").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_every_page_is_in_the_contents(page: Path) -> None:
    name = page.relative_to(ROOT).with_suffix("").as_posix()
    assert re.search(rf"^   (.* <)?/{re.escape(name)}>?$", INDEX, flags=re.MULTILINE)


def test_the_contents_name_nothing_else() -> None:
    for name in re.findall(r"^   (?:.* <)?/([\w/.-]+)>?$", INDEX, flags=re.MULTILINE):
        assert (ROOT / f"{name}.md").is_file()


@pytest.mark.parametrize("package", ["mechanisms", "verifiers"])
def test_the_reference_is_of_all_that_a_package_exports(package: str) -> None:
    assert f"   {package}\n" in INDEX
    assert f".. automodule:: dpverify.{package}\n" in (ROOT / "docs" / "site" / f"{package}.rst").read_text()
