"""The finer release: where the law of what is returned has no closed form, the noises themselves, and a label.

A path has drawn noises, has compared some of them, and returns an expression of some. Its *leaves* are one number a
noise, constant + noise; its *label* is the expression over the leaves, with the constants that are left and their
types, and the path's conditions that are about leaves alone. Leaves and label decide the outcome, whatever is done with
them, if nothing else is seen: so what holds of the privacy of both together holds of the outcome.

Conditions about leaves alone are part of the label, and the law leaves them out of its probabilities: its regions are
measured as if they were everything. Its masses may add up to more than 1 then, so that an excess is bounded from above.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from operator import is_
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

from dpverify.mechanisms.comparing.comparisons import Knowledge, alone
from dpverify.mechanisms.finer_releases.finer_labels import (
    WHERE,
    Condition,
    Label,
    LeafSum,
    NumberBeside,
    Of,
    PlainConstant,
    Then,
)
from dpverify.mechanisms.finer_releases.leaf_constants import as_formed, constants_of_rounded, solved_constants
from dpverify.mechanisms.finer_releases.seen_by_value import seen_by_value
from dpverify.mechanisms.functions.outcomes import is_plain, refuse_outcome
from dpverify.mechanisms.functions.parts import IndependentPart
from dpverify.mechanisms.functions.post_processing import PostProcessed
from dpverify.mechanisms.numbers.errors import NoClosedForm, Place, Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, as_parameter, exact, negative, product, total
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Intervals
from dpverify.mechanisms.path_conditions.expressions import (
    Applied,
    DerivedNumber,
    Linear,
    Node,
    Noisy,
    Plain,
    linear_in,
)
from dpverify.mechanisms.path_conditions.implied_conditions import Form
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue, Observer, without_noise
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable


class Leaves(NamedTuple):
    """A choice of the leaves; each choice is sound, and one may need a smaller ε than another.

    With `solved`, their constants are such that sums of noises keep none, and not those with which they were first
    formed. With `by_region`, what is known of a single leaf is part of the label as well. With `cut_apart` it is left
    out of the law besides, and each noise that was cut is a leaf, so that what a cut leaves is the noise itself. With
    `all_drawn` each noise that the path has drawn is a leaf, also one that is only compared; what is rounded is then an
    expression of the leaf that it was, and no noise of its own.
    """

    solved: bool = False
    by_region: bool = True
    cut_apart: bool = False
    all_drawn: bool = False


AS_FORMED: Final = Leaves()

CHOICES: Final = (
    AS_FORMED,
    Leaves(by_region=False),
    Leaves(solved=True),
    Leaves(solved=True, by_region=False),
    Leaves(cut_apart=True),
    Leaves(all_drawn=True),
)
"""The choices of leaves, in the order in which they are tried."""


# --- What has a law in closed form, and what has none

SIGNS: Final = frozenset({-1, 0, 1})


def has_a_law(outcome: Any) -> bool:
    """True where an outcome holds no more than sums of noises, and no function that is to be applied."""
    if isinstance(outcome, PostProcessed):
        return outcome.then is None and has_a_law(outcome.value)
    if isinstance(outcome, tuple):
        return all(map(has_a_law, outcome))
    return not isinstance(outcome, DerivedNumber)


def refuse_rounds_with_noise() -> NoReturn:
    """Raises `Undecided` for noise that is drawn until it is accepted: leaves are not told from what is known of it."""
    raise Undecided(not_known.ROUNDS_OF_NOISE)


def refuse_without_a_law(outcome: Any) -> None:
    """Raises `NoClosedForm` for an outcome that `has_a_law` says has none."""
    if isinstance(outcome, PostProcessed):
        if outcome.then is not None:
            released = NoClosedForm(not_known.NO_CLOSED_FORM, "released what is post-processed by `then`")
            released.place = outcome.place
            raise released
        refuse_without_a_law(outcome.value)
    elif isinstance(outcome, tuple):
        for part in outcome:
            refuse_without_a_law(part)
    elif isinstance(outcome, DerivedNumber):
        error = NoClosedForm(not_known.NO_CLOSED_FORM, f"returned {outcome.described()}")
        error.place = outcome.place
        raise error


def key_of_node(node: Node) -> Hashable:
    """The key that one expression has in common in two runs: the numbers of its noises, and not the objects."""
    if isinstance(node, Linear):
        return tuple((variable.number, variable.law, c.serial) for variable, c in node.parts), node.shift.serial
    if isinstance(node, Plain):
        return node.kind, node.number.serial
    return node.operator, tuple(map(key_of_node, node.operands))


def passed_on(outcome: Any, observer: Observer) -> Any:
    """The outcome that a call returns to another one, whose noise its own becomes."""
    if isinstance(outcome, PostProcessed):
        return PostProcessed(observer, passed_on(outcome.value, observer), outcome.then, outcome.place)
    if isinstance(outcome, tuple) and not is_plain(outcome):
        parts = [passed_on(part, observer) for part in outcome]
        return outcome if all(map(is_, parts, outcome)) else tuple(parts)
    if isinstance(outcome, DerivedNumber):
        return DerivedNumber(observer, outcome.of, outcome.place)
    return without_noise(outcome, lambda value: NoiseValue(observer, value.parts, value.shift))


# --- From a path to its label and leaves


_Told: TypeAlias = Mapping[Hashable, tuple[Node, frozenset[int]]]
"""Conditions of a path on expressions: by a key of each, the signs that it may have."""


class Finer(NamedTuple):
    """A path as it is released: its label, its leaves and its parts, and whether conditions were left out."""

    outcome: tuple[Any, ...]
    leaves: frozenset[NoiseVariable]
    knowledge: Knowledge
    is_bounded: bool


class PathAnswers(NamedTuple):
    """The answers that a path has to questions of its noises and of expressions, and the leaves that it has rounded."""

    knowledge: Knowledge
    told: _Told
    rounded: Mapping[NoiseVariable, Linear]
    """The noise that stands for ⌊c·noise + s⌋ → c·noise + s, in the order in which they were rounded."""


def finer_release(
    outcome: Any, observer: Observer, answers: PathAnswers, choice: Leaves, known: Iterable[NoiseVariable] = ()
) -> Finer:
    """The leaves and the label of what a path of `observer` returns, with what is still known of hidden noise.

    `known` are noises that are released besides. Raises `InputError` for what no law can hold.
    """
    parts: list[IndependentPart] = []
    expression = _opened(outcome, parts)
    told, rounded = answers.told, answers.rounded
    nodes = [*_nodes_in(expression), *(node for node, _ in told.values())]
    sums = [linear for node in nodes for linear in linear_in(node)]
    left = answers.knowledge.copy()
    cut = left.cut if choice.cut_apart else ()
    leaves = sorted(
        {*known, *cut, *(variable for linear in sums for variable, _ in linear.parts)} - rounded.keys(),
        key=lambda variable: variable.number,
    )
    ties = left.about_alone([*leaves, *rounded])
    as_compared = choice.cut_apart or choice.all_drawn
    centres = solved_constants(sums, leaves) if choice.solved else as_formed(sums, leaves, as_compared=as_compared)
    centres |= constants_of_rounded(rounded, centres)
    naming = _Naming({variable: i for i, variable in enumerate([*leaves, *rounded])}, centres, rounded)
    conditions = [Condition(naming.form(form), naming.values(form, values)) for form, values in ties.items()]
    conditions += [Condition(naming.told(node), tuple(sorted(signs))) for node, signs in told.values()]
    is_bounded = bool(conditions)
    if choice.by_region:
        for leaf in leaves:
            values = left.values(alone(leaf))
            if values not in (EVERYTHING, leaf.law.support):
                conditions.append(Condition(naming.form(alone(leaf)), naming.values(alone(leaf), values)))
                if choice.cut_apart and not left.is_shared(alone(leaf)):
                    left.forget(leaf)
                    is_bounded = True
    for variable in rounded:
        values = left.forget(variable)
        if values != variable.law.support:
            conditions.append(Condition(naming.form(alone(variable)), naming.values(alone(variable), values)))
            is_bounded = True
    label = Label(naming.defined(naming.expression(expression), rounded), frozenset(conditions))
    numbers = tuple(NoiseValue(observer, ((leaf, ONE),), centres[leaf]) for leaf in leaves)
    return Finer((label, *numbers, *parts), frozenset(leaves), left, is_bounded)


@dataclass(frozen=True)
class _Thens:
    """A release that is post-processed, and the function that does it."""

    then: Any
    value: Any
    place: Place | None


def _opened(outcome: Any, parts: list[IndependentPart]) -> Any:
    """The outcome with its noise as nodes, its independent parts as their numbers, and all else as constants."""
    if isinstance(outcome, Noisy):
        if outcome.parts or not isinstance(outcome, NoiseValue):
            return outcome.node
        return PlainConstant(as_parameter(outcome.shift))
    if isinstance(outcome, PostProcessed):
        inner = _opened(outcome.value, parts)
        return inner if outcome.then is None else _Thens(outcome.then, inner, outcome.place)
    if isinstance(outcome, IndependentPart):
        parts.append(outcome)
        return Of("part", (len(parts),))
    if type(outcome) is tuple or (isinstance(outcome, tuple) and _is_opened(outcome)):
        return Of("tuple", tuple(_opened(part, parts) for part in outcome))
    refuse_outcome(outcome)
    return PlainConstant(outcome)


def _is_opened(outcome: Any) -> bool:
    """True if something in an outcome is not known yet: a tuple of a class of its own with such becomes a plain one."""
    if isinstance(outcome, tuple):
        return any(map(_is_opened, outcome))
    return isinstance(outcome, Noisy | PostProcessed | IndependentPart)


def _nodes_in(expression: Any) -> list[Node]:
    if isinstance(expression, Linear | Plain | Applied):
        return [expression]
    if isinstance(expression, _Thens):
        return _nodes_in(expression.value)
    if isinstance(expression, Of):
        return [node for part in expression.operands for node in _nodes_in(part)]
    return []


class _Naming:
    """Puts leaves, by their numbers, in the place of noises."""

    def __init__(
        self,
        numbers: Mapping[NoiseVariable, int],
        centres: Mapping[NoiseVariable, Exact],
        rounded: Mapping[NoiseVariable, Linear],
    ) -> None:
        self._numbers = numbers
        self._centres = centres
        self._rounded = rounded

    def expression(self, expression: Any) -> Hashable:
        """The expression of an outcome."""
        if isinstance(expression, Linear | Plain | Applied):
            return self.node(expression)
        if isinstance(expression, _Thens):
            return Then(seen_by_value(expression.then), self.expression(expression.value), expression.place)
        if isinstance(expression, Of) and expression.operator != "part":
            return Of(expression.operator, tuple(map(self.expression, expression.operands)))
        assert isinstance(expression, PlainConstant | Of), "an outcome is opened"
        return expression

    def node(self, node: Node) -> Hashable:
        """The number that was computed from noise."""
        if isinstance(node, Plain):
            return NumberBeside(node.kind.__qualname__, _known(node.number))
        if isinstance(node, Applied):
            return Of(node.operator, tuple(map(self.node, node.operands)))
        shift = total((node.shift, negative(self._moved(node.parts))))
        return LeafSum(self._named(node.parts), _known(shift))

    def defined(self, named: Hashable, variables: Iterable[NoiseVariable]) -> Hashable:
        """A named expression beside what the rounded numbers among its `variables` are, and those before them."""
        places = [place for place, variable in enumerate(self._rounded) if variable in set(variables)]
        if not places:
            return named
        return Of(WHERE, (named, *(self._definition(i) for i in islice(self._rounded, places[-1] + 1))))

    def _definition(self, variable: NoiseVariable) -> Hashable:
        linear = self._rounded[variable]
        return Of("floor", (self.node(Linear(linear.parts, linear.shift + self._centres[variable])),))

    def told(self, node: Node) -> Hashable:
        """An expression of which signs are known."""
        return self.defined(self.node(node), [variable for linear in linear_in(node) for variable, _ in linear.parts])

    def form(self, form: Form) -> Hashable:
        """A form of noises that was compared with numbers."""
        return self.defined(LeafSum(self._named(form), 0), [variable for variable, _ in form])

    def values(self, form: Form, values: Intervals) -> Hashable:
        """The values of a form of leaves, where those of the noises are known."""
        moved = self._moved(form)
        return tuple(
            tuple(None if end is None else _known(exact(end) + moved) for end in interval) for interval in values
        )

    def _moved(self, parts: Iterable[tuple[NoiseVariable, Exact]]) -> Exact:
        return total([ZERO, *(product((c, self._centres[variable])) for variable, c in parts)])

    def _named(self, parts: Iterable[tuple[NoiseVariable, Exact]]) -> tuple[tuple[int, Hashable], ...]:
        return tuple(sorted(((self._numbers[variable], _known(c)) for variable, c in parts), key=lambda part: part[0]))


def _known(number: Exact) -> Hashable:
    """A number in a label. Raises `Undecided` for a function of ε, which equals another one for some ε alone."""
    if number.symbol is not None:
        raise Undecided(not_known.NEEDS_NUMBERS)
    return as_parameter(number)
