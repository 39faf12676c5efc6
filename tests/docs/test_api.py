"""The public face: at most sixty names and what published programs name, each on the page and in use elsewhere in the docs, once and nowhere else."""

import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
from docs.pages.rooms_page import PAGE, WITHOUT_DOCSTRING, page
from tests.examples import in_one

from dpverify.mechanisms.exported import EXPORTING_PACKAGES, FACES

ROOT = Path(__file__).parents[2]
API = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")

IN_A_ROOM_AS_WELL = {"AtLeast"}
"""A law is asked about it, as about the other events of `dpverify.mechanisms.outputs`, and a witness names it."""

NAMED_BY_PUBLISHED_PROGRAMS = IN_A_ROOM_AS_WELL | {
    *("exponential_noise", "folded", "gumbel", "staircase", "truncated_laplace", "uniform_noise")
}
"""What the programs of `tests/outside` name besides: `from dpverify.mechanisms import *` is all that they write."""

THE_PAGE_ITSELF = ("api.md", "algorithms.md", "coverage.md")


def exported(package: str) -> list[str]:
    names: list[str] = import_module(package).__all__
    return names


def packages() -> set[str]:
    return {
        path.parent.name
        for package in ("mechanisms", "verifiers", "reports")
        for path in (ROOT / package).rglob("__init__.py")
    }


def code_of_the_docs() -> str:
    """What stands as code in the README, in the pages but the two that list names, and in the examples."""
    pages = [path for path in (ROOT / "docs").rglob("*.md") if path.name not in THE_PAGE_ITSELF]
    prose = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *pages))
    blocks = re.findall(r"^```python\n(.*?)^```$", prose, re.DOTALL | re.MULTILINE)
    scripts = [path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "examples").rglob("*.py")]
    return "\n".join([*blocks, *re.findall(r"`([^`\n]+)`", prose), *scripts])


def test_the_face_has_at_most_sixty_names_and_those_of_published_programs() -> None:
    mechanisms, verifiers, reports = map(exported, FACES)
    assert {*mechanisms, *verifiers} >= NAMED_BY_PUBLISHED_PROGRAMS
    assert 40 <= len(mechanisms) + len(verifiers) - len(NAMED_BY_PUBLISHED_PROGRAMS) <= 60
    assert len(reports) <= 5


def test_no_name_is_exported_twice() -> None:
    counted = Counter(name for package in (*FACES, *EXPORTING_PACKAGES) for name in exported(package))
    assert {name for name, times in counted.items() if times > 1} == IN_A_ROOM_AS_WELL


def test_no_two_exports_are_one_thing() -> None:
    members = {
        name: id(getattr(import_module(package), name))
        for package in (*FACES, *EXPORTING_PACKAGES)
        for name in exported(package)
    }
    assert max(Counter(members.values()).values()) == 1


@pytest.mark.parametrize("package", FACES)
def test_the_page_has_each_name_once_where_it_is_imported_from(package: str) -> None:
    listed: list[str] = []
    for heading, text in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", API, re.DOTALL | re.MULTILINE):
        if heading.endswith(f": `{package}`"):
            rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", text, re.MULTILINE)
            listed += [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(exported(package))


def test_each_name_of_the_face_is_in_use_elsewhere_in_the_docs() -> None:
    used = set(re.findall(r"\w+", code_of_the_docs()))
    assert [name for package in FACES for name in exported(package) if name not in used] == []


def test_the_page_of_the_packages_follows_their_docstrings() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m docs.pages.rooms_page"


def test_no_package_has_the_name_of_what_the_face_exports() -> None:
    named_alike = packages() & {name for package in FACES for name in exported(package)}
    assert named_alike == set()


@in_one("package", EXPORTING_PACKAGES)
def test_no_package_in_a_package_has_the_name_of_what_it_exports(package: str) -> None:
    folder = ROOT.joinpath(*package.split(".")[1:])
    assert {path.parent.name for path in folder.glob("*/__init__.py")} & set(exported(package)) == set()


@in_one("package", (*FACES, *EXPORTING_PACKAGES))
def test_every_name_resolves_to_what_says_what_it_is(package: str) -> None:
    for name in exported(package):
        if name not in WITHOUT_DOCSTRING:  # types that have another name
            assert getattr(import_module(package), name).__doc__, name


@in_one(
    "package, name, home",
    [
        ("dpverify.mechanisms", "learn_points", "dpverify.mechanisms.learners"),
        ("dpverify.mechanisms", "check_privacy", "dpverify.verifiers"),
        ("dpverify.verifiers", "exp", "dpverify.mechanisms"),
        ("dpverify.verifiers", "neighbour_matrix", "dpverify.verifiers.profiles"),
        ("dpverify.mechanisms.learners", "svt1", "dpverify.mechanisms.selection"),
        ("dpverify.reports", "audit", "dpverify.verifiers"),
    ],
)
def test_a_name_in_the_wrong_package_is_refused_with_the_right_one(package: str, name: str, home: str) -> None:
    with pytest.raises(AttributeError, match=f": {name} is in {home}: write from {home} import {name}$"):
        getattr(import_module(package), name)


@in_one("package", (*FACES, *EXPORTING_PACKAGES))
def test_a_name_that_is_nowhere_is_an_attribute_error(package: str) -> None:
    with pytest.raises(AttributeError):
        import_module(package).learn_nothing  # noqa: B018
