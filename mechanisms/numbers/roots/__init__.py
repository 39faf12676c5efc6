"""Places where functions of one variable change their signs; a symbolic ε, of which numbers are such functions, and δ.

It imports `numbers/` alone. Begin with `symbolic_epsilon.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
