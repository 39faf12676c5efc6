"""Deciding a privacy claim for all ε at once: probabilities as polynomials in z = e^(-ε/L), between 0 and 1.

Where the mechanism's answers depend on ε, as a threshold (1/ε)·ln(1/δ) makes them do, ε > 0 is cut into intervals on
which they do not, and the ends of these are decided one by one. On an interval a pair of laws violates its claim where
for some event F the polynomial Pr[F | D] − e^ε·Pr[F | D′] − δ is positive; the events to look at are those of the
outcomes that are positive together between two successive roots.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
from flint import fmpq, fmpz_poly

from dpverify.mechanisms.exact import decision, polynomial_form
from dpverify.mechanisms.exact.elementary import exp
from dpverify.mechanisms.exact.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.exact.errors import DependsOnEpsilon, InputError, MechanismError
from dpverify.mechanisms.exact.exact_numbers import ZERO, Exact, product
from dpverify.mechanisms.exact.real_roots import RealRoot, coefficients_beyond, in_order
from dpverify.mechanisms.exact.symbolic_epsilon import (
    number_of,
    polynomials_in_z,
    roots_within,
    sample,
    sign_of_denominator,
)
from dpverify.mechanisms.exact.symbols import Symbol
from dpverify.mechanisms.laws.enumerator import Enumeration
from dpverify.mechanisms.laws.mechanism import exact_parameters, name_of
from dpverify.mechanisms.laws.substitution import Substitution
from dpverify.verifiers.privacy.case import Case, Laws, PairCount, PrivacyClaim
from dpverify.verifiers.privacy.densities.every_epsilon import pure_on_interval
from dpverify.verifiers.privacy.epsilon_sets import EpsilonEnd, EpsilonInterval, Span, end_at, joined, union_of_spans
from dpverify.verifiers.privacy.hockey_stick import parts_of
from dpverify.verifiers.privacy.repetition import Law
from dpverify.verifiers.privacy.tabulation import AtOneEpsilon, Repeated, Tabulation, same_law, tabulate

MOST_CELLS: Final = 64
"""Intervals of ε on which a mechanism may answer differently; one with more is taken to have infinitely many."""


@dataclass(frozen=True)
class Found:
    """What is found for all ε: where the claim fails, and on how many intervals and single ε it was decided."""

    fails_at: tuple[EpsilonInterval, ...]
    count: PairCount
    in_every_order: int
    repeated: Repeated
    tight: bool
    """Whether some pair meets the claim with equality, for all ε of an interval."""
    agree: bool
    """Whether all neighbours have one and the same law, at every ε."""
    has_scaled: bool
    """As a tabulation has it."""
    parts: int
    """How many independent parts of an outcome were kept apart, at most."""


def decide_for_all(
    symbol: Symbol, claim: PrivacyClaim, case: Case, fails: Callable[[Case, Laws, PrivacyClaim], bool]
) -> Found:
    """The ε in the symbol's interval at which the claim fails; `fails` says so of the laws at a single ε.

    Raises `InputError` and `Undecided` as `check_privacy` does.
    """
    cells = _Cells(case, symbol)
    with case.repeating(case.subject) as repetition:
        tabulation = tabulate(case.subject, case.domain, cells.law, cells.at_one_epsilon, _same, repetition)
    found: list[EpsilonInterval] = []
    distinct, parts = 0, 0
    tight, agree = False, True
    for cell, piecewise in cells.common(tabulation.laws):
        try:
            laws = case.compared(Tabulation(piecewise, tabulation.databases_in_every_order), beyond=None)
        except DependsOnEpsilon as dependence:
            raise InputError(
                f"{name_of(case.mechanism)} releases noise whose scales are equal for some ε: {dependence}"
            ) from None
        put = cells.putting(cell)
        inner = replace(case, parameters=exact_parameters(put(case.parameters)))
        inner_claim = PrivacyClaim(*map(put, claim))
        distinct, parts = max(distinct, laws.distinct_pairs), max(parts, laws.parts)
        agree = agree and laws.agree
        if isinstance(cell, Exact):
            if fails(inner, laws, inner_claim):
                found.append(EpsilonInterval(EpsilonEnd(cell), EpsilonEnd(cell), (True, True)))
        elif laws.densities is not None:
            if decision.sign(inner_claim.delta) != 0:
                raise InputError("for a symbolic ε and released real numbers δ is 0 so far: give ε a value")
            pure = pure_on_interval(cell, piecewise, inner_claim.epsilon, case.densities)
            found += pure.fails_at
            tight = tight or pure.tight
        else:
            decided = _OnCell(cell, laws, inner_claim)
            found += decided.fails_at()
            tight = tight or decided.tight
    count = PairCount(len(case.pairs.left), distinct, case.pairs.outside)
    return Found(
        joined(found),
        count,
        tabulation.databases_in_every_order,
        tabulation.repeated,
        tight,
        agree,
        tabulation.has_scaled,
        parts,
    )


_Cell: TypeAlias = Symbol | Exact
"""An open interval of ε, or a single ε."""

_Piecewise: TypeAlias = Sequence[tuple[_Cell, Law]]
"""The law of one database on each of the cells, in rising order, that its questions make."""


class _Cells:
    """The cells into which the questions of a mechanism cut the interval of a symbol."""

    def __init__(self, case: Case, symbol: Symbol) -> None:
        self._case = case
        self._symbol = symbol
        self._made: dict[tuple[int | None, int | None], Symbol] = {}
        self._ends: list[Exact] = []
        self._samples: dict[Symbol, Exact] = {}
        self._substitutions: dict[tuple[Symbol, _Cell], Substitution] = {}

    def law(self, database: Hashable, enumeration: Enumeration) -> _Piecewise:
        """The law of the mechanism on a database, for every ε."""
        return self._law_on(self._interval(self._symbol.low, self._symbol.high), database, enumeration)

    def _law_on(self, cell: Symbol, database: Hashable, enumeration: Enumeration) -> _Piecewise:
        cell.refused = None
        try:
            law = self._law(cell, database, enumeration)
            if cell.refused is not None:
                raise cell.refused  # the mechanism has caught it
            self._compare_with_a_number(cell, database, law)
            return [(cell, law)]
        except DependsOnEpsilon as dependence:
            if dependence.symbol is not cell:
                raise InputError(
                    f"{name_of(self._case.mechanism)} was asked about a symbolic ε that it was not given: hand it what "
                    "depends on ε as a parameter, on its own or in tuples, lists and dicts"
                ) from None
            changes = list(map(self._end, dependence.at))
            if len(self._ends) > MOST_CELLS:
                raise InputError(
                    f"{name_of(self._case.mechanism)} on {database!r}: {dependence}; there are more than {MOST_CELLS} "
                    "such ε, and no end of them where a whole threshold rises while ε falls to 0: state δ as an exp of "
                    "symbolic, or give the threshold"
                ) from None
        pieces: list[tuple[_Cell, Law]] = []
        for low, high in pairwise([cell.low, *changes, cell.high]):
            pieces += self._law_on(self._interval(low, high), database, enumeration)
            if high is not None and high is not cell.high:
                pieces.append((high, self._law(high, database, enumeration)))
        return pieces

    def _compare_with_a_number(self, cell: Symbol, database: Hashable, law: Law) -> None:
        """Raises `MechanismError` where the mechanism does otherwise when it is given an ε of the cell as a number.

        The law at the number adds up to 1, or would not have been found; so does this one, therefore.
        """
        there = self._at_a_number(cell, law).law
        epsilon = self._samples[cell]
        if not same_law(there, self._law(epsilon, database, self._case.subject.enumeration())):
            raise MechanismError(
                f"{name_of(self._case.mechanism)} on {database!r} does otherwise for ε = {epsilon} than for a symbolic "
                "ε: let it add, multiply and compare its ε, and not ask for its type or catch errors"
            )

    def _at_a_number(self, cell: Symbol, law: Law) -> AtOneEpsilon:
        """A law on a cell at some ε of it."""
        if cell not in self._samples:
            self._samples[cell] = sample(cell)
        epsilon = self._samples[cell]
        return AtOneEpsilon(epsilon, self._putting(cell, epsilon)(law))

    def at_one_epsilon(self, piecewise: _Piecewise) -> AtOneEpsilon:
        """A law at some ε of its first cell."""
        cell, law = piecewise[0]
        assert isinstance(cell, Symbol), "an interval comes first"
        return self._at_a_number(cell, law)

    def _law(self, cell: _Cell, database: Hashable, enumeration: Enumeration) -> Law:
        parameters = exact_parameters(self.putting(cell)(self._case.parameters))
        return enumeration.law(self._case.mechanism, (database,), parameters)

    def putting(self, cell: _Cell) -> Substitution:
        """What puts a cell in the place of the symbol."""
        return self._putting(self._symbol, cell)

    def _putting(self, symbol: Symbol, cell: _Cell) -> Substitution:
        if (symbol, cell) not in self._substitutions:
            number = cell if isinstance(cell, Exact) else number_of(cell)
            self._substitutions[symbol, cell] = Substitution(symbol, number)
        return self._substitutions[symbol, cell]

    def _end(self, value: Exact) -> Exact:
        """The end that equals the value: one number for each."""
        for end in self._ends:
            if end == value:
                return end
        self._ends.append(value)
        return value

    def _interval(self, low: Exact | None, high: Exact | None) -> Symbol:
        key = (None if low is None else low.serial, None if high is None else high.serial)
        if key not in self._made:
            self._made[key] = Symbol(low, high, handed_out=True)
        return self._made[key]

    def common(self, laws: Sequence[_Piecewise]) -> Iterator[tuple[_Cell, list[Law]]]:
        """The cells that no question of any database cuts, in rising order, each with the laws on it."""
        ends = sorted(self._ends)
        around = [self._symbol.low, *ends, self._symbol.high]
        remaining = [list(reversed(pieces)) for pieces in laws]
        for low, high in pairwise(around):
            cell = self._interval(low, high)
            yield cell, [self._moved(*pieces[-1], cell) for pieces in remaining]
            if high is not None and high is not self._symbol.high:
                for pieces in remaining:
                    if _high_end(pieces[-1][0]) is high:
                        pieces.pop()
                yield high, [self._moved(*pieces[-1], high) for pieces in remaining]
                for pieces in remaining:
                    if pieces[-1][0] is high:
                        pieces.pop()

    def _moved(self, own: _Cell, law: Law, cell: _Cell) -> Law:
        """A law on a cell, as it is on a narrower one."""
        if own is cell:
            return law
        assert isinstance(own, Symbol), "a single ε has no narrower cell"
        narrowed: Law = self._putting(own, cell)(law)
        return narrowed


def _high_end(cell: _Cell) -> Exact | None:
    return cell.high if isinstance(cell, Symbol) else None


def _same(left: _Piecewise, right: _Piecewise) -> bool:
    if [cell for cell, _ in left] != [cell for cell, _ in right]:
        return False
    try:
        return all(same_law(mine, other) for (_, mine), (_, other) in zip(left, right, strict=True))
    except DependsOnEpsilon:  # equal for some ε alone
        return False


class _OnCell:
    """The claim on one interval of ε, on which every law is one function of ε."""

    def __init__(self, symbol: Symbol, laws: Laws, claim: PrivacyClaim) -> None:
        self._symbol = symbol
        self._laws = laws
        self.tight = False
        table = laws.table
        factor = exp(claim.epsilon)
        scaled = [product((factor, number)) for number in table.numbers]
        form = polynomial_form.polynomials([*table.numbers, *scaled, claim.delta])
        self._fineness = form.fineness(symbol.base)
        self._degree, polynomials = polynomials_in_z(form, symbol, sign_of_denominator(form, symbol))
        size = len(table.numbers)
        self._p, self._scaled_q, self._delta = polynomials[:size], polynomials[size:-1], polynomials[-1]
        # beyond[i] holds the coefficients by which Descartes' rule goes; they add up as the polynomials do
        self._p_beyond = [self._beyond(f) for f in self._p]
        self._q_beyond = [self._beyond(f) for f in self._scaled_q]
        self._roots_of: dict[tuple[int, int], list[RealRoot]] = {}

    def _beyond(self, f: fmpz_poly) -> list[int]:
        return coefficients_beyond(f, self._degree)

    def fails_at(self) -> list[EpsilonInterval]:
        """The ε of the interval at which some pair violates the claim, in rising order."""
        spans = union_of_spans(_up_to_everything(self._pure() if self._delta.degree() < 0 else self._approximate()))
        ends = (
            EpsilonEnd(ZERO if self._symbol.low is None else self._symbol.low),
            None if self._symbol.high is None else EpsilonEnd(self._symbol.high),
        )
        return [
            EpsilonInterval(
                ends[0] if high is None else end_at(high, self._fineness),
                ends[1] if low is None else end_at(low, self._fineness),
            )
            for low, high in reversed(spans)
        ]

    def _pure(self) -> Iterator[Span]:
        """Where for some outcome p > e^ε·q."""
        compared, table = self._laws.compared, self._laws.table
        pairs: set[int] = set()
        for part in parts_of(table, compared.left, compared.right):
            p, q = part.numbers()
            pairs.update(np.unique(p * len(table.numbers) + q).tolist())
        for code in pairs:
            yield from self._positive(*divmod(code, len(table.numbers)))

    def _positive(self, p: int, q: int) -> list[Span]:
        if self._never(p, q):
            self.tight = self.tight or (p != 0 and self._p_beyond[p] == self._q_beyond[q])
            return []
        return self._where_positive(self._p[p] - self._scaled_q[q])

    def _approximate(self) -> Iterator[Span]:
        """Where for some pair of laws the positive p − e^ε·q add up to more than δ."""
        compared, table = self._laws.compared, self._laws.table
        pairs: set[tuple[tuple[int, int], ...]] = set()
        for part in parts_of(table, compared.left, compared.right):
            p, q = part.numbers()
            codes = np.where(p != 0, p * len(table.numbers) + q, -1)
            codes.sort(axis=1)
            for row in np.unique(codes, axis=0).tolist():
                pairs.add(tuple(divmod(code, len(table.numbers)) for code in row if code >= 0))
        for summands in pairs:
            yield from self._exceeding(summands)

    def _exceeding(self, summands: Sequence[tuple[int, int]]) -> list[Span]:
        sometimes = [(p, q) for p, q in summands if not self._never(p, q)]
        roots = in_order([root for summand in sometimes for root in self._roots(*summand)])
        events = {
            tuple(sorted(summand for summand in sometimes if self._difference(*summand)(z) > 0))
            for z in self._between([None, *roots, None])
        }
        return [span for event in events for span in self._event_exceeding(event)]

    def _event_exceeding(self, event: Sequence[tuple[int, int]]) -> list[Span]:
        excess = fmpz_poly([0]) - self._delta
        for summand in event:
            excess += self._difference(*summand)
        if excess.degree() < 0:
            self.tight = True
            return []
        if max(self._beyond(excess)) <= 0:
            return []
        return self._where_positive(excess)

    def _difference(self, p: int, q: int) -> fmpz_poly:
        return self._p[p] - self._scaled_q[q]

    def _never(self, p: int, q: int) -> bool:
        return all(map(int.__le__, self._p_beyond[p], self._q_beyond[q]))

    def _roots(self, p: int, q: int) -> list[RealRoot]:
        if (p, q) not in self._roots_of:
            self._roots_of[p, q] = roots_within(self._difference(p, q), self._symbol, self._fineness)
        return self._roots_of[p, q]

    def _where_positive(self, f: fmpz_poly) -> list[Span]:
        ends = [None, *in_order(roots_within(f, self._symbol, self._fineness)), None]
        return [span for span, z in zip(pairwise(ends), self._between(ends), strict=True) if f(z) > 0]

    def _between(self, ends: Sequence[RealRoot | None]) -> list[fmpq]:
        """A rational z of the interval between any two successive ends, of which None are its own."""
        return [self._one_between(low, high) for low, high in pairwise(ends)]

    def _one_between(self, low: RealRoot | None, high: RealRoot | None) -> fmpq:
        precision = WORKING_PRECISION
        while True:
            left = self._inside(self._symbol.high, 0, precision) if low is None else low.high
            right = self._inside(self._symbol.low, 1, precision) if high is None else high.low
            if left < right:
                return (left + right) / 2
            precision *= 2
            for root in (low, high):
                if root is not None:
                    root.narrow()

    def _inside(self, epsilon: Exact | None, unbounded: int, precision: int) -> fmpq:
        """A rational on the inner side of e^(-ε/fineness), near it: above the least z for the largest ε."""
        if epsilon is None:
            return fmpq(unbounded)
        ball = enclosure(exp(-epsilon / self._fineness), precision)
        return (ball.lower() if unbounded else ball.upper()).fmpq()


def _up_to_everything(spans: Iterable[Span]) -> set[Span]:
    """The different ones among `spans`, or as many of them as it takes until one is the whole interval."""
    found: set[Span] = set()
    for span in spans:
        found.add(span)
        if span == (None, None):
            return {span}
    return found
