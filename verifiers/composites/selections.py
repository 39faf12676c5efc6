"""Selections that are private of all scores that move by at most 1 each: Theorems 1, 9 and 14 of docs/theorems.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ZERO
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism, rate_of
from dpverify.mechanisms.selection.large_margin import large_margin_mechanism
from dpverify.mechanisms.selection.stability import (
    Bottom,
    choose_by_stability,
    choose_by_stability_discrete,
    choose_by_stability_extended_abstract,
)
from dpverify.mechanisms.unknowns.parameters import open_unit, positive, share
from dpverify.verifiers.all_sizes.every_delta_theorem import holds_for_every_delta
from dpverify.verifiers.all_sizes.growth_theorem import NEEDED_WITH_ENOUGH_ROWS, Chooses
from dpverify.verifiers.all_sizes.large_margin_theorem import has_printed_tests
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
    if selection is large_margin_mechanism and has_printed_tests(parameters):
        return large_margin_guarantee(parameters), (), "Theorem 14"
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
    raise Undecided(not_known.PRIVACY_UNKNOWN, f"{name_of(selection)}, with these arguments, on all scores")


def large_margin_guarantee(given: Mapping[str, Any]) -> PrivacyGuarantee:
    """That of the large margin mechanism. Raises `Undecided` where it is not known, and `InputError` as that does."""
    if not has_printed_tests(given):
        raise Undecided(
            not_known.PRIVACY_UNKNOWN, "the large margin mechanism, with less headroom or other noise than printed"
        )
    return PrivacyGuarantee(positive(given["epsilon"], "epsilon"), open_unit(given["delta"], "delta"))


def growing_guarantee(given: Mapping[str, Any], rows: int, growth: int) -> PrivacyGuarantee:
    """That of the choosing mechanism on so many rows or more, by Theorem 13. Raises as the above."""
    if not any(given["noise"] is noise for noise, _ in NEEDED_WITH_ENOUGH_ROWS):
        raise Undecided(not_known.PRIVACY_UNKNOWN, f"the choosing mechanism with {name_of(given['noise'])}")
    epsilon = positive(given["epsilon"], "epsilon")
    threshold = share(given["alpha"], "alpha") * rows / 2
    chooses = Chooses(given["noise"], epsilon, threshold, growth)
    delta = chooses.bound if epsilon.symbol is not None or growth == 1 else chooses.supremum
    return PrivacyGuarantee(epsilon, delta)
