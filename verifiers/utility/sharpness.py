"""The least size from which a claim holds on a family of cases, beside the size that its theorem asks for."""

from collections.abc import Callable, Mapping
from typing import Any

from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input
from dpverify.reports.kinds.utility import SharpnessResult
from dpverify.reports.record import Status
from dpverify.verifiers.utility.statement import Sharpness


def least_that_holds(
    claim_id: str,
    sharpness: Sharpness,
    holds_on: Callable[[Any], bool],
    holds_at_half: Callable[[Any], bool],
    parameters: Callable[[Any], Mapping[str, Any]],
) -> SharpnessResult | None:
    """The least value from which a claim holds on the family, found by bisection below what the paper asks for.

    What is certain are two values: it holds at `smallest`, and fails at the one before, or cannot be decided there,
    unless that is below `least`. `smallest` is None where it does not hold at the paper's; where that cannot be
    decided there is no result. Where something smaller fails the mechanism has no room left: if the `parameters` of
    its cases have an ε, half of that is to be refuted. Raises `InputError` for a family without cases, on which any
    claim would hold.
    """

    def holds(value: int, each: Callable[[Any], bool] = holds_on) -> bool:
        cases = tuple(sharpness.family(value))
        if not cases:
            raise InputError(bad_input.IS_EMPTY, f"{claim_id}: the list of cases at {sharpness.what} = {value}", "case")
        return all(map(each, cases))

    failing: set[int] = set()

    def certain(value: int) -> bool:
        try:
            held = holds(value)
        except Undecided:
            return False
        if not held:
            failing.add(value)
        return held

    try:
        if not holds(sharpness.paper):
            return SharpnessResult(sharpness.what, sharpness.paper, None, sharpness.ours, None)
    except Undecided:
        return None
    low, high = sharpness.least - 1, sharpness.paper
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if certain(middle) else (middle, high)
    halved = None
    has_epsilon = not sharpness.whatever_epsilon and high > sharpness.least
    if has_epsilon and all("epsilon" in parameters(case) for case in sharpness.family(high)):
        try:
            halved = Status.PROVED if holds(high, holds_at_half) else Status.REFUTED
        except Undecided:
            halved = Status.UNDECIDED
    is_least = high - 1 in failing and halved is not Status.PROVED
    return SharpnessResult(sharpness.what, sharpness.paper, high, sharpness.ours, halved, is_least)
