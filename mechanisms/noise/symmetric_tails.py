"""The mass of an interval from the tails of a noise that is symmetric around 0."""

from collections.abc import Callable

from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact
from dpverify.mechanisms.numbers.roots.intervals import Endpoint


def mass_by_tails(
    tail: Callable[[Endpoint], Exact],
    low: Endpoint | None,
    high: Endpoint | None,
    *,
    mirrored: Callable[[Endpoint], Endpoint],
) -> Exact:
    """Pr[low ≤ N < high], from tail(t) = Pr[N ≥ t], where Pr[N < t] = Pr[N ≥ mirrored(t)]; None is no end."""
    if low is None and high is None:
        return ONE
    if low is None:
        assert high is not None
        return tail(mirrored(high))
    if high is None:
        return tail(low)
    if high <= 0:  # both tails on the left: mirror, so that no 1 has to cancel
        return tail(mirrored(high)) - tail(mirrored(low))
    return tail(low) - tail(high)
