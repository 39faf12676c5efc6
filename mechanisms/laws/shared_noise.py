"""The joint probability of comparisons that share noise, by eliminating one noise after another.

What a path has been told is a set of facts Σ cᵢ·Nᵢ ∈ values. Where the noises and the facts that tie them together form
a tree, a noise that only one fact ties to the rest can be integrated, or summed, away: what is left of it is a function
of the next noise, piecewise polynomial times exponential. Noises that occur only as one and the same sum count as one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Final, NamedTuple, TypeVar

from flint import fmpq

from dpverify.mechanisms.exact import decision
from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    negative,
    product,
    rational,
    reciprocal_of_nonzero,
    total,
)
from dpverify.mechanisms.exact.exponential_polynomials import Piecewise, constant, convolution
from dpverify.mechanisms.exact.intervals import EVERYTHING, Interval, Intervals, intersection, multiplied, sums
from dpverify.mechanisms.laws.implied_facts import (
    Circle,
    Facts,
    Form,
    contradict,
    described,
    refuse_circle,
    without_implied,
)
from dpverify.mechanisms.laws.noise import NoiseLaw, probability
from dpverify.mechanisms.laws.noise_value import NoiseVariable
from dpverify.mechanisms.laws.sums_of_noise import SumForm, Summands, SumOfNoises, sums_as_one
from dpverify.mechanisms.laws.tied_gumbels import are_of_gumbels, probability_of_tree

_HALF: Final = rational(fmpq(1, 2))

_OFTEN: Final = 8
"""From how many thresholds on it pays to have the distribution function of a sum."""


def joint_probability(facts: Facts) -> Exact:
    """The probability that all of `facts` are true.

    The noises of a form are all discrete or all continuous. Raises `InputError` where facts tie the noises in a circle,
    or discrete noise otherwise than by sums and differences.
    """
    if all(len(form) == 1 for form in facts):
        return product(probability(form[0][0].law, values) for form, values in facts.items())
    return product(_probability_of_tied(part) for part in separated(facts))


_MOST_PIECES: Final = 64
"""How many intervals a set of possible values may fall into before the probability itself is computed."""


def has_positive_probability(facts: Facts) -> bool:
    """Whether `joint_probability` of the facts is positive, without it where that is known from values alone.

    It is where a point makes all facts true, not counting ends of intervals for continuous noise: the set of such
    points is open, and has positive density everywhere. Raises as `joint_probability` does.
    """
    if not _depends_on_epsilon(facts):
        try:
            trees = [_tree(part) for part in separated(facts)]
            return all(bool(tree.possible) for tree in trees)
        except (Circle, _TooManyPieces):
            pass
    return decision.sign(joint_probability(facts)) > 0


def _depends_on_epsilon(facts: Facts) -> bool:
    """Whether a symbolic ε is in the facts: which of two ends is greater may depend on it where no probability does."""
    ends = (end for values in facts.values() for interval in values for end in interval)
    factors = (coefficient for form in facts for _, coefficient in form)
    laws = (noise.law for form in facts for noise, _ in form)
    bounds = (end for law in laws for interval in law.support for end in interval)
    return any(isinstance(number, Exact) and number.symbol is not None for number in (*ends, *factors, *bounds))


class _TooManyPieces(Exception):
    """A set of possible values falls into so many intervals that it is not worth while."""


def _few(values: Intervals) -> Intervals:
    if len(values) > _MOST_PIECES:
        raise _TooManyPieces
    return values


def seen_from(variable: NoiseVariable, facts: Facts) -> tuple[NoiseTree, Facts]:
    """What is tied to the variable as a tree with it as its root, whose density is that of it and of those facts.

    The second part are facts that turn out not to be tied to it, once implied ones are dropped. Raises as
    `joint_probability` does.
    """
    itself: Form = ((variable, ONE),)
    told = {itself: EVERYTHING, **facts}
    groups = separated(told)
    tied = next(group for group in groups if itself in group)
    rest = {form: values for group in groups if group is not tied for form, values in group.items()}
    try:
        return _tree(tied, variable), rest
    except Circle as circle:
        fewer = without_implied(tied)
        if fewer == tied:
            raise InputError(str(circle)) from None
        tree, others = seen_from(variable, fewer)
        return tree, {**rest, **others}


def density_of_form(form: Form, facts: Facts) -> tuple[Piecewise, Facts]:
    """X ↦ the density of a form of continuous noises at x, times the probability of all facts that are tied to it.

    The second part are facts that turn out not to be tied to it. Raises as `joint_probability` does.
    """
    told = {form: EVERYTHING, **facts}
    groups = separated(told)
    tied = next(group for group in groups if form in group)
    rest = {other: values for group in groups if group is not tied for other, values in group.items()}
    try:
        return _density_of_form(form, tied), rest
    except Circle as circle:
        fewer = without_implied(tied)
        if fewer == tied:
            raise InputError(str(circle)) from None
        density, others = density_of_form(form, fewer)
        return density, {**rest, **others}


def _density_of_form(form: Form, facts: Facts) -> Piecewise:
    told = _without_supports(facts, form[0][0] if len(form) == 1 else None)
    tied = _Tied(told)
    merged = list(tied.merged)[list(told).index(form)]
    if len(merged) > 1:
        return tied.sum_of_all(merged).density_of_itself
    ((shared, coefficient),) = merged
    return _multiple(tied.noise(shared, None).density, coefficient)


class ArmOfStar(NamedTuple):
    """A noise N that facts tie to a hub T: slope·N + shift bounds T, from above where `is_above_hub`."""

    density: Piecewise
    slope: Exact
    shift: Exact
    is_above_hub: bool


def star_of(variables: Sequence[NoiseVariable], facts: Facts) -> tuple[Piecewise, list[ArmOfStar]] | None:
    """Noises that facts tie to one and the same hub: its density, with all that hangs from it, and theirs.

    None where they are tied in another way. Raises as `joint_probability` does.
    """
    told: dict[Form, Intervals] = {((variable, ONE),): EVERYTHING for variable in variables}
    told.update(facts)
    try:
        tied = _Tied(told)
    except Circle as circle:
        fewer = without_implied(told)
        if fewer == told:
            raise InputError(str(circle)) from None
        return star_of(variables, fewer)
    return tied.star(variables)


def separated(facts: Facts) -> list[Facts]:
    """The facts in groups that share no noise with each other."""
    groups: list[tuple[set[NoiseVariable], dict[Form, Intervals]]] = []
    for form, values in facts.items():
        noises = {noise for noise, _ in form}
        merged = (noises, {form: values})
        apart = []
        for group in groups:
            if group[0].isdisjoint(noises):
                apart.append(group)
            else:
                merged = (merged[0] | group[0], {**group[1], **merged[1]})
        groups = [*apart, merged]
    return [group for _, group in groups]


def _probability_of_tied(facts: Facts) -> Exact:
    if len(facts) == 1:
        ((form, values),) = facts.items()
        if len(form) == 1:
            return probability(form[0][0].law, values)
    try:
        return _mass(facts)
    except Circle as circle:
        if contradict(facts):
            return ZERO
        fewer = without_implied(facts)
        if fewer != facts:
            return joint_probability(fewer)
        cases = _cases(facts)
        if len(cases) == 1:
            raise InputError(str(circle)) from None
        return total(map(joint_probability, cases))


def _mass(facts: Facts) -> Exact:
    if are_of_gumbels(facts):
        refuse_circle(facts, len({variable for form in facts for variable, _ in form}), facts)
        return probability_of_tree(facts)
    return _tree(facts).mass


def _cases(facts: Facts) -> list[Facts]:
    """The facts, split by the intervals of one that ties noises: noises that differ are above or below each other."""
    several = next((form for form, values in facts.items() if len(form) > 1 and len(values) > 1), None)
    return [facts] if several is None else [{**facts, several: (interval,)} for interval in facts[several]]


# --- The tree: noises tied by facts, as shared immutable structure, so that what is alike is eliminated once.


@dataclass(frozen=True, eq=False)
class _Fact:
    """coefficient·parent + Σ coefficient·child ∈ values."""

    serial: int
    coefficient: Exact
    values: Intervals
    children: tuple[tuple[Exact, NoiseTree], ...]

    @property
    def is_discrete(self) -> bool:
        """Whether it is about whole numbers."""
        return self.children[0][1].summands[0][0].discrete

    @cached_property
    def density_of_children(self) -> Piecewise:
        """The density of Σ coefficient·child."""
        first, *others = (_multiple(child.density, coefficient) for coefficient, child in self.children)
        for other in others:
            first = convolution(first, other)
        return first

    @cached_property
    def density_of_itself(self) -> Piecewise:
        """The density of Σ coefficient·child where it is one of the values."""
        density = self.density_of_children
        return density if self.values == EVERYTHING else density.within(self.values)

    @cached_property
    def possible(self) -> Intervals:
        """The parent's values for which some values of the children make the fact true, and all that hangs from them.

        As those of a tree, they are whole numbers, or make up an open set but for the ends of intervals.
        """
        left = self.values
        for coefficient, child in self.children:
            left = _few(sums(left, multiplied(child.possible, negative(coefficient))))
        return multiplied(left, reciprocal_of_nonzero(self.coefficient))

    @cached_property
    def function(self) -> Piecewise:
        """The parent's value ↦ the mass of the children for which the fact is true."""
        density = self.density_of_children
        below = density.cumulative
        slope = negative(self.coefficient)
        parts = [_between(density, below, interval, slope) for interval in self.values]
        return parts[0] if len(parts) == 1 else _sum(parts)


