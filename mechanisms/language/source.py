"""The source of a function: its text, its tree, and whether it is what runs.

A file is read once. It is compiled as its loader compiles it (pytest rewrites assertions, `-O` leaves them out), and
the code object that runs has to be among what comes out, equal in all but the name of the file. So what is read is what
runs, or it is outside, and the message says why.
"""

from __future__ import annotations
import __future__

import ast
import linecache
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from operator import or_
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.patterns.last_draws import Tree


class NoSource(Exception):
    """No source that is what runs: the message says why, and `instead` what to do."""

    def __init__(self, why: str, instead: str) -> None:
        super().__init__(why)
        self.instead = instead


def tree_of(function: FunctionType) -> Tree:
    """The tree of a function. Raises `NoSource` where there is none, or where it is not what runs."""
    code = function.__code__
    text = _text(code, function.__globals__)
    loader = function.__globals__.get("__loader__")
    try:
        trees, codes = _file(text, code.co_filename, loader, code.co_flags & _FUTURE)
    except (SyntaxError, ValueError, OSError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        why = f"its file is no source that this Python {sys.version_info[0]}.{sys.version_info[1]} reads"
        raise NoSource(f"{why}{f' (line {line})' if line else ''}", "run the Python that it is written for") from None
    place = code.co_firstlineno, code.co_name
    if not any(_is_same(code, other) for other in codes.get(place, ())):
        raise NoSource("its file has changed since it was imported", "import it again")
    found = [tree for tree in trees.get(place, ()) if not isinstance(tree, ast.Lambda) or _is_of(tree, code)]
    is_one = len(found) == 1 or len({ast.dump(each) for each in found}) == 1  # which takes long
    if not is_one or not isinstance(found[0], ast.FunctionDef | ast.Lambda):
        is_async = found and isinstance(found[0], ast.AsyncFunctionDef)
        why = "an async function" if is_async else "one of several functions on its line"
        raise NoSource(why, "write a plain function" if is_async else "write it on a line of its own")
    return found[0]


def _text(code: CodeType, names: dict[str, Any]) -> str:
    file = code.co_filename
    if file == "<string>" and "-c" in sys.orig_argv and names.get("__name__") == "__main__":
        given = sys.orig_argv[sys.orig_argv.index("-c") + 1 :]
        return given[0] if given else ""
    linecache.checkcache(file)
    lines = [] if file == "<string>" else linecache.getlines(file, names)  # Python 3.13 has that of `python -c` there
    if lines:
        return "".join(lines)
    if file.startswith("<"):
        raise NoSource("it has no source: its text was given to exec, eval or a prompt", "write it in a file")
    raise NoSource("its file cannot be read", "keep the file beside what is compiled from it")


_At: TypeAlias = tuple[int, str]
"""The first line of a function, and its name."""


@lru_cache(maxsize=1024)
def _file(
    text: str, name: str, loader: Any, flags: int
) -> tuple[Mapping[_At, Sequence[ast.AST]], Mapping[_At, Sequence[CodeType]]]:
    """The trees and the codes in a file."""
    trees: defaultdict[_At, list[ast.AST]] = defaultdict(list)
    for node in ast.walk(ast.parse(text, name)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            trees[min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.name].append(node)
        elif isinstance(node, ast.Lambda):
            trees[node.lineno, "<lambda>"].append(node)
    codes: defaultdict[_At, list[CodeType]] = defaultdict(list)
    for code in _codes_in(_compiled(text, name, loader, flags)):
        codes[code.co_firstlineno, code.co_name].append(code)
    return trees, codes


def _compiled(text: str, name: str, loader: Any, flags: int) -> CodeType:
    """The code of a file as its loader makes it."""
    if type(loader).__module__ == "_pytest.assertion.rewrite" and not name.startswith("<"):
        from _pytest.assertion.rewrite import _rewrite_test

        made: CodeType = _rewrite_test(Path(name), loader.config)[1]
    elif hasattr(loader, "source_to_code") and not name.startswith("<"):
        made = loader.source_to_code(text.encode(), name)
    else:
        made = compile(text, name, "exec", flags, dont_inherit=True)
    return made


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes_in(each)


_COMPARED: Final = [
    f"co_{each}"
    for each in (
        *("code", "names", "varnames", "freevars", "cellvars", "flags", "argcount", "posonlyargcount", "qualname"),
        *("kwonlyargcount", "name", "firstlineno", "linetable", "exceptiontable"),
    )
]
_OF_PLACE: Final = ("co_flags", "co_qualname", "co_firstlineno", "co_linetable")
"""The parts of a code that say where it stands, among them that it is in a function."""
_FUTURE: Final = reduce(or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))


def _is_same(one: CodeType, other: CodeType) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in _COMPARED) and _are_same(
        one.co_consts, other.co_consts
    )


def _are_same(one: Any, other: Any) -> bool:
    """True of equal constants of equal types, with -0.0 and nan told apart from others."""
    if type(one) is not type(other):
        return False
    if isinstance(one, CodeType):
        return _is_same(one, other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_are_same, one, other))
    if isinstance(one, frozenset):
        return {(type(each), each) for each in one} == {(type(each), each) for each in other}
    return repr(one) == repr(other)


def _is_of(tree: ast.Lambda, code: CodeType) -> bool:
    """True of the lambda that code was compiled from: its first instruction stands where what it returns begins.

    Of a code that gives a constant, of which Python 3.12 says no place, it gives the same one.
    """
    places = [(line, column) for line, _, column, end in code.co_positions() if line and column is not None and end]
    if isinstance(tree.body, ast.JoinedStr):  # of which Python 3.12 says where its first part stands
        start, end = (tree.body.lineno, tree.body.col_offset), (tree.body.end_lineno, tree.body.end_col_offset)
        return not places or start <= min(places) < end
    if not places:
        alone = next(_codes_in(compile(ast.Expression(tree), "", "eval").co_consts[0]))
        return _is_same(alone.replace(**{name: getattr(code, name) for name in _OF_PLACE}), code)
    return min(places) == (tree.body.lineno, tree.body.col_offset)
