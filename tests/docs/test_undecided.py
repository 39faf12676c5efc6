"""The page of what is left undecided: each reason in the code stands on it, and its examples are undecided."""

import ast
import linecache
from typing import Any

import pytest
from docs.pages.undecided_page import GROUPS, PAGE, Group, group_of, page, reasons, shown

from dpverify import mechanisms, verifiers
from dpverify.verifiers import Status


def test_each_reason_is_in_one_group_and_on_the_page() -> None:
    found = reasons()
    assert len(found) > 100
    assert {file for file, _ in found if group_of(file) is None} == set()
    assert all(any(group_of(file) is group for file, _ in found) for group in GROUPS)
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m docs.pages.undecided_page"


def test_what_is_put_in_is_not_said() -> None:
    expression = ast.parse("f'more than {count:,} of ' + name + ' are left'", mode="eval").body
    assert shown(expression) == "more than … of … are left"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.title)
def test_each_example_is_undecided_for_that_reason(group: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    packages: list[Any] = [mechanisms, verifiers]
    names = {name: getattr(package, name) for package in packages for name in package.__all__}
    *definition, call = group.example.split("\n")
    monkeypatch.setitem(linecache.cache, "<example>", (0, None, [f"{line}\n" for line in definition], "<example>"))
    exec(compile("\n".join(definition), "<example>", "exec", dont_inherit=True), names)
    verdict = eval(compile(call, "<example>", "eval"), names)
    assert verdict.status is Status.UNDECIDED
    assert verdict.reason.startswith(group.says), verdict.reason
