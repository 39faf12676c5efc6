"""PAC claims, over the sample and the coins: thresholds, labels, the shells of large margins, and polynomials.

The database of a case is the population. Where it has two kinds of examples the samples are summed over by how many are
of either; where a learner sees of its first examples only which points are among them, by these. Populations on which
there are too many samples are audited by some.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import ceil
from typing import Any, Final

from dpverify.mechanisms.exact.exact_numbers import ONE, total
from dpverify.mechanisms.exact.logarithms import log_star
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.learners.label_private_learner import (
    label_private_learner,
    rows_for_labels,
    rows_for_points_alone,
    semi_private_learner,
)
from dpverify.mechanisms.learners.large_margin_learner import deviation_of, error_by_shells, learn_by_large_margin
from dpverify.mechanisms.learners.thresholds_learner import (
    learn_thresholds,
    learn_thresholds_by_rec,
    parts_of_rec,
    rows_for_thresholds,
    rows_to_generalise,
)
from dpverify.mechanisms.release.chebyshev import least_count
from dpverify.mechanisms.release.conjunctions import Conjunction, sparse_queries
from dpverify.mechanisms.release.polynomial_thresholds import (
    degree_of_thresholds,
    examples_for_thresholds,
    learn_polynomial_threshold,
)
from dpverify.mechanisms.sanitizers.concepts import Concept, Example, Threshold, one_for_each_labelling, thresholds
from dpverify.mechanisms.selection.stability import Bottom, a_dist_journal
from dpverify.reports.record import Status
from dpverify.verifiers.utility.checker import Case, Sharpness, UtilityClaim
from dpverify.verifiers.utility.pac import (
    PacClaim,
    Population,
    error,
    examples_met,
    labelled,
    learnt,
    learnt_of_numbers,
    numbers_of_each,
    sample_of,
)
from dpverify.verifiers.utility_claims.learners import is_within_alpha, threshold_after
from dpverify.verifiers.utility_claims.recursion import promise_of_the_abstract

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
_BNS_X: Final = "Beimel, Nissim & Stemmer, extended abstract"
_CHS: Final = "Chaudhuri, Hsu & Song"
_HRS: Final = "Hardt, Rothblum & Servedio"

HALF: Final = Fraction(1, 2)
JUST: Final = Fraction(1, 1000)


def two_points(target: Threshold, low: int, high: int, share: Fraction) -> Population:
    """So much of the mass on the lower point, and the rest on the higher one."""
    return labelled([(low, share), (high, 1 - share)], target)


def claimed_beta(case: Case) -> Fraction:
    """β."""
    beta: Fraction = case.facts["beta"]
    return beta


# Theorem 3.18: LearnThresholds.


def thresholds_learnt(draw: Draw, population: Population, *, size: int, **given: Any) -> Any:
    """What LearnThresholds makes of `size` independent examples."""
    return learnt(draw, population, size=size, learner=learn_thresholds, given=given)


def next_threshold_learnt(draw: Draw, population: Population, *, size: int, **given: Any) -> Any:
    """The threshold one half of the domain further on."""
    return learnt(draw, population, size=size, learner=threshold_after, given=given)


def around_targets(d: int, targets: Sequence[int], shares: Sequence[Fraction]) -> Iterator[Population]:
    """The points on both sides of each target, or at the end of the domain: there are the next best thresholds."""
    for j in targets:
        low = min(max(j - 1, 0), (1 << d) - 2)
        for share in shares:
            yield two_points(Threshold(j), low, low + 1, share)


def of_3_18(
    d: int,
    population: Population,
    *,
    beta: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    alpha: Fraction = Fraction(9, 10),
    depth: int = 1,
) -> tuple[dict[str, Any], int, dict[str, Any]]:
    """What LearnThresholds is given, the rows that Theorem 3.18 asks for, and what is claimed."""
    asked: dict[str, Any] = {"alpha": alpha, "epsilon": epsilon, "delta": delta, "depth": depth}
    asked["selection"] = a_dist_journal
    rows = rows_for_thresholds(d=d, beta=beta, **asked)
    return {"d": d, "base": 2, **asked}, rows, {"alpha": alpha, "beta": beta}


def exactly(d: int, population: Population, size: int | None = None, **asked: Any) -> Case:
    """A case whose samples are all summed over; the rows are those of the theorem, unless another number is given."""
    given, rows, facts = of_3_18(d, population, **asked)
    return Case(population, {**given, "size": size or rows}, facts)


JUST_MORE: Final = Fraction(9, 10) + JUST
BOTH_SIDES: Final = (JUST_MORE, 1 - JUST_MORE)


def cases_of_3_18() -> Iterator[Case]:
    """All targets, with a little more than α on either side of them; on four points, on one side."""
    lax: dict[str, Any] = {"beta": Fraction(99, 100), "delta": Fraction(1, 10)}
    for population in around_targets(1, (0, 1, 2), BOTH_SIDES):
        yield exactly(1, population, epsilon=Fraction(20), **lax)
    for population in around_targets(2, (0, 1, 2, 3, 4), BOTH_SIDES[:1]):
        yield exactly(2, population, epsilon=Fraction(10_000), **lax)


_AT: Final[dict[str, Any]] = {"beta": Fraction(1, 20), "epsilon": Fraction(10), "delta": Fraction(1, 10)}
_PAC_OF_THRESHOLDS: Final = (
    "LearnThresholds has error ≤ α with probability ≥ 1 − β over the sample and the coins, from m ≥ "
    "(200/α²)·ln(4/(αβ)) and ≥ 8^N·(72N/(αε))·(log(12N/(βδ)) + log … log 2^d), N times, examples; with base = 2"
)

exact_thresholds = UtilityClaim(
    id="BNS-J-3.18.utility.pac",
    source=f"{_BNS}, Theorem 3.18 with the constants of its proof",
    statement=f"{_PAC_OF_THRESHOLDS}; N = 1, α = 9/10, β = 99/100, δ = 1/10, d = 1 at ε = 20 and d = 2 at ε = 10⁴, all "
    "targets, with 901/1000 on one and 99/1000 on the other of the points next to the target",
    mechanism=thresholds_learnt,
    succeeds=is_within_alpha,
    beta=claimed_beta,
    cases=tuple(cases_of_3_18()),
    mutant=next_threshold_learnt,
    sharpness=Sharpness(
        what="examples m, d = 1, N = 1, α = 9/10, β = 1/20, ε = 10, δ = 1/10",
        paper=rows_for_thresholds(d=1, depth=1, alpha=Fraction(9, 10), selection=a_dist_journal, **_AT),
        family=lambda m: (exactly(1, population, m, **_AT) for population in around_targets(1, (0, 1), (JUST_MORE,))),
    ),
)


def mostly_above(d: int) -> Population:
    """All points, with 19/20 of the mass in the upper half, which is labelled 0."""
    half = 1 << (d - 1)
    shares = (Fraction(1, 20) / half, Fraction(19, 20) / half)
    return labelled([(x, shares[x >= half]) for x in range(1 << d)], Threshold(half))


def larger_cases() -> Iterator[Case]:
    """16 points with N = 1, and 64 points with N = 2."""
    at: dict[str, Any] = {"beta": Fraction(1, 4), "delta": Fraction(1, 100)}
    for d, epsilon, depth in ((4, Fraction(20), 1), (6, Fraction(1000), 2)):
        population = mostly_above(d)
        given, rows, facts = of_3_18(d, population, epsilon=epsilon, depth=depth, **at)
        yield Case(population, given, {**facts, "size": rows})


def claimed_size(case: Case) -> int:
    """The number of examples."""
    size: int = case.facts["size"]
    return size


audited_thresholds = PacClaim(
    id="BNS-J-3.18.utility.pac-of-many-points",
    source=f"{_BNS}, Theorem 3.18 with the constants of its proof",
    statement=f"{_PAC_OF_THRESHOLDS}; 19/20 of the mass alike on the upper half, the target in the middle, α = 9/10, "
    "β = 1/4, δ = 1/100, d = 4 with N = 1, ε = 20, and d = 6 with N = 2, ε = 1000",
    learner=learn_thresholds,
    succeeds=is_within_alpha,
    size=claimed_size,
    beta=claimed_beta,
    mutant=threshold_after,
    cases=tuple(larger_cases()),
)


# Theorem 2 of the extended abstract: the same learner by Rec.


def promise_by_rec(*, d: int, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    """Lemma 3 at α/2 and with 2·(its β)·log* T = β/2, at the (ε,δ) of its parts."""
    last = 1 << d
    part, part_delta = parts_of_rec(last=last, epsilon=epsilon, delta=delta)
    return promise_of_the_abstract(last, 0, alpha / 2, beta / (4 * log_star(last)), part, part_delta)


def rows_by_rec(*, d: int, alpha: Fraction, beta: Fraction, **private: Fraction) -> int:
    """Both events of the proof of Theorem 3.18, with Rec: Theorem 2 states the order alone."""
    return max(rows_to_generalise(alpha=alpha, beta=beta), ceil(promise_by_rec(d=d, alpha=alpha, beta=beta, **private)))


OF_THEOREM_2: Final[dict[str, Any]] = {"alpha": Fraction(49, 100), "epsilon": Fraction(10**8), "delta": Fraction(1, 10)}
"""So large an ε, for which Lemma 3 asks for no more rows than the error does."""
ROWS_OF_THEOREM_2: Final = rows_by_rec(d=6, beta=Fraction(1, 4), **OF_THEOREM_2)
GIVEN_OF_THEOREM_2: Final = {"d": 6, "base": 32, **OF_THEOREM_2}
FACTS_OF_THEOREM_2: Final = {"alpha": OF_THEOREM_2["alpha"], "beta": Fraction(1, 4)}


@lru_cache(maxsize=8)
def likely_numbers(population: Population, size: int, within: int) -> Distribution[tuple[int, ...] | None]:
    """How many examples of either kind there are, where these are nearly as many; None stands for all else."""
    law = numbers_of_each(population, size).probabilities
    likely = {numbers: p for numbers, p in law.items() if abs(2 * numbers[0] - size) <= 2 * within}
    return Distribution({**likely, None: ONE - total(likely.values())})


def learnt_of_likely(draw: Draw, population: Population, *, size: int, within: int, **given: Any) -> Any:
    """What the learner by Rec makes of likely samples; of all others, the target.

    That it fails on none of these can only make its probability of failure smaller: what is refuted here is refuted.
    """
    numbers = draw(likely_numbers(population, size, within))
    if numbers is None:
        return Threshold(population[1][0][0])
    return draw(learnt_of_numbers, numbers, population=population, learner=learn_thresholds_by_rec, **given)


def learns_nothing(draw: Draw, population: Population, **given: Any) -> Bottom:
    """⊥, whatever the sample."""
    return Bottom.BOTTOM


TIED: Final = two_points(Threshold(16), 14, 16, HALF)
"""The best thresholds are 15 and 16, and the first of Rec's intervals A ends with 15."""

