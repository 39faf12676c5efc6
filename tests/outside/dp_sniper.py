"""The 20 mechanisms of DP-Sniper (Bichsel, Steffen, Bogunovic & Vechev, S&P 2021), the algorithm and its constants as published.

Queries differ by at most 1 between neighbours: all of them for noisy max, sparse vector and prefix sum, and one of
them otherwise. In the sparse vector variants -1, -1000 and -2000 are what their arrays hold for queries that were not
answered; here, as in the papers that they are from, the tuple ends.
"""

from math import ceil
from typing import Any

from dpverify.mechanisms import Draw, bernoulli, exponential_noise, laplace, log
from dpverify.mechanisms.noise import discrete_uniform

Queries = tuple[int, ...]

# --- One number, and histograms


def laplace_mechanism(draw: Draw, q: Queries, *, epsilon: Any) -> Any:
    """LaplaceMechanism: one number with Lap(1/ε)."""
    return q[0] + draw(laplace(1 / epsilon))


def truncated_geometric(draw: Draw, q: Queries, *, epsilon: Any, n: int) -> int:
    """TruncatedGeometricMechanism: Balcer & Vadhan, Algorithm 4.8 (GeoSample), on a count of n individuals.

    k = ⌈ln(2/ε)⌉, d = (2^(k+1) + 1)·(2^k + 1)^(n-1); the least z with F(z) ≥ u, of a uniform u from 1 to d.
    """
    k: int = ceil(log(2 / epsilon))
    d = (2 ** (k + 1) + 1) * (2**k + 1) ** (n - 1)
    count = q[0]

    def weight(distance: int) -> int:
        return int(2 ** (k * distance) * (2**k + 1) ** (n - distance))

    cumulative: list[int] = [weight(count - z) if z < count else d - weight(z - count + 1) for z in range(n)]
    u = draw(discrete_uniform(1, d))
    return next((z for z, up_to in enumerate(cumulative) if up_to >= u), n)


def noisy_hist1(draw: Draw, q: Queries, *, epsilon: Any) -> tuple[Any, ...]:
    """NoisyHist1: each cell with Lap(1/ε)."""
    return tuple(query + draw(laplace(1 / epsilon)) for query in q)


def noisy_hist2(draw: Draw, q: Queries, *, epsilon: Any) -> tuple[Any, ...]:
    """NoisyHist2: each cell with Lap(ε), the scale upside down."""
    return tuple(query + draw(laplace(epsilon)) for query in q)


# --- Report noisy max
def report_noisy_max1(draw: Draw, q: Queries, *, epsilon: Any) -> int:
    """ReportNoisyMax1: which is the largest, with Lap(2/ε) on each."""
    return _largest([query + draw(laplace(2 / epsilon)) for query in q])


def report_noisy_max2(draw: Draw, q: Queries, *, epsilon: Any) -> int:
    """ReportNoisyMax2: which is the largest, with one-sided exponential noise of scale 2/ε on each."""
    return _largest([query + draw(exponential_noise(2 / epsilon)) for query in q])


def report_noisy_max3(draw: Draw, q: Queries, *, epsilon: Any) -> Any:
    """ReportNoisyMax3: the largest noisy value itself, with Lap(2/ε) on each."""
    noisy = [query + draw(laplace(2 / epsilon)) for query in q]
    return noisy[_largest(noisy)]


def report_noisy_max4(draw: Draw, q: Queries, *, epsilon: Any) -> Any:
    """ReportNoisyMax4: the largest noisy value itself, with one-sided exponential noise of scale 2/ε on each."""
    noisy = [query + draw(exponential_noise(2 / epsilon)) for query in q]
    return noisy[_largest(noisy)]


# --- The sparse vector technique, as Lyu, Su & Li (2017) number its variants
def svt1(draw: Draw, q: Queries, *, epsilon: Any, count: int, threshold: Any) -> tuple[bool, ...]:
    """SparseVectorTechnique1: ρ ~ Lap(2/ε), ν ~ Lap(4c/ε), and an end after c."""
    return _answers(draw, q, threshold + draw(laplace(2 / epsilon)), 4 * count / epsilon, count)


def svt2(draw: Draw, q: Queries, *, epsilon: Any, count: int, threshold: Any) -> tuple[bool, ...]:
    """SparseVectorTechnique2: ρ ~ Lap(2c/ε), drawn anew after each query above; ν ~ Lap(4c/ε), and an end after c."""
    noisy_threshold = threshold + draw(laplace(2 * count / epsilon))
    out: list[bool] = []
    for query in q:
        if sum(out) == count:
            break
        above = query + draw(laplace(4 * count / epsilon)) >= noisy_threshold
        out.append(above)
        if above:
            noisy_threshold = threshold + draw(laplace(2 * count / epsilon))
    return tuple(out)


def svt3(draw: Draw, q: Queries, *, epsilon: Any, count: int, threshold: Any) -> tuple[Any, ...]:
    """SparseVectorTechnique3: ρ ~ Lap(2/ε), ν ~ Lap(2c/ε), an end after c; releases the noisy query q + ν."""
    noisy_threshold = threshold + draw(laplace(2 / epsilon))
    out: list[Any] = []
    found = 0
    for query in q:
        if found == count:
            break
        noisy = query + draw(laplace(2 * count / epsilon))
        above = noisy >= noisy_threshold
        out.append(noisy if above else False)
        found += above
    return tuple(out)


