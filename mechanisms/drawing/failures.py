"""Messages of a mechanism that fails: everything where it is checked, and nothing of the database where it runs."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.functions.places import file_of, is_somebodys_own, place_in_brackets, place_of
from dpverify.mechanisms.functions.signatures import in_a_claim, misfit, takes, takes_any, wrong_call
from dpverify.mechanisms.language.values_from_outside import OutsideLanguage
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import (
    InputError,
    MechanismError,
    NoClosedForm,
    SeesTooMuch,
    Undecided,
    bad_input,
    not_known,
)
from dpverify.mechanisms.numbers.shown import shown, told
from dpverify.mechanisms.path_conditions.expressions import DIVISION_BY_NOISE, DerivedNumber, Noisy
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue

_debugging: ContextVar[bool] = ContextVar("debugging", default=False)


@contextmanager
def debugging() -> Iterator[None]:
    """Within it, `run` shows the errors of a mechanism in full: text, line and traceback. For made-up data alone.

    It holds for the thread, or the asynchronous task, that enters it.
    """
    token = _debugging.set(True)
    try:
        yield
    finally:
        _debugging.reset(token)


def is_debugging() -> bool:
    """True where `debugging` is on."""
    return _debugging.get()


def explained_error(mechanism: Mechanism, args: tuple[Any, ...], error: BaseException) -> Exception:
    """The error to raise for a mechanism whose run has ended in `error`, with the line of the user's code."""
    if isinstance(error, Undecided):
        return error
    place = place_of(error, mechanism)
    if isinstance(error, RecursionError):
        return Undecided(f"{call_of(mechanism, args)} {not_known.ENDLESS_RECURSION.text()}{place_in_brackets(place)}")
    if isinstance(error, SeesTooMuch):
        return Undecided(f"{call_of(mechanism, args)}: {error}{place_in_brackets(place)}")
    if isinstance(error, MechanismError):
        return _passed_through(error, mechanism)
    if isinstance(error, InputError | OutsideLanguage):
        message = f"{call_of(mechanism, args)}: {error}"
    elif (hint := _hint(mechanism, error)) == "" and _is_of_noise(error):
        use = f"given to what takes plain numbers, which raised {_in_words(error)}"
        message = f"{call_of(mechanism, args)}: {reasons.NOISE_AS_NUMBER.text(use=use)}"
    elif hint == "" and (refusal := wrong_call(error, mechanism)) is not None:
        message = f"{call_of(mechanism, args)}: {refusal}"
    else:
        message = f"{call_of(mechanism, args)} raised {_in_words(error)}{hint}"
    made = MechanismError(message + place_in_brackets(place))
    made.place = place
    made.no_closed_form = isinstance(error, NoClosedForm)
    return made


_ON_TEXT: Final = re.compile(r"(unsupported operand|not supported between|multiply sequence|concatenate).*\bstr\b")

_LACKS: Final = re.compile(r"missing 1 required .*argument: '(epsilon|delta)'")


def _hint(mechanism: Mechanism, error: BaseException) -> str:
    """A guess at what is wrong with a mechanism that has raised an error of Python's; nothing where that says it."""
    wrong = misfit(mechanism)
    if wrong is None and isinstance(error, TypeError) and _ON_TEXT.search(told(error)):
        wrong = reasons.TEXT_AMONG_NUMBERS.text()
    if wrong is None and isinstance(error, TypeError) and (lacks := _LACKS.search(told(error))):
        name = lacks[1]
        if takes_any(mechanism) and not takes(mechanism, name):
            wrong = reasons.PARAMETER_NOT_PASSED.text(name=name, advice=in_a_claim(name))
    if wrong is None and _divides_by_nothing(error) and takes(mechanism, "epsilon") and _at_zero(error):
        wrong = reasons.EPSILON_IS_ZERO.text()
    return "" if wrong is None else f"; {wrong}"


def _is_of_noise(error: BaseException) -> bool:
    """True for an error of Python's, or of a library's, that says the name of noise, or arose where that was given."""
    if not isinstance(error, TypeError | AttributeError | ValueError):
        return False
    if any(name in told(error) for name in _NAMES_OF_NOISE):
        return True
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is None or is_somebodys_own(frame.tb_frame, None):
        return False
    return any(isinstance(value, Noisy) for value in frame.tb_frame.f_locals.values())


_NAMES_OF_NOISE: Final = (NoiseValue.__name__, DerivedNumber.__name__)


def _at_zero(error: BaseException) -> bool:
    """True where some function that an error came through had an `epsilon` that is 0."""
    frame = error.__traceback__
    while frame is not None:
        epsilon = frame.tb_frame.f_locals.get("epsilon")
        if isinstance(epsilon, int | Fraction) and epsilon == 0:
            return True
        frame = frame.tb_next
    return False


def _divides_by_nothing(error: BaseException) -> bool:
    """True where a number was divided by 0, and not by noise that is."""
    return isinstance(error, ZeroDivisionError) and DIVISION_BY_NOISE not in told(error)


def _passed_through(error: MechanismError, mechanism: Mechanism) -> MechanismError:
    """The error of a sub-mechanism: where its place is one of this library's, with that of the user's who drew."""
    place = place_of(error, mechanism)
    if error.place is None or not error.place.ours or place is None or place.ours:
        return error
    made = MechanismError(f"{error}, drawn from in {place}")
    made.place = place
    made.no_closed_form = error.no_closed_form
    return made


def call_of(mechanism: Mechanism, args: tuple[Any, ...]) -> str:
    """A mechanism and its database, for a message."""
    return f"{name_of(mechanism)} on {shown(args[0])}" if args else name_of(mechanism)


def failed(what: str, error: BaseException, function: Any = None, instead: str | None = None) -> str:
    """The message on a function of the user's that has raised `error`: type, text, line and what to write instead."""
    place = place_in_brackets(place_of(error, function))
    if isinstance(error, InputError | OutsideLanguage):
        return f"{what}: {error}{place}"
    return bad_input.FAILED.text(what, f"{_in_words(error)}{place}", instead=instead)


def _in_words(error: BaseException) -> str:
    """An error's type, and its text where it has one, unlike most that `assert` raises."""
    text = told(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def concealed(mechanism: Mechanism, error: BaseException) -> MechanismError:
    """The error to raise for a run on real data that has ended in `error`: its type, the mechanism and its file.

    What an error says, and where it arose, may tell of the database; and errors end in logs.
    """
    file = file_of(mechanism)
    return MechanismError(
        reasons.ERROR_ON_REAL_DATA.text(
            mechanism=f"{name_of(mechanism)}{'' if file is None else f' ({file})'}", error=_public_name(type(error))
        )
    )


def _public_name(kind: type[BaseException]) -> str:
    """The name of a class that can be found under it: another one may have been made of the data."""
    name = kind.__qualname__
    try:
        result: Any = sys.modules[kind.__module__]
        for part in name.split("."):
            result = getattr(result, part)
    except Exception:  # a module may do anything when asked for a name
        result = None
    return name if result is kind else "an exception"
