"""The audit record: what an audit found, of claims of all kinds, as plain immutable data.

Everything in it is text, numbers and truth values: rationals are "p/q", databases and outcomes as they read. What all
kinds of claims have in common is here; what each adds is in `kinds`, and the JSON form in `json_form.py`.
`SCHEMA_VERSION` changes whenever the meaning of that form does.
"""

from __future__ import annotations

from enum import Enum
from importlib import import_module
from typing import Any, Final, Literal, NoReturn, TypeAlias, TypeVar

import msgspec

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown, writable
from dpverify.mechanisms.reasons.reason import id_in
from dpverify.reports.line_runs import LineRuns
from dpverify.reports.never_run import NeverRun
from dpverify.reports.provenance import Provenance

SCHEMA_VERSION: Final = "6"
"""The version that is written. One more is read, by `former_fields.py`: others may mean another thing by a name."""


DEPTHS: Final = ("quick", "report", "full")
"""Depth to which claims are decided: the first is the least."""


class Status(Enum):
    """The answer of a check.

    PROVED and REFUTED are exact. CHECKED: no counterexample in two runs of code that is outside the language of
    mechanisms. UNDECIDED says why. VACUOUS: too few inputs met the precondition, or none a corner. FUZZED: not refuted
    on the inputs tried. INCONCLUSIVE: a sampled audit that did not refute. Each equals its own name as a text;
    comparing one with a text that names none raises `InputError`, as `!=` would be true of every verdict.

    >>> Status.PROVED == "PROVED"
    True
    >>> Status.PROVED == "PROVEN"
    Traceback (most recent call last):
    dpverify.mechanisms.numbers.errors.InputError: 'PROVEN' is none of PROVED, REFUTED, ...
    """

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    CHECKED = "CHECKED"
    UNDECIDED = "UNDECIDED"
    VACUOUS = "VACUOUS"
    FUZZED = "FUZZED"
    INCONCLUSIVE = "INCONCLUSIVE"

    def __str__(self) -> str:
        return self.value

    def __eq__(self, other: object) -> bool:
        __tracebackhide__ = True
        if not isinstance(other, str):
            return self is other or NotImplemented
        if other not in Status.__members__:
            raise InputError(bad_input.NONE_OF, shown(other), ", ".join(Status.__members__))
        return self.value == other

    __hash__ = Enum.__hash__  # that of the name, as a text has it


def no_truth_value(what: str, instead: str) -> NoReturn:
    """Raises `InputError` for a record in a boolean context, where any object, also a refuted one, would be true."""
    __tracebackhide__ = True
    raise InputError(bad_input.STATUS_USED, what, "neither true nor false", instead)


def refuse_text(what: str, other: object, instead: str) -> None:
    """Raises `InputError` for a record that is compared with a text, which none equals: not even a proved one."""
    __tracebackhide__ = True
    if isinstance(other, str):
        raise InputError(bad_input.STATUS_USED, what, f"no text, so that it does not equal {shown(other)}", instead)


NOT_RECHECKED: Final = "none"
"""Text in the record where nobody computed a second time what a verdict rests on."""

OPEN_VERDICTS: Final = (Status.CHECKED, Status.UNDECIDED, Status.FUZZED, Status.INCONCLUSIVE)
"""Verdicts that leave a claim open."""

HELD_VERDICTS: Final = (Status.PROVED, Status.CHECKED)
"""Verdicts on all inputs that a claim speaks of: it holds there, or no run shows that it does not."""


Origin: TypeAlias = Literal["decided", "cache", "journal", "another worker"]
"""Origin of a verdict: the audit that has it decided it, or took it, in whole or in part, from elsewhere."""


FOR_SORTED_ROWS: Final = "for rows in sorted order"
"""Behind PROVED where a mechanism reads the order of its rows, and not every order was run."""


class Quantity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number: its exact form where there is one, decimals to read, and rationals "p/q" around it."""

    exact: str | None
    decimal: str
    lower: str
    upper: str


class SmallInstance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A few databases on which a composition that is proved by its parts was decided by its output distributions too.

    It holds there: where it does not, nothing is proved.
    """

    databases: int
    """0 where none was decided."""
    at: str
    """The number in the place of a symbolic ε, in words; empty where ε is known."""
    reason: str = ""
    """The reason why none was decided."""


