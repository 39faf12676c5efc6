"""Beside what a mechanism achieves on the cases of a claim, what the best private mechanism would."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from dpverify.mechanisms.numbers.enclosure import bounds, decimal
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.exact_text import readable_within
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.reports.kinds.utility import BestPossibleResult
from dpverify.reports.record import Quantity
from dpverify.verifiers.optimal.errors import SolverMissing as SolverMissing  # noqa: PLC0414  # which it raises
from dpverify.verifiers.readable import shown_parameter
from dpverify.verifiers.utility.case import Case

if TYPE_CHECKING:
    from dpverify.mechanisms.functions.mechanism import Mechanism

_LONGEST_FORM = 400


@dataclass(frozen=True, kw_only=True)
class BestPossible:
    """Asks a claim for the best (ε,δ)-private mechanism on the databases of its cases: see `best_mechanism`.

    Cases with the same parameters are one question. `epsilon` and `delta` are those of the question, or say so of one
    of its cases; `outcomes` are what may be answered besides what the mechanism answers. Neighbours outside the
    databases of the cases are left out: the optimum on more databases can only be smaller.
    """

    epsilon: ExactLike | Callable[[Case], ExactLike]
    delta: ExactLike | Callable[[Case], ExactLike] = 0
    neighbours: Callable[..., Iterable[Hashable]] | None = None
    distance: Callable[[Any, Any], int | None] | None = None
    outcomes: Iterable[Hashable] | Callable[[Case], Iterable[Hashable]] = ()

    def __post_init__(self) -> None:
        if (self.neighbours is None) == (self.distance is None):
            raise InputError(bad_input.ONE_OF, "BestPossible: neighbours", "distance")
        for name in ("neighbours", "distance"):
            given = getattr(self, name)
            if given is not None and not callable(given):
                raise InputError(bad_input.NO_FUNCTION, f"BestPossible: {name}={shown(given)}")


def best_possible(
    wanted: BestPossible,
    cases: Sequence[Case],
    succeeds: Callable[[Case, Any], bool],
    mechanism: Mechanism,
    law_of: Callable[[Case], Distribution[Any]],
) -> list[BestPossibleResult]:
    """Achieved and possible values, for each set of parameters. Raises as `best_mechanism` does."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(repr(sorted(case.parameters.items())), []).append(case)
    return [_of_group(wanted, group, succeeds, mechanism, law_of) for group in groups.values()]


def _of_group(
    wanted: BestPossible,
    cases: Sequence[Case],
    succeeds: Callable[[Case, Any], bool],
    mechanism: Mechanism,
    law_of: Callable[[Case], Distribution[Any]],
) -> BestPossibleResult:
    from dpverify.verifiers.optimal.best import best_for_domain  # which loads numpy and more: for claims that ask alone
    from dpverify.verifiers.optimal.comparing import achieved_by, outcomes_of_distributions
    from dpverify.verifiers.optimal.question import Success, design_problem
    from dpverify.verifiers.problems.questions.question import privacy_guarantee

    first = {case.database: case for case in reversed(cases)}
    databases = list(dict.fromkeys(case.database for case in cases))
    laws = [law_of(first[database]) for database in databases]
    epsilon, delta = (exact(given(cases[0]) if callable(given) else given) for given in (wanted.epsilon, wanted.delta))
    further = wanted.outcomes(cases[0]) if callable(wanted.outcomes) else wanted.outcomes
    asked = design_problem(
        databases,
        wanted.neighbours,
        wanted.distance,
        privacy_guarantee(epsilon, delta),
        Success(
            lambda case, outcome: bool(succeeds(case, outcome)),
            dict.fromkeys([*outcomes_of_distributions(laws, mechanism), *further]),
            goals=[(case.database, case) for case in cases],
        ),
    )
    achieved, best = achieved_by(laws, asked), best_for_domain(asked, databases)
    least, most = exact(best.at_least), exact(best.at_most)
    return BestPossibleResult(
        parameters=_in_words(cases[0].parameters),
        databases=len(databases),
        outside=best.outside,
        epsilon=str(epsilon),
        delta=str(delta),
        achieved=_quantity(achieved, achieved),
        optimal=_quantity(least, most),
        ratio=_float(achieved / most) if most else 1.0,
        is_impossible=bool(achieved > most),
    )


def _in_words(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={shown_parameter(value)}" for name, value in parameters.items())


def _quantity(least: Exact, most: Exact) -> Quantity:
    """The number between two others: exactly, where they are one."""
    is_one = least is most or bool(least == most)
    return Quantity(
        exact=readable_within(least, _LONGEST_FORM) if is_one else None,
        decimal=decimal(least) if is_one else decimal((least + most) / 2, 8),
        lower=str(bounds(least)[0]),
        upper=str(bounds(most)[1]),
    )


def _float(number: Exact) -> float:
    """For people: it decides nothing."""
    return float(reduce(lambda low, high: (low + high) / 2, bounds(number)))
