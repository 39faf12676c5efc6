"""The claim that a mechanism is private, and how it is decided."""

from dataclasses import dataclass

from dpverify.reports.privacy_record import PrivacyResult
from dpverify.verifiers.claims import AS_USUAL, Explanation, How
from dpverify.verifiers.privacy.explanation import explanation
from dpverify.verifiers.privacy.result import privacy_result
from dpverify.verifiers.privacy.statement import PrivacyStatement


@dataclass(frozen=True, kw_only=True)
class Claim(PrivacyStatement):
    """The claim that `mechanism` is (ε,δ)-private for all neighbours of `domain`.

    `domain`, `neighbours` and `parameters` are given as to `check_privacy`. `expected` is the verdict that is known and
    pinned. `mutant` is the mechanism broken on purpose, which the same check must refute, or it would be no check. A
    `depth` of "full" leaves the claim to audits at that depth. `sweep` maps sizes to domains of that size, or is
    `LongerInputs`: the report says what is found at each size, and how it goes on there. `neighbours_agree` says that
    all neighbours have one output distribution, which is not as expected otherwise, unless the claim is (0, 0).
    `weak_because` says why a claim is kept that a far worse mechanism earns, too. `least` gives the least share of a
    constant, such as its noise, with which it holds: that is decided where slack is measured, and it is judged there.
    On each domain of `stronger` the claim has to be PROVED as well: `dpverify mutate` tries there what survives on
    `domain`; with one can stand another ε, (domain, ε), and another δ, (domain, ε, δ). On `all_sizes`, a domain without
    end, a claim that is PROVED on `domain` is decided again: the verdict is for all sizes where it is PROVED there, and
    REFUTED where it is refuted there. That is left to audits at depth full where `all_sizes_depth` is "full". `scope`
    "all" says that it is expected to be PROVED there; `finite_because` says why a claim is made of a finite domain
    alone. Raises `InputError` for a bad id or a claim out of range.

    >>> def response(draw, rows):
    ...     return rows[0] if draw(bernoulli("3/4")) else 1 - rows[0]
    >>> claim = Claim(id="lib.response", mechanism=response, domain=Tuples((0, 1), size=1), epsilon=log(3))
    >>> audit([claim], recheck=False).claims[0].verdict
    <Status.PROVED: 'PROVED'>
    """

    def decide(self, how: How = AS_USUAL) -> PrivacyResult:
        """The record of its verdict, and of its mutant's. Raises `InputError` as `check_privacy` does."""
        return privacy_result(self, how)

    def explain(self, how: How = AS_USUAL) -> Explanation:
        return explanation(self, how)
