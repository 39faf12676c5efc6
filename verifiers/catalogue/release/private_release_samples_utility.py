"""The use that PrivLearn makes of its samples: Claim 4.6, Lemmas 4.7 and 4.8 of Hardt, Rothblum & Servedio.

Of b_iter queries sampled from G each is answered at step i with probability Z_i = Pr[q ∈ Q_i], so that |B_i| is
binomial once the noise is fixed, as the proof has it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any, Final

from dpverify.mechanisms import Distribution, Draw, exact, log
from dpverify.mechanisms.release.private_release import thresholds_for
from dpverify.verifiers.catalogue.corners import claimed_beta, is_so
from dpverify.verifiers.catalogue.families import HALF, HRS, QUARTER, TENTH, TWENTIETH
from dpverify.verifiers.catalogue.release.private_release_accuracy import Labels, released, shares_of, whether_between
from dpverify.verifiers.catalogue.release.private_release_accuracy_utility import SHARES, release_case
from dpverify.verifiers.utility.family import Case, Family, Mechanism, Sharpness, as_named, least_of, weakened


def samples_of(b_base: int, alpha: Fraction, beta: Fraction, gamma: Fraction, times: int = 100) -> int:
    """(7): b_iter = 100·b_base·ln(1/β′)/γ, β′ = β/6k, rounded up; or another number than 100."""
    return ceil(times * b_base * log(6 * thresholds_for(alpha) / exact(beta)) / gamma)


def case_of(z: Fraction, alpha: Fraction, beta: Fraction, gamma: Fraction, b_base: int, times: int = 100) -> Case:
    """Queries of which a share z is answered, from the samples of (7)."""
    given = {"size": samples_of(b_base, alpha, beta, gamma, times), "b_base": b_base, "gamma": gamma}
    return Case(z, given, {"alpha": alpha, "beta": beta, "of each": beta / (6 * thresholds_for(alpha))})


def settings(*shares_of_gamma: Fraction) -> Iterator[Case]:
    """z from such a share of γ up to nearly 1, for α, γ and β that are in use, and b_base from 1 to 10⁶."""
    for alpha, beta, gamma, b_base in product(*((TWENTIETH, QUARTER),) * 3, (1, 10**6)):
        for z in sorted({*(share * gamma for share in shares_of_gamma), Fraction(99, 100)}):
            yield case_of(z, alpha, beta, gamma, b_base)


def number_is(name: str, meaning: str, ends: Callable[[Fraction, int, int, Fraction], tuple[int, int]]) -> Mechanism:
    """The mechanism that says whether |B| is between ends that Z, b_iter, b_base and γ give."""

    def is_between(draw: Draw, z: Fraction, *, size: int, b_base: int, gamma: Fraction) -> Any:
        return draw(whether_between(size, z, *ends(z, size, b_base, gamma)))

    return as_named(name, meaning, is_between)


def ends_below(name: str, share: Fraction) -> Mechanism:
    """The mechanism that says whether |B|/b_iter is less than a share of γ."""
    meaning = f"True where |B|/b_iter < {share}·γ."
    return number_is(name, meaning, lambda z, size, b_base, gamma: (0, ceil(share * gamma * size) - 1))


def goes_on_from(name: str, share: Fraction) -> Mechanism:
    """The mechanism that says whether |B|/b_iter is at least a share of γ."""
    meaning = f"True where |B|/b_iter ≥ {share}·γ."
    return number_is(name, meaning, lambda z, size, b_base, gamma: (ceil(share * gamma * size), size))


is_near = number_is(
    "is_near",
    "True where Z/3 ≤ |B|/b_iter ≤ 3Z.",
    lambda z, size, b_base, gamma: (ceil(z / 3 * size), min(size, floor(3 * z * size))),
)
is_enough = number_is("is_enough", "True where |B| ≥ b_base.", lambda z, size, b_base, gamma: (b_base, size))
ends_early = ends_below("ends_early", HALF)
goes_on = goes_on_from("goes_on", HALF)
ends_before_three_quarters = ends_below("ends_before_three_quarters", Fraction(3, 4))
goes_on_past_three_quarters = goes_on_from("goes_on_past_three_quarters", Fraction(3, 4))


def of_a_hundredth(mechanism: Any) -> Mechanism:
    """With 1 in place of 100 in (7)."""
    return as_named(
        "of_fewer",
        "Of a hundredth of the samples.",
        lambda draw, z, *, size, **given: draw(mechanism, z, size=ceil(Fraction(size, 100)), **given),
    )


def _one(share: Fraction, times: int) -> list[Case]:
    """At α = β = γ = 1/4 and b_base = 1."""
    return [case_of(share * QUARTER, QUARTER, QUARTER, QUARTER, 1, times)]


def _hundred(share: str, of_gamma: Fraction) -> Sharpness:
    """The number that is enough in place of the 100 of (7), at this share of γ."""
    what = f"the 100 of b_iter, α = β = γ = 1/4, b_base = 1, Z_i = {share}"
    return least_of(what, 100, lambda times: _one(of_gamma, times))


def of_each(mechanism: Mechanism, mutant: Mechanism) -> Family:
    """True but with probability β/6k."""
    return Family(mechanism, is_so, lambda case: case.facts["of each"], mutant)


_OVER: Final = "; α, γ = 1/20 and 1/4, β = 1/20 and 1/4, b_base 1 and 10⁶, at a few Z_i"
_MUST_GO_ON: Final = (
    f"where a share of at least γ of G is answered the run does not end at step i but with probability β/6k{_OVER}"
)
near = of_each(is_near, of_a_hundredth(is_near))(
    "HRS-4.7.utility.samples",
    f"{HRS}, Lemma 4.7, for Z_i ≥ γ/10, as the proof of Lemma 4.5 has it",
    f"for b_iter = 100·b_base·ln(1/β′)/γ samples Z_i/3 ≤ |B_i|/b_iter ≤ 3·Z_i but with probability β/6k{_OVER}",
    tuple(settings(TENTH, HALF, Fraction(1))),
    sharpness=_hundred("γ/10", TENTH),
)
enough = replace(of_each(is_enough, of_a_hundredth(is_enough)), beta=lambda case: 2 * case.facts["of each"])(
    "HRS-4.6.utility.samples",
    f"{HRS}, Claim 4.6, for each of the k thresholds, and Z_i ≥ γ/10",
    f"for b_iter = 100·b_base·ln(1/β′)/γ samples |B_i| ≥ b_base but with probability β/3k{_OVER}",
    tuple(settings(TENTH, HALF, Fraction(1))),
    sharpness=_hundred("γ/10", TENTH),
)


def is_rejected(draw: Draw, near: Fraction) -> Distribution[bool]:
    """The law of whether a sample is one of the queries that are near the threshold, so near that the answer is ⊥."""
    return Distribution({True: near, False: 1 - near})


HALF_NEAR: Final = Case(HALF, {}, {"gamma": QUARTER})
rejected = Family(
    is_rejected,
    lambda case, outcome: not outcome,
    lambda case: case.facts["gamma"] / 10,
    as_named("is_rejected_always", "Each sample.", lambda draw, near: True),
)(
    "HRS-4.6.utility.rejected-printed",
    f"{HRS}, the proof of Claim 4.6",
    "where no more than 1 − γ/10 of G is near a threshold a sample is rejected with probability ≤ γ/10; "
    "γ = 1/4, half of G on a threshold",
    (HALF_NEAR,),
    examples=(HALF_NEAR,),
    proof_step="It is rejected with probability ≤ 1 − γ/10, and answered with probability ≥ γ/10, from which the claim "
    "follows: HRS-4.6.utility.samples. There is no ε in it.",
)
JUST_BELOW: Final = tuple(_one(Fraction(999, 2000), 100))
smooth_as_printed = Family(ends_early, is_so, claimed_beta, goes_on)(
    "HRS-4.8.utility.smooth-printed",
    f"{HRS}, Theorem 3.9 with step 3(c) of Figure 2: the learner is good for 2/γ-smooth distributions alone",
    "where G_i = G/Z_i is not 2/γ-smooth, Z_i < γ/2, the run ends at step i but with probability β; Z_i = "
    "999/1000·γ/2, α = β = γ = 1/4, b_base = 1",
    JUST_BELOW,
    examples=JUST_BELOW,
    proof_step="Where |B_i|/b_iter is just above γ/2 its Z_i may be just below, whatever ε is, and the learner "
    "promises nothing for G_i. What mends it: to end below 3γ/4 in place of γ/2 "
    "(HRS-4.8.utility.smooth-three-quarters), or a learner that is good for 6/γ-smooth distributions "
    "(HRS-4.8.utility.smooth-six).",
)
smooth_six = of_each(ends_early, goes_on)(
    "HRS-4.8.utility.smooth-six",
    f"{HRS}, Theorem 3.9 with 6/γ in place of 2/γ",
    f"where G_i is not 6/γ-smooth, Z_i < γ/6, the run ends at step i but with probability β/6k{_OVER}",
    tuple(case for case in settings(Fraction(1, 60), Fraction(1, 6)) if case.database < HALF),
    sharpness=_hundred("γ/6", Fraction(1, 6)),
)
smooth_three_quarters = of_each(ends_before_three_quarters, ends_early)(
    "HRS-4.8.utility.smooth-three-quarters",
    f"{HRS}, step 3(c) of Figure 2 with 3γ/4 in place of γ/2",
    f"where G_i is not 2/γ-smooth, Z_i < γ/2, the run ends at step i but with probability β/6k{_OVER}",
    tuple(case for case in settings(TENTH, HALF) if case.database < HALF),
    sharpness=_hundred("γ/2", HALF),
)
goes_on_as_it_must = of_each(goes_on, of_a_hundredth(goes_on))(
    "HRS-4.5.utility.goes-on",
    f"{HRS}, the third case of the proof of Lemma 4.5",
    _MUST_GO_ON,
    tuple(settings(Fraction(1))),
    sharp_in="HRS-4.5.utility.goes-on-three-quarters",
)
goes_on_past = of_each(goes_on_past_three_quarters, of_a_hundredth(goes_on_past_three_quarters))(
    "HRS-4.5.utility.goes-on-three-quarters",
    f"{HRS}, the same with 3γ/4 in place of γ/2 in step 3(c)",
    _MUST_GO_ON,
    tuple(settings(Fraction(1))),
)


# Lemma 4.8: the hypotheses.
def hypotheses(draw: Draw, database: Any, **given: Any) -> Any:
    """The labels that h_1, …, h_k give the two queries, () where the run ends early, or None as of `released`."""
    return released(draw, database, synopsis=_labels, **given)


def _labels(of: tuple[Labels, ...]) -> Callable[[int], tuple[int, ...]]:
    return lambda q: tuple(h(q) for h in of)


def are_good(case: Case, labels: Any) -> bool:
    """True where the run ends early, or each h_i errs on a share ≤ γ/k of what is surely answered at step i."""
    if labels is None or not isinstance(labels[0], tuple):
        return labels is not None
    given, k = case.parameters, len(labels[0])
    exactly, weights = shares_of(case.database, given["predicate"], 2), given["weights"]
    for i in range(1, k + 1):
        t = Fraction(i, k + 1)
        answered = [q for q in (0, 1) if abs(exactly[q] - t) >= given["alpha"] / 7]
        wrong = sum((weights[q] for q in answered if labels[q][i - 1] != (exactly[q] >= t)), Fraction(0))
        if wrong > given["gamma"] / k * sum(weights[q] for q in answered):
            return False
    return True


_FROM_ONE: Final = weakened("hypotheses_from_one_sample", hypotheses, samples=1)
learnt = Family(hypotheses, are_good, lambda case: case.parameters["beta"] / 3, _FROM_ONE)(
    "HRS-4.8.utility.hypotheses",
    f"{HRS}, Lemma 4.8 and (13), for Theorem 4.10",
    "all h_i are right on all but a share γ/k of what is answered at step i, with probability ≥ 1 − β/3, or "
    "the run ends early; |Q| = 2, the labelling with the fewest errors, on the samples and rows of (7) and (8), "
    "α = β = γ = 1/4, ε = 1, half or 1/47 > γ/k of G on the second query",
    tuple(
        release_case("labellings", shares, (1 - second, second))
        for second in (HALF, Fraction(1, 47))
        for shares in product(SHARES, SHARES[1::2])
    ),
    sharpness=least_of(
        "samples b_iter, |Q| = 2, α = γ = β = 1/4, 1/47 of G on one query",
        release_case("labellings", (HALF, HALF), (HALF, HALF)).parameters["samples"],
        lambda m: [release_case("labellings", (SHARES[3], SHARES[4]), (Fraction(46, 47), Fraction(1, 47)), samples=m)],
        whatever_epsilon=True,
    ),
)
