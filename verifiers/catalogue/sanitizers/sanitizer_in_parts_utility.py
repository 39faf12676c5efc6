"""Utility of a sanitizer on parts: Lemma 5.1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from dpverify.mechanisms.counting.binomial_weights import binomial_weights
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.sanitizers.small_databases import parts_needed, sanitize_in_parts
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.statement import Sharpness

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"

# Lemma 5.1: a sanitizer on parts.


@lru_cache(maxsize=64)  # a mechanism that draws from it is run again for each of its outcomes
def binomial(trials: int, chance: Fraction) -> Distribution[int]:
    """The number of independent trials that succeed, of so many."""
    if chance == 1:
        return Distribution({trials: Fraction(1)})
    yes, no = chance.numerator, chance.denominator - chance.numerator
    return Distribution(dict(enumerate(binomial_weights(trials, yes, no))))


def share_lost(draw: Draw, parts: int, *, alpha: Fraction, chance: Fraction) -> Fraction:
    """The distance of the union of sanitized parts from a database of which all rows are 1.

    A part fails with the chance that is given, and then has no 1; else it is 2α off. They fail independently, and which
    ones do is all one, so that only their number is drawn.
    """
    failing, good = draw(binomial(parts, chance)), 2 * alpha

    def sanitizer(draw: object, part: Sequence[Fraction]) -> tuple[int, ...]:
        zeros = int(part[0] * good.denominator)
        return (0,) * zeros + (1,) * (good.denominator - zeros)

    off = (Fraction(1),) * failing + (good,) * (parts - failing)
    released = draw(sanitize_in_parts, off, sanitizer=sanitizer, size=1)
    return 1 - Fraction(sum(released), len(released))


def share_lost_by_worse_parts(draw: Draw, parts: int, *, alpha: Fraction, chance: Fraction) -> Fraction:
    """Parts that fail twice as often as those of a (2α, (3/2)β)-sanitizer may."""
    return share_lost(draw, parts, alpha=alpha, chance=min(2 * chance, Fraction(1)))


def of_parts(q: int, alpha: Fraction, beta: Fraction) -> Case:
    """q parts, each of which fails with probability (3/2)·β, or always where that is more than 1."""
    chance = min(Fraction(3, 2) * beta, Fraction(1))
    return Case(q, {"alpha": alpha, "chance": chance}, {"beta": beta, "more": q - parts_needed(beta=beta)})


def varied_parts(q: int) -> Iterator[Case]:
    """q parts at α = 1/20 and β = 1/5."""
    yield of_parts(q, Fraction(1, 20), Fraction(1, 5))


def as_many_as_asked_for(*betas: Fraction) -> tuple[Case, ...]:
    """As many parts as the lemma asks for, at α = 1/20 and 1/8."""
    return tuple(
        of_parts(parts_needed(beta=beta), alpha, beta) for beta in betas for alpha in (Fraction(1, 20), Fraction(1, 8))
    )


def _in_parts(name: str, cases: tuple[Case, ...], **given: Any) -> UtilityClaim:
    return UtilityClaim(
        id=f"BNS-J-5.1.utility.{name}",
        source=f"{_BNS}, Lemma 5.1, given the (2α, (3/2)β)-sanitizer that its proof takes from Theorem 2.21",
        statement="where each part fails with probability (3/2)β, independently, is then wholly wrong, and is else 2α "
        "off the same way, the union of q ≥ (18/β)·ln(1/β) parts is (2α + 2β)-close with probability ≥ 1 − β",
        mechanism=share_lost,
        succeeds=lambda case, off: bool(off <= 2 * case.parameters["alpha"] + 2 * case.facts["beta"]),
        beta=lambda case: case.facts["beta"],
        cases=cases,
        mutant=share_lost_by_worse_parts,
        **given,
    )


in_parts = _in_parts(
    "parts",
    as_many_as_asked_for(Fraction(1, 4)),
    sharpness=Sharpness(
        what="parts q, α = 1/20, β = 1/5", paper=parts_needed(beta=Fraction(1, 5)), family=varied_parts
    ),
)
in_more_parts = _in_parts("more-parts", as_many_as_asked_for(Fraction(1, 5), Fraction(1, 10)), depth="report")