def svt4(draw: Draw, q: Queries, *, epsilon: Any, count: int, threshold: Any) -> tuple[bool, ...]:
    """SparseVectorTechnique4: ρ ~ Lap(4/ε), ν ~ Lap(4/(3ε)), and an end after c."""
    return _answers(draw, q, threshold + draw(laplace(4 / epsilon)), 4 / (3 * epsilon), count)


def svt5(draw: Draw, q: Queries, *, epsilon: Any, threshold: Any) -> tuple[bool, ...]:
    """SparseVectorTechnique5: ρ ~ Lap(2/ε), no noise on the queries, and no end."""
    noisy_threshold = threshold + draw(laplace(2 / epsilon))
    return tuple(query >= noisy_threshold for query in q)


def svt6(draw: Draw, q: Queries, *, epsilon: Any, threshold: Any) -> tuple[bool, ...]:
    """SparseVectorTechnique6: ρ, ν ~ Lap(2/ε), and no end."""
    return _answers(draw, q, threshold + draw(laplace(2 / epsilon)), 2 / epsilon, len(q) + 1)


def numerical_svt(draw: Draw, q: Queries, *, epsilon: Any, count: int, threshold: Any) -> tuple[Any, ...]:
    """NumericalSVT: Lap(3/ε) on the threshold, Lap(6c/ε) on the queries; those above are released with Lap(3c/ε)."""
    noisy_threshold = threshold + draw(laplace(3 / epsilon))
    out: list[Any] = []
    found = 0
    for query in q:
        if found == count:
            break
        above = query + draw(laplace(6 * count / epsilon)) >= noisy_threshold
        out.append(query + draw(laplace(3 * count / epsilon)) if above else 0)
        found += above
    return tuple(out)


# --- RAPPOR, on one value
def one_time_rappor(draw: Draw, q: Queries, *, filter_size: int, hashes: int, f: Any) -> tuple[bool, ...]:
    """OneTimeRappor: the bits of a Bloom filter, each told truly but with probability f, and at random else."""
    return draw.each(told_once, bloom_filter(q[0], filter_size, hashes), f=f)


def rappor(draw: Draw, q: Queries, *, filter_size: int, hashes: int, f: Any, p: Any, q1: Any) -> tuple[bool, ...]:
    """Rappor: the bits of `one_time_rappor`, each again: 1 with probability q1 where it was 1, p where it was 0."""
    return draw.each(told_twice, bloom_filter(q[0], filter_size, hashes), f=f, p=p, q1=q1)


def told_once(draw: Draw, bit: bool, *, f: Any) -> bool:
    """One bit of `one_time_rappor`."""
    return bool(draw(bernoulli(1 - f / 2 if bit else f / 2)))


def told_twice(draw: Draw, bit: bool, *, f: Any, p: Any, q1: Any) -> bool:
    """One bit of `rappor`: the permanent answer, and the one that is given for it this time."""
    return bool(draw(bernoulli(q1 if draw(told_once, bit, f=f) else p)))


def bloom_filter(value: int, size: int, hashes: int) -> tuple[bool, ...]:
    """The bits that `hashes` hashes of the value's text set, by MurmurHash3 with the seeds 0, 1, …."""
    places = {murmur3(str(value).encode(), seed) % size for seed in range(hashes)}
    return tuple(place in places for place in range(size))


def murmur3(data: bytes, seed: int) -> int:
    """MurmurHash3 of 32 bits for texts of less than 4 bytes, as a signed number."""
    assert len(data) < 4
    mixed = int.from_bytes(data, "little") * 0xCC9E2D51 & 0xFFFFFFFF
    state = seed ^ (_rotated(mixed, 15) * 0x1B873593 & 0xFFFFFFFF) ^ len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        state = (state ^ state >> shift) * factor & 0xFFFFFFFF
    state ^= state >> 16
    return state - (1 << 32) if state >> 31 else state


# --- Several at once
def laplace_parallel(draw: Draw, q: Queries, *, epsilon: Any, parallel: int) -> tuple[Any, ...]:
    """LaplaceParallel: so many times `laplace_mechanism`."""
    return tuple(q[0] + draw(laplace(1 / epsilon)) for _ in range(parallel))


def svt34_parallel(draw: Draw, q: Queries, *, epsilon: Any, count: int, threshold: Any) -> tuple[Any, ...]:
    """SVT34Parallel: `svt3` and `svt4`, one after the other."""
    given = {"epsilon": epsilon, "count": count, "threshold": threshold}
    return svt3(draw, q, **given), svt4(draw, q, **given)


def prefix_sum(draw: Draw, q: Queries, *, epsilon: Any) -> tuple[Any, ...]:
    """PrefixSum: the prefix sums of queries with Lap(1/ε) on each."""
    out: list[Any] = []
    partial: Any = 0
    for query in q:
        partial = partial + (query + draw(laplace(1 / epsilon)))
        out.append(partial)
    return tuple(out)


# --- What several of them do
def _largest(noisy: list[Any]) -> int:
    best = 0
    for i, value in enumerate(noisy):
        if value > noisy[best]:
            best = i
    return best


def _answers(draw: Draw, q: Queries, noisy_threshold: Any, scale: Any, count: int) -> tuple[bool, ...]:
    out: list[bool] = []
    for query in q:
        if sum(out) == count:
            break
        out.append(query + draw(laplace(scale)) >= noisy_threshold)
    return tuple(out)


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> 32 - by) & 0xFFFFFFFF
