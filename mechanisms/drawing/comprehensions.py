"""A comprehension that is returned, and draws, read as `draw.each`: its items are as many laws, and not one of all.

    return tuple(row + draw(laplace(1)) for row in rows)

Each item is a function of its variable, of `draw`, and of what the comprehension sees around it. Where nothing of that
can change, what one item draws says nothing of another one, neither of its value nor of whether and how it is drawn.
The comprehension has to stand in what is returned, as it is or in tuples, by the mechanism or by a function that it
calls for what it returns: so nothing else can be done with its items.

The source is read, and has to be that of the code that runs: it is compiled again, and must come out the same. What
cannot be read so is run as it is.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from types import CellType, CodeType, FunctionType
from typing import Any, Final

from dpverify.mechanisms.functions.fixed_values import key_of_call
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.numbers.errors import InputError

_EACH: Final = "_dpverify_each"
_CALLED: Final = "_dpverify_called"
_PLAIN: Final = "_dpverify_plain"
_OURS: Final = (_EACH, _PLAIN, _CALLED)
"""The names of what a function that is read sees around it, beside what it saw before."""
_ITEM: Final = "_dpverify_item"
_AROUND: Final = "_dpverify_around"

_MOST: Final = 1 << 10

_READ: Final[dict[tuple[CodeType, str, bool], CodeType | None]] = {}
"""By the code of a mechanism and its file that of the same with comprehensions read; None where none can be read."""


class NotRead(InputError):
    """A comprehension that sees what can change."""


def as_each(mechanism: Mechanism) -> Mechanism | None:
    """The mechanism with its comprehensions read as `draw.each`; None where there are none.

    When it runs it raises `NotRead` where an item sees what can change.
    """
    if type(mechanism) is not FunctionType:
        return None
    code = mechanism.__code__
    key = code, code.co_filename, "tuple" in mechanism.__globals__  # codes of two files may be equal
    if key not in _READ:
        if len(_READ) >= _MOST:
            _READ.clear()
        _READ[key] = None  # for functions that call each other
        _READ[key] = _read(mechanism)
    read = _READ[key]
    if read is None:
        return None
    cells = dict(zip(code.co_freevars, mechanism.__closure__ or (), strict=True))
    cells |= {_EACH: CellType(each_of), _PLAIN: CellType(plain_item), _CALLED: CellType(called)}
    around = tuple(cells[name] for name in read.co_freevars)
    found = FunctionType(read, mechanism.__globals__, mechanism.__name__, mechanism.__defaults__, around)
    found.__kwdefaults__ = mechanism.__kwdefaults__
    return found


def each_of(draw: Any, function: Callable[..., Any], items: Iterable[Any]) -> tuple[Any, ...]:
    """What stands for the items of a comprehension. Raises `NotRead` where one of them sees what can change."""
    found = tuple(items)
    if any(key_of_call(function, (item,), {}) is None for item in found):
        error = NotRead("a comprehension sees what can change")
        draw.take_note(error)  # a mechanism may catch it
        raise error
    return tuple(draw.each(function, found))


def plain_item(item: Any) -> Any:
    """An item. Raises `NotRead` for a law, which is an outcome of no comprehension, and would be drawn from."""
    if isinstance(item, Distribution):
        raise NotRead("an item is a law")
    return item


def called(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is called for what is returned, with its comprehensions read where it has some."""
    return as_each(function) or function


def definition_of(mechanism: FunctionType) -> ast.FunctionDef | None:
    """The definition of a function, which is that of the code that runs; None where it cannot be found."""
    tree = _source(mechanism)
    if tree is None:
        return None
    own = _compiled(tree, mechanism)
    if own is None or not _are_alike(own, mechanism.__code__):
        return None  # the file is another one by now
    return tree


def _read(mechanism: FunctionType) -> CodeType | None:
    tree = definition_of(mechanism)
    if tree is None or not tree.args.args:
        return None
    reading = _Reading(tree, mechanism)
    if not reading.found:
        return None
    code = _compiled(tree, mechanism)
    known = {*mechanism.__code__.co_freevars, *_OURS}
    return code if code is not None and known.issuperset(code.co_freevars) else None


def _source(mechanism: FunctionType) -> ast.FunctionDef | None:
    """The definition of a function as it stands in its file; None where it cannot be found, as of a lambda."""
    try:
        lines, first = inspect.getsourcelines(mechanism)
        (tree,) = ast.parse(textwrap.dedent("".join(lines))).body
    except (OSError, TypeError, ValueError, SyntaxError, RecursionError):
        return None
    if not isinstance(tree, ast.FunctionDef):
        return None
    ast.increment_lineno(tree, first - 1)
    return tree


def _compiled(tree: ast.FunctionDef, mechanism: FunctionType) -> CodeType | None:
    """The code of a definition, inside a function that has what it sees around it."""
    around = ast.parse(f"def {_AROUND}():\n    pass").body[0]
    assert isinstance(around, ast.FunctionDef), "it is one"
    names = [*mechanism.__code__.co_freevars, *_OURS]
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
    found = [inner for outer in _codes(code, _AROUND) for inner in _codes(outer, tree.name)]
    return found[0] if len(found) == 1 else None


