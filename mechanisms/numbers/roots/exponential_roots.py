"""The places where a function Σ c·x^k·e^(λx) changes its sign on an interval, exactly: by Rolle's theorem.

Divide f by e^(λx) for one of its λ, and differentiate: the derivative has a term less, or one of lower degree. Between
two changes of its sign f/e^(λx) is monotone, so that f changes its sign there where it has different ones at the ends,
and once. The sign at an end is that of a number, or of the first derivative there that is not 0; both are decided
exactly. A change has a closed form where f has two terms, and is held between rationals elsewhere, which move closer
as they are asked. What is not decided is a touch: that f is 0 where its derivative changes sign, and f itself does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from flint import arb, ctx, fmpq

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.elementary import log_in_lowest_terms
from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input, not_known
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ordering, product, rational, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import DecayingPower, ExpPoly, collected_terms, value

_MOST_BITS: Final = 1 << 11
"""Bits to which the sign of a function where its derivative changes sign is looked at before it is given up."""


@dataclass(frozen=True)
class SignStretch:
    """An open interval on which a function has one sign, -1 or 1; None is an infinite end."""

    low: Exact | None
    high: Exact | None
    sign: int


class SignChange:
    """The place where a function changes its sign: between two numbers, which are one where it has a closed form."""

    __slots__ = ("_function", "_sign_below", "high", "low")

    def __init__(self, function: ExpPoly, low: Exact, high: Exact, sign_below: int) -> None:
        self._function = function
        self._sign_below = sign_below
        self.low = low
        self.high = high

    def narrow(self, bits: int) -> None:
        """Bring the two numbers to within 2^-bits of each other."""
        if self.low is self.high:
            return
        low, high = _rational(self.low), _rational(self.high)
        least = fmpq(1, 1 << bits)
        if high - low <= least:
            return
        if bits > _MANY_BITS:  # what few digits decide is not looked at with many
            self.narrow(bits // 2)
            if self.low is self.high:
                return
            low, high = _rational(self.low), _rational(self.high)
        balls = _Balls(self._function, WORKING_PRECISION if bits <= 32 else 2 * bits + 2 * WORKING_PRECISION)
        while high - low > least:
            candidates = [*_around(balls.root_near(low, high), bits), *_halves(low, high)]
            for candidate in candidates:
                if low < candidate < high:
                    result = balls.sign(candidate) or _sign_at(self._function, candidate)
                    if result == 0:
                        self.low = self.high = rational(candidate)
                        return
                    low, high = (candidate, high) if result == self._sign_below else (low, candidate)
        self.low, self.high = rational(low), rational(high)


class _Balls:
    """A function with its numbers as balls of one precision, times e^(-λx) for the λ of its first term."""

    def __init__(self, function: ExpPoly, precision: int) -> None:
        self._precision = precision
        first = next(iter(function))[0]
        with ctx.workprec(precision):
            base = enclosure(first, precision)
            self._terms = [
                (enclosure(rate, precision) - base, k, enclosure(c, precision)) for (rate, k), c in function.items()
            ]

    def sign(self, x: fmpq) -> int:
        """The sign at x; 0 where it is not seen."""
        with ctx.workprec(self._precision):
            ball = self._at(arb(x), self._exponentials(arb(x)))
        return 1 if ball > 0 else -1 if ball < 0 else 0

    def _exponentials(self, x: arb) -> list[arb]:
        """Those of the terms at x, which are what takes long."""
        return [(rate * x).exp() for rate, _, _ in self._terms]

    def _at(self, x: arb, exponentials: Sequence[arb]) -> arb:
        return sum((c * x**k * e for (_, k, c), e in zip(self._terms, exponentials, strict=True)), arb(0))

    def _slope(self, x: arb, exponentials: Sequence[arb]) -> arb:
        parts = (
            c * e * (rate * x**k + (k * x ** (k - 1) if k else 0))
            for (rate, k, c), e in zip(self._terms, exponentials, strict=True)
        )
        return sum(parts, arb(0))

    def root_near(self, low: fmpq, high: fmpq) -> fmpq | None:
        """The point that Newton's method leads to from the middle; None where it leads out, or nowhere."""
        with ctx.workprec(self._precision):
            x, ends = arb((low + high) / 2), (arb(low), arb(high))
            for _ in range(_MOST_STEPS):
                exponentials = self._exponentials(x)
                slope = self._slope(x, exponentials).mid()
                if slope == 0:
                    return None
                step = (self._at(x, exponentials).mid() / slope).mid()
                x = (x - step).mid()
                if not (x > ends[0] and x < ends[1]):
                    return None
                if abs(step) < arb((1, -self._precision // 2)):
                    return x.fmpq()
        return None


_MANY_BITS: Final = 1_200
"""Bits from which on half of them are asked for first."""

_MOST_STEPS: Final = 40
"""Of Newton's method, which doubles the digits once it is near."""


def _around(root: fmpq | None, bits: int) -> Sequence[fmpq]:
    """Two numbers that are nearer to each other than 2^-bits, around a root, if there is one."""
    if root is None:
        return ()
    room = fmpq(1, 1 << (bits + 2))
    return (_short(root - room, room / 2), _short(root + room, room / 2))


def _halves(low: fmpq, high: fmpq) -> Sequence[fmpq]:
    """The points to look at next: the middle, and the middles of the halves."""
    width = (high - low) / 8
    return tuple(_short(low + i * width, width / 8) for i in (4, 2, 6, 1, 3, 5, 7))


def sign_changes(function: ExpPoly, low: Exact | None, high: Exact | None) -> list[SignChange]:
    """Points where the function changes its sign in the open interval, in rising order; none where it is 0 everywhere.

    Raises `Undecided` where it cannot be told whether it does.
    """
    terms = _terms(function)
    if len(terms) <= 1 or _has_one_sign(terms, low, high):
        return _of_power(terms, low, high)
    if len(terms) == 2 and terms[0][0][1] == terms[1][0][1]:
        return _of_two(function, terms, low, high)
    return _by_rolle(function, low, high)


def sign_stretches(function: ExpPoly, low: Exact | None, high: Exact | None, bits: int) -> Iterator[SignStretch]:
    """The stretches of an open interval on which the function has one sign, in rising order.

    Between two of them there is a gap, of less than 2^-bits, where the change of sign has no closed form.
    """
    function = {monomial: c for monomial, c in function.items() if decision.sign(c) != 0}
    if not function:  # then none of its derivatives is other than 0
        return
    changes = sign_changes(function, low, high)
    for change in changes:
        change.narrow(bits)
    ends = [low, *(end for change in changes for end in (change.low, change.high)), high]
    sign = sign_after(function, low)
    for start, end in zip(ends[::2], ends[1::2], strict=True):
        if start is None or end is None or ordering(start, end) < 0:
            yield SignStretch(start, end, sign)
        sign = -sign


def _terms(function: ExpPoly) -> list[tuple[DecayingPower, Exact]]:
    """The terms that are not 0, the slowest first: by rising rate, then by rising power."""
    results = [(monomial, c) for monomial, c in function.items() if decision.sign(c) != 0]
    return sorted(results, key=_ByRate)


class _ByRate:
    __slots__ = ("monomial",)

    def __init__(self, term: tuple[DecayingPower, Exact]) -> None:
        self.monomial = term[0]

    def __lt__(self, other: _ByRate) -> bool:
        mine, others = self.monomial, other.monomial
        return (ordering(mine[0], others[0]) or mine[1] - others[1]) < 0


def _has_one_sign(terms: Sequence[tuple[DecayingPower, Exact]], low: Exact | None, high: Exact | None) -> bool:
    """True where it is seen at once: from the coefficients, or from their sums at an end.

    With t = x - low and falling rates, f = Σ_j S_j·(e^(λ_j·t) - e^(λ_(j+1)·t)) for the partial sums S_j of the terms at
    low, where each difference is positive for t > 0; and likewise from the other end.
    """
    if any(k for (_, k), _ in terms):
        return False
    if len({decision.sign(c) for _, c in terms}) == 1:
        return True
    for end, ordered in ((low, list(reversed(terms))), (high, list(terms))):
        if end is not None:
            at_end = [value({monomial: c}, end) for monomial, c in ordered]
            signs = {decision.sign(total(at_end[: i + 1])) for i in range(len(at_end))}
            if len(signs - {0}) == 1:
                return True
    return False


def _of_power(terms: Sequence[tuple[DecayingPower, Exact]], low: Exact | None, high: Exact | None) -> list[SignChange]:
    """Of a single term, or of terms that are known to have one sign."""
    if len(terms) == 1 and terms[0][0][1] % 2 and _within(ZERO, low, high):
        return [SignChange(dict(terms), ZERO, ZERO, 0)]
    return []


def _of_two(
    function: ExpPoly, terms: Sequence[tuple[DecayingPower, Exact]], low: Exact | None, high: Exact | None
) -> list[SignChange]:
    """c·x^k·e^(λx) + d·x^k·e^(μx): at ln(-c/d)/(μ - λ), and at 0 for odd k."""
    ((rate, k), c), ((other, _), d) = terms
    results = []
    if decision.sign(c) * decision.sign(d) < 0:
        results.append(log_in_lowest_terms(-c / d) / (other - rate))
    if k % 2 and not any(x == 0 for x in results):
        results.append(ZERO)
    elif k % 2:
        results = []
    return [SignChange(function, x, x, 0) for x in sorted(results) if _within(x, low, high)]


def _within(x: Exact, low: Exact | None, high: Exact | None) -> bool:
    return (low is None or ordering(low, x) < 0) and (high is None or ordering(x, high) < 0)


def _by_rolle(function: ExpPoly, low: Exact | None, high: Exact | None) -> list[SignChange]:
    rate = max((monomial for monomial, c in function.items() if decision.sign(c) != 0), key=lambda m: m[1])[0]
    slower = derivative({(other - rate, k): c for (other, k), c in function.items()})
    turns = sign_changes(slower, low, high)
    signs = [sign_after(function, low), *(_sign_at_turn(function, turn) for turn in turns), sign_before(function, high)]
    results = []
    ends: list[tuple[Exact | None, Exact | None]] = [
        (low, low),
        *((turn.low, turn.high) for turn in turns),
        (high, high),
    ]
    for ((_, start), (end, _)), (before, after) in zip(pairwise(ends), pairwise(signs), strict=True):
        if before != after:
            results.append(_bracketed(function, start, end, before))
    return results


def _sign_at_turn(function: ExpPoly, turn: SignChange) -> int:
    """The sign where the derivative changes its own. Raises `Undecided` where it is 0, as far as can be seen."""
    if turn.low is turn.high:
        number = decision.sign(value(function, turn.low))
        if number:
            return number
        raise Undecided(not_known.DENSITIES_TOUCH, "touch")
    bits = 32
    while bits <= _MOST_BITS:
        turn.narrow(bits)
        if turn.low is turn.high:
            return _sign_at_turn(function, turn)
        precision = WORKING_PRECISION if bits == 32 else 2 * bits + WORKING_PRECISION
        with ctx.workprec(precision):
            around = arb(_rational(turn.low)).union(arb(_rational(turn.high)))
            ball = _ball(function, around, precision)
        if ball > 0 or ball < 0:
            return 1 if ball > 0 else -1
        bits *= 2
    raise Undecided(not_known.DENSITIES_TOUCH, f"touch, as far as {_MOST_BITS} bits show")


def _bracketed(function: ExpPoly, low: Exact | None, high: Exact | None, sign_below: int) -> SignChange:
    """The only change of sign between two numbers, at which the function may be 0, from `sign_below`.

    Raises `InputError` of functions of a symbolic ε: it moves with ε.
    """
    numbers = [low, high, *(number for (rate, _), c in function.items() for number in (rate, c))]
    if any(number is not None and number.symbol is not None for number in numbers):
        raise InputError(
            bad_input.SYMBOLIC, "the order of two densities changes at a number that has no closed form in ε"
        )
    start = None if low is None else _inner(function, low, high, sign_below, way=1)
    end = None if high is None else _inner(function, high, low, -sign_below, way=-1)
    if start is None or end is None:
        start, end = _from_afar(function, start, end, sign_below)
    return SignChange(function, rational(start), rational(end), sign_below)


def _inner(function: ExpPoly, end: Exact, other: Exact | None, sign: int, way: int) -> fmpq:
    """A rational number beyond an end of an interval, in it, at which the function has the sign that it has there."""
    step = fmpq(1) if other is None else abs(enclosure(other - end).mid().fmpq()) / 4
    bits = WORKING_PRECISION
    while True:
        ball = enclosure(end, bits)
        near = (ball.upper() if way > 0 else ball.lower()).fmpq()
        candidate = _short(near + way * step, step / 4)
        beyond = ordering(rational(candidate), end) * way > 0
        inside = other is None or ordering(rational(candidate), other) * way < 0
        if beyond and inside and _sign_at(function, candidate) == sign:
            return candidate
        step /= 4
        bits += 2
        if bits > _MOST_BITS:
            raise Undecided(not_known.DENSITIES_TOUCH, "are too near to each other")


def _from_afar(function: ExpPoly, start: fmpq | None, end: fmpq | None, sign_below: int) -> tuple[fmpq, fmpq]:
    """Both ends, where one or both of them are infinite."""
    centre = start if start is not None else end if end is not None else fmpq(0)
    low, high = start, end
    step = fmpq(1)
    while low is None or high is None:
        if low is None and _sign_at(function, centre - step) == sign_below:
            low = centre - step
        if high is None and _sign_at(function, centre + step) == -sign_below:
            high = centre + step
        step *= 2
    return low, high


def sign_after(function: ExpPoly, low: Exact | None) -> int:
    """The sign of a function that is not 0 everywhere, just above `low`; for None, far out to the left."""
    if low is None:
        terms = _terms(function)
        slowest = terms[0][0][0]
        (_, k), c = max((term for term in terms if term[0][0] == slowest), key=lambda term: term[0][1])
        return decision.sign(c) * (-1 if k % 2 else 1)
    return _first_sign(function, low, 1)


def sign_before(function: ExpPoly, high: Exact | None) -> int:
    """The sign of a function that is not 0 everywhere, just below `high`; for None, far out to the right."""
    if high is None:
        return decision.sign(_terms(function)[-1][1])
    return _first_sign(function, high, -1)


def _first_sign(function: ExpPoly, x: Exact, way: int) -> int:
    sign, turned = decision.sign(value(function, x)), 1
    while not sign:
        function = derivative(function)
        turned *= way
        sign = decision.sign(value(function, x))
    return sign * turned


def derivative(function: ExpPoly) -> ExpPoly:
    """The derivative."""
    return collected_terms(_derived(function))


def _derived(function: ExpPoly) -> Iterator[tuple[DecayingPower, Exact]]:
    for (rate, k), c in function.items():
        if rate is not ZERO:
            yield (rate, k), product((c, rate))
        if k:
            yield (rate, k - 1), product((c, rational(fmpq(k))))


def _sign_at(function: ExpPoly, x: fmpq) -> int:
    for precision in (WORKING_PRECISION, WORKING_PRECISION + _bits(fmpq(x.q))):  # at the first the numbers are known
        with ctx.workprec(precision):
            ball = _ball(function, arb(x), precision)
        if ball > 0 or ball < 0:
            return 1 if ball > 0 else -1
    return decision.sign(value(function, rational(x)))


def _ball(function: ExpPoly, x: arb, precision: int) -> arb:
    """The function on a ball, at the current precision; times e^(-λx) for the λ of its first term."""
    ball = arb(0)
    first: arb | None = None
    for (rate, k), c in function.items():
        of_rate = enclosure(rate, precision)
        first = of_rate if first is None else first
        ball += enclosure(c, precision) * x**k * ((of_rate - first) * x).exp()
    return ball


def is_mass_below(least: fmpq, function: ExpPoly, low: Exact, high: Exact, bits: int) -> bool:
    """True if the integral between two rational numbers within 2^-bits of each other is seen to be below a number."""
    start, end = _rational(low), _rational(high)
    precision = 2 * bits + WORKING_PRECISION
    with ctx.workprec(precision):
        around = arb(start).union(arb(end))
        terms = (
            enclosure(c, precision) * around**k * (enclosure(rate, precision) * around).exp()
            for (rate, k), c in function.items()
        )
        return bool(sum(terms, arb(0)) * (end - start) < least)


def _rational(x: Exact) -> fmpq:
    term = x.terms[0] if x.terms else None
    return fmpq(0) if term is None else term.coefficient


def _bits(x: fmpq) -> int:
    """About log2 of a positive number."""
    return int(x.p).bit_length() - int(x.q).bit_length()


def _short(x: fmpq, room: fmpq) -> fmpq:
    """A dyadic number within `room` of x."""
    scale = 1 << max(0, 2 + _bits(1 / room))
    return fmpq((x * scale).floor(), scale)
