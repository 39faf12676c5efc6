"""Privacy of a sample of m of n rows with replacement: what Bun, Nissim & Stemmer use of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw, discrete_laplace, exp, exponential, laplace, log, symbolic
from dpverify.mechanisms.drawing import in_sorted_order
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.selection import leaky_randomized_response, on_a_sample
from dpverify.mechanisms.selection.subsampling import delta_of_sample, epsilon_of_sample
from dpverify.verifiers import Multisets
from dpverify.verifiers.catalogue.finite import SAMPLES_ROWS
from dpverify.verifiers.catalogue.refuted import variant
from dpverify.verifiers.catalogue.selection.counting import frequencies
from dpverify.verifiers.privacy.family import Row, family, rows_of
from dpverify.verifiers.profiles import LeastShare

TENTH: Final = Fraction(1, 10)


def most_frequent_bit(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike) -> Any:
    """The bit that occurs most often, by the exponential mechanism."""
    return exponential(frequencies(rows, 2), epsilon)


def noisy_sum(draw: Draw, rows: Sequence[int], *, epsilon: Any, noise: Noise = discrete_laplace) -> Any:
    """The number of ones with noise of scale 1/ε, discrete unless told otherwise."""
    return sum(rows) + draw(noise(1 / epsilon))


def real_sum(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    """The number of ones with Lap(1/ε)."""
    return noisy_sum(draw, rows, epsilon=epsilon, noise=laplace)


def leaky_or(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike, delta: ExactLike) -> Any:
    """Whether some row is 1, as leakily as (ε,δ)-privacy allows."""
    return leaky_randomized_response(draw, max(rows), epsilon=epsilon, delta=delta)


def without_sampling(
    draw: Draw, rows: Sequence[Hashable], *, mechanism: Mechanism, parameters: dict[str, Any], **ignored: Any
) -> Any:
    """Mutant: runs on all rows."""
    return draw(mechanism, tuple(rows), **parameters)


SIX_TIMES_LEAKY: Final = (
    "δ covers that one row in so many is sampled and leaks, and the lemma's 6εm/n and 4·exp(6εm/n) are far more than "
    "what it can do; what leaks is no noise of a scale"
)
"""Why the leaky mechanism on a sample is claimed though it uses little."""

OF_A_SAMPLE: Final = Row("BuNS-2.25.privacy.").having(source="BuNS, Lemma 2.25, formulas as reconstructed")


def by_the_lemma(size: int, rows: int, epsilon: Fraction, delta: Fraction | int) -> Row:
    """The ε and δ that the lemma gives an (ε,δ)-private mechanism on a sample."""
    return (
        Row()
        .having(epsilon=epsilon_of_sample(size=size, rows=rows, epsilon=epsilon))
        .having(delta=delta_of_sample(size=size, rows=rows, epsilon=epsilon, delta=delta))
    )


def _on_sample(mechanism: Mechanism, size: int, rows: int, **given: Any) -> Row:
    """What is claimed of a mechanism, with what it is given, on a sample of so many rows."""
    return Row().having(domain=Multisets((0, 1), size=rows)).run_with(size=size, mechanism=mechanism, parameters=given)


def _with_the_lemma(
    name: str, mechanism: Mechanism, size: int, rows: int, epsilon: Fraction, delta: Fraction | None = None, **more: Any
) -> Row:
    given = {"epsilon": epsilon} | ({} if delta is None else {"delta": delta})
    return (
        Row(name)
        .says(
            f"{mechanism.__name__}, ({epsilon}, {delta or 0})-private, on {size} of {rows} rows with replacement is "
            "(6εm/n, 4·exp(6εm/n)·(m/n)·δ)-private"
        )
        .having(**more)
        .of(by_the_lemma(size, rows, epsilon, delta or 0).of(_on_sample(mechanism, size, rows, **given)))
    )


_SIX_TIMES: Final = "the lemma's 6εm/n is far more than εm/n, which is about what one row in so many can do"
_TWO_OF_13: Final = LeastShare(share="11/32", below="5/16", because=_SIX_TIMES)
_ONE_OF_16: Final = LeastShare(share="9/64", below="1/8", because=_SIX_TIMES)

samples = family(
    Row()
    .having(mechanism=in_sorted_order(on_a_sample), finite_because=SAMPLES_ROWS, mutant=without_sampling)
    .of(OF_A_SAMPLE),
    _with_the_lemma("exponential", most_frequent_bit, 2, 13, Fraction(1), least=_TWO_OF_13),
    _with_the_lemma("exponential-small", most_frequent_bit, 1, 16, Fraction(1, 4), least=_ONE_OF_16),
    _with_the_lemma("noisy-sum", noisy_sum, 2, 13, Fraction(1)),
    _with_the_lemma("real-sum", real_sum, 1, 7, Fraction(1)),
    _with_the_lemma("leaky", leaky_or, 1, 16, Fraction(1), TENTH, weak_because=SIX_TIMES_LEAKY),
    # What sampling one row of n gives, in place of what the lemma says of it: both numbers are used up.
    Row("leaky-exact", "leaky_or, (1, 1/10)-private, on 1 of 16 rows is (ln(1 + (e − 1)/16), 1/160)-private")
    .having(epsilon=log(1 + (exp(1) - 1) / 16), delta=TENTH / 16)
    .of(_on_sample(leaky_or, 1, 16, epsilon=Fraction(1), delta=TENTH)),
    *rows_of(
        Row("{}-every-epsilon")
        .says("{}, ε-private, on 1 of 16 rows is 3/8·ε-private, for every ε: the lemma without its ε ≤ 1")
        .having(epsilon=symbolic * Fraction(3, 8))
        .having(refuted=variant("The lemma has the condition ε ≤ 1, which is left out here.")),
        Row("exponential", "most_frequent_bit").of(_on_sample(most_frequent_bit, 1, 16, epsilon=symbolic)),
        Row("noisy-sum", "noisy_sum").of(_on_sample(noisy_sum, 1, 16, epsilon=symbolic)),
    ),
)
