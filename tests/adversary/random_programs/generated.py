"""Random programs from a seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from tests.adversary.oracles.oracle import Chance
from tests.adversary.oracles.programs import (
    ROWS,
    Called,
    Clamped,
    Coin,
    Draw,
    Each,
    If,
    Linear,
    Literal,
    Many,
    Next,
    Noise,
    Outcome,
    Pick,
    Program,
    Return,
    ReturnLaw,
    Statement,
    Stop,
    Text,
    Uniform,
)


@dataclass(frozen=True)
class Style:
    """What a program may hold, and how the oracle treats its noise."""

    bases: tuple[Fraction, ...]
    """What e^ε may be."""
    noise: bool = True
    truncated: bool = False
    pairs: bool = False
    """Whether noise may be compared with other noise, and added to it."""
    released: bool = False
    lumped: bool = False
    continuous: bool = False
    reach: int = 6
    most_values: int = 1_500
    """Combinations of values of noise on a path."""
    most_paths: int = 60
    lengths: tuple[int, ...] = (1, 1, 2, 2, 3)
    calls: bool = True


def _fractions(*numbers: int | str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, numbers))


FINITE = Style(_fractions(2, 3, "3/2", 7), noise=False)
TRUNCATED = Style(_fractions(2, 3, 4, "3/2"), truncated=True, pairs=True, released=True)
LUMPED = Style(_fractions(2, 3, 5, "3/2"), lumped=True)
RELEASED = Style(_fractions(16, 32), released=True, reach=5)
PAIRS = Style(_fractions(16, 32), pairs=True, released=True, reach=4, most_values=3_000)
CONTINUOUS = Style(_fractions(2, 3, "3/2"), pairs=True, continuous=True, most_values=4**3, lengths=(1, 1, 2))


@dataclass(frozen=True)
class Subject:
    """A program with its domain and e^ε."""

    program: Program
    domain: tuple[tuple[int, ...], ...]
    chance: Chance
    seed: str = ""

    def neighbours(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The ordered pairs of databases that differ in one row."""
        return [
            (left, right)
            for left, right in product(self.domain, repeat=2)
            if sum(a != b for a, b in zip(left, right, strict=True)) == 1
        ]


def subject(seed: str, style: Style) -> Subject:
    """A random subject in a style; the same for the same seed."""
    rng = random.Random(seed)
    length = rng.choice(style.lengths)
    universe = range(rng.choice((2, 2, 3)) if length < 3 else 2)
    domain = tuple(product(universe, repeat=length))
    base = rng.choice(style.bases)
    writer = _Writer(rng, style, length)
    program = Program("mechanism", writer.statement(rng.randint(3, 6), _Scope(ROWS)))
    return Subject(program, domain, Chance(base, style.reach, style.lumped), seed)


def sums(seed: str) -> Subject:
    """Sums of two noises each, compared with numbers, and then with one another: noise in three layers."""
    rng = random.Random(seed)
    names = ("a", "b", "e")[: rng.randint(2, 3)]
    total = Linear(tuple((name, rng.choice((1, 1, -1))) for name in names))
    right = Linear((("x", 1),), Fraction(rng.randint(-2, 4)))
    body: Statement = If(total, rng.choice((">=", ">", "<")), right, Return(Text(Linear())), Return(Literal(None)))
    for name in reversed(names):
        threshold = Linear((("x", rng.randint(0, 1)),), Fraction(rng.randint(-1, 2)))
        body = If(
            Linear(((name, 1),)), rng.choice((">=", ">", "<")), threshold, body, Return(Text(Linear(shift=Fraction(1))))
        )
        body = Draw(name, Noise(rng.choice(((1, 1), (1, 1), (1, 2)))), body)
    # tails are long here, and the mass that is missing at most a percent
    return Subject(
        Program("mechanism", body), ((0,), (1,)), Chance(Fraction(rng.choice((3, 4))), 4, lumped=False), seed
    )


@dataclass(frozen=True)
class _Scope:
    """What a statement sees: plain variables, noises, how many combinations of noise there are, where it stands."""

    plain: tuple[str, ...]
    noises: tuple[str, ...] = ()
    values: int = 1
    paths: int = 1
    """Ways in which what was drawn so far can have turned out."""
    looping: bool = False
    loops: bool = True
    drew: bool = False
    """Whether something has been drawn."""
    inner: bool = False
    """Within a sub-mechanism, whose outcomes are plain variables."""


