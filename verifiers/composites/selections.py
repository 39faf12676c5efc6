"""Selections that are private of all scores that move by at most 1 each, by Theorems 1 and 9 of docs/theorems.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import ZERO
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism, rate_of
from dpverify.mechanisms.selection.stability import (
    Bottom,
    choose_by_stability,
    choose_by_stability_discrete,
    choose_by_stability_extended_abstract,
)
from dpverify.mechanisms.unknowns.parameters import open_unit, positive
from dpverify.verifiers.all_sizes.every_delta_theorem import holds_for_every_delta
from dpverify.verifiers.charts.domains import Scores
from dpverify.verifiers.charts.question import OfScores, all_scores
from dpverify.verifiers.pairs.neighbours import scores_linf
from dpverify.verifiers.questions.question import PrivacyGuarantee, Question
from dpverify.verifiers.questions.score_domains import OrMore

STABLE: Final[Mapping[Mechanism, tuple[Bottom, ...]]] = {
    choose_by_stability: (Bottom.BOTTOM,),
    choose_by_stability_discrete: (Bottom.BOTTOM,),
    choose_by_stability_extended_abstract: (Bottom.BOTTOM_1, Bottom.BOTTOM_2),
}
"""What each A_dist returns besides a solution."""


def selected_guarantee(
    selection: Mechanism, parameters: Mapping[str, Any], *, is_whole: bool
) -> tuple[PrivacyGuarantee, tuple[Any, ...], str]:
    """The guarantee of a selection whose scores move by at most 1 each, what else it returns, and by which theorem.

    Raises `Undecided` where that is not known, and `InputError` as the selection does.
    """
    if selection is exponential_mechanism:
        epsilon = 2 * rate_of(parameters["epsilon"], parameters.get("sensitivity", 1))
        return PrivacyGuarantee(epsilon, ZERO), (), "Theorem 1"
    others = STABLE.get(selection)
    if others is not None:
        claim = PrivacyGuarantee(positive(parameters["epsilon"], "epsilon"), open_unit(parameters["delta"], "delta"))
        domain = Scores(solutions=OrMore(2))
        question = Question(selection, domain, scores_linf, claim, parameters, Limits())
        scores = all_scores(domain, scores_linf)
        assert scores is not None, "scores_linf is a relation of scores"
        is_of_whole_noise = selection is choose_by_stability_discrete or parameters.get("noise") is discrete_laplace
        if (is_whole or not is_of_whole_noise) and holds_for_every_delta(OfScores(question, scores)):
            return claim, others, "Theorem 9"
    raise Undecided(f"it is not known how private {name_of(selection)} is, with what it is given, on all scores")
