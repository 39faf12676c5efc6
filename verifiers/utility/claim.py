"""The claim that a mechanism fails with probability at most β, and how it is decided."""

from dataclasses import dataclass

from dpverify.reports.kinds.utility import UtilityResult
from dpverify.verifiers.claims import AS_USUAL, Explanation, How, explained, functions_of
from dpverify.verifiers.utility.checker import check_utility
from dpverify.verifiers.utility.statement import UtilityStatement


@dataclass(frozen=True, kw_only=True)
class UtilityClaim(UtilityStatement):
    """The claim that, on every case that meets `holds_for`, the mechanism succeeds with probability ≥ 1 − `beta`(case).

    Either `cases` are enumerated, smallest first, or `strategy` gives a Hypothesis strategy of cases; then `corners`
    are the ends of their ranges, each of which must be hit, and `floor` is the least number of cases that must meet the
    precondition. `examples` are tried first: counterexamples that were found. `mutant` is the mechanism weakened, which
    must be refuted on the same cases. With `optimal` the best private mechanism on the databases of the cases is found,
    and shown beside. `weak_because` says why a claim is kept that a far worse mechanism earns, too, or `sharp_in` names
    the claim that none earns. Raises `InputError` for a claim that has both or neither, for cases that can be gone
    through once only, for a strategy without corners, and for one that asks for the best mechanism.

    >>> truth = UtilityClaim(
    ...     id="lib.truth",
    ...     mechanism=lambda draw, bit: bit if draw(bernoulli("3/4")) else 1 - bit,
    ...     cases=[Case(0, {}), Case(1, {})],
    ...     succeeds=lambda case, outcome: outcome == case.database,
    ...     beta=lambda case: Fraction(1, 4),
    ...     mutant=lambda draw, bit: 1 - bit,
    ... )
    >>> audit([truth]).claims[0].verdict
    <Status.PROVED: 'PROVED'>
    """

    def decide(self, how: How = AS_USUAL) -> UtilityResult:
        """The record of its verdict, its mutant's, and how sharp it is. Raises as `check_utility` does."""
        return check_utility(self, how.search, slack=how.slack)

    def explain(self, how: How = AS_USUAL) -> Explanation:
        return explained(self, how, functions_of(self, "mechanism", "succeeds", "beta", "mutant"))
