"""The large margin mechanism for every ε and δ, and every number of items, by Theorem 14 of docs/theorems.md."""

from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.exact_numbers import ONE
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.verifiers.all_sizes.claimed_shares import PartOfDelta, claimed_shares, never_exceeds
from dpverify.verifiers.all_sizes.regions.domains import Endless
from dpverify.verifiers.all_sizes.regions.question import OfScores
from dpverify.verifiers.problems.questions.question import Question

THEOREM_14: Final = (
    "Theorem 14 of docs/theorems.md, on the large margin mechanism: every δ, and every number of solutions"
)


def has_printed_tests(given: Any) -> bool:
    """True of Laplace noise, and of tests that ask for no less than the printed ones."""
    slack = positive(given.get("slack", 1), "slack")
    return given.get("noise", laplace) is laplace and never_exceeds(ONE, slack)


def holds(question: OfScores) -> bool:
    """True where a claim holds by the theorem, for δ a symbol or a number. Raises as the mechanism does."""
    claimed = claimed_shares(question.question)
    return claimed is not None and _ALL.holds(claimed)


def needed_by_large_margin(question: Question, _: Endless) -> PartOfDelta | None:
    """All of its δ; None where the theorem does not speak of the arguments. Raises `InputError` as the mechanism."""
    return _ALL if has_printed_tests(question.arguments) else None


_ALL: Final = PartOfDelta(THEOREM_14, Fraction(1))
