"""The claim that what is computed of each case is equal to a number, or at most or at least that, and its decision."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, Self, TypeAlias

from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.kinds.calculation import CalculatedCase, CalculationResult
from dpverify.reports.numbers import counted
from dpverify.reports.record import NOT_RECHECKED, BrokenVariant, Scope, Status
from dpverify.verifiers.claims import AS_USUAL, AnyClaim, Broken, Explanation, How, explained, functions_of
from dpverify.verifiers.locations import one_of_each_kind
from dpverify.verifiers.problems.questions.outside import checked_in_words, outside_in_words
from dpverify.verifiers.readable import number_in_words, shown_case
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.compiled_functions import AskedByName
from dpverify.verifiers.utility.judging import ratio_of
from dpverify.verifiers.utility.more_noise import LOOSE_RATIO
from dpverify.verifiers.utility.sharpness import least_that_holds
from dpverify.verifiers.utility.statement import Sharpness

_Given: TypeAlias = Mapping[str, Any]
"""A case: the parameters of a calculation by their names."""

_Value: TypeAlias = ExactLike | tuple[ExactLike, ...]
"""A number, or several, each of which is compared with its own."""

_RELATIONS: Final = {"equals": "=", "at_most": "≤", "at_least": "≥"}


@dataclass(frozen=True, kw_only=True)
class Calculation(AnyClaim):
    """The claim that `computed` is, on each of the `cases`, what it `equals`, or `at_most` or `at_least` that.

    One of the three is given: a number, a tuple of numbers where `computed` gives one, or a function. Functions take
    those parameters of a case that their signatures name. `mutants` change `computed`, or another field, and must be
    refuted. With a `sharpness` the least size is found from which it holds. `weak_because` says why a claim is kept
    whose number is nowhere near its bound, or `sharp_in` names the claim that is sharp. Raises `InputError` for none of
    the three and for more than one, for a number that is not exact, for cases that are no parameters, for one that is
    listed twice, and for a claim that holds and has no mutants.

    >>> from dpverify.verifiers.calculations import Calculation
    >>> from dpverify.verifiers.lower_bounds import Broken
    >>> birthdays = Calculation(
    ...     id="lib.pairs",
    ...     computed=lambda people: Fraction(people * (people - 1), 2 * 365),
    ...     at_most=lambda people: Fraction(people**2, 730),
    ...     cases=[{"people": people} for people in range(1, 30)],
    ...     mutants=[Broken("all pairs twice", {"computed": lambda people: Fraction(people * (people - 1), 365)})],
    ... )
    >>> audit([birthdays]).claims[0].verdict
    <Status.PROVED: 'PROVED'>
    """

    computed: Callable[..., _Value]
    cases: Iterable[_Given]
    equals: _Value | Callable[..., _Value] | None = None
    at_most: _Value | Callable[..., _Value] | None = None
    at_least: _Value | Callable[..., _Value] | None = None
    mutants: Sequence[Broken] = field(default=())
    sharpness: Sharpness | None = None
    weak_because: str = ""
    sharp_in: str = ""

    kind: ClassVar[str] = "calculation"

    @property
    def relation(self) -> str:
        """=, ≤ or ≥: what is computed stands on the left of it."""
        return _RELATIONS[self._compared]

    @property
    def claimed(self) -> str:
        """The relation, and the number where it is the same on all cases."""
        value = getattr(self, self._compared)
        return f"{self.relation} {'the number claimed' if callable(value) else _in_words(_numbers('', value))}"

    @property
    def _compared(self) -> str:
        return next(name for name in _RELATIONS if getattr(self, name) is not None)

    def decide(self, how: How = AS_USUAL) -> CalculationResult:
        """The record of its verdict, and its mutants'. Raises as `check_calculation` does."""
        return check_calculation(self, slack=how.slack)

    def explain(self, how: How = AS_USUAL) -> Explanation:
        return explained(self, how, functions_of(self, "computed"))

    def broken(self, mutant: Broken) -> Self:
        """The claim as the mutant has it."""
        return replace(self, mutants=(), expected=Status.REFUTED, refutation=None, **mutant.fields)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._refuse_what_is_no_function("computed")
        given = [f"{name}=" for name in _RELATIONS if getattr(self, name) is not None]
        if not given:
            raise InputError(
                bad_input.NEEDS, self.id, "one of equals=, at_most= and at_least=", "give a number or a function"
            )
        if len(given) > 1:
            raise InputError(bad_input.EXCLUDE, f"{self.id}: {given[0]}", given[1])
        if not isinstance(self.cases, Iterable) or isinstance(self.cases, Iterator | Mapping | str):
            raise InputError(
                bad_input.WRONG,
                f"{self.id}: cases={shown(self.cases)}",
                "a list of mappings",
                "write [dict(alpha=…), …]",
            )
        listed = self.cases if isinstance(self.cases, list | tuple) else [{}]
        if not listed or not all(isinstance(case, Mapping) for case in listed):
            raise InputError(
                bad_input.NEEDS, f"{self.id}: each case", "parameters", "write [dict(alpha=…), …], at least one"
            )
        self._refuse_a_case_given_twice(listed)
        value = getattr(self, self._compared)
        if not callable(value):
            try:
                _numbers(self._compared, value)
            except InputError as error:
                raise InputError(f"{self.id}: {error}") from error
        self._refuse_what_is_no_mutant()

    def _refuse_a_case_given_twice(self, cases: Iterable[_Given]) -> None:
        """Raises `InputError` for a case that is listed twice; of cases whose values have no hash nothing is said."""
        given = set()
        for case in cases:
            try:
                one = frozenset(case.items())
                twice = one in given
            except TypeError:
                continue
            if twice:
                raise InputError(bad_input.TWICE, f"{self.id}: cases", shown_case(case), "give each once")
            given.add(one)

    @property
    def asked(self) -> dict[str, AskedByName]:
        """Its functions by name, to be asked of cases in one decision."""
        named = {name: getattr(self, name) for name in ("computed", self._compared)}
        given = one_of_each_kind(tuple(case.values()) for case in self.cases)
        led_to = {str(i): value for i, value in enumerate(given)}
        return {name: AskedByName(name, value, led_to) for name, value in named.items() if callable(value)}

    def judged(self, case: _Given, asked: Mapping[str, AskedByName]) -> Judged:
        """Both numbers on a case, and whether they are as is claimed; its functions are `asked`.

        Raises `Undecided` where that cannot be decided, and `InputError`, naming the claim and the case, where a
        function of the claim fails, or gives no exact numbers.
        """
        compared = self._compared
        try:
            computed, claimed = (_numbers(name, self._answer(name, case, asked)) for name in ("computed", compared))
            if len(computed) != len(claimed):
                raise InputError(
                    bad_input.NOT_ONE_EACH,
                    f"{counted(len(computed), 'number')} of computed",
                    f"{len(claimed)} of {compared}",
                )
        except InputError as error:
            raise InputError(f"{self.id}, on {shown_case(case)}: {error}") from error
        holds = all(_HOLDS[compared](one, other) for one, other in zip(computed, claimed, strict=True))
        return Judged(case, computed, claimed, holds)

    def _answer(self, name: str, case: _Given, asked: Mapping[str, AskedByName]) -> Any:
        """The value of a function at the parameters that it names, or a value as it is."""
        if name not in asked:
            return getattr(self, name)
        taken = inspect.signature(asked[name].function).parameters.values()
        missing = [one.name for one in taken if one.name not in case and one.default is one.empty]
        if missing and not any(one.kind is one.VAR_KEYWORD for one in taken):
            raise InputError(
                bad_input.NEEDS, name, missing[0], f"add it to the case, which gives {', '.join(case) or 'nothing'}"
            )
        return asked[name](Case(None, _of_these(_taken(asked[name].function), case)))

    def ratio(self, judged: Judged) -> float:
        """The part of the claim that a case uses: computed/claimed, or claimed/computed of what is at least that."""
        pairs = zip(judged.computed, judged.claimed, strict=True)
        if self.at_least is not None:
            return max((ratio_of(claimed, computed) for computed, claimed in pairs), default=0.0)
        return max(
            (ratio_of(computed, claimed) for computed, claimed in pairs if claimed > 0 or computed > 0), default=0.0
        )


