"""Private PAC learning with the large margin mechanism, and the shell bounds, with their constants.

A class is described by its errors: err(h) → how many hypotheses have it. u is a bound on sup |êrr(h) − err(h)| that
holds but with probability δ₀; the paper's is C₀·sqrt(d·ln(n/δ₀)/n). The paper prints ℋ(t+1) ⊆ ℋ(t); by its definition
the shells grow: ℋ(t) ⊆ ℋ(t+1).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.numbers.elementary import log, sqrt
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, whole
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.sanitizers.concepts import Concept, Example, numbers_of_correct_labels, refuse_no_concepts
from dpverify.mechanisms.selection.large_margin import error_allowed, large_margin_mechanism, margin_needed

_Hypothesis = TypeVar("_Hypothesis", bound=Concept)

Errors: TypeAlias = Mapping[Fraction, int]
"""err(h) → how many hypotheses of the class have it."""


def learn_by_large_margin(
    draw: Draw,
    sample: Sequence[Example],
    *,
    concepts: Sequence[_Hypothesis],
    epsilon: ExactLike,
    delta: ExactLike,
    **given: Any,
) -> Distribution[_Hypothesis]:
    """A concept by LMM with the quality n·(1 − êrr(h)), the number of labels that it gives as the sample does.

    Source: Chaudhuri, Hsu & Song, Section 4.2. `given` are `slack` and `noise` of `large_margin_mechanism`, whose
    errors it raises, and `InputError` without concepts.
    """
    refuse_no_concepts(concepts)
    quality = numbers_of_correct_labels(concepts, sample)
    return large_margin_mechanism(draw, quality, epsilon=epsilon, delta=delta, **given)


@sized(learn_by_large_margin, name="deviation")
def deviation_of(hypotheses: int, *, rows: int, failure: ExactLike) -> Exact:
    """Hoeffding's bound for each hypothesis, u = sqrt(ln(2|ℋ|/δ₀)/(2n)), for n = `rows` and δ₀ = `failure`.

    Raises `InputError` unless there are hypotheses and rows, and 0 < δ₀ < 1.
    """
    number = log(2 * whole(hypotheses, "hypotheses", 1) / open_unit(failure, "failure"))
    return sqrt(number / (2 * whole(rows, "rows", 1)))


@sized(learn_by_large_margin, name="shell size")
def shell_size(errors: Errors, t: int, deviation: ExactLike) -> int:
    """|ℋ(t)|: how many hypotheses are worse than the best by at most t·u, for u = `deviation`.

    Raises `InputError` without hypotheses, and unless t ≥ 0 and u > 0.
    """
    most = _least(errors) + whole(t, "t", 0) * positive(deviation, "deviation")
    return sum(number for error, number in errors.items() if exact(error) <= most)


@sized(learn_by_large_margin, name="shell")
def shell_used(errors: Errors, *, rows: int, deviation: ExactLike, epsilon: ExactLike, delta: ExactLike) -> int:
    """t*: the least t ≥ 1 for which the (|ℋ(t+2)|, t·u)-margin condition is enough for Theorem 3 at η = δ.

    The paper has ℋ(t+1). What is outside ℋ(t+1) is worse than the best by more than (t+1)·u; of that u may be lost at
    either end, so that of the errors on the sample (t−1)·u is left, and not t·u. Outside ℋ(t+2) t·u is left.
    """
    u, n = positive(deviation, "deviation"), whole(rows, "rows", 1)
    everything = sum(errors.values())
    t = 1
    while True:
        size = shell_size(errors, t + 2, u)
        if size == everything or margin_needed(size, epsilon=epsilon, delta=delta, failure=delta) <= n * t * u:
            return t
        t += 1


@sized(learn_by_large_margin, name="error by shells")
def error_by_shells(errors: Errors, *, rows: int, deviation: ExactLike, epsilon: ExactLike, delta: ExactLike) -> Exact:
    """Corollary 2: how much worse than the best a hypothesis by LMM is, but with probability δ₀ + δ.

    2u + 6·ln(2|ℋ(t*+2)|/δ)/(αn). Source: Chaudhuri, Hsu & Song, Section 4.2, with the constants of Theorem 3.
    """
    t = shell_used(errors, rows=rows, deviation=deviation, epsilon=epsilon, delta=delta)
    size = shell_size(errors, t + 2, deviation)
    return 2 * exact(deviation, "deviation") + error_allowed(size, epsilon=epsilon, failure=delta) / rows


@sized(learn_by_large_margin, name="error by exponential")
def error_by_exponential(
    hypotheses: int, *, rows: int, deviation: ExactLike, epsilon: ExactLike, delta: ExactLike
) -> Exact:
    """The bound (2), of the exponential mechanism, but with probability δ₀ + δ: 2u + (2/(αn))·ln(|ℋ|/δ).

    Raises `InputError` where a parameter is out of range.
    """
    loss = log(whole(hypotheses, "hypotheses", 1) / open_unit(delta, "delta"))
    return 2 * positive(deviation, "deviation") + 2 * loss / (positive(epsilon, "epsilon") * whole(rows, "rows", 1))


def _least(errors: Errors) -> Fraction:
    if not errors:
        raise InputError(bad_input.IS_EMPTY, "errors", "hypothesis")
    return min(errors)
