"""The result of a claim of (ε,δ)-privacy, as plain data."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Final, Literal

import msgspec

from dpverify.reports.record import HELD_VERDICTS, NOT_RECHECKED, OPEN_VERDICTS, ClaimResult, Quantity, Status


class Share(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """The probabilities, in decimals, of an outcome or a stretch of numbers on each of two databases."""

    outcome: str
    """Empty of a stretch."""
    p: str
    q: str
    in_event: bool


class WitnessDistributions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The output distributions on both databases of a counterexample, to be drawn: outcomes that differ, or a line."""

    shares: list[Share]
    ends: list[str]
    """Of stretches of a line of numbers, in decimals, one more than there are stretches; empty of outcomes."""
    line: str
    """Number of an outcome that lies on the line, as x in it; empty of outcomes."""
    left_out: int
    """Number of further outcomes."""


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
    realised_by: str | None
    distributions: WitnessDistributions | None = None
    """Null where they are too large to be drawn, or of several numbers."""


class EpsilonRange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ε from low to high, which are in it or not; high is null for all ε beyond low."""

    low: Quantity
    high: Quantity | None
    includes_low: bool
    includes_high: bool


class DeltaColumn(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """The δ at one ε that are in a set, as intervals from low to high by rising δ: all in decimals, to be drawn."""

    epsilon: str
    deltas: list[tuple[str, str]]


class EpsilonDeltaRegion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A set of (ε, δ), and what of it is drawn."""

    formulas: list[str]
    """One of them holds of what is in the set, and of nothing else."""
    columns: list[DeltaColumn]
    """At some ε, by rising ε."""
    scale: int = 1
    """It is drawn with ε at 1 − e^(−ε/scale)."""


