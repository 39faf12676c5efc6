"""The sampler: runs a mechanism once, with chance that is exactly that of its law.

A uniform number in [0, 1) is revealed bit by bit, as far as a choice needs: an outcome is taken once the revealed
interval lies between two cumulative probabilities, a comparison of noise is answered once balls around both sides are
apart. Balls of finite precision only propose: what they leave open is asked again with more bits, and never rounded.
"""

from __future__ import annotations

import random
import secrets
from bisect import bisect_right
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from math import floor
from typing import Any

from flint import arb, ctx

from dpverify.mechanisms.comparing.call import Arguments, Call, Calls, Parts
from dpverify.mechanisms.comparing.comparisons import (
    EQUALITIES,
    has_form,
    is_continuous,
    noise_comparison,
    single_noise,
)
from dpverify.mechanisms.comparing.evaluated import exact_value, revealed
from dpverify.mechanisms.comparing.revealed import (
    GUARD,
    RandomBits,
    UniformNumber,
    ball_of,
    float_in,
    floor_of,
    multiple_in,
)
from dpverify.mechanisms.comparing.spent_noise import (
    SpentNoises,
    folded_law,
    is_all_continuous,
    refuse_tied,
    rounded_law,
)
from dpverify.mechanisms.drawing.caching import Keeping, finite
from dpverify.mechanisms.drawing.failures import concealed, explained_error, is_debugging
from dpverify.mechanisms.drawing.rounds import Again, Round
from dpverify.mechanisms.drawing.unmodified import as_mechanism
from dpverify.mechanisms.finer_releases.linear_fractions import linear_fraction
from dpverify.mechanisms.functions.canonical import canonical, handed_on
from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.functions.mechanism import Mechanism, exact_parameters
from dpverify.mechanisms.functions.outcomes import refuse_outcome
from dpverify.mechanisms.functions.parts import refuse_parts
from dpverify.mechanisms.functions.post_processing import applied, held_by, unwrapped
from dpverify.mechanisms.functions.signatures import in_python, parameters_for, takes
from dpverify.mechanisms.language.compiled import CompiledForm, form_of
from dpverify.mechanisms.language.exact_reading import as_floats, with_numpys_arrays
from dpverify.mechanisms.language.numpy_names import drawn_by
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.noise.point_mass import PointMass
from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, ExactLike, as_parameter
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.mechanisms.numbers.integers.whole_numbers import whole_number
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.folding import reflected
from dpverify.mechanisms.outputs.long_sequences import length
from dpverify.mechanisms.outputs.released import lattice_of
from dpverify.mechanisms.path_conditions.expressions import (
    Comparator,
    DerivedNumber,
    Node,
    Noisy,
    PlainNumber,
    linear_in,
    with_noises,
)
from dpverify.mechanisms.path_conditions.noise_value import HOLDS, NoiseValue, refuse_noise, without_noise
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable


def run(
    mechanism: Mechanism,
    database: Hashable,
    /,
    seed: int | None = None,
    *,
    grid: ExactLike | None = None,
    **parameters: Any,
) -> Any:
    """One outcome of mechanism(draw, database, **parameters), drawn exactly from its law.

    A real number in it is given as the float nearest to it, or as the nearest multiple of `grid`, a rational number
    > 0: both are computed from the real number alone, so that what holds of the privacy of that holds of them, too. (A
    mechanism that has a parameter of that name is given the grid.)

    Chance comes from the operating system's cryptographic source; with a `seed`, from a generator that repeats (for
    tests and examples: such a run is not private). `epsilon` and `delta` may be any exact numbers. Raises `InputError`
    for a seed or parameters that it does not take, and `MechanismError` where the mechanism fails, in any way: that it
    does is outside what was claimed of it, and the error names its type, the mechanism and its file and nothing of the
    database, unless within `debugging`.

    >>> def response(draw, rows, *, p):
    ...     return rows[0] if draw(bernoulli(p)) else 1 - rows[0]
    >>> run(response, (1,), seed=7, p="3/4")
    0
    """
    mechanism = as_mechanism(mechanism)
    if grid is not None and takes(mechanism, "grid"):
        grid, parameters = None, {**parameters, "grid": grid}
    if is_debugging():
        return _shown_run(mechanism, database, seed, grid, parameters)
    outcome, failure = _attempted(mechanism, database, seed, grid, parameters)
    if failure is None:
        return outcome
    del mechanism, database, seed, grid, parameters, outcome  # a traceback keeps what its frames hold
    try:
        raise failure
    finally:
        del failure


