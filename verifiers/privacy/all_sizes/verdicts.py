"""The verdict on a domain without end: by theorems, by regions, and for REFUTED by two databases."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.exact.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.exact.errors import InputError, MechanismError, Overtime, Undecided
from dpverify.mechanisms.exact.exact_numbers import Exact, exact
from dpverify.mechanisms.exact.symbolic_epsilon import number_of, symbol_in
from dpverify.mechanisms.laws.limits import Limits
from dpverify.mechanisms.laws.mechanism import Mechanism, exact_parameters, name_of
from dpverify.mechanisms.laws.noise_tree import forget_all
from dpverify.mechanisms.laws.substitution import Substitution
from dpverify.reports.numbers import counted
from dpverify.verifiers.privacy import verdict as verdicts  # of which some have names of other things here
from dpverify.verifiers.privacy.all_sizes import homogeneous_theorem
from dpverify.verifiers.privacy.all_sizes.decision import Proved, Violation, decide
from dpverify.verifiers.privacy.all_sizes.domains import Endless
from dpverify.verifiers.privacy.all_sizes.kinds_asked_for import kinds_asked_for
from dpverify.verifiers.privacy.all_sizes.laws import LawsOnCharts
from dpverify.verifiers.privacy.all_sizes.question import all_scores
from dpverify.verifiers.privacy.all_sizes.theorems import settled
from dpverify.verifiers.privacy.all_sizes.trying import Tried, Trying
from dpverify.verifiers.privacy.case import (
    Case,
    PairCount,
    PrivacyGuarantee,
    Repeating,
    case_of,
    never_repeated,
    parameters_for,
    repeated_here,
)
from dpverify.verifiers.privacy.enclosed import Enclosed, enclosed
from dpverify.verifiers.privacy.moves import Relation
from dpverify.verifiers.privacy.verdict import Basis, Refuted, Verdict, with_agreement

DecidedCase: TypeAlias = Callable[[Case, PrivacyGuarantee], Verdict]
"""Decides a case of a finite domain."""


def decided_for_all_sizes(
    mechanism: Mechanism,
    domain: Endless,
    neighbours: Relation,
    claim: PrivacyGuarantee,
    parameters: Mapping[str, Any] | None,
    limits: Limits,
    decided_case: DecidedCase,
    tried: bool = True,
) -> Verdict:
    """The verdict on a domain without end: by a theorem where one settles the claim, else region by region.

    Where it would be PROVED it is tried on real databases first, but where `tried` says otherwise, as of mutants.
    `decided_case` decides a case of a finite domain, here two neighbours. Raises `InputError` as `check_privacy` does.
    """
    given = parameters_for(mechanism, {**claim._asdict(), **domain.given}, parameters or {})
    symbol = symbol_in((*claim, given))
    if symbol is not None:
        claim, given = _with(Substitution(symbol, number_of(EpsilonSymbol(handed_out=True))), claim, given)
        symbol = symbol_in((*claim, given))
    scope = f"ALL pairs of neighbours ({name_of(neighbours)}) among ALL {domain.everything}"
    trying = Trying(mechanism, given, domain, neighbours, claim, limits, decided_case) if tried else None
    by_theorem = _decided_by_theorem(mechanism, given, domain, neighbours, claim, limits, scope, decided_case)
    if by_theorem is not None:
        scores = all_scores(domain, neighbours)
        assert scores is not None, "theorems speak of scores"
        return _once_tried(by_theorem, scope, None if trying is None else partial(trying.by_theorem, scores))

    asked = kinds_asked_for(mechanism, given)
    if asked.refused is not None:
        return _undecided(
            f"{asked.refused}: it may treat unknown numbers otherwise than known ones, which is not seen "
            "everywhere; claim it on databases up to a size, or leave that out",
            scope,
        )

    def on_pair(pair: Violation) -> Verdict | None:
        databases = [domain.whole(pair.left), domain.whole(pair.right)]
        if databases[0] == databases[1]:
            return None
        parameters = domain.parameters(given, pair.left)
        case = _of_two(mechanism, databases, parameters, claim, limits, repeated_here)
        return decided_case(case, claim)

    def fails(pair: Violation) -> bool:
        verdict = on_pair(pair)
        if isinstance(verdict, verdicts.Undecided):
            raise Undecided(verdict.reason)
        return isinstance(verdict, Refuted)

    laws_with = partial(LawsOnCharts, mechanism, domain=domain, limits=limits, places=asked.places)
    if symbol is not None:
        forget_all()
        of_cones = laws_with(given)
        cones = homogeneous_theorem.holds(of_cones, domain, neighbours, claim, symbol)
        if cones is not None:
            by_cones = _proved(
                f"no pair of neighbours needs more, by {homogeneous_theorem.NAME}: {counted(cones, 'cone')}",
                f"{scope}; by {homogeneous_theorem.NAME}",
            )
            return _once_tried(by_cones, scope, None if trying is None else partial(trying.by_cones, of_cones))

    def found_at(claim: PrivacyGuarantee, laws: LawsOnCharts) -> Proved | Violation:
        forget_all()
        return decide(domain.regions(neighbours), laws, claim, fails)

    laws = laws_with(given)
    try:
        found = found_at(claim, laws)
    except (Undecided, InputError) as doubt:
        if _is_of_the_mechanism(doubt, symbol):
            raise

        def found_with(claim: PrivacyGuarantee, given: Mapping[str, Any]) -> Proved | Violation:
            return found_at(claim, laws_with(given))

        violation = (
            None
            if symbol is None or isinstance(doubt, Overtime)
            else _violated_at_some_epsilon(found_with, symbol, claim, given)
        )
        if violation is None:
            return _undecided(str(doubt), scope)
        found = violation
    if isinstance(found, Violation):
        return _refuted(on_pair(found), scope)
    if not found.regions.starts:
        return verdicts.Vacuous(
            reason=f"no two databases are neighbours ({name_of(neighbours)}): nothing was put to the test, so choose a "
            "domain or a relation that has some",
            scope=scope,
            pairs=_NOT_COUNTED,
            basis=_OF_ALL,
        )
    count = f"{counted(found.cases, 'region')}, {counted(found.charts, 'law')}"
    reason = f"no pair of neighbours needs more, of whatever size: {count}"
    proved = with_agreement(_proved(reason, scope), claim, found.agree)
    return _once_tried(proved, scope, None if trying is None else partial(trying.by_regions, laws, found.regions))


def _is_of_the_mechanism(doubt: Undecided | InputError, symbol: EpsilonSymbol | None) -> bool:
    """Whether it says what is wrong with the mechanism, and not what is not decided; a time that is up is no fault."""
    if isinstance(doubt, Overtime):
        return False
    return isinstance(doubt, MechanismError) or (symbol is None and isinstance(doubt, InputError))


def _once_tried(verdict: Verdict, scope: str, trying: Callable[[], Tried] | None) -> Verdict:
    """A verdict that is PROVED after it was tried on real databases, and says so; others, and mutants', as they are.

    Raises `MechanismError` where a mechanism treats these otherwise than unknown numbers.
    """
    if not isinstance(verdict, verdicts.Proved) or trying is None:
        return verdict
    try:
        return replace(verdict, scope=f"{verdict.scope}; {trying()}")
    except Undecided as doubt:
        return _undecided(str(doubt), scope)


def _with(
    put: Substitution, claim: PrivacyGuarantee, given: Mapping[str, Any]
) -> tuple[PrivacyGuarantee, dict[str, Any]]:
    return PrivacyGuarantee(*map(put, claim)), exact_parameters(put(dict(given)))


_SOME_EPSILON: Final = (1, 4, Fraction(1, 4), 16, Fraction(1, 32))
"""Where a claim for every ε that is not decided may fail."""


def _violated_at_some_epsilon(
    found_at: Callable[[PrivacyGuarantee, Mapping[str, Any]], Proved | Violation],
    symbol: EpsilonSymbol,
    claim: PrivacyGuarantee,
    given: Mapping[str, Any],
) -> Violation | None:
    """Neighbours that violate a claim for every ε at one of some ε; None where none do, or that is not known."""
    for epsilon in _SOME_EPSILON:
        try:
            found = found_at(*_with(Substitution(symbol, exact(epsilon)), claim, given))
        except Undecided:
            continue
        if isinstance(found, Violation):
            return found
    return None


def _decided_by_theorem(
    mechanism: Mechanism,
    parameters: Mapping[str, Any],
    domain: Endless,
    neighbours: Relation,
    claim: PrivacyGuarantee,
    limits: Limits,
    scope: str,
    decided_case: DecidedCase,
) -> Verdict | None:
    """The verdict where a theorem settles the claim; None where none does."""

    def fails(other: Mechanism, given: Mapping[str, Any], claimed: PrivacyGuarantee, pair: Sequence[Hashable]) -> bool:
        try:
            verdict = decided_case(_of_two(other, pair, given, claimed, limits, never_repeated), claimed)
        except InputError as refusal:  # as of polynomials in e^ε of very many terms
            raise Undecided(str(refusal)) from None
        if isinstance(verdict, verdicts.Undecided):
            raise Undecided(verdict.reason)
        return isinstance(verdict, Refuted)

    try:
        found = settled(mechanism, parameters, domain, neighbours, claim, limits, fails)
    except Undecided as doubt:
        return _undecided(str(doubt), scope) if domain.by_theorems_alone else None
    if found is None:
        return None
    scope = f"{scope}; by {found.theorem}"
    if found.pair is not None:
        case = _of_two(mechanism, found.pair, parameters, claim, limits, repeated_here)
        return _refuted(decided_case(case, claim), scope)
    reason = f"no pair of neighbours needs more, by {found.theorem}"
    return replace(_proved(reason, scope), delta=_plain(found.delta), epsilon=_plain(found.epsilon))


def _of_two(
    mechanism: Mechanism,
    databases: Sequence[Hashable],
    parameters: Mapping[str, Any],
    claim: PrivacyGuarantee,
    limits: Limits,
    repeating: Repeating,
) -> Case:
    """The case of two databases, which are neighbours."""
    pair = list(databases)

    def the_other(database: Hashable) -> list[Hashable]:
        return [each for each in pair if each != database]

    return case_of(mechanism, pair, the_other, claim._asdict(), parameters, limits, repeating)


_OF_ALL: Final = Basis(case=None, for_all_sizes=True)
_NOT_COUNTED: Final = PairCount(0, 0, 0)


def _proved(reason: str, scope: str) -> verdicts.Proved:
    return verdicts.Proved(reason=reason, scope=scope, pairs=_NOT_COUNTED, basis=_OF_ALL)


def _undecided(reason: str, scope: str) -> verdicts.Undecided:
    return verdicts.Undecided(reason=reason, scope=scope, pairs=_NOT_COUNTED, basis=_OF_ALL)


def _refuted(verdict: Verdict | None, scope: str) -> Refuted:
    """The verdict that two neighbours give of a domain without end, which the finite checker has refuted."""
    assert isinstance(verdict, Refuted), "two neighbours violate the claim"
    basis = replace(verdict.basis, for_all_sizes=True)
    return replace(verdict, scope=f"{scope}; refuted on two of them", basis=basis)


def _plain(number: Exact | None) -> Enclosed | None:
    """A number as a verdict gives it; None where it depends on ε."""
    return None if number is None or number.symbol is not None else enclosed(number)
