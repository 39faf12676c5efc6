"""The claim that no private mechanism does better than a number on a hard instance, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import combinations
from typing import Any, ClassVar, TypeAlias

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.exact_numbers import ExactLike, exact
from dpverify.mechanisms.exact.shown import shown
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.reports.kinds import kind_of
from dpverify.reports.kinds.lower_bound import LowerBoundResult, table_in_lines
from dpverify.reports.record import Status
from dpverify.verifiers.claims import AS_USUAL, AnyClaim, Explanation, How, sources
from dpverify.verifiers.lower_bounds.checker import IN_ANY_ORDER, NEAR_AS_ROWS, check_lower_bound, shown_case
from dpverify.verifiers.lower_bounds.instance import HardInstance
from dpverify.verifiers.readable import readable

Parameters: TypeAlias = Mapping[str, Any]
"""A case: the parameters of a hard instance by their names, ε among them."""

Law: TypeAlias = Callable[[Any], Distribution[Any]]
"""Database → the exact law of a mechanism there."""


@dataclass(frozen=True)
class Broken:
    """A lower bound broken on purpose, to be refuted: what was changed, in words, and the fields as they are then."""

    change: str
    fields: Mapping[str, Any]


def a_tenth_less(forced: Callable[[Parameters], ExactLike]) -> Callable[[Parameters], ExactLike]:
    """A forced number that is too small: nine tenths of it. Where the best mechanism comes near it is refuted."""
    return lambda case: exact(forced(case)) * 9 / 10


def epsilon_of(case: Parameters) -> ExactLike:
    """The ε of a case. Raises `InputError` where it has none."""
    if "epsilon" not in case:
        raise InputError("the case has no epsilon: write dict(epsilon=1, …), or give epsilon= as a function of a case")
    found: ExactLike = case["epsilon"]
    return found


@dataclass(frozen=True, kw_only=True)
class LowerBound(AnyClaim):
    """The claim that on each case no (ε, δ)-private mechanism has more success than `forced`, or as much, if `strict`.

    A case has its own `instance`, on which the best mechanism is found; None, for a claim of arithmetic, or for one
    case, for nothing to be run there. `properties` are what the proof needs of the case: each gives None, or what is
    wrong, with the witness. `mechanisms` give the exact laws of implemented ones, or None where one does not solve the
    problem of the case. `epsilon` and `delta` of a case are its parameters of these names, and δ = 0 where there is
    none. `mutants` must be refuted. `least` is the number of rows from which on the bound allows what the case asks
    for, in words or as a number. Raises `InputError` for a claim without cases, for one that is expected to be PROVED
    without mutants, and for a mutant that changes what is no field.
    """

    cases: Sequence[Parameters]
    forced: Callable[[Parameters], ExactLike]
    instance: Callable[[Parameters], HardInstance | None] = lambda case: None
    properties: Mapping[str, Callable[[Parameters], str | None]] = field(default_factory=dict)
    mechanisms: Mapping[str, Callable[[Parameters], Law | None]] = field(default_factory=dict)
    mutants: Sequence[Broken] = ()
    epsilon: Callable[[Parameters], ExactLike] = epsilon_of
    delta: Callable[[Parameters], ExactLike] = lambda case: case.get("delta", 0)
    strict: bool = False
    quantity: str = "success"
    least: Callable[[Parameters], int | str] | None = None

    kind: ClassVar[str] = "lower-bound"

    @property
    def claimed(self) -> str:
        """What no mechanism exceeds."""
        return f"{self.quantity} {'<' if self.strict else '≤'} forced"

    def broken(self, mutant: Broken) -> LowerBound:
        """The claim as the mutant has it, with nothing else to be run."""
        return replace(self, mechanisms={}, mutants=(), expected=Status.REFUTED, refutation=None, **mutant.fields)

    def decide(self, how: How = AS_USUAL) -> LowerBoundResult:
        """The record of its verdict, its table, and its mutants'. Raises as `check_lower_bound` does."""
        return check_lower_bound(self)

    def explain(self, how: How = AS_USUAL) -> Explanation:
        """See `AnyClaim`."""
        result = self.decide(how)
        case = self.cases[0]
        found = "".join(f"\n    {text}" for text in kind_of(result).background(result))
        return Explanation(
            result,
            [
                ("hard instance", sources([self.instance])),
                ("of the first case", _described(self.instance(case), shown_case(case))),
                ("properties", sources(self.properties.values())),
                ("forced", sources([self.forced])),
                ("mechanisms", sources(self.mechanisms.values())),
                ("table", "".join(f"\n    {line}" for line in table_in_lines(result))),
                ("found", found),
            ],
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._refuse_what_is_no_function("forced", "instance", "epsilon", "delta")
        if not isinstance(self.cases, list | tuple) or not all(isinstance(case, Mapping) for case in self.cases):
            raise InputError(f"{self.id}: cases={shown(self.cases)} is no list of mappings: write [dict(epsilon=1, …)]")
        if not self.cases:
            raise InputError(f"{self.id}: give at least one case, such as dict(epsilon=1)")
        for name in ("properties", "mechanisms"):
            given = getattr(self, name)
            if not isinstance(given, Mapping) or not all(map(callable, given.values())):
                raise InputError(
                    f"{self.id}: {name}={shown(given)} is no mapping of functions: write {{'name': function}}"
                )
        if own := {NEAR_AS_ROWS, IN_ANY_ORDER} & self.properties.keys():
            raise InputError(f"{self.id}: the property {min(own)!r} is looked at in any case: name yours otherwise")
        if self.verdict_expected is Status.PROVED and not self.mutants:
            raise InputError(f"{self.id}: a bound that holds has mutants, which must be refuted")
        known = {each.name for each in fields(self) if each.init} - {"id", "mutants", "mechanisms", "expected"}
        for mutant in self.mutants:
            if (
                not isinstance(mutant, Broken)
                or not isinstance(mutant.fields, Mapping)
                or not set(mutant.fields) <= known
            ):
                raise InputError(
                    f"{self.id}: {shown(mutant)} is no mutant: write Broken(change=…, fields={{'forced': …}})"
                )


_MOST_SHOWN = 12
"""Databases, or outcomes, of an instance that are shown."""


def _described(instance: HardInstance | None, case: str) -> str:
    """The databases of an instance, its outcomes, and how far apart those are."""
    if instance is None:
        return f"{case}: nothing is run"
    steps = {instance.distance(a, b) for a, b in combinations(instance.databases, 2)}
    apart = ", ".join("unrelated" if d is None else str(d) for d in sorted(steps, key=lambda d: -1 if d is None else d))
    lines = [
        case,
        *_listed("database", instance.databases),
        *_listed("outcome", instance.outcomes),
        f"distances: {apart or 'none, of one database'}",
    ]
    return "".join(f"\n    {line}" for line in lines)


def _listed(what: str, values: Sequence[Any]) -> list[str]:
    further = len(values) - _MOST_SHOWN
    shown_first = [f"{what} {readable(value)}" for value in values[:_MOST_SHOWN]]
    return [*shown_first, *([f"… and {further} more"] if further > 0 else [])]
