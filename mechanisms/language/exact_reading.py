"""The real-number reading of source: its float literals mean decimals, and `/` and `**` are exact.

`transformed` rewrites a tree, in which 0.5 becomes the name of a `Real` number, and a / b a call of a function; where
there is nothing of that kind it gives the tree that it is given. `runtime_names` says what the names mean that are in
a tree since then.
"""

from __future__ import annotations

import ast
import linecache
import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, Final, TypeVar

from flint import ctx

from dpverify.mechanisms.comparing.revealed import float_in
from dpverify.mechanisms.language.array import Array, array
from dpverify.mechanisms.language.names import copied
from dpverify.mechanisms.language.real_numbers import real_power, real_quotient
from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter
from dpverify.mechanisms.numbers.plain_numbers import Real
from dpverify.mechanisms.outputs.arrays import loaded_numpy
from dpverify.mechanisms.patterns.last_draws import Tree

_Tree = TypeVar("_Tree", bound=ast.AST)

MARK: Final = "dp:"
"""The beginning of the names that are put into a tree: no name in a source has a colon."""


def _quotient(above: Any, below: Any) -> Any:
    """above / below: a list is an array there, as by a number of numpy's."""
    return array(above) / below if type(above) in (list, tuple) else real_quotient(above, below)


def _quotient_in_place(above: Any, below: Any) -> Any:
    if type(above) is not Array:
        return _quotient(above, below)
    above /= below
    return above


def transformed(tree: _Tree) -> _Tree:
    """The tree with exact numbers, of which each place is as before; the very tree where it has nothing to change."""
    return _Reading().visit(copied(tree)) if any(map(_is_inexact, ast.walk(tree))) else tree


def runtime_names(code: CodeType) -> dict[str, Any]:
    """The values of the names that `transformed` has put into the tree that code was compiled from."""
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    names = {name: named_number(name) for name in code.co_names if name.startswith(MARK)}
    return {**names, **{name: value for each in inner for name, value in runtime_names(each).items()}}


def named_number(name: str) -> Any:
    """The value of a name that `transformed` has put in."""
    return _RUNTIME.get(name) or Real(name.removeprefix(MARK))


_RUNTIME: Final[Mapping[str, Any]] = {f"{MARK}/": _quotient, f"{MARK}/=": _quotient_in_place, f"{MARK}**": real_power}


def exact_literal(value: Any, written: ast.expr) -> Any:
    """The exact number that source means by an expression of literals which is `value`; any other value is itself."""
    if type(value) is not float or not all(isinstance(node, _LITERALS) for node in ast.walk(written)):
        return value
    try:
        plain, exact = _computed(written), _computed(transformed(written))
    except (ArithmeticError, ValueError, TypeError):
        return value
    return exact if plain == value else value  # else it was bound anew


_LITERALS: Final = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)


def _computed(written: ast.expr) -> Any:
    code = compile(ast.fix_missing_locations(ast.Expression(written)), "<literals>", "eval")
    return eval(code, runtime_names(code))


def module_constants(tree: ast.Module) -> dict[str, ast.expr]:
    """The names that a module binds once, with what it binds them to: see `exact_literal`."""
    bound = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
    bound += [name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names]
    found: dict[str, ast.expr] = {}
    for statement in tree.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        value = getattr(statement, "value", None)
        if isinstance(target, ast.Name) and isinstance(value, ast.expr) and bound.count(target.id) == 1:
            found[target.id] = value
    return found


def exact_global(function: FunctionType, name: str, value: Any) -> Any:
    """The exact number that a name of a function's module is bound to once, as a literal; any other value is itself."""
    if type(value) is not float:
        return value
    written = _constants("".join(linecache.getlines(function.__code__.co_filename))).get(name)
    return value if written is None else exact_literal(value, written)


@lru_cache(maxsize=256)
def _constants(text: str) -> dict[str, ast.expr]:
    try:
        return module_constants(ast.parse(text))
    except SyntaxError:
        return {}


def exact_defaults(
    tree: Tree, defaults: tuple[Any, ...] | None, by_name: Mapping[str, Any] | None
) -> tuple[tuple[Any, ...] | None, dict[str, Any] | None]:
    """The defaults that a function has, with those exact that its source gives as literals."""
    as_written = defaults is not None and len(defaults) == len(tree.args.defaults)
    values = tuple(map(exact_literal, defaults, tree.args.defaults)) if defaults and as_written else defaults
    written = {arg.arg: default for arg, default in zip(tree.args.kwonlyargs, tree.args.kw_defaults, strict=True)}
    named = {
        name: value if written.get(name) is None else exact_literal(value, written[name])  # type: ignore[arg-type]
        for name, value in (by_name or {}).items()
    }
    return values, named or None


