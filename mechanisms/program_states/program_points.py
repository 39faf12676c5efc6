"""The program points of a mechanism: its tree cut where loops that draw begin, and behind statements that draw.

A stretch between two points is a function of the variables that are live at its beginning. It returns the point that it
leads to, with the variables that are live there, or `END` with what the mechanism returns. Comprehensions that draw are
loops (see `evaluation_order`). Functions keep file, lines and name, so that errors say where they arose.

A function that is called and draws in loops has points of its own, unless it calls itself. One of its variables holds
the point behind its call with what is live there; what it returns leads to a point at which nothing but that is taken.
"""

from __future__ import annotations

import ast
import builtins
import dis
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from functools import partial
from itertools import chain
from types import CellType, CodeType, FunctionType
from typing import Any, Final, NamedTuple, TypeGuard

from dpverify.mechanisms.functions.places import codes_in
from dpverify.mechanisms.functions.watched_rows import WatchedRows, in_no_order
from dpverify.mechanisms.language.compiled_code import LOOKING, compiled_again, definition_of, names_bound
from dpverify.mechanisms.numbers.cached_results import identity
from dpverify.mechanisms.program_states.evaluation_order import (
    FOLDS,
    LISTED_FIRST,
    CallStatement,
    EvaluationOrder,
    ItemStatement,
    LastCall,
    is_variable,
    mentioned,
    names_that_draw,
)
from dpverify.mechanisms.program_states.weights import NotBySteps

END: Final = -1
"""The place of a point at which the mechanism has returned."""

ITEM: Final = ".item"
"""The variable that holds the next item of a loop."""

_RESULT: Final = "."
"""The variable that holds what a function has returned that was called: the first one of all in order."""

IN_NO_ORDER: Final = ".in no order"
"""The function that gives rows to one that gives the same in every order of them."""

KEPT: Final = ".kept"
"""The variable that holds the point behind the call of a function, and what is live there."""


class Loop(NamedTuple):
    """The head of a `for`: the variable of what is left to go through, and the points of its body and behind it."""

    left: str
    body: int
    behind: int


class ProgramPoint(NamedTuple):
    """A program point: the variables that are live there, in order, and the stretch that begins there, or a loop."""

    live: tuple[str, ...]
    named: frozenset[str]
    """The variables that the stretch names: it hands on others as they are."""
    bound: frozenset[str]
    """The variables that the stretch binds."""
    seen: frozenset[str]
    """The variables that functions may see which the stretch makes."""
    code: Callable[..., Any] | None
    """None at the head of a loop, and where a function has returned."""
    loop: Loop | None
    line: int
    has_rounds: bool = False
    """True at the head of a `while`."""
    appended: frozenset[str] = frozenset()
    """The variables with which the stretch does nothing but append, where they are lists."""


class Unbound(Enum):
    """The value of a variable that is not bound, which the next stretch unbinds again before it begins."""

    UNBOUND = "unbound"


def _held(value: Callable[[], Any]) -> Any:
    try:
        return value()
    except NameError:
        return Unbound.UNBOUND


def _in_no_order(rows: Any) -> Any:
    """Rows for a function that gives the same in every order of them: watched ones where equal ones are alike."""
    values = in_no_order(rows) if type(rows) is WatchedRows else ()
    is_known = {*map(type, values)} in [{kind} for kind in (int, bool, str, Fraction)]
    return values if is_known else rows


_OURS: Final = {
    ".held": CellType(_held),
    ".unbound": CellType(Unbound.UNBOUND),
    IN_NO_ORDER: CellType(_in_no_order),
}


class _Jump(ast.Return):
    """The end of a stretch, which leads to another point."""

    point: int


class _Call(_Jump):
    """The end of a stretch that calls a function, behind which is another point."""


def points_of(mechanism: Any, *, at_rows: bool = False, apart: bool = False) -> list[ProgramPoint]:
    """The points of a mechanism, the first one its beginning. A loop over its rows has some `at_rows` if it draws not.

    Where items are to be kept `apart` they are before and behind loops, and behind each item of a display, alone.
    Raises `NotBySteps` where it has no loop that draws, or cannot be cut.
    """
    program = _Program(apart=apart)
    program.points[0] = program.cut(mechanism, 0, 1 if at_rows else None, ends=True)
    return program.points


