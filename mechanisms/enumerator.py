"""The enumerator: runs a mechanism once per path and adds up the exact law of what it returns.

Each run replays a prefix of choices and takes the first branch beyond it; the next run changes the last choice that has
a branch left. A path's probability is that of its draws times the joint probability of the comparisons that it made.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpverify.mechanisms.comparisons import joint_probability, narrowed, possible_values, single_noise, values_if
from dpverify.mechanisms.distributions import Distribution
from dpverify.mechanisms.errors import InputError, MechanismError, Undecided
from dpverify.mechanisms.exact_numbers import ONE, ZERO, Exact, product, total
from dpverify.mechanisms.intervals import Intervals, intersection
from dpverify.mechanisms.mechanism import Mechanism, exact_parameters, name_of
from dpverify.mechanisms.noise import NoiseLaw
from dpverify.mechanisms.noise_value import NoiseValue, NoiseVariable, Relation
from dpverify.mechanisms.released import (
    Component,
    LatticeDistribution,
    Number,
    Release,
    Releases,
    clamp_cells,
    filled,
    lattice_of,
    slots_of,
)


@dataclass(frozen=True)
class Limits:
    """How far an enumeration goes: `paths` and `outcomes` of one database, `draws` on one path."""

    paths: int = 200_000
    draws: int = 1_000
    outcomes: int = 1_000_000


def distribution(
    mechanism: Mechanism, database: Hashable, /, *, limits: Limits | None = None, **parameters: Any
) -> Distribution[Any]:
    """The exact law of mechanism(draw, database, **parameters).

    `epsilon` and `delta` among the parameters may be any exact numbers; the mechanism is given a `Fraction` where they
    are rational. Released discrete noise gives a `LatticeDistribution`. Raises `InputError` for a mechanism that
    raises, draws from what is no distribution, returns what cannot be hashed or continuous noise, is not deterministic
    but for `draw`, or exceeds the limits; `Undecided` where a comparison in it cannot be decided.
    """
    return Enumeration(limits or Limits()).law(mechanism, (database,), exact_parameters(parameters))


class Enumeration:
    """Enumerates mechanisms, and remembers the laws of those that other mechanisms draw from."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._laws: dict[Hashable, Distribution[Any]] = {}

    def law(self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> Distribution[Any]:
        """The exact law of mechanism(draw, *args, **parameters)."""
        law = _LawSoFar()
        trail: list[_Choice] = []
        for _ in range(self.limits.paths):
            run = _Run(self, trail)
            try:
                law.add(mechanism(run.draw, *args, **parameters), run)
            except (Undecided, MechanismError):
                raise
            except InputError as error:
                raise MechanismError(f"{_call(mechanism, args)}: {error}") from error
            except Exception as error:
                raise MechanismError(f"{_call(mechanism, args)} raised {type(error).__name__}: {error}") from error
            if law.size > self.limits.outcomes:
                raise MechanismError(
                    f"{_call(mechanism, args)} has more than {self.limits.outcomes:,} outcomes: return less, or raise "
                    "limits=Limits(outcomes=…)"
                )
            while trail and trail[-1].index + 1 == len(trail[-1].branches):
                trail.pop()
            if not trail:
                return law.finished()
            trail[-1].index += 1
        raise MechanismError(
            f"{_call(mechanism, args)} has more than {self.limits.paths:,} paths ({law.size:,} outcomes so far, "
            f"{len(trail):,} choices on the last path): return the last Distribution instead of drawing from it, draw "
            "from sub-mechanisms with draw(mechanism, …), or raise limits=Limits(paths=…)"
        )

    def law_of_part(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> Distribution[Any]:
        """The law of a mechanism that another one draws from, remembered where its arguments can be hashed."""
        key = (mechanism, args, tuple(sorted(parameters.items())))
        try:
            known = self._laws.get(key)
        except TypeError:
            return self.law(mechanism, args, parameters)
        if known is None:
            known = self._laws[key] = self.law(mechanism, args, parameters)
        return known


def _call(mechanism: Mechanism, args: tuple[Any, ...]) -> str:
    return f"{name_of(mechanism)} on {args[0]!r}" if args else name_of(mechanism)


class _Choice:
    """One choice of a path: what was asked, the branches that it has, and which one is taken."""

    __slots__ = ("branches", "index", "question")

    def __init__(self, question: Hashable, branches: Sequence[tuple[Any, Any]]) -> None:
        self.question = question
        self.branches = branches
        self.index = 0


class _Run:
    """One run of a mechanism: the `draw` that it is given, and what it has been told about its noise."""

    def __init__(self, enumeration: Enumeration, trail: list[_Choice]) -> None:
        self._enumeration = enumeration
        self._trail = trail
        self._position = 0
        self.factors: list[Exact] = []
        self.known: dict[NoiseVariable, Intervals] = {}

    def draw(self, source: Any, /, *args: Any, **kwargs: Any) -> Any:
        """See `Draw`."""
        if isinstance(source, NoiseLaw):
            return self._noise(source, possible_values(source))
        if isinstance(source, Distribution):
            law = source
        elif callable(source):
            law = self._enumeration.law_of_part(source, args, kwargs)
        else:
            raise InputError(f"draw({source!r}): draw from a Distribution, a noise law or a mechanism")
        outcome, probability = self._taken(law.structure, lambda: self.leaves(law))
        self.factors.append(probability)
        if isinstance(outcome, Component):
            return filled(outcome.template, self._instances(outcome))
        return outcome

    def holds(self, value: NoiseValue, relation: Relation) -> bool:
        """See `Observer`: both answers are explored, unless what is known of the noise leaves one."""
        variable, if_holds, if_fails = values_if(value, relation)
        yes, no = narrowed(self.known[variable], if_holds, if_fails)
        if not yes or not no:
            return bool(yes)
        answer, known = self._taken((variable.number, variable.law, yes), lambda: ((True, yes), (False, no)))
        self.known[variable] = known
        return bool(answer)

    def clamped(self, value: NoiseValue, low: Number, high: Number) -> Number:
        """See `Observer`: every number between the ends is explored."""
        variable, coefficient, shift = single_noise(value, "clamp")
        lattice = lattice_of(variable.law, coefficient, shift, "what is clamped")
        known = self.known[variable]

        def branches() -> Sequence[tuple[Number, Intervals]]:
            cells = clamp_cells(lattice.slot, low, high)
            narrow = ((number, intersection(known, lattice.noise_in(cell))) for cell, number in cells)
            return tuple((number, values) for number, values in narrow if values)

        question = (variable.number, variable.law, coefficient, shift, low, high, known)
        number, self.known[variable] = self._taken(question, branches)
        return number  # type: ignore[no-any-return]

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
                "domain, or raise limits=Limits(outcomes=…)"
            )
        return law.leaves

    def released(self, outcome: Any) -> tuple[Hashable, Releases]:
        """The template of an outcome, and the releases in its slots; both are taken out of what is known."""
        releases: list[Release] = []
        return self._template(outcome, releases), tuple(releases)

    def probability(self) -> Exact:
        """The probability of the path, apart from released noise."""
        return product((*self.factors, joint_probability(self.known.items())))

    def _taken(self, question: Hashable, branches: Callable[[], Sequence[tuple[Any, Any]]]) -> tuple[Any, Any]:
        if self._position == len(self._trail):
            if self._position >= self._enumeration.limits.draws:
                raise InputError(
                    f"has made {self._position:,} choices on one path without returning: does it end? If so, raise "
                    "limits=Limits(draws=…)"
                )
            self._trail.append(_Choice(question, branches()))
        choice = self._trail[self._position]
        if choice.question is not question and choice.question != question:
            raise _not_deterministic("drew from another distribution than before")
        self._position += 1
        return choice.branches[choice.index]

    def _noise(self, law: NoiseLaw, known: Intervals) -> NoiseValue:
        variable = NoiseVariable(law, len(self.known) + 1)
        self.known[variable] = known
        return NoiseValue(self, ((variable, ONE),), ZERO)

    def _instances(self, component: Component) -> Iterator[Any]:
        for slot, release in zip(slots_of(component.template), component.releases, strict=True):
            yield (self._noise(release.law, release.values) + release.centre) * slot.unit + slot.offset

    def _template(self, outcome: Any, releases: list[Release]) -> Hashable:
        if isinstance(outcome, tuple):
            return tuple(self._template(part, releases) for part in outcome)
        if isinstance(outcome, NoiseValue):
            variable, coefficient, shift = single_noise(outcome, "what is returned")
            lattice = lattice_of(variable.law, coefficient, shift, "what is returned")
            if variable not in self.known:
                raise InputError(f"returned one noise twice: {variable}; return it once")
            releases.append(lattice.release(variable.law, self.known.pop(variable)))
            return lattice.slot
        return outcome  # type: ignore[no-any-return]


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
            for leaf, probability in run.leaves(outcome):
                if isinstance(leaf, Component):
                    self._add(leaf.template, leaf.releases, product((weight, probability)))
                else:
                    self._add(leaf, (), probability if weight is ONE else product((weight, probability)))
        else:
            template, releases = run.released(outcome)
            self._add(template, releases, run.probability())

    def _add(self, template: Any, releases: Releases, probability: Exact) -> None:
        try:
            paths = (
                self._released.setdefault(template, {}).setdefault(releases, [])
                if releases
                else self._finite.setdefault(template, [])
            )
        except TypeError:
            raise InputError(
                f"returned {template!r}, which cannot be hashed: return a tuple or a frozenset instead"
            ) from None
        if template != template:  # noqa: PLR0124  # a NaN
            raise InputError(f"returned {template!r}, which does not equal itself: return None or a string instead")
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
        return LatticeDistribution(finite, released)


def _sum(paths: list[Exact]) -> Exact:
    return paths[0] if len(paths) == 1 else total(paths)
