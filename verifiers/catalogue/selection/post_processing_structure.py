"""The reason why post-processing makes a mechanism no less private: the hockey-stick divergence does not grow."""

from fractions import Fraction
from typing import Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.verifiers.privacy.checker import check_privacy
from dpverify.verifiers.structure.formulas import number_value
from dpverify.verifiers.structure.rows import FalseVariant, Goal, PaperLemmas, Values, goal, instance, judged

lemma: Final = PaperLemmas("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ")


# p and q are the probabilities of outcomes on two neighbours, a = p − e^ε·q, and K the chance of y after x.
def _positive(term: str) -> str:
    return f"(ite (> {term} 0.0) {term} 0.0)"


def _three_outcomes(then: str) -> Goal:
    """Laws on three outcomes, of which the first two are then told apart no more; e^ε = 2."""
    losses = [f"(- p{x} (* 2.0 q{x}))" for x in range(3)]
    merged = f"(+ {_positive(f'(+ {losses[0]} {losses[1]})')} {_positive(losses[2])})"
    before = f"(+ {' '.join(map(_positive, losses))})"
    return goal("three-outcomes", "QF_LRA", "p0 p1 p2 q0 q1 q2 before after: Real").given(
        *(f"(>= {v}{x} 0.0)" for v in "pq" for x in range(3)),
        *(f"(= (+ {v}0 {v}1 {v}2) 1.0)" for v in "pq"),
        f"(and (= before {before}) (= after {merged}))",
        then=then,
    )


def losses(values: Values) -> tuple[tuple[Fraction, Fraction], str]:
    """The largest δ at ε = ln 2 over both directions, before and after the outcomes 0 and 1 are merged."""
    laws = {name: tuple(number_value(values, f"{name}{x}") for x in range(3)) for name in "pq"}

    def mechanism(draw: Draw, name: str) -> Distribution[int]:
        return Distribution(dict(enumerate(laws[name])))

    def merged(draw: Draw, name: str) -> int:
        return max(1, int(draw(mechanism, name)))

    def to_the_other(name: str) -> tuple[str]:
        return ("q" if name == "p" else "p",)

    found = []
    for law in (mechanism, merged):
        delta = check_privacy(law, ("p", "q"), to_the_other, epsilon=log(2), recheck=False).delta
        assert delta is not None
        found.append(delta.upper)
    p, q = (f"({', '.join(map(str, laws[name]))})" for name in "pq")
    return (found[0], found[1]), f"p = {p}, q = {q}: δ = {found[0]}, merged {found[1]}"


post_processing = lemma(
    "2.2.structure.post-processing", "Definition 2.2: what is computed of a private outcome is private, used throughout"
).says(
    "Σ_y max(Σ_x K(x, y)·a(x), 0) ≤ Σ_x max(a(x), 0) for every kernel K and all a, so that δ does not grow, for any "
    "finite number of outcomes",
    goal("sum-base", "QF_LRA", "a b: Real").given("(and (= a 0.0) (= b 0.0))", then=f"(<= {_positive('a')} b)"),
    # over x: max(Σ K·a, 0) ≤ Σ K·max(a, 0), where w = K(x, y)·a(x), v = K(x, y)·max(a(x), 0)
    goal("sum-step", "QF_LRA", "sum bound w v: Real").given(
        f"(<= {_positive('sum')} bound)", f"(= v {_positive('w')})", then=f"(<= {_positive('(+ sum w)')} (+ bound v))"
    ),
    # over y: the inequalities add up
    goal("both-sides-step", "QF_LRA", "left right more_left more_right: Real").given(
        "(<= left right)", "(<= more_left more_right)", then="(<= (+ left more_left) (+ right more_right))"
    ),
    # Σ_y Σ_x = Σ_x Σ_y: a row of two more terms goes to each column
    goal("exchange-step", "QF_LRA", "all a b s t: Real").given(
        "(= all (+ a b))", then="(= (+ all (+ s t)) (+ (+ a s) (+ b t)))"
    ),
    goal("kernel", "QF_NRA", "K a: Real").given(  # K ≥ 0 goes into the maximum
        "(>= K 0.0)", then=f"(= {_positive('(* K a)')} (* K {_positive('a')}))"
    ),
    # over y: Σ_y K(x, y)·max(a(x), 0) is max(a(x), 0) as the K(x, y) add up to 1
    goal("outcomes-step", "QF_NRA", "part K share a: Real").given(
        "(= part (* share a))", then="(= (+ part (* K a)) (* (+ share K) a))"
    ),
    FalseVariant("δ stays the same", _three_outcomes("(= before after)"), judged(losses, lambda d: d[1] == d[0])),
    example=instance(
        _three_outcomes("true"),
        tuple(f"{v}{x}" for v in "pq" for x in range(3)),
        "(< after before)",
        "(> after 0.0)",
        "(> p0 (* 2.0 q0))",
        "(> q0 0.0)",
        "(> q2 0.0)",
    ),
    replay=judged(losses, lambda delta: delta[1] <= delta[0]),
)
