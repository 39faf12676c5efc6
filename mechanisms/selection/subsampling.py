"""Secrecy of the sample: a private mechanism on a random sample of the rows leaks less."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.outputs.distributions import uniform
from dpverify.mechanisms.selection.composition import whole_times


def on_a_sample(
    draw: Draw, rows: Sequence[Hashable], *, size: int, mechanism: Mechanism, parameters: dict[str, Any] | None = None
) -> Any:
    """`mechanism` on `size` rows drawn from `rows` independently, with replacement.

    Source: BuNS, Lemma 2.25. Under the checker all samples are enumerated: len(rows)^size of them.
    """
    one = uniform(range(len(rows)))
    return draw(mechanism, tuple(rows[draw(one)] for _ in range(whole_times(size))), **(parameters or {}))


def learn_empirically(
    draw: Draw, rows: Sequence[Hashable], *, learner: Mechanism, parameters: dict[str, Any] | None = None
) -> Any:
    """The hypothesis that a PAC learner for m rows learns of 9m given ones: it fits these, as it fits any distribution.

    Source: BuNS, Theorem 2.24. As private as the learner for ε ≤ 1, since 6m/n = 2/3 and 4·exp(2ε/3)/9 < 1. Rows beyond
    a multiple of 9 count, too: m is rounded down. Raises `InputError` for fewer than nine rows.
    """
    if len(rows) < 9:
        raise InputError(
            bad_input.RANGE, f"{len(rows)}, the number of rows,", "at least 9, as a ninth of the rows is sampled"
        )
    return on_a_sample(draw, rows, size=len(rows) // 9, mechanism=learner, parameters=parameters)


@sized(on_a_sample, name="epsilon")
def epsilon_of_sample(*, size: int, rows: int, epsilon: ExactLike) -> Exact:
    """ε̃ = 6·ε·m/n, for m of n rows (BuNS, Lemma 2.25, which asks for ε ≤ 1 and n ≥ 2m)."""
    return 6 * exact(epsilon, "epsilon") * Fraction(whole_times(size), whole_times(rows))


@sized(on_a_sample, name="delta")
def delta_of_sample(*, size: int, rows: int, epsilon: ExactLike, delta: ExactLike) -> Exact:
    """δ̃ = 4·exp(6εm/n)·(m/n)·δ, for m of n rows (BuNS, Lemma 2.25)."""
    share = Fraction(whole_times(size), whole_times(rows))
    return 4 * exp(epsilon_of_sample(size=size, rows=rows, epsilon=epsilon)) * share * exact(delta, "delta")