class _Program:
    """The points of a mechanism and of the functions that it calls."""

    def __init__(self, *, apart: bool) -> None:
        self._apart = apart
        self.points: list[Any] = [None]
        self._first: dict[tuple[FunctionType, int, int | None, bool], ProgramPoint | NotBySteps] = {}
        self._within: list[FunctionType] = []

    def first_of(self, function: FunctionType, draw: int, rows: int | None, *, ends: bool) -> ProgramPoint | NotBySteps:
        """The first point of a function that is called, whose arguments at these places are `draw` and the rows."""
        key = function, draw, rows, ends
        if key not in self._first:
            try:
                if function in self._within:
                    raise NotBySteps("it calls itself")
                self._first[key] = self.cut(function, draw, rows, ends=ends)
            except NotBySteps as why:
                if function in self._within:
                    return why
                self._first[key] = why
        return self._first[key]

    def cut(self, mechanism: Any, draw: int, rows: int | None, *, ends: bool) -> ProgramPoint:
        """The first point of a function, behind which its others are put; it `ends` where what it returns is all."""
        tree = definition_of(mechanism) if type(mechanism) is FunctionType else None
        if tree is None or len(args := [*tree.args.posonlyargs, *tree.args.args]) <= draw:
            raise NotBySteps("it is no function that is read")
        of_rows = args[rows].arg if rows is not None and len(args) > rows else None
        name, names = args[draw].arg, {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
        if names & LOOKING or name in names_bound(tree.body):
            raise NotBySteps("it looks at its names, or binds that of `draw` again", tree.lineno)
        for node in filter(_is_not_cut, ast.walk(tree)):
            raise NotBySteps(f"{type(node).__name__} is not cut", getattr(node, "lineno", tree.lineno))
        code = mechanism.__code__
        own, known = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}, mechanism.__globals__
        of_python = known.get("__builtins__", builtins)
        known = {**(of_python if isinstance(of_python, dict) else vars(of_python)), **known}
        names = {
            name for name in (*FOLDS, *LISTED_FIRST) if name not in own and known.get(name) is getattr(builtins, name)
        }
        drawn = names_that_draw(tree, name) if self._apart else {name}
        takes_rows = [*map(_put_in_no_order, _taken_at_once(tree, of_rows, names))]
        whys = list[NotBySteps]()

        def called(call: ast.Call, *, is_last: bool) -> ProgramPoint | None:
            if self._apart and not (is_last and ends):
                return None  # what it returns would not be one item
            found = _called(mechanism, call, name, of_rows)
            first = found and self.first_of(*found, ends=is_last and ends)
            if isinstance(first, NotBySteps):
                whys.append(first)
            return first if isinstance(first, ProgramPoint) else None

        self._within.append(mechanism)
        try:
            tree.body = EvaluationOrder(drawn, of_rows, names, called, apart=self._apart).lines(tree.body)
            cutting = _Cutting(tree, name, drawn, of_rows, apart=self._apart, ends=ends)
            if not cutting.has_loops and not takes_rows:
                raise NotBySteps(whys[-1].why if whys else "no loop of it draws", tree.lineno)
            first, *others = cutting.points(mechanism, len(self.points) - 1)
        finally:
            self._within.pop()
        self.points += others
        return first


