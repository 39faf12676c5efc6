"""Deciding (ε,δ)-differential privacy on every pair of neighbours of a domain."""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import FunctionType
from typing import Any, Final, NamedTuple

import numpy as np

from dpverify.mechanisms.elementary import exp, log
from dpverify.mechanisms.enclosure import decimal
from dpverify.mechanisms.enumerator import Enumeration
from dpverify.mechanisms.errors import InputError, MechanismError, Undecided
from dpverify.mechanisms.exact_numbers import ZERO, Exact, ExactLike, exact, simplified
from dpverify.mechanisms.limits import Limits, checked_limits
from dpverify.mechanisms.mechanism import Mechanism, exact_parameters, name_of
from dpverify.reports.record import Status
from dpverify.verifiers.domains import BUILT_IN, Domain, Listed, Multisets, ScoreSpace, listed
from dpverify.verifiers.enclosed import Enclosed, enclosed
from dpverify.verifiers.hockey_stick import HockeyStick, Mask, largest_ratio
from dpverify.verifiers.law_table import Ids, LawTable
from dpverify.verifiers.lumping import lumped
from dpverify.verifiers.neighbours import NeighbouringPairs, Relation, neighbouring_pairs, replace_one
from dpverify.verifiers.reproduction import reproducing_line
from dpverify.verifiers.tabulation import tabulate
from dpverify.verifiers.witness import Witness, smallest_event


@dataclass(frozen=True)
class PairCount:
    """Ordered pairs of neighbours: all of them, those of different laws counted once, and neighbours left out."""

    covered: int
    distinct: int
    outside: int


@dataclass(frozen=True)
class Verdict:
    """What is decided of a privacy claim on a domain.

    `delta` is the worst δ at the claimed ε, `epsilon` the exact pure ε on the domain, None where it is infinite. Where
    the status is UNDECIDED, `delta` is bounds or None, and `epsilon` is None. `worst` is the first pair of databases
    that attains `delta`, None where that is 0.
    """

    status: Status
    reason: str
    scope: str
    delta: Enclosed | None
    epsilon: Enclosed | None
    worst: tuple[Hashable, Hashable] | None
    witness: Witness | None
    pairs: PairCount
    databases: int


def check_privacy(
    mechanism: Mechanism,
    domain: Domain,
    neighbours: Relation = replace_one,
    *,
    epsilon: ExactLike,
    delta: ExactLike = 0,
    parameters: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
) -> Verdict:
    """Decide Pr[M(D) ∈ F] ≤ e^ε·Pr[M(D′) ∈ F] + δ for all events F and all neighbours D, D′ of the domain.

    `epsilon` ≥ 0 and 0 ≤ `delta` ≤ 1 are the claim. The mechanism is given them under these names where its signature
    has them, unless `parameters` says otherwise: a mechanism run at ε can be claimed at 2ε. The verdict is PROVED or
    REFUTED, with the smallest witness in the domain's order; UNDECIDED, with the reason, where a sign has no complete
    test. Raises `InputError`, naming the argument, for bad input: a float, a claim out of range, an empty domain or one
    without neighbours, and a mechanism that raises, is not deterministic, does not end, or depends on the order of the
    rows of a multiset.
    """
    claim = privacy_claim(epsilon, delta)
    if parameters is not None and not isinstance(parameters, Mapping):
        raise InputError(f"parameters={parameters!r} is not a mapping: write parameters={{'name': value}}")
    if not callable(mechanism):
        raise InputError(f"mechanism={mechanism!r} is not a function: give mechanism(draw, database, **parameters)")
    limits = checked_limits(limits)
    databases = listed(domain, limits.databases)
    space = domain if isinstance(domain, BUILT_IN) else Listed(databases, domain)
    case = _Case(
        mechanism,
        parameters_for(mechanism, claim, parameters or {}),
        databases,
        space,
        neighbours,
        neighbouring_pairs(databases, space, neighbours),
        limits,
    )
    try:
        return _decide(case, claim)
    except Undecided as doubt:
        count = PairCount(len(case.pairs.left), 0, case.pairs.outside)
        return Verdict(Status.UNDECIDED, str(doubt), case.scope(count), None, None, None, None, count, len(databases))


_LONGEST_PARAMETER: Final = 80
"""Characters of a parameter in a scope."""


class PrivacyClaim(NamedTuple):
    """ε ≥ 0 and δ in [0, 1]."""

    epsilon: Exact
    delta: Exact


