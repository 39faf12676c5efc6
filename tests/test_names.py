"""One meaning for one public name: no two files define a function, class, alias or constant of one name without a reason."""

import ast
import inspect
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

ROOT = Path(__file__).parents[1]

PACKAGES = ("mechanisms", "reports", "verifiers")

_KIND = "a part of a page: each kind of claims has its own, and reports/kind.py says what it is"
_THEOREM = "a part of a theorem: each module of a theorem has its own, and the list of theorems takes them from there"
_TERM = "the function of mathematics: of numbers, and of the expressions that steps of proofs are written in"

DEFINED_IN_SEVERAL: Mapping[str, str] = {
    "Kind": "the type of a container in an outcome, and a kind of claims: neither is met where the other is",
    "KIND": _KIND,
    "appendix": _KIND,
    "background": _KIND,
    "claimed": _KIND,
    "details": _KIND,
    "extent": _KIND,
    "found": _KIND,
    "prose": _KIND,
    "witness": _KIND,
    "holds": _THEOREM,
    "supremum": _THEOREM,
    "suspects": _THEOREM,
    "exp": _TERM,
    "log": _TERM,
    "log2": _TERM,
    "sqrt": _TERM,
    "Row": "a row of a database with several labels, and a row of a table of claims: what each paper, and each table, has",
    "Undecided": "the error that is raised where no sign is known, and the verdict that says so; both are exported",
}
"""Names that several files define, and why. Of fewer than twenty there is a list that a reader can know."""


def public_names(body: list[ast.stmt]) -> Iterator[str]:
    """The names that others may use: functions, classes, aliases, constants, also those below an `if` or a `try`."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if not node.name.startswith("_"):
                yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = (
                each.id
                for target in targets
                for each in ast.walk(target)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            )
            yield from (name for name in names if not name.startswith("_"))
        elif isinstance(node, ast.If | ast.Try):
            handlers = [line for handler in getattr(node, "handlers", ()) for line in handler.body]
            yield from public_names([*node.body, *handlers, *node.orelse])


@cache
def defined_in_several(root: Path) -> dict[str, list[str]]:
    """Public name → the files that define it, where these are more than one; the catalogue's are left out."""
    files: dict[str, set[str]] = defaultdict(set)
    for package in PACKAGES:
        for path in (root / package).rglob("*.py"):
            name = path.relative_to(root).as_posix()
            if not name.startswith("verifiers/catalogue/"):
                for public in public_names(ast.parse(path.read_text(encoding="utf-8")).body):
                    files[public].add(name)
    return {name: sorted(where) for name, where in sorted(files.items()) if len(where) > 1}


def test_a_public_name_is_defined_in_one_file() -> None:
    several = {name: where for name, where in defined_in_several(ROOT).items() if name not in DEFINED_IN_SEVERAL}
    assert not several, "give each a name of its own, or a reason in DEFINED_IN_SEVERAL:\n" + "\n".join(
        f"{name}: {', '.join(where)}" for name, where in several.items()
    )


def test_each_reason_is_still_needed() -> None:
    assert set(DEFINED_IN_SEVERAL) <= set(defined_in_several(ROOT)), "a name with a reason is defined once by now"


def test_few_names_need_a_reason() -> None:
    assert len(DEFINED_IN_SEVERAL) < 20
    assert all(DEFINED_IN_SEVERAL.values())


def test_parts_of_kinds_and_theorems_are_defined_nowhere_else() -> None:
    """A reason covers the files that it speaks of: a further meaning of such a name is none of them."""
    several = defined_in_several(ROOT)
    for name, reason in DEFINED_IN_SEVERAL.items():
        for file in several[name]:
            if reason is _KIND:
                assert file.startswith("reports/kinds/"), f"{name} of {file} is no part of a page"
            if reason is _THEOREM:
                assert file.endswith("_theorem.py"), f"{name} of {file} is no part of a theorem"


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("def atom(): ...", "class atom: ...", {"atom": ["mechanisms/a.py", "verifiers/b.py"]}),
        ("if True:\n    def atom(): ...", "async def atom(): ...", {"atom": ["mechanisms/a.py", "verifiers/b.py"]}),
        ("try:\n    import x\nexcept ImportError:\n    def atom(): ...", "def atom(): ...", {"atom": ["mechanisms/a.py", "verifiers/b.py"]}),
        ("atom: TypeAlias = int", "atom = 3", {"atom": ["mechanisms/a.py", "verifiers/b.py"]}),
        ("if TYPE_CHECKING:\n    atom = int", "x, (atom, _) = 1, (2, 3)", {"atom": ["mechanisms/a.py", "verifiers/b.py"]}),
        ("_atom: Final = 1", "_atom: Final = 1", {}),
        ("a.atom = b[atom] = 1", "def atom(): ...", {}),
        ("def _atom(): ...", "def _atom(): ...", {}),
        ("def f():\n    def atom(): ...", "def atom(): ...", {}),
        ("def atom(): ...\ndef atom(): ...", "", {}),
    ],
)  # fmt: skip
def test_names_are_counted_over_files(tmp_path: Path, first: str, second: str, told: dict[str, list[str]]) -> None:
    for name, text in (("mechanisms/a.py", first), ("verifiers/b.py", second), ("verifiers/catalogue/c.py", first)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert defined_in_several(tmp_path) == told


def without_docstring(module: ModuleType) -> Iterator[str]:
    """The public methods of a module that have no docstring, of their own or of a class above."""
    for kind in [
        each for each in vars(module).values() if inspect.isclass(each) and each.__module__ == module.__name__
    ]:
        classes = type.__dict__["__mro__"].__get__(kind)
        for name, value in {} if kind.__name__.startswith("_") else vars(kind).items():
            is_method = isinstance(value, property | cached_property | classmethod | staticmethod) or (
                isinstance(value, FunctionType) and value.__qualname__ == f"{kind.__qualname__}.{name}"
            )
            said = (inspect.getdoc(vars(above)[name]) for above in classes if name in vars(above))
            if is_method and not name.startswith("_") and not any(said):
                yield f"{module.__name__}.{kind.__name__}.{name}"


def test_each_public_method_says_what_it_gives() -> None:
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py") if path.stem != "__init__"]
    assert len(files) > 600
    names = [".".join(("dpverify", *path.relative_to(ROOT).with_suffix("").parts)) for path in files]
    assert [found for name in names for found in without_docstring(import_module(name))] == []


def test_a_method_without_docstring_is_found() -> None:
    module = ModuleType("made")
    text = "class A:\n    def f(self): 'Said.'\n    def g(self): ...\n\nclass B(A):\n    def f(self): ...\n    def _h(self): ..."
    exec(text, vars(module))
    assert list(without_docstring(module)) == ["made.A.g"]
