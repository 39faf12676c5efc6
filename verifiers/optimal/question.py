"""The question of a best mechanism: databases, pairs that bind, outcomes that can be told apart, and the claim."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from dpverify.mechanisms.drawing.failures import failed
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.unhashable import hashable_in_place
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, power, total
from dpverify.mechanisms.numbers.integers.parameters import rational_parameter
from dpverify.mechanisms.numbers.shown import cut, shown
from dpverify.verifiers.problems.neighbours.neighbours import pairs_within
from dpverify.verifiers.problems.questions.domains import BUILT_IN, Domain, Listed, listed_databases
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee

Succeeds: TypeAlias = Callable[[Any, Any], Any]
"""(database, outcome) → whether it succeeds, or how well, a rational in [0, 1]."""

DatabaseWeights: TypeAlias = Callable[[Any], ExactLike] | Mapping[Any, ExactLike]
Distance: TypeAlias = Callable[[Any, Any], int | None]


LARGEST_EPSILON: Final = 1_000
LARGEST_DISTANCE: Final = 1_000
"""Powers of e^ε are written out in full."""


class PairAtDistance(NamedTuple):
    """Two positions in the domain, one way, at a distance d: held to (dε, δ·(1 + e^ε + … + e^((d−1)ε)))."""

    left: int
    right: int
    steps: int


@dataclass(frozen=True)
class DesignProblem:
    """All that the optimum depends on. Pairs stand in both ways; those that others imply are left out."""

    databases: Sequence[Hashable]
    pairs: Sequence[PairAtDistance]
    outcomes: Sequence[Hashable]
    goals: Sequence[int]
    """Positions of the databases on which success counts: one may stand here several times, each with its success."""
    success: Sequence[Sequence[Fraction]]
    """By goal, then by outcome."""
    weights: Sequence[Fraction] | None
    """By goal; None where the worst success counts."""
    epsilon: Exact
    delta: Exact
    outside: int
    """Number of neighbours outside the domain."""

    def binding(self) -> DesignProblem:
        """Without the pairs of which nothing is asked, as their δ, δ·(1 + … + e^((d−1)ε)), is 1 or more."""
        if not self.delta:
            return self
        growth = exp(self.epsilon)
        free = {
            steps: total([power(growth, i) for i in range(steps)]) * self.delta >= 1
            for steps in {pair.steps for pair in self.pairs}
        }
        return replace(self, pairs=[pair for pair in self.pairs if not free[pair.steps]])


class Success(NamedTuple):
    """Goal of a mechanism: which outcomes may be answered, how good each is, and where that counts."""

    succeeds: Succeeds
    outcomes: Iterable[Hashable]
    weights: DatabaseWeights | None = None
    goals: Sequence[tuple[Hashable, Any]] | None = None
    """Databases, each with what `succeeds` is asked of in its place; every database, as it is, unless given."""


def design_problem(
    domain: Domain,
    neighbours: NeighbourRelation | None,
    distance: Distance | None,
    claim: PrivacyGuarantee,
    wanted: Success,
) -> DesignProblem:
    """The question, checked. Raises `InputError`, naming the argument, for what makes none."""
    for name, number in claim._asdict().items():
        if number.symbol is not None:
            raise InputError(bad_input.SYMBOLIC, f"{name}={number}: the best mechanism differs from ε to ε")
    if claim.epsilon > LARGEST_EPSILON:
        raise InputError(
            bad_input.BEYOND, f"epsilon={cut(str(claim.epsilon))}", f"{LARGEST_EPSILON:,}", "choose a smaller one"
        )
    databases = listed_databases(domain, Limits().databases)
    answers = _outcomes(wanted.outcomes)
    if (neighbours is None) == (distance is None):
        raise InputError(bad_input.ONE_OF, "neighbours", "neighbours=None with distance=")
    if neighbours is not None:
        space = domain if isinstance(domain, BUILT_IN) else Listed(databases, domain)
        neighbouring = pairs_within(databases, space, neighbours)
        pairs = [PairAtDistance(int(i), int(j), 1) for i, j in zip(neighbouring.left, neighbouring.right, strict=True)]
        outside = neighbouring.outside
    else:
        assert distance is not None
        pairs, outside = _pairs_at_distances(databases, distance), 0
    place = {database: i for i, database in enumerate(databases)}
    asked_of = [(database, database) for database in databases] if wanted.goals is None else wanted.goals
    success = [[_success(wanted.succeeds, goal, answer) for answer in answers] for _, goal in asked_of]
    weights = wanted.weights
    shares = None if weights is None else [_weight(weights, goal) for _, goal in asked_of]
    at = [place[database] for database, _ in asked_of]
    return DesignProblem(databases, pairs, answers, at, success, shares, *claim, outside)


def _outcomes(outcomes: Iterable[Hashable]) -> Sequence[Hashable]:
    if not isinstance(outcomes, Iterable) or isinstance(outcomes, str):
        raise InputError(bad_input.WRONG, f"outcomes={shown(outcomes)}", "an iterable", "give what may be answered")
    answers = list(outcomes)
    try:
        distinct = len(set(answers))
    except TypeError as error:
        raise InputError(
            bad_input.NOT_HASHABLE, "outcomes holds an outcome that", f" ({error})", hashable_in_place(answers)
        ) from None
    if not answers:
        raise InputError(bad_input.IS_EMPTY, "outcomes", "outcome")
    if distinct < len(answers):
        raise InputError(bad_input.TWICE, "outcomes", "an outcome", "give each once")
    return answers


def question_of_user(name: str, function: Callable[..., Any], *args: Any) -> Any:
    """The answer of a function of the user's. Raises `InputError`, with its line, where it raises anything."""
    if not callable(function):
        raise InputError(bad_input.NO_FUNCTION, f"{name}={shown(function)}")
    try:
        return function(*args)
    except InputError:
        raise
    except Exception as error:  # a function of the user's may raise anything
        raise InputError(failed(f"{name} on {', '.join(map(shown, args))}", error, function)) from error