def _taken_at_once(tree: ast.AST, rows: str | None, of_python: set[str]) -> Iterator[ast.Call]:
    """The calls of functions of Python, also through guards, that give the same in every order of all their rows."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(name), args=[*guarded, last]) if rows and is_variable(last, rows):
                if guarded:
                    name = name[1:] if len(guarded) == 1 and is_variable(guarded[0], name[1:]) else ""
                if name in of_python & _OF_ALL and all(each.arg != "key" for each in node.keywords):
                    yield node


_OF_ALL: Final = {"sum", "any", "all", "max", "min", "sorted"}


def _put_in_no_order(call: ast.Call) -> None:
    name = ast.Name(IN_NO_ORDER, ast.Load())
    call.args[-1] = ast.fix_missing_locations(ast.copy_location(ast.Call(name, [call.args[-1]], []), call))


def _called(
    mechanism: FunctionType, call: ast.Call, draw: str, rows: str | None
) -> tuple[FunctionType, int, int | None] | None:
    """The function that a mechanism calls with its `draw`, with the places of that and of its rows; None of others."""
    places = {each.id: i for i, each in enumerate(call.args) if isinstance(each, ast.Name)}
    if not isinstance(call.func, ast.Name) or draw not in places:
        return None
    if any(isinstance(each, ast.Starred) for each in call.args):
        return None
    name, code, around = call.func.id, mechanism.__code__, _seen_around(mechanism)
    is_own = name in (*code.co_varnames, *code.co_cellvars)
    found = _held(lambda: around[name].cell_contents) if name in around else mechanism.__globals__.get(name)
    return (found, places[draw], places.get(rows or "")) if not is_own and type(found) is FunctionType else None


_NOT_CUT: Final = (
    *(ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.ClassDef),
    *(ast.AsyncFunctionDef,),
)


def _is_not_cut(node: ast.AST) -> bool:
    if isinstance(node, ast.Try) and node.finalbody:  # what it does last, a jump out of it would not hand on
        return any(isinstance(each, ast.Break | ast.Continue) for each in ast.walk(node))
    if isinstance(node, ast.GeneratorExp):  # what it binds when it is run at last, the stretch there would not see
        return any(isinstance(each, ast.NamedExpr) for each in ast.walk(node))
    return isinstance(node, _NOT_CUT)


# --- Cutting


class _Cutting:
    """Cuts the statements of a function; each point has its statements, or a loop."""

    def __init__(
        self, tree: ast.FunctionDef, draw: str, drawn: set[str], rows: str | None, *, apart: bool, ends: bool
    ) -> None:
        self._draw, self._drawn, self._rows, self._apart = draw, drawn, rows, apart
        self._tree, self._back, self._calls = tree, 0, dict[str, ProgramPoint]()
        if not ends:
            tree.args.kwonlyargs.append(ast.arg(KEPT))
            tree.args.kw_defaults.append(None)
        self._arguments = {each.arg for each in ast.walk(tree.args) if isinstance(each, ast.arg)} - {draw}
        self._bodies: list[list[ast.stmt]] = []
        self._loops: dict[int, Loop] = {}
        self._whiles: set[int] = set()
        self.has_loops = False
        end = ast.copy_location(ast.Return(ast.Constant(None)), tree.body[-1])
        first = self._new()
        if not ends:
            self._back = self._new()
            self._bodies[self._back] = [
                ast.copy_location(ast.Expr(ast.Name(each, ast.Load())), end) for each in (_RESULT, KEPT)
            ]
        self._bodies[first] = [*self._cut([*tree.body, ast.fix_missing_locations(end)], END, None)]

    def _new(self) -> int:
        self._bodies.append([])
        return len(self._bodies) - 1

    def _point(self, body: Sequence[ast.stmt], behind: int, around: tuple[int, int] | None) -> int:
        """The point at which statements begin that lead to the point behind them."""
        if not body:
            return behind
        point = self._new()
        self._bodies[point] = [*self._cut(body, behind, around)]
        return point

    def _cut(self, body: Sequence[ast.stmt], behind: int, around: tuple[int, int] | None) -> Iterator[ast.stmt]:
        """The statements up to the first point, and jumps to it; `around` are the loop's head and the point behind."""
        for place, line in enumerate(body):
            if isinstance(line, CallStatement | LastCall):
                yield self._called(line, body[place + 1 :], behind, around)
                return
            if not self._is_cut(line) or isinstance(line, ast.Return | ast.Raise) or self._is_last(body, place):
                yield from self._left(line, around)
                if isinstance(line, ast.Return | ast.Raise | ast.Break | ast.Continue):
                    return
                continue
            after = self._point(body[place + 1 :], behind, around)
            if isinstance(line, ast.For | ast.While):
                yield from self._loop(line, after, around)
            elif isinstance(line, ast.If):
                line.body = [*self._cut(line.body, after, around)]
                line.orelse = [*self._cut(line.orelse, after, around)] or [_jump(after, line)]
                yield line
            else:
                yield from self._left(line, around)
                yield _jump(after, line)
            return
        if body:
            yield _jump(behind, body[-1])

    def _left(self, line: ast.stmt, around: tuple[int, int] | None) -> list[ast.stmt]:
        found = _Leaving(around, self._back).visit(line)
        return found if isinstance(found, list) else [found]

    def _called(
        self, line: CallStatement | LastCall, rest: Sequence[ast.stmt], behind: int, around: tuple[int, int] | None
    ) -> ast.stmt:
        """The end of a stretch that calls a function with points of its own."""
        self.has_loops, name, call = True, f".call{len(self._calls)}", line.value
        assert isinstance(call, ast.Call), "it is one"
        self._calls[name] = line.first
        keywords = [*call.keywords]
        if isinstance(line, CallStatement) or self._back:
            keywords.append(ast.keyword(KEPT, ast.Name(KEPT, ast.Load())))
        value = ast.Call(ast.Name(name, ast.Load()), call.args, keywords)
        made: ast.stmt = ast.Return(value)
        if isinstance(line, CallStatement):
            result = ast.copy_location(ast.Assign(line.targets, ast.Name(_RESULT, ast.Load())), line)
            made = _Call(value)
            made.point = self._point([result, *rest], behind, around)
        return ast.fix_missing_locations(ast.copy_location(made, line))

    def _is_cut(self, line: ast.stmt) -> bool:
        """True for a statement that draws, or goes through rows."""
        loops = [each for each in ast.walk(line) if isinstance(each, ast.For | ast.While | ItemStatement)]
        if any(isinstance(each, ast.For) and is_variable(each.iter, self._rows) for each in loops if self._rows):
            return True
        return not self._drawn.isdisjoint(mentioned(loops if self._apart else [line]))

    def _is_last(self, body: Sequence[ast.stmt], place: int) -> bool:
        """True for a simple statement before the next point: its paths go on to there, and are merged there."""
        if isinstance(body[place], ItemStatement):
            self.has_loops = True
            return False
        after = (line for line in body[place + 1 :] if self._is_cut(line))
        simple = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr
        return isinstance(body[place], simple) and isinstance(next(after, None), ast.For | ast.While | None)

    def _loop(self, line: ast.For | ast.While, after: int, around: tuple[int, int] | None) -> Iterator[ast.stmt]:
        self.has_loops = True
        head, past = self._new(), self._point(line.orelse, after, around)
        if isinstance(line, ast.For):
            left, inner = f".left{head}", self._new()
            yield ast.copy_location(ast.Assign([ast.Name(left, ast.Store())], line.iter), line)
            item = ast.copy_location(ast.Assign([line.target], ast.Name(ITEM, ast.Load())), line)
            self._bodies[inner] = [item, *self._cut(line.body, head, (head, after))]
            self._loops[head] = Loop(left, inner, past)
            self._bodies[head] = [_jump(past, line)]
        else:
            self._whiles.add(head)
            goes_on = [*self._cut(line.body, head, (head, after))]
            self._bodies[head] = [ast.copy_location(ast.If(line.test, goes_on, [_jump(past, line)]), line)]
        yield _jump(head, line)

    def points(self, mechanism: FunctionType, before: int) -> list[ProgramPoint]:
        """All points, with the functions of their stretches, where so many are before the second one.

        Raises `NotBySteps` where one cannot be compiled.
        """
        own = {*names_bound(chain.from_iterable(self._bodies)), *self._arguments, ITEM, _RESULT}
        order = [tuple(sorted(each & own)) for each in self._live()]
        perhaps, order[0] = {*order[0]} - self._arguments, ()  # read on some path before they are bound
        cells = {**_seen_around(mechanism), **{name: CellType(each.code) for name, each in self._calls.items()}}
        variables = {*mechanism.__code__.co_varnames, *mechanism.__code__.co_cellvars}
        found: list[ProgramPoint] = []
        for point, body in enumerate(self._bodies):
            loop, line = self._loops.get(point), body[0].lineno
            bound = frozenset({loop.left} if loop else names_bound(body))
            named = bound if loop else bound | mentioned(body)
            appended = _appended(body)
            for node in (each for line in body for each in ast.walk(line) if isinstance(each, _Jump)):
                state = [_loaded(name, is_bound=name not in perhaps) for name in order[node.point]]
                there = ast.Constant(node.point + before)
                if isinstance(node, _Call):
                    assert isinstance(node.value, ast.Call), "see _called"
                    node.value.keywords[-1].value = ast.Tuple([there, *state[1:]], ast.Load())
                    named |= {*order[node.point]}
                else:
                    node.value = ast.Tuple([there, ast.Tuple(state, ast.Load())], ast.Load())
                ast.fix_missing_locations(node)
            given = [ast.arg(name) for name in (self._draw, *order[point])]
            body[:0] = [_unbound(name) for name in order[point] if name in perhaps]
            if perhaps and not point:  # so that these are its own
                names: list[ast.expr] = [ast.Name(name, ast.Store()) for name in perhaps]
                body.insert(0, ast.If(ast.Constant(False), [ast.Assign(names, ast.Constant(None))], []))
            args = ast.arguments([], given, None, [], [], None, []) if point else self._tree.args
            one = ast.copy_location(ast.FunctionDef(self._tree.name, args, body, [], None, None), self._tree)
            is_run = loop is None and (not point or point != self._back)
            code = compiled_again(one, mechanism, [*_OURS, *self._calls]) if is_run else None
            if is_run and (code is None or not cells.keys() >= {*code.co_freevars} or variables & _globals(code)):
                # a variable that is taken for a global would be another value
                raise NotBySteps("a stretch is not compiled", line)
            own_of = partial(_of_function, before)
            calls = [each for name, each in self._calls.items() if code and name in code.co_freevars]
            found.append(
                ProgramPoint(
                    tuple(map(own_of, order[point])),
                    frozenset(map(own_of, named)),
                    frozenset(map(own_of, bound)),
                    frozenset(map(own_of, code.co_cellvars if code else ())).union(*(each.seen for each in calls)),
                    code and _function(code, mechanism, cells),
                    loop and Loop(own_of(loop.left), loop.body + before, loop.behind + before),
                    line,
                    point in self._whiles,
                    frozenset(map(own_of, appended)),
                )
            )
        made = found[0].code
        assert made is not None, "no loop is there"
        made.__defaults__, made.__kwdefaults__ = mechanism.__defaults__, mechanism.__kwdefaults__
        return found

    def _live(self) -> list[frozenset[str]]:
        """The variables that are live at each point, as far as they are the function's own."""
        live, before = [frozenset[str]() for _ in self._bodies], None
        while live != before:
            before = [*live]
            for point in reversed(range(len(live))):
                loop = self._loops.get(point)
                live[point] = (
                    _Liveness(live).before(self._bodies[point], frozenset()) - {self._draw}
                    if loop is None
                    else (live[loop.body] - {ITEM}) | live[loop.behind] | {loop.left}
                )
        return live


