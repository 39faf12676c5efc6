"""PAC learning: the probability over the sample and the coins, for a population of finitely many examples.

On a small domain it is summed exactly. On a larger one `audit_pac` draws samples, sums the coins exactly on each, and
bounds the probability from these with a stated confidence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import factorial, lcm, prod
from random import Random
from typing import Any, TypeAlias

from dpverify.mechanisms.distributions import Distribution
from dpverify.mechanisms.elementary import log, sqrt
from dpverify.mechanisms.enclosure import bounds
from dpverify.mechanisms.enumerator import distribution
from dpverify.mechanisms.errors import InputError
from dpverify.mechanisms.exact_numbers import ZERO, Exact, ExactLike, total
from dpverify.mechanisms.limits import Limits
from dpverify.mechanisms.mechanism import Draw, Mechanism
from dpverify.mechanisms.parameters import open_unit, whole
from dpverify.reports.record import Status

Population: TypeAlias = tuple[tuple[Any, Fraction], ...]
"""Examples with their probabilities, which add up to 1."""


def labelled(points: Sequence[tuple[int, Fraction]], target: Callable[[int], int]) -> Population:
    """The population of examples (x, target(x)), for points with their probabilities."""
    return tuple(((x, target(x)), share) for x, share in points)


def independent(population: Population, size: int) -> Distribution[tuple[Any, ...]]:
    """The law of `size` examples drawn independently, as a sorted tuple: for learners to which their order is all one.

    It has C(size + k − 1, k − 1) outcomes for k examples of positive probability. Raises `InputError` unless size ≥ 1.
    """
    examples = sorted((example, share) for example, share in population if share)
    return Distribution(
        {
            tuple(example for (example, _), n in zip(examples, counts, strict=True) for _ in range(n)): Fraction(
                factorial(size), prod(map(factorial, counts))
            )
            * prod((share**n for (_, share), n in zip(examples, counts, strict=True)), start=Fraction(1))
            for counts in _counts(len(examples), whole(size, "size", 1))
        }
    )


def learnt(
    draw: Draw, population: Population, *, size: int, learner: Mechanism, given: dict[str, Any] | None = None
) -> Any:
    """What `learner` makes of an independent sample: its law is that over the sample and the coins."""
    return draw(learner, draw(independent(population, size)), **(given or {}))


def error(population: Population, hypothesis: Callable[[Any], int]) -> Fraction:
    """error_D(h): the probability of the examples (x, y) with h(x) ≠ y."""
    return sum((share for (x, y), share in population if hypothesis(x) != y), start=Fraction(0))


@dataclass(frozen=True)
class PacAudit:
    """What was found of a learner's probability of failure, over the sample and the coins, from some samples.

    With probability `confidence` over the samples drawn it lies in [low, high]. REFUTED where low > β, which a true
    claim is with probability at most 1 − confidence; INCONCLUSIVE otherwise, and never more than that.
    """

    status: Status
    low: Fraction
    high: Fraction
    confidence: Fraction
    samples: int


def audit_pac(
    learner: Mechanism,
    population: Population,
    *,
    size: int,
    is_good: Callable[[Any], bool],
    beta: ExactLike,
    given: Mapping[str, Any] | None = None,
    samples: int = 500,
    confidence: ExactLike = Fraction(999, 1000),
    seed: int = 0,
    limits: Limits | None = None,
) -> PacAudit:
    """Bounds on the probability that `learner` makes a hypothesis that is not good of `size` independent examples.

    The failure probabilities on the samples drawn are independent, in [0, 1], and exact, so that by Hoeffding's
    inequality their mean is more than sqrt(ln(2/(1 − confidence))/(2·samples)) off with probability at most
    1 − confidence. Both are enclosed by rationals, rounded outward: there is no float. The same seed draws the same
    samples. Raises `InputError` for a population that is empty, has a share below 0 or does not add up to 1, and for
    a parameter out of range.
    """
    number, sure, b = whole(samples, "samples", 1), open_unit(confidence, "confidence"), open_unit(beta, "beta")
    sample = _sampler(population, whole(size, "size", 1), Random(whole(seed, "seed", 0)))
    failures: dict[tuple[Any, ...], Exact] = {}
    seen: list[Exact] = []
    for _ in range(number):
        rows = sample()
        if rows not in failures:
            law = distribution(learner, rows, limits=limits, **(given or {}))
            failed = [p for hypothesis, p in law.probabilities.items() if not is_good(hypothesis)]
            failures[rows] = total(failed) if failed else ZERO
        seen.append(failures[rows])
    margin = bounds(sqrt(log(2 / (1 - sure)) / (2 * number)))[1]
    mean = bounds(total(seen) / number)
    low, high = max(Fraction(0), mean[0] - margin), min(Fraction(1), mean[1] + margin)
    status = Status.REFUTED if low > b else Status.INCONCLUSIVE
    return PacAudit(status, low, high, bounds(sure)[0], number)


def _sampler(population: Population, size: int, source: Random) -> Callable[[], tuple[Any, ...]]:
    """Draws `size` examples, with exactly the population's probabilities."""
    if any(share < 0 for _, share in population) or sum(share for _, share in population) != 1:
        raise InputError("the shares of a population are at least 0 and add up to 1")
    parts = lcm(*(Fraction(share).denominator for _, share in population))
    ends = list(accumulate(int(share * parts) for _, share in population))
    return lambda: tuple(population[bisect_right(ends, source.randrange(parts))][0] for _ in range(size))


def _counts(kinds: int, size: int) -> Iterator[tuple[int, ...]]:
    """All ways to draw `size` examples of so many kinds."""
    if kinds == 1:
        yield (size,)
        return
    for first in range(size, -1, -1):
        for rest in _counts(kinds - 1, size - first):
            yield (first, *rest)
