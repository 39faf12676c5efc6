"""Deciding calculations: a number that is computed for each case, beside the one that is claimed of it.

It imports claims and utility, whose cases and sizes it shares. Begin with `claim.py`. A change keeps comparisons exact,
and mutants refuted: `tests/verifiers/calculations`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
