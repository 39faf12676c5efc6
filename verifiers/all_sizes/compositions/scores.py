"""Parts of a mechanism whose database is a quality: what is known of those of the recursions.

Where each score moves by at most 1, so do largest and smallest ones, differences to what is the same on both sides, and
scores that are left out or repeated: Theorem 11 of docs/theorems.md.
"""

from collections.abc import Mapping
from typing import Any, Final

from dpverify.mechanisms.counting.step_functions import StepFunction
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.recursion.quasi_concave import largest_in_blocks, last_point, on_scales, one_of_points
from dpverify.mechanisms.selection.of_rows import select_by_quality
from dpverify.verifiers.all_sizes.compositions.parts import HandedOn, KnownPart, PartRule, SealedScores
from dpverify.verifiers.all_sizes.compositions.qualities import bound_after_rows
from dpverify.verifiers.all_sizes.compositions.selections import selected_guarantee
from dpverify.verifiers.all_sizes.known_guarantees import SCORES, known_bound


def _zero(scores: SealedScores) -> StepFunction:
    """One of the qualities: what does not hang on scores is seen of it."""
    return StepFunction.of_pieces([(0, 0)], scores.last)


def _last_point(scores: SealedScores, _: Mapping[str, Any]) -> KnownPart:
    guarantee, because = known_bound(last_point, {}, SCORES)
    return KnownPart(name_of(last_point), guarantee, (scores.last,), because)


def _on_scales(scores: SealedScores, given: Mapping[str, Any]) -> HandedOn:
    """The quality of scales moves by at most 1 for each promise: Lemma 3.11 and Observation 3.13 of the paper."""
    handed: list[HandedOn] = []

    def draw(mechanism: Mechanism, quality: StepFunction, **parameters: Any) -> None:
        handed.append(HandedOn(mechanism, SealedScores(quality.last), parameters))

    _, alpha = given["scaled_at"]
    named = {"zero": given["zero"], "scaled_at": (1, alpha), "mechanism": given["mechanism"]}
    on_scales(draw, _zero(scores), **named, **given["parameters"])  # type: ignore[arg-type]
    (result,) = handed
    return result


def _selected(scores: SealedScores, given: Mapping[str, Any]) -> KnownPart:
    """A block by the largest score in it."""
    function, named = bound_after_rows(given["quality"])
    if function is not largest_in_blocks:
        raise Undecided(not_known.SENSITIVITY_UNKNOWN, f"{name_of(function)} moves by at most 1 where all scores do")
    blocks = range(largest_in_blocks(_zero(scores), **named).last + 1)
    guarantee, others, theorem = selected_guarantee(given["selection"], given["parameters"], is_whole=False)
    return KnownPart(f"{name_of(given['selection'])} by {name_of(function)}", guarantee, (*blocks, *others), theorem)


def _one_of_points(scores: SealedScores, given: Mapping[str, Any]) -> KnownPart:
    law = one_of_points(None, _zero(scores), **given)  # type: ignore[arg-type]
    guarantee, theorem = known_bound(one_of_points, given, SCORES)
    return KnownPart(name_of(one_of_points), guarantee, tuple(law.probabilities), theorem)


SCORE_RULES: Final[Mapping[Mechanism, PartRule]] = {
    last_point: _last_point,
    on_scales: _on_scales,
    select_by_quality: _selected,
    one_of_points: _one_of_points,
}