def _attempted(
    mechanism: Mechanism, database: Hashable, seed: int | None, grid: ExactLike | None, parameters: Mapping[str, Any]
) -> tuple[Any, BaseException | None]:
    """The outcome of a run, or the error to raise in its place, which refers to nothing that the run has met."""
    try:
        given, random_bits = parameters_for(mechanism, {}, parameters, in_python), _random_bits(seed)
        step = _grid(grid)
    except InputError as error:
        return None, InputError(str(error))
    session = _Session(random_bits, step)
    try:
        outcome = session.finished(mechanism, database, given)
    except KeyboardInterrupt:
        return None, KeyboardInterrupt()
    except BaseException as error:  # also one of the mechanism's own, which may hold rows as any other
        return None, concealed(mechanism, session.refused or error)
    if session.refused is not None:
        return None, concealed(mechanism, session.refused)
    return outcome, None


def _shown_run(
    mechanism: Mechanism, database: Hashable, seed: int | None, grid: ExactLike | None, parameters: Mapping[str, Any]
) -> Any:
    """The outcome of a run whose errors say all."""
    given = parameters_for(mechanism, {}, parameters, in_python)
    session = _Session(_random_bits(seed), _grid(grid))
    try:
        outcome = session.finished(mechanism, database, given)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise explained_error(mechanism, (), session.refused or error) from error
    if session.refused is not None:
        raise explained_error(mechanism, (), session.refused)
    return outcome


def _random_bits(seed: int | None) -> RandomBits:
    if seed is None:
        return secrets.randbits
    number = whole_number(seed)
    if number is None:
        raise InputError(bad_input.NOT_WHOLE, f"seed={shown(seed)}", "")
    return random.Random(number).getrandbits


def _grid(grid: ExactLike | None) -> Fraction | None:
    if grid is None:
        return None
    step = as_parameter(positive(grid, "grid"))
    if not isinstance(step, Fraction):
        raise InputError(bad_input.RATIONAL, f"grid={step}")
    return step


class _Session(Calls):
    """One run of a mechanism with all that it calls, and its source of chance."""

    def __init__(self, random_bits: RandomBits, grid: Fraction | None = None) -> None:
        super().__init__()
        self.random_bits = random_bits
        self.grid = grid
        self.form: CompiledForm | None = None
        """The compiled form of the mechanism, where that lies inside the language."""

    def drawn(self, outcome: Any) -> Any:
        """An outcome that a run is given, in the values of its compiled form."""
        return outcome if self.form is None else self.form.drawn(outcome)

    def finished(self, mechanism: Mechanism, database: Hashable, parameters: Mapping[str, Any]) -> Any:
        """An outcome of a mechanism, as `run` gives it."""
        form = self.form = form_of(mechanism, parameters)
        if form is not None:
            self.handed, mechanism = form.handed, form.mechanism
            (database,), parameters = form.arguments((database,), parameters)
        with drawn_by(self.draw_now):
            outcome = self.call(mechanism, (database,), parameters, SamplingDraw.released)
        refuse_outcome(unwrapped(outcome))
        del mechanism, database, parameters  # a function that is applied to what is released sees nothing else
        result = as_floats(applied(outcome))
        return with_numpys_arrays(handed_on(result if form is None else form.users(result)))

    def call(
        self,
        mechanism: Mechanism,
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
        finish: Callable[[SamplingDraw, Any], Any],
    ) -> Any:
        """The value that mechanism(draw, *args, **parameters) gives, with its noise as `finish` makes it."""
        sampler = SamplingDraw(self)
        self.running.append(sampler)
        try:
            outcome = mechanism(sampler.draw, *args, **parameters)
            if self.form is not None:
                outcome = self.form.users(outcome)
            if isinstance(outcome, Distribution):
                return as_held(sampler.draw(outcome))
            outcome = as_held(outcome)
            sampler.refuse_noise_of_others(outcome)
            return finish(sampler, outcome)
        finally:
            self.running.pop()


