"""Secrecy of the sample: a private mechanism on a random sample of the rows leaks less."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import product as cartesian
from typing import Any

from dpverify.mechanisms.composition import whole_times
from dpverify.mechanisms.distributions import uniform
from dpverify.mechanisms.elementary import exp
from dpverify.mechanisms.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.mechanism import Draw, Mechanism


def on_a_sample(
    draw: Draw, rows: Sequence[Hashable], *, size: int, mechanism: Mechanism, parameters: dict[str, Any] | None = None
) -> Any:
    """`mechanism` on `size` rows drawn from `rows` independently, with replacement.

    Source: BuNS, Lemma 2.25. Under the checker all samples are enumerated: len(rows)^size of them.
    """
    places = draw(uniform(tuple(cartesian(range(len(rows)), repeat=whole_times(size)))))
    return draw(mechanism, tuple(rows[i] for i in places), **(parameters or {}))


def epsilon_of_sample(*, size: int, rows: int, epsilon: ExactLike) -> Exact:
    """ε̃ = 6·ε·m/n, for m of n rows (BuNS, Lemma 2.25, which asks for ε ≤ 1 and n ≥ 2m)."""
    return 6 * exact(epsilon, "epsilon") * Fraction(whole_times(size), whole_times(rows))


def delta_of_sample(*, size: int, rows: int, epsilon: ExactLike, delta: ExactLike) -> Exact:
    """δ̃ = 4·exp(6εm/n)·(m/n)·δ, for m of n rows (BuNS, Lemma 2.25)."""
    share = Fraction(whole_times(size), whole_times(rows))
    return 4 * exp(epsilon_of_sample(size=size, rows=rows, epsilon=epsilon)) * share * exact(delta, "delta")
