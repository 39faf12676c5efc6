"""Utility of learning with private labels on samples that are given: Theorem 6.2, and event E3 of its proof.

Over the sample and the coins it is claimed in `label_private_samples_utility.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from operator import itemgetter
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import Draw, Exact, exp
from dpverify.mechanisms.learners import label_private_learner
from dpverify.mechanisms.learners.label_private_learner import rows_for_labels, rows_for_points_alone
from dpverify.mechanisms.sanitizers import Threshold, thresholds
from dpverify.mechanisms.sanitizers.concepts import (
    Example,
    Hypothesis,
    numbers_of_correct_labels,
    one_for_each_labelling,
)
from dpverify.verifiers.catalogue.corners import claimed_beta, ends_of
from dpverify.verifiers.catalogue.families import BNS, HALF, MILLIONTH, QUARTER
from dpverify.verifiers.catalogue.refuted import Boundary
from dpverify.verifiers.utility.family import Case, Family, as_named, at_part, chosen
from dpverify.verifiers.utility.repeated import written_out

LABEL_ALPHAS: Final = (HALF, Fraction(99, 100))
LABEL_BETAS: Final = (MILLIONTH, QUARTER, Fraction(99, 100))
LABEL_EPSILONS: Final = (Fraction(1), Fraction(20), Fraction(200))


# All mass on one point.
def on_one_point(epsilon: Fraction, alpha: Fraction, beta: Fraction, target: Threshold, more: int = 0) -> Case:
    """All mass on the point 0, so that there is one sample, of m rows as printed, or of n where that is more."""
    n = rows_for_points_alone(vc=1, alpha=alpha, beta=beta)
    m = max(n, rows_for_labels(vc=1, alpha=alpha, beta=beta, epsilon=epsilon)) + more
    given = {"concepts": thresholds(1), "split": n, "epsilon": epsilon}
    return Case(((0, target(0)),) * m, given, {"alpha": alpha, "beta": beta, "target": target})


_LABELS: Final = Family(
    label_private_learner,
    lambda case, h: h(0) == case.facts["target"](0),
    claimed_beta,
    as_named(
        "learns_least",
        "The label-private learner with all labels of the second part turned over.",
        lambda draw, sample, *, split, **given: label_private_learner(
            draw, (*sample[:split], *((x, 1 - y) for x, y in sample[split:])), split=split, **given
        ),
    ),
)
NO_ROW_LEFT: Final = on_one_point(Fraction(200), HALF, QUARTER, Threshold(0))
"""n = m: no row is left for the exponential mechanism, which then chooses one of both labellings at random."""
label_private = _LABELS(
    "BNS-J-6.2.utility.one-point",
    f"{BNS}, Theorem 6.2 and Figure 13, with the numbers of the end of its proof, all mass on one point",
    "for every α, β, ε: error ≤ α with probability ≥ 1 − β, n = (32/α)·(VC·ln(64/α) + ln(8/β)) and "
    "m ≥ (768/(α²ε))·(VC·ln(64/α) + 2·ln(8/β))",
    (NO_ROW_LEFT,),
    examples=(NO_ROW_LEFT,),
    proof_step="The theorem says that a learner exists, for as many rows as it takes at this ε. The number at the end "
    "of its proof leaves no row for the choice where 24/(αε)·(VC·ln(64/α) + 2·ln(8/β)) ≤ VC·ln(64/α) + ln(8/β).",
    boundary=Boundary("67.9", "68"),
)
label_private_corrected = _LABELS(
    "BNS-J-6.2.utility.one-point-corrected",
    f"{BNS}, Theorem 6.2 and Figure 13, all mass on one point, ε ≤ 1",
    "as BNS-J-6.2.utility.one-point, at ε ≤ 1, where m ≥ 24n: at 12 settings, for both labels of the point",
    tuple(
        on_one_point(epsilon, alpha, beta, Threshold(j))
        for epsilon, alpha, beta, j in product((Fraction(1), HALF), (Fraction(9, 10), HALF), LABEL_BETAS, (0, 2))
    ),
    sharp_in="BNS-J-6.2.utility.e3-corrected",
)

# Event E3 of the proof, on a sample that is given.
Repeated: TypeAlias = tuple[tuple[Example, int], ...]
"""Examples, each with how often it comes in a row: the samples have thousands."""


def chosen_of(draw: Draw, repeated: Repeated, *, concepts: Sequence[Any], split: int, epsilon: Fraction) -> Any:
    """The hypothesis that the label-private learner chooses."""
    # called, and not drawn from: so long a sample would be gone through again to be remembered
    return label_private_learner(draw, written_out(repeated), concepts=concepts, split=split, epsilon=epsilon)


def is_nearly_the_best(case: Case, found: Any) -> bool:
    """True where its error on the second part is at most α/4 more than the least in H."""
    split, concepts = case.parameters["split"], case.parameters["concepts"]
    correct, rows = _correct_on_the_rest(case.database, split, concepts)
    return bool(max(correct.values()) - correct[found] <= case.facts["alpha"] / 4 * rows)


@lru_cache(maxsize=4)  # for each outcome on a case
def _correct_on_the_rest(
    repeated: Repeated, split: int, concepts: tuple[Hypothesis, ...]
) -> tuple[Mapping[Hypothesis, int], int]:
    """H, with how many labels each has right on the second part; and how many rows that has."""
    rest = written_out(repeated)[split:]
    return numbers_of_correct_labels(_candidates(repeated, split, concepts), rest), len(rest)


@lru_cache(maxsize=4)
def _candidates(repeated: Repeated, split: int, concepts: tuple[Hypothesis, ...]) -> tuple[Hypothesis, ...]:
    return one_for_each_labelling(concepts, map(itemgetter(0), written_out(repeated)[:split]))


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


def allowed_for_rows(case: Case, rows: int) -> Exact:
    """|H|·e^(−εα·rows/8), of the rows of Figure 13, or so many."""
    h = _candidates(case.database, case.parameters["split"], case.parameters["concepts"])
    return len(h) * exp(-case.parameters["epsilon"] * case.facts["alpha"] * rows / 8)


def rows_of(case: Case) -> int:
    """m of Figure 13."""
    return sum(times for _, times in case.database)


_E3_CASES: Final[dict[str, Any]] = {
    # a rival whose error is just above α/4, at α/4, or far above
    "strategy": chosen(
        *(with_a_rival, LABEL_ALPHAS, LABEL_BETAS, LABEL_EPSILONS, (0, 1, 1, 2, 10**9)), lambda st: st.booleans()
    ),
    "corners": {
        "just above α/4": lambda case: case.facts["wrong"] == 1,
        "at most α/4": lambda case: case.facts["wrong"] == 0,
        "the whole second part": lambda case: case.facts["wrong"] > 2,
        "both points are known": lambda case: case.facts["both"],
        **ends_of(epsilon=LABEL_EPSILONS, beta=LABEL_BETAS),
        "α near 1": lambda case: case.facts["alpha"] == LABEL_ALPHAS[-1],
    },
}
_E3: Final = Family(
    chosen_of,
    is_nearly_the_best,
    lambda case: allowed_for_rows(case, rows_of(case)),
    at_part("chosen_at_a_quarter_of_epsilon", chosen_of, 4),
)
e3_as_printed = _E3(
    "BNS-J-6.2.utility.e3",
    f"{BNS}, proof of Theorem 6.2, event E3 as printed, given the sample",
    "the exponential mechanism chooses an h with error ≤ α/4 more than the least on S2 with probability "
    "≥ 1 − |H|·e^(−εαm/8), at the theorem's n and m",
    examples=(with_a_rival(Fraction(99, 100), Fraction(99, 100), Fraction(1), 1, both=True),),
    proof_step="The theorem says that a learner exists. Its proof bounds this event by m rows, where S2 has m − n: "
    "with these it is not refuted (BNS-J-6.2.utility.e3-corrected).",
    **_E3_CASES,
)
e3_by_rows = replace(_E3, beta=lambda case: allowed_for_rows(case, rows_of(case) - case.parameters["split"]))(
    "BNS-J-6.2.utility.e3-corrected",
    f"{BNS}, proof of Theorem 6.2, event E3 with the m − n rows of S2 in place of m, given the sample",
    "as BNS-J-6.2.utility.e3, with probability ≥ 1 − |H|·e^(−εα(m − n)/8)",
    **_E3_CASES,
)
