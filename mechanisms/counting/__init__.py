"""Counts of rows, step functions of them, and qualities: what selection computes with.

It imports the packages of numbers, laws and drawing, and no algorithm. Begin with `tallies.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
