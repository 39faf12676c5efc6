"""Utility of data release by learning thresholds: the accuracy of PrivLearn, Lemma 4.5."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.laws.distributions import uniform
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.release.private_release import SynopsisAsPrinted, release_by_learning, release_sizes
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.refuted import of_the_statement
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim

HALF: Final = Fraction(1, 2)
_HRS: Final = "Hardt, Rothblum & Servedio"


@dataclass(frozen=True)
class Always:
    """A hypothesis that is right: it says for the one query what the examples say."""

    label: int

    def __call__(self, q: object) -> int:
        """The label."""
        return self.label


def perfect_learner(draw: object, examples: Any, ask: object, /, **given: Any) -> Always:
    """The hypothesis that is learnt of one query, from a label of it."""
    return Always(examples[0][1])


def released_share(
    draw: Draw,
    count: int,
    *,
    rows: int,
    bound: int,
    alpha: Fraction,
    beta: Fraction,
    epsilon: ExactLike,
    **given: Any,
) -> Any:
    """PrivLearn's answer to one query, on a database of so many rows of which `count` satisfy it.

    All b_iter samples are that query, and have one noise and one answer: one of them stands for all.
    """
    synopsis = draw(
        release_by_learning,
        (1,) * count + (0,) * (rows - count),
        queries=uniform([0]),
        predicate=same_row,
        learner=perfect_learner,
        alpha=alpha,
        beta=beta,
        gamma=HALF,
        epsilon=epsilon,
        samples=1,
        bound=bound,
        **given,
    )
    return synopsis(0)


def same_row(q: object, row: int) -> int:
    """P(q, row): the row itself."""
    return row


def released_share_as_printed(draw: Draw, count: int, **given: Any) -> Any:
    """With step 4 of Figure 2 to the letter."""
    return released_share(draw, count, synopsis=SynopsisAsPrinted, **given)


def constant_release(draw: Draw, count: int, **given: Any) -> Fraction:
    """One half, whatever the rows."""
    return HALF


@lru_cache(maxsize=64)
def sizes_for(alpha: Fraction, beta: Fraction, epsilon: Fraction) -> tuple[int, int]:
    """b_total and the rows that (7) and (8) ask for, of one query, γ = 1/2, and a learner from one example."""
    sizes = release_sizes(
        queries=1, examples=lambda n, gamma, beta: 1, alpha=alpha, beta=beta, gamma=HALF, epsilon=epsilon
    )
    return sizes.bound, sizes.rows


def releases() -> Iterator[Case]:
    """All counts, at ε so large that the rows asked for are few."""
    for alpha, beta, scale in product((Fraction(1, 4), Fraction(2, 5)), (Fraction(1, 20), Fraction(99, 100)), (2, 7)):
        epsilon = Fraction(sizes_for(alpha, beta, Fraction(1))[1], scale)
        bound, rows = sizes_for(alpha, beta, epsilon)
        for count in range(rows + 1):
            yield Case(
                count,
                {"rows": rows, "bound": bound, "alpha": alpha, "beta": beta, "epsilon": epsilon},
            )


_RELEASE: Final[dict[str, Any]] = {
    "succeeds": lambda case, share: (
        abs(share - Fraction(case.database, case.parameters["rows"])) <= case.parameters["alpha"]
    ),
    "beta": lambda case: case.parameters["beta"],
    "cases": tuple(releases()),
}

accuracy_as_printed = UtilityClaim(
    id="HRS-4.5.utility.release-as-printed",
    source=f"{_HRS}, Lemma 4.5, with step 4 of Figure 2 to the letter",
    statement="on the rows of (8) PrivLearn with a perfect learner gives a share within α but with "
    "probability β; |Q| = 1",
    mechanism=released_share_as_printed,
    mutant=constant_release,
    expected=Status.REFUTED,
    refutation=of_the_statement(
        "|Q| = 1 and a large ε keep the rows few. Step 4 is wrong for every ε, also where all hypotheses are right "
        "(HRS-Fig2.structure.aggregation-printed); what it means holds."
    ),
    examples=_RELEASE["cases"][:1],
    **_RELEASE,
)

accuracy = UtilityClaim(
    id="HRS-4.5.utility.release",
    sharp_in="HRS-4.5.utility.eight-queries-fewer-rows",
    source=f"{_HRS}, Lemma 4.5, with what step 4 of Figure 2 means",
    statement="the same with t_i for the step down from h_i to h_(i+1); |Q| = 1, all databases of the rows of (8) "
    "where ε is so large that these are 2 or 7",
    mechanism=released_share,
    mutant=released_share_as_printed,
    **_RELEASE,
)
