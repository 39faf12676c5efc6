"""A loop that draws until it returns, read as rounds that are drawn anew until one is accepted: `draw.until`.

    while True:
        noisy = count + draw(laplace(1))
        if 0 <= noisy and noisy <= bound:
            return noisy

The body becomes a function, each of whose rounds begins with nothing of what a round binds: one that reads what another
has bound before it reads a variable that is not bound, which raises. All paths of a round are run, so that where none
raises none reads such a variable. If one does, the function is handed those that the code may read so, and rounds pass
them on, where they are plain values, and few. What else a round could leave to the next one, by what it changes, is
refused as of a sub-mechanism. Only code that handles no exceptions is read; the source has to be that of the code that
runs, and what cannot be read is run as it is.
"""

from __future__ import annotations

import ast
import dis
import inspect
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from types import CellType, CodeType, FunctionType
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.drawing.comprehensions import LOOKING, compiled_again, definition_of
from dpverify.mechanisms.drawing.rounds import Next
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.functions.places import codes_in
from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.remembered import identity

_UNTIL: Final = "_dpverify_until"
_AGAIN: Final = "_dpverify_again"
_ROUND: Final = "_dpverify_round"
_NEXT: Final = "_dpverify_next"
_OURS: Final = (_UNTIL, _AGAIN, _NEXT)
"""The names of what a function that is read sees around it, beside what it saw before."""

_NO_ROUND: Final = (
    *(ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.AsyncFor, ast.Yield, ast.YieldFrom, ast.Await),
    *(ast.ClassDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom, ast.Delete, ast.NamedExpr, ast.Match),
)
"""Code that handles exceptions, or binds names in ways that are not looked into."""

_MOST: Final = 1 << 12


class _Loop(NamedTuple):
    """A code, and that of the same with its loop read; None where there is none. Both are known by their identities."""

    code: CodeType
    read: CodeType | None


_LOOPS: Final[dict[tuple[int, bool], _Loop]] = {}
"""By the identity of the code of a mechanism, and the way in which it is read."""

_AS_READ: Final[dict[int, _Loop]] = {}
"""By the identity of the code with the loop read."""


class _Again:
    """The outcome of a round after which another one begins; one object, which no mechanism has."""


_ONE_MORE: Final = _Again()


def _is_kept(outcome: Any) -> bool:
    return type(outcome) is not _Again


def _until(draw: Any, one: FunctionType, *values: Any) -> Any:
    one.__qualname__ = one.__qualname__.split(".<locals>.")[1]  # that of the mechanism
    if not values:
        return draw.until(one, _is_kept)
    try:
        return draw.call.drawn_from(one, values)
    except (InputError, Undecided) as error:
        draw.take_note(error)
        raise


def as_rounds(mechanism: Mechanism, *, pass_on: bool) -> Mechanism | None:
    """The mechanism with its loop read as `draw.until`, or as rounds that `pass_on` values; None where it has none.

    Where it runs it raises if its rounds are not independent: that is for whoever runs it to find.
    """
    if type(mechanism) is not FunctionType:
        return None
    code = mechanism.__code__
    loop = _LOOPS.get((identity(code), pass_on)) or _new_loop(mechanism, code, pass_on=pass_on)
    read = loop.read
    if read is None:
        return None
    cells = dict(zip(code.co_freevars, mechanism.__closure__ or (), strict=True))
    cells |= {_UNTIL: CellType(_until), _AGAIN: CellType(_ONE_MORE), _NEXT: CellType(Next.after)}
    around = tuple(cells[name] for name in read.co_freevars)
    result = FunctionType(read, mechanism.__globals__, mechanism.__name__, mechanism.__defaults__, around)
    result.__kwdefaults__ = mechanism.__kwdefaults__
    result.__qualname__ = mechanism.__qualname__
    return result


def _new_loop(mechanism: FunctionType, code: CodeType, *, pass_on: bool) -> _Loop:
    if len(_LOOPS) >= _MOST:
        _LOOPS.clear()
        _AS_READ.clear()
    loop = _LOOPS[identity(code), pass_on] = _Loop(code, _read(mechanism, pass_on=pass_on) if _may_loop(code) else None)
    if loop.read is not None:
        _AS_READ[identity(loop.read)] = loop
    return loop


