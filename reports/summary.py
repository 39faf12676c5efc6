"""What the renderers have in common: counts, groups, and how a claim and a finding read in a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import inf
from typing import Final, NamedTuple, Protocol

from dpverify.mechanisms.exact.enclosure import decimal_of_fraction
from dpverify.reports.record import AuditRecord, ClaimResult, EpsilonRange, Quantity, Status, WitnessRecord

SHORT: Final = 20
"""Characters of an exact form that still reads at a glance."""


class Group(NamedTuple):
    """The claims on one row of the catalogue, such as BNS-J-2.26."""

    name: str
    claims: Sequence[ClaimResult]


def groups(audit: AuditRecord) -> list[Group]:
    """The claims by the part of the id that they share, in order of occurrence.

    That is BNS-J-2.26 of `BNS-J-2.26.privacy.printed`, a file of the tests in it, and mylib of `mylib.most_common`.
    """
    found: dict[str, list[ClaimResult]] = {}
    for claim in audit.claims:
        found.setdefault(_shared(claim.id), []).append(claim)
    return [Group(name, claims) for name, claims in found.items()]


def _shared(claim_id: str) -> str:
    for separator in (".privacy.", "::"):
        if separator in claim_id:
            return claim_id.partition(separator)[0]
    return claim_id if ":" in claim_id else claim_id.rpartition(".")[0] or claim_id


def variant(claim: ClaimResult, group: Group) -> str:
    """The part of the id that tells a claim from others of its group."""
    return claim.id.removeprefix(group.name).lstrip(".:") or claim.id


def expectation(claim: ClaimResult) -> str:
    """What is worth saying of a verdict: why it is a surprise, or that a violation is known; else nothing."""
    return surprise(claim) or ("" if claim.verdict is Status.PROVED else "expected")


class Decided(Protocol):
    """A result of any kind: a privacy claim's, a lemma's or a utility claim's."""

    @property
    def verdict(self) -> Status:
        """What was found."""

    @property
    def as_expected(self) -> bool:
        """Whether nothing about it is a surprise."""

    @property
    def left_open(self) -> bool:
        """Whether it is no worse than open."""


def counts(results: Iterable[Decided]) -> list[tuple[Status, int]]:
    """How many have each verdict, in the order of `Status`, without those that none has."""
    found = Counter(result.verdict for result in results)
    return [(status, found[status]) for status in Status if found[status]]


def headline(audit: AuditRecord) -> str:
    """The audit in one sentence."""
    return headline_of(audit.claims, "claim", len(audit.not_decided))


def headline_of(results: Sequence[Decided], what: str, not_decided: int = 0) -> str:
    """How many results there are, with their verdicts, and whether all is as expected; `what` is one of them.

    And how many rows beside them are `not_decided`.
    """
    parts = ", ".join(f"{count} {status}" for status, count in counts(results))
    unexpected = sum(not result.as_expected for result in results)
    number = len(results)
    things = f"{number} {what}" if number == 1 else f"{number} {what}s"
    verdict = f"{unexpected} not as expected" if unexpected else "all as expected"
    if not not_decided:
        return f"{things}: {parts or 'none'}; {verdict}"
    rows = "1 row" if not_decided == 1 else f"{not_decided} rows"
    return "; ".join(
        [
            f"{things}: {parts}" if results else f"no {what} was decided",
            *([verdict] if results else []),
            f"not decided: {rows}; this report is partial",
        ]
    )


def is_pure(claim: ClaimResult) -> bool:
    """Whether the claim is of δ = 0."""
    if claim.for_all_epsilon is not None:
        return claim.for_all_epsilon.delta == "0"
    return claim.delta is not None and claim.delta.exact == "0"


def claimed(claim: ClaimResult) -> str:
    """What is claimed: ε, and δ where it is not 0."""
    if claim.for_all_epsilon is not None:
        return for_all(claim.for_all_epsilon.epsilon, claim.for_all_epsilon.delta)
    assert claim.epsilon is not None and claim.delta is not None
    return in_short(claim.epsilon, claim.delta)


def in_short(epsilon: Quantity, delta: Quantity) -> str:
    """A claim of (ε,δ): ε, and δ where it is not 0."""
    return f"ε {equal_to(epsilon)}" + ("" if delta.exact == "0" else f", δ {equal_to(delta)}")


def for_all(epsilon: str, delta: str) -> str:
    """A claim of (ε,δ) for all ε at once."""
    return ("every ε" if epsilon == "ε" else f"{epsilon}, every ε") + ("" if delta == "0" else f", δ = {delta}")


def ranges_in_short(ranges: Sequence[EpsilonRange]) -> str:
    """A set of ε to read at a glance: `ε < 0.905171`, say."""
    return " and ".join(map(_range_in_short, ranges))


def _range_in_short(values: EpsilonRange) -> str:
    low = _short_decimal(values.low)
    if values.high is None:
        return "all ε" if low == "0" else f"ε {'≥' if values.includes_low else '>'} {low}"
    high = _short_decimal(values.high)
    if values.includes_low and values.includes_high and values.low == values.high:
        return f"ε = {low}"
    above = "" if low == "0" else f"{low} {'≤' if values.includes_low else '<'} "
    return f"{above}ε {'≤' if values.includes_high else '<'} {high}"


