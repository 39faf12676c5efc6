"""The joint probability of comparisons that share noise, by eliminating one noise after another.

What a path has been told is a set of facts Σ cᵢ·Nᵢ ∈ values. Where the noises and the facts that tie them together form
a tree, a noise that only one fact ties to the rest can be integrated, or summed, away: what is left of it is a function
of the next noise, piecewise polynomial times exponential. Noises that occur only as one and the same sum count as one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from dpverify.mechanisms.noise.law import probability
from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, product, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Intervals
from dpverify.mechanisms.path_conditions.certified_forms import are_certified, probability_of_tied
from dpverify.mechanisms.path_conditions.cycles import probability_of_cycle
from dpverify.mechanisms.path_conditions.implied_conditions import (
    ConditionCycle,
    Form,
    PathConditions,
    contradict,
    refuse_cycle,
    without_implied,
)
from dpverify.mechanisms.path_conditions.noise_tree import NoiseTree, TooManyPieces, multiple
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable
from dpverify.mechanisms.path_conditions.tied_conditions import (
    LeafOfStarGraph,
    TiedConditions,
    tied_tree,
    without_supports,
)
from dpverify.mechanisms.path_conditions.tied_gumbels import are_of_gumbels, probability_of_tree


def joint_probability(facts: PathConditions) -> Exact:
    """The probability that all of `facts` are true.

    The noises of a form are all discrete or all continuous. Raises `InputError` where facts tie the noises in a circle,
    or discrete noise otherwise than by sums and differences.
    """
    if all(len(form) == 1 for form in facts):
        return product(probability(form[0][0].law, values) for form, values in facts.items())
    return product(_probability_of_tied(part) for part in separated(facts))


def has_positive_probability(facts: PathConditions) -> bool:
    """True where `joint_probability` of the facts is positive, without it where that is known from values alone.

    It is where a point makes all facts true, not counting ends of intervals for continuous noise: the set of such
    points is open, and has positive density everywhere. Raises as `joint_probability` does.
    """
    if not depends_on_epsilon(facts):
        try:
            trees = [tied_tree(part) for part in separated(facts)]
            return all(bool(tree.possible) for tree in trees)
        except (ConditionCycle, TooManyPieces):
            pass
    return decision.sign(joint_probability(facts)) > 0


def depends_on_epsilon(facts: PathConditions) -> bool:
    """True if a symbolic ε is in the facts: which of two ends is greater may depend on it where no probability does."""
    ends = (end for values in facts.values() for interval in values for end in interval)
    factors = (coefficient for form in facts for _, coefficient in form)
    laws = (noise.law for form in facts for noise, _ in form)
    bounds = (end for law in laws for interval in law.support for end in interval)
    return any(isinstance(number, Exact) and number.symbol is not None for number in (*ends, *factors, *bounds))


def seen_from(variable: NoiseVariable, facts: PathConditions) -> tuple[NoiseTree, PathConditions]:
    """The tree tied to the variable, with it as its root, whose density is that of it and of those path conditions.

    The second part are facts that turn out not to be tied to it, once implied ones are dropped. Raises as
    `joint_probability` does.
    """
    return _of_tied(((variable, ONE),), facts, lambda tied: tied_tree(tied, variable))


def density_of_form(form: Form, facts: PathConditions) -> tuple[Piecewise, PathConditions]:
    """x ↦ the density of a form of continuous noises at x, times the probability of all facts that are tied to it.

    The second part are facts that turn out not to be tied to it. Raises as `joint_probability` does.
    """
    return _of_tied(form, facts, lambda tied: _density_of_form(form, tied))


_Found = TypeVar("_Found")


def _of_tied(
    form: Form, facts: PathConditions, find: Callable[[PathConditions], _Found]
) -> tuple[_Found, PathConditions]:
    """Result of the path conditions that are tied to a form, and those that are not, implied ones being dropped."""
    told = {form: EVERYTHING, **facts}
    groups = separated(told)
    tied = next(group for group in groups if form in group)
    rest = {other: values for group in groups if group is not tied for other, values in group.items()}
    try:
        return find(tied), rest
    except ConditionCycle as circle:
        fewer = without_implied(tied)
        if fewer == tied:
            raise InputError(str(circle)) from None
        result, others = _of_tied(form, fewer, find)
        return result, {**rest, **others}


def _density_of_form(form: Form, facts: PathConditions) -> Piecewise:
    told = without_supports(facts, form[0][0] if len(form) == 1 else None)
    tied = TiedConditions(told)
    merged = list(tied.merged)[list(told).index(form)]
    if len(merged) > 1:
        return tied.sum_of_all(merged).density_of_itself
    ((shared, coefficient),) = merged
    return multiple(tied.noise(shared, None).density, coefficient)


def star_graph_of(
    variables: Sequence[NoiseVariable], facts: PathConditions
) -> tuple[Piecewise, list[LeafOfStarGraph]] | None:
    """Noises that facts tie to one and the same hub: its density, with all that hangs from it, and theirs.

    None where they are tied in another way. Raises as `joint_probability` does.
    """
    intervals: dict[Form, Intervals] = {((variable, ONE),): EVERYTHING for variable in variables}
    intervals.update(facts)
    try:
        tied = TiedConditions(intervals)
    except ConditionCycle as circle:
        fewer = without_implied(intervals)
        if fewer == intervals:
            raise InputError(str(circle)) from None
        return star_graph_of(variables, fewer)
    return tied.star(variables)


def separated(facts: PathConditions) -> list[PathConditions]:
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


def _probability_of_tied(facts: PathConditions) -> Exact:
    if len(facts) == 1:
        ((form, values),) = facts.items()
        if len(form) == 1:
            return probability(form[0][0].law, values)
    try:
        return _mass(facts)
    except ConditionCycle as circle:
        if contradict(facts):
            return ZERO
        fewer = without_implied(facts)
        if fewer != facts:
            return joint_probability(fewer)
        cases = _cases(facts)
        if len(cases) == 1:
            number = probability_of_cycle(facts, joint_probability)
            if number is None:
                raise InputError(str(circle)) from None
            return number
        return total(map(joint_probability, cases))


def _mass(facts: PathConditions) -> Exact:
    if are_certified(facts):
        return probability_of_tied(facts)
    if are_of_gumbels(facts):
        refuse_cycle(facts, len({variable for form in facts for variable, _ in form}), facts)
        return probability_of_tree(facts)
    return tied_tree(facts).mass


def _cases(facts: PathConditions) -> list[PathConditions]:
    """The facts, split by the intervals of one that ties noises: noises that differ are above or below each other."""
    several = next((form for form, values in facts.items() if len(form) > 1 and len(values) > 1), None)
    return [facts] if several is None else [{**facts, several: (interval,)} for interval in facts[several]]
