"""Utility of the learners of points: the proper one in both versions of Beimel, Nissim & Stemmer, and the improper one.

The database of a PAC claim's case is the population; the probability is over the sample and the coins. The improper
learner is judged on its sample, whatever the number of points is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms import Draw, exact, exp
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.learners import learn_points, learn_points_improperly, learn_points_or_none
from dpverify.mechanisms.learners.points_learner import rows_for_points
from dpverify.mechanisms.sanitizers import Point
from dpverify.mechanisms.sanitizers.concepts import AllZero, correct_labels
from dpverify.mechanisms.selection import choose_by_stability_extended_abstract, choose_by_stability_journal
from dpverify.verifiers.catalogue.corners import claimed_beta
from dpverify.verifiers.catalogue.learners.points.points_learner_privacy import CITED
from dpverify.verifiers.catalogue.learners.populations import is_within_alpha
from dpverify.verifiers.catalogue.refuted import degenerate, of_the_statement
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.family import Family, Times, least_of, weakened
from dpverify.verifiers.utility.pac import Population, labelled, learnt

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
_BNS_X: Final = "Beimel, Nissim & Stemmer, extended abstract"


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


points_or_none_learnt = weakened("points_or_none_learnt", points_learnt, learner=learn_points_or_none)
"""The same with the all-zero concept in the place of a random one."""


def next_point(name: str, of: Mechanism) -> Mechanism:
    """The learner of points, and the point after that which it finds."""

    def mutant(draw: Draw, population: Population, **given: Any) -> Any:
        found = draw(of, population, **given)
        return found if isinstance(found, AllZero) else Point((found.j + 1) % len(population))

    mutant.__name__ = mutant.__qualname__ = name
    mutant.__doc__ = "The point after the one that is found."
    return mutant


def point_population(d: int, target: int, share: Fraction, others: int) -> Population:
    """`share` on the target, and the rest alike on the `others` next points, so that 1 ≤ others < 2^d; or all on it."""
    rest = {(target + 1 + i) % (1 << d): (1 - share) / others for i in range(others)}
    return labelled([(x, share if x == target else rest.get(x, Fraction(0))) for x in range(1 << d)], Point(target))


def rows_as_printed(*, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    """The number of rows that the proof of Lemma 3.2 asks for, with the printed A_dist."""
    return rows_for_points(alpha=alpha, beta=beta, epsilon=epsilon, delta=delta, selection=choose_by_stability_journal)


def rows_of_half(*, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    """The number that it asks for at α/2."""
    return rows_as_printed(alpha=alpha / 2, beta=beta, epsilon=epsilon, delta=delta)


POINT_EPSILONS: Final = (Fraction(1), Fraction(5), Fraction(200))
POINT_DELTAS: Final = (Fraction(1, 10**6), Fraction(1, 10), Fraction(99, 100))
POINT_BETAS: Final = (Fraction(1, 100), Fraction(1, 4), Fraction(99, 100))
POINT_ALPHAS: Final = (Fraction(1, 4), Fraction(1, 2), Fraction(9, 10))
MOST_ROWS: Final = 35
"""Settings that ask for more rows are left out: they would take seconds each."""
MOST_ROWS_FOR_THE_LEAST_BETA: Final = 48
"""No setting has the least β with so few as `MOST_ROWS`."""


def point_settings(rows: Callable[..., int]) -> Iterator[tuple[Fraction, Fraction, Fraction, Fraction, int]]:
    """(α, β, ε, δ, m), with m exactly what is asked for."""
    for alpha, beta, epsilon, delta in product(POINT_ALPHAS, POINT_BETAS, POINT_EPSILONS, POINT_DELTAS):
        m = rows(alpha=alpha, beta=beta, epsilon=epsilon, delta=delta)
        if m <= (MOST_ROWS_FOR_THE_LEAST_BETA if beta == POINT_BETAS[0] else MOST_ROWS):
            yield alpha, beta, epsilon, delta, m


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
        near = (alpha / 8, alpha / 2, alpha - just, alpha, alpha + just, min(2 * alpha, Fraction(1)))
        share = choose(st.sampled_from(sorted({Fraction(0), just, *near, Fraction(1)})))
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
    given = {"target": 1, "size": size, "d": 1, "epsilon": epsilon, "delta": delta}
    facts = {"alpha": alpha, "beta": beta, "share": Fraction(0)}
    return Case(point_population(1, 1, Fraction(0), 1), {**given, "selection": choose_by_stability_journal}, facts)


def heavy_targets(d: int, alpha: Fraction, beta: Fraction) -> Callable[[int], Iterator[Case]]:
    """A target of more and more mass from α/2 on, at ε = 4 and δ = 1/10, where m is varied."""

    def family(m: int) -> Iterator[Case]:
        given = {"target": 0, "size": m, "d": d, "epsilon": Fraction(4), "delta": Fraction(1, 10)}
        given["selection"] = choose_by_stability_journal
        for part, others in product((Fraction(1, 2), Fraction(1), Fraction(1001, 1000), Fraction(2)), (1, 3)):
            yield Case(point_population(d, 0, part * alpha, others), given, {"alpha": alpha, "beta": beta})

    return family


_POINTS_AT: Final = {"alpha": Fraction(1, 2), "epsilon": Fraction(4), "delta": Fraction(1, 10)}
_WITH_M: Final = "a sample of m ≥ (8/(αε))·ln(4/(βδ)) and ≥ (8/α)·ln(2/β) examples"

or_random = Family(points_learnt, is_within_alpha, claimed_beta, next_point("point_after", points_learnt))
or_none = Family(
    points_or_none_learnt, is_within_alpha, claimed_beta, next_point("point_after_or_none", points_or_none_learnt)
)


_UNLIKELY: Final = degenerate(
    "δ = 99/100: where no example is labelled 1, A_dist returns a point with probability δ/2, which is more than β "
    "where δ > 2β. It does so at every ε, so that there is no boundary in ε."
)
_ENOUGH: Final = least_of(
    "examples m, d = 4, α = 1/2, β = 1/2, ε = 4, δ = 1/10",  # 2^d = 4/(αβ)
    rows_of_half(beta=Fraction(1, 2), **_POINTS_AT),
    heavy_targets(4, Fraction(1, 2), Fraction(1, 2)),
    ours=True,
)
_ENOUGH_OR_NONE: Final = least_of(
    "examples m, d = 2, α = 1/2, β = 1/4, ε = 4, δ = 1/10",
    rows_as_printed(beta=Fraction(1, 4), **_POINTS_AT),
    heavy_targets(2, Fraction(1, 2), Fraction(1, 4)),
)


def points_claim(key: str, source: str, selection: Mechanism, suffix: str = "") -> tuple[UtilityClaim, ...]:
    """The lemma as printed, with 2^d ≥ 4/(αβ), δ ≤ β and m for α/2 in its place, and with "none"."""
    of_the_journal = selection is choose_by_stability_journal

    def sampled(
        rows: Callable[..., int], least_d: Callable[..., int], is_asked: Callable[[Any], bool] = lambda setting: True
    ) -> Callable[[], SearchStrategy[Case]]:
        return lambda: point_populations(rows, least_d, selection, is_asked)

    def sharp_in(name: str) -> str:
        return "" if of_the_journal else f"BNS-J-3.2.utility.{name}"

    corners = {**POINT_CORNERS, **SMALL_BETA, **ONE_BIT}
    return (
        or_random(
            f"{key}.utility.pac",
            f"{source}{suffix}",
            f"the learner of points has error ≤ α with probability ≥ 1 − β, 2^d ≥ 1/(αβ), from {_WITH_M}",
            strategy=sampled(rows_as_printed, asked_by_points),
            corners={**POINT_CORNERS, **ONE_BIT},
            examples=(crowded(selection),),
            refuted=of_the_statement(
                "By little, at a β next to 1/2: a random concept fails with probability 1/2, whatever the sample. With "
                "2^d ≥ 4/(αβ) it is not refuted."
            ),
        ),
        or_random(
            f"{key}.utility.pac-corrected",
            f"{source}{suffix}, with the mass of the target and δ counted too",
            "the learner of points has error ≤ α with probability ≥ 1 − β, 2^d ≥ 4/(αβ), δ ≤ β, from a "
            "sample of m ≥ (16/(αε))·ln(4/(βδ)) and ≥ (16/α)·ln(2/β) examples",
            strategy=sampled(rows_of_half, asked_by_half, lambda it: bool(it[3] <= it[1])),
            corners=POINT_CORNERS,
            sharp_in=sharp_in("pac-corrected"),
            sharpness=_ENOUGH if of_the_journal else None,
        ),
        or_none(
            f"{key}.utility.none",
            f"{source}, with the all-zero concept of Remark 3.3{suffix}",
            f"the learner of points or none has error ≤ α with probability ≥ 1 − β, from {_WITH_M}",
            strategy=sampled(rows_as_printed, lambda alpha, beta: 1),
            corners=corners,
            sharp_in=sharp_in("none-corrected"),
            examples=(unseen(),) if of_the_journal else (),
            refuted=_UNLIKELY if of_the_journal else None,
        ),
        or_none(
            f"{key}.utility.none-corrected",
            f"{source}, with the all-zero concept of Remark 3.3{suffix}, and with δ counted too",
            f"the learner of points or none has error ≤ α with probability ≥ 1 − β, δ ≤ 2β, from {_WITH_M}",
            strategy=sampled(rows_as_printed, lambda alpha, beta: 1, lambda it: bool(it[3] <= 2 * it[1])),
            corners=corners,
            sharpness=_ENOUGH_OR_NONE if of_the_journal else None,
        ),
    )


points_of_the_journal = points_claim(
    "BNS-J-3.2", f"{_BNS}, Lemma 3.2 with the constants of its proof", choose_by_stability_journal
)
points_of_the_abstract = points_claim(
    "BNS-X-Lem1",
    f"{_BNS_X}, Lemma 1",
    choose_by_stability_extended_abstract,
    ", with the constants of the journal version's proof",
)[:-1]  # its "none" needs no correction


def samples_of_one_point() -> Iterator[Case]:
    """40 examples of two points, of which the one that labels them has one more than α of them, half, or nearly all."""
    for ones in (16, 20, 36):
        sample = ((1, 1),) * ones + ((0, 0),) * (40 - ones)
        yield Case(sample, {"d": 1, "bits": 4, "epsilon": Fraction(11, 10)}, {"alpha": Fraction(3, 8)})


def chance_of_error(case: Case) -> Any:
    """2/(α·2^r) + 2^r·e^(−εαm/4): above αm/2 examples share the target's hash, or one is chosen that much worse."""
    hypotheses, alpha = 1 << case.parameters["bits"], exact(case.facts["alpha"])
    epsilon: Fraction = case.parameters["epsilon"]
    return 2 / (alpha * hypotheses) + hypotheses * exp(-epsilon * alpha * len(case.database) / 4)


improper_points = Family(
    learn_points_improperly,
    lambda case, h: len(case.database) - correct_labels(h, case.database) <= case.facts["alpha"] * len(case.database),
    chance_of_error,
    weakened("improperly_at_a_quarter_of_epsilon", learn_points_improperly, epsilon=Times(Fraction(1, 4))),
)(
    "BNS-J-BKN.utility.on-the-sample",
    CITED,
    "the improper learner of points with 2^r hashes errs on more than α·m of m examples that a point labels "
    "with probability ≤ 2/(α·2^r) + 2^r·e^(−εαm/4); two points, r = 4, α = 3/8, ε = 11/10, m = 40",
    tuple(samples_of_one_point()),
)