def privacy_claim(epsilon: ExactLike, delta: ExactLike) -> PrivacyClaim:
    """The claim of (ε,δ)-privacy. Raises `InputError`, naming the argument, where one is out of range or not exact."""
    claim = PrivacyClaim(_plainly_zero(epsilon, "epsilon"), _plainly_zero(delta, "delta"))
    if claim.epsilon < 0:
        raise InputError(f"epsilon={_shortened(str(claim.epsilon))} is negative: a privacy claim has epsilon ≥ 0")
    if claim.epsilon > _LARGEST_EPSILON:
        raise InputError(
            f"epsilon={_shortened(str(claim.epsilon))} is beyond {_LARGEST_EPSILON:,}: claim a smaller one"
        )
    if claim.delta < 0 or claim.delta > 1:
        raise InputError(f"delta={_shortened(str(claim.delta))} is not between 0 and 1")
    return claim


_LARGEST_EPSILON: Final = 1_000_000


def _plainly_zero(value: ExactLike, name: str) -> Exact:
    """`value` as an exact number, ZERO itself where it is 0 in disguise."""
    number = exact(value, name)
    try:
        return ZERO if number == 0 else number
    except Undecided as doubt:
        raise InputError(f"{name}={_shortened(str(number))} may be 0 or not: {doubt}") from None


@dataclass(frozen=True)
class _Case:
    """What a claim speaks of: a mechanism with its parameters, and the pairs of neighbours of a domain."""

    mechanism: Mechanism
    parameters: Mapping[str, Any]
    databases: Sequence[Hashable]
    domain: Domain
    neighbours: Relation
    pairs: NeighbouringPairs
    limits: Limits

    def scope(self, count: PairCount, in_every_order: int = 0) -> str:
        """What a verdict covers, in words."""
        parts = [
            f"all {count.covered:,} ordered pairs of neighbours ({name_of(self.neighbours)}) among the "
            f"{len(self.databases):,} databases of {_shortened(repr(self.domain))}"
        ]
        if self.parameters:
            parts.append(
                "with "
                + ", ".join(f"{name}={_shortened(shown_parameter(value))}" for name, value in self.parameters.items())
            )
        if count.outside:
            parts.append(f"{count.outside:,} neighbours outside the domain left out")
        if isinstance(self.domain, Multisets):
            parts.append(f"every order of the rows run for {in_every_order:,} of the multisets")
        return "; ".join(parts)


def shown_parameter(value: Any) -> str:
    """A parameter of a mechanism for people: exact numbers in mathematical notation, functions by their name."""
    if isinstance(value, Fraction | Exact):
        return str(value)
    return name_of(value) if isinstance(value, FunctionType) else repr(value)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_PARAMETER else f"{text[: _LONGEST_PARAMETER - 1]}…"


class _Compared(NamedTuple):
    """The pairs of different laws that occur, and which of them each pair of databases has: -1 for equal laws."""

    left: Ids
    right: Ids
    of_pair: Ids