class ForAllEpsilon(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A claim for all ε > 0 at once, or for all δ: the claimed ε and δ as functions of these, and where it fails."""

    epsilon: str
    delta: str
    fails_at: list[EpsilonRange] | None
    """By rising ε; null where it is not decided, and of a claim for every δ that is refuted."""
    every_delta: bool = False
    """True where it is for all δ between 0 and 1."""
    fails_in: EpsilonDeltaRegion | None = None
    """Region where a claim for every δ fails; null of other claims, where it fails nowhere, or that is not known."""


class ProfilePiece(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """δ(ε) = p − q·e^ε from ε = low to ε = high, in decimals; high is null for all ε from low on."""

    low: str
    high: str | None
    p: str
    q: str


class CurvePoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The worst δ at one ε, in decimals."""

    epsilon: str
    delta: str


class SweepPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The finding at another size of the databases: the exact ε where the claimed δ is 0, else the worst δ."""

    pair: list[str] | None
    """The two databases that it is found on, where it was looked for among pairs; null where all pairs were decided."""

    size: int
    result: Quantity | None
    """Null for an infinite ε."""


class MutantResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Verdict of the claim with a mechanism that is broken on purpose: REFUTED, if the check can fail at all."""

    mechanism: str
    description: str
    status: Status


ON_FEW_PAIRS: Final = "on a few pairs"
"""The reason of a noise multiplier that the pairs refute where the claim comes nearest to failing."""


class NoiseMultiplier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Verdict of the claim where all noise of the mechanism is multiplied by a number, and all else stays as it is."""

    multiplier: str
    """As "p/q": scales of noise are multiplied by it, and rates of exponential choices divided; 0 is no noise."""
    verdict: Status | None
    """Null where the mechanism cannot be decided so."""
    delta: Quantity | None
    """The worst δ at the claimed ε; null where it was not computed."""
    reason: str
    """Reason why it is not decided, or the part on which it is; empty where that is the whole domain."""


class LeastConstant(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Verdicts of the claim with the least share of a printed constant that holds, and with one just below."""

    of: str
    """The constant, in words."""
    parameter: str
    """Parameter of the mechanism that is its share; empty of the noise."""
    share: str
    """As "p/q"."""
    verdict: Status | None = None
    """With the share; null where the mechanism cannot be decided so."""
    below: str
    """A share that is less, by a quarter at most."""
    below_verdict: Status | None = None
    uses_little: bool = False
    """True where with the share, too, little is used of the claimed ε and δ."""
    reason: str = ""
    """Reason why it is not decided, or not the least: with less noise the claim may be proved again."""
    because: str = ""
    """Part of which there is too much; empty where nobody says so."""

    @property
    def is_least(self) -> bool:
        """True where the claim is proved with the share, and refuted just below; of noise, with less nowhere again."""
        return self.verdict is Status.PROVED and self.below_verdict is Status.REFUTED and not self.reason


class WholeRunsRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mechanism with more than a few paths that was enumerated by whole runs, and why not by steps."""

    mechanism: str
    line: int
    """Line of the reason; 0 where that is not known."""
    why: str

    @property
    def in_words(self) -> str:
        """The mechanism with line and reason."""
        return f"{self.mechanism}, line {self.line}: {self.why}" if self.line else f"{self.mechanism}: {self.why}"


FINITE_DOMAIN: Final = "the domain is finite"
"""Reason why a claim is not of all sizes of which nobody says more."""

REFUTED_ON_TWO: Final = "refuted on two of them"
"""The end of the scope of a claim for all sizes that is refuted: others may need more than these two."""

LEFT_TO_DEPTH_FULL: Final = "the proof for all sizes is left to depth full"
"""The reason why a claim of all sizes is shown on a finite domain, in an audit of a lower depth."""


class PrivacyResult(ClaimResult, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="privacy"):
    """A claim of privacy on a domain, and the finding there."""

    parameters: dict[str, str]
    domain: str
    neighbours: str
    epsilon: Quantity | None
    """The claimed ε; null where the claim is for all ε, or for all δ."""
    delta: Quantity | None
    """The claimed δ; null likewise."""
    for_all_epsilon: ForAllEpsilon | None
    """Null where the claim is for one ε and one δ."""
    databases: int
    pairs: int
    distinct_pairs: int
    skipped_neighbours: int
    tight_epsilon: Quantity | None
    """The exact pure ε on the domain; null where it is infinite or not known, and where the claim is for all ε.

    Of a claim that is decided before post-processing it has no exact form, and lies between 0 and what the noises need.
    """
    smallest_delta: Quantity | None
    """The worst δ at the claimed ε; null where it is not known. As the ε where it is decided before post-processing."""
    worst_pair: list[str] | None
    profile: list[ProfilePiece] | None
    """The worst δ at every ε, piece by piece; null where it was not computed, and where real numbers are released."""
    curve: list[CurvePoint] | None = None
    """The worst δ at some ε, by rising ε, where real numbers are released; null elsewhere, or where not computed."""
    sweep: list[SweepPoint]
    """Results at other sizes, by rising size; empty where none was asked for."""
    trend: Literal["", "none", "constant", "shrinking", "growing", "uneven", "infinite"]
    """Trend of the last steps between sizes of the sweep; empty for too few of them. Measured, and no verdict."""
    witness: WitnessRecord | None
    worst: WitnessRecord | None = None
    """The pair that needs the largest δ at the claimed ε, where that is not the witness; null elsewhere."""
    proved_for: str = ""
    """Scope of a PROVED claim, in words: databases, and every ε where it is; empty of other verdicts."""
    hint: str = ""
    """Part that a PROVED claim leaves unseen: what is drawn guarantees less; empty where that is not known."""
    growth: str = ""
    """The exact ε by size, where a claim is PROVED on databases of several sizes and it grows with them; else empty."""
    mutant: MutantResult | None
    noise_multipliers: list[NoiseMultiplier] | None = None
    """By falling multiplier; empty where the mechanism draws no noise of a scale, null where nothing was measured."""
    loose_because: str = ""
    """Reason to keep a claim that a far worse mechanism earns, too; empty where nobody says so."""
    least: LeastConstant | None = None
    """Least share of a paper's constant that holds, where it is loose; null where none is given, or measured."""
    neighbours_agree_expected: bool
    """True where the claim says that all neighbours have one output distribution."""
    all_sizes_demanded: bool = False
    """True where the claim says that it is proved for all sizes."""
    mutant_demanded: bool = False
    """True where a claim that is PROVED without a mutant is not as expected."""
    own_parameters: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    """Value of the mechanism's own ε or δ where that is not the claimed one; left out elsewhere."""
    whole_runs: list[WholeRunsRecord] | msgspec.UnsetType = msgspec.UNSET
    """The mechanisms that were enumerated by whole runs; left out where all were found by steps, or in a few runs."""
    strict: bool
    """True where a verdict that was not rechecked, or that is loose and nobody says why, is not as expected."""

    @property
    def surprise(self) -> str:
        """Reason why it is unexpected: another verdict, neighbours that agree, no recheck, a mutant that passes."""
        if self.verdict is not self.expected:
            return f"expected {self.expected}"
        if self.all_sizes_demanded and self.verdict in HELD_VERDICTS and self.scope.extent != "all":
            return f"expected for all sizes: {self.scope.why}"
        if self.verdict in HELD_VERDICTS and self.neighbours_agree and not self.neighbours_agree_expected:
            return "all neighbours have one output distribution, and the claim does not say neighbours_agree=True"
        if self.neighbours_agree_expected and self.distinct_pairs > 0 and not self.neighbours_agree:
            return "some neighbours have different output distributions: claim it without neighbours_agree=True"
        if self.lacks_recheck:
            return "its distributions were not recomputed, which --strict asks for"
        if self.strict and self.rider:
            return (
                f"it is PROVED {self.rider} alone, and --strict asks for every order: claim it on Tuples, on fewer or "
                "smaller multisets, or of in_sorted_order(mechanism)"
            )
        if self.strict and self.loose and not self.loose_because:
            return "it is weak, and nobody says why: it needs a quarter of its noise, or of ε and δ, or no noise at all"
        if self.least is not None and not self.least.is_least:
            return f"its least constant is not what it says: {self.least.share} of {self.least.of}"
        if self.strict and self.never_run is not None and self.never_run.surprise:
            return self.never_run.surprise
        if self.mutant_demanded and self.mutant is None and self.verdict in HELD_VERDICTS:
            return "it has no mutant, which --strict asks for: nobody knows whether the check can fail"
        if self.mutant is not None and self.mutant.status is not Status.REFUTED:
            return f"its mutant {self.mutant.mechanism} is {self.mutant.status}: on this domain the check cannot fail"
        return ""

    @property
    def at_least_constant(self) -> bool:
        """True where it is no loose claim for what it says at a least constant."""
        return self.least is not None and self.least.is_least and not self.loose

    @property
    def lacks_recheck(self) -> bool:
        """True where it is `strict`, and its output distributions were computed once only."""
        return self.strict and self.verdict not in OPEN_VERDICTS and self.scope.recomputation == NOT_RECHECKED

    @property
    def left_open(self) -> bool:
        """True where it is no worse than open."""
        return self.verdict in OPEN_VERDICTS and (self.mutant is None or self.mutant.status is Status.REFUTED)

    @property
    def is_pure(self) -> bool:
        """True where the claim is of δ = 0."""
        if self.for_all_epsilon is not None:
            return self.for_all_epsilon.delta == "0"
        return self.delta is not None and self.delta.exact == "0"

    @property
    def used(self) -> float | None:
        """Used part of the claimed budget, to draw: above 1 the claim is refuted, None is unknown."""
        smallest = self.smallest_delta
        if smallest is None or self.delta is None or self.epsilon is None or self.verdict is Status.UNDECIDED:
            return None
        if not self.is_pure:
            return _share(smallest, self.delta)
        return inf if self.tight_epsilon is None else _share(self.tight_epsilon, self.epsilon)


def _share(used: Quantity, budget: Quantity) -> float:
    """Used part of a budget, at most; infinite also where that is beyond a float."""
    try:
        return float(Fraction(used.upper) / Fraction(budget.lower))
    except (OverflowError, ZeroDivisionError):
        return inf
