"""Comparisons of noise: what they tell, and the joint probability of all that a path has been told.

Noises that are compared are the nodes of a forest, and the facts that comparisons leave tie them. That the first of two
Laplace noises is at least the second has probability 1/2. That it is at least a third one, too, makes a tree of three,
with the first as its root: the largest of three is the first with probability 1/3. A fourth hangs from the third.

>>> from dpverify.mechanisms import exact, laplace
>>> first, second, third, fourth = (NoiseVariable(laplace(1), number) for number in (1, 2, 3, 4))
>>> known, not_negative = Knowledge(), ray(exact(0))
>>> for greater, smaller in ((first, second), (first, third), (third, fourth)):
...     known.learn(((greater, ONE), (smaller, -ONE)), not_negative)
...     print(known.probability())
1/2
1/3
1/8
>>> sorted(noise.number for noise in known.tied([fourth]))
[1, 2, 3, 4]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, floor, gcd, lcm
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, as_parameter, negative, product
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import (
    EVERYTHING,
    Endpoint,
    Intervals,
    below,
    intersection,
    is_everything,
    other_than,
    ray,
)
from dpverify.mechanisms.numbers.roots.whole_forms import rounded_whole
from dpverify.mechanisms.path_conditions.expressions import FLIPPED, NEGATED, Comparator
from dpverify.mechanisms.path_conditions.implied_conditions import Form, PathConditions, can_be, is_difference
from dpverify.mechanisms.path_conditions.noise_tree import (
    NoiseTree,
    TooManyPieces,
    UnknownWeight,
    WeightAskedFor,
    shared_noise,
)
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable
from dpverify.mechanisms.path_conditions.shared_noise import (
    density_of_form,
    depends_on_epsilon,
    has_positive_probability,
    joint_probability,
    seen_from,
    separated,
    star_graph_of,
)
from dpverify.mechanisms.path_conditions.tied_conditions import LeafOfStarGraph


def single_noise(value: NoiseValue, purpose: str) -> tuple[NoiseVariable, Exact, Exact]:
    """(N, c, s) where value = c·N + s. Raises `InputError`, naming the value, where it involves several noises."""
    if len(value.parts) != 1:
        raise InputError(bad_mechanism.SEVERAL_NOISES, purpose, len(value.parts), value.described())
    ((variable, coefficient),) = value.parts
    return variable, coefficient, value.shift


class NoiseComparison(NamedTuple):
    """A comparison: a form Σ c·N of noises is one of the values `holds`, or else one of the values `fails`."""

    form: Form
    holds: Intervals
    fails: Intervals


def noise_comparison(value: NoiseValue, relation: Comparator) -> NoiseComparison:
    """The question that is asked by `value` `relation` 0, which is not whether continuous noise equals a number.

    Raises `InputError` where discrete noise is compared with continuous.
    """
    form, scale = noise_form(value)
    law, shift = form[0][0].law, value.shift
    key = (law.discrete, relation, scale.serial, shift.serial)
    known = _answers.get(key)
    if known is None:
        known = _Answers(scale, shift, *_answers_to(law, relation, scale, shift))
        _keep(_answers, key, known)
    return NoiseComparison(form, known.holds, known.fails)


class _Answers(NamedTuple):
    """The result of a comparison, with the numbers in it, so that their serial numbers stay theirs."""

    scale: Exact
    shift: Exact
    holds: Intervals
    fails: Intervals


_MOST: Final = 1 << 14

# Each path makes the comparisons of the one before it, up to its last choice: what they tell is remembered.
_answers: Final[dict[tuple[bool, Comparator, int, int], _Answers]] = {}
_narrowed: Final[dict[tuple[int, int, int], tuple[tuple[Intervals, ...], tuple[Intervals, Intervals]]]] = {}
"""By the identities of intervals, which are kept with it, what `narrowed` makes of them."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def _keep(table: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    if len(table) >= _MOST:
        table.clear()
    table[key] = value


