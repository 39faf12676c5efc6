"""Folding noise into a range: reflected at its ends until it lies inside.

A loop that does it, `while v < low or v > high: v = 2 * low - v if v < low else 2 * high - v`, has no bound on its
length. What it ends at has a period of 2·(high - low), so that its probabilities are sums over whole numbers that are
alike modulo another, which have closed forms. The folded mechanisms of diffprivlib are written so. (Of continuous noise
see `folded_densities`.)
"""

from collections.abc import Sequence
from fractions import Fraction

from dpverify.mechanisms.comparing.comparisons import single_noise
from dpverify.mechanisms.noise.derived import of_whole
from dpverify.mechanisms.numbers.errors import InputError, LimitMet, bad_input, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter, exact
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise, composed
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.released import Lattice, lattice_of
from dpverify.mechanisms.outputs.templates import Slot
from dpverify.mechanisms.path_conditions.expressions import PlainNumber
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable


def folded(value: NoiseValue | PlainNumber, low: PlainNumber, high: PlainNumber) -> PlainNumber | NoiseValue:
    """value, reflected at the ends until it lies in [low, high]; of discrete noise that is a plain number.

    The noise is not used any more: what comes of it takes its place. Raises `InputError` for noise of which no density
    is known in closed form, ends that are not rational numbers, or low ≥ high.

    >>> def within(draw, n):
    ...     return folded(n + draw(discrete_laplace(1)), 0, 2)
    >>> bool(distribution(within, 1).probability(0) == distribution(within, 1).probability(2))
    True
    """
    for end in (low, high):
        if isinstance(end, bool) or not isinstance(end, int | Fraction):
            raise InputError(bad_input.END_OF_RANGE, "fold into a range up to", shown(end), "")
    if low >= high:
        raise InputError(bad_input.LOW_HIGH, "fold", f"[{shown(low)}, {shown(high)}]")
    if not isinstance(value, NoiseValue):
        return reflected(value, low, high)
    if value.parts:
        return value.folded(low, high)
    number = as_parameter(value.shift)
    if not isinstance(number, Fraction):
        raise InputError(bad_input.RATIONAL, f"what is reflected, {number},")
    return reflected(number, low, high)


def reflected(value: PlainNumber, low: PlainNumber, high: PlainNumber) -> PlainNumber:
    """The number that a value is folded to, an int where it is whole."""
    into = (value - low) % (2 * (high - low))
    number = Fraction(low + min(into, 2 * (high - low) - into))
    return int(number) if number.denominator == 1 else number


def to_be_folded(value: NoiseValue, low: PlainNumber, high: PlainNumber, most: int) -> tuple[NoiseVariable, Lattice]:
    """The noise in a value, and where the value lies.

    Raises `InputError` where it cannot be folded, and `LimitMet` where it would be to more than `most` numbers.
    """
    variable, coefficient, shift = single_noise(value, "what is folded")
    assert variable.law.discrete, "other noise is folded to noise"
    lattice = lattice_of(variable.law, coefficient, shift, "what is folded")
    period = _steps_of_period(lattice.slot, low, high)
    if period > most:
        raise LimitMet(not_known.TOO_WIDE.text("folds into", low, high, period), "paths")
    return variable, lattice


def _steps_of_period(slot: Slot, low: PlainNumber, high: PlainNumber) -> int:
    """Number of steps of a slot's numbers after which their folded values repeat."""
    return (2 * (high - low) / slot.unit).numerator


def chances_of_folded(
    density: Piecewise, slot: Slot, low: PlainNumber, high: PlainNumber
) -> Sequence[tuple[PlainNumber, Exact]]:
    """The numbers that offset + unit·m is folded to, with the probability of each m ↦ density(m) added up."""
    period = _steps_of_period(slot, low, high)
    numbers: dict[PlainNumber, Exact] = {}
    for rest in range(period):
        number = reflected(slot.value(rest), low, high)
        mass = _every(period, rest, density).mass
        numbers[number] = numbers[number] + mass if number in numbers else mass
    return tuple((number, p) for number, p in sorted(numbers.items()) if p != 0)


def _every(period: int, rest: int, density: Piecewise) -> Piecewise:
    """The whole y ↦ density(period·y + rest)."""
    pieces = [composed(piece, exact(period), exact(rest)) for piece in density.pieces]
    assert all(isinstance(end, int) for end in density.breaks), "the variable is whole"
    return of_whole([-((rest - int(end)) // period) for end in density.breaks if isinstance(end, int)], pieces)