_HOLDS: Final[Mapping[str, Callable[[Exact, Exact], bool]]] = {
    "equals": lambda computed, claimed: bool(computed == claimed),
    "at_most": lambda computed, claimed: bool(computed <= claimed),
    "at_least": lambda computed, claimed: bool(computed >= claimed),
}


@dataclass(frozen=True)
class Judged:
    """A case with what is computed and what is claimed."""

    case: _Given
    computed: tuple[Exact, ...]
    claimed: tuple[Exact, ...]
    holds: bool

    @property
    def record(self) -> CalculatedCase:
        """It in words."""
        return CalculatedCase(shown_case(self.case), _in_words(self.computed), _in_words(self.claimed))


def check_calculation(claim: Calculation, *, slack: bool = False) -> CalculationResult:
    """The verdict on a claim, with both numbers on the case that refutes it, or that comes nearest to what is claimed.

    PROVED where it holds on all cases, UNDECIDED where some comparison could not be decided. Raises `InputError`,
    naming the claim, where its functions fail. With `slack` it is said whether the claim is loose.

    >>> from dpverify.verifiers.calculations import Calculation
    >>> halves = Calculation(
    ...     id="lib.halves",
    ...     computed=lambda n: Fraction(n, 2),
    ...     equals=lambda n: n // 2,
    ...     cases=[{"n": 2}, {"n": 3}],
    ...     expected="REFUTED",
    ... )
    >>> check_calculation(halves).counterexample
    CalculatedCase(case='n = 3', computed='3/2 = 1.5', claimed='1')
    """
    asked = claim.asked
    status, reason, cases, nearest = _decided(claim, asked)
    outside = [place for each in asked.values() for place in each.outside]
    if status is Status.PROVED and not all(each.is_proof for each in asked.values()):
        status, reason = Status.CHECKED, checked_in_words(outside, "one process")
    sharp = None
    if claim.sharpness is not None:
        halved = replace(claim, computed=changed(claim.computed, "epsilon", lambda value: value / 2))
        of_halved = halved.asked
        sharp = least_that_holds(
            claim.id,
            claim.sharpness,
            lambda x: claim.judged(x, asked).holds,
            lambda x: halved.judged(x, of_halved).holds,
            dict,
        )
    ratio = None if nearest is None or claim.equals is not None else claim.ratio(nearest)
    is_sharp = ratio is None or ratio == 0 or (sharp is not None and sharp.is_least)
    refuted = status is Status.REFUTED
    listed = "the one case that is listed" if cases == 1 else f"all {cases:,} cases that are listed"
    said = f"; {outside_in_words(outside)}" if outside else ""
    text = f"{'the cases up to one that fails' if refuted else listed}{said}"
    return CalculationResult(
        id=claim.id,
        source=claim.source,
        statement=claim.statement,
        mechanism="",
        expected=claim.verdict_expected,
        verdict=status,
        reason=reason,
        refutation=claim.refuted_as(status),
        scope=Scope("finite", "the cases are listed", NOT_RECHECKED, text),
        loose=ratio is not None and ratio < LOOSE_RATIO and not is_sharp if slack and status is Status.PROVED else None,
        loose_because=claim.weak_because,
        sharp_in=claim.sharp_in,
        relation=claim.relation,
        cases=cases,
        nearest=None if nearest is None else nearest.record,
        counterexample=nearest.record if refuted and nearest is not None else None,
        ratio=None if ratio == float("inf") else ratio,
        sharpness=sharp,
        mutants=[_broken(claim.broken(mutant), mutant.change) for mutant in claim.mutants],
    )