def has_exact_values(tree: Tree, function: FunctionType, names: Iterable[str]) -> bool:
    """True where a default, or a constant of its module that a function names, has an exact value."""
    defaults, by_name = exact_defaults(tree, function.__defaults__, function.__kwdefaults__)
    values, by_place = function.__globals__, function.__defaults__ or ()
    pairs = [
        *zip(defaults or (), by_place, strict=True),
        *((each, (function.__kwdefaults__ or {})[name]) for name, each in (by_name or {}).items()),
        *((exact_global(function, name, values[name]), values[name]) for name in names if name in values),
    ]
    return any(exact is not plain for exact, plain in pairs)


def has_floats(tree: ast.AST) -> bool:
    """True where a literal is a float."""
    return any(map(_is_literal, ast.walk(tree)))


def _is_inexact(node: ast.AST) -> bool:
    return _is_literal(node) or (isinstance(node, ast.BinOp | ast.AugAssign) and _name_of(node) is not None)


def _is_literal(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is float and math.isfinite(node.value)


def _name_of(node: ast.BinOp | ast.AugAssign) -> str | None:
    """The function that stands for the operator of an expression or an assignment; None for none."""
    if isinstance(node.op, ast.Div):
        return "/" if isinstance(node, ast.BinOp) else "/="
    exponent = node.right if isinstance(node, ast.BinOp) else node.value
    is_plain = isinstance(exponent, ast.Constant) and type(exponent.value) is int
    return "**" if isinstance(node.op, ast.Pow) and not is_plain else None


class _Reading(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not _is_literal(node):
            return node
        return ast.copy_location(ast.Name(f"{MARK}{node.value!r}", ast.Load()), node)

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.MatchValue:
        return node  # in which no name may stand

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        name = _name_of(node)
        self.generic_visit(node)
        return node if name is None else _call(name, node.left, node.right, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        name = _name_of(node)
        self.generic_visit(node)
        if name is None or not _can_be_read_twice(node.target):
            return node
        before = copied(node.target)
        before.ctx = ast.Load()
        return ast.copy_location(ast.Assign([node.target], _call(name, before, node.value, node.value)), node)


def _can_be_read_twice(target: ast.expr) -> bool:
    """True for names, and for attributes and items of such, by names and literals."""
    allowed = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.expr_context)
    return all(isinstance(node, allowed) for node in ast.walk(target))


def _call(name: str, left: ast.expr, right: ast.expr, place: ast.AST) -> ast.expr:
    function = ast.Name(f"{MARK}{name}", ast.Load())
    return ast.copy_location(ast.Call(ast.copy_location(function, place), [left, right], []), place)


# --- Back to floats: what `run` gives is the float nearest to each number, which is post-processing


def as_floats(outcome: Any) -> Any:
    """An outcome as a law holds it, with each `Real` and `Exact` number as the float nearest to it, whole ones as ints.

    An int and a `Real` that equals it are one outcome of a law, so that they are one result, too.
    """
    kind = type(outcome)
    if kind is tuple:
        return tuple(map(as_floats, outcome))
    if kind is Real:
        return int(outcome) if outcome.denominator == 1 else float(outcome)
    return nearest_float(outcome) if isinstance(outcome, Exact) else outcome


def nearest_float(number: Exact) -> float:
    """The float nearest to an exact number."""
    rational = as_parameter(number)
    if isinstance(rational, Fraction):
        return float(rational)
    precision = WORKING_PRECISION
    while True:
        with ctx.workprec(precision):
            nearest = float_in(enclosure(number, precision))
        if nearest is not None:
            return nearest
        precision *= 2


def with_numpys_arrays(outcome: Any) -> Any:
    """An outcome with arrays of numpy in the place of each `Array`, on its own or in lists, tuples and dicts."""
    kind = type(outcome)
    if kind is Array:
        return loaded_numpy().array(outcome.values, dtype=_DTYPES[outcome.kind])
    if kind in (list, tuple):
        return kind(map(with_numpys_arrays, outcome))
    return {key: with_numpys_arrays(part) for key, part in outcome.items()} if kind is dict else outcome


_DTYPES: Final = {"b": bool, "i": int, "f": float, "O": None}