def _short_decimal(number: Quantity) -> str:
    return decimal_of_fraction(Fraction(number.decimal), 6)


def found(claim: ClaimResult) -> str:
    """What is found in its place: the exact ε for a pure claim, the worst δ at the claimed ε for another."""
    if claim.for_all_epsilon is not None:
        fails_at = claim.for_all_epsilon.fails_at
        return "nothing" if fails_at is None else f"fails: {ranges_in_short(fails_at)}" if fails_at else "holds for all"
    if claim.exact_delta is None:
        return "nothing"
    if not is_pure(claim):
        return f"δ {equal_to(claim.exact_delta)}"
    if claim.exact_epsilon is None:
        return "nothing" if claim.verdict is Status.UNDECIDED else "ε = ∞"
    return f"ε {equal_to(claim.exact_epsilon)}"


def equal_to(number: Quantity) -> str:
    """`= ` and a number in short: its exact form, or `≈ ` and six digits where that is long."""
    if number.exact is not None and len(number.exact) <= SHORT:
        return f"= {number.exact}"
    if number.lower == number.upper and Fraction(number.decimal) == Fraction(number.lower):
        return f"= {number.decimal}"
    return f"≈ {decimal_of_fraction(Fraction(number.decimal), 6)}"


LONG: Final = 400
"""Characters of an exact form that nobody reads; the JSON form has it."""


def in_full(number: Quantity) -> str:
    """A number's exact form, where it has one that can be read, and its decimals, where they say more."""
    if number.exact is None or number.exact == number.decimal or len(number.exact) > LONG:
        return number.decimal
    return f"{number.exact} = {number.decimal}"


def surprise(claim: ClaimResult) -> str:
    """Why a claim is not as expected; empty where it is."""
    if claim.verdict is not claim.expected:
        return f"expected {claim.expected}"
    if claim.agrees_unexpectedly:
        return "all neighbours have one and the same law, and the claim does not say neighbours_agree=True"
    if claim.differs_unexpectedly:
        return "some neighbours have different laws: claim it without neighbours_agree=True"
    if claim.lacks_recheck:
        return "its laws were not rechecked, which --strict asks for"
    if claim.mutant is not None and claim.mutant.status is not Status.REFUTED:
        return f"its mutant {claim.mutant.mechanism} is {claim.mutant.status}: on this domain the check cannot fail"
    return ""


def used(claim: ClaimResult) -> float | None:
    """Which part of the claimed budget the mechanism uses, to draw: above 1 the claim is refuted, None is unknown."""
    if claim.exact_delta is None or claim.delta is None or claim.epsilon is None or claim.verdict is Status.UNDECIDED:
        return None
    if not is_pure(claim):
        return float(Fraction(claim.exact_delta.upper) / Fraction(claim.delta.lower))
    if claim.exact_epsilon is None:
        return inf
    budget = Fraction(claim.epsilon.lower)
    return float(Fraction(claim.exact_epsilon.upper) / budget) if budget else inf


def growth(claim: ClaimResult) -> str:
    """What is found at other sizes, in a sentence, and a warning where it grows; empty where no size was asked for."""
    if not claim.sweep:
        return ""
    letter = "ε" if is_pure(claim) else "δ"
    points = [f"{letter} {'= ∞' if p.found is None else equal_to(p.found)} at size {p.size}" for p in claim.sweep]
    warning = "; it grows: a proof at one size is none for all" if claim.grows else ""
    return f"{', '.join(points)}{warning}."


def background(claim: ClaimResult) -> list[str]:
    """What a verdict covers and where its claim comes from, in sentences."""
    said = " ".join(filter(None, (claim.statement, claim.source and f"({claim.source})")))
    parameters = ", ".join(f"{name}={value}" for name, value in claim.parameters.items())
    worst = f"Worst pair: {' and '.join(claim.worst_pair)}." if claim.worst_pair else ""
    mutant = "" if claim.mutant is None else f"Mutant {claim.mutant.mechanism}: {claim.mutant.status}."
    return [
        *filter(None, (said,)),
        f"Mechanism: {claim.mechanism}" + (f" with {parameters}." if parameters else "."),
        f"Scope: {claim.scope}.",
        f"Found: {claim.reason}.",
        *filter(None, (worst, growth(claim), mutant)),
        *([f"Expected: {claim.expected}."] if claim.as_expected else []),
    ]


def witness_lines(witness: WitnessRecord) -> list[str]:
    """A witness in lines that a person can check by hand; the last one computes it anew."""
    lines = [
        f"left   {witness.left}",
        f"right  {witness.right}",
        f"event  {{{', '.join(witness.event)}}}",
        f"Pr[event | left]  = {in_full(witness.p)}",
        f"Pr[event | right] = {in_full(witness.q)}",
        f"Pr[event | left] - e^ε·Pr[event | right] = {witness.difference.decimal} > δ {equal_to(witness.delta)}, "
        f"at ε {equal_to(witness.epsilon)}",
    ]
    if witness.lifted is not None:
        lines.append(witness.lifted)
    if witness.reproduce is None:
        return [*lines, "(no line reproduces this: a function or value in it has no name that can be imported)"]
    return [*lines, "python -c '" + witness.reproduce.replace("'", "'\"'\"'") + "'"]
