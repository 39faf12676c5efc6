"""Utility of data release by learning thresholds: the accuracy of PrivLearn on one query, Lemma 4.5."""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, Final

from dpverify.mechanisms import Draw, uniform
from dpverify.mechanisms.release.private_release import SynopsisAsPrinted, release_by_learning, release_sizes
from dpverify.verifiers.catalogue.families import HALF, QUARTER, TWENTIETH
from dpverify.verifiers.catalogue.release.private_release_accuracy import Labels, has_bit
from dpverify.verifiers.utility.family import Case, ExactLike, Family, as_named, weakened

_HRS: Final = "Hardt, Rothblum & Servedio, Lemma 4.5"


def perfect_learner(draw: object, examples: Any, ask: object, /, **given: Any) -> Labels:
    """The hypothesis that is learnt of one query, from a label of it."""
    return Labels((examples[0][1],))


def released_share(
    draw: Draw, count: int, *, rows: int, bound: int, alpha: Fraction, beta: Fraction, epsilon: ExactLike, **given: Any
) -> Any:
    """PrivLearn's answer to one query, on a database of so many rows of which `count` satisfy it.

    All b_iter samples are that query, and have one noise and one answer: one of them stands for all.
    """
    learning = {"queries": uniform([0]), "predicate": has_bit, "learner": perfect_learner, "samples": 1}
    numbers = {"alpha": alpha, "beta": beta, "gamma": HALF, "epsilon": epsilon, "bound": bound}
    database = (1,) * count + (0,) * (rows - count)
    return draw(release_by_learning, database, **learning, **numbers, **given)(0)


@lru_cache(maxsize=64)
def sizes_for(alpha: Fraction, beta: Fraction, epsilon: Fraction) -> tuple[int, int]:
    """b_total and the rows that (7) and (8) ask for, of one query, γ = 1/2, and a learner from one example."""
    sizes = release_sizes(queries=1, examples=lambda *_: 1, alpha=alpha, beta=beta, gamma=HALF, epsilon=epsilon)
    return sizes.bound, sizes.rows


_RELEASES: Final = tuple(
    Case(count, {"rows": rows, "bound": bound, "alpha": alpha, "beta": beta, "epsilon": epsilon})
    for alpha, beta, scale in product((QUARTER, Fraction(2, 5)), (TWENTIETH, Fraction(99, 100)), (2, 7))
    for epsilon in [Fraction(sizes_for(alpha, beta, Fraction(1))[1], scale)]
    for bound, rows in [sizes_for(alpha, beta, epsilon)]
    for count in range(rows + 1)
)
"""All counts, at ε so large that the rows asked for are few."""
# with step 4 of Figure 2 to the letter
_AS_PRINTED: Final = weakened("released_share_as_printed", released_share, synopsis=SynopsisAsPrinted)
release = Family(
    released_share,
    lambda case, share: abs(share - Fraction(case.database, case.parameters["rows"])) <= case.parameters["alpha"],
    lambda case: case.parameters["beta"],
    _AS_PRINTED,
)
accuracy_as_printed = replace(
    release,
    mechanism=_AS_PRINTED,
    mutant=as_named("constant_release", "One half, whatever the rows.", lambda draw, count, **given: HALF),
)(
    "HRS-4.5.utility.release-as-printed",
    f"{_HRS}, with step 4 of Figure 2 to the letter",
    "on the rows of (8) PrivLearn with a perfect learner gives a share within α but with probability β; |Q| = 1",
    _RELEASES,
    of_the_statement="|Q| = 1 and a large ε keep the rows few. Step 4 is wrong for every ε, also where all hypotheses "
    "are right (HRS-Fig2.structure.aggregation-printed); what it means holds.",
    examples=_RELEASES[:1],
)
accuracy = release(
    "HRS-4.5.utility.release",
    f"{_HRS}, with what step 4 of Figure 2 means",
    "the same with t_i for the step down from h_i to h_(i+1); |Q| = 1, all databases of the rows of (8) "
    "where ε is so large that these are 2 or 7",
    _RELEASES,
    sharp_in="HRS-4.5.utility.eight-queries-fewer-rows",
)