@dataclass(frozen=True, eq=False)
class NoiseTree:
    """Noises that count as one, the values that it is known to take, and the facts that hang from it."""

    serial: int
    summands: Summands
    values: Intervals
    facts: tuple[_Fact, ...]

    @cached_property
    def possible(self) -> Intervals:
        """The values with positive density, or probability; apart from ends of intervals."""
        if self.facts:
            rest = _noise(self.summands, self.values, self.facts[:-1]).possible
            return _few(intersection(rest, self.facts[-1].possible))
        found, *others = (multiplied(possible_values(law), coefficient) for law, coefficient in self.summands)
        for other in others:
            found = sums(found, other)
        return _few(intersection(found, self.values))

    @cached_property
    def mass(self) -> Exact:
        """The probability of all that is known of it and of what hangs from it."""
        if self.facts and not self.facts[-1].is_discrete:
            last = self.facts[-1]
            base = _noise(self.summands, self.values, self.facts[:-1])
            below = base.below_sum_with(last)
            if below is not None:
                return total(below.between(low, high) for low, high in last.values)
        return self.density.mass

    def below_sum_with(self, fact: _Fact) -> Piecewise | None:
        """T ↦ the mass where coefficient·noise + Σ children of the fact < t; None until it has been asked for often.

        It serves all facts that differ in their values alone, where making it pays: thresholds that run over many gaps.
        """
        key = (fact.coefficient, fact.children)
        asked = self.asked[key] = self.asked.get(key, 0) + 1
        if asked <= _OFTEN:
            return None
        if key not in self.sums:
            sums = _multiple(self.density, fact.coefficient)
            self.sums[key] = convolution(sums, fact.density_of_children).cumulative
        return self.sums[key]

    @cached_property
    def asked(self) -> dict[Hashable, int]:
        """How often `below_sum_with` was asked for."""
        return {}

    @cached_property
    def sums(self) -> dict[Hashable, Piecewise]:
        """What `below_sum_with` has found."""
        return {}

    @cached_property
    def density(self) -> Piecewise:
        """X ↦ its density or probability at x, times the probability of all that hangs from it."""
        if self.facts:  # the same with one fact less is often wanted as well
            return _noise(self.summands, self.values, self.facts[:-1]).density.times(self.facts[-1].function)
        if self.values != EVERYTHING:
            return _noise(self.summands, EVERYTHING, ()).density.within(self.values)
        *others, (law, coefficient) = self.summands
        own = _multiple(density_of(law), coefficient)
        return convolution(_noise(tuple(others), EVERYTHING, ()).density, own) if others else own


