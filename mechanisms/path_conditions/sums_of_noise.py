"""Noises that occur only as one and the same sum, which counts as one noise."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.roots.intervals import Intervals
from dpverify.mechanisms.path_conditions.implied_conditions import PathConditions
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable

Summands: TypeAlias = tuple[tuple[NoiseLaw, Exact], ...]
"""The laws of noises that occur only as Σ coefficient·noise."""


@dataclass(frozen=True, eq=False)
class SumOfNoises:
    """Noises that occur only as this sum, the first of them by name."""

    summands: Summands
    lead: NoiseVariable


SumForm: TypeAlias = tuple[tuple[SumOfNoises, Exact], ...]
"""Σ coefficient·sum."""


def sums_as_one(facts: PathConditions) -> dict[SumForm, Intervals]:
    """The facts, with noises that occur only as one and the same sum, up to a factor, replaced by that sum."""
    occurrences: dict[NoiseVariable, list[tuple[int, Exact]]] = {}
    for i, form in enumerate(facts):
        for variable, coefficient in form:
            occurrences.setdefault(variable, []).append((i, coefficient))
    groups: dict[Hashable, list[tuple[NoiseVariable, Exact]]] = {}
    for variable, result in occurrences.items():
        first = result[0][1]
        alike = tuple((i, coefficient / first) for i, coefficient in result)
        groups.setdefault(alike, []).append((variable, first))
    sum_of: dict[NoiseVariable, tuple[SumOfNoises, Exact]] = {}
    for members in groups.values():
        lead = members[0][1]
        ordered = sorted(((variable.law, c / lead) for variable, c in members), key=_name_of_part)
        shared = SumOfNoises(tuple(ordered), members[0][0])
        for variable, c in members:
            sum_of[variable] = (shared, c / lead)
    merged = {}
    for form, values in facts.items():
        parts = {sum_of[variable][0]: coefficient / sum_of[variable][1] for variable, coefficient in form}
        merged[tuple(parts.items())] = values
    return merged


@lru_cache(maxsize=1 << 12)
def _name_of_part(part: tuple[NoiseLaw, Exact]) -> str:
    return f"{part[0]}, {part[1]}"
