"""Privacy of the learner of thresholds by search: Beimel, Nissim & Stemmer, journal version, Remark 3.5."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw
from dpverify.mechanisms.learners import learn_thresholds_by_search
from dpverify.mechanisms.sanitizers.concepts import Example
from dpverify.mechanisms.selection import choose_by_stability
from dpverify.verifiers import LabelledSamples
from dpverify.verifiers.catalogue.families import BY_DEFAULT, every_sample
from dpverify.verifiers.catalogue.mutants import at_times_epsilon
from dpverify.verifiers.privacy.family import Row, family, rows_of

# Section 3.2. How ε and δ are divided among the parts is not printed.


def index_by_search(draw: Draw, sample: Sequence[Example], *, epsilon: Any, delta: Any, **given: Any) -> Any:
    """The learner of thresholds by noisy binary search, which threshold it chooses."""
    return draw(learn_thresholds_by_search, sample, epsilon=epsilon, delta=delta, **given).j


_FEW_STEPS: Final = "δ = 1/10 covers what the few steps on four points add up to"

by_search = family(
    Row("BNS-J-3.5.privacy.")
    .having(source="Beimel, Nissim & Stemmer, journal version, Section 3.2 and Remark 3.5", epsilon=4)
    .run_with(alpha=Fraction(1, 2)),
    *rows_of(
        Row("", "THRESH_3 by a noisy binary search over {}, with the corrected A_dist, is (ε,1/100)-private")
        .having(mechanism=index_by_search, domain=LabelledSamples(range(8), size=2), delta=Fraction(1, 100))
        .having(all_sizes=every_sample(3), all_sizes_depth="report", mutant=at_times_epsilon(12, index_by_search))
        .run_with(d=3, selection=choose_by_stability),
        Row("lengths", "all lengths").run_with(powers=False),
        Row("powers", "powers of 2").run_with(powers=True),
    ),
    *rows_of(
        Row("default", f"THRESH_2 by a noisy binary search over {{}}, {BY_DEFAULT} is (ε,1/10)-private")
        .having(mechanism=learn_thresholds_by_search, domain=LabelledSamples(range(4), size=2), delta=Fraction(1, 10))
        .having(all_sizes=every_sample(2))
        .having(mutant=at_times_epsilon(12, learn_thresholds_by_search, "search_at_twelve_times_epsilon"))
        .run_with(d=2),
        Row("", "all lengths").run_with(powers=False).holds_with("1/4", "15/64", _FEW_STEPS),
        Row("-powers", "powers of 2").run_with(powers=True).holds_with("7/32", "13/64", _FEW_STEPS),
    ),
)
