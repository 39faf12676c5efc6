"""Sanitizers for thresholds of which an order of the rows is stated alone: the whole, with constants of ours.

Theorem 4 of the extended abstract, and Proposition 2.21 of Bun, Nissim & Stemmer, who cite another sanitizer. That one
exists is shown by SanThresholds; how its probability of failure is found is told in
`thresholds_sanitizer_executions_utility`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final

from dpverify.mechanisms.counting.logarithms import log_star
from dpverify.mechanisms.numbers.elementary import log, sqrt
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import parts_of_sanitized_thresholds
from dpverify.verifiers.catalogue.corners import claimed_beta
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_executions_utility import (
    Inside,
    is_close,
    is_close_at_half_epsilon,
)
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.statement import Sharpness

Asked = dict[str, Fraction]
"""α, β, and the ε and δ of the whole."""

_ORDINARY: Final[Asked] = {
    "alpha": Fraction(1, 4),
    "beta": Fraction(1, 20),
    "epsilon": Fraction(1),
    "delta": Fraction(1, 10**6),
}
_OF_THE_ABSTRACT: Final = 1200
_OF_BUNS: Final = 5000


def rows_of_the_abstract(d: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> Exact:
    """8^(log* d)·√(log* d)/(α^2.5·ε)·ln(1/(αδ))·ln(log* d/(αβεδ))."""
    n = log_star(d)
    of_logarithms = log(1 / (alpha * delta)) * log(n / (alpha * beta * epsilon * delta))
    return exact(8) ** n * sqrt(n) * sqrt(1 / alpha) / (alpha**2 * epsilon) * of_logarithms


def rows_of_buns(d: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> Exact:
    """2^(log* d)/(α^2.5·ε)·ln(1/(αβεδ))^1.5."""
    of_all = log(1 / (alpha * beta * epsilon * delta))
    return exact(2) ** log_star(d) * sqrt(1 / alpha) / (alpha**2 * epsilon) * of_all * sqrt(of_all)


def rows_for_thresholds_of_buns(
    d: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction
) -> Exact:
    """As many of them as BuNS-2.21.utility.sanitizer has."""
    return _OF_BUNS * rows_of_buns(d, alpha=alpha, beta=beta, epsilon=epsilon, delta=delta)


def with_rows(counts: Inside, rows: int, asked: Asked) -> Case:
    """At least so many rows, in as many equal blocks as the counts add up to, with parts for the ε and δ asked for."""
    calls = ceil(77 / asked["alpha"])
    part, part_delta = parts_of_sanitized_thresholds(calls=calls, epsilon=asked["epsilon"], delta=asked["delta"])
    given: dict[str, Any] = {
        "block": Fraction(-(-rows // sum(counts))),
        "alpha": asked["alpha"],
        "calls": calls,
        "epsilon": Fraction(floor(part * 10**6), 10**6),
        "delta": Fraction(floor(part_delta * 10**15), 10**15),
    }
    return Case(counts, given, {"beta": asked["beta"], "of the whole": (asked["epsilon"], asked["delta"])})


_SHAPES: Final = ((16,) * 4, (32, 0, 0, 16, 0, 8, 0, 8), (8,) * 8)
_OTHERS: Final = (
    {**_ORDINARY, "delta": Fraction(1, 100)},
    {**_ORDINARY, "alpha": Fraction(1, 10), "epsilon": Fraction(1, 2)},
    {**_ORDINARY, "beta": Fraction(1, 4), "delta": Fraction(1, 100)},
)


def d_of(counts: Inside) -> int:
    """2^d points."""
    return len(counts).bit_length() - 1


def cases_of_theorem_4() -> Iterator[Case]:
    """Four and eight points at the ordinary parameters, and four at others."""
    for asked in (_ORDINARY, *_OTHERS):
        for counts in _SHAPES if asked is _ORDINARY else _SHAPES[:1]:
            yield with_rows(counts, ceil(_OF_THE_ABSTRACT * rows_of_the_abstract(d_of(counts), **asked)), asked)


_HARDEST: Final = _OTHERS[0]
"""Of the parameters tried those at which the order is nearest to what is needed."""

theorem_4 = UtilityClaim(
    id="BNS-X-Thm4.utility.sanitizer",
    source="Beimel, Nissim & Stemmer, extended abstract, Theorem 4, an order; by the journal version's SanThresholds",
    statement="there is a proper sanitizer for INTERVAL_d, (1/4)-close or (1/10)-close with probability ≥ 1 − β, with "
    f"{_OF_THE_ABSTRACT}·8^(log* d)·√(log* d)/(α^2.5·ε)·ln(1/(αδ))·ln(log* d/(αβεδ)) rows: SanThresholds, with parts "
    "for which it is (ε,δ)-private by Lemma 4.8; d = 2 and 3, in shapes of equal blocks, β = 1/20 and 1/4, ε = 1 and "
    "1/2, δ = 10⁻⁶ and 1/100; the constant is ours",
    mechanism=is_close,
    succeeds=lambda case, close: close,
    beta=claimed_beta,
    cases=tuple(cases_of_theorem_4()),
    mutant=is_close_at_half_epsilon,
    sharpness=Sharpness(
        ours=True,
        what="rows, 4 points, α = 1/4, β = 1/20, ε = 1, δ = 1/100",
        paper=ceil(_OF_THE_ABSTRACT * rows_of_the_abstract(2, **_HARDEST)),
        family=lambda m: (with_rows(_SHAPES[0], m, _HARDEST),),
    ),
)


def cases_of_2_21() -> Iterator[Case]:
    """Four, eight and sixteen points."""
    for counts in (*_SHAPES, (32, *(0,) * 14, 32)):
        yield with_rows(counts, ceil(rows_for_thresholds_of_buns(d_of(counts), **_ORDINARY)), _ORDINARY)


of_buns = UtilityClaim(
    id="BuNS-2.21.utility.sanitizer",
    source="Bun, Nissim & Stemmer, Proposition 2.21, which cites a sanitizer with 2^(O(log* d)) rows and whose formula "
    "our text has lost; by the SanThresholds of Beimel, Nissim & Stemmer",
    statement="there is a sanitizer for thresholds on 2^d points, α-close with probability ≥ 1 − β, with "
    f"{_OF_BUNS}·2^(log* d)/(α^2.5·ε)·ln(1/(αβεδ))^1.5 rows: SanThresholds, with parts for which it is (ε,δ)-private "
    "by Lemma 4.8; d = 2, 3 and 4, in shapes of equal blocks, α = 1/4, β = 1/20, ε = 1, δ = 10⁻⁶; the rows are ours, "
    "and for every d 8 is to be in the place of 2",
    mechanism=is_close,
    succeeds=lambda case, close: close,
    beta=claimed_beta,
    cases=tuple(cases_of_2_21()),
    mutant=is_close_at_half_epsilon,
    sharpness=Sharpness(
        ours=True,
        what="rows, 4 points, α = 1/4, β = 1/20, ε = 1, δ = 10⁻⁶",
        paper=ceil(rows_for_thresholds_of_buns(2, **_ORDINARY)),
        family=lambda m: (with_rows(_SHAPES[0], m, _ORDINARY),),
    ),
)
