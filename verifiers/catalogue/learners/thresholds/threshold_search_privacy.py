"""Privacy of the learner of thresholds by search: Beimel, Nissim & Stemmer, journal version, Remark 3.5."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.learners.threshold_search import learn_thresholds_by_search
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike
from dpverify.mechanisms.sanitizers.concepts import Example
from dpverify.mechanisms.selection.stability import choose_by_stability
from dpverify.verifiers.catalogue.families import BY_DEFAULT, every_sample, on_all
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.questions.domains import LabelledSamples

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
TENTH: Final = Fraction(1, 10)
HALF: Final = Fraction(1, 2)

# Section 3.2. How ε and δ are divided among the parts is not printed.


def index_by_search(draw: Draw, sample: Sequence[Example], *, epsilon: Any, delta: Any, **given: Any) -> Any:
    """The learner of thresholds by noisy binary search, which threshold it chooses."""
    return draw(learn_thresholds_by_search, sample, epsilon=epsilon, delta=delta, **given).j


def index_by_search_at_twelve_times_epsilon(
    draw: Draw, sample: Sequence[Example], *, epsilon: Any, delta: Any, **given: Any
) -> Any:
    """Mutant: twelve times the ε."""
    return index_by_search(draw, sample, epsilon=12 * epsilon, delta=delta, **given)


by_search = tuple(
    Claim(
        id=f"BNS-J-3.5.privacy.{variant}",
        source="Beimel, Nissim & Stemmer, journal version, Section 3.2 and Remark 3.5",
        statement=f"THRESH_3 by a noisy binary search over {what}, with the corrected A_dist, is (ε,1/100)-private",
        mechanism=index_by_search,
        domain=LabelledSamples(range(8), size=2),
        epsilon=4,
        delta=Fraction(1, 100),
        parameters={"d": 3, "alpha": Fraction(1, 2), "powers": powers, "selection": choose_by_stability},
        **on_all(every_sample(3), "report"),
        mutant=index_by_search_at_twelve_times_epsilon,
    )
    for variant, what, powers in (("lengths", "all lengths", False), ("powers", "powers of 2", True))
)


def search_at_twelve_times_epsilon(
    draw: Draw, sample: Sequence[Example], *, epsilon: Exact, delta: ExactLike, **given: Any
) -> Any:
    """Mutant: twelve times the ε."""
    return learn_thresholds_by_search(draw, sample, epsilon=12 * epsilon, delta=delta, **given)


search_by_default = tuple(
    Claim(
        id=f"BNS-J-3.5.privacy.{variant}",
        source=f"{_BNS}, Section 3.2 and Remark 3.5",
        statement=f"THRESH_2 by a noisy binary search over {what}, {BY_DEFAULT} is (ε,1/10)-private",
        mechanism=learn_thresholds_by_search,
        domain=LabelledSamples(range(4), size=2),
        epsilon=4,
        delta=TENTH,
        parameters={"d": 2, "alpha": HALF, "powers": powers},
        **on_all(every_sample(2)),
        mutant=search_at_twelve_times_epsilon,
        least=LeastShare(
            share=share, below=below, because="δ = 1/10 covers what the few steps on four points add up to"
        ),
    )
    for variant, what, powers, share, below in (
        ("default", "all lengths", False, "1/4", "15/64"),
        ("default-powers", "powers of 2", True, "7/32", "13/64"),
    )
)
