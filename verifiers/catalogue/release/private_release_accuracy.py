"""PrivLearn on databases and samples that are given by how often each row, and each query, occurs.

Its rows are as many as (8) of Hardt, Rothblum & Servedio asks for, some 10⁹ to 10¹³, and queries are sampled as
often as (7) asks for: binomial probabilities are enclosed and not summed. What is run is `release_by_learning` itself.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import Distribution, Draw
from dpverify.mechanisms.counting.binomial_bounds import at_most
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.release import learn_majority_of_parities, release_by_learning
from dpverify.mechanisms.release.majority_of_parities import MajorityOfParities
from dpverify.mechanisms.release.polynomial_thresholds import degree_of_thresholds
from dpverify.mechanisms.release.private_release import Evaluation, Labeller, Predicate, SynopsisAsPrinted
from dpverify.mechanisms.sanitizers.concepts import Example
from dpverify.verifiers.catalogue.families import HALF, THIRD
from dpverify.verifiers.catalogue.release.polynomials.polynomial_thresholds_utility import polynomial_of
from dpverify.verifiers.catalogue.release.private_release_privacy import EVERY_LABELLING as EVERY_LABELLING  # noqa: PLC0414
from dpverify.verifiers.catalogue.release.private_release_privacy import Labels as Labels  # noqa: PLC0414
from dpverify.verifiers.utility.family import Case, weakened


# How often queries are met among very many independent samples.
def from_to(size: int, p: Fraction, least: int, most: int) -> Fraction:
    """A lower bound on Pr[least ≤ Bin(size, p) ≤ most], within 2^−94 of it."""
    return max(Fraction(0), at_most(size, p, most)[0] - at_most(size, p, least - 1)[1])


def whether_between(size: int, p: Fraction, least: int, most: int) -> Distribution[bool]:
    """True where a binomial number is from `least` to `most`; what rounding leaves open, below 2^−94, counts as not."""
    inside = from_to(size, p, least, most)
    return Distribution({True: inside, False: 1 - inside})


def kinds_of_samples(size: int, shares: Sequence[Fraction], enough: Fraction) -> Distribution[Any]:
    """The number of times two queries are met among `size` samples, of these probabilities; some numbers for all.

    Only where the number of either is 0, or reaches a share `enough` of `size`, it may make a difference: of the
    numbers between such ends one in the middle stands for all, with their probability. None is what rounding leaves
    open, below 2^−90: a mechanism that takes it for a failure fails no less than it does.
    """
    least, p = ceil(enough * size), shares[1]
    ends = {0, 1, size, size + 1, least, size - least + 1}
    cuts = sorted(end for end in ends if 0 <= end <= size + 1)
    law: dict[Any, Fraction] = {}
    for start, end in pairwise(cuts):
        number = (start + end - 1) // 2
        law[size - number, number] = from_to(size, p, start, end - 1)
    law[None] = 1 - sum(law.values(), start=Fraction(0))
    return Distribution(law)


def bulk_of_samples(size: int, shares: Sequence[Fraction], enough: Fraction) -> Distribution[Any]:
    """The numbers to be expected of each query among `size` samples, or None where one is below a share of them.

    Where no number is below `enough` of all it is all the same to PrivLearn how great they are, as long as the learner
    asks only what it has met. None has the sum of the probabilities of all that is else, or rounding leaves open.
    """
    least = ceil(enough * size)
    rest = min(Fraction(1), sum((at_most(size, p, least - 1)[1] for p in shares), start=Fraction(0)))
    return Distribution({tuple(max(1, int(size * p)) for p in shares): 1 - rest, None: rest})


# PrivLearn.
Rows: TypeAlias = tuple[tuple[int, int], ...]
"""(row, how often it occurs)."""


def ask_about_both(draw: Draw, examples: object, ask: Evaluation, /, **given: Any) -> Labels:
    """A learner of two queries that asks for both, and takes no answer for 0: right whatever the distribution."""
    return Labels((int(ask(0)[1] == 1), int(ask(1)[1] == 1)))


def ask_about_eight(draw: Draw, examples: object, ask: Evaluation, /, **given: Any) -> Labels:
    """The same of eight queries."""
    return Labels(tuple(int(ask(q)[1] == 1) for q in range(8)))


def lines_of_two_attributes(
    draw: Draw, examples: Mapping[Example, int], ask: object, /, *, n: int, **given: Any
) -> Labeller:
    """Linear programming for conjunctions of two attributes; how often an example occurs is all one to it."""
    return polynomial_of(tuple(sorted(examples)), 2, 2, degree_of_thresholds(2, n))


def sieve_of_two_bits(
    draw: Draw, examples: object, ask: Evaluation, /, *, gamma: Fraction, **given: Any
) -> MajorityOfParities:
    """The Harmonic Sieve on two bits, which asks for all four queries."""
    return sieved(tuple(ask(q) for q in range(4)), gamma)


NO_DRAW: Final[Any] = None
"""For learners that draw nothing."""


@lru_cache(maxsize=1 << 10)  # on a thousand paths the same few answers are given
def sieved(answers: tuple[tuple[Any, Any], ...], gamma: Fraction) -> MajorityOfParities:
    """From c·G[q] and the label of each query; each function of two bits is a majority of three parities, or fewer."""
    given: dict[str, Any] = {"n": 1, "t": 1, "beta": HALF, "d": 2, "edge": THIRD}
    return learn_majority_of_parities(NO_DRAW, (), answers.__getitem__, gamma=gamma, **given)


class LeftAside(Exception):
    """A case that is not looked into, and counts as a failure."""


def within(draw: Draw, bound: Fraction) -> Any:
    """`draw`, with what noise is beyond a bound left aside: Γ, of Lemma 4.3, is that none is.

    It raises `LeftAside` for noise that is not within the bound. PrivLearn draws by calling it, and in no other way.
    """

    def drawing(source: Any, /, *args: Any, **given: Any) -> Any:
        outcome = draw(source, *args, **given)
        if isinstance(source, NoiseLaw) and (outcome >= bound or outcome <= -bound):
            raise LeftAside
        return outcome

    return drawing


def released(
    draw: Draw,
    database: Rows,
    *,
    weights: tuple[Fraction, ...],
    alpha: Fraction,
    gamma: Fraction,
    all_noise: bool = False,
    law_of: Callable[..., Distribution[Any]] | None = None,
    **given: Any,
) -> tuple[Fraction, ...] | None:
    """PrivLearn's answers to queries 0, 1, … with these weights in G, or None for what is not looked into.

    That is what rounding leaves open of how often each query is sampled; for more than two queries that one is sampled
    too seldom, or what another `law_of` the numbers of samples leaves out; and, unless `all_noise`, any noise of α/21
    of the rows or more.
    """
    numbers = dict(database)

    def sampling(draw: Draw, queries: Distribution[int], samples: int) -> Iterable[tuple[int, int]]:
        numbers_of = law_of or (kinds_of_samples if len(weights) == 2 else bulk_of_samples)
        times: tuple[int, ...] | None = draw(numbers_of(samples, weights, gamma / 2))
        if times is None:
            raise LeftAside
        return tuple((q, n) for q, n in enumerate(times) if n)

    try:
        synopsis = release_by_learning(
            draw if all_noise else within(draw, alpha / 21 * sum(numbers.values())),
            numbers,
            queries=Distribution(dict(enumerate(weights))),
            alpha=alpha,
            gamma=gamma,
            sampling=sampling,
            **given,
        )
    except LeftAside:
        return None
    return tuple(synopsis(q) for q in range(len(weights)))


# with step 4 of Figure 2 to the letter
released_as_printed = weakened("released_as_printed", released, synopsis=SynopsisAsPrinted)
released_with_one_sample = weakened("released_with_one_sample", released, samples=1)


def is_accurate(case: Case, answers: tuple[Fraction, ...] | None) -> bool:
    """(9): the queries whose answer is off by more than α have a share of at most γ in G."""
    if answers is None:
        return False
    given = case.parameters
    exactly = shares_of(case.database, given["predicate"], len(answers))
    off = [abs(answer - share) > given["alpha"] for answer, share in zip(answers, exactly, strict=True)]
    share_off = sum((weight for weight, wrong in zip(given["weights"], off, strict=True) if wrong), Fraction(0))
    return bool(share_off <= given["gamma"])


@lru_cache(maxsize=256)
def shares_of(database: Rows, predicate: Predicate, queries: int) -> tuple[Fraction, ...]:
    """f(q) for each of the first queries."""
    rows = sum(times for _, times in database)
    return tuple(Fraction(sum(times for row, times in database if predicate(q, row)), rows) for q in range(queries))


def has_bit(q: int, row: int) -> int:
    """P(q, row): the bit q of the row."""
    return row >> q & 1


def rows_with_shares(shares: tuple[Fraction, ...], rows: int) -> Rows:
    """A database of so many rows of which these shares, rounded down to rows, have each bit."""
    counts = [int(share * rows) for share in shares]
    ends = sorted({0, *counts, rows})
    return tuple(
        (sum((start < count) << bit for bit, count in enumerate(counts)), end - start) for start, end in pairwise(ends)
    )


def rows_in_parts(parts: tuple[Fraction, ...], rows: int) -> Rows:
    """So many rows, of which the rows 0, 1, … have these shares, rounded down; the rest are of the last kind."""
    counts = [int(part * rows) for part in parts[:-1]]
    return tuple((row, n) for row, n in enumerate([*counts, rows - sum(counts)]) if n)
