"""The claim on one interval of ε on which every distribution is one function of ε.

A pair of distributions violates its claim where for some event F the number Pr[F | D] − e^ε·Pr[F | D′] − δ is positive;
the events to look at are those of the outcomes that are positive together between two successive roots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from flint import fmpz_mpoly

from dpverify.mechanisms.numbers import polynomial_form
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import product
from dpverify.mechanisms.numbers.roots.epsilon_polynomials import Coefficients, in_epsilon
from dpverify.mechanisms.numbers.roots.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.numbers.roots.mixed_polynomials import sign_at
from dpverify.mechanisms.numbers.roots.mixed_roots import MixedRoot, roots_in_order
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import sign_of_denominator
from dpverify.verifiers.divergence.every_epsilon.epsilon_lines import LineOfEpsilon
from dpverify.verifiers.divergence.every_epsilon.epsilon_sets import EpsilonInterval, Span, union_of_spans
from dpverify.verifiers.divergence.output_tables.parts import Part, pairs_in_parts
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee
from dpverify.verifiers.verdicts.compared_distributions import Laws


def on_cell(symbol: EpsilonSymbol, laws: Laws, claim: PrivacyGuarantee) -> tuple[list[EpsilonInterval], bool]:
    """The ε of the symbol's interval at which some pair violates the claim, in rising order.

    And whether some pair meets it with equality on all of it. Raises `InputError` where a number has irrational
    coefficients, or too large a degree.
    """
    table = laws.table
    factor = exp(claim.epsilon)
    form = polynomial_form.polynomials(
        [*table.numbers, *(product((factor, number)) for number in table.numbers), claim.delta]
    )
    sign = sign_of_denominator(form, symbol)
    numbers = [_times(sign, number) for number in in_epsilon(form, symbol)]
    decided = _OnCell(LineOfEpsilon(symbol, form.fineness(symbol.base), numbers), laws)
    return decided.fails_at(), decided.tight


def _times(sign: int, number: Coefficients) -> Coefficients:
    return number if sign > 0 else {key: -c for key, c in number.items()}


class _OnCell:
    """The numbers of a claim are p of the distributions, then e^ε·q of the distributions, then δ."""

    def __init__(self, line: LineOfEpsilon, laws: Laws) -> None:
        self._line = line
        self._laws = laws
        self._size = len(laws.table.numbers)
        self.tight = False
        self._roots_of: dict[tuple[int, int], Sequence[MixedRoot]] = {}

    def fails_at(self) -> list[EpsilonInterval]:
        """The ε of the interval at which some pair violates the claim, in rising order."""
        spans = self._pure() if self._line.numbers[-1].is_zero() else self._approximate()
        return self._line.intervals(union_of_spans(_up_to_everything(spans)))

    def _pure(self) -> Iterator[Span]:
        """The ε where p > e^ε·q for some outcome."""
        for p, q in number_pairs(self._laws):
            yield from self._positive(p, q)

    def _positive(self, p: int, q: int) -> list[Span]:
        difference = self._difference(p, q)
        if difference.is_zero():
            self.tight = True
            return []
        return [] if self._never(p, q) else self._line.where_positive(difference)

    def _approximate(self) -> Iterator[Span]:
        """The ε where for some pair of distributions the positive p − e^ε·q add up to more than δ."""
        for summands in events_of(self._laws):
            yield from self._exceeding(summands)

    def _exceeding(self, summands: Sequence[tuple[int, int]]) -> list[Span]:
        sometimes = [(p, q) for p, q in summands if not self._never(p, q)]
        roots = roots_in_order([root for summand in sometimes for root in self._roots(*summand)])
        events = {
            tuple(sorted(summand for summand in sometimes if sign_at(self._difference(*summand), at) > 0))
            for at in self._line.between([None, *roots, None])
        }
        return [span for event in events for span in self._event_exceeding(event)]

    def _event_exceeding(self, event: Sequence[tuple[int, int]]) -> list[Span]:
        excess = self._line.excess([(p, self._size + q) for p, q in event])
        if excess.is_zero():
            self.tight = True
            return []
        return [] if self._line.is_never_positive(excess) else self._line.where_positive(excess)

    def _difference(self, p: int, q: int) -> fmpz_mpoly:
        return self._line.difference(p, self._size + q)

    def _never(self, p: int, q: int) -> bool:
        return self._line.exceeds_nowhere(p, self._size + q)

    def _roots(self, p: int, q: int) -> Sequence[MixedRoot]:
        if (p, q) not in self._roots_of:
            self._roots_of[p, q] = self._line.roots(self._difference(p, q))
        return self._roots_of[p, q]


def number_pairs(laws: Laws) -> set[tuple[int, int]]:
    """The numbers of p ≠ 0 and q of each outcome under each pair of distributions; alike ones once."""
    table = laws.table
    numbers: set[int] = set()
    for part in _parts_of(laws):
        p, q = part.numbers()
        numbers.update(np.unique(p * len(table.numbers) + q).tolist())
    return {(p, q) for p, q in (divmod(code, len(table.numbers)) for code in numbers) if p}


def _parts_of(laws: Laws) -> Iterator[Part]:
    return (part for _, left, right in laws.compared.blocks() for part in pairs_in_parts(laws.table, left, right))


def events_of(laws: Laws) -> set[tuple[tuple[int, int], ...]]:
    """For each pair of distributions, the numbers of p ≠ 0 and q of each outcome, in rising order; alike ones once."""
    table = laws.table
    events: set[tuple[tuple[int, int], ...]] = set()
    for part in _parts_of(laws):
        p, q = part.numbers()
        codes = np.where(p != 0, p * len(table.numbers) + q, -1)
        codes.sort(axis=1)
        for row in np.unique(codes, axis=0).tolist():
            events.add(tuple(divmod(code, len(table.numbers)) for code in row if code >= 0))
    return events


def _up_to_everything(spans: Iterable[Span]) -> set[Span]:
    """The different ones among `spans`, or as many of them as it takes until one is the whole interval."""
    results: set[Span] = set()
    for span in spans:
        results.add(span)
        if span == (None, None):
            return {span}
    return results
