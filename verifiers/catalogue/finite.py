"""Reasons why claims of the catalogue are PROVED on a finite domain alone: each such claim names one of these.

A claim that names none of them is decided on a domain without end as well.
"""

from typing import Final

DOMINATING_PAIR: Final = (
    "its two databases are the dominating pair, of which every pair of neighbours is a post-processing: so it is about "
    "all sizes as it stands"
)
ONE_PAIR: Final = "it is about the one pair of databases that it lists"
CHOSEN: Final = "it is about databases that were chosen: nearly tied, or on few points, where the mechanism shows most"
FAR_THRESHOLDS: Final = (
    "its thresholds lie at gaps of tens, up to which each gap is a region of its own: with three scores or more these "
    "are too many so far"
)
UNKNOWN_EPSILON: Final = "its ε is unknown beside unknown scores: signs are not found so far, or regions are too many"
SAMPLES_ROWS: Final = "it draws a sample of the rows: of an unknown number of rows there are not finitely many"
CLAMPED: Final = "it clamps noise at the number of rows, an end that is unknown: that is not decided so far"
DIVIDES: Final = "it divides by the number of rows"
MANY_QUERIES: Final = (
    "with so many queries the regions of unknown answers, each with a law that is a sum over the threshold's "
    "noise, are too many so far"
)
SUMS_OF_DENSITIES: Final = (
    "it releases the noisy query that was compared: its densities are sums of several exponentials, which is not "
    "decided with unknown scores so far"
)
ROW_BY_ROW: Final = "it goes through the rows one by one, and not by how often each occurs"
RECURSES: Final = (
    "it recurses on a quality of which it takes maxima over intervals: with unknown scores each is a region of its own"
)
IRRATIONAL_SCALE: Final = (
    "its noise has a scale with square roots in it, by the composition theorem: that is not decided with unknown counts"
)
LONG_DATABASES: Final = (
    "it is about databases of many rows, on few points, as many as its lemma asks for or as show most: they were chosen"
)
ANOTHER_SENSITIVITY: Final = (
    "its qualities move by another number than 1 between neighbours: all sizes are decided for sensitivity 1, to which "
    "they can be scaled"
)
