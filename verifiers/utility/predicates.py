"""A predicate on outcomes of which there are infinitely many: it is the last step of the mechanism.

Where noise is released, `succeeds` cannot be asked of each outcome. It is run after the mechanism, in the same run, on
the noise that was returned: what it compares is answered as a comparison of the mechanism is, and the probability that
it is False is exact, with no tail left out. It may ask how large numbers are, and nothing else: what asks for a type
would be told of noise, where there is a number.
"""

from __future__ import annotations

import builtins
import dis
from collections.abc import Callable, Iterator
from fractions import Fraction
from types import CodeType
from typing import Any, Final

from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism, exact_parameters, name_of
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.numbers.containers import DICTS, Kind
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.path_conditions.noise_value import without_noise
from dpverify.mechanisms.reaching.elsewhere import codes_in
from dpverify.mechanisms.reaching.reach import Reach
from dpverify.verifiers.all_sizes.regions.kinds_asked_for import kinds_asked_for
from dpverify.verifiers.utility.case import Case

_Succeeds = Callable[[Case, Any], bool]


def failure_of_released(
    mechanism: Mechanism, succeeds: _Succeeds, case: Case, limits: Limits, share: Fraction
) -> Exact:
    """The probability that `succeeds` is False of what a mechanism releases on a case, with a share of its noise.

    Raises `InputError`, with the line, where it does with an outcome what cannot be followed.
    """
    _refuse_kinds(succeeds, case)
    enumeration = Enumeration(limits, lambda each: each is mechanism, share=share)

    def judged(draw: Draw, database: Any, **parameters: Any) -> bool:
        outcome = draw(mechanism, database, **parameters)
        held = as_held(outcome)
        plain = without_noise(held, lambda _: 0)
        if plain is not held and not (is_plain(plain) and _is_pythons(plain)):  # whose methods may ask what noise is
            raise InputError(bad_mechanism.SUCCEEDS_TAKES, shown(outcome))
        return bool(succeeds(case, outcome))

    judged.__name__ = judged.__qualname__ = f"the success of {name_of(mechanism)}"
    law: Distribution[Any] = enumeration.law(judged, (case.database,), exact_parameters(case.parameters))
    return law.probabilities.get(False, ZERO)


def _is_pythons(outcome: Any) -> bool:
    """True where there is no dataclass in an outcome as a law holds it."""
    if isinstance(outcome, Kind):
        return outcome.type in (list, *DICTS)
    return not isinstance(outcome, tuple) or all(map(_is_pythons, outcome))


def _refuse_kinds(succeeds: _Succeeds, case: Case) -> None:
    """Raises `InputError` where a predicate asks for the type or the identity of anything, or catches errors."""
    given = {"the database": case.database, **case.parameters, **case.facts}
    asked = kinds_asked_for(succeeds, given)
    refused = asked.refused
    for code, places in asked.places.items():
        refused = refused or f"{code.co_qualname} asks by `is`, `type` or `id` (line {_line_at(code, min(places))})"
    refused = refused or next(_asked_by_type(Reach([("succeeds", succeeds), *given.items()])), None)
    if refused is not None:
        raise InputError(bad_mechanism.SUCCEEDS_SEES_NOISE, refused)


def _asked_by_type(reach: Reach) -> Iterator[str]:
    """The places at which code asks whether something is of a type, in words."""
    for function in reach.functions:
        for code in codes_in(function.__code__):
            for step in dis.get_instructions(code):
                name = step.argval if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") else None
                asked = function.__globals__.get(name, vars(builtins).get(name)) if name else None
                if step.opname == "MATCH_CLASS" or any(asked is each for each in _BY_TYPE):
                    how = name or "a pattern of a class"
                    yield f"{code.co_qualname} asks for a type by {how} (line {_line_at(code, step.offset)})"
    for value in reach.values:
        if any(value is each for each in _BY_TYPE):
            yield f"succeeds holds {value.__name__}"


_BY_TYPE: Final = (isinstance, issubclass, callable, hasattr)


def _line_at(code: CodeType, offset: int) -> int | None:
    return next((line for start, end, line in code.co_lines() if start <= offset < end), None)