def _seen_around(mechanism: FunctionType) -> dict[str, CellType]:
    """The cells that a stretch of a mechanism may see, by their names."""
    return {**_OURS, **dict(zip(mechanism.__code__.co_freevars, mechanism.__closure__ or (), strict=True))}


def _function(code: CodeType, mechanism: FunctionType, cells: Mapping[str, CellType]) -> FunctionType:
    around = tuple(cells[name] for name in code.co_freevars)
    named = code.replace(co_qualname=mechanism.__code__.co_qualname)
    if len(_WHOLE) >= _MOST:
        _WHOLE.clear()
    _WHOLE[identity(named)] = named, mechanism.__code__
    return FunctionType(named, mechanism.__globals__, mechanism.__name__, None, around)


def _appended(body: Sequence[ast.stmt]) -> frozenset[str]:
    """The variables that are named in statements that append to them alone."""
    nodes = [each for line in body for each in ast.walk(line)]
    named = Counter(each.id for each in nodes if isinstance(each, ast.Name))
    put = Counter[str]()
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"))):
                put[name] += 1
    return frozenset(name for name, times in put.items() if times == named[name])


def _loaded(name: str, *, is_bound: bool) -> ast.expr:
    """A variable; where it may not be bound, it or what stands for that."""
    loaded = ast.Name(name, ast.Load())
    none = ast.arguments([], [], None, [], [], None, [])
    return loaded if is_bound else ast.Call(ast.Name(".held", ast.Load()), [ast.Lambda(none, loaded)], [])


