"""The claims that the tests decide on fewer inputs than an audit does, and those that they leave to a deep run."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction

from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.signs.symbolic_epsilon import symbol_in
from dpverify.verifiers import Claim
from dpverify.verifiers.claims import AnyClaim

ON_FEWER_INPUTS = frozenset(
    [
        "BuNS-2.20a.utility.cut-off-histogram",
        "BuNS-2.20b.utility.stable-histogram",
        "BuNS-2.21.utility.sanitizer",
        "BuNS-2.24.utility.empirical",
        "BuNS-3.2.utility.direct-sum",
        "BuNS-3.7.utility.choice-of-labelings",
        "BuNS-3.11.utility.gap",
        "BuNS-4.3.lower-bound.words",
        "BuNS-4.5.utility.soundness-ends",
        "BuNS-4.5.utility.soundness-of-each",
        "BuNS-5.1.lower-bound.packing",
        "BuNS-5.2.lower-bound.packing",
        "BuNS-5.4.lower-bound.packing",
        "BNS-J-2.13.utility.samples",
        "BNS-J-2.14.utility.samples-of-two-points",
        "BNS-J-2.18.utility.proper",
        "BNS-J-2.19.utility.subsets",
        "BNS-J-2.19.utility.thresholds",
        "BNS-J-2.20.lower-bound.corrected",
        "BNS-J-2.21.utility.fixed-size",
        "BNS-J-2.24.utility.tail",
        "BNS-J-2.24.utility.tail-of-a-long-vector",
        "BNS-J-2.24.utility.tail-of-a-vector",
        "BNS-J-2.25.utility.exponential",
        "BNS-J-3.5.utility.search",
        "BNS-J-3.10.utility.calls",
        "BNS-J-3.14.utility.short",
        "BNS-J-3.15.utility.promise",
        "BNS-J-3.18.utility.empirical",
        "BNS-J-3.18.utility.on-the-sample",
        "BNS-J-3.18.utility.pac",
        "BNS-J-3.18.utility.pac-of-long-ranges",
        "BNS-J-3.22.utility.whole-on-fewer-rows",
        "BNS-J-4.5.utility.choosing",
        "BNS-J-4.5.utility.choosing-all-qualities",
        "BNS-J-4.6.utility.e2",
        "BNS-J-4.6.utility.fewer-rows",
        "BNS-J-4.6.utility.ordinary",
        "BNS-J-4.10.utility.b1-corrected",
        "BNS-J-4.10.utility.b1-discrete",
        "BNS-J-4.10.utility.b3",
        "BNS-J-4.11.utility.calls",
        "BNS-J-4.11.utility.e3-corrected",
        "BNS-J-4.12.utility.close",
        "BNS-J-4.13.utility.rows",
        "BNS-J-4.15.lower-bound.packing",
        "BNS-J-4.16.utility.two-parts",
        "BNS-J-5.1.utility.parts",
        "BNS-J-5.3.utility.empirical",
        "BNS-J-5.9.lower-bound.direct",
        "BNS-J-6.2.utility.one-point-corrected",
        "BNS-J-KLNRS.utility.empirical",
        "BNS-X-Lem2.utility.calls",
        "BNS-X-Lem4.utility.choosing",
        "BNS-X-Prop2.utility.gap-corrected",
        "BNS-X-Thm1.utility.tail",
        "BNS-X-Thm1.utility.tail-no-less",
        "BNS-X-Thm2.utility.pac-with-b",
        "BNS-X-Thm4.utility.sanitizer",
        "BNS-X-Thm5.utility.learn-from-parts",
        "BNS-X-Thm6.lower-bound.rows",
        "CHS-2.2-MoL.utility.example",
        "CHS-2.2-MoL.utility.loss",
        "CHS-Cor1.utility.itemsets",
        "CHS-Cor2.utility.shells",
        "CHS-Prop1.lower-bound.corrected",
        "CHS-Rem1.utility.number-of-items",
        "CHS-Thm1.lower-bound.more-items",
        "CHS-Thm1.lower-bound.printed",
        "CHS-Thm3.utility.items-kept",
        "CHS-Thm3.utility.three-and-four-items",
        "HRS-4.3.utility.agreement",
        "HRS-4.6.utility.samples",
        "HRS-4.7.utility.samples",
        "HRS-4.8.utility.hypotheses",
        "HRS-4.8.utility.smooth-six",
        "HRS-4.8.utility.smooth-three-quarters",
        "HRS-4.10.utility.two-queries",
        "HRS-5.1.utility.two-attributes",
        "HRS-5.3.utility.construction-14",
        "HRS-5.3.utility.construction-14-wide",
        "HRS-5.3.utility.construction-of-least-degree",
        "HRS-5.4.utility.by-scales",
        "HRS-5.4.utility.dropping-polynomial",
        "HRS-5.7.utility.construction-14",
        "HRS-5.8.utility.tree",
        "HRS-5.9.utility.cube-signs",
        "HRS-5.10.utility.pac",
        "HRS-6.1.utility.two-bits",
        "HRS-6.2.utility.learns",
    ]
)
"""Claims of utility and lower bounds that take long, and of which no cheaper one says the same: each time they are
decided on fewer inputs, in `test_on_fewer_inputs.py`, and on all in `make audit`."""

HAS_A_QUICKER_ONE_BESIDE = frozenset(
    [
        "BNS-J-2.24.privacy.discrete",
        "BNS-J-2.24.privacy.discrete-3",
        "BNS-J-2.24.privacy.discrete-histogram-every-epsilon",
        "BNS-J-2.24.privacy.discrete-ln2",
        "BNS-J-2.24.privacy.printed-clamped",
        "BNS-J-2.24.privacy.printed-histogram",
        "BNS-J-2.24.privacy.printed-histogram-add-remove",
        "BNS-J-2.24.privacy.printed-histogram-every-epsilon",
        "BNS-J-2.24.privacy.printed-sum",
        "BNS-J-2.24.privacy.printed-sum-add-remove",
        "BNS-J-2.24.privacy.printed-vector",
        "BNS-J-2.24.privacy.printed-vector-every-epsilon",
        "BNS-J-2.25.privacy.scores-every-epsilon",
        "BNS-J-2.26.privacy.corrected-3",
        "BNS-J-2.26.privacy.corrected-counts",
        "BNS-J-2.26.privacy.corrected-discrete-3",
        "BNS-J-2.26.privacy.corrected-discrete-below",
        "BNS-J-2.26.privacy.corrected-every-epsilon",
        "BNS-J-2.26.privacy.corrected-scale-below",
        "BNS-J-2.26.privacy.printed-add-remove-ln2",
        "BNS-J-2.26.privacy.printed-at-2epsilon-3",
        "BNS-J-2.26.privacy.printed-every-epsilon",
        "BNS-J-2.26.privacy.whole-threshold-every-epsilon",
        "BNS-J-3.2.privacy.or-none-printed",
        "BNS-J-3.2.utility.none",
        "BNS-J-3.5.privacy.default",
        "BNS-J-3.22.privacy.one-axis",
        "BNS-J-3.22.utility.ends",
        "BNS-J-4.6.privacy.by-parts-halves-released-laplace",
        "BNS-J-4.7.privacy.least-epsilon-released-laplace",
        "BNS-J-4.16.lower-bound.two-kinds-dimension",
        "BNS-J-6.2.privacy.labels-every-epsilon",
        "BNS-J-6.2.privacy.semi-private-every-epsilon",
        "BNS-J-6.2.utility.pac",
        "BNS-J-6.2.utility.semi-private",
        "BNS-J-BKN.utility.on-the-sample",
        "BNS-J-KLNRS.privacy.point",
        "BNS-J-KLNRS.privacy.point-label",
        "BNS-J-KLNRS.privacy.point-ln2",
        "BNS-J-KLNRS.privacy.thresh-every-epsilon",
        "BNS-J-KLNRS.privacy.thresh-label",
        "BNS-X-Lem1.privacy.printed-four-points",
        "BNS-X-Lem1.utility.pac",
        "BNS-X-Prop2.privacy.discrete",
        "BNS-X-Prop2.privacy.printed-counts-3",
        "BuNS-2.19.privacy.every-epsilon",
        "BuNS-2.19.privacy.two-updates",
        "BuNS-2.19.utility.fewer-rows",
        "BuNS-2.19.utility.rows",
        "BuNS-2.20.privacy.printed-stability-every-delta",
        "BuNS-2.25.privacy.exponential-100-of-900",
        "BuNS-2.25.privacy.leaky-100-of-900",
        "BuNS-2.25.privacy.leaky-100-of-900-exact",
        "BuNS-2.25.privacy.noisy-sum-every-epsilon",
        "BuNS-3.2.privacy.every-epsilon",
        "BuNS-3.4.utility.agnostic",
        "BuNS-3.7.privacy.every-epsilon",
        "BuNS-3.8.privacy.sensitivity-two-every-epsilon",
        "BuNS-3.11.privacy.discrete-ln2",
        "BuNS-3.11.privacy.printed",
        "BuNS-3.11.privacy.printed-ln2",
        "BuNS-3.12.utility.two-bits",
        "BuNS-3.13.privacy.corrected",
        "BuNS-3.13.privacy.corrected-two-points",
        "BuNS-3.13.privacy.printed",
        "BuNS-4.5.utility.soundness-feasible",
        "CHS-2.2-MoL.privacy.discrete-every-epsilon",
        "CHS-2.2-MoL.privacy.drawn",
        "CHS-2.2-MoL.privacy.printed-every-epsilon",
        "CHS-Alg1.privacy.printed-every-delta",
        "CHS-Alg1.privacy.quarter-of-the-tests-nine-items",
        "CHS-Thm1.lower-bound.rounded-up",
        "HRS-4.5.utility.goes-on",
        "HRS-4.5.utility.goes-on-three-quarters",
        "HRS-4.5.utility.two-queries",
        "HRS-4.10.privacy.every-epsilon",
        "HRS-6.4.privacy.every-epsilon",
        "HRS-Fig1.privacy.every-epsilon",
        "LICS20-SVT.privacy.discrete-every-epsilon",
        "LSL-Alg1.privacy.discrete-every-epsilon",
        "LSL-Alg1.privacy.printed",
        "LSL-Alg1.privacy.printed-one-query",
        "LSL-Alg1.privacy.printed-twice-fifteen-queries",
        "LSL-Alg2.privacy.discrete-every-epsilon",
        "LSL-Alg2.privacy.printed-every-epsilon",
        "LSL-Alg4.privacy.claimed-every-epsilon",
        "LSL-Alg4.privacy.corrected-discrete-every-epsilon",
        "LSL-Alg4.privacy.corrected-every-epsilon",
        "LSL-Alg4.privacy.discrete-every-epsilon",
        "LSL-Num.privacy.printed-every-epsilon",
        "LSL-Num.privacy.printed-six-queries",
        "LSL-Num.privacy.printed-twelve-queries",
        "LSL-Num.privacy.printed-twice-seven-queries",
        "BNS-J-4.13.privacy.parts-of-few-calls",
        "BNS-J-4.16.lower-bound.two-kinds-effective-size",
        "BNS-J-4.8.privacy.default-by-parts-few-rows",
        "BNS-X-Thm2.privacy.corrected",
        "CHS-Alg1.privacy.printed-3",
        "CHS-Alg1.privacy.printed-nine-items",
        "CHS-Alg1.privacy.quarter-of-the-first-test-eight-items",
        "CHS-Alg1.privacy.quarter-of-the-first-test-nine-items",
        "LSL-Alg3.privacy.corrected-two-queries",
        "BNS-X-Lem2.privacy.corrected",
        "HRS-5.10.privacy.every-epsilon",
    ]
)
"""Claims of whose mechanism, or of whose theorem, another that comes out alike is decided each time: for one ε in place
of all, or the other way round, for other neighbours, for fewer rows, or for other noise."""


def left_to_deep_runs(claims: Iterable[AnyClaim]) -> frozenset[str]:
    """The ids of `HAS_A_QUICKER_ONE_BESIDE`, and of privacy claims of which there is one before them that is much the same.

    It is of the same theorem and differs in its noise and in numbers alone: ε, δ, and how large a domain is. Both are for
    all ε or for one, and are expected to come out alike. Each time that one is decided; `make audit` and `make deep`
    decide all.
    """
    left, seen = set(HAS_A_QUICKER_ONE_BESIDE), set()
    for claim in claims:
        if isinstance(claim, Claim) and claim.depth == "quick" and claim.id not in left:
            sort = _sort(claim)
            if sort in seen:
                left.add(claim.id)
            seen.add(sort)
    return frozenset(left)


def _sort(claim: Claim) -> Hashable:
    """What a claim is, but for its noise and its numbers."""
    every_delta = claim.is_of_every_delta
    is_for_all_epsilon = not every_delta and symbol_in((claim.epsilon, claim.delta, dict(claim.parameters))) is not None
    given = [f"{name}={value!r}" for name, value in sorted(claim.parameters.items()) if _is_told(name, value)]
    theorem = claim.id.rpartition(".")[0]
    return (theorem, claim.mechanism, claim.neighbours, claim.verdict_expected, every_delta, is_for_all_epsilon, *given)


def _is_told(name: str, value: object) -> bool:
    return name != "noise" and (isinstance(value, bool) or not isinstance(value, int | Fraction | Exact))
