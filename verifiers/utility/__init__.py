"""Deciding utility: probabilities of failure, summed exactly, enumerated or fuzzed. It knows no paper.

It imports claims, and mechanisms. Begin with `claim.py`, then `checker.py`. A change keeps sums exact, and FUZZED apart
from PROVED: `tests/verifiers/utility`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