def code_as_written(code: CodeType) -> CodeType:
    """The code of the mechanism of which this one has the loop read; of any other the code itself."""
    loop = _AS_READ.get(identity(code))
    return code if loop is None else loop.code


def _may_loop(code: CodeType) -> bool:
    """True where a function jumps back to what is no iterator."""
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return False
    instructions = list(dis.get_instructions(code))
    iterating = {one.offset for one in instructions if one.opname == "FOR_ITER"}
    return any("JUMP_BACKWARD" in one.opname and one.argval not in iterating for one in instructions)


def _read(mechanism: FunctionType, *, pass_on: bool) -> CodeType | None:
    tree = definition_of(mechanism)
    if tree is None:
        return None
    first = tree.args.posonlyargs + tree.args.args
    loops = [i for i, line in enumerate(tree.body) if isinstance(line, ast.While)]
    if not first or len(loops) != 1 or any(isinstance(one, ast.Global | ast.Nonlocal) for one in ast.walk(tree)):
        return None
    (place,) = loops
    loop = tree.body[place]
    assert isinstance(loop, ast.While), "it is one"
    before, after = tree.body[:place], tree.body[place + 1 :]
    known = {one.arg for one in ast.walk(tree.args) if isinstance(one, ast.arg)} | _bound(before)
    passed = sorted(_read_before_bound(loop, after) & known - {first[0].arg}) if pass_on else []
    body = _round(loop, after, first[0].arg, passed)
    if body is None or _bound(body) & _read_within(before):
        return None
    given = [ast.arg(name) for name in (first[0].arg, *passed)]
    one = ast.FunctionDef(_ROUND, ast.arguments([], given, None, [], [], None, []), body, [], None, None)
    named: list[ast.expr] = [ast.Name(name, ast.Load()) for name in (first[0].arg, _ROUND, *passed)]
    last = ast.Return(ast.Call(ast.Name(_UNTIL, ast.Load()), named, []))
    first_test = _Leaving(loop.test, after, passed).left_if_over()
    tree.body[place:] = [ast.copy_location(line, loop) for line in (*first_test, one, last)]
    tree.body.insert(0, ast.copy_location(_all_own(mechanism.__code__), loop))
    code = compiled_again(tree, mechanism, ours=_OURS)
    around = {*mechanism.__code__.co_freevars, *_OURS}
    if code is None or not around.issuperset(code.co_freevars):
        return None
    assert not {*_variables_of(mechanism.__code__)} & _looked_up_outside(code), "see _all_own"
    return code.replace(co_qualname=mechanism.__code__.co_qualname)


def _variables_of(code: CodeType) -> list[str]:
    return sorted({*code.co_varnames, *code.co_cellvars})


def _all_own(code: CodeType) -> ast.stmt:
    """Code that is never run, by which the function has all variables that it had, those that a round binds as well.

    One that is read before it is bound raises then, where a global of its name would be taken else.
    """
    names: list[ast.expr] = [ast.Name(name, ast.Store()) for name in _variables_of(code)]
    return ast.If(ast.Constant(False), [ast.Assign(names, ast.Constant(None))], [])


def _looked_up_outside(code: CodeType) -> set[str]:
    """The names that code takes for globals."""
    steps = (step for each in codes_in(code) for step in dis.get_instructions(each))
    return {str(step.argval) for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}


def _round(loop: ast.While, after: list[ast.stmt], draw: str, passed: Sequence[str]) -> list[ast.stmt] | None:
    """The body of one round of a loop, with what is `after` it where it is left; None where it is not to be read."""
    nodes = [one for line in (loop, *after) for one in ast.walk(line)]
    names = {one.id for one in nodes if isinstance(one, ast.Name)}
    if isinstance(loop.test, ast.Constant) and not loop.test.value:
        return None
    if draw not in names or names & LOOKING or any(isinstance(one, _NO_ROUND) for one in nodes):
        return None
    if any(isinstance(one, ast.For | ast.While) and one.orelse for one in nodes):
        return None
    leaving = _Leaving(loop.test, after, passed)
    body = [*leaving.lines(loop.body), *leaving.going_on()]
    return body if draw not in _bound(body) and _are_bound_before(body) else None


