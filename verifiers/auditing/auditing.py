"""Auditing claims of all kinds: each is decided in a worker, and what is found of them becomes a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Final

import msgspec

import dpverify
from dpverify.mechanisms.language.compiled import outside_of
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.reports.audits.json_form import result_from_json, result_to_json
from dpverify.reports.record import DEPTHS, SCHEMA_VERSION, AuditRecord, ClaimResult, NotDecided, Origin
from dpverify.verifiers.auditing.attempts import Attempts, Elsewhere, OnWait, Schedule
from dpverify.verifiers.auditing.cache.mechanism_sources import sources_of
from dpverify.verifiers.auditing.cache.verdict_cache import VerdictCache, WorkerResult
from dpverify.verifiers.auditing.digests.question import decided_with_question
from dpverify.verifiers.claims import AnyClaim, Depth, How, Search, two_of_one_id
from dpverify.verifiers.locations import located
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.problems.preparation import another_interpreter
from dpverify.verifiers.processes.deadline import cpu_seconds
from dpverify.verifiers.processes.workplace import Workplace

OnResult = Callable[[int, ClaimResult | NotDecided], None]


class AuditStopped(KeyboardInterrupt):
    """An audit that was interrupted; `record` holds what was decided by then."""

    def __init__(self, record: AuditRecord) -> None:
        super().__init__("interrupted")
        self.record = record


def audit(
    claims: Sequence[AnyClaim],
    *,
    jobs: int = 1,
    timeout: float | None = None,
    recheck: bool = True,
    strict: bool = False,
    search: Search = "derandomized",
    slack: bool = False,
    depth: Depth = "quick",
    reach: bool | None = None,
    lines: bool = False,
    on_result: OnResult | None = None,
    on_wait: OnWait = lambda in_hand, done: None,
    cache: VerdictCache | None = None,
    scheduler: str | None = None,
    seconds: dict[str, float] | None = None,
) -> AuditRecord:
    """Decide every claim, `jobs` at a time, each in a process forked for it (on Windows: in this one).

    Claims that cannot be decided are rows of the record: their input is bad, their mechanism does not return in time or
    ends its process, or the `timeout`, in seconds for all of them, was up. `recheck=False` computes distributions once
    only, and with `strict` a claim whose distributions were not rechecked is not as expected. `search` says which
    inputs utility claims try, `slack` whether slack is measured, and `depth` whether what claims leave to depth full is
    decided, too. `reach` says whether it is recorded what of a mechanism no database runs (None: see `How`), and
    `lines` how often each line of it runs.
    `on_result` is called with the number of claims so far and what became of each, in their order, and `on_wait`, while
    nothing else happens, with the ids in hand and the number decided. With a `cache`, what was decided earlier comes
    from there, and an audit that is not interrupted adds to it. With a `scheduler`, the address of a Dask cluster,
    claims are decided there. `seconds` is given how long each claim takes, by its id. Raises `AuditStopped` on Ctrl-C
    or SIGTERM, and `InputError` where two claims have one id, where they cannot be decided there, and of a `strict`
    audit with a journal.

    >>> def response(draw, rows):
    ...     return rows[0] if draw(bernoulli("3/4")) else 1 - rows[0]
    >>> claim = Claim(id="lib.response", mechanism=response, domain=Tuples((0, 1), size=1), epsilon=1)
    >>> audit([claim], recheck=False).claims[0].surprise
    'expected PROVED'
    """
    if strict and cache is not None and cache.origin == "journal":
        raise InputError(bad_input.NOT_STRICT)
    how = How(recheck=recheck, strict=strict, search=search, slack=slack, depth=depth, reach=reach, lines=lines)
    _refuse_repeated_ids(claims)
    earlier = {} if cache is None else _decided_earlier(claims, how, cache)
    left = [claim for i, claim in enumerate(claims) if i not in earlier]
    if scheduler is None:
        make_ready(left, how)

    def waiting(in_hand: Sequence[str], done: int) -> None:
        on_wait(in_hand, len(earlier) + done)

    order = _deepest_first(left) if scheduler is not None or jobs >= _MANY else None
    with _elsewhere(scheduler, left, how, order or ()) as elsewhere:
        attempts = Attempts(
            left, partial(_decided, how), _READER.decode, Schedule(jobs, timeout, waiting, order, elsewhere)
        )
        outcomes = iter(attempts)
        rows: list[ClaimResult | NotDecided] = []
        for i, claim in enumerate(claims):
            found_now = None if i in earlier else next(outcomes)
            row = earlier[i] if found_now is None else _row(found_now, claim, how, cache, scheduler is not None)
            if isinstance(found_now, WorkerResult) and seconds is not None:
                seconds[claim.id] = found_now.seconds
            rows.append(located(claim, row) if isinstance(row, ClaimResult) else row)
            if on_result is not None:
                on_result(i + 1, rows[-1])
        next(outcomes, None)  # which puts back what it has changed of signals
    results = [row for row in rows if isinstance(row, ClaimResult)]
    sources = sources_of(claims, results)
    record = AuditRecord(SCHEMA_VERSION, installed_version(), results, attempts.not_decided, sources)
    if attempts.interrupted:
        if cache is not None:
            cache.stop()
        raise AuditStopped(record)
    if cache is not None:
        cache.end()
    return record


def _deepest_first(claims: Sequence[AnyClaim]) -> list[int]:
    """The positions of claims in the order in which they are begun: those of a later depth take longer."""
    return sorted(range(len(claims)), key=lambda i: -DEPTHS.index(claims[i].depth))


_MANY: Final = 4
"""Jobs from which on the order matters more than that rows come as early as can be."""


@contextmanager
def _elsewhere(
    scheduler: str | None, claims: Sequence[AnyClaim], how: How, order: Sequence[int]
) -> Iterator[Elsewhere | None]:
    """The decider of claims in place of processes of this machine, while a cluster is asked; None for nobody."""
    if scheduler is None:
        yield None
        return
    from dpverify.verifiers.auditing.cluster import ClusterRun, claims_sent, connected

    messages = claims_sent(claims, how)
    with connected(scheduler) as client:
        yield lambda timeout, on_wait: ClusterRun(client, messages, order, timeout, on_wait)


def _refuse_repeated_ids(claims: Sequence[AnyClaim]) -> None:
    once: dict[str, AnyClaim] = {}
    for claim in claims:
        if claim.id in once:
            raise InputError(two_of_one_id(once[claim.id], claim))
        once[claim.id] = claim


def _decided_earlier(claims: Sequence[AnyClaim], how: How, cache: VerdictCache) -> dict[int, ClaimResult]:
    """The results that the cache has of the claims, by their positions."""
    cache.begin()
    known = {i: cache.earlier(claim, how) for i, claim in enumerate(claims)}
    return {i: result for i, result in known.items() if result is not None}


def _decided(how: How, claim: AnyClaim, where: Workplace) -> bytes:
    before = cpu_seconds()
    # in this process, and not in the one that audits: reading loads what functions import
    result = result_to_json(decided_with_question(claim, replace(how, where=where))).encode()
    return msgspec.msgpack.encode(WorkerResult(result, seconds=cpu_seconds() - before))


_READER: Final = msgspec.msgpack.Decoder(WorkerResult)


def _row(
    found: WorkerResult | NotDecided, claim: AnyClaim, how: How, cache: VerdictCache | None, by_a_cluster: bool
) -> ClaimResult | NotDecided:
    """The row of a claim, which says where that comes from, whatever whoever has found it says."""
    if isinstance(found, NotDecided):
        return found
    origin: Origin = "another worker" if by_a_cluster else "decided"
    result = msgspec.structs.replace(result_from_json(found.result), cached=False, origin=origin)
    if cache is not None:
        cache.note(claim, how, result, found.against)
    return result


def make_ready(claims: Sequence[AnyClaim], how: How) -> None:
    """Start, once, who computes distributions a second time, and load and compile what deciding the claims takes.

    Each claim is decided in a process that is forked from here. Of a few claims each process loads what it needs.
    """
    again = [each for each in claims if each.reference is not None and each.is_recomputed]
    if how.recheck and (len(again) > _FEW or any(map(_is_outside, again))):
        another_interpreter.start()
    if len(claims) <= _FEW:
        return
    load_modules(claims)
    for claim in claims:
        if claim.kind in _READ and claim.reference is not None and claim.reference.place == "":
            for mechanism in (*claim.about, *claim.mutants):  # of others this loads what they import
                with suppress(InputError):
                    outside_of(mechanism, getattr(claim, "parameters", {}))


_READ: Final = ("privacy", "utility")
"""The kinds of claims whose mechanisms are read before their processes are forked: many name the same functions."""


_FEW: Final = 3
"""Claims for which none is started but for code outside: it takes 0.4 of the 1.1 s of README's example."""


def _is_outside(claim: AnyClaim) -> bool:
    try:
        return isinstance(claim, Claim) and bool(outside_of(claim.mechanism, claim.parameters))
    except InputError:  # it is said when the claim is decided
        return False


def load_modules(claims: Sequence[AnyClaim]) -> None:
    """Load, once, what deciding the claims takes: each process that is forked to decide would have to load it anew."""
    for module in dict.fromkeys(module for claim in claims for module in claim.modules):
        with suppress(ImportError):  # of which those claims say so that need it
            import_module(module)


def installed_version() -> str:
    """The version of dpverify that runs."""
    return str(dpverify.__version__)
