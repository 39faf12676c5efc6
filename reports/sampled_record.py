"""The record of a claim by samples: what so many draws refute at a confidence, and what they would have seen."""

import msgspec

from dpverify.reports.record import ClaimResult, Status


class SampledTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An event, how often it was seen in so many draws of each of two neighbours, or of one database, and what may be.

    Of a model `right` is empty, `seen_right` is 0 and `allowed` the probability that the model has.
    """

    left: str
    right: str
    event: str
    seen: int
    seen_right: int
    draws: int
    allowed: str
    """Range of the share on the left: in words, with its number where it is known."""
    refutes: bool


class SampledShare(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Count of an event, or of a cell, its interval at the error of one test, and what it is drawn beside."""

    name: str
    share: str
    low: str
    high: str
    beside: str
    """The probability that the model has, or the most that is allowed of the left database; empty for none."""


class SampledMutant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sampler broken on purpose, its verdict, and the event that refutes it, or that none does."""

    name: str
    status: Status
    shown: str


class SampledResult(ClaimResult, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="sampled"):
    """The question about a sampler and the answer of its draws; a verdict is never PROVED."""

    claimed: str
    """The claimed value, in a few words."""
    confidence: str
    """Confidence: a true claim is refuted with a probability of at most 1 − confidence, a decimal."""
    planned: int
    """Draws of each database, beside those of the pilot."""
    draws: int
    """Those made: fewer where the claim was refuted sooner, and where it was interrupted."""
    pilot: int
    seed: int | None
    """Null of a sampler without a seed."""
    counts_file: str
    """The file of counts that it was decided by; empty where none is."""
    versions: dict[str, str]
    smallest: str
    """The smallest violation that would have been refuted with probability ≥ 9/10: an ε, or of a model a shift."""
    smallest_in_words: str
    """With the event that it is of."""
    ruled_out: str | None
    """The largest ε that is ruled out at the claimed δ, a decimal rounded down; null for none, and of a model."""
    agrees_to: str | None
    """Of a model: no share of a cell is further off, at this confidence; null otherwise."""
    model: str
    """The model's name; empty for none."""
    model_verdict: Status | None
    databases: int
    tried: int
    """Number of events tested."""
    tests: list[SampledTest]
    """Those that say most."""
    shares: list[SampledShare]
    """Counts of what says most, to be drawn: on the left and the right database; or all cells of one database."""
    shares_of: str
    """The whole of which they are shares, in words; empty for none."""
    mutant: SampledMutant | None
    mutant_demanded: bool = False
    """True where a claim that is left open without a mutant is not as expected."""

    @property
    def surprise(self) -> str:
        """Reason why it is not as expected: another verdict, or a mutant that is not refuted."""
        if self.verdict is not self.expected:
            return f"expected {self.expected}"
        if self.lacks_mutant:
            return "it has no mutant, which --strict asks for: nobody knows whether these draws can refute anything"
        if self.mutant is not None and self.mutant.status is not Status.REFUTED:
            return f"its mutant {self.mutant.name} is {self.mutant.status}: with these draws the check cannot fail"
        return ""

    @property
    def lacks_mutant(self) -> bool:
        """True where a mutant is asked for, as nothing was refuted, and there is none."""
        return self.mutant_demanded and self.mutant is None and self.verdict is not Status.REFUTED

    @property
    def left_open(self) -> bool:
        """True where it is no worse than open."""
        fails = self.mutant is None or self.mutant.status is Status.REFUTED
        return fails and not self.lacks_mutant and (super().left_open or self.verdict is self.expected)
