"""The code of a function with its guards: from its tree, with the file, lines, columns and names that it has."""

from __future__ import annotations
import __future__

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, Final

from dpverify.mechanisms.language.exact_reading import transformed
from dpverify.mechanisms.language.names import annotations_of, copied
from dpverify.mechanisms.language.readings import ReadFunction
from dpverify.mechanisms.language.source import NoSource, tree_of
from dpverify.mechanisms.language.transforms import put_guards
from dpverify.mechanisms.language.values_from_outside import NotCompiled
from dpverify.mechanisms.patterns.last_draws import SEEING_ALL, Tree


def names_in_code(code: CodeType) -> list[str]:
    """The names that a code, or one within it, may look up in its module."""
    return [*dict.fromkeys(name for each in (code, *codes_within(code)) for name in each.co_names)]


def codes_within(code: CodeType) -> Iterator[CodeType]:
    """The codes of all functions that are defined within one."""
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from codes_within(const)


_CODES: Final[dict[Hashable, tuple[CodeType, CodeType]]] = {}
_MOST: Final = 1 << 12


def compiled_code(
    read: ReadFunction, code: CodeType, meanings: Mapping[str, str], asked: frozenset[str], flags: tuple[bool, bool]
) -> CodeType:
    """The code of a function with its guards: its own where it needs none. See `put_guards` for the two `flags`."""
    key = id(code), tuple(sorted(meanings.items())), asked, flags
    known = _CODES.get(key)
    if known is None or known[0] is not code:
        known = code, _guarded_code(read, code, meanings, asked, flags)
        _put(_CODES, key, known)
    return known[1]


def _guarded_code(
    read: ReadFunction, code: CodeType, meanings: Mapping[str, str], asked: frozenset[str], flags: tuple[bool, bool]
) -> CodeType:
    for node in ast.walk(read.tree):
        if isinstance(node, ast.MatchClass):
            names = getattr(read.names.get(getattr(node.cls, "id", "")), "__match_args__", ())
            if asked & {*names[: len(node.patterns)], *node.kwd_attrs}:
                raise NotCompiled("a pattern that asks for what its class computes")
    *_, around, _ = ["<locals>", *code.co_qualname.split(".")]
    within = "" if around == "<locals>" else around
    future = code.co_flags & _FUTURE
    plain = _alone(read.tree)
    tree = transformed(plain)
    is_plain = tree is plain and (future or not _is_annotated(read.tree))
    if not put_guards(tree, meanings, asked, within, flags) and is_plain:
        return code
    body: ast.stmt = tree if isinstance(tree, ast.FunctionDef) else ast.Expr(tree)
    if within:
        body = ast.ClassDef(within, [], [], [body], [])
    free = [ast.Name(name, ast.Store()) for name in code.co_freevars if not (within and name == "__class__")]
    bound: list[ast.stmt] = [ast.Assign([name], ast.Constant(None)) for name in free]
    named = within or (tree.name if isinstance(tree, ast.FunctionDef) else "")
    if named and named not in code.co_freevars:  # a name of the module, and no variable around
        bound.insert(0, ast.Global([named]))
    outer = ast.FunctionDef(".around", ast.arguments([], [], None, [], [], None, []), [*bound, body], [], None, None)
    module = ast.fix_missing_locations(ast.Module([outer], []))
    made = _inner(compile(module, code.co_filename, "exec", future, dont_inherit=True), code)
    made = _requalified(made, made.co_qualname, code.co_qualname).replace(co_flags=code.co_flags)
    _put(_TREES, id(made), (made, tree))
    return made


def _put(kept: dict[Any, Any], key: object, value: object) -> None:
    if len(kept) >= _MOST:
        kept.clear()
    kept[key] = value


_TREES: Final[dict[int, tuple[CodeType, Tree]]] = {}
"""By the identity of a code, which is kept with it, the tree with guards that it was compiled from."""


def tree_that_runs(function: FunctionType) -> Tree | None:
    """The tree of the code that runs, which is not to be changed; None where it cannot be found."""
    known = _TREES.get(id(function.__code__))
    if known is not None and known[0] is function.__code__:
        return known[1]
    try:
        return tree_of(function)
    except NoSource:  # as of a function that is read already
        return None


