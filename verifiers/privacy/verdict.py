"""What is decided of a privacy claim."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, fields, replace

from dpverify.reports.record import Status, no_truth_value, refuse_text
from dpverify.verifiers.privacy.case import Case, Laws, PairCount, PrivacyGuarantee
from dpverify.verifiers.privacy.enclosed import Enclosed
from dpverify.verifiers.privacy.epsilon_sets import EpsilonInterval
from dpverify.verifiers.privacy.repetition import Mode
from dpverify.verifiers.privacy.showing import in_html, in_lines
from dpverify.verifiers.privacy.verdict_record import Asked
from dpverify.verifiers.privacy.witness import Witness
from dpverify.verifiers.reach.found import Ran


@dataclass(frozen=True)
class Verdict:  # noqa: PLW1641  # the hash is that of its fields, which a dataclass adds
    """What is decided of a privacy claim on a domain.

    `delta` is the worst δ at the claimed ε, `epsilon` the exact pure ε on the domain, None where it is infinite. Where
    the status is UNDECIDED, `delta` is bounds or None, and `epsilon` is None. `worst` is the first pair of databases
    that attains `delta`, None where that is 0. A verdict has no truth value, so that `assert check_privacy(…)`, which
    a refuted one would pass, raises `InputError`; and so does comparing it with a text.
    """

    status: Status
    reason: str
    scope: str
    delta: Enclosed | None
    epsilon: Enclosed | None
    worst: tuple[Hashable, Hashable] | None
    witness: Witness | None
    pairs: PairCount
    databases: int
    laws: Laws | None = field(repr=False, default=None)
    """The laws that were compared, for what else they tell; None where the check came to no result."""
    fails_at: tuple[EpsilonInterval, ...] | None = None
    """None where the claim is for one ε."""
    recheck: Mode = "none"
    """Who computed laws a second time."""
    case: Case | None = field(repr=False, default=None)
    """What was decided, for another mechanism to be put in its place."""
    tight: bool = False
    """Of a claim for all ε, whether some pair meets it with equality, for all ε of an interval."""
    has_scaled: bool = False
    """Whether noise of a scale was drawn, of which another share may be tried."""
    neighbours_agree: bool = False
    """Whether all neighbours have one and the same law although the claim allows for more, so that it says little."""

    for_all_sizes: bool = False
    """Whether it is of a domain without end; a refuted one then has its witness and `case` from two databases of it."""

    ran: Ran | None = field(repr=False, compare=False, default=None)
    """What of the mechanism ran while its laws were found; None where nobody looked on."""

    asked: Asked | None = field(repr=False, compare=False, default=None)
    """What it is about; None of what is decided on the way to a verdict."""

    def __bool__(self) -> bool:
        __tracebackhide__ = True
        return no_truth_value("a verdict", "verdict.status is Status.PROVED")

    def __eq__(self, other: object) -> bool:
        __tracebackhide__ = True
        refuse_text("a verdict", other, "verdict.status == …")
        if not isinstance(other, Verdict):
            return NotImplemented
        names = [one.name for one in fields(self) if one.compare]
        return [getattr(self, name) for name in names] == [getattr(other, name) for name in names]

    def __repr__(self) -> str:
        """The verdict in a line, and its witness below it."""
        if self.asked is None:
            return f"<Verdict {self.status}: {self.reason}>"
        return in_lines(self, self.asked)

    def _repr_html_(self) -> str | None:
        """What a notebook shows: the row of a report, its witness, and the worst δ at every ε as a curve."""
        return None if self.asked is None else in_html(self, self.asked)


def with_agreement(verdict: Verdict, claim: PrivacyGuarantee, agree: bool) -> Verdict:
    """The verdict, saying so where all neighbours have one law: nothing of note, if ε = δ = 0 is what is claimed."""
    if not agree:
        return verdict
    reason = f"{verdict.reason}; all neighbours have one and the same law"
    if all(number.symbol is None and number == 0 for number in claim):
        return replace(verdict, reason=reason)
    advice = (
        "does the mechanism return what it finds? If so, choose a domain on which it tells them apart, or claim "
        "neighbours_agree=True"
    )
    return replace(verdict, neighbours_agree=True, reason=f"{reason}: {advice}")