def _answers_to(law: NoiseLaw, relation: Comparator, scale: Exact, shift: Exact) -> tuple[Intervals, Intervals]:
    """The sets where a form of such noises, times `scale`, plus `shift`, stands in the relation to 0, and where not."""
    if decision.sign(scale) < 0:
        relation = FLIPPED[relation]
    threshold = -shift / scale
    if relation in ("<", "<=", "!="):
        holds, fails = _split(law, NEGATED[relation], threshold)
        return fails, holds
    return _split(law, relation, threshold)


def has_form(value: NoiseValue) -> bool:
    """True where `noise_form` has a form for the noises of a value: all real, or all whole with rational ratios.

    Raises `InputError` where the law of one of them is not compared with others.
    """
    for variable, _ in value.parts:
        if variable.law.is_compared_with_few:
            variable.law.refuse_comparison([(c, noise.law) for noise, c in value.parts], value.described)
    try:
        noise_form(value)
    except InputError:
        return False
    return True


def noise_form(value: NoiseValue) -> tuple[Form, Exact]:
    """The noises of a value as a form, and what it is to be multiplied by."""
    kinds = set()
    for variable, _ in value.parts:
        kinds.add(variable.law.discrete)
        if variable.law.is_compared_with_few:
            variable.law.refuse_comparison([(c, noise.law) for noise, c in value.parts], value.described)
    if len(value.parts) == 1:
        ((variable, coefficient),) = value.parts
        return alone(variable), coefficient
    parts = sorted(value.parts, key=_number)
    if len(kinds) > 1:
        raise InputError(bad_mechanism.MIXED_NOISE, "compared", value.described(), "use one kind")
    scale = _scale([coefficient for _, coefficient in parts], discrete=True in kinds)
    return tuple((variable, coefficient / scale) for variable, coefficient in parts), scale


def _number(part: tuple[NoiseVariable, Exact]) -> int:
    return part[0].number


def _scale(coefficients: Sequence[Exact], *, discrete: bool) -> Exact:
    """The number to divide the coefficients of a form by: the first, or what makes them whole and coprime."""
    first = coefficients[0]
    if not discrete:
        return first
    ratios: list[Fraction] = []
    for coefficient in coefficients:
        ratio = as_parameter(coefficient / first)
        if not isinstance(ratio, Fraction):
            raise InputError(
                bad_mechanism.MULTIPLE_OF_DISCRETE, "compared with an irrational multiple of another", ratio
            )
        ratios.append(ratio)
    denominator = lcm(*(ratio.denominator for ratio in ratios))
    numerator = gcd(*(int(ratio * denominator) for ratio in ratios))
    return first * numerator / denominator


def _split(law: NoiseLaw, relation: Comparator, threshold: Exact) -> tuple[Intervals, Intervals]:
    """The values where a form of such noises is ≥, > or == threshold, and where not."""
    if not law.discrete:
        assert relation != "==", "see is_continuous"
        return ray(threshold), below(threshold)
    if relation == "==":
        whole = rounded_whole(floor(threshold))
        return (ray(whole)[:0], EVERYTHING) if whole != threshold else (((whole, whole + 1),), other_than(whole))
    first: Endpoint = rounded_whole(ceil(threshold)) if relation == ">=" else rounded_whole(floor(threshold)) + 1
    return ray(first), below(first)


