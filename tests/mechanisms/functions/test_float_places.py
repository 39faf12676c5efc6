"""The places that give floats: all of a function and its helpers at once, each with what to write."""

from __future__ import annotations

import math
from fractions import Fraction
from math import sqrt as root
from typing import Any

import numpy as np
import pytest

from dpverify.mechanisms import Draw, MechanismError, distribution, exp, laplace
from dpverify.mechanisms.functions.float_places import advice_on_floats


def halved(count: int) -> Any:
    return count * 0.25


def mean(draw: Draw, rows: Any) -> Any:
    n = len(rows)
    scale: Any = 1.5
    return sum(rows) / n + halved(n) + math.log(3) + root(2) + np.exp(1) + n**0.5 + draw(laplace(scale))


def exact(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    half = Fraction(1, 2)
    return half / 2 + exp(1) + sum(rows) / epsilon + draw(laplace(1 / epsilon))


def first_line(function: Any) -> int:
    return int(function.__code__.co_firstlineno)


def test_all_places_are_named_with_what_to_write() -> None:
    said = advice_on_floats(mean, None) or ""
    first = first_line(mean)
    assert said.startswith(f"line {first_line(halved) + 1}: `0.25` gives a float, write `Fraction(1, 4)`; ")
    assert f"line {first + 2}: `1.5` gives a float, write `Fraction(3, 2)`" in said
    assert "and 2 more such places" in said
    places = "`math.log(3)`", "`n ** 0.5`", "`np.exp(1)`", "`root(2)`", "`sum(rows) / n`"
    assert sum(place in said for place in places) == 3


def test_one_message_of_a_refused_float_has_them() -> None:
    with pytest.raises(MechanismError, match=r"is a float, which is not exact: line \d+: `0\.25` .*\[float-used\]"):
        distribution(mean, (0, 1))


@pytest.mark.parametrize(
    ("code", "instead"),
    [
        ("sum(rows) / n", "Fraction(sum(rows), n)"),
        ("math.log(3)", "log(3)` with log of dpverify.mechanisms"),
        ("np.mean(rows)", "Fraction(sum(rows), len(rows))"),
        ("n ** 0.5", "sqrt(n)` with sqrt of dpverify.mechanisms"),
        ("2.0", "2"),
        ("1e-05", "Fraction(1, 100000)"),
    ],
)
def test_each_kind_of_place(tmp_path: Any, code: str, instead: str) -> None:
    path = tmp_path / "own.py"
    path.write_text(f"import math\nimport numpy as np\ndef f(draw, rows):\n    n = len(rows)\n    return {code}\n")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    said = advice_on_floats(names["f"], None) or ""
    assert said.startswith(f"line 5: `{code}` gives a float, write `{instead}")
    assert said.count("line ") == 1


def test_exact_quotients_and_what_has_no_source_are_not_named() -> None:
    assert advice_on_floats(exact, None) is None
    assert advice_on_floats(len, None) is None
    assert advice_on_floats(eval("lambda draw, rows: 0.5"), None) is None
