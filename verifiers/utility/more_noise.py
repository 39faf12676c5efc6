"""The additional noise a mechanism bears before it fails: what headroom is to privacy, of usefulness.

A claim of usefulness is loose where it holds with four times the noise, or where its mechanism all but cannot fail: a
far worse one earns it, too.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Final

from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.kinds.utility import MoreNoise, SharpnessResult
from dpverify.reports.record import HELD_VERDICTS, Status
from dpverify.verifiers.utility.judging import Enumerating, JudgedCase, judge
from dpverify.verifiers.utility.statement import UtilityStatement

TIMES: Final = (2, 4, 8, 16)
"""Multiples of the noise that are tried, up to the first that makes it fail."""

_MOST_CASES: Final = 64
"""Cases that are tried with more noise, those first that come nearest to β."""

_HELD: Final = frozenset((*HELD_VERDICTS, Status.FUZZED))
_LITTLE: Final = Fraction(1, 4)
LOOSE_RATIO: Final = 1e-10
"""A claim of which failure/β is never more cannot fail."""


def with_more_noise(claim: UtilityStatement, known: Sequence[JudgedCase]) -> list[MoreNoise]:
    """The fate of a claim with more noise, on the cases that come nearest to β of those that are known.

    Empty where nothing that it draws there is noise of a scale, and where no case is known. Of all known cases it is
    PROVED, of some of them FUZZED: on more of them it could fail.
    """
    nearest = sorted((one for one in known if one.beta < 1), key=lambda one: -one.ratio)
    more_noises: list[MoreNoise] = []
    for times in TIMES:
        if more_noises and more_noises[-1].verdict not in _HELD:
            break
        tried = _tried(claim, times, nearest)
        if tried is None:
            return []
        more_noises.append(tried)
    return more_noises


def _tried(claim: UtilityStatement, times: int, nearest: Sequence[JudgedCase]) -> MoreNoise | None:
    """None where no noise was scaled."""
    enumerating = Enumerating(claim, Fraction(times))
    largest = 0.0
    try:
        for one in nearest[:_MOST_CASES]:
            judged = judge(claim, one.case, None, enumerating)
            if not enumerating.has_scaled:
                return None
            if not judged.holds:
                return MoreNoise(times, Status.REFUTED, judged.finite_ratio, "")
            largest = max(largest, judged.ratio)
    except (InputError, Undecided) as error:  # such as Overtime: a law with more noise may have too many outcomes
        return MoreNoise(times, None, None, one_line(str(error)))
    if not nearest:
        return None
    verdict = Status.PROVED if len(nearest) <= _MOST_CASES else Status.FUZZED
    return MoreNoise(times, verdict, None if largest == inf else largest, "")


def headroom_of_noise(found: Sequence[MoreNoise]) -> Fraction | None:
    """1/t for the most times t its noise with which it holds, 1 for none; None where nothing was measured."""
    if not found:
        return None
    held = [one.times for one in found if one.verdict in _HELD]
    return Fraction(1, max(held, default=1))


def is_loose_in_use(worst: JudgedCase | None, found: Sequence[MoreNoise], sharpness: SharpnessResult | None) -> bool:
    """True where a far worse mechanism is as useful: it all but cannot fail, or has four times the noise to spare.

    The latter is said where it uses a quarter of β at most, too: what fails as often as it may is not spared by its
    noise. One that never fails has nothing random in its way and is not loose, nor is one of which it is known from
    which size on it holds: it is judged there, and fails at one less.
    """
    if worst is None or worst.is_never or (sharpness is not None and sharpness.is_least):
        return False
    headroom = headroom_of_noise(found)
    return worst.ratio < LOOSE_RATIO or (headroom is not None and headroom <= _LITTLE and worst.ratio <= _LITTLE)