TIED_CASE: Final = Case(TIED, {**GIVEN_OF_THEOREM_2, "size": ROWS_OF_THEOREM_2, "within": 10}, FACTS_OF_THEOREM_2)

rec_as_printed = UtilityClaim(
    id="BNS-X-Thm2.utility.pac",
    source=f"{_BNS_X}, Theorem 2, whose details it omits: LearnThresholds with Rec as printed, on the rows of Lemma 3 "
    "and Theorem 2.14",
    statement="the learner has error ≤ α with probability ≥ 1 − β over the sample and the coins; d = 6, α = 49/100, "
    f"β = 1/4, δ = 1/10, m = {ROWS_OF_THEOREM_2:,} at ε = 10⁸; counted are its failures on samples with m/2 ± 10 "
    "examples of either kind, so that the probability shown is less than that of all",
    mechanism=learnt_of_likely,
    succeeds=is_within_alpha,
    beta=claimed_beta,
    cases=(TIED_CASE,),
    examples=(TIED_CASE,),
    mutant=learns_nothing,
    expected=Status.REFUTED,
)


def by_rec_with_b(draw: Draw, sample: Any, **given: Any) -> Any:
    """The learner by Rec with B in its step 10."""
    return learn_thresholds_by_rec(draw, sample, from_the_end_of_a=False, **given)


