"""The paths of a mechanism whose rows are sealed: which parts it meets on each, whatever these release.

A mechanism is run once per path, as the enumerator does. A part is not run: what is known of it is noted, and there
is a path for each of the outcomes that it can have. What draws without rows is run, or has each of its outcomes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import FunctionType
from typing import Any, Final, NoReturn, TypeAlias

from dpverify.mechanisms.finer_releases.seen_by_value import Reached
from dpverify.mechanisms.functions.fixed_values import Changeable, Same, fixed, key_of_call
from dpverify.mechanisms.functions.mechanism import Mechanism, exact_parameters, name_of
from dpverify.mechanisms.functions.parts import items_of
from dpverify.mechanisms.functions.places import place_in_brackets, place_of
from dpverify.mechanisms.functions.signatures import signature_of
from dpverify.mechanisms.language.compiled import CompiledForm, form_of
from dpverify.mechanisms.language.numpy_names import drawn_by
from dpverify.mechanisms.language.values_from_outside import OutsideLanguage
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input, bad_mechanism, not_known
from dpverify.mechanisms.numbers.integers.sealed import Sealed
from dpverify.mechanisms.numbers.roots.delta_symbol import symbolic_depth
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.verifiers.all_sizes.caught_errors import not_followed
from dpverify.verifiers.all_sizes.compositions.parts import (
    EVERY_VALUE,
    NUMBER,
    OUTCOME,
    HandedOn,
    KnownPart,
    PartRule,
    SealedDatabase,
    SealedScores,
)
from dpverify.verifiers.all_sizes.compositions.sealed import (
    REFUSED_OPERATORS,
    AnyDepth,
    AnyOutcome,
    AnyReleased,
    AnyValue,
    HoldsRows,
    OutcomeToReturn,
    SealedRows,
    depth_of,
    refuse_rows_in,
)

RuleOf: TypeAlias = Callable[[Mechanism], PartRule | None]
"""Guarantee of a mechanism as a sub-mechanism; None where there is none."""

AnyDatabase: TypeAlias = SealedDatabase | SealedScores

MOST_SEALED_PATHS: Final = 20_000
MOST_PARTS: Final = 2_000
"""On a path."""
MOST_CHOICES: Final = 400
"""On a path: a loop that does not end makes more."""


@dataclass(frozen=True)
class PathMet:
    """A path: the parts that were met on it, in order, and what was returned, where `NUMBER` may be any number."""

    parts: tuple[KnownPart, ...]
    outcome: Any = field(default=None, compare=False)


class _Trail:
    """The choices of a path, which is run again to the first that has a branch left, and takes that."""

    def __init__(self, *, backwards: bool) -> None:
        self._backwards = backwards
        self._taken: list[tuple[int, int, str, object]] = []
        self._next = 0

    def choose(self, branches: int, what: str, of: object = None) -> int:
        """One of so many branches at what is asked, of what is to be the same when it is asked again."""
        if self._next == len(self._taken):
            if len(self._taken) >= MOST_CHOICES:
                raise Undecided(
                    not_known.TOO_MANY_CHOICES, f"makes more than {MOST_CHOICES} choices, the last at {what}"
                )
            self._taken.append((branches, 0, what, of))
        known, branch, asked, of_before = self._taken[self._next]
        if (known, asked, of_before) != (branches, what, of):
            raise InputError(
                bad_mechanism.NOT_DETERMINISTIC,
                "the mechanism",
                f"it came to {what} when it was run again, and to {asked} before",
            )
        self._next += 1
        return branches - 1 - branch if self._backwards else branch

    def advance(self) -> bool:
        """Go on to the next path; False where there is none."""
        while self._taken and self._taken[-1][1] == self._taken[-1][0] - 1:
            self._taken.pop()
        if not self._taken:
            return False
        branches, branch, what, of = self._taken.pop()
        self._taken.append((branches, branch + 1, what, of))
        self._next = 0
        return True

    def refuse_rest(self) -> None:
        """Raises `InputError` where a run that was to make the choices of another one has made fewer."""
        if self._next != len(self._taken):
            raise InputError(
                bad_mechanism.NOT_DETERMINISTIC,
                "the mechanism",
                f"it did not come to {self._taken[self._next][2]} when it was run again, as it did before",
            )


class KnownParts:
    """Known parts with what they are given: each is asked for once, and what it is given may change nothing."""

    def __init__(self, rule_of: RuleOf) -> None:
        self.rule_of: Final = rule_of
        self._known: dict[Hashable, tuple[Reached, KnownPart | HandedOn]] = {}

    def __call__(
        self,
        mechanism: Mechanism,
        rule: PartRule,
        database: AnyDatabase,
        args: tuple[Any, ...],
        given: Mapping[str, Any],
    ) -> KnownPart | HandedOn:
        """All that is known. Raises `Undecided` where that is nothing, and `InputError` as the part does.

        Functions that it is given, such as predicates, are run on the rows of the universe: a list of the run that they
        fill is seen.
        """
        plain_args, plain = tuple(map(_plain, args)), {name: _plain(value) for name, value in given.items()}
        key_of_part = key_of_call(mechanism, plain_args, plain)
        key = None if key_of_part is None else (key_of_part, key_of_database(database))
        if key is not None and key in self._known:
            watch, found = self._known[key]
            if watch.sees_the_same:
                return found
        watch = Reached(mechanism, plain_args, plain)
        signature = signature_of(mechanism) or inspect.signature(mechanism)
        bound = signature.bind(None, None, *args, **given)
        bound.apply_defaults()
        found = rule(database, dict(list(bound.arguments.items())[2:]))
        watch.refuse_changes()
        own = (*args, *given.values())
        holds_a_number = any(part is not value for part, value in zip((*plain_args, *plain.values()), own, strict=True))
        if key is not None and not (holds_a_number and isinstance(found, HandedOn)):  # a number is one of a run
            self._known[key] = watch, found
        return found


def _plain(value: Any) -> Any:
    """A value as a part is known by it: of any number nothing is known."""
    if type(value) is tuple:
        plain = tuple(map(_plain, value))
        return value if all(part is own for part, own in zip(plain, value, strict=True)) else plain
    if type(value) in (AnyOutcome, OutcomeToReturn):
        return OUTCOME
    if type(value) is AnyDepth:
        return _Depth(*depth_of(value))
    return NUMBER if type(value) in (AnyReleased, AnyValue) else value


def _returned(value: Any) -> Any:
    """An outcome as it is known: a depth may be any number."""
    if type(value) is tuple:
        return tuple(map(_returned, value))
    return NUMBER if type(value) is AnyDepth else _plain(value)


@dataclass(frozen=True)
class _Depth:
    """In the place of a depth, in keys."""

    below: int
    least: int


def key_of_database(database: AnyDatabase) -> Hashable:
    """A key that two databases share only if their rows are alike, of one type. One of its own where none is known."""
    try:
        return fixed(database)
    except Changeable:
        return Same(database)


class SealedRun:
    """One run of the compiled form of a mechanism on sealed rows."""

    def __init__(self, known: KnownParts, trail: _Trail, form: CompiledForm) -> None:
        self.form: Final = form
        self._known = known
        self._trail = trail
        self._databases: dict[int, tuple[Any, AnyDatabase]] = {}
        self.parts: list[KnownPart] = []
        self.refused: Exception | None = None

    def rows(self, database: AnyDatabase) -> Any:
        """Sealed rows in the place of a database."""
        handed = SealedRows(self)
        self._databases[id(handed)] = handed, database
        return handed

    def draw(self) -> Any:
        """The `draw` that a mechanism is given."""
        return SealedDraw(self)

    def take_note(self, error: Exception) -> None:
        """See `HolderOfRows`."""
        self.refused = self.refused or error

    def either(self) -> bool:
        """See `HolderOfRows`."""
        return self._trail.choose(2, "a comparison of what was released") == 0

    def drawn(self, source: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """See `Draw`."""
        if isinstance(source, Distribution | NoiseLaw):
            if args or kwargs:
                raise InputError(bad_input.OPTION, f"draw({shown(source)}, …)", "arguments of a distribution")
            return self._of_law(source)
        if not callable(source):
            raise InputError(bad_input.DRAW_FROM, shown(source))
        source, given = without_partial(source, exact_parameters(kwargs))
        users = self._users(source)
        if args and id(args[0]) in self._databases:
            rule = self._known.rule_of(users)
            if rule is not None:
                given = {name: self._users(value) for name, value in given.items()}
                return self._of_part(users, rule, (args[0], *map(self._users, args[1:])), given)
        return self.run(self.form.value(source), args, given)

    def begun(self, mechanism: Mechanism, database: AnyDatabase, parameters: Mapping[str, Any]) -> Any:
        """The outcome of a mechanism, which may be a part that is known."""
        return self.drawn(mechanism, (self.rows(database),), self.compiled(parameters))

    def whole(self, mechanism: Mechanism, database: AnyDatabase, parameters: Mapping[str, Any]) -> Any:
        """The outcome of the mechanism that it is a run of, which is no part of itself."""
        source, given = without_partial(mechanism, exact_parameters(self.compiled(parameters)))
        return self.run(self.form.value(source), (self.rows(database),), given)

    def run(self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> Any:
        """The outcome of a mechanism that is no part, and is run; drawn where it is a law."""
        found = mechanism(self.draw(), *args, **parameters)
        return self._of_law(found) if issubclass(type(found), Distribution) else found

    def _of_law(self, law: Distribution[Any] | NoiseLaw) -> Any:
        if isinstance(law, NoiseLaw):
            return AnyReleased(self)
        if isinstance(law, ReleasedDistribution):
            raise Undecided(
                not_known.ROWS_SEEN, "a distribution of released numbers is drawn from outside of a sub-mechanism"
            )
        return self._one_of(tuple(law.probabilities), "a draw without rows")

    def _one_of(self, outcomes: tuple[Any, ...], what: str, of: object = None) -> Any:
        if len(outcomes) > MOST_SEALED_PATHS:
            raise Undecided(
                not_known.TOO_MANY_CHOICES,
                f"draws {what}, which has {len(outcomes):,} outcomes, more than {MOST_SEALED_PATHS:,}",
            )
        return outcomes[self._trail.choose(len(outcomes), what, of)] if len(outcomes) > 1 else outcomes[0]

    def _users(self, value: Any) -> Any:
        """The user's own value of one that a run has, such as a function that it has made."""
        if type(value) is partial:
            given = {name: self._users(each) for name, each in value.keywords.items()}
            return partial(self._users(value.func), *map(self._users, value.args), **given)
        return self.form.users_function(value) if type(value) is FunctionType else self.form.users(value)

    def compiled(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Values from outside as the compiled form is given them; some stand for every value."""
        return {name: self._compiled(value) for name, value in parameters.items()}

    def _compiled(self, value: Any) -> Any:
        if value is EVERY_VALUE:
            return AnyValue(self)
        return AnyDepth(self, LEAST_OF_STEP) if value is symbolic_depth else self.form.value(value)

    def _of_part(self, mechanism: Mechanism, rule: PartRule, args: tuple[Any, ...], given: Mapping[str, Any]) -> Any:
        name = name_of(mechanism)
        try:
            refuse_rows_in((*args[1:], *given.values()))
        except HoldsRows as held:
            raise Undecided(not_known.ROWS_SEEN, f"{name} is handed rows, and {held} besides") from None
        _, database = self._databases[id(args[0])]
        found = self._known(mechanism, rule, database, args[1:], given)
        if isinstance(found, HandedOn):
            return self.drawn(found.mechanism, (self.rows(found.database),), self.compiled(found.parameters))
        self.parts.append(found)
        if len(self.parts) > MOST_PARTS:
            raise Undecided(
                not_known.TOO_MANY_CHOICES,
                f"draws from more than {MOST_PARTS:,} sub-mechanisms, the last {found.name}: does it end?",
            )
        outcome = self._one_of(tuple(found.outcomes), f"the outcome of {found.name}", found)
        return self._with_numbers(outcome)

    def to_return(self, value: Any) -> OutcomeToReturn:
        """A stand-in for a value that can be returned, and nothing else. Raises `Undecided` where it holds rows."""
        try:
            refuse_rows_in(value)
        except HoldsRows as held:
            error = Undecided(not_known.ROWS_SEEN, f"what is released holds {held}")
            self.take_note(error)
            raise error from None
        return OutcomeToReturn(self)

    def _with_numbers(self, outcome: Any) -> Any:
        if outcome is NUMBER:
            return AnyReleased(self)
        if outcome is OUTCOME:
            return AnyOutcome(self)
        return tuple(map(self._with_numbers, outcome)) if type(outcome) is tuple else outcome


LEAST_OF_STEP: Final = 2
"""The least depth of the step of an induction, which begins at 1."""


def without_partial(source: Any, given: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """A mechanism without the `partial` that it is in, and all that it is given."""
    while type(source) is partial and not source.args:  # and none that is called in a way of its own
        source, given = source.func, {**source.keywords, **given}
    return source, given


class SealedDraw(Sealed):
    """See `Draw`: what a mechanism draws with whose rows are sealed, and nothing more."""

    __slots__ = ("run",)

    def __init__(self, run: SealedRun) -> None:
        self.run = run

    def __getattribute__(self, name: str) -> Any:
        if name in ("each", "release"):
            return object.__getattribute__(self, name)
        run: SealedRun = object.__getattribute__(self, "run")
        error = Undecided(
            not_known.ROWS_SEEN, f"draw was used as draw.{name}, and not as draw(…), draw.each(…) or draw.release(…)"
        )
        run.take_note(error)
        raise error

    def __call__(self, source: Any, /, *args: Any, **kwargs: Any) -> Any:
        """See `Draw`."""
        run: SealedRun = object.__getattribute__(self, "run")
        try:
            return run.form.drawn(run.drawn(source, args, kwargs))
        except (InputError, Undecided) as error:
            run.take_note(error)
            raise

    def each(self, mechanism: Mechanism, items: Iterable[Any], /, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """See `Draw`: a part can only be returned."""
        run: SealedRun = object.__getattribute__(self, "run")
        return tuple(run.to_return(self(mechanism, item, *args, **kwargs)) for item in items_of(mechanism, items))

    def release(self, value: Any, /, then: Callable[[Any], Any] | None = None) -> Any:
        """See `Draw`: what is computed of what was released needs nothing more, unless it sees rows."""
        run: SealedRun = object.__getattribute__(self, "run")
        return run.to_return((value, then))


def _draw_refused(name: str) -> Any:
    def method(self: Any, *_: object, **__: object) -> NoReturn:
        SealedDraw.__getattribute__(self, name)
        raise AssertionError("it is refused")

    return method


for _name in REFUSED_OPERATORS:
    setattr(SealedDraw, _name, _draw_refused(_name))


def paths_met(
    mechanism: Mechanism,
    database: AnyDatabase,
    parameters: Mapping[str, Any],
    rule_of: RuleOf,
    *,
    backwards: bool = False,
    is_recursive: bool = False,
) -> list[PathMet]:
    """The paths of a mechanism, in order or `backwards`; one that `is_recursive` may be a part of itself.

    Raises `Undecided` where it asks its rows for anything, catches errors, or has too many paths, and `InputError`
    where it is not the same when it is run again.
    """
    doubt, form = not_followed(mechanism, parameters), form_of(mechanism, parameters)
    if doubt is not None or form is None:
        raise Undecided(not_known.ROWS_SEEN, doubt)
    trail, known = _Trail(backwards=backwards), KnownParts(rule_of)
    found: list[PathMet] = []
    while True:
        run = SealedRun(known, trail, form)
        outcome = _outcome(run, mechanism, database, parameters, is_recursive=is_recursive)
        trail.refuse_rest()
        found.append(PathMet(tuple(run.parts), _returned(outcome)))
        if len(found) > MOST_SEALED_PATHS:
            raise Undecided(not_known.TOO_MANY_CHOICES, f"is one of more than {MOST_SEALED_PATHS:,} paths")
        if not trail.advance():
            return found


def _outcome(
    run: SealedRun,
    mechanism: Mechanism,
    database: AnyDatabase,
    parameters: Mapping[str, Any],
    *,
    is_recursive: bool,
) -> Any:
    """The outcome on one path. Raises `Undecided` where the rows were asked for anything, and where it holds them."""
    outcome = _unchecked(
        run, mechanism, partial(run.whole if is_recursive else run.begun, mechanism, database, parameters)
    )
    refused = run.refused or notes.refused
    if refused is not None:
        raise Undecided(str(refused)) from refused
    try:
        refuse_rows_in(outcome)
    except HoldsRows as held:
        raise Undecided(not_known.ROWS_SEEN, f"what is returned holds {held}") from None
    return outcome


def _unchecked(run: SealedRun, mechanism: Mechanism, begin: Callable[[], Any]) -> Any:
    notes.refused = None
    try:
        with drawn_by(run.draw):
            return run.form.users(begin())
    except (InputError, Undecided) as error:
        if notes.refused is not None:
            raise Undecided(str(notes.refused)) from notes.refused
        if type(error) is InputError:
            raise InputError(f"{error}{place_in_brackets(place_of(error, mechanism))}") from error
        raise
    except OutsideLanguage as error:
        raise Undecided(not_known.ROWS_SEEN, str(error)) from error
    except Exception as error:  # a mechanism may raise anything
        if run.refused is not None:
            raise run.refused from error
        raise Undecided(
            not_known.ROWS_SEEN,
            f"it raises {type(error).__name__}: {error}, on placeholders of rows or of released numbers",
        ) from error
