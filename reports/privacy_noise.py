"""The words, on every page, for how much of its noise a mechanism needs, and how much of its claim it uses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol

from dpverify.mechanisms.numbers.enclosure import decimal_of_fraction
from dpverify.reports.numbers import equal_to
from dpverify.reports.privacy_record import ON_FEW_PAIRS, LeastConstant, NoiseShare, PrivacyResult
from dpverify.reports.record import Quantity, Status


class MeasuredClaim(Protocol):
    """A claim with its strength, for all pages that say it; None stands for each part that was not measured."""

    @property
    def tightness(self) -> str | None:
        """The part of the claimed ε that is needed at the claimed δ, in decimals."""

    @property
    def exact_delta(self) -> Quantity | None:
        """The worst δ at the claimed ε."""

    @property
    def noise_shares(self) -> Sequence[NoiseShare] | None:
        """The verdicts with other shares of its noise."""

    @property
    def slack(self) -> str | None:
        """The least of them with which it is PROVED."""

    @property
    def least(self) -> LeastConstant | None:
        """The verdicts at its least constant, and just below."""

    @property
    def weak(self) -> bool | None:
        """True where it says little."""

    @property
    def weak_because(self) -> str:
        """The reason why it is kept, where it does."""


def noise_in_words(claim: PrivacyResult) -> list[str]:
    """Tight ε, headroom and looseness of a result, in sentences; none where nothing was measured."""
    return [*_tightness(claim), *_noise_and_weakness(claim)]


def strength_in_words(claim: MeasuredClaim) -> list[str]:
    """The same of a claim whose verdict is not shown with it: the worst δ is said, too."""
    worst = "" if claim.exact_delta is None else f"; its worst δ {equal_to(claim.exact_delta)}"
    used = [] if claim.tightness is None else [f"{_part_of_epsilon(claim.tightness)}{worst}."]
    return [*used, *_noise_and_weakness(claim)]


def _noise_and_weakness(claim: MeasuredClaim) -> list[str]:
    said = [*shares_in_words(claim.noise_shares, claim.slack), *_least(claim.least)]
    if claim.weak:
        why = f": {claim.weak_because.rstrip('.')}" if claim.weak_because else ""
        said.append(f"Loose: a far worse mechanism also satisfies this claim{why}.")
    return said


def _tightness(claim: PrivacyResult) -> list[str]:
    if claim.tightness is None:
        return []
    if claim.for_all_epsilon is not None:
        return ["Tight ε over claimed ε: 1, as some pair uses all of the claim, for all ε of an interval."]
    if claim.tightness == "∞":
        return ["Tight ε: ∞, as at this δ it is private for no ε."]
    return [f"{_part_of_epsilon(claim.tightness)}.{_needed(claim)}"]


def _part_of_epsilon(tightness: str) -> str:
    return f"Tight ε over claimed ε, at this δ: {tightness}"


def _needed(claim: PrivacyResult) -> str:
    """The ε that is needed with δ = 0, and the one at the claimed δ, of a claim with a δ."""
    if claim.delta is None or claim.delta.exact == "0" or claim.exact_epsilon is None or claim.epsilon is None:
        return ""
    at_delta = decimal_of_fraction(Fraction(claim.epsilon.decimal) * Fraction(claim.tightness or "0"), 7)
    return f" Pure ε {equal_to(claim.exact_epsilon)}; at δ {equal_to(claim.delta)} ε ≈ {at_delta}."


def _least(constant: LeastConstant | None) -> list[str]:
    if constant is None:
        return []
    if not constant.is_least:
        text = f"with {constant.share} of {constant.of} {_status(constant.verdict)}"
        below = f"with {constant.below} {_status(constant.below_verdict)}"
        return [f"Not the least constant: {text}, {below}{f' ({constant.reason})' if constant.reason else ''}."]
    times = 1 / Fraction(constant.share)
    why = f": {constant.because.rstrip('.')}" if constant.because else ""
    smaller = "is the least that holds" if times == 1 else f"could be {_times(times)} times smaller on this domain"
    return [
        f"Headroom of the paper: {constant.of} {smaller}: PROVED with {constant.share} of it, REFUTED with "
        f"{constant.below}{why}."
    ]


def _times(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else f"{float(number):.3g}"


def _status(status: Status | None) -> str:
    return "not decided" if status is None else status.value


def shares_in_words(shares: Sequence[NoiseShare] | None, slack: str | None) -> list[str]:
    """Verdict of a claim with other shares of the noise, in a sentence; none where nothing was measured."""
    if shares is None:
        return []
    if not shares:
        return ["Headroom: none is measured, as nothing that it draws is noise of a scale."]
    if slack is None:
        return [f"With half its noise: {_outcome(half)}." for half in shares]
    told = ", ".join(f"{point.share} {_of_grid(point)}" for point in shares)
    gaps = " (more of it is not always better here)" if not is_monotone(shares) else ""
    return [f"Headroom: noise multiplier {slack}. With noise multipliers{gaps} {told}."]


def _outcome(point: NoiseShare) -> str:
    if point.verdict is None:
        return f"not decided ({point.reason})"
    worst = [] if point.delta is None or point.delta.exact == "0" else [f"δ {equal_to(point.delta)}"]
    remarks = ", ".join([*worst, *([point.reason] if point.reason else [])])
    return f"{point.verdict}" + (f" ({remarks})" if remarks else "")


def _of_grid(point: NoiseShare) -> str:
    """The same beside other shares, where all that few pairs refute would say so again and again."""
    return f"{point.verdict}" if point.reason == ON_FEW_PAIRS else _outcome(point)


def is_monotone(shares: Sequence[NoiseShare]) -> bool:
    """True if a claim that holds with a share of the noise holds with all larger ones, as far as they are decided."""
    decided = [point.verdict is Status.PROVED for point in shares if point.verdict in (Status.PROVED, Status.REFUTED)]
    return decided == sorted(decided, reverse=True)


class NoiseStep(NamedTuple):
    """A share of the noise as a page draws it."""

    share: str
    colour: str
    """The name of a colour of the page."""
    caption: str


def steps(claim: PrivacyResult) -> list[NoiseStep]:
    """The shares with what becomes of the claim; none where the whole grid was not decided."""
    if claim.slack is None:
        return []
    colours = {Status.PROVED: "good", Status.REFUTED: "bad"}
    return [
        NoiseStep(point.share, "soft" if point.verdict is None else colours.get(point.verdict, "soft"), _outcome(point))
        for point in claim.noise_shares or []
    ]
