"""The ε of mechanisms whose answers are comparisons, by quadrature in floats: nothing here knows of this library.

Each probability is one integral over the one noise that the answers share, of products of Laplace tails. The integrand
is a sum of exponentials between its kinks, where Gauss and Legendre's rule with 40 nodes is exact to 13 digits.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Law = dict[tuple[bool, ...], float]
Branches = Sequence[tuple[float, float]]
"""Margin and scale of the noise, in the order in which they are tried."""

Densities = dict[tuple[int, float], float]
"""By how often "below" came first, and the gap; or all of them below, and 0."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


def nodes(kinks: Iterable[float], scale: float) -> tuple[Floats, Floats]:
    """Where to look at an integrand with these kinks, and what each place counts, out to 45 times the scale."""
    inner = sorted(set(kinks))
    steps = scale * np.array([0.5, 1, 2, 4, 7, 10, 15, 20, 25, 30, 35, 40, 45])
    ends = [*(inner[0] - steps[::-1]), *inner, *(inner[-1] + steps)]
    middles = [(low + high) / 2 for low, high in pairwise(ends)]
    halves = [(high - low) / 2 for low, high in pairwise(ends)]
    places = np.concatenate([middle + half * _NODES for middle, half in zip(middles, halves, strict=True)])
    return places, np.concatenate([half * _WEIGHTS for half in halves])


def density(x: Any, scale: float) -> Any:
    """Of Lap(scale)."""
    return np.exp(-np.abs(x) / scale) / (2 * scale)


def below(x: Any, scale: float) -> Any:
    """Pr[Lap(scale) < x]; with scale 0, whether 0 < x."""
    if scale == 0:
        return np.where(x > 0, 1.0, 0.0)
    return np.where(x < 0, np.exp(-np.abs(x) / scale) / 2, 1 - np.exp(-np.abs(x) / scale) / 2)


def sparse_vector(q: Sequence[int], rho: float, nu: float, threshold: float, count: int | None = None) -> Law:
    """The law of the answers qᵢ + Lap(nu) ≥ threshold + Lap(rho), up to the end after `count` of them are above."""
    x, weights = nodes({0.0, *(query - threshold for query in q)}, rho)
    start = weights * density(x, rho)
    low = {query: below(threshold + x - query, nu) for query in set(q)}
    law: Law = {}

    def go(answers: tuple[bool, ...], so_far: Floats) -> None:
        if len(answers) == len(q) or sum(answers) == count:
            law[answers] = float(so_far.sum())
            return
        fails = low[q[len(answers)]]
        go((*answers, False), so_far * fails)
        go((*answers, True), so_far * (1 - fails))

    go((), start)
    return law


def first_above(q: Sequence[int], threshold: float, rho: float, branches: Branches, gaps: Sequence[float]) -> Densities:
    """The density of "below" k times and then the gap g between the noisy query and the noisy threshold, on a grid.

    `branches` are the margins that are asked for one after another, each with its own noise on the query.
    """
    densities: Densities = {}
    for gap in gaps:
        kinks = (query - threshold - by for query in q for by in (0.0, gap, *(margin for margin, _ in branches)))
        x, weights = nodes({0.0, *kinks}, rho)
        so_far, level = weights * density(x, rho), threshold + x
        for k, query in enumerate(q):
            missed: Any = 1.0
            released: Any = 0.0
            for margin, scale in branches:
                if gap >= margin:
                    released = released + missed * density(level + gap - query, scale)
                missed = missed * below(level + margin - query, scale)
            densities[k, gap] = float((so_far * released).sum())
            so_far = so_far * missed
        densities[len(q), 0.0] = float(so_far.sum())
    return densities


def noisy_max(q: Sequence[int], scale: float) -> dict[int, float]:
    """The law of which of qᵢ + Lap(scale) is the largest."""
    x, weights = nodes(map(float, q), scale)
    tails = [below(x - query, scale) for query in q]
    found = {}
    for i, query in enumerate(q):
        others = np.prod([tail for j, tail in enumerate(tails) if j != i], axis=0)
        found[i] = float((weights * density(x - query, scale) * others).sum())
    return found


def noisy_max_one_sided(q: Sequence[int], scale: float) -> dict[int, float]:
    """The same with exponential noise: permute and flip, by its recursion (McKenna & Sheldon, 2020)."""
    flips = [np.exp((query - max(q)) / scale) for query in q]
    found = dict.fromkeys(range(len(q)), 0.0)
    for heads in product((False, True), repeat=len(q)):
        chance = float(np.prod([flip if head else 1 - flip for head, flip in zip(heads, flips, strict=True)]))
        for i, head in enumerate(heads):  # the first head in a random order is each of them alike
            found[i] += chance / sum(heads) if head and chance else 0.0
    return found


def epsilon(left: dict[Any, float], right: dict[Any, float], least: float = 1e-25) -> float:
    """The largest |log p/q| over outcomes, of those with more than the least probability."""
    assert left.keys() == right.keys()
    return max(abs(log(left[x] / right[x])) for x in left if min(left[x], right[x]) > least)