rec_with_b = PacClaim(
    id="BNS-X-Thm2.utility.pac-with-b",
    source=f"{_BNS_X}, Theorem 2, as LearnThresholds with B in step 10 of Rec, on the rows of Lemma 3 and Theorem 2.14",
    statement="the learner has error ≤ α with probability ≥ 1 − β over the sample and the coins; d = 6, α = 49/100, "
    "β = 1/4, δ = 1/10, ε = 10⁸, half of the mass on each of the points 14 and 16, or 30 and 40",
    learner=by_rec_with_b,
    succeeds=is_within_alpha,
    size=claimed_size,
    beta=claimed_beta,
    mutant=learn_thresholds_by_rec,
    cases=tuple(
        Case(population, GIVEN_OF_THEOREM_2, {**FACTS_OF_THEOREM_2, "size": ROWS_OF_THEOREM_2})
        for population in (TIED, two_points(Threshold(32), 30, 40, HALF))
    ),
)


# Theorem 6.2: learning with private labels, and with private rows and public points.


def points_met(population: Population, size: int) -> Distribution[tuple[int, ...]]:
    """Which points are among `size` independent examples, each with its label."""
    law = examples_met(population, size).probabilities
    return Distribution({tuple(x for x, _ in examples): p for examples, p in law.items()})


