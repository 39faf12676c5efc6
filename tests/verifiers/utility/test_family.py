"""Rows of a family make the claims that they say, and what weakens a mechanism weakens it so, and no other way."""

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from dpverify.mechanisms import Draw, InputError, bernoulli, distribution
from dpverify.reports.record import Refutation, RefutationKind, Status
from dpverify.verifiers import Case, check_utility
from dpverify.verifiers.catalogue.corners import whether
from dpverify.verifiers.utility.family import Family, Times, at_part, chosen, least_of, weakened


def truth(draw: Draw, bit: int, *, epsilon: Any, shift: int = 0) -> Any:
    """The bit with probability 1/2 + ε/4, and both bits moved by `shift`."""
    return shift + (bit if draw(bernoulli(F(1, 2) + epsilon / 4)) else 1 - bit)


CASES = tuple(Case(bit, {"epsilon": F(1)}, {"beta": F(1, 4)}) for bit in (0, 1))
TOLD = Family(truth, lambda case, out: out == case.database, lambda case: case.facts["beta"], at_part("half", truth, 2))
WHY = Refutation(RefutationKind.VARIANT, "of more than anybody claims")


def test_a_row_is_the_claim_that_it_says() -> None:
    claim = TOLD("lib.truth", "a paper", "the bit is told", CASES, sharp_in="lib.other")
    assert (claim.id, claim.source, claim.statement) == ("lib.truth", "a paper", "the bit is told")
    assert (claim.mechanism, claim.succeeds, claim.beta, claim.mutant) == tuple(vars(TOLD).values())[:4]
    assert (claim.cases, claim.sharp_in, claim.expected) == (CASES, "lib.other", None)
    result = check_utility(claim)
    assert (result.verdict, result.mutant.status, result.mutant.name) == (Status.PROVED, Status.REFUTED, "half")


def test_an_explanation_says_what_is_weakened() -> None:
    parts = dict(TOLD("lib.truth", "a paper", "the bit is told", CASES).explain().parts)
    assert parts["mutant"].startswith("\n    # truth with epsilon times 1/2.\n    def mutant(")
    assert parts["mechanism"].startswith("\n    def truth(")


def test_a_row_that_is_refuted_says_how() -> None:
    stricter = replace(TOLD, beta=lambda case: F(1, 5))
    claim = stricter("lib.truth", "a paper", "the bit is told", CASES, refuted=WHY)
    assert (claim.expected, claim.refutation) == (Status.REFUTED, WHY)
    assert check_utility(claim).verdict is Status.REFUTED


def test_a_row_is_looked_at_as_a_claim_is() -> None:
    with pytest.raises(InputError, match="either cases or a strategy"):
        TOLD("lib.truth", "a paper", "the bit is told")


def test_an_argument_is_multiplied_or_replaced() -> None:
    assert distribution(at_part("half", truth, 2), 1, epsilon=1).probability(1) == F(5, 8)
    assert distribution(weakened("twice", truth, epsilon=Times(2)), 1, epsilon=F(1, 2)).probability(1) == F(3, 4)
    moved = distribution(weakened("moved", truth, shift=5), 1, epsilon=1)
    assert moved.probability(6) == F(3, 4)
    assert moved.probability(5) == F(1, 4)
    assert at_part("half", truth, 2).__qualname__ == "half"


def test_what_says_whether_it_succeeds() -> None:
    claim = whether(lambda draw, bit, *, epsilon: draw(bernoulli(epsilon)), "third", 3)(
        "lib.so", "a paper", "it says so", [Case(0, {"epsilon": F(3, 4)}, {"beta": F(1, 4)})]
    )
    result = check_utility(claim)
    assert (result.verdict, result.mutant.name, result.mutant.status) == (Status.PROVED, "third", Status.REFUTED)
    assert result.worst is not None and result.worst.failure == "1/4"


made = chosen(lambda a, b, c: Case((a, b, c)), (1, 7), range(2, 5), lambda st: st.booleans())


@given(made())
def test_each_argument_is_one_of_its_choices(case: Case) -> None:
    a, b, c = case.database
    assert a in (1, 7) and b in (2, 3, 4) and c in (False, True)


@pytest.mark.parametrize("wanted", [(1, 2, False), (7, 4, True), (1, 3, True)])
def test_all_choices_are_met(wanted: tuple[Any, ...]) -> None:
    assert find(made(), lambda case: case.database == wanted).database == wanted


def test_a_choice_without_end_is_a_strategy() -> None:
    wide = chosen(Case, lambda st: st.integers())
    assert find(wide(), lambda case: case.database > 10**6).database == 10**6 + 1
    assert isinstance(wide(), st.SearchStrategy)


def test_the_least_size_is_that_of_its_family() -> None:
    least = least_of("ε in quarters", 8, lambda n: [Case(1, {"epsilon": F(n, 4)}, {"beta": F(1, 4)})], ours=True)
    result = check_utility(TOLD("lib.truth", "a paper", "the bit is told", CASES, sharpness=least))
    assert result.sharpness is not None
    assert (result.sharpness.smallest, result.sharpness.paper, result.sharpness.ours) == (4, 8, True)
