"""The probability that one of several scores with independent noise is the largest, in closed form."""

from collections.abc import Sequence
from functools import lru_cache
from math import floor

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.whole_forms import rounded_whole
from dpverify.mechanisms.path_conditions.noise_tree import density_of


def probability_of_best(law: NoiseLaw, scores: Sequence[Exact], best: int) -> Exact:
    """Pr[scores[best] + N is the largest], for noises of one law; of equals the first is.

    With discrete noise the gaps between scores have to be whole.
    """
    # Only the gaps to the best matter, and their order only to break ties, which continuous noise does not have.
    gaps = [scores[best] - score for score in scores]
    before, after = (gaps[:best], gaps[best + 1 :]) if law.discrete else ([], gaps[:best] + gaps[best + 1 :])
    return _probability_of_lead(law, _in_order(before), _in_order(after))


def _in_order(gaps: list[Exact]) -> tuple[Exact, ...]:
    return tuple(sorted(gaps))


@lru_cache(maxsize=1 << 16)
def _probability_of_lead(law: NoiseLaw, before: tuple[Exact, ...], after: tuple[Exact, ...]) -> Exact:
    """∫ f(x)·∏ Pr[N < x + gap] over those before, Pr[N ≤ x + gap] over those after, dx."""
    return _product(law, before, after).mass


@lru_cache(maxsize=1 << 12)
def _product(law: NoiseLaw, before: tuple[Exact, ...], after: tuple[Exact, ...]) -> Piecewise:
    if after:
        return _product(law, before, after[:-1]).times(_below(law, after[-1], 1 if law.discrete else 0))
    if before:
        return _product(law, before[:-1], ()).times(_below(law, before[-1], 0))
    return density_of(law)


@lru_cache(maxsize=1 << 12)
def _below(law: NoiseLaw, gap: Exact, further: int) -> Piecewise:
    """x ↦ Pr[N < x + gap + further]."""
    return density_of(law).cumulative.composed(ONE, rounded_whole(floor(gap)) + further if law.discrete else gap)
