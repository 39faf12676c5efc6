"""The distance of a mechanism from the best private one on the same domain."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from dpverify.mechanisms.drawing.caching import in_full_if_few
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.limits import Limits, checked_limits
from dpverify.mechanisms.functions.mechanism import Mechanism, exact_parameters, name_of
from dpverify.mechanisms.functions.signatures import contradictions, parameters_for, refuse_kept
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ExactLike, exact, total
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.verifiers.optimal.best import BestMechanism, best_for_domain
from dpverify.verifiers.optimal.question import (
    DatabaseWeights,
    DesignProblem,
    Distance,
    Succeeds,
    Success,
    design_problem,
)
from dpverify.verifiers.optimal.symmetry import SymmetryMaps
from dpverify.verifiers.problems.questions.domains import Domain, listed_databases
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.problems.questions.question import privacy_guarantee


@dataclass(frozen=True)
class DistanceFromOptimal:
    """The success that a mechanism achieves, exactly, beside the best private one.

    `is_more_than_any` is of a mechanism that achieves more than any private one can: it is not private as is claimed.
    """

    achieved: Exact
    best: BestMechanism

    @property
    def is_more_than_any(self) -> bool:
        """True where no private mechanism achieves as much."""
        return bool(self.achieved > self.best.at_most)

    @property
    def ratio(self) -> Exact:
        """achieved/optimal; 1 where nothing can be achieved. Raises `Undecided` where the optimum is only bounded."""
        return self.achieved / self.best.success if self.best.success else exact(1)


def distance_from_optimal(
    mechanism: Mechanism,
    domain: Domain,
    neighbours: NeighbourRelation | None,
    succeeds: Succeeds,
    *,
    epsilon: ExactLike,
    delta: ExactLike = 0,
    outcomes: Iterable[Hashable] = (),
    parameters: Mapping[str, Any] | None = None,
    weights: DatabaseWeights | None = None,
    distance: Distance | None = None,
    symmetries: Iterable[SymmetryMaps] = (),
    limits: Limits | None = None,
) -> DistanceFromOptimal:
    """The distance of `mechanism` from the best (ε,δ)-private mechanism on `domain`: see `best_mechanism`.

    The mechanism is given ε and δ where it names them without a value, and `parameters`, as by `check_privacy`. What
    it answers somewhere may be answered, and `outcomes` besides. That it is private is not checked. Raises `InputError`
    as `best_mechanism` does, where the mechanism keeps another ε or δ or refuses a database, and where it has endless
    outcomes.
    """
    claim = privacy_guarantee(epsilon, delta)
    enumeration = Enumeration(checked_limits(limits))
    for name in contradictions(mechanism, claim._asdict(), parameters or {}):
        refuse_kept(mechanism, name, parameters or {})
    fixed = exact_parameters(parameters_for(mechanism, claim._asdict(), parameters or {}))
    databases = listed_databases(domain, Limits().databases)
    laws = [in_full_if_few(enumeration.law(mechanism, (database,), fixed)) for database in databases]
    answered = dict.fromkeys([*outcomes_of_distributions(laws, mechanism), *outcomes])
    design = design_problem(domain, neighbours, distance, claim, Success(succeeds, answered, weights))
    return DistanceFromOptimal(achieved_by(laws, design), best_for_domain(design, domain, symmetries))


def outcomes_of_distributions(laws: Iterable[Distribution[Any]], mechanism: Mechanism) -> list[Hashable]:
    """All outcomes of distributions, once. Raises `InputError` where they do not end."""
    outcomes: dict[Hashable, None] = {}
    for law in laws:
        if not law.is_finite:
            raise InputError(
                bad_mechanism.RETURNED_BY, name_of(mechanism), "noise, which has no list of outcomes", "clamp(…) of it"
            )
        outcomes.update(dict.fromkeys(law))
    return list(outcomes)


def achieved_by(laws: Sequence[Distribution[Any]], asked: DesignProblem) -> Exact:
    """The worst success of distributions, one for each database, or their weighted one."""
    earned = []
    for i, shares in zip(asked.goals, asked.success, strict=True):
        worth = dict(zip(asked.outcomes, shares, strict=True))
        earned.append(total(p * worth[outcome] for outcome, p in laws[i].probabilities.items() if worth[outcome]))
    if asked.weights is None:
        return reduce(min, earned)
    return total([ZERO, *(weight * e for weight, e in zip(asked.weights, earned, strict=True) if weight)])
