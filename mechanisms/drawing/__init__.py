"""The engine behind `draw`: the enumerator runs a mechanism on all its paths, and the sampler on one.

It imports laws, comparisons and what code reaches. Begin with `enumerator.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
