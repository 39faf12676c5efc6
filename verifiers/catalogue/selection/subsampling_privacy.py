"""Privacy of a sample of m of n rows with replacement: what Bun, Nissim & Stemmer use of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.drawing.sorted_rows import in_sorted_order
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.selection.composition import leaky_randomized_response
from dpverify.mechanisms.selection.exponential_mechanism import exponential
from dpverify.mechanisms.selection.subsampling import delta_of_sample, epsilon_of_sample, on_a_sample
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.families import at_every_epsilon
from dpverify.verifiers.catalogue.finite import SAMPLES_ROWS
from dpverify.verifiers.catalogue.refuted import variant
from dpverify.verifiers.catalogue.selection.counting import frequencies
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.questions.domains import Multisets

TENTH: Final = Fraction(1, 10)
BITS: Final = (0, 1)
REFUTED: Final = Status.REFUTED


def most_frequent_bit(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike) -> Distribution[int]:
    """The bit that occurs most often, by the exponential mechanism."""
    return exponential(frequencies(rows, 2), epsilon)


def noisy_sum(draw: Draw, rows: Sequence[int], *, epsilon: Any, noise: Noise = discrete_laplace) -> Any:
    """The number of ones with noise of scale 1/ε, discrete unless told otherwise."""
    return sum(rows) + draw(noise(1 / epsilon))


def real_sum(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    """The number of ones with Lap(1/ε)."""
    return noisy_sum(draw, rows, epsilon=epsilon, noise=laplace)


def leaky_or(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike, delta: ExactLike) -> Distribution[Any]:
    """Whether some row is 1, as leakily as (ε,δ)-privacy allows."""
    return leaky_randomized_response(draw, max(rows), epsilon=epsilon, delta=delta)


def without_sampling(
    draw: Draw, rows: Sequence[Hashable], *, mechanism: Mechanism, parameters: dict[str, Any], **ignored: Any
) -> Any:
    """Mutant: runs on all rows."""
    return draw(mechanism, tuple(rows), **parameters)


def _on_sample(
    name: str,
    mechanism: Mechanism,
    size: int,
    rows: int,
    epsilon: Fraction,
    delta: Fraction,
    **more: Any,
) -> Claim:
    given: dict[str, Any] = {"epsilon": epsilon} | ({"delta": delta} if delta else {})
    return Claim(
        id=f"BuNS-2.25.privacy.{name}",
        source="BuNS, Lemma 2.25, formulas as reconstructed",
        statement=f"{mechanism.__name__}, ({epsilon}, {delta})-private, on {size} of {rows} rows with replacement "
        "is (6εm/n, 4·exp(6εm/n)·(m/n)·δ)-private",
        mechanism=in_sorted_order(on_a_sample),
        domain=Multisets(BITS, size=rows),
        epsilon=epsilon_of_sample(size=size, rows=rows, epsilon=epsilon),
        delta=delta_of_sample(size=size, rows=rows, epsilon=epsilon, delta=delta),
        parameters={"size": size, "mechanism": mechanism, "parameters": given},
        finite_because=SAMPLES_ROWS,
        mutant=without_sampling,
        **more,
    )


_SIX_TIMES: Final = "the lemma's 6εm/n is far more than εm/n, which is about what one row in so many can do"
SIX_TIMES_LEAKY: Final = (
    "δ covers that one row in so many is sampled and leaks, and the lemma's 6εm/n and 4·exp(6εm/n) are far more than "
    "what it can do; what leaks is no noise of a scale"
)
"""Why the leaky mechanism on a sample is claimed though it uses little."""

_TWO_OF_13: Final = LeastShare(share="11/32", below="5/16", because=_SIX_TIMES)
_ONE_OF_16: Final = LeastShare(share="9/64", below="1/8", because=_SIX_TIMES)

samples = (
    _on_sample("exponential", most_frequent_bit, 2, 13, Fraction(1), Fraction(0), least=_TWO_OF_13),
    _on_sample("exponential-small", most_frequent_bit, 1, 16, Fraction(1, 4), Fraction(0), least=_ONE_OF_16),
    _on_sample("noisy-sum", noisy_sum, 2, 13, Fraction(1), Fraction(0)),
    _on_sample("real-sum", real_sum, 1, 7, Fraction(1), Fraction(0)),
    _on_sample("leaky", leaky_or, 1, 16, Fraction(1), TENTH, weak_because=SIX_TIMES_LEAKY),
)

# What sampling one row of n gives, in place of what the lemma says of it: both numbers are used up.
leaky_exact = replace(
    samples[-1],
    id="BuNS-2.25.privacy.leaky-exact",
    statement="leaky_or, (1, 1/10)-private, on 1 of 16 rows is (ln(1 + (e − 1)/16), 1/160)-private",
    epsilon=log(1 + (exp(1) - 1) / 16),
    delta=TENTH / 16,
    weak_because="",
)

samples_at_every_epsilon = tuple(
    at_every_epsilon(
        "BuNS-2.25",
        variant=f"{name}-",
        source="BuNS, Lemma 2.25, formulas as reconstructed",
        statement=f"{inner.__name__}, ε-private, on 1 of 16 rows is 3/8·ε-private, for every ε: the lemma without its "
        "ε ≤ 1",
        mechanism=in_sorted_order(on_a_sample),
        domain=Multisets(BITS, size=16),
        epsilon=symbolic * Fraction(3, 8),
        parameters={"size": 1, "mechanism": inner, "parameters": {"epsilon": symbolic}},
        expected=REFUTED,
        refutation=variant("The lemma has the condition ε ≤ 1, which is left out here."),
        finite_because=SAMPLES_ROWS,
        mutant=without_sampling,
    )
    for name, inner in (("exponential", most_frequent_bit), ("noisy-sum", noisy_sum))
)
