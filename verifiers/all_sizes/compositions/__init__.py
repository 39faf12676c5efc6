"""Compositions: mechanisms that are as private as their sub-mechanisms together, for any number of rows.

It imports `all_sizes/`, and the packages below it. Begin with `deciding.py`, then `paths.py`; see docs/composites.md. A
change lets no row be seen outside of a sub-mechanism: `tests/verifiers/all_sizes/compositions`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