_Shared = TypeVar("_Shared", _Fact, NoiseTree)
_known: dict[Hashable, _Fact | NoiseTree] = {}
_MOST_KNOWN: Final = 1 << 16
_serials = count()


def forget_all() -> None:
    """Forget what has been eliminated: numbers come out as before, only later."""
    _known.clear()


def _shared(kind: Callable[..., _Shared], *parts: Hashable) -> _Shared:
    key = (kind, parts)
    found = _known.get(key)
    if found is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        found = _known[key] = kind(next(_serials), *parts)
    return found  # type: ignore[return-value]  # the key says of which kind it is


def _fact(coefficient: Exact, values: Intervals, children: Iterable[tuple[Exact, NoiseTree]]) -> _Fact:
    return _shared(
        _Fact, coefficient, values, tuple(sorted(children, key=lambda child: (child[1].serial, child[0].serial)))
    )


def _noise(summands: Summands, values: Intervals, facts: Iterable[_Fact]) -> NoiseTree:
    return _shared(NoiseTree, summands, values, tuple(sorted(facts, key=lambda fact: fact.serial)))


# --- From facts to the tree.


def _tree(facts: Facts, root: NoiseVariable | None = None) -> NoiseTree:
    """The tree of facts that are tied to each other, rooted at the noise that most facts are about, or at `root`.

    A root that is given has a fact of its own, so that it does not count as one with others.
    """
    tied = _Tied(_without_supports(facts, root))
    if root is not None:
        return tied.noise(next(form[0][0] for form in tied.merged if len(form) == 1 and form[0][0].lead is root), None)
    return tied.noise(max(tied.about, key=lambda variable: len(tied.about[variable])), None)


