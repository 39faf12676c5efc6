"""Claims that a theorem settles, for every number of solutions at once: see docs/theorems.md.

A theorem speaks of functions of this library, which `known_guarantees.py` lists, and Theorems 1, 2 and 15 of those too
that only compare noise on unknown numbers: see `comparison_theorem.py`. What another one does is not guessed.
That a claim fails is never told from a formula: two neighbours are shown, and decided by their laws.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from dpverify.mechanisms.numbers.errors import InputError, Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.roots.epsilon_symbol import DependsOnEpsilon
from dpverify.verifiers.all_sizes.claimed_shares import EveryDelta, never_exceeds
from dpverify.verifiers.all_sizes.comparison_theorem import THEOREM_15, as_the_librarys, compared_in, needed_by_moves
from dpverify.verifiers.all_sizes.growth_theorem import fewest_rows
from dpverify.verifiers.all_sizes.known_guarantees import GROWTH, SCORES, SUBSTITUTED, guarantee_of
from dpverify.verifiers.all_sizes.noisy_max_theorem import covers
from dpverify.verifiers.all_sizes.regions.domains import AnyGrowth, Endless, Histograms
from dpverify.verifiers.all_sizes.regions.pairs import fails_on
from dpverify.verifiers.all_sizes.regions.question import OfScores, Pair, all_scores
from dpverify.verifiers.problems.questions.moves import Grows, Replaces, moves_of
from dpverify.verifiers.problems.questions.question import Question

_Said = TypeVar("_Said")


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


def settled(question: Question, domain: Endless) -> Settled | None:
    """Answer of a theorem to a question on a domain; None where none speaks of the mechanism, its noise or the domain.

    Raises `InputError` as the mechanism does, and `Undecided` where the theorem leaves the claim open.
    """
    scores, row = all_scores(domain, question.neighbours), guarantee_of(question.mechanism)
    theorem = None if row is None else row.on_scores
    if theorem is None or scores is None:
        compared = compared_in(question, domain)
        if compared is None:
            return None
        if scores and (read := _said(question, lambda: as_the_librarys(question, scores, compared))):
            return settled(read, domain)
        # at 0 regions say that all neighbours agree
        met = _said(question, lambda: (e := needed_by_moves(question, domain, compared)) and covers(e, question.claim))
        return Settled(THEOREM_15, None, None, None) if met else None
    asked = OfScores(question, scores)
    if not theorem.is_meant(asked):
        return None
    for each in list(asked.at_some_epsilons(lambda _: True)):  # refuses parameters that the mechanism refuses
        question.enumeration().law(question.mechanism, ((0, 0),), each.arguments)
    if _said(question, lambda: theorem.holds(asked)):
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


def known_for_every_delta(question: Question, domain: Endless) -> EveryDelta | None:
    """The answer of a theorem on a mechanism for every δ at once on a domain; None where none speaks of it.

    Raises `InputError` as the mechanism does.
    """
    row = guarantee_of(question.mechanism)
    if row is None or row.for_every_delta is None or not _IS_OF[row.scope](question, domain):
        return None
    return row.for_every_delta(question, domain)


_IS_OF: Final[Mapping[str, Callable[[Question, Endless], bool]]] = {
    SCORES: lambda question, domain: all_scores(domain, question.neighbours) is not None,
    SUBSTITUTED: lambda question, domain: type(domain) is Histograms and moves_of(question.neighbours) == Replaces(),
    GROWTH: lambda question, domain: isinstance(domain, AnyGrowth) and moves_of(question.neighbours) == Grows(),
}
"""True of a domain and a neighbour relation of a scope."""


def holds_on_growth(question: Question, domain: AnyGrowth) -> bool | None:
    """True where a claim follows from the guarantee on the fewest rows of a domain; None where none is known.

    Raises `InputError` as the mechanism does.
    """
    row = guarantee_of(question.mechanism)
    if row is None or row.for_every_delta is not None or not _IS_OF[GROWTH](question, domain) or row.scope != GROWTH:
        return None
    try:
        guarantee = row.bound(fewest_rows(question, domain))
    except Undecided:
        return None
    claim = question.claim
    return never_exceeds(guarantee.epsilon, claim.epsilon) and never_exceeds(guarantee.delta, claim.delta)


def _said(question: Question, says: Callable[[], _Said]) -> _Said | None:
    """The answer of a theorem, for all ε that a symbol may stand for, in one way; None where it says no one thing."""
    try:
        return says()
    except DependsOnEpsilon:
        return None
    except InputError:
        if question.symbol is None:
            raise
        return None  # it may change at ε without a closed form
