"""The output distributions of mechanisms: finite ones, and those that release numbers with noise.

It imports numbers, noise, and what is compared of it. Begin with `distributions.py`, then `released.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
