"""Mechanisms that are as private as their parts together, for databases of every size: see docs/composites.md.

It imports `all_sizes/`, and the packages below it. Begin with `deciding.py`, then `paths.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
