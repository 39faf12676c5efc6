"""Programs that books and libraries publish, exactly and as somebody ships them in numpy: decided, and audited by samples.

Each names what it is written after. Its claim, which holds or is known to be wrong, is asked on pairs in both directions.
"""

import time
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction as F
from typing import Any, Final, NamedTuple

import numpy as np

from dpverify.mechanisms import (
    Distribution,
    Draw,
    bernoulli,
    clamp,
    discrete_laplace,
    exp,
    exponential_noise,
    gumbel,
    laplace,
    log,
    uniform,
)
from dpverify.reports.record import Status
from dpverify.verifiers import SampledClaim, check_privacy

Rng = np.random.Generator
Rows = tuple[int, ...]


class Program(NamedTuple):
    """A program, where it is published, exactly and as it is shipped, with its claim, and whether that holds."""

    name: str
    source: str
    mechanism: Callable[..., Any]
    shipped: Callable[[Any, Rng, int], Any]
    pairs: Sequence[tuple[Hashable, Hashable]]
    epsilon: Any
    holds: bool
    delta: Any = 0


class Decided(NamedTuple):
    """What was found of a program, exactly and by samples, with the seconds of both."""

    program: Program
    exact: Status
    tight_epsilon: str
    exact_seconds: float
    sampled: Status
    ruled_out: str | None
    draws: int
    seconds: float


def exactly(program: Program) -> Any:
    """The exact verdict on the pairs."""
    databases = tuple(dict.fromkeys(one for pair in program.pairs for one in pair))

    def others(rows: Hashable) -> list[Hashable]:
        beside = [(a, b) for a, b in program.pairs] + [(b, a) for a, b in program.pairs]
        return [b for a, b in beside if a == rows]

    return check_privacy(
        program.mechanism, databases, others, epsilon=program.epsilon, delta=program.delta, recheck=False
    )


def by_samples(program: Program, draws: int, **changed: Any) -> Any:
    """The result of the claim of what is shipped; floats stand for the reals that are meant."""

    def sampler(rows: Any, rng: Rng, size: int) -> Any:
        return program.shipped(rows, rng, size)

    given = {"epsilon": program.epsilon, "delta": program.delta, "pairs": program.pairs, "draws": draws}
    return SampledClaim(id="bench.program", sampler=sampler, low_bits=False, **{**given, **changed}).decide()


def decided(program: Program, draws: int) -> Decided:
    """Both."""
    began = time.process_time()
    verdict = exactly(program)
    between = time.process_time()
    found = by_samples(program, draws)
    seconds = time.process_time() - between
    epsilon = "∞" if verdict.epsilon is None else f"{float((verdict.epsilon.lower + verdict.epsilon.upper) / 2):.4f}"
    return Decided(
        program, verdict.status, epsilon, between - began, found.verdict, found.ruled_out, found.draws, seconds
    )


# --- Near & Abuah, Programming Differential Privacy
def told(draw: Draw, rows: Rows) -> Any:
    return rows[0] if draw(bernoulli(F(1, 2))) else int(draw(bernoulli(F(1, 2))))


def told_in_numpy(rows: Rows, rng: Rng, size: int) -> Any:
    return np.where(rng.random(size) < 0.5, rows[0], rng.random(size) < 0.5).astype(int)


def fullest(draw: Draw, rows: Rows) -> int:
    noisy = [rows.count(i) + draw(laplace(1)) for i in range(3)]
    return noisy.index(max(noisy))


def fullest_in_numpy(rows: Rows, rng: Rng, size: int) -> Any:
    return (np.bincount(rows, minlength=3) + rng.laplace(size=(size, 3))).argmax(axis=1)


def first_above(draw: Draw, queries: Rows) -> int:
    """Each query with noise of its own, of which ε is n times that of one."""
    return next((i for i, x in enumerate(queries) if x + draw(laplace(1)) >= 1), len(queries))


