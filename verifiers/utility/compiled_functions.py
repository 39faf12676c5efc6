"""Functions of a claim, such as `succeeds`, as they are asked: in the compiled form, which keeps and draws nothing.

What a mechanism may not do, they may not do either: where a predicate remembered what it was asked before, or drew, no
probability would be the mechanism's own.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any, Final, NoReturn

from dpverify.mechanisms.drawing.failures import failed as what_failed
from dpverify.mechanisms.finer_releases.seen_by_value import Unchanged
from dpverify.mechanisms.functions.hidden_chance import is_of_chance, no_hidden_chance
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.trusted import is_trusted_function
from dpverify.mechanisms.language.compiled import CompiledForm, form_of, outside_of
from dpverify.mechanisms.language.numpy_names import drawn_by
from dpverify.mechanisms.language.reader import read
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

    def __init__(self, name: str, function: Callable[..., Any], led_to: Mapping[str, Any] | None = None) -> None:
        self._name, self.function, self._led_to = name, function, dict(led_to or _DATA)
        self.outside: tuple[OutsidePlace, ...] = ()
        """The places at which it is outside the language, as far as it was asked."""
        self._data: tuple[Case | None, CompiledForm | None, Any] = None, None, None
        self._kept: Unchanged | None = None
        self._chance: tuple[Any, ...] = ()
        self._own: dict[int, Any] | None = {}
        """Values that lead to code of this library alone, by identity; None once something led to other code."""
        self._kinds: set[type] = set()
        """The classes of values of cases, beside plain ones, that the form knows."""
        self._form = form_of(function, self._led_to)
        if self._form is None:
            self._leave()

    def __call__(self, case: Case, *outcomes: Any) -> Any:
        """The answer. Raises `InputError`, with the line, where it raises anything, changes what is there, or draws."""
        return _told(self._name, self.function, partial(self.answer, case, *outcomes))

    def answer(self, case: Case, *outcomes: Any) -> Any:
        """Likewise as a part of a mechanism, which says the line itself.

        Outcomes, of which there may be noise in some, are given as a law holds them: lists in them are new ones.
        """
        held = (case.database, *case.parameters.values(), *case.facts.values())
        if self._form is not None and any(type(each) not in self._kinds and not is_plain(each) for each in held):
            self._lead_to(held)
        given = None if self._form is None else self._copied(self._form, case, outcomes)
        if self._form is not None and given is not None:
            if self._form.is_as_written:  # which names nothing that draws
                return self._call(self._form.called, *given)
            with drawn_by(lambda: _refuse_chance):
                return self._call(self._form.called, *given)
        self._look_at(each for each in held if not is_plain(each))
        with no_hidden_chance(_no_note, (*self._chance, *filter(is_of_chance, held))):
            answer = self._call(self.function, case, *map(as_returned, outcomes))
        self.refuse_changes()
        return answer

    @property
    def is_proof(self) -> bool:
        """True unless other code than this library's ran as it is written; what that names is compared."""
        return not self.outside or (self._own is not None and self._kept is not None)

    def refuse_changes(self) -> None:
        """Raise `InputError` where something that it names, or was given, is not what it was."""
        if self._kept is not None:
            self._kept.refuse_changes()
        if self._form is not None and not self._form.holds():
            raise InputError(bad_mechanism.CHANGES, f"what {self._name} names or is given", _NOTHING_IS_KEPT)

    @staticmethod
    def _call(function: Callable[..., Any], case: CaseData, *outcomes: Any) -> Any:
        return function(case, *outcomes)

    def _copied(self, form: CompiledForm, case: Case, outcomes: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Copies for its compiled form, which is made anew for values that it does not lead to; None where it has none.

        It is made anew, too, before it keeps too many of them.
        """
        with suppress(NotCompiled):
            return self._copied_for(form, case, outcomes)
        self._lead_to((case.database, *case.parameters.values(), *case.facts.values(), *map(as_returned, outcomes)))
        if self._form is not None:
            with suppress(NotCompiled):
                return self._copied_for(self._form, case, outcomes)
            self._leave()
        return None

    def _lead_to(self, values: tuple[Any, ...]) -> None:
        """Make the form again, which knows the classes of these values, too."""
        self.refuse_changes()
        self._kinds |= {*map(type, values)}
        self._led_to |= {f"{len(self._led_to)} {i}": value for i, value in enumerate(values)}
        self._form = form_of(self.function, self._led_to)
        if self._form is None:
            self._leave()

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

    def _leave(self) -> None:
        """From now on run it as it is written."""
        self._form, self.outside = None, outside_of(self.function, self._led_to)
        self._look_at((self.function,))
        self._chance = read(self.function, self._led_to).chance
        with suppress(InputError):  # of what has no content nothing is compared
            self._kept = kept_by(self.function)

    def _look_at(self, values: Iterable[Any]) -> None:
        for value in values:
            if self._own is not None and id(value) not in self._own:
                functions = [each.function for each in read(value).each]
                is_own = all(is_trusted_function(each) and each.__module__.startswith(_OWN) for each in functions)
                if is_own:
                    self._own[id(value)] = value
                else:
                    self._own = None


class AskedByName(Asked):
    """A function that takes the parameters of a case by their names."""

    @staticmethod
    def _call(function: Callable[..., Any], case: CaseData, *_: Any) -> Any:
        return function(**case.parameters)


def _told(name: str, function: Callable[..., Any], call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (InputError, Undecided):
        raise
    except (Exception, OutsideLanguage) as error:  # a function of the user's may raise anything
        if type(error).__module__.partition(".")[0] == "hypothesis":  # an assumption that is not met
            raise
        raise InputError(what_failed(name, error, function)) from error


def _no_note(_: Exception) -> None:
    """In the place of what remembers what was refused: a predicate that catches the error is outside the language."""


def _refuse_chance(*_: Any, **__: Any) -> NoReturn:
    raise OutsideLanguage(bad_mechanism.ASKED_DRAWS.text())


_DATA: Final = MappingProxyType({"case": CaseData})
_OWN: Final = "dpverify."
_MOST_COPIES: Final = 1 << 16
_NOTHING_IS_KEPT: Final = (
    "a predicate keeps nothing from one case or outcome to the next: make what it changes within it"
)
