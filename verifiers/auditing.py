"""Auditing claims: each is decided, its mutant is tried, and what was found becomes a record."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from inspect import getdoc
from typing import Final

from dpverify.mechanisms.enclosure import decimal
from dpverify.mechanisms.errors import InputError, Undecided
from dpverify.mechanisms.exact_numbers import exact
from dpverify.mechanisms.mechanism import Mechanism, name_of
from dpverify.mechanisms.symbolic_epsilon import symbol_in
from dpverify.reports.record import (
    SCHEMA_VERSION,
    AuditRecord,
    ClaimResult,
    ForAllEpsilon,
    MutantResult,
    ProfilePiece,
    Status,
    SweepPoint,
)
from dpverify.verifiers.case import Laws, privacy_claim, shown_parameter
from dpverify.verifiers.claims import Claim
from dpverify.verifiers.domains import Domain
from dpverify.verifiers.enclosed import Enclosed, enclosed
from dpverify.verifiers.neighbour_matrix import grows
from dpverify.verifiers.privacy import check_privacy
from dpverify.verifiers.profile import profile_of
from dpverify.verifiers.verdict import Verdict
from dpverify.verifiers.witness import readable

OnResult = Callable[[int, ClaimResult], None]


class AuditError(InputError):
    """Claims whose input is bad, each named in `errors`; `record` holds what was found of the others."""

    def __init__(self, errors: Sequence[str], record: AuditRecord) -> None:
        super().__init__("; ".join(errors))
        self.errors = tuple(errors)
        self.record = record


def audit(claims: Sequence[Claim], *, jobs: int = 1, on_result: OnResult | None = None) -> AuditRecord:
    """Decide every claim, `jobs` at a time, each in a process of its own where jobs > 1.

    `on_result` is called with the number of results so far and each result, in the order of the claims. Raises
    `AuditError`, an `InputError`, when all others are decided, where claims cannot be because their input is bad.
    """
    results: list[ClaimResult] = []
    errors: list[str] = []
    for result in _results(claims, jobs):
        if isinstance(result, InputError):
            errors.append(str(result))
        else:
            results.append(result)
            if on_result is not None:
                on_result(len(results), result)
    record = AuditRecord(SCHEMA_VERSION, installed_version(), results)
    if errors:
        raise AuditError(errors, record)
    return record


def installed_version() -> str:
    """The version of dpverify that runs."""
    try:
        return version("dpverify")
    except PackageNotFoundError:
        return "not installed"


def decide(claim: Claim, mechanism: Mechanism | None = None) -> Verdict:
    """The verdict on a claim, or on the claim with another mechanism in its place."""
    try:
        return check_privacy(
            mechanism or claim.mechanism,
            claim.domain,
            claim.neighbours,
            epsilon=claim.epsilon,
            delta=claim.delta,
            parameters=claim.parameters,
            limits=claim.limits,
        )
    except InputError as error:
        raise InputError(f"{claim.id}: {error}") from error


def result_of(claim: Claim, verdict: Verdict | None = None) -> ClaimResult:
    """The record of a claim: its verdict, unless it is known, and that of its mutant."""
    verdict = verdict or decide(claim)
    mutant = None
    if claim.mutant is not None:
        mutant = MutantResult(name_of(claim.mutant), _first_line(claim.mutant), decide(claim, claim.mutant).status)
    epsilon, delta = privacy_claim(claim.epsilon, claim.delta)
    for_all = _for_all_epsilon(claim, verdict)
    sweep = [(size, _found_at(claim, claim.sweep[size])) for size in sorted(claim.sweep)]
    return ClaimResult(
        id=claim.id,
        kind="privacy",
        source=claim.source,
        statement=claim.statement,
        mechanism=name_of(claim.mechanism),
        # by name, as the JSON form has them, so that an audit that is read back is rendered as it was
        parameters={name: shown_parameter(value) for name, value in sorted(claim.parameters.items())},
        domain=repr(claim.domain),
        neighbours=name_of(claim.neighbours),
        epsilon=None if for_all is not None else enclosed(epsilon).quantity,
        delta=None if for_all is not None else enclosed(delta).quantity,
        for_all_epsilon=for_all,
        expected=claim.expected,
        verdict=verdict.status,
        reason=verdict.reason,
        scope=verdict.scope,
        databases=verdict.databases,
        pairs=verdict.pairs.covered,
        distinct_pairs=verdict.pairs.distinct,
        skipped_neighbours=verdict.pairs.outside,
        exact_epsilon=None if verdict.epsilon is None else verdict.epsilon.quantity,
        exact_delta=None if verdict.delta is None else verdict.delta.quantity,
        worst_pair=None if verdict.worst is None else [readable(database) for database in verdict.worst],
        profile=None if verdict.laws is None else _profile(verdict.laws),
        sweep=[SweepPoint(size, None if number is None else number.quantity) for size, number in sweep],
        grows=grows([None if number is None else number.exact for _, number in sweep]) if sweep else False,
        witness=None if verdict.witness is None else verdict.witness.record,
        mutant=mutant,
    )


def _for_all_epsilon(claim: Claim, verdict: Verdict) -> ForAllEpsilon | None:
    epsilon, delta = privacy_claim(claim.epsilon, claim.delta)
    if symbol_in((epsilon, delta, dict(claim.parameters))) is None:
        return None
    fails_at = None if verdict.fails_at is None else [interval.record for interval in verdict.fails_at]
    return ForAllEpsilon(str(epsilon), str(delta), fails_at)


def _found_at(claim: Claim, domain: Domain) -> Enclosed | None:
    """The exact ε of a claim's mechanism on another domain, or the worst δ where the claimed δ is not 0."""
    verdict = decide(replace(claim, domain=domain))
    if verdict.status is Status.UNDECIDED:
        raise InputError(f"{claim.id}: nothing was found on {domain!r} of its sweep: {verdict.reason}")
    return verdict.epsilon if exact(claim.delta) == 0 else verdict.delta


