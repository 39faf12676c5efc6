"""Calibrating: the smallest constant on a grid with which a mechanism keeps a privacy claim."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.functions.signatures import refuse_kept
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.shown import shown
from dpverify.verifiers.privacy.checker import check_privacy
from dpverify.verifiers.problems.neighbours.neighbours import replace_one
from dpverify.verifiers.problems.questions.domains import Domain
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.verdicts.verdict import Proved, Refuted, Undecided


@dataclass(frozen=True)
class Calibration:
    """The boundary between the values of a parameter that keep a claim and those that break it.

    With `smallest` the claim is PROVED, as `proved` says; with `below`, the value before it on the grid, it is REFUTED,
    as `refuted` says with its witness, or UNDECIDED where it needs more before post-processing. The latter two are None
    where the first value of the grid keeps the claim.
    `decided` counts the checks that were made.
    """

    smallest: Any
    proved: Proved
    below: Any | None
    refuted: Refuted | Undecided | None
    decided: int


def calibrate(
    mechanism: Mechanism,
    domain: Domain | Callable[[Any], Domain],
    neighbours: NeighbourRelation = replace_one,
    *,
    parameter: str,
    grid: Sequence[Any],
    epsilon: ExactLike,
    delta: ExactLike = 0,
    parameters: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    recheck: bool = True,
) -> Calibration:
    """The smallest value on `grid` for `parameter` of the mechanism with which the (ε,δ) claim is PROVED on the domain.

    `grid` rises from too little noise, or too low a threshold, to enough. It is bisected: what is certain are the two
    values that are returned, neighbours on the grid, with their verdicts. `domain` may be a function of the value, as
    for a number of rows. The other arguments are those of `check_privacy`. Raises `InputError` for an empty grid, where
    the last value does not keep the claim, or where a verdict is UNDECIDED, unless because the claim fails of the
    noises that the outcome is computed from: such a value does not keep it. So for the `epsilon` or `delta` of a
    mechanism that has a value for it, unless `parameters` has one, too.

    >>> def noisy(draw, rows, *, scale):
    ...     return sum(rows) + draw(laplace(scale))
    >>> calibrate(noisy, Tuples((0, 1), size=1), parameter="scale", grid=[1, 2, 3], epsilon="1/2").smallest
    2
    """
    refuse_kept(mechanism, parameter, parameters or {})
    if not isinstance(grid, Sequence) or not grid:
        raise InputError(bad_input.IS_EMPTY, f"grid={shown(grid)}", f"value for {parameter}")
    proved: dict[int, Proved] = {}
    refuted: dict[int, Refuted | Undecided] = {}

    def keeps(i: int) -> bool:
        space = domain(grid[i]) if callable(domain) else domain
        verdict = check_privacy(
            mechanism,
            space,
            neighbours,
            epsilon=epsilon,
            delta=delta,
            parameters={**(parameters or {}), parameter: grid[i]},
            limits=limits,
            recheck=recheck,
        )
        match verdict:
            case Proved():
                proved[i] = verdict
            case Refuted():
                refuted[i] = verdict
            case Undecided() if verdict.basis.refuted_before_post_processing:
                refuted[i] = verdict  # nobody will prove it of the noises that it is decided by
            case _:
                raise InputError(
                    bad_input.CALIBRATION, parameter, grid[i], f"which is {verdict.status}: {verdict.reason}"
                )
        return i in proved

    low, high = -1, len(grid) - 1
    if not keeps(high):
        raise InputError(
            bad_input.CALIBRATION,
            parameter,
            grid[high],
            f"the last value of the grid, does not keep the claim: {refuted[high].reason}",
        )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if keeps(middle) else (middle, high)
    below = None if low < 0 else grid[low]
    return Calibration(grid[high], proved[high], below, refuted.get(low), len(proved) + len(refuted))
