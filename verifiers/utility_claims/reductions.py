"""Utility of the reductions between sanitizers and learners, of the noisy binary search, and of what they rest on.

Each claim is one step of a proof on input that is given: what it is conditional on is in its statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import ceil, comb, isqrt
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from dpverify.mechanisms.exact.elementary import exp
from dpverify.mechanisms.exact.exact_numbers import ZERO, Exact, exact
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.learners.label_private_learner import (
    label_private_learner,
    rows_for_labels,
    rows_for_points_alone,
)
from dpverify.mechanisms.learners.threshold_search import comparisons, noisy_binary_search, rows_for_search
from dpverify.mechanisms.release.chebyshev import (
    conjunction_terms,
    dropping_polynomial,
    least_count,
    sparse_threshold_polynomial,
)
from dpverify.mechanisms.release.conjunctions import Conjunction, sparse_queries, width
from dpverify.mechanisms.sanitizers.concepts import (
    Example,
    numbers_of_correct_labels,
    one_for_each_labelling,
    points,
    thresholds,
)
from dpverify.mechanisms.sanitizers.label_sanitizer import labelled_concept, learn_from_sanitized
from dpverify.mechanisms.sanitizers.small_databases import parts_needed, sanitize_in_parts
from dpverify.reports.record import Status
from dpverify.verifiers.utility.checker import Case, Sharpness, UtilityClaim
from dpverify.verifiers.utility.repeated import written_out

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
_HRS: Final = "Hardt, Rothblum & Servedio"


# Lemma 5.1: a sanitizer on parts.


@lru_cache(maxsize=64)  # a mechanism that draws from it is run again for each of its outcomes
def binomial(trials: int, chance: Fraction) -> Distribution[int]:
    """How many of so many independent trials succeed."""
    if chance == 1:
        return Distribution({trials: Fraction(1)})
    return Distribution({n: comb(trials, n) * chance**n * (1 - chance) ** (trials - n) for n in range(trials + 1)})


def share_lost(draw: Draw, parts: int, *, alpha: Fraction, chance: Fraction) -> Fraction:
    """How far the union of sanitized parts is from a database of which all rows are 1.

    A part fails with the chance that is given, and then has no 1; else it is 2α off. They fail independently, and which
    ones do is all one, so that only their number is drawn.
    """
    failing, good = draw(binomial(parts, chance)), 2 * alpha

    def sanitizer(draw: object, part: Sequence[Fraction]) -> tuple[int, ...]:
        zeros = int(part[0] * good.denominator)
        return (0,) * zeros + (1,) * (good.denominator - zeros)

    off = (Fraction(1),) * failing + (good,) * (parts - failing)
    released = draw(sanitize_in_parts, off, sanitizer=sanitizer, size=1)
    return 1 - Fraction(sum(released), len(released))


def share_lost_by_worse_parts(draw: Draw, parts: int, *, alpha: Fraction, chance: Fraction) -> Fraction:
    """Parts that fail twice as often as those of a (2α, (3/2)β)-sanitizer may."""
    return share_lost(draw, parts, alpha=alpha, chance=min(2 * chance, Fraction(1)))


PART_BETAS: Final = (Fraction(1, 5), Fraction(1, 4), Fraction(2, 5), Fraction(1, 2), Fraction(99, 100))
PART_ALPHAS: Final = (Fraction(1, 20), Fraction(1, 8), Fraction(1, 2))


def of_parts(q: int, alpha: Fraction, beta: Fraction) -> Case:
    """Q parts, each of which fails with probability (3/2)·β, or always where that is more than 1."""
    chance = min(Fraction(3, 2) * beta, Fraction(1))
    return Case(q, {"alpha": alpha, "chance": chance}, {"beta": beta, "more": q - parts_needed(beta=beta)})


def numbers_of_parts() -> SearchStrategy[Case]:
    """As many parts as the lemma asks for, or a few more."""
    from hypothesis import strategies as st

    return st.builds(
        lambda alpha, beta, more: of_parts(parts_needed(beta=beta) + more, alpha, beta),
        st.sampled_from(PART_ALPHAS),
        st.sampled_from(PART_BETAS),
        st.sampled_from((0, 0, 1, 2, 5)),
    )


def varied_parts(q: int) -> Iterator[Case]:
    """Q parts at α = 1/20 and β = 1/10."""
    yield of_parts(q, Fraction(1, 20), Fraction(1, 10))


in_parts = UtilityClaim(
    id="BNS-J-5.1.utility.parts",
    source=f"{_BNS}, Lemma 5.1, given the (2α, (3/2)β)-sanitizer that its proof takes from Theorem 2.21",
    statement="where each part fails with probability (3/2)β, independently, is then wholly wrong, and is else 2α off "
    "the same way, the union of q ≥ (18/β)·ln(1/β) parts is (2α + 2β)-close with probability ≥ 1 − β",
    mechanism=share_lost,
    succeeds=lambda case, off: bool(off <= 2 * case.parameters["alpha"] + 2 * case.facts["beta"]),
    beta=lambda case: case.facts["beta"],
    strategy=numbers_of_parts,
    corners={
        "the least β": lambda case: case.facts["beta"] == PART_BETAS[0],
        "β near 1": lambda case: case.facts["beta"] == PART_BETAS[-1],
        "the least α": lambda case: case.parameters["alpha"] == PART_ALPHAS[0],
        "2α = 1": lambda case: case.parameters["alpha"] == PART_ALPHAS[-1],
        "exactly q": lambda case: case.facts["more"] == 0,
        "more than q": lambda case: case.facts["more"] > 0,
    },
    mutant=share_lost_by_worse_parts,
    sharpness=Sharpness(
        what="parts q, α = 1/20, β = 1/5", paper=parts_needed(beta=Fraction(1, 5)), family=varied_parts
    ),
)


# Lemma 5.3: learning from what is sanitized.


def learnt_from(draw: Draw, sample: Sequence[Example], *, concepts: Sequence[Any], sanitized: Sequence[Example]) -> Any:
    """Learn, with a sanitizer that releases the database that is given."""

    def sanitizer(draw: object, rows: object) -> tuple[Example, ...]:
        return tuple(sanitized)

    return draw(learn_from_sanitized, sample, sanitizer=sanitizer, concepts=concepts)


def learnt_from_turned(
    draw: Draw, sample: Sequence[Example], *, concepts: Sequence[Any], sanitized: Sequence[Example]
) -> Any:
    """Learn from the released database with all labels turned over: the concept with the greatest error there."""
    turned = tuple((x, 1 - y) for x, y in sanitized)
    return learnt_from(draw, sample, concepts=concepts, sanitized=turned)


def error_on(concept: Any, rows: Sequence[Example]) -> Fraction:
    """The share of c^label on the rows, which is the concept's error there."""
    return Fraction(sum(map(labelled_concept(concept), rows)), len(rows))


