"""The public face of verifying: domains, neighbour relations, claims of each kind, and what checks them.

What few checks need is in the packages below: privacy, utility, calculations, structure, steps, lower_bounds, optimal.
It imports mechanisms and reports. Begin with `claims.py`, then with the package of a kind of claims. A change keeps
what users write, by `tests/test_public_names.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
