"""Lower bounds, run: hard instances, the best mechanism on them, and implemented ones, in one table.

It imports `optimal/`, and the packages below it. Begin with `claim.py`, then `checker.py`. A change keeps achieved ≤
optimal ≤ implied upper bound: `tests/verifiers/lower_bounds`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
