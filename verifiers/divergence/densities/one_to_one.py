"""Proofs that an outcome tells the leaves and the label that it was computed from, on all databases in the same way.

Then the finer release and the outcome are one thing under two names, and what is refuted of one is of the other.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from dpverify.mechanisms.finer_releases.finer_labels import (
    ExclusiveLabels,
    Label,
    LeafSum,
    Of,
    PlainConstant,
    all_apart,
)
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, exact
from dpverify.mechanisms.outputs.released import ReleasedDistribution, probability_of_cells
from dpverify.verifiers.divergence.densities.mixture_components import atoms_of, mixture_components_of
from dpverify.verifiers.divergence.output_tables.distribution_table import is_zero
from dpverify.verifiers.problems.preparation.answers import AnyDistribution


def tells_leaves(laws: Sequence[AnyDistribution]) -> bool:
    """True where the outcomes, of finer releases, tell leaves and label everywhere, and their masses are exact.

    So it is where every label's outcome is a tuple of constants and of sums of leaves, these with full column rank, and
    any two labels have either outcomes that differ in a constant or in shape, or the same sums and regions apart.
    """
    labels: dict[Label, Hashable] = {}  # with what they are counted as
    for outcome in dict.fromkeys(outcome for law in laws for outcome in (*atoms_of(law), *mixture_components_of(law))):
        first = outcome[0] if isinstance(outcome, tuple) and outcome else None
        if not isinstance(first, Label | ExclusiveLabels):
            return False  # a plain outcome, which another path's may equal
        for label in first.of if isinstance(first, ExclusiveLabels) else (first,):
            if labels.setdefault(label, first) != first:
                return False  # one region that is counted in two ways
    groups: dict[Hashable, list[Label]] = {}
    for label in labels:
        groups.setdefault((_shape(label.expression), tuple(_slots(label.expression))), []).append(label)
    firsts = [group[0] for group in groups.values()]
    return (
        len(firsts) <= _MOST
        and all(map(_tells_its_leaves, labels))
        and all(map(all_apart, groups.values()))
        and all(_are_told_apart(one, other) for one, other in combinations(firsts, 2))
        and all(map(_mass_is_one, laws))
    )


_MOST: Final = 256
"""Expressions up to which it is looked at whether an outcome tells them."""


def _mass_is_one(law: AnyDistribution) -> bool:
    """True where no region was counted where it is not: all that is left out of a probability makes it larger."""
    mass: Exact = exact(-1)
    for p in atoms_of(law).values():
        mass = mass + p
    if isinstance(law, ReleasedDistribution):
        for ways in law.released.values():
            for releases, weight in ways.items():
                mass = mass + probability_of_cells(releases, weight, [(None, None)] * len(releases))
    return is_zero(mass)


def _slots(expression: Any) -> Iterator[Any]:
    """Parts of an outcome, from the left: constants and sums, and anything else as it is."""
    if isinstance(expression, Of) and expression.operator == "tuple":
        for part in expression.operands:
            yield from _slots(part)
    else:
        yield expression


def _shape(expression: Any) -> Hashable:
    """Tuples in tuples, without what stands in them."""
    if isinstance(expression, Of) and expression.operator == "tuple":
        return tuple(map(_shape, expression.operands))
    return None


def _leaves(label: Label) -> set[int]:
    results = {leaf for slot in _slots(label.expression) if isinstance(slot, LeafSum) for leaf, _ in slot.parts}
    of_conditions = (condition.of for condition in label.conditions)
    return results | {leaf for of in of_conditions for leaf in _leaves_in(of)}


def _leaves_in(expression: Any) -> Iterator[int]:
    if isinstance(expression, LeafSum):
        yield from (leaf for leaf, _ in expression.parts)
    elif isinstance(expression, Of):
        for part in expression.operands:
            yield from _leaves_in(part)


def _tells_its_leaves(label: Label) -> bool:
    slots = list(_slots(label.expression))
    if not all(isinstance(slot, LeafSum | PlainConstant) or _is_part(slot) for slot in slots):
        return False
    rows = [{leaf: exact(c) for leaf, c in slot.parts} for slot in slots if isinstance(slot, LeafSum)]  # type: ignore[arg-type]
    return _rank(rows) == len(_leaves(label))


def _is_part(slot: Any) -> bool:
    return isinstance(slot, Of) and slot.operator == "part"


def _rank(rows: Sequence[Mapping[int, Exact]]) -> int:
    reduced: list[tuple[int, dict[int, Exact]]] = []
    for given in rows:
        row = dict(given)
        for lead, known in reduced:
            factor = row.get(lead, ZERO)
            if factor != 0:
                row = {i: row.get(i, ZERO) - factor * known.get(i, ZERO) for i in {*row, *known}}
        row = {i: c for i, c in row.items() if c != 0}
        if row:
            lead = min(row)
            reduced.append((lead, {i: c / row[lead] for i, c in row.items()}))
    return len(reduced)


def _are_told_apart(one: Label, other: Label) -> bool:
    """True where outcomes of two expressions differ, whatever the leaves are."""
    if _shape(one.expression) != _shape(other.expression):
        return True
    slots = zip(_slots(one.expression), _slots(other.expression), strict=True)
    return any(
        isinstance(left, PlainConstant) and isinstance(right, PlainConstant) and bool(left.value != right.value)
        for left, right in slots
    )