class SamplingDraw(Call):
    """The `draw` of one call, and what its noise is: a whole number, or the uniform number whose quantile it is.

    Discrete noise is a whole number from when that is asked for.
    """

    def __init__(self, session: _Session) -> None:
        super().__init__(session)
        self._session = session
        self._random_bits = session.random_bits
        self._noise: dict[NoiseVariable, int | UniformNumber] = {}
        self._tied: list[frozenset[NoiseVariable]] = []  # disjoint groups
        self._spent = SpentNoises(rounded_stay=True)
        self._parts: Keeping[Any] = Keeping()

    def released(self, outcome: Any) -> Any:
        """An outcome with numbers in the place of noise: whole ones, and floats or multiples of the grid for real ones.

        What is computed from noise is a number as well, and what is post-processed is so from such numbers. All of it
        has the law of what is drawn, also where that has no closed form here.
        """
        numbers = without_noise(without_noise(outcome, self._spent.checked), self._number_of)
        return self._parts.replaced(numbers, self, lambda drawn: drawn)

    def _number_of(self, value: Noisy) -> PlainNumber | float:
        """The number itself where it is rational for sure, the nearest float or multiple of the grid elsewhere."""
        if isinstance(value, NoiseValue):
            for variable, _ in value.parts:
                variable.law.refuse_use("returned")
        if not all(variable.law.discrete for variable, _ in value.parts):
            result: PlainNumber | float = self._told_of(value, self._rounded)
            return result
        number = exact_value(value.node, self._whole_noise)
        rational = as_parameter(number)
        if isinstance(rational, Fraction):
            return int(rational) if rational.denominator == 1 else rational
        if isinstance(value, NoiseValue):
            raise InputError(bad_input.RATIONAL, f"what is returned, {value.described()},")
        precision = WORKING_PRECISION
        while True:
            with ctx.workprec(precision):
                nearest = self._rounded(enclosure(number, precision))
            if nearest is not None:
                return nearest
            precision *= 2

    def _rounded(self, ball: arb) -> PlainNumber | float | None:
        """The float that is nearest to a number in a ball, or the nearest multiple of the grid; None for several.

        It is of the sum, or what was computed, and not of what that is made of, and so computed from it alone.
        """
        grid = self._session.grid
        return float_in(ball) if grid is None else multiple_in(ball, grid)

    def _told_of(self, value: Noisy, told: Callable[[arb], Any]) -> Any:
        return revealed(value.node, dict.fromkeys(variable for variable, _ in value.parts), self._drawn_noise, told)

    def _drawn_noise(self, variable: NoiseVariable) -> int | UniformNumber:
        """A noise: whole ones as whole numbers."""
        return self._whole_noise(variable) if variable.law.discrete else self._noise[variable]

    def holds_of(self, node: Node, relation: Comparator) -> bool:
        """See `Observer`."""
        self.refuse_unless_running()
        value = DerivedNumber(self, node)
        for linear in linear_in(node):
            self._spent.refuse(NoiseValue(self, linear.parts, linear.shift))
        if all(variable.law.discrete for variable, _ in value.parts):
            return HOLDS[relation](decision.sign(exact_value(node, self._whole_noise)))
        fraction = linear_fraction(node)
        if fraction is not None and not fraction[0].parts and fraction[0].shift == 0:
            return HOLDS[relation](0)  # which no ball shows
        return HOLDS[relation](self._told_of(value, _sign))

    def _passed_on(self, sampler: SamplingDraw, outcome: Any) -> Any:
        """The outcome that a sub-mechanism returns, with its noise as noise of this call."""
        adopted: dict[NoiseVariable, NoiseVariable] = {}

        def own(theirs: NoiseVariable) -> NoiseVariable:
            if theirs not in adopted:
                adopted[theirs] = NoiseVariable(theirs.law, len(self._noise) + 1)
                self._noise[adopted[theirs]] = sampler._noise[theirs]
            return adopted[theirs]

        def passed(value: Noisy) -> Noisy:
            if isinstance(value, NoiseValue):
                return NoiseValue(self, tuple((own(theirs), c) for theirs, c in value.parts), value.shift)
            return DerivedNumber(self, with_noises(value.node, own))

        result = held_by(self, without_noise(without_noise(outcome, sampler._spent.checked), passed))
        result = sampler._parts.replaced(result, sampler, lambda drawn: self._parts.part(self, drawn))
        for group in sampler._tied:
            tied = frozenset(adopted[theirs] for theirs in group if theirs in adopted)
            if len(tied) > 1:
                self._tied.append(tied)
        return result

    def holds(self, value: NoiseValue, relation: Comparator) -> bool:
        """See `Observer`: discrete noise is known; other noise is revealed until the ball around the value is off 0."""
        self.refuse_unless_running()
        self._spent.refuse(value)
        if relation in EQUALITIES and is_continuous(value):
            return relation == "!="
        if len(value.parts) > 1 and not has_form(value):
            return self.holds_of(value.node, relation)
        _, if_holds, if_fails = noise_comparison(value, relation)
        if len(value.parts) > 1 and if_holds and if_fails:
            noises = frozenset(variable for variable, _ in value.parts)
            met = [group for group in self._tied if not group.isdisjoint(noises)]
            self._tied = [*(group for group in self._tied if group not in met), noises.union(*met)]
        known = value.shift
        unknown: list[tuple[NoiseLaw, UniformNumber, Exact]] = []
        for variable, coefficient in value.parts:
            if variable.law.discrete:
                known += coefficient * self._whole_noise(variable)
            else:
                uniform = self._noise[variable]
                assert isinstance(uniform, UniformNumber), "continuous noise is known bit by bit"
                unknown.append((variable.law, uniform, coefficient))
        if not unknown:
            return HOLDS[relation](decision.sign(known))
        while True:
            ball = ball_of(unknown, known)
            if ball is not None and (ball > 0 or ball < 0):
                return HOLDS[relation](1 if ball > 0 else -1)
            for _, noise, _ in unknown:
                noise.reveal()

    def clamped(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber:
        """See `Observer`."""
        self.refuse_unless_running()
        return min(max(self._number(value, "what is clamped")[1], low), high)

    def rounded_down(self, value: NoiseValue) -> NoiseValue:
        """See `Observer`: other noise is revealed until a ball around it lies between two whole numbers."""
        self.refuse_unless_running()
        return self._spent.rounded_down(value, self._new_rounded_noise)

    def _new_rounded_noise(self, variable: NoiseVariable, coefficient: Exact, shift: Exact) -> NoiseValue:
        law = rounded_law(variable.law, coefficient, shift, variable.law.support)
        whole = NoiseVariable(law, len(self._noise) + 1)
        if variable.law.discrete:
            self._noise[whole] = floor(coefficient * self._whole_noise(variable) + shift)
        else:
            noise = self._noise[variable]
            assert isinstance(noise, UniformNumber), "continuous noise is known bit by bit"
            self._noise[whole] = floor_of([(variable.law, noise, coefficient)], shift)
        return NoiseValue(self, ((whole, ONE),), ZERO)

    def _is_tied(self, variable: NoiseVariable) -> bool:
        return any(variable in group for group in self._tied)

    def folded(self, value: NoiseValue, low: PlainNumber, high: PlainNumber) -> PlainNumber | NoiseValue:
        """See `Observer`: what is folded of other noise is as well known as that noise."""
        self.refuse_unless_running()
        self._spent.refuse_to_fold(value)
        for variable, _ in value.parts:
            refuse_tied(variable, self._is_tied(variable))
        if is_all_continuous(value):
            variable, _, _ = single_noise(value, "what is folded")
            inside = NoiseVariable(folded_law(value, variable.law.support, low, high), len(self._noise) + 1)
            self._noise[inside] = self._noise[variable]
            self._spent.spend(variable)
            return NoiseValue(self, ((inside, ONE),), ZERO)
        variable, number = self._number(value, "what is folded")
        self._spent.spend(variable)
        return reflected(number, low, high)

    def drawn_each(self, mechanism: Mechanism, calls: Arguments, parameters: Mapping[str, Any]) -> Parts:
        """See `Call`: the parts are drawn, and what they are is told where they are returned."""
        results = [self._session.call(mechanism, args, parameters, SamplingDraw._as_part) for args in calls]
        return tuple(self._parts.part(self, drawn) for drawn in results)

    def _as_part(self, outcome: Any) -> Any:
        """The value of an independent part."""
        result = self.released(outcome)
        refuse_outcome(unwrapped(result))
        return result

    def drawn(self, source: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if isinstance(source, NoiseLaw):
            return self._new_noise(source)
        if isinstance(source, Distribution):
            if source.drawn is not None:
                return self._session.call(source.drawn, (), {}, self._passed_on)
            return self._session.drawn(canonical(self._outcome(finite(source))))
        if callable(source):
            refuse_noise((*args, *kwargs.values()))
            refuse_parts((*args, *kwargs.values()))
            outcome = self._session.call(source, args, exact_parameters(kwargs), self._passed_on)
            refuse_outcome(
                without_noise(self._parts.replaced(unwrapped(outcome), self, lambda _: None), lambda _: None)
            )
            return self._session.drawn(canonical(outcome))
        raise InputError(bad_input.DRAW_FROM, shown(source))

    def drawn_until(
        self,
        mechanism: Mechanism,
        accepted: Callable[[Any], bool],
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
    ) -> Any:
        one, outcome = Round(mechanism, accepted), Again.AGAIN
        while outcome is Again.AGAIN:
            outcome = self.drawn(one, args, parameters)
        return outcome

    def _number(self, value: NoiseValue, purpose: str) -> tuple[NoiseVariable, PlainNumber]:
        self._spent.refuse(value)
        variable, coefficient, shift = single_noise(value, purpose)
        lattice = lattice_of(variable.law, coefficient, shift, purpose)
        noise = self._whole_noise(variable)
        return variable, lattice.slot.value(lattice.centre + (-noise if lattice.negated else noise))

    def _outcome(self, distribution: Distribution[Any]) -> Any:
        outcomes = distribution.group(0 if distribution.groups == 1 else self._block(distribution))
        count = length(outcomes)
        return outcomes[0 if count == 1 else self._below(count)]

    def _block(self, distribution: Distribution[Any]) -> int:
        uniform = UniformNumber(self._random_bits)
        while True:
            low, high = distribution.cumulative_bounds(uniform.bits)
            index = bisect_right(low, uniform.known)
            if index == 0 or uniform.known >= high[index - 1]:
                return index
            uniform.reveal()

    def _below(self, bound: int) -> int:
        bits = (bound - 1).bit_length()
        while True:
            value = self._random_bits(bits)
            if value < bound:
                return value

    def _whole_noise(self, variable: NoiseVariable) -> int:
        """Discrete noise: the smallest whole number that is at least the quantile of its uniform number."""
        uniform = self._noise[variable]
        if isinstance(uniform, int):
            return uniform
        while True:
            precision = uniform.bits + GUARD
            with ctx.workprec(precision):
                quantile = variable.law.quantile(uniform.ball(), precision)
                value = None if quantile is None else quantile.ceil().unique_fmpz()
            if value is not None:
                self._noise[variable] = number = int(value)
                return number
            uniform.reveal()

    def _new_noise(self, law: NoiseLaw) -> NoiseValue:
        if isinstance(law, PointMass):
            return NoiseValue(self, (), ZERO)
        variable = NoiseVariable(law, len(self._noise) + 1)
        whole = law.drawn(self._random_bits)
        self._noise[variable] = UniformNumber(self._random_bits) if whole is None else whole
        return NoiseValue(self, ((variable, ONE),), ZERO)


def _sign(ball: arb) -> int | None:
    """The sign of every number in a ball, if they have one."""
    return 1 if ball > 0 else -1 if ball < 0 else None