def labels_learnt(draw: Draw, population: Population, *, size: int, split: int, **given: Any) -> Any:
    """Figure 13 on `size` independent examples, of the first `split` of which only the points that are met matter."""
    met = draw(points_met(population, split))
    numbers = draw(numbers_of_each(population, size - split))
    return draw(labels_learnt_of_numbers, met, numbers=numbers, population=population, **given)


def labels_learnt_of_numbers(
    draw: Draw, met: tuple[int, ...], *, numbers: Sequence[int], population: Population, **given: Any
) -> Any:
    """Figure 13 on the points met, whose labels it does not look at, and on the second part."""
    sample = tuple((x, 0) for x in met) + sample_of(population, numbers)
    return label_private_learner(draw, sample, split=len(met), **given)


def opposite_labels_learnt(draw: Draw, population: Population, **given: Any) -> Any:
    """The threshold with the other labels around it: 2 − j in place of j."""
    return Threshold(2 - draw(labels_learnt, population, **given).j)


def rows_learnt(draw: Draw, population: Population, *, size: int, split: int, **given: Any) -> Any:
    """The semi-private learner: the points of `split` public rows, and the other rows private."""
    met = draw(points_met(population, split))
    numbers = draw(numbers_of_each(population, size - split))
    return draw(rows_learnt_of_numbers, numbers, met=met, population=population, **given)


def rows_learnt_of_numbers(
    draw: Draw, numbers: Sequence[int], *, met: tuple[int, ...], population: Population, **given: Any
) -> Any:
    """The semi-private learner on so many examples of each kind."""
    return semi_private_learner(draw, sample_of(population, numbers), unlabelled=met, **given)


def opposite_rows_learnt(draw: Draw, population: Population, **given: Any) -> Any:
    """The threshold with the other labels around it: 2 − j in place of j."""
    return Threshold(2 - draw(rows_learnt, population, **given).j)


def of_6_2(
    population: Population, *, alpha: Fraction, beta: Fraction, epsilon: Fraction, second: int | None = None
) -> Case:
    """The n of step 2 and the m of the input, unless another number of rows is given for the second part."""
    n = rows_for_points_alone(vc=1, alpha=alpha, beta=beta)
    m = rows_for_labels(vc=1, alpha=alpha, beta=beta, epsilon=epsilon) if second is None else n + second
    given = {"concepts": thresholds(1), "size": m, "split": n, "epsilon": epsilon}
    return Case(population, given, {"alpha": alpha, "beta": beta})


def cases_of_6_2() -> Iterator[Case]:
    """All targets on two points, with a little more than α on either, or a little on one: those may not be met."""
    for j, share in product((0, 1, 2), (Fraction(9, 10) + JUST, Fraction(1, 10) - JUST)):
        population = two_points(Threshold(j), 0, 1, share)
        yield of_6_2(population, alpha=Fraction(9, 10), beta=Fraction(99, 100), epsilon=Fraction(15))


