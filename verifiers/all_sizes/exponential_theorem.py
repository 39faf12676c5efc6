"""The exponential mechanism on all score vectors, by Theorem 1 of docs/theorems.md."""

from collections.abc import Iterator
from math import ceil, expm1, floor, inf, isfinite, log
from typing import Final

from dpverify.mechanisms.numbers import elementary
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.verifiers.all_sizes.regions.question import OfScores, Pair


def most_log_odds(question: OfScores) -> Exact:
    """c: how far neighbours move the log-odds of an event at most, and the pure ε of the mechanism."""
    return question.scores.spread * _rate(question)


def _rate(question: OfScores) -> Exact:
    """The r of probabilities proportional to e^(r·score)."""
    given = question.arguments
    sensitivity = positive(given.get("sensitivity", 1), "sensitivity")
    return positive(given["epsilon"], "epsilon") / (2 * sensitivity)


def holds(question: OfScores) -> bool:
    """True where δ is at least that of the theorem."""
    c, (epsilon, delta) = most_log_odds(question), question.claim
    if epsilon >= c:
        return True
    above, below = _parts(c, epsilon)
    return bool(delta * below >= above)


def _parts(c: Exact, epsilon: Exact) -> tuple[Exact, Exact]:
    """(e^(c/2) − e^(ε/2))² and e^c − 1, whose quotient is δ(ε) for ε ≤ c."""
    return (elementary.exp(c / 2) - elementary.exp(epsilon / 2)) ** 2, elementary.exp(c) - 1


def supremum(question: OfScores) -> Exact | None:
    """δ(ε) where it is approached: with every number of solutions, or at ε ≥ c."""
    c, epsilon = most_log_odds(question), question.claim.epsilon
    if epsilon >= c:
        return ZERO
    if not question.scores.every:
        return None
    above, below = _parts(c, epsilon)
    return above / below


def suspects(question: OfScores) -> Iterator[Pair]:
    """Neighbours that come near to δ(ε): the log-odds of one solution, or of all others, are near the worst."""
    rate, worst = float(enclosure(_rate(question))), _best_log_odds(question)
    least, every = question.scores.solutions, question.scores.every
    if not 0 < rate < inf or not isfinite(worst / rate):  # no float says how far apart
        for gap in (0, -1, 1):
            yield question.scores.against(0, (gap,) * (max(2, least) - 1))
        return
    for solutions in range(max(2, least), max(2, least) + _MORE_SOLUTIONS if every else least + 1):
        # the first solution has the odds 1 : Σ e^(rate·m), before and after it falls behind
        before = worst + float(enclosure(most_log_odds(question)))
        for others in (*_sums(-before, rate, solutions - 1), *_sums(worst, rate, solutions - 1)):
            yield question.scores.against(0, others)
        if question.claim.delta is ZERO:
            for times in (1, 4):
                far = floor(times * (abs(worst) + log(solutions) + 1) / rate) + 1
                yield question.scores.against(0, (far,) * (solutions - 1))


_MORE_SOLUTIONS: Final = 24
"""Numbers of solutions that are tried where each is in the domain."""

_NEXT_TO_NOTHING: Final = 1e-300
"""Rest of a sum where one term makes it up."""


def _best_log_odds(question: OfScores) -> float:
    """About the log-odds ln((√a − √b)/(√a·(√(ab) − 1))), a = e^c and b = e^ε, from which a move by c needs most δ."""
    c, epsilon = most_log_odds(question), question.claim.epsilon
    apart, sum_of_both = float(enclosure((c - epsilon) / 2)), float(enclosure((c + epsilon) / 2))
    if not 0 < apart < inf or not isfinite(sum_of_both):
        return -inf
    return log(-expm1(-apart)) - sum_of_both - log(-expm1(-sum_of_both))


def _sums(target: float, rate: float, terms: int) -> Iterator[tuple[int, ...]]:
    """Whole m_1, …, m_terms with Σ e^(rate·m) near e^target: below it, and the last one above it."""
    numbers: list[int] = []
    rest = target
    for _ in range(terms - 1):
        m = floor(rest / rate)
        numbers.append(m)
        rest += log(max(-expm1(rate * m - rest), _NEXT_TO_NOTHING))
    yield (*numbers, floor(rest / rate))
    yield (*numbers, ceil(rest / rate))
