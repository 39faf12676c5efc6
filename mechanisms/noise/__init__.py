"""Noise: what every law of noise has (`law.py`), one file a noise, and what is made of noise (`derived.py`).

It imports packages of numbers alone, and knows no mechanism and no comparison. Begin with `laplace.py`; a new noise is
a file like it, and a line in `__init__.pyi`. A change keeps sums, tails and samples as `tests/mechanisms/noise` has
them.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
