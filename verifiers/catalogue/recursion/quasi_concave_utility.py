"""Utility of the recursion for quasi-concave promise problems, in both printed versions, and of LearnThresholds.

A quality is r on a plateau, or on one point, and falls from there over some values that matter to the proofs. Qualities
need not be whole: what is said of r is said of it exactly, at every ε. `base` = 2 makes the recursion as deep as can be
on short ranges. Logarithms without a base are to base 2, where the argument is T, as in the steps of the algorithms;
elsewhere the smaller promise is tried, which is that with the natural one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any, Final, NamedTuple, TypeAlias

from dpverify.mechanisms import Draw, Exact, log
from dpverify.mechanisms.counting.logarithms import iterated_log, log_star
from dpverify.mechanisms.counting.step_functions import StepFunction, Value
from dpverify.mechanisms.recursion import maximise_quasi_concave, maximise_quasi_concave_extended_abstract
from dpverify.mechanisms.selection import choose_by_stability_journal
from dpverify.verifiers.catalogue.corners import BETAS, DELTA_CORNERS, DELTAS, EPSILONS, at_the_least, claimed_beta
from dpverify.verifiers.catalogue.families import BNS, BNS_X, HALF
from dpverify.verifiers.catalogue.refuted import OF_THE_STATEMENT, Boundary
from dpverify.verifiers.utility.family import Case, Family, Mechanism, RandomCases, Sharpness, as_named, least_of

ALPHAS: Final = (Fraction(1, 100), Fraction(1, 4), HALF)
RANGES: Final = (1, 2, 3, 5, 8, 13, 33, 64, 100)
"""T: one that does not recurse, powers of 2, and others, for which T′ > T."""


def rounded_up(bound: Exact, parts: int = 1000) -> Fraction:
    """The least rational of this denominator that is at least the bound: the promise, exactly as it is asked for."""
    return Fraction(ceil(bound * parts), parts)


def times_of_ceiling_log(last: int, times: int) -> int:
    """log⌈N⌉ T, and 0 from where that would be of 0 or less."""
    for _ in range(times):
        if last <= 1:
            return 0
        last = (last - 1).bit_length()
    return last


Parameters: TypeAlias = dict[str, Any]


class At(NamedTuple):
    """The parameters that a promise is for."""

    alpha: Fraction
    beta: Fraction
    epsilon: Fraction | Exact
    delta: Fraction | Exact

    def case(self, quality: StepFunction, r: Fraction | int, facts: Parameters, share: int = 1, **given: Any) -> Case:
        """The quality with the promise r and facts besides β, at a share of ε and δ."""
        parameters = {"promise": r, "alpha": self.alpha, "epsilon": self.epsilon / share, "delta": self.delta / share}
        return Case(quality, {**parameters, **given}, {"beta": self.beta, **facts})


Promise: TypeAlias = Callable[[int, int, At], Fraction]
"""The r that is asked for, by T and N."""


def promise_of_the_lemma(last: int, depth: int, at: At) -> Fraction:
    """8^N·(4/(αε))·(ln(32/(βδ)) + log⌈N⌉ T)."""
    logarithms = log(32 / (at.beta * at.delta)) + times_of_ceiling_log(last, depth)
    return rounded_up(8**depth * 4 / (at.alpha * at.epsilon) * logarithms)


def promise_of_the_theorem(last: int, depth: int, at: At) -> Fraction:
    """8^N·(36N/(αε))·(ln(6N/(βδ)) + log … log T), N times."""
    logarithms = log(6 * depth / (at.beta * at.delta)) + iterated_log(last, depth)
    return rounded_up(8**depth * 36 * depth / (at.alpha * at.epsilon) * logarithms)


def promise_of_the_abstract(last: int, depth: int, at: At) -> Fraction:
    """(2/α)^(log* T)·(16/(αε))·ln(32/(βδ)); the depth is not bounded."""
    factor = (2 / at.alpha) ** log_star(last) * 16 / (at.alpha * at.epsilon)
    return rounded_up(factor * log(32 / (at.beta * at.delta)))


def hill(last: int, top: tuple[int, int], left: Value, right: Value, slope: int, r: Value) -> StepFunction:
    """The value r from top[0] to top[1], `left` and `right` for `slope` points next to it, and 0 beyond."""
    low, high = top
    pieces: dict[int, Value] = {0: 0, max(0, low - slope): left, low: r}
    if high < last:
        pieces[high + 1] = right
        if high + slope < last:
            pieces[high + slope + 1] = 0
    return StepFunction.of_pieces(sorted(pieces.items()), last)


def succeeds(case: Case, j: Any) -> bool:
    """True where j is an index of [0, T] with Q(j) ≥ (1 − α)·r: ⊥ is not, nor is an index beyond T."""
    r, alpha = case.parameters["promise"], case.parameters["alpha"]
    return isinstance(j, int) and j <= case.database.last and bool(case.database(j) >= (1 - alpha) * r)


SMALL_BETAS: Final = (*BETAS[:2], Fraction(1, 10), Fraction(1, 9))
"""Values of β with 2βN < 1 for N ≤ 4: the statement says nothing about others."""


def hills(
    promise: Promise, *, bounded: bool, shared: bool = False, epsilons: Sequence[Fraction] = EPSILONS
) -> RandomCases:
    """Hills of a maximum of exactly r, with r what the statement asks for, at every place and of every width.

    Their slopes are at (1 − α)·r, just below it, which fails, or at (1 − α/2)·r, or (1 − 3α/8)·r.
    """
    from hypothesis import strategies as st

    @st.composite
    def case(choose: Any) -> Case:
        last, alpha = choose(st.sampled_from(RANGES)), choose(st.sampled_from(ALPHAS))
        epsilon, delta = choose(st.sampled_from(epsilons)), choose(st.sampled_from(DELTAS))
        beta, depth = choose(st.sampled_from(SMALL_BETAS)), choose(st.integers(1, 4))
        low = choose(st.one_of(st.just(0), st.just(last), st.integers(0, last)))
        powers = [1 << k for k in range(last.bit_length())]
        width = choose(st.sampled_from(sorted({1, *powers, *(n - 1 for n in powers[1:]), *(n + 1 for n in powers)})))
        at = At(alpha, beta, epsilon, delta)
        r = promise(last, depth, at)
        nearly = st.sampled_from(
            (0, (1 - alpha) * r - Fraction(1, 10**6), (1 - alpha) * r, (1 - alpha / 2) * r, (1 - 3 * alpha / 8) * r)
        )
        left, right, slope = choose(nearly), choose(nearly), choose(st.sampled_from((1, 2, 7, last + 1)))
        top = choose(st.sampled_from(((low, low), (low, min(last, low + width - 1)), (0, last))))
        given: Parameters = {"depth": depth, "selection": choose_by_stability_journal} if bounded else {}
        facts = {"epsilon": epsilon, "top": top}
        return at.case(hill(last, top, left, right, slope, r), r, facts, 3 * depth if shared else 1, base=2, **given)

    return case()


PLACES: Final = {
    "T = 1": lambda case: case.database.last == 1,
    "a sharp peak": lambda case: case.facts["top"][0] == case.facts["top"][1] and len(case.database.values) == 3,
    "a peak at 0": lambda case: case.facts["top"][0] == 0,
    "a peak at T": lambda case: case.facts["top"][1] == case.database.last,
    "the same on all of [0, T]": lambda case: case.facts["top"] == (0, case.database.last),
    "T is no power of 2": lambda case: case.database.last & (case.database.last - 1) != 0,
    "the least α": lambda case: case.parameters["alpha"] == ALPHAS[0],
    "α = 1/2": lambda case: case.parameters["alpha"] == ALPHAS[-1],
}
PROMISED: Final = {
    **{name: hit for name, hit in DELTA_CORNERS.items() if name != "β near 1"},
    "2βN near 1": lambda case: case.facts["beta"] == SMALL_BETAS[-1],
    **PLACES,
}
BOUNDED: Final = {
    **PROMISED,
    "N = 1": lambda case: case.parameters["depth"] == 1,
    "N beyond the depth": lambda case: case.parameters["depth"] == 4,
}
SHARED: Final = {
    **BOUNDED,
    "the least δ": lambda case: case.parameters["delta"] * 3 * case.parameters["depth"] == DELTAS[0],
    "δ near 1": lambda case: case.parameters["delta"] * 3 * case.parameters["depth"] == DELTAS[-1],
}


def next_index_of(name: str, mechanism: Mechanism) -> Mechanism:
    """A mutant: the index that a recursion returns, and one more."""

    def mutant(draw: Draw, quality: StepFunction, **given: Any) -> Any:
        j = draw(mechanism, quality, **given)
        return j + 1 if isinstance(j, int) else j

    return as_named(name, "The index, and one more.", mutant)


def with_the_end_of_a(draw: Draw, quality: StepFunction, **given: Any) -> Any:
    """Rec with step 10 as printed: b, where A ends, and no point of B."""
    return maximise_quasi_concave_extended_abstract(draw, quality, from_the_end_of_a=True, **given)


_NEXT: Final = next_index_of("next_index", maximise_quasi_concave)
_BY_A_DIST: Final = {"base": 2, "depth": 3, "selection": choose_by_stability_journal}
_TOPS: Final = ((0, 0), (31, 31), (32, 32), (64, 64), (30, 33), (0, 64), (7, 24))
"""A sharp peak at some places, and plateaus over the ends of blocks."""


def sharp_promise(what: str, promise: Promise, depth: int, given: Parameters, share: int = 1) -> Sharpness:
    """The promise r on [0, 64], at α = 1/2, ε = 1, δ = 10⁻³ and β = 1/20, as what is varied; a share for each call."""
    at = At(HALF, Fraction(1, 20), Fraction(1), Fraction(1, 1000))
    return least_of(
        f"promise r on [0, 64], {what}α = 1/2, ε = 1, δ = 10⁻³, β = 1/20",
        ceil(promise(64, depth, at)),
        lambda r: [at.case(hill(64, top, 0, 0, 1, r), r, {"top": top}, share, **given) for top in _TOPS],
    )


of_the_lemma = Family(
    maximise_quasi_concave,
    succeeds,
    lambda case: Fraction(2 * case.facts["beta"] * case.parameters["depth"]),  # 2βN
    _NEXT,
)
lemma = of_the_lemma(
    "BNS-J-3.14.utility.promise",
    f"{BNS}, Lemma 3.14",
    "RecConcave fails to return a j with Q(j) ≥ (1 − α)·r with probability ≤ 2βN, where Q is quasi-concave "
    "and max Q ≥ r ≥ 8^N·(4/(αε))·(log(32/(βδ)) + log⌈N⌉ T), α ≤ 1/2; with base = 2",
    strategy=lambda: hills(promise_of_the_lemma, bounded=True),
    corners=BOUNDED,
    sharpness=sharp_promise("N = 3, ", promise_of_the_lemma, 3, _BY_A_DIST),
    sharp_in="BNS-J-3.14.utility.promise-at-the-least",
)
LEVELS: Final = (Fraction(0), HALF - Fraction(1, 10**6), Fraction(3, 4), Fraction(1))
"""Values of a quality, as shares of r, at α = 1/2: bad, just bad, good, and as promised."""


def all_quasi_concave(last: int) -> Iterator[tuple[Fraction, ...]]:
    """Every quasi-concave function from [0, T] to LEVELS that reaches 1."""
    for values in product(LEVELS, repeat=last + 1):
        if max(values) == 1:
            at = values.index(Fraction(1))
            left, right = values[: at + 1], values[at:]
            if list(left) == sorted(left) and list(right) == sorted(right, reverse=True):
                yield values


_IN_THREE: Final[Parameters] = {"depth": 3, "base": 2, "selection": choose_by_stability_journal}
_ENDS: Final = (At(HALF, Fraction(1, 20), EPSILONS[0], DELTAS[-1]), At(HALF, BETAS[0], EPSILONS[-1], DELTAS[0]))
lemma_on_short_ranges = of_the_lemma(
    "BNS-J-3.14.utility.short",
    f"{BNS}, Lemma 3.14",
    "as BNS-J-3.14.utility.promise, on all quasi-concave Q on [0, T], T ≤ 4, of four values, with base = 2",
    tuple(
        at.case(StepFunction.of([share * r for share in values]), r, {}, **_IN_THREE)
        for last in (1, 2, 3, 4)
        for values in all_quasi_concave(last)
        for at in _ENDS
        for r in [promise_of_the_lemma(last, 3, at)]
    ),
    sharp_in="BNS-J-3.14.utility.promise-at-the-least",
)
theorem = Family(maximise_quasi_concave, succeeds, claimed_beta, _NEXT)(
    "BNS-J-3.15.utility.promise",
    f"{BNS}, Theorem 3.15(2)",
    "RecConcave at (ε/3N, δ/3N) fails to return a j with Q(j) ≥ (1 − α)·r with probability ≤ β, where Q is "
    "quasi-concave and max Q ≥ r ≥ 8^N·(36N/(αε))·(log(6N/(βδ)) + log … log T), N times, α ≤ 1/2; with base = 2",
    strategy=lambda: hills(promise_of_the_theorem, bounded=True, shared=True),
    corners=SHARED,
    sharpness=sharp_promise("N = 3, ", promise_of_the_theorem, 3, _BY_A_DIST, share=9),
    sharp_in="BNS-J-3.15.utility.promise-at-the-least",
)


# Lemma 3 of the extended abstract: Rec.
def failure_of_the_abstract(case: Case) -> Fraction:
    """2β·log* T."""
    return Fraction(2 * case.facts["beta"] * log_star(case.database.last))


_STATEMENT: Final = (
    "Rec fails to return a j with Q(j) ≥ (1 − α)·r with probability ≤ 2β·log* T, where Q is quasi-concave and "
    "max Q ≥ r ≥ (2/α)^(log* T)·(16/(αε))·ln(32/(βδ)), α ≤ 1/2; with base = 2, and 32 in the examples"
)


def example_of_rec(last: int, top: tuple[int, int], epsilon: Fraction, base: int) -> Case:
    """A plateau, 0 elsewhere, at α = 1/2, β = 1/20, δ = 1/10, and the promise as printed."""
    at = At(HALF, Fraction(1, 20), epsilon, Fraction(1, 10))
    r = promise_of_the_abstract(last, 0, at)
    return at.case(hill(last, top, 0, 0, 1, r), r, {"epsilon": epsilon, "top": top}, base=base)


abstract_as_printed = Family(
    with_the_end_of_a, succeeds, failure_of_the_abstract, next_index_of("next_index_of_rec", with_the_end_of_a)
)(
    "BNS-X-Lem3.utility.promise",
    f"{BNS_X}, Lemma 3, with step 10 of Figure 1 as printed",
    _STATEMENT,
    strategy=lambda: hills(promise_of_the_abstract, bounded=False),
    corners=PROMISED,
    # K = 2, and the plateau lies over the end of A_1 = [0, 15]: the two best of {A_i} are equal, and A_dist gives ⊥
    examples=(example_of_rec(33, (15, 16), Fraction(1), 32),),
    refuted=OF_THE_STATEMENT,
)

# with c, where B begins, in the place of b in step 10
of_rec = Family(
    maximise_quasi_concave_extended_abstract,
    succeeds,
    failure_of_the_abstract,
    next_index_of("next_index_with_b", maximise_quasi_concave_extended_abstract),
)
abstract_with_b = of_rec(
    "BNS-X-Lem3.utility.with-b",
    f"{BNS_X}, Lemma 3, with B in step 10",
    _STATEMENT,
    strategy=lambda: hills(promise_of_the_abstract, bounded=False),
    corners=PROMISED,
    # r is so small that the 2 in the threshold of A_dist is never reached
    examples=(example_of_rec(33, (0, 0), Fraction(50_000), 32),),
    degenerate="ε is so large that the promise is no more than the 2 in the threshold of A_dist. For ε ≤ 8 it is not "
    "refuted (BNS-X-Lem3.utility.corrected).",
    boundary=Boundary("35890", "35900"),
)
MODERATE: Final = (*EPSILONS[:-2], Fraction(5), Fraction(8))
abstract_corrected = replace(of_rec, holds_for=lambda case: case.parameters["epsilon"] <= 8)(
    "BNS-X-Lem3.utility.corrected",
    f"{BNS_X}, Lemma 3, with B in step 10",
    f"{_STATEMENT}, and ε ≤ 8",
    strategy=lambda: hills(promise_of_the_abstract, bounded=False, epsilons=MODERATE),
    corners={**PROMISED, "the largest ε": lambda case: case.parameters["epsilon"] == MODERATE[-1]},
    sharpness=sharp_promise("", promise_of_the_abstract, 0, {"base": 2}),
    sharp_in="BNS-X-Lem3.utility.corrected-at-the-least",
)

# Where the promise is as small as it may be, the claims are near to β, which they all but cannot fail as printed.
lemma_at_the_least = at_the_least(lemma, 9)
theorem_at_the_least = at_the_least(theorem, 131)
abstract_at_the_least = at_the_least(abstract_corrected, 62)
