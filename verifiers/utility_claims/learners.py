"""Utility of the learners of points and thresholds, of the generic ones, and of those that learn from a sanitizer.

A PAC claim's database is the population; the probability is over the sample and the coins. What no claim here takes to
the sizes that a theorem asks for, because no exact sum reaches them, is claimed on the sample, as in the proofs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms.exact.elementary import exp
from dpverify.mechanisms.exact.exact_numbers import Exact
from dpverify.mechanisms.laws.mechanism import Draw, Mechanism
from dpverify.mechanisms.learners.generic_learner import generic_learner
from dpverify.mechanisms.learners.label_private_learner import (
    label_private_learner,
    rows_for_labels,
    rows_for_points_alone,
)
from dpverify.mechanisms.learners.points_learner import learn_points, learn_points_or_none, rows_for_points
from dpverify.mechanisms.learners.thresholds_learner import learn_thresholds, rows_for_promise
from dpverify.mechanisms.sanitizers.concepts import (
    AllZero,
    Example,
    Point,
    Threshold,
    correct_labels,
    points,
    thresholds,
)
from dpverify.mechanisms.sanitizers.label_sanitizer import (
    error_as_printed,
    error_by_rows,
    labelled_concept,
    sanitize_labelled,
)
from dpverify.mechanisms.selection.stability import a_dist_extended_abstract, a_dist_journal
from dpverify.reports.record import Status
from dpverify.verifiers.utility.checker import Case, Sharpness, UtilityClaim
from dpverify.verifiers.utility.pac import Population, error, labelled, learnt

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
_BNS_X: Final = "Beimel, Nissim & Stemmer, extended abstract"


# Lemma 3.2, and Lemma 1 of the extended abstract: points.


def points_learnt(
    draw: Draw, population: Population, *, target: int, size: int, learner: Mechanism = learn_points, **given: Any
) -> Any:
    """A point learnt of `size` independent examples of the population.

    The learner sees of the examples labelled 0 only how many they are, so that all of them are drawn as one example:
    the law of what it learns is the same, and has size + 1 samples to sum over.
    """
    share = sum((share for (_, y), share in population if y), start=Fraction(0))
    merged = (((target, 1), share), ((target ^ 1, 0), 1 - share))
    return learnt(draw, merged, size=size, learner=learner, given=given)


def points_or_none_learnt(draw: Draw, population: Population, **given: Any) -> Any:
    """The same with the all-zero concept in the place of a random one."""
    return points_learnt(draw, population, learner=learn_points_or_none, **given)


def point_after(draw: Draw, population: Population, **given: Any) -> Any:
    """The learner of points, and the point after that which it finds."""
    found = draw(points_learnt, population, **given)
    return Point((found.j + 1) % len(population))


def point_after_or_none(draw: Draw, population: Population, **given: Any) -> Any:
    """The same with the all-zero concept in the place of a random one."""
    found = draw(points_or_none_learnt, population, **given)
    return found if isinstance(found, AllZero) else Point((found.j + 1) % len(population))


def is_within_alpha(case: Case, hypothesis: Any) -> bool:
    """Whether the error on the population is at most α; ⊥ is no hypothesis."""
    return callable(hypothesis) and error(case.database, hypothesis) <= case.facts["alpha"]


def point_population(d: int, target: int, share: Fraction, others: int) -> Population:
    """`share` on the target, and the rest alike on the `others` next points, so that 1 ≤ others < 2^d; or all on it."""
    rest = {(target + 1 + i) % (1 << d): (1 - share) / others for i in range(others)}
    return labelled([(x, share if x == target else rest.get(x, Fraction(0))) for x in range(1 << d)], Point(target))


def rows_as_printed(*, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    """What the proof of Lemma 3.2 asks for, with the printed A_dist."""
    return rows_for_points(alpha=alpha, beta=beta, epsilon=epsilon, delta=delta, selection=a_dist_journal)


def rows_of_half(*, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    """What it asks for at α/2."""
    return rows_as_printed(alpha=alpha / 2, beta=beta, epsilon=epsilon, delta=delta)


POINT_EPSILONS: Final = (Fraction(1), Fraction(5), Fraction(200))
POINT_DELTAS: Final = (Fraction(1, 10**6), Fraction(1, 10), Fraction(99, 100))
POINT_BETAS: Final = (Fraction(1, 100), Fraction(1, 4), Fraction(99, 100))
POINT_ALPHAS: Final = (Fraction(1, 4), Fraction(1, 2), Fraction(9, 10))
MOST_ROWS: Final = 35
"""Settings that ask for more rows are left out: they would take seconds each."""
MOST_ROWS_FOR_THE_LEAST_BETA: Final = 48
"""No setting has the least β with so few as `MOST_ROWS`."""


def point_settings(rows: Callable[..., int]) -> tuple[tuple[Fraction, Fraction, Fraction, Fraction, int], ...]:
    """(α, β, ε, δ, m), with m exactly what is asked for."""
    found = []
    for alpha in POINT_ALPHAS:
        for beta in POINT_BETAS:
            for epsilon in POINT_EPSILONS:
                for delta in POINT_DELTAS:
                    m = rows(alpha=alpha, beta=beta, epsilon=epsilon, delta=delta)
                    if m <= (MOST_ROWS_FOR_THE_LEAST_BETA if beta == POINT_BETAS[0] else MOST_ROWS):
                        found.append((alpha, beta, epsilon, delta, m))
    return tuple(found)


def point_populations(
    rows: Callable[..., int],
    least_d: Callable[[Fraction, Fraction], int],
    selection: Mechanism,
    is_asked: Callable[[Any], bool] = lambda setting: True,
) -> SearchStrategy[Case]:
    """Targets with a mass at, just above and far from α, and the rest on one point, two, some, or all."""
    from hypothesis import strategies as st

    # a random one of 2^d concepts is drawn: a tiny β would need too many of them
    settings = [
        setting for setting in point_settings(rows) if least_d(setting[0], setting[1]) <= 4 and is_asked(setting)
    ]

    @st.composite
    def case(choose: Any) -> Case:
        alpha, beta, epsilon, delta, m = choose(st.sampled_from(settings))
        low = least_d(alpha, beta)
        d = low + choose(st.integers(0, max(0, 3 - low)))
        target = choose(st.sampled_from((0, (1 << d) - 1, (1 << d) // 2)))
        just = Fraction(1, 10**9)
        shares = {
            Fraction(0),
            just,
            alpha / 8,
            alpha / 2,
            alpha - just,
            alpha,
            alpha + just,
            min(2 * alpha, Fraction(1)),
        }
        share = choose(st.sampled_from(sorted({*shares, min(2 * alpha, Fraction(1)), Fraction(1)})))
        # as many others as can have more than α − share each: the hypotheses that fail
        bad = ceil((1 - share) / (alpha - share)) - 1 if share < alpha else 1
        others = min(max(1, choose(st.sampled_from((1, 2, bad, (1 << d) - 1)))), (1 << d) - 1)
        given = {"target": target, "size": m, "d": d, "epsilon": epsilon, "delta": delta, "selection": selection}
        return Case(point_population(d, target, share, others), given, {"alpha": alpha, "beta": beta, "share": share})

    return case()


def asked_by_points(alpha: Fraction, beta: Fraction) -> int:
    """The least d ≥ 1 with 2^d ≥ 1/(αβ)."""
    return max(1, (ceil(1 / (alpha * beta)) - 1).bit_length())


def asked_by_half(alpha: Fraction, beta: Fraction) -> int:
    """The least d ≥ 1 with 2^d ≥ 4/(αβ): a random concept fails with probability ≤ β/2."""
    return asked_by_points(alpha / 2, beta / 2)


POINT_CORNERS: Final = {
    "the least ε": lambda case: case.parameters["epsilon"] == POINT_EPSILONS[0],
    "the largest ε": lambda case: case.parameters["epsilon"] == POINT_EPSILONS[-1],
    "the least δ": lambda case: case.parameters["delta"] == POINT_DELTAS[0],
    "δ near 1": lambda case: case.parameters["delta"] == POINT_DELTAS[-1],
    "β near 1": lambda case: case.facts["beta"] == POINT_BETAS[-1],
    "α near 1": lambda case: case.facts["alpha"] == POINT_ALPHAS[-1],
    "the target has no mass": lambda case: case.facts["share"] == 0,
    "mass α": lambda case: case.facts["share"] == case.facts["alpha"],
    "mass just above α": lambda case: 0 < case.facts["share"] - case.facts["alpha"] < Fraction(1, 10**6),
    "all mass": lambda case: case.facts["share"] == 1,
}
SMALL_BETA: Final = {"the least β": lambda case: case.facts["beta"] == POINT_BETAS[0]}
ONE_BIT: Final = {"d = 1": lambda case: case.parameters["d"] == 1}


def crowded(selection: Mechanism) -> Case:
    """Two points on which c_i fails, of the four, so that a random one fails with probability 1/2 > β = 199/400.

    2^d = 4 = 1/(αβ). Each of the two has less than α, but has more than α together with the target.
    """
    alpha, beta, epsilon, delta = Fraction(100, 199), Fraction(199, 400), Fraction(5), Fraction(1, 10**6)
    share = Fraction(1, 198)
    size = rows_as_printed(alpha=alpha, beta=beta, epsilon=epsilon, delta=delta)
    given = {"target": 0, "size": size, "d": 2, "epsilon": epsilon, "delta": delta, "selection": selection}
    return Case(point_population(2, 0, share, 2), given, {"alpha": alpha, "beta": beta, "share": share})


def unseen() -> Case:
    """A target without mass: all qualities are 0, and A_dist returns the first point with probability δ/2 > β."""
    alpha, beta, epsilon, delta = Fraction(9, 10), Fraction(1, 4), Fraction(200), Fraction(99, 100)
    size = rows_as_printed(alpha=alpha, beta=beta, epsilon=epsilon, delta=delta)
    given = {"target": 1, "size": size, "d": 1, "epsilon": epsilon, "delta": delta, "selection": a_dist_journal}
    return Case(point_population(1, 1, Fraction(0), 1), given, {"alpha": alpha, "beta": beta, "share": Fraction(0)})


def heavy_targets(d: int, alpha: Fraction, beta: Fraction) -> Callable[[int], Iterator[Case]]:
    """A target of more and more mass from α/2 on, at ε = 4 and δ = 1/10, where m is varied."""

    def family(m: int) -> Iterator[Case]:
        for part in (Fraction(1, 2), Fraction(1), Fraction(1001, 1000), Fraction(2)):
            for others in (1, 3):
                given = {"target": 0, "size": m, "d": d, "epsilon": Fraction(4), "delta": Fraction(1, 10)}
                given["selection"] = a_dist_journal
                yield Case(point_population(d, 0, part * alpha, others), given, {"alpha": alpha, "beta": beta})

    return family


_POINTS_AT: Final[dict[str, Any]] = {
    "alpha": Fraction(1, 2),
    "beta": Fraction(1, 4),
    "epsilon": Fraction(4),
    "delta": Fraction(1, 10),
}
_WITH_M: Final = "a sample of m ≥ (8/(αε))·ln(4/(βδ)) and ≥ (8/α)·ln(2/β) examples"


def points_claim(key: str, source: str, selection: Mechanism, suffix: str = "") -> tuple[UtilityClaim, ...]:
    """The lemma as printed, with 2^d ≥ 4/(αβ), δ ≤ β and m for α/2 in its place, and with "none"."""
    of_the_journal = selection is a_dist_journal
    without_random: dict[str, Any] = {
        "mechanism": points_or_none_learnt,
        "succeeds": is_within_alpha,
        "beta": lambda case: case.facts["beta"],
        "corners": {**POINT_CORNERS, **SMALL_BETA, **ONE_BIT},
        "mutant": point_after_or_none,
    }
    return (
        UtilityClaim(
            id=f"{key}.utility.pac",
            source=f"{source}{suffix}",
            statement=f"the learner of points has error ≤ α with probability ≥ 1 − β, 2^d ≥ 1/(αβ), from {_WITH_M}",
            mechanism=points_learnt,
            succeeds=is_within_alpha,
            beta=lambda case: case.facts["beta"],
            strategy=lambda: point_populations(rows_as_printed, asked_by_points, selection),
            corners={**POINT_CORNERS, **ONE_BIT},
            mutant=point_after,
            examples=(crowded(selection),),
            expected=Status.REFUTED,
        ),
        UtilityClaim(
            id=f"{key}.utility.pac-corrected",
            source=f"{source}{suffix}, with the mass of the target and δ counted too",
            statement="the learner of points has error ≤ α with probability ≥ 1 − β, 2^d ≥ 4/(αβ), δ ≤ β, from a "
            "sample of m ≥ (16/(αε))·ln(4/(βδ)) and ≥ (16/α)·ln(2/β) examples",
            mechanism=points_learnt,
            succeeds=is_within_alpha,
            beta=lambda case: case.facts["beta"],
            strategy=lambda: point_populations(rows_of_half, asked_by_half, selection, lambda it: bool(it[3] <= it[1])),
            corners=POINT_CORNERS,
            mutant=point_after,
            sharpness=Sharpness(
                ours=True,
                # 2^d = 4/(αβ)
                what="examples m, d = 4, α = 1/2, β = 1/2, ε = 4, δ = 1/10",
                paper=rows_of_half(**{**_POINTS_AT, "beta": Fraction(1, 2)}),
                family=heavy_targets(4, Fraction(1, 2), Fraction(1, 2)),
            )
            if of_the_journal
            else None,
        ),
        UtilityClaim(
            id=f"{key}.utility.none",
            source=f"{source}, with the all-zero concept of Remark 3.3{suffix}",
            statement=f"the learner of points or none has error ≤ α with probability ≥ 1 − β, from {_WITH_M}",
            strategy=lambda: point_populations(rows_as_printed, lambda alpha, beta: 1, selection),
            examples=(unseen(),) if of_the_journal else (),
            expected=Status.REFUTED if of_the_journal else Status.FUZZED,
            **without_random,
        ),
        UtilityClaim(
            id=f"{key}.utility.none-corrected",
            source=f"{source}, with the all-zero concept of Remark 3.3{suffix}, and with δ counted too",
            statement=f"the learner of points or none has error ≤ α with probability ≥ 1 − β, δ ≤ 2β, from {_WITH_M}",
            strategy=lambda: point_populations(
                rows_as_printed, lambda alpha, beta: 1, selection, lambda it: bool(it[3] <= 2 * it[1])
            ),
            sharpness=Sharpness(
                what="examples m, d = 2, α = 1/2, β = 1/4, ε = 4, δ = 1/10",
                paper=rows_as_printed(**_POINTS_AT),
                family=heavy_targets(2, Fraction(1, 2), Fraction(1, 4)),
            )
            if of_the_journal
            else None,
            **without_random,
        ),
    )


points_of_the_journal = points_claim("BNS-J-3.2", f"{_BNS}, Lemma 3.2 with the constants of its proof", a_dist_journal)
points_of_the_abstract = points_claim(
    "BNS-X-Lem1", f"{_BNS_X}, Lemma 1", a_dist_extended_abstract, ", with the constants of the journal version's proof"
)


# Section 2.5.2: the generic learner of Kasiviswanathan et al.


def generic_at_half_epsilon(
    draw: object, sample: Sequence[Example], *, hypotheses: Sequence[Any], epsilon: Fraction
) -> Any:
    """Half the ε."""
    return generic_learner(draw, sample, hypotheses=hypotheses, epsilon=epsilon / 2)


def all_small_samples() -> Iterator[Case]:
    """All samples of up to 4 examples, consistent or not, of points and thresholds with d = 1, and of 2 with d = 2."""
    for d, most in ((1, 4), (2, 2)):
        for hypotheses in (points(d), thresholds(d), points(d)[:1]):
            for m in range(1, most + 1):
                for sample in combinations_with_replacement([(x, y) for x in range(1 << d) for y in (0, 1)], m):
                    for epsilon in (Fraction(1, 100), Fraction(3), Fraction(200)):
                        for wrong in (1, m):
                            given = {"hypotheses": hypotheses, "epsilon": epsilon}
                            # errors are multiples of 1/m: more than wrong − 1 is the least that Δ can mean
                            yield Case(sample, given, {"wrong": wrong})


def is_best_but_for(case: Case, hypothesis: Any) -> bool:
    """Whether it labels fewer than `wrong` examples less than the best correctly."""
    best = max(correct_labels(h, case.database) for h in case.parameters["hypotheses"])
    return bool(best - correct_labels(hypothesis, case.database) < case.facts["wrong"])


generic = UtilityClaim(
    id="BNS-J-KLNRS.utility.empirical",
    source=f"{_BNS}, Section 2.5.2",
    statement="the generic learner's hypothesis has error ≥ the least + Δ with probability at most |H|·e^(−εΔm/2), "
    "on all samples with d = 1, m ≤ 4 and d = 2, m ≤ 2, of points and thresholds, at three ε",
    mechanism=generic_learner,
    succeeds=is_best_but_for,
    beta=lambda case: len(case.parameters["hypotheses"]) * exp(-case.parameters["epsilon"] * case.facts["wrong"] / 2),
    cases=tuple(all_small_samples()),
    mutant=generic_at_half_epsilon,
)


# Theorem 6.2: the generic label-private learner.


def learns_least(
    draw: object, sample: Sequence[Example], *, concepts: Sequence[Any], split: int, epsilon: Fraction
) -> Any:
    """The label-private learner with all labels of the second part turned over."""
    turned = (*sample[:split], *((x, 1 - y) for x, y in sample[split:]))
    return label_private_learner(draw, turned, concepts=concepts, split=split, epsilon=epsilon)


def on_one_point(epsilon: Fraction, alpha: Fraction, beta: Fraction, target: Threshold, more: int = 0) -> Case:
    """All mass on the point 0, so that there is one sample, of m rows as printed, or of n where that is more."""
    n = rows_for_points_alone(vc=1, alpha=alpha, beta=beta)
    m = max(n, rows_for_labels(vc=1, alpha=alpha, beta=beta, epsilon=epsilon)) + more
    given = {"concepts": thresholds(1), "split": n, "epsilon": epsilon}
    return Case(((0, target(0)),) * m, given, {"alpha": alpha, "beta": beta, "target": target})


def one_point_cases(epsilons: Sequence[Fraction], alphas: Sequence[Fraction]) -> tuple[Case, ...]:
    """Both labels of the point, at all settings."""
    return tuple(
        on_one_point(epsilon, alpha, beta, target)
        for epsilon in epsilons
        for alpha in alphas
        for beta in (Fraction(1, 10**6), Fraction(1, 4), Fraction(99, 100))
        for target in (Threshold(0), Threshold(2))
    )


_LABELS: Final[dict[str, Any]] = {
    "mechanism": label_private_learner,
    # all mass is on one point: a hypothesis has error 0 or 1
    "succeeds": lambda case, h: h(0) == case.facts["target"](0),
    "beta": lambda case: case.facts["beta"],
    "mutant": learns_least,
}

NO_ROW_LEFT: Final = on_one_point(Fraction(200), Fraction(1, 2), Fraction(1, 4), Threshold(0))
"""n = m: no row is left for the exponential mechanism, which then chooses one of both labellings at random."""

label_private = UtilityClaim(
    id="BNS-J-6.2.utility.one-point",
    source=f"{_BNS}, Theorem 6.2 and Figure 13, with the numbers of the end of its proof, all mass on one point",
    statement="for every α, β, ε: error ≤ α with probability ≥ 1 − β, n = (32/α)·(VC·ln(64/α) + ln(8/β)) and "
    "m ≥ (768/(α²ε))·(VC·ln(64/α) + 2·ln(8/β))",
    cases=(NO_ROW_LEFT,),
    examples=(NO_ROW_LEFT,),
    expected=Status.REFUTED,
    **_LABELS,
)

label_private_corrected = UtilityClaim(
    id="BNS-J-6.2.utility.one-point-corrected",
    source=f"{_BNS}, Theorem 6.2 and Figure 13, all mass on one point, ε ≤ 1",
    statement="as BNS-J-6.2.utility.one-point, at ε ≤ 1, where m ≥ 24n: at 12 settings, for both labels of the point",
    cases=one_point_cases((Fraction(1), Fraction(1, 2)), (Fraction(9, 10), Fraction(1, 2))),
    **_LABELS,
)


# Lemma 5.4: Algorithm B with a sanitizer that is as good as can be.


def as_it_is(draw: object, rows: tuple[Any, ...]) -> tuple[Any, ...]:
    """The rows themselves: a sanitizer in what it is for, and no private one."""
    return rows


def errors_by(reading: Callable[..., Fraction]) -> Mechanism:
    """The errors of all thresholds on Algorithm B's database, in one of the two readings of step 8."""

    def errors(draw: Draw, sample: tuple[Example, ...], *, d: int, **given: Any) -> tuple[Fraction, ...]:
        released = draw(sanitize_labelled, sample, sanitizer=as_it_is, filler=0, **given)
        return tuple(reading(concept, released) for concept in thresholds(d))

    errors.__qualname__ = f"errors_with_{reading.__name__}"
    errors.__doc__ = reading.__doc__
    return errors


