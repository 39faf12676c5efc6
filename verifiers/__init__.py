"""What is verified: domains, neighbour relations, claims of each kind, and what checks them.

What few checks need is in the rooms below: privacy, utility, structure, steps, lower_bounds, optimal.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
