"""What the refutations of the catalogue refute: all are classified, and the ε that their words name are recomputed."""

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import distribution, exact, exp, log
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.sanitizers.points_sanitizer import rows_for_sanitized_points
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import (
    epsilon_of_sanitized_thresholds,
    rows_for_private_sanitized_thresholds,
)
from dpverify.mechanisms.selection.choosing import rows_needed_journal
from dpverify.mechanisms.selection.stability import choose_by_stability_extended_abstract
from dpverify.verifiers import Case, Claim, Status, UtilityClaim
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.catalogue.learners.labels.label_private_learner_utility import on_one_point
from dpverify.verifiers.catalogue.learners.points.points_learner_utility import unseen
from dpverify.verifiers.catalogue.recursion.quasi_concave_utility import example_of_rec
from dpverify.verifiers.catalogue.sanitizers.histograms.nearly_all_on_one_point import BETA, nearly_all_on_one_point
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_noise_utility import (
    estimate_case,
    noise_case,
    rows_of_claim,
    within_b1,
    within_e3,
)
from dpverify.verifiers.claims import AnyClaim, RefutationKind
from dpverify.verifiers.privacy.result import verdict_on_claim
from dpverify.verifiers.problems.questions import BoundedGrowth
from dpverify.verifiers.utility.judging import failure_probability, judge

BY_ID: dict[str, AnyClaim] = {claim.id: claim for claim in catalogue()}
REFUTED = {name: claim for name, claim in BY_ID.items() if claim.verdict_expected is Status.REFUTED}
HALF, TENTH = Fraction(1, 2), Fraction(1, 10)


def test_every_refutation_is_classified() -> None:
    assert [name for name, claim in REFUTED.items() if claim.refutation is None] == []
    assert {claim.refutation.kind for claim in REFUTED.values() if claim.refutation} == set(RefutationKind)


def test_words_speak_of_claims_that_are_there() -> None:
    for claim in REFUTED.values():
        assert claim.refutation is not None
        named = re.findall(r"\b(?:BNS|BuNS|HRS|CHS|LSL)-[\w.-]*\w", claim.refutation.why)
        for name in named:
            assert name in BY_ID or any(other.startswith(f"{name}.") for other in BY_ID), claim.id


def test_a_degenerate_one_has_a_boundary_or_says_why_there_is_none() -> None:
    for name, claim in REFUTED.items():
        refutation = claim.refutation
        if refutation is not None and refutation.kind is RefutationKind.DEGENERATE and refutation.boundary is None:
            assert re.search(r"no ε|no boundary in ε", refutation.why), name


def test_a_degenerate_statement_is_refuted_at_no_ordinary_parameters() -> None:
    """A row of the catalogue, such as BNS-J-4.6, that has a degenerate refutation of an aspect has none that is not."""

    def aspects(kind: RefutationKind) -> set[str]:
        return {
            ".".join(name.split(".")[:-1])
            for name, claim in REFUTED.items()
            if claim.refutation is not None and claim.refutation.kind is kind
        }

    # of Lemma 3.2 the corrected 2^d, and of Lemma 3 what is printed in step 10, are other statements
    others = {"BNS-J-3.2.utility", "BNS-X-Lem3.utility"}
    assert aspects(RefutationKind.DEGENERATE) & aspects(RefutationKind.STATEMENT) == others


# The boundaries. What a claim asks for, such as a number of rows, is asked for at each ε.
def is_private(claim_id: str, **changed: Any) -> bool:
    claim = REFUTED[claim_id]
    assert isinstance(claim, Claim)
    verdict = verdict_on_claim(replace(claim, expected=None, refutation=None, **changed), recheck=False)
    assert verdict.status in (Status.PROVED, Status.REFUTED)
    return verdict.status is Status.PROVED


def is_useful(claim_id: str, case: Case) -> bool:
    claim = REFUTED[claim_id]
    assert isinstance(claim, UtilityClaim)
    return judge(claim, case).holds


def given(claim_id: str, **changed: Any) -> dict[str, Any]:
    claim = REFUTED[claim_id]
    assert isinstance(claim, Claim)
    return {**claim.parameters, **changed}


