"""Structure of labelled concepts: the VC dimension of C^label."""

from __future__ import annotations

from typing import Final

from dpverify.mechanisms.sanitizers.concepts import Threshold
from dpverify.mechanisms.sanitizers.label_sanitizer import labelled_concept
from dpverify.verifiers.structure.formulas import whole_value
from dpverify.verifiers.structure.lemma import Goal, Values
from dpverify.verifiers.structure.rows import FalseVariant, PaperLemmas, goal, instance

lemma: Final = PaperLemmas("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ")

# C^label: c^label(x∘σ) = σ ⊕ c(x).


def _labelled(then: str, *given: str) -> Goal:
    return goal("threshold", "QF_LIA", "x j: Int, sigma: Bool").given(
        "(and (<= 0 x) (<= x 3) (<= 0 j) (<= j 4))", *given, then=then
    )


_LABEL: Final = "(xor sigma (< x j))"


def label_is(values: Values, *, flipped: bool) -> tuple[bool, str]:
    """True where c^label(x∘σ) = c(x), or c(x) ⊕ σ where that is said, for the threshold c_j."""
    x, j, sigma = whole_value(values, "x"), whole_value(values, "j"), int(bool(values["sigma"]))
    concept = Threshold(j)
    found = labelled_concept(concept)((x, sigma))
    return found == concept(x) ^ (
        sigma if flipped else 0
    ), f"c_{j}: c({x}) = {concept(x)}, c^label({x}∘{sigma}) = {found}"


vc = lemma("5.2.structure.vc", "Claim 5.2: VC(C) ≤ VC(C^label) ≤ 2·VC(C)").says(
    "C^label shatters a set exactly where its points x are distinct and C shatters them: VC(C^label) = VC(C), for "
    "every class C",
    # x∘0 and x∘1 never have the same label
    goal("distinct", "QF_UF", "c: Bool").given(then="(not (= (xor false c) (xor true c)))"),
    # a concept with c(x) = b(x) labels x∘σ with σ ⊕ b(x): every labelling of x∘σ comes from one b
    goal("up", "QF_UF", "c b sigma: Bool").given("(= c (xor b sigma))", then="(= (xor sigma c) b)"),
    # a concept with c^label(x∘σ) = σ ⊕ b(x) has c(x) = b(x)
    goal("down", "QF_UF", "c b sigma: Bool").given("(= (xor sigma c) (xor sigma b))", then="(= c b)"),
    goal("as-printed", "QF_LIA", "vc vc_label: Int").given(  # and so both printed bounds
        "(and (>= vc 0) (= vc vc_label))", then="(and (<= vc vc_label) (<= vc_label (* 2 vc)))"
    ),
    FalseVariant(
        "c^label(x∘σ) = c(x)", _labelled(f"(= {_LABEL} (< x j))"), lambda values: label_is(values, flipped=False)
    ),
    example=instance(_labelled("true"), ("x", "j", "sigma"), "sigma", "(< x j)"),
    replay=lambda values: label_is(values, flipped=True),
    note="the factor 2 of the claim is not needed: a shattered set has no two points x∘0 and x∘1. That a set is "
    "shattered where each labelling comes from a concept is the definition, and joins the goals",
)
