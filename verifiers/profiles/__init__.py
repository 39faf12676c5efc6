"""Measurements around a claim: other shares of the noise, other relations, longer inputs, mutants on worst pairs.

It imports deciding, and the packages below it. Begin with `noise_multipliers.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
