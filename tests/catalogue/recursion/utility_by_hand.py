"""Refuted utility claims about the recursion, each at its witness, by Fractions alone."""

from fractions import Fraction as F


def tied_blocks(plateau: tuple[int, int], block: int) -> bool:
    """Whether two blocks [0, block), [block, 2·block), … hold a point of the plateau: their qualities are equal."""
    return plateau[0] // block != plateau[1] // block


def a_plateau_over_the_end_of_a() -> bool:
    """K = 2, as the plateau has two points, and A has blocks of 8K: A_dist sees a gap of 0, and step 10 leaves B out."""
    return tied_blocks((15, 16), 8 * 2)


def a_promise_below_two() -> bool:
    """The gap is the promise, 359/250, and the threshold more than 2: noise Lap(4/50000) has to be above 0.564."""
    noise, scale = 2 - F(359, 250), F(4, 50_000)
    # e^(−x) < 1/(1 + x), so that it succeeds with less than half of that
    return 1 - F(1, 2) / (1 + noise / scale) > F(2, 5)


BY_HAND = {"BNS-X-Lem3.utility.promise": a_plateau_over_the_end_of_a, "BNS-X-Lem3.utility.with-b": a_promise_below_two}
