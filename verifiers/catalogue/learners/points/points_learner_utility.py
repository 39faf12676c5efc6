"""Utility of the learners of points: the proper one in both versions of Beimel, Nissim & Stemmer, and the improper one.

The database of a PAC claim's case is the population; the probability is over the sample and the coins. The improper
learner is judged on its sample, whatever the number of points is.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product, starmap
from math import ceil
from typing import Any, Final, NamedTuple

from dpverify.mechanisms import Draw, exact, exp
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.learners import learn_points, learn_points_improperly, learn_points_or_none
from dpverify.mechanisms.learners.points_learner import rows_for_points
from dpverify.mechanisms.sanitizers.concepts import AllZero, Point, correct_labels
from dpverify.mechanisms.selection import choose_by_stability_extended_abstract, choose_by_stability_journal
from dpverify.verifiers.catalogue.corners import RandomCases, claimed_beta, ends_of, is_within_alpha
from dpverify.verifiers.catalogue.families import BNS, BNS_X, HALF, HUNDREDTH, MILLIONTH, QUARTER, TENTH
from dpverify.verifiers.catalogue.learners.points.points_learner_privacy import CITED
from dpverify.verifiers.catalogue.refuted import degenerate
from dpverify.verifiers.utility.family import Case, Family, UtilityClaim, as_named, at_part, least_of, weakened
from dpverify.verifiers.utility.pac import Population, labelled, learnt


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
    """A mutant: the learner of points, and the point after that which it finds."""

    def mutant(draw: Draw, population: Population, **given: Any) -> Any:
        found = draw(of, population, **given)
        return found if isinstance(found, AllZero) else Point((found.j + 1) % len(population))

    return as_named(name, "The point after the one that is found.", mutant)


class Setting(NamedTuple):
    """The setting of the lemma."""

    alpha: Fraction
    beta: Fraction
    epsilon: Fraction
    delta: Fraction


def point_case(
    setting: Setting, size: int, d: int, target: int, share: Fraction, others: int, selection: Mechanism
) -> Case:
    """`share` on the target, and the rest alike on the `others` next points, so that 1 ≤ others < 2^d; or all on it."""
    alpha, beta, epsilon, delta = setting
    rest = {(target + 1 + i) % (1 << d): (1 - share) / others for i in range(others)}
    shares = [(x, share if x == target else rest.get(x, Fraction(0))) for x in range(1 << d)]
    given = {"target": target, "size": size, "d": d, "epsilon": epsilon, "delta": delta, "selection": selection}
    return Case(labelled(shares, Point(target)), given, {"alpha": alpha, "beta": beta, "share": share})


def rows_as_printed(setting: Setting) -> int:
    """The number of rows that the proof of Lemma 3.2 asks for, with the printed A_dist."""
    return rows_for_points(**setting._asdict(), selection=choose_by_stability_journal)


def rows_of_half(setting: Setting) -> int:
    """The number that it asks for at α/2."""
    return rows_as_printed(setting._replace(alpha=setting.alpha / 2))


POINT_EPSILONS: Final = (Fraction(1), Fraction(5), Fraction(200))
POINT_DELTAS: Final = (MILLIONTH, TENTH, Fraction(99, 100))
POINT_BETAS: Final = (HUNDREDTH, QUARTER, Fraction(99, 100))
POINT_ALPHAS: Final = (QUARTER, HALF, Fraction(9, 10))
MOST_ROWS: Final = 35
"""Settings that ask for more rows are left out: they would take seconds each."""
MOST_ROWS_FOR_THE_LEAST_BETA: Final = 48
"""No setting has the least β with so few as `MOST_ROWS`."""


def point_populations(
    rows: Callable[[Setting], int],
    least_d: Callable[[Fraction, Fraction], int],
    selection: Mechanism,
    is_asked: Callable[[Setting], bool] = lambda setting: True,
) -> RandomCases:
    """Targets with a mass at, just above and far from α, and the rest on one point, two, some, or all."""
    from hypothesis import strategies as st

    # a random one of 2^d concepts is drawn: a tiny β would need too many of them
    settings = [
        (setting, m)
        for setting in starmap(Setting, product(POINT_ALPHAS, POINT_BETAS, POINT_EPSILONS, POINT_DELTAS))
        for m in [rows(setting)]
        if m <= (MOST_ROWS_FOR_THE_LEAST_BETA if setting.beta == POINT_BETAS[0] else MOST_ROWS)
        if least_d(setting.alpha, setting.beta) <= 4 and is_asked(setting)
    ]

    @st.composite
    def case(choose: Any) -> Case:
        setting, m = choose(st.sampled_from(settings))
        alpha, low = setting.alpha, least_d(setting.alpha, setting.beta)
        d = low + choose(st.integers(0, max(0, 3 - low)))
        target = choose(st.sampled_from((0, (1 << d) - 1, (1 << d) // 2)))
        just = Fraction(1, 10**9)
        near = (alpha / 8, alpha / 2, alpha - just, alpha, alpha + just, min(2 * alpha, Fraction(1)))
        share = choose(st.sampled_from(sorted({Fraction(0), just, *near, Fraction(1)})))
        # as many others as can have more than α − share each: the hypotheses that fail
        bad = ceil((1 - share) / (alpha - share)) - 1 if share < alpha else 1
        others = min(max(1, choose(st.sampled_from((1, 2, bad, (1 << d) - 1)))), (1 << d) - 1)
        return point_case(setting, m, d, target, share, others, selection)

    return case()


def asked_by_points(alpha: Fraction, beta: Fraction) -> int:
    """The least d ≥ 1 with 2^d ≥ 1/(αβ)."""
    return max(1, (ceil(1 / (alpha * beta)) - 1).bit_length())


POINT_CORNERS: Final = {
    **ends_of(epsilon=POINT_EPSILONS, delta=POINT_DELTAS),
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
    setting = Setting(Fraction(100, 199), Fraction(199, 400), Fraction(5), MILLIONTH)
    return point_case(setting, rows_as_printed(setting), 2, 0, Fraction(1, 198), 2, selection)


def unseen() -> Case:
    """A target without mass: all qualities are 0, and A_dist returns the first point with probability δ/2 > β."""
    setting = Setting(Fraction(9, 10), QUARTER, Fraction(200), Fraction(99, 100))
    return point_case(setting, rows_as_printed(setting), 1, 1, Fraction(0), 1, choose_by_stability_journal)


def heavy_targets(d: int, setting: Setting, m: int) -> Iterator[Case]:
    """A target of more and more mass from α/2 on, with m examples."""
    for part, others in product((HALF, Fraction(1), Fraction(1001, 1000), Fraction(2)), (1, 3)):
        yield point_case(setting, m, d, 0, part * setting.alpha, others, choose_by_stability_journal)


_AT_A_HALF, _AT_A_QUARTER = (Setting(HALF, beta, Fraction(4), TENTH) for beta in (HALF, QUARTER))
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
    rows_of_half(_AT_A_HALF),
    partial(heavy_targets, 4, _AT_A_HALF),
    ours=True,
)
_ENOUGH_OR_NONE: Final = least_of(
    "examples m, d = 2, α = 1/2, β = 1/4, ε = 4, δ = 1/10",
    rows_as_printed(_AT_A_QUARTER),
    partial(heavy_targets, 2, _AT_A_QUARTER),
)


def points_claim(key: str, source: str, selection: Mechanism, suffix: str = "") -> tuple[UtilityClaim, ...]:
    """The lemma as printed, with 2^d ≥ 4/(αβ), δ ≤ β and m for α/2 in its place, and with "none"."""
    of_the_journal = selection is choose_by_stability_journal

    def sharp_in(name: str) -> str:
        return "" if of_the_journal else f"BNS-J-3.2.utility.{name}"

    def asked_twice(alpha: Fraction, beta: Fraction) -> int:
        return asked_by_points(alpha / 2, beta / 2)  # 2^d ≥ 4/(αβ): a random concept fails with probability ≤ β/2

    corners = {**POINT_CORNERS, **SMALL_BETA, **ONE_BIT}
    return (
        or_random(
            f"{key}.utility.pac",
            f"{source}{suffix}",
            f"the learner of points has error ≤ α with probability ≥ 1 − β, 2^d ≥ 1/(αβ), from {_WITH_M}",
            strategy=partial(point_populations, rows_as_printed, asked_by_points, selection),
            corners={**POINT_CORNERS, **ONE_BIT},
            examples=(crowded(selection),),
            of_the_statement="By little, at a β next to 1/2: a random concept fails with probability 1/2, whatever the "
            "sample. With 2^d ≥ 4/(αβ) it is not refuted.",
        ),
        or_random(
            f"{key}.utility.pac-corrected",
            f"{source}{suffix}, with the mass of the target and δ counted too",
            "the learner of points has error ≤ α with probability ≥ 1 − β, 2^d ≥ 4/(αβ), δ ≤ β, from a "
            "sample of m ≥ (16/(αε))·ln(4/(βδ)) and ≥ (16/α)·ln(2/β) examples",
            strategy=partial(point_populations, rows_of_half, asked_twice, selection, lambda it: it.delta <= it.beta),
            corners=POINT_CORNERS,
            sharp_in=sharp_in("pac-corrected"),
            sharpness=_ENOUGH if of_the_journal else None,
        ),
        or_none(
            f"{key}.utility.none",
            f"{source}, with the all-zero concept of Remark 3.3{suffix}",
            f"the learner of points or none has error ≤ α with probability ≥ 1 − β, from {_WITH_M}",
            strategy=partial(point_populations, rows_as_printed, lambda alpha, beta: 1, selection),
            corners=corners,
            sharp_in=sharp_in("none-corrected"),
            examples=(unseen(),) if of_the_journal else (),
            refuted=_UNLIKELY if of_the_journal else None,
        ),
        or_none(
            f"{key}.utility.none-corrected",
            f"{source}, with the all-zero concept of Remark 3.3{suffix}, and with δ counted too",
            f"the learner of points or none has error ≤ α with probability ≥ 1 − β, δ ≤ 2β, from {_WITH_M}",
            strategy=partial(
                point_populations, rows_as_printed, lambda alpha, beta: 1, selection, lambda it: it.delta <= 2 * it.beta
            ),
            corners=corners,
            sharpness=_ENOUGH_OR_NONE if of_the_journal else None,
        ),
    )


points_of_the_journal = points_claim(
    "BNS-J-3.2", f"{BNS}, Lemma 3.2 with the constants of its proof", choose_by_stability_journal
)
points_of_the_abstract = points_claim(
    "BNS-X-Lem1",
    f"{BNS_X}, Lemma 1",
    choose_by_stability_extended_abstract,
    ", with the constants of the journal version's proof",
)[:-1]  # its "none" needs no correction


def chance_of_error(case: Case) -> Any:
    """2/(α·2^r) + 2^r·e^(−εαm/4): above αm/2 examples share the target's hash, or one is chosen that much worse."""
    hypotheses, alpha = 1 << case.parameters["bits"], exact(case.facts["alpha"])
    epsilon: Fraction = case.parameters["epsilon"]
    return 2 / (alpha * hypotheses) + hypotheses * exp(-epsilon * alpha * len(case.database) / 4)


improper_points = Family(
    learn_points_improperly,
    lambda case, h: len(case.database) - correct_labels(h, case.database) <= case.facts["alpha"] * len(case.database),
    chance_of_error,
    at_part("improperly_at_a_quarter_of_epsilon", learn_points_improperly, 4),
)(
    "BNS-J-BKN.utility.on-the-sample",
    CITED,
    "the improper learner of points with 2^r hashes errs on more than α·m of m examples that a point labels "
    "with probability ≤ 2/(α·2^r) + 2^r·e^(−εαm/4); two points, r = 4, α = 3/8, ε = 11/10, m = 40",
    tuple(
        Case(
            ((1, 1),) * ones + ((0, 0),) * (40 - ones),
            {"d": 1, "bits": 4, "epsilon": Fraction(11, 10)},
            {"alpha": Fraction(3, 8)},
        )
        for ones in (16, 20, 36)  # one more than α of them, half, or nearly all
    ),
)
