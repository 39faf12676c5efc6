"""A comprehension that is returned, and draws, read as `draw.each`: its items are as many laws, and not one of all.

    return tuple(row + draw(laplace(1)) for row in rows)

Each item is a function of its variable, of `draw`, and of what the comprehension sees around it. Where nothing of that
can change, what one item draws says nothing of another one, neither of its value nor of whether and how it is drawn.
Nor does an `if` of the comprehension that sees as little, and draws nothing: it says for which rows there are items.
The comprehension has to stand in what is returned, as it is or in tuples, by the mechanism or by a function that it
calls for what it returns: so nothing else can be done with its items. So has a list, which is appended to in a loop
that does nothing else, and returned as a tuple.

The source is read where it is that of the code that runs. What cannot be read so is run as it is.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any, Final, NamedTuple, TypeVar

from dpverify.mechanisms.functions.fixed_values import key_of_call
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.language.compiled_code import LOOKING, compiled_again, definition_of, names_bound
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue, clamp, clamp_at_last

_EACH: Final = "_dpverify_each"
_CALLED: Final = "_dpverify_called"
_PLAIN: Final = "_dpverify_plain"
_ALONE: Final = "_dpverify_alone"
_OURS: Final = (_EACH, _PLAIN, _CALLED, _ALONE)
"""The names of what a function that is read sees around it, beside what it saw before."""
_ITEM: Final = "_dpverify_item"

_MOST: Final = 1 << 10

_READ: Final[dict[tuple[CodeType, str, bool], CodeType | None]] = {}
"""By the code of a mechanism, its file, and what is read, that of the same so read; None where nothing can be."""


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
    cells[_ALONE] = CellType(clamped_alone)
    around = tuple(cells[name] for name in read.co_freevars)
    result = FunctionType(read, mechanism.__globals__, mechanism.__name__, mechanism.__defaults__, around)
    result.__kwdefaults__ = mechanism.__kwdefaults__
    return result


def each_of(
    draw: Any, function: Callable[..., Any], items: Iterable[Any], has_item: Callable[[Any], Any] | None = None
) -> tuple[Any, ...]:
    """The items of a comprehension, as far as `has_item` holds for them.

    Raises `NotRead` where one of them, or `has_item`, sees what can change.
    """
    try:
        every, having = _without_effect(function, items, has_item)
    except InputError as error:
        raise _not_read(draw, str(error)) from error
    if key_of_call(function, every, {}) is None or (has_item is not None and key_of_call(has_item, (), {}) is None):
        raise _not_read(draw, "a comprehension sees what can change")
    return tuple(draw.each(function, having))


def _not_read(draw: Any, why: str) -> NotRead:
    error = NotRead(why)
    draw.take_note(error)  # a mechanism may catch it
    return error


_RUNS_NO_CODE: Final = (tuple, list, range)
"""The kinds that are gone through without code of the user's."""