class _Tied:
    """Facts that are tied to each other in the shape of a tree, before a root is chosen."""

    def __init__(self, facts: Facts) -> None:
        _refuse_multiples(facts)
        self.merged = sums_as_one(facts)
        self._alone = {form[0][0]: values for form, values in self.merged.items() if len(form) == 1}
        self._tying = {form: values for form, values in self.merged.items() if len(form) > 1}
        self.about: dict[SumOfNoises, list[SumForm]] = {}
        for form in self.merged:
            for variable, _ in form:
                self.about.setdefault(variable, []).extend([form] if len(form) > 1 else [])
        refuse_circle(self._tying, len(self.about), facts)

    def noise(self, variable: SumOfNoises, above: SumForm | None) -> NoiseTree:
        """The tree below a noise, seen from the fact `above` it."""
        hanging = [self._fact(form, variable) for form in self.about[variable] if form is not above]
        return _noise(variable.summands, self._alone.get(variable, EVERYTHING), hanging)

    def _fact(self, form: SumForm, parent: SumOfNoises) -> _Fact:
        coefficient = next(c for variable, c in form if variable is parent)
        return _fact(coefficient, self._tying[form], self._children(form, parent))

    def _children(self, form: SumForm, parent: SumOfNoises | None) -> list[tuple[Exact, NoiseTree]]:
        return [(c, self.noise(variable, form)) for variable, c in form if variable is not parent]

    def star(self, variables: Sequence[NoiseVariable]) -> tuple[Piecewise, list[ArmOfStar]] | None:
        """See `star_of`."""
        ends = [next(end for end in self.about if end.lead is variable) for variable in variables]
        hubs = set.intersection(*({other for form in self.about[end] for other, _ in form} for end in ends)) - {*ends}
        if len(hubs) != 1:
            return None
        (hub,) = hubs
        ties = [next(form for form in self.about[end] if any(other is hub for other, _ in form)) for end in ends]
        arms = [self._arm(form, end, hub) for form, end in zip(ties, ends, strict=True)]
        found = [arm for arm in arms if arm is not None]
        if len(found) < len(arms) or len(set(ties)) < len(ties):
            return None
        rest = [self._fact(form, hub) for form in self.about[hub] if form not in ties]
        return _noise(hub.summands, self._alone.get(hub, EVERYTHING), rest).density, found

    def _arm(self, form: SumForm, end: SumOfNoises, hub: SumOfNoises) -> ArmOfStar | None:
        if len(form) != 2 or len(self._tying[form]) != 1:
            return None
        coefficients = dict(form)
        c, d = coefficients[end], coefficients[hub]
        ((low, high),) = self._tying[form]
        if (low is None) == (high is None):
            return None
        side = low if high is None else high
        assert isinstance(side, Exact), "continuous noise has exact ends"
        # c·N + d·T ≥ low says T ≤ (low - c·N)/d where d < 0
        is_above = (decision.sign(d) < 0) == (high is None)
        return ArmOfStar(self.noise(end, form).density, negative(c / d), side / d, is_above)

    def sum_of_all(self, form: SumForm) -> _Fact:
        """The noises of one of the facts, and what hangs from them, as the children of nobody."""
        return _fact(ONE, self._tying[form], self._children(form, None))


def _without_supports(facts: Facts, root: NoiseVariable | None) -> Facts:
    """The facts without those that their noise has by its law, which would keep it from counting as one with others."""
    told = {
        form: values
        for form, values in facts.items()
        if len(form) > 1 or form[0][0] is root or values != possible_values(form[0][0].law)
    }
    return told or facts


def _refuse_multiples(facts: Facts) -> None:
    if any(variable.law.discrete and abs(c) != 1 for form in facts for variable, c in form):
        raise InputError(
            f"discrete noise is compared with a multiple of another one: {described(facts)}; so far sums and "
            "differences of discrete noises are supported"
        )


# --- Functions of one noise.


def possible_values(law: NoiseLaw) -> Intervals:
    """What a noise may be before anything is known of it."""
    return law.support


def density_of(law: NoiseLaw) -> Piecewise:
    """X ↦ the density of a continuous law at x, or the probability of the whole number x."""
    return law.density


def _multiple(density: Piecewise, coefficient: Exact) -> Piecewise:
    """The density of coefficient·N."""
    if coefficient is ONE:
        return density
    inverse = reciprocal_of_nonzero(coefficient)
    moved = density.composed(inverse, 0)
    return moved if density.discrete else moved.scaled(abs(inverse))


def _between(density: Piecewise, below: Piecewise, interval: Interval, slope: Exact) -> Piecewise:
    """Y ↦ the mass at low + slope·y ≤ x < high + slope·y."""
    low, high = interval
    upper = _flat(density, density.mass) if high is None else below.composed(slope, high)
    return upper if low is None else upper.plus(below.composed(slope, low).scaled(negative(ONE)))


def _flat(like: Piecewise, value: Exact) -> Piecewise:
    return Piecewise(like.discrete, (), (constant(value),))


def _sum(parts: Sequence[Piecewise]) -> Piecewise:
    result = parts[0]
    for part in parts[1:]:
        result = result.plus(part)
    return result
