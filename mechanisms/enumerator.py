"""The enumerator: runs a mechanism once per path and adds up the exact law of what it returns.

Each run replays a prefix of choices and takes the first branch beyond it; the next run changes the last choice that has
a branch left. A path's probability is that of its draws times the joint probability of the comparisons that it made.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Hashable, Iterator, Mapping, Sequence
from typing import Any

from dpverify.mechanisms.call import Call, Calls
from dpverify.mechanisms.comparisons import (
    PASSED_ON_ALTHOUGH_TIED,
    Knowledge,
    alone,
    narrowed,
    possible_values,
    question,
    returned_although_tied,
    returned_twice,
    single_noise,
)
from dpverify.mechanisms.distributions import Distribution
from dpverify.mechanisms.enclosure import enclosure
from dpverify.mechanisms.errors import InputError, MechanismError
from dpverify.mechanisms.exact_numbers import ONE, ZERO, Exact, product, total
from dpverify.mechanisms.failures import call_of as _call
from dpverify.mechanisms.failures import explained
from dpverify.mechanisms.fixed_values import Changeable, fixed
from dpverify.mechanisms.implied_facts import Form
from dpverify.mechanisms.intervals import Intervals, intersection
from dpverify.mechanisms.limits import Limits, checked_limits, raise_limit
from dpverify.mechanisms.mechanism import Mechanism, exact_parameters
from dpverify.mechanisms.noise import NoiseLaw
from dpverify.mechanisms.noise_value import (
    NoiseValue,
    NoiseVariable,
    Number,
    Relation,
    refuse_noise,
    without_noise,
)
from dpverify.mechanisms.released import (
    AnyRelease,
    Component,
    LatticeDistribution,
    Releases,
    Slot,
    TiedRelease,
    clamp_cells,
    filled,
    lattice_of,
    slots_of,
)
from dpverify.mechanisms.shown import shown, told


def distribution(
    mechanism: Mechanism, database: Hashable, /, *, limits: Limits | None = None, **parameters: Any
) -> Distribution[Any]:
    """The exact law of mechanism(draw, database, **parameters).

    `epsilon` and `delta` among the parameters may be any exact numbers; the mechanism is given a `Fraction` where they
    are rational. Released discrete noise gives a `LatticeDistribution`. Raises `InputError` for a mechanism that
    raises, draws from what is no distribution, returns what cannot be hashed or continuous noise, is not deterministic
    but for `draw`, or exceeds the limits; `Undecided` where a comparison in it cannot be decided.
    """
    return Enumeration(checked_limits(limits)).law(mechanism, (database,), exact_parameters(parameters))


class Enumeration:
    """Enumerates mechanisms, and remembers the laws of those that other mechanisms draw from."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.calls = Calls()
        self.runs = 0
        self._laws: dict[Hashable, Distribution[Any]] = {}

    def law(self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> Distribution[Any]:
        """The exact law of mechanism(draw, *args, **parameters)."""
        try:
            return self._enumerated(mechanism, args, parameters)
        finally:
            if not self.calls.running:  # what was refused stays so until the outermost call is over
                self.calls.refused = None

    def _enumerated(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> Distribution[Any]:
        law = _LawSoFar()
        trail: list[_Choice] = []
        for _ in range(self.limits.paths):
            run = _Run(self, trail)
            self.runs += 1
            self.calls.running.append(run)
            try:
                outcome = mechanism(run.draw, *args, **parameters)
                if self.calls.refused is None:
                    law.add(outcome, run)
            except (Exception, SystemExit) as error:
                raise explained(mechanism, args, self.calls.refused or error) from error
            finally:
                self.calls.running.pop()
            if self.calls.refused is not None:
                raise explained(mechanism, args, self.calls.refused)
            if law.size > self.limits.outcomes:
                raise MechanismError(
                    f"{_call(mechanism, args)} has more than {self.limits.outcomes:,} outcomes: return less, or "
                    f"{raise_limit('outcomes')}"
                )
            while trail and trail[-1].index + 1 == len(trail[-1].branches):
                trail.pop()
            if not trail:
                return law.finished()
            trail[-1].index += 1
        raise MechanismError(
            f"{_call(mechanism, args)} has more than {self.limits.paths:,} paths ({law.size:,} outcomes so far, "
            f"{len(trail):,} choices on the last path): return the last Distribution instead of drawing from it, draw "
            f"from sub-mechanisms with draw(mechanism, …), or {raise_limit('paths')}"
        )

    def law_of_part(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> Distribution[Any]:
        """The law of a mechanism that another one draws from; remembered where nothing about it can change."""
        key = _key_of(mechanism, args, parameters)
        known = self._laws.get(key)
        if known is None:
            known = self.law(mechanism, args, parameters)
            if key is not None and key == _key_of(mechanism, args, parameters):  # it may have changed a dict
                self._laws[key] = known
        return known


def _key_of(mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> Hashable | None:
    """What a law may be remembered under; None where something about it can change."""
    try:
        named = tuple((name, fixed(parameters[name])) for name in sorted(parameters))
        return fixed(mechanism), tuple(map(fixed, args)), named
    except (Changeable, RecursionError):  # a dict may hold itself
        return None


def finite(law: Distribution[Any]) -> Distribution[Any]:
    """`law`. Raises `InputError` where it has infinitely many outcomes, which are drawn from the mechanism."""
    if isinstance(law, LatticeDistribution):
        raise InputError("draw from the mechanism itself, not from its law, which has infinitely many outcomes")
    return law


def refuse_outcome(outcome: Any) -> None:
    """Raises `InputError` for what no law can hold: what cannot be hashed, does not equal itself, or is a generator.

    Nor can it hold what depends on a symbolic ε: whether two outcomes are one would be a question of ε.
    """
    if _holds_a_symbol(outcome):
        raise InputError(
            f"returned {shown(outcome)}, which depends on a symbolic ε: return what was found, not what was given"
        )
    if isinstance(outcome, Generator | Coroutine | AsyncGenerator):
        if not isinstance(outcome, AsyncGenerator):
            outcome.close()  # or Python warns of a coroutine that was never awaited
        raise InputError("returned a generator or a coroutine: return the outcome itself, without yield or async")
    try:
        hash(outcome)
    except TypeError as error:
        raise InputError(
            f"returned a {type(outcome).__name__} which cannot be hashed ({told(error)}): return a tuple or a "
            "frozenset instead"
        ) from None
    if outcome != outcome:  # noqa: PLR0124  # a NaN is what does not equal itself
        raise InputError(f"returned {shown(outcome)}, which does not equal itself: return None or a string instead")


def _holds_a_symbol(outcome: Any) -> bool:
    if isinstance(outcome, Exact):
        return outcome.symbol is not None
    return isinstance(outcome, tuple | frozenset) and any(map(_holds_a_symbol, outcome))


class _Choice:
    """One choice of a path: what was asked, the branches that it has, and which one is taken."""

    __slots__ = ("branches", "index", "question")

    def __init__(self, question: Hashable, branches: Sequence[tuple[Any, Any]]) -> None:
        self.question = question
        self.branches = branches
        self.index = 0


class _Run(Call):
    """One run of a mechanism: the `draw` that it is given, and what it has been told about its noise."""

    def __init__(self, enumeration: Enumeration, trail: list[_Choice]) -> None:
        super().__init__(enumeration.calls)
        self._enumeration = enumeration
        self._trail = trail
        self._position = 0
        self._noises = 0
        self.factors: list[Exact] = []
        self.knowledge = Knowledge()

    def _drawn(self, source: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if isinstance(source, NoiseLaw):
            return self._noise(source, possible_values(source))
        if isinstance(source, Distribution):
            law = finite(source)
        elif callable(source):
            refuse_noise((*args, *kwargs.values()))
            law = self._enumeration.law_of_part(source, args, exact_parameters(kwargs))
        else:
            raise InputError(f"draw({shown(source)}): draw from a Distribution, a noise law or a mechanism")
        outcome, probability = self._taken(law.structure, lambda: self.leaves(law))
        self.factors.append(probability)
        if isinstance(outcome, Component):
            return filled(outcome.template, self._instances(outcome))
        return outcome

    def holds(self, value: NoiseValue, relation: Relation) -> bool:
        """See `Observer`: both answers are explored, unless what is known of the noise leaves one."""
        self.refuse_unless_running()
        form, if_holds, if_fails = question(value, relation)
        yes, no = narrowed(self.knowledge.values(form), if_holds, if_fails)
        if not yes or not no:
            return bool(yes)
        answer, values = self._taken(
            (_without_identity(form), yes), lambda: self._possible(form, ((True, yes), (False, no)))
        )
        self.knowledge.learn(form, values)
        return bool(answer)

    def _possible(self, form: Form, branches: Sequence[tuple[Any, Intervals]]) -> Sequence[tuple[Any, Intervals]]:
        """The branches that what is known of other noises leaves."""
        if not self.knowledge.is_shared(form):
            return branches
        return tuple(branch for branch in branches if self.knowledge.is_possible(form, branch[1]))

    def clamped(self, value: NoiseValue, low: Number, high: Number) -> Number:
        """See `Observer`: every number between the ends is explored."""
        self.refuse_unless_running()
        variable, coefficient, shift = single_noise(value, "clamp")
        lattice = lattice_of(variable.law, coefficient, shift, "what is clamped")
        form = alone(variable)
        known = self.knowledge.values(form)

        def branches() -> Sequence[tuple[Number, Intervals]]:
            count = (high - low) / lattice.slot.unit
            if count > self._enumeration.limits.paths:
                raise InputError(
                    f"clamp to [{low}, {high}] leaves {int(count):,} numbers to explore: clamp to a smaller range, or "
                    f"{raise_limit('paths')}"
                )
            cells = clamp_cells(lattice.slot, low, high)
            narrow = ((number, intersection(known, lattice.noise_in(cell))) for cell, number in cells)
            return self._possible(form, tuple((number, values) for number, values in narrow if values))

        asked = (_without_identity(form), coefficient, shift, low, high, known)
        number, values = self._taken(asked, branches)
        self.knowledge.learn(form, values)
        return number  # type: ignore[no-any-return]  # the key says of which kind it is

    def finish(self) -> None:
        """Check that the run asked everything that the run before it had asked."""
        if self._position < len(self._trail):
            raise _not_deterministic("returned without a draw that it had made before")

    def leaves(self, law: Distribution[Any]) -> Sequence[tuple[Any, Exact]]:
        """The outcomes of `law` with their probabilities. Raises `InputError` where they are too many."""
        limit = self._enumeration.limits.outcomes
        if law.size > limit:
            raise InputError(
                f"a distribution of {law.size:,} outcomes is too large to enumerate (limit {limit:,}): use a smaller "
                f"domain, or {raise_limit('outcomes')}"
            )
        return law.leaves

    def released(self, outcome: Any) -> tuple[Hashable, Releases]:
        """The template of an outcome, and the releases in its slots; both are taken out of what is known."""
        releases: list[AnyRelease] = []
        released: set[NoiseVariable] = set()

        def slot(value: NoiseValue) -> Slot:
            variable, coefficient, shift = single_noise(value, "what is returned")
            lattice = lattice_of(variable.law, coefficient, shift, "what is returned")
            if variable in released:
                raise returned_twice(variable)
            if self.knowledge.is_forgotten(variable):
                raise returned_although_tied(variable)
            released.add(variable)
            if self.knowledge.is_shared(alone(variable)):
                releases.append(lattice.tied_release(self.knowledge.forget_tied(variable)))
            else:
                releases.append(lattice.release(variable.law, self.knowledge.forget(variable)))
            return lattice.slot

        return without_noise(outcome, slot), tuple(releases)

    def probability(self) -> Exact:
        """The probability of the path, apart from released noise."""
        return product((*self.factors, self.knowledge.probability()))

    def _taken(self, question: Hashable, branches: Callable[[], Sequence[tuple[Any, Any]]]) -> tuple[Any, Any]:
        if self._position == len(self._trail):
            if self._position >= self._enumeration.limits.draws:
                raise InputError(
                    f"has made {self._position:,} choices on one path without returning: does it end? If so, "
                    f"{raise_limit('draws')}"
                )
            self._trail.append(_Choice(question, branches()))
        choice = self._trail[self._position]
        if choice.question is not question and choice.question != question:
            raise _not_deterministic("drew from another distribution than before")
        self._position += 1
        return choice.branches[choice.index]

    def _noise(self, law: NoiseLaw, known: Intervals) -> NoiseValue:
        self._noises += 1
        variable = NoiseVariable(law, self._noises)
        if known != possible_values(law):
            self.knowledge.learn(alone(variable), known)
        return NoiseValue(self, ((variable, ONE),), ZERO)

    def _instances(self, component: Component) -> Iterator[Any]:
        for slot, release in zip(slots_of(component.template), component.releases, strict=True):
            if isinstance(release, TiedRelease):
                raise InputError(PASSED_ON_ALTHOUGH_TIED)
            yield (self._noise(release.law, release.values) + release.centre) * slot.unit + slot.offset


def _without_identity(form: Form) -> Hashable:
    """What two runs that ask the same question agree in: the noises' numbers and laws, not the objects."""
    return tuple((variable.number, variable.law, coefficient) for variable, coefficient in form)


def _not_deterministic(what: str) -> InputError:
    return InputError(
        f"is not deterministic: with the same draws it {what}; let all chance come from `draw`, and none from random, "
        "numpy or the order of a set"
    )


class _LawSoFar:
    """The outcomes of the paths so far, with their probabilities."""

    def __init__(self) -> None:
        self._finite: dict[Hashable, list[Exact]] = {}
        self._released: dict[Hashable, dict[Releases, list[Exact]]] = {}
        self.size = 0

    def add(self, outcome: Any, run: _Run) -> None:
        """Add a run that has returned `outcome`."""
        run.finish()
        if isinstance(outcome, Distribution):
            weight = run.probability()
            for leaf, probability in run.leaves(finite(outcome)):
                self._add(leaf, (), probability if weight is ONE else product((weight, probability)))
        else:
            template, releases = run.released(outcome)
            self._add(template, releases, run.probability())

    def _add(self, template: Any, releases: Releases, probability: Exact) -> None:
        refuse_outcome(template)
        paths = (
            self._released.setdefault(template, {}).setdefault(releases, [])
            if releases
            else self._finite.setdefault(template, [])
        )
        self.size += not paths
        paths.append(probability)

    def finished(self) -> Distribution[Any]:
        """The law of the outcome."""
        finite = {outcome: _sum(paths) for outcome, paths in self._finite.items()}
        if not self._released:
            return Distribution.of_blocks((((outcome,), p) for outcome, p in finite.items()), total_weight=ONE)
        released = {
            template: {releases: _sum(paths) for releases, paths in components.items()}
            for template, components in self._released.items()
        }
        _check_mass(finite, released)
        return LatticeDistribution(finite, released)


def _check_mass(finite: Mapping[Hashable, Exact], released: Mapping[Hashable, Mapping[Releases, Exact]]) -> None:
    """Asserts that a law with tied releases adds up to 1, which checks their elimination as well."""
    parts = [(releases, weight) for components in released.values() for releases, weight in components.items()]
    if not any(isinstance(release, TiedRelease) for releases, _ in parts for release in releases):
        return
    masses = [
        product((weight, *(release.probability((None, None)) for release in releases))) for releases, weight in parts
    ]
    mass = total((*finite.values(), *masses))
    assert mass.symbol is not None or enclosure(mass).contains(1), f"the law adds up to {enclosure(mass)}"


def _sum(paths: list[Exact]) -> Exact:
    return paths[0] if len(paths) == 1 else total(paths)