_MOST_PAIRS_FOR_A_PROFILE: Final = 2_000
"""Distinct pairs of laws up to which an audit computes the privacy profile as well."""


def _profile(laws: Laws) -> list[ProfilePiece] | None:
    if len(laws.compared.left) > _MOST_PAIRS_FOR_A_PROFILE:
        return None
    try:
        pieces = profile_of(laws).pieces
        return [
            ProfilePiece(
                decimal(piece.low),
                None if piece.high is None else decimal(piece.high),
                decimal(piece.p),
                decimal(piece.q),
            )
            for piece in pieces
        ]
    except Undecided:
        return None


# A forked worker finds the claims here: they hold functions, which do not all travel between processes.
_claims_of_workers: Sequence[Claim] = ()


def _results(claims: Sequence[Claim], jobs: int) -> Iterator[ClaimResult | InputError]:
    if jobs < 1:
        raise InputError(f"jobs={jobs} is not a number of processes ≥ 1")
    if jobs == 1 or len(claims) < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(_attempted, claims)
        return
    global _claims_of_workers  # noqa: PLW0603
    _claims_of_workers = claims
    with ProcessPoolExecutor(min(jobs, len(claims)), multiprocessing.get_context("fork")) as pool:
        yield from pool.map(_result_at, range(len(claims)))


def _result_at(i: int) -> ClaimResult | InputError:
    return _attempted(_claims_of_workers[i])


def _attempted(claim: Claim) -> ClaimResult | InputError:
    try:
        return result_of(claim)
    except InputError as error:
        return InputError(str(error))  # without its traceback, which does not travel between processes


def _first_line(mechanism: Mechanism) -> str:
    return (getdoc(mechanism) or "").partition("\n")[0].removeprefix("Mutant: ")
