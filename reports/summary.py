"""What the renderers have in common: counts, groups, and how a claim and a finding read in a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from math import inf
from typing import Final, NamedTuple

from dpverify.mechanisms.enclosure import decimal_of_fraction
from dpverify.reports.record import AuditRecord, ClaimResult, Quantity, Status, WitnessRecord

SHORT: Final = 20
"""Characters of an exact form that still reads at a glance."""


class Group(NamedTuple):
    """The claims on one row of the catalogue, such as BNS-J-2.26."""

    name: str
    claims: Sequence[ClaimResult]


def groups(audit: AuditRecord) -> list[Group]:
    """Neighbouring claims whose ids agree up to the first dot after the number, as in `BNS-J-2.26.privacy.printed`."""
    return [Group(name, list(claims)) for name, claims in groupby(audit.claims, key=_row)]


def _row(claim: ClaimResult) -> str:
    parts = claim.id.split(".")
    return ".".join(parts[:-2]) if len(parts) > 2 else parts[0]


def variant(claim: ClaimResult, group: Group) -> str:
    """The part of the id that tells a claim from others of its group."""
    return claim.id.removeprefix(group.name).lstrip(".") or claim.id


def counts(audit: AuditRecord) -> list[tuple[Status, int]]:
    """How many claims have each verdict, in the order of `Status`, without those that none has."""
    found = Counter(claim.verdict for claim in audit.claims)
    return [(status, found[status]) for status in Status if found[status]]


def headline(audit: AuditRecord) -> str:
    """The audit in one sentence."""
    parts = ", ".join(f"{count} {status}" for status, count in counts(audit))
    unexpected = [claim for claim in audit.claims if not claim.as_expected]
    number = len(audit.claims)
    claims = f"{number} claim" if number == 1 else f"{number} claims"
    return (
        f"{claims}: {parts or 'none'}; {'all as expected' if not unexpected else f'{len(unexpected)} not as expected'}"
    )


def is_pure(claim: ClaimResult) -> bool:
    """Whether the claim is of δ = 0."""
    return claim.delta.exact == "0"


def claimed(claim: ClaimResult) -> str:
    """What is claimed: ε, and δ where it is not 0."""
    return f"ε {equal_to(claim.epsilon)}" + ("" if is_pure(claim) else f", δ {equal_to(claim.delta)}")


def found(claim: ClaimResult) -> str:
    """What is found in its place: the exact ε for a pure claim, the worst δ at the claimed ε for another."""
    if claim.exact_delta is None:
        return "nothing"
    if not is_pure(claim):
        return f"δ {equal_to(claim.exact_delta)}"
    return "ε = ∞" if claim.exact_epsilon is None else f"ε {equal_to(claim.exact_epsilon)}"


def equal_to(number: Quantity) -> str:
    """`= ` and a number in short: its exact form, or `≈ ` and six digits where that is long."""
    if number.exact is not None and len(number.exact) <= SHORT:
        return f"= {number.exact}"
    if number.lower == number.upper and Fraction(number.decimal) == Fraction(number.lower):
        return f"= {number.decimal}"
    return f"≈ {decimal_of_fraction(Fraction(number.decimal), 6)}"


def in_full(number: Quantity) -> str:
    """A number's exact form, where it has one, and its decimals, where they say more."""
    return number.decimal if number.exact in (None, number.decimal) else f"{number.exact} = {number.decimal}"


def surprise(claim: ClaimResult) -> str:
    """Why a claim is not as expected; empty where it is."""
    if claim.verdict is not claim.expected:
        return f"expected {claim.expected}"
    if claim.mutant is not None and claim.mutant.status is not Status.REFUTED:
        return f"its mutant {claim.mutant.mechanism} is {claim.mutant.status}: on this domain the check cannot fail"
    return ""


def used(claim: ClaimResult) -> float | None:
    """Which part of the claimed budget the mechanism uses, to draw: above 1 the claim is refuted, None is unknown."""
    if claim.exact_delta is None:
        return None
    if not is_pure(claim):
        return float(Fraction(claim.exact_delta.upper) / Fraction(claim.delta.lower))
    if claim.exact_epsilon is None:
        return inf
    budget = Fraction(claim.epsilon.lower)
    return float(Fraction(claim.exact_epsilon.upper) / budget) if budget else inf


def witness_lines(witness: WitnessRecord, epsilon: Quantity, delta: Quantity) -> list[str]:
    """A witness in lines that a person can check by hand; the last one computes it anew."""
    lines = [
        f"left   {witness.left}",
        f"right  {witness.right}",
        f"event  {{{', '.join(witness.event)}}}",
        f"Pr[event | left]  = {in_full(witness.p)}",
        f"Pr[event | right] = {in_full(witness.q)}",
        f"Pr[event | left] - e^ε·Pr[event | right] = {witness.difference.decimal} > δ {equal_to(delta)}, "
        f"at ε {equal_to(epsilon)}",
    ]
    if witness.lifted is not None:
        lines.append(witness.lifted)
    return [*lines, "python -c '" + witness.reproduce.replace("'", "'\"'\"'") + "'"]
