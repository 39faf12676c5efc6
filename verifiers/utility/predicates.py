"""A predicate on outcomes of which there are infinitely many: it is the last step of the mechanism.

Where noise is released, `succeeds` cannot be asked of each outcome. It is run after the mechanism, in the same run, on
the noise that was returned: what it compares is answered as a comparison of the mechanism is, and the probability that
it is False is exact, with no tail left out. It may ask how large numbers are, and nothing else: what asks for a type
would be told of noise, where there is a number.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Draw, MadeOf, Mechanism, exact_parameters
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.language.reader import read
from dpverify.mechanisms.language.readings import ReadFunction
from dpverify.mechanisms.numbers.containers import DICTS, Kind
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.path_conditions.noise_value import without_noise
from dpverify.verifiers.problems.questions.outside import outside_in_words
from dpverify.verifiers.utility.case import Case, CaseData
from dpverify.verifiers.utility.compiled_functions import Asked

LawOf: TypeAlias = Callable[[Mechanism, tuple[Any, ...], Mapping[str, Any]], Distribution[Any]]
"""The output distribution of a mechanism on arguments, with parameters."""


def failure_of_released(
    mechanism: Mechanism, succeeds: Asked, case: Case, limits: Limits, share: Fraction, law_of: LawOf | None = None
) -> Exact:
    """The probability that `succeeds` is False of what a mechanism releases on a case, with a share of its noise.

    `law_of` finds the output distribution where the mechanism is run as a whole.
    Raises `InputError`, with the line, where it does with an outcome what cannot be followed.
    """
    _refuse_what_sees_noise(succeeds, case)
    judged, parameters = _Judged(mechanism, _Judge(succeeds, case)), exact_parameters(case.parameters)
    if law_of is not None:
        law = law_of(judged, (case.database,), parameters)
    else:
        enumeration = Enumeration(limits, lambda each: each is mechanism, share=share)
        with enumeration.looking_out(mechanism, parameters):
            law = enumeration.law(judged, (case.database,), parameters)
    return law.probabilities.get(False, ZERO)


@dataclass(frozen=True)
class _Judge:
    """Says whether a case succeeds with an outcome."""

    succeeds: Asked
    case: Case

    def __call__(self, outcome: Any) -> bool:
        held = as_held(outcome)
        plain = without_noise(held, lambda _: 0)
        if plain is not held and not (is_plain(plain) and _is_pythons(plain)):  # whose methods may ask what noise is
            raise InputError(bad_mechanism.SUCCEEDS_TAKES, shown(outcome))
        return bool(self.succeeds.answer(self.case, held))


@dataclass(frozen=True)
class _Judged(MadeOf):
    """A mechanism that returns what is judged of the outcome of another one."""

    mechanism: Mechanism
    judge: _Judge

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return self.mechanism, self.judge.succeeds.function

    def called(self, name: str) -> str:
        return f"the success of {name}"

    def __call__(self, draw: Draw, database: Any, **parameters: Any) -> bool:
        return self.judge(draw(self.mechanism, database, **parameters))


def _is_pythons(outcome: Any) -> bool:
    """True where there is no dataclass in an outcome as a distribution holds it."""
    if isinstance(outcome, Kind):
        return outcome.type in (list, *DICTS)
    return not isinstance(outcome, tuple) or all(map(_is_pythons, outcome))


def _refuse_what_sees_noise(succeeds: Asked, case: Case) -> None:
    """Raises `InputError` where a predicate is outside the language, asks for a type, or catches errors."""
    its = read(succeeds.function, {"case": CaseData, **case.parameters, **case.facts}, (case.database,)).each
    refused = (
        outside_in_words(succeeds.outside) if succeeds.outside else next(filter(None, map(_asked_by_type, its)), None)
    )
    if refused is not None:
        raise InputError(bad_mechanism.SUCCEEDS_SEES_NOISE, refused)


def _asked_by_type(function: ReadFunction) -> str | None:
    """The first place at which code asks whether something is of a type, or catches an error, in words."""
    for node in ast.walk(function.tree):
        if not isinstance(node, ast.Name | ast.MatchClass | ast.ExceptHandler):
            continue
        asked = function.names.get(node.id) if isinstance(node, ast.Name) else None
        if isinstance(node, ast.MatchClass | ast.ExceptHandler) or any(asked is each for each in _BY_TYPE):
            how = (
                "catches errors"
                if isinstance(node, ast.ExceptHandler)
                else _ASKS.format(getattr(asked, "__name__", _MATCH))
            )
            return f"{function.function.__qualname__} {how} (line {node.lineno})"
    return None


_ASKS: Final = "asks for a type by {}"
_MATCH: Final = "a pattern of a class"
_BY_TYPE: Final = (isinstance, issubclass, callable, hasattr, type)