def _alone(tree: ast.FunctionDef | ast.Lambda) -> ast.FunctionDef | ast.Lambda:
    """A copy of the tree of a function, without what is computed where it is defined."""
    tree = copied(tree)
    tree.args.defaults = [ast.copy_location(ast.Constant(None), each) for each in tree.args.defaults]
    tree.args.kw_defaults = [each and ast.copy_location(ast.Constant(None), each) for each in tree.args.kw_defaults]
    for each in ast.walk(tree):  # annotations of functions within it, too, are none of the language
        if isinstance(each, ast.arg):
            each.annotation = None
        elif isinstance(each, ast.FunctionDef):
            each.returns = None
    if isinstance(tree, ast.FunctionDef):
        tree.decorator_list = [ast.copy_location(ast.Constant(None), each) for each in tree.decorator_list]
    return tree


def _is_annotated(tree: ast.FunctionDef | ast.Lambda) -> bool:
    """True of a function in which another one has annotations, which would run where it is defined."""
    within = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and each is not tree]
    return any(any(map(bool, annotations_of(each))) for each in within)


def _inner(code: CodeType, like: CodeType) -> CodeType:
    """The code of a function within another one that begins at the line of `like`."""
    waiting = [code]
    while waiting:
        each = waiting.pop()
        if each.co_name == like.co_name and each.co_firstlineno == like.co_firstlineno:
            return each
        waiting += [const for const in each.co_consts if isinstance(const, CodeType)]
    raise NotCompiled(f"the source of {like.co_qualname} is another one")


def _requalified(code: CodeType, was: str, name: str) -> CodeType:
    consts = tuple(_requalified(each, was, name) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_qualname=name + code.co_qualname.removeprefix(was), co_consts=consts)


# --- Functions that are made of the tree of another one

_AROUND: Final = "_dpverify_around"


def definition_of(mechanism: FunctionType) -> ast.FunctionDef | None:
    """A copy of the definition of a function, that of the code that runs; None where it cannot be found."""
    tree = tree_that_runs(mechanism)
    return copied(tree) if isinstance(tree, ast.FunctionDef) else None


def compiled_again(tree: ast.FunctionDef, mechanism: FunctionType, ours: Iterable[str]) -> CodeType | None:
    """The code of a definition, inside a function that has what it sees around it.

    `ours` are names that it sees around it, too. None where it cannot be compiled.
    """
    around = ast.parse(f"def {_AROUND}():\n    pass").body[0]
    assert isinstance(around, ast.FunctionDef), "it is one"
    names = [*mechanism.__code__.co_freevars, *ours]
    around.body = [
        ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None), lineno=1, col_offset=0) for name in names
    ]
    around.body.append(tree)
    module = ast.fix_missing_locations(ast.Module([around], []))
    flags = mechanism.__code__.co_flags & _FUTURE
    try:
        code = compile(module, mechanism.__code__.co_filename, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    results = [inner for outer in _codes(code, _AROUND) for inner in _codes(outer, tree.name)]
    return results[0] if len(results) == 1 else None


def _codes(code: CodeType, name: str) -> list[CodeType]:
    """The codes of this name that stand right inside another one."""
    return [const for const in code.co_consts if isinstance(const, CodeType) and const.co_name == name]


_FUTURE: Final = __future__.annotations.compiler_flag
"""Features that a module may ask for of the compiler."""


LOOKING: Final = SEEING_ALL | {"globals", "super", "__class__"}
"""Nodes that look at the names around them, of which there are others in a function of its own."""


def names_bound(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that are bound anywhere in some nodes."""
    texts: set[str] = set()
    for node in (inner for outer in nodes for inner in ast.walk(outer)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            texts.add(node.id)
        elif isinstance(node, ast.arg):
            texts.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            texts.add(node.name)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            texts.update(node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            texts.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            texts.add(node.rest)
        elif isinstance(node, ast.alias):
            texts.add((node.asname or node.name).partition(".")[0])
    return texts
