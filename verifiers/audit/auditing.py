"""Auditing claims: each is decided, its mutant is tried, and what was found becomes a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from inspect import getdoc
from typing import Final

from dpverify.mechanisms.exact.enclosure import decimal
from dpverify.mechanisms.exact.errors import InputError, Undecided
from dpverify.mechanisms.exact.exact_numbers import exact
from dpverify.mechanisms.exact.shown import one_line
from dpverify.mechanisms.exact.symbolic_epsilon import symbol_in
from dpverify.mechanisms.laws.mechanism import Mechanism, name_of
from dpverify.reports.record import (
    SCHEMA_VERSION,
    AuditRecord,
    ClaimResult,
    ForAllEpsilon,
    MutantResult,
    NotDecided,
    ProfilePiece,
    Status,
    SweepPoint,
    storable,
)
from dpverify.verifiers.audit import another_interpreter
from dpverify.verifiers.audit.another_interpreter import repeated_elsewhere
from dpverify.verifiers.audit.attempts import Attempts
from dpverify.verifiers.privacy.case import Laws, never_repeated, privacy_claim, shown_parameter
from dpverify.verifiers.privacy.checker import decided
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.privacy.domains import Domain
from dpverify.verifiers.privacy.enclosed import Enclosed, enclosed
from dpverify.verifiers.privacy.nearby import refuted_nearby
from dpverify.verifiers.privacy.neighbour_matrix import grows
from dpverify.verifiers.privacy.profile import profile_of
from dpverify.verifiers.privacy.verdict import Verdict
from dpverify.verifiers.privacy.witness import readable

OnResult = Callable[[int, ClaimResult | NotDecided], None]


class Interrupted(KeyboardInterrupt):
    """An audit that was interrupted; `record` holds what was decided by then."""

    def __init__(self, record: AuditRecord) -> None:
        super().__init__("interrupted")
        self.record = record


def audit(
    claims: Sequence[Claim],
    *,
    jobs: int = 1,
    timeout: float | None = None,
    recheck: bool = True,
    strict: bool = False,
    on_result: OnResult | None = None,
) -> AuditRecord:
    """Decide every claim, `jobs` at a time, each in a process forked for it (on Windows: in this one).

    Claims that cannot be decided are rows of the record: their input is bad, their mechanism does not return in time or
    ends its process, or the `timeout`, in seconds for all of them, was up. `recheck=False` computes laws once only, and
    with `strict` a claim whose laws were not rechecked is not as expected. `on_result` is called with the number of
    claims so far and what became of each, in their order. Raises `Interrupted` on Ctrl-C or SIGTERM.
    """
    if recheck and any(claim.reference is not None for claim in claims):
        another_interpreter.start()
    found = Attempts(
        claims, partial(result_of, recheck=recheck, strict=strict), ClaimResult, not_decided, jobs=jobs, timeout=timeout
    )
    for n, row in enumerate(found, 1):
        if on_result is not None:
            on_result(n, row)
    record = AuditRecord(
        SCHEMA_VERSION,
        installed_version(),
        found.results,
        found.not_decided,
    )
    if found.interrupted:
        raise Interrupted(record)
    return record


def installed_version() -> str:
    """The version of dpverify that runs."""
    try:
        return version("dpverify")
    except PackageNotFoundError:
        return "not installed"


def decide(claim: Claim, mechanism: Mechanism | None = None, *, recheck: bool = True) -> Verdict:
    """The verdict on a claim, or on the claim with another mechanism in its place.

    Its laws are computed a second time, by another interpreter if one runs, unless `recheck` is False; those of another
    mechanism never are. Raises `InputError`, naming the claim, as `check_privacy` does.
    """
    try:
        return decided(
            mechanism or claim.mechanism,
            claim.domain,
            claim.neighbours,
            epsilon=claim.epsilon,
            delta=claim.delta,
            parameters=claim.parameters,
            limits=claim.limits,
            repeating=repeated_elsewhere(claim.reference) if recheck and mechanism is None else never_repeated,
        )
    except InputError as error:
        raise InputError(f"{claim.id}: {error}") from error


def result_of(
    claim: Claim, verdict: Verdict | None = None, *, recheck: bool = True, strict: bool = False
) -> ClaimResult:
    """The record of a claim: its verdict, unless it is known, and that of its mutant."""
    verdict = decide(claim, recheck=recheck) if verdict is None else verdict
    mutant = None
    if claim.mutant is not None:
        mutant = MutantResult(name_of(claim.mutant), _first_line(claim.mutant), _status_of_mutant(claim, verdict))
    epsilon, delta = privacy_claim(claim.epsilon, claim.delta)
    for_all = _for_all_epsilon(claim, verdict)
    sweep = [(size, _found_at(claim, claim.sweep[size])) for size in sorted(claim.sweep)]
    result = ClaimResult(
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
        neighbours_agree=verdict.neighbours_agree,
        neighbours_agree_expected=claim.neighbours_agree,
        recheck=verdict.recheck,
        strict=strict,
    )
    return storable(result)


def _status_of_mutant(claim: Claim, verdict: Verdict) -> Status:
    """The verdict on a claim's mutant, from a few pairs where they refute it."""
    assert claim.mutant is not None
    if refuted_nearby(claim.mutant, verdict, epsilon=claim.epsilon, delta=claim.delta, parameters=claim.parameters):
        return Status.REFUTED
    return decide(claim, claim.mutant).status


def _for_all_epsilon(claim: Claim, verdict: Verdict) -> ForAllEpsilon | None:
    epsilon, delta = privacy_claim(claim.epsilon, claim.delta)
    if symbol_in((epsilon, delta, dict(claim.parameters))) is None:
        return None
    fails_at = None if verdict.fails_at is None else [interval.record for interval in verdict.fails_at]
    return ForAllEpsilon(str(epsilon), str(delta), fails_at)


def _found_at(claim: Claim, domain: Domain) -> Enclosed | None:
    """The exact ε of a claim's mechanism on another domain, or the worst δ where the claimed δ is not 0."""
    verdict = decide(replace(claim, domain=domain), recheck=False)
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


def not_decided(claim: Claim, reason: str) -> NotDecided:
    """The row of a claim that is not decided."""
    return NotDecided(claim.id, "privacy", claim.source, claim.expected, one_line(reason))


def _first_line(mechanism: Mechanism) -> str:
    return (getdoc(mechanism) or "").partition("\n")[0].removeprefix("Mutant: ")