def _compared(table: LawTable, pairs: NeighbouringPairs) -> _Compared:
    left, right = table.law_of[pairs.left], table.law_of[pairs.right]
    different = np.flatnonzero(left != right)
    codes, where = np.unique(left[different] * len(table.rows) + right[different], return_inverse=True)
    of_pair = np.full(len(left), -1, dtype=np.int64)
    of_pair[different] = where
    return _Compared(codes // len(table.rows), codes % len(table.rows), of_pair)


def _decide(case: _Case, claim: PrivacyClaim) -> Verdict:
    tabulation = tabulate(case.mechanism, case.databases, case.domain, case.parameters, case.limits)
    table = LawTable(lumped(tabulation.laws, case.limits.outcomes))
    compared = _compared(table, case.pairs)
    stick = HockeyStick(table, compared.left, compared.right, claim.epsilon)
    violating, undecided = stick.violating(claim.delta)
    worst_delta, attaining = stick.worst()
    ratio = largest_ratio(table, compared.left, compared.right)
    count = PairCount(len(case.pairs.left), len(compared.left), case.pairs.outside)
    delta = enclosed(worst_delta, summands_undecided=len(stick.doubts))
    epsilon = None if ratio is None else enclosed(_log_ratio(*ratio, claim.epsilon))
    witness = None
    if violating.any():
        status, reason = Status.REFUTED, f"a pair of neighbours needs δ ≥ {decimal(worst_delta)} at this ε"
        at, i = _first(violating, case.pairs, compared)
        witness = _witness(case, claim, at, *smallest_event(stick, table, i, claim.delta))
    elif undecided.any():
        status, reason = Status.UNDECIDED, "; ".join(dict.fromkeys(stick.doubts))
        epsilon = None
    else:
        status, reason = Status.PROVED, f"no pair of neighbours needs more than δ = {decimal(worst_delta)} at this ε"
    if not count.distinct:
        reason += "; all neighbours have one and the same law: choose a domain on which the mechanism tells them apart"
    return Verdict(
        status,
        reason,
        case.scope(count, tabulation.databases_in_every_order),
        delta,
        epsilon,
        None if worst_delta == 0 else _databases(case, _first(attaining, case.pairs, compared)[0]),
        witness,
        count,
        len(case.databases),
    )


def _first(chosen: Mask, pairs: NeighbouringPairs, compared: _Compared) -> tuple[int, int]:
    """The pair of databases that comes first in the domain among those with a chosen pair of laws, and the latter.

    A pair comes where its later database comes, then where its earlier one does.
    """
    flagged = np.flatnonzero((compared.of_pair >= 0) & chosen[compared.of_pair])
    left, right = pairs.left[flagged], pairs.right[flagged]
    first = flagged[np.lexsort((left, np.minimum(left, right), np.maximum(left, right)))[0]]
    return int(first), int(compared.of_pair[first])


def _databases(case: _Case, at: int) -> tuple[Hashable, Hashable]:
    return case.databases[case.pairs.left[at]], case.databases[case.pairs.right[at]]


def _witness(case: _Case, claim: PrivacyClaim, at: int, event: tuple[Any, ...], p: Exact, q: Exact) -> Witness:
    left, right = _databases(case, at)
    for database, probability in ((left, p), (right, q)):
        again = Enumeration(case.limits).law(case.mechanism, (database,), case.parameters)
        if again.probability(*event) != probability:
            raise MechanismError(
                f"{name_of(case.mechanism)} on {database!r} is not deterministic: the witness's probability was "
                "another one when computed again; let all chance come from `draw`, and keep nothing between calls"
            )
    line = reproducing_line(case.mechanism, case.parameters, (left, right), event, *claim)
    return Witness(left, right, event, p, q, *claim, line, _lifted(case.domain, left, right))


def _lifted(domain: Domain, left: Hashable, right: Hashable) -> str | None:
    """The databases and the quality function that neighbouring score vectors stand for."""
    if not isinstance(domain, ScoreSpace):
        return None
    return (
        f"lifted: one-row databases a, b with the sensitivity-1 quality q((a,), h) = {left}[h], q((b,), h) = {right}[h]"
    )


def _log_ratio(p: Exact, q: Exact, epsilon: Exact) -> Exact:
    """ln(p/q); the claimed ε itself where it is that, as for a mechanism that meets its claim with equality."""
    return epsilon if p == exp(epsilon) * q else log(simplified(p / q))


def parameters_for(mechanism: Mechanism, claim: PrivacyClaim, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What the mechanism is given: epsilon and delta of the claim where it names them, and `parameters` above all.

    Raises `InputError` for a parameter that it does not have, or one that it has and is not given.
    """
    try:
        accepted = list(inspect.signature(mechanism).parameters.values())[2:]
    except (TypeError, ValueError):
        return exact_parameters(parameters)
    names = {parameter.name for parameter in accepted if parameter.kind is not parameter.VAR_KEYWORD}
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in accepted)
    unknown = sorted(set(parameters) - names)
    if unknown and not open_ended:
        raise InputError(
            f"{name_of(mechanism)} has no parameter {', '.join(unknown)}: it has {', '.join(sorted(names))}"
        )
    given = {**{name: value for name, value in claim._asdict().items() if name in names}, **parameters}
    missing = [parameter.name for parameter in accepted if _needed(parameter) and parameter.name not in given]
    if missing:
        raise InputError(
            f"{name_of(mechanism)} needs {', '.join(missing)}: give parameters={{'{missing[0]}': …}}, or --param "
            f"{missing[0]}=… on the command line"
        )
    return exact_parameters(given)


def _needed(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty and parameter.kind not in (
        parameter.VAR_KEYWORD,
        parameter.VAR_POSITIONAL,
    )