def _without_effect(
    function: Callable[..., Any], items: Iterable[Any], has_item: Callable[[Any], Any] | None
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """All items, and those for which `has_item` holds.

    Here they are gone through before the first one is drawn for, and in the program in turn with that: code that runs
    between two of them has to leave all that `function` sees as it was, and may raise nothing that is caught. Raises
    `InputError` where it does not.
    """
    if has_item is None and type(items) in _RUNS_NO_CODE:
        every = tuple(items)
        return every, every
    before = key_of_call(function, (has_item,), {})
    all_items, having = [], []
    try:
        for item in items:
            all_items.append(item)
            if has_item is None or has_item(item):
                having.append(item)
            if before is None or key_of_call(function, (has_item,), {}) != before:
                raise NotRead("a comprehension sees what can change")
    except InputError:
        raise
    except Exception as error:
        raise NotRead("going through the items raises") from error
    return tuple(all_items), tuple(having)


def plain_item(item: Any) -> Any:
    """An item. Raises `NotRead` for a distribution: no comprehension returns one, and it would be drawn from."""
    if isinstance(item, Distribution):
        raise NotRead("an item is a distribution")
    return item


def clamped_alone(function: Callable[..., Any], value: Any, low: Any, high: Any) -> Any:
    """The result of a function, which is returned; noise that is clamped to a wide range stays noise."""
    is_of_noise = function is clamp and isinstance(value, NoiseValue)
    return clamp_at_last(value, low, high) if is_of_noise else function(value, low, high)


def called(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is called for what is returned, with its comprehensions read where it has some."""
    return as_each(function) or function


def _read(mechanism: FunctionType) -> CodeType | None:
    tree = definition_of(mechanism)
    if tree is None or not tree.args.args:
        return None
    reading = _Reading(tree, mechanism)
    if not reading.found:
        return None
    code = compiled_again(tree, mechanism, _OURS)
    known = {*mechanism.__code__.co_freevars, *_OURS}
    return code if code is not None and known.issuperset(code.co_freevars) else None


class _Reading:
    """Puts a call of `each_of` in the place of each comprehension that is read, in the returns of a function."""

    def __init__(self, tree: ast.FunctionDef, mechanism: FunctionType) -> None:
        self.found = False
        self._draw = (tree.args.posonlyargs + tree.args.args)[0].arg
        self._globals = mechanism.__globals__
        self._own = {*mechanism.__code__.co_varnames, *mechanism.__code__.co_cellvars, *mechanism.__code__.co_freevars}
        if self._is_builtin("tuple") and self._draw not in names_bound(tree.body):
            _put_in_place(tree)
            lists = kept_lists(tree)
            for node in _own(tree.body, ast.Return):
                node.value = self._of(node.value)
            for kept in lists:
                value = kept.assigned.value
                kept.assigned.value = self._of(value) if _is_tuple(value) else self._all_of(value)
            _Loops(self, tree, lists).visit(tree)

    def _is_builtin(self, name: str) -> bool:
        return name not in self._own and name not in self._globals

    def _of(self, node: Any, *, is_alone: bool = True) -> Any:
        """The returned expression, with comprehensions in it read; beside others each number that draws, too."""
        if isinstance(node, ast.Tuple):
            node.elts = [self._of(part, is_alone=is_alone and len(node.elts) == 1) for part in node.elts]
            return node
        match node:
            case ast.Call(func=ast.Name(id="tuple"), args=[made], keywords=[]):
                node.args = [self._all_of(made)]
                return node
            case ast.Starred():
                node.value = self._of(node.value) if _is_tuple(node.value) else node.value
                return node
            case ast.BinOp(op=ast.Add(), left=left, right=right) if _are_tuples(node):
                node.left, node.right = self._of(left, is_alone=False), self._of(right, is_alone=False)
                return node
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

    def _all_of(self, made: ast.expr) -> ast.expr:
        """The argument of a `tuple` that is returned, with its items read."""
        match made:
            case ast.GeneratorExp() | ast.ListComp() if self._draws_apart(made):
                made.elt = self._item(made.elt)
                return self._each(made)
        return made

    def _item(self, item: ast.expr) -> ast.expr:
        """An item that is drawn apart: where it is one number, clamped, that is all that is made of the number."""
        match item:
            case ast.Call(func=ast.Name(id="clamp"), args=[_, _, _], keywords=[]) if not any(
                isinstance(arg, ast.Starred) for arg in item.args
            ):
                return ast.copy_location(ast.Call(ast.Name(_ALONE, ast.Load()), [item.func, *item.args], []), item)
        return item

    def item_of(self, loop: ast.For, name: str) -> ast.FunctionDef | None:
        """The function of an item that a loop appends to a list; None for a loop that does more, or draws nothing."""
        tests, (*before, last) = _tests_and_body(loop)
        if loop.orelse or not isinstance(last, ast.Expr) or not isinstance(last.value, ast.Call):
            return None
        draws = any(_named(line, self._draw) for line in (*before, last))
        draws_before = any(_named(part, self._draw) for part in (loop.iter, *tests))
        if not draws or draws_before or any(map(_binds, loop.body)):
            return None
        if any(_named(test, kept) for test in tests for kept in names_bound(loop.body) - names_bound([loop.target])):
            return None  # of the item before
        if not all(map(_assigns, before)):
            return None
        self.found = True
        given = ast.arguments([], [ast.arg(self._draw), ast.arg(_ITEM)], None, [], [], None, [])
        first = ast.Assign([loop.target], ast.Name(_ITEM, ast.Load()))
        item = self._item(last.value.args[0])
        plain = ast.Return(ast.Call(ast.Name(_PLAIN, ast.Load()), [item], []))
        lines = [ast.copy_location(first, loop), *before, ast.copy_location(plain, last)]
        return ast.copy_location(ast.FunctionDef(name, given, lines, [], None, None), loop)

    def each_item(self, function: str, loop: ast.For) -> ast.expr:
        """The call that stands for the items of a loop."""
        has_item = _has_item(loop.target, _tests_and_body(loop)[0])
        named = [ast.Name(self._draw, ast.Load()), ast.Name(function, ast.Load()), loop.iter, *has_item]
        return ast.copy_location(ast.Call(ast.Name(_EACH, ast.Load()), named, []), loop.iter)

    def _draws_apart(self, made: ast.GeneratorExp | ast.ListComp) -> bool:
        """True for a comprehension that goes through items, and draws for each, or for some of them."""
        if len(made.generators) == 1:
            _in_one_step(made)
        _as_one(made)
        match made.generators:
            case [ast.comprehension(target=target, iter=items, ifs=tests, is_async=0)]:
                is_its_own = self._draw not in names_bound([target])
                is_its_own = is_its_own and not any(_named(part, self._draw) for part in (items, *tests))
                return is_its_own and _named(made.elt, self._draw) and not _binds(made)
        return False

    def _each(self, made: ast.GeneratorExp | ast.ListComp) -> ast.Call:
        """A comprehension as a call of `each_of`."""
        self.found = True
        ((target, items, tests),) = ((one.target, one.iter, one.ifs) for one in made.generators)
        one = ast.comprehension(target, ast.Tuple([ast.Name(_ITEM, ast.Load())], ast.Load()), [], 0)
        body = ast.Subscript(ast.ListComp(made.elt, [one]), ast.Constant(0), ast.Load())
        given = ast.arguments([], [ast.arg(self._draw), ast.arg(_ITEM)], None, [], [], None, [])
        return ast.copy_location(self._call(ast.Lambda(given, body), items, *_has_item(target, tests)), made)

    def _call(self, function: ast.Lambda, items: ast.expr, *has_item: ast.expr) -> ast.Call:
        function.body = ast.Call(ast.Name(_PLAIN, ast.Load()), [function.body], [])
        return ast.Call(ast.Name(_EACH, ast.Load()), [ast.Name(self._draw, ast.Load()), function, items, *has_item], [])


def _put_in_place(tree: ast.FunctionDef) -> None:
    """Put a list into the comprehension that goes through it, which is returned, where nothing else has the list."""
    for node in ast.walk(tree):
        held = getattr(node, "body", None)
        body = held if isinstance(held, list) else []
        for place, line in enumerate(body):
            match line, body[-1]:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.ListComp() as value), ast.Return() as last:
                    seen = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
                    once = [one.generators[0] for one in _outermost(last.value)]  # others are gone through again
                    uses = [one for one in once if _says(one.iter, name)]
                    is_only = len(uses) == _times_named(tree, name) - 1 == 1 and not _binds(last)
                    if is_only and seen.isdisjoint(names_bound(body[place + 1 :])):
                        uses[0].iter, body[place] = value, ast.copy_location(ast.Pass(), value)


def _outermost(returned: ast.AST | None) -> Iterator[ast.GeneratorExp | ast.ListComp]:
    """The comprehensions in an expression that are in no other one, and in no function."""
    if isinstance(returned, ast.GeneratorExp | ast.ListComp):
        yield returned
    elif returned is not None and not isinstance(returned, ast.Lambda | ast.SetComp | ast.DictComp):
        for node in ast.iter_child_nodes(returned):
            yield from _outermost(node)


def _in_one_step(made: ast.GeneratorExp | ast.ListComp) -> None:
    """Have a comprehension that goes through what another one makes go through the items of that one."""
    match made.generators:
        case [ast.comprehension(target=target, iter=ast.ListComp() | ast.GeneratorExp() as inner, ifs=[]) as outer] if (
            not any(_named(made.elt, name) for name in names_bound(inner.generators) - names_bound([target]))
        ):
            one = ast.comprehension(outer.target, ast.List([inner.elt], ast.Load()), [], 0)
            made.elt = ast.Subscript(ast.ListComp(made.elt, [one]), ast.Constant(0), ast.Load())
            made.generators = inner.generators


def _as_one(made: ast.GeneratorExp | ast.ListComp) -> None:
    """Have a comprehension that goes through items of items go through what all of these are together."""
    if len(made.generators) > 1 and not any(one.is_async for one in made.generators):
        names = sorted(names_bound([one.target for one in made.generators]))
        every = ast.ListComp(ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load()), made.generators)
        target = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        made.generators = [ast.comprehension(target, every, [], 0)]


class _Loops(ast.NodeTransformer):
    """Puts `kept.extend(each_of(…))` in the place of each loop that does nothing but append to a list that is kept."""

    def __init__(self, reading: _Reading, tree: ast.FunctionDef, lists: Iterable[KeptList]) -> None:
        self._reading = reading
        self._tree = tree
        self._calls = [call for kept in lists for call in kept.appended]
        self._read = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """The function itself, and none within it."""
        return self.generic_visit(node) if node is self._tree else node

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.AST]:
        """A loop, or the function of its items and what goes through them."""
        last = _tests_and_body(node)[1][-1]
        call = next((call for call in self._calls if isinstance(last, ast.Expr) and last.value is call), None)
        if call is None or not self._keeps_to_itself(node):
            return self.generic_visit(node)
        name = f"{_ITEM}_{self._read}"
        item = self._reading.item_of(node, name)
        if item is None:
            return self.generic_visit(node)
        self._read += 1
        assert isinstance(call.func, ast.Attribute), "it appends"
        extend = ast.Attribute(call.func.value, "extend", ast.Load())
        every = ast.Expr(ast.Call(extend, [self._reading.each_item(name, node)], []))
        return [item, ast.copy_location(every, node)]

    def _keeps_to_itself(self, loop: ast.For) -> bool:
        """True where the names that a loop binds are used nowhere else."""
        names = names_bound([loop.target, *loop.body])
        return all(_times_named(self._tree, name) == _times_named(loop, name) for name in names)


def _tests_and_body(loop: ast.For) -> tuple[list[ast.expr], list[ast.stmt]]:
    """The conditions under which a loop does something for an item, and what it does."""
    match loop.body:
        case [ast.If(test=test, body=body, orelse=[])]:
            return [test], body
    return [], loop.body


def _has_item(target: ast.expr, tests: Sequence[ast.expr]) -> list[ast.expr]:
    """The function that says of an item whether there is one in what is made; none where nothing is asked of it."""
    if not tests:
        return []
    items = ast.Tuple([ast.Name(_ITEM, ast.Load())], ast.Load())
    one = ast.comprehension(copy.deepcopy(target), items, copy.deepcopy(list(tests)), 0)
    given = ast.arguments([], [ast.arg(_ITEM)], None, [], [], None, [])
    return [ast.Lambda(given, ast.ListComp(ast.Constant(None), [one]))]


def _assigns(line: ast.stmt) -> bool:
    """True for a statement that assigns something to variables, or to such where something holds."""
    match line:
        case ast.Assign():
            return all(map(_is_of_names, line.targets))
        case ast.AugAssign():
            return _is_of_names(line.target)
        case ast.If():
            return all(map(_assigns, [*line.body, *line.orelse]))
    return False


def _is_of_names(target: ast.expr) -> bool:
    """True for variables, and tuples of such, to which something is assigned."""
    return isinstance(target, ast.Name) or (isinstance(target, ast.Tuple) and all(map(_is_of_names, target.elts)))


def _binds(node: ast.AST) -> bool:
    """True where an expression does something to what is around it, or is none that ends in one go."""
    doing = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Starred)
    return any(isinstance(one, doing) or (isinstance(one, ast.Name) and one.id in LOOKING) for one in ast.walk(node))


class KeptList(NamedTuple):
    """A variable that is returned, a list as `tuple(variable)`, and used for nothing else but to append."""

    assigned: ast.Assign
    appended: list[ast.Call]


def kept_lists(tree: ast.FunctionDef) -> list[KeptList]:
    """The lists that a function makes in order to return what they hold."""
    results: list[KeptList] = []
    if any(_named(tree, name) for name in LOOKING):
        return results
    for assigned in _own(tree.body, ast.Assign):
        match assigned.targets:
            case [ast.Name(id=name)] if not isinstance(assigned.value, ast.GeneratorExp):  # which runs later
                appended = [call for call in _own(tree.body, ast.Call) if _appends(call, name)]
                statements = {id(one.value) for one in _own(tree.body, ast.Expr)}
                uses = (
                    1
                    + len(appended)
                    + sum(_times_returned(name, node.value, assigned) for node in _own(tree.body, ast.Return))
                )
                if uses == _times_named(tree, name) and all(id(call) in statements for call in appended):
                    results.append(KeptList(assigned, appended))
    return results


def _appends(call: ast.Call, name: str) -> bool:
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=to), attr="append"), args=[_], keywords=[]):
            return to == name
    return False


def _times_returned(name: str, returned: ast.expr | None, assigned: ast.Assign) -> int:
    """The number of times that a variable is returned as a tuple, by itself or in tuples."""
    match returned:
        case ast.Tuple():
            return sum(_times_returned(name, part, assigned) for part in returned.elts)
        case ast.Call(func=ast.Name(id="tuple"), args=[ast.Name(id=made)], keywords=[]):
            return int(made == name)
        case ast.Starred(value=ast.Name(id=made)):
            return int(made == name)
        case ast.BinOp(op=ast.Add(), left=left, right=right) if _are_tuples(returned):
            return _times_returned(name, left, assigned) + _times_returned(name, right, assigned)
        case ast.Name(id=made):
            return int(made == name and _is_tuple(assigned.value))
    return 0


def _are_tuples(returned: ast.expr) -> bool:
    """True for a tuple that is returned, written out or made of others: a sum of tuples is one after another."""
    match returned:
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _are_tuples(left) and _are_tuples(right)
    return isinstance(returned, ast.Tuple) or _is_tuple(returned)


def _is_tuple(made: ast.expr) -> bool:
    match made:
        case ast.Call(func=ast.Name(id="tuple"), args=[_], keywords=[]):
            return True
    return False


def _times_named(tree: ast.AST, name: str) -> int:
    """The number of times that a name stands in some code, as a variable or in another way."""
    return sum(_says(node, name) for node in ast.walk(tree) if not isinstance(node, _NO_VARIABLES))


def _says(node: ast.AST, name: str) -> bool:
    """True where the name is among the texts of a node: that of a variable, of an argument, or one of a `global`."""
    texts = [value for _, value in ast.iter_fields(node)]
    return name in texts or any(isinstance(text, list) and name in text for text in texts)


_NO_VARIABLES: Final = (ast.Attribute, ast.keyword, ast.Constant)
"""Nodes whose texts are no variables."""

_Node = TypeVar("_Node", bound=ast.AST)


def _own(body: Iterable[ast.stmt], kind: type[_Node]) -> Iterator[_Node]:
    """The nodes of a kind that are a function's own, and not of functions within it."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, kind):
            yield node
        waiting.extend(ast.iter_child_nodes(node))


def _named(node: ast.AST, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node))
