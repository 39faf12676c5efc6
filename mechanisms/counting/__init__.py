"""Counts of rows, step functions of them, and utilities: what selection computes with.

It imports the packages of numbers, output distributions and drawing, and no algorithm. Begin with `qualities.py`. A
change keeps each fast path equal to counting row by row, in `tests/mechanisms/counting`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
