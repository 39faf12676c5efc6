"""One program for all sizes, from its seed: what dpverify says of ALL databases against real ones, one by one."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any, Final

from tests.adversary.checking import Claimed
from tests.adversary.oracles import count_texts, counting, paths
from tests.adversary.oracles.counting import Counts, Law
from tests.adversary.oracles.noises import Irrational, NotHere
from tests.adversary.oracles.oracle import tagged
from tests.adversary.oracles.paths import compiled
from tests.adversary.random_programs.trials import OF_DPVERIFY
from tests.adversary.random_programs.written import Written
from tests.adversary.tally import PASSED_OVER, Tally, deep, why_not_for_all

from dpverify.mechanisms import InputError, Undecided, exp, log, symbolic
from dpverify.reports.record import Status
from dpverify.verifiers import Histograms, add_or_remove_one, change_one_label, check_privacy, replace_one
from dpverify.verifiers.all_sizes import decision

BASES: Final = tuple(Fraction(each) for each in ("4", "9", "9/4"))
UNIVERSES: Final[tuple[tuple[Any, ...], ...]] = (
    *((0, 1), (0, 1), ("a", "b"), (2,), ("a",), (0, 1, 2), (1, 2, 5)),
    *(((0, 0), (0, 1)), ((0, 0), (0, 1), (1, 1))),
)
TRIED: Final = 60
"""Databases beside the small ones, each with its neighbours."""


@dataclass(frozen=True)
class Endless:
    """A universe, with a relation as dpverify knows it, and as moves of counts."""

    universe: tuple[Any, ...]
    relation: Any
    moves: tuple[Counts, ...]


def _moves(dimension: int, pairs: Sequence[tuple[int, int]]) -> tuple[Counts, ...]:
    return tuple(tuple((i == b) - (i == a) for i in range(dimension)) for a, b in pairs)


def _endless(rng: random.Random) -> Endless:
    universe: tuple[Any, ...] = rng.choice(UNIVERSES)
    size = len(universe)
    replaced = _moves(size, [*permutations(range(size), 2)])
    if isinstance(universe[0], tuple):
        same = [(a, b) for a, b in permutations(range(size), 2) if universe[a][0] == universe[b][0]]
        return Endless(universe, change_one_label, _moves(size, same))
    if rng.random() < 0.4 or size == 1:
        steps = [(a, size) for a in range(size)] + [(size, a) for a in range(size)]
        return Endless(universe, add_or_remove_one, _moves(size, steps))
    return Endless(universe, replace_one, replaced)


class _Real:
    """The laws of a mechanism on real rows, each in an order of its own."""

    def __init__(
        self, mechanism: Callable[..., Any], universe: Sequence[Any], base: Fraction, rng: random.Random
    ) -> None:
        self._mechanism = mechanism
        self._universe = universe
        self._base = base
        self._rng = rng
        self._laws: dict[Counts, Law] = {}

    def law(self, counts: Counts) -> Law:
        if counts not in self._laws:
            rows = counting.rows_of(self._universe, counts, self._rng)
            self._laws[counts] = counting.law_of(self._mechanism, rows, self._base)
        return self._laws[counts]


@contextmanager
def few_regions(most: int = 3_000) -> Iterator[None]:
    """Larger cases are given up sooner than they are elsewhere, so that a program takes seconds at most."""
    usual = decision.MOST_CASES
    decision.MOST_CASES = most  # type: ignore[misc]
    try:
        yield
    finally:
        decision.MOST_CASES = usual  # type: ignore[misc]


def for_all_sizes(seed: str, tally: Tally, name: str) -> bool:
    """Whether a program was decided; else the tally has why not."""
    rng = random.Random(seed)
    endless, base = _endless(rng), rng.choice(BASES)
    text = count_texts.source(rng, endless.universe)
    source = count_texts.written(text)
    written = Written(source, (), (), base, seed)
    real = _Real(compiled(source, {**paths.names(base), "Counter": Counter}), endless.universe, base, rng)
    try:
        tried = counting.databases(text.constants, len(endless.universe), rng, TRIED)
        pairs = [
            (one, other)
            for one in tried
            for other in counting.neighbours(one, endless.moves)
            if sum(one) + sum(other) < 9_000
        ]
        ratios = [(counting.ratio(real.law(a), real.law(b), base), a, b) for a, b in pairs]
    except (Irrational, NotHere):
        tally.refuse(f"{name}: ", PASSED_OVER)
        return False
    mechanism = compiled(source, {**OF_DPVERIFY, "Counter": Counter})
    largest = None if any(r is None for r, _, _ in ratios) else max(r for r, _, _ in ratios if r is not None)
    return all(
        _decided(claim, mechanism, endless, real, pairs, written, tally, name)
        for claim in _claims(largest, pairs, real, rng)
    )


def _claims(
    largest: Fraction | None, pairs: Sequence[tuple[Counts, Counts]], real: _Real, rng: random.Random
) -> list[Claimed]:
    """At what the real pairs need, and just below it: which are proved, if the worst pair is among these, and are not."""
    zero, little = Fraction(0), Fraction(1, 10**9)
    if largest is not None and largest > 1 + 2 * little:
        return [
            Claimed("ε that the real pairs need", log(largest), zero, True),
            Claimed(
                "ε a little below",
                log(largest) - rng.choice((little, Fraction(1, 50) if largest > Fraction(11, 10) else little)),
                zero,
                False,
            ),
        ]
    if largest is not None:
        return [Claimed("ε = 0, as no real pair needs more", log(largest), zero, True)]
    factor = Fraction(rng.randint(10, 60), 10)
    found = [counting.divergence(real.law(a), real.law(b), factor) for a, b in pairs]
    worst = None if None in found else max(each for each in found if each is not None)
    claims = [Claimed("no ε is enough", log(1_000), zero, False)]
    if worst is not None and little < worst < 1:
        claims += [
            Claimed("δ that the real pairs need", log(factor), worst, True),
            Claimed("δ a little below", log(factor), worst - little, False),
        ]
    return claims


def _decided(
    claim: Claimed,
    mechanism: Callable[..., Any],
    endless: Endless,
    real: _Real,
    pairs: Sequence[tuple[Counts, Counts]],
    written: Written,
    tally: Tally,
    name: str,
) -> bool:
    try:
        with few_regions():
            verdict = check_privacy(
                mechanism,
                Histograms(endless.universe),
                endless.relation,
                epsilon=claim.epsilon,
                delta=claim.delta,
                parameters={"epsilon": log(written.base)},
            )
    except (InputError, Undecided) as refused:
        tally.refuse(f"{name}: ", why_not_for_all(refused))
        return False
    if verdict.status is Status.UNDECIDED:
        tally.refuse(f"{name}: ", why_not_for_all(InputError(verdict.reason)))
        return False
    tally.counts[f"{name}: {verdict.status.name}, {claim.what}"] += 1
    if verdict.status is Status.PROVED:
        tally.expect(
            f"{name}: real pairs under a PROVED",
            claim.holds,
            written,
            endless,
            claim,
            "is PROVED, and real rows need more",
        )
        tally.counts[f"{name}: real pairs under a PROVED"] += len(pairs) - 1
        return True
    witness = verdict.witness
    assert witness is not None
    if "released" in str(witness.event) or not all(isinstance(rows, tuple) for rows in (witness.left, witness.right)):
        return True
    one, other = (tuple(map(rows.count, endless.universe)) for rows in (witness.left, witness.right))  # type: ignore[attr-defined]
    left, right = real.law(one), real.law(other)
    if any(noise for law in (left, right) for _, noise in law.values()):
        enough = counting.ratio(left, right, written.base)
        holds = enough is None or bool(log(enough) > claim.epsilon)
    else:
        p, q = (
            sum((law.get(tagged(o), (Fraction(0), None))[0] for o in witness.event), Fraction(0))
            for law in (left, right)
        )
        holds = witness.p == p and witness.q == q and bool(p > exp(claim.epsilon) * q + claim.delta)
    are_neighbours = other in counting.neighbours(one, endless.moves)
    tally.expect(f"{name}: witnesses on real rows", holds and are_neighbours, written, endless, claim, witness)
    return True


def for_all_sizes_and_every_epsilon(seed: str, tally: Tally, name: str) -> bool:
    """As `for_all_sizes`, of one claim k·ε for every ε: what is PROVED holds on real rows at each of some ε."""
    rng = random.Random(seed)
    endless = _endless(rng)
    text = count_texts.source(rng, endless.universe)
    source, times = count_texts.written(text), rng.choice((1, 1, 2, 3))
    tried = counting.databases(text.constants, len(endless.universe), rng, TRIED // 2)
    pairs = [(a, b) for a in tried for b in counting.neighbours(a, endless.moves) if sum(a) + sum(b) < 9_000]
    try:
        with few_regions(200 if deep() else 60):
            verdict = check_privacy(
                compiled(source, {**OF_DPVERIFY, "Counter": Counter}),
                Histograms(endless.universe),
                endless.relation,
                epsilon=times * symbolic,
                parameters={"epsilon": symbolic},
            )
    except (InputError, Undecided) as refused:
        tally.refuse(f"{name}: ", why_not_for_all(refused))
        return False
    if verdict.status is Status.UNDECIDED:
        tally.refuse(f"{name}: ", why_not_for_all(InputError(verdict.reason)))
        return False
    tally.counts[f"{name}: {verdict.status.name}"] += 1
    if verdict.status is not Status.PROVED:
        return True
    for base in BASES:
        real = _Real(compiled(source, {**paths.names(base), "Counter": Counter}), endless.universe, base, rng)
        try:
            needed = [counting.ratio(real.law(a), real.law(b), base) for a, b in pairs]
        except (Irrational, NotHere):
            tally.refuse(f"{name}: ", PASSED_OVER)
            return False
        holds = all(each is not None and each <= base**times for each in needed)
        written = Written(source, (), (), base, seed)
        tally.expect(f"{name}: PROVED at an ε", holds, written, f"PROVED for {times}ε, and real rows need more")
    return True