@dataclass(frozen=True)
class LiveNoise:
    """A noise that is alive, with the path conditions on it and on dead noises that are tied to it.

    It is told from others by the tree of which it is the root: the weight of the path as a function of the noise.
    """

    tree: NoiseTree
    variable: NoiseVariable = field(compare=False)
    tied: Sequence[NoiseVariable] = field(compare=False)
    """Itself and the dead ones, in the order of their numbers."""
    conditions: PathConditions = field(compare=False)

    @cached_property
    def mass(self) -> Exact:
        """The probability of the conditions."""
        return Knowledge(self.conditions).probability()

    @property
    def has_open_weight(self) -> bool:
        """True where a stretch that begins with it need not know the tree, but the values that it may take.

        So it is where dead noise is tied to it, and all is in closed form. Raises `WeightAskedFor`.
        """
        laws = [noise.law for noise in self.tied]
        is_closed = not any(law.is_certified or law.exponential_scale for law in laws)
        if len(laws) > 1 and is_closed and not depends_on_epsilon(self.conditions):
            with suppress(TooManyPieces):
                if len(self.tree.possible) == 1:
                    return True
        if self.tree.places:
            raise WeightAskedFor
        return False


@lru_cache(maxsize=1 << 12)
def with_open_weight(tree: NoiseTree, place: int) -> LiveNoise:
    """The noise of a tree in one place of a state, as a stretch knows it that begins there: see `UnknownWeight`."""
    law, values = tree.summands[0][0], tree.possible
    noise, weight = NoiseVariable(law, 1), NoiseVariable(UnknownWeight(place, law.discrete), 2)
    known = Knowledge({((noise, ONE), (weight, negative(ONE))): ray(0 if law.discrete else ZERO)})
    known.learn(alone(noise), values)
    found = known.live_noise(noise)
    assert found is not None, "they are tied by one condition"
    return found


