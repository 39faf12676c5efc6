"""The packing argument: databases near to each other, no answer to which is good for two of them.

Beimel, Nissim & Stemmer, journal version, Lemmas 4.15 and 5.7, Chaudhuri, Hsu & Song, Proposition 1, and Bun, Nissim &
Stemmer, Theorems 5.1 and 5.4, are of this form.
"""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from math import ceil, comb
from typing import TypeVar

from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, whole

Item = TypeVar("Item", bound=Hashable)


def packing_bound(databases: int, steps: int, epsilon: ExactLike, delta: ExactLike = 0) -> Exact:
    """Upper bound on the worst success of (ε, δ)-private mechanisms on K databases, each at most `steps` apart.

    No answer is a success for two. On database i the other sets of answers have Pr[A(S_i) in G_j] ≥ e^(−dε)·(s − δ_d)
    each, for δ_d = δ·(e^(dε) − 1)/(e^ε − 1), so that 1 − s ≥ (K − 1)·e^(−dε)·(s − δ_d). With δ = 0 that is
    s ≤ 1/(1 + (K − 1)·e^(−dε)). At most 1. Raises `InputError` unless K ≥ 1, d ≥ 0, ε ≥ 0 and δ ≥ 0.
    """
    others, d = whole(databases, "databases", 1) - 1, whole(steps, "steps", 0)
    eps, slack = _at_least_zero(epsilon, "epsilon"), _at_least_zero(delta, "delta")
    near = others * exp(-d * eps)
    _, of_group = group_privacy(eps, slack, d)
    return min(exact(1), (1 + near * of_group) / (1 + near))


def group_privacy(epsilon: Exact, delta: Exact, steps: int) -> tuple[Exact, Exact]:
    """(e^(dε), δ·(e^(dε) − 1)/(e^ε − 1)): what (ε, δ)-privacy gives for d steps (d·δ for ε = 0)."""
    ratio = exp(steps * epsilon)
    return ratio, delta * (exact(steps) if epsilon == 0 else (ratio - 1) / (exp(epsilon) - 1))


def steps_forced(databases: int, *, beta: ExactLike, epsilon: ExactLike) -> int:
    """The least whole d ≥ 0 at which `packing_bound` lets a success of 1 − β pass: ⌈ln((K − 1)·(1 − β)/β)/ε⌉.

    For δ = 0. Raises `InputError` unless K ≥ 1, 0 < β < 1 and ε > 0.
    """
    b, eps = open_unit(beta, "beta"), positive(epsilon, "epsilon")
    others = whole(databases, "databases", 1) - 1
    return max(0, ceil(log(others * (1 - b) / b) / eps)) if others else 0


def _at_least_zero(number: ExactLike, name: str) -> Exact:
    found = exact(number, name)
    if found < 0:
        raise InputError(bad_input.RANGE, name, "at least 0")
    return found


def replaced_at_random(chosen: int, epsilon: ExactLike, alpha: ExactLike) -> Exact:
    """The bound that no ε-private sanitizer's chance of α-closeness exceeds, on sets of m = `chosen` of 2m points.

    The sanitizer is one for all subsets of 2m points, and proper: Ŝ puts a share on each. To replace a point of S by
    one outside leads to another of these sets, so that of a random S, by expectation, the share of Ŝ inside is at most
    e^ε times that outside: at least 1/(1 + e^ε) is outside. Where Ŝ is α-close to S at most α is. So 1/(1 + e^ε) ≤ s·α
    + (1 − s), which is s ≤ e^ε/((1 + e^ε)·(1 − α)). At most 1. Source: as Theorem 2.20 of Beimel, Nissim & Stemmer,
    journal version, after Blum et al., with β and constants. Raises `InputError` unless m ≥ 1, ε ≥ 0 and 0 < α < 1.
    """
    ratio, a = exp(_at_least_zero(epsilon, "epsilon")), open_unit(alpha, "alpha")
    whole(chosen, "chosen", 1)
    return min(exact(1), ratio / ((1 + ratio) * (1 - a)))


def binomial_above(trials: int, probability: Fraction, most: int) -> Fraction:
    """Pr[Bin(n, p) > most], exactly."""
    return sum(
        (
            comb(trials, i) * probability**i * (1 - probability) ** (trials - i)
            for i in range(max(0, most + 1), trials + 1)
        ),
        Fraction(0),
    )


def largest_somewhere(quality: Mapping[Item, Sequence[Fraction]]) -> Item:
    """The item whose quality on some database is largest of all, by its qualities on all databases.

    It looks at no data. On every database it is at most L below the best, where an item's quality on two databases
    differs by L at most: by 1 for qualities that one of n rows moves by 1/n.
    """
    return max(quality, key=lambda item: max(quality[item]))