class _Writer:
    def __init__(self, rng: random.Random, style: Style, length: int) -> None:
        self._rng = rng
        self._style = style
        self._length = length
        self._names = 0

    def _name(self, kind: str) -> str:
        self._names += 1
        return f"{kind}{self._names}"

    def statement(self, depth: int, scope: _Scope) -> Statement:
        rng, style = self._rng, self._style
        if (depth <= 0 and (scope.drew or rng.random() < 0.2)) or scope.paths > style.most_paths:
            return self._end(scope)
        kinds = ["plain"] + ["branch"] * (depth > 0)
        if style.noise:
            kinds += ["noise", "noise"]
        if scope.noises:
            kinds += ["compare"] * 4
        if _single(scope) and not style.continuous:
            kinds += ["clamp"]
        if scope.loops and depth > 1:
            kinds += ["loop"]
        if style.calls and not scope.inner and not scope.looping:
            kinds += ["call", "call"]
        kind = rng.choice(kinds)
        if kind == "noise":
            return self._noise(depth, scope)
        if kind == "plain":
            return self._plain(depth, scope)
        if kind == "clamp":
            name = self._name("c")
            scope = self._more(scope, 3)
            clamped = Clamped(Linear(((rng.choice(_single(scope)), rng.choice((1, -1))),)), 0, rng.randint(1, 2))
            return Draw(name, clamped, self.statement(depth - 1, replace(scope, plain=(*scope.plain, name), drew=True)))
        if kind == "compare":
            left, relation, right = self._comparison(scope)
            scope = self._more(scope, 2)
            return If(left, relation, right, self.statement(depth - 1, scope), self.statement(depth - 1, scope))
        if kind == "branch":
            return If(
                Linear(((rng.choice(scope.plain), 1),)),
                rng.choice((">=", "==", "<")),
                Linear(shift=Fraction(rng.randint(0, 1))),
                self.statement(depth - 2, scope),
                self.statement(depth - 1, scope),
            )
        return self._loop(depth, scope) if kind == "loop" else self._call(depth, scope)

    def _more(self, scope: _Scope, ways: int) -> _Scope:
        return replace(scope, paths=scope.paths * (ways**self._length if scope.looping else ways))

    def _plain(self, depth: int, scope: _Scope) -> Statement:
        name = self._name("v")
        rng = self._rng
        source = rng.choice((self._coin, self._coin, self._pick_number, lambda _: Uniform(rng.randint(2, 3))))(scope)
        scope = self._more(scope, 2 if isinstance(source, Coin) else 3)
        return Draw(name, source, self.statement(depth - 1, replace(scope, plain=(*scope.plain, name), drew=True)))

    def _coin(self, scope: _Scope) -> Coin:
        rng = self._rng
        seen = rng.choice(scope.plain)
        if rng.random() < 0.1:  # impossible, or certain
            return Coin(Linear(shift=Fraction(rng.randint(0, 1))))
        whole = rng.choice((10, 16, 9))
        # p is 1/whole + k·seen/whole, and k·2 + 1 < whole
        return Coin(_over(((seen, rng.randint(0, 3)),), rng.randint(1, 2), whole))

    def _pick_number(self, scope: _Scope) -> Pick:
        outcomes = self._rng.sample(range(3), k=self._rng.randint(2, 3))
        return self._pick(tuple(Linear(shift=Fraction(i)) for i in outcomes), scope)

    def _pick(self, outcomes: tuple[Outcome, ...], scope: _Scope) -> Pick:
        rng = self._rng
        weights = tuple(
            Linear(
                ((rng.choice(scope.plain), rng.randint(1, 2)),) if rng.random() < 0.7 else (),
                Fraction(rng.randint(1, 3)),
            )
            for _ in outcomes
        )
        return Pick(outcomes, weights, rng.random() < 0.4)

    def _noise(self, depth: int, scope: _Scope) -> Statement:
        rng, style = self._rng, self._style
        bound = rng.randint(1, 3) if style.truncated or rng.random() < 0.2 else None
        powers = rng.choice(((1,), (1,), (2,), (1, 2), (1, 1))) if style.pairs else (rng.choice((1, 1, 2)),)
        if style.continuous:
            powers = powers[:1]
        name = self._name("n" if len(powers) == 1 else "sum")
        noise = Noise(powers, bound, style.continuous)
        count = (2 * (bound or style.reach + 1) + 1) * len(powers) if not style.continuous else 4
        if scope.values * count > style.most_values:
            return self._plain(depth, scope)
        inside = replace(scope, noises=(*scope.noises, name), values=scope.values * count, drew=True)
        # a noise that nobody looks at would be no test of it
        if rng.random() < 0.7 and depth > 1:
            left, relation, right = self._comparison(inside)
            inside = self._more(inside, 2)
            return Draw(
                name,
                noise,
                If(left, relation, right, self.statement(depth - 2, inside), self.statement(depth - 2, inside)),
            )
        return Draw(name, noise, self.statement(max(depth - 1, 1), inside))

    def _comparison(self, scope: _Scope) -> tuple[Linear, str, Linear]:
        rng, style = self._rng, self._style
        relations = (">=", ">", "<", "<=") if style.continuous else (">=", ">", "<", "<=", ">=", "==", "!=")
        noise = scope.noises[-1] if rng.random() < 0.7 else rng.choice(scope.noises)
        left: list[tuple[str, int]] = [(noise, rng.choice((1, 1, -1, 2) if not style.pairs else (1, 1, -1)))]
        right: list[tuple[str, int]] = []
        others = [other for other in scope.noises if other != noise]
        if style.pairs and others and rng.random() < 0.6:
            right.append((others[0] if rng.random() < 0.7 else rng.choice(others), 1))
        if rng.random() < 0.6:
            (left if rng.random() < 0.5 else right).append((rng.choice(scope.plain), rng.choice((1, -1))))
        shift = Fraction(rng.randint(-2, 3), rng.choice((1, 1, 1, 2)))
        return Linear(tuple(left)), rng.choice(relations), Linear(tuple(right), shift)

    def _loop(self, depth: int, scope: _Scope) -> Statement:
        row, found = self._name("row"), self._name("found")
        before = replace(scope, looping=True, loops=False, drew=False, plain=(*scope.plain, row, found))
        body = self.statement(min(depth - 1, 2), before)
        after = replace(self._more(scope, 2**self._length), loops=False, plain=(*scope.plain, found), drew=True)
        return Each(row, found, body, self.statement(depth - 2, after))

    def _call(self, depth: int, scope: _Scope) -> Statement:
        rng = self._rng
        name = self._name("s")
        parameters = ("k", "m")[: rng.randint(1, 2)]
        program = Program(self._name("sub"), Return(Literal(None)), parameters)
        given = tuple(Linear(((rng.choice(scope.plain), 1),)) for _ in parameters)
        inside = _Scope(parameters, values=scope.values, loops=False, inner=True)
        program = replace(program, body=self.statement(rng.randint(1, 3), inside))
        after = replace(self._more(scope, 3), plain=(*scope.plain, name), drew=True)
        if rng.random() < 0.3:  # called twice, with other arguments
            again = self._name("s")
            twice = replace(self._more(after, 3), plain=(*after.plain, again))
            other = tuple(Linear(((rng.choice(after.plain), 1),)) for _ in parameters)
            return Draw(
                name, Called(program, given), Draw(again, Called(program, other), self.statement(depth - 1, twice))
            )
        return Draw(name, Called(program, given), self.statement(depth - 1, after))

    def _end(self, scope: _Scope) -> Statement:
        rng = self._rng
        seen = Linear(((self._variable(scope), 1),))
        constant = Linear(shift=Fraction(rng.randint(0, 2)))
        if scope.looping and rng.random() < 0.85:
            return rng.choice((Next, Next, Stop))(rng.choice((seen, constant)))
        if scope.inner:
            return rng.choice((Return(seen), Return(constant), ReturnLaw(self._pick_number(scope))))
        if _single(scope) and self._style.released and rng.random() < 0.5:
            return Return(self._release(scope))
        if rng.random() < 0.15:
            outcomes = (seen, Text(seen), Literal(None))
            return ReturnLaw(self._pick(outcomes, scope))
        return Return(self._outcome(scope, 2))

    def _release(self, scope: _Scope) -> Outcome:
        rng = self._rng
        noise = _single(scope)[-1] if rng.random() < 0.7 else rng.choice(_single(scope))
        parts = [(noise, rng.choice((1, 1, -1, 2)))]
        if rng.random() < 0.6:
            parts.append((rng.choice(scope.plain), 1))
        released = Linear(tuple(parts), Fraction(rng.randint(0, 2), rng.choice((1, 1, 2))))
        return Many(tuple, (released, self._outcome(scope, 0))) if rng.random() < 0.3 else released

    def _variable(self, scope: _Scope) -> str:
        """A plain variable, most often the last."""
        return scope.plain[-1] if self._rng.random() < 0.6 else self._rng.choice(scope.plain)

    def _outcome(self, scope: _Scope, depth: int) -> Outcome:
        rng = self._rng
        seen = Linear(((self._variable(scope), 1),))
        kind = rng.choice(
            ("number", "number", "text", "constant", "none", "ratio", *(["tuple", "set"] if depth else []))
        )
        if kind in ("tuple", "set"):
            parts = tuple(self._outcome(scope, depth - 1) for _ in range(rng.randint(0, 2)))
            return Many(tuple if kind == "tuple" else frozenset, parts)
        plain: dict[str, Outcome] = {
            "number": seen,
            "text": Text(seen),
            "none": Literal(None),
            "constant": Linear(shift=Fraction(rng.randint(0, 3))),
            "ratio": _over(((seen.parts[0][0], 1),), 1, 3),
        }
        return plain[kind]


def _single(scope: _Scope) -> tuple[str, ...]:
    """The noises that are no sums."""
    return tuple(name for name in scope.noises if name.startswith("n"))


def _over(parts: Sequence[tuple[str, int]], shift: int, whole: int) -> Linear:
    return Linear(tuple((name, Fraction(c, whole)) for name, c in parts if c), Fraction(shift, whole))
