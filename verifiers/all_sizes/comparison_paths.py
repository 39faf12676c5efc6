"""Paths of a mechanism that asks nothing of its data but how noisy numbers compare, on unknown numbers.

    for i, score in enumerate(scores):
        if score + draw(laplace(8)) >= threshold:       # where it is above the number, and was above none before: i
            return i

One run is made for each order that its comparisons can tell; it is the same for all numbers, however it is written.
A run that asks for more, as where a score is compared with a number, or draws from more than noise, is none of these.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import fields
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

from dpverify.mechanisms.comparing.call import Calls
from dpverify.mechanisms.comparing.comparisons import EQUALITIES
from dpverify.mechanisms.comparing.trail import Trail
from dpverify.mechanisms.drawing.plain_path import PlainCall, PlainPath
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.watching import on_unknown_numbers
from dpverify.mechanisms.instructions.as_written import are_read
from dpverify.mechanisms.language.compiled import form_of
from dpverify.mechanisms.language.numpy_names import drawn_by
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.noise.point_mass import PointMass
from dpverify.mechanisms.numbers.errors import Interruption
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, negative, total
from dpverify.mechanisms.numbers.integers.unknown_outcomes import has_unknown
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.outputs.templates import refuse_lookalikes
from dpverify.mechanisms.path_conditions.expressions import Comparator
from dpverify.mechanisms.path_conditions.noise_value import HOLDS, NoiseValue
from dpverify.verifiers.all_sizes.regions.counters import key_order
from dpverify.verifiers.all_sizes.regions.domains import Endless, Histograms
from dpverify.verifiers.all_sizes.regions.laws import numbers_on
from dpverify.verifiers.all_sizes.regions.rows import counted_rows
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.processes.stopwatch import stopwatch

Order: TypeAlias = Mapping[tuple[int, int], bool]
"""Pairs of numbers of which the first is above the second: True where it is strictly. Closed under transitivity."""


class Number(NamedTuple):
    """A noisy number factor·N + value, less the value of the first that it is compared with."""

    law: NoiseLaw | None
    """None for what is no noise: 0."""
    factor: Exact
    value: Exact


class Compared(NamedTuple):
    """All paths, each with its outcome, and the numbers by their place among those drawn, of which 0 is no noise."""

    numbers: Mapping[int, Number]
    paths: list[tuple[Order, Hashable]]


class _OtherUse(Interruption):
    """Ends a run that asks for more."""


def compared_on(question: Question, domain: Endless, region: AffineRegion) -> Compared | None:
    """The paths of a mechanism on unknown numbers; None where it asks for anything but comparisons of noise.

    Each comparison is between two noisy numbers that have one difference of values on all paths.
    """
    form = form_of(question.mechanism, question.arguments) if are_read() else None
    if form is None:
        return None
    mechanism, trail, told = form.value(question.mechanism), Trail(question.limits.draws), _Told()
    calls, paths = Calls(), list[tuple[Order, Hashable]]()
    calls.handed = form.handed
    try:
        with _unknown(domain), drawn_by(calls.draw_now), stopwatch(mechanism, question.limits.seconds) as start:
            start(domain)
            numbers = numbers_on(region)
            given = form.arguments((domain.database(numbers),), domain.parameters(question.arguments, numbers))
            while len(paths) < _MOST_PATHS:
                path = _OrderPath(calls, trail, question.limits, told)
                calls.running.append(path.whole)
                outcome = form.users(mechanism(path.whole.draw, *given[0], **given[1]))
                calls.running.pop()
                if (
                    calls.refused
                    or notes.refused
                    or key_order.is_asked
                    or has_unknown(outcome)
                    or not is_plain(outcome)
                ):
                    return None
                path.finish()
                paths.append((path.order, outcome))
                if not trail.advance():
                    refuse_lookalikes((outcome for _, outcome in paths), {})
                    known = told.numbers()
                    return None if known is None else Compared(known, paths)
    except (_OtherUse, Exception):  # which is told where the mechanism is decided otherwise
        return None
    return None


_MOST_PATHS: Final = 2_500
"""Of 6 numbers that are sorted there are 720 orders, and of 12 of which the best so far is kept 2,048 paths."""

_MOST_NOISES: Final = 64
"""A mechanism that never ends is not run for long."""


@contextmanager
def _unknown(domain: Endless) -> Iterator[None]:
    notes.refused = None
    try:
        with on_unknown_numbers(), counted_rows() if isinstance(domain, Histograms) else nullcontext():
            key_order.begin()
            yield
    finally:
        notes.refused = None


class _Told:
    """What all paths together tell of the numbers."""

    def __init__(self) -> None:
        self._noises: dict[int, tuple[NoiseLaw | None, Exact]] = {0: (None, ZERO)}
        self._differences: dict[tuple[int, int], Exact] = {}

    def compared(self, value: NoiseValue) -> tuple[int, int]:
        """The two numbers whose difference a value is; 0 stands for no noise."""
        sides = [0, 0]
        for noise, factor in value.parts:
            if _is_open(factor) or any(_is_open(getattr(noise.law, each.name)) for each in fields(noise.law)):  # type: ignore[arg-type]  # a dataclass
                raise _OtherUse
            side, known = int(factor < 0), (noise.law, abs(factor))
            if sides[side] or self._noises.setdefault(noise.number, known) != known:
                raise _OtherUse
            sides[side] = noise.number
        upper, lower = sides
        if not are_same(self._differences.setdefault((upper, lower), value.shift), value.shift):
            raise _OtherUse
        return upper, lower

    def numbers(self) -> Mapping[int, Number] | None:
        """The numbers; None where no values have all these differences."""
        values: dict[int, Exact] = {}
        for start in sorted(self._noises):
            values.setdefault(start, ZERO)
            for _ in self._noises:
                for (a, b), value in self._differences.items():
                    if b in values:
                        values.setdefault(a, values[b] + value)
                    elif a in values:
                        values[b] = values[a] - value
        if not all(are_same(values[a] - values[b], value) for (a, b), value in self._differences.items()):
            return None
        return {place: Number(*noise, values[place]) for place, noise in self._noises.items()}


def are_same(one: Exact, other: Exact) -> bool:
    """True where two sums of unknown numbers are seen to be one."""
    return total((one, negative(other))) is ZERO


def _is_open(number: object) -> bool:
    return isinstance(number, Exact) and number.symbol is not None


class _OrderPath(PlainPath):
    """A path whose conditions say which of two numbers is above the other."""

    def __init__(self, calls: Calls, trail: Trail, limits: Limits, told: _Told) -> None:
        super().__init__(calls, trail, limits, self._other_use)
        self.order: dict[tuple[int, int], bool] = {}
        self._told = told

    def noise(self, caller: PlainCall, law: NoiseLaw) -> NoiseValue:
        value = super().noise(caller, law)
        if isinstance(law, PointMass) or value.parts[0][0].number > _MOST_NOISES:
            raise _OtherUse
        return value

    def answer(self, value: NoiseValue, relation: Comparator) -> bool:
        discrete = {noise.law.discrete for noise, _ in value.parts}
        if len(discrete) > 1:
            raise _OtherUse
        a, b = self._told.compared(value)
        above, below = self.order.get((a, b)), self.order.get((b, a))
        least = 1 if above else 0 if above is False else -1
        most = -1 if below else 0 if below is False else 1
        signs = [sign for sign in (1, 0, -1) if least <= sign <= most and (sign or discrete == {True})]
        answers = [[sign for sign in signs if HOLDS[relation](sign) is holds] for holds in (True, False)]
        if min(map(len, answers)) and 0 in signs and relation in EQUALITIES:
            answers = [[sign] for sign in signs]
        signs, _ = self._trail.taken((a, b, relation), lambda: [(each, None) for each in answers if each])
        if min(signs) >= 0:
            self._learn(a, b, strict=0 not in signs)
        if max(signs) <= 0:
            self._learn(b, a, strict=0 not in signs)
        return HOLDS[relation](signs[0])

    def _learn(self, a: int, b: int, *, strict: bool) -> None:
        over = [(a, False), *((x, is_strict) for (x, y), is_strict in self.order.items() if y == a)]
        under = [(b, False), *((y, is_strict) for (x, y), is_strict in self.order.items() if x == b)]
        for x, first in over:
            for y, last in under:
                if x != y:
                    self.order[x, y] = self.order.get((x, y), False) or first or strict or last

    def _other_use(self, *_: Any) -> NoReturn:
        raise _OtherUse

    chosen = accepted_with = clamped = rounded_down = folded = _other_use  # type: ignore[assignment]  # which takes all
