"""Selections by a quality: what is known of those that are private of all scores that move by at most 1 each."""

from collections.abc import Mapping
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.selection.stability import (
    Bottom,
    choose_by_stability,
    choose_by_stability_discrete,
    choose_by_stability_extended_abstract,
)
from dpverify.verifiers.all_sizes.known_guarantees import SCORES, known_bound
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee

STABLE: Final[Mapping[Mechanism, tuple[Bottom, ...]]] = {
    choose_by_stability: (Bottom.BOTTOM,),
    choose_by_stability_discrete: (Bottom.BOTTOM,),
    choose_by_stability_extended_abstract: (Bottom.BOTTOM_1, Bottom.BOTTOM_2),
}
"""Values that each A_dist returns besides a solution."""


def selected_guarantee(
    selection: Mechanism, parameters: Mapping[str, Any], *, is_whole: bool
) -> tuple[PrivacyGuarantee, tuple[Any, ...], str]:
    """The guarantee of a selection whose scores move by at most 1 each, what else it returns, and by which theorem.

    Raises `Undecided` where that is not known, and `InputError` as the selection does.
    """
    guarantee, theorem = known_bound(selection, parameters, SCORES, is_whole=is_whole)
    return guarantee, STABLE.get(selection, ()), theorem
