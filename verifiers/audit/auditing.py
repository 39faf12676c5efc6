"""Auditing claims of all kinds: each is decided in a worker, and what is found of them becomes a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from dpverify.reports.json_form import result_from_json, result_to_json
from dpverify.reports.record import SCHEMA_VERSION, AuditRecord, ClaimResult, NotDecided
from dpverify.verifiers.audit.attempts import Attempts
from dpverify.verifiers.claims import AnyClaim, How, Search
from dpverify.verifiers.privacy import another_interpreter

OnResult = Callable[[int, ClaimResult | NotDecided], None]


class Interrupted(KeyboardInterrupt):
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
    on_result: OnResult | None = None,
) -> AuditRecord:
    """Decide every claim, `jobs` at a time, each in a process forked for it (on Windows: in this one).

    Claims that cannot be decided are rows of the record: their input is bad, their mechanism does not return in time or
    ends its process, or the `timeout`, in seconds for all of them, was up. `recheck=False` computes laws once only, and
    with `strict` a claim whose laws were not rechecked is not as expected. `search` says which inputs utility claims
    try. `on_result` is called with the number of claims so far and what became of each, in their order. Raises
    `Interrupted` on Ctrl-C or SIGTERM.
    """
    how = How(recheck=recheck, strict=strict, search=search)
    make_ready(claims, how)
    found = Attempts(claims, partial(_decided, how), result_from_json, jobs=jobs, timeout=timeout)
    for n, row in enumerate(found, 1):
        if on_result is not None:
            on_result(n, row)
    record = AuditRecord(SCHEMA_VERSION, installed_version(), found.results, found.not_decided)
    if found.interrupted:
        raise Interrupted(record)
    return record


def _decided(how: How, claim: AnyClaim) -> bytes:
    return result_to_json(claim.decide(how)).encode()


def make_ready(claims: Sequence[AnyClaim], how: How) -> None:
    """Start and load, once, what deciding the claims takes."""
    if how.recheck and any(claim.reference is not None and claim.kind == _PRIVACY for claim in claims):
        another_interpreter.start()
    for module in dict.fromkeys(module for claim in claims for module in claim.modules):
        import_module(module)


_PRIVACY: Final = "privacy"


def installed_version() -> str:
    """The version of dpverify that runs."""
    try:
        return version("dpverify")
    except PackageNotFoundError:
        return "not installed"
