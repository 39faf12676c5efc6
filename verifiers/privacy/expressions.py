"""Values as texts: exact numbers, domains, relations and parameters, on the command line and in Python.

A text is Python, read and never run: literals, arithmetic, and calls of a few named functions. What MODULE:NAME stands
for is loaded by whoever asks, where that is wanted.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from inspect import signature
from typing import Any, Final

from dpverify.mechanisms.numbers.elementary import exp, log, sqrt
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter, exact
from dpverify.mechanisms.numbers.roots.delta_symbol import symbolic_delta
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import symbolic
from dpverify.mechanisms.numbers.shown import cut, shown, told
from dpverify.verifiers.all_sizes.regions.domains import Histograms, Scores
from dpverify.verifiers.problems.neighbours.neighbours import RELATIONS
from dpverify.verifiers.problems.questions.domains import Domain, LabelledSamples, Multisets, Tuples
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.problems.questions.score_domains import BoundedGrowth, OrMore, ScoreGaps, ScoreSpace
from dpverify.verifiers.readable import advice_in_brackets, did_you_mean

_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {"exp": exp, "log": log, "ln": log, "sqrt": sqrt}
_DOMAINS: Final[Mapping[str, Callable[..., Any]]] = {
    "range": range,
    "Tuples": Tuples,
    "Multisets": Multisets,
    "LabelledSamples": LabelledSamples,
    "OrMore": OrMore,
    "Histograms": Histograms,
    "Scores": Scores,
    "ScoreSpace": ScoreSpace,
    "ScoreGaps": ScoreGaps,
    "BoundedGrowth": BoundedGrowth,
}
_LONGEST_POWER: Final = 1_000_000
"""Binary digits of a power of whole numbers."""

_OPERATORS: Final[Mapping[type[ast.AST], Callable[..., Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def exact_number(text: str, name: str) -> Exact:
    """An exact number such as 1, 0.1, 1/3, 1e-6, log(2) or exp(-3)/2. Raises `InputError`, naming the argument."""
    try:
        return exact(_read(text, _FUNCTIONS), name)
    except _DividesByZero:
        raise InputError(bad_input.RANGE, f"the divisor in {name}={cut(text)}", "other than 0") from None
    except _Unreadable as unreadable:
        advice = unreadable.or_else("write a number such as 1, 0.1, 1e-6, 1/3, log(2) or exp(-3)")
        raise InputError(bad_input.UNREADABLE, f"{name}={cut(text)}: {unreadable}", advice) from None
    except InputError as error:
        message = str(error)
        raise (error if message.startswith(name) else InputError(f"{name}={cut(text)}: {message}")) from None


Load = Callable[[str], Any]
"""MODULE:NAME → what has that name. Raises `InputError`."""


def domain(text: str, load: Load | None = None) -> Domain:
    """A domain such as Multisets(range(3), size=6), a list of databases, or MODULE:NAME. Raises `InputError`."""
    try:
        value = _read(text, _DOMAINS)
    except _Unreadable as unreadable:
        if load is not None and ":" in text:
            return load(text)  # type: ignore[no-any-return]
        advice = unreadable.or_else(
            "write, for example, Multisets(range(3), size=6), Tuples((0, 1), size=4), "
            "LabelledSamples(range(4), size=3), "
            f"ScoreSpace(range(7), solutions=3){'' if load is None else ' or MODULE:NAME'}"
        )
        raise InputError(bad_input.UNREADABLE, f"domain {cut(text)}: {unreadable}", advice) from None
    return value  # type: ignore[no-any-return]


def built(text: str) -> Domain:
    """A domain as its text has it, such as Tuples((0, Fraction(1, 2)), size=3). Raises `InputError` for any other."""
    try:
        return _read(text, {**_DOMAINS, "Fraction": Fraction})  # type: ignore[no-any-return]
    except _Unreadable as unreadable:
        raise InputError(
            bad_input.UNREADABLE, f"domain {cut(text)}: {unreadable}", "write a domain as it is shown"
        ) from None


def relation(text: str, load: Load | None = None) -> NeighbourRelation:
    """A relation by its name or as MODULE:FUNCTION. Raises `InputError`."""
    if text in RELATIONS:
        return RELATIONS[text]
    if load is not None and ":" in text:
        return load(text)  # type: ignore[no-any-return]
    or_else = "a function" if load is None else "MODULE:FUNCTION"
    raise InputError(
        bad_input.NONE_OF,
        f"neighbours={shown(text)}{advice_in_brackets(did_you_mean(text, RELATIONS))}",
        f"{', '.join(RELATIONS)}, nor {or_else}",
    )


def as_domain(value: Domain | str) -> Domain:
    """The domain that a text stands for; another value as it is. Raises `InputError`."""
    return domain(value) if isinstance(value, str) else value


def as_relation(value: NeighbourRelation | str) -> NeighbourRelation:
    """The relation that a text stands for; another value as it is. Raises `InputError`."""
    return relation(value) if isinstance(value, str) else value


def parsed_parameter(text: str, load: Load | None = None) -> tuple[str, Any]:
    """NAME=VALUE: an exact number, a Python literal, or MODULE:NAME. Raises `InputError`."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise InputError(bad_input.FORM, f"parameter {shown(text)}", "NAME=VALUE")
    try:
        result = _read(value, {**_FUNCTIONS, **_DOMAINS})
    except _Unreadable as unreadable:
        if load is not None and ":" in value:
            return name, load(value)
        advice = unreadable.or_else("write a number, a literal or MODULE:NAME")
        raise InputError(bad_input.UNREADABLE, f"parameter {cut(text)}: {unreadable}", advice) from None
    return name, int(result) if isinstance(result, Fraction) and result.denominator == 1 else result


