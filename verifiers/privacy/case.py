"""What a privacy claim speaks of: a mechanism with its parameters, and the pairs of neighbours of a domain."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from dpverify.mechanisms.exact.epsilon_symbol import DependsOnEpsilon
from dpverify.mechanisms.exact.errors import InputError, Undecided
from dpverify.mechanisms.exact.exact_numbers import ZERO, Exact, ExactLike, Term, exact, to_fraction
from dpverify.mechanisms.exact.shown import MOST_DIGITS, cut, is_long, shown
from dpverify.mechanisms.exact.symbolic_epsilon import simplest_between, symbol_in
from dpverify.mechanisms.exact.symbols import Symbol
from dpverify.mechanisms.laws.enumerator import Enumeration
from dpverify.mechanisms.laws.limits import Limits, checked_limits
from dpverify.mechanisms.laws.mechanism import Mechanism, name_of
from dpverify.mechanisms.laws.signatures import parameters_for as parameters_for  # noqa: PLC0414  # part of what this module offers
from dpverify.mechanisms.laws.substitution import Substitution
from dpverify.mechanisms.laws.symmetric import Symmetric
from dpverify.mechanisms.noise.law import ALL_NOISE
from dpverify.verifiers.privacy.compared import AnyCompared, Compared, ComparedAtEpsilon
from dpverify.verifiers.privacy.cuts import TwoKinds, with_returns
from dpverify.verifiers.privacy.densities.comparison import Densities, has_densities
from dpverify.verifiers.privacy.domains import BUILT_IN, Domain, Listed, Multisets, listed
from dpverify.verifiers.privacy.law_arrays import laws_together
from dpverify.verifiers.privacy.law_table import LawArray, LawTable, Missing, is_zero
from dpverify.verifiers.privacy.lumping import lumped
from dpverify.verifiers.privacy.moves import Relation
from dpverify.verifiers.privacy.neighbours import neighbouring_pairs
from dpverify.verifiers.privacy.pairs import NeighbouringPairs
from dpverify.verifiers.privacy.repetition import InThisProcess, Law, Repetition, Subject, can_fork, forked
from dpverify.verifiers.privacy.sharing import shared_out
from dpverify.verifiers.privacy.tabulation import (
    NOT_REPEATED,
    AtOneEpsilon,
    Repeated,
    Sharing,
    Tabulation,
    same_law,
    tabulate,
)
from dpverify.verifiers.readable import shown_parameter


@dataclass(frozen=True)
class PairCount:
    """Ordered pairs of neighbours: all of them, those of different laws counted once, and neighbours left out."""

    covered: int
    distinct: int
    outside: int


_LONGEST_PARAMETER: Final = 80
"""Characters of a parameter in a scope."""


class PrivacyGuarantee(NamedTuple):
    """ε ≥ 0 and δ in [0, 1]."""

    epsilon: Exact
    delta: Exact


def privacy_guarantee(epsilon: ExactLike, delta: ExactLike) -> PrivacyGuarantee:
    """The claim of (ε,δ)-privacy. Raises `InputError`, naming the argument, where one is out of range or not exact."""
    if symbol_in((epsilon, delta)) is not None:
        return _symbolic_claim(exact(epsilon, "epsilon"), exact(delta, "delta"))
    claim = PrivacyGuarantee(_plainly_zero(epsilon, "epsilon"), _plainly_zero(delta, "delta"))
    _refuse_out_of_range("epsilon", claim.epsilon)
    _refuse_out_of_range("delta", claim.delta)
    return claim


def _refuse_out_of_range(name: str, number: Exact) -> None:
    if name == "delta" and (number < 0 or number > 1):
        raise InputError(f"delta={cut(str(number))} is not between 0 and 1")
    if number < 0:
        raise InputError(f"epsilon={cut(str(number))} is negative: a privacy claim has epsilon ≥ 0")
    if number > _LARGEST_EPSILON:
        raise InputError(f"epsilon={cut(str(number))} is beyond {_LARGEST_EPSILON:,}: claim a smaller one")


def _symbolic_claim(epsilon: Exact, delta: Exact) -> PrivacyGuarantee:
    """A claim for all ε at once: neither number may be negative, and a δ above 1 at some ε claims nothing there."""
    for name, number in (("epsilon", epsilon), ("delta", delta)):
        if number.symbol is None:
            _refuse_out_of_range(name, number)
        elif _is_negative_somewhere(number, number.symbol):
            raise InputError(f"{name}={cut(str(number))} is negative, for some ε at least")
    return PrivacyGuarantee(epsilon, delta)


def _is_negative_somewhere(number: Exact, symbol: Symbol) -> bool:
    try:
        return number < 0
    except DependsOnEpsilon as dependence:
        ends = [ZERO, *dependence.at, None]
        samples = [simplest_between(low, high) for low, high in pairwise(ends) if low is not None]
        return any(Substitution(symbol, epsilon)(number) < 0 for epsilon in samples)


_LARGEST_EPSILON: Final = 1_000_000_000


def _plainly_zero(value: ExactLike, name: str) -> Exact:
    """`value` as an exact number, ZERO itself where it is 0 in disguise."""
    number = exact(value, name)
    if isinstance(number, Term) and is_long(to_fraction(number.coefficient)):
        raise InputError(f"{name} has more than {MOST_DIGITS:,} digits: round it to fewer")
    try:
        return ZERO if number == 0 else number
    except Undecided as doubt:
        raise InputError(f"{name}={cut(str(number))} may be 0 or not: {doubt}") from None


Repeating: TypeAlias = Callable[[Subject], AbstractContextManager[Repetition | None]]
"""Makes ready whoever computes the laws of a subject a second time, before they are computed first."""


def repeated_here(subject: Subject) -> AbstractContextManager[Repetition]:
    """Who repeats without being told otherwise: a forked process, or where there is none, this one."""
    return forked(subject) if can_fork() else nullcontext(InThisProcess(subject))


def never_repeated(_: Subject) -> AbstractContextManager[None]:
    """Nobody."""
    return nullcontext()


@dataclass(frozen=True)
class Case:
    """What a claim speaks of: a mechanism with its parameters, and the pairs of neighbours of a domain."""

    mechanism: Mechanism
    parameters: Mapping[str, Any]
    databases: Sequence[Hashable]
    domain: Domain
    neighbours: Relation
    pairs: NeighbouringPairs
    limits: Limits
    repeating: Repeating
    share: Fraction = ALL_NOISE
    """How much of its noise the mechanism is left, which nobody repeats but at 1."""

    @property
    def tabulated_domain(self) -> Domain:
        """The domain that holds the databases of `subject`."""
        return self.domain

    @property
    def number_of_databases(self) -> int:
        """How many databases a verdict speaks of."""
        return len(self.databases)

    def counted(self, distinct: int) -> PairCount:
        """The pairs that a verdict speaks of, `distinct` of which have different laws."""
        return PairCount(self.pairs.count, distinct, self.pairs.outside)

    @property
    def said_of_symmetry(self) -> str:
        """Which pairs were decided, in words, of a mechanism that is symmetric by construction; empty of others."""
        if not isinstance(self.mechanism, Symmetric):
            return ""
        return f"every pair decided, as {self.mechanism.under} are not known to leave domain and neighbours as they are"

    @property
    def subject(self) -> Subject:
        """What is enumerated, and repeated."""
        return Subject(self.mechanism, self.parameters, self.databases, self.limits, self.share)

    def scope(
        self, count: PairCount, in_every_order: int = 0, repeated: Repeated = NOT_REPEATED, parts: int = 0
    ) -> str:
        """What a verdict covers, in words; `parts` is how many of an outcome were kept apart at most."""
        said = [
            f"all {count.covered:,} ordered pairs of neighbours ({name_of(self.neighbours)}) among the "
            f"{self.number_of_databases:,} databases of {shown(self.domain, _LONGEST_PARAMETER)}"
        ]
        if self.said_of_symmetry:
            said.append(self.said_of_symmetry)
        if self.parameters:
            said.append(
                "with "
                + ", ".join(
                    f"{name}={cut(shown_parameter(value), _LONGEST_PARAMETER)}"
                    for name, value in self.parameters.items()
                )
            )
        if count.outside:
            said.append(f"{count.outside:,} neighbours outside the domain left out")
        if isinstance(self.tabulated_domain, Multisets):
            said.append(f"every order of the rows run for {in_every_order:,} of the multisets")
        if parts:
            said.append(f"up to {parts:,} independent parts of an outcome kept apart, their losses added up")
        said.append(f"laws {repeated}")
        said.append("what files, clocks and foreign code do is not seen")
        return "; ".join(said)

    def law(self, database: Hashable, enumeration: Enumeration) -> Law:
        """The law of the mechanism on a database."""
        return enumeration.law(self.mechanism, (database,), self.parameters)

    @property
    def sharing(self) -> Sharing[Law]:
        """Who finds the laws."""
        return shared_out

    def tabulated(self) -> Laws:
        """The laws on all databases, and which of them are compared. Raises as `check_privacy` does."""
        with self.repeating(self.subject) as repetition:
            return self.compared(
                tabulate(
                    self.subject,
                    self.tabulated_domain,
                    self.law,
                    partial(AtOneEpsilon, None),
                    same_law,
                    repetition,
                    partial(laws_together, self.subject),
                    self.sharing,
                )
            )

    def densities(self, laws: Sequence[Law]) -> Densities:
        """The pairs of laws, some with real numbers, that are compared."""
        return Densities(self._lumped(laws, None), self.pairs)

    def _lumped(self, laws: Sequence[Law], beyond: int | None) -> Sequence[Law]:
        try:
            return lumped(laws, self.limits, beyond)
        except TwoKinds as error:
            raise with_returns(self.mechanism, error) from None

    def compared(self, tabulation: Tabulation[Law], beyond: int | None = 1) -> Laws:
        """The laws of a tabulation, and which of them are compared; `beyond` as for `lumped`."""
        laws = tabulation.laws
        if not isinstance(laws, LawArray):
            laws = self._lumped(laws, beyond)
        if not isinstance(laws, LawArray) and has_densities(laws):
            densities = Densities(laws, self.pairs)
            none = np.zeros(0, dtype=np.int64)
            return Laws(
                tabulation, LawTable([]), ComparedAtEpsilon(none, none, densities.of_pair, self.pairs), densities
            )
        table = LawTable(laws)
        return Laws(tabulation, table, Compared(table.law_of, len(table.rows), self.pairs))


def case_of(
    mechanism: Mechanism,
    domain: Domain,
    neighbours: Relation,
    claim: Mapping[str, Exact],
    parameters: Mapping[str, Any] | None,
    limits: Limits | None,
    repeating: Repeating = repeated_here,
) -> Case:
    """The case of a mechanism on a domain; `claim` are the epsilon and delta that it is given where it names them.

    `repeating` says who computes laws a second time.

    Raises `InputError` as `check_privacy` does.
    """
    if parameters is not None and not isinstance(parameters, Mapping):
        raise InputError(f"parameters={shown(parameters)} is not a mapping: write parameters={{'name': value}}")
    if not callable(mechanism):
        what = shown(mechanism)
        if " at 0x" in what.lower():  # which says nothing, and another thing each time
            what = f"an object of {type(mechanism).__qualname__}"
        raise InputError(
            f"mechanism={what} is not a function: give mechanism(draw, database, **parameters), whose chance is drawn"
        )
    limits = checked_limits(limits)
    databases = listed(domain, limits.databases)
    space = domain if isinstance(domain, BUILT_IN) else Listed(databases, domain)
    return Case(
        mechanism,
        parameters_for(mechanism, claim, parameters or {}),
        databases,
        space,
        neighbours,
        neighbouring_pairs(databases, space, neighbours, limits),
        limits,
        repeating,
    )


def all_agree(table: LawTable, compared: AnyCompared) -> bool:
    """Whether all neighbours have one law, in whatever terms: 1 and the sum of all paths, as where nothing is returned.

    Of most mechanisms the first probability of the first pair tells them apart.
    """
    return all(
        _agree(table, i, j)
        for _, left, right in compared.blocks()
        for i, j in zip(left.tolist(), right.tolist(), strict=True)
    )


def _agree(table: LawTable, left: int, right: int) -> bool:
    mine, others = dict(table.rows[left]), dict(table.rows[right])
    try:
        return all(
            is_zero(table.numbers[mine.get(column, 0)] - table.numbers[others.get(column, 0)])
            for column in {**mine, **others}
        )
    except Undecided:  # not known to be one
        return False


class Laws(NamedTuple):
    """The laws of a case: how they came about, their table, and the pairs of different ones.

    Where real numbers are released there are `densities`, and table and pairs are those of one ε: see `at`.
    """

    tabulation: Tabulation[Law]
    table: LawTable
    compared: AnyCompared
    densities: Densities | None = None

    @property
    def distinct_pairs(self) -> int:
        """How many pairs of different laws there are; those that compare alike are one."""
        return self.compared.count if self.densities is None else len(self.densities.pairs)

    @property
    def parts(self) -> int:
        """How many independent parts of an outcome are kept apart, at most; 0 where all laws are in full."""
        return 0 if self.densities is None else self.densities.parts

    @property
    def agree(self) -> bool:
        """Whether all neighbours have one law, in whatever terms."""
        return all_agree(self.table, self.compared) if self.densities is None else self.densities.agree

    def at(self, epsilon: Exact) -> tuple[Laws, Missing | None]:
        """The laws as a table at one ε, and what that leaves out of each pair; None where nothing is left out."""
        if self.densities is None:
            return self, None
        found = self.densities.at(epsilon)
        assert isinstance(self.compared, ComparedAtEpsilon), "densities are compared at one ε"
        compared = replace(self.compared, left=found.left, right=found.right)
        return self._replace(table=found.table, compared=compared), found.missing
