"""What is decided of a privacy claim."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from dpverify.reports.record import Status
from dpverify.verifiers.case import Laws, PairCount
from dpverify.verifiers.enclosed import Enclosed
from dpverify.verifiers.epsilon_sets import EpsilonInterval
from dpverify.verifiers.repetition import Mode
from dpverify.verifiers.witness import Witness


@dataclass(frozen=True)
class Verdict:
    """What is decided of a privacy claim on a domain.

    `delta` is the worst δ at the claimed ε, `epsilon` the exact pure ε on the domain, None where it is infinite. Where
    the status is UNDECIDED, `delta` is bounds or None, and `epsilon` is None. `worst` is the first pair of databases
    that attains `delta`, None where that is 0.
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
