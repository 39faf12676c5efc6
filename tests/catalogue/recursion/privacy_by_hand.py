"""Refuted claims about the recursion, by Fractions alone."""

from fractions import Fraction
from functools import partial

from tests.catalogue.by_hand import ONE, THREE, Bounds, Refutation, e_to


def recursion(epsilon: Fraction, heights: tuple[int, int], level: int) -> Bounds:
    """RecConcave's chance of 50, where Q is heights at 10 and 50, and about `level` elsewhere on [0, 64]; δ = 1/1000.

    At scale K = 1, which q prefers to every other by `steep` at least, the intervals of 8 that hold 10 and 50 are
    different ones, and each partition releases that of 50 with probability ½·δ·e^(ε·gap) if it is better, and else not
    at all. In such intervals at most 11 points compete with 50.
    """
    steep = Fraction(min(heights) - level)
    others = 6 * e_to(-epsilon * steep / 2)[1]  # how much likelier K = 1 is than all other scales together
    if heights[1] <= heights[0]:
        return Fraction(0), others
    release = e_to(epsilon * (heights[1] - heights[0]))[0] * Fraction(1, 2000)
    either = 1 - (1 - release) ** 2
    return either / (1 + others) / (1 + 11 * e_to(-epsilon * steep / 2)[1]), Fraction(1)


def on_two_peaks(epsilon: Fraction, heights: tuple[int, int], outcome: int) -> Bounds:
    """The chance of 50, where all that is neither 10 nor 50 has quality 0."""
    assert outcome == 50
    return recursion(epsilon, heights, 0)


DELTA = Fraction(6, 1000)
BY_HAND = {  # the ε of each part, and six times that for the whole
    "BNS-J-3.12.privacy.printed": Refutation(partial(on_two_peaks, ONE), 6 * ONE, DELTA),
    "BNS-J-3.12.privacy.printed-3": Refutation(partial(on_two_peaks, THREE), 6 * THREE, DELTA),
}
