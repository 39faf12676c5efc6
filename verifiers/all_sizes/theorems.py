"""Claims that a theorem settles, for every number of solutions at once: see docs/theorems.md.

A theorem speaks of functions of this library, each known by being that very function, and Theorem 2 of those that are
written as it has them: see `written_noisy_max.py`. What another one does is not guessed.
That a claim fails is never told from a formula: two neighbours are shown, and decided by their laws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.numbers.errors import InputError, Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.mechanisms.selection.laplace_mechanism import (
    clamped_laplace_mechanism,
    discrete_laplace_mechanism,
    laplace_mechanism,
)
from dpverify.mechanisms.selection.large_margin import large_margin_mechanism
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces, max_of_laplaces_drawn
from dpverify.mechanisms.selection.stability import (
    choose_by_stability,
    choose_by_stability_discrete,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
)
from dpverify.mechanisms.signs.epsilon_symbol import DependsOnEpsilon
from dpverify.verifiers.all_sizes import (
    additive_theorem,
    exponential_theorem,
    large_margin_theorem,
    noisy_max_theorem,
    stability_theorem,
)
from dpverify.verifiers.all_sizes.written_noisy_max import as_the_librarys
from dpverify.verifiers.charts.domains import Endless
from dpverify.verifiers.charts.pairs import fails_on
from dpverify.verifiers.charts.question import OfScores, Pair, all_scores
from dpverify.verifiers.questions.question import Question


@dataclass(frozen=True)
class Settled:
    """The answer of a theorem on a claim on a whole domain: that it holds, or that it fails on a pair of neighbours."""

    theorem: str
    """Its name, and what it speaks of."""
    pair: Pair | None
    """Neighbours on which the claim fails; None where it holds."""
    delta: Exact | None
    """The worst δ at the claimed ε on the whole domain, or the δ that is approached; None where it is not known."""
    epsilon: Exact | None
    """The pure ε on the whole domain, likewise."""

    @property
    def holds(self) -> bool:
        """True where the claim holds on the whole domain."""
        return self.pair is None


@dataclass(frozen=True)
class Theorem:
    """A theorem as procedures: when it speaks, whether a claim holds by it, and where it fails if it does not."""

    name: str
    mechanisms: tuple[Mechanism, ...]
    is_meant: Callable[[OfScores], bool]
    holds: Callable[[OfScores], bool]
    supremum: Callable[[OfScores], Exact | None]
    pure: Callable[[OfScores], Exact | None]
    suspects: Callable[[OfScores], Iterator[Pair]]


def _several(question: OfScores) -> bool:
    return question.scores.solutions > 1 or question.scores.every


def _not_known(_: OfScores) -> None:
    return None


_THEOREMS: Final = (
    Theorem(
        "Theorem 1 of docs/theorems.md, on the exponential mechanism: every number of solutions",
        (exponential_mechanism,),
        _several,
        exponential_theorem.holds,
        exponential_theorem.supremum,
        exponential_theorem.most_log_odds,
        exponential_theorem.suspects,
    ),
    Theorem(
        "Theorem 2 of docs/theorems.md, on report noisy max: every number of solutions",
        (max_of_laplaces, max_of_laplaces_drawn),
        lambda question: _several(question) and noisy_max_theorem.is_of_known_noise(question.arguments),
        noisy_max_theorem.holds,
        noisy_max_theorem.supremum,
        noisy_max_theorem.pure_epsilon,
        noisy_max_theorem.suspects,
    ),
    Theorem(
        "Theorem 3 of docs/theorems.md, on A_dist: three solutions stand for every number of them",
        (
            choose_by_stability,
            choose_by_stability_discrete,
            choose_by_stability_journal,
            choose_by_stability_extended_abstract,
        ),
        _several,
        stability_theorem.holds,
        stability_theorem.supremum,
        _not_known,
        stability_theorem.suspects,
    ),
    Theorem(
        "Theorem 4 of docs/theorems.md, on added noise: one pair stands for all",
        (laplace_mechanism, discrete_laplace_mechanism, clamped_laplace_mechanism),
        additive_theorem.is_meant,
        additive_theorem.holds,
        additive_theorem.supremum,
        _not_known,
        additive_theorem.suspects,
    ),
    Theorem(
        large_margin_theorem.THEOREM_14,
        (large_margin_mechanism,),
        large_margin_theorem.is_large_margin,
        large_margin_theorem.large_margin_holds,
        _not_known,
        _not_known,
        lambda _: iter(()),
    ),
)


def settled(question: Question, domain: Endless) -> Settled | None:
    """What a theorem says of a question on a domain; None where none speaks of the mechanism, its noise or the domain.

    Raises `InputError` as the mechanism does, and `Undecided` where the theorem leaves the claim open.
    """
    scores = all_scores(domain, question.neighbours)
    theorem = next((each for each in _THEOREMS if any(question.mechanism is known for known in each.mechanisms)), None)
    if scores is None:
        return None
    if theorem is None:
        read = as_the_librarys(question)
        return None if read is None else settled(read, domain)
    asked = OfScores(question, scores)
    if not theorem.is_meant(asked):
        return None
    for each in list(asked.at_some_epsilons(lambda _: True)):  # refuses parameters that the mechanism refuses
        question.enumeration().law(question.mechanism, ((0, 0),), each.arguments)
    if _holds(theorem, asked):
        return Settled(theorem.name, None, theorem.supremum(asked), theorem.pure(asked))
    for each in asked.at_some_epsilons(theorem.holds):
        for pair in () if theorem.holds(each) else theorem.suspects(each):
            if fails_on(question, pair):
                return Settled(theorem.name, pair, None, None)
    raise Undecided(
        not_known.THEOREM_OPEN,
        f"{theorem.name.partition(':')[0]}, leaves it open, and no neighbours that violate the claim are known",
        f"decide it for one number of candidates, Scores(solutions={max(3, scores.solutions)})",
    )


def _holds(theorem: Theorem, question: OfScores) -> bool:
    """True where a theorem says that a claim holds, for all ε that a symbol may stand for, in one way."""
    try:
        return theorem.holds(question)
    except DependsOnEpsilon:
        return False
    except InputError:
        if question.question.symbol is None:
            raise
        return False  # it may change at ε without a closed form
