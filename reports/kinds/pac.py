"""PAC learning on a population with too many samples to sum over: what some of them find, and how it is told."""

from typing import Final

import msgspec

from dpverify.reports.kind import Detail, Kind, scope_and_reason
from dpverify.reports.kinds.utility import UtilityResult, bar, failing, nearest
from dpverify.reports.kinds.utility import background as background_of_utility
from dpverify.reports.numbers import counted


class Sampled(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The way in which a claim was audited: so many samples of each population, on each of which the coins are summed.

    On the worst population the probability of failure lies in [low, high], with the confidence that is stated for all
    of them together; all three are rounded outward. `seed` is what the samples were drawn with.
    """

    samples: int
    seed: int
    confidence: str
    low: str
    high: str


class PacResult(UtilityResult, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="pac"):
    """As of a utility claim; the failures are the means of what the samples gave, and the inputs are populations."""

    sampled: Sampled


def prose(result: PacResult, detail: Detail) -> list[str]:
    """Between which bounds the probability of failure lies."""
    return [*scope_and_reason(result, detail), _audited(result.sampled)]


def witness(result: PacResult) -> list[str]:
    """The population on which it fails more often than β, and how often at least."""
    shown, sampled = result.witness, result.sampled
    if shown is None:
        return []
    fails = f"fails with probability at least {sampled.low} > β = {shown.beta}, with confidence {sampled.confidence}"
    return [shown.case, fails]


def _audited(sampled: Sampled) -> str:
    return (
        f"{sampled.samples} samples of each: on the worst the probability of failure is in [{sampled.low}, "
        f"{sampled.high}], with confidence {sampled.confidence} in all (seed {sampled.seed})"
    )


def background(result: PacResult) -> list[str]:
    """All that is known of a claim, in sentences."""
    return [*background_of_utility(result), f"Sampled: {_audited(result.sampled)}."]


KIND: Final = Kind(
    name="pac",
    rank=3,
    result=PacResult,
    claimed=lambda _: "failure ≤ β",
    found=nearest,
    extent=lambda result: f"{counted(result.inputs, 'input')}, sampled",
    prose=prose,
    background=background,
    witness=witness,
    page={"bar": bar, "failing": failing},
)
