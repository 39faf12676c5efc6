"""Learning from a sanitizer for C^label: Theorem 5 of the extended abstract, whose proof it omits.

The journal version's Lemmas 5.1 and 5.3 give an error of 5α + 4β, at γ = α, where the theorem has 3α + 2β: the sizes of
what is released are made equal first, which doubles α (Theorem 2.21), and twice as many parts may be bad as are
expected. Neither is needed. Where each concept is judged by the mean of its errors on the parts, whose sizes then do
not matter, and a share b of them is bad, what is learnt has error ≤ 2(1 − b)α + 2b on the sample; from enough parts on
b ≤ β/(1 − α), where that is at most 2α + 2β. The distribution adds γ = α, and with its β fails with 2β.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.numbers.exact_numbers import ZERO
from dpverify.mechanisms.sanitizers.concepts import Example, Threshold, thresholds
from dpverify.mechanisms.sanitizers.label_sanitizer import labelled_concept, learn_from_sanitized
from dpverify.mechanisms.sanitizers.small_databases import parts_needed
from dpverify.verifiers.catalogue.sanitizers.learning_by_labels_calculation import enough_parts
from dpverify.verifiers.catalogue.sanitizers.sanitizer_in_parts_utility import binomial
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim

_SOURCE: Final = "Beimel, Nissim & Stemmer, extended abstract, Theorem 5"

Part: TypeAlias = tuple[Example, Example]
"""A row, and what is released of it."""


def learnt_from_parts(draw: Draw, parts: Sequence[Part], *, released_as: int = 1) -> Any:
    """Learn on parts of one row, each with what is released of it."""
    sample, released = (tuple(rows) for rows in zip(*parts, strict=True))

    def sanitizer(draw: object, rows: object) -> tuple[Example, ...]:
        return tuple((x, y if released_as else 1 - y) for x, y in released)

    return draw(learn_from_sanitized, sample, sanitizer=sanitizer, concepts=thresholds(1))


def learnt_from_turned_parts(draw: Draw, parts: Sequence[Part]) -> Any:
    """Learn with all labels of what is released turned over."""
    return learnt_from_parts(draw, parts, released_as=0)


def error_on(concept: Threshold, rows: Sequence[Example]) -> Fraction:
    """The share of c^label on the rows, which is the concept's error there."""
    return Fraction(sum(map(labelled_concept(concept), rows)), len(rows))


def is_close(part: Part) -> bool:
    """True where what is released of a row is 0-close to it: on one row all else is 1 off for some concept."""
    return all(error_on(c, part[:1]) == error_on(c, part[1:]) for c in thresholds(1))


def all_parts(number: int) -> Iterator[Case]:
    """All consistent samples of so many parts of one row, with all that may be released of each, up to order."""
    rows: tuple[Example, ...] = ((0, 0), (0, 1), (1, 0), (1, 1))
    pairs: tuple[Part, ...] = tuple((row, released) for row in rows for released in rows)
    for parts in combinations_with_replacement(pairs, number):
        sample = [row for row, _ in parts]
        if min(error_on(c, sample) for c in thresholds(1)) == 0:
            yield Case(parts, {}, {"bad": Fraction(sum(not is_close(part) for part in parts), number)})


from_parts = UtilityClaim(
    id="BNS-X-Thm5.utility.learn-from-parts",
    source=_SOURCE,
    statement="where a share b of the parts is bad, and the others are α-close, Learn has error ≤ 2(1 − b)α + 2b on a "
    "sample consistent with a concept; all samples of thresholds on two points in up to three parts of one row, α = 0",
    mechanism=learnt_from_parts,
    succeeds=lambda case, found: error_on(found, [row for row, _ in case.database]) <= 2 * case.facts["bad"],
    beta=lambda case: ZERO,
    cases=tuple(case for number in (1, 2, 3) for case in all_parts(number)),
    mutant=learnt_from_turned_parts,
)


# How many of the parts are bad.


def error_by_parts(draw: Draw, parts: int, *, alpha: Fraction, beta: Fraction) -> Fraction:
    """2(1 − b)α + 2b, where each part is bad with probability β, independently."""
    bad = Fraction(draw(binomial(parts, beta)), parts)
    return 2 * (1 - bad) * alpha + 2 * bad


def error_by_fewer_parts(draw: Draw, parts: int, *, alpha: Fraction, beta: Fraction) -> Fraction:
    """With the (18/β)·ln(1/β) parts of the journal version's Lemma 5.1."""
    return error_by_parts(draw, parts_needed(beta=beta), alpha=alpha, beta=beta)


def with_enough_parts(alpha: Fraction, beta: Fraction) -> Case:
    """q ≥ 3·((1 − α)/α)²·ln(1/β)/β, by Chernoff's bound: derived here."""
    return Case(enough_parts(alpha, beta), {"alpha": alpha, "beta": beta})


bad_parts = UtilityClaim(
    id="BNS-X-Thm5.utility.bad-parts",
    source=_SOURCE,
    statement="so the error on the sample is at most 2α + 2β with probability ≥ 1 − β, from q ≥ "
    "3·((1 − α)/α)²·ln(1/β)/β parts, each of which is bad with probability β; at α = β = 1/8",
    mechanism=error_by_parts,
    succeeds=lambda case, error: error <= 2 * case.parameters["alpha"] + 2 * case.parameters["beta"],
    beta=lambda case: case.parameters["beta"],
    cases=(with_enough_parts(Fraction(1, 8), Fraction(1, 8)),),
    mutant=error_by_fewer_parts,
)