def lemma_4_4(claim_id: str, least: int) -> Callable[[Fraction], bool]:
    def holds(epsilon: Fraction) -> bool:
        asked = rows_needed_journal(growth=1, alpha=1, beta=HALF, epsilon=epsilon, delta=TENTH)
        rows = max(least, asked)
        domain = BoundedGrowth(rows=rows, solutions=2, growth=1)
        return is_private(claim_id, epsilon=epsilon, domain=domain, parameters=given(claim_id, rows=rows))

    return holds


def theorem_4_6(epsilon: Fraction) -> bool:
    name = "BNS-J-4.6.privacy.printed-large-epsilon"
    rows = rows_for_sanitized_points(alpha=HALF, beta=BETA, epsilon=epsilon, delta=TENTH)
    domain = nearly_all_on_one_point(rows, (2, 2))
    return is_private(name, epsilon=epsilon, domain=domain, parameters=given(name, epsilon=epsilon))


def lemma_4_8(epsilon: Fraction) -> bool:
    name, delta = "BNS-J-4.8.privacy.printed-large-epsilon", Fraction(1, 200)
    m = rows_for_private_sanitized_thresholds(alpha=1, beta=BETA, epsilon=epsilon, delta=delta)
    return is_private(
        name,
        epsilon=epsilon_of_sanitized_thresholds(calls=1, epsilon=epsilon, delta=delta),
        domain=[tuple(range(m)), (*range(m - 1), m + 1)],
        parameters=given(name, epsilon=epsilon, d=max(4, (m + 1).bit_length())),
    )


def event(claim_id: str, distance: Any, form: Callable[[Case], Case]) -> Callable[[Fraction], bool]:
    def holds(epsilon: Fraction) -> bool:
        at = (Fraction(1, 100), Fraction(1, 38_500), epsilon, Fraction(99, 100))
        asked: int = noise_case(*at, 0, rows_of_claim, distance).facts["rows"]
        # of three rows at least, as the claim's example
        return is_useful(claim_id, form(noise_case(*at, max(0, 3 - asked), rows_of_claim, distance)))

    return holds


def theorem_6_2(epsilon: Fraction) -> bool:
    name = "BNS-J-6.2.utility.one-point"
    target = example(name).facts["target"]
    return is_useful(name, on_one_point(epsilon, HALF, Fraction(1, 4), target))


def theorem_3_18(epsilon: ExactLike) -> bool:
    return is_private("BNS-J-3.18.privacy.printed-6", epsilon=exact(epsilon))


def example(claim_id: str) -> Case:
    claim = REFUTED[claim_id]
    assert isinstance(claim, UtilityClaim)
    return claim.examples[0]


HOLDS_AT: dict[str, tuple[Callable[[Fraction], bool], int]] = {
    "BNS-J-4.4.privacy.printed-large-epsilon": (lemma_4_4("BNS-J-4.4.privacy.printed-large-epsilon", 1), 40),
    "BNS-J-4.4.privacy.below-large-epsilon": (lemma_4_4("BNS-J-4.4.privacy.below-large-epsilon", 2), 40),
    "BNS-J-4.6.privacy.printed-large-epsilon": (theorem_4_6, 1000),
    "BNS-J-4.8.privacy.printed-large-epsilon": (lemma_4_8, 1000),
    "BNS-J-4.10.utility.b1": (event("BNS-J-4.10.utility.b1", within_b1, lambda case: case), 467_000),
    "BNS-J-4.11.utility.e3": (event("BNS-J-4.11.utility.e3", within_e3, estimate_case), 467_000),
    "BNS-J-6.2.utility.one-point": (theorem_6_2, 200),
    "BNS-X-Lem3.utility.with-b": (
        lambda epsilon: is_useful("BNS-X-Lem3.utility.with-b", example_of_rec(33, (0, 0), epsilon, 32)),
        50_000,
    ),
    "BNS-J-3.18.privacy.printed-6": (theorem_3_18, 6),
}
"""Id → whether the claim holds at an ε, and the ε that it is refuted at."""


def test_all_boundaries_are_recomputed() -> None:
    named = {name for name, claim in REFUTED.items() if claim.refutation and claim.refutation.boundary}
    assert named == HOLDS_AT.keys()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("claim_id", HOLDS_AT)