_LABELS: Final = "n = (32/α)·(VC·ln(64/α) + ln(8/β)) and m ≥ (768/(α²ε))·(VC·ln(64/α) + 2·ln(8/β))"


_ONE_POINT: Final[dict[str, Any]] = {"alpha": HALF, "beta": Fraction(1, 20), "epsilon": Fraction(1)}

labels_private = UtilityClaim(
    id="BNS-J-6.2.utility.pac",
    source=f"{_BNS}, Theorem 6.2 and Figure 13, with the numbers of the end of its proof",
    statement=f"error ≤ α with probability ≥ 1 − β over the sample and the coins, {_LABELS}; all thresholds on two "
    "points with 901/1000 or 99/1000 on the lower one, at ε = 15, α = 9/10, β = 99/100",
    mechanism=labels_learnt,
    succeeds=is_within_alpha,
    beta=claimed_beta,
    cases=tuple(cases_of_6_2()),
    mutant=opposite_labels_learnt,
    sharpness=Sharpness(
        what="rows of the second part, all mass on one point, α = 1/2, β = 1/20, ε = 1",
        paper=rows_for_labels(vc=1, **_ONE_POINT) - rows_for_points_alone(vc=1, alpha=HALF, beta=Fraction(1, 20)),
        family=lambda rows: [
            of_6_2(two_points(Threshold(j), 0, 1, Fraction(1)), **_ONE_POINT, second=rows) for j in (0, 2)
        ],
    ),
)

rows_private = UtilityClaim(
    id="BNS-J-6.2.utility.semi-private",
    source=f"{_BNS}, Section 6.2, with the numbers of Theorem 6.2",
    statement="as BNS-J-6.2.utility.pac, of the learner whose n points are public",
    mechanism=rows_learnt,
    succeeds=is_within_alpha,
    beta=claimed_beta,
    cases=tuple(cases_of_6_2()),
    mutant=opposite_rows_learnt,
)


# The events of the proof of Theorem 6.2.


def candidates_and_errors(
    draw: Draw, population: Population, *, size: int, split: int, concepts: Sequence[Threshold]
) -> tuple[tuple[Threshold, Fraction], ...]:
    """H of Figure 13, each with its error on S₂, over the sample."""
    met = draw(points_met(population, split))
    numbers = draw(numbers_of_each(population, size - split))
    examples = [example for example, share in population if share]
    return tuple(
        (h, Fraction(sum(n for (x, y), n in zip(examples, numbers, strict=True) if h(x) != y), size - split))
        for h in one_for_each_labelling(concepts, met)
    )


def last_candidate_alone(draw: Draw, population: Population, **given: Any) -> Any:
    """The last labelling of the points met, in place of all."""
    return draw(candidates_and_errors, population, **given)[-1:]


def half_of_the_errors(draw: Draw, population: Population, **given: Any) -> Any:
    """Half of each error on S₂, so that α is admitted in place of α/2."""
    return tuple((h, wrong / 2) for h, wrong in draw(candidates_and_errors, population, **given))


def events_of_6_2() -> Iterator[Case]:
    """The populations of the theorem, and those with a concept that is wrong on a little more than α/4 or α/8."""
    for j, part in product((0, 1, 2), (1, 4, 8)):
        population = two_points(Threshold(j), 0, 1, Fraction(9, 10) / part + JUST)
        case = of_6_2(population, alpha=Fraction(9, 10), beta=Fraction(99, 100), epsilon=Fraction(15))
        yield replace(case, parameters=_without_epsilon(case))


def _without_epsilon(case: Case) -> dict[str, Any]:
    return {name: value for name, value in case.parameters.items() if name != "epsilon"}


event_1 = UtilityClaim(
    id="BNS-J-6.2.utility.e1",
    source=f"{_BNS}, proof of Theorem 6.2, event E1",
    statement="some h of H has error ≤ α/4 on S₂ with probability ≥ 1 − β/2, at the n and m of the theorem; all "
    "thresholds on two points with a little more than α, α/4 or α/8 on the lower one, at ε = 15, α = 9/10, β = 99/100",
    mechanism=candidates_and_errors,
    succeeds=lambda case, found: any(wrong <= case.facts["alpha"] / 4 for _, wrong in found),
    beta=lambda case: case.facts["beta"] / 2,
    cases=tuple(events_of_6_2()),
    mutant=last_candidate_alone,
)

