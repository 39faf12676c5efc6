"""The mechanisms of CheckDP and DP-Sniper as somebody would ship them: numpy, floats, many draws at once.

Their exact twins, with the published pairs and parameters, are the rows of `tests/outside`; here is what an audit by
samples sees of them. A list of answers is one number, in base 3; 2 stands for a query that was not reached.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
from tests.outside.dp_sniper import bloom_filter

Array = np.ndarray[Any, Any]
Rng = np.random.Generator
Queries = tuple[int, ...]
Vectorised = Callable[[Queries, Rng, int], Array]


def noisy(q: Queries, rng: Rng, size: int, scale: float) -> Array:
    return np.array(q) + rng.laplace(scale=scale, size=(size, len(q)))


def one_sided(q: Queries, rng: Rng, size: int, scale: float) -> Array:
    return np.array(q) + rng.exponential(scale=scale, size=(size, len(q)))


def histogram(q: Queries, rng: Rng, size: int, *, scale: float) -> Array:
    return noisy(q, rng, size, scale)


def one_number(q: Queries, rng: Rng, size: int, *, scale: float) -> Array:
    return sum(q) + rng.laplace(scale=scale, size=size)


def place_of_largest(q: Queries, rng: Rng, size: int, *, scale: float, noise: Callable[..., Array] = noisy) -> Any:
    return noise(q, rng, size, scale).argmax(axis=1)


def largest(q: Queries, rng: Rng, size: int, *, scale: float, noise: Callable[..., Array] = noisy) -> Any:
    return noise(q, rng, size, scale).max(axis=1)


def answers(
    q: Queries, rng: Rng, size: int, *, rho: float, nu: float, threshold: float, count: int, redrawn: float = 0.0
) -> Array:
    """Sparse vector: which queries are above a noisy threshold, until so many were."""
    level = threshold + rng.laplace(scale=rho, size=size)
    reached, found, code = np.ones(size, dtype=bool), np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for i, query in enumerate(q):
        value = query + rng.laplace(scale=nu, size=size) if nu else np.full(size, float(query))
        above = value >= level
        code += 3**i * np.where(reached, above, 2)
        found += above & reached
        if redrawn:
            level = np.where(above & reached, threshold + rng.laplace(scale=redrawn, size=size), level)
        reached = reached & (found < count)
    return code


def released(
    q: Queries,
    rng: Rng,
    size: int,
    *,
    rho: float,
    nu: float,
    threshold: float,
    count: int,
    what: str,
    fresh: float = 0.0,
) -> Array:
    """Sparse vector that releases a number for what is above: the value, the gap, or an answer with noise of its own."""
    level = threshold + rng.laplace(scale=rho, size=size)
    reached, found = np.ones(size, dtype=bool), np.zeros(size, dtype=np.int64)
    out = np.full((size, len(q)), np.nan)
    for i, query in enumerate(q):
        value = query + rng.laplace(scale=nu, size=size)
        above = value >= level
        told = {"value": value, "gap": value - level}.get(what)
        told = query + rng.laplace(scale=fresh, size=size) if told is None else told
        out[:, i] = np.where(reached, np.where(above, told, 0.0), np.nan)
        found += above & reached
        reached = reached & (found < count)
    return out


def prefix_sums(q: Queries, rng: Rng, size: int, *, scale: float) -> Array:
    return noisy(q, rng, size, scale).cumsum(axis=1)


def smart_sums(q: Queries, rng: Rng, size: int, *, block: int, at_the_end: bool) -> Array:
    """Prefix sums in blocks, of queries with noise of scale 1; the sum of a block has noise, or none in the bad one."""
    out, before, within = np.zeros((size, len(q))), np.zeros(size), 0
    running = np.zeros(size)
    for i, query in enumerate(q):
        within += query
        if (i + 1) % block == 0:
            before = before + within + (rng.laplace(size=size) if at_the_end else 0)
            within, running = 0, np.zeros(size)
            out[:, i] = before
        else:
            running = running + query + rng.laplace(size=size)
            out[:, i] = before + running
    return out


def geo_sample(q: Queries, rng: Rng, size: int, *, k: int, n: int) -> Array:
    """Balcer & Vadhan: the least z with F(z) ≥ u."""
    d = (2 ** (k + 1) + 1) * (2**k + 1) ** (n - 1)

    def weight(distance: int) -> int:
        return int(2 ** (k * distance) * (2**k + 1) ** (n - distance))

    count = q[0]
    up_to = np.array([weight(count - z) if z < count else d - weight(z - count + 1) for z in range(n)])
    return np.searchsorted(up_to, rng.integers(1, d, size=size, endpoint=True), side="left")


def rappor_bits(
    q: Queries, rng: Rng, size: int, *, bits: int, hashes: int, f: float, p: float = 0, q1: float = 1
) -> Array:
    true = np.array(bloom_filter(q[0], bits, hashes))
    once = rng.random((size, bits)) < np.where(true, 1 - f / 2, f / 2)
    return (rng.random((size, bits)) < np.where(once, q1, p)).astype(np.int64)


_EPS: Final = 10.0
"""1/ε of DP-Sniper."""

SAMPLERS: Final[Mapping[str, Vectorised]] = {
    # CheckDP, at ε = 1
    "noisymax": partial(place_of_largest, scale=2),
    "sparsevector": partial(answers, rho=2, nu=4, threshold=1, count=1),
    "svt_increasing": partial(answers, rho=2, nu=2, threshold=1, count=1),
    "svt_decreasing": partial(answers, rho=2, nu=2, threshold=1, count=1),
    "badsparsevector1": partial(answers, rho=2, nu=0, threshold=1, count=99),
    "badsparsevector2": partial(answers, rho=2, nu=2, threshold=1, count=99),
    "badsparsevector3": partial(answers, rho=4, nu=4 / 3, threshold=1, count=1),
    "numsparsevector": partial(released, rho=3, nu=6, threshold=1, count=1, what="fresh", fresh=3),
    "partialsum": partial(one_number, scale=1),
    "smartsum": partial(smart_sums, block=2, at_the_end=True),
    "badnoisymax": partial(largest, scale=2),
    "gapsparsevector": partial(released, rho=2, nu=4, threshold=1, count=1, what="gap"),
    "badgapsparsevector": partial(released, rho=2, nu=4, threshold=1, count=1, what="value"),
    "badpartialsum": partial(one_number, scale=0.5),
    "badsmartsum": partial(smart_sums, block=2, at_the_end=False),
    # DP-Sniper, at ε = 0.1
    "TruncatedGeometric": partial(geo_sample, k=3, n=5),
    "ReportNoisyMax1": partial(place_of_largest, scale=2 * _EPS),
    "ReportNoisyMax2": partial(place_of_largest, scale=2 * _EPS, noise=one_sided),
    "ReportNoisyMax3 of 3": partial(largest, scale=2 * _EPS),
    "ReportNoisyMax4": partial(largest, scale=2 * _EPS, noise=one_sided),
    "SparseVectorTechnique1": partial(answers, rho=2 * _EPS, nu=4 * _EPS, threshold=0.5, count=1),
    "SparseVectorTechnique2": partial(answers, rho=2 * _EPS, nu=4 * _EPS, threshold=1, count=1, redrawn=2 * _EPS),
    "SparseVectorTechnique3 on 3": partial(released, rho=2 * _EPS, nu=2 * _EPS, threshold=1, count=1, what="value"),
    "SparseVectorTechnique4": partial(answers, rho=4 * _EPS, nu=4 / 3 * _EPS, threshold=1, count=1),
    "SparseVectorTechnique5": partial(answers, rho=2 * _EPS, nu=0, threshold=1, count=99),
    "SparseVectorTechnique6 on 5": partial(answers, rho=2 * _EPS, nu=2 * _EPS, threshold=1, count=99),
    "NumericalSVT": partial(released, rho=3 * _EPS, nu=6 * _EPS, threshold=1, count=1, what="fresh", fresh=3 * _EPS),
    "OneTimeRappor": partial(rappor_bits, bits=20, hashes=4, f=0.95),
    "Rappor": partial(rappor_bits, bits=20, hashes=4, f=0.75, p=0.45, q1=0.55),
    "LaplaceMechanism": partial(one_number, scale=_EPS),
    "NoisyHist1": partial(histogram, scale=_EPS),
    "NoisyHist2": partial(histogram, scale=0.1),
    "PrefixSum": partial(prefix_sums, scale=_EPS),
    "PrefixSum, all differ": partial(prefix_sums, scale=_EPS),
}