def without_label_1(concept: Callable[[Any], int], released: Any) -> Fraction:
    """The error where the rows of label 1 are left out."""
    return error_by_rows(concept, (released[0], (0, ())))


def is_close_by_proof(case: Case, errors: tuple[Fraction, ...]) -> bool:
    """Whether all errors are within 6M/t of those on the sample: what the proof allows besides the sanitizer's own."""
    rows, block = len(case.database), case.parameters["block"]
    true = (Fraction(sum(map(labelled_concept(c), case.database)), rows) for c in thresholds(case.parameters["d"]))
    return all(abs(a - b) <= Fraction(6 * block, rows) for a, b in zip(errors, true, strict=True))


def blocks_of_two_labels() -> Iterator[Case]:
    """Samples of 48 blocks of one row, with few and many rows of either label, at ε = 20."""
    for ones in (12, 0):
        sample = ((0, 1),) * ones + ((1, 0),) * (48 - ones)
        yield Case(sample, {"d": 1, "block": 1, "epsilon": Fraction(20), "most": 50}, {"ones": ones})


def noise_beyond_a_block(case: Case) -> Exact:
    """2·e^(−εM): more than what either noise exceeds M with."""
    return 2 * exp(-case.parameters["epsilon"] * case.parameters["block"])


_BLOCKS: Final[dict[str, Any]] = {
    "succeeds": is_close_by_proof,
    "beta": noise_beyond_a_block,
    "cases": tuple(blocks_of_two_labels()),
    "mutant": errors_by(without_label_1),
}