def all_released(factor: int = 2) -> Iterator[Case]:
    """All samples consistent with a concept and all databases released; α is as close as these are for C^label."""
    for d, of_points, most in ((1, points(1), 4), (1, thresholds(1), 4), (2, points(2), 2), (2, thresholds(2), 2)):
        rows = [(x, y) for x in range(1 << d) for y in (0, 1)]
        every = [s for n in range(1, most + 1) for s in combinations_with_replacement(rows, n)]
        errors = {s: tuple(error_on(c, s) for c in of_points) for s in every}
        for sample in every:
            if min(errors[sample]):  # it is consistent with no concept
                continue
            for sanitized in every:
                alpha = max(abs(a - b) for a, b in zip(errors[sample], errors[sanitized], strict=True))
                given = {"concepts": of_points, "sanitized": sanitized}
                yield Case(sample, given, {"alpha": alpha, "factor": factor})


from_sanitized = UtilityClaim(
    id="BNS-J-5.3.utility.empirical",
    source=f"{_BNS}, Lemma 5.3: in its proof, event E1 makes the error on the sample at most 2α",
    statement="where Ŝ is α-close to S for C^label and S is consistent with a concept, Learn has error ≤ 2α on S; "
    "points and thresholds, all S and Ŝ of up to 4 rows with d = 1 and of up to 2 with d = 2",
    mechanism=learnt_from,
    succeeds=lambda case, found: error_on(found, case.database) <= case.facts["factor"] * case.facts["alpha"],
    beta=lambda case: ZERO,
    cases=tuple(all_released()),
    mutant=learnt_from_turned,
    sharpness=Sharpness(what="multiple of α", paper=2, family=all_released, least=0),
)


