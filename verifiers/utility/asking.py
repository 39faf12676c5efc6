"""Functions of a claim, such as `succeeds`, as they are asked: in the compiled form, which keeps and draws nothing.

What a mechanism may not do, they may not do either: where a predicate remembered what it was asked before, or drew, no
probability would be the mechanism's own.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any, Final, NoReturn

from dpverify.mechanisms.drawing.failures import failed as what_failed
from dpverify.mechanisms.finer_releases.seen_by_value import Unchanged
from dpverify.mechanisms.functions.hidden_chance import no_hidden_chance
from dpverify.mechanisms.language.compiled import CompiledForm, form_of, outside_of
from dpverify.mechanisms.language.numpy_names import drawn_by
from dpverify.mechanisms.language.readings import OutsidePlace
from dpverify.mechanisms.language.values_from_outside import SCALAR_TYPES, NotCompiled, OutsideLanguage
from dpverify.mechanisms.numbers.containers import as_returned
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_mechanism
from dpverify.verifiers.problems.questions.outside import kept_by
from dpverify.verifiers.utility.case import Case, CaseData


class Asked:
    """A function of a claim, asked of cases and outcomes, of which it is given copies.

    One `outside` the language runs as it is written: what it names has to be the same afterwards, and it may not draw.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._name, self.function = name, function
        self.outside: tuple[OutsidePlace, ...] = ()
        """The places at which it is outside the language, as far as it was asked."""
        self._data: tuple[Case | None, CompiledForm | None, Any] = None, None, None
        self._kept: Unchanged | None = None
        self._form = form_of(function, _DATA)
        if self._form is None:
            self._leave(_DATA)

    def __call__(self, case: Case, *outcomes: Any) -> Any:
        """The answer. Raises `InputError`, with the line, where it raises anything, changes what is there, or draws."""
        return _told(self._name, self.function, partial(self.answer, case, *outcomes))

    def answer(self, case: Case, *outcomes: Any) -> Any:
        """Likewise as a part of a mechanism, which says the line itself.

        Outcomes, of which there may be noise in some, are given as a law holds them: lists in them are new ones.
        """
        given = None if self._form is None else self._copied(self._form, case, outcomes)
        if self._form is not None and given is not None:
            if self._form.is_as_written:  # which names nothing that draws
                return self._form.called(*given)
            with drawn_by(lambda: _refuse_chance):
                return self._form.called(*given)
        with no_hidden_chance(_NO_NOTES, (self.function,)):
            answer = self.function(case, *map(as_returned, outcomes))
        self.refuse_changes()
        return answer

    def refuse_changes(self) -> None:
        """Raise `InputError` where something that it names, or was given, is not what it was."""
        if self._kept is not None:
            self._kept.refuse_changes()
        if self._form is not None and not self._form.holds():
            raise InputError(bad_mechanism.CHANGES, f"what {self._name} names or is given", _NOTHING_IS_KEPT)

    def _copied(self, form: CompiledForm, case: Case, outcomes: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Copies for its compiled form, which is made anew for values that it does not lead to; None where it has none.

        It is made anew, too, before it keeps too many of them.
        """
        with suppress(NotCompiled):
            return self._copied_for(form, case, outcomes)
        values = (case.database, *case.parameters.values(), *case.facts.values(), *map(as_returned, outcomes))
        led_to = _DATA | {str(i): value for i, value in enumerate(values)}
        self._form = form_of(self.function, led_to)
        if self._form is not None:
            with suppress(NotCompiled):
                return self._copied_for(self._form, case, outcomes)
        self._leave(led_to)
        return None

    def _copied_for(self, form: CompiledForm, case: Case, outcomes: tuple[Any, ...]) -> tuple[Any, ...]:
        if form.copied > _MOST_COPIES:
            self.refuse_changes()
            form = self._form = CompiledForm(form.reading)
        last, last_form, data = self._data
        if last is not case or last_form is not form:
            held = (case.database, *case.parameters.values(), *case.facts.values())
            if form.is_as_written and all(form.value(each) is each for each in held):
                data = case  # what is changed was created by the run: otherwise it would have a guard
            else:
                data = CaseData(*map(form.value, (case.database, case.parameters, case.facts)))
            self._data = case, form, data
        return data, *(each if type(each) in SCALAR_TYPES else as_returned(form.value(each)) for each in outcomes)

    def _leave(self, led_to: Mapping[str, Any]) -> None:
        """From now on run it as it is written."""
        self._form, self.outside = None, outside_of(self.function, led_to)
        with suppress(InputError):  # of what has no content nothing is compared
            self._kept = kept_by(self.function)


def asked_of(name: str, function: Callable[..., Any], /, *args: Any, **given: Any) -> Any:
    """The answer of a function of the claim. Raises `InputError`, with its line, where it raises anything."""
    return _told(name, function, partial(function, *args, **given))


def _told(name: str, function: Callable[..., Any], call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (InputError, Undecided):
        raise
    except (Exception, OutsideLanguage) as error:  # a function of the user's may raise anything
        if type(error).__module__.partition(".")[0] == "hypothesis":  # an assumption that is not met
            raise
        raise InputError(what_failed(name, error, function)) from error


class _NoNotes:
    """In the place of what remembers what was refused: a predicate that catches the error is outside the language."""

    def take_note(self, error: Exception) -> None:
        """Nothing."""


def _refuse_chance(*_: Any, **__: Any) -> NoReturn:
    raise OutsideLanguage(bad_mechanism.ASKED_DRAWS.text())


_DATA: Final = MappingProxyType({"case": CaseData})
_NO_NOTES: Final = _NoNotes()
_MOST_COPIES: Final = 1 << 16
_NOTHING_IS_KEPT: Final = (
    "a predicate keeps nothing from one case or outcome to the next: make what it changes within it"
)
