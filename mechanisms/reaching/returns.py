"""Nothing passes but by return: what code reaches holds the same before and after each call.

One rule for a mechanism, for sub-mechanisms and the parts of `draw.each`, and for what is called on unknown rows. A law
is found by running code again and again, and put where it is drawn from: whatever passes on in another way, from a run
to the next one or from a part to the mechanism around it, has another law than the one that is found.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Flag
from functools import cached_property
from types import CodeType, GeneratorType
from typing import Any, Final, NoReturn

from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.places import code_of, shortened_path
from dpverify.mechanisms.numbers.errors import InputError, Place, Undecided, bad_mechanism, not_known
from dpverify.mechanisms.reaching.elsewhere import (
    codes_in,
    sees_between,
    words_that_lead_elsewhere,
    words_that_see_room,
)
from dpverify.mechanisms.reaching.handles import keeps_unseen
from dpverify.mechanisms.reaching.held import alike, is_fixed
from dpverify.mechanisms.reaching.hooks import Hooks, hooks_now, hooks_since, may_install
from dpverify.mechanisms.reaching.identities import ASKS_FOR_IDENTITY, Asked, identities_asked
from dpverify.mechanisms.reaching.outside import named_outside
from dpverify.mechanisms.reaching.process_state import ProcessState
from dpverify.mechanisms.reaching.pythons_own import (
    may_change_the_process,
    named_in_foreign_code,
    named_of_python,
    private_of_python,
)
from dpverify.mechanisms.reaching.reach import Reach, function_of_generator
from dpverify.mechanisms.reasons.reason import Reason

_OF_A_PART: Final = (
    "nothing passes out of a sub-mechanism, or of a part of draw.each, but by return: let it return what it has found, "
    "or make what it changes within it"
)
_OF_A_GENERATOR: Final = (
    "of rows whose number is not known it is not known how often that happens: let what is said of a row be the same "
    "each time, and change nothing, or claim it on databases up to a size"
)
_OF_A_WHOLE: Final = (
    "a mechanism keeps nothing from one run to the next: make what it changes within it, pass it on as a value, and "
    "remember what a pure function gives by functools.cache"
)
_ELSEWHERE: Final = (
    "what no name in its code leads to: write the names themselves, with an attribute's name as a text where it is "
    "asked for by getattr"
)
_OF_PYTHON: Final = (
    "what that module of Python's keeps for everybody is not compared between two runs: use it around the parts, and "
    "hand them what they need"
)
_OF_FOREIGN: Final = (
    "that is code which cannot be looked into, and may keep what it was given: use it around the parts, and hand them "
    "what they need"
)
_OF_OUTSIDE: Final = (
    "what it reads or writes outside of the process is not compared between two runs: read it before, and hand over "
    "what is needed as a value"
)
_OF_ROOM: Final = (
    "how much room something has, who knows it, or what was warned of, which is not compared between two runs: ask for "
    "what it holds"
)
_MEMBERS: Final = "_value2member_map_"
_OF_FLAGS: Final = "which combinations of its members somebody has asked for: ask whether a value has a name"
_OF_VALUES: Final = "the law of a sub-mechanism, or of a part of draw.each, is one of values"
_NOT_LOOKED_FOR: Final = Asked("", compile("", "<nowhere>", "exec"), None)


class ArgsWatch:
    """All that some objects reach, as it was before a call."""

    def __init__(
        self,
        roots: Iterable[tuple[str, Any]],
        rule: str = "",
        *,
        compares_all: bool = True,
        computes_late: bool = False,
        whole: ArgsWatch | None = None,
    ) -> None:
        """`rule` is what a message says of a change; see `Reach` for `computes_late`. `whole` is of the code around it.

        Raises `InputError` for iterators and handles, and, if it `compares_all`, for other things without comparable
        content, and for code that reaches what its names do not lead to.
        """
        self._rule = rule
        self._whole = whole
        self.hooks: Hooks = hooks_now() if whole is None else whole.hooks
        """The hooks that Python called for everybody when the mechanism began."""
        self._hooked = self._hooks_of_its_whole()
        self._reach = Reach((*roots, *self._hooked), computes_late=computes_late)
        self.words: frozenset[str] = self._reach.words | (frozenset() if whole is None else whole.words)
        """The names, and the texts, in code that is reached, and in that around it."""
        self.may_change: bool = self._may_change_the_process()
        """True where what a process keeps for everybody is to be compared."""
        modules = {id(function.__globals__): function.__globals__ for function in self._reach.functions}
        self._process = ProcessState(self.words, tuple(modules.values()), may_change=self.may_change)
        self._held = (*self._reach.own, *self._reach.shared)
        self._asked: Asked | None = _NOT_LOOKED_FOR
        for name, value in self._reach.iterators:
            self._refuse_incomparable(name, value, "an iterator, and what was taken from it shows nowhere")
        for name, value in self._reach.unknown:
            if compares_all or keeps_unseen(value):
                self._refuse_incomparable(name, value, "of a kind whose content cannot be compared")
        if compares_all:
            for word, code in words_that_lead_elsewhere(self._reach.functions):
                raise _placed(word, (code,), bad_mechanism.REACHES, f"by {word}", _ELSEWHERE)
            for name, value in self._reach.elsewhere:
                word = getattr(value, "__name__", type(value).__name__)
                raise _placed(name, self._reach.codes, bad_mechanism.REACHES, f"by {word}", _ELSEWHERE)
            for name in named_outside(self._reach.functions, self._reach.values, self._reach.words):
                raise _placed(name, self._reach.codes, bad_mechanism.REACHES, f"{name}", _OF_OUTSIDE)
            for name in named_of_python(self._reach.values, self._reach.words):
                raise _placed(name, self._reach.codes, bad_mechanism.REACHES, f"{name}", _OF_PYTHON)
            for name in named_in_foreign_code(self._reach.values):
                raise _placed(name, self._reach.codes, bad_mechanism.REACHES, f"{name}", _OF_FOREIGN)

    def _may_change_the_process(self) -> bool:
        if self._whole is not None and self._whole.may_change:
            return True
        found = self._reach
        leads = bool(found.elsewhere or found.unknown) or any(words_that_lead_elsewhere(found.functions))
        return leads or bool(self._hooked) or may_change_the_process(found.values)

    def refuse_changes(self) -> None:
        """Raises `InputError`, with the name and the line, where something is not what it was."""
        for holder in self._held:
            name = holder.changed()
            if name is not None:
                raise _placed(name, self._reach.codes, bad_mechanism.CHANGES, name, holder.advice or self._rule)
        self._process.refuse_changes()

    def refuse_identities(self) -> None:
        """Raises `Undecided`, with the line, where code asks whether two things are one object."""
        if self._asked is _NOT_LOOKED_FOR:
            self._asked = next(identities_asked(self._reach.functions, self._reach.values), None)
        if self._asked is not None:
            word, code, line = self._asked
            where = "" if line is None else f" ({shortened_path(code.co_filename, ours=False)}, line {line})"
            raise Undecided(not_known.IDENTITY_ASKED, word, where, ASKS_FOR_IDENTITY, _OF_VALUES)

    @cached_property
    def _may_install(self) -> bool:
        return may_install(self.words, self.values)

    def _hooks_of_its_whole(self) -> tuple[tuple[str, Any], ...]:
        """The hooks that the code around it has put in the place of others."""
        whole = self._whole
        return () if whole is None else hooks_since(whole.hooks, may_install=whole._may_install)

    @property
    def values(self) -> Iterable[Any]:
        """All objects that are reached, but those that lead nowhere."""
        return self._reach.values

    @cached_property
    def sees_between(self) -> bool:
        """True where code may see of a function what it does not return."""
        return sees_between(self.words, self.values)

    def refuse_room(self) -> None:
        """Raises `InputError`, with the word and the line, where code asks for more than what things hold."""
        for name in private_of_python(self._reach.values, self._reach.words):
            raise _placed(name, self._reach.codes, bad_mechanism.REACHES, f"{name}", _OF_PYTHON)
        for word in words_that_see_room(self._reach.codes):
            raise _placed(word, self._reach.codes, bad_mechanism.REACHES, f"by {word}", _OF_ROOM)
        if _MEMBERS in self.words and any(isinstance(value, type) and issubclass(value, Flag) for value in self.values):
            raise _placed(_MEMBERS, self._reach.codes, bad_mechanism.REACHES, f"by {_MEMBERS} of a Flag", _OF_FLAGS)

    @property
    def sees_the_same(self) -> bool:
        """True where what is reached by names is what it was: what hangs on the objects themselves is part of a key."""
        if not alike(self._hooked, self._hooks_of_its_whole()):
            return False
        return all(holder.changed() is None for holder in self._reach.shared) and self._process.is_the_same

    def _refuse_incomparable(self, name: str, value: Any, why: str) -> NoReturn:
        what, advice = f"{name}, a {type(value).__name__}, {why}", "hand over a tuple of what it needs"
        raise _placed(name, self._reach.codes, bad_mechanism.REACHES, what, advice)


def watch_of_whole(mechanism: Callable[..., Any], parameters: Mapping[str, Any]) -> ArgsWatch:
    """All that a mechanism reaches that no other one draws from. Raises `InputError` for iterators."""
    watch = ArgsWatch(_named_roots(mechanism, (), parameters), _OF_A_WHOLE, compares_all=False, computes_late=True)
    watch.refuse_room()
    return watch


def watch_of_database(args: tuple[Any, ...]) -> ArgsWatch | None:
    """All that a database reaches; None where nothing in it can be changed."""
    return (
        None
        if is_fixed(args)
        else ArgsWatch((("the database", part) for part in args), _OF_A_WHOLE, compares_all=False)
    )


def watch_of_part(
    mechanism: Callable[..., Any],
    args: tuple[Any, ...],
    parameters: Mapping[str, Any],
    whole: ArgsWatch | None = None,
) -> ArgsWatch:
    """All that a sub-mechanism of the `whole` reaches. Raises `InputError` for what has no content to be compared."""
    return ArgsWatch(_named_roots(mechanism, args, parameters), _OF_A_PART, whole=whole)


def watch_of_outcomes(outcomes: Iterable[Any]) -> ArgsWatch | None:
    """All that outcomes reach that a sub-mechanism has returned; None where nothing in them can be changed."""
    changeable = [outcome for outcome in outcomes if not is_plain(outcome) and not is_fixed(outcome)]
    if not changeable:
        return None
    return ArgsWatch((("what is returned", outcome) for outcome in changeable), _OF_A_PART, compares_all=False)


def watch_of_generator(generator: GeneratorType[Any, Any, Any]) -> ArgsWatch:
    """All that a generator reaches that has not begun. Raises `InputError` for what has no comparable content."""
    return ArgsWatch(_roots_of_generator(generator), _OF_A_GENERATOR)


def _roots_of_generator(generator: GeneratorType[Any, Any, Any]) -> Iterator[tuple[str, Any]]:
    source: Any = generator
    while isinstance(source, GeneratorType) and source.gi_frame is not None:
        function, variables = function_of_generator(source), source.gi_frame.f_locals
        if function is None:
            raise InputError(bad_mechanism.GENERATOR)
        yield function.__name__, function
        yield from ((name, value) for name, value in variables.items() if not name.startswith("."))
        source = variables.get(".0")  # the iterator that a generator expression was given


def _named_roots(
    mechanism: Callable[..., Any], args: tuple[Any, ...], parameters: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    yield name_of(mechanism), mechanism
    code = code_of(mechanism)
    names = () if code is None or not args else code.co_varnames[: code.co_argcount][-len(args) :]
    for i, value in enumerate(args):
        yield (names[i] if len(names) == len(args) else "an argument"), value
    yield from parameters.items()


def _placed(name: str, codes: Iterable[CodeType], reason: Reason, *values: str) -> InputError:
    error = InputError(reason, *values)
    error.place = _line_of(name, codes)
    return error


def _line_of(name: str, codes: Iterable[CodeType]) -> Place | None:
    """The place where code names a thing, first where it binds it anew; None where it is not found."""
    words = name.replace("[", ".").split(".")
    for word, binds in [(word, binds) for word in (words[-1], words[0]) for binds in (True, False)]:
        for code in codes:
            for within in codes_in(code):
                for instruction in dis.get_instructions(within):
                    if instruction.argval == word and (not binds or instruction.opname.startswith("STORE_")):
                        line = instruction.positions.lineno if instruction.positions else None
                        if line is not None:
                            return Place(shortened_path(within.co_filename, ours=False), line, ours=False)
    return None