step_8_as_printed = UtilityClaim(
    id="BNS-J-5.4.utility.copies",
    source=f"{_BNS}, proof of Lemma 5.4, step 8 of Figure 12 as printed",
    statement="with a sanitizer that returns its rows, Algorithm B's database has all errors within 6M/t of the "
    "sample's, unless noise exceeds M; M = 1 and t = 48, less than in the proof",
    mechanism=errors_by(error_as_printed),
    examples=tuple(blocks_of_two_labels())[:1],
    expected=Status.REFUTED,
    **_BLOCKS,
)

step_8_by_rows = UtilityClaim(
    id="BNS-J-5.4.utility.rows",
    source=f"{_BNS}, proof of Lemma 5.4, where each label weighs m̂",
    statement="as BNS-J-5.4.utility.copies, on two samples of 48 rows",
    mechanism=errors_by(error_by_rows),
    **_BLOCKS,
)

# Theorem 3.18: the part of its proof that is on the sample, event E2.

THRESHOLD_EPSILONS: Final = (Fraction(20), Fraction(200), Fraction(10_000))
THRESHOLD_BETAS: Final = (Fraction(1, 10**6), Fraction(1, 4), Fraction(99, 100))
THRESHOLD_DELTAS: Final = (Fraction(1, 10**6), Fraction(99, 100))


