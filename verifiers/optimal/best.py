"""The private mechanism that succeeds best on a small domain, and how far a mechanism is from it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.exact.enclosure import bounds
from dpverify.mechanisms.exact.errors import Undecided
from dpverify.mechanisms.exact.exact_numbers import ExactLike, exact
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.verifiers.optimal.certificate import Certificate
from dpverify.verifiers.optimal.formulation import Formulation, Orbits, formulated
from dpverify.verifiers.optimal.highs import guessed
from dpverify.verifiers.optimal.outcomes import merged
from dpverify.verifiers.optimal.program import Basis
from dpverify.verifiers.optimal.question import Distance, Question, Succeeds, Weights, question
from dpverify.verifiers.optimal.rings import Number, Ring, WholeProgram, added, growth_of, ring_for
from dpverify.verifiers.optimal.simplex import Solution, solved
from dpverify.verifiers.privacy.domains import Domain
from dpverify.verifiers.privacy.neighbours import Relation

LARGEST_RATIONAL: Final = 3_000
"""Basic variables up to which a program with a rational e^ε is solved exactly."""

LARGEST_TRANSCENDENTAL: Final = 200
"""Basic variables up to which a program with a transcendental e^ε is."""


@dataclass(frozen=True)
class BestMechanism:
    """A private mechanism on a domain, and why none succeeds more often than `at_most`.

    `law` maps each database to the distribution of what is answered; it succeeds `at_least` so often, exactly. The two
    are equal where the program was solved exactly. `outside` counts neighbours outside the domain: of these nothing is
    asked, so that on a larger domain the optimum can only be smaller.
    """

    law: Mapping[Hashable, Distribution[Any]]
    at_least: Number
    at_most: Number
    certificate: Certificate
    outside: int

    @property
    def is_exact(self) -> bool:
        """Whether the optimum is known exactly."""
        return self.at_least is self.at_most or bool(self.at_least == self.at_most)

    @property
    def success(self) -> Number:
        """The optimum. Raises `Undecided` where only bounds are known."""
        if not self.is_exact:
            raise Undecided("the program is too large to be solved exactly: only at_least and at_most are known")
        return self.at_least

    def mechanism(self, draw: Draw, database: Hashable) -> Any:
        """The mechanism itself, which draws from `law`."""
        return draw(self.law[database])


def best_mechanism(
    domain: Domain,
    neighbours: Relation | None,
    succeeds: Succeeds,
    epsilon: ExactLike,
    delta: ExactLike = 0,
    *,
    outcomes: Iterable[Hashable],
    weights: Weights | None = None,
    distance: Distance | None = None,
) -> BestMechanism:
    """The mechanism that, of all (ε,δ)-private ones on `domain`, has the largest worst success."""
    asked = question(domain, neighbours, succeeds, epsilon, delta, outcomes, weights, distance)
    return best_of(asked)


def best_of(asked: Question) -> BestMechanism:
    """As `best_mechanism`, of a question."""
    binding = replace(asked, pairs=[pair for pair in asked.pairs if not _is_free(asked, pair.steps)])
    fewer, stands_for = merged(binding)
    formulation = formulated(fewer, Fraction(_as_fraction(asked.delta)), Orbits.alone(fewer))
    ring = ring_for(asked.epsilon)
    assert ring is not None
    guess = guessed(formulation.program, _float(growth_of(asked.epsilon)))
    return _solved(binding, fewer, stands_for, formulation, ring, guess.basis)


def _as_fraction(number: Any) -> Fraction:
    from dpverify.mechanisms.exact.exact_numbers import as_parameter

    found = as_parameter(number)
    assert isinstance(found, Fraction)
    return found


def _is_free(asked: Question, steps: int) -> bool:
    """Whether nothing is asked of a pair at this distance, since its δ is 1 or more."""
    growth = exact(growth_of(asked.epsilon))
    return bool(asked.delta) and bool(asked.delta * added(growth**i for i in range(steps)) >= 1)


def _float(number: Number) -> float:
    low, high = bounds(exact(number), 18)
    try:
        return float((low + high) / 2)
    except OverflowError:
        return float("inf")


def _solved(
    asked: Question,
    fewer: Question,
    stands_for: Sequence[int],
    formulation: Formulation,
    ring: Ring,
    start: Basis,
) -> BestMechanism:
    program = ring.program(formulation.program)
    solution = solved(ring, program, start)
    columns = ring.without_common_factor([*solution.columns, solution.column_denominator])
    below = columns.pop()
    earned = ring.zero
    for j, value in program.objective.items():
        earned += value * columns[j]
    success = ring.quotient(earned, below * ring.whole(program.scale))
    law = {
        database: _law(ring, fewer.outcomes, [columns[variable] for variable in cells])
        for database, cells in zip(fewer.databases, formulation.cells, strict=True)
    }
    certificate = _certificate(asked, stands_for, formulation, ring, program, solution, success)
    return BestMechanism(law, success, success, certificate, asked.outside)


def _law(ring: Ring, outcomes: Sequence[Hashable], weights: Sequence[Any]) -> Distribution[Any]:
    return Distribution({o: ring.number(w) for o, w in zip(outcomes, weights, strict=True) if w})


def _certificate(
    asked: Question,
    stands_for: Sequence[int],
    formulation: Formulation,
    ring: Ring,
    program: WholeProgram,
    solution: Solution,
    success: Number,
) -> Certificate:
    found = ring.without_common_factor([*solution.multipliers, solution.multiplier_denominator])
    below = found.pop()

    def of_row(i: int, alike: int) -> Number:
        return ring.number(found[i]) * program.rows[i].scale / alike

    shares: list[Number]
    scale = ring.number(below) * program.scale
    if asked.weights is None:
        shares = [
            of_row(i, alike)
            for i, alike in zip(formulation.goal_rows, formulation.goals_alike, strict=True)
            if i is not None
        ]
    else:
        shares = [weight * scale for weight in asked.weights]
    multipliers = {
        (pair.left, pair.right, o): of_row(formulation.private_rows[key], formulation.cells_alike[key])
        for pair, keys in zip(asked.pairs, formulation.keys, strict=True)
        for o, key in keys.items()
        if found[formulation.private_rows[key]]
    }
    return Certificate(
        asked.databases,
        asked.pairs,
        asked.outcomes,
        stands_for,
        asked.goals,
        asked.success,
        asked.weights,
        growth_of(asked.epsilon),
        _as_fraction(asked.delta),
        success,
        shares,
        multipliers,
        scale,
    )
