"""The recursion for quasi-concave promise problems.

It imports `selection/`, and the packages below it. Begin with `quasi_concave.py`. A change keeps the claims of
`verifiers/catalogue/recursion`, and the instances in `tests/mechanisms/recursion`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
