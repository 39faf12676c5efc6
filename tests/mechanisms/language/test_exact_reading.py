"""Literals, `/` and `**` in trees: exact values, places as before, and trees that have none stay as they are."""

import ast
import math
import statistics
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import InputError, exp, laplace, log, sqrt
from dpverify.mechanisms.language.exact_reading import exact_literal, module_constants, runtime_names, transformed
from dpverify.mechanisms.language.numpy_names import meaning
from dpverify.mechanisms.language.reader import read
from dpverify.mechanisms.language.real_numbers import Float
from dpverify.mechanisms.numbers.plain_numbers import Real


def value_of(text: str, **names: Any) -> Any:
    tree = transformed(ast.parse(text, mode="eval"))
    code = compile(tree, "<test>", "eval")
    return eval(code, {**runtime_names(code), **names})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", Fraction(1, 2)),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("1 / 3 * 3", 1),
        ("True / 4", Fraction(1, 4)),
        ("2 ** -2", Fraction(1, 4)),
        ("9 ** 0.5", 3),
        ("2 ** 0.5", sqrt(2)),
        ("8 ** (1 / 3)", 2),
        ("7.5 // 2", 3),
        ("-0.25", Fraction(-1, 4)),
        ("x / 2", Fraction(1, 2)),
        ("[1.5, (2.5,)][1][0]", Fraction(5, 2)),
    ],
)
def test_numbers_are_those_that_the_source_means(text: str, value: Any) -> None:
    assert value_of(text, x=1) == value


@given(st.recursive(st.sampled_from(["0.5", "3", "0.1", "x"]), lambda t: st.tuples(t, st.sampled_from("+-*/"), t)))
def test_computing_is_that_of_fractions(tree: Any) -> None:
    def text(node: Any, number: str) -> str:
        return (
            number.format(node)
            if isinstance(node, str)
            else f"({text(node[0], number)}{node[1]}{text(node[2], number)})"
        )

    try:
        right = eval(text(tree, "F('{}')").replace("F('x')", "x"), {"F": Fraction, "x": Fraction(7, 3)})
    except ZeroDivisionError:
        return
    assert value_of(text(tree, "{}"), x=Fraction(7, 3)) == right


def test_a_tree_without_numbers_of_floats_is_the_same_object() -> None:
    tree = ast.parse("def f(x):\n    return x * 2 ** 3 // 4 + len(f'{x}') - 1e999\n")
    assert transformed(tree) is tree
    assert runtime_names(compile(tree, "<test>", "exec")) == {}


def test_places_are_as_before_and_the_given_tree_is_left() -> None:
    text = "def f(x):\n    y = 0.5\n    y /= x\n    return y / 2.0\n"
    tree = ast.parse(text)
    changed = transformed(tree)
    assert ast.unparse(tree) == ast.unparse(ast.parse(text))
    lines = {node.lineno for node in ast.walk(changed) if isinstance(node, ast.Call)}
    assert lines == {3, 4}
    code = compile(changed, "<test>", "exec")
    names = runtime_names(code)
    exec(code, names)
    assert names["f"](3) == Fraction(1, 12)


def test_names_within_a_class_are_not_mangled() -> None:
    tree = transformed(ast.parse("class C:\n    def f(self):\n        return 1 / 4 + 0.25\n"))
    code = compile(tree, "<test>", "exec")
    names = runtime_names(code)
    exec(code, names)
    assert names["C"]().f() == Fraction(1, 2)


def test_a_name_of_a_module_is_exact_if_it_is_bound_once_and_still_has_that_value() -> None:
    written = module_constants(ast.parse("A = 0.1\nB = 0.1\nB = 0.2\nC: float = 1 / 3\nD = f()\nwhile D:\n    E = 0.5"))
    assert {"A", "C"} <= written.keys()
    assert not {"B", "E"} & written.keys()
    assert exact_literal(0.1, written["A"]) == Fraction(1, 10)
    assert exact_literal(1 / 3, written["C"]) == Fraction(1, 3)
    assert exact_literal(0.2, written["A"]) == 0.2  # bound anew from outside
    assert type(exact_literal(0.2, written["A"])) is float


def test_functions_of_floats_are_exact_ones() -> None:
    functions = [meaning(f) for f in (math.exp, math.log, math.sqrt, float, math.log2, math.floor)]
    assert functions[0](1) == exp(1)
    assert functions[1](Real("0.5")) == -log(2)
    assert functions[2](Real("0.25")) == Real("0.5")
    assert functions[3]("0.1") == Fraction(1, 10)
    assert type(functions[3](2)) is Real
    assert functions[4](8) == 3
    assert functions[5] is math.floor
    assert meaning([]) == []
    assert meaning(fmpq(1, 2)) == fmpq(1, 2)


def test_a_number_of_floats_formats_and_tells_nothing_else() -> None:
    half = Real("0.5")
    assert f"{half:.2f} {half + 1:g}" == "0.50 1.5"
    for asked in (str, repr, Real.is_integer, lambda x: isinstance(x, Float), lambda x: f"{x}", lambda x: f"{x!r:>9}"):
        with pytest.raises(InputError):
            asked(half)
    tenth = Real("0.1")
    assert [type(x) for x in (tenth + 0.5, 0.5 * tenth, 1.5 // tenth)] == [float] * 3
    assert [tenth == 0.1, tenth < 0.1, tenth <= 0.1, tenth > -float("inf")] == [True, False, True, True]
    assert isinstance(0.5, Float)
    assert {type(x) for x in (half + 1, 1 - half, half * 2, -half, abs(half), half**2, 3 / half, half % 2)} == {Real}
    assert hash(half) == hash(Fraction(1, 2))


def with_deviation(draw: Any, rows: Any) -> Any:
    return statistics.mean(rows) + math.sqrt(statistics.variance(rows)) + draw(laplace(2))


def test_what_is_advised_in_place_of_statistics_of_floats_is_inside() -> None:
    def outside(draw: Any, rows: Any) -> Any:
        return statistics.fmean(rows) + statistics.stdev(rows)

    assert [place.instead for place in read(outside).outside] == [
        "write statistics.mean",
        "write math.sqrt(statistics.variance(…))",
    ]
    assert read(with_deviation).is_inside
