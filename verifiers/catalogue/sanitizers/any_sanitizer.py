"""Learning by labels with any sanitizer that is as good as it is said to be: bounds on how often it fails.

The learner of Theorem 5.5 of Beimel, Nissim & Stemmer, journal version, takes some 10¹³ examples. They are never
listed: which concept it finds depends on sums over its parts and its rows alone. Given how many rows each label has,
and the noise, a part is off by more than the sanitizer's α′ with probability β′ at most, whatever its rows are, and the
rows of a label are independent. So the sums are bounded by those of independent binomial numbers, in whatever order the
rows come to the parts. All bounds are rounded outward: no float.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Final, NamedTuple, TypeAlias

from flint import arb, ctx, fmpq

from dpverify.mechanisms import log, sqrt
from dpverify.verifiers.utility.pac import Population, error

_PRECISION: Final = 192
_RATES: Final = tuple(Fraction(2) ** i for i in range(-12, 4))
"""Parameters that Chernoff's bound is tried with: it holds for every one."""
_NEVER: Final = Fraction(1, 10**12)
"""The numbers of rows, and the noise, are beyond their ends with this probability at most, each."""
_LEAST_TOLD: Final = Fraction(1, 1 << 64)
"""A probability below it is not told: a number of 10⁻¹⁰⁰⁰⁰⁰⁰⁰⁰⁰ has as many digits."""


@dataclass(frozen=True)
class Size:
    """The number of examples, in so many blocks of some parts of some rows, and the ε of the numbers of rows."""

    rows_of_part: int
    parts_of_block: int
    blocks: int
    epsilon: Fraction

    @property
    def block(self) -> int:
        """M."""
        return self.rows_of_part * self.parts_of_block

    @property
    def examples(self) -> int:
        """T."""
        return self.block * self.blocks


@dataclass(frozen=True)
class Parts:
    """The parts of one label but with probability 3·10⁻¹²: at least and at most so many, with real rows, and others."""

    least: int
    most: int
    rows: int
    others: Fraction


class Released(NamedTuple):
    """The accuracy of what is released of each part: off by at most `close`, but with probability `fails`."""

    close: Fraction
    fails: Fraction