class Knowledge:
    """Conditions of a path on its noises: for each form of them the values that it may still take."""

    __slots__ = ("_forgotten", "_has_shared", "_live", "_values")

    def __init__(self, conditions: PathConditions = MappingProxyType({})) -> None:
        self._values = dict(conditions)
        self._has_shared = any(len(form) > 1 for form in conditions)
        """True where a form of several noises was asked for: of most paths none was."""
        self._forgotten: set[NoiseVariable] = set()
        self._live: dict[NoiseVariable, LiveNoise] = {}
        """Noises of a stretch before, of which nothing else was learnt."""

    @property
    def is_empty(self) -> bool:
        """True where nothing was asked of any noise."""
        return not self._values and not self._forgotten

    def is_as(self, other: Knowledge) -> bool:
        """True where it has learnt what the other one has, and forgotten nothing."""
        return self._values == other._values and not self._forgotten

    def copy(self) -> Knowledge:
        """The same knowledge, which forgets by itself."""
        knowledge = Knowledge(self._values)
        knowledge._has_shared = self._has_shared
        knowledge._forgotten, knowledge._live = set(self._forgotten), dict(self._live)
        return knowledge

    def about_alone(self, noises: Iterable[NoiseVariable]) -> PathConditions:
        """The facts that tie some of these noises to each other and to no other one; they count no longer."""
        among = frozenset(noises)
        results = {form: values for form, values in self._values.items() if len(form) > 1 and _noises(form) <= among}
        for form in results:
            del self._values[form]
        return {form: values for form, values in results.items() if values != EVERYTHING}

    @property
    def cut(self) -> Sequence[NoiseVariable]:
        """The noises of which something is known by themselves, and that were compared with no other one."""
        return [
            form[0][0]
            for form, values in self._values.items()
            if len(form) == 1 and values not in (EVERYTHING, form[0][0].law.support) and not self.is_shared(form)
        ]

    def values(self, form: Form) -> Intervals:
        """The values that the form may take, as far as it alone was asked for."""
        known = self._values.get(form)
        if known is not None:
            return known
        return form[0][0].law.support if len(form) == 1 else EVERYTHING

    def is_shared(self, form: Form) -> bool:
        """True where the form holds several noises, or one that occurs in other forms as well."""
        if len(form) > 1 or not self._has_shared:
            return len(form) > 1
        return any(form[0][0] in _noises(other) for other in self._values if len(other) > 1)

    def learn(self, form: Form, values: Intervals) -> None:
        """Remember that the form takes one of `values`, which lie among those that it may take."""
        self._values[form] = values
        self._has_shared = self._has_shared or len(form) > 1
        for noise, _ in form if self._live else ():
            self._live.pop(noise, None)

    def learn_again(self, noise: LiveNoise) -> None:
        """Learn all that was known of a noise of a stretch before."""
        for form, values in noise.conditions.items():
            self.learn(form, values)
        self._live[noise.variable] = noise

    def forget(self, variable: NoiseVariable) -> Intervals:
        """Removes and returns the condition on a noise that no other form holds."""
        return self._values.pop(alone(variable), variable.law.support)

    def forget_all(self, conditions: Iterable[Form]) -> None:
        """Removes some conditions."""
        for form in conditions:
            self._values.pop(form, None)

    def live_noise(self, variable: NoiseVariable) -> LiveNoise | None:
        """The noise with all that is known of it; None where that is no tree. Raises as `joint_probability` does."""
        if variable in self._live:
            return self._live[variable]
        form = alone(variable)
        values = self.values(form)
        if not self.is_shared(form):  # most often
            free = values == variable.law.support
            tree = shared_noise(((variable.law, ONE),), values, ())
            return LiveNoise(tree, variable, (variable,), {} if free else {form: values})
        together = self._tied_to(form, values)
        tree, rest = seen_from(variable, self._complete(together))
        tied = sorted({noise for other in together for noise, _ in other}, key=lambda noise: noise.number)
        return None if rest else LiveNoise(tree, variable, tied, together)

    def forget_tied(self, variable: NoiseVariable) -> NoiseTree:
        """Removes and returns the conditions on a noise and on all that it is tied to, seen from it."""
        together = self._tied_to(alone(variable), self.values(alone(variable)))
        self.forget_all(together)
        self._forgotten.update(noise for form in together for noise in _noises(form))
        tree, rest = seen_from(variable, self._complete(together))
        self._values.update(rest)
        return tree

    def forget_form(self, form: Form) -> Piecewise:
        """The density of a form, times the probability of all that is tied to it; none of that counts any longer.

        The form is of continuous noises, in the order of their numbers, and its first coefficient is 1.
        """
        together = self._tied_to(form, self._values.get(form, EVERYTHING))
        self.forget_all(together)
        self.let_go([noise for other in together for noise in _noises(other)])
        density, rest = density_of_form(form, self._complete({**together, form: together[form]}))
        self._values.update(rest)
        return density

    def forget_sum(self, form: Form) -> Intervals | None:
        """The values that are known of a form, which counts no longer; None where more is known of its noises."""
        together = self._tied_to(form, self._values.get(form, EVERYTHING))
        if any(other != form and values != other[0][0].law.support for other, values in together.items()):
            return None
        self.forget_all(together)
        self.let_go(_noises(form))
        return together[form]

    def forget_star(self, variables: Sequence[NoiseVariable]) -> tuple[Piecewise, list[LeafOfStarGraph]] | None:
        """Removes and returns the conditions on noises that one centre ties; None where they are tied otherwise."""
        together: dict[Form, Intervals] = {}
        for variable in variables:
            together |= self._tied_to(alone(variable), self.values(alone(variable)))
        result = star_graph_of(variables, self._complete(together))
        self.forget_all(together)
        self.let_go([noise for form in together for noise in _noises(form)])
        return result

    def tied(self, noises: Iterable[NoiseVariable]) -> frozenset[NoiseVariable]:
        """The noises, and those that facts tie them to."""
        return frozenset(
            noise
            for variable in noises
            for form in self._tied_to(alone(variable), self.values(alone(variable)))
            for noise in _noises(form)
        )

    def let_go(self, noises: Iterable[NoiseVariable]) -> None:
        """Remember that noises are not to be returned again, nor what was tied to them."""
        self._forgotten.update(noises)

    def is_forgotten(self, variable: NoiseVariable) -> bool:
        """True where the noise was tied to one that has been forgotten."""
        return variable in self._forgotten

    def _tied_to(self, form: Form, values: Intervals) -> PathConditions:
        """The facts that share noise with a form, over other facts too, and the form among them."""
        return next(facts for facts in separated({**self._values, form: values}) if form in facts)

    def probability(self) -> Exact:
        """The joint probability of all that is known."""
        if self._has_shared:
            return joint_probability(self._complete(self._values))
        apart = [probability(form[0][0].law, values) for form, values in self._values.items()]  # as of most paths
        return apart[0] if len(apart) == 1 else product(apart)

    def possible(self, form: Form, choices: Iterable[Intervals]) -> Iterator[bool]:
        """For each of the choices True where all that is known can be true, and the form be one of its values."""
        if any(self._is_fresh(variable, form) for variable, _ in form):
            yield from (bool(values) for values in choices)
            return
        tied: PathConditions | None = None
        for values in choices:
            tied = self._tied_to(form, values) if tied is None else {**tied, form: values}
            complete = self._complete(tied)
            is_possible = can_be(complete)
            yield has_positive_probability(complete) if is_possible is None else is_possible

    def _is_fresh(self, variable: NoiseVariable, form: Form) -> bool:
        """True for a noise that takes every value, and of which nothing is known: so does a form that holds it."""
        any_value = variable.law.support == EVERYTHING and (not variable.law.discrete or is_difference(form))
        return any_value and not any(each is variable for other in self._values for each, _ in other)

    def _complete(self, facts: Mapping[Form, Intervals]) -> Mapping[Form, Intervals]:
        """With the bounds of noise that has some, and without facts that say nothing."""
        intervals = {form: values for form, values in facts.items() if not is_everything(values)}
        for form in [form for form in intervals if len(form) > 1]:
            for variable, _ in form:
                if variable.law.support != EVERYTHING:
                    intervals.setdefault(alone(variable), variable.law.support)
        return intervals


