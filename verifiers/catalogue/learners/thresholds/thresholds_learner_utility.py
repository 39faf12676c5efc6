"""Utility of LearnThresholds on the sample: event E2 of the proof of Theorem 3.18."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms import Draw
from dpverify.mechanisms.learners import learn_thresholds
from dpverify.mechanisms.learners.thresholds_learner import rows_for_promise
from dpverify.mechanisms.sanitizers import Threshold
from dpverify.mechanisms.sanitizers.concepts import Example, correct_labels
from dpverify.mechanisms.selection import choose_by_stability_journal
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.family import Family

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
HALF: Final = Fraction(1, 2)
MILLIONTH: Final = Fraction(1, 10**6)
_BNS_X: Final = "Beimel, Nissim & Stemmer, extended abstract"

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
        printed: dict[str, Any] = {"selection": choose_by_stability_journal}
        m = rows_for_promise(last=1 << d, alpha=alpha / 2, beta=beta / 2, **asked, **printed)
        low = choose(st.integers(0, (1 << d) - 2))
        high = choose(st.integers(low + 1, (1 << d) - 1))
        ones = choose(st.sampled_from((0, 1, m // 2, m)))
        sample = ((low, 1),) * ones + ((high, 0),) * (m - ones)
        return Case(sample, {"d": d, "alpha": alpha, **asked, "base": 2, **printed}, {"beta": beta, "ones": ones})

    return case()


def is_good_on_the_sample(case: Case, hypothesis: Any) -> bool:
    """True where the error on the sample is at most α/2."""
    rows = len(case.database)
    return isinstance(hypothesis, Threshold) and bool(
        rows - correct_labels(hypothesis, case.database) <= case.parameters["alpha"] / 2 * rows
    )


thresholds_on_the_sample = Family(
    learn_thresholds, is_good_on_the_sample, lambda case: case.facts["beta"] / 2, threshold_after
)(
    "BNS-J-3.18.utility.empirical",
    f"{_BNS}, proof of Theorem 3.18, event E2",
    "LearnThresholds has error ≤ α/2 on a consistent sample with probability ≥ 1 − β/2, from "
    "m ≥ 8^N·(72N/(αε))·(log(12N/(βδ)) + log … log 2^d), N times",
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
    sharp_in="BNS-J-3.18.utility.on-the-sample",
)