event_2 = UtilityClaim(
    id="BNS-J-6.2.utility.e2",
    source=f"{_BNS}, proof of Theorem 6.2, event E2",
    statement="every h of H with error ≤ α/2 on S₂ has error ≤ α with probability ≥ 1 − β/4; on the inputs of "
    "BNS-J-6.2.utility.e1",
    mechanism=candidates_and_errors,
    succeeds=lambda case, found: all(
        is_within_alpha(case, h) for h, wrong in found if wrong <= case.facts["alpha"] / 2
    ),
    beta=lambda case: case.facts["beta"] / 4,
    cases=tuple(events_of_6_2()),
    mutant=half_of_the_errors,
)


# Corollary 2 of Chaudhuri, Hsu & Song: the shells.


def learnt_by_large_margin(draw: Draw, population: Population, *, size: int, **given: Any) -> Any:
    """What LMM chooses of the concepts on `size` independent examples."""
    return learnt(draw, population, size=size, learner=learn_by_large_margin, given=given)


def worst_by_large_margin(draw: Draw, population: Population, *, concepts: Sequence[Threshold], **given: Any) -> Any:
    """The threshold on the other side of what LMM chooses: j + 2 around the end in place of j."""
    found = draw(learnt_by_large_margin, population, concepts=concepts, **given)
    return concepts[(found.j + 2) % len(concepts)]


def errors_of(population: Population, concepts: Sequence[Threshold]) -> dict[Fraction, int]:
    """err(h) → how many concepts have it."""
    return dict(Counter(error(population, h) for h in concepts))


def is_within_shells(case: Case, hypothesis: Any) -> bool:
    """Whether its error is at most the least one and what Corollary 2 admits."""
    given, rows = case.parameters, case.parameters["size"]
    errors = errors_of(case.database, given["concepts"])
    u = deviation_of(len(given["concepts"]), rows=rows, failure=case.facts["failure"])
    more = error_by_shells(errors, rows=rows, deviation=u, epsilon=given["epsilon"], delta=given["delta"])
    return bool(error(case.database, hypothesis) <= min(errors) + more)


def with_shells() -> Iterator[Case]:
    """Thresholds on four points, of which two have mass, with and without wrong labels."""
    for labels, share in (((1, 0), Fraction(9, 10)), ((0, 1), Fraction(9, 10)), ((0, 0), HALF)):
        population = (((0, labels[0]), share), ((3, labels[1]), 1 - share))
        for epsilon, failure in ((Fraction(1), Fraction(1, 10)), (Fraction(20), Fraction(4, 5))):
            given = {"concepts": thresholds(2), "size": 60, "epsilon": epsilon, "delta": Fraction(1, 10)}
            yield Case(population, given, {"failure": failure})


shells = UtilityClaim(
    id="CHS-Cor2.utility.shells",
    source=f"{_CHS}, Corollary 2, with the constants of Theorem 3, Hoeffding's u, and ℋ(t* + 2) in place of ℋ(t* + 1)",
    statement="LMM on n(1 − êrr) chooses an h with err(h) ≤ min err + 2u + 6·ln(2|ℋ(t* + 2)|/δ)/(αn) with probability "
    "≥ 1 − δ₀ − δ over the sample and the coins; thresholds on four points, n = 60, δ = 1/10, (α, δ₀) = (1, 1/10) and "
    "(20, 4/5), two kinds of examples, consistent with a threshold, or with none, or of one label",
    mechanism=learnt_by_large_margin,
    succeeds=is_within_shells,
    beta=lambda case: case.facts["failure"] + case.parameters["delta"],
    cases=tuple(with_shells()),
    mutant=worst_by_large_margin,
)


# Theorem 5.10 of Hardt, Rothblum & Servedio: linear programming.