class _Leaving(ast.NodeTransformer):
    """Returns from a round where the loop went on, and where it was left."""

    def __init__(self, test: ast.expr, after: list[ast.stmt], passed: Sequence[str]) -> None:
        self._test = test
        self._after = after
        self._passed = passed

    def left(self) -> list[ast.stmt]:
        """The code that follows the loop, whose value is returned."""
        return [*deepcopy(self._after), ast.Return(ast.Constant(None))]

    def left_if_over(self) -> list[ast.stmt]:
        """The same where the loop does not begin another round; nothing where it always does."""
        if isinstance(self._test, ast.Constant):
            return []
        return [ast.If(ast.UnaryOp(ast.Not(), deepcopy(self._test)), self.left(), [])]

    def going_on(self) -> list[ast.stmt]:
        """The code where the loop begins another round, if it does."""
        passed: list[ast.expr] = [ast.Name(name, ast.Load()) for name in self._passed]
        again = ast.Name(_AGAIN, ast.Load())
        return [
            *self.left_if_over(),
            ast.Return(ast.Call(ast.Name(_NEXT, ast.Load()), passed, []) if passed else again),
        ]

    def lines(self, body: Iterable[ast.stmt]) -> list[ast.stmt]:
        """The lines of a body, so changed."""
        changed: list[ast.stmt] = []
        for line in body:
            result = self.visit(line)
            changed += result if isinstance(result, list) else [result]
        return changed

    def visit_Continue(self, node: ast.Continue) -> list[ast.stmt]:
        """The round is over."""
        return [ast.copy_location(line, node) for line in self.going_on()]

    def visit_Break(self, node: ast.Break) -> list[ast.stmt]:
        """The loop is left."""
        return [ast.copy_location(line, node) for line in self.left()]

    def visit(self, node: ast.AST) -> Any:
        """Loops and functions within it have their own."""
        return node if isinstance(node, ast.For | ast.While | ast.FunctionDef | ast.Lambda) else super().visit(node)


_WITHIN: Final = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp),
)
"""Functions within a function, and the like: their code may run where something else handles what it raises."""


def _bound(lines: Iterable[ast.AST]) -> set[str]:
    """The names that a function binds itself, and not those within it."""
    names: set[str] = set()
    for node in _own(lines):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
    return names


def _own(lines: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a function itself, with the functions within it, and not what is in those."""
    waiting = list(lines)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _WITHIN):
            waiting.extend(ast.iter_child_nodes(node))


def _read_within(lines: Iterable[ast.AST]) -> set[str]:
    """All names in functions and classes within a function: they see its variables, whenever they run."""
    inner = (node for node in _own(lines) if isinstance(node, _WITHIN))
    return {one.id for node in inner for one in ast.walk(node) if isinstance(one, ast.Name)}


def _read_before_bound(loop: ast.While, after: list[ast.stmt]) -> set[str]:
    """The names that a round binds, and may read before it has: what it may find as another round has left it."""
    own = _bound([*loop.body, *after])
    bound: set[str] = set()
    read: set[str] = set()
    for line in (*loop.body, loop.test, *after):
        read |= {one.id for one in ast.walk(line) if isinstance(one, ast.Name) and _reads(one, line)} - bound
        bound |= _surely_bound(line)
    return read & own


def _reads(name: ast.Name, line: ast.AST) -> bool:
    """True where a name is read; one that `+=` binds is read as well."""
    augmented = (one.target for one in ast.walk(line) if isinstance(one, ast.AugAssign))
    return isinstance(name.ctx, ast.Load) or any(one is name for one in augmented)


def _surely_bound(line: ast.AST) -> set[str]:
    """The names that a statement binds, whatever path it takes."""
    match line:
        case ast.Assign(targets=targets):
            return _bound(targets)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return {name}
    return set()


def _are_bound_before(body: list[ast.stmt]) -> bool:
    """True if what functions within a round read of it is bound before they are made, whatever path it has taken.

    Elsewhere a name that is not bound raises in the round, which handles nothing; what calls such a function might.
    """
    own = _bound(body)
    known: set[str] = set()
    for line in body:
        if (_read_within([line]) & own) - known:
            return False
        known |= _surely_bound(line)
    return True
