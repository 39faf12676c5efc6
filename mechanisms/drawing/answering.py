"""The answers of a run to comparisons of its noise, and to its cuts, and what is known of the noise from then on.

Where both answers are possible a trail says which of them is explored in this run.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from functools import cached_property
from itertools import compress
from typing import Any

from dpverify.mechanisms.comparing.call import Call, Calls
from dpverify.mechanisms.comparing.comparisons import (
    EQUALITIES,
    Knowledge,
    LiveNoise,
    alone,
    has_form,
    is_continuous,
    narrowed,
    noise_comparison,
    single_noise,
)
from dpverify.mechanisms.comparing.spent_noise import SpentNoises, refuse_tied
from dpverify.mechanisms.comparing.trail import Trail, about_noise
from dpverify.mechanisms.finer_releases.finer import SIGNS, Leaves, key_of_node
from dpverify.mechanisms.finer_releases.linear_fractions import linear_fraction
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.errors import InputError, LimitMet, NoClosedForm, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, is_unknown
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Intervals, intersection, is_everything
from dpverify.mechanisms.numbers.symbols import PatternAnswers, notes
from dpverify.mechanisms.outputs.folding import chances_of_folded, to_be_folded
from dpverify.mechanisms.outputs.released import WIDE, Lattice, lattice_of
from dpverify.mechanisms.outputs.templates import Cell, clamp_cells
from dpverify.mechanisms.path_conditions.expressions import (
    Comparator,
    Linear,
    Node,
    PlainNumber,
    expression_in_words,
    linear_in,
)
from dpverify.mechanisms.path_conditions.implied_conditions import Form
from dpverify.mechanisms.path_conditions.noise_value import HOLDS, NoiseValue
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable


class _Clamped(Sequence[tuple[PlainNumber, Intervals]]):
    """The numbers that noise of which nothing is known is clamped to, each with the noise that leads there."""

    def __init__(self, lattice: Lattice, cells: Sequence[tuple[Cell, PlainNumber]]) -> None:
        self._lattice = lattice
        self._cells = cells

    def __len__(self) -> int:
        return len(self._cells)

    def __getitem__(self, place: Any) -> Any:
        cell, number = self._cells[place]
        return number, self._lattice.noise_in(cell)


class Answering(Call):
    """The part of a run that answers: what it has been told about its noise."""

    def __init__(self, calls: Calls, trail: Trail, limits: Limits) -> None:
        super().__init__(calls)
        self._trail = trail
        self._limits = limits
        self.factors: list[Exact] = []
        """The probabilities of the choices that the run has made, apart from what is known of its noise."""
        self._told: dict[Hashable, tuple[Node, frozenset[int]]] = {}
        self.finer: Leaves | None = None
        """The choice of leaves where what it returns is decided before post-processing."""

    @cached_property
    def knowledge(self) -> Knowledge:
        """The facts that it has of its noise; made where there is some, as the list of what is spent of it."""
        return Knowledge()

    @cached_property
    def _spent(self) -> SpentNoises:
        return SpentNoises(rounded_stay=self._rounded_stay)

    @property
    def _rounded_stay(self) -> bool:
        return self.finer is not None and self.finer.all_drawn

    def begin_to_know(self) -> None:
        """Make what is known of noise and spent of it before the first is drawn, which every one asks for."""
        self.knowledge, self._spent = Knowledge(), SpentNoises(rounded_stay=self._rounded_stay)

    @abstractmethod
    def holds(self, value: NoiseValue, relation: Comparator) -> bool:
        """See `Observer`."""

    @abstractmethod
    def folded(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber | NoiseValue:
        """See `Observer`."""

    @abstractmethod
    def rounded_down(self, value: NoiseValue) -> NoiseValue:
        """See `Observer`."""

    def _is_free(self, variable: NoiseVariable) -> bool:
        """True where nothing is known of a noise but its law, and nothing else depends on it."""
        form = alone(variable)
        known = None if self.knowledge.is_shared(form) else self.live_noise(variable)
        return known is not None and not known.conditions

    def live_noise(self, variable: NoiseVariable) -> LiveNoise | None:
        """The noise with all that is known of it; None where it is used up, or that is no tree."""
        is_used_up = self.knowledge.is_forgotten(variable) or variable in self._spent
        try:
            return None if is_used_up else self.knowledge.live_noise(variable)
        except InputError:
            return None

    def answer(self, value: NoiseValue, relation: Comparator) -> bool:
        """True where value `relation` 0: both answers are explored, unless what is known of the noise leaves one."""
        self._spent.refuse(value)
        if relation in EQUALITIES and is_continuous(value):
            return relation == "!="
        answers = notes.answers
        if answers is not None and len(value.parts) == 1 and is_unknown(value.shift) and answers.are_open:
            return self._answer_openly(value, relation, answers)
        value = value.known
        if self.finer is not None and not has_form(value):
            return self.answer_of(value.node, relation)
        try:
            form, if_holds, if_fails = noise_comparison(value, relation)
        except InputError as error:
            raise NoClosedForm(str(error)) from None
        yes, no = narrowed(self.knowledge.values(form), if_holds, if_fails)
        if not yes or not no:
            return bool(yes)
        answer, values = self._trail.taken(
            about_noise(form, yes), lambda: self._possible(form, ((True, yes), (False, no)))
        )
        self.knowledge.learn(form, values)
        return bool(answer)

    def _answer_openly(self, value: NoiseValue, relation: Comparator, answers: PatternAnswers) -> bool:
        """True where noise that may be any number, plus an unknown one, `relation` 0; then the noise is spent.

        Both answers are possible, whatever the unknown number is.
        """
        variable, *_ = single_noise(value, "compare")
        if relation in EQUALITIES or not (is_everything(variable.law.support) and self._is_free(variable)):
            answers.refuse("more is asked of noise with an unknown number beside it")
        chance = answers.chance(value, relation)
        answer, factor = self._trail.taken(
            about_noise(value.parts, relation, chance.serial), lambda: ((True, chance), (False, ONE - chance))
        )
        self.factors.append(factor)
        self._spent.spend(variable)
        return bool(answer)

    def can_learn(self, value: NoiseValue, relation: Comparator, *, holds: bool) -> bool:
        """Learn whether value `relation` 0, which is asked of no trail; False where that cannot be.

        Raises `InputError` where it cannot be compared.
        """
        self._spent.refuse(value)
        form, if_holds, if_fails = noise_comparison(value.known, relation)
        known = self.knowledge.values(form)
        values = narrowed(known, if_holds, if_fails)[0 if holds else 1]
        if not values or (values != known and not self._can_be(form, values)):
            return False
        self.knowledge.learn(form, values)
        return True

    def _can_be(self, form: Form, values: Intervals) -> bool:
        return not self.knowledge.is_shared(form) or all(self.knowledge.possible(form, (values,)))

    def holds_of(self, node: Node, relation: Comparator) -> bool:
        """See `Observer`."""
        self.refuse_unless_running()
        return self.answer_of(node, relation)

    def answer_of(self, node: Node, relation: Comparator) -> bool:
        """True where an expression `relation` 0: both answers are explored, unless another one has left one of them."""
        if self.finer is None:
            fraction = linear_fraction(node)
            if fraction is not None:
                return self._answer_of_fraction(*fraction, relation)
            raise NoClosedForm(not_known.NO_CLOSED_FORM, f"compared {expression_in_words(node)}")
        self._refuse_spent(node)
        key = key_of_node(node)
        _, known = self._told.get(key, (node, SIGNS))
        yes = frozenset(sign for sign in known if HOLDS[relation](sign))
        if not yes or yes == known:
            return bool(yes)
        answer, signs = self._trail.taken(
            ("an expression", key, known, relation), lambda: ((True, yes), (False, known - yes))
        )
        self._told[key] = node, signs
        return bool(answer)

    def _refuse_spent(self, node: Node) -> None:
        for linear in linear_in(node):
            self._spent.refuse(NoiseValue(self, linear.parts, linear.shift))

    def _answer_of_fraction(self, above: Linear, below: Linear, relation: Comparator) -> bool:
        """True where above/below `relation` 0, where `below` is not 0: by the signs of both."""
        number, divisor = (NoiseValue(self, linear.parts, linear.shift) for linear in (above, below))
        if self._answer_or_sign(divisor, "<"):
            number = -number
        return self._answer_or_sign(number, relation)

    def _answer_or_sign(self, value: NoiseValue, relation: Comparator) -> bool:
        return self.answer(value, relation) if value.parts else HOLDS[relation](decision.sign(value.shift))

    def _possible(self, form: Form, branches: Sequence[tuple[Any, Intervals]]) -> Sequence[tuple[Any, Intervals]]:
        """The branches that what is known of other noises leaves."""
        if not self.knowledge.is_shared(form):
            return branches
        try:
            return tuple(compress(branches, self.knowledge.possible(form, [values for _, values in branches])))
        except InputError as error:
            if self.finer is None:
                raise NoClosedForm(str(error)) from None
            return branches  # one that is impossible is a region of the leaves that is empty

    def clamped(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber | NoiseValue:
        """See `Observer`."""
        self.refuse_unless_running()
        return self.clamp(value, low, high)

    keeps_clamped = False
    """True where noise that is clamped to a wide range stays noise between the ends."""

    def clamp(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber | NoiseValue:
        """The value, moved to the nearer end: every number between the ends is explored, or noise stands for all."""
        self._spent.refuse(value)
        variable, coefficient, shift = single_noise(value, "clamp")
        lattice = lattice_of(variable.law, coefficient, shift, "what is clamped")
        is_kept = self.keeps_clamped and not variable.law.is_certified and high - low > WIDE * lattice.slot.unit
        if is_kept and self._is_free(variable):
            if self.answer(value - low, "<="):
                return low
            return high if self.answer(value - high, ">=") else value
        form = alone(variable)
        known = self.knowledge.values(form)

        def branches() -> Sequence[tuple[PlainNumber, Intervals]]:
            count = (high - low) / lattice.slot.unit
            if count > self._limits.paths:
                raise LimitMet(not_known.TOO_WIDE.text("clamps to", low, high, int(count)), "paths")
            cells = clamp_cells(lattice.slot, low, high)
            if known == EVERYTHING and not self.knowledge.is_shared(form):
                return _Clamped(lattice, cells)
            narrow = ((number, intersection(known, lattice.noise_in(cell))) for cell, number in cells)
            return self._possible(form, tuple((number, values) for number, values in narrow if values))

        number, values = self._trail.taken(about_noise(form, coefficient, shift, low, high, known), branches)
        self.knowledge.learn(form, values)
        return number  # type: ignore[no-any-return]  # the key says of which kind it is

    def fold(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber:
        """A value with discrete noise, reflected until it lies between the ends: every number there is explored."""
        self._spent.refuse_to_fold(value)
        variable, lattice = to_be_folded(value, low, high, self._limits.paths)
        refuse_tied(variable, self.knowledge.is_shared(alone(variable)))
        known = self.knowledge.forget(variable)
        number, probability = self._trail.taken(
            about_noise(alone(variable), "folded", lattice, low, high, known),
            lambda: chances_of_folded(lattice.release(variable.law, known).density, lattice.slot, low, high),
        )
        self.factors.append(probability)
        self._spent.spend(variable)
        return number  # type: ignore[no-any-return]  # the key says of which kind it is
