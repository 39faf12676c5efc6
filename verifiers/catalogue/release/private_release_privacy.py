"""Privacy of PrivLearn, with several learners: Hardt, Rothblum & Servedio, Figure 2 and Sections 3 to 6."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, symbolic, uniform
from dpverify.mechanisms.learners import Parity
from dpverify.mechanisms.release import Conjunction, learn_low_weight_parities, learn_majority_of_parities
from dpverify.mechanisms.release.multilinear import PolynomialThreshold
from dpverify.mechanisms.release.polynomial_thresholds import learn_polynomial_threshold
from dpverify.mechanisms.release.private_release import Evaluation, FewestErrors, release_by_learning
from dpverify.mechanisms.release.threshold_oracle import Answer, ThresholdOracle, threshold_answers
from dpverify.verifiers import Tuples
from dpverify.verifiers.catalogue.families import HALF, HRS, TENTH
from dpverify.verifiers.catalogue.finite import IRRATIONAL_SCALE
from dpverify.verifiers.catalogue.mutants import for_one_query
from dpverify.verifiers.privacy.family import Depth, EveryDatabase, Row, family, rows_of


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


def answers_at_delta(draw: Draw, rows: Sequence[int], *, epsilon: Exact, delta: Exact, **given: Any) -> Any:
    """The answers on rows of at most 0, …, 5, with noise by the composition theorem."""
    return threshold_answers(draw, rows, epsilon=epsilon, delta=delta, **given)


@dataclass(frozen=True)
class AtMost:
    """The predicate of being at most a value."""

    value: int

    def __call__(self, row: int) -> int:
        """1 where the row is at most the value."""
        return int(row <= self.value)


def one_answer(draw: Draw, value: int, rows: Sequence[int], **given: Any) -> Answer:
    """The answer of whether half of the rows are at most a value, by an oracle for that and other predicates."""
    return ThresholdOracle(draw, rows, **given)(AtMost(value), HALF)


def answers_apart(draw: Draw, rows: Sequence[int], *, epsilon: Exact, delta: Exact, bound: int) -> tuple[Any, ...]:
    """The answers of whether half of the rows are at most 0, 1, …, each with noise of its own."""
    given: dict[str, Any] = {"alpha": TENTH, "epsilon": epsilon, "delta": delta, "bound": bound}
    return draw.each(one_answer, range(bound), tuple(rows), **given)


def answers_apart_without_the_bound(
    draw: Draw, rows: Sequence[int], *, epsilon: Exact, delta: Exact, bound: int
) -> tuple[Any, ...]:
    """Mutant: noise for one query, whatever their number."""
    given: dict[str, Any] = {"alpha": TENTH, "epsilon": epsilon, "delta": delta, "bound": 1}
    return draw.each(one_answer, range(bound), tuple(rows), **given)


def parity(q: int, row: int) -> int:
    """⟨q, row⟩ mod 2."""
    return Parity(q)(row)


def conjunction(q: int, row: int) -> int:
    """1 where the row has all attributes of q."""
    return Conjunction(q)(row)


def released_by(draw: Draw, rows: Sequence[int], *, epsilon: Exact, bits: int, **given: Any) -> Any:
    """PrivLearn over all queries of so many bits."""
    return release_by_learning(draw, rows, queries=uniform(range(1 << bits)), epsilon=epsilon, **given)


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


_SHARES: Final[dict[str, Any]] = {"alpha": 1, "beta": HALF, "gamma": HALF}


def _rows(suffix: str, in_words: str, size: int, universe: Any) -> Row:
    """On databases of so many rows: of more than one in audits that write a report."""
    return Row(suffix, in_words).having(domain=Tuples(universe, size=size), depth="quick" if size == 1 else "report")


private_learning = family(
    Row()
    .having(mechanism=release, epsilon=symbolic, all_sizes=EveryDatabase(range(3)), all_sizes_depth="report")
    .having(mutant=for_one_query(release, "release_with_noise_for_one")),
    *rows_of(
        Row("HRS-Fig2.privacy.every-epsilon")
        .says(
            "PrivLearn with evaluation access, b_iter = 1 and α = 1, and a learner that asks for the other of two "
            "queries at each of three thresholds, is ε-private, for every ε, on "
        )
        .having(source=f"{HRS}, Figure 2 and Lemma 4.4")
        .run_with(learner=ask_about_the_other, samples=1, bound=6, **_SHARES),
        _rows("", "one row", 1, range(3)),
        _rows("-three-rows", "three rows", 3, range(3)),
    ),
    *rows_of(
        Row("HRS-4.10.privacy.every-epsilon")
        .says(
            "PrivLearn without evaluation access, b_iter = 2 and α = 1, with the hypothesis of least error, is "
            "ε-private, for every ε, with noise for b_iter predicates, and not for 2·b_iter, on "
        )
        .having(source=f"{HRS}, Figure 2 and Theorem 4.10")
        .run_with(learner=EVERY_LABELLING, samples=2, bound=2, evaluation=False, **_SHARES),
        _rows("", "one row", 1, range(3)),
        _rows("-three-rows", "three rows", 3, range(3)),
    ),
)
by_composition = family(
    Row("HRS-3.10.privacy.", "the threshold oracle, α = 1/10, with the noise of the composition theorem, ").having(
        source=f"{HRS}, Remark 3.10(2)", epsilon=HALF
    ),
    *rows_of(
        Row("six-queries", "is (ε,δ)-private for six predicates that one row decides, at ε = 1/2, δ = ")
        .having(mechanism=answers_at_delta, domain=Tuples((0, 6), size=2), all_sizes=EveryDatabase((0, 6)))
        .having(depth="report", mutant=for_one_query(answers_at_delta))
        .run_with(queries=tuple((AtMost(value), HALF) for value in range(6)), alpha=TENTH, bound=6),
        Row("", "1/5")
        .having(delta=Fraction(1, 5))
        .holds_with("15/64", "7/32", "δ = 1/5 alone covers what six answers give away, at ε = 0, too; 1/100 does not"),
        Row("-hundredth", "1/100").having(delta=Fraction(1, 100)),
    ),
    *rows_of(
        Row("sixteen-queries")
        .says(
            "which is less than that for sixteen queries apart, is (ε,δ)-private for sixteen predicates, half decided "
            "by rows at 8; ε = 1/2, δ = 1/100, "
        )
        .having(mechanism=answers_apart, delta=Fraction(1, 100), finite_because=IRRATIONAL_SCALE)
        .having(mutant=answers_apart_without_the_bound)
        .run_with(bound=16),
        _rows("", "one row", 1, (0, 8, 16)),
        _rows("-two-rows", "two rows", 2, (0, 8, 16)),
    ),
)

# PrivLearn with the learners of Sections 5 and 6: whatever they do, they see the rows through the oracle alone.
_PARITIES: Final[dict[str, Any]] = {"predicate": parity, "learner": by_the_sieve, "samples": 1, "bound": 9, "bits": 1}
_TWO_BITS: Final[dict[str, Any]] = {"predicate": conjunction, "samples": 1, "bound": 1, "evaluation": False, "bits": 2}
_LEARNT: Final = (
    Row()
    .having(mechanism=released_by, epsilon=symbolic, parameters=_SHARES)
    .having(mutant=for_one_query(released_by, "released_with_a_quarter_of_the_noise", a_quarter=True))
)

# On one bit the sieve has two predicates, and where the oracle has noise for nine of them, ε/9 shows. Here it has noise
# for one, which has to stop it: of what is asked then nothing is answered.
by_one_predicate = family(
    _LEARNT,
    Row("HRS-6.2.privacy.one-predicate-every-epsilon")
    .says(
        "PrivLearn with α = 1 and an oracle for one predicate is ε-private, for every ε, with the learner of parities "
        "of one bit by the sieve, which asks for two: on twelve rows, any number of which are 1"
    )
    .having(source=f"{HRS}, Lemma 4.4, Theorems 3.9 and 6.2, for parities of one bit, learnt by the sieve")
    .having(domain=[(*(0,) * (12 - ones), *(1,) * ones) for ones in range(13)], all_sizes=EveryDatabase((0, 1)))
    .run_with(**{**_PARITIES, "bound": 1}),
)


def _by(theorem: str, what: str, all_sizes_depth: Depth = "report", **given: Any) -> tuple[Row, ...]:
    """PrivLearn with one of the learners."""
    universe = range(1 << given["bits"])
    return rows_of(
        Row(f"HRS-{theorem}.privacy.every-epsilon")
        .says(f"PrivLearn with α = 1 is ε-private, for every ε, on {{}}, with the learner of {what}")
        .having(source=f"{HRS}, Lemma 4.4, {what}", all_sizes=EveryDatabase(universe), parameters=given)
        .having(all_sizes_depth=all_sizes_depth),
        _rows("", "one row", 1, universe),
        _rows("-two-rows", "two rows", 2, universe),
    )


_LINES: Final = "Theorems 4.10 and 5.10, for conjunctions of two attributes, learnt by linear programming"
_BITS: Final = "Theorems 3.9 and 6.4, for conjunctions of two attributes, learnt by parities of one bit"
learners = family(
    _LEARNT,
    *_by("5.10", _LINES, learner=by_lines, **_TWO_BITS),
    *_by("6.4", _BITS, learner=by_single_bits, **_TWO_BITS),
    *rows_of(
        Row().holds_with(
            "1/9",
            "1/10",
            "the noise is for nine predicates, as many as the sieve may ask for; on one bit there are two, of which "
            "rows decide one, so that ε/9 shows",
        ),
        *_by("6.2", "Theorems 3.9 and 6.2, for parities of one bit, learnt by the sieve", "full", **_PARITIES),
    ),
)
