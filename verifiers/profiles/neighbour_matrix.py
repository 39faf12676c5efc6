"""The guarantees of a mechanism under several neighbour relations, and as databases grow, side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.numbers.enclosure import decimal
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike
from dpverify.verifiers.problems.neighbours.neighbours import add_or_remove_one, replace_one
from dpverify.verifiers.problems.questions.domains import Domain
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.profiles.longer_inputs import NeedTrend, trend
from dpverify.verifiers.verdicts.profile import privacy_profile


@dataclass(frozen=True)
class NeighbourMatrix:
    """For each relation and size, the exact ε at `delta`, or the exact worst δ at `epsilon` where that is given.

    None stands for an infinite ε. Every number speaks of its own size and of no other one.
    """

    relations: tuple[NeighbourRelation, ...]
    sizes: tuple[int, ...]
    epsilon: ExactLike | None
    delta: ExactLike
    found: Mapping[tuple[str, int], Exact | None]

    def row(self, relation: NeighbourRelation) -> tuple[Exact | None, ...]:
        """The numbers found under a relation, by rising size."""
        return tuple(self.found[name_of(relation), size] for size in self.sizes)

    def trend(self, relation: NeighbourRelation) -> NeedTrend:
        """The trend of the last steps between sizes under a relation: measured, and no verdict on other sizes."""
        return trend(self.row(relation))

    def __str__(self) -> str:
        what = f"exact ε at δ = {self.delta}" if self.epsilon is None else f"worst δ at ε = {self.epsilon}"
        width = max(len(name_of(relation)) for relation in self.relations)
        lines = [f"{what:<{width}}  " + "  ".join(f"{f'size {size}':>12}" for size in self.sizes)]
        for relation in self.relations:
            cells = "  ".join(f"{'∞' if cell is None else decimal(cell, 6):>12}" for cell in self.row(relation))
            lines.append(f"{name_of(relation):<{width}}  {cells}" + f"  {self._said(relation)}".rstrip())
        return "\n".join(lines)

    def _said(self, relation: NeighbourRelation) -> str:
        going_on = self.trend(relation)
        return f"steps: {going_on}" if going_on else ""


def neighbour_matrix(
    mechanism: Mechanism,
    domain: Callable[[int], Domain],
    sizes: Sequence[int],
    relations: Sequence[NeighbourRelation] = (replace_one, add_or_remove_one),
    *,
    epsilon: ExactLike | None = None,
    delta: ExactLike = 0,
    parameters: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    recheck: bool = True,
) -> NeighbourMatrix:
    """The exact guarantees of mechanism(draw, database, **parameters) on domain(size), for all sizes and relations.

    Without `epsilon` it is the smallest ε with δ(ε) ≤ `delta`, else the worst δ at `epsilon`. Raises `InputError` where
    there is no size or no relation, and as `privacy_profile` does.
    """
    if not sizes or not relations:
        raise InputError(bad_input.IS_EMPTY, "neighbour_matrix: the list of sizes, or of relations,", "of each")
    results = {}
    for relation in relations:
        for size in sizes:
            profile = privacy_profile(
                mechanism, domain(size), relation, parameters=parameters, limits=limits, recheck=recheck
            )
            results[name_of(relation), size] = profile.epsilon(delta) if epsilon is None else profile.delta(epsilon)
    return NeighbourMatrix(tuple(relations), tuple(sizes), epsilon, delta, results)
