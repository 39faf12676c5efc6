"""Utility of learning with private labels, and with private rows and public points: Theorem 6.2.

The theorem is claimed over the sample and the coins, where the learner sees of its first examples only which points are
among them: the samples are summed over by these. The events of its proof are claimed one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from dpverify.mechanisms.exact.elementary import exp
from dpverify.mechanisms.exact.exact_numbers import Exact
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.learners.label_private_learner import (
    label_private_learner,
    rows_for_labels,
    rows_for_points_alone,
    semi_private_learner,
)
from dpverify.mechanisms.sanitizers.concepts import (
    Example,
    Threshold,
    numbers_of_correct_labels,
    one_for_each_labelling,
    thresholds,
)
from dpverify.reports.record import Boundary, Status
from dpverify.verifiers.catalogue.corners import claimed_beta
from dpverify.verifiers.catalogue.learners.populations import JUST, is_within_alpha, two_points
from dpverify.verifiers.catalogue.refuted import proof_step
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import Sharpness, UtilityClaim
from dpverify.verifiers.utility.pac import Population, examples_met, numbers_of_each, sample_of
from dpverify.verifiers.utility.repeated import written_out

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
HALF: Final = Fraction(1, 2)

# All mass on one point.


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
    refutation=proof_step(
        "The theorem says that a learner exists, for as many rows as it takes at this ε. The number at the end of its "
        "proof leaves no row for the choice where 24/(αε)·(VC·ln(64/α) + 2·ln(8/β)) ≤ VC·ln(64/α) + ln(8/β).",
        Boundary("67.9", "68"),
    ),
    **_LABELS,
)

label_private_corrected = UtilityClaim(
    id="BNS-J-6.2.utility.one-point-corrected",
    source=f"{_BNS}, Theorem 6.2 and Figure 13, all mass on one point, ε ≤ 1",
    statement="as BNS-J-6.2.utility.one-point, at ε ≤ 1, where m ≥ 24n: at 12 settings, for both labels of the point",
    cases=one_point_cases((Fraction(1), Fraction(1, 2)), (Fraction(9, 10), Fraction(1, 2))),
    **_LABELS,
)

# Event E3 of the proof, on a sample that is given.


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
    refutation=proof_step(
        "The theorem says that a learner exists. Its proof bounds this event by m rows, where S2 has m − n: with these "
        "it is not refuted (BNS-J-6.2.utility.e3-corrected)."
    ),
    **_E3,
)

e3_by_rows = UtilityClaim(
    id="BNS-J-6.2.utility.e3-corrected",
    source=f"{_BNS}, proof of Theorem 6.2, event E3 with the m − n rows of S2 in place of m, given the sample",
    statement="as BNS-J-6.2.utility.e3, with probability ≥ 1 − |H|·e^(−εα(m − n)/8)",
    beta=lambda case: allowed_for_rows(case, rows_of(case) - case.parameters["split"]),
    **_E3,
)


# The theorem, with private labels, and with private rows and public points.


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


_ROWS: Final = "n = (32/α)·(VC·ln(64/α) + ln(8/β)) and m ≥ (768/(α²ε))·(VC·ln(64/α) + 2·ln(8/β))"


_ONE_POINT: Final[dict[str, Any]] = {"alpha": HALF, "beta": Fraction(1, 20), "epsilon": Fraction(1)}

labels_private = UtilityClaim(
    id="BNS-J-6.2.utility.pac",
    source=f"{_BNS}, Theorem 6.2 and Figure 13, with the numbers of the end of its proof",
    statement=f"error ≤ α with probability ≥ 1 − β over the sample and the coins, {_ROWS}; all thresholds on two "
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


# Events E1 and E2 of the proof.


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
