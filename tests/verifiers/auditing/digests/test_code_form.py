"""The form of code: what changes it, what does not, and that it is the same in all versions of Python."""

from __future__ import annotations

import ast
import os
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest
from tests.examples import in_one

from dpverify.verifiers.auditing.digests import code_form
from dpverify.verifiers.auditing.digests.code_form import form_of_code

ROOT = Path(__file__).parents[4]

SAMPLE = '''\
"""Of all that versions of Python write otherwise."""
import os as system
from math import (inf,)

def told(draw, rows: "list[int]" = (), /, *more, epsilon=1_000, **others) -> str:
    """A docstring
       of two lines."""
    width, name = 10, "a"
    text = f"{name!r:>{width}} and {name=} {{braces}} " "joined" f"{'nested' + 'other'}" if rows else f"{name:}" f"x"
    count: int = 0
    nothing: int
    for i, (row, _) in enumerate(rows):
        count += (lambda row: row + i)(row) if not row else [j for j in range(3) if (k := j)][0]
    match rows:
        case [first, *rest] if rest:
            count = first
        case {"key": value, **remaining}:
            count = value
        case int() | str() as whole:
            count = whole
    try:
        raise ValueError("no") from None
    except (ValueError, KeyError) as error:
        text += str(error)
    finally:
        pass
    async def inner():
        nonlocal count
        global outer
        async with draw as drawn, name:
            count = outer = await drawn
        yield {**others, "a": 1, -1.5e300: 1j, b"\\x00": ..., None: True, 10**400: not count}
    return text[1:2, ::3], count if count else 0x_ff, inner, *more

@property
class Kept(dict, metaclass=type):
    attribute = name = 3
    def method(self):
        return self.attribute, name
'''

DIGEST = "20bedfa089cf73b6"
"""Of the sample's form, found with Python 3.11: whoever runs these tests with another version finds the same."""


def form(source: str) -> str:
    return ";".join(form_of_code(node) for node in ast.parse(source).body)


def of_function(source: str) -> str:
    (node,) = ast.parse(source).body
    return form_of_code(node, named=False)


def test_the_form_of_the_sample_is_the_same_in_this_version() -> None:
    assert sha256(form(SAMPLE).encode()).hexdigest()[:16] == DIGEST


OTHERS = sorted(
    python
    for folder in (Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions").glob("3.1[1-9]*")
    if (python := folder / "bin" / "python").is_file()
)

SCRIPT = """
import ast, importlib.util, sys
from hashlib import sha256
from pathlib import Path
spec = importlib.util.spec_from_file_location("code_form", sys.argv[1])
code_form = importlib.util.module_from_spec(spec)
spec.loader.exec_module(code_form)
for name in sys.argv[2:]:
    text = ";".join(code_form.form_of_code(node) for node in ast.parse(Path(name).read_text("utf-8")).body)
    print(sha256(text.encode()).hexdigest())
"""


@pytest.mark.parametrize("python", OTHERS, ids=lambda python: python.parts[-3])
def test_other_versions_of_python_find_the_same(python: Path, tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(SAMPLE)
    files = [tmp_path / "sample.py", *sorted((ROOT / "verifiers" / "catalogue" / "selection").glob("*.py"))[::6]]
    found = subprocess.run(
        [python, "-c", SCRIPT, code_form.__file__, *files],
        env={"PYTHONHASHSEED": "7", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    here = [sha256(form(file.read_text("utf-8")).encode()).hexdigest() for file in files]
    assert found.stdout.split() == here


WRITTEN = "def f(draw, rows, *, epsilon):\n    share = epsilon / 20\n    return draw(g, rows, epsilon=share)\n"


@pytest.mark.parametrize(
    "same",
    [
        "def f(draw, rows, *, epsilon):\n    # twenty\n    part = (epsilon / 20)\n    return draw(\n        g, rows, epsilon=part,\n    )\n",
        'def f(draw, rows, *, epsilon):\n    """Says so."""\n    share = epsilon / 20\n    "or here"\n    return draw(g, rows, epsilon=share)',
        "def f(draw: 'Draw', rows: tuple, *, epsilon) -> int:\n    share: Exact = epsilon / 0x14\n    return draw(g, rows, epsilon=share)",
        "def another_name(draw, rows, *, epsilon):\n    share = epsilon / 20\n    return draw(g, rows, epsilon=share)",
    ],
    ids=["layout, comments and a local name", "texts", "annotations", "what it is called"],
)
def test_what_does_not_change_the_form(same: str) -> None:
    assert of_function(same) == of_function(WRITTEN)


@in_one(
    "other",
    [
        WRITTEN.replace("20", "21"),
        WRITTEN.replace("20", "20.0"),
        WRITTEN.replace("20", "'20'"),
        WRITTEN.replace("/", "//"),
        WRITTEN.replace("epsilon=share", "eps=share"),
        WRITTEN.replace("epsilon=share", "epsilon=epsilon"),
        WRITTEN.replace("g, rows", "h, rows"),
        WRITTEN.replace("g, rows", "rows, g"),
        WRITTEN.replace("rows,", "rows=(),", 1),
        WRITTEN.replace("*, epsilon", "*, eps").replace("= epsilon", "= eps"),
        WRITTEN.replace("    return", "    if rows:\n        return"),
        WRITTEN.replace("    return ", "    "),
        "@cache\n" + WRITTEN,
        WRITTEN.replace("def", "async def"),
        WRITTEN.replace("    share =", "    global share\n    share ="),
        WRITTEN + "    return 0\n",
    ],
)
def test_what_changes_the_form(other: str) -> None:
    assert of_function(other) != of_function(WRITTEN)


def test_local_names_are_told_apart() -> None:
    """Two names that are changed for one another are other code, and so is one that hides another."""
    one = "def f(a):\n    x = a\n    y = -a\n    return {}"
    assert of_function(one.format("x - y")) != of_function(one.format("y - x"))
    assert of_function(one.format("x - y")) == of_function("def f(a):\n    p = a\n    q = -a\n    return p - q")
    inner = "def f(a):\n    x = a\n    def g({}):\n        z = 1\n        return x + z\n    return g"
    assert of_function(inner.format("x")) != of_function(inner.format("b"))
    within = "def f(a):\n    x = 1\n    class C:\n        {} = 2\n    return C"
    assert of_function(within.format("x")) != of_function(within.format("y")), "an attribute is asked for by its name"


def test_a_text_with_braces_is_what_it_says() -> None:
    assert form("f'a{x}b'") == form("f'a' f'{x}' 'b'") == form('f"""a{x}b"""')
    assert form("f'a{x}b'") != form("f'a{x!r}b'")
    assert form("f'{x:>3}'") != form("f'{x:>4}'")
    assert form("f'{{x}}'") != form("f'{x}'")