# Remark 3.5: the noisy binary search.


def length_found(
    draw: Draw, qualities: Sequence[int], *, alpha: Fraction, epsilon: Fraction, size: int, wider: int = 1
) -> int:
    """The j that the search finds, with the threshold and the ε that the learner of thresholds gives it."""
    last = len(qualities) - 1
    threshold = exact(alpha * size / 2)
    return noisy_binary_search(draw, qualities.__getitem__, last, threshold, exact(epsilon / 4 / wider))


def length_found_by_more_noise(draw: Draw, qualities: Sequence[int], **given: Any) -> int:
    """Eight times the noise."""
    return length_found(draw, qualities, wider=8, **given)


def is_between(case: Case, j: int) -> bool:
    """Whether Q(j) ≥ αm/4, and Q(j − 1) ≤ 3αm/4 unless j = 0."""
    values, scaled = case.database, case.parameters["alpha"] * case.parameters["size"] / 4
    return bool(values[j] >= scaled and (j == 0 or values[j - 1] <= 3 * scaled))


def levels(alpha: Fraction, size: int) -> tuple[int, ...]:
    """Qualities at the ends of what is wrong, in the middle, and far from it."""
    quarter = alpha * size / 4
    return (0, ceil(quarter) - 1, ceil(quarter), ceil(2 * quarter), int(3 * quarter) + 1, size)


SEARCH_EPSILONS: Final = (Fraction(1, 100), Fraction(1), Fraction(200))
SEARCH_BETAS: Final = (Fraction(1, 10**9), Fraction(1, 20), Fraction(99, 100))
SEARCH_ALPHAS: Final = (Fraction(1, 10), Fraction(1, 2), Fraction(99, 100))


def searches() -> SearchStrategy[Case]:
    """Qualities that do not fall, over all lengths or the powers of two, and the rows for them."""
    from hypothesis import strategies as st

    @st.composite
    def case(choose: Any) -> Case:
        d, powers = choose(st.sampled_from((0, 0, 0, 1, 2, 3))), choose(st.booleans())
        alpha, beta = choose(st.sampled_from(SEARCH_ALPHAS)), choose(st.sampled_from(SEARCH_BETAS))
        epsilon = choose(st.sampled_from(SEARCH_EPSILONS))
        m = rows_for_search(d=d, alpha=alpha, beta=beta, epsilon=epsilon, powers=powers)
        length = (d if powers else 1 << d) + 1
        values = sorted(choose(st.lists(st.sampled_from(levels(alpha, m)), min_size=length, max_size=length)))
        given = {"alpha": alpha, "epsilon": epsilon, "size": m}
        return Case(tuple(values), given, {"beta": beta, "d": d, "powers": powers})

    return case()


def staircases(m: int) -> Iterator[Case]:
    """Qualities of five lengths, d = 4: all that rise through what is wrong."""
    alpha = Fraction(1, 2)
    low, high = max(0, ceil(alpha * m / 4) - 1), min(m, int(3 * alpha * m / 4) + 1)
    for values in combinations_with_replacement(sorted({low, high, m}), 5):
        if values[-1] >= alpha * m / 4:
            yield Case(values, {"alpha": alpha, "epsilon": Fraction(1), "size": m}, {"beta": Fraction(1, 20)})