def first_above_in_numpy(queries: Rows, rng: Rng, size: int) -> Any:
    above = np.array(queries) + rng.laplace(size=(size, len(queries))) >= 1
    return np.where(above.any(axis=1), above.argmax(axis=1), len(queries))


def bits(draw: Draw, rows: Rows) -> Any:
    return tuple(draw(bernoulli(F(3, 4) if i == rows[0] else F(1, 4))) for i in range(4))


def bits_in_numpy(rows: Rows, rng: Rng, size: int) -> Any:
    return (rng.random((size, 4)) < np.where(np.arange(4) == rows[0], 0.75, 0.25)).astype(int)


# --- diffprivlib and OpenDP
def in_bounds(draw: Draw, rows: Rows) -> Any:
    return clamp(rows[0] + draw(discrete_laplace(1)), 0, 5)


def in_bounds_in_numpy(rows: Rows, rng: Rng, size: int) -> Any:
    p = 1 - np.exp(-1)
    return np.clip(rows[0] + rng.geometric(p, size) - rng.geometric(p, size), 0, 5)


def top(draw: Draw, scores: Rows) -> int:
    noisy = [x + draw(gumbel(2)) for x in scores]
    return noisy.index(max(noisy))


def top_in_numpy(scores: Rows, rng: Rng, size: int) -> Any:
    return (np.array(scores) + rng.gumbel(scale=2, size=(size, len(scores)))).argmax(axis=1)


def above_by_exponential(draw: Draw, queries: Rows) -> int:
    """A threshold and queries with exponential noise of one scale, 2/ε."""
    level = 1 + draw(exponential_noise(2))
    return next((i for i, x in enumerate(queries) if x + draw(exponential_noise(2)) >= level), len(queries))


def above_by_exponential_in_numpy(queries: Rows, rng: Rng, size: int) -> Any:
    level = 1 + rng.exponential(scale=2, size=(size, 1))
    above = np.array(queries) + rng.exponential(scale=2, size=(size, len(queries))) >= level
    return np.where(above.any(axis=1), above.argmax(axis=1), len(queries))


def rounded_normal(draw: Draw, rows: Rows) -> Any:
    """The law e^(−k²/18), as of a discrete Gaussian with σ = 3."""
    return rows[0] + draw(Distribution({k: exp(-F(k * k, 18)) for k in range(-40, 41)}))


def rounded_normal_in_numpy(rows: Rows, rng: Rng, size: int) -> Any:
    places = np.arange(-40, 41)
    weights = np.exp(-(places**2) / 18)
    return rows[0] + rng.choice(places, size=size, p=weights / weights.sum())


# --- Local and shuffled
def one_of_8(draw: Draw, rows: Rows) -> Any:
    return draw(Distribution({value: exp(1) if value == rows[0] else 1 for value in range(8)}))


def one_of_8_in_numpy(rows: Rows, rng: Rng, size: int) -> Any:
    weights = np.where(np.arange(8) == rows[0], np.e, 1.0)
    return rng.choice(8, size=size, p=weights / weights.sum())


def signs(draw: Draw, rows: Rows) -> Any:
    """Hadamard's response: a row of the matrix, and its sign at the value, which is flipped now and then."""
    row = draw(uniform(range(8)))
    return row, (row & rows[0]).bit_count() % 2 ^ draw(bernoulli(1 / (exp(1) + 1)))


def signs_in_numpy(rows: Rows, rng: Rng, size: int) -> Any:
    row = rng.integers(8, size=size)
    flipped = rng.random(size) < 1 / (np.e + 1)
    return np.stack([row, np.bitwise_count(row & rows[0]) % 2 ^ flipped], axis=1).astype(int)


def shuffled(draw: Draw, rows: Rows) -> Any:
    return sum(bit ^ draw(bernoulli(1 / (exp(1) + 1))) for bit in rows)


