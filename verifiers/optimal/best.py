"""The private mechanism that succeeds best on a small domain."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input, not_known
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, as_parameter
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.verifiers.optimal.certificate import Certificate
from dpverify.verifiers.optimal.formulation import formulated
from dpverify.verifiers.optimal.highs import guessed
from dpverify.verifiers.optimal.outcomes import merged_outcomes
from dpverify.verifiers.optimal.polynomials import ring_for
from dpverify.verifiers.optimal.question import (
    DatabaseWeights,
    DesignProblem,
    Distance,
    Succeeds,
    Success,
    design_problem,
)
from dpverify.verifiers.optimal.repair import around, repaired_certificate, repaired_distribution
from dpverify.verifiers.optimal.rings import Integers, Ring, RingNumber
from dpverify.verifiers.optimal.solution import exactly_best
from dpverify.verifiers.optimal.symmetry import SymmetryMaps, outcome_orbits
from dpverify.verifiers.problems.questions.domains import Domain, Multisets
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.problems.questions.question import privacy_guarantee

LARGEST_RATIONAL: Final = 10_000
"""Basic variables up to which a program with a rational e^ε is solved exactly."""

LARGEST_TRANSCENDENTAL: Final = 400
"""Basic variables up to which a program with a transcendental e^ε is."""


@dataclass(frozen=True)
class BestMechanism:
    """A private mechanism on a domain, and why none succeeds more often than `at_most`.

    `law` maps each database to the distribution of what is answered; its success is `at_least`, exactly. The two are
    equal where the program was solved exactly. `outside` counts neighbours outside the domain: of these nothing is
    asked, so that on a larger domain the optimum can only be smaller.
    """

    law: Mapping[Hashable, Distribution[Any]]
    at_least: RingNumber
    at_most: RingNumber
    certificate: Certificate
    outside: int
    domain: Domain

    @property
    def is_exact(self) -> bool:
        """True where the optimum is known exactly."""
        return self.at_least is self.at_most or bool(self.at_least == self.at_most)

    @property
    def success(self) -> RingNumber:
        """The optimum: a Fraction where it is rational by its form. Raises `Undecided` where only bounds are known."""
        if not self.is_exact:
            raise Undecided(not_known.BOUNDS_ONLY)
        return self.at_least

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism itself, which draws from `law`: what can be checked, run, or composed.

        Called with what is no database of the domain it raises `InputError`.
        """
        universe = self.domain.universe if isinstance(self.domain, Multisets) else None
        ranks = None if universe is None else {row: rank for rank, row in enumerate(universe)}
        return partial(drawn_from_table, table=self.law, ranks=ranks)


def drawn_from_table(
    draw: Draw, database: Any, *, table: Mapping[Hashable, Distribution[Any]], ranks: Mapping[Hashable, int] | None
) -> Any:
    """A draw from the distribution that a table has for a database; with `ranks` for its rows in that order.

    Raises `InputError` for a database that the table does not have.
    """
    if ranks is not None and isinstance(database, tuple) and all(row in ranks for row in database):
        database = tuple(sorted(database, key=lambda row: ranks[row]))
    if database not in table:
        raise InputError(
            bad_input.WRONG, "the database", "in the domain of the best mechanism", "choose a larger domain"
        )
    return draw(table[database])


def best_mechanism(
    domain: Domain,
    neighbours: NeighbourRelation | None,
    succeeds: Succeeds,
    *,
    epsilon: ExactLike,
    delta: ExactLike = 0,
    outcomes: Iterable[Hashable],
    weights: DatabaseWeights | None = None,
    distance: Distance | None = None,
    symmetries: Iterable[SymmetryMaps] = (),
) -> BestMechanism:
    """The mechanism that, of all (ε,δ)-private ones on `domain`, has the largest worst success.

    Private is what keeps Pr[M(D) ∈ F] ≤ e^ε·Pr[M(D′) ∈ F] + δ for all events F of `outcomes` and all `neighbours` D, D′
    in the domain, both ways; neighbours outside it are left out and counted. With `neighbours=None` a pair at
    `distance(D, D′)` = d steps, a whole number or None for no bound, is held to (dε, δ·(1 + e^ε + … + e^((d−1)ε))):
    what a mechanism on all that lies between would have to keep (group privacy).

    Success on a database is the expectation of `succeeds(database, outcome)`, a truth value or a rational in [0, 1].
    With `weights`, rationals ≥ 0, the sum of weight·success is the largest possible instead of the worst success.

    `symmetries` are pairs of functions, of databases and of outcomes, that leave neighbours, success and weights as
    they are: they are checked, and make the program smaller by averaging over what they generate. The mechanism is as
    good with them as without, and is given on all databases.

    The program is solved exactly where e^ε is rational, as for ε = ln 2, and where it is transcendental, as for a
    rational ε, up to `LARGEST_RATIONAL` and `LARGEST_TRANSCENDENTAL` basic variables. Elsewhere, and for an irrational
    δ, two exact bounds are given. Floating point proposes, and decides nothing.

    Raises `InputError` where highspy is not installed (`pip install 'dpverify[bounds]'`) and, naming the argument, for
    bad input: a float, a symbolic ε, no outcome, success or a weight out of range, what is no symmetry, a distance
    that is not symmetric, and a domain that is empty or holds a database twice.
    """
    design = design_problem(
        domain, neighbours, distance, privacy_guarantee(epsilon, delta), Success(succeeds, outcomes, weights)
    )
    return best_for_domain(design, domain, symmetries)


def best_for_domain(design: DesignProblem, domain: Domain, symmetries: Iterable[SymmetryMaps] = ()) -> BestMechanism:
    """As `best_mechanism`, of a question about a domain."""
    design = design.binding()
    fewer, stands_for = merged_outcomes(design)
    orbits = outcome_orbits(design, fewer, stands_for, symmetries)
    delta = as_parameter(design.delta)
    strict, lax = around(design.epsilon, design.delta)
    formulation = formulated(fewer, delta if isinstance(delta, Fraction) else strict.delta, orbits)
    guess = guessed(formulation.program, _float(strict.growth))
    ring = ring_for(design.epsilon)
    if ring is not None and isinstance(delta, Fraction) and len(guess.basis.columns) <= _largest(ring):
        optimum = exactly_best(design, fewer, stands_for, formulation, ring, guess.basis)
        return BestMechanism(optimum.law, optimum.success, optimum.success, optimum.certificate, design.outside, domain)
    law, success = repaired_distribution(fewer, formulation.cells, guess, strict)
    certificate = repaired_certificate(design, stands_for, formulation, guess, lax)
    return BestMechanism(law, success, certificate.at_most, certificate, design.outside, domain)


def _largest(ring: Ring) -> int:
    return LARGEST_RATIONAL if isinstance(ring, Integers) else LARGEST_TRANSCENDENTAL


def _float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf")
