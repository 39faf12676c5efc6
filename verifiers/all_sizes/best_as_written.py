"""The forms in which the place of the largest noisy score is written, by the syntax of the function.

A list is made, by a comprehension or by `append` in a loop, of scores with their noise; it may be handed to `np.array`.
The first place of its largest number is

    noisy.index(max(noisy))
    np.argmax(noisy), or noisy.argmax() of an array, or int(…) of them
    max(range(len(noisy)), key=noisy.__getitem__), or key=lambda i: noisy[i]
    max(enumerate(noisy), key=lambda pair: pair[1])[0]

and without a list `max(range(len(scores)), key=lambda i: scores[i] + draw(…))`, or the best so far in a loop:

    best = None
    for i, score in enumerate(scores):
        number = score + draw(…)
        if best is None or number > best:
            best, place = number, i
    return place

All of these take the first of equals: `max` and `index` of Python, `>` here, and numpy on numbers with noise, which it
holds as objects and compares by `>`, whether a law is found or a value drawn.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias


class KnownNames(Protocol):
    """The names of a function, as far as they are known."""

    draw: str
    scores: str

    def are_new(self, *names: str) -> bool:
        """True where these names, which are bound in the function, are different ones and none that it is given."""

    def are_builtin(self, *names: str) -> bool:
        """True where the names are those of Python."""

    def is_numpys(self, node: ast.expr, name: str) -> bool:
        """True where an expression is a function of numpy, by its module or by itself."""


def noise_of_best(body: Sequence[ast.stmt], names: KnownNames) -> ast.expr | None:
    """The law that is drawn for each score, in a function that returns the place of the largest; None in any other."""
    forms = _Forms(names)
    noise = forms.best_so_far(body) or forms.of_lists(body)
    if noise is None or not names.are_new(*forms.bound, *forms.inner):
        return None
    known = {*forms.bound, *forms.inner}
    is_one_distribution = not any(isinstance(node, ast.Name) and node.id in known for node in ast.walk(noise))
    return noise if is_one_distribution else None


_IsScore: TypeAlias = Callable[[ast.expr], bool]


class _Noisy(NamedTuple):
    """The list, or the array, of all scores with their noise."""

    noise: ast.expr
    is_array: bool


class _Through(NamedTuple):
    """A loop through all scores: what is the score in it, and what its place."""

    is_score: _IsScore
    place: str | None
    bound: tuple[str, ...]


@dataclass
class _Forms:
    """The lists that names in a function stand for, as far as it is read."""

    names: KnownNames
    bound: list[str] = field(default_factory=list)
    """All names that are bound in the function, each once for each place where it is."""
    inner: set[str] = field(default_factory=set)
    """Those that are bound in a comprehension or a lambda, and are others after it."""
    lists: dict[str, _Noisy] = field(default_factory=dict)

    def of_lists(self, body: Sequence[ast.stmt]) -> ast.expr | None:
        """The noise in a function that makes a list, and returns the place of the largest in it."""
        rest = list(body)
        while len(rest) > 1:
            if not (self._appended(rest) or self._assigned(rest)):
                return None
        match rest:
            case [ast.Return(value=ast.expr() as value)]:
                return self._place(value)
        return None

    def _assigned(self, rest: list[ast.stmt]) -> bool:
        """True where the first statement makes a list, which is then read."""
        match rest[0]:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                noisy = self._listed(value)
                if noisy is not None:
                    self.bound.append(name)
                    self.lists[name] = noisy
                    del rest[0]
                    return True
        return False

    def _appended(self, rest: list[ast.stmt]) -> bool:
        """True where the first two statements are an empty list and a loop that appends to it, which are then read."""
        match rest[:2]:
            case [
                ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[]))
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.List(elts=[])),
                ast.For(
                    target=target,
                    iter=through,
                    body=[
                        ast.Expr(
                            value=ast.Call(
                                func=ast.Attribute(value=ast.Name(id=appended), attr="append"),
                                args=[number],
                                keywords=[],
                            )
                        )
                    ],
                    orelse=[],
                ),
            ] if appended == name:
                loop = self._through(target, through)
                noise = None if loop is None else self._noise_on(number, loop.is_score)
                if loop is not None and noise is not None:
                    self.bound += [name, *loop.bound]
                    self.lists[name] = _Noisy(noise, is_array=False)
                    del rest[:2]
                    return True
        return False

    def _listed(self, node: ast.expr) -> _Noisy | None:
        """The list that an expression is; None where it is none that is read."""
        match node:
            case ast.Name(id=name):
                return self.lists.get(name)
            case ast.ListComp(
                elt=number, generators=[ast.comprehension(target=target, iter=through, ifs=[], is_async=0)]
            ):
                loop = self._through(target, through)
                noise = None if loop is None else self._noise_on(number, loop.is_score)
                if loop is None or noise is None:
                    return None
                self.inner |= {*loop.bound}
                return _Noisy(noise, is_array=False)
            case ast.Call(func=function, args=[listed], keywords=[]) if self.names.is_numpys(function, "array"):
                noisy = self._listed(listed)
                return None if noisy is None else noisy._replace(is_array=True)
        return None

    def _through(self, target: ast.expr, through: ast.expr) -> _Through | None:
        """A loop through all scores; None for any other."""
        scores = self.names.scores
        match target, through:
            case ast.Name(id=score), ast.Name(id=name) if name == scores:
                return _Through(lambda node: _is_name(node, score), None, (score,))
            case ast.Name(id=place), _ if self._is_range(through, lambda node: _is_name(node, scores)):
                return _Through(lambda node: _is_item(node, scores, place), place, (place,))
            case (
                ast.Tuple(elts=[ast.Name(id=place), ast.Name(id=score)]),
                ast.Call(func=ast.Name(id="enumerate"), args=[ast.Name(id=name)], keywords=[]),
            ) if name == scores and self.names.are_builtin("enumerate"):
                return _Through(
                    lambda node: _is_name(node, score) or _is_item(node, scores, place), place, (place, score)
                )
        return None

    def _is_range(self, node: ast.expr, is_counted: _IsScore) -> bool:
        """True for range(len(…)) of what is counted."""
        match node:
            case ast.Call(
                func=ast.Name(id="range"),
                args=[ast.Call(func=ast.Name(id="len"), args=[counted], keywords=[])],
                keywords=[],
            ):
                return is_counted(counted) and self.names.are_builtin("range", "len")
        return False

    def _place(self, node: ast.expr) -> ast.expr | None:
        """The noise where an expression is the first place of the largest number; None for any other."""
        match node:
            case ast.Call(func=ast.Name(id="int"), args=[number], keywords=[]) if self.names.are_builtin("int"):
                return self._place(number)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="index"),
                args=[ast.Call(func=ast.Name(id="max"), args=[ast.Name(id=compared)], keywords=[])],
                keywords=[],
            ) if name == compared and self.names.are_builtin("max"):
                noisy = self.lists.get(name)
                return None if noisy is None or noisy.is_array else noisy.noise
            case ast.Call(func=function, args=[listed], keywords=[]) if self.names.is_numpys(function, "argmax"):
                return _noise(self._listed(listed))
            case ast.Call(func=ast.Attribute(value=listed, attr="argmax"), args=[], keywords=[]):
                noisy = self._listed(listed)
                return noisy.noise if noisy is not None and noisy.is_array else None
            case ast.Call(func=ast.Name(id="max"), args=[places], keywords=[ast.keyword(arg="key", value=key)]):
                return self._by_key(places, key)
            case ast.Subscript(
                value=ast.Call(
                    func=ast.Name(id="max"),
                    args=[ast.Call(func=ast.Name(id="enumerate"), args=[listed], keywords=[])],
                    keywords=[ast.keyword(arg="key", value=ast.Lambda(args=given, body=number))],
                ),
                slice=ast.Constant(value=0),
            ) if self.names.are_builtin("max", "enumerate") and _is_of_one(given):
                pair = given.args[0].arg
                self.inner.add(pair)
                return _noise(self._listed(listed)) if _is_second(number, pair) else None
        return None

    def _by_key(self, places: ast.expr, key: ast.expr) -> ast.expr | None:
        """The noise where the place with the largest key is taken."""
        if not self._is_range(places, self._is_counted) or not self.names.are_builtin("max"):
            return None
        match key:
            case ast.Attribute(value=ast.Name(id=name), attr="__getitem__"):
                return _noise(self.lists.get(name))
            case ast.Lambda(args=given, body=number) if _is_of_one(given):
                place = given.args[0].arg
                self.inner.add(place)
                match number:
                    case ast.Subscript(value=ast.Name(id=name), slice=ast.Name(id=item)) if item == place:
                        return _noise(self.lists.get(name))
                return self._noise_on(number, lambda node: _is_item(node, self.names.scores, place))
        return None

    def _is_counted(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and (node.id == self.names.scores or node.id in self.lists)

    def best_so_far(self, body: Sequence[ast.stmt]) -> ast.expr | None:
        """The noise in a loop that keeps the largest number so far, and its place."""
        match body:
            case [
                *before,
                ast.For(
                    target=target,
                    iter=through,
                    body=[
                        ast.Assign(targets=[ast.Name(id=number)], value=noisy),
                        ast.If(
                            test=ast.BoolOp(op=ast.Or(), values=[is_first, is_larger]),
                            body=kept,
                            orelse=[],
                        ),
                    ],
                    orelse=[],
                ),
                ast.Return(value=ast.Name(id=returned)),
            ]:
                assigned = _assignments(kept)
                best = next((name for name, value in assigned if _is_name(value, number)), None)
                loop = self._through(target, through)
                if best is None or loop is None or loop.place is None or not _are_plain(before, {best: None}, returned):
                    return None
                keeps = [(name, ast.unparse(value)) for name, value in assigned]
                if sorted(keeps) != sorted([(best, number), (returned, loop.place)]):
                    return None
                if ast.unparse(is_first) == f"{best} is None" and ast.unparse(is_larger) in (
                    f"{number} > {best}",
                    f"{best} < {number}",
                ):
                    self.bound += [best, number, returned, *loop.bound]
                    return self._noise_on(noisy, loop.is_score)
        return None

    def _noise_on(self, number: ast.expr, is_score: _IsScore) -> ast.expr | None:
        return _noise_on(number, self.names.draw, is_score)


def _noise_on(number: ast.expr, draw: str, is_score: _IsScore) -> ast.expr | None:
    """The noise that is drawn in score + draw(…), or score - draw(…); None for anything else."""
    match number:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            score, drawn = (left, right) if is_score(left) else (right, left)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            score, drawn = left, right
        case _:
            return None
    match drawn:
        case ast.Call(func=ast.Name(id=called), args=[law], keywords=[]) if called == draw and is_score(score):
            return law if isinstance(number.op, ast.Add) else ast.UnaryOp(ast.USub(), law)
    return None


def _noise(noisy: _Noisy | None) -> ast.expr | None:
    return None if noisy is None else noisy.noise


def _assignments(body: Sequence[ast.stmt]) -> list[tuple[str, ast.expr]]:
    """KnownNames and what they are assigned, where a body does nothing else; else nothing."""
    pairs: list[tuple[str, ast.expr]] = []
    for each in body:
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pairs.append((name, value))
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
                for target, value in zip(names, values, strict=True):
                    if not isinstance(target, ast.Name):
                        return []
                    pairs.append((target.id, value))
            case _:
                return []
    return pairs


def _are_plain(before: Sequence[ast.stmt], needed: dict[str, None], other: str) -> bool:
    """True where None is assigned to what is needed, and at most a constant to another name, for a while."""
    values = dict(_assignments(before))
    if len(_assignments(before)) != len(values) or (before and not values):
        return False
    plain = {name: value.value for name, value in values.items() if isinstance(value, ast.Constant)}
    return (
        len(plain) == len(values)
        and all(name in plain and plain[name] is None for name in needed)
        and set(plain) <= {*needed, other}
    )


def _is_of_one(given: ast.arguments) -> bool:
    others = (given.posonlyargs, given.kwonlyargs, given.defaults, given.vararg, given.kwarg)
    return len(given.args) == 1 and not any(others)


def _is_second(node: ast.expr, pair: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=1)):
            return name == pair
    return False


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_item(node: ast.expr, name: str, place: str) -> bool:
    return isinstance(node, ast.Subscript) and _is_name(node.value, name) and _is_name(node.slice, place)