def _codes(code: CodeType, name: str) -> list[CodeType]:
    """The codes of this name that stand right inside another one."""
    return [const for const in code.co_consts if isinstance(const, CodeType) and const.co_name == name]


_FUTURE: Final = __future__.annotations.compiler_flag
"""What a module may ask for of the compiler."""


def _are_alike(left: CodeType, right: CodeType) -> bool:
    """True where two codes do the same, wherever they stand."""
    alike = all(getattr(left, name) == getattr(right, name) for name in _ALIKE)
    alike = alike and (left.co_flags ^ right.co_flags) & ~inspect.CO_NESTED == 0
    return (
        alike and len(left.co_consts) == len(right.co_consts) and all(map(_one_const, left.co_consts, right.co_consts))
    )


def _one_const(left: object, right: object) -> bool:
    if isinstance(left, CodeType) and isinstance(right, CodeType):
        return _are_alike(left, right)
    return type(left) is type(right) and repr(left) == repr(right)  # 1 and True, 0.0 and -0.0 are not the same


_ALIKE: Final = (
    "co_code",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
    "co_argcount",
    "co_kwonlyargcount",
    "co_posonlyargcount",
)


class _Reading:
    """Puts a call of `each_of` in the place of each comprehension that is read, in the returns of a function."""

    def __init__(self, tree: ast.FunctionDef, mechanism: FunctionType) -> None:
        self.found = False
        self._draw = (tree.args.posonlyargs + tree.args.args)[0].arg
        self._globals = mechanism.__globals__
        self._own = {*mechanism.__code__.co_varnames, *mechanism.__code__.co_cellvars, *mechanism.__code__.co_freevars}
        if self._is_builtin("tuple") and self._draw not in _stored(tree.body):
            for node in _returns(tree.body):
                node.value = self._of(node.value)

    def _is_builtin(self, name: str) -> bool:
        return name not in self._own and name not in self._globals

    def _of(self, node: Any, *, is_alone: bool = True) -> Any:
        """What is returned, with comprehensions in it read; beside others each number that draws, too."""
        if isinstance(node, ast.Tuple):
            node.elts = [self._of(part, is_alone=is_alone and len(node.elts) == 1) for part in node.elts]
            return node
        match node:
            case ast.Call(func=ast.Name(id="tuple"), args=[ast.GeneratorExp() | ast.ListComp() as made], keywords=[]):
                return self._each(made) or node
        if not is_alone and _named(node, self._draw) and not _binds(node):
            self.found = True
            given = ast.arguments([], [ast.arg(self._draw), ast.arg(_ITEM)], None, [], [], None, [])
            items = ast.Tuple([ast.Constant(None)], ast.Load())
            one = ast.Subscript(self._call(ast.Lambda(given, node), items), ast.Constant(0), ast.Load())
            return ast.copy_location(one, node)
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=first), *_]) if (
                first == self._draw and name not in self._own
            ):
                if as_each(self._globals.get(name, tuple)) is not None:
                    self.found = True
                    node.func = ast.Call(ast.Name(_CALLED, ast.Load()), [node.func], [])
        return node

    def _each(self, made: ast.GeneratorExp | ast.ListComp) -> ast.Call | None:
        """A comprehension as a call of `each_of`; None where it is none that is read."""
        match made.generators:
            case [ast.comprehension(target=target, iter=items, ifs=[], is_async=0)]:
                pass
            case _:
                return None
        names = {node.id for node in ast.walk(made.elt) if isinstance(node, ast.Name)}
        if self._draw not in names or self._draw in _stored([target]) or _named(items, self._draw):
            return None
        if _binds(made):
            return None
        self.found = True
        one = ast.comprehension(target, ast.Tuple([ast.Name(_ITEM, ast.Load())], ast.Load()), [], 0)
        body = ast.Subscript(ast.ListComp(made.elt, [one]), ast.Constant(0), ast.Load())
        given = ast.arguments([], [ast.arg(self._draw), ast.arg(_ITEM)], None, [], [], None, [])
        return ast.copy_location(self._call(ast.Lambda(given, body), items), made)

    def _call(self, function: ast.Lambda, items: ast.expr) -> ast.Call:
        function.body = ast.Call(ast.Name(_PLAIN, ast.Load()), [function.body], [])
        return ast.Call(ast.Name(_EACH, ast.Load()), [ast.Name(self._draw, ast.Load()), function, items], [])


def _binds(node: ast.AST) -> bool:
    """True where an expression does something to what is around it, or is none that ends in one go."""
    doing = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Starred)
    return any(isinstance(one, doing) or (isinstance(one, ast.Name) and one.id in _LOOKING) for one in ast.walk(node))


_LOOKING: Final = frozenset({"locals", "vars", "dir", "eval", "exec", "globals", "super", "__class__"})
"""What looks at the names around it, of which there are others in a function of its own."""


def _returns(body: Iterable[ast.stmt]) -> Iterator[ast.Return]:
    """The returns of a function, and not of those within it."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Return):
            yield node
        waiting.extend(ast.iter_child_nodes(node))


def _stored(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that are bound anywhere in some nodes."""
    found: set[str] = set()
    for node in (inner for outer in nodes for inner in ast.walk(outer)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
    return found


def _named(node: ast.AST, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node))
