"""The result of a claim by samples, as a record: its draws, what they refute, and what they would have seen."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from random import SystemRandom
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from dpverify.mechanisms.drawing.enumerator import distribution
from dpverify.mechanisms.numbers.containers import as_returned
from dpverify.mechanisms.numbers.enclosure import bounds, decimal_of_fraction
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown, told
from dpverify.reports.record import NOT_RECHECKED, Scope, Status, storable
from dpverify.reports.sampled_record import SampledMutant, SampledResult, SampledTest
from dpverify.verifiers.blackbox import stored_counts as kept_counts
from dpverify.verifiers.blackbox.agreement import (
    MOST_DATABASES,
    Agreement,
    CellCounts,
    agreement,
    drawn_counts,
    error_of_each,
    share_in_the_middle,
    share_in_words,
)
from dpverify.verifiers.blackbox.privacy_audit import AuditFinding, CountedTest, Gathered, found_in, gathered
from dpverify.verifiers.blackbox.proposals import Pairs, given_pairs, pairs_of_domain, worst_of
from dpverify.verifiers.blackbox.sampling.cells import DistributionCells
from dpverify.verifiers.blackbox.sampling.distribution_cells import cells_of
from dpverify.verifiers.blackbox.sampling.outcomes import Outcomes, as_outcomes, objects
from dpverify.verifiers.blackbox.sampling.power import smallest_shift
from dpverify.verifiers.blackbox.sampling.samplers import DrawBlocks, MissingLibrary, Sampler, as_sampler, heed_seed
from dpverify.verifiers.blackbox.shares import shares_of_cells, shares_of_event
from dpverify.verifiers.blackbox.statement import SampledStatement
from dpverify.verifiers.claims import How
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.problems.questions.domains import listed_databases


def sampled_result(claim: SampledStatement, how: How) -> SampledResult:
    """The record of a claim. Raises `InputError` where the sampler, the domain or the model is bad."""
    seed = SystemRandom().randrange(10**9) if how.search == "deep" else claim.seed
    decide = _of_privacy if claim.model is None else _of_model
    try:
        result = decide(claim, as_sampler(claim.sampler), seed, how)
    except MissingLibrary as missing:
        stand_in = kept_counts.stored_sampler(claim, missing)
        if stand_in is None:
            raise
        result = decide(claim, stand_in, seed, how)
    demanded = how.strict and claim.reference is not None and claim.reference.place is not None
    result = replace(result, mutant_demanded=demanded)
    if claim.mutant is None or result.reason.startswith(_INTERRUPTED):
        return storable(result)
    mutant = decide(claim, as_sampler(claim.mutant), seed, how)
    name = as_sampler(claim.mutant).name
    refuting = [test.event for test in mutant.tests if test.refutes]
    said = refuting[0] if refuting else "no event refutes it"
    return storable(replace(result, mutant=SampledMutant(name, mutant.verdict, said)))


_INTERRUPTED: Final = "interrupted"


class _Drawn(NamedTuple):
    """Source of the draws: the sampler, its seed, and the file with the counts, if there is one."""

    sampler: Sampler
    seed: int
    counts_file: str


def _record(
    claim: SampledStatement, drawn: _Drawn, status: Status, reason: str, scope: str, **found: Any
) -> SampledResult:
    return SampledResult(
        id=claim.id,
        source=claim.source,
        statement=claim.statement,
        mechanism=drawn.sampler.name,
        expected=claim.verdict_expected,
        verdict=status,
        reason="; ".join(filter(None, (reason, _by_counts_alone(drawn.sampler)))),
        refutation=claim.refuted_as(status),
        scope=Scope("finite", "samples are drawn", NOT_RECHECKED, scope),
        claimed=claim.claimed,
        confidence=decimal_of_fraction(1 - claim.error),
        planned=claim.draws,
        seed=drawn.seed if drawn.sampler.seeded else None,
        counts_file=drawn.counts_file,
        versions=dict(drawn.sampler.versions),
        model="" if claim.model is None else claim.model.id,
        mutant=None,
        **found,
    )


def _by_counts_alone(sampler: Sampler) -> str:
    if not isinstance(sampler, kept_counts.StoredSampler):
        return ""
    return f"decided by the counts that are kept, as it {sampler.missing}"


def _power(smallest: Fraction | None, of: str) -> dict[str, str]:
    """The smallest violation that would have been seen, as the record has it, and in words with its number."""
    number = "" if smallest is None else decimal_of_fraction(smallest)
    return {"smallest": number, "smallest_in_words": of.format(number) if number else "nothing"}


def _heed(sampler: Sampler, rows: Hashable, seed: int, claim: SampledStatement) -> None:
    """Facts about a sampler before it is drawn from; none of one that is not here."""
    if not isinstance(sampler, kept_counts.StoredSampler):
        heed_seed(sampler, rows, seed, claim.patience)


# --- Privacy


def _of_privacy(claim: SampledStatement, sampler: Sampler, seed: int, how: How) -> SampledResult:
    result = _pairs(claim)
    _heed(sampler, result.databases[0], seed, claim)
    counts, kept = kept_counts.kept(
        claim,
        sampler,
        Gathered,
        [list(map(repr, result.databases)), list(result.pairs), sorted(claim.features)],
        seed,
        lambda: gathered(
            DrawBlocks(sampler, seed, claim.patience), result.databases, result.pairs, claim.asked, claim.features
        ),
    )
    said = found_in(counts, claim.asked)
    status, reason = _verdict(counts, said)
    of = "" if len(result.pairs) == result.of else f" of {result.of:,}, spread evenly"
    scope = f"{counts.draws:,} draws of each database, on {len(result.pairs):,} ordered pairs{of}, which is no proof"
    return _record(
        claim,
        _Drawn(sampler, seed, kept),
        status,
        reason,
        scope,
        draws=counts.draws,
        pilot=counts.pilot,
        ruled_out=None if said.ruled_out is None else decimal_of_fraction(said.ruled_out),
        agrees_to=None,
        model_verdict=None,
        databases=counts.databases,
        tried=len(counts.tests),
        tests=_tests(counts.tests, said, claim),
        shares=[] if said.best is None else shares_of_event(counts.tests[said.best], claim.asked),
        shares_of="" if said.best is None else counts.tests[said.best].event,
        **_power(claim.smallest, f"ε = {{}} at an event of probability {decimal_of_fraction(claim.share)}"),
    )


def _pairs(claim: SampledStatement) -> Pairs:
    if claim.pairs is None:
        assert claim.domain is not None
        return pairs_of_domain(claim.domain, claim.neighbours)
    return worst_of(claim.pairs) if isinstance(claim.pairs, Claim) else given_pairs(claim.pairs)


def _verdict(counts: Gathered, said: AuditFinding) -> tuple[Status, str]:
    if counts.constant:
        return (
            Status.VACUOUS,
            f"every draw of the pilot, of every database, was {counts.constant}: nothing was put to the test",
        )
    if said.refuted_by is not None:
        return Status.REFUTED, ""
    if counts.interrupted:
        return Status.INCONCLUSIVE, f"{_INTERRUPTED} after {counts.draws:,} draws of each database"
    return Status.INCONCLUSIVE, "" if counts.tests else "no event of the pilot promised anything"


def _tests(tests: Sequence[CountedTest], said: AuditFinding, claim: SampledStatement) -> list[SampledTest]:
    best = said.best
    if best is None:
        return []
    one = tests[best]
    epsilon, delta = claim.asked_of_privacy
    plus = "" if delta == 0 else f" + {delta}"
    allowed = f"and P ≤ e^({epsilon})·P′{plus} is claimed"
    tally = one.tally
    return [
        SampledTest(
            one.left, one.right, one.event, tally.left, tally.right, tally.draws, allowed, said.refuted_by == best
        )
    ]


# --- A model


def _of_model(claim: SampledStatement, sampler: Sampler, seed: int, how: How) -> SampledResult:
    model = claim.model
    assert model is not None
    if how.strict:
        model.refuse_contradiction()
    decided = model.decide(How(recheck=how.recheck))
    databases = _databases(claim, model)
    _heed(sampler, databases[0], seed, claim)
    laws = [_law_cells(model, rows, claim.draws) for rows in databases]
    counts, kept = kept_counts.kept(
        claim,
        sampler,
        CellCounts,
        [list(map(repr, databases)), [[law.names, list(map(str, law.probabilities))] for law in laws]],
        seed,
        lambda: drawn_counts(
            DrawBlocks(sampler, seed, claim.patience),
            databases,
            laws,
            claim.draws,
            claim.error,
            _meaning(claim.outcome, sampler),
        ),
    )
    result = agreement(counts, laws, claim.draws, claim.error)
    status, reason = _verdict_of_model(counts, result, decided.verdict)
    agrees = max((one.off for one in result.deviations), default=None)
    scope = f"{counts.draws:,} draws of each of {len(databases)} databases, which is no proof"
    return _record(
        claim,
        _Drawn(sampler, seed, kept),
        status,
        reason,
        scope,
        draws=counts.draws,
        pilot=counts.pilot,
        ruled_out=None,
        agrees_to=None if agrees is None or counts.draws < claim.draws else share_in_words(agrees),
        model_verdict=decided.verdict,
        databases=len(databases),
        tried=len(result.deviations),
        tests=[_cell_test(one, counts.draws) for one in result.deviations[:_SHOWN]],
        **_drawn_cells(result, counts, laws),
        **_power_of_cells(laws, claim),
    )


def _drawn_cells(found: Agreement, counts: CellCounts, laws: Sequence[DistributionCells]) -> dict[str, Any]:
    """The cells of the database where the worst one is."""
    if not found.deviations:
        return {"shares": [], "shares_of": ""}
    name = found.deviations[0].database
    law = next(law for one, law in zip(counts.databases, laws, strict=True) if one.database == name)
    return {"shares": shares_of_cells(found.deviations, law, counts.draws), "shares_of": f"outcomes on {name}"}


def _power_of_cells(laws: Sequence[DistributionCells], claim: SampledStatement) -> dict[str, str]:
    """Of the event that is next to ½ on each database, on the one where that is least."""
    p = min(map(share_in_the_middle, laws))
    seen = smallest_shift(claim.draws, error_of_each(claim.error, len(laws)), p)
    cells = min(len(law.names) - 1 for law in laws)
    share = decimal_of_fraction(Fraction(-(-p * 10**4 // 1), 10**4))
    return _power(seen, f"a shift by {{}} of an event of probability {share}, among {cells} cells and their sums")


_SHOWN: Final = 3
"""Events of a model that the record holds."""


def _cell_test(one: Any, draws: int) -> SampledTest:
    p = decimal_of_fraction(bounds(one.probability)[0], 6)
    share = decimal_of_fraction(Fraction(one.seen, draws), 6)
    said = f"a share of {share}, where the model says {p}"
    return SampledTest(one.database, "", one.event, one.seen, 0, draws, said, one.refutes)


def _verdict_of_model(counts: CellCounts, found: Agreement, model: Status) -> tuple[Status, str]:
    if model is Status.REFUTED:
        return Status.REFUTED, "the model itself is REFUTED, exactly: the library may well draw what it says"
    if found.refuted:
        where = f"on {found.as_a_whole[0]} all cells together refute the model" if found.as_a_whole else ""
        return Status.REFUTED, where
    if counts.interrupted:
        return Status.INCONCLUSIVE, f"{_INTERRUPTED} after {counts.draws:,} draws of each database"
    return Status.INCONCLUSIVE, "" if model is Status.PROVED else f"the model is {model}"


def _databases(claim: SampledStatement, model: Claim) -> list[Hashable]:
    if claim.databases is not None:
        return listed_databases(list(claim.databases), len(claim.databases))
    every = listed_databases(model.domain, 1 << 16)
    last = len(every) - 1
    return list(dict.fromkeys(every[i * last // (MOST_DATABASES - 1)] for i in range(MOST_DATABASES)))


def _law_cells(model: Claim, rows: Hashable, draws: int) -> DistributionCells:
    return cells_of(distribution(model.mechanism, rows, limits=model.limits, **model.question.arguments), draws)


def _meaning(outcome: Callable[[Any], Any] | None, sampler: Sampler) -> Callable[[Outcomes], Outcomes]:
    if outcome is None:
        return lambda outcomes: outcomes

    def meant(outcomes: Outcomes) -> Outcomes:
        try:
            return as_outcomes([outcome(as_returned(each)) for each in objects(outcomes)], len(outcomes), "outcome=")
        except InputError:
            raise
        except Exception as error:  # a function of the user's may raise anything
            text = f"what {sampler.name} gave, such as {shown(outcomes[0])}"
            raise InputError(
                bad_input.FAILED, "outcome=", f"{type(error).__name__}: {told(error)} on {text}"
            ) from error

    return meant
