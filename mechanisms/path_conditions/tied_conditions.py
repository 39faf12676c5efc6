"""From facts that tie noises to each other to the tree by which they are eliminated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, negative
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING
from dpverify.mechanisms.path_conditions.implied_conditions import PathConditions, described, refuse_cycle
from dpverify.mechanisms.path_conditions.noise_tree import (
    NoiseTree,
    PathCondition,
    made_once,
    shared_condition,
    shared_noise,
)
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable
from dpverify.mechanisms.path_conditions.sums_of_noise import SumForm, SumOfNoises, sums_as_one


class LeafOfStarGraph(NamedTuple):
    """A noise N that facts tie to a hub T: slope·N + shift bounds T, from above where `is_above_hub`."""

    density: Piecewise
    slope: Exact
    shift: Exact
    is_above_hub: bool


def tied_tree(facts: PathConditions, root: NoiseVariable | None = None) -> NoiseTree:
    """The tree of facts that are tied to each other, rooted at the noise that most facts are about, or at `root`.

    A root that is given has a fact of its own, so that it does not count as one with others.
    """
    numbers = dict[NoiseVariable, int]()
    forms = []
    for form, values in facts.items():
        forms.append((tuple([(numbers.setdefault(each, len(numbers)), c.serial) for each, c in form]), values))
    key = tuple(forms), tuple([variable.law for variable in numbers]), root and numbers[root]
    return made_once(key, lambda: _tied_tree(facts, root))


def _tied_tree(facts: PathConditions, root: NoiseVariable | None) -> NoiseTree:
    tied = TiedConditions(without_supports(facts, root))
    if root is not None:
        return tied.noise(next(form[0][0] for form in tied.merged if len(form) == 1 and form[0][0].lead is root), None)
    return tied.noise(max(tied.about, key=lambda variable: len(tied.about[variable])), None)


class TiedConditions:
    """Facts that are tied to each other in the shape of a tree, before a root is chosen."""

    def __init__(self, facts: PathConditions) -> None:
        _refuse_multiples(facts)
        self.merged = sums_as_one(facts)
        self._alone = {form[0][0]: values for form, values in self.merged.items() if len(form) == 1}
        self._tying = {form: values for form, values in self.merged.items() if len(form) > 1}
        self.about: dict[SumOfNoises, list[SumForm]] = {}
        for form in self.merged:
            for variable, _ in form:
                self.about.setdefault(variable, []).extend([form] if len(form) > 1 else [])
        refuse_cycle(self._tying, len(self.about), facts)

    def noise(self, variable: SumOfNoises, above: SumForm | None) -> NoiseTree:
        """The tree below a noise, seen from the fact `above` it."""
        hanging = [self._fact(form, variable) for form in self.about[variable] if form is not above]
        return shared_noise(variable.summands, self._alone.get(variable, EVERYTHING), hanging)

    def _fact(self, form: SumForm, parent: SumOfNoises) -> PathCondition:
        coefficient = next(c for variable, c in form if variable is parent)
        return shared_condition(coefficient, self._tying[form], self._children(form, parent))

    def _children(self, form: SumForm, parent: SumOfNoises | None) -> list[tuple[Exact, NoiseTree]]:
        return [(c, self.noise(variable, form)) for variable, c in form if variable is not parent]

    def star(self, variables: Sequence[NoiseVariable]) -> tuple[Piecewise, list[LeafOfStarGraph]] | None:
        """See `star_graph_of`."""
        ends = [next(end for end in self.about if end.lead is variable) for variable in variables]
        hubs = set.intersection(*({other for form in self.about[end] for other, _ in form} for end in ends)) - {*ends}
        if len(hubs) != 1:
            return None
        (hub,) = hubs
        ties = [next(form for form in self.about[end] if any(other is hub for other, _ in form)) for end in ends]
        arms = [self._arm(form, end, hub) for form, end in zip(ties, ends, strict=True)]
        results = [arm for arm in arms if arm is not None]
        if len(results) < len(arms) or len(set(ties)) < len(ties):
            return None
        rest = [self._fact(form, hub) for form in self.about[hub] if form not in ties]
        return shared_noise(hub.summands, self._alone.get(hub, EVERYTHING), rest).density, results

    def _arm(self, form: SumForm, end: SumOfNoises, hub: SumOfNoises) -> LeafOfStarGraph | None:
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
        return LeafOfStarGraph(self.noise(end, form).density, negative(c / d), side / d, is_above)

    def sum_of_all(self, form: SumForm) -> PathCondition:
        """The noises of one of the facts, and what hangs from them, as the children of nobody."""
        return shared_condition(ONE, self._tying[form], self._children(form, None))


def without_supports(facts: PathConditions, root: NoiseVariable | None) -> PathConditions:
    """The facts without those that their noise has by its law, which would keep it from counting as one with others."""
    told = {
        form: values
        for form, values in facts.items()
        if len(form) > 1 or form[0][0] is root or values != form[0][0].law.support
    }
    return told or facts


def _refuse_multiples(facts: PathConditions) -> None:
    if any(variable.law.discrete and abs(c) != 1 for form in facts for variable, c in form):
        raise InputError(
            bad_mechanism.MULTIPLE_OF_DISCRETE, "compared with a multiple of another one", described(facts)
        )
