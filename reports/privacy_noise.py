"""The words, on every page, for how much of its noise a mechanism needs, and how much of its claim it uses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from dpverify.mechanisms.numbers.shown import decimal_of_fraction
from dpverify.reports.numbers import equal_to
from dpverify.reports.privacy_record import ON_FEW_PAIRS, LeastConstant, NoiseMultiplier, PrivacyResult
from dpverify.reports.record import Status


def noise_in_words(claim: PrivacyResult) -> list[str]:
    """Tight ε, headroom and looseness of a result, in sentences; none where nothing was measured."""
    said = [*_tightness(claim), *multipliers_in_words(claim.noise_multipliers, claim.headroom), *_least(claim.least)]
    if claim.loose:
        why = f": {claim.loose_because.rstrip('.')}" if claim.loose_because else ""
        said.append(f"Loose: a far worse mechanism also satisfies this claim{why}.")
    return said


def _tightness(claim: PrivacyResult) -> list[str]:
    if claim.tight_over_claimed is None:
        return []
    if claim.for_all_epsilon is not None:
        return ["Tight ε over claimed ε: 1, as some pair uses all of the claim, for all ε of an interval."]
    if claim.tight_over_claimed == "∞":
        return ["Tight ε: ∞, as at this δ it is private for no ε."]
    return [f"Tight ε over claimed ε, at this δ: {claim.tight_over_claimed}.{_needed(claim)}"]


def _needed(claim: PrivacyResult) -> str:
    """The ε that is needed with δ = 0, and the one at the claimed δ, of a claim with a δ."""
    if claim.delta is None or claim.delta.exact == "0" or claim.tight_epsilon is None or claim.epsilon is None:
        return ""
    at_delta = decimal_of_fraction(Fraction(claim.epsilon.decimal) * Fraction(claim.tight_over_claimed or "0"), 7)
    return f" Pure ε {equal_to(claim.tight_epsilon)}; at δ {equal_to(claim.delta)} ε ≈ {at_delta}."


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


def multipliers_in_words(multipliers: Sequence[NoiseMultiplier] | None, headroom: str | None) -> list[str]:
    """Verdict of a claim with other noise multipliers, in a sentence; none where nothing was measured."""
    if multipliers is None:
        return []
    if not multipliers:
        return ["Headroom: none is measured, as nothing that it draws is noise of a scale."]
    told = ", ".join(f"{point.multiplier} {_of_grid(point)}" for point in multipliers)
    gaps = " (more of it is not always better here)" if not is_monotone(multipliers) else ""
    least = "" if headroom is None else f"Headroom: noise multiplier {headroom}. "
    return [f"{least}With noise multipliers{gaps} {told}."]


def _outcome(point: NoiseMultiplier) -> str:
    if point.verdict is None:
        return f"not decided ({point.reason})"
    worst = [] if point.delta is None or point.delta.exact == "0" else [f"δ {equal_to(point.delta)}"]
    remarks = ", ".join([*worst, *([point.reason] if point.reason else [])])
    return f"{point.verdict}" + (f" ({remarks})" if remarks else "")


def _of_grid(point: NoiseMultiplier) -> str:
    """The same beside other multipliers, where all that few pairs refute would say so again and again."""
    return f"{point.verdict}" if point.reason == ON_FEW_PAIRS else _outcome(point)


def is_monotone(multipliers: Sequence[NoiseMultiplier]) -> bool:
    """True if a claim that holds with a noise multiplier holds with all larger ones, as far as they are decided."""
    verdicts = (point.verdict for point in multipliers)
    decided = [verdict is Status.PROVED for verdict in verdicts if verdict in (Status.PROVED, Status.REFUTED)]
    return decided == sorted(decided, reverse=True)


class NoiseStep(NamedTuple):
    """A noise multiplier as a page draws it."""

    multiplier: str
    colour: str
    """The name of a colour of the page."""
    caption: str


def steps(claim: PrivacyResult) -> list[NoiseStep]:
    """The multipliers with what becomes of the claim; none where the whole grid was not decided."""
    if claim.headroom is None:
        return []
    colours: dict[Status | None, str] = {Status.PROVED: "good", Status.REFUTED: "bad"}
    return [
        NoiseStep(point.multiplier, colours.get(point.verdict, "soft"), _outcome(point))
        for point in claim.noise_multipliers or []
    ]
