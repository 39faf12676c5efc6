"""What DiPApprox's repository publishes of its programs in `sample_optimized_data.csv`: seconds, and what is private.

All is at ε = 1/2 and δ = 1/100, but for one family at ε = 8. Their labels are PRIVATE but of the two families below.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

NOT_PRIVATE: Final = ("new_nonpriv_svt_max", "nonpriv_svt_max")


class Seconds(NamedTuple):
    """On one pair of inputs, and on all pairs of inputs of zeros and ones; None where it gave up after 600."""

    pair: float | None
    everything: float | None


PUBLISHED: Final[Mapping[str, Mapping[int, Seconds]]] = {
    "noisy_max": {2: Seconds(1.3, 1.5), 3: Seconds(1.8, 3.8), 4: Seconds(40.1, None), 5: Seconds(None, None)},
    "noisy_min": {2: Seconds(1.3, 1.3), 3: Seconds(1.8, 3.4), 4: Seconds(35.8, None)},
    "mrange": {1: Seconds(1.8, 1.8), 2: Seconds(169.1, 351.8), 3: Seconds(None, None)},
    "kminmax": {3: Seconds(2.6, 5.8), 4: Seconds(41.4, 318.1)},
    "svt_max": {
        1: Seconds(1.3, 1.3),
        2: Seconds(1.5, 1.7),
        3: Seconds(2.3, 5.7),
        4: Seconds(3.8, 20.7),
        5: Seconds(6.1, 75.8),
        6: Seconds(9.5, 259.8),
        7: Seconds(13.9, None),
        8: Seconds(19.6, None),
        9: Seconds(28.7, None),
        10: Seconds(38.9, None),
        11: Seconds(50.0, None),
        12: Seconds(62.8, None),
        13: Seconds(76.8, None),
        14: Seconds(95.5, None),
        15: Seconds(117.4, None),
        16: Seconds(138.4, None),
        17: Seconds(162.3, None),
        18: Seconds(194.2, None),
        19: Seconds(218.8, None),
        20: Seconds(249.1, None),
        21: Seconds(283.8, None),
        22: Seconds(321.7, None),
        23: Seconds(397.8, None),
        24: Seconds(391.1, None),
        25: Seconds(434.1, None),
    },
    "svt_laplace_max": {
        1: Seconds(1.3, 1.3),
        2: Seconds(5.3, 8.9),
        3: Seconds(12.5, 57.8),
        4: Seconds(27.1, 244.5),
        5: Seconds(48.7, None),
        6: Seconds(79.1, None),
        7: Seconds(123.3, None),
        8: Seconds(184.6, None),
        9: Seconds(547.8, None),
    },
    "svt_mix1_max": {
        1: Seconds(1.3, 1.4),
        2: Seconds(2.9, 4.3),
        3: Seconds(7.5, 26.6),
        4: Seconds(12.3, 86.8),
        5: Seconds(17.2, 259.2),
        6: Seconds(23.8, None),
        7: Seconds(34.0, None),
        8: Seconds(46.0, None),
        9: Seconds(62.5, None),
        10: Seconds(83.3, None),
        11: Seconds(108.0, None),
        12: Seconds(136.4, None),
        13: Seconds(172.1, None),
        14: Seconds(211.1, None),
        15: Seconds(257.2, None),
        16: Seconds(319.3, None),
        17: Seconds(348.4, None),
        18: Seconds(413.5, None),
    },
    "new_nonpriv_svt_max": {5: Seconds(1.4, 1.9), 6: Seconds(1.3, 1.7)},
    "nonpriv_svt_max": {3: Seconds(1.3, 1.3), 6: Seconds(1.3, 1.3)},
}
"""By folder and number of queries."""
