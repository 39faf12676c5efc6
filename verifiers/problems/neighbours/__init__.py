"""Neighbour relations on databases, and pairs that stand for others by symmetry.

It imports `questions/`. Begin with `neighbours.py`, then `orbits.py`. A change keeps all pairs covered, counted by
brute force in `tests/verifiers/problems/neighbours`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
