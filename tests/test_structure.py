"""How modules import one another: nowhere in a circle, imports inside functions and for types counted.

What a package may import is a contract in pyproject.toml; that sees no circle within a package.
"""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

WITHOUT_CIRCLES = ("mechanisms", "reports", "verifiers")


def imports(root: Path, package: str) -> dict[str, set[str]]:
    """Module → the modules of its package that it imports."""
    files = {module_of(root, path): path for path in (root / package).rglob("*.py")}
    lives = dict(names_of_stubs(root, package))
    graph: dict[str, set[str]] = {}
    for module, path in files.items():
        found = {lives.get(name, name) for name in imported(ast.parse(path.read_text(encoding="utf-8")))}
        # a name in a module is imported from the module
        graph[module] = {name if name in files else name.rpartition(".")[0] for name in found} & files.keys()
    return graph


def module_of(root: Path, path: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(("dpverify", *parts)).removesuffix(".__init__")


def names_of_stubs(root: Path, package: str) -> Iterator[tuple[str, str]]:
    """Each name that a package resolves lazily, and the name in the module where it lives."""
    for stub in (root / package).rglob("__init__.pyi"):
        above = module_of(root, stub)
        for node in ast.parse(stub.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    yield f"{above}.{alias.asname or alias.name}", f"{above}.{node.module}.{alias.name}"


def imported(node: ast.AST) -> Iterator[str]:
    """What is imported below a node: by statements, which no expression holds."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom):
            assert not child.level, "an import names the module in full"
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif not isinstance(child, ast.expr):
            yield from imported(child)


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Modules of which each imports the next, and the last is the first; none where there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


@pytest.mark.parametrize("package", WITHOUT_CIRCLES)
def test_no_module_imports_itself_by_way_of_others(package: str) -> None:
    graph = imports(ROOT, package)
    assert any(graph.values())
    assert circle(graph) == []


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("from dpverify.package.second import two", "", []),
        ("from dpverify.package.second import two", "import dpverify.package.first", ["first", "second"]),
        (
            "from dpverify.package import second",
            "def late():\n    from dpverify.package.first import one",
            ["first", "second"],
        ),
        ("from dpverify.package import two", "from dpverify.package.first import one", ["first", "second"]),
        (
            "from dpverify.package import second",
            "if TYPE_CHECKING:\n    from dpverify.package import first\nelse:\n    import math",
            ["first", "second"],
        ),
        (
            "from dpverify.package import second",
            "if TYPE_CHECKING:\n    pass\nelse:\n    from dpverify.package import first",
            ["first", "second"],
        ),
    ],
    ids=["none", "plain", "late", "lazy", "types", "otherwise"],
)
def test_circles_are_found(tmp_path: Path, first: str, second: str, found: list[str]) -> None:
    package = tmp_path / "package"
    package.mkdir()
    for name, text in {"__init__.py": "", "first.py": first, "second.py": second}.items():
        (package / name).write_text(text, encoding="utf-8")
    (package / "__init__.pyi").write_text("from .second import two as two\n", encoding="utf-8")
    around = circle(imports(tmp_path, "package"))
    assert sorted(set(around)) == [f"dpverify.package.{name}" for name in found]
    assert not around or around[0] == around[-1]


# --- Limits: any commit may lower one, and none may raise it

MOST_FILES = 20
"""Modules of a package beside its `__init__.py`: of more a reader has no picture."""

PACKAGE_LINES, PACKAGE_GOAL = 122_374, 113_000
"""All text of mechanisms, verifiers and reports but for results and what is generated: at most now, and the goal."""

TEST_LINES, TEST_GOAL = 99_944, 100_000
"""All text of tests but for schemas of others: at most now, and the goal."""

CHANGELOG_LINES = 150
"""Of the changelog at most, which is for users, by version."""

NOT_COUNTED = ("reports/results/", "reports/audit.schema.json", "tests/reports/formats/schemas/")
"""Text that a command writes, or others wrote."""


def lines_of(root: Path, *folders: str) -> int:
    """The number of lines of text in folders; of what git ignores none is text but for what Python compiles."""
    total = 0
    for path in (path for folder in folders for path in (root / folder).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and "__pycache__" not in path.parts and not name.startswith(NOT_COUNTED):
            total += path.read_bytes().count(b"\n")
    return total


def test_the_package_and_its_tests_stay_within_their_limits() -> None:
    sizes = {"package": lines_of(ROOT, *WITHOUT_CIRCLES), "tests": lines_of(ROOT, "tests")}
    assert sizes["package"] <= PACKAGE_LINES, f"{sizes}: take away what it needs no more, or find a shorter way"
    assert sizes["tests"] <= TEST_LINES, f"{sizes}: take away what it needs no more, or find a shorter way"
    assert len((ROOT / "CHANGELOG.md").read_text("utf-8").splitlines()) <= CHANGELOG_LINES


def test_a_limit_that_is_far_away_is_lowered() -> None:
    """One that a commit has left by 500 lines binds nobody; a goal that is reached becomes the limit."""
    assert lines_of(ROOT, *WITHOUT_CIRCLES) > PACKAGE_LINES - 500 or PACKAGE_LINES <= PACKAGE_GOAL
    assert lines_of(ROOT, "tests") > TEST_LINES - 500 or TEST_LINES <= TEST_GOAL


def test_lines_are_counted(tmp_path: Path) -> None:
    for name in ("a/b.py", "a/c/d.json", "a/__pycache__/b.pyc", "reports/results/e.txt", "reports/f.html", "g/h.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1\n2\n", encoding="utf-8")
    assert lines_of(tmp_path, "a") == 4
    assert lines_of(tmp_path, "a", "reports") == 6


def test_no_package_is_too_large_and_each_says_what_it_holds() -> None:
    packages = {path.parent for package in WITHOUT_CIRCLES for path in (ROOT / package).rglob("*.py")}
    assert len(packages) > 40
    for package in packages:
        name = str(package.relative_to(ROOT))
        assert len([path for path in package.glob("*.py") if path.stem != "__init__"]) <= MOST_FILES, name
        said = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
        assert "mport" in said and "Begin with" in said, f"{name} says what it holds, imports, and where to begin"
        kept = name.startswith(("verifiers/catalogue", "reports/kinds")) or " A change " in " ".join(said.split())
        assert kept and len(said.splitlines()) <= 14, f"{name} says what a change has to keep, in few lines"


def test_no_package_of_tests_is_too_large() -> None:
    """By the same measure, of which the fixtures of a package are no part: they are shared by those within it."""
    packages = {path.parent for path in (ROOT / "tests").rglob("*.py")}
    assert len(packages) > 60
    sizes = {package: len([path for path in package.glob("*.py") if path.stem != "conftest"]) for package in packages}
    assert {str(package.relative_to(ROOT)): size for package, size in sizes.items() if size > MOST_FILES} == {}


def test_the_tests_that_come_first_are_there() -> None:
    """Those that fork again and again, which `conftest.py` names: a file that was moved would come late and be slow."""
    tree = ast.parse((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"))
    named = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    paths = ast.literal_eval(named["MANY_PROCESSES"])
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / "tests" / path).exists()] == []