def _unbound(name: str) -> ast.stmt:
    test = ast.Compare(ast.Name(name, ast.Load()), [ast.Is()], [ast.Name(".unbound", ast.Load())])
    return ast.If(test, [ast.Delete([ast.Name(name, ast.Del())])], [])


_MOST: Final = 1 << 12
_WHOLE: Final[dict[int, tuple[CodeType, CodeType]]] = {}
"""By the identity of the code of a stretch, which is kept with it, that of its mechanism."""


def code_as_written(code: CodeType) -> CodeType:
    """The code of the mechanism of a stretch; of any other code itself."""
    return _WHOLE.get(identity(code), (code, code))[1]


def _globals(code: CodeType) -> set[str]:
    """The names that compiled code takes for globals: of what was made of a tree, whatever liveness has said of it."""
    steps = (step for each in codes_in(code) for step in dis.get_instructions(each))
    return {str(step.argval) for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}


def _of_function(number: int, name: str) -> str:
    """The name of a variable of a function, which no variable of another one has."""
    return name if name == ITEM else f"{number}.{name}"


def _jump(point: int, where: ast.AST) -> ast.stmt:
    made = _Jump()
    made.point = point
    return ast.fix_missing_locations(ast.copy_location(made, where))


class _Leaving(ast.NodeTransformer):
    """Puts jumps in the place of what leaves a stretch: returns, and where the loop around is cut its `break`s."""

    def __init__(self, around: tuple[int, int] | None, back: int = 0) -> None:
        """Statements where what is returned leads to the point `back`, if there is one, and else to the end."""
        self._around, self._back = around, back

    def visit(self, node: ast.AST) -> Any:
        """Functions within it have their own, and loops that are not cut."""
        if isinstance(node, ast.FunctionDef | ast.Lambda | _Jump):
            return node
        if isinstance(node, ast.For | ast.While):
            behind, node.orelse = [*map(self.visit, node.orelse)], []  # which leaves the loop around
            _Leaving(None, self._back).generic_visit(node)
            node.orelse = behind
            return node
        if isinstance(node, ast.Return):
            value = node.value or ast.Constant(None)
            if self._back:
                result = ast.Assign([ast.Name(_RESULT, ast.Store())], value)
                return [ast.fix_missing_locations(ast.copy_location(result, node)), _jump(self._back, node)]
            end = ast.Return(ast.Tuple([ast.Constant(END), value], ast.Load()))
            return ast.fix_missing_locations(ast.copy_location(end, node))
        if isinstance(node, ast.Break | ast.Continue) and self._around is not None:
            return _jump(self._around[isinstance(node, ast.Break)], node)
        return self.generic_visit(node)


