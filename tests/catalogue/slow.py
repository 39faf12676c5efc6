"""The claims that the tests decide on fewer inputs than an audit does, and those that they leave to a deep run."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction

from dpverify.mechanisms.exact.exact_numbers import Exact
from dpverify.mechanisms.exact.symbolic_epsilon import symbol_in
from dpverify.verifiers import Claim
from dpverify.verifiers.claims import AnyClaim

ON_FEWER_INPUTS = frozenset(
    [
        "BuNS-2.24.utility.empirical",
        "BuNS-3.2.utility.direct-sum",
        "BuNS-3.7.utility.choice-of-labelings",
        "BuNS-4.3.lower-bound.words",
        "BuNS-4.5.utility.soundness-ends",
        "BuNS-4.5.utility.soundness-of-each",
        "BuNS-5.1.lower-bound.packing",
        "BuNS-5.2.lower-bound.packing",
        "BuNS-5.4.lower-bound.packing",
        "BNS-J-2.13.utility.samples",
        "BNS-J-2.20.lower-bound.corrected",
        "BNS-J-2.24.utility.tail-of-a-vector",
        "BNS-J-3.10.utility.calls",
        "BNS-J-3.14.utility.short",
        "BNS-J-3.15.utility.promise",
        "BNS-J-3.18.utility.empirical",
        "BNS-J-4.6.utility.e2",
        "BNS-J-5.3.utility.empirical",
        "BNS-J-KLNRS.utility.empirical",
        "BNS-X-Lem2.utility.calls",
        "BNS-X-Lem4.utility.choosing",
        "BNS-X-Thm1.utility.tail",
        "CHS-Cor1.utility.itemsets",
        "CHS-Cor2.utility.shells",
        "CHS-Thm1.lower-bound.printed",
        "CHS-Thm3.utility.items-kept",
        "HRS-4.3.utility.agreement",
        "HRS-4.10.utility.two-queries",
        "HRS-5.1.utility.two-attributes",
        "HRS-5.3.utility.sparse-signs",
        "HRS-5.10.utility.pac",
    ]
)
"""Claims of utility and lower bounds that take long, and of which no cheaper one says the same: each time they are
decided on fewer inputs, in `test_on_fewer_inputs.py`, and on all in `make audit`."""

TAKES_HALF_A_SECOND = frozenset(
    [
        "LICS20-SVT.privacy.discrete-every-epsilon",
        "LSL-Alg1.privacy.discrete-every-epsilon",
        "LSL-Alg2.privacy.discrete-every-epsilon",
        "LSL-Alg4.privacy.corrected-discrete-every-epsilon",
        "LSL-Alg4.privacy.discrete-every-epsilon",
        "LSL-Num.privacy.printed-every-epsilon",
    ]
)
"""Claims of whose mechanism another that comes out alike is decided each time."""


def left_to_deep_runs(claims: Iterable[AnyClaim]) -> frozenset[str]:
    """The ids of `TAKES_HALF_A_SECOND`, and of privacy claims of which there is one before them that is much the same.

    It is of the same theorem and differs in its noise and in numbers alone: ε, δ, and how large a domain is. Both are for
    all ε or for one, and are expected to come out alike. Each time that one is decided; `make audit` and `make deep`
    decide all.
    """
    left, seen = set(TAKES_HALF_A_SECOND), set()
    for claim in claims:
        if isinstance(claim, Claim) and claim.depth == "quick" and claim.id not in left:
            sort = _sort(claim)
            if sort in seen:
                left.add(claim.id)
            seen.add(sort)
    return frozenset(left)


def _sort(claim: Claim) -> Hashable:
    """What a claim is, but for its noise and its numbers."""
    is_for_all_epsilon = symbol_in((claim.epsilon, claim.delta, dict(claim.parameters))) is not None
    given = [f"{name}={value!r}" for name, value in sorted(claim.parameters.items()) if _is_told(name, value)]
    theorem = claim.id.rpartition(".")[0]
    return (theorem, claim.mechanism, claim.neighbours, claim.verdict_expected, is_for_all_epsilon, *given)


def _is_told(name: str, value: object) -> bool:
    return name != "noise" and (isinstance(value, bool) or not isinstance(value, int | Fraction | Exact))
