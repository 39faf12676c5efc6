"""The output distributions of mechanisms: finite ones, and those that release numbers with noise.

It imports numbers, noise, and what is compared of it. Begin with `distributions.py`, then `released.py`. A change keeps
probabilities that sum to 1 exactly, and pickles that others read: `tests/mechanisms/outputs`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