def alone(variable: NoiseVariable) -> Form:
    """The form that is the noise itself."""
    return ((variable, ONE),)


def _noises(form: Form) -> frozenset[NoiseVariable]:
    return frozenset(variable for variable, _ in form)


EQUALITIES: Final = ("==", "!=")


def is_continuous(value: NoiseValue) -> bool:
    """True where continuous noise is in a value: then it is equal to no number, but with probability 0.

    That is so whatever is known of it: a comparison never leaves a single point. What is the same form on both sides
    has no noise left, and is compared as a number: so `scores.index(max(scores))` finds it.
    """
    return not all(variable.law.discrete for variable, _ in value.parts)


def returned_twice(variable: NoiseVariable) -> InputError:
    """The error for an outcome that holds one noise twice."""
    return InputError(bad_mechanism.RETURNED_TWICE, variable, "it")


def returned_although_tied(variable: NoiseVariable) -> InputError:
    """The error for an outcome that holds two noises which comparisons tie to each other."""
    return InputError(bad_mechanism.RETURNED_BESIDE, variable)


PASSED_ON_ALTHOUGH_TIED: Final = (
    "a sub-mechanism returned noise which was compared with other noise; so far only a mechanism that no other one "
    "draws from returns such noise: clamp it, and it is a plain number"
)


def narrowed(values: Intervals, holds: Intervals, fails: Intervals) -> tuple[Intervals, Intervals]:
    """The values that are left of a noise after either answer; () for an answer that is impossible."""
    key = (id(values), id(holds), id(fails))
    known = _narrowed.get(key)
    if known is None:
        known = (values, holds, fails), (intersection(values, holds), intersection(values, fails))
        if not any(map(_depends_on_epsilon, known[0])):
            _keep(_narrowed, key, known)
    return known[1]


def _depends_on_epsilon(values: Intervals) -> bool:
    return any(isinstance(end, Exact) and end.symbol is not None for interval in values for end in interval)
