"""One path of a mechanism that is run as a whole: its draws, the conditions on its noise, and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

from dpverify.mechanisms.comparing.call import Arguments, Call, Calls, Parts
from dpverify.mechanisms.comparing.comparisons import (
    EQUALITIES,
    Knowledge,
    alone,
    is_continuous,
    noise_comparison,
    single_noise,
)
from dpverify.mechanisms.comparing.spent_noise import (
    SpentNoises,
    folded_law,
    is_all_continuous,
    refuse_tied,
    rounded_given,
)
from dpverify.mechanisms.comparing.trail import Trail, about_noise
from dpverify.mechanisms.drawing.caching import Keeping, Raw, finite
from dpverify.mechanisms.drawing.rounds import Acceptance, Again, Round, RoundRejected, chance_of_acceptance
from dpverify.mechanisms.finer_releases.finer import passed_on, refuse_without_a_law
from dpverify.mechanisms.functions.canonical import canonical
from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Mechanism, exact_parameters
from dpverify.mechanisms.functions.outcomes import refuse_outcome
from dpverify.mechanisms.functions.parts import refuse_parts
from dpverify.mechanisms.functions.post_processing import unwrapped
from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.noise.point_mass import PointMass
from dpverify.mechanisms.numbers.errors import InputError, LimitMet, NoClosedForm, bad_input, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, product, reciprocal_of_nonzero
from dpverify.mechanisms.numbers.roots.intervals import Intervals, intersection
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.folding import chances_of_folded, to_be_folded
from dpverify.mechanisms.outputs.released import Releases, lattice_of
from dpverify.mechanisms.outputs.releasing import released
from dpverify.mechanisms.outputs.templates import clamp_cells
from dpverify.mechanisms.path_conditions.expressions import Comparator, Node, PlainNumber, expression_in_words
from dpverify.mechanisms.path_conditions.implied_conditions import Form
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue, refuse_noise, without_noise
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable

OfRound: TypeAlias = Callable[[Mechanism, tuple[Any, ...], Mapping[str, Any]], Distribution[Any]]
"""The output distribution of a round, a mechanism with its arguments."""


class PlainPath:
    """One path: its choices so far, with their probabilities, and the conditions on its noise.

    `whole` is the call of the mechanism; what it draws from mechanisms are calls on the same path.
    """

    is_bounded = False
    """See `Path`: nothing is left out of its probability."""

    lead = None
    """See `Path`: each comparison is asked for."""

    is_rejected = False
    """True where a round was not accepted, so that no path of the mechanism leads there."""

    def __init__(self, calls: Calls, trail: Trail, limits: Limits, of_round: OfRound) -> None:
        self.calls = calls
        self.limits = limits
        self.of_round = of_round
        self.parts: Keeping[Raw] = Keeping()
        self.knowledge = Knowledge()
        self.spent = SpentNoises()
        self._trail = trail
        self._factors: list[Exact] = []
        self._noises = 0
        self.whole = PlainCall(self)
        trail.begin()

    # --- Draws

    def chosen(self, distribution: Distribution[Any]) -> Any:
        """The outcome of a finite distribution that the path takes."""
        law = finite(distribution)
        outcome, chance = self._trail.taken(law.structure, lambda: self._listed(law))
        self._factors.append(chance)
        return canonical(outcome)

    def _listed(self, law: Distribution[Any]) -> Sequence[tuple[Any, Exact]]:
        self._refuse_many(law)
        return law.leaves

    def _refuse_many(self, law: Distribution[Any]) -> None:
        if law.size > self.limits.outcomes:
            raise LimitMet(not_known.TOO_MANY_DRAWN.text(law.size, self.limits.outcomes), "outcomes")

    def noise(self, caller: PlainCall, law: NoiseLaw) -> NoiseValue:
        """A further noise."""
        if isinstance(law, PointMass):
            return NoiseValue(caller, (), ZERO)
        self._noises += 1
        return NoiseValue(caller, ((NoiseVariable(law, self._noises), ONE),), ZERO)

    def accepted_with(self, one: Round, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> None:
        """Take into account that a round is drawn until it is accepted, each with the same chance."""
        chance, _ = self._trail.taken(
            "the chance that a round is accepted",
            lambda: ((chance_of_acceptance(self.of_round(Acceptance(one), args, parameters)), None),),
        )
        self._factors.append(reciprocal_of_nonzero(chance))

    # --- Conditions on noise

    def answer(self, value: NoiseValue, relation: Comparator) -> bool:
        """True where value `relation` 0: both answers are taken, on two paths, where both are possible."""
        self.spent.refuse(value)
        if relation in EQUALITIES and is_continuous(value):
            return relation == "!="
        try:
            form, if_holds, if_fails = noise_comparison(value, relation)
        except InputError as error:
            raise NoClosedForm(str(error)) from None
        known = self.knowledge.values(form)
        yes, no = intersection(known, if_holds), intersection(known, if_fails)
        return bool(yes) if not yes or not no else bool(self._learnt(form, (relation, yes), [(True, yes), (False, no)]))

    def clamped(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber:
        """The value of discrete noise, moved to the nearer end: each number between the ends is one path."""
        self.spent.refuse(value)
        variable, coefficient, shift = single_noise(value, "clamp")
        lattice, form = lattice_of(variable.law, coefficient, shift, "what is clamped"), alone(variable)
        count = (high - low) / lattice.slot.unit
        if count > self.limits.paths:
            raise LimitMet(not_known.TOO_WIDE.text("clamps to", low, high, int(count)), "paths")
        known = self.knowledge.values(form)
        cells = clamp_cells(lattice.slot, low, high)
        branches = [(number, intersection(known, lattice.noise_in(cell))) for cell, number in cells]
        number: PlainNumber = self._learnt(form, (lattice, low, high), [one for one in branches if one[1]])
        return number

    def _learnt(self, form: Form, asked: Hashable, branches: list[tuple[Any, Intervals]]) -> Any:
        """The answer that the path takes, of those that can be with all that is known of other noise."""
        answer, values = self._trail.taken(about_noise(form, asked), lambda: self._possible(form, branches))
        self.knowledge.learn(form, values)
        return answer

    def _possible(self, form: Form, branches: list[tuple[Any, Intervals]]) -> list[tuple[Any, Intervals]]:
        if not self.knowledge.is_shared(form):
            return branches
        try:
            possible = list(self.knowledge.possible(form, [values for _, values in branches]))
        except InputError as error:
            raise NoClosedForm(str(error)) from None
        return [branch for branch, can_be in zip(branches, possible, strict=True) if can_be]

    def rounded_down(self, caller: PlainCall, value: NoiseValue) -> NoiseValue:
        """⌊value⌋, noise that takes the place of the noise in it, given what is known of that."""

        def new_noise(variable: NoiseVariable, coefficient: Exact, shift: Exact) -> NoiseValue:
            law, chance = rounded_given(self.knowledge, variable, coefficient, shift)
            self._factors.append(chance)
            return self.noise(caller, law)

        return self.spent.rounded_down(value, new_noise)

    def folded(
        self, caller: PlainCall, value: NoiseValue, low: PlainNumber, high: PlainNumber
    ) -> PlainNumber | NoiseValue:
        """The value, reflected until it lies between the ends: a number, and of continuous noise noise in its place."""
        self.spent.refuse_to_fold(value)
        if is_all_continuous(value):
            variable, _, _ = single_noise(value, "what is folded")
            refuse_tied(variable, self.knowledge.is_shared(alone(variable)))
            law = folded_law(value, self.knowledge.values(alone(variable)), low, high)
            self._factors.append(probability(variable.law, self.knowledge.forget(variable)))
            self.spent.spend(variable)
            return self.noise(caller, law)
        variable, lattice = to_be_folded(value, low, high, self.limits.paths)
        refuse_tied(variable, self.knowledge.is_shared(alone(variable)))
        known = self.knowledge.forget(variable)
        number, chance = self._trail.taken(
            about_noise(alone(variable), "folded", lattice, low, high, known),
            lambda: chances_of_folded(lattice.release(variable.law, known).density, lattice.slot, low, high),
        )
        self._factors.append(chance)
        self.spent.spend(variable)
        return number  # type: ignore[no-any-return]  # the key says of which kind it is

    # --- What is returned: see `Path`

    def finish(self) -> None:
        """Check that the run asked everything that the run before it had asked."""
        self._trail.finish()

    def probability(self) -> Exact:
        """The probability of the path, apart from released noise."""
        try:
            return product((*self._factors, self.knowledge.probability())) if self._noises else product(self._factors)
        except InputError as error:
            raise NoClosedForm(str(error)) from None

    def returned(self, law: Distribution[Any]) -> Distribution[Any]:
        """The distribution that the mechanism returned."""
        self._refuse_many(finite(law))
        return law

    def released(self, outcome: Any) -> tuple[Hashable, Releases]:
        """The template of an outcome, and the releases in its slots; both are taken out of what is known."""
        outcome = as_held(outcome)
        self.whole.refuse_noise_of_others(outcome)
        outcome = self.parts.with_raw(outcome, self.whole)
        without_noise(unwrapped(outcome), self.spent.checked)
        refuse_without_a_law(outcome)
        try:
            return released(unwrapped(outcome), self.knowledge)
        except InputError as error:
            raise NoClosedForm(str(error)) from None


class PlainCall(Call):
    """The call of a mechanism on a path."""

    def __init__(self, path: PlainPath) -> None:
        super().__init__(path.calls)
        self._path = path

    def drawn(self, source: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """See `Call`."""
        if isinstance(source, Distribution):
            return self._path.chosen(source)
        if isinstance(source, NoiseLaw):
            return self._path.noise(self, source)
        if not callable(source):
            raise InputError(bad_input.DRAW_FROM, shown(source))
        refuse_noise((*args, *kwargs.values()))
        refuse_parts((*args, *kwargs.values()))
        return self._outcome_of(source, args, exact_parameters(kwargs))

    def drawn_each(self, mechanism: Mechanism, calls: Arguments, parameters: Mapping[str, Any]) -> Parts:
        """See `Call`."""
        keep = self._path.parts
        return tuple([keep.part(self, Raw(self._outcome_of(mechanism, args, parameters))) for args in calls])

    def drawn_until(
        self,
        mechanism: Mechanism,
        accepted: Callable[[Any], bool],
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
    ) -> Any:
        """See `Call`."""
        one = Round(mechanism, accepted)
        self._path.accepted_with(one, args, parameters)
        outcome = self._outcome_of(one, args, parameters)
        if outcome is Again.AGAIN:
            self._path.is_rejected = True
            raise RoundRejected
        return outcome

    def _outcome_of(self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> Any:
        """The outcome of a mechanism that runs as part of this one, whose noise and parts become its own."""
        path = self._path
        part = PlainCall(path)
        path.calls.running.append(part)
        try:
            outcome = mechanism(part.draw, *args, **parameters)
        finally:
            path.calls.running.pop()
        if isinstance(outcome, Distribution):
            return path.chosen(outcome)
        outcome = as_held(outcome)
        part.refuse_noise_of_others(outcome)
        refuse_outcome(without_noise(path.parts.replaced(unwrapped(outcome), part, lambda _: None), lambda _: None))
        outcome = path.parts.passed_on(path.parts.with_raw(canonical(outcome), part), part, self)
        return passed_on(outcome, self)

    def holds(self, value: NoiseValue, relation: Comparator) -> bool:
        """See `Observer`."""
        self.refuse_unless_running()
        return self._path.answer(value, relation)

    def holds_of(self, node: Node, relation: Comparator) -> bool:
        """See `Observer`; no comparison of what is computed from noise has a closed form here."""
        self.refuse_unless_running()
        raise NoClosedForm(not_known.NO_CLOSED_FORM, f"compared {expression_in_words(node)}")

    def clamped(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber:
        """See `Observer`."""
        self.refuse_unless_running()
        return self._path.clamped(value, low, high)

    def rounded_down(self, value: NoiseValue) -> NoiseValue:
        """See `Observer`."""
        self.refuse_unless_running()
        return self._path.rounded_down(self, value)

    def folded(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber | NoiseValue:
        """See `Observer`."""
        self.refuse_unless_running()
        return self._path.folded(self, value, low, high)
