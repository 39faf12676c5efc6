"""Parts of a mechanism whose database is a quality: what is known of those of the recursions.

Where each score moves by at most 1, so do largest and smallest ones, differences to what is the same on both sides, and
scores that are left out or repeated: Theorem 11 of docs/theorems.md.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dpverify.mechanisms.counting.step_functions import StepFunction
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.recursion.quasi_concave import (
    largest_in_blocks,
    last_point,
    on_scales,
    one_of_blocks,
    one_of_points,
)
from dpverify.verifiers.all_sizes.compositions.parts import NUMBER, HandedOn, KnownPart, PartRule, SealedScores
from dpverify.verifiers.all_sizes.compositions.selections import selected_guarantee
from dpverify.verifiers.all_sizes.known_guarantees import SCORES, known_bound


def _zero(last: int) -> StepFunction:
    """One of the qualities: what does not hang on scores is seen of it."""
    return StepFunction.of_pieces([(0, 0)], last)


def _last_point(scores: SealedScores, given: Mapping[str, Any]) -> KnownPart:
    guarantee, because = known_bound(last_point, {}, SCORES)
    last: Any = NUMBER if scores.last is None else last_point(NO_DRAW, _zero(scores.last), **given)
    return KnownPart(name_of(last_point), guarantee, (last,), because)


def _on_scales(scores: SealedScores, given: Mapping[str, Any]) -> HandedOn:
    """The quality of scales moves by at most 1 for each promise: Lemma 3.11 and Observation 3.13 of the paper."""
    if scores.last is None:
        return HandedOn(given["mechanism"], scores, given["parameters"])
    handed: list[HandedOn] = []

    def draw(mechanism: Mechanism, quality: StepFunction, **parameters: Any) -> None:
        handed.append(HandedOn(mechanism, SealedScores(quality.last), parameters))

    _, alpha = given["scaled_at"]
    named = {"zero": given["zero"], "scaled_at": (1, alpha), "mechanism": given["mechanism"]}
    on_scales(draw, _zero(scores.last), **named, **given["parameters"])  # type: ignore[arg-type]
    (result,) = handed
    return result


def _one_of_blocks(scores: SealedScores, given: Mapping[str, Any]) -> KnownPart:
    """A block by the largest score in it."""
    blocks: Sequence[Any] = (NUMBER,)
    if scores.last is not None:
        named = {name: given[name] for name in ("zero", "length", "offset")}
        blocks = range(largest_in_blocks(_zero(scores.last), **named).last + 1)
    guarantee, others, theorem = selected_guarantee(given["selection"], given["given"], is_whole=False)
    return KnownPart(f"{name_of(given['selection'])} of blocks", guarantee, (*blocks, *others), theorem)


def _one_of_points(scores: SealedScores, given: Mapping[str, Any]) -> KnownPart:
    points: Sequence[Any] = (NUMBER,)
    if scores.last is not None:
        points = tuple(one_of_points(NO_DRAW, _zero(scores.last), **given).probabilities)
    guarantee, theorem = known_bound(one_of_points, given, SCORES)
    return KnownPart(name_of(one_of_points), guarantee, points, theorem)


NO_DRAW: Final[Any] = None
"""For mechanisms that draw nothing."""

SCORE_RULES: Final[Mapping[Mechanism, PartRule]] = {
    last_point: _last_point,
    on_scales: _on_scales,
    one_of_blocks: _one_of_blocks,
    one_of_points: _one_of_points,
}