class _Unreadable(Exception):
    """Text that is not in the small language of this module."""

    def or_else(self, advice: str) -> str:
        """Advice on what to write instead, unless the message says so itself."""
        return "write that name" if str(self).endswith("?)") else advice


class _DividesByZero(_Unreadable):
    """Text that has no value."""


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise _Unreadable(f"not readable ({error.msg})") from None
    except (ValueError, RecursionError, MemoryError) as error:  # zero bytes, or brackets within brackets
        raise _Unreadable(f"not readable ({type(error).__name__})") from None


def _read(text: str, functions: Mapping[str, Callable[..., Any]]) -> Any:
    """Value of a text. Raises `_Unreadable`, or what the functions that it names raise for bad input."""
    try:
        return _value(_parsed(text), text, functions)
    except ZeroDivisionError:
        raise _DividesByZero("it divides by 0") from None
    except Undecided as doubt:
        raise _Unreadable(str(doubt)) from None
    except (RecursionError, MemoryError, OverflowError) as error:
        raise _Unreadable(f"too long, too deep or too large ({type(error).__name__})") from None
    except (TypeError, ValueError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise _Unreadable(told(error)) from None


def _value(node: ast.expr, text: str, functions: Mapping[str, Callable[..., Any]]) -> Any:
    match node:
        case ast.Constant(value=bool() | str() | None):
            return node.value
        case ast.Constant(value=int()):
            return node.value
        case ast.Constant(value=float()):
            return _as_written(ast.get_source_segment(text.strip(), node) or "")
        case ast.Tuple(elts=parts):
            return tuple(_value(part, text, functions) for part in parts)
        case ast.List(elts=parts):
            return [_value(part, text, functions) for part in parts]
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(operand, text, functions))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _combined(type(op), _value(left, text, functions), _value(right, text, functions))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left, text, functions), _value(right, text, functions))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in functions:
            values = [_value(arg, text, functions) for arg in args]
            named = {keyword.arg: _value(keyword.value, text, functions) for keyword in keywords if keyword.arg}
            _refuse_unknown(name, functions[name], named)
            return functions[name](*values, **named)
        case ast.Name(id="symbolic"):
            return symbolic
        case ast.Name(id="symbolic_delta"):
            return symbolic_delta
        case ast.Call(func=ast.Name(id=name)) | ast.Name(id=name):
            near = advice_in_brackets(did_you_mean(name, [*functions, "symbolic", "symbolic_delta"]))
            raise _Unreadable(f"{name} is not known here{near}")
    raise _Unreadable("not readable")


def _refuse_unknown(name: str, function: Callable[..., Any], named: Iterable[str]) -> None:
    """Raises `_Unreadable` where a function takes no argument of a name that is given."""
    if function is range:  # which says nothing of its parameters
        return
    parameters = signature(function).parameters.values()
    taken = [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    for given in named:
        if given not in taken:
            near = advice_in_brackets(did_you_mean(given, taken)) or f": it has {', '.join(taken)}"
            raise _Unreadable(f"{name} has no {given}={near}")


def _combined(op: type[ast.AST], left: Any, right: Any) -> Any:
    if op is ast.Div and isinstance(left, int):
        left = Fraction(left)  # int / int would be a float
    return _OPERATORS[op](left, right)


def _power(base: Any, exponent: Any) -> Any:
    if not isinstance(exponent, int):
        raise _Unreadable("a power needs a whole exponent")
    if isinstance(base, int | Fraction):
        digits = max(abs(base.numerator), base.denominator).bit_length() * abs(exponent)
        if digits > _LONGEST_POWER:
            raise _Unreadable(f"a power of {digits:,} binary digits is too long")
        return Fraction(base) ** exponent if exponent < 0 else base**exponent
    return base**exponent


def _as_written(text: str) -> Fraction:
    """A decimal as it is written, not as a float rounds it."""
    number = as_parameter(exact(text))
    assert isinstance(number, Fraction), "a decimal is rational"
    return number
