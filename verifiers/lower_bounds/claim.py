"""The claim that no private mechanism does better than a number on a hard instance, and how it is decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from dpverify.reports.kinds import kind_of
from dpverify.reports.kinds.lower_bound import LowerBoundResult, table_in_lines
from dpverify.verifiers.claims import AS_USUAL, Explanation, How, sources
from dpverify.verifiers.lower_bounds.checker import check_lower_bound
from dpverify.verifiers.lower_bounds.instance import HardInstance
from dpverify.verifiers.lower_bounds.statement import BoundStatement
from dpverify.verifiers.readable import readable, shown_case


@dataclass(frozen=True, kw_only=True)
class LowerBound(BoundStatement):
    """The claim that on each case no (ε, δ)-private mechanism has more success than `forced`, or as much, if `strict`.

    A case has its own `instance`, on which the best mechanism is found; None, for a claim of arithmetic, or for one
    case, for nothing to be run there. `properties` are what the proof needs of the case: each gives None, or what is
    wrong, with the witness. `mechanisms` give the exact distributions of implemented ones, or None where one does not
    solve the problem of the case. `epsilon` and `delta` of a case are its parameters of these names, and δ = 0 where
    there is none. `mutants` must be refuted. `least` is the number of rows from which on the bound allows what the case
    asks for, in words or as a number. Raises `InputError` for a claim without cases, for one that is expected to be
    PROVED without mutants, and for a mutant that changes what is no field.

    >>> from dpverify.verifiers.lower_bounds import Broken, HardInstance
    >>> bit = HardInstance(databases=[(0,), (1,)], outcomes=(0, 1), succeeds=lambda rows, answer: rows[0] == answer)
    >>> bound = LowerBound(
    ...     id="lib.one-bit",
    ...     statement="a bit is told with probability 1/(1 + e^(-epsilon)) at most",
    ...     cases=[{"rows": 1, "epsilon": log(2)}],
    ...     instance=lambda case: bit,
    ...     properties={"they are of one size": lambda case: None},
    ...     forced=lambda case: 1 / (1 + exp(-case["epsilon"])),
    ...     mutants=[Broken("half of it", {"forced": lambda case: Fraction(1, 3)})],
    ... )
    >>> audit([bound]).claims[0].verdict
    <Status.PROVED: 'PROVED'>
    """

    def decide(self, how: How = AS_USUAL) -> LowerBoundResult:
        """The record of its verdict, its table, and its mutants'. Raises as `check_lower_bound` does."""
        return check_lower_bound(self)

    def explain(self, how: How = AS_USUAL) -> Explanation:
        result = self.decide(how)
        case = self.cases[0]
        outcome = "".join(f"\n    {text}" for text in kind_of(result).background(result))
        return Explanation(
            result,
            [
                ("hard instance", sources([self.instance])),
                ("of the first case", _described(self.instance(case), shown_case(case))),
                ("properties", sources(self.properties.values())),
                ("forced", sources([self.forced])),
                ("mechanisms", sources(self.mechanisms.values())),
                ("table", "".join(f"\n    {line}" for line in table_in_lines(result))),
                ("found", outcome),
            ],
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
