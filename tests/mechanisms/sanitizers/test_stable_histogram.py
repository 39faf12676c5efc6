"""The stable histogram, as the algorithm has it."""

from fractions import Fraction
from typing import Any

from dpverify.mechanisms import Draw, discrete_laplace, distribution, exact, log
from dpverify.mechanisms.sanitizers import stable_histogram


def standing_out(draw: Draw, database: tuple[int, ...], **given_: Any) -> tuple[int, ...]:
    return tuple(x for x, _ in stable_histogram(draw, database, **given_))


def as_in_the_paper(draw: Draw, database: tuple[int, ...], *, d: int, epsilon: int, delta: str) -> tuple[int, ...]:
    """Which points of Algorithm 1 stand out, each with a noise of its own and one comparison."""
    threshold = Fraction(2, epsilon) * log(2 / exact(delta)) + 1
    counts = {x: database.count(x) for x in range(1 << d)}
    return tuple(
        x for x in counts if counts[x] and counts[x] + draw(discrete_laplace(Fraction(2, epsilon))) > threshold
    )


def test_the_law_of_the_histogram_is_that_of_the_algorithm() -> None:
    """Exactly, on counts on both sides of the threshold."""
    for counts in ((1, 0, 13), (12, 11, 2), (14, 1, 1)):
        database = tuple(x for x, count in enumerate(counts) for _ in range(count))
        parameters: dict[str, Any] = {"d": 2, "epsilon": 1, "delta": "1/100"}
        law = distribution(standing_out, database, **parameters)
        assert law == distribution(as_in_the_paper, database, **parameters)
