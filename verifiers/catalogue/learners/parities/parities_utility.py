"""Utility of the learner of many parities.

The extraction of the paper has lost its formulas, and the paper states orders: the constants that are claimed here are
ours, and each docstring says what they come from. At ordinary ε, δ and β no sample is listed: what the corrected A_dist
asks for is where as many subsamples determine the parities as Hoeffding's inequality gives.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations_with_replacement, product
from math import ceil, comb
from typing import Any, Final

from dpverify.mechanisms import Distribution, Draw, log, sqrt
from dpverify.mechanisms.learners.parities import Parity, learn_parities, solution, subsamples_for_parities
from dpverify.mechanisms.selection.stability import choose_by_stability, choose_by_stability_journal, gap_needed
from dpverify.verifiers.catalogue.corners import BETAS, DELTAS, EPSILONS, claimed_beta, whether
from dpverify.verifiers.catalogue.families import BUNS, HALF, HUNDREDTH, MILLIONTH, QUARTER, TENTH, TWENTIETH
from dpverify.verifiers.utility.family import Case, ExactLike, Family, at_part, least_of, weakened
from dpverify.verifiers.utility.pac import independent


# Theorem 3.12: parities.
@lru_cache(maxsize=256)
def subsamples(targets: tuple[int, ...], d: int, size: int) -> tuple[tuple[tuple[tuple[int, int], ...], Fraction], ...]:
    """One subsample for each vector of parities that some subsample of uniform examples gives, with its probability.

    The learner sees of a subsample what Gaussian elimination gives, and no more: one can stand for all.
    """
    found: dict[Any, tuple[tuple[tuple[int, int], ...], int]] = {}
    for points in product(range(1 << d), repeat=size):
        rows = tuple((x, sum(Parity(y)(x) << j for j, y in enumerate(targets))) for x in points)
        vector = solution(rows, d, len(targets))
        one, times = found.get(vector, (rows, 0))
        found[vector] = one, times + 1
    return tuple((rows, Fraction(times, 1 << d * size)) for rows, times in found.values())


def parities_of_a_random_sample(
    draw: Draw, targets: tuple[int, ...], *, d: int, size: int, parts: int, epsilon: ExactLike, delta: ExactLike
) -> Any:
    """The result of `learn_parities`, as printed, on a uniform sample of so many subsamples that the targets label."""
    drawn = draw(independent(subsamples(targets, d, size), parts))
    rows = tuple(row for part in drawn for row in part)
    given: dict[str, Any] = {"size": size, "epsilon": epsilon, "delta": delta, "selection": choose_by_stability_journal}
    return draw(learn_parities, rows, d=d, k=len(targets), **given)


parts_as_printed: Final = partial(subsamples_for_parities, selection=choose_by_stability_journal)
"""The number of subsamples that the printed A_dist asks for."""
_ONE_PART: Final = {"d": 1, "size": 4, "parts": 1, "epsilon": Fraction(200), "delta": Fraction(1, 10**9)}
parities = Family(
    parities_of_a_random_sample,
    lambda case, found: found == tuple(map(Parity, case.database)),
    claimed_beta,
    weakened("parities_of_fewer", parities_of_a_random_sample, size=1),
)(
    "BuNS-3.12.utility.parities",
    f"{BUNS}, Theorem 3.12 as reconstructed, with the subsamples that A_dist asks for and s = d + 3",
    "from t ≥ (3/ε)·ln(2/(βδ)) subsamples of d + 3 uniform examples all k parities are found with probability ≥ 1 − β",
    tuple(
        Case(targets, {"d": d, "size": d + 3, "parts": t, "epsilon": epsilon, "delta": delta}, {"beta": beta})
        for (d, k), epsilon, beta, delta in product(((1, 1), (1, 2), (2, 1)), EPSILONS[2::2], BETAS[1:], DELTAS[::2])
        for t in [parts_as_printed(beta=beta, epsilon=epsilon, delta=delta)]
        # few parts for two bits
        if t <= (45 if d == 1 else 10 if (epsilon, delta) == (EPSILONS[4], DELTAS[0]) else 0)
        # the columns are alike, so that the order of the targets is all one
        for targets in combinations_with_replacement(range(1 << d), k)
    ),
    examples=(Case((1,), _ONE_PART, {"beta": TWENTIETH}),),
    our_constants="The paper states an order, and the constants are ours. They fail where a single subsample is asked "
    "for, at ε = 200: the Chernoff bound of the proof asks for more, whatever ε is.",
)
Vector = tuple[int, ...]


def parts_needed(*, beta: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    """The least whole t with (3/4)·t − sqrt(2t·ln(2/β)) ≥ the gap that A_dist needs but for β/2.

    A subsample of d + 3 examples is of full rank with probability ≥ 7/8; by Hoeffding at most t/8 + sqrt(t·ln(2/β)/2)
    are not, but for β/2, and the gap is at least t minus twice that.
    """
    gap = gap_needed(beta=beta / 2, epsilon=epsilon, delta=delta)
    root = (sqrt(2 * log(2 / beta)) + sqrt(2 * log(2 / beta) + 3 * gap)) * Fraction(2, 3)
    return ceil(root * root)


# Exactly: how often the targets are found, and how often the most frequent other vector is.
@lru_cache(maxsize=64)
def chances(targets: Vector, d: int, size: int) -> Mapping[Vector, int]:
    """Vector → how many of the 2^(d·size) subsamples give it. No vector is ⊥, since some targets label the sample."""
    found = {solution(rows, d, len(targets)): share * (1 << d * size) for rows, share in subsamples(targets, d, size)}
    return {vector: int(number) for vector, number in found.items() if vector is not None}


@lru_cache(maxsize=64)
def two_counts(targets: Vector, d: int, size: int, parts: int, most: int) -> Distribution[tuple[int, int]]:
    """The numbers of subsamples that give the targets, and that give the most frequent of all other vectors.

    Exact, by convolution, where that is at most `most`; (0, 0) stands for all that is beyond.
    """
    numbers = dict(chances(targets, d, size))
    right = numbers.pop(targets)
    # ways[m][n]: in how many ways n subsamples in a row give other vectors, each of them at most m times
    ways = [_ways_with_at_most(m, tuple(numbers.values()), parts) for m in range(most + 1)]
    law: dict[tuple[int, int], int] = {}
    for m, n in product(range(most + 1), range(parts + 1)):
        exactly = ways[m][n] - (ways[m - 1][n] if m else 0)
        if exactly:
            law[parts - n, m] = comb(parts, n) * right ** (parts - n) * exactly
    beyond = (1 << d * size * parts) - sum(law.values())
    return Distribution({**law, (0, 0): law.get((0, 0), 0) + beyond})


def _ways_with_at_most(most: int, numbers: tuple[int, ...], parts: int) -> list[int]:
    """For each n ≤ `parts`: the sequences of n subsamples of these kinds, of each at most so many, by their number."""
    ways = [1, *(0,) * parts]
    for number in numbers:
        powers = [number**c for c in range(most + 1)]
        ways = [
            sum(comb(n, c) * powers[c] * ways[n - c] for c in range(min(most, n) + 1) if ways[n - c])
            for n in range(parts + 1)
        ]
    return ways


def parities_by_counts(draw: Draw, targets: Vector, *, d: int, size: int, parts: int, **given: Any) -> Any:
    """The hypotheses of `learn_parities` on a uniform sample: by the two largest counts, which is all that A_dist sees.

    Where another vector is as frequent as the targets, which comes first among those is left open, and counted as a
    failure; and so is an other vector that more than a sixth of the subsamples give.
    """
    found, other = draw(two_counts(targets, d, size, parts, parts // 6 + 1))
    if found <= other:
        return None
    return draw(choose_by_stability, {targets: found, "another": other}, **given)


def with_parts(database: Any, bits: int, epsilon: Fraction, delta: Fraction, beta: Fraction, **given: Any) -> Case:
    """A case with subsamples of `bits` + 3 examples, as many as are needed."""
    parts = parts_needed(beta=beta, epsilon=epsilon, delta=delta)
    asked = {"size": bits + 3, "parts": parts, "epsilon": epsilon, "delta": delta}
    return Case(database, {**given, **asked}, {"beta": beta})


two_bits = tuple(
    Family(
        parities_by_counts,
        lambda case, found: found == case.database,
        claimed_beta,
        at_part("parities_at_a_third", parities_by_counts, 3),
    )(
        f"BuNS-3.12.utility.two-bits{suffix}",
        f"{BUNS}, Theorem 3.12 with the corrected A_dist, and constants of ours",
        "from (3/4)·t − sqrt(2t·ln(2/β)) ≥ (2/ε)·ln(1/(2βδ)) + 2 on, of t subsamples of d + 3 uniform examples all k "
        f"parities are found with probability ≥ 1 − β; d = 2, k in {{2, 3}}, {which}, over the sample and the coins",
        tuple(
            with_parts(targets, 2, epsilon, MILLIONTH, beta, d=2)
            for epsilon, beta, targets in product(epsilons, betas, all_targets)
        ),
        sharp_in="BuNS-3.12.utility.any-columns-more",
        depth="report" if suffix else "quick",
    )
    for suffix, which, epsilons, betas, all_targets in (
        ("", "ε = 1, δ = 10⁻⁶, β = 1/20", (Fraction(1),), (TWENTIETH,), ((3, 1, 2),)),
        (
            *("-more", "ε in {1/2, 1}, δ = 10⁻⁶, β in {1/20, 1/100}"),
            *((HALF, Fraction(1)), (TWENTIETH, HUNDREDTH), ((1, 2), (3, 3), (0, 3), (3, 1, 2))),
        ),
    )
)


# Any number of bits and of columns: a subsample of full rank determines all columns at once.
@lru_cache(maxsize=64)
def of_full_rank(d: int, size: int, parts: int) -> Distribution[int]:
    """The number of subsamples with d independent points: each with probability ∏ (1 − 2^(i − size)), i < d."""
    chance = Fraction(1)
    for i in range(d):
        chance *= 1 - Fraction(1, 1 << (size - i))
    right, all_of = chance.numerator, chance.denominator
    return Distribution({n: comb(parts, n) * right**n * (all_of - right) ** (parts - n) for n in range(parts + 1)})


def parities_at_worst(draw: Draw, d: int, *, size: int, parts: int, epsilon: Fraction, delta: Fraction) -> bool:
    """True where the targets are found where all subsamples that leave something open agree on one other vector.

    Nothing is worse, whatever the targets, and however many: the gap is the least that there can be.
    """
    found = draw(of_full_rank(d, size, parts))
    if 2 * found <= parts:
        return False
    return draw(choose_by_stability, {True: found, False: parts - found}, epsilon=epsilon, delta=delta) is True


for_any_k = tuple(
    whether(parities_at_worst, "parities_at_worst_at_half_epsilon", 2)(
        f"BuNS-3.12.utility.any-columns{suffix}",
        f"{BUNS}, Theorem 3.12 with the corrected A_dist, and constants of ours",
        "from (3/4)·t − sqrt(2t·ln(2/β)) ≥ (2/ε)·ln(1/(2βδ)) + 2 on, of t subsamples of d + 3 uniform "
        "examples all k parities are found with probability ≥ 1 − β, for every k, and all targets: a bound on the "
        f"failure, where the subsamples that are not of full rank agree on another vector; {which}",
        tuple(
            with_parts(d, d, epsilon, delta, beta)
            for d, epsilon, delta, beta in product(ds, epsilons, deltas, (HUNDREDTH, QUARTER))
        ),
        sharpness=sharpness,
        sharp_in="" if suffix else "BuNS-3.12.utility.any-columns-more",
        depth="report" if suffix else "quick",
    )
    for suffix, which, ds, epsilons, deltas, sharpness in (
        ("", "d = 20, ε = 1, δ = 10⁻⁶, β in {1/100, 1/4}", (20,), (Fraction(1),), (MILLIONTH,), None),
        (
            "-more",
            "d in {2, 8, 20}, ε in {1/10, 1}, δ in {10⁻⁶, 10⁻³}, β in {1/100, 1/4}",
            *((2, 8, 20), (TENTH, Fraction(1)), (MILLIONTH, Fraction(1, 1000))),
            least_of(
                "subsamples t of 23, d = 20, any k, ε = 1, δ = 10⁻⁶, β = 1/20",
                parts_needed(beta=TWENTIETH, epsilon=Fraction(1), delta=MILLIONTH),
                lambda t: [
                    Case(20, {"size": 23, "parts": t, "epsilon": Fraction(1), "delta": MILLIONTH}, {"beta": TWENTIETH})
                ],
                ours=True,
            ),
        ),
    )
)