def _decided(claim: Calculation, asked: Mapping[str, AskedByName]) -> tuple[Status, str, int, Judged | None]:
    """The verdict, why it is none, how many cases were gone through, and the one that fails, or the nearest."""
    nearest, largest, undecided, number = None, -1.0, "", 0
    for number, case in enumerate(claim.cases, 1):
        try:
            judged = claim.judged(case, asked)
        except Undecided as error:
            undecided = undecided or f"{shown_case(case)}: {error}"
            continue
        if not judged.holds:
            return Status.REFUTED, "", number, judged
        if (ratio := claim.ratio(judged)) > largest:
            nearest, largest = judged, ratio
    for each in asked.values():
        each.refuse_changes()
    if not number:
        return Status.VACUOUS, "there is no case", 0, None
    return (Status.UNDECIDED if undecided else Status.PROVED), undecided, number, nearest


def _broken(claim: Calculation, change: str) -> BrokenVariant:
    status, reason, _, judged = _decided(claim, claim.asked)
    if status is not Status.REFUTED or judged is None:
        return BrokenVariant(change, status, reason or "it holds")
    one = judged.record
    return BrokenVariant(change, status, f"{one.case}: {one.computed}, claimed {claim.relation} {one.claimed}")


def changed(computed: Callable[..., _Value], name: str, change: Callable[[Any], Any]) -> Callable[..., _Value]:
    """The computation with another value of one parameter, made from the one that a case gives."""
    taken = _taken(computed)
    return lambda **case: computed(**_of_these(taken, {**case, name: change(case[name])}))


def component(computed: Callable[..., tuple[Any, ...]], index: int) -> Callable[..., Any]:
    """One of the numbers that a function computes."""
    taken = _taken(computed)
    return lambda **case: computed(**_of_these(taken, case))[index]


def divided(name: str, by: int, computed: Callable[..., _Value]) -> Broken:
    """The mutant in which a parameter is divided, such as half the ε, and what it makes of that."""
    return Broken(f"{name} divided by {by}", {"computed": changed(computed, name, lambda value: value / by)})


def _taken(function: Callable[..., Any]) -> tuple[str, ...] | None:
    """The names of the parameters of a function; None where it takes any."""
    taken = inspect.signature(function).parameters.values()
    return None if any(one.kind is one.VAR_KEYWORD for one in taken) else tuple([one.name for one in taken])


def _of_these(taken: tuple[str, ...] | None, case: _Given) -> _Given:
    return case if taken is None else {name: case[name] for name in taken if name in case}


def _numbers(name: str, value: Any) -> tuple[Exact, ...]:
    return tuple(exact(one, name) for one in (value if isinstance(value, tuple) else (value,)))


def _in_words(numbers: tuple[Exact, ...]) -> str:
    texts = [*map(number_in_words, numbers)]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
