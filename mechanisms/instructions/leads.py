"""The probability that one of several scores with independent noise is the largest, in closed form."""

from collections.abc import Sequence
from functools import lru_cache
from math import floor

from dpverify.mechanisms.instructions.contests import Lead
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, negative, reciprocal_of_nonzero, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import Intervals
from dpverify.mechanisms.numbers.roots.whole_forms import rounded_whole
from dpverify.mechanisms.path_conditions.implied_conditions import Form
from dpverify.mechanisms.path_conditions.noise_tree import density_of
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable
from dpverify.mechanisms.path_conditions.shared_noise import joint_probability


def probability_of_lead(lead: Lead) -> Exact | None:
    """The probability of a lead by noises of one law of which nothing is known; None where it has no closed form here.

    Of equals the first leads, where the noise is discrete.
    """
    noises = [number.parts[0][0] for number in lead.numbers if len(number.parts) == 1 and number.parts[0][1] == 1]
    law, scores = lead.numbers[0].parts[0][0].law, [number.shift for number in lead.numbers]
    if len(noises) < len(scores) or any(noise.law is not law and noise.law != law for noise in noises):
        return None
    if law.exponential_scale is not None and not {"<", "<="} & set(lead.relations):
        weights = [exp(score / law.exponential_scale) for score in scores]  # Gumbel's: the exponential mechanism
        return weights[lead.best] * reciprocal_of_nonzero(total(weights))
    scale = law.normal_scale if law.is_certified else law.tail_scale
    if scale is None or any(number.symbol is not None for number in (scale, *scores)):
        return None
    relations = set(lead.relations)
    if law.discrete and (relations != {">"} or any(floor(score) != score for score in scores)):
        return None
    if relations & {"<", "<="}:  # the smallest is the largest of the negative numbers
        law, scores = law.mirror_image(), list(map(negative, scores))
    try:
        return _by_facts(noises, scores, lead.best) if law.is_certified else probability_of_best(law, scores, lead.best)
    except (InputError, Undecided):  # of some laws no closed form is known
        return None


def _by_facts(noises: Sequence[NoiseVariable], scores: Sequence[Exact], best: int) -> Exact:
    """The same of continuous noise of which probabilities are known by balls: one fact for each other score."""
    facts: dict[Form, Intervals] = {}
    for other, (noise, score) in enumerate(zip(noises, scores, strict=True)):
        if other != best:
            facts[(noises[best], ONE), (noise, negative(ONE))] = ((score - scores[best], None),)
    return joint_probability(facts)


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
