"""Formulas for the rows, samples or repetitions that an algorithm of the papers asks for, each beside the algorithm.

A formula is a function of named parameters that stands in the file of its algorithm and says there for which it is:

    @sized(learn_points)
    def rows_for_points(*, alpha, beta, epsilon, delta): ...

`sample_size(learn_points, alpha=…)` finds it. An algorithm may have more of them, each under a name of its own.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import Parameter, signature
from typing import Any, Final, TypeVar, overload

from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.functions.unhashable import is_hashable
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown

Formula = TypeVar("Formula", bound=Callable[..., Any])
_Size = TypeVar("_Size", bound=Callable[..., int])

ROWS: Final = "rows"
"""The name of an algorithm's own sample size."""

_TOPICS: Final = ("selection", "recursion", "sanitizers", "learners", "release")

_FORMULAS: Final[dict[Callable[..., Any], dict[str, Callable[..., Any]]]] = {}
"""Algorithm → name → formula, of the modules that are loaded."""


@overload
def sized(*algorithms: Callable[..., Any]) -> Callable[[_Size], _Size]: ...
@overload
def sized(*algorithms: Callable[..., Any], name: str) -> Callable[[Formula], Formula]: ...
def sized(*algorithms: Callable[..., Any], name: str = ROWS) -> Callable[[Formula], Formula]:
    """The decorator of a formula for the algorithms: of their sample size, a whole number, or of what `name` says."""

    def noted(formula: Formula) -> Formula:
        for algorithm in algorithms:
            named = _FORMULAS.setdefault(algorithm, {})
            if name in named:
                raise ValueError(f"{name_of(algorithm)} has two formulas for {name}")
            named[name] = formula
        return formula

    return noted


@overload
def sample_size(algorithm: Callable[..., Any], /, **parameters: Any) -> int: ...
@overload
def sample_size(algorithm: Callable[..., Any], what: str, /, **parameters: Any) -> Any: ...
def sample_size(algorithm: Callable[..., Any], what: str = ROWS, /, **parameters: Any) -> Any:
    """The number of rows that the algorithm asks for with these parameters, as its paper has it; at least 1.

    `what` names another number that it asks for, or that its proof has: the "parts" of `sanitize_in_parts`, the "gap"
    of `choose_by_stability`. Source: that of the formula, which stands in the algorithm's file. Raises `InputError` for
    an algorithm or a name without a formula, for parameters that are missing or unknown, and out of range: the text
    says which there are.

    >>> from dpverify.mechanisms.selection import choose_by_stability
    >>> sample_size(choose_by_stability, "gap", epsilon=1, delta="1/100", beta="1/100")
    2 + 4*log(2) + 8*log(5)
    """
    named = _FORMULAS.get(algorithm) if callable(algorithm) and is_hashable(algorithm) else None
    if named is None:
        what_it_is = name_of(algorithm) if callable(algorithm) else shown(algorithm)
        raise InputError(
            bad_input.NONE_OF, f"the sample size of {what_it_is}", ", ".join(sorted(map(name_of, formulas())))
        )
    if what not in named:
        raise InputError(bad_input.NONE_OF, f"{what!r} of {name_of(algorithm)}", f"these:\n{_listed(algorithm)}")
    formula = named[what]
    try:
        signature(formula).bind(**parameters)
    except TypeError as error:
        raise InputError(f"{error}; write {_call(algorithm, what, formula)}") from None
    return formula(**parameters)


def formulas() -> dict[Callable[..., Any], dict[str, Callable[..., Any]]]:
    """All formulas that there are: algorithm → name → formula. Loads the papers' algorithms."""
    for topic in _TOPICS:
        room = import_module(f"dpverify.mechanisms.{topic}")
        for module in pkgutil.iter_modules(room.__path__):
            import_module(f"{room.__name__}.{module.name}")
    return {algorithm: dict(named) for algorithm, named in _FORMULAS.items()}


def _listed(algorithm: Callable[..., Any]) -> str:
    return "\n".join(f"  {_call(algorithm, name, formula)}" for name, formula in _FORMULAS[algorithm].items())


def _call(algorithm: Callable[..., Any], name: str, formula: Callable[..., Any]) -> str:
    """The call as it is to be written, as `sample_size(f, "parts", beta=…)`; what has a default is left out."""
    given = [name_of(algorithm), *([] if name == ROWS else [f'"{name}"']), *_wanted(formula)]
    return f"sample_size({', '.join(given)})"


def _wanted(formula: Callable[..., Any]) -> Iterator[str]:
    for parameter in signature(formula).parameters.values():
        if parameter.default is Parameter.empty:
            yield f"{parameter.name}=…"