search = UtilityClaim(
    id="BNS-J-3.5.utility.search",
    source=f"{_BNS}, Remark 3.5, with the number of rows of `rows_for_search`: the paper states none",
    statement="k comparisons with noise Lap(4k/ε) find j with Q(j) ≥ αm/4 and, unless j = 0, Q(j − 1) ≤ 3αm/4, with "
    "probability ≥ 1 − β, from m ≥ (16k/(αε))·ln(k/β), where the last Q is ≥ αm/4",
    mechanism=length_found,
    succeeds=is_between,
    beta=lambda case: case.facts["beta"],
    holds_for=lambda case: bool(case.database[-1] >= case.parameters["alpha"] * case.parameters["size"] / 4),
    strategy=searches,
    corners={
        "one length": lambda case: len(case.database) == 1,
        "all lengths": lambda case: not case.facts["powers"] and case.facts["d"] == 3,
        "the powers of two": lambda case: case.facts["powers"] and case.facts["d"] == 3,
        "one Q just below αm/4": lambda case: (
            levels(case.parameters["alpha"], case.parameters["size"])[1] in case.database
        ),
        "one Q just above 3αm/4": lambda case: (
            levels(case.parameters["alpha"], case.parameters["size"])[4] in case.database
        ),
        "the least ε": lambda case: case.parameters["epsilon"] == SEARCH_EPSILONS[0],
        "the largest ε": lambda case: case.parameters["epsilon"] == SEARCH_EPSILONS[-1],
        "the least β": lambda case: case.facts["beta"] == SEARCH_BETAS[0],
        "β near 1": lambda case: case.facts["beta"] == SEARCH_BETAS[-1],
        "the least α": lambda case: case.parameters["alpha"] == SEARCH_ALPHAS[0],
        "α near 1": lambda case: case.parameters["alpha"] == SEARCH_ALPHAS[-1],
    },
    mutant=length_found_by_more_noise,
    sharpness=Sharpness(
        ours=True,
        what=f"rows, {comparisons(4)} comparisons, α = 1/2, ε = 1, β = 1/20",
        paper=rows_for_search(d=4, alpha=Fraction(1, 2), beta=Fraction(1, 20), epsilon=Fraction(1), powers=True),
        family=staircases,
    ),
)


# Theorem 6.2: event E3, on a sample that is given.


Repeated: TypeAlias = tuple[tuple[Example, int], ...]
"""Examples, each with how often it comes in a row: the samples have thousands."""


def chosen_of(draw: Draw, repeated: Repeated, *, concepts: Sequence[Any], split: int, epsilon: Fraction) -> Any:
    """What the label-private learner chooses."""
    # called, and not drawn from: so long a sample would be gone through again to be remembered
    return label_private_learner(draw, written_out(repeated), concepts=concepts, split=split, epsilon=epsilon)


def chosen_at_a_quarter_of_epsilon(draw: Draw, repeated: Repeated, *, epsilon: Fraction, **given: Any) -> Any:
    """A quarter of the ε."""
    return chosen_of(draw, repeated, epsilon=epsilon / 4, **given)


def is_nearly_the_best(case: Case, found: Any) -> bool:
    """Whether its error on the second part is at most α/4 more than the least in H."""
    rest = written_out(case.database)[case.parameters["split"] :]
    correct = numbers_of_correct_labels(candidates(case), rest)
    return bool(max(correct.values()) - correct[found] <= case.facts["alpha"] / 4 * len(rest))


def candidates(case: Case) -> tuple[Any, ...]:
    """H: one concept for each labelling of the points of the first part."""
    first = written_out(case.database)[: case.parameters["split"]]
    return one_for_each_labelling(case.parameters["concepts"], (x for x, _ in first))


def with_a_rival(alpha: Fraction, beta: Fraction, epsilon: Fraction, wrong: int, both: bool) -> Case:
    """A sample of the theorem's rows, of two points, on which thresholds have three labellings.

    In the second part so many rows of the point 0, which is labelled 1, as a concept may err on more than the best, and
    `wrong` more. The first part has both points, or one of them.
    """
    n = rows_for_points_alone(vc=1, alpha=alpha, beta=beta)
    m = max(n + 1, rows_for_labels(vc=1, alpha=alpha, beta=beta, epsilon=epsilon))
    rival = min(int(alpha / 4 * (m - n)) + wrong, m - n)
    other: Example = (1, 0) if both else (0, 1)
    sample: Repeated = (((0, 1), n - 1), (other, 1), ((0, 1), rival), ((1, 0), m - n - rival))
    given = {"concepts": thresholds(1), "split": n, "epsilon": epsilon}
    return Case(sample, given, {"alpha": alpha, "beta": beta, "wrong": wrong, "both": both})


