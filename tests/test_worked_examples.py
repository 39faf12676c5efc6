"""Worked examples in docstrings, each of which is run; every public name of the three faces has one."""

import ast
import doctest
import re
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest

from dpverify.mechanisms.exported import FACES

FOLDER = Path(__file__).parent.parent
MODULES = sorted(
    ".".join(("dpverify", *path.relative_to(FOLDER).with_suffix("").parts))
    for room in ("mechanisms", "reports", "verifiers")
    for path in (FOLDER / room).rglob("*.py")
    if re.search(r"^\s*>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
)
PUBLIC = {name: getattr(import_module(face), name) for face in FACES for name in import_module(face).__all__}
"""What examples may name without importing it, as the reference says, and Fraction."""


def examples(name: str) -> dict[str, str]:
    """The docstrings of a module that hold examples, by what they are of; of attributes, too."""
    path = FOLDER.joinpath(*name.split(".")[1:]).with_suffix(".py")
    found: dict[str, str] = {}
    for parent in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        before = getattr(parent, "name", "the module")
        for node in getattr(parent, "body", []) if isinstance(getattr(parent, "body", None), list) else []:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and ">>> " in str(node.value.value):
                found[before] = str(node.value.value)
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            before = getattr(target, "id", before)
    return found


def test_what_numbers_stand_for_has_a_worked_example() -> None:
    ends = {name.rpartition(".")[2] for name in MODULES}
    assert ends >= {"score_codes", "lumping", "comparisons", "affine_regions"}


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.usefixtures("decided_here")
def test_an_example_comes_out_as_it_is_written(name: str) -> None:
    module = import_module(name)
    for of, text in examples(name).items():
        named = {**vars(module), **PUBLIC, "Fraction": Fraction, "__name__": "__main__"}
        test = doctest.DocTestParser().get_doctest(text, named, f"{name}.{of}", None, 0)
        said: list[str] = []
        found = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
        assert found.attempted > 0
        assert found.failed == 0, "".join(said)


def test_every_public_name_has_an_example_that_uses_it() -> None:
    written = {of: text for name in MODULES for of, text in examples(name).items()}
    assert [name for name in PUBLIC if not re.search(rf">>> .*\b{name}\b", written.get(name, ""), re.DOTALL)] == []