def shuffled_in_numpy(rows: Rows, rng: Rng, size: int) -> Any:
    return (np.array(rows) ^ (rng.random((size, len(rows))) < 1 / (np.e + 1))).sum(axis=1)


_BOOK: Final = "Near & Abuah, Programming Differential Privacy"

PROGRAMS: Final = (
    Program("randomized response", f"{_BOOK}, ch. 13", told, told_in_numpy, [((0,), (1,))], log(3), True),
    Program("report noisy max, scale 1, one replaced", f"{_BOOK}, ch. 9", fullest, fullest_in_numpy,
            [((0, 0, 1), (0, 1, 1)), ((0, 0, 0), (0, 0, 1))], 1, False),
    Program("naive above threshold, 3 queries", f"{_BOOK}, ch. 10", first_above, first_above_in_numpy,
            [((0, 0, 0), (1, 1, 1)), ((0, 1, 2), (1, 2, 1))], 3, True),
    Program("unary encoding, 4 values", f"{_BOOK}, ch. 13", bits, bits_in_numpy, [((0,), (1,))], log(9), True),
    Program("GeometricTruncated", "diffprivlib", in_bounds, in_bounds_in_numpy, [((2,), (3,)), ((0,), (1,))], 1, True),
    Program("noisy max, Gumbel", "OpenDP, make_noisy_max", top, top_in_numpy,
            [((0, 0, 0), (1, 0, 0)), ((0, 1, 1), (1, 0, 0))], 1, True),
    Program("above threshold, exponential noise", "OpenDP 0.14", above_by_exponential, above_by_exponential_in_numpy,
            [((0, 0, 0), (1, 1, 1)), ((1, 1, 1), (0, 0, 2))], 1, False),
    Program("discrete Gaussian, σ = 3, answers 2 apart", "OpenDP, make_gaussian", rounded_normal, rounded_normal_in_numpy,
            [((0,), (2,))], 1, False, F(1, 1000)),
    Program("k-ary randomized response", "Kairouz et al. 2016", one_of_8, one_of_8_in_numpy, [((0,), (5,))], 1, True),
    Program("Hadamard response", "Acharya et al. 2019", signs, signs_in_numpy, [((1,), (6,))], 1, True),
    Program("shuffled randomized response, n = 8", "Cheu et al. 2019", shuffled, shuffled_in_numpy,
            [((0,) * 8, (0,) * 7 + (1,))], F(7, 10), True, F(1, 20)),
)  # fmt: skip


def section(draws: int) -> list[str]:
    """Lines of Markdown: a table of all of them."""
    found = [decided(program, draws) for program in PROGRAMS]
    wrong = [one.program.name for one in found if one.program.holds and one.sampled is Status.REFUTED]
    missed = [one.program.name for one in found if not one.program.holds and one.sampled is not Status.REFUTED]
    return [
        f"## {len(found)} programs of books and libraries",
        "",
        "Written anew after the sources that are named (`docs/pages/sampled/programs.py`), on the pairs that stand there, some",
        f"with a claim that is known to be wrong, at 99.9 %. Refuted although right: {len(wrong)}. Wrong, and not seen by {draws:,} draws:",
        f"{', '.join(missed) or 'none'}.",
        "",
        "| program | source | claimed ε, δ | exact verdict, ε at δ = 0 | s | by samples | ε ruled out below | draws of each | s |",
        "| --- | --- | ---: | --- | ---: | --- | ---: | ---: | ---: |",
        *map(_line, found),
        "",
    ]


def _line(one: Decided) -> str:
    program = one.program
    delta = f", {program.delta}" if program.delta else ""
    cells = (
        program.name,
        program.source,
        f"{program.epsilon}{delta}",
        f"{one.exact} {one.tight_epsilon}",
        f"{one.exact_seconds:.2f}",
        str(one.sampled),
        one.ruled_out or "–",
        f"{one.draws:,}",
        f"{one.seconds:.2f}",
    )
    return f"| {' | '.join(cells)} |"