def threshold_after(draw: Draw, sample: Sequence[Example], **given: Any) -> Any:
    """LearnThresholds, and the threshold one half of the domain further on, around its end."""
    found = draw(learn_thresholds, sample, **given)
    size = 1 << given["d"]
    return Threshold((found.j + (size + 1) // 2) % (size + 1)) if isinstance(found, Threshold) else found


def samples_with_gaps() -> SearchStrategy[Case]:
    """Samples of exactly the rows that the proof asks for, consistent with a threshold: two points next to a gap."""
    from hypothesis import strategies as st

    @st.composite
    def case(choose: Any) -> Case:
        d, alpha = choose(st.sampled_from((1, 3, 6))), choose(st.sampled_from((Fraction(1, 2), Fraction(9, 10))))
        epsilon, delta = choose(st.sampled_from(THRESHOLD_EPSILONS)), choose(st.sampled_from(THRESHOLD_DELTAS))
        beta, depth = choose(st.sampled_from(THRESHOLD_BETAS)), 2 if epsilon > 20 and choose(st.booleans()) else 1
        asked: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "depth": depth}
        printed: dict[str, Any] = {"selection": a_dist_journal}
        m = rows_for_promise(last=1 << d, alpha=alpha / 2, beta=beta / 2, **asked, **printed)
        low = choose(st.integers(0, (1 << d) - 2))
        high = choose(st.integers(low + 1, (1 << d) - 1))
        ones = choose(st.sampled_from((0, 1, m // 2, m)))
        sample = ((low, 1),) * ones + ((high, 0),) * (m - ones)
        return Case(sample, {"d": d, "alpha": alpha, **asked, "base": 2, **printed}, {"beta": beta, "ones": ones})

    return case()


def is_good_on_the_sample(case: Case, hypothesis: Any) -> bool:
    """Whether the error on the sample is at most α/2."""
    rows = len(case.database)
    return isinstance(hypothesis, Threshold) and bool(
        rows - correct_labels(hypothesis, case.database) <= case.parameters["alpha"] / 2 * rows
    )


thresholds_on_the_sample = UtilityClaim(
    id="BNS-J-3.18.utility.empirical",
    source=f"{_BNS}, proof of Theorem 3.18, event E2",
    statement="LearnThresholds has error ≤ α/2 on a consistent sample with probability ≥ 1 − β/2, from "
    "m ≥ 8^N·(72N/(αε))·(log(12N/(βδ)) + log … log 2^d), N times",
    mechanism=learn_thresholds,
    succeeds=is_good_on_the_sample,
    beta=lambda case: case.facts["beta"] / 2,
    strategy=samples_with_gaps,
    corners={
        "d = 1": lambda case: case.parameters["d"] == 1,
        "one label": lambda case: case.facts["ones"] in (0, len(case.database)),
        "one example of label 1": lambda case: case.facts["ones"] == 1,
        "the least ε": lambda case: case.parameters["epsilon"] == THRESHOLD_EPSILONS[0],
        "the largest ε": lambda case: case.parameters["epsilon"] == THRESHOLD_EPSILONS[-1],
        "the least δ": lambda case: case.parameters["delta"] == THRESHOLD_DELTAS[0],
        "δ near 1": lambda case: case.parameters["delta"] == THRESHOLD_DELTAS[-1],
        "the least β": lambda case: case.facts["beta"] == THRESHOLD_BETAS[0],
        "β near 1": lambda case: case.facts["beta"] == THRESHOLD_BETAS[-1],
    },
    mutant=threshold_after,
)

CLAIMS: Final = (
    *points_of_the_journal,
    *points_of_the_abstract[:-1],  # its "none" needs no correction
    thresholds_on_the_sample,
    generic,
    label_private,
    label_private_corrected,
    step_8_as_printed,
    step_8_by_rows,
)