def _success(succeeds: Succeeds, database: Hashable, outcome: Hashable) -> Fraction:
    success = question_of_user("succeeds", succeeds, database, outcome)
    if isinstance(success, bool | np.bool_):
        return Fraction(bool(success))
    where = f"succeeds({shown(database)}, {shown(outcome)})"
    number = rational_parameter(success, where)
    if not 0 <= number <= 1:
        raise InputError(bad_input.RANGE, f"{where}={number}", "between 0 and 1, as dividing by the largest gives")
    return number


def _weight(weights: DatabaseWeights, database: Hashable) -> Fraction:
    if isinstance(weights, Mapping):
        if database not in weights:
            raise InputError(
                bad_input.NEEDS, "weights", f"a weight of {shown(database)}", "give 0 where it does not count"
            )
        weight: Any = weights[database]
    else:
        weight = question_of_user("weights", weights, database)
    number = rational_parameter(weight, f"the weight of {shown(database)}")
    if number < 0:
        raise InputError(bad_input.RANGE, f"the weight {number} of {shown(database)}", "at least 0")
    return number


def _pairs_at_distances(databases: Sequence[Hashable], distance: Distance) -> list[PairAtDistance]:
    """All pairs that are related, but those that others on the way between them imply.

    For d = d₁ + d₂ with a database at these distances, (d₁ε, δ₁) and (d₂ε, δ₂) give (dε, δ₁ + e^(d₁ε)·δ₂), and that
    is the δ of d: δ·(1 + … + e^((d−1)ε)).
    """
    count = len(databases)
    far = np.iinfo(np.int64).max // 4
    steps = np.full((count, count), far, dtype=np.int64)
    for i, left in enumerate(databases):
        for j, right in enumerate(databases):
            if i != j:
                steps[i, j] = _steps(distance, left, right, far)
    odd = np.argwhere(steps != steps.T)
    if len(odd):
        left, right = (databases[int(place)] for place in odd[0])
        raise InputError(
            bad_input.WRONG,
            f"distance({shown(left)}, {shown(right)})",
            "symmetric",
            "return one number for both orders",
        )
    implied = np.zeros_like(steps, dtype=bool)
    legs = np.where(steps >= 1, steps, far)
    for k in range(count):
        through = legs[:, k, None] + legs[None, k, :]
        through[k, :] = through[:, k] = 2 * far
        implied |= through <= steps
    return [
        PairAtDistance(int(i), int(j), int(steps[i, j])) for i, j in np.argwhere((steps < far) & ~implied) if i != j
    ]


def _steps(distance: Distance, left: Hashable, right: Hashable, far: int) -> int:
    steps = question_of_user("distance", distance, left, right)
    if steps is None:
        return far
    where = f"distance({shown(left)}, {shown(right)})={shown(steps)}"
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 0:
        raise InputError(bad_input.NOT_WHOLE, where, " ≥ 0 or None")
    if steps > LARGEST_DISTANCE:
        raise InputError(bad_input.BEYOND, where, f"{LARGEST_DISTANCE:,}", "give None where nothing is asked of a pair")
    return steps