def threshold_labels(rows: Sequence[int], t: Fraction, queries: Sequence[int]) -> tuple[Example, ...]:
    """f^D_t on the queries: whether at least a share t of the rows satisfies them."""
    least = least_count(len(rows), t)
    return tuple((q, int(sum(map(Conjunction(q), rows)) >= least)) for q in queries)


def polynomial_learnt(draw: Draw, population: Population, *, size: int, d: int, k: int, degree: int) -> Concept:
    """The polynomial that linear programming finds from the labels of the queries met among `size` independent ones."""
    return polynomial_of(draw(examples_met(population, size)), d, k, degree)


@lru_cache(maxsize=4096)
def polynomial_of(examples: tuple[Example, ...], d: int, k: int, degree: int) -> Concept:
    """What is learnt of the examples; with a degree, n, t, γ and β are not used, and many populations share it."""
    given: dict[str, Any] = {"n": 1, "t": 1, "gamma": HALF, "beta": HALF, "d": d, "k": k, "degree": degree}
    return learn_polynomial_threshold(None, examples, None, **given)


def polynomial_of_turned_labels(draw: Draw, population: Population, **given: Any) -> Concept:
    """With 0 and 1 exchanged in what it learns from."""
    turned = tuple(((q, 1 - y), share) for (q, y), share in population)
    found: Concept = draw(polynomial_learnt, turned, **given)
    return found


def query_populations(gamma: Fraction) -> Iterator[tuple[Population, int, int, int]]:
    """f^D_t on B_k, with a little more than γ on one query and the rest alike on the others, or all alike; d, n, k."""
    for d, k in ((1, 1), (2, 1), (2, 2)):
        queries = sparse_queries(d, k)
        for n in (1, 2):
            for rows in combinations_with_replacement(range(1 << d), n):
                for least in range(1, n + 1):
                    examples = threshold_labels(rows, Fraction(least, n), queries)
                    rest = (1 - gamma - JUST) / (len(queries) - 1)
                    for heavy in (None, *queries):
                        one = Fraction(1, len(queries)) if heavy is None else gamma + JUST
                        yield (
                            tuple((e, one if heavy in (None, e[0]) else rest) for e in examples),
                            d,
                            n,
                            k,
                        )


def of_5_10(beta: Fraction, gamma: Fraction, size: int | None = None) -> Iterator[Case]:
    """On the examples that are asked for; where another number is given, with d = k = n = 2 alone."""
    for population, d, n, k in query_populations(gamma):
        if size is not None and (d, n, k) != (2, 2, 2):
            continue
        rows = size or examples_for_thresholds(n, gamma, beta, d=d, k=k)
        given = {"size": rows, "d": d, "k": k, "degree": degree_of_thresholds(d, n, k)}
        yield Case(population, given, {"alpha": gamma, "beta": beta})


GAMMA: Final = Fraction(1, 4)
BETA: Final = Fraction(1, 20)

polynomials = UtilityClaim(
    id="HRS-5.10.utility.pac",
    source=f"{_HRS}, Theorem 5.10, with constants of ours, at the degree of Lemmas 5.3 and 5.9",
    statement="from m ≥ max((4/γ)·log₂(2/β), (8N/γ)·log₂(13/γ)) labelled queries, N monomials, linear programming "
    "finds an h with error ≤ γ with probability ≥ 1 − β; all D of up to two rows, d ≤ 2, all t > 0, γ = 1/4, β = 1/20, "
    "all queries alike, or 251/1000 on one of them",
    mechanism=polynomial_learnt,
    succeeds=is_within_alpha,
    beta=claimed_beta,
    cases=tuple(of_5_10(BETA, GAMMA)),
    mutant=polynomial_of_turned_labels,
    sharpness=Sharpness(
        what="labelled queries, d = 2, k = 2, n = 2, γ = 1/4, β = 1/20",
        paper=examples_for_thresholds(2, GAMMA, BETA, d=2, k=2),
        family=lambda m: of_5_10(BETA, GAMMA, m),
        ours=True,
    ),
)

CLAIMS: Final = (
    exact_thresholds,
    audited_thresholds,
    rec_as_printed,
    rec_with_b,
    labels_private,
    rows_private,
    event_1,
    event_2,
    shells,
    polynomials,
)
