"""The data that code reads besides its rows: what a module holds, and files of the project.

A comment accepts that a line reads such data; what they are is part of the question, as nobody has accepted other ones.
"""

import ast
from collections.abc import Iterator, Mapping
from fractions import Fraction
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any, Final

from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.verifiers.auditing.digests.names import syntax_tree

_DATA: Final = (int, float, complex, str, bytes, Fraction, Exact, tuple, list, set, frozenset, dict)
_LARGEST: Final = 64 << 20
"""Bytes of files that are read."""


def data_read(text: str, around: Mapping[str, Any]) -> dict[str, Any]:
    """The data that statements name, by name: of a file its digest. `around` is what names stand for there.

    Left out is what code sets itself, or fills while it runs: it is another thing each time.
    """
    file = str(around.get("__file__") or "")
    tree = syntax_tree(file) if file else None
    found: dict[str, Any] = {}
    filled = set(_filled_later(tree)) if tree is not None else set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and node.id in around and node.id not in filled and node.id[:2] != "__":
            value = around[node.id]
            held = _of_file(value, file)  # and not where it is on this machine
            found |= held or ({node.id: value} if isinstance(value, _DATA) else {})
        elif isinstance(node, ast.Constant):
            found |= _of_file(node.value, file)
    return dict(sorted(found.items()))


def _of_file(value: Any, module: str) -> dict[str, Any]:
    """The file that a path or a text names, beside the module or in the working directory, if there is one."""
    if not isinstance(value, str | PurePath) or not str(value):
        return {}
    for folder in (Path(module).parent, Path.cwd()):
        try:
            path = folder / value
            if path.is_file() and path.stat().st_size <= _LARGEST:
                return {path.name: sha256(path.read_bytes()).hexdigest()}
        except (OSError, ValueError):  # no name of a file
            continue
    return {}


def _filled_later(tree: ast.Module) -> Iterator[str]:
    """The names of a module that its functions set, and those that are empty at first."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from node.names
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and _is_empty(statement.value):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _is_empty(node: ast.expr | None) -> bool:
    """True of `[]`, `{}` and calls such as `dict()` and `defaultdict(list)`."""
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        return name == "defaultdict" or (name in _EMPTY and not node.args)
    return isinstance(node, ast.List | ast.Dict) and not ast.unparse(node)[1:-1]


_EMPTY: Final = ("dict", "list", "set", "deque", "Counter", "OrderedDict")
"""Containers that hold nothing unless something is given."""
