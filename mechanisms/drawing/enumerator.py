"""The enumerator: runs a mechanism once per path and adds up the exact law of what it returns.

Each run replays a prefix of choices and takes the first branch beyond it; the next run changes the last choice that has
a branch left. A path's probability is that of its draws times the joint probability of the comparisons that it made.

A mechanism that another one draws from is replaced by its law, which is remembered; or it is *inlined*, so that its
choices are those of the run around it. Both give one law: code inside the language passes nothing on unseen. Code
outside is never run here, but by the plain enumerator.

What a mechanism is answered on its way is in `runs.py`; the replay of paths and the memory of laws are here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from types import CodeType, FrameType, FunctionType
from typing import Any, Final, NamedTuple, TypeGuard

from dpverify.mechanisms.comparing.call import Arguments, Calls
from dpverify.mechanisms.comparing.trail import Trail
from dpverify.mechanisms.drawing.caching import CachedDistributions, CachedResult, in_full_if_few
from dpverify.mechanisms.drawing.distribution_so_far import DistributionSoFar, ScoredDistribution
from dpverify.mechanisms.drawing.failures import call_of as _call
from dpverify.mechanisms.drawing.failures import explained_error
from dpverify.mechanisms.drawing.place_of_return import place_of_return
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.drawing.rounds import Again
from dpverify.mechanisms.drawing.runs import MechanismRun, NotAsRead
from dpverify.mechanisms.drawing.unmodified import as_mechanism
from dpverify.mechanisms.finer_releases.seen_by_value import Reached
from dpverify.mechanisms.functions.fixed_values import Changeable, fixed, key_of_call
from dpverify.mechanisms.functions.limits import Limits, checked_limits
from dpverify.mechanisms.functions.mechanism import Mechanism, exact_parameters, name_of
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.places import place_in_brackets, place_now, place_of, place_of_definition
from dpverify.mechanisms.functions.watched_rows import OrderRead, WatchedRows, forget_notes
from dpverify.mechanisms.functions.watching import Running, watcher_now
from dpverify.mechanisms.language.compiled import CompiledForm, as_written, form_of
from dpverify.mechanisms.language.compiled_code import tree_that_runs
from dpverify.mechanisms.language.numpy_names import drawn_by
from dpverify.mechanisms.noise.law import ALL_NOISE, NoiseLaw
from dpverify.mechanisms.noise.point_mass import PointMass
from dpverify.mechanisms.numbers.cached_results import identity
from dpverify.mechanisms.numbers.errors import (
    InputError,
    Interruption,
    LimitMet,
    MechanismError,
    Place,
    Undecided,
    not_known,
)
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.roots.epsilon_symbol import DependsOnEpsilon
from dpverify.mechanisms.numbers.shown import cut
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import ReleasedDistribution, Releases
from dpverify.mechanisms.outputs.released_parts import FEW_OUTCOMES
from dpverify.mechanisms.path_conditions.noise_tree import WeightAskedFor
from dpverify.mechanisms.patterns.last_draws import LastDraws, draws_last_alone, function_that_returns, last_draws
from dpverify.mechanisms.program_states.program_points import points_of
from dpverify.mechanisms.program_states.steps import ItemStretch, ProgramStretch, StateGraph
from dpverify.mechanisms.program_states.weights import NeverEnds, NotBySteps
from dpverify.mechanisms.reasons.not_known import POINT_MASS


def distribution(
    mechanism: Mechanism, database: Hashable, /, *, limits: Limits | None = None, **parameters: Any
) -> Distribution[Any]:
    """The exact law of mechanism(draw, database, **parameters).

    `epsilon` and `delta` among the parameters may be any exact numbers; the mechanism is given a `Fraction` where they
    are rational. Released noise, and more than a few thousand outcomes of independent parts (`draw.each`), give a
    `ReleasedDistribution`. Raises `InputError` for a mechanism that
    raises, draws from what is no distribution, returns what cannot be hashed, continuous noise, or outcomes that are
    equal and yet not the same, is not deterministic but for `draw`, or has chance of another source; `Undecided` where
    a comparison in it cannot be decided, `LimitMet` among them where it exceeds the limits.

    >>> def response(draw, rows, *, p):
    ...     return rows[0] if draw(bernoulli(p)) else 1 - rows[0]
    >>> distribution(response, (1,), p="3/4").probability(1)
    Fraction(3, 4)
    """
    checked = checked_limits(limits)
    enumeration = Enumeration(checked, reads=True)
    law = enumeration.law(as_mechanism(as_written(mechanism)), (database,), exact_parameters(parameters))
    few = (
        checked.paths if enumeration.has_read else FEW_OUTCOMES
    )  # what is read could be run as it is, up to so many paths
    return in_full_if_few(law, max(few, FEW_OUTCOMES))


class WholeRuns(NamedTuple):
    """A mechanism that was enumerated by whole runs: where it is not by steps, and why."""

    mechanism: str
    line: int
    """0 where it is not known."""
    why: str


class _Whole(NamedTuple):
    """The mechanism that is enumerated, what it returns at once, and whether it draws nothing else."""

    mechanism: Mechanism | None
    last: tuple[FunctionType, LastDraws] | None
    draws_last_alone: bool


class Enumeration:
    """Enumerates mechanisms, and remembers the laws of those that other mechanisms draw from.

    Those of which `inlined` says so are run as part of the run that draws from them. All together it makes no more than
    `most` runs, if that is given. What is drawn has a `share` of its noise: noise of a scale is scaled, and
    distributions that are made of such noise as they say. Thresholds are what they were, also those that a mechanism
    computes from the law of its noise, and so are probabilities that it computes from there. One that `reads` keeps
    items of lists apart that are drawn independently, where there are many paths: see `StateGraph`.
    """

    def __init__(
        self,
        limits: Limits,
        inlined: Callable[[Mechanism], bool] = lambda _: False,
        most: int | None = None,
        share: Fraction = ALL_NOISE,
        *,
        reads: bool = False,
    ) -> None:
        self.limits = limits
        self.is_open = False
        """True where the mechanism itself may return unknown numbers: see `unknown_outcomes`."""
        self.inlined: Callable[[Mechanism], bool] = lambda mechanism: inlined(self.users(mechanism))
        self._form: CompiledForm | None = None
        """The form in which the mechanism runs for which it looks out."""
        self._plain: PlainEnumerator | None = None
        """The enumerator of one for which it looks out and that has none, as it lies outside the language."""
        self.most = most
        self.share = share
        self._reads = reads
        self._has_all_noise = share == ALL_NOISE  # asked at every draw
        self.has_scaled = False
        """True where something was drawn that there can be a share of."""
        self.point_masses: frozenset[str] = frozenset()
        """Noise of scale 0 that was drawn, in words, with its line."""
        self.calls = Calls()
        self.caller: CodeType = _CALLER
        """The code by which mechanisms are called, with nothing between."""
        self._until_read = _UNTIL_READ
        self.has_read = False
        """True where a law was found with items kept apart."""
        self.takes_rows = False
        """True where rows that are watched were taken one by one, in a way that shows no order."""
        self.runs = 0
        self.runs_of_parts: dict[Hashable, int] = {}
        """Number of the runs that each remembered law took, by its key; without those of laws within it."""
        self.whole_runs: dict[WholeRuns, None] = {}
        """The mechanisms with more than a few paths that were not found by steps, in order."""
        self.parts: dict[Mechanism, None] = {}
        """The mechanisms that were drawn from, in order."""
        self._reached: list[Reached] = []
        """All that the sub-mechanisms reach whose laws are being found, the innermost last."""
        self._runs_of_remembered = 0
        self._laws: dict[tuple[CompiledForm | None, Hashable], Distribution[Any]] = {}
        self._whole = _Whole(None, None, draws_last_alone=False)
        """The mechanism for which it looks out."""
        self._asked_for_each: dict[int, Mechanism] = {}
        """By their identities the mechanisms that are asked for each comparison."""
        self._kept = CachedDistributions()
        self._steps: dict[tuple[int, bool, bool], tuple[Mechanism, StateGraph | NotBySteps]] = {}
        """By the identity of a mechanism, which is kept with it, its steps, those `at_rows`, and those that keep items
        apart, too, or why it has none."""

    def law(self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> Distribution[Any]:
        """The exact law of mechanism(draw, *args, **parameters)."""
        if self._form is None and self._plain is None:
            with self.looking_out(mechanism, parameters):
                return self.law(mechanism, args, parameters)
        try:
            if self._plain is not None:
                return self._law_outside(self._plain, mechanism, args, parameters)
            if not self.calls.running:
                mechanism, (args, parameters) = self._in_its_form(mechanism, args, parameters)
            if watcher_now() is None:  # most often
                return self._enumerated(mechanism, args, parameters)
            with Running():
                law = self._enumerated(mechanism, args, parameters)
                if isinstance(law, ScoredDistribution):
                    _ = law.probabilities  # what computes them is seen, too
                return law
        finally:
            self.calls.refused = None  # what was refused stays so until the outermost call is over

    def _law_outside(
        self, plain: PlainEnumerator, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> Distribution[Any]:
        """The law of code outside the language, of which nobody knows which of its noise is scaled."""
        if not self._has_all_noise:
            raise Undecided(not_known.OUTSIDE.text(_call(mechanism, args)))
        before = plain.runs
        try:
            with Running():
                return plain.distribution(mechanism, args, parameters)
        finally:
            self.runs += plain.runs - before

    def _in_its_form(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> tuple[Mechanism, tuple[tuple[Any, ...], Mapping[str, Any]]]:
        assert self._form is not None, "it looks out"
        return self._form.value(mechanism), self._form.arguments(args, parameters)

    @contextmanager
    def looking_out(self, mechanism: Mechanism, parameters: Mapping[str, Any]) -> Iterator[None]:
        """While it lasts, the mechanism has one compiled form, which is found once for many databases.

        Of one outside the language chance from elsewhere than `draw` is refused. Raises `MechanismError`.
        """
        outer = self._form, self._plain, self._whole, self.calls.handed
        try:
            self._form, self._plain, self.calls.handed = form_of(mechanism, parameters), None, None
            if self._form is None:
                limits = self.limits
                most = limits.paths if self.most is None else min(limits.paths, self.most)
                self._plain = PlainEnumerator(replace(limits, paths=most), self.calls)
                with self._plain.looking_out(mechanism, parameters):
                    yield
                return
            self.calls.handed, body = self._form.handed, self._form.value(mechanism)
            self._whole = _Whole(body, _last_of(body), draws_last_alone(body, tree_that_runs))
            with drawn_by(self.calls.draw_now):
                yield
        except InputError as error:
            if isinstance(error, MechanismError):
                raise
            raise explained_error(mechanism, (), error) from error
        finally:
            self._form, self._plain, self._whole, self.calls.handed = outer

    def _enumerated(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> Distribution[Any]:
        while True:
            try:
                is_often = self.runs > _OFTEN and not self.calls.running and not self.has_read
                read = self._law_by_steps(mechanism, args, parameters) if is_often else None
                return self._law_of_paths(mechanism, args, parameters) if read is None else read
            except NotAsRead:
                self._asked_for_each[identity(mechanism)] = mechanism

    def _law_of_paths(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> Distribution[Any]:
        law = DistributionSoFar(is_open=self.is_open and not self.calls.running)
        trail = Trail(self.limits.draws)
        try:
            is_to_be_read = True
            for i in range(self.limits.paths):
                if is_to_be_read and i + trail.fewest_paths > self._until_read:
                    is_to_be_read = False
                    read = self._law_read(mechanism, args, parameters)
                    if read is not None:
                        return read
                try:
                    self._add_path(law, trail, mechanism, args, parameters)
                except OrderRead:  # but perhaps by a loop whose rounds may come in any order
                    forget_notes(args)
                    read = self._law_by_steps(mechanism, args, parameters)
                    if read is None:
                        raise
                    return read
                except LimitMet:  # as of a clamp to a wide range, which need not be gone through where it is read
                    read = None
                    if is_to_be_read:
                        refused, self.calls.refused = self.calls.refused, None
                        read = self._law_read(mechanism, args, parameters)
                        self.calls.refused = refused if read is None else None
                    if read is None:
                        raise
                    return read
                if law.size > self.limits.outcomes:
                    raise LimitMet(not_known.TOO_MANY_OUTCOMES.text(self.limits.outcomes, ""), "outcomes")
                if not trail.advance():
                    return law.finished()
            raise LimitMet(
                not_known.TOO_MANY_PATHS.text(self.limits.paths, f" ({len(trail):,} choices on the last one)", FEWER),
                "paths",
            )
        except LimitMet as met:
            if met.limit is None:  # an inner mechanism has said which, and how far it came
                raise
            where = place_in_brackets(place_of(met, mechanism)) if met.limit == "draws" else ""
            where = self._steps_in_words(mechanism, args, where)
            error = LimitMet(f"{_call(mechanism, args)} {met}; {law.progress}{where}")
            self.calls.refused = error
            raise error from None

    def _law_read(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> Distribution[Any] | None:
        """The law of a mechanism by steps, where no other one has drawn from it with items kept apart, if it can be.

        None where it is to be found by whole runs.
        """
        for apart in (True, False)[not self._reads or bool(self.calls.running) :]:
            law = self._law_by_steps(mechanism, args, parameters, apart=apart)
            if law is not None:
                self._until_read, self.has_read = 0, self.has_read or apart
                return law
        if not self.is_open or self.calls.running:
            self._note_whole_runs(mechanism, args)
        return None

    def _note_whole_runs(self, mechanism: Mechanism, args: tuple[Any, ...]) -> None:
        why = self._steps_of(mechanism, at_rows=_at_rows(args), apart=False)
        assert isinstance(why, NotBySteps), "it has no steps"
        place = place_of_definition(self.users(mechanism))
        self.whole_runs[
            WholeRuns(name_of(self.users(mechanism)), why.line or (place.line if place else 0), why.why)
        ] = None

    def _law_by_steps(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any], *, apart: bool = False
    ) -> Distribution[Any] | None:
        """The law from states that are merged; None where it is to be found by whole runs."""
        if self.is_open and not self.calls.running:
            return None
        at_rows = _at_rows(args)
        steps = self._steps_of(mechanism, at_rows=at_rows, apart=apart)
        if isinstance(steps, NotBySteps):
            return None
        law, refused, reached = DistributionSoFar(), self.calls.refused, None
        try:
            while reached is None:
                self.calls.refused = refused
                begun = steps.begun(args, parameters)
                known: Distribution[Any] | None = steps.known.get(begun)
                if known is not None:
                    return known
                reached = steps.reached(begun)
            for template, releases, weight in reached:
                law.add_released(template, releases, weight)
            if law.size > self.limits.outcomes:
                raise NotBySteps("it has too many outcomes")
            if apart and not steps.has_apart:
                raise NotBySteps("no item is kept apart")
            found = steps.known[begun] = law.finished()
            self.takes_rows = self.takes_rows or steps.takes_rows
            return found
        except DependsOnEpsilon:
            raise
        except NeverEnds as never:
            text = not_known.NEVER_ENDS.text(never.states)
            self.calls.refused = LimitMet(f"{_call(mechanism, args)} {text}{self._line(mechanism, never.line)}")
            raise self.calls.refused from None
        except (NotBySteps, InputError, Undecided) as error:
            why = error if isinstance(error, NotBySteps) else NotBySteps(cut(str(error), _LONGEST))
            self._steps[identity(mechanism), at_rows, apart], self.calls.refused = (mechanism, why), refused
            return None

    def _steps_in_words(self, mechanism: Mechanism, args: tuple[Any, ...], where: str) -> str:
        why = self._steps.get((identity(mechanism), _at_rows(args), False), (None, None))[1]
        if not isinstance(why, NotBySteps) or not why.states:
            return where
        return f"; {why.states:,} states were found, and {why.why}{where or self._line(mechanism, why.line)}"

    def _line(self, mechanism: Mechanism, line: int) -> str:
        place = place_of_definition(self.users(mechanism))
        return place_in_brackets(place and replace(place, line=line))

    def round_of(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> tuple[Mechanism, Exact] | None:
        """See `StateGraph.round`; None for a mechanism without `while`."""
        steps = self._steps_of(mechanism)
        try:
            if isinstance(steps, StateGraph) and steps.has_rounds:
                return steps.round(args, parameters, Again.AGAIN)
        except (NotBySteps, WeightAskedFor):
            pass
        return None

    def _steps_of(self, mechanism: Mechanism, *, at_rows: bool = False, apart: bool = False) -> StateGraph | NotBySteps:
        key = identity(mechanism), at_rows, apart
        known = self._steps.get(key)
        if known is None or (isinstance(known[1], StateGraph) and known[1].is_full):
            if len(self._steps) >= _MOST_STEPS:
                self._steps.clear()
            known = self._steps[key] = mechanism, self._steps_new(mechanism, at_rows=at_rows, apart=apart)
        return known[1]

    def _steps_new(self, mechanism: Mechanism, *, at_rows: bool, apart: bool) -> StateGraph | NotBySteps:
        if apart and (self._form is None or self._form.looks_at_kinds):
            return NotBySteps("its source looks at what an item is")
        try:
            points = points_of(mechanism, at_rows=at_rows, apart=apart)
        except NotBySteps as why:
            return why
        plain = self._steps_of(mechanism) if at_rows and not apart else None
        if isinstance(plain, StateGraph) and len(plain.points) == len(points):  # it is cut nowhere else
            return plain
        item = self._item_apart if apart else None
        return StateGraph(points, self._is_outside, self._add_paths, self.limits.paths, item)

    def _item_apart(self, outcomes: Iterable[tuple[Any, Releases, Exact]]) -> CachedResult:
        """The part that an item stands for which has these outcomes."""
        law = DistributionSoFar()
        for outcome, releases, chance in outcomes:
            if self._form is None or (
                self._form.looks_at_identity and type(outcome) not in (int, Fraction) and not releases
            ):
                raise NotBySteps("its source looks at what an item is")
            law.add_released(outcome, releases, chance)
        return self._kept(law.finished(), self.limits)

    def _is_outside(self, value: Any) -> bool:
        return self._form is not None and self._form.is_outside(value)

    def _add_paths(
        self, stretch: ProgramStretch | ItemStretch, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> None:
        """Run a stretch on all of its paths."""
        trail = Trail(self.limits.draws)
        try:
            for _ in range(self.limits.paths):
                self._add_path(stretch, trail, stretch, args, parameters)
                if not trail.advance():
                    return
        except NotAsRead:
            raise NotBySteps("each comparison is to be asked for") from None
        raise NotBySteps("a stretch of it has too many paths", stretch.line)

    def _add_path(
        self,
        law: DistributionSoFar | ProgramStretch | ItemStretch,
        trail: Trail,
        mechanism: Mechanism,
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
    ) -> None:
        before = self.calls.refused
        run = self._begun(trail, mechanism)
        if self.most is not None:
            self.refuse_paths(self.runs + 1)
        self.runs += 1
        self.calls.running.append(run)
        is_settling = False
        try:
            outcome = mechanism(run.draw, *args, **parameters)
            if self._form is not None:
                outcome = self._form.users(outcome)
            if self.calls.refused is None and not run.is_rejected:
                is_settling = True
                law.add(run.settled(outcome), run)
                is_settling = False
            if self._reached:
                self._reached[-1].refuse_changes()
        except (KeyboardInterrupt, Interruption):
            raise
        except BaseException as error:  # a mechanism may raise anything
            run.fail(error)
            if not run.is_lost and not run.is_rejected:
                if is_settling and _is_of_outcome(error):
                    error.place = self._place_of_return(self._begun(trail, mechanism), mechanism, args, parameters)
                raise explained_error(mechanism, args, self.calls.refused or error) from error
        finally:
            self.calls.running.pop()
        run.fail(self.calls.refused)
        if run.is_lost:
            self.calls.refused = before
            raise NotAsRead
        if self.calls.refused is not None:
            raise explained_error(mechanism, args, self.calls.refused)

    def _begun(self, trail: Trail, mechanism: Mechanism) -> MechanismRun:
        """A run of a mechanism, whose code is read."""
        run, whole = MechanismRun(self, trail), self._whole
        is_whole = mechanism is whole.mechanism
        run.chooses = identity(mechanism) not in self._asked_for_each
        run.last = whole.last if is_whole else _last_of(mechanism)
        run.draws_last_alone = is_whole and whole.draws_last_alone
        run.keeps_clamped = isinstance(mechanism, ProgramStretch) and mechanism.keeps_apart
        return run

    def _place_of_return(
        self, again: MechanismRun, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> Place | None:
        """The place at which a mechanism returns on a path that it has taken before."""
        refused = self.calls.refused
        self.calls.running.append(again)
        try:
            return place_of_return(mechanism, lambda: mechanism(again.draw, *args, **parameters))
        finally:
            self.calls.running.pop()
            self.calls.refused = refused

    def refuse_paths(self, count: int) -> None:
        """Raises `LimitMet` where there are to be more runs than it may make."""
        if self.most is not None and count > self.most:
            raise LimitMet(not_known.TOO_MANY_PATHS.text(self.most, ", with those of its parts", FEWER), "paths")

    def law_of_part(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> Distribution[Any]:
        """The law of a mechanism that another one draws from; remembered where nothing about it can change."""
        self.note(mechanism)
        if not self.calls.running:
            return self.law(mechanism, args, parameters)
        key = key_of_call(mechanism, args, parameters)
        known = None if key is None else self._laws.get((self._form, key))
        if known is not None:
            return known
        before, of_others = self.runs, self._runs_of_remembered
        is_compiled = isinstance(self._form, CompiledForm)
        self._reached.append(Reached(mechanism, args, parameters, is_compiled=is_compiled))
        try:
            law = self._enumerated(mechanism, args, parameters)
        finally:
            self._reached.pop()
        if key is not None and _are_fixed(law):
            self._laws[self._form, key] = law
            self.runs_of_parts[key] = self.runs - before - (self._runs_of_remembered - of_others)
            self._runs_of_remembered += self.runs_of_parts[key]
        return law

    def kept(self, mechanism: Mechanism, calls: Arguments, parameters: Mapping[str, Any]) -> tuple[CachedResult, ...]:
        """The parts that independent parts of a mechanism stand for, by their arguments: once for the same ones."""
        alike = {tuple(map(identity, args)): args for args in calls}
        found = {
            key: self._kept(self.law_of_part(mechanism, args, parameters), self.limits) for key, args in alike.items()
        }
        return tuple(found[tuple(map(identity, args))] for args in calls)

    def shared(self, law: Distribution[Any]) -> Distribution[Any]:
        """A distribution that a mechanism has made, with the share of its noise."""
        at_share = law.at_share
        if at_share is None:
            return law
        self.has_scaled = True
        return law if self._has_all_noise else at_share(self.share)

    def noise(self, law: NoiseLaw) -> NoiseLaw | None:
        """A noise law with the share of its noise; None where nothing is left of it, or nothing was there."""
        if isinstance(law, PointMass):
            place = place_now(sys._getframe())
            self.point_masses |= {f"{law}{place_in_brackets(place)}: {POINT_MASS}"}
            return None
        self.has_scaled = True
        if self._has_all_noise:
            return law
        return law.scaled(self.share) if self.share else None

    def users(self, mechanism: Any) -> Any:
        """The user's own value of one in the form in which the mechanism runs."""
        return mechanism if self._form is None else self._form.users(mechanism)

    def drawn(self, outcome: Any) -> Any:
        """An outcome that a run is given, in the values of its compiled form."""
        return outcome if self._form is None else self._form.drawn(outcome)

    def note(self, mechanism: Mechanism) -> None:
        """Remember that a mechanism was drawn from, where it can be told from others."""
        try:
            self.parts[self.users(mechanism)] = None
        except TypeError:  # an object that cannot be hashed
            return


