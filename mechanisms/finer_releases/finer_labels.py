"""Labels of finer releases: what a path returns as an expression of its leaves, and where the leaves lie on it.

Two labels are equal if structure, functions applied, constants with their types, and which leaf stands where are equal.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, Final

from dpverify.mechanisms.finer_releases.seen_by_value import Seen
from dpverify.mechanisms.functions.lookalikes import in_one_order, same
from dpverify.mechanisms.numbers.errors import Place
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.numbers.roots.intervals import Intervals, intersection
from dpverify.mechanisms.outputs.released import Releases


class PlainConstant:
    """A plain value in a label: two are equal if they are the same, type and all."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlainConstant):
            return NotImplemented
        mine, theirs = self.value, other.value
        if mine is theirs:
            return True
        return (
            _types_in(mine) == _types_in(theirs)
            and bool(mine == theirs)
            and same(mine, theirs)
            and in_one_order(mine, theirs)
        )

    def __hash__(self) -> int:
        return hash((type(self.value).__qualname__, self.value))

    def __repr__(self) -> str:
        return repr(self.value)


def _types_in(value: Any) -> Any:
    """The types of a value and of what a frozenset holds: `same` takes an int and a Fraction for one thing."""
    if type(value) is frozenset:
        return frozenset, frozenset((_types_in(part), part) for part in value)
    return type(value)


@dataclass(frozen=True)
class LeafSum:
    """Σ coefficient·leaf + shift."""

    parts: tuple[tuple[int, Hashable], ...]
    shift: Hashable


@dataclass(frozen=True)
class NumberBeside:
    """A number that was put beside noise, with the type that it had."""

    kind: str
    value: Hashable


@dataclass(frozen=True)
class Of:
    """An operator, and what it is applied to; or a tuple of parts of an outcome."""

    operator: str
    operands: tuple[Hashable, ...]


WHERE: Final = "where"
"""The operator of an expression beside the rounded numbers in it, which count on after its leaves."""


@dataclass(frozen=True)
class Then:
    """A function that is applied to what is released, by all that it sees; `place` is where that was released."""

    function: Seen
    released: Hashable
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Condition:
    """An expression of leaves, and the values that it may have: intervals of a sum, signs of another one."""

    of: Hashable
    values: Hashable


@dataclass(frozen=True)
class Label:
    """The result of a path as an expression of its leaves, and its conditions that are about leaves alone."""

    expression: Hashable
    conditions: frozenset[Condition]

    def __hash__(self) -> int:
        return self._hash  # every table of outcomes asks for it

    @cached_property
    def _hash(self) -> int:
        return hash((self.expression, self.conditions))

    def __repr__(self) -> str:
        return f"<before {label_in_words(self.expression)}>"


@dataclass(frozen=True)
class ExclusiveLabels:
    """Labels of paths no two of which the leaves can take at once: an outcome of this is one of them, as leaves say."""

    of: frozenset[Label]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.of)

    def __repr__(self) -> str:
        return f"<before {' or '.join(sorted({label_in_words(label.expression) for label in self.of}))}>"


@lru_cache(maxsize=1 << 12)
def the_labels(of: frozenset[Label]) -> ExclusiveLabels:
    """The only such labels: those of one database are often those of all."""
    return ExclusiveLabels(of)


def label_in_words(expression: Any) -> str:
    """The expression of a label for people; leaves are x1, x2 and so on."""
    if isinstance(expression, LeafSum):
        terms = [f"x{i + 1}" if c == 1 else f"{c}·x{i + 1}" for i, c in expression.parts]
        return " + ".join([*terms, *([] if expression.shift == 0 else [str(expression.shift)])])
    if isinstance(expression, NumberBeside):
        return str(expression.value)
    if isinstance(expression, Then):
        return f"{expression.function.function}({label_in_words(expression.released)})"
    if isinstance(expression, Of):
        if expression.operator == WHERE:
            return label_in_words(expression.operands[0])
        inner = list(map(label_in_words, expression.operands))
        if expression.operator == "tuple":
            return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"
        return (
            f"{expression.operator}({', '.join(inner)})"
            if len(inner) == 1
            else f"({f' {expression.operator} '.join(inner)})"
        )
    return repr(expression)


# --- Labels that share their leaves


def merged_releases(released: Mapping[Hashable, Mapping[Releases, Exact]]) -> dict[Hashable, Mapping[Releases, Exact]]:
    """The law of finer releases, with labels that differ in where the leaves lie, and in nothing else, as one.

    They are regions of one law of the leaves, and no two of them meet: so together they are counted once.
    """
    groups: dict[Hashable, list[Hashable]] = {}
    results: dict[Hashable, Mapping[Releases, Exact]] = {}
    for template, ways in released.items():
        if len(ways) == 1 and _has_conditions(template):
            ((releases, weight),) = ways.items()
            groups.setdefault((template[1:], releases, weight.serial), []).append(template)  # type: ignore[index]
        else:
            results[template] = ways
    for templates in groups.values():
        labels: list[Label] = [template[0] for template in templates]  # type: ignore[index]
        if len(labels) > 1 and all_apart(labels):
            results[(the_labels(frozenset(labels)), *templates[0][1:])] = released[templates[0]]  # type: ignore[index]  # labels are tuples here
        else:
            results |= {template: released[template] for template in templates}
    return results


def _has_conditions(template: Hashable) -> bool:
    first = template[0] if isinstance(template, tuple) and template else None
    return isinstance(first, Label) and bool(first.conditions)


def all_apart(labels: Sequence[Label]) -> bool:
    """True where no leaves meet the conditions of two of the labels.

    They are told apart one condition after another, as a path that branches tells them: an expression of which all have
    conditions, with values that are the same or apart.
    """
    return _apart([{condition.of: condition.values for condition in label.conditions} for label in labels])


def _apart(conditions: Sequence[Mapping[Hashable, Hashable]]) -> bool:
    if len(conditions) <= 1:
        return True
    for of in conditions[0]:
        if not all(of in others for others in conditions):
            continue
        groups: dict[Hashable, list[Mapping[Hashable, Hashable]]] = {}
        for each in conditions:
            groups.setdefault(each[of], []).append({key: values for key, values in each.items() if key != of})
        if len(groups) > 1 and all(_disjoint(one, other) for one, other in combinations(groups, 2)):
            return all(map(_apart, groups.values()))
    return False


def _disjoint(mine: Any, theirs: Any) -> bool:
    if all(isinstance(value, int) for value in (*mine, *theirs)):  # signs
        return not {*mine} & {*theirs}
    return not intersection(_as_intervals(mine), _as_intervals(theirs))


def _as_intervals(values: Any) -> Intervals:
    return tuple((None if low is None else exact(low), None if high is None else exact(high)) for low, high in values)
