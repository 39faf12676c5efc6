"""The audit record: what an audit found, as plain immutable data with a versioned JSON form.

Everything in it is text, whole numbers and truth values: rationals are "p/q", databases and outcomes as they read. The
schema of the JSON form is published beside this file; `SCHEMA_VERSION` changes whenever its meaning does.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, NoReturn, TypeVar

import msgspec

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.shown import writable

SCHEMA_VERSION: Final = "2"


class Status(Enum):
    """What a check found.

    PROVED and REFUTED are exact. UNDECIDED says why. VACUOUS: no input met the precondition. FUZZED: not refuted on the
    inputs tried. INCONCLUSIVE: a sampled audit that did not refute.
    """

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"
    VACUOUS = "VACUOUS"
    FUZZED = "FUZZED"
    INCONCLUSIVE = "INCONCLUSIVE"

    def __str__(self) -> str:
        return self.value


def no_truth_value(what: str, instead: str) -> NoReturn:
    """Raises `InputError` for a record in a boolean context, where any object, also a refuted one, would be true."""
    __tracebackhide__ = True
    raise InputError(f"{what} is neither true nor false: write {instead}")


NOT_RECHECKED: Final = "none"
"""How the record says that laws were computed once only."""


class Quantity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number: its exact form where there is one, decimals to read, and rationals "p/q" around it."""

    exact: str | None
    decimal: str
    lower: str
    upper: str


class WitnessRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Neighbours, an event, and p = Pr[event | left] > e^ε·q + δ with q = Pr[event | right]."""

    left: str
    right: str
    event: list[str]
    epsilon: Quantity
    delta: Quantity
    p: Quantity
    q: Quantity
    difference: Quantity
    """p − e^ε·q."""
    reproduce: str | None
    """A line of Python that computes p and q anew; null where the mechanism or a value cannot be written down."""
    lifted: str | None


class EpsilonRange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ε from low to high, which are in it or not; high is null for all ε beyond low."""

    low: Quantity
    high: Quantity | None
    includes_low: bool
    includes_high: bool