class Scope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The scope of a verdict."""

    extent: Literal["all", "finite"]
    """All where it is of any number of rows, or of all values."""
    why: str
    """Reason why it is of no more; empty where it is of all."""
    recomputation: str
    """Second computation of what it rests on: "another interpreter", "a forked process", "one process", "another
    solver", "higher precision", which is the same code with more bits, or "none"."""
    text: str
    """All of it in words."""
    of_sorted_rows: bool = False
    """True where a verdict is PROVED for rows in sorted order: it reads their order, and some orders were not run."""
    small_instance: SmallInstance | None = None
    """Of a composition that is proved by its parts; null of all else."""


class Location(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The place where something is written."""

    file: str
    """Relative to the root of the claim's project, with / between folders; empty where it is not in the project."""
    line: int
    """From 1; 0 where it is not known."""
    module: str
    """As it is imported; empty where that is not known."""
    name: str
    """The function's qualified name; of a claim, its id."""

    @property
    def in_words(self) -> str:
        """As terminals and editors have it: file:line, or module where there is no file."""
        if not self.file:
            return self.module
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def function(self) -> str:
        """The function's full name, which it keeps when lines above it are added."""
        return f"{self.module}.{self.name}" if self.module else self.name


class OutsideConstruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A construct outside the language of mechanisms: where it stands, and what to write instead."""

    file: str
    """Relative to the root of the claim's project, with / between folders; of a file elsewhere its name alone."""
    line: int
    column: int
    """Both from 1."""
    construct: str
    instead: str
    """Empty where nothing in the language has the same meaning."""

    @property
    def in_words(self) -> str:
        """As terminals and editors have it, with the construct."""
        return f"{self.file}:{self.line}:{self.column} ({self.construct})"


class RefutationKind(Enum):
    """The object of a refutation, from a paper's statement to what no paper claims.

    STATEMENT: what is stated, at parameters in use. DEGENERATE: its letter, at parameters that nobody would use.
    PROOF_STEP: a step of a proof, or one way to what is stated, which stands. RECONSTRUCTION: what the paper does not
    print, and has been filled in. OUR_CONSTANTS: constants of our own, where the paper states an order. VARIANT: more
    than is claimed, such as fewer rows, less or other noise, other neighbours, or no condition.
    """

    STATEMENT = "statement"
    DEGENERATE = "degenerate"
    PROOF_STEP = "proof step"
    RECONSTRUCTION = "reconstruction"
    OUR_CONSTANTS = "our constants"
    VARIANT = "variant"

    def __str__(self) -> str:
        return self.value


class Boundary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Between which ε, as decimals, the claim begins to fail: both verdicts are exact, and bisection went no further.

    All else is as the claim has it; what its statement asks for, such as a number of rows, is asked for at that ε.
    """

    holds_at: str
    fails_at: str


class Refutation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The kind of a refutation, and why, in words. Raises `InputError` for a kind that needs words and has none."""

    kind: RefutationKind
    why: str = ""
    """Sentences; empty only where the statement itself is refuted, and there is nothing to add."""
    boundary: Boundary | None = None
    """Null where the claim is not of one ε that could be smaller; `why` says so of a degenerate one."""

    def __post_init__(self) -> None:
        if self.kind is not RefutationKind.STATEMENT and not self.why:
            raise InputError(bad_input.NEEDS, f"a refutation of the kind {self.kind}", "a reason", "give a sentence")
        if writable(self.why) != self.why:
            raise InputError(bad_input.NOT_PRINTABLE, f"why={shown(self.why)}")

    @property
    def sentences(self) -> str:
        """Reason, and the place of the boundary; empty where there is nothing to say."""
        if self.boundary is None:
            return self.why
        text = f"It holds at ε = {self.boundary.holds_at} and fails at ε = {self.boundary.fails_at}, by bisection."
        return f"{self.why} {text}".lstrip()

    @property
    def in_words(self) -> str:
        """All of it; empty where there is nothing to say."""
        return f"Refuted ({self.kind}): {self.sentences}" if self.sentences else ""


OF_THE_STATEMENT: Final = Refutation(RefutationKind.STATEMENT)
"""Refuted as stated, at parameters in use, with nothing to add."""


class DescribedPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """A part of a question that is too long to be written: what it is called, and a digest of it."""

    text: str
    digest: str


CALLS: Final = "calls of the library"
"""The field of a question that names what a wrapper and mutants call of it, as MODULE:FUNCTION."""


class QuestionRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """The question that a claim asks, as a gate keeps it: a verdict says no more than the question that it answers.

    Digests are the same in all versions of Python, on all machines and for all hash seeds.
    """

    depth: str
    claimed: dict[str, str] = msgspec.field(default_factory=dict)
    """Numbers in exact form, by their names."""
    mechanism: str = ""
    """Its full name; of one that is written in the file of claims without a module. Empty where there is none."""
    mechanism_file: str = ""
    """Below the folder that it is imported from; empty for a file of claims, and for what is installed."""
    parameters: dict[str, str] = msgspec.field(default_factory=dict)
    """Arguments of the mechanism beside the database, ε and δ included."""
    domain: DescribedPart | None = None
    neighbour_relation: DescribedPart | None = None
    mutants: list[DescribedPart] = msgspec.field(default_factory=list)
    wrapper: str = ""
    """A digest of what the file of claims defines between the claim and a function of a library; empty for nothing."""
    setup: str = ""
    """A digest of what else the file of claims does when it is loaded; empty where it only defines."""
    more: dict[str, str] = msgspec.field(default_factory=dict)
    """Further demands than those on the domain, which a claim may add; by field."""
    further: dict[str, str] = msgspec.field(default_factory=dict)
    """Further questions of the kind of claims, and what is accepted with a reason, by field: texts or digests."""


class ClaimResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """The finding on one claim, whatever its kind: subclasses add what theirs has to say, and are tagged by it."""

    id: str
    source: str
    statement: str
    mechanism: str
    """By its name; empty where the claim speaks of none."""
    expected: Status
    verdict: Status
    reason: str
    scope: Scope
    headroom: str | None = None
    """The smallest noise multiplier with which the claim is PROVED without a gap; null where that was not measured."""
    tight_over_claimed: str | None = None
    """Tight ε over claimed ε; null where that was not measured."""
    loose: bool | None = None
    """True where a much worse mechanism earns the verdict, too; null where that was not measured."""
    neighbours_agree: bool | None = None
    """True if all neighbours have one output distribution although the claim allows for more: nothing was tested."""
    refutation: Refutation | None = None
    """The thing that is refuted; null where nothing is, and where the claim does not say."""
    location: Location | None = None
    """Place where the claim is written; null where it is made by a command, and where nobody knows."""
    mechanism_location: Location | None = None
    """Place where the mechanism is written; null where the claim speaks of none, and where nobody knows."""
    cached: bool = False
    """True where it was decided earlier, and nothing that it depends on has changed since."""
    origin: Origin = "decided"
    """Origin of the verdict for whoever audits: "cache" is the user's own, "journal" a file that was named, whole or
    parts of it, and "another worker" one of a cluster. Whoever can write to these can write verdicts."""
    question: QuestionRecord | msgspec.UnsetType = msgspec.UNSET
    """Question of the claim; left out where the claim stands in no file, and by versions that did not keep it."""
    never_run: NeverRun | None = None
    """Of a mechanism that is PROVED, what no database runs of it; null where nobody looked."""
    line_runs: LineRuns | msgspec.UnsetType = msgspec.UNSET
    """The probabilities with which lines of the mechanism run; left out where nobody looked, or they are not known."""
    reason_id: str | msgspec.UnsetType = msgspec.UNSET
    """The id of the first reason that `reason` names, which docs/errors.md or undecided.md has; left out for none."""
    language: Literal["inside"] | list[OutsideConstruct] | msgspec.UnsetType = msgspec.UNSET
    """Constructs of the mechanism that are outside the language, if not all is inside; left out where none was read."""

    def __post_init__(self) -> None:
        _set_reason_id(self)

    @property
    def kind(self) -> str:
        """The kind of the claim, such as privacy."""
        return str(type(self).__struct_config__.tag)

    @property
    def rider(self) -> str:
        """The restriction of a verdict, behind its status; empty where nothing is left out."""
        return FOR_SORTED_ROWS if self.scope.of_sorted_rows else ""

    @property
    def outside(self) -> list[OutsideConstruct]:
        """The constructs outside the language; none where it is inside, and where nothing was read."""
        return self.language if isinstance(self.language, list) else []

    @property
    def surprise(self) -> str:
        """Reason why it is not as expected; empty where it is. A kind that can say more says so after this."""
        return "" if self.verdict is self.expected else f"expected {self.expected}"

    @property
    def as_expected(self) -> bool:
        """True where the verdict is the expected one, and nothing else about it is a surprise."""
        return not self.surprise

    @property
    def left_open(self) -> bool:
        """True where it is no worse than open."""
        return self.verdict in OPEN_VERDICTS

    def __bool__(self) -> bool:
        __tracebackhide__ = True
        return no_truth_value("the result of a claim", "result.verdict is Status.PROVED, or result.as_expected")

    def __eq__(self, other: object) -> bool:
        __tracebackhide__ = True
        refuse_text("the result of a claim", other, "result.verdict == …")
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:  # msgspec has one of its own, which asks `__eq__` of nobody
        __tracebackhide__ = True
        return not self == other

    __hash__ = msgspec.Struct.__hash__


class BrokenVariant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A change that breaks a claim on purpose, its verdict, and what refutes it, or why nothing does."""

    change: str
    status: Status
    shown: str


class ResultWithMutants(ClaimResult, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The finding on a claim that is no claim of a mechanism: each of its mutants must be refuted."""

    mutants: list[BrokenVariant]

    @property
    def surprise(self) -> str:
        """Reason why it is not as expected: another verdict, or a mutant that is not refuted."""
        if self.verdict is not self.expected:
            return f"expected {self.expected}"
        kept = [mutant for mutant in self.mutants if mutant.status is not Status.REFUTED]
        return f"its mutant, {kept[0].change}, is {kept[0].status}: the check cannot fail" if kept else ""

    @property
    def left_open(self) -> bool:
        """True where it is no worse than open."""
        return (self.verdict in OPEN_VERDICTS or self.verdict is self.expected) and all(
            mutant.status is Status.REFUTED for mutant in self.mutants
        )


class NotDecided(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row that was asked for and not decided: a claim, or a file of them that could not be read."""

    id: str
    kind: str
    """The claim's, or "file"."""
    source: str
    expected: Status | None
    """Null where no claim is known."""
    reason: str
    """The text of an error, or that it was deselected, not collected or interrupted, or that its time was up."""
    location: Location | None = None
    """Place where the claim is written; null where nobody knows."""
    reason_id: str | msgspec.UnsetType = msgspec.UNSET
    """The id of the reason; left out where it has none."""

    def __post_init__(self) -> None:
        _set_reason_id(self)


def _set_reason_id(record: ClaimResult | NotDecided) -> None:
    """Keep the id that a reason names: `reason` alone says it, also where a record is read that has another."""
    msgspec.structs.force_setattr(record, "reason_id", id_in(record.reason) or msgspec.UNSET)


class MechanismSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The source of a mechanism as it is written, and the claims of the audit, by their ids, that are of it."""

    text: str
    claims: list[str]


class AuditRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An audit: its claims in order. Time and place are in `provenance` alone: equal audits have equal claims."""

    schema: str
    dpverify: str
    """The version of dpverify that ran it."""
    claims: list[ClaimResult]
    not_decided: list[NotDecided]
    """Further things that were asked for, in order."""
    sources: list[MechanismSource] = msgspec.field(default_factory=list)
    """Of the mechanisms that claims speak of, as far as they can be read; left out where empty."""
    provenance: Provenance | None = None
    """Its origin; left out where `audit` was called by a program."""

    @property
    def partial(self) -> bool:
        """True where something that was asked for is not decided."""
        return bool(self.not_decided)

    @property
    def as_expected(self) -> bool:
        """True where every claim was decided, and came out as expected."""
        return not self.partial and all(claim.as_expected for claim in self.claims)

    def __bool__(self) -> bool:
        return no_truth_value("an audit", "record.as_expected")

    def _repr_html_(self) -> str:
        """The HTML for a notebook: the audit in a line, and its claims, those that are not as expected first."""
        shown_as_html = import_module("dpverify.reports.formats.html").audit_in_notebook  # above this, and long to load
        return str(shown_as_html(self))


Record = TypeVar("Record", bound=msgspec.Struct)


def storable(record: Record) -> Record:
    """The record, with escapes in place of lone surrogates, which no file can hold."""
    try:
        msgspec.json.encode(record)
        return record
    except UnicodeEncodeError:
        return msgspec.convert(_writable(msgspec.to_builtins(record)), type(record))


def storable_audit(audit: AuditRecord) -> AuditRecord:
    """The audit, as `storable` has it."""
    return msgspec.structs.replace(
        audit,
        claims=list(map(storable, audit.claims)),
        not_decided=list(map(storable, audit.not_decided)),
        sources=list(map(storable, audit.sources)),
        provenance=None if audit.provenance is None else storable(audit.provenance),
    )


def _writable(value: Any) -> Any:
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, list):
        return list(map(_writable, value))
    return {_writable(key): _writable(part) for key, part in value.items()} if isinstance(value, dict) else value