def _at_rows(args: tuple[Any, ...]) -> bool:
    """True where rows are taken in no order."""
    return any(type(each) is WatchedRows for each in args)


def _is_of_outcome(error: BaseException) -> TypeGuard[InputError]:
    """True for an error about what was returned, of which it is not known where that was."""
    return isinstance(error, InputError) and not isinstance(error, LimitMet) and error.place is None


FEWER: Final = (
    "draw what is returned as it is with draw.each(mechanism, items), which keeps independent parts apart, leave "
    "what comes of released noise to a function, draw.release(noise, then=function)"
)
"""The ways for a mechanism to have fewer paths."""


def states_reached(frame: FrameType | None) -> tuple[int, str]:
    """The number of states that the steps of a mechanism have reached, and the line of the last, in brackets."""
    found, line = 0, 0
    while frame is not None:
        known = frame.f_locals
        if frame.f_code is StateGraph._all_from.__code__ and "place" in known:
            found, line = len(known["entering"]), known["self"].line_of(known["place"])
        elif frame.f_code is Enumeration._law_by_steps.__code__:
            return found, known["self"]._line(known["mechanism"], line)
        frame = frame.f_back
    return 0, ""


def choices_made(frame: FrameType | None) -> int:
    """The choices of a path that is being run, that of the innermost mechanism which makes some; 0 for none."""
    while frame is not None:
        if frame.f_code in (_CALLER, PlainEnumerator._run.__code__):
            trail = frame.f_locals.get("trail")
            if trail:
                return len(trail)
        frame = frame.f_back
    return 0


_MOST_STEPS: Final = 1 << 10

_LONGEST: Final = 100
"""Characters of an error for which a mechanism has no steps."""

_UNTIL_READ: Final = 16
"""Paths of a mechanism that are run as it is written, before its comprehensions are read."""

_OFTEN: Final = 128
"""Runs from which on it is run by steps, which serve all databases, also where it has few paths on each."""


def _are_fixed(law: Distribution[Any]) -> bool:
    """True where nobody who draws an outcome can change it."""
    of_law = (*law.finite, *law.released) if isinstance(law, ReleasedDistribution) else law.probabilities
    try:
        for outcome in of_law:
            if not is_plain(outcome):
                fixed(outcome)
    except (Changeable, RecursionError):
        return False
    return True


def _last_of(mechanism: Mechanism) -> tuple[FunctionType, LastDraws] | None:
    """The function of a mechanism, with what it returns at once; None where that is nothing."""
    function = function_that_returns(mechanism)
    last = None if function is None else last_draws(function, tree_that_runs)
    return (function, last) if function is not None and last is not None and last.names else None


_CALLER: Final = Enumeration._add_path.__code__
"""The code by which mechanisms are called, with nothing between."""
