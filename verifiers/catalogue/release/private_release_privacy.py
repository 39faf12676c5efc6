"""Privacy of PrivLearn, with several learners: Hardt, Rothblum & Servedio, Figure 2 and Sections 3 to 6."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.laws.distributions import uniform
from dpverify.mechanisms.learners.parities import Parity
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.release.conjunctions import Conjunction
from dpverify.mechanisms.release.harmonic_sieve import learn_majority_of_parities
from dpverify.mechanisms.release.low_weight_parities import learn_low_weight_parities
from dpverify.mechanisms.release.multilinear import PolynomialThreshold
from dpverify.mechanisms.release.polynomial_thresholds import learn_polynomial_threshold
from dpverify.mechanisms.release.private_release import Evaluation, FewestErrors, release_by_learning
from dpverify.mechanisms.release.threshold_oracle import Answer, ThresholdOracle, threshold_answers
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.verifiers.catalogue.families import on_all
from dpverify.verifiers.catalogue.finite import IRRATIONAL_SCALE
from dpverify.verifiers.claims import Depth
from dpverify.verifiers.composites.domains import EveryDatabase
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.questions.domains import Tuples

HALF: Final = Fraction(1, 2)
TENTH: Final = Fraction(1, 10)


@dataclass(frozen=True)
class Labels:
    """A hypothesis about the queries 0, 1, …: the label of each."""

    of: tuple[int, ...]

    def __call__(self, q: int) -> int:
        """The label of q."""
        return self.of[q]


EVERY_LABELLING: Final = FewestErrors(tuple(map(Labels, product((0, 1), repeat=2))))


def ask_about_the_other(
    draw: Draw, examples: Sequence[tuple[int, int]], ask: Evaluation, /, *, n: int, t: Fraction, **given: Any
) -> Labels:
    """A learner of two queries that asks for the one that was not sampled, and takes no answer for 0."""
    ((seen, label),) = examples
    other = int(ask(1 - seen)[1] == 1)
    return Labels((label, other) if seen == 0 else (other, label))


def at_most(q: int, row: int) -> int:
    """1 where the row is at most q."""
    return int(row <= q)


def release(draw: Draw, rows: Sequence[int], *, epsilon: Exact, **given: Any) -> Any:
    """The shares of the rows that are 0, and that are at most 1, by PrivLearn."""
    return release_by_learning(draw, rows, queries=uniform((0, 1)), predicate=at_most, epsilon=epsilon, **given)


def release_with_noise_for_one(draw: Draw, rows: Sequence[int], *, epsilon: Exact, bound: int, **given: Any) -> Any:
    """Mutant: noise for one query, whatever their number."""
    return release(draw, rows, epsilon=bound * epsilon, bound=bound, **given)


def answers_at_delta(
    draw: Draw, rows: Sequence[int], *, epsilon: Exact, delta: Exact, **given: Any
) -> tuple[Answer, ...]:
    """Whether rows are at most 0, …, 5, with noise by the composition theorem."""
    return threshold_answers(draw, rows, epsilon=epsilon, delta=delta, **given)


def answers_at_delta_without_the_bound(
    draw: Draw, rows: Sequence[int], *, epsilon: Exact, delta: Exact, bound: int, **given: Any
) -> tuple[Answer, ...]:
    """Mutant: noise for one query, whatever their number."""
    return threshold_answers(draw, rows, epsilon=bound * epsilon, bound=bound, delta=delta, **given)


@dataclass(frozen=True)
class AtMost:
    """The predicate of being at most a value."""

    value: int

    def __call__(self, row: int) -> int:
        """1 where the row is at most the value."""
        return int(row <= self.value)


def one_answer(draw: Draw, value: int, rows: Sequence[int], **given: Any) -> Answer:
    """Whether half of the rows are at most a value, by an oracle for that and other predicates."""
    return ThresholdOracle(draw, rows, **given)(AtMost(value), HALF)


def answers_apart(draw: Draw, rows: Sequence[int], *, epsilon: Exact, delta: Exact, bound: int) -> tuple[Any, ...]:
    """Whether half of the rows are at most 0, 1, …, with independent noise: the answers are kept apart."""
    given: dict[str, Any] = {"alpha": TENTH, "epsilon": epsilon, "delta": delta, "bound": bound}
    return draw.each(one_answer, range(bound), tuple(rows), **given)


def answers_apart_without_the_bound(
    draw: Draw, rows: Sequence[int], *, epsilon: Exact, delta: Exact, bound: int
) -> tuple[Any, ...]:
    """Mutant: noise for one query, whatever their number."""
    given: dict[str, Any] = {"alpha": TENTH, "epsilon": epsilon, "delta": delta, "bound": 1}
    return draw.each(one_answer, range(bound), tuple(rows), **given)


_COVERED: Final = "δ = 1/5 alone covers what six answers give away, at ε = 0, too; 1/100 does not"
_SHARES: Final[dict[str, Any]] = {"alpha": 1, "beta": HALF, "gamma": HALF}

_FEW_ROWS: Final[tuple[tuple[str, str, int, Depth], ...]] = (
    ("", "one row", 1, "quick"),
    ("-two-rows", "two rows", 2, "report"),
)
_ROWS: Final[tuple[tuple[str, str, int, Depth], ...]] = (
    ("", "one row", 1, "quick"),
    ("-three-rows", "three rows", 3, "report"),
)
"""A suffix of the id, the rows in words, their number, and the depth at which they are decided."""

private_learning = (
    *(
        Claim(
            id=f"HRS-Fig2.privacy.every-epsilon{suffix}",
            source="Hardt, Rothblum & Servedio, Figure 2 and Lemma 4.4",
            statement="PrivLearn with evaluation access, b_iter = 1 and α = 1, and a learner that asks for the other "
            f"of two queries at each of three thresholds, is ε-private, for every ε, on {rows}",
            mechanism=release,
            domain=Tuples(range(3), size=size),
            epsilon=symbolic,
            parameters={"learner": ask_about_the_other, "samples": 1, "bound": 6, **_SHARES},
            **on_all(EveryDatabase(range(3)), "report"),
            depth=depth,
            mutant=release_with_noise_for_one,
        )
        for suffix, rows, size, depth in _ROWS
    ),
    *(
        Claim(
            id=f"HRS-4.10.privacy.every-epsilon{suffix}",
            source="Hardt, Rothblum & Servedio, Figure 2 and Theorem 4.10",
            statement="PrivLearn without evaluation access, b_iter = 2 and α = 1, with the hypothesis of least error, "
            f"is ε-private, for every ε, with noise for b_iter predicates, and not for 2·b_iter, on {rows}",
            mechanism=release,
            domain=Tuples(range(3), size=size),
            epsilon=symbolic,
            parameters={"learner": EVERY_LABELLING, "samples": 2, "bound": 2, "evaluation": False, **_SHARES},
            **on_all(EveryDatabase(range(3)), "report"),
            depth=depth,
            mutant=release_with_noise_for_one,
        )
        for suffix, rows, size, depth in _ROWS
    ),
    *(
        Claim(
            id=f"HRS-3.10.privacy.six-queries{suffix}",
            source="Hardt, Rothblum & Servedio, Remark 3.10(2)",
            statement="the threshold oracle, α = 1/10, with the noise of the composition theorem, is (ε,δ)-private for "
            f"six predicates that one row decides, at ε = 1/2, δ = {delta}",
            mechanism=answers_at_delta,
            domain=Tuples((0, 6), size=2),
            epsilon=HALF,
            delta=delta,
            parameters={"queries": tuple((AtMost(value), HALF) for value in range(6)), "alpha": TENTH, "bound": 6},
            **on_all(EveryDatabase((0, 6))),
            depth="report",
            mutant=answers_at_delta_without_the_bound,
            least=least,
        )
        for suffix, delta, least in (
            ("", Fraction(1, 5), LeastShare(share="15/64", below="7/32", because=_COVERED)),
            ("-hundredth", Fraction(1, 100), None),
        )
    ),
    *(
        Claim(
            id=f"HRS-3.10.privacy.sixteen-queries{suffix}",
            source="Hardt, Rothblum & Servedio, Remark 3.10(2)",
            statement="the threshold oracle, α = 1/10, with the noise of the composition theorem, which is less than "
            "that for sixteen queries apart, is (ε,δ)-private for sixteen predicates, half decided by rows at 8; "
            f"ε = 1/2, δ = 1/100, {rows}",
            mechanism=answers_apart,
            domain=Tuples((0, 8, 16), size=size),
            epsilon=HALF,
            delta=Fraction(1, 100),
            parameters={"bound": 16},
            finite_because=IRRATIONAL_SCALE,
            depth=depth,
            mutant=answers_apart_without_the_bound,
        )
        for suffix, rows, size, depth in _FEW_ROWS
    ),
)


# PrivLearn with the learners of Sections 5 and 6: whatever they do, they see the rows through the oracle alone.


def parity(q: int, row: int) -> int:
    """⟨q, row⟩ mod 2."""
    return Parity(q)(row)


def conjunction(q: int, row: int) -> int:
    """1 where the row has all attributes of q."""
    return Conjunction(q)(row)


def released_by(draw: Draw, rows: Sequence[int], *, epsilon: Exact, bits: int, **given: Any) -> Any:
    """PrivLearn over all queries of so many bits."""
    return release_by_learning(draw, rows, queries=uniform(range(1 << bits)), epsilon=epsilon, **given)


def released_with_a_quarter_of_the_noise(
    draw: Draw, rows: Sequence[int], *, epsilon: Exact, bound: int, **given: Any
) -> Any:
    """Mutant: a quarter of the noise that one query takes, whatever their number."""
    return released_by(draw, rows, epsilon=4 * bound * epsilon, bound=bound, **given)


def by_lines(draw: Draw, examples: Sequence[tuple[int, int]], ask: Evaluation, /, **given: Any) -> Any:
    """Linear programming for polynomials of degree 1 in two attributes."""
    return lines_through(tuple(examples), **given)


@lru_cache(maxsize=256)  # a law has thousands of paths, on which the same few programs are to be solved
def lines_through(examples: tuple[tuple[int, int], ...], **given: Any) -> PolynomialThreshold:
    """The same, from the examples alone: it neither draws nor asks."""
    return learn_polynomial_threshold(None, examples, None, d=2, degree=1, **given)


def by_the_sieve(draw: Draw, examples: Sequence[tuple[int, int]], ask: Evaluation, /, **given: Any) -> Any:
    """The Harmonic Sieve on one bit, for eight rounds."""
    return learn_majority_of_parities(draw, examples, ask, d=1, edge="1/4", rounds=8, **given)


def by_single_bits(draw: Draw, examples: Sequence[tuple[int, int]], ask: Evaluation, /, **given: Any) -> Any:
    """Boosting of parities of one of two bits, for eight rounds."""
    return learn_low_weight_parities(draw, examples, ask, d=2, weight=1, edge="1/4", rounds=8, **given)


# On one bit the sieve has two predicates, and where the oracle has noise for nine of them, ε/9 shows. Here it has noise
# for one, which has to stop it: of what is asked then nothing is answered.
by_one_predicate = Claim(
    id="HRS-6.2.privacy.one-predicate-every-epsilon",
    source="Hardt, Rothblum & Servedio, Lemma 4.4, Theorems 3.9 and 6.2, for parities of one bit, learnt by the sieve",
    statement="PrivLearn with α = 1 and an oracle for one predicate is ε-private, for every ε, with the learner of "
    "parities of one bit by the sieve, which asks for two: on twelve rows, any number of which are 1",
    mechanism=released_by,
    domain=[(*(0,) * (12 - ones), *(1,) * ones) for ones in range(13)],
    epsilon=symbolic,
    parameters={"predicate": parity, "learner": by_the_sieve, "samples": 1, "bound": 1, "bits": 1, **_SHARES},
    **on_all(EveryDatabase((0, 1))),
    mutant=released_with_a_quarter_of_the_noise,
)

_BY_LEARNERS: Final[tuple[tuple[str, str, dict[str, Any]], ...]] = (
    (
        "HRS-5.10.privacy.every-epsilon",
        "Theorems 4.10 and 5.10, for conjunctions of two attributes, learnt by linear programming",
        {"predicate": conjunction, "learner": by_lines, "samples": 1, "bound": 1, "evaluation": False, "bits": 2},
    ),
    (
        "HRS-6.2.privacy.every-epsilon",
        "Theorems 3.9 and 6.2, for parities of one bit, learnt by the sieve",
        {"predicate": parity, "learner": by_the_sieve, "samples": 1, "bound": 9, "bits": 1},
    ),
    (
        "HRS-6.4.privacy.every-epsilon",
        "Theorems 3.9 and 6.4, for conjunctions of two attributes, learnt by parities of one bit",
        {"predicate": conjunction, "learner": by_single_bits, "samples": 1, "bound": 1, "evaluation": False, "bits": 2},
    ),
)

_OF_NINE: Final = LeastShare(
    share="1/9",
    below="1/10",
    because="the noise is for nine predicates, as many as the sieve may ask for; on one bit there are two, of which "
    "rows decide one, so that ε/9 shows",
)
learners = tuple(
    Claim(
        id=f"{claim_id}{suffix}",
        source=f"Hardt, Rothblum & Servedio, Lemma 4.4, {what}",
        statement=f"PrivLearn with α = 1 is ε-private, for every ε, on {rows}, with the learner of {what}",
        mechanism=released_by,
        domain=Tuples(range(1 << given["bits"]), size=size),
        epsilon=symbolic,
        parameters={**given, **_SHARES},
        **on_all(EveryDatabase(range(1 << given["bits"])), "full" if given["bound"] > 1 else "report"),
        depth=depth,
        mutant=released_with_a_quarter_of_the_noise,
        least=_OF_NINE if given["bound"] == 9 else None,
    )
    for claim_id, what, given in _BY_LEARNERS
    for suffix, rows, size, depth in _FEW_ROWS
)