LABEL_ALPHAS: Final = (Fraction(1, 2), Fraction(99, 100))
LABEL_BETAS: Final = (Fraction(1, 10**6), Fraction(1, 4), Fraction(99, 100))
LABEL_EPSILONS: Final = (Fraction(1), Fraction(20), Fraction(200))


def rivals() -> SearchStrategy[Case]:
    """Samples with a rival whose error is just above α/4, at α/4, or far above."""
    from hypothesis import strategies as st

    return st.builds(
        with_a_rival,
        st.sampled_from(LABEL_ALPHAS),
        st.sampled_from(LABEL_BETAS),
        st.sampled_from(LABEL_EPSILONS),
        st.sampled_from((0, 1, 1, 2, 10**9)),
        st.booleans(),
    )


def allowed_for_rows(case: Case, rows: int) -> Exact:
    """|H|·e^(−εα·rows/8)."""
    return len(candidates(case)) * exp(-case.parameters["epsilon"] * case.facts["alpha"] * rows / 8)


def rows_of(case: Case) -> int:
    """M."""
    return sum(times for _, times in case.database)


_E3: Final[dict[str, Any]] = {
    "mechanism": chosen_of,
    "succeeds": is_nearly_the_best,
    "strategy": rivals,
    "corners": {
        "just above α/4": lambda case: case.facts["wrong"] == 1,
        "at most α/4": lambda case: case.facts["wrong"] == 0,
        "the whole second part": lambda case: case.facts["wrong"] > 2,
        "both points are known": lambda case: case.facts["both"],
        "the least ε": lambda case: case.parameters["epsilon"] == LABEL_EPSILONS[0],
        "the largest ε": lambda case: case.parameters["epsilon"] == LABEL_EPSILONS[-1],
        "the least β": lambda case: case.facts["beta"] == LABEL_BETAS[0],
        "β near 1": lambda case: case.facts["beta"] == LABEL_BETAS[-1],
        "α near 1": lambda case: case.facts["alpha"] == LABEL_ALPHAS[-1],
    },
    "mutant": chosen_at_a_quarter_of_epsilon,
}

e3_as_printed = UtilityClaim(
    id="BNS-J-6.2.utility.e3",
    source=f"{_BNS}, proof of Theorem 6.2, event E3 as printed, given the sample",
    statement="the exponential mechanism chooses an h with error ≤ α/4 more than the least on S2 with probability "
    "≥ 1 − |H|·e^(−εαm/8), at the theorem's n and m",
    beta=lambda case: allowed_for_rows(case, rows_of(case)),
    examples=(with_a_rival(Fraction(99, 100), Fraction(99, 100), Fraction(1), 1, both=True),),
    expected=Status.REFUTED,
    **_E3,
)

e3_by_rows = UtilityClaim(
    id="BNS-J-6.2.utility.e3-corrected",
    source=f"{_BNS}, proof of Theorem 6.2, event E3 with the m − n rows of S2 in place of m, given the sample",
    statement="as BNS-J-6.2.utility.e3, with probability ≥ 1 − |H|·e^(−εα(m − n)/8)",
    beta=lambda case: allowed_for_rows(case, rows_of(case) - case.parameters["split"]),
    **_E3,
)


# Corollary 5.5 and Lemma 5.7 of Hardt, Rothblum & Servedio.


def term_values(draw: object, lacking: int, *, d: int, k: int, share: Fraction, shift: int = 0) -> tuple[Fraction, ...]:
    """A_u on B_k, for a row that lacks these attributes."""
    terms = conjunction_terms(lacking, k + shift, dropping_polynomial(k, share))
    return tuple(sum((c for q0, c in terms if q0 & q == q0), Fraction(0)) for q in sparse_queries(d, k))


