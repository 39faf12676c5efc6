"""The large margin mechanism for every ε and δ, and every number of items, by Theorem 14 of docs/theorems.md."""

from __future__ import annotations

from typing import Any, Final

from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.exact_numbers import ONE, exact
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.mechanisms.selection.large_margin import large_margin_mechanism
from dpverify.verifiers.all_sizes.claimed_shares import claimed_shares, never_exceeds
from dpverify.verifiers.all_sizes.regions.question import OfScores

THEOREM_14: Final = (
    "Theorem 14 of docs/theorems.md, on the large margin mechanism: every δ, and every number of solutions"
)


def is_large_margin(question: OfScores) -> bool:
    """True where the theorem speaks of a mechanism, with what it is given. Raises `InputError` as that does."""
    return question.mechanism is large_margin_mechanism and has_printed_tests(question.arguments)


def has_printed_tests(given: Any) -> bool:
    """True of Laplace noise, and of tests that ask for no less than the printed ones."""
    slack = positive(given.get("slack", 1), "slack")
    return given.get("noise", laplace) is laplace and never_exceeds(ONE, slack)


def large_margin_holds(question: OfScores) -> bool:
    """True where a claim holds by the theorem, for δ a symbol or a number. Raises as the mechanism does."""
    if not is_large_margin(question):
        return False
    claimed = claimed_shares(question.question)
    return claimed is not None and claimed.share_of_epsilon >= 1 and never_exceeds(exact(1), claimed.share_of_delta)
