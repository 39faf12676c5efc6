"""PrivLearn, of Hardt, Rothblum & Servedio: release the answers to many queries by learning thresholds of them.

A query is described by q, and P(q, u) in {0, 1} says whether row u satisfies it; f(q) is the share of rows that do.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, Protocol, TypeAlias

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, rational_parameter, share, whole
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.release.threshold_oracle import Answer, Database, ThresholdOracle
from dpverify.mechanisms.sanitizers.concepts import numbers_of_correct_labels, refuse_no_concepts
from dpverify.mechanisms.selection.stability import Bottom

Predicate: TypeAlias = Callable[[Any, Any], int]
"""P(q, u)."""

Labeller: TypeAlias = Callable[[Any], int]
"""A hypothesis about whether f(q) ≥ t: q → 0 or 1. Hashable."""

Evaluation: TypeAlias = Callable[[Any], tuple[Exact, Answer]]
"""q → (c·G_i[q], the label of q), or (0, ⊥): approximate distribution-restricted access (Definition 3.6)."""


Examples: TypeAlias = Sequence[tuple[Any, int]] | Mapping[tuple[Any, int], int]
"""Labelled examples one after another, or how often each occurs."""

Sampling: TypeAlias = Callable[[Draw, Distribution[Any], int], Iterable[tuple[Any, int]]]
"""(draw, G, b_iter) → queries with how often each stands there, b_iter in all."""


class ThresholdsLearner(Protocol):
    """L of Definition 3.5: learns q ↦ 1{f(q) ≥ t}, where f is a mean of n predicates."""

    def __call__(
        self, draw: Draw, examples: Any, ask: Evaluation, /, *, n: int, t: Fraction, gamma: Fraction, beta: Exact
    ) -> Labeller:
        """A hypothesis from labelled examples (q, label) and evaluation queries, of which each is counted.

        The `Examples` are a sequence, unless PrivLearn was given a `sampling` of its own.
        """


@dataclass(frozen=True)
class Described:
    """The predicate of rows that q describes."""

    predicate: Predicate
    q: Hashable

    def __call__(self, row: Any) -> int:
        """P(q, row)."""
        return self.predicate(self.q, row)


@dataclass(frozen=True)
class Constant:
    """The synopsis of step 3(c): nearly all queries have about the same answer."""

    value: Fraction

    def __call__(self, q: Any) -> Fraction:
        """The value, in [0, 1], for any q."""
        return self.value


@dataclass(frozen=True)
class Synopsis:
    """The synopsis of h_1, …, h_k, where h_i(q) says whether f(q) ≥ t_i = i/(k + 1)."""

    hypotheses: tuple[Labeller, ...]

    def __call__(self, q: Any) -> Fraction:
        """t_i for the smallest i with h_i(q) = 1 and h_{i+1}(q) = 0, where h_0 = 1 and h_{k+1} = 0; in [0, 1).

        What step 4 means: f(q) lies from t_i to t_{i+1}, for hypotheses that are right. `SynopsisAsPrinted` is step 4.
        """
        i = next((i for i, h in enumerate(self.hypotheses) if not h(q)), len(self.hypotheses))
        return Fraction(i, len(self.hypotheses) + 1)


@dataclass(frozen=True)
class SynopsisAsPrinted:
    """Step 4 of Figure 2 to the letter. It looks for a step up, while q ↦ 1{f(q) ≥ t_i} steps down as i grows."""

    hypotheses: tuple[Labeller, ...]

    def __call__(self, q: Any) -> Fraction:
        """t_i for the smallest i with h_i(q) = 1 and h_{i−1}(q) = 0, where h_0 = 0 and h_{k+1} = 1; in (0, 1].

        Figure 2 gives i itself, which is no share; its Section 3.3 gives t_i.
        """
        i = next((i for i, h in enumerate(self.hypotheses, 1) if h(q)), len(self.hypotheses) + 1)
        return Fraction(i, len(self.hypotheses) + 1)


def one_by_one(draw: Draw, queries: Distribution[Any], samples: int) -> Iterable[tuple[Any, int]]:
    """So many queries, each drawn by itself: (q, 1) for each."""
    return tuple((draw(queries), 1) for _ in range(samples))


def release_by_learning(
    draw: Draw,
    rows: Database,
    *,
    queries: Distribution[Any],
    predicate: Predicate,
    learner: ThresholdsLearner,
    alpha: ExactLike,
    beta: ExactLike,
    gamma: ExactLike,
    epsilon: ExactLike,
    samples: int,
    bound: int | None = None,
    evaluation: bool = True,
    delta: ExactLike | None = None,
    synopsis: Callable[[tuple[Labeller, ...]], Any] = Synopsis,
    sampling: Sampling = one_by_one,
    least_share: ExactLike = Fraction(1, 2),
    noise: Noise = laplace,
) -> Any:
    """PrivLearn: a synopsis S with |S(q) − f(q)| ≤ α for all but a γ-share of the queries q ~ G, or it fails.

    Source: Hardt, Rothblum & Servedio, Figure 2; ε-private whatever the learner (Lemma 4.4), since all that it sees of
    the rows goes through the oracle. `queries` is G and `samples` b_iter. With `evaluation` the learner may ask, and
    b_total = 2k·b_iter (Theorem 3.9). Without, it has examples alone, and the oracle counts predicates, of which
    b_total = 2·b_iter (Theorem 4.10). `bound` replaces b_total: without `evaluation`, b_iter is enough. `release_sizes`
    gives the printed numbers. With δ the release is (ε,δ)-private (Remark 3.10). A `sampling` that draws how often each
    query is sampled, in one, makes examples that are counted as well, and may return a query with a number above 1.
    Step 3(c) ends the run below γ/2; with `least_share` 3/4 below 3γ/4, so that the learner sees 2/γ-smooth
    distributions alone, as Theorem 3.9 has it. Raises `InputError` without rows, and for a parameter out of range.
    """
    a, b, g = _share(alpha, "alpha"), open_unit(beta, "beta"), _share(gamma, "gamma")
    least = _share(least_share, "least_share")
    b_iter, k = whole(samples, "samples", 1), thresholds_for(a)
    n = rows_of_the_small_database(queries.size, a)
    # 1
    oracle = ThresholdOracle(
        draw,
        rows,
        alpha=a / 7,
        bound=queries_in_all(b_iter, k, evaluation=evaluation) if bound is None else bound,
        epsilon=epsilon,
        delta=delta,
        distinct=not evaluation,
        noise=noise,
    )
    # 2
    sampled = tuple(sampling(draw, queries, b_iter))
    # 3
    hypotheses: list[Labeller] = []
    for i in range(1, k + 1):
        t = Fraction(i, k + 1)
        labelled = tuple(
            ((q, label), times)
            for q, times in sampled
            if isinstance(label := oracle(Described(predicate, q), t, times), int)
        )
        accepted = sum(times for _, times in labelled)
        if accepted < b_iter * g * least:
            return Constant(t)

        def ask(q: Any, t: Fraction = t, accepted: int = accepted) -> tuple[Exact, Answer]:
            label = oracle(Described(predicate, q), t) if evaluation else Bottom.BOTTOM
            if label is Bottom.BOTTOM:
                return ZERO, label
            return queries.probability(q) * b_iter / accepted, label

        hypotheses.append(learner(draw, examples_of(labelled), ask, n=n, t=t, gamma=g / k, beta=b / (6 * k)))
    # 4
    return synopsis(tuple(hypotheses))


def examples_of(labelled: Sequence[tuple[tuple[Any, int], int]]) -> Examples:
    """The examples of what was sampled: in order, where each was by itself."""
    if all(times == 1 for _, times in labelled):
        return tuple(example for example, _ in labelled)
    counted: Counter[tuple[Any, int]] = Counter()
    for example, times in labelled:
        counted[example] += times
    return counted


@sized(release_by_learning, name="thresholds")
def thresholds_for(alpha: ExactLike) -> int:
    """The number of thresholds, ⌈3/α⌉."""
    return ceil(3 / share(alpha, "alpha"))


def queries_in_all(samples: int, thresholds: int, *, evaluation: bool) -> int:
    """b_total: 2k·b_iter calls of the oracle (7), or 2·b_iter predicates without evaluation access (Theorem 4.10)."""
    return 2 * samples * (thresholds if evaluation else 1)


@sized(release_by_learning, name="rows of the small database")
def rows_of_the_small_database(queries: int, alpha: ExactLike) -> int:
    """n′ = ⌈4410·ln|Q|/α²⌉: a database of so many rows agrees with D wherever the oracle answers; at least 1.

    Source: Hardt, Rothblum & Servedio, (6) and Lemma 4.3 at α/7. For one query the printed number is 0.
    """
    return max(1, ceil(4410 * log(whole(queries, "queries", 1)) / share(alpha, "alpha") ** 2))


@dataclass(frozen=True)
class ReleaseSizes:
    """The sizes that PrivLearn asks for: (6), (7) and (8) of Hardt, Rothblum & Servedio."""

    small_database: int
    thresholds: int
    examples: int
    samples: int
    bound: int
    rows: int


def release_sizes(
    *,
    queries: int,
    examples: Callable[[int, Fraction, Exact], int],
    alpha: ExactLike,
    beta: ExactLike,
    gamma: ExactLike,
    epsilon: ExactLike,
    evaluation: bool = True,
) -> ReleaseSizes:
    """n′, k, b_base, b_iter, b_total and the rows of (8), for a learner that asks for `examples`(n′, γ′, β′) of them.

    Raises `InputError` for a parameter out of range.
    """
    a, b, g = _share(alpha, "alpha"), open_unit(beta, "beta"), _share(gamma, "gamma")
    k = thresholds_for(a)
    n, b_k = rows_of_the_small_database(queries, a), b / (6 * k)
    b_base = whole(examples(n, g / k, b_k), "examples", 1)
    b_iter = ceil(100 * b_base * log(1 / b_k) / g)
    b_total = queries_in_all(b_iter, k, evaluation=evaluation)
    rows = ceil(210 * b_total * log(10 * b_total / b) / (positive(epsilon, "epsilon") * exact(a)))
    return ReleaseSizes(n, k, b_base, b_iter, b_total, rows)


@sized(release_by_learning)
def rows_for_release(
    *,
    queries: int,
    examples: Callable[[int, Fraction, Exact], int],
    alpha: ExactLike,
    beta: ExactLike,
    gamma: ExactLike,
    epsilon: ExactLike,
    evaluation: bool = True,
) -> int:
    """The rows of (8), for a learner that asks for `examples`(n′, γ′, β′). Raises `InputError` as `release_sizes`."""
    sizes = release_sizes(
        queries=queries, examples=examples, alpha=alpha, beta=beta, gamma=gamma, epsilon=epsilon, evaluation=evaluation
    )
    return sizes.rows


@dataclass(frozen=True)
class FewestErrors:
    """The concepts of a finite class, to learn a threshold of shares from by empirical risk minimisation."""

    concepts: tuple[Labeller, ...]

    def __post_init__(self) -> None:
        refuse_no_concepts(self.concepts)

    def __call__(self, draw: Draw, examples: Any, ask: Evaluation, /, **given: Any) -> Labeller:
        """The first concept with the fewest wrong labels: no chance, and no evaluation queries."""
        correct = numbers_of_correct_labels(self.concepts, examples)
        return max(self.concepts, key=correct.__getitem__)


def _share(value: ExactLike, name: str) -> Fraction:
    return rational_parameter(share(value, name), name)