def parts_of(size: Size, share: Fraction) -> Parts:
    """For a label of this share of the population: |S| by Hoeffding's inequality, and m̂ by the tail of its noise.

    The floor of Lap(1/ε) is off by more than h with probability at most e^(−εh).
    """
    if not share:
        low = high = 0
    else:
        off = ceil(sqrt(size.examples * log(2 / _NEVER) / 2)) if share < 1 else 0
        low, high = (int(size.examples * share) + way * (off + 1) for way in (-1, 1))
    noise = ceil(log(1 / _NEVER) / size.epsilon)
    least, most = (_nearest(rows, size.block) for rows in (low - noise, high + noise))
    filled = noise + Fraction(size.block, 2) if most else Fraction(0)
    rows = size.rows_of_part
    return Parts(least // rows, most // rows, max(0, min(low, least)), filled / rows)


def _nearest(rows: int, block: int) -> int:
    """⌊max(0, rows)/M + 1/2⌋·M."""
    return (2 * max(0, rows) + block) // (2 * block) * block


UNLIKELY: Final = 6 * _NEVER
"""A bound of the probability that the parts of either label are not as `parts_of` says."""
Concepts: TypeAlias = Sequence[Callable[[int], int]]


def failure_at_most(
    population: Population, concepts: Concepts, size: Size, released: Released, allowed: Fraction
) -> Fraction:
    """At least the probability that a concept with an error of more than `allowed` is found, whatever the sanitizer.

    It gives databases of one size. A bad concept is found only where its errors on all parts are no more than the
    target's. On a part that is not lost the target's are α′ and the share of entries that are no examples, at most;
    those of the other are its share of wrong examples, less α′, at least; and a part that is lost adds 2 to that. The
    population is that of a target.
    """
    of_labels = [(y, sum(mass for (_, z), mass in population if z == y)) for y in (0, 1)]
    total = UNLIKELY
    for concept in concepts:
        if error(population, concept) > allowed:
            wrong = [_share_wrong(population, concept, y) for y, _ in of_labels]
            parts = [parts_of(size, Fraction(share)) for _, share in of_labels]
            total += no_more_wrong(parts, wrong, size.rows_of_part, released)
    return min(Fraction(1), total)


def _share_wrong(population: Population, concept: Callable[[int], int], label: int) -> Fraction:
    """The share of times it is wrong on examples of this label."""
    of_label = [(x, mass) for (x, y), mass in population if y == label]
    wrong = sum((mass for x, mass in of_label if concept(x) != label), Fraction(0))
    return wrong / (sum((mass for _, mass in of_label), Fraction(0)) or 1)


def no_more_wrong(parts: Sequence[Parts], wrong: Sequence[Fraction], rows_of_part: int, released: Released) -> Fraction:
    """Pr[Σ 2α′·K + F + 2·Bin(K, β′) ≥ Σ Bin(n, p)/m] over both labels, by Chernoff's bound at its best rate."""

    def exponent(s: arb) -> arb:
        found = arb(0)
        for each, p in zip(parts, wrong, strict=True):
            found += s * ball(2 * released.close * each.most + each.others)
            found += each.most * _log_of_mean(released.fails, 2 * s)
            found += each.rows * _log_of_mean(p, -s / rows_of_part)
        return found

    return _at_the_best_rate(exponent)


def failure_at_least(
    population: Population, concepts: Concepts, size: Size, released: Released, allowed: Fraction
) -> Fraction:
    """At most the probability that a bad concept is found with the worst sanitizer, where the first is 0 everywhere.

    On every part this one puts a share α′ of what it releases, and with probability β′ all, on points that the target
    labels otherwise. The first concept is wrong on all parts of label 1, and on no others, so that it is
    found, or another bad one, where the target is wrong on more; 0 where another concept is good as well, or the first
    is another.
    """
    good = [concept for concept in concepts if error(population, concept) <= allowed]
    share = sum((mass for (_, y), mass in population if y), Fraction(0))
    if len(good) > 1 or any(concepts[0](x) for (x, _), _ in population):
        return Fraction(0)
    zeros, ones = (parts_of(size, each) for each in (1 - share, share))
    parts = zeros.least + ones.least
    close, fails = released
    least = _at_the_best_rate(
        lambda s: s * ball(ones.most - close * parts) + parts * _log_of_mean(fails, -s * ball(1 - close))
    )
    return max(Fraction(0), 1 - UNLIKELY - least)


def lost_at_least(parts: int, rows_of_part: int, *, share: Fraction, fails: Fraction) -> Fraction:
    """At most the probability that more is wrong with the target than with the concept that is 0, on labelled parts.

    Of a part that is lost, with probability `fails`, only examples that are labelled 0 and that the target labels 1 are
    left; the others are told as they are. So the target is wrong on all of the former, and the other on the examples of
    label 1 of the latter, which are `share` of the population.
    """

    def exponent(s: arb) -> arb:
        told = (1 + ball(share) * ((s / rows_of_part).exp() - 1)) ** rows_of_part
        return parts * (ball(fails) * (-s).exp() + ball(1 - fails) * told).log()

    return max(Fraction(0), 1 - _at_the_best_rate(exponent))


def _at_the_best_rate(exponent: Callable[[arb], arb]) -> Fraction:
    """Chernoff's bound e^exponent(s), at the rate s at which it is least of those that are tried."""
    with ctx.workprec(_PRECISION):
        return min(Fraction(1), *(above(exponent(ball(rate)).exp()) for rate in _RATES))


def _log_of_mean(chance: Fraction, exponent: arb) -> arb:
    """ln E[e^(exponent·X)] for an X that is 1 with this chance, and 0 else."""
    return (1 + ball(chance) * (exponent.exp() - 1)).log()


def ball(number: Fraction | int) -> arb:
    """An interval around the number."""
    whole = Fraction(number)
    return arb(fmpq(whole.numerator, whole.denominator))


def above(chance: arb) -> Fraction:
    """At least the number: the least that is told, for less than that, and 1 for what may be more."""
    if chance < ball(_LEAST_TOLD):
        return _LEAST_TOLD
    if not chance < 1:
        return Fraction(1)
    top: fmpq = chance.upper().fmpq()
    return Fraction(int(top.p), int(top.q))
