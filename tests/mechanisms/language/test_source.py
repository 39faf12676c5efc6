"""The source of a function is what runs, or it is outside, and the message says why."""

import ast
import doctest
import importlib.util
import linecache
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from dpverify.mechanisms.language.reader import read
from dpverify.mechanisms.language.source import NoSource, tree_of


def imported(path: Path, text: str, name: str = "read_here") -> Any:
    path.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def named(function: Any) -> str:
    tree: Any = tree_of(function)
    return str(tree.name)


def why(function: Any) -> str:
    with pytest.raises(NoSource) as caught:
        tree_of(function)
    return str(caught.value)


def test_a_function_of_a_file(tmp_path: Path) -> None:
    module = imported(tmp_path / "m.py", "x = 1\n\ndef f(draw, rows):\n    return len(rows)\n")
    tree: Any = tree_of(module.f)
    assert (tree.name, tree.lineno, tree.body[0].lineno) == ("f", 3, 4)


def test_a_function_with_decorators_and_one_within(tmp_path: Path) -> None:
    module = imported(
        tmp_path / "m.py",
        """
        def keep(f):
            return f

        @keep
        @keep
        def f():
            def inner(x):
                return x
            return inner
        """,
    )
    assert named(module.f) == "f"
    assert named(module.f()) == "inner"


def test_each_of_several_lambdas_on_a_line(tmp_path: Path) -> None:
    module = imported(tmp_path / "m.py", "fs = [lambda x: x + 1, lambda x: x + 2, lambda x: (lambda y: x + y)]\n")
    columns = [tree_of(f).col_offset for f in (*module.fs, module.fs[2](1))]
    assert columns == sorted({*columns})


def test_each_of_several_constant_lambdas_on_a_line(tmp_path: Path) -> None:
    """Python 3.12 says no place of their code."""
    written = (
        "lambda: True",
        "lambda: 1",
        "lambda: 0.0",
        "lambda: -0.0",
        "lambda x: 1",
        "lambda: (1, True)",
        "lambda: 1",
    )
    module = imported(tmp_path / "m.py", f"fs = [{', '.join(written)}]\n")
    assert [ast.unparse(tree_of(f)) for f in module.fs] == [*written]


def test_a_test_module_whose_assertions_pytest_rewrites() -> None:
    def f(draw: Any, rows: Any) -> Any:
        assert len(rows) > 0
        return rows[0]

    assert [*map(named, (f, test_any_difference_is_seen))] == ["f", "test_any_difference_is_seen"]


def test_a_file_that_changed(tmp_path: Path) -> None:
    module = imported(tmp_path / "m.py", "def f(draw, rows):\n    return len(rows)\n")
    (tmp_path / "m.py").write_text("def f(draw, rows):\n    return sum(rows)  # other\n")
    assert why(module.f) == "its file has changed since it was imported"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1", "2"),
        ("+0.0", "-0.0"),
        ("0x1", "1.0"),
        ("(1, 2)", "123456"),
        ("(1, 'a')", "(1, 'b')"),
        ("lambda: 1", "lambda: 2"),
        ("rows", "draw"),
    ],
)
def test_any_difference_is_seen(tmp_path: Path, before: str, after: str) -> None:
    module = imported(tmp_path / "m.py", f"def f(draw, rows):\n    return {before}\n")
    (tmp_path / "m.py").write_text(f"def f(draw, rows):\n    return {after}\n")
    assert "has changed" in why(module.f)


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    module = imported(tmp_path / "m.py", "def f(draw, rows):\n    return 0\n")
    (tmp_path / "m.py").unlink()
    assert why(module.f) == "its file cannot be read"


def test_a_file_that_this_python_cannot_read(tmp_path: Path) -> None:
    module = imported(tmp_path / "m.py", "def f(draw, rows):\n    return 0\n")
    (tmp_path / "m.py").write_text("def f(draw, rows):\n    return 0\n\nsyntax of another Python\n")
    assert "no source that this Python" in why(module.f)
    assert "(line 4)" in why(module.f)


def test_text_that_was_given_to_exec() -> None:
    names: dict[str, Any] = {}
    exec("def f(draw, rows):\n    return 0\n", names)
    assert "given to exec" in why(names["f"])


def test_a_patched_code(tmp_path: Path) -> None:
    module = imported(tmp_path / "m.py", "def f(draw, rows):\n    return 0\n\ndef g(draw, rows):\n    return 1\n")
    module.f.__code__ = module.g.__code__.replace(co_name="f", co_qualname="f", co_firstlineno=1)
    assert "has changed" in why(module.f)


def test_an_async_function(tmp_path: Path) -> None:
    module = imported(tmp_path / "m.py", "async def f(draw, rows):\n    return 0\n")
    assert why(module.f) == "an async function"


def test_a_cell_of_a_notebook() -> None:
    text = "from __future__ import annotations\ndef f(draw, rows: int):\n    return len(rows)\n"
    linecache.cache["<cell 1>"] = len(text), None, text.splitlines(keepends=True), "<cell 1>"
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, "<cell 1>", "exec"), names)
    assert named(names["f"]) == "f"


def test_an_example_of_a_docstring() -> None:
    found: list[str] = []
    text = ">>> def f(draw, rows):\n...     return len(rows)\n>>> found.append(named(f))\n"
    test = doctest.DocTestParser().get_doctest(text, {"found": found, "named": named}, "example", None, 0)
    doctest.DocTestRunner().run(test)
    assert found == ["f"]


@pytest.mark.parametrize("options", [[], ["-O"]])
def test_text_of_the_command_line_and_a_file_that_is_run(tmp_path: Path, options: Any) -> None:
    text = textwrap.dedent(
        """
        from dpverify.mechanisms.language.reader import read
        def f(draw, rows):
            assert rows
            return rows[0]
        print(read(f).is_inside)
        """
    )
    (tmp_path / "m.py").write_text(text)
    for way in (["-c", text], [str(tmp_path / "m.py")]):
        done = subprocess.run([sys.executable, *options, *way], capture_output=True, text=True, check=True)
        assert done.stdout == "True\n"


def test_the_place_of_a_function_without_source() -> None:
    names: dict[str, Any] = {}
    exec("\ndef f(draw, rows):\n    return 0\n", names)
    (place,) = read(names["f"]).outside
    assert (place.file, place.line, place.function) == ("<string>", 2, "f")
    assert place.instead