def test_a_claim_holds_at_one_end_of_its_boundary_and_fails_at_the_other(claim_id: str) -> None:
    holds_at, claimed = HOLDS_AT[claim_id]
    refutation = REFUTED[claim_id].refutation
    assert refutation is not None
    assert refutation.boundary is not None
    low, high = Fraction(refutation.boundary.holds_at), Fraction(refutation.boundary.fails_at)
    assert 0 < low < high <= claimed
    assert high / low < Fraction(101, 100)
    assert holds_at(low)
    assert not holds_at(high)
    assert not holds_at(Fraction(claimed))


def test_the_rows_that_are_asked_for_at_the_boundaries_are_those_of_the_words() -> None:
    def of_lemma_4_4(epsilon: str) -> int:
        return rows_needed_journal(growth=1, alpha=1, beta=HALF, epsilon=epsilon, delta=TENTH)

    def of_theorem_4_6(epsilon: int) -> int:
        return rows_for_sanitized_points(alpha=HALF, beta=BETA, epsilon=epsilon, delta=TENTH)

    assert [of_lemma_4_4(epsilon) for epsilon in ("21.57", "21.58", "40")] == [3, 2, 1]
    assert [of_theorem_4_6(epsilon) for epsilon in (791, 792, 1000)] == [10, 9, 7]
    r = example_of_rec(33, (0, 0), Fraction(35_890), 32).parameters["promise"]
    assert r > 2 >= example_of_rec(33, (0, 0), Fraction(35_900), 32).parameters["promise"]


@pytest.mark.deep
def test_sanitized_thresholds_fail_for_odd_numbers_of_rows_up_to_fifteen() -> None:
    found = {}
    for epsilon in (400, 432, 460, 470, 500, 540, 600, 650, 700, 800, 900, 1000):
        asked = rows_for_private_sanitized_thresholds(
            alpha=1, beta=BETA, epsilon=Fraction(epsilon), delta=Fraction(1, 200)
        )
        found[asked] = lemma_4_8(Fraction(epsilon))
    assert found == {rows: rows % 2 == 0 or rows > 15 for rows in (19, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7)}


@pytest.mark.deep
def test_learning_thresholds_holds_up_to_three_logarithms_of_six() -> None:
    """At (ε′,δ′) = (ε/3N, δ/3N) its parts give ((5N − 4)·ε′, (N − 1)·e^(2ε′)·δ′), see BNS-J-3.12.privacy.printed-by-parts."""
    n, epsilon = 2, 3 * log(6)
    assert Fraction(5 * n - 4, 3 * n) == 1
    assert (n - 1) * exp(2 * epsilon / (3 * n)) / (3 * n) == 1
    assert theorem_3_18(epsilon)
    assert Fraction("5.37") < epsilon < Fraction("5.38")


@pytest.mark.parametrize(("halves", "gap"), [(1, 16), (2, 8), (4, 4)])
def test_the_gap_of_the_extended_abstract_is_missed_beyond_four_logarithms_of_two(halves: int, gap: int) -> None:
    """β = 1/16 and δ = 1/8, with which the gap (4/ε)·ln(2/(βδ)) is whole at ε = 2·ln 2, 4·ln 2, …."""
    beta, delta, epsilon = Fraction(1, 16), Fraction(1, 8), 2 * halves * log(2)
    assert gap == 4 * log(2 / (beta * delta)) / epsilon
    found = 1 - distribution(choose_by_stability_extended_abstract, (gap, 0), epsilon=epsilon, delta=delta).probability(
        0
    )
    assert found == beta * exp(epsilon / 2) / 4
    assert (found > beta) is (halves > 2)


def test_the_learner_of_points_returns_one_with_half_of_delta_at_every_epsilon() -> None:
    name = "BNS-J-3.2.utility.none"
    claim = REFUTED[name]
    assert isinstance(claim, UtilityClaim)
    case = unseen()
    delta, beta = case.parameters["delta"], case.facts["beta"]
    for epsilon in (TENTH, Fraction(1), Fraction(200)):
        assert (
            failure_probability(claim, replace(case, parameters={**case.parameters, "epsilon": epsilon})) == delta / 2
        )
    at_the_end = replace(case, parameters={**case.parameters, "delta": 2 * beta})
    assert judge(claim, at_the_end).holds
    assert not judge(claim, case).holds
