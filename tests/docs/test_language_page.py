"""The pages of the language: they are as they would be written now, and their examples are inside, and run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from docs.pages.language_examples import DIFFERENCES, EXAMPLES, OUTSIDE, OUTSIDE_START, ROWS, START, Difference, Example
from docs.pages.language_page import PAGES, module_of, outside_of

from dpverify.mechanisms import distribution, run
from dpverify.mechanisms.language.reader import read


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_as_the_tables_are(path: Path) -> None:
    page: Callable[[], str] = PAGES[path]
    assert path.read_text(encoding="utf-8") == page(), "run python -m docs.pages.language_page"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.group)
def test_an_example_of_each_group_is_inside_and_runs(example: Example, tmp_path: Path) -> None:
    module = module_of(f"{START}\n{example.code}\n", tmp_path)
    *_, mechanism = (value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__)
    assert example.group.rpartition(".")[2] in example.code or example.group == "builtins" or example.group[0].isupper()
    assert read(mechanism).outside == ()
    assert distribution(mechanism, (0, 1, 1)).probability(run(mechanism, (0, 1, 1))) > 0


def _mechanism(one: Difference, folder: Path) -> Callable[..., object]:
    *_, mechanism = vars(module_of(f"{one.code}\n", folder)).values()
    return mechanism  # type: ignore[no-any-return]


@pytest.mark.parametrize("one", DIFFERENCES, ids=lambda one: one.title)
def test_examples_of_differences_give_what_the_page_says(one: Difference, tmp_path: Path) -> None:
    mechanism = _mechanism(one, tmp_path)
    assert read(mechanism).outside == ()
    assert run(mechanism, ROWS) == one.outcome
    assert distribution(mechanism, ROWS).probability(one.outcome) == 1


@pytest.mark.parametrize("body", [body for body, _ in OUTSIDE])
def test_a_frequent_construct_is_outside_in_its_own_line(body: str) -> None:
    places = outside_of(body)
    first = OUTSIDE_START.count("\n") + 2
    assert places
    assert all(first <= each.line < first + len(body.splitlines()) for each in places)