def term_values_one_off(draw: object, lacking: int, **given: Any) -> tuple[Fraction, ...]:
    """L(q) = k + 1 − Σ q_i in place of k − Σ q_i."""
    return term_values(draw, lacking, shift=1, **given)


def all_terms() -> Iterator[Case]:
    """All u, all k, at the ε of up to four rows and at one near 1."""
    for d in (1, 2, 3):
        for lacking, k in product(range(1 << d), range(1, d + 1)):
            for share in (*(Fraction(1, 3 * n) for n in (1, 2, 3, 4)), Fraction(99, 100), Fraction(1, 10**6)):
                yield Case(lacking, {"d": d, "k": k, "share": share})


def is_a_conjunction(case: Case, values: tuple[Fraction, ...]) -> bool:
    """Whether A_u is 1 where P(q, u) is, and at most ε in size where it is 0."""
    given = case.parameters
    return all(
        abs(value) <= given["share"] if q & case.database else value == 1
        for q, value in zip(sparse_queries(given["d"], given["k"]), values, strict=True)
    )


conjunctions = UtilityClaim(
    id="HRS-5.5.utility.conjunction",
    source=f"{_HRS}, Corollary 5.5, with the polynomial (14)",
    statement="A_u is 1 where P(q, u) = 1 and |A_u| ≤ ε elsewhere on B_k; d ≤ 3, all u and k, six ε",
    mechanism=term_values,
    succeeds=is_a_conjunction,
    beta=lambda case: ZERO,
    cases=tuple(all_terms()),
    mutant=term_values_one_off,
)


def signs_by_width(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int) -> tuple[tuple[int, ...], int]:
    """The signs on all of the cube of the polynomial of Lemma 5.3 with the width in place of k, and its degree."""
    found = sparse_threshold_polynomial(rows, t=t, d=d, k=width_of(rows, d))
    return tuple(map(found, range(1 << d))), found.degree


def signs_by_width_of_one_less(draw: object, rows: tuple[int, ...], *, t: Fraction, d: int) -> Any:
    """⌈tn⌉ − 1 in place of ⌈tn⌉."""
    return signs_by_width(draw, rows, t=max(Fraction(0), t - Fraction(1, len(rows))), d=d)


def width_of(rows: Sequence[int], d: int) -> int:
    """The width w of a database, at least 1."""
    return max(1, *(width(u, d) for u in rows))


def are_labels_on_the_cube(case: Case, found: tuple[tuple[int, ...], int]) -> bool:
    """Whether the signs are f^D_t on all queries, and the degree is at most ⌈√w⌉·⌈log₂(3n)⌉."""
    rows, d = case.database, case.parameters["d"]
    least = least_count(len(rows), case.parameters["t"])
    bound = (isqrt(width_of(rows, d) - 1) + 1) * (3 * len(rows) - 1).bit_length()
    true = tuple(int(sum(map(Conjunction(q), rows)) >= least) for q in range(1 << d))
    return found[0] == true and found[1] <= bound


def all_narrow() -> Iterator[Case]:
    """All databases of up to three rows, and all t that differ."""
    for d, n in product((1, 2, 3), (1, 2, 3)):
        for rows in combinations_with_replacement(range(1 << d), n):
            for least in range(n + 1):
                yield Case(rows, {"t": Fraction(least, n), "d": d})


narrow = UtilityClaim(
    id="HRS-5.7.utility.cube-signs-by-width",
    source=f"{_HRS}, Lemma 5.7, with the degree of the polynomial that is printed",
    statement="for D of width w, f^D_t is on {0, 1}^d the sign of a polynomial of degree ≤ ⌈√w⌉·⌈log₂(3n)⌉, w ≥ 1; "
    "d ≤ 3, n ≤ 3, all D and t",
    mechanism=signs_by_width,
    succeeds=are_labels_on_the_cube,
    beta=lambda case: ZERO,
    cases=tuple(all_narrow()),
    mutant=signs_by_width_of_one_less,
)

CLAIMS: Final = (in_parts, from_sanitized, search, e3_as_printed, e3_by_rows, conjunctions, narrow)
