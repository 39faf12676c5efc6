"""Structure of parities: how often two of them differ."""

from typing import Final

from dpverify.mechanisms.learners.parities import Parity
from dpverify.verifiers.structure.formulas import indicator
from dpverify.verifiers.structure.rows import FalseVariant, Goal, PaperLemmas, Values, goal, instance

lemma: Final = PaperLemmas("BuNS-", "Bun, Nissim & Stemmer, ")


# Parities ⟨x, y⟩ and ⟨x, z⟩ on {0, 1}^d: they differ at x where ⟨x, y ⊕ z⟩ = 1.
def _on_eight(then: str) -> Goal:
    """The number of x at which the parities y and z of three bits differ."""
    at = [f"(xor (and {x & 1 == 1} {{0}}) (and {x & 2 == 2} {{1}}) (and {x & 4 == 4} {{2}}))".lower() for x in range(8)]
    differing = [indicator(bit.format(*(f"(xor y{i} z{i})" for i in range(3)))) for bit in at]
    return goal("three-bits", "QF_LIA", {f"{v}{i}": "Bool" for v in "yz" for i in range(3)} | {"differ": "Int"}).given(
        f"(= differ (+ {' '.join(differing)}))", then=then
    )


_DISTINCT: Final = "(or (xor y0 z0) (xor y1 z1) (xor y2 z2))"


def differing(values: Values) -> tuple[int, int, int]:
    """y, z and at how many points of {0, 1}³ the parities of the implementation differ."""
    y, z = (sum(bool(values[f"{v}{i}"]) << i for i in range(3)) for v in "yz")
    return y, z, sum(Parity(y)(x) != Parity(z)(x) for x in range(8))


def half(values: Values, *, distinct: bool) -> tuple[bool, str]:
    """True where they differ at four points, if they are distinct where that is asked for."""
    y, z, found = differing(values)
    return found == 4 or (distinct and y == z), f"y = {y:03b} and z = {z:03b} differ at {found} of 8 points"


_BIT: Final = "before flipped x y z: Bool"
_TERM: Final = "(and x (xor y z))"
parities = lemma("5.3.structure.parities", "the proof of Lemma 5.3").says(
    "distinct parities differ on exactly half of {0, 1}^d, for every d: x ↦ x ⊕ e_i, with y_i ≠ z_i, is an involution "
    "without fixed points that exchanges where they agree and where they differ, so that these are as many",
    # over the bits 0, 1, …: the parity of x ∧ (y ⊕ z) and that of (x ⊕ e_i) ∧ (y ⊕ z), up to a bit
    goal("base", "QF_UF", _BIT).given("(= before flipped false)", then="(= before flipped)"),
    goal("step-other-bit", "QF_UF", f"{_BIT}, unlike: Bool").given(
        "(= unlike (xor before flipped))", then=f"(= unlike (xor (xor before {_TERM}) (xor flipped {_TERM})))"
    ),
    goal("step-bit-i", "QF_UF", _BIT).given(
        "(= before flipped)", "(xor y z)", then=f"(xor (xor before {_TERM}) (xor flipped (and (not x) (xor y z))))"
    ),
    # flipping bit i twice gives x back, and once does not
    goal("involution", "QF_UF", _BIT).given(then="(and (= x (not (not x))) (not (= x (not x))))"),
    FalseVariant("parities that need not be distinct", _on_eight("(= differ 4)"), lambda v: half(v, distinct=False)),
    example=instance(_on_eight("true"), tuple(f"{v}{i}" for v in "yz" for i in range(3)), _DISTINCT, "y0", "z1", "y2"),
    replay=lambda values: half(values, distinct=True),
)
