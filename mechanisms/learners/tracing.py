"""The tracing attack on a learner of k concepts, and how many rows it forces: Bun, Nissim & Stemmer, Section 4.

User i is row i of the database, the point i − 1 with a label for each column of a fingerprinting code; the averages of
the hypotheses that are learnt, rounded, are a word of these users. An accurate learner makes a feasible one, so that
somebody is accused; who has no row in it hardly ever is. So a learner that is accurate on few rows is not private.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.drawing.enumerator import distribution
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.learners.boneh_shaw import BonehShaw, accusation_of_columns
from dpverify.mechanisms.learners.multi_learners import Row
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ExactLike, exact, total
from dpverify.mechanisms.numbers.integers.parameters import positive, rational_parameter, share, whole
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.sanitizers.concepts import Concept, Example


def examples_of_column(code: BonehShaw, kind: int, *, without: int | None = None) -> tuple[Example, ...]:
    """A column of a type as labels of the points 0, …, n − 1; the row of the user `without` is labelled 0 instead."""
    return tuple((i, 0 if i + 1 == without else bit) for i, bit in enumerate(code.column(kind)))


def labelled_rows(code: BonehShaw, types: Sequence[int], *, without: int | None = None) -> tuple[Row, ...]:
    """The database of the attack: row i is point i − 1 with the codeword of user i, bit j for column j.

    The row of the user `without` is replaced by its point with labels 0, which changes labels alone.
    """
    columns = [examples_of_column(code, kind, without=without) for kind in types]
    return tuple((i, sum(column[i][1] << j for j, column in enumerate(columns))) for i in range(code.users))


def rounded_average(hypothesis: Concept, users: int) -> int:
    """1 where the hypothesis is 1 on at least half of the points 0, …, n − 1, and 0 elsewhere."""
    return int(2 * sum(hypothesis(x) for x in range(users)) >= users)


def traced(
    draw: Draw, rows: Sequence[Row], *, code: BonehShaw, types: Sequence[int], learner: Mechanism, **given: Any
) -> int | None:
    """The member whom Acc accuses of the word made of what `learner` learns of the rows, or None: the attack itself.

    As private as the learner. `types` are those of the columns in their order, the secret of the code. Source: the
    proof of Theorem 4.3. Raises `InputError` as the learner does, and where it gives another number of hypotheses.
    """
    hypotheses = draw(learner, rows, k=len(types), **given)
    if len(hypotheses) != len(types):
        raise InputError(
            bad_input.NOT_ONE_EACH, f"{len(hypotheses)} hypotheses of the learner", f"{len(types)} columns"
        )
    weights = dict.fromkeys(code.types, 0)
    for kind, hypothesis in zip(types, hypotheses, strict=True):
        weights[kind] += rounded_average(hypothesis, code.users)
    return code.accuse(weights)


def ones_of_learner(code: BonehShaw, learner: Mechanism, *, without: int | None = None, **given: Any) -> dict[int, Any]:
    """By type: the probability that the average of what is learnt of one column of it rounds to 1, exactly."""

    def one(kind: int) -> Exact:
        law = distribution(learner, examples_of_column(code, kind, without=without), **given)
        return total([ZERO, *(p for h, p in law.probabilities.items() if rounded_average(h, code.users))])

    return {kind: one(kind) for kind in code.types}


def trace_of_direct_sum(
    code: BonehShaw, learner: Mechanism, *, without: int | None = None, **given: Any
) -> Distribution[int | None]:
    """Distribution of whom the attack accuses of a direct sum of a learner of one concept, exactly, at any length.

    Each column is learnt alone, so that the weights are binomial, and the order of the columns is all one. `given` goes
    to the learner. Raises `InputError` where a probability of the learner's is irrational: take e^ε rational.
    """
    return accusation_of_columns(code, ones_of_learner(code, learner, without=without, **given))


@dataclass(frozen=True)
class _Promise:
    """The promise of a code of n users at length k: each is bounded by an exact number."""

    incomplete: Exact
    suspicion: Exact


def _boneh_shaw_as_printed(n: int, k: int) -> _Promise | None:
    """(n − 1)·d columns, d = 2n²·ln(2n/ξ): the least ξ that k allows, which bounds both."""
    if n < 2 or k < n - 1:
        return None
    security = 2 * n * exp(-Fraction(k // (n - 1), 2 * n * n))
    return _Promise(security, security)


def _boneh_shaw(n: int, k: int) -> _Promise | None:
    """(n + 1)·d columns, d > n(n + 1)·ln(1/η): somebody is accused, and who has no row with probability ≤ η."""
    copies = k // (n + 1)
    return None if copies < 1 else _Promise(exact(0), exp(-Fraction(copies, n * (n + 1))))


def _tardos_as_printed(n: int, k: int) -> _Promise | None:
    """100·n²·⌈ln(n/ξ)⌉ columns; Tardos misses all with probability (ξ/n)^(n/4), which is ≤ ξ from n = 4 on."""
    factor = k // (100 * n * n)
    if factor < 1 or n < 4:
        return None
    security = n * exp(-factor)
    return _Promise(security, security)


def _tardos(n: int, k: int) -> _Promise | None:
    """The same, with what Tardos shows of each: an innocent user with e^−f, that all are missed with e^(−fn/4)."""
    factor = k // (100 * n * n)
    return None if factor < 1 else _Promise(exp(-Fraction(factor * n, 4)), exp(-factor))


CODES: Final[dict[str, Callable[[int, int], _Promise | None]]] = {
    "Boneh-Shaw as printed": _boneh_shaw_as_printed,
    "Boneh-Shaw": _boneh_shaw,
    "Tardos as printed": _tardos_as_printed,
    "Tardos": _tardos,
}
"""The codes by which rows are forced: those of Boneh & Shaw by Corollary 4.6, of thresholds; of Tardos by 4.10, of any
concepts where labels fit none. What is not as printed has columns of 0s and 1s and the least copies that the proof
allows, or keeps the two errors of Tardos apart."""


def is_traced(n: int, k: int, *, beta: ExactLike, epsilon: ExactLike, delta: ExactLike, code: str) -> bool:
    """True where no (ε,δ)-private learner of k concepts is (1/3,β)-accurate on n rows, by Theorem 4.3 or 4.7.

    With suspicion η of who has no row, and nobody accused with probability ξ: (1 − β − ξ)/n > e^ε·η + δ. Raises
    `InputError` for a parameter out of range and a code that is not one of `CODES`.
    """
    if code not in CODES:
        raise InputError(bad_input.NONE_OF, f"code={code!r}", ", ".join(CODES))
    eps, d, b = positive(epsilon, "epsilon"), exact(delta, "delta"), exact(beta, "beta")
    if not 0 <= d < 1 or not 0 <= b < 1:
        raise InputError(bad_input.RANGE, "one of delta and beta", "from 0 to 1, and less than 1")
    promise = CODES[code](whole(n, "n", 1), whole(k, "k", 1))
    return promise is not None and bool((1 - b - promise.incomplete) / n > exp(eps) * promise.suspicion + d)


def rows_forced(
    k: int,
    *,
    alpha: ExactLike = Fraction(1, 3),
    beta: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    code: str = "Boneh-Shaw",
) -> int:
    """The least number of rows on which a private learner of k concepts may still be (α,β)-accurate.

    That is one more than the largest that `is_traced` excludes, padded to ⌊n/(3α)⌋ rows by Remarks 4.4 and 4.8, and 1
    where it excludes none. Raises as `is_traced`, and unless 0 < α ≤ 1/3.
    """
    if share(alpha, "alpha") > Fraction(1, 3):
        raise InputError(
            bad_input.RANGE, "alpha", "at most 1/3, as the averages of hypotheses have to round to the labels"
        )
    given: dict[str, Any] = {"beta": beta, "epsilon": epsilon, "delta": delta, "code": code}
    fewest = 4 if code == "Tardos as printed" else 2
    if not is_traced(fewest, whole(k, "k", 1), **given):
        return 1
    low, high = fewest, 2 * fewest
    while is_traced(high, k, **given):
        low, high = high, 2 * high
    while high - low > 1:  # the promises are worse for more users
        middle = (low + high) // 2
        low, high = (middle, high) if is_traced(middle, k, **given) else (low, middle)
    padded = low / (3 * rational_parameter(alpha, "alpha"))
    return padded.numerator // padded.denominator + 1
