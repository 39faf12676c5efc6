"""Root isolation in one variable; a symbolic ε, of which numbers are such functions, and δ.

It imports `numbers/` alone. Begin with `symbolic_epsilon.py`. A change keeps signs between roots certain, or
`Undecided`: `tests/mechanisms/numbers/roots`, and `make deep`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
