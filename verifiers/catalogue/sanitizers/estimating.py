"""Hard instances in which a database is to be estimated for a class of concepts: sanitizers, proper or improper."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Final

from dpverify.mechanisms import distribution
from dpverify.mechanisms.sanitizers import small_database
from dpverify.mechanisms.sanitizers.concepts import Concept
from dpverify.mechanisms.sanitizers.packings import estimates, is_close, shared_estimate, shares
from dpverify.mechanisms.selection.packing_bound import steps_forced
from dpverify.verifiers.lower_bounds.instance import HardInstance, rows_apart
from dpverify.verifiers.lower_bounds.statement import Law, Parameters

DISJOINT: Final = "no estimate is close to two of the databases"


@dataclass(frozen=True)
class Estimation:
    """To answer with an estimate that is α-close to a database: any at all, by a sanitizer proper or improper."""

    databases: Callable[[Parameters], Sequence[tuple[int, ...]]]
    concepts: Callable[[Parameters], Sequence[Concept]]
    distance: Callable[[Any, Any], int | None] = rows_apart

    def __call__(self, case: Parameters, times: int = 1) -> HardInstance:
        """The instance of a case, where an estimate may be so many times α off."""
        databases, concepts, alpha = self.databases(case), self.concepts(case), times * case["alpha"]
        truth = {tuple(sorted(rows)): shares(rows, concepts) for rows in databases}  # whatever the order of the rows is
        return HardInstance(
            databases=databases,
            outcomes=estimates(tuple(truth.values()), alpha),
            succeeds=lambda rows, estimate: is_close(estimate, truth[tuple(sorted(rows))], alpha),
            distance=self.distance,
        )

    def close_to_two(self, case: Parameters) -> str | None:
        """An estimate that is α-close to two of the databases; None where there is none."""
        databases, alpha = self.databases(case), case["alpha"]
        pair = shared_estimate([shares(rows, self.concepts(case)) for rows in databases], alpha)
        if pair is None:
            return None
        return f"one estimate is {alpha}-close to both {databases[pair[0]]} and {databases[pair[1]]}"

    def by_small_database(self, case: Parameters, points: int, size: int) -> Law:
        """The sanitizer of Blum, Ligett & Roth on so many points, and what its database answers to each concept."""
        concepts = self.concepts(case)
        given = {"universe": tuple(range(points)), "size": size, "epsilon": case["epsilon"]}
        sanitizer = partial(small_database, concepts=concepts, **given)
        return partial(distribution, lambda draw, rows: shares(draw(sanitizer, rows), concepts))


def moved(case: Parameters, times: int = 3) -> int:
    """3αm, or another multiple of αm, a whole number in every case."""
    return int(times * case["alpha"] * case["m"])


def rows_forced(case: Parameters, databases: int) -> int:
    """The least m with which 3αm steps between so many databases let a success of 1 − β pass."""
    return ceil(steps_forced(databases, beta=case["beta"], epsilon=case["epsilon"]) / (3 * Fraction(case["alpha"])))


def forces_less(forced: Callable[[Parameters], Any]) -> Callable[[Parameters], str | None]:
    """The property that less than 1 − β is implied; where it fails, what is implied is said."""
    return lambda case: None if forced(case) < 1 - case["beta"] else f"only {forced(case)} is forced"
