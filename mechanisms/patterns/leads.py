"""The best of several noisy numbers, and the distribution of a choice of the best in closed form."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any, NamedTuple

from dpverify.mechanisms.functions.fixed_values import Changeable, fixed
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, as_parameter, is_unknown, negative
from dpverify.mechanisms.numbers.integers.unknown_numbers import of_kind
from dpverify.mechanisms.numbers.roots.intervals import Intervals
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.outputs.noisiest import Noisiest, probability_of_best
from dpverify.mechanisms.outputs.scored import Chooser, known_chooser
from dpverify.mechanisms.path_conditions.expressions import Better, Comparator
from dpverify.mechanisms.path_conditions.implied_conditions import Form
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable
from dpverify.mechanisms.path_conditions.shared_noise import joint_probability


class Lead(NamedTuple):
    """Several numbers with noises of their own, and the places of the best of them, the best first."""

    numbers: Sequence[NoiseValue]
    order: tuple[int, ...]
    better: Better
    """See `Observer.best_of`."""

    def answers(self) -> Iterator[tuple[NoiseValue, Comparator, bool]]:
        """Comparisons that say it, and their answers: whether a value stands in a relation to 0.

        Of the order of the best each with the next one, and of all others with the last of these.
        """
        *before, last = self.order
        others = (place for place in range(len(self.numbers)) if place not in self.order)
        for best, place in (*pairwise((*before, last)), *((last, place) for place in others)):
            later, earlier = max(best, place), min(best, place)
            yield self.numbers[later] - self.numbers[earlier], self.better(later, earlier), best > place

    @property
    def best(self) -> int:
        """The place of the best."""
        return self.order[0]

    def tells_apart(self, value: NoiseValue) -> bool:
        """True where a value is the difference of the best and a number before it, which is not equal to it."""
        noises, best = {variable for variable, _ in value.parts}, self.numbers[self.best]
        for place in range(self.best):
            number = self.numbers[place]
            if noises == {variable for variable, _ in (*best.parts, *number.parts)} and self.better(
                self.best, place
            ) in (">", "<"):
                differences = (best - number, number - best)
                return any(
                    one.shift.serial == value.shift.serial and dict(one.parts) == dict(value.parts)
                    for one in differences
                )
        return False

    @property
    def relations(self) -> set[Comparator]:
        """The relations in which one number stands to another before it where it is better, of the best and others."""
        places = (place for place in range(len(self.numbers)) if place != self.best)
        return {self.better(max(place, self.best), min(place, self.best)) for place in places}


class _OneLaw(NamedTuple):
    """Numbers of which the largest is the best, the first of equals: scores with noises of one law."""

    law: NoiseLaw
    scores: Sequence[Exact]


def _of_one_law(lead: Lead) -> _OneLaw | None:
    """The numbers of a lead, or where the smallest is the best their negatives; None where a law has no closed form."""
    if len(lead.order) > 1:
        return None
    ((noise, coefficient),) = lead.numbers[0].parts if len(lead.numbers[0].parts) == 1 else ((None, ONE),)
    if noise is None or any(
        len(number.parts) != 1
        or (number.parts[0][0].law is not noise.law and number.parts[0][0].law != noise.law)
        or number.parts[0][1] != coefficient
        for number in lead.numbers
    ):
        return None
    law, scores, relations = noise.law, [number.shift for number in lead.numbers], lead.relations
    is_smallest = bool(relations & {"<", "<="})
    if coefficient not in (ONE, negative(ONE)) or (law.discrete and not relations <= {">", "<"}):
        return None
    if is_smallest:
        scores = [*map(negative, scores)]
    if is_smallest is (coefficient == ONE):
        if law.exponential_scale is not None:
            return None
        law = law.mirror_image()
    scale = law.normal_scale if law.is_certified else law.tail_scale if law.exponential_scale is None else ONE
    return None if scale is None or scale.symbol is not None else _OneLaw(law, scores)


def probability_of_lead(lead: Lead) -> Exact | None:
    """The probability of a lead by noises of which nothing else is known; None where it has no closed form here."""
    one = _of_one_law(lead)
    if one is None or (one.law.discrete and any(floor(score) != score for score in one.scores)):
        return None
    if one.law.exponential_scale is None and any(score.symbol is not None for score in one.scores):
        return None
    try:
        if one.law.is_certified:
            return _by_facts([number.parts[0][0] for number in lead.numbers], lead)
        return probability_of_best(one.law, one.scores, lead.best)
    except (InputError, Undecided):  # of some laws no closed form is known
        return None


def _by_facts(noises: Sequence[NoiseVariable], lead: Lead) -> Exact:
    """The same of continuous noise of which probabilities are known by balls: one fact for each other score."""
    one = _of_one_law(lead)
    assert one is not None, "see above"
    noises = [NoiseVariable(one.law, noise.number) for noise in noises]
    facts: dict[Form, Intervals] = {}
    for other, (noise, score) in enumerate(zip(noises, one.scores, strict=True)):
        if other != lead.best:
            facts[(noises[lead.best], ONE), (noise, negative(ONE))] = ((score - one.scores[lead.best], None),)
    return joint_probability(facts)


def choice_of_leads(leads: Sequence[Lead], outcomes: Sequence[Hashable]) -> tuple[Chooser, Sequence[Any]] | None:
    """The choice by scores of the outcome for each place of the best, with the scores; None for what is no such.

    `leads` are those of all runs, each with its outcome, of which nothing else is known.
    """
    places = [lead.best for lead in leads]
    if sorted(places) != [*range(len(leads[0].numbers))]:
        return None
    one, *others = map(_of_one_law, leads)  # of equals each number has to give way to those before it
    if one is None or None in others or one.law.is_certified:
        return None
    scores, by_place = [*map(_score, one.scores)], [outcomes[places.index(i)] for i in range(len(places))]
    kinds = {*map(type, scores)}  # an unknown number is asked for nothing else
    if type(None) in kinds or (one.law.discrete and Fraction in kinds):
        return None
    try:
        key = fixed(tuple(by_place))
        if one.law.exponential_scale is None:
            _ = one.law.density  # refuses what has none
        elif one.law.exponential_scale.symbol is not None:
            return None
    except (Changeable, InputError, Undecided):
        return None
    return known_chooser((one.law, key), lambda: Noisiest(one.law, by_place)), tuple(scores)


def _score(number: Exact) -> Any:
    """A number as a score; None where it is none."""
    if is_unknown(number):  # somebody puts that of each database in its place
        return None if notes.answers is None else of_kind(number, int)
    known = None if number.symbol is not None else as_parameter(number)
    if not isinstance(known, Fraction):
        return None
    return int(known) if known.denominator == 1 else known