class _Liveness:
    """The variables that are live before statements, where those of the points that they jump to are known."""

    def __init__(self, live: Sequence[frozenset[str]]) -> None:
        self._live = live
        self._loops: list[tuple[frozenset[str], frozenset[str]]] = []
        """Those before and behind each loop around that is not cut."""

    def before(self, body: Sequence[ast.stmt], after: frozenset[str]) -> frozenset[str]:
        """The variables that are live before a body behind which others are."""
        for line in reversed(body):
            after = self._of(line, after)
        return after

    def _of(self, line: ast.stmt, after: frozenset[str]) -> frozenset[str]:
        match line:
            case _Call():
                return (self._live[line.point] - {_RESULT}) | mentioned([line.value])
            case _Jump():
                return self._live[line.point]
            case ast.Return() | ast.Raise():
                return mentioned([line])
            case ast.If():
                inner = self.before(line.body, after) | self.before(line.orelse, after)
                return inner | mentioned([line.test])
            case ast.For() | ast.While():
                return self._of_loop(line, after)
            case ast.Break():
                return self._loops[-1][1]
            case ast.Continue():
                return self._loops[-1][0]
            case ast.Assign() | ast.AnnAssign(value=ast.expr()):
                targets = line.targets if isinstance(line, ast.Assign) else [line.target]
                stored_there = {each.id for node in targets for each in ast.walk(node) if _is_stored(each)}
                return (after - stored_there) | (mentioned(targets) - stored_there) | mentioned([line.value])
        jumps = (self._live[each.point] for each in ast.walk(line) if isinstance(each, _Jump))
        return after.union(mentioned([line]), *jumps)

    def _of_loop(self, line: ast.For | ast.While, after: frozenset[str]) -> frozenset[str]:
        left, first = self.before(line.orelse, after), [line.iter if isinstance(line, ast.For) else line.test]
        bound = names_bound([line.target]) if isinstance(line, ast.For) else set()
        head: frozenset[str] | None = None
        while head != left:
            head = left if isinstance(line, ast.For) else left | mentioned(first)
            self._loops.append((head, after))
            left = head | (self.before(line.body, head) - bound)
            self._loops.pop()
        return left | mentioned(first)


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
