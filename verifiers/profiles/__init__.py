"""Measurements around a claim: noise multipliers, other neighbour relations, longer inputs, mutants on worst pairs.

It imports deciding, and the packages below it. Begin with `noise_multipliers.py`. A change keeps the verdict of the
claim itself out of it: `tests/verifiers/profiles`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
