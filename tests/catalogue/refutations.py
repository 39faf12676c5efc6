"""The witnesses that the catalogue pins: for each refuted claim the two neighbours and the event.

Plain data, which two tests share: one recomputes every witness with Fractions alone, the other holds it against the
checker's.
"""

from fractions import Fraction
from typing import Any

from dpverify.mechanisms.outputs import AtMost

BEST_IS_2 = ((0, 0, 1), (0, 0, 0), (2,))
CHANGES_AT_GAP_2 = ((0, 0, 2), (0, 1, 1), (2,))


def two_thresholds(ones: int) -> tuple[tuple[int, int], ...]:
    """Many rows that the thresholds 10 and 50 label as they are, and four in between, `ones` of them with label 1."""
    return ((9, 1), (10, 0)) * 100 + ((49, 1), (50, 0)) * 100 + tuple((30, int(i < ones)) for i in range(4))


ONE_PAIR = (((0,),) * 11 + ((0, 1),), ((0,),) * 12, ((0, 1),))
"""Twelve baskets, of which one holds a pair or none."""

WITNESSES: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "BNS-J-2.24.privacy.printed-below": ((0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 1), ((AtMost(0),),)),
    "BNS-J-2.24.privacy.discrete-below": ((0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 1), ((0,),)),
    "BNS-J-2.26.privacy.printed": BEST_IS_2,
    "BNS-J-2.26.privacy.printed-ln2": CHANGES_AT_GAP_2,
    "BNS-J-2.26.privacy.printed-3": BEST_IS_2,
    "BNS-J-2.26.privacy.printed-small-epsilon": ((0, 31), (1, 30), (1,)),
    "BNS-J-2.26.privacy.printed-small-delta": BEST_IS_2,
    "BNS-J-2.26.privacy.printed-counts": ((0,), (1,), (0,)),
    "BNS-J-2.26.privacy.printed-counts-ln2": ((1, 1), (0, 1), (1,)),
    "BNS-J-2.26.privacy.printed-counts-3": ((0,), (1,), (0,)),
    "BNS-J-2.26.privacy.printed-add-remove": ((1,), (), (1,)),
    "BNS-J-2.26.privacy.printed-add-remove-3": ((1,), (), (1,)),
    "BNS-J-2.26.privacy.discrete": CHANGES_AT_GAP_2,
    "BNS-J-2.26.privacy.discrete-ln2": CHANGES_AT_GAP_2,
    "BNS-J-2.26.privacy.discrete-3": BEST_IS_2,
    "BNS-J-2.26.privacy.corrected-scale-below": ((0, 0, 4), (0, 1, 3), (2,)),
    "BNS-J-2.26.privacy.corrected-shift-below": CHANGES_AT_GAP_2,
    "BNS-J-2.26.privacy.corrected-discrete-below": CHANGES_AT_GAP_2,
    "BNS-J-4.4.privacy.below": ((0, 1), (0, 0), (1,)),
    "BNS-J-4.4.privacy.below-growth-2": ((0, 1), (0, 0), (1,)),
    "BNS-J-4.4.privacy.below-growth-3": ((1, 1, 2), (0, 0, 1), (1, 0)),
    "BNS-J-4.4.privacy.printed-large-epsilon": ((0, 1), (0, 0), (1,)),
    "BNS-J-4.4.privacy.below-large-epsilon": ((0, 1), (0, 0), (1,)),
    "BNS-J-3.2.privacy.printed-four-points": (((0, 1), (0, 1), (1, 1)), ((0, 1),) * 3, (1, 2, 3)),
    "BNS-J-3.2.privacy.printed": (((0, 0), (0, 0), (63, 1)), ((0, 0),) * 3, (63,)),
    "BNS-J-3.2.privacy.or-none-printed": (((0, 0), (0, 0), (1, 1)), ((0, 0),) * 3, (1,)),
    "BNS-J-3.12.privacy.printed": ((97, 99), (98, 98), (50,)),
    "BNS-J-3.12.privacy.printed-3": ((97, 98), (97, 97), (50,)),
    "BNS-J-3.18.privacy.printed-6": (two_thresholds(3), two_thresholds(2), (50,)),
    "BNS-J-4.6.privacy.printed-large-epsilon": ((6, 0, 1), (7, 0, 0), ((0, 2),)),
    "BNS-J-4.6.privacy.below": ((1360, 0, 1), (1361, 0, 0), ((0, 2),)),
    "BNS-J-4.8.privacy.printed-large-epsilon": ((0, 1, 2, 3, 4, 5, 6), (0, 1, 2, 3, 4, 5, 8), ((6,),)),
    "BNS-J-4.8.privacy.below": ((0, 1), (0, 0), ((1,),)),
    "BNS-J-5.4.privacy.in-order": (
        ((1, 1), (0, 0), (1, 0), (0, 0), (1, 0)),
        ((1, 0), (0, 0), (1, 0), (0, 0), (1, 0)),
        (((5, (0, 1, 0, 1, 0)), (5, (1, 0, 0, 0, 0))),),
    ),
    "BNS-J-6.2.privacy.rows": (((0, 0), (0, 0), (0, 0)), ((1, 0), (0, 0), (0, 0)), (1,)),
    "BuNS-2.20.privacy.cut-offs-few-rows": ((0, 0, 1), (0, 0, 0), ((0, 1),)),
    "BuNS-3.12.privacy.printed": (((0, 0), (0, 0), (0, 0), (1, 1)), ((0, 0), (0, 0), (0, 0), (0, 0)), (None,)),
    "BuNS-3.13.privacy.printed": (
        ((0, 0), (0, 0), (0, 1), (0, 1), (0, 1), (0, 1)),
        ((0, 0), (0, 0), (0, 0), (0, 1), (0, 1), (0, 1)),
        (0,),
    ),
    "BuNS-2.16.privacy.100-times-below": (0, 1, (("leaked", 0), 29, 28, 30, 27, 26, 25, 24)),
    "BuNS-3.12.privacy.printed-two-bits": ((0, 1, 31), (0, 0, 32), ((3, 0),)),
    "BuNS-3.13.privacy.printed-two-points": (
        ((0, 1),) * 19 + ((0, 3),) * 21 + ((2, 0),) * 60,
        ((0, 1),) * 20 + ((0, 3),) * 20 + ((2, 0),) * 60,
        ((0, 0),),
    ),
    "BuNS-3.11.privacy.printed": BEST_IS_2,
    "BuNS-3.11.privacy.printed-ln2": CHANGES_AT_GAP_2,
    "BuNS-3.11.privacy.printed-3": BEST_IS_2,
    "BuNS-3.11.privacy.printed-counts": ((0,), (1,), (0,)),
    "BuNS-3.11.privacy.printed-counts-ln2": ((1, 1), (0, 1), (1,)),
    "BuNS-3.11.privacy.printed-counts-3": ((0,), (1,), (0,)),
    "BuNS-3.11.privacy.discrete": BEST_IS_2,
    "BuNS-3.11.privacy.discrete-ln2": BEST_IS_2,
    "BuNS-3.11.privacy.discrete-3": BEST_IS_2,
    "BuNS-2.19.privacy.one-noise": ((0, 0, 1), (0, 0, 0), ((Fraction(3, 2),) * 4,)),
    "CHS-4.1.privacy.without-universe": ONE_PAIR,
    "CHS-4.1.privacy.without-universe-30": ONE_PAIR,
    "CHS-4.1.privacy.without-universe-100": ONE_PAIR,
    "CHS-4.1.privacy.or-none-fifth-of-the-slack": ONE_PAIR,
    "CHS-4.1.privacy.or-none-long-basket": ((1499, (0, 1, 2, 3)), (1499, (0, 1)), ((0, 1),)),
    "CHS-Alg1.privacy.least-slack-below": ((0, 0), (-2, 0), (0,)),
    "CHS-Alg1.privacy.quarter-of-the-first-test-nine-items": ((0,) * 9, (-2, *(0,) * 8), (0,)),
    "CHS-Alg1.privacy.sixth-of-the-tests-five-items": ((0,) * 5, (-2, *(0,) * 4), (0,)),
    "LSL-Alg3.privacy.claimed": ((0, 0, 0), (1, 1, 1), ((None, None, AtMost(0)),)),
    "LSL-Alg3.privacy.claimed-twice": ((0,) * 5, (1,) * 5, ((AtMost(0), None, None, None, None),)),
    "LSL-Alg3.privacy.discrete": ((-1, -1, 0), (0, 0, -1), ((None, None, 0),)),
    "LSL-Alg4.privacy.claimed": ((-1, -1, 0), (-1, 0, -1), ((False, False, True),)),
    "LSL-Alg5.privacy.claimed": ((-1, 0), (-1, -1), ((False, True),)),
    "LSL-Alg6.privacy.claimed": ((0, -1, -1), (-1, 0, 0), ((True, False, False),)),
    # for every δ and ε at once; the witness is at ε = 1 and at the δ that the by-hand test names
    "BNS-J-2.26.privacy.printed-every-delta": ((-1, 1), (0, 0), (1,)),
    "BNS-J-2.26.privacy.printed-one-score-every-delta": ((0, 1), (0, 0), (1,)),
    "BNS-J-2.26.privacy.corrected-scale-below-every-delta": ((5, -1), (4, 0), (0,)),
    "BNS-J-2.26.privacy.corrected-shift-below-every-delta": ((-1, 1), (0, 0), (1,)),
    "BNS-J-2.26.privacy.corrected-constant-below-every-delta": ((-1, 1), (0, 0), (1,)),
    "BuNS-3.11.privacy.printed-every-delta": ((-1, 1), (0, 0), (1,)),
    "BNS-J-4.4.privacy.enough-rows-below-every-delta": ((1,), (0,), (0,)),
    "BNS-J-4.4.privacy.printed-every-delta": ((1,), (0,), (0,)),
    # for every ε at once; the witness is at the ε that the by-hand test names
    "BNS-J-2.26.privacy.printed-every-epsilon": ((0, 1), (0, 0), (1,)),
    "BNS-J-2.26.privacy.whole-threshold-scale-1-every-epsilon": ((0, 5), (1, 4), (1,)),
    "BNS-J-4.4.privacy.eight-rows-every-epsilon": ((0, 1), (0, 0), (1,)),
    "LSL-Alg4.privacy.claimed-every-epsilon": ((-1, -1, 0), (-1, 0, -1), ((False, False, True),)),
    "LSL-Alg6.privacy.claimed-every-epsilon": ((0, -1, -1), (-1, 0, 0), ((True, False, False),)),
    "LSL-Alg4.privacy.discrete-every-epsilon": ((-1, -1, 0), (-1, 0, -1), ((False, False, True),)),
    "LSL-Alg6.privacy.discrete-every-epsilon": ((0, -1, -1), (-1, 0, 0), ((True, False, False),)),
    "BuNS-2.25.privacy.exponential-every-epsilon": ((0,) * 15 + (1,), (0,) * 16, (1,)),
    "BuNS-2.25.privacy.noisy-sum-every-epsilon": ((0,) * 15 + (1,), (0,) * 16, (1,)),
}
