"""What a function holds is compared part by part, also where it is looked at in one step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dpverify.mechanisms.reaching.held import HeldFunction


def renamed(function: Any, old: str, new: str) -> None:
    """Put an annotation back under its first name."""
    function.__annotations__[new] = function.__annotations__.pop(old)


QUALIFIED = "changed_and_back.<locals>.function"


def changed_and_back(change: Callable[[Any], object], back: Callable[[Any], object]) -> tuple[bool, bool, bool]:
    """True where a function is seen to be changed: before a change, after it, and when it is taken back."""

    def function(x: int) -> int:
        return x

    function.__annotations__ = {"x": "int"}
    held = HeldFunction("function", function)
    seen = [held.changed() is not None]
    change(function)
    seen.append(held.changed() is not None)
    back(function)
    return seen[0], seen[1], held.changed() is not None


@pytest.mark.parametrize(
    ("change", "back"),
    [
        (lambda f: setattr(f, "count", 1), lambda f: delattr(f, "count")),
        (lambda f: f.__annotations__.update(y="int"), lambda f: f.__annotations__.pop("y")),
        (lambda f: f.__annotations__.update(x=1), lambda f: f.__annotations__.update(x="int")),
        (lambda f: f.__annotations__.update(z=f.__annotations__.pop("x")), lambda f: renamed(f, "z", "x")),
        (lambda f: setattr(f, "__defaults__", (1,)), lambda f: setattr(f, "__defaults__", None)),
        (lambda f: setattr(f, "__kwdefaults__", {"k": 1}), lambda f: setattr(f, "__kwdefaults__", None)),
        (lambda f: setattr(f, "__doc__", "1"), lambda f: setattr(f, "__doc__", None)),
        (lambda f: setattr(f, "__qualname__", "g"), lambda f: setattr(f, "__qualname__", QUALIFIED)),
        (lambda f: setattr(f, "__module__", "g"), lambda f: setattr(f, "__module__", __name__)),
    ],
    ids=["attribute", "note", "another note", "its name", "default", "keyword", "text", "qualified", "module"],
)
def test_each_part_of_a_function(change: Callable[[Any], object], back: Callable[[Any], object]) -> None:
    assert changed_and_back(change, back) == (False, True, False)
