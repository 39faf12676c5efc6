"""Rows of lower bounds make the claims that they say, and the mutants that are made of a family are refuted."""

from fractions import Fraction as F

from dpverify.mechanisms import exp, log
from dpverify.reports.record import Refutation, RefutationKind, Status
from dpverify.verifiers.claims import Broken
from dpverify.verifiers.lower_bounds import HardInstance
from dpverify.verifiers.lower_bounds.checker import check_lower_bound
from dpverify.verifiers.lower_bounds.family import (
    BoundFamily,
    a_tenth_too_little,
    on_cases,
    two_tenths_too_little,
    without_distances,
)

BIT = HardInstance(databases=[(0,), (1,)], outcomes=(0, 1), succeeds=lambda rows, answer: rows[0] == answer)
ONE_BIT = BoundFamily(lambda case: 1 / (1 + exp(-case["epsilon"])), lambda case: BIT)
CASES = [{"rows": 1, "epsilon": log(2)}]


def test_a_row_is_the_claim_that_it_says() -> None:
    claim = ONE_BIT(
        *("lib.bit", "a paper", "a bit is told with 1/(1 + e^(-ε)) at most", CASES),
        *(a_tenth_too_little, two_tenths_too_little, without_distances, Broken("ε = 0", {"epsilon": lambda case: 0})),
    )
    assert (claim.id, claim.source, claim.cases, claim.strict) == ("lib.bit", "a paper", CASES, False)
    result = check_lower_bound(claim)
    assert result.verdict is Status.PROVED
    assert [(one.change, one.status) for one in result.mutants[:3]] == [
        ("a tenth less is forced", Status.REFUTED),
        ("two tenths less are forced", Status.REFUTED),
        ("the distances are left out", Status.REFUTED),
    ]
    assert result.mutants[3].status is Status.PROVED  # which forces no less: such a mutant says nothing


def test_how_much_less_is_forced() -> None:
    (case,) = CASES
    assert a_tenth_too_little(ONE_BIT).fields["forced"](case) == F(3, 5)
    assert two_tenths_too_little(ONE_BIT).fields["forced"](case) == F(27, 50)


def test_other_cases_are_a_mutant() -> None:
    mutant = on_cases("more ε", {"rows": 1, "epsilon": log(3)}, strict=True)
    assert (mutant.change, mutant.fields) == ("more ε", {"cases": ({"rows": 1, "epsilon": log(3)},), "strict": True})


def test_nothing_to_run_has_no_distances() -> None:
    assert without_distances(BoundFamily(lambda case: 1)).fields["instance"]({"epsilon": 1}) is None


def test_a_row_that_is_refuted_says_how() -> None:
    why = Refutation(RefutationKind.DEGENERATE, "at this ε alone: there is no boundary")
    claim = BoundFamily(lambda case: F(1, 2), lambda case: BIT)("lib.bit", "a paper", "a coin", CASES, refuted=why)
    assert (claim.expected, claim.refutation) == (Status.REFUTED, why)
    assert check_lower_bound(claim).verdict is Status.REFUTED