class ForAllEpsilon(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A claim for all ε > 0 at once: the claimed ε and δ as functions of ε, and where it fails."""

    epsilon: str
    delta: str
    fails_at: list[EpsilonRange] | None
    """By rising ε; null where it is not decided."""


class ProfilePiece(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """δ(ε) = p − q·e^ε from ε = low to ε = high, in decimals; high is null for all ε from low on."""

    low: str
    high: str | None
    p: str
    q: str


class SweepPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is found at another size of the databases: the exact ε where the claimed δ is 0, else the worst δ."""

    size: int
    found: Quantity | None
    """Null for an infinite ε."""


OPEN_VERDICTS: Final = (Status.UNDECIDED, Status.FUZZED, Status.INCONCLUSIVE)
"""Verdicts that leave a claim open."""


class MutantResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of the claim with a mechanism that is broken on purpose: REFUTED, if the check can fail at all."""

    mechanism: str
    description: str
    status: Status


class ClaimResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One claim: what was claimed, what was found, on which domain."""

    id: str
    kind: str
    source: str
    statement: str
    mechanism: str
    parameters: dict[str, str]
    domain: str
    neighbours: str
    epsilon: Quantity | None
    """The claimed ε; null where the claim is for all ε."""
    delta: Quantity | None
    """The claimed δ; null where the claim is for all ε."""
    for_all_epsilon: ForAllEpsilon | None
    """Null where the claim is for one ε."""
    expected: Status
    verdict: Status
    reason: str
    scope: str
    databases: int
    pairs: int
    distinct_pairs: int
    skipped_neighbours: int
    exact_epsilon: Quantity | None
    """The exact pure ε on the domain; null where it is infinite or not known, and where the claim is for all ε."""
    exact_delta: Quantity | None
    """The worst δ at the claimed ε; null where it is not known."""
    worst_pair: list[str] | None
    profile: list[ProfilePiece] | None
    """The worst δ at every ε, piece by piece; null where it was not computed."""
    sweep: list[SweepPoint]
    """What is found at other sizes, by rising size; empty where none was asked for."""
    grows: bool
    """Whether what is found grows over the sizes of the sweep."""
    witness: WitnessRecord | None
    mutant: MutantResult | None
    neighbours_agree: bool
    """Whether all neighbours have one and the same law although the claim allows for more: nothing was put to test."""
    neighbours_agree_expected: bool
    """Whether the claim says so."""
    recheck: str
    """How laws were computed a second time: "another interpreter", "a forked process", "one process" or "none"."""
    strict: bool
    """Whether a verdict that was not rechecked is not as expected."""

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one, the mutant, if any, was refuted, and neighbours differ as claimed.

        Where it is `strict`, the laws must have been rechecked, too.
        """
        return (
            self.verdict is self.expected
            and (self.mutant is None or self.mutant.status is Status.REFUTED)
            and not self.agrees_unexpectedly
            and not self.differs_unexpectedly
            and not self.lacks_recheck
        )

    @property
    def agrees_unexpectedly(self) -> bool:
        """Whether it is PROVED since all neighbours have one law, and the claim does not say so."""
        return self.verdict is Status.PROVED and self.neighbours_agree and not self.neighbours_agree_expected

    @property
    def differs_unexpectedly(self) -> bool:
        """Whether the claim says that all neighbours have one law, and some have not."""
        return self.neighbours_agree_expected and self.distinct_pairs > 0

    @property
    def lacks_recheck(self) -> bool:
        """Whether it is `strict`, and its laws were computed once only."""
        return self.strict and self.verdict not in OPEN_VERDICTS and self.recheck == NOT_RECHECKED

    def __bool__(self) -> bool:
        return no_truth_value("the result of a claim", "result.as_expected")

    @property
    def left_open(self) -> bool:
        """Whether it is no worse than open."""
        return self.verdict in OPEN_VERDICTS and (self.mutant is None or self.mutant.status is Status.REFUTED)


class NotDecided(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was asked for and not decided: a claim, or a file of them that could not be read."""

    id: str
    kind: str
    """The claim's, or "file"."""
    source: str
    expected: Status | None
    """Null where no claim is known."""
    reason: str
    """The text of an error, or that it was deselected, not collected or interrupted, or that its time was up."""


class AuditRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An audit: its claims in order. It holds no time and no machine, so that equal audits are equal files."""

    schema: str
    dpverify: str
    """The version of dpverify that ran it."""
    claims: list[ClaimResult]
    not_decided: list[NotDecided]
    """What else was asked for, in order."""

    @property
    def partial(self) -> bool:
        """Whether something that was asked for is not decided."""
        return bool(self.not_decided)

    @property
    def as_expected(self) -> bool:
        """Whether every claim was decided, and came out as expected."""
        return not self.partial and all(claim.as_expected for claim in self.claims)

    def __bool__(self) -> bool:
        return no_truth_value("an audit", "record.as_expected")


Record = TypeVar("Record", bound=msgspec.Struct)


def storable(record: Record) -> Record:
    """The record, with escapes in place of lone surrogates, which no file can hold."""
    try:
        msgspec.json.encode(record)
        return record
    except UnicodeEncodeError:
        return msgspec.convert(_writable(msgspec.to_builtins(record)), type(record))


def _writable(value: Any) -> Any:
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, list):
        return list(map(_writable, value))
    return {_writable(key): _writable(part) for key, part in value.items()} if isinstance(value, dict) else value


def to_json(audit: AuditRecord) -> str:
    """The JSON form, with sorted keys and two spaces of indentation."""
    return msgspec.json.format(msgspec.json.encode(storable(audit), order="sorted"), indent=2).decode() + "\n"


def from_json(text: str | bytes) -> AuditRecord:
    """The audit of a JSON form. Raises `InputError`, with the place, where the text does not follow the schema."""
    try:
        found = msgspec.json.decode(text, type=_Versioned)
        if found.schema != SCHEMA_VERSION:
            raise InputError(f"an audit of schema {found.schema}, where this version reads {SCHEMA_VERSION}")
        return msgspec.json.decode(text, type=AuditRecord)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise InputError(f"not an audit of dpverify: {error}") from None


class _Versioned(msgspec.Struct):
    """Of an audit of any version, which one it is."""

    schema: str


def result_to_json(result: ClaimResult) -> str:
    """One claim's result on one line."""
    return msgspec.json.encode(storable(result), order="sorted").decode()


def result_from_json(text: str) -> ClaimResult:
    """The reverse of `result_to_json`."""
    return msgspec.json.decode(text, type=ClaimResult)


def json_of(name: str, results: Sequence[msgspec.Struct], not_decided: Sequence[NotDecided]) -> str:
    """Results of another kind as JSON under a name, and what is not decided, if anything is not."""
    parts = {name: list(map(storable, results))}
    if not_decided:
        parts["not_decided"] = list(map(storable, not_decided))
    return msgspec.json.format(msgspec.json.encode(parts), indent=2).decode() + "\n"


def json_schema() -> dict[str, Any]:
    """The JSON Schema of an audit."""
    schema = msgspec.json.schema(AuditRecord)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "dpverify audit", **schema}
