"""Report noisy max that somebody has written by hand: read from its source, it is that of the library, on all scores.

    noisy = [score + draw(laplace(2 / epsilon)) for score in scores]
    return noisy.index(max(noisy))

    return max(range(len(scores)), key=lambda i: scores[i] + draw(laplace(2 / epsilon)))

A function that is one of these, or of the others of `best_as_written.py`, and nothing else returns the first place of
the largest score with noise, for every number of scores; with Gumbel noise of scale b that is the exponential
mechanism at ε = 2/b. Its noise may be named by numbers that it is given or that its module has. The source has to be
that of the code that runs; whatever has another form is decided as it is.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import FunctionType
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.drawing.comprehensions import definition_of
from dpverify.mechanisms.functions.mechanism import Mechanism, exact_parameters
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.instructions.as_written import are_read, as_written
from dpverify.mechanisms.noise.gumbel import gumbel
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces
from dpverify.verifiers.all_sizes.best_as_written import noise_of_best
from dpverify.verifiers.all_sizes.noisy_max_theorem import KNOWN
from dpverify.verifiers.problems.questions.question import Question


def as_the_librarys(question: Question) -> Question | None:
    """The same question of a mechanism of the library, for one that is written as that; None for any other."""
    mechanism = question.mechanism
    if type(mechanism) is not FunctionType or question.symbol is not None or not are_read():
        return None
    law = _noise(mechanism, question.arguments)
    librarys = None if law is None else _of_the_library(law)
    if librarys is None:
        return None
    read = replace(question, mechanism=librarys.mechanism, parameters=librarys.given)
    return read if _agree(question, read) else None


class _OfTheLibrary(NamedTuple):
    """A mechanism of the library, and what it is given."""

    mechanism: Mechanism
    given: Mapping[str, Any]


def _of_the_library(law: NoiseLaw) -> _OfTheLibrary | None:
    """The mechanism that returns the place of the largest score with this noise; None where theorems speak of none."""
    of_gumbel = law.exponential_scale
    scale = law.tail_scale if of_gumbel is None else of_gumbel
    if scale is None or scale.symbol is not None:
        return None
    epsilon = as_parameter(2 / scale)
    if of_gumbel is not None:
        return _OfTheLibrary(exponential_mechanism, {"epsilon": epsilon})
    for noise in KNOWN:
        if noise(scale) == law:
            return _OfTheLibrary(max_of_laplaces, {"epsilon": epsilon, "noise": noise})
    return None


def _agree(question: Question, read: Question) -> bool:
    """True where laws of the mechanism itself are those of the library: they are, or this module has a mistake."""
    given, tried = exact_parameters(question.arguments), _SCORES[: size_of_sample("scores of a noisy max that is read")]
    with as_written():
        laws = [question.enumeration().law(question.mechanism, (scores,), given) for scores in tried]
    of_library = [read.enumeration().law(read.mechanism, (scores,), read.arguments) for scores in tried]
    return all(law == expected for law, expected in zip(laws, of_library, strict=True))


_SCORES: Final[Sequence[tuple[int, ...]]] = ((0, 0), (3, -1), (-2, 0, 1))


def _noise(mechanism: FunctionType, arguments: Mapping[str, Any]) -> NoiseLaw | None:
    """The law of the noise that each score gets; None where the function is none of these."""
    tree = definition_of(mechanism)
    if tree is None or tree.decorator_list or mechanism.__code__.co_freevars:
        return None
    given = [one.arg for one in (*tree.args.posonlyargs, *tree.args.args)]
    if len(given) < _DRAW_AND_SCORES or tree.args.vararg or tree.args.kwarg:
        return None
    names = _Names(mechanism, given[0], given[1], arguments)
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    written = noise_of_best(body, names)
    if written is None:
        return None
    try:
        law = names.value(written)
    except (_Other, InputError, ArithmeticError, TypeError):
        return None
    return law if isinstance(law, NoiseLaw) else None


_DRAW_AND_SCORES: Final = 2


class _Other(Exception):
    """Nodes that are not looked into."""


class _Names:
    """The names that a function is given, and those of its module."""

    def __init__(self, mechanism: FunctionType, draw: str, scores: str, arguments: Mapping[str, Any]) -> None:
        self.draw = draw
        self.scores = scores
        self._arguments = arguments
        self._globals = mechanism.__globals__
        self._own = {*mechanism.__code__.co_varnames, *mechanism.__code__.co_cellvars}

    def are_new(self, *names: str) -> bool:
        """True where these names, which are bound in the function, are different ones and none that it is given."""
        known = {self.draw, self.scores, *self._arguments}
        return len({*known, *names}) == len(known) + len(names)

    def are_builtin(self, *names: str) -> bool:
        """True where the names are those of Python."""
        known = self._globals.get("__builtins__", builtins)
        result = known if isinstance(known, dict) else vars(known)
        return all(
            name not in self._own and name not in self._globals and result.get(name) is getattr(builtins, name)
            for name in names
        )

    def is_numpys(self, node: ast.expr, name: str) -> bool:
        """True where an expression is a function of numpy, by its module or by itself."""
        numpy: Any = sys.modules.get("numpy")
        match node:
            case ast.Name(id=own) if own not in self._own:
                return numpy is not None and self._globals.get(own) is getattr(numpy, name)
            case ast.Attribute(value=ast.Name(id=module), attr=attribute) if module not in self._own:
                return numpy is not None and attribute == name and self._globals.get(module) is numpy
        return False

    def value(self, node: ast.expr) -> Any:
        """The value of an expression of known numbers, and of laws of noise with a scale. Raises `_Other`."""
        match node:
            case ast.Constant(value=int() | str() as value) if not isinstance(value, bool):
                return value
            case ast.Name(id=name) if name in self._arguments:
                return _number(self._arguments[name])
            case ast.Name(id=name) if name not in self._own and name in self._globals:
                return _number(self._globals[name])
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](_number(self.value(left)), _number(self.value(right)))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Call() as called):
                law = self.value(called)
                if isinstance(law, NoiseLaw) and law.mirror_image() == law:
                    return law
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name not in self._own:
                function: Any = self._globals.get(name)
                if function is Fraction or any(function is noise for noise in (*KNOWN, gumbel)):
                    return function(*map(self.value, args))
        raise _Other


_OPERATORS: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
}

_NUMBERS: Final = (int, WholeNumber, Fraction)


def _number(value: Any) -> Any:
    if type(value) in _NUMBERS or (isinstance(value, Exact) and value.symbol is None):
        return value
    raise _Other
