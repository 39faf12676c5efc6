"""One run of a mechanism: the `draw` that it is given, its parts, and what it returns.

It replays the choices of a trail, and makes one more. What becomes of all runs together is up to the enumerator.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any, NoReturn, Protocol, TypeAlias

from dpverify.mechanisms.comparing.call import Arguments, Call, Calls, Drawing, Parts
from dpverify.mechanisms.comparing.comparisons import (
    EQUALITIES,
    PASSED_ON_ALTHOUGH_TIED,
    Knowledge,
    LiveNoise,
    alone,
    single_noise,
)
from dpverify.mechanisms.comparing.spent_noise import (
    folded_law,
    is_all_continuous,
    refuse_tied,
    rounded_given,
    rounded_law,
)
from dpverify.mechanisms.comparing.trail import Trail, about_noise
from dpverify.mechanisms.drawing.answering import Answering
from dpverify.mechanisms.drawing.caching import CachedResult, Keeping, Raw, finite, released_parts
from dpverify.mechanisms.drawing.distribution_so_far import have_plain_outcomes
from dpverify.mechanisms.drawing.rounds import (
    Acceptance,
    Again,
    Round,
    RoundRejected,
    chance_of_acceptance,
    distribution_if_accepted,
)
from dpverify.mechanisms.finer_releases.finer import (
    Leaves,
    PathAnswers,
    finer_release,
    has_a_law,
    passed_on,
    refuse_rounds_with_noise,
    refuse_without_a_law,
)
from dpverify.mechanisms.functions.canonical import canonical
from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Mechanism, exact_parameters
from dpverify.mechanisms.functions.outcomes import is_plain, refuse_outcome
from dpverify.mechanisms.functions.parts import IndependentPart, refuse_parts
from dpverify.mechanisms.functions.post_processing import unwrapped
from dpverify.mechanisms.functions.thin import is_thin
from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers.errors import (
    InputError,
    LimitMet,
    MechanismError,
    NoClosedForm,
    Overtime,
    bad_input,
    not_known,
)
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, product, reciprocal_of_nonzero
from dpverify.mechanisms.numbers.roots.epsilon_symbol import DependsOnEpsilon
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Intervals
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import Component, NoisyPart, Release, ReleasedDistribution, Releases
from dpverify.mechanisms.outputs.released_parts import PART_SLOT, PartRelease, with_parts
from dpverify.mechanisms.outputs.releasing import released
from dpverify.mechanisms.outputs.templates import filled, slots_of
from dpverify.mechanisms.path_conditions.expressions import Better, Comparator, Linear, Node, PlainNumber
from dpverify.mechanisms.path_conditions.noise_tree import NoiseTree
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue, refuse_noise, without_noise
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable
from dpverify.mechanisms.patterns.last_draws import LastDraws, called_last
from dpverify.mechanisms.patterns.leads import Lead, probability_of_lead


class Paths(Protocol):
    """The interface that a run needs of the enumeration that it is part of."""

    limits: Limits
    calls: Calls
    caller: CodeType
    """The code by which mechanisms are called, with nothing between."""
    inlined: Callable[[Mechanism], bool]

    def note(self, mechanism: Mechanism) -> None:
        """See `Enumeration`."""

    def noise(self, law: NoiseLaw) -> NoiseLaw | None:
        """See `Enumeration`."""

    def shared(self, law: Distribution[Any]) -> Distribution[Any]:
        """See `Enumeration`."""

    def drawn(self, outcome: Any) -> Any:
        """See `Enumeration`."""

    def kept(self, mechanism: Mechanism, calls: Arguments, parameters: Mapping[str, Any]) -> tuple[CachedResult, ...]:
        """See `Enumeration`."""

    def law_of_part(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> Distribution[Any]:
        """See `Enumeration`."""

    def round_of(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> tuple[Mechanism, Exact] | None:
        """See `Enumeration`."""

    def refuse_paths(self, count: int) -> None:
        """See `Enumeration`."""


Caller: TypeAlias = "MechanismRun | InlinedCall"
"""The mechanism that draws: that of a run, or one that is inlined in it."""


class NotAsRead(BaseException):
    """Ends a run of a mechanism of which each comparison is to be asked for.

    It is no `Exception`, so that a mechanism's own handlers let it pass.
    """


class MechanismRun(Answering):
    """One run of a mechanism: the `draw` that it is given, its parts, and what it returns.

    Calls of mechanisms that are inlined are `InlinedCall`s of it.
    """

    _at_once = False
    """True where what is drawn now is returned, whatever it is."""

    _tail: Distribution[Any] | None = None
    """The law of what was drawn so."""

    is_rejected = False
    """True where a round of what is drawn until it is accepted was not: its path is none of the mechanism's."""

    is_bounded = False
    """True where conditions were left out of its probability, which bound it from above."""

    draws_last_alone = False
    """True where whatever its mechanism draws is returned at once."""

    chooses = False
    """True where it chooses the best of several numbers, and is not asked for each comparison."""

    is_lost = False
    """True where it knows too little of what it has chosen."""

    _has_chosen = False
    """True where it has chosen the best of several numbers."""

    _is_only_lead = False
    """True where it has done so once."""

    last: tuple[FunctionType, LastDraws] | None = None
    """The function of its mechanism, where that may return a draw at once."""

    def __init__(self, enumeration: Paths, trail: Trail) -> None:
        super().__init__(enumeration.calls, trail, enumeration.limits)
        self._enumeration = enumeration
        self._caller = enumeration.caller
        self._variables: list[NoiseVariable] = []
        self._weighed: list[NoiseVariable] = []
        """Noises of the stretch before of which it does not know the weight."""
        self._known = Knowledge()
        self._leads: list[Lead] = []
        """The best of several numbers each, as far as it is not learnt yet."""
        self._learnt: tuple[Lead, Knowledge] | None = None
        """The first lead that was learnt, and what was known then."""
        self._rounded: dict[NoiseVariable, Linear] = {}
        """The noise that stands for ⌊c·leaf + s⌋ → c·leaf + s."""
        trail.begin()

    @cached_property
    def _parts(self) -> Keeping[CachedResult | Raw]:
        return Keeping()

    def drawn(self, source: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if self.draws_last_alone:
            self._at_once = True
        elif self.last is not None:
            last = called_last(sys._getframe(2), *self.last, self._caller)
            self._at_once = type(last) is Drawing and last.is_of(self)
        return self.drawn_by(self, source, args, kwargs)

    def drawn_each(self, mechanism: Mechanism, calls: Arguments, parameters: Mapping[str, Any]) -> Parts:
        return self.each_by(self, mechanism, calls, parameters)

    def each_by(self, caller: Caller, mechanism: Mechanism, calls: Arguments, parameters: Mapping[str, Any]) -> Parts:
        """Independent parts for the mechanism of this run, or for one that is inlined in it."""
        if self.finer is not None or self._enumeration.inlined(mechanism):  # leaves and labels are of all that is drawn
            return tuple(self._parts.part(caller, raw) for raw in self._each(caller, mechanism, calls, parameters))
        result = self._enumeration.kept(mechanism, calls, parameters)
        self._trail.taken(result, lambda: ((None, ONE),))  # the next run has to draw the same
        return tuple(self._parts.part(caller, content) for content in result)

    def drawn_until(
        self,
        mechanism: Mechanism,
        accepted: Callable[[Any], bool],
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
    ) -> Any:
        return self.until_by(self, Round(mechanism, accepted), args, parameters)

    def until_by(self, caller: Caller, one: Round, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> Any:
        """The outcome of an accepted round for the mechanism of this run, or to one that is inlined in it.

        A round with noise that goes on as noise of this run is run as part of it: where it is not accepted the path is
        left, and all others have their share of its chance.
        """
        self._at_once = False
        try:
            law = self._enumeration.law_of_part(one, args, parameters)
        except MechanismError as error:
            if not error.no_closed_form or self._enumeration.calls.refused is not None:
                raise
            law = self._enumeration.law_of_part(Acceptance(one), args, parameters)
            return self._accepted_here(caller, one, args, parameters, chance_of_acceptance(law))
        has_noise = isinstance(law, ReleasedDistribution) and law.has_noise
        if not has_noise and not self._enumeration.inlined(one):
            return self._outcome_of(caller, distribution_if_accepted(law))
        return self._accepted_here(caller, one, args, parameters, chance_of_acceptance(law))

    def _accepted_here(
        self, caller: Caller, one: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any], chance: Exact
    ) -> Any:
        """The outcome of a round that is run as part of this run, where it is accepted with this chance."""
        if self.finer is not None:
            refuse_rounds_with_noise()
        self.factors.append(reciprocal_of_nonzero(chance))
        outcome = self._inlined(caller, one, args, parameters)
        if outcome is Again.AGAIN:
            self.is_rejected = True
            raise RoundRejected
        return outcome

    def drawn_by(self, caller: Caller, source: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The value that `draw` gives to the mechanism of this run, or to one that is inlined in it."""
        if isinstance(source, Distribution):
            return self._outcome_of(caller, self._enumeration.shared(finite(source)))
        if isinstance(source, NoiseLaw):
            noise = self._enumeration.noise(source)
            return NoiseValue(caller, (), ZERO) if noise is None else self._noise(caller, noise)
        if not callable(source):
            raise InputError(bad_input.DRAW_FROM, shown(source))
        refuse_noise((*args, *kwargs.values()))
        refuse_parts((*args, *kwargs.values()))
        parameters = exact_parameters(kwargs)
        is_part = not is_thin(source) or (self._at_once and caller is self)
        if self.finer is not None or self._enumeration.inlined(source) or not is_part:
            return self._inlined(caller, source, args, parameters)
        law = self._enumeration.law_of_part(source, args, parameters)
        if isinstance(law, ReleasedDistribution) and law.has_reals:  # its noise goes on as noise of this run
            return self._inlined(caller, source, args, parameters)
        return self._outcome_of(caller, law)

    def _outcome_of(self, caller: Caller, law: Distribution[Any]) -> Any:
        if self._at_once and caller is self and law.is_finite:
            self.refuse_many(law)
            if have_plain_outcomes(law):
                self._tail = law
                return law
        outcome, probability = self._trail.taken(law.structure, lambda: self.leaves(law))
        self.factors.append(probability)
        if isinstance(outcome, Component):
            return self._instance(caller, outcome)
        return self._enumeration.drawn(canonical(outcome))

    def _each(
        self, caller: Caller, mechanism: Mechanism, calls: Arguments, parameters: Mapping[str, Any]
    ) -> Iterator[Raw]:
        """The results of independent sub-mechanisms that are inlined in this run, one after another.

        None of them depends on another one, so that there are as many paths as the product of theirs. Raises `LimitMet`
        as soon as these are too many, by the first choice of each, and not after as many runs as there may be.
        """
        ways = 1
        for args in calls:
            begun = self._trail.position
            yield Raw(self._inlined(caller, mechanism, args, parameters))
            ways *= self._trail.ways_at(begun)
            self._enumeration.refuse_paths(ways)

    def _inlined(
        self, caller: Caller, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> Any:
        one = self._enumeration.round_of(mechanism, args, parameters)
        if one is not None:
            return self._accepted_here(caller, one[0], (), {}, one[1])
        part, outcome = self._outcome_inlined(mechanism, args, parameters)
        outcome = self._parts.passed_on(self._parts.with_raw(outcome, part), part, caller)
        return passed_on(outcome, caller)

    def _outcome_inlined(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> tuple[InlinedCall, Any]:
        """The call of a mechanism in this run, and what it has returned."""
        self._enumeration.note(mechanism)
        part = InlinedCall(self, self._enumeration.calls)
        running = self._enumeration.calls.running
        running.append(part)
        try:
            outcome = mechanism(part.draw, *args, **parameters)
        finally:
            running.pop()
        if isinstance(outcome, Distribution):
            return part, self._outcome_of(part, self._enumeration.shared(finite(outcome)))
        outcome = as_held(outcome)
        part.refuse_noise_of_others(outcome)
        refuse_outcome(without_noise(self._parts.replaced(unwrapped(outcome), part, lambda _: None), lambda _: None))
        return part, canonical(outcome)

    def holds(self, value: NoiseValue, relation: Comparator) -> bool:
        """See `Observer`."""
        self.refuse_unless_running()
        return self.answer(value, relation)

    def best_of(self, numbers: Sequence[NoiseValue], better: Better, count: int) -> Sequence[int]:
        self.refuse_unless_running()
        return self.chosen_best(numbers, better, count)

    def chosen_best(self, numbers: Sequence[NoiseValue], better: Better, count: int) -> Sequence[int]:
        """The places of the best numbers, in this run, or in a mechanism that is inlined in it: a path for each."""
        noises = {frozenset(variable for variable, _ in number.parts) for number in numbers}
        is_one_run = all(number.observer is numbers[0].observer for number in numbers)
        if (
            not self.chooses
            or self.finer is not None
            or not is_one_run
            or len(noises) < len(numbers)
            or not all(noises)
        ):
            return ()
        for number in numbers:
            self._spent.refuse(number)
        every = [variable for among in noises for variable in among]
        is_new = len(set(every)) == len(every) and all(map(self._is_free, every))
        is_open = is_new and all(variable.law.support == EVERYTHING for variable in every)

        asked, order = tuple([about_noise(number.parts, number.shift.serial) for number in numbers]), tuple[int, ...]()

        def branches() -> Sequence[tuple[tuple[int, ...], None]]:
            further = [(*order, place) for place in range(len(numbers)) if place not in order]
            return [(one, None) for one in further if is_open or self._can_lead(Lead(numbers, one, better))]

        while len(order) < min(count, len(numbers) - 1):
            order = self._trail.taken(("the best of several", order, *asked), branches)[0]
        self._learn_leads()
        self._is_only_lead = not self._has_chosen
        self._has_chosen = True
        self._leads.append(Lead(numbers, order, better))
        return order if len(order) >= count else (*order, *({*range(len(numbers))} - {*order}))

    def answer(self, value: NoiseValue, relation: Comparator) -> bool:
        """See `Answering`; that one number is better than another before it tells that they are not equal."""
        if relation in EQUALITIES and any(lead.tells_apart(value) for lead in self._leads):
            return relation == "!="
        return super().answer(value, relation)

    @property
    def knowledge(self) -> Knowledge:
        """All that it knows of its noise, after it has learnt which numbers are the best. Raises `NotAsRead`."""
        self._learn_leads()
        return self._known

    @knowledge.setter
    def knowledge(self, knowledge: Knowledge) -> None:
        self._known = knowledge

    def _can_lead(self, lead: Lead) -> bool:
        """True where a number can be the best of several. Raises `NotAsRead` where that is not known."""
        known = self.knowledge
        self._known = known.copy()
        try:
            return all(self.can_learn(value, relation, holds=holds) for value, relation, holds in lead.answers())
        except InputError:
            self._lose()
        finally:
            self._known = known

    def _learn_leads(self) -> None:
        """Learn which numbers are the best. Raises `NotAsRead` where that is more than can be known."""
        while self._leads:
            lead = self._leads.pop()
            is_first = self._known.is_empty
            try:
                learnt = all(self.can_learn(value, relation, holds=holds) for value, relation, holds in lead.answers())
            except InputError:
                self._lose()
            if not learnt:
                self._lose()
            if is_first and self._is_only_lead:
                self._learnt = lead, self._known.copy()

    @property
    def lead(self) -> Lead | None:
        """The lead that is all that it knows of its noise, and has chosen; None for a run that knows other things."""
        if not self._is_only_lead or self.factors:
            return None
        return self._lead_alone

    @property
    def _lead_alone(self) -> Lead | None:
        lead = None
        if self._leads and self._known.is_empty:
            lead = self._leads[0]
        elif self._learnt is not None and self._known.is_as(self._learnt[1]):
            lead = self._learnt[0]
        if lead is None or not self._is_only_lead or self._told:
            return None
        return None if any(noise in self._spent for number in lead.numbers for noise, _ in number.parts) else lead

    def _lose(self) -> NoReturn:
        self.is_lost = True
        raise NotAsRead

    def fail(self, error: BaseException | None) -> None:
        """Take note of the error in which it has ended: where it has chosen the best of several, it is lost.

        But for what says for which ε it is another law, and for limits.
        """
        if error is not None and self._has_chosen:
            self.is_lost = self.is_lost or not isinstance(error, DependsOnEpsilon | LimitMet | Overtime)

    def settled(self, outcome: Any) -> Any:
        """The outcome that was returned, or the law that it stands for."""
        if self._tail is not None and outcome is not self._tail:
            raise MechanismError(bad_input.OWN_MISTAKE, "a draw was used with an outcome that it does not have")
        return outcome

    def rounded_down(self, value: NoiseValue) -> NoiseValue:
        """See `Observer`."""
        self.refuse_unless_running()
        return self.round_down(self, value)

    def round_down(self, caller: Caller, value: NoiseValue) -> NoiseValue:
        """The value, rounded down: noise that takes the place of the noise in it, given what is known of that."""

        def new_noise(variable: NoiseVariable, coefficient: Exact, shift: Exact) -> NoiseValue:
            if self.finer is not None and self.finer.all_drawn:
                if variable.formed is None:
                    variable.formed = value.parts[0][1], value.shift
                return self._rounded_leaf(caller, Linear(((variable, coefficient),), shift))
            law, chance = rounded_given(self.knowledge, variable, coefficient, shift)
            self.factors.append(chance)
            return self._noise(caller, law)

        return self._spent.rounded_down(value, new_noise)

    def folded(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber | NoiseValue:
        """See `Observer`."""
        self.refuse_unless_running()
        return self.fold_for(self, value, low, high)

    def fold_for(
        self, caller: Caller, value: NoiseValue, low: PlainNumber, high: PlainNumber
    ) -> PlainNumber | NoiseValue:
        """The value, reflected until it lies between the ends: a number, and of continuous noise noise in its place."""
        if not is_all_continuous(value):
            return self.fold(value, low, high)
        self._spent.refuse_to_fold(value)
        variable, _, _ = single_noise(value, "what is folded")
        refuse_tied(variable, self.knowledge.is_shared(alone(variable)))
        law = folded_law(value, self.knowledge.values(alone(variable)), low, high)
        self.factors.append(probability(variable.law, self.knowledge.forget(variable)))
        self._spent.spend(variable)
        return self._noise(caller, law)

    def _rounded_leaf(self, caller: Caller, of: Linear) -> NoiseValue:
        """⌊of⌋ as an expression of a leaf, or of one that is rounded, of which all stays known."""
        ((leaf, coefficient),) = of.parts
        law = rounded_law(leaf.law, coefficient, of.shift, leaf.law.support)
        result = self._noise(caller, law)
        self._rounded[result.parts[0][0]] = of
        return result

    def finish(self) -> None:
        """Check that the run asked everything that the run before it had asked."""
        self._trail.finish()

    def refuse_many(self, law: Distribution[Any]) -> None:
        """Raises `LimitMet` where a law has too many outcomes."""
        limit = self._enumeration.limits.outcomes
        if law.size > limit:
            raise LimitMet(not_known.TOO_MANY_DRAWN.text(law.size, limit), "outcomes")

    def leaves(self, law: Distribution[Any]) -> Sequence[tuple[Any, Exact]]:
        """The outcomes of `law` with their probabilities. Raises `LimitMet` where they are too many."""
        self.refuse_many(law)
        return law.leaves

    def returned(self, law: Distribution[Any]) -> Distribution[Any]:
        """The law that the mechanism returned, as it is drawn from. Raises `LimitMet` as `leaves` does."""
        if law is not self._tail:  # of which that was asked
            law = self._enumeration.shared(finite(law))
            self.refuse_many(law)
        return law

    def released(self, outcome: Any) -> tuple[Hashable, Releases]:
        """The template of an outcome, and the releases in its slots; both are taken out of what is known.

        Raises `NoClosedForm` where its law has none, unless leaves and a label are released in its place.
        """
        if is_plain(outcome) and not self._told and not self._has_leaves_besides:  # no noise, no parts: most often
            return outcome, ()
        outcome = as_held(outcome)
        self.refuse_noise_of_others(outcome)
        if notes.answers is not None:
            outcome = without_noise(outcome, lambda value: value.known if isinstance(value, NoiseValue) else value)
        outcome = self._parts.with_raw(outcome, self)
        without_noise(unwrapped(outcome), self._spent.checked)
        for node, _ in self._told.values():
            self._refuse_spent(node)
        if self.finer is None:
            refuse_without_a_law(outcome)
            try:
                return self._template(unwrapped(outcome))
            except InputError as error:
                raise NoClosedForm(str(error)) from None
        refuse_outcome(without_noise(self._parts.replaced(unwrapped(outcome), self, lambda _: None), lambda _: None))
        return self._finer(outcome, self.finer)

    @property
    def _has_leaves_besides(self) -> bool:
        """True where noises are released that were cut, or all, also where the outcome is a plain one."""
        if self.finer is None:
            return False
        return (self.finer.cut_apart and bool(self.knowledge.cut)) or (self.finer.all_drawn and bool(self._variables))

    def _template(self, outcome: Any) -> tuple[Hashable, Releases]:
        return released_parts(*released(outcome, self.knowledge), self, self._parts)

    def _finer(self, outcome: Any, choice: Leaves) -> tuple[Hashable, Releases]:
        """The leaves and the label, where the outcome itself has no law; with all noise that is tied to the leaves."""
        known = self.knowledge
        if not self._told and not choice.by_region and has_a_law(outcome):
            self.knowledge = known.copy()
            try:
                return self._template(unwrapped(outcome))
            except InputError:
                pass
        besides = self._all_drawn() if choice.all_drawn else frozenset()
        answers = PathAnswers(known, self._told, self._rounded)
        while True:
            result = finer_release(outcome, self, answers, choice, besides)
            self.knowledge, leaves = result.knowledge.copy(), result.leaves
            try:
                template = self._template(result.outcome)
            except InputError as error:
                tied = result.knowledge.tied(leaves) - leaves
                if not tied:
                    raise NoClosedForm(str(error)) from None
                besides |= tied
                continue
            self.is_bounded = result.is_bounded
            return template

    def _all_drawn(self) -> frozenset[NoiseVariable]:
        """The noises that are drawn, and not what others were rounded to; of a folded one nothing is left."""
        return frozenset(
            variable
            for variable in self._variables
            if variable not in self._rounded and not self._spent.is_folded(variable)
        )

    def probability(self) -> Exact:
        """The probability of the path, apart from released noise."""
        lead = self._lead_alone if self._is_only_lead else None
        chance = None if lead is None else probability_of_lead(lead)
        try:
            if chance is None and self._variables:
                chance = self.knowledge.probability()
            factors = self.factors if chance is None else (*self.factors, chance)
        except InputError as error:
            raise NoClosedForm(str(error)) from None
        if not factors:
            return ONE
        return factors[0] if len(factors) == 1 else product(factors)

    def noise_again(self, noise: LiveNoise) -> NoiseVariable:
        """The noise of a stretch before, with all that was known of it then."""
        again = {each: self._noise(self, each.law).parts[0][0] for each in noise.tied}
        conditions = {
            tuple([(again[each], c) for each, c in form]): values for form, values in noise.conditions.items()
        }
        variable = again[noise.variable]
        self.knowledge.learn_again(LiveNoise(noise.tree, variable, [*again.values()], conditions))
        if noise.tree.places:
            self._weighed.append(variable)
        return variable

    def dead_noise(self) -> Sequence[NoiseTree]:
        """Takes out what is known of noises that are dead, and of which a stretch did not know the weight."""
        known = self.knowledge
        return [known.forget_tied(each) for each in self._weighed if known.is_shared(alone(each))]

    def content_of(self, part: IndependentPart) -> CachedResult | None:
        """The content of a part of this run; None where it is what another call has returned."""
        return self._parts.cached(part, self)

    def part_again(self, content: CachedResult) -> IndependentPart:
        """An independent part of a stretch before."""
        return self._parts.part(self, content)

    def _noise(self, caller: Caller, law: NoiseLaw, known: Intervals | None = None) -> NoiseValue:
        """A further noise; of one that is `known` to take some values alone that is learnt."""
        if not self._variables:
            self.begin_to_know()
        variable = NoiseVariable(law, len(self._variables) + 1)
        self._variables.append(variable)
        if known is not None and known != law.support:
            self.knowledge.learn(alone(variable), known)
        return NoiseValue(caller, ((variable, ONE),), ZERO)

    def _instance(self, caller: Caller, component: Component) -> Any:
        """An outcome with noise and parts, as noise and parts of this run."""
        outcome = filled(component.template, self._noises_of(caller, component))
        parts = (part for part in component.releases if isinstance(part, PartRelease | NoisyPart))
        return with_parts(outcome, (self._parts.part(caller, CachedResult(PART_SLOT, (part,))) for part in parts))

    def _noises_of(self, caller: Caller, component: Component) -> Iterator[Any]:
        for slot, release in zip(slots_of(component.template), component.releases, strict=False):  # parts come last
            if not isinstance(release, Release):
                raise NoClosedForm(PASSED_ON_ALTHOUGH_TIED)
            yield (self._noise(caller, release.law, release.values) + release.centre) * slot.unit + slot.offset


class InlinedCall(Call):
    """The call of a mechanism that is inlined in a run, whose choices it makes."""

    def __init__(self, run: MechanismRun, calls: Calls) -> None:
        super().__init__(calls)
        self._run = run

    def drawn(self, source: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        return self._run.drawn_by(self, source, args, kwargs)

    def drawn_each(self, mechanism: Mechanism, calls: Arguments, parameters: Mapping[str, Any]) -> Parts:
        return self._run.each_by(self, mechanism, calls, parameters)

    def drawn_until(
        self,
        mechanism: Mechanism,
        accepted: Callable[[Any], bool],
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
    ) -> Any:
        return self._run.until_by(self, Round(mechanism, accepted), args, parameters)

    def holds(self, value: NoiseValue, relation: Comparator) -> bool:
        """See `Observer`."""
        self.refuse_unless_running()
        return self._run.answer(value, relation)

    def best_of(self, numbers: Sequence[NoiseValue], better: Better, count: int) -> Sequence[int]:
        self.refuse_unless_running()
        return self._run.chosen_best(numbers, better, count)

    def holds_of(self, node: Node, relation: Comparator) -> bool:
        """See `Observer`."""
        self.refuse_unless_running()
        return self._run.answer_of(node, relation)

    def clamped(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber | NoiseValue:
        """See `Observer`."""
        self.refuse_unless_running()
        return self._run.clamp(value, low, high)

    def rounded_down(self, value: NoiseValue) -> NoiseValue:
        """See `Observer`."""
        self.refuse_unless_running()
        return self._run.round_down(self, value)

    def folded(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber | NoiseValue:
        """See `Observer`."""
        self.refuse_unless_running()
        return self._run.fold_for(self, value, low, high)
