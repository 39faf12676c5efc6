"""The constants of leaves: any choice of them is sound, and one may need a smaller ε than another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor

from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact
from dpverify.mechanisms.outputs.released_reals import without_multiple
from dpverify.mechanisms.path_conditions.expressions import Linear
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable


def as_formed(
    sums: Sequence[Linear], leaves: Sequence[NoiseVariable], *, as_compared: bool = False
) -> dict[NoiseVariable, Exact]:
    """The constants with which noises first met others, or were returned; or were compared, if that is wanted."""
    numbers: dict[NoiseVariable, Exact] = {}
    for leaf in leaves:
        if leaf.formed is not None:
            coefficient, shift = leaf.formed
            numbers[leaf] = shift / coefficient
    for linear in sums:
        if len(linear.parts) == 1:
            ((leaf, coefficient),) = linear.parts
            numbers.setdefault(leaf, linear.shift / coefficient)
    for leaf in leaves if as_compared else ():
        if leaf.compared is not None:
            coefficient, shift = leaf.compared
            numbers.setdefault(leaf, shift / coefficient)
    return {leaf: numbers.get(leaf, ZERO) for leaf in leaves}


def solved_constants(sums: Sequence[Linear], leaves: Sequence[NoiseVariable]) -> dict[NoiseVariable, Exact]:
    """Constants with which the sums, as many as can, keep none: A·t = s, solved row by row; 0 where that leaves any."""
    reduced: list[tuple[NoiseVariable, dict[NoiseVariable, Exact], Exact]] = []
    for linear in sorted(sums, key=lambda linear: len(linear.parts)):  # stable: single noises first
        row, shift = dict(linear.parts), linear.shift
        for lead, known, of in reduced:
            factor = row.get(lead, ZERO)
            if factor != 0:
                row = without_multiple(row, known, factor)
                shift = shift - factor * of
        if not row:
            continue
        lead = min(row, key=lambda noise: noise.number)
        over = ONE / row[lead]
        row, shift = {noise: over * c for noise, c in row.items()}, over * shift
        for i, (other, known, of) in enumerate(reduced):
            factor = known.get(lead, ZERO)
            if factor != 0:
                reduced[i] = (other, without_multiple(known, row, factor), of - factor * shift)
        reduced.append((lead, row, shift))
    results = {lead: shift for lead, _, shift in reduced}
    return {leaf: results.get(leaf, ZERO) for leaf in leaves}


def constants_of_rounded(
    rounded: Mapping[NoiseVariable, Linear], centres: Mapping[NoiseVariable, Exact]
) -> dict[NoiseVariable, Exact]:
    """The constants with which ⌊c·noise + s⌋ is ⌊c·leaf + s′⌋ for 0 ≤ s′ < 1: whole numbers."""
    results: dict[NoiseVariable, Exact] = {}
    for variable, linear in rounded.items():
        shift = linear.shift
        for noise, c in linear.parts:
            shift = shift - c * (results[noise] if noise in results else centres[noise])
        results[variable] = exact(-floor(shift))
    return results
